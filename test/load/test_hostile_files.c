#include "test/load/test_hostile_files.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_room(hostile_text *text, size_t size)
{
    if (text->room - text->size > size)
        return;
    text->room = 2 * text->room + size + 4096;
    text->bytes = realloc(text->bytes, text->room);
    if (!text->bytes)
        abort();
}

void hostile_add(hostile_text *text, const char *format, ...)
{
    enum { LONGEST = 512 };
    make_room(text, LONGEST);
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text->bytes + text->size, LONGEST, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= LONGEST)
        abort();
    text->size += (size_t)length;
}

void hostile_fill(hostile_text *text, const char *part, size_t size)
{
    const size_t length = strlen(part);
    make_room(text, size + length);
    for (size_t used = 0; used < size; used += length) {
        memcpy(text->bytes + text->size, part, length);
        text->size += length;
    }
}

void hostile_fill_nul(hostile_text *text, size_t size)
{
    make_room(text, size);
    memset(text->bytes + text->size, '\0', size);
    text->size += size;
}

void hostile_begin_mesh(hostile_text *text, size_t num_joints, size_t num_meshes)
{
    hostile_add(text, "MD5Version 10 commandline\"\"numJoints %zu numMeshes %zu joints{\n",
                num_joints, num_meshes);
}

void hostile_add_joint(hostile_text *text, long parent)
{
    hostile_add(text, "a %ld(0 0 0)(0 0 0)", parent);
}

void hostile_add_roots(hostile_text *text, size_t count)
{
    hostile_begin_mesh(text, count, 1);
    for (size_t j = 0; j < count; j++)
        hostile_add_joint(text, -1);
    hostile_add(text, "}");
}

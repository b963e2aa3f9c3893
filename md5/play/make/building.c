// What all parts of a machine's making share: checks and their messages, names, easing curves; and
// its parameters.
#include "md5/play/make/building.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// == Messages and names =========================================================================
//
// What all parts of a machine's making share: checks and their messages, memory.

bool md5i_fail_at(md5_building *building, const void *member, md5_status status, const char *format,
                  ...)
{
    char message[sizeof((md5_error *)0)->message];
    const md5_location position = md5i_find_location(building->desc->locations, member);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return md5i_fail(building->context, status, position.line, position.column, "%s", message);
}

bool md5i_resolve(md5_building *building, const md5_names *names, const char *const *name,
                  const char *kind, const char *owner, int32_t *number)
{
    *number = *name ? md5i_find_name(names, *name) : -1;
    if (!*name || *number >= 0)
        return true;
    return md5i_fail_at(building, name, MD5_ERROR_MISMATCH,
                        "%s %s names %s %s, which does not exist", kind, QUOTED(owner), names->what,
                        QUOTED(*name));
}

void *md5i_build_array(md5_building *building, size_t count, size_t size)
{
    return md5i_arena_alloc(building->arena, count, size);
}

bool md5i_build_reference(md5_building *building, uint32_t source, const uint32_t *frame,
                          int32_t *reference)
{
    md5_machine *const machine = building->machine;
    const md5_source *const from = &machine->sources[source];
    const uint32_t num_frames = from->binding->anim->num_frames;
    if (*frame >= num_frames)
        return md5i_fail_at(building, frame, MD5_ERROR_RANGE,
                            "frame %u of clip %s is a reference, but the last frame is %u", *frame,
                            QUOTED(building->desc->clips[source].name), num_frames - 1);
    *reference = (int32_t)machine->num_references++;
    md5i_sample_source(machine, from, &(md5_moment){.frame0 = *frame, .frame1 = *frame},
                       machine->references + (size_t)*reference * machine->num_joints);
    return true;
}

// -- Names --------------------------------------------------------------------------------------

bool md5i_begin_names(md5_arena *arena, md5_names *names, const char *what, size_t capacity)
{
    *names = (md5_names){.what = what};
    names->sorted = (md5_name *)md5i_arena_alloc(arena, capacity, sizeof *names->sorted);
    return names->sorted != NULL;
}

void md5i_add_name(md5_names *names, const char *const *member)
{
    names->sorted[names->count] = (md5_name){*member ? *member : "", member, names->count};
    names->count++;
}

static int compare(const void *left, const void *right)
{
    const md5_name *a = (const md5_name *)left, *b = (const md5_name *)right;
    const int order = strcmp(a->text, b->text);
    return order != 0 ? order : a->number < b->number ? -1 : a->number > b->number;
}

void md5i_sort_names(md5_names *names)
{
    qsort(names->sorted, names->count, sizeof *names->sorted, compare);
}

bool md5i_end_names(md5_context *context, const md5_locations *places, md5_names *names)
{
    md5i_sort_names(names);
    for (uint32_t i = 0; i < names->count; i++) {
        const md5_name *const name = &names->sorted[i];
        const bool is_empty = name->text[0] == '\0';
        if (!is_empty && (i == 0 || strcmp(name[-1].text, name->text) != 0))
            continue;
        const md5_location position = md5i_find_location(places, name->member);
        if (is_empty)
            return md5i_fail(context, MD5_ERROR_MISMATCH, position.line, position.column,
                             "%s %u has no name", names->what, name->number);
        return md5i_fail(context, MD5_ERROR_MISMATCH, position.line, position.column,
                         "%s %s is declared twice", names->what,
                         md5i_quote(name->text, strlen(name->text)).text);
    }
    return true;
}

int32_t md5i_find_name(const md5_names *names, const char *text)
{
    uint32_t low = 0, high = names->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (strcmp(names->sorted[middle].text, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const bool is_found = low < names->count && strcmp(names->sorted[low].text, text) == 0;
    return is_found ? (int32_t)names->sorted[low].number : -1;
}

// == Parameters and curves ===============================================================

#include "demo/viewer/scene/words.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void make_room(view_words *words, size_t more)
{
    if (words->room - words->size >= more)
        return;
    words->room = 2 * (words->room + more);
    words->text = common_realloc(words->text, words->room, 1);
}

void view_say(view_words *words, const char *format, ...)
{
    enum { MOST = 200 };
    va_list values;
    make_room(words, MOST + 1);
    va_start(values, format);
    const int size = vsnprintf(words->text + words->size, MOST + 1, format, values);
    va_end(values);
    words->size += size < 0 ? 0 : size < MOST ? (size_t)size : MOST;
}

void view_say_name(view_words *words, const char *name)
{
    make_room(words, strlen(name) + 2);
    words->text[words->size++] = '"';
    for (; *name != '\0'; name++) {
        const bool is_plain = (unsigned char)*name >= ' ' && *name != '"' && *name != '\\';
        words->text[words->size++] = is_plain ? *name : '_';
    }
    words->text[words->size++] = '"';
}

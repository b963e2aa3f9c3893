#include "md5/play/build/names.h"

#include <stdlib.h>
#include <string.h>

bool md5_begin_names(md5_arena *arena, md5_names *names, const char *what, size_t capacity)
{
    *names = (md5_names){.what = what};
    names->sorted = md5_arena_alloc(arena, capacity, sizeof *names->sorted);
    return names->sorted != NULL;
}

void md5_add_name(md5_names *names, const char *text)
{
    names->sorted[names->count] = (md5_name){text ? text : "", names->count};
    names->count++;
}

static int compare(const void *left, const void *right)
{
    const md5_name *a = left, *b = right;
    const int order = strcmp(a->text, b->text);
    return order != 0 ? order : a->number < b->number ? -1 : a->number > b->number;
}

void md5_sort_names(md5_names *names)
{
    qsort(names->sorted, names->count, sizeof *names->sorted, compare);
}

bool md5_end_names(md5_context *context, md5_names *names)
{
    md5_sort_names(names);
    if (names->count > 0 && names->sorted[0].text[0] == '\0')
        return md5_fail(context, MD5_ERROR_MISMATCH, 0, 0, "%s %u has no name", names->what,
                        names->sorted[0].number);
    for (uint32_t i = 1; i < names->count; i++) {
        const char *const text = names->sorted[i].text;
        if (strcmp(names->sorted[i - 1].text, text) == 0)
            return md5_fail(context, MD5_ERROR_MISMATCH, 0, 0, "%s %s is there twice", names->what,
                            md5_quote(text, strlen(text)).text);
    }
    return true;
}

int32_t md5_find_name(const md5_names *names, const char *text)
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

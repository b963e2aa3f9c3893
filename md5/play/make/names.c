#include "md5/play/make/names.h"

#include <stdlib.h>
#include <string.h>

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

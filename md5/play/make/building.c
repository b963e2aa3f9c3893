// Shared functions of the files in this folder: error messages and lookup of names.
#include "md5/play/make/building.h"

#include <stdlib.h>

// Sets an error at the location of a member of the tables in the machine file. Tables in C do not
// have locations. Returns false.
bool md5i_fail_at(md5_building *building, const void *member, md5_status status, const char *format,
                  ...)
{
    char message[sizeof((md5_error *)0)->message];
    const md5_location position = md5i_find_location(building->desc->locations, member);
    MD5_PRINT(message, format);
    return md5i_fail(building->context, status, position.line, position.column, "%s", message);
}

// Sets an error like md5i_fail_at(), with the kind and the name of the current row before the
// message. Returns false.
bool md5i_fail_row(md5_building *building, const void *member, md5_status status,
                   const char *format, ...)
{
    char message[sizeof((md5_error *)0)->message];
    MD5_PRINT(message, format);
    return md5i_fail_at(building, member, status, "%s %s%s", building->kind,
                        MD5_QUOTED(building->owner), message);
}

// -- Names --------------------------------------------------------------------------------------

// Orders names by text, and equal names by their index in the tables, for qsort().
static int compare_names(const void *left, const void *right)
{
    const md5_name *a = (const md5_name *)left;
    const md5_name *b = (const md5_name *)right;
    const int order = strcmp(a->text, b->text);
    if (order != 0)
        return order;
    return a->number < b->number ? -1 : a->number > b->number;
}

// Sets an error and returns false if a name of a sorted list is missing or duplicate.
static bool check_names(md5_building *building, const md5_names *names)
{
    for (uint32_t i = 0; i < names->count; i++) {
        const md5_name *const name = &names->sorted[i];
        if (name->text[0] == '\0')
            return md5i_fail_at(building, name->member, MD5_ERROR_MISMATCH, "%s %u has no name",
                                names->kind, name->number);
        if (i > 0 && strcmp(name[-1].text, name->text) == 0)
            return md5i_fail_at(building, name->member, MD5_ERROR_MISMATCH, "duplicate %s %s",
                                names->kind, MD5_QUOTED(name->text));
    }
    return true;
}

// Adds the names of rows to a sorted list. The first member of each row is its name; a row has
// `row_size` bytes. Sets the error and returns false if a name is missing, empty or, unless names
// may repeat, duplicate.
bool md5i_list_names(md5_building *building, md5_names *names, const void *rows, uint32_t count,
                     size_t row_size)
{
    const uint32_t num_before = names->count;
    md5_name *const sorted =
        MD5_ALLOC_ZEROED(building->scratch, md5_name, (size_t)num_before + count);
    TRY(sorted);

    for (uint32_t i = 0; i < num_before; i++)
        sorted[i] = names->sorted[i];
    for (size_t i = 0; i < count; i++) {
        const char *const *const member =
            (const char *const *)(const void *)((const char *)rows + i * row_size);
        sorted[names->count] = (md5_name){*member ? *member : "", member, names->count};
        names->count++;
    }

    names->sorted = sorted;
    qsort(sorted, names->count, sizeof *sorted, compare_names);
    return names->may_repeat || check_names(building, names);
}

// Returns the index of a name, or MD5_NONE.
static uint32_t find_name(const md5_names *names, const char *name)
{
    uint32_t low = 0;
    uint32_t high = names->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (strcmp(names->sorted[middle].text, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const bool is_found = low < names->count && strcmp(names->sorted[low].text, name) == 0;
    return is_found ? names->sorted[low].number : MD5_NONE;
}

// Sets *number to the index of the row with a name, or to MD5_NONE if the name is NULL. Sets the
// error and returns false if no row has this name.
bool md5i_resolve(md5_building *building, const md5_names *names, const char *const *name,
                  uint32_t *number)
{
    *number = MD5_NONE;
    if (!*name)
        return true;
    *number = find_name(names, *name);
    if (*number != MD5_NONE)
        return true;

    const bool is_curve =
        names == &building->parameters && find_name(&building->curves, *name) != MD5_NONE;
    if (is_curve)
        return MD5_MISMATCH(
            building, name,
            " refers to curve %s: expected a parameter, because curves are read with the pose",
            MD5_QUOTED(*name));
    return MD5_MISMATCH(building, name, " refers to unknown %s %s", names->kind, MD5_QUOTED(*name));
}

// -- Easings ------------------------------------------------------------------------------------

// Checks the number of steps of an easing with steps. It must be at least 1, or at least 2 if the
// easing does not jump at either end.
bool md5i_check_steps(md5_building *building, const md5_easing *easing)
{
    if (easing->kind != MD5_EASE_STEPS)
        return true;
    const uint32_t min_steps = easing->jump == MD5_JUMP_NONE ? 2 : 1;
    if (easing->steps >= min_steps && easing->steps <= MD5_MAX_EASE_STEPS)
        return true;
    return MD5_OUT_OF_RANGE(building, &easing->steps,
                            ": number of steps is out of range: expected %u to %d, found %u",
                            min_steps, MD5_MAX_EASE_STEPS, easing->steps);
}

#include "demo/common/file.h"

#include "demo/common/memory.h"
#include "demo/common/system.h"

#include <stdlib.h>
#include <string.h>

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

// ASCII only, so that no locale changes what is found.
static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool equal_ignoring_case(const char *a, const char *b)
{
    while (*a != '\0' && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) == lower(*b);
}

bool common_contains(const char *text, const char *part)
{
    const size_t length = strlen(part);
    for (; *text != '\0'; text++) {
        size_t i = 0;
        while (i < length && text[i] != '\0' && lower(text[i]) == lower(part[i]))
            i++;
        if (i == length)
            return true;
    }
    return length == 0;
}

// -- Paths ----------------------------------------------------------------------------------

const char *common_base(const char *path)
{
    const char *base = path;
    for (const char *c = path; *c != '\0'; c++)
        if (is_separator(*c))
            base = c + 1;
    return base;
}

char *common_folder(const char *path)
{
    const size_t length = (size_t)(common_base(path) - path);
    if (length == 0)
        return common_copy(".");
    // Removes the separator unless it is the whole path.
    char *folder = common_copy(path);
    folder[length > 1 ? length - 1 : 1] = '\0';
    return folder;
}

char *common_stem(const char *path)
{
    char *stem = common_copy(common_base(path));
    char *dot = strrchr(stem, '.');
    if (dot != NULL && dot != stem)
        *dot = '\0';
    return stem;
}

bool common_is_absolute(const char *path)
{
    return is_separator(path[0]) || (path[0] != '\0' && path[1] == ':');
}

char *common_join(const char *folder, const char *name)
{
    if (common_is_absolute(name) || strcmp(folder, ".") == 0)
        return common_copy(name);
    const size_t length = strlen(folder);
    const bool closed = length > 0 && is_separator(folder[length - 1]);
    return common_format("%s%s%s", folder, closed ? "" : "/", name);
}

char *common_absolute(const char *path)
{
    char folder[4096];
    if (common_is_absolute(path) || !common_current_folder(folder, sizeof folder))
        return common_copy(path);
    return strcmp(path, ".") == 0 ? common_copy(folder) : common_join(folder, path);
}

bool common_has_ending(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && equal_ignoring_case(path + (length - tail), ending);
}

// -- Files ----------------------------------------------------------------------------------

bool common_is_file(const char *path)
{
    common_status status;
    return common_read_status(path, &status) && status.is_file;
}

bool common_is_folder(const char *path)
{
    common_status status;
    return common_read_status(path, &status) && status.is_folder;
}

uint64_t common_file_size(const char *path)
{
    common_status status;
    return common_read_status(path, &status) ? status.size : 0;
}

bool common_same_file(const char *a, const char *b)
{
    common_status of_a, of_b;
    if (!common_read_status(a, &of_a) || !common_read_status(b, &of_b))
        return false;
    // On systems without file numbers only equal names count.
    return strcmp(a, b) == 0
           || (of_a.file != 0 && of_a.file == of_b.file && of_a.device == of_b.device);
}

uint64_t common_file_stamp(const char *path)
{
    common_status status;
    if (!common_read_status(path, &status))
        return 0;
    // Odd factors spread the bits, so that changes do not cancel out. A file that replaces this one
    // has another number, even with the same time and size.
    const uint64_t stamp =
        status.time * 0x9E3779B97F4A7C15u + status.file * 0xC2B2AE3D27D4EB4Fu + status.size;
    return stamp | 1;
}

// -- Folders --------------------------------------------------------------------------------

// Reads a number and moves past it; digits that would overflow are ignored.
static uint64_t take_number(const char **text)
{
    uint64_t value = 0;
    for (; is_digit(**text); (*text)++)
        if (value < UINT64_MAX / 10 - 1)
            value = value * 10 + (uint64_t)(**text - '0');
    return value;
}

int common_compare_names(const char *a, const char *b)
{
    const char *x = a, *y = b;
    while (*x != '\0' && *y != '\0') {
        if (is_digit(*x) && is_digit(*y)) {
            const uint64_t first = take_number(&x), second = take_number(&y);
            if (first != second)
                return first < second ? -1 : 1;
        } else if (lower(*x) != lower(*y)) {
            return lower(*x) - lower(*y);
        } else {
            x++;
            y++;
        }
    }
    if (*x != *y)
        return lower(*x) - lower(*y);
    return strcmp(a, b); // so that the order never depends on the system's
}

static int compare_entries(const void *a, const void *b)
{
    return common_compare_names(*(char *const *)a, *(char *const *)b);
}

static bool begins_ignoring_case(const char *text, const char *start)
{
    while (*start != '\0' && lower(*text) == lower(*start)) {
        text++;
        start++;
    }
    return *start == '\0';
}

static bool is_kind(const char *path, common_kind kind, common_kind wanted)
{
    if (kind == COMMON_KIND_UNKNOWN)
        return wanted == COMMON_KIND_FOLDER ? common_is_folder(path) : common_is_file(path);
    return kind == wanted;
}

// A list while it grows.
typedef struct listing {
    common_list list;
    size_t room;
    const char *folder, *start, *ending;
} listing;

// Whether the name begins and ends as the wanted ones do.
static bool is_named(const listing *wanted, const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0
           && begins_ignoring_case(name, wanted->start)
           && (wanted->ending == NULL || common_has_ending(name, wanted->ending));
}

static void add_wanted(void *user, const char *name, common_kind kind)
{
    listing *const to = user;
    common_list *const list = &to->list;
    if (!is_named(to, name))
        return;
    char *path = common_join(to->folder, name);
    if (!is_kind(path, kind, to->ending == NULL ? COMMON_KIND_FOLDER : COMMON_KIND_FILE)) {
        free(path);
        return;
    }
    if (list->count == to->room) {
        to->room = to->room > 0 ? 2 * to->room : 16;
        list->names = common_realloc(list->names, to->room, sizeof *list->names);
    }
    list->names[list->count++] = path;
}

static common_list list_folder(const char *folder, const char *start, const char *ending)
{
    listing made = {.folder = folder, .start = start, .ending = ending};
    common_each_entry(folder, add_wanted, &made);
    if (made.list.count > 1)
        qsort(made.list.names, made.list.count, sizeof *made.list.names, compare_entries);
    return made.list;
}

common_list common_list_folder(const char *folder, const char *ending)
{
    return list_folder(folder, "", ending);
}

void common_free_list(common_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    *list = (common_list){0};
}

typedef struct search {
    const char *folder, *name;
    char *found;
} search;

static void compare_entry(void *user, const char *name, common_kind kind)
{
    (void)kind;
    search *const wanted = user;
    if (!equal_ignoring_case(name, wanted->name))
        return;
    char *path = common_join(wanted->folder, name);
    if (wanted->found == NULL || strcmp(path, wanted->found) < 0) {
        free(wanted->found);
        wanted->found = path;
    } else {
        free(path);
    }
}

// Returns the path of the entry of `folder` that equals `name` ignoring case, or NULL. Of several
// the first in byte order, so that the result does not depend on the file system.
static char *find_entry(const char *folder, const char *name)
{
    search wanted = {.folder = folder, .name = name};
    common_each_entry(folder, compare_entry, &wanted);
    return wanted.found;
}

// Returns a copy with slashes only.
static char *with_slashes(const char *path)
{
    char *const copy = common_copy(path);
    for (char *c = copy; *c != '\0'; c++)
        if (*c == '\\')
            *c = '/';
    return copy;
}

// Finds each part of `rest`, which it changes, ignoring case. Returns NULL if there is none.
static char *find_parts(const char *folder, char *rest)
{
    char *path = common_copy(common_is_absolute(rest) ? "/" : folder);
    for (char *part = rest; part != NULL && path != NULL;) {
        char *end = strchr(part, '/');
        if (end != NULL)
            *end = '\0';
        if (*part != '\0' && strcmp(part, ".") != 0) {
            char *next = find_entry(path, part);
            free(path);
            path = next;
        }
        part = end != NULL ? end + 1 : NULL;
    }
    return path;
}

char *common_find(const char *folder, const char *relative)
{
    char *const rest = with_slashes(relative);
    // Usually the case matches, and no folder needs to be searched.
    char *path = common_join(folder, rest);
    if (!common_is_file(path)) {
        free(path);
        path = find_parts(folder, rest);
    }
    free(rest);
    if (path != NULL && !common_is_file(path)) {
        free(path);
        path = NULL;
    }
    return path;
}

// Lists the files in folder/inner, which it changes, whose names begin with `start`. Where a folder
// of exactly that name has none, one that differs in case may.
static common_list list_inner(const char *folder, char *inner, const char *start)
{
    char *path = common_join(folder, inner);
    common_list list = list_folder(path, start, "");
    if (list.count == 0) {
        free(path);
        path = find_parts(folder, inner);
        if (path != NULL)
            list = list_folder(path, start, "");
    }
    free(path);
    return list;
}

common_list common_find_starting(const char *folder, const char *relative)
{
    char *const start = with_slashes(relative);
    char *const slash = strrchr(start, '/');
    common_list list = {0};
    if (slash == NULL) {
        list = list_folder(folder, start, "");
    } else if (slash == start) {
        list = list_folder("/", start + 1, "");
    } else {
        *slash = '\0';
        list = list_inner(folder, start, slash + 1);
    }
    free(start);
    return list;
}

const char *common_pick(const common_list *list, const char *name)
{
    const char *picked = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const char *const path = list->names[i], *const base = common_base(path);
        if (strcmp(base, name) == 0)
            return path;
        if (equal_ignoring_case(base, name) && (picked == NULL || strcmp(path, picked) < 0))
            picked = path;
    }
    return picked;
}

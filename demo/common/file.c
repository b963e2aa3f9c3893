#define _POSIX_C_SOURCE 200809L // st_mtim
#include "demo/common/file.h"

#include "demo/common/memory.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef _WIN32
#include <direct.h>
#define getcwd(folder, size) _getcwd(folder, (int)(size))
#else
#include <unistd.h>
#endif

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
    if (common_is_absolute(path) || getcwd(folder, sizeof folder) == NULL)
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
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool common_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

uint64_t common_file_size(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_size > 0 ? (uint64_t)status.st_size : 0;
}

bool common_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    if (stat(a, &of_a) != 0 || stat(b, &of_b) != 0)
        return false;
    // On systems without file numbers only equal names count.
    return strcmp(a, b) == 0
           || (of_a.st_ino != 0 && of_a.st_ino == of_b.st_ino && of_a.st_dev == of_b.st_dev);
}

uint64_t common_file_stamp(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return 0;
    uint64_t time = (uint64_t)status.st_mtime;
#if !defined(_WIN32) && !defined(__APPLE__)
    time = time * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
#endif
    // Odd factors spread the bits, so that changes do not cancel out. A file that replaces this one
    // has another number, even with the same time and size.
    const uint64_t stamp = time * 0x9E3779B97F4A7C15u
                           + (uint64_t)status.st_ino * 0xC2B2AE3D27D4EB4Fu
                           + (uint64_t)status.st_size;
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

static bool is_wanted(const char *path, const char *ending)
{
    const char *name = common_base(path);
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return false;
    if (ending == NULL)
        return common_is_folder(path);
    return common_has_ending(path, ending) && common_is_file(path);
}

common_list common_list_folder(const char *folder, const char *ending)
{
    common_list list = {0};
    size_t room = 0;
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return list;

    const struct dirent *entry;
    while ((entry = readdir(entries)) != NULL) {
        char *path = common_join(folder, entry->d_name);
        if (!is_wanted(path, ending)) {
            free(path);
            continue;
        }
        if (list.count == room) {
            room = room > 0 ? 2 * room : 16;
            list.names = common_realloc(list.names, room, sizeof *list.names);
        }
        list.names[list.count++] = path;
    }
    closedir(entries);
    if (list.count > 1)
        qsort(list.names, list.count, sizeof *list.names, compare_entries);
    return list;
}

void common_free_list(common_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    *list = (common_list){0};
}

// Returns the path of the entry of `folder` that equals `name` ignoring case, or NULL. Of several
// the first in byte order, so that the result does not depend on the file system.
static char *find_entry(const char *folder, const char *name)
{
    char *found = NULL;
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return NULL;
    const struct dirent *entry;
    while ((entry = readdir(entries)) != NULL) {
        if (!equal_ignoring_case(entry->d_name, name))
            continue;
        char *path = common_join(folder, entry->d_name);
        if (found == NULL || strcmp(path, found) < 0) {
            free(found);
            found = path;
        } else {
            free(path);
        }
    }
    closedir(entries);
    return found;
}

char *common_find(const char *folder, const char *relative)
{
    char *rest = common_copy(relative);
    for (char *c = rest; *c != '\0'; c++)
        if (*c == '\\')
            *c = '/';

    // Usually the case matches, and no folder needs to be searched.
    char *path = common_join(folder, rest);
    if (common_is_file(path)) {
        free(rest);
        return path;
    }
    free(path);

    path = common_copy(common_is_absolute(rest) ? "/" : folder);
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
    free(rest);
    if (path != NULL && !common_is_file(path)) {
        free(path);
        path = NULL;
    }
    return path;
}

// Files, folders, paths, names.
#define _POSIX_C_SOURCE 200809L // open(), fstat(), poll()

#include "demo/common/file.h"

#include "demo/common/memory.h"
#include "demo/common/system.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <direct.h>
#define getcwd _getcwd
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

int common_compare_case(const char *a, const char *b)
{
    for (;; a++, b++) {
        const int difference =
            (is_separator(*a) ? '/' : lower(*a)) - (is_separator(*b) ? '/' : lower(*b));
        if (difference != 0 || *a == '\0')
            return difference;
    }
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
    return length >= tail && common_compare_case(path + (length - tail), ending) == 0;
}

size_t common_distance(const char *asked, size_t length, const char *name, bool in_part)
{
    size_t row[COMMON_LONGEST_NAME + 1] = {0};
    const size_t width = strlen(name);
    if (width > COMMON_LONGEST_NAME)
        return SIZE_MAX;
    for (size_t j = 0; j <= width && !in_part; j++)
        row[j] = j;
    for (size_t i = 1; i <= length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            const char a = asked[i - 1], b = name[j - 1];
            const size_t exchange = diagonal + (in_part ? lower(a) != lower(b) : a != b);
            const size_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = exchange < other ? exchange : other;
        }
    }
    size_t least = row[width];
    for (size_t j = 0; j < width && in_part; j++)
        least = row[j] < least ? row[j] : least;
    return least;
}

char *common_clean(const char *path)
{
    char *const made = common_alloc(strlen(path) + 2, 1);
    const size_t first = path[0] != '\0' && path[1] == ':' ? 2 : 0; // a drive
    size_t used = first;
    memcpy(made, path, first);
    for (const char *part = path + first; *part != '\0';) {
        const size_t length = strcspn(part, "/\\");
        const bool is_up = length == 2 && strncmp(part, "..", 2) == 0;
        while (is_up && used > first && made[--used] != '/') {
        }
        if (!is_up && length > 0 && !(length == 1 && *part == '.')) {
            made[used++] = '/';
            memcpy(made + used, part, length);
            used += length;
        }
        part += length + (part[length] != '\0');
    }
    made[used] = '\0';
    return made;
}

bool common_is_in(const char *inner, const char *outer)
{
    const size_t length = strlen(outer);
    return strncmp(inner, outer, length) == 0 && (inner[length] == '\0' || inner[length] == '/');
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
    for (; isdigit((unsigned char)**text); (*text)++)
        if (value < UINT64_MAX / 10 - 1)
            value = value * 10 + (uint64_t)(**text - '0');
    return value;
}

// In natural order: ignores case, numbers by value (walk2 < walk10).
static int compare_names(const void *left, const void *right)
{
    const char *const a = *(char *const *)left, *const b = *(char *const *)right;
    const char *x = a, *y = b;
    while (*x != '\0' && *y != '\0') {
        if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
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

void common_sort(common_list *list, size_t first)
{
    if (list->count > first)
        qsort(list->names + first, list->count - first, sizeof *list->names, compare_names);
}

void common_add(common_list *list, char *name)
{
    list->names = common_grow(list->names, list->count, sizeof name);
    list->names[list->count++] = name;
}

common_list common_list_folder(const char *folder, const char *ending)
{
    common_list list = {0};
    common_entries entries = common_open_folder(folder);
    while (common_next_entry(&entries)) {
        if (ending != NULL && !common_has_ending(entries.name, ending))
            continue;
        char *const path = common_join(folder, entries.name);
        const bool is_unknown = entries.kind == COMMON_KIND_UNKNOWN;
        if (ending == NULL
                ? entries.kind == COMMON_KIND_FOLDER || (is_unknown && common_is_folder(path))
                : entries.kind == COMMON_KIND_FILE || (is_unknown && common_is_file(path)))
            common_add(&list, path);
        else
            free(path);
    }
    common_close_folder(&entries);
    common_sort(&list, 0);
    return list;
}

void common_free_list(common_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    *list = (common_list){0};
}

char *common_find(const char *folder, const char *relative)
{
    char *const rest = common_clean(relative), *path = common_copy(folder);
    for (char *name = rest + (rest[0] == '/'); *name != '\0' && path != NULL;) {
        const size_t length = strcspn(name, "/");
        const bool is_last = name[length] == '\0';
        name[length] = '\0';
        // The entry of this name, else the first in byte order that differs by case alone, so that
        // the result does not depend on the file system.
        char *found = NULL;
        common_entries entries = common_open_folder(path);
        while (common_next_entry(&entries)) {
            const bool is_better = found == NULL || strcmp(entries.name, name) == 0
                                   || (strcmp(found, name) != 0 && strcmp(entries.name, found) < 0);
            if (!is_better || common_compare_case(entries.name, name) != 0)
                continue;
            free(found);
            found = common_copy(entries.name);
        }
        common_close_folder(&entries);
        char *const next = found != NULL ? common_join(path, found) : NULL;
        free(found);
        free(path);
        path = next;
        name += length + !is_last;
    }
    free(rest);
    return path;
}

// == Whole files and pipes ========================================================================

// An open file: a descriptor, or where opening a pipe cannot block a stream.
#ifdef _WIN32

typedef FILE *source;

// Reads up to `size` bytes. Returns how many, 0 at the end, or -1 and sets errno.
static int64_t read_some(source from, char *bytes, size_t size)
{
    const size_t count = fread(bytes, 1, size, from);
    return count == 0 && ferror(from) ? -1 : (int64_t)count;
}

#else

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

typedef int source;

static int64_t read_some(source from, char *bytes, size_t size)
{
    for (;;) {
        const ssize_t count = read(from, bytes, size);
        struct pollfd waiting = {.fd = from, .events = POLLIN};
        if (count >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
            return count;
        (void)poll(&waiting, 1, -1);
    }
}

#endif

// `expected`: the size of a file, 0 for a pipe.
static char *read_all(source from, uint64_t expected, size_t *size, const char **reason)
{
    static const char too_large[] = "it is too large";
    size_t room = expected < INT32_MAX ? (size_t)expected + (1 << 12) : 0;
    char *bytes = room > 0 ? common_alloc(room, 1) : NULL;
    *reason = room > 0 ? NULL : too_large;
    *size = 0;
    while (*reason == NULL) {
        const int64_t count = read_some(from, bytes + *size, room - *size);
        if (count == 0)
            return bytes;
        *size += count > 0 ? (size_t)count : 0;
        *reason = count < 0 ? strerror(errno) : *size >= INT32_MAX ? too_large : NULL;
        if (*size == room) {
            room *= 2;
            bytes = common_realloc(bytes, room, 1);
        }
    }
    free(bytes);
    return NULL;
}

#ifdef _WIN32

char *common_read_stream(const char *path, size_t *size, const char **reason)
{
    common_status status = {.is_file = true};
    if (common_read_status(path, &status) && !status.is_file) {
        *reason = status.is_folder ? "it is a folder" : "it is a device";
        return NULL;
    }
    FILE *const file = fopen(path, "rb");
    if (file == NULL) {
        *reason = strerror(errno);
        return NULL;
    }
    char *const bytes = read_all(file, status.size, size, reason);
    fclose(file);
    return bytes;
}

#else

char *common_read_stream(const char *path, size_t *size, const char **reason)
{
    struct stat status = {0};
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        *reason = strerror(errno);
        return NULL;
    }
    char *bytes = NULL;
    const bool is_file = S_ISREG(status.st_mode);
    if (is_file || S_ISFIFO(status.st_mode))
        bytes = read_all(descriptor, is_file ? (uint64_t)status.st_size : 0, size, reason);
    else
        *reason = S_ISDIR(status.st_mode) ? "it is a folder" : "it is a device";
    close(descriptor);
    if (bytes != NULL && *size == 0 && S_ISFIFO(status.st_mode)) {
        *reason = "no program writes to this pipe";
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

#endif

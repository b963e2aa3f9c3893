#include "demo/common/archive_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WARNINGS = 10 };

bool common_archive_fail(common_fault *fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
    return false;
}

void common_warn_entry(common_entries *entries, const char *name, const char *format, ...)
{
    common_fault fault;
    va_list arguments;
    if (!entries->warn || entries->num_warnings > MAX_WARNINGS)
        return;
    va_start(arguments, format);
    (void)vsnprintf(fault.text, sizeof fault.text, format, arguments);
    va_end(arguments);
    const bool is_last = entries->num_warnings++ == MAX_WARNINGS;
    entries->warn(entries->user, is_last ? "" : name,
                  is_last ? "further warnings suppressed" : fault.text);
}

// -- Names ----------------------------------------------------------------------------------------

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool has_dots(const char *name)
{
    for (const char *at = name; (at = strstr(at, "..")) != NULL; at++) {
        const bool begins = at == name || is_separator(at[-1]);
        if (begins && (at[2] == '\0' || is_separator(at[2])))
            return true;
    }
    return false;
}

static bool has_control(const char *name)
{
    for (; *name; name++) {
        if ((unsigned char)*name < ' ' || *name == 0x7f)
            return true;
    }
    return false;
}

// Why no game could ask for a file of this name, or NULL.
static const char *name_fault(const char *name)
{
    if (name[0] == '\0')
        return "skipped: it has no name";
    if (is_separator(name[0]))
        return "skipped: its name is absolute";
    if (is_letter(name[0]) && name[1] == ':')
        return "skipped: its name has a drive";
    if (has_dots(name))
        return "skipped: its name leaves the archive";
    return has_control(name) ? "skipped: its name has control characters" : NULL;
}

// -- Entries --------------------------------------------------------------------------------------

void common_add_entry(common_entries *entries, const char *name, uint64_t location, uint64_t size,
                      uint64_t packed)
{
    const char *const fault = name_fault(name);
    entries->num_packed += packed < UINT32_MAX ? packed : UINT32_MAX;
    if (fault) {
        common_warn_entry(entries, name, "%s", fault);
        return;
    }
    if (size > COMMON_MAX_FILE_SIZE) {
        common_warn_entry(entries, name, "skipped: it has %llu bytes, at most %llu are read",
                          (unsigned long long)size, (unsigned long long)COMMON_MAX_FILE_SIZE);
        return;
    }
    if (entries->count == entries->room) {
        entries->room = entries->room ? 2 * entries->room : 64;
        entries->files = common_realloc(entries->files, entries->room, sizeof *entries->files);
    }
    entries->files[entries->count++] = (common_entry){common_copy(name), location, size};
}

static unsigned char fold(char c)
{
    if (c == '\\')
        return '/';
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static int compare_names(const char *a, const char *b)
{
    while (*a && fold(*a) == fold(*b)) {
        a++;
        b++;
    }
    return (int)fold(*a) - (int)fold(*b);
}

// Of equal names the one that comes first in the archive.
static int compare_files(const void *a, const void *b)
{
    const common_entry *const first = *(const common_entry *const *)a;
    const common_entry *const second = *(const common_entry *const *)b;
    const int order = compare_names(first->name, second->name);
    return order ? order : (first > second) - (first < second);
}

static void warn_of_duplicates(common_entries *entries)
{
    const common_entry **const sorted = common_alloc(entries->count, sizeof *sorted);
    for (size_t i = 0; i < entries->count; i++)
        sorted[i] = &entries->files[i];
    if (entries->count > 0)
        qsort(sorted, entries->count, sizeof *sorted, compare_files);
    for (size_t i = 1; i < entries->count; i++) {
        if (compare_names(sorted[i - 1]->name, sorted[i]->name) == 0)
            common_warn_entry(entries, sorted[i - 1]->name,
                              "hidden by a later entry of the same name");
    }
    free(sorted);
}

bool common_check_entries(common_entries *entries, common_fault *fault)
{
    if (entries->num_packed > entries->archive_size)
        return common_archive_fail(
            fault, "its entries overlap: they have %llu bytes, the archive %llu",
            (unsigned long long)entries->num_packed, (unsigned long long)entries->archive_size);
    warn_of_duplicates(entries);
    return true;
}

void common_free_entries(common_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        free(entries->files[i].name);
    free(entries->files);
}

// Paths, files and folders. The first sections handle paths as text and the status of files. The
// next sections read the entries of a folder (entry_reader) and search a folder with its subfolders
// (walk_state). The last section reads whole files and pipes.
#define _DEFAULT_SOURCE // open(), fstat(), poll(), d_type

#include "demo/common/file.h"

#include "demo/common/memory.h"
#include "demo/common/system.h"

#include <ctype.h>
#include <errno.h>
#ifdef _WIN32
#include <direct.h>
#include <io.h>
#define getcwd _getcwd
#else
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

// Returns true if a character separates the parts of a path, on any system.
static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

// Converts an ASCII letter to lower case. Other characters are unchanged, so results do not depend
// on the locale.
static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

// Converts a character of a path to the form in which paths are compared: lower case, with slashes.
static int lower_path(char c)
{
    return is_separator(c) ? '/' : lower(c);
}

// Compares two paths, ignoring case and the kind of separators. The result has the sign of the
// first difference of bytes.
int common_compare_case(const char *a, const char *b)
{
    for (;; a++, b++) {
        const int difference = lower_path(*a) - lower_path(*b);
        if (difference != 0 || *a == '\0')
            return difference;
    }
}

int common_order_by_case(const void *a, const void *b)
{
    return common_compare_case(*(char *const *)a, *(char *const *)b);
}

// Compares the part with the text at each position. Every text contains an empty part.
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

// Returns the last component of a path, as a pointer into it. A path that ends with a separator
// has an empty last component.
const char *common_base(const char *path)
{
    const char *base = path;
    for (const char *c = path; *c != '\0'; c++) {
        if (is_separator(*c))
            base = c + 1;
    }
    return base;
}

// Returns the path without its last component, or "." if it has only one component. The caller
// frees the result. The folder of a file in the root is the root itself.
char *common_folder(const char *path)
{
    const size_t length = (size_t)(common_base(path) - path);
    if (length == 0)
        return common_copy(".");
    // Remove the separator unless it is the whole path.
    char *folder = common_copy(path);
    folder[length > 1 ? length - 1 : 1] = '\0';
    return folder;
}

// Returns the name of a file without its folder and extension. The caller frees the result. A
// dot at the beginning does not start an extension, as in ".config".
char *common_stem(const char *path)
{
    char *stem = common_copy(common_base(path));
    char *dot = strrchr(stem, '.');
    if (dot && dot != stem)
        *dot = '\0';
    return stem;
}

bool common_is_absolute(const char *path)
{
    return is_separator(path[0]) || (path[0] != '\0' && path[1] == ':');
}

// Returns the path of a name in a folder. An absolute name is returned without the folder. The
// caller frees the result. Adds no second separator if the folder ends with one.
char *common_join(const char *folder, const char *name)
{
    if (common_is_absolute(name) || strcmp(folder, ".") == 0)
        return common_copy(name);
    const size_t length = strlen(folder);
    const bool has_separator = length > 0 && is_separator(folder[length - 1]);
    return common_format("%s%s%s", folder, has_separator ? "" : "/", name);
}

char *common_absolute(const char *path)
{
    char folder[4096];
    if (common_is_absolute(path) || getcwd(folder, sizeof folder) == NULL)
        return common_copy(path);
    return strcmp(path, ".") == 0 ? common_copy(folder) : common_join(folder, path);
}

// Returns true if a path ends with `ending`, ignoring case.
bool common_has_suffix(const char *path, const char *ending)
{
    const size_t length = strlen(path);
    const size_t ending_length = strlen(ending);
    if (length < ending_length)
        return false;
    return common_compare_case(path + (length - ending_length), ending) == 0;
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Replaces a row of the table of common_edit_distance() by the next row. `byte` is the next byte of
// the query. `query_length` is the length of the query up to and including this byte.
static void compute_next_row(size_t *row, size_t query_length, char byte, const char *name,
                             bool ignores_case)
{
    size_t diagonal = row[0]; // row[j - 1] of the previous row
    row[0] = query_length;
    for (size_t j = 1; name[j - 1] != '\0'; j++) {
        const char b = name[j - 1];
        const bool is_different = ignores_case ? lower(byte) != lower(b) : byte != b;
        const size_t exchange = is_different ? diagonal + 1 : diagonal;
        const size_t insertion = min_size(row[j], row[j - 1]) + 1; // into the query or the name
        diagonal = row[j];
        row[j] = min_size(exchange, insertion);
    }
}

// Computes the Levenshtein distance by dynamic programming. The table of this algorithm contains
// the distance of each prefix of the query from each prefix of the name. Only one row of the table
// is stored. After step i, row[j] is the distance of the first i bytes of the query from the first
// j bytes of the name. With `in_part`, row[j] is instead the smallest distance from any part of the
// name that ends at byte j.
size_t common_edit_distance(const char *query, size_t length, const char *name, bool in_part)
{
    size_t row[COMMON_MAX_NAME_LENGTH + 1] = {0};
    const size_t width = strlen(name);
    if (width > COMMON_MAX_NAME_LENGTH)
        return SIZE_MAX;

    // The first row belongs to the empty query. Its distance from the first j bytes of a whole name
    // is j. With `in_part`, a part may begin at any byte. The bytes before it do not add to the
    // distance, so the row remains 0.
    if (!in_part) {
        for (size_t j = 0; j <= width; j++)
            row[j] = j;
    }
    for (size_t i = 1; i <= length; i++)
        compute_next_row(row, i, query[i - 1], name, in_part);

    size_t distance = row[width];
    if (in_part) { // the part may end at any byte, so take the smallest distance
        for (size_t j = 0; j < width; j++)
            distance = min_size(row[j], distance);
    }
    return distance;
}

// Returns the length of path[length] without its last part and the slash before that part. A drive,
// the first `drive_length` bytes, is never removed.
static size_t length_without_last_part(const char *path, size_t length, size_t drive_length)
{
    size_t shorter = length;
    while (shorter > drive_length && path[shorter - 1] != '/')
        shorter--;
    return shorter > drive_length ? shorter - 1 : shorter;
}

// Copies the path part by part, with a slash before each part. A part ".." removes the part that
// was copied last, if there is one. A drive such as "C:" remains at the start. The slash before the
// first part can make the result one byte longer than the path.
char *common_normalize_path(const char *path)
{
    char *const result = common_alloc(strlen(path) + 2, 1);
    const bool has_drive = path[0] != '\0' && path[1] == ':';
    const size_t drive_length = has_drive ? 2 : 0;
    size_t used = drive_length;
    memcpy(result, path, drive_length);

    const char *part = path + drive_length;
    while (*part != '\0') {
        const size_t length = strcspn(part, "/\\");
        const bool is_parent = length == 2 && strncmp(part, "..", 2) == 0;
        const bool is_current = length == 1 && *part == '.';
        if (is_parent) {
            used = length_without_last_part(result, used, drive_length);
        } else if (length > 0 && !is_current) {
            result[used++] = '/';
            memcpy(result + used, part, length);
            used += length;
        }
        const bool is_last = part[length] == '\0';
        part += is_last ? length : length + 1; // with the separator
    }
    result[used] = '\0';
    return result;
}

// Returns the normalized absolute form of a path. The caller frees the result. Two paths of the
// same file have the same form, unless symbolic links are involved.
char *common_canonical_path(const char *path)
{
    char *const absolute = common_absolute(path);
    char *const clean = common_normalize_path(absolute);
    const bool is_root = strchr(clean, '/') == NULL;
    char *const result = is_root ? common_format("%s/", clean) : common_copy(clean);
    free(absolute);
    free(clean);
    return result;
}

bool common_is_in(const char *inner, const char *outer)
{
    const size_t length = strcmp(outer, "/") == 0 ? 0 : strlen(outer);
    if (strncmp(inner, outer, length) != 0)
        return false;
    return inner[length] == '\0' || inner[length] == '/';
}

// Returns true if one of the parts of a path between its separators is "..".
bool common_has_parent_part(const char *path)
{
    const char *part = path;
    for (;;) {
        const size_t length = strcspn(part, "/\\");
        if (length == 2 && strncmp(part, "..", 2) == 0)
            return true;
        if (part[length] == '\0')
            return false;
        part += length + 1;
    }
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

uint64_t common_file_time(const char *path)
{
    common_status status;
    return common_read_status(path, &status) ? status.time : 0;
}

// Two paths lead to the same file if the system reports the same file number and the same device.
// Windows has no file numbers here, so only equal paths count as the same file.
bool common_same_file(const char *a, const char *b)
{
    common_status status_a;
    common_status status_b;
    if (!common_read_status(a, &status_a) || !common_read_status(b, &status_b))
        return false;
    if (strcmp(a, b) == 0)
        return true;
    if (status_a.file == 0) // the system does not number files
        return false;
    return status_a.file == status_b.file && status_a.device == status_b.device;
}

// Returns a number that changes when the file changes, or 0 if the file does not exist. The hash
// is computed from the status of the file. Its content is not read.
uint64_t common_file_stamp(const char *path)
{
    common_status status;
    if (!common_read_status(path, &status))
        return 0;
    // Multiplication by odd factors spreads the bits, so that changes of several values do not
    // cancel out. A file that replaces this file may have the same time and size, so the file
    // number is included.
    const uint64_t stamp =
        status.time * 0x9E3779B97F4A7C15u + status.file * 0xC2B2AE3D27D4EB4Fu + status.size;
    return stamp | 1; // never 0, which means that the file does not exist
}

// -- Folders --------------------------------------------------------------------------------

// An iterator over the entries of a folder, in any order, without "." and "..". A folder that
// cannot be read seems to have no entries.
typedef struct entry_reader {
    void *folder;     // handle of the operating system, or NULL
    const char *name; // name of the current entry, valid until the next call

    // The kind of the current entry, as the folder stores it. This is faster than a query of the
    // entry's status. If the entry is a link, or if the file system stores no kinds in folders,
    // only `is_unknown` is true.
    bool is_file;
    bool is_folder;
    bool is_unknown;

    bool has_failed; // the folder cannot be read; errno contains the reason
} entry_reader;

#ifdef _WIN32

typedef struct folder_search {
    intptr_t handle;
    struct __finddata64_t entry;
} folder_search;

// Begins to read the entries of a folder. The entries "." and ".." are skipped by next_entry().
static entry_reader open_folder(const char *folder)
{
    char *const pattern = common_format("%s/*", folder);
    folder_search *const search = common_alloc(1, sizeof *search);
    search->handle = _findfirst64(pattern, &search->entry);
    free(pattern);
    // The root folder of a drive has no entry ".". If it is empty, the search finds nothing, which
    // is not an error.
    const bool has_failed = search->handle == -1 && errno != ENOENT;
    return (entry_reader){.folder = search, .has_failed = has_failed};
}

// Moves to the next entry. Returns false after the last one.
static bool next_entry(entry_reader *entries)
{
    folder_search *const search = entries->folder;
    do {
        const bool is_first = entries->name == NULL; // open_folder() has found the first entry
        if (is_first && search->handle == -1)
            return false;
        if (!is_first && _findnext64(search->handle, &search->entry) != 0)
            return false;
        entries->name = search->entry.name;
    } while (strcmp(entries->name, ".") == 0 || strcmp(entries->name, "..") == 0);
    entries->is_folder = (search->entry.attrib & _A_SUBDIR) != 0;
    entries->is_file = !entries->is_folder;
    return true;
}

static void close_folder(entry_reader *entries)
{
    folder_search *const search = entries->folder;
    if (search->handle != -1)
        _findclose(search->handle);
    free(search);
}

#else

static entry_reader open_folder(const char *folder)
{
    DIR *const opened = opendir(folder);
    return (entry_reader){.folder = opened, .has_failed = opened == NULL};
}

// Moves to the next entry. Returns false after the last one.
static bool next_entry(entry_reader *entries)
{
    const struct dirent *entry = NULL;
    do {
        entry = entries->folder ? readdir(entries->folder) : NULL;
        if (!entry)
            return false;
        entries->name = entry->d_name;
    } while (strcmp(entries->name, ".") == 0 || strcmp(entries->name, "..") == 0);

    // d_type is an extension of POSIX. A link counts as the kind of its target, which d_type does
    // not contain.
    entries->is_unknown = true;
#ifdef DT_DIR
    entries->is_unknown = entry->d_type == DT_UNKNOWN || entry->d_type == DT_LNK;
    entries->is_file = entry->d_type == DT_REG;
    entries->is_folder = entry->d_type == DT_DIR;
#endif
    return true;
}

static void close_folder(entry_reader *entries)
{
    if (entries->folder)
        closedir(entries->folder);
}

#endif

// Returns the number at *text and moves *text after it. Digits that would overflow are ignored.
static uint64_t parse_digits(const char **text)
{
    uint64_t value = 0;
    for (; isdigit((unsigned char)**text); (*text)++) {
        if (value < UINT64_MAX / 10 - 1)
            value = value * 10 + (uint64_t)(**text - '0');
    }
    return value;
}

// Compares names in natural order, as a callback of qsort(). Case is ignored, and numbers are
// compared by value (walk2 < walk10). Names such as "a01" and "a1" are equal by these rules and are
// then compared as bytes. Different names are therefore never equal.
static int compare_names(const void *left, const void *right)
{
    const char *const a = *(char *const *)left;
    const char *const b = *(char *const *)right;
    const char *x = a;
    const char *y = b;
    while (*x != '\0' && *y != '\0') {
        if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
            const uint64_t first = parse_digits(&x);
            const uint64_t second = parse_digits(&y);
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
    return strcmp(a, b);
}

// Sorts the entries of a list, beginning with index `first`. File systems list entries in any
// order, and results must not depend on it.
static void sort(common_list *list, size_t first)
{
    if (list->count > first)
        qsort(list->names + first, list->count - first, sizeof *list->names, compare_names);
}

char *common_add(common_list *list, char *name)
{
    return *COMMON_ADD_ITEM(list->names, list->count) = name;
}

// Returns true if an entry is a file or, if `is_folder_wanted`, a folder. If the kind of the entry
// is unknown, queries the status of `path`.
static bool has_kind(const entry_reader *entry, const char *path, bool is_folder_wanted)
{
    if (entry->is_unknown)
        return is_folder_wanted ? common_is_folder(path) : common_is_file(path);
    return is_folder_wanted ? entry->is_folder : entry->is_file;
}

// Reads all entries of the folder and keeps those that the caller requests: files with the ending,
// or subfolders. Sorts them.
common_list common_list_folder(const char *folder, const char *ending)
{
    common_list list = {0};
    entry_reader entries = open_folder(folder);
    while (next_entry(&entries)) {
        if (ending && !common_has_suffix(entries.name, ending))
            continue;
        char *const path = common_join(folder, entries.name);
        if (has_kind(&entries, path, !ending))
            common_add(&list, path);
        else
            free(path);
    }
    close_folder(&entries);
    sort(&list, 0);
    return list;
}

void common_free_list(common_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    *list = (common_list){0};
}

// Returns true if an entry matches `name` better than `found`. `found` may be NULL. An exact match
// is best. Among names that differ only in case, the first in byte order is best.
static bool is_better_match(const char *entry, const char *found, const char *name)
{
    if (common_compare_case(entry, name) != 0)
        return false;
    if (!found || strcmp(entry, name) == 0)
        return true;
    return strcmp(found, name) != 0 && strcmp(entry, found) < 0;
}

// Returns the path of the entry of a folder with this name, ignoring case. Returns NULL if no entry
// has this name. Several entries can match, and their order depends on the file system. All entries
// are therefore compared.
static char *find_entry(const char *folder, const char *name)
{
    char *found = NULL;
    entry_reader entries = open_folder(folder);
    while (next_entry(&entries)) {
        if (!is_better_match(entries.name, found, name))
            continue;
        free(found);
        found = common_copy(entries.name);
    }
    close_folder(&entries);
    char *const path = found ? common_join(folder, found) : NULL;
    free(found);
    return path;
}

const char *common_find_in_list(const common_list *list, const char *name)
{
    const char *found = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const char *const path = list->names[i];
        if (is_better_match(common_base(path), found ? common_base(found) : NULL, name))
            found = path;
    }
    return found;
}

// Searches the parts of the path one after the other. Each part is searched in the folder that was
// found for the parts before it.
char *common_find(const char *folder, const char *relative)
{
    char *const parts = common_normalize_path(relative);
    char *path = common_copy(folder);
    char *name = parts[0] == '/' ? parts + 1 : parts;
    while (*name != '\0' && path) {
        const size_t length = strcspn(name, "/");
        const bool is_last = name[length] == '\0';
        name[length] = '\0'; // replaces the slash, so that `name` is one part
        char *const next = find_entry(path, name);
        free(path);
        path = next;
        name += is_last ? length : length + 1;
    }
    free(parts);
    return path;
}

// == Folders and subfolders =======================================================================

enum {
    MAX_ENTRIES = 4000000, // limit of the entries that a search reads
    MAX_BYTES = 1 << 28,   // limit of the bytes of all stored paths
};

// Identifies a folder. `file` is 0 if the system does not number files.
typedef struct identity {
    uint64_t file;
    uint64_t device;
} identity;

// Folders that are still to be searched are in two lists. Links are searched last.
enum { REAL_FOLDER, LINKED_FOLDER, NUM_FOLDER_KINDS };

// The state of a search of a folder and its subfolders.
typedef struct walk_state {
    common_walk *walk;
    const char *without; // a folder that is not searched, or ""
    size_t max_folders;  // limit of the folders that are searched
    bool no_links;       // links to folders are not followed
    bool no_files;       // files are not listed
    common_list files;
    common_list entered;                   // the folders that were searched
    common_list folders[NUM_FOLDER_KINDS]; // the folders to search
    identity *searched; // [capacity] hash table of the folders that were searched
    size_t num_searched;
    size_t capacity; // a power of 2
    size_t num_entries;
    size_t num_bytes;  // bytes of all stored paths
    bool is_cut;       // a limit was reached
    size_t num_unread; // folders that cannot be read
    char unread[100];  // the end of the path of the first of these folders
    int unread_reason; // errno of this folder
} walk_state;

// Returns the slot of a folder in the hash table, or the empty slot for it. The table uses open
// addressing. A folder is in the slot that its hash selects, or in the first slot after it that was
// free when the folder was added.
static identity *find_slot(identity *table, size_t capacity, identity key)
{
    const uint64_t mixed = (key.file ^ key.device << 32) * 0x9E3779B97F4A7C15u;
    size_t i = (size_t)(mixed >> 32) & (capacity - 1);
    while (table[i].file != 0 && (table[i].file != key.file || table[i].device != key.device))
        i = (i + 1) & (capacity - 1);
    return &table[i];
}

// Makes space for one more folder. If the hash table is half full, doubles its capacity.
static void reserve_slot(walk_state *walked)
{
    if (2 * walked->num_searched < walked->capacity)
        return;
    const size_t capacity = walked->capacity > 0 ? 2 * walked->capacity : 64;
    identity *const table = common_alloc(capacity, sizeof *table);
    for (size_t i = 0; i < walked->capacity; i++) {
        if (walked->searched[i].file != 0)
            *find_slot(table, capacity, walked->searched[i]) = walked->searched[i];
    }
    free(walked->searched);
    walked->searched = table;
    walked->capacity = capacity;
}

// Counts a folder that cannot be read. For the first such folder, stores errno and the path. A long
// path is cut at its start, after a separator if possible.
static void add_unread(walk_state *walked, const char *path)
{
    const int reason = errno;
    const size_t length = strlen(path);
    const size_t max_length = sizeof walked->unread - sizeof "...";
    if (walked->num_unread++ > 0)
        return;
    walked->unread_reason = reason;
    if (length <= max_length) {
        snprintf(walked->unread, sizeof walked->unread, "%s", path);
        return;
    }
    const char *const end = path + length - max_length;
    const char *const separator = strchr(end, '/');
    snprintf(walked->unread, sizeof walked->unread, "...%s", separator ? separator : end);
}

// Writes why files are missing from the result to the caller's common_walk. Writes "" if none is
// missing.
static void write_warning(const walk_state *walked)
{
    common_walk *const walk = walked->walk;
    walk->warning[0] = '\0';
    if (walked->is_cut)
        snprintf(walk->warning, sizeof walk->warning,
                 "folder contains too many files: the remaining files are ignored");
    else if (walked->num_unread == 1)
        snprintf(walk->warning, sizeof walk->warning, "cannot read the folder '%s': %s",
                 walked->unread, strerror(walked->unread_reason));
    else if (walked->num_unread > 1)
        snprintf(walk->warning, sizeof walk->warning,
                 "cannot read %zu folders, for example '%s': %s", walked->num_unread,
                 walked->unread, strerror(walked->unread_reason));
}

// Marks a folder as searched. Returns false if the path is not a folder, or if the folder was
// searched before under another path. On systems without file numbers, every folder seems new.
// Circles of links then end only at the limits of the search.
static bool enter(walk_state *walked, const char *path)
{
    common_status status;
    if (!common_read_status(path, &status)) {
        add_unread(walked, path);
        return false;
    }
    if (!status.is_folder)
        return false;

    reserve_slot(walked);
    const identity key = {status.file, status.device};
    identity *const slot = find_slot(walked->searched, walked->capacity, key);
    if (slot->file != 0)
        return false;

    // Without a file number, the slot remains empty.
    *slot = key;
    if (status.file != 0)
        walked->num_searched++;
    return true;
}

// Calls the caller's function, if there is one. Returns false if it ends the search.
static bool can_continue(const walk_state *walked)
{
    const common_walk *const walk = walked->walk;
    return !walk->should_continue || walk->should_continue(walk->user, walked->files.count);
}

// Returns true if a folder must be searched. The folder walked->without is excluded. If links are
// not followed, a link to a folder is excluded, too.
static bool is_wanted_folder(const walk_state *walked, const char *path, bool may_be_link)
{
    if (strcmp(path, walked->without) == 0)
        return false;
    return !(may_be_link && walked->no_links && common_is_link(path));
}

static bool is_wanted_file(const walk_state *walked, const char *name)
{
    if (walked->no_files)
        return false;
    return !walked->walk->is_wanted || walked->walk->is_wanted(name);
}

// Returns the list to which an entry belongs: files, folders, or links to folders. Returns NULL if
// the entry is not wanted.
static common_list *select_list(walk_state *walked, const entry_reader *entry, const char *path)
{
    const bool may_be_link = entry->is_unknown;
    common_status status = {.is_file = entry->is_file, .is_folder = entry->is_folder};
    if (may_be_link && !common_read_status(path, &status))
        return NULL;
    if (status.is_folder && is_wanted_folder(walked, path, may_be_link))
        return &walked->folders[may_be_link ? LINKED_FOLDER : REAL_FOLDER];
    if (status.is_file && is_wanted_file(walked, entry->name))
        return &walked->files;
    return NULL;
}

// Moves to the next entry of a folder. Returns false after the last entry, or if the whole search
// must end.
static bool next_counted_entry(walk_state *walked, entry_reader *entries)
{
    enum { ENTRIES_PER_CALL = 1024 };
    if (walked->is_cut)
        return false;
    walked->num_entries++;
    if (walked->num_entries % ENTRIES_PER_CALL == 0 && !can_continue(walked))
        return false;
    return next_entry(entries);
}

// Adds the entries of a folder to the lists and sorts them. Subfolders are only added here.
// search_recursively() searches them later.
static void search_folder(walk_state *walked, const char *folder)
{
    const size_t first_file = walked->files.count;
    const size_t first_folder = walked->folders[REAL_FOLDER].count;
    const size_t first_link = walked->folders[LINKED_FOLDER].count;

    entry_reader entries = open_folder(folder);
    if (entries.has_failed)
        add_unread(walked, folder);

    while (next_counted_entry(walked, &entries)) {
        char *const path = common_join(folder, entries.name);
        common_list *const list = select_list(walked, &entries, path);
        if (list) {
            walked->num_bytes += strlen(path);
            common_add(list, path);
        } else {
            free(path);
        }
        walked->is_cut = walked->num_entries >= MAX_ENTRIES || walked->num_bytes >= MAX_BYTES;
    }
    close_folder(&entries);

    sort(&walked->files, first_file);
    sort(&walked->folders[REAL_FOLDER], first_folder);
    sort(&walked->folders[LINKED_FOLDER], first_link);
}

// Searches a folder unless it was searched before. If it is searched, its path moves from *path to
// walked->entered.
static void search_new_folder(walk_state *walked, char **path)
{
    if (!enter(walked, *path))
        return;
    char *const entered = *path;
    *path = NULL; // walked->entered now owns the path
    common_add(&walked->entered, entered);
    search_folder(walked, entered);
}

// Returns true if the search may enter another folder.
static bool may_enter(const walk_state *walked)
{
    if (walked->is_cut || walked->entered.count >= walked->max_folders)
        return false;
    return can_continue(walked);
}

// Searches a folder and its subfolders, breadth first. The lists `folders` are queues, to which
// subfolders are added during the search. Links to folders are followed after all real folders. A
// folder that can be reached both ways is therefore found under its real path.
static void search_recursively(walk_state *walked, const char *folder)
{
    common_list *const folders = walked->folders;
    size_t next[NUM_FOLDER_KINDS] = {0}; // index of the next folder of each queue
    common_add(&folders[REAL_FOLDER], common_copy(folder));
    while (may_enter(walked)) {
        const bool has_real_folder = next[REAL_FOLDER] < folders[REAL_FOLDER].count;
        const int kind = has_real_folder ? REAL_FOLDER : LINKED_FOLDER;
        const bool is_done = next[kind] == folders[kind].count;
        if (is_done)
            break;
        char **const path = &folders[kind].names[next[kind]];
        next[kind]++;
        search_new_folder(walked, path);
    }

    write_warning(walked);
    common_free_list(&folders[REAL_FOLDER]);
    common_free_list(&folders[LINKED_FOLDER]);
    free(walked->searched);
}

common_list common_walk_folder(const char *folder, common_walk *walk)
{
    walk_state walked = {.walk = walk, .without = "", .max_folders = SIZE_MAX};
    search_recursively(&walked, folder);
    common_free_list(&walked.entered);
    return walked.files;
}

// Makes a search that lists no files, and returns the folders that it has entered.
common_list common_list_subfolders(const char *first, const char *without, size_t max_folders,
                                   bool links)
{
    common_walk walk = {.is_wanted = NULL};
    walk_state walked = {.walk = &walk,
                         .without = without,
                         .max_folders = max_folders,
                         .no_links = !links,
                         .no_files = true};
    if (strcmp(first, without) != 0)
        search_recursively(&walked, first);
    return walked.entered;
}

// == Whole files and pipes ========================================================================

// A source is an open file. On Windows it is a stream. Elsewhere it is a descriptor, because
// opening a pipe as a stream can block.
#ifdef _WIN32

typedef FILE *source;

// Reads up to `size` bytes. Returns their number, 0 at the end, or -1 with errno.
static int64_t read_some(source from, char *bytes, size_t size)
{
    const size_t count = fread(bytes, 1, size, from);
    return count == 0 && ferror(from) ? -1 : (int64_t)count;
}

#else

typedef int source;

// Returns true if a read failed only because no data is available yet, or because a signal
// interrupted it.
static bool can_retry(int reason)
{
    return reason == EAGAIN || reason == EWOULDBLOCK || reason == EINTR;
}

// Reads up to `size` bytes. If the file is a pipe that is still empty, waits for data. Returns the
// number of bytes, 0 at the end, or -1 after an error.
static int64_t read_some(source from, char *bytes, size_t size)
{
    for (;;) {
        const ssize_t count = read(from, bytes, size);
        if (count >= 0 || !can_retry(errno))
            return count;
        struct pollfd waiting = {.fd = from, .events = POLLIN};
        poll(&waiting, 1, -1);
    }
}

#endif

static const char too_large[] = "the file is too large: expected less than 2 GiB";

// Reads a source to its end. *bytes is memory of `capacity` bytes, which is enlarged if necessary.
// Sets *size to the number of bytes. Returns NULL on success, or the reason of a failure. On
// success, *bytes has space for one more byte.
static const char *read_to_end(source from, char **bytes, size_t capacity, size_t *size)
{
    *size = 0;
    for (;;) {
        const int64_t count = read_some(from, *bytes + *size, capacity - *size);
        if (count < 0)
            return strerror(errno);
        if (count == 0)
            return NULL;
        *size += (size_t)count;
        if (*size >= INT32_MAX)
            return too_large;
        if (*size == capacity) {
            capacity *= 2;
            *bytes = common_realloc(*bytes, capacity, 1);
        }
    }
}

// Reads a source to its end. `expected` is the size of a file, or 0 for a pipe. Sets *size and
// returns the bytes, which are followed by a zero byte. Returns NULL and sets *reason if reading
// fails or the source has 2 GiB or more.
static char *read_all(source from, uint64_t expected, size_t *size, const char **reason)
{
    enum { SPARE_CAPACITY = 1 << 12 }; // the read that finds the end of a file needs some capacity
    *size = 0;
    if (expected >= INT32_MAX) {
        *reason = too_large;
        return NULL;
    }

    const size_t capacity = (size_t)expected + SPARE_CAPACITY;
    char *bytes = common_alloc(capacity, 1);
    *reason = read_to_end(from, &bytes, capacity, size);
    if (*reason) {
        free(bytes);
        return NULL;
    }
    bytes[*size] = '\0';
    return bytes;
}

#ifdef _WIN32

// Opens and reads a file. If the path has no status, it can be a pipe, which is read like a file.
char *common_read_stream(const char *path, size_t *size, const char **reason)
{
    common_status status = {.is_file = true};
    if (common_read_status(path, &status) && !status.is_file) {
        *reason = status.is_folder ? "the path leads to a folder: expected a file"
                                   : "the path leads to a device: expected a file";
        return NULL;
    }
    FILE *const file = fopen(path, "rb");
    if (!file) {
        *reason = strerror(errno);
        return NULL;
    }
    char *const bytes = read_all(file, status.size, size, reason);
    fclose(file);
    return bytes;
}

#else

// Reads a pipe to its end. If nothing can be read, the pipe has no writer, which is reported as an
// error.
static char *read_pipe(int descriptor, size_t *size, const char **reason)
{
    char *const bytes = read_all(descriptor, 0, size, reason);
    if (!bytes || *size > 0)
        return bytes;
    *reason = "the pipe has no writer: expected a program that writes to it";
    free(bytes);
    return NULL;
}

// Reads an open file or pipe to its end. Folders and devices are errors.
static char *read_descriptor(int descriptor, const struct stat *status, size_t *size,
                             const char **reason)
{
    if (S_ISREG(status->st_mode))
        return read_all(descriptor, (uint64_t)status->st_size, size, reason);
    if (S_ISFIFO(status->st_mode))
        return read_pipe(descriptor, size, reason);
    *reason = S_ISDIR(status->st_mode) ? "the path leads to a folder: expected a file"
                                       : "the path leads to a device: expected a file";
    return NULL;
}

// Opens the path first and then examines the opened file. The file therefore cannot be replaced
// between both steps. Opening a pipe without a writer would block, so O_NONBLOCK is set. Reading
// such a pipe then ends immediately.
char *common_read_stream(const char *path, size_t *size, const char **reason)
{
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) {
        *reason = strerror(errno);
        return NULL;
    }
    struct stat status = {0};
    char *bytes = NULL;
    if (fstat(descriptor, &status) == 0)
        bytes = read_descriptor(descriptor, &status, size, reason);
    else
        *reason = strerror(errno);
    close(descriptor);
    return bytes;
}

#endif

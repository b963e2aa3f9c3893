// Files, folders, paths, names.
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

int common_by_case(const void *a, const void *b)
{
    return common_compare_case(*(char *const *)a, *(char *const *)b);
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
    if (dot && dot != stem)
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
    const size_t length = strlen(path);
    const size_t tail = strlen(ending);
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
            const char a = asked[i - 1];
            const char b = name[j - 1];
            const size_t exchange = diagonal + (in_part ? lower(a) != lower(b) : a != b);
            const size_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = exchange < other ? exchange : other;
        }
    }
    size_t least = row[width];
    if (in_part) {
        for (size_t j = 0; j < width; j++)
            least = row[j] < least ? row[j] : least;
    }
    return least;
}

char *common_clean(const char *path)
{
    char *const result = common_alloc(strlen(path) + 2, 1);
    const size_t first = path[0] != '\0' && path[1] == ':' ? 2 : 0; // a drive
    size_t used = first;
    memcpy(result, path, first);
    for (const char *part = path + first; *part != '\0';) {
        const size_t length = strcspn(part, "/\\");
        const bool is_up = length == 2 && strncmp(part, "..", 2) == 0;
        while (is_up && used > first && result[--used] != '/') {
        }
        if (!is_up && length > 0 && !(length == 1 && *part == '.')) {
            result[used++] = '/';
            memcpy(result + used, part, length);
            used += length;
        }
        part += length + (part[length] != '\0');
    }
    result[used] = '\0';
    return result;
}

char *common_whole(const char *path)
{
    char *const absolute = common_absolute(path);
    char *const clean = common_clean(absolute);
    const bool is_root = strchr(clean, '/') == NULL;
    char *const whole = is_root ? common_format("%s/", clean) : common_copy(clean);
    free(absolute);
    free(clean);
    return whole;
}

bool common_is_in(const char *inner, const char *outer)
{
    const size_t length = strcmp(outer, "/") == 0 ? 0 : strlen(outer);
    return strncmp(inner, outer, length) == 0 && (inner[length] == '\0' || inner[length] == '/');
}

bool common_leads_up(const char *path)
{
    for (const char *dots = path; (dots = strstr(dots, "..")) != NULL; dots++)
        if ((dots == path || is_separator(dots[-1])) && (dots[2] == '\0' || is_separator(dots[2])))
            return true;
    return false;
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

// The entries of a folder, one after another, in any order; "." and ".." are left out. A folder
// that cannot be read has none.
typedef struct entry_reader {
    void *folder;     // of the system, or NULL
    const char *name; // valid until the next one
    // What the folder says of the entry, which is faster than to ask for its status; is_unknown: it
    // is a link, or the file system does not say.
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

static entry_reader open_folder(const char *folder)
{
    char *const pattern = common_format("%s/*", folder);
    folder_search *const search = common_alloc(1, sizeof *search);
    search->handle = _findfirst64(pattern, &search->entry);
    free(pattern);
    // An empty root folder of a drive does not contain "." either.
    const bool has_failed = search->handle == -1 && errno != ENOENT;
    return (entry_reader){.folder = search, .has_failed = has_failed};
}

static bool next_entry(entry_reader *entries)
{
    folder_search *const search = entries->folder;
    do {
        // The first one was found as the folder was opened.
        if (!entries->name ? search->handle == -1
                           : _findnext64(search->handle, &search->entry) != 0)
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

static bool next_entry(entry_reader *entries)
{
    const struct dirent *entry = NULL;
    do {
        entry = entries->folder ? readdir(entries->folder) : NULL;
        if (!entry)
            return false;
        entries->name = entry->d_name;
    } while (strcmp(entries->name, ".") == 0 || strcmp(entries->name, "..") == 0);
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
    const char *const a = *(char *const *)left;
    const char *const b = *(char *const *)right;
    const char *x = a;
    const char *y = b;
    while (*x != '\0' && *y != '\0') {
        if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
            const uint64_t first = take_number(&x);
            const uint64_t second = take_number(&y);
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

// Sorts from number `first` on, so that nothing depends on the system's order.
static void sort(common_list *list, size_t first)
{
    if (list->count > first)
        qsort(list->names + first, list->count - first, sizeof *list->names, compare_names);
}

char *common_add(common_list *list, char *name)
{
    return *COMMON_MORE(list->names, list->count) = name;
}

common_list common_list_folder(const char *folder, const char *ending)
{
    common_list list = {0};
    entry_reader entries = open_folder(folder);
    while (next_entry(&entries)) {
        if (ending && !common_has_ending(entries.name, ending))
            continue;
        char *const path = common_join(folder, entries.name);
        const bool is_wanted =
            !ending ? entries.is_folder || (entries.is_unknown && common_is_folder(path))
                    : entries.is_file || (entries.is_unknown && common_is_file(path));
        if (is_wanted)
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

char *common_find(const char *folder, const char *relative)
{
    char *const rest = common_clean(relative);
    char *path = common_copy(folder);
    for (char *name = rest + (rest[0] == '/'); *name != '\0' && path;) {
        const size_t length = strcspn(name, "/");
        const bool is_last = name[length] == '\0';
        name[length] = '\0';
        // The entry of this name, else the first in byte order that differs by case alone, so that
        // the result does not depend on the file system.
        char *found = NULL;
        entry_reader entries = open_folder(path);
        while (next_entry(&entries)) {
            const bool is_better = !found || strcmp(entries.name, name) == 0
                                   || (strcmp(found, name) != 0 && strcmp(entries.name, found) < 0);
            if (!is_better || common_compare_case(entries.name, name) != 0)
                continue;
            free(found);
            found = common_copy(entries.name);
        }
        close_folder(&entries);
        char *const next = found ? common_join(path, found) : NULL;
        free(found);
        free(path);
        path = next;
        name += length + !is_last;
    }
    free(rest);
    return path;
}

// == Folders and those below them =================================================================

// The limits: entries of folders that are looked at, and bytes of paths that are kept.
enum { MAX_ENTRIES = 4000000, MAX_BYTES = 1 << 28 };

typedef struct identity {
    uint64_t file, device; // file 0: none
} identity;

typedef struct walk_state {
    common_walk *walk;
    const char *without; // a folder that is not searched, or ""
    size_t max_folders;  // that are searched
    bool no_links;
    bool no_files;
    common_list files, entered; // entered: the folders that were searched
    common_list folders[2];     // to search, in this order: folders, and links to folders
    identity *searched;         // [room], a hash table
    size_t num_searched;
    size_t room;
    bool is_cut;       // a limit was reached
    size_t num_unread; // folders that cannot be read
    char unread[100];  // the end of the path of the first of these folders
    int unread_reason; // its errno
} walk_state;

static identity *find(identity *table, size_t room, identity key)
{
    const uint64_t mixed = (key.file ^ key.device << 32) * 0x9E3779B97F4A7C15u;
    size_t i = (size_t)(mixed >> 32) & (room - 1);
    while (table[i].file != 0 && (table[i].file != key.file || table[i].device != key.device))
        i = (i + 1) & (room - 1);
    return &table[i];
}

// Counts a folder that cannot be read. errno contains the reason. Long paths are shortened at the
// beginning.
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

static void write_warning(const walk_state *walked)
{
    common_walk *const walk = walked->walk;
    walk->warning[0] = '\0';
    if (walked->is_cut)
        snprintf(walk->warning, sizeof walk->warning, "too many files: some were not read");
    else if (walked->num_unread == 1)
        snprintf(walk->warning, sizeof walk->warning, "cannot read the folder '%s': %s",
                 walked->unread, strerror(walked->unread_reason));
    else if (walked->num_unread > 1)
        snprintf(walk->warning, sizeof walk->warning,
                 "cannot read %zu folders, for example '%s': %s", walked->num_unread,
                 walked->unread, strerror(walked->unread_reason));
}

// Returns true if a path is a folder that has not been searched, and marks it as searched. If the
// system does not number folders, only the limits end circles.
static bool enter(walk_state *walked, const char *path)
{
    common_status status;
    if (!common_read_status(path, &status)) {
        add_unread(walked, path);
        return false;
    }
    if (!status.is_folder)
        return false;
    if (2 * walked->num_searched >= walked->room) {
        const size_t room = walked->room > 0 ? 2 * walked->room : 64;
        identity *const table = common_alloc(room, sizeof *table);
        for (size_t i = 0; i < walked->room; i++)
            if (walked->searched[i].file != 0)
                *find(table, room, walked->searched[i]) = walked->searched[i];
        free(walked->searched);
        walked->searched = table;
        walked->room = room;
    }
    identity *const known =
        find(walked->searched, walked->room, (identity){status.file, status.device});
    if (known->file != 0)
        return false;
    *known = (identity){status.file, status.device};
    walked->num_searched += status.file != 0;
    return true;
}

static bool goes_on(const walk_state *walked)
{
    return !walked->walk->goes_on || walked->walk->goes_on(walked->walk->user, walked->files.count);
}

static void search_below(walk_state *walked, const char *folder)
{
    enum { OFTEN = 1024 };
    common_walk *const walk = walked->walk;
    size_t next[2] = {0, 0};
    size_t num_entries = 0;
    size_t num_bytes = 0;
    common_add(&walked->folders[0], common_copy(folder));
    while (!walked->is_cut && walked->entered.count < walked->max_folders && goes_on(walked)) {
        const int group = next[0] == walked->folders[0].count;
        if (next[group] == walked->folders[group].count)
            break;
        char **const path = &walked->folders[group].names[next[group]++];
        if (!enter(walked, *path))
            continue;
        char *const entered = *path;
        *path = NULL;
        common_add(&walked->entered, entered);
        const size_t firsts[] = {walked->files.count, walked->folders[0].count,
                                 walked->folders[1].count};
        entry_reader entries = open_folder(entered);
        if (entries.has_failed)
            add_unread(walked, entered);
        while (!walked->is_cut && (++num_entries % OFTEN != 0 || goes_on(walked))
               && next_entry(&entries)) {
            const bool is_link = entries.is_unknown;
            common_status status = {.is_file = entries.is_file, .is_folder = entries.is_folder};
            char *const inner = common_join(entered, entries.name);
            if (is_link && !common_read_status(inner, &status))
                status = (common_status){0};
            common_list *list = NULL;
            if (status.is_folder && strcmp(inner, walked->without) != 0
                && !(is_link && walked->no_links && common_is_link(inner)))
                list = &walked->folders[is_link];
            else if (status.is_file && !walked->no_files
                     && (!walk->is_wanted || walk->is_wanted(entries.name)))
                list = &walked->files;
            num_bytes += list != NULL ? strlen(inner) : 0;
            walked->is_cut = num_entries >= MAX_ENTRIES || num_bytes >= MAX_BYTES;
            if (list)
                common_add(list, inner);
            else
                free(inner);
        }
        close_folder(&entries);
        sort(&walked->files, firsts[0]);
        sort(&walked->folders[0], firsts[1]);
        sort(&walked->folders[1], firsts[2]);
    }
    write_warning(walked);
    common_free_list(&walked->folders[0]);
    common_free_list(&walked->folders[1]);
    free(walked->searched);
}

common_list common_walk_folder(const char *folder, common_walk *walk)
{
    walk_state walked = {.walk = walk, .without = "", .max_folders = SIZE_MAX};
    search_below(&walked, folder);
    common_free_list(&walked.entered);
    return walked.files;
}

common_list common_folders_below(const char *first, const char *without, size_t max_folders,
                                 bool links)
{
    common_walk walk = {.is_wanted = NULL};
    walk_state walked = {.walk = &walk,
                         .without = without,
                         .max_folders = max_folders,
                         .no_links = !links,
                         .no_files = true};
    if (strcmp(first, without) != 0)
        search_below(&walked, first);
    return walked.entered;
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

typedef int source;

static int64_t read_some(source from, char *bytes, size_t size)
{
    for (;;) {
        const ssize_t count = read(from, bytes, size);
        struct pollfd waiting = {.fd = from, .events = POLLIN};
        if (count >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
            return count;
        poll(&waiting, 1, -1);
    }
}

#endif

// `expected`: the size of a file, 0 for a pipe.
static char *read_all(source from, uint64_t expected, size_t *size, const char **reason)
{
    static const char too_large[] = "the file is too large";
    size_t room = expected < INT32_MAX ? (size_t)expected + (1 << 12) : 0;
    char *bytes = room > 0 ? common_alloc(room, 1) : NULL;
    *reason = room > 0 ? NULL : too_large;
    *size = 0;
    while (!*reason) {
        const int64_t count = read_some(from, bytes + *size, room - *size);
        if (count == 0) {
            bytes[*size] = '\0';
            return bytes;
        }
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
        *reason = status.is_folder ? "the path is a folder" : "the path is a device";
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
        *reason = S_ISDIR(status.st_mode) ? "the path is a folder" : "the path is a device";
    close(descriptor);
    if (bytes && *size == 0 && S_ISFIFO(status.st_mode)) {
        *reason = "the pipe has no writer";
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

#endif

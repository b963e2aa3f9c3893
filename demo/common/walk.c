#include "demo/common/walk.h"

#include "demo/common/memory.h"
#include "demo/common/system.h"

#include <stdlib.h>
#include <string.h>

// The limits: entries of folders that are looked at, and bytes of paths that are kept.
enum { MOST_ENTRIES = 4000000, MOST_BYTES = 1 << 28 };

typedef struct identity {
    uint64_t file, device; // file 0: none
} identity;

typedef struct walk_state {
    common_walk *walk;
    const char *without; // a folder that is not searched, or NULL
    size_t most;         // folders that are searched
    bool no_links;
    common_list files, entered; // entered: the folders that were searched
    common_list folders[2];     // to search, in this order: folders, and links to folders
    identity *searched;         // [room], a hash table
    size_t num_searched, room;
    size_t num_entries, num_bytes;
    const char *folder; // that is read
} walk_state;

// -- Folders that have been searched --------------------------------------------------------

static identity *find(identity *table, size_t room, identity wanted)
{
    const uint64_t mixed = (wanted.file ^ wanted.device << 32) * 0x9E3779B97F4A7C15u;
    size_t i = (size_t)(mixed >> 32) & (room - 1);
    while (table[i].file != 0 && (table[i].file != wanted.file || table[i].device != wanted.device))
        i = (i + 1) & (room - 1);
    return &table[i];
}

// Whether a path leads to a folder that has not been searched; from now on it has. Where the system
// has no numbers for folders, only the limits end circles.
static bool enter(walk_state *of, const char *path)
{
    common_status status;
    if (!common_read_status(path, &status) || !status.is_folder)
        return false;
    if (2 * of->num_searched >= of->room) {
        const size_t room = of->room > 0 ? 2 * of->room : 64;
        identity *const table = common_alloc(room, sizeof *table);
        for (size_t i = 0; i < of->room; i++)
            if (of->searched[i].file != 0)
                *find(table, room, of->searched[i]) = of->searched[i];
        free(of->searched);
        of->searched = table;
        of->room = room;
    }
    identity *const known = find(of->searched, of->room, (identity){status.file, status.device});
    if (known->file != 0)
        return false;
    *known = (identity){status.file, status.device};
    of->num_searched += status.file != 0;
    return true;
}

// -- Search ---------------------------------------------------------------------------------

static bool goes_on(const walk_state *of)
{
    return of->walk->goes_on == NULL || of->walk->goes_on(of->walk->user, of->files.count);
}

static bool take_entry(void *user, const char *name, common_kind kind)
{
    enum { OFTEN = 1024 };
    walk_state *const of = user;
    const bool is_link = kind == COMMON_KIND_UNKNOWN;
    common_status status = {.is_file = kind == COMMON_KIND_FILE,
                            .is_folder = kind == COMMON_KIND_FOLDER};
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return true;
    char *path = common_join(of->folder, name);
    if (is_link && !common_read_status(path, &status))
        status = (common_status){0};
    const bool is_below = status.is_folder && !(of->without && strcmp(path, of->without) == 0)
                          && !(is_link && of->no_links && common_is_link(path));
    if (is_below)
        common_add(&of->folders[is_link], path);
    else if (status.is_file && (!of->walk->is_wanted || of->walk->is_wanted(name)))
        common_add(&of->files, path);
    else {
        free(path);
        path = NULL;
    }
    of->num_bytes += path ? strlen(path) : 0;
    of->num_entries++;
    of->walk->is_cut = of->num_entries >= MOST_ENTRIES || of->num_bytes >= MOST_BYTES;
    return !of->walk->is_cut && (of->num_entries % OFTEN != 0 || goes_on(of));
}

static int compare(const void *a, const void *b)
{
    return common_compare_names(*(char *const *)a, *(char *const *)b);
}

// Sorts the names from number `first` on, so that nothing depends on the system's order.
static void sort(const common_list *list, size_t first)
{
    if (list->count > first)
        qsort(list->names + first, list->count - first, sizeof *list->names, compare);
}

static void search_below(walk_state *of, const char *folder)
{
    size_t next[2] = {0, 0};
    of->walk->is_cut = false;
    common_add(&of->folders[0], common_copy(folder));
    while (!of->walk->is_cut && of->entered.count < of->most && goes_on(of)) {
        const int kind = next[0] == of->folders[0].count;
        if (next[kind] == of->folders[kind].count)
            break;
        char **const path = &of->folders[kind].names[next[kind]++];
        if (!enter(of, *path))
            continue;
        char *const entered = *path;
        *path = NULL;
        common_add(&of->entered, entered);
        const size_t firsts[] = {of->files.count, of->folders[0].count, of->folders[1].count};
        of->folder = entered;
        common_each_entry(entered, take_entry, of);
        sort(&of->files, firsts[0]);
        sort(&of->folders[0], firsts[1]);
        sort(&of->folders[1], firsts[2]);
    }
    common_free_list(&of->folders[0]);
    common_free_list(&of->folders[1]);
    free(of->searched);
}

common_list common_walk_folder(const char *folder, common_walk *walk)
{
    walk_state of = {.walk = walk, .most = SIZE_MAX};
    search_below(&of, folder);
    common_free_list(&of.entered);
    return of.files;
}

static bool is_none(const char *name)
{
    (void)name;
    return false;
}

common_list common_folders_below(const char *first, const char *without, size_t most, bool links)
{
    common_walk walk = {.is_wanted = is_none};
    walk_state of = {.walk = &walk, .without = without, .most = most, .no_links = !links};
    if (strcmp(first, without) != 0)
        search_below(&of, first);
    return of.entered;
}

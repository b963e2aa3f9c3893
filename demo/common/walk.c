#include "demo/common/walk.h"

#include "demo/common/memory.h"
#include "demo/common/system.h"

#include <stdlib.h>
#include <string.h>

// The limits: entries of folders that are looked at, and bytes of paths that are kept.
enum { MAX_ENTRIES = 4000000, MAX_BYTES = 1 << 28 };

typedef struct identity {
    uint64_t file, device; // file 0: none
} identity;

typedef struct walk_state {
    common_walk *walk;
    const char *without; // a folder that is not searched, or ""
    size_t max_folders;  // that are searched
    bool no_links, no_files;
    common_list files, entered; // entered: the folders that were searched
    common_list folders[2];     // to search, in this order: folders, and links to folders
    identity *searched;         // [room], a hash table
    size_t num_searched, room;
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
static bool enter(walk_state *walked, const char *path)
{
    common_status status;
    if (!common_read_status(path, &status) || !status.is_folder)
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

// -- Search ---------------------------------------------------------------------------------

static bool goes_on(const walk_state *walked)
{
    return walked->walk->goes_on == NULL
           || walked->walk->goes_on(walked->walk->user, walked->files.count);
}

static void search_below(walk_state *walked, const char *folder)
{
    enum { OFTEN = 1024 };
    common_walk *const walk = walked->walk;
    size_t next[2] = {0, 0}, num_entries = 0, num_bytes = 0;
    walk->is_cut = false;
    common_add(&walked->folders[0], common_copy(folder));
    while (!walk->is_cut && walked->entered.count < walked->max_folders && goes_on(walked)) {
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
        common_entries entries = common_open_folder(entered);
        while (!walk->is_cut && (++num_entries % OFTEN != 0 || goes_on(walked))
               && common_next_entry(&entries)) {
            const bool is_link = entries.kind == COMMON_KIND_UNKNOWN;
            common_status status = {.is_file = entries.kind == COMMON_KIND_FILE,
                                    .is_folder = entries.kind == COMMON_KIND_FOLDER};
            char *const inner = common_join(entered, entries.name);
            if (is_link && !common_read_status(inner, &status))
                status = (common_status){0};
            common_list *list = NULL;
            if (status.is_folder && strcmp(inner, walked->without) != 0
                && !(is_link && walked->no_links && common_is_link(inner)))
                list = &walked->folders[is_link];
            else if (status.is_file && !walked->no_files
                     && (walk->is_wanted == NULL || walk->is_wanted(entries.name)))
                list = &walked->files;
            num_bytes += list != NULL ? strlen(inner) : 0;
            walk->is_cut = num_entries >= MAX_ENTRIES || num_bytes >= MAX_BYTES;
            if (list != NULL)
                common_add(list, inner);
            else
                free(inner);
        }
        common_close_folder(&entries);
        common_sort(&walked->files, firsts[0]);
        common_sort(&walked->folders[0], firsts[1]);
        common_sort(&walked->folders[1], firsts[2]);
    }
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

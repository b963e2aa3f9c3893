// The index of the files in all search paths of a game, and functions that read files.
#include "md5/core/assert.h"
#include "md5/decl/game.h"

#include <stdio.h>
#include <string.h>

// Names of files follow the rules of the engine:
// - Case is ignored.
// - \ is the same as /. In names in archives, : is the same as / too.
// - A leading / of a requested name is ignored. So names in archives that begin with / are never
//   found.
// - Names that contain .. or :: are never found.

// Returns true if `c` separates folders: /, \ or `separator`. A `separator` of NUL means that only
// / and \ are separators.
static bool is_separator(char c, char separator)
{
    if (c == '/' || c == '\\')
        return true;
    return separator != '\0' && c == separator;
}

// Folds a name, which means that it becomes lower case, with / between folders. Files are found by
// their folded names. `separator` is as in is_separator().
static void fold_name(char *name, char separator)
{
    for (; *name; name++)
        *name = is_separator(*name, separator) ? '/' : md5_lower(*name);
}

// Returns true if the engine can find a file with this folded name, see the rules above.
static bool is_reachable(const char *name)
{
    if (name[0] == '\0' || name[0] == '/')
        return false;
    return !strstr(name, "..") && !strstr(name, "::");
}

// -- Index ----------------------------------------------------------------------------------------

// Sets the names of an entry: its folded name for searches, and its original spelling for display.
// Files in archives use the folded name for both. Returns false if memory runs out.
static bool set_entry_names(md5_game *game, const char *name, bool is_archive,
                            md5_game_entry *entry)
{
    const size_t size = strlen(name);
    char *const folded = md5_copy_text(&game->arena, name, size);
    char *const spelled = md5_copy_text(&game->arena, name, size);
    TRY(folded && spelled);
    fold_name(folded, is_archive ? ':' : '\0');
    for (size_t i = 0; i < size; i++)
        spelled[i] = spelled[i] == '\\' ? '/' : spelled[i];
    entry->name = folded;
    entry->spelled = is_archive ? folded : spelled;
    return true;
}

// Adds a file of search path `path_index` to the index. Ignores the file if its name is already in
// the index or cannot be requested. But if one archive contains a name twice, its last file is
// used. Returns false if memory runs out.
static bool add_file(md5_game *game, uint32_t path_index, size_t file)
{
    const md5_game_path *const path = &game->paths[path_index];
    const char *const name = path->name(path->user, file);
    if (!name)
        return true;

    // Write the entry after the last entry without counting it. If it is not kept, the memory of
    // its names is freed and the next file overwrites it.
    const md5_arena_mark before = md5i_arena_position(&game->arena);
    md5_game_entry *const entry = &game->entries[game->num_entries];
    *entry = (md5_game_entry){.path = path_index, .file = file};
    TRY(set_entry_names(game, name, path->is_archive, entry));
    if (!is_reachable(entry->name)) {
        md5i_arena_rewind(&game->arena, before);
        return true;
    }

    void **const found = md5i_name_map_find(&game->files, entry->name);
    if (found) {
        md5_game_entry *const existing = (md5_game_entry *)*found;
        if (path->is_archive && existing->path == path_index)
            existing->file = file;
        md5i_arena_rewind(&game->arena, before);
        return true;
    }

    void **const added = md5i_name_map_add(&game->files, &game->arena, entry->name);
    TRY(added);
    *added = entry;
    game->num_entries++;
    return true;
}

// Lists the files of all search paths of a game. A file in an earlier search path hides files of
// the same name in later search paths. Returns false if memory runs out.
bool md5i_game_index_files(md5_game *game)
{
    size_t count = 0;
    for (size_t i = 0; i < game->num_paths; i++)
        count += game->paths[i].num_files;
    game->entries = MD5_ALLOC_ZEROED(&game->arena, md5_game_entry, count);
    TRY(game->entries);
    for (size_t i = 0; i < game->num_paths; i++) {
        for (size_t file = 0; file < game->paths[i].num_files; file++)
            TRY(add_file(game, (uint32_t)i, file));
    }
    return true;
}

// -- Search ---------------------------------------------------------------------------------------

// Returns the file that the engine would open for a name, or NULL. Case is ignored.
const md5_game_entry *md5i_game_find_file(const md5_game *game, const char *name)
{
    enum { CAPACITY = 1024 };
    char folded[CAPACITY];
    while (*name == '/' || *name == '\\')
        name++;
    const size_t length = strlen(name);
    if (length >= CAPACITY)
        return NULL;
    memcpy(folded, name, length + 1);
    fold_name(folded, '\0');
    if (!is_reachable(folded))
        return NULL;
    void **const found = md5i_name_map_find(&game->files, folded);
    return found ? (const md5_game_entry *)*found : NULL;
}

// Opens a file and returns its bytes. `max_size` limits the size, unless it is 0. The caller must
// close the file with md5i_game_close_file(). On failure returns NULL and writes the reason to
// error->message.
const char *md5i_game_open_file(const md5_game *game, const md5_game_entry *entry, size_t max_size,
                                size_t *size, md5_error *error)
{
    const md5_game_path *const path = &game->paths[entry->path];
    *size = max_size;
    const char *const bytes = (const char *)path->open(path->user, entry->file, size, error);
    if (!bytes || max_size == 0 || *size <= max_size)
        return bytes;
    path->close(path->user, bytes, *size);
    (void)snprintf(error->message, sizeof error->message,
                   "too large: expected at most %zu bytes, found %zu", max_size, *size);
    return NULL;
}

// Releases bytes that md5i_game_open_file() returned.
void md5i_game_close_file(const md5_game *game, const md5_game_entry *entry, const char *bytes,
                          size_t size)
{
    const md5_game_path *const path = &game->paths[entry->path];
    path->close(path->user, bytes, size);
}

size_t md5_game_num_files(const md5_game *game)
{
    MD5_ASSERT_ALIVE(game, MD5_TAG_GAME);
    return game->num_entries;
}

const char *md5_game_file(const md5_game *game, size_t index)
{
    MD5_ASSERT_ALIVE(game, MD5_TAG_GAME);
    return index < game->num_entries ? game->entries[index].spelled : NULL;
}

// Returns true if fold_name() would convert a name of a search path to `folded`.
static bool folds_to(const md5_game_path *path, const char *name, const char *folded)
{
    const char separator = path->is_archive ? ':' : '\0';
    for (; *name && *folded; name++, folded++) {
        const char c = is_separator(*name, separator) ? '/' : md5_lower(*name);
        if (c != *folded)
            return false;
    }
    return *name == *folded;
}

// Returns true if a search path contains a file with a folded name. Compares all files of the
// search path, because the index contains only the first search path with the file.
static bool has_file(const md5_game_path *path, const char *folded)
{
    for (size_t file = 0; file < path->num_files; file++) {
        const char *const name = path->name(path->user, file);
        if (name && folds_to(path, name, folded))
            return true;
    }
    return false;
}

// Returns the index of the first search path that contains a file with this name, or MD5_NONE.
// Search paths before paths[from] are ignored.
uint32_t md5_game_find_file(const md5_game *game, const char *name, uint32_t from)
{
    MD5_ASSERT_ALIVE(game, MD5_TAG_GAME);
    MD5_ASSERT_NOT_NULL(name);
    const md5_game_entry *const entry = md5i_game_find_file(game, name);
    if (!entry)
        return MD5_NONE;

    // The index contains the file of the first search path that contains it. Later search paths
    // must be searched.
    const uint32_t first = entry->path > from ? entry->path : from;
    for (uint32_t i = first; i < game->num_paths; i++) {
        if (i == entry->path || has_file(&game->paths[i], entry->name))
            return i;
    }
    return MD5_NONE;
}

// -- Files for loaders ----------------------------------------------------------------------------

static void set_reason(md5_error *error, const char *reason)
{
    memcpy(error->message, reason, strlen(reason) + 1);
}

// Opens a file of the game for a loader of the library. This is the function md5_files.open.
// Returns a copy of the file's bytes, because a loader closes a file by its bytes, but a search
// path closes it by its index. Returns NULL and sets the message of `error` on failure.
static const void *open_for_loader(void *user, const char *path, size_t *size, md5_error *error)
{
    const md5_game *const game = (const md5_game *)user;
    const md5_allocator *const allocator = &game->context.allocator;
    const md5_game_entry *const entry = md5i_game_find_file(game, path);
    if (!entry) {
        set_reason(error, "file not found in the folders and archives of the game");
        return NULL;
    }

    const char *const bytes = md5i_game_open_file(game, entry, 0, size, error);
    if (!bytes)
        return NULL;

    void *const copy = allocator->alloc(allocator->user, *size ? *size : 1);
    if (!copy)
        set_reason(error, "out of memory");
    else if (*size > 0)
        memcpy(copy, bytes, *size);

    md5i_game_close_file(game, entry, bytes, *size);
    return copy;
}

static void close_for_loader(void *user, const void *bytes, size_t size)
{
    const md5_allocator *const allocator = &((const md5_game *)user)->context.allocator;
    allocator->free(allocator->user, (void *)(uintptr_t)bytes, size ? size : 1);
}

md5_files md5_game_files(md5_game *game)
{
    MD5_ASSERT_ALIVE(game, MD5_TAG_GAME);
    return (md5_files){.open = open_for_loader, .close = close_for_loader, .user = game};
}

// Game folders. Splits their locations and addresses, lists the names of their contents, and reads
// them on a thread.
#include "demo/viewer/assets/library.h"

#include "demo/convert/convert.h"
#include "demo/viewer/platform/platform.h"

#include <stdatomic.h>

bool view_is_converted(const char *path)
{
    const char *const ending = strrchr(common_base(path), '.');
    return convert_can_read(path) && !common_contains(ending, "md5")
           && !common_has_suffix(path, ".bcanim");
}

// Returns true if a folder contains a file with an extension.
static bool contains_files(const char *path, const char *extension)
{
    common_list files = common_list_folder(path, extension);
    const bool has_files = files.count > 0;
    common_free_list(&files);
    return has_files;
}

// Returns true if a location can be opened as a game. Any archive can be opened. A folder must
// contain an archive of a game, or a folder of declarations.
bool view_is_game(const char *path)
{
    static const char *const subfolders[] = {"def", "materials", "skins"};
    static const char *const archives[] = {".pk4", ".pk3", ".pak"};
    if (!common_is_folder(path)) // an archive, or several locations
        return true;
    for (size_t i = 0; i < COMMON_LENGTH(subfolders); i++) {
        char *const subfolder = common_join(path, subfolders[i]);
        const bool exists = common_is_folder(subfolder);
        free(subfolder);
        if (exists)
            return true;
    }
    for (size_t i = 0; i < COMMON_LENGTH(archives); i++) {
        if (contains_files(path, archives[i]))
            return true;
    }
    return false;
}

// Splits a location at each "|". File names cannot contain "|" on Windows, and rarely do on other
// systems. A path that exists is therefore not split.
common_list view_split_location(const char *location)
{
    common_list list = {NULL, 0};
    const bool is_path = common_is_folder(location) || common_is_file(location);
    const char *const separators = is_path ? "" : "|";
    const char *part = location;
    while (part != NULL) {
        size_t length = strcspn(part, separators);
        const char *const end = part + length;
        while (length > 1 && part[length - 1] == '/')
            length--;
        common_add(&list, common_format("%.*s", (int)length, part));
        part = *end != '\0' ? end + 1 : NULL;
    }
    return list;
}

// Appends a location to a text of locations, and frees the previous text. NULL is the empty text.
static char *append_location(char *locations, const char *location)
{
    if (locations == NULL)
        return common_copy(location);
    common_extend(&locations, "|%s", location);
    return locations;
}

// Returns the path of the base of a mod, which the caller frees. The base is the game that the mod
// extends, in a folder next to the folder `path` of the mod. Returns NULL if there is none.
static char *find_base(const char *path)
{
    static const char *const names[] = {"base", "q4base"};
    // The path may be "." or "..", whose parent is found by appending "..".
    const char *const name = common_base(path);
    const bool is_relative = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
    char *const parent = is_relative ? common_join(path, "..") : common_folder(path);
    char *found = NULL;
    for (size_t i = 0; i < COMMON_LENGTH(names) && found == NULL; i++) {
        char *const base = common_join(parent, names[i]);
        if (common_is_folder(base) && view_is_game(base) && !common_same_file(base, path))
            found = base;
        else
            free(base);
    }
    free(parent);
    return found;
}

// Returns the location of a game, followed by its bases. A mod uses the files of its bases. If no
// bases are given, searches the base among the neighbors of the folder.
char *view_with_bases(const char *location, const char **bases, size_t num_bases)
{
    char *locations = common_copy(location);
    for (size_t i = 0; i < num_bases; i++)
        locations = append_location(locations, bases[i]);
    if (num_bases > 0 || !common_is_folder(location))
        return locations;

    // The folder may be a mod.
    common_list parts = view_split_location(location);
    const char *const path = parts.names[0]; // without slashes at the end
    char *const base = find_base(path);
    if (base != NULL) {
        free(locations);
        locations = append_location(common_copy(path), base);
    }
    free(base);
    common_free_list(&parts);
    return locations;
}

// Returns the title of a location, such as "games/mod + base", which the caller frees. A
// location consists of the folder of a mod and the folders of the games on which it is based.
char *view_location_title(const char *location)
{
    common_list parts = view_split_location(location);
    char *title = common_copy(parts.names[0]);
    for (size_t i = 1; i < parts.count; i++)
        common_extend(&title, " + %s", common_base(parts.names[i]));
    common_free_list(&parts);
    return title;
}

// -- Names in a library --------------------------------------------------------------------------

// Type of the declarations whose names a section lists. VIEW_ANIMS has no declarations: it lists
// files.
static const md5_decl_type declared[VIEW_NUM_SECTIONS] = {
    [VIEW_ENTITIES] = MD5_DECL_ENTITY,
    [VIEW_MODELS] = MD5_DECL_MODEL,
    [VIEW_ANIMS] = MD5_NUM_DECL_TYPES,
    [VIEW_SKINS] = MD5_DECL_SKIN,
};

// Maximum number of keys that is_character() examines in all entityDefs of a game. An entityDef
// inherits the keys of its ancestors. The number therefore grows with the square of the length of a
// chain of ancestors.
enum { MAX_KEYS = 500000 };

// Returns true if an entityDef has a model of MD5 files, which the viewer can show. Adds the number
// of examined keys to *num_keys. Above MAX_KEYS, returns true for all entities without examining
// them.
static bool is_character(md5_game *game, const char *name, uint64_t *num_keys)
{
    if (*num_keys > MAX_KEYS)
        return true;
    const md5_entity_def *const def = md5_game_entity_def(game, name, NULL);
    const char *const model = def != NULL ? md5_entity_def_value(def, "model") : NULL;
    *num_keys += def != NULL ? def->num_keys : MAX_KEYS; // out of memory
    if (model == NULL)
        return false;
    return common_has_suffix(model, ".md5mesh")
           || md5_find_decl(game, MD5_DECL_MODEL, model) != NULL;
}

static void add_name(view_library *library, view_section section, const char *name)
{
    *COMMON_ADD_ITEM(library->names[section], library->num_names[section]) = name;
}

// The locations of the mod precede the locations of its base. Compares the index of the location
// that contains the name's file with the number of locations of the mod.
bool view_is_from_mod(const view_library *library, view_section section, size_t name)
{
    const bool has_base = library->num_mod_paths < library->search_paths.count;
    if (!has_base)
        return false;
    // A name is declared in a file, or is the name of a file.
    const char *const text = library->names[section][name];
    const md5_decl *const decl = md5_find_decl(library->game, declared[section], text);
    const bool is_declared = decl != NULL && decl->file != NULL;
    const char *const file = is_declared ? decl->file : text;
    return md5_game_find_file(library->game, file, 0) < library->num_mod_paths;
}

// -- Opening --------------------------------------------------------------------------------

// Callback of md5_load_opts: adds a warning to the log of the library.
static void warn(void *user, const md5_error *warning)
{
    const view_library *const library = user;
    if (library->log != NULL)
        view_log_warning(library->log, warning);
}

// Sets `error` to a failure of opening a location. Always returns false.
static bool fail(md5_error *error, const char *location, const char *why)
{
    *error = (md5_error){.status = MD5_ERROR_IO};
    COMMON_TEXT(error->message, "%s", why);
    COMMON_TEXT(error->file, "%s", location);
    return false;
}

// Lists the names that a section shows of the declarations in files, sorted by text. Built-in
// declarations do not have a file.
static void list_declarations(view_library *library, view_section section)
{
    md5_game *const game = library->game;
    uint64_t num_keys = 0;
    for (uint32_t i = 0; i < md5_game_num_decls(game, declared[section]); i++) {
        const md5_decl *const decl = md5_game_decl(game, declared[section], i);
        if (decl->file == NULL)
            continue;
        if (section != VIEW_ENTITIES || is_character(game, decl->name, &num_keys))
            add_name(library, section, decl->name);
    }
    common_sort((void *)library->names[section], library->num_names[section], sizeof(char *),
                common_order_by_text);
}

// Lists the names of a library: first the declarations, then the files.
static void list_names(view_library *library)
{
    md5_game *const game = library->game;
    for (view_section section = 0; section < VIEW_NUM_SECTIONS; section++)
        list_declarations(library, section);
    for (size_t i = 0; i < md5_game_num_files(game); i++) {
        const char *const file = md5_game_file(game, i);
        if (common_has_suffix(file, ".md5mesh"))
            add_name(library, VIEW_MODELS, file);
        else if (common_has_suffix(file, ".md5anim"))
            add_name(library, VIEW_ANIMS, file);
    }
}

// Adds the folders and archives of a location to the library. The first of them is the mod, if
// there are several. Returns false and fills `error` on failure.
static bool add_locations(view_library *library, const char *location, md5_error *error)
{
    common_game_paths *const paths = &library->search_paths;
    common_list parts = view_split_location(location); // without slashes at their ends
    bool is_added = true;
    for (size_t i = 0; i < parts.count; i++) {
        const char *const part = parts.names[i];
        md5_error reason;
        library->location = append_location(library->location, part);
        if (is_added && !common_add_game_path(paths, part, &reason))
            is_added = fail(error, part, reason.message);
        if (i == 0)
            library->num_mod_paths = paths->count;
    }
    common_free_list(&parts);
    return is_added;
}

// Opens the files of the locations and reads the declarations. Returns NULL and fills `error` on
// failure, or if the callback of the library stopped it.
static md5_game *open_game(view_library *library, const char *location, md5_error *error)
{
    const common_game_paths *const paths = &library->search_paths;
    if (!add_locations(library, location, error))
        return NULL;
    if (paths->should_continue != NULL && !paths->should_continue(paths->user, 0)) {
        fail(error, location, "stopped");
        return NULL;
    }
    return md5_create_game(paths->paths, paths->count, &library->opts, error);
}

// Opens the files of a game, reads its declarations and lists the names that the viewer can
// show.
view_library *view_open_library(const char *location, view_opening_fn *on_file, void *user,
                                md5_error *error)
{
    view_library *const library = common_alloc(1, sizeof *library);
    *library = (view_library){
        .num_users = 1,
        .search_paths = {.should_continue = on_file, .user = user},
        .opts = {.warn = warn, .warn_user = library, .max_warnings = 1000},
    };
    library->game = open_game(library, location, error);
    if (library->game == NULL) {
        view_drop_library(library);
        return NULL;
    }
    list_names(library);
    return library;
}

// Releases a reference to a library. The last release frees it. A library is shared by
// documents, the list of the game and exports. Each of them has one reference.
void view_drop_library(view_library *library)
{
    if (library == NULL || --library->num_users > 0)
        return;
    md5_destroy_game(library->game);
    common_free_game_paths(&library->search_paths);
    for (int i = 0; i < VIEW_NUM_SECTIONS; i++)
        free(library->names[i]);
    free(library->location);
    free(library);
}

// -- Addresses ------------------------------------------------------------------------------

// Splits an address FOLDER::NAME or FOLDER::NAME::SKIN. Returns false if it is not an address.
bool view_read_address(const char *text, view_address *address)
{
    const char *const name = strstr(text, "::");
    *address = (view_address){NULL, NULL, NULL};
    if (name == NULL)
        return false;
    const char *const skin = strstr(name + 2, "::");
    address->location = common_format("%.*s", (int)(name - text), text);
    address->name = common_copy(name + 2);
    if (skin != NULL) {
        address->name[skin - name - 2] = '\0';
        address->skin = common_copy(skin + 2);
    }
    return true;
}

void view_free_address(view_address *address)
{
    free(address->location);
    free(address->name);
    free(address->skin);
    *address = (view_address){NULL, NULL, NULL};
}

bool view_is_address(const char *text)
{
    view_address address;
    if (!view_read_address(text, &address))
        return false;
    view_free_address(&address);
    return true;
}

char *view_make_address(const char *location, const char *name, const char *skin)
{
    return skin != NULL ? common_format("%s::%s::%s", location, name, skin)
                        : common_format("%s::%s", location, name);
}

// -- Similar names --------------------------------------------------------------------------

enum { NUM_SIMILAR = 3, MAX_QUERY_LENGTH = 48 };

// A name that is similar to a query. A smaller difference is better; SIZE_MAX: no name.
typedef struct similar_name {
    const char *name;
    size_t difference;
} similar_name;

// Inserts a name into the list `best`, which is sorted by difference and contains the best names so
// far. Ignores a name that is already in the list, because an entity and a model may have the same
// name.
static void insert_similar(similar_name best[NUM_SIMILAR], similar_name candidate)
{
    // If the new name takes a rank, the name at this rank moves to the next rank.
    similar_name inserted = candidate;
    for (int rank = 0; rank < NUM_SIMILAR && inserted.difference < SIZE_MAX; rank++) {
        if (best[rank].name != NULL && strcmp(best[rank].name, inserted.name) == 0)
            return;
        if (inserted.difference < best[rank].difference) {
            const similar_name moved = best[rank];
            best[rank] = inserted;
            inserted = moved;
        }
    }
}

// Rates a name by its edit distance to a query of `length` characters. A name may have one error
// per four letters. Of two names with the same distance, the shorter has the smaller difference.
static similar_name compare_name(const char *query, size_t length, const char *name)
{
    const size_t distance = common_edit_distance(query, length, name, true);
    if (distance > length / 4)
        return (similar_name){name, SIZE_MAX};
    return (similar_name){name, distance * (COMMON_MAX_NAME_LENGTH + 1) + strlen(name)};
}

// Writes the names that are most similar to `query`, a name that does not exist, for an error
// message.
void view_list_similar(const view_library *library, const char *query, char *text, size_t size)
{
    similar_name best[NUM_SIMILAR];
    for (int i = 0; i < NUM_SIMILAR; i++)
        best[i] = (similar_name){NULL, SIZE_MAX};

    // Skins are omitted, because they cannot be opened. A query of few letters would be similar to
    // too many names.
    const size_t length = strlen(query);
    const bool is_query = length >= 3 && length <= MAX_QUERY_LENGTH;
    const int num_sections = is_query ? VIEW_NUM_SECTIONS - 1 : 0;
    for (int section = 0; section < num_sections; section++) {
        for (size_t i = 0; i < library->num_names[section]; i++)
            insert_similar(best, compare_name(query, length, library->names[section][i]));
    }

    text[0] = '\0';
    for (int i = 0; i < NUM_SIMILAR && best[i].name != NULL; i++)
        common_append(text, size, ", ", "%s", best[i].name);
}

// -- On a thread ---------------------------------------------------------------------------------

// A view_scan with its private members. They are shared by the caller's thread and the scanning
// thread.
typedef struct scan_state {
    view_scan shown; // the first member, so that a pointer to it is a pointer to this structure
    view_thread *thread;
    atomic_size_t num_files;
    atomic_bool stops;
    atomic_bool has_ended;
    view_library *library; // owned by the thread until it has ended
    md5_error error;
} scan_state;

// Callback of view_open_library(): publishes the number of files. Returns false to abort opening
// after view_stop_scan() was called.
static bool count_files(void *user, size_t num_files)
{
    scan_state *const state = user;
    if (num_files > 0)
        atomic_store(&state->num_files, num_files);
    return !atomic_load(&state->stops);
}

// Main function of the thread: opens the library. Always returns 0.
static int run(void *user)
{
    scan_state *const state = user;
    state->library = view_open_library(state->shown.location, count_files, state, &state->error);
    atomic_store(&state->has_ended, true);
    return 0;
}

// Starts to open a game on a thread. If no thread can be started, opens the folder before it
// returns. Never returns NULL; the caller frees the result with view_end_scan() or
// view_stop_scan().
view_scan *view_begin_scan(const char *location)
{
    scan_state *const state = common_alloc(1, sizeof *state);
    state->shown.location = common_copy(location);
    state->thread = view_start_thread(run, "scan", state);
    if (state->thread == NULL)
        run(state);
    return &state->shown;
}

bool view_is_scan_done(view_scan *scan, size_t *num_files)
{
    scan_state *const state = (scan_state *)scan;
    *num_files = atomic_load(&state->num_files);
    return atomic_load(&state->has_ended);
}

// Waits for the thread of a scan, and returns the library that it has opened, or NULL and its
// error. Frees the scan.
view_library *view_end_scan(view_scan *scan, md5_error *error)
{
    scan_state *const state = (scan_state *)scan;
    view_wait_thread(state->thread, "scan");
    view_library *const library = state->library;
    *error = state->error;
    if (library != NULL) {
        // The callback refers to `state`, which is freed here, so remove it from the library.
        library->search_paths.should_continue = NULL;
        library->search_paths.user = NULL;
    }
    free(scan->location);
    free(state);
    return library;
}

// Stops and frees a scan. Waits until the thread has noticed the request to stop, and drops the
// library if it was opened nevertheless.
void view_stop_scan(view_scan *scan)
{
    md5_error error = {0};
    if (scan == NULL)
        return;
    atomic_store(&((scan_state *)scan)->stops, true);
    view_drop_library(view_end_scan(scan, &error));
}

#include "demo/viewer/scene/library.h"

#include "demo/common/file.h"
#include "demo/viewer/scene/game_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Names ----------------------------------------------------------------------------------

const char *view_section_name(view_section section)
{
    static const char *const names[VIEW_NUM_SECTIONS] = {"entities", "models", "clips", "skins"};
    return names[section];
}

// Counts, and with `names` also writes, the files of a game that end so.
static size_t take_files(const md5_game *game, const char *ending, const char **names)
{
    const size_t num_files = md5_game_num_files(game);
    size_t count = 0;
    for (size_t i = 0; i < num_files; i++) {
        const char *const name = md5_game_file(game, i);
        if (!common_has_ending(name, ending))
            continue;
        if (names != NULL)
            names[count] = name;
        count++;
    }
    return count;
}

// Keys of all entityDefs that are looked at. Those of a long line of ancestors are the square of
// its length: all beyond are listed, whatever model they have.
enum { MOST_KEYS = 500000 };

// Whether an entityDef has a model of MD5 files.
static bool is_character(md5_game *game, const char *name, uint64_t *num_keys)
{
    if (*num_keys > MOST_KEYS)
        return true;
    const md5_entity_def *const def = md5_game_entity_def(game, name, NULL);
    const char *const model = def != NULL ? md5_entity_def_value(def, "model") : NULL;
    *num_keys += def != NULL ? def->num_keys : MOST_KEYS; // memory has run out
    return model != NULL
           && (common_has_ending(model, ".md5mesh")
               || md5_find_decl(game, MD5_DECL_MODEL, model) != NULL);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void take_decls(view_library *library, view_section section, md5_decl_type type)
{
    md5_game *const game = library->game;
    const uint32_t num_decls = md5_game_num_decls(game, type);
    const size_t num_files = section == VIEW_MODELS ? take_files(game, ".md5mesh", NULL) : 0;
    const char **const names = common_alloc(num_decls + num_files + 1, sizeof *names);
    size_t count = 0;
    uint64_t num_keys = 0;
    for (uint32_t i = 0; i < num_decls; i++) {
        const md5_decl *const decl = md5_game_decl(game, type, i);
        if (decl->file != NULL
            && (section != VIEW_ENTITIES || is_character(game, decl->name, &num_keys)))
            names[count++] = decl->name;
    }
    if (count > 0)
        qsort(names, count, sizeof *names, by_name);
    if (section == VIEW_MODELS)
        count += take_files(game, ".md5mesh", names + count);
    library->names[section] = names;
    library->num_names[section] = count;
}

static void take_names(view_library *library)
{
    take_decls(library, VIEW_ENTITIES, MD5_DECL_ENTITY);
    take_decls(library, VIEW_MODELS, MD5_DECL_MODEL);
    take_decls(library, VIEW_SKINS, MD5_DECL_SKIN);
    const size_t count = take_files(library->game, ".md5anim", NULL);
    library->names[VIEW_ANIMS] = common_alloc(count + 1, sizeof *library->names[VIEW_ANIMS]);
    library->num_names[VIEW_ANIMS] =
        take_files(library->game, ".md5anim", library->names[VIEW_ANIMS]);
}

// -- Names of a mod -------------------------------------------------------------------------

// The number of files of the mod, which come first.
static size_t count_own_files(const view_library *library)
{
    size_t first = 0, end = md5_game_num_files(library->game);
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        const char *const file = md5_game_file(library->game, middle);
        if (md5_game_file_place(library->game, file, 0) < library->num_own)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

// The file that a name stands for, or in which it is declared.
static const char *file_of(const view_library *library, view_section section, const char *name)
{
    static const md5_decl_type types[VIEW_NUM_SECTIONS] = {[VIEW_ENTITIES] = MD5_DECL_ENTITY,
                                                           [VIEW_MODELS] = MD5_DECL_MODEL,
                                                           [VIEW_SKINS] = MD5_DECL_SKIN};
    const md5_decl *const decl =
        section != VIEW_ANIMS ? md5_find_decl(library->game, types[section], name) : NULL;
    return decl != NULL && decl->file != NULL ? decl->file : name;
}

static void mark_own_names(view_library *library)
{
    const size_t count = count_own_files(library);
    const char **const files = common_alloc(count + 1, sizeof *files);
    for (size_t i = 0; i < count; i++)
        files[i] = md5_game_file(library->game, i);
    if (count > 0)
        qsort(files, count, sizeof *files, by_name);
    for (int section = 0; section < VIEW_NUM_SECTIONS; section++) {
        const size_t num_names = library->num_names[section];
        library->are_own[section] = common_alloc(num_names + 1, sizeof(bool));
        for (size_t i = 0; i < num_names; i++) {
            const char *const file =
                file_of(library, (view_section)section, library->names[section][i]);
            library->are_own[section][i] =
                count > 0 && bsearch(&file, files, count, sizeof *files, by_name) != NULL;
        }
    }
    free(files);
}

bool view_is_own(const view_library *library, view_section section, size_t name)
{
    return library->are_own[section] != NULL && library->are_own[section][name];
}

// -- Opening --------------------------------------------------------------------------------

static void warn(void *user, const md5_error *warning)
{
    const view_library *const library = user;
    if (library->log != NULL)
        view_log_warning(library->log, warning);
}

static bool fail(md5_error *error, const char *place, const char *why)
{
    *error = (md5_error){.status = MD5_ERROR_IO};
    (void)snprintf(error->message, sizeof error->message, "%s", why);
    (void)snprintf(error->file, sizeof error->file, "%s", place);
    return false;
}

static bool add_place(view_library *library, const char *path, md5_error *error)
{
    char reason[160];
    if (common_is_folder(path))
        return common_add_game_folder(&library->places, path);
    return common_add_game_archive(&library->places, path, reason, sizeof reason)
           || fail(error, path, reason);
}

// Adds the folders and archives of `place`, and writes it without slashes at their ends.
static bool add_places(view_library *library, const char *place, md5_error *error)
{
    common_list parts = view_split_place(place);
    bool are_added = true;
    for (size_t i = 0; i < parts.count; i++) {
        char *const longer =
            i > 0 ? view_put_behind(library->place, parts.names[i]) : common_copy(parts.names[0]);
        free(library->place);
        library->place = longer;
        are_added = are_added && add_place(library, parts.names[i], error);
        library->num_own = i == 0 ? library->places.count : library->num_own;
    }
    common_free_list(&parts);
    return are_added;
}

view_library *view_open_library(const char *place, view_opening_fn *on_file, void *user,
                                md5_error *error)
{
    view_library *const library = common_alloc(1, sizeof *library);
    const md5_load_opts opts = {.warn = warn, .warn_user = library, .max_warnings = 1000};
    *library = (view_library){.num_users = 1};
    library->places.goes_on = on_file;
    library->places.user = user;
    if (add_places(library, place, error)) {
        if (on_file != NULL && !on_file(user, 0))
            (void)fail(error, place, "stopped");
        else
            library->game =
                md5_create_game(library->places.paths, library->places.count, &opts, error);
    }
    if (library->game == NULL) {
        view_drop_library(library);
        return NULL;
    }
    take_names(library);
    if (library->num_own < library->places.count)
        mark_own_names(library);
    return library;
}

view_library *view_share_library(view_library *library)
{
    if (library != NULL)
        library->num_users++;
    return library;
}

void view_drop_library(view_library *library)
{
    if (library == NULL || --library->num_users > 0)
        return;
    md5_destroy_game(library->game);
    common_free_game_places(&library->places);
    for (int i = 0; i < VIEW_NUM_SECTIONS; i++) {
        free(library->names[i]);
        free(library->are_own[i]);
    }
    free(library->place);
    free(library);
}

// -- Addresses ------------------------------------------------------------------------------

bool view_is_address(const char *text)
{
    return strstr(text, "::") != NULL;
}

bool view_read_address(const char *text, view_address *address)
{
    const char *const name = strstr(text, "::");
    *address = (view_address){NULL, NULL, NULL};
    if (name == NULL)
        return false;
    const char *const skin = strstr(name + 2, "::");
    address->place = common_copy(text);
    address->place[name - text] = '\0';
    address->name = common_copy(name + 2);
    if (skin != NULL) {
        address->name[skin - name - 2] = '\0';
        address->skin = common_copy(skin + 2);
    }
    return true;
}

void view_free_address(view_address *address)
{
    free(address->place);
    free(address->name);
    free(address->skin);
    *address = (view_address){NULL, NULL, NULL};
}

char *view_make_address(const char *place, const char *name, const char *skin)
{
    return skin != NULL ? common_format("%s::%s::%s", place, name, skin)
                        : common_format("%s::%s", place, name);
}

// -- Similar names --------------------------------------------------------------------------

enum { NUM_SIMILAR = 3, LONGEST_ASKED = 48, LONGEST_NAME = 255 };

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

// The least number of insertions, deletions and exchanges that turn `asked` into a part of `name`
// (Sellers 1980). Both are at most as long as above.
static size_t distance_of(const char *asked, const char *name)
{
    size_t row[LONGEST_NAME + 1] = {0};
    const size_t width = strlen(name);
    for (size_t i = 1; asked[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            const size_t exchange = diagonal + (lower(asked[i - 1]) != lower(name[j - 1]));
            const size_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = exchange < other ? exchange : other;
        }
    }
    size_t least = row[0];
    for (size_t j = 1; j <= width; j++)
        least = row[j] < least ? row[j] : least;
    return least;
}

// SIZE_MAX if the names are not alike; one mistake in four letters is. Of names that are equally
// alike the shorter ones come first.
static size_t difference_of(const char *name, const char *asked)
{
    const size_t length = strlen(asked), width = strlen(name);
    if (length < 3 || length > LONGEST_ASKED || width > LONGEST_NAME)
        return SIZE_MAX;
    const size_t distance = distance_of(asked, name);
    return distance <= length / 4 ? distance * (LONGEST_NAME + 1) + width : SIZE_MAX;
}

void view_list_similar(const view_library *library, const char *asked, char *text, size_t size)
{
    const char *best[NUM_SIMILAR] = {NULL};
    size_t differences[NUM_SIMILAR] = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
    for (int section = 0; section < VIEW_NUM_SECTIONS - 1; section++) // skins are not opened
        for (size_t i = 0; i < library->num_names[section]; i++) {
            const char *candidate = library->names[section][i];
            size_t difference = difference_of(candidate, asked);
            for (int rank = 0; rank < NUM_SIMILAR && difference < SIZE_MAX; rank++) {
                if (best[rank] != NULL && strcmp(best[rank], candidate) == 0)
                    break; // an entity and a model of one name
                if (difference >= differences[rank])
                    continue;
                const char *const pushed = best[rank];
                const size_t its_difference = differences[rank];
                best[rank] = candidate;
                differences[rank] = difference;
                candidate = pushed;
                difference = its_difference;
            }
        }
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < NUM_SIMILAR && best[i] != NULL && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", best[i]);
}

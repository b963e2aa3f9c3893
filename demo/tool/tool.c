// Functions that the commands share: messages, loading files of any kind, folders and archives.
#include "demo/tool/tool.h"

#include "demo/common/system.h"
#include "demo/common/write.h"

#include <errno.h>

// == Messages =====================================================================================

// Prints the error and a reference to the help of the command, or of md5tool, as one line.
int tool_usage(const char *command, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (command)
        common_print(stderr, "md5tool: %s: %s (see md5tool %s --help)\n", command, text, command);
    else
        common_print(stderr, "md5tool: %s (see md5tool --help)\n", text);
    return TOOL_BAD_USAGE;
}

// Returns true and prints an error if an option that modifies root motion has no effect. These
// options only modify --root-motion, so a user who gives them alone has forgotten it.
bool tool_lacks_root_motion(const tool_arguments *arguments, const char *command)
{
    const md5_root_edit *const root = &arguments->root_edit;
    if (root->joint || !(root->moves_height || root->moves_heading))
        return false;
    tool_usage(command,
               "--root-height and --root-heading have no effect without --root-motion JOINT");
    return true;
}

void tool_print_error(void *user, const md5_error *error)
{
    char text[TOOL_MESSAGE];
    (void)user;
    md5_format_error(error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
}

int tool_end(bool is_done, const md5_error *error)
{
    if (!is_done)
        tool_print_error(NULL, error);
    return is_done ? TOOL_OK : TOOL_BAD_FILE;
}

bool tool_show_search(void *user, size_t num_files)
{
    (void)user;
    if (common_is_terminal(2) && num_files > 0)
        fprintf(stderr, "\r%zu %s\r", num_files, common_noun(num_files, "file", "files"));
    return true;
}

// Prints the progress on standard error, or removes it if `done` equals `count`. Does nothing if
// standard error is not a terminal. Prints at most 256 times, however large `count` is.
void tool_show_progress(size_t done, size_t count)
{
    enum { STEPS = 256 };
    if (!common_is_terminal(2))
        return;
    if (done == count)
        fputs("\r                              \r", stderr);
    else if (done % (count / STEPS + 1) == 0)
        fprintf(stderr, "\r%zu of %zu", done, count);
}

// Returns the edit distance that a suggestion for a wrong name of this length must be below. For a
// long name, it is about a third of the length. For a short name it is less: otherwise "fix" would
// be suggested for "foo".
static size_t max_distance(size_t length)
{
    const size_t third = length / 3 + 2;
    const size_t half = length / 2 + 1;
    return third < half ? third : half;
}

// Makes `name` the nearest name if it is more similar to `wrong` than the nearest name so far. The
// similarity is measured by the edit distance.
void tool_compare_name(tool_nearest *nearest, const char *wrong, const char *name)
{
    const size_t length = strlen(wrong);
    const size_t size = strlen(name);
    const size_t cost = length * size + 1; // comparisons of characters in common_edit_distance()
    const size_t limit = nearest->name ? nearest->distance : max_distance(length);
    // The edit distance is at least the difference of the lengths, so many names need no
    // comparison.
    const size_t min_distance = size > length ? size - length : length - size;
    if (nearest->work < cost || min_distance >= limit)
        return;
    nearest->work -= cost;
    const size_t distance = common_edit_distance(wrong, length, name, false);
    if (distance < limit) {
        nearest->name = name;
        nearest->distance = distance;
    }
}

// Sets `error` to the reason in errno why a file cannot be written. Returns false.
static bool fail_to_write(const char *path, md5_error *error)
{
    return convert_fail(error, MD5_ERROR_IO, path, "cannot write the file: %s", strerror(errno));
}

// Writes a text to a file, or to standard output if `path` is NULL. A file replaces an existing
// file only if it was written completely.
bool tool_write_text(const char *path, const char *text, size_t size, md5_error *error)
{
    common_writer writer;
    const char *const title = path ? path : "standard output";
    if (!common_begin_file(&writer, path, false))
        return fail_to_write(title, error);
    const bool is_complete = fwrite(text, 1, size, writer.file) == size;
    if (!common_end_file(&writer, is_complete))
        return fail_to_write(title, error);
    return true;
}

// Prints the document as MD5 text in memory, then writes the text like tool_write_text().
bool tool_write_doc(const char *path, const md5_doc *doc, md5_error *error)
{
    size_t size = 0;
    char *text = NULL;
    const bool is_written =
        convert_print_doc(doc, &text, &size, error) && tool_write_text(path, text, size, error);
    free(text);
    return is_written;
}

// == Loading ======================================================================================
//
// Files of any kind are recognized by their extension or contents.

static const struct {
    tool_kind kind;
    const char *extension;
} kinds[] = {
    {TOOL_MODEL, ".md5mesh"},      {TOOL_ANIM, ".md5anim"},      {TOOL_CAMERA, ".md5camera"},
    {TOOL_BFG_MODEL, ".bmd5mesh"}, {TOOL_BFG_ANIM, ".bmd5anim"}, {TOOL_MACHINE, ".md5machine"},
    {TOOL_CUBE, "md5.cfg"},
};
enum { NUM_KINDS = COMMON_LENGTH(kinds) };

// Returns the kind of a file by its extension, or TOOL_UNKNOWN.
tool_kind tool_file_kind(const char *path)
{
    for (int i = 0; i < NUM_KINDS; i++) {
        if (common_has_suffix(path, kinds[i].extension))
            return kinds[i].kind;
    }
    return TOOL_UNKNOWN;
}

// Keywords that only texts of one kind contain.
static const struct {
    const char *keyword;
    tool_kind kind;
} distinct_keywords[] = {
    {"numMeshes", TOOL_MODEL},  {"nummeshes", TOOL_MODEL}, {"numAnimatedComponents", TOOL_ANIM},
    {"numchannels", TOOL_ANIM}, {"numCuts", TOOL_CAMERA},
};

// Returns true if text[at] and text[at + 1] are the two characters of `pair`.
static bool is_pair_at(const char *text, size_t size, size_t at, const char *pair)
{
    return size - at >= 2 && memcmp(text + at, pair, 2) == 0;
}

// Returns the end of the comment, the quoted string, the word or the other character at text[at].
static size_t find_token_end(const char *text, size_t size, size_t at)
{
    size_t end = at + 1;
    if (is_pair_at(text, size, at, "/*")) {
        end = at + 2;
        while (end < size && !is_pair_at(text, size, end, "*/"))
            end++;
        return end;
    }

    const bool is_comment = is_pair_at(text, size, at, "//");
    if (is_comment || text[at] == '"') {
        while (end < size && text[end] != '\n' && (is_comment || text[end] != '"'))
            end++;
        return end < size ? end + 1 : size;
    }

    while (end < size && isalnum((unsigned char)text[at]) && isalnum((unsigned char)text[end]))
        end++;
    return end;
}

// Returns the kind of a file by its content: compressed clips have a signature, and the kind of a
// text follows from its first distinct keyword. Returns TOOL_UNKNOWN if the text has none, and for
// binary files, such as an archive that contains a model.
static tool_kind detect_kind(const char *text, size_t size)
{
    if (convert_is_compressed_clip(text, size))
        return TOOL_ANIM;
    size_t end;
    for (size_t at = 0; at < size; at = end) {
        if (text[at] == '\0')
            return TOOL_UNKNOWN;
        end = find_token_end(text, size, at);
        for (size_t k = 0; k < COMMON_LENGTH(distinct_keywords); k++) {
            const char *const keyword = distinct_keywords[k].keyword;
            if (end - at == strlen(keyword) && memcmp(text + at, keyword, end - at) == 0)
                return distinct_keywords[k].kind;
        }
    }
    return TOOL_UNKNOWN;
}

tool_kind tool_content_kind(const char *path, const char *text, size_t size)
{
    const tool_kind kind = tool_file_kind(path);
    const tool_kind content_kind = detect_kind(text, size);
    const bool can_differ = kind <= TOOL_CAMERA; // other extensions have other readers
    return can_differ && content_kind != TOOL_UNKNOWN ? content_kind : kind;
}

// Returns the number of warnings that the reader of the loaded file reported.
static uint32_t count_warnings(const tool_asset *asset)
{
    if (asset->model)
        return asset->model->num_warnings;
    if (asset->anim)
        return asset->anim->num_warnings;
    if (asset->camera)
        return asset->camera->num_warnings;
    if (asset->character)
        return asset->character->num_warnings;
    return asset->cube ? asset->cube->num_warnings : 0;
}

// Loads a file whose extension is unknown, such as a pipe. Reads the whole text first and then
// parses it, because a pipe can be read only once.
static void load_by_content(const char *path, const md5_load_opts *opts, tool_asset *asset,
                            md5_error *error)
{
    const char *reason = NULL;
    size_t size = 0;
    char *const text = common_read_stream(path, &size, &reason);
    if (!text) {
        convert_fail(error, MD5_ERROR_IO, path, "cannot read the file: %s", reason);
        return;
    }

    md5_load_opts named = opts ? *opts : (md5_load_opts){0};
    named.file_name = path;
    // A text without a keyword is read as a model, because the reader of models has the best
    // messages for files of other formats.
    switch (detect_kind(text, size)) {
    case TOOL_ANIM:
        asset->anim = md5_parse_anim(text, size, &named, error);
        break;
    case TOOL_CAMERA:
        asset->camera = md5_parse_camera(text, size, &named, error);
        break;
    default:
        asset->model = md5_parse_model(text, size, &named, error);
        break;
    }
    free(text);
}

// Loads a file with the reader for its kind. Only the pointer for this kind is set. On failure all
// pointers are NULL.
bool tool_load(const char *path, const md5_load_opts *opts, tool_asset *asset, md5_error *error)
{
    *asset = (tool_asset){0};
    switch (tool_file_kind(path)) {
    case TOOL_MODEL:
    case TOOL_BFG_MODEL:
        asset->model = md5_load_model(path, opts, error);
        break;
    case TOOL_ANIM:
    case TOOL_BFG_ANIM:
        asset->anim = md5_load_anim(path, opts, error);
        break;
    case TOOL_CAMERA:
        asset->camera = md5_load_camera(path, opts, error);
        break;
    case TOOL_MACHINE:
        asset->character = md5_load_character(path, opts, error);
        break;
    case TOOL_CUBE:
        asset->cube = md5_load_cube2(path, NULL, opts, error);
        break;
    default:
        load_by_content(path, opts, asset, error);
        break;
    }

    asset->num_warnings = count_warnings(asset);
    const bool has_document = asset->model || asset->anim || asset->camera;
    return has_document || asset->character || asset->cube;
}

// Frees the content of an asset of any kind, but not the structure.
void tool_free(tool_asset *asset)
{
    md5_free_model(asset->model);
    md5_free_anim(asset->anim);
    md5_free_camera(asset->camera);
    md5_free_character(asset->character);
    md5_free_cube2(asset->cube);
}

// == Folders and archives =========================================================================

// Adds a folder with its archives, or an archive, to the search paths. Fails for other paths.
static bool add_search_path(tool_search_paths *search_paths, const char *path, md5_error *error)
{
    common_status status;
    md5_error reason = {0};
    if (!common_read_status(path, &status))
        return convert_fail(error, MD5_ERROR_IO, path, "cannot open the folder or archive: %s",
                            strerror(errno));
    if (!status.is_folder && !status.is_file)
        return convert_fail(error, MD5_ERROR_IO, path,
                            "unknown file type: expected a folder or an archive");
    if (!common_add_game_path(&search_paths->list, path, &reason))
        return convert_fail(error, MD5_ERROR_IO, path, "%s", reason.message);
    return true;
}

// Warns of archives that are not read because they are in an archive or in a subfolder of location
// `index`. Stores the path of a model in another format, for tool_suggest_convert().
static void list_unread_files(tool_search_paths *search_paths, size_t index)
{
    const md5_game_path *const path = &search_paths->list.paths[index];
    for (size_t k = 0; k < path->num_files; k++) {
        const char *const name = path->name(path->user, k);
        const bool is_nested = path->is_archive || strchr(name, '/');
        if (common_is_archive(name) && is_nested) {
            search_paths->num_unread++;
            common_print(stderr,
                         "%s/%s: warning: archive in a subfolder or another archive is skipped; "
                         "extract it or pass it "
                         "as an argument\n",
                         search_paths->list.titles[index], name);
        } else if (convert_can_read(name) && tool_file_kind(name) == TOOL_UNKNOWN) {
            search_paths->unsupported_model = name;
        }
    }
}

// Adds the mod, DIR and the base, in this order: a file hides files with the same name in later
// paths. Then opens all of them as one game.
bool tool_open_search_paths(const tool_arguments *arguments, const md5_load_opts *opts,
                            tool_search_paths *search_paths, md5_error *error)
{
    const char *const paths[] = {arguments->mod, arguments->folder, arguments->base};
    for (size_t i = 0; i < COMMON_LENGTH(paths); i++) {
        if (paths[i] && !add_search_path(search_paths, paths[i], error))
            return false;
        search_paths->ends[i] = search_paths->list.count;
    }
    if (opts) {
        for (size_t i = 0; i < search_paths->list.count; i++)
            list_unread_files(search_paths, i);
    }
    search_paths->game =
        md5_create_game(search_paths->list.paths, search_paths->list.count, opts, error);
    return search_paths->game;
}

void tool_close_search_paths(tool_search_paths *search_paths)
{
    md5_destroy_game(search_paths->game);
    common_free_game_paths(&search_paths->list);
}

void tool_suggest_convert(const tool_search_paths *search_paths)
{
    if (search_paths->unsupported_model)
        common_print(stderr,
                     "%s: not an MD5 file: found another model format; run md5tool convert first\n",
                     search_paths->unsupported_model);
}

// Returns the path of a file with its folder or archive, which the caller frees. Searches the
// file in the search paths in the order of the engine. `search_paths` may be NULL.
char *tool_full_path(const tool_search_paths *search_paths, const char *name)
{
    uint32_t location = MD5_NONE;
    if (search_paths && search_paths->game)
        location = md5_game_find_file(search_paths->game, name, 0);
    if (location == MD5_NONE)
        return common_copy(name);
    return common_format("%s/%s", search_paths->list.titles[location], name);
}

bool tool_is_file(const md5_game *game, const char *path)
{
    return game ? md5_game_find_file(game, path, 0) != MD5_NONE : common_is_file(path);
}

// Returns the bytes of a file, which the caller frees, or NULL. Reads it from the game or, if
// `game` is NULL, from the disk. Pipes are not read.
char *tool_read_file(md5_game *game, const char *path, size_t *size)
{
    const char *reason = NULL;
    md5_error error = {0};
    if (!game)
        return common_is_file(path) ? common_read_stream(path, size, &reason) : NULL;
    return view_copy_file(md5_game_files(game), path, size, &error);
}

md5_files tool_files(md5_game *game)
{
    return game ? md5_game_files(game) : (md5_files){0};
}

// Builds the path of the sibling, normalizes it and looks it up. Paths in a game do not begin with
// a slash and do not contain "..", so the normalized path is used without its first slash.
char *tool_find_sibling(const md5_game *game, const char *path, const char *before,
                        const char *after)
{
    char *const folder = common_folder(path);
    char *const stem = common_stem(path);
    char *name = NULL;
    if (after)
        name = common_format("%s%s%s", before, stem, after);
    else
        name = common_copy(before);
    char *const file = common_join(folder, name);
    char *const clean = common_normalize_path(file);
    const char *const candidate = game ? clean + 1 : file;
    char *const found = tool_is_file(game, candidate) ? common_copy(candidate) : NULL;
    free(clean);
    free(file);
    free(name);
    free(stem);
    free(folder);
    return found;
}

bool tool_has_sibling(const md5_game *game, const char *path, const char *before, const char *after)
{
    char *const found = tool_find_sibling(game, path, before, after);
    const bool is_found = found;
    free(found);
    return is_found;
}

// Compares the folders as bytes, and the names only if the folders are equal. A folder is therefore
// before its subfolders, and the files of a folder are adjacent.
int tool_compare_paths(const void *a, const void *b)
{
    const char *const x = *(const char *const *)a;
    const char *const y = *(const char *const *)b;
    const size_t folder_x = (size_t)(common_base(x) - x);
    const size_t folder_y = (size_t)(common_base(y) - y);
    const int order = memcmp(x, y, folder_x < folder_y ? folder_x : folder_y);
    if (order != 0)
        return order;
    if (folder_x != folder_y)
        return folder_x < folder_y ? -1 : 1;
    return strcmp(x + folder_x, y + folder_y);
}

// A binary search. Elements before `first` are less than the path, and elements from `count` on are
// not.
size_t tool_find_path(const char *const *paths, size_t count, const char *path)
{
    size_t first = 0;
    while (first < count) {
        const size_t middle = first + (count - first) / 2;
        if (tool_compare_paths(&paths[middle], &path) < 0)
            first = middle + 1;
        else
            count = middle;
    }
    return first;
}

bool tool_are_in_one_folder(const char *a, const char *b)
{
    const size_t length = (size_t)(common_base(a) - a);
    return length == (size_t)(common_base(b) - b) && memcmp(a, b, length) == 0;
}

// Returns the index of the mesh in meshes[count] that has the name and the folder of a clip.
// Returns MD5_NONE if it does not exist.
static size_t find_mesh_with_name(const char *const *meshes, size_t count, const char *clip)
{
    char *const stem = common_stem(clip);
    const int folder_length = (int)(common_base(clip) - clip);
    char *const prefix = common_format("%.*s%s.", folder_length, clip, stem);
    const size_t prefix_length = strlen(prefix);
    size_t found = MD5_NONE;
    size_t i = tool_find_path(meshes, count, prefix);

    while (i < count && strncmp(meshes[i], prefix, prefix_length) == 0) {
        // A longer name may begin with the same text: "imp.lod.md5mesh" is not the mesh of
        // "imp.md5anim".
        if (strchr(meshes[i] + prefix_length, '.') == NULL) {
            found = i;
            break;
        }
        i++;
    }

    free(prefix);
    free(stem);
    return found;
}

// Returns the index of the only mesh in meshes[count] that is in the folder of a clip. Returns
// MD5_NONE if there are several or none.
static size_t find_only_mesh(const char *const *meshes, size_t count, const char *clip)
{
    const int folder_length = (int)(common_base(clip) - clip);
    char *const folder = common_format("%.*s", folder_length, clip);
    // The path of the folder precedes all paths in it, so this is its first mesh.
    const size_t first = tool_find_path(meshes, count, folder);
    free(folder);
    const bool is_in_folder = first < count && tool_are_in_one_folder(meshes[first], clip);
    const bool has_second = first + 1 < count && tool_are_in_one_folder(meshes[first + 1], clip);
    return is_in_folder && !has_second ? first : MD5_NONE;
}

size_t tool_find_mesh(const char *const *meshes, size_t count, const char *clip)
{
    const size_t found = find_mesh_with_name(meshes, count, clip);
    return found != MD5_NONE ? found : find_only_mesh(meshes, count, clip);
}

// Lists the meshes in the folder, sorts them and searches the mesh of the clip among them.
char *tool_find_sibling_mesh(const char *path)
{
    char *const folder = common_folder(path);
    common_list meshes = common_list_folder(folder, ".md5mesh");
    common_sort(meshes.names, meshes.count, sizeof *meshes.names, tool_compare_paths);
    // The list contains paths that common_join() created. Create the path of the clip in the same
    // way, because folders are compared as text.
    char *const listed = common_join(folder, common_base(path));
    const size_t mesh = tool_find_mesh((const char *const *)meshes.names, meshes.count, listed);
    char *const found = mesh == MD5_NONE ? NULL : common_copy(meshes.names[mesh]);
    common_free_list(&meshes);
    free(listed);
    free(folder);
    return found;
}

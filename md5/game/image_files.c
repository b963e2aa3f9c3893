// Pictures of a game: which files are tried for a name, and what became of each.
#include "md5/core/assert.h"
#include "md5/game/decl_lex.h"
#include "md5/game/files.h"
#include "md5/game/image_builtin.h"
#include "md5/game/image_text.h"
#include "md5/game/verdict.h"

#include <stdio.h>
#include <string.h>

// A name of a program, with `dds/` before it and an ending.
enum { LONGEST_PATH = MD5_IMAGE_TEXT + 16 };

// A search for the picture of a name.
typedef struct image_search {
    md5_game *game;
    const md5_image_opts *opts;
    md5_image *image;                            // what was found
    const md5_game_entry *at;                    // its file
    char tried[sizeof((md5_error *)0)->message]; // each name, and why it failed
    md5_error error;                             // the first one of a file that exists
} image_search;

// -- Names ----------------------------------------------------------------------------------------

// Writes the file of the compressed form of an image program: characters that no file name can have
// are replaced or dropped. The first four separators become folders, later ones blanks.
static void compressed_path(char path[LONGEST_PATH], const char *text)
{
    enum { MAX_FOLDERS = 4 };
    size_t length = strlen("dds/"), num_folders = 0;
    memcpy(path, "dds/", sizeof "dds/");
    for (; *text && length < LONGEST_PATH - sizeof ".dds"; text++) {
        if (strchr("/\\(", *text))
            path[length++] = num_folders++ < MAX_FOLDERS ? '/' : ' ';
        else if (strchr("<>:|\".", *text))
            path[length++] = '_';
        else if (!strchr("),", *text) && !(*text == ' ' && path[length - 1] == '/'))
            path[length++] = *text;
    }
    memcpy(path + length, ".dds", sizeof ".dds");
}

// Returns where the extension of a name begins, or the end of the name if there is none.
static const char *extension_of(const char *name)
{
    const char *const dot = strrchr(name, '.');
    return dot && !strchr(dot, '/') ? dot : name + strlen(name);
}

static bool is_extension(const char *extension, const char *wanted)
{
    const md5_token token = {.text = extension, .size = strlen(extension)};
    return md5i_token_is_word(&token, wanted);
}

// -- Trying ---------------------------------------------------------------------------------------

// Writes candidate `number` for the file of a name: the engine's .tga and .jpg, then .png, which
// later engines take. Returns false if there is no further one.
static bool candidate(char path[LONGEST_PATH], const char *name, size_t number)
{
    static const char *const endings[] = {".tga", ".jpg", ".png"};
    const char *const extension = extension_of(name);
    const bool is_replaced = *extension == '\0' || is_extension(extension, ".tga");
    const size_t stem = (size_t)(extension - name);
    if (strlen(name) + sizeof ".tga" > LONGEST_PATH
        || number >= (is_replaced ? sizeof endings / sizeof endings[0] : 1))
        return false;
    memcpy(path, name, strlen(name) + 1);
    if (is_replaced)
        memcpy(path + stem, endings[number], sizeof ".tga");
    return true;
}

// Adds a name and why it failed. Text that does not fit is cut.
static void note_failure(image_search *search, const char *name, const char *reason)
{
    const size_t used = strlen(search->tried);
    (void)snprintf(search->tried + used, sizeof search->tried - used, "%s%s: %s", used ? "; " : "",
                   name, reason);
}

// Reads and decodes a file. Its bytes count as memory of the search path, not of the picture.
static md5_image *read_image(image_search *search, const md5_game_entry *entry, md5_error *error)
{
    md5_image_opts opts;
    size_t size = 0;
    const char *const bytes = md5i_game_open_file(search->game, entry, 0, &size, error);
    error->message[sizeof error->message - 1] = '\0';
    if (!bytes) {
        error->status = MD5_ERROR_IO;
        return NULL;
    }
    memset(&opts, 0, sizeof opts);
    if (search->opts)
        opts = *search->opts;
    opts.file_name = entry->spelled;
    md5_image *const image = md5_parse_image(bytes, size, &opts, error);
    md5i_game_close_file(search->game, entry, bytes, size);
    return image;
}

// Tries a file; in messages it is called `shown`. Returns whether the search has ended.
static bool try_file(image_search *search, const char *path, const char *shown)
{
    md5_error error;
    const md5_game_entry *const entry = md5i_game_find_file(search->game, path);
    memset(&error, 0, sizeof error);
    if (!entry) {
        note_failure(search, shown, "no such file");
        return false;
    }
    search->at = entry;
    search->image = read_image(search, entry, &error);
    if (search->image)
        return true;
    note_failure(search, shown, error.message);
    if (search->error.status == MD5_OK)
        search->error = error;
    return error.status == MD5_ERROR_MEMORY;
}

// Tries a name with each extension that its file may have.
static bool try_extensions(image_search *search, const char *name)
{
    char path[LONGEST_PATH];
    for (size_t i = 0; candidate(path, name, i); i++) {
        if (try_file(search, path, extension_of(path)))
            return true;
    }
    return false;
}

static bool try_compressed(image_search *search, const char *text)
{
    char path[LONGEST_PATH];
    compressed_path(path, text);
    return try_file(search, path, path);
}

// -- Results --------------------------------------------------------------------------------------

// Warns of a damaged file that was tried before the one that was read.
static void warn_of_damage(image_search *search, const char *name)
{
    md5_decl_lex nowhere;
    if (search->error.status == MD5_OK)
        return;
    md5i_decl_lex_begin(&nowhere, search->game, name, 0, "", 0);
    md5i_decl_lex_warn(&nowhere, "%s; %s is read instead", search->tried, search->at->spelled);
}

static void set_file(md5_error *error, const char *name)
{
    (void)snprintf(error->file, sizeof error->file, "%s", name);
}

static md5_image *end_search(image_search *search, const char *name, md5_error *error)
{
    if (search->image) {
        warn_of_damage(search, name);
        return search->image;
    }
    memset(error, 0, sizeof *error);
    error->status = search->error.status != MD5_OK ? search->error.status : MD5_ERROR_IO;
    set_file(error, name);
    memcpy(error->message, search->tried, sizeof error->message);
    return NULL;
}

// Finds a file that a program names: md5_load_image_fn.
static md5_image *load_named(void *user, const char *file, const md5_image_opts *opts,
                             md5_error *error)
{
    image_search search;
    memset(&search, 0, sizeof search);
    search.game = (md5_game *)user;
    search.opts = opts;
    if (md5_is_lenient(search.game) && md5i_is_builtin_image(file))
        return md5i_make_builtin_image(file, opts, error);
    if (!try_extensions(&search, file))
        (void)try_compressed(&search, file);
    return end_search(&search, file, error);
}

// Loads the compressed form of a program's result, which many game folders have instead of its
// files. If it is damaged and `is_first`, that is a warning.
static md5_image *load_compressed(md5_game *game, const md5_image_program *program,
                                  const md5_image_opts *opts, bool is_first)
{
    image_search search;
    md5_decl_lex nowhere;
    memset(&search, 0, sizeof search);
    search.game = game;
    search.opts = opts;
    if (try_compressed(&search, program->text))
        return search.image;
    if (is_first && search.error.status != MD5_OK) {
        md5i_decl_lex_begin(&nowhere, game, program->text, 0, "", 0);
        md5i_decl_lex_warn(&nowhere, "%s", search.tried);
    }
    return NULL;
}

// Whether the compressed form of a program is older than a file that the program names.
static bool is_outdated(const md5_game *game, const md5_image_program *program)
{
    char path[LONGEST_PATH];
    compressed_path(path, program->text);
    const md5_game_entry *const compressed = md5i_game_find_file(game, path);
    const int64_t time = compressed ? md5i_game_file_time(game, compressed) : 0;
    bool is_newer = false;
    for (uint32_t step = 0; compressed && step < program->num_steps && !is_newer; step++) {
        const char *const file = program->steps[step].file;
        const md5_game_entry *source = NULL;
        for (size_t i = 0; file && !source && candidate(path, file, i); i++)
            source = md5i_game_find_file(game, path);
        is_newer = source && md5i_game_file_time(game, source) > time;
    }
    return is_newer;
}

md5_image *md5_load_image(md5_game *game, const md5_image_program *program,
                          const md5_image_opts *opts, md5_error *error)
{
    MD5_ASSERT(game != NULL, "game: not NULL");
    MD5_ASSERT(program != NULL, "program: not NULL");
    md5_game_begin(game, NULL);
    md5_error unseen, *const reason = error ? error : &unseen;
    const char *const first = program->num_steps == 1 ? program->steps[0].file : NULL;
    if (first && md5i_is_builtin_image(first))
        return md5i_make_builtin_image(first, opts, reason);
    const bool is_first = opts && opts->compressed_first && !is_outdated(game, program);
    md5_image *image = is_first ? load_compressed(game, program, opts, true) : NULL;
    if (!image)
        image = md5_evaluate_image(program, load_named, game, opts, reason);
    if (!image && reason->status == MD5_ERROR_IO && program->num_steps > 1)
        image = load_compressed(game, program, opts, false);
    if (image)
        memset(reason, 0, sizeof *reason);
    return image;
}

bool md5_game_image_program(md5_game *game, const char *text, md5_image_program *program,
                            md5_error *error)
{
    char whole[MD5_IMAGE_TEXT];
    md5_decl_lex lex;
    MD5_ASSERT(game != NULL, "game: not NULL");
    MD5_ASSERT(text != NULL, "text: not NULL");
    MD5_ASSERT(program != NULL, "program: not NULL");
    md5_game_begin(game, error);
    md5i_decl_lex_begin(&lex, game, text, 1, text, strlen(text));
    const md5_arena_mark before = md5i_arena_here(&game->scratch);
    const bool is_made =
        md5i_read_image_text(&lex, whole) && md5i_make_image_program(game, whole, program);
    md5i_arena_rewind(&game->scratch, before);
    game->context.error = &game->context.unseen;
    return is_made;
}

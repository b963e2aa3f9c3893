#include "demo/tool/check_game.h"

#include "demo/common/file.h"
#include "md5/md5game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tool_is_game_folder(const char *folder)
{
    static const char *const names[] = {"materials", "def", "skins"};
    common_list folders = common_list_folder(folder, NULL);
    common_list archives = common_list_folder(folder, ".pk4");
    bool is_game = archives.count > 0;
    for (size_t i = 0; i < folders.count; i++) {
        const char *const name = common_base(folders.names[i]);
        for (size_t j = 0; j < sizeof names / sizeof names[0]; j++)
            is_game |= strlen(name) == strlen(names[j]) && common_has_ending(name, names[j]);
    }
    common_free_list(&folders);
    common_free_list(&archives);
    return is_game;
}

// -- Findings -------------------------------------------------------------------------------------

typedef struct game_checker {
    tool_game_check *check;
    tool_game *opened;
} game_checker;

// Prints a finding with the place of its file before the name.
static void print_finding(const game_checker *checker, const md5_error *finding)
{
    const common_game_places *const places = &checker->opened->places;
    const uint32_t place = md5_game_find_file(checker->opened->game, finding->file, 0);
    md5_error placed = *finding;
    if (place < places->count) {
        // Of a name that is too long the end, as everywhere.
        char *const path = common_format("%s/%s", places->titles[place], finding->file);
        const size_t size = strlen(path) + 1, room = sizeof placed.file;
        const size_t kept = size < room ? size : room;
        memcpy(placed.file, path + size - kept, kept);
        free(path);
    }
    checker->check->print(checker->check->user, &placed);
}

static void print_notes(const game_checker *checker)
{
    for (size_t i = 0; i < checker->opened->notes.count; i++)
        print_finding(checker, &checker->opened->notes.notes[i]);
    if (checker->opened->notes.num_left_out > 0) {
        md5_error more = {.status = MD5_WARNING};
        (void)snprintf(more.message, sizeof more.message, "%zu further warnings suppressed",
                       checker->opened->notes.num_left_out);
        checker->check->print(checker->check->user, &more);
    }
    tool_clear_notes(&checker->opened->notes);
}

// -- Declarations ---------------------------------------------------------------------------------

static bool parse(md5_game *game, md5_decl_type type, const char *name, md5_error *error)
{
    error->status = MD5_OK;
    if (type == MD5_DECL_TABLE)
        (void)md5_game_table(game, name, error);
    else if (type == MD5_DECL_MATERIAL)
        (void)md5_game_material(game, name, error);
    else if (type == MD5_DECL_SKIN)
        (void)md5_game_skin_def(game, name, error);
    else if (type == MD5_DECL_ENTITY)
        (void)md5_game_check_entity_def(game, name, error);
    else
        (void)md5_game_model_def(game, name, error);
    return error->status == MD5_OK;
}

static const md5_decl_type types[] = {MD5_DECL_TABLE, MD5_DECL_MATERIAL, MD5_DECL_SKIN,
                                      MD5_DECL_MODEL, MD5_DECL_ENTITY};
enum { NUM_TYPES = sizeof types / sizeof types[0] };

static size_t count_decls(const md5_game *game)
{
    size_t count = 0;
    for (int i = 0; i < NUM_TYPES; i++)
        count += md5_game_num_decls(game, types[i]);
    return count;
}

// Parses the declarations that files have; implicit ones come behind them. First leniently, and
// then as the engine does, which stops at the first mistake of a declaration: its warnings are
// among the lenient ones.
static bool check_decls(const game_checker *checker, md5_verdict verdict, md5_error *error)
{
    const bool is_lenient = verdict == MD5_VERDICT_LENIENT;
    tool_game *const opened = checker->opened;
    const size_t all = count_decls(opened->game);
    size_t done = 0;
    for (int i = 0; i < NUM_TYPES; i++) {
        for (uint32_t j = 0; j < md5_game_num_decls(opened->game, types[i]); j++) {
            if (!tool_renew_game(opened, error))
                return false;
            const md5_decl *const decl = md5_game_decl(opened->game, types[i], j);
            if (!decl->file)
                break;
            if (!parse(opened->game, types[i], decl->name, error))
                return false;
            checker->check->num_decls += is_lenient;
            checker->check->num_defaulted += !is_lenient && decl->state == MD5_DECL_DEFAULTED;
            if (is_lenient)
                print_notes(checker);
            tool_show_progress(++done < all ? done : all, all);
        }
    }
    tool_clear_notes(&opened->notes);
    return true;
}

static bool check_both(const game_checker *checker, md5_error *error)
{
    if (!check_decls(checker, MD5_VERDICT_LENIENT, error))
        return false;
    checker->opened->verdict = MD5_VERDICT_ENGINE;
    return md5_game_set_verdict(checker->opened->game, MD5_VERDICT_ENGINE, error)
           && check_decls(checker, MD5_VERDICT_ENGINE, error);
}

// -- Files ----------------------------------------------------------------------------------------

static void check_file(const game_checker *checker, const char *name)
{
    const md5_load_opts opts = {
        .files = md5_game_files(checker->opened->game),
        .warn = tool_take_note,
        .warn_user = &checker->opened->notes,
    };
    tool_asset asset;
    md5_error error = {.status = MD5_OK};
    const bool is_loaded = tool_load(name, &opts, &asset, &error);
    print_notes(checker);
    if (!is_loaded)
        print_finding(checker, &error);
    tool_free(&asset);
}

static void check_files(const game_checker *checker)
{
    static const char *const endings[] = {".md5mesh", ".md5anim", ".md5camera"};
    const size_t count = md5_game_num_files(checker->opened->game);
    for (size_t i = 0; i < count; i++) {
        const char *const name = md5_game_file(checker->opened->game, i);
        for (size_t j = 0; j < sizeof endings / sizeof endings[0]; j++) {
            if (!common_has_ending(name, endings[j]))
                continue;
            check_file(checker, name);
            checker->check->num_files++;
        }
        tool_show_progress(i + 1, count);
    }
}

int tool_check_game(const tool_game_arguments *arguments, tool_game_check *check)
{
    tool_game game;
    md5_error error;
    int status = tool_open_game(arguments, &game);
    const game_checker checker = {check, &game};
    if (status == TOOL_OK) {
        print_notes(&checker);
        check_files(&checker);
        if (!check_both(&checker, &error)) {
            tool_print_error(&error);
            status = TOOL_BAD_FILE;
        }
    }
    tool_close_game(&game);
    return status;
}

// md5tool check: prints errors and warnings of files, for editors and scripts.
#include "demo/common/file.h"
#include "demo/common/memory.h"
#include "demo/common/system.h"
#include "demo/common/threads.h"
#include "demo/common/walk.h"
#include "demo/tool/game.h"
#include "md5/md5game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tool_game_check {
    md5_warn_fn *print; // of each finding; files are named with their folder or archive
    void *user;
    size_t num_files, num_decls; // that were read
    size_t num_defaulted;        // declarations that the engine replaces by defaults
} tool_game_check;

// == Game folders =================================================================================

// Whether a folder looks like one of a game: it has archives, or folders of declarations.
static bool is_game_folder(const char *folder)
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
static void print_placed(const game_checker *checker, const md5_error *finding)
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

static void print_game_notes(const game_checker *checker)
{
    for (size_t i = 0; i < checker->opened->notes.count; i++)
        print_placed(checker, &checker->opened->notes.notes[i]);
    if (checker->opened->notes.num_left_out > 0) {
        md5_error more = {.status = MD5_WARNING};
        (void)snprintf(more.message, sizeof more.message, "%zu further warnings suppressed",
                       checker->opened->notes.num_left_out);
        checker->check->print(checker->check->user, &more);
    }
    tool_clear_notes(&checker->opened->notes);
}

// -- Declarations ---------------------------------------------------------------------------------

static const md5_decl_type types[] = {MD5_DECL_TABLE, MD5_DECL_MATERIAL, MD5_DECL_SKIN,
                                      MD5_DECL_MODEL, MD5_DECL_ENTITY};
enum { NUM_TYPES = sizeof types / sizeof types[0] };

// Parses the declarations that files have; implicit ones come behind them. First leniently, and
// then as the engine does, which stops at the first mistake of a declaration: its warnings are
// among the lenient ones.
static bool check_decls(const game_checker *checker, md5_verdict verdict, md5_error *error)
{
    const bool is_lenient = verdict == MD5_VERDICT_LENIENT;
    tool_game *const opened = checker->opened;
    size_t all = 0;
    for (int i = 0; i < NUM_TYPES; i++)
        all += md5_game_num_decls(opened->game, types[i]);
    size_t done = 0;
    for (int i = 0; i < NUM_TYPES; i++) {
        for (uint32_t j = 0; j < md5_game_num_decls(opened->game, types[i]); j++) {
            if (!tool_renew_game(opened, error))
                return false;
            const md5_decl *const decl = md5_game_decl(opened->game, types[i], j);
            if (!decl->file)
                break;
            if (!tool_parse_decl(opened->game, types[i], decl->name, error))
                return false;
            checker->check->num_decls += is_lenient;
            checker->check->num_defaulted += !is_lenient && decl->state == MD5_DECL_DEFAULTED;
            if (is_lenient)
                print_game_notes(checker);
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

// Reads all declarations of a game folder, with the models and animations that they name, and all
// other models, animations and camera paths. Returns an exit status: TOOL_BAD_FILE only if the game
// cannot be read, which is printed.
static int read_game(const tool_game_arguments *arguments, tool_game_check *check)
{
    tool_game game;
    md5_error error = {0};
    int status = tool_open_game(arguments, tool_take_note, &game);
    const game_checker checker = {check, &game};
    if (status == TOOL_OK) {
        print_game_notes(&checker);
        static const char *const endings[] = {".md5mesh", ".md5anim", ".md5camera"};
        const size_t count = md5_game_num_files(game.game);
        for (size_t i = 0; i < count; i++) {
            const char *const name = md5_game_file(game.game, i);
            for (size_t j = 0; j < sizeof endings / sizeof endings[0]; j++) {
                if (!common_has_ending(name, endings[j]))
                    continue;
                const md5_load_opts opts = {
                    .files = md5_game_files(game.game),
                    .warn = tool_take_note,
                    .warn_user = &game.notes,
                };
                tool_asset asset;
                md5_error reason = {.status = MD5_OK};
                const bool is_loaded = tool_load(name, &opts, &asset, &reason);
                print_game_notes(&checker);
                if (!is_loaded)
                    print_placed(&checker, &reason);
                tool_free(&asset);
                check->num_files++;
            }
            tool_show_progress(i + 1, count);
        }
        if (!check_both(&checker, &error)) {
            tool_print_error(&error);
            status = TOOL_BAD_FILE;
        }
    }
    tool_close_game(&game);
    return status;
}

// == Files ========================================================================================
//
// md5tool check: prints errors and warnings of files, for editors and scripts.

const char tool_check_help[] =
    "usage: md5tool check [--base DIR] [--mod DIR] FILE|FOLDER...\n"
    "\n"
    "Reads .md5mesh, .md5anim, .md5camera, .md5machine and md5.cfg files, including those in\n"
    "folders and their subfolders, and clips of \"md5tool compress\" that are named. Prints one "
    "line for each error or warning:\n"
    "file:line:column: error|warning: text. On a terminal the line of the file is shown below.\n"
    "The last line is a summary. The exit status is 1 if there is any error.\n"
    "\n"
    "A folder with .pk4 archives or with folders of declarations is a game folder: all its "
    "tables,\n"
    "materials, skins, models and entities are parsed leniently, and archives are searched too.\n"
    "\n"
    "  --base DIR          the base game folder, if the checked folders add to another one\n"
    "  --mod DIR           a mod, whose files hide those of the checked folders\n";

typedef struct checker {
    unsigned errors, warnings;
    bool shows_places;   // standard output is a terminal
    bool shows_progress; // only standard error is a terminal
    const char *path;    // of the current file
    char *text;          // its contents; NULL until a line is shown
    size_t size;
} checker;

// -- Showing a line -------------------------------------------------------------------------

// Reads the file again to show lines on a terminal. A pipe cannot be read again.
static void read_text(checker *check)
{
    FILE *file = common_is_file(check->path) ? fopen(check->path, "rb") : NULL;
    if (!file)
        return;
    const size_t room = (size_t)common_file_size(check->path);
    check->text = common_alloc(room, 1);
    check->size = fread(check->text, 1, room, file);
    fclose(file);
}

// Prints the part of the line around the column that fits a terminal, and a caret below it.
static void show_place(checker *check, uint32_t line, uint32_t column)
{
    enum { BEFORE = 60, WIDTH = 100 };
    if (!check->text)
        read_text(check);
    if (!check->text || line == 0)
        return;
    const char *bytes = check->text, *const end = check->text + check->size;
    for (; line > 1 && bytes < end; line--) {
        while (bytes < end && *bytes != '\n' && *bytes != '\r')
            bytes++;
        if (end - bytes > 1 && bytes[0] == '\r' && bytes[1] == '\n')
            bytes++;
        bytes += bytes < end;
    }
    size_t length = 0;
    while (bytes + length < end && bytes[length] != '\n' && bytes[length] != '\r')
        length++;
    const size_t target = column - 1 < length ? column - 1 : length;
    const size_t first = target > BEFORE ? target - BEFORE : 0;
    fputs("    ", stdout);
    for (size_t i = first; i < length && i < first + WIDTH; i++) {
        const unsigned char byte = (unsigned char)bytes[i];
        putchar(byte == '\t' ? ' ' : byte < ' ' || byte >= 0x7F ? '?' : byte);
    }
    printf("\n    %*s^\n", (int)(target - first), "");
}

// -- Findings -------------------------------------------------------------------------------

typedef struct finding {
    char *text;
    uint32_t line, column;
    bool is_warning;
} finding;

static finding make_finding(const md5_error *error)
{
    char text[TOOL_MESSAGE];
    md5_format_error(error, text, sizeof text);
    return (finding){.text = common_copy(text),
                     .line = error->line,
                     .column = error->column,
                     .is_warning = error->status == MD5_WARNING};
}

// Prints what was found in the current file, and frees it.
static void print_finding(checker *check, finding *found)
{
    puts(found->text);
    if (check->shows_places)
        show_place(check, found->line, found->column);
    if (found->is_warning)
        check->warnings++;
    else
        check->errors++;
    free(found->text);
}

static void forget_text(checker *check)
{
    free(check->text);
    check->text = NULL;
}

// Prints a finding of a game folder, whose file may be one on disk. A hostile archive may give
// cause for millions.
static void print_game_finding(void *user, const md5_error *error)
{
    enum { MOST = 100000 };
    checker *check = user;
    if (check->errors + check->warnings >= MOST) {
        if (check->errors + check->warnings == MOST)
            puts("further findings are only counted");
        check->errors += error->status != MD5_WARNING;
        check->warnings += error->status == MD5_WARNING;
        return;
    }
    finding found = make_finding(error);
    check->path = error->file;
    print_finding(check, &found);
    forget_text(check);
}

// -- One file -------------------------------------------------------------------------------

// What was found in a file, until it is printed.
typedef struct report {
    const char *path;
    finding *findings;
    size_t count, room;
    unsigned num_unreported; // warnings beyond the limit of the library
} report;

static void add_finding(void *user, const md5_error *error)
{
    report *const to = user;
    if (to->count == to->room) {
        to->room = to->room ? 2 * to->room : 4;
        to->findings = common_realloc(to->findings, to->room, sizeof *to->findings);
    }
    to->findings[to->count++] = make_finding(error);
}

static void read_file(report *to)
{
    const md5_load_opts opts = {.warn = add_finding, .warn_user = to};
    tool_asset asset;
    md5_error error = {0};
    if (!tool_load(to->path, &opts, &asset, &error))
        add_finding(to, &error);
    unsigned num_warnings = 0;
    for (size_t k = 0; k < to->count; k++)
        num_warnings += to->findings[k].is_warning;
    if (asset.num_warnings > num_warnings)
        to->num_unreported = asset.num_warnings - num_warnings;
    if (asset.cube)
        tool_check_cube(to->path, asset.cube, add_finding, to);
    tool_free(&asset);
}

// -- Files and folders ----------------------------------------------------------------------

static const char *const endings[] = {".md5mesh", ".md5anim",  ".md5camera", ".md5machine",
                                      "md5.cfg",  ".bmd5mesh", ".bmd5anim"};
enum { MACHINES = 3, NUM_ENDINGS = sizeof endings / sizeof endings[0] };

// Whether `path` is a folder to search. A folder with the extension of a file is reported as a file
// that cannot be read.
static bool is_searched(const char *path)
{
    for (int i = 0; i < NUM_ENDINGS; i++) {
        if (common_has_ending(path, endings[i]))
            return false;
    }
    return common_is_folder(path);
}

static bool has_ending(const char *name, int first)
{
    int ending = first;
    while (ending < NUM_ENDINGS && !common_has_ending(name, endings[ending]))
        ending++;
    return ending < NUM_ENDINGS;
}

static bool is_checked(const char *name)
{
    return has_ending(name, 0);
}

static bool is_checked_in_game(const char *name)
{
    return has_ending(name, MACHINES);
}

static bool show_search(void *user, size_t num_files)
{
    const checker *const check = user;
    enum { MANY = 1000 };
    if (check->shows_progress && num_files >= MANY)
        fprintf(stderr, "\r%zu files", num_files);
    return true;
}

// Adds the files in `top` and its subfolders.
static void add_folder(checker *check, common_list *files, const char *top, bool is_game)
{
    common_walk walk = {is_game ? is_checked_in_game : is_checked, show_search, check, false};
    common_list found = common_walk_folder(top, &walk);
    for (size_t i = 0; i < found.count; i++)
        common_add(files, found.names[i]);
    free(found.names);
    if (!walk.is_cut)
        return;
    const md5_error cut = {.status = MD5_WARNING, .message = "too many files: not all are checked"};
    finding warning = make_finding(&cut);
    print_finding(check, &warning);
}

// Files that are read before their findings are printed.
typedef struct reading {
    const checker *check;
    report *reports;
    size_t num_before, num_files; // files before these, and all
} reading;

static void print_progress(const reading *of, size_t done)
{
    enum { FEW = 20 };
    if (!of->check->shows_progress || of->num_files < FEW)
        return;
    fprintf(stderr, "\r%zu of %zu files", done, of->num_files);
    if (done == of->num_files)
        fputs("\r                                  \r", stderr);
}

// Reads some of the files; called from several threads, of which the first shows how far they are.
static void read_range(void *user, uint32_t worker, size_t begin, size_t end)
{
    const reading *const of = user;
    for (size_t i = begin; i < end; i++) {
        if (worker == 0 && i % 16 == 0)
            print_progress(of, of->num_before + i);
        read_file(&of->reports[i]);
    }
}

// Checks a game folder. Returns its number of files.
static size_t check_game(checker *check, const tool_game_arguments *arguments)
{
    tool_game_check game = {.print = print_game_finding, .user = check};
    if (read_game(arguments, &game) != TOOL_OK)
        check->errors++;
    printf("%zu declarations, of which Doom 3 would replace %zu by defaults\n", game.num_decls,
           game.num_defaulted);
    return game.num_files;
}

int tool_check(int count, char **arguments)
{
    tool_game_arguments read;
    const int status = tool_read_game_arguments("check", count, arguments, NULL, 0, &read);
    if (status != TOOL_OK)
        return status;
    common_list files = {0};
    checker check = {
        .shows_places = common_is_terminal(1),
        .shows_progress = common_is_terminal(2) && !common_is_terminal(1),
    };
    size_t num_game_files = 0;
    const int num_paths = read.num_rest + (read.folder != NULL);
    char **const paths = read.rest - (read.folder != NULL);
    for (int i = 0; i < num_paths; i++) {
        read.folder = paths[i];
        if (!is_searched(paths[i])) {
            common_add(&files, common_copy(paths[i]));
        } else if (read.base || read.mod || is_game_folder(paths[i])) {
            num_game_files += check_game(&check, &read);
            add_folder(&check, &files, paths[i], true);
        } else {
            add_folder(&check, &files, paths[i], false);
        }
    }
    if (num_paths == 0)
        num_game_files = check_game(&check, &read);
    // Files are read on all cores, and what was found is printed in their order. At the end of each
    // part the cores wait for each other: there are so many files in it that this takes no time
    // beside them.
    enum { AT_ONCE = 4096 };
    const size_t most = files.count < AT_ONCE ? files.count : AT_ONCE;
    const md5_threads *const threads = files.count > 1 ? common_start_threads(0) : NULL;
    reading part = {.check = &check,
                    .reports = common_alloc(most, sizeof *part.reports),
                    .num_files = files.count};
    while (part.num_before < files.count) {
        const size_t left = files.count - part.num_before, num_read = left < most ? left : most;
        for (size_t i = 0; i < num_read; i++)
            part.reports[i] = (report){.path = files.names[part.num_before + i]};
        md5_threads_run(threads, num_read, read_range, &part);
        for (size_t i = 0; i < num_read; i++) {
            report *const from = &part.reports[i];
            check.path = from->path;
            for (size_t k = 0; k < from->count; k++)
                print_finding(&check, &from->findings[k]);
            check.warnings += from->num_unreported;
            free(from->findings);
            forget_text(&check);
        }
        part.num_before += num_read;
        print_progress(&part, part.num_before);
    }
    free(part.reports);
    common_stop_threads(threads);
    printf("%zu files, %u errors, %u warnings\n", files.count + num_game_files, check.errors,
           check.warnings);
    common_free_list(&files);
    return check.errors > 0 ? TOOL_BAD_FILE : TOOL_OK;
}

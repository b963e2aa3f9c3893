// md5tool check: prints errors and warnings of files, for editors and scripts.
#include "demo/common/file.h"
#include "demo/common/system.h"
#include "demo/common/threads.h"
#include "demo/tool/tool.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct checker {
    unsigned errors, warnings;
    bool shows_places;   // standard output is a terminal
    bool shows_progress; // only standard error is a terminal
    const char *path;    // of the current file
    char *text;          // its contents; NULL until a line is shown
    size_t size;
} checker;

// -- Showing a line -------------------------------------------------------------------------

// Prints the part of the line around the column that fits a terminal, and a caret below it.
static void show_place(checker *check, uint32_t line, uint32_t column)
{
    enum { BEFORE = 60, WIDTH = 100 };
    if (!check->text) {
        // The file is read again. A pipe cannot be.
        FILE *const file = common_is_file(check->path) ? fopen(check->path, "rb") : NULL;
        if (file) {
            const size_t room = (size_t)common_file_size(check->path);
            check->text = common_alloc(room, 1);
            check->size = fread(check->text, 1, room, file);
            fclose(file);
        }
    }
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

// The next finding may be of another file.
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
    size_t count;
    unsigned num_unreported; // warnings beyond the limit of the library
} report;

// A md5_warn_fn; user: the report.
static void add_finding(void *user, const md5_error *error)
{
    report *const to = user;
    to->findings = common_grow(to->findings, to->count, sizeof *to->findings);
    to->findings[to->count++] = make_finding(error);
}

// -- Models of Cube 2's engines -------------------------------------------------------------------

typedef struct cube_check {
    const md5_model *model;
    report *report;
} cube_check;

// Warns of a name in md5.cfg, whose reader keeps no line of it.
static void report_name(const cube_check *check, const char *what, const char *name)
{
    md5_error error = {0};
    tool_fail(&error, MD5_WARNING, check->report->path, "%s '%.150s'", what, name);
    add_finding(check->report, &error);
}

static void check_joint(const cube_check *check, const char *what, const char *name)
{
    if (name[0] && md5_find_joint(&check->model->skeleton, name) == MD5_NONE)
        report_name(check, what, name);
}

// Reports what is wrong with the files and the names that a model of Cube 2's engines has.
static void check_cube(const md5_cube2 *cube, report *to)
{
    for (uint32_t i = 0; i < cube->num_parts; i++) {
        const md5_cube2_part *const part = &cube->parts[i];
        md5_error error = {0};
        md5_model *const model = md5_load_model(part->mesh, NULL, &error);
        const cube_check check = {model, to};
        if (!model) {
            add_finding(to, &error);
            continue;
        }
        for (uint32_t j = 0; j < part->num_tags; j++)
            check_joint(&check, "md5tag: the mesh has no joint", part->tags[j].joint);
        for (uint32_t j = 0; j < part->num_pitches; j++)
            check_joint(&check, "md5pitch: the mesh has no joint", part->pitches[j].joint);
        for (uint32_t j = 0; j < part->num_adjustments; j++)
            check_joint(&check, "md5adjust: the mesh has no joint", part->adjustments[j].joint);
        for (uint32_t j = 0; j < part->num_rows; j++) {
            const char *const mesh = part->rows[j].mesh;
            if (strcmp(mesh, "*") != 0 && md5_find_mesh(check.model, mesh) == MD5_NONE)
                report_name(&check, "no mesh has the name", mesh);
        }
        // Loads each file once, however often it is named in a row.
        const char *before = "";
        for (uint32_t j = 0; j < part->num_anims; j++) {
            const char *const file = part->anims[j].file;
            if (strcmp(file, before) == 0)
                continue;
            before = file;
            md5_error reason = {0};
            md5_anim *const anim = md5_load_anim(file, NULL, &reason);
            md5_binding *const binding = anim ? md5_bind(model, anim, NULL, &reason) : NULL;
            if (!binding)
                add_finding(to, &reason);
            md5_free_binding(binding);
            md5_free_anim(anim);
        }
        md5_free_model(model);
    }
}

// -- Files and folders ----------------------------------------------------------------------

// For common_walk: a file that md5tool reads.
static bool is_checked(const char *name)
{
    return tool_kind_of(name) != TOOL_UNKNOWN;
}

// The others are checked with the game.
static bool is_checked_in_game(const char *name)
{
    return tool_kind_of(name) > TOOL_CAMERA;
}

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

static bool show_search(void *user, size_t num_files)
{
    const checker *const check = user;
    enum { MANY = 1000 };
    if (check->shows_progress && num_files >= MANY)
        fprintf(stderr, "\r%zu files", num_files);
    return true;
}

// Files that are read before their findings are printed.
typedef struct reading {
    const checker *check;
    report *reports;
    size_t num_before, num_files; // files before these, and all
} reading;

static void print_progress(const reading *part, size_t done)
{
    enum { FEW = 20 };
    if (!part->check->shows_progress || part->num_files < FEW)
        return;
    fprintf(stderr, "\r%zu of %zu files", done, part->num_files);
    if (done == part->num_files)
        fputs("\r                                  \r", stderr);
}

// Reads some of the files; called from several threads, of which the first shows how far they are.
static void read_range(void *user, uint32_t worker, size_t begin, size_t end)
{
    const reading *const part = user;
    for (size_t i = begin; i < end; i++) {
        if (worker == 0 && i % 16 == 0)
            print_progress(part, part->num_before + i);
        report *const to = &part->reports[i];
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
            check_cube(asset.cube, to);
        tool_free(&asset);
    }
}

// Checks a game folder. Returns its number of files.
static size_t check_game(checker *check, const tool_arguments *arguments)
{
    tool_game_check game = {.print = print_game_finding, .user = check};
    if (tool_check_game(arguments, &game) != TOOL_OK)
        check->errors++;
    printf("%zu declarations, of which Doom 3 would replace %zu by defaults\n", game.num_decls,
           game.num_defaulted);
    return game.num_files;
}

static int check_all(tool_arguments *arguments)
{
    if (arguments->num_words == 0 && !arguments->base)
        return tool_usage("check", "missing folder");
    common_list files = {0};
    checker check = {
        .shows_places = common_is_terminal(1),
        .shows_progress = common_is_terminal(2) && !common_is_terminal(1),
    };
    size_t num_game_files = 0;
    for (int i = 0; i < arguments->num_words; i++) {
        const char *const path = arguments->words[i];
        // A folder with the extension of a file is reported as a file that cannot be read.
        if (is_checked(path) || !common_is_folder(path)) {
            common_add(&files, common_copy(path));
            continue;
        }
        const bool is_game = arguments->base || arguments->mod || is_game_folder(path);
        arguments->folder = path;
        if (is_game)
            num_game_files += check_game(&check, arguments);
        common_walk walk = {is_game ? is_checked_in_game : is_checked, show_search, &check, false};
        common_list found = common_walk_folder(path, &walk);
        for (size_t j = 0; j < found.count; j++)
            common_add(&files, found.names[j]);
        free(found.names);
        if (!walk.is_cut)
            continue;
        const md5_error cut = {.status = MD5_WARNING,
                               .message = "too many files: not all are checked"};
        finding warning = make_finding(&cut);
        print_finding(&check, &warning);
    }
    if (arguments->num_words == 0)
        num_game_files = check_game(&check, arguments);
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

const tool_command tool_check = {
    "check",
    check_all,
    0,
    INT_MAX,
    "folder",
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
    "  --mod DIR           a mod, whose files hide those of the checked folders\n"};

#include "demo/tool/game.h"

#include "demo/common/file.h"
#include "demo/common/system.h"
#include "demo/common/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Notes ----------------------------------------------------------------------------------------

void tool_take_note(void *user, const md5_error *note)
{
    enum { FIRST = 64, MOST = 1000 };
    tool_notes *const notes = user;
    if (notes->count == MOST) { // the last one says why reading ended
        notes->num_left_out++;
        notes->count--;
    }
    if (notes->count == notes->room) {
        notes->room = notes->room ? 2 * notes->room : FIRST;
        notes->notes = common_realloc(notes->notes, notes->room, sizeof *notes->notes);
    }
    notes->notes[notes->count++] = *note;
}

void tool_clear_notes(tool_notes *notes)
{
    notes->count = notes->num_left_out = 0;
}

void tool_free_notes(tool_notes *notes)
{
    free(notes->notes);
    *notes = (tool_notes){0};
}

// -- Arguments ------------------------------------------------------------------------------------

// Reads an option and its value, if it has one. Returns how many arguments it takes; 0 after an
// error, which is printed.
static int read_option(const char *command, int left, char **arguments, tool_game_arguments *result)
{
    if (strcmp(arguments[0], "--json") == 0) {
        result->is_json = true;
        return 1;
    }
    const bool is_base = strcmp(arguments[0], "--base") == 0;
    if (!is_base && strcmp(arguments[0], "--mod") != 0) {
        tool_usage(command, "%s: unknown option '%s'", command, arguments[0]);
        return 0;
    }
    if (left < 2) {
        tool_usage(command, "%s: missing folder after %s", command, arguments[0]);
        return 0;
    }
    *(is_base ? &result->base : &result->mod) = arguments[1];
    return 2;
}

int tool_read_game_arguments(const char *command, int count, char **arguments, int most_rest,
                             tool_game_arguments *result)
{
    int num_words = 0;
    bool has_ended = false;
    *result = (tool_game_arguments){0};
    for (int i = 0; i < count;) {
        if (has_ended || strncmp(arguments[i], "--", 2) != 0) {
            arguments[num_words++] = arguments[i++];
        } else if (arguments[i][2] == '\0') {
            has_ended = true;
            i++;
        } else {
            const int taken = read_option(command, count - i, arguments + i, result);
            if (taken == 0)
                return TOOL_BAD_USAGE;
            i += taken;
        }
    }
    const bool has_folder = num_words > 0 && (!result->base || num_words > most_rest);
    if (has_folder)
        result->folder = arguments[0];
    else if (!result->base)
        return tool_usage(command, "%s: missing folder", command);
    result->rest = arguments + has_folder;
    result->num_rest = num_words - has_folder;
    return TOOL_OK;
}

// -- Games ----------------------------------------------------------------------------------------

static int refuse(const char *folder)
{
    md5_error error = {.status = MD5_ERROR_IO, .message = "not a folder"};
    (void)snprintf(error.file, sizeof error.file, "%s", folder);
    tool_print_error(&error);
    return TOOL_BAD_FILE;
}

static bool show_search(void *user, size_t num_files)
{
    (void)user;
    if (common_is_terminal(2) && num_files > 0)
        fprintf(stderr, "\r%zu files\r", num_files);
    return true;
}

static bool open_game(tool_game *opened, md5_error *error)
{
    const md5_load_opts opts = {
        .warn = tool_take_note,
        .warn_user = &opened->notes,
        .max_warnings = UINT32_MAX,
    };
    opened->game = md5_create_game(opened->places.paths, opened->places.count, &opts, error);
    opened->memory = opened->game ? md5_game_memory(opened->game) : 0;
    return opened->game != NULL;
}

int tool_open_game(const tool_game_arguments *arguments, tool_game *result)
{
    const char *const folders[] = {arguments->mod, arguments->folder, arguments->base};
    md5_error error;
    *result = (tool_game){.places = {.goes_on = show_search}};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (folders[i] && !common_add_game_folder(&result->places, folders[i]))
            return refuse(folders[i]);
    }
    if (common_is_terminal(2))
        fputs("\r                              \r", stderr);
    if (!open_game(result, &error))
        tool_print_error(&error);
    return result->game ? TOOL_OK : TOOL_BAD_FILE;
}

bool tool_renew_game(tool_game *opened, md5_error *error)
{
    enum { MUCH = 24 << 20, OFTEN = 64 };
    if (md5_game_memory(opened->game) < opened->memory + MUCH)
        return true;
    if (opened->num_renewals++ == OFTEN) {
        *error = (md5_error){.status = MD5_ERROR_MEMORY};
        (void)snprintf(error->message, sizeof error->message,
                       "the declarations take too much memory: the rest of them is left out");
        return false;
    }
    md5_destroy_game(opened->game);
    const bool is_open =
        open_game(opened, error) && md5_game_set_verdict(opened->game, opened->verdict, error);
    tool_clear_notes(&opened->notes);
    return is_open;
}

void tool_close_game(tool_game *game)
{
    md5_destroy_game(game->game);
    common_free_game_places(&game->places);
    tool_free_notes(&game->notes);
}

bool tool_parse_decl(md5_game *game, md5_decl_type type, const char *name, md5_error *error)
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

uint32_t tool_decl_line(const md5_decl *decl)
{
    const char *at = decl->text, *const end = decl->text + decl->size;
    const char *comment = NULL; // what ends the comment that `at` is in
    uint32_t line = decl->line;
    for (; at < end; at++) {
        const bool has_next = end - at > 1;
        if (comment && strncmp(at, comment, strlen(comment)) == 0) {
            at += strlen(comment) - 1;
            comment = NULL;
        } else if (!comment && has_next && at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
            comment = at[1] == '/' ? "\n" : "*/";
            at++;
        } else if (!comment && (unsigned char)*at > ' ' && (unsigned char)*at < 0x80) {
            break;
        }
        line += *at == '\n';
    }
    return line;
}

// -- Output ---------------------------------------------------------------------------------------

void tool_show_progress(size_t done, size_t count)
{
    enum { FEW = 200, STEP = 50 };
    if (count < FEW || !common_is_terminal(2))
        return;
    if (done == count)
        fputs("\r                              \r", stderr);
    else if (done % STEP == 1)
        fprintf(stderr, "\r%zu of %zu", done, count);
}

void tool_print_json(const char *text)
{
    putchar('"');
    for (; text && *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < ' ' || c >= 0x7F)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

// What the commands about game folders share: their arguments, opening a game, warnings that are
// kept until they are printed.
#ifndef DEMO_TOOL_GAME_H
#define DEMO_TOOL_GAME_H

#include "demo/common/game_folder.h"
#include "demo/tool/tool.h"

// Warnings in the order in which the game gave them.
typedef struct tool_notes {
    md5_error *notes; // [count]
    size_t count, room;
    size_t num_left_out; // beyond a limit, so that a hostile file does not fill the memory
} tool_notes;

void tool_take_note(void *user, const md5_error *note); // a md5_warn_fn; user: tool_notes
void tool_clear_notes(tool_notes *notes);
// The arguments: `[--base DIR] [--mod DIR] [DIR] REST...`, options anywhere before `--`. A folder
// hides those behind it: the mod, then DIR, then the base.
typedef struct tool_game_arguments {
    const char *base, *mod, *folder;
    char **rest; // [num_rest] what is neither an option nor the folder
    int num_rest;
} tool_game_arguments;

// Without --base the first word is DIR; with it, DIR is there if there are more than `max_rest`
// others. `is_json` is set by --json, which only commands know that pass it. Returns an exit
// status, and prints what is wrong.
int tool_read_game_arguments(const char *command, int count, char **arguments, bool *is_json,
                             int max_rest, tool_game_arguments *result);

typedef struct tool_game {
    common_game_places places;
    md5_game *game; // NULL if it could not be opened, which is printed
    md5_warn_fn *warn;
    tool_notes notes; // the user of `warn`
    size_t memory;    // of the game when it was opened
    int num_renewals;
    md5_verdict verdict; // that the game has
} tool_game;

// Opens the game of the arguments; its warnings go to `warn`: tool_take_note() keeps them in
// `result->notes`. Returns an exit status.
int tool_open_game(const tool_game_arguments *arguments, md5_warn_fn *warn, tool_game *result);
void tool_close_game(tool_game *game);

// Opens the game again, for the same verdict and without warnings, if what was parsed since then
// takes much memory. What the game returned before is gone then. Returns false if that fails, or if
// it has been necessary very often.
bool tool_renew_game(tool_game *opened, md5_error *error);

// Shows on standard error how far a long command is, if that is a terminal and there is much to do.
// Call it for each of `count` things, from 1 on.
void tool_show_progress(size_t done, size_t count);

// Parses a declaration, of an entity without what it inherits. Returns false if memory runs out.
bool tool_parse_decl(md5_game *game, md5_decl_type type, const char *name, md5_error *error);

#endif

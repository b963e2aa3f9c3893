// The part of md5tool check that is about game folders.
#ifndef DEMO_TOOL_CHECK_GAME_H
#define DEMO_TOOL_CHECK_GAME_H

#include "demo/tool/game.h"

// Whether a folder looks like one of a game: it has archives, or folders of declarations.
bool tool_is_game_folder(const char *folder);

typedef struct tool_game_check {
    md5_warn_fn *print; // of each finding; files are named with their folder or archive
    void *user;
    size_t num_files, num_decls; // that were read
    size_t num_defaulted;        // declarations that the engine replaces by defaults
} tool_game_check;

// Reads all declarations of a game folder, with the models and animations that they name, and all
// other models, animations and camera paths. Returns an exit status: TOOL_BAD_FILE only if the game
// cannot be read, which is printed.
int tool_check_game(const tool_game_arguments *arguments, tool_game_check *check);

#endif

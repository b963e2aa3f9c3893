// Game folders whose files are texts in memory, with a log of their warnings; also the games of the
// golden files.
#ifndef TEST_GAME_CASE_H
#define TEST_GAME_CASE_H

#include "md5/md5game.h"

typedef struct game_text {
    const char *name, *text;
} game_text;

// The warnings of a game: "file:line: message\n" for each.
typedef struct game_log {
    char text[8192];
    uint32_t count;
} game_log;

// Adds a warning to the game_log `user`, for md5_load_opts.
void log_warning(void *user, const md5_error *warning);

// Returns a search path with the files texts[count], which must exist as long as it.
md5_game_path make_game_path(const game_text *texts, size_t count, bool is_archive);

// Reads a file of the folder golden in MD5_CORPUS. A golden_folder lists files of a folder there,
// from which a game is opened.
char *read_golden(const char *name, size_t *size);
typedef struct golden_folder {
    const char *path;
    const char *const *names; // [count]
    size_t count;
} golden_folder;
md5_game *open_golden_game(const golden_folder *folder, const md5_load_opts *opts);

// Opens a game with one search path that contains the files texts[count], in engine mode. `log` may
// be NULL.
md5_game *open_texts(const game_text *texts, size_t count, game_log *log);

// The same as open_texts(), for one file of materials.
md5_game *open_materials(const char *text, game_log *log);

// A mesh with the joints root, a, b below a, and c, and animations of 2 and 3 frames.
extern const char game_mesh[], game_anim2[], game_anim3[];

// The same as open_texts(), for one file of models. The game also contains x.md5mesh, two.md5anim
// and three.md5anim with the texts above. Only one such game can exist at a time.
md5_game *open_models(const char *text, game_log *log);

// Returns true if the log contains a line.
bool has_logged(const game_log *log, const char *line);

// Returns the value of a register of a stage's color at a time, with all parameters 0 except parm4
// = 0.25.
double color_at(const md5_material *material, uint32_t stage, uint32_t channel, float time);

#endif

// md5.cfg files in memory.
#ifndef TEST_CUBE_CASE_H
#define TEST_CUBE_CASE_H

#include "md5/md5dialects.h"
#include "test/game/game_case.h"

// Where the md5.cfg of a case is.
#define CUBE_CASE_PATH "data/actors/hero/md5.cfg"

// A loaded model, with the texts that its files are read from.
typedef struct cube_case {
    game_text files[4]; // ended by one without a name
    game_log log;
    md5_error error;
    md5_cube2 *cube;
} cube_case;

// Loads an md5.cfg of this text. Returns NULL on failure.
const md5_cube2 *open_cube(cube_case *test, const char *text);

// The same, beside a file `name` of the text `other`.
const md5_cube2 *open_cube_with(cube_case *test, const char *text, const char *name,
                                const char *other);

void close_cube(cube_case *test);

// Options that read from files[], which end with one without a name.
md5_load_opts cube_opts(const game_text *files, game_log *log);

#endif

#include "test/game/cube_case.h"

#include "test/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const void *open_file(void *user, const char *path, size_t *size, md5_error *error)
{
    for (const game_text *file = user; file->name; file++) {
        if (strcmp(file->name, path) != 0)
            continue;
        *size = strlen(file->text);
        char *const copy = malloc(*size ? *size : 1); // exact size, to detect reads past the end
        if (!copy)
            abort();
        memcpy(copy, file->text, *size);
        return copy;
    }
    (void)snprintf(error->message, sizeof error->message, "not on this shelf");
    return NULL;
}

static void close_file(void *user, const void *bytes, size_t size)
{
    (void)user, (void)size;
    free((void *)(uintptr_t)bytes);
}

static void add_line(void *user, const md5_error *warning)
{
    game_log *const log = user;
    const size_t used = strlen(log->text);
    (void)snprintf(log->text + used, sizeof log->text - used, "%s:%u:%u: %s\n", warning->file,
                   warning->line, warning->column, warning->message);
    log->count++;
}

md5_load_opts cube_opts(const game_text *files, game_log *log)
{
    memset(log, 0, sizeof *log);
    return (md5_load_opts){
        .warn = add_line,
        .warn_user = log,
        .files = {.open = open_file, .close = close_file, .user = (void *)(uintptr_t)files},
    };
}

const md5_cube2 *open_cube_with(cube_case *test, const char *text, const char *name,
                                const char *other)
{
    memset(test, 0, sizeof *test);
    test->files[0] = (game_text){CUBE_CASE_PATH, text};
    test->files[1] = (game_text){name, other};
    const md5_load_opts opts = cube_opts(test->files, &test->log);
    test->cube = md5_load_cube2(CUBE_CASE_PATH, NULL, &opts, &test->error);
    return test->cube;
}

const md5_cube2 *open_cube(cube_case *test, const char *text)
{
    return open_cube_with(test, text, NULL, NULL);
}

void close_cube(cube_case *test)
{
    md5_free_cube2(test->cube);
    test->cube = NULL;
}

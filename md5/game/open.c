// Opening and freeing games.
#include "md5/core/assert.h"
#include "md5/game/decls.h"
#include "md5/game/files.h"

#include <string.h>

static md5_game *make_game(const md5_load_opts *opts, md5_error *error)
{
    md5_context context;
    md5i_context_begin(&context, opts, NULL, error);
    md5_game *const game = (md5_game *)md5i_alloc(&context, sizeof *game);
    if (!game)
        return NULL;
    memset(game, 0, sizeof *game);
    game->context = context;
    game->context.files = (md5_files){.open = NULL};
    game->arena.context = game->scratch.context = &game->context;
    md5_game_begin(game, error);
    return game;
}

static bool copy_paths(md5_game *game, const md5_game_path *paths, size_t num_paths)
{
    md5_game_path *const copy =
        (md5_game_path *)md5i_arena_alloc(&game->arena, num_paths, sizeof *copy);
    TRY(copy);
    if (num_paths > 0)
        memcpy(copy, paths, num_paths * sizeof *copy);
    game->paths = copy;
    game->num_paths = num_paths;
    return true;
}

md5_game *md5_create_game(const md5_game_path *paths, size_t num_paths, const md5_load_opts *opts,
                          md5_error *error)
{
    MD5_ASSERT(paths != NULL || num_paths == 0, "paths: not NULL unless num_paths is 0");
    md5_game *const game = make_game(opts, error);
    if (!game)
        return NULL;
    if (copy_paths(game, paths, num_paths) && md5i_game_index_files(game)
        && md5i_game_index_decls(game)) {
        game->context.error = &game->context.unseen;
        game->is_used = false;
        return game;
    }
    md5_destroy_game(game);
    return NULL;
}

uint32_t md5_game_num_unread(const md5_game *game)
{
    MD5_ASSERT(game != NULL, "game: not NULL");
    return game->num_unread;
}

size_t md5_game_memory(const md5_game *game)
{
    MD5_ASSERT(game != NULL, "game: not NULL");
    return game->context.memory_held;
}

void md5_destroy_game(md5_game *game)
{
    if (!game)
        return;
    game->context.error = &game->context.unseen;
    md5i_arena_free(&game->arena);
    md5i_arena_free(&game->scratch);
    const md5_allocator allocator = game->context.allocator;
    allocator.free(allocator.user, game, sizeof *game);
}

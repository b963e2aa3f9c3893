// A game keeps its declarations twice, once for each verdict: what a declaration refers to is read
// with the same verdict, and implicit declarations of one are unknown to the other. The texts, the
// names and the files are shared.
#include "md5/game/verdict.h"

#include "md5/core/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool md5i_mistake(const md5_decl_lex *lex, const char *expected, const char *format, ...)
{
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (md5_is_lenient(lex->game))
        md5i_decl_lex_warn(lex, "%s; expected %s", message, expected);
    else
        md5i_decl_lex_warn(lex, "%s", message);
    return !md5_is_lenient(lex->game);
}

// -- Both lists -----------------------------------------------------------------------------------

// Adds the declarations of `from` that are in files to `to`, unparsed.
static bool copy_list(md5_game *game, const md5_decl_list *from, md5_decl_list *to)
{
    md5_arena *const arena = &game->arena;
    md5_decl_entry *const copies =
        (md5_decl_entry *)md5i_arena_alloc(arena, from->count, sizeof *copies);
    to->entries = (md5_decl_entry **)md5i_arena_alloc(arena, from->count, sizeof(md5_decl_entry *));
    TRY(copies && to->entries);
    to->room = from->count;
    for (uint32_t i = 0; i < from->count && from->entries[i]->decl.file; i++) {
        md5_decl_entry *const copy = &copies[to->count];
        copy->decl = from->entries[i]->decl;
        copy->decl.state = MD5_DECL_UNPARSED;
        copy->line_start = from->entries[i]->line_start;
        void **const added = md5i_name_map_add(&to->names, arena, copy->decl.name);
        TRY(added);
        *added = copy;
        to->entries[to->count++] = copy;
    }
    return true;
}

static bool copy_lists(md5_game *game)
{
    if (game->has_other_decls)
        return true;
    memset(game->other_decls, 0, sizeof game->other_decls);
    for (int i = 0; i < MD5_NUM_DECL_TYPES; i++)
        TRY(copy_list(game, &game->decls[i], &game->other_decls[i]));
    game->has_other_decls = true;
    return true;
}

bool md5_game_set_verdict(md5_game *game, md5_verdict verdict, md5_error *error)
{
    MD5_ASSERT(game != NULL, "game: not NULL");
    MD5_ASSERT(verdict == MD5_VERDICT_LENIENT || verdict == MD5_VERDICT_ENGINE,
               "verdict: one of md5_verdict");
    if (verdict == game->verdict || !game->is_used) {
        game->verdict = verdict;
        return true;
    }
    md5_game_begin(game, error);
    const bool is_copied = copy_lists(game);
    game->context.error = &game->context.unseen;
    TRY(is_copied);
    for (int i = 0; i < MD5_NUM_DECL_TYPES; i++) {
        const md5_decl_list list = game->decls[i];
        game->decls[i] = game->other_decls[i];
        game->other_decls[i] = list;
    }
    game->verdict = verdict;
    return true;
}

md5_verdict md5_game_verdict(const md5_game *game)
{
    MD5_ASSERT(game != NULL, "game: not NULL");
    return game->verdict;
}

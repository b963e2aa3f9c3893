// Materials: what the engine derives from the words once all are read, and its defaults.
#include "md5/game/material.h"

#include "md5/core/assert.h"
#include "md5/game/material_words.h"

#include <stdio.h>
#include <string.h>

// -- Stages ---------------------------------------------------------------------------------------

static bool has_light(const md5_material_parser *parser, md5_stage_light light)
{
    for (uint32_t i = 0; i < parser->material.num_stages; i++) {
        if (parser->stages[i].light == light)
            return true;
    }
    return false;
}

static bool has_reflection(const md5_material_parser *parser)
{
    for (uint32_t i = 0; i < parser->material.num_stages; i++) {
        if (parser->stages[i].texgen == MD5_TEXGEN_REFLECT)
            return true;
    }
    return false;
}

// A material that receives light needs a bump stage, and another one, or a reflection.
static bool add_implicit_stages(md5_material_parser *parser)
{
    const bool has_bump = has_light(parser, MD5_STAGE_BUMP);
    const bool has_other =
        has_light(parser, MD5_STAGE_DIFFUSE) || has_light(parser, MD5_STAGE_SPECULAR);
    if ((!has_bump && !has_other) || parser->material.num_stages == MD5_MAX_STAGES)
        return true;
    if (!has_bump)
        return md5i_add_plain_stage(parser, MD5_STAGE_BUMP, "_flat");
    return has_other || has_reflection(parser)
           || md5i_add_plain_stage(parser, MD5_STAGE_DIFFUSE, "_white");
}

// The end of the group of stages that begins at `first`: the next bump stage. A group that does not
// begin with one goes on to the end.
static uint32_t group_end(const md5_material_parser *parser, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < parser->material.num_stages
           && (parser->stages[first].light != MD5_STAGE_BUMP
               || parser->stages[end].light != MD5_STAGE_BUMP))
        end++;
    return end;
}

// Sorts each group by light: ambient, bump, diffuse, specular. Equal ones keep their order.
static void sort_stages(md5_material_parser *parser)
{
    for (uint32_t first = 0; first < parser->material.num_stages;) {
        const uint32_t end = group_end(parser, first);
        for (uint32_t i = first + 1; i < end; i++) {
            const md5_stage moved = parser->stages[i];
            uint32_t to = i;
            for (; to > first && parser->stages[to - 1].light > moved.light; to--)
                parser->stages[to] = parser->stages[to - 1];
            parser->stages[to] = moved;
        }
        first = end;
    }
}

// -- What follows from the stages -----------------------------------------------------------------

// Two-sided surfaces with normals are drawn twice, so that each side has normals of its own.
static void choose_sides(md5_material_parser *parser)
{
    md5_material *const material = &parser->material;
    for (uint32_t i = 0; i < material->num_stages && material->cull == MD5_CULL_NONE; i++) {
        const md5_stage *const stage = &parser->stages[i];
        if (stage->light != MD5_STAGE_AMBIENT || stage->texgen != MD5_TEXGEN_EXPLICIT) {
            material->cull = MD5_CULL_BACK;
            material->creates_back_sides = true;
        }
    }
}

// Whether what is behind a surface shows through its first stage.
static bool is_blended(uint32_t bits)
{
    const uint32_t source = bits & 0x0F, destination = bits & 0xF0;
    return destination != 0 || source == 3 || source == 4 || source == 7 || source == 8;
}

static void choose_coverage(md5_material_parser *parser)
{
    md5_material *const material = &parser->material;
    const bool is_lit = has_light(parser, MD5_STAGE_BUMP) || has_light(parser, MD5_STAGE_DIFFUSE)
                        || has_light(parser, MD5_STAGE_SPECULAR);
    if ((int)material->coverage == MD5_COVERAGE_UNSET) {
        const bool is_seen_through =
            material->num_stages == 0 || (!is_lit && is_blended(parser->stages[0].bits));
        material->coverage = is_seen_through ? MD5_COVERAGE_TRANSLUCENT : MD5_COVERAGE_OPAQUE;
    }
    if (material->coverage == MD5_COVERAGE_TRANSLUCENT)
        material->no_shadows = true;
    else
        material->contents |= 2;
}

static bool shows_screen(const md5_stage *stage)
{
    static const char name[] = "_currentRender";
    const md5_token word = {.text = stage->image.text, .size = strlen(stage->image.text)};
    if (md5i_token_is_word(&word, name))
        return true;
    for (uint32_t i = 0; i < stage->program.num_images; i++) {
        const char *const text = stage->program.images[i].text;
        const md5_token image = {.text = text, .size = strlen(text)};
        const bool is_used = stage->program.vertex || stage->program.fragment;
        if (is_used && md5i_token_is_word(&image, name))
            return true;
    }
    return false;
}

// Values of md5_material.sort that the engine has names for.
#define SORT_PORTAL_SKY 1.0f
#define SORT_DECAL 2.0f
#define SORT_MEDIUM 4.0f
#define SORT_POST_PROCESS 100.0f

static void choose_sort(md5_material_parser *parser)
{
    md5_material *const material = &parser->material;
    if (material->sort == MD5_SORT_UNSET) {
        const bool is_translucent = material->coverage == MD5_COVERAGE_TRANSLUCENT;
        material->sort = material->has_polygon_offset ? SORT_DECAL
                         : is_translucent             ? SORT_MEDIUM
                                                      : 0.0f;
    }
    for (uint32_t i = 0; i < material->num_stages; i++) {
        if (shows_screen(&parser->stages[i]) && material->sort != SORT_PORTAL_SKY) {
            material->sort = SORT_POST_PROCESS;
            material->coverage = MD5_COVERAGE_TRANSLUCENT;
        }
    }
}

// Opaque surfaces are drawn where the depth pass has drawn them; others by depth, without writing
// it.
static void choose_depth(md5_material_parser *parser)
{
    const md5_material *const material = &parser->material;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        md5_stage *const stage = &parser->stages[i];
        if (material->sort == SORT_POST_PROCESS)
            continue;
        stage->bits |= MD5_STAGE_NO_DEPTH;
        if (material->coverage != MD5_COVERAGE_TRANSLUCENT && !stage->ignore_alpha_test)
            stage->bits |= MD5_STAGE_DEPTH_EQUAL;
    }
}

static void choose_rest(md5_material_parser *parser)
{
    enum { NO_IMPACT = 1 << 8 };
    md5_material *const material = &parser->material;
    const bool is_drawn = material->num_stages > 0 || material->gui;
    material->has_subview = material->sort == -3.0f;
    for (uint32_t i = 0; i < material->num_stages; i++)
        material->has_subview |= parser->stages[i].dynamic != MD5_IMAGE_STATIC;
    if (!is_drawn || material->coverage != MD5_COVERAGE_OPAQUE || (material->surface & NO_IMPACT))
        material->allows_overlays = false;
    if (parser->forces_overlays)
        material->allows_overlays = true;
}

// -- Parsing --------------------------------------------------------------------------------------

static void begin_material(md5_material_parser *parser, const md5_decl *decl)
{
    parser->decl = decl;
    parser->is_defaulted = parser->forces_overlays = false;
    parser->repeat = MD5_REPEAT;
    memset(&parser->material, 0, sizeof parser->material);
    parser->material.decl = decl;
    parser->material.sort = MD5_SORT_UNSET;
    parser->material.contents = 1;
    parser->material.allows_overlays = true;
    parser->material.light_falloff.text = "";
    md5i_clear_expressions(parser);
}

// Reads a material from a lexer that is before its first brace.
static bool read_material(md5_material_parser *parser, const md5_decl *decl, md5_decl_lex *lex)
{
    begin_material(parser, decl);
    (void)md5i_decl_lex_skip_until(lex, "{");
    TRY(md5i_read_material(parser, lex));
    if (parser->is_defaulted)
        return true;
    TRY(add_implicit_stages(parser));
    sort_stages(parser);
    choose_sides(parser);
    choose_coverage(parser);
    choose_sort(parser);
    choose_depth(parser);
    choose_rest(parser);
    return true;
}

static bool read_text(md5_material_parser *parser, const md5_decl *decl, const char *text)
{
    md5_decl_lex lex;
    md5i_decl_lex_begin(&lex, parser->game, decl->file, decl->line, text, strlen(text));
    return read_material(parser, decl, &lex);
}

// One stage whose image is the name: what the engine makes of a material that no file declares.
static bool read_implicit(md5_material_parser *parser, const md5_decl *decl)
{
    static const char format[] = "{ { blend blend colored map \"%s\" clamp } }";
    const size_t room = strlen(decl->name) + sizeof format;
    char *const text = (char *)md5i_arena_alloc(&parser->game->scratch, room, 1);
    TRY(text);
    (void)snprintf(text, room, format, decl->name);
    return read_text(parser, decl, text);
}

static bool read_entry(md5_material_parser *parser, md5_decl_entry *entry)
{
    md5_decl_lex lex;
    if (!entry->decl.file) {
        TRY(read_implicit(parser, &entry->decl));
    } else {
        md5i_decl_lex_begin_decl(&lex, parser->game, entry);
        TRY(read_material(parser, &entry->decl, &lex));
    }
    if (!parser->is_defaulted)
        return true;
    TRY(read_text(parser, &entry->decl, "{ { blend blend map _default } }"));
    parser->is_defaulted = true;
    return true;
}

// Copies `count` items of `size` bytes into game->arena. Returns NULL if memory runs out.
static void *keep_items(md5_game *game, const void *items, uint32_t count, size_t size)
{
    void *const copy = md5i_arena_room(&game->arena, count, size);
    if (copy && count > 0)
        memcpy(copy, items, count * size);
    return copy;
}

static bool keep_material(md5_material_parser *parser, md5_decl_entry *entry)
{
    md5_game *const game = parser->game;
    md5_material *const from = &parser->material;
    from->stages =
        (const md5_stage *)keep_items(game, parser->stages, from->num_stages, sizeof(md5_stage));
    from->registers =
        (const float *)keep_items(game, parser->registers, from->num_registers, sizeof(float));
    from->ops = (const md5_material_op *)keep_items(game, parser->ops, from->num_ops,
                                                    sizeof(md5_material_op));
    md5_material *const material = (md5_material *)keep_items(game, from, 1, sizeof *from);
    TRY(from->stages && from->registers && from->ops && material);
    entry->parsed = material;
    entry->decl.state = parser->is_defaulted ? MD5_DECL_DEFAULTED : MD5_DECL_PARSED;
    return true;
}

static md5_material_parser *parser_of(md5_game *game)
{
    if (!game->parser)
        game->parser =
            (md5_material_parser *)md5i_arena_alloc(&game->arena, 1, sizeof *game->parser);
    if (game->parser)
        game->parser->game = game;
    return game->parser;
}

bool md5i_parse_material(md5_game *game, md5_decl_entry *entry)
{
    if (entry->parsed)
        return true;
    md5_material_parser *const parser = parser_of(game);
    TRY(parser);
    const md5_arena_mark before = md5i_arena_here(&game->scratch);
    const bool is_kept = read_entry(parser, entry) && game->context.error->status == MD5_OK
                         && keep_material(parser, entry);
    md5i_arena_rewind(&game->scratch, before);
    return is_kept;
}

md5_decl_entry *md5i_parse_material_of(md5_game *game, const char *name, size_t size)
{
    md5_decl_entry *const entry = md5i_find_or_add_entry(game, MD5_DECL_MATERIAL, name, size);
    return entry && md5i_parse_material(game, entry) ? entry : NULL;
}

const md5_material *md5_game_material(md5_game *game, const char *name, md5_error *error)
{
    MD5_ASSERT(game != NULL, "game: not NULL");
    MD5_ASSERT(name != NULL, "name: not NULL");
    md5_game_begin(game, error);
    const md5_decl_entry *const entry = md5i_parse_material_of(game, name, strlen(name));
    game->context.error = &game->context.unseen;
    return entry ? (const md5_material *)entry->parsed : NULL;
}

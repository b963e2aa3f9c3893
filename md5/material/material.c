// Materials: their words, and what follows from these.
#include "md5/material/material.h"

#include "md5/core/assert.h"
#include "md5/core/number.h"
#include "md5/decl/decls.h"
#include "md5/material/engine_words.h"
#include "md5/material/image.h"
#include "md5/material/material_parser.h"

#include <stdio.h>
#include <string.h>

// == Words ========================================================================================

// -- Texts ----------------------------------------------------------------------------------------

static md5_token read_on_line(md5_material_parser *parser)
{
    md5_token token = {.text = ""};
    (void)md5i_decl_lex_read_on_line(parser->lex, &token);
    return token;
}

// A word that sets one text of md5_material, given by its offset.
static void read_text_word(md5_material_parser *parser)
{
    const md5_token token = read_on_line(parser);
    *(const char **)(void *)((char *)&parser->material + parser->value) =
        md5i_keep_token(parser->game, &token);
}

static void read_editor_image(md5_material_parser *parser)
{
    read_text_word(parser);
    md5i_decl_lex_skip_line(parser->lex);
}

static void read_spectrum(md5_material_parser *parser)
{
    const md5_token token = read_on_line(parser);
    parser->material.spectrum = md5i_token_int(&token);
}

// The rest of the line, as it stands there: its tokens decide only where it ends.
static void read_render_bump(md5_material_parser *parser)
{
    md5_token token;
    const char *start = parser->lex->at;
    while (md5i_decl_lex_read_on_line(parser->lex, &token))
        continue;
    while (start < parser->lex->at && (*start == ' ' || *start == '\t'))
        start++;
    token.text = start;
    token.size = (size_t)(parser->lex->at - start);
    parser->material.render_bump = md5i_keep_token(parser->game, &token);
}

// -- Surfaces -------------------------------------------------------------------------------------

enum { SOLID = 1, OPAQUE_CONTENTS = 2, DISCRETE = 1 << 10, TYPE_MASK = 15 };

static const struct surface_word {
    const char *word;
    bool clears_solid;
    uint32_t surface;
    uint32_t contents;
} surface_words[] = {
    {"solid", false, 0, SOLID},
    {"water", true, 0, 1 << 2},
    {"playerclip", false, 0, 1 << 3},
    {"monsterclip", false, 0, 1 << 4},
    {"moveableclip", false, 0, 1 << 5},
    {"ikclip", false, 0, 1 << 6},
    {"blood", false, 0, 1 << 7},
    {"trigger", false, 0, 1 << 12},
    {"aassolid", false, 0, 1 << 13},
    {"aasobstacle", false, 0, 1 << 14},
    {"flashlight_trigger", false, 0, 1 << 15},
    {"nonsolid", true, 0, 0},
    {"nullNormal", false, 1 << 12, 0},
    {"areaportal", true, 0, 1 << 20},
    {"qer_nocarve", true, 0, 1 << 21},
    {"discrete", true, DISCRETE, 0},
    {"noFragment", false, 1 << 11, 0},
    {"slick", false, 1 << 5, 0},
    {"collision", false, 1 << 6, 0},
    {"noimpact", false, 1 << 8, 0},
    {"nodamage", false, 1 << 4, 0},
    {"ladder", false, 1 << 7, 0},
    {"nosteps", false, 1 << 9, 0},
    {"metal", false, 1, 0},
    {"stone", false, 2, 0},
    {"flesh", false, 3, 0},
    {"wood", false, 4, 0},
    {"cardboard", false, 5, 0},
    {"liquid", false, 6, 0},
    {"glass", false, 7, 0},
    {"plastic", false, 8, 0},
    {"ricochet", false, 9, 0},
    {"surftype10", false, 10, 0},
    {"surftype11", false, 11, 0},
    {"surftype12", false, 12, 0},
    {"surftype13", false, 13, 0},
    {"surftype14", false, 14, 0},
    {"surftype15", false, 15, 0},
};

// A surface has one type; the other flags add up.
static bool take_surface_word(md5_material_parser *parser, const md5_token *token)
{
    md5_material *const material = &parser->material;
    const struct surface_word *const row = MD5_TOKEN_ROW(struct surface_word, surface_words, token);
    TRY(row);
    if (row->surface & TYPE_MASK)
        material->surface &= ~(uint32_t)TYPE_MASK;
    material->surface |= row->surface;
    material->contents |= row->contents;
    if (row->clears_solid)
        material->contents &= ~(uint32_t)SOLID;
    return true;
}

// -- Drawing --------------------------------------------------------------------------------------

// A word that sets one bool of md5_material, given by its offset.
static void set_flag(md5_material_parser *parser)
{
    *(bool *)(void *)((char *)&parser->material + parser->value) = true;
}

static void clear_overlays(md5_material_parser *parser)
{
    parser->material.allows_overlays = false;
}

static void force_overlays(md5_material_parser *parser)
{
    parser->forces_overlays = true;
}

static void set_coverage(md5_material_parser *parser)
{
    parser->material.coverage = (md5_coverage)parser->value;
}

// alphazeroclamp is zeroclamp here, in the engine too.
static void set_repeat(md5_material_parser *parser)
{
    parser->repeat = (md5_image_repeat)parser->value;
}

static void set_cull(md5_material_parser *parser)
{
    parser->material.cull = (md5_cull)parser->value;
    parser->material.no_shadows = true;
}

static void set_mirror(md5_material_parser *parser)
{
    parser->material.sort = -3.0f;
    parser->material.coverage = MD5_COVERAGE_OPAQUE;
}

static void set_decal(md5_material_parser *parser)
{
    parser->material.has_polygon_offset = parser->material.no_shadows = true;
    parser->material.polygon_offset = 1.0f;
    parser->material.surface |= DISCRETE;
    parser->material.contents &= ~(uint32_t)SOLID;
    parser->material.sort = 2.0f;
}

// Takes any token of its line, whatever it is.
static void read_polygon_offset(md5_material_parser *parser)
{
    md5_token token;
    parser->material.has_polygon_offset = true;
    parser->material.polygon_offset = 1.0f;
    if (md5i_decl_lex_read_on_line(parser->lex, &token))
        parser->material.polygon_offset = md5i_token_float(&token);
}

static const struct sort_word {
    const char *word;
    float sort;
} sort_words[] = {
    {"subview", -3.0f},      {"opaque", 0.0f},    {"decal", 2.0f},         {"far", 3.0f},
    {"medium", 4.0f},        {"close", 5.0f},     {"almostNearest", 6.0f}, {"nearest", 7.0f},
    {"postProcess", 100.0f}, {"portalSky", 1.0f},
};

static void read_sort(md5_material_parser *parser)
{
    md5_token token;
    if (!md5i_decl_lex_read_on_line(parser->lex, &token)) {
        md5i_decl_error(parser->lex, "a number or a keyword", "missing sort parameter");
        return;
    }
    const struct sort_word *const row = MD5_TOKEN_ROW(struct sort_word, sort_words, &token);
    if (row) {
        parser->material.sort = row->sort;
        return;
    }
    // The text as a decimal number, whatever kind of token it is: 010 is 10 here.
    double number = 0.0;
    if (!md5i_scan_double(token.text, token.text + token.size, &number))
        number = 0.0;
    parser->material.sort = (float)number;
}

// -- Deforms --------------------------------------------------------------------------------------

static const struct deform_word {
    const char *word;
    md5_deform deform;
    bool is_flat;  // faces the view: drawn from both sides, without a shadow
    bool has_decl; // the name of a table or particle follows
    uint32_t num_registers;
} deform_words[] = {
    {"sprite", MD5_DEFORM_SPRITE, true, false, 0},
    {"tube", MD5_DEFORM_TUBE, true, false, 0},
    {"flare", MD5_DEFORM_FLARE, true, false, 1},
    {"expand", MD5_DEFORM_EXPAND, false, false, 1},
    {"move", MD5_DEFORM_MOVE, false, false, 1},
    {"turbulent", MD5_DEFORM_TURBULENT, false, true, 3},
    {"eyeBall", MD5_DEFORM_EYEBALL, false, false, 0},
    {"particle", MD5_DEFORM_PARTICLE, false, true, 0},
    {"particle2", MD5_DEFORM_PARTICLE2, false, true, 0},
};

// A table that a deform names becomes an implicit one if no file declares it.
static void read_deform_decl(md5_material_parser *parser)
{
    md5_game *const game = parser->game;
    md5_token token;
    if (!md5i_decl_lex_any(parser->lex, &token)) {
        md5i_decl_error(parser->lex, "a name", "deform particle missing particle name");
        return;
    }
    parser->material.deform_decl = md5i_keep_token(parser->game, &token);
    if (parser->material.deform != MD5_DEFORM_TURBULENT)
        return;
    md5_decl_entry *const table =
        md5i_find_or_add_entry(game, MD5_DECL_TABLE, token.text, token.size);
    if (table)
        (void)md5i_parse_table(game, table);
}

static void read_deform(md5_material_parser *parser)
{
    md5_token token;
    if (!md5i_decl_lex_any(parser->lex, &token))
        return;
    const struct deform_word *const row = MD5_TOKEN_ROW(struct deform_word, deform_words, &token);
    if (!row) {
        md5i_decl_error(parser->lex, "a deform such as sprite", "Bad deform type %s",
                        MD5_SHOWN(&token));
        if (!parser->is_defaulted)
            md5i_skip_unknown_word(parser->lex, &token, MD5_WORD_MATERIAL);
        return;
    }
    parser->material.deform = row->deform;
    if (row->is_flat) {
        parser->material.cull = MD5_CULL_NONE;
        parser->material.no_shadows = true;
    }
    if (row->has_decl)
        read_deform_decl(parser);
    for (uint32_t i = 0; i < row->num_registers && !parser->is_defaulted; i++)
        parser->material.deform_registers[i] = md5i_read_expression(parser);
}

static void read_decal_info(md5_material_parser *parser)
{
    md5_material *const material = &parser->material;
    (void)md5i_decl_lex_float(parser->lex, &material->decal_stay);
    (void)md5i_decl_lex_float(parser->lex, &material->decal_fade);
    (void)md5i_decl_lex_vector(parser->lex, material->decal_start, 4);
    (void)md5i_decl_lex_vector(parser->lex, material->decal_end, 4);
}

// -- Images ---------------------------------------------------------------------------------------

static void read_falloff(md5_material_parser *parser)
{
    char text[MD5_IMAGE_TEXT];
    if (md5i_read_image_text(parser->lex, text))
        (void)md5i_make_image_program(parser->game, text, &parser->material.light_falloff);
}

// diffusemap IMAGE and the like are stages, made as in the engine: from a text that contains the
// name of the image without quotes. So a name that needs its quotes is an error.
static void read_shortcut(md5_material_parser *parser)
{
    static const char *const lights[] = {"", "bumpmap", "diffusemap", "specularmap"};
    char image[MD5_IMAGE_TEXT], text[MD5_IMAGE_TEXT + 64];
    md5_decl_lex lex;
    md5_decl_lex *const outer = parser->lex;
    if (!md5i_read_image_text(outer, image))
        return;
    const int size =
        snprintf(text, sizeof text, "blend %s map %s\n}\n", lights[parser->value], image);
    md5i_decl_lex_begin(&lex, parser->game, outer->file, outer->line, text, (size_t)size);
    lex.joins_strings = false;
    lex.is_defaulted = &parser->is_defaulted;
    parser->lex = &lex;
    md5i_read_stage(parser);
    parser->lex = outer;
}

// -- Words ----------------------------------------------------------------------------------------

#define MATERIAL_FLAG(member) set_flag, (int)offsetof(md5_material, member)
#define MATERIAL_TEXT(member) read_text_word, (int)offsetof(md5_material, member)

static const struct material_word {
    const char *word;
    void (*read)(md5_material_parser *parser);
    int value; // parser->value
} words[] = {
    {"qer_editorimage", read_editor_image, (int)offsetof(md5_material, editor_image)},
    {"description", MATERIAL_TEXT(description)},
    {"polygonOffset", read_polygon_offset, 0},
    {"noShadows", MATERIAL_FLAG(no_shadows)},
    {"suppressInSubview", MATERIAL_FLAG(suppressed_in_subview)},
    {"portalSky", MATERIAL_FLAG(is_portal_sky)},
    {"noSelfShadow", MATERIAL_FLAG(no_self_shadow)},
    {"noPortalFog", MATERIAL_FLAG(no_portal_fog)},
    {"forceShadows", MATERIAL_FLAG(force_shadows)},
    {"noOverlays", clear_overlays, 0},
    {"forceOverlays", force_overlays, 0},
    {"translucent", set_coverage, MD5_COVERAGE_TRANSLUCENT},
    {"zeroclamp", set_repeat, MD5_IMAGE_CLAMP_ZERO},
    {"clamp", set_repeat, MD5_IMAGE_CLAMP},
    {"alphazeroclamp", set_repeat, MD5_IMAGE_CLAMP_ZERO},
    {"forceOpaque", set_coverage, MD5_COVERAGE_OPAQUE},
    {"twoSided", set_cull, MD5_CULL_NONE},
    {"backSided", set_cull, MD5_CULL_FRONT},
    {"fogLight", MATERIAL_FLAG(is_fog_light)},
    {"blendLight", MATERIAL_FLAG(is_blend_light)},
    {"ambientLight", MATERIAL_FLAG(is_ambient_light)},
    {"mirror", set_mirror, 0},
    {"noFog", MATERIAL_FLAG(no_fog)},
    {"unsmoothedTangents", MATERIAL_FLAG(unsmoothed_tangents)},
    {"lightFalloffImage", read_falloff, 0},
    {"guisurf", MATERIAL_TEXT(gui)},
    {"sort", read_sort, 0},
    {"spectrum", read_spectrum, 0},
    {"deform", read_deform, 0},
    {"decalInfo", read_decal_info, 0},
    {"renderbump", read_render_bump, 0},
    {"diffusemap", read_shortcut, MD5_STAGE_DIFFUSE},
    {"specularmap", read_shortcut, MD5_STAGE_SPECULAR},
    {"bumpmap", read_shortcut, MD5_STAGE_BUMP},
    {"DECAL_MACRO", set_decal, 0},
};

// Reads the material behind its first brace, up to its last one. An error is reported, and in the
// engine mode sets parser->is_defaulted. Returns false if memory runs out.
static bool read_words(md5_material_parser *parser)
{
    md5_token token;
    while (!parser->is_defaulted && md5_game_has_memory(parser->game)) {
        const bool is_read = md5i_decl_lex_any(parser->lex, &token);
        parser->is_defaulted |= !is_read && !md5_is_lenient(parser->game);
        if (!is_read || md5i_token_is(&token, "}"))
            return true;
        if (take_surface_word(parser, &token))
            continue;
        const struct material_word *const row = MD5_TOKEN_ROW(struct material_word, words, &token);
        if (row) {
            parser->value = row->value;
            row->read(parser);
        } else if (md5i_token_is(&token, "{")) {
            md5i_read_stage(parser);
        } else {
            md5i_unknown_word(parser->lex, &token, MD5_WORD_MATERIAL,
                              "unknown general material parameter", parser->decl->name,
                              "a material keyword, a stage or '}'");
        }
    }
    return md5_game_has_memory(parser->game);
}

// == Materials ====================================================================================
//
// Materials: what the engine derives from the words once all are read, and its defaults.

// -- Stages ---------------------------------------------------------------------------------------

static bool has_light(const md5_material_parser *parser, md5_stage_light light)
{
    for (uint32_t i = 0; i < parser->material.num_stages; i++) {
        if (parser->stages[i].light == light)
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
    bool is_shown = has_other; // or reflects
    for (uint32_t i = 0; i < parser->material.num_stages; i++)
        is_shown |= parser->stages[i].texgen == MD5_TEXGEN_REFLECT;
    return is_shown || md5i_add_plain_stage(parser, MD5_STAGE_DIFFUSE, "_white");
}

// Whether what is behind a surface shows through its first stage.
static bool is_blended(uint32_t bits)
{
    const uint32_t source = bits & 0x0F;
    const uint32_t destination = bits & 0xF0;
    return destination != 0 || source == 3 || source == 4 || source == 7 || source == 8;
}

static bool shows_screen(const md5_stage *stage)
{
    static const char name[] = "_currentRender";
    if (md5_is_same_word(stage->image.text, name))
        return true;
    for (uint32_t i = 0; i < stage->program.num_images; i++) {
        const bool is_used = stage->program.vertex || stage->program.fragment;
        if (is_used && md5_is_same_word(stage->program.images[i].text, name))
            return true;
    }
    return false;
}

// Values of md5_material.sort that the engine has names for, and that of a material that sets none.
#define SORT_UNSET (-1.0f)
#define SORT_PORTAL_SKY 1.0f
#define SORT_DECAL 2.0f
#define SORT_MEDIUM 4.0f
#define SORT_POST_PROCESS 100.0f

// -- Parsing --------------------------------------------------------------------------------------

// Reads a material from a lexer that is before its first brace.
static bool read_material(md5_material_parser *parser, const md5_decl *decl, md5_decl_lex *lex)
{
    enum { NO_IMPACT = 1 << 8 };
    md5_material *const material = &parser->material;
    parser->decl = decl;
    parser->lex = lex;
    parser->is_defaulted = parser->forces_overlays = false;
    parser->repeat = MD5_IMAGE_REPEAT;
    memset(material, 0, sizeof *material);
    material->decl = decl;
    material->sort = SORT_UNSET;
    material->contents = 1;
    material->allows_overlays = true;
    material->light_falloff.text = "";
    md5i_clear_expressions(parser);
    (void)md5i_decl_lex_skip_until(lex, "{");
    TRY(read_words(parser));
    if (parser->is_defaulted)
        return true;
    TRY(add_implicit_stages(parser));
    // Sort each group by light: ambient, bump, diffuse, specular. Equal ones keep their order.
    for (uint32_t first = 0; first < material->num_stages;) {
        // The end of the group of stages that begins at `first`: the next bump stage. A group that
        // does not begin with one goes on to the end.
        uint32_t end = first + 1;
        while (end < material->num_stages
               && (parser->stages[first].light != MD5_STAGE_BUMP
                   || parser->stages[end].light != MD5_STAGE_BUMP))
            end++;
        for (uint32_t i = first + 1; i < end; i++) {
            const md5_stage moved = parser->stages[i];
            uint32_t to = i;
            for (; to > first && parser->stages[to - 1].light > moved.light; to--)
                parser->stages[to] = parser->stages[to - 1];
            parser->stages[to] = moved;
        }
        first = end;
    }
    // Two-sided surfaces with normals are drawn twice, so that each side has normals of its own.
    for (uint32_t i = 0; i < material->num_stages && material->cull == MD5_CULL_NONE; i++) {
        const md5_stage *const stage = &parser->stages[i];
        if (stage->light != MD5_STAGE_AMBIENT || stage->texgen != MD5_TEXGEN_EXPLICIT) {
            material->cull = MD5_CULL_BACK;
            material->creates_back_sides = true;
        }
    }
    const bool is_lit = has_light(parser, MD5_STAGE_BUMP) || has_light(parser, MD5_STAGE_DIFFUSE)
                        || has_light(parser, MD5_STAGE_SPECULAR);
    if ((int)material->coverage == 0) { // no word has set it
        const bool is_seen_through =
            material->num_stages == 0 || (!is_lit && is_blended(parser->stages[0].bits));
        material->coverage = is_seen_through ? MD5_COVERAGE_TRANSLUCENT : MD5_COVERAGE_OPAQUE;
    }
    if (material->coverage == MD5_COVERAGE_TRANSLUCENT)
        material->no_shadows = true;
    else
        material->contents |= 2;
    if (material->sort == SORT_UNSET) {
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
    // Opaque surfaces are drawn where the depth pass has drawn them; others by depth, without
    // writing it.
    for (uint32_t i = 0; i < material->num_stages; i++) {
        md5_stage *const stage = &parser->stages[i];
        if (material->sort == SORT_POST_PROCESS)
            continue;
        stage->bits |= MD5_STAGE_NO_DEPTH;
        if (material->coverage != MD5_COVERAGE_TRANSLUCENT && !stage->ignore_alpha_test)
            stage->bits |= MD5_STAGE_DEPTH_EQUAL;
    }
    const bool is_drawn = material->num_stages > 0 || material->gui;
    material->has_subview = material->sort == -3.0f;
    for (uint32_t i = 0; i < material->num_stages; i++)
        material->has_subview |= parser->stages[i].dynamic != MD5_IMAGE_STATIC;
    if (!is_drawn || material->coverage != MD5_COVERAGE_OPAQUE || (material->surface & NO_IMPACT))
        material->allows_overlays = false;
    if (parser->forces_overlays)
        material->allows_overlays = true;
    return true;
}

static bool read_text(md5_material_parser *parser, const md5_decl *decl, const char *text)
{
    md5_decl_lex lex;
    md5i_decl_lex_begin(&lex, parser->game, decl->file, decl->line, text, strlen(text));
    lex.is_defaulted = &parser->is_defaulted;
    return read_material(parser, decl, &lex);
}

static bool read_entry(md5_material_parser *parser, md5_decl_entry *entry)
{
    md5_decl_lex lex;
    if (!entry->decl.file) {
        // One stage whose image is the name: what the engine makes of a material that no file
        // declares.
        static const char format[] = "{ { blend blend colored map \"%s\" clamp } }";
        const size_t room = strlen(entry->decl.name) + sizeof format;
        char *const text = MD5_NEW(&parser->game->scratch, char, room);
        TRY(text);
        (void)snprintf(text, room, format, entry->decl.name);
        TRY(read_text(parser, &entry->decl, text));
    } else {
        md5i_decl_lex_begin_decl(&lex, parser->game, entry, &parser->is_defaulted);
        TRY(read_material(parser, &entry->decl, &lex));
    }
    if (!parser->is_defaulted)
        return true;
    TRY(read_text(parser, &entry->decl, "{ { blend blend map _default } }"));
    parser->is_defaulted = true;
    return true;
}

static bool keep_material(md5_material_parser *parser, md5_decl_entry *entry)
{
    md5_arena *const arena = &parser->game->arena;
    md5_material *const from = &parser->material;
    from->stages = (const md5_stage *)md5i_arena_copy(arena, parser->stages, from->num_stages,
                                                      sizeof(md5_stage));
    from->registers = (const float *)md5i_arena_copy(arena, parser->registers, from->num_registers,
                                                     sizeof(float));
    from->ops = (const md5_material_op *)md5i_arena_copy(arena, parser->ops, from->num_ops,
                                                         sizeof(md5_material_op));
    md5_material *const material = (md5_material *)md5i_arena_copy(arena, from, 1, sizeof *from);
    TRY(from->stages && from->registers && from->ops && material);
    entry->parsed = material;
    entry->decl.state = parser->is_defaulted ? MD5_DECL_DEFAULTED : MD5_DECL_PARSED;
    return true;
}

// Parses a material, unless that has been done. Returns false if memory runs out.
static bool parse_material(md5_game *game, md5_decl_entry *entry)
{
    if (entry->parsed)
        return true;
    if (!game->parser)
        game->parser = MD5_NEW(&game->arena, md5_material_parser, 1);
    if (game->parser)
        game->parser->game = game;
    md5_material_parser *const parser = game->parser;
    TRY(parser);
    const md5_arena_mark before = md5i_arena_here(&game->scratch);
    const bool is_kept =
        read_entry(parser, entry) && md5_game_has_memory(game) && keep_material(parser, entry);
    md5i_arena_rewind(&game->scratch, before);
    return is_kept;
}

md5_decl_entry *md5i_parse_material_of(md5_game *game, const char *name, size_t size)
{
    md5_decl_entry *const entry = md5i_find_or_add_entry(game, MD5_DECL_MATERIAL, name, size);
    return entry && parse_material(game, entry) ? entry : NULL;
}

const md5_material *md5_game_material(md5_game *game, const char *name, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    MD5_ASSERT_NOT_NULL(name);
    return (const md5_material *)md5i_request(game, MD5_DECL_MATERIAL, name, parse_material, error);
}

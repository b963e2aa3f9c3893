// Materials: the parser of their keywords, and the values that the engine derives from them.
//
// `material_keyword_rows` maps each keyword to a function that reads its arguments into
// parser->material. read_material() reads all keywords. It then derives implicit stages, sort
// order, culling, coverage and depth bits. stage.c reads the stages.
#include "md5/material/material.h"

#include "md5/core/assert.h"
#include "md5/core/number.h"
#include "md5/decl/decls.h"
#include "md5/material/engine_keywords.h"
#include "md5/material/image.h"
#include "md5/material/material_parser.h"

#include <stdio.h>
#include <string.h>

// == Keywords =====================================================================================

// -- Texts ----------------------------------------------------------------------------------------

// Reads a token from the current line. Returns an empty token at the end of the line.
static md5_token read_on_line(md5_material_parser *parser)
{
    md5_token token = {.text = ""};
    (void)md5i_decl_lex_read_on_line(parser->lex, &token);
    return token;
}

// Reads a token into a text member of md5_material. parser->value is the offset of the member.
static void read_text_keyword(md5_material_parser *parser)
{
    const md5_token token = read_on_line(parser);
    *(const char **)(void *)((char *)&parser->material + parser->value) =
        md5i_copy_token(parser->game, &token);
}

static void read_editor_image(md5_material_parser *parser)
{
    read_text_keyword(parser);
    md5i_decl_lex_skip_line(parser->lex);
}

static void read_spectrum(md5_material_parser *parser)
{
    const md5_token token = read_on_line(parser);
    parser->material.spectrum = md5i_token_int(&token);
}

// Stores the remaining text of the line. It contains the options of the engine's command
// renderbump. Tokens are read only to find the end of the line.
static void read_render_bump(md5_material_parser *parser)
{
    const char *start = parser->lex->at;
    md5_token token;
    while (md5i_decl_lex_read_on_line(parser->lex, &token))
        continue;
    const char *const end = parser->lex->at;

    while (start < end && (*start == ' ' || *start == '\t'))
        start++;
    token.text = start;
    token.size = (size_t)(end - start);
    parser->material.render_bump = md5i_copy_token(parser->game, &token);
}

// -- Surfaces -------------------------------------------------------------------------------------

// Bits of md5_material.contents.
enum { SOLID = 1, CONTENTS_OPAQUE = 2 };
// Bits of md5_material.surface. The lowest bits are the surface type.
enum { TYPE_MASK = 15, NO_IMPACT = 1 << 8, DISCRETE = 1 << 10 };

static const struct surface_keyword {
    const char *keyword;
    bool clears_solid; // clears the bit SOLID, which is set by default
    uint32_t surface;  // bits that are added to md5_material.surface
    uint32_t contents; // bits that are added to md5_material.contents
} surface_keywords[] = {
    {.keyword = "solid", .contents = SOLID},
    {.keyword = "water", .clears_solid = true, .contents = 1 << 2},
    {.keyword = "playerclip", .contents = 1 << 3},
    {.keyword = "monsterclip", .contents = 1 << 4},
    {.keyword = "moveableclip", .contents = 1 << 5},
    {.keyword = "ikclip", .contents = 1 << 6},
    {.keyword = "blood", .contents = 1 << 7},
    {.keyword = "trigger", .contents = 1 << 12},
    {.keyword = "aassolid", .contents = 1 << 13},
    {.keyword = "aasobstacle", .contents = 1 << 14},
    {.keyword = "flashlight_trigger", .contents = 1 << 15},
    {.keyword = "nonsolid", .clears_solid = true},
    {.keyword = "nullNormal", .surface = 1 << 12},
    {.keyword = "areaportal", .clears_solid = true, .contents = 1 << 20},
    {.keyword = "qer_nocarve", .clears_solid = true, .contents = 1 << 21},
    {.keyword = "discrete", .clears_solid = true, .surface = DISCRETE},
    {.keyword = "noFragment", .surface = 1 << 11},
    {.keyword = "slick", .surface = 1 << 5},
    {.keyword = "collision", .surface = 1 << 6},
    {.keyword = "noimpact", .surface = NO_IMPACT},
    {.keyword = "nodamage", .surface = 1 << 4},
    {.keyword = "ladder", .surface = 1 << 7},
    {.keyword = "nosteps", .surface = 1 << 9},
    {.keyword = "metal", .surface = 1},
    {.keyword = "stone", .surface = 2},
    {.keyword = "flesh", .surface = 3},
    {.keyword = "wood", .surface = 4},
    {.keyword = "cardboard", .surface = 5},
    {.keyword = "liquid", .surface = 6},
    {.keyword = "glass", .surface = 7},
    {.keyword = "plastic", .surface = 8},
    {.keyword = "ricochet", .surface = 9},
    {.keyword = "surftype10", .surface = 10},
    {.keyword = "surftype11", .surface = 11},
    {.keyword = "surftype12", .surface = 12},
    {.keyword = "surftype13", .surface = 13},
    {.keyword = "surftype14", .surface = 14},
    {.keyword = "surftype15", .surface = 15},
};

// Applies a keyword that sets bits of `surface` and `contents`. The bits of several keywords are
// combined. The surface type is an exception: the last type replaces earlier ones. Returns false if
// the token is not such a keyword.
static bool apply_surface_keyword(md5_material_parser *parser, const md5_token *token)
{
    md5_material *const material = &parser->material;
    const struct surface_keyword *const entry =
        MD5_FIND_TOKEN(struct surface_keyword, surface_keywords, token);
    TRY(entry);

    if (entry->surface & TYPE_MASK)
        material->surface &= ~(uint32_t)TYPE_MASK;
    material->surface |= entry->surface;
    material->contents |= entry->contents;
    if (entry->clears_solid)
        material->contents &= ~(uint32_t)SOLID;
    return true;
}

// Values of md5_material.sort that have names in the engine. SORT_UNSET means that the material
// lacks the keyword `sort`.
#define SORT_UNSET (-1.0f)
#define SORT_SUBVIEW (-3.0f)
#define SORT_OPAQUE 0.0f
#define SORT_PORTAL_SKY 1.0f
#define SORT_DECAL 2.0f
#define SORT_MEDIUM 4.0f
#define SORT_POST_PROCESS 100.0f

// -- Drawing --------------------------------------------------------------------------------------

// Sets a bool member of md5_material. parser->value is the offset of the member.
static void set_material_flag(md5_material_parser *parser)
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

// Sets how the images of the following stages repeat. As in the engine, the keyword alphazeroclamp
// of a material has the same effect as zeroclamp.
static void set_material_repeat(md5_material_parser *parser)
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
    parser->material.sort = SORT_SUBVIEW;
    parser->material.coverage = MD5_COVERAGE_OPAQUE;
}

// Sets the properties of the keyword DECAL_MACRO. A decal is a surface on top of another surface,
// such as a bullet hole. It is not solid and casts no shadow.
static void set_decal(md5_material_parser *parser)
{
    parser->material.has_polygon_offset = true;
    parser->material.no_shadows = true;
    parser->material.polygon_offset = 1.0f;
    parser->material.surface |= DISCRETE;
    parser->material.contents &= ~(uint32_t)SOLID;
    parser->material.sort = SORT_DECAL;
}

// Reads any token of the line as a number.
static void read_material_polygon_offset(md5_material_parser *parser)
{
    md5_token token;
    parser->material.has_polygon_offset = true;
    parser->material.polygon_offset = 1.0f;
    if (md5i_decl_lex_read_on_line(parser->lex, &token))
        parser->material.polygon_offset = md5i_token_float(&token);
}

static const struct sort_keyword {
    const char *keyword;
    float sort;
} sort_keywords[] = {
    {"subview", SORT_SUBVIEW},
    {"opaque", SORT_OPAQUE},
    {"decal", SORT_DECAL},
    {"far", 3.0f},
    {"medium", SORT_MEDIUM},
    {"close", 5.0f},
    {"almostNearest", 6.0f},
    {"nearest", 7.0f},
    {"postProcess", SORT_POST_PROCESS},
    {"portalSky", SORT_PORTAL_SKY},
};

// Reads sort NAME or sort NUMBER.
static void read_sort(md5_material_parser *parser)
{
    md5_token token;
    if (!md5i_decl_lex_read_on_line(parser->lex, &token)) {
        md5i_decl_error(parser->lex, "a number or a keyword", "missing sort parameter");
        return;
    }

    const struct sort_keyword *const entry =
        MD5_FIND_TOKEN(struct sort_keyword, sort_keywords, &token);
    if (entry) {
        parser->material.sort = entry->sort;
        return;
    }
    // Any kind of token is read as a decimal number: `010` is 10, not an octal number.
    double number = 0.0;
    if (!md5i_scan_double(token.text, token.text + token.size, &number))
        number = 0.0;
    parser->material.sort = (float)number;
}

// -- Deforms --------------------------------------------------------------------------------------

static const struct deform_keyword {
    const char *keyword;
    md5_deform deform;
    bool is_flat;  // faces the viewer: drawn from both sides, without a shadow
    bool has_decl; // the next argument is the name of a table or particle
    uint32_t num_registers;
} deform_keywords[] = {
    {.keyword = "sprite", .deform = MD5_DEFORM_SPRITE, .is_flat = true},
    {.keyword = "tube", .deform = MD5_DEFORM_TUBE, .is_flat = true},
    {.keyword = "flare", .deform = MD5_DEFORM_FLARE, .is_flat = true, .num_registers = 1},
    {.keyword = "expand", .deform = MD5_DEFORM_EXPAND, .num_registers = 1},
    {.keyword = "move", .deform = MD5_DEFORM_MOVE, .num_registers = 1},
    {.keyword = "turbulent", .deform = MD5_DEFORM_TURBULENT, .has_decl = true, .num_registers = 3},
    {.keyword = "eyeBall", .deform = MD5_DEFORM_EYEBALL},
    {.keyword = "particle", .deform = MD5_DEFORM_PARTICLE, .has_decl = true},
    {.keyword = "particle2", .deform = MD5_DEFORM_PARTICLE2, .has_decl = true},
};

// Reads the name of the table or particle of a deform. A table is parsed. If no file declares it,
// an implicit table is added, as in the engine.
static void read_deform_decl(md5_material_parser *parser)
{
    md5_game *const game = parser->game;
    md5_token token;
    if (!md5i_decl_lex_read_any(parser->lex, &token)) {
        md5i_decl_error(parser->lex, "a name", "deform particle missing particle name");
        return;
    }

    parser->material.deform_decl = md5i_copy_token(parser->game, &token);
    if (parser->material.deform != MD5_DEFORM_TURBULENT)
        return;

    md5_decl_entry *const table =
        md5i_find_or_add_entry(game, MD5_DECL_TABLE, token.text, token.size);
    if (table)
        (void)md5i_parse_table(game, table);
}

// Reads the arguments of `deform`: the name of the deform, then, depending on the deform, a table
// or particle, and expressions.
static void read_deform(md5_material_parser *parser)
{
    md5_token token;
    if (!md5i_decl_lex_read_any(parser->lex, &token))
        return;

    const struct deform_keyword *const entry =
        MD5_FIND_TOKEN(struct deform_keyword, deform_keywords, &token);
    if (!entry) {
        md5i_decl_error(parser->lex, "a deform such as sprite", "Bad deform type %s",
                        MD5_QUOTED_TOKEN(&token));
        if (!parser->is_defaulted)
            md5i_skip_unknown_keyword(parser->lex, &token, MD5_SCOPE_MATERIAL);
        return;
    }

    parser->material.deform = entry->deform;
    if (entry->is_flat) {
        parser->material.cull = MD5_CULL_NONE;
        parser->material.no_shadows = true;
    }

    if (entry->has_decl)
        read_deform_decl(parser);
    for (uint32_t i = 0; i < entry->num_registers && !parser->is_defaulted; i++)
        parser->material.deform_registers[i] = md5i_read_expression(parser);
}

// Reads the arguments of decalInfo: how long a decal stays and fades, and its colors at the start
// and at the end.
static void read_decal_info(md5_material_parser *parser)
{
    md5_material *const material = &parser->material;
    (void)md5i_decl_lex_float(parser->lex, &material->decal_stay);
    (void)md5i_decl_lex_float(parser->lex, &material->decal_fade);
    (void)md5i_decl_lex_vector(parser->lex, material->decal_start, 4);
    (void)md5i_decl_lex_vector(parser->lex, material->decal_end, 4);
}

// -- Images ---------------------------------------------------------------------------------------

// Reads the image by which a light falls off with the distance along its direction.
static void read_falloff(md5_material_parser *parser)
{
    char text[MD5_IMAGE_TEXT];
    if (md5i_read_image_text(parser->lex, text))
        (void)md5i_build_image_program(parser->game, text, &parser->material.light_falloff);
}

// Reads a shortcut for a stage, such as `diffusemap IMAGE`. parser->value is the light of the
// stage. As in the engine, the stage is parsed from a text that contains the name of the image
// without quotes. Therefore a name that needs quotes is an error.
static void read_shortcut(md5_material_parser *parser)
{
    static const char *const lights[] = {"", "bumpmap", "diffusemap", "specularmap"};
    char image[MD5_IMAGE_TEXT];
    char text[MD5_IMAGE_TEXT + 64];
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

// -- Table ----------------------------------------------------------------------------------------

// The offset of a member, for set_material_flag() and read_text_keyword().
#define MATERIAL_MEMBER(name) (int)offsetof(md5_material, name)

static const struct material_keyword {
    const char *keyword;
    void (*read)(md5_material_parser *parser);
    int value; // copied to parser->value for `read`
} material_keyword_rows[] = {
    {"qer_editorimage", read_editor_image, MATERIAL_MEMBER(editor_image)},
    {"description", read_text_keyword, MATERIAL_MEMBER(description)},
    {"polygonOffset", read_material_polygon_offset, 0},
    {"noShadows", set_material_flag, MATERIAL_MEMBER(no_shadows)},
    {"suppressInSubview", set_material_flag, MATERIAL_MEMBER(suppressed_in_subview)},
    {"portalSky", set_material_flag, MATERIAL_MEMBER(is_portal_sky)},
    {"noSelfShadow", set_material_flag, MATERIAL_MEMBER(no_self_shadow)},
    {"noPortalFog", set_material_flag, MATERIAL_MEMBER(no_portal_fog)},
    {"forceShadows", set_material_flag, MATERIAL_MEMBER(force_shadows)},
    {"noOverlays", clear_overlays, 0},
    {"forceOverlays", force_overlays, 0},
    {"translucent", set_coverage, MD5_COVERAGE_TRANSLUCENT},
    {"zeroclamp", set_material_repeat, MD5_IMAGE_CLAMP_ZERO},
    {"clamp", set_material_repeat, MD5_IMAGE_CLAMP},
    {"alphazeroclamp", set_material_repeat, MD5_IMAGE_CLAMP_ZERO},
    {"forceOpaque", set_coverage, MD5_COVERAGE_OPAQUE},
    {"twoSided", set_cull, MD5_CULL_NONE},
    {"backSided", set_cull, MD5_CULL_FRONT},
    {"fogLight", set_material_flag, MATERIAL_MEMBER(is_fog_light)},
    {"blendLight", set_material_flag, MATERIAL_MEMBER(is_blend_light)},
    {"ambientLight", set_material_flag, MATERIAL_MEMBER(is_ambient_light)},
    {"mirror", set_mirror, 0},
    {"noFog", set_material_flag, MATERIAL_MEMBER(no_fog)},
    {"unsmoothedTangents", set_material_flag, MATERIAL_MEMBER(unsmoothed_tangents)},
    {"lightFalloffImage", read_falloff, 0},
    {"guisurf", read_text_keyword, MATERIAL_MEMBER(gui)},
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

// Reads the part of a material that begins with `token`: a keyword with its arguments, or a stage.
// Reports an unknown keyword.
static void read_material_part(md5_material_parser *parser, const md5_token *token)
{
    if (apply_surface_keyword(parser, token))
        return;
    const struct material_keyword *const keyword =
        MD5_FIND_TOKEN(struct material_keyword, material_keyword_rows, token);
    if (keyword) {
        parser->value = keyword->value;
        keyword->read(parser);
    } else if (md5i_token_is(token, "{")) {
        md5i_read_stage(parser);
    } else {
        md5i_report_unknown_keyword(parser->lex, token, MD5_SCOPE_MATERIAL,
                                    "unknown general material parameter", parser->decl->name,
                                    "a material keyword, a stage or '}'");
    }
}

// Reads the keywords and the stages of a material, from the token after its first brace to its last
// brace. Reports errors. In engine mode an error sets parser->is_defaulted. A missing brace is an
// error only in this mode. Returns false if memory runs out.
static bool read_material_keywords(md5_material_parser *parser)
{
    md5_token token;
    while (!parser->is_defaulted && md5_game_is_ok(parser->game)) {
        const bool is_text_end = !md5i_decl_lex_read_any(parser->lex, &token);
        if (is_text_end && !md5_is_lenient(parser->game))
            parser->is_defaulted = true;
        if (is_text_end || md5i_token_is(&token, "}"))
            return true;
        read_material_part(parser, &token);
    }
    return md5_game_is_ok(parser->game);
}

// == Derived values ===============================================================================
//
// After it has read all keywords of a material, the engine adds stages and derives the values that
// no keyword has set. A stage is one texture layer of the material. It is drawn as a part of the
// lighting (bump, diffuse or specular), or independently of lights (ambient).

// -- Stages ---------------------------------------------------------------------------------------

// Returns true if the material has a stage with this part of the lighting, such as a normal map.
static bool has_light(const md5_material_parser *parser, md5_stage_light light)
{
    for (uint32_t i = 0; i < parser->material.num_stages; i++) {
        if (parser->stages[i].light == light)
            return true;
    }
    return false;
}

// Returns true if the material has a stage that reflects a cube map.
static bool has_reflection(const md5_material_parser *parser)
{
    for (uint32_t i = 0; i < parser->material.num_stages; i++) {
        if (parser->stages[i].texgen == MD5_TEXGEN_REFLECT)
            return true;
    }
    return false;
}

// Adds the stages that the engine requires. A material that receives light has a bump stage. It
// also has a diffuse stage, a specular stage or a reflection. Returns false if memory runs out.
static bool add_implicit_stages(md5_material_parser *parser)
{
    const bool has_bump = has_light(parser, MD5_STAGE_BUMP);
    const bool has_color =
        has_light(parser, MD5_STAGE_DIFFUSE) || has_light(parser, MD5_STAGE_SPECULAR);
    const bool is_lit = has_bump || has_color;
    const bool has_space = parser->material.num_stages < MD5_MAX_STAGES;
    if (!is_lit || !has_space)
        return true;

    // One of the two kinds of stages exists, so at most the other one is missing.
    if (!has_bump)
        return md5i_add_plain_stage(parser, MD5_STAGE_BUMP, "_flat");
    if (!has_color && !has_reflection(parser))
        return md5i_add_plain_stage(parser, MD5_STAGE_DIFFUSE, "_white");
    return true;
}

// Returns true if the blend factors depend on the color or the alpha of the background. The low
// four bits are the source factor, the next four bits the destination factor.
static bool depends_on_background(uint32_t bits)
{
    const uint32_t destination = bits & 0xF0;
    if (destination != 0)
        return true;
    switch (bits & 0x0F) {
    case 3: // GL_DST_COLOR
    case 4: // GL_ONE_MINUS_DST_COLOR
    case 7: // GL_DST_ALPHA
    case 8: // GL_ONE_MINUS_DST_ALPHA
        return true;
    default:
        return false;
    }
}

// Returns true if a stage uses the image of the screen as a texture.
static bool reads_screen(const md5_stage *stage)
{
    static const char name[] = "_currentRender";
    if (md5_equals_ignore_case(stage->image.text, name))
        return true;
    for (uint32_t i = 0; i < stage->program.num_images; i++) {
        const bool is_used = stage->program.vertex || stage->program.fragment;
        if (is_used && md5_equals_ignore_case(stage->program.images[i].text, name))
            return true;
    }
    return false;
}

// Returns the end of the range of stages from index `first` on that are drawn together. If a range
// begins with a bump stage, it ends before the next bump stage. Any other range contains all
// remaining stages.
static uint32_t stage_group_end(const md5_material_parser *parser, uint32_t first)
{
    const uint32_t count = parser->material.num_stages;
    if (parser->stages[first].light != MD5_STAGE_BUMP)
        return count;
    uint32_t end = first + 1;
    while (end < count && parser->stages[end].light != MD5_STAGE_BUMP)
        end++;
    return end;
}

// Sorts each range of stages that stage_group_end() returns by light: ambient, bump, diffuse,
// specular. The sort is stable.
static void sort_stages(md5_material_parser *parser)
{
    uint32_t first = 0;
    while (first < parser->material.num_stages) {
        const uint32_t end = stage_group_end(parser, first);
        for (uint32_t i = first + 1; i < end; i++) {
            // Move the stage before the stages of later lights (insertion sort, which keeps the
            // order of equal stages).
            const md5_stage moved = parser->stages[i];
            uint32_t to = i;
            for (; to > first && parser->stages[to - 1].light > moved.light; to--)
                parser->stages[to] = parser->stages[to - 1];
            parser->stages[to] = moved;
        }
        first = end;
    }
}

// Derives `creates_back_sides`. A two-sided surface whose drawing depends on its normals gets a
// copy of its triangles for the back side. Thus each side has its own normals, and each copy is
// drawn from one side.
static void derive_back_sides(md5_material_parser *parser)
{
    md5_material *const material = &parser->material;
    if (material->cull != MD5_CULL_NONE)
        return;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &parser->stages[i];
        const bool uses_normals =
            stage->light != MD5_STAGE_AMBIENT || stage->texgen != MD5_TEXGEN_EXPLICIT;
        if (uses_normals) {
            material->cull = MD5_CULL_BACK;
            material->creates_back_sides = true;
            return;
        }
    }
}

// Sets the coverage if no keyword has set it. A material is translucent if it has no stages, or if
// it is not lit and its first stage shows the background. Then sets `no_shadows` and `contents`,
// which depend on the coverage.
static void derive_coverage(md5_material_parser *parser)
{
    md5_material *const material = &parser->material;
    const bool is_lit = has_light(parser, MD5_STAGE_BUMP) || has_light(parser, MD5_STAGE_DIFFUSE)
                        || has_light(parser, MD5_STAGE_SPECULAR);

    const bool is_coverage_set = (int)material->coverage != 0;
    if (!is_coverage_set) {
        const bool has_stages = material->num_stages > 0;
        const bool shows_background =
            has_stages && !is_lit && depends_on_background(parser->stages[0].bits);
        const bool is_translucent = !has_stages || shows_background;
        material->coverage = is_translucent ? MD5_COVERAGE_TRANSLUCENT : MD5_COVERAGE_OPAQUE;
    }

    if (material->coverage == MD5_COVERAGE_TRANSLUCENT)
        material->no_shadows = true;
    else
        material->contents |= CONTENTS_OPAQUE;
}

// Sets the sort order if no keyword has set it. A material that uses the image of the screen is
// always drawn after all other materials, unless it is the sky of a portal.
static void derive_sort(md5_material_parser *parser)
{
    md5_material *const material = &parser->material;
    if (material->sort == SORT_UNSET) {
        if (material->has_polygon_offset)
            material->sort = SORT_DECAL;
        else if (material->coverage == MD5_COVERAGE_TRANSLUCENT)
            material->sort = SORT_MEDIUM;
        else
            material->sort = SORT_OPAQUE;
    }

    for (uint32_t i = 0; i < material->num_stages; i++) {
        if (reads_screen(&parser->stages[i]) && material->sort != SORT_PORTAL_SKY) {
            material->sort = SORT_POST_PROCESS;
            material->coverage = MD5_COVERAGE_TRANSLUCENT;
        }
    }
}

// Sets the depth bits of the stages. Opaque surfaces are drawn only at the depth that the depth
// pass wrote. Translucent surfaces are drawn in front of that depth and do not write depth.
static void derive_depth_bits(md5_material_parser *parser)
{
    const md5_material *const material = &parser->material;
    if (material->sort == SORT_POST_PROCESS)
        return;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        md5_stage *const stage = &parser->stages[i];
        stage->bits |= MD5_STAGE_NO_DEPTH;
        if (material->coverage != MD5_COVERAGE_TRANSLUCENT && !stage->ignore_alpha_test)
            stage->bits |= MD5_STAGE_DEPTH_EQUAL;
    }
}

// Derives `has_subview`: true if the engine must render another view, such as a mirror image, for
// the image of a stage. Also derives `allows_overlays`: overlays, such as bullet marks, appear only
// on opaque surfaces that are drawn and that projectiles hit.
static void derive_subview_and_overlays(md5_material_parser *parser)
{
    md5_material *const material = &parser->material;
    material->has_subview = material->sort == SORT_SUBVIEW;
    for (uint32_t i = 0; i < material->num_stages; i++)
        material->has_subview |= parser->stages[i].dynamic != MD5_IMAGE_STATIC;

    const bool is_drawn = material->num_stages > 0 || material->gui;
    const bool is_opaque = material->coverage == MD5_COVERAGE_OPAQUE;
    const bool is_hit = (material->surface & NO_IMPACT) == 0; // by projectiles
    if (!is_drawn || !is_opaque || !is_hit)
        material->allows_overlays = false;
    if (parser->forces_overlays)
        material->allows_overlays = true;
}

// -- Parsing --------------------------------------------------------------------------------------

// Reads a material into the parser, and derives values from its keywords. The lexer must be after
// the name of the material. Tokens before the opening brace are skipped. An error in engine mode
// sets parser->is_defaulted. Returns false if memory runs out.
static bool read_material(md5_material_parser *parser, const md5_decl *decl, md5_decl_lex *lex)
{
    // Set the parser and the material to the values before the first keyword.
    md5_material *const material = &parser->material;
    parser->decl = decl;
    parser->lex = lex;
    parser->is_defaulted = false;
    parser->forces_overlays = false;
    parser->repeat = MD5_IMAGE_REPEAT;

    memset(material, 0, sizeof *material);
    material->decl = decl;
    material->sort = SORT_UNSET;
    material->contents = SOLID;
    material->allows_overlays = true;
    material->light_falloff.text = "";
    md5i_clear_expressions(parser);

    (void)md5i_decl_lex_skip_until(lex, "{");
    TRY(read_material_keywords(parser));
    if (parser->is_defaulted)
        return true;

    // The order is important: each step uses the results of the steps before it.
    TRY(add_implicit_stages(parser));
    sort_stages(parser);
    derive_back_sides(parser);
    derive_coverage(parser);
    derive_sort(parser);
    derive_depth_bits(parser);
    derive_subview_and_overlays(parser);
    return true;
}

// Reads a material from `text`, which begins with the opening brace, instead of from its file.
static bool read_material_text(md5_material_parser *parser, const md5_decl *decl, const char *text)
{
    md5_decl_lex lex;
    md5i_decl_lex_begin(&lex, parser->game, decl->file, decl->line, text, strlen(text));
    lex.is_defaulted = &parser->is_defaulted;
    return read_material(parser, decl, &lex);
}

// Reads an implicit material. As in the engine, it has one stage, whose image is the name of the
// material.
static bool read_implicit_material(md5_material_parser *parser, const md5_decl *decl)
{
    static const char format[] = "{ { blend blend colored map \"%s\" clamp } }";
    const size_t size = strlen(decl->name) + sizeof format;
    char *const text = MD5_ALLOC_ZEROED(&parser->game->scratch, char, size);
    TRY(text);
    (void)snprintf(text, size, format, decl->name);
    return read_material_text(parser, decl, text);
}

// Reads the declaration of a material. A material with an error becomes the engine's default
// material. Returns false if memory runs out.
static bool read_entry(md5_material_parser *parser, md5_decl_entry *entry)
{
    md5_decl_lex lex;
    if (!entry->decl.file) {
        TRY(read_implicit_material(parser, &entry->decl));
    } else {
        md5i_decl_lex_begin_decl(&lex, parser->game, entry, &parser->is_defaulted);
        TRY(read_material(parser, &entry->decl, &lex));
    }
    if (!parser->is_defaulted)
        return true;
    TRY(read_material_text(parser, &entry->decl, "{ { blend blend map _default } }"));
    parser->is_defaulted = true; // read_material() has cleared it
    return true;
}

// Copies the parsed material and its arrays to the memory of the game, and sets entry->parsed. The
// arrays are copied first. The copy of the material can then point to their copies. Returns false
// if memory runs out.
static bool store_material(md5_material_parser *parser, md5_decl_entry *entry)
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
    TRY(from->stages && from->registers);
    TRY(from->ops && material);

    entry->parsed = material;
    entry->decl.state = parser->is_defaulted ? MD5_DECL_DEFAULTED : MD5_DECL_PARSED;
    return true;
}

// Parses a material if it has not been parsed. Returns false if memory runs out.
static bool parse_material(md5_game *game, md5_decl_entry *entry)
{
    if (entry->parsed)
        return true;

    // The parser is large, so the game has one parser, which the first material creates.
    if (!game->parser)
        game->parser = MD5_ALLOC_ZEROED(&game->arena, md5_material_parser, 1);
    md5_material_parser *const parser = game->parser;
    TRY(parser);
    parser->game = game;

    const md5_arena_mark before = md5i_arena_position(&game->scratch);
    const bool is_stored =
        read_entry(parser, entry) && md5_game_is_ok(game) && store_material(parser, entry);
    md5i_arena_rewind(&game->scratch, before);
    return is_stored;
}

md5_decl_entry *md5i_parse_material_named(md5_game *game, const char *name, size_t size)
{
    md5_decl_entry *const entry = md5i_find_or_add_entry(game, MD5_DECL_MATERIAL, name, size);
    return entry && parse_material(game, entry) ? entry : NULL;
}

// Returns the material with the given name. A missing or invalid material is replaced by default
// content, so the result is NULL only if memory runs out.
const md5_material *md5_game_material(md5_game *game, const char *name, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    MD5_ASSERT_NOT_NULL(name);
    return (const md5_material *)md5i_request_decl(game, MD5_DECL_MATERIAL, name, parse_material,
                                                   error);
}

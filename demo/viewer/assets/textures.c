// Finds, loads and uploads the textures of meshes, and what materials of a game draw besides.
#include "demo/viewer/assets/textures.h"

#include "demo/viewer/assets/library.h"

#include <float.h>

// == Pixels of maps ==============================================================================

static uint8_t *texel_at(const view_image *image, uint32_t x, uint32_t y)
{
    return image->rgba + 4 * ((size_t)y * image->width + x);
}

// The texel of an image of any size at the same place as one of another image.
static const uint8_t *texel_like(const view_image *image, const view_image *other, uint32_t x,
                                 uint32_t y)
{
    return texel_at(image, (uint32_t)((uint64_t)x * image->width / other->width),
                    (uint32_t)((uint64_t)y * image->height / other->height));
}

void view_apply_masks(view_image *masks, const view_image *glowing, float share)
{
    for (uint32_t y = 0; y < masks->height; y++) {
        for (uint32_t x = 0; x < masks->width; x++) {
            uint8_t *const texel = texel_at(masks, x, y);
            const double value = (double)share * texel[glowing != NULL ? 1 : 0];
            const uint8_t *const color = glowing != NULL ? texel_like(glowing, masks, x, y) : NULL;
            for (int i = 0; i < 3; i++)
                texel[i] =
                    (uint8_t)lround(fmin(color != NULL ? value / 255.0 * color[i] : value, 255));
            texel[3] = 255;
        }
    }
}

// == Textures =====================================================================================

// -- Loading --------------------------------------------------------------------------------

// A picture's point, right and down, of a side's point (s, t), both from -1 to 1, follows from the
// directions in which the camera looks and to which OpenGL gives s and t.
void view_turn_camera_side(int number, uint32_t side, const uint8_t *from, uint8_t *to)
{
    const bool is_transposed = number != 2 && number != 3; // right along t, down along s
    const bool flips_right = number == 1 || number == 3;
    const bool flips_down = number == 1 || number == 2;
    for (uint32_t t = 0; t < side; t++) {
        for (uint32_t s = 0; s < side; s++) {
            const uint32_t right = is_transposed ? t : s;
            const uint32_t down = is_transposed ? s : t;
            const size_t column = flips_right ? side - 1 - right : right;
            const size_t row = flips_down ? side - 1 - down : down;
            memcpy(to + 4 * ((size_t)t * side + s), from + 4 * (row * side + column), 4);
        }
    }
}

// The sides are six pictures, or one of six sides below each other if the name is built in.
static md5gl_texture upload_cube(md5gl_renderer *renderer, md5_game *game, const md5_stage *stage,
                                 md5_error *error)
{
    static const char *const suffixes[2][6] = {
        {"_px", "_nx", "_py", "_ny", "_pz", "_nz"},
        {"_forward", "_back", "_left", "_right", "_up", "_down"}};
    const bool is_camera = stage->cube == MD5_IMAGE_CAMERA_CUBE;
    const int num_pictures = stage->image.text[0] == '_' ? 1 : 6;
    const int sides = 6 / num_pictures;
    md5gl_texture_desc desc = {.kind = MD5GL_TEXTURE_STAGE_CUBE,
                               .is_nearest = stage->filter == MD5_FILTER_NEAREST};
    uint8_t *rgba = NULL;
    size_t size = 0; // of a side
    int number = 0;
    for (; number < num_pictures; number++) {
        view_image image;
        md5_image_program program = stage->image;
        char *const name =
            common_format("%s%s.tga", stage->image.text, suffixes[is_camera][number]);
        const bool is_named =
            num_pictures == 1 || md5_game_image_program(game, name, &program, error);
        free(name);
        if (!is_named || !view_read_game_image(game, &program, &image, error))
            break;
        if (number == 0) {
            desc.width = desc.height = image.width;
            size = 4 * (size_t)image.width * image.width;
            rgba = common_alloc(6, size);
        }
        const bool is_square =
            image.width == desc.width && image.height == (uint32_t)sides * image.width;
        if (is_square && is_camera && num_pictures > 1)
            view_turn_camera_side(number, desc.width, image.rgba, rgba + size * (size_t)number);
        else if (is_square)
            memcpy(rgba + size * (size_t)number, image.rgba, (size_t)sides * size);
        free(image.rgba);
        if (!is_square) {
            COMMON_TEXT(error->message, "cube map faces must be square and of equal size");
            break;
        }
    }
    for (size_t i = 0; i < 6 && rgba != NULL; i++)
        desc.faces[i] = rgba + size * i;
    const md5gl_texture texture =
        number == num_pictures ? md5gl_create_texture(renderer, &desc, error) : 0;
    free(rgba);
    return texture;
}

// Reads the image of a texture, or takes it from d->ahead.
static bool read_image(const view_dresser *d, const view_texture *texture, view_image *image,
                       md5_error *error)
{
    if (d->ahead != NULL && view_take_ahead(d->ahead, texture->path, image))
        return true;
    if (d->ahead != NULL && d->ahead->is_complete) {
        COMMON_TEXT(error->message, "a preview does not show this image");
        return false;
    }
    if (texture->program != NULL)
        return view_read_game_image(d->game, texture->program, image, error);
    return view_read_image(texture->path, MD5_MAX_IMAGE_PIXELS, image, error);
}

static bool upload_image(const view_dresser *d, view_texture *texture, md5_error *error)
{
    static const md5gl_wrap wraps[] = {
        [MD5_IMAGE_REPEAT] = MD5GL_WRAP_REPEAT,
        [MD5_IMAGE_CLAMP] = MD5GL_WRAP_CLAMP,
        [MD5_IMAGE_CLAMP_BORDER] = MD5GL_WRAP_CLAMP_CLEAR,
        [MD5_IMAGE_CLAMP_ZERO] = MD5GL_WRAP_CLAMP_BLACK,
        [MD5_IMAGE_CLAMP_ZERO_ALPHA] = MD5GL_WRAP_CLAMP_CLEAR,
    };
    const md5gl_image_kind map = texture->map;
    const md5_stage *const stage = texture->stage;
    view_image image, other = {NULL, 0, 0}; // other: heights, or what glows
    md5gl_texture_desc desc = {.kind = MD5GL_TEXTURE_COLOR};
    md5gl_texture_desc heights = desc;
    const bool reads_cubes = d->ahead == NULL || !d->ahead->is_complete;
    if (stage != NULL && stage->cube != MD5_IMAGE_2D && reads_cubes) {
        texture->texture = upload_cube(d->renderer, d->game, stage, error);
        return texture->texture != 0;
    }
    if (!read_image(d, texture, &image, error))
        return false;
    desc.width = texture->width = image.width;
    desc.height = texture->height = image.height;
    desc.texels = image.rgba;
    if (stage != NULL) {
        desc.kind = MD5GL_TEXTURE_STAGE;
        desc.wrap = wraps[stage->repeat];
        desc.is_nearest = stage->filter == MD5_FILTER_NEAREST;
    } else if (texture->is_masks) {
        if (map == MD5GL_IMAGE_GLOW
            && !view_read_image(texture->base, MD5_MAX_IMAGE_PIXELS, &other, error)) {
            free(image.rgba);
            return false;
        }
        view_apply_masks(&image, map == MD5GL_IMAGE_GLOW ? &other : NULL, texture->share);
    } else if (map == MD5GL_IMAGE_HEIGHTS) {
        desc.kind = MD5GL_TEXTURE_NORMALS;
        desc.normals = MD5GL_NORMALS_HEIGHTS;
    } else if (map == MD5GL_IMAGE_NORMALS) {
        md5_error ignored;
        desc.kind = MD5GL_TEXTURE_NORMALS;
        desc.normals = md5gl_guess_normals(&desc);
        // Heights are added only to normals in id's encoding.
        if (desc.normals == 0 && texture->heights != NULL
            && view_read_image(texture->heights, MD5_MAX_IMAGE_PIXELS, &other, &ignored)) {
            heights.width = other.width;
            heights.height = other.height;
            heights.texels = other.rgba;
            desc.heights = &heights;
        }
    }
    texture->texture = md5gl_create_texture(d->renderer, &desc, error);
    texture->has_holes = map == MD5GL_IMAGE_DIFFUSE && md5gl_has_transparent_texels(&desc);
    free(other.rgba);
    free(image.rgba);
    return texture->texture != 0;
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

// Returns the texture that `desc` describes, whose paths are copied and which is read on first use;
// NULL if it cannot be read. `selected`: that is an error. Pictures of a game that cannot be shown
// are reported once, whatever uses them.
static const view_texture *load_texture(const view_dresser *d, view_texture desc, bool selected)
{
    view_textures *const textures = d->textures;
    bool is_lost = false;
    for (size_t i = 0; i < textures->num_loaded; i++) {
        const view_texture *const known = textures->loaded[i];
        if (!known->program != !desc.program || strcmp(known->path, desc.path) != 0)
            continue;
        if (known->map == desc.map
            && (desc.stage == NULL
                || (known->stage->repeat == desc.stage->repeat
                    && known->stage->filter == desc.stage->filter
                    && known->stage->cube == desc.stage->cube))
            && known->is_masks == desc.is_masks && is_same_text(known->base, desc.base)
            && known->share == desc.share)
            return known->texture != 0 ? known : NULL;
        is_lost = is_lost || (known->program != NULL && known->texture == 0);
    }
    md5_error error = {.message = ""};
    view_texture *const texture = common_alloc(1, sizeof *texture);
    *texture = desc;
    texture->path = common_copy(desc.path);
    texture->heights = common_copy(desc.heights);
    texture->base = common_copy(desc.base);
    const bool is_there = upload_image(d, texture, &error);
    const char *const what = desc.program != NULL ? "picture" : view_map_name(desc.map);
    if (!is_there && selected)
        view_error(d->log, "%s %s: %s", what, texture->path, error.message);
    else if (!is_there && !is_lost)
        view_warn(d->log, "%s %s: %s", what, texture->path, error.message);
    *COMMON_MORE(textures->loaded, textures->num_loaded) = texture;
    return is_there ? texture : NULL;
}

// The same for a file as it is.
static const view_texture *load_file(const view_dresser *d, md5gl_image_kind map, const char *path,
                                     bool selected)
{
    return load_texture(d, (view_texture){.path = path, .map = map}, selected);
}

// Gives the mesh a map, unless it has one; no path: none.
static void give_map(const view_dresser *d, view_texture desc)
{
    const view_texture **const map = &d->textures->meshes[d->search.mesh].maps[desc.map];
    if (*map == NULL && desc.path != NULL)
        *map = load_texture(d, desc, false);
}

// The picture of a stage as a map of a lit surface or, MD5GL_NUM_IMAGE_KINDS, as the stage samples
// it; 0 if it cannot be shown.
static md5gl_texture load_stage(const view_dresser *d, const md5_stage *stage, md5gl_image_kind map)
{
    const view_texture *const loaded =
        load_texture(d,
                     (view_texture){.path = stage->image.text,
                                    .program = &stage->image,
                                    .map = map,
                                    .stage = map == MD5GL_NUM_IMAGE_KINDS ? stage : NULL},
                     false);
    return loaded != NULL ? loaded->texture : 0;
}

// == Layers =======================================================================================

// -- Lit layers ----------------------------------------------------------------------------------

// Whether a stage is the first one of its kind, whose texture the mesh itself has.
static bool is_first(const md5_material *material, const md5_stage *stage)
{
    const md5_stage *first = material->stages;
    while (first->light != stage->light)
        first++;
    return first == stage;
}

// The value of a register that never changes; 0 of any other.
static float constant_of(const md5_material *material, uint32_t reg)
{
    bool is_constant = reg >= MD5_FIRST_REGISTER;
    for (uint32_t i = 0; i < material->num_ops; i++)
        is_constant = is_constant && material->ops[i].result != reg;
    return is_constant ? material->registers[reg] : 0;
}

bool view_is_painted(const md5_material *material, const md5_stage *stage)
{
    bool is_white = stage->vertex_color == MD5_VERTEX_COLOR_IGNORE;
    for (int i = 0; i < 3; i++)
        is_white = is_white && constant_of(material, stage->color[i]) >= 1;
    return !is_white && (stage->light == MD5_STAGE_DIFFUSE || stage->light == MD5_STAGE_SPECULAR);
}

bool view_reflects(md5_vec3 color)
{
    return color.x != 0 || color.y != 0 || color.z != 0;
}

// The colour of a stage for md5gl_material, or 0, 0, 0 if it reflects nothing. Sets *texture.
static md5_vec3 reflect(const view_lit_layers *lit, const md5_material *material,
                        const md5_stage *stage, const float *registers, md5gl_texture *texture)
{
    const md5_vec3 none = {0, 0, 0};
    if (stage == NULL)
        return none;
    const md5_vec3 color = {registers[stage->color[0]], registers[stage->color[1]],
                            registers[stage->color[2]]};
    if (!(color.x > 0) && !(color.y > 0) && !(color.z > 0))
        return none;
    const bool is_own = lit->num_shown == 0 && is_first(material, stage);
    const bool is_missing = stage->light == MD5_STAGE_DIFFUSE && lit->lacks_diffuse;
    *texture = is_own ? 0 : lit->textures[stage - material->stages];
    return (is_own ? is_missing : *texture == 0) ? none : color;
}

void view_select_lit_layers(view_lit_layers *lit, const md5_material *material,
                            const float *registers)
{
    static const md5_vec3 black = {FLT_MIN, FLT_MIN, FLT_MIN}; // 0, 0, 0 would be white
    const md5_stage *parts[MD5_STAGE_SPECULAR + 1] = {NULL};   // of a layer, by their light
    md5_vertex_color vertex_color = MD5_VERTEX_COLOR_IGNORE;   // of its last stage
    lit->num_shown = 0;
    // Another spectrum is lit by lights of that alone.
    for (uint32_t i = 0; i <= material->num_stages && material->spectrum == 0; i++) {
        const bool is_end = i == material->num_stages;
        const md5_stage *const stage = is_end ? NULL : &material->stages[i];
        if (!is_end && (stage->light == MD5_STAGE_AMBIENT || registers[stage->condition] == 0))
            continue;
        const bool begins = is_end || stage->light == MD5_STAGE_BUMP;
        const md5_stage *const bump = parts[MD5_STAGE_BUMP];
        // A layer ends. As in the engine it is nothing without a bump map, and keeps its stages.
        if (bump != NULL && (begins || parts[stage->light] != NULL)) {
            md5gl_material shown = {
                .no_vertex_color = vertex_color == MD5_VERTEX_COLOR_IGNORE,
                .inverse_vertex_color = vertex_color == MD5_VERTEX_COLOR_INVERSE,
            };
            if (lit->num_shown > 0 || !is_first(material, bump))
                shown.normals = lit->textures[bump - material->stages];
            shown.diffuse_color =
                reflect(lit, material, parts[MD5_STAGE_DIFFUSE], registers, &shown.diffuse);
            shown.specular_color =
                reflect(lit, material, parts[MD5_STAGE_SPECULAR], registers, &shown.specular);
            const bool is_black = !view_reflects(shown.diffuse_color);
            if (is_black)
                shown.diffuse_color = black;
            if (!is_black || view_reflects(shown.specular_color))
                lit->shown[lit->num_shown++] = shown;
        }
        if (is_end)
            break;
        if (begins)
            memset(parts, 0, sizeof parts);
        else
            vertex_color = stage->vertex_color;
        parts[stage->light] = stage;
    }
}

// -- Layers of meshes ----------------------------------------------------------------------------

// Adds a note, which belongs to the layers then.
static void note(view_layers *layers, uint32_t mesh, const md5_material *material, char *text,
                 view_log *log)
{
    view_info(log, "material %s: %s", material->decl->name, text);
    *COMMON_MORE(layers->notes, layers->num_notes) = (view_layer_note){mesh, text};
}

// Returns why a stage cannot be shown, to be freed, or NULL.
static char *obstacle_of(const md5_stage *stage)
{
    const md5_stage_program *const program = &stage->program;
    if (program->vertex != NULL || program->fragment != NULL)
        return common_format("program %s",
                             program->vertex != NULL ? program->vertex : program->fragment);
    if (stage->video != NULL)
        return common_format(stage->is_sound_map ? "sound visualization: %s" : "video %s",
                             stage->video);
    if (stage->dynamic != MD5_IMAGE_STATIC)
        return common_format("rendered view: %s", stage->dynamic == MD5_IMAGE_MIRROR ? "mirror"
                                                  : stage->dynamic == MD5_IMAGE_REMOTE
                                                      ? "remote camera"
                                                      : "xray");
    if (stage->texgen == MD5_TEXGEN_WOBBLE_SKY)
        return common_format("wobbleSky texture coordinates");
    if (stage->texgen == MD5_TEXGEN_GLASS_WARP)
        return common_format("glassWarp texture coordinates");
    const bool needs_cube = stage->texgen == MD5_TEXGEN_NORMAL
                            || stage->texgen == MD5_TEXGEN_REFLECT
                            || stage->texgen == MD5_TEXGEN_SKYBOX; // coordinates are directions
    if ((stage->cube != MD5_IMAGE_2D) != needs_cube)
        return common_format(needs_cube ? "cube map coordinates without a cube map"
                                        : "cube map %s without cube map coordinates",
                             stage->image.text);
    return stage->image.text[0] == '\0' ? common_format("no image") : NULL;
}

static bool is_lit(const md5_stage *stage)
{
    return stage->light != MD5_STAGE_AMBIENT;
}

// Whether a stage cuts the surface out, as in the engine: only if that is what covers it.
static bool tests_alpha(const md5_material *material, const md5_stage *stage)
{
    return stage->has_alpha_test && material->coverage == MD5_COVERAGE_PERFORATED;
}

// Whether a lit surface does the same with its diffuse map alone, at all times.
static bool is_usual_cut(const md5_material *material, const md5_stage *stage)
{
    return tests_alpha(material, stage) && stage->light == MD5_STAGE_DIFFUSE && !stage->has_matrix
           && constant_of(material, stage->alpha_test) > 0
           && constant_of(material, stage->condition) != 0
           && constant_of(material, stage->color[3]) >= 1;
}

// Whether a surface lies on another one.
static bool is_decal(const md5_material *material)
{
    const float decal = 2; // of sort
    return material->has_polygon_offset || material->sort == decal;
}

// Whether a stage cuts the surface out by something else.
static bool cuts_surface(const md5_material *material, const md5_stage *stage)
{
    return tests_alpha(material, stage) && !is_usual_cut(material, stage);
}

static uint32_t read_at(uint32_t reg)
{
    return reg < MD5_REGISTER_GLOBAL0 ? 1u << reg : 0;
}

// The registers of time and parms that a material reads, a bit for each. Constants have others.
static uint32_t registers_read(const md5_material *material)
{
    uint32_t read = 0;
    for (uint32_t i = 0; i < material->num_ops; i++) {
        const md5_material_op *const op = &material->ops[i];
        if (op->kind == MD5_OP_SOUND) // has no operands
            continue;
        read |= read_at(op->b) | (op->kind == MD5_OP_TABLE ? 0 : read_at(op->a));
    }
    for (int i = 0; i < 3 && material->deform != MD5_DEFORM_NONE; i++)
        read |= read_at(material->deform_registers[i]);
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        read |= read_at(stage->condition);
        read |= stage->has_alpha_test ? read_at(stage->alpha_test) : 0;
        for (int k = 0; k < 4; k++)
            read |= read_at(stage->color[k]);
        for (int k = 0; k < 6 && stage->has_matrix; k++)
            read |= read_at(stage->matrix[k / 3][k % 3]);
    }
    return read;
}

// Loads the pictures of the stages. As in the engine, a surface stays what it is without them:
// where an opaque one would show a missing picture, or nothing declares the material, there is a
// pattern instead, and what would be added to or blended with something adds nothing.
static void load_stages(const view_dresser *d, view_layered *layered)
{
    const md5_material *const material = layered->material;
    view_layers *const layers = &d->textures->layers;
    const bool is_opaque = material->coverage != MD5_COVERAGE_TRANSLUCENT && !is_decal(material);
    const md5_stage *bump = NULL;
    bool reflects = false;
    bool has_lit_layers = false;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        has_lit_layers = has_lit_layers || (is_lit(stage) && !is_first(material, stage));
        reflects = reflects || stage->texgen == MD5_TEXGEN_REFLECT;
        if (bump == NULL && stage->light == MD5_STAGE_BUMP)
            bump = stage;
    }
    if (reflects && bump != NULL) // as in the engine, it is also that of the reflections
        layered->bump = load_stage(d, bump, MD5GL_IMAGE_NORMALS);
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        const bool is_replaced = !is_lit(stage) && (stage->bits & 255) == 0; // one, zero
        if (is_lit(stage) && has_lit_layers)
            layered->lit.textures[i] =
                load_stage(d, stage,
                           stage->light == MD5_STAGE_BUMP      ? MD5GL_IMAGE_NORMALS
                           : stage->light == MD5_STAGE_DIFFUSE ? MD5GL_IMAGE_DIFFUSE
                                                               : MD5GL_IMAGE_SPECULAR);
        if (is_lit(stage) && stage->has_matrix)
            note(layers, layered->mesh, material,
                 common_format("stage %u: moving lit textures are not supported", i + 1), d->log);
        if (is_lit(stage) && !tests_alpha(material, stage))
            continue;
        char *const obstacle = obstacle_of(stage);
        if (obstacle != NULL) {
            note(layers, layered->mesh, material,
                 common_format("stage %u not shown: %s", i + 1, obstacle), d->log);
            free(obstacle);
            continue;
        }
        layered->textures[i] = load_stage(d, stage, MD5GL_NUM_IMAGE_KINDS);
        if (layered->textures[i] == 0 && stage->cube == MD5_IMAGE_2D
            && (material->decl->file == NULL || (is_opaque && is_replaced)))
            layered->textures[i] = md5gl_checker_texture(d->renderer);
    }
}

bool view_add_layers(const view_dresser *d, const char *shader)
{
    const uint32_t mesh = d->search.mesh;
    view_layers *const layers = &d->textures->layers;
    view_mesh_textures *const own = &d->textures->meshes[mesh];
    const md5_material *const material = md5_find_decl(d->game, MD5_DECL_MATERIAL, shader) != NULL
                                             ? md5_game_material(d->game, shader, NULL)
                                             : NULL;
    if (material == NULL || material->decl == NULL)
        return false;
    if (material->gui != NULL)
        note(layers, mesh, material, common_format("GUI not shown: %s", material->gui), d->log);
    layers->read |= registers_read(material);
    // Whether it draws more, or less, than one lit surface with its bump, diffuse and specular map.
    bool has_layers = material->coverage == MD5_COVERAGE_TRANSLUCENT
                      || material->cull == MD5_CULL_FRONT || material->deform != MD5_DEFORM_NONE
                      || is_decal(material) || material->no_shadows || material->spectrum != 0;
    uint32_t counts[MD5_STAGE_SPECULAR + 1] = {0};
    own->two_sided = material->creates_back_sides || material->cull == MD5_CULL_NONE;
    own->opaque = true;
    own->is_unmeasured = material->num_stages == 0 || material->deform == MD5_DEFORM_EYEBALL;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        has_layers = ++counts[stage->light] > 1 || has_layers || !is_lit(stage)
                     || constant_of(material, stage->condition) == 0
                     || cuts_surface(material, stage) || view_is_painted(material, stage)
                     || stage->has_matrix;
        if (is_usual_cut(material, stage)) {
            own->opaque = false;
            own->alpha_test = material->registers[stage->alpha_test];
        }
    }
    if (!has_layers && counts[MD5_STAGE_DIFFUSE] > 0)
        return false;
    const uint32_t count = material->num_stages;
    view_layered layered = {
        .mesh = mesh,
        .material = material,
        .table = material->deform_decl != NULL
                     ? md5_game_table(d->game, material->deform_decl, NULL)
                     : NULL,
        .registers = common_alloc(material->num_registers, sizeof *layered.registers),
        .textures = common_alloc(count, sizeof *layered.textures),
        .stages = common_alloc(count, sizeof *layered.stages),
        .lit = {.textures = common_alloc(count, sizeof *layered.lit.textures),
                .shown = common_alloc(count, sizeof *layered.lit.shown)},
    };
    load_stages(d, &layered);
    *COMMON_MORE(layers->meshes, layers->num_meshes) = layered;
    return counts[MD5_STAGE_DIFFUSE] == 0;
}

static int by_sort(const void *left, const void *right)
{
    const view_layered *const a = left;
    const view_layered *const b = right;
    if (a->material->sort != b->material->sort)
        return a->material->sort < b->material->sort ? -1 : 1;
    return a->mesh < b->mesh ? -1 : a->mesh > b->mesh;
}

void view_sort_layers(view_layers *layers, uint32_t num_meshes)
{
    layers->lists = common_alloc(layers->num_meshes, sizeof *layers->lists);
    layers->places = common_alloc(num_meshes, sizeof *layers->places);
    if (layers->meshes == NULL)
        return;
    qsort(layers->meshes, layers->num_meshes, sizeof *layers->meshes, by_sort);
    for (uint32_t i = 0; i < layers->num_meshes; i++)
        layers->places[layers->meshes[i].mesh] = i + 1;
}

// -- Evaluating -----------------------------------------------------------------------------------

// Source and target factor of the codes in the lowest eight bits of md5_stage.bits; unknown codes
// are those of row 0.
enum { NUM_CODES = 10 };
static const md5gl_factor factors[NUM_CODES][2] = {
    {MD5GL_FACTOR_ONE, MD5GL_FACTOR_ZERO},
    {MD5GL_FACTOR_ZERO, MD5GL_FACTOR_ONE},
    {MD5GL_FACTOR_ZERO, MD5GL_FACTOR_ONE},
    {MD5GL_FACTOR_TARGET_COLOR, MD5GL_FACTOR_SOURCE_COLOR},
    {MD5GL_FACTOR_ONE_MINUS_TARGET_COLOR, MD5GL_FACTOR_ONE_MINUS_SOURCE_COLOR},
    {MD5GL_FACTOR_SOURCE_ALPHA, MD5GL_FACTOR_SOURCE_ALPHA},
    {MD5GL_FACTOR_ONE_MINUS_SOURCE_ALPHA, MD5GL_FACTOR_ONE_MINUS_SOURCE_ALPHA},
    {MD5GL_FACTOR_TARGET_ALPHA, MD5GL_FACTOR_TARGET_ALPHA},
    {MD5GL_FACTOR_ONE_MINUS_TARGET_ALPHA, MD5GL_FACTOR_ONE_MINUS_TARGET_ALPHA},
    {MD5GL_FACTOR_SOURCE_ALPHA_SATURATE, MD5GL_FACTOR_ZERO},
};

static const md5gl_texgen texgens[] = {
    [MD5_TEXGEN_NORMAL] = MD5GL_TEXGEN_NORMAL,  [MD5_TEXGEN_REFLECT] = MD5GL_TEXGEN_REFLECT,
    [MD5_TEXGEN_SKYBOX] = MD5GL_TEXGEN_SKYBOX,  [MD5_TEXGEN_SCREEN] = MD5GL_TEXGEN_SCREEN,
    [MD5_TEXGEN_SCREEN2] = MD5GL_TEXGEN_SCREEN, [MD5_TEXGEN_GLASS_WARP] = MD5GL_TEXGEN_MESH,
};

static const float offset_units = -600; // of depth, for a polygonOffset of 1: r_offsetUnits

void view_evaluate_layers(const view_layers *layers, const md5_material_input *input)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++) {
        view_layered *const layered = &layers->meshes[i];
        md5gl_stage_list *const list = &layers->lists[i];
        const md5_material *const material = layered->material;
        const float *const registers = layered->registers;
        const bool is_translucent = material->coverage == MD5_COVERAGE_TRANSLUCENT;
        bool is_on = false;
        bool is_cut = false;
        md5_evaluate_material(material, input, layered->registers);
        *list = (md5gl_stage_list){
            .mesh = layered->mesh,
            .cull = material->creates_back_sides ? MD5GL_CULL_NONE
                                                 : (md5gl_cull)material->cull, // in one order
            .stages = layered->stages,
        };
        for (uint32_t k = 0; k < material->num_stages; k++) {
            const md5_stage *const stage = &material->stages[k];
            if (registers[stage->condition] == 0)
                continue;
            is_on = true;
            is_cut = is_cut || cuts_surface(material, stage);
            if (layered->textures[k] == 0)
                continue;
            // A lit stage is there for its alpha test alone: its colours are those of code 1.
            const uint32_t source = is_lit(stage) ? 1 : stage->bits & 15;
            const uint32_t target = is_lit(stage) ? 1 : stage->bits >> 4 & 15;
            md5gl_stage *const drawn = &layered->stages[list->num_stages++];
            *drawn = (md5gl_stage){
                .texture = layered->textures[k],
                .source = factors[source < NUM_CODES ? source : 0][0],
                .target = factors[target < NUM_CODES ? target : 0][1],
                .has_matrix = stage->has_matrix,
                .vertex_color = (md5gl_vertex_color)stage->vertex_color, // in one order
                .is_tested = tests_alpha(material, stage),
                .alpha_test = registers[stage->alpha_test],
                .masked = stage->bits / MD5_STAGE_NO_RED & 15, // in the order of md5gl_mask
                .writes_depth = !is_lit(stage) && !(stage->bits & MD5_STAGE_NO_DEPTH),
                .depth_equal = (stage->bits & MD5_STAGE_DEPTH_EQUAL) != 0,
                .depth_offset = offset_units * stage->polygon_offset,
                .texgen = texgens[stage->texgen],
                .normals = layered->bump};
            for (int c = 0; c < 4; c++)
                drawn->color[c] = registers[stage->color[c]];
            if (stage->has_matrix)
                md5_stage_matrix(stage, registers, drawn->matrix);
        }
        // A lit decal is lifted off what is below it; further lit layers are drawn over a lit base;
        // md5gl_draw_model() shows front sides.
        view_select_lit_layers(&layered->lit, material, registers);
        if (layered->lit.num_shown > 1) {
            list->lit_layers = layered->lit.shown + 1;
            list->num_lit_layers = layered->lit.num_shown - 1;
        }
        const bool is_lifted = material->has_polygon_offset || list->num_lit_layers > 0
                               || list->cull == MD5GL_CULL_FRONT;
        is_cut = is_cut || (is_lifted && !is_translucent);
        // As the engine: light is added to what is behind translucent surfaces; opaque ones are
        // black below what is drawn, unless all their stages are off, or they are decals that lack
        // their pictures.
        const bool has_shadow =
            material->force_shadows || (!material->no_shadows && !is_translucent);
        const bool has_light = layered->lit.num_shown > 0;
        const bool is_lost = is_decal(material) && list->num_stages == 0 && !has_light;
        // What is cut out by stages has their shadow, and is not cut out again by its diffuse map.
        layered->no_shadow = !has_shadow || is_cut || is_lost;
        layered->is_opaque = is_cut;
        layered->is_staged = is_translucent || !has_light || is_cut;
        list->casts_shadow = has_shadow && is_cut;
        if (is_translucent)
            list->base = has_light ? MD5GL_BASE_ADDED : MD5GL_BASE_NONE;
        else if (!is_on || is_lost || (has_light && !is_cut))
            list->base = MD5GL_BASE_NONE;
        else
            list->base = has_light ? MD5GL_BASE_LIT : MD5GL_BASE_BLACK;
        // What md5gl_draw_model() draws is not offset, and it is cut out already.
        for (uint32_t k = 0; k < list->num_stages && !layered->is_staged; k++)
            layered->stages[k].is_tested = false;
        if (material->has_polygon_offset && layered->is_staged)
            list->depth_offset = offset_units * material->polygon_offset;
    }
}

const view_layered *view_find_layered(const view_layers *layers, uint32_t mesh)
{
    const uint32_t place = layers->num_meshes > 0 ? layers->places[mesh] : 0;
    return place > 0 ? &layers->meshes[place - 1] : NULL;
}

void view_paint_layer(const view_layers *layers, uint32_t mesh, bool maps, md5gl_material *material)
{
    const view_layered *const layered = view_find_layered(layers, mesh);
    if (layered == NULL)
        return;
    material->is_staged = layered->is_staged;
    material->no_shadow = layered->no_shadow;
    material->is_opaque = material->is_opaque || layered->is_opaque;
    if (layered->lit.num_shown == 0)
        return;
    const md5gl_material *const first = &layered->lit.shown[0];
    material->no_vertex_color = first->no_vertex_color;
    material->inverse_vertex_color = first->inverse_vertex_color;
    material->diffuse_color = first->diffuse_color;
    material->specular_color = first->specular_color;
    if (first->diffuse != 0)
        material->diffuse = first->diffuse;
    if (maps && first->normals != 0)
        material->normals = first->normals;
    if (maps && (first->specular != 0 || !view_reflects(first->specular_color)))
        material->specular = first->specular;
}

// -- Deforms -------------------------------------------------------------------------------------

// The deform is seen in the space of the model, which may be placed.
static void write_vertices(void *user, uint32_t mesh, uint32_t instance, const md5_vec3 *positions,
                           const md5_vec3 *normals, md5_vec3 *to_positions, md5_vec2 *texcoords,
                           md5_vec4 *colours)
{
    const view_layered *const layered = user;
    const md5_deformed out = {.positions = to_positions, .texcoords = texcoords, .colors = colours};
    md5_deform_view view = layered->view;
    (void)mesh;
    if (instance < layered->num_placements) {
        const md5_mat34 back = md5_mat34_inverse(layered->placements[instance]);
        view.eye = md5_mat34_point(back, view.eye);
        view.left = md5_vec3_normalize(md5_mat34_direction(back, view.left), view.left);
        view.up = md5_vec3_normalize(md5_mat34_direction(back, view.up), view.up);
    }
    md5_deform_vertices(layered->material, layered->table, layered->registers, layered->deformed,
                        positions, normals, &view, &out);
}

void view_set_deforms(view_layers *layers, md5gl_renderer *renderer, md5gl_model *drawn,
                      const md5_model *model, view_log *log)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++) {
        view_layered *const layered = &layers->meshes[i];
        const md5_material *const material = layered->material;
        const md5_mesh *const mesh = &model->meshes[layered->mesh];
        md5gl_deform set = {.write = write_vertices, .user = layered};
        md5_error error = {0};
        char *obstacle = NULL; // why it cannot be shown
        if (material->deform == MD5_DEFORM_NONE)
            continue;
        if (md5_deform_size(material->deform, mesh, &set.num_vertices, &set.num_triangles)) {
            uint32_t *const indices = common_alloc(3 * (size_t)set.num_triangles, sizeof *indices);
            md5_deform_indices(material->deform, mesh, indices);
            set.indices = indices;
            if (md5gl_set_deform(renderer, drawn, layered->mesh, &set, &error)) {
                layered->deformed = mesh;
                layers->has_deforms = true;
            } else {
                obstacle = common_format("deform not shown: %s", error.message);
            }
            free(indices);
        } else if (material->deform == MD5_DEFORM_EYEBALL) {
            obstacle = common_format("deform eyeBall not shown: expected an eye and two triangles");
        } else if (material->deform == MD5_DEFORM_PARTICLE
                   || material->deform == MD5_DEFORM_PARTICLE2) {
            obstacle = common_format("deform not shown: particles %s", material->deform_decl != NULL
                                                                           ? material->deform_decl
                                                                           : "without a name");
        } else {
            obstacle = common_format("deform not shown: the mesh is not made of quads");
        }
        if (obstacle != NULL)
            note(layers, layered->mesh, material, obstacle, log);
    }
}

void view_see_deforms(const view_layers *layers, const md5_deform_view *view,
                      const md5_mat34 *placements, uint32_t num_placements)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++) {
        view_layered *const layered = &layers->meshes[i];
        layered->view = *view;
        layered->placements = placements;
        layered->num_placements = placements != NULL ? num_placements : 0;
    }
}

// == Meshes =======================================================================================

// Searches how a mesh looks, and loads what the options do not select. If it is `complete` without
// a texture, that is not missing.
static void find_and_use(const view_dresser *d, bool complete)
{
    const uint32_t index = d->search.mesh;
    const md5_mesh *const mesh = &d->search.model->meshes[index];
    view_mesh_textures *const own = &d->textures->meshes[index];
    view_look *const look = &own->look;
    const bool is_selected = own->maps[MD5GL_IMAGE_DIFFUSE] != NULL;
    view_free_look(look); // of a game that lacks the image
    *look = view_find_look(&d->search, view_log_listener(d->log));
    if (look->diffuse != NULL && !is_selected) {
        // Those that are shown in turn: if one cannot be read, the first ones stay.
        for (uint32_t i = 0; i <= look->num_turns && own->num_turns == i; i++) {
            const char *const path = i == 0 ? look->diffuse : look->turns[i - 1];
            own->turns[i] = load_file(d, MD5GL_IMAGE_DIFFUSE, path, false);
            own->num_turns += own->turns[i] != NULL;
        }
        own->maps[MD5GL_IMAGE_DIFFUSE] = own->turns[0];
        if (look->is_guess)
            view_info(d->log, "texture of mesh %u \"%s\" was guessed by %s: %s", index, mesh->name,
                      look->why, look->diffuse);
        else
            view_debug(d->log, "texture of mesh %u: %s, found by %s", index, look->diffuse,
                       look->why);
    } else if (complete) {
        common_free_list(&look->tried); // what was tried is not missing
    } else if (!is_selected) {
        // The likeliest image and why it was not taken; the others are logged.
        const char *const why = look->tried.count > 0 ? look->tried.names[0] : NULL;
        if (*mesh->shader == '\0' && why == NULL)
            view_warn(d->log,
                      "mesh %u \"%s\" has no shader name and no texture; use --texture to set one",
                      index, mesh->name);
        else
            view_warn(d->log, "mesh %u \"%s\": no texture found for shader \"%s\"%s%s", index,
                      mesh->name, mesh->shader, why != NULL ? "; " : "", why != NULL ? why : "");
        for (size_t i = 1; i < look->tried.count; i++)
            view_debug(d->log, "rejected for mesh %u: %s", index, look->tried.names[i]);
    }

    give_map(d, (view_texture){.path = look->normals, .map = MD5GL_IMAGE_NORMALS});
    // Masks are highlights, and what glows in the colours of the texture that they are declared
    // with.
    view_texture masks = {.path = look->masks,
                          .map = MD5GL_IMAGE_SPECULAR,
                          .is_masks = true,
                          .share = look->specular};
    give_map(d, masks);
    masks.map = MD5GL_IMAGE_GLOW;
    masks.share = look->glow;
    masks.base = look->diffuse;
    // Masks that could not be read were reported with the highlights.
    if (look->is_declared && own->maps[MD5GL_IMAGE_DIFFUSE] != NULL
        && own->maps[MD5GL_IMAGE_SPECULAR] != NULL)
        give_map(d, masks);
    own->two_sided = own->two_sided || look->two_sided;
    if (look->alpha_test > 0)
        own->alpha_test = look->alpha_test;
}

// Loads the maps beside a mesh's texture that the options do not select.
static void find_maps(const view_dresser *d)
{
    const view_texture **const own = d->textures->meshes[d->search.mesh].maps;
    if (own[MD5GL_IMAGE_DIFFUSE] == NULL)
        return;
    const char *const diffuse = own[MD5GL_IMAGE_DIFFUSE]->path;
    char *const folder = common_folder(diffuse);
    common_list files = common_list_folder(folder, "");
    for (md5gl_image_kind map = MD5GL_IMAGE_NORMALS; map < MD5GL_NUM_IMAGE_KINDS; map++) {
        const char *const path = view_find_map(&files, diffuse, map);
        const bool is_done = map == MD5GL_IMAGE_HEIGHTS && own[MD5GL_IMAGE_NORMALS] != NULL;
        if (path == NULL || is_done || own[map] != NULL || strcmp(path, diffuse) == 0)
            continue;
        // Slopes of heights are added to normals.
        const char *const heights =
            map == MD5GL_IMAGE_NORMALS ? view_find_map(&files, diffuse, MD5GL_IMAGE_HEIGHTS) : NULL;
        give_map(d, (view_texture){.path = path, .heights = heights, .map = map});
        if (own[map] != NULL)
            view_debug(d->log, "%s of mesh %u: %s%s%s", view_map_name(map), d->search.mesh, path,
                       heights != NULL ? " + " : "", heights != NULL ? common_base(heights) : "");
    }
    common_free_list(&files);
    free(folder);
}

// Loads what the options select: for all meshes first, so that a choice for one overrides it.
static bool use_choices(const view_dresser *d, const view_options *options)
{
    const md5_model *const model = d->search.model;
    for (md5gl_image_kind map = 0; options != NULL && map < MD5GL_NUM_IMAGE_KINDS; map++) {
        const size_t count = options->maps[map].count;
        if (count > 0) {
            for (size_t i = 0; i < 2 * count; i++) {
                const char *const choice = options->maps[map].names[i % count];
                const char *const equals = strchr(choice, '=');
                const size_t length = equals != NULL ? (size_t)(equals - choice) : 0; // of the mesh
                if ((equals != NULL) != (i >= count))
                    continue;
                const view_texture *const loaded =
                    load_file(d, map, equals != NULL ? equals + 1 : choice, true);
                bool is_used = equals == NULL;
                if (loaded == NULL && !d->log->keeps_rest)
                    return false;
                for (uint32_t m = 0; m < model->num_meshes; m++)
                    if (equals == NULL || view_is_mesh(model, m, choice, length)) {
                        view_mesh_textures *const own = &d->textures->meshes[m];
                        own->maps[map] = loaded != NULL ? loaded : own->maps[map];
                        own->is_selected[map] = equals != NULL;
                        is_used = true;
                    }
                if (!is_used)
                    return view_error(d->log,
                                      "--texture: mesh \"%.*s\" not found; the model has %u meshes",
                                      (int)length, choice, model->num_meshes);
            }
        }
    }
    return true;
}

bool view_load_textures(view_textures *textures, const view_loader *loader,
                        const view_dressing *dressing)
{
    static const md5gl_image_kind maps[] = {MD5GL_IMAGE_DIFFUSE, MD5GL_IMAGE_NORMALS,
                                            MD5GL_IMAGE_SPECULAR};
    const md5_model *const model = dressing->model;
    md5_game *const game = dressing->game;
    const view_options *const options = dressing->options;
    const convert_scene *const wardrobe = dressing->wardrobe;
    *textures = (view_textures){
        .num_meshes = model->num_meshes,
        .meshes = common_alloc(model->num_meshes, sizeof *textures->meshes),
    };
    view_dresser d = {textures, loader->renderer, loader->log, loader->ahead,
                      game,     {.model = model}};
    if (!use_choices(&d, options)) {
        view_free_textures(textures, d.renderer);
        return false;
    }
    // The file of a model in a game folder; none if it is an entity or in an archive.
    view_address address;
    char *file = NULL;
    if (game == NULL) {
        file = common_copy(dressing->file != NULL ? dressing->file : dressing->path);
    } else if (view_read_address(dressing->path, &address)) {
        file = common_format("%s/%s", address.place, address.name);
        view_free_address(&address);
    }
    const bool has_file = file != NULL && (game == NULL || common_is_file(file));
    d.search.package = textures->package = has_file ? view_open_package(file, NULL) : NULL;
    d.search.skin = options != NULL ? options->skin : 0;
    if (d.search.skin > 0 && game == NULL && view_quake_of(dressing->path) == VIEW_QUAKE_NONE)
        view_warn(d.log,
                  "--skin ignored: only models of the Quake re-releases have numbered skins");
    uint32_t num_unmeasured = 0; // if these are all, they are measured
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        if (!view_log_progress(d.log, "textures", i, model->num_meshes))
            break;
        d.log->about = (view_about){VIEW_ABOUT_MESH, i, 0, model};
        if (model->meshes[i].num_triangles == 0)
            continue;
        view_mesh_textures *const own = &textures->meshes[i];
        const view_texture **const diffuse = &own->maps[MD5GL_IMAGE_DIFFUSE];
        const char *const shader = model->meshes[i].shader;
        d.search.mesh = i;
        while (wardrobe != NULL && textures->num_worn < wardrobe->num_outfits
               && wardrobe->outfits[textures->num_worn].first <= i) {
            d.search.package = view_open_package(wardrobe->outfits[textures->num_worn].path, NULL);
            *COMMON_MORE(textures->worn, textures->num_worn) = d.search.package;
        }
        d.search.said = i < dressing->num_said ? &dressing->said[i] : NULL;
        const bool is_selected = own->is_selected[MD5GL_IMAGE_DIFFUSE];
        // In the game, if there is one, then as without.
        d.game = game != NULL || *diffuse != NULL
                     ? game
                     : view_package_game(d.search.package, view_log_listener(d.log));
        const bool is_declared =
            d.game != NULL && md5_find_decl(d.game, MD5_DECL_MATERIAL, shader) != NULL;
        const bool is_in_game = is_declared || game != NULL;
        // The maps of its material in a game. One that is drawn in stages needs no other texture.
        const bool is_staged = is_in_game && !is_selected && view_add_layers(&d, shader);
        const md5_material *const material =
            is_in_game ? md5_game_material(d.game, shader, NULL) : NULL;
        for (size_t k = 0; k < 3 && material != NULL; k++) {
            const md5_image_program *const program = view_material_image(material, maps[k]);
            if (program == NULL)
                continue;
            give_map(&d, (view_texture){.path = program->text, .program = program, .map = maps[k]});
            if (maps[k] == MD5GL_IMAGE_DIFFUSE && !is_selected)
                view_note_looked(
                    &own->look, *diffuse != NULL,
                    common_format("%s: %s",
                                  material->decl != NULL && material->decl->file != NULL
                                      ? material->decl->file
                                      : shader,
                                  program->text));
        }
        const bool is_found = is_staged || (is_in_game && *diffuse != NULL);
        if (!is_found && (!is_in_game || d.search.package != NULL)) {
            // What the game lacks has been reported.
            if (*diffuse == NULL || d.search.said != NULL)
                find_and_use(&d, is_in_game);
            if (!is_declared)
                find_maps(&d);
        }
        // What is seen through reflects nothing without its diffuse map.
        if (*diffuse == NULL && textures->layers.num_meshes > 0) {
            view_layered *const last = &textures->layers.meshes[textures->layers.num_meshes - 1];
            last->lit.lacks_diffuse = last->lit.lacks_diffuse
                                      || (last->mesh == i
                                          && (last->material->coverage == MD5_COVERAGE_TRANSLUCENT
                                              || is_decal(last->material)));
        }
        num_unmeasured += own->is_unmeasured;
    }
    for (uint32_t i = 0; i < model->num_meshes; i++)
        textures->meshes[i].is_unmeasured &= num_unmeasured < model->num_meshes;
    free(file);
    d.log->about.kind = VIEW_ABOUT_FILE;
    view_sort_layers(&textures->layers, model->num_meshes);
    view_log_progress(d.log, "textures", model->num_meshes, model->num_meshes);
    return true;
}

void view_load_preview_textures(view_textures *textures, const view_loader *loader,
                                const md5_model *model, md5_game *game,
                                const view_preview_mesh *meshes)
{
    *textures = (view_textures){
        .num_meshes = model->num_meshes,
        .meshes = common_alloc(model->num_meshes, sizeof *textures->meshes),
    };
    view_dresser d = {textures, loader->renderer, loader->log, loader->ahead,
                      game,     {.model = model}};
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_material *const material = meshes[i].material;
        view_mesh_textures *const own = &textures->meshes[i];
        d.search.mesh = i;
        own->opaque = material != NULL && material->coverage == MD5_COVERAGE_OPAQUE;
        own->two_sided = true;
        if (meshes[i].image == NULL)
            continue;
        if (material != NULL && material->coverage == MD5_COVERAGE_TRANSLUCENT)
            view_add_layers(&d, model->meshes[i].shader);
        else
            give_map(&d, (view_texture){.path = meshes[i].image, .map = MD5GL_IMAGE_DIFFUSE});
    }
    view_sort_layers(&textures->layers, model->num_meshes);
}

void view_free_textures(view_textures *textures, md5gl_renderer *renderer)
{
    for (size_t i = 0; i < textures->num_loaded; i++) {
        view_texture *const texture = textures->loaded[i];
        md5gl_destroy_texture(renderer, texture->texture);
        free((char *)(uintptr_t)texture->path);
        free((char *)(uintptr_t)texture->heights);
        free((char *)(uintptr_t)texture->base);
        free(texture);
    }
    for (uint32_t i = 0; i < textures->num_meshes; i++)
        view_free_look(&textures->meshes[i].look);
    view_layers *const layers = &textures->layers;
    for (uint32_t i = 0; i < layers->num_meshes; i++) {
        view_layered *const layered = &layers->meshes[i];
        free(layered->registers);
        free(layered->textures);
        free(layered->stages);
        free(layered->lit.textures);
        free(layered->lit.shown);
    }
    for (size_t i = 0; i < layers->num_notes; i++)
        free(layers->notes[i].text);
    free(layers->meshes);
    free(layers->lists);
    free(layers->places);
    free(layers->notes);
    view_close_package(textures->package);
    for (size_t i = 0; i < textures->num_worn; i++)
        view_close_package(textures->worn[i]);
    free(textures->worn);
    free(textures->meshes);
    free(textures->loaded);
    *textures = (view_textures){0};
}

// -- Of meshes -----------------------------------------------------------------------------------

// The textures that were loaded for a mesh: as its material, and as the panel lists them.

md5gl_material view_mesh_material(const view_textures *textures, const md5gl_renderer *renderer,
                                  uint32_t mesh, bool maps, bool layers, double time)
{
    const view_mesh_textures *const own = &textures->meshes[mesh];
    const view_texture *const diffuse = own->maps[MD5GL_IMAGE_DIFFUSE];
    md5gl_texture drawn[MD5GL_NUM_IMAGE_KINDS];
    for (int map = 0; map < MD5GL_NUM_IMAGE_KINDS; map++)
        drawn[map] = own->maps[map] != NULL ? own->maps[map]->texture : 0;
    md5gl_material material = {
        .diffuse = diffuse != NULL ? diffuse->texture : md5gl_checker_texture(renderer),
        .alpha_test = own->alpha_test,
        .is_opaque = own->opaque,
        .two_sided = own->two_sided || (!own->opaque && diffuse != NULL && diffuse->has_holes),
    };
    if (own->num_turns > 0 && diffuse == own->turns[0]) {
        const md5_quake_skins skins = {.num_skins = 1, .num_images = {own->num_turns}};
        material.diffuse = own->turns[md5_quake_image_at(&skins, 0, time)]->texture;
    }
    if (maps) {
        material.normals =
            drawn[drawn[MD5GL_IMAGE_NORMALS] != 0 ? MD5GL_IMAGE_NORMALS : MD5GL_IMAGE_HEIGHTS];
        material.specular = drawn[MD5GL_IMAGE_SPECULAR];
        // The alpha of TGA and DDS files means other things to other engines.
        material.has_thin_parts =
            material.specular != 0
            && common_has_ending(own->maps[MD5GL_IMAGE_SPECULAR]->path, ".png");
        material.glow = drawn[MD5GL_IMAGE_GLOW];
    }
    if (layers)
        view_paint_layer(&textures->layers, mesh, maps, &material);
    return material;
}

const view_texture *view_mesh_image(const view_textures *textures, uint32_t mesh,
                                    md5gl_image_kind map)
{
    return textures->meshes != NULL ? textures->meshes[mesh].maps[map] : NULL;
}

const view_look *view_mesh_look(const view_textures *textures, uint32_t mesh)
{
    static const view_look none = {0};
    return textures->meshes != NULL ? &textures->meshes[mesh].look : &none;
}

// -- Uploading models ----------------------------------------------------------------------------

md5gl_model *view_create_model(const view_loader *loader, const md5_model *model)
{
    const view_options *const options = loader->options;
    md5_error error = {0};
    md5gl_model *drawn = md5gl_create_model(loader->renderer, model, options->path, &error);
    if (drawn == NULL && options->path != MD5GL_PATH_AUTO && error.status == MD5_ERROR_GPU) {
        view_warn(loader->log, "%s; using another skinning path", error.message);
        drawn = md5gl_create_model(loader->renderer, model, MD5GL_PATH_AUTO, &error);
    }
    if (drawn == NULL)
        view_log_error(loader->log, &error);
    return drawn;
}

bool view_upload(const view_loader *loader, const view_dressing *dressing, md5gl_model **drawn,
                 view_textures *textures)
{
    *textures = (view_textures){0};
    *drawn = view_create_model(loader, dressing->model);
    if (*drawn == NULL)
        return false;
    if (!view_load_textures(textures, loader, dressing)) {
        md5gl_destroy_model(loader->renderer, *drawn);
        *drawn = NULL;
        return false;
    }
    view_set_deforms(&textures->layers, loader->renderer, *drawn, dressing->model, loader->log);
    return true;
}

// == The light of a picture ====================================================================

static float luminance(md5_vec3 color)
{
    return 0.2126f * color.x + 0.7152f * color.y + 0.0722f * color.z;
}

bool view_load_environment(view_environment *environment, md5gl_renderer *renderer,
                           const char *path, view_log *log)
{
    view_panorama panorama;
    md5_error error = {0};
    if (!view_read_panorama(path, &panorama, &error))
        return view_error(log, "%s: %s", path, error.message);
    md5gl_environment *const light =
        md5gl_create_environment(renderer, panorama.width, panorama.height, panorama.rgb, &error);
    free(panorama.rgb);
    if (light == NULL)
        return view_error(log, "%s: %s", path, error.message);
    md5gl_destroy_environment(renderer, environment->light);
    environment->light = light;
    // The terms of the polynomial of first degree point to the light, see
    // md5gl_environment_light(). The mean over the sphere is the constant term and a third of that
    // of z^2.
    const md5_vec3 *const terms = md5gl_environment_light(light);
    const float studio = 0.5f; // the mean of a picture's light that looks as bright as the studio
    const float mean = luminance(terms[0]) + luminance(terms[7]) / 3.0f;
    const md5_vec3 way = {luminance(terms[1]), luminance(terms[2]), luminance(terms[3])};
    const float length = md5_vec3_length(way);
    environment->exposure = mean > 1e-6f ? studio / mean : 1;
    environment->brightest = (md5_vec3){0, 0, 1};
    if (length > 0.01f * mean)
        environment->brightest = (md5_vec3){way.x / length, way.y / length, way.z / length};
    return true;
}

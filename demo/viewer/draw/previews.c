#include "demo/viewer/draw/previews.h"

#include "demo/common/system.h"
#include "demo/viewer/base/math.h"
#include "demo/viewer/motion/motion.h"
#include "demo/viewer/platform/platform.h"

#include <stdatomic.h>

// Pixels that are looked at, however large triangles are: a few tenths of a second, and 16 times
// those of the picture.
static const uint64_t least_work = (uint64_t)40 << 20;

struct view_sketch {
    md5_vec3 right, up, ahead, light; // unit vectors; the picture looks along `ahead`
    md5_vec3 center;
    float scale;       // pixels a unit
    size_t side, fine; // drawn larger by the factor `fine`, and averaged
    uint64_t work, most_work;
    view_paint paint;   // of what is drawn now
    float *depth;       // [side * side] of what hides; infinity where nothing does
    float (*colors)[4]; // red, green and blue, and what is covered of the pixel: 0 to 1
};

// Of a corner: pixels, units along the view, light, texture coordinates.
enum { CORNER_X, CORNER_Y, CORNER_DEPTH, CORNER_SHADE, CORNER_U, CORNER_V, CORNER_VALUES };
typedef struct corner {
    float values[CORNER_VALUES];
} corner;

// -- View -----------------------------------------------------------------------------------

view_sketch *view_begin_sketch(md5_bounds bounds, uint32_t size)
{
    const float azimuth = 0.52f, elevation = 0.2f; // radians: 30 and 12 degrees
    const md5_vec3 to_viewer = {cosf(elevation) * cosf(azimuth), cosf(elevation) * sinf(azimuth),
                                sinf(elevation)};
    view_sketch sketch = {.ahead = md5_vec3_scale(to_viewer, -1)};
    sketch.right = (md5_vec3){-sinf(azimuth), cosf(azimuth), 0};
    sketch.up = md5_vec3_cross(to_viewer, sketch.right);
    sketch.center = md5_vec3_scale(md5_vec3_add(bounds.min, bounds.max), 0.5f);
    const md5_vec3 light = {0.6f, 0.15f, 0.78f};
    sketch.light = md5_vec3_scale(light, 1.0f / md5_vec3_length(light));
    float seen = 0; // the size of the bounds as they are seen
    for (unsigned i = 0; i < 8; i++) {
        const md5_vec3 arm = md5_vec3_sub(view_corner(bounds, i), sketch.center);
        seen = fmaxf(seen, 2 * fabsf(md5_vec3_dot(arm, sketch.right)));
        seen = fmaxf(seen, 2 * fabsf(md5_vec3_dot(arm, sketch.up)));
    }
    if (view_is_empty(bounds) || !(seen > 1e-6f && seen < 1e9f))
        return NULL;
    sketch.fine = size <= 1024 ? 2 : 1;
    sketch.side = sketch.fine * size;
    const size_t count = sketch.side * sketch.side;
    sketch.most_work = least_work + 16 * count;
    sketch.depth = common_alloc(count, sizeof *sketch.depth);
    sketch.colors = common_alloc(count, sizeof *sketch.colors);
    COMMON_FOR (i, count)
        sketch.depth[i] = INFINITY;
    sketch.scale = 0.94f * (float)sketch.side / seen;
    view_sketch *const begun = common_alloc(1, sizeof *begun);
    *begun = sketch;
    return begun;
}

static corner corner_of(const view_sketch *sketch, md5_vec3 position, md5_vec3 normal,
                        md5_vec2 texcoord)
{
    const md5_vec3 arm = md5_vec3_sub(position, sketch->center);
    const float half = 0.5f * (float)sketch->side;
    return (corner){
        {half + sketch->scale * md5_vec3_dot(arm, sketch->right),
         half - sketch->scale * md5_vec3_dot(arm, sketch->up), md5_vec3_dot(arm, sketch->ahead),
         0.6f + 0.55f * fmaxf(md5_vec3_dot(normal, sketch->light), 0), texcoord.x, texcoord.y}};
}

// -- Triangles ------------------------------------------------------------------------------

static float cross(const corner *a, const corner *b, float x, float y)
{
    const float *const from = a->values, *const to = b->values;
    return (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0]);
}

static float mix(const corner c[3], const float part[3], int value)
{
    return part[0] * c[0].values[value] + part[1] * c[1].values[value]
           + part[2] * c[2].values[value];
}

// A factor by its code in md5_stage.bits; `one`: of the code 0. Those of the alpha that is there
// are those of a picture without any.
static float share_of(uint32_t code, float one, float color, float alpha)
{
    const float shares[] = {one, 1 - one, 1, color, 1 - color, alpha, 1 - alpha};
    return code < COMMON_LENGTH(shares) ? shares[code] : 1;
}

// Adds what a stage draws to what is there. Light covers as much as it is bright, and what only
// darkens or filters what is behind it covers nothing.
static void blend_pixel(const view_paint *paint, const float texel[4], float pixel[4])
{
    const uint32_t source = paint->stage->bits & 15, target = paint->stage->bits >> 4 & 15;
    float color[4], least = 1;
    COMMON_FOR (i, 4)
        color[i] = texel[i] / 255 * view_clamp(paint->registers[paint->stage->color[i]], 0, 1);
    COMMON_FOR (i, 3) {
        const float added = color[i] * share_of(source, 1, pixel[i] / 255, color[3]);
        const float through = share_of(target, 0, color[i], color[3]);
        pixel[i] = 255 * added + through * pixel[i];
        least = fminf(least, fminf(through, 1 - added));
    }
    if (source != 1 && source != 3)
        pixel[3] = 1 - (1 - pixel[3]) * least;
}

static void fill_pixel(view_sketch *sketch, const corner c[3], const float part[3], size_t pixel)
{
    const view_image *const texture = sketch->paint.texture;
    const float depth = mix(c, part, CORNER_DEPTH);
    if (!(depth < sketch->depth[pixel]))
        return;
    const float u = mix(c, part, CORNER_U), v = mix(c, part, CORNER_V);
    float texel[4] = {150, 155, 165, 255};
    if (texture != NULL && fabsf(u) < 1e6f && fabsf(v) < 1e6f) { // they repeat
        const uint32_t x = (uint32_t)((u - floorf(u)) * (float)texture->width);
        const uint32_t y = (uint32_t)((v - floorf(v)) * (float)texture->height);
        const size_t column = x < texture->width ? x : texture->width - 1;
        const size_t row = y < texture->height ? y : texture->height - 1;
        const uint8_t *const rgba = &texture->rgba[4 * (row * texture->width + column)];
        COMMON_FOR (i, 4)
            texel[i] = rgba[i];
        if (sketch->paint.has_holes && sketch->paint.stage == NULL && rgba[3] < 128)
            return;
    }
    if (sketch->paint.stage != NULL) {
        blend_pixel(&sketch->paint, texel, sketch->colors[pixel]);
        return;
    }
    const float shade = mix(c, part, CORNER_SHADE);
    sketch->depth[pixel] = depth;
    COMMON_FOR (i, 3)
        sketch->colors[pixel][i] = shade * texel[i];
    sketch->colors[pixel][3] = 1;
}

// Both sides: few models have back faces in view that would hide something.
static void fill_triangle(view_sketch *sketch, const corner c[3])
{
    const float area = cross(&c[0], &c[1], c[2].values[0], c[2].values[1]);
    if (!(fabsf(area) > 1e-6f && fabsf(area) < 1e12f)) // also what is not finite
        return;
    int low[2], high[2]; // pixels: left and top, right and bottom
    COMMON_FOR (i, 2) {
        const float a = c[0].values[i], b = c[1].values[i], d = c[2].values[i];
        const float last = (float)(sketch->side - 1);
        low[i] = (int)view_clamp(fminf(fminf(a, b), d), 0, last);
        high[i] = (int)view_clamp(ceilf(fmaxf(fmaxf(a, b), d)), 0, last);
    }
    sketch->work += (uint64_t)(high[0] - low[0] + 1) * (uint64_t)(high[1] - low[1] + 1);
    for (int y = low[1]; y <= high[1]; y++)
        for (int x = low[0]; x <= high[0]; x++) {
            const float px = (float)x + 0.5f, py = (float)y + 0.5f;
            const float part[3] = {cross(&c[1], &c[2], px, py) / area,
                                   cross(&c[2], &c[0], px, py) / area,
                                   cross(&c[0], &c[1], px, py) / area};
            if (part[0] >= 0 && part[1] >= 0 && part[2] >= 0)
                fill_pixel(sketch, c, part, (size_t)y * sketch->side + (size_t)x);
        }
}

bool view_sketch_mesh(view_sketch *sketch, const md5_mesh *mesh, const md5_vec3 *positions,
                      const md5_vec3 *normals, const view_paint *paint)
{
    sketch->paint = *paint;
    for (uint32_t i = 0; i < mesh->num_triangles && sketch->work < sketch->most_work; i++) {
        corner corners[3];
        COMMON_FOR (j, 3u) {
            const uint32_t index = mesh->indices[3 * (size_t)i + j];
            corners[j] =
                corner_of(sketch, positions[index], normals[index], mesh->texcoords[index]);
        }
        fill_triangle(sketch, corners);
        sketch->work++;
    }
    return sketch->work < sketch->most_work;
}

// -- Bones ----------------------------------------------------------------------------------

// A pyramid of four sides whose base, a tenth as wide as the bone is long, is at `from`.
void view_sketch_bone(view_sketch *sketch, md5_vec3 from, md5_vec3 to)
{
    const md5_vec3 along = md5_vec3_sub(to, from);
    const float length = md5_vec3_length(along);
    if (!(length > 1e-6f && length < 1e9f))
        return;
    const md5_vec3 axis = md5_vec3_scale(along, 1.0f / length);
    const md5_vec3 other = fabsf(axis.z) < 0.9f ? (md5_vec3){0, 0, 1} : (md5_vec3){1, 0, 0};
    const md5_vec3 across = md5_vec3_cross(axis, other);
    const md5_vec3 side = md5_vec3_scale(across, 1.0f / md5_vec3_length(across));
    const md5_vec3 up = md5_vec3_cross(axis, side);
    const float wide = 0.1f * length;
    sketch->paint = (view_paint){0};
    for (int i = 0; i < 4 && sketch->work < sketch->most_work; i++) {
        const md5_vec3 first = md5_vec3_scale(side, i < 2 ? 1 : -1);
        const md5_vec3 second = md5_vec3_scale(up, i == 0 || i == 3 ? 1 : -1);
        const md5_vec3 normal = md5_vec3_scale(md5_vec3_add(first, second), 0.7071f);
        const md5_vec3 ends[3] = {view_along(from, first, wide), view_along(from, second, wide),
                                  to};
        corner c[3];
        COMMON_FOR (k, 3)
            c[k] = corner_of(sketch, ends[k], normal, (md5_vec2){0, 0});
        fill_triangle(sketch, c);
    }
}

static void sketch_joints(view_sketch *sketch, const view_scene *scene)
{
    COMMON_FOR (i, scene->num_joints) {
        const uint32_t parent = scene->skeleton->joints[i].parent;
        if (parent != MD5_NONE)
            view_sketch_bone(sketch, md5_mat34_translation(scene->joints[parent]),
                             md5_mat34_translation(scene->joints[i]));
    }
}

// -- Meshes of a scene ----------------------------------------------------------------------

static bool is_clear(const md5_material *material)
{
    return material != NULL && material->coverage == MD5_COVERAGE_TRANSLUCENT;
}

// Draws a skinned mesh with an image. What is seen through is blended as the first stage that has
// an image says, and turned to the viewer if its material does that; `time` in seconds.
static bool sketch_part(view_sketch *sketch, const view_scene *scene, uint32_t number,
                        const md5_material *material, double time, view_paint paint)
{
    const view_skinned *const skinned = &scene->skinned[number];
    md5_mesh mesh = scene->model->meshes[number];
    md5_material_input input = {.time = (float)time};
    float *const registers = common_alloc(material != NULL ? material->num_registers : 1, 4);
    uint32_t count;
    bool is_whole;
    paint.registers = registers;
    COMMON_FOR (i, VIEW_NUM_PARMS)
        input.parms[i] = view_parm_ranges[VIEW_FIRST_PARM + i].usual;
    if (is_clear(material))
        md5_evaluate_material(material, &input, registers);
    for (uint32_t i = 0; is_clear(material) && i < material->num_stages && paint.stage == NULL; i++)
        if (material->stages[i].light == MD5_STAGE_AMBIENT
            && material->stages[i].image.text[0] != '\0')
            paint.stage = &material->stages[i];
    if (paint.stage != NULL
        && md5_deform_size(material->deform, &mesh, &count, &mesh.num_triangles)) {
        const float far_off = 1e4f / sketch->scale;
        const md5_deform_view view = {.eye = view_along(sketch->center, sketch->ahead, -far_off),
                                      .left = md5_vec3_scale(sketch->right, -1),
                                      .up = sketch->up};
        md5_vec3 *const positions = common_alloc(count, sizeof *positions);
        md5_vec2 *const texcoords = common_alloc(count, sizeof *texcoords);
        uint32_t *const indices = common_alloc(3 * (size_t)mesh.num_triangles, sizeof *indices);
        md5_deform_indices(material->deform, &scene->model->meshes[number], indices);
        md5_deform_vertices(material, NULL, registers, &scene->model->meshes[number],
                            skinned->positions, skinned->normals, &view,
                            &(md5_deformed){.positions = positions, .texcoords = texcoords});
        mesh.indices = indices;
        mesh.texcoords = texcoords;
        is_whole = view_sketch_mesh(sketch, &mesh, positions, positions, &paint); // without light
        free(indices);
        free(texcoords);
        free(positions);
    } else {
        is_whole = view_sketch_mesh(sketch, &mesh, skinned->positions, skinned->normals, &paint);
    }
    free(registers);
    return is_whole;
}

// -- Result ---------------------------------------------------------------------------------

void view_end_sketch(view_sketch *sketch, view_image *image)
{
    const size_t side = sketch->side / sketch->fine;
    if (image != NULL) {
        *image = (view_image){common_alloc(side * side, 4), (uint32_t)side, (uint32_t)side};
        COMMON_FOR (i, side * side) {
            // The mean of the finer pixels, each by how much of it is covered.
            const size_t x = i % side, y = i / side, fine = sketch->fine;
            uint8_t *const rgba = &image->rgba[4 * i];
            float sum[4] = {0};
            COMMON_FOR (j, fine * fine) {
                const size_t pixel = (fine * y + j / fine) * sketch->side + fine * x + j % fine;
                COMMON_FOR (k, 4)
                    sum[k] += sketch->colors[pixel][k];
            }
            for (int j = 0; j < 3 && sum[3] > 0; j++)
                rgba[j] = (uint8_t)fminf(sum[j] / sum[3] + 0.5f, 255);
            rgba[3] = (uint8_t)(255 * sum[3] / (float)(fine * fine) + 0.5f);
        }
    }
    free(sketch->depth);
    free(sketch->colors);
    free(sketch);
}

// -- Pictures ------------------------------------------------------------------------------------

// Models beside a clip or a skin that are tried at most, since each is loaded for that.
enum { MAX_TRIED = 8 };

static const char *const divider = "::";

char *view_wish_of(view_section section, const char *name, const char *on)
{
    return section == VIEW_ANIMS || section == VIEW_SKINS
               ? common_format("%s%s%s", on != NULL ? on : "", divider, name)
               : common_copy(name);
}

// -- Drawing --------------------------------------------------------------------------------

static view_preview draw_scene(view_scene *scene, double time)
{
    view_preview made = {.num_missing = 0};
    const view_play play = {.speed = 1, .time = time};
    view_pose(scene, &play);
    if (scene->model != NULL)
        view_skin(scene);
    view_sketch *const sketch = view_begin_sketch(view_pose_bounds(scene, NULL), VIEW_SKETCH_SIZE);
    if (sketch == NULL)
        return made;
    if (scene->model == NULL || view_is_joints_alone(scene)) {
        sketch_joints(sketch, scene);
    } else {
        // Flashes and the like would hide what is behind them: they are drawn only if there is
        // nothing else, as in a ghost.
        bool is_drawn = false;
        for (int round = 0; round < 2 && !is_drawn; round++)
            COMMON_FOR (i, scene->model->num_meshes) {
                const md5_mesh *const mesh = &scene->model->meshes[i];
                const md5_material *const material =
                    md5_game_material(scene->library->game, mesh->shader, NULL);
                if (is_clear(material) == (round == 0))
                    continue;
                md5_error error;
                view_image texture = {.rgba = NULL};
                const md5_image_program *const program =
                    material != NULL ? view_material_image(material, MD5GL_PICTURE_DIFFUSE) : NULL;
                const bool is_read =
                    program != NULL
                    && view_read_game_image(scene->library->game, program, &texture, &error);
                sketch_part(
                    sketch, scene, i, material, time,
                    (view_paint){.texture = is_read ? &texture : NULL,
                                 .has_holes = material != NULL
                                              && material->coverage == MD5_COVERAGE_PERFORATED});
                free(texture.rgba);
                made.num_missing += material == NULL || (program != NULL && !is_read);
                is_drawn = true;
            }
    }
    view_end_sketch(sketch, &made.image);
    return made;
}

// -- Models that are tried ------------------------------------------------------------------

// Names of models, the best first.
typedef struct tried {
    const char *names[MAX_TRIED];
    size_t count;
} tried;

static void try_name(tried *of, const char *name)
{
    bool is_there = name == NULL || name[0] == '\0';
    COMMON_FOR (i, of->count)
        is_there = is_there || strcmp(of->names[i], name) == 0;
    if (!is_there && of->count < MAX_TRIED)
        of->names[of->count++] = name;
}

// The .md5mesh files in the folder of a file, or of a material: most games keep them together.
static void try_folder(tried *of, const view_library *library, const char *beside)
{
    const char *const slash = beside != NULL ? strrchr(beside, '/') : NULL;
    const size_t length = slash != NULL ? (size_t)(slash - beside) + 1 : 0;
    for (size_t i = 0; i < library->num_names[VIEW_MODELS] && beside != NULL; i++) {
        const char *const name = library->names[VIEW_MODELS][i];
        if (strncmp(name, beside, length) == 0 && strchr(name + length, '/') == NULL
            && common_has_ending(name, ".md5mesh"))
            try_name(of, name);
    }
}

// In seconds: materials of ghosts are clear before.
static const double faded_in = 0.5;

static bool load(view_scene *scene, view_library *library, const char *name, const char *skin)
{
    view_log log = {.level = VIEW_QUIET};
    char *const address = view_make_address(library->place, name, skin);
    const bool is_loaded = view_load_game_scene(scene, library, address, &log);
    free(address);
    return is_loaded;
}

// Loads a model with a clip that fits it: `on`, else one beside the clip; else its joints.
static bool load_for_clip(view_scene *scene, view_library *library, const char *clip,
                          const char *on)
{
    tried models = {.count = 0};
    view_log quiet = {.level = VIEW_QUIET};
    bool is_loaded = false;
    try_name(&models, on);
    try_folder(&models, library, clip);
    // A body with a head has joints that the clip need not drive; else the clip of a head is not
    // shown on a body.
    COMMON_FOR (round, 2)
        for (size_t i = 0; i < models.count && !is_loaded; i++) {
            if (!load(scene, library, models.names[i], NULL))
                continue;
            is_loaded = scene->model != NULL && view_add_clip(scene, clip, &quiet);
            if (is_loaded) {
                // Most joints of the clip must drive one of the model: characters of a game often
                // share names of a few, such as "origin".
                const md5_binding *const binding = view_shown_clip(scene)->binding;
                is_loaded = 2 * (uint64_t)binding->num_extra <= binding->anim->skeleton.num_joints
                            && (round == 1 || strcmp(models.names[i], on) == 0
                                || binding->num_missing == 0);
            }
            if (!is_loaded)
                view_free_scene(scene);
        }
    return is_loaded || load(scene, library, clip, NULL);
}

// Loads a model that the skin changes, with it: `on`, else one that it names, else one that lies
// beside what it replaces. Returns its name, or NULL.
static const char *load_for_skin(view_scene *scene, view_library *library, const char *name,
                                 const char *on)
{
    tried models = {.count = 0};
    const md5_skin_def *const skin = md5_game_skin_def(library->game, name, NULL);
    if (skin == NULL)
        return NULL;
    try_name(&models, on);
    COMMON_FOR (i, skin->num_models)
        try_name(&models, skin->models[i]);
    COMMON_FOR (i, skin->num_rows)
        try_folder(&models, library, skin->rows[i].from);
    COMMON_FOR (i, models.count) {
        if (!load(scene, library, models.names[i], name))
            continue;
        for (uint32_t k = 0; scene->model != NULL && k < scene->model->num_meshes; k++)
            COMMON_FOR (row, skin->num_rows)
                if (strcmp(scene->model->meshes[k].shader, skin->rows[row].to) == 0)
                    return models.names[i];
        view_free_scene(scene);
    }
    return NULL;
}

char *view_model_for_skin(view_library *library, const char *name)
{
    view_scene scene;
    const char *const model = load_for_skin(&scene, library, name, NULL);
    if (model == NULL)
        return NULL;
    char *const copy = common_copy(model);
    view_free_scene(&scene);
    return copy;
}

view_preview view_make_preview(view_library *library, const char *wish)
{
    const char *const end = strstr(wish, divider);
    const char *const name = end != NULL ? end + strlen(divider) : wish;
    const bool is_clip = end != NULL && common_has_ending(name, ".md5anim");
    char *const on = end != NULL ? common_format("%.*s", (int)(end - wish), wish) : NULL;
    view_scene scene;
    const bool is_loaded = end == NULL ? load(&scene, library, name, NULL)
                           : is_clip   ? load_for_clip(&scene, library, name, on)
                                       : load_for_skin(&scene, library, name, on) != NULL;
    view_preview made = {.num_missing = !is_loaded && (end == NULL || is_clip)};
    if (is_loaded) { // a clip in the middle, where they differ most
        made = draw_scene(&scene, is_clip ? 0.5 * view_shown_anim(&scene)->duration : faded_in);
        made.num_missing = is_clip ? 0 : made.num_missing; // of a model that it does not name
        view_free_scene(&scene);
    }
    free(on);
    return made;
}

// -- On a thread ---------------------------------------------------------------------------------

// The thread's game is opened again after so many pictures, because what games have read stays in
// memory.
enum { PICTURES_A_GAME = 100 };

typedef struct preview {
    char *wish; // NULL: none
    enum { WISHED, MAKING, MADE } state;
    view_preview of;
    uint64_t used; // when it was wished or last shown
} preview;

struct view_previews {
    char *place, *models;
    view_thread *thread;
    atomic_bool ends;
    view_lock *lock; // for what follows
    bool has_more;
    preview list[VIEW_MAX_PREVIEWS];
    uint64_t now;
};

static void drop(preview *picture)
{
    free(picture->wish);
    free(picture->of.image.rgba);
    *picture = (preview){.wish = NULL};
}

// -- Making ---------------------------------------------------------------------------------

static bool goes_on(void *user, size_t num_files)
{
    view_previews *const previews = user;
    (void)num_files;
    return !atomic_load(&previews->ends);
}

// Waits for wishes until the end.
static int make_pictures(void *user)
{
    view_previews *const previews = user;
    view_library *library = NULL;
    uint32_t num_made = 0;
    view_lock_enter(previews->lock);
    while (!atomic_load(&previews->ends)) {
        preview *next = NULL; // the first that was wished
        COMMON_FOR (i, VIEW_MAX_PREVIEWS) {
            preview *const picture = &previews->list[i];
            if (picture->wish != NULL && picture->state == WISHED
                && (next == NULL || picture->used < next->used))
                next = picture;
        }
        if (next == NULL) {
            view_lock_wait(previews->lock);
            continue;
        }
        next->state = MAKING;
        view_lock_leave(previews->lock);

        view_preview made = {.image = {.rgba = NULL}};
        md5_error error = {0};
        if (previews->place == NULL) {
            const bool is_large = next->wish[0] == '*';
            made = view_preview_file(next->wish + is_large,
                                     is_large ? 6 * VIEW_SKETCH_SIZE : VIEW_SKETCH_SIZE,
                                     previews->models);
        } else if (num_made++ % PICTURES_A_GAME == 0) {
            view_drop_library(library);
            library = view_open_library(previews->place, goes_on, previews, &error);
        }
        if (library != NULL)
            made = view_make_preview(library, next->wish);

        view_lock_enter(previews->lock);
        next->of = made;
        next->state = MADE;
        previews->has_more = true;
        view_wake_window();
    }
    view_lock_leave(previews->lock);
    view_drop_library(library);
    return 0;
}

// -- Beginning and end ----------------------------------------------------------------------

view_previews *view_begin_previews(const char *place, char *models)
{
    view_previews *const previews = common_alloc(1, sizeof *previews);
    previews->place = place != NULL ? common_copy(place) : NULL;
    previews->models = models != NULL ? common_whole(models) : NULL;
    free(models);
    previews->lock = view_new_lock("previews");
    if (previews->lock != NULL)
        previews->thread = view_start_thread(make_pictures, "previews", previews);
    return previews; // without a thread there are no pictures
}

void view_stop_previews(view_previews *previews)
{
    if (previews == NULL)
        return;
    if (previews->thread != NULL) {
        view_lock_enter(previews->lock);
        atomic_store(&previews->ends, true);
        view_lock_signal(previews->lock);
        view_lock_leave(previews->lock);
        view_wait_thread(previews->thread, "previews");
    }
    view_free_lock(previews->lock);
    COMMON_FOR (i, VIEW_MAX_PREVIEWS)
        drop(&previews->list[i]);
    free(previews->place);
    free(previews->models);
    free(previews);
}

// -- The caller's side ----------------------------------------------------------------------

bool view_want_previews(view_previews *previews, const char *const *wishes, size_t count,
                        const view_preview **made)
{
    preview *const list = previews->list;
    if (previews->thread == NULL) {
        COMMON_FOR (i, count)
            made[i] = NULL;
        return false;
    }
    view_lock_enter(previews->lock);
    const bool has_more = previews->has_more;
    previews->has_more = false;
    COMMON_FOR (i, VIEW_MAX_PREVIEWS)
        if (list[i].state == WISHED)
            drop(&list[i]);
    COMMON_FOR (i, count) {
        preview *known = NULL;
        for (size_t k = 0; k < VIEW_MAX_PREVIEWS && known == NULL; k++)
            if (list[k].wish != NULL && strcmp(list[k].wish, wishes[i]) == 0)
                known = &list[k];
        made[i] = known != NULL && known->state == MADE ? &known->of : NULL;
        if (known != NULL) {
            known->used = known->state == MADE ? ++previews->now : known->used;
            continue;
        }
        // An unused place, or that of the picture that nobody has looked at for the longest; one at
        // most is being made.
        preview *place = &list[list[0].state == MAKING];
        COMMON_FOR (k, VIEW_MAX_PREVIEWS)
            if (list[k].state != MAKING && list[k].used < place->used)
                place = &list[k];
        drop(place);
        *place = (preview){.wish = common_copy(wishes[i]), .used = ++previews->now};
    }
    view_lock_signal(previews->lock);
    view_lock_leave(previews->lock);
    return has_more;
}

// == A thumbnail of files ==================================================================
//
// For file managers: nobody has looked at these files yet, so that all is bounded.

enum {
    MAX_MEMORY = 256 << 20,
    MAX_SECONDS = 3,
    MAX_BYTES = 32 << 20,
    MAX_VERTICES = 500000,
    MAX_PIXELS = 16 << 20, // of an image
};

static const char late[] = "md5view: the thumbnail takes more than 3 s of processor time\n";

// -- Files ----------------------------------------------------------------------------------

typedef struct thumbnail {
    const view_options *options;
    view_log *log;
    view_preview *told; // gets what is known of them; NULL: of --thumbnail
    view_scene scene;
    const char *models; // NULL, or where files of a folder in it may be read
    char *folder;       // where they may be read else: that of the first file, or itself
    uint64_t left;      // bytes of them that may be read
    view_package *package;
    char *path; // of `image`, the last one that was read: meshes often share one
    view_image image;
    uint64_t num_pixels; // of all images
    uint32_t num_found;  // meshes with a texture
} thumbnail;

// Whether a path leads into the folder, through no link.
static bool is_allowed(const thumbnail *of, const char *path)
{
    const char *const folder =
        of->models != NULL && common_is_in(of->folder, of->models) ? of->models : of->folder;
    bool is_allowed = common_is_in(path, folder);
    char *part = common_copy(path);
    while (is_allowed && strlen(part) > strlen(folder)) {
        char *const above = common_folder(part);
        is_allowed = !common_is_link(part);
        free(part);
        part = above;
    }
    free(part);
    return is_allowed;
}

// Reads a file, if it is allowed and there are bytes left. Takes what it reads off them.
static const void *open_file(void *user, const char *path, size_t *size, md5_error *error)
{
    thumbnail *const of = user;
    char *const whole = common_whole(path);
    // The first file of the command line may be a link.
    const bool is_mine = strcmp(path, of->options->files[0]) == 0 || is_allowed(of, whole);
    const uint64_t length = is_mine && common_is_file(whole) ? common_file_size(whole) : 0;
    FILE *const file = length > 0 && length <= of->left ? fopen(whole, "rb") : NULL;
    char *const bytes = file != NULL ? malloc(length) : NULL;
    *size = bytes != NULL ? fread(bytes, 1, length, file) : 0;
    of->left -= *size;
    if (bytes == NULL)
        COMMON_TEXT(error->message, "%s",
                    !is_mine            ? "a thumbnail reads nothing outside of its folder"
                    : length > of->left ? "a thumbnail reads 32 MiB at most"
                                        : "no such file, or it is empty");
    if (file != NULL)
        fclose(file);
    free(whole);
    return bytes;
}

static void close_file(void *user, const void *bytes, size_t size)
{
    (void)user, (void)size;
    free((void *)(uintptr_t)bytes);
}

// -- Drawing --------------------------------------------------------------------------------

static bool fail(thumbnail *of, const char *path, const char *why)
{
    return view_error(of->log, "%s: %s", path, why);
}

// Reads an image, if it is another than the last one; NULL is none. Returns false if it takes more
// than is allowed.
static bool read_image(thumbnail *of, const char *path)
{
    md5_error error = {0};
    const uint64_t length = path != NULL ? common_file_size(path) : 0;
    if (of->path != NULL && path != NULL && strcmp(of->path, path) == 0)
        return true;
    free(of->path);
    free(of->image.rgba);
    of->path = path != NULL ? common_copy(path) : NULL;
    of->image = (view_image){NULL, 0, 0};
    if (length > of->left)
        return fail(of, path, "a thumbnail reads 32 MiB at most");
    of->left -= length;
    if (path != NULL && !view_read_image(path, MAX_PIXELS, &of->image, &error)) {
        if (error.status == MD5_ERROR_MEMORY)
            return fail(of, path, error.message);
        view_warn(of->log, "%s: %s", path, error.message);
    }
    of->num_pixels += (uint64_t)of->image.width * of->image.height;
    return path == NULL || of->num_pixels <= 2 * (uint64_t)MAX_PIXELS
           || fail(of, path, "a thumbnail reads images of 32 million pixels at most");
}

// The material that a file beside the model declares for a mesh, or NULL.
static const md5_material *material_of(thumbnail *of, uint32_t mesh)
{
    const char *const shader = of->scene.model->meshes[mesh].shader;
    md5_game *const game = view_package_game(of->package, view_log_listener(of->log));
    return game != NULL && md5_find_decl(game, MD5_DECL_MATERIAL, shader) != NULL
               ? md5_game_material(game, shader, NULL)
               : NULL;
}

// Draws those meshes that are seen through, or the others. Returns false if that is too much.
static bool draw_meshes(thumbnail *of, view_sketch *sketch, double time, bool clear)
{
    view_scene *const scene = &of->scene;
    bool is_drawn = true;
    for (uint32_t i = 0; scene->model != NULL && i < scene->model->num_meshes && is_drawn; i++) {
        const md5_material *const material = material_of(of, i);
        if (scene->model->meshes[i].num_triangles == 0 || is_clear(material) != clear)
            continue;
        const view_look_search search = {
            .model = scene->model,
            .mesh = i,
            .package = of->package,
            .skin = of->options->skin,
            .said = i < scene->num_looks ? &scene->looks[i] : NULL,
        };
        view_look look = view_find_look(&search, view_log_listener(of->log));
        const bool is_read = read_image(of, look.diffuse);
        of->num_found += look.diffuse != NULL;
        const view_image *const texture = of->image.rgba != NULL ? &of->image : NULL;
        const md5gl_texture_desc desc = {
            .width = of->image.width, .height = of->image.height, .texels = of->image.rgba};
        view_free_look(&look);
        is_drawn =
            is_read
            && (sketch_part(sketch, scene, i, material, time,
                            (view_paint){.texture = texture,
                                         .has_holes = texture != NULL && md5gl_has_holes(&desc)})
                || fail(of, scene->path,
                        "a thumbnail draws about 40 million pixels of triangles at most"));
    }
    return is_drawn;
}

// Of sprites, smoke and the like alone the bind pose shows little: a clip beside them is taken.
// Returns whether it is.
static bool take_clip(thumbnail *of)
{
    view_scene *const scene = &of->scene;
    bool is_clear_alone = scene->model != NULL && scene->num_clips == 0;
    for (uint32_t i = 0; is_clear_alone && i < scene->model->num_meshes; i++)
        is_clear_alone = is_clear(material_of(of, i));
    common_list clips =
        is_clear_alone ? common_list_folder(of->folder, ".md5anim") : (common_list){0};
    COMMON_FOR_WHILE (i, clips.count, scene->num_clips == 0)
        view_add_clip(scene, clips.names[i], of->log);
    common_free_list(&clips);
    return is_clear_alone && scene->num_clips > 0;
}

static view_image make_picture(thumbnail *of)
{
    view_hull hull;
    view_image image = {.rgba = NULL};
    view_scene *const scene = &of->scene;
    if (view_count_vertices(scene->model) > MAX_VERTICES) {
        fail(of, scene->path, "a thumbnail draws 500000 vertices at most");
        return image;
    }
    const bool is_taken = take_clip(of);
    const bool is_middle = is_taken || (of->told != NULL && scene->num_clips > 0);
    const view_play play = {.speed = 1,
                            .time = of->options->num_times > 0 ? of->options->times[0]
                                    : is_middle ? 0.5 * view_shown_anim(scene)->duration
                                                : 0};
    view_pose(scene, &play);
    view_skin(scene);
    const md5_bounds bounds =
        is_taken ? view_pose_bounds(scene, NULL) : view_clip_bounds(scene, &play, &hull);
    view_sketch *const sketch = view_begin_sketch(bounds, of->options->thumbnail);
    if (sketch == NULL) {
        fail(of, scene->path, "there is nothing to draw");
        return image;
    }
    const md5_camera *const camera = scene->camera_path.camera;
    if (view_is_joints_alone(scene))
        sketch_joints(sketch, scene);
    for (uint32_t i = 1; scene->skeleton == NULL && i < camera->num_frames; i++)
        view_sketch_bone(sketch, camera->frames[i - 1].position, camera->frames[i].position);
    const bool is_drawn =
        draw_meshes(of, sketch, play.time, false) && draw_meshes(of, sketch, play.time, true);
    read_image(of, NULL);
    view_end_sketch(sketch, is_drawn ? &image : NULL);
    return image;
}

// What there is to say of what was drawn. Of clips beside a model, how many fit it.
static void tell_facts(thumbnail *of, bool is_clip)
{
    view_scene *const scene = &of->scene;
    const md5_model *const model = scene->model;
    const md5_machine_desc *const machine = scene->machine.desc;
    const md5_anim *const anim = view_shown_anim(scene);
    char *const facts = of->told->facts;
    const size_t size = sizeof of->told->facts;
    size_t num_states = 0, num_clips = 0, num_fit = 0;
    for (size_t i = 0; machine != NULL && i < machine->num_layers; i++)
        num_states += machine->layers[i].num_states;
    if (machine != NULL)
        common_append(facts, size, "\n", "%zu state%s", num_states, num_states == 1 ? "" : "s");
    else if (is_clip)
        common_append(facts, size, "\n", "%.2f s", anim->duration);
    else if (model == NULL && scene->camera_path.camera != NULL)
        common_append(facts, size, "\n", "%u frames", scene->camera_path.camera->num_frames);
    else
        common_append(facts, size, "\n", "%u joints", scene->num_joints);
    if (is_clip)
        common_append(facts, size, "\n", "%u frames, %g a second", anim->num_frames,
                      (double)anim->frame_rate);
    if (model == NULL || is_clip)
        return;
    common_append(facts, size, "\n", "%u mesh%s, %u vertices", model->num_meshes,
                  model->num_meshes == 1 ? "" : "es", view_count_vertices(model));
    common_append(facts, size, "\n", "textures: %u of %u found", of->num_found, model->num_meshes);
    if (machine != NULL)
        return;
    common_list clips = common_list_folder(of->folder, ".md5anim");
    of->left = MAX_BYTES;
    for (; num_clips < clips.count && of->left > 0; num_clips++)
        num_fit += view_add_clip(scene, clips.names[num_clips], of->log)
                   && scene->clips[scene->num_clips - 1].binding->num_missing == 0;
    if (num_clips > 0)
        common_append(facts, size, "\n", "clips beside it: %zu of %zu fit", num_fit, num_clips);
    common_free_list(&clips);
}

// Loads the files within the limits, and draws them. Returns whether they can be read.
static bool draw_files(thumbnail *of, view_image *image)
{
    const view_options *const options = of->options;
    char *const whole = common_whole(options->files[0]);
    const md5_files reader = {open_file, close_file, of};
    of->folder = common_is_folder(whole) ? common_copy(whole) : common_folder(whole);
    of->left = MAX_BYTES;
    free(whole);
    const bool is_loaded =
        view_load_scene(&of->scene, options->files, options->num_files, &reader, false, of->log);
    if (is_loaded) {
        const md5_character *const character = of->scene.machine.character;
        of->package =
            view_open_package(character != NULL ? character->model_path : of->scene.path, &reader);
        const bool is_clip = of->scene.num_clips > 0;
        *image = make_picture(of);
        if (of->told != NULL)
            tell_facts(of, is_clip);
        else
            common_limit_process(MAX_MEMORY, 0, late); // a file is written to its end
        view_close_package(of->package);
        view_free_scene(&of->scene);
    }
    free(of->folder);
    return is_loaded;
}

view_image view_make_thumbnail(const view_options *options, view_log *log)
{
    thumbnail of = {.options = options, .log = log};
    view_image image = {.rgba = NULL};
    if (options->num_files == 0) {
        view_error(log, "--thumbnail needs a file");
        return image;
    }
    common_limit_process(MAX_MEMORY, MAX_SECONDS, late);
    draw_files(&of, &image);
    return image;
}

// == Pictures of files =====================================================================

// Each texel is that of 4 by 4 points of the pixel, on average.
static void preview_image(const char *path, uint32_t size, view_preview *made)
{
    enum { POINTS = 4 };
    view_image whole = {NULL, 0, 0};
    md5_error error = {0};
    const char *const ending = strrchr(path, '.');
    made->is_wrong = true;
    COMMON_TEXT(made->facts, "cannot be read");
    // A pipe would be waited for.
    if (!common_is_file(path) || !view_read_image(path, MD5_MAX_IMAGE_PIXELS, &whole, &error))
        return;
    const uint64_t longest = whole.width > whole.height ? whole.width : whole.height;
    const uint64_t side = longest < size ? longest : size;
    const uint64_t width = (whole.width * side + longest - 1) / longest;
    const uint64_t height = (whole.height * side + longest - 1) / longest;
    uint8_t *const rgba = common_alloc(4 * width * height, 1);
    COMMON_FOR (i, 4 * width * height) { // a channel each
        unsigned sum = 0;
        for (uint64_t p = 0; p < POINTS * POINTS; p++) {
            const uint64_t x = (i / 4 % width * POINTS + p % POINTS) * whole.width;
            const uint64_t y = (i / 4 / width * POINTS + p / POINTS) * whole.height;
            sum +=
                whole
                    .rgba[4 * (y / (height * POINTS) * whole.width + x / (width * POINTS)) + i % 4];
        }
        rgba[i] = (uint8_t)(sum / (POINTS * POINTS));
    }
    free(whole.rgba);
    made->is_wrong = false;
    made->image = (view_image){rgba, (uint32_t)width, (uint32_t)height};
    COMMON_TEXT(made->facts, "%u\xC3\x97%u %s", whole.width, whole.height,
                ending != NULL ? ending + 1 : "");
}

// Tries a file, a clip on a model, which may be NULL. Returns whether it can be read.
static bool preview_files(const char *path, const char *model, uint32_t size, const char *models,
                          view_preview *made)
{
    const char *files[2] = {path, model};
    view_log log = {.level = VIEW_QUIET};
    const view_options options = {
        .files = files, .num_files = model != NULL ? 2 : 1, .thumbnail = size};
    thumbnail of = {.options = &options, .log = &log, .told = made, .models = models};
    const bool is_loaded = draw_files(&of, &made->image);
    made->is_wrong = !is_loaded && model == NULL;
    if (made->is_wrong && log.failure.line > 0)
        COMMON_TEXT(made->facts, "line %u\n%.150s", log.failure.line, log.failure.message);
    else if (made->is_wrong)
        COMMON_TEXT(made->facts, "cannot be read\n%.150s", log.error);
    return is_loaded;
}

view_preview view_preview_file(const char *path, uint32_t size, const char *models)
{
    view_preview made = {.num_missing = 0};
    bool is_made = view_is_image(path);
    if (is_made)
        preview_image(path, size, &made);
    if (common_has_ending(path, ".md5anim")) {
        char *const folder = common_folder(path);
        common_list beside = common_list_folder(folder, ".md5mesh");
        for (size_t i = 0; i < beside.count && i < MAX_TRIED && !is_made; i++)
            is_made = preview_files(path, beside.names[i], size, models, &made);
        common_free_list(&beside);
        free(folder);
    }
    if (!is_made)
        preview_files(path, NULL, size, models, &made);
    if (!made.is_wrong)
        common_append(made.facts, sizeof made.facts, "\n", "%.0f KB",
                      ceil((double)common_file_size(path) / 1000));
    return made;
}

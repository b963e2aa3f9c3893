// Lessons on vertices: automatic weights, morph targets, baked animation, impostors.
#include "demo/viewer/pages/page.h"

#include "demo/viewer/assets/words.h"

// == Comparison with the skinned vertices ==================================================

// Returns the sample position of a looping baked clip at a fraction of its duration.
static md5_sample_position baked_sample_position(const md5_baked *baked, double part)
{
    const double frame = (part - floor(part)) * baked->num_frames;
    const uint32_t frame0 = (uint32_t)frame % baked->num_frames;
    return (md5_sample_position){.frame0 = frame0,
                                 .frame1 = (frame0 + 1) % baked->num_frames,
                                 .fraction = (float)(frame - floor(frame))};
}

enum { KEPT_LARGEST, KEPT_MEAN, KEPT_VOXELS, KEPT_JOINTS, PARTS = 4 };

// Skins all meshes with one palette, one mesh after another.
static void skin_model(const md5_model *model, const md5_mat34 *palette, md5_vec3 *positions)
{
    uint32_t first = 0;
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        md5_skin(&model->meshes[m], palette, positions + first, NULL, NULL);
        first += model->meshes[m].num_vertices;
    }
}

// Compares the skinned vertices over a clip with the cached vertices, which are baked or have
// different weights, at PARTS times in each of `num_steps` steps. Sets kept->heat to the maximum
// distance of each vertex divided by `red`, kept->numbers to the mean and the maximum distance, and
// kept->points to the maximum distance in each step.
static void measure(const view_picture *picture, const view_clip *clip, uint32_t num_steps,
                    float red, view_kept *kept)
{
    const md5_model *const model = picture->model;
    const double duration = clip->anim->duration;
    const uint32_t num_joints = model->skeleton.num_joints;
    const uint32_t count = view_count_vertices(model);
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const palette = common_alloc(num_joints, sizeof *palette);
    md5_vec3 *const skinned = common_alloc(2 * (size_t)count, sizeof *skinned);
    md5_vec3 *const cached = skinned + count;
    kept->heat = common_alloc(count, sizeof *kept->heat);
    for (uint32_t i = 0; i < num_steps; i++) {
        float largest = 0;
        for (int k = 0; k < PARTS; k++) {
            const double part = (i + k / (double)PARTS) / num_steps;
            const md5_sample_position sample =
                md5_sample_position_at(clip->anim, part * duration, MD5_WRAP_LOOP);
            md5_pose_palette(clip->binding, sample, MD5_ROOT_IN_PLACE, pose, NULL, palette);
            skin_model(model, palette, skinned);
            if (kept->bound != NULL)
                skin_model(kept->bound, palette, cached);
            if (kept->baked != NULL)
                md5_skin_baked(kept->baked, 0, count, baked_sample_position(kept->baked, part),
                               cached, NULL);

            for (uint32_t v = 0; v < count; v++) {
                const float distance = view_distance(skinned[v], cached[v]);
                kept->heat[v] = fmaxf(kept->heat[v], distance);
                largest = fmaxf(largest, distance);
                kept->numbers[KEPT_MEAN] += distance / (count * (double)PARTS * num_steps);
            }
        }
        if (kept->num_points < VIEW_PAGE_POINTS)
            kept->points[kept->num_points++] =
                (md5_vec2){(float)((i + 0.5) / num_steps * duration), largest};
        kept->numbers[KEPT_LARGEST] = fmax(kept->numbers[KEPT_LARGEST], largest);
    }
    for (uint32_t v = 0; v < count; v++)
        kept->heat[v] /= red;
    free(pose);
    free(palette);
    free(skinned);
}

// Poses the three figures: the character, the cached result, and the difference.
static void pose_kept(view_picture *picture, view_figure_kind kind, const char *clip)
{
    const view_figure_kind kinds[3] = {VIEW_FIGURE_LIT, kind, VIEW_FIGURE_HEAT};
    for (int i = 0; i < 3; i++) {
        picture->figures[i].kind = kinds[i];
        view_sample_clip(picture, clip, picture->time, picture->figures[i].pose);
    }
}

// == Automatic weights =====================================================================
//
// The character with automatic weights by distance, next to its original weights.

// Returns true if automatic weights cannot find the vertices of a joint by distance.
static bool is_excluded(const char *joint_name)
{
    // Substrings of the names.
    static const char *const excluded_joints[] = {"prop",  "eye",    "lid",  "belly",
                                                  "cheek", "tongue", "twist"};
    for (size_t i = 0; i < COMMON_LENGTH(excluded_joints); i++)
        if (common_contains(joint_name, excluded_joints[i]))
            return true;
    return false;
}

md5_weights *view_bind_weights(const md5_model *model, md5_weights_desc desc, md5_error *error)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    const uint32_t count = view_count_vertices(model);
    const uint32_t num_triangles = view_count_triangles(model);
    md5_vec3 *const positions = common_alloc(count, sizeof *positions);
    uint32_t *const indices = common_alloc(3 * (size_t)num_triangles, sizeof *indices);
    bool *const excluded = common_alloc(num_joints, sizeof *excluded);

    // Merge the meshes.
    uint32_t *index = indices;
    for (uint32_t i = 0, first = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        memcpy(positions + first, mesh->positions, mesh->num_vertices * sizeof *positions);
        for (uint32_t k = 0; k < 3 * mesh->num_triangles; k++)
            *index++ = first + mesh->indices[k];
        first += mesh->num_vertices;
    }
    for (uint32_t i = 0; i < num_joints; i++)
        excluded[i] = is_excluded(model->skeleton.joints[i].name);

    desc.positions = positions;
    desc.num_positions = count;
    desc.indices = indices;
    desc.num_triangles = num_triangles;
    desc.skeleton = &model->skeleton;
    desc.bind = model->bind;
    desc.excluded = excluded;
    md5_weights *const weights = md5_create_weights(&desc, NULL, error);
    free(positions);
    free(indices);
    free(excluded);
    return weights;
}

static const float red_units = 3; // difference that is shown red, units

// lines of bind
// Computes distances through the inside of a grid from cells with distance 0. Repeats while a
// distance decreases: each cell compares its 26 neighbors.
static void spread(const bool *inside, const int size[3], float *distances)
{
    const int count = size[0] * size[1] * size[2];
    for (bool changes = true; changes;) {
        changes = false;
        for (int i = 0; i < count * 27; i++) {
            const int cell = i / 27;
            const int dx = i % 3 - 1;
            const int dy = i / 3 % 3 - 1;
            const int dz = i / 9 % 3 - 1;
            const int x = cell % size[0] + dx;
            const int y = cell / size[0] % size[1] + dy;
            const int z = cell / size[0] / size[1] + dz;
            const bool is_before = x < 0 || y < 0 || z < 0;
            const bool is_after = x >= size[0] || y >= size[1] || z >= size[2];
            if (is_before || is_after)
                continue;
            const int from = (z * size[1] + y) * size[0] + x;
            const float d = distances[from] + sqrtf((float)(dx * dx + dy * dy + dz * dz));
            if (inside[cell] && inside[from] && d < distances[cell]) {
                distances[cell] = d;
                changes = true;
            }
        }
    }
}

// Returns the influence of a joint on a vertex from its distance, a fraction of the size of the
// body. The influences of a vertex are then divided by their sum.
static float influence_at(float distance, float falloff)
{
    const float d = (1.0f - falloff) * distance + falloff * distance * distance;
    return 1.0f / (d * d);
}
// end of lines

VIEW_KEEP(bind)
{
    const md5_model *const own = picture->model;
    const view_clip *const clip = view_page_clip(picture, view_word(picture, 4));
    const uint32_t rounds = view_choice(picture, 2);
    const float falloff = picture->values[3];
    const md5_weights_desc desc = {.resolution = view_choice(picture, 0),
                                   .max_influences = view_choice(picture, 1),
                                   .smoothing = rounds,
                                   .no_smoothing = rounds == 0,
                                   .falloff = falloff > 0 ? falloff : MD5_EXPLICIT_ZERO};
    md5_weights *const weights = view_bind_weights(own, desc, NULL);
    if (weights == NULL)
        return;
    kept->numbers[KEPT_VOXELS] = weights->num_voxels;
    kept->numbers[KEPT_JOINTS] = weights->num_bound;

    // Create a copy of the model with these weights and the same vertices in the same order. Each
    // mesh contains all weights.
    view_text words = {0};
    uint32_t *const sources = common_alloc(view_count_vertices(own), sizeof *sources);
    view_append(&words, "MD5Version 10\ncommandline \"\"\nnumJoints %u\nnumMeshes %u\njoints {\n",
                own->skeleton.num_joints, own->num_meshes);
    for (uint32_t i = 0; i < own->skeleton.num_joints; i++)
        view_append_joint(&words, own->skeleton.joints[i].name, own->skeleton.joints[i].parent,
                          md5_xform_from_mat34(own->bind[i]));
    view_append(&words, "}\n");
    for (uint32_t i = 0, first = 0; i < own->num_meshes; i++) {
        md5_mesh mesh = own->meshes[i];
        for (uint32_t v = 0; v < mesh.num_vertices; v++)
            sources[v] = v;
        mesh.sources = sources;
        mesh.num_file_vertices = mesh.num_vertices;
        mesh.file_vertices = weights->vertices + first;
        mesh.num_weights = weights->num_weights;
        mesh.weights = weights->weights;
        view_append_mesh(&words,
                         &(view_mesh_text){.mesh = &mesh, .material = mesh.shader, .scale = 1});
        first += mesh.num_vertices;
    }
    kept->bound = md5_parse_model(words.text, words.size, NULL, NULL);
    free(words.text);
    free(sources);
    md5_destroy_weights(weights);
    if (clip != NULL && kept->bound != NULL
        && view_count_vertices(kept->bound) == view_count_vertices(own))
        measure(picture, clip, 6, red_units, kept);
}

VIEW_SHOW(bind)
{
    const view_kept *const kept = picture->kept;
    if (kept == NULL || kept->heat == NULL)
        return;
    pose_kept(picture, VIEW_FIGURE_BOUND, view_word(picture, 4));
    // A grid with an arm next to the body, seven cells high. Two columns of empty cells are between
    // them, except in the top row.
    enum { WIDE = 4, HIGH = 7 };
    bool inside[WIDE * HIGH];
    float distances[WIDE * HIGH];
    for (int i = 0; i < WIDE * HIGH; i++) {
        inside[i] = i % WIDE == 0 || i % WIDE == WIDE - 1 || i / WIDE == HIGH - 1;
        distances[i] = i > 0 ? INFINITY : 0;
    }
    spread(inside, (const int[3]){WIDE, HIGH, 1}, distances);
    VIEW_FACTS(picture, influence_at(0.2f, v[3]) / influence_at(0.1f, v[3]), distances[WIDE - 1]);
    VIEW_FACTS(picture, kept->numbers[KEPT_MEAN], kept->numbers[KEPT_LARGEST], red_units,
               kept->numbers[KEPT_VOXELS], kept->numbers[KEPT_JOINTS]);
}

// == Morph targets =========================================================================

// lines of morph
// Adds morph targets to the bind pose by their weights, before skinning. A target contains the
// displacement of each vertex that it changes.
static void add_targets(const md5_morph_mesh *mesh, const float *weights, md5_vec3 *positions)
{
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        md5_vec3 *const place = &positions[mesh->vertices[i]];
        for (uint32_t d = mesh->first[i]; d < mesh->first[i + 1]; d++) {
            const md5_morph_delta *const delta = &mesh->deltas[d];
            const md5_vec3 way = md5_vec3_scale(delta->position, weights[delta->target]);
            *place = md5_vec3_add(*place, way);
        }
    }
}
// end of lines

// Computes the maximum displacement of a vertex by the expression.
VIEW_SHOW(morph)
{
    const md5_morph *const morph = picture->scene->morph;
    float *const weights = picture->figures[0].morph_weights;
    if (morph == NULL || morph->num_targets > VIEW_PAGE_TARGETS)
        return;
    for (uint32_t i = 0; i < view_num_sliders(picture->page); i++) {
        const uint32_t target = md5_find_morph_target(morph, picture->page->sliders[i].name);
        if (target != MD5_NONE)
            weights[target] = v[i];
    }
    uint32_t num_changed = 0;
    double largest = 0;
    for (uint32_t i = 0; i < picture->model->num_meshes; i++) {
        const md5_mesh *const mesh = &picture->model->meshes[i];
        md5_vec3 *const own = common_alloc((size_t)mesh->num_vertices + 1, sizeof *own);
        memcpy(own, mesh->positions, mesh->num_vertices * sizeof *own);
        add_targets(&morph->meshes[i], weights, own);
        for (uint32_t k = 0; k < mesh->num_vertices; k++)
            largest = fmax(largest, view_distance(own[k], mesh->positions[k]));
        num_changed += morph->meshes[i].num_vertices;
        free(own);
    }
    VIEW_FACTS(picture, largest, num_changed, view_count_vertices(picture->model));
}

// == Baked vertex animation ================================================================
//
// A clip stored as vertices, next to the skinned clip.

// lines of bake
// Quantizes a value in steps from the minimum. The bounds of all frames are 65535 steps wide.
static uint32_t level_of(double value, double low, double step)
{
    return step > 0.0 ? (uint32_t)floor((value - low) / step + 0.5) : 0;
}

// Maps a direction to an octahedron, whose lower half is folded outward to a square.
static uint32_t fold(md5_vec3 n)
{
    const float sum = fabsf(n.x) + fabsf(n.y) + fabsf(n.z);
    const float x = n.x / sum;
    const float y = n.y / sum;
    const float u = n.z < 0.0f ? copysignf(1.0f - fabsf(y), x) : x;
    const float v = n.z < 0.0f ? copysignf(1.0f - fabsf(x), y) : y;
    return (uint32_t)lroundf(127.0f + 127.0f * u) | (uint32_t)lroundf(127.0f + 127.0f * v) << 8;
}

// Packs a vertex into three numbers with 16 bits and two with 8 bits.
static md5_baked_vertex pack(md5_vec3 place, md5_vec3 normal, md5_vec3 low, md5_vec3 step)
{
    const uint32_t x = level_of((double)place.x, (double)low.x, (double)step.x);
    const uint32_t y = level_of((double)place.y, (double)low.y, (double)step.y);
    const uint32_t z = level_of((double)place.z, (double)low.z, (double)step.z);
    return (md5_baked_vertex){x | y << 16, z | fold(normal) << 16};
}
// end of lines

VIEW_KEEP(bake)
{
    const view_clip *const clip = view_page_clip(picture, view_word(picture, 0));
    const uint32_t joints = picture->model->skeleton.num_joints;
    if (clip == NULL)
        return;
    const uint32_t frames = (uint32_t)fmax(round(picture->values[1] * clip->anim->duration), 2);
    md5_xform *const pose = common_alloc(joints, sizeof *pose);
    md5_mat34 *const palettes = common_alloc(frames * (size_t)joints, sizeof *palettes);
    for (uint32_t i = 0; i < frames; i++) // a loop: frame 0 follows the last frame
        md5_pose_palette(
            clip->binding,
            md5_sample_position_at(clip->anim, clip->anim->duration * i / frames, MD5_WRAP_LOOP),
            MD5_ROOT_IN_PLACE, pose, NULL, palettes + (size_t)i * joints);
    md5_baked *const baked = md5_create_baked(picture->model, palettes, frames, NULL, NULL);
    kept->baked = baked;
    free(pose);
    free(palettes);
    if (baked != NULL)
        measure(picture, clip, frames, picture->values[2], kept);
}

VIEW_SHOW(bake)
{
    (void)v;
    const char *const name = view_word(picture, 0);
    const view_clip *const clip = view_page_clip(picture, name);
    const view_kept *const kept = picture->kept;
    if (kept == NULL || kept->baked == NULL || clip == NULL)
        return;
    const md5_baked *const baked = kept->baked;
    const double cycles = picture->time / clip->anim->duration;
    const double part = cycles - floor(cycles);
    const uint32_t now = (uint32_t)(part * kept->num_points) % kept->num_points;
    pose_kept(picture, VIEW_FIGURE_BAKED, name);
    picture->figures[1].sample = baked_sample_position(baked, part);
    picture->plots[0].row.high.x = kept->points[kept->num_points - 1].x;
    for (uint32_t i = 0; i < kept->num_points; i++)
        view_add_point(picture->plots, 0, kept->points[i].x, kept->points[i].y);
    view_add_mark(picture->plots, kept->points[now].x, kept->points[now].y, VIEW_RED);
    // Pack a vertex with the displayed code.
    md5_vec3 place, normal;
    md5_skin_baked(baked, 0, 1, (md5_sample_position){.frame0 = 0}, &place, &normal);
    const md5_baked_vertex packed = pack(place, normal, baked->bounds.min, baked->step);
    VIEW_FACTS(picture, baked->num_frames, baked->num_vertices, (double)baked->size / 1024.0,
               (double)clip->anim->size / 1024.0,
               (double)(picture->scene->num_joints * sizeof(md5_mat34)), (double)sizeof(float),
               baked->position_error, view_degrees(baked->normal_error),
               kept->numbers[KEPT_LARGEST], place.x, baked->bounds.min.x, 1000 * baked->step.x,
               packed.xy & 0xffff, packed.z_normal >> 16 & 0xff);
}

// == Impostors =============================================================================
//
// Images of a character that replace the distant character.

enum { NUM_PAIRS = 3 };

// The directions of md5gl_impostor_desc: two rings, and one image from below.
enum { RINGS = 2, TEXEL_BYTES = 8 };
static const double lowest = 0.17, highest = 0.79; // elevations of the rings, radians

// lines of impostor
// Returns the nearest of `count` frames that divide a loop equally.
static uint32_t nearest_frame(const md5_anim *clip, double time, uint32_t count)
{
    const double cycles = time / clip->duration;
    return (uint32_t)((cycles - floor(cycles)) * count + 0.5) % count;
}

static double time_of_frame(const md5_anim *clip, uint32_t frame, uint32_t count)
{
    return clip->duration * frame / count;
}
// end of lines

VIEW_SHOW(impostor)
{
    const view_clip *const clip = view_page_clip(picture, "walk");
    md5gl_impostor_desc *const look = &picture->impostor;
    if (clip == NULL)
        return;
    *look = (md5gl_impostor_desc){.num_frames = view_choice(picture, 3),
                                  .num_around = view_choice(picture, 2),
                                  .texels = 16u << view_choice(picture, 1)};
    // A sphere around the character in all frames.
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t i = 0; i < clip->anim->num_frames; i++) {
        const md5_sample_position sample = md5_sample_position_from_frames(clip->anim, i, i, 0);
        bounds = md5_bounds_union(bounds, md5_anim_bounds(clip->anim, sample, MD5_ROOT_IN_PLACE));
    }
    look->center = md5_vec3_lerp(bounds.min, bounds.max, 0.5f);
    look->radius = 0.5f * view_distance(bounds.max, bounds.min);

    const uint32_t frame = nearest_frame(clip->anim, picture->time, look->num_frames);
    picture->num_figures = 2 * NUM_PAIRS;
    for (int i = 0; i < 2 * NUM_PAIRS;
         i++) { // pairs of a skinned figure and an impostor, each pair farther away
        view_figure *const figure = &picture->figures[i];
        const bool is_impostor = i % 2 == 1;
        const float side = is_impostor ? 30 : -30;
        const int pair = i / 2;
        const float distance = v[0] * (float)(pair * (pair + 1)) / 6.0f;
        // Move away from the camera of the lessons, which is 30 degrees to the left.
        figure->place.translation =
            (md5_vec3){-0.866f * distance - 0.5f * side, -0.5f * distance + 0.866f * side, 0};
        figure->place.rotation = md5_quat_from_axis_angle((md5_vec3){0, 0, 1}, view_radians(v[4]));
        figure->kind = is_impostor ? VIEW_FIGURE_IMPOSTOR : VIEW_FIGURE_LIT;
        figure->sample.frame0 = frame;
        view_sample_clip(picture, clip->name,
                         is_impostor ? time_of_frame(clip->anim, frame, look->num_frames)
                                     : picture->time,
                         figure->pose);
        if (i < 2)
            view_add_label(picture, md5_vec3_add(figure->place.translation, (md5_vec3){.z = -5}),
                           VIEW_PLAIN, is_impostor ? "impostor" : "skinned");
    }
    // The maximum angle, degrees, between a view direction and the direction of the nearest image.
    // It occurs midway between two images of a ring, at equal angles to both rings.
    double farthest = 0;
    for (int i = 0; i <= 1000; i++) {
        const double seen = lowest + (highest - lowest) * i / 1000.0;
        const double beside = cos(3.14159265358979 / look->num_around);
        const double low = sin(seen) * sin(lowest) + cos(seen) * cos(lowest) * beside;
        const double high = sin(seen) * sin(highest) + cos(seen) * cos(highest) * beside;
        farthest = fmax(farthest, acos(fmax(low, high)));
    }
    const double views = RINGS * look->num_around + 1;
    const double side = look->texels;
    const double bytes = views * look->num_frames * side * side * (double)TEXEL_BYTES * 4.0 / 3.0;
    VIEW_FACTS(picture, views, views * look->num_frames, bytes / 1048576.0, look->radius,
               2.0 * look->radius / side, farthest * 57.29577951);
}

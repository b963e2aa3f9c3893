// Lessons on vertices: morph targets, and baked animation.
#include "demo/viewer/pages/page.h"

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

// Index in view_lesson_cache.numbers: the maximum distance between equal vertices, units.
enum { CACHED_LARGEST };

// The figures of the lessons that compare, in the order of pages.txt.
enum { FIGURE_SKINNED, FIGURE_BAKED, FIGURE_ERROR, NUM_FIGURES };

// Skins all meshes with one palette, one mesh after another.
static void skin_model(const md5_model *model, const md5_mat34 *palette, md5_vec3 *positions)
{
    uint32_t first = 0;
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        md5_skin(&model->meshes[m], palette, positions + first, NULL, NULL);
        first += model->meshes[m].num_vertices;
    }
}

// Scratch memory for the comparison of skinned with baked vertices at one time.
typedef struct skin_comparison {
    md5_xform *pose;    // [joints]
    md5_mat34 *palette; // [joints]
    md5_vec3 *skinned;  // [vertices] exact positions
    md5_vec3 *baked;    // [vertices] positions between baked frames
} skin_comparison;

// Compares skinned with baked vertices at a time, `part` of the clip's duration. Returns the
// maximum distance between a skinned vertex and the same vertex interpolated between baked frames.
// If the distance of a vertex exceeds its value in cache->heat, stores it there.
static float compare_at(const view_picture *picture, const view_clip *clip, double part,
                        const skin_comparison *scratch, view_lesson_cache *cache)
{
    const uint32_t num_vertices = view_count_vertices(picture->model);
    const md5_sample_position sample =
        md5_sample_position_at(clip->anim, part * clip->anim->duration, MD5_WRAP_LOOP);
    md5_pose_palette(clip->binding, sample, MD5_ROOT_IN_PLACE, scratch->pose, NULL,
                     scratch->palette);
    skin_model(picture->model, scratch->palette, scratch->skinned);
    md5_skin_baked(cache->baked, 0, num_vertices, baked_sample_position(cache->baked, part),
                   scratch->baked, NULL);

    float max_distance = 0;
    for (uint32_t v = 0; v < num_vertices; v++) {
        const float distance = view_distance(scratch->skinned[v], scratch->baked[v]);
        cache->heat[v] = fmaxf(cache->heat[v], distance);
        max_distance = fmaxf(max_distance, distance);
    }
    return max_distance;
}

// Returns the maximum distance between skinned and baked vertices in one of `num_steps` equal steps
// of the clip. The step is sampled at several times.
static float measure_step(const view_picture *picture, const view_clip *clip, uint32_t step,
                          uint32_t num_steps, const skin_comparison *scratch,
                          view_lesson_cache *cache)
{
    enum { SAMPLES_PER_STEP = 4 };
    float max_distance = 0;
    for (int i = 0; i < SAMPLES_PER_STEP; i++) {
        const double part = (step + i / (double)SAMPLES_PER_STEP) / num_steps;
        max_distance = fmaxf(max_distance, compare_at(picture, clip, part, scratch, cache));
    }
    return max_distance;
}

// Compares the skinned vertices with the baked vertices of `cache` in `num_steps` steps of the
// clip. Stores three results in `cache`. `heat` receives the maximum distance of each vertex,
// relative to the distance that is drawn in red. `numbers` receives the maximum distance, and
// `points` the maximum distance in each step.
static void measure_distances(const view_picture *picture, const view_clip *clip,
                              uint32_t num_steps, view_lesson_cache *cache)
{
    const float red = 8; // units
    const uint32_t num_joints = picture->model->skeleton.num_joints;
    const uint32_t num_vertices = view_count_vertices(picture->model);
    const skin_comparison scratch = {
        .pose = common_alloc(num_joints, sizeof(md5_xform)),
        .palette = common_alloc(num_joints, sizeof(md5_mat34)),
        .skinned = common_alloc(num_vertices, sizeof(md5_vec3)),
        .baked = common_alloc(num_vertices, sizeof(md5_vec3)),
    };
    cache->heat = common_alloc(num_vertices, sizeof *cache->heat);

    for (uint32_t step = 0; step < num_steps; step++) {
        const float max_in_step = measure_step(picture, clip, step, num_steps, &scratch, cache);
        const double middle = (step + 0.5) / num_steps * clip->anim->duration; // seconds
        if (cache->num_points < VIEW_PAGE_POINTS)
            cache->points[cache->num_points++] = (md5_vec2){(float)middle, max_in_step};
        cache->numbers[CACHED_LARGEST] = fmax(cache->numbers[CACHED_LARGEST], max_in_step);
    }
    for (uint32_t v = 0; v < num_vertices; v++)
        cache->heat[v] /= red;

    free(scratch.pose);
    free(scratch.palette);
    free(scratch.skinned);
    free(scratch.baked);
}

// Sets the kinds of the figures, and poses them at the time of the picture.
static void pose_figures(view_picture *picture, const char *clip)
{
    const view_figure_kind kinds[NUM_FIGURES] = {[FIGURE_SKINNED] = VIEW_FIGURE_LIT,
                                                 [FIGURE_BAKED] = VIEW_FIGURE_BAKED,
                                                 [FIGURE_ERROR] = VIEW_FIGURE_HEAT};
    for (int i = 0; i < NUM_FIGURES; i++) {
        picture->figures[i].kind = kinds[i];
        view_sample_clip(picture, clip, picture->time, picture->figures[i].pose);
    }
}

// == Morph targets =========================================================================

// The lesson "morph" displays the following code, up to "End of the displayed code".

// Adds morph targets to the bind pose by their weights, before skinning. A target contains
// the displacement of each vertex that it changes.
static void add_targets(const md5_morph_mesh *mesh, const float *weights, md5_vec3 *positions)
{
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        md5_vec3 *const position = &positions[mesh->vertices[i]];
        for (uint32_t d = mesh->first[i]; d < mesh->first[i + 1]; d++) {
            const md5_morph_delta *const delta = &mesh->deltas[d];
            const md5_vec3 moved = md5_vec3_scale(delta->position, weights[delta->target]);
            *position = md5_vec3_add(*position, moved);
        }
    }
}

// End of the displayed code.

// Returns the maximum displacement of a vertex of a mesh by the morph targets at `weights`, units.
static double max_displacement(const md5_mesh *mesh, const md5_morph_mesh *morph,
                               const float *weights)
{
    md5_vec3 *const morphed = common_alloc((size_t)mesh->num_vertices + 1, sizeof *morphed);
    memcpy(morphed, mesh->positions, mesh->num_vertices * sizeof *morphed);
    add_targets(morph, weights, morphed);
    double largest = 0;
    for (uint32_t i = 0; i < mesh->num_vertices; i++)
        largest = fmax(largest, view_distance(morphed[i], mesh->positions[i]));
    free(morphed);
    return largest;
}

// Each slider is the weight of the morph target with its name. Computes the maximum displacement of
// a vertex, and the number of vertices that the targets change.
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
        largest = fmax(largest, max_displacement(mesh, &morph->meshes[i], weights));
        num_changed += morph->meshes[i].num_vertices;
    }
    VIEW_FACTS(picture, largest, num_changed, view_count_vertices(picture->model));
}

// == Baked vertex animation ================================================================
//
// A clip stored as vertices, next to the skinned clip, and the cost of three ways to draw it.

// The lesson "bake" displays the following code, up to "End of the displayed code".

// Each way draws a vertex between frame a and frame b of a clip: a + (b - a) * t.
// demo/examples/vertex_frames.c draws in all three ways.

// 1. Upload: the CPU interpolates all vertices; glBufferSubData() uploads them.
static void interpolate(const md5_vec3 *a, const md5_vec3 *b, float t, uint32_t count,
                        md5_vec3 *out)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = md5_vec3_lerp(a[i], b[i], t);
}

// 2. Buffers: two attributes of the vertex shader begin at these offsets of the buffer with
// all frames: glVertexAttribIPointer(index, 2, GL_UNSIGNED_INT, 8, offset).
static size_t frame_offset(uint32_t frame, uint32_t num_vertices)
{
    return (size_t)frame * num_vertices * sizeof(md5_baked_vertex);
}

// 3. Texture: the shader reads texelFetch(frames, texel) for both frames. The instances of
// one draw call may show different frames.
static uint32_t frame_texel(uint32_t frame, uint32_t num_vertices, uint32_t vertex)
{
    return frame * num_vertices + vertex;
}

// End of the displayed code.

// The sliders and choices of the lesson, in the order of pages.txt.
enum { BAKE_CLIP, BAKE_FRAME_RATE };

// Bakes a clip: samples it at about `frame_rate` frames per second, and stores the skinned vertices
// of each frame. The clip is a loop, in which frame 0 follows the last frame. Returns NULL on
// failure.
static md5_baked *bake_clip(const view_picture *picture, const view_clip *clip, float frame_rate)
{
    const uint32_t num_joints = picture->model->skeleton.num_joints;
    const double duration = clip->anim->duration;
    const uint32_t num_frames = (uint32_t)fmax(round(frame_rate * duration), 2);
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const palettes = common_alloc(num_frames * (size_t)num_joints, sizeof *palettes);
    for (uint32_t frame = 0; frame < num_frames; frame++) {
        const double time = duration * frame / num_frames;
        const md5_sample_position sample = md5_sample_position_at(clip->anim, time, MD5_WRAP_LOOP);
        md5_mat34 *const palette = palettes + (size_t)frame * num_joints;
        md5_pose_palette(clip->binding, sample, MD5_ROOT_IN_PLACE, pose, NULL, palette);
    }

    md5_baked *const baked = md5_create_baked(picture->model, palettes, num_frames, NULL, NULL);
    free(pose);
    free(palettes);
    return baked;
}

// Bakes the selected clip at the selected frame rate, and measures the errors of the baked
// vertices.
VIEW_FILL_CACHE(bake)
{
    const view_clip *const clip = view_page_clip(picture, view_word(picture, BAKE_CLIP));
    if (clip == NULL)
        return;
    cache->baked = bake_clip(picture, clip, picture->values[BAKE_FRAME_RATE]);
    if (cache->baked != NULL)
        measure_distances(picture, clip, cache->baked->num_frames, cache);
}

// Plots the largest error of each frame, and marks the frame at a fraction of the clip's duration.
static void plot_errors(view_plot *plot, const view_lesson_cache *cache, double part)
{
    const md5_vec2 *const points = cache->points;
    const uint32_t count = cache->num_points;
    const uint32_t current = (uint32_t)(part * count) % count;
    plot->row.high.x = points[count - 1].x;
    for (uint32_t i = 0; i < count; i++)
        view_add_point(plot, 0, points[i].x, points[i].y);
    view_add_mark(plot, points[current].x, points[current].y, VIEW_YELLOW);
}

// Adds the sizes of both clips, the largest error, and the positions of the drawn frame in a buffer
// and in a buffer texture.
static void add_bake_facts(view_picture *picture, const md5_baked *baked, const md5_anim *anim)
{
    enum { SHOWN_VERTEX = 1000 }; // its texel is a fact
    const uint32_t frame = picture->figures[FIGURE_BAKED].sample.frame0;
    const uint32_t num_vertices = baked->num_vertices;
    VIEW_FACTS(picture, (double)anim->size / 1024.0, (double)baked->size / 1024.0);
    VIEW_FACTS(picture, picture->cache->numbers[CACHED_LARGEST]);
    VIEW_FACTS(picture, (double)frame_offset(frame, num_vertices),
               frame_texel(frame, num_vertices, SHOWN_VERTEX));
}

// Cost per image of one way to draw characters that play a baked clip. The draw calls are the same
// as in demo/examples/vertex_frames.c.
typedef struct frames_cost {
    double draw_calls;
    double upload_bytes; // vertices, and a job for each character
    double gpu_bytes;    // copies of vertices in GPU memory
} frames_cost;

enum { WAY_UPLOAD, WAY_BUFFERS, WAY_TEXTURE, NUM_WAYS };

// Computes the cost of each way for four characters, as the text of the lesson states. All
// characters play one clip and are drawn in one pass over the meshes.
static void compute_costs(const md5_baked *clip, double num_meshes, frames_cost costs[NUM_WAYS])
{
    const double num_characters = 4;
    const double num_vertices = clip->num_vertices;
    const double clip_bytes = clip->num_frames * num_vertices * sizeof(md5_baked_vertex);
    const double frame_bytes = num_vertices * 2.0 * sizeof(md5_vec3); // positions and normals
    const double job_bytes = sizeof(md5_vec4); // two frames, the fraction, the character's position

    costs[WAY_UPLOAD] = (frames_cost){
        .draw_calls = num_characters * num_meshes,
        .upload_bytes = num_characters * (frame_bytes + job_bytes),
        .gpu_bytes = num_characters * frame_bytes,
    };
    costs[WAY_BUFFERS] = (frames_cost){
        .draw_calls = num_characters * num_meshes,
        .upload_bytes = num_characters * job_bytes,
        .gpu_bytes = clip_bytes,
    };
    costs[WAY_TEXTURE] = (frames_cost){
        .draw_calls = num_meshes,
        .upload_bytes = num_characters * job_bytes,
        .gpu_bytes = clip_bytes,
    };
}

// Draws lines from frame a to frame b of some vertices of a figure, and crosses at the vertices
// between the frames. Vertices that hardly move are omitted.
static void draw_vertex_paths(view_picture *picture, const md5_baked *clip,
                              const view_figure *figure)
{
    enum { VERTICES_PER_LINE = 40 };
    const float min_length = 3; // units
    const uint32_t count = clip->num_vertices;
    const md5_sample_position frame_a = {.frame0 = figure->sample.frame0};
    const md5_sample_position frame_b = {.frame0 = figure->sample.frame1};
    md5_vec3 *const a = common_alloc(3 * (size_t)count, sizeof *a);
    md5_vec3 *const b = a + count;
    md5_vec3 *const between = b + count;
    md5_skin_baked(clip, 0, count, frame_a, a, NULL);
    md5_skin_baked(clip, 0, count, frame_b, b, NULL);
    interpolate(a, b, figure->sample.fraction, count, between);
    for (uint32_t i = 0; i < count; i += VERTICES_PER_LINE) {
        if (view_distance(a[i], b[i]) < min_length)
            continue;
        const md5_vec3 from = md5_xform_point(figure->placement, a[i]);
        const md5_vec3 to = md5_xform_point(figure->placement, b[i]);
        view_page_line(picture, from, to, VIEW_YELLOW);
        view_page_cross(picture, md5_xform_point(figure->placement, between[i]), 0.5f, VIEW_RED);
    }
    free(a);
}

// Adds the costs of the three ways as a table, one row for each kind of cost.
static void add_cost_facts(view_picture *picture, const frames_cost costs[NUM_WAYS])
{
    const frames_cost *const u = &costs[WAY_UPLOAD];
    const frames_cost *const b = &costs[WAY_BUFFERS];
    const frames_cost *const t = &costs[WAY_TEXTURE];
    VIEW_FACTS(picture, u->draw_calls, b->draw_calls, t->draw_calls);
    VIEW_FACTS(picture, u->upload_bytes, b->upload_bytes, t->upload_bytes);
    VIEW_FACTS(picture, u->gpu_bytes / 1024, b->gpu_bytes / 1024, t->gpu_bytes / 1024);
}

// Shows the skinned character, the baked character, and a heat map of the distances between their
// vertices. Plots the largest distance in each frame, and compares the costs of the three ways.
VIEW_SHOW(bake)
{
    (void)v;
    const char *const name = view_word(picture, BAKE_CLIP);
    const view_clip *const clip = view_page_clip(picture, name);
    const view_lesson_cache *const cache = picture->cache;
    if (cache == NULL || cache->baked == NULL || clip == NULL)
        return;
    const double cycles = picture->time / clip->anim->duration;
    const double part = cycles - floor(cycles); // position within the current cycle, 0 to 1
    pose_figures(picture, name);
    picture->figures[FIGURE_BAKED].sample = baked_sample_position(cache->baked, part);
    plot_errors(&picture->plots[0], cache, part);
    draw_vertex_paths(picture, cache->baked, &picture->figures[FIGURE_BAKED]);
    add_bake_facts(picture, cache->baked, clip->anim);
    frames_cost costs[NUM_WAYS];
    compute_costs(cache->baked, picture->model->num_meshes, costs);
    add_cost_facts(picture, costs);
}

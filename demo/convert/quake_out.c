// Writes MDL, MD2 and MD3: a model and its clips as frames, each with the position of every vertex.
//
// A point is a vertex of the MD5 file. Points of one material that have equal positions in all
// frames, such as seams, share one normal; the first of them is their leader. A vertex of MD2 is a
// leader, a vertex of MDL a leader and a texel, and a vertex of MD3 a point. convert.c merges or
// splits meshes before. The main structure is quake_writer.
#include "demo/convert/assets.h"
#include "demo/convert/quake.h"
#include "demo/looks/image.h"

// -- Limits ---------------------------------------------------------------------------------------

enum { NUM_LIMITS = 5 };
enum { MAX_PLACES = 1 << 24 };

// Limits of engines; 0: no limit. Without a requested engine, the first entry of a format applies.
static const struct engine {
    uint32_t ident;
    const char *names;           // each name has a space before and after it
    uint32_t limits[NUM_LIMITS]; // vertices and triangles of a surface, frames, surfaces, tags
} engines[] = {
    {QUAKE_MDL, " ironwail qss vkquake fte ", {32767}},
    {QUAKE_MDL, " quake ", {1024, 2048, 256}},
    {QUAKE_MD2, " quake2 yquake2 kmquake2 ", {2048, 4096, 512}},
    {QUAKE_MD2, " q2pro ", {2048, 6144, 1024}},
    {QUAKE_MD2, " fte ", {2048, 4096}},
    {QUAKE_MD2, " darkplaces ", {65536, 65536, 65536}},
    {QUAKE_MD3, " quake3 ioq3 kmquake2 ", {999, 1999, 1024, 32, 16}},
    {QUAKE_MD3, " q2pro ", {6144, 6144, 1024, 32}},
    {QUAKE_MD3, " vkquake ", {0, 0, 2048, 32}},
    {QUAKE_MD3, " ironwail ", {999, 0, 1024, 65}}, // and 65534 vertices in total
    {QUAKE_MD3, " doom3 dhewm3 darkplaces fte ", {1000, 2000}},
};

// Returns the entry of an engine (NULL: the first) for a format (0: any format), or NULL.
static const struct engine *find_engine(uint32_t ident, const char *name)
{
    for (size_t i = 0; i < COMMON_LENGTH(engines); i++) {
        const struct engine *const engine = &engines[i];
        const bool is_format = ident == 0 || engine->ident == ident;
        if (is_format && (!name || convert_is_among(engine->names, name)))
            return engine;
    }
    return NULL;
}

bool convert_has_frames(const char *engine)
{
    return find_engine(0, engine);
}

// -- The writer -----------------------------------------------------------------------------------

typedef struct quake_sample {
    char name[QUAKE_FRAME_NAME];
    const convert_clip *clip; // NULL: the bind pose
    double time;
} quake_sample;

typedef struct quake_point {
    float texcoord[2];
    uint32_t leader;
} quake_point;

// A point in a frame.
typedef struct quake_place {
    float at[3];
    uint16_t code; // normal in the encoding of the format
} quake_place;

typedef struct quake_writer {
    const convert_job *job;
    const convert_scene *scene;
    md5_error *error;
    const char *title;
    uint32_t ident;
    uint32_t num_points;
    uint32_t num_corners;
    uint32_t num_frames;
    uint32_t num_tags;
    uint32_t num_vertices;  // of the only surface, or of the largest
    uint32_t num_triangles; // of the only surface, or of the largest
    convert_assets assets;
    const md5_model *model;
    quake_sample *frames; // [num_frames]
    uint32_t *corners;    // [num_corners] points
    quake_point *points;  // [num_points]
    quake_place *places;  // [frames][num_points]
    uint32_t *tag_joints; // [tags.count]
    common_list tags;     // names
    md5_mat34 *matrices;  // [frames][tags.count]
    double area;          // of all triangles, in frame 0
    double sum_error;
    double max_error;
    double num_errors;
    convert_bytes out;
    bool is_done; // no failure so far
} quake_writer;

#define FAIL(status, ...) convert_fail(w->error, status, w->job->output, __VA_ARGS__)

// Checks the limits of the requested engines. Limits of other engines are reported as notes.
static bool check_limits(const quake_writer *w)
{
    static const char *const titles[] = {"vertices", "triangles", "frames", "surfaces", "tags"};
    const uint32_t counts[] = {w->num_vertices, w->num_triangles, w->num_frames,
                               w->model->num_meshes, w->num_tags};
    bool is_requested[COMMON_LENGTH(engines)] = {false};
    for (size_t i = 0; i == 0 || i < w->job->num_engines; i++) {
        const char *const name = w->job->num_engines > 0 ? w->job->engines[i] : NULL;
        const struct engine *const engine = find_engine(w->ident, name);
        if (!engine)
            return FAIL(MD5_ERROR_MISSING, "writing %s for engine %s is not supported", w->title,
                        name);
        is_requested[engine - engines] = true;
    }
    for (size_t i = 0; i < COMMON_LENGTH(engines) * NUM_LIMITS; i++) {
        const struct engine *const engine = &engines[i / NUM_LIMITS];
        const uint32_t count = counts[i % NUM_LIMITS];
        const uint32_t limit = engine->limits[i % NUM_LIMITS];
        char text[200];
        COMMON_TEXT(text, "too many %s for %s in%s(%u; limit %u)", titles[i % NUM_LIMITS], w->title,
                    engine->names, count, limit);
        if (engine->ident != w->ident || limit == 0 || count <= limit)
            continue;
        if (is_requested[i / NUM_LIMITS])
            return FAIL(MD5_ERROR_RANGE, "%s", text);
        convert_note(w->job, "%s", text);
    }
    return true;
}

// Writes a text in `size` bytes.
static void put_name(quake_writer *w, const char *name, size_t size)
{
    char bytes[QUAKE_PATH] = "";
    COMMON_TEXT(bytes, "%s", name);
    if (strlen(name) >= size)
        w->is_done = FAIL(MD5_ERROR_RANGE, "name %.200s is too long: %zu bytes; limit of %s: %zu",
                          name, strlen(name), w->title, size - 1);
    convert_append(&w->out, bytes, size);
}

static void put_u16(quake_writer *w, uint32_t number)
{
    convert_append_uint(&w->out, number, 2);
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Returns the different keys in ascending order. ids[] are the indices of all keys in the result.
static uint64_t *number_keys(const uint64_t *keys, size_t count, uint32_t *ids, uint32_t *num_ids)
{
    uint64_t *const all = memcpy(common_alloc(count, sizeof *all), keys, count * sizeof *all);
    qsort(all, count, sizeof *all, compare_keys);
    *num_ids = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || all[i] != all[*num_ids - 1])
            all[(*num_ids)++] = all[i];
    for (size_t i = 0; i < count; i++) {
        const uint64_t *const found = bsearch(&keys[i], all, *num_ids, sizeof *all, compare_keys);
        ids[i] = (uint32_t)(found - all);
    }
    return all;
}

// Adds the squared error of a position.
static void add_error(quake_writer *w, double square)
{
    w->sum_error += sqrt(square);
    w->max_error = fmax(w->max_error, sqrt(square));
    w->num_errors++;
}

// -- Frames ---------------------------------------------------------------------------------------

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const quake_sample *)a)->name, ((const quake_sample *)b)->name);
}

// Adds the frames of a clip and reports their names. The last frame of a closed loop is skipped,
// because it equals the first.
static bool plan_clip(quake_writer *w, const convert_clip *clip)
{
    const uint32_t first = w->num_frames;
    const double rate = w->job->rate > 0 ? w->job->rate : (double)QUAKE_RATE;
    const double steps = (clip->anim->num_frames - 1.0) / clip->anim->frame_rate * rate;
    const bool is_loop =
        steps > 0 && !w->assets.morph && md5_find_loop(clip->anim, 0, 0).end == MD5_LOOP_CLOSED;
    const double count = fmax(floor(steps + (is_loop ? -1e-6 : 1e-6)) + 1, 1.0);
    if ((first + count) * ((double)w->num_points + w->num_tags) > (double)MAX_PLACES)
        return FAIL(MD5_ERROR_RANGE,
                    "animation too large: %.0f frames of %u vertices; limit: %d vertex positions",
                    first + count, w->num_points, MAX_PLACES);
    char *const last = common_format("%.0f", count);
    char *const name =
        convert_sanitize(clip->name, QUAKE_FRAME_NAME - 1 - strlen(last), CONVERT_QUOTE);
    char *text = common_copy("");
    for (uint32_t k = 1; k <= count; k++) {
        quake_sample *const frame = COMMON_ADD_ITEM(w->frames, w->num_frames);
        *frame = (quake_sample){.clip = clip, .time = (k - 1) / rate};
        COMMON_TEXT(frame->name, "%s%u", name, k);
        if (w->ident != QUAKE_MDL)
            continue;
        common_extend(&text, " %s", frame->name);
        if (k % 16 == 0 || k == count) {
            convert_note(w->job, "QuakeC: $frame%s", text);
            *text = '\0';
        }
    }
    convert_note(w->job, "clip %s: frames %u-%u, named %s1 to %s%s%s", clip->name, first + 1,
                 w->num_frames, name, name, last,
                 is_loop ? ", a loop (the last frame, equal to the first, was removed)" : "");
    if (w->ident == QUAKE_MD3)
        convert_note(w->job, "animation.cfg: %u %s %s %g // %s", first, last, is_loop ? last : "0",
                     rate, clip->name);
    free(text);
    free(name);
    free(last);
    return true;
}

static bool plan_frames(quake_writer *w)
{
    uint32_t *const count = &w->num_frames;
    for (size_t i = 0; i < w->assets.num_clips; i++)
        if (!plan_clip(w, &w->assets.clips[i]))
            return false;
    if (*count == 0) {
        w->frames = common_alloc(1, sizeof *w->frames);
        *count = 1;
        COMMON_TEXT(w->frames->name, "frame1");
    }
    const char *duplicate = NULL;
    quake_sample *const sorted = common_alloc(*count, sizeof *sorted);
    memcpy(sorted, w->frames, *count * sizeof *sorted);
    qsort(sorted, *count, sizeof *sorted, compare_names);
    for (uint32_t i = 1; i < *count && !duplicate; i++)
        if (compare_names(&sorted[i - 1], &sorted[i]) == 0)
            duplicate = sorted[i].name;
    const bool is_unique = !duplicate;
    if (duplicate)
        FAIL(MD5_ERROR_MISMATCH,
             "duplicate frame name %s after shortening to %d bytes; rename a clip", duplicate,
             QUAKE_FRAME_NAME - 1);
    free(sorted);
    return is_unique;
}

// Sets the weights of the morph targets that a clip drives.
static void sample_weights(const quake_writer *w, const convert_clip *clip, md5_sample_position at,
                           float *weights)
{
    for (size_t k = 0; k < w->scene->num_weights; k++) {
        const convert_weights *const keys = &w->scene->weights[k];
        const uint32_t target = md5_find_morph_target(w->assets.morph, keys->target);
        if (strcmp(keys->clip, clip->name) != 0 || target == MD5_NONE)
            continue;
        if (at.frame0 < keys->num_keys && at.frame1 < keys->num_keys)
            weights[target] =
                keys->keys[at.frame0] * (1 - at.fraction) + keys->keys[at.frame1] * at.fraction;
    }
}

// Computes the positions of all points and the tags in all frames.
static void sample_frames(quake_writer *w)
{
    const md5_model *const model = w->model;
    const md5_morph *const morph = w->assets.morph;
    const size_t num_joints = model->skeleton.num_joints;
    const size_t num_targets = morph ? morph->num_targets : 0;
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const joints = common_alloc(num_joints, 2 * sizeof *joints);
    md5_mat34 *tag = w->matrices;
    float *const weights = common_alloc(num_targets, sizeof *weights);
    quake_place *to = w->places;
    for (uint32_t j = 0; j < w->num_frames; j++) {
        quake_sample *const frame = &w->frames[j];
        const convert_clip *const clip = frame->clip;
        memset(weights, 0, num_targets * sizeof *weights);
        if (clip) {
            const md5_sample_position at =
                md5_sample_position_at(clip->anim, frame->time, MD5_WRAP_CLAMP);
            md5_pose_palette(clip->binding, at, MD5_ROOT_FILE, pose, joints, joints + num_joints);
            if (morph)
                sample_weights(w, clip, at, weights);
        } else {
            md5_local_to_palette(model, model->bind_local, joints, joints + num_joints);
        }
        for (uint32_t i = 0; i < model->num_meshes; i++) {
            const md5_mesh *const mesh = &model->meshes[i];
            const uint32_t count = mesh->num_file_vertices;
            const md5_skin_job skin = {.mesh = mesh,
                                       .palette = joints + num_joints,
                                       .morph = morph,
                                       .morph_weights = weights,
                                       .count = count,
                                       .positions = to->at,
                                       .position_stride = sizeof *to};
            md5_skin_one(&skin);
            to += count;
        }
        for (size_t k = 0; k < w->tags.count; k++)
            *tag++ = joints[w->tag_joints[k]];
    }
    free(weights);
    free(joints);
    free(pose);
}

// -- Normals --------------------------------------------------------------------------------------

static convert_vec vector_between(const quake_place *a, const quake_place *b)
{
    return (convert_vec){(double)b->at[0] - a->at[0], (double)b->at[1] - a->at[1],
                         (double)b->at[2] - a->at[2]};
}

// Sums the normals of triangles at the leaders, weighted by area. Returns the total area.
static double sum_normals(const quake_writer *w, const quake_place *frame, convert_vec *sums)
{
    double length = 0;
    memset(sums, 0, w->num_points * sizeof *sums);
    for (uint32_t i = 0; i < w->num_corners; i++) {
        const uint32_t *const corners = w->corners + i / 3 * 3;
        const quake_place *const a = &frame[corners[0]];
        const convert_vec n = convert_cross(vector_between(a, &frame[corners[2]]),
                                            vector_between(a, &frame[corners[1]]));
        convert_vec *const sum = &sums[w->points[w->corners[i]].leader];
        *sum = convert_add(*sum, n);
        length += sqrt(convert_dot(n, n));
    }
    return length / 6.0;
}

// Finds the leaders by hashes of shader and positions. Points with opposite normals, as in cloth
// that is drawn from both sides, are separate leaders.
static void find_leaders(quake_writer *w, convert_vec *normals)
{
    const uint64_t prime = UINT64_C(1099511628211);
    uint64_t *const keys = common_alloc(w->num_points, sizeof *keys);
    uint64_t *key = keys;
    uint32_t *const first = common_alloc(w->num_points, sizeof *first);
    for (uint32_t i = 0; i < w->model->num_meshes; i++) {
        const md5_mesh *const mesh = &w->model->meshes[i];
        for (uint32_t k = 0; k < mesh->num_file_vertices; k++, key++)
            for (const char *c = mesh->shader; *c != '\0'; c++)
                *key = (*key ^ (uint8_t)*c) * prime;
    }
    for (size_t i = 0; i < (size_t)w->num_frames * w->num_points; i++)
        for (int k = 0; k < 3; k++) {
            const float number = w->places[i].at[k] + 0; // no -0
            uint32_t word;
            memcpy(&word, &number, sizeof word);
            keys[i % w->num_points] = (keys[i % w->num_points] ^ word) * prime;
        }
    for (uint32_t i = 0; i < w->num_points; i++)
        w->points[i].leader = i;
    w->area = sum_normals(w, w->places, normals);
    common_find_equal(keys, w->num_points, sizeof *keys, first);
    for (uint32_t i = 0; i < w->num_points; i++) {
        const convert_vec a = normals[first[i]];
        const convert_vec b = normals[i];
        if (convert_dot(a, b) >= -0.999 * sqrt(convert_dot(a, a) * convert_dot(b, b)))
            w->points[i].leader = first[i];
    }
    free(first);
    free(keys);
}

// Returns the index of the direction that is nearest to a normal.
static uint16_t nearest_direction(const convert_vec *directions, convert_vec n)
{
    uint16_t best = 0;
    for (int i = 0; i < QUAKE_NUM_NORMALS; i++)
        if (convert_dot(directions[i], n) > convert_dot(directions[best], n))
            best = (uint16_t)i;
    return best;
}

// Encodes a normal for MD3: two angles in 256 steps of a full circle.
static uint16_t encode_angles(convert_vec n)
{
    const double step = 3.14159265358979323846 / 128.0;
    const int latitude = (int)floor(atan2(hypot(n.x, n.y), n.z) / step + 0.5);
    const int longitude = (int)floor(atan2(n.y, n.x) / step + 0.5) & 255;
    return (uint16_t)(latitude | longitude << 8);
}

static void encode_normals(quake_writer *w)
{
    convert_vec directions[QUAKE_NUM_NORMALS];
    convert_vec *const sums = common_alloc(w->num_points, sizeof *sums);
    quake_place *frame = w->places;
    quake_make_normals(directions);
    find_leaders(w, sums);
    for (uint32_t k = 0; k < w->num_frames; k++, frame += w->num_points) {
        sum_normals(w, frame, sums);
        for (uint32_t i = 0; i < w->num_points; i++) {
            const uint32_t leader = w->points[i].leader;
            if (leader != i) // the leader has a lower index
                frame[i].code = frame[leader].code;
            else if (w->ident == QUAKE_MD3)
                frame[i].code = encode_angles(sums[i]);
            else
                frame[i].code = nearest_direction(directions, sums[i]);
        }
    }
    free(sums);
}

// Computes the bounding box of all points in some frames: minimum x y z, then maximum x y z.
static void find_box(const quake_writer *w, size_t first, size_t count, float *box)
{
    for (int k = 0; k < 6; k++)
        box[k] = k < 3 ? HUGE_VALF : -HUGE_VALF;
    for (size_t i = first * w->num_points; i < (first + count) * w->num_points; i++)
        for (int k = 0; k < 3; k++) {
            box[k] = fminf(box[k], w->places[i].at[k]);
            box[3 + k] = fmaxf(box[3 + k], w->places[i].at[k]);
        }
}

// -- Skins ----------------------------------------------------------------------------------------

// Finds the texel of each corner, as s << 16 | t. MD5's images repeat, so that a triangle outside
// of the image is moved into it.
static uint32_t *find_texels(const quake_writer *w, const uint32_t *size)
{
    uint32_t *const texels = common_alloc(w->num_corners, sizeof *texels);
    uint32_t num_outside = 0;
    for (uint32_t i = 0; i < w->num_corners; i++)
        for (int k = 0; k < 2; k++) {
            double sum = 0;
            for (uint32_t c = 0; c < 3u; c++)
                sum += (double)w->points[w->corners[i / 3 * 3 + c]].texcoord[k];
            const double tile = sum == 3 ? 0 : floor(sum / 3.0); // a sum of 3 is at the edge
            const double at = (w->points[w->corners[i]].texcoord[k] - tile) * size[k];
            const double inside = fmin(fmax(floor(at), 0.0), size[k] - 1.0);
            num_outside += fabs(at - inside - 0.5) > 1.5;
            texels[i] = texels[i] << 16 | (uint32_t)inside;
        }
    if (num_outside > 0)
        convert_note(w->job,
                     "clamped %u texture coordinates to the edge of the skin: %s does not support "
                     "repeated textures",
                     num_outside, w->title);
    return texels;
}

// Writes an image in the colors of the palette, without the last 32, which are bright in the dark.
// Without a palette, uses the first 16 colors of Quake, which are greys. The last color is
// transparent.
static void put_skin(quake_writer *w, const view_image *image, const uint32_t *size, bool has_holes)
{
    enum { NUM_COLORS = 224, NUM_GREYS = 16, HOLE = 255 };
    uint8_t palette[QUAKE_PALETTE];
    bool is_found = false;
    w->is_done = quake_find_palette(w->job, w->job->output, palette, &is_found, w->error);
    const char *const missing_image = image->rgba ? "" : "; plain grey: the material has no image";
    const char *const missing_palette =
        is_found ? "" : "; grayscale: gfx/palette.lmp not found, use --palette";
    convert_note(w->job, "skin size: %u x %u texels%s%s", size[0], size[1], missing_image,
                 missing_palette);
    const int num_colors = is_found ? NUM_COLORS : NUM_GREYS;
    for (int i = 0; i < 3 * NUM_GREYS && !is_found; i++)
        palette[i] = (uint8_t)(i / 3 * 17);
    for (size_t i = 0; i < (size_t)size[0] * size[1]; i++) {
        const size_t x = (2 * (i % size[0]) + 1) * image->width / (2 * (size_t)size[0]);
        const size_t y = (2 * (i / size[0]) + 1) * image->height / (2 * (size_t)size[1]);
        const uint8_t grey[] = {128, 128, 128, 255};
        const uint8_t *const rgba = image->rgba ? image->rgba + 4 * (y * image->width + x) : grey;
        uint8_t color = HOLE;
        int min_distance = has_holes && rgba[3] < 128 ? 0 : INT32_MAX;
        for (int k = 0; k < num_colors; k++) {
            int distance = 0;
            for (int c = 0; c < 3; c++)
                distance += (rgba[c] - palette[3 * k + c]) * (rgba[c] - palette[3 * k + c]);
            if (distance < min_distance) {
                min_distance = distance;
                color = (uint8_t)k;
            }
        }
        convert_append(&w->out, &color, 1);
    }
}

// Writes the path of an image relative to the game's folder, and reports it once.
static void put_path(quake_writer *w, const char *shader, const char *extension, bool is_first)
{
    const char *const name = shader[0] != '\0' ? shader : w->scene->name;
    const char *const base = common_base(name);
    char *const path = common_format("%.*s%s", (int)(base - name + (ptrdiff_t)strcspn(base, ".")),
                                     name, extension);
    put_name(w, path, QUAKE_PATH);
    if (is_first)
        convert_note(w->job, "material %s: image path in the file is %s", shader, path);
    free(path);
}

// -- MDL and MD2 ----------------------------------------------------------------------------------

// Returns the step of a byte grid along an axis of a box; 1 if the box is flat.
static float grid_step(const float *box, int axis)
{
    const float step = (float)(((double)box[3 + axis] - box[axis]) / 255.0);
    return step > 0 ? step : 1;
}

// Writes the scale and origin of a grid.
static void put_grid(quake_writer *w, const float *box)
{
    const float words[] = {
        grid_step(box, 0), grid_step(box, 1), grid_step(box, 2), box[0], box[1], box[2]};
    convert_append_words(&w->out, words, COMMON_LENGTH(words));
}

// Writes a frame with vertices on a grid. MDL frames begin with the bounding box in steps.
static void put_frame(quake_writer *w, const uint64_t *vertices, uint32_t frame, const float *box)
{
    uint8_t ends[8] = {255, 255, 255};
    const size_t header = w->out.size + 4;
    if (w->ident == QUAKE_MDL) {
        convert_append_u32(&w->out, 0); // no group
        convert_append(&w->out, ends, sizeof ends);
    } else {
        put_grid(w, box);
    }
    put_name(w, w->frames[frame].name, QUAKE_FRAME_NAME);
    for (uint32_t i = 0; i < w->num_vertices; i++) {
        const quake_place *const place =
            &w->places[(size_t)frame * w->num_points + (vertices[i] >> 32)];
        uint8_t bytes[4] = {0, 0, 0, (uint8_t)place->code};
        double square = 0;
        for (int k = 0; k < 3; k++) {
            const double at = place->at[k];
            const double low = box[k];
            const double step = grid_step(box, k);
            bytes[k] = (uint8_t)fmin(floor((at - low) / step + 0.5), 255.0);
            if (bytes[k] < ends[k])
                ends[k] = bytes[k];
            if (bytes[k] > ends[4 + k])
                ends[4 + k] = bytes[k];
            square += pow(low + step * bytes[k] - at, 2.0);
        }
        convert_append(&w->out, bytes, sizeof bytes);
        add_error(w, square);
    }
    if (w->ident == QUAKE_MDL)
        memcpy(w->out.bytes + header, ends, sizeof ends);
}

// The only surface of an MDL or MD2 file.
typedef struct quake_whole {
    view_image image; // `rgba` is NULL if the material has no image
    bool has_holes;
    uint32_t size[2];   // of the skin
    uint64_t *vertices; // [num_vertices] leader << 32, and for MDL the texel
    uint32_t *ids;      // [num_corners] vertices
    uint32_t *texels;   // [num_corners] s << 16 | t
    float box[6];       // of all frames
} quake_whole;

static void write_mdl(quake_writer *w, const quake_whole *surface)
{
    const uint32_t head[] = {QUAKE_MDL, QUAKE_MDL_VERSION};
    const uint32_t counts[] = {1,
                               surface->size[0],
                               surface->size[1],
                               w->num_vertices,
                               w->num_triangles,
                               w->num_frames,
                               0,
                               surface->has_holes ? 0x4000 : 0};
    const float area = (float)(w->area / w->num_triangles);
    const float *const box = surface->box;
    float radius[4] = {0}; // and the eye position
    for (int k = 0; k < 3; k++)
        radius[0] = hypotf(radius[0], fmaxf(fabsf(box[k]), fabsf(box[3 + k])));
    convert_append_words(&w->out, head, COMMON_LENGTH(head));
    put_grid(w, box);
    convert_append_words(&w->out, radius, COMMON_LENGTH(radius));
    convert_append_words(&w->out, counts, COMMON_LENGTH(counts));
    convert_append_words(&w->out, &area, 1);
    convert_append_u32(&w->out, 0); // no group
    put_skin(w, &surface->image, surface->size, surface->has_holes);
    for (uint32_t i = 0; i < w->num_vertices; i++) {
        const uint32_t texel = (uint32_t)surface->vertices[i];
        const uint32_t words[] = {0, texel >> 16, texel & 0xFFFF}; // 0: not on a seam
        convert_append_words(&w->out, words, COMMON_LENGTH(words));
    }
    for (uint32_t i = 0; i < w->num_corners; i++) {
        if (i % 3 == 0)
            convert_append_u32(&w->out, 1); // the triangle is on the front side
        convert_append_u32(&w->out, surface->ids[i]);
    }
    for (uint32_t i = 0; i < w->num_frames; i++)
        put_frame(w, surface->vertices, i, box);
}

static void write_md2(quake_writer *w, const quake_whole *surface)
{
    uint32_t *const ids = common_alloc(w->num_corners, sizeof *ids);
    uint32_t num_st;
    uint64_t *const keys = common_alloc(w->num_corners, sizeof *keys);
    for (uint32_t i = 0; i < w->num_corners; i++)
        keys[i] = surface->texels[i];
    uint64_t *const st = number_keys(keys, w->num_corners, ids, &num_st);
    float frame_box[6];
    // With one grid for all frames, vertices that do not move are stable.
    bool is_shared = true;
    for (uint32_t i = 0; i < w->num_frames; i++) {
        find_box(w, i, 1, frame_box);
        for (int k = 0; k < 3; k++)
            is_shared &= grid_step(surface->box, k) <= 1.2f * grid_step(frame_box, k);
    }
    convert_note(
        w->job,
        is_shared ? "all frames share one quantization grid: their sizes differ by less than 20 %%"
                  : "each frame has a separate quantization grid");
    const uint32_t num_words = 10 * w->num_triangles + 1;
    const uint32_t frame_size = 40 + 4 * w->num_vertices;
    const uint32_t sizes[] = {QUAKE_PATH, 4 * num_st, 12 * w->num_triangles,
                              frame_size * w->num_frames, 4 * num_words};
    uint32_t head[QUAKE_MD2_HEADER / 4] = {QUAKE_MD2,        QUAKE_MD2_VERSION,
                                           surface->size[0], surface->size[1],
                                           frame_size,       1,
                                           w->num_vertices,  num_st,
                                           w->num_triangles, num_words,
                                           w->num_frames,    QUAKE_MD2_HEADER};
    for (size_t i = 0; i < COMMON_LENGTH(sizes); i++)
        head[12 + i] = head[11 + i] + sizes[i];
    convert_append_words(&w->out, head, COMMON_LENGTH(head));
    put_path(w, w->model->meshes[0].shader, ".pcx", true);
    for (uint32_t i = 0; i < 2 * num_st; i++)
        put_u16(w, (uint32_t)st[i / 2] >> (i % 2 == 0 ? 16 : 0));
    for (uint32_t i = 0; i < 2 * w->num_corners; i++)
        put_u16(w, (i % 6 < 3 ? surface->ids : ids)[i / 6 * 3 + i % 3]);
    for (uint32_t i = 0; i < w->num_frames; i++) {
        find_box(w, i, 1, frame_box);
        put_frame(w, surface->vertices, i, is_shared ? surface->box : frame_box);
    }
    for (uint32_t i = 0; i < w->num_corners; i++) {
        const uint32_t texel = surface->texels[i];
        const float at[] = {((float)(texel >> 16) + 0.5f) / (float)surface->size[0],
                            ((float)(texel & 0xFFFF) + 0.5f) / (float)surface->size[1]};
        if (i % 3 == 0)
            convert_append_u32(&w->out, 3); // a strip of one triangle
        convert_append_words(&w->out, at, COMMON_LENGTH(at));
        convert_append_u32(&w->out, surface->ids[i]);
    }
    convert_append_u32(&w->out, 0);
    free(st);
    free(keys);
    free(ids);
}

static void write_surface(quake_writer *w)
{
    enum { MAX_WIDTH = 2048, MAX_HEIGHT = 480, NO_PICTURE = 256 };
    const md5_mesh *const mesh = w->model->meshes;
    if (w->model->num_meshes > 1) {
        w->is_done = FAIL(MD5_ERROR_MISMATCH,
                          "meshes have different materials (mesh 1 %.100s, mesh 0 %.100s), but %s "
                          "supports one skin; merge the materials or write .md3",
                          mesh[1].shader, mesh[0].shader, w->title);
        return;
    }
    quake_whole surface = {.image = {NULL, NO_PICTURE, NO_PICTURE}};
    for (size_t i = 0; i < w->scene->num_materials; i++) {
        convert_material *const material = &w->scene->materials[i];
        const convert_image *const picture = &material->maps[CONVERT_MAP_COLOR];
        md5_error unused;
        if (strcmp(material->shader, mesh->shader) != 0 || !picture->bytes || surface.image.rgba)
            continue;
        surface.has_holes = material->alpha == CONVERT_MASK;
        if (!view_decode_image(picture->bytes, picture->size, MD5_MAX_IMAGE_PIXELS, &surface.image,
                               &unused))
            surface.image = (view_image){NULL, NO_PICTURE, NO_PICTURE};
    }
    const uint32_t width = surface.image.width;
    const uint32_t height = surface.image.height;
    surface.size[0] = width < MAX_WIDTH ? (width + 3) / 4 * 4 : MAX_WIDTH;
    surface.size[1] = height < MAX_HEIGHT ? height : MAX_HEIGHT;
    surface.texels = find_texels(w, surface.size);
    surface.ids = common_alloc(w->num_corners, sizeof *surface.ids);
    uint64_t *const keys = common_alloc(w->num_corners, sizeof *keys);
    for (uint32_t i = 0; i < w->num_corners; i++)
        keys[i] = (uint64_t)w->points[w->corners[i]].leader << 32
                  | (w->ident == QUAKE_MDL ? surface.texels[i] : 0);
    surface.vertices = number_keys(keys, w->num_corners, surface.ids, &w->num_vertices);
    find_box(w, 0, w->num_frames, surface.box);
    w->is_done = check_limits(w);
    if (w->is_done && w->ident == QUAKE_MDL)
        write_mdl(w, &surface);
    else if (w->is_done)
        write_md2(w, &surface);
    free(surface.vertices);
    free(keys);
    free(surface.ids);
    free(surface.texels);
    free(surface.image.rgba);
}

// -- MD3 ------------------------------------------------------------------------------------------

// Writes the name of a surface. Parts of a split mesh have equal names, to which a number is
// appended. Engines remove a suffix _x, so that _ is replaced.
static void put_surface_name(quake_writer *w, const md5_mesh *mesh, uint32_t part)
{
    char *const stem = common_stem(mesh->name[0] != '\0' ? mesh->name : mesh->shader);
    const size_t length = strlen(stem);
    if (length > 2 && stem[length - 2] == '_') {
        convert_note(
            w->job, "surface %s: replaced _ with -, because engines remove a suffix after _", stem);
        stem[length - 2] = '-';
    }
    char *const name = part > 1 ? common_format("%s_part%u", stem, part) : common_copy(stem);
    put_name(w, name, QUAKE_PATH);
    free(name);
    free(stem);
}

// Writes the positions and normals of a mesh in all frames.
static void put_mesh_frames(quake_writer *w, uint32_t first, uint32_t count)
{
    for (uint32_t k = 0; k < w->num_frames * count; k++) {
        const quake_sample *const frame = &w->frames[k / count];
        const quake_place *const place =
            &w->places[(size_t)(k / count) * w->num_points + first + k % count];
        double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            const double at = floor(place->at[axis] * 64.0 + 0.5);
            if (!(fabs(at) <= INT16_MAX) && w->is_done)
                w->is_done = FAIL(MD5_ERROR_RANGE,
                                  "frame %s: vertex is too far from the origin (%g units; "
                                  "limit of MD3: 511.98); use --scale to reduce the model",
                                  frame->name, place->at[axis]);
            put_u16(w, w->is_done ? (uint32_t)(int)at : 0);
            square += pow(at / 64.0 - place->at[axis], 2.0);
        }
        put_u16(w, place->code);
        add_error(w, square);
    }
}

static void write_md3(quake_writer *w)
{
    w->is_done = check_limits(w);
    const uint32_t num_frames = w->num_frames;
    const uint32_t num_meshes = w->is_done ? w->model->num_meshes : 0;
    const uint32_t num_tags = w->num_tags;
    const uint32_t triangles_at = QUAKE_MD3_SURFACE + QUAKE_MD3_SHADER;
    const uint32_t tags_at = QUAKE_MD3_HEADER + QUAKE_MD3_FRAME * num_frames;
    const uint32_t surfaces_at = tags_at + QUAKE_MD3_TAG * num_frames * num_tags;
    const uint32_t end = surfaces_at + triangles_at * num_meshes + 4 * w->num_corners
                         + 8 * w->num_points * (num_frames + 1);
    const uint32_t head[] = {0,       num_frames,  num_tags, num_meshes, 0, QUAKE_MD3_HEADER,
                             tags_at, surfaces_at, end};
    char *const name = convert_sanitize(common_base(w->job->output), QUAKE_PATH - 1, "");
    convert_append_u32(&w->out, QUAKE_MD3);
    convert_append_u32(&w->out, QUAKE_MD3_VERSION);
    put_name(w, name, QUAKE_PATH);
    convert_append_words(&w->out, head, COMMON_LENGTH(head));
    free(name);
    for (uint32_t i = 0; i < num_frames; i++) {
        float box[10] = {0}; // box, local origin (0), radius
        find_box(w, i, 1, box);
        for (uint32_t k = 0; k < w->num_points; k++) {
            const float *const p = w->places[(size_t)i * w->num_points + k].at;
            box[9] = fmaxf(box[9], hypotf(hypotf(p[0], p[1]), p[2]));
        }
        convert_append_words(&w->out, box, COMMON_LENGTH(box));
        put_name(w, w->frames[i].name, QUAKE_FRAME_NAME);
    }
    for (uint32_t i = 0; i < num_frames * num_tags; i++) {
        put_name(w, w->tags.names[i % num_tags], QUAKE_PATH);
        for (int k = 0; k < 12; k++) // the origin, then the axes: columns of the matrix
            convert_append_words(&w->out, &w->matrices[i].m[k % 3 * 4 + (k / 3 + 3) % 4], 1);
    }
    uint32_t first = 0;
    uint32_t part = 0;
    for (uint32_t i = 0; i < num_meshes; i++) {
        const md5_mesh *const mesh = &w->model->meshes[i];
        const uint32_t count = mesh->num_file_vertices;
        const uint32_t num_triangles = mesh->num_triangles;
        const uint32_t st = triangles_at + 12 * num_triangles;
        const uint32_t places = st + 8 * count;
        const uint32_t words[] = {0,
                                  num_frames,
                                  1,
                                  count,
                                  num_triangles,
                                  triangles_at,
                                  QUAKE_MD3_SURFACE,
                                  st,
                                  places,
                                  places + 8 * count * num_frames};
        const bool is_part = i > 0 && strcmp(mesh->shader, mesh[-1].shader) == 0
                             && strcmp(mesh->name, mesh[-1].name) == 0;
        part = is_part ? part + 1 : 1;
        convert_append_u32(&w->out, QUAKE_MD3);
        put_surface_name(w, mesh, part);
        convert_append_words(&w->out, words, COMMON_LENGTH(words));
        put_path(w, mesh->shader, ".tga", part == 1);
        convert_append_u32(&w->out, 0);
        for (uint32_t k = 0; k < 3 * num_triangles; k++)
            convert_append_u32(&w->out, mesh->sources[mesh->indices[k]]);
        for (uint32_t k = 0; k < count; k++)
            convert_append_words(&w->out, w->points[first + k].texcoord, 2);
        put_mesh_frames(w, first, count);
        first += count;
    }
}

// -- All formats ----------------------------------------------------------------------------------

// Finds the joints of the options "JOINT" and "JOINT=TAG".
static bool find_tags(quake_writer *w)
{
    w->tag_joints = common_alloc(w->job->num_tags, sizeof *w->tag_joints);
    for (; w->num_tags < w->job->num_tags; w->num_tags++) {
        const char *const text = w->job->tags[w->num_tags];
        const char *const equals = strrchr(text, '=');
        char *const joint = common_copy(text);
        if (equals)
            joint[equals - text] = '\0';
        const bool is_tag = strncmp(joint, "tag_", 4) == 0;
        if (equals)
            common_add(&w->tags, common_copy(equals + 1));
        else
            common_add(&w->tags, common_format("%s%s", is_tag ? "" : "tag_", joint));
        const uint32_t found = md5_find_joint(&w->model->skeleton, joint);
        w->tag_joints[w->num_tags] = found;
        free(joint);
        if (found == MD5_NONE)
            return FAIL(MD5_ERROR_MISSING, "--tag %.200s: the model has no joint of this name",
                        text);
        const char *const name = w->tags.names[w->num_tags];
        for (uint32_t i = 0; i < w->num_tags + (*name == '\0'); i++)
            if (strcmp(w->tags.names[i], name) == 0)
                return FAIL(MD5_ERROR_MISMATCH, "--tag %.200s: duplicate tag name", text);
    }
    return true;
}

static bool load(quake_writer *w)
{
    if (!convert_find_model(w->scene))
        return FAIL(MD5_ERROR_MISSING, "the inputs contain no model: %s requires one", w->title);
    if (!convert_load_assets(w->job, w->scene, &w->assets, w->error))
        return false;
    w->model = w->assets.model;
    const md5_model *const model = w->model;
    size_t num_points = 0;
    size_t num_triangles = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        num_points += mesh->num_file_vertices;
        num_triangles += mesh->num_triangles;
        if (mesh->num_file_vertices > w->num_vertices)
            w->num_vertices = mesh->num_file_vertices;
        if (mesh->num_triangles > w->num_triangles)
            w->num_triangles = mesh->num_triangles;
    }
    w->num_points = (uint32_t)num_points;
    w->num_corners = 3 * (uint32_t)num_triangles;
    if (num_triangles == 0 || num_points > MAX_PLACES || num_triangles > MAX_PLACES)
        return FAIL(MD5_ERROR_RANGE, "invalid number of triangles: expected 1 to %d, found %zu",
                    MAX_PLACES, num_triangles);
    if (!find_tags(w) || !plan_frames(w))
        return false;
    const size_t num_frames = w->num_frames;
    w->corners = common_alloc(w->num_corners, sizeof *w->corners);
    w->points = common_alloc(num_points, sizeof *w->points);
    w->places = common_alloc(num_frames * num_points, sizeof *w->places);
    w->matrices = common_alloc(num_frames, w->tags.count * sizeof *w->matrices);
    uint32_t *corner = w->corners;
    uint32_t first = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        for (size_t k = 0; k < 3 * (size_t)mesh->num_triangles; k++)
            *corner++ = first + mesh->sources[mesh->indices[k]];
        for (uint32_t k = 0; k < mesh->num_file_vertices; k++)
            memcpy(w->points[first++].texcoord, &mesh->texcoords[k], sizeof *mesh->texcoords);
    }
    sample_frames(w);
    encode_normals(w);
    return true;
}

bool convert_write_quake(const convert_job *job, const convert_scene *scene, md5_error *error)
{
    quake_writer writer = {
        .job = job, .scene = scene, .error = error, .title = "MD3", .ident = QUAKE_MD3};
    if (common_has_suffix(job->output, ".mdl")) {
        writer.title = "MDL";
        writer.ident = QUAKE_MDL;
    } else if (common_has_suffix(job->output, ".md2")) {
        writer.title = "MD2";
        writer.ident = QUAKE_MD2;
    }
    quake_writer *const w = &writer;
    w->is_done = load(w);
    if (w->is_done && w->model && w->ident != QUAKE_MD3)
        write_surface(w);
    else if (w->is_done && w->model)
        write_md3(w);
    w->is_done =
        w->is_done && convert_write_file(job, job->output, w->out.bytes, w->out.size, error);
    convert_note_unsupported_parts(job, scene, w->title, scene->num_weights == 0);
    if (w->is_done)
        convert_note(job,
                     "wrote %u frames of %u triangles; rounding moves vertices by %.3g units on "
                     "average, at most %.3g%s",
                     w->num_frames, w->num_corners / 3, w->sum_error / w->num_errors, w->max_error,
                     w->ident == QUAKE_MD3 ? "" : " (in .md3: at most 0.014)");
    common_free_list(&w->tags);
    free(w->tag_joints);
    free(w->matrices);
    free(w->frames);
    free(w->corners);
    free(w->points);
    free(w->places);
    free(w->out.bytes);
    convert_free_assets(&w->assets);
    return w->is_done;
}

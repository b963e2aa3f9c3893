// Writes MDL, MD2 and MD3: a model and its clips as frames. Each frame contains the position of
// every vertex.
//
// A point is a vertex of the MD5 file. Points of one material with equal positions in all frames
// occur at seams. They share one normal, and the first of them is their leader. Corners of
// triangles refer to points. A vertex of the file is a leader in MD2, a leader with a texel in MDL,
// and a point in MD3.
//
// convert.c merges or splits the meshes before, as the format requires. The main structure is
// quake_writer.
#include "demo/convert/assets.h"
#include "demo/convert/quake.h"
#include "demo/looks/image.h"

// -- Limits ---------------------------------------------------------------------------------------

enum { NUM_LIMITS = 5 };
enum { MAX_POSITIONS = 1 << 24 };

// Limits of engines; 0 means no limit. If no engine is requested, the first entry for the format
// applies.
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

// Returns the entry of an engine for a format, or NULL. If `name` is NULL, returns the first entry
// for the format. If `ident` is 0, the format does not matter.
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

// Returns true if frame formats have limits for an engine.
bool convert_has_frames(const char *engine)
{
    return find_engine(0, engine);
}

// -- The writer -----------------------------------------------------------------------------------

// A frame of the output: a clip and the time in it at which the model is posed.
typedef struct quake_sample {
    char name[QUAKE_FRAME_NAME];
    const convert_clip *clip; // NULL: the bind pose
    double time;
} quake_sample;

// A vertex of the MD5 file. Its leader is the first point with the same position in all frames.
typedef struct quake_point {
    float texcoord[2];
    uint32_t leader;
} quake_point;

// The position and the normal of a point in a frame.
typedef struct quake_position {
    float at[3];
    uint16_t code; // normal in the encoding of the format
} quake_position;

// State of writing a model as frames.
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
    uint32_t num_vertices;  // vertices of the only or the largest surface
    uint32_t num_triangles; // triangles of the only or the largest surface
    convert_assets assets;
    const md5_model *model;
    quake_sample *frames;      // [num_frames]
    uint32_t *corners;         // [num_corners] points
    quake_point *points;       // [num_points]
    quake_position *positions; // [frames][num_points]
    uint32_t *tag_joints;      // [tags.count]
    common_list tags;          // names
    md5_mat34 *matrices;       // [frames][tags.count]
    double area;               // area of all triangles in frame 0
    double sum_error;
    double max_error;
    double num_errors;
    convert_bytes out;
} quake_writer;

#define FAIL(status, ...) convert_fail(writer->error, status, writer->job->output, __VA_ARGS__)

// Sets is_requested[] of the engines that the job requests. If the job requests none, sets it of
// the first engine of the format. Fails if an engine does not support the format.
static bool find_requested_engines(const quake_writer *writer, bool *is_requested)
{
    const size_t num_names = writer->job->num_engines > 0 ? writer->job->num_engines : 1;
    for (size_t i = 0; i < num_names; i++) {
        const char *const name = writer->job->num_engines > 0 ? writer->job->engines[i] : NULL;
        const struct engine *const engine = find_engine(writer->ident, name);
        if (!engine)
            return FAIL(
                MD5_ERROR_MISSING,
                "output format %s is not supported by engine %s; name another engine with --for",
                writer->title, name);
        is_requested[engine - engines] = true;
    }
    return true;
}

// Compares the numbers of vertices, triangles and so on with the limits of an engine. An
// exceeded limit is an error if the user requested this engine (`is_requested`), and otherwise
// only a note. Returns false after an error.
static bool check_engine_limits(const quake_writer *writer, const struct engine *engine,
                                bool is_requested)
{
    static const char *const titles[NUM_LIMITS] = {"vertices", "triangles", "frames", "surfaces",
                                                   "tags"};
    static const char *const remedies[NUM_LIMITS] = {
        "simplify the meshes", "simplify the meshes", "use a lower --rate or fewer clips",
        "merge meshes or use --hide", "use fewer options --tag"};
    const uint32_t counts[NUM_LIMITS] = {writer->num_vertices, writer->num_triangles,
                                         writer->num_frames, writer->model->num_meshes,
                                         writer->num_tags};
    for (size_t k = 0; k < NUM_LIMITS; k++) {
        const uint32_t limit = engine->limits[k];
        if (limit == 0 || counts[k] <= limit)
            continue;
        char text[200];
        COMMON_TEXT(text, "too many %s for %s in%s(%u; limit %u); %s", titles[k], writer->title,
                    engine->names, counts[k], limit, remedies[k]);
        if (is_requested)
            return FAIL(MD5_ERROR_RANGE, "%s", text);
        convert_note(writer->job, "%s", text);
    }
    return true;
}

// Checks the limits of the requested engines. Limits of other engines are reported as notes.
static bool check_limits(const quake_writer *writer)
{
    bool is_requested[COMMON_LENGTH(engines)] = {false};
    if (!find_requested_engines(writer, is_requested))
        return false;
    for (size_t i = 0; i < COMMON_LENGTH(engines); i++) {
        const bool is_for_format = engines[i].ident == writer->ident;
        if (is_for_format && !check_engine_limits(writer, &engines[i], is_requested[i]))
            return false;
    }
    return true;
}

// Appends a text in a field of `size` bytes, whose unused bytes are 0. Fails if the text and its
// terminating 0 do not fit.
static bool put_name(quake_writer *writer, const char *name, size_t size)
{
    char bytes[QUAKE_PATH] = "";
    if (strlen(name) >= size)
        return FAIL(
            MD5_ERROR_RANGE,
            "name %.200s is too long: found %zu bytes, but %s supports %zu; shorten the name", name,
            strlen(name), writer->title, size - 1);
    COMMON_TEXT(bytes, "%s", name);
    convert_append(&writer->out, bytes, size);
    return true;
}

static void put_u16(quake_writer *writer, uint32_t number)
{
    convert_append_uint(&writer->out, number, 2);
}

// For qsort and bsearch: orders keys by their values.
static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Assigns an id to each different key. Returns the different keys in ascending order, and stores
// their number in *num_ids. ids[i] receives the index of keys[i] in this array. The caller frees
// it.
static uint64_t *number_keys(const uint64_t *keys, size_t count, uint32_t *ids, uint32_t *num_ids)
{
    uint64_t *const unique = common_alloc(count, sizeof *unique);
    memcpy(unique, keys, count * sizeof *keys);
    qsort(unique, count, sizeof *unique, compare_keys);
    uint32_t num_unique = 0;
    for (size_t i = 0; i < count; i++) {
        const bool is_new = i == 0 || unique[i] != unique[num_unique - 1];
        if (is_new)
            unique[num_unique++] = unique[i];
    }

    for (size_t i = 0; i < count; i++) {
        const uint64_t *const found =
            bsearch(&keys[i], unique, num_unique, sizeof *unique, compare_keys);
        ids[i] = (uint32_t)(found - unique);
    }
    *num_ids = num_unique;
    return unique;
}

// Adds the error of a rounded position to the statistics. `square` is the squared distance.
static void add_error(quake_writer *writer, double square)
{
    writer->sum_error += sqrt(square);
    writer->max_error = fmax(writer->max_error, sqrt(square));
    writer->num_errors++;
}

// -- Frames ---------------------------------------------------------------------------------------

// For qsort: orders frames by their names.
static int compare_names(const void *a, const void *b)
{
    return strcmp(((const quake_sample *)a)->name, ((const quake_sample *)b)->name);
}

// Returns the rate at which clips are sampled, in Hz.
static double frame_rate(const convert_job *job)
{
    return job->rate > 0 ? job->rate : (double)QUAKE_RATE;
}

// Returns the number of frames of a clip at a rate in Hz. In a closed loop, the pose at the end of
// the clip equals the first pose. A frame at this time is omitted.
static double count_frames(const convert_clip *clip, double rate, bool is_loop)
{
    const double margin = 1e-6; // for rounding errors, in frames
    const double last = (clip->anim->num_frames - 1.0) / clip->anim->frame_rate * rate;
    return fmax(floor(is_loop ? last - margin : last + margin) + 1, 1.0);
}

// Returns true if the last frame of a clip equals the first. A clip with morph targets never counts
// as a loop, because their weights may differ.
static bool is_closed_loop(const quake_writer *writer, const convert_clip *clip)
{
    const bool has_morph = writer->assets.morph; // the weights may differ at the ends of the loop
    return clip->anim->num_frames > 1 && !has_morph
           && md5_find_loop(clip->anim, 0, 0).end == MD5_LOOP_CLOSED;
}

// Prints the names of the frames from `first` on, as $frame lines of QuakeC.
static void note_frame_macros(const quake_writer *writer, uint32_t first)
{
    enum { NAMES_PER_LINE = 16 };
    for (uint32_t line = first; line < writer->num_frames; line += NAMES_PER_LINE) {
        char *text = common_copy("");
        for (uint32_t i = line; i < writer->num_frames && i < line + NAMES_PER_LINE; i++)
            common_extend(&text, " %s", writer->frames[i].name);
        convert_note(writer->job, "QuakeC: $frame%s", text);
        free(text);
    }
}

// Reports the frames of a clip: as QuakeC for MDL, and for MD3 as a line of animation.cfg.
static void note_frames(const quake_writer *writer, const convert_clip *clip, uint32_t first,
                        const char *stem, bool is_loop)
{
    const uint32_t count = writer->num_frames - first;
    if (writer->ident == QUAKE_MDL)
        note_frame_macros(writer, first);
    convert_note(writer->job, "clip %s: frames %u-%u, named %s1 to %s%u%s", clip->name, first + 1,
                 writer->num_frames, stem, stem, count,
                 is_loop ? ", a loop (the last frame, equal to the first, was removed)" : "");
    if (writer->ident == QUAKE_MD3)
        convert_note(writer->job, "animation.cfg: %u %u %u %g // %s", first, count,
                     is_loop ? count : 0, frame_rate(writer->job), clip->name);
}

// Adds the frames of a clip and reports their names. The name of a frame is the name of the clip
// and a number from 1.
static bool plan_clip(quake_writer *writer, const convert_clip *clip)
{
    const uint32_t first = writer->num_frames;
    const double rate = frame_rate(writer->job);
    const bool is_loop = is_closed_loop(writer, clip);
    const double count = count_frames(clip, rate, is_loop);
    if ((first + count) * ((double)writer->num_points + writer->num_tags) > (double)MAX_POSITIONS)
        return FAIL(MD5_ERROR_RANGE,
                    "animation is too large: %.0f frames of %u vertices exceed %d vertex "
                    "positions; use a smaller --rate",
                    first + count, writer->num_points, MAX_POSITIONS);

    // Shorten the name of the clip so that it has space for the largest number.
    char *const last_number = common_format("%.0f", count);
    const size_t max_stem = QUAKE_FRAME_NAME - 1 - strlen(last_number);
    char *const stem = convert_sanitize(clip->name, max_stem, CONVERT_QUOTE);
    free(last_number);
    for (uint32_t k = 0; k < count; k++) {
        quake_sample *const frame = COMMON_ADD_ITEM(writer->frames, writer->num_frames);
        *frame = (quake_sample){.clip = clip, .time = k / rate};
        COMMON_TEXT(frame->name, "%s%u", stem, k + 1);
    }
    note_frames(writer, clip, first, stem, is_loop);
    free(stem);
    return true;
}

// Fails if two frames have the same name. Names of clips are shortened, so long names that differ
// only at their ends can become equal.
static bool check_frame_names(const quake_writer *writer)
{
    const size_t size = writer->num_frames * sizeof *writer->frames;
    quake_sample *const sorted =
        memcpy(common_alloc(writer->num_frames, sizeof *sorted), writer->frames, size);
    bool is_unique = true;
    qsort(sorted, writer->num_frames, sizeof *sorted, compare_names);
    for (uint32_t i = 1; i < writer->num_frames && is_unique; i++) {
        if (compare_names(&sorted[i - 1], &sorted[i]) == 0)
            is_unique = FAIL(MD5_ERROR_MISMATCH,
                             "duplicate frame name %s after shortening to %d bytes; rename a clip",
                             sorted[i].name, QUAKE_FRAME_NAME - 1);
    }
    free(sorted);
    return is_unique;
}

// Lists the frames of all clips; without clips, one frame of the bind pose.
static bool plan_frames(quake_writer *writer)
{
    for (size_t i = 0; i < writer->assets.num_clips; i++) {
        if (!plan_clip(writer, &writer->assets.clips[i]))
            return false;
    }
    if (writer->num_frames == 0) {
        quake_sample *const frame = COMMON_ADD_ITEM(writer->frames, writer->num_frames);
        *frame = (quake_sample){.name = "frame1"};
    }
    return check_frame_names(writer);
}

// Sets the weights of the morph targets that a clip drives.
static void sample_weights(const quake_writer *writer, const convert_clip *clip,
                           md5_sample_position at, float *weights)
{
    for (size_t k = 0; k < writer->scene->num_weights; k++) {
        const convert_weights *const keys = &writer->scene->weights[k];
        const uint32_t target = md5_find_morph_target(writer->assets.morph, keys->target);
        if (strcmp(keys->clip, clip->name) != 0 || target == MD5_NONE)
            continue;
        if (at.frame0 < keys->num_keys && at.frame1 < keys->num_keys)
            weights[target] =
                keys->keys[at.frame0] * (1 - at.fraction) + keys->keys[at.frame1] * at.fraction;
    }
}

// A pose, in the forms that skinning and tags need.
typedef struct quake_pose {
    md5_xform *local;   // [joints] relative to the parent
    md5_mat34 *joints;  // [joints] model space
    md5_mat34 *palette; // [joints] from the bind pose to the pose
    float *weights;     // [targets of the morph]
} quake_pose;

// Computes the palette and the morph weights of one frame of the output. A frame without a clip
// is the bind pose.
static void sample_pose(const quake_writer *writer, const quake_sample *frame,
                        const quake_pose *pose)
{
    const convert_clip *const clip = frame->clip;
    const md5_morph *const morph = writer->assets.morph;
    if (morph)
        memset(pose->weights, 0, morph->num_targets * sizeof *pose->weights);
    if (!clip) {
        md5_local_to_palette(writer->model, writer->model->bind_local, pose->joints, pose->palette);
        return;
    }
    const md5_sample_position at = md5_sample_position_at(clip->anim, frame->time, MD5_WRAP_CLAMP);
    md5_pose_palette(clip->binding, at, MD5_ROOT_FILE, pose->local, pose->joints, pose->palette);
    if (morph)
        sample_weights(writer, clip, at, pose->weights);
}

// Computes the positions of all points in a pose. Points have the order of the meshes' vertices.
static void skin_points(const quake_writer *writer, const quake_pose *pose,
                        quake_position *positions)
{
    for (uint32_t i = 0; i < writer->model->num_meshes; i++) {
        const md5_mesh *const mesh = &writer->model->meshes[i];
        const md5_skin_job skin = {.mesh = mesh,
                                   .palette = pose->palette,
                                   .morph = writer->assets.morph,
                                   .morph_weights = pose->weights,
                                   .count = mesh->num_file_vertices,
                                   .positions = positions->at,
                                   .position_stride = sizeof *positions};
        md5_skin_one(&skin);
        positions += mesh->num_file_vertices;
    }
}

// Computes the positions of all points and the tags in all frames.
static void sample_frames(quake_writer *writer)
{
    const size_t num_joints = writer->model->skeleton.num_joints;
    const size_t num_targets = writer->assets.morph ? writer->assets.morph->num_targets : 0;
    const quake_pose pose = {.local = common_alloc(num_joints, sizeof *pose.local),
                             .joints = common_alloc(num_joints, sizeof *pose.joints),
                             .palette = common_alloc(num_joints, sizeof *pose.palette),
                             .weights = common_alloc(num_targets, sizeof *pose.weights)};
    for (size_t i = 0; i < writer->num_frames; i++) {
        sample_pose(writer, &writer->frames[i], &pose);
        skin_points(writer, &pose, writer->positions + i * writer->num_points);
        for (size_t k = 0; k < writer->tags.count; k++)
            writer->matrices[i * writer->tags.count + k] = pose.joints[writer->tag_joints[k]];
    }
    free(pose.weights);
    free(pose.palette);
    free(pose.joints);
    free(pose.local);
}

// -- Normals --------------------------------------------------------------------------------------

static convert_vec vector_between(const quake_position *a, const quake_position *b)
{
    return (convert_vec){(double)b->at[0] - a->at[0], (double)b->at[1] - a->at[1],
                         (double)b->at[2] - a->at[2]};
}

// Adds the normals of all triangles to the leaders of their corners, weighted by the areas of the
// triangles. Returns the total area.
static double sum_normals(const quake_writer *writer, const quake_position *frame,
                          convert_vec *sums)
{
    double sum_lengths = 0;
    memset(sums, 0, writer->num_points * sizeof *sums);
    for (uint32_t i = 0; i < writer->num_corners; i += 3) {
        const uint32_t *const corners = writer->corners + i;
        const quake_position *const a = &frame[corners[0]];
        const convert_vec normal = convert_cross(vector_between(a, &frame[corners[2]]),
                                                 vector_between(a, &frame[corners[1]]));
        const double length = sqrt(convert_dot(normal, normal)); // twice the area of the triangle
        for (int k = 0; k < 3; k++) {
            convert_vec *const sum = &sums[writer->points[corners[k]].leader];
            *sum = convert_add(*sum, normal);
            sum_lengths += length;
        }
    }
    return sum_lengths / 6.0; // three corners, each with twice the area
}

// Continues a hash with a number, as FNV-1a does with a byte.
static uint64_t extend_hash(uint64_t hash, uint32_t number)
{
    const uint64_t prime = UINT64_C(1099511628211);
    return (hash ^ number) * prime;
}

// Returns a hash for each point, of its shader and its positions in all frames. Points with equal
// hashes are assumed to be equal.
static uint64_t *hash_points(const quake_writer *writer)
{
    uint64_t *const hashes = common_alloc(writer->num_points, sizeof *hashes);
    uint64_t *hash = hashes;
    for (uint32_t i = 0; i < writer->model->num_meshes; i++) {
        const md5_mesh *const mesh = &writer->model->meshes[i];
        for (uint32_t k = 0; k < mesh->num_file_vertices; k++, hash++) {
            for (const char *c = mesh->shader; *c != '\0'; c++)
                *hash = extend_hash(*hash, (uint8_t)*c);
        }
    }

    const quake_position *position = writer->positions;
    for (uint32_t frame = 0; frame < writer->num_frames; frame++) {
        for (uint32_t i = 0; i < writer->num_points; i++, position++) {
            for (int k = 0; k < 3; k++) {
                const float number = position->at[k] + 0; // changes -0 to 0, which equals it
                uint32_t bits;
                memcpy(&bits, &number, sizeof bits);
                hashes[i] = extend_hash(hashes[i], bits);
            }
        }
    }
    return hashes;
}

// Returns false if two normals are opposite, within 2.6 degrees. Their sum would then be nearly 0,
// so it would not be a useful normal. The lengths of the normals do not matter.
static bool can_share_normal(convert_vec a, convert_vec b)
{
    const double min_cosine = -0.999;
    return convert_dot(a, b) >= min_cosine * sqrt(convert_dot(a, a) * convert_dot(b, b));
}

// Sets the leader of each point. Cloth that is drawn from both sides has points with opposite
// normals at the same position. Such points get separate leaders; frame 0 decides.
// normals[num_points] is scratch memory.
static void find_leaders(quake_writer *writer, convert_vec *normals)
{
    uint64_t *const hashes = hash_points(writer);
    uint32_t *const first = common_alloc(writer->num_points, sizeof *first);
    for (uint32_t i = 0; i < writer->num_points; i++)
        writer->points[i].leader = i;
    writer->area = sum_normals(writer, writer->positions, normals);
    common_find_equal(hashes, writer->num_points, sizeof *hashes, first);
    for (uint32_t i = 0; i < writer->num_points; i++) {
        if (can_share_normal(normals[first[i]], normals[i]))
            writer->points[i].leader = first[i];
    }
    free(first);
    free(hashes);
}

// Returns the index of the direction that is nearest to a normal.
static uint16_t nearest_direction(const convert_vec *directions, convert_vec n)
{
    uint16_t best = 0;
    for (int i = 0; i < QUAKE_NUM_NORMALS; i++) {
        if (convert_dot(directions[i], n) > convert_dot(directions[best], n))
            best = (uint16_t)i;
    }
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

// Computes the normals of all points in all frames and encodes them. MD3 stores two angles; MDL and
// MD2 store one of 162 directions. Copies of a point along a seam get the normal of their leader,
// so that the seam is not visible.
static void encode_normals(quake_writer *writer)
{
    convert_vec directions[QUAKE_NUM_NORMALS];
    convert_vec *const sums = common_alloc(writer->num_points, sizeof *sums);
    quake_position *frame = writer->positions;
    quake_make_normals(directions);
    find_leaders(writer, sums);

    for (uint32_t k = 0; k < writer->num_frames; k++, frame += writer->num_points) {
        sum_normals(writer, frame, sums);
        for (uint32_t i = 0; i < writer->num_points; i++) {
            const uint32_t leader = writer->points[i].leader;
            if (leader != i) // the leader has a lower index
                frame[i].code = frame[leader].code;
            else if (writer->ident == QUAKE_MD3)
                frame[i].code = encode_angles(sums[i]);
            else
                frame[i].code = nearest_direction(directions, sums[i]);
        }
    }

    free(sums);
}

// Computes the bounding box of all points in some frames: minimum x y z, then maximum x y z.
static void find_box(const quake_writer *writer, size_t first, size_t count, float *box)
{
    for (int k = 0; k < 6; k++)
        box[k] = k < 3 ? HUGE_VALF : -HUGE_VALF;
    for (size_t i = first * writer->num_points; i < (first + count) * writer->num_points; i++) {
        for (int k = 0; k < 3; k++) {
            box[k] = fminf(box[k], writer->positions[i].at[k]);
            box[3 + k] = fmaxf(box[3 + k], writer->positions[i].at[k]);
        }
    }
}

// -- Skins ----------------------------------------------------------------------------------------

// Returns the number of whole images by which a triangle is away from the image along an axis.
// Images of MD5 repeat, so the triangle can be moved by this number without a visible change.
static double find_tile(const quake_writer *writer, const uint32_t *corners, int axis)
{
    double sum = 0;
    for (int c = 0; c < 3; c++)
        sum += (double)writer->points[corners[c]].texcoord[axis];
    if (sum == 3) // the triangle is on the edge of the image at 1
        return 0;
    return floor(sum / 3.0);
}

// Returns the texel of a position along one axis of an image of `size` texels. Positions outside of
// the image are clamped to its edge, and counted if they are more than one texel outside.
static uint32_t find_texel(double position, uint32_t size, uint32_t *num_outside)
{
    const double max_distance = 1.5; // from the center of the texel: one texel outside of the edge
    const double texel = fmin(fmax(floor(position), 0.0), size - 1.0);
    if (fabs(position - texel - 0.5) > max_distance)
        ++*num_outside;
    return (uint32_t)texel;
}

// Returns the texel of each corner, as s << 16 | t. Triangles outside of the image are moved into
// it by whole images. Corners that are still outside are clamped to the edge.
static uint32_t *find_texels(const quake_writer *writer, const uint32_t *size)
{
    uint32_t *const texels = common_alloc(writer->num_corners, sizeof *texels);
    uint32_t num_outside = 0;
    for (uint32_t i = 0; i < writer->num_corners; i += 3) {
        const double tile_s = find_tile(writer, writer->corners + i, 0);
        const double tile_t = find_tile(writer, writer->corners + i, 1);
        for (uint32_t c = i; c < i + 3; c++) {
            const float *const texcoord = writer->points[writer->corners[c]].texcoord;
            const uint32_t s = find_texel((texcoord[0] - tile_s) * size[0], size[0], &num_outside);
            const uint32_t t = find_texel((texcoord[1] - tile_t) * size[1], size[1], &num_outside);
            texels[c] = s << 16 | t;
        }
    }
    if (num_outside > 0)
        convert_note(writer->job,
                     "clamped %u texture %s to the edge of the skin: %s does not support repeated "
                     "textures",
                     num_outside, common_noun(num_outside, "coordinate", "coordinates"),
                     writer->title);

    return texels;
}

// Returns the index of the palette's color that is nearest to a color.
static uint8_t nearest_color(const uint8_t *palette, int num_colors, const uint8_t *rgb)
{
    int nearest = 0;
    int min_distance = INT32_MAX;
    for (int i = 0; i < num_colors; i++) {
        int distance = 0; // squared
        for (int c = 0; c < 3; c++) {
            const int difference = rgb[c] - palette[3 * i + c];
            distance += difference * difference;
        }
        if (distance < min_distance) {
            min_distance = distance;
            nearest = i;
        }
    }
    return (uint8_t)nearest;
}

// Returns the color of an image at the center of a texel of the skin, as red, green, blue and
// alpha. Returns gray if there is no image.
static const uint8_t *sample_image(const view_image *image, const uint32_t *skin_size, size_t s,
                                   size_t t)
{
    static const uint8_t gray[] = {128, 128, 128, 255};
    if (!image->rgba)
        return gray;
    const size_t x = (2 * s + 1) * image->width / (2 * (size_t)skin_size[0]);
    const size_t y = (2 * t + 1) * image->height / (2 * (size_t)skin_size[1]);
    return image->rgba + 4 * (y * image->width + x);
}

// Writes an image, scaled to the size of the skin, as indices of palette colors. Transparent texels
// become the last color, which engines do not draw if the model has holes.
static void put_texels(quake_writer *writer, const view_image *image, const uint32_t *size,
                       bool has_holes, const uint8_t *palette, int num_colors)
{
    enum { MIN_OPAQUE = 128 };
    for (size_t t = 0; t < size[1]; t++) {
        for (size_t s = 0; s < size[0]; s++) {
            const uint8_t *const rgba = sample_image(image, size, s, t);
            const bool is_hole = has_holes && rgba[3] < MIN_OPAQUE;
            uint8_t color = QUAKE_HOLE;
            if (!is_hole)
                color = nearest_color(palette, num_colors, rgba);
            convert_append(&writer->out, &color, 1);
        }
    }
}

// Writes an image as the skin of an MDL file. The last 32 colors of the palette are not used,
// because engines draw them at full brightness in the dark. If no palette is found, 16 grays are
// used, which are the first colors of Quake's palette.
static bool put_skin(quake_writer *writer, const view_image *image, const uint32_t *size,
                     bool has_holes)
{
    enum { NUM_COLORS = 224, NUM_GREYS = 16 };
    uint8_t palette[QUAKE_PALETTE];
    bool is_found = false;
    if (!quake_find_palette(writer->job, writer->job->output, palette, &is_found, writer->error))
        return false;
    const char *const missing_image = image->rgba ? "" : "; plain gray: the material has no image";
    const char *const missing_palette =
        is_found ? "" : "; grayscale: gfx/palette.lmp not found, use --palette";
    convert_note(writer->job, "skin size: %u x %u texels%s%s", size[0], size[1], missing_image,
                 missing_palette);
    if (!is_found)
        for (int i = 0; i < NUM_GREYS; i++)
            memset(palette + 3 * (ptrdiff_t)i, i * 255 / (NUM_GREYS - 1), 3);
    put_texels(writer, image, size, has_holes, palette, is_found ? NUM_COLORS : NUM_GREYS);
    return true;
}

// Writes the path of an image relative to the folder of the game. The name ends before its first
// dot, and the extension is appended. If `is_first` is true, reports the path.
static bool put_path(quake_writer *writer, const char *shader, const char *extension, bool is_first)
{
    const char *const name = shader[0] != '\0' ? shader : writer->scene->name;
    const char *const base = common_base(name);
    const size_t length = (size_t)(base - name) + strcspn(base, ".");
    char *const path = common_format("%.*s%s", (int)length, name, extension);
    const bool is_written = put_name(writer, path, QUAKE_PATH);
    if (is_written && is_first)
        convert_note(writer->job, "material %s: image path in the file is %s", shader, path);
    free(path);
    return is_written;
}

// -- MDL and MD2 ----------------------------------------------------------------------------------

// Returns the step of a byte grid along an axis of a box; 1 if the box is flat.
static float grid_step(const float *box, int axis)
{
    const float step = (float)(((double)box[3 + axis] - box[axis]) / 255.0);
    return step > 0 ? step : 1;
}

// Writes the scale and origin of a grid.
static void put_grid(quake_writer *writer, const float *box)
{
    const float words[] = {
        grid_step(box, 0), grid_step(box, 1), grid_step(box, 2), box[0], box[1], box[2]};
    convert_append_words(&writer->out, words, COMMON_LENGTH(words));
}

// Rounds a position to the grid of a box. Returns the squared error.
static double round_to_grid(const float *position, const float *box, uint8_t *bytes)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        const double at = position[k];
        const double low = box[k];
        const double step = grid_step(box, k);
        bytes[k] = (uint8_t)fmin(floor((at - low) / step + 0.5), 255.0);
        square += pow(low + step * bytes[k] - at, 2.0);
    }
    return square;
}

// Writes the positions of a frame on the grid of a box, and the normals: four bytes per vertex.
// vertices[num_vertices] contain a leader << 32.
static void put_vertices(quake_writer *writer, const uint64_t *vertices, size_t frame,
                         const float *box)
{
    const quake_position *const positions = writer->positions + frame * writer->num_points;
    for (uint32_t i = 0; i < writer->num_vertices; i++) {
        const quake_position *const position = &positions[vertices[i] >> 32];
        uint8_t bytes[4] = {0, 0, 0, (uint8_t)position->code};
        add_error(writer, round_to_grid(position->at, box, bytes));
        convert_append(&writer->out, bytes, sizeof bytes);
    }
}

// Extends a bounding box in steps of the grid by the vertices in `bytes`, four bytes each.
static void extend_grid_box(uint8_t min[4], uint8_t max[4], const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 4) {
        for (size_t axis = 0; axis < 3; axis++) {
            const uint8_t step = (uint8_t)bytes[i + axis];
            if (step < min[axis])
                min[axis] = step;
            if (step > max[axis])
                max[axis] = step;
        }
    }
}

// Writes a frame of MDL: the bounding box in steps of the grid, the name, and the vertices. The box
// is only known after the vertices were written. It is therefore written twice, the second time
// over the first.
static bool put_mdl_frame(quake_writer *writer, const uint64_t *vertices, uint32_t frame,
                          const float *box)
{
    uint8_t ends[2][4] = {{255, 255, 255}, {0}}; // minimum, maximum; the fourth byte is unused
    convert_append_u32(&writer->out, 0);         // no group
    const size_t ends_at = writer->out.size;
    convert_append(&writer->out, ends, sizeof ends);
    if (!put_name(writer, writer->frames[frame].name, QUAKE_FRAME_NAME))
        return false;

    const size_t vertices_at = writer->out.size;
    put_vertices(writer, vertices, frame, box);
    extend_grid_box(ends[0], ends[1], writer->out.bytes + vertices_at,
                    writer->out.size - vertices_at);
    memcpy(writer->out.bytes + ends_at, ends, sizeof ends);
    return true;
}

// The only surface of an MDL or MD2 file.
typedef struct quake_surface {
    view_image image; // `rgba` is NULL if the material has no image
    bool has_holes;
    uint32_t size[2];   // size of the skin
    uint64_t *vertices; // [num_vertices] leader << 32, and for MDL the texel
    uint32_t *ids;      // [num_corners] vertices
    uint32_t *texels;   // [num_corners] s << 16 | t
    float box[6];       // bounding box of all frames
} quake_surface;

// Writes the header of MDL. It contains the grid of all frames, the radius, the counts, and the
// mean area of a triangle. The area is a hint for drawing.
static void put_mdl_header(quake_writer *writer, const quake_surface *surface)
{
    const uint32_t ident[] = {QUAKE_MDL, QUAKE_MDL_VERSION};
    const uint32_t counts[] = {1, // skin
                               surface->size[0],
                               surface->size[1],
                               writer->num_vertices,
                               writer->num_triangles,
                               writer->num_frames,
                               0, // synchronized animation
                               surface->has_holes ? QUAKE_MDL_HAS_HOLES : 0};
    const float triangle_area = (float)(writer->area / writer->num_triangles);
    const float *const box = surface->box;
    float radius_and_eye[4] = {0}; // the eye is at the origin
    for (int k = 0; k < 3; k++)
        radius_and_eye[0] = hypotf(radius_and_eye[0], fmaxf(fabsf(box[k]), fabsf(box[3 + k])));

    convert_append_words(&writer->out, ident, COMMON_LENGTH(ident));
    put_grid(writer, box);
    convert_append_words(&writer->out, radius_and_eye, COMMON_LENGTH(radius_and_eye));
    convert_append_words(&writer->out, counts, COMMON_LENGTH(counts));
    convert_append_words(&writer->out, &triangle_area, 1);
}

// Writes a Quake model: a header, one skin, texture coordinates, triangles and frames.
static bool write_mdl(quake_writer *writer, const quake_surface *surface)
{
    put_mdl_header(writer, surface);
    convert_append_u32(&writer->out, 0); // the skin is not a group
    if (!put_skin(writer, &surface->image, surface->size, surface->has_holes))
        return false;

    for (uint32_t i = 0; i < writer->num_vertices; i++) {
        const uint32_t texel = (uint32_t)surface->vertices[i];
        const uint32_t words[] = {0, texel >> 16, texel & 0xFFFF}; // 0: not on a seam
        convert_append_words(&writer->out, words, COMMON_LENGTH(words));
    }
    for (uint32_t i = 0; i < writer->num_corners; i += 3) {
        convert_append_u32(&writer->out, 1); // the triangle is on the front side
        convert_append_words(&writer->out, &surface->ids[i], 3);
    }
    for (uint32_t i = 0; i < writer->num_frames; i++) {
        if (!put_mdl_frame(writer, surface->vertices, i, surface->box))
            return false;
    }
    return true;
}

// Returns true if the shared grid of all frames is fine enough for a frame. Its steps may be larger
// than the steps of a grid for only this frame by a factor of at most 1.2 along each axis.
static bool is_grid_fine_enough(const float *box, const float *frame_box)
{
    for (int axis = 0; axis < 3; axis++) {
        if (grid_step(box, axis) > 1.2f * grid_step(frame_box, axis))
            return false;
    }
    return true;
}

// Returns true if all frames can share the grid of the box of all frames. Vertices that do not move
// then have the same position in all frames, so they do not tremble.
static bool can_share_grid(const quake_writer *writer, const float *box)
{
    for (uint32_t i = 0; i < writer->num_frames; i++) {
        float frame_box[6];
        find_box(writer, i, 1, frame_box);
        if (!is_grid_fine_enough(box, frame_box))
            return false;
    }
    return true;
}

// Writes the header of MD2, which ends with the offsets of the file's parts.
static void put_md2_header(quake_writer *writer, const uint32_t *skin_size, uint32_t num_texcoords)
{
    const uint32_t num_command_words = 10 * writer->num_triangles + 1;
    const uint32_t frame_size = 40 + 4 * writer->num_vertices;
    const uint32_t numbers[] = {QUAKE_MD2,
                                QUAKE_MD2_VERSION,
                                skin_size[0],
                                skin_size[1],
                                frame_size,
                                1, // skin
                                writer->num_vertices,
                                num_texcoords,
                                writer->num_triangles,
                                num_command_words,
                                writer->num_frames};
    const uint32_t part_sizes[] = {QUAKE_PATH, 4 * num_texcoords, 12 * writer->num_triangles,
                                   frame_size * writer->num_frames, 4 * num_command_words};
    convert_append_words(&writer->out, numbers, COMMON_LENGTH(numbers));
    uint32_t offset = QUAKE_MD2_HEADER;
    convert_append_u32(&writer->out, offset);

    for (size_t i = 0; i < COMMON_LENGTH(part_sizes); i++) {
        offset += part_sizes[i];
        convert_append_u32(&writer->out, offset);
    }
}

// Writes the texture coordinates, each once, and the triangles, which refer to vertices and texture
// coordinates. Writes the header before, which contains the number of texture coordinates.
static bool put_md2_surface(quake_writer *writer, const quake_surface *surface)
{
    uint32_t *const ids = common_alloc(writer->num_corners, sizeof *ids);
    uint64_t *const keys = common_alloc(writer->num_corners, sizeof *keys);
    uint32_t num_texels;
    for (uint32_t i = 0; i < writer->num_corners; i++)
        keys[i] = surface->texels[i];

    uint64_t *const texels = number_keys(keys, writer->num_corners, ids, &num_texels);
    put_md2_header(writer, surface->size, num_texels);
    const bool is_written = put_path(writer, writer->model->meshes[0].shader, ".pcx", true);
    for (uint32_t i = 0; i < num_texels; i++) {
        put_u16(writer, (uint32_t)texels[i] >> 16);
        put_u16(writer, (uint32_t)texels[i]);
    }

    for (uint32_t i = 0; i < writer->num_corners; i += 3) {
        for (uint32_t k = i; k < i + 3; k++)
            put_u16(writer, surface->ids[k]);
        for (uint32_t k = i; k < i + 3; k++)
            put_u16(writer, ids[k]);
    }

    free(texels);
    free(keys);
    free(ids);
    return is_written;
}

// Writes the OpenGL commands of MD2, which store the surface a second time. Each triangle becomes a
// strip of its own. A vertex of a strip has a texture coordinate and an index.
static void put_md2_commands(quake_writer *writer, const quake_surface *surface)
{
    for (uint32_t i = 0; i < writer->num_corners; i++) {
        const uint32_t texel = surface->texels[i];
        const float texcoord[] = {((float)(texel >> 16) + 0.5f) / (float)surface->size[0],
                                  ((float)(texel & 0xFFFF) + 0.5f) / (float)surface->size[1]};
        if (i % 3 == 0)
            convert_append_u32(&writer->out, 3); // vertices of the strip
        convert_append_words(&writer->out, texcoord, COMMON_LENGTH(texcoord));
        convert_append_u32(&writer->out, surface->ids[i]);
    }
    convert_append_u32(&writer->out, 0); // end
}

// Writes a Quake II model. A position has 8 bits per coordinate, on a grid over a box. If possible,
// all frames share one grid, so that vertices that do not move do not tremble.
static bool write_md2(quake_writer *writer, const quake_surface *surface)
{
    const bool is_shared = can_share_grid(writer, surface->box);
    convert_note(
        writer->job,
        is_shared ? "all frames share one quantization grid: their sizes differ by less than 20 %%"
                  : "each frame has a separate quantization grid");
    if (!put_md2_surface(writer, surface))
        return false;

    for (uint32_t i = 0; i < writer->num_frames; i++) {
        float frame_box[6];
        find_box(writer, i, 1, frame_box);
        const float *const box = is_shared ? surface->box : frame_box;
        put_grid(writer, box);
        if (!put_name(writer, writer->frames[i].name, QUAKE_FRAME_NAME))
            return false;
        put_vertices(writer, surface->vertices, i, box);
    }

    put_md2_commands(writer, surface);
    return true;
}

// Returns the first material from index `first` on that has the shader and has a color image, or
// NULL.
static const convert_material *find_textured_material(const convert_scene *scene,
                                                      const char *shader, size_t first)
{
    for (size_t i = first; i < scene->num_materials; i++) {
        const convert_material *const material = &scene->materials[i];
        if (strcmp(material->shader, shader) == 0 && material->maps[CONVERT_MAP_COLOR].bytes)
            return material;
    }
    return NULL;
}

// Finds the image of the surface. It belongs to the first material with the surface's shader whose
// image can be read. Also sets the size of the skin. In MDL the width must be a multiple of 4, and
// engines limit both sides.
static void find_skin(const quake_writer *writer, quake_surface *surface)
{
    enum { MAX_WIDTH = 2048, MAX_HEIGHT = 480, DEFAULT_SIDE = 256 };
    const view_image no_image = {NULL, DEFAULT_SIDE, DEFAULT_SIDE};
    const convert_scene *const scene = writer->scene;
    const char *const shader = writer->model->meshes[0].shader;
    view_image *const image = &surface->image;
    *image = no_image;
    const convert_material *material = find_textured_material(scene, shader, 0);
    while (material && !image->rgba) {
        const convert_image *const file = &material->maps[CONVERT_MAP_COLOR];
        md5_error unused;
        surface->has_holes = material->alpha == CONVERT_MASK;
        if (!view_decode_image(file->bytes, file->size, MD5_MAX_IMAGE_PIXELS, image, &unused))
            *image = no_image;
        const size_t next = (size_t)(material - scene->materials) + 1;
        material = find_textured_material(scene, shader, next);
    }
    surface->size[0] = image->width < MAX_WIDTH ? (image->width + 3) / 4 * 4 : MAX_WIDTH;
    surface->size[1] = image->height < MAX_HEIGHT ? image->height : MAX_HEIGHT;
}

// Assigns indices to the vertices of the file. Corners share a vertex if they have the same leader.
// In MDL they must also have the same texel, because a vertex has one texture coordinate there.
static void number_vertices(quake_writer *writer, quake_surface *surface)
{
    uint64_t *const keys = common_alloc(writer->num_corners, sizeof *keys);
    for (uint32_t i = 0; i < writer->num_corners; i++) {
        keys[i] = (uint64_t)writer->points[writer->corners[i]].leader << 32;
        if (writer->ident == QUAKE_MDL)
            keys[i] |= surface->texels[i];
    }
    surface->ids = common_alloc(writer->num_corners, sizeof *surface->ids);
    surface->vertices = number_keys(keys, writer->num_corners, surface->ids, &writer->num_vertices);
    free(keys);
}

// Writes an MDL or MD2 file. These formats contain a single surface with one skin, so a model
// whose meshes have different materials is an error. Returns false on failure.
static bool write_surface(quake_writer *writer)
{
    const md5_mesh *const mesh = writer->model->meshes;
    if (writer->model->num_meshes > 1)
        return FAIL(MD5_ERROR_MISMATCH,
                    "meshes have different materials: mesh 1 has %.100s, mesh 0 has %.100s, but %s "
                    "supports one skin; merge the materials or write .md3",
                    mesh[1].shader, mesh[0].shader, writer->title);

    quake_surface surface = {.has_holes = false};
    find_skin(writer, &surface);
    surface.texels = find_texels(writer, surface.size);
    number_vertices(writer, &surface);
    find_box(writer, 0, writer->num_frames, surface.box);
    bool is_written = check_limits(writer);
    if (is_written && writer->ident == QUAKE_MDL)
        is_written = write_mdl(writer, &surface);
    else if (is_written)
        is_written = write_md2(writer, &surface);

    free(surface.vertices);
    free(surface.ids);
    free(surface.texels);
    free(surface.image.rgba);
    return is_written;
}

// -- MD3 ------------------------------------------------------------------------------------------

// Writes the name of a surface. If a mesh was split, its parts have the same name, so the number of
// the part is appended. Engines remove a suffix of '_' and one character, so the '_' of such a
// suffix is replaced.
static bool put_surface_name(quake_writer *writer, const md5_mesh *mesh, uint32_t part)
{
    char *const stem = common_stem(mesh->name[0] != '\0' ? mesh->name : mesh->shader);
    const size_t length = strlen(stem);
    if (length > 2 && stem[length - 2] == '_') {
        convert_note(writer->job,
                     "surface %s: replaced _ with -, because engines remove a suffix after _",
                     stem);
        stem[length - 2] = '-';
    }
    char *const name = part > 1 ? common_format("%s_part%u", stem, part) : common_copy(stem);
    const bool is_written = put_name(writer, name, QUAKE_PATH);
    free(name);
    free(stem);
    return is_written;
}

// Writes a position as three numbers of 16 bits, in steps of 1/64 unit, and the normal.
static bool put_md3_vertex(quake_writer *writer, const quake_position *position, const char *frame)
{
    const double steps_per_unit = 64.0;
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        const float at = position->at[axis];
        const double rounded = floor(at * steps_per_unit + 0.5);
        const bool is_in_range = fabs(rounded) <= INT16_MAX;
        if (!is_in_range)
            return FAIL(MD5_ERROR_RANGE,
                        "frame %s: vertex is too far from the origin: found %g units, but MD3 "
                        "supports 511.98; use --scale to reduce the model",
                        frame, at);
        put_u16(writer, (uint32_t)(int)rounded);
        square += pow(rounded / steps_per_unit - at, 2.0);
    }
    put_u16(writer, position->code);
    add_error(writer, square);
    return true;
}

// Writes the positions and normals of a mesh in all frames. `first` is the mesh's first point.
static bool put_mesh_frames(quake_writer *writer, uint32_t first, uint32_t num_vertices)
{
    for (uint32_t frame = 0; frame < writer->num_frames; frame++) {
        const quake_position *const positions =
            &writer->positions[(size_t)frame * writer->num_points + first];
        for (uint32_t i = 0; i < num_vertices; i++) {
            if (!put_md3_vertex(writer, &positions[i], writer->frames[frame].name))
                return false;
        }
    }
    return true;
}

// Writes the table of frames of an MD3 file: the bounding box, a bounding sphere around the
// origin, and the name of each frame. Returns false if a name is too long.
static bool put_md3_frames(quake_writer *writer)
{
    for (uint32_t i = 0; i < writer->num_frames; i++) {
        const quake_position *const positions = &writer->positions[(size_t)i * writer->num_points];
        float box[6];
        const float origin[3] = {0}; // center of the sphere around all vertices
        float radius = 0;
        find_box(writer, i, 1, box);
        for (uint32_t k = 0; k < writer->num_points; k++) {
            const float *const p = positions[k].at;
            radius = fmaxf(radius, hypotf(hypotf(p[0], p[1]), p[2]));
        }
        convert_append_words(&writer->out, box, COMMON_LENGTH(box));
        convert_append_words(&writer->out, origin, COMMON_LENGTH(origin));
        convert_append_words(&writer->out, &radius, 1);
        if (!put_name(writer, writer->frames[i].name, QUAKE_FRAME_NAME))
            return false;
    }
    return true;
}

// Writes the names and transforms of the tags in all frames.
static bool put_md3_tags(quake_writer *writer)
{
    // Columns of the matrix: the origin, then the axes.
    static const int columns[] = {3, 0, 1, 2};
    for (uint32_t frame = 0; frame < writer->num_frames; frame++) {
        for (size_t tag = 0; tag < writer->tags.count; tag++) {
            const md5_mat34 *const matrix = &writer->matrices[frame * writer->tags.count + tag];
            if (!put_name(writer, writer->tags.names[tag], QUAKE_PATH))
                return false;
            for (size_t i = 0; i < COMMON_LENGTH(columns); i++) {
                for (int row = 0; row < 3; row++)
                    convert_append_words(&writer->out, &matrix->m[4 * row + columns[i]], 1);
            }
        }
    }
    return true;
}

// Returns the size of a surface in bytes: header, shader, triangles, texture coordinates, frames.
static uint32_t md3_surface_size(uint32_t num_triangles, uint32_t num_vertices, uint32_t num_frames)
{
    return QUAKE_MD3_SURFACE + QUAKE_MD3_SHADER + 12 * num_triangles + 8 * num_vertices
           + 8 * num_vertices * num_frames;
}

// Writes a surface. `first` is the mesh's first point, and `part` the number of the mesh, from 1,
// among the parts of a split mesh.
static bool put_md3_surface(quake_writer *writer, const md5_mesh *mesh, uint32_t first,
                            uint32_t part)
{
    const uint32_t num_vertices = mesh->num_file_vertices;
    const uint32_t num_triangles = mesh->num_triangles;
    const uint32_t triangles_at = QUAKE_MD3_SURFACE + QUAKE_MD3_SHADER;
    const uint32_t texcoords_at = triangles_at + 12 * num_triangles;
    const uint32_t numbers[] = {0, // flags
                                writer->num_frames,
                                1, // shader
                                num_vertices,
                                num_triangles,
                                triangles_at,
                                QUAKE_MD3_SURFACE, // offset of the shader
                                texcoords_at,
                                texcoords_at + 8 * num_vertices, // offset of the frames
                                md3_surface_size(num_triangles, num_vertices, writer->num_frames)};
    convert_append_u32(&writer->out, QUAKE_MD3);
    if (!put_surface_name(writer, mesh, part))
        return false;

    convert_append_words(&writer->out, numbers, COMMON_LENGTH(numbers));
    if (!put_path(writer, mesh->shader, ".tga", part == 1))
        return false;

    convert_append_u32(&writer->out, 0); // index of the shader, which engines set
    for (uint32_t i = 0; i < 3 * num_triangles; i++)
        convert_append_u32(&writer->out, mesh->sources[mesh->indices[i]]);

    for (uint32_t i = 0; i < num_vertices; i++)
        convert_append_words(&writer->out, writer->points[first + i].texcoord, 2);

    return put_mesh_frames(writer, first, num_vertices);
}

// Writes the header of an MD3 file. It contains counts, and the offsets of the tables of frames,
// tags and surfaces. The sizes of the tables are known before they are written. Returns false if
// the name is not valid.
static bool put_md3_header(quake_writer *writer)
{
    const uint32_t tags_at = QUAKE_MD3_HEADER + QUAKE_MD3_FRAME * writer->num_frames;
    const uint32_t surfaces_at = tags_at + QUAKE_MD3_TAG * writer->num_frames * writer->num_tags;
    uint32_t end = surfaces_at;
    for (uint32_t i = 0; i < writer->model->num_meshes; i++) {
        const md5_mesh *const mesh = &writer->model->meshes[i];
        end += md3_surface_size(mesh->num_triangles, mesh->num_file_vertices, writer->num_frames);
    }

    const uint32_t numbers[] = {0, // flags
                                writer->num_frames,
                                writer->num_tags,
                                writer->model->num_meshes,
                                0, // skins
                                QUAKE_MD3_HEADER,
                                tags_at,
                                surfaces_at,
                                end};
    convert_append_u32(&writer->out, QUAKE_MD3);
    convert_append_u32(&writer->out, QUAKE_MD3_VERSION);
    char *const name = convert_sanitize(common_base(writer->job->output), QUAKE_PATH - 1, "");
    const bool is_written = put_name(writer, name, QUAKE_PATH);

    free(name);
    convert_append_words(&writer->out, numbers, COMMON_LENGTH(numbers));
    return is_written;
}

static bool has_equal_names(const md5_mesh *a, const md5_mesh *b)
{
    return strcmp(a->shader, b->shader) == 0 && strcmp(a->name, b->name) == 0;
}

// Writes a Quake III model. Names of surfaces must be unique, so the surfaces of meshes with
// equal names are numbered.
static bool write_md3(quake_writer *writer)
{
    if (!check_limits(writer) || !put_md3_header(writer) || !put_md3_frames(writer)
        || !put_md3_tags(writer))
        return false;
    uint32_t first = 0;
    uint32_t part = 0;
    for (uint32_t i = 0; i < writer->model->num_meshes; i++) {
        const md5_mesh *const mesh = &writer->model->meshes[i];
        if (i > 0 && has_equal_names(mesh, mesh - 1))
            part++;
        else
            part = 1;
        if (!put_md3_surface(writer, mesh, first, part))
            return false;
        first += mesh->num_file_vertices;
    }
    return true;
}

// -- All formats ----------------------------------------------------------------------------------

// Adds the joint and the name of an option "JOINT" or "JOINT=TAG". Returns the joint.
static uint32_t add_tag(quake_writer *writer, const char *text)
{
    const char *const equals = strrchr(text, '=');
    char *const joint = common_copy(text);
    if (equals)
        joint[equals - text] = '\0';
    const char *const prefix = strncmp(joint, "tag_", strlen("tag_")) == 0 ? "" : "tag_";
    if (equals)
        common_add(&writer->tags, common_copy(equals + 1));
    else
        common_add(&writer->tags, common_format("%s%s", prefix, joint));
    const uint32_t index = md5_find_joint(&writer->model->skeleton, joint);
    free(joint);
    return index;
}

// Finds the joints of the tags that the options --tag define. A tag is a named transform in each
// frame, to which a game attaches other models. Returns false if a joint does not exist, or a
// tag name is missing or used twice.
static bool find_tags(quake_writer *writer)
{
    writer->tag_joints = common_alloc(writer->job->num_tags, sizeof *writer->tag_joints);
    for (; writer->num_tags < writer->job->num_tags; writer->num_tags++) {
        const char *const text = writer->job->tags[writer->num_tags];
        const uint32_t joint = add_tag(writer, text);
        writer->tag_joints[writer->num_tags] = joint;
        if (joint == MD5_NONE)
            return FAIL(MD5_ERROR_MISSING,
                        "--tag %.200s: joint not found: expected the name of a joint of the model",
                        text);
        const char *const name = writer->tags.names[writer->num_tags];
        if (name[0] == '\0')
            return FAIL(MD5_ERROR_MISMATCH, "--tag %.200s: expected a tag name after '='", text);
        for (uint32_t i = 0; i < writer->num_tags; i++) {
            if (strcmp(writer->tags.names[i], name) == 0)
                return FAIL(
                    MD5_ERROR_MISMATCH,
                    "--tag %.200s: duplicate tag name: expected a different name for each tag",
                    text);
        }
    }
    return true;
}

// Counts points and triangles of all meshes, and vertices and triangles of the largest mesh.
static bool count_elements(quake_writer *writer)
{
    size_t num_points = 0;
    size_t num_triangles = 0;
    for (uint32_t i = 0; i < writer->model->num_meshes; i++) {
        const md5_mesh *const mesh = &writer->model->meshes[i];
        num_points += mesh->num_file_vertices;
        num_triangles += mesh->num_triangles;
        if (mesh->num_file_vertices > writer->num_vertices)
            writer->num_vertices = mesh->num_file_vertices;
        if (mesh->num_triangles > writer->num_triangles)
            writer->num_triangles = mesh->num_triangles;
    }

    if (num_triangles == 0)
        return FAIL(MD5_ERROR_SYNTAX, "model is empty: expected at least 1 triangle, found 0");
    if (num_triangles > MAX_POSITIONS || num_points > MAX_POSITIONS)
        return FAIL(MD5_ERROR_RANGE,
                    "model is too large: expected at most %d triangles and as many vertices, found "
                    "%zu triangles and %zu vertices; simplify the meshes",
                    MAX_POSITIONS, num_triangles, num_points);

    writer->num_points = (uint32_t)num_points;
    writer->num_corners = 3 * (uint32_t)num_triangles;
    return true;
}

// Creates one surface from the triangles of all meshes. Its points are the vertices of the MD5
// file, one mesh after the other. `sources` replaces the duplicates that the library adds at mirror
// seams by the vertices of the file.
static void copy_surface(quake_writer *writer)
{
    writer->corners = common_alloc(writer->num_corners, sizeof *writer->corners);
    writer->points = common_alloc(writer->num_points, sizeof *writer->points);
    uint32_t *mesh_corners = writer->corners;
    uint32_t first_point = 0;
    for (uint32_t i = 0; i < writer->model->num_meshes; i++) {
        const md5_mesh *const mesh = &writer->model->meshes[i];
        const size_t num_indices = 3 * (size_t)mesh->num_triangles;
        for (size_t k = 0; k < num_indices; k++)
            mesh_corners[k] = first_point + mesh->sources[mesh->indices[k]];

        quake_point *const mesh_points = &writer->points[first_point];
        for (uint32_t k = 0; k < mesh->num_file_vertices; k++)
            memcpy(mesh_points[k].texcoord, &mesh->texcoords[k], sizeof *mesh->texcoords);

        mesh_corners += num_indices;
        first_point += mesh->num_file_vertices;
    }
}

// Loads the model and its clips, and computes the points in all frames.
static bool load_scene(quake_writer *writer)
{
    if (!convert_find_model(writer->scene)) {
        FAIL(MD5_ERROR_MISSING, "model is missing: %s requires a model as input", writer->title);
        return false;
    }
    if (!convert_load_assets(writer->job, writer->scene, &writer->assets, writer->error))
        return false;
    writer->model = writer->assets.model;
    if (!count_elements(writer) || !find_tags(writer) || !plan_frames(writer))
        return false;
    copy_surface(writer);
    writer->positions =
        common_alloc((size_t)writer->num_frames * writer->num_points, sizeof *writer->positions);
    writer->matrices =
        common_alloc(writer->num_frames, writer->tags.count * sizeof *writer->matrices);
    sample_frames(writer);
    encode_normals(writer);
    return true;
}

// Selects the format, MDL, MD2 or MD3, by the extension of the output.
static void select_format(quake_writer *writer)
{
    if (common_has_suffix(writer->job->output, ".mdl")) {
        writer->title = "MDL";
        writer->ident = QUAKE_MDL;
    } else if (common_has_suffix(writer->job->output, ".md2")) {
        writer->title = "MD2";
        writer->ident = QUAKE_MD2;
    } else {
        writer->title = "MD3";
        writer->ident = QUAKE_MD3;
    }
}

// Loads the scene and writes the file.
static bool write_frames(quake_writer *writer)
{
    if (!load_scene(writer))
        return false;
    const bool is_md3 = writer->ident == QUAKE_MD3;
    if (!(is_md3 ? write_md3(writer) : write_surface(writer)))
        return false;
    return convert_write_file(writer->job, writer->job->output, writer->out.bytes, writer->out.size,
                              writer->error);
}

// Frees the arrays of the writer.
static void free_writer(quake_writer *writer)
{
    common_free_list(&writer->tags);
    free(writer->tag_joints);
    free(writer->matrices);
    free(writer->frames);
    free(writer->corners);
    free(writer->points);
    free(writer->positions);
    free(writer->out.bytes);
    convert_free_assets(&writer->assets);
}

// Writes an MDL, MD2 or MD3 file; the extension of the output selects the format. Then reports
// the parts of the scene that the format cannot store, and how far rounding has moved the
// vertices.
bool convert_write_quake(const convert_job *job, const convert_scene *scene, md5_error *error)
{
    quake_writer writer = {.job = job, .scene = scene, .error = error};
    select_format(&writer);
    const bool is_written = write_frames(&writer);
    convert_note_unsupported_parts(job, scene, writer.title, scene->num_weights == 0);
    if (is_written)
        convert_note(job,
                     "wrote %u %s of %u %s; rounding moves vertices by %.3g units on "
                     "average, at most %.3g%s",
                     writer.num_frames, common_noun(writer.num_frames, "frame", "frames"),
                     writer.num_corners / 3,
                     common_noun(writer.num_corners / 3, "triangle", "triangles"),
                     writer.sum_error / writer.num_errors, writer.max_error,
                     writer.ident == QUAKE_MD3 ? "" : " (in .md3: at most 0.014)");
    free_writer(&writer);
    return is_written;
}

// Functions that readers and writers share: errors, notes, engines, files, growing byte arrays, and
// the parts of a scene.
#include "demo/convert/budget.h"

#include "demo/common/write.h"

#include <errno.h>

// -- Errors and notes -----------------------------------------------------------------------------

// Stores the path of the file to which an error belongs. The message, the line and the column of
// the error remain.
void convert_name_file(md5_error *error, const char *path)
{
    // error->file has a fixed size. If the path is too long, its end is kept, because it identifies
    // the file.
    const size_t size = strlen(path) + 1;
    const size_t capacity = sizeof error->file;
    if (size > capacity)
        memcpy(error->file, path + (size - capacity), capacity);
    else
        memcpy(error->file, path, size);
}

// Fills `error` with a status, a message and, unless it is NULL, the path of a file. The message
// is formatted like printf(). Always returns false, so that a function that fails can end with
// `return convert_fail(...)`.
bool convert_fail(md5_error *error, md5_status status, const char *path, const char *format, ...)
{
    *error = (md5_error){.status = status};
    if (path)
        convert_name_file(error, path);
    va_list values;
    va_start(values, format);
    common_write_text(error->message, sizeof error->message, format, values);
    va_end(values);
    return false;
}

// Reports a note to the user. While a file is read, notes are first counted, so that a hostile file
// cannot cause an unlimited number of messages.
void convert_note(const convert_job *job, const char *format, ...)
{
    if (!job->note)
        return;
    char text[1024];
    va_list values;
    va_start(values, format);
    if (job->budget)
        vsnprintf(text, sizeof text, format, values); // pass_on() removes control characters
    else
        common_write_text(text, sizeof text, format, values);
    va_end(values);
    if (job->budget)
        convert_count_note(job->budget, format, text);
    else
        job->note(job->user, text);
}

// Reports how many camera paths and morph targets the format `to` cannot store. The user learns
// in this way that the output contains less than the input.
void convert_note_unsupported_parts(const convert_job *job, const convert_scene *scene,
                                    const char *to, bool with_targets)
{
    size_t count = 0;
    for (size_t i = 0; i < scene->num_parts; i++) {
        convert_part *const part = &scene->parts[i];
        if (part->kind == CONVERT_CAMERA || (with_targets && part->kind == CONVERT_TARGET))
            count++;
    }
    if (count > 0)
        convert_note(job, "skipped camera paths and morph targets (%zu): %s does not support them",
                     count, to);
}

// An entry describes the newest versions of its engines. If no engine is requested, the first entry
// applies.
static const convert_engine engines[] = {
    {" doom3 dhewm3 darkmod tdm quake4 openq4 ", CONVERT_DOOM3, 0, true, false},
    {" rbdoom bfg ", CONVERT_DOOM3, 4, true, false},
    {" ironwail ", CONVERT_QUAKE, 4, false, false},
    {" qss quakespasm-spiked ", CONVERT_QUAKE, 4, false, true},
    {" fte fteqw ", CONVERT_QUAKE, 4, true, false},
    {" vkquake ", CONVERT_QUAKE, 8, false, false},
    {" q2pro yquake2 yquake2remaster ", CONVERT_QUAKE2, 0, false, false},
    {" cube2 redeclipse ", CONVERT_CUBE2, 4, false, false},
    {" daemon unvanquished ", CONVERT_OTHER, 4, false, false},
};
enum { NUM_ENGINES = COMMON_LENGTH(engines) };

bool convert_is_among(const char *names, const char *engine)
{
    char *const name = common_format(" %.*s ", (int)strcspn(engine, ":"), engine);
    const bool is_among = strstr(names, name) != NULL;
    free(name);
    return is_among;
}

const convert_engine *convert_find_engine(const char *name)
{
    const convert_engine *engine = engines;
    if (!name)
        return engine;
    while (engine < engines + NUM_ENGINES && !convert_is_among(engine->names, name))
        engine++;
    return engine < engines + NUM_ENGINES ? engine : &engines[0];
}

// Returns a copy of at most max_size bytes in which control characters and the characters of
// `invalid` are replaced by '_'.
char *convert_sanitize(const char *text, size_t max_size, const char *invalid)
{
    char *const clean = common_format("%.*s", (int)max_size, text);
    for (char *c = clean; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == '\x7f' || strchr(invalid, *c))
            *c = '_';
    }
    return clean;
}

// Returns a file name that is valid on all systems and not hidden. The caller frees it.
char *convert_file_name(const char *name)
{
    enum { MAX_BYTES = 100 };
    char *const text =
        convert_sanitize(name[0] != '\0' ? name : "unnamed", MAX_BYTES, "/\\:*?\"<>|");
    if (text[0] == '.')
        text[0] = '_';
    return text;
}

// Returns the bytes of a file, followed by a 0 byte, or NULL on failure. The caller frees them.
// Reports an error of the operating system with its text. The 0 byte lets parsers read the file
// as a string.
char *convert_read_file(const char *path, size_t *size, md5_error *error)
{
    const char *reason = NULL;
    char *const bytes = common_read_stream(path, size, &reason);
    if (!bytes)
        convert_fail(error, MD5_ERROR_IO, path, "cannot read the file: %s", reason);
    return bytes;
}

bool convert_can_continue(const convert_job *job, md5_error *error)
{
    if (job->should_continue && !job->should_continue(job->user))
        return convert_fail(error, MD5_ERROR_IO, job->output, "the conversion was canceled");
    return true;
}

// Writes a file completely or not at all: it gets its name after its content was written.
// Refuses to overwrite a file without --force.
bool convert_write_file(const convert_job *job, const char *path, const void *bytes, size_t size,
                        md5_error *error)
{
    if (!convert_can_continue(job, error))
        return false;
    if (common_is_file(path) && !job->is_forced)
        return convert_fail(error, MD5_ERROR_IO, path,
                            "the file already exists; use --force to overwrite it");
    common_writer writer;
    if (!common_begin_file(&writer, path, false)
        || !common_end_file(&writer, fwrite(bytes, 1, size, writer.file) == size))
        return convert_fail(error, MD5_ERROR_IO, path, "cannot write the file: %s",
                            strerror(errno));
    if (job->on_file_written)
        job->on_file_written(job->user, path);
    return true;
}

// Returns true if a file has the given content.
static bool has_content(const char *path, const void *bytes, size_t size)
{
    size_t existing_size = 0;
    md5_error unused;
    char *const existing = convert_read_file(path, &existing_size, &unused);
    const bool is_equal = existing && existing_size == size && memcmp(existing, bytes, size) == 0;
    free(existing);
    return is_equal;
}

// Writes a file next to the output. An image that exists with the same content is not written
// again.
bool convert_write_to_folder(const convert_job *job, const char *name, const void *bytes,
                             size_t size, md5_error *error)
{
    char *const folder = common_folder(job->output);
    char *const path = common_join(folder, name);
    const bool is_up_to_date = view_is_image(name) && has_content(path, bytes, size);
    const bool is_written = is_up_to_date || convert_write_file(job, path, bytes, size, error);
    free(path);
    free(folder);
    return is_written;
}

// Appends bytes to a growing array. The capacity doubles when it is exceeded, so that many small
// appends take linear time.
void convert_append(convert_bytes *out, const void *bytes, size_t size)
{
    if (out->capacity - out->size < size) {
        out->capacity = 2 * (out->size + size);
        out->bytes = common_realloc(out->bytes, out->capacity, 1);
    }
    if (size > 0)
        memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
}

void convert_append_and_free(convert_bytes *out, char *text)
{
    convert_append(out, text, strlen(text));
    free(text);
}

void convert_append_uint(convert_bytes *out, uint32_t number, size_t size)
{
    for (; size > 0; size--, number >>= 8)
        convert_append(out, &(unsigned char){(unsigned char)number}, 1);
}

// Appends `count` values of 32 bits in little-endian order. `words` is the address of `count`
// integers or floats of 4 bytes. They may be unaligned.
void convert_append_words(convert_bytes *out, const void *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, (const char *)words + i * sizeof word, sizeof word);
        convert_append_u32(out, word);
    }
}

void convert_append_u32(convert_bytes *out, uint32_t number)
{
    convert_append_uint(out, number, 4);
}

// -- Scenes ---------------------------------------------------------------------------------------

// Returns the key of a name in the index. Some file systems do not distinguish upper and lower
// case.
static char *make_key(convert_part_kind kind, const char *name)
{
    char *const key = common_format("%d/%s", (int)kind, name);
    for (char *c = key; *c != '\0'; c++) {
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    }
    return key;
}

// Adds a name to the index unless the index already contains it. Returns true if the name was
// added. *index is the position of the name in the index in both cases.
static bool add_name(convert_names *names, convert_part_kind kind, const char *name, size_t *index)
{
    char *const key = make_key(kind, name);
    const size_t former_count = names->index.count;
    *index = common_index_text(&names->index, key, strlen(key));
    free(key);
    const bool is_new = *index == former_count;
    if (is_new) {
        names->num_copies = common_grow(names->num_copies, former_count, sizeof *names->num_copies);
        names->num_copies[former_count] = 0;
    }
    return is_new;
}

static void free_names(convert_names *names)
{
    common_free_text_index(&names->index);
    free(names->num_copies);
    *names = (convert_names){.num_parts = 0};
}

// Builds the index again if parts were added or removed by other means.
static void update_names(convert_scene *scene)
{
    convert_names *const names = &scene->names;
    if (names->num_parts == scene->num_parts)
        return;
    free_names(names);
    for (size_t i = 0; i < scene->num_parts; i++) {
        size_t index;
        add_name(names, scene->parts[i].kind, scene->parts[i].name, &index);
    }
}

// Returns a name that no other part of this kind has: `name` itself, or else NAME_2, NAME_3 and so
// on. Adds the returned name to the index. The caller frees it.
static char *make_unique(convert_scene *scene, convert_part_kind kind, const char *name)
{
    convert_names *const names = &scene->names;
    update_names(scene);
    size_t name_index;
    if (add_name(names, kind, name, &name_index))
        return common_copy(name);

    // num_copies[] counts the numbers from 2 on that were tried, because a file may contain
    // thousands of equal names. A numbered name can exist too, as the name of a part in the file.
    char *unique = NULL;
    size_t unique_index;
    do {
        free(unique);
        names->num_copies[name_index]++;
        unique = common_format("%s_%u", name, 1 + names->num_copies[name_index]);
    } while (!add_name(names, kind, unique, &unique_index));
    return unique;
}

// Adds a part to the scene, with a copy of its path and a name that no other part of this kind has.
// The part owns `bytes` afterwards. A second model becomes a morph target.
// NOLINTBEGIN(readability-non-const-parameter): the part stores the pointer
void convert_add_part(convert_scene *scene, convert_part_kind kind, const char *name,
                      const char *path, char *bytes, size_t size)
// NOLINTEND(readability-non-const-parameter)
{
    const bool is_second = kind == CONVERT_MODEL && convert_find_model(scene);
    if (is_second)
        kind = CONVERT_TARGET;
    char *const unique = make_unique(scene, kind, name);
    *COMMON_ADD_ITEM(scene->parts, scene->num_parts) = (convert_part){.kind = kind,
                                                                      .is_model = is_second,
                                                                      .name = unique,
                                                                      .path = common_copy(path),
                                                                      .bytes = bytes,
                                                                      .size = size};
    scene->names.num_parts = scene->num_parts;
}

// Estimates the size of a document as text from its counts. Few documents exceed the estimate.
size_t convert_estimate_text(const md5_doc *doc)
{
    const size_t per_joint = 128;
    const size_t per_frame = 96;
    const size_t per_component = 12;
    const size_t per_mesh = 512;
    const size_t per_vertex = 56;
    const size_t per_triangle = 40;
    const size_t per_weight = 80;
    size_t size = 256; // the first lines
    size += per_joint * doc->num_joints;
    size += doc->num_frames * (per_frame + per_component * doc->num_components);
    for (uint32_t i = 0; i < doc->num_meshes; i++) {
        const md5_doc_mesh *const mesh = &doc->meshes[i];
        size += per_mesh;
        size += per_vertex * mesh->num_vertices;
        size += per_triangle * mesh->num_triangles;
        size += per_weight * mesh->num_weights;
    }
    return size;
}

// Replaces *text by the text of a document. The size is estimated, and the text is written again
// if it did not fit.
bool convert_print_doc(const md5_doc *doc, char **text, size_t *size, md5_error *error)
{
    size_t capacity = convert_estimate_text(doc);
    char *printed = common_realloc(NULL, capacity + 1, 1);
    *size = md5_write_doc(doc, printed, capacity + 1, error);
    while (*size >= capacity + 1) { // the text did not fit
        capacity = *size;
        printed = common_realloc(printed, capacity + 1, 1);
        *size = md5_write_doc(doc, printed, capacity + 1, error);
    }
    if (*size == 0) {
        free(printed);
        return false;
    }
    free(*text);
    *text = common_realloc(printed, *size + 1, 1);
    return true;
}

// Writes the document as text, and adds the text to the scene. Then parses the text to check it,
// because scales and offsets of the other format can produce numbers that are outside the range of
// MD5. The budget is charged for the time (bytes that are written and parsed) and for the memory.
bool convert_add_doc(const convert_job *job, convert_scene *scene, convert_part_kind kind,
                     const char *name, const md5_doc *doc, md5_error *error)
{
    char *text = NULL;
    size_t size = 0;
    const size_t estimate = convert_estimate_text(doc);
    if (!convert_charge(job, estimate, error))
        return false;
    if (!convert_charge_bytes(job, estimate, 1, error))
        return false;
    if (!convert_print_doc(doc, &text, &size, error))
        return false;
    convert_add_part(scene, kind, name, NULL, text, size);
    md5_doc *const read = convert_parse_text(&scene->parts[scene->num_parts - 1], error);
    const bool is_valid = read != NULL;
    md5_free_doc(read);
    return is_valid;
}

// Replaces components smaller than 1e-12 of `length` by 0: they are rounding errors of products.
static convert_vec clear_tiny(convert_vec v, double length)
{
    const double min = 1e-12 * length;
    if (!(fabs(v.x) > min))
        v.x = 0;
    if (!(fabs(v.y) > min))
        v.y = 0;
    if (!(fabs(v.z) > min))
        v.z = 0;
    return v;
}

md5_vec3 convert_stored_point(convert_vec v)
{
    return convert_to_vec3(clear_tiny(v, sqrt(convert_dot(v, v))));
}

// Returns the float below (step < 0) or above (step > 0) a value. 0 remains 0.
static float neighbor(float value, int step)
{
    if (step == 0 || value == 0)
        return value;
    return nextafterf(value, step < 0 ? -HUGE_VALF : HUGE_VALF);
}

// Returns the squared distance of a unit quaternion and the quaternion that readers compute from
// its stored numbers.
static double stored_error(md5_vec3 stored, convert_quat q)
{
    const md5_quat read = md5_quat_from_xyz(stored.x, stored.y, stored.z);
    const convert_quat difference = {read.x - q.x, read.y - q.y, read.z - q.z, read.w - q.w};
    return convert_quat_dot(difference, difference);
}

// Returns one of three components of a unit quaternion: the square root of `square` with the sign
// of `nearest`, but never -0.
static float solve_component(double square, float nearest)
{
    const float root = (float)sqrt(fmax(square, 0));
    return nearest < 0 && root > 0 ? -root : root;
}

// Returns the x, y and z that MD5 stores for a unit quaternion. Readers compute w from them.
// Where this computation is inaccurate, the stored numbers are rounded so that the result is as
// accurate as possible.
md5_vec3 convert_stored_rotation(convert_quat q)
{
    enum { NUM_COMBINATIONS = 3 * 3 * 3, NUM_VARIANTS = 4 };
    const double max_inaccurate_w = 0.02;
    const double max_error = 1e-12; // squared, for a rotation by 2e-6 radians
    if (q.w > 0)                    // MD5 stores the one of q and -q whose w is not positive
        q = (convert_quat){-q.x, -q.y, -q.z, -q.w};
    const md5_vec3 nearest = convert_to_vec3(clear_tiny((convert_vec){q.x, q.y, q.z}, 1));
    double min_error = stored_error(nearest, q);
    if (!(fabs(q.w) < max_inaccurate_w) || min_error < max_error)
        return nearest;

    // Readers compute w = -sqrt(1 - x^2 - y^2 - z^2). Near a rotation by 180 degrees, w is close to
    // 0. Rounding x, y and z to floats then changes w strongly. Of all combinations of neighboring
    // floats, use the most accurate one. Because the square of a component near 1 has large steps,
    // also try to compute one of the components from w and the other two.
    md5_vec3 best = nearest;
    for (int i = 0; i < NUM_COMBINATIONS * NUM_VARIANTS; i++) {
        // The digits of i in base 3 select the steps of x, y and z: 0, 1, 2 are steps -1, 0, 1.
        md5_vec3 tried = {neighbor(nearest.x, i % 3 - 1), neighbor(nearest.y, i / 3 % 3 - 1),
                          neighbor(nearest.z, i / 9 % 3 - 1)};
        const double x = tried.x;
        const double y = tried.y;
        const double z = tried.z;
        const double square = 1 - q.w * q.w;
        const int variant = i / NUM_COMBINATIONS;
        if (variant == 1)
            tried.x = solve_component(square - y * y - z * z, tried.x);
        if (variant == 2)
            tried.y = solve_component(square - x * x - z * z, tried.y);
        if (variant == 3)
            tried.z = solve_component(square - x * x - y * y, tried.z);
        const double error = stored_error(tried, q);
        if (error < min_error) {
            min_error = error;
            best = tried;
        }
    }

    return best;
}

md5_xform convert_stored_pose(convert_xform pose)
{
    const md5_vec3 q = convert_stored_rotation(pose.rotation);
    return (md5_xform){.rotation = md5_quat_from_xyz(q.x, q.y, q.z),
                       .translation = convert_stored_point(pose.translation)};
}

md5_bounds convert_extend_empty_box(md5_bounds box)
{
    const md5_vec3 size = md5_vec3_sub(box.max, box.min);
    const md5_vec3 unit = {1, 1, 1};
    if (size.x > 0 || size.y > 0 || size.z > 0)
        return box;
    return (md5_bounds){md5_vec3_sub(box.min, unit), md5_vec3_add(box.max, unit)};
}

md5_doc_joint convert_doc_joint(const char *name, uint32_t parent, convert_xform placed)
{
    return (md5_doc_joint){.name = name,
                           .parent = parent,
                           .position = convert_stored_point(placed.translation),
                           .rotation = convert_stored_rotation(placed.rotation)};
}

// Posing a vertex takes less than an eighth of the time of writing and parsing a byte of text,
// which is one element of the budget. Most of the work for a long clip of a large mesh is posing
// vertices.
enum { POSED_VERTICES_PER_ELEMENT = 8 };

// Charges the components of a clip and the vertices that are posed to compute its bounds.
static bool charge_clip(const convert_job *job, const convert_motion *motion,
                        const md5_model *model, md5_error *error)
{
    const uint64_t num_numbers = 2 * (uint64_t)motion->num_joints * motion->num_frames;
    const uint32_t num_meshes = model ? model->num_meshes : 0;
    uint64_t num_vertices = 0;
    for (uint32_t i = 0; i < num_meshes; i++)
        num_vertices += model->meshes[i].num_vertices;
    const uint64_t num_posed = num_vertices * motion->num_frames;
    return convert_charge(job, num_numbers + num_posed / POSED_VERTICES_PER_ELEMENT, error)
           && convert_charge_bytes(job, num_numbers, sizeof(md5_vec3), error);
}

// Computes the values of a clip: for each frame and joint, a position and a rotation. Sets the
// joints of the document to frame 0.
static bool pose_clip(const convert_motion *motion, const char *name, md5_doc *doc,
                      md5_vec3 *values, md5_error *error)
{
    const float max_distance = 1e9f; // distance of a joint from its parent
    convert_xform *const local = common_alloc(doc->num_joints, sizeof *local);
    bool is_valid = true;
    for (uint32_t frame = 0; frame < doc->num_frames && is_valid; frame++) {
        motion->pose(motion->user, frame, local);
        for (uint32_t i = 0; i < doc->num_joints; i++) {
            const convert_joint *const joint = &motion->joints[i];
            const md5_doc_joint posed = convert_doc_joint(joint->name, joint->parent, local[i]);
            const bool is_near = md5_vec3_length(posed.position) <= max_distance;
            if (frame == 0)
                doc->joints[i] = posed;
            *values++ = posed.position;
            *values++ = posed.rotation;
            is_valid = is_valid && is_near;
        }
        if (!is_valid)
            convert_fail(error, MD5_ERROR_RANGE, motion->path,
                         "clip %s: joint in frame %u is out of range: expected at most 1e9 units "
                         "from the origin; use a lower --scale",
                         name, frame);
    }

    free(local);
    return is_valid;
}

// Sets is_moved[] of the positions and rotations that differ from frame 0 in any frame by more than
// `rounding`. For positions, `rounding` is relative to the longest position in frame 0. For
// rotations, it is absolute.
static void find_moved_values(const md5_doc *doc, const md5_vec3 *values, float rounding,
                              bool *is_moved)
{
    const size_t num_values = 2 * (size_t)doc->num_joints;
    float max_length = 0;
    for (uint32_t i = 0; i < doc->num_joints; i++)
        max_length = fmaxf(max_length, md5_vec3_length(doc->joints[i].position));
    for (size_t frame = 0; frame < doc->num_frames; frame++) {
        const md5_vec3 *const frame_values = values + frame * num_values;
        for (size_t i = 0; i < num_values; i++) {
            const bool is_position = i % 2 == 0;
            const float tolerance = is_position ? rounding * max_length : rounding;
            const float change = md5_vec3_length(md5_vec3_sub(frame_values[i], values[i]));
            const bool is_equal = change <= tolerance;
            if (!is_equal)
                is_moved[i] = true;
        }
    }
}

// Sets the tracks of the joints: three animated components for each value that moves.
static void set_tracks(md5_doc *doc, const bool *is_moved)
{
    const uint32_t position_flags = 7;  // bits 0 to 2: x, y and z of the position
    const uint32_t rotation_flags = 56; // bits 3 to 5: x, y and z of the rotation
    for (uint32_t i = 0; i < doc->num_joints; i++) {
        const bool has_position = is_moved[2 * i];
        const bool has_rotation = is_moved[2 * i + 1];
        md5_track *const track = &doc->joints[i].track;
        if (has_position || has_rotation) // engines reject a `first` after the last component
            track->first = doc->num_components;
        if (has_position) {
            track->flags |= position_flags;
            doc->num_components += 3;
        }
        if (has_rotation) {
            track->flags |= rotation_flags;
            doc->num_components += 3;
        }
    }
}

// Removes the values that do not move from all frames. The other values move to the beginning.
static void remove_fixed_values(const md5_doc *doc, md5_vec3 *values, const bool *is_moved)
{
    const size_t num_values = 2 * (size_t)doc->num_joints;
    md5_vec3 *to = values;
    const md5_vec3 *from = values;
    for (uint32_t frame = 0; frame < doc->num_frames; frame++) {
        for (size_t i = 0; i < num_values; i++, from++) {
            if (is_moved[i])
                *to++ = *from;
        }
    }
}

// Computes the poses of a clip and separates the values of its joints. Values that never change are
// stored only in the base frame. All others are stored in each frame, in `values`, which has space
// for all values of all frames. The document refers to this array.
static bool fill_frames(const convert_motion *motion, const char *name, md5_doc *doc,
                        md5_vec3 *values, md5_error *error)
{
    const float rounding = motion->rounding > 0 ? motion->rounding : 1e-7f;
    if (!pose_clip(motion, name, doc, values, error))
        return false;
    bool *const is_moved = common_alloc(2 * (size_t)doc->num_joints, sizeof *is_moved);
    find_moved_values(doc, values, rounding, is_moved);
    set_tracks(doc, is_moved);
    remove_fixed_values(doc, values, is_moved);
    doc->numbers = &values->x;
    free(is_moved);
    return true;
}

// Adds a clip to the scene. The callback in `motion` computes its poses, one frame at a time. The
// clip is stored as in an .md5anim file. A component, such as the x of a joint's position, that
// never changes is stored only once, in the base frame. The frames store the other components.
bool convert_add_clip(const convert_job *job, convert_scene *scene, const char *name,
                      const convert_motion *motion, const md5_model *model, md5_error *error)
{
    if (!charge_clip(job, motion, model, error))
        return false;
    md5_doc doc = {.kind = MD5_DOC_ANIM,
                   .command_line = "md5tool convert",
                   .num_joints = motion->num_joints,
                   .num_frames = motion->num_frames,
                   .frame_rate = motion->rate,
                   .bounds = motion->bounds};
    const size_t values_per_frame = 2 * (size_t)doc.num_joints; // translations and rotations
    md5_vec3 *const values = common_alloc(doc.num_frames * values_per_frame, sizeof *values);
    doc.joints = common_alloc(doc.num_joints, sizeof *doc.joints);

    bool is_done = fill_frames(motion, name, &doc, values, error);
    if (is_done && model && model->max_vertices > 0)
        is_done = md5_fix_bounds(&doc, model, error) != MD5_NONE;
    is_done = is_done && convert_add_doc(job, scene, CONVERT_CLIP, name, &doc, error);

    md5_free_doc(&doc); // frees the bounds that md5_fix_bounds() allocated
    free(values);
    free(doc.joints);
    return is_done;
}

// Returns the model of a scene, or NULL. A scene has at most one model, because
// convert_add_part() makes further models morph targets.
const convert_part *convert_find_model(const convert_scene *scene)
{
    for (size_t i = 0; i < scene->num_parts; i++) {
        convert_part *const part = &scene->parts[i];
        if (part->kind == CONVERT_MODEL)
            return part;
    }
    return NULL;
}

md5_doc *convert_parse_text(const convert_part *part, md5_error *error)
{
    static const md5_doc_kind kinds[] = {MD5_DOC_MODEL, MD5_DOC_ANIM, MD5_DOC_CAMERA,
                                         MD5_DOC_MODEL};
    const md5_load_opts opts = {.file_name = part->path ? part->path : part->name};
    return md5_parse_doc(kinds[part->kind], part->bytes, part->size, &opts, error);
}

md5_model *convert_parse_model(const convert_part *part, md5_error *error)
{
    const md5_load_opts opts = {.file_name = part->path ? part->path : part->name};
    return md5_parse_model(part->bytes, part->size, &opts, error);
}

// Frees the memory of a part, but not the structure itself. The pointers in it become invalid.
void convert_free_part(const convert_part *part)
{
    free(part->name);
    free(part->path);
    free(part->bytes);
    free(part->skeleton_text);
    for (size_t i = 0; i < part->num_bones; i++) {
        free(part->bones[i].joint);
        free(part->bones[i].bone);
    }
    free(part->bones);
}

// Returns a copy of the name of an image without an extension such as .bmp; see convert.h.
char *convert_trim_image_name(const char *name)
{
    static const char *const unsupported[] = {".bmp", ".tif",  ".tiff", ".psd",
                                              ".vtf", ".webp", ".ktx2"};
    for (size_t i = 0; i < COMMON_LENGTH(unsupported); i++) {
        const size_t length = strlen(name);
        const size_t suffix = strlen(unsupported[i]);
        if (length > suffix && common_has_suffix(name, unsupported[i]))
            return common_format("%.*s", (int)(length - suffix), name);
    }
    return common_copy(name);
}

// Removes the weights of morph targets from index `first` on.
void convert_remove_weights(convert_scene *scene, size_t first)
{
    for (size_t i = first; i < scene->num_weights; i++) {
        convert_weights *const weights = &scene->weights[i];
        free(weights->clip);
        free(weights->target);
        free(weights->keys);
    }
    scene->num_weights = first;
}

// Frees the parts, the materials with their images, the weights of morph targets, the outfits
// and the names of a scene.
void convert_free_scene(convert_scene *scene)
{
    for (size_t i = 0; i < scene->num_parts; i++)
        convert_free_part(&scene->parts[i]);

    for (size_t j = 0; j < scene->num_materials; j++) {
        convert_material *const material = &scene->materials[j];
        for (int i = 0; i < CONVERT_NUM_MAPS; i++) {
            convert_image *const map = &material->maps[i];
            free(map->name);
            free(map->declared);
            free(map->bytes);
        }
        free(material->shader);
        free(material->text);
    }

    convert_remove_weights(scene, 0);
    free(scene->parts);
    free(scene->materials);
    for (size_t i = 0; i < scene->num_outfits; i++)
        free(scene->outfits[i].path);

    free(scene->outfits);
    free(scene->mesh_materials);
    free(scene->weights);
    free_names(&scene->names);

    free(scene->name);
    free(scene->image_path);
    free(scene->skipped_content);
}

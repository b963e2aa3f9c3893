// Reads Biovision motion capture: a skeleton of offsets, and the angles of its joints in each
// frame.
//
// The motion becomes a clip of a model (retarget.c) or, without a model, of the file's skeleton.
// Offsets and angles are in the file's axes, usually with y up. The channels of a joint are factors
// of its rotation, from left to right. The rotations of all joints are 0 in the rest pose. In some
// captures this pose is not a figure, because each joint has its own axes. Then the first frame is
// the rest pose.
#include "demo/convert/budget.h"
#include "demo/convert/retarget.h"
#include "demo/convert/tokens.h"

// -- Reading --------------------------------------------------------------------------------------

enum { MAX_JOINTS = 1 << 16, MAX_CHANNELS = 6 };

typedef struct bvh_joint {
    convert_vec offset;
    uint32_t num_channels;
    uint8_t channels[MAX_CHANNELS]; // 0 to 2: position x y z; 3 to 5: rotation about x y z
} bvh_joint;

typedef struct bvh_file {
    const convert_job *job;
    convert_tokens in;
    bvh_joint *joints;       // [num_joints]
    convert_joint *skeleton; // [num_joints] without `rest`
    uint32_t num_joints;
    uint32_t num_channels;
    uint32_t num_frames;
    double frame_time;
    float *values;        // [num_frames][num_channels]
    convert_quat axes;    // rotation from the file's space to the motion's space
    double scale;         // motion units per file unit
    md5_bounds *bounds;   // [num_frames] of the joints in the motion's space, or NULL
    convert_xform *local; // [num_joints] rest pose relative to the parents
    convert_xform *model; // [num_joints] model space
    bool is_first_frame_rest;
} bvh_file;

// Consumes the next token if it equals `word`, ignoring case.
static bool accept_token(bvh_file *file, const char *word)
{
    const size_t length = convert_next_token(&file->in);
    if (length != strlen(word))
        return false;
    for (size_t i = 0; i < length; i++)
        if ((file->in.at[i] | 0x20) != (word[i] | 0x20))
            return false;
    file->in.at += length;
    return true;
}

static bool expect(bvh_file *file, const char *word)
{
    if (!accept_token(file, word))
        return convert_fail_token(&file->in, word);
    return true;
}

static bool read_count(bvh_file *file, const char *name, uint32_t max, uint32_t *count)
{
    double number = 0;
    convert_next_token(&file->in);
    const char *const position = file->in.at;
    if (!convert_read_number(&file->in, name, &number))
        return false;
    *count = (uint32_t)fmax(number, 0.0);
    if (number >= 0 && number <= max && number == floor(number))
        return true;
    return convert_fail_at(&file->in, MD5_ERROR_RANGE, position,
                           "%s: expected an integer from 0 to %u, found %g", name, max, number);
}

static bool read_offset(bvh_file *file, convert_vec *offset)
{
    if (!expect(file, "OFFSET") || !convert_read_number(&file->in, "the X offset", &offset->x))
        return false;
    return convert_read_number(&file->in, "the Y offset", &offset->y)
           && convert_read_number(&file->in, "the Z offset", &offset->z);
}

static bool read_channels(bvh_file *file, bvh_joint *joint)
{
    static const char *const kinds[MAX_CHANNELS] = {"Xposition", "Yposition", "Zposition",
                                                    "Xrotation", "Yrotation", "Zrotation"};
    if (!read_count(file, "the number of channels", MAX_CHANNELS, &joint->num_channels))
        return false;
    file->num_channels += joint->num_channels;
    for (uint32_t i = 0; i < joint->num_channels; i++) {
        uint8_t kind = 0;
        while (kind < MAX_CHANNELS && !accept_token(file, kinds[kind]))
            kind++;
        if (kind == MAX_CHANNELS)
            return convert_fail_token(&file->in, "a channel, such as Xrotation");
        joint->channels[i] = kind;
    }
    return true;
}

// Reads the name of a joint, which extends to the end of the line, its offset and its channels.
static bool begin_joint(bvh_file *file, uint32_t parent)
{
    size_t length = convert_next_token(&file->in);
    const char *const name = file->in.at;
    if (length == 0)
        return convert_fail_token(&file->in, "a name");
    while (name + length < file->in.end && name[length] != '\n')
        length++;
    while (isspace((unsigned char)name[length - 1]) || (name[length - 1] == '{' && length > 1))
        length--; // the brace may be on the line of the name
    if (file->num_joints == MAX_JOINTS || length > 255)
        return convert_fail_at(&file->in, MD5_ERROR_RANGE, name,
                               "too many joints (limit %d), or a joint name longer than 255 bytes",
                               MAX_JOINTS);
    const uint32_t n = file->num_joints++;
    file->joints = common_grow(file->joints, n, sizeof *file->joints);
    file->skeleton = common_grow(file->skeleton, n, sizeof *file->skeleton);
    file->joints[n] = (bvh_joint){.num_channels = 0};
    file->skeleton[n] =
        (convert_joint){.name = convert_sanitize(name, length, CONVERT_QUOTE), .parent = parent};
    file->in.at += length;
    bvh_joint *const joint = &file->joints[n];
    if (!expect(file, "{") || !read_offset(file, &joint->offset))
        return false;
    return !accept_token(file, "CHANNELS") || read_channels(file, joint);
}

// Reads an end site, which has an offset and no channels. It does not become a joint.
static bool read_end(bvh_file *file)
{
    convert_vec unused;
    if (!expect(file, "Site") || !expect(file, "{"))
        return false;
    return read_offset(file, &unused) && expect(file, "}");
}

// Reads nested joints without recursion: the parents of the open joint are sufficient.
static bool read_hierarchy(bvh_file *file)
{
    if (!expect(file, "HIERARCHY"))
        return false;
    uint32_t joint = MD5_NONE; // the joint whose braces are open
    for (;;) {
        const bool is_outside = joint == MD5_NONE;
        if (is_outside && file->num_joints > 0 && accept_token(file, "MOTION"))
            return true;
        if (accept_token(file, is_outside ? "ROOT" : "JOINT")) {
            if (!begin_joint(file, joint))
                return false;
            joint = file->num_joints - 1;
        } else if (is_outside) {
            return convert_fail_token(&file->in, "ROOT or MOTION");
        } else if (accept_token(file, "}")) {
            joint = file->skeleton[joint].parent;
        } else if (!accept_token(file, "End")) {
            return convert_fail_token(&file->in, "JOINT, End Site or }");
        } else if (!read_end(file)) {
            return false;
        }
    }
}

// Reads the header of the frames: their number and the frame time.
static bool read_frame_header(bvh_file *file, uint32_t *count, const char **position)
{
    if (!expect(file, "Frames:")
        || !read_count(file, "the number of frames", UINT32_MAX / 2, count))
        return false;
    if (!expect(file, "Frame") || !expect(file, "Time:"))
        return false;
    convert_next_token(&file->in);
    *position = file->in.at;
    if (!convert_read_number(&file->in, "the frame time in seconds", &file->frame_time))
        return false;
    if (!(file->frame_time >= 1e-5))
        return convert_fail_at(&file->in, MD5_ERROR_RANGE, *position,
                               "invalid frame time: expected 1e-5 seconds or more, found %g",
                               file->frame_time);
    return true;
}

// Reads all frames. Memory is allocated for the numbers that the remaining text can contain.
static bool read_motion(bvh_file *file)
{
    enum { ELEMENTS_PER_SAMPLE = 8 }; // cost of a joint in a frame
    uint32_t count = 0;
    const char *position = NULL;
    if (!read_frame_header(file, &count, &position))
        return false;
    // Each number has at least a digit and a blank.
    uint64_t num_values = (uint64_t)count * file->num_channels;
    uint64_t num_read = 0;
    const uint64_t num_bytes = (uint64_t)(file->in.end - file->in.at);
    if (count == 0 || num_values > num_bytes / 2 + 1)
        return convert_fail_at(
            &file->in, MD5_ERROR_RANGE, position,
            "the file is too short for %u frames of %u channels and %u joints: %llu bytes remain",
            count, file->num_channels, file->num_joints, (unsigned long long)num_bytes);
    if (!convert_charge(file->job, ELEMENTS_PER_SAMPLE * (uint64_t)count * file->num_joints,
                        file->in.error))
        return false;
    file->num_frames = count;
    file->values = common_alloc((size_t)(num_bytes / 2 + 2), sizeof *file->values);
    while (num_read < num_values || convert_next_token(&file->in) > 0) {
        double number = 0;
        if (num_read == num_values) { // more frames than declared: some programs count from 0
            if (file->num_channels == 0)
                return convert_fail_at(&file->in, MD5_ERROR_SYNTAX, file->in.at,
                                       "expected end of file after %u frames", count);
            if (!convert_charge(file->job, ELEMENTS_PER_SAMPLE * (uint64_t)file->num_joints,
                                file->in.error))
                return false;
            file->num_frames++;
            num_values += file->num_channels;
        }
        if (!convert_read_number(&file->in, "a channel value", &number))
            return false;
        file->values[num_read++] = (float)number;
    }
    if (file->num_frames > count)
        convert_note(file->job, "%s: found %u frames, but Frames declares %u; all frames were read",
                     file->in.path, file->num_frames, count);
    return true;
}

// -- Poses ----------------------------------------------------------------------------------------

// Converts a transform to the space of the motion: M becomes C M C^-1.
static convert_xform to_motion(const bvh_file *file, convert_quat rotation, convert_vec position)
{
    const convert_quat axes = file->axes;
    return (convert_xform){
        convert_quat_mul(convert_quat_mul(axes, rotation), convert_conjugate(axes)),
        convert_times(convert_rotate(axes, position), file->scale)};
}

static const convert_quat no_rotation = {0, 0, 0, 1};

// For convert_motion.pose.
static void pose(void *user, uint32_t frame, convert_xform *local)
{
    const bvh_file *const file = user;
    const float *number = file->values + (size_t)frame * file->num_channels;
    for (uint32_t i = 0; i < file->num_joints; i++) {
        const bvh_joint *const joint = &file->joints[i];
        const uint32_t parent = file->skeleton[i].parent;
        double position[] = {joint->offset.x, joint->offset.y, joint->offset.z};
        convert_quat rotation = no_rotation;
        for (uint32_t k = 0; k < joint->num_channels; k++) {
            const double value = (double)*number++;
            const double half = value * 3.14159265358979323846 / 360.0;
            const double s = sin(half);
            const double c = cos(half);
            const convert_quat factors[] = {{s, 0, 0, c}, {0, s, 0, c}, {0, 0, s, c}};
            if (joint->channels[k] < 3)
                position[joint->channels[k]] = value;
            else
                rotation = convert_quat_mul(rotation, factors[joint->channels[k] - 3]);
        }
        local[i] = to_motion(file, rotation, (convert_vec){position[0], position[1], position[2]});
        if (!file->bounds)
            continue;
        file->model[i] = parent == MD5_NONE ? local[i] : convert_mul(file->model[parent], local[i]);
        const md5_vec3 at = convert_to_vec3(file->model[i].translation);
        const md5_bounds box = {at, at};
        file->bounds[frame] = i == 0 ? box : md5_bounds_union(file->bounds[frame], box);
    }
}

// Prints the skeleton in its rest pose as the text of a mesh file.
static bool print_rest(bvh_file *file, char **text, size_t *size)
{
    md5_doc doc = {.kind = MD5_DOC_MODEL,
                   .num_joints = file->num_joints,
                   .joints = common_alloc(file->num_joints, sizeof *doc.joints)};
    if (file->is_first_frame_rest)
        pose(file, 0, file->local);
    for (uint32_t i = 0; i < file->num_joints; i++) {
        const uint32_t parent = file->skeleton[i].parent;
        convert_xform *const at = &file->model[i];
        if (file->is_first_frame_rest)
            *at = file->local[i];
        else
            *at = to_motion(file, no_rotation, file->joints[i].offset);
        if (parent != MD5_NONE)
            *at = convert_mul(file->model[parent], *at);
        doc.joints[i] = convert_doc_joint(file->skeleton[i].name, parent, *at);
    }
    const bool is_done = convert_print_doc(&doc, text, size, file->in.error);
    free(doc.joints);
    return is_done;
}

// Returns the frame rate. Frame times are rounded in files: 0.0333333 means 30 Hz.
static double find_rate(const bvh_file *file)
{
    static const double rates[] = {24, 25, 30, 50, 60, 100, 120};
    double rate = 1.0 / file->frame_time;
    for (size_t i = 0; i < COMMON_LENGTH(rates); i++)
        if (fabs(rate / rates[i] - 1) <= 0.005)
            rate = rates[i];
    return rate;
}

// Returns MD5 units per unit of the file, guessed from the length of the legs.
static double guess_scale(const convert_job *job, double legs)
{
    static const struct guess {
        double min_length;
        double max_length;
        double scale;
        const char *reason;
    } guesses[] = {
        {0.4, 1.3, 1.0 / 0.0254, "the length of the legs suggests metres"},
        {45, 130, 1.0 / 2.54, "the length of the legs suggests centimetres"},
        {0, 0, 1, "assuming inches"},
    };
    if (job->scale > 0) {
        convert_note(job, "scale: 1 unit of the motion is %.6g MD5 units", job->scale);
        return job->scale;
    }
    const struct guess *guess = guesses;
    while (guess->max_length > 0 // the last guess accepts any length
           && !(legs >= guess->min_length && legs <= guess->max_length))
        guess++;
    convert_note(job, "scale: 1 unit of the motion is %.6g MD5 units: %s", guess->scale,
                 guess->reason);
    return guess->scale;
}

// -- The reader -----------------------------------------------------------------------------------

// Selects the rest pose, and the axes and the unit of the motion. On success, *text [*size] is the
// skeleton in the motion's space.
static bool select_space(bvh_file *file, char **text, size_t *size)
{
    convert_stance stance = {.is_standing = false};
    for (int attempt = 0; attempt < 2 && !stance.is_standing; attempt++) {
        file->is_first_frame_rest = attempt > 0;
        if (!print_rest(file, text, size))
            return false;
        md5_model *const model = md5_parse_model(*text, *size, NULL, file->in.error);
        free(*text);
        *text = NULL;
        if (!model)
            return false;
        stance = convert_measure(model);
        md5_free_model(model);
    }
    if (file->is_first_frame_rest)
        convert_note(file->job,
                     "%s: the pose without rotations is not a standing figure: the first frame is "
                     "used as the rest pose",
                     file->in.path);
    file->axes = convert_from_xform((md5_xform){.rotation = stance.axes}).rotation;
    file->scale = guess_scale(file->job, stance.legs);
    return print_rest(file, text, size);
}

// Adds the clip in the motion's space with its skeleton.
static bool add_clip(bvh_file *file, convert_scene *scene)
{
    char *skeleton_text = NULL;
    size_t size = 0;
    file->local = common_alloc(file->num_joints, sizeof *file->local);
    file->model = common_alloc(file->num_joints, sizeof *file->model);
    if (!select_space(file, &skeleton_text, &size))
        return false;
    scene->unit = file->scale;
    file->bounds = common_alloc(file->num_frames, sizeof *file->bounds);
    const convert_motion motion = {.path = file->in.path,
                                   .num_joints = file->num_joints,
                                   .joints = file->skeleton,
                                   .num_frames = file->num_frames,
                                   .rate = find_rate(file),
                                   .bounds = file->bounds,
                                   .pose = pose,
                                   .user = file};
    char *const name = common_stem(file->in.path);
    const bool is_added = convert_add_clip(file->job, scene, name, &motion, NULL, file->in.error);
    free(name);
    if (!is_added) {
        free(skeleton_text);
        return false;
    }
    convert_part *const part = &scene->parts[scene->num_parts - 1];
    part->skeleton_text = skeleton_text;
    part->skeleton_size = size;
    part->is_captured = true;
    return true;
}

bool convert_read_bvh(const convert_job *job, convert_input *input, convert_scene *scene,
                      md5_error *error)
{
    bvh_file file = {.job = job,
                     .in = {.path = input->path,
                            .error = error,
                            .at = input->bytes,
                            .end = input->bytes + input->size,
                            .line_start = input->bytes,
                            .line = 1,
                            .end_name = "end of file",
                            .max_shown = 40},
                     .axes = no_rotation,
                     .scale = 1};
    const bool is_read = read_hierarchy(&file) && read_motion(&file) && add_clip(&file, scene);
    for (uint32_t i = 0; i < file.num_joints; i++)
        free((char *)(uintptr_t)file.skeleton[i].name);
    free(file.skeleton);
    free(file.joints);
    free(file.values);
    free(file.bounds);
    free(file.local);
    free(file.model);
    return is_read;
}

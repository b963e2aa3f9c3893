// Biovision motion capture in: a skeleton of offsets, and for each frame the angles of its joints.
//
// The motion becomes a clip of a model (retarget.c), or, without one, of its own skeleton. Offsets
// and angles are in the file's own axes, mostly with y up: rotations of all joints are 0 in the
// rest pose. A joint's channels are factors from left to right.
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
    convert_joint *skeleton; // [num_joints] without its rest
    uint32_t num_joints;
    uint32_t num_channels;
    uint32_t num_frames;
    double frame_time;
    float *values;     // [num_frames][num_channels]
    convert_quat axes; // from the file's space and units to that of the motion
    double scale;
    md5_bounds *bounds;   // [num_frames] of the joints in that; NULL: not wanted
    convert_xform *model; // [num_joints]
} bvh_file;

// Takes the next word if it is this one, in small or capital letters.
static bool takes(bvh_file *file, const char *word)
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
    return takes(file, word) || convert_fail_token(&file->in, word);
}

static bool read_count(bvh_file *file, const char *what, uint32_t most, uint32_t *count)
{
    double number = 0;
    convert_next_token(&file->in);
    const char *const position = file->in.at;
    if (!convert_read_number(&file->in, what, &number))
        return false;
    *count = (uint32_t)fmax(number, 0.0);
    return (number >= 0 && number <= most && number == floor(number))
           || convert_fail_at(&file->in, MD5_ERROR_RANGE, position,
                              "%s: expected an integer from 0 to %u, found %g", what, most, number);
}

static bool read_offset(bvh_file *file, convert_vec *offset)
{
    return expect(file, "OFFSET") && convert_read_number(&file->in, "the X offset", &offset->x)
           && convert_read_number(&file->in, "the Y offset", &offset->y)
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
        while (kind < MAX_CHANNELS && !takes(file, kinds[kind]))
            kind++;
        if (kind == MAX_CHANNELS)
            return convert_fail_token(&file->in, "a channel, such as Xrotation");
        joint->channels[i] = kind;
    }
    return true;
}

// The name is the rest of the line.
static bool begin_joint(bvh_file *file, uint32_t parent)
{
    size_t length = convert_next_token(&file->in);
    const char *const name = file->in.at;
    if (length == 0)
        return convert_fail_token(&file->in, "a name");
    while (name + length < file->in.end && name[length] != '\n')
        length++;
    while (isspace((unsigned char)name[length - 1]) || (name[length - 1] == '{' && length > 1))
        length--; // a brace can stand on the line of the name
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
    return expect(file, "{") && read_offset(file, &joint->offset)
           && (!takes(file, "CHANNELS") || read_channels(file, joint));
}

// An end has an offset and no channels. It is no joint.
static bool read_end(bvh_file *file)
{
    convert_vec unused;
    return expect(file, "Site") && expect(file, "{") && read_offset(file, &unused)
           && expect(file, "}");
}

// Joints nest by braces, however deep: the open joint and the parents are all that is needed.
static bool read_hierarchy(bvh_file *file)
{
    if (!expect(file, "HIERARCHY"))
        return false;
    uint32_t joint = MD5_NONE; // whose braces are open
    for (;;) {
        if (joint == MD5_NONE && file->num_joints > 0 && takes(file, "MOTION"))
            return true;
        const bool is_joint = takes(file, joint == MD5_NONE ? "ROOT" : "JOINT");
        if (is_joint) {
            if (!begin_joint(file, joint))
                return false;
            joint = file->num_joints - 1;
        } else if (joint != MD5_NONE && takes(file, "}")) {
            joint = file->skeleton[joint].parent;
        } else if (joint == MD5_NONE || !takes(file, "End")) {
            return convert_fail_token(&file->in, joint == MD5_NONE ? "ROOT or MOTION"
                                                                   : "JOINT, End Site or }");
        } else if (!read_end(file))
            return false;
    }
}

// Room is made for as many numbers as the rest of the text can hold.
static bool read_motion(bvh_file *file)
{
    enum { SAMPLE = 8 }; // elements that a joint of a frame costs
    uint32_t count = 0;
    if (!expect(file, "Frames:")
        || !read_count(file, "the number of frames", UINT32_MAX / 2, &count)
        || !expect(file, "Frame") || !expect(file, "Time:"))
        return false;
    convert_next_token(&file->in);
    const char *const position = file->in.at;
    if (!convert_read_number(&file->in, "the frame time in seconds", &file->frame_time))
        return false;
    if (!(file->frame_time >= 1e-5))
        return convert_fail_at(&file->in, MD5_ERROR_RANGE, position,
                               "invalid frame time: expected 1e-5 seconds or more, found %g",
                               file->frame_time);
    // Each number has a digit and a blank.
    uint64_t num_values = (uint64_t)count * file->num_channels;
    uint64_t num_read = 0;
    const uint64_t rest = (uint64_t)(file->in.end - file->in.at);
    if (count == 0 || num_values > rest / 2 + 1)
        return convert_fail_at(
            &file->in, MD5_ERROR_RANGE, position,
            "the file is too short for %u frames of %u channels and %u joints: %llu bytes remain",
            count, file->num_channels, file->num_joints, (unsigned long long)rest);
    if (!convert_charge(file->job, SAMPLE * (uint64_t)count * file->num_joints, file->in.error))
        return false;
    file->num_frames = count;
    file->values = common_alloc((size_t)(rest / 2 + 2), sizeof *file->values);
    while (num_read < num_values || convert_next_token(&file->in) > 0) {
        double number = 0;
        if (num_read == num_values) { // some writers count frames from 0
            if (file->num_channels == 0)
                return convert_fail_at(&file->in, MD5_ERROR_SYNTAX, file->in.at,
                                       "expected end of file after %u frames", count);
            if (!convert_charge(file->job, SAMPLE * (uint64_t)file->num_joints, file->in.error))
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

// What a joint's numbers place, in the space of the motion: M becomes C M C^-1.
static convert_xform to_motion(const bvh_file *file, convert_quat rotation, convert_vec position)
{
    const convert_quat axes = file->axes;
    return (convert_xform){
        convert_quat_mul(convert_quat_mul(axes, rotation), convert_conjugate(axes)),
        convert_times(convert_rotate(axes, position), file->scale)};
}

static const convert_quat no_turn = {0, 0, 0, 1};

// For convert_motion.
static void pose(void *user, uint32_t frame, convert_xform *local)
{
    const bvh_file *const file = user;
    const float *number = file->values + (size_t)frame * file->num_channels;
    for (uint32_t i = 0; i < file->num_joints; i++) {
        const bvh_joint *const joint = &file->joints[i];
        const uint32_t parent = file->skeleton[i].parent;
        double position[] = {joint->offset.x, joint->offset.y, joint->offset.z};
        convert_quat rotation = no_turn;
        for (uint32_t k = 0; k < joint->num_channels; k++) {
            const double value = (double)*number++;
            const double half = value * 3.14159265358979323846 / 360.0;
            const double s = sin(half);
            const double c = cos(half);
            const convert_quat turns[] = {{s, 0, 0, c}, {0, s, 0, c}, {0, 0, s, c}};
            if (joint->channels[k] < 3)
                position[joint->channels[k]] = value;
            else
                rotation = convert_quat_mul(rotation, turns[joint->channels[k] - 3]);
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

// Makes the skeleton in its rest pose, as text of a mesh file.
static bool print_rest(const bvh_file *file, char **text, size_t *size)
{
    md5_doc doc = {.kind = MD5_DOC_MODEL,
                   .num_joints = file->num_joints,
                   .joints = common_alloc(file->num_joints, sizeof *doc.joints)};
    for (uint32_t i = 0; i < file->num_joints; i++) {
        const uint32_t parent = file->skeleton[i].parent;
        convert_xform *const at = &file->model[i];
        *at = to_motion(file, no_turn, file->joints[i].offset);
        if (parent != MD5_NONE)
            *at = convert_mul(file->model[parent], *at);
        doc.joints[i] = convert_doc_joint(file->skeleton[i].name, parent, *at);
    }
    const bool is_done = convert_print_doc(&doc, text, size, file->in.error);
    free(doc.joints);
    return is_done;
}

// Frame times are rounded in files: 0.0333333 is 30 frames a second.
static double find_rate(const bvh_file *file)
{
    static const double rates[] = {24, 25, 30, 50, 60, 100, 120};
    double rate = 1.0 / file->frame_time;
    for (size_t i = 0; i < COMMON_LENGTH(rates); i++)
        if (fabs(rate / rates[i] - 1) <= 0.005)
            rate = rates[i];
    return rate;
}

// MD5 units of one of the file, by the length of the legs, for a clip of its own skeleton.
static double guess_scale(const convert_job *job, double legs)
{
    static const struct guess {
        double least;
        double most;
        double scale;
        const char *what;
    } guesses[] = {
        {0.4, 1.3, 1.0 / 0.0254, "the length of the legs suggests metres"},
        {45, 130, 1.0 / 2.54, "the length of the legs suggests centimetres"},
        {0, 0, 1, "assuming inches"},
    };
    const struct guess *guess = guesses;
    while (guess->most > 0 && !(legs >= guess->least && legs <= guess->most)) // the last is any
        guess++;
    const bool is_asked = job->scale > 0;
    const double scale = is_asked ? job->scale : guess->scale;
    convert_note(job, "scale: 1 unit of the motion is %.6g MD5 units%s%s", scale,
                 is_asked ? "" : ": ", is_asked ? "" : guess->what);
    return scale;
}

// -- The reader -----------------------------------------------------------------------------------

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
                     .axes = no_turn,
                     .scale = 1};
    bool is_done = read_hierarchy(&file) && read_motion(&file);
    char *rest = NULL;
    size_t size = 0;
    file.model = common_alloc(file.num_joints, sizeof *file.model);
    is_done = is_done && print_rest(&file, &rest, &size);
    md5_model *const model = is_done ? md5_parse_model(rest, size, NULL, error) : NULL;
    if (model) { // the clip is in MD5's space, whatever axes the file has
        char *const name = common_stem(file.in.path);
        float legs = 0;
        const md5_quat axes = convert_measure(model, &legs);
        file.axes = convert_from_xform((md5_xform){.rotation = axes}).rotation;
        scene->unit = file.scale = guess_scale(job, legs);
        file.bounds = common_alloc(file.num_frames, sizeof *file.bounds);
        const convert_motion motion = {.path = file.in.path,
                                       .num_joints = file.num_joints,
                                       .joints = file.skeleton,
                                       .num_frames = file.num_frames,
                                       .rate = find_rate(&file),
                                       .bounds = file.bounds,
                                       .pose = pose,
                                       .user = &file};
        is_done = print_rest(&file, &rest, &size)
                  && convert_add_clip(job, scene, name, &motion, NULL, error);
        free(name);
    }
    is_done = is_done && model;
    if (is_done) {
        convert_part *const part = &scene->parts[scene->num_parts - 1];
        part->skeleton_text = rest;
        part->skeleton_size = size;
        part->is_captured = true;
    } else {
        free(rest);
    }
    md5_free_model(model);
    for (uint32_t i = 0; i < file.num_joints; i++)
        free((char *)(uintptr_t)file.skeleton[i].name);
    free(file.skeleton);
    free(file.joints);
    free(file.values);
    free(file.bounds);
    free(file.model);
    return is_done;
}

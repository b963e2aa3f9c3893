// Reads Biovision motion capture: a skeleton of offsets, and the angles of its joints in each
// frame.
//
// The motion becomes a clip of a model (retarget.c) or, without a model, of the file's skeleton.
// Offsets and angles are in the file's axes, usually with y up. The channels of a joint are factors
// of its rotation, from left to right. The rotations of all joints are 0 in the rest pose; see
// capture.c for files in which this pose is not a figure. The main structure is bvh_file.
#include "demo/convert/plain_scene.h"
#include "demo/convert/tokens.h"

// -- Reading --------------------------------------------------------------------------------------

enum { MAX_JOINTS = 1 << 16, MAX_CHANNELS = 6, MAX_NAME_SIZE = 255 };
enum { ELEMENTS_PER_SAMPLE = 8 }; // cost of a joint in a frame

// A joint of the hierarchy. Its channels are the numbers that each frame stores for it.
typedef struct bvh_joint {
    char *name;
    uint32_t parent;
    convert_vec offset;
    uint32_t num_channels;
    uint8_t channels[MAX_CHANNELS]; // 0 to 2: position x y z; 3 to 5: rotation about x y z
} bvh_joint;

// A BVH file while it is read.
typedef struct bvh_file {
    plain_scene plain;
    convert_tokens in;
    bvh_joint *joints; // [num_joints]
    uint32_t num_joints;
    uint32_t num_channels; // number of channels of all joints
    uint32_t num_frames;
    double frame_time;
    float *values; // [num_frames][num_channels]
    float *times;  // [num_frames] seconds
} bvh_file;

// Consumes the next token if it equals `keyword`, ignoring case.
static bool accept_token(bvh_file *file, const char *keyword)
{
    const size_t length = convert_next_token(&file->in);
    if (length != strlen(keyword))
        return false;
    for (size_t i = 0; i < length; i++) {
        if ((file->in.at[i] | 0x20) != (keyword[i] | 0x20))
            return false;
    }
    file->in.at += length;
    return true;
}

static bool expect(bvh_file *file, const char *keyword)
{
    if (!accept_token(file, keyword))
        return convert_fail_token(&file->in, keyword);
    return true;
}

// Reads an integer from 0 to `max`. `name` is its description in messages.
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

// Reads the channels of a joint: their number, then their names. Their order is the order of the
// numbers in each frame, and also the order in which rotations are applied.
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

// Returns the length of the name at the current token. The name may contain blanks, so it extends
// to the end of the line. Blanks and braces at its end do not belong to it: the opening brace of
// the joint may be on this line.
static size_t measure_name(const bvh_file *file, size_t token_length)
{
    const char *const name = file->in.at;
    size_t length = token_length;
    while (name + length < file->in.end && name[length] != '\n')
        length++;
    while (isspace((unsigned char)name[length - 1]) || (name[length - 1] == '{' && length > 1))
        length--;
    return length;
}

// Reads the beginning of a joint: its name, an opening brace, its offset from the parent, and
// the list of its channels. `parent` is the index of its parent, or MD5_NONE for a root. Returns
// false and fills the error on failure.
static bool begin_joint(bvh_file *file, uint32_t parent)
{
    const size_t token_length = convert_next_token(&file->in);
    if (token_length == 0)
        return convert_fail_token(&file->in, "a name");
    const char *const name = file->in.at;
    const size_t length = measure_name(file, token_length);
    if (file->num_joints == MAX_JOINTS)
        return convert_fail_at(&file->in, MD5_ERROR_RANGE, name,
                               "file has too many joints: expected at most %d", MAX_JOINTS);
    if (length > MAX_NAME_SIZE)
        return convert_fail_at(&file->in, MD5_ERROR_RANGE, name,
                               "joint name is too long: expected at most %d bytes, found %zu",
                               MAX_NAME_SIZE, length);

    const uint32_t index = file->num_joints++;
    file->joints = common_grow(file->joints, index, sizeof *file->joints);
    bvh_joint *const joint = &file->joints[index];
    char *const clean_name = convert_sanitize(name, length, CONVERT_QUOTE);
    *joint = (bvh_joint){.name = common_add(&file->plain.memory, clean_name), .parent = parent};
    file->in.at += length;
    if (!expect(file, "{") || !read_offset(file, &joint->offset))
        return false;
    return !accept_token(file, "CHANNELS") || read_channels(file, joint);
}

// Reads an end site, which has an offset and no channels. It does not become a joint. After the
// keyword, files contain `Site`, `Site4` or a name.
static bool read_end(bvh_file *file)
{
    convert_vec unused;
    const size_t token_length = convert_next_token(&file->in);
    if (token_length == 0)
        return convert_fail_token(&file->in, "Site");
    file->in.at += measure_name(file, token_length);
    if (!expect(file, "{"))
        return false;
    return read_offset(file, &unused) && expect(file, "}");
}

// Reads the section HIERARCHY, which contains nested joints, up to the keyword MOTION. Needs
// neither recursion nor a stack, because `joint` and its chain of parents are the joints whose
// braces are open.
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
            joint = file->joints[joint].parent;
        } else if (!accept_token(file, "End")) {
            return convert_fail_token(&file->in, "JOINT, End Site or }");
        } else if (!read_end(file)) {
            return false;
        }
    }
}

// Reads the header of the frames: their number and the frame time. `number` receives the position
// of the number of frames.
static bool read_frame_header(bvh_file *file, uint32_t *count, convert_tokens *number)
{
    if (!expect(file, "Frames:"))
        return false;
    convert_next_token(&file->in);
    *number = file->in;
    if (!read_count(file, "the number of frames", UINT32_MAX / 2, count))
        return false;
    if (!expect(file, "Frame") || !expect(file, "Time:"))
        return false;
    convert_next_token(&file->in);
    const char *const position = file->in.at;
    if (!convert_read_number(&file->in, "the frame time in seconds", &file->frame_time))
        return false;
    if (!(file->frame_time >= 1e-5))
        return convert_fail_at(&file->in, MD5_ERROR_RANGE, position,
                               "invalid frame time: expected 1e-5 seconds or more, found %g",
                               file->frame_time);
    return true;
}

// Fails because the next token is not a channel value. `num_read` values precede it.
static bool fail_value(bvh_file *file, uint64_t num_read)
{
    const unsigned long long channel = num_read % file->num_channels + 1;
    const unsigned long long frame = num_read / file->num_channels + 1;
    char expected[80];
    COMMON_TEXT(expected, "value %llu of %u in frame %llu of %u", channel, file->num_channels,
                frame, file->num_frames);
    return convert_fail_token(&file->in, expected);
}

// Reads all channel values to the end of the file. Some programs declare one frame too few, so
// frames after the declared ones are read, too.
static bool read_values(bvh_file *file, uint32_t num_declared)
{
    uint64_t num_values = (uint64_t)num_declared * file->num_channels;
    uint64_t num_read = 0;
    while (num_read < num_values || convert_next_token(&file->in) > 0) {
        const bool is_new_frame = num_read == num_values;
        if (is_new_frame) {
            if (file->num_channels == 0)
                return convert_fail_at(
                    &file->in, MD5_ERROR_SYNTAX, file->in.at,
                    "too many frames: expected the end of the file after %u %s (Frames)",
                    num_declared, common_noun(num_declared, "frame", "frames"));
            if (!convert_charge(file->plain.job, ELEMENTS_PER_SAMPLE * (uint64_t)file->num_joints,
                                file->in.error))
                return false;
            file->num_frames++;
            num_values += file->num_channels;
        }
        double number = 0;
        if (!convert_read_number(&file->in, "a channel value", &number))
            return fail_value(file, num_read);
        file->values[num_read++] = (float)number;
    }

    return true;
}

// Reads all frames. Memory is allocated for as many numbers as the remaining text can contain, not
// for the declared number of frames.
static bool read_motion(bvh_file *file)
{
    uint32_t count = 0;
    convert_tokens number;
    if (!read_frame_header(file, &count, &number))
        return false;
    if (count == 0)
        return convert_fail_at(&number, MD5_ERROR_RANGE, number.at,
                               "number of frames is out of range: expected at least 1, found 0");

    // Each number has at least a digit and a blank.
    const uint64_t num_bytes = (uint64_t)(file->in.end - file->in.at);
    const uint64_t num_values = (uint64_t)count * file->num_channels;
    const uint64_t max_values = num_bytes / 2 + 1;
    if (num_values > max_values)
        return convert_fail_at(&number, MD5_ERROR_RANGE, number.at,
                               "truncated file, or wrong number of frames: expected %llu numbers "
                               "for %u frames of %u channels, found at most %llu in the rest of "
                               "the file; copy or export the file again",
                               (unsigned long long)num_values, count, file->num_channels,
                               (unsigned long long)max_values);
    if (!convert_charge(file->plain.job, ELEMENTS_PER_SAMPLE * (uint64_t)count * file->num_joints,
                        file->in.error))
        return false;

    file->num_frames = count;
    file->values = common_alloc((size_t)(num_bytes / 2 + 2), sizeof *file->values);
    if (!read_values(file, count))
        return false;
    if (file->num_frames > count)
        convert_note(file->plain.job,
                     "%s: wrong number of frames: found %u, but Frames declares %u; all frames "
                     "were read",
                     file->in.path, file->num_frames, count);
    return true;
}

// -- The scene ------------------------------------------------------------------------------------

// Returns the frame rate in Hz. Files contain the rounded duration of a frame: 0.0333333 means 30
// Hz.
static double find_rate(const bvh_file *file)
{
    static const double rates[] = {24, 25, 30, 50, 60, 100, 120};
    double rate = 1.0 / file->frame_time;
    for (size_t i = 0; i < COMMON_LENGTH(rates); i++) {
        if (fabs(rate / rates[i] - 1) <= 0.005)
            rate = rates[i];
    }
    return rate;
}

// Adds a node for each joint, and the skin of all joints.
static void add_nodes(bvh_file *file)
{
    plain_scene *const plain = &file->plain;
    plain->num_nodes = file->num_joints;
    plain->nodes = common_alloc(plain->num_nodes, sizeof *plain->nodes);
    plain->num_skins = 1;
    plain->skins = common_alloc(1, sizeof *plain->skins);
    for (uint32_t i = 0; i < file->num_joints; i++) {
        const bvh_joint *const joint = &file->joints[i];
        plain_node *const node = &plain->nodes[i];
        *node = plain_new_node();
        node->name = joint->name;
        node->parent = joint->parent;
        memcpy(node->parts[PLAIN_TRANSLATION], &joint->offset, sizeof joint->offset);
    }
    plain_bind_nodes(&plain->skins[0], 0, file->num_joints);
    plain_set_order(plain);
}

// Computes the position and the rotation of a joint in a frame from its channels.
static void compute_keys(const bvh_joint *joint, const float *channels, float position[3],
                         float rotation[4])
{
    convert_quat q = {0, 0, 0, 1};
    position[0] = (float)joint->offset.x;
    position[1] = (float)joint->offset.y;
    position[2] = (float)joint->offset.z;

    for (uint32_t k = 0; k < joint->num_channels; k++) {
        const double half = channels[k] * 3.14159265358979323846 / 360.0;
        const double s = sin(half);
        const double c = cos(half);
        const convert_quat factors[] = {{s, 0, 0, c}, {0, s, 0, c}, {0, 0, s, c}};
        if (joint->channels[k] < 3)
            position[joint->channels[k]] = channels[k];
        else
            q = convert_quat_mul(q, factors[joint->channels[k] - 3]);
    }

    rotation[0] = (float)q.x;
    rotation[1] = (float)q.y;
    rotation[2] = (float)q.z;
    rotation[3] = (float)q.w;
}

// Adds the tracks of a joint. `first_channel` is the index of the joint's first channel in each
// frame.
static bool add_tracks(bvh_file *file, plain_animation *clip, uint32_t index, size_t first_channel)
{
    enum { WIDTH = 3 + 4 }; // numbers of a position and a rotation
    const size_t count = file->num_frames;
    float *const positions = plain_allocate_floats(&file->plain, count, WIDTH);
    if (!positions)
        return false;
    float *const rotations = positions + 3 * count;
    for (size_t f = 0; f < count; f++)
        compute_keys(&file->joints[index], file->values + f * file->num_channels + first_channel,
                     positions + 3 * f, rotations + 4 * f);
    plain_add_tracks(clip, index, count, file->times, positions, rotations);
    return true;
}

// Adds the clip. The root gets tracks even if it has no channels, because they define the number of
// frames.
static bool add_clip(bvh_file *file, const char *name)
{
    plain_scene *const plain = &file->plain;
    plain->num_animations = 1;
    plain->animations = common_alloc(1, sizeof *plain->animations);
    plain_animation *const clip = &plain->animations[0];
    *clip = (plain_animation){.name = name, .rate = find_rate(file)};
    file->times = common_alloc(file->num_frames, sizeof *file->times);
    for (uint32_t f = 0; f < file->num_frames; f++)
        file->times[f] = (float)(f / clip->rate);
    size_t first_channel = 0;
    for (uint32_t i = 0; i < file->num_joints; i++) {
        const uint32_t num_channels = file->joints[i].num_channels;
        if ((i == 0 || num_channels > 0) && !add_tracks(file, clip, i, first_channel))
            return false;
        first_channel += num_channels;
    }
    return true;
}

// Reads a BVH file, a motion capture: a hierarchy of joints, then one line of numbers per frame.
// It has no mesh, and its joints become a skeleton and a clip.
bool convert_read_bvh(const convert_job *job, convert_input *input, convert_scene *scene,
                      md5_error *error)
{
    bvh_file file = {
        .plain = {.job = job, .error = error, .path = input->path, .is_captured = true},
        .in = {.path = input->path,
               .error = error,
               .at = input->bytes,
               .end = input->bytes + input->size,
               .line_start = input->bytes,
               .line = 1,
               .end_name = "the end of the file",
               .max_shown = 40}};
    char *const name = common_stem(input->path);
    bool is_read = read_hierarchy(&file) && read_motion(&file);
    if (is_read) {
        add_nodes(&file);
        is_read = add_clip(&file, name) && convert_build(&file.plain, scene);
    }
    plain_free(&file.plain);
    free(file.joints);
    free(file.values);
    free(file.times);
    free(name);
    return is_read;
}

// Biovision motion capture in: a skeleton of offsets, and for each frame the angles of its joints.
//
// The motion becomes a clip of a model (retarget.c), or, without one, of its own skeleton. Offsets
// and angles are in the file's own axes, mostly with y up: rotations of all joints are 0 in the
// rest pose. A joint's channels are factors from left to right.
#include "demo/common/file.h"
#include "demo/convert/convert.h"
#include "demo/convert/retarget.h"
#include "demo/convert/space.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Reading --------------------------------------------------------------------------------------

enum { MOST_JOINTS = 1 << 16, MOST_CHANNELS = 6 };
// Joints times frames, of the file and of what is made of it.
static const uint64_t most_numbers = 1 << 26;

typedef struct bvh_joint {
    convert_vec offset;
    uint32_t num_channels, first_channel;
    uint8_t channels[MOST_CHANNELS]; // 0 to 2: position x y z; 3 to 5: rotation about x y z
} bvh_joint;

typedef struct bvh_file {
    const convert_job *job;
    const char *path;
    md5_error *error;
    const char *at, *end; // `end` is a byte of 0
    const char *line_start;
    uint32_t line;
    bvh_joint *joints; // [num_joints], as names and parents
    char **names;
    uint32_t *parents;
    uint32_t num_joints, num_channels, num_frames;
    double frame_time;
    float *values;               // [num_frames][num_channels]
    double rate;                 // of the clip
    convert_xform *rest, *local; // [num_joints]
} bvh_file;

static bool fail(const bvh_file *file, md5_status status, const char *position, const char *format,
                 ...) COMMON_PRINTF(4, 5);
static bool fail(const bvh_file *file, md5_status status, const char *position, const char *format,
                 ...)
{
    char text[sizeof file->error->message];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    convert_fail(file->error, status, file->path, "%s", text);
    file->error->line = file->line;
    file->error->column = (uint32_t)(position - file->line_start) + 1;
    return false;
}

// Moves to the next word, and returns its length; 0 at the end.
static size_t next_word(bvh_file *file)
{
    for (; file->at < file->end && isspace((unsigned char)*file->at); file->at++)
        if (*file->at == '\n') {
            file->line++;
            file->line_start = file->at + 1;
        }
    size_t length = 0;
    while (file->at + length < file->end && !isspace((unsigned char)file->at[length]))
        length++;
    return length;
}

static bool fail_expected(const bvh_file *file, size_t length, const char *what)
{
    if (length == 0)
        return fail(file, MD5_ERROR_SYNTAX, file->at, "expected %s, found the end", what);
    return fail(file, MD5_ERROR_SYNTAX, file->at, "expected %s, found '%.*s'", what,
                (int)(length < 40 ? length : 40), file->at);
}

// Takes the next word if it is this one, in small or capital letters.
static bool takes(bvh_file *file, const char *word)
{
    const size_t length = next_word(file);
    if (length != strlen(word))
        return false;
    for (size_t i = 0; i < length; i++)
        if ((file->at[i] | 0x20) != (word[i] | 0x20))
            return false;
    file->at += length;
    return true;
}

static bool expect(bvh_file *file, const char *word)
{
    return takes(file, word) || fail_expected(file, next_word(file), word);
}

static bool read_number(bvh_file *file, const char *what, double *number)
{
    const size_t length = next_word(file);
    char *end = NULL;
    *number = length > 0 ? strtod(file->at, &end) : 0.0; // the text ends with a byte of 0
    if (end != file->at + length || length == 0 || !(fabs(*number) <= 1e9))
        return fail_expected(file, length, what);
    file->at += length;
    return true;
}

static bool read_count(bvh_file *file, const char *what, uint32_t most, uint32_t *count)
{
    double number = 0.0;
    next_word(file);
    const char *const position = file->at;
    if (!read_number(file, what, &number))
        return false;
    *count = (uint32_t)fmax(number, 0.0);
    return (number >= 0.0 && number <= most && number == floor(number))
           || fail(file, MD5_ERROR_RANGE, position, "%s: %g, expected a whole number up to %u",
                   what, number, most);
}

static bool read_offset(bvh_file *file, convert_vec *offset)
{
    return expect(file, "OFFSET") && read_number(file, "the offset along x", &offset->x)
           && read_number(file, "the offset along y", &offset->y)
           && read_number(file, "the offset along z", &offset->z);
}

static bool read_channels(bvh_file *file, bvh_joint *joint)
{
    static const char *const kinds[MOST_CHANNELS] = {"Xposition", "Yposition", "Zposition",
                                                     "Xrotation", "Yrotation", "Zrotation"};
    if (!read_count(file, "the number of channels", MOST_CHANNELS, &joint->num_channels))
        return false;
    joint->first_channel = file->num_channels;
    file->num_channels += joint->num_channels;
    for (uint32_t i = 0; i < joint->num_channels; i++) {
        uint8_t kind = 0;
        while (kind < MOST_CHANNELS && !takes(file, kinds[kind]))
            kind++;
        if (kind == MOST_CHANNELS)
            return fail_expected(file, next_word(file), "a channel, such as Xrotation");
        joint->channels[i] = kind;
    }
    return true;
}

// The name is the rest of the line. MD5 texts cannot hold quotes.
static bool begin_joint(bvh_file *file, uint32_t parent)
{
    size_t length = next_word(file);
    const char *const name = file->at;
    if (length == 0)
        return fail_expected(file, length, "a name");
    while (name + length < file->end && name[length] != '\n')
        length++;
    while (isspace((unsigned char)name[length - 1]) || (name[length - 1] == '{' && length > 1))
        length--; // a brace can stand on the line of the name
    if (file->num_joints == MOST_JOINTS || length > 255)
        return fail(file, MD5_ERROR_RANGE, name, "more than %d joints, or a name above 255 bytes",
                    MOST_JOINTS);
    char *const copy = common_format("%.*s", (int)length, name);
    for (char *c = copy; *c != '\0'; c++)
        if (*c == '"' || (unsigned char)*c < ' ' || *c == '\x7f')
            *c = '_';
    const uint32_t n = file->num_joints++;
    file->joints = common_grow(file->joints, n, sizeof *file->joints);
    file->names = common_grow(file->names, n, sizeof *file->names);
    file->parents = common_grow(file->parents, n, sizeof *file->parents);
    file->joints[n] = (bvh_joint){.first_channel = file->num_channels};
    file->names[n] = copy;
    file->parents[n] = parent;
    file->at += length;
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
            joint = file->parents[joint];
        } else if (joint == MD5_NONE || !takes(file, "End")) {
            return fail_expected(file, next_word(file),
                                 joint == MD5_NONE ? "ROOT or MOTION" : "JOINT, End Site or }");
        } else if (!read_end(file))
            return false;
    }
}

// Room is made for as many numbers as the rest of the text can hold.
static bool read_motion(bvh_file *file)
{
    uint32_t count = 0;
    if (!expect(file, "Frames:")
        || !read_count(file, "the number of frames", UINT32_MAX / 2, &count)
        || !expect(file, "Frame") || !expect(file, "Time:"))
        return false;
    next_word(file);
    const char *const position = file->at;
    if (!read_number(file, "the seconds of a frame", &file->frame_time))
        return false;
    if (!(file->frame_time >= 1e-5))
        return fail(file, MD5_ERROR_RANGE, position, "a frame of %g seconds, expected 1e-5 or more",
                    file->frame_time);
    // Each number has a digit and a blank.
    const uint64_t num_values = (uint64_t)count * file->num_channels;
    const uint64_t rest = (uint64_t)(file->end - file->at);
    if (count == 0 || num_values > rest / 2 + 1
        || (uint64_t)count * file->num_joints > most_numbers)
        return fail(file, MD5_ERROR_RANGE, position,
                    "%u frames of %u channels and %u joints, but %llu bytes are left", count,
                    file->num_channels, file->num_joints, (unsigned long long)rest);
    file->num_frames = count;
    file->values = common_alloc((size_t)num_values + 1, sizeof *file->values);
    for (size_t i = 0; i < num_values; i++) {
        double number = 0.0;
        if (!read_number(file, "the number of a channel", &number))
            return false;
        file->values[i] = (float)number;
    }
    return next_word(file) == 0
           || fail(file, MD5_ERROR_SYNTAX, file->at, "expected the end behind %u frames", count);
}

// -- Poses ----------------------------------------------------------------------------------------

// A joint in a frame, relative to its parent.
static convert_xform joint_of(const bvh_file *file, uint32_t index, uint32_t frame)
{
    const bvh_joint *const joint = &file->joints[index];
    const float *const values =
        file->values + (size_t)frame * file->num_channels + joint->first_channel;
    double position[] = {joint->offset.x, joint->offset.y, joint->offset.z};
    convert_quat rotation = {0.0, 0.0, 0.0, 1.0};
    for (uint32_t i = 0; i < joint->num_channels; i++) {
        const double value = (double)values[i], half = value * 3.14159265358979323846 / 360.0;
        const double s = sin(half), c = cos(half);
        const convert_quat turns[] = {{s, 0.0, 0.0, c}, {0.0, s, 0.0, c}, {0.0, 0.0, s, c}};
        if (joint->channels[i] < 3)
            position[joint->channels[i]] = value;
        else
            rotation = convert_quat_mul(rotation, turns[joint->channels[i] - 3]);
    }
    return (convert_xform){rotation, {position[0], position[1], position[2]}};
}

// Relative to the parents.
static void pose_local(const bvh_file *file, uint32_t frame, convert_xform *local)
{
    for (uint32_t i = 0; i < file->num_joints; i++)
        local[i] = joint_of(file, i, frame);
}

// Model space, for convert_motion.
static void pose(void *user, uint32_t sample, convert_xform *joints)
{
    const bvh_file *const file = user;
    pose_local(file, sample, joints);
    for (uint32_t i = 0; i < file->num_joints; i++)
        if (file->parents[i] != MD5_NONE)
            joints[i] = convert_mul(joints[file->parents[i]], joints[i]);
}

// Frame times are rounded in files: 0.0333333 is 30 frames a second.
static void find_rate(bvh_file *file)
{
    static const double rates[] = {24.0, 25.0, 30.0, 50.0, 60.0, 100.0, 120.0};
    double rate = 1.0 / file->frame_time;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        if (fabs(rate / rates[i] - 1.0) <= 0.005)
            rate = rates[i];
    file->rate = rate;
}

// -- A clip of the motion's own skeleton ----------------------------------------------------------

// MD5 units of one of the file, by the length of the legs.
static double guess_scale(const bvh_file *file, double legs)
{
    static const struct guess {
        double least, most, scale;
        const char *what;
    } guesses[] = {
        {0.4, 1.3, 1.0 / 0.0254, "its legs are as long as if it were in metres"},
        {45.0, 130.0, 1.0 / 2.54, "its legs are as long as if it were in centimetres"},
        {0.0, HUGE_VAL, 1.0, "taken as inches"},
    };
    const struct guess *guess = guesses;
    while (legs < guess->least || legs > guess->most)
        guess++;
    const bool is_asked = file->job->scale > 0.0;
    const double scale = is_asked ? file->job->scale : guess->scale;
    convert_note(file->job, "one unit of the motion is %.6g of MD5%s%s", scale,
                 is_asked ? "" : ": ", is_asked ? "" : guess->what);
    return scale;
}

// The clip is in MD5's space, whatever axes the file has: each transform M becomes C M C^-1. A
// joint that has no channels, or only some, is not in the frames, or in part.
static bool add_own_clip(bvh_file *file, const convert_motion *motion, convert_scene *scene,
                         const char *name)
{
    double legs = 0.0;
    const convert_quat axes = convert_measure_motion(motion, &legs);
    const convert_quat back = convert_conjugate(axes);
    const double scale = guess_scale(file, legs);
    md5_doc doc = {.kind = MD5_DOC_ANIM, .command_line = "md5tool convert"};
    doc.num_joints = file->num_joints;
    doc.num_frames = file->num_frames;
    doc.frame_rate = file->rate;
    doc.joints = common_alloc(doc.num_joints, sizeof *doc.joints);
    doc.bounds = common_alloc(doc.num_frames, sizeof *doc.bounds);
    md5_vec3 *const points = common_alloc(doc.num_joints, sizeof *points);
    convert_xform *const local = file->local, *const model = file->rest; // the rest is known
    for (uint32_t frame = 0; frame < doc.num_frames; frame++) {
        pose_local(file, frame, local);
        for (uint32_t i = 0; i < doc.num_joints; i++) {
            const uint32_t parent = file->parents[i];
            local[i] =
                (convert_xform){convert_quat_mul(convert_quat_mul(axes, local[i].rotation), back),
                                convert_times(convert_rotate(axes, local[i].translation), scale)};
            model[i] = parent == MD5_NONE ? local[i] : convert_mul(model[parent], local[i]);
            points[i] = convert_to_vec3(model[i].translation);
            uint32_t flags = 0;
            for (uint32_t k = 0; k < file->joints[i].num_channels; k++)
                flags |= file->joints[i].channels[k] < 3 ? 7u : 56u;
            if (frame == 0)
                convert_set_track(&doc, i, file->names[i], parent, flags, local[i]);
        }
        if (frame == 0)
            convert_begin_frames(&doc);
        convert_set_frame(&doc, frame, local);
        doc.bounds[frame] = md5_bounds_from_points(points, doc.num_joints);
    }
    scene->unit = scale;
    const bool is_done = convert_add_doc(scene, CONVERT_CLIP, name, &doc, file->error);
    free(points);
    free(doc.bounds);
    free(doc.numbers);
    free(doc.joints);
    return is_done;
}

// -- The reader -----------------------------------------------------------------------------------

// The model that the motion is for: that of the job, or the first of the scene. NULL: none, or it
// cannot be loaded, and *is_done is false.
static md5_model *load_target(const bvh_file *file, const convert_scene *scene, bool *is_done)
{
    const char *const path = file->job->target;
    const convert_part *const part = convert_find_model(scene);
    md5_model *const model = path != NULL   ? md5_load_model(path, NULL, file->error)
                             : part != NULL ? convert_parse_model(part, file->error)
                                            : NULL;
    *is_done = model != NULL || (path == NULL && part == NULL);
    return model;
}

bool convert_read_bvh(const convert_job *job, convert_input *input, convert_scene *scene,
                      md5_error *error)
{
    input->bytes = common_realloc(input->bytes, input->size + 1, 1);
    input->bytes[input->size] = '\0';
    bvh_file file = {.job = job,
                     .path = input->path,
                     .error = error,
                     .at = input->bytes,
                     .end = input->bytes + input->size,
                     .line_start = input->bytes,
                     .line = 1};
    bool is_done = read_hierarchy(&file) && read_motion(&file);
    md5_model *const model = is_done ? load_target(&file, scene, &is_done) : NULL;
    if (is_done && model != NULL
        && (uint64_t)file.num_frames * model->skeleton.num_joints > most_numbers)
        is_done = convert_fail(error, MD5_ERROR_RANGE, file.path,
                               "%u frames are too many for %u "
                               "joints of the model",
                               file.num_frames, model->skeleton.num_joints);
    if (is_done) {
        find_rate(&file);
        file.rest = common_alloc(file.num_joints, sizeof *file.rest);
        file.local = common_alloc(file.num_joints, sizeof *file.local);
        for (uint32_t i = 0; i < file.num_joints; i++) {
            file.rest[i] = (convert_xform){{0.0, 0.0, 0.0, 1.0}, file.joints[i].offset};
            if (file.parents[i] != MD5_NONE)
                file.rest[i] = convert_mul(file.rest[file.parents[i]], file.rest[i]);
        }
        const convert_motion motion = {.path = file.path,
                                       .num_joints = file.num_joints,
                                       .names = (const char *const *)file.names,
                                       .parents = file.parents,
                                       .rest = file.rest,
                                       .num_frames = file.num_frames,
                                       .rate = file.rate,
                                       .pose = pose,
                                       .user = &file};
        char *const name = common_stem(file.path);
        is_done = model ? convert_retarget(job, &motion, model, scene, name, error)
                        : add_own_clip(&file, &motion, scene, name);
        free(name);
    }
    md5_free_model(model);
    for (uint32_t i = 0; i < file.num_joints; i++)
        free(file.names[i]);
    free(file.names);
    free(file.parents);
    free(file.joints);
    free(file.values);
    free(file.rest);
    free(file.local);
    return is_done;
}

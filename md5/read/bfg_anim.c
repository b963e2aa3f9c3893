// Animations of Doom 3 BFG: .bMD5anim files. Mixed byte order, as Anim.cpp of RBDOOM-3-BFG reads
// it.
#include "md5/read/anim_file.h"
#include "md5/read/binary.h"

typedef struct bfg_anim_reader {
    md5_binary in;
    md5_anim_file *file;
    md5_file_joint *joints;
    md5_track *tracks;
} bfg_anim_reader;

bool md5i_is_bfg_anim(const char *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "BMD", 3) == 0;
}

// Reads a count that the head has given already.
static bool read_same_count(md5_binary *in, const char *what, size_t bytes, uint32_t expected)
{
    uint32_t count;
    TRY(md5i_binary_count(in, what, 0, bytes, &count));
    if (count == expected)
        return true;
    in->at -= 4;
    return md5i_binary_fail(in, MD5_ERROR_RANGE, "%u %s: expected %u", count, what, expected);
}

static bool read_head(bfg_anim_reader *reader)
{
    enum { MAGIC = 4, TIME = 8, VERSION = 101 };
    md5_binary *const in = &reader->in;
    md5_anim_file *const file = reader->file;
    const unsigned char *const magic = md5i_binary_take(in, MAGIC);
    TRY(magic);
    if (magic[3] != VERSION)
        return md5i_binary_fail(in, MD5_ERROR_VERSION, "BFG animation of version %u: expected %d",
                                magic[3], VERSION);
    (void)md5i_binary_take(in, TIME);
    TRY(md5i_binary_count(in, "frames", 1, 1, &file->num_frames));
    uint32_t rate;
    TRY(md5i_binary_count(in, "frames a second", 1, 1, &rate));
    (void)md5i_binary_big_32(in); // length in milliseconds
    TRY(md5i_binary_count(in, "joints", 1, 1, &file->num_joints));
    TRY(md5i_binary_count(in, "animated components", 0, 1, &file->num_components));
    file->frame_rate = rate;
    return true;
}

static bool read_bounds(bfg_anim_reader *reader)
{
    enum { BYTES = 24 };
    md5_binary *const in = &reader->in;
    const uint32_t count = reader->file->num_frames;
    TRY(read_same_count(in, "bounds", BYTES, count));
    md5_bounds *const bounds = (md5_bounds *)md5i_arena_room(in->arena, count, sizeof *bounds);
    TRY(bounds);
    for (uint32_t i = 0; i < count; i++) {
        float values[6];
        for (int k = 0; k < 6; k++) {
            values[k] = md5i_binary_big_float(in);
            if (!(values[k] >= -1e9f && values[k] <= 1e9f)) {
                in->at -= 4;
                return md5i_binary_fail(in, MD5_ERROR_RANGE, "bounds beyond 1e9");
            }
        }
        bounds[i] =
            (md5_bounds){{values[0], values[1], values[2]}, {values[3], values[4], values[5]}};
    }
    reader->file->bounds = bounds;
    return true;
}

static uint32_t count_bits(uint32_t bits)
{
    uint32_t count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

static bool read_joint(bfg_anim_reader *reader, uint32_t joint)
{
    enum { ALL_FLAGS = 63 };
    md5_binary *const in = &reader->in;
    md5_track *const track = &reader->tracks[joint];
    TRY(md5i_binary_text(in, &reader->joints[joint].name, "a joint's name"));
    const unsigned char *const at = in->at;
    const int32_t parent = (int32_t)md5i_binary_big_32(in);
    *track = (md5_track){md5i_binary_big_32(in), md5i_binary_big_32(in)};
    TRY(!in->has_failed);
    const uint32_t num_components = reader->file->num_components;
    const uint32_t used = track->flags <= ALL_FLAGS ? count_bits(track->flags) : 7;
    reader->joints[joint].parent = parent < 0 ? -1 : parent;
    if (used == 0)
        track->first = 0; // wherever it pointed
    in->at = at;
    if (parent >= (int32_t)joint)
        return md5i_binary_fail(in, MD5_ERROR_RANGE,
                                "joint %u has parent %d: expected one before it", joint, parent);
    if (used > 6 || track->first > num_components || used > num_components - track->first)
        return md5i_binary_fail(in, MD5_ERROR_RANGE, "joint %u: components %u from %u on, of %u",
                                joint, track->flags, track->first, num_components);
    return md5i_binary_take(in, 12) != NULL;
}

static bool read_joints(bfg_anim_reader *reader)
{
    enum { BYTES = 16 };
    md5_binary *const in = &reader->in;
    const uint32_t count = reader->file->num_joints;
    TRY(read_same_count(in, "joints", BYTES, count));
    reader->joints = (md5_file_joint *)md5i_arena_alloc(in->arena, count, sizeof *reader->joints);
    reader->tracks = (md5_track *)md5i_arena_alloc(in->arena, count, sizeof *reader->tracks);
    uint32_t *const order = (uint32_t *)md5i_arena_room(in->arena, count, sizeof *order);
    TRY(reader->joints && reader->tracks && order);
    for (uint32_t joint = 0; joint < count; joint++) {
        order[joint] = joint; // parents come first
        TRY(read_joint(reader, joint));
    }
    reader->file->joints = reader->joints;
    reader->file->tracks = reader->tracks;
    reader->file->order = order;
    return true;
}

// Frames replace some of x y z, so w is computed later: w of ours is negative.
static bool read_base_frame(bfg_anim_reader *reader)
{
    enum { BYTES = 28 };
    md5_binary *const in = &reader->in;
    const uint32_t count = reader->file->num_joints;
    TRY(read_same_count(in, "joints of the base frame", BYTES, count));
    md5_xform *const frame = (md5_xform *)md5i_arena_alloc(in->arena, count, sizeof *frame);
    TRY(frame);
    for (uint32_t joint = 0; joint < count; joint++) {
        md5_quat q;
        TRY(md5i_binary_rotation(in, &q));
        const float sign = q.w > 0.0f ? -1.0f : 1.0f;
        frame[joint].rotation = (md5_quat){q.x * sign, q.y * sign, q.z * sign, 0.0f};
        TRY(md5i_binary_point(in, &frame[joint].translation));
    }
    reader->file->base_frame = frame;
    return true;
}

// One number more than the count says follows.
static bool read_numbers(bfg_anim_reader *reader)
{
    md5_binary *const in = &reader->in;
    const md5_anim_file *const file = reader->file;
    const uint64_t expected = (uint64_t)file->num_frames * file->num_components;
    uint32_t count;
    TRY(md5i_binary_count(in, "numbers", 0, 4, &count));
    if (count != expected) {
        in->at -= 4;
        return md5i_binary_fail(in, MD5_ERROR_RANGE, "%u numbers: expected %llu", count,
                                (unsigned long long)expected);
    }
    float *const numbers = (float *)md5i_arena_room(in->arena, count, sizeof *numbers);
    TRY(numbers);
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = md5i_binary_little_float(in);
        if (!(numbers[i] >= -1e9f && numbers[i] <= 1e9f)) {
            in->at -= 4;
            return md5i_binary_fail(in, MD5_ERROR_RANGE, "a number beyond 1e9");
        }
    }
    reader->file->numbers = numbers;
    (void)md5i_binary_little_float(in);
    return !in->has_failed;
}

bool md5i_read_bfg_anim(md5_arena *arena, const char *bytes, size_t size, md5_anim_file *file)
{
    md5_vec3 motion; // of the root over the whole animation: follows from the frames
    *file = (md5_anim_file){0};
    bfg_anim_reader reader = {.file = file};
    md5i_binary_begin(&reader.in, arena, bytes, size);
    TRY(read_head(&reader) && read_bounds(&reader) && read_joints(&reader));
    TRY(read_base_frame(&reader) && read_numbers(&reader));
    return md5i_binary_point(&reader.in, &motion);
}

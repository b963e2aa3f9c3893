// The memory budget of an IQM file, at its limit and one byte above.
#include "test/test.h"

#include "demo/convert/plain_scene.h"

enum {
    HEADER_SIZE = 124,
    TEXT_SIZE = 8,
    JOINT_SIZE = 48,
    POSE_SIZE = 88,
    CLIP_SIZE = 20,
    NUM_FRAMES = 5,
    FILE_SIZE = HEADER_SIZE + TEXT_SIZE + JOINT_SIZE + POSE_SIZE + CLIP_SIZE
};

// Numbers of the header, after the 16 bytes of the magic.
enum {
    VERSION = 0,
    SIZE = 1,
    TEXT_LENGTH = 3,
    TEXT_OFFSET = 4,
    NUM_JOINTS = 13,
    JOINT_OFFSET = 14,
    NUM_POSES = 15,
    POSE_OFFSET = 16,
    NUM_CLIPS = 17,
    CLIP_OFFSET = 18,
    FRAME_COUNT = 19,
    FRAME_OFFSET = 21,
};

static void write_number(char *bytes, size_t offset, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        bytes[offset + (size_t)i] = (char)(number >> (8 * i));
}

static void write_float(char *bytes, size_t offset, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    write_number(bytes, offset, bits);
}

// Writes a file of one joint "j" and one clip "c", whose frames have no channels.
static void write_file(char bytes[FILE_SIZE])
{
    enum { TEXT = HEADER_SIZE, JOINT = TEXT + TEXT_SIZE, POSE = JOINT + JOINT_SIZE };
    enum { CLIP = POSE + POSE_SIZE, SCALE = 8 }; // first channel of the scale
    const struct {
        size_t index;
        uint32_t value;
    } header[] = {
        {VERSION, 2},        {SIZE, FILE_SIZE},         {TEXT_LENGTH, 5},
        {TEXT_OFFSET, TEXT}, {NUM_JOINTS, 1},           {JOINT_OFFSET, JOINT},
        {NUM_POSES, 1},      {POSE_OFFSET, POSE},       {NUM_CLIPS, 1},
        {CLIP_OFFSET, CLIP}, {FRAME_COUNT, NUM_FRAMES}, {FRAME_OFFSET, FILE_SIZE},
    };
    memset(bytes, 0, FILE_SIZE);
    memcpy(bytes, "INTERQUAKEMODEL", 16);
    for (size_t i = 0; i < COUNT_OF(header); i++)
        write_number(bytes, 16 + 4 * header[i].index, header[i].value);
    memcpy(bytes + TEXT, "\0j\0c", 5);
    write_number(bytes, JOINT, 1);
    write_number(bytes, JOINT + 4, UINT32_MAX); // no parent
    write_number(bytes, POSE, UINT32_MAX);
    write_number(bytes, CLIP, 3);
    write_number(bytes, CLIP + 8, NUM_FRAMES);
    write_float(bytes, CLIP + 12, 24);
    for (size_t channel = 6; channel < 10; channel++) { // w of the rotation and the scale are 1
        write_float(bytes, JOINT + 8 + 4 * channel, 1);
        write_float(bytes, POSE + SCALE + 4 * channel, 1);
    }
}

// Reads the file with `num_left` bytes of memory left. Returns the number of bytes that are left
// after reading.
static uint64_t read_file(uint64_t num_left, bool *is_read)
{
    char *const bytes = test_calloc(FILE_SIZE, 1);
    convert_budget budget;
    convert_scene scene = {.name = NULL};
    md5_error error;
    write_file(bytes);
    convert_begin_budget(&budget, FILE_SIZE);
    const uint64_t limit = convert_max_bytes(FILE_SIZE);
    budget.num_bytes = limit - num_left;
    const convert_job job = {.budget = &budget};
    convert_input input = {"a.iqm", bytes, FILE_SIZE};
    *is_read = convert_read_iqm(&job, &input, &scene, &error);
    if (!*is_read)
        CHECK(error.status == MD5_ERROR_MEMORY);
    const uint64_t left = limit - budget.num_bytes;
    convert_end_budget(&budget, &job);
    convert_free_scene(&scene);
    free(bytes);
    return left;
}

// Charges in the order of reading: the names of the joint and the clip with their ends, the times
// of all frames and of the first and last frame, the tracks of three parts, and the keys of each
// part.
TEST (iqm_tracks_are_charged) {
    const uint64_t names = 2 + 2;
    const uint64_t times = (NUM_FRAMES + 2) * sizeof(float);
    const uint64_t tracks = 3 * sizeof(plain_track);
    const uint64_t first_keys = 2 * 3 * sizeof(float); // two keys of the translation
    bool is_read;
    CHECK_UINT(read_file(names + times + tracks - 1, &is_read), tracks - 1);
    CHECK(!is_read);
    CHECK_UINT(read_file(names + times + tracks, &is_read), 0);
    CHECK(!is_read); // the allocation of the keys failed
    CHECK_UINT(read_file(names + times + tracks + first_keys - 1, &is_read), first_keys - 1);
    CHECK(!is_read);
    CHECK(read_file(UINT32_MAX / 32, &is_read) > 0);
    CHECK(is_read);
}

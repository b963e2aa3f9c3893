// Tests of the binary models, animations and cameras of Doom 3 BFG. Functions that are independent
// of the reader write the test data.
//
// The parts test models, animations, hostile input, cameras, and the conversion to text.
#include "test/scoped.h"
#include "test/pose/test_generated_pose.h"
#include "test/real.h"

typedef struct bytes {
    unsigned char data[2048];
    size_t size;
} bytes;

static void put(bytes *to, const void *from, size_t size)
{
    memcpy(to->data + to->size, from, size);
    to->size += size;
}

static void append_zeros(bytes *to, size_t count)
{
    memset(to->data + to->size, 0, count);
    to->size += count;
}

static void append_big_endian(bytes *to, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        to->data[to->size++] = (unsigned char)(value >> shift);
}

static void append_little_endian(bytes *to, uint32_t value)
{
    for (int shift = 0; shift < 32; shift += 8)
        to->data[to->size++] = (unsigned char)(value >> shift);
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void append_text(bytes *to, const char *text)
{
    append_little_endian(to, (uint32_t)strlen(text));
    put(to, text, strlen(text));
}

static void append_rotation(bytes *to, float x, float y, float z, float w)
{
    append_big_endian(to, float_bits(x));
    append_big_endian(to, float_bits(y));
    append_big_endian(to, float_bits(z));
    append_big_endian(to, float_bits(w));
}

static void append_point(bytes *to, float x, float y, float z)
{
    append_little_endian(to, float_bits(x));
    append_little_endian(to, float_bits(y));
    append_little_endian(to, float_bits(z));
}

// -- Models ---------------------------------------------------------------------------------------

static void append_vertex(bytes *to, const float at[3], uint32_t u, uint32_t v,
                          const unsigned char joints[4], const unsigned char weights[4])
{
    for (int i = 0; i < 3; i++)
        append_big_endian(to, float_bits(at[i]));
    append_big_endian(to, u << 16 | v);
    append_zeros(to, 8); // normal and tangent
    put(to, joints, 4);
    put(to, weights, 4);
}

enum { HALF_ONE = 0x3C00, HALF_QUARTER = 0x3400, HALF_MINUS_1_5 = 0xBE00, HALF_TINY = 1 };

// Writes a binary model of two joints and one mesh.
static void write_model(bytes *model)
{
    model->size = 0;
    put(model, "BRM\x6c", 4);
    append_zeros(model, 8 + 4 + 24 + 12);
    append_text(model, "models/arm");
    append_zeros(model, 9);
    put(model, "5DM\x6a", 4);

    // Write two joints: a root, and an arm 2 units above it that is rotated by 90 degrees, so that
    // its x axis is -y.
    append_big_endian(model, 2);
    append_text(model, "root");
    append_big_endian(model, UINT32_MAX);
    append_text(model, "arm");
    append_big_endian(model, 0);
    append_big_endian(model, 2);
    append_rotation(model, 0, 0, 0, 1);
    append_point(model, 0, 0, 0);
    append_rotation(model, 0, 0, 0.70710678f, 0.70710678f);
    append_point(model, 0, 0, 2);
    append_big_endian(model, 2);
    append_zeros(model, 2 * 48);

    append_big_endian(model, 1);
    static const float at[3][3] = {{0, -1, 2}, {4, 0, 0}, {0, 3, 1}};
    append_text(model, "models/arm/skin");
    append_big_endian(model, 3);
    append_big_endian(model, 1);
    append_big_endian(model, 2);
    put(model, "\0\1", 2);
    append_zeros(model, 4);
    append_big_endian(model, 3);
    append_big_endian(model, 3); // vertices
    append_big_endian(model, 3); // indices
    append_big_endian(model, 1); // mirrored
    append_big_endian(model, 1); // duplicate
    append_big_endian(model, 1); // edges
    append_vertex(model, at[0], HALF_ONE, HALF_QUARTER, (const unsigned char *)"\1\0\0\0",
                  (const unsigned char *)"\xff\0\0\0");
    append_vertex(model, at[1], HALF_MINUS_1_5, HALF_TINY, (const unsigned char *)"\0\1\0\0",
                  (const unsigned char *)"\xcc\x33\0\0");
    append_vertex(model, at[2], 0, 0, (const unsigned char *)"\0\0\0\0",
                  (const unsigned char *)"\0\0\0\xff");
    put(model, "\0\0\0\1\0\2", 6);
    append_zeros(model, 6 + 4 + 8 + 8 + 4);
}

TEST (bfg_models_are_read_like_text) {
    bytes file;
    md5_error error = {0};
    write_model(&file);
    SCOPED_MODEL model = md5_parse_model(file.data, file.size, NULL, &error);
    if (!CHECK(model)) {
        CHECK_STRING(error.message, "");
        return;
    }
    CHECK_UINT(model->skeleton.num_joints, 2);
    CHECK_STRING(model->skeleton.joints[1].name, "arm");
    CHECK(model->skeleton.joints[0].parent == MD5_NONE && model->skeleton.joints[1].parent == 0);
    CHECK_NEAR(model->bind_local[1].translation.z, 2, 1e-6);
    CHECK_NEAR(model->bind_local[1].rotation.z * model->bind_local[1].rotation.w, -0.5, 1e-6);
    const md5_mesh *const mesh = &model->meshes[0];
    CHECK_STRING(mesh->shader, "models/arm/skin");
    CHECK_UINT(mesh->num_file_vertices, 3);
    CHECK_UINT(mesh->num_triangles, 1);
    CHECK_UINT(mesh->num_weights, 4);
    CHECK_UINT(mesh->weights[0].joint, 1);
    CHECK_EXACT(mesh->weights[0].bias, 1);
    CHECK_VEC3(mesh->weights[0].offset, 1, 0, 0, 1e-6); // 0 -1 2 relative to the arm
    CHECK_NEAR(mesh->weights[1].bias, 0.8, 1e-6);
    CHECK_NEAR(mesh->weights[2].bias, 0.2, 1e-6);
    CHECK_NEAR(mesh->positions[1].x, 4, 1e-5);
    CHECK_SMALL(mesh->positions[1].y, 1e-5);
    CHECK_NEAR(mesh->positions[2].y, 3, 1e-6);
    CHECK_EXACT(mesh->texcoords[0].x, 1);
    CHECK_EXACT(mesh->texcoords[0].y, 0.25);
    CHECK_EXACT(mesh->texcoords[1].x, -1.5);
    CHECK_NEAR(mesh->texcoords[1].y, 5.9604645e-8, 1e-15);
    CHECK(mesh->indices[0] == 0 && mesh->indices[1] == 1 && mesh->indices[2] == 2);
}

// A vertex whose weights are all 0 is at the origin, like a vertex without weights in a text file.
TEST (bfg_vertices_may_have_no_weights) {
    bytes file;
    write_model(&file);
    unsigned char *at = file.data;
    while (memcmp(at, "\0\0\0\0\0\0\0\xff", 8) != 0)
        at++;
    at[7] = 0;
    SCOPED_MODEL model = md5_parse_model(file.data, file.size, NULL, NULL);
    REQUIRE(model);
    const md5_vec3 point = model->meshes[0].positions[2];
    CHECK_UINT(model->meshes[0].num_weights, 3);
    CHECK(point.x == 0 && point.y == 0 && point.z == 0);
}

typedef enum file_kind { MODEL, ANIM, CAMERA } file_kind;

// Returns true if the data could be parsed.
static bool parse_any(file_kind kind, const unsigned char *data, size_t size,
                      const md5_load_opts *opts, md5_error *error)
{
    SCOPED_MODEL model = kind == MODEL ? md5_parse_model(data, size, opts, error) : NULL;
    SCOPED_ANIM anim = kind == ANIM ? md5_parse_anim(data, size, opts, error) : NULL;
    SCOPED_CAMERA camera = kind == CAMERA ? md5_parse_camera(data, size, opts, error) : NULL;
    return model || anim || camera;
}

typedef struct altered {
    size_t at;
    uint32_t value;
    const char *message;
} altered;

// Replaces the 4 bytes at `at` by `value`, big-endian, and expects an error.
static void check_altered(const bytes *good, file_kind kind, size_t at, uint32_t value,
                          const char *message)
{
    bytes file = *good;
    md5_error error = {0};
    file.size = at;
    append_big_endian(&file, value);
    file.size = good->size;
    CHECK(!parse_any(kind, file.data, file.size, NULL, &error));
    char text[400];
    snprintf(text, sizeof text, "byte %u: %s", error.column - 1, error.message);
    CHECK_STRING(text, message);
    CHECK_UINT(error.line, 1);
}

// Offsets of the parts of the model.
enum {
    NAME = 4 + 8 + 4 + 24 + 12,
    SECOND = NAME + 4 + 10 + 9,
    JOINTS = SECOND + 4,
    PARENT1 = JOINTS + 4 + 4 + 4 + 4 + 4 + 3,
    BIND = PARENT1 + 4,
    INVERSE = BIND + 4 + 2 * 28,
    MESHES = INVERSE + 4 + 2 * 48,
    COUNTS = MESHES + 4 + 4 + 15 + 8, // joints of the mesh
    VERTICES = COUNTS + 4 + 2 + 4 + 4,
    FIRST_VERTEX = VERTICES + 20,
    FIRST_INDEX = FIRST_VERTEX + 3 * 32
};

TEST (bfg_models_name_the_byte_of_an_error) {
    static const altered rows[] = {
        {0, 0x42524D6D,
         "byte 4: unsupported version of a BFG model: expected 108 or 110, found 109"},
        {12, 1,
         "byte 16: unsupported BFG model: expected a model with joints, found 1 static surfaces"},
        {SECOND, 0x35444D6B,
         "byte 75: not a BFG model of an .md5mesh: expected '5DM' and version 106, found "
         "'5DM' and version 107"},
        {JOINTS, 0,
         "byte 79: invalid number of joints: expected at least 1, found 0; the remaining 380 bytes "
         "can contain at most 47"},
        {JOINTS + 4, 0xFFFFFF7F,
         "byte 87: truncated file: expected 2147483647 more bytes, found 376"},
        {JOINTS + 8, 0x61006263, "byte 87: joint name contains a NUL byte"},
        {PARENT1, 1,
         "byte 102: joint 1 has an invalid parent: expected a joint before it, found joint 1"},
        {BIND, 1, "byte 106: wrong number of bind pose joints: expected 2, found 1"},
        {BIND + 16, 0, "byte 110: rotation is not normalized: expected length 1, found 0"},
        {BIND + 20, 0x0000807F,
         "byte 126: position is out of range: expected -1e9 to 1e9, found ( inf 0 0 )"},
        {VERTICES + 4, 4, "byte 331: wrong number of indices: expected a multiple of 3, found 4"},
        {FIRST_VERTEX, 0x7F800000,
         "byte 331: position is out of range: expected -1e9 to 1e9, found ( inf -1 2 )"},
        {FIRST_VERTEX + 24, 0x02000000,
         "byte 331: vertex refers to an unknown joint: expected an index below 2, found 2"},
        {VERTICES + 8, 35, "byte 433: truncated file: expected 162 more bytes, found 30"},
        {VERTICES + 8, 36,
         "byte 319: invalid number of mirrored vertices: expected at least 0, found 36; the "
         "remaining 140 bytes can contain at most 35"},
        {VERTICES + 12, 17, "byte 433: truncated file: expected 154 more bytes, found 30"},
        {VERTICES + 12, 18,
         "byte 323: invalid number of duplicate vertices: expected at least 0, found 18; the "
         "remaining 136 bytes can contain at most 17"},
        {VERTICES + 16, 16, "byte 433: truncated file: expected 146 more bytes, found 30"},
        {VERTICES + 16, 17,
         "byte 327: invalid number of edges: expected at least 0, found 17; the remaining 132 "
         "bytes can contain at most 16"},
        {FIRST_INDEX, 0x00030000,
         "byte 427: triangle refers to an unknown vertex: expected an index below 3, found 3"},
        {FIRST_INDEX, 3,
         "byte 429: triangle refers to an unknown vertex: expected an index below 3, found 3"},
    };
    bytes good;
    write_model(&good);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const altered *const row = &rows[i];
        check_altered(&good, MODEL, row->at, row->value, row->message);
    }
}

TEST (bfg_models_without_meshes_are_errors_if_meshes_are_needed) {
    bytes file;
    write_model(&file);
    file.size = MESHES;
    append_big_endian(&file, 0);
    for (int is_needed = 0; is_needed < 2; is_needed++) {
        const md5_load_opts opts = {.require_meshes = is_needed > 0};
        md5_error error = {0};
        CHECK(parse_any(MODEL, file.data, file.size, &opts, &error) == !is_needed);
        CHECK_STRING(error.message, is_needed
                                        ? "invalid number of meshes: expected at least 1, found 0; "
                                          "the remaining 0 bytes can contain at most 0"
                                        : "");
    }
}

// The smallest mesh has 48 bytes: an empty material name, and counts of 0.
TEST (bfg_models_may_end_with_an_empty_mesh) {
    bytes file;
    md5_error error = {0};
    write_model(&file);
    file.size = MESHES;
    append_big_endian(&file, 1);
    append_zeros(&file, 48);
    SCOPED_MODEL model = md5_parse_model(file.data, file.size, NULL, &error);
    CHECK_STRING(error.message, "");
    CHECK(model && model->num_meshes == 1 && model->meshes[0].num_vertices == 0);
}

// -- Animations -----------------------------------------------------------------------------------

// Writes a binary animation of two joints and two frames.
static void write_anim(bytes *anim)
{
    anim->size = 0;
    put(anim, "BMD\x65", 4);
    append_zeros(anim, 8);
    append_big_endian(anim, 2);  // frames
    append_big_endian(anim, 24); // frame rate, Hz
    append_big_endian(anim, 42); // duration, ms
    append_big_endian(anim, 2);  // joints
    append_big_endian(anim, 3);  // components
    append_big_endian(anim, 2);
    for (int i = 0; i < 12; i++)
        append_big_endian(anim, float_bits((float)i));
    append_big_endian(anim, 2);
    append_text(anim, "root");
    append_big_endian(anim, UINT32_MAX);
    append_big_endian(anim, 1); // x
    append_big_endian(anim, 0);
    append_text(anim, "arm");
    append_big_endian(anim, 0);
    append_big_endian(anim, 2 + 32); // y, z of the rotation
    append_big_endian(anim, 1);
    append_big_endian(anim, 2);
    append_rotation(anim, 0, 0, 0, 1);
    append_point(anim, 0, 0, 0);
    append_rotation(anim, 0, 0.5f, -0.5f, 0.70710678f);
    append_point(anim, 1, 2, 3);
    append_big_endian(anim, 6);
    append_point(anim, 0, 2, 0.25f);
    append_point(anim, 5, -7, 0.75f);
    append_zeros(anim, 4);
    append_point(anim, 5, 0, 0);
}

static const char same_text[] =
    "MD5Version 10\ncommandline \"\"\nnumFrames 2\nnumJoints 2\nframeRate 24\n"
    "numAnimatedComponents 3\nhierarchy {\n\"root\" -1 1 0\n\"arm\" 0 34 1\n}\nbounds {\n"
    "( 0 1 2 ) ( 3 4 5 )\n( 6 7 8 ) ( 9 10 11 )\n}\nbaseframe {\n( 0 0 0 ) ( 0 0 0 )\n"
    "( 1 2 3 ) ( 0 0.5 -0.5 )\n}\nframe 0 {\n0 2 0.25\n}\nframe 1 {\n5 -7 0.75\n}\n";

TEST (bfg_anims_equal_those_of_text) {
    bytes file;
    md5_error error = {0};
    write_anim(&file);
    SCOPED_ANIM anim = md5_parse_anim(file.data, file.size, NULL, &error);
    SCOPED_ANIM text = text_anim(same_text, &error);
    if (!CHECK(anim && text)) {
        CHECK_STRING(error.message, "");
        return;
    }
    CHECK_UINT(anim->num_frames, 2);
    CHECK_EXACT(anim->frame_rate, 24);
    CHECK_STRING(anim->skeleton.joints[1].name, "arm");
    CHECK_BYTES(anim->frame_bounds, text->frame_bounds, 2 * sizeof(md5_bounds));
    for (uint32_t frame = 0; frame < 2; frame++) {
        const md5_sample_position sample = md5_sample_position_from_frames(text, frame, frame, 0);
        md5_xform pose[2], expected[2];
        sample_anim(anim, sample, MD5_ROOT_FILE, pose);
        sample_anim(text, sample, MD5_ROOT_FILE, expected);
        for (int joint = 0; joint < 2; joint++) {
            CHECK_EXACT(pose[joint].translation.x, expected[joint].translation.x);
            CHECK_EXACT(pose[joint].translation.y, expected[joint].translation.y);
            CHECK_NEAR(pose[joint].rotation.y, expected[joint].rotation.y, 1e-6);
            CHECK_NEAR(pose[joint].rotation.z, expected[joint].rotation.z, 1e-6);
            CHECK_NEAR(pose[joint].rotation.w, expected[joint].rotation.w, 1e-6);
        }
    }
}

TEST (bfg_anims_name_the_byte_of_an_error) {
    static const altered rows[] = {
        {0, 0x424D4466, "byte 4: unsupported version of a BFG animation: expected 101, found 102"},
        {12, 0,
         "byte 12: invalid number of frames: expected at least 1, found 0; the remaining 215 bytes "
         "can contain at most 215"},
        {32, 3, "byte 32: wrong number of bounds: expected 2, found 3"},
        {36, 0x7FC00000, "byte 36: bounding box is out of range: expected -1e9 to 1e9, found nan"},
        {84, 1, "byte 84: wrong number of joints: expected 2, found 1"},
        {96, 0,
         "byte 96: joint 0 has an invalid parent: expected a joint before it, found joint 0"},
        {100, 64,
         "byte 96: joint 0 uses invalid components: flags 64 and first component 0 do not fit 3 "
         "components"},
        {104, 3,
         "byte 96: joint 0 uses invalid components: flags 1 and first component 3 do not fit 3 "
         "components"},
        {127, 1, "byte 127: wrong number of base frame joints: expected 2, found 1"},
        {187, 5, "byte 187: wrong number of animation values: expected 6, found 5"},
        {191, 0x0000C07F,
         "byte 191: animation value is out of range: expected -1e9 to 1e9, found nan"},
    };
    bytes good;
    write_anim(&good);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const altered *const row = &rows[i];
        check_altered(&good, ANIM, row->at, row->value, row->message);
    }
}

// -- Hostile input --------------------------------------------------------------------------------

// Reads a file that is truncated at each byte, that has each bit altered, and with each allocation
// failing.
static void check_hostile(const bytes *good, file_kind kind)
{
    md5_error error = {0};
    for (size_t size = 4; size < good->size;
         size++) { // exact size: a read past the end is detected
        SCOPED unsigned char *const part = test_calloc(size, 1);
        memcpy(part, good->data, size);
        CHECK(!parse_any(kind, part, size, NULL, &error));
        CHECK(error.status != MD5_OK && error.status != MD5_ERROR_MEMORY);
        // A count can be too large for the rest of the file.
        const bool is_count = strncmp(error.message, "invalid number of ", 18) == 0;
        CHECK_THAT(is_count || strncmp(error.message, "truncated file: ", 16) == 0,
                   "%zu of %zu bytes: %s", size, good->size, error.message);
    }
    for (size_t i = 0; i < good->size * 8; i++) {
        bytes file = *good;
        file.data[i / 8] ^= (unsigned char)(1 << i % 8);
        parse_any(kind, file.data, file.size, NULL, &error);
    }
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        parse_any(kind, good->data, good->size, &failure.opts, &failure.error);
        CHECK_FAILURE(failure, failure.heap.num_allocs < failure.heap.fail_at);
    }
}

TEST (bfg_files_may_be_truncated_or_altered) {
    bytes file;
    write_model(&file);
    check_hostile(&file, MODEL);
    write_anim(&file);
    check_hostile(&file, ANIM);
}

// -- Camera ---------------------------------------------------------------------------------------
//
// Camera paths of RBDOOM-3-BFG (.bcanim). Functions that are independent of the reader write the
// test data.

// The frames of the camera: field of view, x y z of the rotation, position.
static const float frames[4][7] = {
    {90, 0, 0, 0.5f, 1, 2, 3},
    {80, 0, 0.5f, 0.5f, -1, 2.5f, 3},
    {70, 0.5f, 0, 0.5f, 1, 2, 30},
    {60, 0, 0, 0, 100, 2, 3},
};

// RATE, NUM_CUTS, CUTS, NUM_FRAMES and FRAMES are offsets of these parts in the camera file.
enum { RATE = 4, NUM_CUTS = 8, CUTS = 12, NUM_FRAMES = 16, FRAMES = 20 };

static void write_camera(bytes *camera)
{
    camera->size = 0;
    append_big_endian(camera, 0x41434264); // ACB, 100
    append_little_endian(camera, 30);
    append_little_endian(camera, 1);
    append_little_endian(camera, 2);
    append_little_endian(camera, 4);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++)
            append_big_endian(camera, float_bits(frames[i][k]));
        for (int k = 4; k < 7; k++)
            append_little_endian(camera, float_bits(frames[i][k]));
    }
}

static const char same_as_text[] =
    "MD5Version 10\ncommandline \"\"\nnumFrames 4\nframeRate 30\nnumCuts 1\ncuts {\n2\n}\ncamera "
    "{\n"
    "( 1 2 3 ) ( 0 0 0.5 ) 90\n( -1 2.5 3 ) ( 0 0.5 0.5 ) 80\n( 1 2 30 ) ( 0.5 0 0.5 ) 70\n"
    "( 100 2 3 ) ( 0 0 0 ) 60\n}\n";

TEST (bfg_cameras_equal_those_of_text) {
    bytes file;
    write_camera(&file);
    SCOPED_CAMERA camera = md5_parse_camera(file.data, file.size, NULL, NULL);
    SCOPED_CAMERA text = md5_parse_camera(same_as_text, strlen(same_as_text), NULL, NULL);
    REQUIRE(camera && text);
    CHECK_UINT(camera->num_frames, text->num_frames);
    CHECK_UINT(camera->num_cuts, text->num_cuts);
    CHECK_UINT(camera->cuts[0], text->cuts[0]);
    CHECK_EXACT(camera->frame_rate, text->frame_rate);
    CHECK_EXACT(camera->duration, text->duration);
    CHECK_BYTES(camera->frames, text->frames, camera->num_frames * sizeof *camera->frames);
    CHECK_STRING(camera->command_line, "");
    CHECK_UINT(camera->num_warnings, 0);
    CHECK_NEAR(camera->frames[0].rotation.w, -0.8660254, 1e-6);
    CHECK_EXACT(camera->frames[2].position.z, 30);
}

static void check_error(size_t at, uint32_t big, const char *message)
{
    bytes file;
    md5_error error = {0};
    char text[300];
    write_camera(&file);
    const size_t size = file.size;
    file.size = at;
    append_big_endian(&file, big);
    CHECK(!md5_parse_camera(file.data, size, NULL, &error));
    snprintf(text, sizeof text, "%u:%u: %s", error.line, error.column, error.message);
    CHECK_STRING(text, message);
}

TEST (bfg_cameras_name_the_byte_of_an_error) {
    check_error(0, 0x41434265, "1:5: unsupported version of a BFG camera: expected 100, found 101");
    check_error(RATE, 0, "1:5: frame rate is out of range: expected at least 1, found 0");
    check_error(RATE, 0x000000FF,
                "1:5: frame rate is out of range: expected at least 1, found -16777216");
    check_error(NUM_CUTS, 0xFFFFFFFF,
                "1:9: invalid number of cuts: expected at least 0, found -1; the remaining 120 "
                "bytes can contain at most 30");
    check_error(CUTS, 0x04000000, "1:13: cut is out of range: expected a frame below 4, found 4");
    check_error(NUM_FRAMES, 0,
                "1:17: invalid number of frames: expected at least 1, found 0; the remaining 112 "
                "bytes can contain at most 4");
    check_error(NUM_FRAMES, 0x05000000,
                "1:17: invalid number of frames: expected at least 1, found 5; the remaining 112 "
                "bytes can contain at most 4");
    check_error(FRAMES, 0x7FC00000,
                "1:21: field of view is out of range: expected -1e9 to 1e9, found nan");
    check_error(FRAMES + 8, 0xFF800000,
                "1:21: rotation is out of range: expected -1e9 to 1e9, found ( 0 -inf 0.5 )");
    check_error(FRAMES + 16, 0x0000C07F,
                "1:37: position is out of range: expected -1e9 to 1e9, found ( nan 2 3 )");
}

static void note_warning(void *user, const md5_error *warning)
{
    *(md5_error *)user = *warning;
}

TEST (bfg_cameras_report_unusual_views) {
    bytes file;
    md5_error error = {0};
    md5_error warning = {0};
    const md5_load_opts opts = {.warn = note_warning, .warn_user = &warning};
    write_camera(&file);
    const size_t size = file.size;
    file.size = FRAMES + 28;
    append_big_endian(&file, float_bits(180));
    SCOPED_CAMERA camera = md5_parse_camera(file.data, size, &opts, &error);
    REQUIRE(camera);
    CHECK_UINT(camera->num_warnings, 1);
    CHECK_UINT(warning.column, FRAMES + 28 + 1);
    CHECK_STRING(
        warning.message,
        "field of view is out of range: expected more than 0 and less than 180 degrees, found 180");
}

TEST (bfg_cameras_of_any_bytes_are_handled) {
    bytes good;
    write_camera(&good);
    check_hostile(&good, CAMERA);
}

// -- Conversion to text ---------------------------------------------------------------------

static char *as_text(md5_doc_kind kind, const bytes *file)
{
    md5_error error = {0};
    md5_doc *const doc = md5_parse_doc(kind, file->data, file->size, NULL, &error);
    CHECK_DONE(doc, error);
    const size_t size = doc ? md5_write_doc(doc, NULL, 0, &error) : 0;
    char *const text = test_calloc(size + 1, 1);
    if (doc)
        md5_write_doc(doc, text, size + 1, &error);
    md5_free_doc(doc);
    return text;
}

TEST (bfg_files_are_written_as_text) {
    bytes file;
    write_model(&file);
    SCOPED_STRING model_text = as_text(MD5_DOC_MODEL, &file);
    SCOPED_MODEL binary = md5_parse_model(file.data, file.size, NULL, NULL);
    SCOPED_MODEL model = text_model(model_text, NULL);
    REQUIRE(binary && model);
    CHECK_STRING(model->meshes[0].shader, "models/arm/skin");
    for (int i = 0; i < 12; i++) // w is recomputed
        CHECK_NEAR(model->bind[1].m[i], binary->bind[1].m[i], 1e-6);
    CHECK_BYTES(model->meshes[0].weights, binary->meshes[0].weights, 4 * sizeof(md5_weight));
    write_anim(&file);
    SCOPED_STRING anim_text = as_text(MD5_DOC_ANIM, &file);
    SCOPED_ANIM anim = text_anim(anim_text, NULL);
    REQUIRE(anim);
    CHECK_EXACT(anim->translations[anim->num_translations].x, 5); // frame 1
    write_camera(&file);
    SCOPED_STRING camera_text = as_text(MD5_DOC_CAMERA, &file);
    CHECK(strstr(camera_text, "\t( -1 2.5 3 ) ( 0 0.5 0.5 ) 80\n") != NULL);
}

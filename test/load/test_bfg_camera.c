// Camera paths of RBDOOM-3-BFG, .bcanim, written by functions that know nothing of the reader.
#include "md5/md5model.h"
#include "test/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct camera_bytes {
    unsigned char data[256];
    size_t size;
} camera_bytes;

static void put_big(camera_bytes *to, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        to->data[to->size++] = (unsigned char)(value >> shift);
}

static void put_little(camera_bytes *to, uint32_t value)
{
    for (int shift = 0; shift < 32; shift += 8)
        to->data[to->size++] = (unsigned char)(value >> shift);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Field of view, x y z of the rotation, position.
static const float frames[4][7] = {
    {90.0f, 0.0f, 0.0f, 0.5f, 1.0f, 2.0f, 3.0f},
    {80.0f, 0.0f, 0.5f, 0.5f, -1.0f, 2.5f, 3.0f},
    {70.0f, 0.5f, 0.0f, 0.5f, 1.0f, 2.0f, 30.0f},
    {60.0f, 0.0f, 0.0f, 0.0f, 100.0f, 2.0f, 3.0f},
};

// Offsets of the parts.
enum { RATE = 4, NUM_CUTS = 8, CUTS = 12, NUM_FRAMES = 16, FRAMES = 20 };

static void make_camera(camera_bytes *camera)
{
    camera->size = 0;
    put_big(camera, 0x41434264); // ACB, 100
    put_little(camera, 30);
    put_little(camera, 1);
    put_little(camera, 2);
    put_little(camera, 4);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++)
            put_big(camera, bits_of(frames[i][k]));
        for (int k = 4; k < 7; k++)
            put_little(camera, bits_of(frames[i][k]));
    }
}

static const char same_as_text[] =
    "MD5Version 10\ncommandline \"\"\nnumFrames 4\nframeRate 30\nnumCuts 1\ncuts {\n2\n}\ncamera "
    "{\n"
    "( 1 2 3 ) ( 0 0 0.5 ) 90\n( -1 2.5 3 ) ( 0 0.5 0.5 ) 80\n( 1 2 30 ) ( 0.5 0 0.5 ) 70\n"
    "( 100 2 3 ) ( 0 0 0 ) 60\n}\n";

static void check_same(const md5_camera *a, const md5_camera *b)
{
    CHECK_UINT(a->num_frames, b->num_frames);
    CHECK_UINT(a->num_cuts, b->num_cuts);
    CHECK_UINT(a->cuts[0], b->cuts[0]);
    CHECK_NEAR(a->frame_rate, b->frame_rate, 0.0);
    CHECK_NEAR(a->duration, b->duration, 0.0);
    CHECK(memcmp(a->frames, b->frames, a->num_frames * sizeof *a->frames) == 0);
}

TEST (bfg_cameras_are_those_of_text) {
    camera_bytes file;
    md5_error error;
    make_camera(&file);
    md5_camera *const camera = md5_parse_camera(file.data, file.size, NULL, &error);
    md5_camera *const text = md5_parse_camera(same_as_text, strlen(same_as_text), NULL, &error);
    if (CHECK(camera != NULL && text != NULL)) {
        check_same(camera, text);
        CHECK_STRING(camera->command_line, "");
        CHECK_UINT(camera->num_warnings, 0);
        CHECK_NEAR(camera->frames[0].rotation.w, -0.8660254, 1e-6);
        CHECK_NEAR(camera->frames[2].position.z, 30.0, 0.0);
    }
    md5_free_camera(camera);
    md5_free_camera(text);
}

static void check_mistake(size_t at, uint32_t big, const char *message)
{
    camera_bytes file;
    md5_error error;
    char text[300];
    make_camera(&file);
    const size_t size = file.size;
    file.size = at;
    put_big(&file, big);
    CHECK(!md5_parse_camera(file.data, size, NULL, &error));
    (void)snprintf(text, sizeof text, "%u:%u: %s", error.line, error.column, error.message);
    CHECK_STRING(text, message);
}

TEST (bfg_cameras_name_the_byte_of_a_mistake) {
    check_mistake(0, 0x41434265, "1:5: BFG camera of version 101: expected 100");
    check_mistake(RATE, 0, "1:5: 0 frames a second: expected at least 1");
    check_mistake(RATE, 0x000000FF, "1:5: -16777216 frames a second: expected at least 1");
    check_mistake(NUM_CUTS, 0xFFFFFFFF, "1:9: -1 cuts: expected at least 0, in 120 bytes");
    check_mistake(CUTS, 0x04000000, "1:13: cut at frame 4, of 4 frames");
    check_mistake(NUM_FRAMES, 0, "1:17: 0 frames: expected at least 1, in 112 bytes");
    check_mistake(NUM_FRAMES, 0x05000000, "1:17: 5 frames: expected at least 1, in 112 bytes");
    check_mistake(FRAMES, 0x7FC00000, "1:21: a field of view or rotation beyond 1e9");
    check_mistake(FRAMES + 8, 0xFF800000, "1:21: a field of view or rotation beyond 1e9");
    check_mistake(FRAMES + 16, 0x0000C07F, "1:37: a position beyond 1e9");
}

static void note_warning(void *user, const md5_error *warning)
{
    *(md5_error *)user = *warning;
}

TEST (bfg_cameras_warn_of_odd_views) {
    camera_bytes file;
    md5_error error, warning = {.status = MD5_OK};
    const md5_load_opts opts = {.warn = note_warning, .warn_user = &warning};
    make_camera(&file);
    const size_t size = file.size;
    file.size = FRAMES + 28;
    put_big(&file, bits_of(180.0f));
    md5_camera *const camera = md5_parse_camera(file.data, size, &opts, &error);
    if (CHECK(camera != NULL)) {
        CHECK_UINT(camera->num_warnings, 1);
        CHECK_UINT(warning.column, FRAMES + 28 + 1);
        CHECK_STRING(warning.message,
                     "field of view 180: expected more than 0 and less than 180 degrees");
    }
    md5_free_camera(camera);
}

// Truncated at each byte, with each bit altered, and with each allocation failing.
TEST (bfg_cameras_may_be_anything) {
    camera_bytes good;
    md5_error error;
    make_camera(&good);
    for (size_t size = 4; size < good.size; size++) {
        unsigned char *const part = calloc(size, 1); // exact size: a read beyond it is detected
        if (!CHECK(part))
            return;
        memcpy(part, good.data, size);
        CHECK(!md5_parse_camera(part, size, NULL, &error));
        CHECK(error.status != MD5_OK && error.status != MD5_ERROR_MEMORY);
        free(part);
    }
    for (size_t i = 0; i < good.size * 8; i++) {
        camera_bytes file = good;
        file.data[i / 8] ^= (unsigned char)(1 << i % 8);
        md5_free_camera(md5_parse_camera(file.data, file.size, NULL, &error));
    }
    for (size_t i = 1;; i++) {
        test_heap heap = {.fail_at = i};
        const md5_load_opts opts = {
            .allocator = {.alloc = test_heap_alloc, .free = test_heap_free, .user = &heap}};
        md5_free_camera(md5_parse_camera(good.data, good.size, &opts, &error));
        CHECK_UINT(heap.live, 0);
        if (error.status == MD5_OK)
            return;
        CHECK_UINT(error.status, MD5_ERROR_MEMORY);
    }
}

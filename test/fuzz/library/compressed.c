// Fuzz target for files of compressed clips. Size and checksum are recomputed, so that mutations
// reach the checks of the numbers. The unchanged bytes must also be rejected or give a valid clip.
#include "test/fuzz/memory.h"
#include "test/pose/test_generated_pose.h"

enum { COMPRESSED_HEAD = 20, COMPRESSED_JOINTS = 4096, NUM_COMPRESSED_SAMPLES = 12 };

static void write_compressed_32(uint8_t *to, uint64_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

// Writes the FNV-1a hash of the bytes after the header: see md5/compress/file.c.
static void seal_compressed(uint8_t *bytes, size_t size)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = COMPRESSED_HEAD; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001B3u;
    write_compressed_32(bytes + 8, size);
    write_compressed_32(bytes + 12, hash);
    write_compressed_32(bytes + 16, hash >> 32);
}

static bool is_compressed_sound(const md5_xform *pose, uint32_t num_joints)
{
    for (uint32_t i = 0; i < num_joints; i++) {
        const md5_quat q = pose[i].rotation;
        const md5_vec3 t = pose[i].translation;
        const float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        const bool is_finite = isfinite(t.x) && isfinite(t.y) && isfinite(t.z);
        if (!(fabsf(square - 1) < 0.01f) || !is_finite)
            return false;
    }
    return true;
}

// Samples the clip at positions inside and outside of it, and from any frame to any other.
static const char *sample_compressed(const md5_anim *clip, md5_xform *pose)
{
    for (uint32_t i = 0; i < NUM_COMPRESSED_SAMPLES; i++) {
        const double cycle = clip->duration > 0 ? clip->duration : 1;
        md5_sample_position sample =
            md5_sample_position_at(clip, cycle * 0.37 * i, (md5_wrap)(i % 3));
        if (i % 4 == 3)
            sample = (md5_sample_position){
                .frame0 = clip->num_frames - 1, .frame1 = clip->num_frames / i, .fraction = 0.4f};
        sample_anim(clip, sample, (md5_root)(i % 3 == 1 ? 2 : 0), pose);
        if (!is_compressed_sound(pose, clip->skeleton.num_joints))
            return "an invalid pose";
    }
    return NULL;
}

// Decompresses clips of some frames: the first frame and the last frame must equal their samples.
static const char *decompress(const md5_anim *clip, md5_xform *pose)
{
    const md5_load_opts opts = {.allocator = {.limit = 1 << 20}};
    md5_error error = {0};
    md5_anim *const anim = md5_decompress_anim(clip, &opts, &error);
    if (!anim)
        return error.status == MD5_ERROR_MEMORY ? NULL : "a clip cannot be decompressed";
    const uint32_t last = anim->num_frames - 1;
    const uint32_t num_joints = anim->skeleton.num_joints;
    const md5_sample_position end = {.frame0 = last, .frame1 = last};
    sample_anim(clip, end, MD5_ROOT_FILE, pose);
    sample_anim(anim, end, MD5_ROOT_FILE, pose + num_joints);
    const bool is_same = memcmp(pose, pose + num_joints, num_joints * sizeof *pose) == 0;
    md5_free_anim(anim);
    return is_same ? NULL : "a decompressed frame differs";
}

static bool is_written_as(const md5_anim *clip, const uint8_t *bytes, size_t size)
{
    uint8_t *const written = malloc(size);
    if (!written)
        abort();
    const bool is_same =
        md5_write_anim(clip, written, size) == size && memcmp(written, bytes, size) == 0;
    free(written);
    return is_same;
}

typedef struct compressed_bytes {
    const uint8_t *bytes;
    size_t size;
} compressed_bytes;

static void *make_compressed(const void *fixture, const md5_load_opts *opts, md5_error *error)
{
    return md5_parse_anim(((const compressed_bytes *)fixture)->bytes,
                          ((const compressed_bytes *)fixture)->size, opts, error);
}

FUZZ_DESTROY(destroy_compressed, md5_anim, md5_free_anim)

static const char *parse_compressed(const uint8_t *bytes, size_t size)
{
    const md5_load_opts opts = {.allocator = {.limit = FUZZ_MEMORY_LIMIT}};
    md5_error error = {0};
    md5_anim *const clip = md5_parse_anim(bytes, size, &opts, &error);
    if (!clip)
        return error.status == MD5_OK || !error.message[0] ? "refused without a message" : NULL;
    const char *fault = NULL;
    if (clip->skeleton.num_joints <= COMPRESSED_JOINTS) {
        md5_xform *const pose = calloc(2 * COMPRESSED_JOINTS, sizeof *pose);
        if (!pose)
            abort();
        fault = sample_compressed(clip, pose);
        fault = fault ? fault : decompress(clip, pose);
        free(pose);
    }
    if (!fault && !is_written_as(clip, bytes, size))
        fault = "a clip is written as different bytes";
    md5_free_anim(clip);
    const compressed_bytes fixture = {bytes, size};
    return fault ? fault : fuzz_memory(make_compressed, destroy_compressed, &fixture, opts, size);
}

const char *fuzz_compressed(const uint8_t *data, size_t size)
{
    const char *fault = parse_compressed(data, size);
    if (fault || size < COMPRESSED_HEAD)
        return fault;
    uint8_t *const sealed = malloc(size); // exact size: a read past the end is detected
    if (!sealed)
        abort();
    memcpy(sealed, data, size);
    seal_compressed(sealed, size);
    fault = parse_compressed(sealed, size);
    free(sealed);
    return fault;
}

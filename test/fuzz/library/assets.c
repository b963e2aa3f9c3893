// An asset file. Its size and checksum are renewed, so that changes reach the checks of the
// values; the bytes as they are must be refused or sound, too.
#include "test/fuzz/api.h"

enum { ASSETS_HEAD = 24, ASSETS_STRIPE = 128, ASSETS_JOINTS = 4096 };

// The checksum of what follows the head: see md5/assets.c.
static void seal_assets(uint8_t *bytes, uint64_t size)
{
    const uint64_t prime = 0x9e3779b97f4a7c15u;
    uint64_t lanes[8], sum = 0;
    for (uint64_t i = 0; i < 8; i++)
        lanes[i] = i + 1;
    FOR (i, (size - ASSETS_HEAD) / 16) {
        uint64_t two[2];
        memcpy(two, bytes + ASSETS_HEAD + 16 * i, 16);
        const uint64_t product = (lanes[i % 8] ^ two[0]) * prime;
        lanes[i % 8] = ((product << 31) | (product >> 33)) + two[1];
    }
    FOR (i, 8) {
        sum = (sum ^ lanes[i]) * prime;
        sum ^= sum >> 32;
    }
    memcpy(bytes + 8, &size, 8);
    memcpy(bytes + 16, &sum, 8);
}

// Skins all meshes in the bind pose, in each way.
static void skin_assets(const md5_model *model)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    const size_t count = model->max_vertices;
    md5_mat34 *const palette = calloc(num_joints + 1, sizeof *palette);
    md5_dual_quat *const duals = calloc(num_joints + 1, sizeof *duals);
    md5_vec3 *const points = calloc(count + 1, 2 * sizeof *points);
    md5_vec4 *const tangents = calloc(count + 1, sizeof *tangents);
    uint32_t *const joints = calloc(count + 1, 4 * sizeof *joints);
    float *const weights = calloc(count + 1, 4 * sizeof *weights);
    if (!palette || !duals || !points || !tangents || !joints || !weights)
        abort();
    md5_build_palette(model, model->bind, palette);
    md5_build_dual_palette(palette, num_joints, duals);
    FOR (m, model->num_meshes) {
        const md5_mesh *const mesh = &model->meshes[m];
        md5_skin(mesh, palette, points, points + count, tangents);
        md5_skin(mesh, palette, points, NULL, NULL);
        md5_skin_job job = {.mesh = mesh, .duals = duals, .positions = points};
        job.normals = points + count;
        md5_skin_one(&job);
        md5_pack_influences(
            &(md5_pack_job){.mesh = mesh, .slots = 4, .joints = joints, .weights = weights});
        md5_pack_loss(model, m, 4, NULL);
    }
    md5_skin_bounds(model, palette);
    free(palette);
    free(duals);
    free(points);
    free(tangents);
    free(joints);
    free(weights);
}

// What the checks let through may be of no use, but poses are finite.
static const char *pose_assets(const md5_model *model, const md5_anim *anim, uint32_t random)
{
    md5_binding *const own = md5_bind_skeleton(&anim->skeleton, anim->base_frame, anim, NULL, NULL);
    md5_binding *const binding = model ? md5_bind(model, anim, NULL, NULL) : NULL;
    const uint32_t num_joints = anim->skeleton.num_joints;
    md5_xform *const pose = calloc(num_joints, sizeof *pose);
    md5_mat34 *const palette = calloc(num_joints, sizeof *palette);
    if (!own || !pose || !palette)
        abort();
    bool is_finite = true;
    FOR (i, 6u) {
        const md5_moment moment = md5_moment_at(anim, 0.37 * i, (md5_wrap)(i % 3));
        md5_pose_palette(own, moment, (md5_root)(i % 3), pose, NULL, palette);
        FOR (j, num_joints)
            FOR (k, 12)
                is_finite = is_finite && isfinite(palette[j].m[k]);
    }
    if (binding)
        use_api(binding, random); // lengths may be off by more than it wants
    free(pose);
    free(palette);
    md5_free_binding(own);
    md5_free_binding(binding);
    return is_finite ? NULL : "a pose that is not finite";
}

typedef struct assets_bytes {
    const void *bytes;
    size_t size;
} assets_bytes;

static void *make_assets(const void *fixture, const md5_load_opts *opts, md5_error *error)
{
    const assets_bytes *const from = fixture;
    return md5_map_assets(from->bytes, from->size, false, opts, error);
}

FUZZ_DESTROY(destroy_assets, md5_assets, md5_free_assets)

static void *make_model(const void *fixture, const md5_load_opts *opts, md5_error *error)
{
    const assets_bytes *const from = fixture;
    return md5_parse_model(from->bytes, from->size, opts, error);
}

static void *make_anim(const void *fixture, const md5_load_opts *opts, md5_error *error)
{
    const assets_bytes *const from = fixture;
    return md5_parse_anim(from->bytes, from->size, opts, error);
}

FUZZ_DESTROY(destroy_model, md5_model, md5_free_model)
FUZZ_DESTROY(destroy_anim, md5_anim, md5_free_anim)

// The same bytes as a file, at an odd address: one model, or one clip, is what was mapped.
static const char *load_file(const assets_bytes *fixture, const md5_assets *mapped,
                             const md5_load_opts *opts)
{
    const uint32_t num_models = mapped ? mapped->num_models : 0;
    const uint32_t num_anims = mapped ? mapped->num_anims : 0;
    uint8_t *const odd = malloc(fixture->size + 1);
    if (!odd)
        abort();
    memcpy(odd + 1, fixture->bytes, fixture->size);
    md5_error errors[2] = {{0}};
    md5_model *const model = md5_parse_model(odd + 1, fixture->size, opts, &errors[0]);
    md5_anim *const anim = md5_parse_anim(odd + 1, fixture->size, opts, &errors[1]);
    const char *fault = NULL;
    if (!model != (num_models != 1 || num_anims > 0))
        fault = "a model is loaded, or refused, as it was not mapped";
    if (!anim != (num_anims != 1 || num_models > 0))
        fault = "a clip is loaded, or refused, as it was not mapped";
    if ((!model && !errors[0].message[0]) || (!anim && !errors[1].message[0]))
        fault = "refused without a message";
    if (model && model->skeleton.num_joints <= ASSETS_JOINTS)
        skin_assets(model);
    if (anim && anim->skeleton.num_joints <= ASSETS_JOINTS)
        fault = fault ? fault : pose_assets(NULL, anim, (uint32_t)fixture->size);
    const md5_assets assets = {
        .num_models = model != NULL, .models = model, .num_anims = anim != NULL, .anims = anim};
    if (mapped && (model || anim) && md5_write_assets(&assets, NULL, 0) != fixture->size)
        fault = "a loaded file is written with another size";
    md5_free_model(model);
    md5_free_anim(anim);
    free(odd);
    fault = fault ? fault : fuzz_memory(make_model, destroy_model, fixture, *opts, fixture->size);
    return fault ? fault : fuzz_memory(make_anim, destroy_anim, fixture, *opts, fixture->size);
}

static const char *use_file(const void *bytes, size_t size)
{
    const md5_load_opts opts = {.allocator = {.limit = FUZZ_MEMORY_LIMIT}};
    md5_error error = {0};
    md5_assets *const assets = md5_map_assets(bytes, size, false, &opts, &error);
    const assets_bytes fixture = {bytes, size};
    const char *fault = NULL;
    if (!assets && (error.status == MD5_OK || !error.message[0]))
        return "refused without a message";
    if (size >= 4 && memcmp(bytes, "M5AI", 4) == 0)
        fault = load_file(&fixture, assets, &opts);
    if (!assets)
        return fault;
    FOR_WHILE (i, assets->num_models, !fault)
        if (assets->models[i].skeleton.num_joints <= ASSETS_JOINTS)
            skin_assets(&assets->models[i]);
    FOR_WHILE (i, assets->num_anims, !fault)
        if (assets->anims[i].skeleton.num_joints <= ASSETS_JOINTS)
            fault = pose_assets(assets->num_models > 0 ? assets->models : NULL, &assets->anims[i],
                                (uint32_t)size);
    if (!fault && md5_write_assets(assets, NULL, 0) != size)
        fault = "a file is written with another size";
    md5_free_assets(assets);
    return fault ? fault : fuzz_memory(make_assets, destroy_assets, &fixture, opts, size);
}

const char *fuzz_assets(const uint8_t *data, size_t size)
{
#ifdef __EMSCRIPTEN__ // malloc() aligns to 8 bytes
    uint8_t *const copy = aligned_alloc(16, size / 16 * 16 + 16);
#else
    uint8_t *const copy = malloc(size > 0 ? size : 1); // exact size, and aligned
#endif
    if (!copy)
        abort();
    memcpy(copy, data, size);
    const char *fault = use_file(copy, size);
    if (!fault && size >= ASSETS_HEAD) {
        seal_assets(copy, size);
        fault = use_file(copy, size);
    }
    free(copy);
    return fault;
}

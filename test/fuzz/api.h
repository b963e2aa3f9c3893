// Calls the functions that a program can use with a loaded model and clip. Each input selects one
// group of functions; its bytes select joints and numbers. The sanitizers check memory accesses;
// rotations must keep unit length.
//
// api_use contains the assets, buffers and the random state of one input.
#ifndef FUZZ_API_H
#define FUZZ_API_H

#include "test/fuzz/memory.h"

#include "md5/md5edit.h"
#include "md5/md5skin.h"
#include "md5/md5play.h"

enum { API_BLOCKS = 32 };

typedef struct api_use {
    const md5_model *model;
    const md5_anim *anim;
    const md5_binding *binding;
    uint32_t num_joints;
    md5_sample_position sample;
    md5_xform *pose, *second_pose; // [num_joints]
    md5_mat34 *joints, *palette;   // results for `pose`
    uint32_t random;
    void *blocks[API_BLOCKS];
    uint32_t num_blocks;
} api_use;

// Returns memory of the exact size, so that a write past its end is detected. It is freed at the
// end.
static void *api_memory(api_use *fixture, size_t count, size_t size)
{
    void **const block = &fixture->blocks[fixture->num_blocks++];
    if (fixture->num_blocks > API_BLOCKS)
        abort();
    *block = calloc(count > 0 ? count : 1, size);
    if (!*block)
        abort();
    return *block;
}

static uint32_t api_choice(api_use *fixture, uint32_t count)
{
    fixture->random = fixture->random * 1664525u + 1013904223u;
    return (fixture->random >> 8) % count;
}

// Returns the index of a joint; one of eight results is not a joint.
static uint32_t api_joint(api_use *fixture)
{
    return api_choice(fixture, 8) > 0 ? api_choice(fixture, fixture->num_joints)
                                      : fixture->num_joints;
}

static float api_number(api_use *fixture)
{
    static const float numbers[] = {0,     1,     -1,    0.5f,  3,      -20,      100,
                                    1e-6f, -1e9f, 1e20f, 1e38f, 1e-38f, INFINITY, NAN};
    return numbers[api_choice(fixture, COUNT_OF(numbers))];
}

static float api_finite(api_use *fixture)
{
    const float number = api_number(fixture);
    return isfinite(number) ? number : 2.0f;
}

static float api_fraction(api_use *fixture)
{
    return 0.25f * (float)api_choice(fixture, 5);
}

static md5_vec3 api_point(api_use *fixture)
{
    return (md5_vec3){api_number(fixture), api_number(fixture), api_number(fixture)};
}

static const char *api_pose_fault(const md5_xform *pose, uint32_t num_joints)
{
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        const md5_quat q = pose[joint].rotation;
        const double x = (double)q.x;
        const double y = (double)q.y;
        const double z = (double)q.z;
        const double w = (double)q.w;
        if (!(fabs(x * x + y * y + z * z + w * w - 1.0) <= 1e-4))
            return "a rotation without unit length";
    }
    return NULL;
}

// -- Groups ---------------------------------------------------------------------------------------

// Blends, subtracts, adds and mirrors poses. Returns a fault if a result is not finite.
static const char *use_blends(api_use *fixture)
{
    const uint32_t count = fixture->num_joints;
    md5_xform *const out = api_memory(fixture, count, sizeof *out);
    md5_xform *const scratch = api_memory(fixture, count, sizeof *scratch);
    float *const mask = api_memory(fixture, count, sizeof *mask);
    uint32_t *const mirror = api_memory(fixture, count, sizeof *mirror);
    for (uint32_t i = 0; i < count; i++)
        mask[i] = api_fraction(fixture);
    md5_blend_poses(fixture->pose, fixture->second_pose, api_fraction(fixture), mask, count, out);
    const char *fault = api_pose_fault(out, count);
    md5_subtract_pose(fixture->second_pose, fixture->pose, count, scratch);
    md5_add_pose(out, scratch, NULL, api_fraction(fixture), NULL, count, out);
    fault = fault ? fault : api_pose_fault(out, count);
    md5_add_pose(fixture->pose, fixture->second_pose, out, api_fraction(fixture), mask, count, out);
    fault = fault ? fault : api_pose_fault(out, count);
    (void)md5_build_mirror(&fixture->model->skeleton, mirror);
    md5_mirror_pose(fixture->model, mirror, fixture->pose, out);
    fault = fault ? fault : api_pose_fault(out, count);
    md5_local_to_model_xforms(&fixture->model->skeleton, fixture->pose, out);
    md5_model_to_local_xforms(&fixture->model->skeleton, out, out);
    return fault ? fault : api_pose_fault(out, count);
}

// Samples the clip with each interpolation, one by one and in a batch.
static const char *use_samples(api_use *fixture)
{
    enum { JOBS = 9 };
    md5_pose_job jobs[JOBS];
    const char *fault = NULL;
    for (int i = 0; i < 4; i++) {
        md5_sample_position sample = fixture->sample;
        sample.interpolation = (md5_interpolation)i;
        md5_sample(fixture->binding, sample, i % 2 ? MD5_ROOT_FILE : MD5_ROOT_ID, fixture->pose);
        fault = fault ? fault : api_pose_fault(fixture->pose, fixture->num_joints);
    }
    for (int i = 0; i < JOBS; i++) {
        jobs[i] =
            (md5_pose_job){.binding = fixture->binding,
                           .sample = fixture->sample,
                           .root = (md5_root)(i % 3),
                           .palette = api_memory(fixture, fixture->num_joints, sizeof(md5_mat34)),
                           .joints = i == 0 ? fixture->joints : NULL};
        jobs[i].sample.interpolation = (md5_interpolation)(i % 4);
    }
    void *const scratch = api_memory(fixture, md5_pose_batch_scratch(jobs, JOBS, NULL), 1);
    md5_pose_batch(jobs, JOBS, NULL, scratch);
    return fault;
}

static void limit_joints(api_use *fixture, md5_joint_limit *limits)
{
    for (uint32_t i = 0; i < fixture->num_joints; i++)
        limits[i] = (md5_joint_limit){.kind = (md5_limit_kind)api_choice(fixture, 3),
                                      .rest = fixture->model->bind_local[i].rotation,
                                      .axis = {i % 2 ? 1.0f : 0.0f, 1, 0.5f},
                                      .min = -api_fraction(fixture),
                                      .max = 3.0f * api_fraction(fixture),
                                      .swing = 3.0f * api_fraction(fixture)};
}

// Solves inverse kinematics with random joints, targets and settings.
static const char *use_chains(api_use *fixture)
{
    const md5_skeleton *const skeleton = &fixture->model->skeleton;
    md5_joint_limit *const limits = api_memory(fixture, fixture->num_joints, sizeof *limits);
    const md5_quat rotation = {0.6f, 0, 0, 0.8f};
    limit_joints(fixture, limits);
    const md5_vec3 pole = api_point(fixture);
    const md5_two_bone_job two_bone = {.tip = api_joint(fixture),
                                       .target = api_point(fixture),
                                       .pole = api_choice(fixture, 2) ? &pole : NULL,
                                       .rotation = api_choice(fixture, 2) ? &rotation : NULL,
                                       .params.soften = api_fraction(fixture),
                                       .params.stretch = 1.0f + api_fraction(fixture),
                                       .weight = api_fraction(fixture),
                                       .limits = api_choice(fixture, 2) ? limits : NULL};
    (void)md5_solve_two_bone(skeleton, &two_bone, fixture->pose);
    const md5_aim_job aim = {.tip = api_joint(fixture),
                             .length = api_choice(fixture, MD5_MAX_CHAIN + 1),
                             .target = api_point(fixture),
                             .params.forward = {0, 1, 0},
                             .params.limit = api_fraction(fixture),
                             .weight = api_fraction(fixture)};
    (void)md5_solve_aim(skeleton, &aim, fixture->pose);
    md5_chain_job chain = {.tip = api_joint(fixture),
                           .length = 2 + api_choice(fixture, MD5_MAX_CHAIN - 1),
                           .target = api_point(fixture),
                           .tolerance = 1e-3f,
                           .iterations = api_choice(fixture, 20),
                           .weight = api_fraction(fixture),
                           .limits = api_choice(fixture, 2) ? limits : NULL};
    for (int i = 0; i < 3; i++) {
        chain.solver = (md5_chain_solver)i;
        (void)md5_solve_chain(skeleton, &chain, fixture->pose);
    }
    md5_goal goals[2] = {
        {.tip = api_joint(fixture),
         .length = 4,
         .target = api_point(fixture),
         .rotation = &rotation,
         .weight = 1},
        {.tip = api_joint(fixture), .length = 7, .target = api_point(fixture), .weight = 0.5f}};
    const md5_goals_job both = {.goals = goals,
                                .num_goals = 2,
                                .tolerance = 1e-3f,
                                .iterations = api_choice(fixture, 20),
                                .weight = api_fraction(fixture),
                                .limits = api_choice(fixture, 2) ? limits : NULL};
    (void)md5_solve_goals(skeleton, &both, fixture->pose);
    return api_pose_fault(fixture->pose, fixture->num_joints);
}

// Applies joint modifiers, foot placement, springs, the gaze and the gait with random arguments.
static const char *use_secondary(api_use *fixture)
{
    const md5_skeleton *const skeleton = &fixture->model->skeleton;
    const md5_xform change = {{0, 0.6f, 0, 0.8f}, api_point(fixture), 0};
    (void)md5_modify_joint(skeleton, api_joint(fixture), (md5_joint_space)api_choice(fixture, 4),
                           change, api_fraction(fixture), fixture->pose);
    md5_foot feet[2] = {
        {.ankle = api_joint(fixture), .floor = api_number(fixture), .normal = api_point(fixture)},
        {.ankle = api_joint(fixture),
         .floor = api_number(fixture),
         .has_leg = true,
         .knee = api_joint(fixture),
         .hip = api_joint(fixture)}};
    md5_feet_job ground = {.pelvis = api_joint(fixture),
                           .feet = feet,
                           .num_feet = 2,
                           .smoothing = 0.1f,
                           .seconds = 0.02f,
                           .weight = 1};
    (void)md5_solve_feet(skeleton, &ground, fixture->pose);
    md5_spring_job spring = {.tip = api_joint(fixture),
                             .length = 2 + api_choice(fixture, 4),
                             .params.stiffness = api_finite(fixture),
                             .params.damping = api_fraction(fixture),
                             .acceleration = {0, 0, -100},
                             .placement = change,
                             .weight = api_fraction(fixture)};
    spring.state = api_memory(fixture, spring.length, sizeof *spring.state);
    for (int i = 0; i < 3; i++) {
        spring.seconds = 0.1f * (float)i;
        spring.is_first = i == 0;
        (void)md5_solve_spring(skeleton, &spring, fixture->pose);
    }
    md5_gaze gaze;
    const md5_vec3 target = api_point(fixture);
    const md5_gaze_desc eyes = {.head = api_joint(fixture), .targets = &target, .num_targets = 1};
    md5_gaze_begin(fixture->random, &gaze);
    md5_gaze_advance(&eyes, skeleton->axes, &gaze, 0.7);
    if (eyes.head < fixture->num_joints)
        (void)md5_gaze_pose(&eyes, &gaze, skeleton, api_fraction(fixture), fixture->pose);
    const md5_leg leg = {.limb = {api_joint(fixture), api_joint(fixture), api_joint(fixture)},
                         .swivel = MD5_NONE};
    const md5_gait_desc legs = {.skeleton = skeleton,
                                .legs = &leg,
                                .num_legs = 1,
                                .num_groups = 1,
                                .body = api_joint(fixture)};
    md5_gait gait;
    if (md5_gait_begin(&legs, fixture->pose, change, &gait)) {
        md5_gait_advance(&legs, &gait, api_point(fixture), api_number(fixture), 0.3);
        (void)md5_gait_pose(&legs, &gait, fixture->pose);
    }
    return api_pose_fault(fixture->pose, fixture->num_joints);
}

// Skins the first meshes of the model with palettes, dual quaternions, ranges and lists of
// vertices. Also packs their influences.
static const char *use_skins(api_use *fixture)
{
    md5_dual_quat *const dual = api_memory(fixture, fixture->num_joints, sizeof *dual);
    md5_build_dual_palette(fixture->palette, fixture->num_joints, dual);
    (void)md5_skin_bounds(fixture->model, fixture->palette);
    for (uint32_t i = 0; i < fixture->model->num_meshes && i < 4; i++) {
        const md5_mesh *const mesh = &fixture->model->meshes[i];
        const size_t count = mesh->num_vertices;
        const size_t slots = 1 + api_choice(fixture, 8);
        struct vertex {
            md5_vec3 position, normal;
            md5_vec4 tangent;
            uint8_t joints[8], weights[8];
        } *const out = api_memory(fixture, count, sizeof *out);
        const uint32_t vertex = count > 0 ? api_choice(fixture, (uint32_t)count) : 0;
        md5_skin_job jobs[4];
        for (int k = 0; k < 4; k++)
            jobs[k] = (md5_skin_job){.mesh = mesh,
                                     .palette = k % 2 ? fixture->palette : NULL,
                                     .duals = k == 0 ? dual : NULL,
                                     .first = k == 2 ? vertex : 0,
                                     .vertices = k == 3 ? &vertex : NULL,
                                     .count = k == 3 && count > 0,
                                     .positions = &out->position,
                                     .normals = &out->normal,
                                     .tangents = &out->tangent,
                                     .position_stride = sizeof *out,
                                     .normal_stride = sizeof *out,
                                     .tangent_stride = sizeof *out};
        md5_skin_batch(jobs, 4, NULL);
        (void)md5_pack_influences(&(md5_pack_job){.mesh = mesh,
                                                  .slots = (uint32_t)slots,
                                                  .format = MD5_PACK_BYTES,
                                                  .joints = out->joints,
                                                  .weights = out->weights,
                                                  .joint_stride = sizeof *out,
                                                  .weight_stride = sizeof *out});
    }
    return NULL;
}

// Calls the functions for rays, bounds and nearest joints. Returns a fault if a result refers to
// something that does not exist.
static const char *use_queries(api_use *fixture)
{
    const md5_ray ray = {api_point(fixture), api_point(fixture), api_fraction(fixture),
                         api_choice(fixture, 2) == 0};
    md5_bounds *const bounds = api_memory(fixture, fixture->num_joints, sizeof *bounds);
    uint32_t *const found = api_memory(fixture, fixture->num_joints, sizeof *found);
    void *const scratch = api_memory(fixture, md5_raycast_model_scratch(fixture->model), 1);
    md5_hit hit;
    float distance;
    (void)md5_build_joint_bounds(fixture->model, bounds);
    const md5_bounds all = md5_bounds_from_joints(bounds, fixture->joints, fixture->num_joints);
    (void)md5_raycast_bounds(ray, all, &distance);
    (void)md5_raycast_joints(ray, bounds, fixture->joints, fixture->num_joints, &hit);
    if (md5_raycast_model(ray, fixture->model, fixture->palette, &hit, scratch)) {
        const bool has_triangle = hit.mesh < fixture->model->num_meshes
                                  && hit.triangle < fixture->model->meshes[hit.mesh].num_triangles;
        if (!has_triangle || hit.joint >= fixture->num_joints)
            return "a ray hits a triangle or a joint that does not exist";
    }
    const uint32_t nearest =
        md5_find_nearest_joint(fixture->joints, fixture->num_joints, api_point(fixture), &distance);
    const uint32_t nearest_to_ray =
        md5_find_nearest_joint_to_ray(fixture->joints, fixture->num_joints, ray, NULL);
    if (nearest >= fixture->num_joints && nearest != MD5_NONE)
        return "the nearest joint does not exist";
    if (nearest_to_ray >= fixture->num_joints && nearest_to_ray != MD5_NONE)
        return "the joint nearest to a ray does not exist";
    (void)md5_cull_sphere(bounds, fixture->num_joints, api_point(fixture), api_number(fixture),
                          found);
    (void)md5_cull_bounds(bounds, fixture->num_joints, all, found);
    (void)md5_cull_ray(bounds, fixture->num_joints, ray, found);
    return NULL;
}

// -- Assets ---------------------------------------------------------------------------------------

static const md5_load_opts api_opts = {.allocator = {.limit = FUZZ_MEMORY_LIMIT}};

static void *make_compressed_clip(const void *fixture, const md5_load_opts *opts, md5_error *error)
{
    const api_use *const use = fixture;
    const md5_compress_opts compress = {.tolerance = 0.1f, .model = use->model};
    return md5_compress_anim(use->anim, &compress, opts, error);
}
FUZZ_DESTROY(destroy_compressed_clip, md5_anim, md5_free_anim)

static const char *use_compression(api_use *fixture)
{
    if ((size_t)fixture->anim->num_frames * fixture->num_joints > 200) // 16 attempts
        return NULL;
    const char *fault = fuzz_memory(make_compressed_clip, destroy_compressed_clip, fixture,
                                    api_opts, fixture->random);
    md5_anim *const clip = make_compressed_clip(fixture, &api_opts, NULL);
    md5_binding *const binding = clip ? md5_bind(fixture->model, clip, &api_opts, NULL) : NULL;
    if (binding) {
        md5_sample(binding, fixture->sample, MD5_ROOT_FILE, fixture->pose);
        fault = fault ? fault : api_pose_fault(fixture->pose, fixture->num_joints);
        (void)md5_anim_root_motion(clip, fixture->sample, fixture->sample);
    }
    md5_free_binding(binding);
    md5_free_anim(clip);
    return fault;
}

static void *make_baked(const void *fixture, const md5_load_opts *opts, md5_error *error)
{
    const api_use *const use = fixture;
    return md5_create_baked(use->model, use->palette, 1, opts, error);
}
FUZZ_DESTROY(destroy_baked, md5_baked, md5_destroy_baked)

static void *make_weights(const void *fixture, const md5_load_opts *opts, md5_error *error)
{
    const api_use *const use = fixture;
    const md5_mesh *const mesh = &use->model->meshes[0];
    const md5_weights_desc desc = {.positions = mesh->positions,
                                   .num_positions = mesh->num_vertices,
                                   .indices = mesh->indices,
                                   .num_triangles = mesh->num_triangles,
                                   .skeleton = &use->model->skeleton,
                                   .bind = use->model->bind,
                                   .resolution = 4 + use->random % 8,
                                   .max_influences = 1 + use->random % 16};
    return md5_create_weights(&desc, opts, error);
}
FUZZ_DESTROY(destroy_weights, md5_weights, md5_destroy_weights)

static void *make_retarget(const void *fixture, const md5_load_opts *opts, md5_error *error)
{
    const api_use *const use = fixture;
    const md5_joint_pair pair = {.source = use->model->skeleton.joints[0].name,
                                 .target = use->model->skeleton.joints[use->num_joints - 1].name,
                                 .align = true};
    return md5_create_retarget(use->model, use->model, &pair, use->random % 2, opts, error);
}
FUZZ_DESTROY(destroy_retarget, md5_retarget, md5_destroy_retarget)

static void *make_morph(const void *fixture, const md5_load_opts *opts, md5_error *error)
{
    const api_use *const use = fixture;
    const md5_morph_source source = {.name = "smile", .model = use->model};
    return md5_create_morph(use->model, &source, 1, opts, error);
}
FUZZ_DESTROY(destroy_morph, md5_morph, md5_destroy_morph)

static const char *use_assets(api_use *fixture)
{
    const char *fault = fuzz_memory(make_baked, destroy_baked, fixture, api_opts, fixture->random);
    if (!fault)
        fault = fuzz_memory(make_retarget, destroy_retarget, fixture, api_opts, fixture->random);
    if (!fault)
        fault = fuzz_memory(make_morph, destroy_morph, fixture, api_opts, fixture->random);
    if (!fault && fixture->model->num_meshes > 0 && fixture->model->meshes[0].num_vertices > 0)
        fault = fuzz_memory(make_weights, destroy_weights, fixture, api_opts, fixture->random);
    md5_baked *const baked = make_baked(fixture, &api_opts, NULL);
    const md5_sample_position first = {0};
    if (baked && !(md5_baked_error(baked, fixture->model, first, fixture->palette) < INFINITY))
        fault = "a baked vertex that is not finite";
    md5_destroy_baked(baked);
    md5_retarget *const retarget = make_retarget(fixture, &api_opts, NULL);
    if (retarget) {
        void *const scratch = api_memory(fixture, 1, md5_retarget_pose_scratch(retarget));
        md5_retarget_pose(retarget, fixture->second_pose, fixture->pose, scratch);
        fault = fault ? fault : api_pose_fault(fixture->pose, fixture->num_joints);
    }
    md5_destroy_retarget(retarget);
    return fault;
}

// Calls a random group of functions with a model and a clip. Returns a fault or NULL.
static const char *use_api(const md5_binding *binding, uint32_t random)
{
    static const char *(*const groups[])(api_use *) = {use_blends,      use_samples, use_chains,
                                                       use_secondary,   use_skins,   use_queries,
                                                       use_compression, use_assets};
    const uint32_t num_joints = binding->model->skeleton.num_joints;
    api_use fixture = {.model = binding->model,
                       .anim = binding->anim,
                       .binding = binding,
                       .num_joints = num_joints,
                       .random = random};
    if (num_joints > 256)
        return NULL;
    fixture.pose = api_memory(&fixture, num_joints, sizeof *fixture.pose);
    fixture.second_pose = api_memory(&fixture, num_joints, sizeof *fixture.second_pose);
    fixture.joints = api_memory(&fixture, num_joints, sizeof *fixture.joints);
    fixture.palette = api_memory(&fixture, num_joints, sizeof *fixture.palette);
    fixture.sample =
        md5_sample_position_at(fixture.anim, 0.37 * fixture.anim->duration, MD5_WRAP_LOOP);
    memcpy(fixture.second_pose, fixture.model->bind_local,
           num_joints * sizeof *fixture.second_pose);
    md5_pose_palette(binding, fixture.sample, MD5_ROOT_FILE, fixture.pose, fixture.joints,
                     fixture.palette);
    md5_sample(binding, fixture.sample, MD5_ROOT_FILE, fixture.pose);
    const char *const fault = groups[api_choice(&fixture, COUNT_OF(groups))](&fixture);
    while (fixture.num_blocks > 0)
        free(fixture.blocks[--fixture.num_blocks]);
    return fault;
}

#endif

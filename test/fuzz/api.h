// What a program may do with a model and a clip once they are read: each input tries one group of
// functions, with joints and numbers selected by its bytes. The sanitizers check what is written;
// rotations must keep unit length.
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
    md5_moment moment;
    md5_xform *pose, *other;     // [num_joints]
    md5_mat34 *joints, *palette; // of `pose`
    uint32_t random;
    void *blocks[API_BLOCKS];
    uint32_t num_blocks;
} api_use;

// Of exact size, so that writes beyond it are detected. Freed at the end.
static void *api_memory(api_use *of, size_t count, size_t size)
{
    void **const block = &of->blocks[of->num_blocks++];
    if (of->num_blocks > API_BLOCKS)
        abort();
    *block = calloc(count > 0 ? count : 1, size);
    if (!*block)
        abort();
    return *block;
}

static uint32_t api_choice(api_use *of, uint32_t count)
{
    of->random = of->random * 1664525u + 1013904223u;
    return (of->random >> 8) % count;
}

// One in eight is no joint.
static uint32_t api_joint(api_use *of)
{
    return api_choice(of, 8) > 0 ? api_choice(of, of->num_joints) : of->num_joints;
}

static float api_number(api_use *of)
{
    static const float numbers[] = {0.0f,  1.0f,  -1.0f, 0.5f,  3.0f,   -20.0f,   100.0f,
                                    1e-6f, -1e9f, 1e20f, 1e38f, 1e-38f, INFINITY, NAN};
    return numbers[api_choice(of, COUNT_OF(numbers))];
}

static float api_finite(api_use *of)
{
    const float number = api_number(of);
    return isfinite(number) ? number : 2.0f;
}

static float api_share(api_use *of)
{
    return 0.25f * (float)api_choice(of, 5);
}

static md5_vec3 api_point(api_use *of)
{
    return (md5_vec3){api_number(of), api_number(of), api_number(of)};
}

static const char *api_pose_fault(const md5_xform *pose, uint32_t num_joints)
{
    FOR (joint, num_joints) {
        const md5_quat q = pose[joint].rotation;
        const double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
        if (!(fabs(x * x + y * y + z * z + w * w - 1.0) <= 1e-4))
            return "a rotation without unit length";
    }
    return NULL;
}

// -- Groups ---------------------------------------------------------------------------------------

static const char *use_blends(api_use *of)
{
    const uint32_t count = of->num_joints;
    md5_xform *const out = api_memory(of, count, sizeof *out);
    md5_xform *const scratch = api_memory(of, count, sizeof *scratch);
    float *const mask = api_memory(of, count, sizeof *mask);
    uint32_t *const mirror = api_memory(of, count, sizeof *mirror);
    FOR (i, count)
        mask[i] = api_share(of);
    md5_blend_poses(of->pose, of->other, api_share(of), mask, count, out);
    const char *fault = api_pose_fault(out, count);
    md5_subtract_pose(of->other, of->pose, count, scratch);
    md5_add_pose(out, scratch, NULL, api_share(of), NULL, count, out);
    fault = fault ? fault : api_pose_fault(out, count);
    md5_add_pose(of->pose, of->other, out, api_share(of), mask, count, out);
    fault = fault ? fault : api_pose_fault(out, count);
    (void)md5_build_mirror(&of->model->skeleton, mirror);
    md5_mirror_pose(of->model, mirror, of->pose, out);
    fault = fault ? fault : api_pose_fault(out, count);
    md5_local_to_model_xforms(&of->model->skeleton, of->pose, out);
    md5_model_to_local_xforms(&of->model->skeleton, out, out);
    return fault ? fault : api_pose_fault(out, count);
}

static const char *use_samples(api_use *of)
{
    enum { JOBS = 9 };
    md5_pose_job jobs[JOBS];
    const char *fault = NULL;
    FOR (i, 4) {
        md5_moment moment = of->moment;
        moment.interpolation = (md5_interpolation)i;
        md5_sample(of->binding, moment, i % 2 ? MD5_ROOT_FILE : MD5_ROOT_ID, of->pose);
        fault = fault ? fault : api_pose_fault(of->pose, of->num_joints);
    }
    for (uint32_t i = 0; i < JOBS; i++) {
        jobs[i] = (md5_pose_job){.binding = of->binding,
                                 .moment = of->moment,
                                 .root = (md5_root)(i % 3),
                                 .palette = api_memory(of, of->num_joints, sizeof(md5_mat34)),
                                 .joints = i == 0 ? of->joints : NULL};
        jobs[i].moment.interpolation = (md5_interpolation)(i % 4);
    }
    void *const scratch = api_memory(of, md5_pose_batch_scratch(jobs, JOBS, NULL), 1);
    md5_pose_batch(jobs, JOBS, NULL, scratch);
    return fault;
}

static void limit_joints(api_use *of, md5_joint_limit *limits)
{
    FOR (i, of->num_joints)
        limits[i] = (md5_joint_limit){.kind = (md5_limit_kind)api_choice(of, 3),
                                      .rest = of->model->bind_local[i].rotation,
                                      .axis = {i % 2 ? 1.0f : 0.0f, 1.0f, 0.5f},
                                      .min = -api_share(of),
                                      .max = 3.0f * api_share(of),
                                      .swing = 3.0f * api_share(of)};
}

static const char *use_chains(api_use *of)
{
    const md5_skeleton *const skeleton = &of->model->skeleton;
    md5_joint_limit *const limits = api_memory(of, of->num_joints, sizeof *limits);
    const md5_quat turn = {0.6f, 0.0f, 0.0f, 0.8f};
    limit_joints(of, limits);
    const md5_vec3 pole = api_point(of);
    const md5_two_bone_job two_bone = {.tip = api_joint(of),
                                       .target = api_point(of),
                                       .pole = api_choice(of, 2) ? &pole : NULL,
                                       .rotation = api_choice(of, 2) ? &turn : NULL,
                                       .numbers.soften = api_share(of),
                                       .numbers.stretch = 1.0f + api_share(of),
                                       .weight = api_share(of),
                                       .limits = api_choice(of, 2) ? limits : NULL};
    (void)md5_solve_two_bone(skeleton, &two_bone, of->pose);
    const md5_aim_job aim = {.tip = api_joint(of),
                             .length = api_choice(of, MD5_MAX_CHAIN + 1),
                             .target = api_point(of),
                             .numbers.forward = {0, 1, 0},
                             .numbers.limit = api_share(of),
                             .weight = api_share(of)};
    (void)md5_solve_aim(skeleton, &aim, of->pose);
    md5_chain_job chain = {.tip = api_joint(of),
                           .length = 2 + api_choice(of, MD5_MAX_CHAIN - 1),
                           .target = api_point(of),
                           .tolerance = 1e-3f,
                           .iterations = api_choice(of, 20),
                           .weight = api_share(of),
                           .limits = api_choice(of, 2) ? limits : NULL};
    FOR (i, 3) {
        chain.solver = (md5_chain_solver)i;
        (void)md5_solve_chain(skeleton, &chain, of->pose);
    }
    md5_goal goals[2] = {
        {.tip = api_joint(of),
         .length = 4,
         .target = api_point(of),
         .rotation = &turn,
         .weight = 1.0f},
        {.tip = api_joint(of), .length = 7, .target = api_point(of), .weight = 0.5f}};
    const md5_goals_job both = {.goals = goals,
                                .num_goals = 2,
                                .tolerance = 1e-3f,
                                .iterations = api_choice(of, 20),
                                .weight = api_share(of),
                                .limits = api_choice(of, 2) ? limits : NULL};
    (void)md5_solve_goals(skeleton, &both, of->pose);
    return api_pose_fault(of->pose, of->num_joints);
}

static const char *use_secondary(api_use *of)
{
    const md5_skeleton *const skeleton = &of->model->skeleton;
    const md5_xform change = {{0.0f, 0.6f, 0.0f, 0.8f}, api_point(of), 0.0f};
    (void)md5_modify_joint(skeleton, api_joint(of), (md5_joint_space)api_choice(of, 4), change,
                           api_share(of), of->pose);
    md5_foot feet[2] = {{.ankle = api_joint(of), .floor = api_number(of), .normal = api_point(of)},
                        {.ankle = api_joint(of),
                         .floor = api_number(of),
                         .has_leg = true,
                         .knee = api_joint(of),
                         .hip = api_joint(of)}};
    md5_feet_job ground = {.pelvis = api_joint(of),
                           .feet = feet,
                           .num_feet = 2,
                           .smoothing = 0.1f,
                           .seconds = 0.02f,
                           .weight = 1.0f};
    (void)md5_solve_feet(skeleton, &ground, of->pose);
    md5_spring_job spring = {.tip = api_joint(of),
                             .length = 2 + api_choice(of, 4),
                             .numbers.stiffness = api_finite(of),
                             .numbers.damping = api_share(of),
                             .acceleration = {0, 0, -100},
                             .placement = change,
                             .weight = api_share(of)};
    spring.state = api_memory(of, spring.length, sizeof *spring.state);
    FOR (i, 3) {
        spring.seconds = 0.1f * (float)i;
        spring.is_first = i == 0;
        (void)md5_solve_spring(skeleton, &spring, of->pose);
    }
    md5_gaze gaze;
    const md5_vec3 target = api_point(of);
    const md5_gaze_desc eyes = {.head = api_joint(of), .targets = &target, .num_targets = 1};
    md5_gaze_begin(of->random, &gaze);
    md5_gaze_advance(&eyes, skeleton->axes, &gaze, 0.7);
    if (eyes.head < of->num_joints)
        (void)md5_gaze_pose(&eyes, &gaze, skeleton, api_share(of), of->pose);
    const md5_leg leg = {.limb = {api_joint(of), api_joint(of), api_joint(of)}, .swivel = MD5_NONE};
    const md5_walk_desc legs = {
        .skeleton = skeleton, .legs = &leg, .num_legs = 1, .num_groups = 1, .body = api_joint(of)};
    md5_walk walk;
    if (md5_walk_begin(&legs, of->pose, change, &walk)) {
        md5_walk_advance(&legs, &walk, api_point(of), api_number(of), 0.3);
        (void)md5_walk_pose(&legs, &walk, of->pose);
    }
    return api_pose_fault(of->pose, of->num_joints);
}

static const char *use_skins(api_use *of)
{
    md5_dual_quat *const dual = api_memory(of, of->num_joints, sizeof *dual);
    md5_build_dual_palette(of->palette, of->num_joints, dual);
    (void)md5_skin_bounds(of->model, of->palette);
    for (uint32_t i = 0; i < of->model->num_meshes && i < 4; i++) {
        const md5_mesh *const mesh = &of->model->meshes[i];
        const size_t count = mesh->num_vertices, slots = 1 + api_choice(of, 8);
        struct vertex {
            md5_vec3 position, normal;
            md5_vec4 tangent;
            uint8_t joints[8], weights[8];
        } *const out = api_memory(of, count, sizeof *out);
        const uint32_t vertex = count > 0 ? api_choice(of, (uint32_t)count) : 0;
        md5_skin_job jobs[4];
        FOR (k, 4)
            jobs[k] = (md5_skin_job){.mesh = mesh,
                                     .palette = k % 2 ? of->palette : NULL,
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

static const char *use_queries(api_use *of)
{
    const md5_ray ray = {api_point(of), api_point(of), api_share(of), api_choice(of, 2) == 0};
    md5_bounds *const bounds = api_memory(of, of->num_joints, sizeof *bounds);
    uint32_t *const found = api_memory(of, of->num_joints, sizeof *found);
    void *const scratch = api_memory(of, md5_raycast_model_scratch(of->model), 1);
    md5_hit hit;
    float distance;
    (void)md5_build_joint_bounds(of->model, bounds);
    const md5_bounds all = md5_bounds_from_joints(bounds, of->joints, of->num_joints);
    (void)md5_raycast_bounds(ray, all, &distance);
    (void)md5_raycast_joints(ray, bounds, of->joints, of->num_joints, &hit);
    if (md5_raycast_model(ray, of->model, of->palette, &hit, scratch)
        && (hit.mesh >= of->model->num_meshes
            || hit.triangle >= of->model->meshes[hit.mesh].num_triangles
            || hit.joint >= of->num_joints))
        return "a ray hits what is not there";
    const uint32_t nearest =
        md5_find_nearest_joint(of->joints, of->num_joints, api_point(of), &distance);
    const uint32_t nearest_to_ray =
        md5_find_nearest_joint_to_ray(of->joints, of->num_joints, ray, NULL);
    if ((nearest >= of->num_joints && nearest != MD5_NONE)
        || (nearest_to_ray >= of->num_joints && nearest_to_ray != MD5_NONE))
        return "the nearest joint is none";
    (void)md5_cull_sphere(bounds, of->num_joints, api_point(of), api_number(of), found);
    (void)md5_cull_bounds(bounds, of->num_joints, all, found);
    (void)md5_cull_ray(bounds, of->num_joints, ray, found);
    return NULL;
}

// -- Assets ---------------------------------------------------------------------------------------

static const md5_load_opts api_opts = {.allocator = {.limit = FUZZ_MEMORY_LIMIT}};

static void *make_compressed_clip(const void *of, const md5_load_opts *opts, md5_error *error)
{
    const api_use *const use = of;
    const md5_compress_opts compress = {.tolerance = 0.1f, .model = use->model};
    return md5_compress_anim(use->anim, &compress, opts, error);
}
FUZZ_DESTROY(destroy_compressed_clip, md5_anim, md5_free_anim)

static const char *use_compression(api_use *of)
{
    if ((size_t)of->anim->num_frames * of->num_joints > 200) // 16 attempts
        return NULL;
    const char *fault =
        fuzz_memory(make_compressed_clip, destroy_compressed_clip, of, api_opts, of->random);
    md5_anim *const clip = make_compressed_clip(of, &api_opts, NULL);
    md5_binding *const binding = clip ? md5_bind(of->model, clip, &api_opts, NULL) : NULL;
    if (binding) {
        md5_sample(binding, of->moment, MD5_ROOT_FILE, of->pose);
        fault = fault ? fault : api_pose_fault(of->pose, of->num_joints);
        (void)md5_anim_root_motion(clip, of->moment, of->moment);
    }
    md5_free_binding(binding);
    md5_free_anim(clip);
    return fault;
}

static void *make_baked(const void *of, const md5_load_opts *opts, md5_error *error)
{
    const api_use *const use = of;
    return md5_create_baked(use->model, use->palette, 1, opts, error);
}
FUZZ_DESTROY(destroy_baked, md5_baked, md5_destroy_baked)

static void *make_weights(const void *of, const md5_load_opts *opts, md5_error *error)
{
    const api_use *const use = of;
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

static void *make_retarget(const void *of, const md5_load_opts *opts, md5_error *error)
{
    const api_use *const use = of;
    const md5_joint_pair pair = {.source = use->model->skeleton.joints[0].name,
                                 .target = use->model->skeleton.joints[use->num_joints - 1].name,
                                 .align = true};
    return md5_create_retarget(use->model, use->model, &pair, use->random % 2, opts, error);
}
FUZZ_DESTROY(destroy_retarget, md5_retarget, md5_destroy_retarget)

static void *make_morph(const void *of, const md5_load_opts *opts, md5_error *error)
{
    const api_use *const use = of;
    const md5_morph_source source = {.name = "smile", .model = use->model};
    return md5_create_morph(use->model, &source, 1, opts, error);
}
FUZZ_DESTROY(destroy_morph, md5_morph, md5_destroy_morph)

static const char *use_assets(api_use *of)
{
    const char *fault = fuzz_memory(make_baked, destroy_baked, of, api_opts, of->random);
    if (!fault)
        fault = fuzz_memory(make_retarget, destroy_retarget, of, api_opts, of->random);
    if (!fault)
        fault = fuzz_memory(make_morph, destroy_morph, of, api_opts, of->random);
    if (!fault && of->model->num_meshes > 0 && of->model->meshes[0].num_vertices > 0)
        fault = fuzz_memory(make_weights, destroy_weights, of, api_opts, of->random);
    md5_baked *const baked = make_baked(of, &api_opts, NULL);
    const md5_moment first = {0};
    if (baked && !(md5_baked_error(baked, of->model, first, of->palette) < INFINITY))
        fault = "a baked vertex that is not finite";
    md5_destroy_baked(baked);
    md5_retarget *const retarget = make_retarget(of, &api_opts, NULL);
    if (retarget) {
        void *const scratch = api_memory(of, 1, md5_retarget_pose_scratch(retarget));
        md5_retarget_pose(retarget, of->other, of->pose, scratch);
        fault = fault ? fault : api_pose_fault(of->pose, of->num_joints);
    }
    md5_destroy_retarget(retarget);
    return fault;
}

static const char *use_api(const md5_binding *binding, uint32_t random)
{
    static const char *(*const groups[])(api_use *) = {use_blends,      use_samples, use_chains,
                                                       use_secondary,   use_skins,   use_queries,
                                                       use_compression, use_assets};
    const uint32_t num_joints = binding->model->skeleton.num_joints;
    api_use of = {.model = binding->model,
                  .anim = binding->anim,
                  .binding = binding,
                  .num_joints = num_joints,
                  .random = random};
    if (num_joints > 256)
        return NULL;
    of.pose = api_memory(&of, num_joints, sizeof *of.pose);
    of.other = api_memory(&of, num_joints, sizeof *of.other);
    of.joints = api_memory(&of, num_joints, sizeof *of.joints);
    of.palette = api_memory(&of, num_joints, sizeof *of.palette);
    of.moment = md5_moment_at(of.anim, 0.37 * of.anim->duration, MD5_WRAP_LOOP);
    memcpy(of.other, of.model->bind_local, num_joints * sizeof *of.other);
    md5_pose_palette(binding, of.moment, MD5_ROOT_FILE, of.pose, of.joints, of.palette);
    md5_sample(binding, of.moment, MD5_ROOT_FILE, of.pose);
    const char *const fault = groups[api_choice(&of, COUNT_OF(groups))](&of);
    while (of.num_blocks > 0)
        free(of.blocks[--of.num_blocks]);
    return fault;
}

#endif

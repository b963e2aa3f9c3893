#include "demo/viewer/jobs/view.h"

#include "demo/common/text.h"

// Largest error that passes, relative to the model's diagonal, and of a normal, whose length is 1.
static const float position_limit = 1e-4f, normal_limit = 1e-3f;

// If blended rotations nearly cancel, to less than blend_limit, no direction is left to compare. If
// two dual quaternions are half a turn apart, rounding decides the sign with which they are
// blended: below side_limit.
static const float blend_limit = 0.05f, side_limit = 1e-5f;

enum { SAMPLES_PER_CLIP = 7 };

// Result for one mesh over all poses.
typedef struct mesh_report {
    float error, normal_error; // largest
    float predicted;           // largest predicted loss of the path, units
    float excess; // largest amount by which an error exceeds its pose's limit; passes if <= 0
    unsigned long long compared, skipped; // normals and tangents
} mesh_report;

typedef struct verification {
    view_state *viewer;
    mesh_report *reports;                // [num_meshes]
    md5_vec3 *positions, *normals;       // [max_vertices] of a mesh, from the GPU
    md5_vec4 *tangents, *exact_tangents; // from the GPU; from the CPU
    float limit;                         // units
    uint32_t num_poses;
} verification;

// -- Comparing ------------------------------------------------------------------------------

// Length of a vertex's blended normal or tangent before normalization.
static float blend_length(const md5_mesh *mesh, const md5_mat34 *palette, uint32_t vertex,
                          md5_vec3 direction)
{
    md5_vec3 blend = {0, 0, 0};
    float sum = 0;
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++) {
        const float bias = mesh->influences[i].w;
        const md5_vec3 turned = md5_mat34_direction(palette[mesh->influence_joints[i]], direction);
        blend = md5_vec3_add(blend, md5_vec3_scale(turned, bias));
        sum += fabsf(bias);
    }
    return sum > 0 ? md5_vec3_length(blend) / sum : 0;
}

// Whether the signs of the dual quaternions of a vertex's joints are well defined.
static bool has_sides(const md5_mesh *mesh, const md5_dual_quat *duals, uint32_t vertex)
{
    const uint32_t first = mesh->first_influence[vertex];
    for (uint32_t i = first + 1; i < mesh->first_influence[vertex + 1]; i++) {
        const md5_quat a = duals[mesh->influence_joints[first]].real;
        const md5_quat b = duals[mesh->influence_joints[i]].real;
        if (fabsf(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w) < side_limit)
            return false;
    }
    return true;
}

// NaN compares false with everything; infinity makes it fail.
static float distance(md5_vec3 a, md5_vec3 b)
{
    const float length = md5_vec3_length(md5_vec3_sub(a, b));
    return isnan(length) ? INFINITY : length;
}

static md5_vec3 direction_of(md5_vec4 tangent)
{
    return (md5_vec3){tangent.x, tangent.y, tangent.z};
}

static void compare_mesh(verification *v, uint32_t index)
{
    view_scene *const scene = &v->viewer->document->scene;
    const md5_mesh *const mesh = &scene->model->meshes[index];
    mesh_report *const report = &v->reports[index];
    float error = 0, predicted = 0;
    view_skin_mesh(scene, index, scene->skinned[index].normals, v->exact_tangents);
    COMMON_FOR (i, mesh->num_vertices) {
        if (scene->dual && !has_sides(mesh, scene->duals, i)) {
            report->skipped += 2;
            continue;
        }
        error = fmaxf(error, distance(v->positions[i], scene->skinned[index].positions[i]));
        // Normal and tangent, if they have a direction.
        const md5_vec4 gpu = v->tangents[i], cpu = v->exact_tangents[i];
        const md5_vec3 directions[2] = {mesh->normals[i], direction_of(mesh->tangents[i])};
        const float errors[2] = {distance(v->normals[i], scene->skinned[index].normals[i]),
                                 gpu.w == cpu.w ? distance(direction_of(gpu), direction_of(cpu))
                                                : INFINITY};
        COMMON_FOR (k, 2) {
            if (!scene->dual
                && blend_length(mesh, scene->palette, i, directions[k]) < blend_limit) {
                report->skipped++;
                continue;
            }
            report->compared++;
            report->normal_error = fmaxf(report->normal_error, errors[k]);
        }
    }
    // The predicted loss of the path, units. For dual quaternions with dropped influences there is
    // no bound.
    const md5gl_path path = md5gl_mesh_path(v->viewer->document->drawn, index, NULL);
    const uint32_t slots = path == MD5GL_PATH_4 ? 4 : 8;
    if (path == MD5GL_PATH_4 || path == MD5GL_PATH_8)
        predicted = !scene->dual ? md5_pack_loss(scene->model, index, slots, scene->joints)
                    : mesh->max_influences > slots ? INFINITY
                                                   : 0;
    const bool forced = v->viewer->options->path != MD5GL_PATH_AUTO;
    report->error = fmaxf(report->error, error);
    report->predicted = fmaxf(report->predicted, predicted);
    report->excess = fmaxf(report->excess, error - v->limit - (forced ? predicted : 0));
}

// Compares all meshes in the scene's current pose.
static bool compare_pose(verification *v)
{
    view_document *const document = v->viewer->document;
    view_scene *const scene = &document->scene;
    md5gl_renderer *const renderer = v->viewer->renderer;
    md5_error error = {0};
    const md5gl_blending blending = scene->dual ? MD5GL_BLEND_DUAL : MD5GL_BLEND_LINEAR;
    view_prepare_skin(scene);
    const md5gl_instances one = {.count = 1,
                                 .palettes = scene->palette,
                                 .morph = document->morphs.drawn,
                                 .weights = document->morphs.weights};
    // Skins the whole model, so it is called once per pose, not per mesh.
    bool done = md5gl_set_blending(renderer, document->drawn, blending, &error)
                && md5gl_pose(renderer, document->drawn, &one, &error);
    for (uint32_t i = 0; i < scene->model->num_meshes && done; i++) {
        done = md5gl_capture(renderer, document->drawn, i, NULL, v->positions, v->normals,
                             v->tangents, &error);
        if (done)
            compare_mesh(v, i);
    }
    v->num_poses++;
    return done || view_log_error(&v->viewer->log, &error);
}

// -- Poses ----------------------------------------------------------------------------------

static bool compare_still_poses(verification *v)
{
    view_scene *const scene = &v->viewer->document->scene;
    const md5_moment none = {0};
    view_show_bind_pose(scene, true, NULL);
    view_pose_moment(scene, &none);
    bool done = compare_pose(v);
    if (done) {
        // Every joint of the bind pose is turned by up to 50 degrees about different axes: bends
        // joints that no clip may bend.
        const md5_model *const model = scene->model;
        COMMON_FOR (i, scene->num_joints) {
            const float turn = (float)(i * 37 % 11) / 10.0f - 0.5f;
            const float half = 0.5f * view_radians(100 * turn), s = sinf(half);
            const md5_vec3 axes[3] = {{0.6f, 0.8f, 0}, {0, 0.6f, -0.8f}, {0.8f, 0, 0.6f}};
            const md5_vec3 axis = axes[i % 3];
            const md5_quat a = model->bind_local[i].rotation;
            const md5_quat b = {axis.x * s, axis.y * s, axis.z * s, cosf(half)};
            scene->pose[i] = model->bind_local[i];
            scene->pose[i].rotation = md5_quat_mul(a, b);
        }
        md5_local_to_model(scene->skeleton, scene->pose, scene->joints);
        md5_build_palette(model, scene->joints, scene->palette);
        done = compare_pose(v);
    }
    view_show_bind_pose(scene, false, NULL);
    return done;
}

static bool compare_moving_poses(verification *v)
{
    enum { NUM_SAMPLES = 60 };
    view_scene *const scene = &v->viewer->document->scene;
    view_play play = v->viewer->play;
    COMMON_FOR (clip, scene->num_clips) {
        view_select_clip(scene, clip);
        view_log_progress(&v->viewer->log, "clips", clip, scene->num_clips);
        const md5_anim *const anim = scene->clips[clip].anim;
        COMMON_FOR (i, SAMPLES_PER_CLIP) {
            // Every other sample is at a frame, the others between two.
            const double place = floor((double)(anim->num_frames - 1) * i / (SAMPLES_PER_CLIP - 1));
            const double time = (place + (i % 2 == 1 ? 0.37 : 0)) / anim->frame_rate;
            const md5_moment moment = md5_moment_at(anim, time, MD5_WRAP_CLAMP);
            view_pose_moment(scene, &moment);
            if (!compare_pose(v))
                return false;
        }
    }
    view_log_progress(&v->viewer->log, "clips", scene->num_clips, scene->num_clips);
    // If something else than a clip moves the model, its first seconds.
    for (int i = 0; i < NUM_SAMPLES && view_mover_of(scene)->moves_alone; i++) {
        play.time = 0.37 * i;
        view_pose(scene, &play);
        if (!compare_pose(v))
            return false;
    }
    return true;
}

// -- Report ---------------------------------------------------------------------------------

bool view_run_verify(view_state *viewer)
{
    const md5_model *const model = viewer->document->scene.model;
    if (model == NULL || view_count_vertices(model) == 0)
        return view_error(&viewer->log, "--verify: the model has no vertices");
    uint32_t max_vertices = 0;
    COMMON_FOR (i, model->num_meshes)
        max_vertices = model->meshes[i].num_vertices > max_vertices ? model->meshes[i].num_vertices
                                                                    : max_vertices;
    const float size = view_size(model->bounds) > 0 ? view_size(model->bounds) : 1;
    verification v = {
        .viewer = viewer,
        .reports = common_alloc(model->num_meshes, sizeof *v.reports),
        .positions = common_alloc(max_vertices, sizeof *v.positions),
        .normals = common_alloc(max_vertices, sizeof *v.normals),
        .tangents = common_alloc(max_vertices, sizeof *v.tangents),
        .exact_tangents = common_alloc(max_vertices, sizeof *v.exact_tangents),
        .limit = position_limit * size,
    };
    COMMON_FOR (i, model->num_meshes)
        v.reports[i].excess = -INFINITY;
    const bool is_compared = compare_still_poses(&v) && compare_moving_poses(&v);
    const view_scene *const scene = &viewer->document->scene;
    // A forced path may lose as much as predicted. It fails nevertheless, since the picture differs
    // from the file's model.
    const bool forced = viewer->options->path != MD5GL_PATH_AUTO;
    bool passes = is_compared;
    float error = 0;
    for (uint32_t i = 0; i < model->num_meshes && is_compared; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        const mesh_report *const r = &v.reports[i];
        const md5gl_path path = md5gl_mesh_path(viewer->document->drawn, i, NULL);
        // A path that loses more than the limit in positions may also lose it in normals.
        const bool is_too_much =
            r->excess > 0
            || !(r->normal_error <= normal_limit || (forced && r->predicted > v.limit));
        common_print(stdout,
                     "mesh %u \"%s\": %u vertices, path %s%s%s: largest error %.3g units, "
                     "%.3g of the size, predicted loss %.3g units; normals, tangents %.3g",
                     i, mesh->name, mesh->num_vertices, md5gl_path_name(path),
                     forced ? " (forced)" : "", scene->dual ? ", dual quaternions" : "", r->error,
                     (r->error / size), r->predicted, r->normal_error);
        if (r->skipped > 0)
            printf(" (%llu of %llu skipped: no direction)", r->skipped, r->skipped + r->compared);
        printf("; %s\n", is_too_much          ? "ERROR TOO LARGE"
                         : r->error > v.limit ? "loss as predicted"
                                              : "ok");
        passes = passes && !is_too_much && !(r->error > v.limit);
        error = fmaxf(error, r->error);
    }
    if (is_compared)
        common_print(stdout,
                     "%s: %u meshes in %u poses of %zu clips, size %.4g units: largest error %.3g "
                     "of it, limit %g: %s\n",
                     scene->name, model->num_meshes, v.num_poses, scene->num_clips, size,
                     (error / size), position_limit, passes ? "ok" : "FAILED");
    free(v.reports);
    free(v.positions);
    free(v.normals);
    free(v.tangents);
    free(v.exact_tangents);
    return passes;
}

// How far a joint moves the skin: by itself, and with the joints below it.
#include "md5/compress/tracks.h"
#include "md5/core/axes.h"
#include "md5/core/math.h"

// -- From a model -----------------------------------------------------------------------------

static float distance_between(md5_vec3 a, md5_vec3 b)
{
    return (float)md5_vec3d_length(md5_vec3d_sub(md5_vec3d_of(a), md5_vec3d_of(b)));
}

static void grow(float *value, float to)
{
    if (to > *value)
        *value = to;
}

// own[model joints]. A vertex is a sum of points of its joints, each in the bind pose.
static void measure_mesh(const md5_model *model, const md5_mesh *mesh, float *own)
{
    for (uint32_t i = 0; i < mesh->num_influences; i++) {
        const md5_vec4 influence = mesh->influences[i];
        const uint32_t joint = mesh->influence_joints[i];
        if (influence.w == 0.0f)
            continue;
        const float scale = 1.0f / influence.w;
        const md5_vec3 point = {influence.x * scale, influence.y * scale, influence.z * scale};
        const float *const m = model->bind[joint].m;
        grow(&own[joint], distance_between(point, (md5_vec3){m[3], m[7], m[11]}));
    }
}

// A joint without a track moves with its parent: so do its vertices.
static void pass_on(const md5_model *model, const int32_t *tracks, float *of_model)
{
    const md5_skeleton *const skeleton = &model->skeleton;
    for (uint32_t i = skeleton->num_joints; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const int32_t parent = skeleton->joints[joint].parent;
        if (tracks[joint] >= 0 || parent < 0 || of_model[joint] == 0.0f)
            continue;
        const float bone = distance_between(md5_mat34_translation(model->bind[joint]),
                                            md5_mat34_translation(model->bind[parent]));
        grow(&of_model[parent], of_model[joint] + bone);
    }
}

static bool measure_model(md5_arena *arena, const md5_model *model, const md5_anim *anim,
                          float *own)
{
    md5_error error;
    const md5_context *const context = arena->context;
    const md5_load_opts opts = {.allocator = context->allocator,
                                .file_name = context->error->file,
                                .warn = context->warn,
                                .warn_user = context->warn_user,
                                .max_warnings = context->max_warnings};
    float *const of_model =
        (float *)md5i_arena_alloc(arena, model->skeleton.num_joints, sizeof *of_model);
    TRY(of_model);
    md5_binding *const binding = md5_bind(model, anim, &opts, &error);
    if (!binding)
        return md5i_fail(arena->context, error.status, 0, 0, "%s", error.message);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        if (model->meshes[i].influences)
            measure_mesh(model, &model->meshes[i], of_model);
    }
    pass_on(model, binding->tracks, of_model);
    for (uint32_t joint = 0; joint < model->skeleton.num_joints; joint++) {
        if (binding->tracks[joint] >= 0)
            grow(&own[binding->tracks[joint]], of_model[joint]);
    }
    md5_free_binding(binding);
    return true;
}

// -- From bones -------------------------------------------------------------------------------

static float bone_of(const md5_anim *anim, uint32_t joint)
{
    return distance_between(anim->constant[joint].translation, (md5_vec3){0.0f, 0.0f, 0.0f});
}

static void measure_bones(const md5_anim *anim, float *own)
{
    const md5_skeleton *const skeleton = &anim->skeleton;
    for (uint32_t i = skeleton->num_joints; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const int32_t parent = skeleton->joints[joint].parent;
        if (parent < 0)
            continue;
        const float bone = bone_of(anim, joint);
        if (own[joint] == 0.0f) // no child has set it
            own[joint] = bone;
        grow(&own[parent], bone);
    }
}

static bool measure_own(md5_arena *arena, const md5_anim *anim, const md5_compress_opts *compress,
                        float *own)
{
    const uint32_t num_joints = anim->skeleton.num_joints;
    const float scale = md5_scale_of(&anim->skeleton);
    if (compress->distances) {
        for (uint32_t joint = 0; joint < num_joints; joint++)
            grow(&own[joint], compress->distances[joint]);
    } else if (compress->model) {
        TRY(measure_model(arena, compress->model, anim, own));
    } else {
        measure_bones(anim, own);
    }
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        own[joint] = own[joint] > scale ? own[joint] : scale;
        if (!(own[joint] <= 1e9f * scale))
            return md5i_fail(arena->context, MD5_ERROR_RANGE, 0, 0,
                             "the skin distance of joint %u is beyond 1e9 units", (unsigned)joint);
    }
    return true;
}

// -- Paths ------------------------------------------------------------------------------------

static void measure_paths(const md5_anim *anim, md5_skin_reach *of)
{
    const md5_skeleton *const skeleton = &anim->skeleton;
    for (uint32_t i = skeleton->num_joints; i-- > 0;) { // joints below, this one included
        const uint32_t joint = skeleton->order[i];
        const int32_t parent = skeleton->joints[joint].parent;
        grow(&of->reach[joint], of->own[joint]);
        grow(&of->budgets[joint], 1.0f);
        if (parent < 0)
            continue;
        grow(&of->reach[parent], of->reach[joint] + bone_of(anim, joint));
        grow(&of->budgets[parent], of->budgets[joint] + 1.0f);
    }
}

// `budgets` counts the joints of the longest path downwards. With those above it is the longest
// path through a joint; independent errors of n joints add up to sqrt(n) of one.
static void share_budgets(const md5_skeleton *skeleton, float *above, float *budgets)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const int32_t parent = skeleton->joints[joint].parent;
        above[joint] = parent < 0 ? 0.0f : above[parent] + 1.0f;
        budgets[joint] = 1.0f / sqrtf(budgets[joint] + above[joint]);
    }
}

bool md5i_find_reach(md5_arena *arena, const md5_anim *anim, const md5_compress_opts *compress,
                     md5_skin_reach *reach)
{
    const uint32_t num_joints = anim->skeleton.num_joints;
    float *const above = (float *)md5i_arena_alloc(arena, num_joints, sizeof *above);
    reach->own = (float *)md5i_arena_alloc(arena, num_joints, sizeof *reach->own);
    reach->reach = (float *)md5i_arena_alloc(arena, num_joints, sizeof *reach->reach);
    reach->budgets = (float *)md5i_arena_alloc(arena, num_joints, sizeof *reach->budgets);
    TRY(above && reach->own && reach->reach && reach->budgets);
    TRY(measure_own(arena, anim, compress, reach->own));
    measure_paths(anim, reach);
    share_budgets(&anim->skeleton, above, reach->budgets);
    return true;
}

#include "demo/viewer/scene/cube_model.h"

#include "demo/viewer/scene/mesh_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float DEGREE = 0.01745329252f;

enum { MOST_PARTS = 256 }; // far more than any model has: time grows with their square

void view_free_cube_model(view_cube_model *joined)
{
    for (uint32_t i = 0; joined->parts != NULL && i < joined->cube->num_parts; i++) {
        md5_free_model(joined->parts[i].model);
        free(joined->parts[i].joints);
    }
    for (uint32_t i = 0; i < joined->num_joints; i++)
        free(joined->joints[i].name);
    free(joined->joints);
    free(joined->parts);
    *joined = (view_cube_model){0};
}

// -- Placement ------------------------------------------------------------------------------------

// The engines turn a model about z, x and -y, in this order from the outside, and then move it in
// its own space. In id's axes, where y is mirrored, the angles about z and x change their signs.
static md5_xform placement(const md5_cube *cube)
{
    const md5_vec3 x = {1.0f, 0.0f, 0.0f}, y = {0.0f, 1.0f, 0.0f}, z = {0.0f, 0.0f, 1.0f};
    const md5_quat yaw = md5_quat_from_axis_angle(z, -cube->yaw * DEGREE);
    const md5_quat pitch = md5_quat_from_axis_angle(x, -cube->pitch * DEGREE);
    const md5_quat roll = md5_quat_from_axis_angle(y, -cube->roll * DEGREE);
    const md5_quat turned = md5_quat_mul(md5_quat_mul(yaw, pitch), roll);
    return (md5_xform){
        .rotation = turned,
        .translation = md5_quat_rotate(turned, cube->translation),
    };
}

// The part that part `index` shares joints with: the first of the same skeleton's name.
static uint32_t find_shared(const md5_cube *cube, uint32_t index)
{
    uint32_t first = 0;
    if (cube->parts[index].skeleton[0] == '\0')
        return index;
    while (first < MOST_PARTS
           && strcmp(cube->parts[first].skeleton, cube->parts[index].skeleton) != 0)
        first++;
    return first;
}

static const md5_cube_link *find_link(const md5_cube *cube, uint32_t child)
{
    for (uint32_t i = 0; i < cube->num_links; i++)
        if (cube->links[i].child == child)
            return &cube->links[i];
    return NULL;
}

// A tag belongs to a skeleton: parts that share it have the tags of each other. The last of a name
// holds.
static const md5_cube_tag *find_tag(const view_cube_model *joined, uint32_t part, const char *name)
{
    const md5_cube_tag *found = NULL;
    for (uint32_t p = 0; p < joined->cube->num_parts && p < MOST_PARTS; p++) {
        const md5_cube_part *const other = &joined->cube->parts[p];
        if (joined->parts[p].shared != joined->parts[part].shared)
            continue;
        for (uint32_t i = 0; i < other->num_tags; i++)
            if (strcmp(other->tags[i].name, name) == 0)
                found = &other->tags[i];
    }
    return found;
}

// Finds where a part is attached. Returns false if it is not shown.
static bool attach(view_cube_model *joined, uint32_t index, const char *path, view_log *log)
{
    view_cube_part *const part = &joined->parts[index];
    if (index >= MOST_PARTS)
        return false;
    const md5_cube_link *const link = find_link(joined->cube, index);
    if (index == 0 || (link == NULL && part->shared == 0)) {
        part->offset = placement(joined->cube);
        return true;
    }
    if (link == NULL) {
        view_warn(log, "%s: part %u is not linked to another, so it is not shown", path,
                  (unsigned)index);
        return false;
    }
    const view_cube_part *const parent = &joined->parts[link->parent];
    if (link->parent >= index || parent->model == NULL) {
        view_warn(log, "%s: part %u is linked to part %u, which is not shown before it", path,
                  (unsigned)index, (unsigned)link->parent);
        return false;
    }
    const md5_cube_tag *const tag = find_tag(joined, link->parent, link->tag);
    const int32_t joint =
        tag != NULL ? md5_find_joint(&parent->model->skeleton, tag->joint) : (int32_t)-1;
    if (joint < 0) {
        view_warn(log, "%s: part %u is linked to the tag '%s', which part %u does not have", path,
                  (unsigned)index, link->tag, (unsigned)link->parent);
        return false;
    }
    const md5_xform moved = {.rotation = {.w = 1.0f}, .translation = link->translation};
    part->parent = (int32_t)parent->joints[joint];
    part->offset = md5_xform_mul(tag->transform, moved);
    return true;
}

// -- Joints ---------------------------------------------------------------------------------------

static int32_t find_joint(const view_cube_model *joined, uint32_t part, const char *name)
{
    const view_cube_part *const other = &joined->parts[part];
    const int32_t joint =
        other->model != NULL ? md5_find_joint(&other->model->skeleton, name) : (int32_t)-1;
    return joint >= 0 ? (int32_t)other->joints[joint] : -1;
}

static uint32_t add_joint(view_cube_model *joined, uint32_t part, uint32_t in_part)
{
    const view_cube_part *const of = &joined->parts[part];
    const md5_skeleton *const skeleton = &of->model->skeleton;
    const md5_joint *const joint = &skeleton->joints[in_part];
    const md5_xform local = of->model->bind_local[in_part];
    view_cube_joint added = {.part = part, .in_part = in_part};
    added.name =
        part == 0 ? common_copy(joint->name) : common_format("%u/%s", (unsigned)part, joint->name);
    added.parent = joint->parent < 0 ? of->parent : (int32_t)of->joints[joint->parent];
    added.bind_local = joint->parent < 0 ? md5_xform_mul(of->offset, local) : local;
    added.bind = md5_xform_mul(joined->joints[added.parent].bind, added.bind_local);
    joined->joints[joined->num_joints] = added;
    return joined->num_joints++;
}

static void add_joints(view_cube_model *joined, uint32_t index)
{
    view_cube_part *const part = &joined->parts[index];
    const md5_skeleton *const skeleton = &part->model->skeleton;
    const bool shares = part->shared != index && find_link(joined->cube, index) == NULL;
    part->joints = common_alloc(skeleton->num_joints, sizeof *part->joints);
    joined->joints = common_realloc(
        joined->joints, (size_t)joined->num_joints + skeleton->num_joints, sizeof *joined->joints);
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i]; // parents first
        const int32_t known =
            shares ? find_joint(joined, part->shared, skeleton->joints[joint].name) : -1;
        part->joints[joint] = known >= 0 ? (uint32_t)known : add_joint(joined, index, joint);
    }
}

bool view_join_cube(view_cube_model *joined, const md5_cube *cube, const char *path,
                    const md5_load_opts *opts, view_log *log)
{
    *joined = (view_cube_model){.cube = cube, .num_joints = 1};
    joined->parts = common_alloc(cube->num_parts, sizeof *joined->parts);
    joined->joints = common_alloc(1, sizeof *joined->joints);
    joined->joints[0] = (view_cube_joint){
        .name = common_copy("md5.cfg"),
        .parent = -1,
        .bind_local = {.rotation = {.w = 1.0f}},
        .bind = {.rotation = {.w = 1.0f}},
        .part = cube->num_parts,
    };
    for (uint32_t i = 0; i < cube->num_parts; i++) {
        md5_error error;
        view_cube_part *const part = &joined->parts[i];
        part->part = &cube->parts[i];
        part->shared = find_shared(cube, i);
        if (!attach(joined, i, path, log))
            continue;
        part->model = md5_load_model(part->part->mesh, opts, &error);
        if (part->model == NULL) {
            view_log_error(log, &error);
            return false;
        }
        add_joints(joined, i);
    }
    return true;
}

// -- Meshes ---------------------------------------------------------------------------------------

static void say_joints(view_words *words, const view_cube_model *joined)
{
    view_say(words, "joints {\n");
    for (uint32_t i = 0; i < joined->num_joints; i++) {
        const view_cube_joint *const joint = &joined->joints[i];
        md5_xform bind = joint->bind;
        bind.translation = md5_vec3_scale(bind.translation, joined->cube->scale);
        view_say_joint(words, joint->name, joint->parent, bind);
    }
    view_say(words, "}\n");
}

static uint32_t count_meshes(const view_cube_model *joined)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < joined->cube->num_parts; i++)
        count += joined->parts[i].model != NULL ? joined->parts[i].model->num_meshes : 0;
    return count;
}

md5_model *view_cube_make_model(const view_cube_model *joined, const char *path, md5_error *error)
{
    view_words words = {0};
    const md5_load_opts opts = {.file_name = path};
    view_say(&words, "MD5Version 10\ncommandline \"\"\nnumJoints %u\nnumMeshes %u\n",
             (unsigned)joined->num_joints, (unsigned)count_meshes(joined));
    say_joints(&words, joined);
    for (uint32_t p = 0; p < joined->cube->num_parts; p++) {
        const md5_model *const model = joined->parts[p].model;
        for (uint32_t m = 0; model != NULL && m < model->num_meshes; m++)
            view_say_mesh(&words, &(view_said_mesh){.mesh = &model->meshes[m],
                                                    .material = model->meshes[m].shader,
                                                    .joints = joined->parts[p].joints,
                                                    .scale = joined->cube->scale});
    }
    md5_model *const model = md5_parse_model(words.text, words.size, &opts, error);
    free(words.text);
    return model;
}

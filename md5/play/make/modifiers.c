// Modifiers of a machine, and how far its model's vertices lie from their joints.
#include "md5/core/math.h"
#include "md5/play/make/building.h"
#include "md5/motion/space.h"

#include <float.h>
#include <string.h>

#define QUOTED(name) md5i_quote((name), strlen(name)).text

static bool is_zero(md5_vec3 v)
{
    return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}

// How many joints there are from the root of its branch down to this one.
static uint32_t depth_of(const md5_skeleton *skeleton, uint32_t joint)
{
    uint32_t depth = 1;
    for (int32_t at = skeleton->joints[joint].parent; at >= 0; at = skeleton->joints[at].parent)
        depth++;
    return depth;
}

static bool check_chain(md5_building *building, const md5_modifier_desc *desc, uint32_t length,
                        uint32_t joint)
{
    const uint32_t least = desc->kind == MD5_MODIFIER_AIM ? 1 : 2;
    const bool is_limb = desc->kind == MD5_MODIFIER_TWO_BONE;
    if (desc->kind == MD5_MODIFIER_JOINT || desc->kind == MD5_MODIFIER_FEET
        || desc->kind == MD5_MODIFIER_GAZE || (is_limb && (desc->middle || desc->root)))
        return true;
    if (!is_limb && (length < least || length > MD5_MAX_CHAIN))
        return md5i_fail_at(building, &desc->length, MD5_ERROR_RANGE,
                            "modifier %s has a chain of %u joints, which may have %u to %d",
                            QUOTED(desc->name), length, least, MD5_MAX_CHAIN);
    const uint32_t depth = depth_of(&building->desc->model->skeleton, joint);
    const bool is_given = !is_limb && desc->length > 0;
    if (length > depth)
        return md5i_fail_at(building, is_given ? (const void *)&desc->length : &desc->joint,
                            MD5_ERROR_RANGE,
                            "modifier %s: a chain of %u joints ends at %s, which is %u deep",
                            QUOTED(desc->name), length, QUOTED(desc->joint), depth);
    return true;
}

static bool build_modifier(md5_building *building, const md5_modifier_desc *desc,
                           md5_modifier *modifier)
{
    int32_t joint;
    TRY(md5i_resolve(building, &building->joints, &desc->joint, "modifier", desc->name, &joint));
    if (joint < 0)
        return md5i_fail_at(building, &desc->joint, MD5_ERROR_MISMATCH,
                            "modifier %s names no joint", QUOTED(desc->name));
    *modifier = (md5_modifier){
        .desc = *desc,
        .joint = (uint32_t)joint,
        .limb = {.tip = (uint32_t)joint},
    };
    md5_modifier_desc *const filled = &modifier->desc;
    const md5_vec3 x = {1.0f, 0.0f, 0.0f}, z = {0.0f, 0.0f, 1.0f};
    md5i_fill_defaults(&md5i_modifier_schema, filled, 1.0f);
    filled->forward = is_zero(desc->forward) ? x : md5_vec3_normalize(desc->forward, x);
    filled->up = is_zero(desc->up) ? z : md5_vec3_normalize(desc->up, z);
    TRY(check_chain(building, desc, desc->kind == MD5_MODIFIER_TWO_BONE ? 3 : filled->length,
                    (uint32_t)joint));
    TRY(md5i_build_limb(building, desc, &modifier->limb));
    TRY(md5i_build_feet(building, desc, modifier));
    TRY(md5i_build_gaze(building, desc, modifier));
    TRY(md5i_build_hold(building, desc, modifier));
    // the caller's: the machine has its own in its tables
    filled->name = filled->joint = filled->middle = filled->root = NULL;
    filled->feet = NULL;
    filled->gaze = NULL;
    filled->hold = NULL;
    if (desc->kind == MD5_MODIFIER_SPRING) {
        modifier->first_spring = building->machine->num_springs;
        building->machine->num_springs += filled->length;
    }
    return true;
}

bool md5i_build_modifiers(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    md5_machine *const machine = building->machine;
    const md5_skeleton *const skeleton = &desc->model->skeleton;
    md5_names names;
    size_t num_feet = 0, num_gazes = 0;
    TRY(md5i_begin_names(building->arena, &names, "modifier", desc->num_modifiers));
    for (uint32_t i = 0; i < desc->num_modifiers; i++) {
        md5i_add_name(&names, &desc->modifiers[i].name);
        num_feet += desc->modifiers[i].num_feet;
        num_gazes += desc->modifiers[i].kind == MD5_MODIFIER_GAZE ? 1u : 0u;
    }
    TRY(md5i_end_names(building->context, desc->locations, &names));
    TRY(md5i_begin_names(building->arena, &building->joints, "joint", skeleton->num_joints));
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        md5i_add_name(&building->joints, &skeleton->joints[i].name);
    md5i_sort_names(&building->joints);
    machine->modifiers =
        (md5_modifier *)md5i_build_array(building, desc->num_modifiers, sizeof *machine->modifiers);
    machine->legs = (md5_limb *)md5i_build_array(building, num_feet, sizeof *machine->legs);
    machine->gazes = (md5_gaze_desc *)md5i_build_array(building, num_gazes, sizeof *machine->gazes);
    machine->soles = (md5_sole *)md5i_build_array(building, num_feet, sizeof *machine->soles);
    TRY(machine->modifiers && machine->legs && machine->gazes && machine->soles);
    for (uint32_t i = 0; i < desc->num_modifiers; i++)
        TRY(build_modifier(building, &desc->modifiers[i], &machine->modifiers[i]));
    return true;
}

// A vertex is the sum over its influences of bias * joint position and an offset that turns with
// the joint; this bounds the offsets. If the bias is next to 0, as for two weights that cancel out,
// the offset is not divided by it: returns its length then, else 0.
static float reach_for(md5_machine *machine, uint32_t joint, md5_vec4 influence)
{
    const float bias = fabsf(influence.w);
    const md5_vec3 position = md5_mat34_translation(machine->model->bind[joint]);
    const md5_vec3 point = {influence.x, influence.y, influence.z};
    const md5_vec3 delta = md5_vec3_sub(point, md5_vec3_scale(position, influence.w));
    const float length = sqrtf(md5_vec3_dot(delta, delta));
    const bool counts = bias > 1.0f / 256.0f;
    machine->reaches[joint] = fmaxf(machine->reaches[joint], counts ? length / bias : 0.0f);
    return counts ? 0.0f : length;
}

static void reach_vertices(md5_machine *machine, const md5_mesh *mesh)
{
    machine->has_vertices = machine->has_vertices || mesh->num_influences > 0;
    for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex++) {
        float positive = 0.0f, negative = 0.0f, beside = 0.0f;
        for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1];
             i++) {
            const md5_vec4 influence = mesh->influences[i];
            beside += reach_for(machine, mesh->influence_joints[i], influence);
            positive += fmaxf(influence.w, 0.0f);
            negative += fmaxf(-influence.w, 0.0f);
        }
        machine->least_bias = fminf(machine->least_bias, positive);
        machine->most_bias = fmaxf(machine->most_bias, positive);
        machine->most_negative = fmaxf(machine->most_negative, negative);
        machine->beside = fmaxf(machine->beside, beside);
    }
}

bool md5i_build_reaches(md5_building *building)
{
    md5_machine *const machine = building->machine;
    machine->reaches =
        (float *)md5i_build_array(building, machine->num_joints, sizeof *machine->reaches);
    TRY(machine->reaches);
    for (uint32_t i = 0; i < machine->num_joints; i++)
        machine->reaches[i] = -1.0f;
    machine->least_bias = machine->most_bias = 1.0f;
    for (uint32_t i = 0; i < machine->model->num_meshes; i++) {
        const md5_mesh *const mesh = &machine->model->meshes[i];
        if (!mesh->first_influence && mesh->num_vertices > 0)
            return md5i_fail(building->context, MD5_ERROR_MISMATCH, 0, 0,
                             "the geometry of the machine's model was released: create machines "
                             "before, they need it for the bounds of players");
        reach_vertices(machine, mesh);
    }
    return true;
}

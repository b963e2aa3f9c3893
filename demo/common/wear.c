// Attaches clothes to a body: maps each joint of the clothes to a joint of the body, then moves the
// weights of all vertices to the mapped joints.
#include "demo/common/wear.h"

#include "demo/common/memory.h"

// The value of joint_map.source while a joint is not mapped.
static const uint32_t unmapped = MD5_NONE - 1;

// The joint of the body for a joint of the clothes.
typedef struct joint_map {
    uint32_t source; // joint of the clothes that has the name of `joint`, or MD5_NONE
    uint32_t joint;  // joint of the body
    bool is_counted; // as a follower
} joint_map;

static int compare_joints(const void *a, const void *b)
{
    return strcmp((*(md5_doc_joint *const *)a)->name, (*(md5_doc_joint *const *)b)->name);
}

static md5_xform joint_transform(const md5_doc_joint *joint)
{
    const md5_vec3 q = joint->rotation;
    return (md5_xform){.rotation = md5_quat_from_xyz(q.x, q.y, q.z),
                       .translation = joint->position};
}

// Maps the joints whose names both models have.
static void map_by_name(const md5_doc *body, const md5_doc *worn, joint_map *map)
{
    md5_doc_joint **const sorted = common_alloc(body->num_joints, sizeof *sorted);
    for (uint32_t i = 0; i < body->num_joints; i++)
        sorted[i] = &body->joints[i];
    qsort((void *)sorted, body->num_joints, sizeof *sorted, compare_joints);
    for (uint32_t i = 0; i < worn->num_joints; i++) {
        const md5_doc_joint *const key = &worn->joints[i];
        md5_doc_joint *const *const found = bsearch(
            (const void *)&key, (void *)sorted, body->num_joints, sizeof *sorted, compare_joints);
        map[i].source = found ? i : unmapped;
        map[i].joint = found ? (uint32_t)(*found - body->joints) : 0;
    }
    free((void *)sorted);
}

// Maps each remaining joint like its nearest mapped ancestor, or to joint 0 of the body. Visits
// each joint at most twice, even if parents form a circle.
static void map_by_ancestor(const md5_doc *worn, joint_map *map)
{
    for (uint32_t i = 0; i < worn->num_joints; i++) {
        uint32_t ancestor = i;
        while (ancestor != MD5_NONE && map[ancestor].source == unmapped) {
            map[ancestor].source = MD5_NONE;
            ancestor = worn->joints[ancestor].parent;
        }
        if (ancestor == MD5_NONE)
            continue;
        uint32_t joint = i;
        while (joint != ancestor) {
            map[joint].source = map[ancestor].source;
            map[joint].joint = map[ancestor].joint;
            joint = worn->joints[joint].parent;
        }
    }
}

// Moves a weight to its mapped joint, and updates the result.
static void move_weight(const md5_doc *body, const md5_doc *worn, joint_map *map,
                        md5_weight *weight, common_attached_clothes *result)
{
    const uint32_t worn_joint = weight->joint;
    joint_map *const mapped = &map[worn_joint];
    const bool is_follower = mapped->source != worn_joint; // the body does not have this joint
    const md5_xform target = joint_transform(&body->joints[mapped->joint]);
    const md5_vec3 before =
        md5_xform_point(joint_transform(&worn->joints[worn_joint]), weight->offset);
    if (is_follower) {
        const md5_xform source =
            mapped->source != MD5_NONE ? joint_transform(&worn->joints[mapped->source]) : target;
        weight->offset = md5_xform_point(md5_xform_inverse(source), before);
    }
    result->num_followers[mapped->joint] += is_follower && !mapped->is_counted;
    mapped->is_counted = true;
    weight->joint = mapped->joint;
    result->is_related |= mapped->source != MD5_NONE;
    const md5_vec3 displacement = md5_vec3_sub(md5_xform_point(target, weight->offset), before);
    const float distance = md5_vec3_length(displacement);
    result->size = fmaxf(result->size, md5_vec3_length(before));
    if (distance > result->distance) {
        result->distance = distance;
        result->joint = worn->joints[worn_joint].name;
    }
}

common_attached_clothes common_attach_clothes(const md5_doc *body, const md5_doc *worn)
{
    common_attached_clothes result = {.joint = ""};
    joint_map *const map = common_alloc(worn->num_joints, sizeof *map);
    result.num_followers = common_alloc(body->num_joints, sizeof *result.num_followers);
    map_by_name(body, worn, map);
    map_by_ancestor(worn, map);
    for (uint32_t j = 0; j < worn->num_meshes; j++) {
        md5_doc_mesh *const mesh = &worn->meshes[j];
        for (uint32_t i = 0; i < mesh->num_weights; i++)
            move_weight(body, worn, map, &mesh->weights[i], &result);
    }
    free(map);
    return result;
}

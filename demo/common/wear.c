// Attaches clothes to a body. Finds a joint of the body for each joint of the clothes (body_joint).
// Then moves the weights of all vertices to these joints.
//
// A joint of the clothes follows the joint of the body with the same name, which is called its
// namesake. A joint without a namesake, such as a joint of a coat's tail, is a follower. It moves
// rigidly with its nearest ancestor that has a namesake.
#include "demo/common/wear.h"

#include "demo/common/memory.h"

// Marks a body_joint.namesake that is not known yet.
static const uint32_t unmapped = MD5_NONE - 1;

// The joint of the body that a joint of the clothes follows.
typedef struct body_joint {
    uint32_t index; // joint of the body

    // The joint of the clothes from which `index` was found by name. It is the mapped joint itself,
    // or its nearest ancestor with a namesake. It is MD5_NONE if there is no such ancestor, and
    // `index` is then 0.
    uint32_t namesake;
    bool is_counted; // the mapped joint is included in num_followers
} body_joint;

// Orders pointers to joints by the names of the joints, for qsort() and bsearch().
static int compare_joints(const void *a, const void *b)
{
    return strcmp((*(md5_doc_joint *const *)a)->name, (*(md5_doc_joint *const *)b)->name);
}

// Returns the transform of a joint from its space to model space in the bind pose.
static md5_xform joint_transform(const md5_doc_joint *joint)
{
    const md5_vec3 q = joint->rotation;
    return (md5_xform){.rotation = md5_quat_from_xyz(q.x, q.y, q.z),
                       .translation = joint->position};
}

// Maps the joints of the clothes that have a namesake in the body, and marks the others as
// unmapped. The joints of the body are sorted by name, so that each search is fast.
static void map_by_name(const md5_doc *body, const md5_doc *worn, body_joint *map)
{
    md5_doc_joint **const sorted = common_alloc(body->num_joints, sizeof *sorted);
    for (uint32_t i = 0; i < body->num_joints; i++)
        sorted[i] = &body->joints[i];
    qsort((void *)sorted, body->num_joints, sizeof *sorted, compare_joints);
    for (uint32_t i = 0; i < worn->num_joints; i++) {
        const md5_doc_joint *const key = &worn->joints[i];
        md5_doc_joint *const *const found = bsearch(
            (const void *)&key, (void *)sorted, body->num_joints, sizeof *sorted, compare_joints);
        map[i].namesake = found ? i : unmapped;
        map[i].index = found ? (uint32_t)(*found - body->joints) : 0;
    }
    free((void *)sorted);
}

// Maps each remaining joint in the same way as its nearest mapped ancestor. If it has none, maps it
// to joint 0 of the body. Visits each joint at most twice, even if the parents in a damaged file
// form a circle.
static void map_by_ancestor(const md5_doc *worn, body_joint *map)
{
    for (uint32_t i = 0; i < worn->num_joints; i++) {
        // Find the nearest mapped ancestor. Visited joints get the namesake MD5_NONE, which also
        // ends a circle.
        uint32_t ancestor = i;
        while (ancestor != MD5_NONE && map[ancestor].namesake == unmapped) {
            map[ancestor].namesake = MD5_NONE;
            ancestor = worn->joints[ancestor].parent;
        }
        if (ancestor == MD5_NONE)
            continue;

        // Map the joints between joint i and the ancestor to the joint of the ancestor.
        uint32_t joint = i;
        while (joint != ancestor) {
            map[joint].namesake = map[ancestor].namesake;
            map[joint].index = map[ancestor].index;
            joint = worn->joints[joint].parent;
        }
    }
}

// Returns the position of a weight's point in the bind pose of its model.
static md5_vec3 weight_position(const md5_doc *doc, const md5_weight *weight)
{
    return md5_xform_point(joint_transform(&doc->joints[weight->joint]), weight->offset);
}

// Returns the offset of a follower's weight from its new joint. `position` is the position of the
// weight in the clothes. It is converted to the space of the mapped ancestor in the clothes. The
// follower therefore keeps its distance from this ancestor, even if the joint of the body is at
// another position.
static md5_vec3 follower_offset(const md5_doc *body, const md5_doc *worn, const body_joint *target,
                                md5_vec3 position)
{
    const bool has_namesake = target->namesake != MD5_NONE;
    const md5_doc_joint *const joint =
        has_namesake ? &worn->joints[target->namesake] : &body->joints[target->index];
    return md5_xform_point(md5_xform_inverse(joint_transform(joint)), position);
}

// Moves a weight of the clothes to its joint of the body. If the joint has a namesake, the offset
// of the weight is unchanged. If it is a follower, the offset is computed again.
static void move_weight(const md5_doc *body, const md5_doc *worn, const body_joint *target,
                        md5_weight *weight)
{
    const bool is_follower = target->namesake != weight->joint;
    if (is_follower)
        weight->offset = follower_offset(body, worn, target, weight_position(worn, weight));
    weight->joint = target->index;
}

// Counts the joint of a weight, `worn_joint`, in the result, unless it was counted for an earlier
// weight.
static void count_joint(uint32_t worn_joint, body_joint *target, common_attached_clothes *result)
{
    const bool is_follower = target->namesake != worn_joint;
    if (is_follower && !target->is_counted)
        result->num_followers[target->index]++;
    target->is_counted = true;
    if (target->namesake != MD5_NONE)
        result->has_common_joint = true;
}

// Updates the largest displacement and the size of the clothes in the result. `before` and `after`
// are the positions of a weight before and after it was moved. `joint` is the name of its joint.
static void measure_point(const char *joint, md5_vec3 before, md5_vec3 after,
                          common_attached_clothes *result)
{
    const float distance = md5_vec3_length(md5_vec3_sub(after, before));
    result->size = fmaxf(result->size, md5_vec3_length(before));
    if (distance > result->distance) {
        result->distance = distance;
        result->joint = joint;
    }
}

// Moves a weight to its joint of the body and updates the result. map[] contains the joint of the
// body for each joint of the clothes.
static void attach_weight(const md5_doc *body, const md5_doc *worn, body_joint *map,
                          md5_weight *weight, common_attached_clothes *result)
{
    const uint32_t worn_joint = weight->joint; // before it becomes a joint of the body
    const md5_vec3 before = weight_position(worn, weight);
    count_joint(worn_joint, &map[worn_joint], result);
    move_weight(body, worn, &map[worn_joint], weight);
    const md5_vec3 after = weight_position(body, weight);
    measure_point(worn->joints[worn_joint].name, before, after, result);
}

// Attaches the meshes of a worn model to the joints of a body. Maps each joint of the worn model
// to the joint of the body with its name or, if it does not exist, like its nearest ancestor.
// Then changes all weights to the joints of the body, and measures how far this moves them.
common_attached_clothes common_attach_clothes(const md5_doc *body, const md5_doc *worn)
{
    common_attached_clothes result = {.joint = ""};
    body_joint *const map = common_alloc(worn->num_joints, sizeof *map);
    result.num_followers = common_alloc(body->num_joints, sizeof *result.num_followers);
    map_by_name(body, worn, map);
    map_by_ancestor(worn, map);
    for (uint32_t j = 0; j < worn->num_meshes; j++) {
        md5_doc_mesh *const mesh = &worn->meshes[j];
        for (uint32_t i = 0; i < mesh->num_weights; i++)
            attach_weight(body, worn, map, &mesh->weights[i], &result);
    }
    free(map);
    return result;
}

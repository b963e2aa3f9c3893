#include "demo/common/wear.h"

#include "demo/common/memory.h"

static int compare_joints(const void *a, const void *b)
{
    return strcmp((*(md5_doc_joint *const *)a)->name, (*(md5_doc_joint *const *)b)->name);
}

static md5_xform place_of(const md5_doc_joint *joint)
{
    const md5_vec3 q = joint->rotation;
    return (md5_xform){.rotation = md5_quat_from_xyz(q.x, q.y, q.z),
                       .translation = joint->position};
}

common_worn common_wear(const md5_doc *body, const md5_doc *worn)
{
    const uint32_t count = worn->num_joints;
    const uint32_t unknown = MD5_NONE - 1;
    common_worn all = {.joint = ""};
    md5_doc_joint **const sorted = common_alloc(body->num_joints, sizeof *sorted);
    struct {
        uint32_t near, joint; // near: the worn one whose joint of the body is followed
        bool is_counted;
    } *const map = common_alloc(count, sizeof *map);
    all.num_followers = common_alloc(body->num_joints, sizeof *all.num_followers);
    for (uint32_t i = 0; i < body->num_joints; i++)
        sorted[i] = &body->joints[i];
    qsort((void *)sorted, body->num_joints, sizeof *sorted, compare_joints);
    for (uint32_t i = 0; i < count; i++) {
        const md5_doc_joint *const own = &worn->joints[i];
        md5_doc_joint *const *const found = bsearch(
            (const void *)&own, (void *)sorted, body->num_joints, sizeof *sorted, compare_joints);
        map[i].near = found ? i : unknown;
        map[i].joint = found ? (uint32_t)(*found - body->joints) : 0;
    }
    free((void *)sorted);
    for (uint32_t i = 0; i < count;
         i++) { // each joint is walked over once, also where parents form a circle
        uint32_t end = i;
        uint32_t next;
        for (; end != MD5_NONE && map[end].near == unknown; end = worn->joints[end].parent)
            map[end].near = MD5_NONE;
        for (uint32_t k = i; end != MD5_NONE && k != end; k = next) {
            next = worn->joints[k].parent;
            map[k].near = map[end].near;
            map[k].joint = map[end].joint;
        }
    }
    for (uint32_t j = 0; j < worn->num_meshes; j++) {
        md5_doc_mesh *const mesh = &worn->meshes[j];
        for (uint32_t i = 0; i < mesh->num_weights; i++) {
            md5_weight *const weight = &mesh->weights[i];
            const uint32_t number = weight->joint;
            const uint32_t near = map[number].near;
            const uint32_t joint = map[number].joint;
            const md5_xform to = place_of(&body->joints[joint]);
            const md5_vec3 at = md5_xform_point(place_of(&worn->joints[number]), weight->offset);
            if (near != number)
                weight->offset = md5_xform_point(
                    md5_xform_inverse(near != MD5_NONE ? place_of(&worn->joints[near]) : to), at);
            all.num_followers[joint] += near != number && !map[number].is_counted;
            map[number].is_counted = true;
            weight->joint = joint;
            all.is_related |= near != MD5_NONE;
            const md5_vec3 way = md5_vec3_sub(md5_xform_point(to, weight->offset), at);
            const float distance = md5_vec3_length(way);
            all.size = fmaxf(all.size, md5_vec3_length(at));
            if (distance > all.distance) {
                all.distance = distance;
                all.joint = worn->joints[number].name;
            }
        }
    }
    free(map);
    return all;
}

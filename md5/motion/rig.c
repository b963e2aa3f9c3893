#include "md5/motion/rig.h"

// A chain counts as straight if it deviates by less than this share of its length; the angle by
// which straight joints are bent first, as sine and cosine.
#define STRAIGHT 1e-3
#define PUSH 0.1
#define PUSH_COSINE 0.99498743710662

void md5i_rig_chain(const md5_chain *chain, const md5_xform *pose, const md5_joint_limit *limits,
                    md5_rig *rig)
{
    rig->count = chain->count;
    for (uint32_t i = 0; i < chain->count; i++) {
        const uint32_t joint = chain->joints[i];
        const md5_xform *const local = &pose[joint];
        md5_rig_joint *const made = &rig->joints[i];
        *made = (md5_rig_joint){
            .joint = joint,
            .parent = (int32_t)i - 1,
            .above = md5i_quatd_unit(md5_quatd_of(chain->above)),
            .offset = md5_vec3d_of(local->translation),
            .place = md5_vec3d_of(chain->places[i]),
            .limit = md5i_limit_of(limits ? &limits[joint] : NULL),
        };
        made->local =
            md5i_limit_nearest(&made->limit, md5i_quatd_unit(md5_quatd_of(local->rotation)));
    }
    md5i_place_rig(rig, 0);
}

md5_quatd md5i_rig_above(const md5_rig *rig, uint32_t joint)
{
    const md5_rig_joint *const at = &rig->joints[joint];
    return at->parent < 0 ? at->above : rig->joints[at->parent].rotation;
}

void md5i_place_rig(md5_rig *rig, uint32_t first)
{
    for (uint32_t i = first; i < rig->count; i++) {
        md5_rig_joint *const at = &rig->joints[i];
        const md5_quatd above = md5i_rig_above(rig, i);
        at->rotation = md5_quatd_mul(above, at->local);
        if (at->parent >= 0)
            at->place =
                md5_vec3d_add(rig->joints[at->parent].place, md5_quatd_rotate(above, at->offset));
    }
}

md5_quatd md5i_rig_turned(const md5_rig *rig, uint32_t joint, md5_quatd turn)
{
    const md5_rig_joint *const at = &rig->joints[joint];
    const md5_quatd above = md5_quatd_conjugate(md5i_rig_above(rig, joint));
    const md5_quatd local = md5_quatd_mul(above, md5_quatd_mul(turn, at->rotation));
    return md5i_limit_nearest(&at->limit, md5i_quatd_unit(local));
}

void md5i_write_rig(const md5_rig *rig, float weight, md5_xform *pose)
{
    md5_share share;
    md5i_share_of(weight, &share);
    for (uint32_t i = 0; i < rig->count; i++) {
        const md5_rig_joint *const at = &rig->joints[i];
        const md5_quatd q = at->local;
        if (!at->is_held)
            md5_turn_joint(&pose[at->joint], &share,
                           md5_float4_of((float)q.x, (float)q.y, (float)q.z, (float)q.w));
    }
}

void md5i_keep_rig(const md5_rig *rig, md5_quatd *kept)
{
    for (uint32_t i = 0; i < rig->count; i++)
        kept[i] = rig->joints[i].local;
}

void md5i_restore_rig(const md5_quatd *kept, md5_rig *rig)
{
    for (uint32_t i = 0; i < rig->count; i++)
        rig->joints[i].local = kept[i];
    md5i_place_rig(rig, 0);
}

// -- Straight chains ------------------------------------------------------------------------------

// The first joint above `tip`: the root of its chain.
static uint32_t root_of(const md5_rig *rig, uint32_t tip)
{
    while (rig->joints[tip].parent >= 0)
        tip = (uint32_t)rig->joints[tip].parent;
    return tip;
}

static bool is_stuck(const md5_rig *rig, uint32_t tip, md5_vec3d way, md5_vec3d target,
                     double tolerance)
{
    const md5_vec3d root = rig->joints[root_of(rig, tip)].place;
    double widest = 0.0, length = 0.0;
    for (uint32_t i = tip; rig->joints[i].parent >= 0; i = (uint32_t)rig->joints[i].parent) {
        const md5_vec3d from_root = md5_vec3d_sub(rig->joints[i].place, root);
        const double aside = md5_vec3d_length(md5_vec3d_cross(from_root, way));
        widest = aside > widest ? aside : widest;
        length += md5_vec3d_length(rig->joints[i].offset);
    }
    const double distance = md5_vec3d_length(md5_vec3d_sub(target, root));
    const double left = md5_vec3d_length(md5_vec3d_sub(target, rig->joints[tip].place));
    return widest < STRAIGHT * length && distance < length && left > tolerance;
}

// A hinge is bent to the side with the larger part of its range.
static void push(md5_rig *rig, uint32_t joint, md5_vec3d axis, double sine)
{
    md5_rig_joint *const at = &rig->joints[joint];
    if (at->limit.kind != MD5_LIMIT_HINGE) {
        at->local = md5i_rig_turned(rig, joint, md5i_quatd_about(axis, PUSH_COSINE, sine));
        return;
    }
    const md5_vec3d hinge = md5_quatd_rotate(at->rotation, at->limit.axis);
    const md5_quatd one = md5i_rig_turned(rig, joint, md5i_quatd_about(hinge, PUSH_COSINE, sine));
    const md5_quatd other =
        md5i_rig_turned(rig, joint, md5i_quatd_about(hinge, PUSH_COSINE, -sine));
    const bool is_one =
        fabs(md5_quatd_dot(one, at->local)) <= fabs(md5_quatd_dot(other, at->local));
    at->local = is_one ? one : other;
}

void md5i_bend_straight(md5_axes axes, md5_rig *rig, uint32_t tip, md5_vec3d target,
                        double tolerance)
{
    const uint32_t root = root_of(rig, tip);
    const md5_vec3d any = {1.0, 0.0, 0.0};
    const md5_vec3d start = rig->joints[root].place;
    md5_vec3d way = md5_vec3d_normalize(md5_vec3d_sub(target, start));
    if (!(md5_vec3d_dot(way, way) > 0.0))
        way = md5_vec3d_normalize(md5_vec3d_sub(rig->joints[tip].place, start));
    if (!(md5_vec3d_dot(way, way) > 0.0))
        way = any;
    if (!is_stuck(rig, tip, way, target, tolerance))
        return;
    const md5_vec3 aside = md5i_forward_beside(axes, md5_vec3d_round(way));
    const md5_vec3d axis = md5_vec3d_normalize(md5_vec3d_cross(way, md5_vec3d_of(aside)));
    for (int32_t i = rig->joints[tip].parent; i >= 0; i = rig->joints[i].parent)
        if (!rig->joints[i].is_held)
            push(rig, (uint32_t)i, axis, (uint32_t)i == root ? PUSH : -PUSH);
    md5i_place_rig(rig, 0);
}

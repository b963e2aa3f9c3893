#include "md5/read/tables.h"
#include "md5/core/math.h"
#include "md5/read/header.h"
#include "md5/read/rows.h"

bool md5i_read_joint(md5_lex *lex, uint32_t num_joints, uint32_t index, md5_file_joint *joint)
{
    int64_t number;
    if (md5i_lex_at_block_end(lex))
        return md5i_fail_short(lex, "numJoints", num_joints, index);
    joint->offset = (uint32_t)(lex->at - lex->text);
    TRY(md5i_lex_joint_name(lex, &joint->name));
    TRY(md5i_lex_int(lex, &number));
    if (number >= (int64_t)num_joints)
        return md5i_lex_fail(
            lex, lex->number_at, MD5_ERROR_RANGE,
            "parent index is out of range: expected below %u (numJoints), found %lld", num_joints,
            (long long)number);
    if (number < -1)
        md5i_lex_warn(
            lex, lex->number_at,
            "parent index is out of range: expected -1 or more, found %lld; using -1 (no parent)",
            (long long)number);
    joint->parent = number < 0 ? MD5_NONE : (uint32_t)number;
    return true;
}

void md5i_warn_overlong(md5_lex *lex, const char *position, md5_vec3 rotation, uint32_t count)
{
    const double length = sqrt((double)md5_vec3_dot(rotation, rotation));
    const bool is_one = count == 1;
    // One format, so that both are one kind of warning; it writes no number for 0.
    md5i_lex_warn(lex, position, "%.0u%s%.6g%s; normalized", is_one ? 0 : count,
                  is_one ? "rotation is too long: expected length 1 or less, found "
                         : " rotations are too long: expected length 1 or less, found ",
                  length, is_one ? "" : " in the first");
}

bool md5i_read_rotation(md5_lex *lex, md5_vec3 *rotation)
{
    const char *const position = md5i_lex_next(lex);
    TRY(md5i_lex_vec3(lex, md5i_lex_float, rotation));
    if (!isfinite(md5_vec3_dot(*rotation, *rotation))) // cannot be brought to unit length
        return md5i_lex_fail(
            lex, position, MD5_ERROR_RANGE,
            "rotation is out of range: expected length 1 or less, found ( %g %g %g )", rotation->x,
            rotation->y, rotation->z);
    if (md5_quat_is_overlong(rotation->x, rotation->y, rotation->z))
        md5i_warn_overlong(lex, position, *rotation, 1);
    return true;
}

bool md5i_read_transform(md5_lex *lex, md5_xform *transform)
{
    md5_vec3 rotation;
    TRY(md5i_lex_vec3(lex, md5i_lex_length, &transform->translation));
    TRY(md5i_read_rotation(lex, &rotation));
    transform->rotation = (md5_quat){rotation.x, rotation.y, rotation.z, 0};
    return true;
}

// Names a joint that is its own ancestor. What the walk from the roots did not reach lies on a
// circle, or below one: as many steps upward as there are joints end on one.
static bool fail_cycle(md5_lex *lex, const md5_file_joint *joints, uint32_t num_joints,
                       const uint32_t *order, uint32_t num_reached)
{
    bool *const reached = MD5_NEW(lex->arena, bool, num_joints);
    TRY(reached);
    for (uint32_t i = 0; i < num_reached; i++)
        reached[order[i]] = true;
    uint32_t joint = 0;
    while (reached[joint])
        joint++;
    for (uint32_t step = 0; step < num_joints; step++)
        joint = joints[joint].parent;
    uint32_t first = joint;
    for (uint32_t next = joints[joint].parent; next != joint; next = joints[next].parent)
        first = next < first ? next : first;
    return md5i_lex_fail(lex, lex->text + joints[first].offset, MD5_ERROR_RANGE,
                         "joint %s is its own ancestor",
                         md5i_quote(joints[first].name.bytes, joints[first].name.size).text);
}

static void warn_of_order(md5_lex *lex, const md5_file_joint *joints, uint32_t num_joints)
{
    const md5_file_joint *first = NULL;
    uint32_t count = 0;
    for (uint32_t j = num_joints; j-- > 0;) {
        if (joints[j].parent != MD5_NONE && joints[j].parent > j) {
            first = &joints[j];
            count++;
        }
    }
    if (first)
        md5i_lex_warn(
            lex, lex->text + first->offset,
            count == 1 ? "joint %s comes before its parent, joint %u"
                       : "joint %s comes before its parent, joint %u (the first of %u such joints)",
            md5i_quote(first->name.bytes, first->name.size).text, first->parent, count);
}

bool md5i_order_joints(md5_lex *lex, const md5_file_joint *joints, uint32_t num_joints,
                       const uint32_t **result)
{
    uint32_t *const order = MD5_ROOM(lex->arena, uint32_t, num_joints);
    TRY(order);
    *result = order;
    // Whether the joints stand level by level, as in chains, flat skeletons and some exporters'
    // files.
    bool are_ordered = true;
    uint32_t last = 0;
    for (uint32_t j = 0; j < num_joints; j++) {
        const uint32_t place = joints[j].parent + 1; // among the parents; 0: no parent
        are_ordered = are_ordered && place >= last && place <= j;
        last = place;
        order[j] = j;
    }
    if (are_ordered)
        return true;

    // Level by level from the roots. The children of joint j are children[starts[j]] ..
    // children[starts[j + 1] - 1]; index num_joints holds the roots.
    const md5_arena_mark before = md5i_arena_here(lex->arena);
    uint32_t *const starts = MD5_NEW(lex->arena, uint32_t, (size_t)num_joints + 2);
    uint32_t *const children = MD5_ROOM(lex->arena, uint32_t, num_joints);
    TRY(starts && children);

    // Ends of the ranges, each one place up, by counting; then filling from the back moves every
    // end down to its range's start, and all starts belong one place down.
    const uint32_t roots = num_joints;
    for (uint32_t j = 0; j < num_joints; j++)
        starts[(joints[j].parent == MD5_NONE ? roots : joints[j].parent) + 1]++;
    for (uint32_t j = 0; j <= roots; j++)
        starts[j + 1] += starts[j];
    for (uint32_t j = num_joints; j-- > 0;) {
        const uint32_t parent = joints[j].parent == MD5_NONE ? roots : joints[j].parent;
        children[--starts[parent + 1]] = j;
    }
    memmove(starts, starts + 1, ((size_t)num_joints + 1) * sizeof *starts);
    starts[num_joints + 1] = num_joints;

    uint32_t known = 0;
    for (uint32_t i = starts[num_joints]; i < starts[num_joints + 1]; i++)
        order[known++] = children[i];
    for (uint32_t done = 0; done < known; done++) {
        const uint32_t joint = order[done];
        for (uint32_t i = starts[joint]; i < starts[joint + 1]; i++)
            order[known++] = children[i];
    }
    if (known < num_joints)
        return fail_cycle(lex, joints, num_joints, order, known);
    md5i_arena_rewind(lex->arena, before);

    warn_of_order(lex, joints, num_joints);
    return true;
}

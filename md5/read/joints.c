// Reads the joints of all text files: their names, parents and transforms. Finds an order of the
// joints in which parents come first.
#include "md5/read/tables.h"
#include "md5/core/math.h"
#include "md5/read/header.h"
#include "md5/read/rows.h"

// Reads the name and the parent of joint `index`. A negative parent index means that the joint is a
// root.
bool md5i_read_joint(md5_lex *lex, uint32_t num_joints, uint32_t index, md5_file_joint *joint)
{
    int64_t number;
    if (md5i_lex_at_block_end(lex))
        return md5i_fail_too_few(lex, "numJoints", num_joints, index);

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

// Warns about `count` rotations whose x y z are longer than 1, so that no real w exists. `rotation`
// is the first of them, at `position` in the text.
void md5i_warn_overlong(md5_lex *lex, const char *position, md5_vec3 rotation, uint32_t count)
{
    const double length = sqrt((double)md5_vec3_dot(rotation, rotation));
    uint32_t printed_count = 0;
    const char *problem =
        "rotation is not normalized: expected x, y, z of length 1 or less, found ";
    const char *where = "";
    if (count != 1) {
        printed_count = count;
        problem = " rotations are not normalized: expected x, y, z of length 1 or less, found ";
        where = " in the first";
    }
    // Use one format for both messages, because only warnings with the same format are merged.
    // "%.0u" prints nothing for 0.
    md5i_lex_warn(lex, position, "%.0u%s%.6g%s; normalized", printed_count, problem, length, where);
}

// Reads ( x y z ) of a rotation, unchanged. Warns if its length is more than 1.
bool md5i_read_rotation(md5_lex *lex, md5_vec3 *rotation)
{
    const char *const position = md5i_lex_skip_space(lex);
    TRY(md5i_lex_vec3(lex, md5i_lex_float, rotation));
    if (!isfinite(md5_vec3_dot(*rotation, *rotation))) // cannot be normalized
        return md5i_lex_fail(
            lex, position, MD5_ERROR_RANGE,
            "rotation is out of range: expected x, y, z of length 1 or less, found ( %g %g %g )",
            rotation->x, rotation->y, rotation->z);
    if (md5_quat_is_overlong(rotation->x, rotation->y, rotation->z))
        md5i_warn_overlong(lex, position, *rotation, 1);
    return true;
}

// Reads ( x y z ) ( x y z ), a translation and a rotation. x y z of the rotation remain as in the
// file, and w is set to 0.
bool md5i_read_transform(md5_lex *lex, md5_xform *transform)
{
    md5_vec3 rotation;
    TRY(md5i_lex_vec3(lex, md5i_lex_length, &transform->translation));
    TRY(md5i_read_rotation(lex, &rotation));
    transform->rotation = (md5_quat){rotation.x, rotation.y, rotation.z, 0};
    return true;
}

// Reports a joint that is its own ancestor, and returns false. order[num_reached] contains the
// joints that descend from a root. There is a cycle because some joints do not.
static bool fail_cycle(md5_lex *lex, const md5_file_joint *joints, uint32_t num_joints,
                       const uint32_t *order, uint32_t num_reached)
{
    bool *const reached = MD5_ALLOC_ZEROED(lex->arena, bool, num_joints);
    TRY(reached);
    for (uint32_t i = 0; i < num_reached; i++)
        reached[order[i]] = true;

    // Find a joint that was not reached. It is in a cycle or below one.
    uint32_t joint = 0;
    while (reached[joint])
        joint++;

    // Walk to the parent num_joints times. A joint outside of the cycle is visited at most once, so
    // the walk ends inside of the cycle.
    for (uint32_t step = 0; step < num_joints; step++)
        joint = joints[joint].parent;

    // Walk around the cycle once, to report its first joint in the file.
    uint32_t first = joint;
    for (uint32_t next = joints[joint].parent; next != joint; next = joints[next].parent) {
        if (next < first)
            first = next;
    }
    return md5i_lex_fail(lex, lex->text + joints[first].offset, MD5_ERROR_RANGE,
                         "joint %s is its own ancestor",
                         md5i_quote(joints[first].name.bytes, joints[first].name.size).text);
}

// Warns if joints come before their parents in the file. One warning covers all such joints.
static void warn_about_order(md5_lex *lex, const md5_file_joint *joints, uint32_t num_joints)
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

// Writes the order 0, 1, 2 ... to order[num_joints]. Returns true if this order is level by level,
// so that no sorting is needed. Parents must come before their children, and the parents of
// consecutive joints must ascend, roots first. This is true for chains, flat skeletons and the
// files of some exporters.
static bool fill_if_ordered(const md5_file_joint *joints, uint32_t num_joints, uint32_t *order)
{
    bool are_ordered = true;
    uint32_t last_parent = 0;
    for (uint32_t j = 0; j < num_joints; j++) {
        const uint32_t parent = joints[j].parent + 1; // counted from 1; MD5_NONE becomes 0
        are_ordered = are_ordered && parent >= last_parent && parent <= j;
        last_parent = parent;
        order[j] = j;
    }
    return are_ordered;
}

// Groups the joints by parent with a counting sort. Afterwards the children of joint j are
// children[starts[j]] .. children[starts[j + 1] - 1]. The roots count as children of the index
// num_joints. starts[num_joints + 2] must be zeroed.
static void group_children(const md5_file_joint *joints, uint32_t num_joints, uint32_t *starts,
                           uint32_t *children)
{
    const uint32_t roots = num_joints;
    // Count the children of j in starts[j + 1], then convert counts to ends of ranges.
    for (uint32_t j = 0; j < num_joints; j++)
        starts[(joints[j].parent == MD5_NONE ? roots : joints[j].parent) + 1]++;
    for (uint32_t j = 0; j <= roots; j++)
        starts[j + 1] += starts[j];

    // Fill the ranges from the back, which moves each end to the start of its range. Afterwards
    // starts[j + 1] is the start of the range of j, so all starts must move to the previous
    // element.
    for (uint32_t j = num_joints; j-- > 0;) {
        const uint32_t parent = joints[j].parent == MD5_NONE ? roots : joints[j].parent;
        children[--starts[parent + 1]] = j;
    }
    memmove(starts, starts + 1, ((size_t)num_joints + 1) * sizeof *starts);
    starts[num_joints + 1] = num_joints;
}

// Finds an order of the joints level by level: first the roots, then their children, and so on.
// Sets *result to the order, an array of the arena. A joint that is its own ancestor is an error.
bool md5i_order_joints(md5_lex *lex, const md5_file_joint *joints, uint32_t num_joints,
                       const uint32_t **result)
{
    uint32_t *const order = MD5_ALLOC_ARRAY(lex->arena, uint32_t, num_joints);
    TRY(order);
    *result = order;
    if (fill_if_ordered(joints, num_joints, order))
        return true;

    const md5_arena_mark before = md5i_arena_position(lex->arena);
    uint32_t *const starts = MD5_ALLOC_ZEROED(lex->arena, uint32_t, (size_t)num_joints + 2);
    uint32_t *const children = MD5_ALLOC_ARRAY(lex->arena, uint32_t, num_joints);
    TRY(starts && children);
    group_children(joints, num_joints, starts, children);

    // Append the roots, then the children of each joint that is in the order already.
    uint32_t num_reached = 0;
    for (uint32_t i = starts[num_joints]; i < starts[num_joints + 1]; i++)
        order[num_reached++] = children[i];
    for (uint32_t i = 0; i < num_reached; i++) {
        const uint32_t joint = order[i];
        for (uint32_t k = starts[joint]; k < starts[joint + 1]; k++)
            order[num_reached++] = children[k];
    }
    if (num_reached < num_joints)
        return fail_cycle(lex, joints, num_joints, order, num_reached);
    md5i_arena_rewind(lex->arena, before);

    warn_about_order(lex, joints, num_joints);
    return true;
}

// Finds the bones of joints in a volume.
#include "md5/skin/bind_paths.h"

static md5_vec3d joint_in_grid(const md5_grid *grid, const md5_weights_desc *desc, uint32_t joint)
{
    return md5_grid_point(grid, md5_vec3d_of(md5_mat34_translation(desc->bind[joint])));
}

static bool is_bound(const md5_grid *grid, const md5_weights_desc *desc, uint32_t joint)
{
    return !(desc->excluded && desc->excluded[joint])
           && md5i_voxel_at(grid, joint_in_grid(grid, desc, joint)) != MD5_NO_VOXEL;
}

// Counts the bones of each joint into first_bone: one for each child, or a point.
static void count_bones(const md5_grid *grid, const md5_weights_desc *desc, uint32_t *count)
{
    const uint32_t num_joints = desc->skeleton->num_joints;
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        const int32_t parent = desc->skeleton->joints[joint].parent;
        if (parent >= 0)
            count[parent]++;
    }
    for (uint32_t joint = 0; joint < num_joints; joint++)
        count[joint] = !is_bound(grid, desc, joint) ? 0 : count[joint] > 0 ? count[joint] : 1;
}

static md5_bone bone_to(const md5_grid *grid, md5_vec3d from, md5_vec3d to)
{
    const double inside = md5i_line_in_volume(grid, from, to);
    const md5_vec3d way = md5_vec3d_sub(to, from);
    return (md5_bone){from, md5_vec3d_add(from, md5_vec3d_scale(way, inside > 0.0 ? inside : 0.0))};
}

// The bone of a joint without children continues the parent's bone with the same length; otherwise
// vertices beyond the joint would be equally near to the parent's bone.
static md5_bone end_bone(const md5_grid *grid, const md5_weights_desc *desc, uint32_t joint)
{
    const md5_vec3d at = joint_in_grid(grid, desc, joint);
    const int32_t parent = desc->skeleton->joints[joint].parent;
    if (parent < 0)
        return (md5_bone){at, at};
    const md5_vec3d way = md5_vec3d_sub(at, joint_in_grid(grid, desc, (uint32_t)parent));
    return bone_to(grid, at, md5_vec3d_add(at, way));
}

bool md5i_find_bones(md5_arena *arena, const md5_grid *grid, const md5_weights_desc *desc,
                     md5_bones *bones)
{
    const uint32_t num_joints = desc->skeleton->num_joints;
    uint32_t *const first =
        (uint32_t *)md5i_arena_alloc(arena, (size_t)num_joints + 1, sizeof *first);
    uint32_t *const used = (uint32_t *)md5i_arena_alloc(arena, num_joints, sizeof *used);
    // A joint has one bone for each child, or one: at most two for each joint in all.
    bones->bones = (md5_bone *)md5i_arena_room(arena, 2 * (size_t)num_joints, sizeof(md5_bone));
    TRY(first && used && bones->bones);
    count_bones(grid, desc, first);
    uint32_t sum = 0;
    bones->num_bound = 0;
    for (uint32_t joint = 0; joint <= num_joints; joint++) {
        const uint32_t count = joint < num_joints ? first[joint] : 0;
        bones->num_bound += count > 0;
        first[joint] = sum;
        sum += count;
    }
    bones->first_bone = first;
    for (uint32_t joint = 0; joint < num_joints; joint++)
        if (first[joint] < first[joint + 1])
            bones->bones[first[joint]] = end_bone(grid, desc, joint);
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        const int32_t parent = desc->skeleton->joints[joint].parent;
        if (parent >= 0 && first[parent] < first[parent + 1])
            bones->bones[first[parent] + used[parent]++] =
                bone_to(grid, joint_in_grid(grid, desc, (uint32_t)parent),
                        joint_in_grid(grid, desc, joint));
    }
    return true;
}

static md5_vec3d nearest_on_bone(const md5_bone *bone, md5_vec3d point)
{
    const md5_vec3d way = md5_vec3d_sub(bone->to, bone->from);
    const double square = md5_vec3d_dot(way, way);
    const double t =
        square > 0.0 ? md5_vec3d_dot(md5_vec3d_sub(point, bone->from), way) / square : 0.0;
    return md5_vec3d_add(bone->from, md5_vec3d_scale(way, t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t));
}

md5_vec3d md5i_nearest_on_bones(const md5_bones *bones, uint32_t joint, md5_vec3d point)
{
    md5_vec3d nearest = point;
    double smallest = INFINITY;
    for (uint32_t i = bones->first_bone[joint]; i < bones->first_bone[joint + 1]; i++) {
        const md5_vec3d at = nearest_on_bone(&bones->bones[i], point);
        const md5_vec3d away = md5_vec3d_sub(at, point);
        const double square = md5_vec3d_dot(away, away);
        if (square < smallest) {
            smallest = square;
            nearest = at;
        }
    }
    return nearest;
}

// Finds joints and meshes by name, derives the bind pose while loading, and creates pose buffers.
#include "md5/core/freed.h"
#include "md5/core/context.h"
#include "md5/core/math.h"
#include "md5/pose/skeleton.h"

// == Names =======================================================================================

// Returns the index of the first joint with this name, or MD5_NONE. `name` may be NULL.
uint32_t md5_find_joint(const md5_skeleton *skeleton, const char *name)
{
    MD5_ASSERT_PART(skeleton, joints);
    if (!name)
        return MD5_NONE;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        if (strcmp(skeleton->joints[i].name, name) == 0)
            return i;
    }
    return MD5_NONE;
}

// Returns the index of a joint that the program requires, such as the hand that carries a weapon.
// An unknown name fails an assertion, because it is an error of the program.
uint32_t md5_require_joint(const md5_skeleton *skeleton, const char *name)
{
    MD5_ASSERT_PART(skeleton, joints);
    const uint32_t joint = md5_find_joint(skeleton, name);
    MD5_ASSERT(joint != MD5_NONE, md5i_name_rule("joint", name).text);
    return joint;
}

// Returns the index of the first mesh with this name, or MD5_NONE. `name` may be NULL.
uint32_t md5_find_mesh(const md5_model *model, const char *name)
{
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    if (!name)
        return MD5_NONE;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        if (strcmp(model->meshes[i].name, name) == 0)
            return i;
    }
    return MD5_NONE;
}

// Returns true if skeleton->order lists every joint once and every parent before its children. The
// indices may be invalid, because they can come from a hostile file. visited[joints] must be zero.
bool md5i_is_ordered(const md5_skeleton *skeleton, uint8_t *visited)
{
    const uint32_t count = skeleton->num_joints;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t joint = skeleton->order[i];
        const bool is_first_visit = joint < count && !visited[joint];
        if (!is_first_visit)
            return false;

        const uint32_t parent = skeleton->joints[joint].parent;
        const bool is_root = parent == MD5_NONE;
        const bool follows_parent = is_root || (parent < count && visited[parent]);
        if (!follows_parent)
            return false;
        visited[joint] = 1;
    }
    return true;
}

// == Bind poses ==================================================================================

// A transform in double precision. Differences of model-space positions and products of rotations
// are thus rounded only once, when they are stored as floats.
typedef struct precise_transform {
    md5_quatd rotation; // unit length
    double t[3];        // translation
    double rows[3][3];  // the rotation as a matrix
} precise_transform;

// Writes the rows of the rotation matrix of a unit quaternion.
static void rotation_rows(md5_quatd q, double rows[3][3])
{
    const double x = q.x;
    const double y = q.y;
    const double z = q.z;
    const double w = q.w;
    rows[0][0] = 1.0 - 2.0 * (y * y + z * z);
    rows[0][1] = 2.0 * (x * y - w * z);
    rows[0][2] = 2.0 * (x * z + w * y);
    rows[1][0] = 2.0 * (x * y + w * z);
    rows[1][1] = 1.0 - 2.0 * (x * x + z * z);
    rows[1][2] = 2.0 * (y * z - w * x);
    rows[2][0] = 2.0 * (x * z - w * y);
    rows[2][1] = 2.0 * (y * z + w * x);
    rows[2][2] = 1.0 - 2.0 * (x * x + y * y);
}

// Converts a transform to double precision. Normalizes the rotation, because the length of a
// quaternion of floats is not exactly 1.
static precise_transform to_doubles(const md5_xform *transform)
{
    const md5_quatd q = md5_quatd_from_quat(transform->rotation);
    const double scale = 1.0 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    const md5_vec3 t = transform->translation;
    precise_transform precise = {
        .rotation = {q.x * scale, q.y * scale, q.z * scale, q.w * scale},
        .t = {(double)t.x, (double)t.y, (double)t.z},
    };
    rotation_rows(precise.rotation, precise.rows);
    return precise;
}

// Computes out = inverse rotation * v. The inverse of a rotation matrix is its transpose.
static void rotate_back(const precise_transform *transform, const double *v, double *out)
{
    for (uint32_t i = 0; i < 3; i++)
        out[i] = transform->rows[0][i] * v[0] + transform->rows[1][i] * v[1]
                 + transform->rows[2][i] * v[2];
}

// Rounds a transform to a matrix of floats.
static void store_matrix(const precise_transform *transform, md5_mat34 *matrix)
{
    for (uint32_t row = 0; row < 3; row++) {
        for (uint32_t column = 0; column < 3; column++)
            matrix->m[4 * row + column] = (float)transform->rows[row][column];
        matrix->m[4 * row + 3] = (float)transform->t[row];
    }
}

// Writes the inverse of a transform as a matrix: the transposed rotation, and the translation
// rotated back and negated.
static void store_inverse(const precise_transform *transform, md5_mat34 *inverse)
{
    double back[3];
    rotate_back(transform, transform->t, back);
    for (uint32_t row = 0; row < 3; row++) {
        for (uint32_t column = 0; column < 3; column++)
            inverse->m[4 * row + column] = (float)transform->rows[column][row];
        inverse->m[4 * row + 3] = (float)-back[row];
    }
}

// Stores the transform of a joint relative to its parent: inverse(parent) * joint. The sign of the
// quaternion is chosen so that w <= 0, like in files.
static void store_relative(const precise_transform *parent, const precise_transform *joint,
                           md5_xform *relative)
{
    const md5_quatd q = md5_quatd_mul(md5_quatd_conjugate(parent->rotation), joint->rotation);
    const double sign = q.w > 0 ? -1.0 : 1.0;
    double offset[3];
    double local[3];
    for (uint32_t i = 0; i < 3; i++)
        offset[i] = joint->t[i] - parent->t[i];
    rotate_back(parent, offset, local);
    *relative = (md5_xform){
        .rotation = {(float)(q.x * sign), (float)(q.y * sign), (float)(q.z * sign),
                     (float)(q.w * sign)},
        .translation = {(float)local[0], (float)local[1], (float)local[2]},
    };
}

// Computes the three forms of a bind pose from transforms[joints] in model space. bind_local is
// relative to the parents, `bind` contains matrices, and inverse_bind contains their inverses. Each
// array has an element for each joint.
void md5i_build_bind_pose(const md5_skeleton *skeleton, const md5_xform *transforms,
                          md5_xform *bind_local, md5_mat34 *bind, md5_mat34 *inverse_bind)
{
    // The conversion to doubles is slow. Most joints follow their parent or a sibling. Therefore
    // the converted transforms of the previous joint and of its parent are reused.
    precise_transform current = {0};
    precise_transform parent_transform = {0};
    uint32_t current_joint = MD5_NONE;
    uint32_t converted_parent = MD5_NONE; // the joint of parent_transform

    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++) {
        const uint32_t parent = skeleton->joints[joint].parent;
        if (parent != MD5_NONE && parent != converted_parent) {
            parent_transform = parent == current_joint ? current : to_doubles(&transforms[parent]);
            converted_parent = parent;
        }

        current = to_doubles(&transforms[joint]);
        current_joint = joint;

        store_matrix(&current, &bind[joint]);
        store_inverse(&current, &inverse_bind[joint]);

        if (parent != MD5_NONE) {
            store_relative(&parent_transform, &current, &bind_local[joint]);
        } else {
            bind_local[joint] = transforms[joint];
            bind_local[joint].pad = 0;
        }
    }
}

// Computes the transform of a joint in model space, in double precision. `local` is the joint's
// transform relative to `parent`.
static precise_transform compose_precisely(const precise_transform *parent,
                                           const precise_transform *local)
{
    precise_transform joint = {.rotation = md5_quatd_mul(parent->rotation, local->rotation)};
    rotation_rows(joint.rotation, joint.rows);
    for (uint32_t row = 0; row < 3; row++)
        joint.t[row] = parent->t[row]
                       + (parent->rows[row][0] * local->t[0] + parent->rows[row][1] * local->t[1]
                          + parent->rows[row][2] * local->t[2]);
    return joint;
}

// Computes the inverse matrices of a bind pose. Its transforms are relative to the parents, unlike
// the transforms for md5i_build_bind_pose(). Returns false and sets the context's error if memory
// runs out.
bool md5i_invert_bind_pose(md5_arena *arena, const md5_skeleton *skeleton,
                           const md5_xform *bind_local, md5_mat34 *inverse_bind)
{
    const md5_arena_mark before = md5i_arena_position(arena);
    precise_transform *const joints =
        MD5_ALLOC_ARRAY(arena, precise_transform, skeleton->num_joints);
    TRY(joints);
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        const precise_transform local = to_doubles(&bind_local[joint]);
        joints[joint] = parent == MD5_NONE ? local : compose_precisely(&joints[parent], &local);
        store_inverse(&joints[joint], &inverse_bind[joint]);
    }
    md5i_arena_rewind(arena, before);
    return true;
}

// == Buffers =====================================================================================

// Allocates the buffers for posing a model in one block. They are a pose, joint matrices, a palette
// and scratch memory. The pose is initialized with the bind pose. Returns NULL and sets the error
// on failure.
md5_pose_buffers *md5_create_pose_buffers(const md5_model *model, size_t scratch_size,
                                          const md5_allocator *allocator, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(model, MD5_TAG_MODEL);
    MD5_ASSERT_ALLOCATOR(allocator);

    if (!model) {
        md5i_fail_missing(error, "model");
        return NULL;
    }

    const uint32_t count = model->skeleton.num_joints;
    md5_context context;
    md5_block block = {0};
    md5_pose_buffers *buffers = NULL;
    md5_pose_buffers parts = {.num_joints = count};

    md5i_context_begin_memory(&context, allocator ? *allocator : (md5_allocator){0}, error);

    // The first pass measures the block. The second pass gets the addresses of its parts.
    for (uint32_t pass = 0; pass < 2; pass++) {
        buffers = MD5_BLOCK_ARRAY(&block, md5_pose_buffers, 1);
        parts.pose = (md5_xform *)md5i_block_copy(&block, model->bind_local, count,
                                                  sizeof *model->bind_local);
        parts.joints = MD5_BLOCK_ARRAY(&block, md5_mat34, count);
        parts.palette = MD5_BLOCK_ARRAY(&block, md5_mat34, count);
        parts.scratch = MD5_BLOCK_ARRAY(&block, unsigned char, scratch_size);
        if (pass == 0 && !md5i_block_end_measuring(&context, &block))
            return NULL;
    }

    parts.size = block.used;
    parts.internal.allocator = context.allocator;
    parts.internal.tag = MD5_TAG_POSE_BUFFERS;
    *buffers = parts;
    return buffers;
}

void md5_destroy_pose_buffers(md5_pose_buffers *buffers)
{
    MD5_FREE(buffers, MD5_TAG_POSE_BUFFERS);
}

#include "md5/pose/bind_pose.h"

#include <math.h>

// In double throughout: differences of model-space positions and products of rotations then
// round once, when they are stored.
typedef struct wide_transform {
    double x, y, z, w; // unit quaternion
    double t[3];
    double rows[3][3]; // the rotation again
} wide_transform;

static void rotation_rows(double x, double y, double z, double w, double rows[3][3])
{
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

static wide_transform widen(const md5_transform *transform)
{
    const md5_quat q = transform->rotation;
    const double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    const double scale = 1.0 / sqrt(x * x + y * y + z * z + w * w);
    const md5_vec3 t = transform->translation;
    wide_transform wide = {
        x * scale, y * scale, z * scale, w * scale, {(double)t.x, (double)t.y, (double)t.z}, {{0}}};
    rotation_rows(wide.x, wide.y, wide.z, wide.w, wide.rows);
    return wide;
}

// out = transposed rotation * v, which turns back.
static void turn_back(const wide_transform *transform, const double *v, double *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = transform->rows[0][i] * v[0] + transform->rows[1][i] * v[1]
                 + transform->rows[2][i] * v[2];
}

static void store_matrices(const wide_transform *transform, md5_mat34 *bind, md5_mat34 *inverse)
{
    double back[3];
    turn_back(transform, transform->t, back);
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            bind->m[4 * row + column] = (float)transform->rows[row][column];
            inverse->m[4 * row + column] = (float)transform->rows[column][row];
        }
        bind->m[4 * row + 3] = (float)transform->t[row];
        inverse->m[4 * row + 3] = (float)-back[row];
    }
}

// inverse(parent) * joint. w <= 0, as in files.
static md5_transform relative(const wide_transform *parent, const wide_transform *joint)
{
    const double px = -parent->x, py = -parent->y, pz = -parent->z, pw = parent->w;
    const double x = pw * joint->x + px * joint->w + py * joint->z - pz * joint->y;
    const double y = pw * joint->y + py * joint->w + pz * joint->x - px * joint->z;
    const double z = pw * joint->z + pz * joint->w + px * joint->y - py * joint->x;
    const double w = pw * joint->w - px * joint->x - py * joint->y - pz * joint->z;
    const double sign = w > 0.0 ? -1.0 : 1.0;

    double local[3], way[3];
    for (int i = 0; i < 3; i++)
        way[i] = joint->t[i] - parent->t[i];
    turn_back(parent, way, local);
    return (md5_transform){
        .rotation = {(float)(x * sign), (float)(y * sign), (float)(z * sign), (float)(w * sign)},
        .translation = {(float)local[0], (float)local[1], (float)local[2]},
    };
}

void md5_build_bind_pose(const md5_skeleton *skeleton, const md5_transform *transforms,
                         md5_transform *bind_local, md5_mat34 *bind, md5_mat34 *inverse_bind)
{
    // Most joints stand behind their parent, or behind another of its children.
    wide_transform wide = {0}, above = {0};
    int32_t last = -1, last_above = -1;
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++) {
        const int32_t parent = skeleton->joints[joint].parent;
        if (parent >= 0 && parent != last_above) {
            above = parent == last ? wide : widen(&transforms[parent]);
            last_above = parent;
        }
        wide = widen(&transforms[joint]);
        last = (int32_t)joint;
        store_matrices(&wide, &bind[joint], &inverse_bind[joint]);
        if (parent >= 0) {
            bind_local[joint] = relative(&above, &wide);
        } else {
            bind_local[joint] = transforms[joint];
            bind_local[joint].pad = 0.0f;
        }
    }
}

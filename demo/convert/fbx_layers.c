#include "demo/convert/fbx_layers.h"

#include <math.h>

static const double degrees_per_radian = 180 / 3.14159265358979323846;

const int fbx_rotation_orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0},
                                       {1, 0, 2}, {2, 0, 1}, {2, 1, 0}};

// Converts three Euler angles, in degrees, to a quaternion. `order` is FBX's rotation order: the
// rotation about the first axis of the order is applied first.
static convert_quat rotation_from_euler(convert_vec degrees, int order)
{
    const double angles[3] = {degrees.x, degrees.y, degrees.z};
    convert_quat product = {0, 0, 0, 1};
    for (int i = 0; i < 3; i++) {
        const int axis = fbx_rotation_orders[order][i];
        const double half_angle = angles[axis] / degrees_per_radian / 2;
        double q[4] = {0, 0, 0, cos(half_angle)};
        q[axis] = sin(half_angle);
        product = convert_quat_mul((convert_quat){q[0], q[1], q[2], q[3]}, product);
    }
    return product;
}

// Returns the Euler angles of a rotation in degrees. The rotation about the first axis of `order`
// is applied first.
//
// If the second angle is 90 degrees, only the sum or the difference of the other two is defined
// (gimbal lock). The first angle is then 0. The formulas follow from the product of the three axis
// rotations. Their sign depends on whether the order is a cyclic permutation of x, y, z.
static convert_vec euler_from_rotation(convert_quat rotation, int order)
{
    const double max_sine = 1 - 1e-14;
    const int first = fbx_rotation_orders[order][0];
    const int second = fbx_rotation_orders[order][1];
    const int third = fbx_rotation_orders[order][2];
    const bool is_cyclic = (first + 1) % 3 == second; // xyz, yzx or zxy
    const double sign = is_cyclic ? 1 : -1;
    const convert_vec columns[3] = {convert_rotate(rotation, (convert_vec){1, 0, 0}),
                                    convert_rotate(rotation, (convert_vec){0, 1, 0}),
                                    convert_rotate(rotation, (convert_vec){0, 0, 1})};
    double m[3][3]; // rotation matrix, row-major
    for (int column = 0; column < 3; column++) {
        m[0][column] = columns[column].x;
        m[1][column] = columns[column].y;
        m[2][column] = columns[column].z;
    }

    double angles[3] = {0, 0, 0};
    const double sine = fmin(fmax(-sign * m[third][first], -1), 1);
    angles[second] = asin(sine);
    if (fabs(sine) < max_sine) {
        angles[first] = atan2(sign * m[third][second], m[third][third]);
        angles[third] = atan2(sign * m[second][first], m[first][first]);
    } else {
        angles[third] = atan2(-sign * m[first][second], m[second][second]);
    }
    return convert_times((convert_vec){angles[0], angles[1], angles[2]}, degrees_per_radian);
}

// Blends the rotation of a layer with the rotation of the layers below it. Blending the Euler
// angles separately would give another rotation, so they are converted to quaternions. Returns
// Euler angles in degrees.
static convert_vec blend_rotations(const fbx_blending *blending, int order, convert_vec below,
                                   convert_vec value)
{
    const convert_quat identity = {0, 0, 0, 1};
    const convert_quat a = rotation_from_euler(below, order);
    const convert_quat b = rotation_from_euler(value, order);
    const convert_quat blended =
        blending->mode == FBX_ADDITIVE
            ? convert_quat_mul(a, convert_slerp(identity, b, blending->weight))
            : convert_slerp(a, b, blending->weight);
    return euler_from_rotation(blended, order);
}

// Returns |number|^exponent with the sign of the number.
static double signed_power(double number, double exponent)
{
    if (exponent <= 0)
        return 1;
    return exponent >= 1 ? number : copysign(pow(fabs(number), exponent), number);
}

static convert_vec signed_powers(convert_vec v, double exponent)
{
    return (convert_vec){signed_power(v.x, exponent), signed_power(v.y, exponent),
                         signed_power(v.z, exponent)};
}

// Blends the value of a layer over the value of the layers below it, as FBX does. Translations are
// added. Scale factors are multiplied, or added with has_separate_scaling. Rotations are blended as
// quaternions, or as single angles with has_separate_angles.
convert_vec fbx_blend_layer(const fbx_blending *blending, int property, int order,
                            convert_vec below, convert_vec value)
{
    const double weight = blending->weight;
    const bool is_additive = blending->mode == FBX_ADDITIVE;
    if (!is_additive && blending->mode != FBX_PASSTHROUGH)
        return value;
    if (property == FBX_ROTATION && !blending->has_separate_angles)
        return blend_rotations(blending, order, below, value);
    const double weight_below = is_additive ? 1 : 1 - weight;
    if (property == FBX_SCALING && !blending->has_separate_scaling) {
        const convert_vec a = signed_powers(below, weight_below);
        const convert_vec b = signed_powers(value, weight);
        return (convert_vec){a.x * b.x, a.y * b.y, a.z * b.z};
    }
    return convert_add(convert_times(below, weight_below), convert_times(value, weight));
}

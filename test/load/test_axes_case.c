// Implements test_axes_case.h: the conversions in double precision.
#include "test/load/test_axes_case.h"

// The directions of forward, left and up in each kind of axes, as md5_axes documents them.
const axes_case axes_cases[NUM_AXES] = {
    {"id", MD5_AXES_ID, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, false},
    {"y up", MD5_AXES_Y_UP, {{0, 0, -1}, {-1, 0, 0}, {0, 1, 0}}, false},
    {"gltf", MD5_AXES_GLTF, {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, false},
    {"y up, left-handed", MD5_AXES_Y_UP_LEFT, {{0, 0, 1}, {-1, 0, 0}, {0, 1, 0}}, true},
    {"z up, left-handed", MD5_AXES_Z_UP_LEFT, {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}}, true},
    {"blender", MD5_AXES_BLENDER, {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, false},
};

md5_load_opts axes_options(const axes_case *fixture, float scale)
{
    return (md5_load_opts){.axes = fixture->axes, .scale = scale};
}

void axes_direction(const axes_case *fixture, md5_vec3 v, double out[3])
{
    const double from[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; i++) {
        out[i] = 0;
        for (int j = 0; j < 3; j++)
            out[i] += fixture->columns[j][i] * from[j];
    }
}

// Computes C R C^T.
void axes_rotation(const axes_case *fixture, const double from[3][3], double out[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[i][j] = 0;
            for (int k = 0; k < 3; k++) {
                for (int l = 0; l < 3; l++)
                    out[i][j] += fixture->columns[k][i] * from[k][l] * fixture->columns[l][j];
            }
        }
    }
}

void axes_matrix_from_quat(md5_quat q, double out[3][3])
{
    const double x = q.x;
    const double y = q.y;
    const double z = q.z;
    const double w = q.w;
    const double rows[3][3] = {
        {w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
        {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
        {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z},
    };
    memcpy(out, rows, sizeof rows);
}

double axes_point_error(const axes_case *fixture, double scale, md5_vec3 original,
                        md5_vec3 converted)
{
    double expected[3];
    axes_direction(fixture, original, expected);
    return fmax(
        fabs(converted.x - scale * expected[0]),
        fmax(fabs(converted.y - scale * expected[1]), fabs(converted.z - scale * expected[2])));
}

static double rotation_error(const double expected[3][3], const double actual[3][3])
{
    double max_difference = 0;
    for (int i = 0; i < 9; i++)
        max_difference = fmax(max_difference, fabs(expected[i / 3][i % 3] - actual[i / 3][i % 3]));
    return max_difference;
}

double axes_quat_error(const axes_case *fixture, md5_quat original, md5_quat converted)
{
    double from[3][3];
    double expected[3][3];
    double actual[3][3];
    axes_matrix_from_quat(original, from);
    axes_rotation(fixture, from, expected);
    axes_matrix_from_quat(converted, actual);
    return rotation_error(expected, actual);
}

double axes_transform_error(const axes_case *fixture, double scale, const md5_xform *original,
                            const md5_xform *converted, double size)
{
    return fmax(axes_quat_error(fixture, original->rotation, converted->rotation),
                axes_point_error(fixture, scale, original->translation, converted->translation)
                    / (scale * size));
}

double axes_mat34_error(const axes_case *fixture, double scale, const md5_mat34 *original,
                        const md5_mat34 *converted, double size)
{
    double from[3][3];
    double expected[3][3];
    double actual[3][3];
    for (int i = 0; i < 9; i++) {
        from[i / 3][i % 3] = original->m[4 * (i / 3) + i % 3];
        actual[i / 3][i % 3] = converted->m[4 * (i / 3) + i % 3];
    }
    axes_rotation(fixture, from, expected);
    const md5_vec3 t = {original->m[3], original->m[7], original->m[11]};
    const md5_vec3 moved = {converted->m[3], converted->m[7], converted->m[11]};
    return fmax(rotation_error(expected, actual),
                axes_point_error(fixture, scale, t, moved) / (scale * size));
}

md5_vec3 axes_point(const axes_case *fixture, float scale, md5_vec3 v)
{
    double out[3];
    axes_direction(fixture, v, out);
    return (md5_vec3){(float)out[0] * scale, (float)out[1] * scale, (float)out[2] * scale};
}

// Converts a rotation, whose axis is a pseudovector: a reflection also reverses it.
md5_quat axes_quat(const axes_case *fixture, md5_quat q)
{
    const md5_vec3 axis =
        axes_point(fixture, fixture->is_left_handed ? -1 : 1, (md5_vec3){q.x, q.y, q.z});
    return (md5_quat){axis.x, axis.y, axis.z, q.w};
}

md5_model *axes_load_model(const char *path, const md5_load_opts *opts)
{
    md5_error error = {0};
    md5_model *const model = md5_load_model(test_path(path), opts, &error);
    CHECK_STRING(error.message, "");
    return model;
}

md5_anim *axes_load_anim(const char *path, const md5_load_opts *opts)
{
    md5_error error = {0};
    md5_anim *const anim = md5_load_anim(test_path(path), opts, &error);
    CHECK_STRING(error.message, "");
    return anim;
}

// Assets in converted axes and units, and their expected values in double precision. These are
// computed from the documented directions of each kind of axes.
#ifndef TEST_LOAD_TEST_AXES_CASE_H
#define TEST_LOAD_TEST_AXES_CASE_H

#include "test/test.h"

#include "md5/md5model.h"

typedef struct axes_case {
    const char *name;
    md5_axes axes;
    double columns[3][3]; // the directions of forward, left and up of the file
    bool is_left_handed;
} axes_case;

enum { NUM_AXES = 6 };
extern const axes_case axes_cases[NUM_AXES];

// Returns load options with these axes and this scale.
md5_load_opts axes_options(const axes_case *fixture, float scale);

// These functions convert a direction, convert a rotation matrix, and compute the matrix of a
// quaternion. The results are doubles.
void axes_direction(const axes_case *fixture, md5_vec3 v, double out[3]);
void axes_rotation(const axes_case *fixture, const double from[3][3], double out[3][3]);
void axes_matrix_from_quat(md5_quat q, double out[3][3]);

// These functions return the distance between `converted` and the expected value, which is the
// converted value of `original`.
double axes_point_error(const axes_case *fixture, double scale, md5_vec3 original,
                        md5_vec3 converted);
double axes_quat_error(const axes_case *fixture, md5_quat original, md5_quat converted);
// Returns the larger error of the rotation (of the elements of its matrix) and of the translation
// (as a fraction of `size`, in units of the file).
double axes_transform_error(const axes_case *fixture, double scale, const md5_xform *original,
                            const md5_xform *converted, double size);
double axes_mat34_error(const axes_case *fixture, double scale, const md5_mat34 *original,
                        const md5_mat34 *converted, double size);

// Converts a position or rotation, in floats.
md5_vec3 axes_point(const axes_case *fixture, float scale, md5_vec3 v);
md5_quat axes_quat(const axes_case *fixture, md5_quat q);

// Loads a file of models/, or of the corpus if the path begins with "corpus/"; fails the test on an
// error. If `opts` is NULL, the file is not converted.
md5_model *axes_load_model(const char *path, const md5_load_opts *opts);
md5_anim *axes_load_anim(const char *path, const md5_load_opts *opts);

#endif

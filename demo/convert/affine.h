// Affine transforms in double precision: rotation, translation, scale and shear.
#ifndef DEMO_CONVERT_AFFINE_H
#define DEMO_CONVERT_AFFINE_H

#include "demo/convert/space.h"

#include <stdbool.h>

// An affine transform by columns; the last column is the translation.
typedef struct convert_affine {
    convert_vec c[4];
} convert_affine;

extern const convert_affine convert_identity;

convert_affine convert_mul_affine(const convert_affine *a, const convert_affine *b);
convert_vec convert_affine_point(const convert_affine *a, convert_vec v);
double convert_determinant(const convert_affine *a);

// Returns false if the transform is singular.
bool convert_invert_affine(const convert_affine *a, convert_affine *inverse);

// Returns the nearest rotation to a transform, by Newton's iteration for the polar decomposition
// (Higham 1986). If the transform contains a mirror, it is first mirrored along x. Returns the
// identity if the transform is singular.
convert_quat convert_nearest_rotation(const convert_affine *a);
convert_affine convert_affine_from_xform(convert_xform t);

// Converts the first three rows of a column-major 4x4 matrix.
convert_affine convert_affine_from_matrix(const double *m);

#endif

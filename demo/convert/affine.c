// Affine transforms in double precision.
#include "demo/convert/affine.h"

const convert_affine convert_identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}}};

convert_vec convert_affine_point(const convert_affine *a, convert_vec v)
{
    return convert_add(convert_add(convert_times(a->c[0], v.x), convert_times(a->c[1], v.y)),
                       convert_add(convert_times(a->c[2], v.z), a->c[3]));
}

// Returns the product of two transforms, which applies b first and then a. The columns of a
// transform are its three axes and its translation.
convert_affine convert_mul_affine(const convert_affine *a, const convert_affine *b)
{
    convert_affine product;
    for (int k = 0; k < 4; k++) {
        product.c[k] = convert_affine_point(a, b->c[k]);
        if (k < 3) // a direction, which is not translated
            product.c[k] = convert_sub(product.c[k], a->c[3]);
    }
    return product;
}

// Returns the determinant of the axes. Its magnitude is the factor by which the transform changes
// volumes. It is negative if the transform contains a mirror.
double convert_determinant(const convert_affine *a)
{
    return convert_dot(a->c[0], convert_cross(a->c[1], a->c[2]));
}

// Inverts a transform by cross products of its axes. Fails if the axes are nearly in one plane; the
// tolerance is relative to their lengths.
bool convert_invert_affine(const convert_affine *a, convert_affine *inverse)
{
    const convert_vec *const c = a->c;
    const double det = convert_determinant(a);
    const double size =
        sqrt(convert_dot(c[0], c[0]) * convert_dot(c[1], c[1]) * convert_dot(c[2], c[2]));
    if (!(fabs(det) > 1e-12 * size) || !(fabs(det) > 1e-60))
        return false;
    convert_vec rows[3];
    for (int i = 0; i < 3; i++)
        rows[i] = convert_times(convert_cross(c[(i + 1) % 3], c[(i + 2) % 3]), 1.0 / det);
    *inverse = (convert_affine){
        {{rows[0].x, rows[1].x, rows[2].x},
         {rows[0].y, rows[1].y, rows[2].y},
         {rows[0].z, rows[1].z, rows[2].z},
         {-convert_dot(rows[0], c[3]), -convert_dot(rows[1], c[3]), -convert_dot(rows[2], c[3])}}};
    return true;
}

// Converts a rotation and a translation to three axes and a translation.
convert_affine convert_affine_from_xform(convert_xform t)
{
    convert_affine a = convert_identity;
    for (int k = 0; k < 3; k++)
        a.c[k] = convert_rotate(t.rotation, a.c[k]);
    a.c[3] = t.translation;
    return a;
}

// Converts a column-major 4 x 4 matrix. Its last row is ignored, because it is 0 0 0 1 in an affine
// transform.
convert_affine convert_affine_from_matrix(const double *m)
{
    convert_affine a;
    for (int k = 0; k < 4; k++)
        a.c[k] = (convert_vec){m[4 * k], m[4 * k + 1], m[4 * k + 2]};
    return a;
}

// Converts the columns of a rotation matrix to a unit quaternion. The elements of the matrix give
// the products of each pair of components. All products with one component are the quaternion times
// this component. The largest component is used, because division by a small factor is inexact.
static convert_quat quat_from_columns(const convert_vec c[3])
{
    // 1 + sums[i] is four times the square of component i, in the order x, y, z, w.
    const double sums[4] = {c[0].x - c[1].y - c[2].z, c[1].y - c[0].x - c[2].z,
                            c[2].z - c[0].x - c[1].y, c[0].x + c[1].y + c[2].z};
    int largest = 0;
    for (int i = 1; i < 4; i++) {
        if (sums[i] > sums[largest])
            largest = i;
    }

    // Products of two components, times four.
    const double xy = c[0].y + c[1].x;
    const double xz = c[2].x + c[0].z;
    const double yz = c[1].z + c[2].y;
    const double wx = c[1].z - c[2].y;
    const double wy = c[2].x - c[0].z;
    const double wz = c[0].y - c[1].x;
    const double square = 1 + sums[largest];
    const convert_quat products[4] = {
        {square, xy, xz, wx}, {xy, square, yz, wy}, {xz, yz, square, wz}, {wx, wy, wz, square}};
    return convert_unit(products[largest]);
}

// Finds the nearest rotation to a transform with scale and shear, by the polar decomposition. The
// iteration replaces the matrix by the mean of the matrix and its inverse transpose, until it no
// longer changes.
convert_quat convert_nearest_rotation(const convert_affine *a)
{
    convert_affine r = *a;
    convert_affine inverse;
    if (convert_determinant(a) < 0)
        r.c[0] = convert_times(r.c[0], -1);

    for (int round = 0; round < 100; round++) {
        if (!convert_invert_affine(&r, &inverse))
            return (convert_quat){0, 0, 0, 1};
        // Scale both terms to the same size. Without this, a large or small scale needs many
        // iterations.
        const double det = convert_determinant(&r);
        const double scale = pow(fabs(det), -1.0 / 3.0);
        const convert_affine before = r;
        double change = 0;
        for (int k = 0; k < 3; k++) { // the cross products are rows of the inverse, times det
            const convert_vec row = convert_cross(before.c[(k + 1) % 3], before.c[(k + 2) % 3]);
            r.c[k] = convert_add(convert_times(before.c[k], 0.5 * scale),
                                 convert_times(row, 0.5 / (det * scale)));
            const convert_vec by = convert_sub(r.c[k], before.c[k]);
            change = fmax(change, convert_dot(by, by));
        }
        if (!(change > 1e-30))
            break;
    }

    return quat_from_columns(r.c);
}

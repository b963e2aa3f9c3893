"""Vectors, quaternions and matrices as plain tuples.

Quaternions are x y z w with w = +sqrt(|1 - x^2 - y^2 - z^2|), the original engine's convention.
The engine multiplies row vectors with matrices; here vectors are columns, so the matrix of a quaternion is
the transpose of the textbook matrix.
"""

import math

from binary32 import nearest

# If a dot product differs from 1 by less than this, the engine interpolates linearly.
SLERP_LINEAR = 1e-6


def add(a, b):
    return tuple(x + y for x, y in zip(a, b))


def subtract(a, b):
    return tuple(x - y for x, y in zip(a, b))


def scale(a, factor):
    return tuple(x * factor for x in a)


def dot(a, b):
    # Not sum(): newer Pythons compensate rounding errors in it, which would change the digits.
    total = 0.0
    for x, y in zip(a, b):
        total += x * y
    return total


def lerp(a, b, amount):
    return tuple(x + amount * (y - x) for x, y in zip(a, b))


def with_w(xyz):
    """Completes x y z to a quaternion, rounding every step to binary32 like the engine.

    Near w = 0 the sum of squares is so close to 1 that its last bit changes w by 3e-4. Higher
    precision would not be more accurate there, because the three numbers are rounded themselves, and
    would give another rotation than every single-precision program displays.
    """
    x, y, z = xyz
    length = nearest(nearest(nearest(x * x) + nearest(y * y)) + nearest(z * z))
    return x, y, z, nearest(math.sqrt(abs(nearest(1.0 - length))))


def rows(quaternion):
    """Returns three rows for column vectors: the transpose of the quaternion's textbook matrix."""
    x, y, z, w = quaternion
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
        (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
        (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)),
    )


def rotate(matrix, vector):
    return tuple(dot(row, vector) for row in matrix)


def transposed(matrix):
    return tuple(zip(*matrix))


def product(a, b):
    columns = transposed(b)
    return tuple(tuple(dot(row, column) for column in columns) for row in a)


def divide(q, p):
    """Returns q times the conjugate of p, both of unit length."""
    ax, ay, az, aw = q
    bx, by, bz, bw = -p[0], -p[1], -p[2], p[3]
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by + ay * bw + az * bx - ax * bz,
        aw * bz + az * bw + ax * by - ay * bx,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def sign_of_matrix(quaternion):
    """Returns q or -q: the sign that the engine gets when it converts a matrix to a quaternion.

    A positive trace (w^2 > 1/4) gives w > 0. Otherwise the largest of x, y, z is made positive,
    and w may be negative.
    """
    largest = max(quaternion[:3], key=abs)
    leading = quaternion[3] if 4 * quaternion[3] ** 2 > 1 else largest
    return scale(quaternion, -1.0) if leading < 0 else quaternion


def slerp(start, end, amount):
    """Interpolates along the shorter arc from start to end. The end points are returned unchanged, even in
    sign."""
    if amount <= 0:
        return start
    if amount >= 1:
        return end
    cosine = dot(start, end)
    if cosine < 0:
        end, cosine = scale(end, -1.0), -cosine
    if 1.0 - cosine > SLERP_LINEAR:
        angle = math.atan2(math.sqrt(1.0 - cosine * cosine), cosine)
        start_weight = math.sin((1.0 - amount) * angle) / math.sin(angle)
        end_weight = math.sin(amount * angle) / math.sin(angle)
    else:
        start_weight, end_weight = 1.0 - amount, amount
    return add(scale(start, start_weight), scale(end, end_weight))

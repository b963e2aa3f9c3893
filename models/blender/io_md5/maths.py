"""Rotations and rigid transforms as numpy arrays, and their rounding in the files.

Matrices are 4x4, columns are vectors: v' = M v. Quaternions are x y z w in textbook order. Arrays may
have any number of leading dimensions."""

import numpy as np


def matrix_from_quaternion(rotation, position):
    """Returns matrices (..., 4, 4) from quaternions (..., 4), of about unit length, and positions (...,
    3)."""
    rotation = rotation / np.linalg.norm(rotation, axis=-1, keepdims=True)
    x, y, z, w = (rotation[..., n] for n in range(4))
    result = np.zeros(rotation.shape[:-1] + (4, 4))
    result[..., 0, 0] = 1 - 2 * (y * y + z * z)
    result[..., 0, 1] = 2 * (x * y - w * z)
    result[..., 0, 2] = 2 * (x * z + w * y)
    result[..., 1, 0] = 2 * (x * y + w * z)
    result[..., 1, 1] = 1 - 2 * (x * x + z * z)
    result[..., 1, 2] = 2 * (y * z - w * x)
    result[..., 2, 0] = 2 * (x * z - w * y)
    result[..., 2, 1] = 2 * (y * z + w * x)
    result[..., 2, 2] = 1 - 2 * (x * x + y * y)
    result[..., :3, 3] = position
    result[..., 3, 3] = 1
    return result


def quaternion_from_matrix(matrix):
    """Returns the rotation of a rigid matrix. Uses the one of four formulas with the largest divisor,
    which keeps full precision near 180 degrees."""
    m = matrix[..., :3, :3]
    d0, d1, d2 = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    a, b, c = (m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0],
               m[..., 1, 0] - m[..., 0, 1])
    d, e, f = (m[..., 1, 0] + m[..., 0, 1], m[..., 0, 2] + m[..., 2, 0],
               m[..., 2, 1] + m[..., 1, 2])
    # Rows: four times x, y, z or w times the whole quaternion.
    candidates = np.stack([np.stack([1 + d0 - d1 - d2, d, e, a], -1),
                           np.stack([d, 1 - d0 + d1 - d2, f, b], -1),
                           np.stack([e, f, 1 - d0 - d1 + d2, c], -1),
                           np.stack([a, b, c, 1 + d0 + d1 + d2], -1)], -2)
    squares = np.stack([candidates[..., n, n] for n in range(4)], -1)
    best = np.argmax(squares, -1)
    chosen = np.take_along_axis(candidates, best[..., None, None], -2)[..., 0, :]
    return chosen / np.linalg.norm(chosen, axis=-1, keepdims=True)


def inverse(matrix):
    """Returns the inverse of a rigid matrix."""
    result = np.zeros_like(matrix)
    transposed = np.swapaxes(matrix[..., :3, :3], -1, -2)
    result[..., :3, :3] = transposed
    result[..., :3, 3] = -(transposed @ matrix[..., :3, 3:])[..., 0]
    result[..., 3, 3] = 1
    return result


def rigid(matrix):
    """Returns the nearest rigid matrix, and the largest absolute difference of a component from it (scale or
    shear)."""
    u, _, v = np.linalg.svd(matrix[..., :3, :3])
    handed = np.sign(np.linalg.det(u @ v))
    u = u.copy()
    u[..., :, 2] *= handed[..., None]
    result = matrix.copy()
    result[..., :3, :3] = u @ v
    off = np.abs(result[..., :3, :3] - matrix[..., :3, :3]).max(axis=(-1, -2))
    return result, off


def reach(positions):
    """Returns the largest distance from the first of the positions (n, 3), or 1 if it is 0."""
    return float(np.linalg.norm(positions - positions[0], axis=1).max()) or 1.0


def apply(matrix, points):
    """Returns matrix (..., 4, 4) times points (..., 3)."""
    return (matrix[..., :3, :3] @ points[..., None])[..., 0] + matrix[..., :3, 3]


# -- Rotations in files -----------------------------------------------------------------------------

def stored_sign(rotation):
    """Returns q or -q: the sign with w <= 0, which readers rebuild. For arrays (frames, 4): if w is zero up
    to rounding error, the sign that continues the previous frame."""
    result = np.where(rotation[..., 3:] > 0, -rotation, rotation)
    if result.ndim == 2:
        for frame in np.nonzero(np.abs(result[:, 3]) < 1e-7)[0]:
            if frame and np.dot(result[frame], result[frame - 1]) < 0:
                result[frame] = -result[frame]
    return result


def rebuilt(xyz):
    """Returns the quaternion that readers rebuild from x y z: in single precision, w is the negative root."""
    single = np.asarray(xyz, dtype=np.float32)
    square = (single[..., 0] * single[..., 0] + single[..., 1] * single[..., 1]
              + single[..., 2] * single[..., 2])
    w = -np.sqrt(np.abs(np.float32(1) - square))
    whole = np.concatenate([single, w[..., None]], -1).astype(np.float64)
    # x y z may be longer than 1, by rounding or in a faulty file: normalize.
    length = np.sqrt(np.maximum(square.astype(np.float64) * 2 - 1, 1))
    return whole / length[..., None]


def round_rotations(rotations, digits, free, wide):
    """Returns x y z of rotations (frames, 4), rounded to `digits` decimals. If each component were rounded
    separately, w would be wrong if it is small, so the best of all neighboring roundings is used. `free`
    selects the components that may change. `wide` searches more neighbors."""
    unit = 10.0 ** -digits
    near = np.round(rotations[:, :3] / unit) * unit
    near = np.where(free, near, rotations[:, :3])
    steps = np.arange(-3, 4) if wide else np.arange(-1, 2)
    best, error = near, _distance(rebuilt(near), rotations)
    # The search does not help far from 180 degrees.
    hard = np.nonzero(np.abs(rotations[:, 3]) < 0.3)[0]
    if not len(hard):
        return best
    best, smallest_error = best.copy(), error[hard]
    for x in steps if free[0] else (0,):
        for y in steps if free[1] else (0,):
            for z in steps if free[2] else (0,):
                tried = np.round((near[hard] / unit) + (x, y, z)) * unit
                tried = np.where(free, tried, near[hard])
                off = _distance(rebuilt(tried), rotations[hard])
                better = off < smallest_error
                best[hard[better]] = tried[better]
                smallest_error = np.where(better, off, smallest_error)
    return best


def _distance(a, b):
    return np.minimum(np.abs(a - b).max(axis=-1), np.abs(a + b).max(axis=-1))

"""Rounds the numbers of a file to as few digits as the requested accuracy allows.

Each joint is made relative to its parent as readers will rebuild it from the rounded numbers, so
errors do not accumulate along a limb. The remaining error is measured; if it is too large, the joint
is written with more digits."""

import math

import numpy as np

from . import maths

MAX_DIGITS = 9


def first_digits(accuracy):
    return min(max(math.ceil(-math.log10(accuracy)) + 1, 2), 7)


def encode_bind(joints, accuracy):
    """Rounds a bind pose. `joints` (J, 4, 4) are rigid transforms in model space. Returns the positions (J,
    3) and rotations (J, 3) to write, and the joints (J, 4, 4) that readers compute from them."""
    positions, rotations = [], []
    digits = first_digits(accuracy)
    exact = maths.stored_sign(maths.quaternion_from_matrix(joints))
    for joint, rotation in zip(joints, exact):
        for more in range(digits, MAX_DIGITS + 1):
            xyz = maths.round_rotations(rotation[None], more, np.ones(3, bool), more >= 8)
            if np.abs(maths.rebuilt(xyz) - rotation).max() < 10.0 ** -digits:
                break
        positions.append(np.round(joint[:3, 3], digits))
        rotations.append(xyz[0])
    positions, rotations = np.array(positions), np.array(rotations)
    return positions, rotations, maths.matrix_from_quaternion(maths.rebuilt(rotations),
                                                              positions.astype(np.float32).astype(np.float64))


def encode_clip(parents, joints, bind, corners, accuracy):
    """Rounds the poses of a clip. `joints` (frames, J, 4, 4) are the exact joints in model space. `bind` is
    the bind pose that readers compute. `corners` contains for each joint (n, 3) points in the bind pose that
    enclose the vertices which it moves. Returns the poses (frames, J, 6), the animated components of each
    joint as bits, and the largest error of each joint."""
    num_frames, num_joints = joints.shape[:2]
    poses = np.zeros((num_frames, num_joints, 6))
    bits, errors = [0] * num_joints, np.zeros(num_joints)
    read = np.zeros_like(joints)
    nowhere = np.broadcast_to(np.eye(4), (num_frames, 4, 4))
    for joint, parent in enumerate(parents):
        exact = joints[:, joint]
        plain = maths.inverse(joints[:, parent] if parent >= 0 else nowhere) @ exact
        above = read[:, parent] if parent >= 0 else nowhere
        local = maths.inverse(above) @ exact
        points = maths.apply(maths.inverse(bind[joint])[None], corners[joint])
        smallest_error = None
        for digits in range(first_digits(accuracy), MAX_DIGITS + 1):
            slack = 0.5 * accuracy if digits == first_digits(accuracy) else 0.0
            six = _encode_joint(plain, local, digits, slack, len(points) and _reach(points))
            rebuilt = above @ maths.matrix_from_quaternion(maths.rebuilt(six[:, 3:]),
                                                           six[:, :3].astype(np.float32).astype(np.float64))
            error = _largest_error(rebuilt, exact, points)
            if smallest_error is None or error < smallest_error:
                smallest_error = error
                poses[:, joint], read[:, joint] = six, rebuilt
            if smallest_error <= accuracy:
                break
        errors[joint] = smallest_error
        changes = (poses[:, joint] != poses[0, joint]).any(axis=0)
        bits[joint] = sum(1 << part for part in range(6) if changes[part])
    return poses, bits, errors


def _reach(points):
    return max(1.0, float(np.linalg.norm(points, axis=1).max()))


def _encode_joint(plain, local, digits, slack, reach):
    """Returns the six rounded numbers of a joint in each frame. `plain` contains transforms relative to the
    exact parent; they show which numbers are constant. `local` contains transforms relative to the parent
    that readers compute from the rounded numbers; they correct the rounding error of the parent."""
    six = np.zeros((len(plain), 6))
    unit = 10.0 ** -digits
    exact_rotation = maths.stored_sign(maths.quaternion_from_matrix(plain))
    rotation = maths.stored_sign(maths.quaternion_from_matrix(local))
    # The tolerance of rotations is smaller, since it is multiplied by the reach.
    for part in range(3):
        column = plain[:, part, 3]
        if np.ptp(column) <= slack:
            six[:, part] = round((column.max() + column.min()) / 2, digits)
        else:
            six[:, part] = np.round(local[:, part, 3] / unit) * unit
    free = np.ptp(exact_rotation[:, :3], axis=0) > slack / (2 * max(reach, 1.0))
    middle = (exact_rotation[:, :3].max(axis=0) + exact_rotation[:, :3].min(axis=0)) / 2
    if not free.any():
        constant = np.append(middle, exact_rotation[0, 3])[None]
        six[:, 3:] = maths.round_rotations(constant, digits, np.ones(3, bool), digits >= 8)
        return six
    rotation[:, :3] = np.where(free, rotation[:, :3], np.round(middle, digits))
    six[:, 3:] = maths.round_rotations(rotation, digits, free, digits >= 8)
    return six


def _largest_error(rebuilt, exact, points):
    """Returns the largest error of the joint's position or of a corner that it moves, over all frames."""
    off = rebuilt - exact
    error = np.abs(off[:, :3, 3]).max()
    for point in points:
        moved = off[:, :3, :3] @ point + off[:, :3, 3]
        error = max(error, float(np.linalg.norm(moved, axis=1).max()))
    return error


def bias_digits(size, max_weights, accuracy):
    """Returns the decimals that weights need, if joints may move apart by up to the size of the mesh."""
    return min(max(math.ceil(math.log10(max(0.5 * size * math.sqrt(max_weights) / accuracy, 1))), 4), 8)


def rounded_biases(biases, digits):
    """Returns rounded biases whose sum is exactly one; the largest bias absorbs the rounding error."""
    whole = 10 ** digits
    parts = np.round(np.asarray(biases) / np.sum(biases) * whole).astype(np.int64)
    parts[np.argmax(parts)] += whole - parts.sum()
    return parts / whole

"""Vectors and quaternions as tuples. Quaternions are (x, y, z, w), columns, textbook order:
rotate(mul(a, b), v) == rotate(a, rotate(b, v))."""

import math

IDENTITY = (0.0, 0.0, 0.0, 1.0)


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(a, s):
    return (a[0] * s, a[1] * s, a[2] * s)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def length(a):
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


def unit(a):
    size = length(a)
    return (a[0] / size, a[1] / size, a[2] / size) if size > 1e-12 else (0.0, 0.0, 1.0)


def mix(a, b, t):
    return (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t)


def mirror(a):
    """Returns the mirrored point (y is left)."""
    return (a[0], -a[1], a[2])


def clamp01(x):
    return 0.0 if x < 0.0 else 1.0 if x > 1.0 else x


def smoothstep(low, high, x):
    t = (x - low) / (high - low)
    if t <= 0.0:
        return 0.0
    if t >= 1.0:
        return 1.0
    return t * t * (3.0 - 2.0 * t)


def segment_nearest(p, a, b):
    """Returns the parameter in 0..1 of the point of segment ab nearest to p, and the distance to it."""
    ab = sub(b, a)
    t = clamp01(dot(sub(p, a), ab) / max(dot(ab, ab), 1e-12))
    return t, length(sub(p, add(a, scale(ab, t))))


# --- quaternions


def axis_angle(axis, degrees):
    half = math.radians(degrees) * 0.5
    s = math.sin(half)
    x, y, z = unit(axis)
    return (x * s, y * s, z * s, math.cos(half))


def mul(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz)


def conj(q):
    return (-q[0], -q[1], -q[2], q[3])


def normalized(q):
    size = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] / size, q[1] / size, q[2] / size, q[3] / size)


def blend(a, b, t):
    """Interpolates between two rotations along the shorter arc."""
    t = t if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] > 0.0 else -t
    s = 1.0 - abs(t)
    return normalized((s * a[0] + t * b[0], s * a[1] + t * b[1], s * a[2] + t * b[2], s * a[3] + t * b[3]))


def rotate(q, v):
    x, y, z, w = q
    tx = 2.0 * (y * v[2] - z * v[1])
    ty = 2.0 * (z * v[0] - x * v[2])
    tz = 2.0 * (x * v[1] - y * v[0])
    return (v[0] + w * tx + y * tz - z * ty,
            v[1] + w * ty + z * tx - x * tz,
            v[2] + w * tz + x * ty - y * tx)


def euler(pitch=0.0, yaw=0.0, roll=0.0):
    """Returns a rotation, degrees. Pitch > 0 lowers the nose, yaw > 0 looks left, roll > 0 lifts the left
    side."""
    q = axis_angle((0, 0, 1), yaw) if yaw else IDENTITY
    if pitch:
        q = mul(q, axis_angle((0, 1, 0), pitch))
    if roll:
        q = mul(q, axis_angle((1, 0, 0), roll))
    return q


def from_columns(x, y, z):
    """Returns the rotation whose matrix has these (orthonormal) columns."""
    trace = x[0] + y[1] + z[2]
    if trace > 0.0:
        s = math.sqrt(trace + 1.0) * 2.0
        q = ((y[2] - z[1]) / s, (z[0] - x[2]) / s, (x[1] - y[0]) / s, 0.25 * s)
    elif x[0] > y[1] and x[0] > z[2]:
        s = math.sqrt(1.0 + x[0] - y[1] - z[2]) * 2.0
        q = (0.25 * s, (y[0] + x[1]) / s, (z[0] + x[2]) / s, (y[2] - z[1]) / s)
    elif y[1] > z[2]:
        s = math.sqrt(1.0 + y[1] - x[0] - z[2]) * 2.0
        q = ((y[0] + x[1]) / s, 0.25 * s, (z[1] + y[2]) / s, (z[0] - x[2]) / s)
    else:
        s = math.sqrt(1.0 + z[2] - x[0] - y[1]) * 2.0
        q = ((z[0] + x[2]) / s, (z[1] + y[2]) / s, 0.25 * s, (x[1] - y[0]) / s)
    return normalized(q)


def frame(forward, hint):
    """Returns the rotation whose x column is `forward` and whose z column leans toward `hint`."""
    x = unit(forward)
    if abs(dot(x, unit(hint))) > 0.999:
        hint = (1.0, 0.0, 0.0) if abs(x[0]) < 0.9 else (0.0, 0.0, 1.0)
    y = unit(cross(hint, x))
    return from_columns(x, y, cross(x, y))

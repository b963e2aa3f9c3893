"""Eyeballs and eyelids: parts of spheres that rotate about the middle of the eye."""

import math

from kit.maths import add, cross, dot, length, scale, smoothstep, sub, unit

from bobbin_parts import shape

GAZE = unit(sub(shape.AIM["eye_l"], shape.EYE))
HINGE = unit(cross((0.0, 0.0, 1.0), GAZE))
UP = cross(GAZE, HINGE)
# Edges of the lids when open, in degrees above the gaze.
UPPER_EDGE, LOWER_EDGE = 50.0, -54.0
_LOWER = -80.0  # from the edge of the lower lid to its back
_CAP = 105.0
# Half the width of the opening, relative to the radius. Toward the outer corner the upper lid comes down
# along an ellipse, so that the eye looks round also from the side, without a wedge of white behind the
# iris.
WIDE = 0.95
# Radius of a lower lid, in eyeball radii. The lower lid is under the upper lid, deep enough that its flat
# triangles do not penetrate the upper lid.
_UNDER = 1.035
_LOW = 1.015    # radius of the ends of an upper lid, in eyeball radii
_COLUMNS = (-86.0, -64.0, -42.0, -20.0, 2.0, 24.0, 40.0, 50.0, 58.0, 64.0, 68.0, 71.0, 74.0, 86.0)


def _on_eye(radius, forward, left, up):
    return add(shape.EYE, add(add(scale(GAZE, forward * radius), scale(HINGE, left * radius)),
                              scale(UP, up * radius)))


def angles(point):
    """Returns for a point around the left eye its distance from the middle, radians to the left and above the
    gaze."""
    away = sub(point, shape.EYE)
    radius = length(away)
    return radius, math.asin(dot(away, HINGE) / radius), math.atan2(dot(away, UP), dot(away, GAZE))


def at_angles(radius, side, height):
    """Returns the point with these angles: the inverse of angles()."""
    ahead = math.cos(side)
    return _on_eye(radius, ahead * math.cos(height), math.sin(side), ahead * math.sin(height))


def _upper_edge(side):
    """Returns the height of the upper lid's edge, in radians above the gaze, at `side` radians to the left of
    the middle of the eye. Behind the opening, the edge is inside the skin."""
    edge, out = math.radians(UPPER_EDGE), math.sin(side) / WIDE
    if out <= 0.0 or out >= 1.0:
        return edge if out <= 0.0 else -0.6 * edge
    return min(edge, math.asin(math.sin(edge) * math.sqrt(1.0 - out * out) / math.cos(side)))


def lid_edge(upper, side):
    """Returns the rim of an open lid in the mesh, radians above the gaze: shut lids meet in one line."""
    edge = _upper_edge(side)
    if upper:
        return edge
    return max(math.radians(LOWER_EDGE + 0.8 * _LOWER), edge + math.radians(LOWER_EDGE - UPPER_EDGE))


def tucked(point):
    """Returns the position in the mesh of a point of the lower lid, as lid() creates it: under the upper
    lid."""
    radius, side, height = angles(point)
    rim, edge = lid_edge(False, side), math.radians(LOWER_EDGE)
    height = rim + (height - edge) * (1.0 - (rim - edge) / math.radians(_LOWER))
    return at_angles(radius if radius < shape.EYE_RADIUS else _UNDER * shape.EYE_RADIUS, side, height)


def sunk(point):
    """Returns the position in the mesh of a point of the upper lid, as lid() creates it. The ends are sunk,
    because the ends of a shut lid would form a step on the head otherwise."""
    radius, side, height = angles(point)
    low = min(radius, _LOW * shape.EYE_RADIUS)
    return at_angles(radius + (low - radius) * smoothstep(0.8, 1.0, abs(math.sin(side))), side, height)


def eyeball(rings=8, around=18):
    """Returns the points, texture coordinates and triangles of the left eyeball, which only has a front side.
    The texture is a view of the eye from the front, with equal steps of the angle."""
    points, uvs, tris = [_on_eye(shape.EYE_RADIUS, 1, 0, 0)], [(0.5, 0.5)], []
    for ring in range(1, rings + 1):
        angle = math.radians(_CAP) * ring / rings
        for n in range(around):
            azimuth = 2.0 * math.pi * n / around
            left, up = math.cos(azimuth), math.sin(azimuth)
            points.append(_on_eye(shape.EYE_RADIUS, math.cos(angle), math.sin(angle) * left,
                                  math.sin(angle) * up))
            # Seen from in front, left is to the right.
            uvs.append((0.5 + 0.49 * ring / rings * left, 0.5 - 0.49 * ring / rings * up))
    for n in range(around):
        m = (n + 1) % around
        tris.append((0, 1 + n, 1 + m))
        for ring in range(rings - 1):
            a, b = 1 + ring * around, 1 + (ring + 1) * around
            tris += [(a + n, b + n, b + m), (a + n, b + m, a + m)]
    return points, uvs, tris


def lid(upper, rows=6):
    """Creates one lid of the left eye: points, along (0 at the rim), triangles, chart coordinates. A lid is a
    thin shell whose rim curls in to the eyeball. An open lid slides into the head."""
    edge, back = (UPPER_EDGE, UPPER_EDGE + 105.0) if upper else (LOWER_EDGE, LOWER_EDGE + _LOWER)
    points, along, flat, grid = [], [], {}, []
    # Steps are (fraction of the distance to the back, radius in eyeball radii): the rim curls in, and the
    # shell becomes thinner to the back. The upper lid lies over the lower lid.
    thick = 1.065 if upper else 1.055
    steps = [(0.0, 0.99), (0.0, thick)]
    steps += [(n / rows, thick - 0.005 - 0.03 * n / rows) for n in range(1, rows + 1)]
    for n, (t, size) in enumerate(steps):
        even, row = math.radians(edge + (back - edge) * t), []
        for column in _COLUMNS:
            side = math.radians(column)
            rim = _upper_edge(side) if upper else math.radians(edge)
            height = rim + (math.radians(back) - rim) * t
            row.append(len(points))
            radius = shape.EYE_RADIUS * size
            points.append(at_angles(radius, side, height))
            along.append(t)
            # The curled rim would have no area on the chart, so it gets a little height.
            curl = 0.0 if n else -0.06 if upper else 0.06
            flat[row[-1]] = (side * radius, (even + curl) * -radius)
        grid.append(row)
    tris = []
    for low, high in zip(grid, grid[1:]):
        for a, b, c, d in zip(low, low[1:], high[1:], high):
            tris += [(a, b, c), (a, c, d)] if upper else [(a, c, b), (a, d, c)]
    return points, along, tris, flat

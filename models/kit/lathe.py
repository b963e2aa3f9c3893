"""Rods, rings and pots: round sections along a path in the plane y = 0."""

import math

from kit.maths import add, cross, scale, sub, unit


def tube(path, radii, columns, strip, closed_ends=True, axis=None):
    """Points, texture coordinates and triangles. The section at each path point is a circle (a point
    when its radius is 0) perpendicular to the path. strip (u0, v0, u1, v1): its rectangle in
    the texture, u around and v along. Vertices are doubled at the seam. axis: the normal of all
    sections instead; then the path may go back and forth along it."""
    u0, v0, u1, v1 = strip
    points, uvs, tris, rings, traveled = [], [], [], [], [0.0]
    for a, b in zip(path, path[1:]):
        edge = sub(b, a)
        traveled.append(traveled[-1] + max(1e-6, sum(c * c for c in edge) ** 0.5))
    for n, (p, radius) in enumerate(zip(path, radii)):
        ahead = axis or unit(sub(path[min(n + 1, len(path) - 1)], path[max(n - 1, 0)]))
        side, ring = cross((0.0, 1.0, 0.0), ahead), []
        for column in range(columns + 1):
            angle = 2.0 * math.pi * (column % columns) / columns
            spoke = add(scale(side, math.cos(angle) * radius),
                        (0.0, math.sin(angle) * radius, 0.0))
            ring.append(len(points))
            points.append(add(p, spoke))
            uvs.append((u0 + (u1 - u0) * column / columns,
                        v0 + (v1 - v0) * traveled[n] / traveled[-1]))
        rings.append(ring)
    for low, high, ra, rb in zip(rings, rings[1:], radii, radii[1:]):
        for a, b, c, d in zip(low, low[1:], high[1:], high):
            if ra > 0.0:
                tris.append((a, b, c))
            if rb > 0.0:
                tris.append((a, c, d))
    assert not closed_ends or radii[0] == radii[-1] == 0.0
    # A pole has one point fewer than a ring: it belongs to the triangles, not to the seam.
    used = sorted({point for tri in tris for point in tri})
    index = {point: n for n, point in enumerate(used)}
    return ([points[point] for point in used], [uvs[point] for point in used],
            [tuple(index[point] for point in tri) for tri in tris])

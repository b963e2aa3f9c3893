"""Signed distance fields: a body is a smooth union of round cones and ellipsoids.

Every shape is a function (x, y, z) -> distance, negative inside. Creatures are symmetric, so the
caller models the left half (y >= 0) and passes |y|."""

import math

from kit.maths import cross, unit


def ball(c, radius):
    return ellipsoid(c, (radius, radius, radius))


def ellipsoid(c, r, pitch=0.0):
    """Returns an ellipsoid with half-axes r, rotated by `pitch` degrees (nose down) about y."""
    cx, cy, cz = c
    ix, iy, iz = 1.0 / r[0], 1.0 / r[1], 1.0 / r[2]
    co, si = math.cos(math.radians(pitch)), math.sin(math.radians(pitch))
    sqrt = math.sqrt
    smallest = min(r)

    def distance(x, y, z):
        x -= cx
        z -= cz
        px = (x * co - z * si) * ix
        py = (y - cy) * iy
        pz = (x * si + z * co) * iz
        k0 = sqrt(px * px + py * py + pz * pz)
        px *= ix
        py *= iy
        pz *= iz
        k1 = sqrt(px * px + py * py + pz * pz)
        # First-order distance: exact on the surface, where it is evaluated.
        return k0 * (k0 - 1.0) / k1 if k1 > 1e-9 else -smallest

    return distance


def cone(a, b, ra, rb, thin=None, squeeze=1.0):
    """Returns a cone along segment ab with radius ra at a and rb at b. `thin` is a direction (perpendicular
    to ab) in which the cone is `squeeze` times flatter: ears, fins, leaves."""
    ax, ay, az = a
    dx, dy, dz = b[0] - ax, b[1] - ay, b[2] - az
    inverse = 1.0 / (dx * dx + dy * dy + dz * dz)
    dr = rb - ra
    sqrt = math.sqrt
    if thin is None:
        def distance(x, y, z):
            x -= ax
            y -= ay
            z -= az
            t = (x * dx + y * dy + z * dz) * inverse
            t = 0.0 if t < 0.0 else 1.0 if t > 1.0 else t
            x -= dx * t
            y -= dy * t
            z -= dz * t
            return sqrt(x * x + y * y + z * z) - ra - dr * t
        return distance

    size = sqrt(thin[0] ** 2 + thin[1] ** 2 + thin[2] ** 2)
    nx, ny, nz = thin[0] / size, thin[1] / size, thin[2] / size
    more = squeeze - 1.0

    def flat_distance(x, y, z):
        x -= ax
        y -= ay
        z -= az
        s = (x * nx + y * ny + z * nz) * more
        x += nx * s
        y += ny * s
        z += nz * s
        t = (x * dx + y * dy + z * dz) * inverse
        t = 0.0 if t < 0.0 else 1.0 if t > 1.0 else t
        x -= dx * t
        y -= dy * t
        z -= dz * t
        return (sqrt(x * x + y * y + z * z) - ra - dr * t) * 0.7

    return flat_distance


def melt(a, b, k):
    """Returns the smooth minimum of two distances; k is the width of the fillet."""
    gap = k - abs(a - b)
    low = a if a < b else b
    return low - gap * gap / (4.0 * k) if gap > 0.0 else low


def union(shapes, k):
    """Returns the smooth union of shapes, with fillets of width k."""
    if len(shapes) == 1:
        return shapes[0]
    first, others = shapes[0], tuple(shapes[1:])

    def distance(x, y, z):
        d = first(x, y, z)
        for shape in others:
            e = shape(x, y, z)
            gap = k - (d - e if d > e else e - d)
            if e < d:
                d = e
            if gap > 0.0:
                d -= gap * gap / (4.0 * k)
        return d

    return distance


def gradient(field, p, step=0.05):
    x, y, z = p
    return ((field(x + step, y, z) - field(x - step, y, z)) / (2.0 * step),
            (field(x, y + step, z) - field(x, y - step, z)) / (2.0 * step),
            (field(x, y, z + step) - field(x, y, z - step)) / (2.0 * step))


def occlusion(field, p, n, reach):
    """Returns the ambient visibility at p, 0..1: samples directions around n."""
    side = unit(cross(n, (0.31, 0.83, 0.46)))
    binormal = cross(n, side)
    open_sky = total = 0.0
    for ring, (lift, count) in enumerate(((0.95, 1), (0.75, 5), (0.35, 7))):
        spread = math.sqrt(1.0 - lift * lift)
        for i in range(count):
            angle = 2.0 * math.pi * (i + 0.5 * ring) / count
            ca, sa = math.cos(angle) * spread, math.sin(angle) * spread
            d = tuple(n[j] * lift + side[j] * ca + binormal[j] * sa for j in range(3))
            clear = 1.0
            for distance in (0.12 * reach, 0.35 * reach, 0.8 * reach):
                q = (p[0] + d[0] * distance, p[1] + d[1] * distance, p[2] + d[2] * distance)
                clear = min(clear, max(0.0, field(*q) / (distance * 0.55)))
            open_sky += lift * min(1.0, clear)
            total += lift
    return open_sky / total

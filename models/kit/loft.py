"""Leaves and thorns: flat elliptic sections along a path, open at the root, closed at the tip."""

import math

from kit.maths import add, cross, dot, scale, sub, unit


def curve(knots, count):
    """Returns count + 1 points of a Catmull-Rom curve through the knots."""
    ends = [sub(scale(knots[0], 2.0), knots[1])] + list(knots) \
        + [sub(scale(knots[-1], 2.0), knots[-2])]
    out = []
    for n in range(count + 1):
        t = n / count * (len(knots) - 1)
        i = min(int(t), len(knots) - 2)
        t -= i
        p0, p1, p2, p3 = ends[i:i + 4]
        out.append(tuple(0.5 * (2.0 * b + (c - a) * t + (2.0 * a - 5.0 * b + 4.0 * c - d) * t * t
                                + (3.0 * b - a - 3.0 * c + d) * t * t * t)
                         for a, b, c, d in zip(p0, p1, p2, p3)))
    return out


def table(values, t):
    """Returns a smooth curve through equally spaced sizes, at t in 0..1; never below zero."""
    position = t * (len(values) - 1)
    i = min(int(position), len(values) - 2)
    t = position - i
    b, c = values[i], values[i + 1]
    a = values[i - 1] if i else b
    d = values[i + 2] if i + 2 < len(values) else c
    return max(0.0, 0.5 * (2.0 * b + (c - a) * t + (2.0 * a - 5.0 * b + 4.0 * c - d) * t * t
                           + (3.0 * b - a - 3.0 * c + d) * t * t * t))


class Loft:
    """points, tris; along[v] in 0..1 from root to tip; charts: (tris, {vertex: (s, t)})."""

    def __init__(self):
        self.points, self.tris, self.along, self.charts = [], [], [], []


def leaf(path, facing, wide, thick, cup, columns):
    """Returns a leaf along `path`, whose broad side faces `facing`. `wide` and `thick` contain half of its
    size for each point of the path. `cup` bends the rims toward `facing`. Each side has its own flat
    chart."""
    loft, sheets = Loft(), []
    for side in (1.0, -1.0):
        rows, flat, traveled = [], {}, 0.0
        for n, p in enumerate(path):
            ahead = unit(sub(path[min(n + 1, len(path) - 1)], path[max(n - 1, 0)]))
            across = unit(cross(facing, ahead))
            up = cross(ahead, across)
            if n:
                edge = sub(p, path[n - 1])
                traveled += dot(edge, edge) ** 0.5
            row = []
            count = columns if n < len(path) - 1 else 0
            for column in range(count + 1):
                angle = math.pi * column / count if count else 0.5 * math.pi
                c, s = -math.cos(angle), math.sin(angle)
                rise = side * s * thick[n] + cup[n] * c * c
                at = add(p, add(scale(across, c * wide[n]), scale(up, rise)))
                rim = count and column in (0, count)
                if side < 0.0 and (rim or not count):
                    row.append(sheets[0][n][column])
                else:
                    loft.points.append(at)
                    loft.along.append(n / (len(path) - 1))
                    row.append(len(loft.points) - 1)
            rows.append(row)
            for column, v in enumerate(row):
                angle = math.pi * column / count if count else 0.5 * math.pi
                flat[v] = (-math.cos(angle) * wide[n] * side, traveled)
        sheets.append(rows)
        tris = _sheet(rows, side > 0.0)
        loft.tris += tris
        loft.charts.append((tris, flat))
    return loft


def _sheet(rows, front):
    """Returns triangles between successive rows; the last row is one point."""
    tris = []
    for low, high in zip(rows, rows[1:]):
        for column in range(len(low) - 1):
            a, b = low[column], low[column + 1]
            if len(high) == 1:
                found = [(b, a, high[0])]
            else:
                c, d = high[column + 1], high[column]
                found = [(a, c, b), (a, d, c)]
            tris += found if front else [(x, z, y) for x, y, z in found]
    return tris


def _half_circumference(a, b):
    """Returns a quarter of the circumference of an ellipse (Ramanujan's first approximation)."""
    return math.pi * (3.0 * (a + b) - math.sqrt((3.0 * a + b) * (a + 3.0 * b))) / 4.0


def blade(path, thick, tall, columns):
    """Returns the left half (y >= 0) of a fin or thorn that grows in the mirror plane. `thick` and `tall`
    contain half of its size across the plane and in the plane, for each point of the path. Its two seams are
    in the plane."""
    loft = Loft()
    rows, flat, traveled = [], {}, 0.0
    for n, p in enumerate(path):
        ahead = unit(sub(path[min(n + 1, len(path) - 1)], path[max(n - 1, 0)]))
        across = (-ahead[2], 0.0, ahead[0])
        if n:
            edge = sub(p, path[n - 1])
            traveled += dot(edge, edge) ** 0.5
        row, around = [], 0.0
        count = columns if n < len(path) - 1 else 0
        half = _half_circumference(thick[n], tall[n])
        for column in range(count + 1):
            angle = math.pi * column / count if count else 0.5 * math.pi
            c = math.cos(angle)
            at = add(p, scale(across, c * tall[n]))
            if column:
                around += math.hypot(c * tall[n] - math.cos(angle - math.pi / count) * tall[n],
                                     (math.sin(angle) - math.sin(angle - math.pi / count))
                                     * thick[n])
            rim = column in (0, count)
            loft.points.append((at[0], 0.0 if rim else math.sin(angle) * thick[n], at[2]))
            loft.along.append(n / (len(path) - 1))
            row.append(len(loft.points) - 1)
            flat[row[-1]] = (around - half if count else 0.0, traveled)
        rows.append(row)
    loft.tris = _sheet(rows, True)
    loft.charts = [(loft.tris, flat)]
    return loft

"""Polygons from a distance field: naive surface nets over a regular grid.

Only the left half (y >= 0) is made. The first layer of cells straddles y = 0, so its vertices lie
exactly in the mirror plane, and the right half is a copy with y negated: symmetric to the bit."""

_CORNERS = [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
_EDGES = [(a, b) for a in range(8) for b in range(a + 1, 8)
          if sum(x != y for x, y in zip(_CORNERS[a], _CORNERS[b])) == 1]
_FAR = 1e3


def _lines(low, high, cell):
    return [low + n * cell for n in range(int((high - low) / cell) + 2)]


def _sample(field, xs, ys, zs, cell):
    """Field values at the grid points. Blocks that a look at every fourth point shows to be far
    from the surface are filled in instead of measured."""
    block = 4
    reach = cell * block * 2.2
    values = [[[_FAR] * len(zs) for _ in ys] for _ in xs]
    for i in range(0, len(xs), block):
        for j in range(1, len(ys), block):
            for k in range(0, len(zs), block):
                d = field(xs[i] + cell * 2, ys[j] + cell * 2, zs[k] + cell * 2)
                for a in range(i, min(i + block, len(xs))):
                    for b in range(j, min(j + block, len(ys))):
                        row = values[a][b]
                        for c in range(k, min(k + block, len(zs))):
                            row[c] = d if abs(d) > reach else field(xs[a], ys[b], zs[c])
    for plane in values:
        plane[0] = plane[1]
    return values


def _cells(values, xs, ys, zs):
    """One vertex per cell that the surface crosses: the mean of its edge crossings."""
    points, index = [], {}
    for i in range(len(xs) - 1):
        for j in range(len(ys) - 1):
            v00, v01, v10, v11 = (values[i][j], values[i][j + 1], values[i + 1][j],
                                  values[i + 1][j + 1])
            for k in range(len(zs) - 1):
                d = (v00[k], v00[k + 1], v01[k], v01[k + 1], v10[k], v10[k + 1], v11[k], v11[k + 1])
                if min(d) >= 0.0 or max(d) < 0.0:
                    continue
                total, count = [0.0, 0.0, 0.0], 0
                for a, b in _EDGES:
                    if (d[a] < 0.0) == (d[b] < 0.0):
                        continue
                    t = d[a] / (d[a] - d[b])
                    for axis, lines, cell in ((0, xs, i), (1, ys, j), (2, zs, k)):
                        start = lines[cell + _CORNERS[a][axis]]
                        stop = lines[cell + _CORNERS[b][axis]]
                        total[axis] += start + (stop - start) * t
                    count += 1
                index[i, j, k] = len(points)
                points.append((total[0] / count, 0.0 if j == 0 else total[1] / count,
                               total[2] / count))
    return points, index


def _quads(values, index, xs, ys, zs):
    """One quad around each grid edge that the surface crosses, counter-clockwise from outside."""
    quads = []
    around = ((0, 0), (1, 0), (1, 1), (0, 1))
    for i in range(1, len(xs) - 1):
        for j in range(1, len(ys) - 1):
            for k in range(1, len(zs) - 1):
                inside = values[i][j][k] < 0.0
                for axis, there in enumerate((values[i + 1][j][k], values[i][j + 1][k],
                                              values[i][j][k + 1])):
                    if inside == (there < 0.0):
                        continue
                    cells = []
                    for a, b in around:
                        step = [0, 0, 0]
                        step[(axis + 1) % 3] = a - 1
                        step[(axis + 2) % 3] = b - 1
                        cells.append(index[i + step[0], j + step[1], k + step[2]])
                    quads.append(cells if inside else cells[::-1])
    return quads


def polygonise(field, low, high, cell):
    """Points and counter-clockwise triangles of the half of the surface with y >= 0.
    field(x, y, z) must be symmetric in y; the box low..high must hold the surface."""
    xs, zs = _lines(low[0], high[0], cell), _lines(low[2], high[2], cell)
    ys = _lines(-0.5 * cell, high[1], cell)
    values = _sample(field, xs, ys, zs, cell)
    points, index = _cells(values, xs, ys, zs)
    tris = []
    for a, b, c, d in _quads(values, index, xs, ys, zs):
        tris += [(a, b, c), (a, c, d)]
    used = sorted({v for tri in tris for v in tri})
    renumber = {v: n for n, v in enumerate(used)}
    return [points[v] for v in used], [tuple(renumber[v] for v in tri) for tri in tris]

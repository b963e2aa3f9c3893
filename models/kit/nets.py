"""Polygons from a distance field: surface nets over a regular grid, one vertex per sheet.

Only the left half (y >= 0) is generated. The first layer of cells straddles y = 0, so its vertices lie
exactly in the mirror plane, and the right half is a copy with y negated: symmetric bit by bit."""

# Corners of a cell, its edges as (corner, axis), and the four edges around each of its six faces.
_CORNERS = [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
_EDGES = [(corner, axis) for axis in range(3) for corner in _CORNERS if corner[axis] == 0]


def _end(corner, axis):
    return tuple(c + (1 if n == axis else 0) for n, c in enumerate(corner))


def _face_edges():
    faces = []
    for axis in range(3):
        for side in (0, 1):
            faces.append([e for e in _EDGES if e[1] != axis and e[0][axis] == side])
    return faces


_FACES = _face_edges()
_FAR = 1e3


def _lines(low, high, cell):
    return [low + n * cell for n in range(int((high - low) / cell) + 2)]


def _sample(field, xs, ys, zs, cell):
    """Returns field values at the grid points. Blocks that are far from the surface, tested at every fourth
    point, are filled in without evaluation."""
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


def _sheets(inside):
    """Groups a cell's crossed edges into the sheets of surface that pass through it. On a face
    crossed four times the inside corners are separated, consistently in both cells:
    the surface remains a manifold."""
    crossed = [e for e in _EDGES if inside[e[0]] != inside[_end(*e)]]
    group = {e: e for e in crossed}

    def find(e):
        while group[e] != e:
            e = group[e]
        return e

    for face in _FACES:
        face_edges = [e for e in face if e in group]
        if len(face_edges) == 2:
            group[find(face_edges[0])] = find(face_edges[1])
        elif len(face_edges) == 4:
            for corner in sorted({c for e in face_edges for c in (e[0], _end(*e)) if inside[c]}):
                first, second = [e for e in face_edges if corner in (e[0], _end(*e))]
                group[find(first)] = find(second)
    sheets = {}
    for e in crossed:
        sheets.setdefault(find(e), []).append(e)
    return list(sheets.values())


def _cells(values, xs, ys, zs):
    """Returns the vertices of the surface and their index. Each sheet of the surface in a cell has one
    vertex, at the mean of the points where edges cross the sheet. The index maps (cell, edge) to the
    vertex."""
    points, index = [], {}
    for i in range(len(xs) - 1):
        for j in range(len(ys) - 1):
            v00, v01, v10, v11 = (values[i][j], values[i][j + 1], values[i + 1][j],
                                  values[i + 1][j + 1])
            for k in range(len(zs) - 1):
                d = (v00[k], v00[k + 1], v01[k], v01[k + 1], v10[k], v10[k + 1], v11[k], v11[k + 1])
                if min(d) >= 0.0 or max(d) < 0.0:
                    continue
                depth = dict(zip(_CORNERS, d))
                for sheet in _sheets({corner: v < 0.0 for corner, v in depth.items()}):
                    total = [0.0, 0.0, 0.0]
                    for corner, axis in sheet:
                        t = depth[corner] / (depth[corner] - depth[_end(corner, axis)])
                        for n, (lines, cell) in enumerate(((xs, i), (ys, j), (zs, k))):
                            start = lines[cell + corner[n]]
                            if n == axis:
                                start += (lines[cell + 1] - start) * t
                            total[n] += start
                        index[i, j, k, corner, axis] = len(points)
                    mean = [c / len(sheet) for c in total]
                    points.append((mean[0], 0.0 if j == 0 else mean[1], mean[2]))
    return points, index


def _quads(values, index, xs, ys, zs):
    """Returns one quad around each edge of the grid that the surface crosses, counter-clockwise in a view
    from outside."""
    quads = []
    around = ((0, 0), (1, 0), (1, 1), (0, 1))
    for i in range(1, len(xs) - 1):
        for j in range(1, len(ys) - 1):
            for k in range(1, len(zs) - 1):
                inside = values[i][j][k] < 0.0
                for axis, neighbor in enumerate((values[i + 1][j][k], values[i][j + 1][k],
                                                 values[i][j][k + 1])):
                    if inside == (neighbor < 0.0):
                        continue
                    cells = []
                    for a, b in around:
                        corner = [0, 0, 0]
                        corner[(axis + 1) % 3] = 1 - a
                        corner[(axis + 2) % 3] = 1 - b
                        cells.append(index[i - corner[0], j - corner[1], k - corner[2],
                                           tuple(corner), axis])
                    quads.append(cells if inside else cells[::-1])
    return quads


def polygonize(field, low, high, cell):
    """Returns points and counter-clockwise triangles of the half of the surface with y >= 0.
    field(x, y, z) must be symmetric in y; the box low..high must contain the surface."""
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

"""A texture for a surface: flat charts, packed into a square, painted texel by texel.

Textures are painted in space: each texel takes the color at its position on the surface, so charts
agree at their borders and no seam is visible."""

from kit.maths import dot

# For each of the six sides, the directions in which u and v grow. v grows downwards in the
# picture; seen from outside no chart is mirrored.
_SIDES = (((1, 0, 0), (0, 1, 0), (0, 0, -1)), ((-1, 0, 0), (0, -1, 0), (0, 0, -1)),
          ((0, 1, 0), (-1, 0, 0), (0, 0, -1)), ((0, -1, 0), (1, 0, 0), (0, 0, -1)),
          ((0, 0, 1), (0, -1, 0), (-1, 0, 0)), ((0, 0, -1), (0, 1, 0), (-1, 0, 0)))
_GUTTER = 3


class Chart:
    """tris: indices of triangles; flat: vertex -> (s, t) in model units, scaled by `detail`."""

    def __init__(self, tris, flat, detail):
        self.tris, self.detail = tris, detail
        low_s = min(s for s, _ in flat.values())
        low_t = min(t for _, t in flat.values())
        self.flat = {v: ((s - low_s) * detail, (t - low_t) * detail) for v, (s, t) in flat.items()}
        self.wide = max(s for s, _ in self.flat.values())
        self.tall = max(t for _, t in self.flat.values())
        self.x = self.y = 0
        self.texels, self.texels_per_unit = {}, 0.0


def _facing(normals, neighbors, count):
    """Returns the side of the cube for each triangle, by normals averaged with the normals of the
    neighbors."""
    for _ in range(3):
        normals = [tuple(sum(normals[m][axis] for m in neighbors[n]) + 2.0 * normals[n][axis]
                         for axis in range(3)) for n in range(count)]
        normals = [tuple(c / (dot(n, n) ** 0.5 or 1.0) for c in n) for n in normals]
    return [max(range(6), key=lambda side: round(dot(normals[n], _SIDES[side][0]), 9))
            for n in range(count)]


def _islands(labels, neighbors):
    """Returns connected triangles with equal labels."""
    visited, out = [False] * len(labels), []
    for start in range(len(labels)):
        if visited[start]:
            continue
        visited[start] = True
        island, todo = [], [start]
        while todo:
            n = todo.pop()
            island.append(n)
            for m in neighbors[n]:
                if not visited[m] and labels[m] == labels[n]:
                    visited[m] = True
                    todo.append(m)
        out.append(sorted(island))
    return out


def project(points, tris, face_normals, regions, detail):
    """Returns the charts of a surface, each projected from one of six sides. Triangles of different regions
    never share a chart; detail[region] scales their texels."""
    edges, neighbors = {}, [[] for _ in tris]
    for n, tri in enumerate(tris):
        for i in range(3):
            edges.setdefault(frozenset((tri[i], tri[i - 1])), []).append(n)
    for pair in edges.values():
        if len(pair) == 2:
            neighbors[pair[0]].append(pair[1])
            neighbors[pair[1]].append(pair[0])
    sides = _facing(face_normals, neighbors, len(tris))
    for _ in range(4):
        # Small islands are merged with the neighbor with which they share most edges.
        for island in _islands(list(zip(regions, sides)), neighbors):
            if len(island) >= 14:
                continue
            votes = {}
            for n in island:
                for m in neighbors[n]:
                    if sides[m] != sides[n] and regions[m] == regions[n]:
                        votes[sides[m]] = votes.get(sides[m], 0) + 1
            for side in sorted(votes, key=lambda s: (-votes[s], s)):
                if min(dot(face_normals[n], _SIDES[side][0]) for n in island) > 0.12:
                    for n in island:
                        sides[n] = side
                    break
    charts = []
    for island in _islands(list(zip(regions, sides)), neighbors):
        _, right, down = _SIDES[sides[island[0]]]
        flat = {v: (dot(points[v], right), dot(points[v], down)) for n in island for v in tris[n]}
        charts.append(Chart(island, flat, detail[regions[island[0]]]))
    return charts


def _try_pack(charts, size, scale):
    """Places the charts in a square by skyline packing, the tallest chart first. Returns False if the square
    is too small at this scale."""
    sky = [0] * size
    for chart in sorted(charts, key=lambda c: (-c.tall, -c.wide, c.tris[0])):
        wide = int(chart.wide * scale) + 2 + 2 * _GUTTER
        tall = int(chart.tall * scale) + 2 + 2 * _GUTTER
        best = None
        for x in range(0, size - wide + 1, 4):
            top = max(sky[x:x + wide])
            if top + tall <= size and (best is None or top < best[0]):
                best = (top, x)
        if best is None:
            return False
        chart.y, chart.x = best
        sky[chart.x:chart.x + wide] = [chart.y + tall] * wide
    return True


def pack(charts, size):
    """Places the charts in a square of `size` texels, as large as fits. Returns texels per unit."""
    low, high = 0.5, 64.0
    for _ in range(11):
        middle = 0.5 * (low + high)
        if _try_pack(charts, size, middle):
            low = middle
        else:
            high = middle
    _try_pack(charts, size, low)
    for chart in charts:
        chart.texels_per_unit = low * chart.detail
        chart.texels = {v: (chart.x + _GUTTER + 1 + s * low, chart.y + _GUTTER + 1 + t * low)
                        for v, (s, t) in chart.flat.items()}
    return low


def cover(tri_texels, size):
    """Yields texels whose center is in the triangle or at most about one texel outside it, with their
    barycentric weights (clamped outside of the triangle)."""
    (ax, ay), (bx, by), (cx, cy) = tri_texels
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    if abs(area) < 1e-9:
        return
    inverse = 1.0 / area
    # Change of the weights per texel: the tolerance at the rim.
    slack_b = 0.8 * abs(inverse) * ((cy - ay) ** 2 + (cx - ax) ** 2) ** 0.5
    slack_c = 0.8 * abs(inverse) * ((by - ay) ** 2 + (bx - ax) ** 2) ** 0.5
    slack_a = 0.8 * abs(inverse) * ((cy - by) ** 2 + (cx - bx) ** 2) ** 0.5
    x0, x1 = max(int(min(ax, bx, cx) - 1), 0), min(int(max(ax, bx, cx) + 2), size)
    y0, y1 = max(int(min(ay, by, cy) - 1), 0), min(int(max(ay, by, cy) + 2), size)
    for y in range(y0, y1):
        dy = y + 0.5 - ay
        for x in range(x0, x1):
            dx = x + 0.5 - ax
            wb = (dx * (cy - ay) - (cx - ax) * dy) * inverse
            wc = ((bx - ax) * dy - dx * (by - ay)) * inverse
            wa = 1.0 - wb - wc
            if wa >= 0.0 and wb >= 0.0 and wc >= 0.0:
                yield x, y, wa, wb, wc, True
            elif wa >= -slack_a and wb >= -slack_b and wc >= -slack_c:
                yield x, y, wa, wb, wc, False


def spread(pixels, filled, size, rounds, channels=3):
    """Spreads colors from filled texels into empty neighbors, so that filtering and mipmaps do not
    pick up the background."""
    rim = [n for n in range(size * size) if filled[n]]
    for _ in range(rounds):
        fresh = []
        for n in rim:
            x = n % size
            for m in (n - 1 if x else -1, n + 1 if x < size - 1 else -1, n - size, n + size):
                if 0 <= m < size * size and not filled[m]:
                    filled[m] = 1
                    pixels[channels * m:channels * (m + 1)] = \
                        pixels[channels * n:channels * (n + 1)]
                    fresh.append(m)
        rim = fresh

"""All parts that share Bobbin's skin texture: body, ears, horns, thorns, tail fin, eyelids."""

from kit import atlas, loft, nets, remesh
from kit.field import gradient, occlusion
from kit.maths import add, cross, length, scale, smoothstep, sub, unit

from bobbin_parts import binding, face, shape

J, AIM = shape.J, shape.AIM
_MOUTH, _CORNER, _CHEEK = (13.0, 0.0, 35.4), (12.4, 5.4, 36.6), (5.0, 9.5, 37.5)
# Texels per unit, relative to the body's.
_DETAIL = {"head": 1.5, "torso": 0.9, "arm": 1.0, "leg": 1.0, "tail": 0.85, "ear_in": 1.0,
           "ear_out": 0.8, "horn": 0.9, "thorn": 0.7, "fin": 1.0, "lid": 0.5, "fang": 0.8}

# Thorns along the back: root and tip in the mirror plane, half height and half thickness at
# the root.
_THORNS = (((-5.2, 50.0), (-9.2, 54.0), 2.7, 1.25), ((-8.6, 46.0), (-13.6, 48.4), 2.6, 1.25),
           ((-8.6, 40.6), (-12.9, 41.3), 2.2, 1.1), ((-4.9, 28.6), (-9.2, 30.0), 2.0, 1.0),
           ((-6.6, 22.9), (-11.6, 24.6), 2.5, 1.2), ((-9.4, 15.6), (-14.4, 19.0), 2.5, 1.2),
           ((-15.6, 11.6), (-19.4, 15.2), 2.2, 1.0), ((-21.6, 10.0), (-24.2, 13.6), 1.9, 0.9),
           ((-27.0, 10.8), (-28.6, 14.2), 1.6, 0.8), ((-31.2, 14.0), (-33.6, 16.6), 1.3, 0.7))


class Skin:
    """The left half of the skin. Per vertex: points, normals, open (visible fraction of the sky), along,
    weights. Per triangle: part. The charts cover all triangles."""

    def __init__(self):
        self.points, self.normals, self.open, self.along, self.weights = [], [], [], [], []
        self.tris, self.parts, self.charts = [], [], []

    def add(self, points, normals, sky, along, weights, charts):
        """Adds a part. charts: list of (part, triangles, chart coordinates); None if the caller creates
        them."""
        base = len(self.points)
        self.points += points
        self.normals += normals
        self.open += sky
        self.along += along
        self.weights += weights
        for part, chart_tris, flat in charts:
            start = len(self.tris)
            self.tris += [tuple(base + v for v in tri) for tri in chart_tris]
            self.parts += [part] * len(chart_tris)
            if flat:
                self.charts.append(atlas.Chart(list(range(start, len(self.tris))),
                                               {base + v: st for v, st in flat.items()},
                                               _DETAIL[part]))


# Joints that bend far, and the extent of their skin: edges form denser rings there.
_BENDS = ((J["upperarm_l"], 3.6), (J["forearm_l"], 3.0), (J["thigh_l"], 5.0), (J["shin_l"], 4.2))


def _target_length(p):
    """Returns the target edge length at p: short where the shape has detail or is prominent."""
    part = shape.part_at(p)
    bends = min(length(sub((p[0], abs(p[1]), p[2]), at)) / reach for at, reach in _BENDS)
    smooth = 0.6 + 0.4 * smoothstep(0.6, 1.5, bends)
    if part == "head":
        lips = smoothstep(4.5, 10.0, length(sub(p, _MOUTH)))
        socket = smoothstep(0.3, 3.0, abs(shape.eye_distance(*p)))
        cheek = 1.0 - 0.3 * smoothstep(9.5, 6.0, length(sub((p[0], abs(p[1]), p[2]), _CHEEK)))
        corner = 0.16 * smoothstep(2.2, 0.8, length(sub((p[0], abs(p[1]), p[2]), _CORNER)))
        return 0.57 - corner + 1.23 * lips * (0.3 + 0.7 * socket) * cheek
    if part == "arm":
        return smooth * (1.7 - 1.0 * smoothstep(13.0, 17.5, abs(p[1])))
    if part == "leg":
        return min(1.0 + 0.5 * smoothstep(2.5, 6.0, p[2]), 1.5 * smooth + 0.1)
    if part == "tail":
        return 1.34 + 0.9 * smoothstep(-30.0, -10.0, p[0])
    return 2.4 * smooth


def _vertex_normals(points, tris):
    total = [(0.0, 0.0, 0.0)] * len(points)
    for a, b, c in tris:
        n = cross(sub(points[b], points[a]), sub(points[c], points[a]))
        for v in (a, b, c):
            total[v] = add(total[v], n)
    return [unit(n) for n in total]


def _sky(points, normals):
    """Returns the ambient visibility of each vertex, occluded by the body and the eyes."""
    return [occlusion(shape.solid, add(p, scale(n, 0.08)), n, 7.0)
            for p, n in zip(points, normals)]


def _body(skin, coarse):
    points, tris = nets.polygonize(shape.body, (-40.0, 0.0, -1.5), (19.0, 25.0, 56.0), 0.6)
    points, tris = remesh.remesh(shape.body, points, tris, lambda p: coarse * _target_length(p))
    near = [set() for _ in points]
    for tri in tris:
        for v in tri:
            near[v].update(w for w in tri if w != v)
    near = [sorted(n) for n in near]
    center = [p[1] == 0.0 for p in points]
    normals = []
    for p, middle in zip(points, center):
        g = gradient(shape.body, p)
        normals.append(unit((g[0], 0.0, g[2]) if middle else g))
    weights = binding.skin_weights(points, near, center)
    middles = [scale(add(add(points[a], points[b]), points[c]), 1.0 / 3.0) for a, b, c in tris]
    parts = [shape.part_at(p) for p in middles]
    # Each chart needs the triangles of its part next to each other.
    order = sorted(range(len(tris)), key=lambda n: parts[n])
    tris, parts = [tris[n] for n in order], [parts[n] for n in order]
    skin.add(points, normals, _sky(points, normals), [0.0] * len(points), weights,
             [(part, [tris[n] for n in range(len(tris)) if parts[n] == part], None)
              for part in sorted(set(parts))])
    faces = [unit(cross(sub(points[b], points[a]), sub(points[c], points[a]))) for a, b, c in tris]
    skin.charts += atlas.project(points, tris, faces, parts, _DETAIL)


def _attach(skin, grown, parts, weigh):
    """Adds a loft; weigh(point, along) gives its weights, parts names its charts."""
    normals = _vertex_normals(grown.points, grown.tris)
    weights = [weigh(p, t) for p, t in zip(grown.points, grown.along)]
    charts = [(part, tris, flat) for part, (tris, flat) in zip(parts, grown.charts)]
    skin.add(grown.points, normals, _sky(grown.points, normals), grown.along, weights, charts)


def _ear(skin):
    knots = [(-0.6, 8.0, 46.2), J["ear_1_l"], J["ear_2_l"], J["ear_3_l"], AIM["ear_3_l"]]
    path = loft.curve(knots, 15)
    steps = [n / 15 for n in range(16)]
    wide = [loft.table((1.7, 1.9, 4.0, 4.9, 4.4, 3.0, 0.0), t) for t in steps]
    thick = [loft.table((1.5, 1.3, 0.9, 0.75, 0.65, 0.5, 0.0), t) for t in steps]
    cup = [loft.table((0.0, 0.3, 1.2, 1.6, 1.3, 0.6, 0.0), t) for t in steps]
    ear = loft.leaf(path, unit((1.0, 0.25, 0.1)), wide, thick, cup, 8)

    def weigh(_, t):
        return binding.along_chain(("head", "ear_1_l", "ear_2_l", "ear_3_l"),
                                   (0.12, 0.30, 0.55, 0.82), t)

    _attach(skin, ear, ("ear_in", "ear_out"), weigh)


def _horn(skin):
    path = loft.curve([(-0.6, 4.2, 50.0), (-2.2, 5.0, 53.2), (-4.6, 5.6, 55.6),
                       (-7.4, 5.8, 56.4)], 10)
    size = [loft.table((2.0, 1.8, 1.5, 1.15, 0.75, 0.0), n / 10) for n in range(11)]
    horn = loft.leaf(path, (0.0, 1.0, 0.15), size, size, [0.0] * 11, 5)
    _attach(skin, horn, ("horn", "horn"), lambda p, t: {"head": 1.0})


def fang():
    """Returns a small tooth that is visible below the upper lip."""
    path = loft.curve([(11.7, 3.7, 38.1), (12.15, 3.72, 37.0), (12.3, 3.6, 35.95)], 4)
    size = [loft.table((0.56, 0.34, 0.0), n / 4) for n in range(5)]
    return loft.leaf(path, (1.0, 0.3, 0.0), size, size, [0.0] * 5, 4)


def _thorns(skin):
    body_points, body_weights = list(skin.points), list(skin.weights)
    for root, tip, tall, thick in _THORNS:
        a, b = (root[0], 0.0, root[1]), (tip[0], 0.0, tip[1])
        # Leaning back: the tip bends toward the tail.
        bend = add(scale(add(a, b), 0.5), (0.5, 0.0, 0.25))
        path = loft.curve([a, bend, b], 5)
        steps = [n / 5 for n in range(6)]
        thorn = loft.blade(path, [thick * loft.table((1.0, 0.9, 0.6, 0.0), t) for t in steps],
                           [tall * loft.table((1.0, 0.85, 0.55, 0.0), t) for t in steps], 5)
        # A thorn moves rigidly with the skin at its root: it gets the weights of the
        # nearest vertex of the spine.
        nearest = min((v for v in range(len(body_points)) if body_points[v][1] == 0.0),
                      key=lambda v: length(sub(body_points[v], a)))
        even = body_weights[nearest]
        _attach(skin, thorn, ("thorn",), lambda p, t, w=even: dict(w))


def _fin(skin):
    """Adds the fin of the tail, a spade that faces forwards and backwards, so that it is visible over the
    shoulder. It begins inside the tail and leaves it by a rim that sticks out on all sides."""
    a, tip = J["tail_fin"], AIM["tail_fin"]
    path = loft.curve([(a[0] + 0.1, 0.0, a[2] - 1.6), a, (a[0] - 0.1, 0.0, a[2] + 4.0),
                       (tip[0], 0.0, tip[2] + 3.5)], 10)
    steps = [n / 10 for n in range(11)]
    fin = loft.blade(path, [loft.table((0.9, 2.3, 5.0, 6.0, 4.8, 2.5, 0.0), t) for t in steps],
                     [loft.table((0.9, 2.1, 1.3, 0.9, 0.7, 0.45, 0.0), t) for t in steps], 12)

    def weigh(_, t):
        return binding.along_chain(("tail_6", "tail_fin"), (0.05, 0.45), t)

    _attach(skin, fin, ("fin",), weigh)


def _lids(skin):
    for upper, joint in ((True, "lid_upper_l"), (False, "lid_lower_l")):
        points, along, tris, flat = face.lid(upper)
        normals = [unit(sub(p, shape.EYE)) for p in points]
        skin.add(points, normals, [0.95] * len(points), along, [{joint: 1.0}] * len(points),
                 [("lid", tris, flat)])


def half_skin(coarse=1.0, horns=True):
    """Returns the left half. coarse: length of the body's edges, relative to Bobbin's."""
    skin = Skin()
    _body(skin, coarse)
    _thorns(skin)
    _fin(skin)
    _ear(skin)
    if horns:
        _horn(skin)
    _attach(skin, fang(), ("fang", "fang"), lambda p, t: {"head": 1.0})
    _lids(skin)
    return skin

"""Simplifies a dense half mesh to given edge lengths, with well-shaped triangles.

Short edges collapse first (shortest relative to the target), edges flip toward six neighbors
per vertex, and vertices slide along the surface to the mean of their neighbors. Vertices with
y == 0 lie in the mirror plane and never leave it."""

import heapq

from kit.field import gradient
from kit.maths import add, cross, dot, length, mix, scale, sub, unit


def pull(field, p, steps):
    """Returns a point that is moved onto the surface by Newton steps along the gradient."""
    for _ in range(steps):
        d = field(*p)
        g = gradient(field, p)
        size = dot(g, g)
        if size < 1e-6:
            break
        move = max(-0.6, min(0.6, d / size))
        p = (p[0] - g[0] * move, p[1] - g[1] * move, p[2] - g[2] * move)
    return p


class _Mesh:
    def __init__(self, points, tris):
        self.points = list(points)
        self.tris = dict(enumerate(tris))
        self.around = [set() for _ in points]
        for n, tri in self.tris.items():
            for v in tri:
                self.around[v].add(n)

    def near(self, v):
        found = set()
        for n in self.around[v]:
            found.update(self.tris[n])
        found.discard(v)
        return found

    def shared(self, a, b):
        return self.around[a] & self.around[b]

    def face(self, tri):
        a, b, c = (self.points[v] for v in tri)
        return cross(sub(b, a), sub(c, a))

    def replace(self, n, tri):
        for v in self.tris[n]:
            self.around[v].discard(n)
        self.tris[n] = tri
        for v in tri:
            self.around[v].add(n)

    def remove(self, n):
        for v in self.tris.pop(n):
            self.around[v].discard(n)

    def edges(self):
        found = set()
        for a, b, c in self.tris.values():
            found.update(((min(a, b), max(a, b)), (min(b, c), max(b, c)), (min(a, c), max(a, c))))
        return sorted(found)


def _meeting(mesh, a, b):
    """Returns the point to which edge ab may collapse, or None if that would damage the surface."""
    pa, pb = mesh.points[a], mesh.points[b]
    rim_a, rim_b = pa[1] == 0.0, pb[1] == 0.0
    shared = mesh.shared(a, b)
    on_rim = rim_a and rim_b
    if len(shared) != (1 if on_rim else 2) or len(mesh.near(a) & mesh.near(b)) != len(shared):
        return None
    goal = mix(pa, pb, 0.5) if rim_a == rim_b else pa if rim_a else pb
    for v in (a, b):
        for n in mesh.around[v] - shared:
            tri = mesh.tris[n]
            corners = [goal if w == v else mesh.points[w] for w in tri]
            after = cross(sub(corners[1], corners[0]), sub(corners[2], corners[0]))
            if dot(unit(mesh.face(tri)), unit(after)) < 0.5:
                return None
    return goal


def _collapse(mesh, target_length):
    def ratio(a, b):
        pa, pb = mesh.points[a], mesh.points[b]
        return length(sub(pa, pb)) / target_length(mix(pa, pb, 0.5))

    heap = [(ratio(a, b), a, b) for a, b in mesh.edges()]
    heapq.heapify(heap)
    while heap:
        size, a, b = heapq.heappop(heap)
        if size > 0.78:
            break
        if not mesh.shared(a, b) or abs(ratio(a, b) - size) > 1e-9:
            continue
        goal = _meeting(mesh, a, b)
        if goal is None:
            continue
        for n in mesh.shared(a, b):
            mesh.remove(n)
        for n in list(mesh.around[b]):
            mesh.replace(n, tuple(a if v == b else v for v in mesh.tris[n]))
        mesh.points[a] = goal
        for v in sorted(mesh.near(a)):
            heapq.heappush(heap, (ratio(*sorted((a, v))),) + tuple(sorted((a, v))))


def _flip(mesh):
    def spare(v):
        return len(mesh.near(v)) - (4 if mesh.points[v][1] == 0.0 else 6)

    for a, b in mesh.edges():
        shared = sorted(mesh.shared(a, b))
        if len(shared) != 2:
            continue
        first, second = mesh.tris[shared[0]], mesh.tris[shared[1]]
        at = first.index(a)
        if first[(at + 1) % 3] != b:
            first, second = second, first
            shared.reverse()
        c = next(v for v in first if v not in (a, b))
        d = next(v for v in second if v not in (a, b))
        if mesh.shared(c, d):
            continue
        cost = spare(a) ** 2 + spare(b) ** 2 + spare(c) ** 2 + spare(d) ** 2
        flipped_cost = ((spare(a) - 1) ** 2 + (spare(b) - 1) ** 2 + (spare(c) + 1) ** 2
                        + (spare(d) + 1) ** 2)
        if flipped_cost >= cost:
            continue
        new_first, new_second = (a, d, c), (d, b, c)
        up = unit(add(unit(mesh.face(first)), unit(mesh.face(second))))
        if min(dot(unit(mesh.face(new_first)), up), dot(unit(mesh.face(new_second)), up)) < 0.75:
            continue
        mesh.replace(shared[0], new_first)
        mesh.replace(shared[1], new_second)


def _slide(mesh, field, steps, vertices=None, amount=0.6):
    moved = {}
    for v in range(len(mesh.points)) if vertices is None else vertices:
        p = mesh.points[v]
        near = sorted(mesh.near(v))
        if not near:
            continue
        rim = p[1] == 0.0
        total, count = (0.0, 0.0, 0.0), 0
        for neighbor in near:
            # A neighbor outside of the mirror plane has a mirrored twin.
            twin = 2 if rim and mesh.points[neighbor][1] != 0.0 else 1
            total = add(total, scale(mesh.points[neighbor], twin))
            count += twin
        p = mix(p, scale(total, 1.0 / count), amount)
        p = pull(field, (p[0], 0.0, p[2]) if rim else p, steps)
        moved[v] = (p[0], 0.0 if rim else max(p[1], 1e-4), p[2])
    for v, p in moved.items():
        mesh.points[v] = p


def _unfold(mesh, field):
    """Repairs triangles that face into the body: their corners move to the mean of their
    neighbors."""
    for _ in range(12):
        folded = set()
        for n in sorted(mesh.tris):
            corners = [mesh.points[v] for v in mesh.tris[n]]
            middle = scale(add(add(corners[0], corners[1]), corners[2]), 1.0 / 3.0)
            if dot(unit(mesh.face(mesh.tris[n])), unit(gradient(field, middle))) < 0.3:
                folded.update(mesh.tris[n])
        if not folded:
            return
        _slide(mesh, field, 2, sorted(folded), 0.9)


def remesh(field, points, tris, target_length):
    """Returns the points and triangles of a mesh with edges of suitable lengths. target_length(p) is the
    target length of edges at p."""
    mesh = _Mesh(points, tris)
    _slide(mesh, field, 2)
    for _ in range(3):
        _collapse(mesh, target_length)
        _flip(mesh)
        _slide(mesh, field, 2)
    _flip(mesh)
    _slide(mesh, field, 4)
    _unfold(mesh, field)
    used = sorted({v for tri in mesh.tris.values() for v in tri})
    renumber = {v: n for n, v in enumerate(used)}
    return ([mesh.points[v] for v in used],
            [tuple(renumber[v] for v in mesh.tris[n]) for n in sorted(mesh.tris)])

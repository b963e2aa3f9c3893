#!/usr/bin/env python3
"""Generates the scene of Bobbin's home: three rocks, a line of dunes behind them, a static Tendril, and a
lantern in the sand with its light on the ground. One joint: nothing moves. All colors are strips of one
small texture, in which the coordinate of a vertex is its brightness under constant light: the scene needs
no lighting when it is drawn.

    python3 models/make_place.py [FOLDER]    writes the files (default: models/place)
    python3 models/make_place.py --check     regenerates and compares with models/place"""

import math
import os
import sys

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

from kit import bake, md5, png, program  # noqa: E402
from kit.maths import add, clamp01, cross, dot, mix, rotate, scale, smoothstep, sub, euler, unit  # noqa: E402
from kit.noise import value  # noqa: E402
from kit.read import Anim, Mesh  # noqa: E402

COMMAND = "make_place.py"
TEXELS = 32
SUN = unit((0.35, -0.55, 0.75))     # direction to the sun, as the key light of most shots

# Strips of the texture, by their middle: from dark to light; true if they are lit.
LIT, GLOWS = True, False
STRIPS = (("rock", (72, 56, 58), (176, 126, 98), LIT), ("dune", (198, 150, 108), (171, 124, 96), GLOWS),
          ("stalk", (58, 112, 104), (250, 206, 162), LIT), ("leaf", (22, 62, 40), (110, 170, 96), LIT),
          ("metal", (44, 40, 48), (190, 146, 84), LIT), ("glass", (255, 170, 70), (255, 236, 180), GLOWS))
NAMES = [strip[0] for strip in STRIPS]

# Positions as the introduction shows them, rotation in degrees, and size.
ROCKS = ((-205.0, -160.0, 44.0, 150.0), (-172.0, 74.0, 30.0, 10.0), (-44.0, 138.0, 13.0, 70.0))
TENDRIL, TENDRIL_SIZE = (-100.0, -140.0, 0.0), 1.15
LANTERN, LANTERN_SIZE, LANTERN_YAW = (-84.0, 62.0, 0.0), 2.3, 200.0
DUNES = 395.0       # distance


class Part:
    """Collects points, texture positions and counter-clockwise triangles."""

    def __init__(self):
        self.points, self.uvs, self.tris = [], [], []

    def add_vertex(self, point, strip, light):
        self.points.append(point)
        self.uvs.append((light, (NAMES.index(strip) + 0.5) / 8.0))
        return len(self.points) - 1

    def light_up(self):
        """Converts the vertices' own brightness to their brightness under light."""
        sides = [(0.0, 0.0, 0.0)] * len(self.points)
        for tri in self.tris:
            a, b, c = (self.points[v] for v in tri)
            side = cross(sub(b, a), sub(c, a))
            for v in tri:
                sides[v] = add(sides[v], side)
        for n, (light, strip) in enumerate(self.uvs):
            if STRIPS[int(8.0 * strip)][3]:
                light *= 0.1 + 1.3 * (0.5 + 0.5 * dot(unit(sides[n]), SUN)) ** 2.2
            self.uvs[n] = (0.04 + 0.92 * clamp01(light), strip)


def rock(part, x, y, size, seed):
    """Adds a sphere of squares, pushed in and out, flat below."""
    vertices_in_group, columns = 9, 14
    first = len(part.points)
    for row in range(vertices_in_group + 1):
        for column in range(columns):
            up = 0.5 * math.pi * (row / vertices_in_group) ** 0.8
            around = 2.0 * math.pi * (column + 0.5 * (row % 2)) / columns
            direction = (math.cos(up) * math.cos(around), math.cos(up) * math.sin(around), math.sin(up))
            spot = scale(direction, 1.7)
            bulge = 0.62 + 0.6 * value(spot[0] + seed, spot[1], spot[2]) \
                + 0.28 * value(2.6 * spot[0] + seed, 2.6 * spot[1], 2.6 * spot[2] + 7.0)
            layers = 0.07 * math.sin(11.0 * direction[2] + seed)
            at = (x + size * direction[0] * (bulge + layers),
                  y + 1.25 * size * direction[1] * (bulge + layers),
                  size * 0.95 * direction[2] * bulge - 0.06 * size)
            light = 0.55 + 0.7 * value(4.0 * spot[0], 4.0 * spot[1] + seed, 9.0 * direction[2])
            part.add_vertex(at, "rock", light)
    for row in range(vertices_in_group):
        for column in range(columns):
            a, b = first + row * columns + column, first + row * columns + (column + 1) % columns
            c, d = a + columns, b + columns
            part.tris += [(a, b, d), (a, d, c)] if row % 2 else [(a, b, c), (b, d, c)]


def dunes(part):
    """Adds two ridges, the nearer one lower; they glow like the haze in front of them."""
    for far, height, light, seed in ((DUNES, 26.0, 0.0, 3.0), (DUNES - 40.0, 15.0, 0.9, 40.0)):
        last = None
        for n in range(-8, 65):     # their ends are beside or behind the viewer
            angle = math.radians(90.0 + 3.75 * n)
            crest = height * (0.25 + 1.1 * value(0.22 * n + seed, 0.5, 1.0)) \
                * smoothstep(-8.0, 0.0, n) * smoothstep(64.0, 56.0, n)
            x, y = far * math.cos(angle), far * math.sin(angle)
            pair = (part.add_vertex((x, y, -3.0), "dune", 0.35),
                    part.add_vertex((x, y, crest), "dune", light))
            if last is not None:
                part.tris += [(last[0], last[1], pair[1]), (last[0], pair[1], pair[0])]
            last = pair


def posed(mesh, clip, frame):
    """Returns the positions of all vertices, for each mesh, and of the joints, in a frame of a clip."""
    names = [joint[0] for joint in mesh.joints]
    found = clip.posed(frame)
    joints_posed = [found[clip.names.index(name)] for name in names]
    points = [[mesh.position(vertex, joints_posed) for vertex in mesh_vertices]
              for mesh_vertices in mesh.vertices]
    return points, dict(zip(names, joints_posed))


def color_at(image, uv):
    width, height, channels, pixels = image
    x, y = int(uv[0] * width) % width, int(uv[1] * height) % height
    at = (y * width + x) * channels
    return [c / 255.0 for c in pixels[at:at + 3]]


def add_mesh(part, points, uvs, tris, cell, strip_and_light):
    """Adds a mesh. Merges vertices that face the same side and are in the same cube of size `cell`.
    strip_and_light(uv) returns a vertex's strip and brightness."""
    sides = [(0.0, 0.0, 0.0)] * len(points)
    for tri in tris:
        a, b, c = (points[v] for v in tri)
        side = cross(sub(c, a), sub(b, a))
        for v in tri:
            sides[v] = add(sides[v], side)
    group_by_vertex, groups = {}, {}
    for v, point in enumerate(points):
        strip, light = strip_and_light(uvs[v])
        largest = max(range(3), key=lambda k: abs(sides[v][k]))
        key = (strip, largest, sides[v][largest] > 0.0) + tuple(math.floor(c / cell) for c in point)
        groups.setdefault(key, []).append((point, light))
        group_by_vertex[v] = key
    vertex_by_group = {}
    for key, vertices_in_group in groups.items():
        count = len(vertices_in_group)
        middle = tuple(sum(point[k] for point, _ in vertices_in_group) / count for k in range(3))
        brightness = sum(light for _, light in vertices_in_group) / count
        vertex_by_group[key] = part.add_vertex(middle, key[0], brightness)
    added = set()
    for tri in tris:
        new = tuple(vertex_by_group[group_by_vertex[v]] for v in reversed(tri))
        if len(set(new)) == 3 and new not in added:
            added |= {new, new[1:] + new[:1], new[2:] + new[:2]}
            part.tris.append(new)


def tendril(part):
    folder = os.path.join(FOLDER, "tendril")
    mesh, clip = Mesh(os.path.join(folder, "tendril.md5mesh")), Anim(os.path.join(folder, "sway.md5anim"))
    image = png.read(os.path.join(folder, "tendril.png"))
    points, _ = posed(mesh, clip, 30)
    for mesh_index, strip in ((0, "leaf"), (1, "stalk")):
        def strip_and_light(uv, strip=strip):
            return strip, 1.7 * sum(color_at(image, uv)) / 3.0 - 0.1
        moved = [add(TENDRIL, scale(rotate(euler(yaw=60.0), p), TENDRIL_SIZE)) for p in points[mesh_index]]
        add_mesh(part, moved, mesh.uvs[mesh_index], mesh.tris[mesh_index], 3.4, strip_and_light)


def lantern(part):
    """Adds the lantern. Returns the position of its light."""
    folder = os.path.join(FOLDER, "lantern")
    mesh, clip = Mesh(os.path.join(folder, "lantern.md5mesh")), Anim(os.path.join(folder, "swing.md5anim"))
    points, joints_posed = posed(mesh, clip, 0)
    image = png.read(os.path.join(folder, "lantern.png"))

    def strip_and_light(uv):
        light = sum(color_at(image, uv)) / 3.0
        return ("glass", uv[1]) if uv[0] > 0.75 else ("metal", 1.4 * light - 0.2)

    def to_scene(p):
        return add(LANTERN, scale(rotate(euler(yaw=LANTERN_YAW), p), LANTERN_SIZE))
    add_mesh(part, [to_scene(p) for p in points[0]], mesh.uvs[0], mesh.tris[0], 0.8, strip_and_light)
    return to_scene(joints_posed["lamp"][0])


def ground_rectangle(part, x, y, width, depth, height):
    """Adds a rectangle on the ground, on which a soft round spot is drawn."""
    first = len(part.points)
    for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        part.points.append((x + width * s, y + depth * t, height))
        part.uvs.append((0.5 + 0.5 * s, 0.5 + 0.5 * t))
    part.tris += [(first, first + 1, first + 2), (first, first + 2, first + 3)]


def spot(s, t):
    """Returns the brightness of a soft round spot."""
    return (255.0 * smoothstep(1.0, 0.0, math.hypot(s, t)) ** 1.5,) * 3


def strips(s, t):
    mesh_index = min(int(4.0 * (t + 1.0)), len(STRIPS) - 1)
    return mix(STRIPS[mesh_index][1], STRIPS[mesh_index][2], 0.5 + 0.5 * s)


def generate(folder):
    to_scene, shade, light = Part(), Part(), Part()
    for x, y, size, seed in ROCKS:
        ground_rectangle(shade, x - 0.1 * size, y + 0.25 * size, 1.9 * size, 2.2 * size, 0.15)
    dunes(to_scene)        # farthest first: see view_draw_scenery() of the viewer
    for x, y, size, seed in ROCKS:
        rock(to_scene, x, y, size, seed)
    tendril(to_scene)
    lamp = lantern(to_scene)
    to_scene.light_up()
    ground_rectangle(shade, TENDRIL[0], TENDRIL[1], 34.0, 34.0, 0.1)
    ground_rectangle(light, lamp[0], lamp[1], 70.0, 70.0, 0.2)
    weights = [("origin", 1.0)]
    meshes = [md5.Mesh(name, "models/place/" + name, part.points, part.uvs, part.tris,
                       [weights] * len(part.points))
              for name, part in (("desert", to_scene), ("shade", shade), ("light", light))]
    png.write(os.path.join(folder, "desert.png"), TEXELS, TEXELS, bake.flat_texture(TEXELS, strips))
    png.write(os.path.join(folder, "spot.png"), TEXELS, TEXELS, bake.flat_texture(TEXELS, spot))
    program.save(folder, "desert.md5mesh",
                 md5.mesh_text(COMMAND, [("origin", -1, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, -1.0))], meshes))
    return "%d vertices, %d triangles" % (sum(len(m.points) for m in meshes),
                                          sum(len(m.tris) for m in meshes))


if __name__ == "__main__":
    sys.exit(program.run(sys.argv[1:], os.path.join(FOLDER, "place"), generate, __doc__))

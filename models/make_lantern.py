#!/usr/bin/env python3
"""Generates a lantern on a stick, for a hand: the root joint is at the position of the fist, with x along the
stick toward the thumb. If it is attached to Bobbin's joint `prop_l` or `prop_r`, the stick is in his fist. In
its clip it stands upright without a hand.

    python3 models/make_lantern.py [FOLDER]    writes the files (default: models/lantern)
    python3 models/make_lantern.py --check     regenerates and compares with models/lantern"""

import math
import os
import sys

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

from kit import bake, lathe, loft, md5, png, program, rig  # noqa: E402
from kit.curves import wave  # noqa: E402
from kit.maths import smoothstep  # noqa: E402
from kit.noise import value  # noqa: E402

NAME = "lantern"
COMMAND = "make_lantern.py"
SHADER = "models/lantern/lantern"
TEXELS = 256
RATE, FRAMES = 24, 48
UPRIGHT, FOOT = -90.0, 3.4  # rotation of the stick, degrees; distance from the fist to its lower end

_HOOK, _RING, _LAMP = (11.2, 0.0, 0.0), (12.4, 0.0, -4.8), (10.9, 0.0, -4.8)


class Joint:
    def __init__(self, name, parent, bind):
        self.name, self.parent, self.bind = name, parent, bind
        # All joints are alike: hanging parts have their x axis upwards, along the stick.
        self.axis, self.up = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


JOINTS = (Joint("grip", None, (0.0, 0.0, 0.0)), Joint("hook", "grip", _HOOK),
          Joint("ring", "hook", _RING), Joint("lamp", "ring", _LAMP))

# Strips of the texture, left to right: (u0, v0, u1, v1).
WOOD, METAL = (0.02, 0.02, 0.23, 0.98), (0.27, 0.02, 0.48, 0.98)
CAP, GLASS = (0.52, 0.02, 0.73, 0.98), (0.77, 0.02, 0.98, 0.98)


def _down(profile):
    """Returns a path down from the lamp's joint, and its radii, from (depth, radius) pairs."""
    return [(_LAMP[0] - depth, 0.0, _LAMP[2]) for depth, _ in profile], [r for _, r in profile]


def _parts():
    """Yields (joint, path, radii, columns, strip) for each part."""
    stick = [(x, 0.0, 0.12 * math.sin(0.5 * x)) for x in (-3.4, -3.2, -2.0, 0.0, 3.0, 6.0, 9.0,
                                                          11.3, 11.6)]
    yield "grip", stick, [0.0, 0.5, 0.46, 0.42, 0.44, 0.4, 0.38, 0.36, 0.0], 8, WOOD
    for end in (-3.0, 10.6):
        yield "grip", [(end + x, 0.0, 0.12 * math.sin(0.5 * end)) for x in (-0.3, -0.3, 0.3, 0.3)], \
            [0.0, 0.62, 0.62, 0.0], 10, METAL
    hook = loft.curve([(10.9, 0.0, -0.2), (12.5, 0.0, -1.3), (13.3, 0.0, -3.2), (12.5, 0.0, -4.8),
                       (11.6, 0.0, -4.4)], 12)
    yield "hook", hook, [0.0] + [0.26 - 0.008 * n for n in range(11)] + [0.0], 6, METAL
    rotations = [2.0 * math.pi * n / 12 for n in range(13)]
    ring = [(11.55 + 0.85 * math.cos(a), 0.0, _RING[2] + 0.85 * math.sin(a)) for a in rotations]
    yield "ring", ring, [0.13] * 13, 6, METAL
    path, radii = _down([(0.0, 0.0), (0.0, 0.3), (0.35, 0.5), (0.6, 1.1), (1.1, 1.9), (1.35, 2.0),
                         (1.45, 1.75), (1.45, 0.0)])
    yield "lamp", path, radii, 12, CAP
    path, radii = _down([(1.4, 0.0), (1.4, 1.25), (2.0, 1.55), (3.2, 1.7), (4.4, 1.55), (5.0, 1.25),
                         (5.0, 0.0)])
    yield "lamp", path, radii, 12, GLASS
    path, radii = _down([(4.95, 0.0), (4.95, 1.7), (5.15, 1.85), (5.5, 1.8), (5.8, 1.2), (5.9, 0.0)])
    yield "lamp", path, radii, 12, CAP
    for n in range(4):
        # Bars that guard the glass.
        rotation = 0.5 * math.pi * (n + 0.5)
        yield "bar", rotation, None, 5, METAL


def _bar(rotation):
    """Returns a bar beside the glass: a tube in the plane, rotated about the lamp's axis."""
    profile = [(1.35, 1.72), (1.35, 1.72), (2.2, 1.95), (3.2, 2.02), (4.2, 1.95), (5.05, 1.72),
               (5.05, 1.72)]
    path = [(_LAMP[0] - depth, 0.0, reach) for depth, reach in profile]
    points, uvs, tris = lathe.tube(path, [0.0] + [0.14] * 5 + [0.0], 5, METAL)
    c, s = math.cos(rotation), math.sin(rotation)
    return [(x, y * c - z * s, y * s + z * c + _LAMP[2]) for x, y, z in points], uvs, tris


def mesh():
    points, uvs, tris, weights = [], [], [], []
    for joint, path, radii, columns, strip in _parts():
        base = len(points)
        if joint == "bar":
            joint = "lamp"
            new_points, new_uvs, new_tris = _bar(path)
        else:
            new_points, new_uvs, new_tris = lathe.tube(path, radii, columns, strip, radii[0] == 0.0)
        points += new_points
        uvs += new_uvs
        tris += [tuple(base + v for v in tri) for tri in new_tris]
        weights += [[(joint, 1.0)]] * len(new_points)
    return md5.Mesh(NAME, SHADER, points, uvs, tris, weights)


def color(s, t):
    """Returns the color of the strips: wood, metal, the cap's paint, glass."""
    u, v = 0.5 + 0.5 * s, 0.5 + 0.5 * t
    grain = value(40.0 * u, 3.0 * v, 1.0)
    if u < 0.25:
        ring = value(9.0 * u, 24.0 * v, 5.0)
        return tuple(c * (0.72 + 0.26 * grain + 0.14 * ring) for c in (148, 96, 58))
    if u < 0.5:
        return tuple(c * (0.80 + 0.25 * value(22.0 * u, 30.0 * v, 7.0)) for c in (186, 146, 82))
    if u < 0.75:
        return tuple(c * (0.86 + 0.16 * grain) for c in (62, 78, 118))
    heart = 1.0 - abs(2.0 * v - 1.0)
    return (255, 196 + 52 * heart, 96 + 120 * smoothstep(0.2, 1.0, heart))


def shine(s, t):
    u = 0.5 + 0.5 * s
    return 40 if u < 0.25 else 190 if u < 0.5 else 96 if u < 0.75 else 220


def glow(s, t):
    """Returns the light emission: only the glass."""
    u, v = 0.5 + 0.5 * s, 0.5 + 0.5 * t
    if u < 0.75:
        return (0, 0, 0)
    heart = 1.0 - abs(2.0 * v - 1.0)
    return tuple(c * (0.35 + 0.65 * heart) for c in (255, 190, 92))


def _pose(bones, phase):
    """Poses the lantern: without a hand it stands on the end of its stick, which is along x in the bind pose
    for a hand."""
    pose = rig.Pose(bones)
    pose.rotate("grip", pitch=UPRIGHT)
    pose.move("grip", z=FOOT)
    # The path of the lamp is a figure of eight. At frame 0, which make_place.py uses, no part swings to
    # the side.
    aside = wave(phase, 2)
    pose.rotate("ring", pitch=8.0 * wave(phase), yaw=3.5 * aside)
    pose.rotate("lamp", pitch=5.0 * wave(phase, 1, 0.10) + 2.0 * wave(phase, 2, 0.05), yaw=2.5 * aside)
    return pose


def generate(folder):
    bones = rig.Skeleton(JOINTS)
    lantern = mesh()
    for suffix, paint in (("", color), ("_add", glow)):
        png.write(os.path.join(folder, NAME + suffix + ".png"), TEXELS, TEXELS,
                  bake.flat_texture(TEXELS, paint))
    gray = bake.flat_texture(64, lambda s, t: (shine(s, t),) * 3)[::3]
    png.write(os.path.join(folder, NAME + "_s.png"), 64, 64, gray, 1)
    program.save(folder, NAME + ".md5mesh", md5.mesh_text(COMMAND, bones.file_joints(), [lantern]))
    bounds, frames, boxes = rig.Bounds(bones, [lantern]), [], []
    for n in range(FRAMES + 1):
        positions, rotations = _pose(bones, n % FRAMES / FRAMES).solve()
        frames.append(rig.local_frames(bones, positions, rotations))
        boxes.append(bounds.compute(positions, rotations))
    program.save(folder, "swing.md5anim",
                 md5.anim_text(COMMAND, bones.file_joints(), RATE, frames, boxes))
    return "%d joints, %d vertices, %d triangles" % (len(JOINTS), len(lantern.points), len(lantern.tris))


if __name__ == "__main__":
    sys.exit(program.run(sys.argv[1:], os.path.join(FOLDER, NAME), generate, __doc__))

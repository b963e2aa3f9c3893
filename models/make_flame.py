#!/usr/bin/env python3
"""Generates a burst of fire that is attached to a head: puffs of light with two joints each. A puff is a
quad that its material rotates toward the viewer: its width is the distance of its joints, and it is invisible
while they are at one point. Puffs that have left the mouth stay in world space: their clip compensates the
movement of the head in Bobbin's sneeze. The burst leaves soot on Bobbin's nose: copies of the skin there
(of models/bobbin). While a copy is hidden, it is inside the head and collapsed to a line, so that the burst
also looks right without Bobbin.

    python3 models/make_flame.py [FOLDER]    writes the files (default: models/flame)
    python3 models/make_flame.py --check     regenerates and compares with models/flame"""

import math
import os
import sys

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

from kit import bake, md5, png, program, rig  # noqa: E402
from kit.maths import add, conj, rotate, scale, smoothstep, sub, unit  # noqa: E402
from kit.noise import hash3, value  # noqa: E402
from kit.read import Anim, Mesh  # noqa: E402

NAME = "flame"
COMMAND = "make_flame.py"
TEXELS = 64
RATE, FRAMES, EVENT = 30, 24, 38        # the frame of Bobbin's sneeze with the event that starts it
MOUTH, NOSE = (11.5, 0.0, 2.4), (12.5, 0.0, 4.4)     # from Bobbin's joint head
SOOT, HIDDEN = (14.0, 0.2, 5.5), -5.0
# Puffs that remain small and rise after the fire. Each entry contains the seconds after the event at which
# the puff appears and disappears, its speed, the fractions of the speed to the left and up, the speed at
# which it rises, and its size. The puffs are neither in a line nor equally large.
EMBERS = {12: (0.12, 0.66, 215.0, -0.24, 0.02, 58.0, 2.0), 18: (0.15, 0.79, 150.0, 0.26, 0.36, 24.0, 1.5),
          24: (0.18, 0.80, 140.0, -0.05, -0.02, 96.0, 2.4), 27: (0.22, 0.74, 75.0, 0.34, 0.42, 66.0, 1.7)}
END = 0.54      # seconds after the event at which the other fire has disappeared
# Layers of soot: radius, and seconds after which the layer disappears. Many layers make the soot fade
# gradually. Each layer is displaced and rotated a little, so that the soot is a smudge and not a disc.
LAYERS = tuple((4.7 - 0.2 * n, 2.5 + 0.5 * n) for n in range(10))
SOOT_RATE, SOOT_SECONDS = 2, 7
_SPRITE = 0.75 * 0.707          # half the side of a sprite, of its joints' distance


class Head:
    """The joint head in Bobbin's sneeze: its position `t` seconds after the event."""

    def __init__(self):
        self.clip = Anim(os.path.join(FOLDER, "bobbin", "sneeze.md5anim"))
        self.joint = self.clip.names.index("head")

    def at(self, t):
        frame = min(EVENT + t * self.clip.rate, len(self.clip.frames) - 1)
        return self.clip.posed(frame)[self.joint]


HEAD = Head()


class Puff:
    """One puff: begins at `start` and moves with `velocity` (units per second), both relative to the head at
    its birth; decelerates, and drifts up."""

    def __init__(self, kind, index, born, life, start, velocity, brake, rise, size):
        self.kind, self.index, self.born, self.life = kind, index, born, life
        self.start, self.velocity, self.brake, self.rise, self.size = start, velocity, brake, rise, size

    def at(self, t):
        """Returns (position relative to the current head, half its side)."""
        age = t - self.born
        if age <= 0.0 or age >= self.life:
            return self.start, 0.0
        gone = (1.0 - math.exp(-self.brake * age)) / self.brake
        age_fraction = age / self.life
        size = self.size * (0.35 + 0.65 * age_fraction ** 0.6) * smoothstep(1.0, 0.55, age_fraction)
        (mouth, facing), (head_position, rotation) = HEAD.at(self.born), HEAD.at(t)
        left = add(mouth, rotate(facing, add(self.start, scale(self.velocity, gone))))
        return rotate(conj(rotation), sub(add(left, (0.0, 0.0, self.rise * age * age)), head_position)), size


def _any(index, channel):
    return 2.0 * hash3(index, 31 * channel, 7) - 1.0


def _puffs():
    out = []
    for index in range(30):
        # The first puffs are the fastest, so that the burst stretches; hot puffs are inside and disappear
        # soon.
        hot = index % 3 == 0
        born = 0.07 + 0.20 * index / 29.0
        ahead = unit((1.0, 0.15 * _any(index, 1), 0.16 + 0.13 * _any(index, 2)))
        speed = (258.0 - 330.0 * born) * (0.86 + 0.14 * _any(index, 3))
        life = min((0.21 if hot else 0.40) * (1.0 + 0.2 * _any(index, 4)),
                   END - 0.05 * (index % 4) - born)
        size = (3.4 if hot else 6.6) * (1.0 + 0.25 * _any(index, 5))
        if index in EMBERS:
            born, gone, speed, aside, up, rise, size = EMBERS[index]
            velocity = scale(unit((1.0, aside, up)), speed)
            out.append(Puff("ember", index, born, gone - born, MOUTH, velocity, 5.5, rise, size))
            continue
        out.append(Puff("hot" if hot else "fire", index, born, life, MOUTH, scale(ahead, speed), 5.5,
                        26.0, size))
    for index in range(30, 38):
        side = _any(index, 1)
        # The puff disappears before it would be a smudge in front of the forehead.
        out.append(Puff("smoke", index, 0.17 + 0.03 * (index - 30), 0.33 + 0.04 * _any(index, 4),
                        add(NOSE, (0.0, 1.1 * (-1.0) ** index, 0.0)), (22.0, 9.0 * side, 16.0), 2.2, 12.0,
                        3.4 * (1.0 + 0.2 * _any(index, 5))))
    return out


PUFFS = _puffs()
KINDS = ("fire", "ember", "hot", "smoke")


class Joint:
    def __init__(self, name, parent, bind):
        self.name, self.parent, self.bind = name, parent, bind
        self.axis, self.up = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def joints():
    """Returns the joints. The bind pose shows the puffs in a row."""
    out = [Joint("origin", None, (0.0, 0.0, 0.0))]
    out += [Joint("soot_%d" % n, "origin", SOOT) for n in range(len(LAYERS))]
    for puff in PUFFS:
        middle = (14.0 + 1.2 * puff.index, 0.0, 2.4)
        out += [Joint("puff_%d" % puff.index, "origin", middle),
                Joint("edge_%d" % puff.index, "origin", add(middle, (0.0, 1.0, 1.0)))]
    return out


def mesh(kind, bones):
    """Returns a mesh. Three corners are on one joint, so close that nothing is visible if the other joint is
    there."""
    points, uvs, tris, weights = [], [], [], []
    for puff in PUFFS:
        if puff.kind != kind:
            continue
        base, near = len(points), bones.position[bones.index["puff_%d" % puff.index]]
        corners = ((0.0, 1.0, 1.0), (0.0, -0.004, 0.004), (0.0, -0.004, -0.004), (0.0, 0.004, -0.004))
        points += [add(near, corner) for corner in corners]
        uvs += [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
        tris += [(base, base + 1, base + 2), (base, base + 2, base + 3)]
        weights += [[("edge_%d" % puff.index, 1.0)]] + [[("puff_%d" % puff.index, 1.0)]] * 3
    return md5.Mesh(kind, "models/flame/" + kind, points, uvs, tris, weights)


def soot():
    """Returns Bobbin's skin near the nose, relative to the joint head, moved slightly forward. Half of the
    weight of each vertex is on a joint that does not move: see hide()."""
    skin = Mesh(os.path.join(FOLDER, "bobbin", "bobbin.md5mesh"))
    posed = [joint[2:] for joint in skin.joints]
    head = next(joint[2] for joint in skin.joints if joint[0] == "head")
    places = [sub(skin.position(vertex, posed), head) for vertex in skin.vertices[0]]
    points, uvs, tris, weights = [], [], [], []
    for index, (radius, _) in enumerate(LAYERS):
        middle = add(SOOT, (0.0, 1.9 * _any(index, 6), 0.7 + 0.8 * _any(index, 7)))
        angle = math.pi * _any(index, 8)
        near = [tri for tri in skin.tris[0] if all(math.dist(places[n], middle) < radius for n in tri)]
        used = sorted({n for tri in near for n in tri})
        tris += [tuple(len(points) + used.index(n) for n in reversed(tri)) for tri in near]
        for at in (places[n] for n in used):
            points.append(add(at, scale(unit(sub(at, (8.0, 0.0, SOOT[2]))), 0.06)))
            _, y, z = sub(at, middle)
            away = 0.5 * math.dist(at, middle) / radius / max(math.hypot(y, z), 1e-6)
            across = y * math.cos(angle) - z * math.sin(angle)
            down = y * math.sin(angle) + z * math.cos(angle)
            uvs.append((0.5 + away * across, 0.5 - away * down))
            weights.append([("origin", 0.5), ("soot_%d" % index, 0.5)])
    return md5.Mesh("soot", "models/flame/soot", points, uvs, tris, weights)


def glow(s, t):
    """Returns a soft round puff, with lumps: brightness and density."""
    away = math.hypot(s, t)
    lumps = value(3.0 * s + 9.0, 3.0 * t + 9.0, 1.0) + 0.5 * value(7.0 * s + 9.0, 7.0 * t + 9.0, 5.0)
    light = smoothstep(1.0, 0.0, away + 0.30 * (lumps - 0.75)) * smoothstep(1.0, 0.8, away)
    return (255.0 * light,) * 2


def hide(pose, layer):
    """Hides a layer of soot. Each vertex is the mean of its position in the bind pose and of its position
    after half a turn of the layer's joint about the x axis. All means are on one line, so that the layer has
    no area. Dual quaternion skinning does not collapse the layer: therefore it also moves into the head, by
    the mean of the displacements of the two joints."""
    joint = "soot_%d" % layer
    pose.move(joint, 2.0 * HIDDEN)
    pose.rotate(joint, roll=180.0)


def frame(bones, t, sooty=math.inf):
    pose = rig.Pose(bones)
    for index, (_, seconds) in enumerate(LAYERS):
        if sooty >= seconds:
            hide(pose, index)
    for puff in PUFFS:
        position, size = puff.at(t)
        near, edge = "puff_%d" % puff.index, "edge_%d" % puff.index
        apart = scale(unit((0.0, 1.0, 1.0)), size / _SPRITE)
        pose.move(near, *sub(position, bones.position[bones.index[near]]))
        pose.move(edge, *sub(add(position, apart), bones.position[bones.index[edge]]))
    return pose.solve()


def generate(folder):
    bones = rig.Skeleton(joints())
    meshes = [mesh(kind, bones) for kind in KINDS] + [soot()]
    png.write(os.path.join(folder, "puff.png"), TEXELS, TEXELS, bake.flat_texture(TEXELS, glow), 2)
    program.save(folder, NAME + ".md5mesh", md5.mesh_text(COMMAND, bones.file_joints(), meshes))
    bounds = rig.Bounds(bones, meshes)
    sooty = [(-1.0, n / SOOT_RATE) for n in range(SOOT_SECONDS * SOOT_RATE + 1)]
    for name, rate, times in (("out", RATE, [(-1.0,)] * 2), ("soot", SOOT_RATE, sooty),
                              ("burst", RATE, [(n / RATE,) for n in range(FRAMES + 1)])):
        frames, boxes = [], []
        for at in times:
            positions, rotations = frame(bones, *at)
            frames.append(rig.local_frames(bones, positions, rotations))
            boxes.append(bounds.compute(positions, rotations))
        program.save(folder, name + ".md5anim",
                     md5.anim_text(COMMAND, bones.file_joints(), rate, frames, boxes))
    return "%d joints, %d puffs" % (len(bones.joints), len(PUFFS))


if __name__ == "__main__":
    sys.exit(program.run(sys.argv[1:], os.path.join(FOLDER, NAME), generate, __doc__))

#!/usr/bin/env python3
"""Measures the clips of Bobbin, Spindle, Thimble and Tendril, and reports flaws that a viewer would see.

    python3 models/check_clips.py [CLIP...]      all clips, or the named clips
    python3 models/check_clips.py --renew        all clips; writes the table of gaits to models/README.md

Prints a table with one line per clip, followed by the values that exceed their limits. The columns:
  loop     largest difference between the first and the last frame of a loop in any stored component, without
           the displacement of the root (limit 0.0001)
  jolt     the same for speed: the largest rotation of a joint across the loop's end minus its largest
           rotation between other frames, in degrees (limit 6)
  layer    difference between the first frame of a layer's clip and the first frame of its reference clip
  slide    largest speed of a part of a sole along the floor while it is on the floor, units per second,
           between frames of a screen (limit 2; parts that roll off the toes count)
  touch    largest speed of a part of a sole along the floor while it reaches the floor: it is above the floor
           in the first of two frames of a screen, and on the floor in the second; units per second (no limit)
  floor    largest depth of a vertex below the floor, in units (limit 0.3)
  steps    number of footstep events; a foot must touch the floor at each of them
  float    number of frames in which no sole is on the floor, for clips that must not leave it (limit 0)
  limb     bend of the straightest knee or elbow, in degrees (limit 2)
  speed    fastest rotation of a joint relative to its parent, in degrees per frame (limit 75)
  half     largest rotation relative to the parent, in degrees (limit 165, close to 180)
  stops    how often a joint that rotates more than 10 degrees in a frame stops in the next frame (limit 0)
  spike    largest change of a joint's rotation from frame to frame, degrees, and the joint (limit 10). Eyes
           and lids move abruptly by nature and are excluded from stops and spike
  hand     depth of a hand in head, trunk or legs, in units (limit 0.6 per clip; see depth below)
  tail     the same for the end of the tail
  hides    number of frames in which a hand covers an eye or an ear, seen from the front and from 40 degrees
           to either side (limit 0)
  pain     smallest distance by which the corners of the mouth are lower than in the bind pose, in units, in
           the frames PAINED (at least 0.1)
  dome     depth of the patting hand in Thimble's dome, in units (limit 0.3); at each pat it must be
           within 0.3 of the dome
  belly    depth of the scratching hand in the belly, in units (limit 1); it must come within 0.4 of the belly
  twin     part of the hands' motion relative to the chest that is not mirrored, in percent, if they move by
           more than 3 units, root mean square (at least 4)
  volume   girth that a joint keeps while it bends: mean distance of the skin that it shares with its parent
           from the joint, in percent of the distance in the bind pose, and the joint
           (at least 90; 100 is ideal)
  travel   mean distance of the skin from its position in the first frame, relative to the root, in the frame
           with the largest mean, in percent of the height (at least REACH)
  rise     upward movement of the center of the skin, in percent of the height (at least REACH)
  stroke   forward and backward movement of Bobbin's left ankle relative to the root, in units
           (at least REACH)
  side     smallest sideways movement of hips, chest, head and tail relative to the root, in units, in clips
           with springs (at least 0.1)
  pull     largest acceleration of the root along the floor, units per second squared (limit 400)
  beyond   joints that exceed their limits (see below), or -

Without arguments it also checks models/README.md: the table of gaits must equal the measured table, and
frames, rates and speeds in the tables of clips must match the files.

ALLOWED lists exceptions for clips, Bobbin's by name and others as MODEL/CLIP: attacks, take-offs and
landings."""

import math
import os
import re
import sys

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

from kit.clip import Clip  # noqa: E402
from kit.maths import add, conj, cross, dot, length, mirror, mul, rotate, scale, sub, unit  # noqa: E402
from kit.read import Anim, Mesh  # noqa: E402
from bobbin_parts import cousin_motion, motion as bobbin  # noqa: E402
from bobbin_parts.build import BOBBIN as BUILD  # noqa: E402
from bobbin_parts.expressions import CORNER  # noqa: E402
from bobbin_parts.skeleton import HALVES  # noqa: E402
from bobbin_parts.solid import Solid  # noqa: E402
from thimble_parts import motion as thimble  # noqa: E402
from thimble_parts.shape import DOME  # noqa: E402

RESTLESS = ("eye_", "lid_", "shutter_", "eye") + tuple(HALVES)     # helpers follow other joints
SCREEN = 60      # frames per second
FLOOR = 0.1      # a part of a sole no higher than this above its height at rest is on the floor


ALLOWED = {
    "attack": {"spike": 14.5, "slide": 3.8},      # the right arm strikes; the rear foot rolls onto its toes
    "dance": {"spike": 10.1},     # an ear after a jump
    "fall": {"spike": 16},        # bottom and heels hit the floor
    "giggle": {"spike": 10.2},    # an ear
    "jump": {"spike": 18.4, "slide": 3.7},        # legs push off and land
    "jump_land": {"spike": 13, "slide": 2.9},
    "jump_start": {"spike": 15.4, "slide": 3.7},
    "run": {"slide": 2.8},
    "run_fall": {"slide": 17},    # Bobbin slips
    "run_jump_left": {"slide": 2.8},
    "run_jump_right": {"slide": 2.8},
    "run_left": {"slide": 3},
    "run_right": {"slide": 3},
    "run_start": {"slide": 2.6},
    "skid_stop": {"slide": 60, "spike": 13.1},   # the feet slide intentionally, and a heel hits the floor
    "skid_stop_right": {"slide": 60, "spike": 13.1},
    "startle": {"slide": 2.2},
    "stumble": {"slide": 2.9},
    "stumble_right": {"slide": 2.9},
    "thimble/shoot": {"spike": 12},     # antennae lash
    "thimble/trot": {"slide": 2.3},     # at 46 units a second
    "thimble/trot_left": {"slide": 2.6},
    "thimble/trot_right": {"slide": 2.6},
    "walk_left": {"slide": 2.1},
    "walk_right": {"slide": 2.1},
}


# Parts of a hand, parts of the face that it should not hide, with radii in units; and view directions.
HAND = {name: 2.0 for name in ("hand_", "finger_a_1_", "finger_a_2_", "finger_b_1_", "finger_b_2_",
                               "thumb_2_")}
FACE = {"eye_": 3.5, "ear_1_": 1.5, "ear_2_": 1.5, "ear_3_": 1.5}
VIEWS = [(math.cos(math.radians(angle)), math.sin(math.radians(angle)), 0.0) for angle in (-40, 0, 40)]


# Position of Thimble when it is patted, as in thimble/visitor.md5machine, and the frame of its clip `beg`
# in which it begs.
PATTED_AT, BEGS = (27.5, -13.0, 0.0), 20


# Frames in which the right hand of Bobbin and of Spindle is on the belly, and the skin that it may be on.
SCRATCHES, TRUNK = {"idle": range(62, 83, 4)}, ("hips", "belly", "spine_", "chest")


# Frames of Bobbin's clips in which he is hurt or frightened. In the bind pose he smiles.
PAINED = {"dizzy": range(73), "fall": range(3, 46), "get_up": range(39), "hit": range(3, 20),
          "run_fall": range(4, 61), "skid_stop": range(4, 20), "skid_stop_right": range(4, 20),
          "startle": range(5, 24), "stumble": range(4, 50), "stumble_right": range(4, 50)}


# Transitions of Bobbin's machine between two clips, and their durations in seconds.
JOINS = (("walk_start", "walk", 0.2), ("walk", "walk_stop_left", 0.2), ("run_start", "run", 0.12),
         ("run", "run_to_walk", 0.12), ("run", "run_to_walk_right", 0.12), ("run_to_walk", "walk", 0.12),
         ("run_to_walk_right", "walk", 0.12), ("run", "skid_stop", 0.12), ("run", "stumble", 0.1),
         ("stumble", "run", 0.12), ("run", "run_jump_left", 0.1), ("run_jump_left", "run", 0.12),
         ("run", "run_fall", 0.15), ("strafe_left", "hit", 0.1))


# Minimum movement that is visible from a distance: (travel, rise), percent, and stroke, units.
REACH = {
    "attack": (25.0, 4.0), "bow": (25.0, 14.0), "dance": (30.0, 32.0), "fall": (28.0, 11.0),
    "fold": (22.0, 20.0), "giggle": (18.0, 6.5), "hit": (15.0, 3.0), "jump": (16.0, 42.0),
    "point": (8.5, 3.5), "run": (20.0, 12.0, 14.0), "run_jump_left": (18.0, 30.0),
    "run_jump_right": (18.0, 30.0),
    "shoot": (11.5, 6.0), "skid_stop": (25.0, 8.0), "skid_stop_right": (25.0, 8.0), "startle": (18.0, 10.0),
    "unfold": (22.0, 20.0), "walk": (11.0, 1.8), "wave": (11.0, 9.0),
}


class Subject:
    """A model and the data for its checks:

    clips    the table of its clips
    feet     the joints of each foot
    limbs    the three joints of each limb, which should not be straight
    limits   the largest rotation of joints from the bind pose, relative to the parent, in degrees, by the
             beginning of the joint's name
    bends    joints below soft skin: (name, parent, joint, the helper joint between them)"""

    def __init__(self, name, clips, feet, limbs, limits, bends=()):
        self.name, self.clips, self.feet, self.limbs = name, clips, feet, limbs
        self.limits, self.bends = limits, bends

    def read(self):
        """Loads the mesh, and the parts of it that are measured in every clip."""
        self.mesh = Mesh(os.path.join(FOLDER, self.name, self.name + ".md5mesh"))
        self.height = max(position[2] for _, _, position, _ in self.mesh.joints)
        self.soles = soles(self.mesh, self.feet)
        self.parts = parts(self.mesh)
        self.rings = [ring(self.mesh, *bend) for bend in self.bends]
        self.solid = Solid(self.mesh) if self is BOBBIN else None


BOBBIN = Subject(
    "bobbin", bobbin.CLIPS,
    [tuple(part + side for part in ("foot_", "toes_", "toe_in_", "toe_mid_", "toe_out_"))
     for side in "lr"],
    [tuple(part + side for part in limb) for side in "lr"
     for limb in (("thigh_", "shin_", "foot_"), ("upperarm_", "forearm_", "hand_"))],
    (("eye_", 32), ("lid_", 75), ("jaw", 26), ("tongue", 30), ("cheek_", 20), ("brow_", 25),
     ("neck", 45), ("head", 45), ("spine_", 40), ("chest", 40), ("clavicle_", 40),
     ("upperarm_", 125), ("forearm_twist", 60), ("forearm_", 125), ("hand_", 100),
     ("finger_", 100), ("thumb_", 75), ("prop_", 1), ("thigh_", 130), ("shin_", 130),
     ("hip_", 65), ("shoulder_", 63), ("elbow_", 63), ("knee_", 65),
     ("foot_", 110), ("toes_", 75), ("toe_", 20), ("tail_", 55), ("ear_", 50), ("belly", 10)),
    [(name, parent + side, joint + side, name + "_" + side) for side in "lr" for name, parent, joint in
     (("knee", "thigh_", "shin_"), ("shoulder", "clavicle_", "upperarm_"),
      ("elbow", "upperarm_", "forearm_"))]
    + [("hip", "hips", "thigh_" + side, "hip_" + side) for side in "lr"]
    + [("neck", "chest", "head", "neck")])

SPINDLE = Subject("spindle", cousin_motion.clips(), BOBBIN.feet, BOBBIN.limbs, BOBBIN.limits, BOBBIN.bends)

THIMBLE = Subject(
    "thimble", thimble.CLIPS,
    [("foot_%d_%s" % (n, side),) for n in (1, 2, 3) for side in "lr"],
    [tuple("%s_%d_%s" % (part, n, side) for part in ("femur", "tibia", "foot"))
     for n in (1, 2, 3) for side in "lr"],
    (("coxa_", 45), ("femur_", 75), ("tibia_", 75), ("foot_", 90), ("cylinder_", 50), ("rod_", 50),
     ("eye", 35), ("shutter_", 50), ("gun_", 70), ("barrel_", 1), ("antenna_1", 125),
     ("antenna_2", 75), ("dome", 10), ("lamp", 1), ("body", 12)))

# It has no feet: its root is in the ground.
TENDRIL = Subject(
    "tendril", [Clip(name, 24, seconds * 24, None, airborne=True)
                for name, seconds in (("sway", 4.0), ("curl", 5.0), ("lash", 2.5))],
    [], [], (("stalk_2", 85), ("stalk_", 50), ("leaf_", 30)))


def degrees(rotation):
    """Returns the angle of a rotation."""
    return math.degrees(2.0 * math.atan2(length(rotation[:3]), abs(rotation[3])))


def rotation_vector(start, end):
    """Returns the rotation from one orientation to another as a vector: its axis times degrees."""
    rotation = mul(conj(start), end)
    size = length(rotation[:3])
    if size < 1e-9:
        return (0.0, 0.0, 0.0)
    return scale(rotation[:3], math.copysign(degrees(rotation), rotation[3]) / size)


def mean(points):
    return tuple(sum(axis) / len(points) for axis in zip(*points))


def soles(mesh, feet):
    """Returns the vertices under the feet: (vertex, height in the bind pose, first joint of the foot)."""
    posed = [(position, rotation) for _, _, position, rotation in mesh.joints]
    owner = {joint: foot[0] for foot in feet for joint in foot}
    found = []
    for vertex in mesh.vertices[0]:
        foot = owner.get(mesh.joints[max(vertex, key=lambda w: w[1])[0]][0])
        if foot:
            at = mesh.position(vertex, posed)
            if at[2] < 0.3:
                found.append((vertex, at[2], foot))
    return found


def parts(mesh):
    """Returns one point of skin per joint, the centroid of its vertices: (joint, offset, fraction of the
    skin). Omits shots."""
    found = {}
    for weight in (weight for vertices in mesh.vertices for vertex in vertices for weight in vertex):
        joint, bias, offset = weight
        if not mesh.joints[joint][0].startswith("bolt_"):
            at, mass = found.get(joint, ((0.0, 0.0, 0.0), 0.0))
            found[joint] = (add(at, scale(offset, bias)), mass + bias)
    whole = sum(mass for _, mass in found.values())
    return [(joint, scale(at, 1.0 / mass), mass / whole) for joint, (at, mass) in sorted(found.items())]


def girth(mesh, joint, vertices, posed):
    at = posed[joint][0]
    return sum(length(sub(mesh.position(vertex, posed), at)) for vertex in vertices) / len(vertices)


def ring(mesh, name, parent, joint, helper):
    """Returns the skin around a joint: (name, parent, joint, vertices with weights on both, rotation relative
    to the parent and girth in the bind pose). Weights of a helper count half for each of the two."""
    names = [joint_line[0] for joint_line in mesh.joints]
    ends, posed = (names.index(parent), names.index(joint)), [joint_line[2:] for joint_line in mesh.joints]
    halved = names.index(helper)
    vertices = [vertex for vertex in mesh.vertices[0]
                if all(sum(bias * (1.0 if n == end else 0.5) for n, bias, _ in vertex
                           if n in (end, halved)) >= 0.2 for end in ends)]
    return ends + (name, vertices, mul(conj(posed[ends[0]][1]), posed[ends[1]][1]),
                   girth(mesh, ends[1], vertices, posed))


class Report:
    def __init__(self, clip):
        self.figures, self.faults = [], []
        self.allowed = ALLOWED.get(clip, {})

    def add(self, name, value, limit, low=False, note=""):
        self.figures.append((name, "%.0f:%s" % (value, note) if note else value))
        limit = self.allowed.get(name, limit)
        if value < limit if low else value > limit:
            self.faults.append("%s %.4g, limit %g" % (name, value, limit))


def largest_difference(a, b):
    """Returns the largest difference of a component of two (position, rotation)."""
    return max(abs(x - y) for x, y in zip(a[0] + a[1], b[0] + b[1]))


def check_loop(anim, report):
    first, last = anim.frames[0], anim.frames[-1]
    apart = max(largest_difference(*joints) for joints in zip(first[1:], last[1:]))
    # The root may go along the floor and turn about the upright axis, nothing else.
    rotation = mul(last[0][1], conj(first[0][1]))
    root = max(abs(first[0][0][2] - last[0][0][2]), abs(rotation[0]), abs(rotation[1]))
    report.add("loop", max(apart, root), 1e-4)

    def step(n, joint):
        return mul(conj(anim.frames[n][joint][1]), anim.frames[n + 1][joint][1])

    count, worst = len(anim.frames) - 1, 0.0
    for joint in range(1, len(anim.names)):
        steps = [step(n, joint) for n in range(count)]
        changes = [degrees(mul(conj(a), b)) for a, b in zip(steps, steps[1:])]
        across = degrees(mul(conj(steps[-1]), steps[0]))
        worst = max(worst, across - max(changes, default=0.0))
    report.add("jolt", worst, 6.0)


def check_layer(anim, base, report):
    pairs = zip(anim.frames[0], base.frames[0])
    report.add("layer", max(largest_difference(*joints) for joints in pairs), 1e-4)


def check_soles(anim, mesh, vertices, leaves, report):
    before, slide, touch, floating = None, 0.0, 0.0, 0
    for n in range(int((len(anim.frames) - 1) * SCREEN / anim.rate + 1e-6) + 1):
        posed = anim.posed(n * anim.rate / SCREEN)
        current = [mesh.position(vertex, posed) for vertex, _, _ in vertices]
        floating += all(at[2] > height + FLOOR for at, (_, height, _) in zip(current, vertices))
        for a, b, (_, height, _) in zip(before or current, current, vertices):
            distance = math.hypot(b[0] - a[0], b[1] - a[1])
            if a[2] < height + FLOOR and b[2] < height + FLOOR:
                slide = max(slide, distance)
            elif b[2] < height + FLOOR:
                touch = max(touch, distance)
        before = current
    report.add("slide", slide * SCREEN, 2.0)
    report.add("touch", touch * SCREEN, math.inf)
    report.add("floor", max(0.0, -min(low[2] for low, _ in anim.bounds)), 0.3)
    report.add("float", floating, math.inf if leaves else 0)


def check_steps(anim, mesh, vertices, clip, report):
    """Checks that a foot touches the floor at its footsteps, and did not shortly before."""
    missed, count = [], len(anim.frames) - 1

    def touches(frame, end):
        posed = anim.posed(frame)
        return any(mesh.position(vertex, posed)[2] < height + FLOOR
                   for vertex, height, foot in vertices if foot.endswith(end))

    for frame, event_text in clip.events:
        if event_text.startswith("footstep"):
            side, before = event_text.split()[1], frame - 2
            side = {"left": "_l", "right": "_r"}.get(side, "_" + side)
            before = before % count if clip.loop else max(before, 0)
            if not touches(frame, side) or (frame and touches(before, side)):
                missed.append("%d %s" % (frame, side[1:]))
    report.figures.append(("steps", sum(w.startswith("footstep") for _, w in clip.events)))
    if missed:
        report.faults.append("no footstep at " + ", ".join(missed))


def check_joints(anim, mesh, subject, report):
    index = {joint[0]: n for n, joint in enumerate(mesh.joints)}
    bind = []
    for _, parent, _, rotation in mesh.joints:
        bind.append(rotation if parent < 0 else mul(conj(mesh.joints[parent][3]), rotation))
    limits = [next((limit for start, limit in subject.limits if joint[0].startswith(start)), 360)
              for joint in mesh.joints]
    straight, speed, widest, exceeded = 180.0, 0.0, 0.0, {}
    for n, frame in enumerate(anim.frames):
        posed = anim.posed(n)
        for names in subject.limbs:
            a, b, c = (posed[index[name]][0] for name in names)
            bend = dot(unit(sub(b, a)), unit(sub(c, b)))
            straight = min(straight, math.degrees(math.acos(min(1.0, bend))))
        for joint in range(1, len(frame)):
            rotation = frame[joint][1]
            widest = max(widest, degrees(rotation))
            if n:
                speed = max(speed, degrees(mul(conj(anim.frames[n - 1][joint][1]), rotation)))
            away = degrees(mul(conj(bind[joint]), rotation))
            if away > limits[joint]:
                name = anim.names[joint]
                exceeded[name] = max(exceeded.get(name, 0.0), away)
    report.add("limb", straight, 2.0, low=True)
    report.add("speed", speed, 75.0)
    report.add("half", widest, 165.0)
    text = ",".join("%s:%.0f" % pair for pair in sorted(exceeded.items()))
    report.figures.append(("beyond", text or "-"))
    if exceeded:
        report.faults.append("beyond " + text)


def check_lively(anim, clip, report):
    """Checks stops and spikes, which make a motion look mechanical."""
    joints = [n for n, name in enumerate(anim.names) if n and not name.startswith(RESTLESS)]
    frames = anim.frames[:-1] if clip.loop else anim.frames
    count, stops, spike = len(frames), 0, (0.0, "-")
    for joint in joints:
        rotations = [frame[joint][1] for frame in frames]
        steps = [rotation_vector(rotations[n], rotations[(n + 1) % count]) for n in range(count)]
        pairs = zip(steps, steps[1:] + steps[:1]) if clip.loop else zip(steps[:-1], steps[1:-1])
        for step, next_step in pairs:
            stops += length(step) > 10.0 and length(next_step) < 0.5
            spike = max(spike, (length(sub(next_step, step)), anim.names[joint]))
    report.add("stops", stops, 0)
    report.add("spike", spike[0], 10, note=spike[1])


def check_depth(anim, solid, report):
    deepest = {}
    for n in range(0, len(anim.frames), 2):
        for part, depth in solid.depth(anim.posed(n)).items():
            deepest[part] = max(deepest.get(part, 0.0), depth)
    for part, depth in deepest.items():
        report.add(part, depth, 0.6)


def check_open(anim, report):
    """Checks that hands do not hide eyes and ears."""
    index = {name: n for n, name in enumerate(anim.names)}

    def spheres(posed, radii):
        """Returns (center, radius) of joints on both sides, in the space of the root."""
        back = conj(posed[0][1])
        return [(rotate(back, posed[index[name + side]][0]), radius)
                for name, radius in radii.items() for side in "lr"]

    def is_hidden(ray, hand, face):
        """Returns true if a hand is in front of a part of the face; ray: direction to the viewer."""
        to_hand = sub(hand[0], face[0])
        return dot(to_hand, ray) > 0.0 and length(cross(to_hand, ray)) < hand[1] + face[1]

    num_hidden = 0
    for n in range(len(anim.frames)):
        posed = anim.posed(n)
        hands, faces = spheres(posed, HAND), spheres(posed, FACE)
        num_hidden += any(is_hidden(ray, hand, face) for ray in VIEWS for hand in hands for face in faces)
    report.add("hides", num_hidden, 0)


def check_pain(anim, mesh, frames, report):
    """Checks that the corners of the mouth are down."""
    head, posed = anim.names.index("head"), [joint[2:] for joint in mesh.joints]
    corner = add(CORNER, (0.0, 0.0, BUILD.rise("head")))
    corners = [min(mesh.vertices[0], key=lambda vertex, at=at: math.dist(mesh.position(vertex, posed), at))
               for at in (corner, mirror(corner))]

    def height(vertex, joints):
        """Returns the height above the head's joint, in the up direction of the bind pose."""
        position, rotation = joints[head]
        at = rotate(conj(rotation), sub(mesh.position(vertex, joints), position))
        return rotate(posed[head][1], at)[2]

    report.add("pain", min(height(vertex, posed) - height(vertex, joints)
                           for joints in map(anim.posed, frames) for vertex in corners), 0.1, low=True)


def dome_depth(point):
    """Returns the depth of a point in the dome; below 0 it is outside."""
    r, z = math.hypot(point[0], point[1]), point[2]
    nearest = 1e9
    for (z1, r1), (z2, r2) in zip(DOME, DOME[1:]):
        along = max(0.0, min(1.0, ((r - r1) * (r2 - r1) + (z - z1) * (z2 - z1))
                             / ((r2 - r1) ** 2 + (z2 - z1) ** 2)))
        nearest = min(nearest, math.hypot(r - r1 - along * (r2 - r1), z - z1 - along * (z2 - z1)))
    inside = any(z1 <= z < z2 and r < r1 + (r2 - r1) * (z - z1) / (z2 - z1)
                 for (z1, r1), (z2, r2) in zip(DOME, DOME[1:]))
    return nearest if inside else -nearest


def check_pat(anim, mesh, clip, report):
    """Checks the right hand on Thimble, which plays its clip `beg`, and `purr` from the first pat on."""
    beg, purr = (Anim(os.path.join(FOLDER, "thimble", name + ".md5anim")) for name in ("beg", "purr"))
    deepest, loop = 0.0, len(purr.frames) - 1
    dome, hand = beg.names.index("dome"), ("hand_r", "finger_a_", "finger_b_", "thumb_")
    owners = [(mesh.joints[max(skin_vertex, key=lambda w: w[1])[0]][0], skin_vertex)
              for skin_vertex in mesh.vertices[0]]
    hand_vertices = [skin_vertex for name, skin_vertex in owners
                     if name.startswith(hand) and name.endswith("_r")]
    pats = [frame for frame, event_text in clip.events if event_text == "pat"]
    _, _, bind_position, upright = THIMBLE.mesh.joints[dome]
    for n in range(len(anim.frames)):
        clip, frame = (purr, n - pats[0]) if n >= pats[0] else (beg, n + BEGS)
        position, rotation = clip.posed(frame % loop)[dome]
        position, back, posed = add(position, PATTED_AT), mul(upright, conj(rotation)), anim.posed(n)
        offsets = [sub(mesh.position(skin_vertex, posed), position) for skin_vertex in hand_vertices]
        depth = max(dome_depth(add(bind_position, rotate(back, offset))) for offset in offsets)
        deepest = max(deepest, depth)
        if n in pats and depth < -0.3:
            report.faults.append("hand %.2f above the dome at the pat of frame %d" % (-depth, n))
    report.add("dome", deepest, 0.3)


def check_belly(anim, mesh, frames, report):
    """Checks the right hand on the skin of the trunk, relative to its nearest triangle."""
    owner = [mesh.joints[max(vertex, key=lambda w: w[1])[0]][0] for vertex in mesh.vertices[0]]
    hand = [vertex for vertex, name in zip(mesh.vertices[0], owner)
            if name.startswith(("hand_r", "finger_", "thumb_")) and name.endswith("_r")]
    skin = [tri for tri in mesh.tris[0] if all(owner[v].startswith(TRUNK) for v in tri)]
    deepest, away = 0.0, 0.0
    for n in frames:
        posed, sides = anim.posed(n), []
        for tri in skin:
            a, b, c = (mesh.position(mesh.vertices[0][v], posed) for v in tri)
            normal = cross(sub(c, a), sub(b, a))
            if a[0] > posed[0][0][0] and length(normal) > 1e-6:
                sides.append((mean((a, b, c)), unit(normal)))
        depth = -1e9
        for at in (mesh.position(vertex, posed) for vertex in hand[::2]):
            middle, normal = min(sides, key=lambda side: math.dist(side[0], at))
            depth = max(depth, dot(sub(middle, at), normal))
        deepest, away = max(deepest, depth), max(away, -depth)
    report.add("belly", deepest, 1.0)
    if away > 0.4:
        report.faults.append("hand %.2f above the belly that it scratches" % away)


def check_twins(anim, report):
    """Checks that the arms do not move symmetrically, which looks mechanical."""
    chest, left, right = (anim.names.index(name) for name in ("chest", "hand_l", "hand_r"))
    symmetric, asymmetric = [], []
    for n in range(len(anim.frames)):
        posed = anim.posed(n)
        at, rotation = posed[chest]
        left_point, right_point = (rotate(conj(rotation), sub(posed[hand][0], at)) for hand in (left, right))
        right_point = (right_point[0], -right_point[1], right_point[2])
        symmetric.append(scale(add(left_point, right_point), 0.5))
        asymmetric.append(scale(sub(left_point, right_point), 0.5))
    alike, unlike = (sum(length(sub(at, mean(found))) ** 2 for at in found) / len(found)
                     for found in (symmetric, asymmetric))
    if alike + unlike > 9.0:
        report.add("twin", 100.0 * unlike / (alike + unlike), 4.0, low=True)


def check_volume(anim, subject, report):
    """Checks the girth of each joint in the two frames with its largest bends."""
    smallest = (100.0, "-")
    for parent, joint, name, vertices, bind, bind_girth in subject.rings:
        def bend(n, ends=(parent, joint), bind_rotation=bind):
            parent_rotation, joint_rotation = (anim.posed(n)[end][1] for end in ends)
            return degrees(mul(conj(bind_rotation), mul(conj(parent_rotation), joint_rotation)))
        for n in sorted(range(len(anim.frames)), key=bend)[-2:]:
            current_girth = girth(subject.mesh, joint, vertices, anim.posed(n))
            smallest = min(smallest, (100.0 * current_girth / bind_girth, name))
    report.add("volume", smallest[0], 90.0, low=True, note=smallest[1])


def check_reach(anim, clip, subject, report):
    """Checks that the movement of a clip is visible from a distance."""
    first, travel, low, high = None, 0.0, 1e9, -1e9
    for n in range(0, len(anim.frames), 2):
        posed = anim.posed(n)
        root, rotation = posed[0]
        current = [sub(add(posed[joint][0], rotate(posed[joint][1], offset)), root)
                   for joint, offset, _ in subject.parts]
        current = [rotate(conj(rotation), at) for at in current]
        first = first or current
        travel = max(travel, sum(fraction * length(sub(a, b))
                                 for a, b, (_, _, fraction) in zip(first, current, subject.parts)))
        middle = root[2] + sum(fraction * at[2] for at, (_, _, fraction) in zip(current, subject.parts))
        low, high = min(low, middle), max(high, middle)
    minimum = REACH.get(clip, (0.0, 0.0)) + (0.0,)
    report.add("travel", 100.0 * travel / subject.height, minimum[0], low=True)
    report.add("rise", 100.0 * (high - low) / subject.height, minimum[1], low=True)
    if "foot_l" in anim.names and subject is BOBBIN:
        report.add("stroke", stroke(anim), minimum[2], low=True)


def stroke(anim):
    """Returns the forward and backward movement of an ankle relative to the path of the root."""
    ankle, found = anim.names.index("foot_l"), []
    for n in range(len(anim.frames)):
        (at, rotation), (foot, _) = (anim.posed(n)[joint] for joint in (0, ankle))
        found.append(rotate(conj(rotation), sub(foot, at))[0])
    return max(found) - min(found)


def check_root(anim, clip, report):
    at = [frame[0][0][:2] + (0.0,) for frame in anim.frames]
    speed = [scale(sub(b, a), anim.rate) for a, b in zip(at, at[1:])]
    pulls = [length(sub(b, a)) * anim.rate for a, b in zip(speed, speed[1:])]
    report.add("pull", max(pulls, default=0.0), 400.0)
    if clip.still or "tail_6" not in anim.names:
        return
    smallest = 1e9
    for joint in (anim.names.index(name) for name in ("hips", "chest", "head", "tail_6")):
        offsets = []
        for n in range(len(anim.frames)):
            (root, rotation), (point, _) = (anim.posed(n)[index] for index in (0, joint))
            offsets.append(rotate(conj(rotation), sub(point, root))[1])
        smallest = min(smallest, max(offsets) - min(offsets))
    report.add("side", smallest, 0.1, low=True)


def check_joins():
    """Checks the acceleration of Bobbin's root in transitions of his machine between clips: an inertial
    transition changes the velocity by at most 15/8 of the mean acceleration."""
    faults = []
    for first_clip, second_clip, seconds in JOINS:
        before, after = (Anim(os.path.join(FOLDER, "bobbin", name + ".md5anim"))
                         for name in (first_clip, second_clip))
        ends = (before, before.frames[-2:]), (after, after.frames[:2])
        out, into = (scale(sub(b[0][0], a[0][0]), anim.rate) for anim, (a, b) in ends)
        pull = 1.875 * math.hypot(*sub(out, into)[:2]) / seconds
        if pull > 400.0:
            faults.append("bobbin/%s to %s: pull %.4g, limit 400" % (first_clip, second_clip, pull))
    return faults


COLUMNS = ("loop", "jolt", "layer", "slide", "touch", "floor", "steps", "float", "limb", "speed", "half",
           "stops", "spike", "hand", "tail", "hides", "pain", "dome", "belly", "twin", "volume", "travel",
           "rise", "stroke", "side", "pull", "beyond")


def line(name, frames, figures):
    """Formats a line of the table: figures is a dictionary by column."""
    cells = []
    for column in COLUMNS:
        value = figures.get(column, "")
        text = value if isinstance(value, str) else "%.3g" % (value if abs(value) > 5e-4 else 0)
        cells.append(text.rjust({"spike": 14, "volume": 11}.get(column, 6)))
    return "%-14s %6s %s" % (name, frames, " ".join(cells))


# -- Tables of models/README.md ---------------------------------------------------------------

README = os.path.join(FOLDER, "README.md")
# Columns of that table, and the corresponding columns of the table above.
SHOWN = (("sole slide", "slide"), ("touch-down", "touch"), ("ankle stroke", "stroke"), ("sideways", "side"),
         ("travel", "travel"), ("rise", "rise"))


def figure(value):
    """Formats a number with at most two decimals."""
    return "" if value == "" else "%g" % round(value, 2)


def figures_text(found):
    """Returns a table of the loops with root motion; found: rows of (subject, clip, speed, figures)."""
    lines = [["gait", "speed"] + [title for title, _ in SHOWN], ["---"] * (2 + len(SHOWN))]
    for subject, clip, speed, figures in found:
        if clip.loop and speed > 1.0:
            lines.append(["%s's `%s`" % (subject.name.capitalize(), clip.name), figure(speed)]
                         + [figure(figures.get(name, "")) for _, name in SHOWN])
    return "".join("| %s |\n" % " | ".join(cells).replace("  ", " ") for cells in lines)


def parse_clip_row(line):
    """Parses a row such as | `a`, `b` | 19, 24; 43, 30 | text |. Returns for each name the frames, the rate,
    and the speed in the text or None."""
    match = re.match(r"\| ((?:`\w+`(?:, )?)+) \| ([0-9, ;]+) \| (.*) \|$", line)
    if not match:
        return []
    names = re.findall(r"`(\w+)`", match[1])
    parts = [[int(number) for number in part.split(", ")] for part in match[2].split("; ")]
    pairs = [(length, part[-1]) for part in parts for length in part[:-1]]
    speeds = re.search(r"([\d.]+)(?: and ([\d.]+))? units per second", match[3])
    speeds = [number for number in speeds.groups() if number] if speeds else [None]
    return zip(names, *(values * (len(names) if len(values) == 1 else 1) for values in (pairs, speeds)))


def check_readme(found, renew):
    """Compares models/README.md with the measured clips. `found`: as in figures_text()."""
    with open(README, encoding="utf-8") as file:
        text = file.read()
    table = "<!-- figures -->\n" + figures_text(found) + "<!-- end -->\n"
    renewed, count = re.subn(r"<!-- figures -->\n[^<]*<!-- end -->\n", lambda _: table, text)
    if renew and renewed != text:
        with open(README, "w", encoding="utf-8", newline="") as file:
            file.write(renewed)
    faults = [] if count == 1 and (renew or renewed == text) else [
        "models/README.md: the table of gaits is out of date; --renew writes it\n" + table]
    heading, measured = "", {(subject.name, clip.name): (clip, speed) for subject, clip, speed, _ in found}
    for line_number, line in enumerate(text.split("\n"), 1):
        heading = line[3:].lower() if line.startswith("## ") else heading
        for name, frames, stated in parse_clip_row(line):
            if (heading, name) not in measured:
                continue
            clip, speed = measured[heading, name]
            real = (clip.intervals + 1, clip.rate)
            if frames != real:
                faults.append("models/README.md:%d: %s has %d frames, %d per second"
                              % ((line_number, name) + real))
            if stated and float(stated) != round(speed, len((stated + ".").split(".")[1])):
                faults.append("models/README.md:%d: %s moves at %.2f units per second"
                              % (line_number, name, speed))
    return faults


def check(subject, clip):
    """Returns a line of the table, the speed of the root, figures by column, and faults."""
    anim = Anim(os.path.join(FOLDER, subject.name, clip.name + ".md5anim"))
    report = Report(clip.name if subject is BOBBIN else subject.name + "/" + clip.name)
    if clip.loop:
        check_loop(anim, report)
    if clip.layer:
        base = Anim(os.path.join(FOLDER, subject.name, clip.layer + ".md5anim"))
        check_layer(anim, base, report)
    if not clip.airborne:
        check_soles(anim, subject.mesh, subject.soles, clip.leaves, report)
        check_steps(anim, subject.mesh, subject.soles, clip, report)
    check_joints(anim, subject.mesh, subject, report)
    check_lively(anim, clip, report)
    if subject.solid:
        check_depth(anim, subject.solid, report)
    if subject is BOBBIN and clip.name in PAINED:
        check_pain(anim, subject.mesh, PAINED[clip.name], report)
    if any(event_text == "pat" for _, event_text in clip.events):
        check_pat(anim, subject.mesh, clip, report)
    if "hand_l" in anim.names:
        if clip.name in SCRATCHES:
            check_belly(anim, subject.mesh, SCRATCHES[clip.name], report)
        check_open(anim, report)
        check_twins(anim, report)
    if subject.rings:
        check_volume(anim, subject, report)
    check_reach(anim, clip.name, subject, report)
    check_root(anim, clip, report)
    print(line(clip.name, len(anim.frames), dict(report.figures)))
    distance = sum(math.dist(frame[0][0][:2], next_frame[0][0][:2])
                   for frame, next_frame in zip(anim.frames, anim.frames[1:]))
    speed = distance * anim.rate / (len(anim.frames) - 1)
    return (subject, clip, speed, dict(report.figures)), [
        "%s/%s: %s" % (subject.name, clip.name, fault) for fault in report.faults]


def main(arguments):
    faults, found, renew = check_joins(), [], arguments == ["--renew"]
    for subject in (BOBBIN, SPINDLE, THIMBLE, TENDRIL):
        subject.read()
    for subject in (BOBBIN, SPINDLE, THIMBLE, TENDRIL):
        if subject.feet and not subject.soles:
            faults.append(subject.name + ": no vertices under the feet")
        print(line(subject.name, "frames", {column: column for column in COLUMNS}))
        for clip in subject.clips:
            if renew or not arguments or clip.name in arguments:
                result, clip_faults = check(subject, clip)
                found.append(result)
                faults += clip_faults
    if renew or not arguments:
        faults += check_readme(found, renew)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Measures the clips of Bobbin and Thimble, and reports animation errors.

    python3 models/check_clips.py [CLIP...]      all clips, or these

Per clip, from the files as they are:
  loop     largest difference between the first and the last frame of a loop, the displacement of its root
           aside, in any component that is stored (limit 0.0001)
  jolt     the same for speed: how much more any joint turns across the loop's end than it does
           from frame to frame elsewhere, in degrees (limit 6)
  layer    the same between the first frames of a layer and of the clip it is taken from
  slide    how far a part of a sole moves along the floor in one frame while it is on the floor, in
           percent of the foot's length (limit 1)
  sink     how far a sole goes below the floor, in units (limit 0.35)
  steps    footsteps among the events; each must be where the foot comes down
  float    frames in which no sole is on the floor, where feet should not leave it (limit 0)
  limb     the straightest knee or elbow, in degrees of bend (limit 2)
  speed    the fastest turn of a joint against its parent, in degrees a frame (limit 75)
  turn     the turn against the parent that is nearest to half a turn (limit 165)
  beyond   joints that bend further than their limit (see below), or -"""

import math
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from kit.maths import conj, dot, length, mul, sub, unit  # noqa: E402
from kit.read import Anim, Mesh  # noqa: E402
from bobbin_parts import motion as bobbin  # noqa: E402
from thimble_parts import motion as thimble  # noqa: E402

FLOOR = 0.1      # a part of a sole no higher than this above its height at rest is on the floor


class Subject:
    """A model: its clips; the joints of each foot; its limbs as three joints each, which should
    not be drawn straight; degrees that a joint may turn away from the bind pose, against its
    parent, by the beginning of its name."""

    def __init__(self, name, clips, feet, limbs, limits):
        self.name, self.clips, self.feet, self.limbs = name, clips, feet, limbs
        self.limits = limits


BOBBIN = Subject(
    "bobbin", bobbin.CLIPS,
    [tuple(part + side for part in ("foot_", "toes_", "toe_in_", "toe_mid_", "toe_out_"))
     for side in "lr"],
    [tuple(part + side for part in limb) for side in "lr"
     for limb in (("thigh_", "shin_", "foot_"), ("upperarm_", "forearm_", "hand_"))],
    (("eye_", 32), ("lid_", 75), ("jaw", 26), ("tongue", 30), ("cheek_", 20), ("brow_", 25),
     ("neck", 45), ("head", 45), ("spine_", 40), ("chest", 40), ("clavicle_", 40),
     ("upperarm_", 125), ("forearm_twist", 60), ("forearm_", 125), ("hand_", 95),
     ("finger_", 100), ("thumb_", 75), ("prop_", 1), ("thigh_", 120), ("shin_", 130),
     ("foot_", 110), ("toes_", 75), ("toe_", 20), ("tail_", 50), ("ear_", 50), ("belly", 10)))

THIMBLE = Subject(
    "thimble", thimble.CLIPS,
    [("foot_%d_%s" % (n, side),) for n in (1, 2, 3) for side in "lr"],
    [tuple("%s_%d_%s" % (part, n, side) for part in ("femur", "tibia", "foot"))
     for n in (1, 2, 3) for side in "lr"],
    (("coxa_", 45), ("femur_", 75), ("tibia_", 75), ("foot_", 90), ("cylinder_", 50), ("rod_", 50),
     ("eye", 35), ("shutter_", 50), ("gun_", 70), ("barrel_", 1), ("antenna_", 75), ("dome", 10),
     ("lamp", 1), ("body", 12)))


def degrees(turn):
    """The angle of a turn."""
    return math.degrees(2.0 * math.atan2(length(turn[:3]), abs(turn[3])))


def soles(mesh, feet):
    """The vertices under the feet with their height in the bind pose and their foot's first
    joint; the length of a foot."""
    posed = [(position, turn) for _, _, position, turn in mesh.joints]
    owner = {joint: foot[0] for foot in feet for joint in foot}
    found, reach = [], {foot[0]: [] for foot in feet}
    for vertex in mesh.vertices[0]:
        foot = owner.get(mesh.joints[max(vertex, key=lambda w: w[1])[0]][0])
        if foot:
            at = mesh.position(vertex, posed)
            reach[foot].append(at[0])
            if at[2] < 0.3:
                found.append((vertex, at[2], foot))
    return found, min(max(positions) - min(positions) for positions in reach.values())


class Report:
    def __init__(self):
        self.figures, self.faults = [], []

    def add(self, name, value, limit, low=False):
        self.figures.append((name, value))
        if value < limit if low else value > limit:
            self.faults.append("%s %.4g" % (name, value))


def check_loop(anim, report):
    first, last = anim.frames[0], anim.frames[-1]
    apart = max(max(abs(a - b) for a, b in zip(one[0] + one[1], two[0] + two[1]))
                for one, two in zip(first[1:], last[1:]))
    # The root may go along the floor and turn about the upright axis, nothing else.
    root = max(abs(first[0][0][2] - last[0][0][2]), abs(last[0][1][0]), abs(last[0][1][1]))
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
    report.add("layer", max(max(abs(a - b) for a, b in zip(one[0] + one[1], two[0] + two[1]))
                            for one, two in zip(anim.frames[0], base.frames[0])), 1e-4)


def check_soles(anim, mesh, vertices, foot, leaves, report):
    before, slide, lowest, floating = None, 0.0, 0.0, 0
    for n in range(len(anim.frames)):
        posed = anim.posed(n)
        now = [mesh.position(vertex, posed) for vertex, _, _ in vertices]
        lowest = min(lowest, min(at[2] for at in now))
        floating += all(at[2] > height + FLOOR for at, (_, height, _) in zip(now, vertices))
        for a, b, (_, height, _) in zip(before or now, now, vertices):
            if a[2] < height + FLOOR and b[2] < height + FLOOR:
                slide = max(slide, math.hypot(b[0] - a[0], b[1] - a[1]))
        before = now
    report.add("slide", 100.0 * slide / foot, 1.0)
    report.add("sink", max(0.0, -lowest), 0.35)
    report.add("float", floating, len(anim.frames) if leaves else 0)


def check_steps(anim, mesh, vertices, clip, report):
    """A foot is on the floor at its footsteps, and was not shortly before."""
    late, count = [], len(anim.frames) - 1

    def stands(frame, end):
        posed = anim.posed(frame)
        return any(mesh.position(vertex, posed)[2] < height + FLOOR
                   for vertex, height, foot in vertices if foot.endswith(end))

    for frame, words in clip.events:
        if words.startswith("footstep"):
            side, before = words.split()[1], frame - 2
            side = {"left": "_l", "right": "_r"}.get(side, "_" + side)
            before = before % count if clip.loop else max(before, 0)
            if not stands(frame, side) or (frame and stands(before, side)):
                late.append("%d %s" % (frame, side[1:]))
    report.figures.append(("steps", sum(w.startswith("footstep") for _, w in clip.events)))
    if late:
        report.faults.append("no footstep at " + ", ".join(late))


def check_joints(anim, mesh, subject, report):
    index = {joint[0]: n for n, joint in enumerate(mesh.joints)}
    bind = []
    for _, parent, _, turn in mesh.joints:
        bind.append(turn if parent < 0 else mul(conj(mesh.joints[parent][3]), turn))
    limits = [next((most for start, most in subject.limits if joint[0].startswith(start)), 360)
              for joint in mesh.joints]
    straight, speed, widest, beyond = 180.0, 0.0, 0.0, {}
    for n, frame in enumerate(anim.frames):
        posed = anim.posed(n)
        for names in subject.limbs:
            a, b, c = (posed[index[name]][0] for name in names)
            bend = dot(unit(sub(b, a)), unit(sub(c, b)))
            straight = min(straight, math.degrees(math.acos(min(1.0, bend))))
        for joint in range(1, len(frame)):
            turn = frame[joint][1]
            widest = max(widest, degrees(turn))
            if n:
                speed = max(speed, degrees(mul(conj(anim.frames[n - 1][joint][1]), turn)))
            away = degrees(mul(conj(bind[joint]), turn))
            if away > limits[joint]:
                name = anim.names[joint]
                beyond[name] = max(beyond.get(name, 0.0), away)
    report.add("limb", straight, 2.0, low=True)
    report.add("speed", speed, 75.0)
    report.add("turn", widest, 165.0)
    text = ",".join("%s:%.0f" % pair for pair in sorted(beyond.items()))
    report.figures.append(("beyond", text or "-"))
    if beyond:
        report.faults.append("beyond " + text)


def check(subject, clip, mesh, vertices, foot):
    anim = Anim(os.path.join(HERE, subject.name, clip.name + ".md5anim"))
    report = Report()
    if clip.loop:
        check_loop(anim, report)
    if clip.layer:
        base = Anim(os.path.join(HERE, subject.name, clip.layer + ".md5anim"))
        check_layer(anim, base, report)
    if not clip.airborne:
        check_soles(anim, mesh, vertices, foot, clip.leaves, report)
        check_steps(anim, mesh, vertices, clip, report)
    check_joints(anim, mesh, subject, report)
    print("%-14s %3d frames  %s" % (clip.name, len(anim.frames), "  ".join(
        "%s %s" % (name, value if isinstance(value, str) else "%.4g" % value)
        for name, value in report.figures)))
    for fault in report.faults:
        print("%s/%s: %s" % (subject.name, clip.name, fault), file=sys.stderr)
    return len(report.faults)


def main(arguments):
    wrong = 0
    for subject in (BOBBIN, THIMBLE):
        mesh = Mesh(os.path.join(HERE, subject.name, subject.name + ".md5mesh"))
        vertices, foot = soles(mesh, subject.feet)
        print("%s: %d vertices under the feet; a foot is %.2f units long" % (
            subject.name, len(vertices), foot))
        wrong += not vertices
        for clip in subject.clips:
            if not arguments or clip.name in arguments:
                wrong += check(subject, clip, mesh, vertices, foot)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

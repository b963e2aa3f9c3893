"""Makes Tendril, a plant with a flexible stalk: mesh, skeleton, textures and clips, built in Blender
and exported by the add-on in models/blender.

    blender -b --factory-startup --python-exit-code 1 -P models/tendril/make_tendril.py [-- FOLDER]

Random numbers have fixed seeds: the same version of Blender makes the same files. The model is built in
the space of the files: x forward, z up."""

import math
import os
import random
import sys

import bpy
import numpy as np
from mathutils import Vector

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(FOLDER), os.path.join(os.path.dirname(FOLDER), "blender")]
import io_md5  # noqa: E402
from kit import png  # noqa: E402

RATE = 24
JOINTS = 22                    # joints of the stalk
LENGTHS = [4.6 * 0.962 ** n for n in range(JOINTS)]
AROUND = 16                    # vertices per ring
SMOOTH = 1.65                  # standard deviation of the weights along the stalk, in joints
LEAVES = 6
LEAF_JOINTS = 4
LEAF_LENGTH = 26.0
TEXELS = 512


# -- The stalk's center line ------------------------------------------------------------------------

def lean(n):
    """Returns the angle of joint n in the bind pose, in radians from upright, in the xz plane: a flat S."""
    t = n / JOINTS
    return 0.34 * math.sin(math.tau * 0.8 * t) - 0.25 * t


def line():
    """Returns the positions of the joints and of the tip."""
    points = [Vector((0.0, 0.0, 7.0))]
    for n, length in enumerate(LENGTHS):
        points.append(points[-1] + length * Vector((math.sin(lean(n)), 0.0, math.cos(lean(n)))))
    return points


LINE = line()


def along(s):
    """Returns point and direction at s joints from the base: a smooth curve through the joints."""
    n = min(max(int(s), 0), JOINTS - 1)
    t = s - n
    p = [LINE[min(max(k, 0), JOINTS)] for k in range(n - 1, n + 3)]
    if n == 0:
        p[0] = 2 * LINE[0] - LINE[1]
    if n == JOINTS - 1:
        p[3] = 2 * LINE[-1] - LINE[-2]
    point = 0.5 * (2 * p[1] + (p[2] - p[0]) * t + (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3]) * t ** 2
                   + (3 * p[1] - p[0] - 3 * p[2] + p[3]) * t ** 3)
    direction = 0.5 * ((p[2] - p[0]) + 2 * (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3]) * t
                       + 3 * (3 * p[1] - p[0] - 3 * p[2] + p[3]) * t ** 2)
    return point, direction.normalized()


def radius(s):
    """Returns the stalk's radius at s joints: thick at the base, a long taper, a bud at the tip."""
    t = s / JOINTS
    return 4.3 * (1 - t) ** 0.8 + 0.75 + 0.8 * math.exp(-((t - 0.965) / 0.03) ** 2) \
        + 0.10 * math.sin(math.tau * s) * (1 - t)


# -- Weights ----------------------------------------------------------------------------------------

def stalk_name(n):
    return "stalk_%02d" % (n + 1)


def stalk_weights(s):
    """Returns Gaussian weights around s: nine or ten joints, and the root near the base."""
    weights = {stalk_name(n): math.exp(-0.5 * ((s - n - 0.5) / SMOOTH) ** 2) for n in range(JOINTS)}
    weights["root"] = sum(math.exp(-0.5 * ((s - n - 0.5) / SMOOTH) ** 2) for n in range(-9, 0))
    return strongest(weights)


def strongest(weights):
    largest = max(weights.values())
    weights = {name: weight for name, weight in weights.items() if weight > 0.02 * largest}
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}


def leaf_name(leaf, n):
    return "leaf_%s_%d" % ("abcdefgh"[leaf], n + 1)


def leaf_weights(leaf, s):
    """Returns Gaussian weights at s joints from the base of a leaf; s may be negative."""
    weights = {leaf_name(leaf, n): math.exp(-0.5 * ((s - n - 0.5) / 0.62) ** 2)
               for n in range(LEAF_JOINTS)}
    weights["root"] = sum(math.exp(-0.5 * ((s - n - 0.5) / 0.62) ** 2) for n in range(-4, 0))
    return strongest(weights)


# -- Surfaces ---------------------------------------------------------------------------------------

class Surface:
    def __init__(self):
        self.points, self.faces, self.uvs, self.weights = [], [], [], []

    def add(self, point, weights):
        self.points.append(tuple(point))
        self.weights.append(weights)
        return len(self.points) - 1

    def face(self, *corners):
        """Adds a face. `corners` are (vertex, (u, v)), counter-clockwise from outside."""
        self.faces.append([vertex for vertex, _ in corners])
        self.uvs += [uv for _, uv in corners]

    def tube(self, rows, uv_at):
        """Adds a tube. `rows` are rings with the same number of vertices. uv_at(row, column) returns the
        texture coordinate. The seam is at column 0."""
        count = len(rows[0])
        for r, (low, high) in enumerate(zip(rows, rows[1:])):
            for n in range(count):
                m = (n + 1) % count
                self.face((low[n], uv_at(r, n)), (low[m], uv_at(r, n + 1)),
                          (high[m], uv_at(r + 1, n + 1)), (high[n], uv_at(r + 1, n)))


def frame(direction):
    """Returns forward and left of a direction along the stalk, which bends in the xz plane."""
    left = Vector((0.0, 1.0, 0.0))
    return left.cross(direction).normalized(), left


def ring(s, angle, grown=0.0):
    """Returns a point on the stalk's surface. Angle 0 is the front with the suckers, which is flattened."""
    point, direction = along(s)
    ahead, left = frame(direction)
    wide = radius(s) + grown
    flat = 1.0 - 0.14 * math.exp(-(angle / 0.7) ** 2)
    return point + wide * (math.cos(angle) * flat * ahead + math.sin(angle) * left)


def column_angle(n):
    """Returns the angle of column n; the seam, n = 0, is at the back."""
    return (n / AROUND - 0.5) * math.tau


def build_stalk(surface):
    heights = [(10.6, -0.3), (11.0, 1.2), (10.4, 2.8), (8.8, 4.4), (7.0, 5.7), (5.75, 6.6)]
    rows, marks = [], []
    for wide, height in heights:  # a bulb with five lobes
        ring_vertices = []
        for n in range(AROUND):
            angle = column_angle(n)
            lobe = 1.0 + 0.10 * math.cos(5 * angle) * (1 - height / 7.0)
            ring_vertices.append(surface.add((wide * lobe * math.cos(angle), wide * lobe * math.sin(angle),
                                              height), {"root": 1.0} if height < 5.0 else
                                             stalk_weights((height - 7.0) / LENGTHS[0])))
        rows.append(ring_vertices)
        marks.append(0.105 * (height + 0.3) / 7.0)
    steps = JOINTS * 3
    for k in range(steps + 1):
        s = k / 3
        rows.append([surface.add(ring(s, column_angle(n)), stalk_weights(s)) for n in range(AROUND)])
        marks.append(0.115 + 0.87 * s / JOINTS)
    surface.tube(rows, lambda r, n: (0.5 * n / AROUND, marks[r]))
    tip = surface.add(LINE[-1] + 0.9 * along(JOINTS)[1], stalk_weights(JOINTS))
    for n in range(AROUND):
        surface.face((rows[-1][n], (0.5 * n / AROUND, marks[-1])),
                     (rows[-1][(n + 1) % AROUND], (0.5 * (n + 1) / AROUND, marks[-1])),
                     (tip, (0.5 * (n + 0.5) / AROUND, 0.997)))


def build_sucker(surface, s, side):
    """Adds a cup on the front, which is a rim around a hollow. All its vertices have the same weights, so it
    is rigid."""
    size = 0.36 * radius(s) + 0.12
    angle = side * 0.46
    center, weights = ring(s, angle, -0.12 * size), stalk_weights(s)
    _, direction = along(s)
    out = (ring(s, angle, 1.0) - ring(s, angle)).normalized()
    across = direction.cross(out).normalized()
    up = out.cross(across)
    profile = [(1.0, -0.35), (1.06, 0.42), (0.92, 0.66), (0.70, 0.60), (0.45, 0.36)]
    count = 8
    rows = [[surface.add(center + size * (wide * (math.cos(n * math.tau / count) * across
                                                  + math.sin(n * math.tau / count) * up)
                                          + height * out), weights) for n in range(count)]
            for wide, height in profile]

    def uv_at(r, n):
        far = (1.0, 0.88, 0.74, 0.55, 0.36)[r]
        angle = n * math.tau / count
        return 0.875 + 0.115 * far * math.cos(angle), 0.875 + 0.115 * far * math.sin(angle)
    surface.tube(rows, uv_at)
    middle = surface.add(center + size * 0.28 * out, weights)
    for n in range(count):
        surface.face((rows[-1][n], uv_at(4, n)), (rows[-1][(n + 1) % count], uv_at(4, n + 1)),
                     (middle, (0.875, 0.875)))


def leaf_frame(leaf):
    """Returns base position, outward direction, left direction."""
    angle = math.tau * (leaf + 0.5) / LEAVES + 0.16 * (-1) ** leaf
    out = Vector((math.cos(angle), math.sin(angle), 0.0))
    return out * 6.2 + Vector((0, 0, 4.6)), out, Vector((-out.y, out.x, 0.0))


def leaf_at(leaf, t):
    """Returns the leaf's center line at t (0..1): position, direction, size. Rises, then arches over."""
    foot, out, _ = leaf_frame(leaf)
    size = LEAF_LENGTH * (1.0, 0.86, 1.08, 0.92, 1.04, 0.82)[leaf]
    rise = 1.0 - 1.25 * t + 0.12 * math.sin(leaf * 2.1)
    point = foot + size * (0.80 * t * out + (0.66 * t - 0.44 * t * t) * Vector((0, 0, 1)))
    return point, (0.80 * out + 0.66 * rise * Vector((0, 0, 1))).normalized(), size


def build_leaf(surface, leaf):
    _, _, left = leaf_frame(leaf)
    steps, count = 12, 8
    rows = []
    for k in range(steps + 1):
        t = k / steps
        point, direction, size = leaf_at(leaf, t)
        wide = size * 0.185 * math.sin(math.pi * min(1.0, 0.10 + 0.90 * t)) ** 0.75 + 0.08
        thick = 0.55 * (1 - t) ** 1.4 + 0.14
        up = direction.cross(left)
        if up.z < 0:
            up = -up
        weights = leaf_weights(leaf, t * LEAF_JOINTS)
        row = []
        for n in range(count):
            angle = n * math.tau / count
            edge = math.cos(angle)
            wave = 0.16 * wide * edge * edge * math.sin(9.0 * t + 2.0 * (edge > 0) + leaf)
            row.append(surface.add(point + wide * edge * left + up * (
                thick * math.sin(angle) - 0.22 * wide + 0.34 * wide * edge * edge + wave), weights))
        rows.append(row)

    def uv_at(r, n, below):
        # u runs across, v along the leaf: the upper side has u 0.5 to 0.75, the lower one 0.75 to 1.
        across = 0.5 + 0.5 * math.cos(n * math.tau / count)
        return 0.985 - 0.225 * across if below else 0.515 + 0.225 * across, 0.02 + 0.70 * r / steps
    for r, (low, high) in enumerate(zip(rows, rows[1:])):
        for n in range(count):
            m, below = (n + 1) % count, n >= count / 2
            surface.face((low[n], uv_at(r, n, below)), (low[m], uv_at(r, n + 1, below)),
                         (high[m], uv_at(r + 1, n + 1, below)), (high[n], uv_at(r + 1, n, below)))
    end, direction, _ = leaf_at(leaf, 1.0)
    tip = surface.add(end + 0.25 * direction, leaf_weights(leaf, LEAF_JOINTS))
    for n in range(count):
        below = n >= count / 2
        surface.face((rows[-1][n], uv_at(steps, n, below)),
                     (rows[-1][(n + 1) % count], uv_at(steps, n + 1, below)),
                     (tip, (0.8725 if below else 0.6275, 0.735)))


# -- Blender objects --------------------------------------------------------------------------------

def add_mesh(armature, name, surface):
    data = bpy.data.meshes.new(name)
    data.from_pydata(surface.points, [], surface.faces)
    data.uv_layers.new(name="UVMap").data.foreach_set(
        "uv", [coordinate for u, v in surface.uvs for coordinate in (u, v)])
    material = bpy.data.materials.get("models/tendril/tendril") or bpy.data.materials.new(
        "models/tendril/tendril")
    data.materials.append(material)
    obj = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(obj)
    obj.parent = armature
    obj.modifiers.new("joints", "ARMATURE").object = armature
    for joint in sorted({joint for weights in surface.weights for joint in weights}):
        group = obj.vertex_groups.new(name=joint)
        for vertex, weights in enumerate(surface.weights):
            if joint in weights:
                group.add([vertex], weights[joint], "REPLACE")
    return obj


def add_armature():
    data = bpy.data.armatures.new("tendril")
    armature = bpy.data.objects.new("tendril", data)
    bpy.context.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")

    def bone(name, parent, head, tail, side):
        edit_bone = data.edit_bones.new(name)
        edit_bone.head, edit_bone.tail = head, tail
        edit_bone.align_roll(side)
        edit_bone.parent = data.edit_bones[parent] if parent else None
    # The export (bone_axis X) maps the bone's y, z, x axes to the joint's x, y, z axes.
    bone("root", None, (0, 0, 0), (0, 0, 5), (0, 1, 0))
    above = "root"
    for n in range(JOINTS):
        bone(stalk_name(n), above, LINE[n], LINE[n + 1], (0, 1, 0))
        above = stalk_name(n)
    for leaf in range(LEAVES):
        above = "root"
        for n in range(LEAF_JOINTS):
            bone(leaf_name(leaf, n), above, leaf_at(leaf, n / LEAF_JOINTS)[0],
                 leaf_at(leaf, (n + 1) / LEAF_JOINTS)[0], leaf_frame(leaf)[2])
            above = leaf_name(leaf, n)
    bpy.ops.object.mode_set(mode="OBJECT")
    for pose in armature.pose.bones:
        pose.rotation_mode = "XYZ"
    return armature


# -- Motion -----------------------------------------------------------------------------------------
# The z axis of all chain bones points left of their direction: rotation about z bends a chain in its
# vertical plane (positive: forward), rotation about x bends it sideways.

def smooth(x):
    x = min(max(x, 0.0), 1.0)
    return x * x * (3 - 2 * x)


def leaves_at(rotations, phase, push):
    """Moves the leaves like a light wind, each with a phase shift; push: extra strength, -1 to 1."""
    for leaf in range(LEAVES):
        for n in range(LEAF_JOINTS):
            delayed = phase - 0.9 * leaf - 0.55 * n
            rotations[leaf_name(leaf, n)] = (
                0.045 * (n + 1) * math.sin(delayed) * 0.6 + 0.02 * math.sin(2 * delayed + leaf), 0.0,
                0.05 * math.sin(delayed + 1.0) * (0.6 + 0.3 * n) + 0.05 * push * math.sin(delayed))


def sway(t):
    """Sways: a wave runs up the stalk and becomes wider toward the tip. A second wave makes the path of the
    tip a loop instead of a line."""
    phase, rotations = math.tau * t, {}
    for n in range(JOINTS):
        u = n / (JOINTS - 1)
        wide = 0.022 + 0.085 * u ** 1.4
        rotations[stalk_name(n)] = (wide * math.sin(phase - 3.3 * u), 0.0,
                                    0.8 * wide * math.sin(phase - 3.3 * u + 1.6)
                                    + 0.035 * u * math.sin(2 * phase - 5.0 * u) + 0.012)
    leaves_at(rotations, phase, 0.0)
    return rotations


def curl(t):
    """Rolls up from the tip, squeezes, unrolls, overshoots and settles."""
    phase, rotations = math.tau * t, {}
    wind = smooth((t - 0.06) / 0.34) - 1.12 * smooth((t - 0.58) / 0.22) \
        + 0.12 * smooth((t - 0.80) / 0.18)
    squeeze = smooth((t - 0.40) / 0.05) * (1 - smooth((t - 0.52) / 0.06)) * math.sin(math.tau * 9 * t)
    for n in range(JOINTS):
        u = n / (JOINTS - 1)
        # The tip starts first and bends most.
        mine = wind * smooth(wind * 2.2 - 1.2 * (1 - u)) if wind > 0 else wind * 0.5
        # A spiral whose radius decreases with the remaining length; the lower stalk leans back.
        wound = 4.7 * LENGTHS[n] / (sum(LENGTHS[n:]) + 5.0) * smooth((u - 0.16) / 0.5)
        bend = mine * (wound - 0.012) * (1 + 0.05 * squeeze)
        rotations[stalk_name(n)] = (0.05 * mine * u + 0.02 * u * math.sin(phase - 3 * u), 0.0,
                                    bend + 0.018 * math.sin(phase - 2.2 * u))
    leaves_at(rotations, phase, wind)
    return rotations


def lash(t):
    """Draws back, strikes forward, and swings until it is still."""
    phase, rotations = math.tau * t, {}
    for n in range(JOINTS):
        u = n / (JOINTS - 1)
        mine = t - 0.055 * u  # the tip lags, as in a whip
        back = -smooth(mine / 0.26) * (1 - smooth((mine - 0.30) / 0.06))
        strike = smooth((mine - 0.30) / 0.07) * (1 - smooth((mine - 0.40) / 0.25))
        after = smooth((mine - 0.42) / 0.06) * (1 - smooth((mine - 0.50) / 0.42))
        swing = after * math.sin(math.tau * 2.6 * (mine - 0.42))
        bend = 0.075 * back * (1 - 0.35 * u) + 0.125 * strike * (1 - 0.62 * u) \
            + swing * (0.02 + 0.05 * u)
        rotations[stalk_name(n)] = (0.022 * back + 0.03 * swing * u, 0.0, bend)
    leaves_at(rotations, phase, 2 * math.sin(phase))
    return rotations


CLIPS = {"sway": (sway, 4.0), "curl": (curl, 5.0), "lash": (lash, 2.5)}


def add_clip(name, motion, seconds):
    action = bpy.data.actions.new(name)
    action.use_fake_user = True
    count = round(seconds * RATE)
    poses = [motion(frame % count / count) for frame in range(count + 1)]  # the last is the first
    frames = np.arange(1, count + 2)
    for joint in sorted(poses[0]):
        for axis in range(3):
            curve = action.fcurves.new('pose.bones["%s"].rotation_euler' % joint, index=axis,
                                       action_group=joint)
            curve.keyframe_points.add(count + 1)
            curve.keyframe_points.foreach_set("co", np.stack(
                [frames, [pose[joint][axis] for pose in poses]], axis=-1).astype(np.float32).ravel())
            curve.update()


# -- Textures ---------------------------------------------------------------------------------------

def mix(a, b, fraction):
    return a + (b - a) * fraction[..., None]


def soft(x, low, high):
    x = np.clip((x - low) / (high - low), 0.0, 1.0)
    return x * x * (3 - 2 * x)


def waves(x, y, seed, octaves=5):
    """Returns noise with period 1 in x: a sum of sines with integer frequencies in x."""
    chance = random.Random(seed)
    total = np.zeros_like(x)
    for n in range(octaves * 6):
        across, up = chance.randint(0, 2 + n // 3), chance.uniform(-1, 1) * (2 + n / 2)
        total += np.sin(math.tau * (across * x + up * y) + chance.uniform(0, math.tau)) / (1 + n / 5)
    return total / 4


def spots(x, y, rows, columns, seed):
    """Returns the distance to the nearest random point, in cells; period 1 in x."""
    chance = random.Random(seed)
    near = np.full(x.shape, 9.0)
    for row in range(-1, rows + 1):
        for column in range(columns):
            px, py = (column + chance.uniform(0.1, 0.9)) / columns, row + chance.uniform(0.1, 0.9)
            size = chance.uniform(0.6, 1.5)
            dx = np.abs(x - px)
            dx = np.minimum(dx, 1 - dx) * columns
            near = np.minimum(near, np.hypot(dx, y * rows - py) / size)
    return near


def stalk_texture(x, y):
    """Returns color and height of the stalk. x runs around it, 0 and 1 at the back; y from base to tip."""
    front = np.abs(x - 0.5) * 2  # 0 in front
    noise = waves(x, 6 * y, 3)
    near = spots(x, y, 30, 7, 5)
    back = mix(np.array([0.10, 0.30, 0.27]), np.array([0.16, 0.48, 0.33]), soft(noise, -0.8, 0.8))
    back = mix(back, np.array([0.58, 0.17, 0.40]), soft(y + 0.05 * noise, 0.42, 0.93))
    back = mix(back, np.array([0.98, 0.46, 0.36]), soft(y, 0.90, 0.99))
    on_back = soft(front, 0.42, 0.62)
    back = mix(back, back * 0.45 + np.array([0.03, 0.02, 0.07]), soft(-near, -0.34, -0.24) * on_back)
    back = mix(back, back * 0.5 + np.array([0.40, 0.48, 0.26]),
               soft(-np.abs(near - 0.40), -0.09, -0.03) * on_back * 0.7)
    belly = mix(np.array([0.90, 0.80, 0.58]), np.array([0.96, 0.66, 0.60]), soft(y, 0.2, 0.9))
    belly = belly * (1 - 0.10 * soft(np.sin(math.tau * y * 66 + noise), 0.2, 1.0))[..., None]
    edge = front + 0.06 * noise + 0.03 * np.sin(math.tau * y * 44)
    color = mix(belly, back, soft(edge, 0.36, 0.50))
    earth = np.array([0.20, 0.13, 0.09]) * (1 + 0.25 * noise[..., None])
    color = mix(earth, color, soft(y + 0.015 * noise, 0.02, 0.13))
    height = 0.5 * soft(-near, -0.40, -0.15) * on_back + 0.35 * np.sin(math.tau * y * 66 + 0.8 * noise) \
        * (0.3 + 0.7 * soft(-front, -0.5, -0.3)) + 0.25 * noise
    return color, height


def leaf_texture(x, y):
    """Returns color and height of the leaves. x runs across, y along; the upper side is the left half."""
    below = x > 0.5
    across = np.abs(np.where(below, 1.5 - 2 * x, 2 * x - 0.5))  # 0 at the rib, 0.5 at the edge
    noise = waves(x, 3 * y, 11)
    veins = np.abs(np.sin(math.pi * (y * 15 - across * 5.5)))
    rib, vein = soft(-across, -0.035, -0.012), soft(-veins, -0.22, -0.05)
    color = mix(np.array([0.08, 0.27, 0.14]), np.array([0.20, 0.46, 0.16]), soft(noise, -0.8, 0.9))
    color = mix(color, np.array([0.52, 0.62, 0.22]), soft(across, 0.36, 0.50))
    color = mix(color, np.array([0.58, 0.16, 0.30]), soft(across + 0.4 * y + 0.03 * noise, 0.72, 0.9))
    color = mix(color, np.array([0.55, 0.68, 0.36]), np.maximum(rib, 0.45 * vein))
    color = np.where(below[..., None], color * 0.72 + np.array([0.10, 0.10, 0.06]), color)
    return color, 0.6 * rib - 0.35 * vein + 0.1 * noise


def sucker_texture(x, y):
    far = np.hypot(x - 0.5, y - 0.5) * 2
    angle = np.arctan2(y - 0.5, x - 0.5)
    color = mix(np.array([0.42, 0.10, 0.20]), np.array([0.97, 0.72, 0.62]), soft(far, 0.30, 0.72))
    color = mix(color, np.array([0.93, 0.78, 0.60]), soft(far, 0.82, 0.98))
    folds = np.sin(14 * angle) * soft(far, 0.2, 0.5) * (1 - soft(far, 0.6, 0.8))
    return color * (1 - 0.10 * folds[..., None]), 0.5 * folds


def textures(folder):
    y, x = np.mgrid[0:TEXELS, 0:TEXELS] + 0.5
    u, v = x / TEXELS, 1 - y / TEXELS  # Blender's v grows upwards
    half = u < 0.5
    crown = (u >= 0.75) & (v >= 0.75)
    color, height = stalk_texture(np.clip(u * 2, 0, 1), v)
    for where, part in ((~half, leaf_texture((u - 0.5) * 2, v / 0.74)),
                        (crown, sucker_texture((u - 0.875) / 0.23 + 0.5, (v - 0.875) / 0.23 + 0.5))):
        color = np.where(where[..., None], part[0], color)
        height = np.where(where, part[1], height)
    save(os.path.join(folder, "tendril.png"), np.clip(color, 0, 1) * 255)
    down, right = np.gradient(height * 2.2 * TEXELS / 1024)
    slope = np.stack([-right, -down, np.ones_like(right)], axis=-1)
    slope /= np.linalg.norm(slope, axis=-1, keepdims=True)
    save(os.path.join(folder, "tendril_local.png"), (slope * 0.5 + 0.5) * 255)


def save(path, pixels):
    png.write(path, TEXELS, TEXELS, np.round(pixels).astype(np.uint8).tobytes())


# -- Main -------------------------------------------------------------------------------------------

def main(folder):
    os.makedirs(folder, exist_ok=True)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = RATE
    io_md5.register()
    armature = add_armature()
    stalk, suckers, leaves = Surface(), Surface(), Surface()
    build_stalk(stalk)
    for n in range(26):
        s = 2.6 + 18.2 * (n / 25) ** 0.86
        for side in (-1, 1):
            build_sucker(suckers, s + 0.18 * side, side)
    for leaf in range(LEAVES):
        build_leaf(leaves, leaf)
    for name, surface in (("stalk", stalk), ("suckers", suckers), ("leaves", leaves)):
        add_mesh(armature, name, surface)
    for name, (motion, seconds) in CLIPS.items():
        add_clip(name, motion, seconds)
    textures(folder)
    assert bpy.ops.export_scene.md5(filepath=os.path.join(folder, "tendril.md5mesh"), forward="X",
                                    bone_axis="X", accuracy=1e-4) == {"FINISHED"}


main(sys.argv[sys.argv.index("--") + 1] if "--" in sys.argv else FOLDER)

"""Runs in Blender: builds a character with every feature that an exporter has to handle, exports it with
several options, and writes Blender's evaluation of the scene to the folder of each export.

    blender -b --factory-startup --python-exit-code 1 -P scene.py -- ADD-ONS FOLDER"""

import math
import os
import sys

import bmesh
import bpy
from mathutils import Euler, Matrix, Quaternion, Vector

ADDONS, FOLDER = sys.argv[sys.argv.index("--") + 1:]
sys.path[:0] = [ADDONS, os.path.dirname(os.path.abspath(__file__))]
import io_md5  # noqa: E402
import truth  # noqa: E402

RATE = 24


def clear():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    io_md5.register()
    bpy.context.scene.render.fps = RATE


# -- The character, in meters, looking along -y -----------------------------------------------------

BONES = {  # name: parent, head, tail, roll
    "hips": (None, (0, 0, 1.0), (0, 0, 1.15), 0.0),
    "spine": ("hips", (0, 0, 1.15), (0, 0.02, 1.35), 0.3),
    "chest": ("spine", (0, 0.02, 1.35), (0, 0, 1.6), 0.0),
    "head": ("chest", (0, 0, 1.65), (0, -0.05, 1.9), 1.0),
    "arm.L": ("chest", (0.2, 0, 1.55), (0.5, 0.03, 1.5), 0.0),
    "hand.L": ("arm.L", (0.5, 0.03, 1.5), (0.8, 0, 1.5), 0.2),
    "arm.R": ("chest", (-0.2, 0, 1.55), (-0.5, 0.03, 1.5), 0.0),
    "hand.R": ("arm.R", (-0.5, 0.03, 1.5), (-0.8, 0, 1.5), -0.2),
    "thigh.L": ("hips", (0.12, 0, 0.95), (0.13, -0.03, 0.5), math.pi),
    "shin.L": ("thigh.L", (0.13, -0.03, 0.5), (0.12, 0, 0.05), 0.0),
    "thigh.R": ("hips", (-0.12, 0, 0.95), (-0.13, -0.03, 0.5), math.pi),
    "shin.R": ("thigh.R", (-0.13, -0.03, 0.5), (-0.12, 0, 0.05), 0.0),
    # Control bones, and a bone between others that does not deform.
    "target": (None, (0.5, -0.3, 1.2), (0.5, -0.3, 1.3), 0.0),
    "twist": ("head", (0, 0, 1.9), (0, 0, 2.0), 0.0),
    "hat": ("twist", (0, 0, 2.0), (0, 0, 2.1), 0.0),
}
NOT_DEFORMING = ("target", "twist")


def build_armature():
    data = bpy.data.armatures.new("rig")
    armature = bpy.data.objects.new("rig", data)
    bpy.context.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (parent, head, tail, roll) in BONES.items():
        bone = data.edit_bones.new(name)
        bone.head, bone.tail, bone.roll = head, tail, roll
        bone.use_deform = name not in NOT_DEFORMING
        if parent:
            bone.parent = data.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    armature.location = (0.3, -0.2, 0.1)
    armature.rotation_euler = (0.1, 0.2, 0.7)
    armature.scale = (0.9, 0.9, 0.9)
    return armature


def distance(point, bone):
    _, head, tail, _ = BONES[bone]
    head, tail = Vector(head), Vector(tail)
    direction = tail - head
    fraction = max(0.0, min(1.0, (point - head).dot(direction) / direction.length_squared))
    return (point - head - direction * fraction).length


def add_weights(obj, bones, max_influences, power):
    """Adds weights whose sum is not one, as in painted models; Blender normalizes them."""
    groups = {name: obj.vertex_groups.new(name=name) for name in bones}
    for name in ("no bone", NOT_DEFORMING[1]):
        obj.vertex_groups.new(name=name).add([0, 1, 2], 1.0, "REPLACE")
    for vertex in obj.data.vertices:
        nearest = sorted(bones, key=lambda name: distance(vertex.co, name))[:max_influences]
        for name in nearest:
            share = 0.9 / (1.0 + (20 * distance(vertex.co, name)) ** power)
            groups[name].add([vertex.index], share, "REPLACE")


def tube(rings, around):
    """Builds a closed tube through rings of (center, radius). Its UVs have a seam along the tube and at the
    ends, where all triangles of a fan share one vertex."""
    mesh = bmesh.new()
    layer = mesh.loops.layers.uv.new("UVMap")
    rows = [[mesh.verts.new(Vector(center) + radius * Vector((
        math.cos(n * math.tau / around), math.sin(n * math.tau / around), 0.0)))
        for n in range(around)] for center, radius in rings]
    ends = (mesh.verts.new(Vector(rings[0][0]) - Vector((0, 0, 0.05))),
            mesh.verts.new(Vector(rings[-1][0]) + Vector((0, 0, 0.05))))

    def face(vertices, uvs):
        polygon = mesh.faces.new(vertices)
        polygon.smooth = True
        for loop, uv in zip(polygon.loops, uvs):
            loop[layer].uv = uv

    for row, (low, high) in enumerate(zip(rows, rows[1:])):
        v, w = row / len(rows), (row + 1) / len(rows)
        for n in range(around):
            u, x = n / around, (n + 1) / around
            face((low[n], low[(n + 1) % around], high[(n + 1) % around], high[n]),
                 ((u, v), (x, v), (x, w), (u, w)))
    for n in range(around):
        u, x = n / around, (n + 1) / around
        face((ends[0], rows[0][(n + 1) % around], rows[0][n]), ((u, 0), (x, 0.1), (u, 0.1)))
        face((ends[1], rows[-1][n], rows[-1][(n + 1) % around]), ((u, 1), (u, 0.9), (x, 0.9)))
    return mesh


def finish(mesh, name, armature, materials):
    data = bpy.data.meshes.new(name)
    mesh.normal_update()
    mesh.to_mesh(data)
    mesh.free()
    obj = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(obj)
    for material in materials:
        data.materials.append(bpy.data.materials.get(material) or bpy.data.materials.new(material))
    obj.parent = armature
    return obj


def add_armature(obj, armature):
    obj.modifiers.new("bones", "ARMATURE").object = armature


def build_body(armature):
    """Builds seven rings: different weights, two materials on a surface, n-gons triangulated by Blender."""
    mesh = tube([((0, 0, 0.9 + 0.1 * n), 0.12 + 0.04 * math.sin(n)) for n in range(9)], 13)
    for face in mesh.faces:
        face.material_index = int(face.calc_center_median().z > 1.35)
    obj = finish(mesh, "body", armature, ["models/test/trousers", "models/test/shirt"])
    add_weights(obj, [name for name in BONES if name not in NOT_DEFORMING], 7, 2)
    add_armature(obj, armature)
    obj.modifiers.new("triangles", "TRIANGULATE")


def build_limbs(armature):
    """Builds one half; a mirror modifier adds the other half with mirrored weights. It is subdivided before
    it is deformed. The object has a translation and a rotation."""
    mesh = tube([((0.13, -0.03, 0.02 + 0.11 * n), 0.06) for n in range(9)], 6)
    transform = Matrix.Translation((0.02, 0.01, 0.03)) @ Euler((0.1, 0.0, 0.2)).to_matrix().to_4x4()
    obj = finish(mesh, "limbs", armature, ["models/test/skin"])
    add_weights(obj, ["hips", "thigh.L", "shin.L"], 3, 3)
    for name in ("thigh.R", "shin.R"):
        obj.vertex_groups.new(name=name)
    obj.matrix_basis = transform
    obj.modifiers.new("other side", "MIRROR").use_mirror_merge = False
    obj.modifiers.new("finer", "SUBSURF").levels = 1
    add_armature(obj, armature)


def build_hat(armature):
    """Builds an object without weights whose parent is a bone; a negative scale mirrors it."""
    mesh = bmesh.new()
    bmesh.ops.create_cone(mesh, cap_ends=True, segments=7, radius1=0.2, radius2=0.05, depth=0.2)
    layer = mesh.loops.layers.uv.new("UVMap")
    for face in mesh.faces:
        for loop in face.loops:
            loop[layer].uv = loop.vert.co.xy
    obj = finish(mesh, "hat", armature, ["models/test/hat"])
    obj.parent_type, obj.parent_bone = "BONE", "hat"
    obj.scale = (-1.0, 1.2, 0.8)
    obj.rotation_euler = (0.3, 0.0, 0.4)


# -- Actions ----------------------------------------------------------------------------------------

def add_action(armature, name, keys):
    """Creates an action. keys: {bone or None for the object: {frame: (location, rotation)}}."""
    action = bpy.data.actions.new(name)
    action.use_fake_user = True
    armature.animation_data_create().action = action
    for bone, frames in keys.items():
        obj = armature.pose.bones[bone] if bone else armature
        for frame, (location, rotation) in frames.items():
            if location is not None:
                obj.location = location
                obj.keyframe_insert("location", frame=frame, group=bone or "object")
            if rotation is not None and obj.rotation_mode == "QUATERNION":
                obj.rotation_quaternion = rotation
                obj.keyframe_insert("rotation_quaternion", frame=frame, group=bone or "object")
            elif rotation is not None:
                obj.rotation_euler = rotation
                obj.keyframe_insert("rotation_euler", frame=frame, group=bone or "object")
    return action


def rotation_quaternion(x, y, z):
    return Euler((x, y, z)).to_quaternion()


def build_actions(armature):
    for name in ("thigh.L", "thigh.R"):
        armature.pose.bones[name].rotation_mode = "XYZ"
    swing = {}
    for side, sign in (("L", 1), ("R", -1)):
        swing["thigh." + side] = {1: (None, (0.6 * sign, 0, 0)), 13: (None, (-0.6 * sign, 0.1, 0)),
                                  25: (None, (0.6 * sign, 0, 0))}
        swing["arm." + side] = {1: (None, rotation_quaternion(0.2, 0, 0.5 * sign)),
                                13: (None, rotation_quaternion(0.4, 0.2, -0.5 * sign)),
                                25: (None, rotation_quaternion(0.2, 0, 0.5 * sign))}
    swing["hips"] = {1: ((0, 0, 0), None), 7: ((0, 0.04, 0), None), 13: ((0, 0, 0), None),
                     25: ((0, 0, 0), None)}
    add_action(armature, "walk", swing)
    # Root motion by a bone, and a joint that rotates by 360 degrees, through 180 degrees, where the stored
    # part of a rotation is least accurate.
    add_action(armature, "roll over", {
        "hips": {1: ((0, 0, 0), (1, 0, 0, 0)), 21: ((0.2, 0.3, 1.5), rotation_quaternion(0, 1.5, 0)),
                 41: ((0, 0, 3.0), rotation_quaternion(0, 3.0, 0.5))},
        "hand.L": {frame: (None, Quaternion((0, 1, 0), (frame - 1) * math.tau / 40))
                   for frame in range(1, 42, 4)},
        "twist": {1: (None, rotation_quaternion(0, 0, 0)), 41: (None, rotation_quaternion(0, 3.1, 0))},
        "shin.R": {1: (None, rotation_quaternion(0, 0, 0)), 41: (None, rotation_quaternion(2.2, 0, 0))}})
    # The object itself moves by 4 m and rotates.
    add_action(armature, "march", {
        None: {1: ((0.3, -0.2, 0.1), (0.1, 0.2, 0.7)), 31: ((0.3, -4.2, 0.1), (0.1, 0.2, 2.2))},
        "spine": {1: (None, rotation_quaternion(0.2, 0, 0)), 31: (None, rotation_quaternion(-0.3, 0.2, 0))}})
    # An action that starts late, ends between frames, and has a constraint in addition to its keys.
    add_action(armature, "reach", {"target": {100.25: ((0, 0, 0), None), 119.5: ((-0.3, 0.5, 0.4), None)}})
    add_action(armature, "still", {"head": {5: (None, rotation_quaternion(0.4, 0.2, 0.1))}})
    constraint = armature.pose.bones["hand.L"].constraints.new("IK")
    constraint.target, constraint.subtarget, constraint.chain_count = armature, "target", 2
    constraint.influence = 0.7
    add_action(armature, "other rig", {}).fcurves.new('pose.bones["somebody else"].location', index=0)


def play_action(armature, name):
    """Plays one action as the exporter must: alone, from the rest position and the object's transform."""
    for bone in armature.pose.bones:
        bone.matrix_basis = Matrix.Identity(4)
    armature.location, armature.rotation_euler = (0.3, -0.2, 0.1), (0.1, 0.2, 0.7)
    armature.animation_data.use_nla = False
    armature.animation_data.action = bpy.data.actions[name]
    bpy.context.view_layer.update()


# -- Exports ----------------------------------------------------------------------------------------

def joint_order(exported_bones, has_origin):
    """Returns the names in the file and the bones. Parents are before their children, and siblings are sorted
    by name."""
    order = []

    def visit(name):
        if name in exported_bones:
            order.append(name)
        for child in sorted(n for n, bone in BONES.items() if bone[0] == name):
            visit(child)
    for root in sorted(name for name, bone in BONES.items() if bone[0] is None):
        visit(root)
    return (["origin"] if has_origin else []) + order, ([None] if has_origin else []) + order


SHADERS = ["models/test/trousers", "models/test/shirt", "models/test/hat", "models/test/skin"]
RANGES = {"walk": (1, 25), "roll over": (1, 41), "march": (1, 31), "reach": (100, 120),
          "still": (5, 5)}


def export(armature, folder, names, forward, scale, bone_axis, exported_bones, has_origin, **options):
    path = os.path.join(FOLDER, folder)
    os.makedirs(path)
    frame_before = bpy.context.scene.frame_current
    result = bpy.ops.export_scene.md5(filepath=os.path.join(path, "figure.md5mesh"), forward=forward,
                                      scale=scale, bone_axis=bone_axis, **options)
    assert result == {"FINISHED"}
    assert bpy.context.scene.frame_current == frame_before
    to_file = truth.space(forward, scale)
    objects = [bpy.data.objects[name] for name in ("body", "hat", "limbs")]
    joint_names, bones = joint_order(exported_bones, has_origin)
    play_action(armature, "walk")
    armature.animation_data.action = None
    rest, parts = truth.rest(armature, objects, bones, to_file, bone_axis)
    clips = []
    data = {"mesh": "figure.md5mesh", "names": joint_names, "clips": clips, "closed": [2, 3],
            "has_exact_bounds": True,
            "shaders": SHADERS, "vertices": parts.counts(),
            "rest": rest}
    for name in names:
        play_action(armature, name)
        first, last = RANGES[name]
        clips.append(truth.clip(armature, parts, bones, bone_axis,
                                name.replace(" ", "_") + ".md5anim", first, last, RATE))
    bpy.context.scene.frame_set(frame_before)
    truth.write(os.path.join(path, "truth.json"), data)


def timeline(armature):
    """Exports the scene as it plays, with overlapping NLA strips."""
    animation_data = armature.animation_data
    animation_data.action = None
    animation_data.use_nla = True
    for start, name in ((1, "walk"), (11, "march")):
        track = animation_data.nla_tracks.new()
        strip = track.strips.new(name, start, bpy.data.actions[name])
        strip.blend_in = 5
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 3, 30
    path = os.path.join(FOLDER, "timeline")
    os.makedirs(path)
    assert bpy.ops.export_scene.md5(filepath=os.path.join(path, "figure.md5mesh"), scale=10.0,
                                    actions="TIMELINE") == {"FINISHED"}
    assert animation_data.use_nla and animation_data.action is None
    to_file = truth.space("-Y", 10.0)
    objects = [bpy.data.objects[name] for name in ("body", "hat", "limbs")]
    names, bones = joint_order(set(BONES), True)
    rest, parts = truth.rest(armature, objects, bones, to_file, "Y")
    data = {"mesh": "figure.md5mesh", "names": names, "closed": [2, 3],
            "has_exact_bounds": True,
            "shaders": SHADERS, "vertices": parts.counts(), "rest": rest,
            "clips": [truth.clip(armature, parts, bones, "Y", "figure.md5anim", 3, 30, RATE)]}
    truth.write(os.path.join(path, "truth.json"), data)


def cameras():
    """Creates two cameras and three shots. The first shot begins before the scene's start frame."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 10, 60
    scene.render.resolution_x, scene.render.resolution_y = 1280, 720
    camera_objects = []
    for n in range(2):
        data = bpy.data.cameras.new("camera %d" % n)
        camera = bpy.data.objects.new("camera %d" % n, data)
        scene.collection.objects.link(camera)
        for frame in (10, 60):
            camera.location = (2 + n, frame / 20 - 2, 1 + n * frame / 30)
            camera.rotation_euler = (1.2, 0.1 * n, frame / 25 + n)
            camera.keyframe_insert("location", frame=frame)
            camera.keyframe_insert("rotation_euler", frame=frame)
            data.lens = 35 + frame / 2 + 10 * n
            data.keyframe_insert("lens", frame=frame)
        camera_objects.append(camera)
    camera_objects[1].data.sensor_fit = "VERTICAL"
    for frame, camera in ((5, 0), (25, 1), (45, 0)):
        scene.timeline_markers.new("shot", frame=frame).camera = camera_objects[camera]
    scene.camera = camera_objects[0]
    path = os.path.join(FOLDER, "flight.md5camera")
    assert bpy.ops.export_scene.md5camera(filepath=path, scale=39.37) == {"FINISHED"}
    to_file = truth.space("-Y", 39.37)
    views = []
    for frame in range(10, 61):
        scene.frame_set(frame)
        camera = camera_objects[1 if 25 <= frame < 45 else 0]
        evaluated = camera.evaluated_get(bpy.context.evaluated_depsgraph_get())
        world = to_file @ evaluated.matrix_world
        axes = [world.col[n].to_3d().normalized() for n in range(3)]
        views.append({"forward": list(-axes[2]), "left": list(-axes[0]), "up": list(axes[1]),
                      "position": list(world.translation),
                      "fov": math.degrees(evaluated.data.angle_x) if camera == camera_objects[0] else
                      math.degrees(2 * math.atan(math.tan(evaluated.data.angle_y / 2) * 1280 / 720))})
    truth.write(os.path.join(FOLDER, "flight.json"), {"rate": RATE, "cuts": [15, 36], "views": views})


def main():
    clear()
    armature = build_armature()
    build_body(armature)
    build_limbs(armature)
    build_hat(armature)
    build_actions(armature)
    play_action(armature, "walk")
    all_clips = list(RANGES)
    deforming = {name for name in BONES if name not in NOT_DEFORMING}
    export(armature, "meters", all_clips, "-Y", 1.0, "Y", set(BONES), True)
    export(armature, "large", all_clips, "X", 20.0, "MODEL", deforming, False, deform_only=True)
    export(armature, "some", ["walk", "march"], "-X", 1.0, "X", set(BONES), True,
           only="wal?, m*", accuracy=1e-6)
    timeline(armature)
    cameras()


main()

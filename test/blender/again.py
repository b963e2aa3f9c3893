"""Runs in Blender: exports rigs, imports the files with default options, and checks that bones, vertices,
weights and actions are unchanged. Also imports a clip onto the rig that it was exported from.

    blender -b --factory-startup --python-exit-code 1 -P again.py -- ADD-ONS FOLDER"""

import itertools
import os
import sys

import bpy
from mathutils import Matrix

ADDONS, FOLDER = sys.argv[sys.argv.index("--") + 1:]
sys.path.insert(0, ADDONS)
import io_md5  # noqa: E402

# Bones: parent, head, tail, roll. They include lengths that do not follow from a child, rolls, a leaf and a
# second root.
BONES = {"root": (None, (0, 0, 0), (0, 0, 0.5), 0.0), "spine": ("root", (0, 0.1, 0.5), (0, 0.3, 1.4), 0.4),
         "bone 7": ("spine", (0, 0.3, 1.4), (0.02, 0.3, 1.43), -2.0),
         "hand.L": ("spine", (0.2, 0, 1), (1.7, 0.1, 0.9), 1.0),
         "prop": (None, (-1, 0, 0.2), (-1, 0.25, 0.2), 3.0)}


def build(has_two_roots):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    rig = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    edit_bones = rig.data.edit_bones
    for name, (parent, head, tail, roll) in BONES.items():
        if parent or has_two_roots or name == "root":
            bone = edit_bones.new(name)
            bone.head, bone.tail, bone.roll = head, tail, roll
            bone.parent = edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    mesh = bpy.data.meshes.new("body")
    mesh.from_pydata([(0, 0, 0), (0.1, 0, 0), (0, 0.4, 1.5), (1.5, 0, 1)], [], [(0, 1, 2), (1, 3, 2)])
    mesh.uv_layers.new()
    obj = bpy.data.objects.new("body", mesh)
    bpy.context.collection.objects.link(obj)
    groups = {name: obj.vertex_groups.new(name=name) for name in ("root", "spine")}
    for name, vertex, weight in (("root", 0, 1), ("root", 1, 0.25), ("spine", 1, 0.75), ("spine", 2, 1),
                                 ("root", 3, 1)):
        groups[name].add([vertex], weight, "REPLACE")
    obj.parent = rig
    obj.modifiers.new("rig", "ARMATURE").object = rig
    for bone in rig.pose.bones:
        bone.rotation_mode = "QUATERNION"
    rig.animation_data_create().action = action = bpy.data.actions.new("walk, then wave")
    for frame in (7, 12):
        for n, bone in enumerate(rig.pose.bones):
            bone.rotation_quaternion = Matrix.Rotation(0.1 * frame * (n + 1), 3, (1, n, 2)).to_quaternion()
            bone.location = (0.01 * frame, 0.02 * n, 0)
            for channel in ("rotation_quaternion", "location"):
                bone.keyframe_insert(channel, frame=frame)
    action.use_fake_user = True
    return rig


def state(rig, mesh_objects):
    """Returns numbers by name. Export and import must not change any of them."""
    result = {}
    for bone in rig.data.bones:
        parent = bone.parent.name if bone.parent else ""
        result["bone %s of %s" % (bone.name, parent)] = [
            value for row in rig.matrix_world @ bone.matrix_local for value in row] + [bone.length]
    for obj in mesh_objects:
        names = [group.name for group in obj.vertex_groups]
        for vertex in obj.data.vertices:
            result["vertex %d" % vertex.index] = list(obj.matrix_world @ vertex.co)
            for group in vertex.groups:
                result["weight %d %s" % (vertex.index, names[group.group])] = [group.weight]
    result.update(poses(rig))
    return result


def poses(rig):
    action = rig.animation_data.action
    result = {"action " + action.name: list(action.frame_range)}
    for frame in (7, 9, 12):
        bpy.context.scene.frame_set(frame)
        for bone in rig.pose.bones:
            result["pose %s %d" % (bone.name, frame)] = [
                value for row in rig.matrix_world @ bone.matrix for value in row]
    return result


def check_equal(label, expected, found):
    assert set(expected) == set(found), (label, set(expected) ^ set(found))
    for name, numbers in expected.items():
        difference = max(abs(a - b) for a, b in zip(numbers, found[name]))
        assert difference < 1e-4, (label, name, difference, numbers, found[name])


def main():
    io_md5.register()
    for index, (axis, forward, scale, has_two_roots) in enumerate(itertools.chain(
            itertools.product(("AUTO", "X", "MODEL"), ("AUTO", "X"), (0.0, 39.37), (False, True)))):
        label = "joints along %s, forward %s, scale %g, %s" % (axis, forward, scale, has_two_roots)
        rig = build(has_two_roots)
        expected = state(rig, [bpy.data.objects["body"]])
        path = os.path.join(FOLDER, "%d.md5mesh" % index)
        clip = os.path.join(FOLDER, "walk_then_wave.md5anim")
        assert bpy.ops.export_scene.md5(filepath=path, bone_axis=axis, forward=forward, scale=scale) == {
            "FINISHED"}
        poses_before = poses(rig)
        rig.animation_data.action = None
        bpy.data.actions["walk, then wave"].name = "old"
        bpy.context.view_layer.objects.active = rig
        assert bpy.ops.import_scene.md5(filepath=clip) == {"FINISHED"}
        check_equal(label + ", the clip on its own rig", poses_before, poses(rig))
        bpy.ops.wm.read_factory_settings(use_empty=True)
        assert bpy.ops.import_scene.md5(filepath=path) == {"FINISHED"}
        rig = bpy.context.view_layer.objects.active
        assert bpy.ops.import_scene.md5(filepath=clip) == {"FINISHED"}
        mesh_objects = [obj for obj in bpy.data.objects if obj.type == "MESH"]
        check_equal(label, expected, state(rig, mesh_objects))
        # A second time: import followed by export must not change the file either.
        with open(path, encoding="utf-8") as file:
            text = file.read()
        assert bpy.ops.export_scene.md5(filepath=path, actions="NONE") == {"FINISHED"}
        with open(path, encoding="utf-8") as file:
            text_again = file.read()
        assert text.splitlines()[1] == text_again.splitlines()[1], (label, text, text_again)
        assert text.count("\n") == text_again.count("\n"), label


main()

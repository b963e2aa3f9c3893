"""Imports .md5anim as an action of an armature."""

import os

import bpy
import numpy as np

from . import maths
from .export_anim import assign
from .import_mesh import load, unscaled
from .settings import array, bone_to_joint, some, to_file
from .text import Md5Error, read_clip

FIRST_FRAME = 1


def import_clip(context, path, armature, settings, report):
    """Creates an action with one keyframe per frame of the file, from frame 1, and returns it."""
    clip = read_clip(load(path), path)
    for oddity in clip.oddities:
        report.warn(oddity)
    # If several joints have the same name, the k-th in the file moves the k-th in the armature.
    numbers = {}
    for bone in sorted(armature.data.bones, key=lambda bone: bone.get("md5_joint", 0)):
        numbers.setdefault(bone.get("md5_name", bone.name), []).append(bone.name)
    waiting = {name: list(bones) for name, bones in numbers.items()}
    known = {waiting[name].pop(0): n for n, name in enumerate(clip.names) if waiting.get(name)}
    if not known:
        raise Md5Error("%s: no joint in common with armature '%s'" % (path, armature.name))
    for text, names in (("joints missing in the armature", set(clip.names) - set(numbers)),
                        ("bones without animation", set(numbers) - set(clip.names))):
        if names:
            report.warn("%s: %s: %s" % (path, text, some(sorted(names))))
    poses = _posed(armature, _model_space(clip), known, settings)
    action = bpy.data.actions.new(os.path.splitext(os.path.basename(path))[0])
    action.use_fake_user = True
    count = len(clip.poses)
    for name, basis in poses.items():
        armature.pose.bones[name].rotation_mode = "QUATERNION"
        _keys(action, name, basis)
    action.use_frame_range = True
    action.frame_start, action.frame_end = FIRST_FRAME, FIRST_FRAME + count - 1
    action["md5_rate"] = float(clip.rate)
    assign(armature.animation_data_create(), action)
    scene = context.scene
    scene.frame_start, scene.frame_end = FIRST_FRAME, FIRST_FRAME + count - 1
    scene.render.fps, scene.render.fps_base = min(max(1, round(clip.rate)), 32767), 1.0
    scene.frame_set(FIRST_FRAME)
    report.info("%s: %d frames at %g per second" % (path, count, clip.rate))
    return action


def _model_space(clip):
    """Joints in model space, (frames, J, 4, 4). Parents may follow their children."""
    six = np.array(clip.poses)
    local = maths.matrix_of(maths.rebuilt(six[..., 3:]), six[..., :3])
    done, result = set(), local.copy()
    for start in range(len(clip.parents)):
        road = []
        joint = start
        while joint >= 0 and joint not in done:
            road.append(joint)
            joint = clip.parents[joint]
        for joint in reversed(road):
            if clip.parents[joint] >= 0:
                result[:, joint] = result[:, clip.parents[joint]] @ local[:, joint]
            done.add(joint)
    return result


def _posed(armature, joints, known, settings):
    """Per bone name its transform relative to the rest position, (frames, 4, 4)."""
    back = np.linalg.inv(array(armature.matrix_world)) @ np.linalg.inv(to_file(settings))
    turned = np.linalg.inv(bone_to_joint(settings))
    bones, poses, basis = armature.data.bones, {}, {}
    for bone in sorted(bones, key=lambda bone: len(bone.parent_recursive)):
        rest = array(bone.matrix_local)
        above = array(bone.parent.matrix_local) if bone.parent else np.eye(4)
        carried = poses[bone.parent.name] if bone.parent else np.eye(4)[None]
        unmoved = carried @ (maths.inverse(above) @ rest)
        if bone.name in known:
            wanted = maths.rigid(unscaled(back @ joints[:, known[bone.name]] @ turned))[0]
            poses[bone.name] = wanted @ _correction(bone, rest, back, turned)
            basis[bone.name] = maths.inverse(unmoved) @ poses[bone.name]
        else:
            poses[bone.name] = np.broadcast_to(unmoved, (len(joints), 4, 4))
    return basis


def _correction(bone, rest, back, turned):
    """The transform from the bone in the file to the bone in Blender, which is rounded. Identity if the
    bone was edited after import, because the stored bind pose is outdated then."""
    six = bone.get("md5_bind")
    if six is None or len(six) != 6:
        return np.eye(4)
    six = np.array(list(six))
    filed = maths.matrix_of(maths.rebuilt(six[3:]), six[:3])
    filed = maths.rigid(unscaled(back @ filed @ turned))[0]
    step = maths.inverse(filed) @ rest
    return maths.rigid(step)[0] if np.abs(step - np.eye(4)).max() < 1e-3 else np.eye(4)


def _keys(action, name, basis):
    turns = maths.quaternion_of(basis)
    # q and -q are the same rotation: choose the signs so that successive frames interpolate the short way.
    signs = np.sign((turns[1:] * turns[:-1]).sum(axis=1))
    turns[1:] *= np.cumprod(np.where(signs == 0, 1, signs))[:, None]
    path = 'pose.bones["%s"].' % bpy.utils.escape_identifier(name)
    for channel, values in (("location", basis[:, :3, 3]),
                            ("rotation_quaternion", turns[:, [3, 0, 1, 2]])):
        still = np.ptp(values, axis=0).max() < 1e-9
        for index in range(values.shape[1]):
            curve = action.fcurves.new(path + channel, index=index, action_group=name)
            column = values[:1, index] if still else values[:, index]
            curve.keyframe_points.add(len(column))
            frames = np.arange(FIRST_FRAME, FIRST_FRAME + len(column))
            curve.keyframe_points.foreach_set(
                "co", np.stack([frames, column], axis=-1).astype(np.float32).ravel())
            linear = curve.keyframe_points[0].bl_rna.properties["interpolation"].enum_items["LINEAR"]
            curve.keyframe_points.foreach_set("interpolation", [linear.value] * len(column))
            curve.update()

"""Imports .md5anim as an action of an armature."""

import os

import bpy
import numpy as np

from . import maths
from .action import assign, curve_maker
from .import_mesh import load, unscaled
from .settings import armature_options, array, bone_to_joint, completed, remembered, some, to_file
from .text import Md5Error, read_clip


def import_clip(context, path, armature, settings, report):
    """Creates an action with one keyframe per frame of the file, and returns it."""
    clip = read_clip(load(path), path)
    stored = remembered(clip.command)
    settings = completed(settings, "X", stored, armature_options(armature))
    first = stored.get("first", 1)  # frame in Blender
    for warning in clip.warnings:
        report.warn(warning)
    # If several joints have the same name, the k-th in the file moves the k-th in the armature.
    bone_names = {}
    for bone in sorted(armature.data.bones, key=lambda bone: bone.get("md5_joint", 0)):
        bone_names.setdefault(bone.get("md5_name", bone.name), []).append(bone.name)
    unused_bones = {name: list(bones) for name, bones in bone_names.items()}
    joint_by_bone = {unused_bones[name].pop(0): n for n, name in enumerate(clip.names)
                     if unused_bones.get(name)}
    if not joint_by_bone:
        raise Md5Error("%s: no joint name matches a bone of armature '%s'" % (path, armature.name))
    for text, names in (
            ("joints without a bone of the same name",
             set(clip.names["origin" in stored:]) - set(bone_names)),
            ("bones not animated by this file", set(bone_names) - set(clip.names))):
        if names:
            report.warn("%s: %s: %s" % (path, text, some(sorted(names))))
    poses = _posed(armature, _model_space(clip), joint_by_bone, settings)
    action = bpy.data.actions.new(stored.get("action") or os.path.splitext(os.path.basename(path))[0])
    action.use_fake_user = True
    count = len(clip.poses)
    add = curve_maker(action, armature)
    for name, basis in poses.items():
        armature.pose.bones[name].rotation_mode = "QUATERNION"
        _keys(add, name, basis, first)
    action.use_frame_range = True
    action.frame_start, action.frame_end = first, first + count - 1
    action["md5_rate"] = float(clip.rate)
    assign(armature.animation_data_create(), action)
    scene = context.scene
    scene.frame_start, scene.frame_end = first, first + count - 1
    scene.render.fps, scene.render.fps_base = min(max(1, round(clip.rate)), 32767), 1.0
    scene.frame_set(first)
    report.info("%s: %d frames at %g fps" % (path, count, clip.rate))
    return action


def _model_space(clip):
    """Returns the joints in model space, (frames, J, 4, 4). Parents may follow their children."""
    six = np.array(clip.poses)
    local = maths.matrix_from_quaternion(maths.rebuilt(six[..., 3:]), six[..., :3])
    done, result = set(), local.copy()
    for start in range(len(clip.parents)):
        chain = []
        joint = start
        while joint >= 0 and joint not in done:
            chain.append(joint)
            joint = clip.parents[joint]
        for joint in reversed(chain):
            if clip.parents[joint] >= 0:
                result[:, joint] = result[:, clip.parents[joint]] @ local[:, joint]
            done.add(joint)
    return result


def _posed(armature, joints, joint_by_bone, settings):
    """Returns for each bone name its transform relative to the rest position, (frames, 4, 4)."""
    back = np.linalg.inv(array(armature.matrix_world)) @ np.linalg.inv(to_file(settings))
    joint_to_bone = np.linalg.inv(bone_to_joint(settings))
    bones, poses, basis = armature.data.bones, {}, {}
    for bone in sorted(bones, key=lambda bone: len(bone.parent_recursive)):
        rest = array(bone.matrix_local)
        above = array(bone.parent.matrix_local) if bone.parent else np.eye(4)
        carried = poses[bone.parent.name] if bone.parent else np.eye(4)[None]
        unmoved = carried @ (maths.inverse(above) @ rest)
        if bone.name in joint_by_bone:
            target = maths.rigid(unscaled(back @ joints[:, joint_by_bone[bone.name]] @ joint_to_bone))[0]
            poses[bone.name] = target @ _correction(bone, rest, back, joint_to_bone, settings)
            basis[bone.name] = maths.inverse(unmoved) @ poses[bone.name]
        else:
            poses[bone.name] = np.broadcast_to(unmoved, (len(joints), 4, 4))
    return basis


def _correction(bone, rest, back, joint_to_bone, settings):
    """Returns the transform from the bone in the file to the bone in Blender: rounding, unless joints have
    the model's axes. Identity if the bone was edited after import: the stored bind pose is outdated then."""
    six, has_model_axes = bone.get("md5_bind"), settings.bone_axis == "MODEL"
    if six is not None and len(six) == 6:
        six = np.array(list(six))
        filed = maths.matrix_from_quaternion(maths.rebuilt(six[3:]), six[:3])
        filed = maths.rigid(unscaled(back @ filed @ joint_to_bone))[0]
    elif has_model_axes:
        filed = maths.rigid(unscaled(back))[0]
        filed[:3, 3] = rest[:3, 3]
    else:
        return np.eye(4)
    correction = maths.inverse(filed) @ rest
    if has_model_axes or np.abs(correction - np.eye(4)).max() < 1e-3:
        return maths.rigid(correction)[0]
    return np.eye(4)


def _keys(add, name, basis, first):
    rotations = maths.quaternion_from_matrix(basis)
    # q and -q are the same rotation: choose the signs so that successive frames interpolate the short way.
    signs = np.sign((rotations[1:] * rotations[:-1]).sum(axis=1))
    rotations[1:] *= np.cumprod(np.where(signs == 0, 1, signs))[:, None]
    path = 'pose.bones["%s"].' % bpy.utils.escape_identifier(name)
    for channel, values in (("location", basis[:, :3, 3]),
                            ("rotation_quaternion", rotations[:, [3, 0, 1, 2]])):
        still = np.ptp(values, axis=0).max() < 1e-9
        for index in range(values.shape[1]):
            curve = add(path + channel, index, name)
            column = values[:1, index] if still else values[:, index]
            curve.keyframe_points.add(len(column))
            frames = np.arange(first, first + len(column))
            curve.keyframe_points.foreach_set(
                "co", np.stack([frames, column], axis=-1).astype(np.float32).ravel())
            linear = curve.keyframe_points[0].bl_rna.properties["interpolation"].enum_items["LINEAR"]
            curve.keyframe_points.foreach_set("interpolation", [linear.value] * len(column))
            curve.update()

"""Exports actions to .md5anim."""

import fnmatch
import math
import re
from contextlib import contextmanager

import numpy as np

from . import encode, maths, skin
from .action import assign, action_curves
from .rig import pose_position
from .settings import command_line, file_name, frame_rate, some, whole_rate
from .text import Clip, Md5Error, clip_text

_BONE_PATH = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]')
_LONGEST = 100000


def clips(context, rig, read, skins, settings, report, timeline_name):
    """Yields (file name without extension, text) for each clip to export."""
    if settings.actions == "NONE":
        return
    data = rig.armature.animation_data
    if data and data.use_tweak_mode:
        raise Md5Error("Exit Tweak Mode in the NLA editor first")
    corners = skin.corners(skins, len(rig.names), rig.bind)
    with (_preserved_state(context, rig.armature) as armature_channels,
          pose_position(context, rig.armature, "POSE")):
        for name, action in _chosen(rig, settings, report, timeline_name):
            if action:
                _play(rig.armature, action, armature_channels if settings.actions == "ALL" else None)
            frames = _frames(context.scene, action, settings)
            rate = settings.rate or (action or {}).get("md5_rate") or frame_rate(context.scene)
            joints, moves = rig.sample(context, frames, name, report)
            loose = [mesh.name for mesh in skins if not mesh.carried]
            if moves and loose:
                report.warn("Animation '%s' moves the armature object. These meshes are not parented to it, "
                            "so they follow it in the game but not in Blender: %s" % (name, some(loose)))
            clip = _encode(rig, joints, read, skins, corners, settings, whole_rate(rate, report), name,
                           report)
            command = command_line(settings, rig.has_origin, frames[0], name)
            yield file_name(name), clip_text(command, clip)


def _encode(rig, joints, read, skins, corners, settings, rate, name, report):
    moves = joints @ maths.inverse(rig.bind)
    # The bind pose in the file is rounded, so the motion is applied to the rounded one.
    poses, bits, errors = encode.encode_clip(rig.parents, moves @ read, read, corners,
                                             settings.accuracy)
    # Readers rebuild rotations in single precision, which is inaccurate near 180 degrees.
    if errors.max() > 5 * settings.accuracy:
        worst = int(np.argmax(errors))
        advice = "" if settings.bone_axis == "MODEL" else ". Try Primary Bone Axis: Model"
        report.warn("%s: position error up to %.1g at bone '%s'%s"
                    % (name, errors[worst], rig.names[worst], advice))
    bounds = [skin.bounds(skins, frame) if skins else
              (frame[:, :3, 3].min(axis=0), frame[:, :3, 3].max(axis=0))
              for frame in (moves if skins else joints)]
    names = [str(joint_name) for joint_name in rig.names]
    return Clip(names, rig.parents, rate, bits, poses.tolist(), bounds)


# -- Selection of actions and frames ----------------------------------------------------------------

def _chosen(rig, settings, report, timeline_name):
    import bpy
    data = rig.armature.animation_data
    if settings.actions == "TIMELINE":
        return [(timeline_name, None)]
    active = data.action if data else None
    if settings.actions == "ACTIVE":
        if not active:
            raise Md5Error("Armature '%s' has no active action" % rig.armature.name)
        return [(active.name, active)]
    patterns = [part.strip() for part in settings.only.split(",") if part.strip()]
    chosen = [(action.name, action) for action in bpy.data.actions
              if (action == active or drives(action, rig.armature))
              and (not patterns or any(fnmatch.fnmatchcase(action.name, pattern) for pattern in patterns))]
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(name, pattern) for name, _ in chosen):
            report.warn("No action of this armature matches the name '%s'" % pattern)
    names_by_file = {}
    for name, _ in chosen:
        names_by_file.setdefault(file_name(name), []).append(name)
    for name, same in names_by_file.items():
        if len(same) > 1:
            raise Md5Error("Actions %s would be written to the same file %s.md5anim. Rename one"
                           % (some(same), name))
    return chosen


def drives(action, armature):
    """Returns true if an action moves a bone of the armature."""
    for curve in action_curves(action):
        path = _BONE_PATH.match(curve.data_path)
        if path and re.sub(r"\\(.)", r"\1", path[1]) in armature.data.bones:
            return True
    return False


def _frames(scene, action, settings):
    if settings.frames == "CUSTOM":
        first, last = settings.first, settings.last
    elif settings.frames == "SCENE" or not action:
        first, last = scene.frame_start, scene.frame_end
    else:
        first, last = _frame_range(action)
    if last < first:
        raise Md5Error("End frame %d is before start frame %d" % (last, first))
    if last - first >= _LONGEST:
        raise Md5Error("Too many frames: %d (limit %d)" % (last - first + 1, _LONGEST))
    return range(first, last + 1)


def _frame_range(action):
    """Returns the action's frame range, or the range of its keyframes, rounded outwards to whole frames."""
    first, last = action.frame_range  # Blender returns two frames even for a single one
    if not action.use_frame_range:
        ranges = [curve.range() for curve in action_curves(action) if len(curve.keyframe_points)]
        if ranges:
            first, last = min(low for low, _ in ranges), max(high for _, high in ranges)
    return math.floor(first + 1e-3), math.ceil(last - 1e-3)


# -- Playing actions, and restoring the scene -------------------------------------------------------

def _play(armature, action, armature_channels):
    """Plays only this action. armature_channels: the armature's transform, or None. If it is given, the
    armature and its bones are reset first, so that the previous action leaves no trace."""
    data = armature.animation_data_create()
    data.use_nla = False
    assign(data, action)
    if armature_channels:
        _set_channels(armature, armature_channels)
        for bone in armature.pose.bones:
            bone.location = (0.0, 0.0, 0.0)
            bone.scale = (1.0, 1.0, 1.0)
            bone.rotation_quaternion = (1.0, 0.0, 0.0, 0.0)
            bone.rotation_euler = (0.0, 0.0, 0.0)
            bone.rotation_axis_angle = (0.0, 0.0, 1.0, 0.0)


_CHANNELS = ("location", "scale", "rotation_quaternion", "rotation_euler", "rotation_axis_angle")


@contextmanager
def _preserved_state(context, armature):
    scene = context.scene
    frame, subframe, camera = scene.frame_current, scene.frame_subframe, scene.camera
    data = armature.animation_data
    played = (data.action, getattr(data, "action_slot", None), data.use_nla) if data else None
    targets = [armature] + list(armature.pose.bones)
    saved = [[tuple(getattr(target, channel)) for channel in _CHANNELS] for target in targets]
    try:
        yield saved[0]
    finally:
        data = armature.animation_data
        if data and played:
            data.action, data.use_nla = played[0], played[2]
            if played[1] is not None:
                data.action_slot = played[1]
        elif data:
            armature.animation_data_clear()
        scene.frame_set(frame, subframe=subframe)
        scene.camera = camera
        for target, values in zip(targets, saved):
            _set_channels(target, values)
        context.view_layer.update()


def _set_channels(target, values):
    for channel, value in zip(_CHANNELS, values):
        setattr(target, channel, value)

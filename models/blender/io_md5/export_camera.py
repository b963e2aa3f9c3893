"""Exports the scene's cameras to .md5camera. Markers that are bound to cameras become cuts."""

import math

import numpy as np

from . import maths
from .rig import scene_options
from .settings import array, command_line, completed, frame_rate, to_file, whole_rate
from .text import CameraPath, Md5Error, camera_path_text, save

# Forward, left and up of a camera in the file, in the axes of Blender's cameras (looking along -z, y up).
_AXES = np.array([[0, -1, 0], [0, 0, 1], [-1, 0, 0]], dtype=np.float64)


def export_path(context, path, settings, report):
    scene = context.scene
    settings = completed(settings, "Y", scene_options(context))
    if settings.frames == "CUSTOM":
        first, last = settings.first, settings.last
    else:
        first, last = scene.frame_start, scene.frame_end
    if last < first:
        raise Md5Error("End frame %d is before start frame %d" % (last, first))
    shots = _shots(scene, first, last)
    written = CameraPath(whole_rate(settings.rate or frame_rate(scene), report), [], [])
    before = scene.frame_current, scene.frame_subframe, scene.camera
    try:
        for camera, start, end in shots:
            if written.frames:
                written.cuts.append(len(written.frames) - 1)
            _check_camera(camera, report)
            # Includes the first frame of the next shot, toward which this one interpolates.
            rotations = []
            for frame in range(start, end + 1):
                scene.frame_set(frame)
                position, rotation, view = _view(context, camera, settings)
                rotations.append(rotation)
                written.frames.append((position, None, view))
            rotations = maths.stored_sign(maths.quaternion_from_matrix(np.array(rotations)))
            xyz = maths.round_rotations(rotations, 8, np.ones(3, bool), True)
            written.frames[-len(rotations):] = [
                (position, rotation, view) for (position, _, view), rotation in
                zip(written.frames[-len(rotations):], xyz.tolist())]
    finally:
        scene.frame_set(before[0], subframe=before[1])
        scene.camera = before[2]
    save({path: camera_path_text(command_line(settings), written)})
    report.info("%d frames, %d camera cuts" % (len(written.frames), len(written.cuts)))
    return [path]


def _shots(scene, first, last):
    """Yields (camera, first frame, first frame of the next shot or last frame of all), in order."""
    changes = {}
    for marker in scene.timeline_markers:
        if marker.camera:
            changes[marker.frame] = marker.camera
    starts = [(first, changes[max(f for f in changes if f <= first)])] if any(
        f <= first for f in changes) else []
    if not starts and scene.camera:
        starts = [(first, scene.camera)]
    starts += [(f, changes[f]) for f in sorted(changes) if first < f < last]
    if not starts:
        raise Md5Error("The scene has no active camera, and no marker is bound to a camera")
    if starts[0][0] > first:
        starts[0] = (first, starts[0][1])
    ends = [start for start, _ in starts[1:]] + [last]
    return [(camera, start, end) for (start, camera), end in zip(starts, ends)]


def _check_camera(camera, report):
    if camera.type != "CAMERA":
        raise Md5Error("Marker or scene camera '%s' is not a camera object" % camera.name)
    if camera.data.type != "PERSP":
        raise Md5Error("Camera '%s': only perspective cameras can be exported" % camera.name)
    if camera.data.shift_x or camera.data.shift_y:
        report.warn("Camera '%s': Shift X/Y cannot be exported" % camera.name)


def _view(context, camera, settings):
    evaluated = camera.evaluated_get(context.evaluated_depsgraph_get())
    world = to_file(settings) @ array(evaluated.matrix_world)
    rotation = np.eye(4)
    rotation[:3, :3] = world[:3, :3] / np.linalg.norm(world[:3, :3], axis=0)
    rotation = maths.rigid(rotation)[0]
    rotation[:3, :3] = rotation[:3, :3] @ _AXES
    # The corners of the view frustum at some distance, which include the sensor fit and the aspect ratio.
    frame = [tuple(corner) for corner in evaluated.data.view_frame(scene=context.scene)]
    width = max(x for x, _, _ in frame) - min(x for x, _, _ in frame)
    return (tuple(world[:3, 3]), rotation,
            math.degrees(2 * math.atan(width / 2 / abs(frame[0][2]))))

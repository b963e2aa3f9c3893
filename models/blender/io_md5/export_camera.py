"""The scene's cameras to .md5camera. Markers that are bound to cameras are the cuts."""

import math

import numpy as np

from . import maths
from .export_mesh import COMMAND, save
from .settings import array, frame_rate, to_file, whole_rate
from .text import Flight, Md5Error, flight_text

# Forward, left and up of the file's cameras in axes of Blender's, which look along -z, y up.
_AXES = np.array([[0, -1, 0], [0, 0, 1], [-1, 0, 0]], dtype=np.float64)


def export_flight(context, path, settings, report):
    scene = context.scene
    if settings.frames == "CUSTOM":
        first, last = settings.first, settings.last
    else:
        first, last = scene.frame_start, scene.frame_end
    if last < first:
        raise Md5Error("The last frame, %d, comes before the first, %d" % (last, first))
    shots = _shots(scene, first, last)
    flight = Flight(whole_rate(settings.rate or frame_rate(scene), report), [], [])
    before = scene.frame_current, scene.frame_subframe, scene.camera
    try:
        for camera, start, end in shots:
            if flight.frames:
                flight.cuts.append(len(flight.frames) - 1)
            _tell_oddities(camera, report)
            # Up to where the next shot begins: the old one moves towards that frame too.
            turns = []
            for frame in range(start, end + 1):
                scene.frame_set(frame)
                place, turn, view = _view(context, camera, settings)
                turns.append(turn)
                flight.frames.append((place, None, view))
            turns = maths.stored_sign(maths.quaternion_of(np.array(turns)))
            xyz = maths.rounded_turns(turns, 8, np.ones(3, bool), True)
            flight.frames[-len(turns):] = [
                (place, turn, view) for (place, _, view), turn in
                zip(flight.frames[-len(turns):], xyz.tolist())]
    finally:
        scene.frame_set(before[0], subframe=before[1])
        scene.camera = before[2]
    save({path: flight_text(COMMAND, flight)})
    report.info("%d frames, %d shots" % (len(flight.frames), len(shots)))
    return [path]


def _shots(scene, first, last):
    """(camera, first frame, frame in which the next begins or all ends), in order."""
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
        raise Md5Error("The scene has no camera, and no marker is bound to one")
    if starts[0][0] > first:
        starts[0] = (first, starts[0][1])
    ends = [start for start, _ in starts[1:]] + [last]
    return [(camera, start, end) for (start, camera), end in zip(starts, ends)]


def _tell_oddities(camera, report):
    if camera.type != "CAMERA":
        raise Md5Error("'%s' is used as a camera and is none" % camera.name)
    if camera.data.type != "PERSP":
        raise Md5Error("Camera '%s' has no perspective, which the format needs" % camera.name)
    if camera.data.shift_x or camera.data.shift_y:
        report.warn("Camera '%s' is shifted, which the format cannot say" % camera.name)


def _view(context, camera, settings):
    seen = camera.evaluated_get(context.evaluated_depsgraph_get())
    world = to_file(settings) @ array(seen.matrix_world)
    turn = np.eye(4)
    turn[:3, :3] = world[:3, :3] / np.linalg.norm(world[:3, :3], axis=0)
    turn = maths.rigid(turn)[0]
    turn[:3, :3] = turn[:3, :3] @ _AXES
    # The corners of what it sees, one unit and more before it, whatever the sensor and the aspect.
    frame = [tuple(corner) for corner in seen.data.view_frame(scene=context.scene)]
    width = max(x for x, _, _ in frame) - min(x for x, _, _ in frame)
    return (tuple(world[:3, 3]), turn,
            math.degrees(2 * math.atan(width / 2 / abs(frame[0][2]))))

"""A camera path around Bobbin in three shots: the face, half around, from the floor."""

import math

from kit.maths import frame, mix, smoothstep, sub

RATE = 30
UP = (0.0, 0.0, 1.0)


def _around(center, radius, azimuth, height):
    angle = math.radians(azimuth)
    return (center[0] + radius * math.cos(angle), center[1] + radius * math.sin(angle), height)


def _face(t):
    """Moves the camera nearer to the face and to its front. Returns position, target and field of view."""
    return (mix(_around((3.0, 0.0), 92.0, 38.0, 52.0), _around((3.0, 0.0), 68.0, 14.0, 46.0), t),
            mix((2.0, 0.0, 42.0), (4.0, 0.0, 42.5), t), 42.0)


def _half_around(t):
    return (_around((-4.0, 0.0), 122.0, -100.0 + 150.0 * t, 66.0 - 22.0 * t),
            (-4.0, 0.0, 25.5), 54.0)


def _floor(t):
    return (mix((70.0, -46.0, 4.0), (88.0, -20.0, 8.0), t), (0.0, 0.0, 27.0 - 0.5 * t),
            66.0 - 6.0 * t)


_SHOTS = ((_face, 2.5), (_half_around, 4.0), (_floor, 2.5))


def shots():
    """Returns for each shot its frames, (position, orientation, field of view); a camera looks along its
    x."""
    result = []
    for shot, seconds in _SHOTS:
        count = round(seconds * RATE)
        views = [shot(smoothstep(-0.15, 1.15, n / count)) for n in range(count + 1)]
        result.append([(position, frame(sub(target, position), UP), view)
                       for position, target, view in views])
    return result

"""Curves over time for motion."""

import math

from kit.maths import smoothstep


_BELL = tuple((n / 6.0, (1.0 + math.cos(math.pi * n / 6.0)) / 12.0) for n in range(-5, 6))


def wave(phase, cycles=1, shift=0.0):
    """Returns a sine with an integer number of cycles per loop; shift in cycles, > 0 is later."""
    return math.sin(2.0 * math.pi * (phase * cycles - shift))


def bump(phase, start, stop, ramp):
    """Returns 0 outside start..stop, 1 inside, with smooth ramps of length `ramp`; wraps around."""
    phase = (phase - start) % 1.0
    length = stop - start
    return smoothstep(0.0, ramp, phase) * smoothstep(length, length - ramp, phase)


def pulse(t, start, stop, ramp):
    """Returns the value of bump() without wrapping."""
    return smoothstep(start, start + ramp, t) * smoothstep(stop, stop - ramp, t)


def _slopes(keys):
    """Returns monotone slopes (Fritsch and Carlson): zero at each extreme, so a curve never overshoots
    its keys."""
    steps = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in zip(keys, keys[1:])]
    inner = []
    for (a, b, c), left, right in zip(zip(keys, keys[1:], keys[2:]), steps, steps[1:]):
        if left * right <= 0.0:
            inner.append(0.0)
            continue
        before, after = b[0] - a[0], c[0] - b[0]
        weight_a, weight_b = 2.0 * after + before, after + 2.0 * before
        inner.append((weight_a + weight_b) / (weight_a / left + weight_b / right))
    return inner


def _between(a, b, slope_a, slope_b, t):
    span = b[0] - a[0]
    t = (t - a[0]) / span
    h = t * t * (3.0 - 2.0 * t)
    return (a[1] + (b[1] - a[1]) * h + span * slope_a * t * (1.0 - t) * (1.0 - t)
            - span * slope_b * t * t * (1.0 - t))


def keyed(t, *keys):
    """Returns a curve through (time, value) keys in ascending order, constant before the first and after
    the last, easing in and out of each extreme."""
    if t <= keys[0][0]:
        return keys[0][1]
    if t >= keys[-1][0]:
        return keys[-1][1]
    slopes = [0.0] + _slopes(keys) + [0.0]
    n = next(n for n in range(1, len(keys)) if t < keys[n][0])
    return _between(keys[n - 1], keys[n], slopes[n - 1], slopes[n], t)


def thrown(t, start, stop, power):
    """Returns 0 until start, 1 from stop on, accelerating in between: the final speed is `power` times the
    mean speed, like a body that is thrown. caught() is its mirror image."""
    s = min(1.0, max(0.0, (t - start) / (stop - start)))
    return s ** power


def caught(t, start, stop, power):
    return 1.0 - thrown(start + stop - t, start, stop, power)


def looped(t, period, *keys):
    """Returns a periodic keyed() curve; keys are in one period."""
    t %= period
    around = [(keys[-2][0] - period, keys[-2][1]), (keys[-1][0] - period, keys[-1][1])]
    around += list(keys) + [(keys[0][0] + period, keys[0][1]), (keys[1][0] + period, keys[1][1])]
    slopes = [0.0] + _slopes(around) + [0.0]
    n = next(n for n in range(2, len(around)) if t < around[n][0])
    return _between(around[n - 1], around[n], slopes[n - 1], slopes[n], t)


def smootherstep(s):
    """Returns a curve from 0 at 0 to 1 at 1, without acceleration at either end."""
    s = min(1.0, max(0.0, s))
    return s * s * s * (s * (6.0 * s - 15.0) + 10.0)


def arch(s, up, down):
    """Returns 0 at 0 and 1, and 1 at the maximum; larger `up` and `down` give a gentler begin and end."""
    if not 0.0 < s < 1.0:
        return 0.0
    top = up / (up + down)
    return (s / top) ** up * ((1.0 - s) / (1.0 - top)) ** down


def softened(curve, t, width):
    """Returns a weighted mean of curve(t) from t - width to t + width: corners become arcs, and a part that
    is constant for longer is unchanged in its middle."""
    return sum(weight * curve(t + width * at) for at, weight in _BELL)

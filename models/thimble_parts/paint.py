"""Thimble's materials: six fields of one texture, each a function of the position in it."""

import math

from kit.maths import smoothstep
from kit.noise import value

_M = 0.012
# (u0, v0, u1, v1): u around a part, v along it.
ENAMEL = (_M, _M, 0.5 - _M, 0.5 - _M)
DIMPLED = (0.5 + _M, _M, 1.0 - _M, 0.5 - _M)
STEEL = (_M, 0.5 + _M, 0.25 - _M, 1.0 - _M)
BRASS = (0.25 + _M, 0.5 + _M, 0.5 - _M, 1.0 - _M)
RUBBER = (0.5 + _M, 0.5 + _M, 0.75 - _M, 1.0 - _M)
LENS = (0.75 + _M, 0.5 + _M, 1.0 - _M, 1.0 - _M)
GLASS = LENS[:3] + (LENS[3] - 0.02,)      # without the pupil of the lens


def _field(s, t):
    """Returns the name of the field of the texture at s, t, and the position in it, 0..1."""
    u, v = 0.5 + 0.5 * s, 0.5 + 0.5 * t
    if v < 0.5:
        return ("enamel", 2.0 * u, 2.0 * v) if u < 0.5 else ("dimpled", 2.0 * u - 1.0, 2.0 * v)
    n = min(3, int(4.0 * u))
    return ("steel", "brass", "rubber", "glass")[n], 4.0 * u - n, 2.0 * v - 1.0


def _mix(a, b, t):
    return tuple(x + (y - x) * t for x, y in zip(a, b))


def _ripple(u, v, cells, rows):
    """Returns noise without a seam in u."""
    angle = 2.0 * math.pi * u
    return value(16.0 + cells * math.cos(angle), 16.0 + cells * math.sin(angle), rows * v)


def _dimple(u, v):
    """Returns 1 in the middle of a dimple, 0 between them: rows shifted by half, as on a thimble."""
    rows, around = 11.0, 28.0
    row = math.floor(v * rows)
    x = (u * around + 0.5 * (row % 2)) % 1.0 - 0.5
    y = (v * rows) % 1.0 - 0.5
    inside = smoothstep(0.42, 0.22, math.hypot(x, y))
    return inside * smoothstep(0.16, 0.22, v) * smoothstep(0.90, 0.84, v)


def _rivet(u, v):
    x, y = (u * 14.0) % 1.0 - 0.5, (v - 0.62) * 16.0
    return smoothstep(0.34, 0.18, math.hypot(x, y))


def _worn(u, v):
    """Returns how worn the enamel is, 0..1. It has flakes, most of them near the ends."""
    ends = smoothstep(0.16, 0.0, min(v, 1.0 - v))
    return smoothstep(0.70, 0.76, 0.62 * _ripple(u, v, 5.0, 15.0) + 0.3 * _ripple(u, v, 11.0, 34.0)
                      + 0.22 * ends)


def height(s, t):
    """Returns the height in texels."""
    name, u, v = _field(s, t)
    if name == "dimpled":
        return -3.2 * _dimple(u, v)
    if name == "enamel":
        return 1.6 * _rivet(u, v) - 0.7 * _worn(u, v)
    if name == "rubber":
        return 1.5 * smoothstep(0.2, 0.3, abs((v * 9.0) % 1.0 - 0.5))
    return 0.0


def color(s, t):
    name, u, v = _field(s, t)
    grain = 0.93 + 0.14 * _ripple(u, v, 9.0, 26.0)
    if name == "enamel":
        # A cream band between thin lines.
        band = smoothstep(0.43, 0.44, v) * smoothstep(0.53, 0.52, v)
        line = max(smoothstep(0.012, 0.006, abs(v - 0.40)), smoothstep(0.012, 0.006, abs(v - 0.56)))
        c = _mix((52, 112, 158), (246, 226, 188), max(band, 0.8 * line))
        c = _mix(c, (34, 62, 96), 0.45 * smoothstep(0.30, 0.5, _rivet(u, v))
                 * smoothstep(0.95, 0.6, _rivet(u, v)))
        c = _mix(c, (122, 116, 112), 0.85 * _worn(u, v))
    elif name == "dimpled":
        dimple = _dimple(u, v)
        c = _mix((232, 178, 88), (146, 96, 44), 0.75 * dimple)
        c = _mix(c, (120, 150, 120), 0.35 * smoothstep(0.62, 0.8, _ripple(u, v, 4.0, 9.0)))
    elif name == "steel":
        c = _mix((96, 104, 116), (142, 150, 158), _ripple(u, v, 2.0, 40.0))
    elif name == "brass":
        c = _mix((206, 152, 72), (240, 198, 116), _ripple(u, v, 3.0, 22.0))
    elif name == "rubber":
        c = (52, 50, 56)
    else:
        return _glow_color(v)
    return tuple(x * grain for x in c)


def _glow_color(v):
    heart = smoothstep(0.55, 1.0, v)
    lit = _mix(_mix((30, 120, 150), (90, 226, 226), smoothstep(0.3, 0.75, v)), (240, 255, 250), heart)
    return _mix(lit, (14, 40, 56), smoothstep(0.945, 0.955, v))


def glow(s, t):
    """Returns the light emission: only the lamps, brightest in front."""
    name, _, v = _field(s, t)
    if name != "glass":
        return (0, 0, 0)
    return tuple(c * (0.25 + 0.75 * smoothstep(0.35, 0.9, v)) for c in _glow_color(v))


def gloss(s, t):
    name, u, v = _field(s, t)
    if name == "enamel":
        return 150.0 - 90.0 * _worn(u, v)
    return {"dimpled": 180.0, "steel": 140.0, "brass": 190.0, "rubber": 26.0, "glass": 235.0}[name]

"""Bobbin's colors, as functions of a position on the skin. All colors are sRGB, 0..255."""

import math

from kit.maths import add, dot, scale, smoothstep, sub, unit
from kit.noise import Spots, value

from bobbin_parts import face, shape

TEAL, DEEP, BACK = (70, 196, 182), (74, 88, 178), (34, 138, 160)
CREAM, CREAM_SHADE = (255, 236, 198), (240, 196, 140)
CORAL, GOLD, BLUSH = (255, 122, 98), (255, 200, 92), (255, 134, 126)
MAROON, TONGUE = (150, 34, 54), (250, 124, 130)
INK = (44, 40, 76)
SHADOW = (58, 46, 98)
LID, _LID_SKY = (60, 182, 176), 0.86
SPOT, SPOT_DEEP = (150, 236, 202), (142, 160, 236)
THORN = (226, 84, 96)
IRIS, IRIS_LOW, IRIS_LIGHT, IRIS_RIM = (255, 196, 64), (214, 96, 30), (255, 226, 120), (112, 40, 26)
# Pale belly: half its width, the middle, half its height. Heights of the part of a neck without marks.
BELLY, BARE = (6.7, 19.1, 10.7), (99.0, 100.0)

_SPOTS = Spots(5.2, 0.9, 2.1, 0.62)
# Small scales that cover the hide.
_PEBBLES = Spots(1.0, 0.95, 1.05, 1.0)
_PEBBLED = ("torso", "head", "arm", "leg", "tail", "ear_out")
_FRECKLES = ((11.2, 8.3, 39.0, 0.42), (10.2, 9.5, 38.4, 0.36), (10.9, 9.1, 37.0, 0.34))
_TOES = tuple((x, y, 1.75) for x, y in ((8.55, 5.0), (9.75, 8.35), (7.45, 12.3)))
# Nails of fingers, at the tips, a little toward the back of the hand.
_NAILS = tuple(add(add(tip, scale(unit(sub(tip, shape.J[n + "_2_l"])), 1.25)), (0.0, 0.45, 0.45))
               for n, tip in ((n, shape.AIM[n + "_2_l"]) for n in shape.DIGITS))


def use(palette):
    """Replaces the colors above; all later painting uses the new colors."""
    assert set(palette) <= set(globals())
    globals().update(palette)


def mix(a, b, t):
    return (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t)


def _near(x, y, z, center):
    dx, dy, dz = x - center[0], y - center[1], z - center[2]
    return math.sqrt(dx * dx + dy * dy + dz * dz)


def _hide(x, y, z, ny, nz, nx, deep):
    """Returns the color of the hide: teal, darker along the back, indigo toward the ends of the limbs, with
    pale spots."""
    back = smoothstep(0.15, -0.75, nx - 0.4 * nz)
    back = 0.3 + (back - 0.3) * smoothstep(6.0, 13.0, z)
    color = mix(TEAL, BACK, 0.75 * back)
    color = mix(color, DEEP, deep)
    spot = _SPOTS.near(x, y, z)
    if spot > -0.15:
        strength = smoothstep(-0.02, 0.14, spot) * smoothstep(0.15, -0.2, nx)
        ring = 0.65 if spot < 0.45 else 0.8
        color = mix(color, mix(SPOT, SPOT_DEEP, deep), ring * strength * (1.0 - _bare(x, y, z)))
    return color


def _belly(x, y, z, nx):
    """Returns the fraction of the belly's cream color: 1 in the middle, 0 on the flanks."""
    wide, middle, high = BELLY
    round_ = (y / wide) ** 2 + ((z - middle) / high) ** 2
    return smoothstep(1.04, 0.94, round_) * smoothstep(-0.05, 0.2, nx)


def _bare(x, y, z):
    """Returns the fraction of a neck without marks: stretching would make small marks long."""
    low, high = BARE
    return smoothstep(low, low + 2.0, z) * smoothstep(high, high - 1.0, z) * smoothstep(7.0, 5.0, x) \
        * smoothstep(6.2, 4.2, y)


def _bands(z, width):
    """Returns soft lines across the belly: 1 on a line."""
    phase = z / width - math.floor(z / width)
    return smoothstep(0.13, 0.03, abs(phase - 0.5))


def _muzzle(x, y, z):
    """Returns the amount of the pale color of muzzle and chin, 0..1."""
    dx, dz = (x - 10.6) / 6.4, (z - 35.6) / 5.6
    return smoothstep(1.10, 0.98, math.sqrt(dx * dx + (y / 8.2) ** 2 + dz * dz)) * (1.0 - _bare(x, y, z))


def _trunk(x, y, z, n, deep=0.0):
    """Returns the color of hide, belly and muzzle. The parts that meet at the trunk use it, so that their
    borders match."""
    color = _hide(x, y, z, n[1], n[2], n[0], deep)
    if x < -2.0:
        return color
    belly = _belly(x, y, z, n[0])
    if belly > 0.0:
        pale = mix(CREAM, CREAM_SHADE, 0.55 * _bands(z + 0.035 * y * y, 2.7))
        pale = mix(pale, CREAM_SHADE, 0.5 * smoothstep(4.0, 7.0, y) + 0.2 * smoothstep(14, 9, z))
        color = mix(color, pale, belly)
    return mix(color, mix(CREAM, CREAM_SHADE, 0.35 * smoothstep(34.5, 31.0, z)), _muzzle(x, y, z))


def _tail(x, y, z, n):
    deep = 0.9 * smoothstep(-10.0, -35.0, x)
    color = _hide(x, y, z, n[1], n[2], n[0], deep)
    # The underside faces the ground; where the tail rises, it faces back.
    under = -n[2] if x > -26.0 else max(-n[2], -n[0])
    pale = smoothstep(0.45, 0.7, under) * smoothstep(-34.0, -28.0, x) * smoothstep(-8.0, -17.0, x)
    if pale > 0.0:
        band = mix(CREAM, CREAM_SHADE, 0.35 + 0.5 * _bands(x, 2.7))
        color = mix(color, mix(band, DEEP, 0.45 * deep), pale * (1.0 - 0.5 * deep))
    return color


def _leg(x, y, z, n):
    color = mix(_trunk(x, y, z, n), DEEP, 0.85 * smoothstep(9.0, 1.5, z))
    nail = min(_near(x, y, z, toe) for toe in _TOES)
    return mix(color, CREAM, smoothstep(1.12, 0.98, nail))


def _arm(x, y, z, n):
    reach = y - 0.35 * z
    deep = 0.85 * smoothstep(1.5, 13.0, reach)
    color = _trunk(x, y, z, n, deep)
    nail = min(_near(x, y, z, tip) for tip in _NAILS)
    color = mix(color, mix(DEEP, INK, 0.25), 0.5 * smoothstep(2.2, 1.3, nail))
    return mix(color, CREAM, smoothstep(1.1, 0.97, nail))


def _inside_mouth(x, y, z, n):
    """Returns the color inside of the mouth: maroon, darker at the back, with a tongue on the floor."""
    color = mix(MAROON, (84, 14, 38), smoothstep(11.5, 7.5, x))
    floor = shape.mouth_height(x, y)
    along = ((x - 8.0) / 5.0) ** 2 + (y / 3.4) ** 2
    if z < floor and n[2] > 0.0:
        tongue = smoothstep(1.0, 0.85, along) * smoothstep(0.0, 0.35, n[2]) \
            * smoothstep(0.0, 0.5, floor - z)
        line = 0.25 * smoothstep(0.35, 0.0, y) * smoothstep(12.0, 10.5, x)
        color = mix(color, mix(TONGUE, MAROON, line), tongue)
    return color


def _head(x, y, z, n):
    color = _trunk(x, y, z, n)
    # A pale mark for a brow.
    brow = math.hypot((y - 5.9) / 2.0, (z - 50.2 + 0.06 * (y - 5.0) ** 2) / 0.62)
    if x > 2.0 and brow < 1.2:
        color = mix(color, SPOT, 0.8 * smoothstep(1.08, 0.86, brow))
    # Rosy cheeks with three freckles, and a soft line under them, from the corner of the mouth backwards.
    under = z - 34.6 - 0.09 * (x - 8.0) ** 2
    color = mix(color, BACK, 0.45 * smoothstep(1.1, 0.0, abs(under)) * smoothstep(5.2, 7.2, y)
                * smoothstep(2.0, 5.0, x) * smoothstep(12.6, 10.0, x))
    rosy = _near(x, y, z, (9.8, 8.6, 37.9))
    color = mix(color, BLUSH, 0.85 * math.exp(-(rosy / 2.4) ** 2))
    for fx, fy, fz, size in _FRECKLES:
        spot = math.hypot(y - fy, z - fz)
        if spot < 0.8 and n[0] > 0.0:
            color = mix(color, (196, 74, 92), 0.75 * smoothstep(size + 0.1, size - 0.1, spot))
    if x > 12.0 and z > 38.5:
        nostril = math.hypot((y - 1.45) / 0.85, z - 40.5 - 0.3 * (y - 1.45))
        color = mix(color, mix(INK, MAROON, 0.4), smoothstep(0.62, 0.46, nostril))
    # A soft shadow around the eye makes it look embedded in the head.
    rim = shape.eye_distance(x, y, z)
    color = mix(color, LID, smoothstep(1.5, 0.15, rim))
    if x > 5.0 and 30.0 < z < 41.0:
        hollow = shape.MOUTH(x, y, z)
        if hollow < 1.0:
            lip = mix(CREAM_SHADE, MAROON, 0.55)
            color = mix(color, lip, 0.7 * smoothstep(0.95, 0.35, hollow))
            color = mix(color, _inside_mouth(x, y, z, n), smoothstep(0.42, 0.1, hollow))
    return color


def _ear_in(x, y, z, n, along):
    across = value(along * 3.0, 4.0, y * 0.2)
    color = mix(mix(CORAL, CREAM, 0.33), CORAL, 0.5 * across + 0.5 * smoothstep(0.7, 0.2, along))
    color = mix(color, (186, 74, 112), 0.75 * smoothstep(0.45, 0.12, along))
    return mix(color, DEEP, 0.85 * smoothstep(0.72, 1.0, along))


def _ear_out(x, y, z, n, along):
    return _hide(x, y, z, n[1], n[2], -0.2, 0.9 * smoothstep(0.3, 1.0, along))


def _groove(along):
    """Rings around a horn, fainter toward the tip."""
    ring = along * 7.0
    return smoothstep(0.34, 0.08, abs(ring - math.floor(ring) - 0.5)) * smoothstep(0.85, 0.4, along)


def _horn(along):
    bone = mix((246, 190, 120), CREAM, smoothstep(0.1, 0.9, along))
    return mix(bone, (214, 150, 96), 0.5 * _groove(along))


def _thorn(along):
    return mix(mix(THORN, CORAL, smoothstep(0.0, 0.5, along)), GOLD,
               smoothstep(0.45, 1.0, along))


def _fin(along, t, flat):
    color = _thorn(0.15 + 0.85 * along)
    rays = math.cos(t * 2.6)
    ray = 0.32 * flat * smoothstep(0.55, 1.0, rays) * smoothstep(0.15, 0.5, along)
    return mix(color, THORN, ray)


def _lid(x, y, z, along):
    """Returns the color of a lid: the color of the skin around the eye, with a line of lashes at the edge
    that tapers to both corners."""
    tint = mix(mix(LID, BACK, 0.45), LID, smoothstep(0.05, 0.3, along))
    out = dot(sub((x, y, z), shape.EYE), face.HINGE) / shape.EYE_RADIUS
    wide, ink = 0.062, INK
    # The lashes of the lower lid are faint: they would look like a frown if the lid is pushed up.
    if z < shape.EYE[2]:
        wide, ink = 0.03, mix(INK, BACK, 0.6)
    wide *= 1.0 - min(1.0, out * out)
    return mix(ink, tint, smoothstep(wide - 0.012, wide + 0.012, along))


def _color(part, x, y, z, n, sky, along):
    if part == "torso":
        c = _trunk(x, y, z, n)
    elif part == "head":
        c = _head(x, y, z, n)
    elif part == "arm":
        c = _arm(x, y, z, n)
    elif part == "leg":
        c = _leg(x, y, z, n)
    elif part == "tail":
        c = _tail(x, y, z, n)
    elif part == "ear_in":
        c = _ear_in(x, y, z, n, along)
    elif part == "ear_out":
        c = _ear_out(x, y, z, n, along)
    elif part == "fang":
        c = (255, 252, 240)
    elif part == "horn":
        c = _horn(along)
    elif part == "thorn":
        c = _thorn(along)
    elif part == "fin":
        tip = shape.J["tail_fin"]
        c = _fin(along, 8.0 * y / (2.0 + abs(z - tip[2])), smoothstep(0.4, 0.8, abs(n[0])))
    else:
        c, sky = _lid(x, y, z, along), _LID_SKY
    if part == "ear_in":
        sky = 0.35 + 0.65 * sky
    elif part in ("arm", "torso"):
        # Clips raise the arms higher than the bind pose, so the skin under them is not dark.
        armpit = math.dist((x, y, z), (0.0, 7.2, 25.0))
        sky += max(0.0, 0.8 - sky) * smoothstep(5.0, 2.0, armpit)
    elif part == "fang":
        sky = 0.6 + 0.4 * sky
    elif part == "head":
        # Around the eye the skin is shaded like the lid that slides out from under it.
        sky += (_LID_SKY - sky) * smoothstep(1.6, 0.1, shape.eye_distance(x, y, z))
        # The mouth is dark by its color and by real shadows already.
        if x > 5.0 and 30.0 < z < 41.0:
            sky += (0.7 - sky) * smoothstep(0.42, 0.1, shape.MOUTH(x, y, z))
    if part in ("head", "torso"):
        sky += (0.8 - sky) * _bare(x, y, z)
    grain = 0.965 + 0.07 * value(x * 1.9, y * 1.9, z * 1.9)
    c = mix(shadowed(c), c, smoothstep(0.05, 0.95, sky))
    return (c[0] * grain, c[1] * grain, c[2] * grain)


# Gloss, 0..255: hide has a faint sheen, horn and teeth are polished.
_GLOSS = {"fang": 190.0, "horn": 128.0, "thorn": 112.0, "fin": 84.0, "lid": 58.0, "ear_in": 40.0,
          "ear_out": 54.0}


def _gloss(part, x, y, z, n):
    """Returns the gloss without the effect of the relief: wet lips, hard nails, a soft belly."""
    gloss = _GLOSS.get(part, 62.0)
    if part in ("arm", "leg"):
        nail = min(_near(x, y, z, tip) for tip in (_TOES if part == "leg" else _NAILS))
        gloss = max(gloss, 150.0 * smoothstep(1.12, 0.98, nail))
    if part in ("head", "torso") and x > -2.0:
        pale = max(_belly(x, y, z, n[0]), _muzzle(x, y, z))
        gloss += (38.0 - gloss) * pale
    if part == "head" and x > 5.0 and 30.0 < z < 41.0:
        # The lips shine, but the dark mouth behind them must not become gray.
        hollow = shape.MOUTH(x, y, z)
        gloss = max(gloss, 100.0 * smoothstep(0.9, 0.5, hollow))
        gloss *= 1.0 - smoothstep(0.42, 0.12, hollow)
    return gloss


# Translucency: ears and the fin.
_THIN = {"ear_in": 0.75, "ear_out": 0.45, "fin": 0.7}


def texel(part, x, y, z, n, sky, along):
    """Returns color, height, gloss and alpha of the gloss for a texel of the skin, which is at a position
    with normal n. The alpha is lower on thinner parts. `sky` is the ambient visibility, 0..1."""
    color = _color(part, x, y, z, n, sky, along)
    gloss = _gloss(part, x, y, z, n) * (0.35 + 0.65 * sky)
    height = 0.0
    if part in _PEBBLED:
        # Small scales, softer on pale skin and on the face.
        pebble = smoothstep(-0.35, 0.75, _PEBBLES.near(x, y, z))
        amount = 1.0
        if x > -2.0:
            amount -= 0.85 * max(_belly(x, y, z, n[0]), _muzzle(x, y, z))
        if part == "head":
            amount *= 1.0 - 0.6 * smoothstep(2.0, 9.0, x)
            amount *= smoothstep(0.3, 2.0, shape.eye_distance(x, y, z))
        if part in ("head", "torso"):
            amount *= 1.0 - _bare(x, y, z)
        height = 0.13 * amount * pebble
        shade = 1.0 + 0.09 * amount * (pebble - 0.6)
        gloss *= 1.0 + 0.7 * amount * (pebble - 0.5)
        color = (color[0] * shade, color[1] * shade, color[2] * shade)
        if x > -2.0:
            height -= 0.16 * _belly(x, y, z, n[0]) * _bands(z + 0.035 * y * y, 2.7)
    elif part == "horn":
        height = -0.10 * _groove(along)
    elif part == "ear_in":
        height = 0.12 * value(y * 1.4 + x, z * 1.4, 3.0)
    thin = _THIN.get(part, 0.0) * smoothstep(0.05, 0.5, along)
    return color, height, min(gloss, 255.0), 255.0 - 127.0 * thin


def shadowed(c):
    """Returns a color as it looks in a hollow: darker, and a little more violet."""
    return (c[0] * 0.52 + SHADOW[0] * 0.14, c[1] * 0.44 + SHADOW[1] * 0.14,
            c[2] * 0.52 + SHADOW[2] * 0.14)


def eye(s, t):
    """Returns the color of the eye at s (right) and t (down), both in -1..1, in a view from the front."""
    r = math.hypot(s, t)
    angle = math.atan2(t, s)
    white = mix((255, 253, 248), (206, 208, 226), smoothstep(0.45, 0.95, r))
    white = mix(white, (120, 110, 160), 0.75 * smoothstep(-0.22, -0.62, t))
    iris_size, pupil_size = 0.43, 0.252
    fibre = 0.5 + 0.5 * value(9.0 + 13.2 * math.cos(angle), 9.0 + 13.2 * math.sin(angle), 4.0 * r)
    iris = mix(IRIS, IRIS_LOW, smoothstep(0.9, 0.1, (t + 0.30) / 0.7))
    iris = mix(iris, IRIS_LIGHT, 0.55 * fibre * smoothstep(pupil_size, 0.38, r))
    iris = mix(iris, IRIS_RIM, smoothstep(iris_size - 0.06, iris_size - 0.005, r))
    iris = mix((24, 16, 36), iris, smoothstep(pupil_size - 0.015, pupil_size + 0.025, r))
    color_ = mix(iris, white, smoothstep(iris_size - 0.008, iris_size + 0.012, r))
    # A window high on the left, a smaller light low on the right.
    big = math.hypot(s + 0.145, (t + 0.165) * 0.95)
    small = math.hypot(s - 0.155, t - 0.15)
    color_ = mix(color_, (255, 255, 255), smoothstep(0.105, 0.085, big))
    return mix(color_, (255, 246, 230), 0.85 * smoothstep(0.055, 0.038, small))

"""Spindle, Bobbin's cousin: the same joints in the same directions, limbs of other lengths and
girths. Skin and skeleton are stretched joint by joint."""

from kit.maths import add, dot, scale, sub, unit

from bobbin_parts import skeleton

# Joints whose names begin so: (length, girth), as shares of Bobbin's. The first match counts; other
# joints inherit from their parents.
_BUILD = (("hips", 1.05, 0.80), ("belly", 0.66, 0.80), ("tail_1", 0.90, 0.70),
          ("tail_fin", 1.25, 0.80), ("tail_", 1.08, 0.62), ("thigh", 1.85, 0.88),
          ("shin", 2.05, 0.86), ("foot", 0.95, 0.92), ("toe", 0.95, 0.92), ("spine", 1.35, 0.78),
          ("chest", 1.30, 0.84), ("clavicle", 0.96, 0.90), ("upperarm", 1.45, 0.84),
          ("forearm_twist", 1.55, 0.86), ("forearm", 1.55, 0.84), ("hand", 1.12, 1.06),
          ("finger", 1.25, 1.0), ("thumb", 1.15, 1.0), ("prop", 1.12, 1.06),
          ("neck", 2.6, 0.72), ("head", 0.88, 0.88), ("ear", 1.20, 0.86))

PALETTE = {
    "TEAL": (222, 128, 104), "DEEP": (112, 58, 118), "BACK": (184, 78, 96),
    "CREAM": (255, 240, 208), "CREAM_SHADE": (236, 190, 152), "CORAL": (120, 206, 196),
    "GOLD": (190, 240, 170), "BLUSH": (246, 106, 120), "SPOT": (255, 206, 140),
    "SPOT_DEEP": (206, 122, 176), "IRIS": (140, 226, 120), "IRIS_LOW": (20, 140, 120),
    "IRIS_LIGHT": (222, 255, 160), "IRIS_RIM": (10, 62, 72), "LID": (206, 108, 100),
    "THORN": (52, 132, 150),
}


def _shares(joint, parents):
    found = next(((length, girth) for start, length, girth in _BUILD if joint.startswith(start)),
                 None)
    return found or parents


def _whole(weights):
    """Without helpers: half of what they have is their joint's, half its parent's."""
    parts, parents = dict(weights), {joint.name: joint.parent for joint in skeleton.joints()}
    for helper, joint in skeleton.HALVES.items():
        bias = parts.pop(helper, 0.0)
        for name in (joint, parents[joint]) if bias else ():
            parts[name] = parts.get(name, 0.0) + 0.5 * bias
    return parts


class Cousin:
    """joints() for the file, position(point, weights) for the skin."""

    def __init__(self):
        own = skeleton.joints()
        self.bind = {joint.name: joint.bind for joint in own}
        self.stretch, self.place_of = {}, {}
        for joint in own:
            shares = _shares(joint.name, self.stretch.get(joint.parent, (0.0, 1.0, 1.0))[1:])
            along = unit(sub(joint.aim, joint.bind))
            self.stretch[joint.name] = (along,) + tuple(shares)
            at = joint.bind
            if joint.parent:
                at = add(self.place_of[joint.parent],
                         self._carried(joint.parent, sub(joint.bind, self.bind[joint.parent])))
            self.place_of[joint.name] = at
        # Longer legs lift the rest: the soles stay on the floor.
        sole = self.position((4.0, 7.6, 0.0), {"toes_l": 1.0})[2]
        for joint in own:
            if joint.parent:
                at = self.place_of[joint.name]
                self.place_of[joint.name] = (at[0], at[1], at[2] - sole)
        self._joints = own

    def _carried(self, joint, offset):
        along, length, girth = self.stretch[joint]
        if joint == "origin":
            return offset
        return add(scale(offset, girth), scale(along, (length - girth) * dot(offset, along)))

    def position(self, point, weights):
        """Maps a point of Bobbin's skin to the cousin's."""
        at = (0.0, 0.0, 0.0)
        for joint, bias in sorted(_whole(weights).items()):
            moved = add(self.place_of[joint],
                        self._carried(joint, sub(point, self.bind[joint])))
            at = add(at, scale(moved, bias))
        return at

    def joints(self):
        """The same as bobbin_parts.skeleton.joints(), for the cousin."""
        for joint in self._joints:
            reach = self._carried(joint.name, sub(joint.aim, self.bind[joint.name]))
            joint.bind = self.place_of[joint.name]
            joint.aim = add(joint.bind, reach)
        return self._joints

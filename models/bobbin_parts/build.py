"""Changes the lengths and girths of limbs: skin and skeleton are stretched joint by joint. Bobbin is modeled
with short legs and arms, for which shape, paint and charts are defined. His final legs and arms are
longer."""

from kit.maths import add, dot, scale, sub, unit

from bobbin_parts import skeleton

LIMB_RATIOS = (("thigh", 1.15, 1.0), ("shin", 1.15, 1.0), ("foot", 1.0, 1.0), ("upperarm", 1.12, 1.0),
               ("forearm", 1.12, 1.0), ("hand", 1.0, 1.0))


def _whole(weights):
    """Returns weights without helpers: a joint and its parent get half of its helper's weight each."""
    parts, parents = dict(weights), {joint.name: joint.parent for joint in skeleton.joints()}
    for helper, joint in skeleton.HALVES.items():
        bias = parts.pop(helper, 0.0)
        for name in (joint, parents[joint]) if bias else ():
            parts[name] = parts.get(name, 0.0) + 0.5 * bias
    return parts


class Build:
    """Stretched limbs: joints() returns the joints for the file, and position(point, weights) maps the skin.
    limb_ratios: (prefix of joint names, length and girth relative to skeleton.py). The first matching prefix
    is used. Joints without a match inherit the ratios of their parents."""

    def __init__(self, limb_ratios):
        modeled = skeleton.joints()
        self.bind = {joint.name: joint.bind for joint in modeled}
        self.stretch, self.positions = {}, {}
        for joint in modeled:
            ratios = next((ratio[1:] for ratio in limb_ratios if joint.name.startswith(ratio[0])),
                          self.stretch.get(joint.parent, (0.0, 1.0, 1.0))[1:])
            along = unit(sub(joint.aim, joint.bind))
            self.stretch[joint.name] = (along,) + tuple(ratios)
            at = joint.bind
            if joint.parent:
                at = add(self.positions[joint.parent],
                         self._carried(joint.parent, sub(joint.bind, self.bind[joint.parent])))
            self.positions[joint.name] = at
        # Longer legs lift the rest: the soles stay on the floor.
        sole = self.position((4.0, 7.6, 0.0), {"toes_l": 1.0})[2]
        for joint in modeled:
            if joint.parent:
                at = self.positions[joint.name]
                self.positions[joint.name] = (at[0], at[1], at[2] - sole)

    def _carried(self, joint, offset):
        along, length, girth = self.stretch[joint]
        if joint == "origin":
            return offset
        return add(scale(offset, girth), scale(along, (length - girth) * dot(offset, along)))

    def position(self, point, weights):
        """Maps a point of the modeled skin to its final position."""
        at = (0.0, 0.0, 0.0)
        for joint, bias in sorted(_whole(weights).items()):
            moved = add(self.positions[joint],
                        self._carried(joint, sub(point, self.bind[joint])))
            at = add(at, scale(moved, bias))
        return at

    def rise(self, joint):
        """Returns the height of a joint above its modeled position."""
        return self.positions[joint][2] - self.bind[joint][2]

    def joints(self):
        """Returns bobbin_parts.skeleton.joints(), stretched."""
        out = skeleton.joints()
        for joint in out:
            reach = self._carried(joint.name, sub(joint.aim, joint.bind))
            joint.bind = self.positions[joint.name]
            joint.aim = add(joint.bind, reach)
        return out


BOBBIN = Build(LIMB_RATIOS)

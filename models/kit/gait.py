"""Walking feet: each stands still, then swings to its next position."""

import math

from kit.curves import keyed, looped
from kit.maths import mix, rotate, turn

SIDES = (("l", 1.0), ("r", -1.0))


class Gait:
    """A gait of constant speed. `seconds` for both feet to step once; speed in units a
    second forwards and to the left, spin in degrees a second to the left. The left foot lands at
    phase 0, the right one at 0.5; each stands for the fraction `duty`.

    home: position of the ball of the left foot under the body in the middle of its stance.
    strike: pitch of the foot as it lands (< 0: heel first), push: as it leaves, kick: more of it
    soon after. late > 0 lifts the foot more in the second half of its swing. roll, of a foot that
    turns through lift-off without a stop: (share of the stance after which the heel rises, pitch at
    its highest, shares of the swing at which it is that and level)."""

    def __init__(self, seconds, home, duty, lift, strike, push, forward=0.0, left=0.0, spin=0.0,
                 out=4.0, kick=0.0, even=0.0, late=-0.15, roll=None):
        self.seconds, self.home, self.duty, self.lift = seconds, home, duty, lift
        self.strike, self.push, self.out, self.kick = strike, push, out, kick
        self.forward, self.left, self.spin, self.even = forward, left, spin, even
        self.late, self.roll = late, roll

    def root(self, t):
        """x, y, heading at time t: a straight line, or an arc about a point to the left or right."""
        if not self.spin:
            return self.forward * t, self.left * t, 0.0
        angle, rate = math.radians(self.spin * t), math.radians(self.spin)
        return (self.forward * math.sin(angle) / rate, self.forward * (1.0 - math.cos(angle)) / rate,
                self.spin * t)

    def _stand(self, sign, count, late):
        """Position and direction of a foot in stance `count`."""
        x, y, heading = self.root(self.seconds * (count + late + 0.5 * self.duty))
        home = rotate(turn(yaw=heading), (self.home[0], self.home[1] * sign, 0.0))
        return (x + home[0], y + home[1], 0.0), heading + self.out * sign

    def foot(self, side, t):
        """(x, y, z, pitch, yaw, toes) for Actor.foot at time t."""
        return self.step(*((1.0, 0.0) if side == "l" else (-1.0, 0.5)), t)

    def step(self, sign, late, t):
        """The same for a foot on the left (1) or right (-1) that lands at phase `late`."""
        phase = t / self.seconds - late
        count = math.floor(phase)
        phase -= count
        here, heading = self._stand(sign, count, late)
        if phase < self.duty:
            f = phase / self.duty
            pitch = keyed(f, (0.0, self.strike), (0.2, 0.0), (0.58, 0.0), (1.0, self.push))
            return here[0], here[1], 0.0, self._rolled(phase, pitch), heading, 0.0
        s = (phase - self.duty) / (1.0 - self.duty)
        there, next_heading = self._stand(sign, count + 1, late)
        # Horizontal speed is 0 at lift-off and landing.
        way = s * s * (3.0 - 2.0 * s)
        way += self.even * s * s * s * (s * (6.0 * s - 15.0) + 10.0) - self.even * way
        x, y, _ = mix(here, there, way)
        z = self.lift * math.sin(math.pi * s) ** 0.9 * (1.0 + self.late * (2.0 * s - 1.0))
        pitch = keyed(s, (0.0, self.push), (0.3, 0.75 * self.push + self.kick), (0.75, 0.0),
                      (1.0, self.strike))
        toes = keyed(s, (0.0, 0.0), (0.3, 0.9), (0.7, 0.6), (1.0, 0.0))
        return x, y, z, self._rolled(phase, pitch), heading + (next_heading - heading) * way, toes

    def _rolled(self, phase, pitch):
        """Pitch by `roll`, if there is one."""
        if self.roll is None:
            return pitch
        rise, most, highest, level = self.roll
        duty, swing = self.duty, 1.0 - self.duty
        return looped(phase, 1.0, (0.0, self.strike), (0.2 * duty, 0.0), (rise * duty, 0.0),
                      (duty, self.push), (duty + highest * swing, most), (duty + level * swing, 0.0))

    def go(self, actor, t):
        """Moves the root. The rest of the body is posed before plant()."""
        x, y, heading = self.root(t)
        actor.root(x, y, 0.0, heading)

    def plant(self, actor, t, spread=0.0):
        for side, _ in SIDES:
            x, y, z, pitch, yaw, toes = self.foot(side, t)
            actor.foot(side, x, y, z, pitch, yaw, toes)
            actor.spread(side, spread * (1.0 if z == 0.0 else 0.2))

    def steps(self, rate):
        """Frames at which feet land: (frame, word)."""
        count = self.seconds * rate
        return [(0, "footstep left"), (round(0.5 * count), "footstep right")]

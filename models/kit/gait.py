"""Walking feet: each stands still, then swings to its next position."""

import math

from kit.curves import arch, keyed, looped, smootherstep, softened
from kit.maths import add, mix, rotate, euler

SIDES = (("l", 1.0), ("r", -1.0))
GRAVITY = 544.0     # units per second squared


class Gait:
    """A gait of constant speed. `seconds` for both feet to step once; forward and left: speed in units
    per second; yaw_rate: degrees per second to the left. The left foot lands at
    phase 0, the right one at 0.5; each stands for the fraction `duty`.

    home: position of the ball of the left foot under the body in the middle of its stance. strike: pitch of
    the foot when it lands (< 0: heel first); push: pitch when it leaves the floor; kick: additional pitch
    soon afterwards; or roll: the pitch over the whole cycle as keys (time, degrees), where time is 0..1 for
    the stance and 1..2 for the swing. soft: the time, in cycles, over which corners of the pitch curve are
    rounded. gentle: exponents of arch() for the height of a foot; larger values leave the floor and meet it
    more slowly. Without it, both are abrupt. The foot swings along a cubic curve; even > 0 and after > 0 add
    fractions of curves that start more slowly and end as slowly (even) or less slowly (after). hang: the
    fraction of the body's bounce() that moves a foot in the air; reach: how far the foot trails the curve
    after it has left the floor, and how far it is ahead of the curve before it lands."""

    def __init__(self, seconds, home, duty, lift, strike=0.0, push=0.0, forward=0.0, left=0.0, yaw_rate=0.0,
                 out=4.0, kick=0.0, even=0.0, roll=None, soft=0.04, gentle=None, after=0.0,
                 hang=0.0, reach=(0.0, 0.0)):
        self.seconds, self.home, self.duty, self.lift = seconds, home, duty, lift
        self.forward, self.left, self.yaw_rate, self.out = forward, left, yaw_rate, out
        self.even, self.after, self.soft, self.gentle = even, after, soft, gentle
        self.hang, self.reach = hang, reach
        self.roll = roll or ((0.0, strike), (0.2, 0.0), (0.58, 0.0), (1.0, push),
                             (1.3, 0.75 * push + kick), (1.72, 0.0))

    def root(self, t):
        """Returns x, y, heading at time t: a straight line, or an arc about a point to the left or right."""
        if not self.yaw_rate:
            return self.forward * t, self.left * t, 0.0
        angle, rate = math.radians(self.yaw_rate * t), math.radians(self.yaw_rate)
        return (self.forward * math.sin(angle) / rate, self.forward * (1.0 - math.cos(angle)) / rate,
                self.yaw_rate * t)

    def bounce(self, phase):
        """Returns the height of a body that falls freely between steps and that each leg catches like a
        spring; 0 when a foot lands and when it leaves."""
        stance = self.duty * self.seconds
        flight = 0.5 * self.seconds - stance
        s = phase % 0.5 * self.seconds
        if s < stance:
            return -GRAVITY * flight * stance / (2.0 * math.pi) * math.sin(math.pi * s / stance)
        return 0.5 * GRAVITY * (s - stance) * (flight + stance - s)

    def _stand(self, sign, count, phase_offset):
        """Returns position and direction of a foot in stance `count`."""
        x, y, heading = self.root(self.seconds * (count + phase_offset + 0.5 * self.duty))
        home = rotate(euler(yaw=heading), (self.home[0], self.home[1] * sign, 0.0))
        return (x + home[0], y + home[1], 0.0), heading + self.out * sign

    def foot(self, side, t):
        """Returns (x, y, z, pitch, yaw, toes) for Actor.foot at time t."""
        return self.step(*((1.0, 0.0) if side == "l" else (-1.0, 0.5)), t)

    def step(self, sign, phase_offset, t):
        """Returns the same for a foot on the left (1) or right (-1) that lands at phase
        `phase_offset`."""
        phase = t / self.seconds - phase_offset
        count = math.floor(phase)
        phase -= count
        start, heading = self._stand(sign, count, phase_offset)
        pitch = softened(self._pitch, phase, self.soft)
        if phase < self.duty:
            return start[0], start[1], 0.0, pitch, heading, 0.0
        s = (phase - self.duty) / (1.0 - self.duty)
        end, next_heading = self._stand(sign, count + 1, phase_offset)
        # Horizontal and vertical speed are 0 at lift-off and landing.
        progress = s * s * (3.0 - 2.0 * s)
        progress += (self.even * (smootherstep(s) - progress)
                     + self.after * (s * s * s * (4.0 - 3.0 * s) - progress))
        far = self.reach[1] * arch(2.0 * s - 1.0, 1.4, 2.0) - self.reach[0] * arch(2.0 * s, 1.8, 1.9)
        x, y, _ = add(mix(start, end, progress), rotate(euler(yaw=heading), (far, 0.0, 0.0)))
        z = self.lift * (arch(s, *self.gentle) if self.gentle else
                         math.sin(math.pi * s) ** 0.9 * (1.15 - 0.3 * s))
        if self.hang:
            z += self.hang * self.bounce(t / self.seconds) * math.sin(math.pi * s) ** 2
        toes = keyed(s, (0.0, 0.0), (0.3, 0.9), (0.7, 0.6), (1.0, 0.0))
        return x, y, z, pitch, heading + (next_heading - heading) * progress, toes

    def _pitch(self, phase):
        """Returns the pitch of a foot over its whole cycle."""
        duty, swing = self.duty, 1.0 - self.duty
        return looped(phase, 1.0, *((at * duty if at <= 1.0 else duty + (at - 1.0) * swing, pitch)
                                    for at, pitch in self.roll))

    def move_root(self, actor, t):
        """Moves the root. The rest of the body is posed before plant()."""
        x, y, heading = self.root(t)
        actor.root(x, y, 0.0, heading)

    def plant(self, actor, t, spread=0.0):
        for side, _ in SIDES:
            x, y, z, pitch, yaw, toes = self.foot(side, t)
            actor.foot(side, x, y, z, pitch, yaw, toes)
            actor.spread(side, spread * (1.0 if z == 0.0 else 0.2))

    def steps(self, rate):
        """Yields frames at which feet land: (frame, text)."""
        count = self.seconds * rate
        return [(0, "footstep left"), (round(0.5 * count), "footstep right")]

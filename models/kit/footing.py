"""Positions of one foot in clips other than gaits."""

import math

from kit.maths import smoothstep


class Footing:
    """A foot at (x, y), rotated by yaw, and its moves: rows of (start, end, x, y, yaw, lift, pitch),
    in ascending order; lift is the height in the middle of the move, pitch the rotation there.
    Between moves it does not move. The greater `gentle`, the more slowly it leaves the floor and meets it;
    it goes on its way `still` (a share of the move) after the one and before the other."""

    def __init__(self, x, y, yaw, *moves, gentle=0.9, still=0.0):
        self.start, self.moves, self.gentle, self.still = (x, y, yaw), moves, gentle, still

    def at(self, t):
        """Returns (x, y, z, pitch, yaw) at time t."""
        x, y, yaw = self.start
        for start, end, to_x, to_y, to_yaw, lift, pitch in self.moves:
            if t <= start:
                break
            if t >= end:
                x, y, yaw = to_x, to_y, to_yaw
                continue
            s = (t - start) / (end - start)
            way, up = smoothstep(self.still, 1.0 - self.still, s), math.sin(math.pi * s) ** self.gentle
            return (x + (to_x - x) * way, y + (to_y - y) * way, lift * up, pitch * up,
                    yaw + (to_yaw - yaw) * way)
        return x, y, 0.0, 0.0, yaw

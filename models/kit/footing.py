"""Positions of one foot in clips other than gaits."""

import math

from kit.maths import smoothstep


class Footing:
    """A foot at (x, y), rotated by yaw, and its moves: tuples (start, end, x, y, yaw, lift, pitch),
    in ascending order; lift is the height in the middle of the move, pitch the rotation there.
    Between moves it does not move. The larger `gentle`, the more slowly it leaves the floor and meets it. It
    moves horizontally only between the fractions `still` and 1 - `still` of a move."""

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
            progress, up = smoothstep(self.still, 1.0 - self.still, s), math.sin(math.pi * s) ** self.gentle
            return (x + (to_x - x) * progress, y + (to_y - y) * progress, lift * up, pitch * up,
                    yaw + (to_yaw - yaw) * progress)
        return x, y, 0.0, 0.0, yaw

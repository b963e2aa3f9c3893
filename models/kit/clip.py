"""Clips: an act is posed frame by frame, then springs simulate hanging parts."""

from kit import rig
from kit.maths import IDENTITY, add, conj, mul, rotate, scale
from kit.spring import Follow

_SETTLE = 6.0  # seconds of a loop played before it is written, until its springs repeat


class Clip:
    """`intervals` steps at `rate` per second. act(actor, t) poses time t (seconds) of what
    actor(skeleton) returns, which has a `pose`; springs follow it.

    loop: the last frame equals the first one except for root motion. events: (frame, text).
    still: no springs. airborne: there is no floor. leaves: all feet leave the floor. layer: the clip
    with the same first frame, so that the difference can be added to other clips."""

    actor, springs = None, ()

    def __init__(self, name, rate, intervals, act, loop=True, events=(), still=False,
                 airborne=False, leaves=False, layer=None):
        self.name, self.rate, self.intervals, self.act = name, rate, intervals, act
        self.loop, self.events, self.still = loop, events, still
        self.airborne, self.leaves, self.layer = airborne, leaves, layer

    def _posed(self, bones, n):
        actor = self.actor(bones)
        self.act(actor, n / self.rate)
        return actor.pose

    def frames(self, bones):
        """Returns for each frame (positions, rotations) in model space."""
        # The last frame of a loop contains only the root's displacement.
        poses = [self._posed(bones, n) for n in range(self.intervals + 1)]
        position, rotation = poses[-1].locate(0) if self.loop else ((0.0, 0.0, 0.0), IDENTITY)
        if not self.still:
            self._follow(bones, poses, position, rotation)
        if not self.loop:
            return [pose.solve() for pose in poses]
        solved = [pose.solve() for pose in poses[:-1]]
        positions, rotations = solved[0]
        solved.append(([add(position, rotate(rotation, p)) for p in positions],
                       [mul(rotation, q) for q in rotations]))
        return solved

    def _follow(self, bones, poses, position, rotation):
        follow = Follow(bones, self.springs)
        loop = poses[:-1] if self.loop else poses
        rounds = -int(-_SETTLE * self.rate // len(loop)) if self.loop else 0
        for round_index in range(rounds + 1):
            # The frames played so far move back by one loop.
            if round_index:
                follow.carry(scale(position, -1.0), conj(rotation))
            done = [follow.step(pose, 1.0 / self.rate) for pose in loop]
        for pose, (rotations, moves) in zip(loop, done):
            for n, value in rotations.items():
                pose.rotations[n] = value
            for n, value in moves.items():
                pose.moves[n] = value


def bake_clip(clip, bones, bounds):
    """Returns frames and bounds for the file."""
    frames, boxes = [], []
    solved = clip.frames(bones)
    for positions, rotations in solved:
        frames.append(rig.local_frames(bones, positions, rotations))
        boxes.append(bounds.compute(positions, rotations))
    if clip.loop:
        frames[-1][1:] = frames[0][1:]
    return frames, boxes


def events_text(clips):
    """Returns one line per event: CLIP frame NUMBER TEXT; frames count from 0."""
    return "".join("%s frame %d %s\n" % (clip.name, frame, text)
                   for clip in sorted(clips, key=lambda clip: clip.name)
                   for frame, text in clip.events)

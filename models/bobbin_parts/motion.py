"""Bobbin's clips, and how one is made from an act: posed frame by frame, then everything that
hangs follows it."""

from kit import rig
from kit.maths import IDENTITY, add, conj, mul, rotate, scale
from kit.spring import Follow

from bobbin_parts import acts, leaps, walking
from bobbin_parts.actor import SPRINGS, Actor

_SETTLE = 6.0  # seconds of a loop played before it is written, until its springs repeat


class Clip:
    """`intervals` steps at `rate` per second. act(actor, t) poses the moment t (seconds).

    loop: ends as it began, but for where its root has come to. events: (frame, words), what a
    player may want to hear of. still: nothing follows late. airborne: there is no floor. leaves:
    both feet leave the floor in it."""

    def __init__(self, name, rate, intervals, act, loop=True, events=(), still=False,
                 airborne=False, leaves=False):
        self.name, self.rate, self.intervals, self.act = name, rate, intervals, act
        self.loop, self.events, self.still = loop, events, still
        self.airborne, self.leaves = airborne, leaves

    def _posed(self, bones, n):
        actor = Actor(bones)
        self.act(actor, n / self.rate)
        return actor.pose

    def frames(self, bones):
        """Per frame (places, turns) in model space."""
        # The last frame of a loop tells only how far the root has come.
        poses = [self._posed(bones, n) for n in range(self.intervals + 1)]
        place, turn = poses[-1].where(0) if self.loop else ((0.0, 0.0, 0.0), IDENTITY)
        if not self.still:
            self._follow(bones, poses, place, turn)
        if not self.loop:
            return [pose.solve() for pose in poses]
        solved = [pose.solve() for pose in poses[:-1]]
        places, turns = solved[0]
        solved.append(([add(place, rotate(turn, p)) for p in places],
                       [mul(turn, q) for q in turns]))
        return solved

    def _follow(self, bones, poses, place, turn):
        follow = Follow(bones, SPRINGS)
        loop = poses[:-1] if self.loop else poses
        rounds = -int(-_SETTLE * self.rate // len(loop)) if self.loop else 0
        for number in range(rounds + 1):
            # What was played so far lies one loop back.
            if number:
                follow.carry(scale(place, -1.0), conj(turn))
            done = [follow.step(pose, 1.0 / self.rate) for pose in loop]
        for pose, (turns, moves) in zip(loop, done):
            for n, value in turns.items():
                pose.turns[n] = value
            for n, value in moves.items():
                pose.moves[n] = value


def bake(clip, bones, bounds):
    """Frames and boxes for the file."""
    frames, boxes = [], []
    solved = clip.frames(bones)
    for places, turns in solved:
        frames.append(rig.local_frames(bones, places, turns))
        boxes.append(bounds.of(places, turns))
    if clip.loop:
        frames[-1][1:] = frames[0][1:]
    return frames, boxes


def events_text(clips):
    """One line per event: CLIP frame NUMBER WORDS; frames count from 0."""
    return "".join("%s frame %d %s\n" % (clip.name, frame, words)
                   for clip in sorted(clips, key=lambda clip: clip.name)
                   for frame, words in clip.events)


def _both_feet(frame):
    return [(frame, "footstep left"), (frame, "footstep right")]


CLIPS = (
    Clip("attack", 30, 30, acts.attack, events=((11, "footstep left"), (11, "strike right hand"),
                                                (28, "footstep left"))),
    Clip("bow", 24, 68, acts.bow),
    Clip("breathe", 24, 60, acts.breathe, still=True),
    Clip("carry", 24, 48, acts.carry),
    Clip("dance", 30, 120, leaps.dance, leaves=True, events=leaps.DANCE_EVENTS),
    Clip("fall", 30, 45, leaps.fall, loop=False, leaves=True,
         events=((9, "footstep right"), (21, "thud"), (28, "thud"))),
    Clip("get_up", 30, 48, leaps.get_up, loop=False, leaves=True,
         events=((17, "footstep left"), (20, "footstep right"), (42, "footstep left"),
                 (47, "footstep right"))),
    Clip("hit", 30, 27, acts.hit, events=((1, "blow"), (7, "footstep right"),
                                          (24, "footstep right"))),
    Clip("idle", 24, 120, acts.idle),
    Clip("jump", 30, 45, leaps.jump, leaves=True, events=[(12, "takeoff")] + _both_feet(27)),
    Clip("jump_air", 30, 15, leaps.jump_air, airborne=True),
    Clip("jump_land", 30, 18, leaps.jump_land, loop=False, events=_both_feet(0)),
    Clip("jump_start", 30, 12, leaps.jump_start, loop=False, events=[(12, "takeoff")]),
    Clip("lean", 24, 48, acts.lean, still=True),
    Clip("point", 24, 60, acts.point),
    Clip("run", 30, 18, walking.run, leaves=True, events=walking.RUN.steps(30)),
    Clip("sneak", 24, 36, walking.sneak, events=walking.SNEAK.steps(24)),
    Clip("stand", 24, 1, acts.stand, still=True),
    Clip("strafe_left", 24, 18, walking.strafe_left, events=walking.ASIDE_L.steps(24)),
    Clip("strafe_right", 24, 18, walking.strafe_right, events=walking.ASIDE_R.steps(24)),
    Clip("talk", 24, 96, acts.talk),
    Clip("turn_left", 30, 24, walking.turn_left, events=walking.TURN_L.steps(30)),
    Clip("turn_right", 30, 24, walking.turn_right, events=walking.TURN_R.steps(30)),
    Clip("walk", 24, 24, walking.walk, events=walking.WALK.steps(24)),
    Clip("walk_backward", 30, 27, walking.backward, events=walking.BACKWARD.steps(30)),
    Clip("wave", 24, 84, acts.greet),
)

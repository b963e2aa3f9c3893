"""Bobbin's clips."""

from kit import clip

from bobbin_parts import acts, antics, leaps, sleep, steering, walking
from bobbin_parts.actor import SPRINGS, Actor


class Clip(clip.Clip):
    actor, springs = Actor, SPRINGS


def _both_feet(frame):
    return [(frame, "footstep left"), (frame, "footstep right")]


def _strides(first, second):
    """Returns the footsteps of two cycles of a run that begins when the foot `first` lands."""
    return [(frame, "footstep " + foot)
            for frame, foot in ((0, first), (16, second), (32, first), (48, second))]


CLIPS = (
    Clip("attack", 30, 34, acts.attack, events=((15, "strike right hand"), (16, "footstep left"),
                                                (33, "footstep left"))),
    Clip("back_start", 30, 15, steering.back_start, loop=False, events=((15, "footstep left"),)),
    Clip("back_stop", 30, 21, steering.back_stop, loop=False,
         events=((0, "footstep left"), (14, "footstep right"))),
    Clip("blink", 24, 7, acts.blink, loop=False, still=True, layer="stand"),
    Clip("bow", 24, 68, acts.bow),
    Clip("breathe", 24, 60, acts.breathe, still=True, layer="stand"),
    Clip("carry", 24, 96, acts.carry),
    Clip("chase", 40, round(40 * antics.CHASE_SECONDS), antics.chase, loop=False,
         events=antics.chase_events()),
    Clip("dance", 30, 120, leaps.dance, leaves=True, events=leaps.DANCE_EVENTS),
    Clip("dizzy", 30, 72, antics.dizzy, leaves=True),
    Clip("doze", 24, 96, sleep.doze, leaves=True, events=((36, "snore"),)),
    Clip("eyes_down", 24, 1, antics.eyes_down, still=True),
    Clip("eyes_left", 24, 1, antics.eyes_left, still=True),
    Clip("eyes_right", 24, 1, antics.eyes_right, still=True),
    Clip("eyes_up", 24, 1, antics.eyes_up, still=True),
    Clip("fall", 30, 45, leaps.fall, loop=False, leaves=True,
         events=((10, "footstep right"), (21, "thud"), (28, "thud"))),
    Clip("get_up", 30, 48, leaps.get_up, loop=False, leaves=True,
         events=((16, "footstep left"), (26, "footstep right"), (41, "footstep left"),
                 (47, "footstep right"))),
    Clip("giggle", 30, 57, antics.giggle, loop=False),
    Clip("hit", 30, 27, acts.hit, events=((1, "blow"), (9, "footstep right"),
                                          (25, "footstep right"))),
    Clip("idle", 24, 120, acts.idle),
    Clip("jump", 30, 48, leaps.jump, leaves=True, events=[(15, "takeoff")] + _both_feet(30)),
    Clip("jump_air", 30, 15, leaps.jump_air, airborne=True),
    Clip("jump_land", 30, 18, leaps.jump_land, loop=False, events=_both_feet(0)),
    Clip("jump_start", 30, 15, leaps.jump_start, loop=False, events=[(15, "takeoff")]),
    Clip("lean", 24, 48, acts.lean, still=True, layer="stand"),
    Clip("look_down", 24, 1, antics.look_down, still=True),
    Clip("look_left", 24, 1, antics.look_left, still=True),
    Clip("look_right", 24, 1, antics.look_right, still=True),
    Clip("look_up", 24, 1, antics.look_up, still=True),
    Clip("pat", 30, 96, antics.pat, loop=False,
         events=antics.pat_events()),
    Clip("point", 24, 60, acts.point),
    Clip("prick", 24, 18, antics.prick, loop=False, still=True, layer="stand"),
    Clip("run", 40, 32, walking.run, leaves=True, events=walking.RUN.steps(40)),
    Clip("run_fall", 40, 60, steering.run_fall, loop=False, leaves=True, events=((14, "thud"),)),
    Clip("run_jump_left", 40, 30, steering.run_jump_left, loop=False, leaves=True,
         events=((8, "takeoff"), (29, "landing"), (30, "footstep right"))),
    Clip("run_jump_right", 40, 30, steering.run_jump_right, loop=False, leaves=True,
         events=((8, "takeoff"), (29, "landing"), (30, "footstep left"))),
    Clip("run_left", 40, 32, walking.run_left, leaves=True, events=walking.RUN.steps(40)),
    Clip("run_right", 40, 32, walking.run_right, leaves=True, events=walking.RUN.steps(40)),
    Clip("run_start", 40, 30, steering.run_start, loop=False, leaves=True,
         events=((22, "takeoff"), (30, "footstep left"))),
    Clip("run_to_walk", 40, 32, steering.run_to_walk, loop=False, leaves=True,
         events=((16, "footstep right"), (32, "footstep left"))),
    Clip("run_to_walk_right", 40, 32, steering.run_to_walk_right, loop=False, leaves=True,
         events=((16, "footstep left"), (32, "footstep right"))),
    Clip("sit", 30, 42, sleep.sit, loop=False, leaves=True, events=((23, "thud"),)),
    Clip("skid_stop", 40, 36, steering.skid_stop, loop=False, leaves=True,
         events=((1, "skid"), (27, "footstep right"), (33, "footstep left"))),
    Clip("skid_stop_right", 40, 36, steering.skid_stop_right, loop=False, leaves=True,
         events=((1, "skid"), (27, "footstep left"), (33, "footstep right"))),
    Clip("sneak", 24, 36, walking.sneak, events=walking.SNEAK.steps(24)),
    Clip("sneeze", 30, 84, antics.sneeze, loop=False, leaves=True, events=[(38, "fire")] + _both_feet(47)),
    Clip("stand", 24, 1, acts.stand, still=True),
    Clip("startle", 30, 33, sleep.startle, loop=False, leaves=True, events=_both_feet(22)),
    Clip("stumble", 40, 64, steering.stumble, leaves=True, events=_strides("left", "right")),
    Clip("stumble_right", 40, 64, steering.stumble_right, leaves=True, events=_strides("right", "left")),
    Clip("strafe_left", 24, 18, walking.strafe_left, events=walking.ASIDE_L.steps(24)),
    Clip("strafe_right", 24, 18, walking.strafe_right, events=walking.ASIDE_R.steps(24)),
    Clip("talk", 24, 96, acts.talk),
    Clip("turn_left", 30, 18, steering.turn_left, events=steering.turn_events(1.0)),
    Clip("turn_right", 30, 18, steering.turn_right, events=steering.turn_events(-1.0)),
    Clip("walk", 24, 24, walking.walk, events=walking.WALK.steps(24)),
    Clip("walk_backward", 30, 27, walking.backward, events=walking.BACKWARD.steps(30)),
    Clip("walk_left", 24, 24, walking.walk_left, events=walking.WALK.steps(24)),
    Clip("walk_right", 24, 24, walking.walk_right, events=walking.WALK.steps(24)),
    Clip("walk_start", 30, 18, steering.walk_start, loop=False, events=((18, "footstep left"),)),
    Clip("walk_stop_left", 30, 21, steering.walk_stop_left, loop=False,
         events=((0, "footstep left"), (14, "footstep right"))),
    Clip("walk_stop_right", 30, 21, steering.walk_stop_right, loop=False,
         events=((0, "footstep right"), (14, "footstep left"))),
    Clip("wave", 24, 84, acts.greet),
    Clip("yawn", 24, 72, sleep.yawn, loop=False),
)

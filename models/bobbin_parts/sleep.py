"""Clips of a character that nobody plays with: he yawns, dozes off where he stands, and starts up."""

from kit.curves import bump, keyed, pulse, wave

from bobbin_parts.actor import SIDES

YAWN_SECONDS, DOZE_SECONDS, STARTLE_SECONDS = 3.0, 4.0, 0.8
_NOD = 17.0        # of the sleeping head


def _asleep(a, amount, breath=0.0):
    """The trunk sinks, the head hangs, lids are shut, arms and ears too."""
    a.move("hips", z=-0.9 * amount + 0.10 * breath, x=-0.3 * amount)
    a.turn("hips", pitch=4.0 * amount)
    a.bend(pitch=10.0 * amount - 1.6 * breath)
    a.stretch(-0.5 * amount + 0.35 * breath)
    a.move("belly", x=0.35 * breath)
    a.nod(pitch=_NOD * amount - 4.5 * breath, roll=7.0 * amount)
    for side, _ in SIDES:
        a.lids(side, amount, amount, 2.0)
        a.arm(side, pitch=-4.0 * amount, roll=2.0 * breath)
    a.ears(-13.0 * amount - 2.0 * breath, 9.0 * amount)
    a.brows(-0.2 * amount, -0.3 * amount)


def yawn(a, t):
    """Stretches with a wide yawn, one arm up, and nods off."""
    wide = keyed(t, (0.25, 0.0), (0.75, 1.0), (1.30, 1.0), (1.75, 0.0))
    stretch = keyed(t, (0.30, 0.0), (0.95, 1.0), (1.35, 0.9), (1.95, 0.0))
    sleep = keyed(t, (1.75, 0.0), (2.25, 0.55), (2.45, 0.35), (YAWN_SECONDS, 1.0))
    a.rest()
    _asleep(a, sleep)
    a.bend(pitch=-9.0 * stretch, roll=-4.0 * stretch)
    a.stretch(0.9 * stretch)
    a.nod(pitch=-13.0 * wide, roll=-5.0 * stretch)
    a.mouth(0.16 + 0.9 * wide, 1.0 - 0.9 * wide)
    squint = (1.0 - sleep) * pulse(t, 0.35, 1.75, 0.3)
    for side, _ in SIDES:
        a.lids(side, 0.85 * squint, 0.6 * squint, 2.0)
    a.brows(0.6 * wide, -0.4 * wide)
    a.one("clavicle", "r", roll=10.0 * stretch)
    a.arm("r", roll=72.0 * stretch, pitch=-6.0 * stretch)
    a.elbow("r", 30.0 * stretch)
    a.grip("r", 0.5 * stretch)
    a.arm("l", roll=22.0 * stretch, pitch=20.0 * stretch)
    a.grip("l", -0.4 * stretch)
    a.ears(-10.0 * wide, 14.0 * wide)
    a.tail_pose(rise=10.0 * stretch)
    a.stand()


def doze(a, t):
    """Sleeps standing: slow breaths, a snore that opens the mouth, a twitch of one ear."""
    phase = t / DOZE_SECONDS
    breath = wave(phase, 1, 0.25) + 1.0       # 0 where the loop begins
    a.rest()
    _asleep(a, 1.0, 0.5 * breath)
    a.move("hips", y=0.5 * wave(phase))
    a.bend(roll=-1.5 * wave(phase))
    a.mouth(0.16 + 0.16 * breath, 0.3 + 0.7 * (1.0 - 0.5 * breath))
    a.ears(16.0 * bump(phase, 0.70, 0.76, 0.03), 0.0, "l")
    a.stand()


def startle(a, t):
    """Starts up, all wide: eyes, ears, arms; a shake of the head, and he is there."""
    sleep = keyed(t, (0.0, 1.0), (0.12, 0.0))
    fright = keyed(t, (0.0, 0.0), (0.14, 1.0), (0.30, 0.9), (0.70, 0.0))
    a.rest()
    _asleep(a, sleep)
    a.move("hips", z=0.5 * fright)
    a.bend(pitch=-8.0 * fright)
    a.stretch(1.2 * fright)
    a.nod(pitch=-7.0 * fright, yaw=9.0 * pulse(t, 0.28, STARTLE_SECONDS, 0.12) * wave(t, 4))
    for side, _ in SIDES:
        a.arm(side, roll=26.0 * fright, pitch=-10.0 * fright)
        a.elbow(side, 20.0 * fright)
        a.grip(side, -0.5 * fright)
    a.mouth(0.16 + 0.5 * fright, 1.0 - 1.3 * fright)
    a.brows(0.9 * fright, -0.5 * fright)
    a.ears(15.0 * fright)
    a.tail_pose(rise=9.0 * fright)
    a.stand()

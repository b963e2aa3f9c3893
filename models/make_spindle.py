#!/usr/bin/env python3
"""Generates Spindle, Bobbin's tall cousin: the same joints, other proportions, a separate mesh, and clips.

    python3 models/make_spindle.py [FOLDER]    writes the files (default: models/spindle)
    python3 models/make_spindle.py --check     regenerates and compares with models/spindle"""

import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from kit import md5, program, rig  # noqa: E402
from kit.clip import events_text  # noqa: E402
from bobbin_parts import build, cousin, cousin_motion, meshes, paint, skeleton, skin  # noqa: E402

NAME = "spindle"
COMMAND = "make_spindle.py"
SHADER = "models/spindle/spindle"
TEXELS = 512


def make(folder):
    paint.use(cousin.PALETTE)
    own = build.Build(cousin.SHARES)
    half = skin.half_skin(coarse=1.15, horns=False)
    made = [meshes.skin_mesh(folder, NAME, SHADER, half, TEXELS, own.position),
            meshes.eye_mesh(folder, NAME, SHADER + "_eye", own.position)]
    bones = rig.Skeleton(own.joints(), skeleton.HALVES)
    program.save(folder, NAME + ".md5mesh", md5.mesh_text(COMMAND, bones.rows(), made))
    bounds, clips = rig.Bounds(bones, made), cousin_motion.clips()
    for clip, (_, _, added) in zip(clips, cousin_motion.CLIPS):
        frames, boxes = cousin_motion.bake(clip, added, bones, bounds)
        program.save(folder, clip.name + ".md5anim",
                     md5.anim_text(COMMAND, bones.rows(), clip.rate, frames, boxes))
    program.save(folder, "events.txt", events_text(clips))
    return "%d joints, %d vertices, %d triangles, %d clips" % (
        len(bones.joints), sum(len(m.points) for m in made), sum(len(m.tris) for m in made), len(clips))


if __name__ == "__main__":
    sys.exit(program.run(sys.argv[1:], os.path.join(HERE, NAME), make, __doc__))

#!/usr/bin/env python3
"""Generates Spindle, Bobbin's tall cousin: the same joints, other proportions, a separate mesh, and clips.

    python3 models/make_spindle.py [FOLDER]    writes the files (default: models/spindle)
    python3 models/make_spindle.py --check     regenerates and compares with models/spindle"""

import os
import sys

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

from kit import md5, program, rig  # noqa: E402
from kit.clip import events_text  # noqa: E402
from bobbin_parts import build, cousin, cousin_motion, meshes, paint, skeleton, skin  # noqa: E402

NAME = "spindle"
COMMAND = "make_spindle.py"
SHADER = "models/spindle/spindle"
TEXELS = 512


def generate(folder):
    paint.use(cousin.PALETTE)
    spindle = build.Build(cousin.LIMB_RATIOS)
    half = skin.half_skin(coarse=1.15, horns=False)
    model_meshes = [meshes.skin_mesh(folder, NAME, SHADER, half, TEXELS, spindle.position),
                    meshes.eye_mesh(folder, NAME, SHADER + "_eye", spindle.position)]
    bones = rig.Skeleton(spindle.joints(), skeleton.HALVES)
    program.save(folder, NAME + ".md5mesh", md5.mesh_text(COMMAND, bones.file_joints(), model_meshes))
    bounds, clips = rig.Bounds(bones, model_meshes), cousin_motion.clips()
    for clip, (_, _, added) in zip(clips, cousin_motion.CLIPS):
        frames, boxes = cousin_motion.bake(clip, added, bones, bounds)
        program.save(folder, clip.name + ".md5anim",
                     md5.anim_text(COMMAND, bones.file_joints(), clip.rate, frames, boxes))
    program.save(folder, "events.txt", events_text(clips))
    return "%d joints, %d vertices, %d triangles, %d clips" % (
        len(bones.joints), sum(len(m.points) for m in model_meshes), sum(len(m.tris) for m in model_meshes),
        len(clips))


if __name__ == "__main__":
    sys.exit(program.run(sys.argv[1:], os.path.join(FOLDER, NAME), generate, __doc__))

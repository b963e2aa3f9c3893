#!/usr/bin/env python3
"""Generates Thimble, a six-legged machine of hard parts: mesh, textures, clips.

    python3 models/make_thimble.py [FOLDER]    writes the files (default: models/thimble)
    python3 models/make_thimble.py --check     regenerates and compares with models/thimble"""

import os
import sys

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

from kit import bake, md5, png, program, rig  # noqa: E402
from kit.clip import bake_clip, events_text  # noqa: E402
from thimble_parts import motion, paint, shape, skeleton  # noqa: E402

NAME = "thimble"
COMMAND = "make_thimble.py"
TEXELS = 512


def generate(folder):
    for suffix, pixels in (("", bake.flat_texture(TEXELS, paint.color)),
                           ("_add", bake.flat_texture(TEXELS, paint.glow)),
                           ("_local", bake.flat_normals(TEXELS, paint.height))):
        png.write(os.path.join(folder, NAME + suffix + ".png"), TEXELS, TEXELS, pixels)
    gray = bake.flat_texture(TEXELS // 2, lambda s, t: (paint.gloss(s, t),) * 3)[::3]
    png.write(os.path.join(folder, NAME + "_s.png"), TEXELS // 2, TEXELS // 2, gray, 1)
    bones, thimble = rig.Skeleton(skeleton.joints()), shape.mesh()
    program.save(folder, NAME + ".md5mesh", md5.mesh_text(COMMAND, bones.file_joints(), [thimble]))
    bounds = rig.Bounds(bones, [thimble])
    for clip in motion.CLIPS:
        frames, boxes = bake_clip(clip, bones, bounds)
        program.save(folder, clip.name + ".md5anim",
                     md5.anim_text(COMMAND, bones.file_joints(), clip.rate, frames, boxes))
    program.save(folder, "events.txt", events_text(motion.CLIPS))
    return "%d joints, %d vertices, %d triangles, %d clips" % (
        len(bones.joints), len(thimble.points), len(thimble.tris), len(motion.CLIPS))


if __name__ == "__main__":
    sys.exit(program.run(sys.argv[1:], os.path.join(FOLDER, NAME), generate, __doc__))

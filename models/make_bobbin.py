#!/usr/bin/env python3
"""Generates Bobbin, a small dragon: mesh, skeleton, textures, clips and a camera path.

    python3 models/make_bobbin.py [FOLDER]     writes the files (default: models/bobbin)
    python3 models/make_bobbin.py --check      regenerates them and compares with models/bobbin

Plain Python, no packages; the same input gives the same files."""

import os
import sys

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

from kit import md5, program, rig  # noqa: E402
from kit.clip import bake_clip, events_text  # noqa: E402
from bobbin_parts.build import BOBBIN  # noqa: E402
from bobbin_parts import flight, meshes, motion, skeleton, skin  # noqa: E402

NAME = "bobbin"
COMMAND = "make_bobbin.py"
SHADER = "models/bobbin/bobbin"
TEXELS = 1024


def make_meshes(folder):
    return [meshes.skin_mesh(folder, NAME, SHADER, skin.half_skin(), TEXELS, BOBBIN.position),
            meshes.eye_mesh(folder, NAME, SHADER + "_eye", BOBBIN.position)]


def generate(folder):
    bones = rig.Skeleton(BOBBIN.joints(), skeleton.HALVES)
    model_meshes = make_meshes(folder)
    program.save(folder, NAME + ".md5mesh", md5.mesh_text(COMMAND, bones.file_joints(), model_meshes))
    bounds = rig.Bounds(bones, model_meshes)
    for clip in motion.CLIPS:
        frames, boxes = bake_clip(clip, bones, bounds)
        program.save(folder, clip.name + ".md5anim",
                     md5.anim_text(COMMAND, bones.file_joints(), clip.rate, frames, boxes))
    program.save(folder, "events.txt", events_text(motion.CLIPS))
    program.save(folder, "flight.md5camera",
                 md5.camera_text(COMMAND, flight.RATE, flight.shots()))
    return "%d joints, %d vertices, %d triangles, %d clips" % (
        len(bones.joints), sum(len(m.points) for m in model_meshes), sum(len(m.tris) for m in model_meshes),
        len(motion.CLIPS))


if __name__ == "__main__":
    sys.exit(program.run(sys.argv[1:], os.path.join(FOLDER, NAME), generate, __doc__))

#!/usr/bin/env python3
"""Makes Spindle, Bobbin's tall cousin: the same joints, other proportions, a mesh of its own.

    python3 models/make_spindle.py [FOLDER]    write the files (default: models/spindle)
    python3 models/make_spindle.py --check     regenerate and compare with models/spindle"""

import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from kit import md5, program, rig  # noqa: E402
from bobbin_parts import cousin, meshes, paint, skin  # noqa: E402

NAME = "spindle"
COMMAND = "make_spindle.py"
SHADER = "models/spindle/spindle"
TEXELS = 512


def make(folder):
    paint.use(cousin.PALETTE)
    build = cousin.Cousin()
    half = skin.half_skin(coarse=1.15, horns=False)
    made = [meshes.skin_mesh(folder, NAME, SHADER, half, TEXELS, build.position),
            meshes.eye_mesh(folder, NAME, SHADER + "_eye", build.position)]
    bones = rig.Skeleton(build.joints())
    program.save(folder, NAME + ".md5mesh", md5.mesh_text(COMMAND, bones.rows(), made))
    return "%d joints, %d vertices, %d triangles" % (
        len(bones.joints), sum(len(m.points) for m in made), sum(len(m.tris) for m in made))


if __name__ == "__main__":
    sys.exit(program.run(sys.argv[1:], os.path.join(HERE, NAME), make, __doc__))

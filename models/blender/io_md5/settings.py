"""What a person can choose, and the two spaces: Blender's and the files'."""

import math
import re
from dataclasses import dataclass

import numpy as np

# Turn about z that takes a Blender axis to x, which is forward in the files.
_TURNS = {"X": 0, "-Y": 1, "-X": 2, "Y": 3}
FORWARD = [("-Y", "-Y", "As Blender's own characters: they look out of the front view"),
           ("X", "X", "As in the files: nothing is turned"),
           ("Y", "Y", "Away from the front view"), ("-X", "-X", "Backwards along x")]
BONE_AXIS = [("Y", "Y", "A joint's axes are its bone's: y points along it"),
             ("X", "X", "A joint's x points along its bone, as id's tools have it"),
             ("MODEL", "Model", "At rest a joint's axes are the model's: the most exact, for the "
              "format is coarse where a bone points back against its parent")]


@dataclass
class Settings:
    scale: float = 1.0        # units of the file for one of Blender's
    forward: str = "-Y"       # the axis in Blender that becomes x
    bone_axis: str = "Y"      # the joint's axis that points along the bone; MODEL: none
    accuracy: float = 2e-5    # units by which anything may be off
    with_mesh: bool = True
    selected_only: bool = False
    deform_only: bool = False
    origin: str = "AUTO"      # a joint above all: ALWAYS, NEVER, AUTO where there are several roots
    actions: str = "ALL"      # ALL, ACTIVE, TIMELINE, NONE
    only: str = ""            # names of actions with * and ?, divided by commas
    frames: str = "ACTION"    # ACTION, SCENE, CUSTOM
    first: int = 1
    last: int = 250
    rate: float = 0.0         # 0: the action's own, or the scene's
    weld: bool = True         # import: one vertex for those that differ in their UVs alone


class Report:
    """Messages: (level, text), level INFO or WARNING."""

    def __init__(self):
        self.lines = []

    def info(self, text):
        self.lines.append(("INFO", text))

    def warn(self, text):
        self.lines.append(("WARNING", text))


def to_file(settings):
    """4x4: from Blender's world to the file's space."""
    quarter = _TURNS[settings.forward]
    cosine, sine = (1, 0, -1, 0)[quarter], (0, 1, 0, -1)[quarter]
    result = np.array([[cosine, -sine, 0, 0], [sine, cosine, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
                      dtype=np.float64)
    result[:3] *= settings.scale
    return result


def bone_to_joint(settings):
    """4x4, from the right of a bone's matrix: a joint's axes as its bone has them."""
    if settings.bone_axis != "X":
        return np.eye(4)
    return np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]], dtype=np.float64)


def array(matrix):
    return np.array(matrix, dtype=np.float64)


def file_name(name):
    """A name that can be a file's on every system, and leads nowhere else."""
    text = re.sub(r"[^A-Za-z0-9_.+-]+", "_", name).strip("._")
    return text or "unnamed"


def some(names, most=4):
    """The first few of many, for a message."""
    names = list(names)
    return ", ".join(names[:most]) + (" and %d more" % (len(names) - most)
                                      if len(names) > most else "")


def frame_rate(scene):
    return scene.render.fps / scene.render.fps_base


def whole_rate(rate, report):
    whole = max(1, int(math.floor(rate + 0.5)))
    if abs(whole - rate) > 1e-3:
        report.warn("The format has whole frame rates only: %g became %d" % (rate, whole))
    return whole

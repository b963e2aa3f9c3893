"""The options, and the transforms between Blender's space and the files'."""

import math
import re
from dataclasses import dataclass, replace

import numpy as np

# Quarter turns about z that rotate a Blender axis to x, which is forward in the files.
_QUARTER_TURNS = {"X": 0, "-Y": 1, "-X": 2, "Y": 3}
FORWARD = [("-Y", "-Y", "Toward the viewer in the front view, as usual in Blender"),
           ("X", "X", "Same axes as in the file, no rotation"),
           ("Y", "Y", "Away from the viewer in the front view"), ("-X", "-X", "Opposite of X")]
AUTO = ("AUTO", "Automatic",
        "Use the value stored in the file or armature by this add-on, otherwise the default")
BONE_AXIS = [("Y", "Y", "Y points along the bone, as in Blender"),
             ("X", "X", "X points along the bone, as in Doom 3"),
             ("MODEL", "Model", "All joints use the object's axes in rest position. Most accurate")]


@dataclass
class Settings:
    scale: float = 0.0        # file units per Blender unit; 0: automatic
    forward: str = "AUTO"     # the Blender axis that becomes x
    bone_axis: str = "AUTO"   # the joint axis that points along the bone; MODEL: none
    accuracy: float = 2e-5    # largest position error, in file units
    with_mesh: bool = True
    selected_only: bool = False
    deform_only: bool = False
    origin: str = "AUTO"      # added root joint: ALWAYS, NEVER, AUTO if there are several roots
    actions: str = "ALL"      # ALL, ACTIVE, TIMELINE, NONE
    only: str = ""            # names of actions with wildcards * and ?, separated by commas
    frames: str = "ACTION"    # ACTION, SCENE, CUSTOM
    first: int = 1
    last: int = 250
    rate: float = 0.0         # 0: the action's own, or the scene's
    weld: bool = True         # import: merge vertices that differ only in their UVs


# -- Stored options, which make export and import lossless by default -------------------------------

_TOOL = "Blender, io_md5"
SPACE = ("scale", "forward", "bone_axis")
_FORMS = {"scale": r"[1-9]\d{0,4}(\.\d{1,9})?|0\.0*[1-9]\d{0,9}", "forward": "-?[XY]",
          "bone_axis": "X|Y|MODEL", "origin": "added", "first": r"-?\d{1,6}"}


def command_line(settings, has_origin=False, first=1, action=""):
    """Returns the command line of a file. first, action: properties of the action that a clip does not
    store."""
    scale = np.format_float_positional(np.float32(settings.scale), trim="0")
    return _TOOL + ", scale %s, forward %s, bone_axis %s" % (scale, settings.forward, settings.bone_axis) + (
        ", origin added" if has_origin else "") + (", first %d" % first if first != 1 else "") + (
        ", action " + action if action and file_name(action) != action else "")


def remembered(command):
    """Returns the options in the command line of a file: a dict, empty if another program wrote the file."""
    if not command.startswith(_TOOL):
        return {}
    options, _, action = command.partition(", action ")
    found = dict(part.split(" ", 1) for part in options.split(", ")[2:] if " " in part)
    valid = {name: found[name] for name in _FORMS if re.fullmatch(_FORMS[name], found.get(name, ""))}
    if "scale" in valid:
        valid["scale"] = float(np.float32(valid["scale"]))
    return {**valid, "first": int(valid.get("first", 1)), "action": action}


def armature_options(armature):
    """Returns the options with which an armature was imported."""
    return {name: armature["md5_" + name] for name in SPACE if "md5_" + name in armature}


def completed(settings, bone_axis, *sources):
    """Returns the settings, with missing values from the first source that has them. bone_axis: the
    default."""
    usual = {"scale": 1.0, "forward": "-Y", "bone_axis": bone_axis}
    return replace(settings, **{name: next(source[name] for source in sources + (usual,) if name in source)
                                for name in SPACE if getattr(settings, name) in (0.0, "AUTO")})


class Report:
    """Collects messages as (level, text); level is INFO or WARNING."""

    def __init__(self):
        self.lines = []

    def info(self, text):
        self.lines.append(("INFO", text))

    def warn(self, text):
        self.lines.append(("WARNING", text))


def to_file(settings):
    """Returns the 4x4 matrix from Blender's world space to the file's model space."""
    quarter = _QUARTER_TURNS[settings.forward]
    cosine, sine = (1, 0, -1, 0)[quarter], (0, 1, 0, -1)[quarter]
    result = np.array([[cosine, -sine, 0, 0], [sine, cosine, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
                      dtype=np.float64)
    result[:3] *= settings.scale
    return result


def bone_to_joint(settings):
    """Returns the 4x4 matrix that, multiplied from the right, converts a bone's matrix to its joint's."""
    if settings.bone_axis != "X":
        return np.eye(4)
    return np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]], dtype=np.float64)


def array(matrix):
    return np.array(matrix, dtype=np.float64)


def file_name(name):
    """Returns a file name that is valid on every system and contains no path separators."""
    text = re.sub(r"[^A-Za-z0-9_.+-]+", "_", name).strip("._")
    return text or "unnamed"


def some(names, limit=4):
    """Returns the first names of a list, for a message."""
    names = list(names)
    return ", ".join(names[:limit]) + (" and %d more" % (len(names) - limit)
                                       if len(names) > limit else "")


def frame_rate(scene):
    return scene.render.fps / scene.render.fps_base


def whole_rate(rate, report):
    whole = max(1, int(math.floor(rate + 0.5)))
    if abs(whole - rate) > 1e-3:
        report.warn("MD5 frame rates are integers; %g rounded to %d" % (rate, whole))
    return whole

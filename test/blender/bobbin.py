"""Runs in Blender: imports Bobbin with all clips, exports the model again, and writes Blender's evaluation to
the folder of the original and to the folder of the exported files.

    blender -b --factory-startup --python-exit-code 1 -P bobbin.py -- ADD-ONS ORIGINAL AGAIN WELD"""

import os
import re
import sys

import bpy

ADDONS, ORIGINAL, AGAIN, WELD = sys.argv[sys.argv.index("--") + 1:]
sys.path[:0] = [ADDONS, os.path.dirname(os.path.abspath(__file__))]
import io_md5  # noqa: E402
import truth  # noqa: E402


def original():
    with open(os.path.join(ORIGINAL, "bobbin.md5mesh"), encoding="utf-8") as file:
        text = file.read()
    return (re.findall(r'^\t"(.*)"\t-?\d+ \(', text, re.MULTILINE),
            [int(number) for number in re.findall(r"numverts (\d+)", text)],
            re.findall(r'shader "(.*)"', text))


def main():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    io_md5.register()
    forward, scale = ("-Y", 1.0) if WELD == "weld" else ("X", 40.0)
    assert bpy.ops.import_scene.md5(filepath=os.path.join(ORIGINAL, "bobbin.md5mesh"), weld=WELD == "weld",
                                    with_clips=True, forward=forward, scale=scale) == {"FINISHED"}
    armature = bpy.context.view_layer.objects.active
    objects = sorted((obj for obj in bpy.data.objects if obj.type == "MESH"),
                     key=lambda obj: obj["md5_mesh"])
    assert all(image.size[0] for image in bpy.data.images if image.source == "FILE")
    assert any(image.source == "FILE" for image in bpy.data.images)
    names, vertices, shaders = original()
    to_file = truth.space(forward, scale)
    rest, parts = truth.rest(armature, objects, names, to_file, "X")
    clips = []
    for action in list(bpy.data.actions):
        armature.animation_data.action = action
        first, last = (int(frame) for frame in action.frame_range)
        assert first == 1
        clips.append(truth.clip(armature, parts, names, "X", action.name + ".md5anim", first, last,
                                action["md5_rate"]))
    data = {"mesh": "bobbin.md5mesh", "names": names, "rest": rest, "clips": clips, "shaders": shaders,
            "vertices": vertices, "has_exact_bounds": False}
    truth.write(os.path.join(ORIGINAL, "truth.json"), data)
    data["has_exact_bounds"] = True
    if WELD == "weld":
        # Vertices on the mirror plane differ only in their index.
        data["vertices"] = parts.counts()
    os.makedirs(AGAIN)
    assert bpy.ops.export_scene.md5(filepath=os.path.join(AGAIN, "bobbin.md5mesh"), bone_axis="X",
                                    forward=forward, scale=scale) == {"FINISHED"}
    truth.write(os.path.join(AGAIN, "truth.json"), data)


main()

"""Runs in Blender: checks that invalid input is reported by messages, never by a traceback, and that features
which the format does not support are reported as warnings.

    blender -b --factory-startup --python-exit-code 1 -P trouble.py -- ADD-ONS FOLDER MD5MESH MD5ANIM"""

import os
import random
import sys

import bpy

ADDONS, FOLDER, MESH, ANIM = sys.argv[sys.argv.index("--") + 1:]
sys.path[:0] = [ADDONS]
import io_md5  # noqa: E402
from io_md5 import export_mesh, import_anim, import_mesh, text  # noqa: E402
from io_md5.settings import Report, Settings  # noqa: E402

failures = []
TRI = '''MD5Version 10
commandline ""
numJoints 2
numMeshes 1
joints {
"a" -1 ( 0 0 0 ) ( 0 0 0 )
"b" 0 ( 0 0 5 ) ( 0 0.5 0 )
}
mesh {
shader "thing"
numverts 4
vert 0 ( 0 0 ) 0 1
vert 1 ( 1 0 ) 1 2
vert 2 ( 1 1 ) 3 1
vert 3 ( 0 0 ) 0 1
numtris 4
tri 0 0 1 2
tri 1 0 2 1
tri 2 0 0 1
tri 3 3 1 2
numweights 4
weight 0 0 1 ( 1 0 0 )
weight 1 0 0.5 ( 0 1 0 )
weight 2 1 0.5 ( 0 0 7 )
weight 3 1 0.75 ( 0 0 1 )
}
'''


def fresh():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def path(name):
    return os.path.join(FOLDER, name)


def write(name, content):
    with open(path(name), "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path(name)


def check_refused(title, expected, call, **options):
    """Checks that the operator fails with a one-line message that contains `expected`."""
    try:
        result = call(**options)
        failures.append("%s: not refused but %s" % (title, result))
    except RuntimeError as error:
        message = str(error).strip()
        if "Traceback" in message or expected not in message:
            failures.append("%s: %s" % (title, message))


def check_export(title, expected, **options):
    check_refused(title, expected, bpy.ops.export_scene.md5, filepath=path("out.md5mesh"), **options)
    if os.path.exists(path("out.md5mesh")):
        failures.append(title + ": left a file")


def check_import(title, expected, name):
    num_before = len(bpy.data.objects)
    check_refused(title, expected, bpy.ops.import_scene.md5, filepath=name)
    if len(bpy.data.objects) != num_before:
        failures.append(title + ": left objects")


def bone_object(name="rig", bones=1):
    data = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for number in range(bones):
        bone = data.edit_bones.new("b%d" % number)
        bone.head, bone.tail = (0, 0, number), (0, 0, number + 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def add_sheet(armature, uvs=True, weights=True):
    data = bpy.data.meshes.new("sheet")
    data.from_pydata([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [], [(0, 1, 2, 3)])
    if uvs:
        data.uv_layers.new()
    obj = bpy.data.objects.new("sheet", data)
    bpy.context.collection.objects.link(obj)
    obj.parent = armature
    obj.modifiers.new("bones", "ARMATURE").object = armature
    if weights:
        obj.vertex_groups.new(name="b0").add([0, 1, 2, 3], 1.0, "REPLACE")
    return obj


def add_keyed_action(armature, name, bone="b0", channel="location"):
    action = bpy.data.actions.new(name)
    armature.animation_data_create().action = action
    obj = armature.pose.bones[bone]
    for frame in (1, 5):
        setattr(obj, channel, (frame / 10,) * 3)
        obj.keyframe_insert(channel, frame=frame)
    return action


def refuse_exports():
    fresh()
    check_export("nothing at all", "no armature")
    bone_object("none", 0)
    check_export("no bones", "has no bones")
    fresh()
    armature = bone_object()
    check_export("no mesh", "No visible mesh has an Armature modifier")
    add_sheet(armature).hide_set(True)
    check_export("a hidden mesh", "No visible mesh has an Armature modifier")
    fresh()
    armature = bone_object()
    add_sheet(armature)
    bone_object("second")
    bpy.context.view_layer.objects.active = None
    check_export("two armatures", "2 armatures")
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="POSE")
    check_export("pose mode", "Switch to Object Mode")
    bpy.ops.object.mode_set(mode="OBJECT")
    check_refused("no such folder", "Cannot write", bpy.ops.export_scene.md5,
                  filepath=path(os.path.join("none", "out.md5mesh")))
    check_export("no active action", "no active action", actions="ACTIVE")
    check_export("frames backwards", "End frame 3 is before start frame 5", actions="TIMELINE",
                 frames="CUSTOM", first=5, last=3)
    check_export("too many frames", "Too many frames", actions="TIMELINE", frames="CUSTOM", first=1,
                 last=2000000)
    armature.scale = (1, 2, 1)
    bpy.context.view_layer.update()
    check_export("stretched armature", "Apply the scale")
    armature.scale = (-1, 1, 1)
    bpy.context.view_layer.update()
    check_export("mirrored armature", "Apply the scale")
    armature.scale = (1, 1, 1)
    add_keyed_action(armature, "one two")
    add_keyed_action(armature, "one/two")
    check_export("two actions, one file name", "one_two.md5anim")
    bpy.data.actions["one two"].name = "../../three"
    assert bpy.ops.export_scene.md5(filepath=path("fine.md5mesh")) == {"FINISHED"}
    if not {"one_two.md5anim", "three.md5anim"} <= set(os.listdir(FOLDER)):
        failures.append("names of actions lead outside the folder")


def refuse_cameras():
    def check_camera(title, expected):
        check_refused(title, expected, bpy.ops.export_scene.md5camera, filepath=path("out.md5camera"))

    fresh()
    check_camera("no camera", "no active camera")
    data = bpy.data.cameras.new("c")
    camera = bpy.data.objects.new("c", data)
    bpy.context.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    data.type = "ORTHO"
    check_camera("a camera without perspective", "only perspective cameras")


def check_warning(title, expected, call):
    report = Report()
    call(report)
    if not any(level == "WARNING" and expected in line for level, line in report.lines):
        failures.append("%s: no warning: %s" % (title, report.lines))


def warn_exports():
    def export(**options):
        return lambda report: export_mesh.export_model(bpy.context, path("warn.md5mesh"),
                                                       Settings(**options), report)
    fresh()
    armature = bone_object(bones=2)
    obj = add_sheet(armature, uvs=False, weights=False)
    check_warning("no UVs", "no UV map", export())
    check_warning("no weights", "4 vertices are in no vertex group", export())
    obj.modifiers["bones"].use_deform_preserve_volume = True
    check_warning("preserve volume", "Preserve Volume", export())
    obj.modifiers.new("late", "SUBSURF")
    check_warning("a modifier behind", "'late'", export())
    obj.shape_key_add(name="base")
    obj.shape_key_add(name="smile").keyframe_insert("value", frame=1)
    check_warning("shape keys", "shape key animation", export())
    add_keyed_action(armature, "grow", channel="scale")
    check_warning("scale", "bone scale", export())
    check_warning("a name that nothing has", "'nothing'", export(only="nothing"))
    bpy.context.scene.render.fps_base = 1.001
    check_warning("a broken frame rate", "frame rates are integers", export())
    bpy.data.materials.new('a "quoted" name')
    obj.data.materials.append(bpy.data.materials['a "quoted" name'])
    check_warning("quotes", "replaced by single quotes", export())
    obj.parent = None
    armature.location = (0, 0, 0)
    armature.keyframe_insert("location", frame=1)
    armature.location = (9, 0, 0)
    armature.keyframe_insert("location", frame=5)
    check_warning("a mesh that stays behind", "not in Blender: sheet", export())


def refuse_imports():
    fresh()
    check_import("no such file", "Cannot read", path("none.md5mesh"))
    os.makedirs(path("folder.md5mesh"))
    check_import("a folder", "Cannot read", path("folder.md5mesh"))
    check_import("another kind of file", "unsupported file type", write("thing.obj", "v 0 0 0"))
    cases = {"": "expected 'MD5Version', found the end of the file", "MD5Version 6": "version 6",
             "MD5Version x": "expected a number, found 'x'",
             "\0\xff\x80 junk": "expected", 'MD5Version 10 "open': "quote"}
    for number, (content, expected) in enumerate(cases.items()):
        check_import("case %d" % number, expected, write("case.md5mesh", content))
    changes = [("numJoints 2", "numJoints 900000000", "expected"), ('"a" -1', '"a" 1', "cyclic parent"),
               ("( 0 0 5 )", "( 0 nan 5 )", "case.md5mesh:7: expected a number"),
               ("tri 0 0 1 2", "tri 0 0 1 9", "case.md5mesh:17: expected an integer"),
               ("vert 1 ( 1 0 ) 1 2", "vert 1 ( 1 0 ) 1 20", "but the mesh has 4"),
               ("weight 3 1", "weight 3 2", "case.md5mesh:25: expected an integer"),
               ("( 0 0 5 )", "( 0 1e30 5 )", "expected a number"),
               ("( 0 0 1 )\n}", "( 0 0 1 )", "end of file inside a mesh"),
               ("numJoints 2", "numJoints 2.5", "an integer"),
               ("numJoints 2", "numJoints 1e11", "an integer")]
    for old, new, expected in changes:
        check_import(old, expected, write("case.md5mesh", TRI.replace(old, new)))
    check_import("an animation alone", "no armature", ANIM)
    assert bpy.ops.import_scene.md5(filepath=write("tri.md5mesh", TRI)) == {"FINISHED"}
    check_import("an animation of another skeleton", "no joint name matches", ANIM)


def warn_imports():
    fresh()
    for expected in ("weight offsets that disagree by up to", "are not normalized",
                     "degenerate (zero-area) triangles"):
        check_warning(expected, expected, lambda report: import_mesh.import_model(
            bpy.context, write("tri.md5mesh", TRI), Settings(), report))
    for old, new, expected in (("shader", "shade", ":10: unknown keyword 'shade'"),
                               ("MD5Version 10\n", "", "MD5Version is missing"),
                               ("numMeshes 1", "numMeshes 2", "1 meshes found, 2 declared")):
        check_warning(expected, expected, lambda report: import_mesh.import_model(
            bpy.context, write("tri.md5mesh", TRI.replace(old, new)), Settings(), report))
    faces = bpy.data.objects[-1].data.polygons
    if len(faces) != 3:
        failures.append("a triangle seen from both sides became %d faces" % len(faces))
    fresh()
    armature = import_mesh.import_model(bpy.context, MESH, Settings(), Report())
    with open(ANIM, encoding="utf-8") as file:
        content = file.read().replace('"head"', '"skull"')
    for expected in ("without a bone of the same name: skull", "not animated by this file: head"):
        check_warning(expected, expected, lambda report: import_anim.import_clip(
            bpy.context, write("skull.md5anim", content), armature, Settings(bone_axis="X"), report))


def odd_imports():
    """Tests equal and overlong names, and positions that are equal in single precision."""
    fresh()
    long = "j" * 100
    odd = TRI.replace('"b"', '"a"').replace("numJoints 2", "numJoints 4").replace(
        "( 0 0.5 0 )\n}", '( 0 0.5 0 )\n"%s" 1 ( 1e9 0 0 ) ( 0 2 0 )\n"%s" 2 ( 1e9 0 1e-3 ) ( 0 0 0 )\n}'
        % (long, long))
    import_mesh.import_model(bpy.context, write("odd.md5mesh", odd), Settings(), Report())
    export_mesh.export_model(bpy.context, path("odd_out.md5mesh"), Settings(actions="NONE"), Report())
    with open(path("odd_out.md5mesh"), encoding="utf-8") as file:
        content = file.read()
    if content.count('"a"') != 2 or content.count('"%s"' % long) != 2:
        failures.append("names were changed: " + content[:400])


def broken_texts():
    """Tests random changes of a file: it is read, or rejected with an error that contains the line."""
    random_numbers = random.Random(1)
    with open(ANIM, encoding="utf-8") as file:
        clip = file.read()
    clip = clip[:clip.index("frame 2")].replace("numFrames 25", "numFrames 2")
    for content, read_text in ((TRI, text.read_model), (clip, text.read_clip)):
        read_text(content, "whole")
        for _ in range(600):
            start = random_numbers.randrange(len(content))
            length = random_numbers.choice((1, 1, 5, 50, len(content)))
            replacement = random_numbers.choice(("", "-1", "{", '"', "1e999", "9" * 40, "\0", "\xe9", "/*",
                                                 "nan"))
            try:
                read_text(content[:start] + replacement + content[start + length:], "broken")
            except text.Md5Error as error:
                if not str(error).startswith("broken:") or "\n" in str(error):
                    failures.append("no location in: %s" % error)


io_md5.register()
for work in (refuse_exports, refuse_cameras, warn_exports, refuse_imports, warn_imports, odd_imports,
             broken_texts):
    work()
for failure in failures:
    print("WRONG: " + failure)
sys.exit(1 if failures else 0)

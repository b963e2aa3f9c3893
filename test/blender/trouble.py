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


def refused(title, words, call, **options):
    """Checks that the operator fails with a one-line message that contains `words`."""
    try:
        result = call(**options)
        failures.append("%s: not refused but %s" % (title, result))
    except RuntimeError as error:
        said = str(error).strip()
        if "Traceback" in said or words not in said:
            failures.append("%s: %s" % (title, said))


def exports(title, words, **options):
    refused(title, words, bpy.ops.export_scene.md5, filepath=path("out.md5mesh"), **options)
    if os.path.exists(path("out.md5mesh")):
        failures.append(title + ": left a file")


def imports(title, words, name):
    before = len(bpy.data.objects)
    refused(title, words, bpy.ops.import_scene.md5, filepath=name)
    if len(bpy.data.objects) != before:
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


def sheet(armature, uvs=True, weights=True):
    data = bpy.data.meshes.new("sheet")
    data.from_pydata([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [], [(0, 1, 2, 3)])
    if uvs:
        data.uv_layers.new()
    thing = bpy.data.objects.new("sheet", data)
    bpy.context.collection.objects.link(thing)
    thing.parent = armature
    thing.modifiers.new("bones", "ARMATURE").object = armature
    if weights:
        thing.vertex_groups.new(name="b0").add([0, 1, 2, 3], 1.0, "REPLACE")
    return thing


def keyed(armature, name, bone="b0", channel="location"):
    action = bpy.data.actions.new(name)
    armature.animation_data_create().action = action
    thing = armature.pose.bones[bone]
    for frame in (1, 5):
        setattr(thing, channel, (frame / 10,) * 3)
        thing.keyframe_insert(channel, frame=frame)
    return action


def refuse_exports():
    fresh()
    exports("nothing at all", "no armature")
    bone_object("none", 0)
    exports("no bones", "has no bones")
    fresh()
    armature = bone_object()
    exports("no mesh", "No visible mesh has an Armature modifier")
    sheet(armature).hide_set(True)
    exports("a hidden mesh", "No visible mesh has an Armature modifier")
    fresh()
    armature = bone_object()
    sheet(armature)
    bone_object("second")
    bpy.context.view_layer.objects.active = None
    exports("two armatures", "2 armatures")
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="POSE")
    exports("pose mode", "Switch to Object Mode")
    bpy.ops.object.mode_set(mode="OBJECT")
    refused("no such folder", "Cannot write", bpy.ops.export_scene.md5,
            filepath=path(os.path.join("none", "out.md5mesh")))
    exports("no active action", "no active action", actions="ACTIVE")
    exports("frames backwards", "End frame 3 is before start frame 5", actions="TIMELINE", frames="CUSTOM",
            first=5, last=3)
    exports("too many frames", "Too many frames", actions="TIMELINE", frames="CUSTOM", first=1, last=2000000)
    armature.scale = (1, 2, 1)
    bpy.context.view_layer.update()
    exports("stretched armature", "Apply the scale")
    armature.scale = (-1, 1, 1)
    bpy.context.view_layer.update()
    exports("mirrored armature", "Apply the scale")
    armature.scale = (1, 1, 1)
    keyed(armature, "one two")
    keyed(armature, "one/two")
    exports("two actions, one file name", "one_two.md5anim")
    bpy.data.actions["one two"].name = "../../three"
    assert bpy.ops.export_scene.md5(filepath=path("fine.md5mesh")) == {"FINISHED"}
    if not {"one_two.md5anim", "three.md5anim"} <= set(os.listdir(FOLDER)):
        failures.append("names of actions lead outside the folder")


def refuse_cameras():
    def flight(title, words):
        refused(title, words, bpy.ops.export_scene.md5camera, filepath=path("out.md5camera"))

    fresh()
    flight("no camera", "no active camera")
    data = bpy.data.cameras.new("c")
    camera = bpy.data.objects.new("c", data)
    bpy.context.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    data.type = "ORTHO"
    flight("a camera without perspective", "only perspective cameras")


def warned(title, words, call):
    report = Report()
    call(report)
    if not any(level == "WARNING" and words in line for level, line in report.lines):
        failures.append("%s: no warning: %s" % (title, report.lines))


def warn_exports():
    def export(**options):
        return lambda report: export_mesh.export_model(bpy.context, path("warn.md5mesh"),
                                                       Settings(**options), report)
    fresh()
    armature = bone_object(bones=2)
    thing = sheet(armature, uvs=False, weights=False)
    warned("no UVs", "no UV map", export())
    warned("no weights", "4 vertices are in no vertex group", export())
    thing.modifiers["bones"].use_deform_preserve_volume = True
    warned("preserve volume", "Preserve Volume", export())
    thing.modifiers.new("late", "SUBSURF")
    warned("a modifier behind", "'late'", export())
    thing.shape_key_add(name="base")
    thing.shape_key_add(name="smile").keyframe_insert("value", frame=1)
    warned("shape keys", "shape key animation", export())
    keyed(armature, "grow", channel="scale")
    warned("scale", "bone scale", export())
    warned("a name that nothing has", "'nothing'", export(only="nothing"))
    bpy.context.scene.render.fps_base = 1.001
    warned("a broken frame rate", "frame rates are integers", export())
    bpy.data.materials.new('a "quoted" name')
    thing.data.materials.append(bpy.data.materials['a "quoted" name'])
    warned("quotes", "replaced by single quotes", export())
    thing.parent = None
    armature.location = (0, 0, 0)
    armature.keyframe_insert("location", frame=1)
    armature.location = (9, 0, 0)
    armature.keyframe_insert("location", frame=5)
    warned("a mesh that stays behind", "not in Blender: sheet", export())


def refuse_imports():
    fresh()
    imports("no such file", "Cannot read", path("none.md5mesh"))
    os.makedirs(path("folder.md5mesh"))
    imports("a folder", "Cannot read", path("folder.md5mesh"))
    imports("another kind of file", "unsupported file type", write("thing.obj", "v 0 0 0"))
    cases = {"": "expected 'MD5Version', found the end of the file", "MD5Version 6": "version 6",
             "MD5Version x": "expected a number, found 'x'",
             "\0\xff\x80 junk": "expected", 'MD5Version 10 "open': "quote"}
    for number, (content, words) in enumerate(cases.items()):
        imports("case %d" % number, words, write("case.md5mesh", content))
    changes = [("numJoints 2", "numJoints 900000000", "expected"), ('"a" -1', '"a" 1', "cyclic parent"),
               ("( 0 0 5 )", "( 0 nan 5 )", "case.md5mesh:7: expected a number"),
               ("tri 0 0 1 2", "tri 0 0 1 9", "case.md5mesh:17: expected an integer"),
               ("vert 1 ( 1 0 ) 1 2", "vert 1 ( 1 0 ) 1 20", "but the mesh has 4"),
               ("weight 3 1", "weight 3 2", "case.md5mesh:25: expected an integer"),
               ("( 0 0 5 )", "( 0 1e30 5 )", "expected a number"),
               ("( 0 0 1 )\n}", "( 0 0 1 )", "end of file inside a mesh"),
               ("numJoints 2", "numJoints 2.5", "an integer"),
               ("numJoints 2", "numJoints 1e11", "an integer")]
    for old, new, words in changes:
        imports(old, words, write("case.md5mesh", TRI.replace(old, new)))
    imports("an animation alone", "no armature", ANIM)
    assert bpy.ops.import_scene.md5(filepath=write("tri.md5mesh", TRI)) == {"FINISHED"}
    imports("an animation of another skeleton", "no joint name matches", ANIM)


def warn_imports():
    fresh()
    for words in ("weight offsets that disagree by up to", "are not normalized",
                  "degenerate (zero-area) triangles"):
        warned(words, words, lambda report: import_mesh.import_model(
            bpy.context, write("tri.md5mesh", TRI), Settings(), report))
    for old, new, words in (("shader", "shade", ":10: unknown keyword 'shade'"),
                            ("MD5Version 10\n", "", "MD5Version is missing"),
                            ("numMeshes 1", "numMeshes 2", "1 meshes found, 2 declared")):
        warned(words, words, lambda report: import_mesh.import_model(
            bpy.context, write("tri.md5mesh", TRI.replace(old, new)), Settings(), report))
    faces = bpy.data.objects[-1].data.polygons
    if len(faces) != 3:
        failures.append("a triangle seen from both sides became %d faces" % len(faces))
    fresh()
    armature = import_mesh.import_model(bpy.context, MESH, Settings(), Report())
    with open(ANIM, encoding="utf-8") as file:
        content = file.read().replace('"head"', '"skull"')
    for words in ("without a bone of the same name: skull", "not animated by this file: head"):
        warned(words, words, lambda report: import_anim.import_clip(
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
    chance = random.Random(1)
    with open(ANIM, encoding="utf-8") as file:
        clip = file.read()
    clip = clip[:clip.index("frame 2")].replace("numFrames 25", "numFrames 2")
    for content, read in ((TRI, text.read_model), (clip, text.read_clip)):
        read(content, "whole")
        for _ in range(600):
            start = chance.randrange(len(content))
            length = chance.choice((1, 1, 5, 50, len(content)))
            put = chance.choice(("", "-1", "{", '"', "1e999", "9" * 40, "\0", "\xe9", "/*", "nan"))
            try:
                read(content[:start] + put + content[start + length:], "broken")
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

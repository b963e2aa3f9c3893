"""Import and export of id Software's MD5 models: File > Export and File > Import, or from a script
bpy.ops.export_scene.md5(), bpy.ops.export_scene.md5camera() and bpy.ops.import_scene.md5()."""

import os

import bpy
from bpy.props import (BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty,
                       StringProperty)
from bpy_extras.io_utils import ExportHelper, ImportHelper

from . import export_camera, export_mesh, import_anim, import_mesh
from .rig import find_armature, of_scene
from .settings import AUTO, BONE_AXIS, FORWARD, SPACE, Report, Settings, completed
from .text import Md5Error

bl_info = {
    "name": "MD5 models (.md5mesh, .md5anim, .md5camera)",
    "author": "md5model",
    "version": (1, 0, 0),
    "blender": (3, 4, 0),
    "location": "File > Export, File > Import",
    "description": "Exports armatures, meshes, actions and cameras to MD5, and imports MD5",
    "category": "Import-Export",
}


class _Space:
    """Options that all operators share."""
    scale: FloatProperty(name="Scale", default=0.0, min=0.0, max=1e4,
                         description="File units per Blender unit; 0: the scale of the import, or 1 for a "
                                     "new armature")
    forward: EnumProperty(name="Forward", items=[AUTO] + FORWARD, default="AUTO",
                          description="The Blender axis that becomes x in the file")


def _joint_axis(items):
    return EnumProperty(name="Joints Along", items=[AUTO] + items, default="AUTO",
                        description="The joint axis that points along its bone")


class _Reporting:
    """Runs an operator's work and passes its messages to Blender."""

    def settings(self):
        given = Settings()
        for name in vars(given):
            if hasattr(self, name):
                setattr(given, name, getattr(self, name))
        return given

    def run(self, work):
        report = Report()
        try:
            work(self.settings(), report)
        except (Md5Error, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        finally:
            for level, text in report.lines:
                self.report({level}, text)
        return {"FINISHED"}

    def as_imported(self, context):
        """Shows the options with which the armature was imported, and the effect of AUTO."""
        known = of_scene(context)
        settings = completed(self.settings(), "Y", known)
        for name in SPACE:
            if hasattr(self, name):
                setattr(self, name, known.get(name, getattr(settings, name)))


class ExportMd5(bpy.types.Operator, ExportHelper, _Space, _Reporting):
    """Export an armature, the meshes it deforms and its actions"""
    bl_idname = "export_scene.md5"
    bl_label = "Export MD5"
    bl_options = {"PRESET"}
    filename_ext = ".md5mesh"
    filter_glob: StringProperty(default="*.md5mesh", options={"HIDDEN"})
    bone_axis: _joint_axis(BONE_AXIS)
    accuracy: FloatProperty(
        name="Accuracy", default=2e-5, min=1e-8, max=1.0, precision=7,
        description="Largest position error in file units; larger values give smaller files")
    with_mesh: BoolProperty(name="Mesh", default=True,
                            description="Write the .md5mesh; if off, only the actions")
    selected_only: BoolProperty(name="Selected Meshes Only", default=False)
    deform_only: BoolProperty(name="Deforming Bones Only", default=False,
                              description="Skip bones that deform nothing")
    origin: EnumProperty(
        name="Origin Joint", default="AUTO",
        items=[("AUTO", "If Needed", "Add a root joint if there are several: id's engine allows one"),
               ("ALWAYS", "Always", "Add a root joint at the origin"),
               ("NEVER", "Never", "Export the bones only")])
    actions: EnumProperty(
        name="Actions", default="ALL",
        items=[("ALL", "All", "Each action that moves a bone of the armature; other bones are in "
                              "their rest position"),
               ("ACTIVE", "Active", "The armature's active action; other bones keep their pose"),
               ("TIMELINE", "Timeline", "The scene as it plays, NLA included, in one file"),
               ("NONE", "None", "Only the mesh")])
    only: StringProperty(name="Named", default="",
                         description="Comma-separated names of the actions to export; "
                                     "* and ? are wildcards")
    frames: EnumProperty(
        name="Frames", default="ACTION",
        items=[("ACTION", "Action", "The action's frame range, or the range of its keyframes"),
               ("SCENE", "Scene", "The scene's start and end frame"),
               ("CUSTOM", "Custom", "First Frame to Last Frame")])
    first: IntProperty(name="First Frame", default=1)
    last: IntProperty(name="Last Frame", default=250)
    rate: FloatProperty(name="Frame Rate", default=0.0, min=0.0, max=1000.0,
                        description="Frames per second; 0: the rate with which the action was imported, "
                                    "or the rate of the scene")

    def invoke(self, context, event):
        self.as_imported(context)
        return ExportHelper.invoke(self, context, event)

    def execute(self, context):
        path = bpy.path.ensure_ext(os.path.splitext(self.filepath)[0], self.filename_ext)
        return self.run(lambda settings, report: export_mesh.export_model(context, path, settings,
                                                                          report))


class ExportMd5Camera(bpy.types.Operator, ExportHelper, _Space, _Reporting):
    """Export the scene's cameras; markers that are bound to cameras become cuts"""
    bl_idname = "export_scene.md5camera"
    bl_label = "Export MD5 Camera"
    bl_options = {"PRESET"}
    filename_ext = ".md5camera"
    filter_glob: StringProperty(default="*.md5camera", options={"HIDDEN"})
    frames: EnumProperty(name="Frames", default="SCENE",
                         items=[("SCENE", "Scene", "The scene's start and end frame"),
                                ("CUSTOM", "Custom", "First Frame to Last Frame")])
    first: IntProperty(name="First Frame", default=1)
    last: IntProperty(name="Last Frame", default=250)
    rate: FloatProperty(name="Frame Rate", default=0.0, min=0.0, max=1000.0,
                        description="Frames per second; 0: the scene's")

    def invoke(self, context, event):
        self.as_imported(context)
        return ExportHelper.invoke(self, context, event)

    def execute(self, context):
        path = bpy.path.ensure_ext(os.path.splitext(self.filepath)[0], self.filename_ext)
        return self.run(lambda settings, report: export_camera.export_path(context, path, settings,
                                                                           report))


class ImportMd5(bpy.types.Operator, ImportHelper, _Space, _Reporting):
    """Import meshes with their armature, and animations for it"""
    bl_idname = "import_scene.md5"
    bl_label = "Import MD5"
    bl_options = {"PRESET", "UNDO"}
    filename_ext = ".md5mesh"
    filter_glob: StringProperty(default="*.md5mesh;*.md5anim", options={"HIDDEN"})
    files: CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    bone_axis: _joint_axis(BONE_AXIS[:2])
    with_clips: BoolProperty(name="Animations in Folder", default=False,
                             description="With a mesh, import every .md5anim of its folder")
    weld: BoolProperty(name="Weld Seams", default=True,
                       description="Merge vertices that differ only in their UVs")

    def invoke(self, context, event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        chosen = [os.path.join(self.directory, file.name) for file in self.files if file.name]
        return self.run(lambda settings, report: self.load(context, chosen or [self.filepath],
                                                           settings, report))

    def load(self, context, paths, settings, report):
        meshes = [path for path in paths if path.lower().endswith(".md5mesh")]
        clips = [path for path in paths if path.lower().endswith(".md5anim")]
        other = [path for path in paths if path not in meshes and path not in clips]
        if other:
            raise Md5Error("%s: neither .md5mesh nor .md5anim" % other[0])
        armature = None
        for path in meshes:
            armature = import_mesh.import_model(context, path, settings, report)
            if self.with_clips:
                folder = os.path.dirname(path) or "."
                clips += [os.path.join(folder, name) for name in sorted(os.listdir(folder))
                          if name.lower().endswith(".md5anim")]
        if clips and not armature:
            armature = find_armature(context)
            for name in ("scale", "forward", "bone_axis"):
                setattr(settings, name, armature.get("md5_" + name, getattr(settings, name)))
        for path in dict.fromkeys(clips):
            import_anim.import_clip(context, path, armature, settings, report)


def _export_menu(menu, _context):
    menu.layout.operator(ExportMd5.bl_idname, text="MD5 model (.md5mesh, .md5anim)")
    menu.layout.operator(ExportMd5Camera.bl_idname, text="MD5 camera (.md5camera)")


def _import_menu(menu, _context):
    menu.layout.operator(ImportMd5.bl_idname, text="MD5 model (.md5mesh, .md5anim)")


_CLASSES = (ExportMd5, ExportMd5Camera, ImportMd5)


def register():
    for each in _CLASSES:
        bpy.utils.register_class(each)
    bpy.types.TOPBAR_MT_file_export.append(_export_menu)
    bpy.types.TOPBAR_MT_file_import.append(_import_menu)


def unregister():
    bpy.types.TOPBAR_MT_file_import.remove(_import_menu)
    bpy.types.TOPBAR_MT_file_export.remove(_export_menu)
    for each in reversed(_CLASSES):
        bpy.utils.unregister_class(each)

"""Import and export of id Software's MD5 models: File > Export and File > Import, or from a script
bpy.ops.export_scene.md5(), bpy.ops.export_scene.md5camera() and bpy.ops.import_scene.md5()."""

import os

import bpy
from bpy.props import (BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty,
                       StringProperty)
from bpy_extras.io_utils import ExportHelper, ImportHelper

from . import export_camera, export_mesh, import_anim, import_mesh
from .rig import find_armature, scene_options
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
                         description="File units per Blender unit; 0: automatic")
    forward: EnumProperty(name="Forward", items=[AUTO] + FORWARD, default="AUTO",
                          description="Blender axis that is forward (X) in the file")

    def draw(self, _context):
        """Shows the options. Start and End are enabled only with a custom frame range."""
        self.layout.use_property_split = True
        self.layout.use_property_decorate = False
        for name in self.shown_options:
            row = self.layout.row()
            row.enabled = name not in ("first", "last") or self.frames == "CUSTOM"
            row.prop(self, name)


def _joint_axis(items):
    return EnumProperty(name="Primary Bone Axis", items=[AUTO] + items, default="AUTO",
                        description="Joint axis that points along the bone")


class _Reporting:
    """Runs an operator's work and passes its messages to Blender."""

    def settings(self):
        settings = Settings()
        for name in vars(settings):
            if hasattr(self, name):
                setattr(settings, name, getattr(self, name))
        return settings

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
        stored = scene_options(context)
        settings = completed(self.settings(), "Y", stored)
        for name in SPACE:
            if hasattr(self, name):
                setattr(self, name, stored.get(name, getattr(settings, name)))


class ExportMd5(bpy.types.Operator, ExportHelper, _Space, _Reporting):
    """Export an armature, the meshes it deforms and its actions"""
    bl_idname = "export_scene.md5"
    bl_label = "Export MD5"
    bl_options = {"PRESET"}
    filename_ext = ".md5mesh"
    filter_glob: StringProperty(default="*.md5mesh", options={"HIDDEN"})
    bone_axis: _joint_axis(BONE_AXIS)
    accuracy: FloatProperty(
        name="Max Position Error", default=2e-5, min=1e-8, max=1.0, precision=7,
        description="Largest position error in file units; larger values give smaller files")
    with_mesh: BoolProperty(name="Mesh", default=True,
                            description="Export the mesh; if disabled, export only actions")
    selected_only: BoolProperty(name="Selected Objects", default=False,
                                description="Export only selected meshes")
    deform_only: BoolProperty(name="Only Deform Bones", default=False,
                              description="Export only bones with Deform enabled, and attach their children "
                                          "to the nearest exported parent")
    origin: EnumProperty(
        name="Add Root Bone", default="AUTO",
        items=[("AUTO", "If Several Roots", "Add a root bone at the origin if the armature has several; "
                                            "Doom 3 allows only one"),
               ("ALWAYS", "Always", "Add a root bone at the origin"),
               ("NEVER", "Never", "Export only the bones of the armature")])
    actions: EnumProperty(
        name="Actions", default="ALL",
        items=[("ALL", "All", "All actions that move a bone of the armature; bones without keyframes "
                              "are in their rest position"),
               ("ACTIVE", "Active", "Only the active action; bones without keyframes keep their "
                                    "current pose"),
               ("TIMELINE", "Timeline", "Bake the scene timeline, including NLA, to one file"),
               ("NONE", "None", "Export only the mesh")])
    only: StringProperty(name="Action Names", default="",
                         description="Comma-separated names of the actions to export; "
                                     "* and ? are wildcards; empty: all")
    frames: EnumProperty(
        name="Frames", default="ACTION",
        items=[("ACTION", "Action", "Frame range of the action, or the range of its keyframes"),
               ("SCENE", "Scene", "Frame range of the scene"),
               ("CUSTOM", "Custom", "Frames from Start to End")])
    first: IntProperty(name="Start", default=1, description="First frame of a custom range")
    last: IntProperty(name="End", default=250, description="Last frame of a custom range")
    rate: FloatProperty(name="Frame Rate", default=0.0, min=0.0, max=1000.0,
                        description="Frames per second; 0: use the frame rate of the imported action, "
                                    "otherwise the scene frame rate")
    shown_options = ("scale", "forward", "bone_axis", "accuracy", "with_mesh", "selected_only", "deform_only",
                     "origin", "actions", "only", "frames", "first", "last", "rate")

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
                         items=[("SCENE", "Scene", "Frame range of the scene"),
                                ("CUSTOM", "Custom", "Frames from Start to End")])
    first: IntProperty(name="Start", default=1, description="First frame of a custom range")
    last: IntProperty(name="End", default=250, description="Last frame of a custom range")
    rate: FloatProperty(name="Frame Rate", default=0.0, min=0.0, max=1000.0,
                        description="Frames per second; 0: use the scene frame rate")
    shown_options = ("scale", "forward", "frames", "first", "last", "rate")

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
    with_clips: BoolProperty(name="Import All Animations", default=False,
                             description="Also import all .md5anim files in the folder of the mesh")
    weld: BoolProperty(name="Merge Vertices at UV Seams", default=True,
                       description="Merge vertices that differ only in their UVs")
    shown_options = ("scale", "forward", "bone_axis", "with_clips", "weld")

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
        unsupported = [path for path in paths if path not in meshes and path not in clips]
        if unsupported:
            raise Md5Error("%s: unsupported file type (expected .md5mesh or .md5anim)" % unsupported[0])
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
    menu.layout.operator(ExportMd5.bl_idname, text="MD5 Model (.md5mesh, .md5anim)")
    menu.layout.operator(ExportMd5Camera.bl_idname, text="MD5 Camera (.md5camera)")


def _import_menu(menu, _context):
    menu.layout.operator(ImportMd5.bl_idname, text="MD5 Model (.md5mesh, .md5anim)")


_CLASSES = (ExportMd5, ExportMd5Camera, ImportMd5)


def register():
    for operator in _CLASSES:
        bpy.utils.register_class(operator)
    bpy.types.TOPBAR_MT_file_export.append(_export_menu)
    bpy.types.TOPBAR_MT_file_import.append(_import_menu)


def unregister():
    bpy.types.TOPBAR_MT_file_import.remove(_import_menu)
    bpy.types.TOPBAR_MT_file_export.remove(_export_menu)
    for operator in reversed(_CLASSES):
        bpy.utils.unregister_class(operator)

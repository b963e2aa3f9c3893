"""Runs in Blender: installs the add-on from a zip, checks its operators and menus, and removes it."""

import sys

import addon_utils
import bpy

ZIP = sys.argv[-1]

bpy.ops.preferences.addon_install(filepath=ZIP)
assert bpy.ops.preferences.addon_enable(module="io_md5") == {"FINISHED"}
assert addon_utils.check("io_md5") == (True, True)
for group, name in (("export_scene", "md5"), ("export_scene", "md5camera"), ("import_scene", "md5")):
    assert getattr(getattr(bpy.ops, group), name).get_rna_type().properties["scale"].default == 0.0
for menu, count in ((bpy.types.TOPBAR_MT_file_export, 1), (bpy.types.TOPBAR_MT_file_import, 1)):
    entries = [draw for draw in menu.draw._draw_funcs if draw.__module__ == "io_md5"]
    assert len(entries) == count
bpy.ops.preferences.addon_disable(module="io_md5")
assert not [draw for draw in bpy.types.TOPBAR_MT_file_export.draw._draw_funcs
            if draw.__module__ == "io_md5"]
assert "import_scene.md5" not in {name for name in dir(bpy.ops.import_scene)}

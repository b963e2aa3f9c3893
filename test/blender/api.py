"""api.py ADD-ON ZIP: checks the Blender add-on without Blender.

The add-on's source must not use names that later versions of Blender removed or renamed, unless the function
tests for the new attribute first. Its functions for actions must work with objects that have the attributes
of each version. Its manifest must be valid for Blender 4.2 and later; the zip must install in these and in
older versions."""

import ast
import os
import re
import sys
import types
import zipfile

# Changes of Blender's Python API, from its release notes and change logs: version; name; object of which the
# name is an attribute, an argument or an import (a regular expression on the source; "text": a string);
# replacement.
CHANGED = [
    ("4.0", "copy", r"context$", "Context.temp_override(): operators take no dict of a context any more"),
    ("4.0", "layers", r"(arm|bone|data|armature)\w*$", "Armature.collections"),
    ("4.0", "bone_groups", ".", "Armature.collections, Bone.color"),
    ("4.0", "bone_group", ".", "Armature.collections, Bone.color"),
    ("4.0", "bone_group_index", ".", "Armature.collections, Bone.color"),
    ("4.0", "face_maps", ".", "attributes"),
    ("4.0", "vertex_creases", ".", "the attribute crease_vert"),
    ("4.0", "use_customdata_edge_bevel", ".", "the attribute bevel_weight_edge"),
    ("4.0", "calc_normals", ".", "nothing: normals are always there"),
    ("4.0", "obj", r"ops\.(im|ex)port_scene$", "wm.obj_import, wm.obj_export"),
    ("4.1", "calc_normals_split", ".", "Mesh.corner_normals"),
    ("4.1", "free_normals_split", ".", "Mesh.corner_normals"),
    ("4.1", "create_normals_split", ".", "Mesh.corner_normals"),
    ("4.1", "use_auto_smooth", ".", "sharp edges and faces"),
    ("4.1", "auto_smooth_angle", ".", "Mesh.set_sharp_from_angle()"),
    ("4.1", "override_template_create", ".", "ID.override_create()"),
    ("4.2", "stl", r"ops\.(im|ex)port_mesh$", "wm.stl_import, wm.stl_export"),
    ("4.2", "bake_in_camera_space", ".", "use_camera_space_bake"),
    ("4.2", "BLENDER_EEVEE", "text", "BLENDER_EEVEE_NEXT up to 4.5"),
    ("5.0", "BLENDER_EEVEE_NEXT", "text", "BLENDER_EEVEE"),
    ("5.0", "bgl", "import", "gpu"),
    ("5.0", "fcurves", r"^(?!bag$|channelbag$)", "ActionChannelbag.fcurves"),
    ("5.0", "groups", r"action$", "ActionChannelbag.groups"),
    ("5.0", "id_root", ".", "ActionSlot.target_id_type"),
    ("5.0", "action_group", r"fcurves\.new$", "group_name"),
    ("5.0", "select", r"bone\w*$", "PoseBone.select"),
    ("5.0", "select_head", r"(?<!edit_)bone\w*$", "EditBone.select_head"),
    ("5.0", "select_tail", r"(?<!edit_)bone\w*$", "EditBone.select_tail"),
    ("5.0", "grease_pencils_v3", ".", "BlendData.annotations"),
    ("5.0", "node_tree", r"scene$", "Scene.compositing_node_group"),
    ("5.0", "use_nodes", ".", "nothing: there are always nodes"),
    ("5.0", "collada_export", ".", "nothing"), ("5.0", "collada_import", ".", "nothing"),
]
# Attributes whose presence selects between the old and the new API.
GUARDS = {"fcurves": {"slots", "layers"}, "action_group": {"slots"}, "use_nodes": {"node_tree"}}


def tested_attributes(function):
    """Returns the attributes that a function requests by name, or tests."""
    names = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("hasattr", "getattr"):
            names.add(getattr(node.args[1], "value", ""))
        if isinstance(node, (ast.If, ast.IfExp)):
            names |= {part.attr for part in ast.walk(node.test) if isinstance(part, ast.Attribute)}
    return names


def used_names(node):
    """Returns the names that a node uses, each with the object that contains it."""
    if isinstance(node, ast.Attribute):
        return [(node.attr, ast.unparse(node.value))]
    if isinstance(node, ast.Call):
        return [(key.arg, ast.unparse(node.func)) for key in node.keywords]
    if isinstance(node, ast.Constant):
        return [(node.value, "text")]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        names = [alias.name for alias in node.names] + [getattr(node, "module", "")]
        return [(name, "import") for name in names]
    return []


def find_unsupported_names(source, file):
    messages = []

    def visit(node, tested):
        if isinstance(node, ast.FunctionDef):
            tested = tested | tested_attributes(node)
        for name, owner in used_names(node):
            messages.extend("%s:%d: Blender %s has no '%s' of '%s': use %s" % (
                file, node.lineno, version, name, owner, replacement)
                for version, changed_name, owner_pattern, replacement in CHANGED
                if name == changed_name and re.search(owner_pattern, owner)
                and not GUARDS.get(name, set()) & tested)
        for child in ast.iter_child_nodes(node):
            visit(child, tested)
    visit(ast.parse(source), set())
    return messages


# -- Actions of each version ------------------------------------------------------------------------

class Collection(list):
    def __init__(self, make):
        super().__init__()
        self.make = make

    def new(self, *args, **names):
        self.append(self.make(*args, **names))
        return self[-1]

    def get(self, name):
        return next((item for item in self if item.name == name), None)


def namespace(**members):
    return types.SimpleNamespace(**members)


def legacy_action(_version):
    return namespace(fcurves=Collection(lambda path, index=0, action_group="": namespace(
        data_path=path, index=index, group=namespace(name=action_group))))


def slotted_action(version):
    """Returns an action with slots. In 4.4 and 4.5 it also has fcurves, which belong to the first slot. In
    5.0 it has no fcurves."""
    def new_bag():
        return namespace(fcurves=Collection(lambda path, index=0: namespace(data_path=path, index=index)),
                         groups=Collection(lambda name: namespace(name=name)))

    def new_strip(type):
        strip, bags = namespace(channelbags=[]), {}

        def channelbag(slot, ensure=False):
            if id(slot) not in bags and ensure:
                bags[id(slot)] = new_bag()
                strip.channelbags.append(bags[id(slot)])
            return bags.get(id(slot))
        strip.channelbag = channelbag
        assert type == "KEYFRAME"
        return strip
    action = namespace(slots=Collection(lambda id_type, name: namespace(target_id_type=id_type, name=name)),
                       layers=Collection(lambda name: namespace(name=name, strips=Collection(new_strip))))
    if version < (5, 0):
        action.fcurves = [namespace(data_path="of the first slot")]
    return action


class Data:
    """AnimData: from 4.4 on, an action with several slots gets no slot automatically until it was played."""
    def __init__(self, version):
        self.action = None
        if version >= (4, 4):
            self.action_slot = None

    @property
    def action_suitable_slots(self):
        return self.action.slots


def check_actions(module):
    for version in ((3, 4), (4, 2), (4, 3), (4, 4), (4, 5), (5, 0), (5, 2)):
        action = (legacy_action if version < (4, 4) else slotted_action)(version)
        assert module.action_curves(action) == list(getattr(action, "fcurves", [])), version
        if hasattr(action, "layers"):
            action.fcurves = None
            del action.fcurves
        rig = namespace(name="rig")
        add = module.curve_maker(action, rig)
        for index in range(3):
            add('pose.bones["a"].location', index, "a")
        add('pose.bones["b"].location', 0, "b")
        curves = module.action_curves(action)
        assert [(curve.data_path[12], curve.index, curve.group.name) for curve in curves] == [
            ("a", 0, "a"), ("a", 1, "a"), ("a", 2, "a"), ("b", 0, "b")], version
        data = Data(version)
        module.assign(data, action)
        assert data.action is action
        if version >= (4, 4):
            assert [(slot.target_id_type, slot.name) for slot in action.slots] == [("OBJECT", "rig")]
            assert data.action_slot is action.slots[0]


# -- Manifest and zip -------------------------------------------------------------------------------

REQUIRED_KEYS = set("schema_version id version name tagline maintainer type blender_version_min "
                    "license".split())
OPTIONAL_KEYS = set("website tags blender_version_max copyright platforms wheels permissions build".split())
VERSION = re.compile(r"\d+\.\d+\.\d+")


def is_short_line(text):
    """Returns true for one line of at most 64 characters without punctuation at the end, except brackets."""
    return isinstance(text, str) and 0 < len(text) <= 64 and text.isprintable() and text == text.strip() and (
        text[-1].isalnum() or text[-1] in ")]}")


def check_manifest(text, addon_info):
    import tomllib
    manifest = tomllib.loads(text)
    assert REQUIRED_KEYS <= set(manifest) <= REQUIRED_KEYS | OPTIONAL_KEYS, REQUIRED_KEYS ^ set(manifest)
    assert manifest["schema_version"] == "1.0.0" and manifest["type"] == "add-on"
    assert manifest["id"].isidentifier() and "__" not in manifest["id"]
    assert manifest["id"].strip("_") == manifest["id"]
    assert is_short_line(manifest["tagline"])
    assert VERSION.fullmatch(manifest["version"]) and VERSION.fullmatch(manifest["blender_version_min"])
    assert manifest["blender_version_min"] >= "4.2.0"
    assert manifest["license"] and all(re.fullmatch(r"SPDX:[\w.+-]+", entry) for entry in manifest["license"])
    assert all(key in ("files", "network", "clipboard", "camera", "microphone") and is_short_line(reason)
               for key, reason in manifest["permissions"].items())
    assert manifest["tags"] == [addon_info["category"]]
    assert manifest["version"] == "%d.%d.%d" % addon_info["version"]
    assert addon_info["name"].startswith(manifest["name"])
    assert addon_info["blender"] < (4, 2, 0)


def check_zip(path, folder):
    name = os.path.basename(folder)
    with zipfile.ZipFile(path) as archive:
        assert set(archive.namelist()) - {name + "/"} == {
            "%s/%s" % (name, file) for file in os.listdir(folder) if file != "__pycache__"}
        assert name + "/__init__.py" in archive.namelist()


def main(folder, path):
    sources = {}
    for file in sorted(os.listdir(folder)):
        if file.endswith((".py", ".toml")):
            with open(os.path.join(folder, file), encoding="utf-8") as text:
                sources[file] = text.read()
    # Verify that the check finds each of these changes.
    sample = ("def f(action, bone, mesh, o):\n action.fcurves.new('a')\n bone.layers\n import bgl\n"
              " mesh.calc_normals_split()\n bpy.ops.export_scene.obj()\n o.engine = 'BLENDER_EEVEE_NEXT'\n"
              " return bag.fcurves\n")
    assert len(find_unsupported_names(sample, "")) == 6, find_unsupported_names(sample, "")
    assert not find_unsupported_names(
        "def f(action):\n if not hasattr(action, 'slots'):\n  action.fcurves.new('a')", "")
    messages = [text for file, source in sources.items() if file.endswith(".py")
                for text in find_unsupported_names(source, file)]
    print("\n".join(messages))
    init = ast.parse(sources["__init__.py"])
    addon_info = next(ast.literal_eval(node.value) for node in init.body
                      if isinstance(node, ast.Assign) and node.targets[0].id == "bl_info")
    sys.path.insert(0, folder)
    import action
    check_actions(action)
    check_manifest(sources["blender_manifest.toml"], addon_info)
    check_zip(path, folder)
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

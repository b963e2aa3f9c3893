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


def asked(function):
    """Returns the attributes that a function requests by name, or tests."""
    found = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("hasattr", "getattr"):
            found.add(getattr(node.args[1], "value", ""))
        if isinstance(node, (ast.If, ast.IfExp)):
            found |= {one.attr for one in ast.walk(node.test) if isinstance(one, ast.Attribute)}
    return found


def used(node):
    """Returns the names that a node uses, each with the object that contains it."""
    if isinstance(node, ast.Attribute):
        return [(node.attr, ast.unparse(node.value))]
    if isinstance(node, ast.Call):
        return [(key.arg, ast.unparse(node.func)) for key in node.keywords]
    if isinstance(node, ast.Constant):
        return [(node.value, "text")]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [(name, "import") for name in [one.name for one in node.names] + [getattr(node, "module", "")]]
    return []


def complaints(source, file):
    said = []

    def look(node, asks):
        if isinstance(node, ast.FunctionDef):
            asks = asks | asked(node)
        for name, owner in used(node):
            said.extend("%s:%d: Blender %s has no '%s' of '%s': use %s" % (
                file, node.lineno, version, name, owner, new) for version, old, owners, new in CHANGED
                if name == old and re.search(owners, owner) and not GUARDS.get(name, set()) & asks)
        for child in ast.iter_child_nodes(node):
            look(child, asks)
    look(ast.parse(source), set())
    return said


# -- Actions of each version ------------------------------------------------------------------------

class Collection(list):
    def __init__(self, make):
        super().__init__()
        self.make = make

    def new(self, *args, **names):
        self.append(self.make(*args, **names))
        return self[-1]

    def get(self, name):
        return next((one for one in self if one.name == name), None)


def thing(**members):
    return types.SimpleNamespace(**members)


def old_action(_version):
    return thing(fcurves=Collection(lambda path, index=0, action_group="": thing(
        data_path=path, index=index, group=thing(name=action_group))))


def slotted_action(version):
    """4.4 and 4.5: fcurves in addition to slots; they belong to the first slot. 5.0: no fcurves."""
    def new_bag():
        return thing(fcurves=Collection(lambda path, index=0: thing(data_path=path, index=index)),
                     groups=Collection(lambda name: thing(name=name)))

    def new_strip(type):
        strip, bags = thing(channelbags=[]), {}

        def channelbag(slot, ensure=False):
            if id(slot) not in bags and ensure:
                bags[id(slot)] = new_bag()
                strip.channelbags.append(bags[id(slot)])
            return bags.get(id(slot))
        strip.channelbag = channelbag
        assert type == "KEYFRAME"
        return strip
    action = thing(slots=Collection(lambda id_type, name: thing(target_id_type=id_type, name=name)),
                   layers=Collection(lambda name: thing(name=name, strips=Collection(new_strip))))
    if version < (5, 0):
        action.fcurves = [thing(data_path="of the first slot")]
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
        action = (old_action if version < (4, 4) else slotted_action)(version)
        assert module.curves_of(action) == list(getattr(action, "fcurves", [])), version
        if hasattr(action, "layers"):
            action.fcurves = None
            del action.fcurves
        rig = thing(name="rig")
        add = module.curve_maker(action, rig)
        for index in range(3):
            add('pose.bones["a"].location', index, "a")
        add('pose.bones["b"].location', 0, "b")
        curves = module.curves_of(action)
        assert [(one.data_path[12], one.index, one.group.name) for one in curves] == [
            ("a", 0, "a"), ("a", 1, "a"), ("a", 2, "a"), ("b", 0, "b")], version
        data = Data(version)
        module.assign(data, action)
        assert data.action is action
        if version >= (4, 4):
            assert [(slot.target_id_type, slot.name) for slot in action.slots] == [("OBJECT", "rig")]
            assert data.action_slot is action.slots[0]


# -- Manifest and zip -------------------------------------------------------------------------------

MUST = set("schema_version id version name tagline maintainer type blender_version_min license".split())
MAY = set("website tags blender_version_max copyright platforms wheels permissions build".split())
VERSION = re.compile(r"\d+\.\d+\.\d+")


def terse(text):
    """Returns true for one line of at most 64 characters without punctuation at the end, except brackets."""
    return isinstance(text, str) and 0 < len(text) <= 64 and text.isprintable() and text == text.strip() and (
        text[-1].isalnum() or text[-1] in ")]}")


def check_manifest(text, about):
    import tomllib
    has = tomllib.loads(text)
    assert MUST <= set(has) <= MUST | MAY, MUST ^ set(has)
    assert has["schema_version"] == "1.0.0" and has["type"] == "add-on"
    assert has["id"].isidentifier() and "__" not in has["id"] and has["id"].strip("_") == has["id"]
    assert terse(has["tagline"])
    assert VERSION.fullmatch(has["version"]) and VERSION.fullmatch(has["blender_version_min"])
    assert has["blender_version_min"] >= "4.2.0"
    assert has["license"] and all(re.fullmatch(r"SPDX:[\w.+-]+", one) for one in has["license"])
    assert all(key in ("files", "network", "clipboard", "camera", "microphone") and terse(reason)
               for key, reason in has["permissions"].items())
    assert has["tags"] == [about["category"]]
    assert has["version"] == "%d.%d.%d" % about["version"] and about["name"].startswith(has["name"])
    assert about["blender"] < (4, 2, 0)


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
    seen = ("def f(action, bone, mesh, o):\n action.fcurves.new('a')\n bone.layers\n import bgl\n"
            " mesh.calc_normals_split()\n bpy.ops.export_scene.obj()\n o.engine = 'BLENDER_EEVEE_NEXT'\n"
            " return bag.fcurves\n")
    assert len(complaints(seen, "")) == 6, complaints(seen, "")
    assert not complaints("def f(action):\n if not hasattr(action, 'slots'):\n  action.fcurves.new('a')", "")
    wrong = [text for file, source in sources.items() if file.endswith(".py")
             for text in complaints(source, file)]
    print("\n".join(wrong))
    init = ast.parse(sources["__init__.py"])
    about = next(ast.literal_eval(node.value) for node in init.body
                 if isinstance(node, ast.Assign) and node.targets[0].id == "bl_info")
    sys.path.insert(0, folder)
    import action
    check_actions(action)
    check_manifest(sources["blender_manifest.toml"], about)
    check_zip(path, folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

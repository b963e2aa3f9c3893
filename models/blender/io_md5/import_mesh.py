"""Imports .md5mesh as an armature and meshes."""

import os

import bpy
import numpy as np

from . import maths
from .settings import bone_to_joint, completed, remembered, to_file
from .text import Md5Error, decoded, read_model

# Largest distance, in units, between the positions that the weights of a vertex give in the bind pose.
APART = 1e-3


def load(path):
    try:
        with open(path, "rb") as file:
            return decoded(file.read())
    except OSError as error:
        raise Md5Error("Cannot read '%s': %s" % (path, error.strerror or error)) from error


def import_model(context, path, settings, report):
    """Creates the armature and its meshes, and returns the armature."""
    if context.mode != "OBJECT":
        raise Md5Error("Switch to Object Mode first")
    model = read_model(load(path), path)
    for warning in model.warnings:
        report.warn(warning)
    if not model.names:
        raise Md5Error("%s: the model has no joints" % path)
    title = os.path.splitext(os.path.basename(path))[0]
    stored = remembered(model.command)
    settings = completed(settings, "X", stored)
    joints = maths.matrix_from_quaternion(maths.rebuilt(model.rotations), np.array(model.positions))
    if settings.bone_axis != stored.get("bone_axis"):
        model.bones = [None] * len(model.names)
    # A joint that the exporter added has no bone.
    adds = "origin" in stored and model.parents[0] < 0 and np.abs(joints[0] - np.eye(4)).max() < 1e-6
    armature, bones = _armature(context, title, model, joints, settings, int(adds))
    counts = {"apart": 0, "furthest": 0.0, "sums": 0, "none": 0, "negative": 0, "lost": 0}
    for index, mesh in enumerate(model.meshes):
        name = mesh.name or "%s_%d" % (title, index)
        obj = _mesh(context, name, mesh, armature, bones, joints, settings,
                    os.path.dirname(path), counts)
        obj["md5_mesh"] = index
    _report_counts(counts, path, report)
    report.info("%s: %d bones, %d meshes" % (path, len(armature.data.bones), len(model.meshes)))
    return armature


# -- The armature -----------------------------------------------------------------------------------

def _armature(context, title, model, joints, settings, first):
    """Creates the armature of a model. `first` is the first joint that becomes a bone."""
    data = bpy.data.armatures.new(title)
    armature = bpy.data.objects.new(title, data)
    armature.show_in_front = True
    # Read by the exporter, so that a second export uses the same options.
    armature["md5_scale"] = settings.scale
    armature["md5_forward"] = settings.forward
    armature["md5_bone_axis"] = settings.bone_axis
    if first:
        armature["md5_origin"] = True
    context.collection.objects.link(armature)
    for obj in context.selected_objects:
        obj.select_set(False)
    armature.select_set(True)
    context.view_layer.objects.active = armature
    back = np.linalg.inv(to_file(settings))
    shaped = joints @ np.linalg.inv(bone_to_joint(settings))
    rotated = [joint for joint, bone in enumerate(model.bones) if bone and bone[1]]
    if rotated and settings.bone_axis == "MODEL":
        rotations = maths.rebuilt([model.bones[joint][1] for joint in rotated])
        shaped[rotated] = maths.matrix_from_quaternion(rotations, shaped[rotated, :3, 3])
    rest = maths.rigid(unscaled(back @ shaped))[0]
    size = maths.reach(rest[:, :3, 3])
    lengths = [bone[0] * size if bone and bone[0] * size > 1e-5 else length
               for bone, length in zip(model.bones, _lengths(rest, model.parents))]
    bpy.ops.object.mode_set(mode="EDIT")
    created = []
    for matrix, length, name in zip(rest[first:], lengths[first:], model.names[first:]):
        bone = data.edit_bones.new(name or "joint")
        bone.head = matrix[:3, 3]
        bone.tail = matrix[:3, 3] + matrix[:3, 1] * length
        bone.align_roll(matrix[:3, 2])
        created.append(bone)
    for bone, parent in zip(created, model.parents[first:]):
        bone.parent = created[parent - first] if parent >= first else None
    bones = [None] * first + [bone.name for bone in created]
    bpy.ops.object.mode_set(mode="OBJECT")
    for joint, (bone, name) in list(enumerate(zip(bones, model.names)))[first:]:
        data.bones[bone]["md5_joint"] = joint
        # The bind pose of the file, to correct for the rounding of the bone (import_anim._correction).
        data.bones[bone]["md5_bind"] = model.positions[joint] + model.rotations[joint]
        if bone != name:
            data.bones[bone]["md5_name"] = name
    for bone in armature.pose.bones:
        bone.rotation_mode = "QUATERNION"
    return armature, bones


def unscaled(matrices):
    result = matrices.copy()
    result[..., :3, :3] /= np.cbrt(np.linalg.det(matrices[..., :3, :3]))[..., None, None]
    return result


def _lengths(rest, parents):
    """Returns the lengths of the bones: to the farthest child along the bone's axis, or a typical length. The
    minimum is large enough that rounding of head and tail does not change the direction."""
    positions = rest[:, :3, 3]
    size = float(np.ptp(positions, axis=0).max()) or 1.0
    ahead = np.zeros(len(parents))
    for joint, parent in enumerate(parents):
        if parent >= 0:
            distance = float((positions[joint] - positions[parent]) @ rest[parent, :3, 1])
            ahead[parent] = max(ahead[parent], distance)
    usual = float(np.median(ahead[ahead > 0])) if (ahead > 0).any() else size / 10
    min_length = np.maximum(np.abs(positions).max(axis=1) * 1e-3, size / 50)
    return np.maximum(np.where(ahead > size / 100, ahead, usual), min_length).tolist()


# -- Meshes -----------------------------------------------------------------------------------------

def _mesh(context, name, mesh, armature, bones, joints, settings, folder, counts):
    points, weights = _vertices(mesh, joints, counts)
    file_vertices, corners = _welded(mesh, counts, settings.weld)
    back = np.linalg.inv(to_file(settings))
    data = bpy.data.meshes.new(name)
    data.from_pydata(maths.apply(back, points[file_vertices]).tolist() if file_vertices else [], [],
                     [face for face, _ in corners])
    layer = data.uv_layers.new(name="UVMap")
    if corners and layer:
        uvs = np.array([mesh.uvs[vertex] for _, tri in corners for vertex in tri])
        uvs[:, 1] = 1 - uvs[:, 1]
        layer.data.foreach_set("uv", uvs.astype(np.float32).ravel())
        data.polygons.foreach_set("use_smooth", [True] * len(corners))
    data.materials.append(_material(mesh.shader, folder))
    data.update()
    obj = bpy.data.objects.new(name, data)
    context.collection.objects.link(obj)
    obj.parent = armature
    modifier = obj.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    groups = {}
    for index, vertex in enumerate(file_vertices):
        for joint, bias in weights[vertex].items():
            if bias > 0 and bones[joint]:
                if joint not in groups:
                    groups[joint] = obj.vertex_groups.new(name=bones[joint])
                groups[joint].add([index], bias, "REPLACE")
    return obj


def _vertices(mesh, joints, counts):
    """Returns the position of each vertex of the file in the bind pose, and its weights as {joint: bias}."""
    points, weights = np.zeros((len(mesh.spans), 3)), []
    if mesh.weights:
        weight_positions = maths.apply(joints[[joint for joint, _, _ in mesh.weights]],
                                       np.array([offset for _, _, offset in mesh.weights]))
    for vertex, (first, count) in enumerate(mesh.spans):
        vertex_weights = {}
        for joint, bias, _ in mesh.weights[first:first + count]:
            vertex_weights[joint] = vertex_weights.get(joint, 0.0) + bias
        weights.append(vertex_weights)
        if not count:
            counts["none"] += 1
            continue
        biases = np.array([bias for _, bias, _ in mesh.weights[first:first + count]])
        mine = weight_positions[first:first + count]
        points[vertex] = biases @ mine
        apart = float(np.ptp(mine[biases != 0], axis=0).max()) if (biases != 0).any() else 0.0
        counts["apart"] += apart > APART
        counts["furthest"] = max(counts["furthest"], apart)
        counts["sums"] += abs(biases.sum() - 1) > 1e-4
        counts["negative"] += any(bias < 0 for bias in vertex_weights.values())
    return points, weights


def _welded(mesh, counts, weld):
    """Returns for each Blender vertex the vertex of the file, and the faces as (Blender vertices, file
    vertices), counter-clockwise. Vertices that differ only in their UVs are merged, since Blender stores UVs
    per face corner. Blender does not allow two faces with the same vertices, which files use for two-sided
    surfaces: the second face gets its own vertices."""
    file_vertices, blender_vertex, vertex_by_weights = [], [], {}
    for vertex, (first, count) in enumerate(mesh.spans):
        key = tuple(mesh.weights[first:first + count]) if weld and count else vertex
        if key not in vertex_by_weights:
            vertex_by_weights[key] = len(file_vertices)
            file_vertices.append(vertex)
        blender_vertex.append(vertex_by_weights[key])
    faces, used_faces = [], set()
    for a, b, c in mesh.tris:
        tri = (a, c, b)
        if len(set(tri)) < 3:
            counts["lost"] += 1
            continue
        face = tuple(blender_vertex[vertex] for vertex in tri)
        if len(set(face)) < 3 or frozenset(face) in used_faces:
            face = tuple(range(len(file_vertices), len(file_vertices) + 3))
            file_vertices += tri
        used_faces.add(frozenset(face))
        faces.append((face, tri))
    return file_vertices, faces


def _material(shader, folder):
    name = shader.encode("utf-8")[:60].decode("utf-8", "ignore") or "unnamed"
    material = bpy.data.materials.get(name)
    if material and material.get("md5_shader", material.name) == shader:
        return material
    material = bpy.data.materials.new(name)
    if material.name != shader:
        material["md5_shader"] = shader
    stem = os.path.splitext(shader.replace("\\", "/").split("/")[-1])[0]
    for suffix in ("", "_d"):
        for kind in (".png", ".tga", ".jpg"):
            path = os.path.join(folder, stem + suffix + kind)
            if stem and os.path.isfile(path):
                _show(material, path)
                return material
    return material


def _show(material, path):
    try:
        image = bpy.data.images.load(path, check_existing=True)
    except RuntimeError:  # an unreadable texture does not abort the import
        return
    if not material.node_tree:  # Blender 5.0 always creates one
        material.use_nodes = True
    nodes = material.node_tree.nodes
    shade = next((node for node in nodes if node.type == "BSDF_PRINCIPLED"), None)
    if shade:
        texture = nodes.new("ShaderNodeTexImage")
        texture.image = image
        texture.location = (-320, 240)
        material.node_tree.links.new(texture.outputs["Color"], shade.inputs["Base Color"])


def _report_counts(counts, path, report):
    if counts["apart"]:
        report.warn("%s: %d vertices have weight offsets that disagree by up to %.3g units; their "
                    "deformation will differ from the game" % (path, counts["apart"], counts["furthest"]))
    for key, text in (("sums", "weights of %d vertices are not normalized; normalized on deform"),
                      ("negative", "negative weights of %d vertices ignored"),
                      ("none", "%d vertices have no weights"),
                      ("lost", "%d degenerate (zero-area) triangles removed")):
        if counts[key]:
            report.warn(path + ": " + text % counts[key])

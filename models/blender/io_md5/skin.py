"""The meshes that an armature deforms, with modifiers applied, and their weights."""

import math
from dataclasses import dataclass

import numpy as np

from . import encode, maths
from .rig import deforming_armature
from .settings import array, to_file

# Modifiers that do not move vertices, and so may follow the armature modifier.
_HARMLESS_AFTER = {"TRIANGULATE", "EDGE_SPLIT", "WEIGHTED_NORMAL", "UV_PROJECT", "UV_WARP",
                   "NORMAL_EDIT"}


# Tolerance for equal UVs: rounding error of modifiers in single precision.
SAME_UV = 1e-6


@dataclass
class Skin:
    """One mesh of the file. A vertex is duplicated only if it has several UVs."""
    name: str
    shader: str
    points: np.ndarray     # (V, 3) bind pose, model space
    uvs: np.ndarray        # (V, 2)
    tris: np.ndarray       # (T, 3) clockwise seen from outside
    joints: np.ndarray     # (W,) of each weight
    biases: np.ndarray     # (W,)
    firsts: np.ndarray     # (V + 1,) first weight of each vertex
    carried: bool          # the object is a descendant of the armature

    def posed(self, moves):
        """Returns the vertices (V, 3) when the joints are transformed by `moves` (J, 4, 4)."""
        points = np.repeat(self.points, np.diff(self.firsts), axis=0)
        moved = maths.apply(moves[self.joints], points) * self.biases[:, None]
        return np.add.reduceat(moved, self.firsts[:-1], axis=0)


def collect(context, rig, settings, report):
    """Returns every visible mesh that the armature deforms, split by material: imported ones first, in
    their order, then the others by name. The armature must be in its rest position."""
    depsgraph = context.evaluated_depsgraph_get()
    skins = []
    for obj in sorted(context.view_layer.objects,
                      key=lambda obj: (obj.get("md5_mesh", math.inf), obj.name)):
        if (obj.type == "MESH" and deforming_armature(obj) == rig.armature and obj.visible_get()
                and (obj.select_get() or not settings.selected_only)):
            _warn_unsupported(obj, rig, report)
            evaluated = obj.evaluated_get(depsgraph)
            mesh = evaluated.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
            try:
                skins += _split(obj, mesh, array(evaluated.matrix_world), rig, settings, report)
            finally:
                evaluated.to_mesh_clear()
    return skins


def _warn_unsupported(obj, rig, report):
    is_after_armature = False
    for modifier in obj.modifiers:
        if not modifier.show_viewport:
            continue
        if modifier.type == "ARMATURE":
            if modifier.object != rig.armature:
                report.warn("%s: Armature modifier for another armature is not exported" % obj.name)
                continue
            is_after_armature = True
            for name, odd in (("Preserve Volume", modifier.use_deform_preserve_volume),
                              ("Bone Envelopes", modifier.use_bone_envelopes),
                              ("Vertex Group of the Armature modifier", modifier.vertex_group)):
                if odd:
                    report.warn("%s: not supported by MD5: %s" % (obj.name, name))
        elif is_after_armature and modifier.type not in _HARMLESS_AFTER:
            report.warn("%s: modifier '%s' is below the Armature modifier and is applied only in rest "
                        "position. Move it above" % (obj.name, modifier.name))
    keys = obj.data.shape_keys
    if keys and keys.animation_data and (keys.animation_data.action or keys.animation_data.drivers):
        report.warn("%s: MD5 cannot store shape key animation; current values are exported"
                    % obj.name)


def _split(obj, mesh, world, rig, settings, report):
    mesh.calc_loop_triangles()
    count = len(mesh.loop_triangles)
    if not count:
        report.warn("%s has no faces; not exported" % obj.name)
        return []
    loops, corners = np.empty(count * 3, np.int32), np.empty(count * 3, np.int32)
    materials = np.empty(count, np.int32)
    mesh.loop_triangles.foreach_get("loops", loops)
    mesh.loop_triangles.foreach_get("vertices", corners)
    mesh.loop_triangles.foreach_get("material_index", materials)
    coordinates = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get("co", coordinates)
    world = to_file(settings) @ world
    points = maths.apply(world, coordinates.reshape(-1, 3).astype(np.float64))
    uvs = _uvs(obj, mesh, loops, report)
    # Counter-clockwise becomes clockwise, unless the object's scale mirrors it.
    triangle_order = (0, 2, 1) if np.linalg.det(world[:3, :3]) > 0 else (0, 1, 2)
    weights = _weights(obj, mesh, rig, float(np.ptp(points, axis=0).max()), report)
    skins = []
    used = sorted(set(materials.tolist()))
    for material_index in used:
        mine = np.repeat(materials == material_index, 3)
        name, shader = _names(obj, mesh, material_index, len(used) > 1)
        skins.append(_part(name, shader, points, corners[mine], uvs[mine], triangle_order, weights,
                           _is_below(obj, rig.armature)))
    return skins


def _is_below(obj, above):
    while obj and obj != above:
        obj = obj.parent
    return obj == above


def _names(obj, mesh, material_index, several):
    material = mesh.materials[material_index] if material_index < len(mesh.materials) else None
    if not material:
        return obj.name, obj.name
    shader = str(material.get("md5_shader", material.name))
    return (obj.name + "_" + material.name if several else obj.name), shader


def _uvs(obj, mesh, loops, report):
    layer = next((layer for layer in mesh.uv_layers if layer.active_render), None)
    if not layer:
        report.warn("%s has no UV map; all UVs are set to 0" % obj.name)
        return np.zeros((len(loops), 2))
    uvs = np.empty(len(mesh.loops) * 2, np.float32)
    layer.data.foreach_get("uv", uvs)
    uvs = uvs.reshape(-1, 2)[loops].astype(np.float64)
    uvs[:, 1] = 1 - uvs[:, 1]
    return uvs


def _part(name, shader, points, corners, uvs, triangle_order, weights, carried):
    """Returns the triangles of one material. Vertices are in Blender's order, duplicated per UV."""
    found, keys, indices = {}, [], []
    for vertex, u, v in zip(corners.tolist(), uvs[:, 0].tolist(), uvs[:, 1].tolist()):
        copies = found.setdefault(vertex, [])
        index = next((n for n in copies if abs(keys[n][1] - u) < SAME_UV
                      and abs(keys[n][2] - v) < SAME_UV), None)
        if index is None:
            index = len(keys)
            copies.append(index)
            keys.append((vertex, u, v))
        indices.append(index)
    order = sorted(range(len(keys)), key=lambda n: keys[n][0])  # stable: keeps the order of UVs
    new_index = np.empty(len(keys), np.int64)
    new_index[order] = np.arange(len(keys))
    keys = [keys[n] for n in order]
    tris = new_index[np.array(indices)].reshape(-1, 3)[:, triangle_order]
    joints, biases, firsts = [], [], [0]
    for vertex, _, _ in keys:
        for joint, bias in weights[vertex]:
            joints.append(joint)
            biases.append(bias)
        firsts.append(len(joints))
    return Skin(name, shader, points[[key[0] for key in keys]],
                np.array([key[1:] for key in keys]), tris, np.array(joints), np.array(biases),
                np.array(firsts), carried)


def _weights(obj, mesh, rig, size, report):
    """Returns for each vertex its (joint, bias) pairs, largest first, with sum one, as in Blender's armature
    modifier."""
    if obj.parent == rig.armature and obj.parent_type == "BONE" and not any(
            modifier.type == "ARMATURE" for modifier in obj.modifiers):
        return [[(rig.joint_by_bone.get(obj.parent_bone, 0), 1.0)]] * len(mesh.vertices)
    bones = rig.armature.data.bones
    joints = {}
    for group in obj.vertex_groups:
        bone = bones.get(group.name)
        if bone and bone.use_deform and group.name in rig.joint_by_bone:
            joints[group.index] = rig.joint_by_bone[group.name]
    weights, free = [], 0
    for vertex in mesh.vertices:
        vertex_weights = {}
        for part in vertex.groups:
            joint = joints.get(part.group)
            if joint is not None and part.weight > 0:
                vertex_weights[joint] = vertex_weights.get(joint, 0.0) + part.weight
        if sum(vertex_weights.values()) <= 1e-4:  # Blender's threshold for "no weights"
            vertex_weights = {0: 1.0}
            free += 1
        weights.append(sorted(vertex_weights.items(), key=lambda pair: (-pair[1], pair[0])))
    if free:
        report.warn("%s: %d vertices are in no vertex group of a bone; assigned to bone '%s'"
                    % (obj.name, free, rig.names[0]))
    max_weights = max(len(vertex_weights) for vertex_weights in weights)
    digits = encode.bias_digits(size, max_weights, rig.settings.accuracy)
    return [_rounded(vertex_weights, digits) for vertex_weights in weights]


def _rounded(vertex_weights, digits):
    biases = encode.rounded_biases([bias for _, bias in vertex_weights], digits)
    return [(joint, float(bias)) for (joint, _), bias in zip(vertex_weights, biases) if bias > 0]


def corners(skins, num_joints, bind):
    """Returns (8, 3) for each joint: the corners of the bounding box of the joint and all vertices that it
    moves."""
    result = []
    for joint in range(num_joints):
        low, high = bind[joint][:3, 3].copy(), bind[joint][:3, 3].copy()
        for skin in skins:
            mine = np.unique(np.repeat(np.arange(len(skin.points)), np.diff(skin.firsts))[
                skin.joints == joint])
            if len(mine):
                low = np.minimum(low, skin.points[mine].min(axis=0))
                high = np.maximum(high, skin.points[mine].max(axis=0))
        result.append(np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1])
                                for z in (low[2], high[2])]))
    return result


def bounds(skins, moves):
    """Returns the bounding box of all vertices in one frame."""
    points = np.concatenate([skin.posed(moves) for skin in skins])
    return points.min(axis=0), points.max(axis=0)

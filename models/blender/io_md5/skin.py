"""The meshes that an armature deforms, with modifiers applied, and their weights."""

import math
from dataclasses import dataclass

import numpy as np

from . import encode, maths
from .rig import armature_of
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
    for thing in sorted(context.view_layer.objects,
                        key=lambda thing: (thing.get("md5_mesh", math.inf), thing.name)):
        if (thing.type == "MESH" and armature_of(thing) == rig.armature and thing.visible_get()
                and (thing.select_get() or not settings.selected_only)):
            _warn_unsupported(thing, rig, report)
            seen = thing.evaluated_get(depsgraph)
            mesh = seen.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
            try:
                skins += _split(thing, mesh, array(seen.matrix_world), rig, settings, report)
            finally:
                seen.to_mesh_clear()
    return skins


def _warn_unsupported(thing, rig, report):
    behind = False
    for modifier in thing.modifiers:
        if not modifier.show_viewport:
            continue
        if modifier.type == "ARMATURE":
            if modifier.object != rig.armature:
                report.warn("%s: Armature modifier for another armature is not exported" % thing.name)
                continue
            behind = True
            for name, odd in (("Preserve Volume", modifier.use_deform_preserve_volume),
                              ("Bone Envelopes", modifier.use_bone_envelopes),
                              ("Vertex Group of the Armature modifier", modifier.vertex_group)):
                if odd:
                    report.warn("%s: not supported by MD5: %s" % (thing.name, name))
        elif behind and modifier.type not in _HARMLESS_AFTER:
            report.warn("%s: modifier '%s' is below the Armature modifier and is applied only in rest "
                        "position. Move it above" % (thing.name, modifier.name))
    keys = thing.data.shape_keys
    if keys and keys.animation_data and (keys.animation_data.action or keys.animation_data.drivers):
        report.warn("%s: MD5 cannot store shape key animation; current values are exported"
                    % thing.name)


def _split(thing, mesh, world, rig, settings, report):
    mesh.calc_loop_triangles()
    count = len(mesh.loop_triangles)
    if not count:
        report.warn("%s has no faces; not exported" % thing.name)
        return []
    loops, corners = np.empty(count * 3, np.int32), np.empty(count * 3, np.int32)
    materials = np.empty(count, np.int32)
    mesh.loop_triangles.foreach_get("loops", loops)
    mesh.loop_triangles.foreach_get("vertices", corners)
    mesh.loop_triangles.foreach_get("material_index", materials)
    places = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get("co", places)
    world = to_file(settings) @ world
    points = maths.apply(world, places.reshape(-1, 3).astype(np.float64))
    uvs = _uvs(thing, mesh, loops, report)
    # Counter-clockwise becomes clockwise, unless the object's scale mirrors it.
    turned = (0, 2, 1) if np.linalg.det(world[:3, :3]) > 0 else (0, 1, 2)
    weights = _weights(thing, mesh, rig, float(np.ptp(points, axis=0).max()), report)
    skins = []
    used = sorted(set(materials.tolist()))
    for number in used:
        mine = np.repeat(materials == number, 3)
        name, shader = _names(thing, mesh, number, len(used) > 1)
        skins.append(_part(name, shader, points, corners[mine], uvs[mine], turned, weights,
                           _is_below(thing, rig.armature)))
    return skins


def _is_below(thing, above):
    while thing and thing != above:
        thing = thing.parent
    return thing == above


def _names(thing, mesh, number, several):
    material = mesh.materials[number] if number < len(mesh.materials) else None
    if not material:
        return thing.name, thing.name
    shader = str(material.get("md5_shader", material.name))
    return (thing.name + "_" + material.name if several else thing.name), shader


def _uvs(thing, mesh, loops, report):
    layer = next((layer for layer in mesh.uv_layers if layer.active_render), None)
    if not layer:
        report.warn("%s has no UV map; all UVs are set to 0" % thing.name)
        return np.zeros((len(loops), 2))
    uvs = np.empty(len(mesh.loops) * 2, np.float32)
    layer.data.foreach_get("uv", uvs)
    uvs = uvs.reshape(-1, 2)[loops].astype(np.float64)
    uvs[:, 1] = 1 - uvs[:, 1]
    return uvs


def _part(name, shader, points, corners, uvs, turned, weights, carried):
    """Returns the triangles of one material. Vertices are in Blender's order, duplicated per UV."""
    found, keys, numbers = {}, [], []
    for vertex, u, v in zip(corners.tolist(), uvs[:, 0].tolist(), uvs[:, 1].tolist()):
        copies = found.setdefault(vertex, [])
        number = next((n for n in copies if abs(keys[n][1] - u) < SAME_UV
                       and abs(keys[n][2] - v) < SAME_UV), None)
        if number is None:
            number = len(keys)
            copies.append(number)
            keys.append((vertex, u, v))
        numbers.append(number)
    order = sorted(range(len(keys)), key=lambda n: keys[n][0])  # stable: keeps the order of UVs
    place = np.empty(len(keys), np.int64)
    place[order] = np.arange(len(keys))
    keys = [keys[n] for n in order]
    tris = place[np.array(numbers)].reshape(-1, 3)[:, turned]
    joints, biases, firsts = [], [], [0]
    for vertex, _, _ in keys:
        for joint, bias in weights[vertex]:
            joints.append(joint)
            biases.append(bias)
        firsts.append(len(joints))
    return Skin(name, shader, points[[key[0] for key in keys]],
                np.array([key[1:] for key in keys]), tris, np.array(joints), np.array(biases),
                np.array(firsts), carried)


def _weights(thing, mesh, rig, size, report):
    """Returns for each vertex its (joint, bias) pairs, largest first, with sum one, as in Blender's armature
    modifier."""
    if thing.parent == rig.armature and thing.parent_type == "BONE" and not any(
            modifier.type == "ARMATURE" for modifier in thing.modifiers):
        return [[(rig.joint_of.get(thing.parent_bone, 0), 1.0)]] * len(mesh.vertices)
    bones = rig.armature.data.bones
    joints = {}
    for group in thing.vertex_groups:
        bone = bones.get(group.name)
        if bone and bone.use_deform and group.name in rig.joint_of:
            joints[group.index] = rig.joint_of[group.name]
    shares, free = [], 0
    for vertex in mesh.vertices:
        share = {}
        for part in vertex.groups:
            joint = joints.get(part.group)
            if joint is not None and part.weight > 0:
                share[joint] = share.get(joint, 0.0) + part.weight
        if sum(share.values()) <= 1e-4:  # Blender's threshold for "no weights"
            share = {0: 1.0}
            free += 1
        shares.append(sorted(share.items(), key=lambda pair: (-pair[1], pair[0])))
    if free:
        report.warn("%s: %d vertices are in no vertex group of a bone; assigned to bone '%s'"
                    % (thing.name, free, rig.names[0]))
    digits = encode.bias_digits(size, max(len(share) for share in shares), rig.settings.accuracy)
    return [_rounded(share, digits) for share in shares]


def _rounded(share, digits):
    biases = encode.rounded_biases([bias for _, bias in share], digits)
    return [(joint, float(bias)) for (joint, _), bias in zip(share, biases) if bias > 0]


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

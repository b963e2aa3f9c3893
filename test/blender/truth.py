"""Runs in Blender: writes Blender's evaluation of the scene for compare.py. It shares no code or method with
the add-on: it uses mathutils instead of numpy, and the evaluated mesh instead of weights."""

import json
import math
from array import array

import bpy
from mathutils import Matrix

QUARTERS = {"X": 0, "-Y": 1, "-X": 2, "Y": 3}


def space(forward, scale):
    return Matrix.Rotation(QUARTERS[forward] * math.pi / 2, 4, "Z") @ Matrix.Scale(scale, 4)


def _matrix_rows(matrix, rest, bone_axis):
    """Returns the 3x4 matrix of a joint: unit axes, in the order of the file."""
    axes = [matrix.col[n].to_3d().normalized() for n in range(3)]
    if bone_axis == "X":
        axes = [axes[1], axes[2], axes[0]]
    if bone_axis == "MODEL":
        rotation = matrix.to_3x3().normalized() @ rest.to_3x3().normalized().transposed()
        axes = [rotation.col[n] for n in range(3)]
    position = matrix.translation
    return [value for row in range(3) for value in
            (axes[0][row], axes[1][row], axes[2][row], position[row])]


def joints(armature, names, to_file, bone_axis, bind_matrix):
    """Returns the 3x4 matrix of each joint in the current pose, in the space of the file. `names` contains
    the bones in the order of the file, and None for the added root. `bind_matrix` is the matrix of the
    armature in the bind pose."""
    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    unit = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]
    return [unit if name is None else
            _matrix_rows(to_file @ evaluated.matrix_world @ evaluated.pose.bones[name].matrix,
                         to_file @ bind_matrix @ armature.data.bones[name].matrix_local, bone_axis)
            for name in names]


class Parts:
    """The triangles of objects in the rest position, one part per object and material. In another pose
    Blender can triangulate a polygon differently; the vertices are the same."""

    def __init__(self, objects, to_file, bind_matrix):
        self.to_file, self.bind_matrix, self.parts, self.uvs = to_file, bind_matrix, [], []
        for obj in objects:
            evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
            mesh = evaluated.to_mesh()
            mesh.calc_loop_triangles()
            # Triangles of the file are clockwise. A mirrored object reverses them.
            order = (0, 2, 1) if evaluated.matrix_world.determinant() > 0 else (0, 1, 2)
            layer = mesh.uv_layers.active
            parts_by_material = {}
            for tri in mesh.loop_triangles:
                vertices, uvs = parts_by_material.setdefault(tri.material_index, ([], []))
                vertices += [tri.vertices[corner] for corner in order]
                for corner in order:
                    u, v = layer.data[tri.loops[corner]].uv if layer else (0.0, 1.0)
                    uvs.append([u, 1.0 - v])
            evaluated.to_mesh_clear()
            for material in sorted(parts_by_material):
                self.parts.append((obj, parts_by_material[material][0]))
                self.uvs.append(parts_by_material[material][1])

    def counts(self):
        """Returns the number of vertices that each part needs: one per Blender vertex and UV."""
        result = []
        for (_, vertices), uvs in zip(self.parts, self.uvs):
            uvs_by_vertex = {}
            for vertex, uv in zip(vertices, uvs):
                copies = uvs_by_vertex.setdefault(vertex, [])
                if all(max(abs(uv[0] - u), abs(uv[1] - v)) > 1e-6 for u, v in copies):
                    copies.append(uv)
            result.append(sum(len(copies) for copies in uvs_by_vertex.values()))
        return result

    def points(self):
        """Returns for each part the current positions of its object's vertices: x, y, z in sequence."""
        result, depsgraph = [], bpy.context.evaluated_depsgraph_get()
        for obj, _ in self.parts:
            evaluated = obj.evaluated_get(depsgraph)
            world = self.to_file @ evaluated.matrix_world
            mesh = evaluated.to_mesh()
            result.append(array("f", [coordinate for vertex in mesh.vertices
                                      for coordinate in world @ vertex.co]))
            evaluated.to_mesh_clear()
        return result


def sample_frames(first, last):
    """Returns ten frames, or all frames if there are fewer."""
    count = last - first + 1
    return sorted({round(n * (count - 1) / 9) for n in range(10)})


def clip(armature, parts, names, bone_axis, file, first, last, rate):
    """Evaluates a clip. The scene must already play the action that the file should contain."""
    result = {"file": file, "frames": last - first + 1, "rate": rate, "samples": []}
    for frame in sample_frames(first, last):
        bpy.context.scene.frame_set(first + frame)
        result["samples"].append({
            "frame": frame, "joints": joints(armature, names, parts.to_file, bone_axis, parts.bind_matrix),
            "points": parts.points()})
    return result


def rest(armature, objects, names, to_file, bone_axis):
    """Returns the bind pose, and the parts that return other poses."""
    armature.data.pose_position = "REST"
    bpy.context.view_layer.update()
    parts = Parts(objects, to_file, armature.matrix_world.copy())
    result = {"joints": joints(armature, names, to_file, bone_axis, parts.bind_matrix),
              "points": parts.points(),
              "corners": [vertices for _, vertices in parts.parts], "uvs": parts.uvs}
    armature.data.pose_position = "POSE"
    bpy.context.view_layer.update()
    return result, parts


def write(path, data):
    """Writes JSON, and the large arrays to NAME.bin in the same folder; the JSON contains their lengths."""
    with open(path, "w", encoding="utf-8") as file, open(path + ".bin", "wb") as numbers:
        def write_array(values):
            values.tofile(numbers)
            return len(values)
        json.dump(data, file, default=write_array)

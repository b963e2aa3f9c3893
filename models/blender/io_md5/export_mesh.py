"""Exports an armature and its meshes to .md5mesh, and its clips to .md5anim."""

import os

import numpy as np

from . import encode, export_anim, maths, skin
from .rig import Rig, find_armature, scene_options, pose_position
from .settings import command_line, completed, some
from .text import Md5Error, Mesh, Model, model_text, save


def export_model(context, path, settings, report):
    """Writes `path` and one .md5anim per clip in the same folder. Creates all texts before it writes the
    first file, so a failing export leaves no files."""
    if context.mode != "OBJECT":
        raise Md5Error("Switch to Object Mode first")
    settings = completed(settings, "Y", scene_options(context))
    rig = Rig(find_armature(context), settings)
    with pose_position(context, rig.armature, "REST"):
        rig.settle()
        skins = skin.collect(context, rig, settings, report)
    if settings.with_mesh and not skins:
        raise Md5Error("No %s mesh has an Armature modifier for '%s'" % (
            "selected" if settings.selected_only else "visible", rig.armature.name))
    positions, rotations, read = encode.encode_bind(rig.bind, settings.accuracy)
    texts = {}
    if settings.with_mesh:
        model = Model([str(name) for name in rig.names], rig.parents, positions.tolist(),
                      rotations.tolist(),
                      [_mesh(mesh, read, settings) for mesh in skins], bones=rig.shapes())
        texts[path] = model_text(command_line(settings, rig.has_origin), model)
        _check_names(rig, skins, report)
    for name, text in export_anim.clips(context, rig, read, skins, settings, report,
                                        os.path.splitext(os.path.basename(path))[0]):
        clip_path = os.path.join(os.path.dirname(path), name + ".md5anim")
        if clip_path in texts:
            raise Md5Error("Two actions would be written to the same file %s.md5anim. Rename one" % name)
        texts[clip_path] = text
    save(texts)
    report.info("%d bones, %d meshes, %d vertices, %d triangles, %d actions" % (
        len(rig.names), len(skins), sum(len(mesh.points) for mesh in skins),
        sum(len(mesh.tris) for mesh in skins), len(texts) - bool(settings.with_mesh)))
    return sorted(texts)


def _mesh(mesh, read, settings):
    digits = encode.first_digits(settings.accuracy)
    points = np.repeat(mesh.points, np.diff(mesh.firsts), axis=0)
    offsets = np.round(maths.apply(maths.inverse(read)[mesh.joints], points), digits)
    firsts = mesh.firsts.tolist()
    return Mesh(mesh.name, mesh.shader, mesh.uvs.tolist(),
                [(first, after - first) for first, after in zip(firsts, firsts[1:])],
                mesh.tris.tolist(),
                list(zip(mesh.joints.tolist(), mesh.biases.tolist(), offsets.tolist())))


def _check_names(rig, skins, report):
    odd = [name for name in rig.names + [mesh.shader for mesh in skins] if '"' in name]
    if odd:
        report.warn("MD5 names cannot contain double quotes; replaced by single quotes: %s"
                    % some(odd))

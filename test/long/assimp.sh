#!/bin/sh
# Import of FBX and Collada through libassimp, of a character that Blender creates here. Its glTF export, which is read
# without libassimp, defines the expected vertices.
. test/build/report.sh
blender=${BLENDER:-blender}
if ! "${PKG_CONFIG:-pkg-config}" --exists assimp; then
    skip 'FBX and Collada' 'libassimp not found'
    finish
fi
tool=$PWD/build/assimp/md5tool
check 'the tool is built with libassimp' make --no-print-directory ASSIMP=yes BUILD=build/assimp build/assimp/md5tool
check 'third-party FBX files have the vertices of their programs' env MD5_BUILD=build/assimp sh test/convert/fbx.sh
if ! command -v "$blender" >/dev/null; then
    skip 'FBX and Collada of Blender' 'blender not found'
    finish
fi

cat >"$scratch/make.py" <<'END'
import math
import sys

import bpy
import numpy

numpy.bool = bool  # Blender 3.4 uses it, and numpy 1.24 lacks it
out = sys.argv[sys.argv.index("--") + 1]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = 24
bones = bpy.data.armatures.new("Rig")
rig = bpy.data.objects.new("Armature", bones)
bpy.context.collection.objects.link(rig)
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode="EDIT")
parent = None
for i, name in enumerate(("root", "mid", "tip", "hand")):  # the last one moves no vertices
    bone = bones.edit_bones.new(name)
    bone.head, bone.tail, bone.parent = (0, 0, i * 0.5), (0, 0, i * 0.5 + 0.5), parent
    parent = bone
bpy.ops.object.mode_set(mode="OBJECT")
rings = [(0.2 * math.cos(k * math.pi / 4), 0.1 * math.sin(k * math.pi / 4), z * 0.5) for z in range(4) for k in range(8)]
mesh = bpy.data.meshes.new("tube")
mesh.from_pydata(rings, [], [(8 * z + k, 8 * z + (k + 1) % 8, 8 * z + 8 + (k + 1) % 8, 8 * z + 8 + k)
                             for z in range(3) for k in range(8)])
coords = mesh.uv_layers.new(name="uv")
for loop in mesh.loops:
    at = mesh.vertices[loop.vertex_index].co
    coords.data[loop.index].uv = (0.5 + at.x, at.z / 1.5)
mesh.materials.append(bpy.data.materials.new("skin"))
tube = bpy.data.objects.new("tube", mesh)
bpy.context.collection.objects.link(tube)
for name, levels in (("root", (0, 1)), ("mid", (1, 2)), ("tip", (2, 3))):
    group = tube.vertex_groups.new(name=name)
    for v in range(32):
        if v // 8 in levels:
            group.add([v], 0.5 if v // 8 in (1, 2) else 1.0, "REPLACE")
tube.parent = rig
tube.modifiers.new("Armature", "ARMATURE").object = rig
rig.animation_data_create()
for name, axis, frames in (("bend", 0, 12), ("wave", 2, 24)):
    action = bpy.data.actions.new(name)
    action.use_fake_user = True
    rig.animation_data.action = action
    for frame in range(frames + 1):
        for bone in rig.pose.bones:
            bone.rotation_mode = "XYZ"
            angles = [0, 0, 0]
            if bone.name != "root":
                angles[axis] = math.radians(45) * frame / frames
            bone.rotation_euler = angles
            bone.keyframe_insert("rotation_euler", frame=frame)
        rig.pose.bones["root"].location = (0, 0, 0.1 * frame / frames)
        rig.pose.bones["root"].keyframe_insert("location", frame=frame)
for folder, options in (("plain", {}), ("units", {"apply_scale_options": "FBX_SCALE_ALL"}),
                        ("up", {"axis_up": "Z", "axis_forward": "Y"})):
    bpy.ops.export_scene.fbx(filepath=out + "/" + folder + ".fbx", bake_anim_use_all_actions=True,
                             bake_anim_use_nla_strips=False, **options)
bpy.ops.export_scene.fbx(filepath=out + "/clips.fbx", object_types={"ARMATURE"}, bake_anim_use_all_actions=True,
                         bake_anim_use_nla_strips=False)
bpy.ops.wm.collada_export(filepath=out + "/plain.dae")
bpy.ops.export_scene.gltf(filepath=out + "/true.glb", export_format="GLB")
END
mkdir "$scratch/made"
make_files_with_blender() {
    "$blender" -b --factory-startup --python-exit-code 1 --python "$scratch/make.py" -- "$scratch/made" >"$scratch/log" 2>&1 ||
        { tail -n 5 "$scratch/log"; false; }
}
check 'Blender creates a character' make_files_with_blender

# print_posed_vertices FOLDER CLIP FRAME: prints the skin, sorted, so that the order of vertices does not matter.
print_posed_vertices() {
    "$tool" dump "$1"/*.md5mesh "$1/$2.md5anim" --frame "$3" | awk '$1 == "v" { printf "%.2f %.2f %.2f\n", $2 + 500, $3 + 500, $4 + 500 }' |
        sort -u
}
converts() { # FILE CLIP FRAMES: checks that each vertex is within 0.02 units of a vertex of the glTF file
    rm -rf "$scratch/it" "$scratch/true" && mkdir "$scratch/it" "$scratch/true" &&
        "$tool" convert "$scratch/made/$1" -o "$scratch/it" && "$tool" convert "$scratch/made/true.glb" -o "$scratch/true" || return 1
    for frame in $3; do
        print_posed_vertices "$scratch/it" "$2" "$frame" >"$scratch/a" && print_posed_vertices "$scratch/true" "$2" "$frame" >"$scratch/b" &&
            [ "$(wc -l <"$scratch/b")" -ge 32 ] || return 1
        awk -v frame="$frame" 'NR == FNR { x[NR] = $1; y[NR] = $2; z[NR] = $3; n = NR; next }
            { near = 1e9
              for (i = 1; i <= n; i++) {
                  d = (x[i] - $1) ^ 2 + (y[i] - $2) ^ 2 + (z[i] - $3) ^ 2
                  if (d < near) near = d
              }
              if (near > 0.02 ^ 2) { print "frame " frame ": " $0 " is " sqrt(near) " away"; exit 1 } }' \
            "$scratch/b" "$scratch/a" || return 1
    done
}
check 'FBX with its scale in the nodes is read' converts plain.fbx bend '0 5 12'
has_four_joints() {
    "$tool" info "$scratch/it/plain.md5mesh" | grep -q '^  joints  *4$'
}
check 'bones become joints, also a bone without vertices' has_four_joints
check 'the second clip of an FBX file is read' converts plain.fbx wave '0 7 24'
check 'FBX with its scale as a unit is read' converts units.fbx bend '0 5 12'
check 'FBX with z up is read' converts up.fbx wave '0 7 24'
reads_collada_clip() { # one clip, of an unknown name
    rm -rf "$scratch/it" && mkdir "$scratch/it" && "$tool" convert "$scratch/made/plain.dae" -o "$scratch/it" &&
        has_four_joints && [ "$(find "$scratch/it" -name "*.md5anim" | wc -l)" -eq 1 ]
}
check 'Collada' reads_collada_clip
reads_clips_without_model() { # in meters and inches like the character
    rm -rf "$scratch/it" && mkdir "$scratch/it" && "$tool" convert "$scratch/made/clips.fbx" -o "$scratch/it" 2>"$scratch/notes" &&
        grep -q 'scale is 39.3701' "$scratch/notes" && [ -e "$scratch/it/bend.md5anim" ] && [ -e "$scratch/it/wave.md5anim" ]
}
check 'clips without a model are read' reads_clips_without_model

fails_soon() { # TEXT: the command must fail soon, with one line
    ! timeout 60 "$tool" convert "$scratch/bad.fbx" -o "$scratch/bad.md5mesh" 2>"$scratch/err" && grep -q "error: libassimp" "$scratch/err" &&
        [ ! -e "$scratch/bad.md5mesh" ]
}
rejects_damaged_files() {
    for size in 0 30 1000 20000; do
        head -c "$size" "$scratch/made/plain.fbx" >"$scratch/bad.fbx"
        [ "$size" -gt 0 ] || echo 'no FBX file' >"$scratch/bad.fbx"
        fails_soon || { cat "$scratch/err"; return 1; }
    done
}
check 'truncated files are errors' rejects_damaged_files
finish

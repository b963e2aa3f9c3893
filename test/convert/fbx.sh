#!/bin/sh
# Import of FBX, if md5tool is built with libassimp: files of Maya, 3ds Max and MotionBuilder with the vertices that these
# programs displayed in a frame; our own file with transforms that those files do not contain.
. test/build/report.sh
tool=$products/md5tool
: >"$scratch/none.fbx"
"$tool" convert "$scratch/none.fbx" -o "$scratch/none.md5mesh" >"$scratch/notes" 2>&1
if grep -q libassimp, "$scratch/notes"; then
    check 'a build without libassimp prints how to install it' grep -q 'error: .*built without libassimp; install libassimp and jansson (Debian: libassimp-dev, libjansson-dev) and build again' "$scratch/notes"
    finish
fi

# Converts a file to centimeters, the unit of the files with the expected vertices.
convert_fbx() { # FILE OPTION...
    name=$(basename "${1%.*}")
    rm -rf "$scratch/it"
    "$tool" convert "$@" --scale 100 --output "$scratch/it" >"$scratch/notes" 2>&1 || {
        cat "$scratch/notes"
        false
    }
}
vertices_match() { # CLIP FRAME OBJ [LIMIT]
    "$tool" dump "$scratch/it/$name.md5mesh" "$scratch/it/$1.md5anim" --frame "$2" >"$scratch/dump" &&
        python3 test/convert/fbx.py shown "$3" "$scratch/dump" "${4:-1e-5}"
}

python3 test/convert/fbx.py write "$scratch/own.fbx"
check 'rotations before and after the rotation of a clip are applied' convert_fbx "$scratch/own.fbx"
check '... and geometric transforms of a skinned mesh' vertices_match turn 1 "$scratch/own.fbx.obj" 1e-4
python3 test/convert/fbx.py free "$scratch/free.fbx"
check 'vertices without weights are accepted' convert_fbx "$scratch/free.fbx"
check '... and follow their mesh' vertices_match turn 1 "$scratch/free.fbx.obj" 1e-4

# libassimp reads numbers of more than 31 characters as 0.
sed 's/a: 0,0,0,9,0,0,0,5,/a: 0,0,0,9.0000000000000000000000000000000000000,0,0,0,00000000000000000000000000000000000005,/' "$scratch/own.fbx" >"$scratch/long.fbx"
check 'long numbers are accepted' convert_fbx "$scratch/long.fbx"
check '... and have their values' vertices_match turn 1 "$scratch/own.fbx.obj" 1e-4

# The edges of this polygon cross. libassimp divides it without two of its triangles.
sed 's/\*12 { a: 0,0,0,9,0,0,0,5,0,0,0,3 }/*30 { a: 0,0,0,9,0,0,0,5,0,0,0,3,4,6,0,6,6,0,0,2,0,0,3,0,6,3,0,3,5,0 }/; s/\*12 { a: 0,1,-3,0,3,-2,0,2,-4,1,3,-3 }/*18 { a: 0,1,-3,0,3,-2,0,2,-4,1,3,-3,4,5,6,7,8,-10 }/' "$scratch/own.fbx" >"$scratch/crossed.fbx"
# Four corners of this polygon are nearly on a line. libassimp loses two of its triangles.
sed 's/\*12 { a: 0,0,0,9,0,0,0,5,0,0,0,3 }/*30 { a: 0,0,0,9,0,0,0,5,0,0,0,3,0,0,-65,0,0,-2,3,4.000001,-2,3,4,-51,2.999999,4,-57,2.999999,4.000001,-65 }/; s/\*12 { a: 0,1,-3,0,3,-2,0,2,-4,1,3,-3 }/*18 { a: 0,1,-3,0,3,-2,0,2,-4,1,3,-3,4,5,6,7,8,-10 }/' "$scratch/own.fbx" >"$scratch/straight.fbx"
divides_straight_polygon() {
    convert_fbx "$scratch/straight.fbx" && grep -q 'numtris 8' "$scratch/it/straight.md5mesh" && ! grep 'triangles are missing' "$scratch/notes"
}
check 'a polygon with corners on a line is divided completely' divides_straight_polygon

no_keys_were_lost() {
    ! grep 'keys more than one frame apart' "$scratch/notes"
}
# Content that MD5 or libassimp does not support is rejected; --force converts the rest.
edit_fbx() { # SED NAME
    sed "$1" "$scratch/own.fbx" >"$scratch/$2.fbx"
}
check_rejected_unless_forced() { # NAME REASON
    check "$1 is rejected" exits_with 1 "$2" "$tool" convert "$scratch/$1.fbx" -o "$scratch/no.md5mesh"
    check '... and accepted with --force' convert_fbx "$scratch/$1.fbx" --force
}
check_rejected_unless_forced crossed '2 of 8 triangles are missing: some polygons intersect themselves; triangulate the meshes before you export the file'
edit_fbx 's/Version: 101 }/Version: 101\nSkinningType: "DualQuaternion" }/' dual
check_rejected_unless_forced dual 'dual quaternion skinning is not supported'
edit_fbx 's/Version: 101 }/Version: 101\nSkinningType: "Blend"\nBlendWeights: *4 { a: 0,0,0.5,0 } }/' blend
check_rejected_unless_forced blend 'dual quaternion skinning is not supported'
edit_fbx 's/Version: 101 }/Version: 101\nSkinningType: "Blend"\nBlendWeights: *4 { a: 0,0,0,0 } }/' linear
check 'a linear blend is accepted' convert_fbx "$scratch/linear.fbx"
edit_fbx 's/^Objects: {/&\nDeformer: 12, "SubDeformer::b", "BlendShapeChannel" { DeformPercent: 50 }/' morph
check_rejected_unless_forced morph 'morph targets'
edit_fbx 's/^        LayerElementMaterial: 0 {/        Shape: "wide" { Indexes: *1 { a: 1 }\nVertices: *3 { a: 1,0,0 }\n}\n&/' shape
edit_fbx 's/^Objects: {/&\nDeformer: 12, "Deformer::c", "VertexCacheDeformer" { Version: 100 }/' cache
check_rejected_unless_forced cache 'vertex caches, which contain the vertices of each frame, are not supported'
edit_fbx 's/^Objects: {/Definitions: {\nPropertyTemplate: "FbxVertexCacheDeformer" { }\n}\n&/' template
check 'the definition of vertex caches without a cache is accepted' convert_fbx "$scratch/template.fbx"
check_rejected_unless_forced shape 'morph targets in the form of FBX 6'
# libassimp discards curves between keys; they are read from the file, as text and with compressed arrays.
for form in text binary; do
    python3 test/convert/fbx.py curve "$scratch/$form.fbx" "$form"
    check "$form: curves between keys are evaluated" convert_fbx "$scratch/$form.fbx"
    check '... without a loss' no_keys_were_lost
    for frame in 4 9 15 20 30 42; do
        check "... frame $frame" vertices_match turn $frame "$scratch/$form.fbx.$frame.obj" 1e-4
    done
done
# A second layer without curves adds a rotation of 0, so the pose does not change.
edit_fbx 's/1924423250/19244232500/; s/a: 4 }/a: 8 }/; s/^Objects: {/&\nAnimationLayer: 17, "AnimLayer::m", "" { }\nAnimationCurveNode: 18, "AnimCurveNode::R", "" { }/
    s/^Connections: {/&\nC: "OO",7,6\nC: "OO",17,6\nC: "OO",18,17\nC: "OP",18,3, "Lcl Rotation"/; /^    C: "OO",7,6/d' layers
check 'two layers are blended' convert_fbx "$scratch/layers.fbx"
check '... and the second layer has no motion' vertices_match turn 10 "$scratch/own.fbx.obj" 1e-4
edit_fbx 's/^Objects: {/&\nAnimationLayer: 17, "AnimLayer::muted", "" { Properties70: {\nP: "Mute", "bool", "", "",1\n} }\nAnimationCurveNode: 18, "AnimCurveNode::R", "" { }/
    s/^Connections: {/&\nC: "OO",17,6\nC: "OO",18,17\nC: "OP",18,3, "Lcl Rotation"\nC: "OP",9,18, "d|X"/' muted
check 'a muted layer is skipped' convert_fbx "$scratch/muted.fbx"
check '... and reported' grep -q "skipped animation layer 'muted'" "$scratch/notes"
check '... without an effect' vertices_match turn 1 "$scratch/own.fbx.obj" 1e-4
# A model whose rotation space is not active has neither a rotation order nor rotations before and after its rotation. The flag can
# be in the template of all models. The vertices were computed with ufbx.
printf 'v %s\n' '16.31163 32.48209 18.37519' '9.069075 29.49779 13.94355' '13.55446 36.10564 20.44107' '16.97117 34.29415 16.07706' >"$scratch/inactive.obj"
printf 'v %s\n' '36.61192 -6.685623 -4.506728' '31.33051 -2.253988 1.27836' '40.0247 -7.316902 -0.9074968' '37.91875 -4.10214 -5.292736' >"$scratch/active.obj"
write_euler_order() { # SED NAME: three angles in the order z, x, y
    edit_fbx "s/a: 0,90/a: 0,50/
        s/^    AnimationCurveNode: 8.*/    AnimationCurveNode: 8, \"AnimCurveNode::R\", \"\" { Properties70: {\nP: \"d|X\", \"Number\", \"\", \"A\",40\nP: \"d|Z\", \"Number\", \"\", \"A\",70\n} }/
        s/^            P: \"PostRotation\".*/&\n            P: \"RotationOrder\", \"enum\", \"\", \"\",4/
        $1" "$2"
}
write_euler_order_with_flag() { # NAME VALUE
    write_euler_order "s/^            P: \"PreRotation\"/            P: \"$1\", \"bool\", \"\", \"\",$2\n&/" "$1"
}
write_euler_order '' unflagged
write_euler_order_with_flag RotationActive 0
write_euler_order_with_flag RotationSpaceForLimitOnly 1
write_euler_order 's/^Objects: {/Definitions: {\nObjectType: "Model" { PropertyTemplate: "FbxNode" { Properties70: {\nP: "RotationActive", "bool", "", "",0\n} } }\n}\n&/' template
for row in unflagged:active RotationActive:inactive RotationSpaceForLimitOnly:inactive template:inactive; do
    check "rotation space: ${row%:*}" convert_fbx "$scratch/${row%:*}.fbx"
    check "... is ${row#*:}" vertices_match turn 1 "$scratch/${row#*:}.obj" 1e-4
done
# In a file without a clip, the rest pose shows the effect: here on a mesh below the node.
edit_fbx '/^    AnimationStack/d; /^    AnimationLayer/d; /"OO",7,6/d; /"OO",8,7/d; /"OP"/d; /"OO",[35],/d; /"OO",4,1/d; /P: "Geometric/d
    s/"OO",2,0/"OO",2,3\nC: "OO",3,0/; s/^            P: "Lcl Translation"/P: "RotationActive", "bool", "", "",0\nP: "RotationOrder", "enum", "", "",4\nP: "Lcl Rotation", "Lcl Rotation", "", "A",40,50,70\n&/' still
printf 'v %s\n' '1 2 3' '2.978617 7.436205 -3.8944' '-1.757171 5.623555 5.065879' '3.414185 2.994764 4.477211' >"$scratch/still.obj"
bind_pose_matches() { # NAME
    "$tool" dump "$scratch/it/$1.md5mesh" | sed -n 's/^bv /v /p' >"$scratch/dump" &&
        python3 test/convert/fbx.py shown "$scratch/$1.obj" "$scratch/dump" 1e-4
}
check 'rotation space: a file without a clip' convert_fbx "$scratch/still.fbx"
check '... has the rest pose of ufbx' bind_pose_matches still
# Geometric transforms apply to the mesh of a node, but not to its children: here a child that is rotated and uses the same
# mesh. The rotation order of the node does not apply to them.
edit_fbx '/^    AnimationStack/d; /^    AnimationLayer/d; /"OO",7,6/d; /"OO",8,7/d; /"OP"/d; /"OO",[35],/d; /"OO",4,1/d
    s/"OO",2,0/&\nC: "OO",3,2\nC: "OO",1,3/; s/^            P: "Lcl Translation"/P: "Lcl Rotation", "Lcl Rotation", "", "A",40,50,70\n&/
    s/^            P: "GeometricRotation".*/P: "GeometricScaling", "Vector3D", "Vector", "",3,1,0.5\nP: "GeometricRotation", "Vector3D", "Vector", "",20,90,30\nP: "RotationOrder", "enum", "", "",5/' geometric
printf 'v %s\n' '10 20 30' '10 20 3' '9.13175911 24.9240388 30' '11.4772116 20.2604723 30' '1 2 3' '5.96290839 5.7185832 -3.52239827' '2.09923155 5.83022222 6.02011387' '3.4141853 0.52278837 3.99476387' >"$scratch/geometric.obj"
check 'geometric transforms of a node with a child' convert_fbx "$scratch/geometric.fbx"
check '... give the vertices of ufbx' bind_pose_matches geometric
# Tests how scale is inherited. Columns: the file; the types of inheritance, 0 to 2, of three joints; their scales along x, y and
# z.
while read -r file types scales; do
    python3 test/convert/fbx_scale.py "$scratch/$file.fbx" "$types" "$scales"
    check "inheritance of scale: $file" convert_fbx "$scratch/$file.fbx"
    for frame in 0 6 12 24; do
        check "... frame $frame" vertices_match turn $frame "$scratch/$file.fbx.$frame.obj" 1e-4
    done
done <<END
usual 111 2,2,2,1,1,1,1,1,1
without_parent 122 2,2,2,3,3,3,1,1,1
without_parent_uneven 122 1,2,3,2,1,1,1,1,2
by_axis 000 1,2,3,2,1,1,1,1,2
by_axis_from_usual 102 1,2,3,2,1,1,1,1,2
without_parent_then_by_axis 120 1,2,3,2,1,1,1,1,2
without_parent_then_usual 121 1,2,3,2,2,2,1,1,2
negative 122 -1,-2,-3,2,1,1,1,1,2
END
python3 test/convert/fbx_scale.py "$scratch/mirrored.fbx" 122 -1,2,3,1,1,1,1,1,1
check_rejected_unless_forced mirrored "node 'joint1' does not inherit the scale of 'joint0' in the usual way"
# Nodes with equal names: two joints, or a joint and the mesh. libassimp receives the file with other names.
python3 test/convert/fbx_scale.py "$scratch/names.fbx" 122 2,2,2,1,1,1,1,1,1
sed 's/Model::joint2/Model::joint1/' "$scratch/names.fbx" >"$scratch/joints.fbx"
sed 's/Model::joint1/Model::mesh/' "$scratch/names.fbx" >"$scratch/mesh.fbx"
python3 test/convert/fbx.py binary "$scratch/joints.fbx" "$scratch/binary_joints.fbx"
for file in joints binary_joints mesh; do
    check "nodes with equal names: $file" convert_fbx "$scratch/$file.fbx"
    check '... keep their motion' vertices_match turn 12 "$scratch/names.fbx.12.obj" 1e-4
done
check '... and their name' grep -q '"mesh"	0' "$scratch/it/mesh.md5mesh"
sed 's/Model::joint[12]/Model::/' "$scratch/names.fbx" >"$scratch/nameless.fbx"
check 'nodes without names' convert_fbx "$scratch/nameless.fbx" --force
check '... are reported' grep -q "several nodes have the name ''" "$scratch/notes"
# A damaged curve of a second layer.
edit_fbx 's/^Objects: {/&\nAnimationLayer: 17, "AnimLayer::top", "" { }\nAnimationCurveNode: 18, "AnimCurveNode::R", "" { }\nAnimationCurve: 19, "AnimCurve::", "" {\nKeyTime: *2 { a: 5,5 }\nKeyValueFloat: *2 { a: 0,9 }\nKeyAttrFlags: *1 { a: 4 }\nKeyAttrDataFloat: *4 { a: 0,0,0,0 }\nKeyAttrRefCount: *1 { a: 2 }\n}/
    s/^Connections: {/&\nC: "OO",17,6\nC: "OO",18,17\nC: "OP",18,3, "Lcl Rotation"\nC: "OP",19,18, "d|X"/; /^    C: "OO",7,6/d; s/^Connections: {/&\nC: "OO",7,6/' top
check_rejected_unless_forced top "animation layer 'top' of node 'left::bone' cannot be blended with the layers below it"
# FBX 8 has another time unit: the clip lasts 1 s instead of 1/24 s divided by 327.
edit_fbx 's/FBXHeaderVersion: 1003/FBXHeaderVersion: 1004\nOtherFlags: { TCDefinition: 0 }/; s/1924423250/141120000/' unit
check 'a file with the time unit of FBX 8' convert_fbx "$scratch/unit.fbx"
check '... lasts one second' vertices_match turn 24 "$scratch/own.fbx.obj" 1e-4
edit_fbx 's/1924423250/19244232500/' line
check 'linear interpolation between keys is accepted' convert_fbx "$scratch/line.fbx"
check '... until the end of the clip' vertices_match turn 10 "$scratch/own.fbx.obj" 1e-4
edit_fbx 's/FBXVersion: 7400/FBXVersion: 6100/' old
check 'an old version is rejected with its number' exits_with 1 'error: unsupported FBX version 6100: expected 7100' "$tool" convert "$scratch/old.fbx" -o "$scratch/no.md5mesh"

# A mesh with normals is smooth: its triangles share vertices. Without normals it is flat.
edit_fbx 's/^        LayerElementMaterial: 0 {/        LayerElementNormal: 0 {\nMappingInformationType: "ByVertice"\nReferenceInformationType: "Direct"\nNormals: *12 { a: 0,0,-1,1,0,0,0,1,0,0,0,1 }\n}\n&/
    s/^        Layer: 0 {/&\nLayerElement: {\nType: "LayerElementNormal"\nTypedIndex: 0\n}/' smooth
for row in own:12 smooth:4; do
    check "${row%:*}" convert_fbx "$scratch/${row%:*}.fbx"
    check "... has ${row#*:} vertices" grep -q "numverts ${row#*:}$" "$scratch/it/${row%:*}.md5mesh"
done

edit_fbx 's/^        LayerElementMaterial: 0 {/        LayerElementUV: 0 {\nMappingInformationType: "ByVertice"\nReferenceInformationType: "Direct"\nUV: *8 { a: 0,0,1,0,1e99,1,0,1 }\n}\n&/
    s/^        Layer: 0 {/&\nLayerElement: {\nType: "LayerElementUV"\nTypedIndex: 0\n}/' infinite
check 'a texture coordinate that is not finite is replaced' convert_fbx "$scratch/infinite.fbx"
check '... and reported' grep -q 'replaced [1-9][0-9]* texture coordinates* by 0: expected finite numbers' "$scratch/notes"

# Of a subdivision surface only the control mesh is converted. A mesh with a smoothness of 1 is displayed without subdivision.
reports_subdivision() {
    for level in 1 2; do
        edit_fbx "s/^        Vertices:/        Smoothness: $level\n&/" smooth$level
        python3 test/convert/fbx.py binary "$scratch/smooth$level.fbx" "$scratch/binary_smooth$level.fbx"
        for form in '' binary_; do
            convert_fbx "$scratch/${form}smooth$level.fbx" || return 1
            [ "$(grep -c 'the control meshes of subdivision surfaces were converted without subdivision' "$scratch/notes")" = $((level - 1)) ] || return 1
        done
    done
}
check 'subdivision surfaces are reported, in text and binary files' reports_subdivision
edit_fbx 's/^Objects: {/&\nGeometry: 12, "Geometry::n", "NurbsSurface" { NurbsSurfaceOrder: 2,2 }\nModel: 13, "Model::n", "NurbsSurface" { }/; s/^Connections: {/&\nC: "OO",13,0\nC: "OO",12,13/' nurbs
check 'a file with a NURBS surface and a mesh' convert_fbx "$scratch/nurbs.fbx"
check '... reports the surface' grep -q 'NURBS surfaces were skipped; convert them to polygons before you export the file' "$scratch/notes"

# A file without a mesh and without a moving joint: the message describes its content.
edit_fbx '/"OO",1,2/d; /"OO",4,1/d; /^    C: "OP",8,3/d' bare
check 'a file of nodes is rejected with its content' exits_with 1 '4 nodes, no mesh, no moving joint; export polygons, or a skeleton with its animation' \
    "$tool" convert "$scratch/bare.fbx" -o "$scratch/no.md5mesh"
edit_fbx 's/1,2,-4,1,3,-3/0,2,-4/; s/0,1,-3,0,3,-2,0,2,-4,1,3,-3/0,-2,2,-4/; s/PolygonVertexIndex: \*12/PolygonVertexIndex: *4/; s/1924423250 }/0 }/; /"OO",4,1/d; /^    C: "OP",8,3/d' lines
check 'lines are reported' exits_with 1 "mesh 'g': skipped 0 points and 2 lines: only polygons are supported" "$tool" convert "$scratch/lines.fbx" -o "$scratch/no.md5mesh"
# Every loss is reported before --force is used.
edit_fbx 's/Version: 101 }/Version: 101\nSkinningType: "DualQuaternion" }/; s/^Objects: {/&\nDeformer: 12, "SubDeformer::b", "BlendShapeChannel" { DeformPercent: 50 }/' two
check 'the first of two losses is an error' exits_with 1 'error: libassimp: dual quaternion skinning is not supported by MD5; select linear skinning before you export the file; use --force' "$tool" convert "$scratch/two.fbx" -o "$scratch/no.md5mesh"
check '... the second loss is a note' exits_with 1 'two.fbx: morph targets that deform the rest pose were skipped' "$tool" convert "$scratch/two.fbx" -o "$scratch/no.md5mesh"
# The message of an error in libassimp contains advice.
head -c 900 "$scratch/own.fbx" >"$scratch/cut.fbx"
check 'a damaged file is rejected' exits_with 1 'error: libassimp cannot read the file: FBX-Parser' "$tool" convert "$scratch/cut.fbx" -o "$scratch/no.md5mesh"
check '... with advice' exits_with 1 '; export the file again, as glTF (.glb) if possible' "$tool" convert "$scratch/cut.fbx" -o "$scratch/no.md5mesh"

# Keys that are far apart are accepted for a pivot of a node whose curves are evaluated, and for a node that moves no vertex.
edit_fbx 's/1924423250/19244232500/; s/a: 4 }/a: 8 }/; s/^            P: "PostRotation"/            P: "RotationPivot", "Vector3D", "Vector", "",1,0,0\n&/' pivot
check 'a node with a pivot and few keys' convert_fbx "$scratch/pivot.fbx"
check '... has no loss' no_keys_were_lost
edit_fbx 's/1924423250/19244232500/; s/a: 4 }/a: 8 }/; s/^Objects: {/&\nModel: 30, "Model::twin", "Null" { }\nModel: 31, "Model::twin", "Null" { }/; s/^    C: "OP",8,3/    C: "OP",8,30/; s/^Connections: {/&\nC: "OO",30,0\nC: "OO",31,0/' apart
check 'a node that moves no vertex and has few keys' convert_fbx "$scratch/apart.fbx"
check '... has no loss' no_keys_were_lost

: >"$scratch/nothing.fbx"
check 'an empty file is reported' exits_with 1 'nothing.fbx: error: the file is empty: expected a model or an animation' "$tool" convert "$scratch/nothing.fbx" -o "$scratch/no.md5mesh"

# Clips of several files get the names of their files, because Mixamo gives all clips the same name.
edit_fbx 's/AnimStack::turn/AnimStack::mixamo.com/' walk
cp "$scratch/walk.fbx" "$scratch/run.fbx"
rm -rf "$scratch/it"
check 'a model and clips of three files are converted' "$tool" convert "$scratch/own.fbx" "$scratch/walk.fbx" "$scratch/run.fbx" --scale 100 -o "$scratch/it"
check '... with the names of the files' test -e "$scratch/it/turn.md5anim" -a -e "$scratch/it/walk.md5anim" -a -e "$scratch/it/run.md5anim"
name=own
check '... for one skeleton' vertices_match run 1 "$scratch/own.fbx.obj" 1e-4

# A clip without a mesh, as Mixamo exports it, gets its skeleton from the rest of its nodes. Retargeting to the same skeleton is
# exact.
retarget_fbx() { # FILE OPTION...: converts to the clip `carried` of that model
    "$tool" convert "$@" --mesh "$scratch/it/$name.md5mesh" --output "$scratch/it/carried.md5anim"
}
edit_fbx '/"OO",1,2/d; /"OO",4,1/d' alone
check 'a model' convert_fbx "$scratch/own.fbx"
check '... and a clip without a mesh for it' retarget_fbx "$scratch/alone.fbx"
check '... with the same motion' vertices_match carried 1 "$scratch/own.fbx.obj" 1e-4

# A material can have a color instead of an image. An image is found in a subfolder, even if its path in the file differs. Its type
# may be one that glTF does not support.
material='Material: 13, "Material::m", "" { Properties70: { P: "DiffuseColor", "Color", "", "A",0.2,0.5,1 } }'
texture='Texture: 14, "Texture::t", "" { RelativeFilename: "..\\Skins\\Coat.tga" }'
edit_fbx "s/^Objects: {/&\n$material/; s/^Connections: {/&\nC: \"OO\",13,2/" color
edit_fbx "s/^Objects: {/&\n$material\n$texture/; s/^Connections: {/&\nC: \"OO\",13,2\nC: \"OP\",14,13,\"DiffuseColor\"/" coat
mkdir -p "$scratch/skins"
check 'a color without an image is accepted' convert_fbx "$scratch/color.fbx"
check '... and reported' grep -q 'the color is the constant (0.2 0.5 1) instead of an image' "$scratch/notes"
find "$scratch/it" -name 'm.tga' -exec mv {} "$scratch/skins/coat.tga" ';'
check 'an image in a subfolder, of a type that glTF lacks, is found' convert_fbx "$scratch/coat.fbx"
check '... and used' test -e "$scratch/it/coat.tga"

files=${MD5_CORPUS:-/none}/foreign/fbx
if [ ! -d "$files" ]; then
    skip 'third-party FBX files' 'not in MD5_CORPUS'
    finish
fi
# FILE RESULT: `refused` and the reason; `read` or `forced`, the maximum error of vertices, and CLIP:FRAME:OBJ of each frame that
# the program displayed. A clip of the sausage begins with frame 1. In `kenney` a joint is rotated by nearly 180 degrees relative
# to its parent. MD5 does not store w, so this rotation has an error of 5e-5, relative to the size of 363 units.
wiggle='wiggle:9:maya_game_sausage_wiggle_10 wiggle:17:maya_game_sausage_wiggle_18'
spin='spin:7:maya_game_sausage_spin_7 spin:15:maya_game_sausage_spin_15'
while read -r file how limit rows; do
    case $how in
    refused)
        check "$file: $limit $rows" exits_with 1 "$limit $rows" "$tool" convert "$files/$file.fbx" -o "$scratch/no.md5mesh"
        continue
        ;;
    forced) set -- --force ;;
    *) set -- ;;
    esac
    check "$file: $how" convert_fbx "$files/$file.fbx" "$@"
    for row in $rows; do
        check "... $row" vertices_match "${row%%:*}" "$(echo "$row" | cut -d: -f2)" "$files/${row##*:}.obj" "$limit"
    done
done <<END
maya_game_sausage_7500_binary read 1e-5
maya_game_sausage_7500_binary_wiggle read 1e-5 $wiggle
maya_game_sausage_7500_binary_spin read 1e-5 $spin
maya_game_sausage_7500_binary_deform refused MD5 cannot store the scale of joint joint1 in clip deform
maya_game_sausage_7500_binary_combined refused MD5 cannot store the scale of joint joint1 in clip deform
maya_game_sausage_7500_binary_combined forced 1e-5 $wiggle $spin
maya_game_sausage_6100_ascii_wiggle refused unsupported FBX version 6100
max7_skin_5000_binary refused unsupported FBX version 5000
maya_kenney_character_7700_binary read 0.02 Take_001:4:maya_kenney_character_4 Take_001:9:maya_kenney_character_9
maya_transformed_skin_7700_ascii refused animates both the mesh 'pCube1' and the bones of its skin
maya_transformed_skin_7700_binary refused animates both the mesh 'pCube1' and the bones of its skin
motionbuilder_sausage_rrss_7700_binary refused MD5 cannot store the scale
blender_279_sausage_7400_binary read 1e-3
maya_skinned_pivot_7700_ascii read 1e-3
END
keys_of_every_frame_are_read() {
    convert_fbx "$files/maya_kenney_character_7700_binary.fbx" && ! grep 'keys more' "$scratch/notes"
}
check 'a file with a key for each frame needs no interpolation' keys_of_every_frame_are_read
sparse_keys_are_read() {
    convert_fbx "$files/maya_transformed_skin_7700_binary.fbx" --force && no_keys_were_lost
}
check 'a file with few keys needs no interpolation either' sparse_keys_are_read
rm -rf "$scratch/it"
sausage=maya_game_sausage_7500_binary
check 'a mesh and its clips in separate files are converted' "$tool" convert "$files/$sausage.fbx" "$files/${sausage}_wiggle.fbx" \
    "$files/${sausage}_spin.fbx" --scale 100 -o "$scratch/it"
name=$sausage
for row in $wiggle $spin; do
    check "... $row" vertices_match "${row%%:*}" "$(echo "$row" | cut -d: -f2)" "$files/${row##*:}.obj" 1e-5
done
finish

#!/bin/sh
# Tests of the import of glTF: clips in separate files, joints without weights, images, colors, names, folders and versions.
. test/build/report.sh
tool=$(realpath "$products/md5tool")
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

# write_dog FILE [KEY=VALUE...]: writes a dog with two joints, `top` 0.4 above `hips`. Its highest vertex, on `top`, is at 0.6.
# `unit` scales it. `mesh=0`: without a mesh; `move=JOINT`: a clip that rotates the joint by 90 degrees; `bind`: the scale of
# the inverse bind matrix of `top`; `name` of the clip; `json`: more members of the file.
write_dog() {
    python3 - "$@" <<'END'
import base64, json, struct, sys
given = {'unit': '1', 'mesh': '1', 'move': '', 'bind': '1', 'name': 'clip', 'json': '{}', 'material': '0'}
given.update(word.split('=', 1) for word in sys.argv[2:])
unit, bind = float(given['unit']), float(given['bind'])
data, views, accessors = b'', [], []
def put(form, kind, rows):
    global data
    made = b''.join(struct.pack('<' + form, *row) for row in rows)
    views.append({'buffer': 0, 'byteOffset': len(data), 'byteLength': len(made)})
    accessors.append({'bufferView': len(views) - 1, 'componentType': {'f': 5126, 'B': 5121, 'H': 5123}[form[-1]],
                      'count': len(rows), 'type': kind})
    data += made + b'\0' * (-len(made) % 4)
    return len(accessors) - 1
g = {'asset': {'version': '2.0'}, 'scene': 0, 'scenes': [{'nodes': [0]}],
     'nodes': [{'name': 'hips', 'children': [1]}, {'name': 'top', 'translation': [0, 0.4 * unit, 0]}]}
if given['mesh'] == '1':
    at = [(-0.06, 0, 0), (0.06, 0, 0), (0, 0.6, 0)]
    place = [0, -0.4 * unit, 0] if bind == 1 else [0, 0, 0]
    g['nodes'].append({'mesh': 0, 'skin': 0, 'name': 'body'})
    g['scenes'][0]['nodes'].append(2)
    g['meshes'] = [{'primitives': [{'attributes': {
        'POSITION': put('3f', 'VEC3', [[c * unit / bind for c in p] for p in at]), 'JOINTS_0': put('4B', 'VEC4', [(1, 0, 0, 0)] * 3),
        'WEIGHTS_0': put('4f', 'VEC4', [(1, 0, 0, 0)] * 3)}, **({'material': 0} if 'materials' in given['json'] else {})}]}]
    one = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    top = [bind * c for c in one[:12]] + place + [1]
    g['skins'] = [{'joints': [0, 1], 'inverseBindMatrices': put('16f', 'MAT4', [one, top])}]
    if bind != 1:
        g['nodes'][1].pop('translation')
if given['move']:
    h = 0.5 ** 0.5
    g['animations'] = [{'name': given['name'], 'channels': [{'sampler': 0, 'target': {'node': int(given['move']), 'path': 'rotation'}}],
        'samplers': [{'input': put('f', 'SCALAR', [(0,), (1,)]), 'output': put('4f', 'VEC4', [(0, 0, 0, 1), (0, 0, h, h)])}]}]
g.update(bufferViews=views, accessors=accessors)
g['buffers'] = [{'byteLength': len(data), 'uri': 'data:;base64,' + base64.b64encode(data).decode()}]
g.update(json.loads(given['json']))
json.dump(g, open(sys.argv[1], 'w'))
END
}
# convert_to_new_folder OPTION...: converts into a new folder, $to.
convert_to_new_folder() {
    to=$scratch/to
    rm -rf "$to"
    mkdir "$to" && "$tool" convert "$@" >"$scratch/notes" 2>&1 || { cat "$scratch/notes"; return 1; }
}
expect_note() {
    grep -qF -- "$1" "$scratch/notes" || { echo "missing text '$1' in"; cat "$scratch/notes"; false; }
}
file_contains() { # FILE TEXT
    tr -s '\t\n' '  ' <"$1" | grep -qF -- "$2" || { cat "$1"; false; }
}
dog=$scratch/dog.gltf walk=$scratch/walk.gltf nod_without_mesh=$scratch/a_nod.gltf dog_in_cm=$scratch/cm.gltf
write_dog "$dog" && write_dog "$walk" mesh=0 move=0 name=walk && write_dog "$nod_without_mesh" mesh=0 move=1 name=nod &&
    write_dog "$dog_in_cm" mesh=0 move=1 unit=100 name=cm || exit 1
"$tool" convert "$dog" -o "$scratch/probe" 2>"$scratch/notes"
if grep -q 'built without jansson' "$scratch/notes"; then
    skip "glTF import" "built without jansson"
    finish
fi

# -- Clips of a model -----------------------------------------------------------------------------

# 0.4 meters are 15.748 inches.
clips_have_model_height() { # CLIP...: checks for two joints, with `top` at this height in frame 0
    for clip in "$@"; do
        "$tool" dump "$model" "$to/$clip.md5anim" --frame 0 --joint top >"$scratch/dump" || return 1
        grep -q '^numJoints 2$' "$to/$clip.md5anim" && awk '/^local 1/ { found = ($9 - 15.748)^2 < 1e-6 }
            END { exit !found }' "$scratch/dump" || { cat "$to/$clip.md5anim" "$scratch/dump"; return 1; }
    done
    [ ! -e "$to/rest.md5anim" ]
}
scales_clips_like_model() {
    convert_to_new_folder "$dog" "$walk" "$nod_without_mesh" "$dog_in_cm" -o "$scratch/to" && model=$to/dog.md5mesh && clips_have_model_height walk nod cm && expect_note "cm.gltf: scaled by 0.393701"
}
scales_clips_before_model() {
    convert_to_new_folder "$nod_without_mesh" "$walk" "$dog" -o "$scratch/to" && model=$to/dog.md5mesh && clips_have_model_height walk nod
}
scales_clips_to_md5_model() {
    cp "$scratch/to/dog.md5mesh" "$scratch" && model=$scratch/dog.md5mesh &&
        convert_to_new_folder "$nod_without_mesh" "$model" "$dog_in_cm" -o "$scratch/to" && clips_have_model_height nod cm && expect_note "a_nod.gltf: scaled by 39.3701"
}
check "clips after a model get its scale and joints" scales_clips_like_model
check "clips before a model get its scale and joints" scales_clips_before_model
check "clips with a .md5mesh get its scale by bone lengths" scales_clips_to_md5_model

scales_by_vertices_not_joints() { # a model of 0.6 meters; the matrix of `hips`, which has no vertices, is the identity
    write_dog "$scratch/bind.gltf" bind=0.01 && convert_to_new_folder "$scratch/bind.gltf" -o "$scratch/to/x.md5mesh" && expect_note "model height: 23.622 units" &&
        awk '/^	weight/ && $8 > most { most = $8 } END { exit !((most - 23.622)^2 < 1e-5) }' "$to/x.md5mesh"
}
check "joints without weights do not affect the measured size of a skin" scales_by_vertices_not_joints

# -- Pictures and colors --------------------------------------------------------------------------

# Writes an image of 5 MB to a separate file, and prints a small image to embed. The large file consists mostly of data after
# the end of the image, which PNG readers usually ignore.
python3 - "$scratch/big.png" >"$scratch/small" <<'END'
import base64, struct, sys, zlib
def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
png = b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>2I5B', 1, 1, 8, 2, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(b'\0\1\2\3')) + chunk(b'IEND', b'')
open(sys.argv[1], 'wb').write(png + b'\0' * 5000000)
print('data:image/png;base64,' + base64.b64encode(png).decode())
END
writes_emissive_material() {
    write_dog "$scratch/large.gltf" json='{"materials":[{"name":"skin","pbrMetallicRoughness":{"baseColorTexture":{"index":0}},
        "emissiveFactor":[1,1,1],"emissiveTexture":{"index":1}}],"textures":[{"source":0},{"source":1}],
        "images":[{"uri":"big.png"},{"uri":"'"$(cat "$scratch/small")"'","name":"face.PNG"}]}' &&
        convert_to_new_folder "$scratch/large.gltf" -o "$scratch/to" && [ -f "$to/big.tga" ] && [ -f "$to/face.tga" ] &&
        file_contains "$to/materials/large.mtr" "unsmoothedTangents diffusemap big { blend add map face }"
}
check "images in separate files and names with extensions are read" writes_emissive_material
print_first_texel() { # FILE: prints the first texel, blue green red
    od -An -tu1 -j18 -N3 "$1" | tr -s ' '
}
converts_colors_to_srgb() { # linear 0.5 is 188 of 255 in sRGB, 0.2 is 124
    write_dog "$scratch/color.gltf" json='{"materials":[{"name":"red","pbrMetallicRoughness":{"baseColorFactor":[0.5,0,0.2,1]},
        "emissiveFactor":[0,1,0]}]}' && convert_to_new_folder "$scratch/color.gltf" -o "$scratch/to" && expect_note "red: the color is the constant (0.5 0 0.2) instead of an image" &&
        [ "$(print_first_texel "$to/red.tga")" = " 124 0 188" ] && [ "$(print_first_texel "$to/red_add.tga")" = " 0 255 0" ] &&
        file_contains "$to/materials/color.mtr" '"red" { unsmoothedTangents diffusemap red { blend add map red_add } }'
}
writes_white_texture() {
    write_dog "$scratch/white.gltf" json='{"materials":[{"name":"paper.001"}]}' && convert_to_new_folder "$scratch/white.gltf" -o "$scratch/to" &&
        [ "$(print_first_texel "$to/paper_001.tga")" = " 255 255 255" ]
}
keeps_single_joint_clip() {
    convert_to_new_folder "$nod_without_mesh" -o "$scratch/to" && grep -q 'numJoints 1$' "$scratch/to/nod.md5anim" && "$tool" check "$scratch/to" >"$scratch/checked" &&
        ! grep '\[bounds\]' "$scratch/checked"
}
# Doom 3 removes an extension from the name of a material, and reads a name such as Material as the type of a declaration.
quotes_material_names() {
    file_contains "$to/materials/white.mtr" '"paper_001" {' && write_dog "$scratch/blender.gltf" json='{"materials":[{"name":"Material"}]}' &&
        convert_to_new_folder "$scratch/blender.gltf" -o "$scratch/to" && file_contains "$to/materials/blender.mtr" 'material "Material" {' &&
        "$tool" check "$to" >"$scratch/checked" && ! grep 'Missing decl name' "$scratch/checked" &&
        write_dog "$scratch/kenney.gltf" json='{"materials":[{"name":"_defaultMat"}]}' && convert_to_new_folder "$scratch/kenney.gltf" -o "$scratch/to" &&
        file_contains "$to/materials/kenney.mtr" 'diffusemap defaultmat' && [ -e "$to/defaultmat.tga" ]
}
reports_flat_shading() {
    convert_to_new_folder "$dog" -o "$scratch/to" && expect_note "flat-shaded" &&
        write_dog "$scratch/round.gltf" && sed -i 's/"POSITION": 0/"POSITION": 0, "NORMAL": 0, "COLOR_0": 0/' "$scratch/round.gltf" &&
        convert_to_new_folder "$scratch/round.gltf" -o "$scratch/to" && ! expect_note "flat-shaded" && expect_note "skipped the vertex colors"
}
preserves_flat_shading() { # a tetrahedron, each of whose faces has three separate vertices, which share weights
    for normal in '' '"NORMAL": 0, '; do
        python3 - "$dog" "$scratch/faces.gltf" <<'END' && sed -i "s/\"POSITION\"/$normal&/" "$scratch/faces.gltf" || return 1
import base64, json, struct, sys
g = json.load(open(sys.argv[1]))
rows = [[struct.pack('<3f', *p) for p in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))], [bytes((1, 0, 0, 0))] * 4, [struct.pack('<4f', 1, 0, 0, 0)] * 4]
data = base64.b64decode(g['buffers'][0]['uri'].split(',')[1])
def put(made):
    global data
    g['bufferViews'].append({'buffer': 0, 'byteOffset': len(data), 'byteLength': len(made)})
    data += made
    return len(g['bufferViews']) - 1
for accessor, made in enumerate(rows):
    g['accessors'][accessor].update(bufferView=put(b''.join(made)), count=4)
g['accessors'].append({'bufferView': put(bytes((0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3))), 'componentType': 5121, 'count': 12, 'type': 'SCALAR'})
g['meshes'][0]['primitives'][0]['indices'] = len(g['accessors']) - 1
g['buffers'] = [{'byteLength': len(data), 'uri': 'data:;base64,' + base64.b64encode(data).decode()}]
json.dump(g, open(sys.argv[2], 'w'))
END
        convert_to_new_folder "$scratch/faces.gltf" -o "$scratch/to" && grep -q "numverts $([ "$normal" ] && echo 4 || echo 12)\$" "$to/faces.md5mesh" &&
            grep -q 'numtris 4$' "$to/faces.md5mesh" && grep -q 'numweights 4$' "$to/faces.md5mesh" || return 1
    done
}
if grep -q 'built without' "$scratch/notes"; then
    skip "colors" "md5tool is built without stb"
else
    check "a color without an image is reported" converts_colors_to_srgb
    check "the default color is white" writes_white_texture
    check "... and materials have names that Doom 3 accepts" quotes_material_names
    check "the box of a clip of one joint is not empty" keeps_single_joint_clip
fi
check "flat shading is reported" reports_flat_shading
check "flat shading is preserved" preserves_flat_shading

# -- Names and folders ----------------------------------------------------------------------------

quotes_names_with_digit() {
    write_dog "$scratch/1st.gltf" move=1 name=1H_Attack && convert_to_new_folder "$scratch/1st.gltf" --for doom3 -o "$scratch/to" &&
        file_contains "$to/def/1st.def" 'model "1st" { mesh "1st.md5mesh" anim "1H_Attack" "1H_Attack.md5anim" }' && expect_note "0 errors" &&
        expect_note "1 declaration, of which Doom 3 replaces 0 with defaults"
}
check "names that begin with a digit are quoted, and declarations are checked" quotes_names_with_digit
image_path_stays_in_folder() { # NAME of an image: it gets a path inside the folder without blanks
    write_dog "$scratch/astray.gltf" json='{"materials":[{"name":"skin","pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],
        "textures":[{"source":0}],"images":[{"uri":"'"$(cat "$scratch/small")"'","name":"'"$1"'"}]}' &&
        convert_to_new_folder "$scratch/astray.gltf" --for doom3 -o "$scratch/to/mod" && [ "$(cd "$to" && echo *)" = mod ] &&
        file=$(cd "$to/mod" && find . -name '*.tga') && echo "$file" | grep -qxE '\./[a-z0-9_/]+\.tga' &&
        path=${file#./} && file_contains "$to/mod/materials/astray.mtr" "diffusemap ${path%.tga} "
}
for name in "my face" "models/../../face" "/face" ""; do
    check "an image with the name '$name' stays in its folder, without blanks" image_path_stays_in_folder "$name"
done
writes_color_for_single_file() {
    write_dog "$scratch/b.gltf" json='{"materials":[{"name":"fur","pbrMetallicRoughness":{"baseColorFactor":[1,0,0,1]}}]}' &&
        convert_to_new_folder "$scratch/b.gltf" -o "$scratch/to/b.md5mesh" && [ "$(cd "$to" && echo *)" = "b.md5mesh fur.png" ] && expect_note "wrote images without materials" &&
        rm "$to/b.md5mesh" && : >"$to/fur.png" && "$tool" convert "$scratch/b.gltf" -o "$to/b.md5mesh" 2>"$scratch/notes" &&
        expect_note "fur.png already exists and was not overwritten" && [ ! -s "$to/fur.png" ]
}
check "without an engine or a folder the game layout is not used" writes_color_for_single_file
folder_name_may_contain_dot() {
    for name in "out.2" "my.dogs/" "my.dogs/out.2"; do
        convert_to_new_folder "$dog" -o "$scratch/to/$name" && [ -f "$to/$name/dog.md5mesh" ] || return 1
    done
    ! convert_to_new_folder "$dog" -o "$scratch/to/dog.stl" && expect_note "unsupported output format"
}
check "a dot in the name of a folder is not an extension" folder_name_may_contain_dot
rejects_gltf_1() { # FILE
    ! convert_to_new_folder "$1" -o "$scratch/to" && expect_note "convert the file to glTF 2.0"
}
printf '{"asset":{"version":"1.0"},"meshes":{"a":{}},"nodes":{"b":{}}}' >"$scratch/old.gltf"
printf '{"asset":{},"meshes":{"a":{}},"accessors":{"b":{}}}' >"$scratch/older.gltf"
printf 'glTF\1\0\0\0\30\0\0\0\4\0\0\0\0\0\0\0{}  ' >"$scratch/old.glb"
for file in old.gltf older.gltf old.glb; do
    check "glTF 1.0: $file" rejects_gltf_1 "$scratch/$file"
done

# -- Accessors ------------------------------------------------------------------------------------

# The 36 bytes of the positions are followed by other data, so that only the check of the view stops a read.
rejects_accessor_beyond_view() { # COUNT OFFSET [STRIDE]
    sed "s/\"count\": 3, \"type\": \"VEC3\"/\"byteOffset\": $2, \"count\": $1, \"type\": \"VEC3\"/
        s/\"byteLength\": 36/&, \"byteStride\": ${3:-12}/" "$dog" >"$scratch/beyond.gltf" &&
        ! convert_to_new_folder "$scratch/beyond.gltf" -o "$scratch/to" &&
        expect_note "accessors/0: elements are outside of bufferViews/0: expected at most 36 bytes, found $1 elements of ${3:-12} bytes at offset $2; export the file again"
}
for row in "4 0" "3 4" "1 28" "1 40" "3 0 16"; do
    # shellcheck disable=SC2086 # several words
    check "elements outside their view are rejected: $row" rejects_accessor_beyond_view $row
done

# -- Compression --------------------------------------------------------------------------------------

fails_with() { # FILE WORD...
    ! convert_to_new_folder "$1" -o "$scratch/to" && [ -z "$(ls -A "$to")" ] && shift || return 1
    for word in "$@"; do
        expect_note "$word" || return 1
    done
}
packed=$scratch/packed/dog.gltf filtered=$scratch/filtered/dog.gltf
mkdir "$scratch/plain" "$scratch/packed" "$scratch/filtered"
write_dog "$scratch/pack.gltf" move=1 &&
    python3 test/convert/gltf_pack.py "$scratch/pack.gltf" "$scratch/plain/dog.gltf" "$packed" "$filtered" || exit 1
decompresses_meshes() {
    convert_to_new_folder "$scratch/plain/dog.gltf" -o "$scratch/to" && grep -q '^numMeshes 2' "$to/dog.md5mesh" && rm -rf "$scratch/same" &&
        mv "$to" "$scratch/same" && convert_to_new_folder "$packed" -o "$scratch/to" && diff -r "$to" "$scratch/same"
}
decodes_filtered_rotations() { # a rotation of 16 bits has an error of 1e-4
    convert_to_new_folder "$filtered" -o "$scratch/to" && cmp "$to/dog.md5mesh" "$scratch/same/dog.md5mesh" &&
        "$tool" dump "$to/dog.md5mesh" "$to/clip.md5anim" --frame 24 --joint top >"$scratch/dump" &&
        awk '/^local 1/ { found = ($4^2 + $5^2 + $6^2 - 0.5)^2 < 1e-8 } END { exit !found }' "$scratch/dump" || { cat "$scratch/dump"; false; }
}
rejects_broken_compression() { # SED WORD...
    sed "$1" "$packed" >"$scratch/broken.gltf" && shift && fails_with "$scratch/broken.gltf" "$@"
}
if convert_to_new_folder "$packed" -o "$scratch/to"; then
    check "EXT_meshopt_compression: all modes are read, also without the fallback" decompresses_meshes
    check "EXT_meshopt_compression: filters" decodes_filtered_rotations
    check "damaged compressed data are rejected" rejects_broken_compression 's/;base64,../;base64,AA/' "bufferViews/0: cannot decompress " "the meshopt data are damaged"
    check "a wrong element count is rejected" rejects_broken_compression 's/"count": 3, "mode"/"count": 4, "mode"/; s/"byteStride": 12, "count": 3/"byteStride": 12, "count": 4/' \
        "bufferViews/0: invalid meshopt compression: found 36 bytes for 4 elements of 12 bytes,"
    check "an unknown filter is rejected" rejects_broken_compression 's/"count": 3}/"count": 3, "filter": "COLOR"}/' "filter COLOR"
else
    check "a build without meshoptimizer rejects compressed data" expect_note "built without meshoptimizer"
fi
draco=KHR_draco_mesh_compression
write_dog "$scratch/draco.gltf" json='{"extensionsRequired":["'$draco'"]}' &&
    sed -i 's/"attributes": {"POSITION"/"extensions": {"'$draco'": {"bufferView": 0}}, &/' "$scratch/draco.gltf" || exit 1
reads_uncompressed_data() { # a file that also contains uncompressed data
    convert_to_new_folder "$scratch/draco.gltf" -o "$scratch/to" && [ -f "$to/draco.md5mesh" ]
}
check "uncompressed data next to Draco data are read" reads_uncompressed_data
sed 's/"accessors": \[{"bufferView": 0, /"accessors": [{/' "$scratch/draco.gltf" >"$scratch/only.gltf"
check "Draco data without an alternative are rejected" fails_with "$scratch/only.gltf" accessors/0 $draco "without compression"
sed 's/"extensionsRequired"/"extensionsUsed"/' "$scratch/only.gltf" >"$scratch/optional.gltf"
check "... also if the file does not require the extension" fails_with "$scratch/optional.gltf" "accessors/0: compression $draco is not supported"
write_dog "$scratch/instances.gltf" json='{"extensionsRequired":["KHR_texture_basisu","EXT_mesh_gpu_instancing"]}'
check "an unknown required extension is rejected" fails_with "$scratch/instances.gltf" "extensionsRequired/1: extension EXT_mesh_gpu_instancing is not supported; export the file without it"

rejects_optional_instances() {
    sed 's/"name": "body"/&, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {}}}/' "$dog" >"$scratch/optional.gltf" && ! cmp -s "$dog" "$scratch/optional.gltf" &&
        fails_with "$scratch/optional.gltf" "instances (EXT_mesh_gpu_instancing) are not supported; export the file without this extension" &&
        convert_to_new_folder "$scratch/optional.gltf" --force -o "$scratch/to" && expect_note "skipped the instances (EXT_mesh_gpu_instancing) of the mesh"
}
check "instances that the file does not require are rejected, unless --force is given" rejects_optional_instances

# -- Other extensions -----------------------------------------------------------------------------

reads_animation_pointers() {
    pointer_target='{"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/nodes/0/rotation"}}}'
    write_dog "$scratch/a.gltf" move=0 && sed "s#{\"node\": 0, \"path\": \"rotation\"}#$pointer_target#" "$scratch/a.gltf" >"$scratch/p.gltf" && ! cmp -s "$scratch/a.gltf" "$scratch/p.gltf" &&
        convert_to_new_folder "$scratch/a.gltf" -o "$scratch/to" && mv "$to/clip.md5anim" "$scratch/clip" && convert_to_new_folder "$scratch/p.gltf" -o "$scratch/to" &&
        cmp "$scratch/clip" "$to/clip.md5anim" && sed 's#/nodes/0/rotation#/nodes/9/rotation#' "$scratch/p.gltf" >"$scratch/a.gltf" &&
        convert_to_new_folder "$scratch/a.gltf" -o "$scratch/to" && expect_note "the clip does not animate any joint" &&
        sed 's#/nodes/0/rotation#/nodes//rotation#' "$scratch/p.gltf" >"$scratch/a.gltf" && convert_to_new_folder "$scratch/a.gltf" -o "$scratch/to" &&
        expect_note "the clip does not animate any joint"
}
check "KHR_animation_pointer moves nodes" reads_animation_pointers
omits_hidden_nodes() {
    sed 's/"name": "hips"/&, "extensions": {"KHR_node_visibility": {"visible": true}}/
        s/"name": "body"/&, "extensions": {"KHR_node_visibility": {"visible": false}}/' "$dog" >"$scratch/hidden.gltf" && ! convert_to_new_folder "$scratch/hidden.gltf" -o "$scratch/to" &&
        expect_note "skipped mesh body: it is hidden by KHR_node_visibility"
}
check "KHR_node_visibility hides meshes" omits_hidden_nodes
reports_two_skeletons() { # the second dog has the same height and is 1 unit behind the first dog
    python3 - "$dog" "$scratch/dogs.gltf" <<'END'
import json, sys
g = json.load(open(sys.argv[1]))
g['nodes'] += [{'name': 'hips', 'children': [4], 'translation': [0, 0, 1]}, dict(g['nodes'][1]), dict(g['nodes'][2], skin=1, name='other')]
g['skins'].append(dict(g['skins'][0], joints=[3, 4]))
g['scenes'][0]['nodes'] += [3, 5]
json.dump(g, open(sys.argv[2], 'w'))
END
    convert_to_new_folder "$scratch/dogs.gltf" -o "$scratch/to" && expect_note "merged 2 skeletons into one model (body, other); use --scene" &&
        grep -q '^numJoints 4' "$to/dogs.md5mesh" && convert_to_new_folder "$scratch/dogs.gltf" --scene other --scale 1 -o "$scratch/to" &&
        grep -q '^numJoints 2' "$to/dogs.md5mesh" && grep -q '^numMeshes 1' "$to/dogs.md5mesh" && file_contains "$to/dogs.md5mesh" '"hips" -1 ( 1 0 '
}
check "two skeletons are reported, and --scene selects one" reports_two_skeletons
converts_webp_images() { # with a PNG alternative, and without; an image that was moved
    write_dog "$scratch/webp.gltf" json='{"extensionsRequired":["EXT_texture_webp"],"materials":[{"name":"skin","pbrMetallicRoughness":
        {"baseColorTexture":{"index":0}}}],"textures":[{"extensions":{"EXT_texture_webp":{"source":0}}}],
        "images":[{"uri":"data:;base64,UklGRgAAAABXRUJQVlA4IAAAAAA=","name":"fur"}]}' && convert_to_new_folder "$scratch/webp.gltf" -o "$scratch/to" &&
        expect_note "skipped images/0 of material skin: unsupported image format WebP: expected PNG or JPEG; export the file with PNG images" &&
        sed 's#data:;base64,UklG[^"]*#pictures/big.png#; s#, "name": "fur"##' "$scratch/webp.gltf" >"$scratch/moved.gltf" &&
        convert_to_new_folder "$scratch/moved.gltf" -o "$scratch/to" && expect_note "pictures/big.png was not found; using big.png in the file's folder" && [ -f "$to/pictures/big.tga" ] &&
        sed 's#pictures/big.png#pictures/none.png#' "$scratch/moved.gltf" >"$scratch/missing.gltf" && convert_to_new_folder "$scratch/missing.gltf" -o "$scratch/to" &&
        expect_note "skipped image pictures/none.png of material skin: No such file or directory; copy the image to the folder of the model"
}
# Escapes in the URI of an image are not a part of its name. The image is found although it was moved.
decodes_image_uris() {
    write_dog "$scratch/escaped.gltf" json='{"materials":[{"name":"skin","pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],"textures":[{"source":0}],
        "images":[{"uri":"pictures%2Fbig%20fur.png"}]}' && cp "$scratch/big.png" "$scratch/big fur.png" && convert_to_new_folder "$scratch/escaped.gltf" -o "$scratch/to" &&
        expect_note "pictures/big fur.png was not found; using big fur.png in the file's folder" && [ -f "$to/big_fur.tga" ]
}
check "escapes in URIs of images are decoded" decodes_image_uris
check "WebP is reported, a moved image is found, and a missing image is reported" converts_webp_images
reports_image_format() { # FORMAT BYTES: the first bytes of an image, for printf
    write_dog "$scratch/image.gltf" json='{"materials":[{"name":"skin","pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],"textures":[{"source":0}],
        "images":[{"uri":"data:;base64,'"$(printf "$2" | base64)"'"}]}' && convert_to_new_folder "$scratch/image.gltf" -o "$scratch/to" &&
        expect_note "skipped images/0 of material skin: unsupported image format $1: expected PNG or JPEG; export the file with PNG images"
}
# "7 - Default" is the default name of a material in 3ds Max. Doom 3 cannot read the path of an image that begins with a number.
renames_number() {
    write_dog "$scratch/max.gltf" json='{"materials":[{"name":"7 - Default","pbrMetallicRoughness":{"baseColorFactor":[0.5,0,0.2,1]}}]}' &&
        convert_to_new_folder "$scratch/max.gltf" --for doom3 -o "$scratch/to" && expect_note '1 file, 0 errors, 0 warnings, for doom3' &&
        grep -q 'diffusemap	image_7___default$' "$to/materials/max.mtr" && [ -f "$to/image_7___default.tga" ]
}
check "images whose names begin with a number are renamed for Doom 3" renames_number
check "KTX 2 is reported" reports_image_format "KTX 2 (KHR_texture_basisu)" '\253KTX 20\273\r\n\032\n'
check "AVIF is reported" reports_image_format AVIF '\0\0\0\034ftypavif\0\0\0\0'
reports_unused_material_properties() {
    write_dog "$scratch/rough.gltf" json='{"materials":[{"name":"skin","pbrMetallicRoughness":{"baseColorTexture":{"index":0},
        "baseColorFactor":[1,1,1,0.5],"metallicRoughnessTexture":{"index":0}}}],"textures":[{"source":0}],"images":[{"uri":"'"$(cat "$scratch/small")"'"}]}' &&
        convert_to_new_folder "$scratch/rough.gltf" -o "$scratch/to" && expect_note "material skin: skipped the color factor 1 1 1 0.5" &&
        expect_note "material skin: skipped the metallic-roughness texture"
}
check "a color factor and a metallic-roughness texture are reported" reports_unused_material_properties
# Without a skin, a mesh that does not move needs a root that does not move. Doom 3 allows only one root.
keeps_still_mesh() {
    python3 - "$scratch/gate.gltf" <<'END'
import base64, json, struct, sys
data = struct.pack("<9f2f6f", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 5)
views = [(0, 36, "VEC3", 3), (36, 8, "SCALAR", 2), (44, 24, "VEC3", 2)]
json.dump({"asset": {"version": "2.0"}, "nodes": [{"name": "door", "mesh": 0}, {"name": "wall", "mesh": 0}],
           "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
           "animations": [{"name": "open", "samplers": [{"input": 1, "output": 2}],
                           "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}],
           "bufferViews": [{"buffer": 0, "byteOffset": v[0], "byteLength": v[1]} for v in views],
           "accessors": [{"bufferView": i, "componentType": 5126, "type": v[2], "count": v[3]} for i, v in enumerate(views)],
           "buffers": [{"byteLength": 68, "uri": "data:;base64," + base64.b64encode(data).decode()}]}, open(sys.argv[1], "w"))
END
    convert_to_new_folder "$scratch/gate.gltf" --scale 1 --for doom3 -o "$scratch/to" && [ "$(grep -c '"[[:space:]]-1 ' "$to/gate.md5mesh")" = 1 ] &&
        "$tool" dump "$to/gate.md5mesh" "$to/open.md5anim" --frame 60 | awk '$1 == "v" { print $2 }' | sort | uniq -c >"$scratch/x" &&
        [ "$(tr -s ' ' <"$scratch/x")" = " 3 0
 3 5" ]
}
check "Doom 3 gets one root if a mesh does not move" keeps_still_mesh
# Default weights of morph targets: they are applied to the model, and clips are relative to them.
check_morph_weights() { # BASE RISE LIFT KEYS WEIGHT...: the first offset in the model and in each target; first keys of `rise`
    base=$1 rise=$2 lift=$3 keys=$4
    shift 4
    python3 test/convert/gltf_morphs.py "$scratch/morphs.gltf" "$@" && rm -rf "$scratch/morphs" && convert_to_new_folder "$scratch/morphs.gltf" --scale 1 -o "$scratch/morphs" &&
        grep -qF "weight 0 0 1 ( $base )" "$scratch/morphs/morphs.md5mesh" && grep -qF "weight 0 0 1 ( $rise )" "$scratch/morphs/morphs/rise.md5mesh" &&
        grep -qF "weight 0 0 1 ( $lift )" "$scratch/morphs/morphs/lift.md5mesh" && grep -qF "morph rise clip move ( 0 $keys" "$scratch/morphs/morphs.md5machine"
}
check "default weights of a mesh are applied" check_morph_weights "4 0 1" "8 0 1" "4 0 2" "-1 1 -0.95"
check "weights of a node override the mesh's" check_morph_weights "2 0 0" "6 0 0" "2 0 1" "-0.5 1 -0.45" 0.5 0
check "no weights" check_morph_weights "0 0 0" "4 0 0" "0 0 1" "0 1 0.04" 0 0
check "a weight of 1e6 is accepted" check_morph_weights "4000000 0 0" "4000004 0 0" "4000000 0 1" "-1e+06 1 -999999" 1e6 0
write_dog "$scratch/flat.gltf" unit=0
check "a file whose triangles have no area is rejected with its content" fails_with "$scratch/flat.gltf" \
    "3 nodes, 1 mesh with triangles that have no area, no moving joint; export polygons"
edit_dog() { # SED: writes a changed dog
    sed "$1" "$dog" >"$scratch/edited.gltf" && ! cmp -s "$dog" "$scratch/edited.gltf"
}
edit_dog 's/"joints": \[0, 1\]/"joints": []/'
check "a skin without joints is rejected" fails_with "$scratch/edited.gltf" "skins/0/joints: expected at least 1 joint, found none"
edit_dog 's/"count": 3, "type": "VEC4"/"count": 2, "type": "VEC4"/'
check "fewer joints than positions are rejected" fails_with "$scratch/edited.gltf" \
    "meshes/0/primitives/0/attributes/JOINTS_0: wrong number of elements: expected 3 as in POSITION, found 2"
rejects_huge_morph_weight() {
    python3 test/convert/gltf_morphs.py "$scratch/morphs.gltf" 1000001 0 && fails_with "$scratch/morphs.gltf" "weight 0 is out of range" "expected -1e+06 to 1e+06"
}
check "a weight above 1e6 is rejected" rejects_huge_morph_weight
finish

#!/bin/sh
# Import of several models: a model that uses joints of the first model becomes a part of it; a model with the same vertices
# becomes a morph target.
. test/build/report.sh
tool=$(realpath "$products/md5tool")
root=$PWD
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

# figures FOLDER: body.md5mesh with joints root, spine and head, and a clip that rotates the last two. Attached models: hat, on
# head and spine; tall, whose head is 0.1 higher; far, whose head is displaced sideways by 5; paw, on a joint of another model.
# face: a copy of the body with moved vertices.
python3 - "$scratch" <<'END'
import os, sys
def model(name, joints, boxes):
    names = [j[0] for j in joints]
    text = 'MD5Version 10\ncommandline ""\n\nnumJoints %d\nnumMeshes %d\n\njoints {\n' % (len(joints), len(boxes))
    for joint, parent, at in joints:
        text += '\t"%s"\t%d ( %s ) ( 0 0 0 )\n' % (joint, names.index(parent) if parent else -1, ' '.join(map(str, at)))
    text += '}\n'
    for shader, joint, corners in boxes:
        text += '\nmesh {\n\tshader "%s"\n\n\tnumverts %d\n' % (shader, len(corners))
        text += ''.join('\tvert %d ( %d %d ) %d 1\n' % (i, i % 2, i // 2, i) for i in range(len(corners)))
        text += '\n\tnumtris %d\n' % (len(corners) - 2)
        text += ''.join('\ttri %d %d %d %d\n' % (i, i, i + 1, i + 2) for i in range(len(corners) - 2))
        text += '\n\tnumweights %d\n' % len(corners)
        text += ''.join('\tweight %d %d 1 ( %s )\n' % (i, names.index(joint), ' '.join(map(str, c))) for i, c in enumerate(corners)) + '}\n'
    open(os.path.join(sys.argv[1], name + '.md5mesh'), 'w').write(text)
four = [(1, 0, 0), (0, 1, 0), (0, -1, 2), (-1, 1, 3)]
def head(at, also=()):
    return [('root', '', (0, 0, 0)), ('spine', 'root', (0, 0, 40)), ('head', 'spine', at), *also]
model('body', head((0, 0, 60)), [('skin', 'spine', four + [(2, 2, 2)]), ('eyes', 'head', four)])
model('face', head((0, 0, 60)), [('skin', 'spine', four + [(3, 2, 2)]), ('eyes', 'head', four)])
model('hat', [('spine', '', (0, 0, 40)), ('head', 'spine', (0, 0, 60))], [('felt', 'head', four), ('band', 'spine', four)])
model('tall', head((0, 0, 60.1)), [('felt', 'head', four)])
model('far', head((0, 5, 60)), [('felt', 'head', four)])
model('paw', head((0, 0, 60), [('paw', 'spine', (9, 0, 40))]), [('fur', 'paw', four)])
model('tag', head((0, 0, 60), [('tag', 'spine', (9, 0, 40))]), [('fur', 'head', four)])
open(os.path.join(sys.argv[1], 'nod.md5anim'), 'w').write('''MD5Version 10
commandline ""

numFrames 2
numJoints 3
frameRate 24
numAnimatedComponents 2

hierarchy {
	"root"	-1 0 0
	"spine"	0 8 0
	"head"	1 16 1
}

bounds {
	( -9 -9 -9 ) ( 9 9 99 )
	( -9 -9 -9 ) ( 9 9 99 )
}

baseframe {
	( 0 0 0 ) ( 0 0 0 )
	( 0 0 40 ) ( 0 0 0 )
	( 0 0 20 ) ( 0 0 0 )
}

frame 0 {
	0 0
}

frame 1 {
	-0.3 -0.6
}
''')
END
cd "$scratch" || exit 1
convert_outfit() { # INPUT...: converts into the new folder `to`
    rm -rf to && "$tool" convert "$@" -o to/ >notes 2>&1 || { cat notes; return 1; }
}
expect_note() {
    grep -qF -- "$1" notes || { echo "missing text '$1' in"; cat notes; false; }
}
print_posed_vertices() { # MODEL [FIRST]: prints its vertices in frame 1, from mesh FIRST
    "$tool" dump "$1" nod.md5anim --frame 1 2>/dev/null | awk -v first="${2:-0}" '$1 == "skin" { mesh = $2 } $1 == "v" && mesh >= first {
        printf "%.3f %.3f %.3f\n", $3 + 0, $4 + 0, $5 + 0 }' | sed 's/-\(0\.000\)/\1/g'
}
hat_vertices_match() { # compares with the separate hat, which plays the same clip
    [ "$(print_posed_vertices "${1:-to/body.md5mesh}" 2)" = "$(print_posed_vertices "${2:-hat.md5mesh}")" ] && [ -n "$(print_posed_vertices to/body.md5mesh 2)" ]
}
merges_one_outfit() {
    convert_outfit body.md5mesh hat.md5mesh nod.md5anim && expect_note "merged hat into the model" && ls to && [ "$(cd to && echo *)" = "body.md5mesh nod.md5anim" ] &&
        grep -q '^numJoints 3' to/body.md5mesh && [ "$(grep -o 'shader ".*"' to/body.md5mesh | tr '\n' ' ')" = \
        'shader "skin" shader "eyes" shader "felt" shader "band" ' ] && hat_vertices_match && [ "$(print_posed_vertices to/body.md5mesh | head -9)" = "$(print_posed_vertices body.md5mesh)" ]
}
merges_three_outfits() {
    convert_outfit body.md5mesh hat.md5mesh tall.md5mesh tag.md5mesh && grep -q '^numMeshes 6' to/body.md5mesh && expect_note "merged tall into the model; vertices moved by at most 0.1 units, at joint head"
}
follows_body_joint() { # the hat stays at the body's head joint in each pose, 0.1 lower than in the bind pose of `tall`
    convert_outfit body.md5mesh tall.md5mesh && [ "$(print_posed_vertices to/body.md5mesh 2)" = "$(print_posed_vertices tall.md5mesh)" ]
}
every_output_fails() { # MODEL WORD...: checks that each output fails and no file is written
    for output in to/ to/x.md5mesh x.bmd5mesh x.iqm x.obj x.glb; do
        rm -rf to && ! "$tool" convert body.md5mesh "$1" -o $output >notes 2>&1 && [ ! -e to ] && [ ! -e $output ] || { cat notes; return 1; }
        grep -q 'built without jansson' notes && continue
        expect_note "$1: error: bind pose of joint $2 differs from the first model's" && expect_note "$3" || return 1
    done
}
forces_far_outfit() {
    convert_outfit body.md5mesh far.md5mesh --force && hat_vertices_match to/body.md5mesh far.md5mesh
}
becomes_morph_target() {
    convert_outfit body.md5mesh face.md5mesh && [ -f to/morphs/face.md5mesh ] && grep -q '^numMeshes 2' to/body.md5mesh
}
check_format() { # KIND
    "$tool" convert body.md5mesh -o "body.$1" --force >notes 2>&1 && "$tool" convert hat.md5mesh -o "hat.$1" --force >notes 2>&1 || { cat notes; return 1; }
    for inputs in "body.md5mesh hat.$1" "body.$1 hat.$1" "body.$1 hat.md5mesh"; do
        # shellcheck disable=SC2086 # several words
        convert_outfit $inputs && expect_note "merged hat into the model" && grep -q '^numMeshes 4' to/body.md5mesh || return 1
        print_posed_vertices to/body.md5mesh 2 | sort -u >a && print_posed_vertices hat.md5mesh | sort -u >b && [ -s a ] && cmp a b || { paste a b; return 1; }
    done
}
check "a hat is merged into the body, on the joints with its names" merges_one_outfit
check "several models are merged, one with an additional joint" merges_three_outfits
check "a model with another bind pose follows the joint" follows_body_joint
check "a model with a distant bind pose is rejected" every_output_fails far.md5mesh head "up to 5 units; use --force to merge the models anyway"
check "the same, forced" forces_far_outfit
unknown_joint_is_attached() { # it moves rigidly: unchanged in the bind pose, at a constant offset from the joint in other poses
    convert_outfit body.md5mesh paw.md5mesh && expect_note "attached 1 joint of paw to joint spine" && expect_note "vertices moved by at most 0 units" && grep -q "meshes: paw/fur" to/body.md5mesh &&
        grep -q "weight 0 1 1 ( 10 0 0 )" to/body.md5mesh
}
rejects_unrelated_skeleton() {
    sed 's/"\(root\|spine\|head\)"/"x_\1"/' hat.md5mesh >alien.md5mesh
    rm -rf to && ! "$tool" convert body.md5mesh alien.md5mesh -o to/ >notes 2>&1 && [ ! -e to ] && expect_note "cannot merge the models: expected joints with the same names"
}
outfit_option_excludes_morphs() { # with --outfit a model never becomes a morph target
    convert_outfit body.md5mesh --outfit face.md5mesh && [ ! -e to/morphs ] && grep -q '^numMeshes 4' to/body.md5mesh &&
        exits_with 1 "cannot attach the file as an outfit: expected a model" "$tool" convert body.md5mesh --outfit nod.md5anim -o to2/
}
check "a joint that the body lacks follows its parent" unknown_joint_is_attached
check "a model without joints of the body is rejected" rejects_unrelated_skeleton
check "--outfit merges a model that has the body's vertices" outfit_option_excludes_morphs
check "a model with the body's vertices is a morph target" becomes_morph_target
check "from IQM" check_format iqm
if "$tool" convert hat.md5mesh -o probe.glb 2>notes || ! grep -q 'built without jansson' notes; then
    check "from glTF" check_format glb
fi
attached_eyes_look_same() { # a model with attached eyes has the same image as the complete model, and both textures in glTF
    models=$root/models/bobbin
    mkdir -p eyes && cp "$models/bobbin.md5mesh" . && cp "$models/bobbin.png" . && cp "$models/bobbin_eye.png" eyes/ &&
        "$tool" convert bobbin.md5mesh --force --hide eyes -o skin.md5mesh && "$tool" convert bobbin.md5mesh --force --hide skin -o eyes/eyes.md5mesh || return 1
    set -- "$models/walk.md5anim" --no-config --animation-time 0.3 --resolution 160,120
    SDL_VIDEODRIVER=offscreen "$view" bobbin.md5mesh --texture skin=bobbin.png --texture eyes=eyes/bobbin_eye.png --output whole.png "$@" >notes 2>&1 &&
        SDL_VIDEODRIVER=offscreen "$view" skin.md5mesh eyes/eyes.md5mesh --output worn.png "$@" >notes 2>&1 || { cat notes; return 1; }
    cmp whole.png worn.png
}
view=$(dirname "$tool")/md5view
check "attached models are drawn with their own textures" attached_eyes_look_same
report=${MD5_CORPUS:-/none}/golden/reports/second_model
merges_reported_models() {
    convert_outfit "$report/body.md5mesh" "$report/hat.md5mesh" && grep -q '^numJoints 9' to/body.md5mesh && grep -q '^numMeshes 2' to/body.md5mesh
}
if [ -d "$report" ]; then
    check "a hat from a bug report is merged" merges_reported_models
else
    skip "a hat from a bug report" "MD5_CORPUS has none"
fi
finish

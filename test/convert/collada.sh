#!/bin/sh
# Import of Collada, if md5tool is built with libassimp: curves between keys, frame rates, animations that are not supported.
. test/build/report.sh
tool=$products/md5tool
: >"$scratch/none.dae"
"$tool" convert "$scratch/none.dae" -o "$scratch/none.md5mesh" >"$scratch/notes" 2>&1
if grep -q 'built without libassimp' "$scratch/notes"; then
    finish
fi

convert_dae() { # NAME OPTION...
    file=$scratch/$1.dae
    shift
    rm -rf "$scratch/it"
    "$tool" convert "$file" --scale 1 --output "$scratch/it" "$@" >"$scratch/notes" 2>&1 || {
        cat "$scratch/notes"
        false
    }
}
vertices_match() { # NAME FRAME OBJ
    "$tool" dump "$scratch/it/$1.md5mesh" "$scratch"/it/*.md5anim --frame "$2" >"$scratch/dump" &&
        python3 test/convert/fbx.py shown "$3" "$scratch/dump" 1e-4
}
clip_has_line() { # LINE
    grep -qx "$1" "$scratch"/it/*.md5anim
}
write_dae() { # COMMAND NAME ARGUMENT...
    command=$1
    name=$2
    shift 2
    python3 test/convert/collada.py "$command" "$scratch/$name.dae" "$@"
}

write_dae curves curves
check 'curves between keys are evaluated' convert_dae curves
check '... at a frame rate that contains all keys' clip_has_line 'frameRate 24'
for frame in 0 5 11 12 17 24; do
    check "... frame $frame" vertices_match curves $frame "$scratch/curves.dae.$frame.obj"
done
check 'curves are evaluated at another frame rate' convert_dae curves --rate 48
check '... in frame 22' vertices_match curves 22 "$scratch/curves.dae.11.obj"

# Animations that contain each other, and animations of different targets, are parts of one animation.
has_clips() { # NUMBER
    [ "$(find "$scratch/it" -name '*.md5anim' | wc -l)" = "$1" ]
}
write_dae nested nested
check 'animations that contain each other' convert_dae nested
check '... become one clip' has_clips 1
for frame in 0 12 17; do
    check "... frame $frame" vertices_match nested $frame "$scratch/nested.dae.$frame.obj"
done
write_dae actions actions
check 'animations of the same targets' convert_dae actions
check '... become several clips' has_clips 2
check '... with their names' test -e "$scratch/it/wave.md5anim" -a -e "$scratch/it/bow.md5anim"

# Elements <animation_clip> consist of several animations. Two clips of equal duration are not mixed.
write_dae clips clips
check 'clips that consist of several animations' convert_dae clips
check '... become that many clips' has_clips 2
clip_ends_at() { # NAME: the vertices of the last frame
    "$tool" dump "$scratch/it/clips.md5mesh" "$scratch/it/$1.md5anim" --frame 24 >"$scratch/dump" &&
        python3 test/convert/fbx.py shown "$scratch/clips.dae.$1.obj" "$scratch/dump" 1e-4
}
check '... with their names and motions' clip_ends_at wave
check '... also the second one' clip_ends_at bow
sed "s|name=\"bow\"|name='b\"w'|" "$scratch/clips.dae" >"$scratch/quoted.dae"
check 'a clip with a quote in its name' convert_dae quoted
check '... gets a valid name' test -e "$scratch/it/b_w.md5anim"
# libassimp loses a clip of a single node if another clip moves the node in another way.
sed 's|<instance_animation url="#wave-z-ANGLE"/>||; s|<instance_animation url="#bow-y-ANGLE"/>||' "$scratch/clips.dae" >"$scratch/parts.dae"
check 'a clip is lost' convert_dae parts
check '... which is reported' grep -q 'parts.dae: the file contains 2 clips (animation_clip), but libassimp found 1; export each clip to a separate file' "$scratch/notes"
sed 's|#bow-y-ANGLE|#wave-y-ANGLE|' "$scratch/clips.dae" >"$scratch/shared.dae"
check 'clips that share an animation are read' convert_dae shared

write_dae baked baked
check 'curves with a key in each frame are accepted' convert_dae baked
check '... with the frame rate of the keys' clip_has_line 'frameRate 30'
check '... and one frame per key' clip_has_line 'numFrames 10'
# Colors with several blanks at their start, as the "Collada Exporter for Blender 2.6+" writes them.
sed 's|<library_geometries>|<library_effects><effect id="e"><profile_COMMON><technique sid="t"><phong><diffuse><color>  0.5 0.5 0.5 1.0  </color></diffuse></phong></technique></profile_COMMON></effect></library_effects>&|' "$scratch/baked.dae" >"$scratch/blanks.dae"
check 'colors after blanks are accepted' convert_dae blanks
write_dae late late
check 'the first key can be late' convert_dae late
check '... which is reported with the range of the keys' grep -q 'the first key is at 1 s; .*; use --range 30-39 to convert only' "$scratch/notes"
check 'a clip of another file' convert_dae baked "$scratch/late.dae"
check '... has the name of its file' test -e "$scratch/it/late.md5anim"
for kind in CARDINAL BSPLINE BEZIER; do
    write_dae kind $kind $kind # without tangents
    check "$kind without tangents is rejected" exits_with 1 "the curves of animation sampler 'body-at-X-sampler' cannot be evaluated" "$tool" convert "$scratch/$kind.dae" -o "$scratch/no.md5mesh"
    check '... and accepted with --force' convert_dae $kind --force
done
write_dae kind longest LINEAR 600
check 'a clip may take 600 seconds' convert_dae longest
write_dae kind long LINEAR 600.1
check '... and not more' exits_with 1 "clip 'animation' is too long: 600.1 s; limit: 600 s" "$tool" convert "$scratch/long.dae" -o "$scratch/no.md5mesh"
# A file with clips for the model of another file. Its only mesh is a box that does not move. Two bones rotate by 90 degrees about
# the same axis. In the middle of the clip each has rotated by half of that, so that the second bone is rotated by 90 degrees in
# the world.
write_dae skeleton skeleton
check 'a skeleton without a mesh moves' convert_dae skeleton
print_spine_rotation() { # the rotation in MD5's axes, in which the file's z is x
    "$tool" dump "$scratch/it/skeleton.md5mesh" "$scratch"/it/*.md5anim --frame 12 | awk '/^world 1 / { for (i = 3; i <= NF; i++) printf "%.4f ", $i }' | sed 's/-0\.0000/0.0000/g'
}
check '... as in the file' [ "$(print_spine_rotation)" = '1.0000 0.0000 0.0000 0.0000 0.0000 0.0000 -1.0000 0.0000 0.0000 1.0000 0.0000 0.0000 ' ]
# A matrix with shear, which is not a product of translation, rotation and scale.
sed 's|\(<node id="box" [^>]*>\)|\1<matrix>1 0.5 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>|' "$scratch/skeleton.dae" >"$scratch/shear.dae"
printf 'v %s\n' '0 0 0' '9 0 0' '2.5 5 0' '0 0 3' >"$scratch/shear.obj"
check 'a node with shear' convert_dae shear
bind_pose_matches() { # NAME OBJ
    "$tool" dump "$scratch/it/$1.md5mesh" | sed -n 's/^bv /v /p' >"$scratch/dump" &&
        python3 test/convert/fbx.py shown "$2" "$scratch/dump" 1e-4
}
check '... which its mesh gets' bind_pose_matches shear "$scratch/shear.obj"
write_dae view view
check 'a lookat whose up vector is not perpendicular' convert_dae view
check '... is not a shear' bind_pose_matches view "$scratch/view.dae.obj"
# The direction of view is (5, 0, 0). The last up vector is parallel to it except for rounding.
for values in '1 2 3 -4 2 3 1 0 0' '1 2 3 1 2 3 0 1 0' '1 2 3 -4 2 3 0 0 0' '1 2 3 -4 2 3 1 1 0 0' '0 0 0 0.1 0.2 0.3 0.7 1.4 2.1'; do
    sed "s|<lookat sid=\"view\">[^<]*<|<lookat sid=\"view\">$values<|" "$scratch/view.dae" >"$scratch/no_view.dae"
    check "lookat $values is rejected" exits_with 1 "no_view.dae:2:841: error: libassimp: lookat '$values' is not a rotation: expected nine numbers" "$tool" convert "$scratch/no_view.dae" -o "$scratch/no.md5mesh"
done
sed 's|<instance_geometry url="#g"/>||' "$scratch/baked.dae" >"$scratch/unused.dae"
check 'a mesh that is not part of the scene' convert_dae unused
check '... is reported' grep -q 'the file contains meshes, but libassimp found none in the scene' "$scratch/notes"
check_rejected() { # NAME MESSAGE
    check "$1 is rejected" exits_with 1 "$2" "$tool" convert "$scratch/$1.dae" -o "$scratch/no.md5mesh"
}
# Errors name an element of the file, or the line and column of the text that libassimp quotes. The first line is the XML header.
while IFS='|' read -r name change message; do
    sed "$change" "$scratch/baked.dae" >"$scratch/$name.dae"
    check_rejected "$name" "$name.dae$message"
done <<END
far-vertex|s/\(points-array" count="12">0 0 0 \)9/\11e20/|: error: mesh 'body': vertex 2 is out of range: expected at most 1e9 units from its joint, found (1e+20 0 0) in units of the file; repair
endless-vertex|s/\(points-array" count="12">0 0 0 \)9/\11e38/|: error: mesh 'g': a vertex is out of range: expected numbers from -1e30 to 1e30, found (1e+38 0 0); repair the value
far-key|s/\(at-X-OUTPUT-array" count="[0-9]*">\)[^ ]*/\11e38/|: error: clip 'animation': the motion of node 'body' is out of range: expected numbers from -1e30 to 1e30, found 1e+38; repair the value
far-node|s/<translate sid="at">0/<translate sid="at">1e38/|: error: node 'body': the transform is out of range: expected numbers from -1e30 to 1e30, found 1e+38; repair the value
no-number|s/<translate sid="at">0/<translate sid="at">z/|:2:$(sed -n 's/<translate sid="at">.*//p' "$scratch/baked.dae" | awk '{ print length + 21 }'): error: libassimp cannot read the file: Cannot parse string "z 0 0" as a real
END
iconv -f UTF-8 -t UTF-16 "$scratch/baked.dae" >"$scratch/wide.dae"
check_rejected wide 'wide.dae: error: unsupported encoding: expected UTF-8, found UTF-16; save the file as UTF-8'
# libassimp ignores these animations.
sed 's|target="body/at.X"|target="body/at(0)"|' "$scratch/baked.dae" >"$scratch/index.dae"
check_rejected index "index.dae:2:2340: error: libassimp: the animation of 'body/at(0)' is not supported"
sed 's|\(<channel [^/]*body/at\).X"/>|&\1.Y"/>|' "$scratch/baked.dae" >"$scratch/twice.dae"
check_rejected twice "the animation of 'body/at.Y' is not supported"
sed 's|<translate sid="at">[^<]*</translate>|<lookat sid="at">0 0 1 0 0 0 0 1 0</lookat>|' "$scratch/baked.dae" >"$scratch/view.dae"
check_rejected view "the animation of 'body/at.X' is not supported: expected a target such as NODE/SID, NODE/SID.X or NODE/SID.ANGLE, no lookat"
write_dae skins skins
check_rejected skins "skins.dae:3:148: error: libassimp: expected joint 'hips' in the skeleton of this skin, found it in another skeleton; give all joints different names"
check '... and accepted with --force' convert_dae skins --force
# Checking the joints of this file would take too long relative to its size, so it is rejected.
write_dae many_skins many_skins 100
check_rejected many_skins "libassimp: the joints of skin '#skin' cannot be checked: the skins and skeletons require too much processing for the size of the file; export each skeleton to its own file"
sed 's|<node id="right" sid="hips"|<node id="right" sid="hips-2"|; s|<node id="right-spine" sid="spine"|<node id="right-spine" sid="spine-2"|' "$scratch/skins.dae" >"$scratch/unique.dae"
check 'skeletons with different sids are accepted' convert_dae unique
check '... and a skin without a bind shape matrix' bind_pose_matches unique "$scratch/skins.dae.obj"
# Blanks at the start of the numbers of weights, and of the weights, as the same exporter writes them.
ignores_blanks() {
    convert_dae unique && cp "$scratch/it/unique.md5mesh" "$scratch/trimmed.md5mesh" && grep -q '<vcount>[0-9]' "$scratch/unique.dae" &&
        sed 's|<vcount>|& |; s|<v>|& |' "$scratch/unique.dae" >"$scratch/untrimmed.dae" && convert_dae untrimmed && cmp "$scratch/trimmed.md5mesh" "$scratch/it/untrimmed.md5mesh"
}
check 'weights after blanks are read like other weights' ignores_blanks
finish

#!/bin/sh
# Images and materials that `md5tool convert` finds and writes: compares texels with their formulas, and reads the written
# declarations with the library.
. test/build/report.sh

tool=$(realpath "$products/md5tool")
run_looks_py() {
    python3 -B test/convert/looks.py "$@"
}
game=$scratch/game box=$scratch/game/models/box
run_looks_py make "$game" || exit 1

convert_box() { # ENGINE: writes models/box/hero.md5mesh in a separate folder
    "$tool" convert "$box/box.md5mesh" "$box/open.md5anim" "$box/shut.md5anim" --for "$1" \
        --output "$scratch/$1/models/box/hero.md5mesh" >"$scratch/$1.said" 2>&1 || {
        cat "$scratch/$1.said"
        false
    }
}
expect_message() { # ENGINE TEXT
    grep -qF -- "$2" "$scratch/$1.said" || { cat "$scratch/$1.said"; false; }
}
file_contains() { # FILE TEXT
    tr -s '\t\n' '  ' <"$1" | grep -qF -- "$2" || { cat "$1"; false; }
}

if "$tool" convert "$box/box.md5mesh" --for doom3 -o "$scratch/probe/box.md5mesh" 2>&1 | grep -q 'built without'; then
    skip "images" "md5tool is built without stb"
    finish
fi

# -- Doom 3 ---------------------------------------------------------------------------------------
doom=$scratch/doom3/models/box
check "for Doom 3" convert_box doom3
check "an image is written as TGA without opaque alpha" run_looks_py is "$doom/plain.tga" plain
check "an image with holes keeps its alpha" run_looks_py is "$doom/holes.tga" holes
check "normals with green down are unchanged" run_looks_py is "$doom/down_local.tga" normal
check "normals with green up are inverted" run_looks_py is "$doom/up_local.tga" normal
check "inverted normals are reported" expect_message doom3 "up_local.png: green channel points up"
mtr=$scratch/doom3/materials/box_hero.mtr
check "a plain material is declared" file_contains "$mtr" '"models/box/plain" { diffusemap models/box/plain }'
check "a material with holes is declared" file_contains "$mtr" \
    '"models/box/holes" { twosided { blend diffusemap map models/box/holes alphaTest 0.5 } }'
check "a material with a normal map is declared" file_contains "$mtr" \
    '"models/box/up" { diffusemap models/box/up bumpmap models/box/up_local }'
check "an existing declaration keeps its text" file_contains "$mtr" \
    'models/box/light { twosided { blend add map models/box/light.tga } }'
def_is_complete() {
    "$tool" explain "$scratch/doom3" box_hero >"$scratch/out" && ! grep -i missing "$scratch/out" &&
        [ "$(grep -c '^  clip: ' "$scratch/out")" = 2 ] && [ "$(grep -c '^  material: .*declared' "$scratch/out")" = 5 ]
}
check "the modelDef names the model, its clips and all materials" def_is_complete
md5tool_check_passes() {
    "$tool" check --for doom3 "$scratch/doom3" >"$scratch/out" 2>&1 || { cat "$scratch/out"; false; }
}
check "the output has no errors" md5tool_check_passes

# -- Other families -------------------------------------------------------------------------------
check "a model is converted for Cube 2" convert_box cube2
check "a PNG file is written without opaque alpha" run_looks_py is "$scratch/cube2/models/box/plain.png" plain
check "an unchanged image is copied" run_looks_py bytes "$scratch/cube2/models/box/holes.png" "$box/holes.png"
check "additive light becomes alpha" run_looks_py is "$scratch/cube2/models/box/light.png" added
check "converted blending is reported" expect_message cube2 "unsupported blend mode, which adds to the background: using alpha blending instead"

# The meshes of these shaders with their names in the file, and the clips with their rates.
cube2_config_is_correct() {
    python3 - "$scratch/cube2/models/box" <<'END'
import os, re, sys
os.chdir(sys.argv[1])
names = {shader.split('/')[-1]: name for name, shader in re.findall(r'// meshes: (\S+)\n\s*shader "(.*)"', open('hero.md5mesh').read())}
looks = {'plain': ['md5skin plain.png'], 'up': ['md5skin up.png', 'md5bumpmap up_local.png'],
         'down': ['md5skin down.png', 'md5bumpmap down_local.png'],
         'holes': ['md5skin holes.png', 'md5alphatest 0.5', 'md5cullface 0'],
         'light': ['md5skin light.png', 'md5alphablend 1', 'md5cullface 0', 'md5fullbright 1']}
expected = ['md5load hero.md5mesh']
for clip in ('open', 'shut'):
    rate, = re.findall(r'frameRate (\S+)', open(clip + '.md5anim').read())
    expected.append('md5anim %s %s.md5anim %s' % (clip, clip, rate))
expected += [row.replace(' ', ' %s ' % names[shader]) for shader, rows in looks.items() for row in rows]
got = open('md5.cfg').read().splitlines()
print(got, expected)
assert len(set(names.values())) == 5 and sorted(got) == sorted(expected) and got[0] == expected[0]
assert all(os.path.exists(row.split()[2]) for row in got if row.split()[0] in ('md5skin', 'md5bumpmap', 'md5anim'))
END
}
check "md5.cfg lists files and images" cube2_config_is_correct
md5_cfg_has_no_warnings() {
    "$tool" info "$scratch/cube2/models/box/md5.cfg" >"$scratch/out" && grep -q '^  warnings  *0$' "$scratch/out" || { cat "$scratch/out"; false; }
}
check "md5.cfg has no warnings" md5_cfg_has_no_warnings

progs=$scratch/ironwail/models/box/progs
check "for Ironwail" convert_box ironwail
check "skins are named after shaders" run_looks_py bytes "$progs/holes_00_00.png" "$box/holes.png"
shader_names_are_short() {
    [ "$(grep -c '^	shader "[a-z]*"' "$progs/hero.md5mesh")" = 5 ]
}
check "shader names have no folders" shader_names_are_short
# Compares the merged clip with the two original clips: frame N with frame N of the first clip, or with frame N - 5 of the
# second clip.
merged_clip_matches() {
    "$tool" dump "$box/box.md5mesh" "$progs/hero.md5anim" --joint lid \
        --frame 0 --frame 4 --frame 5 --frame 7 | grep '^world' >"$scratch/one"
    {
        "$tool" dump "$box/box.md5mesh" "$box/open.md5anim" --joint lid --frame 0 --frame 4
        "$tool" dump "$box/box.md5mesh" "$box/shut.md5anim" --joint lid --frame 0 --frame 2
    } | grep '^world' >"$scratch/two"
    [ "$(wc -l <"$scratch/one")" -eq 4 ] && cmp "$scratch/one" "$scratch/two" && grep -q '^numFrames 8$' "$progs/hero.md5anim"
}
check "one clip contains the frames of both" merged_clip_matches
check "the start frame of each clip is reported" expect_message ironwail "clip shut was written to hero.md5anim, starting at frame 5"
all_components_are_animated() {
    ! grep -E '"(origin|lid)"' "$progs/hero.md5anim" | grep -v -- ' 63 '
}
check "clips have all components, because Ironwail ignores base frames" all_components_are_animated
bind_pose_matches() {
    rest_model=$scratch/rest/progs/thimble
    "$tool" convert models/thimble/thimble.md5mesh -o "$rest_model.md5mesh" --for ironwail >"$scratch/out" 2>&1
    "$tool" dump "$rest_model.md5mesh" | awk '$1 == "bindmat" { for (i = 2; i <= NF; i++) print $i }' >"$scratch/bind"
    "$tool" dump "$rest_model.md5mesh" "$rest_model.md5anim" | awk '$1 == "world" { for (i = 2; i <= NF; i++) print $i }' >"$scratch/pose"
    paste "$scratch/bind" "$scratch/pose" | awk '
        { off = $1 - $2; if (off < 0) off = -off; if (off > 1e-4) print }
        END { if (NR < 24) print NR " numbers" }' >"$scratch/off"
    cat "$scratch/off" && [ ! -s "$scratch/off" ]
}
check "a model without clips gets a clip of its bind pose" bind_pose_matches
check "for q2pro" convert_box q2pro
check "files for q2pro are in a folder md5" [ -f "$scratch/q2pro/models/box/md5/hero.md5anim" ]

# -- Errors ---------------------------------------------------------------------------------------
check "an unknown engine is rejected" exits_with 2 "unknown engine 'quakee'" \
    "$tool" convert "$box/box.md5mesh" -o "$scratch/none/x.md5mesh" --for quakee
check "errors for the engine are printed with status 1" exits_with 1 "[q2pro-limit]" \
    "$tool" convert models/bobbin/bobbin.md5mesh -o "$scratch/alone/md5/bobbin.md5mesh" --for q2pro
reports_damaged_image() {
    mkdir "$scratch/damaged" && cp "$box/box.md5mesh" "$scratch/damaged" && head -c 100 "$box/plain.png" >"$scratch/damaged/plain.png" &&
        exits_with 0 "damaged/plain.png: truncated PNG: chunk IDAT" "$tool" convert "$scratch/damaged/box.md5mesh" --for doom3 \
            -o "$scratch/damaged/out/hero.md5mesh" && [ ! -e "$scratch/damaged/out/plain.tga" ]
}
check "a damaged image is reported as a note" reports_damaged_image
skips_material_without_name() {
    mkdir "$scratch/unnamed" && sed 's/shader .*/shader ""/' models/zoo/twist.md5mesh >"$scratch/unnamed/a.md5mesh" &&
        exits_with 0 "skipped a material, because it has no name; name it in the model" "$tool" convert "$scratch/unnamed/a.md5mesh" \
            --texture "$box/plain.png" --for doom3 -o "$scratch/unnamed/out/a.md5mesh" &&
        exits_with 0 "note: no image is searched for a material without a name; name it in the model" "$tool" convert "$scratch/unnamed/a.md5mesh" -o "$scratch/unnamed/a.glb" &&
        ! grep 'image not found' "$scratch/out"
}
check "a material without a name is reported" skips_material_without_name
keeps_existing_file() {
    ! "$tool" convert "$box/box.md5mesh" --for doom3 -o "$scratch/doom3/models/box/hero.md5mesh" 2>"$scratch/out" &&
        grep -q 'the file already exists; use --force to overwrite it' "$scratch/out"
}
check "existing files are not overwritten" keeps_existing_file
finish

#!/bin/sh
# md5view without a window: options, wrong usage, invalid files, images, frame times.
# test_view_pictures.c tests in one process that each option changes the image; window.sh controls the
# viewer in a window.
. test/build/report.sh
view=$products/md5view
data=test/reference/data
model=$data/still.md5mesh # small, so that it loads quickly
anim=$data/still.md5anim
bobbin_mesh=$models/bobbin/bobbin.md5mesh
flight=$models/bobbin/flight.md5camera
low_resolution=--resolution=240,135 # enough to compare

# The viewer always draws off screen in this script. Another test checks that it selects this automatically.
unset DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER

# viewer_exits STATUS ARGUMENTS...: returns success if the viewer exits with that status. Its output is then
# in $scratch/out and $scratch/err.
viewer_exits() {
    expected=$1
    shift
    "$view" "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
    [ $status -eq "$expected" ] || { echo "status $status, expected $expected"; cat "$scratch/err"; false; }
}
# output_contains out|err TEXT: returns success if the output of the last viewer_exits contains TEXT.
output_contains() {
    grep -qF -- "$2" "$scratch/$1" || { echo "does not say '$2':"; cat "$scratch/$1"; false; }
}
# has_line_count out|err N: returns success if the output of the last viewer_exits has N lines.
has_line_count() {
    [ "$(wc -l <"$scratch/$1")" -eq "$2" ] || { echo "not $2 lines:"; cat "$scratch/$1"; false; }
}

# -- Help and usage -----------------------------------------------------------------------------

help_is_complete() {
    viewer_exits 0 --help && has_line_count err 0 && output_contains out 'MODEL.md5mesh' && output_contains out '--animation-time' &&
        viewer_exits 0 -h && output_contains out 'Exit status'
}
has_bindings() {
    viewer_exits 0 --list-bindings && for key in Space Home V F12 'Ctrl+Q' J 'Ctrl+B or Shift+H' PageDown \
        'Left drag' 'Wheel'; do output_contains out "  $key" || return 1; done
}
# Every option in the help exists: an empty value is reported as wrong usage. test_view_ui.c checks
# the same in one process.
knows_options() {
    viewer_exits 0 --help && sed -n 's/^  \(--[a-z-]*\).*/\1/p' "$scratch/out" >"$scratch/options"
    [ "$(wc -l <"$scratch/options")" -gt 30 ] || return 1
    while read -r option; do
        viewer_exits 2 "$option=" && output_contains err "$option: expected " || return 1
    done <"$scratch/options"
}
# completion_is LINE WORD...: bash completes the last word of LINE to these words. LINE has a space wherever
# bash splits at "=".
completion_is() {
    line=$1
    shift
    viewer_exits 0 --completions bash && completed=$(bash -c '
        . "$1"
        read -ra COMP_WORDS <<<"$2"
        [[ $2 == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _md5view
        echo "${COMPREPLY[*]}"' - "$scratch/out" "$line") &&
        [ "$completed" = "$*" ] || { echo "'$line' becomes '$completed'"; false; }
}
# Shells read the completions without a message, and the completions contain every option of the help. zsh
# and fish are tested if they are installed.
has_completions() {
    viewer_exits 0 --help && cp "$scratch/out" "$scratch/help"
    for shell in bash zsh fish; do
        viewer_exits 0 --completions $shell && has_line_count err 0 || return 1
        if command -v $shell >"$scratch/found"; then $shell -n "$scratch/out" || return 1; fi
        sed -n 's/^  --\([a-z-]*\).*/\1/p' "$scratch/help" | sort >"$scratch/options"
        grep -oE -- '(--|-l )[a-z-]+' "$scratch/out" | sed 's/^--//; s/^-l //' | sort -u >"$scratch/completed"
        [ -z "$(comm -23 "$scratch/options" "$scratch/completed")" ] ||
            { echo "$shell: no"; comm -23 "$scratch/options" "$scratch/completed"; return 1; }
    done
}
# The formatted page, if groff is installed, has every option and no warning.
has_manual() {
    viewer_exits 0 --man && has_line_count err 0 && cp "$scratch/out" "$scratch/page" || return 1
    if command -v mandoc >"$scratch/found"; then mandoc -T lint -W error "$scratch/page" || return 1; fi
    if command -v groff >"$scratch/found"; then
        groff -man -Tascii -ww "$scratch/page" >"$scratch/read" 2>"$scratch/err" && has_line_count err 0 || return 1
    else
        sed 's/\\-/-/g; s/\\f[BIR]//g' "$scratch/page" >"$scratch/read"
    fi
    sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g' "$scratch/read" | sed -nE 's/^ *--([a-z-]+)( .*)?$/\1/p' | sort -u \
        >"$scratch/explained"
    [ -s "$scratch/options" ] && [ -z "$(comm -23 "$scratch/options" "$scratch/explained")" ] ||
        { echo "missing:"; comm -23 "$scratch/options" "$scratch/explained"; return 1; }
}
# check_usage_error TITLE WORD ARGUMENTS...: checks that the viewer prints one line with that word and exits with status 2.
check_usage_error() {
    title=$1 word=$2
    shift 2
    fails_with_usage_error() {
        viewer_exits 2 "$@" && has_line_count err 1 && output_contains err "$word" && has_line_count out 0
    }
    check "usage: $title" fails_with_usage_error "$@"
}
check "--help prints the options" help_is_complete
check "--version is accepted" viewer_exits 0 --version
check "--list-bindings prints the shortcuts" has_bindings
check_long "all options in the help exist" knows_options
check "shells complete every option" has_completions
check "bash completes an option" completion_is 'md5view --no-sh' --no-shadow
check "bash completes the value of an option" completion_is 'md5view --light st' studio
check "bash completes the value of an option after =" completion_is 'md5view --light = c' classic
check "bash completes yes and no after = of a switch" completion_is 'md5view --grid =' yes no
check "bash completes file names after a switch" completion_is 'md5view --grid y'
check "bash completes file names for --output" completion_is 'md5view --output '
check "the manual page has every option" has_manual
check_usage_error "unknown shell" "bash, zsh or fish" --completions tcsh
check_usage_error "unknown option" "unknown option --frobnicate; use --help to list all options" --frobnicate
check_usage_error "a similar option is suggested" "did you mean --resolution" --resolutoin 3,4
check_usage_error "missing value" "option --output has no value: expected FILE" --output
check_usage_error "resolution of zero" "W,H" --resolution 0,5
check_usage_error "resolution that is not a number" "W,H" --resolution big
check_usage_error "resolution too large" "W,H" --resolution 100000,5
check_usage_error "invalid time" "--animation-time" --animation-time 1,,2
check_usage_error "negative index" "--animation-index" --animation-index -1
check_usage_error "unknown skinning path" "4, 8, exact, cpu or compute" --skinning-path 5
check_usage_error "unknown skinning" "linear or dual" --skinning rubber
check_usage_error "unknown lighting" "studio or classic" --light disco
check_usage_error "unknown light" "NAME=VALUE" --lights moon=1
check_usage_error "light too bright" "NAME=VALUE" --lights key=1,sky=4
check_usage_error "unknown root mode" "file, id or in_place" --root sideways
check_usage_error "invalid color" "--background-color" --background-color '#12'
check_usage_error "switch with an invalid value" "yes or no" --grid=perhaps
check_usage_error "elevation above 90 degrees" "--camera-elevation-angle" --camera-elevation-angle 91
check_usage_error "outfit of a crowd" "--outfit cannot be combined" --outfit "$bobbin_mesh" --crowd 2 "$model"
check_usage_error "two camera paths" "only one camera path" "$flight" "$flight"
check_usage_error "unsupported image format" \
    "--output: unknown file extension; expected .png, .apng, .gif, .mp4 or .webm, or - for standard output" --output x.jpg
check_usage_error "two jobs" "cannot be combined" --no-render --frames 3
check_usage_error "several images on standard output" "--output - writes only one image; use one --animation-time" \
    --output - --animation-time 0,1

# -- Bad files ----------------------------------------------------------------------------------

: >"$scratch/empty.md5mesh"
printf '\211PNG\r\n\032\n\0\0\0\rIHDR' >"$scratch/picture.md5mesh"
cp "$anim" "$scratch/anim.md5mesh"
cp "$model" "$scratch/mesh.md5anim"
cp "$model" "$scratch/mesh.md5camera"
mkdir "$scratch/folder.md5mesh"
sed 's/"joint/"other/' "$anim" >"$scratch/other.md5anim"
printf 'not a picture' >"$scratch/text.png"

# check_error TITLE WORD ARGUMENTS...: checks that the viewer prints one line with that word, exits with status 1,
# and writes no image.
check_error() {
    title=$1 word=$2
    shift 2
    fails_with_error() {
        rm -f "$scratch/bad.png"
        viewer_exits 1 --output "$scratch/bad.png" --verbose error "$@" && has_line_count err 1 &&
            output_contains err "$word" && has_line_count out 0 && [ ! -e "$scratch/bad.png" ]
    }
    check "bad: $title" fails_with_error "$@"
}
# Checks the same without OpenGL, whose start takes most of the time, for files that are read in the same
# manner with and without OpenGL.
check_file_error() {
    title=$1 word=$2
    shift 2
    fails_with_error() {
        viewer_exits 1 --no-render --verbose error "$@" && has_line_count err 1 && output_contains err "$word" && has_line_count out 0
    }
    check "bad: $title" fails_with_error "$@"
}
check_error "missing file" "missing.md5mesh" "$scratch/missing.md5mesh"
check_file_error "folder" "folder.md5mesh" "$scratch/folder.md5mesh"
check_file_error "empty file" "empty" "$scratch/empty.md5mesh"
check_file_error "image as a model" "not an MD5 file" "$scratch/picture.md5mesh"
check_file_error "animation as a model" "md5anim" "$scratch/anim.md5mesh"
check_file_error "model as an animation" "md5mesh" "$model" "$scratch/mesh.md5anim"
check_file_error "model as an animation alone" "md5mesh" "$scratch/mesh.md5anim"
check_file_error "missing animation" "missing.md5anim" "$model" "$scratch/missing.md5anim"
check_file_error "animation of another skeleton" "other" "$model" "$scratch/other.md5anim"
check_file_error "missing camera path" "missing.md5camera" "$model" "$scratch/missing.md5camera"
check_file_error "model as a camera path" "md5mesh" "$model" "$scratch/mesh.md5camera"
check_file_error "model as a camera path alone" "md5mesh" "$scratch/mesh.md5camera"
check_error "animation index too large" "--animation-index 9" --animation-index 9 "$model" "$anim"
check_error "--ragdoll-time without an articulated figure" "articulated figure" --ragdoll-time 1 "$model" --no-auto
check_error "missing texture" "texture $scratch/missing.png: file not found" --texture "$scratch/missing.png" "$model" --no-auto
check_error "text as a texture" "text.png" --texture "$scratch/text.png" "$model" --no-auto
check_error "folder as a texture" "folder" --texture "$scratch" "$model" --no-auto
check_error "texture of a missing mesh" "--texture: mesh \"nobody\" not found; the model has 2 meshes" --texture nobody="${bobbin_mesh%.md5mesh}.png" "$bobbin_mesh"
check_error "normal map of a missing mesh" "--normal-map: mesh \"nobody\" not found; the model has 2 meshes" \
    --normal-map nobody="${bobbin_mesh%.md5mesh}_local.png" "$bobbin_mesh"
check_error "missing normal map" "normal map" --normal-map "$scratch/missing.png" "$model" --no-auto
check_error "text as a glow map" "glow map" --glow-map "$scratch/text.png" "$model" --no-auto
check_error "output into a missing folder" "cannot write" "$model" --output "$scratch/nowhere/x.png"

# -- No display ---------------------------------------------------------------------------------

without_display() {
    viewer_exits 3 "$model" && has_line_count err 1 && output_contains err "--output"
}
with_dead_display() { # libraries may print messages too
    DISPLAY=:987 viewer_exits 3 "$model" && output_contains err "--output"
}
driver_that_has_no_gl() {
    SDL_VIDEODRIVER=dummy viewer_exits 3 "$model" --output "$scratch/x.png" && has_line_count err 1
}
renders_with_dead_display() {
    DISPLAY=:987 viewer_exits 0 "$model" --output "$scratch/dead.png" --resolution 64,64 --samples 1 && [ -s "$scratch/dead.png" ]
}
check "the viewer prints a message and exits with status 3 without a display" without_display
check "the viewer prints a message and exits with status 3 if the display is unreachable" with_dead_display
check "SDL_VIDEODRIVER is respected" driver_that_has_no_gl
check "an image needs no display, even if DISPLAY is unreachable" renders_with_dead_display

# -- Pictures -----------------------------------------------------------------------------------

shows_own_model() {
    viewer_exits 0 --output "$scratch/own.png" --samples 1 && has_line_count out 0 && output_contains err own.png &&
        [ "$(png size "$scratch/own.png")" = "1280 720" ] && [ "$(png colors "$scratch/own.png")" -eq 1000 ]
}
# Checks that a reader in Python, which shares no code with the writer and verifies the checksums, gives the
# same results.
image_readers_agree() {
    for picture in plain c joints-1; do
        for what in size covered corner colors; do
            png $what "$scratch/$picture.png" || return 1
        done
    done >"$scratch/ours"
    python3 test/viewer/png.py all "$scratch/plain.png" "$scratch/c.png" "$scratch/joints-1.png" \
        >"$scratch/theirs" && diff "$scratch/ours" "$scratch/theirs" &&
        png differ "$scratch/joints-1.png" "$scratch/joints-2.png" >"$scratch/ours" &&
        python3 test/viewer/png.py differ "$scratch/joints-1.png" "$scratch/joints-2.png" \
            >"$scratch/theirs" && diff "$scratch/ours" "$scratch/theirs"
}
image_is_repeatable() {
    viewer_exits 0 "$bobbin_mesh" --output "$scratch/again.png" $low_resolution --animation-index 1 &&
        cmp "$scratch/plain.png" "$scratch/again.png"
}
writes_to_stdout() {
    viewer_exits 0 "$model" --no-auto --output "$scratch/c.png" --resolution 64,64 --samples 1 && cp "$scratch/c.png" "$scratch/file.png" &&
        viewer_exits 0 "$model" --no-auto --output - --resolution 64,64 --samples 1 && cmp "$scratch/file.png" "$scratch/out"
}
writes_several() {
    viewer_exits 0 "$bobbin_mesh" --output "$scratch/t.png" --animation-time 0,0.25,0.5 --resolution 64,64 &&
        [ -s "$scratch/t-1.png" ] && [ -s "$scratch/t-2.png" ] && [ -s "$scratch/t-3.png" ] &&
        ! cmp -s "$scratch/t-1.png" "$scratch/t-2.png"
}
expands_output_names() {
    viewer_exits 0 "$bobbin_mesh" "$models/bobbin/walk.md5anim" --animation-time 0,0.5 --resolution 64,64 \
        --output "$scratch/{model}_{anim}_{frame:04}_{n:02}_{other}.png" &&
        [ -s "$scratch/bobbin_walk_0000_01_{other}.png" ] &&
        [ -s "$scratch/bobbin_walk_0012_02_{other}.png" ]
}
background_has_color() {
    while read -r color options; do
        # shellcheck disable=SC2086 # several words
        viewer_exits 0 "$model" --no-auto --samples 1 --no-shadow --output "$scratch/c.png" --resolution 64,64 $options &&
            [ "$(png corner "$scratch/c.png")" = "$(echo "$color" | tr , ' ')" ] || return 1
    done <<'END'
51,102,153,255 --background-color #336699 --grid=no
255,128,0,255 --background-color 1,0.5,0 --grid=no
0,0,0,0 --no-background
END
}
# The image of a glTF file and its messages are the same as for the result of md5tool convert. No temporary file
# remains.
reads_gltf_like_converted() {
    mkdir "$scratch/temporary" && "$products/md5tool" convert "$bobbin_mesh" "$models/bobbin/walk.md5anim" -o "$scratch/it.glb" &&
        "$products/md5tool" convert "$scratch/it.glb" -o "$scratch/made/" 2>"$scratch/notes" &&
        "$view" $low_resolution --animation-time 0.5 --output "$scratch/made.png" "$scratch/made/it.md5mesh" &&
        TMPDIR=$scratch/temporary viewer_exits 0 $low_resolution --animation-time 0.5 --output "$scratch/it.png" "$scratch/it.glb" &&
        cmp "$scratch/made.png" "$scratch/it.png" && grep -q . "$scratch/notes" && rmdir "$scratch/temporary" || return
    sed 's/^note: //' "$scratch/notes" | while read -r note; do output_contains err "warning: $note" || return; done
}
draws_clip_without_model() {
    viewer_exits 0 "$models/bobbin/walk.md5anim" --output "$scratch/joints.png" --no-background $low_resolution \
        --animation-time 0,0.5 &&
        numbers_satisfy '$1 > 0.001 && $2 > 0.01 && $3 > 0.01 && $4 < 0.99 && $5 < 0.99 && $5 - $3 > 0.4' \
            "$(png covered "$scratch/joints-1.png")" &&
        numbers_satisfy '$1 > 0.0005' "$(png differ "$scratch/joints-1.png" "$scratch/joints-2.png")"
}
check "the viewer shows the built-in model without arguments" shows_own_model
check "a reference image is written" viewer_exits 0 "$bobbin_mesh" --output "$scratch/plain.png" $low_resolution --animation-index 1
check_long "the same arguments give the same image" image_is_repeatable
check "--output - writes to standard output" writes_to_stdout
check_long "several times write several images" writes_several
check_long "fields in the file name are replaced" expands_output_names
check "the background has the requested color" background_has_color
check "a glTF file is converted, and its losses are reported" reads_gltf_like_converted
check "an animation without a model shows moving joints" draws_clip_without_model
check "a reader in Python gives the same results" image_readers_agree

# The clip moves the root; in_place suppresses that. In a single image the model would be in the middle either way.
keeps_in_place() {
    for mode in "file --loop loop" "in_place --loop loop" "id --loop once"; do
        # shellcheck disable=SC2086
        viewer_exits 0 "$data/travel.md5mesh" "$data/travel.md5anim" --sheet 3x1 $low_resolution \
            --camera-azimuth-angle 20 --output "$scratch/root_${mode%% *}.png" --root $mode || return 1
    done
    numbers_satisfy '$1 > 0.001' "$(png differ "$scratch/root_file.png" "$scratch/root_in_place.png")"
}
check "--root in_place suppresses the movement of the root" keeps_in_place

# -- Textures -----------------------------------------------------------------------------------

# A file of N meshes without textures causes N warnings, of which 100 are printed. The names of the shaders contain no
# digits, because textures are also found by similar names.
limits_warnings() {
    mkdir "$scratch/warned" && print_many_meshes 100 >"$scratch/warned/many.md5mesh" && viewer_exits 0 "$scratch/warned/many.md5mesh" $low_resolution --output "$scratch/many.png" --verbose warning && has_line_count err 100 &&
        print_many_meshes 103 >"$scratch/warned/many.md5mesh" && viewer_exits 0 "$scratch/warned/many.md5mesh" $low_resolution --output "$scratch/many.png" --verbose warning && has_line_count err 101 &&
        output_contains err 'md5view: 3 more warnings not shown; use --verbose debug to print all' &&
        viewer_exits 0 "$scratch/warned/many.md5mesh" $low_resolution --output "$scratch/many.png" --verbose debug && output_contains err 'mesh 102 "": texture of shader'
}
print_many_meshes() { # N
    awk -v n="$1" 'BEGIN {
        print "MD5Version 10 commandline \"\" numJoints 1 numMeshes " n " joints { \"origin\" -1 ( 0 0 0 ) ( 0 0 0 ) }"
        for (i = 0; i < n; i++)
            print "mesh { shader \"" sprintf("zq%cjx%cqz", 97 + int(i / 26), 97 + i % 26) "\" numverts 3 vert 0 ( 0 0 ) 0 1 vert 1 ( 1 0 ) 1 1 vert 2 ( 0 1 ) 2 1 numtris 1 tri 0 0 1 2 " \
                "numweights 3 weight 0 0 1 ( 0 0 0 ) weight 1 0 1 ( 1 0 0 ) weight 2 0 1 ( 0 1 0 ) }"
    }'
}
check "a file with many warnings prints 100 of them and counts the rest" limits_warnings

# A broken articulated figure in the folder of the model is reported if an image shows its bodies. It is not read for
# any other image.
reports_broken_figures() {
    mkdir "$scratch/figure" && cp "$bobbin_mesh" "$scratch/figure/own.md5mesh" && echo "articulatedFigure other {}" >"$scratch/figure/own.af" &&
        viewer_exits 0 "$scratch/figure/own.md5mesh" $low_resolution --no-auto --output "$scratch/fig.png" --verbose warning --joint-bounds &&
        output_contains err "own.af: cannot create an articulated figure: setup pose not found: expected af_pose.md5anim or idle.md5anim in the same folder" && cp "$models/bobbin/pat.md5anim" "$scratch/figure/idle.md5anim" &&
        viewer_exits 0 "$scratch/figure/own.md5mesh" $low_resolution --no-auto --output "$scratch/fig.png" --verbose warning --joint-bounds &&
        output_contains err "own.af: cannot create an articulated figure: articulatedFigure of this name not found" &&
        viewer_exits 0 "$scratch/figure/own.md5mesh" "$scratch/figure/idle.md5anim" $low_resolution --output "$scratch/fig.png" --verbose warning && ! grep -q 'own.af' "$scratch/err"
}
check "a broken figure is reported, and is not read for an image without it" reports_broken_figures

# A game folder with a model of many meshes, and textures in various locations. Each case is a mesh with a
# shader, and a file in the game folder that must be found or must not be found.
texture_cases() {
    cat <<'END'
found   skin0.png                 models/imp/skin0.png          as it is
found   models/imp/skin1          models/imp/skin1.png          without its ending
found   models/imp/skin2.tga      models/imp/skin2.png          another ending
found   SKIN3                     models/imp/Skin3.PNG          other case
found   models/imp/skin4          models/imp/skin4_d.png        with _d
found   /elsewhere/art/skin5.png  models/imp/skin5.png          path of another machine
found   C:\art\skin6.tga          models/imp/skin6.png          backslashes and a drive
found   art/skin7                 models/imp/art/skin7.png      in a folder next to the model
found   C:\art\skin8.tga          models/imp/textures/skin8.png in textures/
found   art/imp/skin9.tga         art/imp/skin9.png             from the game's root
found   models/imp/skin12.tga     models/imp/skin12.dds         a DDS file
missing skin10                    skin10.png                    a bare name is not looked for far away
missing models/imp/skin11         models/imp/other11.png        none
END
}
game=$scratch/game
# write_meshes_with_shaders FILE SHADER...: writes the model with a copy of its mesh for each shader.
write_meshes_with_shaders() {
    file=$1
    shift
    sed "s/^numMeshes .*/numMeshes $#/; /^mesh {/,\$d" "$model" >"$file"
    for shader; do
        sed -n '/^mesh {/,$p' "$model" |
            awk -v shader="$shader" '/^[ \t]*shader/ { gsub(/\\/, "\\\\", shader); print "shader \"" shader "\""; next } { print }' >>"$file"
    done
}
finds_textures() {
    mkdir -p "$game/models/imp" && texture_cases >"$scratch/cases" || return 1
    set --
    while read -r _ shader file _; do
        set -- "$@" "$shader"
        mkdir -p "$(dirname "$game/$file")" && cp models/bobbin/bobbin_eye_s.png "$game/$file" || return 1
    done <"$scratch/cases"
    write_meshes_with_shaders "$game/models/imp/imp.md5mesh" "$@"
    viewer_exits 0 "$game/models/imp/imp.md5mesh" --no-auto --output "$scratch/tex.png" --resolution 64,64 \
        --samples 1 --verbose debug && cp "$scratch/err" "$scratch/textures"
}
check "a model with many textures is drawn" finds_textures
mesh=0
while read -r what shader file title; do
    if [ "$what" = found ]; then
        check "texture: $title" grep -F "texture of mesh $mesh: $game/$file" "$scratch/textures"
    else
        check "texture: $title" grep "texture of shader.*$shader.* not found" "$scratch/textures"
    fi
    mesh=$((mesh + 1))
done <"$scratch/cases"
missing_texture_warns_once() {
    write_meshes_with_shaders "$scratch/bare.md5mesh" nowhere/skin
    viewer_exits 0 "$scratch/bare.md5mesh" --no-auto --output "$scratch/tex.png" --resolution 64,64 --samples 1 &&
        [ "$(grep -c 'texture of shader .* not found' "$scratch/err")" -eq 1 ]
}
# A material that cannot be parsed makes a model black.
broken_material_is_black() {
    mkdir -p "$scratch/mod/models" "$scratch/mod/materials"
    write_meshes_with_shaders "$scratch/mod/models/bare.md5mesh" hide
    printf 'hide\n{\n\t{\n\t\tblend diffusemap\n\t\tmapp hide\n\t}\n}\n' >"$scratch/mod/materials/m.mtr"
    viewer_exits 0 "$scratch/mod/models/bare.md5mesh" --no-auto --output "$scratch/tex.png" --resolution 64,64 --samples 1 &&
        output_contains err "materials/m.mtr:5:3: unknown token 'mapp' in material 'hide'"
}
check "the faults of a mesh's material are reported" broken_material_is_black
selected_texture() {
    viewer_exits 0 "$bobbin_mesh" --animation-index 1 $low_resolution --output "$scratch/tex.png" --verbose warning \
        --texture 0=models/bobbin/bobbin_eye_s.png && has_line_count err 0 &&
        numbers_satisfy '$1 > 0.03' "$(png differ "$scratch/plain.png" "$scratch/tex.png")" &&
        viewer_exits 0 "$bobbin_mesh" --animation-index 1 $low_resolution --output "$scratch/tex2.png" --verbose warning \
            --texture skin=models/bobbin/bobbin_eye_s.png && has_line_count err 0 &&
        cmp "$scratch/tex.png" "$scratch/tex2.png"
}
# A texture that was selected in the window is used in images too. Other lines of the configuration are not used.
remembered_texture() {
    printf 'resolution=32,32\ndocument=%s\t--texture=0=%s\n' "$PWD/$bobbin_mesh" \
        "$PWD/models/bobbin/bobbin_eye.png" >"$scratch/chosen"
    viewer_exits 0 "$bobbin_mesh" --animation-index 1 $low_resolution --output "$scratch/tex.png" --config "$scratch/chosen" \
        --verbose warning && has_line_count err 0 &&
        numbers_satisfy '$1 > 0.03' "$(png differ "$scratch/plain.png" "$scratch/tex.png")" &&
        [ "$(wc -l <"$scratch/chosen")" -eq 2 ]
}
# The warning is the same as from md5tool check. A clip that fits gives no warning.
other_units() {
    "$products/md5tool" fix "$models/bobbin/pat.md5anim" --scale 0.0254 --output "$scratch/meters.md5anim" --force >"$scratch/out" &&
        viewer_exits 0 "$bobbin_mesh" "$models/bobbin/pat.md5anim" "$scratch/meters.md5anim" --no-auto --output "$scratch/tex.png" --resolution 64,64 \
            --samples 1 --verbose warning && has_line_count err 1 &&
        output_contains err "meters.md5anim: warning: bones are 0.0254 times as long as in the mesh (meters instead of inches)"
}
check "a clip in other units gives one warning" other_units
check "a texture that was selected in the window is used" remembered_texture
check "a missing texture gives one warning" missing_texture_warns_once
check_long "--texture accepts the number and the name of a mesh" selected_texture

# Maps next to the texture are found by common suffixes. Each suffix has one mesh, whose texture is SkinN_d.png,
# a map with the suffix, and a file that must not match. One run tests all of them.
map_cases() {
    cat <<'END'
normal map      skin0_local.png
normal map      Skin1_nor.png
normal map      skin2_normal.png
height map      skin3_h.png
specular map    skin4_s.png
specular map    SKIN5_SPEC.PNG
glow map        skin6_add.png
glow map        skin7_glow.png
END
}
maps=$scratch/maps
finds_maps() {
    mkdir "$maps" && map_cases >"$scratch/cases" || return 1
    set --
    while read -r _ _ map; do
        for file in "Skin$#_d.png" "skin$#ny_local.png" "$map"; do
            cp models/bobbin/bobbin_eye_s.png "$maps/$file" || return 1
        done
        set -- "$@" "art/Skin$#"
    done <"$scratch/cases"
    # The last mesh has both normals and heights.
    cp models/bobbin/bobbin_eye_s.png "$maps/skin8_local.png"
    cp models/bobbin/bobbin_eye_s.png "$maps/skin8_h.png"
    cp models/bobbin/bobbin_eye_s.png "$maps/Skin8_d.png"
    write_meshes_with_shaders "$maps/skin.md5mesh" "$@" art/Skin8
    viewer_exits 0 "$maps/skin.md5mesh" --no-auto --output "$scratch/tex.png" --resolution 64,64 --verbose debug \
        --samples 1 --panel --statistics && cp "$scratch/err" "$scratch/textures"
}
# Checks that a mesh has this map and no other.
is_map() { # MESH KIND FILE
    grep -F "$2 of mesh $1: $maps/$3" "$scratch/textures" &&
        [ "$(grep -c " map of mesh $1:" "$scratch/textures")" -eq 1 ]
}
finds_maps_of_bobbin() {
    viewer_exits 0 "$bobbin_mesh" --no-auto --output "$scratch/tex.png" --resolution 64,64 --samples 1 --verbose debug &&
        output_contains err "normal map of mesh 0: $PWD/$models/bobbin/bobbin_local.png"
}
check "a model with many maps is drawn" finds_maps
mesh=0
while read -r kind word map; do
    check "maps: $map" is_map $mesh "$kind $word" "$map"
    mesh=$((mesh + 1))
done <"$scratch/cases"
check "maps: heights are added to normals" grep -F "skin8_local.png + skin8_h.png" "$scratch/textures"
check_long "maps: maps of the built-in model" finds_maps_of_bobbin

# -- Camera paths ------------------------------------------------------------------------------------

# A square of 20 by 20 units across the x axis, visible from both sides.
square=$scratch/square.md5mesh
cat >"$square" <<'END'
MD5Version 10
commandline ""
numJoints 1
numMeshes 1
joints {
	"origin" -1 ( 0 0 0 ) ( 0 0 0 )
}
mesh {
	shader "none"
	numverts 4
	vert 0 ( 0 0 ) 0 1
	vert 1 ( 1 0 ) 1 1
	vert 2 ( 1 1 ) 2 1
	vert 3 ( 0 1 ) 3 1
	numtris 4
	tri 0 0 1 2
	tri 1 0 2 3
	tri 2 0 2 1
	tri 3 0 3 2
	numweights 4
	weight 0 0 1 ( 0 -10 10 )
	weight 1 0 1 ( 0 10 10 )
	weight 2 0 1 ( 0 10 -10 )
	weight 3 0 1 ( 0 -10 -10 )
}
END
# write_camera_path FILE CUTS FRAME...: writes a camera path of 10 frames per second.
write_camera_path() {
    file=$1 cuts=$2
    shift 2
    {
        printf 'MD5Version 10\ncommandline ""\nnumFrames %d\nframeRate 10\n' $#
        printf 'numCuts %d\ncuts { %s }\ncamera {\n' "$(echo "$cuts" | wc -w)" "$cuts"
        printf '%s\n' "$@" '}'
    } >"$scratch/$file.md5camera"
}
# This camera is 50 units in front of the square, and rotated by 180 degrees about z to look back at it. Its
# horizontal field of view of 50.936 degrees is a vertical one of 30 degrees in an image of 16:9, as in the
# default camera.
write_camera_path front "" "( 50 0 0 ) ( 0 0 1 ) 50.936126"
write_camera_path wide "" "( 50 5 -4 ) ( 0 0 1 ) 60"
write_camera_path rolled "" "( 50 5 -4 ) ( 0 -0.70710678 0.70710678 ) 60"
write_camera_path away "" "( 50 0 0 ) ( 0 0 0 ) 60"
# This camera moves nearer within 0.1 s. After a cut it looks away from the square.
write_camera_path cut 1 "( 90 0 0 ) ( 0 0 1 ) 60" "( 40 0 0 ) ( 0 0 1 ) 60" "( 50 0 0 ) ( 0 0 0 ) 60" \
    "( 60 0 0 ) ( 0 0 0 ) 60"

# print_square_position CAMERA ARGUMENTS...: draws the square, and prints its position: "fraction left top ..."
print_square_position() {
    from=$1
    shift
    "$view" "$square" "$scratch/$from.md5camera" --output "$scratch/$from.png" --verbose error \
        --no-background $low_resolution "$@" && png covered "$scratch/$from.png"
}
matches_the_user_camera() {
    print_square_position front && viewer_exits 0 "$square" --output "$scratch/orbit.png" --no-background $low_resolution \
        --camera-azimuth-angle 0 --camera-elevation-angle 0 --camera-distance 50 &&
        numbers_satisfy '$1 < 0.001' "$(png differ "$scratch/front.png" "$scratch/orbit.png")"
}
# At 50 units the image is 2 * 50 tan(30) = 57.74 units wide and 32.48 high; y grows to the right.
camera_view_is_exact() {
    numbers_satisfy '$2 > 0.235 && $2 < 0.246 && $4 > 0.581 && $4 < 0.592 &&
           $3 > 0.062 && $3 < 0.074 && $5 > 0.678 && $5 < 0.690' "$(print_square_position wide)"
}
# Checks the image of a camera that is rolled by 90 degrees: z grows to the right, y downward.
camera_rolls() {
    numbers_satisfy '$2 > 0.390 && $2 < 0.402 && $4 > 0.737 && $4 < 0.748 &&
           $3 > 0.032 && $3 < 0.044 && $5 > 0.648 && $5 < 0.660' "$(print_square_position rolled)"
}
camera_looks_away() {
    numbers_satisfy '$1 == 0' "$(print_square_position away)"
}
camera_cuts() {
    viewer_exits 0 "$square" "$scratch/cut.md5camera" --output "$scratch/cut.png" --no-background $low_resolution \
        --animation-time 0,0.099,0.1,0.2 || return 1
    first_view=$(png covered "$scratch/cut-1.png") last_view=$(png covered "$scratch/cut-2.png")
    view_after_cut=$(png covered "$scratch/cut-3.png") repeated_view=$(png covered "$scratch/cut-4.png")
    # The area at 45 units is four times the area at 90 units. The shot ends at 40 units, and is not blended
    # with the next shot.
    numbers_satisfy '$2 > 4 * $1 && $2 < 5.2 * $1 && $1 > 0 && $3 == 0 && $4 == $1' \
        "${first_view%% *} ${last_view%% *} ${view_after_cut%% *} ${repeated_view%% *}"
}
draws_camera_path_without_model() {
    viewer_exits 0 "$scratch/cut.md5camera" --output "$scratch/way.png" --no-background $low_resolution \
        --animation-time 0,0.05 || return 1
    is_drawn='$1 > 0.001 && $4 - $2 > 0.3'
    numbers_satisfy "$is_drawn" "$(png covered "$scratch/way-1.png")" &&
        numbers_satisfy '$1 > 0.0005' "$(png differ "$scratch/way-1.png" "$scratch/way-2.png")"
}
reports_camera_path() {
    viewer_exits 0 --no-render "$bobbin_mesh" "$flight" && output_contains out '64 animations' && has_line_count err 0 &&
        output_contains out 'camera path flight: 273 frames, 2 cuts, 30 fps, 9.000 s' &&
        viewer_exits 0 --no-render "$flight" && output_contains out 'flight: 0 joints' && output_contains out '273 frames'
}
two_sided_draws_back_faces() { # a one-sided sheet from behind; "seen", because an image with the model's name would be its texture
    sed '/^\ttri [23] /d; s/numtris 4/numtris 2/' "$square" >"$scratch/sheet.md5mesh"
    covered_fractions=
    for options in "" "--two-sided"; do
        # shellcheck disable=SC2086
        viewer_exits 0 "$scratch/sheet.md5mesh" --output "$scratch/seen.png" --no-background $low_resolution \
            --camera-azimuth-angle 180 --camera-elevation-angle 0 $options || return 1
        covered_fractions="$covered_fractions $(png covered "$scratch/seen.png" | cut -d' ' -f1)"
    done
    numbers_satisfy '$1 == 0 && $2 > 0.1' "$covered_fractions"
}
check "--two-sided draws back faces" two_sided_draws_back_faces
check "a camera path gives the same image as the user's camera at the same position" matches_the_user_camera
check "the horizontal field of view of a camera path is as computed" camera_view_is_exact
check "a camera path rolls" camera_rolls
check "a camera path that looks away shows nothing" camera_looks_away
check "a cut changes the picture immediately, and the camera path repeats" camera_cuts
check "a camera path without a model shows its course and position" draws_camera_path_without_model
check "--no-render reports a camera path, and still finds animations" reports_camera_path

# -- Clips in the model's folder ------------------------------------------------------------------

finds_clips_of_folder() {
    mkdir "$scratch/folder" && cp "$model" "$scratch/folder/m.md5mesh" &&
        cp "$anim" "$scratch/folder/walk10.md5anim" && cp "$anim" "$scratch/folder/walk9.MD5ANIM" &&
        cp "$scratch/other.md5anim" "$scratch/empty.md5mesh" "$scratch/folder" &&
        cp "$scratch/empty.md5mesh" "$scratch/folder/broken.md5anim" &&
        viewer_exits 0 --no-render "$scratch/folder/m.md5mesh" && output_contains out ", 2 animations" &&
        output_contains out "0 walk9:" && output_contains out "1 walk10:" && has_line_count err 0 &&
        viewer_exits 0 --no-render --no-auto "$scratch/folder/m.md5mesh" && output_contains out ", 0 animations" &&
        viewer_exits 0 --no-render "$scratch/folder/m.md5mesh" "$anim" && output_contains out ", 1 animation, "
}
loads_300_clips_quickly() {
    for i in $(seq 300); do
        cp "$models/bobbin/walk.md5anim" "$scratch/folder/clip$i.md5anim" || return 1
    done
    cp "$bobbin_mesh" "$scratch/folder/bobbin.md5mesh"
    first_view=$(date +%s)
    viewer_exits 0 --no-render "$scratch/folder/bobbin.md5mesh" && output_contains out "300 animations"
    [ $(($(date +%s) - first_view)) -le 20 ]
}
check "matching clips in the folder of the model are found" finds_clips_of_folder
check "a folder of hundreds of clips opens quickly" loads_300_clips_quickly

# -- Frames -------------------------------------------------------------------------------------

times_frames() {
    viewer_exits 0 "$model" --frames 7 --resolution 80,50 && has_line_count out 1 && output_contains out "7 frames of 80x50" &&
        numbers_satisfy '$1 > 0 && $1 <= $2 && $2 <= $3' \
            "$(sed 's/.*min \([0-9.]*\) ms, median \([0-9.]*\) ms, max \([0-9.]*\) ms/\1 \2 \3/' \
                "$scratch/out")"
}
check "--frames prints frame times" times_frames

# -- Vertex paths -------------------------------------------------------------------------------

skins_without_compute() (
    # With these variables, Mesa behaves like a driver of OpenGL 4.2 without compute shaders.
    export MESA_GL_VERSION_OVERRIDE=4.2 MESA_EXTENSION_OVERRIDE=-GL_ARB_compute_shader
    viewer_exits 0 "$model" --no-auto --skinning-path compute --output "$scratch/older.png" --resolution 64,64 &&
        output_contains err 'path "compute" is not supported: expected OpenGL 4.3, found ' && output_contains err "warning: "
)
check "an unavailable skinning path is replaced by another, with a warning" skins_without_compute
check "the time for many clips is linear in their number" \
    python3 test/tool/many_arguments.py "$data/flags.md5anim" \
    "$view" --no-render --no-config "$data/flags.md5mesh"

# -- Options without effect -------------------------------------------------------------------------

# Returns success if the viewer rejects an option, with a value, that has no effect on the image of a model.
# WHAT is the word in the error that names the purpose of the option.
rejects_useless_option() { # OPTION WHAT
    exits_with 2 "$2" "$view" "$model" --output "$scratch/useless.png" "$1" && [ ! -e "$scratch/useless.png" ]
}
rejects_useless_options() {
    while read -r option what; do
        rejects_useless_option "$option" "$what" || { echo "$option"; return 1; }
    done <<'END'
--crowd-reduced=9 --crowd
--crowd-baked=9 --crowd
--crowd-impostors=9 --crowd
--no-environment --environment
--environment-background --environment
--camera-path .md5camera
--camera-smoothing=1 .md5camera
--watch window
--record-as=gif window
--no-auto-quality window
--reduced-motion window
--open-last window
--mute window
--lesson=easing --lesson
END
}
check "options without effect on an image are errors" rejects_useless_options
finish

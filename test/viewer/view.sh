#!/bin/sh
# md5view without a window: options, wrong usage, invalid files, images, frame times.
# test_view_pictures.c tests in one process that each option changes the image; window.sh controls the
# viewer in a window.
. test/build/report.sh
view=$products/md5view
data=test/reference/data
model=$data/still.md5mesh # small, so that it loads quickly
anim=$data/still.md5anim
own=$models/bobbin/bobbin.md5mesh
flight=$models/bobbin/flight.md5camera
small=--resolution=240,135 # enough to compare

# Always off screen. Another test checks that the viewer selects this automatically.
unset DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER

# runs STATUS ARGUMENTS...: true if the viewer exits with that status.
runs() {
    expected=$1
    shift
    "$view" "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
    [ $status -eq "$expected" ] || { echo "status $status, expected $expected"; cat "$scratch/err"; false; }
}
# says out|err TEXT
says() {
    grep -qF -- "$2" "$scratch/$1" || { echo "does not say '$2':"; cat "$scratch/$1"; false; }
}
# lines out|err N
lines() {
    [ "$(wc -l <"$scratch/$1")" -eq "$2" ] || { echo "not $2 lines:"; cat "$scratch/$1"; false; }
}

# -- Help and usage -----------------------------------------------------------------------------

helps() {
    runs 0 --help && lines err 0 && says out 'MODEL.md5mesh' && says out '--animation-time' &&
        runs 0 -h && says out 'Exit status'
}
has_bindings() {
    runs 0 --list-bindings && for key in Space Home V F12 'Ctrl+Q' J 'Ctrl+B or Shift+H' PageDown \
        'Left drag' 'Wheel'; do says out "  $key" || return 1; done
}
# Every option in the help exists: an empty value is reported as wrong usage. test_view_ui.c checks
# the same in one process.
knows_options() {
    runs 0 --help && sed -n 's/^  \(--[a-z-]*\).*/\1/p' "$scratch/out" >"$scratch/options"
    [ "$(wc -l <"$scratch/options")" -gt 30 ] || return 1
    while read -r option; do
        runs 2 "$option=" && says err "$option: expected " || return 1
    done <"$scratch/options"
}
# completes LINE WORD...: bash completes the last word of LINE to these words. LINE has a space wherever
# bash splits at "=".
completes() {
    line=$1
    shift
    runs 0 --completions bash && completed=$(bash -c '
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
    runs 0 --help && cp "$scratch/out" "$scratch/help"
    for shell in bash zsh fish; do
        runs 0 --completions $shell && lines err 0 || return 1
        if command -v $shell >"$scratch/found"; then $shell -n "$scratch/out" || return 1; fi
        sed -n 's/^  --\([a-z-]*\).*/\1/p' "$scratch/help" | sort >"$scratch/options"
        grep -oE -- '(--|-l )[a-z-]+' "$scratch/out" | sed 's/^--//; s/^-l //' | sort -u >"$scratch/completed"
        [ -z "$(comm -23 "$scratch/options" "$scratch/completed")" ] ||
            { echo "$shell: no"; comm -23 "$scratch/options" "$scratch/completed"; return 1; }
    done
}
# The formatted page, if groff is installed, has every option and no warning.
has_manual() {
    runs 0 --man && lines err 0 && cp "$scratch/out" "$scratch/page" || return 1
    if command -v mandoc >"$scratch/found"; then mandoc -T lint -W error "$scratch/page" || return 1; fi
    if command -v groff >"$scratch/found"; then
        groff -man -Tascii -ww "$scratch/page" >"$scratch/read" 2>"$scratch/err" && lines err 0 || return 1
    else
        sed 's/\\-/-/g; s/\\f[BIR]//g' "$scratch/page" >"$scratch/read"
    fi
    sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g' "$scratch/read" | sed -nE 's/^ *--([a-z-]+)( .*)?$/\1/p' | sort -u \
        >"$scratch/explained"
    [ -s "$scratch/options" ] && [ -z "$(comm -23 "$scratch/options" "$scratch/explained")" ] ||
        { echo "missing:"; comm -23 "$scratch/options" "$scratch/explained"; return 1; }
}
# usage TITLE WORD ARGUMENTS...: checks that the viewer prints one line with that word and exits with status 2.
usage() {
    title=$1 word=$2
    shift 2
    misused() {
        runs 2 "$@" && lines err 1 && says err "$word" && lines out 0
    }
    check "usage: $title" misused "$@"
}
check "--help prints the options" helps
check "--version is accepted" runs 0 --version
check "--list-bindings prints the shortcuts" has_bindings
check_long "all options in the help exist" knows_options
check "shells complete every option" has_completions
check "bash completes an option" completes 'md5view --no-sh' --no-shadow
check "bash completes the value of an option" completes 'md5view --light st' studio
check "bash completes the value of an option after =" completes 'md5view --light = c' classic
check "bash completes yes and no after = of a switch" completes 'md5view --grid =' yes no
check "bash completes file names after a switch" completes 'md5view --grid y'
check "bash completes file names for --output" completes 'md5view --output '
check "the manual page has every option" has_manual
usage "unknown shell" "bash|zsh|fish" --completions tcsh
usage "unknown option" "unknown option --frobnicate; use --help to list all options" --frobnicate
usage "a similar option is suggested" "did you mean --resolution" --resolutoin 3,4
usage "missing value" "option --output has no value: expected FILE" --output
usage "resolution of zero" "W,H" --resolution 0,5
usage "resolution that is not a number" "W,H" --resolution big
usage "resolution too large" "W,H" --resolution 100000,5
usage "invalid time" "--animation-time" --animation-time 1,,2
usage "negative index" "--animation-index" --animation-index -1
usage "unknown skinning path" "4|8|exact|cpu|compute" --skinning-path 5
usage "unknown skinning" "linear|dual" --skinning rubber
usage "unknown lighting" "studio|classic" --light disco
usage "unknown light" "NAME=VALUE" --lights moon=1
usage "light too bright" "NAME=VALUE" --lights key=1,sky=4
usage "unknown root mode" "file|id|in_place" --root sideways
usage "invalid color" "--background-color" --background-color '#12'
usage "switch with an invalid value" "yes or no" --grid=perhaps
usage "elevation above 90 degrees" "--camera-elevation-angle" --camera-elevation-angle 91
usage "outfit of a crowd" "--outfit cannot be combined" --outfit "$own" --crowd 2 "$model"
usage "two camera paths" "only one camera path" "$flight" "$flight"
usage "unsupported image format" \
    "--output: unknown file extension; expected .png, .apng, .gif, .mp4 or .webm, or - for standard output" --output x.jpg
usage "two jobs" "cannot be combined" --no-render --frames 3
usage "several images on standard output" "--output - writes only one image; use one --animation-time" \
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

# bad TITLE WORD ARGUMENTS...: checks that the viewer prints one line with that word, exits with status 1,
# and writes no image.
bad() {
    title=$1 word=$2
    shift 2
    refused() {
        rm -f "$scratch/bad.png"
        runs 1 --output "$scratch/bad.png" --verbose error "$@" && lines err 1 &&
            says err "$word" && lines out 0 && [ ! -e "$scratch/bad.png" ]
    }
    check "bad: $title" refused "$@"
}
# Checks the same without OpenGL, whose start takes most of the time, for files that are read in the same
# manner with and without OpenGL.
bad_file() {
    title=$1 word=$2
    shift 2
    refused() {
        runs 1 --no-render --verbose error "$@" && lines err 1 && says err "$word" && lines out 0
    }
    check "bad: $title" refused "$@"
}
bad "missing file" "missing.md5mesh" "$scratch/missing.md5mesh"
bad_file "folder" "folder.md5mesh" "$scratch/folder.md5mesh"
bad_file "empty file" "empty" "$scratch/empty.md5mesh"
bad_file "image as a model" "not an MD5 file" "$scratch/picture.md5mesh"
bad_file "animation as a model" "md5anim" "$scratch/anim.md5mesh"
bad_file "model as an animation" "md5mesh" "$model" "$scratch/mesh.md5anim"
bad_file "model as an animation alone" "md5mesh" "$scratch/mesh.md5anim"
bad_file "missing animation" "missing.md5anim" "$model" "$scratch/missing.md5anim"
bad_file "animation of another skeleton" "other" "$model" "$scratch/other.md5anim"
bad_file "missing camera path" "missing.md5camera" "$model" "$scratch/missing.md5camera"
bad_file "model as a camera path" "md5mesh" "$model" "$scratch/mesh.md5camera"
bad_file "model as a camera path alone" "md5mesh" "$scratch/mesh.md5camera"
bad "animation index too large" "--animation-index 9" --animation-index 9 "$model" "$anim"
bad "--ragdoll-time without an articulated figure" "articulated figure" --ragdoll-time 1 "$model" --no-auto
bad "missing texture" "texture $scratch/missing.png: file not found" --texture "$scratch/missing.png" "$model" --no-auto
bad "text as a texture" "text.png" --texture "$scratch/text.png" "$model" --no-auto
bad "folder as a texture" "folder" --texture "$scratch" "$model" --no-auto
bad "texture of a missing mesh" "--texture: mesh \"nobody\" not found; the model has 2 meshes" --texture nobody="${own%.md5mesh}.png" "$own"
bad "missing normal map" "normal map" --normal-map "$scratch/missing.png" "$model" --no-auto
bad "text as a glow map" "glow map" --glow-map "$scratch/text.png" "$model" --no-auto
bad "output into a missing folder" "cannot write" "$model" --output "$scratch/nowhere/x.png"

# -- No display ---------------------------------------------------------------------------------

without_display() {
    runs 3 "$model" && lines err 1 && says err "--output"
}
with_dead_display() { # libraries may print messages too
    DISPLAY=:987 runs 3 "$model" && says err "--output"
}
driver_that_has_no_gl() {
    SDL_VIDEODRIVER=dummy runs 3 "$model" --output "$scratch/x.png" && lines err 1
}
picture_with_dead_display() {
    DISPLAY=:987 runs 0 "$model" --output "$scratch/dead.png" --resolution 64,64 --samples 1 && [ -s "$scratch/dead.png" ]
}
check "the viewer prints a message and exits with status 3 without a display" without_display
check "the viewer prints a message and exits with status 3 if the display is unreachable" with_dead_display
check "SDL_VIDEODRIVER is respected" driver_that_has_no_gl
check "an image needs no display, even if DISPLAY is unreachable" picture_with_dead_display

# -- Pictures -----------------------------------------------------------------------------------

shows_own_model() {
    runs 0 --output "$scratch/own.png" --samples 1 && lines out 0 && says err own.png &&
        [ "$(png size "$scratch/own.png")" = "1280 720" ] && [ "$(png colors "$scratch/own.png")" -eq 1000 ]
}
# Checks that a reader in Python, which shares no code with the writer and verifies the checksums, gives the
# same results.
readers_agree() {
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
repeats() {
    runs 0 "$own" --output "$scratch/again.png" $small --animation-index 1 &&
        cmp "$scratch/plain.png" "$scratch/again.png"
}
goes_to_stdout() {
    runs 0 "$model" --no-auto --output "$scratch/c.png" --resolution 64,64 --samples 1 && cp "$scratch/c.png" "$scratch/file.png" &&
        runs 0 "$model" --no-auto --output - --resolution 64,64 --samples 1 && cmp "$scratch/file.png" "$scratch/out"
}
writes_several() {
    runs 0 "$own" --output "$scratch/t.png" --animation-time 0,0.25,0.5 --resolution 64,64 &&
        [ -s "$scratch/t-1.png" ] && [ -s "$scratch/t-2.png" ] && [ -s "$scratch/t-3.png" ] &&
        ! cmp -s "$scratch/t-1.png" "$scratch/t-2.png"
}
fills_names() {
    runs 0 "$own" "$models/bobbin/walk.md5anim" --animation-time 0,0.5 --resolution 64,64 \
        --output "$scratch/{model}_{anim}_{frame:04}_{n:02}_{other}.png" &&
        [ -s "$scratch/bobbin_walk_0000_01_{other}.png" ] &&
        [ -s "$scratch/bobbin_walk_0012_02_{other}.png" ]
}
has_color() {
    while read -r color options; do
        # shellcheck disable=SC2086 # several words
        runs 0 "$model" --no-auto --samples 1 --no-shadow --output "$scratch/c.png" --resolution 64,64 $options &&
            [ "$(png corner "$scratch/c.png")" = "$(echo "$color" | tr , ' ')" ] || return 1
    done <<'END'
51,102,153,255 --background-color #336699 --grid=no
255,128,0,255 --background-color 1,0.5,0 --grid=no
0,0,0,0 --no-background
END
}
# The image of a glTF file and its messages are the same as for the result of md5tool convert. No temporary file
# remains.
converts() {
    mkdir "$scratch/temporary" && "$products/md5tool" convert "$own" "$models/bobbin/walk.md5anim" -o "$scratch/it.glb" &&
        "$products/md5tool" convert "$scratch/it.glb" -o "$scratch/made/" 2>"$scratch/notes" &&
        "$view" $small --animation-time 0.5 --output "$scratch/made.png" "$scratch/made/it.md5mesh" &&
        TMPDIR=$scratch/temporary runs 0 $small --animation-time 0.5 --output "$scratch/it.png" "$scratch/it.glb" &&
        cmp "$scratch/made.png" "$scratch/it.png" && grep -q . "$scratch/notes" && rmdir "$scratch/temporary" || return
    sed 's/^note: //' "$scratch/notes" | while read -r note; do says err "warning: $note" || return; done
}
shows_joints_alone() {
    runs 0 "$models/bobbin/walk.md5anim" --output "$scratch/joints.png" --no-background $small \
        --animation-time 0,0.5 &&
        numbers_satisfy '$1 > 0.001 && $2 > 0.01 && $3 > 0.01 && $4 < 0.99 && $5 < 0.99 && $5 - $3 > 0.4' \
            "$(png covered "$scratch/joints-1.png")" &&
        numbers_satisfy '$1 > 0.0005' "$(png differ "$scratch/joints-1.png" "$scratch/joints-2.png")"
}
check "the viewer shows the built-in model without arguments" shows_own_model
check "a reference image is written" runs 0 "$own" --output "$scratch/plain.png" $small --animation-index 1
check_long "the same arguments give the same image" repeats
check "--output - writes to standard output" goes_to_stdout
check_long "several times write several images" writes_several
check_long "fields in the file name are replaced" fills_names
check "the background has the requested color" has_color
check "a glTF file is converted, and its losses are reported" converts
check "an animation without a model shows moving joints" shows_joints_alone
check "a reader in Python gives the same results" readers_agree

# The clip moves the root; in_place suppresses that. In a single image the model would be in the middle either way.
keeps_in_place() {
    for mode in "file --loop loop" "in_place --loop loop" "id --loop once"; do
        # shellcheck disable=SC2086
        runs 0 "$data/travel.md5mesh" "$data/travel.md5anim" --sheet 3x1 $small \
            --camera-azimuth-angle 20 --output "$scratch/root_${mode%% *}.png" --root $mode || return 1
    done
    numbers_satisfy '$1 > 0.001' "$(png differ "$scratch/root_file.png" "$scratch/root_in_place.png")"
}
check "--root in_place suppresses the movement of the root" keeps_in_place

# -- Textures -----------------------------------------------------------------------------------

# A file of N meshes without textures causes N warnings, of which 100 are printed. The names of the shaders contain no
# digits, because textures are also found by similar names.
bounds_warnings() {
    mkdir "$scratch/warned" && many_meshes 100 >"$scratch/warned/many.md5mesh" && runs 0 "$scratch/warned/many.md5mesh" $small --output "$scratch/many.png" --verbose warning && lines err 100 &&
        many_meshes 103 >"$scratch/warned/many.md5mesh" && runs 0 "$scratch/warned/many.md5mesh" $small --output "$scratch/many.png" --verbose warning && lines err 101 &&
        says err 'md5view: 3 more warnings not shown; use --verbose debug to print all' &&
        runs 0 "$scratch/warned/many.md5mesh" $small --output "$scratch/many.png" --verbose debug && says err 'mesh 102 "": texture of shader'
}
many_meshes() { # N
    awk -v n="$1" 'BEGIN {
        print "MD5Version 10 commandline \"\" numJoints 1 numMeshes " n " joints { \"origin\" -1 ( 0 0 0 ) ( 0 0 0 ) }"
        for (i = 0; i < n; i++)
            print "mesh { shader \"" sprintf("zq%cjx%cqz", 97 + int(i / 26), 97 + i % 26) "\" numverts 3 vert 0 ( 0 0 ) 0 1 vert 1 ( 1 0 ) 1 1 vert 2 ( 0 1 ) 2 1 numtris 1 tri 0 0 1 2 " \
                "numweights 3 weight 0 0 1 ( 0 0 0 ) weight 1 0 1 ( 1 0 0 ) weight 2 0 1 ( 0 1 0 ) }"
    }'
}
check "a file with many warnings prints 100 of them and counts the rest" bounds_warnings

# A broken articulated figure in the folder of the model is reported if an image shows its bodies. It is not read for
# any other image.
reports_broken_figures() {
    mkdir "$scratch/figure" && cp "$own" "$scratch/figure/own.md5mesh" && echo "articulatedFigure other {}" >"$scratch/figure/own.af" &&
        runs 0 "$scratch/figure/own.md5mesh" $small --no-auto --output "$scratch/fig.png" --verbose warning --joint-bounds &&
        says err "own.af: cannot create an articulated figure: setup pose not found: expected af_pose.md5anim or idle.md5anim in the same folder" && cp "$models/bobbin/pat.md5anim" "$scratch/figure/idle.md5anim" &&
        runs 0 "$scratch/figure/own.md5mesh" $small --no-auto --output "$scratch/fig.png" --verbose warning --joint-bounds &&
        says err "own.af: cannot create an articulated figure: articulatedFigure of this name not found" &&
        runs 0 "$scratch/figure/own.md5mesh" "$scratch/figure/idle.md5anim" $small --output "$scratch/fig.png" --verbose warning && ! grep -q 'own.af' "$scratch/err"
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
# has_meshes FILE SHADER...: writes the model with a copy of its mesh for each shader.
has_meshes() {
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
    has_meshes "$game/models/imp/imp.md5mesh" "$@"
    runs 0 "$game/models/imp/imp.md5mesh" --no-auto --output "$scratch/tex.png" --resolution 64,64 \
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
one_warning() {
    has_meshes "$scratch/bare.md5mesh" nowhere/skin
    runs 0 "$scratch/bare.md5mesh" --no-auto --output "$scratch/tex.png" --resolution 64,64 --samples 1 &&
        [ "$(grep -c 'texture of shader .* not found' "$scratch/err")" -eq 1 ]
}
# A material that cannot be parsed makes a model black.
broken_material() {
    mkdir -p "$scratch/mod/models" "$scratch/mod/materials"
    has_meshes "$scratch/mod/models/bare.md5mesh" hide
    printf 'hide\n{\n\t{\n\t\tblend diffusemap\n\t\tmapp hide\n\t}\n}\n' >"$scratch/mod/materials/m.mtr"
    runs 0 "$scratch/mod/models/bare.md5mesh" --no-auto --output "$scratch/tex.png" --resolution 64,64 --samples 1 &&
        says err "materials/m.mtr:5:3: unknown token 'mapp' in material 'hide'"
}
check "the faults of a mesh's material are reported" broken_material
selected_texture() {
    runs 0 "$own" --animation-index 1 $small --output "$scratch/tex.png" --verbose warning \
        --texture 0=models/bobbin/bobbin_eye_s.png && lines err 0 &&
        numbers_satisfy '$1 > 0.03' "$(png differ "$scratch/plain.png" "$scratch/tex.png")" &&
        runs 0 "$own" --animation-index 1 $small --output "$scratch/tex2.png" --verbose warning \
            --texture skin=models/bobbin/bobbin_eye_s.png && lines err 0 &&
        cmp "$scratch/tex.png" "$scratch/tex2.png"
}
# A texture that was selected in the window is used in images too. Other lines of the configuration are not used.
remembered_texture() {
    printf 'resolution=32,32\ndocument=%s\t--texture=0=%s\n' "$PWD/$own" \
        "$PWD/models/bobbin/bobbin_eye.png" >"$scratch/chosen"
    runs 0 "$own" --animation-index 1 $small --output "$scratch/tex.png" --config "$scratch/chosen" \
        --verbose warning && lines err 0 &&
        numbers_satisfy '$1 > 0.03' "$(png differ "$scratch/plain.png" "$scratch/tex.png")" &&
        [ "$(wc -l <"$scratch/chosen")" -eq 2 ]
}
# The warning is the same as from md5tool check. A clip that fits gives no warning.
other_units() {
    "$products/md5tool" fix "$models/bobbin/pat.md5anim" --scale 0.0254 --output "$scratch/meters.md5anim" --force >"$scratch/out" &&
        runs 0 "$own" "$models/bobbin/pat.md5anim" "$scratch/meters.md5anim" --no-auto --output "$scratch/tex.png" --resolution 64,64 \
            --samples 1 --verbose warning && lines err 1 &&
        says err "meters.md5anim: warning: bones are 0.0254 times as long as in the mesh (meters instead of inches)"
}
check "a clip in other units gives one warning" other_units
check "a texture that was selected in the window is used" remembered_texture
check "a missing texture gives one warning" one_warning
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
    has_meshes "$maps/skin.md5mesh" "$@" art/Skin8
    runs 0 "$maps/skin.md5mesh" --no-auto --output "$scratch/tex.png" --resolution 64,64 --verbose debug \
        --samples 1 --panel --statistics && cp "$scratch/err" "$scratch/textures"
}
# Checks that a mesh has this map and no other.
is_map() { # MESH KIND FILE
    grep -F "$2 of mesh $1: $maps/$3" "$scratch/textures" &&
        [ "$(grep -c " map of mesh $1:" "$scratch/textures")" -eq 1 ]
}
own_maps() {
    runs 0 "$own" --no-auto --output "$scratch/tex.png" --resolution 64,64 --samples 1 --verbose debug &&
        says err "normal map of mesh 0: $PWD/$models/bobbin/bobbin_local.png"
}
check "a model with many maps is drawn" finds_maps
mesh=0
while read -r kind word map; do
    check "maps: $map" is_map $mesh "$kind $word" "$map"
    mesh=$((mesh + 1))
done <"$scratch/cases"
check "maps: heights are added to normals" grep -F "skin8_local.png + skin8_h.png" "$scratch/textures"
check_long "maps: maps of the built-in model" own_maps

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
# fly FILE CUTS FRAME...: writes a camera path of 10 frames per second.
fly() {
    file=$1 cuts=$2
    shift 2
    {
        printf 'MD5Version 10\ncommandline ""\nnumFrames %d\nframeRate 10\n' $#
        printf 'numCuts %d\ncuts { %s }\ncamera {\n' "$(echo "$cuts" | wc -w)" "$cuts"
        printf '%s\n' "$@" '}'
    } >"$scratch/$file.md5camera"
}
# From 50 units in front, rotated by 180 degrees about z to look back at the square. Its horizontal field of view
# of 50.936 degrees is a vertical one of 30 degrees in an image of 16:9, as in the default camera.
fly front "" "( 50 0 0 ) ( 0 0 1 ) 50.936126"
fly wide "" "( 50 5 -4 ) ( 0 0 1 ) 60"
fly rolled "" "( 50 5 -4 ) ( 0 -0.70710678 0.70710678 ) 60"
fly away "" "( 50 0 0 ) ( 0 0 0 ) 60"
# Moves nearer within 0.1 s, then looks away.
fly cut 1 "( 90 0 0 ) ( 0 0 1 ) 60" "( 40 0 0 ) ( 0 0 1 ) 60" "( 50 0 0 ) ( 0 0 0 ) 60" \
    "( 60 0 0 ) ( 0 0 0 ) 60"

# seen_from CAMERA ARGUMENTS...: draws the square, and prints its position: "fraction left top ..."
seen_from() {
    from=$1
    shift
    "$view" "$square" "$scratch/$from.md5camera" --output "$scratch/$from.png" --verbose error \
        --no-background $small "$@" && png covered "$scratch/$from.png"
}
matches_the_user_camera() {
    seen_from front && runs 0 "$square" --output "$scratch/orbit.png" --no-background $small \
        --camera-azimuth-angle 0 --camera-elevation-angle 0 --camera-distance 50 &&
        numbers_satisfy '$1 < 0.001' "$(png differ "$scratch/front.png" "$scratch/orbit.png")"
}
# At 50 units the image is 2 * 50 tan(30) = 57.74 units wide and 32.48 high; y grows to the right.
looks_as_computed() {
    numbers_satisfy '$2 > 0.235 && $2 < 0.246 && $4 > 0.581 && $4 < 0.592 &&
           $3 > 0.062 && $3 < 0.074 && $5 > 0.678 && $5 < 0.690' "$(seen_from wide)"
}
# Rolled by 90 degrees: z grows to the right, y downward.
rolls() {
    numbers_satisfy '$2 > 0.390 && $2 < 0.402 && $4 > 0.737 && $4 < 0.748 &&
           $3 > 0.032 && $3 < 0.044 && $5 > 0.648 && $5 < 0.660' "$(seen_from rolled)"
}
looks_away() {
    numbers_satisfy '$1 == 0' "$(seen_from away)"
}
cuts() {
    runs 0 "$square" "$scratch/cut.md5camera" --output "$scratch/cut.png" --no-background $small \
        --animation-time 0,0.099,0.1,0.2 || return 1
    begin=$(png covered "$scratch/cut-1.png") late=$(png covered "$scratch/cut-2.png")
    after_cut=$(png covered "$scratch/cut-3.png") again=$(png covered "$scratch/cut-4.png")
    # The area at 45 units is four times the area at 90 units; the shot ends at 40 units, and never blends.
    numbers_satisfy '$2 > 4 * $1 && $2 < 5.2 * $1 && $1 > 0 && $3 == 0 && $4 == $1' \
        "${begin%% *} ${late%% *} ${after_cut%% *} ${again%% *}"
}
flight_alone() {
    runs 0 "$scratch/cut.md5camera" --output "$scratch/way.png" --no-background $small \
        --animation-time 0,0.05 || return 1
    is_drawn='$1 > 0.001 && $4 - $2 > 0.3'
    numbers_satisfy "$is_drawn" "$(png covered "$scratch/way-1.png")" &&
        numbers_satisfy '$1 > 0.0005' "$(png differ "$scratch/way-1.png" "$scratch/way-2.png")"
}
reports_camera_path() {
    runs 0 --no-render "$own" "$flight" && says out '64 animations' && lines err 0 &&
        says out 'camera path flight: 273 frames, 2 cuts, 30 fps, 9.000 s' &&
        runs 0 --no-render "$flight" && says out 'flight: 0 joints' && says out '273 frames'
}
back_faces() { # a one-sided sheet from behind; "seen", because an image with the model's name would be its texture
    sed '/^\ttri [23] /d; s/numtris 4/numtris 2/' "$square" >"$scratch/sheet.md5mesh"
    seen=
    for options in "" "--two-sided"; do
        # shellcheck disable=SC2086
        runs 0 "$scratch/sheet.md5mesh" --output "$scratch/seen.png" --no-background $small \
            --camera-azimuth-angle 180 --camera-elevation-angle 0 $options || return 1
        seen="$seen $(png covered "$scratch/seen.png" | cut -d' ' -f1)"
    done
    numbers_satisfy '$1 == 0 && $2 > 0.1' "$seen"
}
check "--two-sided draws back faces" back_faces
check "a camera path gives the same image as the user's camera at the same position" matches_the_user_camera
check "the horizontal field of view of a camera path is as computed" looks_as_computed
check "a camera path rolls" rolls
check "a camera path that looks away shows nothing" looks_away
check "a cut changes the picture immediately, and the camera path repeats" cuts
check "a camera path without a model shows its course and position" flight_alone
check "--no-render reports a camera path, and still finds animations" reports_camera_path

# -- Clips in the model's folder ------------------------------------------------------------------

picks_up() {
    mkdir "$scratch/folder" && cp "$model" "$scratch/folder/m.md5mesh" &&
        cp "$anim" "$scratch/folder/walk10.md5anim" && cp "$anim" "$scratch/folder/walk9.MD5ANIM" &&
        cp "$scratch/other.md5anim" "$scratch/empty.md5mesh" "$scratch/folder" &&
        cp "$scratch/empty.md5mesh" "$scratch/folder/broken.md5anim" &&
        runs 0 --no-render "$scratch/folder/m.md5mesh" && says out ", 2 animations" &&
        says out "0 walk9:" && says out "1 walk10:" && lines err 0 &&
        runs 0 --no-render --no-auto "$scratch/folder/m.md5mesh" && says out ", 0 animations" &&
        runs 0 --no-render "$scratch/folder/m.md5mesh" "$anim" && says out ", 1 animation, "
}
stays_quick() {
    for i in $(seq 300); do
        cp "$models/bobbin/walk.md5anim" "$scratch/folder/clip$i.md5anim" || return 1
    done
    cp "$own" "$scratch/folder/bobbin.md5mesh"
    begin=$(date +%s)
    runs 0 --no-render "$scratch/folder/bobbin.md5mesh" && says out "300 animations"
    [ $(($(date +%s) - begin)) -le 20 ]
}
check "matching clips in the folder of the model are found" picks_up
check "a folder of hundreds of clips opens quickly" stays_quick

# -- Frames -------------------------------------------------------------------------------------

times_frames() {
    runs 0 "$model" --frames 7 --resolution 80,50 && lines out 1 && says out "7 frames of 80x50" &&
        numbers_satisfy '$1 > 0 && $1 <= $2 && $2 <= $3' \
            "$(sed 's/.*min \([0-9.]*\) ms, median \([0-9.]*\) ms, max \([0-9.]*\) ms/\1 \2 \3/' \
                "$scratch/out")"
}
check "--frames prints frame times" times_frames

# -- Vertex paths -------------------------------------------------------------------------------

takes_another_path() (
    # Mesa then behaves like a driver of this version.
    export MESA_GL_VERSION_OVERRIDE=4.2 MESA_EXTENSION_OVERRIDE=-GL_ARB_compute_shader
    runs 0 "$model" --no-auto --skinning-path compute --output "$scratch/older.png" --resolution 64,64 &&
        says err 'path "compute" is not supported: expected OpenGL 4.3, found ' && says err "warning: "
)
check "an unavailable skinning path is replaced by another, with a warning" takes_another_path
check "the time for many clips is linear in their number" \
    python3 test/tool/many_arguments.py "$data/flags.md5anim" \
    "$view" --no-render --no-config "$data/flags.md5mesh"

# -- Options without effect -------------------------------------------------------------------------

# Options, with a value, that have no effect on the image of a model, and the word in the error that names their purpose.
is_useless() { # OPTION WHAT
    exits_with 2 "$2" "$view" "$model" --output "$scratch/useless.png" "$1" && [ ! -e "$scratch/useless.png" ]
}
useless() {
    while read -r option what; do
        is_useless "$option" "$what" || { echo "$option"; return 1; }
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
check "options without effect on an image are errors" useless
finish

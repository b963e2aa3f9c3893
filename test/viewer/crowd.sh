#!/bin/sh
# Crowds in md5view: invalid arguments, and the numbers of drawn and posed characters. test_view_crowd.c
# tests their images.
. test/build/report.sh
view=$products/md5view
bobbin=$models/bobbin/bobbin.md5mesh
thimble=$models/thimble/thimble.md5mesh
unset DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER

# check_counts CONDITION ARGUMENTS...: checks an awk condition on the numbers of drawn ($1) and posed characters ($2) per frame
check_counts() {
    condition=$1
    shift
    "$view" --verbose error --frames 8 --resolution 64,48 --samples 1 --no-maps "$@" >"$scratch/out" || return 1
    cat "$scratch/out"
    grep -q '^update: min .* ms; other work: median \|^update: min .* ns per joint; other work: median ' "$scratch/out" || return 1
    # shellcheck disable=SC2046 # two numbers
    numbers_satisfy "$condition" $(sed -n 's/.* models: per frame \(.*\) drawn, \(.*\) posed .*/\1 \2/p' "$scratch/out")
}

# -- Kinds --------------------------------------------------------------------------------------

check "without a model the crowd consists of the built-in models" exits_with 0 '12 characters of 3 models' "$view" --crowd 12 \
    --frames 1 --resolution 64,48 --samples 1 --no-maps --no-shadow
check "models without a common joint are rejected" exits_with 1 'error' "$view" "$bobbin" \
    "$models/bobbin/run.md5anim" test/reference/data/still.md5mesh --no-auto --crowd 12 \
    --no-render
check "a missing model is reported" exits_with 1 'nothing.md5mesh' "$view" "$bobbin" nothing.md5mesh \
    --crowd 12 --no-render
check "more models than characters are rejected" exits_with 1 '--crowd 1: fewer characters than models; use --crowd 2 or more' "$view" "$bobbin" \
    "$thimble" --crowd 1 --no-render

# -- Culling ------------------------------------------------------------------------------------

# The crowds have no shadows, because a shadow prevents culling of a character outside the image, and because
# shadows take most of the time.
clips="$thimble $models/thimble/walk.md5anim --crowd 20 --no-shadow" # small textures
machines="$models/bobbin/bobbin.md5machine --crowd 20 --no-shadow"
near="--camera-distance 100 --camera-elevation-angle 60"
far="--camera-distance 1000" # shows all characters, each of them small
# shellcheck disable=SC2086
check "characters out of view are culled" check_counts '$1 > 0 && $1 < 15 && $2 <= $1' $clips $near

# -- Rates --------------------------------------------------------------------------------------

# shellcheck disable=SC2086
check "small characters are posed every fourth frame, a quarter of them in each" check_counts '$1 == 20 && $2 == 6.9' $clips $far
# shellcheck disable=SC2086
check "at a low frame rate every character is posed every frame" check_counts '$1 == 20 && $2 == 20' $clips $far --frame-rate 10
# shellcheck disable=SC2086
check_long "small characters with a machine are posed less often" check_counts '$1 == 20 && $2 < 10' $machines $far

# -- Triangles ----------------------------------------------------------------------------------

check "--crowd-reduced outside its range is rejected" exits_with 2 'crowd-reduced' "$view" "$bobbin" --crowd 2 \
    --crowd-reduced 1001
# shellcheck disable=SC2086
check "characters of fewer triangles are posed as often as others" check_counts '$1 == 20 && $2 == 6.9' $clips $far --crowd-reduced 512

# -- Impostors ----------------------------------------------------------------------------------

# shellcheck disable=SC2086
check_long "small characters are impostors, which are not posed" check_counts '$1 == 20 && $2 == 0' $clips $far --crowd-impostors 200
# shellcheck disable=SC2086
check_long "characters with a machine are not impostors" check_counts '$1 == 20 && $2 > 0' $machines $far --crowd-impostors 200
# shellcheck disable=SC2086
check "characters with morph targets are not impostors" check_counts '$1 == 20 && $2 > 0' "$bobbin" "$models/bobbin/walk.md5anim" --crowd 20 --no-shadow \
    $far --crowd-impostors 200 --morph smile=1
check "--crowd-impostors outside its range is rejected" exits_with 2 'crowd-impostors' "$view" "$bobbin" --crowd 2 \
    --crowd-impostors 1001

# -- Baked clips --------------------------------------------------------------------------------

# check_detail_levels CONDITION ARGUMENTS...: checks a condition on the numbers of skinned members ($1), baked members ($2),
# impostors ($3) and fading members ($4)
check_detail_levels() {
    level_condition=$1
    shift
    check_counts 1 "$@" || return 1
    # shellcheck disable=SC2046 # four numbers
    numbers_satisfy "$level_condition" $(sed -n 's/^\(.*\) skinned, \(.*\) baked, \(.*\) impostors, \(.*\) of them .*/\1 \2 \3 \4/p' \
        "$scratch/out")
}

# shellcheck disable=SC2086
check "small characters are baked and not posed" check_counts '$1 == 20 && $2 == 0' $clips $far --crowd-baked 200
# shellcheck disable=SC2086
check_long "the frame times report the number of characters of each level" check_detail_levels '$1 == 0 && $2 == 20 && $3 == 0' $clips $far --crowd-baked 200
# shellcheck disable=SC2086
check_long "characters that are small enough for both levels are impostors" check_detail_levels '$1 == 0 && $2 == 0 && $3 == 20 && $4 == 0' $clips $far \
    --crowd-baked 200 --crowd-impostors 200
# shellcheck disable=SC2086
check_long "only characters that play clips are baked" check_detail_levels '$1 == 10 && $2 == 10' "$models/bobbin/bobbin.md5machine" $thimble \
    --crowd 20 --no-shadow $far --crowd-baked 200
check "--crowd-baked outside its range is rejected" exits_with 2 'crowd-baked' "$view" "$bobbin" --crowd 2 \
    --crowd-baked 1001

finish

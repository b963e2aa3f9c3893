#!/bin/sh
# Sends random events from fixed seeds to md5view, without a display: random_input.c replaces the events of SDL. The viewer
# must neither crash nor report an error of OpenGL or of a sanitizer, and no event and no frame may need more than one
# second of processor time (five seconds with sanitizers). window_random.sh tests a real window.
# MD5_RANDOM_EVENTS=20000 and MD5_RANDOM_SEED=N change the number of events of each check and the seed.
. test/build/report.sh

view=$(realpath "$products/md5view")
is_long && default_events=5000 || default_events=500
events=${MD5_RANDOM_EVENTS:-$default_events}
seed=${MD5_RANDOM_SEED:-1}
limit=1
nm "$view" 2>/dev/null | grep -q __asan_init && limit=5
export SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy LP_NUM_THREADS=0 HOME="$scratch"
unset DISPLAY WAYLAND_DISPLAY XDG_CURRENT_DESKTOP

builds_library() {
    # shellcheck disable=SC2046,SC2086 # the compiler and its options may be several words
    ${CC:-cc} -std=c11 -O1 -shared -fPIC $(sdl2-config --cflags) -o "$scratch/random.so" test/viewer/random_input.c -ldl
}
if [ "$(uname)" != Linux ] || ! command -v sdl2-config >/dev/null; then
    skip "$(basename "$0")" "requires Linux and sdl2-config"
    finish
fi

# Files to drop: models, clips that fit and that do not fit, invalid files, an image, folders, archives. The viewer exports
# into the folder of its model, which must not be the source tree.
files=$scratch/files
mkdir "$files"
cp -r "$models/bobbin" "$models/thimble" models/game "$scratch"
cp test/reference/data/still.md5mesh test/reference/data/travel.md5mesh test/reference/data/travel.md5anim \
    models/bobbin/bobbin.png models/bobbin/flight.md5camera models/thimble/walk.md5anim "$files"
printf 'MD5Version 10\ncommandline ""\nnumJoints x\n' >"$files/half.md5mesh"
: >"$files/empty.md5mesh"
head -c 3000 models/game/base/pak000.pk4 >"$files/damaged.pk4"
game=$scratch/game/base
RANDOM_FILES=$(printf '%s\n' "$files"/* "$scratch"/bobbin/*.md5anim "$files" "$scratch/bobbin" "$scratch/thimble" \
    "$scratch/thimble/thimble.md5mesh" "$game" "$scratch/game/winter" "$game/pak000.pk4" "$scratch/missing")
export RANDOM_FILES RANDOM_LIMIT=$limit

# The viewer can end early, because an event selects Quit in a menu. Then the remaining events are sent with another seed.
survives() { # ARGUMENTS...
    [ -f "$scratch/random.so" ] || builds_library || return 1
    remaining=$events run_seed=$seed
    while [ "$remaining" -gt 0 ]; do
        (cd "$scratch" && ASAN_OPTIONS=verify_asan_link_order=0${ASAN_OPTIONS:+:$ASAN_OPTIONS} LD_PRELOAD=$scratch/random.so \
            RANDOM_SEED=$run_seed RANDOM_EVENTS=$remaining "$view" --verbose debug --config="$scratch/remembered" \
            --resolution 800,450 "$@") >"$scratch/log" 2>&1
        status=$?
        sent=$(sed -n 's/^random: \([0-9]*\) events.*/\1/p' "$scratch/log")
        if [ $status -ne 0 ] || [ -z "$sent" ] || grep -E 'GL_|Sanitizer|runtime error|^random: step' "$scratch/log"; then
            echo "seed $run_seed, status $status, after"
            tail -n 40 "$scratch/log"
            return 1
        fi
        remaining=$((remaining - sent)) run_seed=$((run_seed + 1000))
    done
}
check "$events random events with a model" survives "$scratch/bobbin/bobbin.md5mesh"
check "$events random events with a crowd" survives "$scratch/bobbin/bobbin.md5mesh" --crowd 40
check "$events random events with a state machine" survives "$scratch/bobbin/bobbin.md5machine"
check "$events random events with a game folder" survives --game "$game" monster_bobbin_watchman
check "$events random events with the start page" survives
finish

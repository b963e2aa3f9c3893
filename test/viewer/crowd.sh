#!/bin/sh
# Crowds in md5view: of several models, culled, and updated less often far away.
. test/build/report.sh
view=$products/md5view
bobbin=models/bobbin/bobbin.md5mesh
thimble=models/thimble/thimble.md5mesh
spindle=models/spindle/spindle.md5mesh
unset DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER

picture() { # NAME ARGUMENTS...
    name=$1
    shift
    "$view" --verbose error --resolution 120,90 --samples 1 --no-maps --output "$scratch/$name.png" "$@"
}
differs() { # A B
    ! cmp "$scratch/$1.png" "$scratch/$2.png"
}
# counts CONDITION ARGUMENTS...: an awk condition on how many are drawn ($1) and posed ($2) a frame
counts() {
    condition=$1
    shift
    "$view" --verbose error --frames 8 --resolution 64,48 --samples 1 --no-maps "$@" >"$scratch/out" || return 1
    cat "$scratch/out"
    grep -q '^update: min .* ns a joint' "$scratch/out" || return 1
    # shellcheck disable=SC2046 # two numbers
    holds "$condition" $(sed -n 's/.* models: \(.*\) drawn, \(.*\) posed .*/\1 \2/p' "$scratch/out")
}

# -- Kinds --------------------------------------------------------------------------------------

check "a crowd of one model" picture one "$bobbin" --crowd 12
check "of two" picture two "$bobbin" "$thimble" --crowd 12
check "which are both there" differs one two
check "each with animations of its own" picture own "$bobbin" models/bobbin/run.md5anim \
    "$thimble" models/thimble/walk.md5anim --crowd 12
check "which are others" differs two own
check "a model without animations takes the first's" picture borrowed "$bobbin" "$spindle" --crowd 12
check "also its machine" picture machine models/bobbin/bobbin.md5machine "$spindle" --crowd 12 \
    --animation-time 2
check "without a model a crowd of ours" ends_saying 0 '12 characters of 3 models' "$view" --crowd 12 \
    --frames 1 --resolution 64,48
check "but not without any joint in common" ends_saying 1 'error' "$view" "$bobbin" \
    models/bobbin/run.md5anim test/reference/data/still.md5mesh --no-auto --crowd 12 \
    --output "$scratch/x.png"
check "a model that is not there" ends_saying 1 'nothing.md5mesh' "$view" "$bobbin" nothing.md5mesh \
    --crowd 12 --output "$scratch/x.png"
check "more models than characters" ends_saying 1 '2 models for a crowd of 1' "$view" "$bobbin" \
    "$thimble" --crowd 1 --output "$scratch/x.png"
check "several models are a crowd" ends_saying 2 'crowd' "$view" "$bobbin" "$thimble"

# -- Culling ------------------------------------------------------------------------------------

# Those that are left out change no pixel, be it by their shadows: near and far, level and from
# above, with parallel rays, with clips and with machines.
same_without() {
    picture culled "$@" && picture exact "$@" --crowd-exact && cmp "$scratch/culled.png" "$scratch/exact.png"
}
clips="$bobbin models/bobbin/run.md5anim $thimble models/thimble/walk.md5anim --crowd 20"
machines="models/bobbin/bobbin.md5machine --crowd 20 --animation-time 4"
level="--camera-distance 120 --camera-elevation-angle 4"
steep="--camera-distance 150 --camera-elevation-angle 70"
for case in "$clips $level" "$clips $steep" "$clips --camera-distance 300 --camera-orthographic" \
    "$clips $level --no-shadow" "$machines $level" "$machines $steep"; do
    # shellcheck disable=SC2086 # several words
    check "culling changes nothing: $case" same_without $case
done
near="--camera-distance 100 --camera-elevation-angle 60"
# shellcheck disable=SC2086
check "who is out of sight is not drawn" counts '$1 > 0 && $1 < 15 && $2 <= $1' $clips $near
# shellcheck disable=SC2086
check "but everyone where nobody is left out" counts '$1 == 20 && $2 == 20' $clips $near --crowd-exact

# -- Rates --------------------------------------------------------------------------------------

# shellcheck disable=SC2086
check "who is small is posed every fourth frame, in turns" counts '$1 == 20 && $2 == 6.9' $clips
# shellcheck disable=SC2086
check "but every time where frames are rare" counts '$1 == 20 && $2 == 20' $clips --frame-rate 10
# shellcheck disable=SC2086
check "players too" counts '$1 == 20 && $2 < 10' $machines

# -- On the GPU ---------------------------------------------------------------------------------

# A vertex that lies elsewhere by a rounding may change a pixel at an edge.
posed=$bobbin\ $spindle\ --crowd\ 12\ --animation-time\ 1.3
looks_like() { # PICTURE-BY-THE-CPU ARGUMENTS...
    by_cpu=$1
    shift
    # shellcheck disable=SC2086 # several words
    picture there $posed "$@" --animate gpu &&
        holds '$1 < 0.002' "$(png differ "$scratch/there.png" "$scratch/$by_cpu.png")"
}
if "$view" "$bobbin" --crowd 1 --animate gpu --frames 1 --resolution 64,48 2>&1 | grep -qF 'OpenGL 4.3'; then
    skip "--animate gpu" "no compute shaders here"
else
    # shellcheck disable=SC2086 # several words
    check "a crowd posed by the CPU" picture linear $posed --animate cpu
    # shellcheck disable=SC2086 # several words
    check "also by dual quaternions" picture dual $posed --animate cpu --skinning dual
    for case in "linear" "linear --path storage" "linear --path compute" "dual --skinning dual" \
        "linear --crowd-exact"; do
        # shellcheck disable=SC2086
        check "posed by the GPU it looks the same: $case" looks_like $case
    done
    # shellcheck disable=SC2086
    check "who is out of sight is not drawn there either" counts '$1 > 0 && $1 < 15 && $2 <= $1' \
        $clips $near --animate gpu
    check "what is skinned on the CPU is refused" ends_saying 1 'skinned on the CPU' "$view" "$bobbin" \
        --crowd 2 --animate gpu --path cpu --output "$scratch/x.png"
    check "a machine is posed by the CPU, which is told" ends_saying 0 'only the CPU' "$view" \
        models/bobbin/bobbin.md5machine --crowd 2 --animate gpu --frames 1 --resolution 64,48
fi
finish

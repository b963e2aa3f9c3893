#!/bin/sh
# md5view under hands without a plan: thousands of random events from a fixed seed, in a real window
# (Xvfb). It must neither crash nor end by itself nor tell of a GL error, and, built with
# config=sanitize, leak nothing. MD5_RANDOM_EVENTS=10000 and MD5_RANDOM_SEED=N make more of it.
. test/build/report.sh
view=$(realpath "$products/md5view")
events=${MD5_RANDOM_EVENTS:-2500}
seed=${MD5_RANDOM_SEED:-1}

for needed in Xvfb xdotool python3; do
    command -v $needed >/dev/null || {
        skip "random events" "$needed is not installed"
        finish
    }
done

unset WAYLAND_DISPLAY SDL_VIDEODRIVER
viewer=
Xvfb -displayfd 3 -screen 0 3840x2160x24 -nolisten tcp 3>"$scratch/display" 2>"$scratch/xvfb" &
server=$!
end_all() {
    [ -n "$viewer" ] && kill "$viewer" 2>/dev/null
    kill $server 2>/dev/null
    rm -rf "$scratch"
}
trap end_all EXIT
until_true() { # SECONDS COMMAND...
    rounds=$(($1 * 20))
    shift
    while [ $rounds -gt 0 ]; do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.05
        rounds=$((rounds - 1))
    done
    "$@"
}
until_true 20 [ -s "$scratch/display" ] || {
    skip "random events" "Xvfb does not start: $(head -n 1 "$scratch/xvfb")"
    finish
}
DISPLAY=:$(cat "$scratch/display")
export DISPLAY

# A folder to open from: models, animations that fit and that do not, half a file, a picture.
files=$scratch/files
mkdir "$files" "$scratch/pictures"
cp test/reference/data/still.md5mesh test/reference/data/travel.md5mesh \
    test/reference/data/travel.md5anim models/bobbin/bobbin.md5mesh models/bobbin/bobbin.png \
    models/bobbin/walk.md5anim models/bobbin/flight.md5camera "$files"
printf 'MD5Version 10\ncommandline ""\nnumJoints x\n' >"$files/half.md5mesh"

log=$scratch/log
survives() { # ARGUMENTS...
    (cd "$scratch/pictures" && exec "$view" --verbose debug --resolution 800,450 "$@") 2>"$log" &
    viewer=$!
    until_true 30 grep -q '^start: ' "$log" || { cat "$log"; return 1; }
    window=$(xdotool search --onlyvisible --name md5view | tail -n 1)
    python3 test/view_random.py "$window" "$seed" "$events" "$files"/* "$files" 2>/dev/null
    kill -0 $viewer || {
        end_status=0
        wait $viewer || end_status=$?
        viewer=
        echo "it has ended by itself, with status $end_status"
        tail -n 60 "$log"
        return 1
    }
    # Asleep, it would not answer the button of its title bar.
    python3 test/view_x11.py close "$window"
    until_true 30 sh -c "! kill -0 $viewer" || { echo "it does not end"; return 1; }
    end_status=0
    wait $viewer || end_status=$?
    viewer=
    # shellcheck disable=SC2126 # grep -c counts no matches as a failure
    told=$(grep -E '^[a-z-]+: model=' "$log" | wc -l)
    echo "status $end_status, $told actions of $events events"
    [ $end_status -ne 0 ] && tail -n 60 "$log"
    [ $end_status -eq 0 ] && ! grep -E 'GL_|Sanitizer|runtime error' "$log" &&
        [ "$told" -gt $((events / 4)) ]
}
check "$events random events on a model" survives "$files/bobbin.md5mesh"
finish

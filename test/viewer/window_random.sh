#!/bin/sh
# Sends thousands of random events from a fixed seed to md5view in a real window (Xvfb). It must neither
# crash nor exit nor report a GL error, and, built with config=sanitize, leak nothing.
# MD5_RANDOM_EVENTS=10000 and MD5_RANDOM_SEED=N vary the test.
. test/build/report.sh
# shellcheck disable=SC2034 # used by the next
screen=3840x2160
. test/build/window.sh
config=--config=$scratch/remembered
events=${MD5_RANDOM_EVENTS:-1000}
seed=${MD5_RANDOM_SEED:-1}

# A folder to open from: models, animations that fit and that do not, half a file, a picture.
files=$scratch/files
mkdir "$files"
cp test/reference/data/still.md5mesh test/reference/data/travel.md5mesh \
    test/reference/data/travel.md5anim models/bobbin/bobbin.md5mesh models/bobbin/bobbin.png \
    models/bobbin/walk.md5anim models/bobbin/flight.md5camera "$files"
printf 'MD5Version 10\ncommandline ""\nnumJoints x\n' >"$files/half.md5mesh"

survives() { # ARGUMENTS...
    open_viewer "$@" || return 1
    python3 test/viewer/random_events.py "$window" "$seed" "$events" "$files"/* "$files" 2>/dev/null
    kill -0 $viewer || {
        end_status=0
        wait $viewer || end_status=$?
        viewer=
        echo "it has ended by itself, with status $end_status"
        tail -n 60 "$log"
        return 1
    }
    # Asleep, it would not answer the button of its title bar.
    python3 test/viewer/x11.py close "$window"
    ended_with 0 || return 1
    # shellcheck disable=SC2126 # grep -c counts no matches as a failure
    count=$(grep -E '^[a-z-]+: model=' "$log" | wc -l)
    echo "$count actions of $events events"
    ! grep -E 'GL_|Sanitizer|runtime error' "$log" && [ "$count" -gt $((events / 4)) ]
}
check "$events random events on a model" survives "$files/bobbin.md5mesh"
finish

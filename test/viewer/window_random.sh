#!/bin/sh
# Sends thousands of random events from a fixed seed to md5view in a real window (Xvfb). The viewer must neither
# crash nor exit nor report a GL error, and, if built with config=sanitize, leak nothing.
# A third as many events are sent while a game folder is open; game folders and archives are dropped there.
# MD5_RANDOM_EVENTS=10000, MD5_RANDOM_RECORDED_EVENTS=20000, MD5_RANDOM_GAME_EVENTS=10000 and MD5_RANDOM_SEED=N
# change the numbers of events and the seed.
. test/build/report.sh
# shellcheck disable=SC2034 # used by window.sh
screen=3840x2160
. test/build/window.sh
config=--config=$scratch/remembered
is_long && default_events=1000 || default_events=500
events=${MD5_RANDOM_EVENTS:-$default_events}
game_events=${MD5_RANDOM_GAME_EVENTS:-$((events / 3))}
seed=${MD5_RANDOM_SEED:-1}

# A folder of files to open: models, animations that fit and that do not fit, a truncated file, an image.
files=$scratch/files
mkdir "$files"
cp test/reference/data/still.md5mesh test/reference/data/travel.md5mesh \
    test/reference/data/travel.md5anim models/bobbin/bobbin.md5mesh models/bobbin/bobbin.png \
    models/bobbin/walk.md5anim models/bobbin/flight.md5camera "$files"
printf 'MD5Version 10\ncommandline ""\nnumJoints x\n' >"$files/half.md5mesh"

# Returns true if the viewer has ended because an event selected Quit in a menu. Then the test continues with another
# seed.
was_quit() {
    kill -0 $viewer && return 1
    end_status=0
    wait $viewer || end_status=$?
    viewer=
    [ $end_status -eq 0 ] && grep -q '^quit: ' "$log" && ! grep -E 'GL_|Sanitizer|runtime error' "$log"
}
has_acted_or_ended() { # ACTIONS: the viewer has executed more than ACTIONS actions, or has ended
    all_actions_exceed "$1" || ! kill -0 $viewer 2>/dev/null
}
# Sends EVENTS random events to the viewer, which also drop files of $dropped_files.
survives_random_events() { # EVENTS ARGUMENTS...
    sent=$1
    shift
    for seed_offset in 0 1000 2000 3000; do
        open_viewer "$@" || return 1
        # shellcheck disable=SC2086 # several words
        python3 test/viewer/random_events.py "$window" $((seed + seed_offset)) "$sent" $dropped_files 2>/dev/null
        # A missing file is dropped last. When the log names it, all earlier events have been handled.
        python3 test/viewer/x11.py drop "$window" "$scratch/last" 2>/dev/null
        until grep -q "$scratch/last" "$log" || ! kill -0 $viewer 2>/dev/null; do
            until_true has_acted_or_ended "$(count_all_actions)" || {
                echo "it does not come to the last event, after"
                tail -n 5 "$log"
                return 1
            }
        done
        was_quit 2>/dev/null || break
    done
    [ -n "$viewer" ] || {
        echo "it has ended by itself, with status $end_status"
        tail -n 80 "$log"
        return 1
    }
    # A hanging viewer would not react to the button of its title bar.
    python3 test/viewer/x11.py close "$window"
    ended_with 0 || return 1
    # shellcheck disable=SC2126 # grep -c counts no matches as a failure
    count=$(grep -E '^[a-z-]+: model=' "$log" | wc -l)
    echo "$count actions of $sent events"
    faults='GL_|Sanitizer|runtime error'
    # If the leak sanitizer itself crashes, its message contains "Sanitizer", too. It is ignored.
    ! leak_sanitizer_crashed "$log" || faults=GL_
    ! grep -E "$faults" "$log" && [ "$count" -gt $((sent / 4)) ]
}
# Sends events while the viewer plays and records movies. No frame may take half a minute, even on a busy machine. The
# log would report such a frame and its cause.
survives_while_recording() {
    dropped_files=record
    survives_random_events "$@" && ! grep 'no frame was drawn for [3-9]0 s' "$log" && ls "$pictures"/*.apng
}
is_long && default_events=5000 || default_events=500
recorded=${MD5_RANDOM_RECORDED_EVENTS:-$default_events}
# The viewer exports into the folder of its model, which must not be the source tree.
cp -r models/bobbin "$scratch/bobbin"
check "$recorded random events during recording cause no error" survives_while_recording "$recorded" "$scratch/bobbin/bobbin.md5mesh"
dropped_files="$files/* $files"
check "$events random events with a model cause no error" survives_random_events "$events" "$files/bobbin.md5mesh"

# At its end the viewer waits for a conversion, which writes to a pipe without a reader. If it quit before the
# conversion opened the pipe, nothing would be written.
conversion_opens_pipe() {
    for thread in /proc/"$viewer"/task/*; do
        grep -q '^convert$' "$thread/comm" && grep '^State:.S' "$thread/status" && return 0
    done
    return 1
}
reports_pending_conversion() {
    mkfifo "$scratch/out.obj"
    printf 'export=40000004\t\t\t\t\t%s\tout\n' "$scratch" >"$scratch/remembered"
    open_viewer "$bobbin_mesh" && press export ctrl+e && xdotool key Return && press run-export Return && until_true conversion_opens_pipe && press quit ctrl+q || return 1
    until_true grep '^md5view: no frame was drawn for 10 s: waiting for the end of thread convert$' "$log" &&
        cat "$scratch/out.obj" >"$scratch/piped" && ended_with 0
}
check_long "a window that hangs reports the thread that it waits for" reports_pending_conversion

# Game folders, an archive without declarations, a damaged archive, and a folder of the corpus if it exists.
cp -r models/game "$scratch/game"
game=$scratch/game/base
head -c 3000 "$game/pak000.pk4" >"$files/damaged.pk4"
dropped_files="$game $scratch/game/winter $game/pak000.pk4 $files/damaged.pk4 $files/walk.md5anim $files"
golden=${MD5_CORPUS:-}/golden/d3/minigame/base
[ -n "${MD5_CORPUS:-}" ] && [ -d "$golden" ] && dropped_files="$dropped_files $golden"
check "$game_events random events with a game folder cause no error" survives_random_events "$game_events" --game "$game" monster_bobbin_watchman
finish

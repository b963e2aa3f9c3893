#!/bin/sh
# md5view in a real window with a game folder: the list of its contents, and selections from the list.
. test/build/report.sh
. test/build/window.sh
game=$root/models/game/base
fast_options="$fast_options --no-shadow"

type_letters() { # LETTERS...
    for letter in "$@"; do
        wait_for_action list xdotool key "$letter" || return 1
    done
}
lists_game() {
    open_viewer "$game" && until_true grep -q '^scanned: ' "$log" && press list Down &&
        state_satisfies 'is["list"] == "game" && is["found"] == 7' && type_letters t h i m && state_satisfies 'is["found"] == 2' &&
        press choose Return && state_satisfies 'is["list"] == "none" && is["model"] == "monster_thimble"'
}
switches_sections() {
    press game shift+f && state_satisfies 'is["list"] == "game"' && press section Tab && press section Tab &&
        type_letters w a l k && press choose Return && state_satisfies 'is["list"] == "none" && is["error"] == 0' &&
        press game shift+f && press close-lists Escape && state_satisfies 'is["list"] == "none"'
}
die_key_works() {
    press die Delete && state_satisfies 'is["notice"] == 1 && is["error"] == 0' && press die Delete &&
        state_satisfies 'is["notice"] == 1 && is["error"] == 0'
}
drops_archive() {
    wait_for_action drop python3 test/viewer/x11.py drop "$window" "$game/pak000.pk4" || return 1
    until_true actions_exceed scanned 1 && press list Down &&
        state_satisfies 'is["list"] == "game" && is["model"] == "monster_thimble"' && press quit ctrl+q && ended_with 0
}
check "a game folder is listed; typing finds an entity, Enter opens it" lists_game
check "Tab switches the section; a selected clip is played on the model" switches_sections
check "Delete starts and ends the fall of a monster" die_key_works
check "a dropped archive is listed" drops_archive
finish

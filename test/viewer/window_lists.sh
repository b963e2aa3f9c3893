#!/bin/sh
# md5view in a real window: lists of files and clips, selection of joints and meshes by mouse, errors, and the
# settings that are stored for the next window.
. test/build/report.sh
. test/build/window.sh

# -- Lists --------------------------------------------------------------------------------------

finds_files() {
    open_viewer "$folder/b.md5mesh" && press play space && press files ctrl+o &&
        state_satisfies 'is["list"] == "files" && is["found"] >= 3' || return 1
    for letter in a period m d 5 m e s h; do
        wait_for_action list xdotool key $letter || return 1
    done
    state_satisfies 'is["found"] == 1' && press choose Return &&
        state_satisfies 'is["list"] == "none" && is["model"] == "a" && is["mesh"] == 0'
}
closes_lists() {
    press files ctrl+o && state_satisfies 'is["list"] == "files"' && press close-lists Escape &&
        state_satisfies 'is["list"] == "none" && is["model"] == "a"'
}
lists_by_mouse() {
    xdotool mousemove --window "$window" 670 39 click 1 # the tab of the inspector
    wait_for_action files xdotool mousemove --window "$window" 500 65 click 1 && state_satisfies 'is["list"] == "files"' &&
        click_until close-lists 799 200 &&
        state_satisfies 'is["list"] == "none"'
}
finds_clips() {
    wait_for_action drop python3 test/viewer/x11.py drop "$window" "$bobbin_mesh" && press clips ctrl+l &&
        state_satisfies "is[\"list\"] == \"clips\" && is[\"found\"] == $(find models/bobbin -name '*.md5anim' | wc -l)" || return 1
    for letter in w a l; do
        wait_for_action list xdotool key $letter || return 1
    done
    state_satisfies "is[\"found\"] == $(find models/bobbin -name '*wal*.md5anim' | wc -l)" && press list Down && press list Up && press choose Return &&
        state_satisfies 'is["clip"] == "run_to_walk"' && wait_for_action clips xdotool mousemove --window "$window" 500 88 click 1 &&
        click_until choose 300 200 &&
        state_satisfies 'is["list"] == "none" && is["clip"] != "run_to_walk"'
}
# The viewer is stopped during both clicks, so that it reads them at the same time. Only the times of the events show
# that they are not a double click.
separates_clicks_by_time() {
    press files ctrl+o && state_satisfies 'is["list"] == "files"' && xdotool mousemove --window "$window" 230 190 || return 1
    kill -STOP $viewer && xdotool click 1 && sleep 0.6 && xdotool click 1
    kill -CONT $viewer
    press list Right && state_satisfies 'is["list"] == "files"' || return 1
    # Without a pause, the second click and the next one would be a double click, and the last click would select a joint.
    sleep 0.6
    wait_for_action choose xdotool click --repeat 2 --delay 50 1 && state_satisfies 'is["list"] == "none"'
}
check "Ctrl+O lists files, typing filters them, Enter opens one" finds_files
check "Ctrl+O lists them again, Esc closes the list" closes_lists
check "a click on the name opens the list, a click outside closes it" lists_by_mouse
check "slow clicks are no double click, even if a slow frame delays them" separates_clicks_by_time
check "Ctrl+L lists clips, which are selected by key or mouse" finds_clips

# Opening the outliner brings it to the front. It lists meshes below the search field, then joints. A click on a name
# brings the inspector with its card to the front.
hides_mesh() {
    press hierarchy shift+h && press hierarchy shift+h &&
        state_satisfies 'is["playing"] == 0 && is["hidden"] == 0' && save_image meshes &&
        wait_for_action mesh xdotool mousemove --window "$window" 581 119 click 1 && state_satisfies 'is["hidden"] == 1' &&
        save_image hidden && images_differ 0.02 meshes hidden &&
        wait_for_action mesh xdotool click 1 && state_satisfies 'is["hidden"] == 0' &&
        click_until joint 620 119 && state_satisfies 'is["hidden"] == 0'
}
selects_joint() {
    press front 1 && press panel h && save_image unmarked && press panel h && press hierarchy shift+h &&
        press hierarchy shift+h &&
        click_until joint 700 281 && state_satisfies 'is["joint"] >= 0' &&
        xdotool mousemove --window "$window" 300 300 && press panel h &&
        state_satisfies 'is["joint"] >= 0' && save_image marked && images_differ 0.001 unmarked marked &&
        press close-lists Escape && state_satisfies 'is["joint"] == -1' && press panel h
}
# The file is dropped next to the model. On the model, a card would ask for the purpose of the file.
shows_errors() {
    xdotool mousemove --window "$window" 20 60 && wait_until_no_notice && save_image sound && wait_for_action drop python3 test/viewer/x11.py drop "$window" "$scratch/half.md5mesh" &&
        state_satisfies 'is["error"] == 1 && is["model"] == "bobbin"' && wait_until_no_notice && save_image broken &&
        images_differ 0.03 sound broken && press close-lists Escape && state_satisfies 'is["error"] == 0' &&
        press quit ctrl+q && ended_with 0
}
check "clicks on the eye of a mesh hide and show it, and a click on its name does not" hides_mesh
check "a click on a joint highlights it and its weights" selects_joint
check_long "the window shows errors of a file" shows_errors

# -- Remembering --------------------------------------------------------------------------------

config="--config=$scratch/remembered/here/config"
size=
restores_settings() {
    open_viewer "$folder/b.md5mesh" && wait_for_action resize xdotool windowsize --sync "$window" 700 400 &&
        press edges e && press right 3 && press orthographic 5 && press quit ctrl+q && ended_with 0 &&
        open_viewer --open-last || return 1
    line=$(grep '^start: ' "$log") before=$line
    state_satisfies 'is["model"] == "b" && is["edges"] == 1 &&
          is["size"] == "700x400"' && press files ctrl+o && state_satisfies 'is["found"] == 3' &&
        press close-lists Escape && press quit ctrl+q && ended_with 0
}
# Checks that the command line overrides the configuration file.
options_override() {
    open_viewer --open-last --edges=no --camera-azimuth-angle 10 || return 1
    line=$(grep '^start: ' "$log") before=$line
    state_satisfies 'is["model"] == "b" && is["edges"] == 0 && is["azimuth"] == 10' && press quit ctrl+q && ended_with 0
}
ignores_unknown() {
    printf 'edges=perhaps\nnonsense\nmodel=/nowhere/at/all.md5mesh\ncamera=1 2\n\001\002\ngrid=yes\n' \
        >"$scratch/remembered/here/config"
    open_viewer || return 1
    line=$(grep '^start: ' "$log") before=$line
    state_satisfies 'is["model"] == "bobbin" && is["grid"] == 1 && is["notice"] == 1' &&
        grep "config:2: invalid line is ignored: expected a stored option, or a valid line 'document=', 'recent=' or 'export='" "$log" && grep -e "--edges: expected yes or no, found 'perhaps'" "$log" &&
        press quit ctrl+q && ended_with 0
}
check "size, switches and files are restored at the next start" restores_settings
check_long "options override the configuration" options_override
check_long "unknown settings are reported and ignored" ignores_unknown

finish

#!/bin/sh
# md5view in a real window: the effect of each key, the mouse, and files that are dropped or change.
. test/build/report.sh
. test/build/window.sh

# -- The window ---------------------------------------------------------------------------------

title_is() {
    xdotool getwindowname "$window" | grep -F "$1"
}
opens_window() {
    open_viewer "$bobbin_mesh" || return 1
    line=$(grep '^start: ' "$log") before=$line
    state_satisfies 'is["playing"] == 1 && is["size"] == "800x450" && is["model"] == "bobbin"' &&
        until_true title_is 'bobbin'
}
check "a window opens and plays the built-in model" opens_window
[ -n "$viewer" ] || finish

# -- Playing ------------------------------------------------------------------------------------

playback_advances() {
    press frame-time z && played_from=$(print_value time) &&
        press_until frame-time z "is[\"time\"] != $played_from"
}
# Checks that the time does not advance during a pause. Each key press takes at least one iteration of the
# viewer's loop, in which it would advance.
pause_stops_time() {
    press frame-time z && rests_at=$(print_value time) || return 1
    for _ in 1 2 3; do
        press frame-time z && state_satisfies "is[\"time\"] == $rests_at" || return 1
    done
}
# print_ticks prints the processor time of the viewer in hundredths of a second, which is the sum of fields 14
# and 15 of stat. A paused viewer waits for events instead of drawing, and uses almost no processor time.
print_ticks() {
    awk '{ print $14 + $15 }' "/proc/$viewer/stat"
}
pause_uses_no_processor() {
    # The measurement is repeated, because a notice may still end, or drawing threads may still fall asleep.
    for _ in $(seq 20); do
        first=$(print_ticks)
        sleep 0.5 # the measured interval
        second=$(print_ticks)
        echo "$((second - first)) hundredths of a second in half a second"
        [ $((second - first)) -gt 2 ] || return 0
    done
    false
}
check "the clip plays" playback_advances
check_key "Space pauses" play space 'is["playing"] == 0'
check "the time does not change while paused" pause_stops_time
check "the viewer uses almost no processor time while paused" pause_uses_no_processor
check_key "Space resumes" play space 'is["playing"] == 1'
check_key "R plays backward" reverse r 'is["backward"] == 1'
check "the clip plays backward" playback_advances
check_key "Ctrl+Z undoes the last action" undo ctrl+z 'is["backward"] == 0'
check_key "Ctrl+Shift+Z repeats the undone action" redo ctrl+shift+z 'is["backward"] == 1'
check_key "R plays forward" reverse r 'is["backward"] == 0'
if is_long; then
    check_key "] doubles the speed" faster bracketright 'is["speed"] == 2'
    check_key "+ doubles the speed again" faster KP_Add 'is["speed"] == 4'
    check_key "- halves the speed" slower minus 'is["speed"] == 2'
    check_key "[ halves the speed" slower bracketleft 'is["speed"] == 1'
    check_key "[ halves the speed again" slower bracketleft 'is["speed"] == 0.5'
    check_key "Backspace restores the normal speed" normal-speed BackSpace 'is["speed"] == 1'
    check_key "Ctrl+Page Down selects the next clip" next-clip ctrl+Next 'is["clip"] != was["clip"]'
    check_key "Ctrl+Page Up selects the previous clip" previous-clip ctrl+Prior 'is["clip"] == "idle"'
fi
check_key "Shift+Left shows the first frame" first shift+Left \
    'is["playing"] == 0 && frame(is["frame"]) == 0'
check_key "Right shows the next frame" step-on Right 'frame(is["frame"]) == 1'
if is_long; then
    check_key "Right shows the frame after it" step-on Right 'frame(is["frame"]) == 2'
    check_key "Left shows the previous frame" step-back Left 'frame(is["frame"]) == 1'
    check_key "Shift+Right shows the last frame" last shift+Right \
        'frame(is["frame"]) == last(is["frame"]) && last(is["frame"]) > 0'
    check_key "Right wraps to the first frame" step-on Right 'frame(is["frame"]) == 0'
    check_key "Left wraps to the last frame" step-back Left 'frame(is["frame"]) == last(is["frame"])'
    check_key "L changes the loop mode" loop l 'is["loop"] == "cycle"'
    check_key "L changes the loop mode to once" loop l 'is["loop"] == "once"'
    check_key "L returns to the first loop mode" loop l 'is["loop"] == "loop"'
    check_key "I begins the range" range-begin i 'is["range"] ~ /^[0-9]+-[0-9]+$/ && is["range"] != "0-0"'
    check_key "O ends the range" range-end o 'is["range"] ~ /^[0-9]+-[0-9]+$/ && is["range"] != "0-0"'
    check_key "Shift+I plays all frames" range-all shift+i 'is["range"] == "0-0"'
    check_key "Shift+R changes the root mode to id" root shift+r 'is["root"] == "id"'
    check_key "Shift+R changes the root mode to in_place" root shift+r 'is["root"] == "in_place"'
    check_key "Shift+R returns to the root mode of the file" root shift+r 'is["root"] == "file"'
    check_key "P shows the bind pose" bind-pose p 'is["clip"] == "bind-pose"'
    check_key "P shows the clip again" bind-pose p 'is["clip"] == "idle"'
fi

check_key_long "Shift+X rotates the model about x" turn-x shift+x 'is["axes-of-file"] == "up+y,front+x"'
check_key_long "Shift+Z rotates the model about z" turn-z shift+z 'is["axes-of-file"] == "up+y,front+z"'
rotates_model_back() {
    press turn-z shift+z && press turn-z shift+z && press turn-z shift+z && press turn-x shift+x &&
        press turn-x shift+x && press turn-x shift+x && state_satisfies 'is["axes-of-file"] == "up+z,front+x"'
}
check_long "four quarter rotations restore the model" rotates_model_back

# The time bar is at the bottom. It consists of buttons, the name of the clip in a field that fits the longest
# name, the line from about x = 310 to 556, and figures.
drag_scrubs() {
    wait_for_action scrub drag 1 340 430 446 430 &&
        state_satisfies 'is["playing"] == 0 && frame(is["frame"]) / last(is["frame"]) > 0.45 &&
              frame(is["frame"]) / last(is["frame"]) < 0.65 && is["azimuth"] == was["azimuth"]'
}
drag_scrubs_to_end() {
    wait_for_action scrub drag 1 446 430 780 434 && state_satisfies 'frame(is["frame"]) == last(is["frame"])'
}
plays_by_mouse() {
    wait_for_action play xdotool mousemove --window "$window" 82 430 click 1 && state_satisfies 'is["playing"] == 1' &&
        wait_for_action play xdotool click 1 && state_satisfies 'is["playing"] == 0'
}
check "dragging along the time bar seeks" drag_scrubs
check_long "seeking stops at the last frame" drag_scrubs_to_end
check "the button of the time bar plays and pauses" plays_by_mouse
check_key "Shift+Left returns to the first frame" first shift+Left 'frame(is["frame"]) == 0'

# -- Camera -------------------------------------------------------------------------------------

drag_orbits() {
    wait_for_action orbit drag 1 400 200 500 225 &&
        state_satisfies 'near(is["azimuth"], was["azimuth"] - 40) && near(is["elevation"], was["elevation"] + 10) &&
              is["distance"] == was["distance"] && is["target"] == was["target"]'
}
drag_pans() { # BUTTON
    wait_for_action pan drag "$1" 400 200 450 180 &&
        state_satisfies 'is["target"] != was["target"] && is["azimuth"] == was["azimuth"]'
}
pans_with_shift() {
    xdotool keydown shift
    drag_pans 1
    pan_status=$?
    xdotool keyup shift
    return $pan_status
}
zooms_by_drag() {
    wait_for_action zoom drag 3 400 200 400 140 && state_satisfies 'is["distance"] < was["distance"] * 0.9'
}
zooms_by_wheel() {
    wait_for_action zoom xdotool mousemove --window "$window" 400 225 click 4 &&
        state_satisfies 'near(is["distance"] * 1.15 / was["distance"], 1)' &&
        wait_for_action zoom xdotool click 5 && state_satisfies 'is["distance"] > was["distance"]'
}
check "left drag orbits" drag_orbits
check_long "middle drag pans" drag_pans 2
check_long "Shift and left drag pans" pans_with_shift
check_long "right drag zooms" zooms_by_drag
check "the wheel zooms" zooms_by_wheel
check_key "1 shows the front" front 1 'is["azimuth"] == 0 && is["elevation"] == 0'
if is_long; then
    save_image front
    check_key "3 shows the right side" right 3 'is["azimuth"] == -90 && is["elevation"] == 0'
    save_image right
    check_key "7 shows the top" top 7 'is["elevation"] == 90'
    check_key "9 is an isometric view" isometric 9 \
        'is["azimuth"] == 45 && near(is["elevation"], 35.3) && is["orthographic"] == 1'
    check_key "5 returns to perspective" orthographic 5 'is["orthographic"] == 0'
    check_key "Home frames the model" frame-all Home 'is["distance"] != was["distance"]'
    check_key "Home again changes nothing" frame-all Home 'is["distance"] == was["distance"]'
    check "front and right look different" images_differ 0.05 front right
fi

# -- Images and visible elements ----------------------------------------------------------------

saves_images() {
    wait_until_no_notice || return 1
    save_image plain && [ "$(png size "$scratch/plain.png")" = "800 450" ] &&
        [ "$(png colors "$scratch/plain.png")" -eq 1000 ]
}
# The grid must be off, because its lines may cross the corner.
saves_clean_images() {
    save_image clean ctrl+F12 && state_satisfies 'is["grid"] == 0' && png corner "$scratch/clean.png" && [ "$(png corner "$scratch/clean.png")" = "0 0 0 0" ] &&
        numbers_satisfy '$1 > 0.05 && $1 < 0.9' "$(png covered "$scratch/clean.png")"
}
check "F12 saves an image" saves_images
check "Ctrl+F12 saves a transparent image without text" saves_clean_images

# check_switch TITLE ACTION KEY WORD MIN: the key turns a switch on, which changes at least the fraction MIN of the
# pixels, and off again.
check_switch() {
    title=$1 switch_action=$2 key=$3 word=$4 min_fraction=$5
    switch_changes_image() {
        press "$switch_action" "$key" && state_satisfies "is[\"$word\"] == 1 - was[\"$word\"]" && save_image turned && images_differ "$min_fraction" plain turned &&
            press "$switch_action" "$key" && state_satisfies "is[\"$word\"] == 1 - was[\"$word\"]"
    }
    check "$title" switch_changes_image
}
check_switch_long() {
    ! is_long || check_switch "$@"
}
check_switch "G toggles the grid" grid g grid 0.005
check_switch_long "X toggles the axes" axes x axes 0.0001
check_switch_long "E toggles edges" edges e edges 0.005
check_switch_long "N toggles normals" normals n normals 0.001
check_switch_long "J toggles the skeleton" skeleton j skeleton 0.0005
check_switch_long "B toggles bounds" bounds b bounds 0.0005
check_switch_long "Shift+B toggles bounds of joints" joint-bounds shift+b joint-bounds 0.0005
check_switch_long "T toggles textures" untextured t untextured 0.03
check_switch "C toggles the checker texture" checker c checker 0.03
check_key_long "Q skins with dual quaternions" skinning q 'is["skinning"] == "dual" && is["error"] == 0'
check_key_long "Q returns to linear skinning" skinning q 'is["skinning"] == "linear"'
check_switch_long "H toggles all text" panel h panel 0.02
# Opening a dock brings it to the front. If another dock stayed in front, each switch would change the image.
bring_dock_to_front() { # ACTION KEY
    press "$1" "$2" && press "$1" "$2" && wait_until_no_notice && save_image plain
}
check_long "Ctrl+I brings the inspector to the front" bring_dock_to_front inspector ctrl+i
check_switch_long "M toggles statistics" statistics m statistics 0.002
check_switch_long "Z toggles the frame time" frame-time z frame-time 0.0003
check_key_long "Shift+Q disables automatic quality" auto-quality shift+q 'is["auto-quality"] == 0'
check_key_long "Shift+Q enables automatic quality" auto-quality shift+q 'is["auto-quality"] == 1'
check_long "Shift+H brings the outliner to the front" bring_dock_to_front hierarchy shift+h
check_switch_long "Shift+H toggles the outliner" hierarchy shift+h hierarchy 0.02
check_switch_long "Shift+L toggles lights" light-list shift+l light-list 0.02
check_switch_long "Shift+M toggles materials" parm-list shift+m parm-list 0.02
check_switch_long "F1 toggles the list of keys" help F1 help 0.05
# The lights are the first items in the inspector; their sliders are from x = 595 to 676.
light_slider_works() {
    press light-list shift+l && save_image lights &&
        wait_for_action inspected drag 1 622 90 666 90 && state_satisfies 'is["lights"] ~ /^key=2[.]6/ && is["azimuth"] == was["azimuth"]' &&
        wait_for_action inspected drag 1 635 198 660 198 && state_satisfies 'is["lights"] ~ /azimuth=10/' && save_image shone &&
        images_differ 0.03 lights shone
}
# click X Y
click() {
    xdotool mousemove --window "$window" "$1" "$2" click 1
}
light_buttons_reset() {
    wait_for_action inspected click 784 90 && wait_for_action inspected click 784 198 &&
        state_satisfies 'is["lights"] == "key=1,sky=1,fill=1,rim=1,azimuth=0,elevation=0"' && save_image lights_again &&
        png differ "$scratch/lights.png" "$scratch/lights_again.png" | awk '{ exit !($1 < 0.02) }' &&
        press light-list shift+l
}
check_long "sliders of the lights change the image" light_slider_works
check_long "a click on a name resets its slider" light_buttons_reset
check_key_long "F1 shows the keys" help F1 'is["help"] == 1'
check_key_long "Esc hides the keys" help Escape 'is["help"] == 0'
text_size_changes() {
    wait_until_no_notice && save_image plain && press larger-text ctrl+plus && save_image larger && images_differ 0.003 plain larger &&
        press smaller-text ctrl+minus && save_image same && ! images_differ 0.003 plain same
}
check_long "Ctrl++ enlarges text, and Ctrl+- reduces it" text_size_changes

resizes() {
    wait_for_action resize xdotool windowsize --sync "$window" 900 500 && press grid g &&
        press_until grid g 'is["size"] == "900x500"' && save_image smaller &&
        [ "$(png size "$scratch/smaller.png")" = "900 500" ]
}
check "the window can be resized" resizes

# -- Files --------------------------------------------------------------------------------------

opens_dropped_folder() {
    drop_files "$PWD/models/lantern" && state_satisfies 'is["list"] == "none" && is["model"] == "lantern"'
}
drops_model() {
    drop_files "$folder/b.md5mesh" && state_satisfies 'is["model"] == "b" && is["clip"] == "b"'
}
drops_anim() {
    drop_files "$scratch/later.md5anim" && state_satisfies 'is["model"] == "b" && is["clip"] == "later"'
}
drops_texture() {
    press play space
    press first shift+Left && save_image checker && drop_files "$scratch/paint.png" && press grid g &&
        press grid g && wait_until_no_notice && save_image painted && images_differ 0.005 checker painted
}
reports_truncated_file() {
    drop_files "$scratch/half.md5mesh" && state_satisfies 'is["model"] == "b" && is["warnings"] == was["warnings"]' && grep 'half.md5mesh.*error' "$log" &&
        press close-lists Escape && state_satisfies 'is["error"] == 0'
}
reports_missing_file() {
    drop_files "$scratch/nothing.md5mesh" && state_satisfies 'is["model"] == "b" && is["error"] == 1' && press close-lists Escape
}
reload_reads_file() {
    cp "$scratch/half.md5mesh" "$scratch/saved.md5mesh"
    cp "$folder/b.md5mesh" "$scratch/whole"
    cp "$scratch/half.md5mesh" "$folder/b.md5mesh"
    press reload ctrl+r && state_satisfies 'is["model"] == "b"' && grep 'b.md5mesh.*error' "$log" &&
        cp "$scratch/whole" "$folder/b.md5mesh" && press try-again Return && state_satisfies 'is["model"] == "b" && is["error"] == 0'
}
drops_folder() {
    drop_files "$folder" && state_satisfies 'is["list"] == "files" && is["found"] >= 2 && is["model"] == "b"' &&
        press close-lists Escape && state_satisfies 'is["list"] == "none"'
}
# The answer to a window that no longer exists causes X error 3 (BadWindow). Xlib's default handler would end the
# program.
survives_lost_window() { # WHAT
    errors=$(grep -c '^ignored X error 3 of request ' "$log")
    python3 test/viewer/x11.py abandon "$window" "$1" && press grid g && press grid g &&
        [ "$(grep -c '^ignored X error 3 of request ' "$log")" -gt "$errors" ]
}
survives_lost_paste() {
    xdotool key ctrl+p type 'copy command line' && wait_for_action copy-command xdotool key Return && survives_lost_window paste
}
check "a drag whose source window disappears is ignored" survives_lost_window drag
check "a drop whose source window disappears is ignored" survives_lost_window drop
check "a paste whose target window disappears is ignored" survives_lost_paste
check "a dropped folder of one model is opened" opens_dropped_folder
check "a dropped model is opened with its animation" drops_model
check "a dropped animation is added and played" drops_anim
check "a dropped image becomes the texture" drops_texture
check "a dropped truncated model changes nothing" reports_truncated_file
check "a dropped missing file changes nothing" reports_missing_file
check "the files of a dropped folder are listed" drops_folder
check "Ctrl+R reloads, and keeps the model if that fails; Return tries again" reload_reads_file
check_key "Page Up opens the previous file" previous-file Prior 'is["model"] == "a"'
check_key "Page Down opens the next file" next-file Next 'is["model"] == "b"'
check_key "Page Down wraps to the first file" next-file Next 'is["model"] == "a"'
check_key "Ctrl+Q quits" quit ctrl+q '1'
check "the exit status is 0" ended_with 0

# New files are created in another folder, because the folder of the model is also watched while a texture is missing.
watch_reloads_files() {
    cp "$bobbin_mesh" "$scratch/watched.md5mesh"
    open_viewer --watch "$scratch/watched.md5mesh" "$root/$models/bobbin/walk.md5anim" || return 1
    cp "$scratch/half.md5mesh" "$pictures/new" && wait_for_action watch mv "$pictures/new" "$scratch/watched.md5mesh" &&
        state_satisfies 'is["model"] == "watched"' && grep 'watched.md5mesh.*error' "$log" &&
        cp "$bobbin_mesh" "$pictures/new" && wait_for_action watch mv "$pictures/new" "$scratch/watched.md5mesh" &&
        state_satisfies 'is["model"] == "watched" && is["clip"] == "walk"'
}
request_close() {
    python3 test/viewer/x11.py close "$window"
}
closes() {
    request_close && ended_with 0
}
# Checks that the movie is complete and has several frames. The log names the movie when it is complete.
ends_its_movie() { # SIGNAL
    open_viewer "$bobbin_mesh" "$root/$models/bobbin/walk.md5anim" && press record shift+F12 && press step-on Right && press step-on Right &&
        kill "-$1" "$viewer" && ended_with 0 && movie=$(grep -o '[^ ]*\.apng$' "$log") &&
        python3 -c "
import sys
sys.path.append('test/viewer')
import frames
sys.exit(len(frames.apng_frames(open(sys.argv[1], 'rb').read())[1]) < 2)" "$movie"
}
check "--watch reloads, and survives a truncated file" watch_reloads_files
check "the button of the title bar closes the window" closes

# Stops the process, and sends a key that reloads fifty clips, runs COMMAND, and sends eight more keys, which wait in
# the queue.
mkdir "$scratch/many" && cp "$folder/b.md5mesh" "$scratch/many"
for clip in $(seq 50); do
    cp "$scratch/half.md5mesh" "$scratch/many/$clip.md5anim"
done
reload_and_queue() { # COMMAND...
    open_viewer "$scratch/many/b.md5mesh" && kill -STOP "$viewer" && xdotool key ctrl+r && "$@" &&
        xdotool key e e e e e e e e && [ "$(grep -c 'skipped animation: ' "$log")" -eq 50 ]
}
quits_during_reload() { # COMMAND...
    reload_and_queue true && "$@" && kill -CONT "$viewer" && ended_with 0 && ! grep '^edges: ' "$log" &&
        [ "$(grep -c 'skipped animation: ' "$log")" -eq 50 ]
}
escape_cancels_reload() {
    reload_and_queue xdotool key Escape && kill -CONT "$viewer" && until_true actions_exceed edges 7 &&
        [ "$(grep -c 'skipped animation: ' "$log")" -eq 50 ] && press reload ctrl+r &&
        [ "$(grep -c 'skipped animation: ' "$log")" -eq 100 ] && closes
}
send_term_signal() {
    kill -TERM "$viewer"
}
check "a window that reads many files closes immediately" quits_during_reload request_close
check "TERM immediately ends a window that reads many files" quits_during_reload send_term_signal
check "Escape stops reading, and the open document remains" escape_cancels_reload
for signal in TERM INT HUP; do
    check "a movie is complete if $signal ends the program" ends_its_movie $signal
done

options_set_state() {
    # Clips are sorted by name.
    clip_23=$(basename "$(find models/bobbin -name '*.md5anim' | LC_ALL=C sort | sed -n 24p)" .md5anim)
    open_viewer --animation-index 23 --animation-speed-factor -2 --animation-time 0.5 --loop once \
        --root id --camera-azimuth-angle 10 --camera-elevation-angle 20 --camera-distance 200 \
        --camera-orthographic --grid=no --axis --edges --armature --panel=no --hierarchy "$bobbin_mesh" || return 1
    line=$(grep '^start: ' "$log")
    before=$line
    state_satisfies "is[\"clip\"] == \"$clip_23\"" && state_satisfies 'is["time"] == 0.5 && is["speed"] == 2 && is["backward"] == 1 &&
          is["loop"] == "once" && is["root"] == "id" && is["azimuth"] == 10 &&
          is["elevation"] == 20 && is["distance"] == 200 && is["orthographic"] == 1 &&
          is["grid"] == 0 && is["axes"] == 1 && is["edges"] == 1 && is["skeleton"] == 1 &&
          is["panel"] == 0 && is["hierarchy"] == 1' || return 1
    # A clip that plays backward once stops at its beginning.
    press_until grid g 'is["playing"] == 0 && is["time"] == 0' &&
        press play space && state_satisfies 'is["playing"] == 1' && press quit ctrl+q && ended_with 0
}
check_long "options set the same state as keys" options_set_state

shows_clip_without_model() {
    open_viewer "$root/$models/bobbin/walk.md5anim" || return 1
    line=$(grep '^start: ' "$log")
    before=$line
    state_satisfies 'is["clip"] == "walk" && is["playing"] == 1' &&
        press reload ctrl+r && state_satisfies 'is["clip"] == "walk"' && press quit ctrl+q && ended_with 0
}
check_long "an animation without a model opens and reloads" shows_clip_without_model

# -- Camera paths ------------------------------------------------------------------------------------

flight=$root/$models/bobbin/flight.md5camera
cp "$flight" "$scratch/other.md5camera"
printf 'MD5Version 10\n' >"$scratch/half.md5camera"

follows_camera_path() {
    # The panel is hidden, so that the images contain no text.
    open_viewer --animation-time 0 --panel=no "$bobbin_mesh" "$flight" || return 1
    line=$(grep '^start: ' "$log")
    before=$line
    state_satisfies 'is["following"] == 1 && is["camera-path"] == "flight" && is["playing"] == 1 && is["clip"] == "idle"'
}
leaves_and_resumes_camera_path() {
    press first shift+Left && state_satisfies 'is["shot"] == 0 && is["camera-frame"] == 0' &&
        save_image following && press camera-path v && state_satisfies 'is["following"] == 0' &&
        save_image own && images_differ 0.05 following own && press camera-path v && state_satisfies 'is["following"] == 1'
}
# At its beginning the camera path is at azimuth 37 and elevation 5 degrees.
orbit_leaves_camera_path() {
    wait_for_action orbit drag 1 400 200 410 200 &&
        state_satisfies 'is["following"] == 0 && is["azimuth"] > 28 && is["azimuth"] < 38 &&
              is["elevation"] > 3 && is["elevation"] < 8' && press camera-path v &&
        press front 1 && state_satisfies 'is["following"] == 0 && is["azimuth"] == 0' && press camera-path v
}
# Without a clip the time bar shows the camera path, which plays 271 of its 273 frames.
time_bar_shows_camera_path() {
    press bind-pose p && press last shift+Right &&
        state_satisfies 'frame(is["frame"]) == 270 && last(is["frame"]) == 270 && is["shot"] == 2' &&
        press panel h && wait_for_action scrub drag 1 200 430 375 430 &&
        state_satisfies 'is["shot"] == 1 && is["following"] == 1' && press play space && state_satisfies 'is["playing"] == 1' && press bind-pose p
}
drops_camera_path() {
    drop_files "$scratch/other.md5camera" && state_satisfies 'is["camera-path"] == "other" && is["following"] == 1' &&
        drop_files "$scratch/half.md5camera" && state_satisfies 'is["camera-path"] == "other"' &&
        grep 'half.md5camera.*error' "$log" &&
        press reload ctrl+r && state_satisfies 'is["camera-path"] == "other" && is["following"] == 1' &&
        press quit ctrl+q && ended_with 0
}
shows_camera_path_without_model() {
    open_viewer "$scratch/other.md5camera" || return 1
    line=$(grep '^start: ' "$log")
    before=$line
    state_satisfies 'is["following"] == 0 && is["playing"] == 1 && last(is["frame"]) == 270' &&
        press camera-path v && state_satisfies 'is["following"] == 1' && press hierarchy shift+h &&
        press bind-pose p && press root shift+r && press bounds b && press reload ctrl+r &&
        state_satisfies 'is["camera-path"] == "other"' && drop_files "$bobbin_mesh" &&
        state_satisfies 'is["model"] == "bobbin" && is["camera-path"] == "other" && is["following"] == 1' &&
        press quit ctrl+q && ended_with 0
}
check_long "the view follows a camera path" follows_camera_path
check_long "V switches between the user's camera and the path" leaves_and_resumes_camera_path
check_long "a drag continues from the path's position, and camera keys leave the path" orbit_leaves_camera_path
check_long "a camera path has its own time if no clip plays" time_bar_shows_camera_path
check_long "a dropped camera path replaces the last one, a truncated one does not" drops_camera_path
check_long "a camera path without a model plays, and continues when a model is dropped" shows_camera_path_without_model

# -- A machine ----------------------------------------------------------------------------------

machine_state_contains() { # WORD: the last line of the machine in the log contains WORD
    grep ' machine: position=' "$log" | tail -n 1 | grep -q -- "$1" || {
        grep ' machine: position=' "$log" | tail -n 3
        return 1
    }
}
print_x() {
    grep ' machine: position=' "$log" | tail -n 1 | sed 's/.*position=\(-\?[0-9]*\).*/\1/'
}
# wait_for_machine COMMAND...: repeats the command until it succeeds.
wait_for_machine() {
    for _ in $(seq 200); do
        # Use the mouse wheel, because its effect does not depend on the keys that are pressed.
        wait_for_action zoom xdotool mousemove --window "$window" 400 225 click 4 &&
            wait_for_action zoom xdotool click 5 || return 1
        "$@" >/dev/null && return 0
        sleep 0.05
    done
    "$@"
}
x_exceeds() {
    [ "$(print_x)" -gt "$1" ] || { echo "not beyond $1" && machine_state_contains none; }
}
print_position() {
    grep ' machine: position=' "$log" | tail -n 1 | sed 's/.*position=\([^ ]*\).*/\1/'
}
# Any direction is accepted for a distance of more than three units, because the character turns to the pointer.
is_far_from() {
    echo "$1,$(print_position)" | awk -F, '{ exit !(($1 - $3) ^ 2 + ($2 - $4) ^ 2 > 9) }' ||
        { echo "still at $1" && machine_state_contains none; }
}
character_walks() {
    open_viewer "$root/$models/bobbin/bobbin.md5machine" || return 1
    wait_for_action drive xdotool keydown w && wait_for_machine machine_state_contains 'states=walk,' && wait_for_machine x_exceeds 5 &&
        wait_for_action let-go xdotool keyup w && wait_for_machine machine_state_contains 'states=idle,' || return 1
    wait_for_action drive xdotool keydown s && wait_for_machine machine_state_contains 'states=back,' || return 1
    from=$(print_position)
    wait_for_machine is_far_from "$from" && wait_for_action let-go xdotool keyup s && wait_for_machine machine_state_contains 'states=idle,'
}
# The key that was pressed last determines the direction. After its release, the other key determines the direction if
# it is still pressed.
last_key_sets_direction() {
    wait_for_action drive xdotool keydown w && wait_for_machine machine_state_contains 'states=walk,' && wait_for_action drive xdotool keydown s &&
        wait_for_action let-go xdotool keyup w && wait_for_machine machine_state_contains 'states=back,' &&
        wait_for_action drive xdotool keydown w && wait_for_action let-go xdotool keyup w && wait_for_machine machine_state_contains 'states=back,' &&
        wait_for_action let-go xdotool keyup s && wait_for_machine machine_state_contains 'states=idle,'
}
# step_to_state STATE: the paused machine reaches a state within two seconds of its time, independent of the computer's
# speed.
step_to_state() {
    for _ in $(seq 120); do
        press step-on period && machine_state_contains "$1" >/dev/null && return 0
    done
    machine_state_contains "$1"
}
# The jump takes less than a second: a viewer that gets no processor time for that long would skip it.
runs_and_jumps() {
    wait_for_action drive xdotool keydown shift && wait_for_action drive xdotool keydown w &&
        wait_for_machine machine_state_contains 'states=run,' && press play Pause && wait_for_action push xdotool key space &&
        step_to_state 'states=far_' && press play Pause && wait_for_action let-go xdotool keyup w &&
        wait_for_action let-go xdotool keyup shift
}
# F2 sets the second trigger, whose button is the panel's third row. The character may have fallen asleep, so it walks
# first.
button_sets_trigger() {
    wait_for_action drive xdotool keydown w && wait_for_machine machine_state_contains 'states=walk,' && wait_for_action let-go xdotool keyup w &&
        wait_for_machine machine_state_contains 'states=idle,' && wait_for_action push xdotool key F2 &&
        wait_for_machine machine_state_contains 'one-shots=wave'
}
# The command does not have a key, but the search for commands finds it.
select_one_shot() {
    wait_for_action one-shot xdotool key ctrl+p m o n t a g e Return
}
plays_one_shots() {
    select_one_shot && machine_state_contains 'one-shots=[^,]*,wave' && select_one_shot && machine_state_contains 'one-shots=[^,]*,point'
}
quits_while_playing() {
    press quit ctrl+q && ended_with 0
}
check "W walks forward and S backward" character_walks
check "the last pressed key of W and S determines the direction" last_key_sets_direction
check "Shift runs, Space jumps" runs_and_jumps
check_long "F2 sets the second trigger" button_sets_trigger
check_long "a command plays the next clip over the states" plays_one_shots
check "Ctrl+Q quits while a machine plays" quits_while_playing

finish

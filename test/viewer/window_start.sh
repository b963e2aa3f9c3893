#!/bin/sh
# The start of md5view in a real window: with the settings of the last run, unless options override them; with a
# folder; with broken files; after a crash; and with --watch. test/viewer/test_view_open.c tests all cases.
. test/build/report.sh
. test/build/window.sh

read_start_line() {
    line=$(grep '^start: ' "$log") before=$line
}
quit_viewer() {
    press quit ctrl+q && ended_with 0
}
# Prints the values in a line, except values that change with time.
print_lasting_values() {
    echo "$1" | tr ' ' '\n' | grep '=' | grep -vE '^(time|frame|camera-frame|playing|notice|azimuth|elevation|distance|target|orthographic|loop|root)='
}
press_keys() { # ACTION:KEY...
    for key in "$@"; do
        press "${key%:*}" "${key#*:}" || return 1
    done
}

# -- The second start ---------------------------------------------------------------------------

file=$scratch/remembered/config
config="--config=$file"
size=
fast_options="--frame-rate 10 --samples 1" # without --no-shadow, because the switch for shadows is restored, too
# The next start restores the state without a warning; the one after that leaves the file
# unchanged.
restores_state() {
    print_lasting_values "$line" >"$scratch/ended"
    quit_viewer && cat "$file" && open_viewer || return 1
    read_start_line
    print_lasting_values "$line" >"$scratch/started"
    state_satisfies 'is["error"] == 0' && ! grep -e 'invalid line is ignored' -e ': expected ' "$log" &&
        diff "$scratch/ended" "$scratch/started" && cp "$file" "$scratch/once" && quit_viewer &&
        open_viewer || return 1
    read_start_line
    state_satisfies 'is["error"] == 0' && quit_viewer && diff "$scratch/once" "$file"
}
restores_all_settings() {
    open_viewer --open-last "$folder/b.md5mesh" && wait_for_action resize xdotool windowsize --sync "$window" 800 450 &&
        press_keys grid:g axes:x edges:e normals:n skeleton:j bounds:b joint-bounds:shift+b \
            untextured:t checker:c light:k shadows:shift+k maps:shift+t skinning:q frame-time:z auto-quality:shift+q statistics:m \
            hierarchy:shift+h light-list:shift+l root:shift+r loop:l right:3 orthographic:5 || return 1
    save_image lights # draws the list of lights, so that the mouse finds it
    wait_for_action inspected drag 1 622 91 705 91 && wait_for_action inspected drag 1 635 198 665 198 &&
        wait_for_action orbit drag 1 300 340 370 360 && wait_for_action zoom xdotool click 4 &&
        state_satisfies 'is["lights"] !~ /key=1,/ && is["lights"] !~ /azimuth=0,/' && restores_state
}
check "a second start restores the state of the first" restores_all_settings

# -- Options override the state -------------------------------------------------------------------

# starts_with CONDITION ARGUMENTS...: starts with a configuration that names the last model.
starts_with() {
    condition=$1
    shift
    printf 'recent=%s\nopen-last=yes\n' "$folder/b.md5mesh" >"$file"
    open_viewer "$@" || return 1
    read_start_line
    state_satisfies "is[\"error\"] == 0 && $condition" && quit_viewer
}
size=--resolution=400,300
check "without arguments open-last shows the last model" starts_with 'is["model"] == "b"'
check_long "a crowd consists of the built-in models" starts_with 'is["crowd"] == 3 && is["model"] == "bobbin"' --crowd 3
check "a named model is shown" starts_with 'is["model"] == "a"' "$folder/a.md5mesh"
renames_broken_configuration() { # the viewer starts with the default settings
    printf 'grid=\001\002\n' >"$file"
    open_viewer || return 1
    read_start_line
    state_satisfies 'is["error"] == 0 && is["notice"] == 1' && [ -e "$file.broken" ] && quit_viewer && grep -x grid=no "$file"
}
check "a broken configuration file is renamed" renames_broken_configuration

config=--no-config
fast_options="$fast_options --no-shadow"
opens_from_folder() {
    open_viewer "$folder/b.md5mesh" "$folder" || return 1
    read_start_line
    state_satisfies 'is["list"] == "files" && is["model"] == "b"' && press list Home && press choose Return &&
        state_satisfies 'is["list"] == "none" && is["model"] == "a" && is["error"] == 0' && quit_viewer
}
check "a folder opens a list, and the selected file is opened" opens_from_folder

# -- Broken and missing files ---------------------------------------------------------------------

# The window shows the error over the built-in model, even if a file manager has started it.
reports_broken_file() {
    cp "$scratch/half.md5mesh" "$scratch/mended.md5mesh"
    open_viewer "$scratch/mended.md5mesh" || return 1
    read_start_line
    state_satisfies 'is["error"] == 1 && is["model"] == "bobbin"' && grep 'mended.md5mesh.*error' "$log" || return 1
    cp "$folder/a.md5mesh" "$scratch/mended.md5mesh"
    press try-again Return && state_satisfies 'is["error"] == 0 && is["model"] == "mended"' && quit_viewer
}
reports_missing_file() {
    open_viewer "$scratch/nowhere.md5mesh" || return 1
    read_start_line
    state_satisfies 'is["error"] == 1' && press close-lists Escape && state_satisfies 'is["error"] == 0' && quit_viewer
}
check "a broken file opens a window with the error, and can be tried again" reports_broken_file
check "a missing file opens a window with the error" reports_missing_file

# -- The start page -------------------------------------------------------------------------------

# The first key ends the demo scene. Return presses the first button of the start page. The list closes the page only
# if a file is opened.
shows_start_page() {
    open_viewer || return 1
    read_start_line
    state_satisfies 'is["model"] == "bobbin" && is["list"] == "none"' && press start-page ctrl+Home && press files Return &&
        state_satisfies 'is["list"] == "files"' && press close-lists Escape && press files Return &&
        press close-lists Escape && press close-lists Escape && press frame-all Home && quit_viewer
}
check "without files Ctrl+Home opens the start page" shows_start_page

# -- The desktop's dialog -------------------------------------------------------------------------

# opens_desktop_dialog COMMANDS CONDITION KEY...: the keys open a dialog, for which a substitute for zenity runs these
# commands.
desktop=$scratch/desktop
initial_file=$folder/b.md5mesh
mkdir "$desktop"
opens_desktop_dialog() {
    printf '#!/bin/sh\necho "$@" >>%s/asked\n%s\n' "$desktop" "$1" >"$desktop/zenity"
    chmod +x "$desktop/zenity"
    condition=$2 saved_path=$PATH PATH=$desktop:$PATH XDG_CURRENT_DESKTOP=test
    export PATH XDG_CURRENT_DESKTOP
    shift 2
    open_viewer ${initial_file:+"$initial_file"} # without a file: the demo scene
    is_open=$?
    PATH=$saved_path
    unset XDG_CURRENT_DESKTOP
    [ $is_open -eq 0 ] && wait_for_action answered xdotool key "$@" && state_satisfies "$condition" && quit_viewer
}
dialog_opens_file() {
    opens_desktop_dialog "echo '$folder/a.md5mesh'" 'is["model"] == "a" && is["list"] == "none"' ctrl+o &&
        grep -Fx -e "--file-selection --filename=$folder/" "$desktop/asked"
}
# Presses the second button of the start page, after the icon that closes it.
dialog_opens_folder() {
    initial_file=
    opens_desktop_dialog "echo '$folder'" 'is["list"] == "files"' ctrl+Home Tab Tab Tab Return &&
        grep -e ' --directory$' "$desktop/asked"
}
check "files are selected in the desktop's dialog" dialog_opens_file
check_long "the desktop's dialog can be cancelled" opens_desktop_dialog "exit 1" \
    'is["model"] == "b" && is["list"] == "none"' ctrl+o
check "if the desktop's dialog fails, the viewer's list opens" opens_desktop_dialog "exit 5" 'is["list"] == "files"' ctrl+o
check_long "folders are selected in the desktop's dialog" dialog_opens_folder

# -- Killed programs ---------------------------------------------------------------------------

# One of two windows is killed. Opened files are written to the configuration soon, and neither window removes lines
# that the other has written.
keeps_lines_of_other_window() {
    file=$scratch/killed/config
    config="--config=$file"
    open_viewer "$folder/a.md5mesh" && until_true grep -q "^recent=.*/a.md5mesh$" "$file" || return 1
    first=$viewer
    open_viewer "$folder/b.md5mesh" && until_true grep -q "^recent=.*/b.md5mesh$" "$file" && kill -TERM "$viewer" || return 1
    wait "$viewer"
    cat "$file"
    grep -q "^recent=.*/b.md5mesh$" "$file" && [ "$(grep -c '^recent=' "$file")" -eq 2 ] && kill -TERM "$first" || return 1
    wait "$first"
    viewer=
    grep -q "^recent=.*/b.md5mesh$" "$file" && [ "$(grep -c '^recent=' "$file")" -eq 2 ] && [ "$(ls -A "$scratch/killed")" = config ]
}
check "a killed window has stored its opened files" keeps_lines_of_other_window
# start_movie: starts a movie of the window, and waits until some of its frames can be played.
start_movie() {
    config="--config=$scratch/movie/config"
    open_viewer "$folder/b.md5mesh" && press record shift+F12 && until_true movie_has_frames b-1.apng.part 3
}
movie_has_frames() { # FILE MIN_FRAMES
    python3 - "$pictures/$1" "$2" <<END
import sys
path, min_frames = sys.argv[1:]
sys.argv = ["frames.py"]
sys.path.insert(0, "test/viewer")
import frames
assert len(frames.apng_frames(open(path, "rb").read())[1]) >= int(min_frames)
END
}
recovers_movie() {
    start_movie && kill -KILL "$viewer" || return 1
    wait "$viewer"
    movie_has_frames b-1.apng.part 3 && open_viewer && press keep Return && [ ! -e "$pictures/b-1.apng.part" ] && movie_has_frames b-1.apng 3 &&
        quit_viewer && open_viewer && press grid g && state_satisfies 'is["grid"] == 1' && quit_viewer && rm "$pictures/b-1.apng"
}
signal_completes_movie() { # SIGNAL
    start_movie && kill "-$1" "$viewer" && ended_with 0 && movie_has_frames b-1.apng 3 && rm "$pictures/b-1.apng" && [ ! -e "$scratch/movie/opening" ]
}
reports_full_disk() {
    # shellcheck disable=SC3045 # a limit that can be lifted again
    ulimit -S -f 600
    open_viewer "$bobbin_mesh" && press record shift+F12 && until_true grep -q 'the movie was closed after' "$log"
    filled=$?
    # shellcheck disable=SC3045
    ulimit -S -f unlimited
    [ $filled -eq 0 ] && movie_has_frames bobbin-1.apng 1 && quit_viewer && rm "$pictures/bobbin-1.apng"
}
# Writes the note that a viewer leaves if it ends while it opens a file. The next viewer must not open this
# file automatically.
skips_file_that_crashed() {
    config="--config=$scratch/fatal/config"
    mkdir "$scratch/fatal"
    cp "$folder/a.md5mesh" "$folder/c.md5mesh"
    printf 'recent=%s\n' "$folder/c.md5mesh" >"$scratch/fatal/config"
    sh -c 'printf "%s %s" $$ "$1"' sh "$folder/c.md5mesh" >"$scratch/fatal/opening"
    open_viewer --open-last || return 1
    read_start_line
    state_satisfies 'is["model"] == "bobbin"' && press try-again Return && state_satisfies 'is["model"] == "c" && is["error"] == 0' && quit_viewer
}
check "a recording that is killed can be played, and kept at the next start" recovers_movie
check "TERM finishes a recording" signal_completes_movie TERM
check_long "HUP finishes a recording" signal_completes_movie HUP
check "a full disk ends a recording, whose frames so far can be played" reports_full_disk
check "a file is not opened again automatically if the viewer ended while opening it" skips_file_that_crashed
config=--no-config

# -- Pictures -----------------------------------------------------------------------------------

prints_path() {
    open_viewer "$folder/b.md5mesh" && press screenshot F12 && grep -Fx "$pictures/b-1.png" "$log" &&
        [ -s "$pictures/b-1.png" ] && press screenshot F12 && grep -Fx "$pictures/b-2.png" "$log" && quit_viewer
}
check "F12 prints the path of the image" prints_path
exports() {
    open_viewer "$folder/b.md5mesh" && press export ctrl+e && wait_for_action exported xdotool key Return &&
        [ -s "$folder/b_b.png" ] &&
        wait_for_action exported xdotool key ctrl+shift+e && [ -s "$folder/b_b-2.png" ] && quit_viewer
}
check "Ctrl+E and Enter export an image, and Ctrl+Shift+E exports another" exports

# -- Broken files ----------------------------------------------------------------------------------

# shows_valid_mesh CONDITION ARGUMENT...: the valid mesh is shown, below an error of the broken file.
shows_valid_mesh() {
    condition=$1
    shift
    open_viewer "$@" || return 1
    read_start_line
    state_satisfies 'is["error"] == 1 && is["model"] == "b"' && state_satisfies "$condition" && quit_viewer
}
keeps_other_files() {
    config=--no-config
    shows_valid_mesh 'is["clip"] == "b"' "$folder/b.md5mesh" "$root/models/bobbin/walk.md5anim" "$folder/b.md5anim" &&
        shows_valid_mesh 1 "$folder/b.md5mesh" --attach "$(print_first_joint_of_b)=$scratch/half.md5mesh" &&
        shows_valid_mesh 1 "$folder/b.md5mesh" --retarget "$scratch/half.md5mesh" &&
        shows_valid_mesh 1 "$folder/b.md5mesh" --compare "$scratch/half.md5mesh" &&
        shows_valid_mesh 1 "$folder/b.md5mesh" --texture "$scratch/half.md5mesh" &&
        shows_valid_mesh 'is["crowd"] == 0' "$folder/b.md5mesh" "$scratch/half.md5mesh" --crowd 3 &&
        shows_valid_mesh 1 "$folder/b.md5mesh" --hide nothing
}
print_first_joint_of_b() {
    sed -n '/^joints/,/^}/s/.*"\(.*\)".*/\1/p' "$folder/b.md5mesh" | head -n 1
}
check "a broken file on the command line does not affect other files" keeps_other_files

# -- Watched files -------------------------------------------------------------------------------

watch_reloads_texture() {
    cp models/bobbin/bobbin.png "$scratch/painted.png"
    cp models/thimble/thimble.png "$scratch/new"
    open_viewer --watch --panel=no --no-auto --texture "$scratch/painted.png" "$bobbin_mesh" &&
        press front 1 && wait_until_no_notice && save_image before && wait_for_action watch mv "$scratch/new" "$scratch/painted.png" &&
        state_satisfies 'is["error"] == 0' && wait_until_no_notice && save_image after && images_differ 0.005 before after && quit_viewer
}
# wait_for_reload CONDITION COMMAND...: after the command the viewer reloads, and the condition becomes true. One
# change may cause several reloads, so later lines of the log are checked, too.
wait_for_reload() {
    condition=$1
    shift
    "$@"
    until_true last_reload_satisfies "$condition"
}
last_reload_satisfies() {
    line=$(grep '^watch: ' "$log" | tail -n 1)
    state_satisfies "$1"
}
# Checks that a truncated file is reported as an error when it is reloaded, and that the crowd is unchanged.
watch_reloads_crowd() {
    cp models/bobbin/walk.md5anim models/bobbin/bobbin.md5mesh "$scratch"
    cp models/spindle/spindle.md5mesh "$scratch/other.md5mesh"
    open_viewer --watch --crowd 2 "$scratch/bobbin.md5mesh" "$scratch/walk.md5anim" \
        "$scratch/other.md5mesh" || return 1
    cp "$scratch/half.md5mesh" "$scratch/new"
    wait_for_reload 'is["crowd"] == 2 && is["error"] == 1' mv "$scratch/new" "$scratch/other.md5mesh" ||
        return 1
    cp models/spindle/spindle.md5mesh "$scratch/new"
    wait_for_reload 'is["crowd"] == 2 && is["error"] == 0' mv "$scratch/new" "$scratch/other.md5mesh" && quit_viewer
}
check_long "--watch reloads a texture" watch_reloads_texture
check_long "--watch reloads a model of a crowd, and keeps the crowd if the file is truncated" watch_reloads_crowd

# This is the last test, because no window can be opened after the X server has ended.
loses_display() {
    start_movie && kill -KILL "$server" && ended_with 3 && movie_has_frames b-1.apng 3 && [ ! -e "$pictures/b-1.apng.part" ] &&
        grep -q '^recent=.*/b.md5mesh$' "$scratch/movie/config"
}
check "if the X server ends, a recording is finished and settings are stored" loses_display

finish

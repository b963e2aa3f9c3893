#!/bin/sh
# The start of md5view in a real window: with the settings of the last run, unless options override them; with a
# folder; with broken files; after a crash; and with --watch. test/viewer/test_view_open.c tests all cases.
. test/build/report.sh
. test/build/window.sh

first_line() {
    line=$(grep '^start: ' "$log") before=$line
}
quits() {
    press quit ctrl+q && ended_with 0
}
# Prints the values in a line, except values that change with time.
lasting() {
    echo "$1" | tr ' ' '\n' | grep '=' | grep -vE '^(time|frame|camera-frame|playing|notice|azimuth|elevation|distance|target|orthographic|loop|root)='
}
presses() { # ACTION:KEY...
    for key in "$@"; do
        press "${key%:*}" "${key#*:}" || return 1
    done
}

# -- The second start ---------------------------------------------------------------------------

file=$scratch/remembered/config
config="--config=$file"
size=
quick="--frame-rate 10 --samples 1" # without --no-shadow, because the switch for shadows is restored, too
# The next start restores the state without a warning; the one after that leaves the file
# unchanged.
restores_state() {
    lasting "$line" >"$scratch/ended"
    quits && cat "$file" && open_viewer || return 1
    first_line
    lasting "$line" >"$scratch/started"
    state_satisfies 'is["error"] == 0' && ! grep -e 'invalid line is ignored' -e ': expected ' "$log" &&
        diff "$scratch/ended" "$scratch/started" && cp "$file" "$scratch/once" && quits &&
        open_viewer || return 1
    first_line
    state_satisfies 'is["error"] == 0' && quits && diff "$scratch/once" "$file"
}
remembers_all() {
    open_viewer --open-last "$folder/b.md5mesh" && after resize xdotool windowsize --sync "$window" 800 450 &&
        presses grid:g axes:x edges:e normals:n skeleton:j bounds:b joint-bounds:shift+b \
            untextured:t checker:c light:k shadows:shift+k maps:shift+t skinning:q frame-time:z auto-quality:shift+q statistics:m \
            hierarchy:shift+h light-list:shift+l root:shift+r loop:l right:3 orthographic:5 || return 1
    save_image lights # draws the list of lights, so that the mouse finds it
    after inspected drag 1 622 91 705 91 && after inspected drag 1 635 198 665 198 &&
        after orbit drag 1 300 340 370 360 && after zoom xdotool click 4 &&
        state_satisfies 'is["lights"] !~ /key=1,/ && is["lights"] !~ /azimuth=0,/' && restores_state
}
check "a second start restores the state of the first" remembers_all

# -- Options override the state -------------------------------------------------------------------

# starts_with CONDITION ARGUMENTS...: starts with a configuration that names the last model.
starts_with() {
    condition=$1
    shift
    printf 'recent=%s\nopen-last=yes\n' "$folder/b.md5mesh" >"$file"
    open_viewer "$@" || return 1
    first_line
    state_satisfies "is[\"error\"] == 0 && $condition" && quits
}
size=--resolution=400,300
check "without arguments open-last shows the last model" starts_with 'is["model"] == "b"'
check_long "a crowd consists of the built-in models" starts_with 'is["crowd"] == 3 && is["model"] == "bobbin"' --crowd 3
check "a named model is shown" starts_with 'is["model"] == "a"' "$folder/a.md5mesh"
sets_aside() { # the viewer starts with the default settings
    printf 'grid=\001\002\n' >"$file"
    open_viewer || return 1
    first_line
    state_satisfies 'is["error"] == 0 && is["notice"] == 1' && [ -e "$file.broken" ] && quits && grep -x grid=no "$file"
}
check "a broken configuration file is renamed" sets_aside

config=--no-config
quick="$quick --no-shadow"
opens_from_folder() {
    open_viewer "$folder/b.md5mesh" "$folder" || return 1
    first_line
    state_satisfies 'is["list"] == "files" && is["model"] == "b"' && press list Home && press choose Return &&
        state_satisfies 'is["list"] == "none" && is["model"] == "a" && is["error"] == 0' && quits
}
check "a folder opens a list, and the selected file is opened" opens_from_folder

# -- Broken and missing files ---------------------------------------------------------------------

# The window shows the error over the built-in model, even if a file manager has started it.
opens_broken() {
    cp "$scratch/half.md5mesh" "$scratch/mended.md5mesh"
    open_viewer "$scratch/mended.md5mesh" || return 1
    first_line
    state_satisfies 'is["error"] == 1 && is["model"] == "bobbin"' && grep 'mended.md5mesh.*error' "$log" || return 1
    cp "$folder/a.md5mesh" "$scratch/mended.md5mesh"
    press try-again Return && state_satisfies 'is["error"] == 0 && is["model"] == "mended"' && quits
}
opens_what_is_missing() {
    open_viewer "$scratch/nowhere.md5mesh" || return 1
    first_line
    state_satisfies 'is["error"] == 1' && press close-lists Escape && state_satisfies 'is["error"] == 0' && quits
}
check "a broken file opens a window with the error, and can be tried again" opens_broken
check "a missing file opens a window with the error" opens_what_is_missing

# -- The start page -------------------------------------------------------------------------------

# The first key ends the first minute. Return presses the first button of the start page. The list closes the page
# only if a file is opened.
starts_alone() {
    open_viewer || return 1
    first_line
    state_satisfies 'is["model"] == "bobbin" && is["list"] == "none"' && press start-page ctrl+Home && press files Return &&
        state_satisfies 'is["list"] == "files"' && press close-lists Escape && press files Return &&
        press close-lists Escape && press close-lists Escape && press frame-all Home && quits
}
check "without files Ctrl+Home opens the start page" starts_alone

# -- The desktop's dialog -------------------------------------------------------------------------

# asks_desktop COMMANDS CONDITION KEY...: the keys open a dialog, for which a substitute for zenity runs these
# commands.
desktop=$scratch/desktop
shown=$folder/b.md5mesh
mkdir "$desktop"
asks_desktop() {
    printf '#!/bin/sh\necho "$@" >>%s/asked\n%s\n' "$desktop" "$1" >"$desktop/zenity"
    chmod +x "$desktop/zenity"
    condition=$2 usual_path=$PATH PATH=$desktop:$PATH XDG_CURRENT_DESKTOP=test
    export PATH XDG_CURRENT_DESKTOP
    shift 2
    open_viewer ${shown:+"$shown"} # without a file: the first minute
    is_open=$?
    PATH=$usual_path
    unset XDG_CURRENT_DESKTOP
    [ $is_open -eq 0 ] && after answered xdotool key "$@" && state_satisfies "$condition" && quits
}
chooses() {
    asks_desktop "echo '$folder/a.md5mesh'" 'is["model"] == "a" && is["list"] == "none"' ctrl+o &&
        grep -Fx -e "--file-selection --filename=$folder/" "$desktop/asked"
}
# Presses the second button of the start page, after the icon that closes it.
selects_folder() {
    shown=
    asks_desktop "echo '$folder'" 'is["list"] == "files"' ctrl+Home Tab Tab Tab Return &&
        grep -e ' --directory$' "$desktop/asked"
}
check "files are selected in the desktop's dialog" chooses
check_long "the desktop's dialog can be cancelled" asks_desktop "exit 1" \
    'is["model"] == "b" && is["list"] == "none"' ctrl+o
check "if the desktop's dialog fails, the viewer's list opens" asks_desktop "exit 5" 'is["list"] == "files"' ctrl+o
check_long "folders are selected in the desktop's dialog" selects_folder

# -- Killed programs ---------------------------------------------------------------------------

# One of two windows is killed. Opened files are written to the configuration soon, and neither window removes lines
# that the other has written.
kills() {
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
check "a killed window has stored its opened files" kills
# records: starts a movie of the window, and waits until some of its frames can be played.
records() {
    config="--config=$scratch/movie/config"
    open_viewer "$folder/b.md5mesh" && press record shift+F12 && until_true plays b-1.apng.part 3
}
plays() { # FILE MIN_FRAMES
    python3 - "$pictures/$1" "$2" <<END
import sys
path, least = sys.argv[1:]
sys.argv = ["frames.py"]
sys.path.insert(0, "test/viewer")
import frames
assert len(frames.apng_frames(open(path, "rb").read())[1]) >= int(least)
END
}
keeps_movie() {
    records && kill -KILL "$viewer" || return 1
    wait "$viewer"
    plays b-1.apng.part 3 && open_viewer && press keep Return && [ ! -e "$pictures/b-1.apng.part" ] && plays b-1.apng 3 &&
        quits && open_viewer && press grid g && state_satisfies 'is["grid"] == 1' && quits && rm "$pictures/b-1.apng"
}
ends_movie() { # SIGNAL
    records && kill "-$1" "$viewer" && ended_with 0 && plays b-1.apng 3 && rm "$pictures/b-1.apng" && [ ! -e "$scratch/movie/opening" ]
}
fills_disk() {
    # shellcheck disable=SC3045 # a limit that can be lifted again
    ulimit -S -f 600
    open_viewer "$own" && press record shift+F12 && until_true grep -q 'the movie was closed after' "$log"
    filled=$?
    # shellcheck disable=SC3045
    ulimit -S -f unlimited
    [ $filled -eq 0 ] && plays bobbin-1.apng 1 && quits && rm "$pictures/bobbin-1.apng"
}
# Writes the note that a viewer leaves if it ends while it opens the last file.
does_not_survive() {
    config="--config=$scratch/fatal/config"
    mkdir "$scratch/fatal"
    cp "$folder/a.md5mesh" "$folder/c.md5mesh"
    printf 'recent=%s\n' "$folder/c.md5mesh" >"$scratch/fatal/config"
    sh -c 'printf "%s %s" $$ "$1"' sh "$folder/c.md5mesh" >"$scratch/fatal/opening"
    open_viewer --open-last || return 1
    first_line
    state_satisfies 'is["model"] == "bobbin"' && press try-again Return && state_satisfies 'is["model"] == "c" && is["error"] == 0' && quits
}
check "a recording that is killed can be played, and kept at the next start" keeps_movie
check "TERM finishes a recording" ends_movie TERM
check_long "HUP finishes a recording" ends_movie HUP
check "a full disk ends a recording, whose frames so far can be played" fills_disk
check "a file is not opened again automatically if the viewer ended while opening it" does_not_survive
config=--no-config

# -- Pictures -----------------------------------------------------------------------------------

prints_path() {
    open_viewer "$folder/b.md5mesh" && press screenshot F12 && grep -Fx "$pictures/b-1.png" "$log" &&
        [ -s "$pictures/b-1.png" ] && press screenshot F12 && grep -Fx "$pictures/b-2.png" "$log" && quits
}
check "F12 prints the path of the image" prints_path
exports() {
    open_viewer "$folder/b.md5mesh" && press export ctrl+e && after exported xdotool key Return &&
        [ -s "$folder/b_b.png" ] &&
        after exported xdotool key ctrl+shift+e && [ -s "$folder/b_b-2.png" ] && quits
}
check "Ctrl+E and Enter export an image, and Ctrl+Shift+E exports another" exports

# -- Broken files ----------------------------------------------------------------------------------

# keeps CONDITION ARGUMENT...: the valid mesh is shown, below an error of the broken file.
keeps() {
    condition=$1
    shift
    open_viewer "$@" || return 1
    first_line
    state_satisfies 'is["error"] == 1 && is["model"] == "b"' && state_satisfies "$condition" && quits
}
keeps_rest() {
    config=--no-config
    keeps 'is["clip"] == "b"' "$folder/b.md5mesh" "$root/models/bobbin/walk.md5anim" "$folder/b.md5anim" &&
        keeps 1 "$folder/b.md5mesh" --attach "$(joint_of_b)=$scratch/half.md5mesh" &&
        keeps 1 "$folder/b.md5mesh" --retarget "$scratch/half.md5mesh" &&
        keeps 1 "$folder/b.md5mesh" --compare "$scratch/half.md5mesh" &&
        keeps 1 "$folder/b.md5mesh" --texture "$scratch/half.md5mesh" &&
        keeps 'is["crowd"] == 0' "$folder/b.md5mesh" "$scratch/half.md5mesh" --crowd 3 &&
        keeps 1 "$folder/b.md5mesh" --hide nothing
}
joint_of_b() {
    sed -n '/^joints/,/^}/s/.*"\(.*\)".*/\1/p' "$folder/b.md5mesh" | head -n 1
}
check "a broken file on the command line does not affect other files" keeps_rest

# -- Watched files -------------------------------------------------------------------------------

watches_texture() {
    cp models/bobbin/bobbin.png "$scratch/painted.png"
    cp models/thimble/thimble.png "$scratch/new"
    open_viewer --watch --panel=no --no-auto --texture "$scratch/painted.png" "$own" &&
        press front 1 && quiet && save_image before && after watch mv "$scratch/new" "$scratch/painted.png" &&
        state_satisfies 'is["error"] == 0' && quiet && save_image after && differ 0.005 before after && quits
}
# watch_comes_to CONDITION COMMAND...: after the command the viewer reloads, and the condition becomes true. One
# change may cause several reloads, so later lines count, too.
watch_comes_to() {
    condition=$1
    shift
    "$@"
    until_true last_watch_says "$condition"
}
last_watch_says() {
    line=$(grep '^watch: ' "$log" | tail -n 1)
    state_satisfies "$1"
}
# The line after a truncated file reports an error; the crowd is unchanged.
watches_crowd() {
    cp models/bobbin/walk.md5anim models/bobbin/bobbin.md5mesh "$scratch"
    cp models/spindle/spindle.md5mesh "$scratch/other.md5mesh"
    open_viewer --watch --crowd 2 "$scratch/bobbin.md5mesh" "$scratch/walk.md5anim" \
        "$scratch/other.md5mesh" || return 1
    cp "$scratch/half.md5mesh" "$scratch/new"
    watch_comes_to 'is["crowd"] == 2 && is["error"] == 1' mv "$scratch/new" "$scratch/other.md5mesh" ||
        return 1
    cp models/spindle/spindle.md5mesh "$scratch/new"
    watch_comes_to 'is["crowd"] == 2 && is["error"] == 0' mv "$scratch/new" "$scratch/other.md5mesh" && quits
}
check_long "--watch reloads a texture" watches_texture
check_long "--watch reloads a model of a crowd, and keeps the crowd if the file is truncated" watches_crowd

# The last test, because no window can be opened after it.
loses_display() {
    records && kill -KILL "$server" && ended_with 3 && plays b-1.apng 3 && [ ! -e "$pictures/b-1.apng.part" ] &&
        grep -q '^recent=.*/b.md5mesh$' "$scratch/movie/config"
}
check "if the X server ends, a recording is finished and settings are stored" loses_display

finish

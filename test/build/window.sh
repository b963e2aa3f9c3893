# shellcheck shell=sh disable=SC2154,SC2034 # set by report.sh; used by the scripts
# For test scripts that drive md5view in a real window with a private X server (Xvfb), real keys and mouse moves
# (xdotool), and real drops. Tests read the effect of an action from the line that the viewer logs after each action
# with `--verbose debug`, and from the images that it saves. If Xvfb or xdotool is missing, the script skips its tests
# and exits here. $screen is the size of the screen.
view=$(realpath "$products/md5view")
root=$PWD
bobbin_mesh=$root/$models/bobbin/bobbin.md5mesh

for needed in Xvfb xdotool python3; do
    command -v $needed >/dev/null || {
        skip "$(basename "$0")" "$needed is not installed"
        finish
    }
done

# -- A screen and a viewer on it ----------------------------------------------------------------

unset WAYLAND_DISPLAY SDL_VIDEODRIVER XDG_CURRENT_DESKTOP # desktop dialogs would wait for an answer
export SDL_AUDIODRIVER=dummy # tests must be silent
viewer=
Xvfb -displayfd 3 -screen 0 "${screen:-1280x900}x24" -nolisten tcp 3>"$scratch/display" 2>"$scratch/xvfb" &
server=$!
stop_viewer_and_server() {
    [ -n "$viewer" ] && kill "$viewer" 2>/dev/null
    kill $server 2>/dev/null
    rm -rf "$scratch"
}
trap stop_viewer_and_server EXIT

# until_true COMMAND...: repeats the command until it succeeds. Gives up after minutes, which only happens on failure.
until_true() {
    rounds=2000
    while [ $rounds -gt 0 ]; do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.05
        rounds=$((rounds - 1))
    done
    "$@"
}
until_true [ -s "$scratch/display" ] || {
    skip "$(basename "$0")" "Xvfb does not start: $(head -n 1 "$scratch/xvfb")"
    finish
}
DISPLAY=:$(cat "$scratch/display")
export DISPLAY

# Screenshots go into the current folder. $log is a path, because there are several logs.
pictures=$scratch/pictures
mkdir "$pictures"
# $config selects the configuration file; by default none is read or written. $fast_options reduces the number and quality of
# frames, because tests examine the effect of an action and not smooth motion.
log=
config=--no-config
size=--resolution=800,450
fast_options="--frame-rate 10 --samples 1 --no-shadow"
open_viewer() { # ARGUMENTS...
    log=$scratch/log$((${runs:=0} + 1))
    runs=$((runs + 1))
    # shellcheck disable=SC2086 # zero or more arguments
    (cd "$pictures" && exec "$view" --verbose debug $fast_options $config $size "$@") 2>"$log" &
    viewer=$!
    until_true grep -q '^start: ' "$log" || { cat "$log"; return 1; }
    until_true xdotool search --onlyvisible --pid $viewer || return 1 # the window appears with its first frame
    window=$(xdotool search --onlyvisible --pid $viewer 2>/dev/null | tail -n 1)
    xdotool windowfocus --sync "$window"
}
# Returns success if the viewer exited with this status.
ended_with() {
    end_status=0
    until_true sh -c "! kill -0 $viewer" || { echo "the viewer does not exit"; return 1; }
    wait "$viewer" || end_status=$?
    viewer=
    ! leak_sanitizer_crashed "$log" || end_status=$1
    [ "$end_status" -eq "$1" ] || { echo "status $end_status"; cat "$log"; return 1; }
}

# -- Actions and their effects --------------------------------------------------------------------

# $line is the line that an action logged. It consists of fields NAME=VALUE. `print_value NAME` prints the
# value of a field in it.
line=
print_value() {
    echo "$line" | tr ' ' '\n' | sed -n "s/^$1=//p"
}
count_actions() {
    grep -c "^$1: " "$log"
}
# wait_for_action ACTION COMMAND...: runs the command and waits until the viewer logs that action; $line is that logged line,
# $before the last line before the command.
before=
wait_for_action() {
    action=$1
    shift
    count=$(count_actions "$action")
    before=$(grep -E '^[a-z-]+: model=' "$log" | tail -n 1)
    "$@"
    until_true actions_exceed "$action" "$count" || { echo "no line for $action"; tail -n 3 "$log"; return 1; }
    line=$(grep "^$action: " "$log" | tail -n 1)
}
# Prints the number of all logged actions. `quiet` is omitted, because it is not an effect of input. It is logged when
# a notice ends.
count_all_actions() {
    grep ': model=' "$log" | grep -vc '^quiet: '
}
all_actions_exceed() {
    [ "$(count_all_actions)" -gt "$1" ]
}
actions_exceed() {
    [ "$(count_actions "$1")" -gt "$2" ]
}
print_value_before() {
    echo "$before" | tr ' ' '\n' | sed -n "s/^$1=//p"
}
press() { # ACTION KEY
    wait_for_action "$1" xdotool key "$2"
}
# Waits until the viewer shows no notice; it logs `quiet` when one ends.
wait_until_no_notice() {
    until_true has_no_notice
}
has_no_notice() {
    grep -E '^[a-z-]+: model=' "$log" | tail -n 1 | grep -q ' notice=0'
}
# press_until ACTION KEY CONDITION: presses a key repeatedly, so that the viewer logs its state, until
# the condition holds. The key has no effect on the condition.
press_until() {
    rounds_left=100
    while [ $rounds_left -gt 0 ]; do
        press "$1" "$2" || return 1
        state_satisfies "$3" >/dev/null && return 0
        rounds_left=$((rounds_left - 1))
        sleep 0.05
    done
    state_satisfies "$3"
}
# click_until ACTION X Y: repeats the click until the viewer logs the action. A click can hit another target if its own is not
# drawn yet; the viewer logs every click as some action.
click_until() {
    clicked=$(count_actions "$1")
    before=$(grep -E '^[a-z-]+: model=' "$log" | tail -n 1)
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        actions=$(count_all_actions)
        xdotool mousemove --window "$window" "$2" "$3" click 1
        until_true all_actions_exceed "$actions"
        actions_exceed "$1" "$clicked" && break
    done
    actions_exceed "$1" "$clicked" || { echo "no line for $1"; tail -n 3 "$log"; return 1; }
    line=$(grep "^$1: " "$log" | tail -n 1)
}
# state_satisfies CONDITION: returns success if an awk condition is true. It uses the values before the action, such as
# was["time"], and after it, such as is["time"].
state_satisfies() {
    printf '%s\n%s\n' "$before" "$line" | awk "
        { for (i = 2; i <= NF; i++) { at = index(\$i, \"=\"); k = substr(\$i, 1, at - 1)
            v = substr(\$i, at + 1); if (v ~ /^-?[0-9.]+\$/) v += 0
            if (NR == 1) was[k] = v; else is[k] = v } }
        function near(a, b) { return a - b < 0.02 && b - a < 0.02 }
        function frame(s) { sub(/\\/.*/, \"\", s); return s + 0 }
        function last(s) { sub(/.*\\//, \"\", s); return s + 0 }
        END { exit !($1) }" || { echo "not $1"; echo "$before"; echo "$line"; return 1; }
}
# check_key TITLE ACTION KEY CONDITION: checks that the key triggers the action and that the condition is true afterwards.
check_key() {
    title=$1 key_action=$2 key=$3 condition=$4
    key_has_effect() {
        press "$key_action" "$key" && state_satisfies "$condition"
    }
    check "$title" key_has_effect
}
check_key_long() {
    ! is_long || check_key "$@"
}
drag() { # BUTTON X Y X Y
    xdotool mousemove --window "$window" "$2" "$3" mousedown "$1" \
        mousemove --window "$window" $((($2 + $4) / 2)) $((($3 + $5) / 2)) \
        mousemove --window "$window" "$4" "$5" mouseup "$1"
}
# Saves the current image with F12 and renames it.
save_image() { # NAME [KEY]
    press "${2:+clean-}screenshot" "${2:-F12}" || return 1
    image_path=$(grep '^/.*\.png$' "$log" | grep -v ' ' | tail -n 1)
    mv "$image_path" "$scratch/$1.png"
}
images_differ() { # MIN_FRACTION NAME NAME
    share=$(png differ "$scratch/$2.png" "$scratch/$3.png")
    echo "$share of the pixels differ"
    echo "$share $1" | awk '{ exit !($1 > $2) }'
}

# -- Files to open ------------------------------------------------------------------------------

# A separate folder with two models, and an animation that matches the second model.
folder="$scratch/two models"
mkdir "$folder"
cp test/reference/data/still.md5mesh "$folder/a.md5mesh"
cp test/reference/data/travel.md5mesh "$folder/b.md5mesh"
cp test/reference/data/travel.md5anim "$folder/b.md5anim"
cp test/reference/data/travel.md5anim "$scratch/later.md5anim"
cp models/bobbin/bobbin.png "$scratch/paint.png"
printf 'MD5Version 10\n' >"$scratch/half.md5mesh"

drop_files() { # FILE...
    wait_for_action drop python3 test/viewer/x11.py drop "$window" "$@"
}

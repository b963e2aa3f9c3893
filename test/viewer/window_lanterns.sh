#!/bin/sh
# The game in a window: it plays itself until a key is pressed; keys and a drag drive it; Esc pauses it.
. test/build/report.sh
. test/build/window.sh

# The last line of the game, behind that of an action.
game() { # ACTION CONDITION
    before='' line=$(grep "^$1 game: " "$log" | tail -n 1 | sed 's/ game//')
    says "$2"
}
opens() {
    open_viewer --game-demo && game start 'is["phase"] == "plays" && is["demo"] == 1'
}
check "--game-demo opens a game that plays itself" opens
[ -n "$viewer" ] || finish

takes_over() {
    press drive w && press drive w && game drive 'is["demo"] == 0 && is["lit"] == 0'
}
check "a key takes over, and the game begins anew" takes_over
# Holds a key until he has taken some steps.
place() { # ACTION
    grep "^$1 machine: " "$log" | tail -n 1 | sed 's/.*place=//; s/ .*//'
}
has_walked() {
    press screenshot F12 && to=$(place screenshot) && echo "from $from to $to" &&
        echo "$from,$to" | awk -F, '{ exit !(($1 - $3) ^ 2 + ($2 - $4) ^ 2 > 25) }'
}
walks() { # KEY
    after drive xdotool keydown "$1" && from=$(place drive) && until_true has_walked
    status=$?
    after let-go xdotool keyup "$1" && return $status
}
arrow_walks() {
    walks Up
}
letter_walks() {
    walks w
}
check "W walks" letter_walks
check "the arrow up walks, too" arrow_walks
stick_walks() {
    take before && xdotool mousemove --window "$window" 200 300 mousedown 1 mousemove --window "$window" 200 250 &&
        until_true has_turned && after stick xdotool mouseup 1
}
has_turned() {
    take held && differ 0.05 before held
}
check "a drag is a stick" stick_walks
begins_anew() { # for who stands still the oil ends after 60 s
    until_true lost && until_true plays_anew
}
plays_anew() {
    xdotool key Return && press screenshot F12 && game screenshot 'is["phase"] == "plays" && is["seconds"] < 5'
}
lost() {
    press screenshot F12 && game screenshot 'is["phase"] == "lost"'
}
check_long "a game that is lost begins anew with Enter" begins_anew
# Another window takes the keys, or this one is hidden: rules and clock stop, and go on.
pauses() {
    press close-lists Escape && says 'is["playing"] == 0' && press screenshot F12 && stops=$(grep '^screenshot game' "$log" | tail -n 1) &&
        press screenshot F12 && [ "$stops" = "$(grep '^screenshot game' "$log" | tail -n 1)" ] && press play space &&
        says 'is["playing"] == 1' && after away xdotool windowunmap "$window" && says 'is["playing"] == 0' &&
        xdotool windowmap --sync "$window" windowfocus --sync "$window" && press first Return && game first 'is["seconds"] < 1'
}
check "Esc and a hidden window pause it" pauses
sign_pauses() { # for fingers
    after close-lists xdotool mousemove --window "$window" 770 25 click 1 && says 'is["playing"] == 0' &&
        press play space && says 'is["playing"] == 1'
}
check "so does the sign at the upper right" sign_pauses
closes() { # pause, title, what was open
    press close-lists Escape && press close-lists Escape && game close-lists 'is["phase"] == "plays" && is["demo"] == 1' &&
        press close-lists Escape && grep -e ' game: ' -e '^close-lists: ' "$log" | tail -n 1 | grep '^close-lists: ' && says 'is["model"] == "bobbin"' &&
        xdotool key ctrl+q && ended_with 0
}
check "Esc leads to its title, and from there to the character again" closes
finish

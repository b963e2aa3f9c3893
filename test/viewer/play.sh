#!/bin/sh
# State machines in md5tool and md5view: errors in their files, parameters, crowds, retargeting, attached models, and
# terrain.
. test/build/report.sh
view=$products/md5view
tool=$products/md5tool
bobbin=$models/bobbin/bobbin.md5machine
unset DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER

save_image() { # NAME ARGUMENTS...
    name=$1
    shift
    "$view" --verbose error --resolution 96,72 --samples 1 --output "$scratch/$name.png" "$@"
}
changes_image() { # NAME ARGUMENTS...: the image differs from base.png
    save_image "$@" && ! cmp "$scratch/base.png" "$scratch/$1.png"
}

# -- md5tool ------------------------------------------------------------------------------------

machines_are_clean() {
    for machine in models/*/*.md5machine models/*/*/*.md5machine; do
        exits_with 0 ' 0 errors, 0 warnings' "$tool" check "$machine" || return 1
    done
}
check "our machines load without warnings" machines_are_clean
check "md5tool lists layers" exits_with 0 'layer              body, states: 25,' "$tool" info "$bobbin"

# check_rejected_machine TITLE SED-SCRIPT WORD: the error message for a machine with one change contains WORD
mkdir "$scratch/bobbin"
cp models/bobbin/*.md5mesh models/bobbin/*.md5anim "$scratch/bobbin/"
check_rejected_machine() {
    sed "$2" "$bobbin" >"$scratch/bobbin/wrong.md5machine"
    check "$1" exits_with 1 "$3" "$tool" check "$scratch/bobbin/wrong.md5machine"
}
check_rejected_machine "an unknown keyword" 's/trigger jump/button jump/' "found 'button'"
check_rejected_machine "a missing file of a clip" 's/idle.md5anim/idel.md5anim/' 'idel.md5anim'
check_rejected_machine "a clip whose file is not an animation" 's/stand.md5anim/bobbin.md5mesh/' 'bobbin.md5mesh'
check_rejected_machine "a missing model" 's/model bobbin/model babbin/' 'babbin.md5mesh'
check_rejected_machine "a missing motion" 's/state idle idle/state idle idel/' \
    ":20: error: state 'idle' refers to unknown motion 'idel_looking'"
check_rejected_machine "a missing parameter" 's/when talk/when tolk/' \
    ":38: error: transition of layer 'mouth' refers to unknown parameter 'tolk'"
check_rejected_machine "a missing state" 's/transition idle start/transition idle stert/' "'stert'"
check_rejected_machine "a missing joint of a mask" 's/\*spine_2/*spin_2/' \
    ":19: error: mask 'upper': unknown joint 'spin_2'"
check_rejected_machine "a missing joint of a modifier" 's/legs feet hips/legs feet hpis/' \
    ":24: error: modifier 'legs' refers to unknown joint 'hpis'"
check_rejected_machine "an event after the last frame" 's/frame 30 landing/frame 99 landing/' \
    ":15: error: clip 'leap': event 'landing' is out of range: expected a frame from 0 to 48, found 99"

# -- md5view ------------------------------------------------------------------------------------

check "a machine is drawn" save_image base "$bobbin" --animation-time 1
image_is_repeatable() {
    save_image again "$bobbin" --animation-time 1 && cmp "$scratch/base.png" "$scratch/again.png"
}
check_long "the same time gives the same image" image_is_repeatable
check "a parameter changes the image" changes_image set "$bobbin" --animation-time 1 --set speed=44
check_long "a parameter is set at its time" \
    changes_image later "$bobbin" --animation-time 1 --set wave=1@0.4
later_value_has_no_effect() {
    save_image early "$bobbin" --animation-time 1 --set wave=1@1.5 &&
        cmp "$scratch/base.png" "$scratch/early.png"
}
check_long "a parameter has no effect before its time" later_value_has_no_effect
# The image has 800 by 450 pixels, because the panel does not fit into smaller images.
panel_changes_image() {
    save_image large "$bobbin" --animation-time 1 --resolution 800,450 &&
        save_image panel "$bobbin" --animation-time 1 --resolution 800,450 --panel &&
        ! cmp "$scratch/large.png" "$scratch/panel.png"
}
check_long "a panel with the states is drawn" panel_changes_image
check "an unknown parameter is reported" exits_with 0 '--set sped: parameter not found' \
    "$view" "$bobbin" --set sped=16 --no-render
check "a parameter for a crowd is ignored with a warning" exits_with 0 "--set speed: ignored for the machines of a crowd" \
    "$view" "$bobbin" --crowd 2 --set speed=16 --no-render
check "--set needs a value" exits_with 2 '--set' "$view" "$bobbin" --set speed
check "--set needs a number" exits_with 2 '--set' "$view" "$bobbin" --set speed=fast
check "--set needs a number after @" exits_with 2 '--set' "$view" "$bobbin" --set speed=1@x
sed 's/idle.md5anim/idel.md5anim/' "$bobbin" >"$scratch/bobbin/wrong.md5machine"
check "a broken machine is reported" exits_with 1 'idel.md5anim' "$view" \
    "$scratch/bobbin/wrong.md5machine" --no-render

# Checks that the machine and the viewer play a compressed clip that has the name of a text file.
plays_compressed() {
    cp models/bobbin/bobbin.md5machine models/bobbin/*.md5mesh models/bobbin/*.md5anim "$scratch/bobbin/" &&
        "$tool" compress models/bobbin/walk.md5anim models/bobbin/bobbin.md5mesh -o "$scratch/bobbin/walk.md5anim" &&
        exits_with 0 ' 0 errors, 0 warnings' "$tool" check "$scratch/bobbin/bobbin.md5machine" &&
        save_image bound "$scratch/bobbin/bobbin.md5mesh" "$scratch/bobbin/walk.md5anim" --animation-time 0 &&
        save_image packed "$scratch/bobbin/bobbin.md5mesh" "$scratch/bobbin/walk.md5anim" --animation-time 0.4 &&
        ! cmp -s "$scratch/bound.png" "$scratch/packed.png" &&
        save_image alone "$scratch/bobbin/walk.md5anim" --animation-time 0.4
}
check "a compressed clip is opened and played" plays_compressed

check "a crowd plays a machine" changes_image crowd "$bobbin" --animation-time 1 --crowd 9
check_long "a crowd plays clips" changes_image clips "$models/bobbin/bobbin.md5mesh" --crowd 9
check "a crowd needs a model" exits_with 1 '--crowd requires a model with animations or a state machine' "$view" "$models/bobbin/idle.md5anim" --crowd 9 \
    --output "$scratch/x.png"
check_long "retargeting changes the image" changes_image body "$bobbin" --animation-time 1 \
    --retarget "$models/spindle/spindle.md5mesh"
check_long "retargeting to a model without common joints is rejected" exits_with 1 'error' "$view" "$bobbin" \
    --retarget test/reference/data/still.md5mesh --output "$scratch/x.png"
check "a model is attached to a joint" changes_image thing "$bobbin" --animation-time 1 \
    --attach prop_r=$models/lantern/lantern.md5mesh
check_long "an unknown joint to attach to is reported" exits_with 1 "--attach wing=$models/lantern/lantern.md5mesh: joint not found in the model" "$view" "$bobbin" \
    --attach wing=$models/lantern/lantern.md5mesh --output "$scratch/x.png"
sed 's/model bobbin/attached gun nothing.md5mesh on hand_r model bobbin/' "$bobbin" >"$scratch/bobbin/holds.md5machine"
check_long "a missing file that a machine attaches is reported" exits_with 1 'nothing.md5mesh' "$view" \
    "$scratch/bobbin/holds.md5machine" --output "$scratch/x.png"
check_long "a missing file to attach is reported" exits_with 1 'nothing.md5mesh' "$view" "$bobbin" \
    --attach prop_r=nothing.md5mesh --output "$scratch/x.png"
attached_fire_is_drawn() { # compares with the same machine without the folder `attached`
    cp "$bobbin" "$models"/bobbin/*.png "$scratch/bobbin/"
    save_image fire "$bobbin" --animation-time 1.5 --set sneeze=1@0.1 --hide skin &&
        save_image smothered "$scratch/bobbin/bobbin.md5machine" --animation-time 1.5 --set sneeze=1@0.1 --hide skin &&
        ! cmp "$scratch/fire.png" "$scratch/smothered.png"
}
check "fire is drawn when Bobbin sneezes" attached_fire_is_drawn
check "--attach needs a joint" exits_with 2 '--attach' "$view" "$bobbin" --attach lantern.md5mesh
check_long "terrain changes the image" changes_image terrain "$bobbin" --animation-time 1 --terrain hills
walk_option_changes_image() {
    save_image bound "$models/thimble/thimble.md5mesh" --no-auto --animation-time 1 &&
        save_image walking "$models/thimble/thimble.md5mesh" --no-auto --animation-time 1 --walk &&
        ! cmp "$scratch/bound.png" "$scratch/walking.png"
}
check_long "--walk changes the image" walk_option_changes_image
check "walking without legs gives a warning" exits_with 0 '--walk is ignored: expected two joints whose names contain foot or ankle' "$view" \
    test/reference/data/still.md5mesh --walk --resolution 64,48 --samples 1 --output "$scratch/x.png"
# The feet are placed by a modifier of the machine.
feet_follow_terrain() {
    save_image stands "$bobbin" --animation-time 0.5 --terrain hills
    save_image flat "$bobbin" --animation-time 0.5
    ! cmp "$scratch/stands.png" "$scratch/flat.png"
}
check "terrain changes the image of a machine that places feet" feet_follow_terrain
# The legs of the monster are defined by the keys of its entity.
monster_stands_on_stairs() {
    for name in monster again; do
        save_image $name --game models/game/base monster_bobbin --animation-time 0.5 --terrain stairs
    done
    save_image level --game models/game/base monster_bobbin --animation-time 0.5
    cmp "$scratch/monster.png" "$scratch/again.png" && ! cmp "$scratch/monster.png" "$scratch/level.png"
}
check "a monster of a game stands on stairs, and the image is reproducible" monster_stands_on_stairs
flag_changes_image() {
    save_image walks --game models/game/base monster_bobbin --animation-time 1 --state Legs_Idle --flag AI_FORWARD
    save_image idles --game models/game/base monster_bobbin --animation-time 1 --state Legs_Idle
    ! cmp "$scratch/walks.png" "$scratch/idles.png"
}
check "a flag changes the image of a state of a script" flag_changes_image
check "an unknown state is reported with the valid states" exits_with 1 '; valid values: Torso_Pain ' "$view" \
    --game models/game/base monster_bobbin --state Legs_Wlak --output "$scratch/x.png"
check "a flag needs a script" exits_with 1 "--flag: unknown value 'run'; valid values: none (no script is loaded)" "$view" "$bobbin" --flag run --output "$scratch/x.png"
check_long "terrain without feet gives a warning" exits_with 0 'foot or ankle' "$view" \
    test/reference/data/still.md5mesh --terrain hills --output "$scratch/x.png"
finish

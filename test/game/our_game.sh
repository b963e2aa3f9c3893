#!/bin/sh
# The game folder in models/game: checks that every declaration is valid, and that the mod has the documented effects.
. test/build/report.sh
tool=$products/md5tool
base=models/game/base
mod=models/game/winter

# write_parse_results KIND [OPTION...]: writes the results to $scratch/rows; fails on a warning. A mod may declare a name of the base again.
write_parse_results() {
    kind=$1
    shift
    "$tool" parse --base "$base" "$@" "$kind" >"$scratch/rows" 2>"$scratch/warned" || return 1
    ! grep -v 'previously defined at' "$scratch/warned"
}

# all_parsed KIND MIN [OPTION...]: checks that there are at least MIN rows, and that no row is defaulted.
all_parsed() {
    kind=$1 min_rows=$2
    shift 2
    write_parse_results "$kind" "$@" || return 1
    [ "$(grep -c '"state":"parsed"' "$scratch/rows")" -ge "$min_rows" ] || { echo "fewer than $min_rows rows"; return 1; }
    ! grep -v '"state":"parsed"' "$scratch/rows"
}

# has_result KIND PATTERN [OPTION...]: checks that a row matches.
has_result() {
    kind=$1 pattern=$2
    shift 2
    write_parse_results "$kind" "$@" && grep "$pattern" "$scratch/rows"
}

for rows in "materials 50" "skins 4" "models 4"; do
    # shellcheck disable=SC2086 # two words
    check "base: ${rows% *} are all parsed" all_parsed $rows
    # shellcheck disable=SC2086
    check "mod: ${rows% *} are all parsed" all_parsed $rows --mod $mod
done
check "the body has 79 joints and three gestures" has_result models '"joints":79.*"name":"gesture3"'
check "the mod adds frost to the skin" has_result materials '"material":"models/md5/bobbin/skin".*textures/winter/frost' --mod $mod
check "the base declares the skin without frost" has_result materials '"material":"models/md5/bobbin/skin","file":"materials/characters.mtr"'
finish

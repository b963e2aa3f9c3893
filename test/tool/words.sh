#!/bin/sh
# What people ask in their own words: md5tool answers, and the page of words in the guides says the same. That the pages
# and headings exist is tested by ../tree/docs.sh.
. test/build/report.sh
tool=$products/md5tool
page=.github/docs/words.md

"$tool" help words >"$scratch/all"
rows_differ() {
    sed -nE 's/^\| (.*) \| (.*) \| \[.*\]\((.*)\) \|$/\1\n  \2\n  guide \3/p' $page | diff - "$scratch/all"
}
silent "the page of words has the rows of md5tool help words" rows_differ
check "there are thirty rows or more" [ "$(grep -c '^  guide ' "$scratch/all")" -ge 30 ]

unknown_names() {
    grep -oE 'md5_[a-z0-9_.]+|MD5_[A-Z_]+' "$scratch/all" | sed 's/.*\.//' | sort -u | while read -r name; do
        grep -qw "$name" md5/*.h || echo "$name"
    done
    grep -oE -- ' --[a-z-]+' "$scratch/all" | sort -u | while read -r option; do
        { "$tool" fix --help && "$tool" convert --help && "$tool" check --help && "$products/md5view" --help; } |
            grep -qwF -- "$option" || echo "$option"
    done
}
silent "calls and options in answers exist" unknown_names

# Each phrase leads to its row.
lost_phrases() {
    grep -v '^  ' "$scratch/all" | while read -r phrases; do
        echo "$phrases" | sed 's/, /\n/g' | while read -r phrase; do
            # shellcheck disable=SC2086 # words of a question
            "$tool" help $phrase | grep -qxF "$phrases" || echo "$phrase"
        done
    done
}
silent "each phrase is found" lost_phrases

asks() { # GUIDE QUESTION...
    guide=$1
    shift
    check "$* leads to $guide" sh -c '"$0" help "$@" | sed -n 3p | grep -qxF "  guide '"$guide"'"' "$tool" "$@"
}
asks 'crowds.md#hits' hitbox
asks 'inverse_kinematics.md#own-solvers' ragdoll
asks 'converting.md#clothes' clothes
asks 'game_folders.md#the-tool' why is my model black
asks 'game_folders.md#the-tool' 'Why is my model BLACK?'
asks 'accepted_files.md#animations-of-other-models' my model explodes
asks 'first_model.md#posing' T-pose
asks 'engine.md#axes-and-units' model is lying down
asks 'engine.md#axes-and-units' too small
check "who asks for a ragdoll learns of the header" sh -c '"$0" help ragdoll | grep -q "md5ragdoll\.h" && [ -f md5/md5ragdoll.h ]' "$tool"
refuses() {
    "$tool" help xyzzy >"$scratch/out" 2>"$scratch/err"
    [ $? -eq 2 ] && [ ! -s "$scratch/out" ] && grep -q "unknown command 'xyzzy'" "$scratch/err"
}
check "a word that nobody asks is refused" refuses
finish

#!/bin/sh
# Each vertex path forced on each real model: exact, or off by no more than predicted.
. test/build/report.sh
. test/build/verify.sh
unset DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER

if [ -n "${MD5_CORPUS:-}" ]; then
    corpus_models >"$scratch/models"
    check "the corpus has models" [ -s "$scratch/models" ]
    while read -r real; do
        for path in 4 8 exact; do
            check "--verify --path $path on $real" is_predicted "$real" --path $path
        done
    done <"$scratch/models"
else
    skip "forced paths on the corpus" "MD5_CORPUS is not set"
fi
finish

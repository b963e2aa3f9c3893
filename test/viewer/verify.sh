#!/bin/sh
# GPU skinning against the CPU's: `md5view --verify` on our own model, the reference's, and the real
# ones, by the path that is chosen. test/long/verify.sh forces the others on the real ones too.
. test/build/report.sh
. test/build/verify.sh
data=test/reference/data
own=models/bobbin/bobbin.md5mesh
unset DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER

foretells_loss() {
    # Path 4 must lose something on a mesh with more influences, and say so.
    is_predicted "$own" --path 4 && grep -qF "path 4 (forced)" "$scratch/out" && awk '/"skin"/ {
        for (i = 1; i < NF; i++) {
            if ($i == "error") error = $(i + 1)
            if ($i == "loss") loss = $(i + 1)
        }
        exit !(error > 0.01 && error <= loss)
    }' "$scratch/out" && [ "$status" -eq 1 ]
}
check "--verify on our own model" is_exact
for path in 8 exact; do
    check "--verify --path $path on our own model" is_exact "$own" --path $path
done
check "--verify --path 4 tells what it loses" foretells_loss
for golden in "$data"/*.md5mesh; do
    check "--verify on $(basename "$golden")" is_exact "$golden" "${golden%mesh}anim"
    for path in 4 8 exact storage; do
        check "--verify --path $path on $(basename "$golden")" is_predicted "$golden" \
            "${golden%mesh}anim" --path $path
    done
done
if [ -n "${MD5_CORPUS:-}" ]; then
    corpus_models >"$scratch/models"
    check "the corpus has models" [ -s "$scratch/models" ]
    # Animations of the same folder that fit are picked up.
    while read -r real; do
        check "--verify on $real" is_exact "$real"
    done <"$scratch/models"
else
    skip "--verify on the corpus" "MD5_CORPUS is not set"
fi
finish

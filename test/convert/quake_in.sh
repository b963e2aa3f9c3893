#!/bin/sh
# Import of MDL, MD2 and MD3: quake_in.py writes such files and checks the conversion.
. test/build/report.sh
tool=$products/md5tool

run_quake_in_py() { # TASK [GOLDEN]
    mkdir "$scratch/$1" && python3 test/convert/quake_in.py "$tool" "$scratch/$1" "$@"
}
check "test files are read: .mdl .md2 .md3" run_quake_in_py own
check "invalid files are rejected with the location of the fault" run_quake_in_py refuses
python3 test/convert/quake_in.py "$tool" "$scratch" seeds
check "frames for another model are rejected" exits_with 1 "cannot add the frames of the file: expected no other model, found a model that is already loaded" "$tool" convert \
    models/lantern/lantern.md5mesh "$scratch/box.md2" --output "$scratch/none.glb"
check "a palette is rejected for other formats than MDL" exits_with 2 "convert: --palette has no effect on these files: the option is for MDL files (see md5tool convert --help)" "$tool" convert "$scratch/box.md2" --palette x --output "$scratch"
check "... and has 256 colors" exits_with 1 "wrong size of the palette: expected 768 bytes, found" "$tool" convert "$scratch/box.mdl" \
    --palette "$scratch/box.mdl" --output "$scratch"
mkdir -p "$scratch/mod/progs" && mv "$scratch/alone.mdl" "$scratch/mod/progs" && for kind in mdl md2 md3; do mv "$scratch/box.$kind" "$scratch/mod/progs/$kind.$kind"; done
check "a folder of models is converted" "$tool" convert "$scratch/mod" --to md5mesh --output "$scratch/all"
check "... with a note about loops" exits_with 0 'the format does not store which clips are loops' \
    "$tool" convert "$scratch/mod/progs/md2.md2" --output "$scratch/loops.glb"
check "... and frames of each model" test -f "$scratch/all/progs/md3/morphs/stand02.md5mesh"
check "... and again" "$tool" convert "$scratch/all" --to glb --output "$scratch/glb"
writes_four_glbs() { [ "$(find "$scratch/glb" -type f | wc -l)" -eq 4 ] && grep -aq '"stand02"' "$scratch/glb/progs/md3/md3.glb"; }
check "... to four models with morph targets" writes_four_glbs
# The image of "größe 1" has a different name than its material, which is declared next to the model.
writes_declared_skin() {
    mkdir "$scratch/progs" && cp "$scratch/mod/progs/mdl.mdl" "$scratch/größe 1.mdl" &&
        "$tool" convert "$scratch/größe 1.mdl" --output "$scratch/progs" && test -f "$scratch/progs/gr____e_1.tga" &&
        "$tool" convert "$scratch/progs/größe 1.md5machine" --output "$scratch/progs.glb" >"$scratch/out" 2>&1 &&
        ! grep 'image not found' "$scratch/out" && grep -aq image/png "$scratch/progs.glb"
}
check "a material that is declared in the folder progs is used" writes_declared_skin
rm -r "$scratch/all/progs/md2" "$scratch/all/progs/md3"
check "the models are converted back to frames" "$tool" convert "$scratch/all" --to mdl --output "$scratch/mdl"
check "... which are unchanged" run_quake_in_py back "$scratch/mod/progs/alone.mdl" "$scratch/mdl/progs/alone/alone.mdl"
if [ -n "${MD5_CORPUS:-}" ]; then
    check "golden files" run_quake_in_py golden "$MD5_CORPUS/golden/frames"
else
    skip "golden files" "MD5_CORPUS is not set"
fi
finish

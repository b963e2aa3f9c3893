#!/bin/sh
# small_models.sh MODELS COPY VIEW_PNG: copies the folder, with textures of at most 128 by 128 texels.
set -eu
models=$1 copy=$2 view_png=$3
max_size=128

rm -rf "$copy" "$copy.new"
mkdir -p "$copy.new"
cp -R "$models/." "$copy.new/"
find "$copy.new" -name '*.png' | while read -r picture; do
    "$view_png" shrink "$picture" $max_size >"$picture.small"
    mv "$picture.small" "$picture"
done
touch "$copy.new"
mv "$copy.new" "$copy"

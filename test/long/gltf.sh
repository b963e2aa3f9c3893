#!/bin/sh
# Export of glTF, read by other programs: Khronos' validator, three.js, Blender. The first two come from npm, and the scripts
# that use the last two from MD5_CORPUS/golden/gltf.
. test/build/report.sh
tool=$products/md5tool
corpus=${MD5_CORPUS:+$MD5_CORPUS/corpus}
readers=${MD5_CORPUS:+$(cd "$MD5_CORPUS" && pwd)/golden/gltf}
blender=${BLENDER:-blender}
root=$PWD
mkdir "$scratch/node" "$scratch/files"

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    skip 'glTF in other programs' 'node and npm not found'
    finish
fi
if ! (cd "$scratch/node" && npm install --silent gltf-validator three) >"$scratch/npm" 2>&1; then
    skip 'glTF in other programs' 'npm cannot install gltf-validator and three'
    finish
fi

# -- The validator --------------------------------------------------------------------------------

cat >"$scratch/node/errors.js" <<'END'
const fs = require('fs'), path = require('path'), validator = require('gltf-validator');
(async () => {
    let wrong = 0;
    for (const file of process.argv.slice(2)) {
        const { issues } = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
            externalResourceFunction: async uri => fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri))),
        });
        for (const message of issues.messages)
            if (message.severity < 2) {
                console.log(path.basename(file), message.code, message.pointer, message.message);
                wrong++;
            }
    }
    console.log(process.argv.length - 2, 'files');
    process.exit(wrong ? 1 : 0);
})();
END

# Converts each model with the matching clips of its folder, each machine file and each camera path, with the options.
all_files_are_valid() {
    rm -rf "$scratch/files" && mkdir "$scratch/files"
    find "$models" ${corpus:+"$corpus"} -name '*.md5mesh' -o -name '*.md5machine' -o -name '*.md5camera' |
        grep -v '/invalid/\|malformed\|/attached/' | sort >"$scratch/list"
    count=0
    while read -r file; do
        count=$((count + 1)) name=$scratch/files/$count-$(basename "$file").glb
        set -- "$file"
        case $file in *.md5mesh)
            for clip in "$(dirname "$file")"/*.md5anim; do
                rm -f "$scratch/try.glb"
                if "$tool" convert "$file" "$clip" -o "$scratch/try.glb" >/dev/null 2>&1; then
                    set -- "$@" "$clip"
                fi
            done
            ;;
        esac
        # shellcheck disable=SC2086 # several words
        "$tool" convert "$@" -o "$name" $options >"$scratch/out" 2>&1 || { cat "$scratch/out"; return 1; }
    done <"$scratch/list"
    [ "$count" -ge 40 ] && node "$scratch/node/errors.js" "$scratch"/files/*.glb
}
options=
check 'the validator reports no error and no warning' all_files_are_valid
options='--influences 8 --quantize --rotate 30'
check 'the validator accepts quantized files with 8 influences' all_files_are_valid
gltf_with_bin_is_valid() {
    "$tool" convert "$models/zoo/twist.md5mesh" "$models/zoo/twist.md5anim" -o "$scratch/two files.gltf" &&
        node "$scratch/node/errors.js" "$scratch/two files.gltf"
}
check 'the validator accepts a .gltf with a separate buffer file' gltf_with_bin_is_valid

# -- Readers --------------------------------------------------------------------------------------

read_with_three() {
    cp "$readers/read_three.mjs" "$scratch/node/three.mjs"
    (cd "$scratch/node" && node three.mjs "$scratch/read.glb" "$@" >"$scratch/read.json")
}

read_with_blender() {
    "$blender" -b --factory-startup --python-exit-code 1 --python "$readers/read_blender.py" -- "$scratch/read.glb" \
        "$scratch/read.json" "$@" >"$scratch/blender" 2>&1 || { cat "$scratch/blender"; false; }
}

# poses_match PROGRAM TOLERANCE MESH CLIP OPTION...: compares poses at frames and between them, in units.
poses_match() {
    program=$1 tolerance=$2 mesh=$3 clip=$4
    shift 4
    "$tool" convert "$mesh" "$clip" -o "$scratch/read.glb" --force "$@" >"$scratch/out" 2>&1 &&
        "$tool" dump "$mesh" "$clip" --ms 0 --ms 50 --ms 110 >"$scratch/dump" && "$program" 0 0.05 0.11 &&
        python3 "$root/test/convert/gltf.py" reader "$scratch/read.glb" "$scratch/read.json" "$scratch/dump" \
            "$(basename "$clip" .md5anim)" "$tolerance"
}

if [ -z "$readers" ] || [ ! -f "$readers/read_three.mjs" ]; then
    skip 'poses in three.js and Blender' 'golden/gltf is not in MD5_CORPUS'
    finish
fi
thimble=$models/thimble/thimble.md5mesh bobbin=$models/bobbin/bobbin.md5mesh
stromar=$corpus/stromar/stromar.md5mesh
check 'three.js poses our machine' poses_match read_with_three 1e-3 "$thimble" "$models/thimble/walk.md5anim"
check 'three.js poses a quantized model' poses_match read_with_three 1e-2 "$thimble" "$models/thimble/walk.md5anim" --quantize
check 'three.js poses a real model' poses_match read_with_three 1e-3 "$stromar" "$corpus/stromar/s_melee_attack.md5anim"
check 'three.js poses a chain' poses_match read_with_three 1e-3 "$models/zoo/chain.md5mesh" "$models/zoo/chain.md5anim"
if ! command -v "$blender" >/dev/null; then
    skip 'poses in Blender' "blender not found (3.4 or newer; on Debian: apt-get install blender)"
    finish
fi
check 'Blender poses our character with 8 influences' poses_match read_with_blender 1e-3 "$bobbin" "$models/bobbin/walk.md5anim" \
    --influences 8
check 'Blender poses a quantized model' poses_match read_with_blender 1e-2 "$bobbin" "$models/bobbin/walk.md5anim" --influences 8 --quantize
check 'Blender poses a real model' poses_match read_with_blender 1e-2 "$stromar" "$corpus/stromar/s_melee_attack.md5anim"
finish

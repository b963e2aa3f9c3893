#!/bin/sh
# Fuzzes each target in turn, with the address and undefined behaviour sanitizers, and keeps new
# inputs. Needs clang with libFuzzer.
#   FUZZ_SECONDS=60        time for each target
#   FUZZ_TARGETS="..."     which of: mesh anim camera machine save compressed assets scene game cube scale image texture archive shader gltf iqm bvh
#   FUZZ_CORPUS=FOLDER     stores inputs between runs, in one folder for each target
#   FUZZ_MERGE=yes         at the end, replaces test/fuzz/corpus by the fewest inputs with the same coverage
. test/build/report.sh

clang=${FUZZ_CLANG:-clang}
build=build/fuzz
corpus=${FUZZ_CORPUS:-$build/corpus}
flags="-std=c11 -O1 -g -ffp-contract=off -fno-omit-frame-pointer -I.
    -fsanitize=address,undefined -fno-sanitize-recover=all"

title="fuzzing"
mkdir -p "$build"
echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n > 1 ? 0 : 0; }' \
    >"$scratch/try.c"
# shellcheck disable=SC2086
"$clang" $flags -fsanitize=fuzzer -o "$scratch/try" "$scratch/try.c" 2>/dev/null || {
    skip "$title" "$clang cannot build fuzzers"
    finish
}

# Compiles the library once for all targets: SIMD code compiles slowly with sanitizers.
make_library() {
    objects=
    for source in md5/*.c md5/*/*.c md5/*/*/*.c; do
        object=$build/objects/${source%.c}.o
        objects="$objects $object"
        [ -e "$object" ] && [ -z "$(find md5 -name '*.[ch]' -newer "$object")" ] && continue
        mkdir -p "${object%/*}"
        # shellcheck disable=SC2086
        "$clang" $flags -fsanitize=fuzzer-no-link -c -o "$object" "$source" || {
            rm -f "$object"
            return 1
        }
    done
}

# Pictures are read by the viewer and are not mutated as text.
make_image_fuzzer() {
    # shellcheck disable=SC2046,SC2086
    "$clang" $flags -fsanitize=fuzzer -DFUZZ_TARGET=fuzz_image -DHAS_STB -DHAS_JPEG -o "$build/image" \
        test/fuzz/driver.c test/fuzz/image.c demo/looks/image.c \
        demo/looks/png.c demo/common/file.c demo/common/system.c demo/common/memory.c \
        $objects \
        $("${PKG_CONFIG:-pkg-config}" --cflags --libs libjpeg) -lm
}

# Materials of Unvanquished are read by the viewer.
make_shader_fuzzer() {
    # shellcheck disable=SC2086
    "$clang" $flags -fsanitize=fuzzer -DFUZZ_TARGET=fuzz_shader -o "$build/shader" \
        test/fuzz/driver.c test/fuzz/shader.c demo/looks/shader_file.c demo/viewer/base/log.c \
        demo/common/file.c demo/common/system.c demo/common/text.c demo/common/memory.c $objects -lm
}

# Archives are read by the programs.
make_archive_fuzzer() {
    # shellcheck disable=SC2046,SC2086
    "$clang" $flags -fsanitize=fuzzer -DFUZZ_TARGET=fuzz_archive -DHAS_ZIP -o "$build/archive" \
        test/fuzz/driver.c test/fuzz/archive.c demo/common/game_folder.c demo/common/file.c demo/common/system.c \
        demo/common/text.c demo/common/memory.c $("${PKG_CONFIG:-pkg-config}" --cflags --libs libzip)
}

# glTF is read by md5tool.
make_gltf_fuzzer() {
    # shellcheck disable=SC2046,SC2086
    "$clang" $flags -fsanitize=fuzzer -DFUZZ_TARGET=fuzz_gltf -DHAS_JANSSON -o "$build/gltf" \
        test/fuzz/driver.c test/fuzz/gltf.c demo/convert/gltf_[fmcr]*.c demo/convert/scene.c demo/common/file.c \
        demo/common/system.c demo/common/memory.c demo/common/write.c $objects \
        $("${PKG_CONFIG:-pkg-config}" --cflags --libs jansson) -lm
}

# Other formats are read by md5tool; BVH is text.
make_convert_fuzzer() { # TARGET
    mutate=
    [ "$1" = iqm ] || mutate=test/fuzz/mutate.c
    # shellcheck disable=SC2086
    "$clang" $flags -fsanitize=fuzzer -DFUZZ_TARGET="fuzz_$1" -o "$build/$1" test/fuzz/driver.c $mutate \
        test/fuzz/"$1".c demo/convert/iqm.c demo/convert/assets.c demo/convert/bvh.c demo/convert/retarget.c demo/convert/scene.c demo/common/file.c demo/common/system.c demo/common/text.c \
        demo/common/memory.c demo/common/write.c $objects -lm
}

make_fuzzer() { # TARGET
    case $1 in iqm | bvh) make_convert_fuzzer "$1"; return ;; esac
    [ "$1" != image ] || { make_image_fuzzer; return; }
    [ "$1" != shader ] || { make_shader_fuzzer; return; }
    [ "$1" != gltf ] || { make_gltf_fuzzer; return; }
    [ "$1" != archive ] || { make_archive_fuzzer; return; }
    mutate=test/fuzz/mutate.c
    case $1 in save | compressed | assets | texture) mutate= ;; esac # not text
    # shellcheck disable=SC2086
    "$clang" $flags -fsanitize=fuzzer -DFUZZ_TARGET="fuzz_$1" -o "$build/$1" test/fuzz/driver.c \
        $mutate test/fuzz/"$1".c test/load/test_asset.c $objects -lm
}

# Copies our files of the target's format, and for `scene` models with their animations.
add_seeds() { # TARGET FOLDER
    if [ "$1" = gltf ]; then
        python3 -B test/convert/gltf_make.py --seeds "$2" "${MD5_CORPUS:-/none}"/golden/gltf/*.gl*
        return
    fi
    cp test/fuzz/seeds/"$1"/* "$2"
    [ ! -d test/fuzz/corpus/"$1" ] || cp test/fuzz/corpus/"$1"/* "$2" 2>/dev/null
    for file in test/reference/data/*.md5mesh; do
        name=$(basename "$file" .md5mesh)
        case $1 in
        scene) { cat "$file"; printf '\0'; cat "${file%mesh}anim"; } >"$2/$name" ;;
        *) [ ! -f "${file%mesh}$1" ] || cp "${file%mesh}$1" "$2/$name" ;;
        esac
    done
}

fuzz() { # TARGET
    mkdir -p "$corpus/$1" "$build/found"
    add_seeds "$1" "$corpus/$1"
    longest=4096
    [ "$1" != gltf ] || longest=8192
    "$build/$1" -max_total_time="${FUZZ_SECONDS:-60}" -max_len=$longest -dict=test/fuzz/md5.dict \
        -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 -verbosity=1 \
        -artifact_prefix="$build/found/$1-" "$corpus/$1" >"$build/$1.log" 2>&1 || {
        tail -n 60 "$build/$1.log"
        return 1
    }
    awk -v target="$1" '
        / cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") edges = $(i + 1) }
        /number_of_executed_units/ { runs = $2 }
        /average_exec_per_sec/ { rate = $2 }
        END { printf "note: %s: %d runs, %d a second, %d edges\n", target, runs, rate, edges }' \
        "$build/$1.log"
}

merge() { # TARGET
    rm -rf "$build/merged"
    mkdir -p "$build/merged" test/fuzz/corpus/"$1"
    "$build/$1" -merge=1 -use_counters=0 -max_len=1500 "$build/merged" "$corpus/$1" \
        >"$build/merge.log" 2>&1 || return 1
    rm -f test/fuzz/corpus/"$1"/*
    cp "$build"/merged/* test/fuzz/corpus/"$1"
}

show_and_fail() {
    cat "$1"
    return 1
}

check "the library is built" make_library
for target in ${FUZZ_TARGETS:-mesh anim camera machine save compressed assets scene game cube scale image texture archive shader gltf iqm bvh}; do
    check "$target is built" make_fuzzer "$target"
    if fuzz "$target" >"$scratch/fuzz" 2>&1; then
        grep '^note: ' "$scratch/fuzz"
        check "$target is fuzzed" true
    else
        check "$target is fuzzed" show_and_fail "$scratch/fuzz"
    fi
    [ "${FUZZ_MERGE:-no}" = no ] || check "$target: corpus is merged" merge "$target"
done
finish

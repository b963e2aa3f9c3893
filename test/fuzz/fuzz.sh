#!/bin/sh
# Fuzzes each target with the address and undefined behavior sanitizers, and stores new inputs. Needs clang with libFuzzer.
#   FUZZ_SECONDS=60        time for each target
#   FUZZ_TARGETS="..."     targets; default: all in target.h
#   FUZZ_CORPUS=FOLDER     stores inputs between runs, in one folder for each target
#   FUZZ_MERGE=yes         at the end, replaces test/fuzz/corpus by the fewest inputs with the same coverage
#   MD5_BUILD_ONLY=yes     only links each target from the objects of `make programs`, without sanitizers and libFuzzer, and
#                          runs it with an empty input
. test/build/report.sh

clang=${FUZZ_CLANG:-clang}
build=build/fuzz
corpus=${FUZZ_CORPUS:-$build/corpus}
targets=${FUZZ_TARGETS:-$(sed -n 's/^ *TARGET(\([a-z]*\)).*/\1/p' test/fuzz/target.h)}
flags="-std=c11 -O1 -g -ffp-contract=off -fno-omit-frame-pointer -I.
    -fsanitize=address,undefined -fno-sanitize-recover=all"

# Returns success if a target needs the sources of the programs, in addition to its own file and the library.
needs_programs() { # TARGET
    [ -e "test/fuzz/programs/$1.c" ]
}
needs_mutator() { # TARGET: succeeds if its input consists of tokens
    case $1 in mesh | anim | scene | camera | machine | game | cube | script | scale | bvh | smd) true ;; *) false ;; esac
}

print_objects() { # SOURCE...
    for source; do
        echo "${BUILD:-build/release}/${source%.c}.o"
    done
}
# shellcheck disable=SC2046,SC2086 # several files and flags
link_without_fuzzer() { # TARGET
    objects=$(print_objects test/load/test_asset.c test/fuzz/*/"$1".c)
    ! needs_programs "$1" ||
        objects="$(print_objects test/fuzz/*/"$1".c demo/common/*.c demo/convert/*.c demo/looks/*.c render/pictures.c render/assert.c) $packages"
    ! needs_mutator "$1" || objects="$scratch/mutate.o $objects"
    ${CC:-cc} -std=c11 -I. -DFUZZ_TARGET="fuzz_$1" -o "$scratch/$1" test/fuzz/driver.c "$scratch/main.o" $objects $archives \
        ${MD5_LINK_FLAGS:-} -lpthread -lm && "$scratch/$1"
}
link_all() {
    printf '%s\n' '#include <stddef.h>' '#include <stdint.h>' 'int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);' \
        'size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max) { (void)data; (void)max; return size; }' \
        'int main(void) { return LLVMFuzzerTestOneInput((const uint8_t *)"", 0); }' >"$scratch/main.c"
    packages=
    for package in libzip jansson meshoptimizer stb libjpeg zlib assimp; do
        packages="$packages $(sh demo/linkable.sh $package "${CC:-cc}" | sed 's/-D[A-Z_]*//')"
    done
    # shellcheck disable=SC2086 # the compiler may be several words
    ${CC:-cc} -c -o "$scratch/main.o" "$scratch/main.c" && ${CC:-cc} -std=c11 -I. -c -o "$scratch/mutate.o" test/fuzz/mutate.c || exit 1
    for target in $targets; do
        check "$target is linked" link_without_fuzzer "$target"
    done
    finish
}
[ -z "${MD5_BUILD_ONLY:-}" ] || link_all

title="fuzzing"
mkdir -p "$build"
echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n > 1 ? 0 : 0; }' \
    >"$scratch/try.c"
# shellcheck disable=SC2086
"$clang" $flags -fsanitize=fuzzer -o "$scratch/try" "$scratch/try.c" 2>/dev/null || {
    skip "$title" "$clang cannot build fuzzers"
    finish
}

# Compiles objects once for all targets, because SIMD code compiles slowly with sanitizers.
# shellcheck disable=SC2086
compile() { # OPTIONS FILE...
    options=$1
    shift
    for source; do
        object=$build/objects/${source%.c}.o
        objects="$objects $object"
        [ -e "$object" ] && [ -z "$(find md5 render demo -name "*.[ch]" -newer "$object")" ] && continue
        mkdir -p "${object%/*}"
        "$clang" $flags $options -fsanitize=fuzzer-no-link -c -o "$object" "$source" || {
            rm -f "$object"
            return 1
        }
    done
}

make_library() {
    objects=
    # md5/small contains other versions of functions, for the small form of the library.
    # shellcheck disable=SC2046 # several files
    compile "" $(find md5 -name '*.c' ! -path 'md5/small/*' | sort)
    library=$objects
}

# Compiles the sources that the programs need to read files. Sets $programs to their objects and $packages to
# the flags of their libraries.
make_programs() {
    objects=
    packages=$("${PKG_CONFIG:-pkg-config}" --cflags --libs libjpeg libzip jansson) || return
    packages="-DHAS_STB -DHAS_JPEG -DHAS_ZIP -DHAS_JANSSON $packages"
    compile "$packages" demo/common/*.c demo/convert/*.c demo/looks/*.c render/pictures.c render/assert.c
    programs=$objects
}

# shellcheck disable=SC2086
make_fuzzer() { # TARGET
    parts=test/load/test_asset.c
    ! needs_programs "$1" || parts="$programs $packages"
    ! needs_mutator "$1" || parts="test/fuzz/mutate.c $parts"
    "$clang" $flags -fsanitize=fuzzer -DFUZZ_TARGET="fuzz_$1" -o "$build/$1" test/fuzz/driver.c test/fuzz/*/"$1".c \
        $parts $library -lm
}

# Copies the project's files of the target's format; for `scene`, models with their animations.
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
        END { printf "note: %s: %d runs, %d per second, %d edges\n", target, runs, rate, edges }' \
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
check "parts of the programs are built" make_programs
for target in $targets; do
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

# shellcheck shell=sh
# For test scripts, which begin with `. test/build/report.sh` and end with `finish`.
# $scratch is a folder of their own, $products the folder with the libraries and programs, $archives the static
# libraries without GL, in the order of a linker, $models the folder of our models.
set -u
# shellcheck disable=SC2034 # used by the scripts
products=${MD5_BUILD:-build}
# shellcheck disable=SC2034
archives="$products/libmd5play.a $products/libmd5ragdoll.a $products/libmd5game.a $products/libmd5edit.a $products/libmd5model.a"
# A copy of our models with small textures, if there is one.
# shellcheck disable=SC2034
models=${MD5_MODELS:-models}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
# The viewer writes its configuration into the scratch folder.
export XDG_CONFIG_HOME="$scratch/config"
passed=0 failed=0 skipped=0

# The system's Python without site packages starts much faster than others that may precede it in PATH;
# a script may start it a hundred times.
system_python=/usr/bin/python3
if [ -x $system_python ] && $system_python -S -E -c 'import zlib, ctypes' 2>/dev/null; then
    python3() {
        $system_python -S -E "$@"
    }
fi
# Examines pictures with test/viewer/view_png.c, or with Python if that is not built.
png() {
    if [ -x "${BUILD:-build/release}/view_png" ]; then
        "${BUILD:-build/release}/view_png" "$@"
    else
        python3 test/viewer/png.py "$@"
    fi
}

# Seconds of processor time of what has ended here; in a shell of its own there is nothing.
processor_time() {
    times >"$scratch/times"
    awk 'function seconds(text) { split(text, part, "[ms]"); return 60 * part[1] + part[2] }
        NR == 2 { print seconds($1) + seconds($2) }' "$scratch/times"
}
# With MD5_TEST_TIMES=0.2 in the environment, lists checks that take at least so many seconds of
# processor time in other processes.
show_time() {
    processor_time >"$scratch/now"
    read -r now <"$scratch/now"
    awk -v title="$title" -v least="$MD5_TEST_TIMES" -v spent="$now" -v past="${past_time:-0}" \
        'BEGIN { if (spent - past >= least) printf "%8.2f s %s\n", spent - past, title }'
    past_time=$now
}

# LeakSanitizer itself crashes now and then while a thread of another library ends, which is no leak: whether this, and
# nothing else that a sanitizer finds, is in a file of what a program said.
leak_sanitizer_crashed() {
    grep -q '^Tracer caught signal' "$1" && ! grep -q 'ERROR: \|runtime error' "$1"
}

# check TITLE COMMAND...: one test, which passes if the command succeeds; otherwise prints its output.
# It is tried up to three times more if it is LeakSanitizer that failed, the last time without that.
# With MD5_TEST_FROM=WORDS the checks before the first one with these words in its title are left out.
check() {
    title=$1 tries=1 options=${ASAN_OPTIONS:-}
    shift
    case $title in
    *"${MD5_TEST_FROM:-}"*) MD5_TEST_FROM= ;;
    *) skip "$title" "before $MD5_TEST_FROM" && return ;;
    esac
    while ! "$@" >"$scratch/said" 2>&1; do
        if [ "$tries" -le 3 ] && leak_sanitizer_crashed "$scratch/said"; then
            tries=$((tries + 1))
            [ "$tries" -le 3 ] || export ASAN_OPTIONS="${options:+$options:}detect_leaks=0"
            continue
        fi
        failed=$((failed + 1)) tries=failed
        echo "FAILED: $title"
        sed 's/^/    /' "$scratch/said"
        break
    done
    [ "$tries" = failed ] || passed=$((passed + 1))
    [ "$tries" = 1 ] || export ASAN_OPTIONS="$options"
    [ -z "${MD5_TEST_TIMES:-}" ] || show_time
}

# Whether there is time for tests that take long although quicker ones find nearly the same: in `make
# test-long`, and wherever else MD5_TEST_LONG is `all`.
is_long() {
    [ -n "${MD5_TEST_LONG:-}" ]
}

# check_long TITLE COMMAND...: the same as check where there is time.
check_long() {
    ! is_long || check "$@"
}

# silent TITLE COMMAND...: one test, which passes if the command prints nothing, whatever its status.
silent() {
    title=$1
    shift
    "$@" >"$scratch/list" 2>&1
    check "$title" said_nothing
}

said_nothing() {
    cat "$scratch/list"
    [ ! -s "$scratch/list" ]
}

# holds CONDITION NUMBER...: an awk condition on $1 $2 ... .
holds() {
    condition=$1
    shift
    echo "$*" | awk "{ exit !($condition) }" || { echo "$* is not: $condition"; false; }
}

# ends_saying STATUS WORD COMMAND...: the command ends with this status, and its output contains WORD.
ends_saying() {
    expected=$1 word=$2
    shift 2
    "$@" >"$scratch/out" 2>&1
    status=$?
    [ $status -eq "$expected" ] && grep -qF -- "$word" "$scratch/out" || {
        echo "status $status, expected $expected, and '$word' in"
        cat "$scratch/out"
        false
    }
}

# skip TITLE WHY
skip() {
    skipped=$((skipped + 1))
    echo "skipped: $1: $2"
}

finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit
}

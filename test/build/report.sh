# shellcheck shell=sh
# Functions and variables for test scripts, which begin with `. test/build/report.sh` and end with `finish`.
# $scratch is the script's temporary folder, $products the folder with the libraries and programs, $archives the static
# libraries without GL in link order, $models the folder of our models.
set -u
# shellcheck disable=SC2034 # used by the scripts
products=${MD5_BUILD:-build}
# shellcheck disable=SC2034
archives="$products/libmd5play.a $products/libmd5ragdoll.a $products/libmd5game.a $products/libmd5edit.a $products/libmd5model.a"
# A copy of our models with small textures, if it exists.
# shellcheck disable=SC2034
models=${MD5_MODELS:-models}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
# The viewer writes its configuration into the scratch folder.
export XDG_CONFIG_HOME="$scratch/config"
passed=0 failed=0 skipped=0

# The system's Python without site packages starts much faster than other Pythons that may precede it in PATH, and a
# script may start it a hundred times.
system_python=/usr/bin/python3
if [ -x $system_python ] && $system_python -S -E -c 'import zlib, ctypes' 2>/dev/null; then
    python3() {
        $system_python -S -E "$@"
    }
fi
# Examines images with test/viewer/view_png.c, or with Python if view_png is not built.
png() {
    if [ -x "${BUILD:-build/release}/view_png" ]; then
        "${BUILD:-build/release}/view_png" "$@"
    else
        python3 test/viewer/png.py "$@"
    fi
}

# Prints the processor time of finished child processes in seconds. A subshell has no such children.
processor_time() {
    times >"$scratch/times"
    awk 'function seconds(text) { split(text, part, "[ms]"); return 60 * part[1] + part[2] }
        NR == 2 { print seconds($1) + seconds($2) }' "$scratch/times"
}
# If MD5_TEST_TIMES=SECONDS is set, such as 0.2, lists checks whose child processes take at least this processor time.
show_time() {
    processor_time >"$scratch/total_time"
    read -r total_time <"$scratch/total_time"
    awk -v title="$title" -v threshold="$MD5_TEST_TIMES" -v total="$total_time" -v previous="${previous_time:-0}" \
        'BEGIN { if (total - previous >= threshold) printf "%8.2f s %s\n", total - previous, title }'
    previous_time=$total_time
}

# Returns success if LeakSanitizer itself crashed and no sanitizer found a fault. It crashes occasionally while a thread of
# another library ends, which is not a leak.
leak_sanitizer_crashed() {
    grep -q '^Tracer caught signal' "$1" && ! grep -q 'ERROR: \|runtime error' "$1"
}

# check TITLE COMMAND...: one test, which passes if the command succeeds; otherwise prints its output.
# If LeakSanitizer crashed, the command is repeated up to three times, the last time without leak detection.
# With MD5_TEST_FROM=TEXT the checks before the first title that contains TEXT are skipped.
check() {
    title=$1 tries=1 options=${ASAN_OPTIONS:-}
    shift
    case $title in
    *"${MD5_TEST_FROM:-}"*) MD5_TEST_FROM= ;;
    *) skip "$title" "before $MD5_TEST_FROM" && return ;;
    esac
    while ! "$@" >"$scratch/check_output" 2>&1; do
        if [ "$tries" -le 3 ] && leak_sanitizer_crashed "$scratch/check_output"; then
            tries=$((tries + 1))
            [ "$tries" -le 3 ] || export ASAN_OPTIONS="${options:+$options:}detect_leaks=0"
            continue
        fi
        failed=$((failed + 1)) tries=failed
        echo "FAILED: $title"
        sed 's/^/    /' "$scratch/check_output"
        break
    done
    [ "$tries" = failed ] || passed=$((passed + 1))
    [ "$tries" = 1 ] || export ASAN_OPTIONS="$options"
    [ -z "${MD5_TEST_TIMES:-}" ] || show_time
}

# Returns success if slow tests must run even if a faster test finds nearly the same faults. This is the case in `make
# test-long` and in all runs with MD5_TEST_LONG=all.
is_long() {
    [ -n "${MD5_TEST_LONG:-}" ]
}

# check_long TITLE COMMAND...: runs a check only if is_long returns success.
check_long() {
    ! is_long || check "$@"
}

# silent TITLE COMMAND...: one test, which passes if the command prints nothing. The exit status of the
# command is ignored.
silent() {
    title=$1
    shift
    "$@" >"$scratch/silent_output" 2>&1
    check "$title" is_output_empty
}

is_output_empty() {
    cat "$scratch/silent_output"
    [ ! -s "$scratch/silent_output" ]
}

# numbers_satisfy CONDITION NUMBER...: returns success if an awk condition on $1 $2 ... is true.
numbers_satisfy() {
    condition=$1
    shift
    echo "$*" | awk "{ exit !($condition) }" || { echo "$* does not satisfy $condition"; false; }
}

# exits_with STATUS WORD COMMAND...: returns success if the command exits with this status and its output contains WORD.
exits_with() {
    expected=$1 word=$2
    shift 2
    "$@" >"$scratch/out" 2>&1
    status=$?
    [ $status -eq "$expected" ] && grep -qF -- "$word" "$scratch/out" || {
        echo "status $status, expected $expected; expected '$word' in this output:"
        cat "$scratch/out"
        false
    }
}

# skip TITLE REASON: counts and reports a skipped test.
skip() {
    skipped=$((skipped + 1))
    echo "skipped: $1: $2"
}

finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit
}

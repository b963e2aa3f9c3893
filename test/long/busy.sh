#!/bin/sh
# The tests that drive a window, and the tests of the tool, while all cores are busy, and in a system without /dev/pts:
# no test may depend on an idle machine.
. test/build/report.sh
unset MAKEFLAGS MAKELEVEL MFLAGS

load_processes=
for _ in $(seq "$(getconf _NPROCESSORS_ONLN)"); do
    sh -c 'while :; do :; done' &
    load_processes="$load_processes $!"
done
stop_load() {
    # shellcheck disable=SC2086 # one word each
    kill $load_processes 2>/dev/null
    rm -rf "$scratch"
}
trap stop_load EXIT

for suite in ${BUSY_SUITES:-test/viewer/window*.sh test/tool/tool.sh}; do
    check "$suite on busy cores" sh "$suite"
done

# Runs in a separate mount namespace, in which /dev/pts is an empty folder and /dev/ptmx does not work.
without_terminals() {
    # shellcheck disable=SC2016
    unshare --mount sh -c 'mount -t tmpfs none /dev/pts && exec sh test/tool/tool.sh'
}
if unshare --mount sh -c 'mount -t tmpfs none /dev/pts' 2>/dev/null; then
    check "tool.sh without /dev/pts" without_terminals
else
    skip "tool.sh without /dev/pts" "mount namespaces are not available"
fi
finish

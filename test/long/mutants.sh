#!/bin/sh
# A test detects each of MUTANTS=30 small faults, inserted into lines that changed since the commit SINCE. The default
# is the last commit of yesterday; "" selects all lines. The same SEED=1 selects the same faults, MODULES="md5 render"
# selects the folders, and no fault is started after MUTANT_MINUTES=40. With MUTANTS=0 only the lists of faults are
# compared with the sources. MUTANTS=list plants the faults of planted.txt in MODULES, prints how many tests detect
# them, and never fails. MUTANT_JOBS limits the processes of a build. mutants.py contains the details.
. test/build/report.sh
since=${SINCE-$(git rev-list -1 --before='1 day ago' HEAD 2>/dev/null)}

if [ "${MUTANTS:-}" = list ]; then
    # shellcheck disable=SC2086 # several folders
    check "the listed faults are planted" python3 test/long/mutants.py list "${MUTANT_MINUTES:-600}" ${MODULES:-}
    cat "$scratch/check_output"
elif git ls-files --error-unmatch Makefile >/dev/null 2>&1; then
    # shellcheck disable=SC2086 # several folders
    check "a test detects each planted fault" python3 test/long/mutants.py "${MUTANTS:-30}" "${SEED:-1}" "$since" \
        "${MUTANT_MINUTES:-40}" ${MODULES:-md5 render demo/common demo/looks demo/convert demo/tool demo/viewer}
    [ "$failed" -ne 0 ] || cat "$scratch/check_output"
else
    skip "planted faults" "this is not a git repository"
fi
finish

#!/bin/sh
# A test notices each of MUTANTS=30 small faults, planted in what has changed since the commit SINCE, by default
# yesterday's; "" is all. The same SEED=1 chooses the same ones, MODULES="md5 render" selects the folders, and
# after MUTANT_MINUTES=40 no other is begun. With MUTANTS=0 only the list of faults that may survive is checked:
# mutants.txt. Begin reading in mutants.py.
. test/build/report.sh
since=${SINCE-$(git rev-list -1 --before='1 day ago' HEAD 2>/dev/null)}

if git ls-files --error-unmatch Makefile >/dev/null 2>&1; then
    # shellcheck disable=SC2086 # several folders
    check "a test notices each planted fault" python3 test/long/mutants.py "${MUTANTS:-30}" "${SEED:-1}" "$since" \
        "${MUTANT_MINUTES:-40}" ${MODULES:-md5 render demo/common demo/looks demo/convert demo/tool demo/viewer}
    [ "$failed" -ne 0 ] || cat "$scratch/check_output"
else
    skip "planted faults" "this is no git repository"
fi
finish

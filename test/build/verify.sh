# shellcheck shell=sh
# shellcheck disable=SC2154 # products and scratch are those of report.sh
# For scripts that check the report of `md5view --verify`; after report.sh. $view is the viewer.
view=$products/md5view

# The printed errors are at most a ten-thousandth of the model's size.
is_exact() { # ARGUMENTS...
    "$view" --verify --verbose error "$@" >"$scratch/out" 2>"$scratch/err" &&
        tail -n 1 "$scratch/out" | grep -q ': ok$' &&
        awk '/largest error/ && / of the size/ {
            for (i = 1; i < NF; i++) if ($(i + 1) == "of" && $(i + 2) == "the" && $i > 1e-4) exit 1
        }' "$scratch/out" || { cat "$scratch/out"; false; }
}
# A forced path is exact, or it fails by no more than predicted.
is_predicted() { # ARGUMENTS...
    "$view" --verify --verbose error "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
    case $status in
    0) ! grep -q 'loses' "$scratch/out" ;;
    1) grep -q 'loss as predicted$' "$scratch/out" && tail -n 1 "$scratch/out" | grep -q 'FAILED$' ;;
    *) false ;;
    esac && ! grep -q 'ERROR TOO LARGE' "$scratch/out" || { echo "status $status"; cat "$scratch/out"; false; }
}

# The models of the corpus, one a line.
corpus_models() {
    find "$MD5_CORPUS/corpus" -name '*.md5mesh' | grep -v -e invalid -e malformed | sort
}

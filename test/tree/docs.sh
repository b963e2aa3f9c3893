#!/bin/sh
# Documents: links lead to existing files and headings, paths and functions in the text exist, the tree in
# CONTRIBUTING.md matches the repository, and the changelog follows its rules (md5/packaging/changelog.py).
. test/build/report.sh

list_documents() {
    find . \( -path ./build -o -path ./.git \) -prune -o -name '*.md' -print | sort
}

# Lists broken links to files, relative to the document; links to the web are not checked.
print_broken_links() {
    list_documents | while read -r document; do
        grep -oE '\]\([^)#: ]+(#[^)]*)?\)' "$document" | sed -E 's/^\]\(//; s/(#.*)?\)$//' |
            while read -r target; do
                [ -e "$(dirname "$document")/$target" ] || echo "$document links to $target"
            done
    done
}
silent "links in documents lead to existing files" print_broken_links

# Lists broken links to headings of any document, spelled as hosting sites derive them.
print_headings() {
    sed -n 's/^##* *//p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'
}
print_broken_anchors() {
    list_documents | while read -r document; do
        grep -oE '\]\([^): ]*#[^)]*\)' "$document" | sed -E 's/^\]\(//; s/\)$//' | while read -r link; do
            target=$document
            [ -z "${link%%#*}" ] || target=$(dirname "$document")/${link%%#*}
            [ -e "$target" ] || continue # print_broken_links() reports it
            print_headings "$target" | grep -qxF -- "${link#*#}" || echo "$document links to $link"
        done
    done
}
silent "links to headings lead to existing headings" print_broken_anchors

# `path/to/file` in code quotes, from the root or from the document's folder, except files below build/. Documents about
# changes also contain former names.
list_current_documents() {
    list_documents | grep -vE '/(CHANGELOG|upgrading)\.md$'
}
print_missing_paths() {
    list_current_documents | while read -r document; do
        grep -oE '`[A-Za-z0-9_./-]+/[A-Za-z0-9_.-]+\.(c|h|sh|py|md|glsl|vert|frag|comp|png|md5[a-z]+)`' "$document" |
            tr -d '`' | grep -v '^build/' | sort -u | while read -r path; do
            [ -e "$path" ] || [ -e "$(dirname "$document")/$path" ] ||
                echo "$document names $path"
        done
    done
}
silent "paths in documents exist" print_missing_paths

# Lists names in code quotes, `function()` and `file.c` without a folder, that do not exist. Functions of other projects are
# not in lower case. Files can also be outputs of make, or NAMED placeholders for the reader.
find . \( -path ./build -o -path ./.git \) -prune -o -type f -print >"$scratch/files"
print_identifiers() {
    grep -E '\.(c|h|sh|py|mk|js|glsl|vert|frag|comp)$' "$scratch/files" | tr '\n' '\0' | xargs -0 cat |
        grep -aoE '[A-Za-z_][A-Za-z0-9_]*' | sort -u
}
print_identifiers >"$scratch/words"
print_unknown_functions() {
    list_current_documents | while read -r document; do
        grep -oE '`[a-z_][a-z0-9_]*\(\)`' "$document" | tr -d '`()' | sed 's/^md5i_play_/md5i_/' | sort -u |
            sed "s|^|$document names the function |"
        case $document in ./*/docs/* | ./md5/packaging/* | ./CONTRIBUTING.md) ;; *) continue ;; esac
        grep -oE '`[a-z0-9_-]+\.(c|h|sh|py|md|mk|txt|vert|frag|comp)`' "$document" | tr -d '`' | sort -u |
            grep -vxE 'md5(model|play|game|ragdoll|edit|gl)\.c|first\.c' | while read -r name; do
            grep -q "/$name$" "$scratch/files" || echo "$document names the file $name"
        done
    done | awk 'NR == FNR { words[$1]; next } !($4 == "function" && $NF in words)' "$scratch/words" -
}
check "the list of words is not empty" [ -s "$scratch/words" ]
silent "functions and files in documents exist" print_unknown_functions

# The tree in CONTRIBUTING.md has a line for each entry of the top level and for the folders of md5/, demo/, demo/viewer/ and
# test/, except folders of tests that have the name of a module.
print_documented_tree() {
    awk '/^<!-- tree -->$/ { is_next = 1; next }
        /^```$/ { is_open = is_next && !is_open; is_next = is_open; next }
        is_open {
            depth = (match($0, /[^ ]/) - 1) / 4
            path[depth] = (depth == 0 ? "" : path[depth - 1]) $1
            print path[depth]
        }' CONTRIBUTING.md | sort
}
print_actual_tree() {
    git ls-files -co --exclude-standard | while read -r path; do
        [ -e "$path" ] && echo "$path"
    done | awk -F/ '
        { print NF == 1 ? $1 : $1 "/" }
        NF > 2 && $1 ~ /^(md5|demo|test)$/ { print $1 "/" $2 "/" }
        NF > 3 && $1 "/" $2 == "demo/viewer" { print $1 "/" $2 "/" $3 "/" }' | sort -u | while read -r path; do
        name=${path#test/}
        if [ "$name" != "$path" ] && [ -n "$name" ]; then
            [ ! -d "md5/$name" ] && [ ! -d "demo/$name" ] && [ "$name" != render/ ] || continue
        fi
        echo "$path"
    done
}
print_tree_differences() {
    print_documented_tree >"$scratch/drawn"
    print_actual_tree >"$scratch/actual"
    comm -23 "$scratch/drawn" "$scratch/actual" | sed 's/^/in CONTRIBUTING.md, but not in the repository: /'
    comm -13 "$scratch/drawn" "$scratch/actual" | sed 's/^/not in CONTRIBUTING.md: /'
}
if git rev-parse --git-dir >/dev/null 2>&1; then
    check "CONTRIBUTING.md contains a tree" [ "$(print_documented_tree | wc -l)" -gt 20 ]
    silent "the tree in CONTRIBUTING.md matches the repository" print_tree_differences
else
    skip "the tree in CONTRIBUTING.md matches the repository" "this is not a git repository"
fi

silent "closed versions of the changelog are unchanged, breaking changes come first" python3 -B md5/packaging/changelog.py
# print_changelog_faults SED: prints the faults of a changed copy of the changelog.
print_changelog_faults() {
    mkdir -p "$scratch/changed/md5/packaging" && cp md5/md5model.h "$scratch/changed/md5/" &&
        cp md5/packaging/changelog.* md5/packaging/symbols.py "$scratch/changed/md5/packaging/" &&
        sed "$1" CHANGELOG.md >"$scratch/changed/CHANGELOG.md" && (cd "$scratch/changed" && python3 -B md5/packaging/changelog.py)
}
finds_changelog_faults() {
    print_changelog_faults '/^## 0.3.0/a A new line.' | grep -F '0.3.0: the section of a closed version was changed' &&
        print_changelog_faults '/^## 0.2.0/,$d' | grep -F '0.2.0: the section of a closed version is missing' &&
        print_changelog_faults '3s/Unreleased/9.9.9 - 2026-11-28/' | grep -F "expected 'Unreleased'" &&
        print_changelog_faults '4a ### Added' | grep -F 'before all other text'
}
check "changes of closed versions and a wrong order are found" finds_changelog_faults

check "the list of planted faults matches the sources" python3 -B test/long/mutants.py 0
finish

#!/bin/sh
# Guides in md5/docs and demo/docs: every sample compiles as C11 and C++20, complete programs run, samples of MD5 files are
# valid, commands of md5tool run, and the index lists every guide. Samples in comments of public headers compile, too.
. test/build/report.sh
. test/build/languages.sh

cc=${CC:-cc}
folders="md5/docs demo/docs" start_page=md5/docs/README.md
mkdir "$scratch/md5model" && ln -s "$PWD"/md5/md5*.h "$PWD"/render/md5gl*.h "$scratch/md5model/" && ln -s "$PWD/md5" "$scratch/md5"

# Samples use our model, also under the name hero.
mkdir "$scratch/files" && ln -s "$PWD"/models/bobbin/*.md5* "$scratch/files/" &&
    ln -s "$PWD/models/bobbin/bobbin.md5mesh" "$scratch/files/hero.md5mesh"

# extract_samples PATH: writes the samples of a guide to files. Programs: GUIDE.program.N.c. All other C: GUIDE.c, each sample in a
# function with the parameters that `<!-- context: ... -->` above it declares, or, after `<!-- context: file -->`, without
# a function. Other languages: GUIDE.N.LANGUAGE. Prints a line for each sample.
extract_samples() {
    stem=${1##*/}
    awk -v to="$scratch/files/${stem%.md}" '
        function keep() {
            name = to "." language "." ++count "." language
            if (language == "c" && text ~ /int main\(/) {
                printf "#line %d \"%s\"\n%s", at, FILENAME, text > name
                kind = "program"
            } else if (language == "c" && context == "") {
                print FILENAME ":" at ": no context" > "/dev/stderr"
                kind = "lost"
            } else if (language == "c" && context == "file") {
                shared = shared sprintf("#line %d \"%s\"\n%s", at, FILENAME, text)
                kind = "part"
            } else if (language == "c") {
                shared = shared sprintf("void sample_%d(%s);\nvoid sample_%d(%s)\n{\n#line %d \"%s\"\n%s}\n", count, context, count, context, at, FILENAME, text)
                kind = "part"
            } else {
                printf "%s", text > name
                kind = "file"
            }
            print kind, FILENAME ":" at, name
            context = ""
        }
        /^```/ && inside { keep(); inside = 0; next }
        inside { text = text $0 "\n"; next }
        /^```(c|hlsl|md5mesh|md5anim|md5camera|md5machine)$/ { inside = 1; language = substr($0, 4); text = ""; at = NR + 1; next }
        /^```[a-z]*$/ { skip = !skip; next }
        /^<!-- context: .* -->$/ { context = substr($0, 15, length($0) - 18); next }
        END {
            if (inside) print FILENAME ": open sample" > "/dev/stderr"
            if (shared != "") {
                for (i = 1; i <= split("math model skin edit curve pose play game ragdoll image dialects", part, " "); i++)
                    printf "#include <md5model/md5%s.h>\n", part[i] > (to ".c")
                printf "#include <md5model/md5gl.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n%s", shared > (to ".c")
            }
        }' "$1"
}

compile_sample() {
    # shellcheck disable=SC2086
    $cc -std=c11 -O0 -Wall -Wextra -Wpedantic -Wno-unused-parameter -Werror ${MD5_LINK_FLAGS:-} -I"$scratch" "$@"
}
# Lists functions that samples call without mentioning their library or its header on the same page.
print_unnamed_libraries() { # PATH
    libraries=$products/libmd5model.a
    for library in gl:gl play:play,pose,curve,machine game:game,decl,material,entity,actor,character,figure,image,dialects ragdoll:ragdoll edit:edit; do
        ! grep -qE "md5($(echo "${library#*:}" | tr , '|'))(\.h|[^a-z0-9_.]|\$)" "$1" || libraries="$libraries $products/libmd5${library%:*}.a"
    done
    # shellcheck disable=SC2086
    nm -g --defined-only $libraries | awk 'NF == 3 { print $3 }' | sort -u >"$scratch/offered"
    nm -u "$scratch/part.o" | awk '$NF ~ /^md5/ { print $NF }' | sort -u | comm -23 - "$scratch/offered"
}
md5_sample_is_valid() {
    "$products/md5tool" check --for md5model "$1" && ! "$products/md5tool" check --for md5model "$1" | grep -qE ': (error|warning): '
}
run_command() {
    echo "$1"
    (eval "$1") </dev/null
}
start_page_lists_guide() {
    case $1 in
    md5/docs/*) grep -qF "](${1##*/})" $start_page ;;
    *) grep -qF "](../../$1)" $start_page ;;
    esac
}

# shellcheck disable=SC2086 # two folders
guides=$(find $folders -maxdepth 1 -name '*.md' | sort)
: >"$scratch/all"
for path in $guides; do
    guide=${path##*/} guide=${guide%.md}
    extract_samples "$path" >"$scratch/samples" 2>"$scratch/faults"
    silent "$guide: samples are closed and have a context" cat "$scratch/faults"
    cat "$scratch/samples" >>"$scratch/all"
    [ "$guide" = README ] || check "$guide is in the index of guides" start_page_lists_guide "$path"
    if [ -e "$scratch/files/$guide.c" ]; then
        check "$guide: parts of programs compile" compile_sample -c "$scratch/files/$guide.c" -o "$scratch/part.o"
        check_languages "$guide: parts of programs" "$scratch/files/$guide.c" -Wno-unused-parameter -Wno-unused-variable -I"$scratch"
        silent "$guide: samples need only libraries that the guide names" print_unnamed_libraries "$path"
    fi
    grep '^program' "$scratch/samples" >"$scratch/programs"
    while read -r _ at file <&3; do
        # shellcheck disable=SC2086 # several files
        check "$at compiles" compile_sample "$file" $archives -lpthread -lm -o "$scratch/program"
        check "$at runs" "$scratch/program"
        check_languages "$at" "$file" -I"$scratch"
    done 3<"$scratch/programs"
    grep '^file.*hlsl$' "$scratch/samples" >"$scratch/shaders"
    while read -r _ at file <&3; do
        if command -v glslangValidator >/dev/null; then
            check "$at is a vertex shader" glslangValidator -D -V -S vert -e main "$file" -o "$scratch/shader.spv"
        else
            skip "$at is a vertex shader" "glslangValidator is not installed"
        fi
    done 3<"$scratch/shaders"
    grep '^file.*md5[a-z]*$' "$scratch/samples" >"$scratch/texts"
    while read -r _ at file <&3; do
        check "$at is read without a warning" md5_sample_is_valid "$file"
    done 3<"$scratch/texts"
    awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$path" | sed "s/ *#.*//; s|^build|$products|" |
        grep -v '/md5view' >"$scratch/commands" # readme.sh tests commands of the viewer
    while read -r command <&3; do
        check "$command" run_command "$command"
    done 3<"$scratch/commands"
done
print_unknown_languages() {
    grep -nE '^```[a-z]' $guides | grep -vE '```(c|hlsl|sh|md5mesh|md5anim|md5camera|md5machine)$'
}
silent "samples are in languages that this test checks" print_unknown_languages
# Every code block of C must have been compiled.
# shellcheck disable=SC2086 # several files
num_samples=$(cat $guides | grep -c '^```c$')
all_samples_are_compiled() {
    echo "$num_samples samples of C in the text, $(grep -cE '^(program|part)' "$scratch/all") compiled"
    [ "$num_samples" -gt 0 ] && [ "$num_samples" -eq "$(grep -cE '^(program|part)' "$scratch/all")" ]
}
check "the guides have samples of C, and all were compiled" all_samples_are_compiled

# Samples in comments of public headers: paragraphs that are indented by three blanks or more and contain a line that ends
# with a semicolon. Lists are indented, too. Each sample becomes a function; header_samples.txt contains its parameters.
extract_header_samples() { # HEADER
    awk -v table=test/tree/header_samples.txt -v header="${1##*/}" '
        function keep() {
            if (is_code && !is_list) {
                number++
                if (!((header " " number) in known)) print FILENAME ":" at ": not in " table > "/dev/stderr"
                parameters = context[header " " number]
                if (parameters == "") parameters = "void"
                name = "sample_" header "_" number
                gsub(/[^a-z0-9_]/, "_", name)
                printf "void %s(%s);\nvoid %s(%s)\n{\n#line %d \"%s\"\n%s}\n", name, parameters, name, parameters, at, FILENAME, text
            }
            text = ""
            is_code = 0
        }
        BEGIN {
            while ((getline line < table) > 0) {
                if (line ~ /^#/) continue
                split(line, word, " ")
                key = word[1] " " word[2]
                known[key] = 1
                context[key] = substr(line, length(key) + 2)
            }
        }
        /^\/\/   +[^ ]/ {
            if (text == "") { at = FNR; is_list = last ~ /^\/\/ - / }
            code = substr($0, 3)
            text = text code "\n"
            if (code ~ /;( *\/\/.*)?$/) is_code = 1
            last = $0
            next
        }
        { keep(); last = $0 }
        END {
            keep()
            for (key in known) {
                split(key, word, " ")
                if (word[1] == header && word[2] > number) print table ": " key ": the header has no such sample" > "/dev/stderr"
            }
        }' "$1"
}
header_file=$scratch/files/headers.c
cat >"$header_file" <<END
$(for header in md5/md5*.h render/md5gl*.h; do echo "#include <md5model/${header##*/}>"; done)
END
for header in md5/md5*.h render/md5gl*.h; do
    extract_header_samples "$header" >>"$header_file" 2>>"$scratch/lost"
done
silent "samples of headers are in header_samples.txt" cat "$scratch/lost"
has_header_samples() {
    [ "$(grep -c '^void sample_.*;$' "$header_file")" -ge 15 ]
}
check "headers have samples" has_header_samples
# Programs may initialize an error with {0}, also in C++.
echo 'void error_with_0(void); void error_with_0(void) { md5_error error = {0}; (void)error; }' >>"$header_file"
# A sample of a call may ignore the result.
check_languages "samples of headers" "$header_file" -Wno-unused-parameter -Wno-unused-variable -I"$scratch"
finish

#!/bin/sh
# md5tool --batch: splitting lines into words, errors in a batch file, exit statuses, and the same output as separate runs.
. test/build/report.sh
tool=$(realpath "$products/md5tool")
root=$PWD
cd "$scratch" || exit 1

# batch_exits STATUS FORMAT: runs the printed text as a batch file. Returns success if it exits with this status.
batch_exits() {
    # shellcheck disable=SC2059 # the format contains escapes
    printf -- "$2" >lines
    "$tool" --batch lines >out 2>&1
    status=$?
    [ $status -eq "$1" ] || { echo "status $status, expected $1:" && cat out && false; }
}

# -- Words: md5tool info prints the name of each file that it cannot read. --
splits_words() { # WORDS FORMAT
    batch_exits 1 "info $2" || return 1
    found=$(sed -n 's/\(: \)*error: cannot read the file: .*//p' out | paste -sd '|' -)
    [ "$found" = "$1" ] || { echo "expected $1, found $found" && false; }
}
while IFS='~' read -r title words line; do
    check "$title" splits_words "$words" "$line"
done <<'END'
blanks separate words~a|b|c~a  b\t c \t
single quotes~a b|c\\d"|$e~'a b' 'c\\\\d"' '$e'
double quotes~a b|c'd|e\f|"|\\|$g|`|*~"a b" "c'd" "e\\\\f" "\\"" "\\\\\\\\" "\\$g" "\\`" "*"
backslashes~a b|\\|'|"|cd~a\\ b \\\\\\\\ \\' \\" \\c\\d
parts of a word~abcd e|f~'a'b"c"d\\ e f''""
empty words~|b|~'' b ""
a number sign in a word~a#b|#|#c~a#b # #c
no variables, wildcards or operators~$HOME|*|a;|&&|>b~$HOME * a; && >b
a carriage return in a line~a\x0db~a\rb
a line end of Windows~a b|c~"a b" c\r\n
two line ends~a~a\n\n
END

# -- Lines --
prints_version_lines() { # TIMES FORMAT
    batch_exits 0 "$2" && [ "$(wc -l <out)" -eq "$1" ] && [ "$(grep -c '^md5tool [0-9]' out)" -eq "$1" ]
}
check "an empty file has no commands" prints_version_lines 0 ''
check "blank lines and comments are ignored" prints_version_lines 0 '\n \t\n# info a\n  # '"'"'\n\r\n#'
check "several commands" prints_version_lines 3 '--version\n--version\n\n--version\n'
check "the last line needs no line end" prints_version_lines 2 '--version\n--version'
check "line ends of Windows" prints_version_lines 2 '--version\r\n\r\n# a\r\n--version\r\n'
check "a byte order mark" prints_version_lines 1 '\357\273\277--version\n'
reads_standard_input() {
    printf -- '--version\n--version\n' | "$tool" --batch - >out && [ "$(wc -l <out)" -eq 2 ]
}
check "standard input" reads_standard_input

# -- Errors: the file, line and column, and what was expected. The next lines are run. --
prints_errors() { # FORMAT LINE...: expected output
    batch_exits 2 "$1\n--version\n" && shift || return 1
    printf '%s\n' "$@" | cmp - out || { cat out && false; }
}
version=$("$tool" --version)
check "a single quote is not closed" prints_errors "info 'a" \
    "lines:1:6: error: unclosed quote: expected ' on this line, found the end of the line" "$version"
check "a double quote is not closed" prints_errors '\n  info a"b\\"' \
    'lines:2:9: error: unclosed quote: expected " on this line, found the end of the line' "$version"
check "a backslash ends a double quote" prints_errors 'info "\\' \
    'lines:1:6: error: unclosed quote: expected " on this line, found the end of the line' "$version"
check "a backslash ends a line" prints_errors 'info a\\\r' \
    'lines:1:7: error: incomplete escape: expected a character after \, found the end of the line' "$version"
check "a batch in a batch" prints_errors '# a\n "--batch" lines' \
    'lines:2:2: error: nested batch: expected a command, found --batch' "$version"
check "a zero byte ends the batch" prints_errors '--version\ninfo a\0b' "$version" \
    'lines:2:7: error: invalid character: expected text, found a zero byte'
check "wrong arguments of a command" prints_errors 'info' \
    'md5tool: info: argument is missing: expected files (see md5tool info --help)' 'lines:1: exit status 2' "$version"
check "an unknown command" prints_errors 'inof a' \
    "md5tool: unknown command 'inof': did you mean 'info'? (see md5tool --help)" 'lines:1: exit status 2' "$version"

# print_padded_line N TEXT: prints a line of N bytes that begins with the text and continues with " a a a".
print_padded_line() {
    awk -v size="$1" -v text="$2" 'BEGIN { line = " a"; while (length(line) < size) line = line line
        print text substr(line, 1, size - length(text)) }'
}
longest=1048576
limits_line_length() { # the command has an unknown option, so that it ends immediately
    print_padded_line $longest 'info --wrong' >lines
    printf -- '--version\n' >>lines
    exits_with 2 "unknown option '--wrong'" "$tool" --batch lines && grep -q '^lines:1: exit status 2' out &&
        grep -qx "$version" out || return 1
    print_padded_line $((longest + 1)) 'info --wrong' >lines
    printf -- '--version\n' >>lines
    exits_with 2 "lines:1:$((longest + 1)): error: line too long: expected at most $longest bytes, found more" \
        "$tool" --batch lines && ! grep -q "$version" out
}
check "the longest line, and a longer line" limits_line_length
check "a missing batch file" exits_with 1 'missing: error: cannot read the file: ' "$tool" --batch missing
check "a folder" exits_with 1 '.: error: cannot read the file: ' "$tool" --batch .
check "no batch file" exits_with 2 'md5tool: --batch: missing value: expected FILE' "$tool" --batch
check "two batch files" exits_with 2 "expected --batch FILE, found also 'b'" "$tool" --batch a b
[ ! -c /dev/zero ] || check "an endless file" exits_with 2 'found a zero byte' "$tool" --batch /dev/zero
[ ! -w /dev/full ] || check "a full disk: the error of each command" exits_with 1 'lines:2: exit status 1' \
    sh -c 'printf -- "--version\n--version\n" >lines; "$0" --batch lines 2>&1 >/dev/full' "$tool"

# -- The worst exit status --
has_worst_status() {
    batch_exits 0 'info --help\n--version\n' && batch_exits 1 'info missing\n--version\n' && batch_exits 2 'info missing\ninof\n' &&
        batch_exits 2 "inof\n--version\ninfo missing\n" && batch_exits 2 "info 'a\ninfo missing\n"
}
check "the worst exit status of all commands" has_worst_status

# -- Each command runs as if it was started on its own. --
# Prints commands for each file; `convert` and `fix` write files into the current folder.
print_commands() { # FILE...
    number=0
    for file; do
        number=$((number + 1)) extension=${file##*.}
        printf '%s\n' "info '$file'" "check --json \"$file\""
        case $extension in
        md5mesh | md5anim) printf '%s\n' "fix $file -o fixed$number.$extension" "dump $file" ;;
        esac
        echo "convert $file -o converted$number.glb"
    done
}
# Few descriptors are available to the batch, so that a file that is not closed is found. The first file is an .md5mesh or
# an .md5anim, so that `fix` wrote a file for it unless every command failed.
equals_separate_runs() { # FILE...
    rm -rf together separate && mkdir together separate
    print_commands "$@" >list
    # shellcheck disable=SC3045 # dash and bash have ulimit -n
    (cd together && ulimit -n 24 && "$tool" --batch ../list 2>&1) | grep -v '^\.\./list:[0-9]*: exit status' >together.out
    (cd separate && while read -r line; do eval "'$tool' $line" </dev/null 2>&1; done <../list) >separate.out
    cmp together.out separate.out && diff -r together separate && find together -name 'fixed1.md5*' | grep -q .
}
check "our small models: the output and files of separate runs" equals_separate_runs \
    "$root"/models/zoo/*.md5mesh "$root"/models/zoo/t*.md5anim "$root"/models/thimble/*.md5*
check_long "our models: the output and files of separate runs" equals_separate_runs "$root"/models/*/*.md5*
if [ -d "${MD5_CORPUS:-}/foreign" ]; then
    check "foreign files: the output and files of separate runs" equals_separate_runs \
        "$root"/models/zoo/triangle.md5mesh "$MD5_CORPUS"/foreign/*/*.*
else
    skip "foreign files: the output and files of separate runs" "MD5_CORPUS is not set"
fi
finish

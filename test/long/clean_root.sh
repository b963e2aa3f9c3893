#!/bin/sh
# A new Debian with git, make and gcc and nothing else, made in a folder: there `make run` and
# `make test` must be all that one has to say. Tests what is committed. Needs to be root, a mirror,
# and about 1.5 GB for a while. CLEAN_ROOT_TEST="..." is given to `make test`. MD5_SUITE, MD5_MIRROR: another release than the one this runs on.
# Then the routes to the library, which together may take no longer than ten minutes, of processor time: others may use
# the machine, and the network be slow.
. test/build/report.sh

title="a new system"
[ "$(id -u)" -eq 0 ] || { skip "$title" "only root can make one"; finish; }
command -v debootstrap >/dev/null || { skip "$title" "there is no debootstrap"; finish; }
git -c safe.directory='*' rev-parse HEAD >/dev/null 2>&1 || {
    skip "$title" "this is no git checkout"
    finish
}

# -- Where packages come from: as on this machine ---------------------------------------------------

host=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
suite=${MD5_SUITE:-$host}

# The first address that has this machine's release, from sources in either of apt's two formats.
mirror() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | awk -v suite="$host" '
        $1 == "deb" {
            sub(/\[[^]]*\]/, "")
            if ($3 == suite) { print $2; exit }
        }
        $1 == "URIs:" { address = $2 }
        $1 == "Suites:" { for (i = 2; i <= NF; i++) if ($i == suite) { print address; exit } }'
}
mirror=${MD5_MIRROR:-$(mirror)}
[ -n "$mirror" ] || { skip "$title" "apt knows no mirror of $host"; finish; }

root=$scratch/root
mkdir "$root"
# A new mount space, so that nothing stays mounted whatever happens; where that is not allowed, the
# device files of debootstrap do.
inside() {
    # shellcheck disable=SC2016
    unshare --mount sh -c '
        root=$1
        shift
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        exec "$@"' sh "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        ${no_proxy:+no_proxy="$no_proxy"} \
        chroot "$root" sh -c "cd /root && $1" </dev/null
}

base() {
    # Ubuntu keeps half of what is needed in universe; Debian has no such thing and is not bothered.
    components=main
    case $mirror in *ubuntu*) components=main,universe ;; esac
    debootstrap --variant=minbase --components=$components "$suite" "$root" "$mirror"
}
# Only how to reach the mirror; the rest of this machine's settings is its own affair.
settings() {
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    apt-config dump | grep -E '^Acquire::(http|https|Check-)' >"$root/etc/apt/apt.conf.d/00reach"
    cp -r /etc/apt/auth.conf* "$root/etc/apt/" 2>/dev/null
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io" # it is thrown away anyway
    inside 'apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install git make gcc'
}
checkout() {
    git -c safe.directory='*' clone -q --no-hardlinks . "$root/root/md5model"
}

timed() {
    start=$(date +%s)
    check "$@"
    echo "note: $1: $(($(date +%s) - start)) s"
}
timed "debootstrap $suite" base
timed "git, make and gcc are installed" settings
check "git clone" checkout
[ "$failed" -eq 0 ] || finish

# -- The two commands -------------------------------------------------------------------------------

refuses_to_install() {
    inside 'cd md5model && DEPS=no make run' >"$scratch/refusal" 2>&1 && return 1
    cat "$scratch/refusal"
    [ "$(grep -c '^deps: ' "$scratch/refusal")" -eq 1 ] && grep -q libsdl2-dev "$scratch/refusal" &&
        ! inside 'command -v pkg-config'
}
run() {
    inside 'cd md5model && make run' >"$scratch/run" 2>&1
    status=$?
    cat "$scratch/run"
    [ $status -eq 0 ]
}
names_its_picture() {
    cat "$scratch/run"
    picture=$(sed -n 's/^Picture: //p' "$scratch/run")
    [ -n "$picture" ] && [ "$(head -c 4 "$root/root/md5model/$picture" | tail -c 3)" = PNG ] &&
        [ "$(wc -c <"$root/root/md5model/$picture")" -gt 10000 ]
}
tests() {
    inside "cd md5model && make test ${CLEAN_ROOT_TEST:-}" >"$scratch/tests" 2>&1
    status=$?
    cat "$scratch/tests"
    [ $status -eq 0 ] && tail -n 1 "$scratch/tests" | grep -qE '^[1-9][0-9]* passed, 0 failed, '
}
# Only the real models are not there.
only_corpus_skipped() {
    grep '^ *skipped: ' "$scratch/tests" | grep -v -e MD5_CORPUS -e '(test/[a-z0-9_/]*\.c)$'
}

# The README's first program, linked with the shared library, starts right after `make install`.
readme_program() {
    inside 'cd md5model && make install && cd /root &&
        awk "\$0 == \"\`\`\`c\" { on = 1; next } /^\`\`\`/ { if (on) exit } on" md5model/README.md >first.c &&
        cc -std=c11 first.c $(pkg-config --cflags --libs md5model) -o first &&
        readelf -d first | grep libmd5model.so && cd md5model && ../first'
}

# -- The routes of installing.md and of the archive's README, as they are written there -------------

route() { # TITLE COMMANDS
    timed "$1" inside "set -ex; $2"
}
# What a program of the table is: README's first one.
first='awk "\$0 == \"\`\`\`c\" { on = 1; next } /^\`\`\`/ { if (on) exit } on" /root/md5model/README.md'
cmake_project() { # COMMAND: that finds the library
    printf 'printf "%%s\\n" "cmake_minimum_required(VERSION 3.16)" "project(game C)" "%s" "add_executable(game game.c)" \
        "target_link_libraries(game md5model::md5model)" >CMakeLists.txt; %s >game.c; cmake -B build; cmake --build build' "$1" "$first"
}
routes() {
    processor_time >"$scratch/before"
    route "make lib alone" "cd md5model; make lib; $first >first.c; cc -Ibuild/include first.c build/libmd5model.a -lm -o first; ./first"
    route "pkg-config" "cd md5model; make install-lib; $first >first.c; cc first.c \$(pkg-config --cflags --libs md5model) -o first; ./first"
    route "make amalgamate" "cd md5model; make amalgamate; cd build/amalgamated; $first >game.c; cc -I. game.c md5model/md5model.c -lm"
    route "the archive, as its README says" "cd md5model; make release; tar -xzf build/md5model-*.tar.gz -C /root; cd /root/md5model-*; \
        export SDL_VIDEODRIVER=offscreen; sed -n 's/^    //p' README.md | sed '/^.[/]window/s/\$/ picture.bmp/' | sh -ex; test -s picture.bmp"
    route "CMake, installed" "apt-get -q -y install cmake; mkdir found; cd found; $(cmake_project 'find_package(md5model CONFIG REQUIRED)')"
    route "CMake, in your tree" "mkdir within; cd within; ln -s ../md5model md5model; $(cmake_project 'add_subdirectory(md5model)')"
    processor_time >"$scratch/after"
    all_routes=$(paste "$scratch/before" "$scratch/after" | awk '{ print $2 - $1 }')
    check "all routes in ten minutes" holds '$1 <= 600' "$all_routes"
    echo "note: all routes: $all_routes s of processor time"
}

check "DEPS=no says in one line what is missing, and installs nothing" refuses_to_install
timed "make run" run
check "it renders a picture and names it" names_its_picture
routes
check "after make install the program of the README starts" readme_program
timed "make test" tests
timed "make web, where emscripten is missing" inside 'cd md5model && make web'
silent "nothing but the real models is skipped" only_corpus_skipped
echo "note: there: $(grep -E '^[0-9]+ passed, ' "$scratch/tests" | tail -n 1)"
finish

#!/bin/sh
# A new Debian system with only git, make and gcc, created in a folder: `make run` and `make test` must work without
# other commands. Tests the last commit. Needs root, a mirror, and temporarily about 1.5 GB. CLEAN_ROOT_TEST="..." are
# arguments of `make test`. MD5_SUITE, MD5_MIRROR: select another release than the release of this machine. Then the
# installation routes, which together may take at most ten minutes of processor time, because other programs can use
# the machine, and the network can be slow.
. test/build/report.sh

title="a new system"
[ "$(id -u)" -eq 0 ] || { skip "$title" "only root can create it"; finish; }
command -v debootstrap >/dev/null || { skip "$title" "debootstrap is not installed"; finish; }
git -c safe.directory='*' rev-parse HEAD >/dev/null 2>&1 || {
    skip "$title" "this is not a git checkout"
    finish
}

# -- Package sources: those of this machine ---------------------------------------------------------

release_name=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
suite=${MD5_SUITE:-$release_name}

# Prints the first address with this machine's release, from sources in either of apt's two formats.
find_mirror() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | awk -v suite="$release_name" '
        $1 == "deb" {
            sub(/\[[^]]*\]/, "")
            if ($3 == suite) { print $2; exit }
        }
        $1 == "URIs:" { address = $2 }
        $1 == "Suites:" { for (i = 2; i <= NF; i++) if ($i == suite) { print address; exit } }'
}
mirror=${MD5_MIRROR:-$(find_mirror)}
[ -n "$mirror" ] || { skip "$title" "apt has no mirror of $release_name"; finish; }

root=$scratch/root
mkdir "$root"
# Uses a new mount namespace, so that nothing remains mounted. If that is not allowed, the device files of debootstrap are
# sufficient.
run_in_root() {
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

install_base_system() {
    # Ubuntu has half of the needed packages in universe; Debian does not have this component.
    components=main
    case $mirror in *ubuntu*) components=main,universe ;; esac
    debootstrap --variant=minbase --components=$components "$suite" "$root" "$mirror"
}
# Copies only the settings for access to the mirror, no other settings of this machine.
copy_network_settings() {
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    apt-config dump | grep -E '^Acquire::(http|https|Check-)' >"$root/etc/apt/apt.conf.d/00reach"
    cp -r /etc/apt/auth.conf* "$root/etc/apt/" 2>/dev/null
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io" # the system is temporary
    run_in_root 'apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install git make gcc'
}
clone_repository() {
    git -c safe.directory='*' clone -q --no-hardlinks . "$root/root/md5model"
}

check_timed() {
    start=$(date +%s)
    check "$@"
    echo "note: $1: $(($(date +%s) - start)) s"
}
check_timed "debootstrap $suite" install_base_system
check_timed "git, make and gcc are installed" copy_network_settings
check "git clone" clone_repository
[ "$failed" -eq 0 ] || finish

# -- The two commands -------------------------------------------------------------------------------

refuses_to_install() {
    run_in_root 'cd md5model && DEPS=no make run' >"$scratch/refusal" 2>&1 && return 1
    cat "$scratch/refusal"
    [ "$(grep -c '^deps: ' "$scratch/refusal")" -eq 1 ] && grep -q libsdl2-dev "$scratch/refusal" &&
        ! run_in_root 'command -v pkg-config' && nothing_is_compiled
}
nothing_is_compiled() {
    [ -z "$(find "$root/root/md5model/build" -name '*.o')" ]
}
# A user without sudo gets two lists and no objects. The checkout belongs to root, so the user builds a copy.
refuses_without_sudo() {
    run_in_root 'useradd --create-home user && cp -r md5model /home/user/ && chown -R user /home/user' || return 1
    run_in_root "su user -c 'cd ~/md5model && make run'" >"$scratch/refusal" 2>&1 && return 1
    cat "$scratch/refusal"
    grep -q '^deps: missing: .*libsdl2-dev' "$scratch/refusal" && grep -q '^deps: optional, .*libzip-dev' "$scratch/refusal" &&
        [ -z "$(find "$root/home/user/md5model/build" -name '*.o')" ]
}
make_run_works() {
    run_in_root 'cd md5model && make run' >"$scratch/run" 2>&1
    status=$?
    cat "$scratch/run"
    [ $status -eq 0 ]
}
prints_image_path() {
    cat "$scratch/run"
    picture=$(sed -n 's/^Picture: //p' "$scratch/run")
    [ -n "$picture" ] && [ "$(head -c 4 "$root/root/md5model/$picture" | tail -c 3)" = PNG ] &&
        [ "$(wc -c <"$root/root/md5model/$picture")" -gt 10000 ]
}
make_test_works() {
    run_in_root "cd md5model && make test ${CLEAN_ROOT_TEST:-}" >"$scratch/tests" 2>&1
    status=$?
    cat "$scratch/tests"
    [ $status -eq 0 ] && tail -n 1 "$scratch/tests" | grep -qE '^[1-9][0-9]* passed, 0 failed, '
}
# Returns success if only tests with real models were skipped.
only_corpus_skipped() {
    grep '^ *skipped: ' "$scratch/tests" | grep -v -e MD5_CORPUS -e '(test/[a-z0-9_/]*\.c)$'
}

# README's first program, linked with the shared library, must start immediately after `make install`.
readme_program_works() {
    run_in_root 'cd md5model && make install && cd /root &&
        awk "\$0 == \"\`\`\`c\" { on = 1; next } /^\`\`\`/ { if (on) exit } on" md5model/README.md >first.c &&
        cc -std=c11 first.c $(pkg-config --cflags --libs md5model) -o first &&
        readelf -d first | grep libmd5model.so && cd md5model && ../first'
}

# -- The routes of installing.md and of the archive's README, exactly as documented -----------------

route() { # TITLE COMMANDS
    check_timed "$1" run_in_root "set -ex; $2"
}
# This command prints README's first program.
first='awk "\$0 == \"\`\`\`c\" { on = 1; next } /^\`\`\`/ { if (on) exit } on" /root/md5model/README.md'
cmake_project() { # COMMAND: finds the library
    printf 'printf "%%s\\n" "cmake_minimum_required(VERSION 3.16)" "project(game C)" "%s" "add_executable(game game.c)" \
        "target_link_libraries(game md5model::md5model)" >CMakeLists.txt; %s >game.c; cmake -B build; cmake --build build' "$1" "$first"
}
check_all_routes() {
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
    check "all routes take at most ten minutes" numbers_satisfy '$1 <= 600' "$all_routes"
    echo "note: all routes: $all_routes s of processor time"
}

check "DEPS=no lists missing packages in one line, installs and compiles nothing" refuses_to_install
check "a user without sudo gets lists of packages, and nothing is compiled" refuses_without_sudo
check_timed "make run" make_run_works
check "make run saves an image and prints its name" prints_image_path
check_all_routes
check "the program of the README starts after make install" readme_program_works
check_timed "make test" make_test_works
check_timed "make web, where emscripten is missing" run_in_root 'cd md5model && make web'
silent "only tests with real models are skipped" only_corpus_skipped
echo "note: there: $(grep -E '^[0-9]+ passed, ' "$scratch/tests" | tail -n 1)"
finish

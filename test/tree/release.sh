#!/bin/sh
# make release is reproducible: it writes the same bytes from another folder, at another time and with other settings; also
# from sources without git. The unpacked archive builds and runs README's unchanged program and other programs. Between
# releases the name of an archive contains its commit.
. test/build/report.sh
. test/build/readme.sh
unset MAKEFLAGS MAKELEVEL MFLAGS SOURCE_DATE_EPOCH
cc=${CC:-cc}
version=$(python3 -c 'import sys; sys.path.insert(0, "md5/packaging"); sys.dont_write_bytecode = True; import symbols; print(symbols.version())')

# set_heading FOLDER HEADING: replaces the first heading of the changelog in FOLDER. Sections of earlier releases, of which one can
# have the version of the header, are not changed.
set_heading() {
    awk -v heading="$2" '/^## / && !done++ { $0 = "## " heading } { print }' CHANGELOG.md >"$1/CHANGELOG.md"
}
# copy_sources FOLDER: copies the files that a release is made from, and a changelog with the version of the header.
copy_sources() {
    mkdir -p "$1/test" "$1/models/bobbin" &&
        cp -r md5 render shaders Makefile LICENSE README.md "$1/" && cp test/test.mk "$1/test/" &&
        cp models/LICENSE "$1/models/" && cp models/bobbin/bobbin.md5m* models/bobbin/*.md5anim models/bobbin/bobbin*.png "$1/models/bobbin/" &&
        mkdir -p "$1/demo" && cp -r demo/examples "$1/demo/" &&
        mkdir -p "$1/demo/web" && cp demo/web/web.mk "$1/demo/web/" &&
        set_heading "$1" "$version - 2026-11-23"
}
# Provides the GL loader, which glad generates, and the shaders: the existing files, or new ones in long tests.
provide_gl_loader() { # FOLDER
    is_long || [ ! -e build/glad ] || [ ! -e build/shaders.c ] || { mkdir "$1/build" && cp -r build/glad build/shaders.c "$1/build/" &&
        touch "$1/build/shaders.c" "$1/build/glad/include/glad/gl.h"; }
}
# make_release FOLDER SETTINGS...: runs `make release` in FOLDER with these variables.
make_release() {
    (cd "$1" && shift && env DEPS=no config=release BUILD=build/release "$@" make --no-print-directory release)
}
make_second_release() {
    copy_sources "$scratch/elsewhere/again" && provide_gl_loader "$scratch/elsewhere/again" && (umask 077 && make_release "$scratch/elsewhere/again" LC_ALL=C.UTF-8 TZ=Asia/Tokyo PYTHONHASHSEED=2)
}
archives_are_identical() {
    for kind in tar.gz tar.gz.sha256; do
        cmp "$scratch/once/build/md5model-$version.$kind" "$scratch/elsewhere/again/build/md5model-$version.$kind" || return 1
    done
    (cd "$scratch/once/build" && sha256sum -c "md5model-$version.tar.gz.sha256")
}
rejects_heading() { # HEADING
    set_heading "$scratch/elsewhere/again" "$1"
    (cd "$scratch/elsewhere/again" && exits_with 1 "is '## $1'" python3 md5/packaging/release.py build/amalgamated "$scratch")
}

check "the sources" copy_sources "$scratch/once"
check "the GL loader" provide_gl_loader "$scratch/once"
check "make release works in the C locale" make_release "$scratch/once" LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 TZ=UTC PYTHONHASHSEED=1
check "make release, elsewhere" make_second_release
check "a second release has the same bytes" archives_are_identical
# archive_is_unreleased NAME DAY: checks the archive's name and the day of its files.
archive_is_unreleased() {
    (cd "$scratch/once" && python3 md5/packaging/release.py build/amalgamated "$scratch") && ls "$scratch" &&
        tar --utc -tvzf "$scratch/md5model-$version-dev-$1.tar.gz" | awk -v day="$2" '$4 != day { print; wrong = 1 } END { exit wrong || !NR }'
}
archive_has_commit_date() {
    (cd "$scratch/once" && echo build >.gitignore && git init -q && git add -A &&
        GIT_COMMITTER_DATE="2026-11-25 12:00 +0000" git -c user.name=x -c user.email=x commit -q -m x)
    commit=$(git -C "$scratch/once" rev-parse --short HEAD)
    archive_is_unreleased "$commit" 2026-11-25
}
# Checks that a dated changelog is not sufficient for a released archive: the commit must have the tag of the
# version, and the working tree must have no changes.
archive_without_tag() {
    set_heading "$scratch/once" "$version - 2026-11-23"
    (cd "$scratch/once" &&
        GIT_COMMITTER_DATE="2026-11-25 12:00 +0000" git -c user.name=x -c user.email=x commit -q -a -m x)
    commit=$(git -C "$scratch/once" rev-parse --short HEAD)
    archive_is_unreleased "$commit" 2026-11-25
}
archive_with_tag() {
    rm -f "$scratch"/md5model-*
    (cd "$scratch/once" && git tag "v$version" && python3 md5/packaging/release.py build/amalgamated "$scratch") &&
        cmp "$scratch/md5model-$version.tar.gz" "$scratch/once/build/md5model-$version.tar.gz" || return 1
    echo >>"$scratch/once/LICENSE" && archive_is_unreleased "$commit-dirty" 2026-11-25 || return 1
    git -C "$scratch/once" checkout -q LICENSE
}
# Checks that the site is packed unchanged, without the files that tests leave in it.
packs_site() {
    mkdir -p "$scratch/once/site/docs" "$scratch/once/site/test" && (cd "$scratch/once" && echo page >site/index.html && echo page >site/docs/index.html &&
        echo left >site/test/index.html && python3 md5/packaging/release.py --site site build) || return
    tar -tzf "$scratch/once/build/md5model-$version-site.tar.gz" | sed "s|^md5model-$version-site/||" | tr '\n' ' ' >"$scratch/packed"
    [ "$(cat "$scratch/packed")" = "CHANGELOG.md LICENSE docs/index.html index.html models/LICENSE " ] || { cat "$scratch/packed" && false; }
}
check "the site is packed" packs_site
set_heading "$scratch/once" Unreleased
check "an unreleased archive without a repository is named -dev-sources" archive_is_unreleased sources 1980-01-01
check "unreleased: -dev-COMMIT" archive_has_commit_date
check "an archive without the tag is named -dev-COMMIT" archive_without_tag
check "a tagged archive is named by its version, and -dev-COMMIT-dirty after a change" archive_with_tag
check "the version of another release is rejected" rejects_heading "0.0.9 - 2026-11-23"

unpacked=$scratch/empty/md5model-$version
unpack_release() {
    mkdir "$scratch/empty" && tar -xzf "$scratch/once/build/md5model-$version.tar.gz" -C "$scratch/empty" &&
        [ "$(ls "$scratch/empty")" = "md5model-$version" ] && (cd "$unpacked" && sha256sum -c SHA256SUMS)
}
readme_has_version() {
    grep -F "$version" "$unpacked/README.md" && ! grep -r @VERSION@ "$unpacked" --include=*.md
}
# build_first_program COMPILER FLAGS...: builds README's program there without a warning.
build_first_program() {
    rm -f "$unpacked/first"
    (cd "$unpacked" && "$@" -Wall -Wextra -Wpedantic -Werror -I. first.c md5model/md5model.c -lm -o first)
}
# Compares the output of this program with the output of the same program that is linked with the library.
first_program_prints_same() {
    # shellcheck disable=SC2086 # the compiler may be several words
    write_first_program "$scratch/first.c" && cmp "$scratch/first.c" "$unpacked/first.c" &&
        $cc -std=c11 -Ibuild/include "$scratch/first.c" $archives ${MD5_LINK_FLAGS:-} -lm -o "$scratch/first" &&
        "$scratch/first" >"$scratch/expected" && (cd "$unpacked" && ./first) | diff "$scratch/expected" - && [ -s "$scratch/expected" ]
}
all_headers_compile() {
    for header in md5/md5*.h render/md5gl*.h; do
        echo "#include <md5model/${header##*/}>"
    done >"$scratch/all.c"
    # shellcheck disable=SC2086
    $cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only "-I$unpacked" "$scratch/all.c"
}
check "the archive unpacks into one folder with correct checksums" unpack_release
check "its README contains the version" readme_has_version
# shellcheck disable=SC2086
check "README's program builds in the archive" build_first_program $cc -std=c11 -O0 -DMD5_HAS_SIMD=0
check "README's program prints the same as with the library" first_program_prints_same
# Builds the example window.c as the README of the archive describes, and runs it. It would report missing
# images.
window_example_draws() {
    # shellcheck disable=SC2046,SC2086
    (cd "$unpacked" && $cc -I. window.c md5model/md5model.c md5model/md5gl.c $("${PKG_CONFIG:-pkg-config}" --cflags --libs sdl2) -lm -o window &&
        SDL_VIDEODRIVER=offscreen ./window models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim picture.bmp) 2>&1
    [ -s "$unpacked/picture.bmp" ] || echo "picture.bmp is missing or empty"
}
machine_example_plays() {
    # shellcheck disable=SC2086
    (cd "$unpacked" && $cc -I. machine.c md5model/md5model.c md5model/md5play.c -lm -o machine && ./machine models/bobbin/bobbin.md5machine) |
        grep landing
}
small_form_is_included() {
    # shellcheck disable=SC2086
    (cd "$unpacked" && mkdir engine && cp -r small engine/md5model && $cc -Iengine quake_engine.c engine/md5model/md5model.c -lm -o quake &&
        ./quake models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim) | grep '^79 bones'
}
check "machine.c of the archive plays its state machine" machine_example_plays
check "quake_engine.c of the archive builds with small/" small_form_is_included
check "the archive contains all headers" all_headers_compile
silent "window.c of the archive draws" window_example_draws
finish

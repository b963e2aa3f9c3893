# shellcheck shell=sh
# For test scripts, after report.sh: a user's project that uses the library with CMake.
. test/build/readme.sh
unset MAKEFLAGS MAKELEVEL MFLAGS
version=$(awk '/define MD5_VERSION_(MAJOR|MINOR|PATCH)/ { printf "%s%s", dot, $3; dot = "." }' md5/md5model.h)
model=test/reference/data/still.md5mesh
joints=$(awk '$1 == "numJoints" { print $2 }' $model)

# write_user_project FOLDER: writes a project. Its variable TAKE selects the method: fetch, find or subdirectory (FOLDER/md5model).
write_user_project() {
    mkdir -p "$1"
    cat >"$1/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(user C)
if(TAKE STREQUAL fetch)
    include(FetchContent)
    FetchContent_Declare(md5model URL https://example.invalid/md5model.tar.gz)
    FetchContent_MakeAvailable(md5model)
elseif(TAKE STREQUAL subdirectory)
    add_subdirectory(md5model)
else()
    find_package(md5model ${WANT} CONFIG REQUIRED)
endif()
add_executable(load load.c)
target_link_libraries(load md5model::md5model)
add_executable(first first.c)
target_link_libraries(first md5model::md5model)
add_executable(play play.c)
target_link_libraries(play md5model::md5play md5model::md5ragdoll md5model::md5game md5model::md5edit)
if(TARGET md5model::md5gl)
    add_executable(draw draw.c)
    target_link_libraries(draw md5model::md5gl)
endif()
END
    write_first_program "$1/first.c"
    cp test/build/user/load.c test/build/user/play.c test/build/user/draw.c "$1/"
}

# configure SOURCE FOLDER OPTIONS...: runs CMake, with its output in FOLDER.log.
configure() {
    from=$1 to=$2
    shift 2
    cmake -S "$from" -B "$to" -DCMAKE_BUILD_TYPE=None "$@" >"$to.log" 2>&1 || {
        cat "$to.log"
        false
    }
}

# build_without_warnings FOLDER: returns success if the project builds without a warning.
build_without_warnings() {
    cmake --build "$1" -j "$(getconf _NPROCESSORS_ONLN)" >"$1.log" 2>&1 && ! grep -i warning "$1.log" || {
        cat "$1.log"
        false
    }
}

# prints_version_and_joints COMMAND...: returns success if the command prints the version and the number of joints of a model.
prints_version_and_joints() {
    output=$("$@" $model | tr -d '\r')
    echo "$output, expected $version $joints"
    [ "$output" = "$version $joints" ]
}

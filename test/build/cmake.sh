# shellcheck shell=sh
# For test scripts, after report.sh: a project that is not ours, which takes the library with CMake.
unset MAKEFLAGS MAKELEVEL MFLAGS
version=$(awk '/define MD5_VERSION_(MAJOR|MINOR|PATCH)/ { printf "%s%s", dot, $3; dot = "." }' md5/md5model.h)
model=test/reference/data/still.md5mesh
joints=$(awk '$1 == "numJoints" { print $2 }' $model)

# user_project FOLDER: TAKE is how it takes the library: fetch, find or subdirectory (of FOLDER/md5model).
user_project() {
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
if(TARGET md5model::md5gl)
    add_executable(draw draw.c)
    target_link_libraries(draw md5model::md5gl)
endif()
END
    cat >"$1/load.c" <<'END'
#include <md5model/md5model.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    md5_error error;
    md5_model *model = md5_load_model(argc > 1 ? argv[1] : "", NULL, &error);
    printf("%d.%d.%d %u\n", MD5_VERSION_MAJOR, MD5_VERSION_MINOR, MD5_VERSION_PATCH,
           model ? (unsigned)model->skeleton.num_joints : 0);
    md5_free_model(model);
    return model ? 0 : 1;
}
END
    cat >"$1/draw.c" <<'END'
#include <md5model/md5gl.h>
#include <stdio.h>

static md5gl_proc load(void *user, const char *name)
{
    (void)user, (void)name;
    return NULL;
}

int main(void)
{
    md5_error error;
    const md5gl_opts opts = {.load = load};
    md5gl_renderer *renderer = md5gl_create(&opts, &error);
    puts(error.message);
    md5gl_destroy(renderer);
    return renderer ? 1 : 0;
}
END
}

# configure SOURCE FOLDER OPTIONS...: keeps what CMake said in FOLDER.log.
configure() {
    from=$1 to=$2
    shift 2
    cmake -S "$from" -B "$to" -DCMAKE_BUILD_TYPE=None "$@" >"$to.log" 2>&1 || {
        cat "$to.log"
        false
    }
}

# build FOLDER: without a warning.
build() {
    cmake --build "$1" -j "$(getconf _NPROCESSORS_ONLN)" >"$1.log" 2>&1 && ! grep -i warning "$1.log" || {
        cat "$1.log"
        false
    }
}

# runs COMMAND...: prints the version, and how many joints a model has.
runs() {
    said=$("$@" $model | tr -d '\r')
    echo "$said, expected $version $joints"
    [ "$said" = "$version $joints" ]
}

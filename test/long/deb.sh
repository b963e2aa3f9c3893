#!/bin/sh
# Debian packages: make deb, lintian, and a program that is built with the packages.
. test/build/report.sh
unset MAKEFLAGS MAKELEVEL MFLAGS CFLAGS LDFLAGS CC BUILD config PREFIX
for each in dpkg-buildpackage dh lintian; do
    command -v $each >/dev/null || { skip "make deb" "$each is not installed"; finish; }
done
git -c safe.directory='*' rev-parse HEAD >/dev/null 2>&1 || { skip "make deb" "this is not a git checkout"; finish; }

# The tests of the package are not run (`nocheck`), because they are the library's tests, which run in every
# other build.
build_package() {
    DEB_BUILD_OPTIONS="nocheck parallel=$(getconf _NPROCESSORS_ONLN)" make deb
}
print_lintian_messages() {
    lintian --allow-root --tag-display-limit 0 build/deb/*.changes
}
unpack_packages() {
    for package in build/deb/*.deb; do
        case $package in *-dbgsym_*) ;; *) dpkg-deb -x "$package" "$scratch/root" ;; esac
    done
}
run_pkg_config() {
    PKG_CONFIG_LIBDIR=$(echo "$scratch"/root/usr/lib/*/pkgconfig) PKG_CONFIG_SYSROOT_DIR=$scratch/root \
        PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 pkg-config "$@" md5gl
}
user_program_links() {
    printf '%s\n' '#include <md5model/md5gl.h>' 'int main(void) { md5gl_destroy_renderer(NULL); md5_free_model(NULL); return 0; }' \
        >"$scratch/user.c"
    # shellcheck disable=SC2046
    gcc "$scratch/user.c" $(run_pkg_config --cflags) $(run_pkg_config --libs) -o "$scratch/user" &&
        LD_LIBRARY_PATH=$(echo "$scratch"/root/usr/lib/*-linux-gnu*) "$scratch/user"
}
installed_tool_works() {
    LD_LIBRARY_PATH=$(echo "$scratch"/root/usr/lib/*-linux-gnu*) "$scratch/root/usr/bin/md5tool" check \
        "$scratch/root/usr/share/md5model/models/bobbin"
}

check "make deb" build_package
silent "lintian reports no problems" print_lintian_messages
check "the packages unpack" unpack_packages
check "a program links with the packages" user_program_links
check "md5tool of the packages finds no errors in their models" installed_tool_works
finish

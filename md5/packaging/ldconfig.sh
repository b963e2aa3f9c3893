#!/bin/sh
# ldconfig.sh FOLDER LIBRARY: updates the dynamic linker's cache after a shared library was installed in
# FOLDER or removed from it. If the update is not possible and the library exists, prints how to start programs
# that need the library, and how pkg-config and CMake find it. LDCONFIG: the command.
folder=$1
library=$folder/$2
PATH=$PATH:/usr/sbin:/sbin
ldconfig=${LDCONFIG:-ldconfig}

# On systems without a cache the linker searches the folders itself.
command -v "${ldconfig%% *}" >/dev/null || exit 0
$ldconfig 2>/dev/null
[ -e "$library" ] || exit 0
$ldconfig -p 2>/dev/null | grep -qF " => $library" && exit 0
if [ "$(id -u)" -eq 0 ]; then
    echo "note: programs cannot find $library yet: add $folder to /etc/ld.so.conf and run ldconfig,"
else
    echo "note: programs cannot find $library yet: as root, run ldconfig if $folder is in /etc/ld.so.conf,"
fi
echo "      or set LD_LIBRARY_PATH=$folder, or link with -Wl,-rpath,$folder"
echo "      to compile programs, set PKG_CONFIG_PATH=$folder/pkgconfig, or for CMake CMAKE_PREFIX_PATH=$(dirname "$folder")"

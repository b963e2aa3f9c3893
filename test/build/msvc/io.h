#pragma once
#include <stdint.h>
struct __finddata64_t {
    unsigned attrib;
    int64_t time_create;
    int64_t time_access;
    int64_t time_write;
    int64_t size;
    char name[260];
};
#define _A_SUBDIR 0x10
intptr_t _findfirst64(const char *pattern, struct __finddata64_t *entry);
int _findnext64(intptr_t search, struct __finddata64_t *entry);
int _findclose(intptr_t search);
int _isatty(int descriptor);
int _open(const char *path, int flags, ...);
int _close(int descriptor);
int _commit(int descriptor);
int _access(const char *path, int mode);
int _setmode(int descriptor, int mode);

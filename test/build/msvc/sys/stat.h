#pragma once
struct _stat64 {
    unsigned st_dev;
    unsigned short st_ino, st_mode;
    short st_nlink;
    short st_uid;
    short st_gid;
    unsigned st_rdev;
    long long st_size, st_atime, st_mtime, st_ctime;
};
int _stat64(const char *path, struct _stat64 *status);
#define _S_IFMT 0xF000
#define _S_IFDIR 0x4000
#define _S_IFREG 0x8000
#define _S_IREAD 0x0100
#define _S_IWRITE 0x0080

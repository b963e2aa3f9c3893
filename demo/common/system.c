#define _DEFAULT_SOURCE // st_mtim

#include "demo/common/system.h"

#include "demo/common/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef _WIN32

#include <direct.h>
#include <io.h>

bool common_read_status(const char *path, common_status *status)
{
    struct _stat64 found;
    if (_stat64(path, &found) != 0)
        return false;
    *status = (common_status){
        .is_file = (found.st_mode & _S_IFMT) == _S_IFREG,
        .is_folder = (found.st_mode & _S_IFMT) == _S_IFDIR,
        .size = (uint64_t)found.st_size,
        .time = (uint64_t)found.st_mtime,
    };
    return true;
}

bool common_is_link(const char *path)
{
    (void)path;
    return false;
}

bool common_is_terminal(int stream)
{
    return _isatty(stream) != 0;
}

static int make_folder(const char *path, unsigned mode)
{
    (void)mode;
    return _mkdir(path);
}

#else

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

bool common_read_status(const char *path, common_status *status)
{
    struct stat found;
    if (stat(path, &found) != 0)
        return false;
    *status = (common_status){
        .is_file = S_ISREG(found.st_mode),
        .is_folder = S_ISDIR(found.st_mode),
        .size = found.st_size > 0 ? (uint64_t)found.st_size : 0,
        .time = (uint64_t)found.st_mtime,
        .file = (uint64_t)found.st_ino,
        .device = (uint64_t)found.st_dev,
    };
#if !defined(__APPLE__)
    status->time = status->time * 1000000000u + (uint64_t)found.st_mtim.tv_nsec;
#endif
    return true;
}

bool common_is_link(const char *path)
{
    struct stat found;
    return lstat(path, &found) == 0 && S_ISLNK(found.st_mode);
}

static const char *message; // for a signal handler

static void leave(int number)
{
    (void)number;
    (void)!write(2, message, strlen(message));
    _exit(1);
}

bool common_is_terminal(int stream)
{
    return isatty(stream) == 1;
}

static int make_folder(const char *path, unsigned mode)
{
    return mkdir(path, mode);
}

#endif

void common_make_folders(const char *file, unsigned mode)
{
    char *const folder = common_copy(file);
    for (char *c = folder; *c != '\0'; c++)
        if (c > folder && *c == '/') {
            *c = '\0';
            (void)make_folder(folder, mode);
            *c = '/';
        }
    free(folder);
}

void common_limit_process(size_t bytes, unsigned seconds, const char *late)
{
#ifdef _WIN32
    (void)bytes, (void)seconds, (void)late;
#else
    struct rlimit memory, time;
    message = late;
    (void)signal(SIGXCPU, seconds > 0 ? leave : SIG_IGN);
    if (getrlimit(RLIMIT_AS, &memory) == 0 && getrlimit(RLIMIT_CPU, &time) == 0) {
        memory.rlim_cur = bytes < memory.rlim_max ? bytes : memory.rlim_max;
        time.rlim_cur = seconds > 0 && seconds < time.rlim_max ? seconds : time.rlim_max;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        (void)setrlimit(RLIMIT_AS, &memory); // sanitizers reserve more addresses than any limit
#endif
        (void)setrlimit(RLIMIT_CPU, &time);
    }
#endif
}

// NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
#define _GNU_SOURCE // O_TMPFILE

#include "demo/common/write.h"

#include "demo/common/memory.h"
#include "demo/common/system.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

// -- The system -----------------------------------------------------------------------------
//
// open_unnamed() opens a new file without a name in a folder, claim() one of a name that is not
// taken, or gives that name to the former. Both return -1 on failure.

#ifdef _WIN32

#define WIN32_LEAN_AND_MEAN
#include <io.h>
#include <process.h>
#include <windows.h>

#define access _access
#define close _close
#define fdopen _fdopen
#define fileno _fileno
#define fsync _commit
#define getpid _getpid
#define rename move // which replaces
enum { MAY_WRITE = 2 };

static size_t folder_length(const char *path)
{
    const char *const slash = strrchr(path, '/');
    const char *const other = strrchr(path, '\\');
    const char *const last = slash > other ? slash : other;
    return last ? (size_t)(last - path) + 1 : 0;
}

static char *behind_links(const char *path)
{
    return common_copy(path);
}

static int open_unnamed(const char *folder)
{
    (void)folder;
    return -1;
}

static int claim(const char *name, int unnamed)
{
    (void)unnamed;
    return _open(name, _O_CREAT | _O_EXCL | _O_WRONLY | _O_BINARY | _O_NOINHERIT,
                 _S_IREAD | _S_IWRITE);
}

static bool keep_permissions(int descriptor, const char *path)
{
    (void)descriptor, (void)path;
    return true;
}

static int move(const char *from, const char *to)
{
    errno = EACCES;
    return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) != 0 ? 0 : -1;
}

static int lock(const char *folder)
{
    (void)folder;
    return -1;
}

#else

#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

enum { MAY_WRITE = W_OK };

static size_t folder_length(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

// Returns the file that a link leads to, which need not exist; NULL if it leads in a circle, or if
// it is one of the system to what a process has open.
static char *behind_links(const char *path)
{
    enum { MOST = 40 };
    char target[4096];
    char *linked = common_copy(path);
    for (int i = 0; i < MOST; i++) {
        const ssize_t length = readlink(linked, target, sizeof target - 1);
        if (strncmp(linked, "/dev/fd/", 8) == 0
            || (length >= 0 && strncmp(linked, "/proc/", 6) == 0))
            break;
        if (length < 0)
            return linked;
        target[length] = '\0';
        const size_t length_kept = target[0] == '/' ? 0 : folder_length(linked);
        char *const next = common_format("%.*s%s", (int)length_kept, linked, target);
        free(linked);
        linked = next;
    }
    free(linked);
    return NULL;
}

static int open_unnamed(const char *folder)
{
#ifdef O_TMPFILE
    if (access("/proc/self/fd", X_OK) == 0) // claim() needs it
        return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
#endif
    (void)folder;
    return -1;
}

static int claim(const char *name, int unnamed)
{
    char link[32];
    if (unnamed < 0)
        return open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    COMMON_TEXT(link, "/proc/self/fd/%d", unnamed);
    return linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

// Gives a file the owner, if possible, and the permissions of another one.
static bool keep_permissions(int descriptor, const char *path)
{
    struct stat old;
    if (stat(path, &old) != 0)
        return true;
    if (fchown(descriptor, old.st_uid, old.st_gid) != 0)
        errno = 0; // another user's file becomes this user's
    return fchmod(descriptor, old.st_mode & 07777) == 0;
}

static int lock(const char *folder)
{
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0)
        flock(descriptor, LOCK_EX); // where folders cannot be locked, there is no lock
    return descriptor;
}

#endif

// -- Files ----------------------------------------------------------------------------------

// Names the new file: claims the first name that is not taken. Returns -1 on failure.
static int claim_name(common_writer *writer, int unnamed)
{
    enum { MOST = 100 };
    for (int i = 0; i < MOST; i++) {
        char *const name = common_format("%.*s.md5-%ld-%u", (int)folder_length(writer->path),
                                         writer->path, (long)getpid(), i);
        const int claimed = claim(name, unnamed);
        if (claimed >= 0) {
            writer->name = name;
            return claimed;
        }
        free(name);
        if (errno != EEXIST)
            break;
    }
    return -1;
}

static void forget(common_writer *writer)
{
    if (writer->lock >= 0)
        close(writer->lock);
    free(writer->name);
    free(writer->path);
    *writer = (common_writer){.lock = -1};
}

bool common_begin_file(common_writer *writer, const char *path, bool is_shared)
{
    common_status status;
    *writer = (common_writer){stdout, path ? behind_links(path) : NULL, NULL, -1};
#ifdef _WIN32
    if (!path)
        _setmode(_fileno(stdout), _O_BINARY);
#endif
    if (!path)
        return true;
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN); // to write beyond a limit fails instead
#endif
    const bool is_there = common_read_status(path, &status);
    if (!writer->path || (is_there && !status.is_file)) {
        forget(writer);
        writer->file = fopen(path, "wb");
    } else {
        // Opens a new file beside writer->path.
        char *const folder = common_format("%.*s.", (int)folder_length(writer->path), writer->path);
        int descriptor = -1;
        writer->lock = is_shared ? lock(folder) : -1;
        if (!is_there || access(writer->path, MAY_WRITE) == 0) {
            descriptor = open_unnamed(folder);
            if (descriptor < 0)
                descriptor = claim_name(writer, -1);
        }
        free(folder);
        writer->file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
        if (!writer->file)
            forget(writer);
    }
    return writer->file;
}

bool common_end_file(common_writer *writer, bool is_whole)
{
    FILE *const file = writer->file;
    if (file == stdout) // which programs check at their end
        return is_whole;
    bool is_good = ferror(file) == 0 && fflush(file) == 0 && is_whole;
    if (writer->path)
        is_good = is_good && keep_permissions(fileno(file), writer->path)
                  && fsync(fileno(file)) == 0
                  && (writer->name || claim_name(writer, fileno(file)) >= 0);
    int reason = errno;
    if (fclose(file) != 0 && is_good) {
        reason = errno;
        is_good = false;
    }
    if (is_good && writer->path && rename(writer->name, writer->path) != 0) {
        reason = errno;
        is_good = false;
    }
    if (!is_good && writer->name)
        remove(writer->name);
    forget(writer);
    errno = reason;
    return is_good;
}

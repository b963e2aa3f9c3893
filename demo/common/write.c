// Writes files atomically: writes a new file in the same folder, then renames it.
// NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
#define _GNU_SOURCE // O_TMPFILE

#include "demo/common/write.h"

#include "demo/common/memory.h"
#include "demo/common/system.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

// -- The system -----------------------------------------------------------------------------
// open_unnamed() creates a file without a name in a folder. claim() needs a name that does not
// exist yet. It creates a file with this name, or gives the name to an unnamed file. Both return -1
// on failure.

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
#define rename move // rename() of Windows does not replace files
enum { MAY_WRITE = 2 };

static size_t folder_length(const char *path)
{
    const char *const slash = strrchr(path, '/');
    const char *const backslash = strrchr(path, '\\');
    const char *const last = slash > backslash ? slash : backslash;
    return last ? (size_t)(last - path) + 1 : 0;
}

static char *resolve_links(const char *path)
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

static bool copy_permissions(int descriptor, const char *path)
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

void common_ignore_size_signal(void)
{
}

#else

#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

enum { MAY_WRITE = W_OK };

// Returns the length of the folder at the start of a path, with the last slash.
static size_t folder_length(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

// Returns the path to which a symbolic link leads. A relative target is relative to the folder of
// the link. The caller frees the path.
static char *join_target(const char *link, const char *target)
{
    const bool is_absolute = target[0] == '/';
    const int length = is_absolute ? 0 : (int)folder_length(link);
    return common_format("%.*s%s", length, link, target);
}

// Returns the path to which a chain of symbolic links leads. The file at its end need not exist.
// Returns NULL if links form a circle. Also returns NULL if the link is a file descriptor of a
// process in /dev/fd or /proc, because such a file cannot be replaced by another file.
static char *resolve_links(const char *path)
{
    enum { MAX_LINKS = 40 };
    char target[4096];
    char *linked = common_copy(path);
    for (int i = 0; i < MAX_LINKS; i++) {
        const ssize_t length = readlink(linked, target, sizeof target - 1);
        const bool is_link = length >= 0;
        const bool is_in_proc = is_link && strncmp(linked, "/proc/", 6) == 0;
        if (is_in_proc || strncmp(linked, "/dev/fd/", 8) == 0)
            break;
        if (!is_link)
            return linked;
        target[length] = '\0';
        char *const next = join_target(linked, target);
        free(linked);
        linked = next;
    }
    free(linked);
    return NULL;
}

// Creates a file without a name in a folder, and returns its descriptor. A file without a name
// disappears if the program ends before it is complete. Returns a negative number if the system
// does not support such files.
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

// Gives a file the permissions of another file. If the system allows it, also sets the same owner.
static bool copy_permissions(int descriptor, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return true;
    if (fchown(descriptor, status.st_uid, status.st_gid) != 0)
        errno = 0; // not an error: the file then belongs to this user
    return fchmod(descriptor, status.st_mode & 07777) == 0;
}

// Locks a folder, so that other processes that use this function wait. Returns the descriptor that
// holds the lock until it is closed, or -1.
static int lock(const char *folder)
{
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0)
        flock(descriptor, LOCK_EX); // some file systems cannot lock folders; no error is reported
    return descriptor;
}

void common_ignore_size_signal(void)
{
    signal(SIGXFSZ, SIG_IGN);
}

#endif

// -- Files ----------------------------------------------------------------------------------

// Gives the new file a name in its folder: the first ".md5-PROCESS-NUMBER" that does not exist yet.
// If `unnamed` is -1, creates a file with this name instead. Returns -1 on failure.
static int claim_name(common_writer *writer, int unnamed)
{
    enum { MAX_TRIES = 100 };
    for (int i = 0; i < MAX_TRIES; i++) {
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

// Releases the lock and all memory.
static void release(common_writer *writer)
{
    if (writer->lock >= 0)
        close(writer->lock);
    free(writer->name);
    free(writer->path);
    *writer = (common_writer){.lock = -1};
}

// Creates a new file in the folder of writer->path, which replaces the old file at the end.
// `exists` is true if there is an old file, which must then be writable. If `is_shared`, locks the
// folder, so that other processes wait. On failure, writer->file is NULL.
static void open_new_file(common_writer *writer, bool exists, bool is_shared)
{
    char *const folder = common_format("%.*s.", (int)folder_length(writer->path), writer->path);
    int descriptor = -1;
    writer->lock = is_shared ? lock(folder) : -1;

    // Prefer a file without a name, because it disappears by itself if the program is killed.
    if (!exists || access(writer->path, MAY_WRITE) == 0) {
        descriptor = open_unnamed(folder);
        if (descriptor < 0)
            descriptor = claim_name(writer, -1);
    }
    free(folder);
    writer->file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (!writer->file)
        release(writer);
}

// Opens standard output if `path` is NULL. Otherwise opens a new file that will replace the file at
// `path`. A device, a pipe or a file descriptor cannot be replaced, so it is opened directly.
bool common_begin_file(common_writer *writer, const char *path, bool is_shared)
{
    common_status status;
    *writer = (common_writer){.file = stdout, .lock = -1};
#ifdef _WIN32
    if (!path)
        _setmode(_fileno(stdout), _O_BINARY);
#endif
    if (!path)
        return true;

    common_ignore_size_signal();
    writer->path = resolve_links(path);
    const bool exists = common_read_status(path, &status);
    const bool is_not_file = exists && !status.is_file;
    if (!writer->path || is_not_file) {
        release(writer);
        writer->file = fopen(path, "wb");
    } else {
        open_new_file(writer, exists, is_shared);
    }
    return writer->file;
}

// Prepares the new file for renaming. Sets its permissions, writes its content to the disk, and
// gives it a name if it has none. Returns false and sets errno on failure.
static bool finish_new_file(common_writer *writer)
{
    const int descriptor = fileno(writer->file);
    if (!copy_permissions(descriptor, writer->path))
        return false;
    if (fsync(descriptor) != 0)
        return false;
    return writer->name || claim_name(writer, descriptor) >= 0;
}

// Finishes the new file and renames it to the old file, which is atomic. If a step fails, the new
// file is removed and the old file remains. errno is then the reason of the first failure.
bool common_end_file(common_writer *writer, bool is_complete)
{
    FILE *const file = writer->file;
    if (file == stdout) // programs check standard output at their end
        return is_complete;

    // Finish, close and rename. `reason` is the errno of the first step that fails.
    bool is_good = ferror(file) == 0 && fflush(file) == 0 && is_complete;
    if (is_good && writer->path)
        is_good = finish_new_file(writer);
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
    release(writer);
    errno = reason;
    return is_good;
}

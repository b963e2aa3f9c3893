// Functions of the operating system. One section is for Windows, one for POSIX, and one contains
// functions that both share.
#define _DEFAULT_SOURCE // st_mtim

#include "demo/common/system.h"

#include "demo/common/memory.h"

#include <errno.h>
#include <sys/stat.h>

#ifdef _WIN32

#define WIN32_LEAN_AND_MEAN
#include <direct.h>
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <windows.h>

// Windows does not return file numbers here, so `file` and `device` remain 0.
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

void common_set_text_output(void)
{
    _setmode(_fileno(stdout), _O_TEXT);
}

size_t common_address_space(void)
{
    return 0;
}

static int make_folder(const char *path, unsigned mode)
{
    (void)mode;
    return _mkdir(path);
}

// Reports that separate processes are not supported, because Windows has no function like
// fork().
char *common_run_in_child(bool (*work)(void *user, FILE *out), void *user, size_t bytes,
                          unsigned seconds, size_t *size, common_child_failure *failure)
{
    (void)work, (void)user, (void)bytes, (void)seconds, (void)size;
    failure->is_started = false;
    failure->reason = "separate processes are not supported on this system";
    return NULL;
}

void common_limit_process(size_t bytes, unsigned seconds, const char *message)
{
    (void)bytes, (void)seconds, (void)message;
}

long common_process_id(void)
{
    return _getpid();
}

// Returns true if a process with this id runs. Opens the process only to read its exit code.
bool common_process_runs(long id)
{
    const HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)id);
    if (process == NULL)
        return false;
    // A process continues to exist after its end until the last handle to it is closed.
    DWORD exit_code = 0;
    const bool runs = GetExitCodeProcess(process, &exit_code) != 0 && exit_code == STILL_ACTIVE;
    CloseHandle(process);
    return runs;
}

#else

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

long common_process_id(void)
{
    return (long)getpid();
}

bool common_process_runs(long id)
{
    return kill((pid_t)id, 0) == 0;
}

// The time has a resolution of nanoseconds. On macOS, the member has another name, so the time has
// seconds there.
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

bool common_is_terminal(int stream)
{
    return isatty(stream) == 1;
}

void common_set_text_output(void)
{
}

// Returns the size of the process's address space in bytes, or 0 if it cannot be read. The first
// number of /proc/self/statm is this size in pages.
size_t common_address_space(void)
{
    char line[128] = "";
    FILE *const file = fopen("/proc/self/statm", "r");
    if (file != NULL && fgets(line, sizeof line, file) == NULL)
        line[0] = '\0';
    if (file != NULL)
        fclose(file);
    const unsigned long pages = strtoul(line, NULL, 10); // first number of the file
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

static int make_folder(const char *path, unsigned mode)
{
    return mkdir(path, mode);
}

// Sanitizers make programs several times slower. They also reserve more addresses than any limit
// allows.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { HAS_SANITIZER = 1, SLOWDOWN = 4 };
#else
enum { HAS_SANITIZER = 0, SLOWDOWN = 1 };
#endif

static const char *timeout_message; // for the signal handler

static void exit_after_timeout(int signal_number)
{
    (void)signal_number;
    (void)!write(2, timeout_message, strlen(timeout_message));
    _exit(1);
}

// Sets the soft limits of memory and processor time. When the time is over, the system sends
// SIGXCPU. The handler of this signal prints the message and exits. Without a time limit, the
// signal is ignored.
void common_limit_process(size_t bytes, unsigned seconds, const char *message)
{
    struct rlimit memory;
    struct rlimit time;
    timeout_message = message;
    seconds *= SLOWDOWN;
    signal(SIGXCPU, seconds > 0 ? exit_after_timeout : SIG_IGN);
    if (getrlimit(RLIMIT_AS, &memory) != 0 || getrlimit(RLIMIT_CPU, &time) != 0)
        return;
    memory.rlim_cur = bytes < memory.rlim_max ? bytes : memory.rlim_max;
    time.rlim_cur = seconds > 0 && seconds < time.rlim_max ? seconds : time.rlim_max;
    if (!HAS_SANITIZER)
        setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CPU, &time);
}

// Limits this process, which is a child. It may use `bytes` in addition to the memory that it has
// inherited from its parent.
static void limit_child(size_t bytes, unsigned seconds)
{
    const size_t inherited = common_address_space();
    const size_t limit = bytes < SIZE_MAX - inherited ? bytes + inherited : SIZE_MAX;
    common_limit_process(limit, seconds, "");
}

// Reads a stream to its end, but stops after more than 2 GiB. Returns the number of bytes.
static size_t read_output(FILE *in, char **all)
{
    enum { BLOCK = 1 << 16 };
    size_t used = 0;
    size_t capacity = 0;
    while (used < INT32_MAX) {
        if (capacity - used < BLOCK) {
            capacity = 2 * capacity + BLOCK;
            *all = common_realloc(*all, capacity, 1);
        }
        const size_t count = fread(*all + used, 1, BLOCK, in);
        if (count == 0)
            break;
        used += count;
    }
    return used;
}

// Returns the reason why a child process has ended without output.
static const char *describe_end(int status)
{
    const bool is_stopped = WIFSIGNALED(status);
    if (is_stopped && WTERMSIG(status) == SIGXCPU)
        return "the process exceeded its limit of time";
    return is_stopped ? "the process crashed, or exceeded its limit of memory"
                      : "the process ended without a result";
}

// The main function of a child process. Calls `work` and exits. `out` is NULL if it could not be
// opened.
static _Noreturn void run_as_child(bool (*work)(void *user, FILE *out), void *user, FILE *out)
{
    signal(SIGXCPU, SIG_DFL); // ends the process, so that the parent recognizes the reason
    const bool is_done = out && work(user, out) && fflush(out) == 0;
    _exit(is_done ? 0 : 1); // does not flush the parent's files or call its exit handlers
}

// Reads from a pipe until the child process closes its end, then closes the pipe. Returns the
// number of bytes in *all, which the caller frees. A child that continues to write afterwards is
// ended by a signal.
static size_t read_pipe_of_child(int read_end, char **all)
{
    *all = NULL;
    FILE *const in = fdopen(read_end, "rb");
    if (!in) {
        close(read_end);
        return 0;
    }
    const size_t used = read_output(in, all);
    fclose(in);
    return used;
}

// Waits for the end of a child process and returns its status. If a signal interrupts waitpid(), it
// is called again.
static int wait_for_child(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

// Runs `work` in a child process and reads its output from a pipe. A crash or an exceeded limit
// then ends only the child.
char *common_run_in_child(bool (*work)(void *user, FILE *out), void *user, size_t bytes,
                          unsigned seconds, size_t *size, common_child_failure *failure)
{
    enum { READ_END, WRITE_END }; // indices of the ends of a pipe
    int ends[2];
    *failure = (common_child_failure){.reason = "cannot start a separate process"};
    if (pipe(ends) != 0)
        return NULL;

    const pid_t child = fork();
    if (child == 0) { // this process is the child
        close(ends[READ_END]);
        FILE *const out = fdopen(ends[WRITE_END], "wb");
        limit_child(bytes, seconds);
        run_as_child(work, user, out);
    }

    // This process is the parent, which reads the output.
    close(ends[WRITE_END]);
    if (child < 0) {
        close(ends[READ_END]);
        return NULL;
    }
    char *output = NULL;
    const size_t used = read_pipe_of_child(ends[READ_END], &output);
    const int status = wait_for_child(child);
    failure->is_started = true;
    failure->reason = used == 0 ? describe_end(status) : "the output is too large";
    if (used == 0 || used >= INT32_MAX) {
        free(output);
        return NULL;
    }
    *size = used;
    return output;
}

#endif

// Returns the system's folder for temporary files.
static const char *temporary_folder(void)
{
    const char *const folder = getenv("TMPDIR");
    if (folder)
        return folder;
    const char *const windows_folder = getenv("TEMP");
    return windows_folder ? windows_folder : "/tmp";
}

// Tries names with increasing numbers until one does not exist yet. If the folder cannot be created
// for another reason, returns NULL and sets errno.
char *common_create_temporary_folder(const char *name)
{
    const char *const folder = temporary_folder();
    errno = EEXIST;
    for (unsigned i = 0; errno == EEXIST; i++) {
        char *const path = common_format("%s/%s-%u", folder, name, i);
        if (make_folder(path, 0700) == 0)
            return path;
        const int problem = errno; // free() may change errno
        free(path);
        errno = problem;
    }
    return NULL;
}

// Creates all folders in the path of a file, beginning with the outermost. Errors are ignored:
// usually a folder exists already. If a folder could not be created, the caller cannot write the
// file and reports that.
void common_create_folders(const char *file, unsigned mode)
{
    char *const folder = common_copy(file);
    for (char *c = folder; *c != '\0'; c++) {
        if (c > folder && *c == '/') {
            *c = '\0';
            make_folder(folder, mode);
            *c = '/';
        }
    }
    free(folder);
}

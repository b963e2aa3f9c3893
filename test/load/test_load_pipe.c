// Pipes and what else is no regular file: refused at once, whether a program writes to them or not.
#define _GNU_SOURCE // mkdtemp(), mkfifo() and MAP_ANONYMOUS

#include "test/test.h"

// WebAssembly's system has no pipes by itself.
#if (defined(__unix__) || defined(__APPLE__)) && !defined(__EMSCRIPTEN__)

#include "md5/core/file.h"
#include "md5/md5model.h"
#include "md5/md5play.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void check_refused(const char *path)
{
    md5_error errors[4];
    CHECK(!md5_load_model(path, NULL, &errors[0]));
    CHECK(!md5_load_anim(path, NULL, &errors[1]));
    CHECK(!md5_load_camera(path, NULL, &errors[2]));
    CHECK(!md5_load_machine_file(path, NULL, &errors[3]));
    for (int i = 0; i < 4; i++) {
        CHECK_UINT(errors[i].status, MD5_ERROR_IO);
        CHECK_STRING(errors[i].file, path);
        CHECK_STRING(errors[i].message, "this is a pipe or a device: expected a file");
    }
}

TEST (load_refuses_pipes_without_waiting) {
    char folder[] = "/tmp/md5model_XXXXXX", path[64];
    int ends[2];
    if (!CHECK(mkdtemp(folder) != NULL))
        return;
    snprintf(path, sizeof path, "%s/pipe", folder);
    if (CHECK(mkfifo(path, 0600) == 0)) {
        check_refused(path);
        const int writer = open(path, O_RDWR | O_NONBLOCK); // which writes nothing
        if (CHECK(writer >= 0)) {
            check_refused(path);
            close(writer);
        }
        unlink(path);
    }
    rmdir(folder);
    if (access("/dev/fd/0", F_OK) != 0 || !CHECK(pipe(ends) == 0))
        return;
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    check_refused(path);
    close(ends[0]);
    close(ends[1]);
}

TEST (load_reports_what_cannot_be_read) {
    static const char unreadable[] = "/proc/self/mem"; // can be opened, but not read from byte 0
    md5_error error;
    if (access(unreadable, R_OK) == 0) {
        CHECK(md5_load_model(unreadable, NULL, &error) == NULL);
        CHECK_UINT(error.status, MD5_ERROR_IO);
        CHECK(strstr(error.message, "cannot read the file") != NULL);
    }
    md5_context context;
    md5_file_text text = {0};
    md5i_context_begin(&context, NULL, NULL, &error);
    CHECK(!md5i_read_file_text(&context, NULL, &text));
    CHECK_STRING(error.message, "no path is given");
}

// A file of the system whose size is 0 until it is read: one line for each piece of memory.
TEST (load_reads_files_of_unknown_size) {
    enum { PIECES = 4000 };
    static const char unknown[] = "/proc/self/maps";
    if (access(unknown, R_OK) != 0)
        return;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *const pieces =
        mmap(NULL, PIECES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!CHECK(pieces != MAP_FAILED))
        return;
    for (size_t i = 0; i < PIECES; i += 2)
        CHECK(mprotect(pieces + i * page, page, PROT_NONE) == 0);
    md5_error error;
    md5_context context;
    md5_file_text text = {0};
    md5i_context_begin(&context, NULL, NULL, &error);
    if (CHECK(md5i_read_file_text(&context, unknown, &text))) {
        uint32_t lines = 0;
        for (size_t i = 0; i < text.size; i++)
            lines += text.bytes[i] == '\n';
        CHECK(text.size > 1 << 17 && lines > PIECES && text.bytes[text.size - 1] == '\n');
        md5i_free_file_text(&context, &text);
    }
    munmap(pieces, PIECES * page);
}

#endif

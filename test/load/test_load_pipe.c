// Pipes and what else is no regular file: refused at once, whether a program writes to them or not.
#define _POSIX_C_SOURCE 200809L // mkdtemp() and mkfifo()

#include "test/test.h"

// WebAssembly's system has no pipes by itself.
#if (defined(__unix__) || defined(__APPLE__)) && !defined(__EMSCRIPTEN__)

#include "md5/file_text.h"
#include "md5/md5model.h"
#include "md5/md5machine.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    md5_context_begin(&context, NULL, NULL, &error);
    CHECK(!md5_read_file_text(&context, NULL, &text));
    CHECK_STRING(error.message, "no path is given");
}

#endif

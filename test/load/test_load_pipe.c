// Assets that come through a pipe.
#define _POSIX_C_SOURCE 200809L // mkdtemp() and mkfifo()

#include "test/test.h"

// WebAssembly's system has neither pipes nor threads by itself.
#if (defined(__unix__) || defined(__APPLE__)) && !defined(__EMSCRIPTEN__)

#include "md5/file_text.h"
#include "md5/md5model.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char small_file[] = "test/data/read/small.md5mesh";

// Writes a file into a pipe, slowly: the reader receives each part before the next.
typedef struct pipe_writer {
    int end;
    const char *text;
    size_t size, part;
} pipe_writer;

static void *write_slowly(void *argument)
{
    const pipe_writer *const writer = argument;
    for (size_t done = 0; done < writer->size;) {
        const size_t left = writer->size - done;
        const ssize_t written =
            write(writer->end, writer->text + done, left < writer->part ? left : writer->part);
        if (written <= 0)
            break;
        done += (size_t)written;
        sched_yield();
    }
    close(writer->end);
    return NULL;
}

static md5_model *load_through_pipe(const char *text, size_t size, size_t part, md5_error *error)
{
    char path[64];
    int ends[2];
    pthread_t thread;
    if (!CHECK(pipe(ends) == 0))
        return NULL;
    pipe_writer writer = {ends[1], text, size, part};
    if (!CHECK(pthread_create(&thread, NULL, write_slowly, &writer) == 0))
        return NULL;
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    md5_model *const model = md5_load_model(path, NULL, error);
    CHECK_STRING(error->file, path);
    pthread_join(thread, NULL);
    close(ends[0]);
    return model;
}

TEST (load_reads_pipes_to_their_end) {
    size_t size = 0;
    char *const text = test_read_file(test_path(small_file), &size);
    md5_model *const whole = md5_load_model(test_path(small_file), NULL, NULL);
    if (!CHECK(text && whole) || access("/dev/fd/0", F_OK) != 0)
        return;
    // More than a pipe holds, and more than the first block of memory.
    const size_t filled = 300000;
    char *const large = malloc(filled);
    if (!large)
        abort();
    memset(large, ' ', filled);
    memcpy(large + filled - size, text, size);
    md5_error error;
    const size_t parts[] = {1, 7, 4096};
    for (size_t i = 0; i < 3; i++) {
        md5_model *model = load_through_pipe(text, size, parts[i], &error);
        CHECK(model && model->size == whole->size);
        md5_free_model(model);
        model = load_through_pipe(large, filled, 1000 * parts[i], &error);
        CHECK(model && model->size == whole->size);
        md5_free_model(model);
    }
    CHECK(!load_through_pipe(text, size / 2, 100, &error));
    CHECK(error.status != MD5_OK && error.line > 0);
    CHECK(!load_through_pipe(text, 0, 100, &error) && error.status != MD5_OK);
    md5_free_model(whole);
    free(large);
    free(text);
}

TEST (load_does_not_wait_for_a_pipe_without_a_writer) {
    char folder[] = "/tmp/md5model_XXXXXX", path[64];
    md5_error error;
    if (!CHECK(mkdtemp(folder) != NULL))
        return;
    snprintf(path, sizeof path, "%s/pipe", folder);
    if (CHECK(mkfifo(path, 0600) == 0)) {
        CHECK(!md5_load_model(path, NULL, &error));
        CHECK_UINT(error.status, MD5_ERROR_IO);
        CHECK_STRING(error.file, path);
        CHECK_STRING(error.message, "cannot read from this pipe: no program writes to it");
        unlink(path);
    }
    rmdir(folder);
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

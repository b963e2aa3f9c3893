// Tests of md5/core/file.h. Public functions read a file and parse it, so that they cannot show
// that the text of a system file is complete.
#define _GNU_SOURCE // MAP_ANONYMOUS, mkstemp()
#include "test/test.h"
#include "test/scoped.h"

#include "md5/core/file.h"

// WebAssembly's system does not have these files.
#if (defined(__unix__) || defined(__APPLE__)) && !defined(__EMSCRIPTEN__)

#include <sys/mman.h>
#include <unistd.h>

// A file that another program extends while it is read. The reader allocates its first buffer after
// it has found the size of the file. The allocator then appends the rest of the text.
typedef struct growing_file {
    int descriptor;
    const char *appended;
    size_t num_appended;
    bool has_grown;
} growing_file;

// Fills new memory with bytes that the text does not contain, so that a missing byte is detected.
static void *alloc_and_extend(void *user, size_t size)
{
    growing_file *const file = user;
    if (!file->has_grown) {
        const ssize_t written = write(file->descriptor, file->appended, file->num_appended);
        CHECK(written == (ssize_t)file->num_appended);
        file->has_grown = true;
    }
    return memset(test_alloc(size), '#', size);
}

static void free_block(void *user, void *memory, size_t size)
{
    (void)user, (void)size;
    free(memory);
}

// Reads a file that grows from `initial_size` bytes to `size` bytes while it is read, and compares
// the result with the text that was written.
static void check_growing_file(size_t initial_size, size_t size)
{
    char path[] = "/tmp/md5_growing_XXXXXX";
    SCOPED_STRING expected = test_alloc(size);
    for (size_t i = 0; i < size; i++)
        expected[i] = (char)('a' + i % 26);
    growing_file file = {.descriptor = mkstemp(path),
                         .appended = expected + initial_size,
                         .num_appended = size - initial_size};
    REQUIRE(file.descriptor >= 0);
    CHECK(write(file.descriptor, expected, initial_size) == (ssize_t)initial_size);

    md5_error error = {0};
    md5_context context;
    md5_file_text text = {0};
    const md5_load_opts opts = {
        .allocator = {.alloc = alloc_and_extend, .free = free_block, .user = &file}};
    md5i_context_begin(&context, &opts, NULL, &error);
    CHECK_DONE(md5i_read_file_text(&context, path, &text), error);
    if (CHECK_UINT(text.size, size))
        CHECK_BYTES(text.bytes, expected, size);
    md5i_free_file_text(&context, &text);
    close(file.descriptor);
    unlink(path);
}

// If the size of a file is unknown, the first buffer has 65536 bytes. Otherwise it has the size of
// the file. The sizes of the texts are at the limits of the buffers: full, and one byte more.
TEST (files_that_grow_while_they_are_read_lose_no_byte) {
    static const struct {
        size_t initial_size;
        size_t size;
    } rows[] = {
        {1, 1},   {1, 2},   {1, 3},   {10, 11},     {10, 20},           {10, 21},
        {10, 40}, {10, 41}, {0, 100}, {0, 1 << 16}, {0, (1 << 16) + 1}, {0, (1 << 17) + 1},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_growing_file(rows[i].initial_size, rows[i].size);
}

// Reads a system file whose size is reported as 0. It has one line for each memory mapping of the
// process.
TEST (file_of_unknown_size_is_read_completely) {
    enum { PIECES = 4000 };
    static const char unknown[] = "/proc/self/maps";
    if (access(unknown, R_OK) != 0)
        return;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *const pieces =
        mmap(NULL, PIECES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pieces != MAP_FAILED);
    for (size_t i = 0; i < PIECES; i += 2)
        CHECK(mprotect(pieces + i * page, page, PROT_NONE) == 0);
    md5_error error = {0};
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

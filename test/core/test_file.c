// Tests of md5/core/file.h. Public functions read a file and parse it, so that they cannot show
// that the text of a system file is complete.
#define _GNU_SOURCE // MAP_ANONYMOUS
#include "test/test.h"

#include "md5/core/file.h"

// WebAssembly's system does not have these files.
#if (defined(__unix__) || defined(__APPLE__)) && !defined(__EMSCRIPTEN__)

#include <sys/mman.h>
#include <unistd.h>

// A system file whose size is 0 until it is read: one line for each memory mapping.
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

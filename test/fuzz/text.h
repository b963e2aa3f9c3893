// Checks for texts of any kind. A text must be read, or rejected with a message, within a memory
// limit, and all memory must be freed.
#ifndef FUZZ_TEXT_H
#define FUZZ_TEXT_H

#include "test/fuzz/memory.h"

typedef struct fuzz_text_kind {
    void *(*parse)(const void *text, size_t size, const md5_load_opts *opts, md5_error *error);
    uint32_t (*count_warnings)(const void *asset);
    const char *(*find_fault)(void *asset); // returns NULL, or a description of the fault
    void (*free)(void *asset);
    size_t bytes_per_byte; // bytes of memory per byte of text, in addition to FUZZ_FIXED_BYTES
} fuzz_text_kind;

typedef struct fuzz_piece {
    const fuzz_text_kind *kind;
    const void *text;
    size_t size;
} fuzz_piece;

static inline void *fuzz_parse_piece(const void *fixture, const md5_load_opts *opts,
                                     md5_error *error)
{
    const fuzz_piece *const piece = fixture;
    return piece->kind->parse(piece->text, piece->size, opts, error);
}

static inline const char *fuzz_text(const fuzz_text_kind *kind, const uint8_t *data, size_t size)
{
    const char *const text = (const char *)data;
    asset_heap heap = {0};
    asset_warnings warnings = {0};
    md5_load_opts opts = asset_opts(&heap, &warnings);
    md5_error error = {0};
    opts.allocator.limit = FUZZ_MEMORY_LIMIT;
    opts.max_warnings = 1 + (uint32_t)(size % 8);
    void *const asset = kind->parse(text, size, &opts, &error);
    const char *fault = asset_answer_fault(asset, asset ? kind->count_warnings(asset) : 0, &opts,
                                           &error, text, size);
    if (!fault && error.status == MD5_ERROR_MEMORY)
        fault = "a small text allocated too much memory";
    if (!fault && asset)
        fault = kind->find_fault(asset);
    kind->free(asset);
    if (!fault && heap.peak_bytes > FUZZ_FIXED_BYTES + kind->bytes_per_byte * size)
        fault = "memory exceeds 64 KB plus the limit per byte of the text";
    if (!fault)
        fault = asset_heap_fault(&heap);
    const fuzz_piece piece = {kind, data, size};
    const size_t choice = size > 0 ? size + data[size / 2] : 0;
    return fault ? fault : fuzz_memory(fuzz_parse_piece, kind->free, &piece, opts, choice);
}

#endif

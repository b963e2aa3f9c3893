// Files that are made to be slow or large to read: memory and time stay linear in their size.
//
// MD5_HOSTILE_MB=N makes each file N million bytes long and limits the nanoseconds per byte, which
// on a loaded machine takes several attempts: see test/long/hostile.sh. Otherwise files are small,
// and the limit is on how time grows with their size.
#include "test/test.h"
#include "test/load/test_asset.h"
#include "test/load/test_hostile_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Limits for reading n bytes. Time per byte: attempts are repeated until one is within the first
// limit, which a quiet machine reaches. The test fails only if every attempt took longer than
// `most_yardsticks` times the yardstick measured beside it: a slow machine, or one whose memory is
// busy, slows both. Memory: FIXED_BYTES + BYTES_PER_BYTE * n, the text included.
static const double wanted_nanoseconds = 10.0, most_yardsticks = 2.0;
enum { FIXED_BYTES = 64 << 10, BYTES_PER_BYTE = 16 };

enum { SMALL = 400 * 1000, GROWTH = 4, ATTEMPTS = 4 };

typedef struct outcome {
    double seconds;
    size_t peak_bytes;
    bool is_refused;
} outcome;

static size_t long_size(void)
{
    const char *const megabytes = getenv("MD5_HOSTILE_MB");
    return megabytes ? (size_t)strtoul(megabytes, NULL, 10) * 1000 * 1000 : 0;
}

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

// Seconds a byte of the work that a byte may cost by design: the C library converts a text of
// numbers, and BYTES_PER_BYTE bytes of new memory are touched for each byte of it.
static double yardstick_per_byte(void)
{
    enum { TEXT_BYTES = 4 << 20, MEMORY_BYTES = TEXT_BYTES * BYTES_PER_BYTE, CACHE_LINE = 64 };
    static const char number[] = "0.12345678 ";
    char *const text = malloc(TEXT_BYTES + 1);
    for (size_t i = 0; i < TEXT_BYTES; i++)
        text[i] = number[i % (sizeof number - 1)];
    text[TEXT_BYTES] = '\0';
    const double begin = processor_seconds();
    volatile unsigned char *const memory = malloc(MEMORY_BYTES);
    for (size_t i = 0; i < MEMORY_BYTES; i += CACHE_LINE)
        memory[i] = 1;
    double sum = 0.0;
    for (char *at = text, *end = text; at < text + TEXT_BYTES; at = end)
        sum += strtod(at, &end);
    const double seconds = processor_seconds() - begin;
    CHECK(sum > 0.0);
    free((void *)memory);
    free(text);
    return seconds / (double)TEXT_BYTES;
}

typedef enum file_kind { MODEL, ANIM, CAMERA } file_kind;

static void *parse(file_kind kind, const hostile_text *text, const md5_load_opts *opts,
                   md5_error *error)
{
    if (kind == MODEL)
        return md5_parse_model(text->bytes, text->size, opts, error);
    if (kind == ANIM)
        return md5_parse_anim(text->bytes, text->size, opts, error);
    return md5_parse_camera(text->bytes, text->size, opts, error);
}

static const char *asset_fault(file_kind kind, const void *asset)
{
    return kind == MODEL  ? asset_model_fault(asset)
           : kind == ANIM ? asset_anim_fault(asset)
                          : asset_camera_fault(asset);
}

static uint32_t num_warnings(file_kind kind, const void *asset)
{
    return kind == MODEL  ? ((const md5_model *)asset)->num_warnings
           : kind == ANIM ? ((const md5_anim *)asset)->num_warnings
                          : ((const md5_camera *)asset)->num_warnings;
}

static void free_asset(file_kind kind, void *asset)
{
    if (kind == MODEL)
        md5_free_model(asset);
    else if (kind == ANIM)
        md5_free_anim(asset);
    else
        md5_free_camera(asset);
}

static void check_fault(const char *name, const char *fault)
{
    test_check(!fault, __FILE__, __LINE__, "%s: %s", name, fault ? fault : "");
}

static outcome read_text(const char *name, file_kind kind, const hostile_text *text)
{
    asset_heap heap = {0};
    asset_warnings warnings = {0};
    md5_load_opts opts = asset_opts(&heap, &warnings);
    md5_error error;
    opts.memory_limit = SIZE_MAX;
    const double start = processor_seconds();
    void *const asset = parse(kind, text, &opts, &error);
    const outcome result = {processor_seconds() - start, heap.peak_bytes, !asset};
    check_fault(name, asset_answer_fault(asset, asset ? num_warnings(kind, asset) : 0, &opts,
                                         &error, text->bytes, text->size));
    if (asset) {
        check_fault(name, asset_fault(kind, asset));
        free_asset(kind, asset);
    } else if (getenv("MD5_HOSTILE_TELL")) {
        printf("    %u:%u: %s\n", error.line, error.column, error.message);
    }
    check_fault(name, asset_heap_fault(&heap));
    return result;
}

static outcome bind_texts(const hostile_text *mesh, const hostile_text *motion)
{
    asset_heap heap = {0};
    asset_warnings warnings = {0};
    const md5_load_opts opts = asset_opts(&heap, &warnings);
    md5_error error;
    const md5_load_opts unlimited = {.memory_limit = SIZE_MAX};
    md5_model *const model = md5_parse_model(mesh->bytes, mesh->size, &unlimited, NULL);
    md5_anim *const anim = md5_parse_anim(motion->bytes, motion->size, &unlimited, NULL);
    outcome result = {.is_refused = true};
    if (CHECK(model && anim)) {
        const double start = processor_seconds();
        md5_binding *const binding = md5_bind(model, anim, &opts, &error);
        result = (outcome){processor_seconds() - start, heap.peak_bytes, !binding};
        if (CHECK(binding))
            check_fault("binding", asset_binding_fault(binding));
        md5_free_binding(binding);
        check_fault("binding", asset_heap_fault(&heap));
    }
    md5_free_model(model);
    md5_free_anim(anim);
    return result;
}

// One kind of hostile input, made in any size.
typedef struct hostile_case {
    const char *name;
    hostile_make *make_mesh, *make_anim; // the one that is set is read; if both are, they are bound
    bool is_refused, is_camera;
} hostile_case;

// Makes the input, reads or binds it, and returns its size in bytes.
static size_t attempt(const hostile_case *tried, size_t size, outcome *result)
{
    hostile_text mesh = {0}, anim = {0};
    if (tried->make_mesh)
        tried->make_mesh(&mesh, size);
    if (tried->make_anim)
        tried->make_anim(&anim, size);
    if (tried->make_mesh && tried->make_anim)
        *result = bind_texts(&mesh, &anim);
    else
        *result = read_text(tried->name,
                            tried->is_camera   ? CAMERA
                            : tried->make_mesh ? MODEL
                                               : ANIM,
                            tried->make_mesh ? &mesh : &anim);
    free(mesh.bytes);
    free(anim.bytes);
    return mesh.size + anim.size;
}

static void check_memory(const hostile_case *tried, size_t size, const outcome *result)
{
    const bool is_text_kept = !(tried->make_mesh && tried->make_anim);
    const size_t most = FIXED_BYTES + BYTES_PER_BYTE * size - (is_text_kept ? size : 0);
    test_check(result->peak_bytes <= most, __FILE__, __LINE__,
               "%s: %zu bytes of memory for %zu bytes of text: %.1f each", tried->name,
               result->peak_bytes, size, (double)result->peak_bytes / (double)size);
}

static void check_long(const hostile_case *tried, size_t wanted)
{
    double nanoseconds = 0.0, yardsticks = 0.0;
    outcome result = {0};
    size_t size = 0;
    for (int i = 0; i < ATTEMPTS; i++) {
        const double yardstick = yardstick_per_byte();
        size = attempt(tried, wanted, &result);
        const double taken = result.seconds / (double)size;
        if (i == 0 || taken / yardstick < yardsticks)
            yardsticks = taken / yardstick;
        if (i == 0 || taken * 1e9 < nanoseconds)
            nanoseconds = taken * 1e9;
        if (nanoseconds <= wanted_nanoseconds)
            break;
    }
    printf("%6.2f ns %5.2f yardsticks %6.2f bytes a byte of %11zu: %s%s\n", nanoseconds, yardsticks,
           (double)result.peak_bytes / (double)size, size, tried->name,
           result.is_refused ? " (refused)" : "");
    check_memory(tried, size, &result);
    test_check(yardsticks <= most_yardsticks, __FILE__, __LINE__,
               "%s: %.1f ns a byte, %.1f yardsticks", tried->name, nanoseconds, yardsticks);
}

// `slack` covers the resolution of the clock and costs that do not depend on the size.
static void check_growth(const hostile_case *tried)
{
    const double slack = 0.03;
    outcome small = {0}, large = {0};
    size_t size = 0;
    bool is_linear = false;
    for (int i = 0; i < ATTEMPTS && !is_linear; i++) {
        attempt(tried, SMALL, &small);
        size = attempt(tried, GROWTH * SMALL, &large);
        is_linear = large.seconds <= 2 * GROWTH * small.seconds + slack;
    }
    check_memory(tried, size, &large);
    test_check(is_linear, __FILE__, __LINE__, "%s: %.0f ms, but %.0f ms for %d times the size",
               tried->name, small.seconds * 1e3, large.seconds * 1e3, GROWTH);
    test_check(large.is_refused == tried->is_refused, __FILE__, __LINE__, "%s: %s", tried->name,
               large.is_refused ? "refused" : "not refused");
}

static void check_case(const hostile_case *tried)
{
    const size_t size = long_size();
    if (size > 0)
        check_long(tried, size);
    else
        check_growth(tried);
}

static void check_models(const hostile_file *files)
{
    for (const hostile_file *file = files; file->name; file++) {
        const hostile_case tried = {file->name, file->make, NULL, file->is_refused, false};
        check_case(&tried);
    }
}

TEST (hostile_models_are_read_in_linear_time_and_memory) {
    check_models(hostile_models);
}

TEST (hostile_tokens_are_read_in_linear_time_and_memory) {
    check_models(hostile_tokens);
}

TEST (hostile_anims_are_read_in_linear_time_and_memory) {
    for (const hostile_file *file = hostile_anims; file->name; file++) {
        const hostile_case tried = {file->name, NULL, file->make, file->is_refused, false};
        check_case(&tried);
    }
}

TEST (hostile_cameras_are_read_in_linear_time_and_memory) {
    for (const hostile_file *file = hostile_cameras; file->name; file++) {
        const hostile_case tried = {file->name, NULL, file->make, file->is_refused, true};
        check_case(&tried);
    }
}

TEST (hostile_names_are_bound_in_linear_time_and_memory) {
    for (const hostile_pair *pair = hostile_pairs; pair->name; pair++) {
        const hostile_case tried = {pair->name, pair->make_mesh, pair->make_anim, false, false};
        check_case(&tried);
    }
}

// Tests of md5/core: messages, warnings, memory limits, the arena and the memory block, and the
// mathematics of core/math.h.
#include "test/real.h"
#include "test/scoped.h"

#include "md5/core/arena.h"
#include "md5/core/cpu.h"
#include "md5/core/math.h"

TEST (context_keeps_the_first_failure) {
    md5_context context;
    md5_error error = {.status = MD5_WARNING, .message = "kept"};
    md5i_context_begin(&context, NULL, "a.md5mesh", &error);
    CHECK(error.status == MD5_WARNING && !error.file[0] && !strcmp(error.message, "kept"));
    CHECK(!md5i_fail(&context, MD5_ERROR_RANGE, 3, 7, "joint %u", 9u));
    CHECK_FAILS(md5i_fail(&context, MD5_ERROR_IO, 1, 1, "later"), error, MD5_ERROR_RANGE);
    CHECK_STRING(error.file, "a.md5mesh");
    CHECK_UINT(error.line, 3);
    CHECK_UINT(error.column, 7);
    CHECK_STRING(error.message, "joint 9");
}

// A caller may pass NULL for the options and the error. The status is set and warnings are counted
// in this case, too.
TEST (context_works_without_options_and_error) {
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, NULL);
    md5i_fail(&context, MD5_ERROR_IO, 0, 0, "gone");
    CHECK_UINT(context.error.status, MD5_ERROR_IO);
    md5i_warn(&context, 1, 1, "nobody listens");
    CHECK_UINT(context.num_warnings, 1);
}

TEST (error_text_omits_unknown_parts) {
    char text[128];
    md5_error error = {.status = MD5_ERROR_SYNTAX, .line = 4, .column = 11, .file = "x/y.md5mesh"};
    strcpy(error.message, "expected a number");
    md5_format_error(&error, text, sizeof text);
    CHECK_STRING(text, "x/y.md5mesh:4:11: error: expected a number");
    error.status = MD5_WARNING;
    error.file[0] = '\0';
    md5_format_error(&error, text, sizeof text);
    CHECK_STRING(text, "4:11: warning: expected a number");
    error.line = 0;
    md5_format_error(&error, text, sizeof text);
    CHECK_STRING(text, "warning: expected a number");
    CHECK_UINT(md5_format_error(&error, text, 5), strlen("warning: expected a number"));
    CHECK_STRING(text, "warn");
}

// A terminal obeys control characters, which the name of a file can contain.
TEST (error_text_escapes_control_characters) {
    char text[128];
    md5_error error = {.status = MD5_WARNING, .file = "a\x1b[2J.md5mesh"};
    strcpy(error.message, "bell \a");
    md5_format_error(&error, text, sizeof text);
    CHECK_STRING(text, "a\\x1b[2J.md5mesh: warning: bell \\x07");
}

TEST (error_keeps_the_end_of_a_long_file_name) {
    char path[600];
    memset(path, 'd', sizeof path);
    strcpy(path + sizeof path - 12, "end.md5mesh");
    md5_context context;
    md5_error error = {0};
    md5i_context_begin(&context, NULL, path, &error);
    md5i_fail(&context, MD5_ERROR_IO, 0, 0, "gone");
    CHECK_UINT(strlen(error.file), sizeof error.file - 1);
    CHECK_STRING(error.file + strlen(error.file) - 11, "end.md5mesh");
}

typedef struct warnings {
    unsigned count;
    md5_error last;
} warnings;

static void count_warning(void *user, const md5_error *warning)
{
    warnings *received = user;
    received->count++;
    received->last = *warning;
}

TEST (warnings_are_limited_and_the_last_reports_the_limit) {
    warnings received = {0};
    const md5_load_opts opts = {.warn = count_warning, .warn_user = &received, .max_warnings = 3};
    md5_context context;
    md5_error error = {0};
    md5i_context_begin(&context, &opts, "f", &error);
    for (uint32_t i = 0; i < 10; i++)
        md5i_warn(&context, i + 1, 2, "odd");
    CHECK_UINT(received.count, 3);
    CHECK_UINT(context.num_warnings, 10);
    CHECK_UINT(received.last.line, 3);
    CHECK_UINT(received.last.status, MD5_WARNING);
    CHECK_STRING(received.last.file, "f");
    CHECK_STRING(received.last.message, "odd (further warnings suppressed)");
    CHECK_UINT(error.status, MD5_OK);
}

TEST (quoting_escapes_bytes_that_are_not_printable_utf8) {
    CHECK_STRING(md5i_quote("abc", 3).text, "'abc'");
    CHECK_STRING(md5i_quote("", 0).text, "''");
    CHECK_STRING(md5i_quote("a\n\x1b[", 4).text, "'a\\x0a\\x1b['");
    CHECK_STRING(md5i_quote("\xc3\xa9", 2).text, "'\xc3\xa9'");                 // e acute
    CHECK_STRING(md5i_quote("\xf0\x9f\x98\x80", 4).text, "'\xf0\x9f\x98\x80'"); // above 16 bits
    CHECK_STRING(md5i_quote("\xe9", 1).text, "'\\xe9'");                        // Latin-1
    CHECK_STRING(md5i_quote("\xc3", 1).text, "'\\xc3'");                        // cut short
    CHECK_STRING(md5i_quote("\xc0\x80", 2).text, "'\\xc0\\x80'");               // overlong
    CHECK_STRING(md5i_quote("\xed\xa0\x80", 3).text, "'\\xed\\xa0\\x80'");      // surrogate
    CHECK_STRING(md5i_quote("\xc2\x9b", 2).text, "'\\xc2\\x9b'");               // C1 control
    CHECK_STRING(md5i_quote("\xf4\x90\x80\x80", 4).text, "'\\xf4\\x90\\x80\\x80'");
    CHECK_STRING(md5i_quote("\xe2\x28\xa1", 3).text, "'\\xe2(\\xa1'");
    CHECK_STRING(md5i_quote("\xe0\x80\x80", 3).text, "'\\xe0\\x80\\x80'");
    CHECK_STRING(md5i_quote("\xf0\x80\x80\x80", 4).text, "'\\xf0\\x80\\x80\\x80'");
    CHECK_STRING(md5i_quote("\xf5\x80\x80\x80", 4).text, "'\\xf5\\x80\\x80\\x80'");
    CHECK_STRING(md5i_quote("~\x7f", 2).text, "'~\\x7f'"); // the last ASCII control character
    // Accepted characters whose neighbors are rejected: the first after the C1 control characters,
    // the first of three bytes, the last before the surrogates, the first of four bytes, and the
    // last of all.
    STRINGS(edges) = {"\xc2\xa0", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xf0\x90\x80\x80",
                      "\xf4\x8f\xbf\xbf"};
    for (size_t i = 0; i < COUNT_OF(edges); i++) {
        char expected[8];
        snprintf(expected, sizeof expected, "'%s'", edges[i]);
        CHECK_STRING(md5i_quote(edges[i], strlen(edges[i])).text, expected);
    }
}

TEST (quoting_truncates_long_text) {
    char bytes[4096];
    memset(bytes, 'x', sizeof bytes);
    const md5_quoted plain = md5i_quote(bytes, sizeof bytes);
    CHECK(strlen(plain.text) < sizeof plain.text);
    CHECK_STRING(plain.text + strlen(plain.text) - 4, "...'");
    memset(bytes, 1, sizeof bytes);
    const md5_quoted escaped = md5i_quote(bytes, sizeof bytes);
    CHECK_STRING(escaped.text + strlen(escaped.text) - 8, "\\x01...'");
}

TEST (memory_limit_is_kept_and_reported) {
    test_heap heap = {0};
    const md5_load_opts opts = heap_opts(&heap, 1000);
    md5_context context;
    md5_error error = {0};
    md5i_context_begin(&context, &opts, NULL, &error);
    void *const first = md5i_alloc(&context, 600);
    CHECK(first);
    CHECK_REFUSED(md5i_alloc(&context, 401), error, MD5_ERROR_MEMORY,
                  "memory limit exceeded: 401 bytes requested, 600 of 1000 bytes in use; increase "
                  "md5_allocator.limit");
    void *const second = md5i_alloc(&context, 400);
    CHECK(second);
    md5i_free(&context, first, 600);
    md5i_free(&context, second, 400);
    md5i_free(&context, NULL, 0);
    CHECK_UINT(context.memory_held, 0);
    CHECK_UINT(heap.live, 0);
    CHECK_UINT(heap.live_bytes, 0);
}

TEST (arena_returns_zeroed_aligned_memory_and_frees_all) {
    test_heap heap = {0};
    const md5_load_opts opts = heap_opts(&heap, 0);
    md5_context context;
    md5i_context_begin(&context, &opts, NULL, NULL);
    md5_arena arena = {.context = &context};
    for (uint32_t i = 0; i < 300; i++) {
        unsigned char *const memory = md5i_arena_alloc_zeroed(&arena, i, 37);
        if (!CHECK(memory))
            break;
        CHECK_UINT((uintptr_t)memory % (sizeof(void *) < 8 ? 8 : 16), 0); // aligned as by malloc()
        for (uint32_t k = 0; k < i * 37; k++)
            CHECK(memory[k] == 0);
        memset(memory, 0xAA, i * 37);
    }
    CHECK(heap.num_allocs < 20); // chunks grow
    md5i_arena_free(&arena);
    CHECK_UINT(heap.live, 0);
    CHECK_UINT(context.memory_held, 0);
}

TEST (arena_rejects_sizes_that_overflow) {
    md5_error error = {0};
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, &error);
    md5_arena arena = {.context = &context};
    const volatile size_t max_size = SIZE_MAX; // compilers would warn of a constant this large
    CHECK_FAILS(md5i_arena_alloc_zeroed(&arena, max_size / 8, 16), error, MD5_ERROR_MEMORY);
    CHECK(md5i_arena_alloc_zeroed(&arena, max_size - 64, 1) == NULL);
    CHECK(md5i_arena_alloc_zeroed(&arena, max_size, 1) == NULL);
    md5i_arena_free(&arena);
}

// A block without memory only adds up the sizes, rounded up to 16 bytes each. The same calls with
// memory then return addresses inside it. A sum that overflows remains SIZE_MAX, so that the
// allocation of the block fails.
TEST (block_is_measured_before_it_is_allocated) {
    md5_block measure = {0};
    CHECK(md5i_block_alloc(&measure, 3, 5) == NULL);
    CHECK(md5i_block_alloc(&measure, 1, 16) == NULL);
    CHECK_UINT(measure.used, 32);
    unsigned char memory[32];
    md5_block placed = {.base = memory};
    CHECK(md5i_block_alloc(&placed, 3, 5) == memory);
    CHECK(md5i_block_alloc(&placed, 1, 16) == memory + 16);
    CHECK(md5i_block_alloc(&measure, SIZE_MAX / 2, 3) == NULL);
    CHECK_UINT(measure.used, SIZE_MAX);
    CHECK(md5i_block_alloc(&measure, 1, 1) == NULL);
    CHECK_UINT(measure.used, SIZE_MAX);
}

TEST (math_rebuilds_w_and_shortens_long_rotations) {
    CHECK_NEAR(md5_quat_from_xyz(0.5f, 0.5f, 0.5f).w, -0.5, 1e-7);
    CHECK(!md5_quat_is_overlong(1, 0.001f, 0));
    CHECK(md5_quat_is_overlong(1, 0.1f, 0));
    const md5_quat shortened = md5_quat_from_xyz(3, 0, 4);
    CHECK_NEAR(shortened.x, 3.0 / 7.0, 1e-6);
    CHECK_NEAR(shortened.z, 4.0 / 7.0, 1e-6);
    CHECK_NEAR(shortened.w, -sqrt(24.0) / 7.0, 1e-6);
}

// Compares md5_quat_from_xyz() with the rule of md5_quat in double precision, for x y z along (2 3
// 6) / 7 of any length.
static void check_rebuilt(double length)
{
    const float x = (float)(length * 2.0 / 7.0);
    const float y = (float)(length * 3.0 / 7.0);
    const float z = (float)(length * 6.0 / 7.0);
    const md5_quat q = md5_quat_from_xyz(x, y, z);
    const double square = (double)x * x + (double)y * y + (double)z * z;
    const double w = -sqrt(fabs(1 - square));
    const double scale = square > 1 ? sqrt(2 * square - 1) : 1;
    // Near w = 0 the rounding error of the square costs half of the digits of w.
    const double off = fabs(q.w - w / scale);
    const double near = fabs(w) > 1e-3 ? 3e-4 : 1e-3;
    CHECK_THAT(off <= near, "length %.9g: w is off by %.3g", length, off);
    CHECK_NEAR(q.x, x / scale, 1e-6 * fabs(x / scale) + 1e-9);
    const double unit =
        (double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w;
    CHECK_NEAR(unit, 1, 1e-6);
}

// The rule is continuous: a length slightly above 1 gives nearly the same rotation as a length
// slightly below 1.
TEST (math_rebuilds_w_by_one_rule_for_every_length) {
    for (double above = 1e-9; above < 1e19; above *= 1.1) {
        check_rebuilt(1 + above);
        check_rebuilt(1.0 / (1 + above));
    }
    check_rebuilt(1);
    const md5_quat widest = md5_quat_from_xyz(1.8e19f, 0, 0);
    CHECK_NEAR(widest.x, sqrt(0.5), 1e-6);
    CHECK_NEAR(widest.w, -sqrt(0.5), 1e-6);
}

// A rotation by 90 degrees about z maps x to y; after it, a translation along x.
TEST (math_composes_in_textbook_order) {
    const float half = 0.70710678f;
    const md5_xform rotation = {.rotation = {0, 0, half, half}, .translation = {1, 2, 3}};
    const md5_xform step = {.rotation = {0, 0, 0, 1}, .translation = {10, 0, 0}};
    const md5_vec3 rotated_step = md5_xform_mul(rotation, step).translation;
    CHECK_NEAR(rotated_step.x, 1, 1e-5);
    CHECK_NEAR(rotated_step.y, 12, 1e-5);
    const md5_mat34 product =
        md5_mat34_mul(md5_mat34_from_xform(rotation), md5_mat34_from_xform(step));
    const md5_vec3 same = md5_mat34_point(product, (md5_vec3){0, 0, 0});
    CHECK_VEC3(same, 1, 12, 3, 1e-5);
    const md5_xform none = md5_xform_mul(rotation, md5_xform_inverse(rotation));
    CHECK_SMALL((double)none.translation.x + none.translation.y, 1e-6);
    CHECK_NEAR(none.rotation.w, 1, 1e-6);
    const md5_mat34 matrix = md5_mat34_from_xform(rotation);
    const md5_mat34 identity = md5_mat34_mul(matrix, md5_mat34_inverse(matrix));
    for (int i = 0; i < 12; i++)
        CHECK_NEAR(identity.m[i], i % 5 == 0 ? 1 : 0, 1e-6);
}

TEST (math_bounds_enclose_their_points) {
    const md5_bounds empty = md5_bounds_from_points(NULL, 0);
    CHECK(empty.min.x > empty.max.x);
    const md5_vec3 points[] = {{1, -2, 3}, {-1, 5, 0}};
    const md5_bounds bounds_of_two = md5_bounds_from_points(points, 2);
    CHECK(bounds_of_two.min.x == -1 && bounds_of_two.min.y == -2 && bounds_of_two.min.z == 0);
    CHECK(bounds_of_two.max.x == 1 && bounds_of_two.max.y == 5 && bounds_of_two.max.z == 3);
    const md5_bounds same = md5_bounds_union(bounds_of_two, empty);
    CHECK(same.min.x == bounds_of_two.min.x && same.max.z == bounds_of_two.max.z);
}

TEST (cpu_best_set_is_supported_by_the_processor) {
    static const md5_cpu common[] = {MD5_CPU_SCALAR, MD5_CPU_SSE2, MD5_CPU_AVX2, MD5_CPU_NEON};
    const md5_cpu best = md5i_cpu_best(MD5_CPU_AVX2);
    const md5_cpu widest = md5i_cpu_has(MD5_CPU_AVX512) ? MD5_CPU_AVX512 : best;
    CHECK(md5i_cpu_best(MD5_CPU_AVX512) == widest);
    for (size_t i = 0; i < COUNT_OF(common); i++)
        CHECK(best >= common[i] || !md5i_cpu_has(common[i]));
    CHECK(md5i_cpu_has(best));
    CHECK(md5i_cpu_has(MD5_CPU_SCALAR));
    CHECK(!md5i_cpu_has(MD5_CPU_COUNT));
    // An instruction set that belongs to the architecture needs no check at run time.
    CHECK(md5i_cpu_has(MD5_CPU_SSE2) == MD5_HAS_SSE2);
    CHECK(md5i_cpu_has(MD5_CPU_NEON) == MD5_HAS_NEON);
    CHECK(!md5i_cpu_has(MD5_CPU_AVX2) || MD5_HAS_AVX2);
}

TEST (math_bounds_leave_out_nan) {
    const md5_vec3 points[] = {{NAN, 1, 2}, {3, NAN, 4}, {5, 6, NAN}};
    const md5_bounds bounds = md5_bounds_from_points(points, 3);
    CHECK(bounds.min.x == 3 && bounds.min.y == 1 && bounds.min.z == 2);
    CHECK(bounds.max.x == 5 && bounds.max.y == 6 && bounds.max.z == 4);
    const md5_bounds none = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    const md5_bounds merged = md5_bounds_union(none, bounds);
    CHECK(merged.min.x == 3 && merged.max.z == 4);
}

// -- Arena ----------------------------------------------------------------------------------------

// Temporary memory of one call is reserved in one chunk, and released up to a mark.

typedef struct arena_case {
    test_heap heap;
    md5_context context;
    md5_arena arena;
} arena_case;

static void begin(arena_case *fixture, size_t memory_limit)
{
    fixture->heap = (test_heap){0};
    const md5_load_opts opts = {
        .allocator = {test_heap_alloc, test_heap_free, &fixture->heap, memory_limit},
    };
    md5i_context_begin(&fixture->context, &opts, NULL, NULL);
    fixture->arena = (md5_arena){.context = &fixture->context};
}

static void end(arena_case *fixture)
{
    md5i_arena_free(&fixture->arena);
    CHECK_UINT(fixture->heap.live, 0);
    CHECK_UINT(fixture->context.memory_held, 0);
}

#define TEST_HERE(title, ...) \
    TEST_WITH (title, arena_case, fixture, begin(fixture, __VA_ARGS__), end(fixture))

TEST_HERE (arena_allocates_reserved_memory_from_one_block, 0) {
    CHECK(md5i_arena_reserve(&fixture->arena, 3 * 48000));
    const size_t held = fixture->heap.live_bytes;
    CHECK(held >= 3 * 48000 && held < 3 * 48000 + 100);
    for (int i = 0; i < 3; i++)
        CHECK(md5i_arena_alloc_raw(&fixture->arena, 1000, 48));
    CHECK_UINT(fixture->heap.num_allocs, 1);
    CHECK(md5i_arena_alloc_raw(&fixture->arena, 1000, 48));
    CHECK_UINT(fixture->heap.num_allocs, 2);
}

TEST_HERE (arena_reserves_nothing_past_the_memory_limit, 10000) {
    CHECK(md5i_arena_reserve(&fixture->arena, 10000));
    CHECK(md5i_arena_reserve(&fixture->arena, 10001));
    CHECK(md5i_arena_reserve(&fixture->arena, SIZE_MAX));
    CHECK_UINT(fixture->heap.num_allocs, 0);
    CHECK_UINT(fixture->context.error.status, MD5_OK);
    CHECK(md5i_arena_reserve(&fixture->arena, 9900));
    CHECK_UINT(fixture->heap.num_allocs, 1);
}

TEST_HERE (arena_reserving_fails_without_memory, 0) {
    fixture->heap.fail_at = 1;
    CHECK_FAILS(md5i_arena_reserve(&fixture->arena, 100), fixture->context.error, MD5_ERROR_MEMORY);
    CHECK(!fixture->arena.chunks);
}

// An arena over memory of the caller takes only the allocations that do not fit there from the
// heap.
TEST_HERE (arena_can_begin_in_memory_of_the_caller, 0) {
    char *const memory = md5i_arena_alloc_raw(&fixture->arena, 256, 1);
    md5_arena over = md5i_arena_in_memory(&fixture->context, memory, 256);
    const md5_arena_mark begin = md5i_arena_position(&over);
    char *const inside = md5i_arena_alloc_raw(&over, 200, 1);
    CHECK(inside > memory && inside + 200 <= memory + 256);
    CHECK(md5i_arena_alloc_raw(&over, 100, 1) && md5i_arena_size(&over) < 256 + 200);
    CHECK_UINT(fixture->heap.live, 2);
    md5i_arena_rewind(&over, begin);
    CHECK_UINT(fixture->heap.live, 1);
}

TEST_HERE (arena_rewinds_to_a_mark, 0) {
    const md5_arena_mark start = md5i_arena_position(&fixture->arena);
    char *const kept = md5i_arena_alloc_zeroed(&fixture->arena, 100, 1);
    memset(kept, 'k', 100);
    const md5_arena_mark mark = md5i_arena_position(&fixture->arena);
    const char *const first = md5i_arena_alloc_raw(&fixture->arena, 100, 1);
    for (int i = 0; i < 10; i++)
        CHECK(md5i_arena_alloc_raw(&fixture->arena, 20000, 1));
    CHECK(fixture->heap.live > 2);
    md5i_arena_rewind(&fixture->arena, mark);
    CHECK_UINT(fixture->heap.live, 1);
    CHECK(md5i_arena_alloc_raw(&fixture->arena, 100, 1) == first); // at the same address
    CHECK(kept[0] == 'k' && kept[99] == 'k');
    md5i_arena_rewind(&fixture->arena, start);
    CHECK_UINT(fixture->heap.live, 0);
}

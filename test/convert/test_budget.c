// Limits of elements, memory and notes of a file that is converted.
#include "test/test.h"

#include "demo/convert/budget.h"

typedef struct budget_case {
    convert_budget budget;
    convert_job job;
    md5_error error;
    char notes[40][1200];
    size_t num_notes;
} budget_case;

static void keep_note(void *user, const char *text)
{
    budget_case *const test = user;
    if (test->num_notes < COUNT_OF(test->notes))
        snprintf(test->notes[test->num_notes], sizeof test->notes[0], "%s", text);
    test->num_notes++;
}

static void begin(budget_case *test, uint64_t size)
{
    *test = (budget_case){.num_notes = 0};
    convert_begin_budget(&test->budget, size);
    test->job = (convert_job){.note = keep_note, .user = test, .budget = &test->budget};
}

static void end(budget_case *test)
{
    convert_end_budget(&test->budget, &test->job);
}

#define TEST_HERE(title) TEST_WITH (title, budget_case, test, begin(test, 1000), end(test))

// 2^25 elements and 80 for each byte; 2^28 bytes and 256 for each, but 2^32 and 16 from the size on
// at which that is less.
TEST (budgets_are_a_constant_and_a_multiple_of_the_size) {
    CHECK_UINT(convert_max_elements(0), 33554432);
    CHECK_UINT(convert_max_elements(1000), 33554432 + 80000);
    CHECK_UINT(convert_max_elements(UINT64_MAX), UINT64_MAX);
    CHECK_UINT(convert_max_bytes(0), 268435456);
    CHECK_UINT(convert_max_bytes(1000), 268435456 + 256000);
    const uint64_t equal = (4294967296 - 268435456) / 240; // the size at which both are equal
    CHECK_UINT(convert_max_bytes(equal), 268435456 + 256 * equal);
    CHECK_UINT(convert_max_bytes(equal + 1), 4294967296 + 16 * (equal + 1));
    CHECK_UINT(convert_max_bytes(UINT64_MAX), UINT64_MAX);
}

TEST_HERE (elements_are_charged_up_to_the_limit) {
    const uint64_t limit = convert_max_elements(1000);
    CHECK_UINT(convert_elements_left(&test->job), limit);
    CHECK(convert_charge(&test->job, 1, &test->error));
    CHECK_UINT(convert_elements_left(&test->job), limit - 1);
    CHECK(!convert_charge(&test->job, limit, &test->error));
    CHECK_STRING(test->error.message, "the file requests too much processing for its size of 1000 "
                                      "bytes (limit: 33634432 elements); use a lower --rate, or "
                                      "divide the file");
    CHECK_UINT(convert_elements_left(&test->job), limit - 1); // a refused charge changes nothing
    CHECK(!convert_can_charge(&test->job, UINT64_MAX));
    CHECK(convert_charge(&test->job, limit - 1, &test->error));
    CHECK_UINT(convert_elements_left(&test->job), 0);
    CHECK(convert_can_charge(&test->job, 0));
    CHECK(!convert_can_charge(&test->job, 1));
}

TEST_HERE (bytes_are_charged_up_to_the_limit) {
    const uint64_t limit = convert_max_bytes(1000);
    CHECK(convert_charge_bytes(&test->job, 2, limit / 2 - 1, &test->error));
    CHECK(!convert_charge_bytes(&test->job, 3, 1, &test->error));
    CHECK(test->error.status == MD5_ERROR_MEMORY);
    CHECK_STRING(test->error.message, "the file requests too much memory for its size of 1000 "
                                      "bytes (limit: 268691456 bytes); use "
                                      "a lower --rate, or divide the file");
    CHECK(convert_charge_bytes(&test->job, 2, 1, &test->error));
    CHECK(!convert_can_charge_bytes(&test->job, 1, 1));
    CHECK(convert_can_charge_bytes(&test->job, UINT64_MAX, 0));
    CHECK_UINT(convert_elements_left(&test->job), convert_max_elements(1000)); // counted apart
}

// 2^32 times 2^32 is 0 in 64 bits.
TEST_HERE (a_product_of_bytes_cannot_overflow) {
    CHECK(!convert_can_charge_bytes(&test->job, UINT64_C(1) << 32, UINT64_C(1) << 32));
    CHECK(!convert_can_charge_bytes(&test->job, UINT64_MAX / 2 + 1, 2));
}

TEST_HERE (files_that_the_input_names_raise_the_limits) {
    const uint64_t limit = convert_max_elements(3000);
    convert_extend_budget(&test->budget, 2000);
    CHECK(!convert_can_charge(&test->job, limit + 1));
    CHECK(convert_can_charge(&test->job, limit));
    convert_extend_budget(NULL, 2000);
}

TEST_HERE (without_a_budget_nothing_is_limited) {
    const convert_job job = {.budget = NULL};
    CHECK(convert_charge(&job, UINT64_MAX, &test->error));
    CHECK(convert_charge(&job, UINT64_MAX, &test->error));
    CHECK(convert_charge_bytes(&job, UINT64_MAX, UINT64_MAX, &test->error));
    CHECK_UINT(convert_elements_left(&job), UINT64_MAX);
}

// -- Notes ----------------------------------------------------------------------------------------

TEST_HERE (equal_notes_are_one_with_a_count) {
    for (int i = 0; i < 3; i++) {
        convert_note(&test->job, "no picture for %s", "a");
        convert_note(&test->job, "no picture for %s", i == 1 ? "c" : "b");
        convert_note(&test->job, "flags %d", 7);
    }
    convert_note(&test->job, "last");
    CHECK_UINT(test->num_notes, 0); // notes are stored when the file has been read
    end(test);
    REQUIRE(test->num_notes == 5);
    CHECK_STRING(test->notes[0], "no picture for a (3 times)");
    CHECK_STRING(test->notes[1], "no picture for b (2 times)");
    CHECK_STRING(test->notes[2], "flags 7 (3 times)");
    CHECK_STRING(test->notes[3], "no picture for c");
    CHECK_STRING(test->notes[4], "last");
}

// A note of another kind is not counted.
TEST_HERE (sixteen_notes_of_a_kind_are_kept) {
    for (int i = 0; i < CONVERT_MAX_NOTES; i++)
        convert_note(&test->job, "name %d", (int)i);
    convert_note(&test->job, "other %d", 1);
    end(test);
    REQUIRE(test->num_notes == 17);
    CHECK_STRING(test->notes[15], "name 15");
    CHECK_STRING(test->notes[16], "other 1");
}

TEST_HERE (further_notes_of_a_kind_are_counted) {
    for (int i = 0; i < CONVERT_MAX_NOTES + 5; i++)
        convert_note(&test->job, "name %d", (int)i);
    convert_note(&test->job, "name %d", 15); // was stored before
    convert_note(&test->job, "other %d", 1);
    end(test);
    REQUIRE(test->num_notes == 17);
    CHECK_STRING(test->notes[0], "name 0");
    CHECK_STRING(test->notes[15], "name 15 (2 times); 5 similar notes are not shown");
    CHECK_STRING(test->notes[16], "other 1");
}

// The count is also added to a truncated text. Bytes that control a terminal are escaped.
TEST_HERE (long_and_binary_notes_are_written_safely) {
    char text[2000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    for (int i = 0; i < 2; i++) {
        convert_note(&test->job, "%s", text);
        convert_note(&test->job, "a\x1b[2J%s", "");
    }
    end(test);
    REQUIRE(test->num_notes == 2);
    CHECK_UINT(strlen(test->notes[0]), 960 + strlen(" (2 times)"));
    CHECK_STRING(test->notes[0] + 960, " (2 times)");
    CHECK_STRING(test->notes[1], "a\\x1b[2J (2 times)");
}

TEST (notes_without_a_budget_are_passed_on) {
    budget_case test;
    begin(&test, 1);
    test.job.budget = NULL;
    convert_note(&test.job, "a %d", 1);
    convert_note(&test.job, "a %d", 1);
    CHECK_UINT(test.num_notes, 2);
    CHECK_STRING(test.notes[1], "a 1");
}

// A job without a notes callback collects no notes.
TEST_HERE (a_job_without_notes_has_none) {
    test->job.note = NULL;
    convert_note(&test->job, "a");
    CHECK_UINT(test->budget.num_notes, 0);
}

// -- Scenes ---------------------------------------------------------------------------------------

static const char *add_part(convert_scene *scene, convert_part_kind kind, const char *name)
{
    convert_add_part(scene, kind, name, NULL, NULL, 0);
    return scene->parts[scene->num_parts - 1].name;
}

TEST (names_of_parts_are_unique_in_their_kind) {
    convert_scene scene = {.name = NULL};
    CHECK_STRING(add_part(&scene, CONVERT_CLIP, "walk"), "walk");
    CHECK_STRING(add_part(&scene, CONVERT_CAMERA, "walk"), "walk");
    CHECK_STRING(add_part(&scene, CONVERT_CLIP, "walk_3"), "walk_3");
    CHECK_STRING(add_part(&scene, CONVERT_CLIP, "WALK"), "WALK_2"); // one file on some systems
    CHECK_STRING(add_part(&scene, CONVERT_CLIP, "walk"), "walk_4"); // walk_3 is taken
    CHECK_STRING(add_part(&scene, CONVERT_CLIP, "walk"), "walk_5");
    CHECK_STRING(add_part(&scene, CONVERT_CLIP, "walk_2"), "walk_2_2");
    convert_free_scene(&scene);
}

// Retargeting replaces the parts of a scene by others of the same names.
TEST (names_of_parts_that_were_removed_are_free_again) {
    convert_scene scene = {.name = NULL};
    add_part(&scene, CONVERT_CLIP, "walk");
    add_part(&scene, CONVERT_CLIP, "run");
    for (size_t i = 0; i < scene.num_parts; i++)
        convert_free_part(&scene.parts[i]);
    scene.num_parts = 0;
    CHECK_STRING(add_part(&scene, CONVERT_CLIP, "run"), "run");
    CHECK_STRING(add_part(&scene, CONVERT_CLIP, "walk"), "walk");
    convert_free_scene(&scene);
}

// Sets of texts, and the hash of demo/common.
#include "test/test.h"

#include "demo/common/text_index.h"

static size_t add(common_text_index *index, const char *text)
{
    return common_index_text(index, text, strlen(text));
}

TEST (texts_are_numbered_in_the_order_of_addition) {
    common_text_index index = {0};
    CHECK(!common_has_text(&index, "a"));
    CHECK_UINT(add(&index, "a"), 0);
    CHECK_UINT(add(&index, ""), 1);
    CHECK_UINT(add(&index, "ab"), 2);
    CHECK_UINT(add(&index, "a"), 0);
    CHECK_UINT(add(&index, ""), 1);
    CHECK_UINT(index.count, 3);
    CHECK_STRING(index.texts[2], "ab");
    CHECK(common_has_text(&index, "ab") && common_has_text(&index, ""));
    CHECK(!common_has_text(&index, "abc") && !common_has_text(&index, "b"));
    common_free_text_index(&index);
    CHECK(!common_has_text(&index, "a"));
}

TEST (parts_of_a_text_are_texts) {
    common_text_index index = {0};
    const char *const text = "walking";
    CHECK_UINT(common_index_text(&index, text, 4), 0);
    CHECK_UINT(common_index_text(&index, text, 7), 1);
    CHECK_UINT(common_index_text(&index, text, 4), 0);
    CHECK_STRING(index.texts[0], "walk");
    CHECK(common_has_text(&index, "walk") && !common_has_text(&index, "walki"));
    common_free_text_index(&index);
}

TEST (a_text_ends_before_a_nul) {
    common_text_index index = {0};
    CHECK_UINT(add(&index, "ab"), 0);
    CHECK_UINT(common_index_text(&index, "ab\0cd", 5), 0);
    CHECK_UINT(common_index_text(&index, "abc\0d", 5), 1);
    CHECK_UINT(add(&index, "abc"), 1);
    CHECK_UINT(index.count, 2);
    common_free_text_index(&index);
}

// The table grows when half of it is used: at 8, 16, 32 ... texts.
TEST (numbers_of_many_texts_do_not_change) {
    common_text_index index = {0};
    char text[16];
    bool is_right = true;
    for (uint32_t i = 0; i < 5000; i++) {
        snprintf(text, sizeof text, "%u", i);
        is_right &= !common_has_text(&index, text) && add(&index, text) == i;
        is_right &= 2 * index.count <= index.num_slots + 1;
    }
    for (uint32_t i = 0; i < 5000; i++) {
        snprintf(text, sizeof text, "%u", i);
        is_right &= common_has_text(&index, text) && add(&index, text) == i;
    }
    CHECK(is_right);
    CHECK_UINT(index.count, 5000);
    common_free_text_index(&index);
}

// The 64-bit FNV-1a hashes that its authors published as test vectors (draft-eastlake-fnv). The
// names of files contain such hashes, so they must not change between releases.
TEST (hash_is_fnv_1a) {
    CHECK(common_hash(COMMON_HASH_START, "", 0) == UINT64_C(0xcbf29ce484222325));
    CHECK(common_hash(COMMON_HASH_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    CHECK(common_hash(COMMON_HASH_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
    const uint64_t first = common_hash(COMMON_HASH_START, "foo", 3);
    CHECK(common_hash(first, "bar", 3) == UINT64_C(0x85944171f73967e8));
}

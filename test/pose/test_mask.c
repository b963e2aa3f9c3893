// Masks from channel words, against the expected weight of each joint.
#include "test/test.h"

#include "md5/md5play.h"

#include <stdio.h>
#include <string.h>

enum { NUM_JOINTS = 9 };

// origin - waist - chest - neck - head
//                        - arm - hand
//        - leg - foot          ; `hand` comes before `arm`, its parent
static const md5_joint joints[NUM_JOINTS] = {
    {"origin", -1}, {"waist", 0}, {"chest", 1}, {"neck", 2}, {"Head", 3},
    {"hand", 6},    {"arm", 2},   {"leg", 0},   {"foot", 7},
};
static const uint32_t order[NUM_JOINTS] = {0, 1, 2, 3, 4, 6, 5, 7, 8};
static const md5_skeleton skeleton = {.num_joints = NUM_JOINTS, .joints = joints, .order = order};

// Compares with one digit for each joint: the weight times `whole`.
static void check_mask(const char *words, uint32_t feather, const char *digits, int whole)
{
    float weights[NUM_JOINTS];
    md5_error error;
    CHECK(md5_build_mask(&skeleton, words, feather, weights, &error));
    CHECK_STRING(error.message, "");
    for (int i = 0; i < NUM_JOINTS; i++) {
        const float expected = (float)(digits[i] - '0') / (float)whole;
        if (!CHECK(weights[i] == expected))
            printf("mask '%s': joint %s has %g\n", words, joints[i].name, (double)weights[i]);
    }
}

TEST (mask_adds_and_takes_away_from_left_to_right) {
    check_mask("", 0, "000000000", 1);
    check_mask("chest", 0, "001000000", 1);
    check_mask("*waist", 0, "011111100", 1);
    check_mask("*waist -*neck", 0, "011001100", 1);
    check_mask(" *waist\t-*neck\n-arm\r\n*leg ", 0, "011001011", 1);
    check_mask("-*waist *origin", 0, "111111111", 1);
    check_mask("*origin -*origin", 0, "000000000", 1);
    check_mask("*arm -hand foot", 0, "000000101", 1);
    check_mask("-chest", 3, "000000000", 1);
}

TEST (mask_feathers_down_from_the_top_of_each_word) {
    check_mask("*waist", 1, "012222200", 2);
    check_mask("*waist", 2, "012333300", 3);
    check_mask("*waist", 3, "012344300", 4);
    check_mask("*origin", 4, "123455423", 5);
    check_mask("*leg chest", 2, "001000012", 3);
    // Larger weights are kept; removed joints start again.
    check_mask("*waist *chest arm", 2, "012333300", 3);
    check_mask("*waist -*chest *chest", 2, "011233200", 3);
}

TEST (mask_joints_are_found_in_any_case_if_no_other_has_the_name) {
    check_mask("head", 0, "000010000", 1);
    check_mask("HEAD", 0, "000010000", 1);
    check_mask("Head", 0, "000010000", 1);
    static const md5_joint twins[3] = {{"HAND", -1}, {"hand", -1}, {"Hand", -1}};
    static const uint32_t one_by_one[3] = {0, 1, 2};
    const md5_skeleton three = {.num_joints = 3, .joints = twins, .order = one_by_one};
    float weights[3];
    CHECK(md5_build_mask(&three, "hand", 0, weights, NULL));
    CHECK(weights[0] == 0.0f && weights[1] == 1.0f && weights[2] == 0.0f);
    CHECK(md5_build_mask(&three, "hAND", 0, weights, NULL));
    CHECK(weights[0] == 1.0f && weights[1] == 0.0f && weights[2] == 0.0f);
}

// Joints whose names contain characters with a meaning in masks.
static const md5_joint odd_joints[NUM_JOINTS] = {
    {"origin", -1},   {"Bip01 L Hand", 0}, {"-*hand", 1},  {"it's", 1},         {"a \"b\" c", 3},
    {"C:\\dir\\", 4}, {"*Bip01 R", 0},     {"Bip01 R", 6}, {"l\xc3\xa4uft", 0},
};
static const uint32_t odd_order[NUM_JOINTS] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
static const md5_skeleton odd = {
    .num_joints = NUM_JOINTS, .joints = odd_joints, .order = odd_order};

static void check_odd(const char *words, const char *digits)
{
    float weights[NUM_JOINTS];
    md5_error error;
    if (!CHECK(md5_build_mask(&odd, words, 0, weights, &error)))
        printf("%s: %s\n", words, error.message);
    for (int i = 0; i < NUM_JOINTS; i++) {
        if (!CHECK(weights[i] == (float)(digits[i] - '0')))
            printf("mask %s: joint %s has %g\n", words, odd_joints[i].name, (double)weights[i]);
    }
}

TEST (mask_takes_names_in_quotes) {
    check_odd("\"Bip01 L Hand\"", "010000000");
    check_odd("'Bip01 L Hand'", "010000000");
    check_odd("*\"Bip01 L Hand\"", "011111000");
    check_odd("\"*Bip01 L Hand\"", "011111000");
    check_odd("*origin -\"Bip01 L Hand\"", "101111111");
    check_odd("*origin -*'Bip01 L Hand' ", "100000111");
    check_odd("*origin \"-*bip01 l hand\" origin", "100000111");
    check_odd("\"it's\"\tit's", "000100000");
    check_odd("*'a \"b\" c'", "000011000");
    check_odd("'C:\\dir\\' C:\\dir\\", "000001000");
    check_odd("\"l\xc3\xa4uft\" l\xc3\xa4uft", "000000001");
}

// In quotes an existing name has precedence over signs.
TEST (mask_takes_signs_in_quotes_for_an_existing_name) {
    check_odd("\"-*hand\"", "001000000");
    check_odd("*origin -\"-*hand\"", "110111111");
    check_odd("\"*Bip01 R\"", "000000100");
    check_odd("*\"*Bip01 R\"", "000000110");
    check_odd("*\"Bip01 R\"", "000000010");
}

static void check_failure(const char *words, uint32_t column, const char *message)
{
    float weights[NUM_JOINTS];
    md5_error error;
    CHECK(!md5_build_mask(&skeleton, words, 0, weights, &error));
    CHECK_UINT(error.status, MD5_ERROR_SYNTAX);
    CHECK_UINT(error.line, 1);
    CHECK_UINT(error.column, column);
    CHECK_STRING(error.message, message);
}

TEST (mask_reports_what_is_wrong_and_where) {
    check_failure("*waist -*tail", 10, "there is no joint 'tail'");
    check_failure("wais", 1, "there is no joint 'wais'");
    check_failure("waists", 1, "there is no joint 'waists'");
    check_failure("waist - chest", 7, "'-' must be followed by a joint");
    check_failure("waist -*", 8, "'*' must be followed by a joint");
    check_failure("*", 1, "'*' must be followed by a joint");
    check_failure("*-waist", 2, "there is no joint '-waist'");
    check_failure("--waist", 2, "there is no joint '-waist'");
    check_failure("waist \"*tail\"", 7, "there is no joint '*tail'");
    check_failure("waist *\"ta il\"", 8, "there is no joint 'ta il'");
    check_failure("\"-*\"", 1, "there is no joint '-*'");
    check_failure("waist \"\"", 7, "a joint has no name");
    check_failure("waist -''", 7, "'-' must be followed by a joint");
    check_failure("waist \"chest", 7, "this name has no end on its line: a quote is missing");
    check_failure("waist -'chest\nneck'", 8,
                  "this name has no end on its line: a quote is missing");
    check_failure("\"waist\"\"chest\"", 8, "expected white space after 'waist'");
    check_failure("*\"waist\"x", 9, "expected white space after 'waist'");
}

TEST (mask_counts_lines) {
    static const char *const texts[] = {"waist\n\n *tail", "waist\r\n\r\n *tail",
                                        "\r\rwaist\r *tail"};
    static const uint32_t lines[] = {3, 3, 4};
    for (int i = 0; i < 3; i++) {
        float weights[NUM_JOINTS];
        md5_error error;
        CHECK(!md5_build_mask(&skeleton, texts[i], 0, weights, &error));
        CHECK_UINT(error.line, lines[i]);
        CHECK_UINT(error.column, 3);
    }
}

// The longest feather, and a chain longer than it.
TEST (mask_feathers_along_any_depth) {
    enum { LONG = 5000 };
    static md5_joint chain[LONG];
    static uint32_t places[LONG];
    static float weights[LONG];
    for (uint32_t i = 0; i < LONG; i++) {
        chain[i] = (md5_joint){i == 0 ? "top" : "below", (int32_t)i - 1};
        places[i] = i;
    }
    const md5_skeleton deep = {.num_joints = LONG, .joints = chain, .order = places};
    CHECK(md5_build_mask(&deep, "*top", UINT32_MAX, weights, NULL));
    for (uint32_t i = 0; i < LONG; i++)
        CHECK(weights[i] == (i < 2047 ? (float)(i + 1) / 2048.0f : 1.0f));
}

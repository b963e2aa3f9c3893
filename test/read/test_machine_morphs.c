// What drives morph targets in a machine file: its words, and where wrong ones are reported.
#include "test/test.h"

#include "md5/md5play.h"

#include <string.h>

TEST (machine_file_says_what_drives_morph_targets) {
    static const char text[] = "machine m {\n"
                               "morph smile parameter joy\n"
                               "morph \"wide eyes\" state body \"high up\" { weight 0.5 }\n"
                               "morph blink clip idle ( 40 0  42 1.5  44 -1 ) { weight 0 }\n"
                               "}";
    md5_machine_file *const file = md5_parse_machine_file(text, sizeof text - 1, NULL, NULL);
    if (!CHECK(file) || !CHECK(file->desc.num_morphs == 3))
        return;
    const md5_morph_desc *const rows = file->desc.morphs;
    CHECK_UINT(file->num_warnings, 0);
    CHECK_STRING(rows[0].target, "smile");
    CHECK(rows[0].drive == MD5_MORPH_BY_PARAMETER && rows[0].weight == 0.0f);
    CHECK_STRING(rows[0].parameter, "joy");
    CHECK_STRING(rows[1].target, "wide eyes");
    CHECK(rows[1].drive == MD5_MORPH_BY_STATE && rows[1].weight == 0.5f);
    CHECK_STRING(rows[1].layer, "body");
    CHECK_STRING(rows[1].state, "high up");
    CHECK(rows[2].drive == MD5_MORPH_BY_CLIP && rows[2].weight == MD5_ZERO);
    CHECK_STRING(rows[2].clip, "idle");
    CHECK_UINT(rows[2].num_keys, 3);
    CHECK(rows[2].keys[1].frame == 42 && rows[2].keys[1].weight == 1.5f);
    CHECK(rows[2].keys[2].frame == 44 && rows[2].keys[2].weight == -1.0f);
    md5_free_machine_file(file);
}

TEST (machine_file_refuses_odd_morphs_at_their_places) {
    static const struct {
        const char *text;
        uint32_t column;
    } odd[] = {
        {"machine m { morph }", 19},
        {"machine m { morph a }", 21},
        {"machine m { morph a joy }", 21},
        {"machine m { morph a parameter }", 31},
        {"machine m { morph a state body }", 32},
        {"machine m { morph a clip idle 0 1 }", 31},
        {"machine m { morph a clip idle ( 0 ) }", 35},
        {"machine m { morph a clip idle ( -1 0 ) }", 33},
        {"machine m { morph a clip idle ( 0 1", 36},
        {"machine m { morph a parameter p { loud 1 } }", 35},
        {"machine m { morph", 18},
    };
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        md5_error error;
        CHECK(!md5_parse_machine_file(odd[i].text, strlen(odd[i].text), NULL, &error));
        CHECK_UINT(error.line, 1);
        CHECK_UINT(error.column, odd[i].column);
    }
}

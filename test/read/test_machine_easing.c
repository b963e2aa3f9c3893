// Easings in machine files: of weights, of parameters that follow, of transitions.
#include "test/read/read_case.h"
#include "test/test.h"

#include "md5/md5play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static md5_machine_file *parse(const char *text)
{
    md5_error error = {0};
    md5_machine_file *const file = md5_parse_machine_file(text, strlen(text), NULL, &error);
    if (!CHECK(file)) {
        printf("%s\n", error.message);
        abort();
    }
    return file;
}

TEST (machine_file_eases_weights) {
    md5_machine_file *const file =
        parse("machine m { motion s stack { item a\n"
              "item b { weight joy smooth add }\n"
              "item c { add weight \"smooth\" cubic_bezier 0.25 0.1 0.3 -1 mask k }\n"
              "item d { weight joy } item e { weight joy steps 4 jump_none } }\n"
              "layer l { weight joy steps 3 state s nothing }\n"
              "layer n { state s nothing weight joy back_out } }");
    CHECK_UINT(file->num_warnings, 0);
    const md5_motion_item *const items = file->desc.motions[0].items;
    CHECK(items[0].weight_easing.kind == MD5_EASE_LINEAR
          && items[3].weight_easing.kind == MD5_EASE_LINEAR);
    CHECK_UINT(items[1].weight_easing.kind, MD5_EASE_SMOOTH);
    CHECK(items[1].mode == MD5_LAYER_ADD);
    CHECK_STRING(items[2].weight_parameter, "smooth");
    const md5_easing *const bezier = &items[2].weight_easing;
    CHECK_UINT(bezier->kind, MD5_EASE_CUBIC_BEZIER);
    CHECK(bezier->x1 == 0.25f && bezier->y1 == 0.1f && bezier->x2 == 0.3f && bezier->y2 == -1.0f);
    CHECK_STRING(items[2].mask, "k");
    CHECK_UINT(items[4].weight_easing.steps, 4);
    CHECK_UINT(items[4].weight_easing.jump, MD5_JUMP_NONE);
    const md5_layer_desc *const layers = file->desc.layers;
    CHECK_UINT(layers[0].weight_easing.kind, MD5_EASE_STEPS);
    CHECK_UINT(layers[0].weight_easing.steps, 3);
    CHECK_UINT(layers[0].num_states, 1);
    CHECK_UINT(layers[1].weight_easing.kind, MD5_EASE_BACK_OUT);
    md5_free_machine_file(file);
}

// The last weight counts, without the easing of an earlier one.
TEST (machine_file_eases_only_the_weight_that_is_used) {
    md5_machine_file *const file = parse("machine m { layer l { weight joy smooth weight 0.5 }\n"
                                         "layer n { weight joy smooth weight joy } }");
    CHECK_UINT(file->num_warnings, 2);
    for (int i = 0; i < 2; i++)
        CHECK(file->desc.layers[i].weight_easing.kind == MD5_EASE_LINEAR);
    md5_free_machine_file(file);
}

TEST (machine_file_lets_parameters_follow_by_curves) {
    md5_machine_file *const file = parse("machine m { float a float b float c\n"
                                         "follow a ease 0.5 cubic_bezier 0 -0.5 1 1.5\n"
                                         "follow b ease 2 steps 5 jump_both\n"
                                         "follow c ease 1 elastic_out }");
    const md5_follow_desc *const rows = file->desc.follows;
    CHECK_UINT(rows[0].easing.kind, MD5_EASE_CUBIC_BEZIER);
    CHECK(rows[0].easing.y1 == -0.5f && rows[0].easing.y2 == 1.5f && rows[0].duration == 0.5f);
    CHECK_UINT(rows[1].easing.steps, 5);
    CHECK_UINT(rows[1].easing.jump, MD5_JUMP_BOTH);
    CHECK(rows[2].easing.steps == 0);
    CHECK_UINT(rows[2].easing.kind, MD5_EASE_ELASTIC_OUT);
    md5_free_machine_file(file);
}

// A transition has more than 32 keywords: none is mistaken for another one.
TEST (machine_file_warns_of_no_easing_beside_another_keyword) {
    static const char *const words[] = {
        "when a",        "exit 0.5",         "duration 1",    "cross",
        "inertial",      "keep_phase",       "start 1",       "priority 1",
        "interrupt_any", "interrupt_higher", "interrupt_none"};
    for (int i = 0; i < MD5_EASE_CUBIC_BEZIER; i++) {
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
            char text[160];
            snprintf(text, sizeof text, "machine m { layer l { transition any s { %s %s } } }",
                     words[k], md5_easing_name((md5_ease_kind)i));
            md5_machine_file *const file = parse(text);
            if (!CHECK_UINT(file->num_warnings, 0))
                printf("%s\n", text);
            md5_free_machine_file(file);
        }
    }
}

static bool load(const char *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    md5_machine_file *const file = md5_parse_machine_file(text, size, opts, error);
    md5_free_machine_file(file);
    return file != NULL;
}

TEST (machine_file_eases_by_curves_and_steps) {
    static const char text[] = "machine m { layer l { state s nothing state t nothing\n"
                               "transition s t { duration 1 cubic_bezier 0.25 0.1 0.3 -1 }\n"
                               "transition t s { steps 4 jump_none }\n"
                               "transition any s { steps 3 } } }";
    md5_machine_file *const file = md5_parse_machine_file(text, sizeof text - 1, NULL, NULL);
    if (!CHECK(file))
        return;
    const md5_transition_desc *const rows = file->desc.layers[0].transitions;
    CHECK_UINT(rows[0].easing.kind, MD5_EASE_CUBIC_BEZIER);
    CHECK(rows[0].easing.x1 == 0.25f && rows[0].easing.y1 == 0.1f);
    CHECK(rows[0].easing.x2 == 0.3f && rows[0].easing.y2 == -1.0f);
    CHECK_UINT(rows[1].easing.kind, MD5_EASE_STEPS);
    CHECK_UINT(rows[1].easing.steps, 4);
    CHECK_UINT(rows[1].easing.jump, MD5_JUMP_NONE);
    CHECK_UINT(rows[2].easing.steps, 3);
    CHECK_UINT(rows[2].easing.jump, MD5_JUMP_END);
    md5_free_machine_file(file);
    static const char odd[] = "machine m { layer l { transition any s { cubic_bezier 1 2 3 } } }";
    CHECK(!load(odd, sizeof odd - 1, NULL, NULL));
    static const char few[] = "machine m { layer l { transition any s { steps -3 } } }";
    CHECK(!load(few, sizeof few - 1, NULL, NULL));
}

static const char good[] = "machine m { float a follow a ease 1 steps 2\n"
                           "layer l { weight a smooth }\n"
                           "motion s stack { item c { weight a cubic_bezier 0 0 1 1 } } }\n";

TEST (machine_file_says_where_an_easing_is_wrong) {
    static const read_case cases[] = {
        {"a smooth", "0.5 smooth",
         "2:22: error: expected a word of a layer or '}', found 'smooth'"},
        {"a smooth", "a bounce", "2:20: error: expected a word of a layer or '}', found 'bounce'"},
        {"smooth", "steps -1", "2:26: error: steps -1 is out of range"},
        {"smooth", "steps", "2:26: error: expected a whole number, found '}'"},
        {"0 0 1 1 }", "0 0 1 }", "3:55: error: expected a number, found '}'"},
        {"steps 2", "steps two", "1:43: error: expected a whole number, found 'two'"},
        {"steps 2", "cubic_bezier 1", "2:1: error: expected a number, found 'layer'"},
    };
    read_cases_check(good, cases, sizeof cases / sizeof cases[0], load, __FILE__, __LINE__);
}

// -- Machine morphs -------------------------------------------------------------------------------
//
// What drives morph targets in a machine file: its words, and where wrong ones are reported.

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
        md5_error error = {0};
        CHECK(!md5_parse_machine_file(odd[i].text, strlen(odd[i].text), NULL, &error));
        CHECK_UINT(error.line, 1);
        CHECK_UINT(error.column, odd[i].column);
    }
}

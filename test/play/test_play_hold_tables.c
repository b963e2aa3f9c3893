// What says that feet are held, in machine files and in tables written in C.
#include "test/play/test_play_hold_case.h"

#include <string.h>

TEST (play_hold_that_cannot_hold_is_refused) {
    static const struct {
        const char *words, *message;
    } cases[] = {
        {HOLD_FEET "hold { toe hand } }",
         "modifier 'legs' names joint 'hand', which does not exist"},
        {HOLD_FEET "hold { toe head } }",
         "modifier 'legs': joint 'head' is not a descendant of 'ankle_l'"},
        {HOLD_FEET "hold { toe toe_l toe ankle_r toe head } }",
         "modifier 'legs' has 3 toes, but 2 feet"},
        {HOLD_FEET "hold { height -1 } }",
         "modifier 'legs': height is -1, which must be 0 to 1e+06"},
        {HOLD_FEET "hold { speed -1 } }", "modifier 'legs': speed is -1, which must be 0 to 1e+09"},
        {HOLD_FEET "hold { distance -1 } }",
         "modifier 'legs': distance is -1, which must be 0 to 1e+06"},
        {HOLD_FEET "hold { release -1 } }",
         "modifier 'legs': release is -1, which must be 0 to 1e+06"},
        {HOLD_FEET "hold hold }", "there is a 'hold' already"},
        {HOLD_FEET "hold { toe a toe b toe c toe d toe e toe f toe g toe h toe i } }",
         "there are more than 8 toes"},
        {HOLD_FEET "hold { toe } }", "expected a toe, found '}'"},
        {HOLD_FEET "hold { limit 1 } }", "expected a word of a hold or '}', found 'limit'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        holding of;
        hold_begin_in(&of, "still", cases[i].words, MD5_AXES_ID);
        CHECK(of.machine == NULL);
        CHECK_STRING(of.error.message, cases[i].message);
        CHECK_UINT(of.error.line, 3 + HOLD_CLIPS);
        hold_end(&of);
    }
}

// In tables written in C: other kinds refuse it; the machine has a copy; each number is part of the
// fingerprint.
TEST_HOLD (play_hold_is_part_of_the_tables, "still", "") {
    md5_modifier_hold rule = {.toes = {"toe_l", NULL, "nobody"}};
    static const md5_foot_desc feet[] = {{.ankle = "ankle_l"}, {.ankle = "ankle_r"}};
    md5_modifier_desc modifier = {
        .name = "legs", .kind = MD5_MODIFIER_AIM, .joint = "pelvis", .hold = &rule};
    const md5_machine_desc desc = {.model = of->model, ROW(modifiers, modifier)};
    md5_error error;
    CHECK(md5_create_machine(&desc, NULL, &error) == NULL);
    CHECK_STRING(error.message, "modifier 'legs' holds feet, which only 'feet' has");
    modifier.kind = MD5_MODIFIER_FEET;
    modifier.feet = feet;
    modifier.num_feet = 2;
    md5_modifier_hold full = {.numbers = {.height = 0.75f, .speed = 0.75f}};
    for (int i = 0; i < MD5_MAX_HELD; i++)
        full.toes[i] = "toe_l";
    modifier.hold = &full;
    CHECK(md5_create_machine(&desc, NULL, &error) == NULL);
    CHECK_STRING(error.message, "modifier 'legs' has 8 toes, but 2 feet");
    float *const numbers[] = {&rule.numbers.height, &rule.numbers.speed, &rule.numbers.distance,
                              &rule.numbers.release};
    enum { NUMBERS = sizeof numbers / sizeof numbers[0], ALL = NUMBERS + 3 };
    uint64_t fingerprints[ALL];
    for (int i = 0; i < ALL; i++) {
        if (i < NUMBERS)
            *numbers[i] = 0.75f;
        rule.toes[0] = i == NUMBERS ? NULL : "toe_l";
        modifier.hold = i == NUMBERS + 1 ? NULL : &rule;
        md5_machine *const machine = md5_create_machine(&desc, NULL, &error);
        if (!CHECK(machine))
            break;
        const md5_modifier_hold *const copy = md5_machine_tables(machine)->modifiers[0].hold;
        CHECK((copy == NULL) == (i == NUMBERS + 1) && copy != &rule);
        if (copy && copy->toes[0])
            CHECK(copy->toes[0] != rule.toes[0] && strcmp(copy->toes[0], "toe_l") == 0);
        fingerprints[i] = md5_machine_fingerprint(machine);
        for (int k = 0; k < i; k++)
            CHECK(fingerprints[k] != fingerprints[i]);
        md5_destroy_machine(machine);
        if (i < NUMBERS)
            *numbers[i] = 0.0f;
    }
}

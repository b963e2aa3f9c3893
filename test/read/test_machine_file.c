// Reading of machine files, with warnings and errors about unusual and broken files.
#include "test/scoped.h"
#include "test/read/read_case.h"

static const char good[] =
    "machine hero {\n"                                                          // 1
    "  model hero.md5mesh\n"                                                    // 2
    "  float speed 1.5\n"                                                       // 3
    "  bool grounded 1\n"                                                       // 4
    "  trigger jump\n"                                                          // 5
    "  mask arms ( *shoulder_l \"*shoulder r\" -*hand_l ) { feather 2 }\n"      // 6
    "  clip idle hero_idle.md5anim\n"                                           // 7
    "  clip walk \"hero walk.md5anim\" {\n"                                     // 8
    "    open cubic turn\n"                                                     // 9
    "    markers ( 0 11 )\n"                                                    // 10
    "    frame 11 footstep left foot // soft\n"                                 // 11
    "    frame 0 footstep\n"                                                    // 12
    "  }\n"                                                                     // 13
    "  motion slow clip walk { once start 0.25 speed 0.5 }\n"                   // 14
    "  motion go line speed { markers speed pace item idle 0 item walk 1.5 }\n" // 15
    "  motion way plane speed side { phase item idle 0 0 item walk 1 -2 }\n"    // 16
    "  motion both stack { item go item slow { add mask arms weight 0.5 reference idle 2 } }\n"
    "  layer body {\n"                                                                // 18
    "    state stand idle\n"                                                          // 19
    "    state go both\n"                                                             // 20
    "    state off nothing\n"                                                         // 21
    "    transition stand go { when speed > 0.1 and not jump duration 0.2 smooth }\n" // 22
    "    transition any off { when jump exit 0.9 inertial priority -2 start 0.5\n"    // 23
    "                         interrupt_none keep_phase }\n"                          // 24
    "    transition go stand\n"                                                       // 25
    "  }\n"                                                                           // 26
    "  layer top { add mask arms weight lean reference idle 0 state s idle }\n"       // 27
    "  modifier look aim head { length 3 forward ( 0 1 0 ) limit 0.5 }\n"             // 28
    "}\n";                                                                            // 29

static bool load(const char *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    SCOPED_MACHINE_FILE file = md5_parse_machine_file(text, size, opts, error);
    return file != NULL;
}

#define CHECK_CASES(...) READ_CASES_CHECK(good, load, __VA_ARGS__)

static void check_motions(const md5_machine_desc *desc)
{
    CHECK_UINT(desc->num_motions, 4);
    const md5_motion_desc *const slow = &desc->motions[0];
    const md5_motion_desc *const go = &desc->motions[1];
    const md5_motion_desc *const motion = &desc->motions[2];
    const md5_motion_desc *const both = &desc->motions[3];
    CHECK(slow->kind == MD5_MOTION_CLIP && slow->mode == MD5_PLAY_ONCE);
    CHECK(slow->start == 0.25 && slow->speed == 0.5f && !slow->speed_parameter);
    CHECK(go->kind == MD5_MOTION_BLEND_1D && go->sync == MD5_SYNC_MARKERS);
    CHECK_STRING(go->x_parameter, "speed");
    CHECK_STRING(go->speed_parameter, "pace");
    CHECK_UINT(go->num_items, 2);
    CHECK(go->items[1].x == 1.5f);
    CHECK(motion->kind == MD5_MOTION_BLEND_2D && motion->sync == MD5_SYNC_PHASE);
    CHECK_STRING(motion->y_parameter, "side");
    CHECK(motion->items[1].y == -2);
    CHECK(both->kind == MD5_MOTION_STACK && both->items[0].weight == 1);
    CHECK(both->items[1].mode == MD5_LAYER_ADD && both->items[1].weight == 0.5f);
    CHECK_STRING(both->items[1].reference, "idle");
    CHECK_UINT(both->items[1].reference_frame, 2);
}

TEST (machine_file_equals_its_text) {
    md5_error error = {0};
    SCOPED_MACHINE_FILE file = md5_parse_machine_file(good, strlen(good), NULL, &error);
    if (!CHECK(file)) {
        printf("%s\n", error.message);
        return;
    }
    const md5_machine_desc *const desc = &file->desc;
    CHECK_UINT(file->num_warnings, 0);
    CHECK_STRING(desc->name, "hero");
    CHECK_STRING(file->model_file, "hero.md5mesh");
    CHECK_UINT(desc->num_parameters, 3);
    CHECK(desc->parameters[0].kind == MD5_PARAMETER_FLOAT && desc->parameters[0].value == 1.5f);
    CHECK(desc->parameters[1].kind == MD5_PARAMETER_BOOL && desc->parameters[1].value == 1);
    CHECK(desc->parameters[2].kind == MD5_PARAMETER_TRIGGER);
    CHECK_UINT(desc->num_masks, 1);
    CHECK_STRING(desc->masks[0].joints, " *shoulder_l \"*shoulder r\" -*hand_l ");
    CHECK_UINT(desc->masks[0].feather, 2);
    CHECK_UINT(file->desc.num_clips, 2);
    CHECK(file->clips == file->desc.clips);
    CHECK_STRING(file->clips[0].file, "hero_idle.md5anim");
    const md5_clip_desc *const walk = &file->clips[1];
    CHECK_STRING(walk->name, "walk");
    CHECK_STRING(walk->file, "hero walk.md5anim");
    CHECK(walk->period == MD5_PERIOD_OPEN && walk->interpolation == MD5_INTERPOLATE_CUBIC);
    CHECK(walk->root_extraction == MD5_ROOT_EXTRACTION_TURN && !walk->binding);
    CHECK_UINT(walk->num_events, 2);
    CHECK_UINT(walk->events[0].frame, 11);
    CHECK_STRING(walk->events[0].name, "footstep");
    CHECK_STRING(walk->events[0].text, "left foot");
    CHECK_STRING(walk->events[1].text, "");
    CHECK_UINT(walk->num_markers, 2);
    CHECK_UINT(walk->markers[1], 11);
    check_motions(desc);
    CHECK_UINT(desc->num_layers, 2);
    const md5_layer_desc *const body = &desc->layers[0];
    const md5_layer_desc *const top = &desc->layers[1];
    CHECK_UINT(body->num_states, 3);
    CHECK_STRING(body->states[1].motion, "both");
    CHECK(!body->states[2].motion);
    CHECK_UINT(body->num_transitions, 3);
    const md5_transition_desc *const go = &body->transitions[0];
    const md5_transition_desc *const off = go + 1;
    CHECK_UINT(go->num_conditions, 2);
    CHECK(go->conditions[0].compare == MD5_IS_GREATER && go->conditions[0].value == 0.1f);
    CHECK(go->conditions[1].compare == MD5_IS_CLEAR);
    CHECK_STRING(go->conditions[1].parameter, "jump");
    CHECK(go->duration == 0.2f && go->easing.kind == MD5_EASE_SMOOTH && !go->waits);
    CHECK(!off->from && off->waits && off->exit == 0.9f && off->fade == MD5_FADE_INERTIAL);
    CHECK(off->priority == -2 && off->start == 0.5f && off->keeps_phase);
    CHECK(off->interrupt == MD5_INTERRUPT_NONE && off->conditions[0].compare == MD5_IS_SET);
    CHECK_UINT(off[1].num_conditions, 0);
    CHECK(top->mode == MD5_LAYER_ADD);
    CHECK_STRING(top->weight_parameter, "lean");
    CHECK_UINT(top->reference_frame, 0);
    CHECK_UINT(desc->num_modifiers, 1);
    CHECK(desc->modifiers[0].kind == MD5_MODIFIER_AIM && desc->modifiers[0].length == 3);
    CHECK(desc->modifiers[0].aim.forward.y == 1 && desc->modifiers[0].aim.limit == 0.5f);
}

TEST (machine_file_names_each_interpolation) {
    static const char text[] = "machine m { model x clip a a { linear } clip b b { step } "
                               "clip c c { cubic } clip d d { nlerp } clip e e }";
    static const md5_interpolation expected[] = {MD5_INTERPOLATE_LINEAR, MD5_INTERPOLATE_STEP,
                                                 MD5_INTERPOLATE_CUBIC, MD5_INTERPOLATE_NLERP,
                                                 MD5_INTERPOLATE_LINEAR};
    SCOPED_MACHINE_FILE file = md5_parse_machine_file(text, strlen(text), NULL, NULL);
    REQUIRE(file && file->desc.num_clips == 5);
    for (int i = 0; i < 5; i++)
        CHECK(file->clips[i].interpolation == expected[i]);
}

TEST (machine_file_accepts_any_layout) {
    CHECK_CASES(
        {"", "machine m { }", ""}, {"", "machine m{layer l{state s nothing}}", ""},
        {"\n  float", " /* a */ float", ""}, {"speed 1.5", "speed", ""},
        {"float speed 1.5", "float speed -1e2 float a float b", ""},
        {"{ length 3 forward ( 0 1 0 ) limit 0.5 }", "", ""},
        {"left foot // soft\n    frame 0", "left /* a */ frame 0", ""},
        {"frame 0 footstep\n  }", "frame 0 footstep }", ""}, {"speed > 0.1", "speed < 0.1", ""},
        {"speed > 0.1", "speed <= 0.1", ""}, {"speed > 0.1", "speed >= 0.1", ""},
        {"aim head { length 3 forward ( 0 1 0 ) limit 0.5 }", "joint head { model }", ""},
        {"aim head { length 3 forward ( 0 1 0 ) limit 0.5 }", "spring head { length 3 }", ""},
        {"0 footstep\n", "0 footstep \"} // turn\"\n", ""},
        {"0 footstep\n", "0 footstep 'say \"frame 2\"'\n", ""},
        {"0 footstep\n", "0 \"frame\" \"turn\"\n", ""},
        {"0 footstep\n", "0 footstep left turned steps framed frames\n", ""},
        {"0 footstep\n", "0 footstep left frame 1 footstep right\n", ""},
        {"0 footstep\n", "0 turn frame 1 step\n", ""}, {"weight 0.5", "weight \"0.5\"", ""},
        {"layer body", "layer \"the body\"", ""});
}

TEST (machine_file_continues_after_warnings) {
    CHECK_CASES(
        {"feather 2", "feather 2 feather 3", "6:64: warning: duplicate 'feather': using the last"},
        {"limit 0.5 }\n}\n", "limit 0.5 }\n} more",
         "29:3: warning: text after the machine is ignored: found 'more'"},
        {"aim head", "spring head",
         "28:40: warning: 'forward' is ignored: it has no effect in a modifier of this kind\n"
         "28:58: warning: 'limit' is ignored: it has no effect in a modifier of this kind"},
        {"item walk 1 -2", "item walk 1 -2 { add }",
         "16:70: warning: 'add' is ignored: it has no effect in an item of this kind"},
        {"{ once start 0.25 speed 0.5 }", "{ phase }",
         "14:27: warning: 'phase' is ignored: it has no effect in a motion of this kind"},
        {"stack { item go", "stack { once item go",
         "17:23: warning: 'once' is ignored: it has no effect in a motion of this kind"});
}

TEST (machine_file_rejects_unknown_words) {
    CHECK_CASES(
        {"", "", "1:1: error: expected 'machine', found the end of the file"},
        {"machine", "model", "1:1: error: expected 'machine', found 'model'"},
        {"trigger jump", "shot jump",
         "5:3: error: keyword 'shot' was renamed: expected 'one_shot', found 'shot'"},
        {"trigger jump", "button jump",
         "5:3: error: expected a keyword of a machine or '}', found 'button'"},
        {"open cubic", "open quartic",
         "9:10: error: expected a keyword of a clip or '}', found 'quartic'"},
        {"line speed", "curve speed",
         "15:13: error: expected 'clip', 'line', 'by_speed', 'plane' or 'stack', found 'curve'"},
        {"aim head", "nod head",
         "28:17: error: expected 'joint', 'aim', 'two_bone', 'fabrik', 'ccd', 'spring', 'feet' or "
         "'gaze', found 'nod'"},
        {"frame 11", "frame -1",
         "11:11: error: frame is out of range: expected 0 to 4294967295, found -1"},
        {"0 footstep\n", "0 footstep left turn\n",
         "12:27: error: text of an event is ambiguous: expected text without keywords, found "
         "'turn'; quote the text, or start a new line"},
        {"0 footstep\n", "0 footstep step\n",
         "12:22: error: text of an event is ambiguous: expected text without keywords, found "
         "'step'; quote the text, or start a new line"},
        {"0 footstep\n", "0\n turn\n",
         "12:12: error: expected an event name, found the end of the line"},
        {"0 footstep\n", "0 // step\n turn\n",
         "12:20: error: expected an event name, found the end of the line"},
        {"0 footstep\n", "0 frame 12 footstep\n",
         "12:13: error: expected an event name, found 'frame'"},
        {"0 footstep\n", "0 footstep left frame right\n",
         "12:33: error: expected an integer, found 'right'"},
        {"0 footstep\n", "0 footstep \"left\n",
         "12:22: error: unterminated string: expected \" before the end of the line"},
        {"length 3", "length 0",
         "28:35: error: length is out of range: expected 1 or more, found 0"},
        {"( 0 1 0 )", "( 0 0 -0 )",
         "28:45: error: forward is not a direction: expected a vector that is not 0, found ( 0 0 0 "
         ")"},
        {"( 0 1 0 )", "( 1 0 0 ) up ( 0 0 0 )",
         "28:58: error: up is not a direction: expected a vector that is not 0, found ( 0 0 0 )"},
        {"markers ( 0 11", "markers ( 0 -1",
         "10:17: error: marker is out of range: expected 0 to 4294967295, found -1"},
        {"idle 2 }", "idle -1 }",
         "17:83: error: reference is out of range: expected 0 to 4294967295, found -1"},
        {"priority -2", "priority 2147483647", ""},
        {"priority -2", "priority 2147483648",
         "23:63: error: priority is out of range: expected -2147483648 to 2147483647, found "
         "2147483648"},
        {"priority -2", "priority -2147483648", ""},
        {"priority -2", "priority -2147483649",
         "23:63: error: priority is out of range: expected -2147483648 to 2147483647, found "
         "-2147483649"},
        {"  }\n  layer top", "  \n  layer top",
         "27:3: error: expected a keyword of a layer or '}', found 'layer'"},
        {"limit 0.5 }\n}\n", "limit 0.5 }\n",
         "28:66: error: expected a keyword of a machine or '}', found the end of the file"},
        {"limit 0.5 }\n}\n", "limit 0.5 }\n} /* more",
         "29:3: error: unterminated comment: expected '*/', found the end of the "
         "file"});
}

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

static void check_event(const md5_event *event, uint32_t frame, const char *name, const char *text)
{
    CHECK_UINT(event->frame, frame);
    CHECK_STRING(event->name, name);
    CHECK_STRING(event->text, text);
}

TEST (machine_file_reads_all_events_of_a_line) {
    SCOPED_MACHINE_FILE file = parse(
        "machine m { clip a a { frame 0 footstep left frame 12 footstep right markers ( 0 12 ) }\n"
        "clip b b { frame 1 step frame 2 'a b' \"frame 3 c }\" frame 4 d 'e f' turn }\n"
        "clip c c { frame 5 say it's \"so\" (or not), f\xc3\xbcr alle ; /* no */ frame 6 g // h\n"
        "frame 7 i\tj\t}}");
    CHECK_UINT(file->clips[0].num_events, 2);
    check_event(&file->clips[0].events[0], 0, "footstep", "left");
    check_event(&file->clips[0].events[1], 12, "footstep", "right");
    CHECK_UINT(file->clips[0].num_markers, 2);
    CHECK_UINT(file->clips[1].num_events, 3);
    check_event(&file->clips[1].events[0], 1, "step", "");
    check_event(&file->clips[1].events[1], 2, "a b", "frame 3 c }");
    check_event(&file->clips[1].events[2], 4, "d", "e f");
    CHECK(file->clips[1].root_extraction == MD5_ROOT_EXTRACTION_TURN);
    CHECK_UINT(file->clips[2].num_events, 3);
    check_event(&file->clips[2].events[0], 5, "say", "it's \"so\" (or not), f\xc3\xbcr alle ;");
    check_event(&file->clips[2].events[1], 6, "g", "");
    check_event(&file->clips[2].events[2], 7, "i", "j");
}

// Words without quotes may contain UTF-8. Quoted names may contain all characters except the quote
// that encloses them.
TEST (machine_file_accepts_names_of_every_kind) {
    SCOPED_MACHINE_FILE file =
        parse("machine gr\xc3\xb6\xc3\x9f"
              "e { float gr\xc3\xb6\xc3\x9f 1 float \xe9\x80\x9f 2 bool 'a\"b' trigger \"it's\"\n"
              "clip 'Bip01 L Hand' \"C:\\a b\"\n"
              "layer l { weight \xe9\x80\x9f state \xc3\xa4 \xc3\xb6 state \"-*x\" \"nothing\"\n"
              "transition \"any\" \xc3\xa4 { when \"not\" and not \xe9\x80\x9f } }\n"
              "modifier \"\\\" aim -*x }");
    const md5_machine_desc *const desc = &file->desc;
    CHECK_STRING(desc->name, "gr\xc3\xb6\xc3\x9f"
                             "e");
    CHECK_STRING(desc->parameters[0].name, "gr\xc3\xb6\xc3\x9f");
    CHECK(desc->parameters[0].value == 1 && desc->parameters[1].value == 2);
    CHECK_STRING(desc->parameters[1].name, "\xe9\x80\x9f");
    CHECK_STRING(desc->parameters[2].name, "a\"b");
    CHECK_STRING(desc->parameters[3].name, "it's");
    CHECK_STRING(desc->clips[0].name, "Bip01 L Hand");
    CHECK_STRING(desc->clips[0].file, "C:\\a b");
    const md5_layer_desc *const layer = &desc->layers[0];
    CHECK_STRING(layer->weight_parameter, "\xe9\x80\x9f");
    CHECK_STRING(layer->states[0].name, "\xc3\xa4");
    CHECK_STRING(layer->states[0].motion, "\xc3\xb6");
    CHECK_STRING(layer->states[1].name, "-*x");
    CHECK_STRING(layer->states[1].motion, "nothing");
    CHECK_STRING(layer->transitions[0].from, "any");
    CHECK_STRING(layer->transitions[0].to, "\xc3\xa4");
    CHECK_STRING(layer->transitions[0].conditions[0].parameter, "not");
    CHECK_STRING(layer->transitions[0].conditions[1].parameter, "\xe9\x80\x9f");
    CHECK(layer->transitions[0].conditions[1].compare == MD5_IS_CLEAR);
    CHECK_STRING(desc->modifiers[0].name, "\\");
    CHECK_STRING(desc->modifiers[0].joint, "-*x");
}

// Each easing is written with its name in md5curve.h.
TEST (machine_file_accepts_every_easing_by_its_name) {
    for (int i = 0; i < MD5_EASE_CUBIC_BEZIER; i++) {
        char text[128];
        snprintf(text, sizeof text,
                 "machine m { layer l { state a m state b m transition a b { %s } } }",
                 md5_easing_name((md5_ease_kind)i));
        SCOPED_MACHINE_FILE file = parse(text);
        CHECK_UINT(file->desc.layers[0].transitions[0].easing.kind, (unsigned)i);
    }
}

// If both a number and a parameter are given, the last of them is used.
TEST (machine_file_replaces_a_weight_by_a_parameter_and_back) {
    SCOPED_MACHINE_FILE file =
        parse("machine m { layer a { weight 0.5 weight p } layer b { weight p weight 0.5 }\n"
              "motion c clip c { speed 3 speed p } motion d clip d { speed p speed 3 } }");
    const md5_machine_desc *const desc = &file->desc;
    CHECK_UINT(file->num_warnings, 4);
    CHECK(desc->layers[0].weight == 0 && desc->layers[1].weight == 0.5f);
    CHECK_STRING(desc->layers[0].weight_parameter, "p");
    CHECK(!desc->layers[1].weight_parameter && !desc->motions[1].speed_parameter);
    CHECK(desc->motions[0].speed == 0 && desc->motions[1].speed == 3);
}

// A file that is truncated at any position is rejected with a message.
TEST (truncated_machine_file_is_rejected) {
    for (size_t size = 0; size + 2 < sizeof good; size++) {
        SCOPED_STRING text = malloc(size + 1);
        memcpy(text, good, size);
        md5_error error = {0};
        if (!CHECK(!load(text, size, NULL, &error)) || !CHECK(error.message[0])) {
            printf("cut at %zu\n", size);
            return;
        }
    }
}

TEST (machine_file_with_an_altered_byte_is_valid_or_rejected) {
    static const char bytes[] = "{}()\"/* \n0-\xff";
    char text[sizeof good];
    for (size_t at = 0; at + 1 < sizeof good; at++) {
        for (size_t b = 0; b < sizeof bytes; b++) {
            memcpy(text, good, sizeof good);
            text[at] = bytes[b];
            md5_error error = {0};
            if (!load(text, sizeof good - 1, NULL, &error))
                CHECK(error.line > 0 && error.message[0]);
        }
    }
}

TEST (machine_file_frees_all_memory) {
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        const bool loaded = load(good, sizeof good - 1, &failure.opts, &failure.error);
        CHECK_FAILURE(failure, loaded);
    }
}

// Each allocation of the arena may be the one that exceeds the limit.
TEST (machine_file_obeys_memory_limits) {
    bool loaded = false;
    for (size_t limit = 16; limit < 100000 && !loaded; limit += 16) {
        const md5_load_opts opts = {.allocator = {.limit = limit}};
        loaded = load(good, sizeof good - 1, &opts, NULL);
    }
    CHECK(loaded);
    CHECK(!md5_parse_machine_file(NULL, 0, NULL, NULL));
    md5_free_machine_file(NULL);
}

TEST (machine_file_is_loaded_from_a_path) {
    md5_error error = {0};
    const char *const path = test_path("models/bobbin/bobbin.md5machine");
    SCOPED_MACHINE_FILE file = md5_load_machine_file(path, NULL, &error);
    if (CHECK(file)) {
        CHECK_STRING(file->desc.name, "Bobbin");
        CHECK_STRING(file->model_file, "bobbin.md5mesh");
    }
    CHECK_FAILS(md5_load_machine_file(test_path("models/bobbin/none.md5machine"), NULL, &error),
                error, MD5_ERROR_IO);
    CHECK(!md5_load_machine_file(test_path("models/bobbin/idle.md5anim"), NULL, &error));
    CHECK(error.status == MD5_ERROR_SYNTAX && error.line == 1);
    CHECK(!md5_parse_machine_file(path, INT32_MAX, NULL, &error)); // refused because of its size
    CHECK(error.status == MD5_ERROR_IO && strstr(error.message, "less than 2 GiB"));
    const md5_load_opts small = {.allocator = {.limit = 2000}};
    CHECK_FAILS(md5_load_machine_file(path, &small, &error), error, MD5_ERROR_MEMORY);
}

// Tables that grow many times, with many memory limits on the way.
TEST (machine_file_with_many_items_obeys_memory_limits) {
    enum { COUNT = 600 };
    SCOPED_TEXT text = {0};
    test_append(&text, "machine m {\n");
    for (int i = 0; i < COUNT; i++)
        test_append(&text,
                    "float f%d clip c%d x { frame 0 a frame 1 b markers ( 0 1 ) }\n"
                    "motion m%d stack { item c0 item c1 } mask k%d ( j )\n"
                    "modifier d%d aim j\n",
                    i, i, i, i, i);
    test_append(&text, "}\n");
    bool loaded = false;
    for (size_t limit = 1000; limit < 6000000 && !loaded; limit += 1 + limit / 64) {
        const md5_load_opts opts = {.allocator = {.limit = limit}};
        md5_error error = {0};
        loaded = load(text.bytes, text.used, &opts, &error);
        CHECK(loaded || error.status == MD5_ERROR_MEMORY);
    }
    CHECK(loaded);
}

TEST (machine_file_names_the_events_to_report) {
    static const char text[] = "machine m { report { leave clip_end } report { enter } }";
    SCOPED_MACHINE_FILE file = md5_parse_machine_file(text, sizeof text - 1, NULL, NULL);
    REQUIRE(file);
    CHECK_UINT(file->num_warnings, 0);
    const md5_report_desc *const report = &file->desc.report;
    CHECK(report->enter && report->leave && !report->transition_end && report->clip_end);
    static const char odd[] = "machine m { report { exit } }";
    md5_error error = {0};
    CHECK(!md5_parse_machine_file(odd, sizeof odd - 1, NULL, &error));
    CHECK_UINT(error.column, 22);
}

TEST (machine_file_reads_following_parameters) {
    static const char text[] = "machine m { float a float b 2 float c\n"
                               "follow b spring 100 4 follow a smooth 3\n"
                               "follow c ease 0.5 cubic_in_out follow d ease 2 }";
    SCOPED_MACHINE_FILE file = md5_parse_machine_file(text, sizeof text - 1, NULL, NULL);
    if (!CHECK(file) || !CHECK(file->desc.num_follows == 4))
        return;
    const md5_follow_desc *const rows = file->desc.follows;
    CHECK_UINT(file->num_warnings, 0);
    CHECK_STRING(rows[0].parameter, "b");
    CHECK_UINT(rows[0].kind, MD5_FOLLOW_SPRING);
    CHECK(rows[0].stiffness == 100 && rows[0].damping == 4);
    CHECK_UINT(rows[1].kind, MD5_FOLLOW_SMOOTH);
    CHECK(rows[1].rate == 3);
    CHECK_UINT(rows[2].kind, MD5_FOLLOW_EASE);
    CHECK_UINT(rows[2].easing.kind, MD5_EASE_CUBIC_IN_OUT);
    CHECK(rows[2].duration == 0.5f && rows[3].duration == 2);
    CHECK_UINT(rows[3].easing.kind, MD5_EASE_LINEAR);
    STRINGS(odd) = {"machine m { follow a }",        "machine m { follow a fast 3 }",
                    "machine m { follow a smooth }", "machine m { follow a spring 1 }",
                    "machine m { follow a ease }",   "machine m { follow"};
    for (size_t n = 0; n < COUNT_OF(odd); n++)
        CHECK(!load(odd[n], strlen(odd[n]), NULL, NULL));
    md5_error error = {0};
    CHECK(!load(odd[1], strlen(odd[1]), NULL, &error));
    CHECK_STRING(error.message, "expected 'smooth', 'spring' or 'ease', found 'fast'");
}

// -- Easings --------------------------------------------------------------------------------------

// Easings in machine files: of weights, of parameters that follow, of transitions.

TEST (machine_file_eases_weights) {
    SCOPED_MACHINE_FILE file =
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
    CHECK(bezier->x1 == 0.25f && bezier->y1 == 0.1f && bezier->x2 == 0.3f && bezier->y2 == -1);
    CHECK_STRING(items[2].mask, "k");
    CHECK_UINT(items[4].weight_easing.steps, 4);
    CHECK_UINT(items[4].weight_easing.jump, MD5_JUMP_NONE);
    const md5_layer_desc *const layers = file->desc.layers;
    CHECK_UINT(layers[0].weight_easing.kind, MD5_EASE_STEPS);
    CHECK_UINT(layers[0].weight_easing.steps, 3);
    CHECK_UINT(layers[0].num_states, 1);
    CHECK_UINT(layers[1].weight_easing.kind, MD5_EASE_BACK_OUT);
}

// The last weight is used, without the easing of an earlier weight.
TEST (machine_file_reads_easing_of_the_used_weight) {
    SCOPED_MACHINE_FILE file = parse("machine m { layer l { weight joy smooth weight 0.5 }\n"
                                     "layer n { weight joy smooth weight joy } }");
    CHECK_UINT(file->num_warnings, 2);
    for (int i = 0; i < 2; i++)
        CHECK(file->desc.layers[i].weight_easing.kind == MD5_EASE_LINEAR);
}

TEST (machine_file_reads_curves_of_following_parameters) {
    SCOPED_MACHINE_FILE file = parse("machine m { float a float b float c\n"
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
}

// A transition has more than 32 keywords. No keyword is mistaken for another keyword.
TEST (machine_file_accepts_easings_with_other_keywords) {
    STRINGS(words) = {"when a",        "exit 0.5",         "duration 1",    "cross",
                      "inertial",      "keep_phase",       "start 1",       "priority 1",
                      "interrupt_any", "interrupt_higher", "interrupt_none"};
    for (int i = 0; i < MD5_EASE_CUBIC_BEZIER; i++) {
        for (size_t q = 0; q < COUNT_OF(words); q++) {
            char text[160];
            snprintf(text, sizeof text, "machine m { layer l { transition any s { %s %s } } }",
                     words[q], md5_easing_name((md5_ease_kind)i));
            SCOPED_MACHINE_FILE file = parse(text);
            if (!CHECK_UINT(file->num_warnings, 0))
                printf("%s\n", text);
        }
    }
}

TEST (machine_file_eases_by_curves_and_steps) {
    static const char text[] = "machine m { layer l { state s nothing state t nothing\n"
                               "transition s t { duration 1 cubic_bezier 0.25 0.1 0.3 -1 }\n"
                               "transition t s { steps 4 jump_none }\n"
                               "transition any s { steps 3 } } }";
    SCOPED_MACHINE_FILE file = md5_parse_machine_file(text, sizeof text - 1, NULL, NULL);
    REQUIRE(file);
    const md5_transition_desc *const rows = file->desc.layers[0].transitions;
    CHECK_UINT(rows[0].easing.kind, MD5_EASE_CUBIC_BEZIER);
    CHECK(rows[0].easing.x1 == 0.25f && rows[0].easing.y1 == 0.1f);
    CHECK(rows[0].easing.x2 == 0.3f && rows[0].easing.y2 == -1);
    CHECK_UINT(rows[1].easing.kind, MD5_EASE_STEPS);
    CHECK_UINT(rows[1].easing.steps, 4);
    CHECK_UINT(rows[1].easing.jump, MD5_JUMP_NONE);
    CHECK_UINT(rows[2].easing.steps, 3);
    CHECK_UINT(rows[2].easing.jump, MD5_JUMP_END);
    static const char odd[] = "machine m { layer l { transition any s { cubic_bezier 1 2 3 } } }";
    CHECK(!load(odd, sizeof odd - 1, NULL, NULL));
    static const char few[] = "machine m { layer l { transition any s { steps -3 } } }";
    CHECK(!load(few, sizeof few - 1, NULL, NULL));
}

static const char machine_easing_good[] =
    "machine m { float a follow a ease 1 steps 2\n"
    "layer l { weight a smooth }\n"
    "motion s stack { item c { weight a cubic_bezier 0 0 1 1 } } }\n";

TEST (machine_file_reports_the_location_of_an_invalid_easing) {
    READ_CASES_CHECK(machine_easing_good, load,
                     {"a smooth", "0.5 smooth",
                      "2:22: error: expected a keyword of a layer or '}', found 'smooth'"},
                     {"a smooth", "a bounce",
                      "2:20: error: expected a keyword of a layer or '}', found 'bounce'"},
                     {"smooth", "steps -1",
                      "2:26: error: steps is out of range: expected 0 to 4294967295, found -1"},
                     {"smooth", "steps", "2:26: error: expected an integer, found '}'"},
                     {"0 0 1 1 }", "0 0 1 }", "3:55: error: expected a number, found '}'"},
                     {"steps 2", "steps two", "1:43: error: expected an integer, found 'two'"},
                     {"steps 2", "cubic_bezier 1", "2:1: error: expected a number, found 'layer'"});
}

// -- Morph targets --------------------------------------------------------------------------------
//
// Drivers of morph targets in a machine file: keywords, and the locations of errors in them.

TEST (machine_file_reads_the_sources_of_morph_targets) {
    static const char text[] = "machine m {\n"
                               "morph smile parameter joy\n"
                               "morph \"wide eyes\" state body \"high up\" { weight 0.5 }\n"
                               "morph blink clip idle ( 40 0  42 1.5  44 -1 ) { weight 0 }\n"
                               "}";
    SCOPED_MACHINE_FILE file = md5_parse_machine_file(text, sizeof text - 1, NULL, NULL);
    if (!CHECK(file) || !CHECK(file->desc.num_morphs == 3))
        return;
    const md5_morph_desc *const rows = file->desc.morphs;
    CHECK_UINT(file->num_warnings, 0);
    CHECK_STRING(rows[0].target, "smile");
    CHECK(rows[0].drive == MD5_MORPH_BY_PARAMETER && rows[0].weight == 0);
    CHECK_STRING(rows[0].parameter, "joy");
    CHECK_STRING(rows[1].target, "wide eyes");
    CHECK(rows[1].drive == MD5_MORPH_BY_STATE && rows[1].weight == 0.5f);
    CHECK_STRING(rows[1].layer, "body");
    CHECK_STRING(rows[1].state, "high up");
    CHECK(rows[2].drive == MD5_MORPH_BY_CLIP && rows[2].weight == MD5_EXPLICIT_ZERO);
    CHECK_STRING(rows[2].clip, "idle");
    CHECK_UINT(rows[2].num_keys, 3);
    CHECK(rows[2].keys[1].frame == 42 && rows[2].keys[1].weight == 1.5f);
    CHECK(rows[2].keys[2].frame == 44 && rows[2].keys[2].weight == -1);
}

TEST (machine_file_rejects_invalid_morphs_with_location) {
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
    for (size_t q = 0; q < COUNT_OF(odd); q++) {
        md5_error error = {0};
        CHECK(!md5_parse_machine_file(odd[q].text, strlen(odd[q].text), NULL, &error));
        CHECK_UINT(error.line, 1);
        CHECK_UINT(error.column, odd[q].column);
    }
}

// Tests of error locations in machine files. Creating a machine from a text must report each error
// with the line and column of the wrong token.
//
// `good` is a valid text with every kind of entry. Each test replaces a token of it, or writes its
// own text, and compares status, line, column and message.
#include "test/scoped.h"
#include "test/play/test_play_case.h"
#include "test/read/read_case.h"

// `good` is parsed with three clips of 21 frames each. The comment after each line of the text is
// its line number.
static const char good[] =
    "machine hero {\n"                                                             // 1
    "  float speed 1.5 bool armed trigger jump\n"                                  // 2
    "  mask upper ( *spine -*rarm /* ( */\n"                                       // 3
    "    -larm // not this one: tail )\n"                                          // 4
    "    \"*larm\" lhand ) { feather 2 }\n"                                        // 5
    "  mask none ( )\n"                                                            // 6
    "  clip walk w.md5anim { markers ( 0 10 ) frame 2 step left frame 12 step }\n" // 7
    "  clip run r.md5anim { markers ( 1 11 ) turn section end 10 20 }\n"           // 8
    "  clip idle i.md5anim\n"                                                      // 9
    "  motion pace clip walk { speed 2 }\n"                                        // 10
    "  motion line line speed { markers item walk 0 item run 2.5 }\n"              // 11
    "  motion plane plane speed armed { item walk 0 0 item run 1 0 item idle 1 1 speed jump }\n"
    "  motion both stack { item line item idle { add mask upper weight speed\n"    // 13
    "    reference run 3 } item pace { weight 0.5 } }\n"                           // 14
    "  motion once clip idle { once start 0.5 }\n"                                 // 15
    "  layer body { state stand idle\n"                                            // 16
    "    state go both state off nothing\n"                                        // 17
    "    transition stand go { when speed > 0.5 and not armed duration 0.25 }\n"   // 18
    "    transition any off { when jump exit 0.5 }\n"                              // 19
    "  }\n"                                                                        // 20
    "  layer top { add reference idle 1 mask upper weight 0.5 state s once }\n"    // 21
    "  modifier look aim head { length 3 limit 0.5 }\n"                            // 22
    "  modifier foot two_bone lfoot { soften 0.5 stretch 1.5 }\n"                  // 23
    "  modifier tail spring rhand { stiffness 90 damping 5 gravity 9 length 3 }\n" // 24
    "  morph smile parameter speed { weight 2 } morph oh state body go\n"          // 25
    "  morph blink clip idle ( 4 0 8 1 )\n"                                        // 26
    "  slot arm { mask upper layer body add reference idle 2 }\n"                  // 27
    "  one_shot nod arm run { when jump until not armed fade_in 0.5 steps 3 section end }\n"
    "}\n";

static play_case assets;

static bool make(const char *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    SCOPED_MACHINE_FILE file = md5_parse_machine_file(text, size, opts, error);
    if (!file)
        return false;
    file->desc.model = assets.model;
    for (uint32_t i = 0; i < file->desc.num_clips; i++)
        file->clips[i].binding = assets.bindings[i < 3 ? i : 2];
    SCOPED_MACHINE machine = md5_create_machine(&file->desc, opts, error);
    const bool is_created = machine != NULL;
    CHECK(!machine || !md5_machine_tables(machine)->locations);
    return is_created;
}

static void check_cases(const read_case *cases, size_t count, int line)
{
    static const play_walk walk = {40, 0.5, 0};
    play_begin(&assets);
    for (uint32_t i = 0; i < 3; i++)
        play_add_clip(&assets, 21, 20, 0.3, walk, i);
    read_cases_check(good, cases, count, make, __FILE__, line);
    play_end(&assets);
}

#define CHECK_CASES(...)                               \
    do {                                               \
        const read_case cases[] = {__VA_ARGS__};       \
        check_cases(cases, COUNT_OF(cases), __LINE__); \
    } while (0)

TEST (machine_locations_of_clips_and_events) {
    CHECK_CASES(
        {"", good, ""}, {"clip run r", "clip walk r", "8:8: error: duplicate clip 'walk'"},
        {"clip run r", "clip '' r", "8:8: error: clip 1 has no name"},
        {"frame 2 step", "frame 2 ''",
         "7:50: error: clip 'walk': name of event 0 is missing: expected a text"},
        {"frame 12 step", "frame 21 step",
         "7:66: error: clip 'walk': event 'step' is out of range: expected a frame from 0 to 20, "
         "found 21"},
        {"frame 12 step", "frame 4294967294 step",
         "7:66: error: clip 'walk': event 'step' is out of range: expected a frame from 0 to 20, "
         "found 4294967294"},
        {"( 0 10 )", "( 0 20 )",
         "7:37: error: clip 'walk': marker is out of range: expected a frame below 20, found 20"},
        {"( 1 11 )", "( 1\n 0 )",
         "9:2: error: clip 'run': markers are out of order: expected a frame above 1, found 0"});
}

TEST (machine_locations_of_one_shots) {
    CHECK_CASES(
        {"10 20 }", "10 21 }",
         "8:58: error: clip 'run': section 'end' is out of range: expected ascending frames from 0 "
         "to 20, found 10 to 21"},
        {"10 20 }", "20 20 }",
         "8:58: error: clip 'run': section 'end' is out of range: expected ascending frames from 0 "
         "to 20, found 20 to 20"},
        {"10 20 }", "10 20 section end 0 1 }", "8:72: error: duplicate section 'end'"},
        {"10 20 }", "10 }", "8:61: error: expected an integer, found '}'"},
        {"slot arm", "slot ''", "27:8: error: slot 0 has no name"},
        {"upper layer", "lower layer", "27:19: error: slot 'arm' refers to unknown mask 'lower'"},
        {"layer body add", "layer legs add",
         "27:31: error: slot 'arm' refers to unknown layer 'legs'"},
        {"reference idle 2", "reference ide 2",
         "27:50: error: slot 'arm' refers to unknown clip 'ide'"},
        {"idle 2 }", "idle 21 }",
         "27:55: error: one_shot 'nod': reference frame is out of range: expected 0 to 20, "
         "found 21"},
        {"one_shot nod arm", "one_shot nod leg",
         "28:16: error: one_shot 'nod' refers to unknown slot 'leg'"},
        {"arm run {", "arm ran {", "28:20: error: one_shot 'nod' refers to unknown clip 'ran'"},
        {"when jump until", "when jmp until",
         "28:31: error: one_shot 'nod' refers to unknown parameter 'jmp'"},
        {"not armed fade_in", "not arm fade_in",
         "28:46: error: one_shot 'nod' refers to unknown parameter 'arm'"},
        {"fade_in 0.5", "fade_in -1",
         "28:60: error: one_shot 'nod': fade_in is out of range: expected 0 to 1e+06, found "
         "-1"},
        {"steps 3", "steps 0",
         "28:70: error: one_shot 'nod': number of steps is out of range: expected 1 to 65536, "
         "found 0"},
        {"section end }", "section and }",
         "28:80: error: one_shot 'nod' refers to unknown section 'and' of its clip"},
        {"section end }", "start 1 }",
         "28:78: error: one_shot 'nod': start is out of range: expected 0 to 0.999999, found "
         "1"});
}

TEST (machine_locations_of_masks_and_parameters) {
    CHECK_CASES(
        {"bool armed", "bool speed", "2:24: error: duplicate parameter 'speed'"},
        {"bool armed", "bool \"\"", "2:24: error: parameter 1 has no name"},
        {"mask none", "mask upper", "6:8: error: duplicate mask 'upper'"},
        {"mask none", "mask ''", "6:8: error: mask 1 has no name"},
        {"*spine", "*spin", "3:17: error: mask 'upper': unknown joint 'spin'"},
        {"-*rarm", "-*\"r arm\"", "3:25: error: mask 'upper': unknown joint 'r arm'"},
        {"-*rarm", "-*", "3:24: error: mask 'upper': '*' must be followed by a joint name"},
        {"-larm", "-", "4:5: error: mask 'upper': '-' must be followed by a joint name"},
        {"lhand )", "tail )", "5:13: error: mask 'upper': unknown joint 'tail'"},
        {"\"*larm\"", "\"*tail\"", "5:5: error: mask 'upper': unknown joint '*tail'"},
        {"( )", "(\r\n\r  ''\r )",
         "8:3: error: mask 'none': empty joint name: expected the name of a joint"},
        {"( )", "( -\"*lhand\" )", "6:16: error: mask 'none': unknown joint '*lhand'"},
        {"( )", "( larm\"lhand\" )", "6:15: error: mask 'none': unknown joint 'larm\"lhand\"'"},
        {"( )", "( \"larm\"lhand )", "6:21: error: mask 'none': expected a blank after 'larm'"});
}

TEST (machine_locations_of_motions) {
    CHECK_CASES(
        {"motion line", "motion walk", "11:10: error: duplicate motion 'walk'"},
        {"motion line", "motion ''", "11:10: error: motion 4 has no name"},
        {"clip walk {", "clip wlak {", "10:20: error: motion 'pace' refers to unknown clip 'wlak'"},
        {"clip walk {", "clip line {", "10:20: error: motion 'pace' refers to unknown clip 'line'"},
        {"line speed {", "line sped {",
         "11:20: error: motion 'line' refers to unknown parameter 'sped'"},
        {"plane speed armed", "plane speed arm",
         "12:28: error: motion 'plane' refers to unknown parameter 'arm'"},
        {"speed jump", "speed jmp",
         "12:83: error: motion 'plane' refers to unknown parameter 'jmp'"},
        {"item run 2.5", "item fly 2.5",
         "11:53: error: motion 'line' refers to unknown motion 'fly'"},
        {"item run 2.5", "item plane 2.5",
         "11:53: error: motion 'line' contains motion 'plane', which must be declared before it"},
        {"item run 2.5", "item line 2.5",
         "11:53: error: motion 'line' contains motion 'line', which must be declared before it"},
        {"item run 2.5", "item run 0",
         "11:57: error: motion 'line': items are not sorted by position: expected item 1 above 0, "
         "found 0"},
        {"item run 1 0", "item run 0 0",
         "12:59: error: motion 'plane': items 'walk' and 'run' are at the same position"},
        {"item walk 0 item run 2.5 ", "",
         "11:10: error: motion 'line' has no items: expected at least 1"},
        {"{ markers item", "{ markers item once 3 item",
         "11:41: error: motion 'line' contains motion 'once', which must be declared before it"},
        {"( 1 11 )", "( 1 )",
         "11:28: error: motion 'line' cannot be synchronized by markers: expected the same number "
         "in all clips, at least 1, found 1 to 2"},
        {"{ speed 2 }", "{ once } motion bad line speed { phase item pace 1 }",
         "10:58: error: motion 'bad' cannot be synchronized: one of its clips does not loop"},
        {"{ speed 2 }", "{ ping_pong } motion bad line speed { markers item pace 1 }",
         "10:63: error: motion 'bad' cannot be synchronized by markers: one of its clips plays "
         "ping-pong"},
        {"item line item", "item line { add } item",
         "13:35: error: motion 'both': mode of the first item is 'add': expected 'override'"},
        {"mask upper weight speed", "mask lower weight speed",
         "13:54: error: motion 'both' refers to unknown mask 'lower'"},
        {"weight speed", "weight sped",
         "13:67: error: motion 'both' refers to unknown parameter 'sped'"},
        {"weight 0.5 } }", "weight 1.5 } }",
         "14:42: error: motion 'both': weight of an item is out of range: expected 0 to 1, found "
         "1.5"},
        {"weight 0.5 } }", "weight speed steps 0 } }",
         "14:54: error: motion 'both': number of steps is out of range: expected 1 to 65536, found "
         "0"},
        {"reference run", "reference rn",
         "14:15: error: motion 'both' refers to unknown clip 'rn'"},
        {"reference run 3", "reference run 21",
         "14:19: error: reference frame of clip 'run' is out of range: expected 0 to 20, found "
         "21"});
}

TEST (machine_locations_of_layers) {
    CHECK_CASES(
        {"layer top", "layer body", "21:9: error: duplicate layer 'body'"},
        {"layer top", "layer ''", "21:9: error: layer 1 has no name"},
        {" state s once", "", "21:9: error: layer 'top' has no states: expected at least 1"},
        {"weight 0.5 state", "weight -0.5 state",
         "21:54: error: layer 'top': weight is out of range: expected 0 to 1, found -0.5"},
        {"weight 0.5 state", "weight speed cubic_bezier 0 0 7 1 state",
         "21:77: error: layer 'top': x2 is out of range: expected 0 to 1, found 7"},
        {"bool armed", "follow speed ease 1 cubic_bezier 2 0 0 1 bool armed",
         "2:52: error: 'follow' entry of parameter 'speed': x1 is out of range: expected 0 to "
         "1, found 2"},
        {"weight 0.5 state", "weight lean state",
         "21:54: error: layer 'top' refers to unknown parameter 'lean'"},
        {"1 mask upper", "1 mask lower",
         "21:41: error: layer 'top' refers to unknown mask 'lower'"},
        {"reference idle 1", "reference idl 2",
         "21:29: error: layer 'top' refers to unknown clip 'idl'"},
        {"reference idle 1", "reference idle 98",
         "21:34: error: reference frame of clip 'idle' is out of range: expected 0 to 20, "
         "found 98"},
        {"state go both", "state stand both", "17:11: error: duplicate state 'stand'"},
        {"state go both", "state \"\" both", "17:11: error: state 1 has no name"},
        {"state go both", "state go bth",
         "17:14: error: state 'go' refers to unknown motion 'bth'"},
        {"stand go {", "stnd go {",
         "18:16: error: transition of layer 'body' refers to unknown state 'stnd'"},
        {"stand go {", "stand\n g {",
         "19:2: error: transition of layer 'body' refers to unknown state 'g'"},
        {"any off {", "any any {",
         "19:20: error: transition of layer 'body' refers to unknown state 'any'"},
        {"when speed >", "when sped >",
         "18:32: error: transition of layer 'body' refers to unknown parameter 'sped'"},
        {"not armed", "not amred",
         "18:52: error: transition of layer 'body' refers to unknown parameter 'amred'"},
        {"duration 0.25", "duration -1",
         "18:67: error: transition of layer 'body': duration is out of range: expected 0 "
         "to 1e+06, found -1"});
}

TEST (machine_locations_of_morphs) {
    CHECK_CASES(
        {"morph oh", "morph ''",
         "25:50: error: morph 1 has no target: expected the name of a morph target"},
        {"parameter speed", "parameter sped",
         "25:25: error: morph 'smile' refers to unknown parameter 'sped'"},
        {"weight 2 }", "weight -2e6 }",
         "25:40: error: morph 'smile': weight is out of range: expected -1e+06 to 1e+06, found "
         "-2e+06"},
        {"state body go", "state bdy go", "25:59: error: morph 'oh' refers to unknown layer 'bdy'"},
        {"state body go", "state body s",
         "25:64: error: morph 'oh' refers to unknown state 's' of layer 'body'"},
        {"blink clip idle", "blink clip idel",
         "26:20: error: morph 'blink' refers to unknown clip 'idel'"},
        {"( 4 0 8 1 )", "( )",
         "26:9: error: morph 'blink' has no keys for clip 'idle': expected at least 1"},
        {"8 1 )", "21 1 )",
         "26:31: error: key of morph 'blink' is out of range: expected a frame from 0 to 20 in "
         "clip 'idle', found 21"},
        {"8 1 )", "4 1 )",
         "26:31: error: morph 'blink': keys are out of order: expected a frame above 4, found 4"},
        {"8 1 )", "8 1e9 )",
         "26:33: error: morph 'blink': weight of a key is out of range: expected -1e+06 to 1e+06, "
         "found 1e+09"});
}

TEST (machine_locations_of_modifiers) {
    CHECK_CASES(
        {"modifier foot", "modifier look", "23:12: error: duplicate modifier 'look'"},
        {"modifier foot", "modifier ''", "23:12: error: modifier 1 has no name"},
        {"aim head", "aim haed", "22:21: error: modifier 'look' refers to unknown joint 'haed'"},
        {"limit 0.5", "limit -1",
         "22:43: error: modifier 'look': limit is out of range: expected 0 to 1e+06, found -1"},
        {"length 3 limit", "length 65 limit",
         "22:35: error: modifier 'look': chain length is out of range: expected 1 to 64 joints, "
         "found 65"},
        // The number itself is accepted, but the model has fewer joints.
        {"length 3 limit", "length 64 limit",
         "22:35: error: modifier 'look': chain to joint 'head' is too long: expected at most 5 "
         "joints, found 64"},
        {"length 3 limit", "length 6 limit",
         "22:35: error: modifier 'look': chain to joint 'head' is too long: expected at most 5 "
         "joints, found 6"},
        {"gravity 9 length 3", "gravity 9 length 1",
         "24:72: error: modifier 'tail': chain length is out of range: expected 2 to 64 joints, "
         "found 1"},
        {"two_bone lfoot", "two_bone pelvis",
         "23:26: error: modifier 'foot': chain to joint 'pelvis' is too long: expected at most 2 "
         "joints, found 3"},
        {"soften 0.5", "soften 2",
         "23:41: error: modifier 'foot': soften is out of range: expected 0 to 1, found 2"},
        {"stretch 1.5", "stretch 0.5",
         "23:53: error: modifier 'foot': stretch is out of range: expected 1 to 1e+06, found 0.5"},
        {"stiffness 90", "stiffness -1",
         "24:42: error: modifier 'tail': stiffness is out of range: expected 0 to 1e+09, found -1"},
        {"damping 5", "damping -1",
         "24:53: error: modifier 'tail': damping is out of range: expected 0 to 1e+06, found -1"});
}

// Each of fourteen motions contains the previous motion twice: the number of parts doubles until it
// exceeds the limit.
TEST (machine_location_of_a_motion_without_end) {
    char text[2048] = "machine m { clip m0 x\n";
    for (int i = 0; i < 14; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "motion m%d stack { item m%d item m%d }\n", i + 1,
                 i, i);
    }
    strcat(text, "}");
    CHECK_CASES({"", text, "13:34: error: motion 'm12' is too large: expected at most 4096 parts"});
}

// The motion m11 has 4095 parts. A stack adds one part, so a stack of m11 has 4096 parts.
TEST (machine_motion_may_have_4096_parts) {
    char text[2048] = "machine m { clip m0 x\n";
    for (int i = 0; i < 11; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "motion m%d stack { item m%d item m%d }\n", i + 1,
                 i, i);
    }
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "motion last stack { item m11 } }");
    CHECK_CASES({"", text, ""});
    snprintf(text + used, sizeof text - used, "motion last stack { item m11 item m0 } }");
    CHECK_CASES(
        {"", text, "13:35: error: motion 'last' is too large: expected at most 4096 parts"});
}

// Locations stay correct while the tables grow.
TEST (machine_locations_of_long_tables) {
    enum { COUNT = 300, CAPACITY = COUNT * 64 };
    SCOPED_STRING text = test_alloc(CAPACITY);
    for (int wrong = 0; wrong < COUNT; wrong += 23) {
        size_t used = (size_t)snprintf(text, CAPACITY, "machine m {\n");
        for (int i = 0; i < COUNT; i++)
            used += (size_t)snprintf(text + used, CAPACITY - used, "modifier m%d joint %s\n", i,
                                     i == wrong ? "hed" : "head");
        snprintf(text + used, CAPACITY - used, "}");
        int column = 19;
        if (wrong >= 100)
            column = 21;
        else if (wrong >= 10)
            column = 20;
        char message[128];
        snprintf(message, sizeof message,
                 "%d:%d: error: modifier 'm%d' refers to unknown joint 'hed'", wrong + 2, column,
                 wrong);
        CHECK_CASES({"", text, message});
    }
}

static void check_refused(const md5_machine_desc *desc, const md5_load_opts *opts,
                          const char *expected)
{
    md5_error error = {0};
    char text[512];
    CHECK(!md5_create_machine(desc, opts, &error));
    md5_format_error(&error, text, sizeof text);
    CHECK_STRING(text, expected);
}

// A program may change the tables of a file before it creates a machine from them. New entries have
// no location; entries that are changed in place keep the location of their token.
TEST (machine_locations_of_tables_that_were_changed) {
    md5_error error = {0};
    play_begin(&assets);
    play_add_clip(&assets, 21, 20, 0.3, (play_walk){40, 0.5, 0}, 0);
    const md5_load_opts opts = {.file_name = "hero.md5machine"};
    SCOPED_MACHINE_FILE file = md5_parse_machine_file(good, strlen(good), &opts, &error);
    if (!file)
        abort();
    file->desc.model = assets.model;
    for (uint32_t i = 0; i < file->desc.num_clips; i++)
        file->clips[i].binding = assets.bindings[0];

    const md5_load_opts other_file = {.file_name = "other"};
    file->clips[2].binding = NULL;
    check_refused(&file->desc, NULL, "hero.md5machine:9:8: error: clip 'idle' has no binding");
    check_refused(&file->desc, &other_file, "other:9:8: error: clip 'idle' has no binding");
    file->clips[2].binding = assets.bindings[0];
    file->clips[1].name = "walk";
    check_refused(&file->desc, NULL, "hero.md5machine:8:8: error: duplicate clip 'walk'");
    file->clips[1].name = "run";
    const md5_event events[] = {{.frame = 30, .name = "late"}};
    file->clips[1].events = events;
    file->clips[1].num_events = 1;
    check_refused(&file->desc, NULL,
                  "hero.md5machine: error: clip 'run': event 'late' is out of range: expected a "
                  "frame from 0 to 20, found 30");
    file->clips[1].num_events = 0;
    const md5_modifier_desc modifiers[] = {{.name = "nod", .joint = "haed"}};
    md5_machine_desc desc = file->desc;
    desc.modifiers = modifiers;
    desc.num_modifiers = 1;
    check_refused(&desc, NULL,
                  "hero.md5machine: error: modifier 'nod' refers to unknown joint 'haed'");
    desc.model = NULL;
    check_refused(&desc, NULL,
                  "hero.md5machine: error: machine 'hero' has no model: expected a loaded model");
    desc.locations = NULL; // as in tables that are written in C
    desc.model = assets.model;
    check_refused(&desc, NULL, "error: modifier 'nod' refers to unknown joint 'haed'");
    play_end(&assets);
}

static void keep_warning(void *user, const md5_error *warning)
{
    char *const text = user;
    CHECK_STRING(text, "");
    md5_format_error(warning, text, 400);
}

TEST (machine_locations_of_events_and_times) {
    CHECK_CASES(
        {"when jump exit 0.5", "when heard \"step left\" exit at step", ""},
        {"when jump exit 0.5", "when heard stop",
         "19:37: error: transition of layer 'body' refers to unknown event 'stop': no clip "
         "contains it"},
        {"when jump exit 0.5", "when heard steps",
         "19:37: error: transition of layer 'body' refers to unknown event 'steps': no clip "
         "contains it"},
        {"when jump exit 0.5", "exit at \"step up\"",
         "19:34: error: transition of layer 'body' refers to unknown event 'step up': no clip "
         "contains it"},
        {"when speed > 0.5 and not armed", "exit at step",
         "18:35: error: transition of layer 'body' exits at unknown event 'step': no first clip of "
         "its source states contains it"},
        {"when jump exit 0.5", "exit each", "19:31: error: expected a number, found 'each'"},
        {"when jump exit 0.5", "when state_time exit 0.5",
         "19:42: error: expected '<=', '>=', '<' or '>', found 'exit'"},
        {"when jump exit 0.5", "when not heard step",
         "19:41: error: expected a keyword of a transition or '}', found 'step'"},
        {"when jump exit 0.5", "when jump or exit 0.5",
         "19:44: error: expected a keyword of a transition or '}', found '0.5'"},
        {"when jump exit 0.5", "when time_left < or jump",
         "19:43: error: expected a number, found 'or'"},
        {"when jump exit 0.5", "when state_time > 2.5 to 5", ""},
        {"when jump exit 0.5", "when state_time > 2.5 to x",
         "19:51: error: expected a number, found 'x'"},
        {"when jump exit 0.5", "when state_time > 2.5 to nan",
         "19:51: error: invalid number: expected a finite value, found 'nan'"},
        {"when jump exit 0.5", "when state_time > 2.5 to -5",
         "19:51: error: transition of layer 'body': maximum time of a condition is out of range: "
         "expected 1e-06 to 1e+06, found -5"},
        {"when jump exit 0.5", "when state_time > 0 to 0",
         "19:49: error: transition of layer 'body': maximum time of a condition is out of range: "
         "expected 1e-06 to 1e+06, found 0"},
        {"when jump exit 0.5", "when state_time > 5 to 2.5",
         "19:49: error: transition of layer 'body': range of a condition is not ascending: "
         "expected two ascending numbers from 0 or more, found 5 to 2.5"},
        {"when jump exit 0.5", "when state_time > -1 to 2.5",
         "19:50: error: transition of layer 'body': range of a condition is not ascending: "
         "expected two ascending numbers from 0 or more, found -1 to 2.5"},
        {"when jump exit 0.5", "when time_left < 1 to 2.5",
         "19:48: error: transition of layer 'body': only 'state_time' can have a range: expected "
         "one number, found 1 to 2.5"},
        {"when jump exit 0.5", "when \"state_time\" > 1",
         "19:31: error: transition of layer 'body' refers to unknown parameter 'state_time'"});
}

// A clip that is played once stops at the fraction 1. A later exit is an error at the location of
// its text.
TEST (machine_locations_of_exits_that_are_never_reached) {
    static const struct {
        const char *transition, *warning;
    } cases[] = {
        {"transition s s { exit 1.5 }", "21:93: warning: layer 'top': exit 1.5 of the transition "
                                        "to 's' is never reached: clips that play once end at 1"},
        {"state t once transition any t { exit 2 }",
         "21:108: warning: layer 'top': exit 2 of the transition to 't' is never reached: clips "
         "that play once end at 1"},
        {"state t walk transition any s { exit 2 }", ""},
        {"state t nothing transition any s { exit 2 }", ""},
        {"transition s s { exit 1 }", ""},
        {"transition s s { start 1.5 }", ""},
        {"state t walk transition t s { exit 1.5 }", ""},
    };
    static const char state_text[] = "state s once";
    play_begin(&assets);
    for (uint32_t i = 0; i < 3; i++)
        play_add_clip(&assets, 21, 20, 0.3, (play_walk){40, 0.5, 0}, i);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[sizeof good + 100];
        char warning[400] = "";
        const size_t before = (size_t)(strstr(good, state_text) + strlen(state_text) - good);
        const int size = snprintf(text, sizeof text, "%.*s %s%s", (int)before, good,
                                  cases[i].transition, good + before);
        const md5_load_opts opts = {.warn = keep_warning, .warn_user = warning};
        CHECK(make(text, (size_t)size, &opts, NULL));
        CHECK_STRING(warning, cases[i].warning);
    }
    play_end(&assets);
}

// -- Joint names with all characters --------------------------------------------------------------
//
// Joint names with all characters that an MD5 file allows, in every place of a machine file that
// names a joint.

// Names as exporters write them: first as in a .md5mesh, where quoted names have no escapes, then
// as in a machine file.
static const struct {
    const char *mesh, *machine;
} names[] = {
    {"\"origin\"", "origin"},
    {"\"Bip01 L Hand\"", "\"Bip01 L Hand\""},
    {"'Bip01 \"R\" Hand'", "'Bip01 \"R\" Hand'"},
    {"\"it's\"", "\"it's\""},
    {"\"back\\\"", "back\\"},
    {"\"back\\slash \\\"", "\"back\\slash \\\""},
    {"\"-minus\"", "\"-minus\""},
    {"\"*star\"", "\"*star\""},
    {"\"-*\"", "\"-*\""},
    {"\"(round) {curly}\"", "\"(round) {curly}\""},
    {"\"// comment\"", "'// comment'"},
    {"\"100\"", "\"100\""},
    {"\"nothing\"", "nothing"},
    {"\"l\xc3\xa4uft\"", "l\xc3\xa4uft"},
    {"\"\xe9\x80\x9f \xe5\xba\xa6\"", "\"\xe9\x80\x9f \xe5\xba\xa6\""},
    {"\"\xe9\xe8\"", "'\xe9\xe8'"}, // Latin-1
    {"\" blanks \"", "\" blanks \""},
    {"\"=><&,;:.\"", "=><&,;:."},
};
enum { NUM_NAMES = COUNT_OF(names), CAPACITY = 8192 };

static md5_model *make_model(void)
{
    char text[CAPACITY];
    md5_error error = {0};
    size_t used = (size_t)snprintf(text, CAPACITY,
                                   "MD5Version 10 commandline \"\" numJoints %d numMeshes 1\n"
                                   "joints {\n",
                                   (int)NUM_NAMES);
    for (int i = 0; i < NUM_NAMES; i++)
        used += (size_t)snprintf(text + used, CAPACITY - used, "%s %d ( %d 0 0 ) ( 0 0 0 )\n",
                                 names[i].mesh, i - 1, i);
    used += (size_t)snprintf(text + used, CAPACITY - used,
                             "}\nmesh { shader \"\" numverts 1 vert 0 ( 0 0 ) 0 1 numtris 0 "
                             "numweights 1 weight 0 0 1 ( 0 0 0 ) }\n");
    md5_model *const model = md5_parse_model(text, used, NULL, &error);
    if (!CHECK(model)) {
        printf("%s\n", error.message);
        abort();
    }
    return model;
}

// Two masks, a modifier and a layer for each joint; some of them have names that are as unusual as
// the joint names.
TEST (machine_names_any_joint_in_masks_and_modifiers) {
    char text[CAPACITY];
    md5_error error = {0};
    SCOPED_MODEL model = make_model();
    size_t used = (size_t)snprintf(text, CAPACITY, "machine m {\n");
    for (int i = 0; i < NUM_NAMES; i++)
        used += (size_t)snprintf(text + used, CAPACITY - used,
                                 "mask %s ( %s ) mask \"all %d\" ( *%s )\n"
                                 "modifier %s joint %s layer %s { mask %s state %s \"%s\" }\n",
                                 names[i].machine, names[i].machine, i, names[i].machine,
                                 names[i].machine, names[i].machine, names[i].machine,
                                 names[i].machine, names[i].machine, "x");
    used += (size_t)snprintf(text + used, CAPACITY - used, "clip x x }");
    SCOPED_MACHINE_FILE file = md5_parse_machine_file(text, used, NULL, &error);
    if (!CHECK(file)) {
        printf("%u:%u: %s\n", error.line, error.column, error.message);
        return;
    }
    CHECK_UINT(file->desc.num_modifiers, NUM_NAMES);
    for (int i = 0; i < NUM_NAMES; i++) {
        const char *const name = model->skeleton.joints[i].name;
        CHECK_STRING(file->desc.modifiers[i].name, name);
        CHECK_STRING(file->desc.modifiers[i].joint, name);
        CHECK_STRING(file->desc.layers[i].mask, name);
        CHECK_STRING(file->desc.layers[i].states[0].name, name);
        float single_mask[NUM_NAMES], all[NUM_NAMES];
        CHECK(md5_build_mask(&model->skeleton, file->desc.masks[2 * i].joints, 0, single_mask,
                             &error));
        CHECK(md5_build_mask(&model->skeleton, file->desc.masks[2 * i + 1].joints, 0, all, &error));
        for (int joint = 0; joint < NUM_NAMES; joint++)
            CHECK(single_mask[joint] == (float)(joint == i) && all[joint] == (float)(joint >= i));
    }
    file->desc.model = model;
    CHECK(!md5_create_machine(&file->desc, NULL, &error));
    CHECK_STRING(error.message, "clip 'x' has no binding"); // the binding is checked first
    md5_machine_desc desc = file->desc;
    desc.num_clips = desc.num_layers = 0;
    SCOPED_MACHINE machine = md5_create_machine(&desc, NULL, &error);
    if (!CHECK(machine))
        printf("%u:%u: %s\n", error.line, error.column, error.message);
}

// -- Zeros ----------------------------------------------------------------------------------------
//
// Numbers for which a 0 in a table selects the default. A 0 in a text means the value 0, as
// MD5_EXPLICIT_ZERO does in a table.

typedef struct zero_rig {
    play_case assets;
    md5_machine_file *file;
    md5_machine *machine;
    md5_player *player;
} zero_rig;

// Creates a machine of two clips, `a` and `b`, and the text `words`. If `set` is not NULL, it
// changes the parsed tables before the machine is created.
static void begin(zero_rig *rig, const char *words, void (*set)(const md5_machine_desc *desc))
{
    char text[1024];
    md5_error error = {0};
    snprintf(text, sizeof text, "machine m { float one 1 clip a a clip b b { turn }\n%s\n}", words);
    play_begin(&rig->assets);
    play_add_clip(&rig->assets, 21, 20, 0.4, (play_walk){0}, 1);
    play_add_clip(&rig->assets, 21, 20, 0.8, (play_walk){20, 0, 0}, 2);
    rig->file = md5_parse_machine_file(text, strlen(text), NULL, &error);
    if (!CHECK(rig->file)) {
        printf("%s\n", error.message);
        abort();
    }
    CHECK_UINT(rig->file->num_warnings, 0);
    rig->file->desc.model = rig->assets.model;
    for (uint32_t i = 0; i < 2; i++)
        rig->file->clips[i].binding = rig->assets.bindings[i];
    if (set)
        set(&rig->file->desc);
    rig->machine = play_machine(&rig->file->desc);
    rig->player = play_player(rig->machine);
}

static void end(zero_rig *rig)
{
    md5_destroy_player(rig->player);
    md5_destroy_machine(rig->machine);
    md5_free_machine_file(rig->file);
    play_end(&rig->assets);
}

enum { STEPS = 12 };

// Pose and root motion of a player after a step.
typedef struct zero_step {
    md5_xform pose[PLAY_JOINTS], motion;
} zero_step;

// Plays STEPS steps with a target for all modifiers.
static void play(zero_rig *rig, zero_step steps[STEPS])
{
    for (uint32_t i = 0; i < rig->file->desc.num_modifiers; i++) {
        md5_target *const target = md5_player_target(rig->player, i);
        target->rotation = (md5_quat){0, 0, 0, 1};
        target->position = (md5_vec3){10, 30, 20};
    }
    for (int step = 0; step < STEPS; step++) {
        for (uint32_t i = 0; i < rig->file->desc.num_modifiers; i++) {
            md5_foot *const feet = md5_player_feet(rig->player, i);
            if (feet)
                feet->floor = 0.1f * (float)step;
        }
        play_advance(rig->player, 0.07);
        play_pose(rig->player, steps[step].pose);
        steps[step].motion = md5_player_root_motion(rig->player);
    }
}

// Returns the largest difference between the poses and root motions of two machines.
static double difference(const char *words, void (*set)(const md5_machine_desc *desc),
                         const char *second_text)
{
    zero_step a[STEPS], b[STEPS];
    zero_rig rig;
    double max_distance = 0;
    begin(&rig, words, set);
    play(&rig, a);
    end(&rig);
    begin(&rig, second_text, NULL);
    play(&rig, b);
    end(&rig);
    for (int step = 0; step < STEPS; step++) {
        const float moved = a[step].motion.translation.x - b[step].motion.translation.x;
        max_distance = fmax(max_distance, play_pose_distance(a[step].pose, b[step].pose));
        max_distance = fmax(max_distance, fabsf(moved));
    }
    return max_distance;
}

// Returns the first entry of a table for writing.
#define FIRST(type, table) ((type *)(uintptr_t)(table))
#define MODIFIER FIRST(md5_modifier_desc, desc->modifiers)
#define GAZE FIRST(md5_modifier_gaze, desc->modifiers->gaze)
#define SETS_ZERO(name, number)                          \
    static void set_##name(const md5_machine_desc *desc) \
    {                                                    \
        (number) = MD5_EXPLICIT_ZERO;                    \
    }
SETS_ZERO(layer_weight, FIRST(md5_layer_desc, desc->layers)[desc->num_layers - 1].weight)
SETS_ZERO(item_weight, FIRST(md5_motion_item, desc->motions->items)[1].weight)
SETS_ZERO(speed, FIRST(md5_motion_desc, desc->motions)->speed)
SETS_ZERO(limit, MODIFIER->aim.limit)
SETS_ZERO(stiffness, MODIFIER->spring.stiffness)
SETS_ZERO(damping, MODIFIER->spring.damping)
SETS_ZERO(weight, MODIFIER->weight)
SETS_ZERO(smoothing, MODIFIER->smoothing)
SETS_ZERO(stretch, MODIFIER->two_bone.stretch)
SETS_ZERO(head_limit, GAZE->params.head_limit)
SETS_ZERO(head_share, GAZE->params.head_share)
SETS_ZERO(interest, GAZE->params.interest)

#define BODY "layer body { state s a } "
#define TOP(words) "layer top { " words " state t b } "
#define STACK(words) "motion k stack { item a item b { " words " } } layer body { state s k } "
#define STILL(words) "motion k clip a { " words " } layer body { state s k } "
#define SPACE(words) "motion k line one { item a 0 item b 2 " words " } layer body { state s k } "

// `zero` contains a 0. `same` has the same effect without a 0. `omitted` omits the number, which
// selects the default; `set` changes that default to MD5_EXPLICIT_ZERO in the tables.
static const struct {
    const char *name;
    const char *zero;
    const char *same;
    const char *omitted;
    void (*set)(const md5_machine_desc *desc);
} cases[] = {
    {"weight of a layer", BODY TOP("weight 0"), BODY, BODY TOP(""), set_layer_weight},
    {"weight -0 of a layer", BODY TOP("weight -0"), BODY, BODY TOP(""), set_layer_weight},
    {"weight of an added layer", BODY TOP("add weight 0e9"), BODY, BODY TOP("add"),
     set_layer_weight},
    {"weight of the first layer", TOP("weight 0"), "layer l { state s nothing }", TOP(""),
     set_layer_weight},
    {"weight of a masked layer", "mask m ( *spine )" BODY TOP("mask m weight 0"), BODY,
     "mask m ( *spine )" BODY TOP("mask m"), set_layer_weight},
    {"weight of an item", STACK("weight 0"), BODY, STACK(""), set_item_weight},
    {"weight of an added item", STACK("add weight 0.0"), BODY, STACK("add"), set_item_weight},
    {"speed of a clip", STILL("start 0.3 speed 0"), "float z 0 " STILL("start 0.3 speed z"),
     STILL("start 0.3"), set_speed},
    {"speed of a blend space", SPACE("speed 0"), "float z 0 " SPACE("speed z"), SPACE(""),
     set_speed},
    {"limit", BODY "modifier l aim head { length 2 limit 0 }", BODY,
     BODY "modifier l aim head { length 2 }", set_limit},
    {"stiffness", BODY "modifier l spring head { stiffness 0 }", BODY,
     BODY "modifier l spring head", set_stiffness},
    {"damping", BODY "modifier l spring head { damping 0 gravity 30 }",
     BODY "modifier l spring head { damping 1e-30 gravity 30 }",
     BODY "modifier l spring head { gravity 30 }", set_damping},
    {"weight of a modifier", BODY "modifier l two_bone lfoot { weight 0 }", BODY,
     BODY "modifier l two_bone lfoot", set_weight},
    {"weight of a gaze", BODY "modifier l gaze head { weight 0 }", BODY,
     BODY "modifier l gaze head", set_weight},
    {"smoothing", BODY "modifier l feet pelvis { foot lfoot smoothing 0 }",
     BODY "modifier l feet pelvis { foot lfoot smoothing 1e-6 }",
     BODY "modifier l feet pelvis { foot lfoot }", set_smoothing},
    {"head_limit", BODY "modifier l gaze head { head_limit 0 }", BODY, BODY "modifier l gaze head",
     set_head_limit},
    {"head_share", BODY "modifier l gaze head { head_share 0 }",
     BODY "modifier l gaze head { head_share 1e-20 }", BODY "modifier l gaze head", set_head_share},
    {"interest", BODY "modifier l gaze head { interest 0 }",
     BODY "modifier l gaze head { interest 1e-20 }", BODY "modifier l gaze head { interest 1 }",
     set_interest},
};
TEST (machine_zero_in_a_text_is_zero) {
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const double from_same = difference(cases[i].zero, NULL, cases[i].same);
        const double from_default = difference(cases[i].zero, NULL, cases[i].omitted);
        CHECK_THAT(from_same == 0 && from_default > 1e-3, "%s: %g, %g", cases[i].name, from_same,
                   from_default);
    }
}

TEST (machine_zero_in_a_table_is_md5_zero) {
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const double from_same = difference(cases[i].omitted, cases[i].set, cases[i].same);
        CHECK_THAT(from_same == 0, "%s: %g", cases[i].name, from_same);
    }
}

// All other numbers can be 0, which has the same effect as omitting the number.
TEST (machine_zero_elsewhere_equals_an_omitted_number) {
    static const struct {
        const char *zero, *omitted;
    } pairs[] = {
        {"float q 0 layer l { state s a state t b transition s t { when q > -1 } }",
         "float q layer l { state s a state t b transition s t { when q > -1 } }"},
        {"mask m ( *spine ) { feather 0 }" BODY TOP("mask m"),
         "mask m ( *spine )" BODY TOP("mask m")},
        {STILL("start 0"), STILL("")},
        {"layer l { state s a state t b transition s t { exit 0.3 duration 0 start 0 priority 0 } "
         "}",
         "layer l { state s a state t b transition s t { exit 0.3 } }"},
        {"layer l { state s a state t b transition s t { exit 0 duration 0.3 } }",
         "layer l { state s a state t b transition s t { duration 0.3 } }"},
        {BODY "modifier l two_bone lfoot { soften 0 }", BODY "modifier l two_bone lfoot"},
        {BODY "modifier l spring head { gravity 0 }", BODY "modifier l spring head"},
    };
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        if (!CHECK(difference(pairs[i].zero, NULL, pairs[i].omitted) == 0))
            printf("%s\n", pairs[i].zero);
    }
}

static void check_zero_refused(const char *words, void (*set)(const md5_machine_desc *desc),
                               const char *message)
{
    zero_rig rig;
    md5_error error = {0};
    begin(&rig, BODY, NULL);
    char text[256];
    snprintf(text, sizeof text, "machine m { clip a a clip b b\n%s }", words);
    SCOPED_MACHINE_FILE file = md5_parse_machine_file(text, strlen(text), NULL, &error);
    if (file) {
        file->desc.model = rig.assets.model;
        for (uint32_t i = 0; i < 2; i++)
            file->clips[i].binding = rig.assets.bindings[i];
        if (set)
            set(&file->desc);
        CHECK(!md5_create_machine(&file->desc, NULL, &error));
    }
    CHECK_STRING(error.message, message);
    CHECK_UINT(error.line, 2);
    end(&rig);
}

// A 0 for a number that cannot be 0 is rejected, not replaced by a default.
TEST (machine_zero_is_rejected_where_it_is_invalid) {
    static const char stretch[] =
        "modifier 'l': stretch is out of range: expected 1 to 1e+06, found 0";
    check_zero_refused("modifier l two_bone lfoot { stretch 0 }", NULL, stretch);
    check_zero_refused("modifier l two_bone lfoot { stretch 1 }", set_stretch, stretch);
    check_zero_refused("modifier l aim head { length 0 }", NULL,
                       "length is out of range: expected 1 or more, found 0");
    check_zero_refused(
        "modifier l aim head { forward ( 0 0 0 ) }", NULL,
        "forward is not a direction: expected a vector that is not 0, found ( 0 0 0 )");
    check_zero_refused("modifier l aim head { up ( 0 0 0 ) }", NULL,
                       "up is not a direction: expected a vector that is not 0, found ( 0 0 0 )");
}

// A limit of MD5_EXPLICIT_ZERO prevents every rotation; a limit of 0 selects the default.
TEST_WITH (machine_zero_limit_of_an_aim_prevents_rotation, zero_rig, rig, begin(rig, BODY, NULL),
           end(rig)) {
    md5_xform pose[PLAY_JOINTS], old[PLAY_JOINTS];
    play_pose(rig->player, old);
    memcpy(pose, old, sizeof pose);
    md5_aim_job job = {.tip = 4, .length = 2, .target = {0, 30, 20}, .weight = 1};
    job.params.limit = MD5_EXPLICIT_ZERO;
    CHECK(md5_solve_aim(&rig->assets.model->skeleton, &job, pose));
    CHECK_BYTES(pose, old, sizeof pose);
    job.params.limit = 0;
    CHECK(md5_solve_aim(&rig->assets.model->skeleton, &job, pose));
    CHECK(play_pose_distance(pose, old) > 0.1);
    job.params.limit = MD5_EXPLICIT_ZERO;
    job.tip = PLAY_JOINTS;
    CHECK(!md5_solve_aim(&rig->assets.model->skeleton, &job, pose));
}

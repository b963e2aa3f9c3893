// Errors that are found when a machine is created from a text: each is reported with the line and
// column of the word that is wrong.
#include "test/read/read_case.h"
#include "test/test.h"
#include "test/play/test_play_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Three clips of 21 frames each.
static const char good[] =
    "machine hero {\n"                                                             // 1
    "  float speed 1.5 bool armed trigger jump\n"                                  // 2
    "  mask upper ( *spine -*rarm /* ( */\n"                                       // 3
    "    -larm // not this one: tail )\n"                                          // 4
    "    \"*larm\" lhand ) { feather 2 }\n"                                        // 5
    "  mask none ( )\n"                                                            // 6
    "  clip walk w.md5anim { markers ( 0 10 ) frame 2 step left frame 12 step }\n" // 7
    "  clip run r.md5anim { markers ( 1 11 ) turn }\n"                             // 8
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
    "}\n";

static play_case made;

static bool make(const char *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    md5_machine_file *const file = md5_parse_machine_file(text, size, opts, error);
    if (!file)
        return false;
    file->desc.model = made.model;
    for (uint32_t i = 0; i < file->desc.num_clips; i++)
        file->clips[i].binding = made.bindings[i < 3 ? i : 2];
    md5_machine *const machine = md5_create_machine(&file->desc, opts, error);
    const bool is_made = machine != NULL;
    CHECK(!machine || !md5_machine_tables(machine)->locations);
    md5_destroy_machine(machine);
    md5_free_machine_file(file);
    return is_made;
}

static void check_cases(const read_case *cases, size_t count, int line)
{
    static const play_walk walk = {40.0, 0.5, 0.0};
    play_begin(&made);
    for (uint32_t i = 0; i < 3; i++)
        play_add_clip(&made, 21, 20.0, 0.3, walk, i);
    read_cases_check(good, cases, count, make, __FILE__, line);
    play_end(&made);
}

#define CHECK_CASES(cases) check_cases(cases, sizeof(cases) / sizeof((cases)[0]), __LINE__)

TEST (machine_locations_of_clips_and_events) {
    static const read_case cases[] = {
        {"", good, ""},
        {"clip run r", "clip walk r", "8:8: error: clip 'walk' is declared twice"},
        {"clip run r", "clip '' r", "8:8: error: clip 1 has no name"},
        {"frame 2 step", "frame 2 ''", "7:50: error: clip 'walk': event 0 has no name"},
        {"frame 12 step", "frame 21 step",
         "7:66: error: clip 'walk': event 'step' is at frame 21, but the last frame is 20"},
        {"frame 12 step", "frame 4294967294 step",
         "7:66: error: clip 'walk': event 'step' is at frame 4294967294, but the last frame is 20"},
        {"( 0 10 )", "( 0 20 )",
         "7:37: error: clip 'walk': a marker is at frame 20, but the cycle ends at frame 20"},
        {"( 1 11 )", "( 1\n 0 )",
         "9:2: error: clip 'run': the marker at frame 0 is not after the one before"},
    };
    CHECK_CASES(cases);
}

TEST (machine_locations_of_masks_and_parameters) {
    static const read_case cases[] = {
        {"bool armed", "bool speed", "2:24: error: parameter 'speed' is declared twice"},
        {"bool armed", "bool \"\"", "2:24: error: parameter 1 has no name"},
        {"mask none", "mask upper", "6:8: error: mask 'upper' is declared twice"},
        {"mask none", "mask ''", "6:8: error: mask 1 has no name"},
        {"*spine", "*spin", "3:17: error: mask 'upper': there is no joint 'spin'"},
        {"-*rarm", "-*\"r arm\"", "3:25: error: mask 'upper': there is no joint 'r arm'"},
        {"-*rarm", "-*", "3:24: error: mask 'upper': '*' must be followed by a joint"},
        {"-larm", "-", "4:5: error: mask 'upper': '-' must be followed by a joint"},
        {"lhand )", "tail )", "5:13: error: mask 'upper': there is no joint 'tail'"},
        {"\"*larm\"", "\"*tail\"", "5:5: error: mask 'upper': there is no joint '*tail'"},
        {"( )", "(\r\n\r  ''\r )", "8:3: error: mask 'none': a joint has no name"},
        {"( )", "( -\"*lhand\" )", "6:16: error: mask 'none': there is no joint '*lhand'"},
        {"( )", "( larm\"lhand\" )", "6:15: error: mask 'none': there is no joint 'larm\"lhand\"'"},
        {"( )", "( \"larm\"lhand )", "6:21: error: mask 'none': expected white space after 'larm'"},
    };
    CHECK_CASES(cases);
}

TEST (machine_locations_of_motions) {
    static const read_case cases[] = {
        {"motion line", "motion walk", "11:10: error: motion 'walk' is declared twice"},
        {"motion line", "motion ''", "11:10: error: motion 4 has no name"},
        {"clip walk {", "clip wlak {",
         "10:20: error: motion 'pace' names clip 'wlak', which does not exist"},
        {"clip walk {", "clip line {",
         "10:20: error: motion 'pace' names clip 'line', which does not exist"},
        {"line speed {", "line sped {",
         "11:20: error: motion 'line' names parameter 'sped', which does not exist"},
        {"plane speed armed", "plane speed arm",
         "12:28: error: motion 'plane' names parameter 'arm', which does not exist"},
        {"speed jump", "speed jmp",
         "12:83: error: motion 'plane' names parameter 'jmp', which does not exist"},
        {"item run 2.5", "item fly 2.5",
         "11:53: error: motion 'line' names motion 'fly', which does not exist"},
        {"item run 2.5", "item plane 2.5",
         "11:53: error: motion 'line' is made of 'plane', which must be declared before it"},
        {"item run 2.5", "item line 2.5",
         "11:53: error: motion 'line' is made of 'line', which must be declared before it"},
        {"item run 2.5", "item run 0",
         "11:57: error: motion 'line': item 1 is not above the one before"},
        {"item run 1 0", "item run 0 0",
         "12:59: error: motion 'plane': items 'walk' and 'run' are at the same position"},
        {"item walk 0 item run 2.5 ", "", "11:10: error: motion 'line' has no items"},
        {"{ markers item", "{ markers item once 3 item",
         "11:41: error: motion 'line' is made of 'once', which must be declared before it"},
        {"( 1 11 )", "( 1 )",
         "11:28: error: motion 'line' is synchronised by markers, but its clips have 1 to 2 of "
         "them"},
        {"{ speed 2 }", "{ once } motion bad line speed { phase item pace 1 }",
         "10:58: error: motion 'bad' is synchronised, but one of its clips does not loop"},
        {"{ speed 2 }", "{ ping_pong } motion bad line speed { markers item pace 1 }",
         "10:63: error: motion 'bad' is synchronised by markers, but one of its clips is "
         "ping-pong"},
        {"item line item", "item line { add } item",
         "13:35: error: motion 'both' has no item before the first, to which that could be added"},
        {"mask upper weight speed", "mask lower weight speed",
         "13:54: error: motion 'both' names mask 'lower', which does not exist"},
        {"weight speed", "weight sped",
         "13:67: error: motion 'both' names parameter 'sped', which does not exist"},
        {"weight 0.5 } }", "weight 1.5 } }",
         "14:42: error: motion 'both': weight of an item is 1.5, which must be 0 to 1"},
        {"weight 0.5 } }", "weight speed steps 0 } }",
         "14:54: error: motion 'both': there are 0 steps, which must be 1 to 65536"},
        {"reference run", "reference rn",
         "14:15: error: motion 'both' names clip 'rn', which does not exist"},
        {"reference run 3", "reference run 21",
         "14:19: error: frame 21 of clip 'run' is a reference, but the last frame is 20"},
    };
    CHECK_CASES(cases);
}

TEST (machine_locations_of_layers) {
    static const read_case cases[] = {
        {"layer top", "layer body", "21:9: error: layer 'body' is declared twice"},
        {"layer top", "layer ''", "21:9: error: layer 1 has no name"},
        {" state s once", "", "21:9: error: layer 'top' has no states"},
        {"weight 0.5 state", "weight -0.5 state",
         "21:54: error: layer 'top': weight is -0.5, which must be 0 to 1"},
        {"weight 0.5 state", "weight speed cubic_bezier 0 0 7 1 state",
         "21:77: error: layer 'top': x2 is 7, which must be 0 to 1"},
        {"bool armed", "follow speed ease 1 cubic_bezier 2 0 0 1 bool armed",
         "2:52: error: the following parameter 'speed': x1 is 2, which must be 0 to 1"},
        {"weight 0.5 state", "weight lean state",
         "21:54: error: layer 'top' names parameter 'lean', which does not exist"},
        {"1 mask upper", "1 mask lower",
         "21:41: error: layer 'top' names mask 'lower', which does not exist"},
        {"reference idle 1", "reference idl 2",
         "21:29: error: layer 'top' names clip 'idl', which does not exist"},
        {"reference idle 1", "reference idle 98",
         "21:34: error: frame 98 of clip 'idle' is a reference, but the last frame is 20"},
        {"state go both", "state stand both", "17:11: error: state 'stand' is declared twice"},
        {"state go both", "state \"\" both", "17:11: error: state 1 has no name"},
        {"state go both", "state go bth",
         "17:14: error: state 'go' names motion 'bth', which does not exist"},
        {"stand go {", "stnd go {",
         "18:16: error: a transition of layer 'body' names state 'stnd', which does not exist"},
        {"stand go {", "stand\n g {",
         "19:2: error: a transition of layer 'body' names state 'g', which does not exist"},
        {"any off {", "any any {",
         "19:20: error: a transition of layer 'body' names state 'any', which does not exist"},
        {"when speed >", "when sped >",
         "18:32: error: a transition of layer 'body' names parameter 'sped', which does not exist"},
        {"not armed", "not amred",
         "18:52: error: a transition of layer 'body' names parameter 'amred', which does not "
         "exist"},
        {"duration 0.25", "duration -1",
         "18:67: error: a transition of layer 'body': duration is -1, which must be 0 to 1e+06"},
    };
    CHECK_CASES(cases);
}

TEST (machine_locations_of_morphs) {
    static const read_case cases[] = {
        {"morph oh", "morph ''", "25:50: error: morph 1 names no target"},
        {"parameter speed", "parameter sped",
         "25:25: error: morph 'smile' names parameter 'sped', which does not exist"},
        {"weight 2 }", "weight -2e6 }",
         "25:40: error: morph 'smile': weight is -2e+06, which must be -1e+06 to 1e+06"},
        {"state body go", "state bdy go",
         "25:59: error: morph 'oh' names layer 'bdy', which does not exist"},
        {"state body go", "state body s",
         "25:64: error: morph 'oh' names state 's', which layer 'body' lacks"},
        {"blink clip idle", "blink clip idel",
         "26:20: error: morph 'blink' names clip 'idel', which does not exist"},
        {"( 4 0 8 1 )", "( )", "26:9: error: morph 'blink' has no keys for clip 'idle'"},
        {"8 1 )", "21 1 )",
         "26:31: error: frame 21 of clip 'idle' is a key of morph 'blink', but the last frame is "
         "20"},
        {"8 1 )", "4 1 )",
         "26:31: error: morph 'blink': the key of frame 4 stands behind that of frame 4"},
        {"8 1 )", "8 1e9 )",
         "26:33: error: morph 'blink': the weight of a key is 1e+09, which must be -1e+06 to "
         "1e+06"},
    };
    CHECK_CASES(cases);
}

TEST (machine_locations_of_modifiers) {
    static const read_case cases[] = {
        {"modifier foot", "modifier look", "23:12: error: modifier 'look' is declared twice"},
        {"modifier foot", "modifier ''", "23:12: error: modifier 1 has no name"},
        {"aim head", "aim haed",
         "22:21: error: modifier 'look' names joint 'haed', which does not exist"},
        {"limit 0.5", "limit -1",
         "22:43: error: modifier 'look': limit is -1, which must be 0 to 1e+06"},
        {"length 3 limit", "length 65 limit",
         "22:35: error: modifier 'look' has a chain of 65 joints, which may have 1 to 64"},
        {"length 3 limit", "length 6 limit",
         "22:35: error: modifier 'look': a chain of 6 joints ends at 'head', which is 5 deep"},
        {"gravity 9 length 3", "gravity 9 length 1",
         "24:72: error: modifier 'tail' has a chain of 1 joints, which may have 2 to 64"},
        {"two_bone lfoot", "two_bone pelvis",
         "23:26: error: modifier 'foot': a chain of 3 joints ends at 'pelvis', which is 2 deep"},
        {"soften 0.5", "soften 2",
         "23:41: error: modifier 'foot': soften is 2, which must be 0 to 1"},
        {"stretch 1.5", "stretch 0.5",
         "23:53: error: modifier 'foot': stretch is 0.5, which must be 1 to 1e+06"},
        {"stiffness 90", "stiffness -1",
         "24:42: error: modifier 'tail': stiffness is -1, which must be 0 to 1e+09"},
        {"damping 5", "damping -1",
         "24:53: error: modifier 'tail': damping is -1, which must be 0 to 1e+06"},
    };
    CHECK_CASES(cases);
}

// Each of fourteen motions stacks the one before it twice: the number of parts doubles until it is
// above the limit.
TEST (machine_location_of_a_motion_without_end) {
    char text[2048] = "machine m { clip m0 x\n";
    for (int i = 0; i < 14; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "motion m%d stack { item m%d item m%d }\n", i + 1,
                 i, i);
    }
    strcat(text, "}");
    const read_case cases[] = {
        {"", text, "13:34: error: motion 'm12' is made of more than 4096 parts"}};
    CHECK_CASES(cases);
}

// Locations stay correct while the tables grow.
TEST (machine_locations_of_long_tables) {
    enum { COUNT = 300, ROOM = COUNT * 64 };
    char *const text = malloc(ROOM);
    if (!text)
        abort();
    for (int wrong = 0; wrong < COUNT; wrong += 23) {
        size_t used = (size_t)snprintf(text, ROOM, "machine m {\n");
        for (int i = 0; i < COUNT; i++)
            used += (size_t)snprintf(text + used, ROOM - used, "modifier m%d joint %s\n", i,
                                     i == wrong ? "hed" : "head");
        snprintf(text + used, ROOM - used, "}");
        char says[128];
        snprintf(says, sizeof says,
                 "%d:%d: error: modifier 'm%d' names joint 'hed', which does not exist", wrong + 2,
                 wrong < 10    ? 19
                 : wrong < 100 ? 20
                               : 21,
                 wrong);
        const read_case cases[] = {{"", text, says}};
        CHECK_CASES(cases);
    }
    free(text);
}

static md5_machine_file *parse_good(md5_error *error)
{
    const md5_load_opts opts = {.file_name = "hero.md5machine"};
    md5_machine_file *const file = md5_parse_machine_file(good, strlen(good), &opts, error);
    if (!file)
        abort();
    file->desc.model = made.model;
    for (uint32_t i = 0; i < file->desc.num_clips; i++)
        file->clips[i].binding = made.bindings[0];
    return file;
}

static void check_refused(const md5_machine_desc *desc, const md5_load_opts *opts,
                          const char *expected)
{
    md5_error error;
    char text[512];
    CHECK(!md5_create_machine(desc, opts, &error));
    md5_format_error(&error, text, sizeof text);
    CHECK_STRING(text, expected);
}

// The tables of a file may be changed before a machine is created from them: new rows have no
// location, rows that are changed in place keep the location of their word.
TEST (machine_locations_of_tables_that_were_changed) {
    md5_error error;
    play_begin(&made);
    play_add_clip(&made, 21, 20.0, 0.3, (play_walk){40.0, 0.5, 0.0}, 0);
    md5_machine_file *const file = parse_good(&error);
    const md5_load_opts other = {.file_name = "other"};
    file->clips[2].binding = NULL;
    check_refused(&file->desc, NULL, "hero.md5machine:9:8: error: clip 'idle' has no binding");
    check_refused(&file->desc, &other, "other:9:8: error: clip 'idle' has no binding");
    file->clips[2].binding = made.bindings[0];
    file->clips[1].name = "walk";
    check_refused(&file->desc, NULL, "hero.md5machine:8:8: error: clip 'walk' is declared twice");
    file->clips[1].name = "run";
    const md5_event events[] = {{.frame = 30, .name = "late"}};
    file->clips[1].events = events;
    file->clips[1].num_events = 1;
    check_refused(&file->desc, NULL,
                  "hero.md5machine: error: clip 'run': event 'late' is at frame 30, but the last "
                  "frame is 20");
    file->clips[1].num_events = 0;
    const md5_modifier_desc modifiers[] = {{.name = "nod", .joint = "haed"}};
    md5_machine_desc desc = file->desc;
    desc.modifiers = modifiers;
    desc.num_modifiers = 1;
    check_refused(
        &desc, NULL,
        "hero.md5machine: error: modifier 'nod' names joint 'haed', which does not exist");
    desc.model = NULL;
    check_refused(&desc, NULL, "hero.md5machine: error: machine 'hero' has no model");
    desc.locations = NULL; // as in tables written in C
    desc.model = made.model;
    check_refused(&desc, NULL, "error: modifier 'nod' names joint 'haed', which does not exist");
    md5_free_machine_file(file);
    play_end(&made);
}

static void keep_warning(void *user, const md5_error *warning)
{
    char *const text = user;
    CHECK_STRING(text, "");
    md5_format_error(warning, text, 400);
}

// A clip that is played once stops at 1: a later exit is a mistake, of which the text has the
// place.
TEST (machine_locations_of_exits_that_are_never_reached) {
    static const struct {
        const char *transition, *warning;
    } cases[] = {
        {"transition s s { exit 1.5 }", "21:93: warning: layer 'top': exit 1.5 to 's' is never "
                                        "reached: clips that are played once "
                                        "stop at 1"},
        {"state t once transition any t { exit 2 }",
         "21:108: warning: layer 'top': exit 2 to 't' is never reached: clips that are played once "
         "stop at 1"},
        {"state t walk transition any s { exit 2 }", ""},
        {"state t nothing transition any s { exit 2 }", ""},
        {"transition s s { exit 1 }", ""},
        {"transition s s { start 1.5 }", ""},
        {"state t walk transition t s { exit 1.5 }", ""},
    };
    static const char place[] = "state s once";
    play_begin(&made);
    for (uint32_t i = 0; i < 3; i++)
        play_add_clip(&made, 21, 20.0, 0.3, (play_walk){40.0, 0.5, 0.0}, i);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[sizeof good + 100], warning[400] = "";
        const size_t before = (size_t)(strstr(good, place) + strlen(place) - good);
        const int size = snprintf(text, sizeof text, "%.*s %s%s", (int)before, good,
                                  cases[i].transition, good + before);
        const md5_load_opts opts = {.warn = keep_warning, .warn_user = warning};
        CHECK(make(text, (size_t)size, &opts, NULL));
        CHECK_STRING(warning, cases[i].warning);
    }
    play_end(&made);
}

// Reading of .md5camera files, and the warnings and errors about odd and broken ones.
#include "md5/read/tables.h"
#include "test/read/read_case.h"
#include "test/test.h"

static const char good[] = "MD5Version 10\n"                // 1
                           "commandline \"flight\"\n"       // 2
                           "\n"                             // 3
                           "numFrames 4\n"                  // 4
                           "frameRate 29.97\n"              // 5
                           "numCuts 2\n"                    // 6
                           "\n"                             // 7
                           "cuts {\n"                       // 8
                           "\t1\n"                          // 9
                           "\t3\n"                          // 10
                           "}\n"                            // 11
                           "\n"                             // 12
                           "camera {\n"                     // 13
                           "\t( 1 2 3 ) ( 0 0 0 ) 60\n"     // 14
                           "\t( 4 5 6 ) ( 0 0.6 0 ) 75.5\n" // 15
                           "\t( 7 8 9 ) ( 0 0 -0.8 ) 90\n"  // 16
                           "\t( -1 -2 -3 ) ( 0 0 1 ) 1e2\n" // 17
                           "}\n";                           // 18

static bool load(const char *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    md5_context context;
    md5_camera_file file;
    md5i_context_begin(&context, opts, NULL, error);
    md5_arena arena = {.context = &context};
    const bool loaded = md5i_read_camera_file(&arena, text, size, &file);
    md5i_arena_free(&arena);
    return loaded;
}

#define CHECK_CASES(...) READ_CASES_CHECK(good, load, __VA_ARGS__)

TEST (camera_file_holds_what_the_text_says) {
    md5_context context;
    md5_camera_file file;
    md5i_context_begin(&context, NULL, NULL, NULL);
    md5_arena arena = {.context = &context};
    if (CHECK(md5i_read_camera_file(&arena, good, strlen(good), &file))) {
        CHECK_UINT(context.num_warnings, 0);
        CHECK(md5_span_is(file.command_line, "flight"));
        CHECK_UINT(file.num_frames, 4);
        CHECK(file.frame_rate == 29.97);
        CHECK_UINT(file.num_cuts, 2);
        CHECK(file.cuts[0] == 1 && file.cuts[1] == 3);
        CHECK(file.frames[1].position.x == 4 && file.frames[1].position.z == 6);
        CHECK(file.frames[1].fov == 75.5f && file.frames[3].fov == 100);
        CHECK(file.frames[1].rotation.y == 0.6f);
        CHECK(file.frames[1].rotation.w == 0);
    }
    md5i_arena_free(&arena);
}

TEST (camera_file_takes_free_layout) {
    CHECK_CASES(
        {"", good, ""}, {"\n", "\r", ""},
        {"numFrames 4\nframeRate 29.97\nnumCuts 2\n", "numCuts 2 frameRate 3e1 numFrames 4", ""},
        {"cuts {\n\t1\n\t3\n}", "cuts{1 3}", ""},
        {"\t( 1 2 3 ) ( 0 0 0 ) 60\n", "(1 2 3)(0 0 0)60 // first\n", ""},
        {"\"flight\"", "flight", ""}, {"numCuts 2\n\ncuts {\n\t1\n\t3\n}\n", "", ""},
        {"numCuts 2\n\ncuts {\n\t1\n\t3\n}\n", "numCuts 0", ""}, {"\t1\n", "\t0\n", ""},
        {") 60", ") 0.001", ""}, {") 60", ") 179.99", ""});
}

#define CUT_VIEWS                                                                               \
    "cuts have views of their own, which some engines show in place of the frames: the frames " \
    "are played"

TEST (camera_file_warns_and_goes_on) {
    CHECK_CASES(
        {") 60", ") 0",
         "14:22: warning: field of view 0: expected more than 0 and less than 180 degrees"},
        {") 60", ") -90",
         "14:22: warning: field of view -90: expected more than 0 and less than 180 degrees"},
        {") 60", ") 180",
         "14:22: warning: field of view 180: expected more than 0 and less than 180 degrees"},
        {"\t3\n", "\t1\n", "10:2: warning: cut at frame 1 comes after that at frame 1"},
        {"\t1\n\t3\n", "\t1 pos ( 1 2 3 ) rot ( 0 0 0 )\n\t3 pos ( 4 5 6 ) rot ( 0 0 0 )\n",
         "9:4: warning: " CUT_VIEWS},
        {"\t1\n", "\t1 rotA ( 0 90 0 ) rot ( 0 0 0.5 )\n",
         "9:4: warning: " CUT_VIEWS "\n"
         "9:20: warning: 'rot' replaces the earlier value of this cut"},
        {"\t1\n", "\t1 rot ( 0 0 1.5 )\n",
         "9:4: warning: " CUT_VIEWS "\n"
         "9:8: warning: the rotation has length 1.5, more than 1: it is normalized"},
        {"( 0 0 -0.8 )", "( 0 0 -1.25 )",
         "16:12: warning: the rotation has length 1.25, more than 1: it is normalized"},
        {"commandline \"flight\"\n", "\n", "1:1: warning: 'commandline' is missing"},
        {"MD5Version 10\n", "", "1:1: warning: the line 'MD5Version 10' is missing"},
        {"numCuts 2\n", "numCuts 2\nlens { 35 }\n",
         "7:1: warning: 'lens' is unknown here: skipped with its values"},
        {"1e2\n}\n", "1e2\n} more",
         "18:3: warning: text after the last frame is ignored: found 'more'"},
        {"1e2\n}\n", "1e2\n}\nMD5Version 10\n",
         "19:1: warning: another file begins here: it is not read"});
}

TEST (camera_file_refuses_broken_headers) {
    CHECK_CASES(
        {"", " \n",
         "1:1: error: the file is empty: expected a camera (.md5camera), which begins with "
         "'MD5Version 10'"},
        {"", "MD5Version 10", "1:14: error: expected 'camera', found the end of the file"},
        {"MD5Version 10", "MD5Version 11",
         "1:12: error: MD5 version 11 cannot be read, only versions 10 and 12"},
        {"numFrames 4\n", "", "7:1: error: expected 'numFrames' before 'cuts'"},
        {"numCuts 2\n", "", "7:1: error: expected 'numCuts' before 'cuts'"},
        {"numFrames 4\n", "camera { } numFrames 4\n",
         "4:1: error: expected 'numFrames' before 'camera'"},
        {"frameRate 29.97\n", "", "12:1: error: expected 'frameRate' before 'camera'"},
        {"cuts {\n\t1\n\t3\n}\n", "", "9:1: error: expected 'cuts' before 'camera'"},
        {"numFrames 4", "numFrames 0", "4:11: error: numFrames is 0: expected at least 1"},
        {"numFrames 4", "numFrames four", "4:11: error: expected a whole number, found 'four'"},
        {"numCuts 2", "numCuts -1", "6:9: error: numCuts is -1: expected at least 0"},
        {"numCuts 2", "numCuts 2 numCuts 2", "6:19: error: 'numCuts' appears a second time"},
        {"frameRate 29.97", "frameRate 24 frameRate 24",
         "5:24: error: 'frameRate' appears a second time"},
        {"frameRate 29.97", "frameRate -24", "5:11: error: frameRate is -24: expected more than 0"},
        {"frameRate 29.97", "frameRate 29,97",
         "5:11: error: '29,97' has a decimal comma: numbers are written with a point"},
        {"numFrames 4", "numJoints 4",
         "4:1: error: this is a model (.md5mesh), not a camera (.md5camera): found 'numJoints'"},
        {"numFrames 4", "baseframe { }",
         "4:1: error: this is an animation (.md5anim), not a camera (.md5camera): found "
         "'baseframe'"});
}

TEST (camera_file_refuses_broken_cuts) {
    CHECK_CASES(
        {"cuts {", "cuts [", "8:6: error: expected '{', found '['"},
        {"\t3\n", "", "10:1: error: numCuts says 2, found '}' after 1"},
        {"\t3\n", "\t3 3\n", "10:4: error: numCuts is 2, but there are 3"},
        {"\t3\n", "\t3 3 pos ( 1 2 3 ) 2 2\n", "10:4: error: numCuts is 2, but there are 5"},
        {"\t3\n", "\t3 place\n",
         "10:4: error: numCuts says 2, expected '}' after them, found 'place'"},
        {"\t1\n", "\tx\n", "9:2: error: expected a whole number, found 'x'"},
        {"\t1\n", "\t-1\n", "9:2: error: cut -1 is out of range"},
        {"\t1\n", "\t4\n", "9:2: error: cut at frame 4, but numFrames is 4"},
        {"\t1\n", "\t4294967296\n", "9:2: error: cut 4294967296 is out of range"},
        {"\t1\n", "\t1 pos ( 0 0 )\n",
         "9:4: warning: " CUT_VIEWS "\n9:14: error: expected a number, found ')'"},
        {"\t1\n", "\t1 rotA ( 0 3e38 0 )\n",
         "9:4: warning: " CUT_VIEWS
         "\n9:13: error: '3e38' is out of range: expected a number from -1e9 to 1e9"},
        {"\t1\n", "\t1 rot 5\n",
         "9:4: warning: " CUT_VIEWS "\n9:8: error: expected '(', found '5'"},
        {"camera {", "cuts { }", "13:1: error: 'cuts' appears a second time"},
        {"", "MD5Version 10 numFrames 1 numCuts 2 cuts { 0 // where the rest is missing",
         "1:74: error: numCuts says 2, found the end of the file after 1"});
}

TEST (camera_file_refuses_broken_frames) {
    CHECK_CASES(
        {"camera {", "camera (", "13:8: error: expected '{', found '('"},
        {"\t( 4 5 6 )", "\t( 4 5 )", "15:8: error: expected a number, found ')'"},
        {"( 0 0.6 0 )", "0 0.6 0", "15:12: error: expected '(', found '0'"},
        {"( 0 0.6 0 )", "( 0 3e38 0 )", "15:12: error: the rotation ( 0 3e+38 0 ) is out of range"},
        {") 60\n", ")\n", "15:2: error: expected a number, found '('"},
        {") 60\n", ") 1.#INF\n", "14:22: error: '1.#INF' is not a finite number"},
        {"\t( 7 8 9 ) ( 0 0 -0.8 ) 90\n", "", "17:1: error: numFrames says 4, found '}' after 3"},
        {"1e2\n}\n", "1e2",
         "17:28: error: numFrames says 4, expected '}' after them, found the "
         "end of the file"},
        {"1e2\n}\n", "", "17:24: error: expected a number, found the end of the file"},
        {"\t( -1 -2 -3 ) ( 0 0 1 ) 1e2\n}\n", "",
         "16:27: error: numFrames says 4, found the end of the file after 3"},
        {"1e2\n}\n", "1e2 ( 0 0 0 ) ( 0 0 0 ) 60\n}\n",
         "17:29: error: numFrames is 4, but there are 5"},
        {"1e2\n}\n", "1e2\n}\n/* and", "19:1: warning: this comment has no end: '*/' is missing"});
}

TEST (camera_file_counts_are_held_against_the_bytes_left) {
    CHECK_CASES({"numFrames 4", "numFrames 1000",
                 "4:11: error: numFrames says 1000, which the 161 bytes left cannot hold"},
                {"numCuts 2", "numCuts 100000000000",
                 "6:9: error: numCuts says 100000000000, which the 135 bytes left cannot hold"});
}

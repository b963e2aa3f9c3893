// Reading of .md5camera files, with warnings and errors about unusual and broken files.
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

TEST (camera_file_equals_its_text) {
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

TEST (camera_file_accepts_any_layout) {
    CHECK_CASES(
        {"", good, ""}, {"\n", "\r", ""},
        {"numFrames 4\nframeRate 29.97\nnumCuts 2\n", "numCuts 2 frameRate 3e1 numFrames 4", ""},
        {"cuts {\n\t1\n\t3\n}", "cuts{1 3}", ""},
        {"\t( 1 2 3 ) ( 0 0 0 ) 60\n", "(1 2 3)(0 0 0)60 // first\n", ""},
        {"\"flight\"", "flight", ""}, {"numCuts 2\n\ncuts {\n\t1\n\t3\n}\n", "", ""},
        {"numCuts 2\n\ncuts {\n\t1\n\t3\n}\n", "numCuts 0", ""}, {"\t1\n", "\t0\n", ""},
        {") 60", ") 0.001", ""}, {") 60", ") 179.99", ""});
}

#define CUT_VIEWS                                                                          \
    "cuts contain camera views, which some engines show instead of the frames: using the " \
    "frames"

TEST (camera_file_continues_after_warnings) {
    CHECK_CASES({") 60", ") 0",
                 "14:22: warning: field of view is out of range: expected more than 0 and less "
                 "than 180 degrees, found 0"},
                {") 60", ") -90",
                 "14:22: warning: field of view is out of range: expected more than 0 and less "
                 "than 180 degrees, found -90"},
                {") 60", ") 180",
                 "14:22: warning: field of view is out of range: expected more than 0 and less "
                 "than 180 degrees, found 180"},
                {"\t3\n", "\t1\n",
                 "10:2: warning: cuts are out of order: expected a frame above 1, found 1"},
                {"\t1\n\t3\n", "\t1 pos ( 1 2 3 ) rot ( 0 0 0 )\n\t3 pos ( 4 5 6 ) rot ( 0 0 0 )\n",
                 "9:4: warning: " CUT_VIEWS},
                {"\t1\n", "\t1 rotA ( 0 90 0 ) rot ( 0 0 0.5 )\n",
                 "9:4: warning: " CUT_VIEWS "\n"
                 "9:20: warning: 'rot' is a duplicate in this cut: using the last value"},
                {"\t1\n", "\t1 rot ( 0 0 1.5 )\n",
                 "9:4: warning: " CUT_VIEWS "\n"
                 "9:8: warning: rotation is not normalized: expected x, y, z of length 1 or less, "
                 "found 1.5; normalized"},
                {"( 0 0 -0.8 )", "( 0 0 -1.25 )",
                 "16:12: warning: rotation is not normalized: expected x, y, z of length 1 or "
                 "less, found 1.25; normalized"},
                {"commandline \"flight\"\n", "\n", "1:1: warning: missing 'commandline'"},
                {"MD5Version 10\n", "", "1:1: warning: missing line 'MD5Version 10'"},
                {"numCuts 2\n", "numCuts 2\nlens { 35 }\n",
                 "7:1: warning: 'lens' is an unknown keyword: skipped with its values"},
                {"1e2\n}\n", "1e2\n} more",
                 "18:3: warning: text after the last frame is ignored: found 'more'"},
                {"1e2\n}\n", "1e2\n}\nMD5Version 10\n",
                 "19:1: warning: a second MD5 file begins here: it is ignored"});
}

TEST (camera_file_rejects_invalid_headers) {
    CHECK_CASES(
        {"", " \n",
         "1:1: error: empty file: expected a camera (.md5camera) that begins with 'MD5Version 10'"},
        {"", "MD5Version 10", "1:14: error: expected 'camera', found the end of the file"},
        {"MD5Version 10", "MD5Version 11",
         "1:12: error: unsupported MD5 version: expected version 10 or 12, found 11"},
        {"numFrames 4\n", "", "7:1: error: missing 'numFrames': expected it before 'cuts'"},
        {"numCuts 2\n", "", "7:1: error: missing 'numCuts': expected it before 'cuts'"},
        {"numFrames 4\n", "camera { } numFrames 4\n",
         "4:1: error: missing 'numFrames': expected it before 'camera'"},
        {"frameRate 29.97\n", "", "12:1: error: missing 'frameRate': expected it before 'camera'"},
        {"cuts {\n\t1\n\t3\n}\n", "", "9:1: error: missing 'cuts': expected it before 'camera'"},
        {"numFrames 4", "numFrames 0",
         "4:11: error: numFrames is out of range: expected at least 1, found 0"},
        {"numFrames 4", "numFrames four", "4:11: error: expected an integer, found 'four'"},
        {"numCuts 2", "numCuts -1",
         "6:9: error: numCuts is out of range: expected at least 0, found -1"},
        {"numCuts 2", "numCuts 2 numCuts 2", "6:19: error: duplicate 'numCuts': expected one"},
        {"frameRate 29.97", "frameRate 24 frameRate 24",
         "5:24: error: duplicate 'frameRate': expected one"},
        {"frameRate 29.97", "frameRate -24",
         "5:11: error: frameRate is out of range: expected more than 0, found -24"},
        {"frameRate 29.97", "frameRate 29,97",
         "5:11: error: invalid number: expected a decimal point, found '29,97'"},
        {"numFrames 4", "numJoints 4",
         "4:1: error: wrong file type: expected a camera (.md5camera), found a model (.md5mesh) "
         "with keyword 'numJoints'"},
        {"numFrames 4", "baseframe { }",
         "4:1: error: wrong file type: expected a camera (.md5camera), found an animation "
         "(.md5anim) with keyword 'baseframe'"});
}

TEST (camera_file_rejects_invalid_cuts) {
    CHECK_CASES(
        {"cuts {", "cuts [", "8:6: error: expected '{', found '['"},
        {"\t3\n", "", "10:1: error: too few entries: expected 2 (numCuts), found '}' after 1"},
        {"\t3\n", "\t3 3\n", "10:4: error: too many entries: expected 2 (numCuts), found 3"},
        {"\t3\n", "\t3 3 pos ( 1 2 3 ) 2 2\n",
         "10:4: error: too many entries: expected 2 (numCuts), found 5"},
        {"\t3\n", "\t3 place\n",
         "10:4: error: unterminated section: expected '}' after 2 entries (numCuts), found "
         "'place'"},
        {"\t1\n", "\tx\n", "9:2: error: expected an integer, found 'x'"},
        {"\t1\n", "\t-1\n", "9:2: error: cut is out of range: expected 0 to 4294967295, found -1"},
        {"\t1\n", "\t4\n",
         "9:2: error: cut is out of range: expected a frame below 4 (numFrames), found 4"},
        {"\t1\n", "\t4294967296\n",
         "9:2: error: cut is out of range: expected 0 to 4294967295, found 4294967296"},
        {"\t1\n", "\t1 pos ( 0 0 )\n",
         "9:4: warning: " CUT_VIEWS "\n9:14: error: expected a number, found ')'"},
        {"\t1\n", "\t1 rotA ( 0 3e38 0 )\n",
         "9:4: warning: " CUT_VIEWS
         "\n9:13: error: number is out of range: expected -1e9 to 1e9, found '3e38'"},
        {"\t1\n", "\t1 rot 5\n",
         "9:4: warning: " CUT_VIEWS "\n9:8: error: expected '(', found '5'"},
        {"camera {", "cuts { }", "13:1: error: duplicate 'cuts': expected one"},
        {"", "MD5Version 10 numFrames 1 numCuts 2 cuts { 0 // where the rest is missing",
         "1:74: error: too few entries: expected 2 (numCuts), found the end of the "
         "file after 1"});
}

TEST (camera_file_rejects_invalid_frames) {
    CHECK_CASES(
        {"camera {", "camera (", "13:8: error: expected '{', found '('"},
        {"\t( 4 5 6 )", "\t( 4 5 )", "15:8: error: expected a number, found ')'"},
        {"( 0 0.6 0 )", "0 0.6 0", "15:12: error: expected '(', found '0'"},
        {"( 0 0.6 0 )", "( 0 3e38 0 )",
         "15:12: error: rotation is out of range: expected x, y, z of length 1 or less, found ( 0 "
         "3e+38 0 )"},
        {") 60\n", ")\n", "15:2: error: expected a number, found '('"},
        {") 60\n", ") 1.#INF\n",
         "14:22: error: invalid number: expected a finite value, found '1.#INF'"},
        {"\t( 7 8 9 ) ( 0 0 -0.8 ) 90\n", "",
         "17:1: error: too few entries: expected 4 (numFrames), found '}' after 3"},
        {"1e2\n}\n", "1e2",
         "17:28: error: unterminated section: expected '}' after 4 entries (numFrames), found the "
         "end of the file"},
        {"1e2\n}\n", "", "17:24: error: expected a number, found the end of the file"},
        {"\t( -1 -2 -3 ) ( 0 0 1 ) 1e2\n}\n", "",
         "16:27: error: too few entries: expected 4 (numFrames), found the end of "
         "the file after 3"},
        {"1e2\n}\n", "1e2 ( 0 0 0 ) ( 0 0 0 ) 60\n}\n",
         "17:29: error: too many entries: expected 4 (numFrames), found 5"},
        {"1e2\n}\n", "1e2\n}\n/* and",
         "19:1: warning: unterminated comment: expected '*/', found the end of the "
         "file"});
}

TEST (camera_file_counts_are_limited_by_the_remaining_bytes) {
    CHECK_CASES({"numFrames 4", "numFrames 1000",
                 "4:11: error: numFrames is too large for the file: found 1000, but only 161 bytes "
                 "are left"},
                {"numCuts 2", "numCuts 100000000000",
                 "6:9: error: numCuts is too large for the file: found 100000000000, but only 135 "
                 "bytes are left"});
}

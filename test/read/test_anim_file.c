// Reading of .md5anim files, with warnings and errors about unusual and broken files.
#include "md5/read/tables.h"
#include "test/scoped.h"
#include "test/read/read_case.h"

static const char good[] = "MD5Version 10\n"              // 1
                           "commandline \"\"\n"           // 2
                           "\n"                           // 3
                           "numFrames 2\n"                // 4
                           "numJoints 3\n"                // 5
                           "frameRate 24\n"               // 6
                           "numAnimatedComponents 4\n"    // 7
                           "\n"                           // 8
                           "hierarchy {\n"                // 9
                           "\t\"root\"\t-1 1 0\t//\n"     // 10
                           "\t\"arm\"\t0 56 1\t// root\n" // 11
                           "\t\"hand\"\t1 0 0\t// arm\n"  // 12
                           "}\n"                          // 13
                           "\n"                           // 14
                           "bounds {\n"                   // 15
                           "\t( -1 -2 -3 ) ( 1 2 3 )\n"   // 16
                           "\t( 0 0 0 ) ( -1 -1 -1 )\n"   // 17
                           "}\n"                          // 18
                           "\n"                           // 19
                           "baseframe {\n"                // 20
                           "\t( 7 8 9 ) ( 0 0 0.5 )\n"    // 21
                           "\t( 1 0 0 ) ( 0 0.1 0 )\n"    // 22
                           "\t( 0 1 0 ) ( 0.6 0.8 0 )\n"  // 23
                           "}\n"                          // 24
                           "\n"                           // 25
                           "frame 0 {\n"                  // 26
                           "\t1\n"                        // 27
                           "\t0.5 0.5 0.25\n"             // 28
                           "}\n"                          // 29
                           "\n"                           // 30
                           "frame 1 {\n"                  // 31
                           "\t2\n"                        // 32
                           "\t-0.5 0.5 0.25\n"            // 33
                           "}\n";                         // 34

static bool load(const char *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    md5_context context;
    md5_anim_file file;
    md5i_context_begin(&context, opts, NULL, error);
    md5_arena arena = {.context = &context};
    const bool loaded = md5i_read_anim_file(&arena, text, size, NULL, &file);
    md5i_arena_free(&arena);
    return loaded;
}

#define CHECK_CASES(...) READ_CASES_CHECK(good, load, __VA_ARGS__)

// The valid text with one replacement, and the tables that were read from it.
typedef struct reading {
    md5_context context;
    md5_error error;
    md5_arena arena;
    md5_anim_file file;
    char *text;
} reading;

static bool begin(reading *r, const char *old, const char *new)
{
    size_t size;
    r->text = read_case_text(good, old, new, &size);
    md5i_context_begin(&r->context, NULL, NULL, &r->error);
    r->arena = (md5_arena){.context = &r->context};
    const bool is_read = md5i_read_anim_file(&r->arena, r->text, size, NULL, &r->file);
    return CHECK_THAT(is_read, "%u:%u: %s", r->error.line, r->error.column, r->error.message);
}

static void end(reading *r)
{
    md5i_arena_free(&r->arena);
    free(r->text);
}

static bool span_equals(md5_span span, const char *text)
{
    return span.size == strlen(text) && memcmp(span.bytes, text, span.size) == 0;
}

TEST_IF (anim_file_equals_its_text, reading, r, begin(r, NULL, good) || (end(r), false), end(r)) {
    const md5_anim_file *const file = &r->file;
    CHECK_UINT(r->context.num_warnings, 0);
    CHECK_UINT(file->num_frames, 2);
    CHECK_UINT(file->num_joints, 3);
    CHECK_UINT(file->num_components, 4);
    CHECK(file->frame_rate == 24);
    CHECK(span_equals(file->joints[2].name, "hand") && file->joints[2].parent == 1);
    CHECK(file->joints[0].parent == MD5_NONE);
    CHECK(file->order[0] == 0 && file->order[1] == 1 && file->order[2] == 2);
    CHECK(file->tracks[0].flags == 1 && file->tracks[0].first == 0);
    CHECK(file->tracks[1].flags == 56 && file->tracks[1].first == 1);
    CHECK(file->base_frame[0].translation.y == 8);
    CHECK(file->base_frame[0].rotation.z == 0.5f);
    CHECK(file->base_frame[0].rotation.w == 0); // not rebuilt yet
    CHECK(file->numbers[0] == 1 && file->numbers[3] == 0.25f);
    CHECK(file->numbers[4] == 2 && file->numbers[5] == -0.5f);
    REQUIRE(file->bounds);
    CHECK(file->bounds[0].min.z == -3.0f && file->bounds[0].max.y == 2);
    CHECK(file->bounds[1].min.x == 0 && file->bounds[1].max.x == -1.0f);
}

TEST (anim_file_accepts_any_layout) {
    CHECK_CASES(
        {"", good, ""}, {"MD5Version 10\n", "\xEF\xBB\xBF\nMD5Version 10 // x\n", ""},
        {"MD5Version 10\n", "MD5Version 12\n", ""}, {"frameRate 24", "frameRate 29.97", ""},
        {"frameRate 24", "frameRate 1e-3", ""},
        {"frameRate 24\nnumAnimatedComponents 4\n", "numAnimatedComponents 4 frameRate 24", ""},
        {"\"arm\"", "L arm", ""}, {"\"arm\"", "\"root\"", ""},
        {"\"arm\"\t0 56 1", "\"arm\"\t-1 56 1", ""}, {"\"hand\"\t1 0 0", "\"hand\"\t1 0 4", ""},
        {"\"hand\"\t1 0 0", "\"hand\"\t1 0 -1", ""},
        {"\"hand\"\t1 0 0", "\"hand\"\t1 0 99999999999", ""},
        {"\"hand\"\t1 0 0", "\"hand\"\t1 7 1", ""}, // components may be shared
        {"frame 0 {\n\t1\n", "frame 0{1 /* x */ ", ""},
        {"frame 0 {\n\t1\n\t0.5", "frame 0 { - 1 +0.5", ""},
        {"bounds {\n\t( -1 -2 -3 ) ( 1 2 3 )\n\t( 0 0 0 ) ( -1 -1 -1 )\n}\n", "", ""},
        {"bounds {\n\t( -1 -2 -3 ) ( 1 2 3 )\n\t( 0 0 0 ) ( -1 -1 -1 )\n}\n",
         "baseframe { (0 0 0)(0 0 0) (0 0 0)(0 0 0) (0 0 0)(0 0 0) }\n"
         "bounds { (0 0 0)(0 0 1) (0 0 0)(0 0 0) } //",
         "17:1: error: duplicate 'baseframe': expected one"});
}

TEST_IF (anim_file_sections_may_change_order, reading, r,
         begin(r, "bounds {\n\t( -1 -2 -3 ) ( 1 2 3 )\n\t( 0 0 0 ) ( -1 -1 -1 )\n}\n", "")
             || (end(r), false),
         end(r)) {
    CHECK(!r->file.bounds);
    CHECK_UINT(r->context.num_warnings, 0);
}

TEST (anim_file_continues_after_warnings) {
    CHECK_CASES(
        {"MD5Version 10\n", "", "1:1: warning: missing line 'MD5Version 10'"},
        {"commandline \"\"\n", "", "1:1: warning: missing 'commandline'"},
        {"frame 0 {", "event { 1 2 }\nframe 0 {",
         "26:1: warning: 'event' is an unknown keyword: skipped with its values"},
        {"frame 1 {", "event 1 2\nframe 1 {",
         "31:1: warning: 'event' is an unknown keyword: skipped with its values"},
        {"frame 0", "frame 1",
         "26:7: warning: wrong number of the first frame: expected 0, found 1\n"
         "31:7: error: frame number is out of order: expected 2, found 1"},
        {"frame 1 {\n\t2\n\t-0.5 0.5 0.25\n}\n", "frame 1 { 2 0 0 0 }\n1 2 3",
         "32:1: warning: text after the last frame is ignored: found '1'"},
        {"frame 1 {\n\t2\n\t-0.5 0.5 0.25\n}\n", "frame 1 { 2 0 0 0 }\nframe 2 { 2 0 0 0 }",
         "4:11: warning: numFrames is too small: declared 2, found 3; the last one is ignored"},
        {"frame 1 {\n\t2\n\t-0.5 0.5 0.25\n}\n", "frame 1 { 2 0 0 0 } MD5Version 10",
         "31:21: warning: a second MD5 file begins here: it is ignored"},
        {"( 0 0 0 ) ( -1 -1 -1 )\n", "",
         "15:1: warning: number of bounding boxes does not match numFrames: expected 2, found 1; "
         "all boxes are ignored"},
        {"( 0 0 0 ) ( -1 -1 -1 )\n", "( 0 0 0 ) ( 1 1 1 )\n(4 4 4)(5 5 5)\n",
         "15:1: warning: number of bounding boxes does not match numFrames: expected 2, found 3; "
         "excess boxes are ignored"},
        {"numAnimatedComponents 4", "numAnimatedComponents 5",
         "7:23: warning: numAnimatedComponents does not match hierarchy and first frame: declared "
         "5, found 4; the declared value is ignored"},
        {"numAnimatedComponents 4", "numAnimatedComponents 1",
         "7:23: warning: numAnimatedComponents does not match hierarchy and first frame: declared "
         "1, found 4; the declared value is ignored"},
        {"\"root\"\t-1", "\"root\"\t-2",
         "10:9: warning: parent index is out of range: expected -1 or more, found -2; using -1 (no "
         "parent)"},
        {"( 0 0 0.5 )", "( 0 1 0.5 )",
         "21:12: warning: rotation is not normalized: expected x, y, z of length 1 or less, found "
         "1.11803; "
         "normalized"},
        {"-0.5 0.5 0.25", "-0.5 0.5 1.25",
         "33:2: warning: rotation is not normalized: expected x, y, z of length 1 or less, found "
         "1.43614; "
         "normalized"},
        // Two joints read the same numbers. The problem is reported once per frame, for the joint
        // that is first in the text.
        {"\"hand\"\t1 0 0\t// arm\n}\n\nbounds {\n\t( -1 -2 -3 )",
         "\"hand\"\t1 8 0\t// arm\n}\n\nbounds {\n\t( -1 -2 -3 )",
         "27:2: warning: rotation is not normalized: expected x, y, z of length 1 or less, found "
         "1.28062; "
         "normalized\n"
         "32:2: warning: rotation is not normalized: expected x, y, z of length 1 or less, found "
         "2.15407; "
         "normalized"},
        {"0.5 0.5 0.25\n}\n\nframe 1 {\n\t2\n\t-0.5 0.5 0.25",
         "2 0 0\n}\n\nframe 1 {\n\t2\n\t0 3 0",
         "28:2: warning: rotation is not normalized: expected x, y, z of length 1 or less, found "
         "2; normalized\n"
         "33:2: warning: rotation is not normalized: expected x, y, z of length 1 or less, found "
         "3; normalized"});
}

TEST (anim_file_reports_long_rotations_of_a_frame_once) {
    static const char text[] =
        "MD5Version 10 commandline \"\" numFrames 1 numJoints 2 frameRate 1\n"
        "numAnimatedComponents 2\n"
        "hierarchy { a -1 8 1 b 0 16 0 }\n"
        "baseframe { (0 0 0)(0 0 0) (0 0 0)(0 0 0) }\n"
        "frame 0 { 2 3 }\n";
    READ_CASES_CHECK(text, load,
                     {"", text,
                      "5:11: warning: 2 rotations are not normalized: expected x, y, z of length 1 "
                      "or less, found 2 in the "
                      "first; normalized"},
                     {"2 3", "0.5 3",
                      "5:15: warning: rotation is not normalized: expected x, y, z of length 1 or "
                      "less, found 3; normalized"},
                     {"2 3", "0.5 1e20",
                      "5:15: error: number is out of range: expected -1e9 to 1e9, found '1e20'"});
}

TEST (anim_file_with_other_frame_numbers_is_read) {
    size_t size;
    char *const once = read_case_text(good, "frame 0", "frame 7", &size);
    SCOPED char *text = test_alloc(size + 1);
    memcpy(text, once, size);
    text[size] = '\0';
    free(once);
    READ_CASES_CHECK(text, load,
                     {"frame 1", "frame 8",
                      "26:7: warning: wrong number of the first frame: expected 0, found 7"},
                     {"frame 1", "frame 9",
                      "26:7: warning: wrong number of the first frame: expected 0, found 7\n"
                      "31:7: error: frame number is out of order: expected 8, found 9"});
}

TEST (anim_file_with_wrong_box_counts_keeps_matching_boxes) {
    reading r;
    if (begin(&r, "( 0 0 0 ) ( -1 -1 -1 )\n", "( 0 0 0 ) ( 1 1 1 )\n(4 4 4)(5 5 5)\n")
        && CHECK(r.file.bounds))
        CHECK(r.file.bounds[1].max.x == 1);
    end(&r);
    if (begin(&r, "( 0 0 0 ) ( -1 -1 -1 )\n", ""))
        CHECK(!r.file.bounds);
    end(&r);
}

TEST (anim_file_reads_by_the_hierarchy_where_frames_agree_with_it) {
    reading r;
    if (begin(&r, "numAnimatedComponents 4", "numAnimatedComponents 60")) {
        CHECK_UINT(r.file.num_components, 4);
        CHECK(r.file.numbers[4] == 2);
        CHECK_UINT(r.context.num_warnings, 1);
    }
    end(&r);
    // Values that no joint uses are not an error.
    if (begin(&r, "\"arm\"\t0 56 1", "\"arm\"\t0 0 0")) {
        CHECK_UINT(r.file.num_components, 4);
        CHECK_UINT(r.context.num_warnings, 0);
    }
    end(&r);
}

// Without flags the number is not used, but the stored index must not point outside.
TEST (anim_file_first_component_without_flags_is_harmless) {
    STRINGS(firsts) = {"4", "5", "-1", "99999999999", "2147483647"};
    for (size_t i = 0; i < COUNT_OF(firsts); i++) {
        char track[64];
        reading r;
        snprintf(track, sizeof track, "\"hand\"\t1 0 %s", firsts[i]);
        if (begin(&r, "\"hand\"\t1 0 0", track)) {
            CHECK(r.file.tracks[2].flags == 0);
            CHECK(r.file.tracks[2].first <= r.file.num_components);
        }
        end(&r);
    }
}

TEST (anim_file_rejects_invalid_headers_and_joints) {
    CHECK_CASES(
        {"", "",
         "1:1: error: empty file: expected an animation (.md5anim) that begins with 'MD5Version "
         "10'"},
        {"", "RIFF", "1:1: error: not an MD5 file: expected 'MD5Version', found 'RIFF'"},
        {"", "MD5Version 10", "1:14: error: expected 'frame', found the end of the file"},
        {"numFrames 2\n", "", "14:1: error: missing 'numFrames': expected it before 'bounds'"},
        {"numJoints 3\n", "", "8:1: error: missing 'numJoints': expected it before 'hierarchy'"},
        {"frameRate 24\n", "", "25:1: error: missing 'frameRate': expected it before 'frame'"},
        {"numAnimatedComponents 4\n", "",
         "25:1: error: missing 'numAnimatedComponents': expected it before 'frame'"},
        {"numJoints 3\n", "baseframe { } numJoints 3\n",
         "5:1: error: missing 'numJoints': expected it before 'baseframe'"},
        {"numFrames 2\n", "frame 0 { } numFrames 2\n",
         "4:1: error: missing 'numFrames': expected it before 'frame'"},
        {"numJoints 3\n", "numJoints 3 frame\n",
         "5:13: error: missing 'numAnimatedComponents': expected it before 'frame'"},
        {"baseframe {\n\t( 7 8 9 ) ( 0 0 0.5 )\n\t( 1 0 0 ) ( 0 0.1 0 )\n\t( 0 1 0 ) ( 0.6 0.8 0 "
         ")\n}\n",
         "", "21:1: error: missing 'baseframe': expected it before 'frame'"},
        {"numFrames 2\n", "numFrames 2 numFrames 2\n",
         "4:23: error: duplicate 'numFrames': expected one"},
        {"frameRate 24\n", "frameRate 24 frameRate 24\n",
         "6:24: error: duplicate 'frameRate': expected one"},
        {"numJoints 3\n", "numJoints 3 bounds { (5 0 0)(6 0 0) (7 0 0)(8 0 0) }\n",
         "15:1: error: duplicate 'bounds': expected one"},
        {"bounds {", "hierarchy {", "15:1: error: duplicate 'hierarchy': expected one"},
        {"\"hand\"\t1 0 0", "",
         "13:1: error: too few entries: expected 3 (numJoints), found '}' after 2"},
        {"\"hand\"\t1 0 0", "\"x\" 1 0 0 \"hand\"\t1 0 0",
         "12:12: error: too many entries: expected 3 (numJoints), found 4"},
        {"\"hand\"\t1 0 0", "\"hand\"\t1 0", "13:1: error: expected an integer, found '}'"},
        {"\"root\"\t-1 1 0", "\"root\"\t-1 64 0",
         "10:12: error: joint flags are out of range: expected 0 to 63, found 64"},
        {"\"root\"\t-1 1 0", "\"root\"\t-1 -1 0",
         "10:12: error: flags is out of range: expected 0 to 4294967295, found -1"},
        {"\"root\"\t-1 1 0", "\"root\"\t-1 1 -1",
         "10:14: error: first component is out of range: expected 0 to 2147483647, found -1"},
        {"\"arm\"\t0 56 1", "\"arm\"\t0 56 2",
         "11:13: error: hierarchy uses too many components: expected at most 4 "
         "(numAnimatedComponents), found 5"},
        {"\"arm\"\t0 56 1", "\"arm\"\t0 56 2147483647",
         "11:13: error: hierarchy uses too many components: expected at most 4 "
         "(numAnimatedComponents), found 2147483650"},
        {"\"arm\"\t0", "\"arm\"\t3",
         "11:8: error: parent index is out of range: expected below 3 (numJoints), found 3"},
        {"\"arm\"\t0", "\"arm\"\t1", "11:2: error: joint 'arm' is its own ancestor"},
        {"\t( 0 1 0 ) ( 0.6 0.8 0 )\n", "",
         "23:1: error: too few entries: expected 3 (numJoints), found '}' after 2"},
        {"\t( 0 1 0 ) ( 0.6 0.8 0 )\n", "( 0 1 0 ) ( 0 0 0 )\n(0 0 0)(0 0 0)",
         "24:1: error: too many entries: expected 3 (numJoints), found 4"},
        {"( 0 1 0 ) ( 0.6", "( 0 1 0 ) ( 1e25",
         "23:12: error: rotation is out of range: expected x, y, z of length 1 or less, found ( "
         "1e+25 0.8 0 "
         ")"},
        {"( 1 2 3 )", "( 1 2 )", "16:21: error: expected a number, found ')'"},
        {"( -1 -1 -1 )\n}\n", "( -1 -1 -1 )\n", "19:1: error: expected '(', found 'baseframe'"});
}

TEST (anim_file_rejects_invalid_frames) {
    CHECK_CASES(
        {"frame 0 {", "frame 0", "27:2: error: expected '{', found '1'"},
        {"frame 0 {", "frame -1 {",
         "26:7: error: frame is out of range: expected 0 to 4294967295, found -1"},
        {"frame 0 {", "frame x {", "26:7: error: expected an integer, found 'x'"},
        {"frame 1 {", "frame 0 {",
         "31:7: error: frame number is out of order: expected 1, found 0"},
        {"frame 1 {", "frame 2 {",
         "31:7: error: frame number is out of order: expected 1, found 2"},
        {"\t1\n", "\n",
         "29:1: error: wrong number of values in frame: expected 4 (numAnimatedComponents), found "
         "3"},
        {"\t1\n", "\t1 1\n",
         "28:10: error: wrong number of values in frame: expected 4 (numAnimatedComponents), found "
         "5"},
        {"\t1\n", "\tnan\n", "27:2: error: invalid number: expected a finite value, found 'nan'"},
        {"\t2\n", "\n",
         "34:1: error: too few entries: expected 4 (numAnimatedComponents), found '}' after 3"},
        {"\t2\n", "\t2 2\n",
         "33:11: error: unterminated frame: expected '}' after 4 values, found '0.25'"},
        {"\t2\n", "\t1.#IND\n",
         "32:2: error: invalid number: expected a finite value, found '1.#IND'"},
        {"\t-0.5 0.5 0.25\n}\n", "",
         "32:3: error: too few entries: expected 4 (numAnimatedComponents), found the end of the "
         "file after 1"},
        {"\t-0.5 0.5 0.25\n}\n", "0 0 0",
         "33:6: error: unterminated frame: expected '}' after 4 values, found the end of the file"},
        {"frame 1 {\n\t2\n\t-0.5 0.5 0.25\n}\n", "",
         "29:2: error: too few entries: expected 2 (numFrames), found the end of the "
         "file after 1"},
        {"frame 1 {", "bounds {",
         "31:1: error: too few entries: expected 2 (numFrames), found 'bounds' after 1"},
        {"frame 1 {", "0.5 {",
         "31:1: error: too few entries: expected 2 (numFrames), found '0.5' after 1"},
        {"frame 1 {", "MD5Version 10 frame 1 {",
         "31:1: error: too few entries: expected 2 (numFrames), found 'MD5Version' after 1"},
        {"frameRate 24", "frameRate -24",
         "6:11: error: frameRate is out of range: expected more than 0, found -24"},
        {"frameRate 24", "frameRate 1e-60",
         "6:11: error: frameRate is out of range: expected more than 0, found 0"},
        {"frameRate 24", "frameRate inf",
         "6:11: error: invalid number: expected a finite value, found 'inf'"},
        {"numFrames 2", "numFrames 0",
         "4:11: error: numFrames is out of range: expected at least 1, found 0"},
        {"numFrames 2", "numFrames -2",
         "4:11: error: numFrames is out of range: expected at least 1, found -2"},
        {"numJoints 3", "numJoints 0",
         "5:11: error: numJoints is out of range: expected at least 1, found 0"},
        {"numAnimatedComponents 4", "numAnimatedComponents -4",
         "7:23: error: numAnimatedComponents is out of range: expected at least 0, found -4"});
}

TEST (anim_file_rejects_other_formats_and_versions) {
    CHECK_CASES(
        {"MD5Version 10", "MD5Version 9",
         "1:12: error: unsupported MD5 version: expected version 6, 10 or 12, found 9"},
        {"numFrames 2", "numchannels 2",
         "1:12: warning: MD5Version does not match the content: declared 10, but keyword "
         "'numchannels' belongs to version 6 (alpha of 2002); the declared version is ignored\n"
         "5:1: error: too few entries: expected 2 (numchannels), found 'numJoints' after 0"},
        {"",
         "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\njoints { a -1 ( 0 0 0 ) ( 0 0 "
         "0 )",
         "4:1: error: wrong file type: expected an animation (.md5anim), found a model (.md5mesh) "
         "with keyword 'numMeshes'"},
        {"", "MD5Version 10\nnumFrames 1\nframeRate 24\nnumCuts 0 x y z",
         "4:1: error: wrong file type: expected an animation (.md5anim), found a camera "
         "(.md5camera) with keyword 'numCuts'"});
}

TEST (anim_file_counts_are_limited_by_the_remaining_bytes) {
    CHECK_CASES({"numFrames 2", "numFrames 1000",
                 "4:11: error: numFrames is too large for the file: found 1000, but only 332 bytes "
                 "are left"},
                {"numJoints 3", "numJoints 100000000",
                 "5:11: error: numJoints is too large for the file: found 100000000, but only 320 "
                 "bytes are left"},
                {"numAnimatedComponents 4", "numAnimatedComponents 100000000",
                 "7:23: error: numAnimatedComponents is too large for the file: found 100000000, "
                 "but only 283 bytes are left"},
                // This number of frames passes the check of the header, but the file has fewer
                // frames.
                {"numFrames 2", "numFrames 30",
                 "15:1: warning: number of bounding boxes does not match numFrames: expected 30, "
                 "found 2; all boxes are ignored\n"
                 "34:2: error: too few entries: expected 30 (numFrames), found the end of the "
                 "file after 2"});
}

// The shortest possible text for its counts is read.
TEST (anim_file_reads_text_without_optional_spaces) {
    enum { COUNT = 1000, NUM_FRAMES = 10 };
    SCOPED_TEXT text = {0};
    test_append(&text,
                "frameRate 1 numAnimatedComponents %d numFrames %d numJoints %d "
                "hierarchy{a -1 0 0 ",
                COUNT, NUM_FRAMES, COUNT);
    for (int j = 1; j < COUNT; j++)
        test_append(&text, "a 0 0 0 ");
    test_append(&text, "}baseframe{");
    for (int j = 0; j < COUNT; j++)
        test_append(&text, "(0 0 0)(0 0 0)");
    test_append(&text, "}");
    for (int f = 0; f < NUM_FRAMES; f++) {
        test_append(&text, "frame %d{", f);
        for (int i = 0; i < COUNT; i++)
            test_append(&text, "%d%s", i % 10, i + 1 < COUNT ? " " : "}");
    }
    md5_error error = {0};
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, &error);
    md5_arena arena = {.context = &context};
    md5_anim_file file;
    if (CHECK_THAT(md5i_read_anim_file(&arena, text.bytes, text.used, NULL, &file), "%u:%u: %s",
                   error.line, error.column, error.message)) {
        for (size_t i = 0; i < (size_t)NUM_FRAMES * COUNT; i++)
            CHECK(file.numbers[i] == (float)(i % 10));
    }
    md5i_arena_free(&arena);
}

// Hundreds of joints that all use the same number, over hundreds of frames: the rotations and
// translations would be as many as their product.
TEST (anim_file_bounds_how_often_components_are_shared) {
    enum { COUNT = 400 };
    for (int flags = 0; flags < 2; flags++) {
        SCOPED_TEXT text = {0};
        test_append(&text,
                    "MD5Version 10 commandline \"\" numFrames %d numJoints %d\n"
                    "frameRate 24 numAnimatedComponents 1 hierarchy {\n",
                    COUNT, COUNT);
        for (int j = 0; j < COUNT; j++)
            test_append(&text, "j -1 %d 0\n", j == 0 ? 1 : flags);
        test_append(&text, "} baseframe {\n");
        for (int j = 0; j < COUNT; j++)
            test_append(&text, "(0 0 0)(0 0 0)\n");
        test_append(&text, "}\n");
        for (int f = 0; f < COUNT; f++)
            test_append(&text, "frame %d { %d }\n", f, f);
        md5_error error = {0};
        const bool loaded = load(text.bytes, text.used, NULL, &error);
        CHECK(loaded == (flags == 0));
        if (!loaded) {
            CHECK_UINT(error.status, MD5_ERROR_RANGE);
            CHECK_UINT(error.line, 2);
            CHECK(strstr(error.message,
                         "joints share too many components: 400 components in 400 frames"));
        }
    }
}

// 100 joints that share a component of 100 frames, in a text of 10 000 bytes or one byte less.
TEST (anim_file_accepts_as_many_shared_components_as_bytes) {
    enum { COUNT = 100 };
    for (size_t size = COUNT * COUNT - 1; size <= COUNT * COUNT; size++) {
        SCOPED_TEXT text = {0};
        test_append(&text,
                    "MD5Version 10 commandline \"\" numFrames %d numJoints %d\n"
                    "frameRate 24 numAnimatedComponents 1 hierarchy {\n",
                    COUNT, COUNT);
        for (int j = 0; j < COUNT; j++)
            test_append(&text, "j -1 1 0\n");
        test_append(&text, "} baseframe {\n");
        for (int j = 0; j < COUNT; j++)
            test_append(&text, "(0 0 0)(0 0 0)\n");
        test_append(&text, "}\n");
        for (int f = 0; f < COUNT; f++)
            test_append(&text, "%sframe %d { %d ", f > 0 ? "}\n" : "", f, f);
        REQUIRE(text.used < size);
        test_append(&text, "%*s}", (int)(size - text.used - 1), "");
        CHECK_UINT(text.used, size);
        md5_error error = {0};
        CHECK(load(text.bytes, text.used, NULL, &error) == (size == COUNT * COUNT));
    }
}

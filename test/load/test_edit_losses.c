// Tests that documents lose no part of a file: clips of version 6, meshes after the declared
// number, comments. Further tests cover open cycles, which get the missing frame.
#include "test/load/test_edit_case.h"
#include "test/real.h"

// A clip of the alpha version does not have a hierarchy until it gets the hierarchy of a model.
// After that its poses equal the poses of the model with the file, in each frame.
TEST (edit_writes_clips_of_version_6_with_their_mesh) {
    static const char old_mesh[] =
        "MD5Version 6 commandline \"\" numbones 2\n"
        "bone 0 { name \"a\" bindpos 1 0 2 bindmat 1 0 0 0 1 0 0 0 1 }\n"
        "bone 1 { name \"b\" bindpos 0 0 40 bindmat 0 1 0 -1 0 0 0 0 1 parent \"a\" }\n"
        "nummeshes 1 mesh 0 { shader \"s\" numverts 1 vert 0 0 0 0 1 numtris 0 numweights 1 "
        "weight 0 1 1 1 2 3 }";
    static const char old_clip[] =
        "MD5Version 6 commandline \"\" numchannels 2\n"
        "channel 0 { joint \"b\" attribute \"pitch\" starttime 0 endtime 0.1 framerate 20 strings "
        "0 "
        "range 0 2 keys 3 0 40 170 }\n"
        "channel 1 { joint \"a\" attribute \"x\" starttime 0 endtime 0.1 framerate 20 strings 0 "
        "range 0 2 keys 3 1 2 4 }";
    md5_error error = {0};
    SCOPED_MODEL model = text_model(old_mesh, &error);
    SCOPED_ANIM old = text_anim(old_clip, &error);
    SCOPED_DOC mesh = parse(MD5_DOC_MODEL, old_mesh);
    SCOPED_DOC clip = parse(MD5_DOC_ANIM, old_clip);
    REQUIRE(model && old);
    REQUIRE(mesh && clip);
    CHECK(clip->parents_unknown);
    CHECK_FAILS(md5_write_doc(clip, NULL, 0, &error), error, MD5_ERROR_VERSION);
    CHECK_UINT(md5_fix_joints(clip, model, false, NULL), 2);
    SCOPED_MODEL new_model = reparse_model(mesh);
    SCOPED_ANIM current = reparse_anim(clip);
    REQUIRE(new_model && current);
    REQUIRE(!current->parents_unknown && current->num_frames == old->num_frames);
    CHECK_UINT(current->skeleton.joints[1].parent, 0);
    SCOPED_BINDING first = md5_bind(model, old, NULL, NULL);
    SCOPED_BINDING second = md5_bind(new_model, current, NULL, NULL);
    REQUIRE(first && second);
    for (uint32_t f = 0; f < current->num_frames; f++) {
        md5_xform a[2], b[2];
        md5_sample(first, md5_sample_position_from_frames(old, f, f, 0), MD5_ROOT_FILE, a);
        md5_sample(second, md5_sample_position_from_frames(current, f, f, 0), MD5_ROOT_FILE, b);
        for (uint32_t j = 0; j < 2; j++) {
            const md5_vec3 at = {4, 5, 6};
            CHECK_SMALL(real_distance(md5_xform_point(a[j], at), md5_xform_point(b[j], at)), 1e-4);
        }
    }
}

// A document contains everything in the file, also meshes after numMeshes, which loading skips.
TEST (edit_keeps_more_meshes_than_declared) {
    static const char head[] = "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes ";
    static const char joint[] = "joints { \"a\" -1 ( 0 0 0 ) ( 0 0 0 ) }\n";
    for (uint32_t counted = 0; counted < 3; counted++) {
        SCOPED_TEXT text = {0};
        test_append(&text, "%s%u\n%s", head, counted, joint);
        for (uint32_t m = 0; m < 9; m++)
            test_append(&text,
                        "mesh { shader \"s%u\" numverts 1 vert 0 ( 0 0 ) 0 1 numtris 0 "
                        "numweights 1 weight 0 0 1 ( %u 0 0 ) }\n",
                        m, m);
        SCOPED_DOC doc = parse(MD5_DOC_MODEL, text.bytes);
        REQUIRE(doc && doc->num_meshes == 9);
        for (uint32_t m = 0; m < 9; m++) {
            CHECK_UINT((uint32_t)(doc->meshes[m].shader[1] - '0'), m);
            CHECK_EXACT(doc->meshes[m].weights[0].offset.x, m);
        }
        SCOPED_MODEL model = md5_parse_model(text.bytes, text.used, NULL, NULL);
        REQUIRE(model);
        CHECK_UINT(model->num_meshes, counted);
    }
}

// Stores the message of a warning.
static void keep_message(void *user, const md5_error *warning)
{
    memcpy(user, warning->message, sizeof warning->message);
}

// On request, invalid triangles are dropped with a warning that contains their number, also if the
// triangles come before the vertices.
TEST (edit_triangles_with_missing_vertices_are_dropped) {
    static const char vertices[] =
        "numverts 3\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 0 1\nvert 2 ( 1 1 ) 0 1\n";
    static const char triangles[] = "numtris 6\ntri 0 3 1 2\ntri 1 0 1 2\ntri 2 0 65536 1\ntri 3 2 "
                                    "1 0\ntri 4 0 3 1\ntri 5 0 1 3\n";
    for (int order = 0; order < 2; order++) {
        char text[1024];
        char message[sizeof((md5_error *)0)->message] = "";
        const char *const first = order ? triangles : vertices;
        const char *const second = order ? vertices : triangles;
        snprintf(text, sizeof text,
                 "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\n"
                 "joints { \"a\" -1 ( 0 0 0 ) ( 0 0 0 ) }\n"
                 "mesh { shader \"s\"\n%s%snumweights 1\nweight 0 0 1 ( 0 0 0 )\n}\n",
                 first, second);
        const md5_load_opts opts = {
            .warn = keep_message, .warn_user = message, .drop_invalid_triangles = true};
        md5_error error = {0};
        CHECK_FAILS(md5_parse_doc(MD5_DOC_MODEL, text, strlen(text), NULL, &error), error,
                    MD5_ERROR_RANGE);
        SCOPED_DOC doc = md5_parse_doc(MD5_DOC_MODEL, text, strlen(text), &opts, NULL);
        SCOPED_MODEL model = md5_parse_model(text, strlen(text), &opts, NULL);
        REQUIRE(doc && model && doc->meshes[0].num_triangles == 2);
        static const uint32_t kept[] = {0, 1, 2, 2, 1, 0};
        CHECK_BYTES(doc->meshes[0].indices, kept, sizeof kept);
        CHECK_UINT(model->meshes[0].num_triangles, 2);
        CHECK_STRING(message,
                     "4 of 6 triangles refer to unknown vertices (numverts is 3): skipped");
    }
}

// Comments in a text that has the layout of the writer.
static const char commented_text[] =
    "MD5Version 10 // Scale: 1\n// first\ncommandline \"http://a\" // made by hand\n\n"
    "numJoints 2\nnumMeshes 2\n// two\n// lines\n\n"
    "joints {\n// joints\n"
    "\t\"a\"\t-1 ( 0 0 0 ) ( 0 0 0 )\t\t// the root\n"
    "\t\"b\"\t0 ( 0 0 0 ) ( 0 0 0 )\t\t// a\n"
    "} // end\n\n"
    "mesh {\n\t// meshes: body\n\tshader \"s\" // skin\n\n"
    "\tnumverts 1\n\tvert 0 ( 0 0 ) 0 1 // tip\n\n\tnumtris 0\n\n"
    "\tnumweights 1\n\tweight 0 1 1 ( 0 0 1 )\n// last weight\n}\n\n"
    "mesh { // other\n\tshader \"t\"\n\n\tnumverts 0\n\n\tnumtris 0 // none\n\n\tnumweights 0\n}\n"
    "// the end\n";

TEST (edit_comments_stay_at_their_lines) {
    SCOPED_DOC doc = parse(MD5_DOC_MODEL, commented_text);
    REQUIRE(doc);
    SCOPED_STRING text = written(doc, NULL);
    CHECK_STRING(text, commented_text);
    CHECK_UINT(md5_edit_space(doc, &(md5_space_edit){.scale = 2}, NULL), 2);
    SCOPED_STRING larger = written(doc, NULL);
    REQUIRE(larger);
    CHECK(strstr(larger, "( 0 0 2 )\n// last weight\n}\n"));
    // The comment of a joint moves with it.
    doc->joints[0].parent = 1;
    doc->joints[1].parent = MD5_NONE;
    CHECK_UINT(md5_edit_joints(doc, &(md5_joint_edit){0}, NULL), 2);
    SCOPED_STRING sorted = written(doc, NULL);
    REQUIRE(sorted);
    CHECK(strstr(sorted, "\t\"a\"\t0 ( 0 0 0 ) ( 0 0 0 )\t\t// the root\n} // end\n"));
    // If lines are removed, their comments follow the remaining lines.
    doc->num_meshes = 1;
    SCOPED_STRING fewer = written(doc, NULL);
    REQUIRE(fewer);
    CHECK(strstr(fewer, "// last weight\n}\n\n// other\n// none\n// the end\n"));
}

// Other layouts: long comments, comments above the version and within a line, and bytes that are
// not valid in a text.
TEST (edit_comments_of_any_layout) {
    SCOPED_DOC doc = parse(MD5_DOC_MODEL,
                           "// above\nMD5Version 10 // behind\ncommandline \"\"\r\n/* one\r\n two*/"
                           "numJoints 1 /**/ numMeshes 1\njoints\n{\n\"a//b\" -1 ( 0/*x*/ 0 0 ) "
                           "( 0 0 0//r\n) }\nmesh {\nshader 'c' // d\x01\"e\n"
                           "numverts 0 numtris 0 numweights 0 }//f");
    REQUIRE(doc);
    SCOPED_STRING text = written(doc, NULL);
    CHECK_STRING(text, "MD5Version 10\n// above\n// behind\ncommandline \"\"\n// one\n// two\n\n"
                       "numJoints 1\nnumMeshes 1\n\njoints {\n"
                       "\t\"a//b\"\t-1 ( 0 0 0 ) ( 0 0 0 )\t\t// x // r\n}\n\n"
                       "mesh {\n\tshader \"c\" // d \"e\n\n\tnumverts 0 // f\n\n\tnumtris 0\n\n"
                       "\tnumweights 0\n}\n");
}

// Comments of a frame are moved or removed with it.
TEST (edit_comments_move_with_their_frames) {
    SCOPED_TEXT text = {0};
    test_append(&text, "MD5Version 10\ncommandline \"\"\n\nnumFrames 5\nnumJoints 1\n"
                       "frameRate 24\nnumAnimatedComponents 1\n\nhierarchy {\n"
                       "\t\"a\"\t-1 1 0\t// \n}\n\nbaseframe { // base\n"
                       "\t( 0 0 0 ) ( 0 0 0 )\n}\n");
    for (int f = 0; f < 5; f++)
        test_append(&text, "\nframe %d {\n\t%d // at %d\n}\n", f, f * f, f);
    SCOPED_DOC doc = parse(MD5_DOC_ANIM, text.bytes);
    REQUIRE(doc);
    SCOPED_STRING same = written(doc, NULL);
    CHECK_STRING(same, text.bytes);
    CHECK_UINT(md5_edit_frames(doc, &(md5_frame_edit){.first = 2, .num_frames = 2}, NULL), 2);
    CHECK_UINT(doc->num_comments, 3);
    SCOPED_STRING part = written(doc, NULL);
    REQUIRE(part);
    CHECK(strstr(part, "baseframe { // base\n"));
    CHECK(strstr(part, "\nframe 0 {\n\t4 // at 2\n}\n\nframe 1 {\n\t9 // at 3\n}\n"));
    CHECK_UINT(md5_edit_frames(doc, &(md5_frame_edit){.frame_rate = 48}, NULL), 3);
    SCOPED_STRING finer = written(doc, NULL);
    CHECK(finer && strstr(finer, "\nframe 2 {\n\t9 // at 3\n}\n"));
}

// A sine over 8 frames, from any phase, and a root that walks by 3 units per frame: the frame after
// the last equals the first frame, 24 units ahead. A clip that continues differently, or that
// returns over several steps, is blended.
TEST (edit_open_cycles_end_with_their_first_frame) {
    enum { FRAMES = 8, ROW = 12 };
    const double pi = acos(-1);
    for (int phase = 0; phase < FRAMES + 2; phase++) {
        float numbers[FRAMES][ROW] = {{0}};
        md5_doc_joint joints[] = {
            {.name = "root", .parent = MD5_NONE, .track = {63, 0}},
            {.name = "leg", .parent = 0, .track = {63, 6}, .position = {0, 0, -30}}};
        md5_doc doc = {.kind = MD5_DOC_ANIM,
                       .num_joints = 2,
                       .joints = joints,
                       .num_frames = FRAMES,
                       .num_components = ROW,
                       .frame_rate = 24,
                       .numbers = numbers[0]};
        const bool is_cycle = phase < FRAMES;
        for (int f = 0; f < FRAMES; f++) {
            const double distance = phase == FRAMES ? 0.1 * f : 0.1 * f * f;
            const double angle =
                is_cycle ? 0.4 * sin(2 * pi * (f + phase) / (double)FRAMES) : distance;
            numbers[f][0] = 3 * (float)f;
            numbers[f][8] = -30;
            numbers[f][10] = (float)-sin(0.5 * angle);
        }
        md5_error error = {0};
        md5_loop loop = {.num_blended = FRAMES};
        const md5_frame_edit job = {.is_closed = true, .loop = &loop};
        CHECK_DONE(md5_edit_frames(&doc, &job, &error) != MD5_NONE, error);
        CHECK_UINT(loop.end, is_cycle ? MD5_LOOP_WITHOUT_LAST_FRAME : MD5_LOOP_OPEN);
        CHECK_UINT(doc.num_frames, is_cycle ? FRAMES + 1 : FRAMES);
        const float *const last = doc.numbers + (size_t)(doc.num_frames - 1) * ROW;
        CHECK_BYTES(last + 1, doc.numbers + 1, (ROW - 1) * sizeof *last);
        CHECK_NEAR(last[0], is_cycle ? 24 : 21, 1e-6);
        if (is_cycle)
            CHECK_BYTES(doc.numbers, numbers, sizeof numbers);
        CHECK_UINT(md5_edit_frames(&doc, &job, NULL), 0);
        CHECK_UINT(loop.end, MD5_LOOP_CLOSED);
        md5_free_doc(&doc);
    }
}

// The height of a tip rises by 1 per frame to 10 and falls to 3: the mean step is 1, and a gap of 3
// needs 5 frames, each of which gets at most 1.5 / 5 of it. At twice the rate it needs ten frames.
TEST (edit_loops_that_do_not_close_are_blended_at_their_end) {
    enum { FRAMES = 18, BLENDED = 5 };
    for (int doubled = 0; doubled < 2; doubled++) {
        float numbers[FRAMES];
        md5_doc_joint joints[] = {{.name = "root", .parent = MD5_NONE},
                                  {.name = "tip", .parent = 0, .track = {4, 0}}};
        for (int f = 0; f < FRAMES; f++)
            numbers[f] = f <= 10 ? (float)f : (float)(20 - f);
        md5_doc doc = {.kind = MD5_DOC_ANIM,
                       .num_joints = 2,
                       .joints = joints,
                       .num_frames = FRAMES,
                       .num_components = 1,
                       .frame_rate = 10,
                       .numbers = numbers};
        md5_loop loop = {.end = MD5_LOOP_CLOSED};
        const md5_frame_edit job = {
            .is_closed = true, .loop = &loop, .frame_rate = doubled ? 20 : 0};
        CHECK(md5_edit_frames(&doc, &job, NULL) != MD5_NONE);
        CHECK_UINT(loop.end, MD5_LOOP_OPEN);
        CHECK_UINT(loop.num_blended, BLENDED);
        REQUIRE(doc.num_frames == (doubled ? 2 * FRAMES - 1 : FRAMES) && doc.num_components == 1);
        for (uint32_t f = 0; f < doc.num_frames; f++) {
            const double frame = doubled ? 0.5 * f : f;
            const double old = frame <= 10 ? frame : 20 - frame;
            const double t = fmax((frame - (FRAMES - 1 - BLENDED)) / (double)BLENDED, 0);
            CHECK_NEAR(doc.numbers[f], old - 3 * t * t * (3 - 2 * t), t > 0 ? 1e-5 : 0);
        }
        md5_free_doc(&doc);
    }
}

// Two joints swing over 24 frames, one twice as fast, while the root walks and sways. The last of
// 25 frames equals the first; 24 frames lack that frame. Fewer frames, and frames of a swing that
// begins and ends at rest, lack nothing. Frames that the clip does not contain are not a loop.
TEST (edit_finds_the_kind_of_loop_end) {
    enum { CYCLE = 24, FRAMES = 3 * CYCLE + 1 };
    const double pi = acos(-1);
    for (int is_once = 0; is_once < 2; is_once++) {
        float numbers[FRAMES][4];
        md5_doc_joint joints[] = {{.name = "root", .parent = MD5_NONE, .track = {1 | 4, 0}},
                                  {.name = "hip", .parent = 0, .track = {16, 2}},
                                  {.name = "shin", .parent = 1, .track = {16, 3}}};
        joints[2].position.z = -20;
        for (int f = 0; f < FRAMES; f++) {
            const double at = 2 * pi * (f + 5) / (double)CYCLE;
            const double once = 0.1 * (1 - cos(pi * f / (double)CYCLE)); // at rest at frame 24
            numbers[f][0] = 2 * (float)f;
            numbers[f][1] = is_once ? 0 : (float)cos(2 * at);
            numbers[f][2] = (float)(is_once ? once : 0.3 * sin(at));
            numbers[f][3] = (float)(is_once ? once : 0.2 * cos(2 * at));
        }
        const md5_doc doc = {.kind = MD5_DOC_ANIM,
                             .num_joints = 3,
                             .joints = joints,
                             .num_frames = FRAMES,
                             .num_components = 4,
                             .frame_rate = 24,
                             .numbers = numbers[0]};
        SCOPED_ANIM anim = reparse_anim(&doc);
        REQUIRE(anim);
        for (uint32_t first = 0; first < (uint32_t)CYCLE; first++) {
            CHECK(is_once || md5_find_loop(anim, first, CYCLE + 1).end == MD5_LOOP_CLOSED);
            CHECK(is_once || md5_find_loop(anim, first, CYCLE).end == MD5_LOOP_WITHOUT_LAST_FRAME);
        }
        for (uint32_t count = 4; count < CYCLE - 1; count++)
            CHECK_UINT(md5_find_loop(anim, 0, count).end, MD5_LOOP_OPEN);
        CHECK_UINT(md5_find_loop(anim, 0, CYCLE + 1).end, is_once ? 0 : MD5_LOOP_CLOSED);
        CHECK_UINT(md5_find_loop(anim, 0, 1).end, MD5_LOOP_CLOSED);
        if (!is_once) // 72 frames, three cycles
            CHECK_UINT(md5_find_loop(anim, 1, 0).end, MD5_LOOP_WITHOUT_LAST_FRAME);
        CHECK_UINT(md5_find_loop(anim, FRAMES, 0).end, MD5_LOOP_OPEN);
        CHECK_UINT(md5_find_loop(anim, FRAMES - 1, 2).end, MD5_LOOP_OPEN);
    }
}

// At twice the rate the gap contains a frame in its middle; without a walk the root also returns.
TEST (edit_open_cycles_at_another_rate) {
    REQUIRE_CORPUS();
    SCOPED_STRING text = test_read_file(test_path("golden/reports/open_cycle/walk.md5anim"), NULL);
    REQUIRE(text);
    SCOPED_DOC doc = parse(MD5_DOC_ANIM, text);
    const md5_frame_edit job = {.frame_rate = 48, .is_closed = true};
    REQUIRE(doc && md5_edit_frames(doc, &job, NULL) == 17);
    const float *const end = doc->numbers + (size_t)16 * doc->num_components;
    CHECK_BYTES(end, doc->numbers, doc->num_components * sizeof *end);
    // Between frames 7 and 0 the arm is at half the angle of frame 7, whose sine is in the file.
    const double arm = 0.5 * asin(0.2142984);
    CHECK_NEAR(fabsf(end[-(int)doc->num_components + 28]), sin(arm), 1e-6);
}

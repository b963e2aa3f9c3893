// Reading of .md5mesh files, with warnings and errors about unusual and broken files.
#include "test/scoped.h"
#include "test/read/read_case.h"

#include "md5/read/tables.h"

static const char good[] = "MD5Version 10\n"                           // 1
                           "commandline \"made by hand\"\n"            // 2
                           "\n"                                        // 3
                           "numJoints 3\n"                             // 4
                           "numMeshes 2\n"                             // 5
                           "\n"                                        // 6
                           "joints {\n"                                // 7
                           "\t\"root\"\t-1 ( 0 0 1 ) ( 0 0 0 )\n"      // 8
                           "\t\"arm.L\"\t0 ( 1 -2 3.5 ) ( 0.5 0 0 )\n" // 9
                           "\t\"hand\"\t1 ( 4 5 6 ) ( 0 0.6 -0.8 )\n"  // 10
                           "}\n"                                       // 11
                           "\n"                                        // 12
                           "mesh {\n"                                  // 13
                           "\t// meshes: Body\n"                       // 14
                           "\tshader \"skin/body\"\n"                  // 15
                           "\n"                                        // 16
                           "\tnumverts 3\n"                            // 17
                           "\tvert 0 ( 0 0.25 ) 0 1\n"                 // 18
                           "\tvert 1 ( 1 0.5 ) 1 2\n"                  // 19
                           "\tvert 2 ( -1 1.5 ) 1 1\n"                 // 20
                           "\n"                                        // 21
                           "\tnumtris 1\n"                             // 22
                           "\ttri 0 2 1 0\n"                           // 23
                           "\n"                                        // 24
                           "\tnumweights 3\n"                          // 25
                           "\tweight 0 0 1 ( 0 0 0 )\n"                // 26
                           "\tweight 1 1 0.75 ( 1 2 3 )\n"             // 27
                           "\tweight 2 2 0.25 ( -1 0.5 1e1 )\n"        // 28
                           "}\n"                                       // 29
                           "\n"                                        // 30
                           "mesh {\n"                                  // 31
                           "\tshader \"\"\n"                           // 32
                           "\tnumverts 0\n"                            // 33
                           "\tnumtris 0\n"                             // 34
                           "\tnumweights 0\n"                          // 35
                           "}\n";                                      // 36

static bool load(const char *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    md5_context context;
    md5_mesh_file file;
    md5i_context_begin(&context, opts, NULL, error);
    md5_arena arena = {.context = &context};
    const bool loaded = md5i_read_mesh_file(&arena, &arena, &arena, text, size, &file);
    md5i_arena_free(&arena);
    return loaded;
}

#define CHECK_CASES(...) READ_CASES_CHECK(good, load, __VA_ARGS__)

static bool span_equals(md5_span span, const char *text)
{
    return span.size == strlen(text)
           && (span.size == 0 || memcmp(span.bytes, text, span.size) == 0);
}

// Reads a text for a test to inspect. The caller frees `arena`.
static bool read_text(md5_context *context, md5_arena *arena, md5_error *error, const char *text,
                      size_t size, md5_mesh_file *file)
{
    md5i_context_begin(context, NULL, NULL, error);
    *arena = (md5_arena){.context = context};
    const bool is_read = md5i_read_mesh_file(arena, arena, arena, text, size, file);
    return CHECK_THAT(is_read, "%u:%u: %s", error->line, error->column, error->message);
}

TEST (mesh_file_equals_its_text) {
    md5_context context;
    md5_error error = {0};
    md5_arena arena;
    md5_mesh_file file;
    if (read_text(&context, &arena, &error, good, strlen(good), &file)) {
        CHECK(span_equals(file.command_line, "made by hand"));
        CHECK_UINT(context.num_warnings, 0);
        CHECK_UINT(file.num_joints, 3);
        CHECK(span_equals(file.joints[1].name, "arm.L"));
        CHECK(file.joints[0].parent == MD5_NONE && file.joints[1].parent == 0);
        CHECK(file.joints[2].parent == 1);
        CHECK(file.order[0] == 0 && file.order[1] == 1 && file.order[2] == 2);
        const md5_xform *const bind = &file.bind[1];
        CHECK(bind->translation.x == 1 && bind->translation.y == -2);
        CHECK(bind->translation.z == 3.5f && bind->pad == 0);
        CHECK(bind->rotation.x == 0.5f && bind->rotation.y == 0 && bind->rotation.z == 0);
        CHECK(bind->rotation.w == 0 && !file.has_w);

        CHECK_UINT(file.num_meshes, 2);
        const md5_mesh_build *const mesh = &file.meshes[0];
        CHECK(span_equals(mesh->name, "Body") && span_equals(mesh->shader, "skin/body"));
        CHECK_UINT(mesh->num_file_vertices, 3);
        CHECK_UINT(mesh->num_triangles, 1);
        CHECK_UINT(mesh->num_weights, 3);
        CHECK(mesh->file_vertices[1].first_weight == 1 && mesh->file_vertices[1].num_weights == 2);
        CHECK(mesh->texcoords[2].x == -1 && mesh->texcoords[2].y == 1.5f);
        CHECK(mesh->indices[0] == 2 && mesh->indices[1] == 1 && mesh->indices[2] == 0);
        CHECK(mesh->weights[2].joint == 2 && mesh->weights[2].bias == 0.25f);
        CHECK(mesh->weights[2].offset.x == -1 && mesh->weights[2].offset.z == 10);
        CHECK_UINT(file.meshes[1].num_file_vertices, 0);
        CHECK(span_equals(file.meshes[1].name, "") && span_equals(file.meshes[1].shader, ""));
    }
    md5i_arena_free(&arena);
}

// Layouts that are accepted without a warning.
TEST (mesh_file_accepts_any_layout) {
    CHECK_CASES(
        {"", good, ""}, {"MD5Version", "\xEF\xBB\xBFMD5Version", ""},
        {"MD5Version", "\n\t \r\n// first\n/* second */ MD5Version", ""},
        {"MD5Version 10\n", "MD5Version 10 // \"x\" {\n", ""},
        {"MD5Version 10\n", "MD5Version\r10\r", ""}, {"MD5Version 10\n", "MD5Version 10.0\n", ""},
        {"\"made by hand\"", "\"\"", ""}, {"\"made by hand\"", "\"C:\\a\\\" \"//b\"", ""},
        {"\"made by hand\"", "made", ""},
        {"\"made by hand\"",
         "\"m\xE4"
         "de\"",
         ""},
        {"joints {\n", "joints\n{", ""},
        {"\"root\"\t-1 ( 0 0 1 ) ( 0 0 0 )\n", "'root' -1(0 0 1)(0 0 0)", ""},
        {"\"root\"", "root", ""}, {"\"root\"", "the root", ""}, {"\"root\"", "\"arm.L\"", ""},
        {"\"root\"", "\"\"", ""}, {"-1 ( 0 0 1 )", "- 1 ( +0 -0.000000 1.00000000000000001 )", ""},
        {"( 0 0 1 )", "( 1e-3 1E+0 .5 )", ""}, {"( 0 0 1 )", "( 5. 1.0f 01.5 )", ""},
        {"\t\"hand\"\t1", "\t\"hand\"\t-1", ""}, {"\tshader", "\tname \"x\"\n\tshader", ""},
        {"\"skin/body\"", "textures/a-b/c_1.tga", ""},
        {"\"skin/body\"", "\"a\\b\" /* and */ \"c\"", ""}, {"// meshes: Body", "", ""},
        {"tri 0 2 1 0", "tri 0 1 1 1", ""}, {"0.75", "0", ""},
        {"weight 2 2 0.25", "weight 2 1 -3.5", ""},
        {"vert 2 ( -1 1.5 ) 1 1", "vert 2 ( -1 1.5 ) 0 3", ""},
        {"( 0 0.6 -0.8 )", "( 0 0.600001 -0.800001 )", ""},
        {"\tnumverts 0\n\tnumtris 0\n\tnumweights 0\n", "numweights 0 numtris 0 numverts 0", ""},
        {"\tnumweights 0\n}\n", "numweights 0}", ""},
        {"\tnumweights 0\n}\n", "numweights 0}\n// the end", ""});
}

TEST (mesh_file_line_ends_and_trailing_nul_bytes_do_not_matter) {
    STRINGS(ends) = {"\r\n", "\r", "\n\n", " \t\n", "\r\n\r\n "};
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        char text[4 * sizeof good];
        size_t size = 0;
        for (const char *c = good; *c; c++) {
            if (*c == '\n') {
                memcpy(text + size, ends[i], strlen(ends[i]));
                size += strlen(ends[i]);
            } else {
                text[size++] = *c;
            }
        }
        memset(text + size, 0, 5);
        md5_error error = {0};
        CHECK(load(text, size + 5, NULL, &error));
    }
}

TEST (mesh_file_accepts_tables_in_any_order) {
    CHECK_CASES(
        // A wrong index is located even if the triangles are before the vertices.
        {"\tnumverts 0\n\tnumtris 0\n\tnumweights 0\n",
         "numtris 2\ntri 0 0 0 0\ntri 1 0 1 0\nnumverts 1\nvert 0 (0 0) 0 0\nnumweights 0",
         "37:16: warning: vertex has no weights: expected at least 1; it stays at the origin\n"
         "35:9: error: triangle refers to an unknown vertex: expected an index below 1 (numverts), "
         "found 1"},
        {"\tnumverts 0\n\tnumtris 0\n\tnumweights 0\n",
         "numweights 1\nweight 0 0 1 (0 0 0)\nnumverts 1\nvert 0 (0 0) 1 1\nnumtris 0",
         "36:14: error: vertex refers to unknown weights: expected indices below 1 (numweights), "
         "found 1 to 1"});
}

TEST (mesh_file_reads_mesh_names_from_keyword_or_comment) {
    static const struct {
        const char *old;
        const char *new;
        const char *name;
    } cases[] = {
        {"// meshes: Body", "// meshes: Body", "Body"},
        {"// meshes: Body", "//meshes:  The Body \t", "The Body"},
        {"// meshes: Body", "// meshes: A\n// meshes: B", "A"},
        {"// meshes: Body", "name \"B\" // meshes: A", "B"},
        {"// meshes: Body", "// meshes: A\n name B", "B"},
        {"// meshes: Body", "", ""},
        {"// meshes: Body", "// Body", ""},
        {"\tnumweights 3", "// meshes: Late\n\tnumweights 3", "Body"},
        {"mesh {\n\t// meshes: Body\n", "// meshes: Outside\nmesh {\n", ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        size_t size;
        SCOPED_STRING text = read_case_text(good, cases[i].old, cases[i].new, &size);
        md5_context context;
        md5_error error = {0};
        md5_arena arena;
        md5_mesh_file file;
        if (read_text(&context, &arena, &error, text, size, &file)) {
            CHECK(span_equals(file.meshes[0].name, cases[i].name));
            CHECK(span_equals(file.meshes[1].name, ""));
        }
        md5i_arena_free(&arena);
    }
}

TEST (mesh_file_continues_after_warnings) {
    CHECK_CASES(
        {"MD5Version 10\n", "", "1:1: warning: missing line 'MD5Version 10'"},
        {"commandline \"made by hand\"\n", "", "1:1: warning: missing 'commandline'"},
        {"\tshader \"skin/body\"\n", "", "28:1: warning: incomplete mesh: 'shader' is missing"},
        {"\tshader", "\tsha--der",
         "15:2: warning: 'sha--der' is an unknown keyword: skipped with its values\n"
         "29:1: warning: incomplete mesh: 'shader' is missing"},
        {"\n\tnumtris 1", "\n\tflags 3 { a { vert } \"}\" } b ( 1 2 )\n\tnumtris 1",
         "22:2: warning: 'flags' is an unknown keyword: skipped with its values"},
        {"\nmesh {\n\t// meshes: Body", "\nmeshDisabled { vert 0 }\nmesh {\n\t// meshes: Body",
         "13:1: warning: 'meshDisabled' is an unknown keyword: skipped with its values"},
        {"numJoints", "hint 1 2 numJoints",
         "4:1: warning: 'hint' is an unknown keyword: skipped with its values"},
        {"numMeshes 2", "numMeshes 3",
         "5:11: warning: numMeshes does not match the file: declared 3, found 2"},
        {"numMeshes 2", "numMeshes 1",
         "5:11: warning: numMeshes is too small: declared 1, found 2; the last one is ignored"},
        {"\tnumweights 0\n}\n", "numweights 0}\nmesh { }\nmesh { { 'x } }\nMD5Version 10",
         "5:11: warning: numMeshes is too small: declared 2, found 3; the last one is ignored\n"
         "37:1: warning: text after the last mesh is ignored: found 'mesh'"},
        {"\tnumweights 0\n}\n", "numweights 0}\nmesh { }\nmesh { { '}' } } // }\nMD5Version 10",
         "5:11: warning: numMeshes is too small: declared 2, found 4; the last 2 are ignored\n"
         "38:1: warning: a second MD5 file begins here: it is ignored"},
        {"\tnumweights 0\n}\n", "numweights 0}\nmesh 5 6",
         "36:1: warning: text after the last mesh is ignored: found 'mesh'"},
        {"numMeshes 2", "numMeshes 0",
         "5:11: warning: numMeshes is too small: declared 0, found 2; the last 2 are ignored"},
        {"\tnumweights 0\n}\n", "numweights 0}\n0.5 1",
         "36:1: warning: text after the last mesh is ignored: found '0.5'"},
        {"\tnumweights 0\n}\n", "numweights 0}\nMD5Version 10 x",
         "36:1: warning: a second MD5 file begins here: it is ignored"},
        {"\tnumweights 0\n}\n", "numweights 0}\ncommandline \"x\"",
         "36:1: warning: a second MD5 file begins here: it is ignored"},
        {"mesh {\n\tshader \"\"", "MD5Version 10\nmesh {\n\tshader \"\"",
         "5:11: warning: numMeshes does not match the file: declared 2, found 1\n"
         "31:1: warning: a second MD5 file begins here: it is ignored"},
        {"\"root\"\t-1", "\"root\"\t-5",
         "8:9: warning: parent index is out of range: expected -1 or more, found -5; using -1 (no "
         "parent)"},
        {"vert 1", "vert 2",
         "19:7: warning: found 'vert 2', expected 'vert 1': using the order in the file"},
        {"tri 0", "tri 1",
         "23:6: warning: found 'tri 1', expected 'tri 0': using the order in the file"},
        {"weight 0", "weight -1",
         "26:9: warning: found 'weight -1', expected 'weight 0': using the order in the file"},
        {"( 0.5 0 0 )", "( 0 1.5 0 )",
         "9:25: warning: rotation is not normalized: expected x, y, z of length 1 or less, found "
         "1.5; normalized"},
        {"vert 0 ( 0 0.25 ) 0 1", "vert 0 ( 0 0.25 ) 99 0",
         "18:23: warning: vertex has no weights: expected at least 1; it stays at the origin"},
        {"\tshader \"skin/body\"", "\tshader \"a\"\n\tshader \"b\"",
         "16:2: warning: duplicate 'shader': using the first"},
        {"numJoints 3", "numJoints 3.7", "4:11: warning: '3.7' is not an integer: truncated to 3"},
        {"MD5Version 10\n", "MD5Version 012\n",
         "1:12: warning: '012' has a leading 0: read as a decimal number, but the original engine "
         "reads an octal number; remove the 0\n19:2: error: expected '(', found 'vert'"});
}

TEST (mesh_file_rejects_invalid_headers_and_joints) {
    CHECK_CASES(
        {"", "\n",
         "1:1: error: empty file: expected a model (.md5mesh) that begins with 'MD5Version 10'"},
        {"", " // only this",
         "1:1: error: empty file: expected a model (.md5mesh) that begins with 'MD5Version 10'"},
        {"", "hello world",
         "1:1: error: not an MD5 file: expected 'MD5Version', found 'hello world'"},
        {"", "\x89PNG\r\n\x1A\n12345678901234567890",
         "1:1: error: not an MD5 file: expected 'MD5Version', found "
         "'\\x89PNG\\x0d\\x0a\\x1a\\x0a12345678'"},
        {"", "\xFF\xD8\xFF\xE0",
         "1:1: error: not an MD5 file: expected 'MD5Version', found "
         "'\\xff\\xd8\\xff\\xe0'"},
        {"", "\n  {", "2:3: error: not an MD5 file: expected 'MD5Version', found '{'"},
        {"", "MD5RVersion 1\n",
         "1:1: error: not an MD5 file: found a Quake 4 model (.md5r); use the .md5mesh of the "
         "game's assets"},
        {"", "IDP3\x0F",
         "1:1: error: not an MD5 file: found a Quake III model (.md3); convert it with 'md5tool "
         "convert'"},
        {"", "INTERQUAKEMODEL",
         "1:1: error: not an MD5 file: found an IQM model; convert it with 'md5tool convert'"},
        {"", "PK\3\4 and more",
         "1:1: error: not an MD5 file: found an archive (.pk4, .pk3, .zip); open it as a game "
         "folder"},
        {"", "/* x",
         "1:1: error: unterminated comment: expected '*/', found the end of the "
         "file"},
        {"", "MD5Version 10", "1:14: error: expected 'joints', found the end of the file"},
        {"", "MD5Version", "1:11: error: expected an integer, found the end of the file"},
        {"", "MD5Version 10 numJoints 1 joints { a -1 (0 0 0) (0 0 0) }",
         "1:58: error: missing 'numMeshes': expected it before the end of the file"},
        {"commandline", "MD5Version 10 commandline",
         "2:1: error: duplicate 'MD5Version': expected one"},
        {"commandline \"made by hand\"", "commandline {",
         "2:13: error: expected a quoted command line, found '{'"},
        {"numJoints 3\n", "", "6:1: error: missing 'numJoints': expected it before 'joints'"},
        {"numMeshes 2\n", "", "12:1: error: missing 'numMeshes': expected it before 'mesh'"},
        {"numMeshes 2\n", "numMeshes 2\nnumMeshes 2\n",
         "6:11: error: duplicate 'numMeshes': expected one"},
        {"numJoints 3\n", "numJoints 3 numJoints 3\n",
         "4:23: error: duplicate 'numJoints': expected one"},
        {"numJoints 3", "0.5 numJoints 3", "4:1: error: expected a keyword, found '0.5'"},
        {"numJoints 3", "{ numJoints 3", "4:1: error: expected a keyword, found '{'"},
        {"numJoints 3", "junk { numJoints 3",
         "4:1: warning: 'junk' is an unknown keyword: skipped with its values\n"
         "4:6: error: unterminated block: expected '}', found the end of the file"},
        {"joints {", "joints", "8:2: error: expected '{', found '\"root\"'"},
        {"\t\"hand\"\t1 ( 4 5 6 ) ( 0 0.6 -0.8 )\n", "",
         "10:1: error: too few entries: expected 3 (numJoints), found '}' after 2"},
        {"\t\"hand\"", "\t\"x\" 0 (0 0 0) (0 0 0)\n\t\"hand\"",
         "11:2: error: too many entries: expected 3 (numJoints), found 4"},
        {"\"root\"", "(", "8:2: error: expected a joint name, found '('"},
        {"\"root\"", "\"root",
         "8:2: error: unterminated string: expected \" before the end of the line"},
        {"\"root\"\t-1", "\"root\"\tx", "8:9: error: expected an integer, found 'x'"},
        {"( 0 0 1 )", "0 0 1", "8:12: error: expected '(', found '0'"},
        {"( 0 0 1 )", "( 0 0 )", "8:18: error: expected a number, found ')'"},
        {"( 0 0 1 )", "( 0 0 1 1 )", "8:20: error: expected ')', found '1'"},
        {"( 0 0 1 )", "( 0 0 nan )",
         "8:18: error: invalid number: expected a finite value, found 'nan'"},
        {"( 0 0 1 )", "( 0 0 1e39 )",
         "8:18: error: number is too large: expected at most 3.4e38, found '1e39'"},
        {"( 0 0 1 )", "( 0 0 0x1 )",
         "8:18: error: invalid number: expected a decimal number, found '0x1'"},
        {"( 0 0 1 )", "( 0 0 0,1 )",
         "8:18: error: invalid number: expected a decimal point, found '0,1'"},
        {"( 0.5 0 0 )", "( 1e30 0 0 )",
         "9:25: error: rotation is out of range: expected x, y, z of length 1 or less, found ( "
         "1e+30 0 0 )"},
        {"}\n\nmesh {\n\t// meshes", "}\njoints {}\nmesh {\n\t// meshes",
         "12:1: error: duplicate 'joints': expected one"});
}

TEST (mesh_file_rejects_invalid_meshes) {
    CHECK_CASES(
        {"\nmesh {\n\t// meshes: Body\n", "\nmesh 0 {\n", "13:6: error: expected '{', found '0'"},
        {"\tshader \"skin/body\"", "\tshader {", "15:9: error: expected a string, found '{'"},
        {"vert 1 ", "",
         "19:2: error: too few 'vert' entries: expected 3 (numverts), found '(' after 1"},
        {"\tvert 2 ( -1 1.5 ) 1 1\n", "",
         "21:2: error: too few 'vert' entries: expected 3 (numverts), found 'numtris' after 2"},
        {"numverts 3", "numverts 2",
         "20:2: error: too many entries: expected 2 (numverts), found 3"},
        {"numtris 1", "numtris 2",
         "25:2: error: too few 'tri' entries: expected 2 (numtris), found 'numweights' after 1"},
        {"numtris 1", "numtris 0", "23:2: error: too many entries: expected 0 (numtris), found 1"},
        {"numweights 3", "numweights 4",
         "29:1: error: too few 'weight' entries: expected 4 (numweights), found '}' after 3"},
        {"numweights 3", "numweights 2",
         "28:2: error: too many entries: expected 2 (numweights), found 3"},
        {"\tnumverts 3\n", "", "17:2: error: missing 'numverts': expected it before 'vert'"},
        {"\tnumverts 0\n", "", "35:1: error: incomplete mesh: 'numverts' is missing"},
        {"\tnumtris 0\n", "", "35:1: error: incomplete mesh: 'numtris' is missing"},
        {"\tnumweights 0\n", "", "35:1: error: incomplete mesh: 'numweights' is missing"},
        {"\tnumverts 0\n", "numverts 0 numverts 0\n",
         "33:21: error: duplicate 'numverts': expected one"},
        {"\tnumweights 0\n}\n", "numweights 0",
         "35:13: error: unterminated mesh: expected '}', found the end of the file"},
        {"\tnumweights 0\n}\n", "numweights 0 )",
         "35:14: error: unterminated mesh: expected '}', found ')'"},
        {"\tnumweights 0\n}\n", "numweights 0 } /* x",
         "35:16: warning: unterminated comment: expected '*/', found the end of the "
         "file"},
        {"vert 1 ( 1 0.5 )", "vert 1 ( 1 0.5 0 )", "19:17: error: expected ')', found '0'"},
        {"vert 1 ( 1 0.5 )", "vert 1 1 0.5", "19:9: error: expected '(', found '1'"},
        {"vert 1 ( 1 0.5 )", "vert x ( 1 0.5 )", "19:7: error: expected an integer, found 'x'"});
}

TEST (mesh_file_rejects_indices_outside_their_tables) {
    CHECK_CASES(
        {"\"arm.L\"\t0", "\"arm.L\"\t3",
         "9:10: error: parent index is out of range: expected below 3 (numJoints), found 3"},
        {"\"arm.L\"\t0", "\"arm.L\"\t99999999999999999999",
         "9:10: error: parent index is out of range: expected below 3 (numJoints), found "
         "9223372036854775807"},
        {"\"arm.L\"\t0", "\"arm.L\"\t1", "9:2: error: joint 'arm.L' is its own ancestor"},
        {"\"arm.L\"\t0", "\"arm.L\"\t2", "9:2: error: joint 'arm.L' is its own ancestor"},
        {"\"root\"\t-1", "\"root\"\t2", "8:2: error: joint 'root' is its own ancestor"},
        // A cycle that does not contain the first joint that is unreachable from the roots.
        {"\t\"root\"\t-1 ( 0 0 1 ) ( 0 0 0 )\n\t\"arm.L\"\t0",
         "\t\"root\"\t1 ( 0 0 1 ) ( 0 0 0 )\n\t\"arm.L\"\t1",
         "9:2: error: joint 'arm.L' is its own ancestor"},
        {"vert 1 ( 1 0.5 ) 1 2", "vert 1 ( 1 0.5 ) 2 2",
         "19:19: error: vertex refers to unknown weights: expected indices below 3 (numweights), "
         "found 2 to 3"},
        {"vert 1 ( 1 0.5 ) 1 2", "vert 1 ( 1 0.5 ) 4294967295 4294967295",
         "19:19: error: vertex refers to unknown weights: expected indices below 3 (numweights), "
         "found 4294967295 to 8589934589"},
        {"vert 1 ( 1 0.5 ) 1 2", "vert 1 ( 1 0.5 ) -1 2",
         "19:19: error: first weight is out of range: expected 0 to 4294967295, found -1"},
        {"vert 1 ( 1 0.5 ) 1 2", "vert 1 ( 1 0.5 ) 1 -2",
         "19:21: error: number of weights is out of range: expected 0 to 4294967295, found -2"},
        {"vert 1 ( 1 0.5 ) 1 2", "vert 1 ( 1 0.5 ) 1 4294967296",
         "19:21: error: number of weights is out of range: expected 0 to 4294967295, found "
         "4294967296"},
        {"tri 0 2 1 0", "tri 0 3 1 0",
         "23:8: error: triangle refers to an unknown vertex: expected an index below 3 (numverts), "
         "found 3"},
        {"tri 0 2 1 0", "tri 0 2 1 4294967295",
         "23:12: error: triangle refers to an unknown vertex: expected an index below 3 "
         "(numverts), found 4294967295"},
        {"tri 0 2 1 0", "tri 0 2 -1 0",
         "23:10: error: vertex is out of range: expected 0 to 4294967295, found -1"},
        {"weight 1 1", "weight 1 3",
         "27:11: error: weight refers to an unknown joint: expected an index below 3 (numJoints), "
         "found 3"},
        {"weight 1 1", "weight 1 -1",
         "27:11: error: joint is out of range: expected 0 to 4294967295, found -1"},
        {"numJoints 3", "numJoints 0",
         "4:11: error: numJoints is out of range: expected at least 1, found 0"},
        {"numJoints 3", "numJoints -3",
         "4:11: error: numJoints is out of range: expected at least 1, found -3"},
        {"numMeshes 2", "numMeshes -1",
         "5:11: error: numMeshes is out of range: expected at least 0, found -1"},
        {"numverts 3", "numverts -3",
         "17:11: error: numverts is out of range: expected at least 0, found -3"},
        {"numtris 1", "numtris -1",
         "22:10: error: numtris is out of range: expected at least 0, found -1"},
        {"numweights 3", "numweights -3",
         "25:13: error: numweights is out of range: expected at least 0, found -3"});
}

TEST (mesh_file_rejects_other_formats_and_versions) {
    CHECK_CASES({"MD5Version 10", "MD5Version 11",
                 "1:12: error: unsupported MD5 version: expected version 6, 10 or 12, found 11"},
                {"MD5Version 10", "MD5Version 6",
                 "1:12: warning: MD5Version does not match the content: declared 6, but keyword "
                 "'numJoints' belongs to version 10; the declared version is ignored"},
                // If an unknown keyword follows the header, the declared version is used.
                {"MD5Version 10", "MD5Version 6\nauthor 1",
                 "2:1: warning: 'author' is an unknown keyword: skipped with its values\n"
                 "5:1: error: keyword 'numJoints' belongs to MD5 version 10: the file has version "
                 "6"},
                {"numMeshes", "nummeshes",
                 "5:1: error: keyword 'nummeshes' belongs to MD5 version 6 (alpha of 2002): the "
                 "file declares a later version"},
                {"", "MD5Version 10\ncommandline \"\"\nnumFrames 3\n",
                 "3:1: error: wrong file type: expected a model (.md5mesh), found an animation "
                 "(.md5anim) with keyword 'numFrames'"},
                {"", "MD5Version 10\nnumJoints 1\nnumAnimatedComponents 0\nx y z",
                 "3:1: error: wrong file type: expected a model (.md5mesh), found an animation "
                 "(.md5anim) with keyword 'numAnimatedComponents'"},
                {"", "MD5Version 10\nnumCuts 3\n",
                 "2:1: error: wrong file type: expected a model (.md5mesh), found a camera "
                 "(.md5camera) with keyword 'numCuts'"});
    md5_error error = {0};
    CHECK_FAILS(load("MD5Version 11", 13, NULL, &error), error, MD5_ERROR_VERSION);
    CHECK_FAILS(load("numbones 1", 10, NULL, &error), error, MD5_ERROR_VERSION);
}

// Version 12 adds a normal and a tangent to every vertex, and colors to a mesh.
TEST (mesh_file_reads_what_version_12_adds) {
    static const char version_12[] = "MD5Version 12\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\n"
                                     "joints { \"a\" -1 ( 0 0 0 ) ( 0 0 0 ) }\n"
                                     "mesh { shader \"\" numverts 1\n"
                                     "vert 0 ( 0 0 ) 0 1 ( 0 0 1 ) ( 1 0 0 -1 )\n"
                                     "numtris 0 numweights 1 weight 0 0 1 ( 0 0 0 )\n"
                                     "numvertexcolors 1 vertexcolor 0 ( 1 0.5 0 1 ) }\n";
    READ_CASES_CHECK(version_12, load, {"", version_12, ""},
                     {"vertexcolor 0 ( 1 0.5 0 1 )", "vertexcolor 0 ( 1 0.5 0 )",
                      "9:43: error: expected a number, found ')'"},
                     {"vertexcolor 0 ( 1 0.5 0 1 ) }", "} // enough bytes for one",
                      "9:19: error: too few 'vertexcolor' entries: expected 1 (numvertexcolors), "
                      "found '}' after 0"},
                     {"vertexcolor 0 ( 1 0.5 0 1 )", "vertexcolor 0 1 0.5 0 1",
                      "9:33: error: expected '(', found '1'"},
                     {"vertexcolor 0 ( 1 0.5 0 1 )", "vertexcolor 0 ( 1 0.5 0 1 1 )",
                      "9:45: error: expected ')', found '1'"},
                     {"vertexcolor 0 ( 1 0.5 0 1 )", "vertexcolor red ( 1 0.5 0 1 )",
                      "9:31: error: expected an integer, found 'red'"},
                     {"numvertexcolors 1 ", "numvertexcolors red ",
                      "9:17: error: expected an integer, found 'red'"},
                     {"( 1 0 0 -1 )", "( nan 0 0 -1 )",
                      "7:32: error: invalid number: expected a finite value, found 'nan'"},
                     {"( 1 0 0 -1 )", "( 1 nan 0 -1 )",
                      "7:34: error: invalid number: expected a finite value, found 'nan'"},
                     {"( 1 0 0 -1 )", "( 1 0 nan -1 )",
                      "7:36: error: invalid number: expected a finite value, found 'nan'"},
                     {"( 1 0 0 -1 )", "( 1 0 0 )", "7:38: error: expected a number, found ')'"},
                     {"( 1 0 0 -1 )", "", "8:1: error: expected '(', found 'numtris'"},
                     {"numvertexcolors 1 vertexcolor 0 ( 1 0.5 0 1 )", "", ""},
                     {"numvertexcolors 1 vertexcolor 0 ( 1 0.5 0 1 )", "flags 3",
                      "9:1: warning: 'flags' is an unknown keyword: skipped with its values"},
                     {"numvertexcolors 1 vertexcolor 0 ( 1 0.5 0 1 )", "numvertexcolors 0",
                      "9:17: error: numvertexcolors does not match numverts: expected 1, found 0"},
                     {"MD5Version 12", "MD5Version 10",
                      "7:20: error: unterminated mesh: expected '}', found '('"});
}

TEST (mesh_file_counts_are_limited_by_the_remaining_bytes) {
    CHECK_CASES({"numJoints 3", "numJoints 1000",
                 "4:11: error: numJoints is too large for the file: found 1000, but only 435 bytes "
                 "are left"},
                {"numMeshes 2", "numMeshes 100000000000",
                 "5:11: error: numMeshes is too large for the file: found 100000000000, but only "
                 "423 bytes are left"},
                {"numverts 3", "numverts 100000000",
                 "17:11: error: numverts is too large for the file: found 100000000, but only 251 "
                 "bytes are left"},
                {"numtris 1", "numtris 2147483648",
                 "22:10: error: numtris is too large for the file: found 2147483648, but only 171 "
                 "bytes are left"},
                {"numweights 3", "numweights 99999999999999999999999",
                 "25:13: error: numweights is too large for the file: found 9223372036854775807, "
                 "but only 143 bytes are left"});
}

static void add_times(test_text *text, const char *part, int count)
{
    while (count-- > 0)
        test_append(text, "%s", part);
}

// The shortest possible text for its counts is read.
TEST (mesh_file_reads_text_without_optional_spaces) {
    enum { COUNT = 1000 };
    SCOPED_TEXT text = {0};
    test_append(&text, "numJoints %d joints{a -1(0 0 0)(0 0 0)", COUNT);
    add_times(&text, "a 0(0 0 0)(0 0 0)", COUNT - 1);
    test_append(&text, "}numMeshes %d mesh{numweights %d ", COUNT + 1, COUNT);
    add_times(&text, "weight 0 0 0(0 0 0)", COUNT);
    test_append(&text, "numtris %d ", COUNT);
    add_times(&text, "tri 0 0 0 0 ", COUNT);
    test_append(&text, "numverts %d ", COUNT);
    add_times(&text, "vert 0(0 0)0 0 ", COUNT);
    test_append(&text, "}");
    add_times(&text, "mesh{numverts 0 numtris 0 numweights 0}", COUNT);
    md5_error error = {0};
    CHECK_THAT(load(text.bytes, text.used, NULL, &error), "%u:%u: %s", error.line, error.column,
               error.message);
}

// A text of less than 1 KB that declares 100 million vertices needs at most 16 KB of memory.
TEST (mesh_file_checks_counts_before_it_allocates) {
    size_t size;
    SCOPED_STRING text = read_case_text(good, "numverts 3", "numverts 100000000", &size);
    test_heap heap = {0};
    const md5_load_opts opts = heap_opts(&heap, 0);
    md5_error error = {0};
    CHECK_FAILS(load(text, size, &opts, &error), error, MD5_ERROR_RANGE);
    CHECK(heap.peak_bytes <= 16384);
    CHECK_UINT(heap.live, 0);
}

// Vertices may share weights, but only up to a limit, so that the work is linear in the size of the
// file.
TEST (mesh_file_bounds_how_often_weights_are_shared) {
    enum { NUM_WEIGHTS = 500, NUM_VERTICES = 500 };
    for (uint32_t share = 1; share <= NUM_WEIGHTS; share += NUM_WEIGHTS - 1) {
        SCOPED_TEXT text = {0};
        test_append(&text,
                    "MD5Version 10 commandline \"\" numJoints 1 numMeshes 1\n"
                    "joints { \"a\" -1 (0 0 0) (0 0 0) }\n"
                    "mesh { shader \"\" numverts %d\n",
                    NUM_VERTICES);
        for (int v = 0; v < NUM_VERTICES; v++)
            test_append(&text, "vert %u (0 0) 0 %u\n", v, share);
        test_append(&text, "numtris 0 numweights %d\n", NUM_WEIGHTS);
        for (int w = 0; w < NUM_WEIGHTS; w++)
            test_append(&text, "weight %u 0 1 (0 0 0)\n", w);
        test_append(&text, "}");
        md5_error error = {0};
        const bool loaded = load(text.bytes, text.used, NULL, &error);
        CHECK(loaded == (share == 1));
        if (!loaded) {
            const uint32_t last =
                (uint32_t)(text.used / NUM_WEIGHTS); // the first vertex above the limit
            CHECK_UINT(error.status, MD5_ERROR_RANGE);
            CHECK_UINT(error.line, 4 + last);
            CHECK(strstr(error.message, "vertices share too many weights"));
        }
    }
}

// 60 vertices that share 60 weights, in a text of 3600 bytes or one byte less.
TEST (mesh_file_accepts_as_many_shared_weights_as_bytes) {
    enum { COUNT = 60 };
    for (size_t size = COUNT * COUNT - 1; size <= COUNT * COUNT; size++) {
        SCOPED_TEXT text = {0};
        test_append(&text,
                    "MD5Version 10 commandline \"\" numJoints 1 numMeshes 1\n"
                    "joints { \"a\" -1 (0 0 0) (0 0 0) }\n"
                    "mesh { shader \"\" numverts %d\n",
                    COUNT);
        for (int v = 0; v < COUNT; v++)
            test_append(&text, "vert %u (0 0) 0 %d\n", v, COUNT);
        test_append(&text, "numtris 0 numweights %d\n", COUNT);
        for (int w = 0; w < COUNT; w++)
            test_append(&text, "weight %u 0 1 (0 0 0)\n", w);
        REQUIRE(text.used < size);
        test_append(&text, "%*s}", (int)(size - text.used - 1), "");
        CHECK_UINT(text.used, size);
        md5_error error = {0};
        CHECK(load(text.bytes, text.used, NULL, &error) == (size == COUNT * COUNT));
    }
}

TEST (mesh_file_memory_limit_is_an_error) {
    const md5_load_opts opts = {.allocator = {.limit = 1000}};
    md5_error error = {0};
    CHECK_FAILS(load(good, strlen(good), &opts, &error), error, MD5_ERROR_MEMORY);
}

// -- Joints ---------------------------------------------------------------------------------------

// Hierarchies in any order of joints: an order with parents first, warnings, cycles.

// In the file, children come before their parents. The order is correct and is found in linear
// time.
TEST (joints_are_ordered_after_their_parents) {
    enum { NUM_JOINTS = 20000 };
    SCOPED_TEXT text = {0};
    test_append(&text,
                "MD5Version 10 commandline \"\" numJoints %d numMeshes 0\n"
                "joints {\n",
                NUM_JOINTS);
    for (int j = 0; j < NUM_JOINTS; j++) // a chain, root last
        test_append(&text, "j%d %d (0 0 0)(0 0 0)\n", j, j + 1 < NUM_JOINTS ? j + 1 : -1);
    test_append(&text, "}");
    md5_context context;
    md5_error error = {0};
    md5_arena arena;
    md5_mesh_file file;
    if (read_text(&context, &arena, &error, text.bytes, text.used, &file)) {
        for (uint32_t i = 0; i < NUM_JOINTS; i++)
            CHECK(file.order[i] == NUM_JOINTS - 1 - i);
        CHECK_UINT(context.num_warnings, 1);
    }
    md5i_arena_free(&arena);
}

TEST (joints_before_their_parents_are_warned_of) {
    static const char late[] = "MD5Version 10 commandline \"\" numJoints 5 numMeshes 0\n"
                               "joints {\n"
                               "a 1 (0 0 0) (0 0 0)\n"
                               "b -1 (0 0 0) (0 0 0)\n"
                               "c 4 (0 0 0) (0 0 0)\n"
                               "d 0 (0 0 0) (0 0 0)\n"
                               "e -1 (0 0 0) (0 0 0)\n"
                               "}\n";
    READ_CASES_CHECK(late, load,
                     {"", late,
                      "3:1: warning: joint 'a' comes before its parent, "
                      "joint 1 (the first of 2 such joints)"});

    md5_context context;
    md5_error error = {0};
    md5_arena arena;
    md5_mesh_file file;
    if (read_text(&context, &arena, &error, late, strlen(late), &file)) {
        bool done[5] = {false};
        for (uint32_t i = 0; i < 5; i++) {
            const uint32_t parent = file.joints[file.order[i]].parent;
            CHECK(!done[file.order[i]] && (parent == MD5_NONE || done[parent]));
            done[file.order[i]] = true;
        }
    }
    md5i_arena_free(&arena);
}

// For any forest whose joints are in any order, the computed order contains every joint once,
// parents first. If one link is changed to close a cycle, the error names a joint of the cycle.
TEST (joints_of_random_forests_are_ordered_or_rejected) {
    enum { MAX = 40 };
    uint64_t random = 11;
    for (int round = 0; round < 500; round++) {
        const uint32_t count = 2 + test_random_u32(&random) % (MAX - 1);
        uint32_t file_index[MAX]; // index in the file of the i-th joint, parents first
        int32_t parents[MAX] = {0};
        for (uint32_t i = 0; i < count; i++)
            file_index[i] = i;
        for (uint32_t i = count - 1; i > 0; i--) {
            const uint32_t swapped = test_random_u32(&random) % (i + 1);
            const uint32_t kept = file_index[i];
            file_index[i] = file_index[swapped];
            file_index[swapped] = kept;
        }
        for (uint32_t i = 0; i < count; i++) {
            const bool is_root = i == 0 || test_random_u32(&random) % 8 == 0;
            parents[file_index[i]] =
                is_root ? -1 : (int32_t)file_index[test_random_u32(&random) % i];
        }
        const bool has_circle = round % 2 == 1;
        if (has_circle) { // a joint becomes the parent of its topmost ancestor
            const uint32_t low = test_random_u32(&random) % count;
            uint32_t top = low;
            while (parents[top] >= 0)
                top = (uint32_t)parents[top];
            parents[top] = (int32_t)low;
        }
        SCOPED_TEXT text = {0};
        test_append(&text,
                    "MD5Version 10 commandline \"\" numMeshes 0 numJoints %u\n"
                    "joints {\n",
                    count);
        for (uint32_t j = 0; j < count; j++)
            test_append(&text, "j%u %d (0 0 0)(0 0 0)\n", j, parents[j]);
        test_append(&text, "}");

        md5_context context;
        md5_error error = {0};
        md5_mesh_file file;
        md5i_context_begin(&context, NULL, NULL, &error);
        md5_arena arena = {.context = &context};
        const bool is_read =
            md5i_read_mesh_file(&arena, &arena, &arena, text.bytes, text.used, &file);
        CHECK(is_read != has_circle);
        bool done[MAX] = {false};
        if (is_read) {
            for (uint32_t i = 0; i < count; i++) {
                const uint32_t joint = file.order[i];
                CHECK(joint < count && !done[joint]
                      && (parents[joint] < 0 || done[parents[joint]]));
                done[joint] = true;
            }
        }
        if (!is_read) {
            const uint32_t named = error.line - 3; // from line 3 on each line is a joint
            int32_t joint = parents[named];
            for (uint32_t step = 0; step < count && joint >= 0 && (uint32_t)joint != named; step++)
                joint = parents[joint];
            CHECK(joint == (int32_t)named);
        }
        md5i_arena_free(&arena);
    }
}

// -- Counts ---------------------------------------------------------------------------------------
//
// The counts in a model's text, looked up before it is parsed.

static md5_mesh_counts count(const char *text)
{
    return md5i_count_mesh_file(text, strlen(text));
}

TEST (counts_of_a_file_are_found) {
    size_t size = 0;
    SCOPED_STRING text = test_read_file(test_path("models/bobbin/bobbin.md5mesh"), &size);
    REQUIRE(text);
    const md5_mesh_counts counts = md5i_count_mesh_file(text, size);
    SCOPED_MODEL model = md5_parse_model(text, size, NULL, NULL);
    REQUIRE(model);
    md5_mesh_counts expected = {model->skeleton.num_joints, model->num_meshes, 0, 0, 0};
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        expected.num_vertices += mesh->num_file_vertices;
        expected.mesh_arena_size += (8 * mesh->num_file_vertices + 15) / 16 * 16;
        expected.mesh_arena_size += (12 * mesh->num_triangles + 15) / 16 * 16;
        expected.mesh_arena_size += (20 * mesh->num_weights + 15) / 16 * 16;
        if (mesh->num_file_vertices > expected.max_vertices)
            expected.max_vertices = mesh->num_file_vertices;
    }
    CHECK_BYTES(&counts, &expected, sizeof counts);
}

TEST (counts_are_limited_by_the_size_of_the_text) {
    const md5_mesh_counts none = count("");
    const md5_mesh_sizes sizes = md5i_mesh_file_sizes(&none);
    CHECK(none.num_joints == 0 && none.num_vertices == 0 && sizes.meshes + sizes.tables < 100);
    CHECK_UINT(count("numverts 4000000000 vert").num_vertices, 0);
    CHECK_UINT(count("numverts 99999999999999999999999 vert 0(0 0)0 0").num_vertices, 1);
    CHECK_UINT(count("numverts   2 vert 0 ( 0 0 ) 0 0 vert 1 ( 0 0 ) 0 0").num_vertices, 2);
    CHECK_UINT(count("numverts").num_vertices, 0);
    CHECK_UINT(count("numverts ").num_vertices, 0);
    CHECK_UINT(count("numverts x").num_vertices, 0);
    CHECK_UINT(count("numvertsnumverts 0 num").num_vertices, 0);

    // The smallest text for the declared counts: the tables are not larger than the text.
    char text[20001];
    for (size_t i = 0; i + 10 < sizeof text; i += 10)
        memcpy(text + i, "numtris 9 ", 11);
    CHECK(count(text).mesh_arena_size / 12 * 11 <= sizeof text);
}

// The search for counts stops after very many occurrences of `n`, so that its cost is limited.
TEST (counts_are_not_found_after_too_many_occurrences) {
    enum { SIZE = 100000 };
    SCOPED_STRING text = test_alloc(SIZE);
    memset(text, 'n', SIZE);
    memcpy(text + SIZE - 1000, " numverts 3 ", 12);
    CHECK_UINT(md5i_count_mesh_file(text, SIZE).num_vertices, 0);
    memset(text, 'o', SIZE - 1000);
    CHECK_UINT(md5i_count_mesh_file(text, SIZE).num_vertices, 3);
}

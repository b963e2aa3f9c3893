// Materials of Unvanquished: .shader files.
#include "demo/viewer/assets/look.h"

#include "test/test.h"

#include <stdlib.h>
#include <string.h>

static bool read_text(const char *text, const char *name, view_look *look, view_log *log)
{
    *log = (view_log){.level = VIEW_QUIET};
    return view_read_shader("x.shader", text, strlen(text), name, look, log);
}

typedef struct shader_case {
    const char *text;
    const char *diffuse, *normals; // NULL: none
    bool two_sided;
} shader_case;

static const shader_case cases[] = {
    {"m\n{\n}\n", NULL, NULL, false},
    {"m\n{\n\tdiffuseMap art/a.tga\n\tnormalMap art\\b\n\tspecularMap c\n}\n", "art/a", "art/b",
     false},
    {"m { // a\n diffuseMap \"art/a b.tga\"\n }", "art/a b", NULL, false},
    // Stages, with and without their names; the first of a kind counts.
    {"m\n{\n cull none\n {\n map a\n rgbGen vertex\n }\n {\n map b\n }\n}\n", "a", NULL, true},
    {"m\n{\n {\n stage specularMap\n map s\n }\n {\n stage normalMap\n map n\n }\n"
     " {\n map d\n stage diffuseMap\n }\n}\n",
     "d", "n", false},
    {"m\n{\n {\n map $whiteimage\n }\n {\n map *black\n }\n {\n clampmap c\n }\n}\n", "c", NULL,
     false},
    {"m\n{\n diffuseMap .tga\n diffuseMap \"\"\n diffuseMap a\n}\n", "a", NULL, false},
    // Other materials, tables and comments are skipped; names are compared like paths.
    {"table t { { 0 1 } }\nother\n{\n {\n map no\n }\n}\n/* m { */\nM.tga\n{\n {\n map y\n }\n}\n",
     "y", NULL, false},
    {"m\n{\n cull back\n diffuseMap a\n}\nm\n{\n diffuseMap b\n}\n", "a", NULL, false},
    {"m\n{\n cull twoSided\n twoSided\n}\n", NULL, NULL, true},
};

static void check_path(const char *path, const char *expected, size_t index)
{
    test_check(strcmp(path != NULL ? path : "-", expected != NULL ? expected : "-") == 0, __FILE__,
               __LINE__, "case %zu: %s", index, path != NULL ? path : "-");
}

TEST (view_shader_files_name_pictures) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        view_log log;
        view_look look;
        test_check(read_text(cases[i].text, "m", &look, &log), __FILE__, __LINE__,
                   "case %zu: not found", i);
        check_path(look.diffuse, cases[i].diffuse, i);
        check_path(look.normals, cases[i].normals, i);
        CHECK(look.two_sided == cases[i].two_sided);
        CHECK_UINT(log.num_warnings, 0);
        view_free_look(&look);
    }
}

TEST (view_shader_files_compare_names_as_paths) {
    view_log log;
    view_look look;
    static const char text[] = "models/imp/skin\n{\n diffuseMap a\n}\n";
    static const char *const same[] = {"models/imp/skin", "MODELS\\imp/Skin.tga"};
    static const char *const others[] = {"models/imp/skins", "models/imp/ski", "skin", ""};
    for (size_t i = 0; i < 2; i++) {
        CHECK(read_text(text, same[i], &look, &log) && look.diffuse != NULL);
        view_free_look(&look);
    }
    for (size_t i = 0; i < 4; i++)
        CHECK(!read_text(text, others[i], &look, &log) && look.diffuse == NULL);
}

TEST (view_shader_files_report_mistakes) {
    static const struct {
        const char *text, *warning;
    } mistakes[] = {
        {"m\n{\n diffuseMap\n}\n", "x.shader:4:1: expected the name of a picture, found '}'"},
        {"m\n{\n {\n  map\n }\n}\n", "x.shader:5:2: expected the name of a picture, found '}'"},
        {"m\n{\n {\n {\n", "x.shader:4:2: expected '}' of the stage, found '{'"},
        {"m\n{\n diffuseMap a\n", "x.shader:4:1: expected '}', found the end of the file"},
        {"m\nmodel\n{\n}\n", "x.shader:2:1: expected '{', found 'model'"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        view_log log;
        view_look look;
        (void)read_text(mistakes[i].text, "m", &look, &log);
        CHECK(log.num_warnings > 0);
        test_check(strcmp(log.last[0], mistakes[i].warning) == 0, __FILE__, __LINE__, "%s",
                   log.last[0]);
        view_free_look(&look);
    }
}

// Each prefix of a text, and texts of one repeated byte, are read without a crash.
TEST (view_shader_files_may_be_anything) {
    view_log log = {.level = VIEW_QUIET};
    view_look look;
    const char *const text = cases[7].text;
    for (size_t size = 0; size <= strlen(text); size++) {
        char *const copy = common_alloc(size + 1, 1);
        memcpy(copy, text, size);
        (void)view_read_shader("x", copy, size, "m", &look, &log);
        view_free_look(&look);
        free(copy);
    }
    enum { LONG = 200000 };
    char *const many = common_alloc(LONG, 1);
    for (const char *c = "{}\"/*m\n"; *c != '\0'; c++) {
        memset(many, *c, LONG);
        memcpy(many, "m {", 3);
        (void)view_read_shader("x", many, LONG, "m", &look, &log);
        view_free_look(&look);
    }
    free(many);
}

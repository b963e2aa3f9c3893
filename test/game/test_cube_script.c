// The language of md5.cfg files: words, blocks, variables, other files, and what is wrong in them.
#include "test/game/cube_case.h"
#include "test/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_warnings(const char *text, const char *expected)
{
    cube_case test;
    CHECK(open_cube(&test, text));
    CHECK_STRING(test.log.text, expected);
    close_cube(&test);
}

#define AT(place) CUBE_CASE_PATH ":" place ": "

TEST (cube_warns_with_line_and_column) {
    check_warnings("md5load a.md5mesh\n\n  md5fly 1; mdlscale 100\n",
                   AT("3:3") "unknown word 'md5fly': its line is skipped\n");
    check_warnings("md5load a.md5mesh\r\nmdlscale big\r\n",
                   AT("2:10") "expected a number, found 'big': read as 0\n");
    check_warnings("md5load a.md5mesh\nmdlscale 1e12\n",
                   AT("2:10") "expected a number, found '1e12': read as 0\n");
    check_warnings("md5tag a b\nmd5load a.md5mesh\n",
                   AT("1:1") "'md5tag' before 'md5load': skipped\n");
    check_warnings("md5skin a b\nmd5load a.md5mesh\n",
                   AT("1:1") "'md5skin' before 'md5load': skipped\n");
    check_warnings("md5load a.md5mesh\nmd5link 0 1 tag\n",
                   AT("2:9") "link from part 0 to part 1: there are 1\n");
    check_warnings("md5load a.md5mesh\nmd5tag \"open\n",
                   AT("2:8") "this string has no end on its line: expected '\"'\n" //
                   AT("2:1") "expected a joint and the name of a tag after 'md5tag'\n");
    check_warnings("md5load a.md5mesh [ b\n",
                   AT("1:19") "this bracket is not closed: expected ']' or ')'\n");
}

TEST (cube_names_the_words_that_a_command_lacks) {
    check_warnings("md5load a.md5mesh\nmd5load\nmd5dir\nmd5anim a\nmd5pitch a\nmd5adjust\n"
                   "md5link 0 0\nmd5skin\nexec\nif 1\n",
                   AT("2:1") "expected the file of a mesh after 'md5load'\n"                    //
                   AT("3:1") "expected a folder after 'md5dir'\n"                               //
                   AT("4:1") "expected the name of an animation and its file after 'md5anim'\n" //
                   AT("5:1") "expected a joint and a factor after 'md5pitch'\n"                 //
                   AT("6:1") "expected a joint after 'md5adjust'\n"                             //
                   AT("7:1") "expected two parts and the name of a tag after 'md5link'\n"       //
                   AT("8:1") "expected the name of a mesh, or * after 'md5skin'\n"              //
                   AT("9:1") "expected the name of a file after exec\n"                         //
                   AT("10:1") "expected a condition and a block\n");
}

TEST (cube_reads_strings_and_comments) {
    cube_case test;
    const md5_cube2 *const cube =
        open_cube(&test, "// md5load no.md5mesh\nmd5load \"a^n^t^\"^^b.md5mesh\" // c\n"
                         ";;md5tag \"a b\" tag//c\n\tmd5tag b [tag c];md5tag c tag;\n");
    if (!CHECK(cube))
        return;
    CHECK_STRING(cube->parts[0].mesh, "data/actors/hero/a\n\t\"^b.md5mesh");
    CHECK_UINT(cube->parts[0].num_tags, 3);
    CHECK_STRING(cube->parts[0].tags[0].joint, "a b");
    CHECK_STRING(cube->parts[0].tags[0].name, "tag");
    CHECK_STRING(cube->parts[0].tags[1].name, "tag c");
    CHECK_STRING(test.log.text, "");
    close_cube(&test);
}

TEST (cube_reads_conditions_and_variables) {
    cube_case test;
    const md5_cube2 *const cube = open_cube(
        &test, "skin = red\nalias no \"0\"\nmd5load $skin\nif $no [ md5tag a 0 ] [ md5tag a 1\n"
               "md5fly ]\nif 1 [ if \"\" [ md5tag b 0 ]; if 0.5 [\nmd5tag b 1 ] ]\n"
               "if (> $x 1) [ md5tag c 1 ] [ md5tag c 0 ]\nif 0 [ md5tag d 0 ]\nif 1 md5tag\n"
               "other = (+ 1 2)\nmdlscale $other\n");
    if (!CHECK(cube))
        return;
    const md5_cube2_part *const part = &cube->parts[0];
    CHECK_STRING(part->mesh, "data/actors/hero/red");
    CHECK_UINT(part->num_tags, 3);
    for (uint32_t i = 0; i < part->num_tags; i++)
        CHECK_STRING(part->tags[i].name, "1");
    CHECK_STRING(test.log.text,
                 AT("5:1") "unknown word 'md5fly': its line is skipped\n"                  //
                 AT("8:4") "the condition is not evaluated: taken for true\n"              //
                 AT("10:6") "expected a block in [ ]\n"                                    //
                 AT("12:10") "variable '$other' is not set here: its value is not known\n" //
                 AT("12:10") "expected a number, found '': read as 0\n");
    close_cube(&test);
}

TEST (cube_limits_words_and_depth) {
    cube_case test;
    char text[1024] = "md5load a.md5mesh\nmdlspin";
    for (int i = 0; i < 26; i++)
        strcat(text, " 1");
    for (int i = 0; i < 20; i++)
        strcat(text, i ? " if 1 [" : "\nif 1 [");
    const md5_cube2 *const cube = open_cube(&test, text);
    if (!CHECK(cube))
        return;
    CHECK_UINT(cube->settings[0].num_values, 24);
    CHECK(strstr(test.log.text, AT("2:57") "a command has at most 25 words: skipped\n"));
    CHECK(strstr(test.log.text, "nested more than 16 deep: skipped\n"));
    close_cube(&test);
}

// -- Files ----------------------------------------------------------------------------------------

TEST (cube_reads_other_files) {
    cube_case test;
    const md5_cube2 *const cube = open_cube_with(
        &test, "exec \"actors/./hero/../base.cfg\"\nmd5fly\n", "data/actors/base.cfg",
        "md5load a.md5mesh\nmd5hop\nexec actors/hero/md5.cfg\n"
        "exec actors/base.cfg\n");
    if (!CHECK(cube))
        return;
    CHECK_STRING(cube->parts[0].mesh, "data/actors/hero/a.md5mesh");
    CHECK_STRING(test.log.text,
                 "data/actors/base.cfg:2:1: unknown word 'md5hop': its line is skipped\n"
                 "data/actors/base.cfg:3:6: 'actors/hero/md5.cfg' is being read already\n"
                 "data/actors/base.cfg:4:6: 'actors/base.cfg' is being read already\n" //
                 AT("2:1") "unknown word 'md5fly': its line is skipped\n");
    CHECK(!test.error.message[0] && !test.error.file[0]); // nothing failed
    close_cube(&test);
}

TEST (cube_goes_on_without_files_that_it_cannot_read) {
    check_warnings("exec a.cfg\nmd5load a.md5mesh\nexec ../b.cfg\nexec /c.cfg\nexec d:e\n",
                   AT("1:6") "'data/a.cfg' cannot open the file: not on this shelf\n" //
                   AT("3:6") "'../b.cfg' is outside of the game's folder\n"           //
                   AT("4:6") "'/c.cfg' is outside of the game's folder\n"             //
                   AT("5:6") "'d:e' is outside of the game's folder\n");
}

TEST (cube_reads_a_limited_number_of_files) {
    cube_case test;
    char text[2048] = "md5load a.md5mesh\n";
    for (int i = 0; i < 64; i++)
        strcat(text, "exec b.cfg\n");
    const md5_cube2 *const cube = open_cube_with(&test, text, "data/b.cfg", "mdlspin\n");
    if (!CHECK(cube))
        return;
    CHECK_UINT(cube->num_settings, 63);
    CHECK_STRING(test.log.text, AT("65:6") "'b.cfg' is one file too many\n");
    close_cube(&test);
}

static void check_mesh(const char *path, const char *root, const char *text, const char *mesh)
{
    const game_text files[] = {{path, text}, {NULL, NULL}};
    game_log log;
    md5_error error = {0};
    const md5_load_opts opts = cube_opts(files, &log);
    md5_cube2 *const cube = md5_load_cube2(path, root, &opts, &error);
    if (CHECK(cube))
        CHECK_STRING(cube->parts[0].mesh, mesh);
    md5_free_cube2(cube);
}

TEST (cube_finds_the_folders_of_a_game) {
    check_mesh("md5.cfg", NULL, "md5load a", "a");
    check_mesh("md5.cfg", NULL, "md5load ../a", "../a");
    check_mesh("/g/packages/models/flag/md5.cfg", NULL, "md5load ../a", "/g/packages/models/a");
    check_mesh("/g/packages/models/flag/md5.cfg", NULL, "md5dir pit;md5load a",
               "/g/packages/models/pit/a");
    check_mesh("re/data/props/md5.cfg", NULL, "md5dir actors;md5load a", "re/data/actors/a");
    check_mesh("re/props/md5.cfg", "re", "md5dir actors;md5load a", "re/actors/a");
    check_mesh("re/props/md5.cfg", "", "md5dir actors;md5load a", "actors/a");
    check_mesh("re/props/md5.cfg", NULL, "md5load /../../../../a", "../../a");
}

TEST (cube_without_a_file_takes_the_model_of_its_folder) {
    game_log log;
    md5_error error = {0};
    const game_text both[] = {
        {"m/flag/flag.md5mesh", ""}, {"m/flag/flag.md5anim", ""}, {NULL, NULL}};
    const game_text one[] = {{"m/flag/flag.md5mesh", ""}, {NULL, NULL}};
    md5_load_opts opts = cube_opts(both, &log);
    md5_cube2 *cube = md5_load_cube2("m/flag/md5.cfg", NULL, &opts, &error);
    if (CHECK(cube)) {
        CHECK_STRING(cube->parts[0].mesh, "m/flag/flag.md5mesh");
        CHECK_UINT(cube->parts[0].num_anims, 1);
        CHECK_STRING(cube->parts[0].anims[0].file, "m/flag/flag.md5anim");
    }
    CHECK_STRING(log.text, "m/flag/md5.cfg:0:0: there is no such file: the model is "
                           "'m/flag/flag.md5mesh'\n");
    md5_free_cube2(cube);
    opts = cube_opts(one, &log);
    cube = md5_load_cube2("m/flag/md5.cfg", NULL, &opts, &error);
    CHECK(cube && cube->parts[0].num_anims == 0);
    md5_free_cube2(cube);
    opts = cube_opts(one + 1, &log);
    CHECK(!md5_load_cube2("m/flag/md5.cfg", NULL, &opts, &error));
    CHECK_UINT(error.status, MD5_ERROR_IO);
    CHECK_STRING(error.message, "cannot open the file: not on this shelf");
    CHECK(!md5_load_cube2("md5.cfg", NULL, &opts, NULL));
    md5_free_cube2(NULL);
}

TEST (cube_without_a_mesh_is_an_error) {
    cube_case test;
    CHECK(!open_cube(&test, "mdlscale 100\n"));
    CHECK_UINT(test.error.status, MD5_ERROR_SYNTAX);
    CHECK_STRING(test.error.message, "no mesh is loaded: expected a line 'md5load FILE'");
    CHECK_STRING(test.error.file, CUBE_CASE_PATH);
}

// -- Memory, and hostile texts --------------------------------------------------------------------

static const char whole[] = "md5load a.md5mesh\nmd5anim \"a b\" b.md5anim\nmd5tag a b 1 2 3 4 5 6\n"
                            "md5pitch a 1\nmd5adjust b 1 2 3 4 5 6\nmd5skin * <dds>a b\n"
                            "md5animpart \"a b\"\nmd5link 0 0 tag\nmdlspin 1 2\nx = 2\n"
                            "if $x [ md5envmap * a; exec b.cfg ]\nmd5dir d\n";

TEST (cube_survives_failure_of_every_allocation) {
    const game_text files[] = {{"md5.cfg", whole}, {"b.cfg", "md5shader * a\n"}, {NULL, NULL}};
    for (size_t i = 1;; i++) {
        test_heap heap = {.fail_at = i};
        game_log log;
        md5_error error = {0};
        md5_load_opts opts = cube_opts(files, &log);
        opts.allocator =
            (md5_allocator){.alloc = test_heap_alloc, .free = test_heap_free, .user = &heap};
        md5_cube2 *const cube = md5_load_cube2("md5.cfg", NULL, &opts, &error);
        md5_free_cube2(cube);
        CHECK_UINT(heap.live, 0);
        if (cube)
            break;
        CHECK_UINT(error.status, MD5_ERROR_MEMORY);
    }
}

TEST (cube_survives_every_memory_limit) {
    const game_text files[] = {{"md5.cfg", whole}, {"b.cfg", "md5shader * a\n"}, {NULL, NULL}};
    // The text many times, so that more than one block of memory is needed.
    char text[sizeof whole * 40];
    text[0] = '\0';
    for (int i = 0; i < 40; i++)
        strcat(text, whole);
    const game_text many[] = {{"md5.cfg", text}, files[1], files[2]};
    md5_cube2 *cube = NULL;
    for (size_t limit = 1000; !cube && limit < 10000000; limit += 977) {
        game_log log;
        md5_error error = {0};
        md5_load_opts opts = cube_opts(many, &log);
        opts.allocator.limit = limit;
        cube = md5_load_cube2("md5.cfg", NULL, &opts, &error);
        CHECK(cube || error.status == MD5_ERROR_MEMORY);
    }
    CHECK(cube);
    md5_free_cube2(cube);
}

TEST (cube_reads_truncated_and_altered_texts) {
    static const char bytes[] = {'"', '[', ']', '(', ')', '\0',  '\n',
                                 ';', '$', '^', '/', '.', '\xff'};
    const size_t size = strlen(whole);
    for (size_t i = 0; i < size * (1 + sizeof bytes); i++) {
        char text[sizeof whole];
        game_log log;
        md5_error error = {0};
        memcpy(text, whole, sizeof text);
        text[i % size] = i < size ? '\0' : bytes[i / size - 1];
        const game_text files[] = {{"md5.cfg", text}, {NULL, NULL}};
        const md5_load_opts opts = cube_opts(files, &log);
        md5_cube2 *const cube = md5_load_cube2("md5.cfg", NULL, &opts, &error);
        CHECK(cube || error.status == MD5_ERROR_SYNTAX);
        md5_free_cube2(cube);
    }
}

// -- Real models ----------------------------------------------------------------------------------

static char *corpus_path(const char *name)
{
    static char path[1024];
    (void)snprintf(path, sizeof path, "%s/corpus/redeclipse/%s", test_corpus(), name);
    return path;
}

TEST (cube_reads_red_eclipses_drone) {
    md5_error error = {0};
    md5_cube2_look skin;
    if (!test_corpus()) {
        test_skip("needs MD5_CORPUS");
        return;
    }
    md5_cube2 *const cube = md5_load_cube2(corpus_path("drone/md5.cfg"), NULL, NULL, &error);
    if (!CHECK(cube))
        return;
    const md5_cube2_part *const part = &cube->parts[0];
    // Counted in the file: grep -c '^md5tag' and so on.
    CHECK_UINT(cube->num_parts, 1);
    CHECK_UINT(part->num_tags, 6);
    CHECK_UINT(part->num_pitches, 2);
    CHECK_UINT(part->num_masks, 2);
    CHECK_UINT(part->num_anims, 89);
    CHECK_UINT(part->num_adjustments, 1);
    CHECK_NEAR(cube->scale, 4.2, 1e-6);
    CHECK_UINT(cube->num_warnings, 1); // its ragdoll.cfg is not in the corpus
    const uint32_t shoot = md5_find_cube2_anim(part, 1, "rifle secondary");
    if (CHECK(shoot != MD5_NONE)) {
        CHECK(strstr(part->anims[shoot].file, "/drone/rifle-shoot.md5anim"));
        CHECK_NEAR(part->anims[shoot].frame_rate, 25.0, 0.0);
    }
    CHECK(md5_find_cube2_anim(part, 0, "sword") == md5_find_cube2_anim(part, 0, "claw"));
    md5_model *const model = md5_load_model(part->mesh, NULL, &error);
    if (CHECK(model)) {
        for (uint32_t i = 0; i < model->num_meshes; i++) {
            md5_build_cube2_look(part, model->meshes[i].name, &skin);
            CHECK(skin.texture.path && strstr(skin.texture.path, "/drone/skin.jpg"));
            CHECK(skin.normal_map.path && strstr(skin.normal_map.path, "/drone/normals.png"));
        }
        CHECK(md5_find_joint(&model->skeleton, part->adjustments[0].joint) != MD5_NONE);
    }
    md5_free_model(model);
    md5_free_cube2(cube);
}

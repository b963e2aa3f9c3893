// Which file has precedence if several places have it.
#include "test/game/game_case.h"
#include "test/test.h"

#include <string.h>

static md5_game *open_places(const md5_game_path *places, size_t count)
{
    md5_error error;
    md5_game *const game = md5_create_game(places, count, NULL, &error);
    CHECK(game);
    return game;
}

// The text of a file as loaders of assets get it.
static void check_text(md5_game *game, const char *name, const char *expected)
{
    const md5_files files = md5_game_files(game);
    md5_error error = {.status = MD5_OK};
    size_t size = 0;
    const char *const bytes = files.open(files.user, name, &size, &error);
    if (!CHECK(bytes))
        return;
    CHECK_UINT(size, strlen(expected));
    CHECK(memcmp(bytes, expected, size) == 0);
    files.close(files.user, bytes, size);
}

TEST (game_finds_files_of_better_places) {
    static const game_text mod[] = {{"a.txt", "mod"}}, base[] = {{"A.TXT", "base"}, {"b.txt", "b"}};
    const md5_game_path places[] = {game_place(mod, 1, false), game_place(base, 2, false)};
    md5_game *const game = open_places(places, 2);
    check_text(game, "a.txt", "mod");
    check_text(game, "b.txt", "b");
    md5_destroy_game(game);
}

TEST (game_finds_files_whatever_their_case_and_slashes) {
    static const game_text texts[] = {{"Models/MD5\\Imp.md5mesh", "imp"}};
    const md5_game_path place = game_place(texts, 1, false);
    md5_game *const game = open_places(&place, 1);
    check_text(game, "models/md5/imp.MD5MESH", "imp");
    check_text(game, "/models\\md5\\imp.md5mesh", "imp");
    CHECK(md5_game_find_file(game, "models/md5/../md5/imp.md5mesh", 0) == MD5_NONE);
    CHECK(md5_game_find_file(game, "models/imp.md5mesh", 0) == MD5_NONE);
    md5_destroy_game(game);
}

TEST (game_takes_the_last_of_equal_names_in_an_archive) {
    static const game_text texts[] = {{"a.txt", "1"}, {"A.txt", "2"}};
    const md5_game_path archive = game_place(texts, 2, true);
    md5_game *game = open_places(&archive, 1);
    check_text(game, "a.txt", "2");
    md5_destroy_game(game);
    const md5_game_path folder = game_place(texts, 2, false);
    game = open_places(&folder, 1);
    check_text(game, "a.txt", "1");
    md5_destroy_game(game);
}

TEST (game_leaves_out_names_that_cannot_be_reached) {
    static const game_text texts[] = {{"../materials/a.mtr", "a { }"},
                                      {"/materials/b.mtr", "b { }"}};
    const md5_game_path place = game_place(texts, 2, true);
    md5_game *const game = open_places(&place, 1);
    CHECK_UINT(md5_game_num_decls(game, MD5_DECL_MATERIAL), 0);
    CHECK(md5_game_find_file(game, "materials/b.mtr", 0) == MD5_NONE);
    md5_destroy_game(game);
}

TEST (game_reports_a_missing_file_to_loaders) {
    md5_game *const game = open_places(NULL, 0);
    const md5_load_opts opts = {.files = md5_game_files(game)};
    md5_error error;
    CHECK(!md5_load_model("models/imp.md5mesh", &opts, &error));
    CHECK_UINT(error.status, MD5_ERROR_IO);
    CHECK_STRING(error.message, "cannot open the file: no such file in the game");
    md5_destroy_game(game);
}

TEST (game_warns_of_files_that_cannot_be_read) {
    static const game_text texts[] = {{"materials/a.mtr", NULL}, {"materials/b.mtr", "b { }"}};
    game_log log;
    md5_game *const game = open_texts(texts, 2, &log);
    has_logged(&log, "materials/a.mtr:0: cannot read the file: 'it is on the moon'");
    CHECK_UINT(md5_game_num_decls(game, MD5_DECL_MATERIAL), 1);
    md5_destroy_game(game);
}

TEST (game_finds_images_by_the_engines_rule) {
    static const game_text texts[] = {{"t/a.tga", ""}, {"t/b.jpg", ""}};
    md5_game *const game = open_texts(texts, 2, NULL);
    CHECK_STRING(md5_game_image_file(game, "T\\a"), "t/a.tga");
    CHECK_STRING(md5_game_image_file(game, "t/b.tga"), "t/b.jpg");
    CHECK_STRING(md5_game_image_file(game, "t/b"), "t/b.jpg");
    CHECK(!md5_game_image_file(game, "t/a.jpg"));
    CHECK(!md5_game_image_file(game, "_white"));
    md5_destroy_game(game);
}

static void ask_for_all(md5_game *game, md5_error *error)
{
    for (uint32_t i = 0; i < md5_game_num_decls(game, MD5_DECL_MATERIAL); i++)
        (void)md5_game_material(game, md5_game_decl(game, MD5_DECL_MATERIAL, i)->name, error);
    for (uint32_t i = 0; i < md5_game_num_decls(game, MD5_DECL_SKIN); i++)
        (void)md5_game_skin_def(game, md5_game_decl(game, MD5_DECL_SKIN, i)->name, error);
}

TEST (game_survives_failure_of_every_allocation) {
    static const game_text texts[] = {
        {"materials/a.mtr",
         "table t { { 0, 1, 2 } }\na { bumpmap heightmap( x, 4 ) { map y rgb t[ time ] } }\n"},
        {"skins/a.skin", "skin s { model m.lwo a b * c }\n"},
    };
    const md5_game_path place = game_place(texts, 2, false);
    for (size_t i = 1;; i++) {
        test_heap heap = {.fail_at = i};
        const md5_load_opts opts = {
            .allocator = {.alloc = test_heap_alloc, .free = test_heap_free, .user = &heap}};
        md5_error error;
        md5_game *const game = md5_create_game(&place, 1, &opts, &error);
        CHECK(game || error.status == MD5_ERROR_MEMORY);
        if (game)
            ask_for_all(game, &error);
        md5_destroy_game(game);
        CHECK_UINT(heap.live, 0);
        if (heap.num_allocs < i)
            break;
    }
}

// The caller's mistakes: builds with assertions abort with a message.
#include "test/mistake.h"
#include "test/test.h"

#include "md5/md5game.h"

#include <string.h>

#if !defined(NDEBUG) && (defined(__unix__) || defined(__APPLE__))

static void open_nothing(const void *context)
{
    (void)context;
    (void)md5_create_game(NULL, 1, NULL, NULL);
}

static void ask_nobody(const void *context)
{
    (void)context;
    (void)md5_game_material(NULL, "a", NULL);
}

static void ask_for_nothing(const void *context)
{
    (void)context;
    md5_game *const game = md5_create_game(NULL, 0, NULL, NULL);
    (void)md5_game_skin_def(game, NULL, NULL);
}

static void evaluate_nothing(const void *context)
{
    (void)context;
    md5_evaluate_material(NULL, NULL, NULL);
}

static void release_nothing(void *user, const void *pixels)
{
    (void)user, (void)pixels;
}

static void load_no_image(const void *context)
{
    (void)context;
    (void)md5_load_image(NULL, NULL, NULL, NULL);
}

static void parse_half_a_decoder(const void *context)
{
    (void)context;
    md5_image_opts opts = {.allocator = {.limit = 0}};
    opts.decoder.release = release_nothing;
    (void)md5_parse_image("", 0, &opts, NULL);
}

TEST (image_asserts_its_arguments) {
    CHECK(strstr(test_message_of(load_no_image, NULL), "md5_load_image(): game: not NULL"));
    CHECK(strstr(test_message_of(parse_half_a_decoder, NULL), "the decoder has both functions"));
}

TEST (game_asserts_its_arguments) {
    CHECK(strstr(test_message_of(open_nothing, NULL), "md5_create_game(): paths: not NULL"));
    CHECK(strstr(test_message_of(ask_nobody, NULL), "md5_game_material(): game: not NULL"));
    CHECK(strstr(test_message_of(ask_for_nothing, NULL), "md5_game_skin_def(): name: not NULL"));
    CHECK(strstr(test_message_of(evaluate_nothing, NULL), "md5_evaluate_material(): material"));
}

#endif

TEST (game_answers_invalid_types) {
    md5_game *const game = md5_create_game(NULL, 0, NULL, NULL);
    CHECK_UINT(md5_game_num_decls(game, MD5_NUM_DECL_TYPES), 0);
    CHECK(!md5_find_decl(game, MD5_NUM_DECL_TYPES, "a"));
    CHECK(!md5_game_decl(game, MD5_DECL_TABLE, 0));
    md5_destroy_game(game);
    md5_destroy_game(NULL);
}

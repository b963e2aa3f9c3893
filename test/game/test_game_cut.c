// Declarations that are cut off anywhere: each of them is read to its end, under both verdicts.
#include "test/game/game_case.h"
#include "test/test.h"

#include <stdio.h>
#include <string.h>

// Every kind of declaration and block.
static const char whole[] =
    "table t { snap { 0, 1 } }\n"
    "material m { qer_editorimage e polygonOffset 1 deform turb t 1 2 3 zz { y }\n"
    "diffusemap addnormals( a, heightmap( b, 4 ) )\n"
    "{ blend gl_one, gl_zero map add( a, b ) if ( t[ time ] + parm1 * ( 2 - 1 ) ) rgb 1\n"
    "scroll time, 1 fragmentMap 0 c vertexParm 0 1, 2 } }\n"
    "skin s { model x a b c d }\n"
    "entityDef e { \"inherit\" \"f\" \"a\" \"b\" }\n"
    "model b { mesh x.md5mesh channel legs ( c ) anim run three.md5anim }\n"
    "model n { inherit b skin s mesh x.md5mesh offset ( 1 2 3 ) channel torso ( *a -b )\n"
    "anim walk two.md5anim , two.md5anim { random_cycle_start frame 1 sound_body s\n"
    "frame 2 start_emitter a root c frame 1 zz } zz { y } remove run }\n";

static void ask_for_all(md5_game *game)
{
    md5_error error;
    (void)md5_game_table(game, "t", &error);
    CHECK(error.status == MD5_OK && md5_game_material(game, "m", &error));
    CHECK(error.status == MD5_OK && md5_game_skin_def(game, "s", &error));
    (void)md5_game_model_def(game, "n", &error);
    CHECK_UINT(error.status, MD5_OK);
}

TEST (declarations_that_are_cut_come_to_an_end) {
    static char text[sizeof whole];
    for (size_t size = sizeof whole - 1; size > 0; size--) {
        memcpy(text, whole, size);
        text[size] = '\0';
        md5_game *const game = open_models(text, NULL);
        ask_for_all(game);
        CHECK(md5_game_set_verdict(game, MD5_VERDICT_LENIENT, NULL));
        ask_for_all(game);
        md5_destroy_game(game);
    }
}

// In the lenient verdict everything before the end counts.
TEST (commands_without_a_brace_behind_them_count) {
    game_log log = {.count = 0};
    md5_game *const game =
        open_models("model n { mesh x.md5mesh anim walk two.md5anim {\nframe 1 footstep", &log);
    CHECK(md5_game_model_def(game, "n", NULL)->decl->state == MD5_DECL_DEFAULTED);
    CHECK(md5_game_set_verdict(game, MD5_VERDICT_LENIENT, NULL));
    const md5_model_def *const model = md5_game_model_def(game, "n", NULL);
    CHECK(model && model->num_anims == 1 && md5_model_def_anim(model, 0)->num_commands == 1);
    CHECK(has_logged(&log, "def/all.def:2: Unexpected end of file; expected '}'"));
    md5_destroy_game(game);
}

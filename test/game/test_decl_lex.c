// Tokens of declarations, one rule a test.
#include "test/game/game_case.h"
#include "test/test.h"

#include "md5/game/decl_lex.h"
#include "md5/md5game.h"

#include <stdio.h>
#include <string.h>

// Reads all tokens of a text and joins them with |.
static void lex_all(const char *text, char *result, size_t size, game_log *log)
{
    md5_game *const game = open_texts(NULL, 0, log);
    md5_decl_lex lex;
    md5_token token;
    result[0] = '\0';
    md5i_decl_lex_begin(&lex, game, "text", 1, text, strlen(text));
    while (md5i_decl_lex_read(&lex, &token)) {
        const size_t used = strlen(result);
        (void)snprintf(result + used, size - used, "%s%.*s", used > 0 ? "|" : "", (int)token.size,
                       token.text);
    }
    md5_destroy_game(game);
}

static void check_tokens(const char *text, const char *expected)
{
    char result[512];
    game_log log;
    lex_all(text, result, sizeof result, &log);
    CHECK_STRING(result, expected);
    CHECK_STRING(log.text, "");
}

// The tokens before an error, and the error.
static void check_error(const char *text, const char *expected, const char *line)
{
    char result[512];
    game_log log;
    lex_all(text, result, sizeof result, &log);
    CHECK_STRING(result, expected);
    has_logged(&log, line);
}

TEST (decl_lex_reads_names_with_path_characters) {
    check_tokens("textures/rock_1.tga a\\b c:d .hidden /root _x",
                 "textures/rock_1.tga|a\\b|c:d|.hidden|/root|_x");
}

TEST (decl_lex_ends_names_at_a_minus) {
    check_tokens("dash-name", "dash|-|name");
}

TEST (decl_lex_prefers_long_punctuation) {
    check_tokens("a>>=b&&c<=d--e->f{}[](),", "a|>>=|b|&&|c|<=|d|--|e|->|f|{|}|[|]|(|)|,");
}

TEST (decl_lex_takes_a_slash_for_a_name) {
    check_tokens("8 /2 8 / 2", "8|/2|8|/|2");
}

TEST (decl_lex_skips_comments_and_high_bytes) {
    check_tokens("a // b { \n c /* d \n { */ e \xEF\xBB\xBF f", "a|c|e|f");
}

TEST (decl_lex_swallows_the_byte_behind_a_comment) {
    check_tokens("a /* b */xyz", "a|yz");
}

TEST (decl_lex_ends_at_a_nul) {
    md5_game *const game = open_texts(NULL, 0, NULL);
    md5_decl_lex lex;
    md5_token token;
    md5i_decl_lex_begin(&lex, game, "text", 1, "a\0b", 3);
    CHECK(md5i_decl_lex_read(&lex, &token));
    CHECK(!md5i_decl_lex_read(&lex, &token));
    md5_destroy_game(game);
}

TEST (decl_lex_keeps_backslashes_in_strings) {
    check_tokens("\"a\\n b\" 'c\"d' \"\"", "a\\n b|c\"d|");
}

TEST (decl_lex_joins_strings_only_by_a_backslash) {
    check_tokens("\"a\" \"b\"", "a|b");
    check_tokens("\"a\" \\\n \"b\" \\ \"c\" d", "abc|d");
    check_tokens("'a' \\ 'b'", "a|\\|b");
}

TEST (decl_lex_reports_broken_strings) {
    check_error("a \"b\nc\"", "a", "text:1: newline inside string");
    check_error("a\n\"b", "a", "text:2: missing trailing quote");
    check_error("\"a\" \\ b", "", "text:1: expecting string after '\\' terminated line");
}

TEST (decl_lex_reports_unknown_punctuation_and_dots) {
    check_error("a @ b", "a", "text:1: unknown punctuation '@'");
    check_error("a 1.2.3 b", "a", "text:1: more than one dot in number");
}

// The number that a text begins with.
static double number_of(const char *text)
{
    md5_game *const game = open_texts(NULL, 0, NULL);
    md5_decl_lex lex;
    md5_token token = {.number = -1.0};
    md5i_decl_lex_begin(&lex, game, "text", 1, text, strlen(text));
    CHECK(md5i_decl_lex_read(&lex, &token));
    CHECK_UINT(token.kind, MD5_TOKEN_NUMBER);
    md5_destroy_game(game);
    return token.number;
}

TEST (decl_lex_reads_numbers_of_all_bases) {
    CHECK(number_of("010") == 8.0);
    CHECK(number_of("0x1F") == 31.0);
    CHECK(number_of("0b101") == 5.0);
    CHECK(number_of("42") == 42.0);
    CHECK(number_of("0") == 0.0);
}

TEST (decl_lex_reads_decimals) {
    CHECK_NEAR(number_of(".5"), 0.5, 1e-15);
    CHECK_NEAR(number_of("5."), 5.0, 1e-15);
    CHECK_NEAR(number_of("1e-5"), 1e-5, 1e-18);
    CHECK_NEAR(number_of("2.5e+3"), 2500.0, 1e-9);
    CHECK(number_of("1e99999999999") > 1e300);
}

TEST (decl_lex_splits_what_is_no_octal_digit) {
    check_tokens("08", "0|8");
}

TEST (decl_lex_swallows_suffixes) {
    check_tokens("1.5f 2ul 3F", "1.5|2|3|F");
}

TEST (decl_lex_reads_on_a_line) {
    md5_game *const game = open_texts(NULL, 0, NULL);
    md5_decl_lex lex;
    md5_token token;
    const char *const text = "a b\nc";
    md5i_decl_lex_begin(&lex, game, "text", 1, text, strlen(text));
    CHECK(md5i_decl_lex_read(&lex, &token));
    CHECK(md5i_decl_lex_read_on_line(&lex, &token) && md5i_token_is(&token, "b"));
    CHECK(!md5i_decl_lex_read_on_line(&lex, &token));
    CHECK(md5i_decl_lex_read(&lex, &token) && md5i_token_is(&token, "c"));
    CHECK_UINT(token.lines_crossed, 1);
    md5_destroy_game(game);
}

static void keep_warning(void *user, const md5_error *warning)
{
    *(md5_error *)user = *warning;
}

// Columns are those of the first byte of what is wrong, or, where something is missing, of the end
// of what is before it. A joint that is unknown is found among the names of its list.
TEST (warnings_point_to_the_beginning_of_words) {
    static const struct {
        const char *file, *text;
        uint32_t column;
    } cases[] = {
        {"materials/a.mtr", "m { nonsense }", 5},
        {"materials/a.mtr", "m { \"no sense\" }", 5},
        {"materials/a.mtr", "m {\n{ map a alphaTest nowhere[ 1 ] } }", 19},
        {"materials/a.mtr", "m { sort\n}", 9},
        {"materials/a.mtr", "m { deform wobble }", 12},
        {"materials/a.mtr", "m { } m { }", 7},
        {"materials/a.mtr", "m /* /* */ { }", 6},
        {"skins/a.skin", "m { a }", 7},
        {"def/a.def", "entityDef m { \"k\" \"1\"\n\"other\" \"1\" \"k\" \"long\" }", 13},
        {"def/a.def", "model m { mesh a.md5mesh channel arms ( toe ) }", 34},
        {"def/a.def", "model m { mesh a.md5mesh channel legs ( root *knee toe ) }", 47},
        {"def/a.def", "model m { mesh a.md5mesh channel legs ( toes toe es ) }", 50},
        {"def/a.def", "model m { mesh a.md5mesh anim ab a.md5anim }", 34},
    };
    static const char mesh[] =
        "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 0\njoints {\n"
        "\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"toe\" 0 ( 0 0 0 ) ( 0 0 0 )\n}\n";
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const game_text texts[] = {{cases[i].file, cases[i].text}, {"a.md5mesh", mesh}};
        const md5_game_path path = game_place(texts, 2, false);
        md5_error last = {.line = 0};
        const md5_load_opts opts = {.warn = keep_warning, .warn_user = &last};
        md5_game *const game = md5_create_game(&path, 1, &opts, NULL);
        CHECK(game != NULL);
        (void)md5_game_material(game, "m", NULL);
        (void)md5_game_skin_def(game, "m", NULL);
        (void)md5_game_model_def(game, "m", NULL);
        (void)md5_game_entity_def(game, "m", NULL);
        test_check(last.column == cases[i].column, __FILE__, __LINE__, "%s: column %u of %s",
                   cases[i].text, (unsigned)last.column, last.message);
        md5_destroy_game(game);
    }
}

TEST (decl_lex_warns_at_line_and_column) {
    const game_text texts[] = {{"materials/a.mtr", "a { }\n  b @\n"}};
    const md5_game_path path = game_place(texts, 1, false);
    md5_error last = {.line = 0};
    const md5_load_opts opts = {.warn = keep_warning, .warn_user = &last};
    md5_game *const game = md5_create_game(&path, 1, &opts, NULL);
    CHECK_STRING(last.file, "materials/a.mtr");
    CHECK_UINT(last.line, 2);
    CHECK_UINT(last.column, 5);
    md5_destroy_game(game);
}

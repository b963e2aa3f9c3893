// Tests of the tokens of declarations, one rule per test. Public functions report only the first
// token that is invalid.
#include "test/decl/game_case.h"
#include "test/scoped.h"

#include "md5/decl/decl_lex.h"

// Reads all tokens of a text and joins them with |.
static void lex_all(const char *text, char *result, size_t size, game_log *log)
{
    SCOPED_GAME game = open_texts(NULL, 0, log);
    md5_decl_lex lex;
    md5_token token;
    result[0] = '\0';
    md5i_decl_lex_begin(&lex, game, "text", 1, text, strlen(text));
    while (md5i_decl_lex_read(&lex, &token)) {
        const size_t used = strlen(result);
        snprintf(result + used, size - used, "%s%.*s", used > 0 ? "|" : "", (int)token.size,
                 token.text);
    }
}

static void check_tokens(const char *text, const char *expected)
{
    char result[512];
    game_log log;
    lex_all(text, result, sizeof result, &log);
    CHECK_STRING(result, expected);
    CHECK_STRING(log.text, "");
}

// Checks the tokens before an error, and the error.
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

TEST (decl_lex_reads_a_slash_as_part_of_a_name) {
    check_tokens("8 /2 8 / 2", "8|/2|8|/|2");
}

TEST (decl_lex_skips_comments_and_high_bytes) {
    check_tokens("a // b { \n c /* d \n { */ e \xEF\xBB\xBF f", "a|c|e|f");
}

TEST (decl_lex_skips_the_byte_after_a_comment) {
    check_tokens("a /* b */xyz", "a|yz");
}

TEST (decl_lex_ends_at_a_nul) {
    SCOPED_GAME game = open_texts(NULL, 0, NULL);
    md5_decl_lex lex;
    md5_token token;
    md5i_decl_lex_begin(&lex, game, "text", 1, "a\0b", 3);
    CHECK(md5i_decl_lex_read(&lex, &token));
    CHECK(!md5i_decl_lex_read(&lex, &token));
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

TEST (decl_lex_reports_numbers_that_are_not_finite) {
    check_error("1.#INF b", "1.#INF|b", "text:1: parsed '1.#INF'");
}

TEST (decl_lex_reports_words_instead_of_integers) {
    static const struct {
        const char *text;
        int32_t value;
        const char *warning;
    } rows[] = {
        {"7", 7, NULL},
        {"- 7", -7, NULL},
        {"word", 0, "text:1: expected integer value, found 'word'"},
        {"", 0, "text:1: couldn't read expected integer"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        game_log log;
        SCOPED_GAME game = open_texts(NULL, 0, &log);
        md5_decl_lex lex;
        md5i_decl_lex_begin(&lex, game, "text", 1, rows[i].text, strlen(rows[i].text));
        CHECK(md5i_decl_lex_int(&lex) == rows[i].value);
        if (rows[i].warning)
            has_logged(&log, rows[i].warning);
        else
            CHECK_STRING(log.text, "");
    }
}

// Returns the number at the start of a text.
static double parse_number(const char *text)
{
    SCOPED_GAME game = open_texts(NULL, 0, NULL);
    md5_decl_lex lex;
    md5_token token = {.number = -1};
    md5i_decl_lex_begin(&lex, game, "text", 1, text, strlen(text));
    CHECK(md5i_decl_lex_read(&lex, &token));
    CHECK_UINT(token.kind, MD5_TOKEN_NUMBER);
    return token.number;
}

TEST (decl_lex_reads_numbers_of_all_bases) {
    CHECK(parse_number("010") == 8);
    CHECK(parse_number("0x1F") == 31);
    CHECK(parse_number("0b101") == 5);
    CHECK(parse_number("42") == 42);
    CHECK(parse_number("0") == 0);
}

TEST (decl_lex_reads_decimals) {
    CHECK_NEAR(parse_number(".5"), 0.5, 1e-15);
    CHECK_NEAR(parse_number("5."), 5, 1e-15);
    CHECK_NEAR(parse_number("1e-5"), 1e-5, 1e-18);
    CHECK_NEAR(parse_number("2.5e+3"), 2500, 1e-9);
    CHECK(parse_number("1e99999999999") > 1e300);
}

TEST (decl_lex_ends_octal_numbers_at_other_digits) {
    check_tokens("08", "0|8");
}

TEST (decl_lex_skips_suffixes_of_numbers) {
    check_tokens("1.5f 2ul 3F", "1.5|2|3|F");
}

TEST (decl_lex_reads_on_a_line) {
    SCOPED_GAME game = open_texts(NULL, 0, NULL);
    md5_decl_lex lex;
    md5_token token;
    const char *const text = "a b\nc";
    md5i_decl_lex_begin(&lex, game, "text", 1, text, strlen(text));
    CHECK(md5i_decl_lex_read(&lex, &token));
    CHECK(md5i_decl_lex_read_on_line(&lex, &token) && md5i_token_is(&token, "b"));
    CHECK(!md5i_decl_lex_read_on_line(&lex, &token));
    CHECK(md5i_decl_lex_read(&lex, &token) && md5i_token_is(&token, "c"));
    CHECK_UINT(token.lines_crossed, 1);
}

// Tokens, their locations, and errors about text that is not a token.
#include "md5/core/lex.h"
#include "test/read/read_case.h"
#include "test/test.h"

// A lexer for a text in memory of exactly its size, and the messages that it reports.
typedef struct reading {
    md5_lex lex;
    md5_context context;
    md5_error error;
    md5_arena arena;
    read_case_log log;
    char *text;
} reading;

static md5_lex *begin_sized(reading *r, const char *text, size_t size)
{
    memset(r, 0, sizeof *r);
    const md5_load_opts opts = {.warn = read_case_warn, .warn_user = &r->log};
    md5i_context_begin(&r->context, &opts, NULL, &r->error);
    r->arena.context = &r->context;
    r->text = test_alloc(size);
    memcpy(r->text, text, size);
    md5i_lex_begin(&r->lex, &r->arena, r->text, size);
    r->lex.join_strings = true;
    return &r->lex;
}

static md5_lex *begin(reading *r, const char *text)
{
    return begin_sized(r, text, strlen(text));
}

// Frees the memory. Returns the reported warnings and the error, which is the last; the result is
// valid until the next call.
static const char *end(reading *r)
{
    static read_case_log reported;
    reported = r->log;
    if (r->error.status != MD5_OK)
        read_case_add(&reported, &r->error);
    md5i_arena_free(&r->arena);
    free(r->text);
    return reported.text;
}

static bool span_equals(md5_span span, const char *text)
{
    return CHECK_THAT(md5_span_is(span, text), "'%.*s' is not '%s'", (int)span.size, span.bytes,
                      text);
}

TEST (lex_skips_all_kinds_of_white_space) {
    STRINGS(texts) = {
        "a b",
        "a\tb",
        "a\r\nb",
        "\r\n\r\na\rb\r\n",
        "a\n\n b\n",
        "a/**/b",
        "a//x\nb",
        "a//x\rb",
        "a // /* \n b",
        "a/* \" // \n */b // end",
        "\xEF\xBB\xBF"
        "a b",
        "a\xA0"
        "b",
        "\x01 a\x1F"
        "b",
        "/***/a /* * / */b",
        "a b\n",
        "a /* \0 */ b",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        reading r;
        md5_lex *const lex = begin_sized(&r, texts[i], i == 15 ? 11 : strlen(texts[i]));
        // The start of a comment ends a number, but is part of a word, as in the original engine.
        if (strncmp(texts[i], "a/", 2) != 0)
            CHECK(md5i_lex_accept_keyword(lex, "a") && md5i_lex_accept_keyword(lex, "b"));
        else
            CHECK(md5i_lex_peek_word(lex).size > 1);
        md5i_lex_skip_space(lex);
        CHECK(strncmp(texts[i], "a/", 2) == 0 || lex->at == lex->end);
        CHECK_STRING(end(&r), "");
    }
}

// All visible ASCII characters except brackets and quotes can be part of a word.
TEST (lex_words_end_at_brackets_quotes_and_white_space) {
    for (int c = 0; c < 256; c++) {
        const char text[] = {'a', (char)c, 'b'};
        const bool ends = c <= ' ' || c >= 0x80 || strchr("(){}\"'", c);
        reading r;
        md5_lex *const lex = begin_sized(&r, text, sizeof text);
        CHECK_UINT(md5i_lex_peek_word(lex).size, ends ? 1 : 3);
        end(&r);
    }
}

TEST (lex_cuts_nul_bytes_at_the_end_only) {
    reading r;
    md5_lex *lex = begin_sized(&r, "a \0\0\n\0", 6);
    CHECK(md5i_lex_accept_keyword(lex, "a"));
    md5i_lex_skip_space(lex);
    CHECK(lex->at == lex->end);
    CHECK_STRING(end(&r), "");

    lex = begin_sized(&r, "a\0b", 3);
    CHECK(md5i_lex_accept_keyword(lex, "a"));
    CHECK_UINT(md5i_lex_peek_word(lex).size, 0);
    CHECK(!md5i_lex_expect(lex, '{'));
    CHECK_STRING(end(&r), "1:2: error: expected '{', found '\\x00'");

    lex = begin_sized(&r, "\0\0\0", 3);
    CHECK(lex->at == lex->end);
    CHECK_STRING(end(&r), "");
}

TEST (lex_counts_lines_of_every_kind) {
    static const struct {
        const char *text; // the location of X is checked
        uint32_t line, column;
    } cases[] = {
        {"X", 1, 1},
        {"\nX", 2, 1},
        {"\r\nX", 2, 1},
        {"\rX", 2, 1},
        {"\r\r\nX", 3, 1},
        {"\n\rX", 3, 1},
        {"\n\n  X", 3, 3},
        {"a\tX", 1, 3},
        {"\xC3\xA4X", 1, 3},
        {"\"\"\nX", 2, 1},
        {"// \r\nX", 2, 1},
        {"/*\n\r*/X", 3, 3},
        {"\r\n\r\nab X", 3, 4},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        reading r;
        uint32_t line, column;
        md5_lex *const lex = begin(&r, cases[i].text);
        md5i_lex_find_location(lex, r.text + (strchr(cases[i].text, 'X') - cases[i].text), &line,
                               &column);
        CHECK_UINT(line, cases[i].line);
        CHECK_UINT(column, cases[i].column);
        end(&r);
    }
}

// Locations may be requested in any order: counting continues from the last one, or starts again.
TEST (lex_locations_do_not_depend_on_their_order) {
    enum { SIZE = 300 };
    char text[SIZE];
    uint32_t lines[SIZE + 1], columns[SIZE + 1];
    uint64_t random = 3;
    for (int i = 0; i < SIZE; i++)
        text[i] = "\n\rabc "[test_random_u32(&random) % 6];
    text[SIZE - 1] = 'x';
    reading r;
    md5_lex *const lex = begin_sized(&r, text, SIZE);
    for (int i = 0; i <= SIZE; i++)
        md5i_lex_find_location(lex, r.text + i, &lines[i], &columns[i]);
    for (int i = 0; i < 20000; i++) {
        const uint32_t at = test_random_u32(&random) % (SIZE + 1);
        uint32_t line, column;
        md5i_lex_find_location(lex, r.text + at, &line, &column);
        if (!CHECK(line == lines[at] && column == columns[at]))
            break;
    }
    end(&r);
}

TEST (lex_needs_the_end_of_a_comment) {
    STRINGS(texts) = {"a\n /* b", "a\n /*", "a\n /*/", "a\n /* *", "a\n /* * /"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        reading r;
        md5_lex *const lex = begin(&r, texts[i]);
        CHECK(md5i_lex_accept_keyword(lex, "a"));
        CHECK(!md5i_lex_accept_keyword(lex, "b"));
        CHECK(lex->at == lex->end);
        CHECK_STRING(end(&r), "2:2: error: unterminated comment: expected '*/', found the end of "
                              "the file");
    }
}

// A string without an end is quoted up to the end of its line, with any kind of line end.
TEST (lex_quotes_a_broken_string_to_the_end_of_its_line) {
    STRINGS(texts) = {"\"ab\rcd", "\"ab\ncd", "\"ab"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        reading r;
        CHECK(!md5i_lex_expect(begin(&r, texts[i]), '{'));
        CHECK_STRING(end(&r), "1:1: error: expected '{', found '\"ab'");
    }
}

TEST (lex_stores_the_first_mesh_comment) {
    static const struct {
        const char *text, *name; // NULL: none
    } cases[] = {
        {"// meshes: Body\n", "Body"},
        {"//meshes:Body", "Body"},
        {"// meshes:  a b \t\r\n", "a b"},
        {"//\t meshes: x // y\n", "x // y"},
        {"// meshes: a\n// meshes: b\n", "a"},
        {"// other\n// meshes: b\n", "b"},
        {"// meshes:\n", ""},
        {"// mesh: b\n", NULL},
        {"/* meshes: b */", NULL},
        {"// the meshes: b\n", NULL},
        {"//", NULL},
        {"// meshes: \xE4\n", "\xE4"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        reading r;
        md5_lex *const lex = begin(&r, cases[i].text);
        md5i_lex_skip_space(lex);
        CHECK((lex->mesh_comment.bytes != NULL) == (cases[i].name != NULL));
        if (lex->mesh_comment.bytes && cases[i].name)
            span_equals(lex->mesh_comment, cases[i].name);
        CHECK_STRING(end(&r), "");
    }
}

TEST (lex_reads_strings_and_words) {
    static const struct {
        const char *text, *value;
    } cases[] = {
        {"\"a b\"", "a b"},
        {"'a \"b'", "a \"b"},
        {"\"\"", ""},
        {"\"a\\\"", "a\\"},
        {"\"a//b/*c\"", "a//b/*c"},
        {"word", "word"},
        {"models/a-b.tga", "models/a-b.tga"},
        {"\\a\\b", "\\a\\b"},
        {"a//b", "a//b"},
        {"\"a\" \"b\"", "ab"},
        {"\"a\"/**/\"\" // x\n\"c d\"", "ac d"},
        {"\"a\" 'b'", "a"},
        {"\"\xFF\xE4\"", "\xFF\xE4"},
        {"/x/y", "/x/y"},
        {"12", "12"},
        {"a{b", "a"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        reading r;
        md5_span text;
        md5_lex *const lex = begin(&r, cases[i].text);
        if (CHECK(md5i_lex_text(lex, &text, "a string")))
            span_equals(text, cases[i].value);
        CHECK_STRING(end(&r), "");
    }
}

TEST (lex_keeps_strings_apart_unless_asked_to_join) {
    reading r;
    md5_span text;
    md5_lex *const lex = begin(&r, "\"a\" \"b\"");
    lex->join_strings = false;
    CHECK(md5i_lex_text(lex, &text, "a string") && span_equals(text, "a"));
    CHECK(md5i_lex_text(lex, &text, "a string") && span_equals(text, "b"));
    end(&r);
}

TEST (lex_rejects_unterminated_strings) {
    static const struct {
        const char *text;
        size_t size; // 0 = all
        const char *report;
    } cases[] = {
        {"  \"a\nb\"", 0,
         "1:3: error: unterminated string: expected \" before the end of the line"},
        {"\n'a\rb'", 0, "2:1: error: unterminated string: expected ' before the end of the line"},
        {"\"a", 0, "1:1: error: unterminated string: expected \" before the end of the line"},
        {"\"", 0, "1:1: error: unterminated string: expected \" before the end of the line"},
        {"\"a\" \"b", 0, "1:5: error: unterminated string: expected \" before the end of the line"},
        {"\"a\0b\"", 5, "1:3: error: invalid text: expected characters, found a NUL byte"},
        {"{", 0, "1:1: error: expected a string, found '{'"},
        {"", 0, "1:1: error: expected a string, found the end of the file"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        reading r;
        md5_span text;
        md5_lex *const lex =
            begin_sized(&r, cases[i].text, cases[i].size ? cases[i].size : strlen(cases[i].text));
        CHECK(!md5i_lex_text(lex, &text, "a string"));
        CHECK_STRING(end(&r), cases[i].report);
    }
}

TEST (lex_reads_names_of_joints) {
    static const struct {
        const char *text, *name;
    } cases[] = {
        {"\"a b\" 3", "a b"},
        {"Hand.L 3", "Hand.L"},
        {"my-joint\t-1", "my-joint"},
        {"Bip01 L Hand 3", "Bip01 L Hand"},
        {"a  b\t c 3 4", "a  b\t c"},
        {"a\nb 3", "a"},
        {"\xC3\xBC"
         "ber 3",
         "\xC3\xBC"
         "ber"},
        {"na\xEF"
         "ve 3",
         "na\xEF"
         "ve"},
        {"a(3", "a"},
        {"1 -1", "1"},
        {"a -1", "a"},
        {"a .5", "a"},
        {"a // b\n 3", "a"},
        {"a", "a"},
        {"a \"b\"", "a"},
        {"\"a\" \"b\" 3", "ab"},
        {"\x80\xFFn 3", "\x80\xFFn"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        reading r;
        md5_span name;
        md5_lex *const lex = begin(&r, cases[i].text);
        if (CHECK(md5i_lex_joint_name(lex, &name)))
            span_equals(name, cases[i].name);
        CHECK_STRING(end(&r), "");
    }
    reading r;
    md5_span name;
    CHECK(!md5i_lex_joint_name(begin(&r, "{"), &name));
    CHECK_STRING(end(&r), "1:1: error: expected a joint name, found '{'");
    CHECK(!md5i_lex_joint_name(begin(&r, " "), &name));
    CHECK_STRING(end(&r), "1:1: error: expected a joint name, found the end of the file");
}

TEST (lex_reads_integers) {
    static const struct {
        const char *text;
        int64_t value;
        const char *report;
    } cases[] = {
        {"0", 0, ""},
        {"-0", 0, ""},
        {"7)", 7, ""},
        {"-12 ", -12, ""},
        {"+5", 5, ""},
        {"- 5", -5, ""},
        {"-\n5", -5, ""},
        {"007", 7, ""},
        {"10.0", 10, ""},
        {"10.", 10, ""},
        {"-3.000", -3, ""},
        {"5f", 5, ""},
        {"5//x", 5, ""},
        {"5/**/", 5, ""},
        {"5(", 5, ""},
        {"5\xA0", 5, ""},
        {"999999999999999999", 999999999999999999, ""},
        {"9223372036854775807", INT64_MAX, ""},
        {"99999999999999999999999", INT64_MAX, ""},
        {"-99999999999999999999999", -INT64_MAX, ""},
        {"1234567890123456789", 1234567890123456789, ""},
        {"2.9", 2, "1:1: warning: '2.9' is not an integer: truncated to 2"},
        {" -2.5", -2, "1:2: warning: '-2.5' is not an integer: truncated to -2"},
        {"010", 10,
         "1:1: warning: '010' has a leading 0: read as a decimal number, but the original engine "
         "reads an octal number; remove the 0"},
        {"08", 8,
         "1:1: warning: '08' has a leading 0: read as a decimal number, but the original engine "
         "reads an octal number; remove the 0"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        reading r;
        int64_t value = -77;
        CHECK(md5i_lex_int(begin(&r, cases[i].text), &value));
        CHECK_THAT(value == cases[i].value, "'%s' is %lld", cases[i].text, (long long)value);
        CHECK_STRING(end(&r), cases[i].report);
    }
}

TEST (lex_rejects_text_that_is_not_an_integer) {
    static const struct {
        const char *text, *report;
    } cases[] = {
        {"", "1:1: error: expected an integer, found the end of the file"},
        {"x", "1:1: error: expected an integer, found 'x'"},
        {"}", "1:1: error: expected an integer, found '}'"},
        {"\"5\"", "1:1: error: expected an integer, found '\"5\"'"},
        {"1e3", "1:1: error: expected an integer, found '1e3'"},
        {"12x", "1:1: error: expected an integer, found '12x'"},
        {"1.2.3", "1:1: error: expected an integer, found '1.2.3'"},
        {".5", "1:1: error: expected an integer, found '.5'"},
        {"--1", "1:1: error: expected an integer, found '--1'"},
        {"- -1", "1:3: error: expected an integer, found '-1'"},
        {"-", "1:1: error: expected an integer, found '-'"},
        {"- x", "1:3: error: expected an integer, found 'x'"},
        {"0x2", "1:1: error: invalid number: expected a decimal number, found '0x2'"},
        {"-0X2", "1:1: error: invalid number: expected a decimal number, found '-0X2'"},
        {"1,5", "1:1: error: invalid number: expected a decimal point, found '1,5'"},
        {"nan", "1:1: error: invalid number: expected a finite value, found 'nan'"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        reading r;
        int64_t value;
        CHECK(!md5i_lex_int(begin(&r, cases[i].text), &value));
        CHECK_STRING(end(&r), cases[i].report);
    }
}

TEST (lex_reads_floats) {
    static const struct {
        const char *text;
        float value;
    } cases[] = {
        {"1.5", 1.5f},    {"-1.5)", -1.5f},
        {"+1", 1},        {"- 1", -1},
        {"-\t.5", -0.5f}, {"1.0f", 1},
        {"1F)", 1},       {"2.5e1", 25},
        {"5//c", 5},      {"5/* */", 5},
        {"5\xA0", 5},     {"1e-60", 0},
        {"5{", 5},        {"1.", 1},
        {"3\"", 3},       {"0.12345678901234567", 0.12345678901234567f},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        reading r;
        float value = -77;
        CHECK_THAT(md5i_lex_float(begin(&r, cases[i].text), &value) && value == cases[i].value,
                   "'%s' is %g", cases[i].text, value);
        CHECK_STRING(end(&r), "");
    }
}

TEST (lex_reports_errors_of_floats) {
    static const struct {
        const char *text, *report;
    } cases[] = {
        {"", "1:1: error: expected a number, found the end of the file"},
        {")", "1:1: error: expected a number, found ')'"},
        {"abc", "1:1: error: expected a number, found 'abc'"},
        {"1.5x", "1:1: error: expected a number, found '1.5x'"},
        {"1.2.3", "1:1: error: expected a number, found '1.2.3'"},
        {"1e", "1:1: error: expected a number, found '1e'"},
        {"--1", "1:1: error: expected a number, found '--1'"},
        {"- -1", "1:1: error: expected a number, found '-'"},
        {"- +1", "1:1: error: expected a number, found '-'"},
        {"5/", "1:1: error: expected a number, found '5/'"},
        {"nan", "1:1: error: invalid number: expected a finite value, found 'nan'"},
        {"-NaN", "1:1: error: invalid number: expected a finite value, found '-NaN'"},
        {"inf", "1:1: error: invalid number: expected a finite value, found 'inf'"},
        {"-Infinity", "1:1: error: invalid number: expected a finite value, found '-Infinity'"},
        {"- inf", "1:3: error: invalid number: expected a finite value, found 'inf'"},
        {"- //", "1:5: error: expected a number, found the end of the file"},
        {"1.#IND", "1:1: error: invalid number: expected a finite value, found '1.#IND'"},
        {"-1.#IND00", "1:1: error: invalid number: expected a finite value, found '-1.#IND00'"},
        {"1.#QNAN", "1:1: error: invalid number: expected a finite value, found '1.#QNAN'"},
        {"1.#INF", "1:1: error: invalid number: expected a finite value, found '1.#INF'"},
        {"1e99", "1:1: error: number is too large: expected at most 3.4e38, found '1e99'"},
        {"-1e39", "1:1: error: number is too large: expected at most 3.4e38, found '-1e39'"},
        {"0x1p3", "1:1: error: invalid number: expected a decimal number, found '0x1p3'"},
        {"0,5", "1:1: error: invalid number: expected a decimal point, found '0,5'"},
        {"-10,25", "1:1: error: invalid number: expected a decimal point, found '-10,25'"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        reading r;
        float value;
        CHECK(!md5i_lex_float(begin(&r, cases[i].text), &value));
        CHECK_STRING(end(&r), cases[i].report);
    }
}

// A number that cannot be represented is a range error, so that callers can distinguish it from
// text that is not a number.
TEST (lex_statuses_distinguish_syntax_and_range) {
    static const struct {
        const char *text;
        md5_status status;
    } cases[] = {{"x", MD5_ERROR_SYNTAX},  {"0x1", MD5_ERROR_SYNTAX},   {"0,5", MD5_ERROR_SYNTAX},
                 {"nan", MD5_ERROR_RANGE}, {"1.#INF", MD5_ERROR_RANGE}, {"1e39", MD5_ERROR_RANGE}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        reading r;
        float value;
        md5i_lex_float(begin(&r, cases[i].text), &value);
        CHECK_UINT(r.error.status, cases[i].status);
        end(&r);
    }
}

TEST (lex_reads_doubles) {
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"29.97", 29.97}, {" 24 ", 24}, {"- 2.5", -2.5}, {"/**/30.0f", 30}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        reading r;
        double value = -77;
        CHECK(md5i_lex_double(begin(&r, cases[i].text), &value) && value == cases[i].value);
        CHECK_STRING(end(&r), "");
    }
    reading r;
    double value;
    CHECK(!md5i_lex_double(begin(&r, "1e39"), &value));
    CHECK_STRING(end(&r), "1:1: error: number is too large: expected at most 3.4e38, found '1e39'");
}

static bool is_stop(md5_span word)
{
    return md5_span_is(word, "stop");
}

TEST (lex_skips_values_of_unknown_words) {
    static const struct {
        const char *text, *rest; // text; the next token after the skipped values
    } cases[] = {
        {"1 2 \"stop\" stop", "stop"},
        {"a b c\n next", "next"},
        {"{ a { stop } \n b } stop", "stop"},
        {"( 1 2 ) }", "}"},
        {"\"}\" '{' }", "}"},
        {"", ""},
        {"1\n2\n-3 .5 +4\nnext", "next"},
        {"{}\nnext", "next"},
        {"x { } y stop", "stop"},
        {"/* } */ 1 // }\n}", "}"},
        {"{{{{}}}}}", "}"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        reading r;
        size_t size;
        char *const text = read_case_text("word ?", "?", cases[i].text, &size);
        md5_lex *const lex = begin_sized(&r, text, size);
        free(text);
        CHECK(md5i_lex_accept_keyword(lex, "word"));
        CHECK(md5i_lex_skip_values(lex, is_stop));
        CHECK((size_t)(lex->end - lex->at) == strlen(cases[i].rest)
              && memcmp(lex->at, cases[i].rest, strlen(cases[i].rest)) == 0);
        CHECK_STRING(end(&r), "");
    }
    reading r;
    md5_lex *lex = begin(&r, " \ta b"); // the start of the text is the start of a line
    CHECK(md5i_lex_skip_values(lex, is_stop) && lex->at == lex->text + 2);
    CHECK_STRING(end(&r), "");
    CHECK(!md5i_lex_skip_values(begin(&r, "1 {\n { }"), is_stop));
    CHECK_STRING(end(&r),
                 "1:3: error: unterminated block: expected '}', found the end of the file");
    CHECK(!md5i_lex_skip_values(begin(&r, "{ \"a\n }"), is_stop));
    CHECK_STRING(end(&r),
                 "1:3: error: unterminated string: expected \" before the end of the line");
    CHECK(!md5i_lex_skip_values(begin_sized(&r, "1 2\n\0003 }", 8), is_stop));
    CHECK_STRING(end(&r), "2:1: error: invalid text: expected characters, found a NUL byte");
    CHECK(!md5i_lex_skip_values(begin_sized(&r, "{ \0 } }", 8), is_stop));
    CHECK_STRING(end(&r), "1:3: error: invalid text: expected characters, found a NUL byte");
}

TEST (lex_first_error_wins) {
    reading r;
    md5_lex *const lex = begin(&r, "x");
    float value;
    CHECK(!md5i_lex_expect(lex, '{'));
    CHECK(!md5i_lex_float(lex, &value));
    CHECK_STRING(end(&r), "1:1: error: expected '{', found 'x'");
}

TEST (lex_limits_the_number_of_warnings) {
    reading r;
    md5_lex *const lex = begin(&r, "a\nb");
    r.context.max_warnings = 2;
    for (int i = 0; i < 5; i++)
        md5i_lex_warn(lex, lex->end, "number %d", i);
    CHECK_UINT(r.context.num_warnings, 5);
    CHECK_STRING(end(&r), "2:2: warning: number 0\n"
                          "2:2: warning: number 1 (further warnings suppressed)");
}

// Tests of the fast reader of table lines: it must give the result of the lexer, or leave the line
// to the lexer.
#include "test/load/test_asset.h"
#include "test/scoped.h"

#include "md5/read/rows.h"

enum { BEFORE = 32, BEHIND = 200 };

// A line with many other bytes before and behind it, as in a file.
typedef struct row_case {
    char text[1024];
    md5_context context;
    md5_arena arena;
    md5_lex lex;
} row_case;

static md5_lex *begin(row_case *fixture, const char *row)
{
    const size_t size = strlen(row);
    const size_t total = BEFORE + size + BEHIND;
    memset(fixture->text, '.', sizeof fixture->text);
    memcpy(fixture->text + BEFORE, row, size);
    md5i_context_begin(&fixture->context, NULL, NULL, NULL);
    fixture->arena = (md5_arena){.context = &fixture->context};
    md5i_lex_begin(&fixture->lex, &fixture->arena, fixture->text, total);
    fixture->lex.at = fixture->text + BEFORE;
    return &fixture->lex;
}

// Returns the number of bytes of the line that were read.
static size_t length_read(const row_case *fixture)
{
    return (size_t)(fixture->lex.at - fixture->text) - BEFORE;
}

static md5_item_number parse_number(uint32_t value)
{
    md5_item_number number = MD5_ITEM_0;
    while (number.value < value)
        md5_next_item(&number);
    return number;
}

TEST (row_of_a_vertex_is_read) {
    row_case fixture;
    md5_vertex vertex;
    md5_vec2 uv;
    const md5_item_number number = parse_number(12);
    md5_lex *const lex = begin(&fixture, "\n\tvert 12 ( 0.854246 -12.5 ) 145 3\n");
    CHECK(md5i_scan_vertex(lex, &number, &vertex, &uv));
    CHECK(vertex.first_weight == 145 && vertex.num_weights == 3);
    CHECK(uv.x == 0.854246f && uv.y == -12.5f);
    CHECK(length_read(&fixture) >= strlen("\n\tvert 12 ( 0.854246 -12.5 ) 145 3"));
}

// The fast reader only reads lines in the exact form that exporters write. It leaves all other
// lines to the lexer, which also reports errors and warnings, and does not move past them.
TEST (row_of_a_vertex_in_another_form_is_not_read) {
    STRINGS(rows) = {
        "vort 0 ( 0.5 0.5 ) 1 1\n",   "vert 1 ( 0.5 0.5 ) 1 1\n",
        "vert 0 (0.5 0.5 ) 1 1\n",    "vert 0 [ 0.5 0.5 ) 1 1\n",
        "vert 0 ( 15 0.5 ) 1 1\n",    "vert 0 ( 0.5 0.5) 1 1\n",
        "vert 0 ( 0.5 0.5 )1 1\n",    "vert 0 ( 0.5 0.5 ] 1 1\n",
        "vert 0 ( 0.5 0.5 ) -1 1\n",  "vert 0 ( 0.5 0.5 ) 1 01\n",
        "vert 0 ( 0.5 0.5 ) 1 1.0\n", "vert 0 ( 0.5 0.5 ) 1 123456789\n",
        "vert 0 ( 0.5 0.5 ) 1 0\n", // needs a warning
        "vert 0 ( 0.5 0.5 ) 1 1}\n",
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        row_case fixture;
        md5_vertex vertex;
        md5_vec2 uv;
        const md5_item_number number = parse_number(0);
        CHECK_THAT(!md5i_scan_vertex(begin(&fixture, rows[i]), &number, &vertex, &uv), "read: %s",
                   rows[i]);
        CHECK_UINT(length_read(&fixture), 0);
    }
}

TEST (row_of_a_triangle_is_read_or_skipped) {
    STRINGS(rows) = {
        "try 0 1 2 3\n", "tri 1 1 2 3\n",  "tri 0 x 2 3\n",  "tri 0 1 x 3\n",
        "tri 0 1 2 x\n", "tri  0 1 2 3\n", "tri 0 1 2 3/\n",
    };
    row_case fixture;
    uint32_t corners[3];
    md5_item_number number = parse_number(0);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_THAT(!md5i_scan_triangle(begin(&fixture, rows[i]), &number, corners), "read: %s",
                   rows[i]);
    number = parse_number(1009);
    CHECK(
        md5i_scan_triangle(begin(&fixture, "  tri 1009 0 1234567 7654321\r\n"), &number, corners));
    CHECK(corners[0] == 0 && corners[1] == 1234567 && corners[2] == 7654321);
}

TEST (row_of_a_weight_is_read_or_skipped) {
    STRINGS(rows) = {
        "height 0 1 1.0 ( 0.5 -0.25 1.5 )\n", "weight 2 1 1.0 ( 0.5 -0.25 1.5 )\n",
        "weight 0 . 1.0 ( 0.5 -0.25 1.5 )\n",
        "weight 0 2 1.0 ( 0.5 -0.25 1.5 )\n", // joint 2 does not exist
        "weight 0 1 12 ( 0.5 -0.25 1.5 )\n",  "weight 0 1 1.0 [ 0.5 -0.25 1.5 )\n",
        "weight 0 1 1.0 (0.5 -0.25 1.5 )\n",  "weight 0 1 1.0 ( ?.5 -0.25 1.5 )\n",
        "weight 0 1 1.0 ( 0.5 -0..5 1.5 )\n", "weight 0 1 1.0 ( 0.5 -0.25 1.5.)\n",
        "weight 0 1 1.0 ( 0.5 -0.25 1.5 ]\n",
    };
    row_case fixture;
    md5_weight weight;
    const md5_item_number number = parse_number(0);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_THAT(!md5i_scan_weight(begin(&fixture, rows[i]), &number, 2, &weight), "read: %s",
                   rows[i]);
    md5_lex *const lex = begin(&fixture, "weight 0 1 1 ( 0.5 -0.250000 1.5 )\n");
    CHECK(md5i_scan_weight(lex, &number, 2, &weight));
    CHECK(weight.joint == 1 && weight.bias == 1);
    CHECK(weight.offset.x == 0.5f && weight.offset.y == -0.25f && weight.offset.z == 1.5f);
}

// Numbers in every form, with or without space for reading by machine words, up to the end of the
// block.
TEST (numbers_are_read_up_to_the_end_of_a_block) {
    row_case fixture;
    float numbers[8] = {0};
    uint32_t count;
    md5_lex *lex = begin(&fixture, " 0.500000\n\t-1.25 \r\n2.0 7/**/-  3 0.25}");
    CHECK(md5i_lex_floats(lex, numbers, 8, &count));
    CHECK_UINT(count, 6);
    CHECK(numbers[0] == 0.5f && numbers[1] == -1.25f);
    CHECK(numbers[2] == 2 && numbers[3] == 7);
    CHECK(numbers[4] == -3 && numbers[5] == 0.25f);
    CHECK(*lex->at == '}');
    lex = begin(&fixture, "0.5 1.5 2.5 3.5 4.5 ");
    CHECK(md5i_lex_floats(lex, numbers, 4, &count));
    CHECK(count == 4 && numbers[3] == 3.5f);
    CHECK(!md5i_lex_floats(begin(&fixture, "0.5 x "), numbers, 4, &count));
    static const char text[] = " 0.5 1.5}";
    md5i_lex_begin(lex, &fixture.arena, text, strlen(text));
    CHECK(md5i_lex_floats(lex, numbers, 4, &count));
    CHECK(count == 2 && numbers[0] == 0.5f && numbers[1] == 1.5f);
}

TEST (points_are_read_in_every_form) {
    STRINGS(forms) = {" ( 0.5 1.5 -2.000000 ) ", "( 0.5 1.5 -2 )", "(0.5 1.5 -2.0)",
                      "( 0.5\t1.5  -2e0 )"};
    row_case fixture;
    md5_vec3 value;
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        CHECK(md5i_lex_vec3(begin(&fixture, forms[i]), md5i_lex_float, &value));
        CHECK(value.x == 0.5f && value.y == 1.5f && value.z == -2);
        CHECK(md5i_lex_vec3(begin(&fixture, forms[i]), md5i_lex_length, &value));
        CHECK(value.x == 0.5f && value.y == 1.5f && value.z == -2);
        md5i_lex_begin(&fixture.lex, &fixture.arena, forms[i], strlen(forms[i])); // without space
        CHECK(md5i_lex_vec3(&fixture.lex, md5i_lex_length, &value));
        CHECK(value.x == 0.5f && value.y == 1.5f && value.z == -2);
    }
    CHECK(md5i_lex_vec3(begin(&fixture, "( 0.5 2000000000.0 1.5 ) "), md5i_lex_float, &value));
    CHECK_FAILS(
        md5i_lex_vec3(begin(&fixture, "( 0.5 2000000000.0 1.5 ) "), md5i_lex_length, &value),
        fixture.context.error, MD5_ERROR_RANGE);
    CHECK_UINT(fixture.context.error.column, BEFORE + 7);
}

TEST (row_near_the_ends_of_a_text_is_not_read) {
    static const char text[] = "tri 0 1 2 3 ";
    md5_context context;
    uint32_t corners[3];
    const md5_item_number number = MD5_ITEM_0;
    char many[400];
    memset(many, ' ', sizeof many);
    memcpy(many, text, strlen(text));
    many[sizeof many - 1] = '}';
    md5i_context_begin(&context, NULL, NULL, NULL);
    md5_arena arena = {.context = &context};
    md5_lex lex;
    md5i_lex_begin(&lex, &arena, many, sizeof many);
    CHECK(!md5i_scan_triangle(&lex, &number, corners)); // too near the start
    lex.at = lex.end;
    CHECK(!md5i_scan_triangle(&lex, &number, corners));
    memcpy(many + 300, text, strlen(text));
    lex.at = many + 290;
    CHECK(!md5i_scan_triangle(&lex, &number, corners)); // too near the end
    memcpy(many + 200, text, strlen(text));
    lex.at = many + 190;
    CHECK(md5i_scan_triangle(&lex, &number, corners));
}

TEST (row_numbers_are_consecutive) {
    md5_item_number number = MD5_ITEM_0;
    for (uint32_t i = 0; i < 12345; i++, md5_next_item(&number)) {
        char digits[16];
        snprintf(digits, sizeof digits, "%u       ", i);
        CHECK_UINT(number.value, i);
        if (!CHECK((md5_read_u64le(digits) & number.mask) == number.text))
            break;
    }
    // Numbers of eight digits and more are left to the lexer.
    char digits[] = "9999999 ";
    number.value = 9999999 - 9;
    md5i_write_item_number(&number);
    for (int i = 0; i < 9; i++)
        md5_next_item(&number);
    CHECK((md5_read_u64le(digits) & number.mask) == number.text);
    md5_next_item(&number);
    memcpy(digits, "10000000", 8);
    for (int i = 0; i < 12; i++, md5_next_item(&number))
        CHECK((md5_read_u64le(digits) & number.mask) != number.text);
}

// Adds a comment to each line, which prevents fast reading.
static char *with_comments(const char *text)
{
    STRINGS(words) = {"\tvert ", "\ttri ", "\tweight "};
    char *const result = test_alloc(2 * strlen(text) + 1);
    char *to = result;
    while (*text) {
        for (uint32_t i = 0; i < 3; i++) {
            const size_t length = strlen(words[i]);
            if (strncmp(text, words[i], length) != 0)
                continue;
            memcpy(to, text, length);
            memcpy(to + length, "/**/", 4);
            to += length + 4;
            text += length;
        }
        *to++ = *text++;
    }
    *to = '\0';
    return result;
}

TEST (fast_row_reader_equals_the_lexer) {
    size_t size;
    SCOPED_STRING text = test_read_file(test_path("models/bobbin/bobbin.md5mesh"), &size);
    REQUIRE(text);
    SCOPED_STRING slow = with_comments(text);
    SCOPED_MODEL a = md5_parse_model(text, size, NULL, NULL);
    SCOPED_MODEL b = text_model(slow, NULL);
    CHECK(strlen(slow) > size + 20000);
    CHECK(a && b && asset_models_equal(a, b));
}

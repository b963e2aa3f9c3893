// A simple reader of .md5mesh texts, with which the library's reader is compared. It is written as
// in a game, in the style of id's lexer: it reads one token after another, byte by byte, into a
// buffer, and computes numbers digit by digit in doubles. It does not check the file and does not
// derive data.
#ifndef TEST_BENCH_BENCH_LEXER_H
#define TEST_BENCH_BENCH_LEXER_H

#include "test/bench/bench_read.h"
#include "test/bench/bench_real.h"

typedef struct plain_lexer {
    const char *at, *end;
    unsigned line;
    char token[256];
} plain_lexer;

static void plain_skip(plain_lexer *lexer)
{
    for (; lexer->at < lexer->end; lexer->at++) {
        if (lexer->end - lexer->at > 1 && lexer->at[0] == '/' && lexer->at[1] == '/') {
            while (lexer->at < lexer->end && *lexer->at != '\n')
                lexer->at++;
        }
        if (lexer->at == lexer->end || (unsigned char)*lexer->at > ' ')
            return;
        lexer->line += *lexer->at == '\n';
    }
}

static bool plain_token(plain_lexer *lexer)
{
    size_t length = 0;
    plain_skip(lexer);
    if (lexer->at == lexer->end)
        return false;
    const bool is_quoted = *lexer->at == '"';
    const bool is_bracket = strchr("(){}", *lexer->at) != NULL;
    lexer->at += is_quoted;
    while (lexer->at < lexer->end && length + 1 < sizeof lexer->token) {
        const char c = *lexer->at;
        if (is_quoted ? c == '"' : (unsigned char)c <= ' ' || (length > 0 && is_bracket))
            break;
        lexer->token[length++] = c;
        lexer->at++;
    }
    lexer->at += is_quoted && lexer->at < lexer->end;
    lexer->token[length] = '\0';
    return true;
}

static double plain_number(plain_lexer *lexer)
{
    plain_token(lexer);
    const char *at = lexer->token;
    const bool is_negative = *at == '-';
    double value = 0;
    double unit = 0.1;
    for (at += is_negative; *at >= '0' && *at <= '9'; at++)
        value = 10.0 * value + (*at - '0');
    if (*at == '.') {
        for (at++; *at >= '0' && *at <= '9'; at++, unit *= 0.1)
            value += unit * (*at - '0');
    }
    return is_negative ? -value : value;
}

// Reads the numbers of an entry after its index, such as `vert 3 ( 0.5 0.5 ) 12 2`. `form` contains
// n for a number and brackets for brackets.
static void plain_row(plain_lexer *lexer, const char *form, float *numbers)
{
    plain_token(lexer);
    for (; *form; form++) {
        if (*form == 'n')
            *numbers++ = (float)plain_number(lexer);
        else
            plain_token(lexer);
    }
}

static float *plain_table(plain_lexer *lexer, size_t width)
{
    return calloc((size_t)plain_number(lexer) + 1, width * sizeof(float));
}

// Reads the tables of all meshes. Returns the number of rows.
static uint64_t plain_read(const bench_text *text)
{
    enum { VERTEX = 4, TRIANGLE = 3, WEIGHT = 5 };
    static const char *const words[] = {"numverts", "numtris", "numweights",
                                        "vert",     "tri",     "weight"};
    static const char *const forms[] = {"bnnbnn", "nnn", "nnbnnnb"};
    static const size_t widths[] = {VERTEX, TRIANGLE, WEIGHT};
    float *tables[3] = {NULL};
    float *next[3] = {NULL};
    uint64_t num_rows = 0;
    plain_lexer lexer = {.at = text->bytes, .end = text->bytes + text->size};
    while (plain_token(&lexer)) {
        int word = 0;
        while (word < 6 && strcmp(words[word], lexer.token) != 0)
            word++;
        const int table = word % 3;
        if (word < 3) {
            free(tables[table]);
            tables[table] = next[table] = plain_table(&lexer, widths[table]);
        } else if (word < 6 && next[table]) {
            plain_row(&lexer, forms[table], next[table]);
            next[table] += widths[table];
            num_rows++;
        }
    }
    for (int table = 0; table < 3; table++)
        free(tables[table]);
    return num_rows;
}

// Measures the time to read all meshes once with each of both readers: the minimum of ROUNDS
// alternating runs.
static void compare_with_lexer(bench_table *table, const bench_texts *texts, const char *whose)
{
    enum { ROUNDS = 15 };
    double shortest[2] = {HUGE_VAL, HUGE_VAL};
    for (int round = 0; round < 2 * ROUNDS; round++) {
        const double start = bench_now();
        for (size_t i = 0; i < texts->count; i++) {
            const bench_text *const text = &texts->texts[i];
            if (text->is_anim)
                continue;
            if (round % 2 == 0)
                table->checksum += (uint64_t)read_with_us(text);
            else if (real.read_mesh)
                table->checksum += real.read_mesh(text->bytes, text->size);
            else
                table->checksum += plain_read(text);
        }
        shortest[round % 2] = fmin(shortest[round % 2], bench_now() - start);
    }
    char name[64];
    // ratio to the speed of id's parser: see README.md
    const double ratio_to_parser = real.read_mesh ? 1 : 2.3;
    snprintf(name, sizeof name, "%s, of the time of id's lexer", whose);
    if (texts->mesh_bytes > 0)
        bench_figure(table, name, "%", 100.0 * shortest[0] / (ratio_to_parser * shortest[1]),
                     100.0 / 3.5);
}

#endif

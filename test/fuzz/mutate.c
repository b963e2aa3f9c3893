// Mutations that keep a text nearly valid: whole tokens, lines of tables together with their
// counts, blocks, numbers at the limits of their ranges. One of four mutations is a mutation of
// libFuzzer, which does not use the format. libFuzzer is single-threaded, so large buffers are
// static.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out_data, size_t max_size,
                                 unsigned int seed);

enum { MAX_TOKENS = 4096, MAX_BYTES = 1 << 16 };

// Blanks belong to the token after them.
typedef struct token {
    const uint8_t *start;
    const uint8_t *word;
    const uint8_t *end;
} token;

typedef struct token_list {
    size_t count;
    token tokens[MAX_TOKENS];
} token_list;

typedef struct output {
    uint8_t *bytes;
    size_t size, capacity;
} output;

// -- Random numbers -------------------------------------------------------------------------

// Returns a random number of the xorshift32 generator of Marsaglia, "Xorshift RNGs", 2003.
static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static size_t below(uint32_t *state, size_t count)
{
    return count > 0 ? next_random(state) % count : 0;
}

// -- Tokens ---------------------------------------------------------------------------------

static bool is_blank(uint8_t byte)
{
    return byte <= ' ' && byte != '\0';
}

static bool is_bracket(uint8_t byte)
{
    return byte == '(' || byte == ')' || byte == '{' || byte == '}' || byte == '\0';
}

static const uint8_t *token_end(const uint8_t *at, const uint8_t *end)
{
    if (is_bracket(*at))
        return at + 1;
    if (*at == '"') {
        for (at++; at < end && *at != '"' && *at != '\n'; at++)
            ;
        return at < end ? at + 1 : at;
    }
    while (at < end && !is_blank(*at) && !is_bracket(*at) && *at != '"')
        at++;
    return at;
}

static void split(const uint8_t *data, size_t size, token_list *list)
{
    const uint8_t *at = data;
    const uint8_t *const end = data + size;
    list->count = 0;
    while (list->count < MAX_TOKENS) {
        const uint8_t *const start = at;
        while (at < end && is_blank(*at))
            at++;
        if (at == end)
            break;
        const uint8_t *const word = at;
        at = token_end(at, end);
        list->tokens[list->count++] = (token){start, word, at};
    }
}

static bool token_equals(const token *tested, const char *word)
{
    const size_t length = (size_t)(tested->end - tested->word);
    return length == strlen(word) && memcmp(tested->word, word, length) == 0;
}

static bool is_number(const token *tested)
{
    const uint8_t *at = tested->word;
    if (at < tested->end && *at == '-')
        at++;
    return at < tested->end && *at >= '0' && *at <= '9';
}

// -- Writing --------------------------------------------------------------------------------

static void put(output *out, const void *bytes, size_t size)
{
    const size_t left = out->capacity - out->size;
    const size_t copied = size < left ? size : left;
    if (copied > 0)
        memcpy(out->bytes + out->size, bytes, copied);
    out->size += copied;
}

static void write_tokens(output *out, const token_list *list, size_t first, size_t end)
{
    if (first < end)
        put(out, list->tokens[first].start,
            (size_t)(list->tokens[end - 1].end - list->tokens[first].start));
}

static void write_instead(output *out, const token *replaced, const char *text)
{
    put(out, replaced->start, (size_t)(replaced->word - replaced->start));
    put(out, text, strlen(text));
}

// -- Ranges of tokens -----------------------------------------------------------------------

typedef struct range {
    size_t first, end;
} range;

// Returns the range from an opening bracket to its closing bracket, with the tokens between the
// previous bracket and it: `mesh { ... }`, `frame 3 { ... }`.
static range bracketed(const token_list *list, size_t open)
{
    range found = {open, open};
    int depth = 0;
    while (found.end < list->count) {
        const uint8_t byte = *list->tokens[found.end++].word;
        depth += byte == '(' || byte == '{';
        depth -= byte == ')' || byte == '}';
        if (depth <= 0)
            break;
    }
    if (*list->tokens[open].word == '{') {
        for (int steps = 0; found.first > 0 && steps < 2; steps++) {
            if (is_bracket(*list->tokens[found.first - 1].word))
                break;
            found.first--;
        }
    }
    return found;
}

// Returns the range from a keyword that begins an entry of a table to the next such keyword or the
// end of the block.
static range table_line(const token_list *list, size_t first)
{
    static const char *const starts[] = {"vert", "tri", "weight", "vertexcolor"};
    size_t end = first + 1;
    for (; end < list->count; end++) {
        const token *const next = &list->tokens[end];
        const bool is_count = next->end - next->word > 3 && memcmp(next->word, "num", 3) == 0;
        bool is_start = *next->word == '}' || *next->word == '"' || is_count;
        for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
            is_start = is_start || token_equals(next, starts[i]);
        if (is_start)
            break;
    }
    return (range){first, end};
}

static range random_range(const token_list *list, uint32_t *random)
{
    const size_t at = below(random, list->count);
    const uint8_t byte = *list->tokens[at].word;
    if (byte == '(' || byte == '{')
        return bracketed(list, at);
    if (byte == 'v' || byte == 't' || byte == 'w' || byte == '"')
        return table_line(list, at);
    const size_t length = 1 + below(random, below(random, 4) == 0 ? 24 : 3);
    const size_t left = list->count - at;
    return (range){at, at + (length < left ? length : left)};
}

// Returns the index of the number after the last `num...` before a token, or the length of the
// list.
static size_t count_before(const token_list *list, size_t at)
{
    while (at-- > 0) {
        const token *const word = &list->tokens[at];
        if (word->end - word->word > 3 && memcmp(word->word, "num", 3) == 0)
            return at + 1;
    }
    return list->count;
}

// Returns the index of the number after the given keyword, or the length of the list.
static size_t find_count(const token_list *list, const char *word)
{
    for (size_t i = 0; i + 1 < list->count; i++) {
        if (token_equals(&list->tokens[i], word))
            return i + 1;
    }
    return list->count;
}

// -- Mutations ------------------------------------------------------------------------------

static void write_count_off_by(output *out, const token *count, long difference)
{
    char text[32] = {0};
    const size_t length = (size_t)(count->end - count->word);
    memcpy(text, count->word, length < sizeof text - 1 ? length : sizeof text - 1);
    snprintf(text, sizeof text, "%ld", (strtol(text, NULL, 10) & 0xFFFFFF) + difference);
    write_instead(out, count, text);
}

// Replaces a token by a number at the limit of a range, or in an unusual form.
static void write_edge_number(output *out, const token *replaced, uint32_t *random)
{
    static const char *const numbers[] = {"0",
                                          "1",
                                          "2",
                                          "3",
                                          "-1",
                                          "-2",
                                          "63",
                                          "64",
                                          "0.5",
                                          "-0.0",
                                          "1.000001",
                                          "1.59",
                                          "-1",
                                          "0.70710678",
                                          "0.9999999",
                                          "4294967295",
                                          "16777217",
                                          "1e-40",
                                          "2147483647",
                                          "-2147483648",
                                          "4294967296",
                                          "3.4e38",
                                          "-3.4e38",
                                          "3.5e38",
                                          "9223372036854775808",
                                          "1e999",
                                          "1e-999",
                                          "1e",
                                          ".5",
                                          "5.",
                                          ".",
                                          "- 1",
                                          "+1",
                                          "010",
                                          "2.9",
                                          "0x10",
                                          "nan",
                                          "-inf",
                                          "1.#IND",
                                          "1,5",
                                          "1e19",
                                          "1e30",
                                          "29.97",
                                          "1.000000059604644775390625"};
    write_instead(out, replaced, numbers[below(random, sizeof numbers / sizeof numbers[0])]);
}

// Writes all tokens; one number differs by one or is replaced by an edge case.
static void change_number(output *out, const token_list *list, uint32_t *random)
{
    size_t at = below(random, list->count);
    for (size_t i = 0; i < list->count && !is_number(&list->tokens[at]); i++)
        at = (at + 1) % list->count;
    write_tokens(out, list, 0, at);
    if (below(random, 3) == 0)
        write_count_off_by(out, &list->tokens[at], below(random, 2) ? 1 : -1);
    else
        write_edge_number(out, &list->tokens[at], random);
    write_tokens(out, list, at + 1, list->count);
}

// Removes, duplicates or moves a range.
static void change_range(output *out, const token_list *list, uint32_t *random)
{
    const range moved = random_range(list, random);
    const size_t kind = below(random, 4);
    const size_t target = below(random, list->count + 1);
    if (kind == 0) {
        write_tokens(out, list, 0, moved.first);
        write_tokens(out, list, moved.end, list->count);
    } else if (kind == 1) {
        write_tokens(out, list, 0, moved.end);
        write_tokens(out, list, moved.first, list->count);
    } else if (kind == 2) {
        write_tokens(out, list, 0, target);
        write_tokens(out, list, moved.first, moved.end);
        write_tokens(out, list, target, list->count);
    } else {
        const range second = random_range(list, random);
        const range low = moved.first < second.first ? moved : second;
        const range high = moved.first < second.first ? second : moved;
        write_tokens(out, list, 0, low.first);
        write_tokens(out, list, high.first, high.end);
        write_tokens(out, list, low.end, high.first);
        write_tokens(out, list, low.first, low.end);
        write_tokens(out, list, high.end, list->count);
    }
}

// Adds or removes an entry of a table, or a mesh, frame or joint, and changes its count.
static void change_table(output *out, const token_list *list, uint32_t *random)
{
    const size_t at = below(random, list->count);
    const token *const word = &list->tokens[at];
    const bool is_block =
        at + 2 < list->count && (token_equals(word, "mesh") || token_equals(word, "frame"));
    const size_t open = token_equals(word, "mesh") ? at + 1 : at + 2;
    const range entry = is_block ? bracketed(list, open) : table_line(list, at);
    const size_t first = is_block ? at : entry.first;
    size_t count;
    if (token_equals(word, "mesh"))
        count = find_count(list, "numMeshes");
    else if (token_equals(word, "frame"))
        count = find_count(list, "numFrames");
    else if (*word->word == '"')
        count = find_count(list, "numJoints");
    else
        count = count_before(list, at);
    const bool is_more = below(random, 3) > 0;
    if (count >= first) {
        change_range(out, list, random);
        return;
    }
    write_tokens(out, list, 0, count);
    write_count_off_by(out, &list->tokens[count], is_more ? 1 : -1);
    write_tokens(out, list, count + 1, is_more ? entry.end : first);
    write_tokens(out, list, is_more ? first : entry.end, list->count);
}

// Inserts a random text, such as a comment, a line or a bracket, between two tokens.
static void insert_text(output *out, const token_list *list, uint32_t *random)
{
    static const char *const texts[] = {" //x\n",
                                        " /*x*/",
                                        "\r",
                                        "\n",
                                        "\t",
                                        " unknown 1 2\n",
                                        "\nx { y { } }",
                                        " \"\"",
                                        " \"a\"",
                                        " name \"a\"",
                                        " // meshes: a\n",
                                        " shader \"s\"",
                                        "\xEF\xBB\xBF",
                                        "\xE9",
                                        " vert 0 ( 0 0 ) 0 1",
                                        " tri 0 0 0 0",
                                        " weight 0 0 1 ( 0 0 0 )",
                                        " frame 0 { }",
                                        " mesh { }",
                                        " {",
                                        " }",
                                        " (",
                                        " )",
                                        " bounds { }",
                                        " baseframe { }",
                                        " commandline \"\"",
                                        " MD5Version 12",
                                        " MD5Version 10",
                                        " numvertexcolors 0",
                                        " f",
                                        " 'a'",
                                        " \"a b",
                                        " \\",
                                        "/*",
                                        " hierarchy { }"};
    const size_t at = below(random, list->count + 1);
    const char *const text = texts[below(random, sizeof texts / sizeof texts[0])];
    write_tokens(out, list, 0, at);
    put(out, text, strlen(text));
    write_tokens(out, list, at, list->count);
}

// The output before it replaces the input.
static uint8_t changed[MAX_BYTES];
static token_list list, second_list;

static output begin_output(size_t max_size)
{
    return (output){changed, 0, max_size < MAX_BYTES ? max_size : MAX_BYTES};
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    uint32_t random = seed * 2654435761u + 1;
    const size_t kind = below(&random, 8);
    split(data, size, &list);
    if (kind < 2 || list.count == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    output out = begin_output(max_size);
    if (kind < 4)
        change_number(&out, &list, &random);
    else if (kind < 5)
        change_range(&out, &list, &random);
    else if (kind < 7)
        change_table(&out, &list, &random);
    else
        insert_text(&out, &list, &random);
    memcpy(data, changed, out.size);
    return out.size;
}

// Inserts a range of the second text into the first, or joins the start of one text with the end of
// the other.
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out_data, size_t max_size,
                                 unsigned int seed)
{
    uint32_t random = seed * 2654435761u + 1;
    output out = begin_output(max_size);
    split(data1, size1, &list);
    split(data2, size2, &second_list);
    if (list.count == 0 || second_list.count == 0)
        return 0;
    const size_t at = below(&random, list.count + 1);
    const range inserted = random_range(&second_list, &random);
    const bool is_end = below(&random, 3) == 0;
    write_tokens(&out, &list, 0, at);
    write_tokens(&out, &second_list, inserted.first, is_end ? second_list.count : inserted.end);
    if (!is_end)
        write_tokens(&out, &list, at, list.count);
    memcpy(out_data, changed, out.size);
    return out.size;
}

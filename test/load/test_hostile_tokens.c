// Models: comments, names, numbers, words and blocks.
#include "test/load/test_hostile_files.h"

#include <string.h>

// All that a model needs after its first line.
static const char rest[] = "commandline \"\" numJoints 1 numMeshes 0 joints{a -1(0 0 0)(0 0 0)}\n";

static void add_whole_file(hostile_text *text)
{
    hostile_add(text, "MD5Version 10 %s", rest);
}

static void make_line_comments(hostile_text *text, size_t size)
{
    hostile_fill(text, "//\n", size);
}

static void make_block_comments(hostile_text *text, size_t size)
{
    add_whole_file(text);
    hostile_fill(text, "/**/", size);
}

static void make_open_comment(hostile_text *text, size_t size)
{
    add_whole_file(text);
    hostile_fill(text, "/* ", size);
}

static void make_mesh_comments(hostile_text *text, size_t size)
{
    hostile_add_roots(text, 1);
    hostile_add(text, "mesh{");
    hostile_fill(text, "// meshes: a\n", size);
    hostile_add(text, "numverts 0 numtris 0 numweights 0}");
}

static void make_blank_lines(hostile_text *text, size_t size)
{
    hostile_fill(text, "\n", size);
    add_whole_file(text);
}

static void make_carriage_returns(hostile_text *text, size_t size)
{
    hostile_fill(text, "x 1\r", size);
    add_whole_file(text);
}

static void make_carriage_return_words(hostile_text *text, size_t size)
{
    hostile_add(text, "MD5Version 10\r");
    hostile_fill(text, "x 1\r", size);
    hostile_add(text, "%s", rest);
}

static void make_high_bytes(hostile_text *text, size_t size)
{
    hostile_begin_mesh(text, 1, 0);
    hostile_fill(text, "\xE9", size);
    hostile_add_joint(text, -1);
    hostile_add(text, "}");
}

static void make_nul_bytes(hostile_text *text, size_t size)
{
    hostile_fill_nul(text, size);
}

static void make_nul_bytes_behind(hostile_text *text, size_t size)
{
    add_whole_file(text);
    hostile_fill_nul(text, size);
}

static void make_nul_bytes_inside(hostile_text *text, size_t size)
{
    hostile_add(text, "MD5Version 10 commandline \"\"");
    hostile_fill_nul(text, size);
    add_whole_file(text);
}

static void make_endless_token(hostile_text *text, size_t size)
{
    hostile_fill(text, "a", size);
}

static void make_endless_name(hostile_text *text, size_t size)
{
    hostile_begin_mesh(text, 1, 0);
    hostile_fill(text, "a b ", size);
    hostile_add_joint(text, -1);
    hostile_add(text, "}");
}

static void make_endless_number(hostile_text *text, size_t size)
{
    hostile_begin_mesh(text, 1, 0);
    hostile_add(text, "a -1(");
    hostile_fill(text, "0", size / 4);
    hostile_fill(text, "1", size / 4);
    hostile_add(text, ".");
    hostile_fill(text, "1", size / 4);
    hostile_add(text, "e-%zu 0.", size / 4);
    hostile_fill(text, "0", size / 4);
    hostile_add(text, "1 0)(0 0 0)}");
}

static void make_endless_count(hostile_text *text, size_t size)
{
    hostile_add(text, "MD5Version 10 commandline \"\" numJoints ");
    hostile_fill(text, "1", size);
}

static void make_endless_string(hostile_text *text, size_t size)
{
    hostile_add(text, "MD5Version 10 commandline \"");
    hostile_fill(text, "a", size);
}

static void make_long_string(hostile_text *text, size_t size)
{
    hostile_add(text, "MD5Version 10 commandline \"");
    hostile_fill(text, "a", size);
    hostile_add(text, "\"\n%s", strstr(rest, "numJoints"));
}

static void make_joined_strings(hostile_text *text, size_t size)
{
    hostile_add(text, "MD5Version 10 commandline ");
    hostile_fill(text, "\"\"", size);
    hostile_add(text, "\n%s", strstr(rest, "numJoints"));
}

static void make_repeated_shaders(hostile_text *text, size_t size)
{
    hostile_add_roots(text, 1);
    hostile_add(text, "mesh{");
    hostile_fill(text, "shader\"\"", size);
    hostile_add(text, "numverts 0 numtris 0 numweights 0}");
}

static void make_deep_blocks(hostile_text *text, size_t size)
{
    hostile_add(text, "MD5Version 10 unknown ");
    hostile_fill(text, "{", size / 2);
    hostile_fill(text, "}", size / 2);
    hostile_add(text, "\n%s", rest);
}

static void make_open_blocks(hostile_text *text, size_t size)
{
    hostile_add(text, "MD5Version 10 unknown ");
    hostile_fill(text, "{", size);
}

static void make_brackets(hostile_text *text, size_t size)
{
    hostile_add(text, "MD5Version 10 unknown ");
    hostile_fill(text, "(", size);
}

static void make_unknown_words(hostile_text *text, size_t size)
{
    hostile_add(text, "MD5Version 10\n");
    hostile_fill(text, "m\n", size);
    hostile_add(text, "%s", rest);
}

static void make_unknown_values(hostile_text *text, size_t size)
{
    hostile_add(text, "MD5Version 10\nunknown ");
    hostile_fill(text, "n ", size);
    hostile_add(text, "%s", rest);
}

static void make_unknown_mesh_words(hostile_text *text, size_t size)
{
    hostile_add_roots(text, 1);
    hostile_add(text, "mesh{\n");
    hostile_fill(text, "n\n", size / 2);
    hostile_add(text, "unknown ");
    hostile_fill(text, "n ", size / 2);
    hostile_add(text, "numverts 0 numtris 0 numweights 0}");
}

static void make_unknown_blocks(hostile_text *text, size_t size)
{
    hostile_add(text, "MD5Version 10\n");
    hostile_fill(text, "x{}\n", size);
    hostile_add(text, "%s", rest);
}

// Numbers next to the middle between two floats, and tiny ones: what takes a reader longest.
static void make_slow_numbers(hostile_text *text, size_t size)
{
    static const char *const numbers[] = {"1.000000059604644775390625",
                                          "16777217",
                                          "536870944.0",
                                          "1e-40",
                                          "7e-46",
                                          "0.9e9",
                                          "1.17549428e-38",
                                          "67108866",
                                          "2.3509887e-38",
                                          "33554434.00000000000000000001"};
    enum { NUM_NUMBERS = sizeof numbers / sizeof numbers[0] };
    const size_t count = size / 50;
    hostile_add_roots(text, 1);
    hostile_add(text, "mesh{numverts 0 numtris 0 numweights %zu ", count);
    for (size_t w = 0; w < count; w++)
        hostile_add(text, "weight 0 0 %s(%s %s 0)", numbers[w % 3], numbers[(w + 3) % NUM_NUMBERS],
                    numbers[w % NUM_NUMBERS]);
    hostile_add(text, "}");
}

static void make_huge_counts(hostile_text *text, size_t size)
{
    hostile_add(text, "MD5Version 10 commandline \"\" numJoints 4294967295 numMeshes 4294967295 ");
    hostile_fill(text, "a 0(0 0 0)(0 0 0)", size);
}

static void make_huge_vertex_count(hostile_text *text, size_t size)
{
    hostile_add_roots(text, 1);
    hostile_add(text, "mesh{numverts 4294967295 ");
    hostile_fill(text, "vert 0(0 0)0 0", size);
}

// Counts that the text could just hold if it held nothing else, one after the other.
static void make_largest_counts(hostile_text *text, size_t size)
{
    hostile_add(text, "MD5Version 10 commandline \"\" numJoints %zu numMeshes %zu joints{",
                size / 17, size / 39);
    hostile_fill(text, " ", size);
}

static void make_largest_table_counts(hostile_text *text, size_t size)
{
    hostile_add_roots(text, 1);
    for (int mesh = 0; mesh < 2; mesh++)
        hostile_add(text, "mesh{numverts 0 numtris 0 numweights %zu ", size / 19);
    hostile_fill(text, " ", size);
}

const hostile_file hostile_tokens[] = {
    {"line comments", make_line_comments, true},
    {"block comments", make_block_comments, false},
    {"comments without end", make_open_comment, true},
    {"comments with names of meshes", make_mesh_comments, false},
    {"blank lines", make_blank_lines, false},
    {"carriage returns", make_carriage_returns, true},
    {"carriage returns between words", make_carriage_return_words, false},
    {"bytes from 0x80 on", make_high_bytes, false},
    {"NUL bytes", make_nul_bytes, true},
    {"NUL bytes behind", make_nul_bytes_behind, false},
    {"NUL bytes inside", make_nul_bytes_inside, true},
    {"endless token", make_endless_token, true},
    {"endless name", make_endless_name, false},
    {"endless number", make_endless_number, false},
    {"endless count", make_endless_count, true},
    {"endless string", make_endless_string, true},
    {"long string", make_long_string, false},
    {"strings to join", make_joined_strings, false},
    {"shaders of one mesh", make_repeated_shaders, false},
    {"deep blocks", make_deep_blocks, false},
    {"deep blocks without end", make_open_blocks, true},
    {"brackets", make_brackets, true},
    {"unknown words", make_unknown_words, false},
    {"unknown values", make_unknown_values, false},
    {"unknown words in a mesh", make_unknown_mesh_words, false},
    {"unknown blocks", make_unknown_blocks, false},
    {"slow numbers", make_slow_numbers, false},
    {"huge counts", make_huge_counts, true},
    {"huge count of vertices", make_huge_vertex_count, true},
    {"largest counts", make_largest_counts, true},
    {"largest count of weights", make_largest_table_counts, true},
    {0},
};

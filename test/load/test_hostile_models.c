// Models: joints, meshes, vertices, weights.
#include "test/load/test_hostile_files.h"

#include <stdint.h>

static void add_empty_mesh(hostile_text *text)
{
    hostile_add(text, "mesh{numverts 0 numtris 0 numweights 0}");
}

static void make_chain(hostile_text *text, size_t size)
{
    const size_t count = size / 23;
    hostile_begin_mesh(text, count, 0);
    for (size_t j = 0; j < count; j++)
        hostile_add_joint(text, (long)j - 1);
    hostile_add(text, "}");
}

// The parent of each joint is the next one in the table; the last joint is the root.
static void make_reversed_chain(hostile_text *text, size_t size)
{
    const size_t count = size / 23;
    hostile_begin_mesh(text, count, 0);
    for (size_t j = 0; j < count; j++)
        hostile_add_joint(text, j + 1 < count ? (long)j + 1 : -1);
    hostile_add(text, "}");
}

static void make_roots(hostile_text *text, size_t size)
{
    const size_t count = size / 18;
    hostile_begin_mesh(text, count, 0);
    for (size_t j = 0; j < count; j++)
        hostile_add_joint(text, -1);
    hostile_add(text, "}");
}

// The shortest joints there are.
static void make_star(hostile_text *text, size_t size)
{
    const size_t count = size / 17;
    hostile_begin_mesh(text, count, 0);
    for (size_t j = 0; j < count; j++)
        hostile_add_joint(text, j == 0 ? -1 : 0);
    hostile_add(text, "}");
}

// Parents far from their children, all over the table.
static void make_scattered_joints(hostile_text *text, size_t size)
{
    const size_t count = size / 23;
    hostile_begin_mesh(text, count, 0);
    for (size_t j = 0; j < count; j++)
        hostile_add_joint(text, j == 0 ? -1 : (long)((uint64_t)j * 2654435761u % j));
    hostile_add(text, "}");
}

static void make_circle(hostile_text *text, size_t size)
{
    const size_t count = size / 23;
    hostile_begin_mesh(text, count, 0);
    for (size_t j = 0; j < count; j++)
        hostile_add_joint(text, (long)((j + count / 2 + 1) % count));
    hostile_add(text, "}");
}

static void add_weights(hostile_text *text, size_t count, size_t num_joints)
{
    hostile_add(text, "numweights %zu ", count);
    for (size_t w = 0; w < count; w++)
        hostile_add(text, "weight 0 %zu 1(%zu 0 0)", w % num_joints, w % 10);
}

static void make_weights_of_one_vertex(hostile_text *text, size_t size)
{
    const size_t count = size / 19;
    hostile_add_roots(text, 1);
    hostile_add(text, "mesh{numverts 1 vert 0(0 0)0 %zu numtris 0 ", count);
    add_weights(text, count, 1);
    hostile_add(text, "}");
}

static void make_joints_of_one_vertex(hostile_text *text, size_t size)
{
    const size_t count = size / (18 + 25);
    hostile_add_roots(text, count);
    hostile_add(text, "mesh{numverts 1 vert 0(0 0)0 %zu numtris 0 ", count);
    hostile_add(text, "numweights %zu ", count);
    for (size_t w = 0; w < count; w++)
        hostile_add(text, "weight 0 %zu .%u(0 0 0)", w, (unsigned)(w * 2654435761u % 900 + 100));
    hostile_add(text, "}");
}

// Vertices that share `width` weights: as many as the text can hold, but with at most one reference
// to a weight in `per_byte` bytes of text.
static void make_shared_weights(hostile_text *text, size_t size, size_t width, size_t per_byte)
{
    const size_t text_size = size - size / 8;
    const size_t room = text_size - width * 40;
    const size_t by_text = room / 19, by_sharing = text_size / per_byte / width;
    const size_t count = by_text < by_sharing ? by_text : by_sharing;
    hostile_add_roots(text, width);
    hostile_add(text, "mesh{numverts %zu ", count);
    for (size_t v = 0; v < count; v++)
        hostile_add(text, "vert 0(0 0)0 %zu ", width);
    hostile_add(text, " numtris 0 ");
    add_weights(text, width, width);
    hostile_add(text, "}\n");
    if (text->size < size)
        hostile_fill(text, "//\n", size - text->size);
}

static void make_shared_range(hostile_text *text, size_t size)
{
    make_shared_weights(text, size, 1000, 8);
}

static void make_shared_few(hostile_text *text, size_t size)
{
    make_shared_weights(text, size, 2, 1);
}

// Thousands of vertices, each with the same thousands of weights.
static void make_shared_too_often(hostile_text *text, size_t size)
{
    const size_t count = size / 58;
    hostile_add_roots(text, count);
    hostile_add(text, "mesh{numverts %zu ", count);
    for (size_t v = 0; v < count; v++)
        hostile_add(text, "vert 0(0 0)0 %zu ", count);
    hostile_add(text, "numtris 0 ");
    add_weights(text, count, count);
    hostile_add(text, "}");
}

static void make_empty_meshes(hostile_text *text, size_t size)
{
    const size_t count = size / 39;
    hostile_begin_mesh(text, 1, count);
    hostile_add(text, "a -1(0 0 0)(0 0 0)}");
    for (size_t m = 0; m < count; m++)
        add_empty_mesh(text);
}

static void make_small_meshes(hostile_text *text, size_t size)
{
    const size_t count = size / 88;
    hostile_begin_mesh(text, 1, count);
    hostile_add(text, "a -1(0 0 0)(0 0 0)}");
    for (size_t m = 0; m < count; m++)
        hostile_add(text, "mesh{numverts 2 vert 0(0 0)0 1 vert 1(0 0)0 0 numtris 0 "
                          "numweights 1 weight 0 0 1(.1 .2 .3)}");
}

// Half of the text is joints, half meshes that each use the last joint.
static void make_meshes_of_last_joint(hostile_text *text, size_t size)
{
    const size_t num_joints = size / 2 / 18, num_meshes = size / 2 / 75;
    hostile_begin_mesh(text, num_joints, num_meshes);
    for (size_t j = 0; j < num_joints; j++)
        hostile_add_joint(text, -1);
    hostile_add(text, "}");
    for (size_t m = 0; m < num_meshes; m++)
        hostile_add(text,
                    "mesh{numverts 1 vert 0(0 0)0 1 numtris 0 numweights 1 "
                    "weight 0 %zu 1(0 0 0)}",
                    num_joints - 1);
}

static void make_vertices(hostile_text *text, size_t size)
{
    const size_t count = size / 15;
    hostile_add_roots(text, 1);
    hostile_add(text, "mesh{numverts %zu ", count);
    for (size_t v = 0; v < count; v++)
        hostile_add(text, "vert 0(0 0)0 0 ");
    hostile_add(text, "numtris 0 numweights 0}");
}

static void make_triangles(hostile_text *text, size_t size)
{
    const size_t count = size / 12;
    hostile_add_roots(text, 1);
    hostile_add(text, "mesh{numverts 1 vert 0(0 0)0 1 numtris %zu ", count);
    for (size_t t = 0; t < count; t++)
        hostile_add(text, "tri 0 0 0 0 ");
    hostile_add(text, "numweights 1 weight 0 0 1(0 0 0)}");
}

// Every vertex is in triangles of both orientations of the texture, all at one position.
static void add_seam_mesh(hostile_text *text, size_t num_vertices)
{
    hostile_add(text, "mesh{numverts %zu ", num_vertices);
    for (size_t v = 0; v < num_vertices; v++)
        hostile_add(text, "vert 0(%s)0 1 ", v % 3 == 0 ? "0 0" : v % 3 == 1 ? "1 0" : "0 1");
    hostile_add(text, "numtris %zu ", num_vertices / 3 * 2);
    for (size_t v = 0; v + 2 < num_vertices; v += 3)
        hostile_add(text, "tri 0 %zu %zu %zu tri 0 %zu %zu %zu ", v, v + 1, v + 2, v, v + 2, v + 1);
    hostile_add(text, "numweights 1 weight 0 0 1(0 0 0)}");
}

static void make_seams(hostile_text *text, size_t size)
{
    hostile_add_roots(text, 1);
    add_seam_mesh(text, size / 108 * 3);
}

static void make_seams_of_small_meshes(hostile_text *text, size_t size)
{
    const size_t count = size / 300;
    hostile_begin_mesh(text, 1, count);
    hostile_add(text, "a -1(0 0 0)(0 0 0)}");
    for (size_t m = 0; m < count; m++)
        add_seam_mesh(text, 9);
}

// Two triangles of opposite orientation of the texture; one of their corners has very many
// influences.
static void make_seam_of_many_joints(hostile_text *text, size_t size)
{
    const size_t count = size / (18 + 25);
    hostile_add_roots(text, count);
    hostile_add(text,
                "mesh{numverts 3 vert 0(0 0)0 %zu vert 1(0 1)0 1 vert 2(1 0)0 1 numtris 2 "
                "tri 0 0 1 2 tri 1 0 2 1 ",
                count);
    add_weights(text, count, count);
    hostile_add(text, "}");
}

const hostile_file hostile_models[] = {
    {"joints in a chain", make_chain, false},
    {"joints in a chain from the end", make_reversed_chain, false},
    {"roots", make_roots, false},
    {"joints below one", make_star, false},
    {"joints all over the table", make_scattered_joints, false},
    {"joints in a circle", make_circle, true},
    {"weights of one vertex", make_weights_of_one_vertex, false},
    {"joints of one vertex", make_joints_of_one_vertex, false},
    {"vertices sharing many weights", make_shared_range, false},
    {"vertices sharing two weights", make_shared_few, false},
    {"vertices sharing too many weights", make_shared_too_often, true},
    {"empty meshes", make_empty_meshes, false},
    {"small meshes", make_small_meshes, false},
    {"meshes of the last joint", make_meshes_of_last_joint, false},
    {"vertices", make_vertices, false},
    {"triangles", make_triangles, false},
    {"mirror seams", make_seams, false},
    {"mirror seams of small meshes", make_seams_of_small_meshes, false},
    {"mirror seam of many joints", make_seam_of_many_joints, false},
    {0},
};

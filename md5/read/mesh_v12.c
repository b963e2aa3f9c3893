// The dialect of .md5mesh version 12, of Storm Engine 2. Vertices have a normal and a tangent in
// the space of their dominant joint, and meshes may have vertex colors.
//
//   vert i ( u v ) first count ( nx ny nz ) ( tx ty tz w )
//   numvertexcolors n  vertexcolor i ( r g b a )
#include "md5/read/mesh.h"
#include "md5/read/rows.h"

enum { MIN_COLOR_BYTES = sizeof "vertexcolor 0(0 0 0 0)" - 1 };

// Reads ( x y z w ).
static bool read_vec4(md5_lex *lex, md5_vec4 *value)
{
    TRY(md5i_lex_expect(lex, '('));
    TRY(md5i_lex_float(lex, &value->x));
    TRY(md5i_lex_float(lex, &value->y));
    TRY(md5i_lex_float(lex, &value->z));
    TRY(md5i_lex_float(lex, &value->w));
    return md5i_lex_expect(lex, ')');
}

// Begins a mesh of version 12, whose vertices have normals and tangents (frames).
static bool begin_mesh_v12(md5_mesh_reader *reader, md5_mesh_block *block)
{
    TRY(md5i_begin_mesh(reader, block));
    block->mesh->has_frames = true;
    return true;
}

// Reads the number of vertices, whose keyword was consumed, and their table. A line is
// `vert INDEX ( u v ) first_weight num_weights ( normal ) ( tangent )`. The fast scanner of rows.h
// reads the part before the normal if it has the layout of id's exporter.
static bool read_vertices_v12(md5_lex *lex, md5_mesh_block *block)
{
    md5_mesh_build *const mesh = block->mesh;
    bool is_warned = false;
    TRY(md5i_begin_vertices(lex, block));
    mesh->normals = MD5_ALLOC_ARRAY(lex->arena, md5_vec3, mesh->num_file_vertices);
    TRY(mesh->normals);
    mesh->tangents = MD5_ALLOC_ARRAY(lex->arena, md5_vec4, mesh->num_file_vertices);
    TRY(mesh->tangents);

    md5_item_number number = MD5_ITEM_0;
    for (uint32_t v = 0; v < mesh->num_file_vertices; v++, md5_next_item(&number)) {
        if (!md5i_scan_vertex(lex, &number, &mesh->file_vertices[v], &mesh->texcoords[v]))
            TRY(md5i_read_vertex(lex, block, v, &is_warned));
        TRY(md5i_lex_vec3(lex, md5i_lex_float, &mesh->normals[v]));
        TRY(read_vec4(lex, &mesh->tangents[v]));
    }
    return true;
}

// Reads the number of colors, whose keyword was consumed, and the table of colors.
static bool read_colors(md5_lex *lex, md5_mesh_block *block)
{
    md5_mesh_build *const mesh = block->mesh;
    bool is_warned = false;
    TRY(md5i_read_count(lex, "numvertexcolors", 0, MIN_COLOR_BYTES, &block->num_colors));
    const uint32_t count = block->num_colors.value;
    mesh->colors = MD5_ALLOC_ARRAY(lex->arena, md5_vec4, count);
    TRY(mesh->colors);
    for (uint32_t c = 0; c < count; c++) {
        TRY(md5i_begin_item(lex, &block->num_colors, "numvertexcolors", "vertexcolor", c,
                            &is_warned));
        TRY(read_vec4(lex, &mesh->colors[c]));
    }
    return true;
}

// Reads one keyword of a mesh of version 12 with its values. In this version, a mesh can also
// contain vertex colors.
static bool read_mesh_word(md5_mesh_reader *reader, md5_mesh_block *block)
{
    if (md5i_lex_accept_keyword(&reader->lex, "numvertexcolors"))
        return read_colors(&reader->lex, block);
    return md5i_read_mesh_keyword(reader, block);
}

// Checks a mesh of version 12, which can have one color for each vertex.
static bool finish_mesh(md5_mesh_reader *reader, const md5_mesh_block *block)
{
    if (block->num_colors.at && block->num_colors.value != block->num_vertices.value)
        return md5i_lex_fail(&reader->lex, block->num_colors.at, MD5_ERROR_RANGE,
                             "numvertexcolors does not match numverts: expected %u, found %u",
                             block->num_vertices.value, block->num_colors.value);
    return md5i_finish_mesh(reader, block);
}

const md5_mesh_dialect md5i_mesh_version_12 = {
    .version = MD5_VERSION_12,
    .joint_keyword = "joints",
    .mesh_count_keyword = "numMeshes",
    .vertex_format = "wipiipp",
    .weight_format = "wiiip",
    .first_weight_part = 3,
    .read_keyword = md5i_read_mesh_top_level,
    .begin_mesh = begin_mesh_v12,
    .read_mesh_keyword = read_mesh_word,
    .read_vertices = read_vertices_v12,
    .read_weights = md5i_read_weights,
    .finish_mesh = finish_mesh,
    .is_complete = md5i_mesh_is_complete,
};

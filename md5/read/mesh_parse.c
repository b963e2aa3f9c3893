// .md5mesh: header, joints, then meshes of vertices, triangles and weights.
#include "md5/read/mesh_bytes.h"
#include "md5/read/mesh_reader.h"

// -- Joints ---------------------------------------------------------------------------------

// NAME parent ( position ) ( rotation )
static bool read_joint(md5_mesh_reader *reader, uint32_t joint, md5_xform *bind)
{
    md5_lex *const lex = &reader->lex;
    md5_file_joint *const out = &reader->joints[joint];
    if (md5_lex_at_block_end(lex))
        return md5i_fail_short(lex, "numJoints", reader->num_joints.value, joint);
    out->at = (uint32_t)(lex->at - lex->text);
    TRY(md5i_lex_joint_name(lex, &out->name));
    TRY(md5i_read_parent(lex, reader->num_joints.value, &out->parent));
    return md5i_read_transform(lex, bind);
}

static bool read_joint_rows(md5_mesh_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    const uint32_t num_joints = reader->num_joints.value;
    reader->joints =
        (md5_file_joint *)md5i_arena_room(lex->arena, num_joints, sizeof *reader->joints);
    TRY(reader->joints);
    md5_xform *const bind = (md5_xform *)md5i_arena_alloc(lex->arena, num_joints, sizeof *bind);
    TRY(bind);

    TRY(md5_lex_bracket(lex, '{'));
    for (uint32_t joint = 0; joint < num_joints; joint++)
        TRY(read_joint(reader, joint, &bind[joint]));
    TRY(md5i_end_rows(lex, "numJoints", num_joints, "nipp"));
    TRY(md5i_order_joints(lex, reader->joints, num_joints, &reader->file->order));
    reader->file->num_joints = num_joints;
    reader->file->joints = reader->joints;
    reader->file->bind = bind;
    return true;
}

static bool read_joints(md5_mesh_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    const char *const at = lex->at;
    TRY(md5i_need_count(lex, &reader->num_joints, "numJoints"));
    lex->at += strlen("joints");
    if (reader->joints)
        return md5i_lex_fail(lex, at, MD5_ERROR_SYNTAX, "'joints' appears a second time");
    md5_arena *const arena = lex->arena;
    lex->arena = reader->joint_arena; // also for names that are joined
    const bool is_read = read_joint_rows(reader);
    lex->arena = arena;
    return is_read;
}

// -- Meshes ---------------------------------------------------------------------------------

static bool is_mesh_word(md5_span word)
{
    static const char *const words[] = {"name", "shader", "numverts",   "vert",
                                        "tri",  "weight", "numweights", "numtris"};
    const size_t shortest = sizeof "tri" - 1;
    if (word.size < shortest)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (md5_span_is(word, words[i]))
            return true;
    }
    return false;
}

// Reads the text of a keyword that may appear once; the first one is used.
static bool read_mesh_text(md5_lex *lex, const char *what, bool *is_known, md5_span *text)
{
    md5_span read;
    const char *const at = lex->at - strlen(what);
    TRY(md5i_lex_text(lex, &read, "a string"));
    if (*is_known)
        md5i_lex_warn(lex, at, "'%s' appears a second time: the first is used", what);
    else
        *text = read;
    *is_known = true;
    return true;
}

// Reports a `vert`, `tri` or `weight` outside of its table.
static bool fail_item(const md5_mesh_reader *reader, md5_lex *lex, const md5_mesh_block *block,
                      md5_span word)
{
    const bool is_old = md5_is_old_mesh(reader), has_frames = md5_has_frames(reader);
    const bool is_vertex = md5_span_is(word, "vert"), is_triangle = md5_span_is(word, "tri");
    const md5_count *const count = is_vertex     ? &block->num_vertices
                                   : is_triangle ? &block->num_triangles
                                                 : &block->num_weights;
    const char *const count_word = is_vertex ? "numverts" : is_triangle ? "numtris" : "numweights";
    TRY(md5i_need_count(lex, count, count_word));
    return md5i_fail_rows(lex, count_word, count->value,
                          is_vertex     ? is_old       ? "wiiiii"
                                          : has_frames ? "wipiipp"
                                                       : "wipii"
                          : is_triangle ? "wiiii"
                          : is_old      ? "wiiiiii"
                                        : "wiiip");
}

// Consumes the next word if it is `word`.
static bool take_word(md5_lex *lex, md5_span next, const char *word)
{
    if (!md5_span_is(next, word))
        return false;
    lex->at += next.size;
    return true;
}

// Reads one keyword of a mesh with its values. Keywords may come in any order.
static bool read_mesh_word(md5_mesh_reader *reader, md5_mesh_block *block)
{
    md5_lex *const lex = &reader->lex;
    const md5_span word = md5i_lex_peek_word(lex);
    if (take_word(lex, word, "shader"))
        return read_mesh_text(lex, "shader", &block->has_shader, &block->mesh->shader);
    if (take_word(lex, word, "name"))
        return read_mesh_text(lex, "name", &block->has_name, &block->mesh->name);
    if (take_word(lex, word, "numverts"))
        return md5i_read_vertices(reader, block);
    if (take_word(lex, word, "numtris"))
        return md5i_read_triangles(reader, block);
    if (take_word(lex, word, "numweights"))
        return md5i_read_weights(reader, block);
    if (md5_has_frames(reader) && take_word(lex, word, "numvertexcolors"))
        return md5i_read_colors(reader, block);

    if (!md5_span_is_name(word))
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                             "expected '}' at the end of a mesh, found %s",
                             md5i_lex_token(lex, lex->at).text);
    if (is_mesh_word(word))
        return fail_item(reader, lex, block, word);
    md5i_lex_warn_token(lex, lex->at, "is unknown here: skipped with its values");
    lex->at += word.size;
    return md5i_lex_skip_values(lex, is_mesh_word);
}

static bool need_table(md5_lex *lex, const md5_count *count, const char *word)
{
    if (count->at)
        return true;
    return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "this mesh ends without '%s'", word);
}

static const char *meshes_word(const md5_mesh_reader *reader)
{
    return md5_is_old_mesh(reader) ? "nummeshes" : "numMeshes";
}

static bool read_mesh(md5_mesh_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    const bool is_old = md5_is_old_mesh(reader);
    uint32_t number;
    if (!reader->joints)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected '%s' before 'mesh'",
                             is_old ? "bone" : "joints");
    TRY(md5i_need_count(lex, &reader->num_meshes, meshes_word(reader)));
    if (reader->num_meshes_read == 0)
        reader->file->tables = md5i_arena_here(lex->arena);
    md5_mesh_block block = {.mesh = &reader->meshes[reader->num_meshes_read]};
    lex->at += strlen("mesh");
    TRY(!is_old || md5i_read_uint(lex, "mesh", &number));
    TRY(md5_lex_bracket(lex, '{'));
    lex->mesh_comment = (md5_span){0};
    md5_lex_space(lex);
    while (lex->at == lex->end || *lex->at != '}') {
        TRY(read_mesh_word(reader, &block));
        md5_lex_space(lex);
    }
    TRY(need_table(lex, &block.num_vertices, "numverts"));
    TRY(need_table(lex, &block.num_triangles, "numtris"));
    TRY(need_table(lex, &block.num_weights, "numweights"));
    if (!block.has_shader)
        md5i_lex_warn(lex, lex->at, "this mesh ends without 'shader'");
    lex->at++;
    if (!block.has_name && lex->mesh_comment.bytes)
        block.mesh->name = lex->mesh_comment;
    if (block.num_colors.at && block.num_colors.value != block.num_vertices.value)
        return md5i_lex_fail(lex, block.num_colors.at, MD5_ERROR_RANGE,
                             "numvertexcolors is %u, but numverts is %u", block.num_colors.value,
                             block.num_vertices.value);
    TRY(md5i_check_vertices(reader, &block));
    TRY(md5i_check_triangles(reader, &block));
    reader->num_meshes_read++;
    return true;
}

// -- The file -------------------------------------------------------------------------------

static bool read_num_meshes(md5_mesh_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5i_read_count(lex, meshes_word(reader), 0, MD5_MESH_BYTES, &reader->num_meshes));
    const uint32_t num_meshes = reader->num_meshes.value;
    TRY(reader->meshes =
            (md5_file_mesh *)md5i_arena_alloc(lex->arena, num_meshes, sizeof *reader->meshes));
    reader->file->notes = md5i_arena_alloc(lex->arena, num_meshes, reader->note_size);
    return reader->file->notes != NULL;
}

static bool read_old_word(md5_mesh_reader *reader, md5_span word)
{
    md5_lex *const lex = &reader->lex;
    if (md5_span_is(word, "bone"))
        return md5i_read_bone(reader);
    if (md5_lex_take_word(lex, "numbones"))
        return md5i_read_num_bones(reader);
    if (md5_lex_take_word(lex, "nummeshes"))
        return read_num_meshes(reader);
    return md5i_header_word(lex, &reader->header, word);
}

static bool read_top_word(md5_mesh_reader *reader, md5_span word)
{
    md5_lex *const lex = &reader->lex;
    if (md5_span_is(word, "mesh"))
        return read_mesh(reader);
    if (md5_is_old_mesh(reader))
        return read_old_word(reader, word);
    if (md5_span_is(word, "joints"))
        return read_joints(reader);
    if (md5_lex_take_word(lex, "numJoints"))
        return md5i_read_count(lex, "numJoints", 1, MD5_JOINT_BYTES, &reader->num_joints);
    if (md5_lex_take_word(lex, "numMeshes"))
        return read_num_meshes(reader);
    return md5i_header_word(lex, &reader->header, word);
}

static bool is_complete(const md5_mesh_reader *reader)
{
    return reader->joints && reader->num_meshes.at
           && reader->num_meshes_read == reader->num_meshes.value;
}

static bool read_file(md5_mesh_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5i_header_begin(lex, &reader->header));
    while (!is_complete(reader)) {
        const md5_span word = md5i_lex_peek_word(lex);
        // After the joints another file may begin, although meshes of this one are missing.
        if (lex->at == lex->end || (reader->joints && md5_span_is(word, "MD5Version")))
            break;
        md5i_header_see(lex, &reader->header, word);
        TRY(read_top_word(reader, word));
    }
    if (!reader->joints)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected '%s', found %s",
                             md5_is_old_mesh(reader) ? "bone" : "joints",
                             md5i_lex_token(lex, lex->at).text);
    const char *const count_word = meshes_word(reader);
    TRY(md5i_need_count(lex, &reader->num_meshes, count_word));
    if (reader->num_meshes_read < reader->num_meshes.value)
        md5i_lex_warn(lex, reader->num_meshes.at, "%s says %u, but the file has %u", count_word,
                      reader->num_meshes.value, reader->num_meshes_read);
    return md5i_header_end(lex, &reader->header, "mesh", count_word, &reader->num_meshes);
}

bool md5i_read_mesh_file(md5_arena *arena, md5_arena *joints, const char *text, size_t size,
                         size_t note_size, md5_mesh_file *file)
{
    *file = (md5_mesh_file){0};
    md5_mesh_reader reader = {.header = {.kind = MD5_KIND_MESH},
                              .joint_arena = joints,
                              .note_size = note_size,
                              .file = file};
    md5i_lex_begin(&reader.lex, arena, text, size);
    reader.lex.join_strings = true;
    TRY(read_file(&reader));
    if (reader.num_meshes_read == 0)
        file->tables = md5i_arena_here(arena);
    file->command_line = reader.header.command_line;
    file->num_meshes = reader.num_meshes_read;
    file->meshes = reader.meshes;
    return true;
}

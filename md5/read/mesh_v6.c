// The dialect of .md5mesh version 6, of the 2002 alpha of Doom 3. It has bones instead of joints,
// and tables without parentheses. The fields are taken from the reader of md5-converter
// (mjsonofharry) and its tests.
//
//   bone 1 { name "Body2" bindpos x y z bindmat m00 m01 ... m22 [parent "origin"] }
//
// The rows of bindmat are the axes of the joint in model space, like everywhere in id's code. They
// are the columns of the rotation matrix. There may be several roots.
#include "md5/core/math.h"
#include "md5/core/names.h"
#include "md5/read/mesh.h"

// A bone of the file: a joint whose parent is given by name. The bind pose is in model space.
typedef struct md5_file_bone {
    md5_file_joint joint;
    md5_span parent;
    const char *parent_at; // position of the parent's name; NULL if the bone is a root
    md5_xform bind;
} md5_file_bone;

enum {
    MIN_BONE_BYTES = sizeof "bone 0{name a bindpos 0 0 0 bindmat 0 0 0 0 0 0 0 0 0}" - 1,
    MIN_WEIGHT_BYTES = sizeof "weight 0 0 0 0 0 0" - 1,
};

// Reads three coordinates, `x y z`, without parentheses.
static bool read_bare_vec3(md5_lex *lex, md5_vec3 *value)
{
    return md5i_lex_length(lex, &value->x) && md5i_lex_length(lex, &value->y)
           && md5i_lex_length(lex, &value->z);
}

// -- One bone -------------------------------------------------------------------------------------

// Returns the largest deviation of three axes from the axes of a rotation. The axes of a rotation
// have three properties:
//
// - They have length 1, so the dot product of an axis with itself is 1.
// - They are perpendicular, so the dot product of two axes is 0.
// - They are right-handed, so their determinant is 1 and not -1.
static float distance_from_rotation(const md5_vec3 axes[3])
{
    const float determinant = md5_vec3_dot(md5_vec3_cross(axes[0], axes[1]), axes[2]);
    float max_deviation = fabsf(determinant - 1);
    for (int i = 0; i < 3; i++) {
        for (int k = i; k < 3; k++) {
            const float expected = i == k ? 1 : 0;
            const float deviation = fabsf(md5_vec3_dot(axes[i], axes[k]) - expected);
            max_deviation = fmaxf(max_deviation, deviation);
        }
    }
    return max_deviation;
}

// Returns the rotation that maps the coordinate axes to `axes`, which are the columns of its
// matrix.
//
// Each element of a rotation matrix is a sum of products of two components of the quaternion. The
// sum or difference of two elements contains only one product, for example
//
//   element 01 + element 10 = 4 xy.
//
// The four products with one component, such as xx, xy, xz and xw, are the quaternion times that
// component. Normalizing them therefore gives the quaternion. The function uses the products with
// the largest component, because they lose the least precision.
static md5_quat rotation_from_axes(const md5_vec3 axes[3])
{
    const float m00 = axes[0].x;
    const float m11 = axes[1].y;
    const float m22 = axes[2].z;

    // 4 times the products of the quaternion's components.
    const float xx = 1 + m00 - m11 - m22;
    const float yy = 1 - m00 + m11 - m22;
    const float zz = 1 - m00 - m11 + m22;
    const float ww = 1 + m00 + m11 + m22;
    const float xy = axes[0].y + axes[1].x;
    const float yz = axes[1].z + axes[2].y;
    const float zx = axes[2].x + axes[0].z;
    const float wx = axes[1].z - axes[2].y;
    const float wy = axes[2].x - axes[0].z;
    const float wz = axes[0].y - axes[1].x;

    // multiples[i] is the quaternion times 4 times its component i.
    const md5_quat multiples[4] = {
        {xx, xy, zx, wx}, {xy, yy, yz, wy}, {zx, yz, zz, wz}, {wx, wy, wz, ww}};
    const float squares[4] = {xx, yy, zz, ww};
    int largest = 0;
    for (int i = 1; i < 4; i++) {
        if (squares[i] > squares[largest])
            largest = i;
    }

    const md5_quat identity = {0, 0, 0, -1};
    const md5_quat q = md5_quat_normalize(multiples[largest], identity);

    // Choose the quaternion with negative w, as in other versions. Their files contain only x, y
    // and z, and w is computed as a negative number.
    return q.w > 0 ? (md5_quat){-q.x, -q.y, -q.z, -q.w} : q;
}

// Flags of the keywords of a bone.
enum { NAME = 1, POSITION = 2, MATRIX = 4, PARENT = 8 };

// Returns the flag of a keyword, or 0 if it is not a keyword of a bone.
static uint32_t bone_keyword(md5_span word)
{
    if (md5_span_is(word, "name"))
        return NAME;
    if (md5_span_is(word, "bindpos"))
        return POSITION;
    if (md5_span_is(word, "bindmat"))
        return MATRIX;
    return md5_span_is(word, "parent") ? PARENT : 0;
}

// Reads the rotation of a bone: the three axes of a rotation matrix. A matrix that is not a
// rotation is an error.
static bool read_bind_matrix(md5_lex *lex, md5_quat *rotation)
{
    const float tolerance = 0.01f; // files contain few decimals
    md5_vec3 axes[3];
    const char *const start = md5i_lex_skip_space(lex);
    for (uint32_t i = 0; i < 3; i++)
        TRY(read_bare_vec3(lex, &axes[i]));
    if (!(distance_from_rotation(axes) <= tolerance))
        return md5i_lex_fail(lex, start, MD5_ERROR_RANGE, "bindmat is not a rotation matrix");
    *rotation = rotation_from_axes(axes);
    return true;
}

// Reads one keyword of a bone with its value. *found contains the flags of the keywords that were
// read before. Each keyword may occur once.
static bool read_bone_word(md5_lex *lex, md5_file_bone *bone, uint32_t *found)
{
    const md5_span word = md5i_lex_peek_word(lex);
    const uint32_t keyword = bone_keyword(word);
    if (keyword == 0 || (*found & keyword))
        return md5i_lex_fail_expected(
            lex, "invalid bone: expected each of name, bindpos, bindmat and parent once, or '}'");

    *found |= keyword;
    lex->at += word.size;
    switch (keyword) {
    case NAME:
        return md5i_lex_text(lex, &bone->joint.name, "a bone's name");
    case MATRIX:
        return read_bind_matrix(lex, &bone->bind.rotation);
    case POSITION:
        return read_bare_vec3(lex, &bone->bind.translation);
    default:
        bone->parent_at = md5i_lex_skip_space(lex);
        return md5i_lex_text(lex, &bone->parent, "a bone's name");
    }
}

// -- All bones ------------------------------------------------------------------------------------

// Returns the sorted names of the joints, in an array of the arena. Returns NULL if memory runs
// out.
static const md5_sorted_name *sort_bone_names(md5_arena *arena, const md5_file_joint *joints,
                                              uint32_t count)
{
    md5_sorted_name *const names = MD5_ALLOC_ARRAY(arena, md5_sorted_name, count);
    if (!names)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        names[i] = (md5_sorted_name){joints[i].name, i, 0};
    return md5i_sort_names(arena, names, count);
}

// Sets the parents of the joints. A bone contains the name of its parent, which may follow later in
// the file. The names are sorted, so that each parent is found in logarithmic time.
static bool resolve_parents(md5_mesh_reader *reader, md5_file_joint *joints)
{
    md5_lex *const lex = &reader->lex;
    const uint32_t count = reader->num_joints.value;
    const md5_arena_mark before = md5i_arena_position(lex->arena);
    const md5_sorted_name *const names = sort_bone_names(lex->arena, joints, count);
    TRY(names);

    for (uint32_t i = 0; i < count; i++) {
        const md5_file_bone *const bone = &reader->bones[i];
        joints[i].parent = MD5_NONE;
        if (!bone->parent_at)
            continue;
        const md5_sorted_name *const parent = md5i_find_sorted_name(names, count, bone->parent);
        if (!parent)
            return md5i_lex_fail(lex, bone->parent_at, MD5_ERROR_RANGE,
                                 "parent bone %s does not exist",
                                 md5i_quote(bone->parent.bytes, bone->parent.size).text);
        joints[i].parent = parent->number;
    }

    md5i_arena_rewind(lex->arena, before); // frees the names
    return true;
}

// Converts all bones to the joints of the file. This function is called after the last bone was
// read.
static bool finish_bones(md5_mesh_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    const uint32_t count = reader->num_joints.value;
    md5_xform *const bind = MD5_ALLOC_ARRAY(lex->arena, md5_xform, count);
    md5_file_joint *const joints = MD5_ALLOC_ARRAY(lex->arena, md5_file_joint, count);
    TRY(bind && joints);

    for (uint32_t i = 0; i < count; i++) {
        bind[i] = reader->bones[i].bind;
        joints[i] = reader->bones[i].joint;
    }

    TRY(resolve_parents(reader, joints));
    reader->file->has_w = true;
    return md5i_finish_joints(reader, joints, bind);
}

// Returns a required keyword of a bone that was not found, or NULL if all were found.
static const char *missing_keyword(uint32_t found)
{
    if (!(found & NAME))
        return "name";
    if (!(found & POSITION))
        return "bindpos";
    if (!(found & MATRIX))
        return "bindmat";
    return NULL;
}

// Reads `bone i { ... }`. After the last declared bone, converts all bones to the joints of the
// file.
static bool read_bone(md5_mesh_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    uint32_t number;

    if (!reader->bones)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                             "missing 'numbones': expected it before 'bone'");
    if (reader->joints)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                             "too many bones: expected %u (numbones)", reader->num_joints.value);

    const uint32_t index = reader->num_bones_read;
    md5_file_bone *const bone = &reader->bones[index];
    bone->joint.offset = (uint32_t)(lex->at - lex->text);
    lex->at += strlen("bone");
    TRY(md5i_read_uint(lex, "bone", &number));
    if (number != index)
        return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE,
                             "bone number is out of order: expected %u, found %u", index, number);

    TRY(md5i_lex_expect(lex, '{'));
    uint32_t found = 0;
    while (!md5i_lex_accept(lex, '}'))
        TRY(read_bone_word(lex, bone, &found));
    const char *const missing = missing_keyword(found);
    if (missing)
        return md5i_lex_fail(lex, lex->at - 1, MD5_ERROR_SYNTAX, "incomplete bone: '%s' is missing",
                             missing);

    reader->num_bones_read++;
    const bool is_last_bone = reader->num_bones_read == reader->num_joints.value;
    if (!is_last_bone)
        return true;
    return finish_bones(reader);
}

// Reads the number of bones and allocates their table.
static bool read_num_bones(md5_mesh_reader *reader)
{
    md5_arena *const arena = reader->lex.arena;
    TRY(md5i_read_count(&reader->lex, "numbones", 1, MIN_BONE_BYTES, &reader->num_joints));
    reader->bones = MD5_ALLOC_ZEROED(arena, md5_file_bone, reader->num_joints.value);
    return reader->bones != NULL;
}

// Reads the part of a mesh file of version 6 that begins with the keyword `word` outside of all
// blocks.
static bool read_keyword(md5_mesh_reader *reader, md5_span word)
{
    md5_lex *const lex = &reader->lex;
    if (md5_span_is(word, "bone"))
        return read_bone(reader);
    if (md5i_lex_accept_keyword(lex, "numbones"))
        return read_num_bones(reader);
    if (md5i_lex_accept_keyword(lex, "nummeshes"))
        return md5i_read_num_meshes(reader, "nummeshes");
    return md5i_read_header_keyword(lex, &reader->header, word);
}

// -- Meshes ---------------------------------------------------------------------------------------

// Reads the start of a mesh, `mesh i {`. Its number is ignored.
static bool begin_mesh_v6(md5_mesh_reader *reader, md5_mesh_block *block)
{
    uint32_t number;
    TRY(md5i_read_uint(&reader->lex, "mesh", &number));
    return md5i_begin_mesh(reader, block);
}

// Reads the table of vertices. A line is `vert i u v first count`.
static bool read_vertices_v6(md5_lex *lex, md5_mesh_block *block)
{
    md5_mesh_build *const mesh = block->mesh;
    bool is_warned = false;
    TRY(md5i_begin_vertices(lex, block));
    for (uint32_t v = 0; v < mesh->num_file_vertices; v++) {
        TRY(md5i_begin_item(lex, &block->num_vertices, "numverts", "vert", v, &is_warned));
        TRY(md5i_lex_float(lex, &mesh->texcoords[v].x));
        TRY(md5i_lex_float(lex, &mesh->texcoords[v].y));
        TRY(md5i_read_weight_range(lex, &mesh->file_vertices[v]));
    }
    return true;
}

// Reads the table of weights. A line is `weight i joint bias x y z`.
static bool read_weights(md5_lex *lex, md5_mesh_block *block, uint32_t num_joints)
{
    md5_mesh_build *const mesh = block->mesh;
    bool is_warned = false;
    TRY(md5i_begin_weights(lex, block, MIN_WEIGHT_BYTES));
    for (uint32_t w = 0; w < mesh->num_weights; w++) {
        TRY(md5i_begin_item(lex, &block->num_weights, "numweights", "weight", w, &is_warned));
        TRY(md5i_read_weight_joint(lex, num_joints, "numbones", &mesh->weights[w]));
        TRY(read_bare_vec3(lex, &mesh->weights[w].offset));
    }
    return true;
}

const md5_mesh_dialect md5i_mesh_version_6 = {
    .version = MD5_VERSION_6,
    .joint_keyword = "bone",
    .mesh_count_keyword = "nummeshes",
    .vertex_format = "wiiiii",
    .weight_format = "wiiiiii",
    .first_weight_part = 4,
    .read_keyword = read_keyword,
    .begin_mesh = begin_mesh_v6,
    .read_mesh_keyword = md5i_read_mesh_keyword,
    .read_vertices = read_vertices_v6,
    .read_weights = read_weights,
    .finish_mesh = md5i_finish_mesh,
    .is_complete = md5i_mesh_is_complete,
};

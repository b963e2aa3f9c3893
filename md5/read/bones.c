// Bones: the joints of version 6, the 2002 alpha. The fields are those of md5-converter's reader
// (mjsonofharry) and its tests.
//
//   bone 1 { name "Body2" bindpos x y z bindmat m00 m01 ... m22 [parent "origin"] }
//
// The rows of bindmat are the joint's own axes in model space, as everywhere in id's code; so they
// are the columns of the rotation that is meant here. There may be several roots.
#include "md5/core/math.h"
#include "md5/read/mesh_bytes.h"
#include "md5/read/mesh_reader.h"
#include "md5/core/name_order.h"

typedef struct md5_file_bone {
    md5_file_joint joint;
    md5_span parent;
    const char *parent_at; // NULL = it is a root
    md5_xform bind;
} md5_file_bone;

bool md5i_read_num_bones(md5_mesh_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5i_read_count(lex, "numbones", 1, MD5_BONE_BYTES, &reader->num_joints));
    reader->bones = (md5_file_bone *)md5i_arena_alloc(lex->arena, reader->num_joints.value,
                                                      sizeof *reader->bones);
    return reader->bones != NULL;
}

// -- One bone -------------------------------------------------------------------------------------

static bool read_numbers(md5_lex *lex, float *numbers, int count)
{
    for (int i = 0; i < count; i++)
        TRY(md5_lex_length(lex, &numbers[i]));
    return true;
}

// How far the rows are from being perpendicular and of length 1, and right-handed.
static float distance_from_rotation(const md5_vec3 rows[3])
{
    float most = fabsf(md5_vec3_dot(md5_vec3_cross(rows[0], rows[1]), rows[2]) - 1.0f);
    for (int i = 0; i < 3; i++) {
        for (int k = i; k < 3; k++)
            most = fmaxf(most, fabsf(md5_vec3_dot(rows[i], rows[k]) - (i == k ? 1.0f : 0.0f)));
    }
    return most;
}

// The largest of 4x^2, 4y^2, 4z^2 and 4w^2 is the one to divide by.
static md5_quat rotation_of_rows(const md5_vec3 rows[3])
{
    const float xx = rows[0].x, yy = rows[1].y, zz = rows[2].z;
    const float sizes[4] = {1.0f + xx - yy - zz, 1.0f - xx + yy - zz, 1.0f - xx - yy + zz,
                            1.0f + xx + yy + zz};
    // Sums and differences of what is not on the diagonal; columns are rows.
    const float xy = rows[0].y + rows[1].x, yz = rows[1].z + rows[2].y, zx = rows[2].x + rows[0].z;
    const float wx = rows[1].z - rows[2].y, wy = rows[2].x - rows[0].z, wz = rows[0].y - rows[1].x;
    const md5_quat products[4] = {{sizes[0], xy, zx, wx},
                                  {xy, sizes[1], yz, wy},
                                  {zx, yz, sizes[2], wz},
                                  {wx, wy, wz, sizes[3]}};
    int largest = 0;
    for (int i = 1; i < 4; i++)
        largest = sizes[i] > sizes[largest] ? i : largest;
    const md5_quat none = {0.0f, 0.0f, 0.0f, -1.0f};
    const md5_quat q = md5_quat_normalize(products[largest], none);
    return q.w > 0.0f ? (md5_quat){-q.x, -q.y, -q.z, -q.w} : q; // as those rebuilt from x y z
}

static bool read_matrix(md5_lex *lex, md5_quat *rotation)
{
    enum { SIZE = 9 };
    const float TOLERANCE = 0.01f;
    float m[SIZE];
    md5_lex_space(lex);
    const char *const at = lex->at;
    TRY(read_numbers(lex, m, SIZE));
    const md5_vec3 rows[3] = {{m[0], m[1], m[2]}, {m[3], m[4], m[5]}, {m[6], m[7], m[8]}};
    if (!(distance_from_rotation(rows) <= TOLERANCE))
        return md5i_lex_fail(lex, at, MD5_ERROR_RANGE, "bindmat is no rotation");
    *rotation = rotation_of_rows(rows);
    return true;
}

enum { NAME = 1, POSITION = 2, MATRIX = 4, PARENT = 8 };

static uint32_t kind_of(md5_span word)
{
    return md5_span_is(word, "name")      ? NAME
           : md5_span_is(word, "bindpos") ? POSITION
           : md5_span_is(word, "bindmat") ? MATRIX
           : md5_span_is(word, "parent")  ? PARENT
                                          : 0;
}

// Reads a keyword and its value, and adds it to those that are known.
static bool read_bone_word(md5_lex *lex, md5_file_bone *bone, uint32_t *known)
{
    const md5_span word = md5i_lex_peek_word(lex);
    const uint32_t kind = kind_of(word);
    float position[3];
    if (kind == 0 || (*known & kind))
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                             "expected each of name, bindpos, bindmat and parent once, or '}', "
                             "found %s",
                             md5i_lex_token(lex, lex->at).text);
    *known |= kind;
    lex->at += word.size;
    if (kind == NAME)
        return md5i_lex_text(lex, &bone->joint.name, "a bone's name");
    if (kind == MATRIX)
        return read_matrix(lex, &bone->bind.rotation);
    if (kind == POSITION) {
        TRY(read_numbers(lex, position, 3));
        bone->bind.translation = (md5_vec3){position[0], position[1], position[2]};
        return true;
    }
    md5_lex_space(lex);
    bone->parent_at = lex->at;
    return md5i_lex_text(lex, &bone->parent, "a bone's name");
}

static bool read_block(md5_lex *lex, md5_file_bone *bone)
{
    uint32_t known = 0;
    while (!md5i_lex_take(lex, '}'))
        TRY(read_bone_word(lex, bone, &known));
    const char *const missing = !(known & NAME)       ? "name"
                                : !(known & POSITION) ? "bindpos"
                                : !(known & MATRIX)   ? "bindmat"
                                                      : NULL;
    return !missing
           || md5i_lex_fail(lex, lex->at - 1, MD5_ERROR_SYNTAX, "this bone ends without '%s'",
                            missing);
}

// -- All bones ------------------------------------------------------------------------------------

static bool find_parents(md5_mesh_reader *reader, md5_file_joint *joints)
{
    md5_lex *const lex = &reader->lex;
    const uint32_t count = reader->num_joints.value;
    const md5_arena_mark before = md5i_arena_here(lex->arena);
    md5_ordered_name *const names =
        (md5_ordered_name *)md5i_arena_alloc(lex->arena, count, sizeof *names);
    TRY(names);
    for (uint32_t i = 0; i < count; i++)
        names[i] = (md5_ordered_name){joints[i].name, i};
    md5i_order_names(names, count);
    for (uint32_t i = 0; i < count; i++) {
        const md5_file_bone *const bone = &reader->bones[i];
        const md5_ordered_name *const parent =
            bone->parent_at ? md5i_find_ordered_name(names, count, bone->parent) : NULL;
        if (bone->parent_at && !parent)
            return md5i_lex_fail(lex, bone->parent_at, MD5_ERROR_RANGE, "no bone is called %s",
                                 md5i_quote(bone->parent.bytes, bone->parent.size).text);
        joints[i].parent = parent ? (int32_t)parent->number : -1;
    }
    md5i_arena_rewind(lex->arena, before);
    return true;
}

static bool finish_bones(md5_mesh_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    const uint32_t count = reader->num_joints.value;
    md5_xform *const bind = (md5_xform *)md5i_arena_room(lex->arena, count, sizeof *bind);
    md5_file_joint *const joints =
        (md5_file_joint *)md5i_arena_room(lex->arena, count, sizeof *joints);
    TRY(bind && joints);
    for (uint32_t i = 0; i < count; i++) {
        bind[i] = reader->bones[i].bind;
        joints[i] = reader->bones[i].joint;
    }
    TRY(find_parents(reader, joints));
    TRY(md5i_order_joints(lex, joints, count, &reader->file->order));
    reader->joints = joints;
    reader->file->num_joints = count;
    reader->file->joints = joints;
    reader->file->bind = bind;
    return true;
}

bool md5i_read_bone(md5_mesh_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    const uint32_t index = reader->num_bones_read;
    uint32_t number;
    if (!reader->bones)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected 'numbones' before 'bone'");
    if (reader->joints)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "numbones is %u, but there are more",
                             reader->num_joints.value);
    reader->bones[index].joint.at = (uint32_t)(lex->at - lex->text);
    lex->at += strlen("bone");
    md5_lex_space(lex);
    const char *const at = lex->at;
    TRY(md5i_read_uint(lex, "bone", &number));
    if (number != index)
        return md5i_lex_fail(lex, at, MD5_ERROR_RANGE, "bone %u, expected bone %u", number, index);
    TRY(md5_lex_bracket(lex, '{') && read_block(lex, &reader->bones[index]));
    reader->num_bones_read++;
    return reader->num_bones_read < reader->num_joints.value || finish_bones(reader);
}

// What hangs at the joints of an entity: a head, whose joints may follow the body's, and attached
// entities. Both are placed in the bind pose, with their own axes, and then follow the joint.
#include "md5/game/entity.h"

#include <string.h>

// -- Values ---------------------------------------------------------------------------------------

static md5_quoted quote(const char *text)
{
    return md5_quote(text, strlen(text));
}

// Reads three numbers, 0 for those that are missing: as the engine does with vectors and angles.
static md5_vec3 vector_of(md5_game *game, const char *text)
{
    float values[3] = {0.0f, 0.0f, 0.0f};
    md5_decl_lex lex;
    const md5_game_silence before = md5_game_begin_silence(game);
    md5_decl_lex_begin(&lex, game, NULL, 0, text ? text : "", text ? strlen(text) : 0);
    for (int i = 0; i < 3 && md5_decl_lex_float(&lex, &values[i]); i++) {
    }
    md5_game_end_silence(game, before);
    const md5_vec3 vector = {values[0], values[1], values[2]};
    return vector;
}

// Finds a joint as the engine does, without case.
static int32_t find_joint(const md5_skeleton *skeleton, const char *name)
{
    const md5_token word = {.text = name, .size = strlen(name)};
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        if (md5_token_is_word(&word, skeleton->joints[i].name))
            return (int32_t)i;
    }
    return -1;
}

// -- Copied joints --------------------------------------------------------------------------------

static const char *without_prefix(const char *text, const char *prefix)
{
    while (*prefix && md5_lower(*text) == *prefix) {
        text++;
        prefix++;
    }
    return *prefix ? NULL : text;
}

// Reads "copy_joint A" "B" or "copy_joint_world A" "B". Returns false if it names no joints.
static bool read_copy(const md5_entity_load *load, const md5_entity_key *key,
                      const md5_entity *head, md5_joint_copy *copy)
{
    const char *const in_model = without_prefix(key->name, "copy_joint_world ");
    const char *const in_parent = without_prefix(key->name, "copy_joint ");
    const char *const joint = in_model ? in_model : in_parent ? in_parent : key->name;
    const int32_t from = find_joint(&load->owner->entity.model->skeleton, joint);
    const int32_t to = find_joint(&head->model->skeleton, key->value);
    if (from < 0 || to < 0) {
        md5_entity_warn(load->context, key->decl, "Unknown copy_joint %s on %sentity %s",
                        quote(from < 0 ? joint : key->value).text, from < 0 ? "" : "head of ",
                        quote(load->name).text);
        return false;
    }
    *copy = (md5_joint_copy){(uint32_t)from, (uint32_t)to, in_model != NULL};
    return true;
}

// Moves each copy behind those of its joint's ancestors.
static void sort_copies(const md5_skeleton *skeleton, md5_joint_copy *copies, uint32_t count,
                        md5_joint_copy *sorted)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < skeleton->num_joints && used < count; i++) {
        for (uint32_t k = 0; k < count; k++) {
            if (copies[k].to == skeleton->order[i])
                sorted[used++] = copies[k];
        }
    }
}

static bool read_copies(md5_entity_load *load, md5_entity_part *part)
{
    const md5_entity_def *const def = load->owner->entity.def;
    md5_joint_copy copies[MD5_MOST_JOINT_COPIES];
    uint32_t count = 0;
    for (const md5_entity_key *key = md5_next_entity_key(def, "copy_joint", NULL);
         key && count < MD5_MOST_JOINT_COPIES; key = md5_next_entity_key(def, "copy_joint", key)) {
        if (key->value[0] && read_copy(load, key, part->entity, &copies[count]))
            count++;
    }
    md5_joint_copy *const sorted =
        (md5_joint_copy *)md5_arena_alloc(&load->arena, count, sizeof *sorted);
    TRY(sorted);
    sort_copies(&part->entity->model->skeleton, copies, count, sorted);
    part->copies = sorted;
    part->num_copies = count;
    return true;
}

// -- Parts ----------------------------------------------------------------------------------------

// Loads the model of a part. *part is NULL, and a warning is given, if that fails for another
// reason than memory.
static bool load_part_entity(const md5_entity_load *load, const md5_entity_key *key, bool is_model,
                             const md5_entity **part)
{
    md5_error error;
    md5_context context;
    md5_entity_load own;
    md5_context_begin(&context, &load->opts, NULL, &error);
    *part = NULL;
    if (md5_load_entity(&own, load->game, key->value, is_model, &context, &load->opts)) {
        *part = md5_finish_entity(&own);
        return true;
    }
    md5_end_entity_load(&own);
    TRY(md5_entity_has_memory(load->context, &error));
    md5_entity_warn(load->context, key->decl, "%s %s: %.150s", quote(key->name).text,
                    quote(key->value).text, error.message);
    return true;
}

// The joint of the body, and where a part is in its space: in the bind pose `at`, a placement in
// the space of the model of which the joint's rotation counts only if `is_turned`, is moved along.
static void place_part(const md5_entity *body, uint32_t joint, md5_vec3 origin, md5_quat turn,
                       bool is_turned, md5_entity_part *part)
{
    const md5_transform bind = md5_transform_from_mat34(body->model->bind[joint]);
    const md5_transform placed = {
        .rotation = is_turned ? md5_quat_mul(bind.rotation, turn) : turn,
        .translation = md5_vec3_add(bind.translation, origin),
    };
    part->joint = joint;
    part->offset = md5_transform_mul(md5_transform_inverse(bind), placed);
}

static bool add_head(md5_entity_load *load, md5_entity_part *parts)
{
    static const md5_quat no_turn = {0.0f, 0.0f, 0.0f, 1.0f};
    static const md5_vec3 no_move = {0.0f, 0.0f, 0.0f};
    md5_entity *const entity = &load->owner->entity;
    const md5_entity_key *key = md5_next_entity_key(entity->def, "def_head", NULL);
    while (key && key->name[strlen("def_head")] != '\0')
        key = md5_next_entity_key(entity->def, "def_head", key);
    if (!key || !key->value[0])
        return true;
    const char *const name = md5_entity_value(entity->def, "head_joint");
    const int32_t joint = name ? find_joint(&entity->model->skeleton, name) : -1;
    if (joint < 0) {
        md5_entity_warn(load->context, key->decl, "Joint %s not found for 'head_joint' on %s",
                        quote(name ? name : "").text, quote(load->name).text);
        return true;
    }
    md5_entity_part *const part = &parts[entity->num_parts];
    part->key = key->name;
    TRY(load_part_entity(load, key, true, &part->entity));
    if (!part->entity)
        return true;
    entity->num_parts++; // it is freed from here on
    place_part(entity, (uint32_t)joint, no_move, no_turn, false, part);
    return read_copies(load, part);
}

// The angles are pitch, yaw and roll, in degrees.
static md5_quat turn_of(md5_vec3 angles)
{
    const float degree = 0.017453292f;
    static const md5_vec3 x = {1.0f, 0.0f, 0.0f}, y = {0.0f, 1.0f, 0.0f}, z = {0.0f, 0.0f, 1.0f};
    const md5_quat pitch = md5_quat_from_axis_angle(y, angles.x * degree);
    const md5_quat yaw = md5_quat_from_axis_angle(z, angles.y * degree);
    const md5_quat roll = md5_quat_from_axis_angle(x, angles.z * degree);
    return md5_quat_mul(yaw, md5_quat_mul(pitch, roll));
}

static bool add_attachment(md5_entity_load *load, const md5_entity_key *key, md5_entity_part *parts)
{
    md5_entity *const entity = &load->owner->entity;
    md5_entity_part *const part = &parts[entity->num_parts];
    part->key = key->name;
    TRY(load_part_entity(load, key, false, &part->entity));
    if (!part->entity)
        return true;
    const md5_entity_def *const def = part->entity->def;
    const char *const name = def ? md5_entity_value(def, "joint") : NULL;
    const int32_t joint = name ? find_joint(&entity->model->skeleton, name) : -1;
    if (joint < 0) {
        md5_entity_warn(load->context, key->decl, "Joint %s not found for attaching %s on %s",
                        quote(name ? name : "").text, quote(key->value).text,
                        quote(load->name).text);
        md5_free_lone_entity(part->entity);
        return true;
    }
    entity->num_parts++;
    place_part(entity, (uint32_t)joint, vector_of(load->game, md5_entity_value(def, "origin")),
               turn_of(vector_of(load->game, md5_entity_value(def, "angles"))), true, part);
    return true;
}

bool md5_load_entity_parts(md5_entity_load *load)
{
    md5_entity *const entity = &load->owner->entity;
    const md5_entity_def *const def = entity->def;
    if (!def)
        return true;
    md5_entity_part *const parts =
        (md5_entity_part *)md5_arena_alloc(&load->arena, MD5_MOST_ENTITY_PARTS, sizeof *parts);
    TRY(parts);
    entity->parts = parts;
    TRY(add_head(load, parts));
    for (const md5_entity_key *key = md5_next_entity_key(def, "def_attach", NULL);
         key && entity->num_parts < MD5_MOST_ENTITY_PARTS;
         key = md5_next_entity_key(def, "def_attach", key)) {
        if (key->value[0])
            TRY(add_attachment(load, key, parts));
    }
    return true;
}

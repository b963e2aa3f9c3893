// Parts attached to the joints of an entity: a head, whose joints may follow the body's, and other
// entities with parts of their own. They are placed in one pose of the body, and then follow the
// joint. That pose is the base frame of the clip "ik_pose", which the engine holds while it
// attaches things, or the bind pose if there is no such clip.
#include "md5/game/entity.h"

#include <string.h>

// -- Values ---------------------------------------------------------------------------------------

static md5_quoted quote(const char *text)
{
    return md5i_quote(text, strlen(text));
}

static md5_vec3 vector_of(md5_game *game, const char *text)
{
    float values[3] = {0.0f, 0.0f, 0.0f};
    md5i_entity_numbers(game, text, values, 3);
    const md5_vec3 vector = {values[0], values[1], values[2]};
    return vector;
}

// Finds a joint as the engine does, ignoring case.
static int32_t find_joint(const md5_skeleton *skeleton, const char *name)
{
    const md5_token word = {.text = name, .size = strlen(name)};
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        if (md5i_token_is_word(&word, skeleton->joints[i].name))
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
static bool read_copy(const md5_entity_load *load, const md5_entity_owner *body,
                      const md5_entity_key *key, const md5_entity *head, md5_joint_copy *copy)
{
    const char *const in_model = without_prefix(key->name, "copy_joint_world ");
    const char *const in_parent = without_prefix(key->name, "copy_joint ");
    const char *const joint = in_model ? in_model : in_parent ? in_parent : key->name;
    const int32_t from = find_joint(&body->entity.model->skeleton, joint);
    const int32_t to = find_joint(&head->model->skeleton, key->value);
    if (from < 0 || to < 0) {
        md5i_entity_warn(load->context, key->decl, "Unknown copy_joint %s on %sentity %s",
                         quote(from < 0 ? joint : key->value).text, from < 0 ? "" : "head of ",
                         quote(body->name).text);
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

static bool read_copies(md5_entity_load *load, const md5_entity_owner *body, md5_entity_part *part)
{
    const md5_entity_def *const def = body->entity.def;
    md5_joint_copy copies[MD5_MOST_JOINT_COPIES];
    uint32_t count = 0;
    for (const md5_entity_key *key = md5_entity_def_next_key(def, "copy_joint", NULL);
         key && count < MD5_MOST_JOINT_COPIES;
         key = md5_entity_def_next_key(def, "copy_joint", key)) {
        if (key->value[0] && read_copy(load, body, key, part->entity, &copies[count]))
            count++;
    }
    md5_joint_copy *const sorted =
        (md5_joint_copy *)md5i_arena_alloc(&load->arena, count, sizeof *sorted);
    TRY(sorted);
    sort_copies(&part->entity->model->skeleton, copies, count, sorted);
    part->copies = sorted;
    part->num_copies = count;
    return true;
}

// -- Placement ------------------------------------------------------------------------------------

// A body while its parts are loaded.
typedef struct part_loader {
    md5_entity_load *load;
    md5_entity_owner *body;
    md5_entity_owner **last;  // the end of the list of the tree
    uint32_t num_tried;       // parts of the whole tree
    md5_entity_part *parts;   // of the body, with room for as many as may still be tried
    const md5_mat34 *placing; // [model joints] the pose that parts are placed in
} part_loader;

static const md5_binding *placing_clip(const md5_entity *entity)
{
    for (uint32_t i = 0; i < entity->num_clips; i++) {
        if (entity->clips[i].num_files > 0 && strcmp(entity->clips[i].anim->alias, "ik_pose") == 0)
            return entity->clips[i].bindings[0];
    }
    return NULL;
}

static bool make_placing_pose(part_loader *loader)
{
    const md5_entity *const entity = &loader->body->entity;
    const md5_binding *const clip = placing_clip(entity);
    const uint32_t num_joints = entity->model->skeleton.num_joints;
    loader->placing = entity->model->bind;
    if (!clip || num_joints == 0)
        return true;
    md5_arena *const arena = &loader->load->arena;
    md5_xform *const pose = (md5_xform *)md5i_arena_alloc(arena, num_joints, sizeof *pose);
    md5_mat34 *const joints = (md5_mat34 *)md5i_arena_alloc(arena, num_joints, sizeof *joints);
    TRY(pose && joints);
    md5i_base_frame_pose(clip, pose);
    md5_local_to_model(&entity->model->skeleton, pose, joints);
    loader->placing = joints;
    return true;
}

// Sets the joint of a part, and the part's offset in the space of the joint. `at` is as in files: a
// translation from the joint along the axes of the body's model space, and a rotation, which is
// relative to the joint if `is_turned`, else to model space. The part's own model_offset is applied
// inside of that.
static void place_part(const part_loader *loader, uint32_t joint, md5_xform at, bool is_turned,
                       md5_entity_part *part)
{
    const md5_model *const model = loader->body->entity.model;
    const md5_xform own = md5i_entity_transform(model, at);
    const md5_xform from = md5_xform_from_mat34(loader->placing[joint]);
    const md5_xform placed = {
        .rotation = is_turned ? md5_quat_mul(from.rotation, own.rotation) : own.rotation,
        .translation = md5_vec3_add(from.translation, own.translation),
    };
    const md5_xform inside = {
        .rotation = {0.0f, 0.0f, 0.0f, 1.0f},
        .translation = part->entity->model_offset,
    };
    part->joint = joint;
    part->offset = md5_xform_mul(md5_xform_inverse(from), md5_xform_mul(placed, inside));
}

// -- Parts ----------------------------------------------------------------------------------------

// Whether an entityDef is that of the body, or of what the body is a part of.
static bool is_above(const part_loader *loader, const md5_entity_def *def)
{
    for (const md5_entity_owner *owner = loader->body; owner && def; owner = owner->body) {
        if (owner->entity.def == def)
            return true;
    }
    return false;
}

// Loads the entity of a part. If that fails, *part is NULL; returns false if memory runs out, else
// true after a warning.
static bool load_part_entity(part_loader *loader, const md5_entity_key *key, bool is_model,
                             const md5_entity **part)
{
    const md5_entity_load *const load = loader->load;
    md5_error error;
    md5_context context;
    md5_entity_load own;
    md5i_context_begin(&context, &load->opts, NULL, &error);
    *part = NULL;
    loader->num_tried++;
    const md5_entity_def *const def =
        is_model ? NULL : md5_game_entity_def(load->game, key->value, &error);
    if (is_above(loader, def)) {
        md5i_entity_warn(load->context, key->decl, "%s %s: the entity would be attached to itself",
                         quote(key->name).text, quote(key->value).text);
        return true;
    }
    if (md5i_load_entity(&own, load->game, key->value, is_model, &context, &load->opts)) {
        *part = md5i_finish_entity(&own);
        return true;
    }
    md5i_end_entity_load(&own);
    TRY(md5i_entity_has_memory(load->context, &error));
    md5i_entity_warn(load->context, key->decl, "%s %s: %.150s", quote(key->name).text,
                     quote(key->value).text, error.message);
    return true;
}

// Adds a part to the body. From here on it belongs to the tree.
static void keep_part(part_loader *loader, const md5_entity_part *part)
{
    md5_entity_owner *const owner = md5_owner_of(part->entity);
    owner->body = loader->body;
    *loader->last = owner;
    loader->last = &owner->next;
    loader->parts[loader->body->entity.num_parts++] = *part;
}

static bool add_head(part_loader *loader)
{
    const md5_entity *const entity = &loader->body->entity;
    const md5_entity_key *key = md5_entity_def_next_key(entity->def, "def_head", NULL);
    while (key && key->name[strlen("def_head")] != '\0')
        key = md5_entity_def_next_key(entity->def, "def_head", key);
    if (!key || !key->value[0])
        return true;
    const char *const name = md5_entity_def_value(entity->def, "head_joint");
    const int32_t joint = name ? find_joint(&entity->model->skeleton, name) : -1;
    if (joint < 0) {
        md5i_entity_warn(loader->load->context, key->decl,
                         "Joint %s not found for 'head_joint' on %s", quote(name ? name : "").text,
                         quote(loader->body->name).text);
        return true;
    }
    const md5_xform at = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
    md5_entity_part part = {.key = key->name};
    TRY(load_part_entity(loader, key, true, &part.entity));
    if (!part.entity)
        return true;
    place_part(loader, (uint32_t)joint, at, false, &part);
    keep_part(loader, &part);
    return read_copies(loader->load, loader->body, &loader->parts[entity->num_parts - 1]);
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

static bool add_attachment(part_loader *loader, const md5_entity_key *key)
{
    md5_game *const game = loader->load->game;
    md5_entity_part part = {.key = key->name};
    TRY(load_part_entity(loader, key, false, &part.entity));
    if (!part.entity)
        return true;
    const md5_entity_def *const def = part.entity->def;
    const char *const name = def ? md5_entity_def_value(def, "joint") : NULL;
    const int32_t joint = name ? find_joint(&loader->body->entity.model->skeleton, name) : -1;
    if (joint < 0) {
        md5i_entity_warn(loader->load->context, key->decl,
                         "Joint %s not found for attaching %s on %s", quote(name ? name : "").text,
                         quote(key->value).text, quote(loader->body->name).text);
        md5i_free_lone_entity(part.entity);
        return true;
    }
    const md5_xform at = {
        .rotation = turn_of(vector_of(game, md5_entity_def_value(def, "angles"))),
        .translation = vector_of(game, md5_entity_def_value(def, "origin")),
    };
    place_part(loader, (uint32_t)joint, at, true, &part);
    keep_part(loader, &part);
    return true;
}

static bool add_parts(part_loader *loader)
{
    md5_entity *const entity = &loader->body->entity;
    const md5_entity_def *const def = entity->def;
    const uint32_t room = MD5_MOST_ENTITY_PARTS - loader->num_tried;
    if (!def || room == 0
        || (!md5_entity_def_next_key(def, "def_head", NULL)
            && !md5_entity_def_next_key(def, "def_attach", NULL)))
        return true;
    loader->parts =
        (md5_entity_part *)md5i_arena_alloc(&loader->load->arena, room, sizeof *loader->parts);
    TRY(loader->parts && make_placing_pose(loader));
    entity->parts = loader->parts;
    TRY(add_head(loader));
    for (const md5_entity_key *key = md5_entity_def_next_key(def, "def_attach", NULL);
         key && loader->num_tried < MD5_MOST_ENTITY_PARTS;
         key = md5_entity_def_next_key(def, "def_attach", key)) {
        if (key->value[0])
            TRY(add_attachment(loader, key));
    }
    return true;
}

bool md5i_load_entity_parts(md5_entity_load *load)
{
    part_loader loader = {.load = load, .body = load->owner, .last = &load->owner->next};
    for (; loader.body; loader.body = loader.body->next)
        TRY(add_parts(&loader));
    return true;
}

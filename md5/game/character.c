// Monsters: joint modifiers, look-at, heads.
//
// A joint modifier ("mod") changes the rotation or the translation of a joint after the clips were
// blended. A look joint, such as the neck, turns toward the target of the character.
//
// md5_monster_think() runs once per tick. It computes the transforms of the tracked joints, the
// angles of look joints and eyes, and walk IK, and sets mods from them. md5_monster_pose() applies
// the mods to the pose of the actor.
//
// As in the engine, the rows of a rotation matrix are the axes of a joint, and matrices are
// computed in doubles. v * axes transforms a row vector v from the joint to the space that contains
// the joint.
#include "md5/core/freed.h"
#include "md5/game/character.h"

#include "md5/core/arena.h"
#include "md5/core/bytes.h"
#include "md5/core/float4.h"
#include "md5/decl/game.h"
#include "md5/game/actor.h"

#include <assert.h>
#include <string.h>

// == Joint modifiers ==============================================================================

// Applies the position of a mod to the translation of a joint. The position replaces the
// translation or is added to it. It is in model space (MD5_MOD_WORLD...) or relative to the parent
// (MD5_MOD_LOCAL...). `parent` is the transform of the parent in model space, and `from_model` is
// the inverse of its rotation.
static MD5_ALWAYS_INLINE void apply_mod_translation(const md5_entity *entity,
                                                    const md5_joint_mod *mod, uint32_t joint,
                                                    const md5_xform *parent, md5_float4 from_model,
                                                    md5_xform *local)
{
    // The offset of the model is part of the root's translation, but mods do not apply to it.
    const md5_vec3 offset = joint == 0 ? entity->offset : (md5_vec3){0.0f, 0.0f, 0.0f};
    md5_vec3 translation = mod->translation;

    // Convert the position from model space to the space of the parent.
    if (mod->position == MD5_MOD_WORLD_OVERRIDE)
        translation = md5_vec3_sub(translation, parent->translation);
    if (mod->position >= MD5_MOD_WORLD)
        translation =
            md5_vec3_from_float4(md5_float4_rotate(from_model, md5_float4_from_vec3(translation)));

    // As in the engine, MD5_MOD_WORLD adds to the position of a joint, but replaces the position of
    // the root.
    const bool has_parent = entity->model->skeleton.joints[joint].parent != MD5_NONE;
    const bool is_added =
        mod->position == MD5_MOD_LOCAL || (mod->position == MD5_MOD_WORLD && has_parent);
    if (is_added)
        translation = md5_vec3_add(md5_vec3_sub(local->translation, offset), translation);
    local->translation = md5_vec3_add(translation, offset);
}

// Returns the rotation of a joint relative to its parent, after a mod that multiplies, replaces or
// keeps this rotation. `local` is the transform of the joint without the mod.
static MD5_ALWAYS_INLINE md5_float4 rotation_in_parent(const md5_joint_mod *mod,
                                                       const md5_xform *local)
{
    const md5_float4 joint_to_parent = md5_float4_load_rotation(local);
    const md5_float4 mod_rotation = md5_float4_load(&mod->rotation);
    if (mod->axis == MD5_MOD_NONE)
        return joint_to_parent;
    if (mod->axis == MD5_MOD_LOCAL)
        return md5_float4_quat_mul(joint_to_parent, mod_rotation);
    return mod_rotation;
}

// Returns the rotation of a joint with a mod in model space. `local` is the transform of the joint
// without the mod, and `parent` is the transform of its parent in model space.
static MD5_ALWAYS_INLINE md5_float4 rotation_in_model(const md5_joint_mod *mod,
                                                      const md5_xform *parent,
                                                      const md5_xform *local)
{
    const md5_float4 parent_to_model = md5_float4_load_rotation(parent);
    const md5_float4 mod_rotation = md5_float4_load(&mod->rotation);
    if (mod->axis < MD5_MOD_WORLD)
        return md5_float4_quat_mul(parent_to_model, rotation_in_parent(mod, local));
    if (mod->axis == MD5_MOD_WORLD)
        return md5_float4_quat_mul(
            mod_rotation, md5_float4_quat_mul(parent_to_model, md5_float4_load_rotation(local)));
    return mod_rotation;
}

// Applies a mod to the transform of a joint, `local`, which is relative to the parent. A mod
// replaces or adds a rotation and a translation, in model space or relative to the parent. `parent`
// is the transform of the parent in model space. Returns the rotation of the joint in model space.
static MD5_ALWAYS_INLINE md5_float4 apply_mod(const md5_entity *entity, const md5_joint_mod *mod,
                                              uint32_t joint, const md5_xform *parent,
                                              md5_xform *local)
{
    const md5_float4 model_to_parent = md5_float4_conjugate(md5_float4_load_rotation(parent));
    const md5_float4 joint_to_model = rotation_in_model(mod, parent, local);
    if (mod->axis != MD5_MOD_NONE) {
        md5_float4 joint_to_parent = rotation_in_parent(mod, local);
        if (mod->axis >= MD5_MOD_WORLD)
            joint_to_parent = md5_float4_quat_mul(model_to_parent, joint_to_model);
        md5_float4_store(&local->rotation,
                         md5_float4_normalize_quat(joint_to_parent, joint_to_parent));
    }
    if (mod->position != MD5_MOD_NONE)
        apply_mod_translation(entity, mod, joint, parent, model_to_parent, local);
    return joint_to_model;
}

// Applies mods to a pose. mods[i] rotates or moves joint i, and its descendants move with it.
void md5_entity_move_joints(const md5_entity *entity, const md5_joint_mod *mods, md5_xform *pose)
{
    MD5_ASSERT_ALIVE(entity, MD5_TAG_ENTITY);
    const md5_skeleton *const skeleton = &entity->model->skeleton;
    MD5_ASSERT((mods && pose) || skeleton->num_joints == 0, "mods, pose: must not be NULL");
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        // Parents must come first. Files may list a parent after its children, so `order` is used.
        const uint32_t joint = skeleton->order[i];
        if (mods[joint].axis == MD5_MOD_NONE && mods[joint].position == MD5_MOD_NONE)
            continue;
        const md5_xform parent = md5i_parent_transform(skeleton, pose, joint);
        (void)apply_mod(entity, &mods[joint], joint, &parent, &pose[joint]);
    }
}

static const md5_xform model_space_transform = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};

// Returns the transform in model space of the parent of a tracked joint.
static const md5_xform *parent_transform(const driven_actor *driven, const tracked_joint *tracked)
{
    return tracked->parent == MD5_NONE ? &model_space_transform
                                       : &driven->transforms[tracked->parent];
}

static bool has_mod(const md5_joint_mod *mod)
{
    return mod->axis != MD5_MOD_NONE || mod->position != MD5_MOD_NONE;
}

// Writes the transform of a joint in model space. `rotation` is its rotation there, and `local` is
// its transform relative to `parent`. Later code loads four floats at a time, which is slow after
// smaller stores, so this function stores four floats at a time.
static void store_transform(const md5_xform *parent, const md5_xform *local, md5_float4 rotation,
                            md5_xform *transform)
{
    const md5_float4 translation =
        md5_float4_rotate(md5_float4_load_rotation(parent), md5_float4_load_translation(local));
    md5_float4_store(&transform->rotation, rotation);
    md5_float4_store((char *)transform + offsetof(md5_xform, translation),
                     md5_float4_add(translation, md5_float4_load_translation(parent)));
}

// Returns the rotation of a joint in model space.
static md5_float4 model_rotation(const md5_xform *parent, const md5_xform *local)
{
    return md5_float4_quat_mul(md5_float4_load_rotation(parent), md5_float4_load_rotation(local));
}

// Computes the current transforms of the tracked joints in model space, from the pose of the actor
// and the mods. Does not change the pose.
static void update_tracked(driven_actor *driven)
{
    const md5_xform *const pose = md5i_actor_pose(driven->actor);
    for (uint32_t i = 0; i < driven->num_tracked; i++) {
        const tracked_joint *const tracked = &driven->tracked[i];
        const md5_xform *const parent = parent_transform(driven, tracked);
        const md5_xform *local = &pose[tracked->joint];
        const md5_joint_mod *const mod = &driven->mods[tracked->joint];
        const md5_float4 rotation = rotation_in_model(mod, parent, local);
        md5_xform moved;
        if (mod->position != MD5_MOD_NONE) {
            const md5_float4 model_to_parent =
                md5_float4_conjugate(md5_float4_load_rotation(parent));
            moved = *local;
            apply_mod_translation(driven->actor->entity, mod, tracked->joint, parent,
                                  model_to_parent, &moved);
            local = &moved;
        }
        store_transform(parent, local, rotation, &driven->transforms[tracked->joint]);
    }
}

// Applies the mods to a pose, parents first. Computes model-space values only of joints whose
// descendants have mods that need them.
static void apply_mods(driven_actor *driven, md5_xform *pose)
{
    for (uint32_t i = 0; i < driven->num_tracked; i++) {
        const tracked_joint *const tracked = &driven->tracked[i];
        const md5_xform *const parent = parent_transform(driven, tracked);
        const md5_joint_mod *const mod = &driven->mods[tracked->joint];
        md5_xform *const local = &pose[tracked->joint];
        md5_xform *const transform = &driven->transforms[tracked->joint];
        md5_float4 rotation;
        if (has_mod(mod))
            rotation = apply_mod(driven->actor->entity, mod, tracked->joint, parent, local);
        else if (tracked->use > JOINT_TRACKED)
            rotation = model_rotation(parent, local);
        else
            continue;
        if (tracked->use == JOINT_NEEDS_POSITION)
            store_transform(parent, local, rotation, transform);
        else
            md5_float4_store(&transform->rotation, rotation);
    }
}

// Writes the pose of an actor with the mods. Also writes joints and palette from it, unless they
// are NULL.
static void write_pose(driven_actor *driven, md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette)
{
    md5_actor_pose(driven->actor, pose, NULL, NULL);
    apply_mods(driven, pose);
    md5_local_to_palette(driven->actor->entity->model, pose, joints, palette);
}

// Lists the joints whose use is not JOINT_UNUSED, parents first.
static void list_tracked(driven_actor *driven)
{
    const md5_skeleton *const skeleton = &driven->actor->entity->model->skeleton;
    driven->num_tracked = 0;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        if (driven->uses[joint] != JOINT_UNUSED)
            driven->tracked[driven->num_tracked++] = (tracked_joint){
                joint, skeleton->joints[joint].parent, (joint_use)driven->uses[joint]};
    }
}

// == Creation =====================================================================================

// Reads pitch and yaw from a key, degrees.
static look_angles read_angles(const md5_entity *entity, const char *key, float default_pitch,
                               float default_yaw)
{
    float values[2] = {default_pitch, default_yaw};
    md5i_entity_numbers(md5_entity_def_value(entity->def, key), values, 2);
    return (look_angles){(double)values[0], (double)values[1]};
}

// Reads the keys "look_joint NAME". They name joints that rotate when the monster looks at a
// target. The value contains the fractions of pitch and yaw by which the joint rotates. Several
// keys may name the same joint. A key is ignored if all its fractions are 0.
static void read_look_joints(md5_monster *monster, md5_context *context)
{
    const md5_entity *const entity = monster->desc.entity;
    for (const md5_entity_key *key = md5_entity_def_next_key(entity->def, "look_joint", NULL); key;
         key = md5_entity_def_next_key(entity->def, "look_joint", key)) {
        const char *const name = md5_skip_prefix(key->name, "look_joint ");
        const uint32_t joint = md5i_find_named_joint(&monster->body_actor, entity, key,
                                                     name ? name : key->name, context);
        md5i_track_joint(&monster->body_actor, joint, JOINT_NEEDS_ROTATION);

        // The fractions of pitch, yaw and roll. Monsters do not roll their heads.
        float fractions[3] = {0.0f, 0.0f, 0.0f};
        md5i_entity_numbers(key->value, fractions, 3);
        const bool is_zero = fractions[0] == 0.0f && fractions[1] == 0.0f && fractions[2] == 0.0f;
        if (joint != MD5_NONE && !is_zero)
            monster->look_joints[monster->num_look_joints++] =
                (look_joint){joint, fractions[0], fractions[1]};
    }
}

#define EYES_BELOW_TOP 6.0 // units below the top of the bounding box

// Sets *height to the height of the left eye in the first frame of the clip "idle", units. Returns
// false if the clip or the joint does not exist, or if the monster has a separate head.
static bool measure_eye_height(const md5_monster *monster, double *height)
{
    const md5_entity *const entity = monster->desc.entity;
    if (monster->desc.head)
        return false;
    const uint32_t clip = md5_actor_choose(monster->desc.body, NULL, "idle");
    if (clip == MD5_NONE || entity->clips[clip].num_files == 0)
        return false;
    if (monster->eye_joints[0] == MD5_NONE)
        return false;

    md5_xform *const transforms = monster->body_actor.transforms;
    md5_sample(entity->clips[clip].bindings[0], (md5_sample_position){.frame0 = 0}, MD5_ROOT_ID,
               transforms);
    transforms[0].translation = md5_vec3_add(transforms[0].translation, entity->offset);
    md5_local_to_model_xforms(&entity->model->skeleton, transforms, transforms);
    const float eye_z = transforms[monster->eye_joints[0]].translation.z;
    *height = (double)(eye_z + entity->model_offset.z);
    return true;
}

// Returns the height of the eyes above the origin, units. Uses the first that exists: the key
// "eye_height", the left eye in the clip "idle", or a height slightly below the top of the bounding
// box.
static double find_eye_height(const md5_monster *monster)
{
    const md5_entity *const entity = monster->desc.entity;
    if (md5_entity_def_value(entity->def, "eye_height"))
        return (double)md5i_monster_float(monster, "eye_height", 0.0f);

    double height;
    if (measure_eye_height(monster, &height))
        return height;

    // The bounding box: "maxs" overrides "size".
    float top[3] = {0.0f, 0.0f, 0.0f};
    md5i_entity_numbers(md5_entity_def_value(entity->def, "size"), top, 3);
    md5i_entity_numbers(md5_entity_def_value(entity->def, "maxs"), top, 3);
    return (double)top[2] - EYES_BELOW_TOP;
}

// Reads the limits, offsets, rates and times of look joints and eyes. The defaults are the same as
// in the engine.
static void read_look_numbers(md5_monster *monster)
{
    // Limits of the angles: pitch, yaw.
    const md5_entity *const entity = monster->desc.entity;
    monster->look_min = read_angles(entity, "look_min", -80.0f, -75.0f);
    monster->look_max = read_angles(entity, "look_max", 80.0f, 75.0f);
    monster->eye_min = read_angles(entity, "eye_turn_min", -10.0f, -30.0f);
    monster->eye_max = read_angles(entity, "eye_turn_max", 10.0f, 30.0f);

    // The engine misspells this key as "verticle".
    monster->eye_vertical = md5i_monster_float(monster, "eye_verticle_offset", 5.0f);
    monster->eye_horizontal = md5i_monster_float(monster, "eye_horizontal_offset", -8.0f);
    monster->eye_rate = md5i_monster_float(monster, "eye_focus_rate", 0.5f);
    monster->head_rate = md5i_monster_float(monster, "head_focus_rate", 0.1f);
    const float max_duration = 1e9f; // ms, below INT32_MAX
    const float align = md5i_monster_float(monster, "focus_align_time", 1.0f) * 1000.0f;
    monster->align_duration = align > 0.0f && align < max_duration ? (int32_t)align : 0;
}

// Reads the keys of look joints and eyes, and tracks their joints. If the monster has a separate
// head, the eyes are joints of the head.
static void read_look_keys(md5_monster *monster, md5_context *context)
{
    const md5_entity *const entity = monster->desc.entity;
    driven_actor *const body = &monster->body_actor;
    driven_actor *const head = monster->desc.head ? &monster->head_actor : body;
    read_look_joints(monster, context);
    monster->focus_joint = md5i_find_key_joint(head, entity, "bone_focus", context);
    monster->orientation_joint = md5i_find_key_joint(body, entity, "bone_orientation", context);
    monster->eye_joints[0] = md5i_find_key_joint(head, entity, "bone_leftEye", context);
    monster->eye_joints[1] = md5i_find_key_joint(head, entity, "bone_rightEye", context);
    read_look_numbers(monster);
    monster->eye_height = find_eye_height(monster);

    md5i_track_joint(head, monster->focus_joint, JOINT_TRACKED);
    md5i_track_joint(body, monster->orientation_joint, JOINT_TRACKED);
    for (uint32_t i = 0; i < 2; i++)
        md5i_track_joint(head, monster->eye_joints[i], JOINT_NEEDS_POSITION);
}

// Tracks the joint of the body to which the head is attached, and the joints that the head copies.
static void track_head_joints(md5_monster *monster)
{
    const md5_entity_part *const part = &monster->desc.entity->parts[0];
    md5i_track_joint(&monster->body_actor, part->joint, JOINT_TRACKED);
    for (uint32_t i = 0; i < part->num_copies; i++) {
        md5i_track_joint(&monster->body_actor, part->copies[i].from, JOINT_TRACKED);
        md5i_track_joint(&monster->head_actor, part->copies[i].to, JOINT_NEEDS_POSITION);
    }
}

// Reads the keys of the entity and tracks the joints that the monster uses.
static void read_keys(md5_monster *monster, md5_context *context)
{
    read_look_keys(monster, context);
    md5i_read_walk_ik(monster, context);
    if (monster->desc.head) {
        track_head_joints(monster);
        list_tracked(&monster->head_actor);
    }
    list_tracked(&monster->body_actor);
}

// Returns the number of keys that name look joints.
static size_t count_look_joints(const md5_entity_def *def)
{
    size_t count = 0;
    const md5_entity_key *key = NULL;
    while ((key = md5_entity_def_next_key(def, "look_joint", key)) != NULL)
        count++;
    return count;
}

// Lays out a monster and its arrays in a block. The arrays of the body have capacity for the joints
// of body and head. Returns the monster, or NULL while the block is only measured.
static md5_monster *lay_out_monster(md5_block *block, const md5_monster_desc *desc,
                                    size_t num_joints, size_t num_look_joints)
{
    // The pointers are collected in a local structure, because there is no monster while measuring.
    md5_monster layout = {.desc = *desc};
    md5_monster *const monster = (md5_monster *)md5i_block_alloc(block, 1, sizeof layout);
    driven_actor *const body = &layout.body_actor;
    layout.num_mods = (uint32_t)num_joints;
    layout.look_joints = (look_joint *)md5i_block_alloc(block, num_look_joints, sizeof(look_joint));
    body->tracked = (tracked_joint *)md5i_block_alloc(block, num_joints, sizeof *body->tracked);
    layout.mods = (md5_joint_mod *)md5i_block_alloc(block, num_joints, sizeof *layout.mods);
    body->uses = (uint8_t *)md5i_block_alloc(block, num_joints, sizeof *body->uses);
    layout.ik.legs = (md5_ik_leg *)md5i_block_alloc(block, MD5_MAX_IK_LEGS, sizeof(md5_ik_leg));
    if (monster)
        *monster = layout;
    return monster;
}

// Sets the actors of body and head. The head uses the part of the arrays after the joints of the
// body.
static void set_actors(md5_monster *monster, size_t num_body_joints)
{
    const md5_monster_desc *const desc = &monster->desc;
    driven_actor *const body = &monster->body_actor;
    driven_actor *const head = &monster->head_actor;
    body->mods = monster->mods;
    *head = *body;
    head->mods += num_body_joints;
    head->tracked += num_body_joints;
    head->uses += num_body_joints;
    body->actor = desc->body;
    head->actor = desc->head;
    body->transforms = desc->body->clip_pose;
    head->transforms = desc->head ? desc->head->clip_pose : NULL;
}

// Creates a monster, which looks at targets and places its feet as the keys of its entity specify.
// Returns NULL and sets the error on failure.
md5_monster *md5_create_monster(const md5_monster_desc *desc, const md5_load_opts *opts,
                                md5_error *error)
{
    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT_RESERVED(desc);
    MD5_ASSERT_OPTS(opts);
    MD5_ASSERT_ALIVE(desc->entity, MD5_TAG_ENTITY);
    MD5_ASSERT_ALIVE(desc->body, MD5_TAG_ACTOR);
    MD5_ASSERT_NULL_OR_ALIVE(desc->head, MD5_TAG_ACTOR);
    MD5_ASSERT(desc->entity->def != NULL, "desc->entity: must be created from an entityDef");
    MD5_ASSERT(desc->head == NULL
                   || (desc->entity->num_parts > 0
                       && md5_equals_ignore_case(desc->entity->parts[0].key, "def_head")),
               "desc->head: must be NULL if the entity has no head");

    md5_context context;
    md5i_context_begin(&context, opts, NULL, error);
    if (!md5i_check_id_space(&context, desc->entity))
        return NULL;

    const size_t num_body_joints = desc->entity->model->skeleton.num_joints;
    size_t num_joints = num_body_joints;
    if (desc->head)
        num_joints += desc->entity->parts[0].entity->model->skeleton.num_joints;
    const size_t num_look_joints = count_look_joints(desc->entity->def);

    md5_block block = {0};
    (void)lay_out_monster(&block, desc, num_joints, num_look_joints);
    const size_t size = block.used;
    if (!md5i_block_end_measuring(&context, &block))
        return NULL;

    memset(block.base, 0, size);
    md5_monster *const monster = lay_out_monster(&block, desc, num_joints, num_look_joints);
    monster->size = size;
    monster->internal = (md5_internal){.allocator = context.allocator, .tag = MD5_TAG_MONSTER};
    set_actors(monster, num_body_joints);
    monster->can_move_joints = true;
    monster->can_move_eyes = true;
    monster->can_move_eyes_next = true;
    read_keys(monster, &context);
    monster->enabled_next = monster->ik.enabled;
    return monster;
}

void md5_destroy_monster(md5_monster *monster)
{
    MD5_FREE(monster, MD5_TAG_MONSTER);
}

// Returns the mods of the body, [model joints]. The caller may change them, as the script functions
// setJointPos(), setJointAngle() and clearJoint() do. Any joint may get a mod, so the transforms of
// all joints are tracked from now on.
md5_joint_mod *md5_monster_mods(md5_monster *monster)
{
    MD5_ASSERT_MONSTER_CHANGE(monster);
    memset(monster->body_actor.uses, JOINT_NEEDS_POSITION,
           monster->desc.entity->model->skeleton.num_joints);
    list_tracked(&monster->body_actor);
    return monster->mods;
}

// == Looking ======================================================================================

// Makes the monster look at a target until `milliseconds` after `time`. The caller identifies the
// target by the number `who`. The monster blinks when the target changes.
void md5_monster_look_at(md5_monster *monster, uint64_t who, int64_t time, uint32_t milliseconds)
{
    MD5_ASSERT_MONSTER_CHANGE(monster);
    if (monster->target_id != who || monster->focus_time < time) {
        monster->target_id = who;
        monster->align_time = time;
        monster->force_time = time + 1000; // the joints follow the eyes for a second
        md5i_actor_blink(monster->desc.head ? monster->desc.head : monster->desc.body);
    }
    monster->focus_time = time + milliseconds;
}

// Permits or forbids that the joints turn toward targets, like the script function setBoneMod(),
// and that the eyes do.
void md5_monster_allow_looking(md5_monster *monster, bool joints, bool eyes)
{
    MD5_ASSERT_MONSTER_CHANGE(monster);
    monster->can_move_joints = joints;
    monster->can_move_eyes = eyes;
    monster->can_move_eyes_next = eyes;
}

// Executes a frame command about eye focus or walk IK. It takes effect in the next tick.
void md5_monster_on_frame(md5_monster *monster, const md5_frame_command *command)
{
    MD5_ASSERT_MONSTER_CHANGE(monster);
    MD5_ASSERT_NOT_NULL(command);
    const uint32_t all_legs = (1U << monster->ik.num_legs) - 1;
    uint32_t leg = 0;
    if (command->leg >= 0 && command->leg < MD5_MAX_IK_LEGS)
        leg = 1U << command->leg & all_legs;

    switch ((int)command->code) {
    case MD5_FRAME_ENABLE_EYE_FOCUS:
    case MD5_FRAME_DISABLE_EYE_FOCUS:
        monster->can_move_eyes_next = command->code == MD5_FRAME_ENABLE_EYE_FOCUS;
        md5i_actor_set_blinking(monster->desc.head ? monster->desc.head : monster->desc.body,
                                monster->can_move_eyes_next);
        break;
    case MD5_FRAME_ENABLE_WALK_IK:
    case MD5_FRAME_DISABLE_WALK_IK:
        monster->enabled_next = command->code == MD5_FRAME_ENABLE_WALK_IK ? all_legs : 0;
        monster->resets_heights_next = true;
        break;
    case MD5_FRAME_ENABLE_LEG_IK:
        monster->enabled_next |= leg;
        break;
    case MD5_FRAME_DISABLE_LEG_IK:
        monster->enabled_next &= ~leg;
        break;
    default:
        break;
    }
}

static md5_euler to_euler(look_angles angles)
{
    return (md5_euler){(float)angles.pitch, (float)angles.yaw, 0.0f};
}

// Returns the number from min to max that is nearest to `value`.
static double clamp_value(double value, double min, double max)
{
    if (value < min)
        return min;
    return value > max ? max : value;
}

// Computes sine and cosine of half an angle in degrees by Taylor series, with an error of at most
// 1e-9. An angle outside of -180..180 is wrapped first. This can negate both results, which then
// describe the same rotation.
static void half_angle_sine_cosine(double angle, double *sine, double *cosine)
{
    const double x = clamp_value(md5_wrap_degrees(angle), -180.0, 180.0) * (0.5 * DEGREE);
    const double y = x * x;
    const double s = y * (1.0 / 362880 - y * (1.0 / 39916800 - y * (1.0 / 6227020800)));
    const double c = y * (1.0 / 3628800 - y * (1.0 / 479001600 - y * (1.0 / 87178291200)));
    *sine = x - x * y * (1.0 / 6 - y * (1.0 / 120 - y * (1.0 / 5040 - s)));
    *cosine = 1.0 - y * (1.0 / 2 - y * (1.0 / 24 - y * (1.0 / 720 - y * (1.0 / 40320 - c))));
}

// Returns the same rotation as md5_quat_from_euler() with a roll of 0.
static md5_quat rotation_from_angles(double pitch, double yaw)
{
    double sy;
    double cy;
    double sz;
    double cz;
    half_angle_sine_cosine(pitch, &sy, &cy);
    half_angle_sine_cosine(yaw, &sz, &cz);
    return (md5_quat){(float)(-sy * sz), (float)(sy * cz), (float)(cy * sz), (float)(cy * cz)};
}

static look_angles clamp_angles(look_angles angles, look_angles min, look_angles max)
{
    return (look_angles){clamp_value(angles.pitch, min.pitch, max.pitch),
                         clamp_value(angles.yaw, min.yaw, max.yaw)};
}

// Returns the time at which the joints follow the eyes if the eyes have not moved until then.
static int64_t next_align_time(const md5_monster *monster, const md5_monster_tick *tick)
{
    // The result is truncated to milliseconds, so it is computed in floats, as in the engine.
    const float fraction = 0.5f + 0.5f * (tick->random ? tick->random(tick->user) : 0.5f);
    return (int64_t)((float)tick->time + fraction * (float)monster->align_duration);
}

// Returns the axes to which the look angles are relative, and their origin, in world space. These
// are the axes of the body or, if the entity has the key "bone_orientation", the axes of this joint
// without its pitch and roll. The z axis of this joint points forward.
static world_transform find_orientation(const md5_monster *monster, const md5_monster_tick *tick,
                                        const world_transform *body)
{
    if (monster->orientation_joint == MD5_NONE)
        return (world_transform){
            .origin = md5_vec3d_from_vec3(tick->origin),
            .axes = body->axes,
        };
    const md5_xform *const joint = &monster->body_actor.transforms[monster->orientation_joint];
    const md5_vec3 ahead = md5_quat_rotate(joint->rotation, (md5_vec3){0.0f, 0.0f, 1.0f});
    const md5_vec3d ahead_in_world = md5_rotate_by_axes(md5_vec3d_from_vec3(ahead), &body->axes);
    return (world_transform){
        .origin = md5_transform_to_world(joint->translation, body),
        .axes = md5i_axes_from_angles(0.0, md5i_yaw_degrees(ahead_in_world), 0.0),
    };
}

// Sets monster->eye, the position of the eyes in world space. It is the joint of the key
// "bone_focus", which then also determines the height of the eyes. Without this key, it is the
// point at the height of the eyes above the origin. `body` is the transform of the body to world
// space.
static void find_eye(md5_monster *monster, const md5_monster_tick *tick,
                     const world_transform *body)
{
    const md5_vec3d origin = md5_vec3d_from_vec3(tick->origin);
    if (monster->focus_joint == MD5_NONE) {
        monster->eye = (md5_vec3d){origin.x, origin.y, origin.z + monster->eye_height};
        return;
    }
    const bool has_head = monster->desc.head != NULL;
    const world_transform *const to_world = has_head ? &monster->head_transform : body;
    const md5_xform *const transforms =
        has_head ? monster->head_actor.transforms : monster->body_actor.transforms;
    monster->eye = md5_transform_to_world(transforms[monster->focus_joint].translation, to_world);
    monster->eye_height = monster->eye.z - origin.z;
}

// Distances of the points at which the monster looks, in units. The first is the distance of the
// points ahead of its eyes. The second is used if the monster has no target. Like the other numbers
// of this section, they are the same as in the engine.
#define EYE_DISTANCE 64.0
#define DEFAULT_LOOK_DISTANCE 512.0

// The eyes have reached the target if both angles differ by less than this, degrees.
#define EYE_TOLERANCE 0.1

// Returns the position at which the monster looks, in world space. It is the target, or the last
// position of a target that is gone. If the monster may not look or has no target, it is a point
// ahead of it.
static md5_vec3d find_goal(const md5_monster *monster, const md5_monster_tick *tick,
                           const world_transform *orientation)
{
    const bool can_look = monster->can_move_joints && monster->can_move_eyes;
    const bool has_focus = tick->time < monster->focus_time;
    if (!can_look || !has_focus) {
        const md5_vec3d ahead = md5_vec3d_scale(orientation->axes.row[0], DEFAULT_LOOK_DISTANCE);
        md5_vec3d goal = md5_vec3d_add(md5_vec3d_from_vec3(tick->origin), ahead);
        goal.z += monster->eye_height;
        return goal;
    }
    if (tick->look == MD5_LOOK_GONE)
        return monster->focus;
    md5_vec3d goal = md5_vec3d_from_vec3(tick->target);
    if (tick->look == MD5_LOOK_ACTOR)
        goal.z += (double)monster->eye_vertical;
    return goal;
}

static bool is_full_circle(double min, double max)
{
    return min == -180.0 && max == 180.0;
}

// Converts a rotation in degrees to the same rotation in the shorter direction. The rotation is the
// difference of two angles in -180..180.
static double shorter_rotation(double degrees)
{
    if (degrees > 180.0)
        return degrees - 360.0;
    return degrees <= -180.0 ? degrees + 360.0 : degrees;
}

// Rotates the look joints by a fraction of their distance from the goal. If the limits are a full
// circle, the yaw rotates in the shorter direction. For the pitch, the engine computes 360 - pitch
// instead, which is not the shorter direction. This function does the same.
static void rotate_look_joints(md5_monster *monster)
{
    double pitch = monster->goal.pitch - monster->look.pitch;
    double yaw = monster->goal.yaw - monster->look.yaw;
    if (is_full_circle(monster->look_min.yaw, monster->look_max.yaw))
        yaw = shorter_rotation(yaw);
    const bool is_long_pitch = pitch > 180.0 || pitch <= -180.0;
    if (is_long_pitch && is_full_circle(monster->look_min.pitch, monster->look_max.pitch))
        pitch = 360.0 - pitch;

    const double rate = (double)monster->head_rate;
    monster->look.pitch = md5_wrap_degrees(monster->look.pitch + pitch * rate);
    monster->look.yaw = md5_wrap_degrees(monster->look.yaw + yaw * rate);
}

// Rotates the eyes to the angles `target`, within the limits of the eyes. The look joints follow if
// the eyes have reached their limits, or have not moved for some time. Their goal is then set to
// the target.
static void rotate_eyes(md5_monster *monster, const md5_monster_tick *tick, look_angles target)
{
    // The angles of the eyes are relative to the look joints.
    const double pitch = target.pitch - monster->look.pitch;
    const double yaw = target.yaw - monster->look.yaw;
    const bool must_move = monster->eyes.pitch != pitch || monster->eyes.yaw != yaw;
    if (must_move) {
        monster->eyes = clamp_angles((look_angles){pitch, yaw}, monster->eye_min, monster->eye_max);
        const bool is_limited = fabs(pitch - monster->eyes.pitch) > EYE_TOLERANCE
                                || fabs(yaw - monster->eyes.yaw) > EYE_TOLERANCE;
        monster->align_time = is_limited ? tick->time : next_align_time(monster, tick);
    }

    // If the target is straight ahead, the look joints follow immediately.
    const bool is_ahead = fabs(target.yaw) < EYE_TOLERANCE;
    if (is_ahead)
        monster->align_time = tick->time;
    if (tick->time >= monster->align_time || tick->time < monster->force_time) {
        monster->align_time = next_align_time(monster, tick);
        monster->goal = clamp_angles(target, monster->look_min, monster->look_max);
    }
}

// Returns the translation of the mod of an eye. `to_eye` is the vector to the position of the eyes.
// `aim` is the vector from there to the point at which the eye looks. Both are in world space, but
// mods are in model space. The engine never converts `to_eye`. It converts `aim` only if the
// monster has a separate head. With `is_as_meant`, both are converted.
static md5_vec3d eye_translation(const md5_monster *monster, md5_vec3d to_eye, md5_vec3d aim,
                                 const axes3 *axes)
{
    if (monster->desc.is_as_meant)
        return md5_rotate_into_axes(md5_vec3d_add(to_eye, aim), axes);
    const bool rotates_aim = monster->desc.head != NULL;
    return md5_vec3d_add(to_eye, rotates_aim ? md5_rotate_into_axes(aim, axes) : aim);
}

// Computes the vectors from the middle of the eyes to the points at which the left and the right
// eye look, in world space. The points are side by side, at EYE_DISTANCE in the direction of the
// look angles. `axes` are the axes to which the look angles are relative.
static void compute_eye_aims(const md5_monster *monster, const axes3 *axes, md5_vec3d aims[2])
{
    const axes3 rotation = md5i_axes_from_angles(monster->look.pitch + monster->eyes.pitch,
                                                 monster->look.yaw + monster->eyes.yaw, 0.0);
    const axes3 gaze = md5_multiply_axes(&rotation, axes);
    const md5_vec3d ahead = md5_vec3d_scale(gaze.row[0], EYE_DISTANCE);
    const md5_vec3d left = md5_vec3d_scale(gaze.row[1], (double)monster->eye_horizontal);
    aims[0] = md5_vec3d_add(ahead, left);
    aims[1] = md5_vec3d_add(ahead, md5_vec3d_scale(left, -1.0));
}

// Sets the mods of the eyes. The translation of such a mod is the point at which the eye looks.
// `axes` are the axes to which the look angles are relative.
static void apply_eyes(md5_monster *monster, const world_transform *body,
                       const md5_monster_tick *tick, const axes3 *axes)
{
    if (monster->eye_joints[0] == MD5_NONE && monster->eye_joints[1] == MD5_NONE)
        return;

    // The eyes are joints of the head, or of the body if there is no head.
    md5_joint_mod *mods = monster->mods;
    const world_transform *to_world = body;
    md5_vec3d origin = monster->desc.is_as_meant ? body->origin : md5_vec3d_from_vec3(tick->origin);
    if (monster->desc.head) {
        mods = monster->head_actor.mods;
        to_world = &monster->head_transform;
        origin = to_world->origin;
    }

    md5_vec3d aims[2];
    compute_eye_aims(monster, axes, aims);
    const md5_vec3d to_eye = md5_vec3d_sub(monster->eye, origin);
    for (int i = 0; i < 2; i++) {
        if (monster->eye_joints[i] == MD5_NONE)
            continue;
        md5_joint_mod *const mod = &mods[monster->eye_joints[i]];
        if (monster->can_move_eyes) {
            mod->position = MD5_MOD_WORLD_OVERRIDE;
        } else {
            mod->position = MD5_MOD_NONE;
            mod->axis = MD5_MOD_NONE;
        }
        mod->translation =
            md5_vec3d_round(eye_translation(monster, to_eye, aims[i], &to_world->axes));
    }
}

// Rotates eyes and look joints towards the goal, the point at which the monster looks. The focus
// follows the goal gradually. All angles are relative to `orientation`.
static void update_look(md5_monster *monster, const md5_monster_tick *tick,
                        const world_transform *orientation)
{
    const md5_vec3d goal = find_goal(monster, tick, orientation);
    const md5_vec3d focus_to_goal = md5_vec3d_sub(goal, monster->focus);
    monster->focus =
        md5_vec3d_add(monster->focus, md5_vec3d_scale(focus_to_goal, (double)monster->eye_rate));

    // The pitch is measured from the eyes, and the yaw from the origin of `orientation`.
    const md5_vec3d eye_to_goal =
        md5_rotate_into_axes(md5_vec3d_sub(goal, monster->eye), &orientation->axes);
    const double goal_yaw = md5i_yaw_degrees(md5_vec3d_sub(goal, orientation->origin));
    const double body_yaw = md5i_yaw_degrees(orientation->axes.row[0]);
    const look_angles target = {
        .pitch = -md5_wrap_degrees(md5i_pitch_degrees(eye_to_goal)),
        .yaw = md5_wrap_degrees(goal_yaw - body_yaw),
    };
    rotate_eyes(monster, tick, target);
    rotate_look_joints(monster);
}

// Sets the mods of look joints and eyes.
static void apply_look(md5_monster *monster, const md5_monster_tick *tick,
                       const world_transform *body, const world_transform *orientation)
{
    for (uint32_t i = 0; i < monster->num_look_joints; i++) {
        const look_joint *const part = &monster->look_joints[i];
        md5_joint_mod *const mod = &monster->mods[part->joint];
        mod->axis = MD5_MOD_WORLD;
        mod->rotation = rotation_from_angles(monster->look.pitch * (double)part->pitch,
                                             monster->look.yaw * (double)part->yaw);
    }
    apply_eyes(monster, body, tick, &orientation->axes);
}

// == Heads ========================================================================================

// Returns the mod that gives a joint of the head the world-space transform of a joint of the body.
static md5_joint_mod copy_world_transform(const md5_monster *monster, const world_transform *body,
                                          const md5_xform *joint)
{
    const world_transform *const head = &monster->head_transform;
    const world_transform in_model = md5i_world_transform(*joint);
    const axes3 in_world = md5_multiply_axes(&in_model.axes, &body->axes);
    const axes3 in_head = md5_relative_axes(&in_world, &head->axes);
    const md5_vec3d position = md5_transform_to_world(joint->translation, body);
    const md5_vec3d from_head = md5_vec3d_sub(position, head->origin);
    return (md5_joint_mod){
        .axis = MD5_MOD_WORLD_OVERRIDE,
        .position = MD5_MOD_WORLD_OVERRIDE,
        .rotation = md5i_quat_from_axes(&in_head),
        .translation = md5_vec3d_round(md5_rotate_into_axes(from_head, &head->axes)),
    };
}

// Returns the mod that gives a joint of the head the local transform of a joint of the body. Both
// are relative to their parents.
static md5_joint_mod copy_local_transform(const md5_monster *monster, uint32_t joint)
{
    const md5_xform *const transforms = monster->body_actor.transforms;
    const uint32_t parent = monster->desc.entity->model->skeleton.joints[joint].parent;
    md5_xform local = transforms[joint];
    if (parent != MD5_NONE)
        local = md5_xform_mul(md5_xform_inverse(transforms[parent]), transforms[joint]);
    return (md5_joint_mod){
        .axis = MD5_MOD_LOCAL_OVERRIDE,
        .position = MD5_MOD_LOCAL_OVERRIDE,
        .rotation = local.rotation,
        .translation = local.translation,
    };
}

// Sets the mods of head joints that copy joints of the body.
static void copy_joints(md5_monster *monster, const world_transform *body)
{
    const md5_entity_part *const part = &monster->desc.entity->parts[0];
    for (uint32_t i = 0; i < part->num_copies; i++) {
        const md5_joint_copy *const copy = &part->copies[i];
        md5_joint_mod *const mod = &monster->head_actor.mods[copy->to];
        if (copy->is_model_space)
            *mod = copy_world_transform(monster, body, &monster->body_actor.transforms[copy->from]);
        else
            *mod = copy_local_transform(monster, copy->from);
    }
}

// Computes the transform of the head to world space. The engine adds the key "offsetModel" of the
// body twice. The second time, it is rotated like the head when it was attached. This function does
// the same. With `is_as_meant`, it adds the offset once.
static void update_head_transform(md5_monster *monster, const world_transform *body)
{
    const md5_entity *const entity = monster->desc.entity;
    md5_entity_part part = entity->parts[0];
    if (!monster->desc.is_as_meant)
        part.offset.translation = md5_vec3_add(
            part.offset.translation, md5_quat_rotate(part.offset.rotation, entity->model_offset));
    const md5_xform head = md5_xform_mul(monster->body_actor.transforms[part.joint], part.offset);
    const world_transform in_model = md5i_world_transform(head);
    monster->head_transform.axes = md5_multiply_axes(&in_model.axes, &body->axes);
    monster->head_transform.origin = md5_transform_to_world(head.translation, body);
    monster->has_head_transform = true;
}

// == Thinking =====================================================================================

// Prefetches the state of a monster. In a crowd, it is usually not in the cache. The prefetch loads
// it while clips are sampled.
static inline void prefetch_state(const md5_monster *monster)
{
    enum { CACHE_LINE = 64 };
    for (size_t line = 0; line < sizeof *monster; line += CACHE_LINE)
        MD5_PREFETCH((const char *)monster + line);
    for (uint32_t i = 0; i < monster->ik.num_legs; i++)
        MD5_PREFETCH(&monster->ik.legs[i]);
    for (uint32_t i = 0; i < monster->body_actor.num_tracked; i++) {
        const md5_joint_mod *const mod = &monster->mods[monster->body_actor.tracked[i].joint];
        MD5_PREFETCH(mod);
        MD5_PREFETCH(&mod->translation.z); // may be in the next cache line
    }
}

// Applies the frame commands of the last tick, because commands take effect one tick after their
// frame. A command sets members *_next. At the end of a tick, this function copies them to the
// members that the next tick uses.
static inline void apply_frame_commands(md5_monster *monster)
{
    monster->can_move_eyes = monster->can_move_eyes_next;
    monster->ik.enabled = monster->enabled_next;
    if (monster->resets_heights_next)
        monster->ik.has_heights = false;
    monster->resets_heights_next = false;
}

// Computes the mods of one tick, with which the monster looks at its target and places its feet on
// the ground. The steps have the engine's order.
void md5_monster_think(md5_monster *monster, const md5_monster_tick *tick)
{
    MD5_ASSERT_MONSTER_CHANGE(monster);
    MD5_ASSERT_NOT_NULL(tick);
    MD5_ASSERT_RESERVED(tick);
    md5_mark_callback(&monster->internal, MD5_CALLBACK);
    prefetch_state(monster);

    // The joints of the body and the head, from their clips.
    world_transform body =
        md5i_world_transform((md5_xform){.rotation = tick->rotation, .translation = tick->origin});
    body.origin = md5_transform_to_world(monster->desc.entity->model_offset, &body);
    md5i_clear_walk_ik(monster);
    update_tracked(&monster->body_actor);
    if (monster->desc.head) {
        if (!monster->has_head_transform)
            update_head_transform(monster, &body);
        update_tracked(&monster->head_actor);
    }
    const world_transform orientation = find_orientation(monster, tick, &body);
    find_eye(monster, tick, &body);
    if (monster->desc.head)
        copy_joints(monster, &body);

    // Each step of the angles depends on the previous step, but the legs do not depend on the
    // angles. The legs are computed in between, so that the processor can overlap them.
    update_look(monster, tick, &orientation);
    md5i_walk_ik(monster, tick, &body);
    apply_look(monster, tick, &body, &orientation);

    // The look joints have rotated, so the head must follow the body.
    if (monster->desc.head) {
        update_tracked(&monster->body_actor);
        update_head_transform(monster, &body);
    }
    apply_frame_commands(monster);
    md5_mark_callback(&monster->internal, MD5_NO_CALLBACK);
}

void md5_monster_pose(md5_monster *monster, md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette)
{
    MD5_ASSERT_MONSTER_CHANGE(monster);
    write_pose(&monster->body_actor, pose, joints, palette);
}

// Computes the pose of the head, in which copied joints (see md5_joint_copy) follow joints of the
// body. The arrays have an element for each joint of the head's model.
void md5_monster_head_pose(md5_monster *monster, md5_xform *pose, md5_mat34 *joints,
                           md5_mat34 *palette)
{
    MD5_ASSERT_MONSTER_CHANGE(monster);
    MD5_ASSERT(monster->desc.head != NULL, "monster: must have a head");
    write_pose(&monster->head_actor, pose, joints, palette);
}

// Returns the current state of a monster, for example the angles of its look and the heights of its
// ankles.
md5_monster_status md5_monster_state(const md5_monster *monster)
{
    MD5_ASSERT_MONSTER(monster);

    const md5_walk_ik *const ik = &monster->ik;
    md5_monster_status status = {
        .eye_height = (float)monster->eye_height,
        .eye = md5_vec3d_round(monster->eye),
        .focus = md5_vec3d_round(monster->focus),
        .look = to_euler(monster->look),
        .look_goal = to_euler(monster->goal),
        .eyes = to_euler(monster->eyes),
        .align_time = monster->align_time,
        .force_time = monster->force_time,
        .focus_time = monster->focus_time,
        .head = {md5i_quat_from_axes(&monster->head_transform.axes),
                 md5_vec3d_round(monster->head_transform.origin), 0.0f},
        .num_legs = ik->num_legs,
        .enabled_legs = (uint32_t)ik->enabled,
        .is_standing = ik->has_heights != 0,
        .waist_height = (float)ik->waist_height,
        .waist_offset = md5_vec3d_round(ik->waist_offset),
    };
    for (uint32_t i = 0; i < ik->num_legs; i++)
        status.ankle_heights[i] = (float)ik->ankle_heights[i];
    return status;
}

// == Saving =======================================================================================

enum { MOD_WORDS = sizeof(md5_joint_mod) / sizeof(float), HEADER_SIZE = 16 };
#define MAX_SAVED 1e15f  // limit of coordinates and angles
#define MAX_SQUARE 1.001 // limit of the squared length of rotations and axes
#define FIRST_SAVED offsetof(md5_monster, ik.enabled)
static_assert(sizeof(md5_monster) - FIRST_SAVED == 54 * sizeof(double),
              "saved members must have eight bytes: see archive_monster()");
#define MONSTER_MAGIC UINT64_C(0x014D35444D) // "MD5M" and the version

size_t md5_monster_save_size(const md5_monster *monster)
{
    MD5_ASSERT_MONSTER(monster);
    return HEADER_SIZE + sizeof *monster - FIRST_SAVED + sizeof *monster->mods * monster->num_mods;
}

// Returns true if the modes of a mod are valid, its position is within MAX_SAVED, and its rotation
// is not longer than 1. In a chain of joints, longer rotations could overflow.
static bool is_valid_mod(const md5_joint_mod *mod)
{
    const bool has_valid_modes = (uint32_t)mod->axis <= MD5_MOD_WORLD_OVERRIDE
                                 && (uint32_t)mod->position <= MD5_MOD_WORLD_OVERRIDE;
    const bool is_in_range = fabsf(mod->translation.x) <= MAX_SAVED
                             && fabsf(mod->translation.y) <= MAX_SAVED
                             && fabsf(mod->translation.z) <= MAX_SAVED;

    const double x = (double)mod->rotation.x;
    const double y = (double)mod->rotation.y;
    const double z = (double)mod->rotation.z;
    const double w = (double)mod->rotation.w;
    const double square_length = x * x + y * y + z * z + w * w;
    return has_valid_modes && is_in_range && square_length <= MAX_SQUARE;
}

// Returns true if no axis is longer than 1. Before the first tick all axes are 0.
static bool are_valid_axes(const axes3 *axes)
{
    bool are_valid = true;
    for (int i = 0; i < 3; i++)
        are_valid &= md5_vec3d_dot(axes->row[i], axes->row[i]) <= MAX_SQUARE;
    return are_valid;
}

// Returns true if the pivot foot exists, and all bits of legs belong to existing legs.
static bool has_valid_legs(const md5_monster *monster)
{
    const md5_walk_ik *const ik = &monster->ik;
    const bool has_pivot = ik->pivot_foot == 0 || ik->pivot_foot < ik->num_legs;
    return has_pivot && (ik->enabled | monster->enabled_next) >> ik->num_legs == 0;
}

// Writes or reads the members of a monster that are its state, depending on the archive. They are
// at the end of the structure, and have eight bytes each. The members from ik.waist_height up to
// focus_time are doubles, and the other members are integers. Returns false if a double is not
// finite or too large.
static bool archive_monster_members(md5_state_archive *archive, md5_monster *monster)
{
    bool is_valid = true;
    for (size_t offset = FIRST_SAVED; offset < sizeof *monster; offset += sizeof(double)) {
        char *const member = (char *)monster + offset;
        md5_archive_64(archive, member);
        const bool is_double = offset >= offsetof(md5_monster, ik.waist_height)
                               && offset < offsetof(md5_monster, focus_time);
        double number;
        memcpy(&number, member, sizeof number);
        if (is_double && !(fabs(number) <= (double)MAX_SAVED))
            is_valid = false;
    }
    return is_valid;
}

// Writes or reads a monster, depending on the archive. When reading, stores the mods in
// mods[num_mods], unless `mods` is NULL. Returns false if a value is invalid.
static bool archive_monster(md5_state_archive *archive, md5_monster *monster, md5_joint_mod *mods)
{
    bool is_valid = archive_monster_members(archive, monster);

    // Mods are read into copies, so that invalid bytes do not change the monster.
    for (uint32_t i = 0; i < monster->num_mods; i++) {
        md5_joint_mod mod = monster->mods[i];
        for (size_t k = 0; k < MOD_WORDS; k++)
            md5_archive_32(archive, (char *)&mod + sizeof(float) * k);
        is_valid &= is_valid_mod(&mod);
        if (mods)
            mods[i] = mod;
    }
    return is_valid && are_valid_axes(&monster->head_transform.axes) && has_valid_legs(monster);
}

// Returns the numbers of mods and legs as one integer. A saved monster must have the same numbers.
static uint64_t pack_counts(const md5_monster *monster)
{
    return (uint64_t)monster->num_mods << 32 | monster->ik.num_legs;
}

// Writes the state of a monster to bytes[md5_monster_save_size()].
void md5_monster_save(const md5_monster *monster, void *bytes)
{
    MD5_ASSERT_MONSTER(monster);
    MD5_ASSERT_NOT_NULL(bytes);
    md5_state_archive archive = {.to = (unsigned char *)bytes};
    uint64_t magic = MONSTER_MAGIC;
    uint64_t counts = pack_counts(monster);
    md5_monster copy = *monster;
    md5_archive_64(&archive, &magic);
    md5_archive_64(&archive, &counts);
    (void)archive_monster(&archive, &copy, NULL);
}

// Restores the state that md5_monster_save() wrote. Reads the bytes twice: first to check every
// value, then to store them, so that a failure changes nothing.
bool md5_monster_restore(md5_monster *monster, const void *bytes, size_t size, md5_error *error)
{
    if (!monster)
        return md5i_fail_missing(error, "monster");
    MD5_ASSERT_MONSTER_CHANGE(monster);
    MD5_ASSERT(bytes != NULL || size == 0, "bytes: must not be NULL");

    md5_state_archive archive = {.from = (const unsigned char *)bytes};
    uint64_t magic = 0;
    uint64_t counts = 0;
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, error);
    if (size < HEADER_SIZE)
        return MD5_FAIL(&context, MD5_ERROR_SYNTAX,
                        "data is not a saved monster: expected at least %d bytes, found %zu bytes",
                        (int)HEADER_SIZE, size);
    md5_archive_64(&archive, &magic);
    md5_archive_64(&archive, &counts);
    if (magic != MONSTER_MAGIC)
        return MD5_FAIL(
            &context, MD5_ERROR_SYNTAX,
            "data is not a saved monster: expected the header of a monster at the start");

    const size_t expected = md5_monster_save_size(monster);
    if (counts != pack_counts(monster))
        return MD5_FAIL(&context, MD5_ERROR_MISMATCH,
                        "saved monster does not match the monster: expected the same numbers of "
                        "joints and legs");
    if (size != expected)
        return MD5_FAIL(&context, MD5_ERROR_MISMATCH,
                        "wrong size of a saved monster: expected %zu bytes, found %zu bytes",
                        expected, size);

    // The first pass checks all values, the second pass stores the mods.
    md5_monster restored = *monster;
    md5_state_archive second_pass = archive;
    if (!archive_monster(&archive, &restored, NULL))
        return MD5_FAIL(&context, MD5_ERROR_RANGE,
                        "invalid saved monster: a value is out of range; save the monster again");
    (void)archive_monster(&second_pass, &restored, monster->mods);
    *monster = restored;
    (void)md5_monster_mods(monster); // any mod may be set now, so track all joints
    return true;
}

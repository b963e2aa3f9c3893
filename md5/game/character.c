// Characters: joints that code moves, looking, heads. Rotations are those of the engine in doubles,
// whose matrices have the axes of a joint as rows: a row vector v of the joint is v * axes outside.
#include "md5/core/freed.h"
#include "md5/game/character.h"

#include "md5/core/arena.h"
#include "md5/core/bytes.h"
#include "md5/core/float4.h"
#include "md5/decl/game.h"
#include "md5/game/actor.h"

#include <assert.h>
#include <string.h>

// == Joints that code moves =======================================================================

// Gives a joint the local values that its mod says. Returns its rotation in model space. `above`:
// where its parent is.
static MD5_ALWAYS_INLINE md5_float4 move_joint(const md5_entity *entity, const md5_joint_mod *mod,
                                               uint32_t joint, const md5_xform *above,
                                               md5_xform *local)
{
    const md5_float4 outer = md5_float4_rotation(above);
    const md5_float4 from_model = md5_float4_conjugate(outer);
    md5_float4 turn = md5_float4_load(&mod->rotation);
    md5_float4 inner = md5_float4_rotation(local);
    if (mod->axis >= MD5_MOD_WORLD) {
        if (mod->axis == MD5_MOD_WORLD)
            turn = md5_float4_turn(turn, md5_float4_turn(outer, inner));
        inner = md5_float4_turn(from_model, turn);
    } else {
        if (mod->axis != MD5_MOD_NONE)
            inner = mod->axis == MD5_MOD_LOCAL ? md5_float4_turn(inner, turn) : turn;
        turn = md5_float4_turn(outer, inner);
    }
    if (mod->axis != MD5_MOD_NONE)
        md5_float4_store(&local->rotation, md5_float4_unit(inner, inner));
    if (mod->position == MD5_MOD_NONE)
        return turn;
    const md5_vec3 offset = joint == 0 ? entity->offset : (md5_vec3){0.0f, 0.0f, 0.0f};
    md5_vec3 way = mod->translation;
    if (mod->position == MD5_MOD_WORLD_OVERRIDE)
        way = md5_vec3_sub(way, above->translation);
    if (mod->position >= MD5_MOD_WORLD)
        way = md5_vec3_of_row(md5_float4_rotate(from_model, md5_float4_of_vec3(way)));
    // Of the root the engine replaces the position, where it adds that of others.
    if (mod->position == MD5_MOD_LOCAL
        || (mod->position == MD5_MOD_WORLD
            && entity->model->skeleton.joints[joint].parent != MD5_NONE))
        way = md5_vec3_add(md5_vec3_sub(local->translation, offset), way);
    local->translation = md5_vec3_add(way, offset);
    return turn;
}

void md5_entity_move_joints(const md5_entity *entity, const md5_joint_mod *mods, md5_xform *pose)
{
    MD5_ASSERT_ALIVE(entity, MD5_TAG_ENTITY);
    const md5_skeleton *const skeleton = &entity->model->skeleton;
    MD5_ASSERT((mods && pose) || skeleton->num_joints == 0, "mods, pose: must not be NULL");
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        // Parents come first in an order of their own: files may list them behind their children.
        const uint32_t joint = skeleton->order[i];
        if (mods[joint].axis == MD5_MOD_NONE && mods[joint].position == MD5_MOD_NONE)
            continue;
        const md5_xform above = md5i_parent_place(skeleton, pose, joint);
        (void)move_joint(entity, &mods[joint], joint, &above, &pose[joint]);
    }
}

static const md5_xform model_space = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};

static const md5_xform *place_above(const moved_actor *moved, const known_joint *known)
{
    return known->parent == MD5_NONE ? &model_space : &moved->places[known->parent];
}

static bool is_moved(const md5_joint_mod *mod)
{
    return mod->axis != MD5_MOD_NONE || mod->position != MD5_MOD_NONE;
}

// Where a joint is, whose rotation is that of `turn`. Writes whole rows, as they are read again.
static void place_joint(const md5_xform *above, const md5_xform *local, md5_float4 turn,
                        md5_xform *place)
{
    const md5_float4 at =
        md5_float4_rotate(md5_float4_rotation(above), md5_float4_translation(local));
    md5_float4_store(&place->rotation, turn);
    md5_float4_store((char *)place + offsetof(md5_xform, translation),
                     md5_float4_add(at, md5_float4_translation(above)));
}

static md5_float4 turn_joint(const md5_xform *above, const md5_xform *local)
{
    return md5_float4_turn(md5_float4_rotation(above), md5_float4_rotation(local));
}

// Places the known joints as they are now.
static void place_known(moved_actor *moved)
{
    const md5_xform *const pose = md5i_actor_pose(moved->actor);
    for (uint32_t i = 0; i < moved->num_known; i++) {
        const known_joint *const known = &moved->known[i];
        const md5_xform *const above = place_above(moved, known);
        const md5_xform *local = &pose[known->joint];
        const md5_joint_mod *const mod = &moved->mods[known->joint];
        md5_xform changed;
        md5_float4 turn;
        if (is_moved(mod)) {
            changed = *local;
            local = &changed;
            turn = move_joint(moved->actor->entity, mod, known->joint, above, &changed);
        } else {
            turn = turn_joint(above, local);
        }
        place_joint(above, local, turn, &moved->places[known->joint]);
    }
}

// Moves the known joints of a pose.
static void move_known(moved_actor *moved, md5_xform *pose)
{
    for (uint32_t i = 0; i < moved->num_known; i++) {
        const known_joint *const known = &moved->known[i];
        const md5_xform *const above = place_above(moved, known);
        const md5_joint_mod *const mod = &moved->mods[known->joint];
        md5_xform *const local = &pose[known->joint];
        md5_xform *const place = &moved->places[known->joint];
        md5_float4 turn;
        if (is_moved(mod))
            turn = move_joint(moved->actor->entity, mod, known->joint, above, local);
        else if (known->use > JOINT_KNOWN)
            turn = turn_joint(above, local);
        else
            continue;
        if (known->use == JOINT_PLACES)
            place_joint(above, local, turn, place);
        else
            md5_float4_store(&place->rotation, turn);
    }
}

static void write_pose(moved_actor *moved, md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette)
{
    md5_actor_pose(moved->actor, pose, NULL, NULL);
    move_known(moved, pose);
    md5_local_to_palette(moved->actor->entity->model, pose, joints, palette);
}

static void list_known(moved_actor *moved)
{
    const md5_skeleton *const skeleton = &moved->actor->entity->model->skeleton;
    moved->num_known = 0;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        if (moved->uses[joint] != JOINT_UNKNOWN)
            moved->known[moved->num_known++] =
                (known_joint){joint, skeleton->joints[joint].parent, (joint_use)moved->uses[joint]};
    }
}

// == Making =======================================================================================

static look_angles angles_of(const md5_entity *entity, const char *key, float pitch, float yaw)
{
    float values[2] = {pitch, yaw};
    md5i_entity_numbers(md5_entity_def_value(entity->def, key), values, 2);
    return (look_angles){(double)values[0], (double)values[1]};
}

// A joint may be named by several keys; one without parts is skipped.
static void read_look_joints(md5_monster *monster, md5_context *context)
{
    const md5_entity *const entity = monster->desc.entity;
    for (const md5_entity_key *key = md5_entity_def_next_key(entity->def, "look_joint", NULL); key;
         key = md5_entity_def_next_key(entity->def, "look_joint", key)) {
        const char *const name = md5_behind_prefix(key->name, "look_joint ");
        const uint32_t joint =
            md5i_monster_joint(&monster->body, entity, key, name ? name : key->name, context);
        md5i_know_joint(&monster->body, joint, JOINT_TURNS);
        float parts[3] = {0.0f, 0.0f, 0.0f};
        md5i_entity_numbers(key->value, parts, 3);
        if (joint != MD5_NONE && (parts[0] != 0.0f || parts[1] != 0.0f || parts[2] != 0.0f))
            monster->look_joints[monster->num_look_joints++] =
                (look_joint){joint, parts[0], parts[1]};
    }
}

// The height of the left eye in the first frame of "idle", or just below the top of the box.
static double find_eye_height(const md5_monster *monster)
{
    const md5_entity *const entity = monster->desc.entity;
    float top[3] = {0.0f, 0.0f, 0.0f};
    if (md5_entity_def_value(entity->def, "eye_height"))
        return (double)md5i_monster_number(monster, "eye_height", 0.0f);
    const uint32_t clip =
        monster->desc.head ? MD5_NONE : md5_actor_choose(monster->desc.body, NULL, "idle");
    if (clip != MD5_NONE && entity->clips[clip].num_files > 0
        && monster->eye_joints[0] != MD5_NONE) {
        md5_xform *const places = monster->body.places;
        md5_sample(entity->clips[clip].bindings[0], (md5_sample_position){.frame0 = 0}, MD5_ROOT_ID,
                   places);
        places[0].translation = md5_vec3_add(places[0].translation, entity->offset);
        md5_local_to_model_xforms(&entity->model->skeleton, places, places);
        return (double)(places[monster->eye_joints[0]].translation.z + entity->model_offset.z);
    }
    md5i_entity_numbers(md5_entity_def_value(entity->def, "size"), top, 3);
    md5i_entity_numbers(md5_entity_def_value(entity->def, "maxs"), top, 3);
    return (double)top[2] - 6.0;
}

static void read_keys(md5_monster *monster, md5_context *context)
{
    const md5_entity *const entity = monster->desc.entity;
    moved_actor *const body = &monster->body;
    moved_actor *const skull = &monster->skull;
    moved_actor *const head = monster->desc.head ? skull : body;
    read_look_joints(monster, context);
    monster->focus_joint = md5i_joint_of_key(head, entity, "bone_focus", context);
    monster->orientation_joint = md5i_joint_of_key(body, entity, "bone_orientation", context);
    monster->eye_joints[0] = md5i_joint_of_key(head, entity, "bone_leftEye", context);
    monster->eye_joints[1] = md5i_joint_of_key(head, entity, "bone_rightEye", context);
    monster->look_min = angles_of(entity, "look_min", -80.0f, -75.0f);
    monster->look_max = angles_of(entity, "look_max", 80.0f, 75.0f);
    monster->eye_min = angles_of(entity, "eye_turn_min", -10.0f, -30.0f);
    monster->eye_max = angles_of(entity, "eye_turn_max", 10.0f, 30.0f);
    monster->eye_vertical = md5i_monster_number(monster, "eye_verticle_offset", 5.0f);
    monster->eye_horizontal = md5i_monster_number(monster, "eye_horizontal_offset", -8.0f);
    monster->eye_rate = md5i_monster_number(monster, "eye_focus_rate", 0.5f);
    monster->head_rate = md5i_monster_number(monster, "head_focus_rate", 0.1f);
    const float align = md5i_monster_number(monster, "focus_align_time", 1.0f) * 1000.0f;
    monster->align_duration = align > 0.0f && align < 1e9f ? (int32_t)align : 0;
    monster->eye_height = find_eye_height(monster);
    md5i_know_joint(head, monster->focus_joint, JOINT_KNOWN);
    md5i_know_joint(body, monster->orientation_joint, JOINT_KNOWN);
    for (uint32_t i = 0; i < 2; i++)
        md5i_know_joint(head, monster->eye_joints[i], JOINT_PLACES);
    md5i_read_walk_ik(monster, context);
    if (monster->desc.head) {
        const md5_entity_part *const part = &entity->parts[0];
        md5i_know_joint(body, part->joint, JOINT_KNOWN);
        for (uint32_t i = 0; i < part->num_copies; i++) {
            md5i_know_joint(body, part->copies[i].from, JOINT_KNOWN);
            md5i_know_joint(skull, part->copies[i].to, JOINT_PLACES);
        }
        list_known(skull);
    }
    list_known(body);
}

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
                       && md5_is_same_word(desc->entity->parts[0].key, "def_head")),
               "desc->head: must be NULL if the entity has no head");
    md5_context context;
    md5i_context_begin(&context, opts, NULL, error);
    if (!md5i_expect_ids_space(&context, desc->entity))
        return NULL;
    const size_t num_joints = desc->entity->model->skeleton.num_joints;
    const size_t num_head =
        desc->head ? desc->entity->parts[0].entity->model->skeleton.num_joints : 0;
    size_t num_looks = 0;
    for (const md5_entity_key *key = NULL;
         (key = md5_entity_def_next_key(desc->entity->def, "look_joint", key));)
        num_looks++;
    md5_block block = {0};
    md5_monster *monster = NULL;
    // Once to count, and once to give out.
    for (int pass = 0; pass < 2; pass++) {
        md5_monster made = {.desc = *desc, .size = block.used};
        made.num_mods = (uint32_t)(num_joints + num_head);
        if (pass == 1 && !md5i_block_allocate(&context, &block))
            return NULL;
        if (pass == 1)
            memset(block.base, 0, made.size);
        monster = (md5_monster *)md5i_block_take(&block, 1, sizeof made);
        made.look_joints = (look_joint *)md5i_block_take(&block, num_looks, sizeof(look_joint));
        moved_actor *const all = &made.body;
        all->known = (known_joint *)md5i_block_take(&block, made.num_mods, sizeof *all->known);
        made.mods = (md5_joint_mod *)md5i_block_take(&block, made.num_mods, sizeof *made.mods);
        all->uses = (uint8_t *)md5i_block_take(&block, made.num_mods, sizeof *all->uses);
        made.ik.legs = (md5_ik_leg *)md5i_block_take(&block, MD5_MAX_IK_LEGS, sizeof(md5_ik_leg));
        if (pass == 1)
            *monster = made;
    }
    monster->internal = (md5_internal){.allocator = context.allocator, .tag = MD5_TAG_MONSTER};
    monster->body.mods = monster->mods;
    monster->skull = monster->body;
    monster->body.actor = desc->body;
    monster->skull.actor = desc->head;
    monster->skull.mods += num_joints;
    monster->body.places = desc->body->clip_pose;
    monster->skull.places = desc->head ? desc->head->clip_pose : NULL;
    monster->skull.known += num_joints;
    monster->skull.uses += num_joints;
    monster->joints_may_look = monster->eyes_may_look = monster->eyes_may_look_next = true;
    read_keys(monster, &context);
    monster->next_enabled = monster->ik.enabled;
    return monster;
}

void md5_destroy_monster(md5_monster *monster)
{
    MD5_FREE(monster, MD5_TAG_MONSTER);
}

md5_joint_mod *md5_monster_mods(md5_monster *monster)
{
    MD5_ASSERT_MONSTER_CHANGE(monster);
    memset(monster->body.uses, JOINT_PLACES, monster->desc.entity->model->skeleton.num_joints);
    list_known(&monster->body);
    return monster->mods;
}

// == Looking ======================================================================================

void md5_monster_look_at(md5_monster *monster, uint64_t who, int64_t time, uint32_t milliseconds)
{
    MD5_ASSERT_MONSTER_CHANGE(monster);
    if (monster->who != who || monster->focus_time < time) {
        monster->who = who;
        monster->align_time = time;
        monster->force_time = time + 1000;
        md5i_actor_blink(monster->desc.head ? monster->desc.head : monster->desc.body);
    }
    monster->focus_time = time + milliseconds;
}

void md5_monster_allow_looking(md5_monster *monster, bool joints, bool eyes)
{
    MD5_ASSERT_MONSTER_CHANGE(monster);
    monster->joints_may_look = joints;
    monster->eyes_may_look = monster->eyes_may_look_next = eyes;
}

void md5_monster_on_frame(md5_monster *monster, const md5_frame_command *command)
{
    MD5_ASSERT_MONSTER_CHANGE(monster);
    MD5_ASSERT_NOT_NULL(command);
    const uint32_t all = (1U << monster->ik.num_legs) - 1;
    const uint32_t leg =
        command->leg >= 0 && command->leg < MD5_MAX_IK_LEGS ? 1U << command->leg & all : 0;
    switch ((int)command->code) {
    case MD5_FRAME_ENABLE_EYE_FOCUS:
    case MD5_FRAME_DISABLE_EYE_FOCUS:
        monster->eyes_may_look_next = command->code == MD5_FRAME_ENABLE_EYE_FOCUS;
        md5i_actor_set_blinking(monster->desc.head ? monster->desc.head : monster->desc.body,
                                monster->eyes_may_look_next);
        break;
    case MD5_FRAME_ENABLE_WALK_IK:
    case MD5_FRAME_DISABLE_WALK_IK:
        monster->next_enabled = command->code == MD5_FRAME_ENABLE_WALK_IK ? all : 0;
        monster->is_next_invalid = true;
        break;
    case MD5_FRAME_ENABLE_LEG_IK:
        monster->next_enabled |= leg;
        break;
    case MD5_FRAME_DISABLE_LEG_IK:
        monster->next_enabled &= ~leg;
        break;
    default:
        break;
    }
}

static md5_euler euler_of(look_angles angles)
{
    return (md5_euler){(float)angles.pitch, (float)angles.yaw, 0.0f};
}

static double clamped(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

// Sine and cosine of half of an angle in degrees; of one beyond half a circle with both signs
// changed, so that the rotation is the same. By Taylor's series, to 1e-9.
static void half_angle(double angle, double *sine, double *cosine)
{
    const double x = clamped(md5_half_turn(angle), -180.0, 180.0) * (0.5 * DEGREE);
    const double y = x * x;
    const double s = y * (1.0 / 362880 - y * (1.0 / 39916800 - y * (1.0 / 6227020800)));
    const double c = y * (1.0 / 3628800 - y * (1.0 / 479001600 - y * (1.0 / 87178291200)));
    *sine = x - x * y * (1.0 / 6 - y * (1.0 / 120 - y * (1.0 / 5040 - s)));
    *cosine = 1.0 - y * (1.0 / 2 - y * (1.0 / 24 - y * (1.0 / 720 - y * (1.0 / 40320 - c))));
}

// As md5_quat_from_euler() without roll.
static md5_quat turn_of(double pitch, double yaw)
{
    double sy, cy, sz, cz;
    half_angle(pitch, &sy, &cy);
    half_angle(yaw, &sz, &cz);
    return (md5_quat){(float)(-sy * sz), (float)(sy * cz), (float)(cy * sz), (float)(cy * cz)};
}

static look_angles clamp_angles(look_angles angles, look_angles least, look_angles most)
{
    return (look_angles){clamped(angles.pitch, least.pitch, most.pitch),
                         clamped(angles.yaw, least.yaw, most.yaw)};
}

// When the joints follow the eyes next, if these stay where they are.
static int64_t align_later(const md5_monster *monster, const md5_monster_tick *tick)
{
    // In floats, as in the engine: whole milliseconds depend on how these round.
    const float part = 0.5f + 0.5f * (tick->random ? tick->random(tick->user) : 0.5f);
    return (int64_t)((float)tick->time + part * (float)monster->align_duration);
}

// Where it looks from: the axes that angles are relative to, and their origin.
static world_place find_orientation(const md5_monster *monster, const md5_monster_tick *tick,
                                    const world_place *body)
{
    world_place place = {.origin = md5_vec3d_of(tick->origin), .axes = body->axes};
    if (monster->orientation_joint == MD5_NONE)
        return place;
    const md5_xform *const joint = &monster->body.places[monster->orientation_joint];
    const md5_vec3 up = md5_quat_rotate(joint->rotation, (md5_vec3){0.0f, 0.0f, 1.0f});
    place.origin = md5_through_place(joint->translation, body);
    place.axes =
        md5i_axes_of_angles(0.0, md5i_yaw_of(md5_through(md5_vec3d_of(up), &body->axes)), 0.0);
    return place;
}

static void find_eye(md5_monster *monster, const md5_monster_tick *tick, const world_place *body)
{
    const bool has_head = monster->desc.head != NULL;
    const world_place *const of = has_head ? &monster->head : body;
    const md5_xform *const places = has_head ? monster->skull.places : monster->body.places;
    const md5_vec3d origin = md5_vec3d_of(tick->origin);
    monster->eye = (md5_vec3d){origin.x, origin.y, origin.z + monster->eye_height};
    if (monster->focus_joint == MD5_NONE)
        return;
    monster->eye = md5_through_place(places[monster->focus_joint].translation, of);
    monster->eye_height = monster->eye.z - origin.z;
}

static md5_vec3d find_goal(const md5_monster *monster, const md5_monster_tick *tick,
                           const world_place *from)
{
    md5_vec3d goal = md5_vec3d_of(tick->target);
    if (!monster->joints_may_look || !monster->eyes_may_look || tick->time >= monster->focus_time) {
        goal = md5_vec3d_add(md5_vec3d_of(tick->origin), md5_vec3d_scale(from->axes.row[0], 512.0));
        goal.z += monster->eye_height;
    } else if (tick->look == MD5_LOOK_GONE) {
        return monster->focus;
    } else if (tick->look == MD5_LOOK_ACTOR) {
        goal.z += (double)monster->eye_vertical;
    }
    return goal;
}

// Turns the joints' angles a part of the way. With limits of a full circle the shorter way counts;
// the engine does something else with pitch.
static void turn_look(md5_monster *monster)
{
    double pitch = monster->goal.pitch - monster->look.pitch;
    double yaw = monster->goal.yaw - monster->look.yaw;
    if (monster->look_min.yaw == -180.0 && monster->look_max.yaw == 180.0)
        yaw = yaw > 180.0 ? yaw - 360.0 : yaw <= -180.0 ? yaw + 360.0 : yaw;
    if (monster->look_min.pitch == -180.0 && monster->look_max.pitch == 180.0
        && (pitch > 180.0 || pitch <= -180.0))
        pitch = 360.0 - pitch;
    const double rate = (double)monster->head_rate;
    monster->look.pitch = md5_half_turn(monster->look.pitch + pitch * rate);
    monster->look.yaw = md5_half_turn(monster->look.yaw + yaw * rate);
}

static void turn_eyes(md5_monster *monster, const md5_monster_tick *tick, look_angles wanted)
{
    const double pitch = wanted.pitch - monster->look.pitch;
    const double yaw = wanted.yaw - monster->look.yaw;
    if (monster->eyes.pitch != pitch || monster->eyes.yaw != yaw) {
        monster->eyes = clamp_angles((look_angles){pitch, yaw}, monster->eye_min, monster->eye_max);
        monster->align_time =
            fabs(pitch - monster->eyes.pitch) > 0.1 || fabs(yaw - monster->eyes.yaw) > 0.1
                ? tick->time
                : align_later(monster, tick);
    }
    if (fabs(wanted.yaw) < 0.1)
        monster->align_time = tick->time;
    if (tick->time >= monster->align_time || tick->time < monster->force_time) {
        monster->align_time = align_later(monster, tick);
        monster->goal = clamp_angles(wanted, monster->look_min, monster->look_max);
    }
}

// Both eyes aim at points beside each other. The engine sets what it has computed in the world as a
// place in model space.
static void place_eyes(md5_monster *monster, const world_place *body, const md5_monster_tick *tick,
                       const axes3 *axes)
{
    if (monster->eye_joints[0] == MD5_NONE && monster->eye_joints[1] == MD5_NONE)
        return;
    const bool has_head = monster->desc.head != NULL;
    md5_joint_mod *const mods = has_head ? monster->skull.mods : monster->mods;
    const world_place *const of = has_head ? &monster->head : body;
    const axes3 turned = md5i_axes_of_angles(monster->look.pitch + monster->eyes.pitch,
                                             monster->look.yaw + monster->eyes.yaw, 0.0);
    const axes3 gaze = md5_axes_then(&turned, axes);
    const md5_vec3d ahead = md5_vec3d_scale(gaze.row[0], 64.0);
    const md5_vec3d left = md5_vec3d_scale(gaze.row[1], (double)monster->eye_horizontal);
    const bool is_as_meant = monster->desc.is_as_meant;
    const md5_vec3d to_eye = md5_vec3d_sub(
        monster->eye, is_as_meant || has_head ? of->origin : md5_vec3d_of(tick->origin));
    for (int i = 0; i < 2; i++) {
        if (monster->eye_joints[i] == MD5_NONE)
            continue;
        md5_joint_mod *const mod = &mods[monster->eye_joints[i]];
        const md5_vec3d away = md5_vec3d_add(ahead, md5_vec3d_scale(left, i == 0 ? 1.0 : -1.0));
        mod->position = monster->eyes_may_look ? MD5_MOD_WORLD_OVERRIDE : MD5_MOD_NONE;
        mod->axis = monster->eyes_may_look ? mod->axis : MD5_MOD_NONE;
        mod->translation = md5_vec3d_round(
            is_as_meant ? md5_into(md5_vec3d_add(to_eye, away), &of->axes)
                        : md5_vec3d_add(to_eye, has_head ? md5_into(away, &of->axes) : away));
    }
}

// Turns to what it looks at.
static void look(md5_monster *monster, const md5_monster_tick *tick, const world_place *from)
{
    const md5_vec3d goal = find_goal(monster, tick, from);
    monster->focus =
        md5_vec3d_add(monster->focus, md5_vec3d_scale(md5_vec3d_sub(goal, monster->focus),
                                                      (double)monster->eye_rate));
    const md5_vec3d way = md5_vec3d_sub(goal, monster->eye);
    const look_angles wanted = {
        .pitch = -md5_half_turn(md5i_pitch_of(md5_into(way, &from->axes))),
        .yaw = md5_half_turn(md5i_yaw_of(md5_vec3d_sub(goal, from->origin))
                             - md5i_yaw_of(from->axes.row[0])),
    };
    turn_eyes(monster, tick, wanted);
    turn_look(monster);
}

// Lets joints and eyes look where that has turned to.
static void set_look(md5_monster *monster, const md5_monster_tick *tick, const world_place *body,
                     const world_place *from)
{
    for (uint32_t i = 0; i < monster->num_look_joints; i++) {
        const look_joint *const part = &monster->look_joints[i];
        md5_joint_mod *const mod = &monster->mods[part->joint];
        mod->axis = MD5_MOD_WORLD;
        mod->rotation = turn_of(monster->look.pitch * (double)part->pitch,
                                monster->look.yaw * (double)part->yaw);
    }
    place_eyes(monster, body, tick, &from->axes);
}

// == Heads ========================================================================================

// What follows the body's joints: relative to its parent as there, or where it is in the world.
static void copy_joints(md5_monster *monster, const world_place *body)
{
    const md5_entity *const entity = monster->desc.entity;
    const md5_entity_part *const part = &entity->parts[0];
    for (uint32_t i = 0; i < part->num_copies; i++) {
        const md5_joint_copy *const copy = &part->copies[i];
        const md5_xform *const joint = &monster->body.places[copy->from];
        const uint32_t parent = entity->model->skeleton.joints[copy->from].parent;
        md5_xform local = *joint;
        if (parent != MD5_NONE)
            local = md5_xform_mul(md5_xform_inverse(monster->body.places[parent]), *joint);
        md5_joint_mod mod = {MD5_MOD_LOCAL_OVERRIDE, MD5_MOD_LOCAL_OVERRIDE, local.rotation,
                             local.translation};
        if (copy->is_model_space) {
            const world_place own = md5i_world_place(*joint);
            const axes3 world = md5_axes_then(&own.axes, &body->axes);
            const axes3 in_head = md5_axes_from(&world, &monster->head.axes);
            const md5_vec3d at = md5_through_place(joint->translation, body);
            mod.axis = mod.position = MD5_MOD_WORLD_OVERRIDE;
            mod.rotation = md5i_quat_of_axes(&in_head);
            mod.translation = md5_vec3d_round(
                md5_into(md5_vec3d_sub(at, monster->head.origin), &monster->head.axes));
        }
        monster->skull.mods[copy->to] = mod;
    }
}

// Where the neck is now. The engine adds "offsetModel" once too often, in the pose of the spawn.
static void place_head(md5_monster *monster, const world_place *body)
{
    const md5_entity *const entity = monster->desc.entity;
    md5_entity_part part = entity->parts[0];
    if (!monster->desc.is_as_meant)
        part.offset.translation = md5_vec3_add(
            part.offset.translation, md5_quat_rotate(part.offset.rotation, entity->model_offset));
    const md5_xform placed = md5_xform_mul(monster->body.places[part.joint], part.offset);
    const world_place own = md5i_world_place(placed);
    monster->head.axes = md5_axes_then(&own.axes, &body->axes);
    monster->head.origin = md5_through_place(placed.translation, body);
    monster->has_head_place = true;
}

// == Thinking =====================================================================================

void md5_monster_think(md5_monster *monster, const md5_monster_tick *tick)
{
    MD5_ASSERT_MONSTER_CHANGE(monster);
    MD5_ASSERT_NOT_NULL(tick);
    MD5_ASSERT_RESERVED(tick);
    md5_mark_callback(&monster->internal, MD5_CALLBACK);
    // What the memory of a crowd has to bring is asked for before clips are sampled.
    for (size_t line = 0; line < sizeof *monster; line += 64)
        MD5_PREFETCH((const char *)monster + line);
    for (uint32_t i = 0; i < monster->ik.num_legs; i++)
        MD5_PREFETCH(&monster->ik.legs[i]);
    for (uint32_t i = 0; i < monster->body.num_known; i++) {
        MD5_PREFETCH(&monster->mods[monster->body.known[i].joint]);
        MD5_PREFETCH(&monster->mods[monster->body.known[i].joint].translation.z);
    }
    world_place body =
        md5i_world_place((md5_xform){.rotation = tick->rotation, .translation = tick->origin});
    body.origin = md5_through_place(monster->desc.entity->model_offset, &body);
    md5i_clear_walk_ik(monster);
    place_known(&monster->body);
    if (monster->desc.head) {
        if (!monster->has_head_place)
            place_head(monster, &body);
        place_known(&monster->skull);
    }
    const world_place from = find_orientation(monster, tick, &body);
    find_eye(monster, tick, &body);
    if (monster->desc.head)
        copy_joints(monster, &body);
    // Angles have to wait for each other, and the legs for none of them: these come in between.
    look(monster, tick, &from);
    md5i_walk_ik(monster, tick, &body);
    set_look(monster, tick, &body, &from);
    if (monster->desc.head) {
        place_known(&monster->body);
        place_head(monster, &body);
    }
    // Frame commands of this time count from the next tick on.
    monster->eyes_may_look = monster->eyes_may_look_next;
    monster->ik.enabled = monster->next_enabled;
    monster->ik.is_valid &= !monster->is_next_invalid;
    monster->is_next_invalid = false;
    md5_mark_callback(&monster->internal, MD5_NO_CALLBACK);
}

void md5_monster_pose(md5_monster *monster, md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette)
{
    MD5_ASSERT_MONSTER_CHANGE(monster);
    write_pose(&monster->body, pose, joints, palette);
}

void md5_monster_head_pose(md5_monster *monster, md5_xform *pose, md5_mat34 *joints,
                           md5_mat34 *palette)
{
    MD5_ASSERT_MONSTER_CHANGE(monster);
    MD5_ASSERT(monster->desc.head != NULL, "monster: must have a head");
    write_pose(&monster->skull, pose, joints, palette);
}

md5_monster_status md5_monster_state(const md5_monster *monster)
{
    MD5_ASSERT_MONSTER(monster);
    const md5_walk_ik *const ik = &monster->ik;
    md5_monster_status status = {
        .eye_height = (float)monster->eye_height,
        .eye = md5_vec3d_round(monster->eye),
        .focus = md5_vec3d_round(monster->focus),
        .look = euler_of(monster->look),
        .look_goal = euler_of(monster->goal),
        .eyes = euler_of(monster->eyes),
        .align_time = monster->align_time,
        .force_time = monster->force_time,
        .focus_time = monster->focus_time,
        .head = {md5i_quat_of_axes(&monster->head.axes), md5_vec3d_round(monster->head.origin),
                 0.0f},
        .num_legs = ik->num_legs,
        .enabled_legs = (uint32_t)ik->enabled,
        .is_standing = ik->is_valid != 0,
        .waist_height = (float)ik->old_waist,
        .waist_offset = md5_vec3d_round(ik->waist_offset),
    };
    for (uint32_t i = 0; i < ik->num_legs; i++)
        status.ankle_heights[i] = (float)ik->old_ankles[i];
    return status;
}

// == Saving =======================================================================================

enum { MOD_WORDS = sizeof(md5_joint_mod) / sizeof(float), HEAD_SIZE = 16 };
#define MAX_SAVED 1e15f  // of coordinates and angles
#define MAX_SQUARE 1.001 // of the length of saved rotations and axes
#define FIRST_WORD offsetof(md5_monster, ik.enabled)
static_assert(sizeof(md5_monster) - FIRST_WORD == 54 * sizeof(double),
              "saved members must have eight bytes: see keep_monster()");
#define MONSTER_MAGIC UINT64_C(0x014D35444D) // "MD5M" and the version

size_t md5_monster_save_size(const md5_monster *monster)
{
    MD5_ASSERT_MONSTER(monster);
    return HEAD_SIZE + sizeof *monster - FIRST_WORD + sizeof *monster->mods * monster->num_mods;
}

// Returns true if a saved mod can be used: modes that exist, a position that is not too far away
// and a rotation that lengthens nothing. A longer one could overflow at the end of a chain of
// joints.
static bool is_possible_mod(const md5_joint_mod *mod)
{
    const double x = (double)mod->rotation.x;
    const double y = (double)mod->rotation.y;
    const double z = (double)mod->rotation.z;
    const double w = (double)mod->rotation.w;
    const bool has_modes = (uint32_t)mod->axis <= MD5_MOD_WORLD_OVERRIDE
                           && (uint32_t)mod->position <= MD5_MOD_WORLD_OVERRIDE;
    const bool is_near = fabsf(mod->translation.x) <= MAX_SAVED
                         && fabsf(mod->translation.y) <= MAX_SAVED
                         && fabsf(mod->translation.z) <= MAX_SAVED;
    return has_modes && is_near && x * x + y * y + z * z + w * w <= MAX_SQUARE;
}

// Returns true if no row of the axes lengthens a vector. Before the first tick they are zero.
static bool are_possible_axes(const axes3 *axes)
{
    bool are_possible = true;
    for (int i = 0; i < 3; i++)
        are_possible &= md5_vec3d_dot(axes->row[i], axes->row[i]) <= MAX_SQUARE;
    return are_possible;
}

static bool has_possible_legs(const md5_monster *monster)
{
    const md5_walk_ik *const ik = &monster->ik;
    const bool has_pivot = ik->pivot_foot == 0 || ik->pivot_foot < ik->num_legs;
    return has_pivot && (ik->enabled | monster->next_enabled) >> ik->num_legs == 0;
}

// Mods are read into mods[num_mods], or not if that is NULL.
static bool keep_monster(md5_kept_state *archive, md5_monster *monster, md5_joint_mod *mods)
{
    bool is_valid = true;
    for (size_t place = FIRST_WORD; place < sizeof *monster; place += sizeof(double)) {
        double number;
        md5_keep_64(archive, (char *)monster + place);
        memcpy(&number, (char *)monster + place, sizeof number);
        const bool is_real = place >= offsetof(md5_monster, ik.old_waist)
                             && place < offsetof(md5_monster, focus_time);
        is_valid &= !is_real || fabs(number) <= (double)MAX_SAVED;
    }
    for (uint32_t i = 0; i < monster->num_mods; i++) {
        md5_joint_mod mod = monster->mods[i];
        for (size_t k = 0; k < MOD_WORDS; k++)
            md5_keep_32(archive, (char *)&mod + sizeof(float) * k);
        is_valid &= is_possible_mod(&mod);
        if (mods)
            mods[i] = mod;
    }
    return is_valid && are_possible_axes(&monster->head.axes) && has_possible_legs(monster);
}

static uint64_t counts_of(const md5_monster *monster)
{
    return (uint64_t)monster->num_mods << 32 | monster->ik.num_legs;
}

void md5_monster_save(const md5_monster *monster, void *bytes)
{
    MD5_ASSERT_MONSTER(monster);
    MD5_ASSERT_NOT_NULL(bytes);
    md5_kept_state archive = {.to = (unsigned char *)bytes};
    uint64_t head[2] = {MONSTER_MAGIC, counts_of(monster)};
    md5_monster copy = *monster;
    md5_keep_64(&archive, &head[0]);
    md5_keep_64(&archive, &head[1]);
    (void)keep_monster(&archive, &copy, NULL);
}

bool md5_monster_restore(md5_monster *monster, const void *bytes, size_t size, md5_error *error)
{
    if (!monster)
        return md5i_fail_missing(error, "monster");
    MD5_ASSERT_MONSTER_CHANGE(monster);
    MD5_ASSERT(bytes != NULL || size == 0, "bytes: must not be NULL");
    md5_kept_state archive = {.from = (const unsigned char *)bytes};
    uint64_t head[2] = {0, 0};
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, error);
    if (size >= HEAD_SIZE) {
        md5_keep_64(&archive, &head[0]);
        md5_keep_64(&archive, &head[1]);
    }
    if (head[0] != MONSTER_MAGIC)
        return MD5_FAIL(&context, MD5_ERROR_SYNTAX,
                        "not a saved monster: found %zu bytes of other or truncated data", size);
    const size_t wanted = md5_monster_save_size(monster);
    if (head[1] != counts_of(monster) || size != wanted)
        return MD5_FAIL(&context, MD5_ERROR_MISMATCH,
                        "saved monster has other joints or legs: expected %zu bytes, found %zu",
                        wanted, size);
    md5_monster read = *monster;
    md5_kept_state again = archive;
    if (!keep_monster(&archive, &read, NULL))
        return MD5_FAIL(&context, MD5_ERROR_RANGE,
                        "invalid saved monster: a value is out of range");
    (void)keep_monster(&again, &read, monster->mods);
    *monster = read;
    (void)md5_monster_mods(monster); // any may be set
    return true;
}

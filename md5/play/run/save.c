// Saving and restoring a player. What follows from the machine, from the parameters or from a clock
// is not saved, but computed again: weights, rates, the root's position in its clips. Nor is what
// lives only within a step.
#include "md5/core/assert.h"
#include "md5/play/run/save_parts.h"

#include <float.h>
#include <string.h>

// "M5PS" in the file. The version grows with each change of what follows; older ones down to OLDEST
// are read. 3: the fades of one-shots have curves. 4: feet are held; players of machines without
// such feet have no bytes of that. 5: so are their headings. 6: frozen poses and offsets have a
// velocity of the root; of a spring that a parameter follows by, it is that when its goal was set.
enum { MAGIC = 0x5350354d, OLDEST = 2, VERSION = 6 };

// Farther from its parent than any joint can be.
#define FARTHEST 1e30f

// Units a second: far more than any, so little that the longest step leads to a float.
#define MOST_ROOT_VELOCITY 1e24

// Members of a group follow its clock: they may only be past a border of a cycle already.
enum { FARTHEST_AHEAD = 2 };

static bool keep_vector(md5_archive *archive, md5_vec3 *vector, float most, const char *what)
{
    TRY(md5i_keep_float(archive, &vector->x, -most, most, what));
    TRY(md5i_keep_float(archive, &vector->y, -most, most, what));
    return md5i_keep_float(archive, &vector->z, -most, most, what);
}

static bool is_unit(md5_quat q)
{
    const float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    return square > 0.999f && square < 1.001f;
}

static bool keep_transform(md5_archive *archive, md5_xform *transform)
{
    md5_xform kept = *transform;
    md5_quat *const q = &kept.rotation;
    TRY(md5i_keep_float(archive, &q->x, -2.0f, 2.0f, "a rotation of a pose"));
    TRY(md5i_keep_float(archive, &q->y, -2.0f, 2.0f, "a rotation of a pose"));
    TRY(md5i_keep_float(archive, &q->z, -2.0f, 2.0f, "a rotation of a pose"));
    TRY(md5i_keep_float(archive, &q->w, -2.0f, 2.0f, "a rotation of a pose"));
    TRY(keep_vector(archive, &kept.translation, FARTHEST, "a position in a pose"));
    if (archive->mode == MD5_ARCHIVE_CHECK && !is_unit(*q))
        return md5i_archive_fail(archive, MD5_ERROR_RANGE,
                                 "a rotation of a pose is not a unit quaternion");
    kept.pad = 0.0f;
    if (archive->mode == MD5_ARCHIVE_STORE)
        *transform = kept;
    return true;
}

static bool keep_offset(md5_archive *archive, md5_offset *offset)
{
    md5_offset kept = *offset;
    TRY(keep_vector(archive, &kept.turn, 1.001f, "the turn of an offset"));
    TRY(md5i_keep_float(archive, &kept.turn_rate, MD5_FASTEST_DECAY, 0.0f,
                        "the rate of an offset"));
    TRY(keep_vector(archive, &kept.move, FARTHEST, "an offset"));
    TRY(md5i_keep_float(archive, &kept.move_rate, MD5_FASTEST_DECAY, 0.0f,
                        "the rate of an offset"));
    if (archive->mode == MD5_ARCHIVE_STORE)
        *offset = kept;
    return true;
}

static bool keep_velocity(md5_archive *archive, md5_velocity *velocity)
{
    md5_velocity kept = *velocity;
    TRY(keep_vector(archive, &kept.angular, FARTHEST, "a velocity"));
    TRY(keep_vector(archive, &kept.linear, FARTHEST, "a velocity"));
    if (archive->mode == MD5_ARCHIVE_STORE)
        *velocity = kept;
    return true;
}

// -- One state --------------------------------------------------------------------------------

static bool keep_group(md5_archive *archive, md5_clock *group)
{
    md5_clock kept = *group;
    TRY(md5i_keep_int64(archive, &kept.cycle, -MD5_MOST_CYCLES, MD5_MOST_CYCLES, "a cycle"));
    TRY(md5i_keep_double(archive, &kept.phase, 0.0, MD5_BELOW_ONE, "a phase"));
    if (archive->mode == MD5_ARCHIVE_STORE)
        *group = kept;
    return true;
}

// The cycle is saved relative to `base`: of a member, its group's.
static bool keep_instance(md5_archive *archive, md5_play_mode mode, const md5_clock *group,
                          md5_clip_instance *instance)
{
    const bool is_once = mode == MD5_PLAY_ONCE, is_read = archive->mode != MD5_ARCHIVE_WRITE;
    const int64_t most = is_once ? 0 : group ? FARTHEST_AHEAD : MD5_MOST_CYCLES;
    const int64_t base = group && archive->mode != MD5_ARCHIVE_CHECK ? group->cycle : 0;
    md5_clock now = {0};
    if (!is_read)
        now = instance->now;
    int64_t ahead = now.cycle - base;
    bool is_at_start =
        !is_read && instance->is_at_start && md5_clock_stays_whole(instance->before, instance->now);
    double seconds_at_end = is_read ? 0.0 : instance->seconds_at_end;
    TRY(md5i_keep_int64(archive, &ahead, -most, most, "a cycle"));
    TRY(md5i_keep_double(archive, &now.phase, 0.0, is_once ? 1.0 : MD5_BELOW_ONE, "a phase"));
    TRY(md5i_keep_bool(archive, &is_at_start, "whether a clip is at its start"));
    if (is_once)
        TRY(md5_keep_time(archive, &seconds_at_end, "the time at the end of a clip"));
    TRY(md5_check_start(archive, is_at_start, now));
    if (archive->mode != MD5_ARCHIVE_STORE)
        return true;
    now.cycle = base + ahead;
    instance->before = instance->now = now;
    instance->is_at_start = is_at_start;
    instance->seconds_at_end = seconds_at_end;
    instance->root.clock.phase = -1.0; // invalid
    return true;
}

static bool keep_clocks(md5_archive *archive, const md5_machine *machine, md5_active_state *active,
                        int32_t number)
{
    if (number < 0)
        return true;
    const md5_blend_tree *const tree = &machine->trees[number];
    for (uint32_t i = 0; i < tree->num_groups; i++)
        TRY(keep_group(archive, &active->groups[i]));
    for (uint32_t i = 0; i < tree->num_instances; i++) {
        const md5_instance_plan *const plan = &machine->instances[tree->first_instance + i];
        const md5_play_mode mode = machine->playables[plan->playable].mode;
        const md5_clock *const group = plan->group < 0 ? NULL : &active->groups[plan->group];
        TRY(keep_instance(archive, mode, group, &active->instances[i]));
    }
    return true;
}

// is_above: others are below it, over which it fades in.
static bool keep_active(md5_archive *archive, const md5_machine *machine,
                        const md5_play_layer *layer, bool is_above, md5_active_state *active)
{
    md5_active_state kept = *active;
    // The machine's curves are numbered behind the easings without numbers.
    const uint32_t first_curve = MD5_LAST_FADE_EASING + 1;
    uint32_t easing = kept.easing, interrupt = kept.interrupt;
    if (archive->mode == MD5_ARCHIVE_WRITE && kept.curve)
        easing = first_curve + (uint32_t)(kept.curve - machine->curves);
    const uint32_t last = layer->num_states - 1;
    TRY(md5i_keep_uint(archive, &kept.state, 0, last, "a state"));
    TRY(md5i_keep_int(archive, &kept.from, -1, (int32_t)last, "the source of a transition"));
    TRY(md5i_keep_uint(archive, &easing, 0, MD5_LAST_FADE_EASING + (uint32_t)machine->num_curves,
                       "an easing"));
    TRY(md5i_keep_uint(archive, &interrupt, 0, MD5_INTERRUPT_NONE, "an interruption"));
    TRY(md5i_keep_int(archive, &kept.priority, INT32_MIN, INT32_MAX, "a priority"));
    TRY(md5_keep_time(archive, &kept.elapsed, "the time of a transition"));
    TRY(md5_keep_time(archive, &kept.duration, "the duration of a transition"));
    TRY(md5i_keep_bool(archive, &kept.fades, "whether a state fades in"));
    TRY(md5i_keep_bool(archive, &kept.is_new, "whether a state is new"));
    TRY(md5i_keep_double(archive, &kept.start_time, -DBL_MAX, DBL_MAX, "the start of a state"));
    if (archive->mode == MD5_ARCHIVE_CHECK && is_above && !(kept.fades && kept.duration > 0.0))
        return md5i_archive_fail(archive, MD5_ERROR_RANGE, "a state covers others without a fade");
    kept.curve = easing >= first_curve ? &machine->curves[easing - first_curve] : NULL;
    kept.easing = kept.curve ? MD5_EASE_LINEAR : (md5_easing)easing;
    kept.interrupt = (md5_interrupt)interrupt;
    kept.tree = machine->states[layer->first_state + kept.state].tree;
    if (archive->mode == MD5_ARCHIVE_STORE)
        *active = kept;
    return keep_clocks(archive, machine, active, kept.tree);
}

// -- One layer --------------------------------------------------------------------------------

// Sums of rows are far below this.
#define MOST_MORPH_WEIGHT 1e30f

static bool keep_morphs(md5_archive *archive, const md5_machine *machine, float *weights)
{
    for (uint32_t i = 0; i < machine->num_morphs; i++) {
        float kept = weights[i];
        TRY(md5i_keep_float(archive, &kept, -MOST_MORPH_WEIGHT, MOST_MORPH_WEIGHT,
                            "the weight of a morph"));
        if (archive->mode == MD5_ARCHIVE_STORE)
            weights[i] = kept;
    }
    return true;
}

static bool keep_root(md5_archive *archive, md5_root_velocity *velocity)
{
    const double most = MOST_ROOT_VELOCITY;
    if (archive->version < 6)
        *velocity = (md5_root_velocity){{0.0}};
    for (int i = 0; archive->version >= 6 && i < 4; i++)
        TRY(md5i_keep_double(archive, &velocity->v[i], -most, most, "a velocity of the root"));
    return true;
}

static bool keep_frozen(md5_archive *archive, const md5_machine *machine, uint32_t count,
                        md5_layer_state *kept)
{
    if (!kept->has_snapshot)
        return true;
    TRY(md5i_keep_float(archive, &kept->coverage, 0.0f, 1.0f, "the coverage of a frozen pose"));
    for (uint32_t i = 0; kept->coverage > 0.0f && i < count; i++)
        TRY(keep_transform(archive, &kept->snapshot[i]));
    TRY(keep_root(archive, &kept->frozen_root));
    return keep_morphs(archive, machine, kept->frozen_morphs);
}

// The velocities of the old pose matter only until time has passed: see md5i_begin_offsets().
static bool keep_offsets(md5_archive *archive, const md5_machine *machine, uint32_t count,
                         md5_layer_state *kept)
{
    if (!kept->has_offsets)
        return true;
    TRY(md5_keep_time(archive, &kept->settling.elapsed, "the time of offsets"));
    TRY(md5_keep_time(archive, &kept->settling.duration, "the duration of offsets"));
    for (uint32_t i = 0; i < count; i++)
        TRY(keep_offset(archive, &kept->offsets[i]));
    const bool is_begun = kept->settling.elapsed > (archive->version < 6 ? 0.0 : MD5_BORDER);
    if (is_begun)
        kept->settling.elapsed = fmax(kept->settling.elapsed, 2.0 * MD5_BORDER);
    for (uint32_t i = 0; !is_begun && i < count; i++)
        TRY(keep_velocity(archive, &kept->velocities[i]));
    TRY(keep_root(archive, &kept->root_velocity));
    TRY(keep_root(archive, &kept->root_offset));
    return keep_morphs(archive, machine, kept->morph_offsets);
}

// Slots are written in the order of the chain.
static bool keep_layer(md5_archive *archive, const md5_machine *machine,
                       const md5_play_layer *layer, md5_layer_state *layer_state)
{
    md5_layer_state kept = *layer_state;
    uint32_t num_used = kept.num_used;
    const uint32_t count = md5_blended_joints(machine, layer);
    TRY(md5i_keep_bool(archive, &kept.has_snapshot, "whether there is a frozen pose"));
    TRY(md5i_keep_bool(archive, &kept.has_offsets, "whether there are offsets"));
    TRY(md5i_keep_bool(archive, &kept.is_resting, "whether a layer rests"));
    TRY(md5i_keep_bool(archive, &kept.is_entered, "whether a state is entered"));
    TRY(md5i_keep_int(archive, &kept.entered, -1, (int32_t)layer->num_states - 1,
                      "the state that is entered"));
    TRY(md5i_keep_uint(archive, &num_used, 1, MD5_MAX_ACTIVE - (uint32_t)kept.has_snapshot,
                       "the number of active states"));
    TRY(keep_frozen(archive, machine, count, &kept));
    TRY(keep_offsets(archive, machine, count, &kept));
    if (archive->mode == MD5_ARCHIVE_STORE) {
        kept.num_used = (uint8_t)num_used;
        for (uint32_t i = 0; i < MD5_SLOTS; i++)
            kept.order[i] = (uint8_t)i;
        *layer_state = kept;
    }
    for (uint32_t i = 0; i < num_used; i++) {
        md5_active_state *const active = archive->mode == MD5_ARCHIVE_WRITE
                                             ? md5_active_at(layer_state, i)
                                             : md5_slot(layer_state, i);
        TRY(keep_active(archive, machine, layer, i > 0 || kept.has_snapshot, active));
    }
    return true;
}

// -- The player -------------------------------------------------------------------------------

static bool keep_parameter(md5_archive *archive, md5_parameter_kind kind, float *parameter)
{
    float kept = *parameter;
    const bool is_float = kind == MD5_PARAMETER_FLOAT;
    TRY(md5i_keep_float(archive, &kept, is_float ? -FLT_MAX : 0.0f, is_float ? FLT_MAX : 1.0f,
                        "a parameter"));
    if (archive->mode == MD5_ARCHIVE_CHECK && !is_float && kept != 0.0f && kept != 1.0f)
        return md5i_archive_fail(archive, MD5_ERROR_RANGE, "a bool or trigger is neither 0 nor 1");
    if (archive->mode == MD5_ARCHIVE_STORE)
        *parameter = kept;
    return true;
}

static bool keep_following(md5_archive *archive, const md5_player *player, uint32_t row)
{
    md5_following *const following = &player->followings[row], kept = *following;
    const float most = FLT_MAX;
    TRY(md5i_keep_float(archive, &kept.goal, -most, most, "what a parameter follows"));
    TRY(md5i_keep_float(archive, &kept.velocity, -most, most, "the velocity of a parameter"));
    TRY(md5i_keep_float(archive, &kept.from, -most, most, "where a parameter began"));
    TRY(md5i_keep_double(archive, &kept.elapsed, 0.0, DBL_MAX, "the time of a parameter"));
    const md5_machine_desc *const tables = &player->machine->tables;
    // The parameters are restored already.
    if (archive->version < 6 && tables->follows[row].kind == MD5_FOLLOW_SPRING) {
        kept.from =
            player->parameters[md5_find_parameter(player->machine, tables->follows[row].parameter)];
        kept.elapsed = 0.0;
    }
    if (archive->mode == MD5_ARCHIVE_STORE)
        *following = kept;
    return true;
}

static bool keep_motion(md5_archive *archive, md5_root_delta *motion)
{
    const double most = (double)FLT_MAX;
    TRY(md5i_keep_double(archive, &motion->x, -most, most, "the motion of the root"));
    TRY(md5i_keep_double(archive, &motion->y, -most, most, "the motion of the root"));
    TRY(md5i_keep_double(archive, &motion->z, -most, most, "the motion of the root"));
    TRY(md5i_keep_double(archive, &motion->cosine, -1.001, 1.001, "the rotation of the root"));
    return md5i_keep_double(archive, &motion->sine, -1.001, 1.001, "the rotation of the root");
}

// Members of the player itself, which `kept` is a copy of.
static bool keep_members(md5_archive *archive, md5_player *kept)
{
    TRY(md5i_keep_bool(archive, &kept->is_settled, "whether a player is settled"));
    TRY(md5i_keep_bool(archive, &kept->is_weighed, "whether a player is weighed"));
    TRY(md5i_keep_bool(archive, &kept->is_backward, "the direction of time"));
    TRY(md5_keep_time(archive, &kept->since_pose, "the time since the last pose"));
    TRY(keep_motion(archive, &kept->motion));
    if (kept->machine->num_soles > 0)
        TRY(keep_motion(archive, &kept->walked));
    TRY(md5i_keep_uint(archive, &kept->status.num_events, 0, UINT32_MAX, "a number of events"));
    TRY(md5i_keep_uint64(archive, &kept->status.num_dropped));
    return md5i_keep_double(archive, &kept->status.undivided, -1e6, 1e6, "an undivided time");
}

// Targets may move joints anywhere.
static bool is_sound(const md5_xform *pose, uint32_t num_joints)
{
    for (uint32_t i = 0; i < num_joints; i++) {
        const md5_vec3 t = pose[i].translation;
        if (!is_unit(pose[i].rotation) || !(t.x >= -FARTHEST && t.x <= FARTHEST)
            || !(t.y >= -FARTHEST && t.y <= FARTHEST) || !(t.z >= -FARTHEST && t.z <= FARTHEST))
            return false;
    }
    return true;
}

// A kept pose that is not sound is not saved: the next one is computed.
static bool keep_detail(md5_archive *archive, const md5_player *player, md5_detail_state *kept)
{
    const md5_machine *const machine = player->machine;
    const int32_t last = (int32_t)machine->tables.num_masks - 1;
    TRY(md5i_keep_int(archive, &kept->mask, -1, last, "the mask of a level of detail"));
    TRY(md5i_keep_uint(archive, &kept->interval, 1, UINT32_MAX, "the interval of poses"));
    TRY(md5i_keep_uint(archive, &kept->phase, 0, kept->interval - 1, "the phase of poses"));
    TRY(md5i_keep_uint(archive, &kept->num_calls, 0, UINT32_MAX, "the number of poses"));
    TRY(md5i_keep_uint(archive, &kept->age, 0, UINT32_MAX, "the age of a pose"));
    if (archive->mode == MD5_ARCHIVE_WRITE)
        kept->is_kept = kept->is_kept && is_sound(player->kept, machine->num_joints);
    TRY(md5i_keep_bool(archive, &kept->is_kept, "whether there is a pose"));
    for (uint32_t i = 0; kept->is_kept && i < machine->num_joints; i++)
        TRY(keep_transform(archive, &player->kept[i]));
    return true;
}

static bool keep_head(md5_archive *archive, const md5_machine *machine)
{
    uint32_t magic = MAGIC, version = VERSION;
    uint64_t fingerprint = machine->fingerprint;
    TRY(md5i_keep_uint(archive, &magic, 0, UINT32_MAX, "the first word"));
    if (magic != MAGIC)
        return md5i_archive_fail(archive, MD5_ERROR_SYNTAX, "these are not the bytes of a player");
    TRY(md5i_keep_uint(archive, &version, 0, UINT32_MAX, "the version"));
    TRY(md5i_keep_uint64(archive, &fingerprint));
    if (version < OLDEST || version > VERSION)
        return md5i_fail(archive->context, MD5_ERROR_MISMATCH, 0, 0,
                         "the player was saved in version %u of the format, but versions %d to %d "
                         "can be read",
                         version, OLDEST, VERSION);
    archive->version = version;
    if (fingerprint != machine->fingerprint)
        return md5i_fail(archive->context, MD5_ERROR_MISMATCH, 0, 0,
                         "the player was saved with another machine than %s: its fingerprint is "
                         "%016llx, not %016llx",
                         md5i_quote(machine->tables.name, strlen(machine->tables.name)).text,
                         (unsigned long long)fingerprint, (unsigned long long)machine->fingerprint);
    return true;
}

// Everything but the members, which go into `kept`.
static bool keep_player(md5_archive *archive, const md5_player *player, md5_player *kept)
{
    const md5_machine *const machine = player->machine;
    const md5_machine_desc *const tables = &machine->tables;
    TRY(keep_head(archive, machine));
    TRY(keep_members(archive, kept));
    TRY(keep_detail(archive, player, &kept->detail));
    for (uint32_t i = 0; i < tables->num_parameters; i++)
        TRY(keep_parameter(archive, tables->parameters[i].kind, &player->parameters[i]));
    for (uint32_t i = 0; i < tables->num_follows; i++)
        TRY(keep_following(archive, player, i));
    for (uint32_t i = 0; i < tables->num_modifiers; i++)
        TRY(md5i_keep_modifier(archive, player, i));
    for (uint32_t i = 0; i < tables->num_layers; i++)
        TRY(keep_layer(archive, machine, &machine->layers[i], &player->layer_states[i]));
    for (uint32_t i = 0; i < machine->num_slots; i++)
        TRY(md5i_keep_slot(archive, machine, &player->slots[i]));
    return true;
}

size_t md5_player_save_size(const md5_player *player)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    md5_archive archive = {.mode = MD5_ARCHIVE_WRITE};
    md5_player kept = *player;
    keep_player(&archive, player, &kept);
    return archive.used;
}

size_t md5_player_save(const md5_player *player, void *bytes, size_t size)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    MD5_ASSERT(bytes != NULL, "bytes: not NULL");
    md5_archive archive = {.mode = MD5_ARCHIVE_WRITE, .to = (uint8_t *)bytes, .size = size};
    md5_player kept = *player;
    return keep_player(&archive, player, &kept) ? archive.used : 0;
}

// What is not saved.
static void complete(md5_player *player)
{
    const md5_machine_desc *const tables = &player->machine->tables;
    player->has_consumed = false;
    player->has_new = true; // at most, none is found
    if (tables->num_parameters > 0)
        memset(player->consumed, 0, tables->num_parameters * sizeof *player->consumed);
    player->num_shots = 0;
    for (uint32_t i = 0; i < player->machine->num_slots; i++)
        player->num_shots += player->slots[i].num_shots;
    for (uint32_t i = 0; i < tables->num_layers; i++) {
        md5_layer_state *const layer_state = &player->layer_states[i];
        for (uint32_t k = 0; k < layer_state->num_used; k++)
            md5i_weigh_state(player, md5_active_at(layer_state, k));
    }
}

bool md5_player_restore(md5_player *player, const void *bytes, size_t size, md5_error *error)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    MD5_ASSERT(bytes != NULL || size == 0, "bytes: not NULL");
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, error);
    md5_player kept = *player;
    md5_archive archive = {.mode = MD5_ARCHIVE_CHECK,
                           .from = (const uint8_t *)bytes,
                           .size = size,
                           .context = &context};
    TRY(keep_player(&archive, player, &kept));
    if (archive.used != size)
        return md5i_archive_fail(&archive, MD5_ERROR_SYNTAX, "more bytes follow");
    archive.mode = MD5_ARCHIVE_STORE;
    archive.used = 0;
    keep_player(&archive, player, &kept);
    *player = kept;
    complete(player);
    return true;
}

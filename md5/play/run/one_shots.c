// One-shots: played and stopped by a game, and their weights. A slot holds the newest one and those
// that it replaces, which fade out as it fades in. Each has a weight that only depends on its own
// time; layers.c blends those of one slot so that each joint has these shares.
#include "md5/play/run/player_state.h"

// -- Weights ----------------------------------------------------------------------------------

// Progress of the fade before the end, `shift` seconds from now.
static double ending_progress(const md5_player *player, const md5_one_shot *one_shot, double shift)
{
    if (one_shot->end != MD5_ONE_SHOT_ENDS || one_shot->rate == 0 || one_shot->next != MD5_NONE)
        return 0;
    const double moved = one_shot->rate * (player->is_backward ? -shift : shift);
    const double phase = fmin(fmax(one_shot->now.phase + moved, 0.0), 1.0);
    const double left = md5_cycles_left(one_shot, phase);
    if (left <= MD5_BORDER)
        return one_shot->fade_out > 0 ? 1 : 0; // without a fade it is all there up to its end
    return 1 - md5_progress_of(left / fabs(one_shot->rate), one_shot->fade_out);
}

static float left_of_stop(const md5_one_shot *one_shot, double shift)
{
    if (!one_shot->is_stopping)
        return one_shot->left;
    const double progress =
        md5_progress_of(one_shot->stopping.elapsed + shift, one_shot->stopping.duration);
    return one_shot->left * (1 - md5_eased_weight(&one_shot->stop_curve, progress));
}

float md5i_one_shot_weight(const md5_player *player, const md5_one_shot *one_shot, double shift,
                           double least)
{
    const double begun =
        md5_progress_of(one_shot->fade_in.elapsed + shift, one_shot->fade_in.duration);
    const double ending = fmin(ending_progress(player, one_shot, shift), 1 - least);
    // A curve of steps may jump at 0: until the fade before the end begins it does not count.
    const float left_of_ending =
        ending > 0 ? 1 - md5_eased_weight(&one_shot->fade_out_curve, ending) : 1;
    return one_shot->weight * md5_eased_weight(&one_shot->fade_in_curve, fmax(begun, least))
           * left_of_ending * left_of_stop(one_shot, shift);
}

float md5i_one_shot_share(float share, float covered)
{
    const float rest = 1 - covered;
    if (share < rest)
        return share / rest;
    return share > 0 ? 1 : 0;
}

// -- Sections ---------------------------------------------------------------------------------

// Returns the start or end position of a section, or with MD5_NONE of the clip, in playback
// direction.
static double border_of(const md5_machine *machine, const md5_one_shot *one_shot, uint32_t section,
                        bool is_end)
{
    const bool is_last = is_end == (one_shot->rate >= 0);
    if (section == MD5_NONE)
        return is_last ? 1 : 0;
    const md5_section *const row = &machine->tables.clips[one_shot->source].sections[section];
    return (double)(is_last ? row->last : row->first)
           / md5_timing_intervals(md5_one_shot_timing(machine, one_shot));
}

double md5i_section_left(const md5_machine *machine, const md5_one_shot *one_shot)
{
    if (one_shot->section == MD5_NONE && one_shot->next == MD5_NONE)
        return INFINITY;
    const double left = border_of(machine, one_shot, one_shot->section, true) - one_shot->now.phase;
    return one_shot->rate < 0 ? -left : left;
}

void md5i_end_section(md5_player *player, md5_one_shot *one_shot)
{
    one_shot->section = one_shot->next;
    one_shot->next = one_shot->repeats ? one_shot->next : MD5_NONE;
    const double begin = border_of(player->machine, one_shot, one_shot->section, false);
    if (one_shot->section == MD5_NONE || fabs(begin - one_shot->now.phase) <= 2 * MD5_BORDER)
        return; // it goes on where it is
    one_shot->now.phase = begin;
    one_shot->before = one_shot->now;
    one_shot->is_new = one_shot->is_at_start = player->has_new = true;
    player->is_settled = false;
}

bool md5_player_one_shot_section(md5_player *player, uint32_t slot, const char *section,
                                 md5_section_change change)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    MD5_ASSERT((unsigned)change <= MD5_SECTION_LEAVE,
               "change: must be a value of md5_section_change");
    const md5_machine *const machine = player->machine;
    md5_one_shot *const one_shot =
        slot < machine->num_slots ? md5_newest_one_shot(player, slot) : NULL;
    if (!one_shot || one_shot->end == MD5_ONE_SHOT_LOOPS)
        return false;
    const bool leaves = change == MD5_SECTION_LEAVE;
    const uint32_t next = leaves ? MD5_NONE : md5i_find_section(machine, one_shot->source, section);
    if (next == MD5_NONE && !leaves)
        return false;
    one_shot->next = next;
    one_shot->repeats = change == MD5_SECTION_LOOP;
    player->is_settled =
        player->is_settled && machine->tables.num_one_shots == 0; // it may make room
    if (!leaves
        && (change == MD5_SECTION_JUMP || md5i_section_left(machine, one_shot) <= MD5_BORDER))
        md5i_end_section(player, one_shot);
    return true;
}

// -- What a game does -------------------------------------------------------------------------

static void stop(md5_one_shot *one_shot, double duration, md5_easing curve)
{
    if (one_shot->is_stopping
        && one_shot->stopping.duration - one_shot->stopping.elapsed <= duration)
        return;
    one_shot->left = left_of_stop(one_shot, 0);
    one_shot->is_stopping = true;
    one_shot->stop_curve = curve;
    one_shot->stopping = (md5_fade_time){0, duration};
}

// A number of a description, of which 0 means 1.
static float or_one(float value)
{
    if (value == MD5_EXPLICIT_ZERO)
        return 0;
    return value == 0 ? 1 : value;
}

static bool is_curve_in_range(const md5_easing *curve)
{
    if (curve->kind == MD5_EASE_CUBIC_BEZIER)
        return curve->x1 >= 0 && curve->x1 <= 1 && curve->x2 >= 0 && curve->x2 <= 1
               && isfinite(curve->y1) && isfinite(curve->y2);
    const uint32_t least = curve->jump == MD5_JUMP_NONE ? 2 : 1;
    return curve->kind != MD5_EASE_STEPS
           || (curve->steps >= least && curve->steps <= MD5_MAX_EASE_STEPS);
}

// Without the numbers that its easing does not use: bytes of saved players depend on nothing else.
static md5_easing curve_of(const md5_easing *curve)
{
    if (curve->kind == MD5_EASE_STEPS)
        return (md5_easing){.kind = curve->kind, .steps = curve->steps, .jump = curve->jump};
    if (curve->kind != MD5_EASE_CUBIC_BEZIER)
        return (md5_easing){.kind = curve->kind};
    return (md5_easing){
        .kind = curve->kind, .x1 = curve->x1, .y1 = curve->y1, .x2 = curve->x2, .y2 = curve->y2};
}

static bool make_one_shot(const md5_machine *machine, uint32_t slot, uint32_t clip,
                          const md5_one_shot_desc *from, md5_one_shot *one_shot)
{
    const md5_one_shot_desc placed = md5_placed_one_shot(machine, slot, *from);
    const md5_one_shot_desc *const desc = &placed;
    *one_shot = (md5_one_shot){
        .source = clip,
        .mode = desc->mode,
        .end = desc->section && desc->end == MD5_ONE_SHOT_LOOPS ? MD5_ONE_SHOT_ENDS : desc->end,
        .fade_in_curve = curve_of(&desc->fade_in_easing),
        .fade_out_curve = curve_of(&desc->fade_out_easing),
        .weight = or_one(desc->weight),
        .left = 1,
        .is_new = true,
        .is_at_start = true,
        .fade_out = md5i_decimal_of(desc->fade_out),
        .fade_in = {.duration = md5i_decimal_of(desc->fade_in)},
        .section = md5i_find_section(machine, clip, desc->section),
        .row = md5_find_one_shot(machine, desc->name),
        .repeats = desc->section && desc->end == MD5_ONE_SHOT_LOOPS,
    };
    one_shot->next = one_shot->repeats ? one_shot->section : MD5_NONE;
    if (!(or_one(desc->weight) >= 0 && or_one(desc->weight) <= 1 && isfinite(desc->speed)
          && desc->start >= 0 && desc->start <= 1 && desc->fade_in >= 0 && desc->fade_in <= 1e6f
          && desc->fade_out >= 0 && desc->fade_out <= 1e6f
          && is_curve_in_range(&desc->fade_in_easing) && is_curve_in_range(&desc->fade_out_easing)))
        return false;
    const uint32_t layer = md5_find_layer(machine, desc->layer);
    const uint32_t reference = md5_find_clip(machine, desc->reference);
    one_shot->mask = md5i_find_mask(machine, desc->mask);
    one_shot->num_below = layer == MD5_NONE ? machine->tables.num_layers : layer + 1;
    one_shot->reference = reference == MD5_NONE ? clip : reference;
    one_shot->reference_frame = desc->reference_frame;
    if ((desc->section && (one_shot->section == MD5_NONE || desc->start == 1))
        || (desc->mask && one_shot->mask == MD5_NONE) || (desc->layer && layer == MD5_NONE)
        || (desc->reference && reference == MD5_NONE)
        || desc->reference_frame >= machine->sources[one_shot->reference].binding->anim->num_frames)
        return false; // an unknown name, a frame that is not there, the end of a section
    const md5_timing *const timing = md5_one_shot_timing(machine, one_shot);
    const double rate = md5i_decimal_of(or_one(desc->speed)) / md5i_timing_duration(timing);
    one_shot->rate = fmin(fmax(rate, -MD5_MOST_ONE_SHOT_RATE), MD5_MOST_ONE_SHOT_RATE);
    const double begin = border_of(machine, one_shot, one_shot->section, false);
    const double start =
        begin + desc->start * (border_of(machine, one_shot, one_shot->section, true) - begin);
    one_shot->now = md5i_clock_snap(timing, md5i_clock_at(timing, start), MD5_FLOAT_ERROR);
    one_shot->before = one_shot->now;
    return true;
}

bool md5_player_play_one_shot(md5_player *player, uint32_t slot, uint32_t clip,
                              const md5_one_shot_desc *desc)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    static const md5_one_shot_desc defaults = {0};
    const md5_machine *const machine = player->machine;
    const md5_one_shot_desc *const from = desc ? desc : &defaults;
    MD5_ASSERT((unsigned)from->mode <= MD5_LAYER_ADD, "mode: must be a value of md5_layer_mode");
    MD5_ASSERT((unsigned)from->end <= MD5_ONE_SHOT_LOOPS,
               "end: must be a value of md5_one_shot_end");
    MD5_ASSERT(md5_is_curve_known(&from->fade_in_easing),
               "fade_in_easing: must have a kind of md5_ease_kind and a jump of md5_jump");
    MD5_ASSERT(md5_is_curve_known(&from->fade_out_easing),
               "fade_out_easing: must have a kind of md5_ease_kind and a jump of md5_jump");
    MD5_ASSERT_RESERVED(desc);
    md5_one_shot one_shot;
    slot = slot == MD5_NONE ? md5_find_slot(machine, from->slot) : slot;
    clip = clip == MD5_NONE ? md5_find_clip(machine, from->clip) : clip;
    if (slot >= machine->num_slots || clip >= machine->tables.num_clips
        || !make_one_shot(machine, slot, clip, from, &one_shot))
        return false;
    // Those in the slot fade out as the new one fades in. One that began to fade in at this instant
    // is not visible yet and can be replaced.
    md5_one_shot_slot *const queue = &player->slots[slot];
    const double duration = one_shot.fade_in.duration;
    const md5_one_shot *const newest = md5_newest_one_shot(player, slot);
    if (newest && newest->fade_in.elapsed <= MD5_BORDER && newest->fade_in.duration > MD5_BORDER)
        md5_remove_one_shot(player, queue, queue->num_one_shots - 1);
    while (queue->num_one_shots > 0 && duration <= MD5_BORDER)
        md5_remove_one_shot(player, queue, queue->num_one_shots - 1);
    if (queue->num_one_shots == MD5_SLOT_ONE_SHOTS) {
        uint32_t faintest = 0;
        float least = INFINITY;
        for (uint32_t i = 0; i < queue->num_one_shots; i++) {
            const float weight = md5i_one_shot_weight(player, &queue->one_shots[i], 0, 0);
            faintest = weight < least ? i : faintest;
            least = fminf(weight, least);
        }
        md5_remove_one_shot(player, queue, faintest);
    }
    for (uint32_t i = 0; i < queue->num_one_shots; i++)
        stop(&queue->one_shots[i], duration, one_shot.fade_in_curve);
    queue->one_shots[queue->num_one_shots++] = one_shot;
    player->num_one_shots++;
    player->has_new = true;
    player->is_settled = false;
    return true;
}

bool md5_player_stop_one_shot(md5_player *player, uint32_t slot, float fade_out)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    if (slot >= player->machine->num_slots || player->slots[slot].num_one_shots == 0)
        return false;
    md5_one_shot_slot *const queue = &player->slots[slot];
    const double duration = isfinite(fade_out) ? md5i_decimal_of(fade_out) : 0;
    for (uint32_t i = queue->num_one_shots; i-- > 0;) {
        if (duration > MD5_BORDER)
            stop(&queue->one_shots[i], duration, queue->one_shots[i].fade_out_curve);
        else
            md5_remove_one_shot(player, queue, i);
    }
    player->is_settled = player->is_settled && player->machine->num_windows == 0
                         && player->machine->tables.num_one_shots == 0;
    return true;
}

md5_one_shot_status md5_player_one_shot(const md5_player *player, uint32_t slot)
{
    MD5_ASSERT_PLAYER(player);
    const md5_machine *const machine = player->machine;
    const md5_one_shot *const one_shot =
        slot < machine->num_slots ? md5_newest_one_shot(player, slot) : NULL;
    if (!one_shot)
        return (md5_one_shot_status){0};
    const md5_section *const sections = machine->tables.clips[one_shot->source].sections;
    return (md5_one_shot_status){
        .is_playing = true,
        .is_stopping = one_shot->is_stopping,
        .clip = one_shot->source,
        .time = md5_clock_time(one_shot->now),
        .weight = md5i_one_shot_weight(player, one_shot, 0, 0),
        .section = one_shot->section == MD5_NONE ? NULL : sections[one_shot->section].name,
    };
}

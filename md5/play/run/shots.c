// One-shots: played and stopped by a game, and their weights. A slot holds the newest one and those
// that it replaces, which fade out as it fades in. Each has a weight that only depends on its own
// time; layers.c blends those of one slot so that each joint has these shares.
#include "md5/play/run/player_state.h"

// -- Weights ----------------------------------------------------------------------------------

// Progress of the fade before the end, `shift` seconds from now.
static double ending_progress(const md5_player *player, const md5_shot *shot, double shift)
{
    if (shot->end != MD5_SHOT_ENDS || shot->rate == 0 || shot->next != MD5_NONE)
        return 0;
    const double moved = shot->rate * (player->is_backward ? -shift : shift);
    const double phase = fmin(fmax(shot->now.phase + moved, 0.0), 1.0);
    const double left = md5_cycles_left(shot, phase);
    if (left <= MD5_BORDER)
        return shot->fade_out > 0 ? 1 : 0; // without a fade it is all there up to its end
    return 1 - md5_progress_of(left / fabs(shot->rate), shot->fade_out);
}

static float left_of_stop(const md5_shot *shot, double shift)
{
    if (!shot->is_stopping)
        return shot->left;
    const double progress =
        md5_progress_of(shot->stopping.elapsed + shift, shot->stopping.duration);
    return shot->left * (1 - md5_eased_weight(&shot->stop_curve, progress));
}

float md5i_shot_weight(const md5_player *player, const md5_shot *shot, double shift, double least)
{
    const double begun = md5_progress_of(shot->fade_in.elapsed + shift, shot->fade_in.duration);
    const double ending = fmin(ending_progress(player, shot, shift), 1 - least);
    // A curve of steps may jump at 0: until the fade before the end begins it does not count.
    const float left_of_ending =
        ending > 0 ? 1 - md5_eased_weight(&shot->fade_out_curve, ending) : 1;
    return shot->weight * md5_eased_weight(&shot->fade_in_curve, fmax(begun, least))
           * left_of_ending * left_of_stop(shot, shift);
}

float md5i_shot_share(float share, float covered)
{
    const float rest = 1 - covered;
    return share < rest ? share / rest : share > 0 ? 1 : 0;
}

// -- Sections ---------------------------------------------------------------------------------

// Where a section, or the clip, begins or ends, in the direction in which it is played.
static double border_of(const md5_machine *machine, const md5_shot *shot, uint32_t section,
                        bool is_end)
{
    const bool is_last = is_end == (shot->rate >= 0);
    if (section == MD5_NONE)
        return is_last ? 1 : 0;
    const md5_section *const row = &machine->tables.clips[shot->source].sections[section];
    return (double)(is_last ? row->last : row->first)
           / md5_timing_intervals(md5_shot_timing(machine, shot));
}

double md5i_section_left(const md5_machine *machine, const md5_shot *shot)
{
    if (shot->section == MD5_NONE && shot->next == MD5_NONE)
        return INFINITY;
    const double left = border_of(machine, shot, shot->section, true) - shot->now.phase;
    return shot->rate < 0 ? -left : left;
}

void md5i_end_section(md5_player *player, md5_shot *shot)
{
    shot->section = shot->next;
    shot->next = shot->repeats ? shot->next : MD5_NONE;
    const double begin = border_of(player->machine, shot, shot->section, false);
    if (shot->section == MD5_NONE || fabs(begin - shot->now.phase) <= 2 * MD5_BORDER)
        return; // it goes on where it is
    shot->now.phase = begin;
    shot->before = shot->now;
    shot->is_new = shot->is_at_start = player->has_new = true;
    player->is_settled = false;
}

bool md5_player_shot_section(md5_player *player, uint32_t slot, const char *section,
                             md5_section_change change)
{
    MD5_ASSERT_ASSET(player);
    MD5_ASSERT((unsigned)change <= MD5_SECTION_LEAVE, "change: a md5_section_change");
    const md5_machine *const machine = player->machine;
    md5_shot *const shot = slot < machine->num_slots ? md5_newest_shot(player, slot) : NULL;
    if (!shot || shot->end == MD5_SHOT_LOOPS)
        return false;
    const bool leaves = change == MD5_SECTION_LEAVE;
    const uint32_t next = leaves ? MD5_NONE : md5i_find_section(machine, shot->source, section);
    if (next == MD5_NONE && !leaves)
        return false;
    shot->next = next;
    shot->repeats = change == MD5_SECTION_LOOP;
    player->is_settled = player->is_settled && machine->tables.num_shots == 0; // it may make room
    if (!leaves && (change == MD5_SECTION_JUMP || md5i_section_left(machine, shot) <= MD5_BORDER))
        md5i_end_section(player, shot);
    return true;
}

// -- What a game does -------------------------------------------------------------------------

static void stop(md5_shot *shot, double duration, md5_easing curve)
{
    if (shot->is_stopping && shot->stopping.duration - shot->stopping.elapsed <= duration)
        return;
    shot->left = left_of_stop(shot, 0);
    shot->is_stopping = true;
    shot->stop_curve = curve;
    shot->stopping = (md5_fade_time){0, duration};
}

// A number of a description, of which 0 means 1.
static float or_one(float value)
{
    return value == MD5_ZERO ? 0 : value == 0 ? 1 : value;
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

static bool make_shot(const md5_machine *machine, uint32_t slot, uint32_t clip,
                      const md5_shot_desc *from, md5_shot *shot)
{
    const md5_shot_desc placed = md5_placed_shot(machine, slot, *from), *const desc = &placed;
    *shot = (md5_shot){
        .source = clip,
        .mode = desc->mode,
        .end = desc->section && desc->end == MD5_SHOT_LOOPS ? MD5_SHOT_ENDS : desc->end,
        .fade_in_curve = curve_of(&desc->fade_in_easing),
        .fade_out_curve = curve_of(&desc->fade_out_easing),
        .weight = or_one(desc->weight),
        .left = 1,
        .is_new = true,
        .is_at_start = true,
        .fade_out = md5i_decimal_of(desc->fade_out),
        .fade_in = {.duration = md5i_decimal_of(desc->fade_in)},
        .section = md5i_find_section(machine, clip, desc->section),
        .row = md5_find_shot(machine, desc->name),
        .repeats = desc->section && desc->end == MD5_SHOT_LOOPS,
    };
    shot->next = shot->repeats ? shot->section : MD5_NONE;
    if (!(or_one(desc->weight) >= 0 && or_one(desc->weight) <= 1 && isfinite(desc->speed)
          && desc->start >= 0 && desc->start <= 1 && desc->fade_in >= 0 && desc->fade_in <= 1e6f
          && desc->fade_out >= 0 && desc->fade_out <= 1e6f
          && is_curve_in_range(&desc->fade_in_easing) && is_curve_in_range(&desc->fade_out_easing)))
        return false;
    const uint32_t layer = md5_find_layer(machine, desc->layer);
    const uint32_t reference = md5_find_clip(machine, desc->reference);
    shot->mask = md5i_find_mask(machine, desc->mask);
    shot->num_below = layer == MD5_NONE ? machine->tables.num_layers : layer + 1;
    shot->reference = reference == MD5_NONE ? clip : reference;
    shot->reference_frame = desc->reference_frame;
    if ((desc->section && (shot->section == MD5_NONE || desc->start == 1))
        || (desc->mask && shot->mask == MD5_NONE) || (desc->layer && layer == MD5_NONE)
        || (desc->reference && reference == MD5_NONE)
        || desc->reference_frame >= machine->sources[shot->reference].binding->anim->num_frames)
        return false; // an unknown name, a frame that is not there, the end of a section
    const md5_timing *const timing = md5_shot_timing(machine, shot);
    const double rate = md5i_decimal_of(or_one(desc->speed)) / md5i_timing_duration(timing);
    shot->rate = fmin(fmax(rate, -MD5_MOST_SHOT_RATE), MD5_MOST_SHOT_RATE);
    const double begin = border_of(machine, shot, shot->section, false);
    const double start =
        begin + desc->start * (border_of(machine, shot, shot->section, true) - begin);
    shot->now = md5i_clock_snap(timing, md5i_clock_at(timing, start), MD5_FLOAT_ERROR);
    shot->before = shot->now;
    return true;
}

bool md5_player_play_shot(md5_player *player, uint32_t slot, uint32_t clip,
                          const md5_shot_desc *desc)
{
    MD5_ASSERT_ASSET(player);
    static const md5_shot_desc defaults = {0};
    const md5_machine *const machine = player->machine;
    const md5_shot_desc *const from = desc ? desc : &defaults;
    MD5_ASSERT((unsigned)from->mode <= MD5_LAYER_ADD, "mode: a md5_layer_mode");
    MD5_ASSERT((unsigned)from->end <= MD5_SHOT_LOOPS, "end: a md5_shot_end");
    MD5_ASSERT(md5_is_curve_known(&from->fade_in_easing),
               "fade_in_easing: a md5_ease_kind and md5_jump");
    MD5_ASSERT(md5_is_curve_known(&from->fade_out_easing),
               "fade_out_easing: a md5_ease_kind and md5_jump");
    MD5_ASSERT_RESERVED(desc);
    md5_shot shot;
    slot = slot == MD5_NONE ? md5_find_slot(machine, from->slot) : slot;
    clip = clip == MD5_NONE ? md5_find_clip(machine, from->clip) : clip;
    if (slot >= machine->num_slots || clip >= machine->tables.num_clips
        || !make_shot(machine, slot, clip, from, &shot))
        return false;
    // Those in the slot fade out as the new one fades in. One that began to fade in at this instant
    // is not visible yet and can be replaced.
    md5_shot_slot *const queue = &player->slots[slot];
    const double duration = shot.fade_in.duration;
    const md5_shot *const newest = md5_newest_shot(player, slot);
    if (newest && newest->fade_in.elapsed <= MD5_BORDER && newest->fade_in.duration > MD5_BORDER)
        md5_remove_shot(player, queue, queue->num_shots - 1);
    while (queue->num_shots > 0 && duration <= MD5_BORDER)
        md5_remove_shot(player, queue, queue->num_shots - 1);
    if (queue->num_shots == MD5_SLOT_SHOTS) {
        uint32_t faintest = 0;
        float least = INFINITY;
        MD5_FOR (i, queue->num_shots) {
            const float weight = md5i_shot_weight(player, &queue->shots[i], 0, 0);
            faintest = weight < least ? i : faintest;
            least = fminf(weight, least);
        }
        md5_remove_shot(player, queue, faintest);
    }
    MD5_FOR (i, queue->num_shots)
        stop(&queue->shots[i], duration, shot.fade_in_curve);
    queue->shots[queue->num_shots++] = shot;
    player->num_shots++;
    player->has_new = true;
    player->is_settled = false;
    return true;
}

bool md5_player_stop_shot(md5_player *player, uint32_t slot, float fade_out)
{
    MD5_ASSERT_ASSET(player);
    if (slot >= player->machine->num_slots || player->slots[slot].num_shots == 0)
        return false;
    md5_shot_slot *const queue = &player->slots[slot];
    const double duration = isfinite(fade_out) ? md5i_decimal_of(fade_out) : 0;
    for (uint32_t i = queue->num_shots; i-- > 0;) {
        if (duration > MD5_BORDER)
            stop(&queue->shots[i], duration, queue->shots[i].fade_out_curve);
        else
            md5_remove_shot(player, queue, i);
    }
    player->is_settled = player->is_settled && player->machine->num_windows == 0
                         && player->machine->tables.num_shots == 0;
    return true;
}

md5_shot_status md5_player_shot(const md5_player *player, uint32_t slot)
{
    MD5_ASSERT_ASSET(player);
    const md5_machine *const machine = player->machine;
    const md5_shot *const shot = slot < machine->num_slots ? md5_newest_shot(player, slot) : NULL;
    if (!shot)
        return (md5_shot_status){0};
    const md5_section *const sections = machine->tables.clips[shot->source].sections;
    return (md5_shot_status){
        .is_playing = true,
        .is_stopping = shot->is_stopping,
        .clip = shot->source,
        .time = md5_clock_time(shot->now),
        .weight = md5i_shot_weight(player, shot, 0, 0),
        .section = shot->section == MD5_NONE ? NULL : sections[shot->section].name,
    };
}

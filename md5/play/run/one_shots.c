// One-shot clips: start, stop, sections and weights.
//
// A slot contains the newest clip and the clips that it replaces. The older clips fade out while
// the newest fades in. The weight of each clip depends only on its own time. layers.c blends the
// clips of a slot so that each joint has these weights.
#include "md5/play/run/player_state.h"

// -- Weights ----------------------------------------------------------------------------------

// Returns the progress of the fade-out before the end of a clip, `shift` seconds from now: 0 before
// the fade, 1 at the end. Returns 0 for a clip that does not end.
static double ending_progress(const md5_player *player, const md5_one_shot *one_shot, double shift)
{
    if (one_shot->end != MD5_ONE_SHOT_ENDS || one_shot->rate == 0 || one_shot->next != MD5_NONE)
        return 0;
    const double moved = one_shot->rate * (player->is_backward ? -shift : shift);
    const double phase = fmin(fmax(one_shot->clock.phase + moved, 0.0), 1.0);
    const double left = md5_one_shot_cycles_left(one_shot, phase);
    if (left <= MD5_BORDER)
        return one_shot->fade_out > 0 ? 1 : 0; // without a fade, the weight is full up to the end
    return 1 - md5_fade_progress(left / fabs(one_shot->rate), one_shot->fade_out);
}

// Returns the factor by which stops reduce a clip's weight, `shift` seconds from now. A stop fades
// the clip out. one_shot->left is the factor at the start of the current stop.
static float stop_factor(const md5_one_shot *one_shot, double shift)
{
    if (!one_shot->is_stopping)
        return one_shot->left;
    const double progress =
        md5_fade_progress(one_shot->stopping.elapsed + shift, one_shot->stopping.duration);
    return one_shot->left * (1 - md5_clamped_ease(&one_shot->stop_curve, progress));
}

// Returns the weight of a one-shot clip `shift` seconds from now; shift <= 0. This is its own
// weight times the factors of its fade-in, its fade-out and its stop.
//
// `min_progress` keeps the weight above 0 at the start of the fade-in and at the end of the
// fade-out, because events there must be reported.
float md5i_one_shot_weight(const md5_player *player, const md5_one_shot *one_shot, double shift,
                           double min_progress)
{
    const double begun =
        md5_fade_progress(one_shot->fade_in.elapsed + shift, one_shot->fade_in.duration);
    const double ending = fmin(ending_progress(player, one_shot, shift), 1 - min_progress);
    // An easing with steps may jump at 0, so it is not evaluated before the fade begins.
    const float end_factor =
        ending > 0 ? 1 - md5_clamped_ease(&one_shot->fade_out_curve, ending) : 1;
    const float start_factor =
        md5_clamped_ease(&one_shot->fade_in_curve, fmax(begun, min_progress));
    return one_shot->weight * start_factor * end_factor * stop_factor(one_shot, shift);
}

// Returns the weight for blending a one-shot clip, so that it has the weight `weight` in the result
// after newer clips of its slot were blended over it.
float md5i_one_shot_blend_weight(float weight, float covered)
{
    const float uncovered = 1 - covered;
    if (weight < uncovered)
        return weight / uncovered;
    return weight > 0 ? 1 : 0;
}

// -- Sections ---------------------------------------------------------------------------------

// Returns the phase at which a section starts or ends (`is_end`), in the direction of playback. If
// `section` is MD5_NONE, returns the phase of the start or end of the clip.
static double section_border(const md5_machine *machine, const md5_one_shot *one_shot,
                             uint32_t section, bool is_end)
{
    const bool is_last = is_end == (one_shot->rate >= 0);
    if (section == MD5_NONE)
        return is_last ? 1 : 0;
    const md5_section *const frames = &machine->tables.clips[one_shot->source].sections[section];
    const uint32_t frame = is_last ? frames->last : frames->first;
    return (double)frame / md5_timing_intervals(md5_one_shot_timing(machine, one_shot));
}

// Returns the number of cycles until the end of the clip's section, in the direction of playback.
// The result is infinite if the clip has neither a section nor a next section.
double md5i_section_cycles_left(const md5_machine *machine, const md5_one_shot *one_shot)
{
    if (one_shot->section == MD5_NONE && one_shot->next == MD5_NONE)
        return INFINITY;
    const double left =
        section_border(machine, one_shot, one_shot->section, true) - one_shot->clock.phase;
    return one_shot->rate < 0 ? -left : left;
}

// Ends the section that a one-shot clip plays: jumps to the next section, or continues with the
// rest of the clip. A section is a named span of frames.
void md5i_end_section(md5_player *player, md5_one_shot *one_shot)
{
    one_shot->section = one_shot->next;
    one_shot->next = one_shot->repeats ? one_shot->next : MD5_NONE;
    const double begin = section_border(player->machine, one_shot, one_shot->section, false);
    if (one_shot->section == MD5_NONE || fabs(begin - one_shot->clock.phase) <= 2 * MD5_BORDER)
        return; // playback continues at the same position

    // The clip jumps to the start of the next section, and plays from there like a new clip.
    one_shot->clock.phase = begin;
    one_shot->clock_before = one_shot->clock;
    one_shot->is_new = true;
    one_shot->is_at_start = true;
    player->has_new = true;
    player->is_settled = false;
}

// Selects the section that the newest one-shot clip of a slot plays next, or lets it leave its
// sections. Returns false if no such clip or section exists.
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
    // The clip may now end earlier. After its end a one-shot clip of the machine may start, so the
    // player is not settled if the machine has one-shot clips.
    player->is_settled = player->is_settled && machine->tables.num_one_shots == 0;
    if (leaves)
        return true;
    if (change == MD5_SECTION_JUMP || md5i_section_cycles_left(machine, one_shot) <= MD5_BORDER)
        md5i_end_section(player, one_shot);
    return true;
}

// -- Start and stop -------------------------------------------------------------------------------

// Begins to fade out a clip, unless it already fades out faster.
static void fade_out_one_shot(md5_one_shot *one_shot, double duration, md5_easing curve)
{
    if (one_shot->is_stopping
        && one_shot->stopping.duration - one_shot->stopping.elapsed <= duration)
        return;
    one_shot->left = stop_factor(one_shot, 0);
    one_shot->is_stopping = true;
    one_shot->stop_curve = curve;
    one_shot->stopping = (md5_fade_time){0, duration};
}

// Returns a number of a description. 0 means the default 1, and MD5_EXPLICIT_ZERO means 0.
static float nonzero_or_one(float value)
{
    if (value == MD5_EXPLICIT_ZERO)
        return 0;
    return value == 0 ? 1 : value;
}

// Returns true if a value is in min..max; false for NaN.
static bool is_between(double value, double min, double max)
{
    return value >= min && value <= max;
}

// Returns true if the parameters of an easing are in range.
static bool is_easing_in_range(const md5_easing *easing)
{
    if (easing->kind == MD5_EASE_CUBIC_BEZIER) {
        if (!is_between(easing->x1, 0, 1) || !is_between(easing->x2, 0, 1))
            return false;
        return isfinite(easing->y1) && isfinite(easing->y2);
    }
    if (easing->kind != MD5_EASE_STEPS)
        return true;
    const uint32_t min_steps = easing->jump == MD5_JUMP_NONE ? 2 : 1;
    return easing->steps >= min_steps && easing->steps <= MD5_MAX_EASE_STEPS;
}

// Returns an easing without the parameters that its kind does not use. They must not influence the
// bytes of saved players.
static md5_easing remove_unused_parameters(const md5_easing *curve)
{
    if (curve->kind == MD5_EASE_STEPS)
        return (md5_easing){.kind = curve->kind, .steps = curve->steps, .jump = curve->jump};
    if (curve->kind != MD5_EASE_CUBIC_BEZIER)
        return (md5_easing){.kind = curve->kind};
    return (md5_easing){
        .kind = curve->kind, .x1 = curve->x1, .y1 = curve->y1, .x2 = curve->x2, .y2 = curve->y2};
}

// Limit of the duration of a fade, seconds.
#define MAX_FADE_SECONDS 1e6

// Returns true if the numbers of a description are in range.
static bool are_numbers_in_range(const md5_one_shot_desc *desc)
{
    if (!is_between(nonzero_or_one(desc->weight), 0, 1) || !isfinite(desc->speed))
        return false;
    if (!is_between(desc->start, 0, 1))
        return false;
    if (!is_between(desc->fade_in, 0, MAX_FADE_SECONDS))
        return false;
    if (!is_between(desc->fade_out, 0, MAX_FADE_SECONDS))
        return false;
    return is_easing_in_range(&desc->fade_in_easing) && is_easing_in_range(&desc->fade_out_easing);
}

// Returns true if each name in a description was found or omitted. `layer` and `reference` are the
// indices of the layer and of the reference clip.
static bool are_names_resolved(const md5_one_shot_desc *desc, const md5_one_shot *one_shot,
                               uint32_t layer, uint32_t reference)
{
    if (desc->section && one_shot->section == MD5_NONE)
        return false;
    if (desc->mask && one_shot->mask == MD5_NONE)
        return false;
    if (desc->layer && layer == MD5_NONE)
        return false;
    return !desc->reference || reference != MD5_NONE;
}

// Resolves the names of a description. Returns false if a name is unknown, the reference frame does
// not exist, or the clip would start at the end of a section.
static bool resolve_names(const md5_machine *machine, const md5_one_shot_desc *desc,
                          md5_one_shot *one_shot)
{
    const uint32_t layer = md5_find_layer(machine, desc->layer);
    const uint32_t reference = md5_find_clip(machine, desc->reference);
    one_shot->mask = md5i_find_mask(machine, desc->mask);
    one_shot->num_below = layer == MD5_NONE ? machine->tables.num_layers : layer + 1;
    one_shot->reference = reference == MD5_NONE ? one_shot->source : reference;
    one_shot->reference_frame = desc->reference_frame;
    if (!are_names_resolved(desc, one_shot, layer, reference))
        return false;

    const bool starts_at_section_end = desc->section && desc->start == 1;
    const md5_source *const source = &machine->sources[one_shot->reference];
    return !starts_at_section_end && desc->reference_frame < source->binding->anim->num_frames;
}

// Sets the rate of a new one-shot clip, and its clock to its start.
static void begin_one_shot_clock(const md5_machine *machine, const md5_one_shot_desc *desc,
                                 md5_one_shot *one_shot)
{
    const md5_timing *const timing = md5_one_shot_timing(machine, one_shot);
    const double rate =
        md5i_decimal_from_float(nonzero_or_one(desc->speed)) / md5i_timing_duration(timing);
    one_shot->rate = fmin(fmax(rate, -MD5_MAX_ONE_SHOT_RATE), MD5_MAX_ONE_SHOT_RATE);

    // The rate is set before, because the ends of a section depend on its sign.
    const double begin = section_border(machine, one_shot, one_shot->section, false);
    const double end = section_border(machine, one_shot, one_shot->section, true);
    const double start = begin + desc->start * (end - begin);
    one_shot->clock = md5i_clock_snap(timing, md5i_clock_at(timing, start), MD5_FLOAT_ERROR);
    one_shot->clock_before = one_shot->clock;
}

// Creates the state of a one-shot clip at its start. Returns false if the description is invalid.
static bool create_one_shot(const md5_machine *machine, uint32_t slot, uint32_t clip,
                            const md5_one_shot_desc *incomplete_desc, md5_one_shot *one_shot)
{
    const md5_one_shot_desc complete_desc =
        md5_apply_slot_defaults(machine, slot, *incomplete_desc);
    const md5_one_shot_desc *const desc = &complete_desc;
    // A looping clip repeats its section. If it leaves the section, it ends at the end of the clip.
    const bool repeats = desc->section && desc->end == MD5_ONE_SHOT_LOOPS;

    *one_shot = (md5_one_shot){
        .source = clip,
        .mode = desc->mode,
        .end = repeats ? MD5_ONE_SHOT_ENDS : desc->end,
        .fade_in_curve = remove_unused_parameters(&desc->fade_in_easing),
        .fade_out_curve = remove_unused_parameters(&desc->fade_out_easing),
        .weight = nonzero_or_one(desc->weight),
        .left = 1,
        .is_new = true,
        .is_at_start = true,
        .fade_out = md5i_decimal_from_float(desc->fade_out),
        .fade_in = {.duration = md5i_decimal_from_float(desc->fade_in)},
        .section = md5i_find_section(machine, clip, desc->section),
        .desc_index = md5_find_one_shot(machine, desc->name),
        .repeats = repeats,
    };
    one_shot->next = one_shot->repeats ? one_shot->section : MD5_NONE;
    if (!are_numbers_in_range(desc) || !resolve_names(machine, desc, one_shot))
        return false;

    begin_one_shot_clock(machine, desc, one_shot);
    return true;
}

// Removes the clip with the lowest weight from a full slot, because its end is least visible.
static void remove_faintest(md5_player *player, md5_one_shot_slot *queue)
{
    uint32_t faintest = 0;
    float min_weight = INFINITY;
    for (uint32_t i = 0; i < queue->num_one_shots; i++) {
        const float weight = md5i_one_shot_weight(player, &queue->one_shots[i], 0, 0);
        if (weight < min_weight) {
            faintest = i;
            min_weight = weight;
        }
    }
    md5_remove_one_shot(player, queue, faintest);
}

// Starts a one-shot clip. The clips in its slot fade out while it fades in. A clip that started at
// this instant is replaced, because it was never visible.
static void start_one_shot(md5_player *player, uint32_t slot, const md5_one_shot *one_shot)
{
    md5_one_shot_slot *const queue = &player->slots[slot];
    const double duration = one_shot->fade_in.duration;
    const md5_one_shot *const newest = md5_newest_one_shot(player, slot);
    if (newest && newest->fade_in.elapsed <= MD5_BORDER && newest->fade_in.duration > MD5_BORDER)
        md5_remove_one_shot(player, queue, queue->num_one_shots - 1);

    // Without a fade-in, the new clip removes all other clips.
    while (queue->num_one_shots > 0 && duration <= MD5_BORDER)
        md5_remove_one_shot(player, queue, queue->num_one_shots - 1);
    if (queue->num_one_shots == MD5_SLOT_ONE_SHOTS)
        remove_faintest(player, queue);
    for (uint32_t i = 0; i < queue->num_one_shots; i++)
        fade_out_one_shot(&queue->one_shots[i], duration, one_shot->fade_in_curve);

    queue->one_shots[queue->num_one_shots++] = *one_shot;
    player->num_one_shots++;
    player->has_new = true;
    player->is_settled = false;
}

// Starts a one-shot clip in a slot. If `slot` or `clip` is MD5_NONE, `desc` contains the name.
// Returns false if the slot or clip does not exist, or a number of `desc` is out of range.
bool md5_player_play_one_shot(md5_player *player, uint32_t slot, uint32_t clip,
                              const md5_one_shot_desc *desc)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    static const md5_one_shot_desc defaults = {0};
    const md5_one_shot_desc *const from = desc ? desc : &defaults;
    MD5_ASSERT((unsigned)from->mode <= MD5_LAYER_ADD, "mode: must be a value of md5_layer_mode");
    MD5_ASSERT((unsigned)from->end <= MD5_ONE_SHOT_LOOPS,
               "end: must be a value of md5_one_shot_end");
    MD5_ASSERT(md5_is_easing_valid(&from->fade_in_easing),
               "fade_in_easing: must have a kind of md5_ease_kind and a jump of md5_jump");
    MD5_ASSERT(md5_is_easing_valid(&from->fade_out_easing),
               "fade_out_easing: must have a kind of md5_ease_kind and a jump of md5_jump");
    MD5_ASSERT_RESERVED(desc);

    const md5_machine *const machine = player->machine;
    const uint32_t used_slot = slot == MD5_NONE ? md5_find_slot(machine, from->slot) : slot;
    const uint32_t used_clip = clip == MD5_NONE ? md5_find_clip(machine, from->clip) : clip;
    if (used_slot >= machine->num_slots || used_clip >= machine->tables.num_clips)
        return false;
    md5_one_shot one_shot;
    if (!create_one_shot(machine, used_slot, used_clip, from, &one_shot))
        return false;
    start_one_shot(player, used_slot, &one_shot);
    return true;
}

// Fades out all one-shot clips in a slot over `fade_out` seconds, or removes them immediately if it
// is not above 0. Returns false if the slot is empty.
bool md5_player_stop_one_shot(md5_player *player, uint32_t slot, float fade_out)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    if (slot >= player->machine->num_slots || player->slots[slot].num_one_shots == 0)
        return false;

    md5_one_shot_slot *const queue = &player->slots[slot];
    const double duration = isfinite(fade_out) ? md5i_decimal_from_float(fade_out) : 0;
    for (uint32_t i = queue->num_one_shots; i-- > 0;) {
        if (duration > MD5_BORDER)
            fade_out_one_shot(&queue->one_shots[i], duration, queue->one_shots[i].fade_out_curve);
        else
            md5_remove_one_shot(player, queue, i);
    }
    player->is_settled = player->is_settled && player->machine->num_windows == 0
                         && player->machine->tables.num_one_shots == 0;
    return true;
}

// Returns the state of the one-shot clip that was started last in a slot, for example to test if it
// is still playing.
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
        .time = md5_clock_time(one_shot->clock),
        .weight = md5i_one_shot_weight(player, one_shot, 0, 0),
        .section = one_shot->section == MD5_NONE ? NULL : sections[one_shot->section].name,
    };
}

// Saving and restoring one-shots.
#include "md5/play/run/save_parts.h"

// What it is, as md5_player_play_shot() has made it.
static bool keep_shot_desc(md5_archive *archive, const md5_machine *machine, md5_shot *kept)
{
    const md5_machine_desc *const tables = &machine->tables;
    const uint32_t last = tables->num_clips - 1, num_layers = tables->num_layers;
    uint32_t mode = kept->mode, end = kept->end;
    TRY(md5i_keep_uint(archive, &kept->source, 0, last, "the clip of a one-shot"));
    TRY(md5i_keep_uint(archive, &kept->num_below, num_layers > 0, num_layers,
                       "the layers below a one-shot"));
    TRY(md5i_keep_int(archive, &kept->mask, -1, (int32_t)tables->num_masks - 1,
                      "the mask of a one-shot"));
    TRY(md5i_keep_uint(archive, &mode, 0, MD5_LAYER_ADD, "the mode of a one-shot"));
    TRY(md5i_keep_uint(archive, &kept->reference, 0, last, "the reference of a one-shot"));
    TRY(md5i_keep_uint(archive, &kept->reference_frame, 0,
                       machine->sources[kept->reference].binding->anim->num_frames - 1,
                       "the reference of a one-shot"));
    TRY(md5i_keep_uint(archive, &end, 0, MD5_SHOT_LOOPS, "the end of a one-shot"));
    TRY(md5i_keep_float(archive, &kept->weight, 0.0f, 1.0f, "the weight of a one-shot"));
    TRY(md5i_keep_double(archive, &kept->rate, -MD5_MOST_SHOT_RATE, MD5_MOST_SHOT_RATE,
                         "the rate of a one-shot"));
    TRY(md5_keep_time(archive, &kept->fade_out, "the fade of a one-shot"));
    TRY(md5_keep_time(archive, &kept->fade_in.duration, "the fade of a one-shot"));
    kept->mode = (md5_layer_mode)mode;
    kept->end = (md5_shot_end)end;
    return true;
}

// How far it is.
static bool keep_shot_time(md5_archive *archive, md5_shot *kept)
{
    const bool is_once = kept->end != MD5_SHOT_LOOPS;
    const int64_t most = is_once ? 0 : MD5_MOST_CYCLES;
    TRY(md5i_keep_int64(archive, &kept->now.cycle, -most, most, "a cycle"));
    TRY(md5i_keep_double(archive, &kept->now.phase, 0.0, is_once ? 1.0 : MD5_BELOW_ONE, "a phase"));
    kept->is_at_start = kept->is_at_start && md5_clock_stays_whole(kept->before, kept->now);
    kept->before = kept->now;
    TRY(md5i_keep_bool(archive, &kept->is_at_start, "whether a clip is at its start"));
    TRY(md5_check_start(archive, kept->is_at_start, kept->now));
    TRY(md5_keep_time(archive, &kept->fade_in.elapsed, "the time of a one-shot"));
    TRY(md5i_keep_bool(archive, &kept->is_new, "whether a one-shot is new"));
    TRY(md5i_keep_bool(archive, &kept->is_stopping, "whether a one-shot stops"));
    TRY(md5i_keep_float(archive, &kept->kept, 0.0f, 1.0f, "what is left of a one-shot"));
    if (!kept->is_stopping)
        return true;
    TRY(md5_keep_time(archive, &kept->stopping.elapsed, "the time of a stop"));
    return md5_keep_time(archive, &kept->stopping.duration, "the duration of a stop");
}

static bool keep_steps(md5_archive *archive, md5_easing_curve *curve)
{
    uint32_t jump = curve->jump;
    TRY(md5i_keep_uint(archive, &jump, 0, MD5_JUMP_BOTH, "where steps jump"));
    curve->jump = (md5_jump)jump;
    return md5i_keep_uint(archive, &curve->steps, curve->jump == MD5_JUMP_NONE ? 2 : 1,
                          MD5_MAX_EASE_STEPS, "a number of steps");
}

static bool keep_curve(md5_archive *archive, md5_easing_curve *curve)
{
    uint32_t easing = curve->easing;
    TRY(md5i_keep_uint(archive, &easing, 0, MD5_EASE_STEPS, "an easing"));
    curve->easing = (md5_easing)easing;
    if (curve->easing == MD5_EASE_STEPS)
        return keep_steps(archive, curve);
    if (curve->easing != MD5_EASE_CUBIC_BEZIER)
        return true;
    TRY(md5i_keep_float(archive, &curve->x1, 0.0f, 1.0f, "x1 of a curve"));
    TRY(md5i_keep_float(archive, &curve->y1, -FLT_MAX, FLT_MAX, "y1 of a curve"));
    TRY(md5i_keep_float(archive, &curve->x2, 0.0f, 1.0f, "x2 of a curve"));
    return md5i_keep_float(archive, &curve->y2, -FLT_MAX, FLT_MAX, "y2 of a curve");
}

// Before version 3 both fades had one easing, without parameters.
static bool read_old_easings(md5_archive *archive, md5_shot *kept)
{
    uint32_t easing = 0, stop_easing = 0;
    TRY(md5i_keep_uint(archive, &easing, 0, MD5_LAST_FADE_EASING, "an easing"));
    TRY(md5i_keep_uint(archive, &stop_easing, 0, MD5_LAST_FADE_EASING, "an easing"));
    kept->fade_in_curve.easing = kept->fade_out_curve.easing = (md5_easing)easing;
    kept->stop_curve.easing = (md5_easing)stop_easing;
    return true;
}

static bool keep_easings(md5_archive *archive, md5_shot *kept)
{
    if (archive->version < 3)
        return read_old_easings(archive, kept);
    TRY(keep_curve(archive, &kept->fade_in_curve));
    TRY(keep_curve(archive, &kept->fade_out_curve));
    return keep_curve(archive, &kept->stop_curve);
}

static bool keep_shot(md5_archive *archive, const md5_machine *machine, md5_shot *shot)
{
    md5_shot kept = {0};
    if (archive->mode == MD5_ARCHIVE_WRITE)
        kept = *shot;
    TRY(keep_shot_desc(archive, machine, &kept));
    TRY(keep_easings(archive, &kept));
    TRY(keep_shot_time(archive, &kept));
    if (archive->mode == MD5_ARCHIVE_STORE)
        *shot = kept;
    return true;
}

bool md5i_keep_slot(md5_archive *archive, const md5_machine *machine, md5_shot_slot *slot)
{
    uint32_t num_shots = slot->num_shots;
    TRY(md5i_keep_uint(archive, &num_shots, 0, MD5_SLOT_SHOTS, "the number of one-shots"));
    for (uint32_t i = 0; i < num_shots; i++)
        TRY(keep_shot(archive, machine, &slot->shots[i]));
    if (archive->mode == MD5_ARCHIVE_STORE)
        slot->num_shots = num_shots;
    return true;
}

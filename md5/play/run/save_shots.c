// Saving and restoring one-shots.
#include "md5/play/run/save_parts.h"

// What it is, as md5_player_play() has made it.
static bool keep_shot_desc(md5_archive *archive, const md5_machine *machine, md5_shot *kept)
{
    const md5_machine_desc *const tables = &machine->tables;
    const uint32_t last = tables->num_clips - 1, num_layers = tables->num_layers;
    uint32_t mode = kept->mode, end = kept->end;
    TRY(md5_keep_uint(archive, &kept->source, 0, last, "the clip of a one-shot"));
    TRY(md5_keep_uint(archive, &kept->num_below, num_layers > 0, num_layers,
                      "the layers below a one-shot"));
    TRY(md5_keep_int(archive, &kept->mask, -1, (int32_t)tables->num_masks - 1,
                     "the mask of a one-shot"));
    TRY(md5_keep_uint(archive, &mode, 0, MD5_LAYER_ADD, "the mode of a one-shot"));
    TRY(md5_keep_uint(archive, &kept->reference, 0, last, "the reference of a one-shot"));
    TRY(md5_keep_uint(archive, &kept->reference_frame, 0,
                      machine->sources[kept->reference].binding->anim->num_frames - 1,
                      "the reference of a one-shot"));
    TRY(md5_keep_uint(archive, &end, 0, MD5_SHOT_LOOPS, "the end of a one-shot"));
    TRY(md5_keep_float(archive, &kept->weight, 0.0f, 1.0f, "the weight of a one-shot"));
    TRY(md5_keep_double(archive, &kept->rate, -MD5_MOST_SHOT_RATE, MD5_MOST_SHOT_RATE,
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
    TRY(md5_keep_int64(archive, &kept->now.cycle, -most, most, "a cycle"));
    TRY(md5_keep_double(archive, &kept->now.phase, 0.0, is_once ? 1.0 : MD5_BELOW_ONE, "a phase"));
    kept->is_at_start = kept->is_at_start && md5_clock_stays_whole(kept->before, kept->now);
    kept->before = kept->now;
    TRY(md5_keep_bool(archive, &kept->is_at_start, "whether a clip is at its start"));
    TRY(md5_check_start(archive, kept->is_at_start, kept->now));
    TRY(md5_keep_time(archive, &kept->fade_in.elapsed, "the time of a one-shot"));
    TRY(md5_keep_bool(archive, &kept->is_new, "whether a one-shot is new"));
    TRY(md5_keep_bool(archive, &kept->is_stopping, "whether a one-shot stops"));
    TRY(md5_keep_float(archive, &kept->kept, 0.0f, 1.0f, "what is left of a one-shot"));
    if (!kept->is_stopping)
        return true;
    TRY(md5_keep_time(archive, &kept->stopping.elapsed, "the time of a stop"));
    return md5_keep_time(archive, &kept->stopping.duration, "the duration of a stop");
}

static bool keep_shot(md5_archive *archive, const md5_machine *machine, md5_shot *shot)
{
    md5_shot kept = {0};
    if (archive->mode == MD5_ARCHIVE_WRITE)
        kept = *shot;
    uint32_t easing = kept.easing, stop_easing = kept.stop_easing;
    TRY(keep_shot_desc(archive, machine, &kept));
    TRY(md5_keep_uint(archive, &easing, 0, MD5_LAST_FADE_EASING, "an easing"));
    TRY(md5_keep_uint(archive, &stop_easing, 0, MD5_LAST_FADE_EASING, "an easing"));
    TRY(keep_shot_time(archive, &kept));
    kept.easing = (md5_easing)easing;
    kept.stop_easing = (md5_easing)stop_easing;
    if (archive->mode == MD5_ARCHIVE_STORE)
        *shot = kept;
    return true;
}

bool md5_keep_slot(md5_archive *archive, const md5_machine *machine, md5_shot_slot *slot)
{
    uint32_t num_shots = slot->num_shots;
    TRY(md5_keep_uint(archive, &num_shots, 0, MD5_SLOT_SHOTS, "the number of one-shots"));
    for (uint32_t i = 0; i < num_shots; i++)
        TRY(keep_shot(archive, machine, &slot->shots[i]));
    if (archive->mode == MD5_ARCHIVE_STORE)
        slot->num_shots = num_shots;
    return true;
}

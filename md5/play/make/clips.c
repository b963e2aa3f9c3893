// Clips and masks of a machine.
#include "md5/core/math.h"
#include "md5/core/axes.h"
#include "md5/play/make/building.h"

#include <string.h>

#define QUOTED(name) md5i_quote((name), strlen(name)).text

static bool check_clip(md5_building *building, const md5_clip_desc *clip)
{
    if (!clip->binding)
        return md5i_fail_at(building, &clip->name, MD5_ERROR_MISMATCH, "clip %s has no binding",
                            QUOTED(clip->name));
    if (!clip->binding->model)
        return md5i_fail_at(building, &clip->name, MD5_ERROR_MISMATCH,
                            "clip %s is bound to a skeleton, not to the machine's model",
                            QUOTED(clip->name));
    if (clip->binding->model != building->desc->model)
        return md5i_fail_at(building, &clip->name, MD5_ERROR_MISMATCH,
                            "clip %s is bound to another model", QUOTED(clip->name));
    return true;
}

static bool check_events(md5_building *building, const md5_clip_desc *clip)
{
    const uint32_t num_frames = clip->binding->anim->num_frames;
    for (uint32_t i = 0; i < clip->num_events; i++) {
        const md5_event *const event = &clip->events[i];
        if (!event->name || !event->name[0])
            return md5i_fail_at(building, &event->name, MD5_ERROR_MISMATCH,
                                "clip %s: event %u has no name", QUOTED(clip->name), i);
        if (event->frame >= num_frames)
            return md5i_fail_at(building, &event->frame, MD5_ERROR_RANGE,
                                "clip %s: event %s is at frame %u, but the last frame is %u",
                                QUOTED(clip->name), QUOTED(event->name), event->frame,
                                num_frames - 1);
    }
    return true;
}

// A marker at the end of a cycle would be one at its start again.
static bool build_markers(md5_building *building, const md5_clip_desc *clip, md5_source *source,
                          double *markers)
{
    const uint32_t intervals = md5i_timing_intervals(&source->timings[MD5_PLAY_LOOP]);
    source->num_markers = clip->num_markers;
    for (uint32_t i = 0; i < clip->num_markers; i++) {
        const uint32_t frame = clip->markers[i];
        if (frame >= intervals)
            return md5i_fail_at(building, &clip->markers[i], MD5_ERROR_RANGE,
                                "clip %s: a marker is at frame %u, but the cycle ends at frame %u",
                                QUOTED(clip->name), frame, intervals);
        if (i > 0 && frame <= clip->markers[i - 1])
            return md5i_fail_at(building, &clip->markers[i], MD5_ERROR_RANGE,
                                "clip %s: the marker at frame %u is not after the one before",
                                QUOTED(clip->name), frame);
        markers[i] = (double)frame / (double)intervals;
    }
    return true;
}

// Joint 0 in every frame.
static bool build_ways(md5_building *building, const md5_source *source,
                       md5_root_delta *root_deltas)
{
    const md5_binding *const binding = source->binding;
    const uint32_t num_frames = binding->anim->num_frames;
    const size_t num_joints = binding->skeleton->num_joints;
    md5_xform *const pose = (md5_xform *)md5i_build_array(building, num_joints, sizeof *pose);
    md5_xform *const roots = (md5_xform *)md5i_build_array(building, num_frames, sizeof *roots);
    TRY(pose && roots);
    for (uint32_t frame = 0; frame < num_frames; frame++) {
        md5_sample(binding, (md5_moment){.frame0 = frame, .frame1 = frame}, MD5_ROOT_FILE, pose);
        roots[frame] = md5i_transform_from_axes(binding->model->skeleton.axes, pose[0]);
    }
    md5i_make_root_track(source->extract, roots, num_frames, root_deltas);
    return true;
}

typedef struct clip_arrays {
    md5_source *sources;
    md5_cue *cues;
    double *markers;
    md5_root_delta *root_deltas;
} clip_arrays;

static bool build_clip(md5_building *building, const md5_clip_desc *clip, md5_source *source,
                       const clip_arrays *arrays)
{
    md5_machine *const machine = building->machine;
    const md5_anim *const anim = clip->binding->anim;
    *source = (md5_source){
        .binding = clip->binding,
        .interpolation = clip->interpolation,
        .extract = clip->extract,
        .first_delta = machine->num_deltas,
        .first_frame = machine->num_frames,
        .first_marker = machine->num_markers,
    };
    for (int mode = 0; mode < MD5_PLAY_MODES; mode++) {
        source->timings[mode] = (md5_timing){
            .num_frames = anim->num_frames,
            .frame_rate = anim->frame_rate,
            .period = clip->period,
            .mode = (md5_play_mode)mode,
        };
        source->first_cue[mode] = machine->num_cues;
        source->num_cues[mode] =
            md5i_make_cues(&source->timings[mode], clip->events, clip->num_events,
                           building->desc->report.clip_end, arrays->cues + machine->num_cues);
        machine->num_cues += source->num_cues[mode];
    }
    TRY(build_markers(building, clip, source, arrays->markers + machine->num_markers));
    machine->num_markers += clip->num_markers;
    machine->num_frames += anim->num_frames;
    if (clip->extract != MD5_EXTRACT_NONE) {
        TRY(build_ways(building, source, arrays->root_deltas + machine->num_deltas));
        machine->num_deltas += anim->num_frames;
    }
    return true;
}

// Everything is checked before anything is counted: counts of what is wrong mean nothing.
static bool check_clips(md5_building *building, size_t *num_events, size_t *num_markers,
                        size_t *num_deltas)
{
    const md5_machine_desc *const desc = building->desc;
    TRY(md5i_begin_names(building->arena, &building->clips, "clip", desc->num_clips));
    for (uint32_t i = 0; i < desc->num_clips; i++)
        md5i_add_name(&building->clips, &desc->clips[i].name);
    TRY(md5i_end_names(building->context, desc->locations, &building->clips));
    for (uint32_t i = 0; i < desc->num_clips; i++) {
        const md5_clip_desc *const clip = &desc->clips[i];
        TRY(check_clip(building, clip));
        TRY(check_events(building, clip));
        *num_events += clip->num_events;
        *num_markers += clip->num_markers;
        *num_deltas += clip->extract != MD5_EXTRACT_NONE ? clip->binding->anim->num_frames : 0;
    }
    return true;
}

bool md5i_build_clips(md5_building *building)
{
    enum { CUES = 4 }; // of one event: two in ping-pong; of the ends of a clip less than two times
    const md5_machine_desc *const desc = building->desc;
    size_t num_events = 0, num_markers = 0, num_deltas = 0;
    TRY(check_clips(building, &num_events, &num_markers, &num_deltas));
    const size_t num_ends = desc->report.clip_end ? 2 * (size_t)desc->num_clips : 0;
    const clip_arrays arrays = {
        .sources =
            (md5_source *)md5i_build_array(building, desc->num_clips, sizeof *arrays.sources),
        .cues = (md5_cue *)md5i_build_array(building, num_events + num_ends,
                                            CUES * sizeof *arrays.cues),
        .markers = (double *)md5i_build_array(building, num_markers, sizeof *arrays.markers),
        .root_deltas =
            (md5_root_delta *)md5i_build_array(building, num_deltas, sizeof *arrays.root_deltas),
    };
    TRY(arrays.sources && arrays.cues && arrays.markers && arrays.root_deltas);
    for (uint32_t i = 0; i < desc->num_clips; i++)
        TRY(build_clip(building, &desc->clips[i], &arrays.sources[i], &arrays));
    building->machine->sources = arrays.sources;
    building->machine->cues = arrays.cues;
    building->machine->markers = arrays.markers;
    building->machine->root_deltas = arrays.root_deltas;
    building->machine->has_root_motion = num_deltas > 0;
    building->machine->has_clip_events = num_events + num_ends > 0;
    return true;
}

// An error's place in the joints of a mask becomes one in the text that these stand in.
static bool build_mask(md5_building *building, const md5_mask_desc *mask, float *weights)
{
    const char *const joints = mask->joints ? mask->joints : "";
    md5_error error;
    if (md5_build_mask(&building->desc->model->skeleton, joints, mask->feather, weights, &error))
        return true;
    const md5_location start = md5i_find_location(building->desc->locations, &mask->joints);
    md5_location position = {0, error.column};
    if (start.line > 0) {
        position.line = start.line + error.line - 1;
        position.column += error.line == 1 ? start.column - 1 : 0;
    }
    return md5i_fail(building->context, error.status, position.line, position.column, "mask %s: %s",
                     QUOTED(mask->name), error.message);
}

bool md5i_build_masks(md5_building *building)
{
    const md5_machine_desc *const desc = building->desc;
    const size_t num_joints = building->machine->num_joints;
    TRY(md5i_begin_names(building->arena, &building->masks, "mask", desc->num_masks));
    for (uint32_t i = 0; i < desc->num_masks; i++)
        md5i_add_name(&building->masks, &desc->masks[i].name);
    TRY(md5i_end_names(building->context, desc->locations, &building->masks));

    md5_machine *const machine = building->machine;
    machine->masks =
        (float *)md5i_build_array(building, desc->num_masks, num_joints * sizeof *machine->masks);
    machine->mask_sets =
        (md5_mask_sets *)md5i_build_array(building, desc->num_masks, sizeof *machine->mask_sets);
    TRY(machine->masks && machine->mask_sets);
    for (uint32_t i = 0; i < desc->num_masks; i++) {
        TRY(build_mask(building, &desc->masks[i], machine->masks + i * num_joints));
        md5i_split_mask(building, i);
    }
    return true;
}

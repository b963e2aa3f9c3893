// Poses the visible members of a crowd: sorts them by their levels, computes the palettes, and
// writes the arrays that are drawn.
#include "demo/viewer/crowd/crowd.h"

// Compares two view_sized for qsort(): the larger member, which is nearer, comes first; then the
// member with the smaller index.
static int compare_sizes(const void *a, const void *b)
{
    const view_sized *const first = a;
    const view_sized *const second = b;
    if (first->pixels < second->pixels || first->pixels > second->pixels)
        return first->pixels > second->pixels ? -1 : 1;
    return (first->member > second->member) - (first->member < second->member);
}

// Clears the lists of visible members of a kind at the beginning of a frame. The members are sorted
// by distance only if reduced levels are drawn (`reduces`).
static void begin_kind_selection(view_kind *kind, bool reduces)
{
    kind->num_seen = 0;
    kind->fades = false;
    kind->is_sorted =
        reduces && kind->num_levels > 1 && kind->levels[1].source == VIEW_DETAIL_POSED;
    for (int i = 0; i < VIEW_MAX_LEVELS; i++)
        kind->levels[i].count = 0;
}

// Counts a member in each form in which it is drawn: impostor, baked, or posed. Also assigns its
// index among the members of this form. A member that fades is drawn in two forms: as an impostor
// and in one of the others.
static void select_member(view_crowd *crowd, view_kind *kind, uint32_t index)
{
    view_member *const member = &crowd->members[index];
    view_detail *const level = &kind->levels[member->level];
    const bool has_impostor = member->is_visible && member->impostor_fraction > 0;
    const bool has_model = member->is_visible && member->impostor_fraction < 1;
    const bool is_baked = has_model && level->source == VIEW_DETAIL_BAKED;
    const bool was_posed = member->is_posed;
    member->is_posed = has_model && !is_baked;

    if (has_impostor) {
        view_detail *const impostors = &kind->levels[kind->num_levels - 1];
        member->impostor_index = impostors->count++;
        crowd->num_far++;
    }
    if (has_impostor && has_model) {
        crowd->num_faded++;
        kind->fades = true;
    }
    if (is_baked) {
        member->draw_index = level->count++;
        crowd->num_baked++;
    }
    if (member->is_posed)
        kind->order[kind->num_seen++] = (view_sized){member->pixels, index};

    // The palette of a posed member is computed if the member was updated. It is also computed if
    // it was not posed before, because its palette is then out of date.
    const bool needs_palette = member->is_due || !was_posed;
    if (member->is_posed && needs_palette) {
        crowd->posed[crowd->num_posed++] = index;
        crowd->num_joints += kind->model->skeleton.num_joints;
    }
}

// Assigns the posed members of a kind to its levels. If the order matters, sorts them from near to
// far.
static void order_posed(view_crowd *crowd, view_kind *kind)
{
    if (kind->is_sorted)
        qsort(kind->order, kind->num_seen, sizeof *kind->order, compare_sizes);
    // If all members are posed and drawn in their own order, their palettes need not be copied.
    const bool are_all_posed = kind->num_seen == kind->end - kind->begin;
    const bool needs_copies = kind->is_sorted || !are_all_posed;
    kind->drawn_palettes = needs_copies ? kind->copies : kind->palettes;
    for (uint32_t i = 0; i < kind->num_seen; i++) {
        view_member *const member = &crowd->members[kind->order[i].member];
        member->draw_index = kind->levels[member->level].count++;
    }
}

// Computes the range of each posed and baked level in the arrays of drawn members. Impostors have a
// separate array. Shadow casters use the palettes of all posed members, so they need no range.
static void begin_levels(view_kind *kind)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < kind->num_levels; i++) {
        view_detail *const level = &kind->levels[i];
        if (level->source == VIEW_DETAIL_CASTERS)
            level->count = kind->num_seen;
        if (level->source == VIEW_DETAIL_POSED || level->source == VIEW_DETAIL_BAKED) {
            level->first = first;
            first += level->count;
        }
    }
}

void view_select_posed(view_crowd *crowd)
{
    crowd->num_joints = 0;
    crowd->num_posed = crowd->num_baked = crowd->num_far = crowd->num_faded = 0;
    for (uint32_t k = 0; k < crowd->num_kinds; k++) {
        view_kind *const kind = &crowd->kinds[k];
        begin_kind_selection(kind, crowd->reduces);
        for (uint32_t i = kind->begin; i < kind->end; i++)
            select_member(crowd, kind, i);
        order_posed(crowd, kind);
        begin_levels(kind);
    }
}

// Returns the palette of a member in the array of its kind, which is in the order of the members.
static md5_mat34 *member_palette(const view_crowd *crowd, const view_member *member)
{
    const view_kind *const kind = &crowd->kinds[member->kind];
    const size_t index_in_kind = (size_t)(member - crowd->members) - kind->begin;
    return kind->palettes + index_in_kind * kind->model->skeleton.num_joints;
}

// Returns the sample position of a member without a machine at the time of the crowd. Clips loop.
static md5_sample_position member_sample_position(const view_crowd *crowd,
                                                  const view_member *member)
{
    const md5_binding *const clip = crowd->kinds[member->kind].clips[member->clip];
    return md5_sample_position_at(clip->anim, crowd->time + member->offset, MD5_WRAP_LOOP);
}

// Clips that are posed in one call. The palettes are written to a buffer, and then copied to the
// palettes of the members: see VIEW_POSES_PER_BATCH.
typedef struct pose_batch {
    md5_pose_job jobs[VIEW_POSES_PER_BATCH];
    md5_mat34 *palettes[VIEW_POSES_PER_BATCH]; // the palette of the member of each job
    uint32_t num_jobs;
    md5_mat34 *next_palette; // the unused part of the buffer
} pose_batch;

// Adds a member that plays a clip to a batch. The poses of a batch are computed together, which is
// faster than one by one.
static void add_to_batch(pose_batch *batch, const view_crowd *crowd, const view_member *member)
{
    const view_kind *const kind = &crowd->kinds[member->kind];
    batch->palettes[batch->num_jobs] = member_palette(crowd, member);
    batch->jobs[batch->num_jobs++] = (md5_pose_job){.binding = kind->clips[member->clip],
                                                    .sample = member_sample_position(crowd, member),
                                                    .root = MD5_ROOT_IN_PLACE,
                                                    .palette = batch->next_palette};
    batch->next_palette += kind->model->skeleton.num_joints;
}

// Computes the palettes of a batch and copies them to the members.
static void run_batch(const pose_batch *batch, void *scratch)
{
    md5_pose_batch(batch->jobs, batch->num_jobs, NULL, scratch);
    for (uint32_t i = 0; i < batch->num_jobs; i++) {
        const md5_pose_job *const job = &batch->jobs[i];
        memcpy(batch->palettes[i], job->palette,
               job->binding->skeleton->num_joints * sizeof *job->palette);
    }
}

void view_pose_part(void *user, uint32_t worker, size_t begin, size_t end)
{
    const view_crowd *const crowd = user;
    // The scratch memory of a worker begins with the palettes of a batch.
    md5_mat34 *const buffer = (md5_mat34 *)(void *)(crowd->scratch + worker * crowd->scratch_size);
    unsigned char *const scratch = (unsigned char *)(buffer + crowd->buffer_size);
    pose_batch batch;
    batch.num_jobs = 0;
    batch.next_palette = buffer;
    for (size_t i = begin; i < end; i++) {
        const view_member *const member = &crowd->members[crowd->posed[i]];
        const view_kind *const kind = &crowd->kinds[member->kind];
        if (member->player != NULL) {
            view_pose_player(kind, member->player, scratch, member_palette(crowd, member));
            continue;
        }
        add_to_batch(&batch, crowd, member);
        if (batch.num_jobs == VIEW_POSES_PER_BATCH) {
            run_batch(&batch, scratch);
            batch.num_jobs = 0;
            batch.next_palette = buffer;
        }
    }
    if (batch.num_jobs > 0)
        run_batch(&batch, scratch);
}

// Copies the palette and the morph weights of a posed member to the arrays that are drawn. `index`
// is its index among the drawn members.
static void write_member_pose(const view_crowd *crowd, const view_member *member, size_t index)
{
    const view_kind *const kind = &crowd->kinds[member->kind];
    const size_t num_joints = kind->model->skeleton.num_joints;
    const bool needs_copy = kind->drawn_palettes == kind->copies;
    if (needs_copy)
        memcpy(kind->copies + index * num_joints, member_palette(crowd, member),
               num_joints * sizeof *kind->copies);
    if (kind->morphs == NULL)
        return;
    const size_t index_in_kind = (size_t)(member - crowd->members) - kind->begin;
    view_drive_morphs(kind->morphs, member->player,
                      kind->reported + index_in_kind * kind->morphs->num_driven,
                      kind->morph_weights + index * kind->morphs->morph->num_targets);
}

// Returns the index of a member's impostor image: the image nearest to the current time of its
// clip. If this image is not drawn yet, returns the last earlier image of the clip that exists.
static uint32_t select_impostor_image(const view_crowd *crowd, const view_member *member)
{
    const view_kind *const kind = &crowd->kinds[member->kind];
    const view_pictures *const pictures = &kind->pictures;
    const double duration = kind->clips[member->clip]->anim->duration;
    const double cycles = duration > 0 ? (crowd->time + member->offset) / duration : 0;
    const double part = cycles - floor(cycles); // position within the current cycle, 0 to 1
    const uint32_t first = pictures->first[member->clip];
    const uint32_t num_images = pictures->first[member->clip + 1] - first;
    uint32_t in_clip = (uint32_t)(part * num_images + 0.5) % num_images;
    while (in_clip > 0 && !md5gl_has_impostor_images(pictures->impostors, first + in_clip))
        in_clip--;
    return first + in_clip;
}

// Writes the placement and the image of a member's impostor.
static void write_impostor(const view_crowd *crowd, const view_member *member)
{
    const view_pictures *const pictures = &crowd->kinds[member->kind].pictures;
    pictures->instances[member->impostor_index] = (md5gl_impostor){
        .rotation = member->placement.rotation,
        .translation = member->placement.translation,
        .scale = 1,
        .frame = (float)select_impostor_image(crowd, member),
        .shown = member->impostor_fraction,
    };
}

void view_write_member_range(void *user, uint32_t worker, size_t begin, size_t end)
{
    const view_crowd *const crowd = user;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const view_member *const member = &crowd->members[i];
        const view_kind *const kind = &crowd->kinds[member->kind];
        const size_t index = kind->levels[member->level].first + member->draw_index;
        if (!member->is_visible)
            continue;

        const bool has_model = member->impostor_fraction < 1; // posed or baked
        if (has_model) {
            kind->placements[index] = md5_mat34_from_xform(member->placement);
            kind->tints[index] = (md5_vec4){1, 1, 1, 1 + member->impostor_fraction};
        }
        if (member->is_posed) {
            write_member_pose(crowd, member, index);
        } else if (has_model) {
            const md5_sample_position sample = member_sample_position(crowd, member);
            kind->jobs[member->draw_index] = view_baked_job(&kind->bakes, member->clip, &sample);
        }
        if (member->impostor_fraction > 0)
            write_impostor(crowd, member);
    }
}

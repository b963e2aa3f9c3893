#include "demo/viewer/draw/draw.h"

#include "demo/common/memory.h"
#include "demo/viewer/base/math.h"
#include "demo/viewer/crowd/crowd.h"

#include <stdlib.h>
#include <string.h>

#include <SDL.h>

// == Levels of detail ======================================================================

enum { PICTURES_A_FRAME = 2 }; // in a window

// -- Pictures ---------------------------------------------------------------------------------

// The first frames of all clips are drawn first, so that every clip soon has a picture.
static uint32_t frame_in_order(const view_levels *levels, uint32_t number, uint32_t *clip)
{
    uint32_t frame = number;
    *clip = number;
    if (number < levels->num_clips)
        return levels->first[number];
    frame -= levels->num_clips;
    for (*clip = 0; *clip < levels->num_clips; ++*clip) {
        const uint32_t others = view_count_clip_pictures(levels, *clip) - 1;
        if (frame < others)
            break;
        frame -= others;
    }
    return levels->first[*clip] + 1 + frame;
}

static bool draw_picture(const view_stage *stage, const view_kind *kind, uint32_t number,
                         md5_error *error)
{
    const view_levels *const levels = &kind->levels;
    uint32_t clip;
    const uint32_t frame = frame_in_order(levels, number, &clip);
    const md5_binding *const binding = kind->clips[clip];
    const double part =
        (double)(frame - levels->first[clip]) / view_count_clip_pictures(levels, clip);
    const md5_moment moment =
        md5_moment_at(binding->anim, part * binding->anim->duration, MD5_WRAP_LOOP);
    const uint32_t num_joints = kind->model->skeleton.num_joints;
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const joints = common_alloc(num_joints, sizeof *joints);
    md5_mat34 *const palette = common_alloc(num_joints, sizeof *palette);
    md5_pose_palette(binding, moment, MD5_ROOT_IN_PLACE, pose, joints, palette);
    const bool drawn = md5gl_draw_impostor_pictures(stage->renderer, levels->impostors, kind->drawn,
                                                    frame, palette, error);
    free(pose);
    free(joints);
    free(palette);
    return drawn;
}

// The display settings on which the pictures depend.
static uint32_t look_of(const view_stage *stage)
{
    const view_shown *const shown = stage->shown;
    return 1u | (uint32_t)shown->maps << 1 | (uint32_t)shown->two_sided << 2
           | (uint32_t)shown->checker << 3 | (uint32_t)stage->document->scene.dual << 4;
}

static bool prepare(const view_stage *stage, view_kind *kind, md5_error *error)
{
    view_levels *const levels = &kind->levels;
    const uint32_t count = view_count_pictures(levels), look = look_of(stage);
    if (look != levels->look)
        levels->num_drawn = 0;
    levels->look = look;
    if (levels->num_drawn >= count)
        return true;
    const bool in_window = stage->options->output == NULL && stage->options->num_frames == 0;
    uint32_t end = count;
    if (in_window && levels->num_drawn < levels->num_clips)
        end = levels->num_clips;
    else if (in_window && count - levels->num_drawn > PICTURES_A_FRAME)
        end = levels->num_drawn + PICTURES_A_FRAME;
    view_set_materials(stage, kind->textures, kind->drawn);
    for (; levels->num_drawn < end; levels->num_drawn++)
        if (!draw_picture(stage, kind, levels->num_drawn, error))
            return false;
    return true;
}

bool view_prepare_levels(const view_stage *stage, md5_error *error)
{
    view_crowd *const crowd = &stage->document->crowd;
    for (uint32_t k = 0; k < crowd->num_kinds; k++)
        if (crowd->kinds[k].levels.impostors != NULL && !prepare(stage, &crowd->kinds[k], error))
            return false;
    return true;
}

// -- Members ----------------------------------------------------------------------------------

float view_impostor_share(float size, float pixels)
{
    if (pixels <= 0.0f)
        return 0.0f;
    return view_clamp((1.25f * pixels - size) / (0.25f * pixels), 0.0f, 1.0f);
}

// -- Details ----------------------------------------------------------------------------------

// Writes the tints of a kind's visible models, and returns whether any fades into its impostor.
static bool set_tints(const view_kind *kind, const view_crowd *crowd)
{
    bool fades = false;
    for (uint32_t i = 0; i < kind->num_seen && kind->levels.impostors != NULL; i++) {
        const float share = crowd->members[kind->seen[i]].far_share;
        kind->levels.tints[i] = (md5_vec4){1.0f, 1.0f, 1.0f, 1.0f + share};
        fades = fades || share > 0.0f;
    }
    return fades;
}

static int compare_sizes(const void *a, const void *b)
{
    const view_sized *const x = a, *const y = b;
    if (x->pixels < y->pixels || x->pixels > y->pixels)
        return x->pixels > y->pixels ? -1 : 1;
    return (x->seen_at > y->seen_at) - (x->seen_at < y->seen_at);
}

// Where each level's members begin.
static void divide(view_kind *kind, const view_crowd *crowd)
{
    view_details *const details = &kind->details;
    for (uint32_t i = 0; i < details->count; i++)
        details->levels[i].num_instances = 0;
    for (uint32_t i = 0; i < kind->num_seen; i++)
        details->levels[crowd->members[kind->seen[i]].detail].num_instances++;
    for (uint32_t i = 0, first = 0; i < details->count; i++) {
        details->levels[i].first = first;
        first += details->levels[i].num_instances;
        details->levels[i].num_instances = 0;
    }
}

// Sorts the visible members by their levels and from near to far, so that fewer pixels are lit that
// others then cover.
static void sort_members(view_kind *kind, const view_crowd *crowd)
{
    view_details *const details = &kind->details;
    const size_t num_joints = kind->model->skeleton.num_joints;
    divide(kind, crowd);
    for (uint32_t i = 0; i < kind->num_seen; i++)
        details->order[i] = (view_sized){crowd->members[kind->seen[i]].pixels, i};
    qsort(details->order, kind->num_seen, sizeof *details->order, compare_sizes);
    for (uint32_t i = 0; i < kind->num_seen; i++) {
        const uint32_t from = details->order[i].seen_at;
        view_detail *const detail = &details->levels[crowd->members[kind->seen[from]].detail];
        const uint32_t to = detail->first + detail->num_instances++;
        memcpy(details->palettes + to * num_joints, kind->palettes + from * num_joints,
               num_joints * sizeof *kind->palettes);
        details->placements[to] = kind->placements[from];
        if (kind->levels.tints != NULL)
            details->tints[to] = kind->levels.tints[from];
    }
}

// Uploads the visible members of a kind to its models by their levels, and all of them to the
// model that casts shadows, which comes last. Call it only if the kind uses details.
static bool pose_details(const view_stage *stage, view_kind *kind, const view_crowd *crowd,
                         view_bodies *bodies, md5_error *error)
{
    const view_details *const details = &kind->details;
    const bool has_tints = set_tints(kind, crowd);
    sort_members(kind, crowd);
    for (uint32_t i = 0; i <= details->count; i++) {
        const view_detail all = {.drawn = details->casters, .num_instances = kind->num_seen};
        const view_detail *const detail = i < details->count ? &details->levels[i] : &all;
        const size_t first = detail->first;
        const unsigned shown =
            details->casters == NULL ? VIEW_BODY_SHOWN | VIEW_BODY_CASTS : VIEW_BODY_SHOWN;
        const md5gl_instances instances = {
            .count = detail->num_instances,
            .palettes = details->palettes + first * kind->model->skeleton.num_joints,
            .placements = details->placements + first,
            .tints = has_tints ? details->tints + first : NULL,
        };
        // The first is the kind's own model. A level is NULL if it is drawn as the one before.
        const unsigned uses = i == details->count ? VIEW_BODY_CASTS
                              : i == 0            ? shown | VIEW_BODY_STAGED
                                                  : shown;
        if (detail->drawn != NULL
            && !view_add_body(stage, bodies, uses, kind->textures, detail->drawn, &instances,
                              error))
            return false;
    }
    return true;
}

// == The crowd =============================================================================

// Characters with fewer pixels across than these are updated every second or fourth frame. A fast
// limb crosses the whole character in half a second; it then jumps by at most six pixels at 60
// frames per second.
static const float half_rate_pixels = 90.0f, quarter_rate_pixels = 45.0f;

// Longest time between updates, seconds: one drawing of an animated film at 12 per second.
static const float longest_wait = 1.0f / 12.0f;

// -- Advancing ------------------------------------------------------------------------------

static view_sphere sphere_of(const view_crowd *crowd, const view_member *member)
{
    const view_sphere sphere = crowd->kinds[member->kind].sphere;
    const md5_vec3 arm = md5_quat_rotate(member->place.rotation, sphere.centre);
    return (view_sphere){md5_vec3_add(member->place.translation, arm), sphere.radius};
}

// Whether a member is updated in this frame. Its index spreads the members of a rate over the
// frames.
static bool is_due(const view_crowd *crowd, view_sphere sphere, uint32_t number)
{
    if (crowd->sight == NULL || !crowd->spares)
        return true;
    const float pixels = view_pixels_across(crowd->sight, sphere);
    uint32_t stride = pixels < quarter_rate_pixels ? 4 : pixels < half_rate_pixels ? 2 : 1;
    while (stride > 1 && (float)stride * crowd->pace > longest_wait)
        stride /= 2;
    return (crowd->num_frames + number) % stride == 0;
}

// Baked vertices are blended linearly, so no member is baked while joints are blended otherwise.
static void choose_level(const view_crowd *crowd, view_member *member, view_sphere sphere)
{
    const view_kind *const kind = &crowd->kinds[member->kind];
    member->far_share = 0.0f;
    member->is_baked = false;
    member->detail = 0;
    if (!crowd->levels)
        return;
    const float pixels = view_pixels_across(crowd->sight, sphere);
    member->pixels = pixels;
    if (crowd->reduces)
        member->detail = view_detail_at(&kind->details, pixels);
    if (kind->levels.impostors != NULL)
        member->far_share = view_impostor_share(pixels, crowd->impostor_pixels);
    member->is_baked = member->far_share < 1.0f && view_is_baked(&kind->bakes, member->clip, pixels)
                       && !crowd->is_dual;
}

static void pose_player(const view_kind *kind, md5_player *player, unsigned char *scratch,
                        md5_mat34 *palette)
{
    md5_player_pose(player, (md5_xform *)(void *)scratch, NULL, palette,
                    scratch + view_pose_size(kind));
}

static void advance_part(void *user, uint32_t worker, size_t begin, size_t end)
{
    view_crowd *const crowd = user;
    for (size_t i = begin; i < end; i++) {
        view_member *const member = &crowd->members[i];
        const view_kind *const kind = &crowd->kinds[member->kind];
        md5_player *const player = crowd->players[i];
        view_sphere sphere = sphere_of(crowd, member);
        member->waited += crowd->step;
        member->is_due = is_due(crowd, sphere, (uint32_t)i);
        const bool advances = member->is_due && player != NULL;
        if (advances) {
            view_wander(crowd, (uint32_t)i);
            sphere = sphere_of(crowd, member);
        }
        if (member->is_due)
            member->waited = 0.0f;
        member->is_seen = crowd->sight != NULL && view_sees(crowd->sight, sphere);
        if (member->is_seen)
            choose_level(crowd, member, sphere);
        // Springs are also simulated while culled.
        if (advances && !member->is_seen && kind->has_springs)
            pose_player(kind, player, crowd->scratch + worker * crowd->scratch_size, NULL);
    }
}

// -- Posing ---------------------------------------------------------------------------------

// Updates the visible members and chooses those to pose. A member that becomes visible is always
// posed; one that is baked or drawn as an impostor only never is.
static void choose_posed(view_crowd *crowd)
{
    crowd->num_posed = 0;
    crowd->num_joints = 0;
    crowd->num_baked = 0;
    crowd->num_far = 0;
    crowd->num_faded = 0;
    for (uint32_t k = 0; k < crowd->num_kinds; k++) {
        crowd->kinds[k].levels.num_instances = 0;
        crowd->kinds[k].bakes.num_instances = 0;
        crowd->kinds[k].bakes.fades = false;
    }
    for (uint32_t i = 0; i < crowd->count; i++) {
        view_member *const member = &crowd->members[i];
        view_kind *const kind = &crowd->kinds[member->kind];
        const bool was_seen = member->seen_at != VIEW_UNSEEN;
        if (member->is_seen && member->far_share > 0.0f) {
            member->far_at = kind->levels.num_instances++;
            crowd->far[crowd->num_far++] = i;
            crowd->num_faded += member->far_share < 1.0f;
        }
        if (member->is_seen && member->is_baked) {
            member->baked_at = kind->bakes.num_instances++;
            kind->bakes.fades = kind->bakes.fades || member->far_share > 0.0f;
            crowd->baked[crowd->num_baked++] = i;
        }
        if (!member->is_seen || member->is_baked || member->far_share >= 1.0f) {
            if (!was_seen)
                continue;
            const uint32_t place = member->seen_at;
            member->seen_at = VIEW_UNSEEN;
            view_hide_member(kind, place);
            if (place < kind->num_seen) // another one has moved there
                crowd->members[kind->seen[place]].seen_at = place;
            continue;
        }
        if (!was_seen)
            member->seen_at = view_show_member(kind, i);
        if (was_seen && !member->is_due)
            continue;
        crowd->posed[crowd->num_posed++] = i;
        crowd->num_joints += kind->model->skeleton.num_joints;
    }
}

static size_t count_joints(const view_crowd *crowd, const view_member *member)
{
    return crowd->kinds[member->kind].model->skeleton.num_joints;
}

static md5_mat34 *palette_of(const view_crowd *crowd, const view_member *member)
{
    return crowd->kinds[member->kind].palettes + member->seen_at * count_joints(crowd, member);
}

// Poses clips into the buffer, and copies the palettes from there to the kinds' arrays, in one copy
// if they are adjacent.
static void pose_clips(view_crowd *crowd, size_t begin, size_t end, unsigned char *scratch)
{
    md5_pose_batch(crowd->poses + begin, end - begin, NULL, scratch);
    for (size_t i = begin; i < end;) {
        const view_member *member = &crowd->members[crowd->posed[i]];
        const md5_mat34 *const run = crowd->poses[i].palette;
        md5_mat34 *const place = palette_of(crowd, member);
        size_t count = 0;
        do {
            count += count_joints(crowd, member);
            if (++i < end)
                member = &crowd->members[crowd->posed[i]];
        } while (i < end && palette_of(crowd, member) == place + count);
        memcpy(place, run, count * sizeof *place);
    }
}

static md5_pose_job job_of(const view_crowd *crowd, const view_member *member, md5_mat34 *palette)
{
    const md5_binding *const binding = crowd->kinds[member->kind].clips[member->clip];
    return (md5_pose_job){
        .binding = binding,
        .moment = md5_moment_at(binding->anim, crowd->time + member->offset, MD5_WRAP_LOOP),
        .root = MD5_ROOT_IN_PLACE,
        .palette = palette,
    };
}

static void pose_part(void *user, uint32_t worker, size_t begin, size_t end)
{
    view_crowd *const crowd = user;
    unsigned char *const scratch = crowd->scratch + worker * crowd->scratch_size;
    md5_mat34 *const buffer = crowd->buffers + worker * crowd->buffer_size;
    md5_mat34 *palette = buffer;
    size_t first = begin; // of the pending clips, which are posed in one call
    for (size_t i = begin; i < end; i++) {
        const uint32_t number = crowd->posed[i];
        const view_member *const member = &crowd->members[number];
        const view_kind *const kind = &crowd->kinds[member->kind];
        const bool is_alone = crowd->players[number] != NULL; // players do not join a batch
        kind->placements[member->seen_at] = md5_mat34_from_xform(member->place);
        if (kind->morph_weights != NULL) {
            const view_morphs *const morphs = kind->morphs;
            const size_t place = member->seen_at;
            view_drive_morphs(morphs, crowd->players[number],
                              kind->reported + place * morphs->num_driven,
                              kind->morph_weights + place * morphs->morph->num_targets);
        }
        if (is_alone || i - first == VIEW_POSES_AT_ONCE) {
            pose_clips(crowd, first, i, scratch);
            first = is_alone ? i + 1 : i;
            palette = buffer;
        }
        if (is_alone) {
            pose_player(kind, crowd->players[number], scratch, palette_of(crowd, member));
        } else {
            crowd->poses[i] = job_of(crowd, member, palette);
            palette += count_joints(crowd, member);
        }
    }
    pose_clips(crowd, first, end, scratch);
}

static void place_baked(void *user, uint32_t worker, size_t begin, size_t end)
{
    view_crowd *const crowd = user;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const view_member *const member = &crowd->members[crowd->baked[i]];
        const md5_pose_job job = job_of(crowd, member, NULL);
        view_bakes *const bakes = &crowd->kinds[member->kind].bakes;
        bakes->jobs[member->baked_at] = view_baked_job(bakes, member->clip, &job.moment);
        bakes->placements[member->baked_at] = md5_mat34_from_xform(member->place);
        bakes->tints[member->baked_at] = (md5_vec4){1.0f, 1.0f, 1.0f, 1.0f + member->far_share};
    }
}

static void place_far(void *user, uint32_t worker, size_t begin, size_t end)
{
    view_crowd *const crowd = user;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const view_member *const member = &crowd->members[crowd->far[i]];
        view_levels *const levels = &crowd->kinds[member->kind].levels;
        const md5_anim *const anim = crowd->kinds[member->kind].clips[member->clip]->anim;
        const uint32_t picture =
            view_picture_at(levels, member->clip, anim, crowd->time + member->offset);
        levels->instances[member->far_at] = (md5gl_impostor){
            .rotation = member->place.rotation,
            .translation = member->place.translation,
            .scale = 1.0f,
            .frame = (float)picture,
            .shown = member->far_share,
        };
    }
}

// -- Updating -------------------------------------------------------------------------------

static void update(view_crowd *crowd, double seconds, const view_sight *sight)
{
    crowd->time += seconds;
    crowd->step = (float)seconds;
    crowd->sight = sight;
    md5_threads_run(crowd->threads, crowd->count, advance_part, crowd);
    if (sight == NULL)
        return;
    choose_posed(crowd);
    md5_threads_run(crowd->threads, crowd->num_posed, pose_part, crowd);
    md5_threads_run(crowd->threads, crowd->num_baked, place_baked, crowd);
    md5_threads_run(crowd->threads, crowd->num_far, place_far, crowd);
    crowd->num_frames++;
    crowd->sight = NULL;
}

void view_run_crowd(view_crowd *crowd, double time, const view_sight *sight)
{
    const uint64_t begin = SDL_GetPerformanceCounter();
    const double longest = 1.0 / 15.0, max_rest = 30.0;
    double rest = time - crowd->time;
    bool has_players = false;
    for (uint32_t k = 0; k < crowd->num_kinds; k++)
        has_players = has_players || crowd->kinds[k].machine != NULL;
    crowd->pace = fabsf((float)rest);
    // Only machines depend on the steps in between; clips can jump to any time.
    if (rest > max_rest || !has_players) {
        const double skipped = has_players ? rest - max_rest : rest;
        crowd->time += skipped;
        rest -= skipped;
    }
    while (rest > longest) {
        update(crowd, longest, NULL);
        rest -= longest;
    }
    update(crowd, rest, sight);
    crowd->last_seconds =
        (double)(SDL_GetPerformanceCounter() - begin) / (double)SDL_GetPerformanceFrequency();
    crowd->seconds = crowd->seconds > 0.0 ? 0.9 * crowd->seconds + 0.1 * crowd->last_seconds
                                          : crowd->last_seconds;
}

// -- Drawing --------------------------------------------------------------------------------

bool view_pose_crowd(const view_stage *stage, view_bodies *bodies, md5_error *error)
{
    enum { LIT = VIEW_BODY_CASTS | VIEW_BODY_SHOWN };
    const view_crowd *const crowd = &stage->document->crowd;
    for (uint32_t k = 0; k < crowd->num_kinds; k++) {
        view_kind *const kind = &stage->document->crowd.kinds[k];
        view_bakes *const bakes = &kind->bakes;
        view_levels *const levels = &kind->levels;
        const bool is_reduced = crowd->reduces && kind->details.count > 0;
        if (is_reduced && !pose_details(stage, kind, crowd, bodies, error))
            return false;
        if (!is_reduced) {
            const md5gl_instances models = {
                .count = kind->num_seen,
                .palettes = kind->palettes,
                .placements = kind->placements,
                .tints = set_tints(kind, crowd) ? levels->tints : NULL,
                .morph = kind->morph_weights != NULL ? kind->morphs->drawn : NULL,
                .weights = kind->morph_weights,
            };
            if (!view_add_body(stage, bodies, LIT | VIEW_BODY_STAGED, kind->textures, kind->drawn,
                               &models, error))
                return false;
        }
        if (bakes->clips != NULL) {
            const md5gl_instances baked = {
                .count = bakes->num_instances,
                .baked = bakes->clips,
                .jobs = bakes->jobs,
                .placements = bakes->placements,
                .tints = bakes->fades ? bakes->tints : NULL,
            };
            if (!view_add_body(stage, bodies, LIT, kind->textures, bakes->drawn, &baked, error))
                return false;
        }
        if (levels->impostors != NULL) {
            bodies->bodies[bodies->count++] = (view_body){LIT, NULL, NULL, levels->impostors};
            if (!md5gl_pose_impostors(stage->renderer, levels->impostors, levels->instances,
                                      levels->num_instances, error))
                return false;
        }
    }
    return true;
}

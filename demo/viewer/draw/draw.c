// Draws a picture: the bodies in it, posed once and then gone through for shadows, stages and lit
// surfaces. A crowd gives a body for each model and level of detail.
#include "demo/viewer/draw/draw.h"

#include "demo/common/memory.h"
#include "demo/viewer/assets/layers.h"
#include "demo/viewer/base/math.h"
#include "demo/viewer/crowd/crowd.h"

#include <SDL.h>
#include <stdlib.h>
#include <string.h>

// Sets the materials of a model, unless `textures` is NULL, poses it and adds it to the bodies.
static bool add_body(const view_stage *stage, view_bodies *bodies, unsigned uses,
                     const view_textures *textures, md5gl_model *drawn,
                     const md5gl_instances *instances, md5_error *error)
{
    if (textures != NULL)
        view_set_materials(stage, textures, drawn);
    bodies->bodies[bodies->count++] = (view_body){uses, textures, drawn, NULL};
    return md5gl_pose(stage->renderer, drawn, instances, error);
}

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

// Draws pictures that are missing or no longer up to date, before a frame: in a window a few at a
// time, so that it stays responsive, otherwise all.
static bool prepare_levels(const view_stage *stage, md5_error *error)
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
            && !add_body(stage, bodies, uses, kind->textures, detail->drawn, &instances, error))
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

// Uploads the poses of all kinds as bodies.
static bool pose_crowd(const view_stage *stage, view_bodies *bodies, md5_error *error)
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
            if (!add_body(stage, bodies, LIT | VIEW_BODY_STAGED, kind->textures, kind->drawn,
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
            if (!add_body(stage, bodies, LIT, kind->textures, bakes->drawn, &baked, error))
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

// == Ghosts ================================================================================

static const md5_vec4 earlier = {0.18f, 0.42f, 1.0f, 0.0f}, later = {1.0f, 0.42f, 0.10f, 0.0f};

uint32_t view_find_ghosts(const view_onion *onion, const view_play *play, const md5_anim *anim,
                          view_ghost ghosts[2 * VIEW_MAX_ONION])
{
    const uint32_t count = onion->count < VIEW_MAX_ONION ? onion->count : VIEW_MAX_ONION;
    uint32_t num_ghosts = 0;
    for (uint32_t i = 1; i <= count && anim->num_frames > 1; i++)
        for (int side = -1; side <= 1; side += 2) {
            const double way = (double)side * (double)i * (double)onion->step / anim->frame_rate;
            const double time = view_cycle_time(play, anim) + way;
            const bool is_outside = time < -1e-9 || time > anim->duration + 1e-9;
            if (play->wrap == MD5_WRAP_CLAMP && is_outside)
                continue;
            md5_vec4 tint = side > 0 ? later : earlier;
            tint.w = 1.0f + 0.3f + 0.5f * (float)i / (float)count; // farther ones: fewer pixels
            ghosts[num_ghosts++] = (view_ghost){
                .moment = md5_moment_at(anim, play->time + way, play->wrap), .tint = tint};
        }
    return num_ghosts;
}

static bool draw_ghost_bodies(const view_stage *stage, const view_ghost *ghosts, uint32_t count,
                              md5_error *error)
{
    view_document *const document = stage->document;
    view_scene *const scene = &document->scene;
    md5_mat34 *const palettes = common_alloc((size_t)count * scene->num_joints, sizeof *palettes);
    const view_morphs *const morphs = &document->morphs; // whose weights all ghosts have
    const size_t num_targets = morphs->drawn != NULL ? morphs->morph->num_targets : 0;
    float *const weights = common_alloc(count * num_targets + 1, sizeof *weights);
    md5_vec4 tints[2 * VIEW_MAX_ONION];
    for (uint32_t i = 0; i < count; i++) {
        if (num_targets > 0)
            memcpy(weights + i * num_targets, morphs->weights, num_targets * sizeof *weights);
        view_pose_moment(scene, &ghosts[i].moment);
        memcpy(palettes + (size_t)i * scene->num_joints, scene->palette,
               scene->num_joints * sizeof *palettes);
        tints[i] = ghosts[i].tint;
    }
    const md5gl_instances instances = {.count = count,
                                       .palettes = palettes,
                                       .tints = tints,
                                       .morph = morphs->drawn,
                                       .weights = weights};
    const bool is_posed = md5gl_pose(stage->renderer, document->drawn, &instances, error);
    if (is_posed)
        md5gl_draw_model(stage->renderer, document->drawn, MD5GL_LIT | MD5GL_UNTEXTURED);
    free(weights);
    free(palettes);
    return is_posed;
}

static void draw_bones(const view_stage *stage, const view_ghost *ghosts, uint32_t count)
{
    view_scene *const scene = &stage->document->scene;
    view_clear_lines(stage->lines);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t color = ghosts[i].tint.x < 0.5f ? 0x3E62B0FF : 0xB0482EFF;
        view_pose_moment(scene, &ghosts[i].moment);
        view_add_bones(stage->lines, scene, color);
    }
    if (stage->lines->count > 0)
        md5gl_draw_lines(stage->renderer, stage->lines->vertices, stage->lines->count,
                         stage->font->scale, true);
}

// Draws them, if a clip is shown: the model without textures, or the bones if there is no model.
// Call it within a frame, last of what draws the document's model. Returns false and fills `error`
// on failure.
static bool draw_ghosts(const view_stage *stage, md5_error *error)
{
    view_ghost ghosts[2 * VIEW_MAX_ONION];
    view_scene *const scene = &stage->document->scene;
    const bool plays = view_motion_of(scene)->clip_use >= VIEW_CLIP_PLAYED;
    if (stage->onion.count == 0 || view_shows_crowd(stage->document) || !plays)
        return true;
    const md5_anim *const anim = view_shown_anim(scene);
    const uint32_t count =
        anim != NULL ? view_find_ghosts(&stage->onion, stage->play, anim, ghosts) : 0;
    bool is_drawn = true;
    if (count == 0)
        return true;
    if (stage->document->drawn != NULL)
        is_drawn = draw_ghost_bodies(stage, ghosts, count, error);
    else
        draw_bones(stage, ghosts, count);
    view_pose(scene, stage->play);
    return is_drawn;
}

// == Companions ============================================================================

// Writes the companion's palette and returns its placement.
static md5_mat34 pose(view_companion *companion, const view_document *document)
{
    const md5_skeleton *const skeleton = &companion->model->skeleton;
    const view_scene *const scene = &document->scene;
    if (companion->machine != NULL) {
        // A guest's palette is in the world already.
        view_pose_machine(companion->machine, skeleton->num_joints, companion->pose,
                          companion->joints, companion->palette);
        return companion->joint >= 0 ? scene->joints[companion->joint]
                                     : md5_mat34_from_xform((md5_xform){.rotation = {.w = 1.0f}});
    }
    const bool is_compared = companion == &document->companions[VIEW_COMPARED];
    // To the left of the scene's model, or to the right of it.
    const float side = is_compared ? -1.0f : 1.0f;
    const md5_xform aside = {
        .rotation = {.w = 1.0f},
        .translation = {0.0f, side * view_companion_distance(companion, scene), 0.0f},
    };
    md5_mat34 place =
        md5_mat34_mul(md5_mat34_from_xform(aside), md5_mat34_from_xform(view_place_of(scene)));
    if (scene->turn.is_set)
        place = md5_mat34_mul(place, scene->turn.matrix);
    if (is_compared) {
        md5_build_palette(companion->model, document->compare.joints, companion->palette);
        return place;
    }
    if (companion->retarget != NULL) {
        md5_retarget_pose(companion->retarget, scene->pose, companion->pose, companion->scratch);
    } else {
        memcpy(companion->pose, companion->model->bind_local,
               skeleton->num_joints * sizeof *companion->pose);
        place = scene->joints[companion->joint];
    }
    md5_local_to_model(skeleton, companion->pose, companion->palette);
    md5_build_palette(companion->model, companion->palette, companion->palette);
    return place;
}

// == Surface: weights or a grid on the body ================================================

// In a crowd there is no single marked joint.
static bool shows_weights(const view_stage *stage)
{
    return stage->surface == VIEW_SURFACE_WEIGHTS && stage->document->drawn != NULL
           && !view_shows_crowd(stage->document);
}

// Prepares what the surface that is switched on needs. Call it before each picture, outside of a
// frame. Returns false and fills `error` on failure.
static bool prepare_surface(const view_stage *stage, md5_error *error)
{
    view_document *const document = stage->document;
    if (stage->surface == VIEW_SURFACE_UV && document->drawn != NULL)
        return view_ready_uv_grid(&document->surfaces, stage->renderer, error);
    if (!shows_weights(stage))
        return true;
    if (!view_ready_heat(&document->surfaces, stage->renderer, document->scene.model,
                         document->scene.morph, stage->joint, error))
        return false;
    // The coloured copy is blended, hidden and bent as the model.
    md5gl_model *const copy = document->surfaces.heat.drawn;
    for (uint32_t i = 0; i < document->textures.num_meshes; i++) {
        const bool is_hidden = i < 64 && (stage->hidden_meshes >> i & 1) != 0;
        const md5gl_material usual =
            view_mesh_material(&document->textures, stage->renderer, i, false, stage->play->time);
        const md5gl_material plain = {.two_sided = usual.two_sided || stage->shown->two_sided};
        md5gl_set_visible(copy, i, !is_hidden);
        md5gl_set_material(copy, 0, i, &plain);
    }
    const md5gl_blending blending = document->scene.dual ? MD5GL_BLEND_DUAL : MD5GL_BLEND_LINEAR;
    return md5gl_set_blending(stage->renderer, copy, blending, error);
}

// == One picture ===========================================================================

static const view_color sky = 0x47515FFF, floor_color = 0x262B33FF;

// The gradient's middle: the background colour where no gradient is drawn.
static const float middle[3] = {0.214f, 0.243f, 0.286f};

view_lens view_stage_lens(const view_stage *stage, float width, float height)
{
    if (stage->following)
        return view_path_lens(stage->document, stage->play, stage->camera, width, height);
    const view_rect region = stage->region;
    view_camera camera = *stage->camera;
    camera.target = md5_vec3_add(camera.target, view_walked(&stage->document->scene, stage->play));
    view_lens lens = view_camera_lens(&camera, region.width, region.height);
    view_widen_lens(&lens, region.x, region.y, region.width, region.height, width, height);
    return lens;
}

void view_draw_background(const view_stage *stage, float width, float height)
{
    view_clear_canvas(stage->canvas);
    view_draw_gradient(stage->canvas, (view_rect){0, 0, width, height}, sky, floor_color);
    md5gl_draw_panel(stage->renderer, stage->font->mask, MD5GL_TEXTURE_MASK,
                     stage->canvas->vertices, stage->canvas->count);
}

// -- Bodies ---------------------------------------------------------------------------------

// The document's model and its companions.
static bool pose_document(const view_stage *stage, view_bodies *bodies, md5_error *error)
{
    enum { ALL = VIEW_BODY_CASTS | VIEW_BODY_SHOWN | VIEW_BODY_STAGED };
    view_document *const document = stage->document;
    const bool is_heat = shows_weights(stage); // a coloured copy, with targets of its own
    const md5gl_instances model = {
        .count = 1,
        .palettes = document->scene.palette,
        .morph = is_heat ? document->surfaces.drawn_morph : document->morphs.drawn,
        .weights = document->morphs.weights,
    };
    if (!add_body(stage, bodies, is_heat ? VIEW_BODY_CASTS | VIEW_BODY_SHOWN : ALL,
                  is_heat ? NULL : &document->textures,
                  is_heat ? document->surfaces.heat.drawn : document->drawn, &model, error))
        return false;
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++) {
        view_companion *const companion = &document->companions[i];
        if (companion->model == NULL)
            continue;
        companion->place = pose(companion, document);
        const md5gl_instances one = {
            .count = 1, .palettes = companion->palette, .placements = &companion->place};
        if (!add_body(stage, bodies, ALL, companion->textures, companion->drawn, &one, error))
            return false;
    }
    return true;
}

// Draws what has a use: their shadows, or themselves in a style.
static void draw_bodies(const view_stage *stage, const view_bodies *bodies, view_body_use use,
                        uint32_t style)
{
    const bool is_shadow = use == VIEW_BODY_CASTS;
    for (uint32_t i = 0; i < bodies->count; i++) {
        const view_body *const body = &bodies->bodies[i];
        if ((body->uses & use) == 0)
            continue;
        if (body->impostors != NULL && is_shadow)
            md5gl_draw_impostor_shadows(stage->renderer, body->impostors);
        else if (body->impostors != NULL)
            md5gl_draw_impostors(stage->renderer, body->impostors, style);
        else if (is_shadow)
            md5gl_draw_shadows(stage->renderer, body->drawn);
        else
            md5gl_draw_model(stage->renderer, body->drawn, style);
    }
}

static bool draw_layers(const view_stage *stage, const view_bodies *bodies, md5gl_stage_pass pass,
                        md5_error *error)
{
    bool is_drawn = true;
    for (uint32_t i = 0; i < bodies->count && is_drawn; i++)
        if ((bodies->bodies[i].uses & VIEW_BODY_STAGED) != 0)
            is_drawn = view_draw_layers(stage, &bodies->bodies[i], pass, error);
    return is_drawn;
}

static bool draw_models(const view_stage *stage, view_bodies *bodies, md5_error *error)
{
    const view_shown *const shown = stage->shown;
    const bool has_textures =
        stage->surface == VIEW_SURFACE_LIT || stage->surface == VIEW_SURFACE_TEXTURES;
    uint32_t style = MD5GL_LIT;
    if (shown->untextured && has_textures)
        style |= MD5GL_UNTEXTURED;
    if (shown->edges)
        style |= MD5GL_WIREFRAME;
    if (stage->document->drawn == NULL)
        return true;
    if (!(view_shows_crowd(stage->document) ? pose_crowd(stage, bodies, error)
                                            : pose_document(stage, bodies, error)))
        return false;
    draw_bodies(stage, bodies, VIEW_BODY_CASTS, 0);
    if (!draw_layers(stage, bodies, MD5GL_STAGE_PASS_SHADOWS, error))
        return false;
    draw_bodies(stage, bodies, VIEW_BODY_SHOWN, style);
    return draw_layers(stage, bodies, MD5GL_STAGE_PASS_BASES, error);
}

// -- Canvas ---------------------------------------------------------------------------------

void view_draw_canvas(const view_stage *stage)
{
    const view_canvas *const canvas = stage->canvas;
    uint32_t done = 0;
    for (uint32_t i = 0; i <= canvas->num_images; i++) {
        const uint32_t end = i < canvas->num_images ? canvas->images[i].first : canvas->count;
        if (end > done)
            md5gl_draw_panel(stage->renderer, stage->font->mask, MD5GL_TEXTURE_MASK,
                             canvas->vertices + done, end - done);
        done = end;
        if (i < canvas->num_images)
            md5gl_draw_panel(stage->renderer, canvas->images[i].image,
                             canvas->images[i].is_color ? MD5GL_TEXTURE_COLOR
                                                        : MD5GL_TEXTURE_NORMALS,
                             canvas->images[i].vertices, 6);
    }
}

// Sets from where deformed surfaces are seen; run the crowd first.
static void see_deforms(view_document *document, const view_lens *lens)
{
    const view_crowd *const crowd = &document->crowd;
    const md5_deform_view view = {lens->eye, md5_vec3_scale(lens->axes.right, -1.0f),
                                  lens->axes.up};
    view_see_deforms(&document->textures.layers, &view, NULL, 0);
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++) {
        const view_companion *const companion = &document->companions[i];
        if (companion->textures != NULL)
            view_see_deforms(&companion->textures->layers, &view, &companion->place, 1);
    }
    for (uint32_t i = 0; i < crowd->num_kinds; i++) {
        const view_kind *const kind = &crowd->kinds[i];
        if (kind->textures != NULL)
            view_see_deforms(&kind->textures->layers, &view, kind->placements, kind->num_seen);
    }
}

bool view_draw_world(const view_stage *stage, md5gl_target *target, uint32_t width, uint32_t height,
                     bool transparent, md5_error *error)
{
    view_document *const document = stage->document;
    view_crowd *const crowd = &document->crowd;
    const bool is_crowd = view_shows_crowd(document);
    const bool has_color = stage->options->background_given;
    const float radius = stage->camera->scene_radius;
    const view_loader loader = {stage->options, stage->renderer, stage->log, NULL};
    view_blend_document(document, &loader);
    if (document->scene.dual && !is_crowd) // for the bounds of the shadow casters
        view_skin(&document->scene);
    md5gl_point_light points[VIEW_NUM_POINTS];
    md5gl_frame frame = {.target = target, .width = width, .height = height};
    for (int i = 0; i < 3 && !transparent; i++)
        frame.background[i] = has_color ? stage->options->background[i] : middle[i];
    frame.background[3] = transparent ? 0.0f : 1.0f;
    const view_lens lens = view_stage_lens(stage, (float)width, (float)height);
    view_lens_matrices(&lens, &frame.view_from_world, &frame.clip_from_view);
    view_set_lights(stage, lens.axes, points, &frame);
    if (!prepare_levels(stage, error) || !prepare_surface(stage, error))
        return false;
    if (is_crowd) { // only members that are visible in this picture are posed
        view_sight sight =
            view_make_sight(&lens, &frame, fminf(document->ground, document->bounds.min.z));
        sight.all = !crowd->culls;
        crowd->levels = stage->shown->levels;
        crowd->reduces = stage->shown->levels && !stage->shown->edges;
        view_run_crowd(crowd, stage->play->time, &sight);
    }
    see_deforms(document, &lens);
    md5gl_begin_frame(stage->renderer, &frame);
    if (!transparent && !has_color) {
        if (stage->shown->environment_behind && view_shown_environment(stage) != NULL)
            md5gl_draw_environment(stage->renderer);
        else
            view_draw_background(stage, (float)width, (float)height);
    }
    view_bodies bodies = {.count = 0};
    bool is_drawn = draw_models(stage, &bodies, error);
    // Blended, and writes no depth: after the model.
    const bool is_level = document->scene.terrain.num_feet == 0;
    if (is_level && !transparent && is_drawn && document->drawn != NULL)
        md5gl_draw_ground(stage->renderer, view_centre(frame.casters), 3.0f * radius);
    if (is_level && stage->shown->grid) {
        // The cell is a power of ten, and small beside the model.
        const float cell = powf(10.0f, floorf(log10f(radius * 0.6f)));
        md5_vec3 centre =
            md5_vec3_add(view_centre(document->bounds), view_walked(&document->scene, stage->play));
        centre.z = document->ground;
        md5gl_draw_grid(stage->renderer, document->ground, cell, centre, 7.0f * radius);
    }
    is_drawn = is_drawn && draw_layers(stage, &bodies, MD5GL_STAGE_PASS_STAGES, error)
               && draw_ghosts(stage, error); // over the ground
    view_draw_overlays(stage, (float)width / (float)height);
    return is_drawn;
}

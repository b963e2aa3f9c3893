#include "demo/view_crowd.h"

#include "demo/common_file.h"
#include "demo/common_memory.h"
#include "demo/view.h"
#include "demo/view_math.h"
#include "demo/view_whims.h"

#include <stdlib.h>
#include <string.h>

#include <SDL.h>

// Room between two characters, as a share of their size.
static const float room = 1.1f;

// Characters that are fewer pixels across than this are updated every second frame, and every
// fourth. A limb that crosses all of one in half a second, which is fast, then jumps by no more
// than six pixels at 60 frames a second.
static const float half_rate_pixels = 90.0f, quarter_rate_pixels = 45.0f;

// But at least so often, seconds: cartoons hold a drawing for as long.
static const float longest_wait = 1.0f / 12.0f;

// Poses that are made at once in a buffer that a second-level cache holds. From there they go to
// memory one by one: straight into the palettes of thousands, of which the batch writes up to 16
// side by side, each line would be waited for, and all of it takes three times as long.
enum { AT_ONCE = 32 };

// -- Making ---------------------------------------------------------------------------------

static bool is_model(const char *file)
{
    return !common_has_ending(file, ".md5anim") && !common_has_ending(file, ".md5camera");
}

size_t view_count_first(const char *const *files, size_t num_files)
{
    size_t count = 0;
    for (size_t num_models = 0; count < num_files; count++) {
        num_models += is_model(files[count]);
        if (num_models > 1)
            break;
    }
    return count;
}

static void keep_files(view_crowd *crowd, const char *const *files, size_t num_files)
{
    crowd->files = common_alloc(num_files, sizeof *crowd->files);
    crowd->num_files = num_files;
    for (size_t i = 0; i < num_files; i++)
        crowd->files[i] = common_copy(files[i]);
}

static bool make_kinds(view_state *viewer, const char *const *files, size_t num_files)
{
    view_crowd *const crowd = &viewer->crowd;
    uint32_t num_kinds = 1;
    for (size_t i = 0; i < num_files; i++)
        num_kinds += is_model(files[i]);
    if (num_kinds > VIEW_MOST_KINDS || num_kinds > crowd->count) {
        view_error(&viewer->log, "%u models for a crowd of %u; at most %d, and one a character",
                   (unsigned)num_kinds, (unsigned)crowd->count, VIEW_MOST_KINDS);
        return false;
    }
    for (uint32_t i = 0; i < num_kinds; i++) {
        const uint32_t begin = (uint32_t)((uint64_t)crowd->count * i / num_kinds);
        const uint32_t end = (uint32_t)((uint64_t)crowd->count * (i + 1) / num_kinds);
        const size_t own = i > 0 ? view_count_first(files, num_files) : 0;
        view_kind *const kind = &crowd->kinds[crowd->num_kinds++];
        if (!view_make_kind(viewer, kind, files, own, i > 0 ? &crowd->kinds[0] : NULL, begin,
                            end - begin))
            return false;
        crowd->size = fmaxf(crowd->size, view_size(kind->model->bounds));
        files += own;
        num_files -= own;
    }
    return true;
}

// The clips one after another, and the characters of each all over it: so neighbours in memory are
// neighbours in time, and read the same frames.
static void choose_clip(const view_kind *kind, view_member *member, uint32_t number)
{
    const uint32_t count = kind->end - kind->begin, place = number - kind->begin;
    member->clip = (uint32_t)((uint64_t)place * kind->num_clips / count);
    const double share = (double)count / kind->num_clips;
    const double part = ((double)place + (double)view_next_random(&member->random)) / share;
    member->offset = kind->clips[member->clip]->anim->duration * (part - (double)member->clip);
}

static void place_member(const view_crowd *crowd, view_member *member, uint32_t cell)
{
    const uint32_t side = (uint32_t)ceil(sqrt((double)crowd->count));
    const float step = room * crowd->size;
    const uint32_t row = cell / side, column = cell % side;
    const float x = (float)column + 0.6f * (view_next_random(&member->random) - 0.5f);
    const float y = (float)row + 0.6f * (view_next_random(&member->random) - 0.5f);
    const float half = VIEW_PI * (view_next_random(&member->random) - 0.5f);
    member->place.translation =
        (md5_vec3){(x + 0.5f) * step - crowd->spread, (y + 0.5f) * step - crowd->spread, 0.0f};
    // All face the beholder, more or less.
    member->place.rotation = (md5_quat){.z = sinf(0.35f * half), .w = cosf(0.35f * half)};
}

static void make_members(view_crowd *crowd)
{
    const uint32_t side = (uint32_t)ceil(sqrt((double)crowd->count));
    uint32_t *const cells = common_alloc(crowd->count, sizeof *cells);
    uint64_t random = UINT64_C(0x9E3779B97F4A7C15);
    crowd->spread = 0.5f * room * crowd->size * (float)side;
    // Kinds and clips are mixed by shuffling the places.
    for (uint32_t i = 0; i < crowd->count; i++) {
        const uint32_t other = (uint32_t)(view_next_random(&random) * (float)(i + 1)) % (i + 1);
        cells[i] = cells[other];
        cells[other] = i;
    }
    for (uint32_t k = 0; k < crowd->num_kinds; k++) {
        const view_kind *const kind = &crowd->kinds[k];
        for (uint32_t i = kind->begin; i < kind->end; i++) {
            view_member *const member = &crowd->members[i];
            *member = (view_member){.kind = k, .seen_at = VIEW_UNSEEN};
            member->random = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
            for (int warm = 0; warm < 4; warm++)
                (void)view_next_random(&member->random);
            place_member(crowd, member, cells[i]);
            member->next_whim = 3.0 * (double)view_next_random(&member->random);
            if (kind->machine == NULL)
                choose_clip(kind, member, i);
        }
    }
    free(cells);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

// Whole cache lines, so that no two threads write to the same.
enum { LINE = 64 };

static size_t pose_size(const view_kind *kind)
{
    return kind->model->skeleton.num_joints * sizeof(md5_transform);
}

static bool make_players(view_crowd *crowd, view_log *log)
{
    for (uint32_t k = 0; k < crowd->num_kinds; k++) {
        const view_kind *const kind = &crowd->kinds[k];
        for (uint32_t i = kind->begin; i < kind->end && kind->machine != NULL; i++) {
            md5_error error;
            crowd->players[i] = md5_create_player(kind->machine, NULL, &error);
            if (crowd->players[i] == NULL) {
                view_log_error(log, &error);
                return false;
            }
        }
    }
    return true;
}

static void make_scratch(view_crowd *crowd)
{
    const uint32_t num_workers = view_count_workers(crowd->workers);
    for (uint32_t k = 0; k < crowd->num_kinds; k++) {
        const view_kind *const kind = &crowd->kinds[k];
        md5_pose_job job = {0};
        if (kind->machine == NULL)
            job.binding = kind->clips[0];
        const size_t size = kind->machine != NULL
                                ? md5_player_scratch(kind->machine) + pose_size(kind)
                                : md5_pose_batch_scratch(&job, 1);
        const size_t num_joints = kind->model->skeleton.num_joints;
        crowd->scratch_size = larger(crowd->scratch_size, (size / LINE + 2) * LINE);
        crowd->buffer_size = larger(crowd->buffer_size, AT_ONCE * num_joints + LINE);
    }
    crowd->scratch = common_alloc(num_workers, crowd->scratch_size);
    crowd->buffers = common_alloc(num_workers, crowd->buffer_size * sizeof *crowd->buffers);
}

bool view_make_crowd(view_state *viewer, const char *const *files, size_t num_files, uint32_t count)
{
    view_crowd *const crowd = &viewer->crowd;
    const view_options *const options = viewer->options;
    // A picture shows its moment.
    *crowd = (view_crowd){
        .count = count,
        .culls = !options->crowd_exact,
        .spares = !options->crowd_exact && options->output == NULL,
    };
    keep_files(crowd, files, num_files);
    crowd->members = common_alloc(count, sizeof *crowd->members);
    crowd->players = common_alloc(count, sizeof(md5_player *));
    crowd->posed = common_alloc(count, sizeof *crowd->posed);
    crowd->poses = common_alloc(count, sizeof *crowd->poses);
    crowd->workers = view_start_workers(0);
    if (!make_kinds(viewer, files, num_files) || !make_players(crowd, &viewer->log)) {
        view_free_crowd(viewer);
        return false;
    }
    make_members(crowd);
    make_scratch(crowd);
    return true;
}

void view_free_crowd(view_state *viewer)
{
    view_crowd *const crowd = &viewer->crowd;
    for (uint32_t i = 0; i < crowd->count; i++)
        md5_free_player(crowd->players[i]);
    // What is borrowed refers to the first kind's.
    for (uint32_t k = crowd->num_kinds; k-- > 0;)
        view_free_kind(viewer, &crowd->kinds[k]);
    for (size_t i = 0; i < crowd->num_files; i++)
        free(crowd->files[i]);
    view_stop_workers(crowd->workers);
    free(crowd->files);
    free(crowd->members);
    free(crowd->players);
    free(crowd->posed);
    free(crowd->poses);
    free(crowd->scratch);
    free(crowd->buffers);
    *crowd = (view_crowd){0};
}

// -- Living ---------------------------------------------------------------------------------

static view_sphere sphere_of(const view_crowd *crowd, const view_member *member)
{
    const view_sphere sphere = crowd->kinds[member->kind].sphere;
    const md5_vec3 arm = view_rotate(member->place.rotation, sphere.centre);
    return (view_sphere){view_add(member->place.translation, arm), sphere.radius};
}

// Whether it is this one's turn: the numbers spread those of one rate evenly over the frames.
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

// Springs swing, and an inertial transition looks at the pose it leaves, also where nobody sees it.
static bool must_pose(const view_kind *kind, const md5_player *player)
{
    const uint32_t num_layers = md5_machine_tables(kind->machine)->num_layers;
    for (uint32_t i = 0; i < num_layers && !kind->remembers; i++)
        if (md5_player_layer(player, i).from >= 0)
            return true;
    return kind->remembers;
}

static void pose_player(const view_kind *kind, md5_player *player, unsigned char *scratch,
                        md5_mat34 *palette)
{
    md5_player_pose(player, scratch + pose_size(kind), (md5_transform *)(void *)scratch, NULL,
                    palette);
}

static void live_part(void *user, uint32_t worker, size_t begin, size_t end)
{
    view_crowd *const crowd = user;
    for (size_t i = begin; i < end; i++) {
        view_member *const member = &crowd->members[i];
        const view_kind *const kind = &crowd->kinds[member->kind];
        md5_player *const player = crowd->players[i];
        view_sphere sphere = sphere_of(crowd, member);
        member->waited += crowd->step;
        member->is_due = is_due(crowd, sphere, (uint32_t)i);
        const bool goes_on = member->is_due && player != NULL;
        if (goes_on) {
            view_live(crowd, (uint32_t)i);
            sphere = sphere_of(crowd, member);
        }
        if (member->is_due)
            member->waited = 0.0f;
        member->is_seen = crowd->sight != NULL && view_sees(crowd->sight, sphere);
        if (goes_on && !member->is_seen && must_pose(kind, player))
            pose_player(kind, player, crowd->scratch + worker * crowd->scratch_size, NULL);
    }
}

// -- Posing ---------------------------------------------------------------------------------

static void hide(view_crowd *crowd, view_member *member)
{
    view_kind *const kind = &crowd->kinds[member->kind];
    const uint32_t place = member->seen_at;
    member->seen_at = VIEW_UNSEEN;
    view_hide_member(kind, place);
    if (place < kind->num_seen)
        crowd->members[kind->seen[place]].seen_at = place;
}

// Who is seen from now on, and who of them is posed. Those that come into sight always are.
static void choose_posed(view_crowd *crowd)
{
    crowd->num_posed = 0;
    crowd->num_joints = 0;
    for (uint32_t i = 0; i < crowd->count; i++) {
        view_member *const member = &crowd->members[i];
        const bool was_seen = member->seen_at != VIEW_UNSEEN;
        if (!member->is_seen) {
            if (was_seen)
                hide(crowd, member);
            continue;
        }
        if (!was_seen)
            member->seen_at = view_show_member(&crowd->kinds[member->kind], i);
        if (was_seen && !member->is_due)
            continue;
        crowd->posed[crowd->num_posed++] = i;
        crowd->num_joints += crowd->kinds[member->kind].model->skeleton.num_joints;
    }
}

static md5_mat34 *palette_of(const view_crowd *crowd, const view_member *member)
{
    const view_kind *const kind = &crowd->kinds[member->kind];
    return kind->palettes + (size_t)member->seen_at * kind->model->skeleton.num_joints;
}

// Poses clips into the buffer, and copies the palettes from there to their places, in runs where
// they lie side by side.
static void pose_clips(view_crowd *crowd, size_t begin, size_t end, unsigned char *scratch)
{
    const unsigned char *run = NULL;
    unsigned char *place = NULL;
    size_t size = 0;
    md5_pose_batch(crowd->poses + begin, end - begin, scratch);
    for (size_t i = begin; i < end; i++) {
        const view_member *const member = &crowd->members[crowd->posed[i]];
        unsigned char *const next = (void *)palette_of(crowd, member);
        if (next != place + size) {
            if (size > 0)
                memcpy(place, run, size);
            run = (const void *)crowd->poses[i].palette;
            place = next;
            size = 0;
        }
        size += crowd->kinds[member->kind].model->skeleton.num_joints * sizeof(md5_mat34);
    }
    if (size > 0)
        memcpy(place, run, size);
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
    size_t first = begin; // of the clips that wait for being posed at once
    for (size_t i = begin; i < end; i++) {
        const uint32_t number = crowd->posed[i];
        const view_member *const member = &crowd->members[number];
        const view_kind *const kind = &crowd->kinds[member->kind];
        const bool is_player = crowd->players[number] != NULL;
        kind->placements[member->seen_at] = md5_mat34_from_transform(member->place);
        if (is_player || i - first == AT_ONCE) {
            pose_clips(crowd, first, i, scratch);
            first = is_player ? i + 1 : i;
            palette = buffer;
        }
        if (is_player) {
            pose_player(kind, crowd->players[number], scratch, palette_of(crowd, member));
        } else {
            crowd->poses[i] = job_of(crowd, member, palette);
            palette += kind->model->skeleton.num_joints;
        }
    }
    pose_clips(crowd, first, end, scratch);
}

// -- Updating -------------------------------------------------------------------------------

static void update(view_crowd *crowd, double seconds, const view_sight *sight)
{
    crowd->time += seconds;
    crowd->step = (float)seconds;
    crowd->sight = sight;
    view_run_workers(crowd->workers, crowd->count, live_part, crowd);
    if (sight == NULL)
        return;
    choose_posed(crowd);
    view_run_workers(crowd->workers, crowd->num_posed, pose_part, crowd);
    crowd->num_frames++;
    crowd->sight = NULL;
}

static bool has_players(const view_crowd *crowd)
{
    for (uint32_t k = 0; k < crowd->num_kinds; k++)
        if (crowd->kinds[k].machine != NULL)
            return true;
    return false;
}

void view_run_crowd(view_crowd *crowd, double time, const view_sight *sight)
{
    const uint64_t begin = SDL_GetPerformanceCounter();
    const double longest = 1.0 / 15.0, most = 30.0;
    double rest = time - crowd->time;
    crowd->pace = fabsf((float)rest);
    // Only what a machine does depends on the way there.
    if (rest > most || !has_players(crowd)) {
        const double skipped = has_players(crowd) ? rest - most : rest;
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

uint32_t view_count_seen(const view_crowd *crowd)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < crowd->num_kinds; k++)
        count += crowd->kinds[k].num_seen;
    return count;
}

// -- Drawing --------------------------------------------------------------------------------

bool view_pose_crowd(view_state *viewer, md5_error *error)
{
    view_crowd *const crowd = &viewer->crowd;
    bool posed = true;
    for (uint32_t k = 0; k < crowd->num_kinds && posed; k++) {
        const view_kind *const kind = &crowd->kinds[k];
        view_set_materials(viewer, kind->textures, kind->drawn);
        posed = md5gl_pose_models(viewer->renderer, kind->drawn, kind->palettes, kind->placements,
                                  kind->num_seen, error);
    }
    return posed;
}

void view_shade_crowd(view_state *viewer)
{
    for (uint32_t k = 0; k < viewer->crowd.num_kinds; k++)
        md5gl_draw_shadows(viewer->renderer, viewer->crowd.kinds[k].drawn);
}

void view_draw_crowd(view_state *viewer, uint32_t style)
{
    for (uint32_t k = 0; k < viewer->crowd.num_kinds; k++)
        md5gl_draw_posed(viewer->renderer, viewer->crowd.kinds[k].drawn, style);
}

#include "demo/viewer/crowd/crowd.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"
#include "demo/common/threads.h"
#include "demo/viewer/assets/layers.h"
#include "demo/viewer/base/math.h"

#include <stdlib.h>

// How fast the speed approaches the wanted one, per second, and how fast a member at the border
// turns back, radians per second.
static const float speed_rate = 2.0f, turn_back_rate = 1.2f;

// xorshift, Marsaglia 2003.
static float next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (float)(*state >> 40) / (float)(1 << 24);
}

void view_wander(view_crowd *crowd, uint32_t number)
{
    view_member *const member = &crowd->members[number];
    const view_kind *const kind = &crowd->kinds[member->kind];
    const md5_machine_desc *const desc = md5_machine_tables(kind->machine);
    md5_player *const player = crowd->players[number];
    const float seconds = member->waited;
    // Chooses a new speed or fires a trigger.
    if (crowd->time >= member->next_choice) {
        const uint32_t choice = (uint32_t)(next_random(&member->random) * 4.0f);
        member->next_choice = crowd->time + 1.5 + 4.0 * (double)next_random(&member->random);
        const float part = next_random(&member->random);
        if (choice == 0 && desc->num_parameters > 0) {
            const uint32_t parameter =
                (uint32_t)(part * (float)desc->num_parameters) % desc->num_parameters;
            if (desc->parameters[parameter].kind == MD5_PARAMETER_TRIGGER)
                (void)md5_player_set(player, parameter, 1.0f);
        } else {
            float low, high;
            view_parameter_range(kind->machine, "speed", &low, &high);
            member->wanted_speed = choice == 1 ? 0.0f : (part < 0.75f ? 0.36f : 1.0f) * high;
        }
    }
    const uint32_t speed = md5_find_parameter(kind->machine, "speed");
    if (speed != MD5_NONE) {
        const float now = md5_player_get(player, speed);
        const float part = fminf(speed_rate * seconds, 1.0f);
        (void)md5_player_set(player, speed, now + (member->wanted_speed - now) * part);
    }
    // A member that leaves the square turns back.
    const md5_vec3 place = member->place.translation;
    if (fmaxf(fabsf(place.x), fabsf(place.y)) >= crowd->spread) {
        const md5_vec3 ahead =
            md5_quat_rotate(member->place.rotation, (md5_vec3){1.0f, 0.0f, 0.0f});
        const float side = ahead.x * place.y - ahead.y * place.x;
        const float rate = side > 0.0f ? -turn_back_rate : turn_back_rate;
        member->place.rotation = view_turn_by(member->place.rotation, rate * seconds);
    }
    md5_player_advance(player, (double)seconds, NULL, NULL);
    member->place = md5_xform_mul(member->place, md5_player_root_motion(player));
    // Springs are simulated in world space, so they need the character's placement.
    for (uint32_t i = 0; i < desc->num_modifiers && kind->has_springs; i++)
        if (desc->modifiers[i].kind == MD5_MODIFIER_SPRING) {
            md5_target *const target = md5_player_target(player, i);
            target->position = member->place.translation;
            target->rotation = member->place.rotation;
        }
}

// -- Crowd ---------------------------------------------------------------------------------------

// Makes a crowd: its kinds, and each member's placement, clip and time offset.

// Distance between neighbours, relative to their size.
static const float spacing = 1.1f;

// -- Kinds ----------------------------------------------------------------------------------

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

static bool make_kinds(view_crowd *crowd, const view_kind_source *first, const char *const *files,
                       size_t num_files, const view_loader *loader)
{
    uint32_t num_kinds = 1;
    for (size_t i = 0; i < num_files; i++)
        num_kinds += is_model(files[i]);
    if (num_kinds > VIEW_MOST_KINDS || num_kinds > crowd->count)
        return view_error(loader->log,
                          "%u models for a crowd of %u: at most %d, and at most one per character",
                          (unsigned)num_kinds, (unsigned)crowd->count, VIEW_MOST_KINDS);
    for (uint32_t i = 0; i < num_kinds; i++) {
        const uint32_t begin = (uint32_t)((uint64_t)crowd->count * i / num_kinds);
        const uint32_t end = (uint32_t)((uint64_t)crowd->count * (i + 1) / num_kinds);
        const size_t own = i > 0 ? view_count_first(files, num_files) : 0;
        view_kind *const kind = &crowd->kinds[crowd->num_kinds++];
        if (!view_make_kind(kind, first, files, own, i > 0 ? &crowd->kinds[0] : NULL, begin,
                            end - begin, loader))
            return false;
        crowd->size = fmaxf(crowd->size, view_size(kind->model->bounds));
        files += own;
        num_files -= own;
    }
    return true;
}

// -- Members --------------------------------------------------------------------------------

// Half the side of the square.
static float spread_of(const view_crowd *crowd)
{
    return 0.5f * spacing * crowd->size * (float)ceil(sqrt((double)crowd->count));
}

static void make_members(view_crowd *crowd)
{
    const uint32_t side = (uint32_t)ceil(sqrt((double)crowd->count));
    const float step = spacing * crowd->size;
    uint32_t *const cells = common_alloc(crowd->count, sizeof *cells);
    uint64_t random = UINT64_C(0x9E3779B97F4A7C15);
    crowd->spread = spread_of(crowd);
    // Shuffles the cells, so that neighbours differ in kind and clip.
    for (uint32_t i = 0; i < crowd->count; i++) {
        const uint32_t other = (uint32_t)(next_random(&random) * (float)(i + 1)) % (i + 1);
        cells[i] = cells[other];
        cells[other] = i;
    }
    for (uint32_t i = 0, k = 0; i < crowd->count; i++) {
        k += i == crowd->kinds[k].end;
        const view_kind *const kind = &crowd->kinds[k];
        view_member *const member = &crowd->members[i];
        *member = (view_member){.kind = k, .seen_at = VIEW_UNSEEN};
        member->random = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
        for (int warm = 0; warm < 4; warm++)
            (void)next_random(&member->random);
        const uint32_t row = cells[i] / side, column = cells[i] % side;
        const float x = (float)column + 0.6f * (next_random(&member->random) - 0.5f);
        const float y = (float)row + 0.6f * (next_random(&member->random) - 0.5f);
        const float half = VIEW_PI * (next_random(&member->random) - 0.5f);
        member->place.translation =
            (md5_vec3){(x + 0.5f) * step - crowd->spread, (y + 0.5f) * step - crowd->spread, 0.0f};
        // All roughly face the viewer.
        member->place.rotation = (md5_quat){.z = sinf(0.35f * half), .w = cosf(0.35f * half)};
        member->next_choice = 3.0 * (double)next_random(&member->random);
        if (kind->machine != NULL)
            continue;
        // Members are sorted by clip, with start times spread over the whole clip, so poses made in
        // one call belong to one clip. Unsorted, they take twice as long.
        const uint32_t count = kind->end - kind->begin, place = i - kind->begin;
        member->clip = (uint32_t)((uint64_t)place * kind->num_clips / count);
        const double share = (double)count / kind->num_clips;
        const double part = ((double)place + (double)next_random(&member->random)) / share;
        member->offset = kind->clips[member->clip]->anim->duration * (part - (double)member->clip);
    }
    free(cells);
}

// -- Memory ---------------------------------------------------------------------------------

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

// Sizes are whole cache lines, so that no two threads write to the same line.
enum { LINE = 64 };

static bool make_players(view_crowd *crowd, view_log *log)
{
    for (uint32_t k = 0; k < crowd->num_kinds; k++) {
        const view_kind *const kind = &crowd->kinds[k];
        for (uint32_t i = kind->begin; i < kind->end && kind->machine != NULL; i++) {
            md5_error error = {0};
            crowd->players[i] = md5_create_player(kind->machine, NULL, &error);
            if (crowd->players[i] == NULL)
                return view_log_error(log, &error);
            // Each member looks about in an order of its own.
            for (uint32_t m = 0; m < md5_machine_tables(kind->machine)->num_modifiers; m++) {
                md5_gaze *const gaze = md5_player_gaze(crowd->players[i], m);
                if (gaze != NULL)
                    md5_gaze_begin(i, gaze);
            }
        }
    }
    return true;
}

static void make_scratch(view_crowd *crowd)
{
    for (uint32_t k = 0; k < crowd->num_kinds; k++) {
        const view_kind *const kind = &crowd->kinds[k];
        md5_pose_job job = {0};
        if (kind->machine == NULL)
            job.binding = kind->clips[0];
        const size_t size = kind->machine != NULL
                                ? md5_player_pose_scratch(kind->machine) + view_pose_size(kind)
                                : md5_pose_batch_scratch(&job, 1, NULL);
        const size_t num_joints = kind->model->skeleton.num_joints;
        crowd->scratch_size = larger(crowd->scratch_size, (size / LINE + 2) * LINE);
        crowd->buffer_size = larger(crowd->buffer_size, VIEW_POSES_AT_ONCE * num_joints + LINE);
    }
    crowd->scratch = common_alloc(crowd->threads->num_workers, crowd->scratch_size);
    crowd->buffers =
        common_alloc(crowd->threads->num_workers, crowd->buffer_size * sizeof *crowd->buffers);
}

// Bytes for the baked clips of all kinds.
static const size_t baked_memory = (size_t)256 << 20;

// Makes the levels of detail of all kinds. Call it after all are made, since the shadow map covers
// all.
static bool make_levels(view_crowd *crowd, const view_loader *loader)
{
    const float texel = sqrtf(2.0f) * 2.0f * spread_of(crowd) / (float)VIEW_CROWD_TEXELS;
    for (uint32_t k = 0; k < crowd->num_kinds; k++) {
        view_kind *const kind = &crowd->kinds[k];
        if (kind->drawn == NULL || !(kind->sphere.radius > 0.0f))
            continue;
        // The CPU's deformed surfaces and the stages of materials are drawn from the kind's own
        // model, and morph targets belong to it.
        if (crowd->reduced_pixels > 0.0f && kind->morphs == NULL
            && kind->textures->layers.num_meshes == 0)
            view_make_details(kind, crowd->reduced_pixels, texel, crowd->threads, loader);
        // Impostors and baked clips show frames of clips only, not the blended poses of machines
        // and not surfaces that turn to the viewer.
        if (kind->machine != NULL || view_has_deforms(&kind->textures->layers))
            continue;
        if (crowd->baked_pixels > 0.0f && kind->morphs == NULL)
            view_bake_kind(kind, crowd->baked_pixels, baked_memory / crowd->num_kinds,
                           crowd->threads, loader);
        if (crowd->impostor_pixels > 0.0f && !view_make_levels(kind, crowd->num_kinds, loader))
            return false;
    }
    return true;
}

// The size of a level: `given` by an option, or else `usual` from crowds of `large` on.
static float level_pixels(const view_options *options, bool is_given, uint32_t given,
                          uint32_t large, uint32_t usual)
{
    if (options->crowd_exact)
        return 0.0f;
    const uint32_t pixels = options->crowd >= large ? usual : 0;
    return (float)(is_given ? given : pixels);
}

bool view_make_crowd(view_crowd *crowd, const view_kind_source *first, const char *const *files,
                     size_t num_files, uint32_t count, const view_loader *loader)
{
    const view_options *const options = loader->options;
    // Baking takes longer than it saves in a few pictures.
    const uint32_t usual_baked = options->output == NULL ? 128 : 0;
    // A picture that is saved must show every member at its exact time.
    *crowd = (view_crowd){
        .count = count,
        .levels = true,
        .culls = !options->crowd_exact,
        .spares = !options->crowd_exact && options->output == NULL,
        .reduced_pixels =
            level_pixels(options, options->crowd_reduced_given, options->crowd_reduced, 100, 512),
        .baked_pixels = level_pixels(options, options->crowd_baked_given, options->crowd_baked,
                                     1000, usual_baked),
        .impostor_pixels = level_pixels(options, options->crowd_impostors_given,
                                        options->crowd_impostors, 5000, 64),
    };
    crowd->files = common_alloc(num_files, sizeof *crowd->files);
    crowd->num_files = num_files;
    for (size_t i = 0; i < num_files; i++)
        crowd->files[i] = common_copy(files[i]);
    crowd->members = common_alloc(count, sizeof *crowd->members);
    crowd->players = common_alloc(count, sizeof(md5_player *));
    crowd->posed = common_alloc(count, sizeof *crowd->posed);
    crowd->poses = common_alloc(count, sizeof *crowd->poses);
    crowd->baked = common_alloc(count, sizeof *crowd->baked);
    crowd->far = common_alloc(count, sizeof *crowd->far);
    crowd->threads = common_start_threads(0);
    if (!make_kinds(crowd, first, files, num_files, loader))
        return false;
    if (!make_levels(crowd, loader) || !make_players(crowd, loader->log))
        return false;
    make_members(crowd);
    make_scratch(crowd);
    return true;
}

void view_free_crowd(view_crowd *crowd, md5gl_renderer *renderer)
{
    for (uint32_t i = 0; i < crowd->count; i++)
        md5_destroy_player(crowd->players[i]);
    // In reverse: retargeted clips refer to the first kind.
    for (uint32_t k = crowd->num_kinds; k-- > 0;)
        view_free_kind(&crowd->kinds[k], renderer);
    for (size_t i = 0; i < crowd->num_files; i++)
        free(crowd->files[i]);
    common_stop_threads(crowd->threads);
    free(crowd->files);
    free(crowd->members);
    free(crowd->players);
    free(crowd->posed);
    free(crowd->poses);
    free(crowd->baked);
    free(crowd->far);
    free(crowd->scratch);
    free(crowd->buffers);
    *crowd = (view_crowd){0};
}

uint32_t view_count_seen(const view_crowd *crowd)
{
    uint32_t count = crowd->num_baked;
    for (uint32_t k = 0; k < crowd->num_kinds; k++)
        count += crowd->kinds[k].num_seen;
    return count + crowd->num_far - crowd->num_faded;
}

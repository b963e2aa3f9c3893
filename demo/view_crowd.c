#include "demo/view_crowd.h"

#include "demo/common_memory.h"
#include "demo/view_math.h"
#include "demo/view_scene.h"

#include <stdlib.h>
#include <string.h>

#include <SDL.h>

// Room between two characters, as a share of their size.
static const float room = 1.1f;

// How fast a wish becomes a speed, and how fast one turns back, per second.
static const float wish_rate = 2.0f, turn_back_rate = 1.2f;

// Uniform in 0..1, its own sequence for each character (xorshift, Marsaglia 2003).
static float next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (float)(*state >> 40) / (float)(1 << 24);
}

// -- Making ---------------------------------------------------------------------------------

static void place_members(view_crowd *crowd, float size)
{
    const uint32_t side = (uint32_t)ceil(sqrt((double)crowd->count));
    crowd->spread = 0.5f * room * size * (float)side;
    for (uint32_t i = 0; i < crowd->count; i++) {
        view_member *const member = &crowd->members[i];
        member->random = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
        for (int warm = 0; warm < 4; warm++)
            (void)next_random(&member->random);
        const uint32_t row = i / side, column = i % side;
        const float x = (float)column + 0.6f * (next_random(&member->random) - 0.5f);
        const float y = (float)row + 0.6f * (next_random(&member->random) - 0.5f);
        const float half = VIEW_PI * (next_random(&member->random) - 0.5f);
        member->place.translation = (md5_vec3){(x + 0.5f) * room * size - crowd->spread,
                                               (y + 0.5f) * room * size - crowd->spread, 0.0f};
        // All face the beholder, more or less.
        member->place.rotation = (md5_quat){.z = sinf(0.35f * half), .w = cosf(0.35f * half)};
        member->offset = 10.0 * (double)next_random(&member->random);
        member->next_whim = 3.0 * (double)next_random(&member->random);
    }
}

static bool make_players(view_crowd *crowd, view_log *log)
{
    const view_scene *const scene = crowd->scene;
    crowd->players = common_alloc(crowd->count, sizeof(md5_player *));
    crowd->plays = common_alloc(crowd->count, sizeof *crowd->plays);
    for (uint32_t i = 0; i < crowd->count; i++) {
        md5_error error;
        crowd->players[i] = md5_create_player(scene->machine.loaded.machine, NULL, &error);
        if (crowd->players[i] == NULL) {
            view_log_error(log, &error);
            return false;
        }
        crowd->plays[i] = (md5_play_job){
            .player = crowd->players[i],
            .palette = crowd->palettes + (size_t)i * scene->num_joints,
        };
    }
    crowd->scratch_size = md5_play_batch_scratch(crowd->plays, crowd->count);
    return true;
}

static void make_poses(view_crowd *crowd)
{
    const view_scene *const scene = crowd->scene;
    crowd->poses = common_alloc(crowd->count, sizeof *crowd->poses);
    for (uint32_t i = 0; i < crowd->count; i++) {
        const uint32_t clip =
            (uint32_t)(next_random(&crowd->members[i].random) * (float)scene->num_clips);
        crowd->members[i].clip = clip < scene->num_clips ? clip : 0;
        crowd->poses[i] = (md5_pose_job){
            .binding = scene->clips[crowd->members[i].clip].binding,
            .root = MD5_ROOT_IN_PLACE,
            .palette = crowd->palettes + (size_t)i * scene->num_joints,
        };
    }
    crowd->scratch_size = md5_pose_batch_scratch(crowd->poses, crowd->count);
}

bool view_make_crowd(view_crowd *crowd, const view_scene *scene, uint32_t count, view_log *log)
{
    *crowd = (view_crowd){.scene = scene};
    const bool has_machine = scene->machine.player != NULL;
    if (scene->model == NULL || (!has_machine && scene->num_clips == 0)) {
        view_error(log, "a crowd needs a model with a machine or with animations");
        return false;
    }
    crowd->count = count;
    crowd->members = common_alloc(count, sizeof *crowd->members);
    crowd->placements = common_alloc(count, sizeof *crowd->placements);
    crowd->palettes = common_alloc((size_t)count * scene->num_joints, sizeof *crowd->palettes);
    crowd->workers = view_start_workers(0);
    place_members(crowd, view_size(scene->model->bounds));
    if (has_machine && !make_players(crowd, log)) {
        view_free_crowd(crowd);
        return false;
    }
    if (!has_machine)
        make_poses(crowd);
    // Whole cache lines, so that no two threads write to the same.
    crowd->scratch_size = (crowd->scratch_size + 127) / 64 * 64;
    crowd->scratch = common_alloc(view_count_workers(crowd->workers), crowd->scratch_size);
    return true;
}

void view_free_crowd(view_crowd *crowd)
{
    for (uint32_t i = 0; i < crowd->count && crowd->players != NULL; i++)
        md5_free_player(crowd->players[i]);
    view_stop_workers(crowd->workers);
    free(crowd->players);
    free(crowd->plays);
    free(crowd->poses);
    free(crowd->palettes);
    free(crowd->placements);
    free(crowd->members);
    free(crowd->scratch);
    *crowd = (view_crowd){0};
}

// -- Whims ----------------------------------------------------------------------------------

// Something else to do: another speed, or a trigger.
static void have_whim(const view_crowd *crowd, view_member *member, md5_player *player)
{
    const md5_machine_desc *const desc = crowd->scene->machine.desc;
    const uint32_t choice = (uint32_t)(next_random(&member->random) * 4.0f);
    member->next_whim = crowd->time + 1.5 + 4.0 * (double)next_random(&member->random);
    if (choice == 0 && desc->num_parameters > 0) {
        const uint32_t parameter =
            (uint32_t)(next_random(&member->random) * (float)desc->num_parameters)
            % desc->num_parameters;
        if (desc->parameters[parameter].kind == MD5_PARAMETER_TRIGGER)
            (void)md5_player_set(player, parameter, 1.0f);
        return;
    }
    float low, high;
    view_parameter_range(desc, "speed", &low, &high);
    const float part = next_random(&member->random);
    member->wished_speed = choice == 1 ? 0.0f : (part < 0.75f ? 0.36f : 1.0f) * high;
}

// Who walks out of the square turns back.
static void stay_near(const view_crowd *crowd, view_member *member, float seconds)
{
    const md5_vec3 place = member->place.translation;
    if (fmaxf(fabsf(place.x), fabsf(place.y)) < crowd->spread)
        return;
    const md5_vec3 ahead = view_rotate(member->place.rotation, (md5_vec3){1.0f, 0.0f, 0.0f});
    const float side = ahead.x * place.y - ahead.y * place.x;
    const float rate = side > 0.0f ? -turn_back_rate : turn_back_rate;
    member->place.rotation = view_turn_by(member->place.rotation, rate * seconds);
}

static void live(view_crowd *crowd, size_t number, float seconds)
{
    view_member *const member = &crowd->members[number];
    md5_player *const player = crowd->players[number];
    if (crowd->time >= member->next_whim)
        have_whim(crowd, member, player);
    const int32_t speed = md5_find_parameter(crowd->scene->machine.loaded.machine, "speed");
    if (speed >= 0) {
        const float now = md5_player_get(player, (uint32_t)speed);
        const float part = fminf(wish_rate * seconds, 1.0f);
        (void)md5_player_set(player, (uint32_t)speed, now + (member->wished_speed - now) * part);
    }
    stay_near(crowd, member, seconds);
}

// -- Updating -------------------------------------------------------------------------------

static void play_part(void *user, uint32_t worker, size_t begin, size_t end)
{
    view_crowd *const crowd = user;
    void *const scratch = crowd->scratch + worker * crowd->scratch_size;
    for (size_t i = begin; i < end; i++)
        live(crowd, i, (float)crowd->plays[i].seconds);
    md5_play_batch(crowd->plays + begin, end - begin, scratch);
    for (size_t i = begin; i < end; i++) {
        md5_transform *const place = &crowd->members[i].place;
        *place = view_go(*place, crowd->plays[i].motion);
        crowd->placements[i] = md5_mat34_from_transform(*place);
    }
}

static void pose_part(void *user, uint32_t worker, size_t begin, size_t end)
{
    view_crowd *const crowd = user;
    for (size_t i = begin; i < end; i++) {
        const view_member *const member = &crowd->members[i];
        crowd->poses[i].moment = md5_moment_at(crowd->scene->clips[member->clip].anim,
                                               crowd->time + member->offset, MD5_WRAP_LOOP);
        crowd->placements[i] = md5_mat34_from_transform(member->place);
    }
    md5_pose_batch(crowd->poses + begin, end - begin,
                   crowd->scratch + worker * crowd->scratch_size);
}

static void update(view_crowd *crowd, double seconds)
{
    const uint64_t begin = SDL_GetPerformanceCounter();
    crowd->time += seconds;
    for (uint32_t i = 0; i < crowd->count && crowd->plays != NULL; i++)
        crowd->plays[i].seconds = seconds;
    view_run_workers(crowd->workers, crowd->count, crowd->plays != NULL ? play_part : pose_part,
                     crowd);
    const double taken =
        (double)(SDL_GetPerformanceCounter() - begin) / (double)SDL_GetPerformanceFrequency();
    crowd->seconds = crowd->seconds > 0.0 ? 0.9 * crowd->seconds + 0.1 * taken : taken;
}

void view_run_crowd(view_crowd *crowd, double time)
{
    const double longest = 1.0 / 15.0, most = 30.0;
    double rest = time - crowd->time;
    if (rest > most) {
        crowd->time += rest - most;
        rest = most;
    }
    while (rest > longest) {
        update(crowd, longest);
        rest -= longest;
    }
    update(crowd, rest);
}

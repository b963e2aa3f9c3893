// Parameters that follow what is set. Where one is, and its mean over a time, follow from where it
// began and how long ago, so that it does not matter in how many steps.
#include "md5/motion/spring.h"
#include "md5/core/math.h"
#include "md5/play/run/player_state.h"

// Of e^-40 of a distance a float shows nothing.
#define LEAST_LEFT 40.0

// In a shorter time the rounding errors of an integral are larger than a change.
#define SHORTEST 1e-7

// The distance of a parameter from its goal, and how fast that changes.
typedef struct movement {
    double distance, velocity;
} movement;

// Seconds after which nothing is left of a distance: of a spring, by no more than its slower root.
static double arrival(const md5_follow_desc *follow)
{
    const double k = (double)follow->stiffness, c = (double)follow->damping;
    if (follow->kind == MD5_FOLLOW_EASE)
        return (double)follow->duration;
    return LEAST_LEFT
           / (follow->kind == MD5_FOLLOW_SMOOTH ? (double)follow->rate : fmin(0.5 * c, k / c));
}

static md5_easing_curve curve_of(const md5_follow_desc *follow)
{
    return follow->curve ? *follow->curve : (md5_easing_curve){.easing = follow->easing};
}

static movement moved(const md5_follow_desc *follow, const md5_following *following, double elapsed)
{
    const double x = (double)following->from - (double)following->goal;
    const double v = (double)following->velocity;
    if (elapsed >= arrival(follow))
        return (movement){0.0, 0.0};
    if (follow->kind == MD5_FOLLOW_SMOOTH)
        return (movement){x * md5i_decay((double)follow->rate * elapsed), 0.0};
    if (follow->kind == MD5_FOLLOW_EASE) {
        const md5_easing_curve curve = curve_of(follow);
        return (movement){x - x * md5i_eased(&curve, elapsed / (double)follow->duration), 0.0};
    }
    const double k = (double)follow->stiffness, c = (double)follow->damping;
    const md5_swing swing = md5i_swing_for(k, c, elapsed);
    return (movement){swing.keep * x + swing.drift * v,
                      -k * swing.drift * x + (swing.keep - c * swing.drift) * v};
}

static float value_after(const md5_follow_desc *follow, const md5_following *following,
                         double seconds)
{
    const movement then = moved(follow, following, following->elapsed + seconds);
    return md5_round_to_float((double)following->goal + then.distance);
}

// The integral of a spring's x = -(x'' + c x') / k, which for k = rate and c = 1 without x'' is
// that of a SMOOTH parameter; and of an easing.
static float mean_of(const md5_follow_desc *follow, const md5_following *following, double seconds)
{
    const double begin = following->elapsed, end = md5_least(begin + seconds, arrival(follow));
    if (seconds <= SHORTEST || end <= begin)
        return value_after(follow, following, 0.5 * seconds);
    const movement now = moved(follow, following, begin);
    const movement then = moved(follow, following, begin + seconds);
    const bool is_spring = follow->kind == MD5_FOLLOW_SPRING;
    const double k = (double)(is_spring ? follow->stiffness : follow->rate);
    const double c = is_spring ? (double)follow->damping : 1.0, t = (double)follow->duration;
    double sum = (now.velocity - then.velocity + c * (now.distance - then.distance)) / k;
    if (follow->kind == MD5_FOLLOW_EASE) {
        const md5_easing_curve curve = curve_of(follow);
        sum = ((double)following->from - (double)following->goal)
              * (end - begin - t * md5i_eased_area(&curve, begin / t, md5_least(end / t, 1.0)));
    }
    return md5_round_to_float((double)following->goal + sum / seconds);
}

static bool is_moving(const md5_following *following)
{
    return following->from != following->goal || following->velocity != 0.0f;
}

bool md5i_set_goal(md5_player *player, uint32_t parameter, float goal)
{
    const int32_t row = player->machine->followers[parameter];
    if (row < 0)
        return false;
    md5_following *const following = &player->followings[row];
    if (following->goal == goal)
        return true;
    const movement now =
        moved(&player->machine->tables.follows[row], following, following->elapsed);
    *following = (md5_following){.goal = goal,
                                 .from = player->parameters[parameter],
                                 .velocity = md5_round_to_float(now.velocity)};
    return true;
}

void md5i_rest_parameters(md5_player *player)
{
    for (uint32_t i = 0; i < player->machine->tables.num_parameters; i++) {
        const int32_t row = player->machine->followers[i];
        const float value = player->parameters[i];
        if (row >= 0)
            player->followings[row] = (md5_following){.goal = value, .from = value};
    }
}

static void move_parameter(md5_player *player, uint32_t parameter, uint32_t row, double seconds,
                           md5_follow_task task)
{
    const md5_follow_desc *const follow = &player->machine->tables.follows[row];
    md5_following *const following = &player->followings[row];
    float *const value = &player->parameters[parameter];
    following->next = is_moving(following) ? value_after(follow, following, seconds) : *value;
    if (task == MD5_FOLLOW_LOOKS || !is_moving(following))
        return;
    player->has_moved = true;
    *value = task == MD5_FOLLOW_MEAN ? mean_of(follow, following, seconds) : following->next;
    if (task == MD5_FOLLOW_MEAN)
        return;
    following->elapsed += seconds;
    if (following->elapsed >= arrival(follow))
        *following = (md5_following){.goal = following->goal, .from = following->goal};
}

void md5i_follow_goals(md5_player *player, double seconds, md5_follow_task task)
{
    for (uint32_t i = 0; i < player->machine->tables.num_parameters; i++) {
        if (player->machine->followers[i] >= 0)
            move_parameter(player, i, (uint32_t)player->machine->followers[i], seconds, task);
    }
}

bool md5i_is_following(const md5_player *player)
{
    uint32_t row = 0;
    while (row < player->machine->tables.num_follows && !is_moving(&player->followings[row]))
        row++;
    return row < player->machine->tables.num_follows;
}

float md5i_followed(const md5_player *player, int32_t row, double seconds)
{
    return value_after(&player->machine->tables.follows[row], &player->followings[row], seconds);
}

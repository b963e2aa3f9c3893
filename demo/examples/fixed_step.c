// Simulates in fixed time steps and interpolates for drawing. The game logic runs 30 times per
// second at any frame rate of the display. It is therefore reproducible, which network games need.
// Each frame shows a pose between the last two steps. The motion is smooth, with a delay of at most
// 1/30 s.
//
//   cc fixed_step.c $(pkg-config --cflags --libs md5play) -o fixed_step
//   ./fixed_step models/bobbin/bobbin.md5machine 144
#include <math.h>
#include <md5model/md5play.h>
#include <stdio.h>
#include <stdlib.h>

static const double step = 1.0 / 30;      // seconds
static const double longest_frame = 0.25; // seconds
enum { NUM_STEPS = 150 };

// The result of a step. Frames are interpolated between two of them.
typedef struct snapshot {
    md5_xform placement;
    md5_xform *pose; // [num_joints]
} snapshot;

// The state of the game between two frames of the display.
typedef struct stepped_game {
    md5_player *player;
    snapshot previous; // result of the step before the last
    snapshot current;  // result of the last step
    void *scratch;
    uint32_t speed; // index of a parameter
} stepped_game;

// Simulates one step. Input is applied per step and not per frame, so that the same input always
// has the same result.
static void simulate(stepped_game *game, int number)
{
    const snapshot oldest = game->previous;
    game->previous = game->current;
    game->current.pose = oldest.pose; // reuse the memory; md5_player_pose() overwrites it below
    if (number == 15)
        md5_player_set(game->player, game->speed, 16);
    md5_player_advance(game->player, step, NULL, NULL);
    game->current.placement =
        md5_xform_advance(game->previous.placement, md5_player_root_motion(game->player));
    md5_player_pose(game->player, game->current.pose, NULL, NULL, game->scratch);
}

// Returns the duration of a frame in seconds. The durations vary, as on a real system.
static double seconds_of_frame(int number, double rate)
{
    return (1 + 0.5 * sin(1.7 * number)) / rate;
}

static void *alloc(size_t count, size_t size)
{
    void *memory = malloc(count * size);
    if (!memory)
        exit(1);
    return memory;
}

// Arrays for the pose that a frame shows.
typedef struct frame_pose {
    md5_xform *local;   // [num_joints]
    md5_mat34 *joints;  // [num_joints]
    md5_mat34 *palette; // [num_joints]
} frame_pose;

// Shows a frame between the last two steps. At the fraction 0 it shows the previous step, at 1 the
// last step. A game would draw here, with the palette and the placement. This program prints the
// position of the last joint.
static void show_frame(const stepped_game *game, const md5_model *model, float fraction,
                       double time, const frame_pose *shown)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    const md5_xform placement =
        md5_xform_blend(game->previous.placement, game->current.placement, fraction);
    md5_blend_poses(game->previous.pose, game->current.pose, fraction, NULL, num_joints,
                    shown->local);
    md5_local_to_palette(model, shown->local, shown->joints, shown->palette);
    const md5_vec3 last =
        md5_xform_point(placement, md5_mat34_translation(shown->joints[num_joints - 1]));
    printf("frame %.5f s  x %.4f  last joint %.4f %.4f %.4f\n", time,
           (double)placement.translation.x, (double)last.x, (double)last.y, (double)last.z);
}

// Creates the player, and the arrays for the poses of the last two steps.
static stepped_game create_game(const md5_character *character, md5_player *player)
{
    const uint32_t num_joints = character->model->skeleton.num_joints;
    stepped_game game = {.player = player};
    game.speed = md5_require_parameter(character->machine, "speed");
    game.scratch = alloc(1, md5_player_pose_scratch(character->machine));
    game.previous.pose = alloc(num_joints, sizeof(md5_xform));
    game.current.pose = alloc(num_joints, sizeof(md5_xform));
    game.current.placement.rotation.w = 1;
    md5_player_pose(game.player, game.current.pose, NULL, NULL,
                    game.scratch); // the pose before step 0
    return game;
}

// Shows frames until NUM_STEPS steps are simulated. Each frame first simulates the steps that are
// due. The pending time that remains is less than a step. Divided by the step, it is the fraction
// of the frame between the last two steps. `rate` is the number of frames per second.
static void play(stepped_game *game, const md5_model *model, double rate, const frame_pose *shown)
{
    double time = 0;
    double pending = 0; // time that is not simulated yet, seconds
    int num_steps = 0;
    simulate(game, num_steps++);
    for (int frame = 0; num_steps < NUM_STEPS; frame++) {
        const double seconds = seconds_of_frame(frame, rate);
        time += seconds;
        // After a long pause, many steps would be due in one frame. Limit the time to prevent this.
        pending += seconds < longest_frame ? seconds : longest_frame;
        while (pending >= step && num_steps < NUM_STEPS) {
            simulate(game, num_steps++);
            pending -= step;
        }
        show_frame(game, model, (float)fmin(pending / step, 1), time, shown);
    }
    printf("after %d steps: x %.9g y %.9g, joint 1 at %.9g\n", num_steps,
           (double)game->current.placement.translation.x,
           (double)game->current.placement.translation.y,
           (double)game->current.pose[1].translation.z);
}

// Simulates a character in fixed steps, and shows frames of varying duration between the steps.
int main(int argc, char **argv)
{
    const double rate = argc == 3 ? strtod(argv[2], NULL) : 0;
    if (!(rate > 0)) {
        fprintf(stderr, "usage: fixed_step CHARACTER.md5machine FRAMES_PER_SECOND\n");
        return 2;
    }
    md5_error error = MD5_INIT;
    md5_character *character = md5_load_character(argv[1], NULL, &error);
    md5_player *player = character ? md5_create_player(character->machine, NULL, &error) : NULL;
    if (!player) {
        fprintf(stderr, "%s:%u: %s\n", error.file, (unsigned)error.line, error.message);
        return 1;
    }

    // The game stores the poses of the last two steps. `shown` is the interpolated pose of a frame.
    const uint32_t num_joints = character->model->skeleton.num_joints;
    stepped_game game = create_game(character, player);
    const frame_pose shown = {
        .local = alloc(num_joints, sizeof(md5_xform)),
        .joints = alloc(num_joints, sizeof(md5_mat34)),
        .palette = alloc(num_joints, sizeof(md5_mat34)),
    };
    play(&game, character->model, rate, &shown);

    free(shown.palette);
    free(shown.joints);
    free(shown.local);
    free(game.current.pose);
    free(game.previous.pose);
    free(game.scratch);
    md5_destroy_player(player);
    md5_free_character(character);
    return 0;
}

// Plays an animation state machine. The program sets a parameter to make the character walk, and a
// trigger to make it jump. It prints the events of the clips and applies the root motion.
//
//   cc machine.c $(pkg-config --cflags --libs md5play) -o machine
//   ./machine models/bobbin/bobbin.md5machine
#include <md5model/md5play.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct game_state {
    double time;
} game_state;

// Called for each event. While two clips are blended, the events of both are reported. `weight` is
// the blend weight of the event's clip. This game ignores events of the less visible clip.
static void print_event(void *user, md5_player *player, const md5_event *event, float weight)
{
    const game_state *state = user;
    (void)player;
    if (weight >= 0.5f)
        printf("%5.2f s  %s %s\n", state->time, event->name, event->text);
}

// Plays 240 frames: the character stands, walks from frame 30 on and jumps in frame 120.
int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: machine CHARACTER.md5machine\n");
        return 2;
    }
    md5_error error = MD5_INIT;
    md5_character *character = md5_load_character(argv[1], NULL, &error);
    md5_player *player = character ? md5_create_player(character->machine, NULL, &error) : NULL;
    if (!player) {
        char text[600];
        md5_format_error(&error, text, sizeof text);
        fprintf(stderr, "%s\n", text);
        return 1;
    }

    // Look up names once. In debug builds of the library, a missing name fails an assertion. In
    // release builds, setting a missing parameter has no effect.
    const uint32_t speed = md5_require_parameter(character->machine, "speed");
    const uint32_t jump = md5_require_parameter(character->machine, "jump");

    md5_pose_buffers *posed = md5_create_pose_buffers(
        character->model, md5_player_pose_scratch(character->machine), NULL, &error);
    if (!posed)
        exit(1);

    // In each frame: set parameters, advance the time, move the character, compute the pose.
    game_state state = {0};
    md5_xform placement = {.rotation = {.w = 1}}; // transform of the character in the world
    for (int frame = 0; frame < 240; frame++) {
        if (frame == 30)
            md5_player_set(player, speed, 16); // the machine file defines the unit
        if (frame == 120)
            md5_player_set(player, jump, 1);
        state.time = frame / 60.0;
        md5_player_advance(player, 1.0 / 60, print_event, &state);
        placement = md5_xform_advance(placement, md5_player_root_motion(player));
        md5_player_pose(player, posed->pose, NULL, posed->palette, posed->scratch);
        // Draw here, with the palette and the placement.
    }
    printf("%5.2f s  at x %.1f y %.1f\n", state.time, (double)placement.translation.x,
           (double)placement.translation.y);

    md5_destroy_pose_buffers(posed);
    md5_destroy_player(player);
    md5_free_character(character);
    return 0;
}

// Saves and restores the animation state of a character. Games need this for saved games. Network
// games also need it for rollback: they simulate the last frames again with corrected input.
//
//   cc save_restore.c $(pkg-config --cflags --libs md5play) -o save_restore
//   ./save_restore models/bobbin/bobbin.md5machine
#include <md5model/md5play.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Prints an error. Returns the exit code of the program.
static int fail(const md5_error *error)
{
    char text[600];
    md5_format_error(error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return 1;
}

// The header of a saved state. The bytes of the player follow it. The header contains the transform
// of the character in the world, because it is not a part of the player. Its version lets later
// releases of the game recognize old files.
enum { SAVE_VERSION = 1 };
typedef struct saved {
    unsigned version;
    unsigned size;
    md5_xform placement;
} saved;

// Plays frames of 1/60 second. `start` is the transform of the character in the world at the
// beginning. Returns the transform at the end, after the root motion of all frames.
static md5_xform play(md5_player *player, md5_xform start, int num_frames)
{
    md5_xform placement = start;
    for (int i = 0; i < num_frames; i++) {
        md5_player_advance(player, 1.0 / 60, NULL, NULL);
        placement = md5_xform_advance(placement, md5_player_root_motion(player));
    }
    return placement;
}

// Returns the saved state of a character, which consists of the header and the bytes of the player.
// A game writes both to a file or sends them over a network. The bytes of the player are the same
// on all platforms. The header has the byte order of this computer.
static unsigned char *save(const md5_player *player, md5_xform placement)
{
    const saved head = {SAVE_VERSION, (unsigned)md5_player_save(player, NULL, 0), placement};
    unsigned char *bytes = malloc(sizeof head + head.size);
    if (!bytes)
        exit(1);
    memcpy(bytes, &head, sizeof head);
    md5_player_save(player, bytes + sizeof head, head.size);
    printf("saved %u bytes\n", head.size);
    return bytes;
}

// Restores a saved state to a player and returns the placement. A file may be damaged, so the
// library checks the bytes of the player.
static md5_xform restore(const unsigned char *bytes, md5_player *player)
{
    md5_error error = MD5_INIT;
    saved head;
    memcpy(&head, bytes, sizeof head);
    if (head.version != SAVE_VERSION)
        exit(1);
    if (!md5_player_restore(player, bytes + sizeof head, head.size, &error))
        exit(fail(&error));
    return head.placement;
}

// Returns true if two players of a character have bit-identical poses.
static bool has_same_pose(const md5_character *character, md5_player *a, md5_player *b)
{
    const size_t num_joints = character->model->skeleton.num_joints;
    void *scratch = malloc(md5_player_pose_scratch(character->machine));
    md5_xform *first = malloc(num_joints * sizeof *first);
    md5_xform *second = malloc(num_joints * sizeof *second);
    if (!scratch || !first || !second)
        exit(1);
    md5_player_pose(a, first, NULL, NULL, scratch);
    md5_player_pose(b, second, NULL, NULL, scratch);
    const bool is_same = memcmp(first, second, num_joints * sizeof *first) == 0;
    free(second);
    free(first);
    free(scratch);
    return is_same;
}

// Saves a player to bytes, restores them to another player, and compares both after 50 frames.
int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: save_restore CHARACTER.md5machine\n");
        return 2;
    }
    md5_error error = MD5_INIT;
    md5_character *character = md5_load_character(argv[1], NULL, &error);
    md5_player *player = character ? md5_create_player(character->machine, NULL, &error) : NULL;
    md5_player *restored = player ? md5_create_player(character->machine, NULL, &error) : NULL;
    if (!restored)
        return fail(&error);

    // Save in the middle of a transition from standing to walking.
    const uint32_t speed = md5_require_parameter(character->machine, "speed");
    md5_player_set(player, speed, 16);
    md5_xform placement = play(player, (md5_xform){.rotation = {.w = 1}}, 8);
    unsigned char *bytes = save(player, placement);

    // Restore to another player, as after a restart of the game.
    md5_xform restored_placement = restore(bytes, restored);

    // Both players continue with bit-identical results.
    placement = play(player, placement, 50);
    restored_placement = play(restored, restored_placement, 50);
    const bool has_same_placement = memcmp(&placement, &restored_placement, sizeof placement) == 0;
    const bool is_same = has_same_placement && has_same_pose(character, player, restored);
    printf("50 frames later: %s\n", is_same ? "the same pose, bit for bit" : "DIFFERENT");

    // For rollback in one process, a copy is faster than save and restore.
    md5_player_copy(restored, player);

    free(bytes);
    md5_destroy_player(restored);
    md5_destroy_player(player);
    md5_free_character(character);
    return is_same ? 0 : 1;
}

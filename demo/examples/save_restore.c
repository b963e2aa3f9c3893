// Saves and restores the animation state of a character. Games need this for saved games, and for
// rollback in network games, which simulate the last frames again with corrected input.
//
//   cc save_restore.c $(pkg-config --cflags --libs md5play) -o save_restore
//   ./save_restore models/bobbin/bobbin.md5machine
#include <md5model/md5play.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const md5_error *error)
{
    char text[600];
    md5_format_error(error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return 1;
}

// Header of the saved state. It contains the transform of the character in the world, which is not
// part of the player, and a version, so that later releases of the game recognize old files. The
// bytes of the player follow.
enum { SAVE_VERSION = 1 };
typedef struct saved {
    unsigned version;
    unsigned size;
    md5_xform placement;
} saved;

// Plays frames of 1/60 second. Returns the transform of the character, moved by its root motion.
static md5_xform play(md5_player *player, md5_xform placement, int frames)
{
    for (int i = 0; i < frames; i++) {
        md5_player_advance(player, 1.0 / 60, NULL, NULL);
        placement = md5_xform_advance(placement, md5_player_root_motion(player));
    }
    return placement;
}

// Returns the saved state of a character: the header and the bytes of the player. A game writes
// both to a file or sends them over a network. The bytes of the player are the same on all
// platforms; the header has the byte order of this computer.
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

// Restores a saved state to a player, and returns the placement. The library checks the bytes of
// the player, because a file may be damaged.
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
    md5_player *other = player ? md5_create_player(character->machine, NULL, &error) : NULL;
    if (!other)
        return fail(&error);
    const size_t num_joints = character->model->skeleton.num_joints;
    void *scratch = malloc(md5_player_pose_scratch(character->machine));
    md5_xform *pose = malloc(num_joints * sizeof *pose);
    md5_xform *again = malloc(num_joints * sizeof *again);
    if (!scratch || !pose || !again)
        exit(1);

    // Save in the middle of a transition from standing to walking.
    const uint32_t speed = md5_require_parameter(character->machine, "speed");
    md5_player_set(player, speed, 16);
    md5_xform placement = play(player, (md5_xform){.rotation = {.w = 1}}, 8);

    // Restore to another player, as after a restart of the game.
    unsigned char *bytes = save(player, placement);
    md5_xform other_placement = restore(bytes, other);

    // Both players continue with bit-identical results.
    placement = play(player, placement, 50);
    other_placement = play(other, other_placement, 50);
    md5_player_pose(player, pose, NULL, NULL, scratch);
    md5_player_pose(other, again, NULL, NULL, scratch);
    const int is_same = memcmp(pose, again, num_joints * sizeof *pose) == 0
                        && memcmp(&placement, &other_placement, sizeof placement) == 0;
    printf("50 frames later: %s\n", is_same ? "the same pose, bit for bit" : "DIFFERENT");

    // For rollback in one process, a copy is faster than save and restore.
    md5_player_copy(other, player);

    free(bytes);
    free(again);
    free(pose);
    free(scratch);
    md5_destroy_player(other);
    md5_destroy_player(player);
    md5_free_character(character);
    return !is_same;
}

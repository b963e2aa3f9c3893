// Loads a character from files in memory, with a custom allocator and a memory limit. Engines do
// this to load files from archives and to allocate from their own heaps.
//
//   cc memory_files.c $(pkg-config --cflags --libs md5play) -o memory_files
//   ./memory_files
#include <md5model/md5play.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Files: an archive with three entries -------------------------------------------------------

static const struct {
    const char *path;
    const char *text;
} archive[] = {
    {"lamp/lamp.md5machine",
     "machine lamp { model lamp.md5mesh clip swing swing.md5anim layer body { state on swing } }"},
    {"lamp/lamp.md5mesh", "MD5Version 10 commandline \"\" numJoints 2 numMeshes 0\n"
                          "joints { \"hook\" -1 ( 0 0 90 ) ( 0 0 0 )\n"
                          "         \"bulb\" 0 ( 0 0 60 ) ( 0 0 0 ) }"},
    {"lamp/swing.md5anim", "MD5Version 10 commandline \"\" numFrames 3 numJoints 2 frameRate 2\n"
                           "numAnimatedComponents 1\n"
                           "hierarchy { \"hook\" -1 8 0 \"bulb\" 0 0 0 }\n"
                           "bounds { ( -9 -9 0 ) ( 9 9 90 ) ( -9 -9 0 ) ( 9 9 90 ) "
                           "( -9 -9 0 ) ( 9 9 90 ) }\n"
                           "baseframe { ( 0 0 90 ) ( 0 0 0 ) ( 0 0 -30 ) ( 0 0 0 ) }\n"
                           "frame 0 { -0.2 } frame 1 { 0.2 } frame 2 { -0.2 }"},
};

// Returns the bytes of a file, or NULL with a message. It is the callback md5_files.open.
static const void *open_file(void *user, const char *path, size_t *size, md5_error *error)
{
    (void)user;
    for (size_t i = 0; i < sizeof archive / sizeof *archive; i++) {
        if (strcmp(archive[i].path, path) == 0) {
            *size = strlen(archive[i].text);
            return archive[i].text;
        }
    }
    snprintf(error->message, sizeof error->message, "not in the archive");
    return NULL;
}

static void close_file(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size; // a compressed archive would free its buffer here
}

// -- Memory: counts the allocated bytes -----------------------------------------------------------

// Allocates memory and adds its size to the total, to which `user` points. It is the callback
// md5_allocator.alloc.
static void *count_alloc(void *user, size_t size)
{
    *(size_t *)user += size;
    return malloc(size); // must be aligned to 16 bytes
}

// Frees memory and subtracts its size from the total. It is the callback md5_allocator.free.
static void count_free(void *user, void *memory, size_t size)
{
    *(size_t *)user -= memory ? size : 0;
    free(memory);
}

// Loads the lamp from the archive, swings it, and prints the allocated bytes before and after.
int main(void)
{
    size_t held = 0; // bytes that are allocated
    const md5_load_opts opts = {
        .allocator = {count_alloc, count_free, &held, 1 << 20}, // reject files that need over 1 MiB
        .files = {open_file, close_file, NULL},
    };
    md5_error error = MD5_INIT;
    md5_character *lamp = md5_load_character("lamp/lamp.md5machine", &opts, &error);
    md5_player *player = lamp ? md5_create_player(lamp->machine, &opts.allocator, &error) : NULL;
    void *scratch = player ? malloc(md5_player_pose_scratch(lamp->machine)) : NULL;
    if (!scratch) {
        fprintf(stderr, "%s: %s\n", error.file, error.message);
        return 1;
    }
    printf("%zu bytes held\n", held);

    md5_xform pose[2];
    md5_mat34 joints[2];
    for (int i = 0; i < 5; i++) {
        md5_player_pose(player, pose, joints, NULL, scratch);
        printf("bulb at y %.1f z %.1f\n", (double)joints[1].m[7], (double)joints[1].m[11]);
        md5_player_advance(player, 0.25, NULL, NULL); // allocates nothing
    }

    free(scratch);
    md5_destroy_player(player);
    md5_free_character(lamp);
    printf("%zu bytes held\n", held);
    return held != 0;
}

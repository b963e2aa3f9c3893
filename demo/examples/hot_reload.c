// Hot reload: the program watches a machine file, its model and its animations. When you save one
// of them in an editor, the running character continues with the new files from its current state
// and time. If a file has an error, the program prints the error and keeps the old files.
//
//   cc hot_reload.c $(pkg-config --cflags --libs md5play) -o hot_reload
//   ./hot_reload models/bobbin/bobbin.md5machine
//
// Enter "play 30" to play 30 frames, or "speed 16" to set a parameter. The program checks the files
// before each line of input. A game would check them twice per second.
#include <md5model/md5play.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// A character and the data that a reload replaces.
typedef struct loaded_hero {
    md5_character *character;
    md5_player *player;
    // The sizes of these arrays depend on the number of joints, so each reload allocates them
    // again.
    md5_xform *pose;
    md5_mat34 *palette;
    void *scratch;
} loaded_hero;

static void free_hero(loaded_hero *hero)
{
    free(hero->scratch);
    free(hero->palette);
    free(hero->pose);
    md5_destroy_player(hero->player); // first, because it refers to the machine of the character
    md5_free_character(hero->character);
    *hero = (loaded_hero){0};
}

// Loads a character, and creates its player and its arrays. Prints the error and returns false if a
// file is invalid.
static bool load_hero(loaded_hero *hero, const char *path)
{
    md5_error error = MD5_INIT;
    *hero = (loaded_hero){.character = md5_load_character(path, NULL, &error)};
    if (hero->character)
        hero->player = md5_create_player(hero->character->machine, NULL, &error);
    if (!hero->player) {
        char text[600]; // FILE:LINE:COLUMN: error: MESSAGE
        md5_format_error(&error, text, sizeof text);
        puts(text);
        free_hero(hero);
        return false;
    }
    const size_t num_joints = hero->character->model->skeleton.num_joints;
    hero->pose = malloc(num_joints * sizeof *hero->pose);
    hero->palette = malloc(num_joints * sizeof *hero->palette);
    hero->scratch = malloc(md5_player_pose_scratch(hero->character->machine));
    if (!hero->pose || !hero->palette || !hero->scratch)
        exit(1);
    return true;
}

// Combines a stamp with the time and the size of a file, so that the result changes when the file
// changes. It also changes if the file is missing while an editor replaces it.
static unsigned long long add_stamp(unsigned long long stamp, const char *path)
{
    struct stat info = {0};
    if (stat(path, &info) != 0)
        return stamp * 31 + 1;
    return (stamp * 31 + (unsigned long long)info.st_mtime) * 31 + (unsigned long long)info.st_size;
}

// Returns one stamp for all files of a character, which are the machine, the model and the clips.
static unsigned long long read_time_stamp(const md5_character *character, const char *path)
{
    unsigned long long stamp = add_stamp(add_stamp(0, path), character->model_path);
    for (uint32_t i = 0; i < character->num_clips; i++)
        stamp = add_stamp(stamp, character->anim_paths[i]);
    return stamp;
}

// Copies the state of the player to the reloaded character. If the tables of the machine and the
// skeleton have not changed, the saved bytes of the player can be restored exactly. Otherwise
// parameters and states are matched by name. Items with new names start in their initial state.
// Returns a description of the way in which the state was copied.
static const char *carry_over(const loaded_hero *from, loaded_hero *to)
{
    const size_t size = md5_player_save(from->player, NULL, 0);
    void *bytes = malloc(size);
    if (!bytes || md5_player_save(from->player, bytes, size) != size)
        exit(1);
    const bool is_restored = md5_player_restore(to->player, bytes, size, NULL);
    free(bytes);
    if (is_restored)
        return "bit for bit";

    // Copy the parameters, then the state of each layer and its time.
    const md5_machine_desc *old = md5_machine_tables(from->character->machine);
    const md5_machine *machine = to->character->machine;
    for (uint32_t i = 0; i < old->num_parameters; i++) {
        // If the new machine does not have the parameter, this is MD5_NONE, and setting it has no
        // effect.
        const uint32_t parameter = md5_find_parameter(machine, old->parameters[i].name);
        md5_player_set(to->player, parameter, md5_player_get(from->player, i));
    }
    for (uint32_t i = 0; i < old->num_layers; i++) {
        const md5_layer_status status = md5_player_layer(from->player, i);
        const uint32_t layer = md5_find_layer(machine, old->layers[i].name);
        const uint32_t state =
            md5_find_state(machine, layer, old->layers[i].states[status.state].name);
        md5_player_seek(to->player, layer, state, status.time);
    }
    return "by names";
}

// Plays frames of 1/60 second, and moves the character by its root motion.
static void play_frames(loaded_hero *hero, int num_frames, md5_xform *placement)
{
    for (int i = 0; i < num_frames; i++) {
        md5_player_advance(hero->player, 1.0 / 60, NULL, NULL);
        *placement = md5_xform_advance(*placement, md5_player_root_motion(hero->player));
        md5_player_pose(hero->player, hero->pose, NULL, hero->palette, hero->scratch);
    }
}

// Prints the state of the first layer, its time in seconds, and the position of the character.
static void print_state(const loaded_hero *hero, md5_xform placement)
{
    const md5_layer_status body = md5_player_layer(hero->player, 0);
    const md5_machine_desc *tables = md5_machine_tables(hero->character->machine);
    printf("%s at %.3f, x %.2f\n", tables->layers[0].states[body.state].name, body.time,
           (double)placement.translation.x);
    fflush(stdout);
}

// Executes the lines of the input. Before each line, reloads the character if a file has changed.
int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: hot_reload CHARACTER.md5machine\n");
        return 2;
    }
    loaded_hero hero;
    if (!load_hero(&hero, argv[1]))
        return 1;
    unsigned long long stamp = read_time_stamp(hero.character, argv[1]);
    md5_xform placement = {.rotation = {.w = 1}}; // transform in the world, not changed by reloads
    char line[128];
    while (fgets(line, sizeof line, stdin)) {
        // If a changed file is invalid, load_hero() has printed the error. Continue with the old
        // character.
        const unsigned long long new_stamp = read_time_stamp(hero.character, argv[1]);
        loaded_hero reloaded;
        if (new_stamp != stamp && load_hero(&reloaded, argv[1])) {
            printf("reloaded, continued %s\n", carry_over(&hero, &reloaded));
            free_hero(&hero);
            hero = reloaded;
        }
        stamp = new_stamp;

        // The line is NAME NUMBER.
        char *number = strchr(line, ' ');
        if (!number)
            continue;
        *number = '\0';
        number++;
        const float value = strtof(number, NULL);
        if (strcmp(line, "play") == 0)
            play_frames(&hero, (int)value, &placement);
        else
            md5_player_set(hero.player, md5_find_parameter(hero.character->machine, line), value);
        print_state(&hero, placement);
    }
    free_hero(&hero);
    return 0;
}

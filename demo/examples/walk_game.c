// The start of a game: Bobbin walks over hills with a lantern, among fifty who wander about.
//   cc walk_game.c $(pkg-config --cflags --libs md5play md5gl sdl2 gl) -o walk_game
//   ./walk_game models/bobbin/bobbin.md5machine models/lantern/lantern.md5mesh [PICTURE.bmp [es]]
// Arrows walk, a click makes somebody wave, S saves, L loads. PICTURE: one, after four seconds.
#include "walk_world.h"
#include <md5model/md5play.h>

enum { NUM = 51, MAX_JOINTS = 128, NUM_PRINTS = 64 };
static md5_play_job jobs[NUM]; // of characters; number 0 is the player's
static md5_xform places[NUM];  // of them in the world
static md5_mat34 joints[NUM * MAX_JOINTS], palettes[NUM * MAX_JOINTS], matrices[NUM];
static md5gl_blob prints[NUM_PRINTS]; // of feet
static uint32_t num_prints, feet[2], speed, turn, wave;

// A foot stands on the hill below it. `user`: where the character is.
static void find_floor(void *user, const md5_player *player, md5_vec3 ankle, md5_foot *foot)
{
    const md5_xform *place = user;
    (void)player;
    foot->floor = on_ground(md5_xform_point(*place, ankle)).z - place->translation.z;
}

// Footsteps leave prints. The machine file says when one falls, and of which foot.
static void hear(void *user, md5_player *player, const md5_event *event, float weight)
{
    const md5_mat34 foot = joints[feet[event->text[0] == 'r']];
    const md5_vec3 at = on_ground(md5_xform_point(places[0], md5_mat34_translation(foot)));
    (void)user, (void)player;
    if (weight >= 0.5f && SDL_strcmp(event->name, "footstep") == 0)
        prints[num_prints++ % NUM_PRINTS] = (md5gl_blob){.position = at, .radius = 6};
}

// Everybody's place and what he does there, in a file.
static void store(bool is_loading)
{
    FILE *file = fopen("walk_game.saved", is_loading ? "rb" : "wb");
    for (int i = 0; i < NUM && file; i++) {
        struct saved {
            md5_xform place;
            size_t size;
            char bytes[1000];
        } one = {.place = places[i]};
        one.size = md5_player_save(jobs[i].player, one.bytes, sizeof one.bytes);
        if (!is_loading)
            fwrite(&one, sizeof one, 1, file);
        else if (fread(&one, sizeof one, 1, file) && one.size <= sizeof one.bytes
                 && md5_player_restore(jobs[i].player, one.bytes, one.size, &error))
            places[i] = one.place;
    }
    if (file)
        fclose(file);
}

// A sixtieth of a second. `ahead`, `left`: -1 to 1, of the player; the others wander by chance.
static void step(int ahead, int left, void *scratch)
{
    static uint32_t chance = 1;
    for (int i = 1; i < NUM; i++) {
        chance = 1664525 * chance + 1013904223;
        if (chance >> 24 == 0)
            md5_player_set(jobs[i].player, speed, 16.0f * (float)(chance >> 20 & 1)),
                md5_player_set(jobs[i].player, turn, (float)(chance >> 12 & 127) - 64.0f);
    }
    md5_player_set(jobs[0].player, speed, 16.0f * (float)ahead);
    md5_player_set(jobs[0].player, turn, 60.0f * (float)left);
    md5_play_batch(jobs, NUM, NULL, scratch);
    for (int i = 0; i < NUM; i++) {
        places[i] = md5_xform_mul(places[i], jobs[i].motion);
        places[i].translation = on_ground(places[i].translation);
        matrices[i] = md5_mat34_from_xform(places[i]);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return SDL_Log("usage: walk_game CHARACTER LANTERN [PICTURE.bmp [es]]"), 2;
    md5gl_renderer *renderer = open_window(argc > 4);
    md5_character *character = md5_load_character(argv[1], NULL, &error);
    md5_model *lantern = md5_load_model(argv[2], NULL, &error);
    md5gl_target *outputs = md5gl_create_outputs(renderer, WIDTH, HEIGHT, &error);
    need(character && lantern && outputs);
    md5gl_model *crowd = create_drawn(renderer, character->model, character->model_path);
    md5gl_model *prop = create_drawn(renderer, lantern, argv[2]);
    const GLuint hills = create_hills(renderer, argc > 4);
    const md5_skeleton *skeleton = &character->model->skeleton;
    const uint32_t hand = md5_find_joint(skeleton, "prop_r");
    feet[0] = md5_find_joint(skeleton, "foot_l"), feet[1] = md5_find_joint(skeleton, "foot_r");
    need(skeleton->num_joints <= MAX_JOINTS && lantern->skeleton.num_joints <= MAX_JOINTS);
    speed = md5_find_parameter(character->machine, "speed");
    turn = md5_find_parameter(character->machine, "turn");
    wave = md5_find_parameter(character->machine, "wave");
    for (uint32_t i = 0; i < NUM; i++) {
        const float angle = 2.4f * (float)i, distance = 50 * sqrtf((float)i);
        places[i].translation = (md5_vec3){distance * cosf(angle), distance * sinf(angle), 0};
        places[i].rotation = md5_quat_from_axis_angle((md5_vec3){0, 0, 1}, angle);
        jobs[i].player = md5_create_player(character->machine, NULL, &error);
        jobs[i].events = i == 0 ? hear : NULL;
        jobs[i].joints = &joints[i * skeleton->num_joints];
        jobs[i].palette = &palettes[i * skeleton->num_joints];
        jobs[i].seconds = 1.0 / 60;
        need(jobs[i].player);
        md5_player_set_ground(jobs[i].player, find_floor, &places[i]);
    }
    void *scratch = malloc(md5_play_batch_scratch(jobs, NUM, NULL));
    md5_mat34 still[MAX_JOINTS], held; // a palette that leaves a model as it is
    for (int i = 0; i < MAX_JOINTS; i++)
        still[i] = md5_mat34_from_xform((md5_xform){.rotation = {0, 0, 0, 1}});
    md5gl_instances all = {.count = NUM, .palettes = palettes, .placements = matrices};
    md5gl_instances one = {.count = 1, .palettes = still, .placements = &held};
    need(scratch);
    for (Uint32 time = SDL_GetTicks();;) {
        int x = -1, y = -1;
        for (SDL_Event event; SDL_PollEvent(&event);) {
            if (event.type == SDL_QUIT)
                return 0;
            if (event.type == SDL_MOUSEBUTTONDOWN)
                x = event.button.x, y = event.button.y;
            const SDL_Keycode key = event.type == SDL_KEYDOWN ? event.key.keysym.sym : 0;
            if (key == SDLK_s || key == SDLK_l)
                store(key == SDLK_l);
        }
        const Uint8 *keys = SDL_GetKeyboardState(NULL);
        for (int i = 0; i < 240 && (argc > 3 || time < SDL_GetTicks()); i++, time += 17)
            step(keys[SDL_SCANCODE_UP] - keys[SDL_SCANCODE_DOWN] + (argc > 3),
                 keys[SDL_SCANCODE_LEFT] - keys[SDL_SCANCODE_RIGHT], scratch);
        held = md5_mat34_mul(matrices[0], joints[hand]);
        md5gl_frame frame = make_frame(places[0], md5_mat34_translation(held));
        need(md5gl_pose(renderer, crowd, &all, &error) && md5gl_pose(renderer, prop, &one, &error));
        md5gl_begin_frame(renderer, &frame);
        md5gl_draw_shadows(renderer, crowd);
        md5gl_draw_shadows(renderer, prop);
        draw_hills(renderer, hills, &frame);
        md5gl_draw_model(renderer, crowd, MD5GL_LIT);
        md5gl_draw_model(renderer, prop, MD5GL_LIT);
        md5gl_draw_blobs(renderer, prints, NUM_PRINTS);
        need(md5gl_end_frame(renderer, &error));
        if (argc > 3)
            return save_picture(renderer, argv[3]), 0;
        SDL_GL_SwapWindow(window);
        if (x < 0)
            continue;
        frame.target = outputs; // who was clicked on waves
        md5gl_begin_frame(renderer, &frame);
        need(md5gl_draw_outputs(renderer, crowd, &error) && md5gl_end_frame(renderer, &error));
        const uint32_t id = md5gl_pick(renderer, outputs, (uint32_t)x, (uint32_t)y, NULL, &error);
        if (id > 0)
            md5_player_set(jobs[id - 1].player, wave, 1);
    }
}

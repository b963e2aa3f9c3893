// A small game in which Bobbin walks over hills, jumps, and picks up a lantern. A state machine
// moves the character (libmd5play), and the feet follow the terrain. A camera follows the
// character, and md5gl draws with shadows.
//
//   cc walk_game.c $(pkg-config --cflags --libs md5gl md5play sdl2) -o walk_game
//   ./walk_game models
//
//   keyboard  W S: walk, back  A D: turn  Shift: run  Space: jump  E: pick up, put down  Esc: quit
//   gamepad   left stick: walk, turn  B: run  A: jump  X: pick up, put down
//
// With a time and a file name, the program plays scripted input until that time and saves an image.
// This works without a display: SDL_VIDEODRIVER=offscreen ./walk_game models 5.2 walk_game.bmp
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#include <SDL.h>
#include <math.h>
#include <md5model/md5curve.h>
#include <md5model/md5gl_stb.h>
#include <md5model/md5play.h>

// The input of the player at one tick, a time step of the simulation.
typedef struct controls {
    float ahead; // -1 to 1
    float left;  // -1 to 1
    bool runs;
    bool jumps;
    bool picks;
} controls;

// The state of the game.
typedef struct game {
    SDL_Window *window;
    SDL_GameController *pad; // NULL if none is connected
    md5gl_renderer *renderer;
    md5gl_model *drawn_bobbin;
    md5gl_model *drawn_lantern;
    md5gl_model *drawn_ground;
    md5_character *bobbin;   // model, clips and state machine
    md5_player *player;      // the state of the machine
    md5_pose_buffers *posed; // the pose of the current step
    md5_xform body;          // transform of Bobbin in the world
    md5_xform lantern;       // transform of the lantern in the world
    bool is_carried;         // the lantern is in Bobbin's hand
    // Parameters of the machine.
    uint32_t speed;
    uint32_t turn;
    uint32_t jump;
    uint32_t carry;
    uint32_t hand;        // the joint that carries the lantern
    float lantern_length; // from the handle to the lower end of the pole
    float camera_yaw;
    float camera_height;
} game;

enum { NUM_LANTERN_JOINTS = 4 };
static const double tick = 1.0 / 60; // time step of the simulation, seconds

// Exits with a message unless `is_done` is true.
static void check(bool is_done, const char *message)
{
    if (is_done)
        return;
    SDL_Log("%s", message);
    exit(1);
}

// -- Terrain --------------------------------------------------------------------------------------

// Returns the height of the terrain, which consists of hills and a rim that hides the edge.
static float height_at(float x, float y)
{
    const float rim = fmaxf(hypotf(x, y) - 350, 0);
    return 16 * sinf(x / 85) * cosf(y / 100) + 6 * sinf(x / 37 + y / 53) + 0.0006f * rim * rim;
}

// Creates the terrain, a square grid of cells, as an MD5 model. md5gl then draws it like any other
// model. The function writes the text of an .md5mesh file and parses it. Each vertex has one
// weight, on the only joint.
static md5_model *create_ground(md5_error *error)
{
    enum { CELLS = 96, SIDE = CELLS + 1, NUM_VERTICES = SIDE * SIDE, BYTES_PER_VERTEX = 240 };
    const int cell_size = 15;        // units
    const double cell_texture = 0.2; // texture repetitions per cell
    char *text = malloc(1000 + NUM_VERTICES * BYTES_PER_VERTEX);
    check(text, "out of memory");
    char *end = text
                + sprintf(text,
                          "MD5Version 10 commandline \"\" numJoints 1 numMeshes 1 "
                          "joints { \"origin\" -1 ( 0 0 0 ) ( 0 0 0 ) } "
                          "mesh { shader \"ground\" numverts %d\n",
                          NUM_VERTICES);
    for (int i = 0; i < NUM_VERTICES; i++) {
        const int column = i % SIDE;
        const int row = i / SIDE;
        end += sprintf(end, "vert %d ( %g %g ) %d 1\n", i, column * cell_texture,
                       row * cell_texture, i);
    }

    // Two triangles for each cell.
    end += sprintf(end, "numtris %d\n", 2 * CELLS * CELLS);
    for (int i = 0; i < CELLS * CELLS; i++) {
        const int a = i / CELLS * SIDE + i % CELLS; // first vertex of the cell
        const int b = a + SIDE;                     // the vertex in the next row
        end += sprintf(end, "tri %d %d %d %d\n", 2 * i, a, b, a + 1);
        end += sprintf(end, "tri %d %d %d %d\n", 2 * i + 1, a + 1, b, b + 1);
    }

    end += sprintf(end, "numweights %d\n", NUM_VERTICES);
    for (int i = 0; i < NUM_VERTICES; i++) {
        const int x = cell_size * (i % SIDE - CELLS / 2);
        const int y = cell_size * (i / SIDE - CELLS / 2);
        const float z = height_at((float)x, (float)y);
        end += sprintf(end, "weight %d 0 1 ( %d %d %g )\n", i, x, y, (double)z);
    }
    end += sprintf(end, "}\n");
    md5_model *model = md5_parse_model(text, (size_t)(end - text), NULL, error);
    free(text);
    return model;
}

// Called for each foot when Bobbin's pose is computed. Sets the height of the ground below the
// ankle, in Bobbin's model space.
static void find_ground(void *user, const md5_player *player, md5_vec3 ankle, md5_foot *foot)
{
    const md5_xform *body = user;
    const md5_vec3 at = md5_xform_point(*body, ankle);
    (void)player;
    foot->floor = height_at(at.x, at.y) - body->translation.z;
}

// -- Start ----------------------------------------------------------------------------------------

// Returns an OpenGL function. It is the callback md5gl_opts.load.
static md5gl_proc load_proc(void *user, const char *name)
{
    (void)user;
    return (md5gl_proc)SDL_GL_GetProcAddress(name);
}

// Opens a window with OpenGL 3.3 and multisampling, and creates the renderer.
static void open_window(game *g)
{
    md5_error error = MD5_INIT;
    check(SDL_Init(SDL_INIT_VIDEO | SDL_INIT_GAMECONTROLLER) == 0, SDL_GetError());
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 24);
    SDL_GL_SetAttribute(SDL_GL_MULTISAMPLEBUFFERS, 1);
    SDL_GL_SetAttribute(SDL_GL_MULTISAMPLESAMPLES, 4);
    g->window = SDL_CreateWindow("walk_game", SDL_WINDOWPOS_CENTERED, 0, 1024, 576,
                                 SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE);
    check(g->window && SDL_GL_CreateContext(g->window), SDL_GetError());
    SDL_GL_SetSwapInterval(1);
    g->renderer = md5gl_create_renderer(&(md5gl_opts){.load = load_proc}, &error);
    check(g->renderer, error.message);
}

// Uploads a model and the textures next to its file.
static md5gl_model *upload(md5gl_renderer *renderer, const md5_model *model, const char *path)
{
    md5_error error = MD5_INIT;
    const md5gl_material_set_desc desc = {
        .model = model, .path = path, .load = md5gl_stb_load, .release = md5gl_stb_release};
    md5gl_model *drawn = md5gl_create_model(renderer, model, MD5GL_PATH_AUTO, &error);
    md5gl_material_set *material_set = md5gl_load_materials(renderer, &desc, &error);
    check(drawn && material_set, error.message);
    for (uint32_t i = 0; i < material_set->num_meshes; i++)
        md5gl_set_material(renderer, drawn, 0, i, &material_set->materials[i]);
    return drawn;
}

// Puts the lantern upright on the ground.
static void put_lantern_down(game *g, float x, float y)
{
    // In the model file the pole is parallel to the x axis. Rotate it to the vertical.
    g->lantern.rotation = (md5_quat){0, -0.7071068f, 0, 0.7071068f};
    g->lantern.translation = (md5_vec3){x, y, height_at(x, y) + g->lantern_length};
    g->is_carried = false;
}

// Loads the lantern, which Bobbin can carry.
static void load_lantern(game *g, const char *models)
{
    char path[1024];
    md5_error error = MD5_INIT;
    snprintf(path, sizeof path, "%s/lantern/lantern.md5mesh", models);
    const md5_model *lantern = md5_load_model(path, NULL, &error);
    check(lantern, error.message);
    check(lantern->skeleton.num_joints == NUM_LANTERN_JOINTS, "unexpected joints in the lantern");
    g->lantern_length = -lantern->bounds.min.x;
    g->drawn_lantern = upload(g->renderer, lantern, path);
}

// Loads Bobbin with its state machine, and looks up the names that the game uses.
static void load_bobbin(game *g, const char *models)
{
    char path[1024];
    md5_error error = MD5_INIT;
    snprintf(path, sizeof path, "%s/bobbin/bobbin.md5machine", models);
    g->bobbin = md5_load_character(path, NULL, &error);
    check(g->bobbin, error.message);
    const md5_machine *machine = g->bobbin->machine;
    const md5_model *model = g->bobbin->model;
    g->player = md5_create_player(machine, NULL, &error);
    g->posed = md5_create_pose_buffers(model, md5_player_pose_scratch(machine), NULL, &error);
    check(g->player && g->posed, error.message);
    g->drawn_bobbin = upload(g->renderer, model, g->bobbin->model_path);
    // In debug builds of the library a missing name fails an assertion.
    g->speed = md5_require_parameter(machine, "speed");
    g->turn = md5_require_parameter(machine, "turn");
    g->jump = md5_require_parameter(machine, "jump");
    g->carry = md5_require_parameter(machine, "carry");
    g->hand = md5_find_joint(&model->skeleton, "prop_r");
    check(g->hand != MD5_NONE, "the model does not have a joint prop_r");
    md5_player_set_ground(g->player, find_ground, &g->body);
}

// Creates the terrain and gives it a checkered green material.
static void load_ground(game *g)
{
    md5_error error = MD5_INIT;
    const md5_model *ground = create_ground(&error);
    check(ground, error.message);
    g->drawn_ground = md5gl_create_model(g->renderer, ground, MD5GL_PATH_AUTO, &error);
    check(g->drawn_ground, error.message);
    const md5gl_material grass = {.diffuse = md5gl_checker_texture(g->renderer),
                                  .diffuse_color = {0.55f, 0.8f, 0.3f},
                                  .gloss = 0.1f};
    md5gl_set_material(g->renderer, g->drawn_ground, 0, 0, &grass);
}

// Opens the window, loads all models, and puts Bobbin and the lantern at their first positions.
static void start(game *g, const char *models)
{
    open_window(g);
    load_lantern(g, models);
    load_bobbin(g, models);
    load_ground(g);
    g->body = (md5_xform){.rotation = {.w = 1}, .translation = {0, 0, height_at(0, 0)}};
    g->camera_height = g->body.translation.z;
    put_lantern_down(g, 85, -16);
}

// -- Simulation -----------------------------------------------------------------------------------

// Picks up the lantern if it is within reach, or puts it down.
static void pick_up_or_put_down(game *g)
{
    const float reach = 40;
    const md5_vec3 at = g->body.translation;
    if (g->is_carried)
        put_lantern_down(g, at.x, at.y);
    else
        g->is_carried = md5_vec3_length(md5_vec3_sub(g->lantern.translation, at)) < reach;
}

// Sets the parameters of the state machine from the input of the player. They are the speed, the
// turn rate, and whether the character jumps or carries the lantern.
static void set_parameters(game *g, controls input)
{
    const float walk = 20; // units per second
    const float run = 44;
    const float walk_back = 15;
    const float turn = 75; // degrees per second
    float speed = input.ahead * walk;
    if (input.ahead < 0)
        speed = input.ahead * walk_back;
    else if (input.runs)
        speed = input.ahead * run;
    md5_player_set(g->player, g->speed, speed);
    md5_player_set(g->player, g->turn, turn * input.left);
    md5_player_set(g->player, g->carry, g->is_carried);
    if (input.jumps)
        md5_player_set(g->player, g->jump, 1); // a trigger, which the machine resets
}

// Moves the camera smoothly after Bobbin.
static void move_camera(game *g)
{
    const float full_turn = 6.2831853f;
    const float yaw = 2 * atan2f(g->body.rotation.z, g->body.rotation.w);
    const float fraction = md5_smoothing_fraction(2, (float)tick);
    g->camera_yaw += remainderf(yaw - g->camera_yaw, full_turn) * fraction;
    g->camera_height += (g->body.translation.z - g->camera_height) * fraction;
}

// Simulates one tick: passes the input to the state machine, moves and poses the character, and
// lets the lantern and the camera follow.
static void step(game *g, controls input)
{
    if (input.picks)
        pick_up_or_put_down(g);
    set_parameters(g, input);

    // Root motion moves Bobbin only along the ground. The terrain sets the height.
    md5_player_advance(g->player, tick, NULL, NULL);
    g->body = md5_xform_advance(g->body, md5_player_root_motion(g->player));
    g->body.translation.z = height_at(g->body.translation.x, g->body.translation.y);
    md5_player_pose(g->player, g->posed->pose, g->posed->joints, g->posed->palette,
                    g->posed->scratch);
    if (g->is_carried)
        g->lantern = md5_xform_mul(g->body, md5_xform_from_mat34(g->posed->joints[g->hand]));
    move_camera(g);
}

// -- Drawing --------------------------------------------------------------------------------------

// Returns the view of a camera that looks at Bobbin from the back and the right, where the hand
// with the lantern is. The camera always remains above the ground.
static md5_mat44 view_from_camera(const game *g)
{
    const md5_vec3 at = g->body.translation;
    const float x = at.x - 140 * cosf(g->camera_yaw + 0.8f);
    const float y = at.y - 140 * sinf(g->camera_yaw + 0.8f);
    const md5_vec3 eye = {x, y, fmaxf(g->camera_height + 62, height_at(x, y) + 15)};
    const md5_vec3 target = {at.x, at.y, g->camera_height + 42};
    return md5_mat44_look_at(eye, target, (md5_vec3){0, 0, 1});
}

// Sets the pose of an uploaded model and its transform in the world.
static void set_pose(game *g, md5gl_model *drawn, const md5_mat34 *palette, md5_xform transform)
{
    md5_error error = MD5_INIT;
    const md5_mat34 placement = md5_mat34_from_xform(transform);
    const md5gl_instances one = {.count = 1, .palettes = palette, .placements = &placement};
    check(md5gl_pose(g->renderer, drawn, &one, &error), error.message);
}

// Returns the camera and the lights of a frame: a low sun, and the light of the lantern.
static md5gl_frame make_frame(const game *g, int width, int height,
                              const md5gl_point_light *lantern_light)
{
    const md5_vec3 at = g->body.translation;
    return (md5gl_frame){
        .width = (uint32_t)width,
        .height = (uint32_t)height,
        .background = {0.55f, 0.6f, 0.75f, 1},
        .view_from_world = view_from_camera(g),
        .clip_from_view = md5_mat44_perspective(40, (float)width / (float)height, 5, 3000,
                                                MD5_DEPTH_MINUS_ONE_TO_ONE),
        .tone_mapped = true,
        .light_direction = {-0.4f, 1, 0.8f},
        .light = {1.7f, 1.2f, 0.8f},
        .ambient = {0.25f, 0.3f, 0.45f},
        .point_lights = lantern_light,
        .num_point_lights = 1,
        .casters = {.min = {at.x - 200, at.y - 200, at.z - 40},
                    .max = {at.x + 200, at.y + 200, at.z + 100}},
        .shadow_texels = 2048,
        .softness = 0.08f,
        .ground = at.z,
    };
}

// Draws a frame. Sets the poses of the three models, then draws their shadows and the models.
static void draw(game *g, int width, int height)
{
    md5_error error = MD5_INIT;
    const md5_xform origin = {.rotation = {.w = 1}};
    const md5_mat34 identity = md5_mat34_from_xform(origin);
    const md5_mat34 rest[NUM_LANTERN_JOINTS] = {identity, identity, identity, identity};
    const md5_vec3 lamp = {11, 0, -5}; // the light, in the lantern's model space
    const md5gl_point_light light = {
        .position = md5_xform_point(g->lantern, lamp), .range = 120, .color = {2.5f, 1.3f, 0.45f}};
    const md5gl_frame frame = make_frame(g, width, height, &light);

    set_pose(g, g->drawn_bobbin, g->posed->palette, g->body);
    set_pose(g, g->drawn_lantern, rest, g->lantern);
    set_pose(g, g->drawn_ground, &identity, origin);

    md5gl_begin_frame(g->renderer, &frame);
    md5gl_draw_shadows(g->renderer, g->drawn_bobbin);
    md5gl_draw_shadows(g->renderer, g->drawn_lantern);
    md5gl_draw_model(g->renderer, g->drawn_bobbin, MD5GL_LIT);
    md5gl_draw_model(g->renderer, g->drawn_lantern, MD5GL_LIT);
    md5gl_draw_model(g->renderer, g->drawn_ground, MD5GL_LIT);
    check(md5gl_end_frame(g->renderer, &error), error.message);
}

// -- Input ----------------------------------------------------------------------------------------

// Returns the position of a stick's axis, -1 to 1.
static float read_axis(SDL_GameController *pad, SDL_GameControllerAxis axis)
{
    const float value = (float)SDL_GameControllerGetAxis(pad, axis) / 32768.0f;
    return fabsf(value) > 0.2f ? value : 0; // a released stick is not exactly in the middle
}

// Handles the events since the last frame. Returns false at the end of the game. A frame may
// simulate no tick, so jumps and picks remain set until a tick has used them.
static bool read_events(game *g, controls *input)
{
    for (SDL_Event event; SDL_PollEvent(&event);) {
        const bool is_key = event.type == SDL_KEYDOWN && event.key.repeat == 0;
        const SDL_Keycode key = is_key ? event.key.keysym.sym : SDLK_UNKNOWN;
        const int button = event.type == SDL_CONTROLLERBUTTONDOWN ? event.cbutton.button : -1;
        if (event.type == SDL_QUIT || key == SDLK_ESCAPE)
            return false;
        if (event.type == SDL_CONTROLLERDEVICEADDED && !g->pad)
            g->pad = SDL_GameControllerOpen(event.cdevice.which);
        if (key == SDLK_SPACE || button == SDL_CONTROLLER_BUTTON_A)
            input->jumps = true;
        if (key == SDLK_e || button == SDL_CONTROLLER_BUTTON_X)
            input->picks = true;
    }
    return true;
}

// Reads events, and the current state of keys and gamepad. Returns false at the end of the game.
static bool read_input(game *g, controls *input)
{
    if (!read_events(g, input))
        return false;
    const uint8_t *keys = SDL_GetKeyboardState(NULL);
    input->ahead = (float)(keys[SDL_SCANCODE_W] - keys[SDL_SCANCODE_S]);
    input->left = (float)(keys[SDL_SCANCODE_A] - keys[SDL_SCANCODE_D]);
    input->runs = keys[SDL_SCANCODE_LSHIFT];
    if (g->pad) { // axes of sticks point down and right
        input->ahead -= read_axis(g->pad, SDL_CONTROLLER_AXIS_LEFTY);
        input->left -= read_axis(g->pad, SDL_CONTROLLER_AXIS_LEFTX);
        input->runs |= SDL_GameControllerGetButton(g->pad, SDL_CONTROLLER_BUTTON_B);
    }
    return true;
}

// -- Game loop ------------------------------------------------------------------------------------

// Plays until the player ends the game. Each frame first simulates the ticks that are due.
static void play(game *g)
{
    int width, height;
    controls input = {0};
    double before = SDL_GetTicks() / 1000.0;
    double pending = 0; // time that is not simulated yet, seconds
    while (read_input(g, &input)) {
        const double now = SDL_GetTicks() / 1000.0;
        pending = fmin(pending + now - before, 0.1); // a long pause is not simulated completely
        before = now;
        while (pending >= tick) {
            step(g, input);
            input.jumps = input.picks = false;
            pending -= tick;
        }
        SDL_GL_GetDrawableSize(g->window, &width, &height);
        draw(g, width, height);
        SDL_GL_SwapWindow(g->window);
    }
}

// Returns the input of the script at a tick. Bobbin walks to the lantern, jumps, picks it up at 6
// seconds, and walks on in a curve.
static controls scripted_input(int ticks)
{
    const bool is_before_lantern = ticks < 210;
    const bool is_after_lantern = ticks > 450;
    return (controls){.ahead = is_before_lantern || is_after_lantern ? 1 : 0,
                      .left = is_after_lantern ? 0.5f : 0,
                      .jumps = ticks == 270,
                      .picks = ticks == 360};
}

// Plays scripted input until the time `end`, in seconds, and saves an image.
static void play_script(game *g, double end, const char *file)
{
    enum { WIDTH = 1024, HEIGHT = 576 };
    const Uint32 format = SDL_PIXELFORMAT_RGBA32;
    for (int i = 0; i < lround(end / tick); i++)
        step(g, scripted_input(i));
    draw(g, WIDTH, HEIGHT);
    SDL_Surface *image = SDL_CreateRGBSurfaceWithFormat(0, WIDTH, HEIGHT, 32, format);
    check(image && md5gl_read_pixels(g->renderer, NULL, WIDTH, HEIGHT, image->pixels, NULL),
          "the image cannot be read");
    check(SDL_SaveBMP(image, file) == 0, SDL_GetError());
    const md5_bounds bounds = md5_player_bounds(g->player, g->posed->joints);
    printf("%.2f s: %.1f units ahead, top at %.1f, %s the lantern\n", end,
           (double)g->body.translation.x, (double)bounds.max.z, g->is_carried ? "with" : "without");
}

// With a time and a file name, plays the script until this time and saves an image. Otherwise
// plays the game until the user quits.
int main(int argc, char **argv)
{
    game g = {0};
    check(argc == 2 || argc == 4, "usage: walk_game MODELS [SECONDS IMAGE.bmp]");
    start(&g, argv[1]);
    if (argc == 4)
        play_script(&g, strtod(argv[2], NULL), argv[3]);
    else
        play(&g);
    SDL_Quit(); // the system frees the memory
    return 0;
}

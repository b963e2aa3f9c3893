// Display modes of the body: weights and texture coordinates, with their panels. Also the state
// graph and the channels of an entity.
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"
#include "test/viewer/test_view_shot.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/stage.h"

#define MODEL "models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim --animation-time 0.3"
#define SIZE " --samples 1 --resolution 160,120"

enum { WIDTH = 160, HEIGHT = 120 };

static const uint8_t *texel_at(const view_image *image, uint32_t x, uint32_t y)
{
    return image->rgba + 4 * ((size_t)y * image->width + x);
}

// The red of a cell is u, its green is v, and no cell equals its mirror image.
TEST (view_uv_grid_shows_u_and_v) {
    enum { CELL = VIEW_UV_GRID_SIZE / VIEW_UV_CELLS };
    view_image image = view_make_uv_grid();
    for (uint32_t row = 0; row < VIEW_UV_CELLS; row++) {
        for (uint32_t column = 0; column + 2 < VIEW_UV_CELLS; column++) {
            const uint32_t x = CELL * column + 4;
            const uint32_t y = CELL * row + 4;
            CHECK(texel_at(&image, x, y)[0] < texel_at(&image, x + 2 * CELL, y)[0]);
            CHECK(texel_at(&image, y, x)[1] < texel_at(&image, y, x + 2 * CELL)[1]);
        }
    }
    unsigned num_white = 0;
    unsigned num_mirrored = 0;
    for (uint32_t y = 0; y < CELL; y++) {
        for (uint32_t x = 0; x < CELL; x++) {
            const bool is_white = texel_at(&image, x + CELL, y)[0] == 250; // "B1"
            num_white += is_white;
            num_mirrored += is_white && texel_at(&image, 2 * CELL - 1 - x, y)[0] != 250;
        }
    }
    CHECK(num_white > 100 && num_mirrored > num_white / 4);
    free(image.rgba);
}

// Counts of sampled pixels of the body. In the display of weights, num_full counts pixels of full
// weight and num_none pixels without weight. In the display of texture coordinates, they count
// pixels with u far above v and with v far above u. num_wrong counts pixels of an unexpected color.
typedef struct sight {
    unsigned num_full;
    unsigned num_none;
    unsigned num_wrong;
} sight;

static float joint_weight(const md5_mesh *mesh, uint32_t vertex, int32_t joint)
{
    float weight = 0.0f;
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++) {
        if ((int32_t)mesh->influence_joints[i] == joint)
            weight += mesh->influences[i].w;
    }
    return weight;
}

static sight compare_colors(shot_viewer *viewer, bool at_weights)
{
    view_state *const state = &viewer->state;
    sight comparison = {0};
    const int32_t joint = state->ui.selection.joint;
    SCOPED_PICTURE picture = shot_draw(viewer);
    for (int y = 4; y < HEIGHT && picture.rgba != NULL; y += 5) {
        for (int x = 40; x < WIDTH - 40; x += 5) {
            view_pick_at(state, (float)x + 0.5f, (float)y + 0.5f);
            const uint8_t *const rgba = picture.rgba + 4 * ((size_t)y * WIDTH + (size_t)x);
            if (state->ui.selection.pick.is_set && at_weights) {
                // Full weight is red, zero weight gray.
                const view_pick *const pick = &state->ui.selection.pick;
                const md5_mesh *const mesh = &state->document->scene.model->meshes[pick->mesh];
                float min_weight = 1.0f;
                float max_weight = 0.0f;
                for (uint32_t i = 0; i < 3; i++) {
                    const uint32_t vertex = mesh->indices[3 * (size_t)pick->triangle + i];
                    min_weight = fminf(min_weight, joint_weight(mesh, vertex, joint));
                    max_weight = fmaxf(max_weight, joint_weight(mesh, vertex, joint));
                }
                const bool is_red = rgba[0] > 2 * rgba[1] && rgba[0] > 2 * rgba[2];
                const bool is_gray = abs(rgba[0] - rgba[2]) < 32 && abs(rgba[0] - rgba[1]) < 32;
                const bool is_full = min_weight > 0.97f;
                const bool is_none = max_weight == 0.0f;
                comparison.num_full += is_full;
                comparison.num_none += is_none;
                if (is_full)
                    comparison.num_wrong += !is_red;
                else if (is_none)
                    comparison.num_wrong += !is_gray;
            } else if (state->ui.selection.pick.is_set) {
                // If u is far above v, red is above green, and vice versa.
                const view_pick *const pick = &state->ui.selection.pick;
                const md5_mesh *const mesh = &state->document->scene.model->meshes[pick->mesh];
                float u = 0.0f;
                float v = 0.0f;
                for (uint32_t i = 0; i < 3; i++) {
                    const md5_vec2 at =
                        mesh->texcoords[mesh->indices[3 * (size_t)pick->triangle + i]];
                    u += pick->weights[i] * at.x;
                    v += pick->weights[i] * at.y;
                }
                const bool is_u_larger = u > v + 0.3f;
                const bool is_v_larger = v > u + 0.3f;
                comparison.num_full += is_u_larger;
                comparison.num_none += is_v_larger;
                // Edges and names of cells have other colors, so only a wrong order of red and
                // green is counted.
                if (is_u_larger)
                    comparison.num_wrong += rgba[0] + 4 < rgba[1];
                else if (is_v_larger)
                    comparison.num_wrong += rgba[1] + 4 < rgba[0];
            }
        }
    }
    return comparison;
}

TEST_SHOT (view_surface_shows_weights_and_texture_coordinates,
           MODEL SIZE " --shading weights --no-shadow --joint head") {
    viewer->state.ui.selection.joint =
        (int32_t)md5_find_joint(viewer->state.document->scene.skeleton, "head");
    CHECK(viewer->state.ui.selection.joint >= 0);
    sight comparison = compare_colors(viewer, true);
    CHECK(comparison.num_full > 10 && comparison.num_none > 20);
    // The joint's name covers some pixels.
    CHECK(comparison.num_wrong * 5 < comparison.num_full + comparison.num_none);
    PERFORM(&viewer->state, VIEW_CLOSE_LISTS);
    viewer->state.options->surface = VIEW_SURFACE_UV;
    comparison = compare_colors(viewer, false);
    CHECK(comparison.num_full > 20 && comparison.num_none > 20);
    CHECK(comparison.num_wrong * 10 < comparison.num_full + comparison.num_none);
}

// Draws the lit surface and the weights, and returns the number of pixels that only one of them
// covers.
static unsigned compare_shapes(shot_viewer *viewer)
{
    viewer->state.options->surface = VIEW_SURFACE_LIT;
    SCOPED_PICTURE lit = shot_draw(viewer);
    viewer->state.options->surface = VIEW_SURFACE_WEIGHTS;
    SCOPED_PICTURE weights = shot_draw(viewer);
    unsigned num_visible = 0;
    unsigned num_different = 0;
    for (size_t p = 3; p < (size_t)4 * WIDTH * HEIGHT; p += 4) {
        num_visible += lit.rgba[p] != 0;
        num_different += (lit.rgba[p] != 0) != (weights.rgba[p] != 0);
    }
    CHECK(num_visible > 100);
    CHECK(shot_difference(&lit, &weights) > 0.01);
    return num_different;
}

// The weights are shown on the same shape as the materials, even with morph targets and hidden
// meshes.
TEST_SHOT (view_surface_of_weights_has_the_shape_of_the_model,
           MODEL SIZE " --morph oh=1 --no-background --grid=no") {
    view_document *const document = viewer->state.document;
    CHECK_UINT(compare_shapes(viewer), 0);
    viewer->state.options->hidden_meshes = 1;
    view_show_meshes(document, 1);
    CHECK_UINT(compare_shapes(viewer), 0);
}

static void draw_panels(view_state *state, view_stage *stage)
{
    *stage = item_draw(state, WIDTH * 8, HEIGHT * 8);
}

// The corner shows the scale of weights. The card of a mesh shows its texture layout.
TEST_SHOT (view_surface_panel_shows_weights_and_the_page_a_layout, MODEL " --panel") {
    view_state *const state = &viewer->state;
    const view_canvas *const canvas = &state->drawing.canvas;
    view_stage stage;
    for (int i = 1; i <= (int)VIEW_NUM_SURFACES; i++) {
        PERFORM(state, view_get_toggle(VIEW_OPTION(surface)));
        draw_panels(state, &stage);
        CHECK(state->options->surface == (view_surface)(i % (int)VIEW_NUM_SURFACES));
        const view_rect box = item_find(state, &stage, "surface/");
        CHECK((box.width > 0.0f) == (state->options->surface == VIEW_SURFACE_WEIGHTS));
        // A click on the scale does not reach the body.
        const view_command request = item_press_at(state, &stage, box.x + 3.0f, box.y + 3.0f);
        CHECK(!(box.width > 0.0f) || request.action == VIEW_HANDLED);
    }
    state->options->surface = VIEW_SURFACE_LIT;
    view_select_mesh(&state->ui, state->uptime, 1);
    state->ui.folded = ~(1u << UI_SECTION_UV);
    draw_panels(state, &stage);
    REQUIRE(canvas->num_images == 1);
    const view_canvas_image *const image = &canvas->images[0];
    CHECK_NEAR(image->vertices[2].x - image->vertices[0].x,
               image->vertices[2].y - image->vertices[0].y, 0.01);
    CHECK_NEAR(image->vertices[2].u, 1, 1e-6);
}

// -- State graph ----------------------------------------------------------------------------------

// The state graph of a machine: its nodes, its highlights, and the effect of clicks.

#define MACHINE "models/bobbin/bobbin.md5machine --panel --graph"

enum { GRAPH_WIDTH = 1280, GRAPH_HEIGHT = 900 };

static view_stage draw(view_state *state)
{
    return item_draw(state, GRAPH_WIDTH, GRAPH_HEIGHT);
}

static const md5_layer_desc *get_layer(const view_state *state, uint32_t layer)
{
    return &state->document->scene.machine.desc->layers[layer];
}

// Returns the rectangle of the node of a state.
static view_rect find_node_rect(view_state *state, const char *layer, const char *name)
{
    const view_stage stage = view_build_stage(state, GRAPH_WIDTH, GRAPH_HEIGHT);
    SCOPED_STRING item = common_format("state/%s/%s", layer, name);
    return item_find(state, &stage, item);
}

// Returns true if a vertex in the color of active states is within a node.
static bool is_lit(view_state *state, const char *name)
{
    static const uint8_t color[4] = {0x33, 0x50, 0x7F, 0xFF};
    const view_rect node = find_node_rect(state, get_layer(state, 0)->name, name);
    for (uint32_t i = 0; i < state->drawing.canvas.count; i++) {
        const md5gl_panel_vertex *const vertex = &state->drawing.canvas.vertices[i];
        if (memcmp(vertex->rgba, color, sizeof color) == 0
            && view_contains(node, vertex->x, vertex->y))
            return true;
    }
    return false;
}

static view_command press_node(view_state *state, const view_stage *stage, const char *name)
{
    SCOPED_STRING item = common_format("state/%s/%s", get_layer(state, 0)->name, name);
    return item_press(state, stage, item, 0.5f, 0.5f);
}

static bool are_apart(view_rect a, view_rect b)
{
    const bool are_apart_in_x = a.x + a.width <= b.x || b.x + b.width <= a.x;
    const bool are_apart_in_y = a.y + a.height <= b.y || b.y + b.height <= a.y;
    return are_apart_in_x || are_apart_in_y;
}

TEST_SHOT (view_graph_has_a_node_for_each_state, MACHINE) {
    view_state *const state = &viewer->state;
    const view_stage before = draw(state);
    const view_rect box = item_find(state, &before, "state/");
    view_rect nodes[128];
    uint32_t count = 0;
    for (uint32_t i = 0; i < state->document->scene.machine.desc->num_layers; i++) {
        const md5_layer_desc *const layer = get_layer(state, i);
        SCOPED_STRING name = common_format("state/layer %s", layer->name);
        item_press(state, &before, name, 0.5f, 0.5f); // the graph shows one layer at a time
        count = 0;
        for (uint32_t j = 0; j < layer->num_states; j++) {
            const view_rect node = nodes[count] =
                find_node_rect(state, layer->name, layer->states[j].name);
            CHECK(node.width > 0.0f && view_contains(box, node.x, node.y)
                  && view_contains(box, node.x + node.width, node.y + node.height));
            for (uint32_t k = 0; k < count; k++)
                CHECK(are_apart(node, nodes[k]));
            if (!CHECK(++count < 128))
                break;
        }
        CHECK_UINT(count, layer->num_states);
    }
    // The model is shown above the graph.
    const view_stage stage = view_build_stage(state, GRAPH_WIDTH, GRAPH_HEIGHT);
    const view_rect region = view_free_region(&stage);
    CHECK(region.y + region.height <= box.y + 1.0f);
    state->options->shown.graph = false;
    CHECK(find_node_rect(state, get_layer(state, 0)->name, "idle").width == 0.0f);
}

TEST_SHOT (view_graph_starts_the_clicked_state, MACHINE) {
    view_state *const state = &viewer->state;
    view_machine *const machine = &state->document->scene.machine;
    view_pose(&state->document->scene, &state->play);
    view_stage stage = draw(state);
    CHECK(is_lit(state, "idle") && !is_lit(state, "leap"));
    view_command request = press_node(state, &stage, "leap");
    CHECK_UINT(request.action, VIEW_GO_TO_STATE);
    CHECK_UINT(request.number, 0);
    const uint32_t leap = (uint32_t)request.item;
    CHECK_STRING(get_layer(state, 0)->states[leap].name, "leap");
    // While paused, the state changes immediately.
    state->play.playing = false;
    machine->plays_demo = true;
    CHECK(view_execute(state, request));
    CHECK(!machine->plays_demo); // the user has taken over
    CHECK_UINT(md5_player_layer(machine->player, 0).state, leap);
    CHECK(md5_player_layer(machine->player, 0).from == MD5_NONE);
    stage = draw(state);
    CHECK(is_lit(state, "leap") && !is_lit(state, "idle"));
    // During playback the state changes with a transition.
    state->play.playing = true;
    request = press_node(state, &stage, "idle");
    const uint32_t idle = (uint32_t)request.item;
    CHECK(view_execute(state, request));
    view_run_machine(machine, machine->time + 0.1);
    const md5_layer_status status = md5_player_layer(machine->player, 0);
    CHECK_UINT(status.state, idle);
    CHECK(status.from == leap);
    // Neither a click next to the nodes nor a request for a state that does not exist changes the
    // state.
    const view_rect box = item_find(state, &stage, "state/");
    request = item_press_at(state, &stage, box.x + 2.0f, box.y + 2.0f);
    CHECK_UINT(request.action, VIEW_HANDLED);
    CHECK(PERFORM(state, VIEW_GO_TO_STATE, .number = 99));
    CHECK_UINT(md5_player_layer(machine->player, 0).state, idle);
}

// Shows the layer whose states form a sequence.
static view_stage draw_story(view_state *state)
{
    const view_stage before = draw(state);
    item_press(state, &before, "state/layer story", 0.5f, 0.5f);
    return draw(state);
}

// Computes the middle of the line between two nodes in adjacent columns.
static void point_between(view_state *state, const char *left, const char *right, float *x,
                          float *y)
{
    const view_rect a = find_node_rect(state, "story", left);
    const view_rect b = find_node_rect(state, "story", right);
    *x = 0.5f * (a.x + a.width + b.x);
    *y = 0.5f * (a.y + b.y + b.height);
}

TEST_SHOT (view_graph_takes_the_clicked_transition, MACHINE) {
    view_state *const state = &viewer->state;
    view_machine *const machine = &state->document->scene.machine;
    const view_stage stage = draw_story(state);
    float x, y;
    point_between(state, "sit", "doze", &x, &y);
    const view_command request = item_press_at(state, &stage, x, y);
    CHECK_UINT(request.action, VIEW_TAKE_TRANSITION);
    const md5_transition_desc *const transition = &get_layer(state, 2)->transitions[request.item];
    CHECK_STRING(transition->from, "sit");
    CHECK_STRING(transition->to, "doze");
    state->play.playing = true;
    CHECK(view_execute(state, request));
    view_run_machine(machine, machine->time + 0.1);
    const md5_layer_status status = md5_player_layer(machine->player, 2);
    CHECK_STRING(get_layer(state, 2)->states[status.state].name, "doze");
    // The state changes over the duration of the transition, of which 0.1 s have passed.
    CHECK_NEAR(status.progress, 0.1 / (double)transition->duration, 0.02);
    // The index of a transition can be out of range if the machine was reloaded after the request.
    // It is ignored.
    CHECK(PERFORM(state, VIEW_TAKE_TRANSITION, .item = 9999));
}

// Returns the number of vertices of the drawn interface that have the color `color`.
static uint32_t count_color(const view_state *state, view_color color)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < state->drawing.canvas.count; i++) {
        const uint8_t *const rgba = state->drawing.canvas.vertices[i].rgba;
        count += ((view_color)rgba[0] << 24 | (view_color)rgba[1] << 16 | (view_color)rgba[2] << 8
                  | rgba[3])
                 == color;
    }
    return count;
}

TEST_SHOT (view_graph_shows_conditions_of_the_hovered_transition, MACHINE) {
    const view_color green = 0x7BD88FFFu;
    view_state *const state = &viewer->state;
    view_machine *const machine = &state->document->scene.machine;
    const view_stage stage = draw_story(state);
    const uint32_t before = count_color(state, green);
    float x, y;
    point_between(state, "doze", "startle", &x, &y);
    const ui_mouse event = {.x = x, .y = y, .is_moved = true};
    // Moving the mouse onto the line requires another frame.
    CHECK_UINT(view_run_ui(&state->ui, &state->panels, &stage, &event).action, VIEW_HANDLED);
    draw(state);
    CHECK_UINT(count_color(state, green), before); // no condition is true
    const uint32_t speed = md5_find_parameter(machine->character->machine, "speed");
    CHECK(md5_player_set(machine->player, speed, 10));
    draw(state);
    CHECK(count_color(state, green) > before);
}

// Returns the number of vertices in the fading color of a transition that was taken.
static uint32_t count_fading(const view_state *state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < state->drawing.canvas.count; i++) {
        const uint8_t *const rgba = state->drawing.canvas.vertices[i].rgba;
        const bool has_color = rgba[0] == 0x6F && rgba[1] == 0xA8 && rgba[2] == 0xFF;
        count += has_color && rgba[3] < 0xFF;
    }
    return count;
}

TEST_SHOT (view_graph_fades_transitions_that_were_taken, MACHINE) {
    view_state *const state = &viewer->state;
    view_machine *const machine = &state->document->scene.machine;
    machine->plays_demo = false;
    draw(state);
    CHECK_UINT(count_fading(state), 0);
    const uint32_t busy = md5_find_state(machine->character->machine, 0, "busy");
    CHECK(md5_player_fade_to(machine->player, 0, busy, 0.2f, MD5_FADE_CROSS, MD5_EASE_LINEAR));
    view_run_machine(machine, machine->time + 0.1);
    draw(state);
    view_run_machine(machine, machine->time + 0.3);
    draw(state);
    CHECK(count_fading(state) > 0);
    for (int i = 0; i < 22; i++)
        view_run_machine(machine, machine->time + 0.1);
    draw(state);
    CHECK_UINT(count_fading(state), 0);
}

TEST_SHOT (view_graph_is_zoomed_at_the_pointer_and_dragged, MACHINE) {
    view_state *const state = &viewer->state;
    const view_stage stage = draw(state);
    const view_rect before = find_node_rect(state, "body", "back");
    const float x = before.x + 0.5f * before.width;
    const float y = before.y + 0.5f * before.height;
    const ui_mouse wheel = {.x = x, .y = y, .wheel = 1};
    CHECK_UINT(view_run_ui(&state->ui, &state->panels, &stage, &wheel).action, VIEW_HANDLED);
    const view_rect nearer = find_node_rect(state, "body", "back");
    CHECK_NEAR(nearer.width, 1.15 * (double)before.width, 0.1);
    CHECK_NEAR(nearer.x + 0.5f * nearer.width, x, 0.1);
    CHECK_NEAR(nearer.y + 0.5f * nearer.height, y, 0.1);
    // A drag that begins between the nodes moves the graph.
    const view_rect box = item_find(state, &stage, "state/");
    const float down = box.y + box.height - 4.0f;
    item_press_at(state, &stage, box.x + 0.5f * box.width, down);
    const ui_mouse drag = {
        .x = box.x + 0.5f * box.width - 30.0f, .y = down - 20.0f, .is_moved = true};
    view_run_ui(&state->ui, &state->panels, &stage, &drag);
    CHECK_STRING(item_release(state), "state");
    const view_rect moved = find_node_rect(state, "body", "back");
    CHECK_NEAR(moved.x, nearer.x - 30.0f, 0.1);
    CHECK_NEAR(moved.y, nearer.y - 20.0f, 0.1);
    // "Fit" shows the whole graph again.
    item_press(state, &stage, "state/fit", 0.5f, 0.5f);
    CHECK_NEAR(find_node_rect(state, "body", "back").x, before.x, 0.1);
}

// -- Channels of an entity ------------------------------------------------------------------------

// The panel of an entity's channels, and the selection of clips for them.

// Opens a screen. If `draws` is true, the interface can be drawn, without textures; otherwise
// nothing is uploaded.
static bool open_screen(screen *s, bool draws)
{
    if (!screen_begin(s, 1280, 900))
        return false;
    s->viewer.renderer = NULL;
    s->options.game = test_path("models/game/base");
    s->options.files[s->options.num_files++] = "monster_bobbin";
    if (!CHECK(view_open_game_name(&s->viewer)))
        return false;
    view_pose(&s->viewer.document->scene, &s->viewer.play);
    s->viewer.renderer = s->gl.renderer;
    if (!draws)
        return true;
    const view_loader loader = {&s->options, s->gl.renderer, &s->viewer.log, NULL};
    view_document *const document = s->viewer.document;
    document->drawn = view_create_model(&loader, document->scene.model);
    return true;
}

static size_t clip_named(const view_scene *scene, const char *name)
{
    size_t clip = 0;
    while (clip < scene->num_clips && strcmp(scene->clips[clip].name, name) != 0)
        clip++;
    CHECK(clip < scene->num_clips);
    return clip;
}

static view_command click(screen *s, const char *name, float across)
{
    const view_stage stage = item_draw(&s->viewer, 1280.0f, 900.0f);
    return item_press(&s->viewer, &stage, name, across, 0.5f);
}

#define TEST_HERE(title, draws) TEST_SCREEN (title, open_screen(s, draws))

TEST_HERE (channel_rows_can_be_clicked, true) {
    view_stage stage = item_draw(&s->viewer, 1280.0f, 900.0f);
    CHECK(item_find(&s->viewer, &stage, "channel/legs").width > 0.0f);
    // This monster has no joints in the channel of the head.
    CHECK(item_find(&s->viewer, &stage, "channel/head").width == 0.0f);
    view_command request = click(s, "channel/legs", 0.99f);
    CHECK(request.action == VIEW_LIST_CHANNEL && request.item == MD5_CHANNEL_LEGS);
    request = click(s, "channel/legs", 0.01f);
    CHECK(request.action == VIEW_SHOW_CHANNEL && request.item == MD5_CHANNEL_LEGS);
    view_show_bind_pose(&s->viewer.document->scene, true, NULL);
    stage = item_draw(&s->viewer, 1280.0f, 900.0f);
    CHECK(item_find(&s->viewer, &stage, "channel/legs").width == 0.0f);
}

TEST_HERE (sections_can_be_clicked, true) {
    view_show_section(&s->viewer, VIEW_ENTITIES);
    const view_command request = click(s, "list/Clips", 0.5f);
    CHECK(request.action == VIEW_OPEN_SECTION && request.number == VIEW_ANIMS);
    CHECK(click(s, "list/Filter", 0.001f).action == VIEW_HANDLED);
    const view_stage stage = item_draw(&s->viewer, 1280.0f, 900.0f);
    CHECK(item_press_at(&s->viewer, &stage, 1.0f, 600.0f).action == VIEW_LIST_CLOSED);
}

static void ask(screen *s, view_command command)
{
    CHECK(view_execute(&s->viewer, command));
}

TEST_HERE (clip_is_selected_for_a_channel, true) {
    const view_scene *const scene = &s->viewer.document->scene;
    const size_t walk = clip_named(scene, "walk");
    const size_t run = clip_named(scene, "run");
    ask(s,
        (view_command){.action = VIEW_PLAY_IN_CHANNEL, .item = MD5_CHANNEL_LEGS, .number = walk});
    CHECK(scene->clip == walk && s->viewer.play.time == 0.0);
    PERFORM(&s->viewer, VIEW_LIST_CHANNEL, .item = MD5_CHANNEL_TORSO);
    view_browser *const browser = &s->viewer.panels.browser;
    CHECK(browser->kind == VIEW_BROWSE_CHANNEL);
    CHECK(browser->num_entries == scene->num_clips + 1);
    // The torso continues the clip that all channels played before.
    CHECK(strncmp(browser->entries[browser->selected].label, "idle", 4) == 0);
    browser->selected = 1 + run;
    view_command request = view_key_browser(browser, VIEW_KEY_RETURN);
    CHECK(request.action == VIEW_PLAY_IN_CHANNEL && request.number == run);
    CHECK(view_execute(&s->viewer, request));
    CHECK(scene->clip == run && scene->entity.focus == MD5_CHANNEL_TORSO);
    CHECK(scene->entity.channels[MD5_CHANNEL_LEGS].clip >= 0);
    // The displayed time is the time of the focused channel.
    s->viewer.play.time = 0.25;
    view_pose(&s->viewer.document->scene, &s->viewer.play);
    PERFORM(&s->viewer, VIEW_SHOW_CHANNEL, .item = MD5_CHANNEL_LEGS);
    CHECK(scene->clip == walk);
    CHECK_NEAR(s->viewer.play.time, 0.25, 1e-9); // both began at the same time
    // SIZE_MAX ends the clip of a channel. A channel without joints and invalid clips are refused.
    ask(s, (view_command){
               .action = VIEW_PLAY_IN_CHANNEL, .item = MD5_CHANNEL_TORSO, .number = SIZE_MAX});
    CHECK(scene->entity.channels[MD5_CHANNEL_TORSO].clip == -1);
    ask(s, (view_command){.action = VIEW_PLAY_IN_CHANNEL, .item = MD5_CHANNEL_HEAD, .number = run});
    CHECK(scene->entity.channels[MD5_CHANNEL_HEAD].clip == -1);
    CHECK(s->viewer.ui.notice.text[0] != '\0');
    ask(s, (view_command){.action = VIEW_PLAY_IN_CHANNEL, .item = MD5_NUM_CHANNELS, .number = run});
    CHECK(!view_focus_in_scene(&s->viewer.document->scene, MD5_NUM_CHANNELS, &s->viewer.play));
    ask(s,
        (view_command){.action = VIEW_PLAY_IN_CHANNEL, .item = MD5_CHANNEL_LEGS, .number = 1000});
    CHECK(scene->clip == walk);
    item_draw(&s->viewer, 1280.0f, 900.0f);
}

TEST_HERE (names_of_a_game_are_shown_one_after_another, false) {
    ask(s, (view_command){.action = VIEW_NEXT_FILE});
    CHECK_STRING(s->viewer.document->scene.name, "monster_bobbin_moss");
    ask(s, (view_command){.action = VIEW_PREVIOUS_FILE});
    CHECK_STRING(s->viewer.document->scene.name, "monster_bobbin");
    ask(s, (view_command){.action = VIEW_OPEN_NAMED,
                          .number = VIEW_SKINS,
                          .path = common_copy("skins/bobbin/ghost")});
    CHECK(s->viewer.document->scene.entity.skin);
    CHECK(common_contains(s->viewer.document->scene.path, "::skins/bobbin/ghost"));
    CHECK(view_reload(&s->viewer) && s->viewer.document->scene.entity.skin != NULL);
    ask(s, (view_command){.action = VIEW_OPEN_NAMED,
                          .number = VIEW_ANIMS,
                          .path = common_copy("models/md5/bobbin/walk.md5anim")});
    CHECK(!s->viewer.document->scene.entity.is_played);
    ask(s, (view_command){.action = VIEW_OPEN_NAMED,
                          .number = VIEW_ANIMS,
                          .path = common_copy("models/md5/nothing.md5anim")});
    ask(s, (view_command){
               .action = VIEW_OPEN_NAMED, .number = VIEW_MODELS, .path = common_copy("nothing")});
    CHECK_STRING(s->viewer.document->scene.name, "monster_bobbin"); // unchanged
    ask(s, (view_command){.action = VIEW_GAME});
    CHECK(s->viewer.panels.browser.kind == VIEW_BROWSE_GAME);
    view_show_section(&s->viewer, VIEW_NUM_SECTIONS);
    ask(s, (view_command){.action = VIEW_GAME});
    CHECK(s->viewer.panels.browser.kind == VIEW_BROWSE_NOTHING);
}

TEST_HERE (folder_without_declarations_is_listed_by_its_files, false) {
    view_list_location(&s->viewer, test_path("models/bobbin"));
    CHECK(s->viewer.panels.browser.kind == VIEW_BROWSE_FILES && s->viewer.jobs.scan == NULL);
    view_list_location(&s->viewer, test_path("models/game/winter"));
    CHECK(s->viewer.panels.browser.is_scanning && s->viewer.jobs.scan != NULL);
    for (int i = 0;
         CHECK(view_update_scan(&s->viewer)) && s->viewer.jobs.scan != NULL && CHECK(i < MAX_WAITS);
         i++)
        view_sleep(0.001);
    CHECK(!view_update_scan(&s->viewer) && !s->viewer.panels.browser.is_scanning);
    CHECK(strstr(s->viewer.lists.game->location,
                 "models/game/winter|")); // including its base game
    CHECK_STRING(s->viewer.panels.browser.folder + strlen(s->viewer.panels.browser.folder) - 13,
                 "winter + base");
    CHECK(s->viewer.lists.section == VIEW_ENTITIES && s->viewer.panels.browser.num_entries > 0);
    const view_scene *const scene = &s->viewer.document->scene;
    CHECK(scene->library != s->viewer.lists.game); // still in use
    view_browse_game(&s->viewer, test_path("models/nowhere"));
    for (int i = 0;
         view_update_scan(&s->viewer) && s->viewer.jobs.scan != NULL && CHECK(i < MAX_WAITS); i++)
        view_sleep(0.001);
    CHECK(s->viewer.panels.browser.kind == VIEW_BROWSE_NOTHING && s->viewer.log.error[0] != '\0');
    CHECK(s->viewer.lists.game);                                 // the game is unchanged
    view_browse_game(&s->viewer, test_path("models/game/base")); // closed during the scan
}

// Returns true if a preview has been drawn.
static bool has_preview(screen *s, const view_thumbnail *preview)
{
    view_update_file_previews(&s->viewer);
    return preview->is_valid;
}

// Only visible names get previews. Clips and skins are previewed on the current model.
TEST_HERE (names_of_a_game_have_previews, true) {
    CHECK(!view_update_file_previews(&s->viewer)
          && s->viewer.lists.game_previews == NULL); // no list is open
    view_show_section(&s->viewer, VIEW_SKINS);
    item_draw(&s->viewer, 1280.0f, 900.0f);
    const view_thumbnail *const first = s->viewer.ui.pictures;
    CHECK_STRING(first->request, "monster_bobbin::skins/bobbin/ember");
    for (int i = 0; !has_preview(s, first) && CHECK(i < MAX_WAITS); i++)
        view_sleep(0.001);
    CHECK(first->texture != 0);
    item_draw(&s->viewer, 1280.0f, 900.0f);
    CHECK(s->viewer.drawing.canvas.num_images > 0
          && s->viewer.drawing.canvas.images[0].image == first->texture);
    view_close_browser(&s->viewer.panels.browser);
    item_draw(&s->viewer, 1280.0f, 900.0f);
    view_update_file_previews(&s->viewer);
    CHECK(first->request == NULL && first->texture == 0);
}

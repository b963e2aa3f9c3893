// What moves the model: a state machine and its graph, the channels of an entity, the time bar.
#include "demo/viewer/ui/panels.h"

#include "demo/viewer/base/math.h"
#include "demo/viewer/motion/entity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The rows of what fired last; it is shown for a while.
static void add_fired(view_rows *rows, const view_event *events, int count, double now,
                      bool is_fixed)
{
    const double lifetime = 1.5;
    for (int i = 0; i < count; i++) {
        const bool is_fresh = fabs(now - events[i].time) < lifetime;
        view_add_row(rows, i == 0 ? VIEW_ACCENT : VIEW_DIM, NULL, "%s",
                     is_fresh ? events[i].text : "")
            ->fixed = is_fixed;
    }
}

// == A state machine at the right ==========================================================

// A layer's activity, and below it its states; active ones are highlighted.
static void add_layer_rows(const view_machine *machine, uint32_t number, view_rows *rows)
{
    const md5_layer_desc *const layer = &machine->desc->layers[number];
    const md5_layer_status status = md5_player_layer(machine->player, number);
    const char *const state = layer->states[status.state].name;
    view_row *const row =
        status.from != MD5_NONE
            ? view_add_row(rows, VIEW_AMBER, layer->name, "%s \xE2\x86\x92 %s  %.0f %%",
                           layer->states[status.from].name, state, 100.0 * (double)status.progress)
            : view_add_row(rows, VIEW_BRIGHT, layer->name, "%s  %.2f", state, status.time);
    row->fixed = true; // changes in every frame
    if (layer->num_states < 2)
        return;
    const char **const names = common_alloc(layer->num_states, sizeof *names);
    bool *const lit = common_alloc(layer->num_states, sizeof *lit);
    for (uint32_t i = 0; i < layer->num_states; i++) {
        names[i] = layer->states[i].name;
        lit[i] = i == status.state || i == status.from;
    }
    view_add_words(rows, " ", names, lit, layer->num_states);
    free(names);
    free(lit);
}

void view_list_machine(const view_stage *stage, view_rows *rows)
{
    static const char *const hints[] = {"P: pause", "WASD: walk", "Shift: run"};
    static const bool lit[3] = {false, false, false};
    const view_machine *const machine = &stage->document->scene.machine;
    const md5_machine_desc *const desc = machine->desc;
    const view_play *const play = stage->play;
    const view_font *const font = stage->font;
    const bool is_compact = view_is_compact(stage);
    view_begin_rows(rows, font, is_compact ? 190.0f : 270.0f, 56.0f, desc->name);
    // As wide as the longest name, up to half of the box.
    for (uint32_t i = 0; i < desc->num_parameters; i++)
        rows->label_width =
            fmaxf(rows->label_width, view_text_width(font, VIEW_TEXT, desc->parameters[i].name));
    for (uint32_t i = 0; i < desc->num_layers; i++)
        rows->label_width =
            fmaxf(rows->label_width, view_text_width(font, VIEW_TEXT, desc->layers[i].name));
    rows->label_width = fminf(rows->label_width + 16.0f * font->scale, 0.5f * rows->width);
    char speed[32] = "";
    if (play->backward || play->speed != 1.0)
        (void)snprintf(speed, sizeof speed, "  %s%g\xC3\x97", play->backward ? "\xE2\x88\x92" : "",
                       play->speed);
    view_add_row(rows, play->playing ? VIEW_BRIGHT : VIEW_AMBER, "Time", "%.2f s%s%s",
                 machine->time, speed, play->playing ? "" : "  paused");
    view_add_gap(rows);
    for (uint32_t i = 0; i < desc->num_layers; i++)
        add_layer_rows(machine, i, rows);
    view_add_gap(rows);
    add_fired(rows, machine->events, is_compact ? 2 : VIEW_EVENTS, machine->time, false);
    view_add_gap(rows);
    view_add_spaces(rows, desc->num_parameters);
    view_add_gap(rows);
    view_add_words(rows, "", hints, lit, view_can_walk(machine) ? 3 : 1);
    view_place_rows(rows, stage->width, stage->height - 2.0f * VIEW_MARGIN * font->scale, 0.4f);
}

void view_machine_panel(view_ui *ui, const view_stage *stage)
{
    view_machine *const machine = &stage->document->scene.machine;
    view_rows rows = {0};
    uint32_t num_triggers = 0;
    view_list_machine(stage, &rows);
    (void)ui_rows(ui, "parameter", &rows);
    for (uint32_t i = 0; i < machine->desc->num_parameters; i++) {
        const md5_parameter_desc *const parameter = &machine->desc->parameters[i];
        const bool is_trigger = parameter->kind == MD5_PARAMETER_TRIGGER;
        float value = md5_player_get(machine->player, i);
        if (parameter->kind != MD5_PARAMETER_FLOAT) {
            const char *const key = is_trigger ? view_trigger_key(num_triggers++) : "";
            if (!ui_switch(ui, parameter->name, value != 0.0f, is_trigger, key))
                continue;
            view_take_over(machine);
            view_push_parameter(machine, i);
            continue;
        }
        ui_slider_row row = {
            .name = parameter->name, .name_color = VIEW_PLAIN, .value_color = VIEW_PLAIN};
        view_parameter_range(machine->character->machine, parameter->name, &row.low, &row.high);
        if (!ui_slider(ui, &row, &value))
            continue;
        view_take_over(machine);
        (void)md5_player_set(machine->player, i, value);
    }
    ui_end(ui);
}

// == Its state graph at the bottom =========================================================
//
// The state graph of a machine, below the model: the states of each layer as nodes, its transitions
// as arrows. What plays is highlighted; a click on a node goes there.

// In layout units.
static const float graph_height = 190.0f, least_height = 440.0f, node_padding = 9.0f,
                   arrow_length = 8.0f, lane = 4.0f;
static const view_color arrow_color = 0x6A7484FFu, node_color = 0x333C49FFu;

// A layer's part of the graph. Of many states and transitions only the first are drawn.
enum { MOST_STATES = 64, MOST_ROUND = 10, MOST_TRANSITIONS = 256 };
typedef struct layer_graph {
    const md5_layer_desc *layer;
    md5_layer_status status;
    uint32_t count; // of states that are drawn
    view_rect nodes[MOST_STATES];
} layer_graph;

bool view_shows_graph(const view_stage *stage)
{
    return stage->shown->graph && view_shows_machine(stage)
           && stage->height >= least_height * stage->font->scale;
}

view_rect view_graph_box(const view_stage *stage)
{
    const float scale = stage->font->scale, margin = VIEW_MARGIN * scale;
    const float height = (graph_height + 2.0f * VIEW_PADDING) * scale;
    return (view_rect){margin, stage->height - margin - height,
                       view_box_of(stage, view_list_machine).x - 2.0f * margin, height};
}

// -- Nodes ----------------------------------------------------------------------------------

// On an ellipse, from the left over the top; more than fit there are in columns, one below the
// other.
static void place_nodes(layer_graph *graph, const view_font *font, view_rect area)
{
    const float scale = font->scale, title = font->line[VIEW_TEXT] + 2.0f * scale;
    const float row = font->line[VIEW_TEXT] + 6.0f * scale, narrowest = 76.0f * scale;
    area.y += title;
    area.height -= title;
    const uint32_t rows = (uint32_t)fmaxf(area.height / row, 1.0f);
    const uint32_t max_count = rows * (uint32_t)fmaxf(area.width / narrowest, 1.0f);
    graph->count = graph->layer->num_states < MOST_STATES ? graph->layer->num_states : MOST_STATES;
    const bool is_round = graph->count <= MOST_ROUND;
    if (!is_round && graph->count > max_count)
        graph->count = max_count;
    const uint32_t num_columns = (graph->count + rows - 1) / rows;
    const float width = area.width / (float)num_columns;
    for (uint32_t i = 0; i < graph->count; i++) {
        const float text = view_text_width(font, VIEW_TEXT, graph->layer->states[i].name);
        view_rect *const node = &graph->nodes[i];
        node->width = fminf(text + 2.0f * node_padding * scale,
                            is_round ? 0.45f * area.width : width - 4.0f * scale);
        node->height = font->line[VIEW_TEXT] + 4.0f * scale;
        if (is_round) {
            const float angle = VIEW_PI * (1.0f + 2.0f * (float)i / (float)graph->count);
            node->x = area.x + 0.5f * (area.width - node->width) * (1.0f + cosf(angle));
            node->y = area.y + 0.5f * (area.height - node->height) * (1.0f + sinf(angle));
        } else {
            const uint32_t column = i / rows;
            node->x = area.x + width * (float)column + 0.5f * (width - node->width);
            node->y = area.y + row * (float)(i % rows);
        }
    }
}

static void draw_node(const view_stage *stage, const layer_graph *graph, uint32_t state)
{
    view_canvas *const canvas = stage->canvas;
    const view_rect node = graph->nodes[state];
    const float scale = stage->font->scale;
    const md5_layer_status *const status = &graph->status;
    const bool is_left = status->from == state;
    const bool is_active = status->state == state;
    const char *const name = graph->layer->states[state].name;
    const float text = view_text_width(stage->font, VIEW_TEXT, name);
    const float room = node.width - node_padding * scale;
    view_draw_round_rect(canvas, node, 6.0f * scale, is_left ? 0x6B5730FFu : node_color);
    if (is_active) { // filled as far as the transition has come
        const float part =
            status->from != MD5_NONE ? view_clamp(status->progress, 0.0f, 1.0f) : 1.0f;
        const view_rect filled = {node.x, node.y, fmaxf(part * node.width, 12.0f * scale),
                                  node.height};
        view_draw_round_rect(canvas, filled, 6.0f * scale, 0x33507FFFu);
    }
    view_draw_text(canvas, VIEW_TEXT, node.x + 0.5f * (node.width - fminf(text, room)),
                   node.y + 2.0f * scale, room, is_active || is_left ? VIEW_BRIGHT : VIEW_PLAIN,
                   name);
}

// -- Arrows ---------------------------------------------------------------------------------

// The index of a state that is drawn, or -1.
static int32_t find_state(const layer_graph *graph, const char *name)
{
    for (uint32_t i = 0; name != NULL && i < graph->count; i++)
        if (strcmp(graph->layer->states[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

// How far a way from the centre of a rectangle stays inside of it, as a share of the way.
static float share_inside(view_rect rect, float right, float down)
{
    const float across = fabsf(right) > 0.0f ? 0.5f * rect.width / fabsf(right) : 1.0f;
    const float along = fabsf(down) > 0.0f ? 0.5f * rect.height / fabsf(down) : 1.0f;
    return fminf(fminf(across, along), 0.5f);
}

// A line with a head at its end, in the direction `way`.
static void draw_headed(const view_stage *stage, const float ends[4], const float way[2],
                        view_color color)
{
    const float scale = stage->font->scale, size = arrow_length * scale;
    const float x = ends[2] - way[0] * size, y = ends[3] - way[1] * size;
    const float right = -0.5f * way[1] * size, down = 0.5f * way[0] * size;
    const float corners[6] = {ends[2], ends[3], x + right, y + down, x - right, y - down};
    view_draw_segment(stage->canvas, ends, 1.5f * scale, color);
    view_draw_triangle(stage->canvas, corners, color);
}

// Arrows of both directions keep apart: each is moved to its left.
static void draw_arrow(const view_stage *stage, view_rect from, view_rect to, view_color color)
{
    const float aside = lane * stage->font->scale;
    const float x = from.x + 0.5f * from.width, y = from.y + 0.5f * from.height;
    const float right = to.x + 0.5f * to.width - x, down = to.y + 0.5f * to.height - y;
    const float length = hypotf(right, down);
    if (!(length > 1.0f))
        return;
    const float way[2] = {right / length, down / length};
    const float begin = share_inside(from, right, down), end = 1.0f - share_inside(to, right, down);
    const float ends[4] = {x + begin * right + aside * way[1], y + begin * down - aside * way[0],
                           x + end * right + aside * way[1], y + end * down - aside * way[0]};
    draw_headed(stage, ends, way, color);
}

static void draw_transitions(const view_stage *stage, const layer_graph *graph)
{
    const md5_layer_desc *const layer = graph->layer;
    const float scale = stage->font->scale;
    const md5_layer_status *const status = &graph->status;
    for (uint32_t i = 0; i < layer->num_transitions && i < MOST_TRANSITIONS; i++) {
        const md5_transition_desc *const transition = &layer->transitions[i];
        const int32_t from = find_state(graph, transition->from);
        const int32_t to = find_state(graph, transition->to);
        if (to >= 0 && transition->from == NULL) { // from any state: a short arrow from above
            static const float down[2] = {0.0f, 1.0f};
            const view_rect node = graph->nodes[to];
            const float x = node.x + 0.5f * node.width, top = node.y - 14.0f * scale;
            const float ends[4] = {x, top, x, node.y};
            draw_headed(stage, ends, down, arrow_color);
            view_draw_disc(stage->canvas, x, top, 2.5f * scale, arrow_color);
        } else if (to >= 0 && from >= 0)
            draw_arrow(stage, graph->nodes[from], graph->nodes[to], arrow_color);
    }
    const bool is_drawn = status->from < graph->count && status->state < graph->count;
    if (is_drawn) // also if it is none of the table
        draw_arrow(stage, graph->nodes[status->from], graph->nodes[status->state], VIEW_AMBER);
}

// -- The panel ------------------------------------------------------------------------------

static void draw_layer(view_ui *ui, const view_stage *stage, uint32_t number, view_rect area)
{
    const view_machine *const machine = &stage->document->scene.machine;
    char title[96];
    layer_graph graph = {.layer = &machine->desc->layers[number],
                         .status = md5_player_layer(machine->player, number)};
    place_nodes(&graph, stage->font, area);
    const uint32_t num_more = graph.layer->num_states - graph.count;
    (void)snprintf(title, sizeof title, num_more > 0 ? "%s, and %u more" : "%s", graph.layer->name,
                   num_more);
    view_draw_text(stage->canvas, VIEW_TEXT, area.x, area.y, area.width, VIEW_DIM, title);
    draw_transitions(stage, &graph);
    for (uint32_t i = 0; i < graph.count; i++) {
        draw_node(stage, &graph, i);
        (void)snprintf(title, sizeof title, "%s/%s", graph.layer->name,
                       graph.layer->states[i].name);
        if (ui_item(ui, graph.nodes[i], title))
            ui_ask(ui, (view_command){.action = VIEW_GO_TO_STATE, .number = number, .item = i});
    }
}

// Layers of one state have nothing to show. Those with more states are wider.
static float share_of(const md5_layer_desc *layer)
{
    return layer->num_states < 2 ? 0.0f : 1.5f + fminf((float)layer->num_states, 24.0f);
}

void view_graph_panel(view_ui *ui, const view_stage *stage)
{
    const md5_machine_desc *const desc = stage->document->scene.machine.desc;
    const float scale = stage->font->scale, padding = VIEW_PADDING * scale;
    const view_rect box = view_graph_box(stage);
    float sum = 0.0f, x = box.x + padding;
    for (uint32_t i = 0; i < desc->num_layers; i++)
        sum += share_of(&desc->layers[i]);
    if (!(sum > 0.0f) || box.width < 8.0f * padding)
        return;
    ui_begin(ui, "state");
    (void)ui_item(ui, box, "");
    view_draw_round_rect(stage->canvas, box, VIEW_RADIUS * scale, VIEW_BOX);
    for (uint32_t i = 0; i < desc->num_layers; i++) {
        const float width = (box.width - padding) * share_of(&desc->layers[i]) / sum;
        const view_rect area = {x, box.y + padding, width - padding, box.height - 2.0f * padding};
        if (area.width > 0.0f)
            draw_layer(ui, stage, i, area);
        x += width;
    }
}

// == Channels of an entity at the right ====================================================
//
// The panel of an entity's channels: what each plays, and the frame commands that fired last.

bool view_shows_channels(const view_stage *stage)
{
    return view_channels_of(&stage->document->scene) != NULL && !stage->shown->help
           && !stage->shown->hierarchy && !stage->shown->light_list;
}

void view_list_channels(const view_stage *stage, view_rows *rows)
{
    const view_entity *const entity = view_channels_of(&stage->document->scene);
    const bool is_compact = view_is_compact(stage);
    view_begin_rows(rows, stage->font, is_compact ? 176.0f : 250.0f, 64.0f, "Channels");
    for (int c = 0; c < MD5_NUM_CHANNELS; c++) {
        const md5_channel channel = (md5_channel)c;
        const int32_t clip = entity->channels[c].clip;
        const bool has_focus = channel == entity->focus && clip >= 0;
        const char *const name = view_channel_name(channel);
        if (!view_has_channel(entity, channel))
            continue;
        view_row *const row =
            clip < 0
                ? view_add_row(rows, VIEW_DIM, name, "\xE2\x80\x94")
                : view_add_row(rows, has_focus ? VIEW_BRIGHT : VIEW_PLAIN, name, "%s  %.2f",
                               entity->entity->clips[clip].anim->name,
                               0.001 * md5_actor_channel(entity->parts[0].actor, channel).time);
        row->fixed = true; // changes in every frame
        view_make_hit(row, c + 1, has_focus ? "time" : "");
    }
    view_add_gap(rows);
    add_fired(rows, entity->fired, is_compact ? 2 : VIEW_EVENTS, entity->time, true);
    view_add_gap(rows);
    view_add_row(rows, VIEW_DIM, NULL, "Click: choose a clip");
    view_place_rows(rows, stage->width, INFINITY, 1.0f);
}

// A click on the name of a channel shows its time; on what it plays, lists clips for it.
void view_channels_panel(view_ui *ui, const view_stage *stage)
{
    view_rows rows = {0};
    view_list_channels(stage, &rows);
    const int32_t hit = ui_rows(ui, "channel", &rows);
    const float label_end = rows.x + VIEW_PADDING * rows.font->scale + rows.label_width;
    if (hit > 0)
        ui_ask(ui,
               (view_command){.action = ui->x < label_end ? VIEW_SHOW_CHANNEL : VIEW_LIST_CHANNEL,
                              .item = (uint32_t)hit - 1});
}

// == The time bar ==========================================================================
//
// The time bar: shows the clip's time; dragging it seeks.

// One line per frame if there is space, every tenth longer; the range that is played, with a mark
// at each end; and frame commands of the clip as marks above the line, those that have just passed
// brighter.
static void draw_marks(const view_stage *stage, view_rect track, const md5_anim *anim,
                       double length)
{
    enum { MAX_COMMANDS = 2000 };
    const double lit = 0.35; // seconds
    view_canvas *const canvas = stage->canvas;
    const float scale = stage->font->scale;
    const double step = (double)track.width / (length * anim->frame_rate);
    const uint32_t stride = step >= 5.0 * (double)scale ? 1 : 10;
    const bool has_space = step * stride >= 4.0 * (double)scale;
    for (uint32_t frame = 0; frame < anim->num_frames && has_space; frame += stride) {
        const view_rect tick = {track.x + (float)(step * frame),
                                track.y + track.height + 3.0f * scale, scale,
                                (frame % 10 == 0 ? 6.0f : 3.0f) * scale};
        view_draw_rect(canvas, tick, 0x8A93A1A0u);
    }
    const double now = view_cycle_time(stage->play, anim);
    const float done = track.width * (float)fmin(now / length, 1.0);
    view_draw_round_rect(canvas, (view_rect){track.x, track.y, done, track.height}, 2.0f * scale,
                         VIEW_ACCENT);
    double begin, end;
    if (view_find_range(stage->play, anim, &begin, &end)) {
        const float left = track.x + track.width * (float)(begin / length);
        const float right = track.x + track.width * (float)fmin(end / length, 1.0);
        const float top = track.y - 5.0f * scale, height = track.height + 10.0f * scale;
        view_draw_rect(canvas, (view_rect){left, track.y, right - left, track.height}, VIEW_AMBER);
        view_draw_rect(canvas, (view_rect){left - scale, top, 2.0f * scale, height}, VIEW_AMBER);
        view_draw_rect(canvas, (view_rect){right - scale, top, 2.0f * scale, height}, VIEW_AMBER);
    }
    const md5_model_anim *const from = view_commands_of(&stage->document->scene);
    const uint32_t num_commands = from != NULL ? from->num_commands : 0;
    for (uint32_t i = 0, last = 0; i < num_commands && i < MAX_COMMANDS; i++) {
        const uint32_t frame = from->commands[i].frame;
        if (frame == last || frame == 0 || frame > anim->num_frames)
            continue;
        last = frame;
        const double time = (frame - 1) / anim->frame_rate, since = now - time;
        const float x = track.x + track.width * (float)fmin(time / length, 1.0);
        const float bottom = track.y - 4.0f * scale, top = bottom - 6.0f * scale;
        const float corners[6] = {x - 4.0f * scale, top, x + 4.0f * scale, top, x, bottom};
        view_draw_triangle(canvas, corners, since >= 0.0 && since < lit ? VIEW_BRIGHT : VIEW_AMBER);
    }
}

// Left of the line is the button that plays and pauses.
void view_bar_panel(view_ui *ui, const view_stage *stage)
{
    const md5_anim *const anim = view_clock(&stage->document->scene);
    const view_play *const play = stage->play;
    const float scale = stage->font->scale, margin = VIEW_MARGIN * scale;
    const double length = view_cycle_length(play, anim);
    view_canvas *const canvas = stage->canvas;
    const view_rect bar = {margin, view_bar_top(stage), stage->width - 2.0f * margin,
                           VIEW_BAR_HEIGHT * scale};
    view_draw_round_rect(canvas, bar, VIEW_RADIUS * scale, VIEW_BOX);
    // A triangle while paused, two bars while playing.
    const float x = bar.x + 14.0f * scale, y = bar.y + 13.0f * scale, size = 14.0f * scale;
    const float base = play->backward ? x + size : x, tip = play->backward ? x : x + size;
    const float corners[6] = {base, y, base, y + size, tip, y + 0.5f * size};
    if (play->playing) {
        view_draw_rect(canvas, (view_rect){x, y, 0.32f * size, size}, VIEW_BRIGHT);
        view_draw_rect(canvas, (view_rect){x + 0.6f * size, y, 0.32f * size, size}, VIEW_BRIGHT);
    } else {
        view_draw_triangle(canvas, corners, VIEW_BRIGHT);
    }

    char text[48];
    (void)snprintf(text, sizeof text, "%.2f / %.2f s", view_cycle_time(play, anim), length);
    const float measured = view_text_width(stage->font, VIEW_TEXT, text);
    const float text_width = fmaxf(118.0f * scale, measured + 16.0f * scale);
    view_draw_text(canvas, VIEW_TEXT, bar.x + bar.width - 16.0f * scale - measured,
                   bar.y + 10.0f * scale, 0, VIEW_PLAIN, text);

    const view_rect track = {bar.x + 46.0f * scale, bar.y + 16.0f * scale,
                             bar.width - 46.0f * scale - text_width - 16.0f * scale, 4.0f * scale};
    float part;
    ui_begin(ui, "scrub");
    if (ui_item(ui, bar, "time")) {
        if (ui->x < track.x - 8.0f * scale)
            ui_ask_action(ui, VIEW_PLAY);
        else
            ui_hold(ui);
    }
    if (track.width <= 0.0f)
        return;
    if (ui_follow(ui, track, &part))
        view_seek(stage->play, anim, (double)part * length);
    const double place = length > 0.0 ? view_cycle_time(play, anim) / length : 0.0;
    view_draw_round_rect(canvas, track, 2.0f * scale, 0x4A5361FFu);
    if (length > 0.0)
        draw_marks(stage, track, anim, length);
    view_draw_disc(canvas, track.x + track.width * (float)fmin(place, 1.0),
                   track.y + 0.5f * track.height, 7.0f * scale, VIEW_BRIGHT);
}

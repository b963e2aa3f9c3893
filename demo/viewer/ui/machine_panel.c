// The panel of a state machine: what its layers do, its parameters as sliders and buttons.
#include "demo/viewer/ui/panels.h"

#include "demo/viewer/base/math.h"

#include <stdio.h>
#include <stdlib.h>

// In layout units.
static const float box_width = 270.0f, compact_width = 190.0f, least_label = 56.0f;

// -- Layers -----------------------------------------------------------------------

// A layer's activity, and below it its states; active ones are highlighted.
static void add_layer_rows(const view_machine *machine, uint32_t number, view_rows *rows)
{
    const md5_layer_desc *const layer = &machine->desc->layers[number];
    const md5_layer_status status = md5_player_layer(machine->player, number);
    const char *const state = layer->states[status.state].name;
    if (status.from >= 0)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_AMBER, layer->name, "%s \xE2\x86\x92 %s  %.0f %%",
                     layer->states[status.from].name, state, 100.0 * (double)status.progress);
    else
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, layer->name, "%s  %.2f", state, status.time);
    rows->rows[rows->count - 1].fixed = true; // changes in every frame
    if (layer->num_states < 2)
        return;
    const char **names = common_alloc(layer->num_states, sizeof *names);
    bool *lit = common_alloc(layer->num_states, sizeof *lit);
    for (uint32_t i = 0; i < layer->num_states; i++) {
        names[i] = layer->states[i].name;
        lit[i] = i == status.state || (int32_t)i == status.from;
    }
    view_add_words(rows, " ", names, lit, layer->num_states);
    free(names);
    free(lit);
}

static void add_time_row(const view_facts *facts, view_rows *rows)
{
    const view_play *const play = facts->stage.play;
    char speed[32] = "";
    if (play->backward || play->speed != 1.0)
        (void)snprintf(speed, sizeof speed, "  %s%g\xC3\x97", play->backward ? "\xE2\x88\x92" : "",
                       play->speed);
    view_add_row(rows, VIEW_ROW_PAIR, play->playing ? VIEW_BRIGHT : VIEW_AMBER, "Time",
                 "%.2f s%s%s", facts->stage.document->scene.machine.time, speed,
                 play->playing ? "" : "  paused");
}

static void add_event_rows(const view_machine *machine, int num_rows, view_rows *rows)
{
    const double lifetime = 1.5;
    for (int i = 0; i < num_rows; i++) {
        const view_event *const event = &machine->events[i];
        const bool is_fresh =
            event->text[0] != '\0' && fabs(machine->time - event->time) < lifetime;
        view_add_row(rows, VIEW_ROW_TEXT, i == 0 ? VIEW_ACCENT : VIEW_DIM, "", "%s",
                     is_fresh ? event->text : "");
    }
}

// -- Parameters -----------------------------------------------------------------------------

static void draw_parameters(view_ui *ui, view_machine *machine)
{
    const md5_machine_desc *const desc = machine->desc;
    uint32_t num_triggers = 0;
    for (uint32_t i = 0; i < desc->num_parameters; i++) {
        const md5_parameter_desc *const parameter = &desc->parameters[i];
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
}

// The width of the longest name, up to half of the box.
static float label_width(const view_facts *facts, float inner)
{
    const md5_machine_desc *const desc = facts->stage.document->scene.machine.desc;
    const view_font *const font = facts->stage.font;
    float width = least_label * font->scale;
    for (uint32_t i = 0; i < desc->num_parameters; i++)
        width = fmaxf(width, view_text_width(font, VIEW_TEXT, desc->parameters[i].name));
    for (uint32_t i = 0; i < desc->num_layers; i++)
        width = fmaxf(width, view_text_width(font, VIEW_TEXT, desc->layers[i].name));
    return fminf(width + 16.0f * font->scale, 0.5f * inner);
}

enum { HIT_PARAMETERS = 1 };

void view_list_machine(const view_facts *facts, view_rows *rows)
{
    const view_machine *const machine = &facts->stage.document->scene.machine;
    const md5_machine_desc *const desc = machine->desc;
    const bool compact = view_is_compact(facts);
    rows->font = facts->stage.font;
    rows->width = (compact ? compact_width : box_width) * facts->stage.font->scale;
    rows->label_width = label_width(facts, rows->width);
    rows->count = 0;
    view_add_row(rows, VIEW_ROW_TITLE, VIEW_BRIGHT, "", "%s", desc->name);
    add_time_row(facts, rows);
    view_add_gap(rows);
    for (uint32_t i = 0; i < desc->num_layers; i++)
        add_layer_rows(machine, i, rows);
    view_add_gap(rows);
    add_event_rows(machine, compact ? 2 : VIEW_EVENTS, rows);
    view_add_gap(rows);
    // Space for the parameters, which are drawn over it.
    for (uint32_t i = 0; i < desc->num_parameters; i++) {
        view_add_row(rows, VIEW_ROW_TEXT, VIEW_DIM, "", "%s", "");
        rows->rows[rows->count - 1].hit = i == 0 ? HIT_PARAMETERS : 0;
    }
    view_add_gap(rows);
    static const char *const hints[] = {"P: pause", "WASD: walk", "Shift: run"};
    const bool lit[3] = {false, false, false};
    view_add_words(rows, "", hints, lit, view_can_walk(machine) ? 3 : 1);
    view_wrap_rows(rows);
}

// The factor by which the panel is scaled down if the picture is too low.
static float box_factor(const view_facts *facts, const view_rows *rows)
{
    const float room = facts->height - 2.0f * VIEW_MARGIN * facts->stage.font->scale;
    return fminf(fmaxf(room / view_rows_height(rows), 0.4f), 1.0f);
}

view_rect view_machine_box(const view_facts *facts)
{
    view_rows rows;
    view_list_machine(facts, &rows);
    const float scale = facts->stage.font->scale, factor = box_factor(facts, &rows);
    const float box = factor * (rows.width + 2.0f * VIEW_PADDING * scale);
    return (view_rect){facts->width - VIEW_MARGIN * scale - box, VIEW_MARGIN * scale, box,
                       factor * view_rows_height(&rows)};
}

void view_machine_panel(view_ui *ui, const view_facts *facts)
{
    const float scale = facts->stage.font->scale, margin = VIEW_MARGIN * scale;
    view_rows rows = {0};
    view_list_machine(facts, &rows);
    const float right = facts->width - margin;
    const float x = right - rows.width - 2.0f * VIEW_PADDING * scale;
    ui_begin(ui, "parameter");
    ui_fit(ui, right, margin, box_factor(facts, &rows));
    (void)ui_rows(ui, &rows, x, margin);
    ui->rows = ui_row_rect(&rows, x, HIT_PARAMETERS);
    ui->label_width = rows.label_width;
    ui->value_width = 0.0f;
    draw_parameters(ui, &facts->stage.document->scene.machine);
    ui_end(ui);
}

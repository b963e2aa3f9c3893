// The bottom dock for a clip: the values of the selected joint in each frame, or the distance of
// each joint to the joint of a compared model. Both consist of a plot and a table.
#include "demo/viewer/ui/curves.h"

#include "demo/viewer/ui/inspector.h"
#include "demo/viewer/ui/ui.h"

// == Plots ================================================================================

// A line of values; consecutive values are `stride` floats apart.
typedef struct plot_line {
    const char *name;
    const float *values;
    size_t stride;
    view_color color;
} plot_line;

// Lines also differ by their strokes: solid, dashed, solid of double width, dotted.
enum { MAX_LINES = 4 };
static const char *const strokes[MAX_LINES] = {"#", "####--", "#", "#--"};
static const float widths[MAX_LINES] = {0.12f, 0.12f, 0.24f, 0.15f}; // em

typedef struct curve_plot {
    const md5_anim *anim; // the clip of the frames
    plot_line lines[MAX_LINES];
    uint32_t num_lines;
    int places; // decimal places of the values
    // Set by drawing:
    view_rect area;
    double low;
    double high;
} curve_plot;

static float value_at(const curve_plot *plot, uint32_t line, uint32_t frame)
{
    return plot->lines[line].values[frame * plot->lines[line].stride];
}

static float plot_y(const curve_plot *plot, double value)
{
    return plot->area.y
           + plot->area.height * (float)((plot->high - value) / (plot->high - plot->low));
}

// Sets the range to that of all values plus a margin. If the values are constant, the range is a
// few units of the last decimal place.
static void fit(curve_plot *plot)
{
    plot->low = INFINITY;
    plot->high = -INFINITY;
    for (uint32_t line = 0; line < plot->num_lines; line++)
        for (uint32_t frame = 0; frame < plot->anim->num_frames; frame++) {
            plot->low = fmin(plot->low, value_at(plot, line, frame));
            plot->high = fmax(plot->high, value_at(plot, line, frame));
        }
    const double range = plot->high - plot->low;
    const double margin = fmax(0.06 * range, 10 * pow(10, -plot->places) - 0.5 * range);
    plot->low -= margin;
    plot->high += margin;
}

// Draws horizontal lines at round values, with their numbers at the left.
// Returns the distance of level lines, a round number of at least `min_step`.
static double round_step(double min_step)
{
    const double power = pow(10, floor(log10(min_step)));
    const double part = min_step / power;
    if (part <= 2)
        return 2 * power;
    return part <= 5 ? 5 * power : 10 * power;
}

static void draw_grid(view_ui *ui, const curve_plot *plot)
{
    const float em = ui->em;
    const float hair = fmaxf(1, roundf(0.08f * em));
    const double step =
        round_step((plot->high - plot->low) / fmax((plot->area.height / (2.2f * em)), 1));
    const int places = (int)fmin(fmax(-floor(log10(step) + 1e-9), 0), 9);
    const int64_t first = (int64_t)ceil(fmin(fmax(plot->low / step, -1e15), 1e15));
    for (int64_t i = first; (double)i * step <= plot->high && i < first + 64; i++) {
        const float y = roundf(plot_y(plot, (double)i * step));
        char text[32];
        view_format_number(text, sizeof text, (double)i * step, places, false);
        view_draw_rect(ui->canvas, (view_rect){plot->area.x, y, plot->area.width, hair},
                       i == 0 ? VIEW_EDGE : VIEW_CONTROL);
        ui_text_left_of(ui, plot->area.x - 0.5f * em, y - 0.5f * ui->line, VIEW_DIM, text);
    }
}

// Draws a line in short strokes from left to right, so that the cost does not depend on the number
// of frames.
static void draw_line(view_canvas *canvas, const curve_plot *plot, uint32_t line)
{
    const float em = view_em(canvas->font);
    const uint32_t last = plot->anim->num_frames - 1;
    const uint32_t count = (uint32_t)(plot->area.width / (0.15f * em));
    const size_t length = strlen(strokes[line]);
    float ends[4] = {0};
    for (uint32_t i = 0; i <= count; i++) {
        const float part = (float)i / (float)count;
        const float position = part * (float)last;
        const uint32_t frame = (uint32_t)position;
        const uint32_t next = frame < last ? frame + 1 : last;
        const float from = value_at(plot, line, frame);
        const float to = value_at(plot, line, next);
        ends[0] = ends[2];
        ends[1] = ends[3];
        ends[2] = plot->area.x + plot->area.width * part;
        ends[3] = plot_y(plot, from + (to - from) * (position - (float)frame));
        if (i > 0 && strokes[line][i % length] == '#')
            view_draw_segment(canvas, ends, widths[line] * em, plot->lines[line].color);
    }
}

// Draws a plot. A click sets the frame. Returns the frame under the mouse or, if there is none, the
// current frame.
static uint32_t run_plot(view_ui *ui, curve_plot *plot, view_rect box)
{
    const float em = ui->em;
    const float last = (float)(plot->anim->num_frames - 1);
    const float hair = fmaxf(1, roundf(0.1f * em));
    const float position = roundf((float)view_frame_position(ui->stage->play, plot->anim));
    const uint32_t shown = (uint32_t)view_clamp(position, 0, last);
    float names = 1 * em;
    float part;
    char text[32];
    for (uint32_t i = 0; i < plot->num_lines; i++)
        names += ui_text_width(ui, plot->lines[i].name) + 0.3f * em;
    plot->area = (view_rect){box.x + 5.5f * em, box.y + 0.7f * em, box.width - 5.5f * em - names,
                             box.height - 2.7f * em};
    if (plot->area.width < em || plot->area.height < em)
        return shown;
    const float right = plot->area.x + plot->area.width;
    const float bottom = plot->area.y + plot->area.height;
    if (ui_drag(ui, ui_item(ui, view_inset(plot->area, -0.5f * em), "plot"), plot->area, &part))
        view_seek(ui->stage->play, plot->anim, roundf(part * last) / plot->anim->frame_rate);
    if (ui_is_hot(ui) && (ui->mouse.is_moved || ui->mouse.wheel != 0))
        ui->has_taken = true; // the displayed frame has changed; the camera must not move
    part = view_clamp((ui->mouse.x - plot->area.x) / plot->area.width, 0, 1);
    const uint32_t hovered_frame = ui_is_hot(ui) ? (uint32_t)roundf(part * last) : shown;
    if (ui->is_event)
        return hovered_frame;
    fit(plot);
    draw_grid(ui, plot);
    float x = right + 0.5f * em;
    for (uint32_t i = 0; i < plot->num_lines;
         i++) { // names next to each other, at the height of the ends of the lines
        const float y =
            plot_y(plot, value_at(plot, i, plot->anim->num_frames - 1)) - 0.5f * ui->line;
        draw_line(ui->canvas, plot, i);
        x += ui_text(ui, x, y, 0, plot->lines[i].color, plot->lines[i].name) + 0.3f * em;
    }
    for (int i = 0; i < 2; i++) {
        part = (float)(i == 0 ? hovered_frame : shown) / fmaxf(last, 1);
        x = roundf(plot->area.x + plot->area.width * part);
        view_draw_rect(ui->canvas, (view_rect){x, plot->area.y, hair, plot->area.height},
                       i == 0 ? VIEW_DISABLED : VIEW_BRIGHT);
    }
    ui_text(ui, plot->area.x, bottom + 0.3f * em, 0, VIEW_DIM, "0");
    COMMON_TEXT(text, "%.0f", last);
    ui_text_left_of(ui, right, bottom + 0.3f * em, VIEW_DIM, text);
    return hovered_frame;
}

// == Tables ===============================================================================

// Writes the cells of a row of a table.
typedef void fill_cells(const view_ui *ui, const view_curves *curves, uint32_t row,
                        ui_cells *cells);

// A table with a header. `fill` writes the cells of a row. Scrolls to the row `shown` if it has
// changed, also during playback. Returns the row that was pressed, or UINT32_MAX.
static uint32_t run_table(view_ui *ui, view_curves *curves, view_rect area, const ui_cells *head,
                          uint32_t count, uint32_t shown, fill_cells *fill)
{
    ui_scroll *const scroll = &ui->scrolls[VIEW_DOCK_BOTTOM];
    const float height = ceilf(1.6f * ui->em);
    const float top = (float)shown * height;
    const float wide = 5.2f * ui->em;
    uint32_t pressed = UINT32_MAX;
    ui_column column;
    view_rect row;
    ui_draw_cells(ui, view_cut(&area, VIEW_AT_TOP, height), wide, head);
    const bool is_outside = top < scroll->wanted || top + height > scroll->wanted + area.height;
    if (!ui->is_event && curves->revealed != shown && is_outside)
        scroll->wanted = fminf(fmaxf(top - 0.3f * area.height, 0),
                               fmaxf((float)count * height - area.height, 0));
    if (!ui->is_event)
        curves->revealed = shown;
    ui_begin_column(ui, &column, area, scroll);
    for (uint32_t i = 0; i < count; i++) {
        ui_cells cells = {.name = "", .count = head->count, .color = VIEW_BRIGHT};
        if (!ui_reserve_row(ui, height, &row))
            continue;
        fill(ui, curves, i, &cells);
        if (ui_item(ui, row, cells.name)) {
            ui->held = ui->item.panel;
            pressed = i;
        }
        if (i == shown || ui_is_hot(ui))
            view_draw_rect(ui->canvas, row, i == shown ? VIEW_SELECTED : VIEW_CONTROL);
        ui_draw_cells(ui, row, wide, &cells);
    }
    ui_end_column(ui);
    return pressed;
}

// == Curves ===============================================================================

// Samples the joint in all frames unless its values are cached. A quaternion and its opposite are
// the same rotation; the quaternion nearer to the previous frame is used.
static void sample(view_curves *curves, const view_scene *scene, uint32_t joint)
{
    const view_clip *const clip = view_shown_clip(scene);
    const uint32_t count = clip->anim->num_frames;
    if (curves->anim == clip->anim && curves->joint == joint && curves->root == scene->root)
        return;
    md5_xform *const pose = common_alloc(scene->num_joints, sizeof *pose);
    free(curves->values);
    curves->values = common_alloc(count, sizeof *curves->values);
    for (uint32_t frame = 0; frame < count; frame++) {
        const md5_sample_position position = {.frame0 = frame, .frame1 = frame};
        float *const q = curves->values[frame][2];
        float dot = 0;
        md5_sample(clip->binding, position, scene->root, pose);
        view_find_values(md5_mat34_from_xform(pose[joint]), curves->values[frame]);
        for (int i = 0; i < 4 && frame > 0; i++)
            dot += q[i] * curves->values[frame - 1][2][i];
        for (int i = 0; i < 4; i++)
            q[i] = dot < 0 ? -q[i] : q[i];
    }
    free(pose);
    curves->anim = clip->anim;
    curves->joint = joint;
    curves->root = scene->root;
}

// Copies all frames with full precision as comma-separated values.
static void copy_curve(view_ui *ui, const view_curves *curves, uint32_t num_axes)
{
    char *text = common_format("frame,x,y,z%s\n", num_axes == 4 ? ",w" : "");
    for (uint32_t frame = 0; frame < curves->anim->num_frames; frame++) {
        const float *const v = curves->values[frame][curves->kind];
        common_extend(&text, num_axes == 4 ? "%u,%.9g,%.9g,%.9g,%.9g\n" : "%u,%.9g,%.9g,%.9g\n",
                      frame, v[0], v[1], v[2], v[3]);
    }
    ui_copy(ui, ui->stage->now, text, "curves");
    free(text);
}

static void fill_frame(const view_ui *ui, const view_curves *curves, uint32_t frame,
                       ui_cells *cells)
{
    (void)ui;
    COMMON_TEXT(cells->texts[0], "%u", frame);
    for (uint32_t i = 1; i < cells->count; i++)
        view_format_number(cells->texts[i], sizeof cells->texts[i],
                           curves->values[frame][curves->kind][i - 1],
                           view_value_places[curves->kind], false);
}

// Displays the curves of the selected joint. Returns a message if there is nothing to display, or
// NULL.
static const char *run_curves(view_ui *ui, view_curves *curves, view_rect left, view_rect right)
{
    const view_clip *const clip = view_shown_clip(ui->scene);
    const float em = ui->em;
    const int32_t joint = ui->selected_joint;
    if (clip == NULL || clip->binding == NULL)
        return "No clip to show";
    if (joint < 0 || (uint32_t)joint >= ui->scene->num_joints)
        return "Select a joint in the viewport or the outliner";
    sample(curves, ui->scene, (uint32_t)joint);
    const float top = right.y - 1.65f * em; // in the header of the dock
    view_rect kinds = view_cut(&right, VIEW_AT_TOP, 1.85f * em);
    view_cut(&right, VIEW_AT_TOP, 0.15f * em);
    view_cut(&kinds, VIEW_AT_TOP, 0.15f * em);
    view_cut(&kinds, VIEW_AT_RIGHT, 0.7f * em);
    const view_rect button = view_cut(&kinds, VIEW_AT_RIGHT, 4.3f * em);
    view_cut(&kinds, VIEW_AT_RIGHT, 0.5f * em);
    ui_segment(ui, kinds, view_value_names, VIEW_NUM_VALUE_KINDS, &curves->kind);
    curve_plot plot = {.anim = clip->anim, .places = view_value_places[curves->kind]};
    view_color colors[UI_MAX_CELLS] = {VIEW_DIM};
    ui_cells head = {.name = "", .texts[0] = "frame", .colors = colors};
    plot.num_lines = curves->kind == 2 ? 4 : 3;
    head.count = 1 + plot.num_lines;
    if (ui_button(ui, button, "Copy", false))
        copy_curve(ui, curves, plot.num_lines);
    for (uint32_t i = 0; i < plot.num_lines; i++) {
        plot.lines[i] = (plot_line){view_axis_names[i], &curves->values[0][curves->kind][i],
                                    sizeof *curves->values / sizeof(float), view_axis_colors[i]};
        colors[1 + i] = view_axis_colors[i];
        snprintf(head.texts[1 + i], sizeof head.texts[0], "%s", view_axis_names[i]);
    }
    const uint32_t hovered_frame = run_plot(ui, &plot, left);
    char text[128];
    COMMON_TEXT(text, "%.80s, relative to its parent", ui->scene->skeleton->joints[joint].name);
    ui_text_left_of(ui, right.x + right.width - 2.5f * em, top, VIEW_DIM, text);
    const uint32_t pressed =
        run_table(ui, curves, right, &head, clip->anim->num_frames, hovered_frame, fill_frame);
    if (pressed != UINT32_MAX)
        view_seek(ui->stage->play, clip->anim, pressed / clip->anim->frame_rate);
    return NULL;
}

// == Comparison ===========================================================================

static void fill_peak(const view_ui *ui, const view_curves *curves, uint32_t row, ui_cells *cells)
{
    const view_compare *const compare = &ui->stage->document->compare;
    const view_peak *const peak = &compare->peaks[row];
    const size_t size = sizeof cells->texts[0];
    cells->name = ui->scene->skeleton->joints[peak->joint].name;
    if (compare->measured != NULL)
        view_format_number(
            cells->texts[0], size,
            compare->courses[curves->compared_frame * (size_t)compare->num_joints + peak->joint], 3,
            false);
    view_format_number(cells->texts[1], size, peak->distance, 3, false);
    snprintf(cells->texts[2], size, "%u", peak->distance_frame);
    view_format_number(cells->texts[3], size, peak->angle, 2, false);
}

// Lists the joints by their largest distance over the clip, and plots the distance of the selected
// joint, or of the first joint, in each frame. Returns a message if there is nothing to display, or
// NULL.
static const char *run_compared(view_ui *ui, view_curves *curves, view_rect left, view_rect right)
{
    const view_compare *const compare = &ui->stage->document->compare;
    uint32_t shown = 0; // index of the plotted joint in the list
    if (compare->model == NULL || compare->num_same == 0)
        return "Nothing to compare: choose Compare with\xE2\x80\xA6 in the Model menu";
    for (uint32_t i = 0; i < compare->num_same; i++)
        shown = (int32_t)compare->peaks[i].joint == ui->selected_joint ? i : shown;
    const uint32_t joint = compare->peaks[shown].joint;
    curve_plot plot = {.anim = compare->measured,
                       .lines[0] = {ui->scene->skeleton->joints[joint].name,
                                    compare->courses + joint, compare->num_joints, VIEW_ACCENT},
                       .num_lines = 1,
                       .places = view_value_places[0]};
    if (plot.anim != NULL) // NULL: only the current pose is compared
        curves->compared_frame = run_plot(ui, &plot, left);
    ui_cells head = {compare->name, {"", "largest", "at frame", "degrees"}, 4, VIEW_DIM, NULL};
    COMMON_TEXT(head.texts[0], "frame %u", curves->compared_frame);
    const uint32_t pressed =
        run_table(ui, curves, right, &head, compare->num_same, shown, fill_peak);
    if (pressed != UINT32_MAX) {
        ui->selected_joint = (int32_t)compare->peaks[pressed].joint;
        ui->command.action = VIEW_MARKED;
    }
    return NULL;
}

// == The dock =============================================================================

void view_curves_panel(view_ui *ui, view_curves *curves, view_rect area)
{
    const float em = ui->em;
    view_rect left = area;
    const view_rect right = view_cut(&left, VIEW_AT_RIGHT, fminf(30 * em, 0.5f * area.width));
    ui_begin(ui, ui->stage->shown->curves ? "curves" : "compared");
    const char *const missing =
        (ui->stage->shown->curves ? run_curves : run_compared)(ui, curves, left, right);
    if (missing != NULL)
        ui_text(ui, area.x + 0.7f * em, area.y + 0.7f * em, area.width - 1.4f * em, VIEW_DIM,
                missing);
}

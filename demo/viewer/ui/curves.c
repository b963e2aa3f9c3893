// The bottom dock for a clip. The tab "Curves" displays the position and the rotation of the
// selected joint over the frames. The tab "Differences" displays the distances between the joints
// of two compared models. Both tabs consist of a plot and a table.
#include "demo/viewer/ui/curves.h"

#include "demo/viewer/ui/inspector.h"
#include "demo/viewer/ui/ui.h"

// Sizes in em.
static const float numbers_width = 5.5f;     // space for the values at the left of a plot
static const float plot_top = 0.7f;          // space above a plot
static const float frame_numbers_height = 2; // space for the frame numbers below a plot
static const float names_margin = 1;         // left and right of the names of the lines, together
static const float name_gap = 0.3f;          // distance between the names of two lines
static const float label_gap = 0.5f;         // distance between a plot and its texts
static const float min_grid_step = 2.2f;     // distance between two grid lines
static const float stroke_length = 0.15f;    // length of the short strokes that form a line
static const float number_width = 5.2f;      // column of a table
static const float max_table_width = 30;
static const float min_name_width = 8; // column of the joints' names
static const float button_gap = 0.15f; // above and below the buttons
static const float copy_width = 4.3f;  // button "Copy"

enum { DISTANCE_DECIMALS = 3, ANGLE_DECIMALS = 2 }; // decimal places

// == Plots ================================================================================

// A line of the plot. Consecutive values are `stride` floats apart, because the values of several
// lines are interleaved.
typedef struct plot_line {
    const char *name;
    const float *values;
    size_t stride;
    view_color color;
} plot_line;

// Lines differ by color and by pattern, so that color-blind users can distinguish them. The
// patterns are solid, dashed, solid with double width, and dotted. '#' is a stroke that is drawn
// and '-' is a gap.
enum { MAX_LINES = 4 };
static const char *const strokes[MAX_LINES] = {"#", "####--", "#", "#--"};
static const float widths[MAX_LINES] = {0.12f, 0.12f, 0.24f, 0.15f}; // em

typedef struct curve_plot {
    const md5_anim *anim; // the clip whose frames are the x axis
    plot_line lines[MAX_LINES];
    uint32_t num_lines;
    int num_decimals; // decimal places of the values

    // Results of run_plot():
    view_rect area; // area of the lines, pixels
    double low;     // value at the bottom
    double high;    // value at the top
} curve_plot;

// Returns the value of a line of the plot at a frame.
static float value_at(const curve_plot *plot, uint32_t line, uint32_t frame)
{
    return plot->lines[line].values[frame * plot->lines[line].stride];
}

// Returns the y coordinate of a value in the plot, in pixels.
static float plot_y(const curve_plot *plot, double value)
{
    return plot->area.y
           + plot->area.height * (float)((plot->high - value) / (plot->high - plot->low));
}

// Sets the range of the y axis: the range of all values, with a margin above and below.
static void fit_range(curve_plot *plot)
{
    plot->low = INFINITY;
    plot->high = -INFINITY;
    for (uint32_t line = 0; line < plot->num_lines; line++) {
        for (uint32_t frame = 0; frame < plot->anim->num_frames; frame++) {
            plot->low = fmin(plot->low, value_at(plot, line, frame));
            plot->high = fmax(plot->high, value_at(plot, line, frame));
        }
    }

    // The range is at least 20 units of the last displayed decimal place. Constant values are then
    // a line in the middle, and rounding errors are invisible.
    const double range = plot->high - plot->low;
    const double min_margin = 10 * pow(10, -plot->num_decimals) - 0.5 * range;
    const double margin = fmax(0.06 * range, min_margin);
    plot->low -= margin;
    plot->high += margin;
}

// Returns a distance between the lines of an axis that is easy to read. It is the smallest number
// that is at least `min_step`, and is 2, 5 or 10 times a power of ten.
static double round_step(double min_step)
{
    const double power = pow(10, floor(log10(min_step)));
    const double digit = min_step / power; // 1 to 10
    if (digit <= 2)
        return 2 * power;
    return digit <= 5 ? 5 * power : 10 * power;
}

// Draws horizontal lines at round values, with their numbers at the left of the plot. Line i is at
// the value i * step.
static void draw_grid(view_ui *ui, const curve_plot *plot)
{
    enum { MAX_GRID_LINES = 64, MAX_DECIMALS = 9 };
    const double max_index = 1e15; // indices up to this number are exact as double
    const double max_lines = fmax((plot->area.height / (min_grid_step * ui->em)), 1);
    const double step = round_step((plot->high - plot->low) / max_lines);

    // Labels need as many decimal places as the step has. 1e-9 compensates for rounding errors of
    // log10().
    const int num_decimals = (int)fmin(fmax(-floor(log10(step) + 1e-9), 0), MAX_DECIMALS);
    const int64_t first = (int64_t)ceil(fmin(fmax(plot->low / step, -max_index), max_index));

    // With huge values, rounding errors can exceed the step. The limit prevents an extreme number
    // of lines in this case.
    for (int64_t i = first; (double)i * step <= plot->high && i < first + MAX_GRID_LINES; i++) {
        const float y = roundf(plot_y(plot, (double)i * step));
        const view_rect line = {plot->area.x, y, plot->area.width, ui_thin_line(ui)};
        view_draw_rect(ui->canvas, line, i == 0 ? VIEW_EDGE : VIEW_CONTROL);

        char text[32];
        view_format_number(text, sizeof text, (double)i * step, num_decimals, false);
        ui_right_aligned_text(ui, plot->area.x - label_gap * ui->em, y - 0.5f * ui->line, VIEW_DIM,
                              text);
    }
}

// Returns the y coordinate of a line at a frame position, 0 to the last frame. Between two frames
// the values are interpolated.
static float interpolated_y(const curve_plot *plot, uint32_t line, float position)
{
    const uint32_t last = plot->anim->num_frames - 1;
    const uint32_t frame = (uint32_t)position;
    const uint32_t next = frame < last ? frame + 1 : last;
    const float from = value_at(plot, line, frame);
    const float to = value_at(plot, line, next);
    return plot_y(plot, from + (to - from) * (position - (float)frame));
}

// Draws a line of values as short strokes of constant length. The cost is therefore independent of
// the number of frames. Strokes that are gaps of the pattern are not drawn.
static void draw_line(view_canvas *canvas, const curve_plot *plot, uint32_t line)
{
    const float em = view_em(canvas->font);
    const float last_frame = (float)(plot->anim->num_frames - 1);
    const uint32_t num_strokes = (uint32_t)(plot->area.width / (stroke_length * em));
    const size_t pattern_length = strlen(strokes[line]);
    float ends[4] = {0}; // x and y of the stroke's begin, then x and y of its end

    for (uint32_t i = 0; i <= num_strokes; i++) {
        const float part = (float)i / (float)num_strokes;
        ends[0] = ends[2]; // the stroke begins at the end of the previous stroke
        ends[1] = ends[3];
        ends[2] = plot->area.x + plot->area.width * part;
        ends[3] = interpolated_y(plot, line, part * last_frame);

        const bool has_begin = i > 0; // the first point only begins the first stroke
        if (has_begin && strokes[line][i % pattern_length] == '#')
            view_draw_segment(canvas, ends, widths[line] * em, plot->lines[line].color);
    }
}

// Returns the area of the lines in `box`. The remaining space is for the values at the left, the
// frame numbers below, and the names of the lines at the right.
static view_rect find_plot_area(const view_ui *ui, const curve_plot *plot, view_rect box)
{
    const float em = ui->em;
    float names = names_margin * em;
    for (uint32_t i = 0; i < plot->num_lines; i++)
        names += ui_text_width(ui, plot->lines[i].name) + name_gap * em;
    return (view_rect){box.x + numbers_width * em, box.y + plot_top * em,
                       box.width - numbers_width * em - names,
                       box.height - (plot_top + frame_numbers_height) * em};
}

// Returns the frame that is displayed in the image.
static uint32_t current_frame(const view_ui *ui, const curve_plot *plot)
{
    const float last = (float)(plot->anim->num_frames - 1);
    const float position = roundf((float)view_frame_position(ui->stage->play, plot->anim));
    return (uint32_t)view_clamp(position, 0, last);
}

// Handles the mouse: a click or a drag sets the time to the frame under the mouse. Returns this
// frame. If the mouse is not over the plot, returns `current`.
static uint32_t run_plot_mouse(view_ui *ui, const curve_plot *plot, uint32_t current)
{
    const view_rect area = plot->area;
    const float last = (float)(plot->anim->num_frames - 1);
    const view_rect reach = view_inset(area, -0.5f * ui->em); // easier to hit at the edges
    float part; // position of the mouse in the width of the plot, 0 to 1
    const bool is_pressed = ui_item(ui, reach, "plot");
    if (ui_drag(ui, is_pressed, area, &part))
        view_seek(ui->stage->play, plot->anim, roundf(part * last) / plot->anim->frame_rate);
    if (!ui_is_hot(ui))
        return current;

    if (ui->mouse.is_moved || ui->mouse.wheel != 0)
        ui->is_event_handled = true; // the displayed frame has changed; the camera must not move
    part = view_clamp((ui->mouse.x - area.x) / area.width, 0, 1);
    return (uint32_t)roundf(part * last);
}

// Draws the lines, and their names at the right of the plot. Each name is at the height at which
// its line ends. Names of different lines are in different columns, so that they never overlap.
static void draw_lines(view_ui *ui, const curve_plot *plot)
{
    const float em = ui->em;
    const uint32_t last = plot->anim->num_frames - 1;
    float x = plot->area.x + plot->area.width + label_gap * em;
    for (uint32_t i = 0; i < plot->num_lines; i++) {
        const plot_line *const line = &plot->lines[i];
        const float y = plot_y(plot, value_at(plot, i, last)) - 0.5f * ui->line;
        draw_line(ui->canvas, plot, i);
        x += ui_text(ui, x, y, 0, line->color, line->name) + name_gap * em;
    }
}

// Draws a vertical line at a frame.
static void mark_frame(const view_ui *ui, const curve_plot *plot, uint32_t frame, view_color color)
{
    const view_rect area = plot->area;
    const float width = fmaxf(1, roundf(0.1f * ui->em));
    const float part = (float)frame / fmaxf((float)(plot->anim->num_frames - 1), 1);
    const float x = roundf(area.x + area.width * part);
    view_draw_rect(ui->canvas, (view_rect){x, area.y, width, area.height}, color);
}

// Draws the numbers of the first and the last frame below the plot.
static void draw_frame_numbers(view_ui *ui, const curve_plot *plot)
{
    const float right = plot->area.x + plot->area.width;
    const float y = plot->area.y + plot->area.height + name_gap * ui->em;
    char last[32];
    COMMON_TEXT(last, "%u", plot->anim->num_frames - 1);
    ui_text(ui, plot->area.x, y, 0, VIEW_DIM, "0");
    ui_right_aligned_text(ui, right, y, VIEW_DIM, last);
}

// Displays a plot in `box` and handles the mouse. Returns the frame whose values the table should
// display. This is the frame under the mouse. Without a mouse, it is the current frame.
static uint32_t run_plot(view_ui *ui, curve_plot *plot, view_rect box)
{
    const uint32_t current = current_frame(ui, plot);
    plot->area = find_plot_area(ui, plot, box);
    if (plot->area.width < ui->em || plot->area.height < ui->em)
        return current;
    const uint32_t hovered = run_plot_mouse(ui, plot, current);
    if (ui->is_event)
        return hovered;

    fit_range(plot);
    draw_grid(ui, plot);
    draw_lines(ui, plot);
    mark_frame(ui, plot, hovered, VIEW_DISABLED);
    mark_frame(ui, plot, current, VIEW_BRIGHT);
    draw_frame_numbers(ui, plot);
    return hovered;
}

// == Tables ===============================================================================

// Writes the name and the texts of a table row to `cells`.
typedef void fill_cells(const view_ui *ui, const view_curves *curves, uint32_t row,
                        ui_cells *cells);

// Scrolls a table of `count` rows to its selected row. Scrolls only if the selection has changed
// since the last frame and the row is invisible, so that the user can scroll away from it.
static void reveal_row(view_ui *ui, view_curves *curves, view_rect area, uint32_t count,
                       uint32_t selected)
{
    ui_scroll *const scroll = &ui->scrolls[VIEW_DOCK_BOTTOM];
    const float row_height = ceilf(UI_TABLE_ROW * ui->em);
    const float top = (float)selected * row_height;
    const bool is_outside = top < scroll->wanted || top + row_height > scroll->wanted + area.height;
    if (curves->revealed != selected && is_outside) {
        const float height_above = 0.3f * area.height; // height of the visible rows above the row
        const float max_scroll = fmaxf((float)count * row_height - area.height, 0);
        scroll->wanted = fminf(fmaxf(top - height_above, 0), max_scroll);
    }
    curves->revealed = selected;
}

// Draws a table of `count` rows with a header and handles its input. `fill` writes the cells of
// a row. The row `selected` is highlighted. The table scrolls to it when the selection changes,
// which also happens during playback. Returns the pressed row, or UINT32_MAX.
static uint32_t run_table(view_ui *ui, view_curves *curves, view_rect area, const ui_cells *header,
                          uint32_t count, uint32_t selected, fill_cells *fill)
{
    const float row_height = ceilf(UI_TABLE_ROW * ui->em);
    const float column_width = number_width * ui->em;
    view_rect rows = area;
    ui_draw_cells(ui, view_cut(&rows, VIEW_AT_TOP, row_height), column_width, header);
    if (!ui->is_event)
        reveal_row(ui, curves, rows, count, selected);

    uint32_t pressed = UINT32_MAX;
    ui_column column;
    ui_begin_column(ui, &column, rows, &ui->scrolls[VIEW_DOCK_BOTTOM]);
    for (uint32_t i = 0; i < count; i++) {
        view_rect row;
        const bool is_visible = ui_reserve_row(ui, row_height, &row);
        if (!is_visible)
            continue;

        ui_cells cells = {.name = "", .count = header->count, .color = VIEW_BRIGHT};
        fill(ui, curves, i, &cells);
        if (ui_item(ui, row, cells.name)) {
            ui->held = ui->item.panel;
            pressed = i;
        }
        const bool is_selected = i == selected;
        if (is_selected || ui_is_hot(ui))
            view_draw_rect(ui->canvas, row, is_selected ? VIEW_SELECTED : VIEW_CONTROL);
        ui_draw_cells(ui, row, column_width, &cells);
    }
    ui_end_column(ui);
    return pressed;
}

// == Curves ===============================================================================

// Negates a quaternion if its negative is closer to the previous quaternion. A quaternion and its
// negative are the same rotation. A change of the sign would be a jump in the curves.
static void align_rotation(float rotation[4], const float previous[4])
{
    float dot = 0;
    for (int i = 0; i < 4; i++)
        dot += rotation[i] * previous[i];
    if (dot < 0) {
        for (int i = 0; i < 4; i++)
            rotation[i] = -rotation[i];
    }
}

// Computes the values of a joint in all frames of the displayed clip and stores them in
// curves->values. Does nothing if the cached values are still valid.
static void sample_joint(view_curves *curves, const view_scene *scene, uint32_t joint)
{
    const view_clip *const clip = view_shown_clip(scene);
    const uint32_t num_frames = clip->anim->num_frames;
    if (curves->anim == clip->anim && curves->joint == joint && curves->root == scene->root)
        return;

    // md5_sample() always decodes the whole pose, but only the values of this joint are stored.
    md5_xform *const pose = common_alloc(scene->num_joints, sizeof *pose);
    free(curves->values);
    curves->values = common_alloc(num_frames, sizeof *curves->values);
    for (uint32_t frame = 0; frame < num_frames; frame++) {
        const md5_sample_position position = {.frame0 = frame, .frame1 = frame};
        float(*const values)[4] = curves->values[frame];
        md5_sample(clip->binding, position, scene->root, pose);
        view_find_values(md5_mat34_from_xform(pose[joint]), values);
        if (frame > 0)
            align_rotation(values[VIEW_VALUE_QUATERNION],
                           curves->values[frame - 1][VIEW_VALUE_QUATERNION]);
    }
    free(pose);

    // Store the inputs, by which the next call determines if the cache is valid.
    curves->anim = clip->anim;
    curves->joint = joint;
    curves->root = scene->root;
}

// Copies the displayed values to the clipboard as comma-separated values with full precision. The
// text consists of a header and one line per frame.
static void copy_curve(view_ui *ui, const view_curves *curves)
{
    const uint32_t num_axes = view_count_axes(curves->kind);
    char *text = common_format("frame,x,y,z%s\n", num_axes == 4 ? ",w" : "");
    for (uint32_t frame = 0; frame < curves->anim->num_frames; frame++) {
        const float *const values = curves->values[frame][curves->kind];
        common_extend(&text, "%u", frame);
        for (uint32_t axis = 0; axis < num_axes; axis++)
            common_extend(&text, ",%.9g", values[axis]);
        common_extend(&text, "\n");
    }
    ui_copy(ui, ui->stage->uptime, text, "curves");
    free(text);
}

// Writes the row of a frame (fill_cells): its number, then the value of each axis.
static void fill_frame(const view_ui *ui, const view_curves *curves, uint32_t frame,
                       ui_cells *cells)
{
    (void)ui;
    const float *const values = curves->values[frame][curves->kind];
    COMMON_TEXT(cells->texts[0], "%u", frame);
    for (uint32_t i = 1; i < cells->count; i++)
        view_format_number(cells->texts[i], sizeof cells->texts[i], values[i - 1],
                           view_value_decimals[curves->kind], false);
}

// Draws the buttons above the table in `row`: a button for each kind of values, and "Copy". Also
// handles their input.
static void run_curve_buttons(view_ui *ui, view_curves *curves, view_rect row)
{
    const float em = ui->em;
    view_cut(&row, VIEW_AT_TOP, button_gap * em);
    view_cut(&row, VIEW_AT_RIGHT, UI_PADDING * em);
    const view_rect copy = view_cut(&row, VIEW_AT_RIGHT, copy_width * em);
    view_cut(&row, VIEW_AT_RIGHT, 0.5f * em);

    ui_segment(ui, row, view_value_names, VIEW_NUM_VALUE_KINDS, &curves->kind);
    if (ui_button(ui, copy, "Copy", false))
        copy_curve(ui, curves);
}

// Fills the lines of a plot with the values of each axis. Fills the cells of the table's header
// with the names of the axes.
static void describe_axes(const view_curves *curves, curve_plot *plot, ui_cells *header,
                          view_color colors[UI_MAX_CELLS])
{
    for (uint32_t i = 0; i < plot->num_lines; i++) {
        plot->lines[i] = (plot_line){.name = view_axis_names[i],
                                     .values = &curves->values[0][curves->kind][i],
                                     .stride = sizeof *curves->values / sizeof(float),
                                     .color = view_axis_colors[i]};
        colors[1 + i] = view_axis_colors[i]; // after the column of the frame numbers
        snprintf(header->texts[1 + i], sizeof header->texts[0], "%s", view_axis_names[i]);
    }
}

// Draws the table of the tab "Curves" in `area` and handles its input. The row of the displayed
// frame is highlighted. A press on a row sets the time to its frame.
static void run_curve_table(view_ui *ui, view_curves *curves, view_rect area,
                            const ui_cells *header, const md5_anim *anim, uint32_t displayed_frame)
{
    const uint32_t pressed =
        run_table(ui, curves, area, header, anim->num_frames, displayed_frame, fill_frame);
    if (pressed != UINT32_MAX)
        view_seek(ui->stage->play, anim, pressed / anim->frame_rate);
}

// Draws the tab "Curves" and handles its input. The plot of the selected joint is in `left`, and
// the table of its values in `right`. Returns NULL, or a message if there is nothing to display.
static const char *run_curves(view_ui *ui, view_curves *curves, view_rect left, view_rect right)
{
    const view_clip *const clip = view_shown_clip(ui->scene);
    const float em = ui->em;
    const int32_t joint = ui->selection.joint;
    if (clip == NULL || clip->binding == NULL)
        return "No clip to show";
    if (joint < 0 || (uint32_t)joint >= ui->scene->num_joints)
        return "Select a joint in the viewport or the outliner";

    sample_joint(curves, ui->scene, (uint32_t)joint);
    view_rect table = right;
    run_curve_buttons(ui, curves, view_cut(&table, VIEW_AT_TOP, UI_FIELD_HEIGHT * em));
    view_cut(&table, VIEW_AT_TOP, button_gap * em);

    curve_plot plot = {.anim = clip->anim,
                       .num_lines = view_count_axes(curves->kind),
                       .num_decimals = view_value_decimals[curves->kind]};
    view_color colors[UI_MAX_CELLS] = {VIEW_DIM};
    ui_cells header = {
        .name = "", .texts[0] = "frame", .count = 1 + plot.num_lines, .colors = colors};
    describe_axes(curves, &plot, &header, colors);
    const uint32_t displayed_frame = run_plot(ui, &plot, left);

    // The title is in the header of the dock, which is above the table and has space for it.
    const float title_y = right.y - 1.65f * em;
    char title[128];
    COMMON_TEXT(title, "%.80s, relative to its parent", ui->scene->skeleton->joints[joint].name);
    ui_right_aligned_text(ui, right.x + right.width - 2.5f * em, title_y, VIEW_DIM, title);
    run_curve_table(ui, curves, table, &header, clip->anim, displayed_frame);
    return NULL;
}

// == Comparison ===========================================================================

enum { NUM_PEAK_COLUMNS = 4 }; // numbers in a row of the table of differences

// Writes the row of a joint, for fill_cells. It contains its distance in the displayed frame, its
// largest distance over the clip, the frame of this distance, and its largest angle.
static void fill_peak(const view_ui *ui, const view_curves *curves, uint32_t row, ui_cells *cells)
{
    const view_compare *const compare = &ui->stage->document->compare;
    const view_peak *const peak = &compare->peaks[row];
    const size_t size = sizeof cells->texts[0];
    cells->name = ui->scene->skeleton->joints[peak->joint].name;
    if (compare->measured != NULL) {
        const size_t first = curves->compared_frame * (size_t)compare->num_joints;
        view_format_number(cells->texts[0], size, compare->courses[first + peak->joint],
                           DISTANCE_DECIMALS, false);
    }
    view_format_number(cells->texts[1], size, peak->distance, DISTANCE_DECIMALS, false);
    snprintf(cells->texts[2], size, "%u", peak->distance_frame);
    view_format_number(cells->texts[3], size, peak->angle, ANGLE_DECIMALS, false);
}

// Returns the index of the selected joint in the list of distances, or 0 if the list does not
// contain it.
static uint32_t find_selected_peak(const view_ui *ui, const view_compare *compare)
{
    for (uint32_t i = 0; i < compare->num_same; i++) {
        if ((int32_t)compare->peaks[i].joint == ui->selection.joint)
            return i;
    }
    return 0;
}

// Draws the table of the tab "Differences" in `area` and handles its input. A press on a row
// selects its joint.
static void run_difference_table(view_ui *ui, view_curves *curves, view_rect area,
                                 uint32_t selected)
{
    const view_compare *const compare = &ui->stage->document->compare;
    ui_cells header = {.name = compare->name,
                       .texts = {"", "largest", "at frame", "degrees"},
                       .count = NUM_PEAK_COLUMNS,
                       .color = VIEW_DIM};
    COMMON_TEXT(header.texts[0], "frame %u", curves->compared_frame);
    const uint32_t pressed =
        run_table(ui, curves, area, &header, compare->num_same, selected, fill_peak);
    if (pressed == UINT32_MAX)
        return;
    ui->selection.joint = (int32_t)compare->peaks[pressed].joint;
    UI_COMMAND(ui, VIEW_JOINT_SELECTED);
}

// Draws the tab "Differences" and handles its input. The table in `right` lists the joints by their
// largest distance over the clip. The plot in `left` displays the distance of the selected joint.
// If no joint is selected, it displays the distance of the first joint in the table. Returns NULL,
// or a message if there is nothing to display.
static const char *run_compared(view_ui *ui, view_curves *curves, view_rect left, view_rect right)
{
    const view_compare *const compare = &ui->stage->document->compare;
    if (compare->model == NULL || compare->num_same == 0)
        return "Nothing to compare: choose Compare with\xE2\x80\xA6 in the Model menu";

    const uint32_t selected = find_selected_peak(ui, compare);
    const uint32_t joint = compare->peaks[selected].joint;
    const bool has_clip = compare->measured != NULL; // otherwise the current pose is compared
    if (has_clip) {
        curve_plot plot = {.anim = compare->measured,
                           .lines[0] = {.name = ui->scene->skeleton->joints[joint].name,
                                        .values = compare->courses + joint,
                                        .stride = compare->num_joints,
                                        .color = VIEW_ACCENT},
                           .num_lines = 1,
                           .num_decimals = DISTANCE_DECIMALS};
        curves->compared_frame = run_plot(ui, &plot, left);
    }
    run_difference_table(ui, curves, right, selected);
    return NULL;
}

// == The dock =============================================================================

// Returns the width of the table in pixels. The table gets half of the area's width. If its columns
// need more space, it gets their width.
static float get_table_width(const view_ui *ui, const view_curves *curves, float area_width)
{
    uint32_t num_columns = NUM_PEAK_COLUMNS;
    float names_width = min_name_width;
    if (ui->stage->shown->curves) {
        num_columns = 1 + view_count_axes(curves->kind); // frame number and values
        names_width = UI_PADDING;
    }
    const float columns_width = ((float)num_columns * number_width + names_width) * ui->em;
    const float half_width = fminf(max_table_width * ui->em, 0.5f * area_width);
    return fminf(fmaxf(half_width, columns_width), area_width);
}

// Draws the content of the bottom dock for a clip: curves of the selected joint, or distances
// between the joints of two models. Also handles its input.
void view_curves_panel(view_ui *ui, view_curves *curves, view_rect area)
{
    const float em = ui->em;
    const bool shows_curves = ui->stage->shown->curves;
    view_rect left = area;
    const view_rect right = view_cut(&left, VIEW_AT_RIGHT, get_table_width(ui, curves, area.width));

    const char *message; // if there is nothing to display
    if (shows_curves) {
        ui_begin(ui, "curves");
        message = run_curves(ui, curves, left, right);
    } else {
        ui_begin(ui, "compared");
        message = run_compared(ui, curves, left, right);
    }
    if (message != NULL)
        ui_text(ui, area.x + UI_PADDING * em, area.y + UI_PADDING * em,
                area.width - 2 * UI_PADDING * em, VIEW_DIM, message);
}

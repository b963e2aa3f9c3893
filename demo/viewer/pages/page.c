// Functions with which lessons describe their pictures: poses, plots, facts, labels and lines. Also
// searches the table of lessons. See page.h.
#include "demo/viewer/pages/page.h"

// -- The table of lessons -------------------------------------------------------------------

const char *const view_integer_slider[] = {NULL};

const view_page *view_page_at(uint32_t number)
{
    return number < view_num_pages ? &view_page_rows[number] : NULL;
}

// Returns the index of the lesson with a name, or -1 if the lesson does not exist.
int32_t view_find_page(const char *name)
{
    for (uint32_t i = 0; i < view_num_pages; i++) {
        if (strcmp(view_page_rows[i].name, name) == 0)
            return (int32_t)i;
    }
    return -1;
}

uint32_t view_num_sliders(const view_page *page)
{
    uint32_t count = 0;
    while (count < VIEW_PAGE_SLIDERS && page->sliders[count].name != NULL)
        count++;
    return count;
}

// A row of figures is shown nearly from the front. From the usual direction, the nearest figure
// would be up to a third larger than the farthest, which makes it hard to compare them.
float view_page_azimuth(const view_page *page)
{
    const float row_azimuth = 10;
    const view_camera default_camera = VIEW_DEFAULT_CAMERA;
    const bool has_row = page->figures[1].label != NULL;
    return has_row ? row_azimuth : default_camera.azimuth;
}

// Appends the value of a slider, or the selected word of a choice, to a text.
static void append_value(char **text, const view_slider *slider, float value)
{
    const bool is_choice = slider->words != NULL && slider->words != view_integer_slider;
    if (is_choice)
        common_extend(text, "%s", slider->words[lroundf(value)]);
    else
        common_extend(text, "%.4g", (double)value);
}

// Returns the displayed code, in which "$N" is replaced by the value of slider N. The caller frees
// it.
char *view_page_lines(const view_page *page, const float *values)
{
    char *text = common_copy("");
    const char *next = page->lines;
    while (*next != '\0') {
        const size_t length = strcspn(next, "$");
        common_extend(&text, "%.*s", (int)length, next);
        next += length;
        if (*next == '\0')
            break;
        const int slider = next[1] - '0';
        append_value(&text, &page->sliders[slider], values[slider]);
        next += strlen("$N");
    }
    return text;
}

// -- Poses ----------------------------------------------------------------------------------

md5_xform *view_spare_pose(view_picture *picture, uint32_t index)
{
    const size_t joints = picture->scene->num_joints + 1;
    return picture->figures[0].pose + (VIEW_PAGE_FIGURES + index % VIEW_PAGE_SPARE) * joints;
}

// Returns the clip of the character with a name, or NULL. A lesson may have no clip: `name` is
// then NULL, and the result is NULL.
const view_clip *view_page_clip(const view_picture *picture, const char *name)
{
    if (name == NULL)
        return NULL;
    for (size_t i = 0; i < picture->scene->num_clips; i++) {
        if (strcmp(picture->scene->clips[i].name, name) == 0)
            return &picture->scene->clips[i];
    }
    return NULL;
}

// Samples a clip at a time in seconds, in a loop and without root motion. A lesson remains
// usable with a character that does not have the clip, because the bind pose replaces it.
void view_sample_clip(const view_picture *picture, const char *name, double seconds,
                      md5_xform *pose)
{
    const view_clip *const clip = view_page_clip(picture, name);
    if (clip == NULL)
        memcpy(pose, picture->model->bind_local, picture->scene->num_joints * sizeof *pose);
    else
        md5_sample(clip->binding, md5_sample_position_at(clip->anim, seconds, MD5_WRAP_LOOP),
                   MD5_ROOT_IN_PLACE, pose);
}

uint32_t view_page_joint(const view_picture *picture, const char *name)
{
    const uint32_t joint = md5_find_joint(picture->skeleton, name);
    return joint != MD5_NONE ? joint : 0;
}

md5_vec3 view_posed_position(const view_picture *picture, const md5_xform *pose, uint32_t joint)
{
    return md5_joint_in_model(picture->skeleton, pose, joint).translation;
}

md5_vec3 view_joint_position(const view_picture *picture, const view_figure *figure, uint32_t joint)
{
    return md5_xform_point(figure->placement, view_posed_position(picture, figure->pose, joint));
}

void view_rotate_joint(const view_picture *picture, md5_xform *pose, const char *name,
                       md5_quat rotation)
{
    const md5_xform change = {.rotation = rotation, .translation = {NAN, NAN, NAN}};
    md5_modify_joint(picture->skeleton, view_page_joint(picture, name), MD5_JOINT_MODEL, change, 1,
                     pose);
}

// Rotates a figure about the center of its body, and returns the transform of the center. The
// origin of a figure is between its feet, and rotating the placement alone would rotate the
// figure about this point.
md5_xform view_rotate_figure(view_figure *figure, md5_quat rotation)
{
    // The center of the body is 28 units above the feet. Raise it to the height 32, because the
    // rotated figure would otherwise reach below the floor.
    const md5_xform center = {rotation, {0, figure->placement.translation.y, 32}, 0};
    const md5_xform down = {.rotation = {.w = 1}, .translation = {.z = -28}};
    figure->placement = md5_xform_mul(center, down);
    return center;
}

uint32_t view_choice(const view_picture *picture, uint32_t slider)
{
    return (uint32_t)lroundf(picture->values[slider]);
}

// Returns `part`, the value of a slider from 0 to 1. A negative value means that the slider moves
// by itself. The result then moves between 0 and 1 with the time. The cosine makes the movement
// slow at both ends.
float view_moving_part(const view_picture *picture, float part)
{
    if (part >= 0)
        return part;
    const double period = 4;             // seconds
    const float frequency = 1.57079633f; // 2 pi / period
    return 0.5f - 0.5f * cosf((float)fmod(picture->time, period) * frequency);
}

const char *view_word(const view_picture *picture, uint32_t slider)
{
    return picture->page->sliders[slider].words[view_choice(picture, slider)];
}

// Computes in double precision, because the rounding errors of floats would be visible in the
// displayed value.
double view_angle(md5_quat a, md5_quat b)
{
    // (x, y, z) and `cosine` are the rotation from a to b:
    //
    //     conjugate(a) * b
    //
    // atan2() is exact for small angles too, and does not require unit quaternions.
    const double ax = a.x;
    const double ay = a.y;
    const double az = a.z;
    const double aw = a.w;
    const double bx = b.x;
    const double by = b.y;
    const double bz = b.z;
    const double bw = b.w;
    const double x = aw * bx - ax * bw - ay * bz + az * by;
    const double y = aw * by + ax * bz - ay * bw - az * bx;
    const double z = aw * bz - ax * by + ay * bx - az * bw;
    const double cosine = ax * bx + ay * by + az * bz + aw * bw;
    return 2 * atan2(sqrt(x * x + y * y + z * z), fabs(cosine)) * 57.29577951308232;
}

double view_largest_angle(const view_picture *picture, const md5_xform *a, const md5_xform *b)
{
    double largest = 0;
    for (uint32_t i = 0; i < picture->scene->num_joints; i++)
        largest = fmax(largest, view_angle(a[i].rotation, b[i].rotation));
    return largest;
}

// -- Plots, facts and labels ----------------------------------------------------------------

double view_plot_x(const view_plot *plot, int i)
{
    const double low = plot->row.low.x;
    return low + (plot->row.high.x - low) * i / (double)VIEW_PAGE_STEPS;
}

double view_step_x(const view_plot *plot, int i, double current_x)
{
    return i < VIEW_PAGE_POINTS ? view_plot_x(plot, i) : current_x;
}

void view_plot_step(view_plot *plot, int series, int i, double x, double y)
{
    if (i < VIEW_PAGE_POINTS)
        view_add_point(plot, series, x, y);
    else
        view_add_mark(plot, x, y, plot->row.series[series].color | 0xFFu);
}

void view_add_point(view_plot *plot, int series, double x, double y)
{
    view_series *const points = &plot->series[series];
    if (points->count < VIEW_PAGE_POINTS)
        points->count++;
    points->points[points->count - 1] = (md5_vec2){(float)x, (float)y};
}

void view_add_mark(view_plot *plot, double x, double y, view_color color)
{
    if (plot->num_marks < VIEW_PAGE_MARKS)
        plot->num_marks++;
    plot->marks[plot->num_marks - 1] = (view_mark){{(float)x, (float)y}, color};
}

void view_add_fact(view_picture *picture, const char *name, double value, const char *unit)
{
    if (picture->num_facts < VIEW_PAGE_FACTS)
        picture->num_facts++;
    picture->facts[picture->num_facts - 1] = (view_fact){name, unit, value, NULL, NULL};
}

void view_add_text_fact(view_picture *picture, const char *name, double value, const char *text)
{
    view_add_fact(picture, name, value, "");
    picture->facts[picture->num_facts - 1].text = text;
}

// Adds values for the next facts of the lesson. A row of a table has several values.
void view_add_facts(view_picture *picture, const double *values, size_t count)
{
    const view_page *const page = picture->page;
    for (size_t i = 0; i < count; i++) {
        // The values before first_row are single facts. The others fill the table row by row.
        uint32_t row = picture->num_named_facts++ % VIEW_PAGE_FACTS;
        const char *column = NULL;
        if (page->columns[0] != NULL && row >= page->first_row) {
            const uint32_t cell = row - page->first_row;
            row = page->first_row + cell / VIEW_PAGE_COLUMNS;
            column = page->columns[cell % VIEW_PAGE_COLUMNS];
        }
        view_add_fact(picture, page->facts[row].name, values[i], page->facts[row].unit);
        picture->facts[picture->num_facts - 1].column = column;
    }
}

void view_add_label(view_picture *picture, md5_vec3 position, view_color color, const char *text)
{
    if (picture->num_labels < VIEW_PAGE_LABELS)
        picture->num_labels++;
    picture->labels[picture->num_labels - 1] = (view_label){position, color, text};
}

// -- Lines ----------------------------------------------------------------------------------

void view_page_line(view_picture *picture, md5_vec3 from, md5_vec3 to, view_color color)
{
    view_add_line(&picture->lines, from, to, color);
}

void view_page_cross(view_picture *picture, md5_vec3 position, float size, view_color color)
{
    view_add_cross(&picture->lines, position, size, color);
}

void view_draw_to(view_picture *picture, md5_vec3 to, view_color color)
{
    if (color != 0)
        view_page_line(picture, picture->pen, to, color);
    picture->pen = to;
}

// Adds the axes of a transform as a red, a green and a blue line. `size` is the length of each
// axis in units.
void view_add_frame(view_picture *picture, md5_xform transform, float size)
{
    static const view_color colors[3] = {VIEW_RED, VIEW_GREEN, VIEW_BLUE};
    const md5_vec3 axes[3] = {{size, 0, 0}, {0, size, 0}, {0, 0, size}};
    for (int i = 0; i < 3; i++)
        view_page_line(picture, transform.translation, md5_xform_point(transform, axes[i]),
                       colors[i]);
}

// Adds the bone of a joint as a line from its parent to the joint. A root has no bone.
void view_add_bone(view_picture *picture, const view_figure *figure, uint32_t joint,
                   view_color color)
{
    const uint32_t parent = picture->skeleton->joints[joint].parent;
    if (parent != MD5_NONE)
        view_page_line(picture, view_joint_position(picture, figure, parent),
                       view_joint_position(picture, figure, joint), color);
}

// Values of options: a row with the picker of its kind, and the card with the rows of a command.
#include "demo/viewer/ui/ui.h"

// == What a row says ==============================================================================

// A row of an option, or a part of it.
typedef struct setting {
    view_ui *ui;
    const view_stage *stage;
    const view_option *option;
    const char *name;
    const char *unit;
    char *now; // its text; "": as usual
    view_color color;
    double low;
    double high;
    double usual;
} setting;

// "" where there is none. Of no options: what is usual.
static char *text_of(const view_option *option, const view_options *options)
{
    char *const text =
        options != NULL ? view_write_option(option, options) : view_write_usual(option);
    return text != NULL ? text : common_copy("");
}

// What an empty value reads.
static const char *hint_of(const view_option *option)
{
    return option->kind == COMMON_COLOR                        ? "scenery"
           : option->kind == COMMON_RANGE                      ? "all"
           : option->given > 0 || option->kind == COMMON_FLOAT ? "auto"
                                                               : "none";
}

static const char *unit_of(const view_option *option)
{
    static const char *const units[][2] = {{"PIXELS", "px"},
                                           {"DEG", "\xC2\xB0"},
                                           {"UNITS", "units"},
                                           {"X,Y,Z", "units"},
                                           {"SECONDS", "s"}};
    for (size_t i = 0; i < COMMON_LENGTH(units); i++)
        if (option->value != NULL && strcmp(option->value, units[i][0]) == 0)
            return units[i][1];
    return "";
}

// == Setting ======================================================================================

// Asks for a value: at once or, while it is made and where the files are read again, after some
// seconds in which nothing has followed.
static void ask_for(const setting *s, const char *text, double rest)
{
    view_card *const card = &s->ui->card;
    const view_command now = view_set_command(s->option, common_copy(text));
    s->ui->has_taken = true;
    if (s->option->effect == VIEW_EFFECT_REOPENS)
        rest = fmax(rest, 0.3);
    if (card->waits == s->option) {
        free(card->waiting);
        card->waiting = NULL;
    }
    s->ui->command = rest > 0 ? view_take_waiting(s->ui, INFINITY) : now;
    if (rest > 0) {
        card->waits = s->option;
        card->waiting = now.path;
        card->due = s->stage->now + rest;
    }
}

view_command view_take_waiting(view_ui *ui, double now)
{
    view_card *const card = &ui->card;
    if (card->waiting == NULL || now < card->due)
        return (view_command){.action = VIEW_NOTHING};
    char *const text = card->waiting;
    card->waiting = NULL;
    return view_set_command(card->waits, text);
}

// == Parts of pickers =============================================================================

// The next row of the column, and what a picker has of it: all but the sign of the reset.
void ui_begin_row(view_ui *ui)
{
    const float em = ui->em;
    ui_take_row(ui, ceilf((ui->is_touched ? 2.4f : 2.05f) * em), &ui->space);
    ui->label_width = view_clamp(0.34f * ui->space.width, 6 * em, 18 * em);
    ui->space.x += 0.7f * em;
    ui->space.width -= 2.9f * em;
    ui->value_width = 0;
}

// At the end of a row that is not as usual. Returns whether it was pressed.
static bool reset_sign(const setting *s, view_rect row, bool is_usual)
{
    const view_rect sign = {row.x + row.width, row.y, row.height, row.height};
    const bool is_pressed = ui_item(s->ui, sign, is_usual ? "" : "reset");
    ui_text_in(s->ui, sign, ui_is_hot(s->ui) ? VIEW_BRIGHT : VIEW_ACCENT,
               is_usual ? "" : "\xE2\x86\xBA");
    return is_pressed && !is_usual;
}

// A row with a name; returns the place of its picker, as high as a field.
static view_rect name_space(const setting *s)
{
    view_rect rest;
    const view_rect row = ui_next_row(s->ui, s->name, s->color, &rest);
    ui_item(s->ui, row, s->name);
    return view_inset(rest, s->ui->scale);
}

// A field that shows `now` until it is typed in: then card.typed is its text. Returns whether that
// has changed.
static bool type_value(const setting *s, view_rect box, const char *hint, const char *now)
{
    view_ui *const ui = s->ui;
    view_card *const card = &ui->card;
    char shown[sizeof card->typed];
    if (card->focused == s->option) {
        ui_focus_next(ui);
        card->focused = NULL;
    }
    const uint32_t number = ui->item.number + 1;
    const bool has_focus = ui->focus.panel == ui->item.panel && ui->focus.number == number;
    if (has_focus && card->typing != number) {
        COMMON_TEXT(card->typed, "%s", now);
        ui->selects_all = true;
    }
    if (has_focus || card->typing == number)
        card->typing = has_focus ? number : 0;
    COMMON_TEXT(shown, "%s", now);
    return ui_field(ui, box, hint, has_focus ? card->typed : shown, sizeof shown) && has_focus;
}

// == Numbers ======================================================================================

enum { NUMBER_TEXT = 64, MAX_NUMBERS = 3 };

// Whole numbers and those of wide ranges are laid out by their magnitude.
static double bend(const setting *s, double value, bool is_back)
{
    const double small = s->option->kind == COMMON_COUNT ? 1 : 0.1;
    return s->high - s->low < 1000 ? value : is_back ? small * sinh(value) : asinh(value / small);
}

// "12f" and "0.5s" are converted by the rate of the clip; "50 %" is that part of what is usual or,
// if that is 0, of the most. What is nothing of that stays as it is typed.
static void read_number(const setting *s, char text[NUMBER_TEXT])
{
    const md5_anim *const anim = view_clock(&s->stage->document->scene);
    const double rate = anim != NULL ? anim->frame_rate : (double)VIEW_STEPS_A_SECOND;
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end == '\0')
        return;
    end += *end == ' ';
    if (*end == '%')
        value *= (s->usual != 0 ? s->usual : s->high) / 100;
    else if (*end == 'f' && s->unit[0] == 's')
        value /= rate;
    else if (*end != s->unit[0])
        return;
    snprintf(text, NUMBER_TEXT, "%.9g", value);
}

// So many numbers, of which one has a slider unless its range is too wide. Returns whether they
// were changed, to `made`.
static bool numbers_row(const setting *s, int count, const char *now, char made[3 * NUMBER_TEXT])
{
    view_ui *const ui = s->ui;
    const float em = ui->em;
    const view_rect row = ui->space;
    const double first = now[0] != '\0' ? strtod(now, NULL) : s->usual;
    const double span = s->high - s->low;
    const double step = s->option->kind == COMMON_COUNT || span > 100 ? 1 : span > 10 ? 0.5 : 0.05;
    const char between[2] = {s->option->kind == COMMON_RANGE ? '-' : ',', '\0'};
    double next = first;
    bool is_typed = false;
    view_rect field = {0, row.y + 0.1f * em, 4.4f * em, row.height - 0.2f * em};
    ui->value_width = (float)count * 4.7f * em + 2.6f * em;
    field.x = row.x + row.width - ui->value_width + 0.3f * em;
    // Long names get space of the slider, which keeps 3 em.
    const float widest = fminf(ui->card.label_width, row.width - ui->value_width - 3 * em);
    if (count == 1)
        ui->label_width = fmaxf(ui->label_width, widest);
    if (count == 1 && span < 1e6 && field.x > row.x + ui->label_width + 2 * em) {
        float place = (float)bend(s, fmin(fmax(first, s->low), s->high), false);
        if (ui_slider(ui, s->name, s->color, NULL, 0, (float)bend(s, s->low, false),
                      (float)bend(s, s->high, false), NULL, &place))
            next = round(bend(s, (double)place, true) / step) * step;
    } else {
        name_space(s);
    }
    int way = ui_is_focused(ui) ? ui_key(ui, VIEW_KEY_RIGHT) - ui_key(ui, VIEW_KEY_LEFT) : 0;
    made[0] = '\0';
    for (int i = 0; i < count; i++) {
        char part[NUMBER_TEXT] = "";
        const size_t length = strcspn(now + (*now == '-'), ",-") + (*now == '-');
        if (*now != '\0' && first >= s->low)
            snprintf(part, sizeof part, "%.7g", strtod(now, NULL));
        now += length + (now[length] != '\0');
        if (type_value(s, field, i == 0 ? hint_of(s->option) : "", part)) {
            is_typed = true;
            snprintf(part, sizeof part, "%.63s", ui->card.typed);
            read_number(s, part);
        }
        if (ui_is_focused(ui) && count == 1)
            way += ui_key(ui, VIEW_KEY_UP) - ui_key(ui, VIEW_KEY_DOWN);
        common_append(made, 3 * NUMBER_TEXT, between, "%s",
                      part[0] == '\0' && count > 1 ? "0" : part);
        field.x += 4.7f * em;
    }
    ui_text(ui, field.x, row.y + 0.35f * em, 2.4f * em, VIEW_DIM, s->unit);
    next = way != 0 ? fmin(fmax(next + way * step, s->low), s->high) : next;
    if (!is_typed && next != first) {
        ui->card.typing = 0;
        snprintf(made, NUMBER_TEXT, "%.9g", next);
    }
    return is_typed || next != first;
}

// A row for each light or parameter of materials.
static void parts_picker(setting *s)
{
    const view_stage *const stage = s->stage;
    const bool is_parms = s->option->kind == VIEW_OPTION_PARM;
    for (int i = 0; i < (is_parms ? (int)VIEW_NUM_PARM_ROWS : (int)VIEW_NUM_LIGHTS); i++) {
        const view_light_range *const light = &view_light_ranges[is_parms ? 0 : i];
        const view_parm_range *const parm = &view_parm_ranges[i];
        const bool is_time = is_parms && i == VIEW_PARM_TIME;
        const float value = !is_parms ? stage->lights->values[i]
                            : is_time ? view_material_time(stage->parms, stage->play->time)
                                      : view_parm_of(stage, i);
        char now[NUMBER_TEXT], made[3 * NUMBER_TEXT], *end;
        s->name = is_parms ? parm->name : light->name;
        s->unit = is_time ? "s" : !is_parms && light->usual == 0 ? "\xC2\xB0" : "";
        s->low = is_parms ? 0 : light->low;
        // Further steps of the usual range if the value is beyond it, so that time, which runs
        // on, can be moved wherever it is.
        s->high =
            is_parms ? parm->high * fmaxf(ceilf(fminf(value, 1e6f) / parm->high), 1) : light->high;
        s->usual = is_parms ? parm->usual : light->usual;
        // Rows that no material of the model reads are dim.
        s->color =
            is_parms && !(stage->document->textures.layers.read >> i & 1) ? VIEW_DIM : VIEW_BRIGHT;
        ui_begin_row(s->ui);
        const view_rect row = s->ui->space;
        COMMON_TEXT(now, is_time ? "%.2f" : "%.7g", value);
        bool is_set = numbers_row(s, 1, now, made);
        double asked = strtod(made, &end);
        is_set = is_set && end != made && asked >= s->low && (is_parms || asked <= s->high);
        const bool is_usual = is_time ? stage->parms->ahead == parm->usual : value == s->usual;
        if (reset_sign(s, row, is_usual)) {
            s->ui->held = s->ui->item.panel;
            is_set = true;
            asked = s->usual + (is_time ? stage->play->time : 0);
        }
        if (is_set && is_parms)
            view_set_parm(stage->parms, i, (float)asked, stage->play->time);
        else if (is_set)
            stage->lights->values[i] = (float)asked;
    }
}

// == Words, names, files ==========================================================================

static view_menu_list list_of(const setting *s)
{
    const int kind = s->option->kind;
    const int names = (int)s->option->names;
    return kind == COMMON_EITHER || kind == COMMON_CHOICE           ? VIEW_LIST_WORDS
           : names == VIEW_NAMES_CLIP                               ? VIEW_LIST_CLIPS
           : names == VIEW_NAMES_MESH || view_is_texture(s->option) ? VIEW_LIST_MESHES
           : names == VIEW_NAMES_JOINT || kind == COMMON_PAIR_TEXT  ? VIEW_LIST_JOINTS
                                                                    : VIEW_LIST_NONE;
}

// What can be selected, by its number: its name, and the text that selects it. Returns false if
// there are not so many.
static bool thing_at(const setting *s, size_t number, char name[128], char text[128])
{
    const md5_morph *const morph = s->stage->document->morphs.morph;
    if (s->option->names == VIEW_NAMES_MORPH && morph != NULL && number < morph->num_targets) {
        snprintf(name, 128, "%s", morph->targets[number].name);
        snprintf(text, 128, "%s", name);
        return true;
    }
    return view_list_thing(s->stage, list_of(s), s->option, number, name, text);
}

// How many vertices of the files each joint moves; to be freed.
static uint32_t *count_moved(const view_scene *scene)
{
    uint32_t *const counts = common_alloc((size_t)scene->num_joints + 1, sizeof *counts);
    for (uint32_t m = 0; m < view_count_meshes(scene); m++) {
        const md5_mesh *const mesh = &scene->model->meshes[m];
        const uint32_t end = mesh->first_influence[mesh->num_file_vertices];
        for (uint32_t i = 0; i < end; i++)
            counts[mesh->influence_joints[i]]++;
    }
    return counts;
}

// Those that contain what is sought, below the row; of joints also their parents and vertices.
// Returns whether one was pressed, or the first is taken by Enter: writes its text.
static bool list_things(const setting *s, const char *sought, const char *chosen, char text[128])
{
    enum { MOST = 100 };
    view_ui *const ui = s->ui;
    const view_scene *const scene = &s->stage->document->scene;
    const bool are_joints = list_of(s) == VIEW_LIST_JOINTS;
    uint32_t *const counts = are_joints ? count_moved(scene) : NULL;
    char name[128];
    char one[128];
    char fact[192] = "";
    int count = 0;
    bool is_taken = false;
    for (size_t i = 0; count < MOST && thing_at(s, i, name, one); i++) {
        if (!common_contains(name, sought))
            continue;
        ui_begin_row(ui);
        view_rect row = ui->space;
        const bool is_chosen = strcmp(one, chosen) == 0;
        const bool is_pressed = ui_tile(ui, row, name, is_chosen);
        if (are_joints) {
            const uint32_t parent = scene->skeleton->joints[i].parent;
            COMMON_TEXT(
                fact, counts[i] > 0 ? "%s" VIEW_DOT "%u vertices" : "%s" VIEW_DOT "no vertices",
                parent != MD5_NONE ? scene->skeleton->joints[parent].name : "root", counts[i]);
        }
        if (are_joints && ui_is_hot(ui) && ui->mouse.is_moved)
            ui->hovered_joint = (int32_t)i;
        ui_tip(ui, fact);
        ui_try(ui, s->option, one);
        row = view_inset(row, 0.5f * ui->em);
        row.y = ui_text_top(ui, ui->space);
        const float used = ui_text(ui, row.x, row.y, row.width,
                                   is_chosen || ui_is_hot(ui) ? VIEW_BRIGHT : VIEW_PLAIN, name);
        ui_text_left_of(ui, row.x + row.width, row.y, VIEW_PLAIN,
                        ui_text_width(ui, fact) + used < row.width - ui->em ? fact : "");
        if (is_pressed || (count++ == 0 && sought[0] != '\0' && ui->mouse.key == VIEW_KEY_RETURN)) {
            snprintf(text, 128, "%s", one);
            is_taken = true;
        }
    }
    free(counts);
    return is_taken;
}

// A line for each value of what may be repeated, and one to add; of "A=B" two fields. What is named
// is found in a list, files in theirs.
static void lines_picker(const setting *s)
{
    enum { PART = VIEW_TARGET_TEXT };
    view_ui *const ui = s->ui;
    view_card *const card = &ui->card;
    const view_option *const option = s->option;
    const bool is_many = option->kind == COMMON_TEXTS || option->kind > VIEW_OPTION_TIMES;
    const bool is_pair = option->value != NULL && strchr(option->value, '=') != NULL;
    const bool is_file = option->names > 0 && option->names <= VIEW_NAMES_PICTURE;
    const float browse = is_file ? 5.5f * ui->em : 0;
    char name[128];
    char taken[128];
    char *text = common_copy("");
    const bool has_list = thing_at(s, 0, name, taken);
    const char *at = s->now;
    setting row = *s;
    bool is_set = false;
    bool is_whole = true;
    bool goes_on = true;
    for (uint32_t line = 0; goes_on; line++, row.name = "") {
        char parts[2][PART];
        const size_t length = strcspn(at, "\n");
        const size_t left = is_pair ? strcspn(at, "=\n") : 0;
        const size_t right = left + (at[left] == '=' && is_pair);
        snprintf(parts[0], PART, "%.*s", (int)left, at);
        snprintf(parts[1], PART, "%.*s", (int)(length - right), at + right);
        if (length == 0 && option->kind == COMMON_PAIR_TEXT && ui->selected_joint >= 0)
            snprintf(parts[0], PART, "%s",
                     s->stage->document->scene.skeleton->joints[ui->selected_joint].name);
        at += length + (at[length] != '\0');
        goes_on = is_many && length > 0;
        if (line > 0)
            ui_begin_row(s->ui);
        view_rect field = name_space(&row);
        field.width = (field.width - browse) / (is_pair ? 2 : 1);
        for (int i = is_pair ? 0 : 1; i < 2; i++) {
            field.x += is_pair && i == 1 ? field.width : 0;
            const bool lists = has_list && i == !is_pair;
            if (type_value(s, field, i == 0 ? "name" : hint_of(option), parts[i])) {
                snprintf(lists ? card->filter : parts[i], lists ? sizeof card->filter : PART, "%s",
                         card->typed);
                is_set = is_set || !lists;
            }
            ui_tip_cut(ui, parts[i], field.width);
            if (ui_is_focused(ui) && lists && (card->opened != option || card->line != line)) {
                card->opened = option;
                card->line = line;
                card->filter[0] = '\0';
            }
        }
        field.x += field.width;
        field.width = browse;
        if (is_file && ui_button(ui, field, "Browse\xE2\x80\xA6", false)) {
            UI_ASK(ui, VIEW_FILES, 0, 1 + (size_t)(option - view_option_rows),
                   common_format("%s%s%s\1%s%s", text, parts[0], is_pair ? "=" : "",
                                 is_many ? "\n" : "", at));
        }
        if (card->opened == option && card->line == line
            && list_things(s, card->filter, parts[!is_pair], taken)) {
            snprintf(parts[!is_pair], PART, "%s", taken);
            card->opened = NULL;
            card->typing = 0;
            is_set = true;
        }
        if (parts[0][0] != '\0' || parts[1][0] != '\0')
            common_extend(&text, "%s%s%s%s", parts[0], parts[0][0] != '\0' ? "=" : "", parts[1],
                          is_many ? "\n" : "");
        is_whole = is_whole && (parts[0][0] == '\0' || parts[1][0] != '\0');
    }
    if (is_set)
        ask_for(s, text, is_whole ? 0.3 : INFINITY);
    free(text);
}

static view_color color_of(float hue, float saturation, float value)
{
    view_color color = 0xFF;
    for (int i = 0; i < 3; i++) {
        const float pure = // 0 to 1
            view_clamp(fabsf(fmodf(6 * hue + (float)(6 - 2 * i), 6) - 3) - 1, 0, 1);
        const float part = value * (1 - saturation + saturation * pure);
        color |= (view_color)(255 * part + 0.5f) << (24 - 8 * i);
    }
    return color;
}

// Saturation and brightness in a square, the hue beside it, the channels, and swatches below.
static void color_picker(setting *s)
{
    enum { STEPS = 48, NUM_SWATCHES = 8 };
    static const view_color swatches[NUM_SWATCHES] = {0x3A424DFF, 0x16181CFF, 0xFFFFFFFF,
                                                      0x808080FF, 0x7A8F6AFF, 0x6A809AFF,
                                                      0x00B140FF, 0x0047BBFF};
    view_ui *const ui = s->ui;
    const float em = ui->em;
    view_options of = {.background = {0.5f, 0.5f, 0.5f}};
    if (s->now[0] != '\0')
        view_read_option(s->option, s->now, &of);
    const float *const rgb = of.background;
    const float most = fmaxf(fmaxf(rgb[0], rgb[1]), rgb[2]);
    const float least = fminf(fminf(rgb[0], rgb[1]), rgb[2]);
    const float span = most - least;
    float saturation = most > 0 ? span / most : 0;
    float value = most;
    float part;
    if (span > 0)
        ui->card.hue = most == rgb[0]   ? (rgb[1] - rgb[2]) / span / 6
                       : most == rgb[1] ? ((rgb[2] - rgb[0]) / span + 2) / 6
                                        : ((rgb[0] - rgb[1]) / span + 4) / 6;
    float hue = ui->card.hue - floorf(ui->card.hue);
    view_rect row;
    ui_take_row(ui, 10 * em, &row);
    const view_rect square = {row.x + 0.7f * em, row.y, row.width - 4 * em, 9.5f * em};
    const view_rect bar = {square.x + square.width + em, row.y, 1.5f * em, square.height};
    for (int i = 0; i < STEPS; i++) {
        const float at = (float)i / (float)STEPS;
        const float across = at * square.width;
        const float down = at * bar.height;
        view_draw_gradient(
            ui->canvas,
            (view_rect){square.x + across, square.y, square.width / (float)STEPS, square.height},
            color_of(hue, at, 1), 0x000000FF);
        view_draw_rect(ui->canvas,
                       (view_rect){bar.x, bar.y + down, bar.width, bar.height / (float)STEPS},
                       color_of(at, 1, 1));
    }
    view_draw_disc(ui->canvas, square.x + saturation * square.width,
                   square.y + (1 - value) * square.height, 0.5f * em, VIEW_BRIGHT);
    view_draw_rect(ui->canvas, (view_rect){bar.x, bar.y + hue * bar.height, bar.width, 2},
                   VIEW_BRIGHT);
    bool is_set = false;
    if (ui_drag(ui, ui_item(ui, square, "square"), square, &part)) {
        saturation = part;
        value = view_clamp(1 - (ui->mouse.y - square.y) / square.height, 0, 1);
        is_set = true;
    }
    if (ui_drag(ui, ui_item(ui, bar, "hue"), bar, &part)) {
        ui->card.hue = hue = view_clamp((ui->mouse.y - bar.y) / bar.height, 0, 1);
        is_set = true;
    }
    view_color made = color_of(hue, saturation, value);
    ui_take_row(ui, 2 * em, &row);
    row = (view_rect){square.x, row.y, 2 * em, 1.5f * em};
    for (int i = 0; i < NUM_SWATCHES; i++) {
        row.x += i > 0 ? 2.4f * em : 0;
        view_draw_round_rect(ui->canvas, row, 3, swatches[i]);
        char name[8];
        COMMON_TEXT(name, "#%06x", swatches[i] >> 8);
        if (ui_item(ui, row, name)) {
            made = swatches[i];
            is_set = true;
        }
    }
    row.x += 2.4f * em;
    row.width = 6 * em;
    if (ui_button(ui, row, "\xE2\x97\x8E Pick", ui->card.picks_color))
        ui->card.picks_color ^= true;
    ui_tip(ui, "then click in the viewport");
    char now[NUMBER_TEXT], text[3 * NUMBER_TEXT];
    unsigned channels[3] = {0, 0, 0};
    COMMON_TEXT(now, "%.0f,%.0f,%.0f", 255 * rgb[0], 255 * rgb[1], 255 * rgb[2]);
    setting numbers = *s;
    numbers.name = "R G B";
    numbers.high = 255;
    ui_begin_row(ui);
    if (numbers_row(&numbers, 3, now, text)) {
        char *rest = text;
        for (int i = 0; i < 3; i++) {
            channels[i] = (unsigned)strtoul(rest, &rest, 10) & 255;
            rest += *rest == ',';
        }
        made = channels[0] << 24 | channels[1] << 16 | channels[2] << 8;
        is_set = true;
    }
    if (!is_set)
        return;
    ui->held = ui->active.panel != NULL ? ui->active.panel : ui->held;
    COMMON_TEXT(text, "#%06x", (unsigned)(made >> 8));
    ask_for(s, text, 0);
}

// Words side by side.
static bool words_picker(const setting *s)
{
    enum { MOST = 4 };
    view_ui *const ui = s->ui;
    char names[MOST + 1][128], texts[MOST + 1][128];
    const char *words[MOST + 1];
    uint32_t count = 0;
    uint32_t choice = UINT32_MAX;
    float widest = 0;
    for (; count <= MOST && thing_at(s, count, names[count], texts[count]); count++) {
        words[count] = names[count];
        widest = fmaxf(widest, ui_text_width(ui, words[count]) + ui->em);
        if (strcmp(texts[count], s->now) == 0)
            choice = count;
    }
    widest *= (float)count;
    if (count > MOST || widest > ui->space.width)
        return false;
    view_rect rest = name_space(s);
    if (widest > rest.width) { // below the name
        ui_begin_row(s->ui);
        rest = ui->space;
    }
    rest.width = widest;
    if (ui_segment(ui, rest, words, count, &choice))
        ask_for(s, texts[choice], 0);
    return true;
}

// == A row ========================================================================================

bool ui_setting(view_ui *ui, const view_option *option)
{
    view_card *const card = &ui->card;
    const view_command_row *const command = view_command_of(option);
    const int kind = option->kind;
    const bool waits = card->waiting != NULL && card->waits == option;
    const bool had_taken = ui->has_taken;
    char name[64], made[3 * NUMBER_TEXT];
    char *const usual = text_of(option, NULL);
    COMMON_TEXT(name, "%s", command != NULL ? view_label_of(command) : option->name);
    for (char *at = name; command == NULL && *at != '\0'; at++)
        *at = (char)(*at == '-' ? ' ' : at == name ? *at - 'a' + 'A' : *at);
    if (name[strlen(name) - 1] == '\xA6')
        name[strlen(name) - 3] = '\0';
    setting s = {.ui = ui,
                 .stage = ui->stage,
                 .option = option,
                 .name = name,
                 .unit = unit_of(option),
                 .now = waits ? common_copy(card->waiting) : text_of(option, ui->stage->options),
                 .low = option->low,
                 .high = option->high,
                 .usual = strtod(usual, NULL)};
    const bool is_usual = strcmp(s.now, usual) == 0;
    const bool is_yes = strcmp(s.now, "yes") == 0;
    s.color = card->wrong == option ? VIEW_WRONG : is_usual ? VIEW_PLAIN : VIEW_BRIGHT;
    if (kind == VIEW_OPTION_LIGHTS || kind == VIEW_OPTION_PARM) {
        parts_picker(&s);
    } else {
        ui_begin_row(ui);
        const view_rect row = ui->space;
        if (kind <= COMMON_OPPOSITE) {
            if (ui_switch(ui, name, is_yes != (kind == COMMON_OPPOSITE), false, ""))
                ask_for(&s, is_yes ? "no" : "yes", 0);
        } else if (kind >= COMMON_COUNT && kind <= COMMON_POINT && kind != COMMON_COLOR
                   && option->names != VIEW_NAMES_CLIP) {
            if (numbers_row(&s,
                            kind >= COMMON_POINT  ? 3
                            : kind >= COMMON_GRID ? 2
                                                  : 1,
                            s.now, made))
                ask_for(&s, made, card->typing != 0 ? 0.3 : 0);
        } else if (kind > COMMON_CHOICE || !words_picker(&s)) {
            lines_picker(&s);
        }
        if (reset_sign(&s, row, is_usual))
            ask_for(&s, "", 0);
        if (kind == COMMON_COLOR && ui->over == VIEW_OVER_CARD)
            color_picker(&s);
    }
    if (card->wrong == option)
        ui_column_text(ui, VIEW_WRONG, card->problem);
    free(s.now);
    free(usual);
    return ui->has_taken && !had_taken;
}

// == The card =====================================================================================

// The option of a row that is on the card of another: of the same option, or group, "Crowd…/".
static const view_option *option_on_card(const view_command_row *row, const view_command_row *card)
{
    const char *const slash = strchr(card->label, '/');
    const size_t length = slash != NULL ? (size_t)(slash - card->label) : 0;
    const bool is_of_card =
        row == card
        || (length > 0 && row->menu == card->menu && strncmp(row->label, card->label, length) == 0);
    return is_of_card ? view_option_of(row) : NULL;
}

view_command view_pick_for_card(view_ui *ui, const view_stage *stage, int32_t joint,
                                view_color color)
{
    view_card *const card = &ui->card;
    const md5_skeleton *const skeleton = stage->document->scene.skeleton;
    const char *const name = joint >= 0 ? skeleton->joints[joint].name : NULL;
    const char *const attached = stage->options->attach;
    const bool is_open = ui->over == VIEW_OVER_CARD && card->row != NULL;
    for (size_t i = 0; is_open && i < view_num_commands; i++) {
        const view_option *const option = option_on_card(&view_command_rows[i], card->row);
        if (option == NULL)
            continue;
        if (option->kind == COMMON_COLOR && color != 0) {
            card->picks_color = false;
            return view_set_command(option, common_format("#%06x", (unsigned)(color >> 8)));
        }
        if (option->kind == COMMON_PAIR_TEXT && name != NULL && attached != NULL)
            return view_set_command(option, common_format("%s%s", name, strchr(attached, '=')));
        if (option->names == VIEW_NAMES_JOINT && name != NULL)
            return view_set_command(option, common_copy(name));
    }
    return (view_command){.action = VIEW_NOTHING};
}

void view_clear_card(view_card *card)
{
    for (size_t i = 0; card->before != NULL && i < view_num_options; i++)
        free(card->before[i]);
    free(card->before);
    free(card->waiting);
    *card = (view_card){.row = NULL};
}

view_command view_ask(view_ui *ui, const view_stage *stage, size_t option)
{
    view_card *const card = &ui->card;
    const view_option *const asked = &view_option_rows[option];
    if (strcmp(asked->name, "retarget") == 0 && stage->options->retarget == NULL)
        return (view_command){VIEW_FILES, 0, 1 + option, common_copy("\1")};
    view_clear_card(card);
    view_lay_over(ui, VIEW_OVER_CARD);
    card->focused = &view_option_rows[option];
    card->row = view_command_of(card->focused);
    card->before = common_alloc(view_num_options, sizeof *card->before);
    for (size_t i = 0; card->row != NULL && i < view_num_commands; i++) {
        const view_option *const of = option_on_card(&view_command_rows[i], card->row);
        if (of != NULL && card->before[of - view_option_rows] == NULL)
            card->before[of - view_option_rows] = text_of(of, stage->options);
    }
    return (view_command){.action = VIEW_NOTHING};
}

void view_answer_card(view_ui *ui, view_log *log, const view_option *option, bool is_set)
{
    view_card *const card = &ui->card;
    if (ui->over != VIEW_OVER_CARD)
        return;
    if (is_set && card->closes)
        view_lay_over(ui, VIEW_OVER_NOTHING);
    card->wrong = is_set ? NULL : option;
    if (is_set)
        return;
    card->closes = false;
    if (log->error[0] != '\0')
        COMMON_TEXT(card->problem, "%.250s", log->error);
    else if (option->high > option->low)
        COMMON_TEXT(card->problem, "Enter %g to %g", option->low, option->high);
    else
        COMMON_TEXT(card->problem, "Invalid value");
    log->error[0] = '\0';
    ui->notice_end = 0;
}

// Returns the width of the longest name of a number on the card, with its margin.
static float measure_names(const view_ui *ui)
{
    float widest = 0;
    for (size_t i = 0; i < view_num_commands; i++) {
        const view_option *const option = option_on_card(&view_command_rows[i], ui->card.row);
        if (option != NULL && (option->kind == COMMON_COUNT || option->kind == COMMON_FLOAT))
            widest = fmaxf(widest, ui_text_width(ui, view_label_of(view_command_of(option))));
    }
    return widest + 9 * ui->scale;
}

void view_card_panel(view_ui *ui)
{
    const view_stage *const stage = ui->stage;
    static const char *const words[] = {"Reset", "Done"};
    view_card *const card = &ui->card;
    const float em = ui->em;
    const float head = 2 * em;
    const float end = 2.7f * em;
    const view_rect free = view_layout_of(stage).free;
    const bool is_sheet = stage->width < 52 * em;
    if (ui->over != VIEW_OVER_CARD || card->row == NULL)
        return;
    const float high = head + fmaxf(card->length, 3 * em) + end;
    const float gap = 0.85f * em;
    view_rect box = {0, 0, stage->width, fminf(high, 0.6f * stage->height)};
    box.y = stage->height - box.height;
    if (!is_sheet) {
        box.width = fminf(30 * em, free.width - 2 * gap);
        box.height = fminf(high, free.height - 2 * gap);
        box.x = roundf(view_clamp(free.x + free.width - gap - box.width + card->moved[0], 0,
                                  stage->width - box.width));
        box.y = roundf(
            view_clamp(free.y + gap + card->moved[1], ui->window.y, stage->height - box.height));
    }
    view_rect body = box;
    view_rect top = view_cut(&body, VIEW_AT_TOP, head);
    view_rect foot = view_inset(view_cut(&body, VIEW_AT_BOTTOM, end), 0.42f * em);
    ui_popover(ui, box, 6, VIEW_EDGE);
    ui_begin(ui, "card");
    ui_item(ui, box, "");
    const bool is_gripped = ui_item(ui, top, "");
    if (is_gripped) {
        card->grip[0] = ui->mouse.x - card->moved[0];
        card->grip[1] = ui->mouse.y - card->moved[1];
    }
    if (ui_drag(ui, is_gripped, box, &(float){0})) {
        card->moved[0] = ui->mouse.x - card->grip[0];
        card->moved[1] = ui->mouse.y - card->grip[1];
    }
    const bool is_escape = ui_key(ui, VIEW_KEY_ESCAPE);
    char title[64];
    COMMON_TEXT(title, "%s", card->row->label);
    title[strcspn(title, "/\xE2")] = '\0';
    ui_text(ui, box.x + 0.7f * em, box.y + 0.3f * em, 0, VIEW_BRIGHT, title);
    bool is_done = ui_sign(ui, view_cut(&top, VIEW_AT_RIGHT, head), "Close", "\xE2\x9C\x95");
    view_draw_rect(ui->canvas, (view_rect){body.x, body.y, body.width, ui->scale}, VIEW_EDGE);

    ui_column column;
    view_rect space;
    ui_begin_column(ui, &column, body, &ui->scrolls[UI_SCROLL_CARD]);
    const float first = column.y;
    ui_take_row(ui, 0.5f * em, &space);
    card->label_width = measure_names(ui);
    for (size_t i = 0; i < view_num_commands; i++) {
        const view_option *const option = option_on_card(&view_command_rows[i], card->row);
        if (option != NULL)
            ui_setting(ui, option);
    }
    card->label_width = 0;
    card->length = column.y - first + 0.5f * em;
    ui_end_column(ui);
    const int pressed = ui_buttons(ui, &foot, words, 2, 1, true);
    ui_text(ui, foot.x, foot.y + 0.3f * em, fmaxf(foot.width, 1), VIEW_DIM, "Esc cancels");
    // What still waits must be right before the card is closed.
    is_done = is_done || pressed == 1 || ui->mouse.key == VIEW_KEY_RETURN;
    if (pressed == 0 || is_escape) {
        UI_ASK(ui, VIEW_TAKE_BACK, .number = !is_escape);
    } else if (is_done && card->waiting != NULL) {
        ui->command = view_take_waiting(ui, INFINITY);
        card->closes = true;
    } else if (is_done) {
        view_lay_over(ui, VIEW_OVER_NOTHING);
        ui->has_taken = true;
    }
}

// == All of them ==================================================================================

// What is shown, for fingers: the commands of the view and its light that are options.
void view_look_panel(view_ui *ui, view_rect area)
{
    ui_column column;
    ui_begin(ui, "look");
    ui_begin_column(ui, &column, area, &ui->scrolls[VIEW_DOCK_RIGHT]);
    for (size_t i = 0; i < view_num_commands; i++) {
        const view_command_row *const row = &view_command_rows[i];
        const view_option *const option = view_option_of(row);
        if (option != NULL && view_missing_for(ui->stage, row) == 0
            && (row->menu == VIEW_MENU_LIGHT || strncmp(row->label, "Show/", 5) == 0
                || (row->context & (VIEW_ON_MODEL | VIEW_ON_GROUND)) != 0))
            ui_setting(ui, option);
    }
    ui_end_column(ui);
}

static void draw_heading(view_ui *ui, const char *heading)
{
    view_rect rest;
    ui_begin_row(ui);
    ui->label_width = ui->space.width;
    ui_next_row(ui, heading, VIEW_ACCENT, &rest);
}

uint32_t view_current_keys(const view_document *document, view_key_line lines[VIEW_MAX_KEY_LINES])
{
    const char *triggers[VIEW_MAX_TRIGGERS];
    uint32_t count = 0;
    const view_mode mode = view_mode_of(document);
    const view_machine *const machine = &document->scene.machine;
    while (mode == VIEW_MODE_MACHINE && count < VIEW_MAX_TRIGGERS) {
        const int32_t trigger = view_find_trigger(machine, count);
        if (trigger < 0)
            break;
        triggers[count++] = machine->desc->parameters[trigger].name;
    }
    const bool walks = mode == VIEW_MODE_MACHINE
                           ? view_can_walk(machine)
                           : view_mover_of(&document->scene)->take_over != NULL;
    const uint32_t have = view_found_needs(document) | VIEW_NEEDS_ENVIRONMENT;
    return view_list_keys(have, triggers, count, walks, lines);
}

void view_settings_panel(view_ui *ui)
{
    static const char *const done[] = {"Done"};
    const float em = ui->em;
    const bool is_keys = ui->stage->shown->help;
    char *const sought = ui->card.sought;
    view_key_line lines[VIEW_MAX_KEY_LINES];
    view_rect foot;
    if (ui->over != VIEW_OVER_SETTINGS && !is_keys)
        return;
    view_rect area = ui_footed_dialog(ui, "settings", 680, 520,
                                      is_keys ? "Keyboard shortcuts" : "Settings", &foot);
    ui_focus_next(ui);
    ui_field(ui, view_cut(&area, VIEW_AT_TOP, 1.85f * em), "Search", sought,
             sizeof ui->card.sought);
    view_cut(&area, VIEW_AT_TOP, 0.35f * em);
    ui_column column;
    ui_begin_list(ui, &column, area, &ui->scrolls[UI_SCROLL_SETTINGS]);
    for (int is_changed = 1; is_changed >= 0 && !is_keys; is_changed--) {
        const char *heading = is_changed ? "Modified" : NULL;
        for (size_t i = 0; i < view_num_options; i++) {
            const view_option *const option = &view_option_rows[i];
            const view_command_row *const command = view_command_of(option);
            char *const now = text_of(option, ui->stage->options);
            char *const usual = text_of(option, NULL);
            const bool differs = strcmp(now, usual) != 0;
            const bool is_found =
                common_contains(option->name, sought) || common_contains(option->help, sought)
                || (option->tooltip != NULL && common_contains(option->tooltip, sought))
                || (command != NULL && common_contains(command->label, sought));
            free(now);
            free(usual);
            heading = !is_changed && option->heading != NULL ? option->heading : heading;
            if (option->scope == VIEW_SCOPE_JOB || !is_found || differs != is_changed)
                continue;
            if (heading != NULL)
                draw_heading(ui, heading);
            heading = NULL;
            ui_setting(ui, option);
        }
    }
    const uint32_t count = view_current_keys(ui->stage->document, lines);
    for (uint32_t i = 0; i < count; i++) {
        view_rect rest;
        if (!common_contains(lines[i].help, sought) && !common_contains(lines[i].keys, sought))
            continue;
        if (lines[i].heading != NULL)
            draw_heading(ui, lines[i].heading);
        ui_begin_row(ui);
        ui->label_width = 0.5f * ui->space.width;
        ui_next_row(ui, lines[i].help, VIEW_PLAIN, &rest);
        ui_text(ui, rest.x, rest.y + 0.35f * em, rest.width, VIEW_BRIGHT, lines[i].keys);
    }
    ui_end_column(ui);
    if (ui_buttons(ui, &foot, done, 1, 0, true) == 0 || ui_key(ui, VIEW_KEY_RETURN)
        || ui_key(ui, VIEW_KEY_ESCAPE)) {
        sought[0] = '\0';
        view_lay_over(ui, VIEW_OVER_NOTHING);
        if (is_keys)
            ui->command.action = view_toggle_of("keys");
    }
}

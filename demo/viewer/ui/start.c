// The start page next to the animated character: recent files, examples and lessons. Also the cards
// that ask for a decision.
#include "demo/viewer/ui/start.h"

#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

// == Cards ========================================================================================

// A title, a text and a column of buttons, each with a key.
static const struct {
    const char *title;
    const char *text; // NULL: the name of the lost file
    uint32_t num_buttons;
    struct {
        const char *words;
        int32_t key;
        view_action action;
    } buttons[3];
} cards[] = {
    {"The demo is over",
     "You can also drop a model here",
     3,
     {{"Open your own model\xE2\x80\xA6   Enter", VIEW_KEY_RETURN, VIEW_FILES},
      {"Open the lessons   T", 't', VIEW_NEXT_PAGE},
      {"Keep playing   Esc", VIEW_KEY_ESCAPE, VIEW_HANDLED}}},
    {"Crash while opening",
     NULL,
     2,
     {{"Try again   Enter", VIEW_KEY_RETURN, VIEW_TRY_AGAIN},
      {"Skip   Esc", VIEW_KEY_ESCAPE, VIEW_HANDLED}}},
    {"Unfinished recording found",
     NULL,
     2,
     {{"Keep file   Enter", VIEW_KEY_RETURN, VIEW_KEEP_MOVIE},
      {"Delete file   Del", VIEW_KEY_DELETE, VIEW_DELETE_MOVIE}}},
};

bool view_needs_decision(const view_decision *decision)
{
    return decision->file[0] != '\0' || decision->demo_end < 0;
}

void view_decision_panel(view_ui *ui, view_decision *decision)
{
    const float scale = ui->scale;
    const float line = ui->line;
    const uint32_t number = decision->file[0] == '\0' ? 0 : 1 + decision->is_movie;
    char text[128];
    if (!view_needs_decision(decision))
        return;
    COMMON_TEXT(text, "%s", common_base(decision->file));
    if (decision->is_movie)
        common_append(text, sizeof text, ", ", "%u:%02u", (unsigned)decision->movie_seconds / 60,
                      (unsigned)decision->movie_seconds % 60);
    view_rect row =
        ui_dialog(ui, VIEW_DECISION_PANEL, 280 * scale,
                  (float)cards[number].num_buttons * 36 * scale + 2.6f * line, cards[number].title);
    row.height = 30 * scale;
    for (uint32_t i = 0; i < cards[number].num_buttons; i++) {
        if (ui_button(ui, row, cards[number].buttons[i].words, i == 0)
            || ui_key(ui, cards[number].buttons[i].key))
            ui->command.action = cards[number].buttons[i].action;
        row.y += 36 * scale;
    }
    ui_text(ui, row.x, row.y, row.width, VIEW_DIM,
            cards[number].text != NULL ? cards[number].text : text);
    if (ui->mouse.is_pressed || ui->command.action != VIEW_NOTHING || ui_key(ui, VIEW_KEY_ESCAPE)) {
        decision->demo_end = 0;
        if (ui->command.action != VIEW_KEEP_MOVIE && ui->command.action != VIEW_DELETE_MOVIE)
            decision->file[0] = '\0';
    }
}

// == The page =====================================================================================

void view_clear_start(view_ui *ui, view_start *start)
{
    common_free_list(&start->recent);
    common_free_list(&start->examples);
    common_free_list(&start->pages);
    *start = (view_start){.is_open = false};
    if (ui->over == VIEW_OVERLAY_START)
        ui->over = VIEW_OVERLAY_NONE;
}

view_rect view_start_box(const view_stage *stage)
{
    const float scale = stage->font->scale;
    const float width = stage->width >= 760 * scale
                            ? roundf(fminf(0.48f * stage->width, 720 * scale))
                            : stage->width;
    const float top = view_current_layout(stage).menu.height;
    return (view_rect){stage->width - width, top, width, stage->height - top};
}

// Displays a recently opened file and the button that removes it from the list.
static void run_recent(view_ui *ui, const view_start *start, view_rect row, size_t number)
{
    const char *const path = start->recent.names[number];
    const char *const name = common_base(path);
    const bool is_missing = (start->missing >> number & 1) != 0;
    const view_rect rest = {row.x, row.y, row.width - row.height, row.height};
    const view_rect cross = {rest.x + rest.width, row.y, row.height, row.height};
    const bool has_preview = !is_missing && strstr(path, "::") == NULL && !view_is_converted(path);
    const view_thumbnail *const picture = has_preview ? ui_thumbnail(ui, path, false) : NULL;
    char *const folder = common_folder(path);
    char *const label = common_format("remove %s", name);
    char *const location = common_format("%s%s", is_missing ? "missing" VIEW_DOT : "", folder);
    view_command command = {.action = VIEW_NOTHING};
    if (ui_content_tile(
            ui, rest,
            &(ui_tile_content){.label = name,
                               .name = name,
                               .text = location,
                               .picture = picture,
                               .is_selected = number == 0 && !is_missing, // Enter opens it
                               .is_wrong = picture != NULL && picture->is_wrong,
                               .is_grey = is_missing}))
        command.action = VIEW_OPEN_FILE;
    if (ui_sign(ui, cross, label, "\xC3\x97"))
        command.action = VIEW_FORGET_RECENT;
    if (command.action != VIEW_NOTHING) {
        command.path = common_copy(path);
        ui->command = command;
    }
    free(location);
    free(label);
    free(folder);
}

// A heading, and below it the items as tiles of at least `min_width` pixels. If there are no items,
// only the text `instead`. Examples are high enough for their images.
static void run_section(view_ui *ui, const view_start *start, const char *title,
                        const common_list *items, float min_width, float height, view_action action,
                        const char *instead)
{
    ui_grid grid = {0};
    view_rect row;
    if (ui_reserve_row(ui, 2.1f * ui->em, &row))
        ui_text(ui, row.x, row.y + 0.4f * ui->em, row.width, VIEW_DIM,
                items->count > 0 ? title : instead);
    for (size_t i = 0; i < items->count; i++) {
        ui_next_tile(ui, &grid, min_width, height, &row);
        const char *const name = items->names[i];
        const bool is_file = action == VIEW_OPEN_FILE;
        char *const label = is_file ? common_stem(name) : common_copy(name);
        if (items == &start->recent)
            run_recent(ui, start, row, i);
        else if (ui_content_tile(
                     ui, row,
                     &(ui_tile_content){.label = label,
                                        .name = label,
                                        .text = "",
                                        .is_link = !is_file,
                                        .picture = is_file ? ui_thumbnail(ui, name, false) : NULL}))
            ui->command = (view_command){
                .action = action, .number = i, .path = is_file ? common_copy(name) : NULL};
        free(label);
    }
}

void view_start_panel(view_ui *ui, const view_start *start)
{
    static const char *const hint = "Click the character to interact";
    static const char *const words[] = {"Folder or game\xE2\x80\xA6", "Shortcuts F1"};
    const view_action actions[] = {VIEW_FILES, VIEW_OPEN_FOLDER,
                                   view_get_toggle(VIEW_OPTION(shown.help))};
    view_canvas *const canvas = ui->stage->canvas;
    const view_font *const font = ui->stage->font;
    const float scale = ui->scale;
    const float gap = 8 * scale;
    const view_rect box = view_start_box(ui->stage);
    const float padding = (box.width > 460 * scale ? 25 : VIEW_PADDING) * scale;
    view_draw_rect(canvas, box, VIEW_DOCK);
    ui_begin(ui, "start");
    ui_item(ui, box, "");
    view_rect part = view_inset(box, padding);
    part.height += 0.5f * padding;
    view_rect head = view_cut(&part, VIEW_AT_TOP, font->line[VIEW_TITLE]);
    view_cut(&part, VIEW_AT_TOP, gap);
    view_draw_text(canvas, VIEW_TITLE, head.x, head.y, head.width, VIEW_BRIGHT, "md5view");
    if (ui_button(ui, view_cut(&head, VIEW_AT_RIGHT, head.height), "\xC3\x97",
                  false)) // closes the start page
        ui->command.action = VIEW_START_PAGE;
    if (box.x > 0 && ui_text_width(ui, hint) < 0.6f * head.width)
        ui_text_left_of(ui, head.x + head.width - gap, ui_text_top(ui, head), VIEW_DIM, hint);
    int pressed = ui_button(ui, view_cut(&part, VIEW_AT_TOP, 36 * scale),
                            "Open your own model\xE2\x80\xA6   Ctrl+O", true)
                      ? 0
                      : -1;
    view_cut(&part, VIEW_AT_TOP, gap);
    view_rect row = view_cut(&part, VIEW_AT_TOP, 30 * scale);
    const int other = ui_buttons(ui, &row, words, 2, -1, false);
    pressed = other >= 0 ? 1 + other : pressed;
    view_cut(&part, VIEW_AT_TOP, gap);

    ui_column column;
    ui_begin_list(ui, &column, part, &ui->scrolls[UI_SCROLL_START]);
    ui_column_text(ui, VIEW_PLAIN,
                   "Or drop a model, clip, machine, camera, texture, folder or archive here");
    run_section(ui, start, "Recent", &start->recent, 0.6f * part.width, 38 * scale, VIEW_OPEN_FILE,
                "Recent files appear here");
    run_section(ui, start, "Examples", &start->examples, 7.5f * ui->em, 8.5f * ui->em,
                VIEW_OPEN_FILE, "The example models are not installed");
    run_section(ui, start, "Interactive lessons", &start->pages, 16 * ui->em, 2.1f * ui->em,
                VIEW_OPEN_PAGE, "");
    ui_end_column(ui);
    if (pressed >= 0)
        ui->command.action = actions[pressed];
    if (ui->over != VIEW_OVERLAY_START) // the overlay over the page receives the keys
        return;
    const bool is_return = pressed < 0 && ui_key(ui, VIEW_KEY_RETURN);
    const bool has_recent = start->recent.count > 0 && (start->missing & 1) == 0;
    if (is_return && has_recent)
        UI_COMMAND(ui, VIEW_OPEN_FILE, .path = common_copy(start->recent.names[0]));
    else if (is_return)
        ui->command.action = actions[0];
    if (ui_key(ui, VIEW_KEY_ESCAPE))
        ui->command.action = VIEW_CLOSE_LISTS;
}

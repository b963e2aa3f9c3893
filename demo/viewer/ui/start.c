// The start page, which is next to the animated character. It offers recent files, examples and
// lessons. This file also contains the cards, which are small dialogs that ask for a decision.
#include "demo/viewer/ui/start.h"

#include "demo/viewer/ui/ui_tile.h"
#include "demo/viewer/ui/window_layout.h"

// == Cards ========================================================================================

// Indices of the cards.
enum { CARD_DEMO_END, CARD_CRASH, CARD_RECORDING };

// The cards. Each has a title, a text, and a column of buttons with their keys.
static const struct {
    const char *title;
    const char *text;       // NULL: the name of view_decision.file
    const char *touch_text; // on a touch screen, where nothing can be dropped; NULL: as `text`
    uint32_t num_buttons;
    struct {
        const char *label;
        const char *touch_label; // on a touch screen, without the key
        int32_t key;
        view_action action;
    } buttons[3];
} cards[] = {
    {"The demo is over",
     "You can also drop a model here",
     "",
     3,
     {{"Open your own model\xE2\x80\xA6   Enter", "Open your own model\xE2\x80\xA6",
       VIEW_KEY_RETURN, VIEW_FILES},
      {"Open the lessons   T", "Open the lessons", 't', VIEW_NEXT_PAGE},
      {"Keep playing   Esc", "Keep playing", VIEW_KEY_ESCAPE, VIEW_HANDLED}}},
    {"Crash while opening",
     NULL,
     NULL,
     2,
     {{"Try again   Enter", "Try again", VIEW_KEY_RETURN, VIEW_TRY_AGAIN},
      {"Skip   Esc", "Skip", VIEW_KEY_ESCAPE, VIEW_HANDLED}}},
    {"Unfinished recording found",
     NULL,
     NULL,
     2,
     {{"Keep file   Enter", "Keep file", VIEW_KEY_RETURN, VIEW_KEEP_MOVIE},
      {"Delete file   Del", "Delete file", VIEW_KEY_DELETE, VIEW_DELETE_MOVIE}}},
};

bool view_needs_decision(const view_decision *decision)
{
    return decision->file[0] != '\0' || decision->demo_end < 0;
}

// Closes the card. The commands that keep or delete an unfinished recording need its path, so the
// path remains. After any other choice, it is removed.
static void close_decision(const view_ui *ui, view_decision *decision)
{
    const view_action action = ui->command.action;
    decision->demo_end = 0;
    if (action != VIEW_KEEP_MOVIE && action != VIEW_DELETE_MOVIE)
        decision->file[0] = '\0';
}

// Writes the name of the file that a card is about. For an unfinished recording, also writes its
// length.
static void describe_decision_file(const view_decision *decision, char *text, size_t size)
{
    snprintf(text, size, "%s", common_base(decision->file));
    if (!decision->is_movie)
        return;
    const unsigned seconds = (unsigned)decision->movie_seconds;
    common_append(text, size, ", ", "%u:%02u", seconds / 60, seconds % 60);
}

// Returns the index of the open card.
static uint32_t open_card(const view_decision *decision)
{
    if (decision->file[0] == '\0')
        return CARD_DEMO_END;
    return decision->is_movie ? CARD_RECORDING : CARD_CRASH;
}

// Returns the text below the buttons of a card. It may be empty. `file` is the memory for a file
// name.
static const char *card_text(const view_decision *decision, uint32_t card, bool is_touch,
                             char *file, size_t size)
{
    if (is_touch && cards[card].touch_text != NULL)
        return cards[card].touch_text;
    if (cards[card].text != NULL)
        return cards[card].text;
    describe_decision_file(decision, file, size);
    return file;
}

// Draws the open card and handles its input. Any press closes it, including a press outside of
// its buttons.
void view_decision_panel(view_ui *ui, view_decision *decision)
{
    if (!view_needs_decision(decision))
        return;
    const float button_height = 30 * ui->scale;
    const float button_step = 36 * ui->scale;
    const uint32_t card = open_card(decision);
    const uint32_t num_buttons = cards[card].num_buttons;
    // A phone usually has no keyboard, even if its screen has not been touched yet.
    const bool is_touch = ui->is_touched || view_current_layout(ui->stage).is_phone;
    char file[128];
    const char *const text = card_text(decision, card, is_touch, file, sizeof file);
    const float num_lines = text[0] != '\0' ? 2.6f : 1.6f; // with the title
    const float height = (float)num_buttons * button_step + num_lines * ui->line;
    view_rect row = ui_dialog(ui, VIEW_DECISION_PANEL, 280 * ui->scale, height, cards[card].title);
    row.height = button_height;
    for (uint32_t i = 0; i < num_buttons; i++) {
        const char *const label =
            is_touch ? cards[card].buttons[i].touch_label : cards[card].buttons[i].label;
        const bool is_button_pressed = ui_button(ui, row, label, i == 0);
        if (is_button_pressed || ui_key(ui, cards[card].buttons[i].key))
            UI_COMMAND(ui, cards[card].buttons[i].action);
        row.y += button_step;
    }

    ui_text(ui, row.x, row.y, row.width, VIEW_DIM, text);

    const bool is_decided = ui->command.action != VIEW_NOTHING;
    if (ui->mouse.is_pressed || is_decided || ui_key(ui, VIEW_KEY_ESCAPE))
        close_decision(ui, decision);
}

// == The page =====================================================================================

static const float start_gap = 8; // distance between two parts of the page, layout units

// Closes the start page and frees its lists. Also closes the overlay of the start page, unless
// another overlay has replaced it.
void view_clear_start(view_ui *ui, view_start *start)
{
    common_free_list(&start->recent);
    common_free_list(&start->examples);
    common_free_list(&start->pages);
    *start = (view_start){.is_open = false};
    if (ui->over == VIEW_OVERLAY_START)
        ui->over = VIEW_OVERLAY_NONE;
}

// Returns the rectangle of the start page, in pixels. The page is at the right, below the menu
// bar. A narrow window has no space for a character next to it, so the page covers the whole
// width.
view_rect view_start_box(const view_stage *stage)
{
    const float scale = stage->font->scale;
    const float top = view_current_layout(stage).menu.height;
    float width = stage->width;
    if (stage->width >= 760 * scale) // next to the character
        width = roundf(fminf(0.48f * stage->width, 720 * scale));
    return (view_rect){stage->width - width, top, width, stage->height - top};
}

// Draws the row of a recent file and handles its input. It consists of a tile that opens the
// file and a button that removes it from the list. A path that contains "::" is an item of a
// game.
static void run_recent(view_ui *ui, const view_start *start, view_rect row, size_t index)
{
    const char *const path = start->recent.names[index];
    const char *const name = common_base(path);
    const bool is_missing = (start->missing >> index & 1) != 0;
    const bool is_in_game = strstr(path, "::") != NULL;
    const bool has_preview = !is_missing && !is_in_game && !view_is_converted(path);
    const view_thumbnail *const preview = has_preview ? ui_thumbnail(ui, path, false) : NULL;
    const bool is_opened_by_enter = index == 0 && !is_missing;
    char *const folder = common_folder(path);
    char *const location = common_format("%s%s", is_missing ? "missing" VIEW_DOT : "", folder);
    const ui_tile_content content = {.label = name,
                                     .name = name,
                                     .text = location,
                                     .picture = preview,
                                     .is_selected = is_opened_by_enter,
                                     .is_wrong = preview != NULL && preview->is_wrong,
                                     .is_gray = is_missing};

    const view_rect tile = {row.x, row.y, row.width - row.height, row.height};
    const view_rect cross = {tile.x + tile.width, row.y, row.height, row.height};
    char *const remove_label = common_format("remove %s", name);
    if (ui_content_tile(ui, tile, &content))
        UI_COMMAND(ui, VIEW_OPEN_FILE, .path = common_copy(path));
    if (ui_sign(ui, cross, remove_label, "\xC3\x97"))
        UI_COMMAND(ui, VIEW_REMOVE_RECENT, .path = common_copy(path));
    free(remove_label);
    free(location);
    free(folder);
}

// Draws the tile of an example or a lesson and handles its input. `name` is the path of the
// example or the title of the lesson. A press requests `action`, which opens it.
static void run_start_tile(view_ui *ui, const char *name, size_t number, view_rect box,
                           view_action action)
{
    const bool is_file = action == VIEW_OPEN_FILE;
    char *const label = is_file ? common_stem(name) : common_copy(name);
    const ui_tile_content content = {.label = label,
                                     .name = label,
                                     .text = "",
                                     .is_link = !is_file,
                                     .picture = is_file ? ui_thumbnail(ui, name, false) : NULL};
    if (ui_content_tile(ui, box, &content))
        UI_COMMAND(ui, action, .number = number, .path = is_file ? common_copy(name) : NULL);
    free(label);
}

// Draws a section of the page: a heading and, below it, the items as tiles. Also handles its
// input. A tile is `height` pixels high and at least `min_width` pixels wide. If there are no
// items, the heading is the text `instead`.
static void run_section(view_ui *ui, const view_start *start, const char *title,
                        const common_list *items, float min_width, float height, view_action action,
                        const char *instead)
{
    view_rect row;
    if (ui_reserve_row(ui, 2.1f * ui->em, &row))
        ui_text(ui, row.x, row.y + 0.4f * ui->em, row.width, VIEW_DIM,
                items->count > 0 ? title : instead);

    ui_grid grid = {0};
    for (size_t i = 0; i < items->count; i++) {
        view_rect box;
        ui_next_tile(ui, &grid, min_width, height, &box);
        if (items == &start->recent)
            run_recent(ui, start, box, i);
        else
            run_start_tile(ui, items->names[i], i, box, action);
    }
}

// Draws the header of the page: the title and the button that closes the page. Also handles its
// input. If the character is displayed next to the page, a hint explains that it can be clicked.
static void run_start_header(view_ui *ui, view_rect header, bool has_character)
{
    static const char *const hint = "Click the character to interact";
    view_draw_text(ui->canvas, VIEW_TITLE, header.x, header.y, header.width, VIEW_BRIGHT,
                   "md5view");
    if (ui_button(ui, view_cut(&header, VIEW_AT_RIGHT, header.height), "\xC3\x97", false))
        UI_COMMAND(ui, VIEW_START_PAGE); // closes the page
    if (has_character && ui_text_width(ui, hint) < 0.6f * header.width)
        ui_right_aligned_text(ui, header.x + header.width - start_gap * ui->scale,
                              ui_text_top(ui, header), VIEW_DIM, hint);
}

// Draws the buttons that open a model, open a folder or game, and list the shortcuts. Also
// handles their input. They are at the top of `part`, and their space is removed from `part`.
// Returns the action of the pressed button, or VIEW_NOTHING.
static view_action run_start_buttons(view_ui *ui, view_rect *part)
{
    static const char *const labels[] = {"Folder or game\xE2\x80\xA6", "Shortcuts F1"};
    const view_action actions[] = {VIEW_OPEN_FOLDER, view_get_toggle(VIEW_OPTION(shown.help))};
    const float gap = start_gap * ui->scale;
    const view_rect open_button = view_cut(part, VIEW_AT_TOP, 36 * ui->scale);
    const bool opens_model =
        ui_button(ui, open_button, "Open your own model\xE2\x80\xA6   Ctrl+O", true);
    view_cut(part, VIEW_AT_TOP, gap);

    view_rect row = view_cut(part, VIEW_AT_TOP, 30 * ui->scale);
    const int pressed = ui_left_buttons(ui, &row, labels, COMMON_LENGTH(actions), -1);
    view_cut(part, VIEW_AT_TOP, gap);
    if (pressed >= 0)
        return actions[pressed];
    return opens_model ? VIEW_FILES : VIEW_NOTHING;
}

// Lists the recent files, the examples and the lessons.
static void list_start_sections(view_ui *ui, const view_start *start, view_rect area)
{
    ui_column column;
    ui_begin_list(ui, &column, area, &ui->scrolls[UI_SCROLL_START]);
    ui_column_text(ui, VIEW_PLAIN,
                   "Or drop a model, clip, machine, camera, texture, folder or archive here");
    run_section(ui, start, "Recent", &start->recent, 0.6f * area.width, 38 * ui->scale,
                VIEW_OPEN_FILE, "Recent files appear here");
    run_section(ui, start, "Examples", &start->examples, 7.5f * ui->em, 8.5f * ui->em,
                VIEW_OPEN_FILE, "The example models are not installed");
    run_section(ui, start, "Interactive lessons", &start->pages, 16 * ui->em, 2.1f * ui->em,
                VIEW_OPEN_PAGE, "");
    ui_end_column(ui);
}

// Handles the keys of the page. Enter opens the first recent file. If there is none, it opens the
// list of files. Escape closes the page.
static void run_start_keys(view_ui *ui, const view_start *start)
{
    const bool has_recent = start->recent.count > 0 && (start->missing & 1) == 0;
    if (ui_key(ui, VIEW_KEY_RETURN)) {
        if (has_recent)
            UI_COMMAND(ui, VIEW_OPEN_FILE, .path = common_copy(start->recent.names[0]));
        else
            UI_COMMAND(ui, VIEW_FILES);
    }
    if (ui_key(ui, VIEW_KEY_ESCAPE))
        UI_COMMAND(ui, VIEW_CLOSE_LISTS);
}

// Draws the start page and handles its input: a header, buttons, and sections with recent files,
// examples and lessons.
void view_start_panel(view_ui *ui, const view_start *start)
{
    const float scale = ui->scale;
    const view_rect box = view_start_box(ui->stage);
    const float padding = (box.width > 460 * scale ? 25 : VIEW_PADDING) * scale;
    view_draw_rect(ui->canvas, box, VIEW_DOCK);
    ui_begin(ui, "start");
    ui_item(ui, box, "");

    view_rect part = view_inset(box, padding);
    part.height += 0.5f * padding;
    const float title_height = ui->stage->font->line[VIEW_TITLE];
    const view_rect header = view_cut(&part, VIEW_AT_TOP, title_height);
    const bool has_character = box.x > 0; // next to the page
    view_cut(&part, VIEW_AT_TOP, start_gap * scale);
    run_start_header(ui, header, has_character);
    const view_action pressed = run_start_buttons(ui, &part);
    list_start_sections(ui, start, part);

    if (pressed != VIEW_NOTHING)
        UI_COMMAND(ui, pressed);
    if (ui->over == VIEW_OVERLAY_START) // otherwise the overlay over the page receives the keys
        run_start_keys(ui, start);
}

// Passes each event to the handler of its kind, and handles the keyboard and dropped files.
// The interface is all panels together.
#include "demo/viewer/app/window.h"
#include "demo/viewer/app/mouse.h"
#include "demo/viewer/jobs/stage.h"

// Returns true if a key belongs to the buttons of an open list and not to the list itself. Such a
// key moves the keyboard focus to the buttons or presses the focused button.
static bool leads_to_buttons(const view_ui *ui, const ui_mouse *event)
{
    if (ui->focus.is_shown)
        return event->key == VIEW_KEY_TAB || event->key == VIEW_KEY_RETURN;
    return event->key == VIEW_KEY_TAB && event->shift;
}

// Passes a key or a typed text to the interface: fields, menus, dialogs and lists. Returns true if
// the interface has used it. The caller must not execute its shortcut then.
static bool type(view_state *viewer, const ui_mouse *event)
{
    const bool is_list_open =
        viewer->panels.browser.kind != VIEW_BROWSE_NOTHING && viewer->ui.modal == NULL;

    // An open list receives all keys except those for its buttons.
    if (is_list_open && !leads_to_buttons(&viewer->ui, event)) {
        viewer->ui.focus.is_shown = false;
        const int32_t key = event->key | (event->control ? VIEW_WITH_CTRL : 0);
        const bool is_list_key = key != 0 && !event->alt;
        if (is_list_key && view_execute(viewer, view_key_browser(&viewer->panels.browser, key)))
            return true;
    }

    const view_stage stage = view_current_stage(viewer);
    ui_mouse event_at_mouse = *event;
    event_at_mouse.x = viewer->ui.mouse.x;
    event_at_mouse.y = viewer->ui.mouse.y;
    if (view_execute(viewer, view_run_ui(&viewer->ui, &viewer->panels, &stage, &event_at_mouse)))
        return true;

    // Typed letters filter an open list. They must not execute shortcuts at the same time.
    const bool is_letter = event->key < VIEW_KEY_NAMED && !event->control;
    return is_list_open && is_letter;
}

// Executes the command of a shortcut. If the command is not available now, shows a notice with the
// reason.
static void run_shortcut(view_state *viewer, const view_menu_entry *entry)
{
    const view_stage stage = view_current_stage(viewer);
    const uint32_t missing = view_missing_needs(&stage, entry);
    if (missing != 0) {
        view_notice(viewer, "%s: %s", view_get_label(entry), view_reason(missing));
        view_log_state(viewer, "unused");
        return;
    }
    const view_option *const option = view_get_option(entry);
    const size_t number = option != NULL ? view_option_index(option) : 0;
    view_execute(viewer, (view_command){.action = view_get_action(entry), .number = number});
}

// Returns the code of a pressed key with the flags of its modifiers.
static int32_t key_with_modifiers(const view_input *event)
{
    int32_t key = event->key;
    if (event->shift)
        key |= VIEW_WITH_SHIFT;
    if (event->control)
        key |= VIEW_WITH_CTRL;
    return key;
}

// Passes a pressed key to the controlled character. Returns false if the key does not control the
// character.
static bool press_control_key(view_state *viewer, const view_input *event)
{
    if (!view_controls_character(viewer) || event->control || event->alt)
        return false;
    const view_menu_entry *const entry = view_find_control(key_with_modifiers(event));
    if (entry == NULL)
        return false;
    view_control_character(viewer, entry, true);
    return true;
}

// Handles a pressed key. The first of the following uses it: the text field or focused item, the
// controlled character, the shortcuts.
static void press_key(view_state *viewer, const view_input *event)
{
    const int32_t key = event->key;
    viewer->input.is_only_alt_down = key == VIEW_KEY_LEFT_ALT;
    viewer->input.ignores_text = viewer->input.ignores_text && event->is_repeated;

    // F6 moves the focus to another panel. If a character is controlled, F6 fires a trigger
    // instead.
    const bool is_trigger = key == VIEW_KEY_F(6) && view_controls_character(viewer);
    const ui_mouse key_event = {
        .key = key, .shift = event->shift, .control = event->control, .alt = event->alt};
    if (!is_trigger && type(viewer, &key_event))
        return;
    // A modal dialog ignores keys other than function keys and keys with Ctrl.
    const bool is_function_key = key >= VIEW_KEY_F(1) && key <= VIEW_KEY_F(12);
    if (viewer->ui.modal != NULL && !event->control && !is_function_key)
        return;
    if (press_control_key(viewer, event))
        return;

    const view_menu_entry *const shortcut =
        event->alt ? NULL : view_find_shortcut(key_with_modifiers(event));
    if (shortcut != NULL) {
        viewer->input.ignores_text = true;
        run_shortcut(viewer, shortcut);
    } else if (key == VIEW_KEY_F(10) && !event->is_repeated) {
        view_execute(viewer, (view_command){.action = VIEW_MENUS});
    }
}

// Returns true if a file is dropped on the model and not on a panel. (x, y) is the pixel of the
// drop and `pick` is the point of the model at this pixel.
static bool is_over_body(const view_state *viewer, const view_stage *stage, const view_pick *pick,
                         float x, float y)
{
    if (!pick->is_set || stage->pages != NULL || viewer->ui.over != VIEW_OVERLAY_NONE)
        return false;
    return view_contains(view_current_layout(stage).free, x, y);
}

// Opens a dropped file. The position of the drop determines its use. An image on a mesh, or on a
// texture tile of the inspector, becomes a texture map of this mesh. If a single model is dropped
// on the open model, a dialog asks the user what to do with it. All other files are opened.
static void drop_file(view_state *viewer, const view_input *event)
{
    const float x = event->x;
    const float y = event->y;
    char *const path = event->path;
    const view_stage stage = view_current_stage(viewer);
    const view_pick pick = view_find_pick_at(viewer, x, y);
    const bool is_on_body = is_over_body(viewer, &stage, &pick, x, y);

    // Run the interface, so that it determines the texture tile at this pixel. The result is 1 +
    // md5gl_image_kind, or 0 if there is no tile.
    view_run_ui(&viewer->ui, &viewer->panels, &stage,
                &(ui_mouse){.x = x, .y = y, .is_moved = true});
    const uint32_t hovered_map = viewer->panels.textures.hovered;

    const bool is_image = view_is_image(path);
    const bool is_model = common_has_suffix(path, ".md5mesh");
    view_command command = {.action = VIEW_OPEN_FILE, .path = path};
    if (is_image && hovered_map > 0) {
        command.action = VIEW_ASSIGN_TEXTURE;
        command.number = (size_t)viewer->ui.selection.mesh;
        command.item = hovered_map - 1;
    } else if (is_image && is_on_body) {
        command.action = VIEW_ASSIGN_TEXTURE;
        command.number = pick.mesh;
        command.item = view_guess_map(path);
    } else if (is_model && is_on_body && event->is_only_file) {
        command.action = VIEW_FILES;
    }
    view_run_file_command(viewer, &command);
}

// Returns true if an event is a deliberate action of the user: a key, a press, the wheel, or a
// drop. Movements may be accidental, and a drop without a path is ignored.
static bool is_intended(const view_input *event)
{
    switch (event->kind) {
    case VIEW_INPUT_KEY_DOWN:
    case VIEW_INPUT_PRESS:
    case VIEW_INPUT_WHEEL:
        return true;
    case VIEW_INPUT_DROP:
        return event->path[0] != '\0';
    default:
        return false;
    }
}

// Returns true if an event of this kind always requires a new image.
static bool changes_image(view_input_kind kind)
{
    return kind == VIEW_INPUT_RELEASE || kind == VIEW_INPUT_WINDOW || kind == VIEW_INPUT_RESIZE;
}

// Returns a copy of the event with positions in pixels of the image. The operating system sends
// positions in points, which may consist of several pixels.
static view_input scale_event(const view_input *event, float scale)
{
    view_input scaled = *event;
    scaled.x *= scale;
    scaled.y *= scale;
    scaled.moved_x *= scale;
    scaled.moved_y *= scale;
    return scaled;
}

// Handles a released key. A released control key always stops the movement of the character, even
// if the mode has changed since it was pressed; otherwise the character would not stop. Pressing
// and releasing only Alt opens the menus, as in other programs.
static void release_key(view_state *viewer, const view_input *event)
{
    viewer->input.ignores_text = false;
    const view_menu_entry *const control = view_find_control(event->key);
    if (control != NULL)
        view_control_character(viewer, control, false);

    const bool is_only_alt = event->key == VIEW_KEY_LEFT_ALT && viewer->input.is_only_alt_down;
    if (is_only_alt && !event->is_forced)
        view_execute(viewer, (view_command){.action = VIEW_MENUS});
}

// Handles an event of the web page that contains the viewer: the page sets an option. Returns true
// if the image must be drawn again.
static bool set_sent_option(view_state *viewer, const view_input *event)
{
    const view_option *const option = view_find_option(event->text, strlen(event->text));
    const bool is_set =
        option != NULL && view_set_option(viewer, option, common_text_value(event->path));
    free(event->path);
    return is_set;
}

// Handles an action of the user while the demo scene is playing by itself. Postpones the end of the
// demo, and gives the user the control of the character.
static void interrupt_demo(view_state *viewer, bool is_touch)
{
    const double more_seconds = 20;
    double *const demo_end = &viewer->panels.decision.demo_end;
    if (*demo_end > 0)
        *demo_end = viewer->uptime + more_seconds;
    if (!view_current_stage(viewer).plays_demo)
        return;

    view_stop_acting(&viewer->document->scene.machine);
    if (is_touch)
        view_notice(viewer, "You now control Bobbin" VIEW_DOT "drag the stick to move");
    else
        view_notice(viewer, "You now control Bobbin" VIEW_DOT "Ctrl+Home: start page" VIEW_DOT
                            "F1: shortcuts");
}

// Passes an event to the handler of its kind. Returns true if the image must be drawn again. For
// kinds for which changes_image() returns true, the result is not used.
static bool dispatch_event(view_state *viewer, const view_input *event)
{
    switch (event->kind) {
    case VIEW_INPUT_QUIT:
        viewer->input.quits = true;
        break;
    case VIEW_INPUT_KEY_DOWN:
        press_key(viewer, event);
        break;
    case VIEW_INPUT_KEY_UP:
        release_key(viewer, event);
        break;
    case VIEW_INPUT_TEXT:
        return !viewer->input.ignores_text && type(viewer, &(ui_mouse){.text = event->text});
    case VIEW_INPUT_PRESS:
        view_press_button(viewer, event);
        break;
    case VIEW_INPUT_RELEASE:
        view_release_button(viewer, event);
        break;
    case VIEW_INPUT_MOVE:
        return view_move_pointer(viewer, event);
    case VIEW_INPUT_WHEEL:
        view_scroll_wheel(viewer, event);
        break;
    case VIEW_INPUT_DROP:
        drop_file(viewer, event);
        free(event->path);
        view_log_state(viewer, "drop");
        break;
    case VIEW_INPUT_SET:
        return set_sent_option(viewer, event);
    case VIEW_INPUT_RESIZE:
        view_log_state(viewer, "resize");
        break;
    case VIEW_INPUT_WINDOW:
    case VIEW_INPUT_OTHER:
        break;
    }
    return false;
}

// Handles an event, and stores its effect as a step of the undo history. `in_points` is the event
// with its position in points of the operating system. Sets `redraw` to true if the image changes.
// Frees the path of the event.
void view_handle_event(view_state *viewer, const view_input *in_points, bool *redraw)
{
    const view_input event = scale_event(in_points, view_mouse_scale(viewer));
    const view_input_kind kind = event.kind;
    // A drag may last for a long time without a new press.
    const bool is_held = viewer->input.drag != VIEW_DRAG_NONE;
    if (is_intended(&event) || is_held) {
        *redraw = true;
        interrupt_demo(viewer, event.is_touch);
    }
    *redraw |= changes_image(kind);
    if (viewer->undo.num_steps == 0)
        view_store_step(viewer); // the state before the first event

    *redraw |= dispatch_event(viewer, &event);

    // Successive keys are merged into one undo step, and so are successive turns of the wheel. All
    // events of a drag, and all changes of a card, are also one step.
    viewer->undo.merges_steps = kind == VIEW_INPUT_KEY_DOWN || kind == VIEW_INPUT_WHEEL;
    const bool is_card_open = viewer->ui.over == VIEW_OVERLAY_CARD;
    const bool is_dragging = viewer->ui.held != NULL || kind == VIEW_INPUT_MOVE;
    if (!is_card_open && !is_dragging)
        view_store_step(viewer);
}

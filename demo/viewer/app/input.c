// From SDL's events to actions, and the mouse.
#include "demo/viewer/app/window.h"

#include "demo/viewer/app/actions.h"
#include "demo/viewer/app/drive.h"
#include "demo/viewer/app/open.h"
#include "demo/viewer/app/paging.h"
#include "demo/viewer/app/tell.h"

#include <math.h>

#include <SDL.h>

// Pixels of the picture per unit of mouse coordinates.
static float mouse_scale(const view_state *viewer)
{
    int width = 0, height = 0;
    SDL_GetWindowSize(viewer->window, &width, &height);
    return width > 0 ? (float)viewer->width / (float)width : 1.0f;
}

// -- Mouse ----------------------------------------------------------------------------------

static view_facts facts_of(view_state *viewer)
{
    return view_facts_of(viewer, (float)viewer->width, (float)viewer->height);
}

static void press(view_state *viewer, const SDL_MouseButtonEvent *button)
{
    const float scale = mouse_scale(viewer);
    const float x = (float)button->x * scale, y = (float)button->y * scale;
    const bool shift = (SDL_GetModState() & KMOD_SHIFT) != 0;
    const bool left = button->button == SDL_BUTTON_LEFT;
    viewer->drag = VIEW_DRAG_NONE;
    viewer->press_x = x;
    viewer->press_y = y;
    viewer->press_travel = 0.0f;
    if (viewer->pages.open >= 0) {
        if (left && view_press_paging(viewer, x, y))
            return;
    } else if (left) {
        const view_facts facts = facts_of(viewer);
        if (view_perform(viewer, view_press_ui(&viewer->ui, &facts, x, y)))
            return;
    }
    if (button->button == SDL_BUTTON_MIDDLE || (left && shift))
        viewer->drag = VIEW_DRAG_PAN;
    else if (left)
        viewer->drag = VIEW_DRAG_ORBIT;
    else if (button->button == SDL_BUTTON_RIGHT)
        viewer->drag = VIEW_DRAG_ZOOM;
}

// Moves the dragged camera.
static void move_camera(view_state *viewer, float right, float down)
{
    const float height = (float)viewer->height;
    if (viewer->drag == VIEW_DRAG_ORBIT)
        view_orbit(&viewer->camera, right, down, height);
    else if (viewer->drag == VIEW_DRAG_PAN)
        view_pan(&viewer->camera, right, down, facts_of(viewer).stage.region.height);
    else // upward comes nearer; a drag over the height of the picture by a factor of 20
        view_zoom(&viewer->camera, powf(20.0f, -down / height), 0.0f, 0.0f, height);
}

static bool move(view_state *viewer, const SDL_MouseMotionEvent *motion)
{
    const float scale = mouse_scale(viewer);
    const float x = (float)motion->x * scale, y = (float)motion->y * scale;
    const view_camera_drag drag = viewer->drag;
    if (view_drag_page(&viewer->pages, x))
        return true;
    const bool is_camera = drag != VIEW_DRAG_NONE;
    const bool is_held = viewer->ui.held != NULL;
    if (is_camera)
        view_leave_camera_path(viewer);
    else if (viewer->pages.open >= 0)
        return false;
    else {
        const view_facts facts = facts_of(viewer);
        if (is_held)
            view_drag_ui(&viewer->ui, &facts, x, y);
        else if (view_point_ui(&viewer->ui, &facts, x, y))
            return true;
    }
    view_point_mover(viewer, x, y);
    if (is_camera) {
        viewer->press_travel += fabsf((float)motion->xrel) + fabsf((float)motion->yrel);
        move_camera(viewer, (float)motion->xrel * scale, (float)motion->yrel * scale);
    }
    return is_camera || is_held;
}

static void release(view_state *viewer)
{
    static const char *const names[] = {"none", "orbit", "pan", "zoom"};
    const char *const held = view_release_ui(&viewer->ui);
    if (viewer->pages.dragged >= 0)
        view_tell_state(viewer, "page-slider");
    viewer->pages.dragged = -1;
    // A left click that hardly moves is no drag.
    const view_facts facts = facts_of(viewer);
    const bool is_click = viewer->drag == VIEW_DRAG_ORBIT && viewer->press_travel < 4.0f
                          && viewer->pages.open < 0
                          && !view_is_on_figures(&facts, viewer->press_x, viewer->press_y);
    if (is_click && (SDL_GetModState() & KMOD_CTRL) != 0)
        view_measure_at(viewer, viewer->press_x, viewer->press_y);
    else if (is_click)
        view_pick_at(viewer, viewer->press_x, viewer->press_y);
    else if (viewer->drag != VIEW_DRAG_NONE)
        view_tell_state(viewer, names[viewer->drag]);
    else if (held != NULL)
        view_tell_state(viewer, held);
    viewer->drag = VIEW_DRAG_NONE;
}

static void turn_wheel(view_state *viewer, const SDL_MouseWheelEvent *wheel)
{
    const float scale = mouse_scale(viewer);
    int mouse_x = 0, mouse_y = 0;
    SDL_GetMouseState(&mouse_x, &mouse_y);
    const float x = (float)mouse_x * scale, y = (float)mouse_y * scale;
    const float steps =
        wheel->direction == SDL_MOUSEWHEEL_FLIPPED ? -wheel->preciseY : wheel->preciseY;
    const view_facts facts = facts_of(viewer);
    if (view_perform(viewer, view_wheel_ui(&viewer->ui, &facts, x, y, steps)))
        return;
    view_leave_camera_path(viewer);
    const view_rect region = facts_of(viewer).stage.region;
    view_zoom(&viewer->camera, powf(1.15f, steps), x - region.x - 0.5f * region.width,
              y - region.y - 0.5f * region.height, region.height);
    view_tell_state(viewer, "zoom");
}

// -- Keys -----------------------------------------------------------------------------------

// A key without effect in the current mode.
static void tell_unused(view_state *viewer, const view_binding *binding)
{
    // Shift alone is usually followed by another key.
    if (binding->action == VIEW_NOTHING || binding->action == VIEW_FAST)
        return;
    view_notice(viewer, "%s: not %s", binding->help,
                view_mode_name(view_mode_of(viewer->document)));
    view_tell_state(viewer, "unused");
}

static void press_key(view_state *viewer, const SDL_Keysym *key, bool repeated)
{
    const bool shift = (key->mod & KMOD_SHIFT) != 0, control = (key->mod & KMOD_CTRL) != 0;
    const bool alt = (key->mod & (KMOD_ALT | KMOD_GUI)) != 0;
    view_browser *const browser = &viewer->ui.browser;
    if (!control && !alt && view_perform(viewer, view_key_browser(browser, key->sym, repeated)))
        return;
    const view_binding walk = view_find_binding(VIEW_MODE_MACHINE, key->sym, shift, control, alt);
    if (view_drives_clips(viewer, walk.action)) {
        view_drive(viewer, &walk, true);
        return;
    }
    const view_mode mode = view_mode_of(viewer->document);
    const view_binding binding = view_find_binding(mode, key->sym, shift, control, alt);
    if (binding.action == VIEW_NOTHING) {
        const view_binding elsewhere = view_find_anywhere(key->sym, shift, control, alt);
        tell_unused(viewer, &elsewhere);
        return;
    }
    if (view_is_driving(binding.action)) {
        view_drive(viewer, &binding, true);
        return;
    }
    if (binding.action == VIEW_FULL_SCREEN) {
        const Uint32 full = SDL_WINDOW_FULLSCREEN_DESKTOP;
        const bool is_full = (SDL_GetWindowFlags(viewer->window) & full) == full;
        SDL_SetWindowFullscreen(viewer->window, is_full ? 0 : full);
    }
    view_perform(viewer, (view_command){.action = binding.action});
}

// Also if the mode has changed since it was pressed.
static void let_go(view_state *viewer, const SDL_Keysym *key)
{
    const view_binding binding =
        view_find_binding(VIEW_MODE_MACHINE, key->sym, false, false, false);
    if (view_is_driving(binding.action))
        view_drive(viewer, &binding, false);
}

// -- Events ---------------------------------------------------------------------------------

void view_handle_event(view_state *viewer, const SDL_Event *event, bool *redraw)
{
    switch (event->type) {
    case SDL_QUIT:
        viewer->quit = true;
        break;
    case SDL_KEYDOWN:
        press_key(viewer, &event->key.keysym, event->key.repeat != 0);
        *redraw = true;
        break;
    case SDL_KEYUP:
        let_go(viewer, &event->key.keysym);
        break;
    case SDL_TEXTINPUT:
        *redraw = view_perform(viewer, view_type_browser(&viewer->ui.browser, event->text.text))
                  || *redraw;
        break;
    case SDL_MOUSEBUTTONDOWN:
        press(viewer, &event->button);
        *redraw = true;
        break;
    case SDL_MOUSEBUTTONUP:
        release(viewer);
        *redraw = true;
        break;
    case SDL_MOUSEMOTION:
        *redraw = move(viewer, &event->motion) || *redraw;
        break;
    case SDL_MOUSEWHEEL:
        turn_wheel(viewer, &event->wheel);
        *redraw = true;
        break;
    case SDL_DROPFILE:
        view_drop(viewer, event->drop.file);
        SDL_free(event->drop.file);
        view_tell_state(viewer, "drop");
        *redraw = true;
        break;
    case SDL_WINDOWEVENT:
        if (event->window.event == SDL_WINDOWEVENT_SIZE_CHANGED)
            view_tell_state(viewer, "resize");
        *redraw = true;
        break;
    default:
        break;
    }
}

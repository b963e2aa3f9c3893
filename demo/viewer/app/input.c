// From SDL's events to actions, and the mouse.
#include "demo/viewer/app/window.h"

#include "demo/viewer/base/math.h"

#include <SDL.h>

// Pixels of the picture per unit of mouse coordinates.
static float mouse_scale(const view_state *viewer)
{
    int width = 0, height = 0;
    SDL_GetWindowSize(viewer->window, &width, &height);
    return width > 0 ? (float)viewer->width / (float)width : 1.0f;
}

// -- Mouse ----------------------------------------------------------------------------------

static void seek_to(view_state *viewer, float x)
{
    const view_rect track = viewer->layout.track;
    const md5_anim *const anim = view_clock(&viewer->document->scene);
    if (anim == NULL || track.width <= 0.0f)
        return;
    const double place = (double)view_clamp((x - track.x) / track.width, 0.0f, 1.0f);
    view_seek(&viewer->play, anim, place * view_cycle_length(&viewer->play, anim));
}

// What a click on the panel does.
static bool press_panel(view_state *viewer, float x, float y)
{
    const view_layout *const layout = &viewer->layout;
    if (viewer->log.error[0] != '\0' && view_contains(layout->error, x, y)) {
        view_perform(viewer, VIEW_CLOSE_LISTS);
        return true;
    }
    if (view_press_hierarchy(viewer, x, y) || view_press_lamps(viewer, x, y))
        return true;
    for (uint32_t i = 0; i < layout->num_hits; i++) {
        const view_hit *const hit = &layout->hits[i];
        if (!view_contains(hit->rect, x, y))
            continue;
        if (hit->kind == VIEW_HIT_MESH)
            view_toggle_mesh(viewer, hit->mesh);
        else
            view_perform(viewer, hit->kind == VIEW_HIT_FILES ? VIEW_FILES : VIEW_CLIPS);
        return true;
    }
    return false;
}

static void press(view_state *viewer, const SDL_MouseButtonEvent *button)
{
    const float scale = mouse_scale(viewer);
    const float x = (float)button->x * scale, y = (float)button->y * scale;
    const bool shift = (SDL_GetModState() & KMOD_SHIFT) != 0;
    viewer->drag = VIEW_DRAG_NONE;
    if (button->button == SDL_BUTTON_LEFT
        && (view_press_browser(viewer, x, y) || press_panel(viewer, x, y)))
        return;
    if (button->button == SDL_BUTTON_LEFT && view_press_machine(viewer, x, y)) {
        viewer->drag = VIEW_DRAG_PARAMETER;
    } else if (button->button == SDL_BUTTON_LEFT && view_contains(viewer->layout.bar, x, y)) {
        // Left of the line lies the sign that plays and pauses.
        if (x < viewer->layout.track.x - 8.0f * viewer->font.scale) {
            view_perform(viewer, VIEW_PLAY);
            return;
        }
        viewer->drag = VIEW_DRAG_TIME;
        seek_to(viewer, x);
    } else if (button->button == SDL_BUTTON_MIDDLE
               || (button->button == SDL_BUTTON_LEFT && shift)) {
        viewer->drag = VIEW_DRAG_PAN;
    } else if (button->button == SDL_BUTTON_LEFT) {
        viewer->drag = VIEW_DRAG_ORBIT;
    } else if (button->button == SDL_BUTTON_RIGHT) {
        viewer->drag = VIEW_DRAG_ZOOM;
    }
}

static view_rect free_region(const view_state *viewer)
{
    const float width = (float)viewer->width, height = (float)viewer->height;
    if (viewer->framed.width <= 0.0f)
        return (view_rect){0.0f, 0.0f, width, height};
    return view_free_region(viewer, width, height);
}

static bool move(view_state *viewer, const SDL_MouseMotionEvent *motion)
{
    const float scale = mouse_scale(viewer), height = (float)viewer->height;
    const float right = (float)motion->xrel * scale, down = (float)motion->yrel * scale;
    if (viewer->drag == VIEW_DRAG_ORBIT || viewer->drag == VIEW_DRAG_PAN
        || viewer->drag == VIEW_DRAG_ZOOM)
        view_leave_flight(viewer);
    if (viewer->drag == VIEW_DRAG_NONE) {
        const float x = (float)motion->x * scale, y = (float)motion->y * scale;
        const bool on_list = view_point_browser(viewer, x, y);
        if (view_point_hierarchy(viewer, x, y) || on_list)
            return true;
    }
    if (viewer->document->scene.machine.player != NULL)
        view_point_machine(viewer, (float)motion->x * scale, (float)motion->y * scale);
    switch (viewer->drag) {
    case VIEW_DRAG_ORBIT:
        view_orbit(&viewer->camera, right, down, height);
        return true;
    case VIEW_DRAG_PAN:
        view_pan(&viewer->camera, right, down, free_region(viewer).height);
        return true;
    case VIEW_DRAG_ZOOM:
        // Upward comes nearer; a drag over the height of the picture by a factor of 20.
        view_zoom(&viewer->camera, powf(20.0f, -down / height), 0.0f, 0.0f, height);
        return true;
    case VIEW_DRAG_PARAMETER:
        view_drag_machine(viewer, (float)motion->x * scale);
        return true;
    case VIEW_DRAG_LAMP:
        view_drag_lamp(viewer, (float)motion->x * scale);
        return true;
    case VIEW_DRAG_TIME:
        seek_to(viewer, (float)motion->x * scale);
        return true;
    default:
        return false;
    }
}

static void release(view_state *viewer)
{
    static const char *const names[] = {"none",  "orbit",     "pan", "zoom",
                                        "scrub", "parameter", "lamp"};
    if (viewer->drag != VIEW_DRAG_NONE)
        view_tell_state(viewer, names[viewer->drag]);
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
    if (view_wheel_browser(viewer, steps))
        return;
    if (view_contains(viewer->layout.hierarchy, x, y)) {
        viewer->hierarchy_scroll -= steps * 3.0f * viewer->font.line[VIEW_TEXT];
        return;
    }
    view_leave_flight(viewer);
    const view_rect region = free_region(viewer);
    view_zoom(&viewer->camera, powf(1.15f, steps), x - region.x - 0.5f * region.width,
              y - region.y - 0.5f * region.height, region.height);
    view_tell_state(viewer, "zoom");
}

// -- Keys -----------------------------------------------------------------------------------

// A key that does something, but not now.
static void tell_unused(view_state *viewer, const view_binding *binding)
{
    // Shift alone is on the way to another key.
    if (binding->action == VIEW_NOTHING || binding->action == VIEW_FAST)
        return;
    view_notice(viewer, "%s: not %s", binding->help, view_mode_name(view_mode_of(viewer)));
    view_tell_state(viewer, "unused");
}

static void press_key(view_state *viewer, const SDL_Keysym *key, bool repeated)
{
    const bool shift = (key->mod & KMOD_SHIFT) != 0, control = (key->mod & KMOD_CTRL) != 0;
    const bool alt = (key->mod & (KMOD_ALT | KMOD_GUI)) != 0;
    if (!control && !alt && view_key_browser(viewer, key->sym, repeated))
        return;
    const view_mode mode = view_mode_of(viewer);
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
    view_perform(viewer, binding.action);
}

// Also when another mode has begun since it was pressed.
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
        *redraw = view_type_browser(viewer, event->text.text) || *redraw;
        break;
    case SDL_MOUSEBUTTONDOWN:
        press(viewer, &event->button);
        *redraw = true;
        break;
    case SDL_MOUSEBUTTONUP:
        release(viewer);
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

#include "test/viewer/test_view_item.h"

#include "test/test.h"

view_stage item_draw(view_state *viewer, float width, float height)
{
    const view_stage facts = view_stage_of(viewer, width, height);
    view_clear_canvas(&viewer->canvas);
    (void)view_run_ui(&viewer->ui, &facts, NULL);
    return facts;
}

view_rect item_find(view_state *viewer, const view_stage *facts, const char *name)
{
    viewer->ui.sought = name;
    viewer->ui.found = (view_rect){0};
    view_clear_canvas(&viewer->canvas);
    (void)view_run_ui(&viewer->ui, facts, NULL);
    viewer->ui.sought = NULL;
    return viewer->ui.found;
}

view_command item_press_at(view_state *viewer, const view_stage *facts, float x, float y)
{
    return view_run_ui(&viewer->ui, facts, &(ui_mouse){.x = x, .y = y, .is_pressed = true});
}

const char *item_release(view_state *viewer)
{
    const char *const held = viewer->ui.held;
    viewer->ui.active.panel = viewer->ui.held = NULL;
    return held;
}

view_command item_press(view_state *viewer, const view_stage *facts, const char *name, float across,
                        float down)
{
    const view_rect rect = item_find(viewer, facts, name);
    if (!CHECK(rect.width > 0.0f))
        return (view_command){.action = VIEW_NOTHING};
    return item_press_at(viewer, facts, rect.x + across * rect.width, rect.y + down * rect.height);
}

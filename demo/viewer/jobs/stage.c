// Collects the inputs of all modules that draw an image. See stage.h.
#include "demo/viewer/jobs/movie.h"
#include "demo/viewer/jobs/stage.h"
#include "demo/viewer/jobs/view.h"

// Sets the members of the stage that only panels, marks and lists use. An image without an
// interface does not have them.
static void add_interface(view_state *viewer, view_stage *stage)
{
    const view_ui *const ui = &viewer->ui;
    const view_movie *const movie = viewer->jobs.movie;

    // The undo steps, and the objects that are selected or marked in the image.
    stage->steps = viewer->undo.steps;
    stage->num_steps = viewer->undo.num_steps;
    stage->step = viewer->undo.step;
    stage->joint = view_marked_joint(ui, &viewer->document->scene);
    stage->selection = &ui->selection;
    const bool is_mesh_highlighted = viewer->uptime < ui->selection.highlight_end;
    stage->highlighted_mesh = is_mesh_highlighted ? ui->selection.mesh : -1;

    // The state of the window.
    stage->config = viewer->config;
    stage->is_driving = !viewer->input.has_released_control;
    stage->is_touched = viewer->input.is_touched;
    stage->stick = &viewer->input.stick;
    stage->docks = ui->docks;
    stage->frame_times = viewer->drawing.frame_times;
    stage->num_frame_times = viewer->drawing.num_frame_times;
    stage->recorded = movie != NULL ? movie->num_added / movie->frame_rate : -1;

    // Lessons, and the start screen. A list that is open over the start screen hides its contents.
    const bool is_list_open = ui->over >= VIEW_OVERLAY_FILES && ui->over < VIEW_OVERLAY_START;
    stage->pages = viewer->pages.open >= 0 ? &viewer->pages : NULL;
    stage->lists_pages = viewer->pages.open == VIEW_CONTENTS;
    stage->page_panel = view_page_panel;
    stage->is_start = viewer->panels.start.is_open;
    stage->is_bare = stage->is_start && is_list_open;

    // The panel of retargeting is shown instead of the inspector, and needs more width.
    if (view_shows_retarget(&viewer->panels.retarget, stage)) {
        viewer->drawing.shown.inspector = true;
        stage->docks.sizes[VIEW_DOCK_RIGHT] =
            fmaxf(stage->docks.sizes[VIEW_DOCK_RIGHT], VIEW_RETARGET_WIDTH);
    }
}

view_rect view_content_region(const view_state *viewer, const view_stage *stage)
{
    if (viewer->has_interface)
        return view_free_region(stage);
    return (view_rect){0, 0, stage->width, stage->height - stage->caption};
}

// Returns the region in which the document is shown, which the panels leave free. It moves together
// with the camera during a smooth movement. A camera that was not framed uses the whole image. An
// example is a camera that has taken over the view of a camera path.
static view_rect find_region(const view_state *viewer, const view_stage *stage)
{
    const view_cameras *const cameras = &viewer->cameras;
    const bool is_framed = cameras->framing.width > 0;
    if (!is_framed || stage->plays_demo)
        return stage->region;
    if (cameras->is_smooth && cameras->drawn_region.width > 0)
        return cameras->drawn_region;
    return view_content_region(viewer, stage);
}

// If the demo scene plays, sets the drawn camera to the scene's camera, and returns true. After the
// scene, the drawn camera moves smoothly to the user's camera.
static bool use_demo_camera(view_state *viewer, float width, float height)
{
    view_camera camera = viewer->cameras.user;
    const bool is_document_shown = viewer->pages.open < 0; // instead of a lesson
    const view_machine *const machine = &viewer->document->scene.machine;
    const bool plays_demo =
        is_document_shown && view_find_demo_camera(machine, width / height, &camera);
    if (plays_demo)
        viewer->cameras.drawn = camera;
    return plays_demo;
}

// Returns the stage of an image of width * height pixels. The stage contains the document, the
// camera, the display settings and, if needed, the interface. Modules that draw receive it
// instead of `viewer`, which they do not depend on.
view_stage view_build_stage(view_state *viewer, float width, float height)
{
    const bool plays_demo = use_demo_camera(viewer, width, height);
    const bool uses_drawn_camera = viewer->cameras.is_smooth || plays_demo;

    // The quality level can only omit shadows; it does not show shadows that the user has disabled.
    viewer->drawing.shown = viewer->options->shown;
    viewer->drawing.shown.shadows &= !viewer->drawing.quality_level.no_shadows;
    view_quality_level quality_level = viewer->drawing.quality_level;
    quality_level.no_shadows &= viewer->options->shown.shadows;

    view_stage stage = {
        .options = viewer->options,
        .renderer = viewer->renderer,
        .log = &viewer->log,
        .document = viewer->document,
        .width = width,
        .height = height,
        .region = {0, 0, width, height},
        .play = &viewer->play,
        .camera = uses_drawn_camera ? &viewer->cameras.drawn : &viewer->cameras.user,
        .following = viewer->cameras.follows_path,
        .shown = &viewer->drawing.shown,
        .hidden_meshes = viewer->options->hidden_meshes,
        .joint = -1,
        .lights = &viewer->options->lights,
        .environment = &viewer->drawing.environment,
        .parms = &viewer->options->parms,
        .retargeting = viewer->panels.retarget.displayed,
        .font = &viewer->drawing.font,
        .canvas = &viewer->drawing.canvas,
        .lines = &viewer->drawing.lines,
        .uptime = viewer->uptime,
        .quality_level = quality_level,
        .is_moving = viewer->drawing.is_moving,
        .plays_demo = plays_demo,
        .caption = viewer->drawing.caption != NULL ? viewer->drawing.font.line[VIEW_TEXT] + 2 : 0,
    };
    if (viewer->has_interface)
        add_interface(viewer, &stage);
    stage.region = find_region(viewer, &stage);
    return stage;
}

view_stage view_current_stage(view_state *viewer)
{
    return view_build_stage(viewer, (float)viewer->width, (float)viewer->height);
}

view_lens view_current_lens(view_state *viewer)
{
    const view_stage stage = view_current_stage(viewer);
    return view_stage_lens(&stage);
}

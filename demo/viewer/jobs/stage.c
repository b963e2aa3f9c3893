// Collects the inputs of all modules that draw an image. See stage.h.
#include "demo/viewer/jobs/movie.h"
#include "demo/viewer/jobs/stage.h"
#include "demo/viewer/jobs/view.h"

view_stage view_build_stage(view_state *viewer, float width, float height)
{
    // The camera of the demo scene. After the scene, the drawn camera moves smoothly from it to the
    // user's camera.
    view_camera shot = viewer->cameras.user;
    const bool plays =
        viewer->pages.open < 0 && view_find_demo_camera(&viewer->document->scene.machine, &shot);
    shot.distance *= fmaxf(4.0f / 3 * height / width, 1); // a tall image shows the same width
    if (plays)
        viewer->cameras.drawn = shot;

    // The economy omits shadows only if the user has turned them on.
    viewer->drawing.shown = viewer->options->shown;
    viewer->drawing.shown.shadows &= !viewer->drawing.economy.no_shadows;
    view_economy economy = viewer->drawing.economy;
    economy.no_shadows &= viewer->options->shown.shadows;

    view_stage stage = {
        .steps = viewer->undo.steps,
        .num_steps = viewer->undo.num_steps,
        .step = viewer->undo.step,
        .options = viewer->options,
        .renderer = viewer->renderer,
        .log = &viewer->log,
        .document = viewer->document,
        .width = width,
        .height = height,
        .region = {0, 0, width, height},
        .play = &viewer->play,
        .camera =
            viewer->cameras.is_smooth || plays ? &viewer->cameras.drawn : &viewer->cameras.user,
        .following = viewer->cameras.follows_path,
        .shown = &viewer->drawing.shown,
        .hidden_meshes = viewer->options->hidden_meshes,
        .joint = view_marked_joint(&viewer->ui, &viewer->document->scene),
        .pick = &viewer->pick,
        .measured = &viewer->measured,
        .measured_from = viewer->ui.measured_from,
        .lit = &viewer->ui.lit,
        .material = viewer->ui.selected_material,
        .lit_mesh = viewer->now < viewer->ui.lit_end ? viewer->ui.selected_mesh : -1,
        .lights = &viewer->options->lights,
        .environment = &viewer->drawing.environment,
        .parms = &viewer->options->parms,
        .retargeting = viewer->panels.retarget.made,
        .font = &viewer->drawing.font,
        .canvas = &viewer->drawing.canvas,
        .lines = &viewer->drawing.lines,
        .config = viewer->config,
        .is_driving = !viewer->input.has_released_control,
        .is_touched = viewer->input.is_touched,
        .stick = &viewer->input.stick,
        .docks = viewer->ui.docks,
        .now = viewer->now,
        .economy = economy,
        .is_moving = viewer->drawing.is_moving,
        .frame_times = viewer->drawing.frame_times,
        .num_frame_times = viewer->drawing.num_frame_times,
        .pages = viewer->pages.open >= 0 ? &viewer->pages : NULL,
        .lists_pages = viewer->pages.open == VIEW_CONTENTS,
        .page_panel = view_page_panel,
        .recorded = viewer->jobs.movie != NULL
                        ? viewer->jobs.movie->num_added / viewer->jobs.movie->frame_rate
                        : -1,
        .is_start = viewer->panels.start.is_open,
        .plays = plays,
        .is_bare = viewer->panels.start.is_open && viewer->ui.over >= VIEW_OVERLAY_FILES
                   && viewer->ui.over < VIEW_OVERLAY_START,
        .caption = viewer->drawing.caption != NULL ? viewer->drawing.font.line[VIEW_TEXT] + 2 : 0,
    };
    if (view_shows_retarget(&viewer->panels.retarget, &stage)) { // instead of the inspector
        viewer->drawing.shown.inspector = true;
        stage.docks.sizes[VIEW_DOCK_RIGHT] =
            fmaxf(stage.docks.sizes[VIEW_DOCK_RIGHT], VIEW_RETARGET_WIDTH);
    }

    // Show the document in the region that the panels leave free. During a smooth movement of the
    // camera, the region also moves. A camera that was not framed, such as a camera that has taken
    // over the view of a camera path, uses the whole image.
    if (viewer->cameras.framing.width > 0 && !plays)
        stage.region = viewer->cameras.is_smooth && viewer->cameras.drawn_region.width > 0
                           ? viewer->cameras.drawn_region
                           : view_free_region(&stage);
    return stage;
}

// md5view: shows id Software's MD5 models moving, in a window or into pictures.
#include "demo/view.h"

#include "demo/view_output.h"
#include "demo/view_verify.h"
#include "demo/view_window.h"

#include <stdio.h>
#include <string.h>

#include <SDL.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_NO_DISPLAY };

static bool choose_clip(view_state *viewer)
{
    const view_options *const options = viewer->options;
    if (!options->animation_index_given)
        return true;
    if (options->animation_index >= viewer->scene.num_clips) {
        view_error(&viewer->log, "--animation-index %u, but there are %zu animations",
                   (unsigned)options->animation_index, viewer->scene.num_clips);
        return false;
    }
    view_change_clip(viewer, options->animation_index);
    view_frame_anew(viewer);
    return true;
}

// The job of --no-render: what a panel would say, in a line.
static void print_summary(const view_state *viewer)
{
    const view_scene *const scene = &viewer->scene;
    const uint32_t num_meshes = scene->model != NULL ? scene->model->num_meshes : 0;
    printf("%s: %u joints, %u meshes, %u vertices, %u triangles, %zu animations, %u warnings\n",
           scene->name, (unsigned)scene->num_joints, (unsigned)num_meshes,
           (unsigned)view_count_vertices(scene), (unsigned)view_count_triangles(scene),
           scene->num_clips, (unsigned)viewer->log.num_warnings);
    for (size_t i = 0; i < scene->num_clips; i++)
        printf("  %zu %s: %u frames, %g a second, %.3f s\n", i, scene->clips[i].name,
               (unsigned)scene->clips[i].anim->num_frames, scene->clips[i].anim->frame_rate,
               scene->clips[i].anim->duration);
    const md5_camera *const camera = scene->flight.camera;
    if (camera != NULL)
        printf("  flight %s: %u frames, %u cuts, %g a second, %.3f s\n", scene->flight.name,
               (unsigned)camera->num_frames, (unsigned)camera->num_cuts, camera->frame_rate,
               camera->duration);
}

static bool run_job(view_state *viewer)
{
    const view_options *const options = viewer->options;
    const float scale = options->ui_scale > 0.0f ? options->ui_scale : 1.0f;
    if (options->num_times > 0)
        viewer->play.time = options->times[0];
    if (options->no_render) {
        print_summary(viewer);
        return true;
    }
    if (options->verify)
        return view_run_verify(viewer);
    if (options->output != NULL)
        return view_set_scale(viewer, scale) && view_run_output(viewer);
    if (options->num_frames > 0)
        return view_set_scale(viewer, scale) && view_run_frames(viewer);
    return view_run_window(viewer);
}

static int run(view_state *viewer, const view_options *options)
{
    const bool visible = options->output == NULL && options->num_frames == 0 && !options->verify
                         && !options->no_render;
    view_begin(viewer, options);
    // Looking into files needs no GL.
    if (!options->no_render && !view_open_window(viewer, visible))
        return EXIT_NO_DISPLAY;
    if (!view_open(viewer, options->files, options->num_files, true) || !choose_clip(viewer))
        return EXIT_FAILED;
    return run_job(viewer) ? EXIT_DONE : EXIT_FAILED;
}

int main(int count, char **arguments)
{
    view_options options;
    char problem[256];
    int status = EXIT_DONE;
    if (!view_read_options(count - 1, arguments + 1, &options, problem, sizeof problem)) {
        fprintf(stderr, "md5view: %s\n", problem);
        status = EXIT_USAGE;
    } else if (options.help) {
        view_print_help(stdout);
    } else if (options.version) {
        printf("md5view %d.%d.%d\n", MD5_VERSION_MAJOR, MD5_VERSION_MINOR, MD5_VERSION_PATCH);
    } else if (options.list_bindings) {
        view_print_bindings(stdout);
    } else {
        view_state viewer;
        status = run(&viewer, &options);
        view_close(&viewer);
        view_end(&viewer);
        view_close_window(&viewer);
    }
    view_free_options(&options);
    return status;
}

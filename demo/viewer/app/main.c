// md5view: shows animated MD5 models in a window, or draws them to files.
#include "demo/common/file.h"
#include "demo/common/text.h"
#include "demo/viewer/base/manual.h"
#include "demo/viewer/jobs/output.h"
#include "demo/viewer/motion/motion.h"
#include "demo/viewer/app/open.h"
#include "demo/viewer/app/window.h"

#include "demo/common/walk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <SDL.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_NO_DISPLAY };

// --animation-index, --range and --joint. Returns false and logs an error if the model has no such.
static bool choose_parts(view_state *viewer)
{
    const view_options *const options = viewer->options;
    const view_scene *const scene = &viewer->document->scene;
    if (options->animation_index_given) {
        if (options->animation_index >= scene->num_clips)
            return view_error(&viewer->log, "--animation-index %u, but there are %zu animations",
                              (unsigned)options->animation_index, scene->num_clips);
        view_change_clip(viewer, options->animation_index);
        view_frame_anew(viewer);
    }
    const md5_anim *const anim = view_clock(scene);
    viewer->play.range_first = options->range_first;
    viewer->play.range_last = options->range_last;
    if (options->range_last > 0) {
        double begin, end;
        if (!view_find_range(&viewer->play, anim, &begin, &end))
            return view_error(&viewer->log, "--range %u-%u, but there are %u frames",
                              (unsigned)options->range_first, (unsigned)options->range_last,
                              anim != NULL ? (unsigned)anim->num_frames : 0);
        viewer->play.time = begin;
    }
    if (options->joint != NULL)
        viewer->ui.chosen_joint = (int32_t)md5_find_joint(scene->skeleton, options->joint);
    return options->joint == NULL || viewer->ui.chosen_joint >= 0
           || view_error(&viewer->log, "--joint %s: the model has no joint of that name",
                         options->joint);
}

// The joints that are farthest from those of --compare, and the largest differences of all joints
// over the clip, with their frames.
static void print_differences(view_state *viewer)
{
    enum { MOST = 20 };
    view_document *const document = viewer->document;
    const view_compare *const compare = &document->compare;
    if (compare->model == NULL)
        return;
    const md5_joint *const joints = document->scene.skeleton->joints;
    view_pose(&document->scene, &viewer->play);
    view_pose_compare(&document->compare, &document->scene, &viewer->play);
    common_print(stdout, "  compared with %s at %.3f s: %u joints, %u not in it\n", compare->name,
                 viewer->play.time, (unsigned)compare->num_same,
                 (unsigned)(compare->num_joints - compare->num_same));
    for (uint32_t i = 0; i < compare->num_same && i < MOST; i++) {
        const view_difference *const difference = &compare->differences[i];
        common_print(stdout, "    %.4f units, %.2f degrees: %s\n", (double)difference->distance,
                     (double)difference->angle, joints[difference->joint].name);
    }
    if (compare->measured == NULL)
        return;
    common_print(stdout, "  largest differences over the clip %s: %u frames\n",
                 view_shown_clip(&document->scene)->name, (unsigned)compare->measured->num_frames);
    for (uint32_t i = 0; i < compare->num_same; i++) {
        const view_peak *const peak = &compare->peaks[i];
        common_print(stdout, "    %.4f units at frame %u, %.2f degrees at frame %u: %s\n",
                     (double)peak->distance, (unsigned)peak->distance_frame, (double)peak->angle,
                     (unsigned)peak->angle_frame, joints[peak->joint].name);
    }
}

static void print_faults(const char *where, const view_faults *faults)
{
    char text[192];
    view_describe_faults(faults, text, sizeof text);
    printf("  faults of normals and tangents%s: %s\n", where, text);
}

// The job of --no-render: prints the panel's contents in one line; faults also at --animation-time
// and over the shown clip.
static void print_summary(view_state *viewer)
{
    view_scene *const scene = &viewer->document->scene;
    const uint32_t num_meshes = scene->model != NULL ? scene->model->num_meshes : 0;
    common_print(stdout,
                 "%s: %u joints, %u meshes, %u vertices, %u triangles, %zu animations, "
                 "%u warnings\n",
                 scene->name, (unsigned)scene->num_joints, (unsigned)num_meshes,
                 (unsigned)view_count_vertices(scene), (unsigned)view_count_triangles(scene),
                 scene->num_clips, (unsigned)viewer->log.num_warnings);
    for (size_t i = 0; i < scene->num_clips; i++)
        common_print(stdout, "  %zu %s: %u frames, %g fps, %.3f s\n", i, scene->clips[i].name,
                     (unsigned)scene->clips[i].anim->num_frames, scene->clips[i].anim->frame_rate,
                     scene->clips[i].anim->duration);
    if (scene->model != NULL)
        print_faults("", &viewer->document->faults);
    const md5_camera *const camera = scene->camera_path.camera;
    if (camera != NULL) {
        common_print(stdout, "  camera path %s: %u frames, %u cuts, %g fps, %.3f s\n",
                     scene->camera_path.name, (unsigned)camera->num_frames,
                     (unsigned)camera->num_cuts, camera->frame_rate, camera->duration);
    }
    if (scene->model == NULL || view_shown_anim(scene) == NULL)
        return;
    char where[64];
    view_pose(scene, &viewer->play);
    const view_faults posed = view_find_pose_faults(scene, NULL);
    (void)snprintf(where, sizeof where, " at %.3f s", viewer->play.time);
    print_faults(where, &posed);
    const view_clip_faults all = view_find_clip_faults(scene);
    (void)snprintf(where, sizeof where, " in %u of %u frames, most in frame %u",
                   (unsigned)all.num_faulty, (unsigned)all.num_frames, (unsigned)all.worst_frame);
    print_faults(where, &all.worst);
}

// == The models of a folder in one picture ========================================================

enum { MOST_MODELS = 4096, MOST_FOLDERS = 4096, LEAST_SIDE = 80 };

// Opens the model of a cell; if that fails, the cell shows nothing but why.
static void open_cell(view_state *viewer, uint32_t cell)
{
    const char *const file = viewer->cells.names[cell];
    view_log_clear(&viewer->log);
    if (view_open(viewer, &file, 1, false)) {
        view_frame_still(viewer);
        return;
    }
    view_close(viewer);
    viewer->document = common_alloc(1, sizeof *viewer->document);
}

// Draws the .md5mesh files of the first folder of the options, and of those in it, into
// options->output; a file that cannot be shown leaves its error in its cell. Warns if not all fit,
// in cells of LEAST_SIDE pixels. Returns false and logs an error if there is no model or it cannot
// be written.
static bool run_contact_sheet(view_state *viewer)
{
    const view_options *const options = viewer->options;
    view_options sheet = *options;
    common_list folders = common_folders_below(options->folders[0], "", MOST_FOLDERS, false);
    common_list *const models = &viewer->cells;
    for (size_t i = 0; i < folders.count; i++) {
        common_list more = common_list_folder(folders.names[i], ".md5mesh");
        for (size_t m = 0; m < more.count && models->count < MOST_MODELS; m++)
            common_add(models, common_copy(more.names[m]));
        common_free_list(&more);
    }
    common_free_list(&folders);
    viewer->open_cell = open_cell;
    const size_t count = models->count;
    if (count == 0)
        return view_error(&viewer->log, "%s: there is no .md5mesh in it", options->folders[0]);
    // Cells about as wide as high.
    const uint32_t most = options->width / LEAST_SIDE > 1 ? options->width / LEAST_SIDE : 1;
    const uint32_t most_rows = options->height / LEAST_SIDE > 1 ? options->height / LEAST_SIDE : 1;
    const double columns = ceil(sqrt((double)count * options->width / options->height));
    sheet.sheet_columns = columns < most ? (uint32_t)columns : most;
    const size_t rows = (count + sheet.sheet_columns - 1) / sheet.sheet_columns;
    sheet.sheet_rows = rows < most_rows ? (uint32_t)rows : most_rows;
    const size_t shown = (size_t)sheet.sheet_columns * sheet.sheet_rows;
    if (shown < count || count == MOST_MODELS)
        view_warn(&viewer->log, "%s: %zu of %zu models are drawn; a larger --resolution shows more",
                  options->folders[0], shown < count ? shown : count, count);
    viewer->options = &sheet;
    const bool is_saved = view_run_output(viewer);
    viewer->options = options;
    common_free_list(models);
    return is_saved;
}

static int run(view_state *viewer, const view_options *options, view_config *config,
               const char *complaint)
{
    const float scale = options->ui_scale > 0.0f ? options->ui_scale : 1.0f;
    bool is_done = true;
    view_begin(viewer, options);
    view_take_switches(viewer);
    viewer->config = config->path != NULL ? config : NULL;
    viewer->chosen = &config->chosen;
    // Reading files needs no GL.
    if (!options->no_render && !view_open_window(viewer, view_shows_window(options)))
        return EXIT_NO_DISPLAY;
    if (!view_open_first(viewer) || !choose_parts(viewer) || !view_choose_environment(viewer)
        || !view_choose_page(viewer))
        return EXIT_FAILED;
    if (complaint[0] != '\0' && viewer->log.error[0] == '\0')
        (void)snprintf(viewer->log.error, sizeof viewer->log.error, "%s", complaint);
    if (options->num_times > 0)
        viewer->play.time = options->times[0];
    if (options->no_render) {
        print_summary(viewer);
        print_differences(viewer);
    } else if (options->verify) {
        is_done = view_run_verify(viewer);
    } else if (view_shows_window(options)) {
        is_done = view_run_window(viewer);
    } else {
        is_done = view_set_scale(viewer, scale)
                  && (options->output == NULL    ? view_run_frames(viewer)
                      : options->num_folders > 0 ? run_contact_sheet(viewer)
                                                 : view_run_output(viewer));
    }
    return is_done ? EXIT_DONE : EXIT_FAILED;
}

// Reads the configuration, then, for a window, the command line again, which overrides it. Unknown
// lines of the configuration are ignored; the last warning stays in `log`. For a picture only the
// textures that were chosen in the window are taken: it depends on the command line and on how the
// model looks there.
static void take_config(int count, char **arguments, view_options *options, view_config *config,
                        view_log *log)
{
    char problem[256];
    size_t num_kept = 0;
    view_log quiet = {.level = VIEW_QUIET};
    view_read_config(config, options->config, options->output == NULL ? log : &quiet);
    if (config->path == NULL)
        return;
    if (options->output != NULL) {
        const view_chosen_list chosen = config->chosen;
        config->chosen = (view_chosen_list){.count = 0};
        view_free_config(config);
        config->chosen = chosen;
        return;
    }
    for (size_t i = 0; i < config->num_arguments; i++) {
        char *const argument = config->arguments[i];
        view_options tried;
        const bool known =
            view_read_options(1, &config->arguments[i], &tried, problem, sizeof problem);
        view_free_options(&tried);
        if (known) {
            config->arguments[num_kept++] = argument;
            continue;
        }
        view_warn(log, "%s: %s", config->path, problem);
        free(argument);
    }
    config->num_arguments = num_kept;

    const size_t total = num_kept + (size_t)count;
    char **const all = common_alloc(total + 1, sizeof *all);
    for (size_t i = 0; i < num_kept; i++)
        all[i] = config->arguments[i];
    for (size_t i = 0; i < (size_t)count; i++)
        all[num_kept + i] = arguments[i];
    view_free_options(options);
    // Both parts were valid alone, and the configuration contains no jobs: they cannot conflict.
    (void)view_read_options((int)total, all, options, problem, sizeof problem);
    free(all);
}

static int show(int count, char **arguments, view_options *options)
{
    view_state viewer;
    view_config config = {0};
    view_log log = {.level = options->level};
    if (options->thumbnail > 0) {
        const view_image image = view_make_thumbnail(options, &log);
        const bool is_written =
            image.rgba != NULL
            && view_write_png(&log, options->output, image.width, image.height, image.rgba);
        free(image.rgba);
        return is_written ? EXIT_DONE : EXIT_FAILED;
    }
    if (!options->no_config && (view_shows_window(options) || options->output != NULL))
        take_config(count, arguments, options, &config, &log);
    const char *const complaint =
        log.num_warnings > 0 ? log.last[(log.num_warnings - 1) % VIEW_LOG_LAST] : "";
    const int status = run(&viewer, options, &config, complaint);
    view_close(&viewer);
    view_end(&viewer);
    view_close_window(&viewer);
    view_free_config(&config);
    return status;
}

int main(int count, char **arguments)
{
    view_options options;
    char problem[256];
    int status = EXIT_DONE;
    if (!view_read_options(count - 1, arguments + 1, &options, problem, sizeof problem)) {
        common_print(stderr, "md5view: %s\n", problem);
        status = EXIT_USAGE;
    } else if (options.help) {
        view_print_help(stdout);
    } else if (options.version) {
        printf("md5view %d.%d.%d\n", MD5_VERSION_MAJOR, MD5_VERSION_MINOR, MD5_VERSION_PATCH);
    } else if (options.list_bindings) {
        view_print_bindings(stdout);
    } else if (options.manual) {
        view_print_manual(stdout);
    } else if (options.page != NULL && strcmp(options.page, "list") == 0) {
        for (uint32_t i = 0; i < view_num_pages(); i++)
            puts(view_page_at(i)->name);
    } else if (options.completions_given) {
        view_print_completions(options.completions, stdout);
    } else {
        status = show(count - 1, arguments + 1, &options);
    }
    view_free_options(&options);
    const bool is_written = common_end_output("md5view") == 0;
    return is_written || status != EXIT_DONE ? status : EXIT_FAILED;
}

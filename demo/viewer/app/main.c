// md5view: shows animated MD5 models in a window, or draws them to files.
#include "demo/common/text.h"
#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/capture.h"
#include "demo/viewer/jobs/movie.h"
#include "demo/viewer/jobs/output.h"

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_NO_DISPLAY };

// Opens the window of the viewer and creates its renderer. If `visible` is false, the window stays
// hidden because the program only writes images. Otherwise the window appears with its first frame.
// Returns false and logs the error on failure.
static bool open_window(view_state *viewer, bool visible)
{
    md5_error error = {0};
    char problem[256];
    viewer->window = view_open_window("md5view", viewer->width, viewer->height, visible, problem,
                                      sizeof problem);
    if (viewer->window == NULL) {
        const char *const advice =
            visible ? "; use --output FILE.png to render an image without a window" : "";
        return view_error(&viewer->log, "cannot open a window with OpenGL 3.3: %s%s", problem,
                          advice);
    }

    // Start the thread that reads files ahead only after the window was opened. While SDL opens the
    // window, it forks and allocates memory in the child process. This is not allowed in a program
    // with several threads. A thumbnail does not use this thread, because it reads its files with
    // limits.
    const bool is_thumbnail = viewer->options->thumbnail > 0;
    if (!is_thumbnail)
        view_read_ahead(viewer);
    viewer->renderer = md5gl_create_renderer(&(md5gl_opts){.load = view_find_gl}, &error);
    if (viewer->renderer == NULL)
        return view_log_error(&viewer->log, &error);
    view_debug(&viewer->log, "device: %s (%s)", md5gl_device_name(viewer->renderer),
               view_window_driver(viewer->window));
    return true;
}

// Runs the window, or the job that the options request. All files are open. The window shows a
// warning from `config_log`, the log of the configuration file. Returns false on failure.
static bool run_opened(view_state *viewer, const view_log *config_log, bool has_window)
{
    if (config_log->num_warnings > 0)
        view_notice(viewer, "%s", config_log->warning);
    const bool has_succeeded = has_window ? view_run_window(viewer) : view_run_job(viewer);
    if (viewer->jobs.movie != NULL) // finish the movie that the user has not ended
        view_toggle_recording(viewer);
    return has_succeeded;
}

// Creates the renderer, opens the files of the command line, and runs the window or the job. A
// failure skips the remaining steps. Returns the exit status.
static int open_and_run(view_state *viewer, const view_log *config_log, bool has_window)
{
    const bool needs_renderer = !viewer->options->no_render;  // --no-render only reads files
    const bool is_thumbnail = viewer->options->thumbnail > 0; // its job opens the files
    const bool is_ready = !needs_renderer || open_window(viewer, has_window);
    const bool is_open = is_ready && (is_thumbnail || view_open_first(viewer));
    view_end_prefetch(&viewer->opening.prefetch);
    if (!is_ready) {
        if (has_window) // a file manager does not show messages
            view_show_problem(viewer->log.error);
        return EXIT_NO_DISPLAY;
    }
    if (!is_open)
        return EXIT_FAILED;
    return run_opened(viewer, config_log, has_window) ? EXIT_DONE : EXIT_FAILED;
}

// Runs the viewer with the options of the command line. First reads the options of the
// configuration file. Options of the command line override them. Returns the exit status.
static int run(int count, char **arguments, view_options *options)
{
    view_state viewer;
    view_config config = {0};
    view_log config_log = {.level = options->level};
    const bool has_window = view_shows_window(options);
    const bool is_thumbnail = options->thumbnail > 0;
    const bool draws_images = has_window || options->output != NULL;
    if (!options->no_config && !is_thumbnail && draws_images)
        view_apply_config(&config, count, arguments, options, &config_log);
    view_begin(&viewer, options);
    viewer.config = config.path != NULL ? &config : NULL;
    viewer.documents = &config.documents;

    const int status = open_and_run(&viewer, &config_log, has_window);

    view_end(&viewer);
    md5gl_destroy_renderer(viewer.renderer);
    view_close_window(viewer.window);
    view_free_config(&config);
    return status;
}

// Prints the name and the title of each lesson, with a heading for each chapter.
static void print_lessons(void)
{
    const char *chapter = "";
    for (uint32_t i = 0; i < view_num_pages; i++) {
        const view_page *const page = view_page_at(i);
        if (strcmp(page->family, chapter) != 0) {
            chapter = page->family;
            puts(chapter);
        }
        printf("  %-16s %s\n", page->name, page->title);
    }
}

// Parses the command line. Then runs the viewer, or prints the text that an option such as --help
// requests. Returns the exit status.
int main(int count, char **arguments)
{
    view_options options;
    char problem[256];
    int status = EXIT_DONE;
    if (!view_read_options(count - 1, arguments + 1, &options, problem, sizeof problem)) {
        common_print(stderr, "md5view: %s\n", problem);
        status = EXIT_USAGE;
    } else if (view_print_requested_text(&options, stdout)) {
        status = EXIT_DONE;
    } else if (options.page != NULL && strcmp(options.page, "list") == 0) {
        print_lessons();
    } else {
        status = run(count - 1, arguments + 1, &options);
    }
    view_free_options(&options);

    // If the text could not be written, for example because the disk is full, the program must not
    // report success.
    const bool is_output_written = common_end_output("md5view") == 0;
    if (status == EXIT_DONE && !is_output_written)
        return EXIT_FAILED;
    return status;
}

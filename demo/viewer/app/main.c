// md5view: shows animated MD5 models in a window, or draws them to files.
#include "demo/common/text.h"
#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/capture.h"
#include "demo/viewer/jobs/movie.h"
#include "demo/viewer/jobs/output.h"

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_NO_DISPLAY };

// Opens a window and creates its renderer. The window is hidden if it is used only to render
// images, and until its first frame is complete. The read-ahead thread starts after the window was
// opened, because SDL forks while it opens the window, and the child process of a program with
// threads must not allocate memory, as D-Bus does.
static bool open_window(view_state *viewer, bool visible)
{
    md5_error error = {0};
    char problem[256];
    viewer->window = view_open_window("md5view", viewer->width, viewer->height, visible, problem,
                                      sizeof problem);
    if (viewer->window == NULL)
        return view_error(&viewer->log, "cannot open a window with OpenGL 3.3: %s%s", problem,
                          visible ? "; use --output FILE.png to render an image without a window"
                                  : "");
    if (viewer->options->thumbnail == 0) // a thumbnail reads its files with limits
        view_read_ahead(viewer);
    viewer->renderer = md5gl_create_renderer(&(md5gl_opts){.load = view_find_gl}, &error);
    if (viewer->renderer == NULL)
        return view_log_error(&viewer->log, &error);
    view_debug(&viewer->log, "device: %s (%s)", md5gl_device_name(viewer->renderer),
               view_window_driver(viewer->window));
    return true;
}

// Runs the window, or the job that the options request. `arguments` are those of the command line.
// The options of the configuration file were read before them. Returns the exit status.
static int run(int count, char **arguments, view_options *options)
{
    view_state viewer;
    view_config config = {0};
    view_log log = {.level = options->level};
    const bool has_window = view_shows_window(options);
    const bool is_thumbnail = options->thumbnail > 0;
    const bool uses_config = has_window || options->output != NULL;
    if (!options->no_config && !is_thumbnail && uses_config)
        view_take_config(&config, count, arguments, options, &log);
    view_begin(&viewer, options);
    viewer.config = config.path != NULL ? &config : NULL;
    viewer.documents = &config.documents;

    const bool draws = !options->no_render; // --no-render only reads files
    const bool is_ready = !draws || open_window(&viewer, has_window);
    const bool is_open = is_ready && (is_thumbnail || view_open_first(&viewer));
    view_end_prefetch(&viewer.opening.prefetch);

    int status = EXIT_FAILED;
    if (!is_ready) {
        status = EXIT_NO_DISPLAY;
        if (has_window) // a file manager does not show messages
            view_show_problem(viewer.log.error);
    } else if (is_open) {
        if (log.num_warnings > 0)
            view_notice(&viewer, "%s", log.warning);
        if (has_window ? view_run_window(&viewer) : view_run_job(&viewer))
            status = EXIT_DONE;
        if (viewer.jobs.movie != NULL)
            view_toggle_recording(&viewer);
    }

    view_end(&viewer);
    md5gl_destroy_renderer(viewer.renderer);
    view_close_window(viewer.window);
    view_free_config(&config);
    return status;
}

// Prints the names and the titles of all lessons, with a heading above each chapter.
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

// Reads the options of the command line. Then runs the viewer, or prints the text that an option
// such as --help requests. Returns the exit status.
int main(int count, char **arguments)
{
    view_options options;
    char problem[256];
    int status = EXIT_DONE;
    if (!view_read_options(count - 1, arguments + 1, &options, problem, sizeof problem)) {
        common_print(stderr, "md5view: %s\n", problem);
        status = EXIT_USAGE;
    } else if (view_print_asked(&options, stdout)) {
        status = EXIT_DONE;
    } else if (options.page != NULL && strcmp(options.page, "list") == 0) {
        print_lessons();
    } else {
        status = run(count - 1, arguments + 1, &options);
    }
    view_free_options(&options);
    const bool is_written = common_end_output("md5view") == 0;
    return is_written || status != EXIT_DONE ? status : EXIT_FAILED;
}

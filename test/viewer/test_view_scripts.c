// Runs label scripts without a window: the scripts in scripts/, and the tasks in tasks/.
#define _XOPEN_SOURCE 700 // chdir()
#include "test/viewer/test_view_script.h"

#include <unistd.h>

// Runs the lines of a test until one fails. Returns false if a line fails.
static bool run_lines(script *s)
{
    while (script_next_line(s)) {
        line_result result = LINE_CONTINUES;
        while (result == LINE_CONTINUES)
            result = script_try_line(s);
        if (result == LINE_FAILED) {
            script_report(s);
            return false;
        }
        if (s->num_gestures > 0)
            s->u.viewer.uptime += 1.0; // longer than the delay of settings
        if (s->u.has_document)
            user_draw(&s->u);
    }
    return true;
}

// Runs all tests of a script without a window. The tests of a task must limit their actions.
static void run_script(const char *path, uint32_t width, uint32_t height, bool is_task)
{
    script s;
    if (!script_begin(&s, path, width, height))
        return;
    while (script_next_test(&s)) {
        s.u = (user){.actions = 0};
        const bool is_begun = user_begin(&s.u, width, height) && CHECK(chdir(s.u.folder) == 0);
        if (is_begun && run_lines(&s) && is_task)
            script_check_limit(&s);
        user_close(&s.u);
    }
    script_end(&s);
}

// Runs the registered script.
static void run_registered_script(void)
{
    run_script(test_running()->file, 1280, 720, false);
}

// Runs a task. Tasks with a number are also done in small windows.
static void run_task(void)
{
    const char *const path = test_running()->file;
    run_script(path, 1280, 720, true);
    if (isdigit((unsigned char)common_base(path)[0])) {
        run_script(path, 800, 600, true);
        run_script(path, 420, 300, true);
    }
}

__attribute__((constructor)) static void register_scripts(void)
{
    script_register_folder("test/viewer/scripts", run_registered_script);
    script_register_folder("test/viewer/tasks", run_task);
}

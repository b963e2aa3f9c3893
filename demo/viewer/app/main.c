// md5view: shows animated MD5 models in a window, or draws them to files.
#include "demo/common/text.h"
#include "demo/viewer/app/window.h"
#include "demo/viewer/base/manual.h"

#include <stdio.h>
#include <string.h>

#include <SDL.h> // of which some systems need SDL_main

int main(int count, char **arguments)
{
    view_options options;
    char problem[256];
    int status = VIEW_EXIT_DONE;
    if (!view_read_options(count - 1, arguments + 1, &options, problem, sizeof problem)) {
        common_print(stderr, "md5view: %s\n", problem);
        status = VIEW_EXIT_USAGE;
    } else if (view_print_asked(&options, stdout)) {
        status = VIEW_EXIT_DONE;
    } else if (options.page != NULL && strcmp(options.page, "list") == 0) {
        for (uint32_t i = 0; i < view_num_pages(); i++)
            puts(view_page_at(i)->name);
    } else {
        status = view_run(count - 1, arguments + 1, &options);
    }
    view_free_options(&options);
    const bool is_written = common_end_output("md5view") == 0;
    return is_written || status != VIEW_EXIT_DONE ? status : VIEW_EXIT_FAILED;
}

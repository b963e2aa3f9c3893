#include "demo/viewer/scene/scan.h"

#include <stdlib.h>
#include <string.h>

#include <SDL.h>

struct view_scan {
    char *place;
    SDL_Thread *thread;
    SDL_atomic_t num_files, stops, has_ended;
    view_library *library; // of the thread until it has ended
    md5_error error;
};

static bool count_files(void *user, size_t num_files)
{
    view_scan *const scan = user;
    if (num_files > 0)
        SDL_AtomicSet(&scan->num_files, (int)(num_files < INT32_MAX ? num_files : INT32_MAX));
    return SDL_AtomicGet(&scan->stops) == 0;
}

static int run(void *user)
{
    view_scan *const scan = user;
    scan->library = view_open_library(scan->place, count_files, scan, &scan->error);
    SDL_AtomicSet(&scan->has_ended, 1);
    return 0;
}

view_scan *view_begin_scan(const char *place)
{
    view_scan *const scan = common_alloc(1, sizeof *scan);
    scan->place = common_copy(place);
    scan->thread = SDL_CreateThread(run, "scan", scan);
    if (scan->thread == NULL)
        (void)run(scan);
    return scan;
}

bool view_has_scanned(view_scan *scan, size_t *num_files)
{
    *num_files = (size_t)SDL_AtomicGet(&scan->num_files);
    return SDL_AtomicGet(&scan->has_ended) != 0;
}

const char *view_scanned_place(const view_scan *scan)
{
    return scan->place;
}

view_library *view_end_scan(view_scan *scan, md5_error *error)
{
    SDL_WaitThread(scan->thread, NULL);
    view_library *const library = scan->library;
    *error = scan->error;
    if (library != NULL) {
        // Its thread has ended: nobody is notified any longer, and `scan` is freed.
        library->places.goes_on = NULL;
        library->places.user = NULL;
    }
    free(scan->place);
    free(scan);
    return library;
}

void view_stop_scan(view_scan *scan)
{
    md5_error error;
    if (scan == NULL)
        return;
    SDL_AtomicSet(&scan->stops, 1);
    view_drop_library(view_end_scan(scan, &error));
}

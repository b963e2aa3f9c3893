#include "demo/viewer/app/paging.h"

#include "demo/common/text.h"
#include "demo/viewer/app/open.h"
#include "demo/viewer/app/tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void view_print_pages(void)
{
    for (uint32_t i = 0; i < view_num_pages(); i++) {
        common_print_text(stdout, view_page_at(i)->name);
        fputc('\n', stdout);
    }
}

// Opens the page's character, unless it is the document.
static bool open_character(view_state *viewer, const view_page *page)
{
    char *const path = view_own_model(page->model);
    const char *const shown = viewer->document->scene.path;
    bool opened = path != NULL && shown != NULL && strcmp(path, shown) == 0
                  && viewer->document->scene.machine.player == NULL
                  && viewer->document->crowd.count == 0;
    if (!opened && path != NULL) {
        const char *const files[1] = {path};
        opened = view_open(viewer, files, 1, false);
    } else if (path == NULL) {
        view_error(&viewer->log, "page %s: example models not found", page->name);
    }
    free(path);
    return opened;
}

static bool open_page(view_state *viewer, int32_t number)
{
    const bool is_page = number >= 0 && number < (int32_t)view_num_pages();
    if (is_page && !open_character(viewer, view_page_at((uint32_t)number)))
        return false;
    view_open_page(&viewer->pages, number);
    viewer->following = false;
    if (viewer->options->num_times == 0)
        viewer->play.time = 0.0;
    viewer->play.held_at_end = false;
    return true;
}

bool view_choose_page(view_state *viewer)
{
    const char *const name = viewer->options->page;
    if (name == NULL)
        return true;
    const int32_t number = strcmp(name, "contents") == 0 ? VIEW_CONTENTS : view_find_page(name);
    if (number >= 0)
        return open_page(viewer, number);
    view_error(&viewer->log, "--page %s: no such page; --page list prints the names", name);
    return false;
}

// The contents are before the first page.
void view_turn_page(view_state *viewer, int step)
{
    const int32_t count = (int32_t)view_num_pages();
    const int32_t at = viewer->pages.open < 0        ? (step > 0 ? -1 : 0)
                       : viewer->pages.open >= count ? 0
                                                     : viewer->pages.open + 1;
    const int32_t next = (at + step + count + 1) % (count + 1);
    (void)open_page(viewer, next == 0 ? VIEW_CONTENTS : next - 1);
}

void view_close_page(view_state *viewer)
{
    view_open_page(&viewer->pages, -1);
    view_free_pages(&viewer->pages, viewer->renderer);
}

bool view_press_paging(view_state *viewer, float x, float y)
{
    bool was_taken = false;
    const int32_t page = view_press_page(&viewer->pages, x, y, &was_taken);
    if (page >= 0 && open_page(viewer, page))
        view_tell_state(viewer, "page");
    return was_taken || page >= 0;
}

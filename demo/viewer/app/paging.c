#include "demo/viewer/app/paging.h"

#include "demo/common/text.h"
#include "demo/viewer/app/open.h"
#include "demo/viewer/app/tell.h"

#include <math.h>
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
    char *const path = view_own_model(page->model != NULL ? page->model : VIEW_USUAL_MODEL);
    const char *const shown = viewer->document->scene.path;
    bool opened = path != NULL && shown != NULL && strcmp(path, shown) == 0
                  && view_mode_of(viewer->document) == VIEW_MODE_CLIPS;
    if (!opened && path != NULL) {
        const char *const files[1] = {path};
        opened = view_open(viewer, files, 1, false);
    } else if (path == NULL) {
        view_error(&viewer->log, "page %s: example models not found", page->name);
    }
    free(path);
    return opened;
}

bool view_show_page_number(view_state *viewer, int32_t number)
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

// The number of the slider of that name; what follows it there may be left out, such as a unit, if
// only one begins so. -1: there is none, or there are several.
static int find_slider(const view_page *page, const char *name)
{
    const size_t length = strlen(name);
    int found = -1;
    for (int i = 0; i < (int)view_num_sliders(page); i++) {
        const char *const own = page->sliders[i].name;
        if (strcmp(own, name) == 0)
            return i;
        if (strncmp(own, name, length) == 0 && (own[length] == ',' || own[length] == ' '))
            found = found == -1 ? i : -2;
    }
    return found < 0 ? -1 : found;
}

// --set on a page
static bool set_slider(view_state *viewer, const view_page *page, const view_setting *setting)
{
    const int number = find_slider(page, setting->parameter);
    char names[256] = "";
    for (size_t i = 0, at = 0; number < 0 && i < view_num_sliders(page) && at < sizeof names; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s'%s'", i > 0 ? ", " : "",
                               page->sliders[i].name);
    if (number < 0 || setting->time != 0.0) {
        view_error(&viewer->log, "--set %s: page %s has %s%s", setting->parameter, page->name,
                   names, number < 0 ? "" : "no @TIME");
        return false;
    }
    const view_slider *const slider = &page->sliders[number];
    const bool is_whole = slider->words != NULL;
    if (!(setting->value >= slider->low && setting->value <= slider->high)
        || (is_whole && setting->value != floorf(setting->value))) {
        view_error(&viewer->log, "--set %s=%g: expected a%s number from %g to %g",
                   setting->parameter, (double)setting->value, is_whole ? " whole" : "",
                   (double)slider->low, (double)slider->high);
        return false;
    }
    viewer->pages.values[number] = setting->value;
    return true;
}

bool view_choose_page(view_state *viewer)
{
    const view_options *const options = viewer->options;
    const char *const name = options->page;
    if (name == NULL)
        return true;
    const int32_t number = strcmp(name, "contents") == 0 ? VIEW_CONTENTS : view_find_page(name);
    if (number < 0) {
        view_error(&viewer->log, "--page %s: no such page; --page list prints the names", name);
        return false;
    }
    if (number == VIEW_CONTENTS && options->num_settings > 0) {
        view_error(&viewer->log, "--set: the contents have no sliders");
        return false;
    }
    bool is_set = view_show_page_number(viewer, number);
    for (size_t i = 0; is_set && i < options->num_settings; i++)
        is_set = set_slider(viewer, view_page_at((uint32_t)number), &options->settings[i]);
    return is_set;
}

// The contents are before the first page.
void view_turn_page(view_state *viewer, int step)
{
    const int32_t count = (int32_t)view_num_pages();
    const int32_t at = viewer->pages.open < 0        ? (step > 0 ? -1 : 0)
                       : viewer->pages.open >= count ? 0
                                                     : viewer->pages.open + 1;
    const int32_t next = (at + step + count + 1) % (count + 1);
    (void)view_show_page_number(viewer, next == 0 ? VIEW_CONTENTS : next - 1);
}

void view_close_page(view_state *viewer)
{
    view_open_page(&viewer->pages, -1);
    view_free_pages(&viewer->pages, viewer->renderer);
}

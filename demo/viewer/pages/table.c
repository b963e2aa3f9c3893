#include "demo/viewer/pages/families.h"

#include <string.h>

static const view_page *const table[] = {
    // clang-format off: a family a line
    &view_page_easing,  &view_page_timing,    &view_page_follow,     &view_page_interpolation,
    &view_page_slerp,   &view_page_euler,     &view_page_curves,     &view_page_squad,
    &view_page_ik,      &view_page_limits,    &view_page_goals,      &view_page_walk,
    &view_page_gaze,    &view_page_crossfade, &view_page_inertial,   &view_page_additive,
    &view_page_masks,   &view_page_sync,      &view_page_machine,    &view_page_quaternion_w,
    &view_page_palette, &view_page_dual,      &view_page_influences, &view_page_bind,
    &view_page_morph,   &view_page_bake,      &view_page_impostor,
    // clang-format on
};
enum { NUM_PAGES = sizeof table / sizeof table[0] };

uint32_t view_num_pages(void)
{
    return NUM_PAGES;
}

const view_page *view_page_at(uint32_t number)
{
    return table[number < NUM_PAGES ? number : NUM_PAGES - 1];
}

int32_t view_find_page(const char *name)
{
    for (uint32_t i = 0; i < NUM_PAGES; i++)
        if (strcmp(table[i]->name, name) == 0)
            return (int32_t)i;
    return -1;
}

const char *view_page_lines(const char *name)
{
    for (const view_lines_of *lines = view_lines_of_pages; lines->name != NULL; lines++)
        if (strcmp(lines->name, name) == 0)
            return lines->text;
    return "";
}

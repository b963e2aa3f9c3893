// The layout of the window for all sizes, scales and open docks, and the contrast of its colors.
#include "test/test.h"

#include "demo/viewer/base/layout.h"
#include "demo/viewer/base/panel.h"

#include <math.h>

static const float windows[][2] = {{420, 300},  {800, 600},   {1024, 768},  {1280, 720},
                                   {1366, 768}, {1920, 1080}, {2560, 1440}, {3840, 2160},
                                   {390, 844},  {780, 1688}};
static const float scales[] = {1, 1.25f, 1.5f, 2};

// All states of a window: bits 0 to 2 of `state` open the docks, bit 3 opens the sheet, bit 4
// selects the dock in front, bit 5 shows the time bar, bit 6 opens the full sheet.
enum { NUM_STATES = 1 << 7 };
enum { NUM_WISHES = COUNT_OF(windows) * COUNT_OF(scales) * NUM_STATES };

static view_layout_request layout_request(const float window[2], float scale, unsigned state)
{
    view_layout_request request = {
        .width = window[0], .height = window[1], .em = 13.0f * scale, .has_menu = true};
    for (int dock = 0; dock < VIEW_NUM_DOCKS; dock++)
        request.is_open[dock] = (state >> dock & 1) != 0;
    request.docks.is_sheet_open = (state >> 3 & 1) != 0;
    request.docks.front = (state >> 4 & 1) != 0 ? VIEW_DOCK_LEFT : VIEW_DOCK_RIGHT;
    request.has_time = (state >> 5 & 1) != 0;
    request.docks.is_sheet_full = (state >> 6 & 1) != 0;
    return request;
}

// Returns one of the NUM_WISHES requests: a combination of window size, scale and state, selected
// by `index`.
static view_layout_request indexed_layout_request(unsigned index)
{
    const unsigned state = index % NUM_STATES;
    const unsigned scale = index / NUM_STATES % COUNT_OF(scales);
    const unsigned window = index / NUM_STATES / COUNT_OF(scales);
    return layout_request(windows[window], scales[scale], state);
}

static bool file_exists(view_rect rect)
{
    return rect.width > 0.0f;
}

static bool overlaps(view_rect a, view_rect b)
{
    const bool overlap_in_x = a.x < b.x + b.width && b.x < a.x + a.width;
    const bool overlap_in_y = a.y < b.y + b.height && b.y < a.y + a.height;
    return file_exists(a) && file_exists(b) && overlap_in_x && overlap_in_y;
}

TEST (layout_parts_do_not_overlap) {
    for (unsigned index = 0; index < NUM_WISHES; index++) {
        const view_layout_request request = indexed_layout_request(index);
        const view_layout layout = view_lay_out(&request);
        view_rect parts[] = {layout.menu,     layout.time, layout.docks[0], layout.docks[1],
                             layout.docks[2], layout.free, layout.handle};
        const bool is_half = layout.handle.width > 0.0f && !request.docks.is_sheet_full;
        if (layout.arrangement == VIEW_ARRANGE_SHEET
            && !is_half) // the only part that may cover the image
            parts[5].width = 0.0f;
        for (int i = 0; i < 7; i++) {
            for (int k = 0; k < i; k++)
                CHECK_THAT(!overlaps(parts[i], parts[k]), "parts %d and %d, %g x %g, state %u", k,
                           i, (double)request.width, (double)request.height, index % NUM_STATES);
        }
    }
}

TEST (layout_parts_fill_the_window_and_stay_inside) {
    for (unsigned index = 0; index < NUM_WISHES; index++) {
        const view_layout_request request = indexed_layout_request(index);
        const view_layout layout = view_lay_out(&request);
        const view_rect parts[] = {layout.menu,     layout.time, layout.docks[0], layout.docks[1],
                                   layout.docks[2], layout.free, layout.handle};
        float area = 0.0f;
        for (int i = 0; i < 7; i++) {
            CHECK(parts[i].x >= 0.0f && parts[i].y >= 0.0f);
            CHECK(parts[i].x + parts[i].width <= request.width);
            CHECK(parts[i].y + parts[i].height <= request.height);
            CHECK(roundf(parts[i].x) == parts[i].x && roundf(parts[i].width) == parts[i].width);
            area += parts[i].width * parts[i].height;
        }
        if (layout.arrangement != VIEW_ARRANGE_SHEET)
            CHECK_NEAR(area, request.width * request.height, 1e-6 * request.width * request.height);
    }
}

TEST (layout_leaves_enough_of_the_image) {
    for (unsigned index = 0; index < NUM_WISHES; index++) {
        const view_layout_request request = indexed_layout_request(index);
        const view_layout layout = view_lay_out(&request);
        const bool has_docks = file_exists(layout.docks[0]) || file_exists(layout.docks[1])
                               || file_exists(layout.docks[2]);
        if (has_docks && layout.arrangement != VIEW_ARRANGE_SHEET) {
            CHECK(layout.free.width >= 20.0f * request.em);
            CHECK(layout.free.height >= 14.0f * request.em);
        }
    }
}

TEST (layout_docks_fit_their_content) {
    static const float min_sizes[2] = {12, 18};
    for (unsigned index = 0; index < NUM_WISHES; index++) {
        const view_layout_request request = indexed_layout_request(index);
        const view_layout layout = view_lay_out(&request);
        for (int dock = 0; dock < 2; dock++) {
            if (file_exists(layout.docks[dock]) && layout.arrangement != VIEW_ARRANGE_SHEET)
                CHECK(layout.docks[dock].width >= min_sizes[dock] * request.em);
        }
    }
}

// Open docks are visible if the window is wide enough, and closed docks never are.
TEST (layout_shows_open_docks) {
    for (unsigned index = 0; index < NUM_WISHES; index++) {
        const view_layout_request request = indexed_layout_request(index);
        const view_layout layout = view_lay_out(&request);
        for (int dock = 0; dock < VIEW_NUM_DOCKS; dock++) {
            if (!request.is_open[dock])
                CHECK(!file_exists(layout.docks[dock]));
            else if (layout.arrangement == VIEW_ARRANGE_BESIDE && dock != VIEW_DOCK_BOTTOM)
                CHECK(file_exists(layout.docks[dock]));
        }
    }
}

TEST (layout_is_arranged_by_the_width_in_em) {
    static const float pixels[][2] = {{300, 200},  {420, 300},  {800, 600},
                                      {1280, 720}, {1280, 380}, {3840, 2160}};
    static const view_arrangement expected[] = {VIEW_ARRANGE_ALONE,  VIEW_ARRANGE_SHEET,
                                                VIEW_ARRANGE_SINGLE, VIEW_ARRANGE_BESIDE,
                                                VIEW_ARRANGE_SHEET,  VIEW_ARRANGE_BESIDE};
    for (int i = 0; i < 6; i++) {
        const view_layout_request request = layout_request(pixels[i], 1.0f, 7);
        CHECK_UINT(view_lay_out(&request).arrangement, expected[i]);
    }
}

// The layout at scale 2 equals the layout of a window of half the size.
TEST (layout_of_twice_the_scale_is_twice_as_large) {
    for (unsigned state = 0; state < NUM_STATES; state++) {
        const view_layout_request small = layout_request((const float[2]){1920, 1080}, 1.0f, state);
        const view_layout_request large = layout_request((const float[2]){3840, 2160}, 2.0f, state);
        CHECK_NEAR(view_lay_out(&large).free.width, 2.0f * view_lay_out(&small).free.width, 4);
    }
}

TEST (layout_edge_follows_the_mouse_and_closes_a_small_dock) {
    view_layout_request request = layout_request((const float[2]){1920, 1080}, 1.0f, 7);
    request.docks.sizes[VIEW_DOCK_LEFT] =
        view_drag_dock(&request, VIEW_DOCK_LEFT, 20.0f * 13.0f, 0.0f);
    CHECK_NEAR(view_lay_out(&request).docks[VIEW_DOCK_LEFT].width, 260, 1);
    CHECK_NEAR(view_drag_dock(&request, VIEW_DOCK_LEFT, 8.0f * 13.0f, 0.0f), 12, 1e-4);
    CHECK(view_drag_dock(&request, VIEW_DOCK_LEFT, 13.0f, 0.0f) == 0.0f);
    CHECK_NEAR(view_drag_dock(&request, VIEW_DOCK_RIGHT, 1920.0f - 390.0f, 0.0f), 30, 1e-4);
}

// == Colors ======================================================================================

// Returns the relative luminance of a color over white, by WCAG 2.1.
static double luminance(view_color color)
{
    const double opacity = (color & 255) / 255.0;
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        static const double parts[3] = {0.2126, 0.7152, 0.0722};
        const double value = opacity * (color >> (24 - 8 * i) & 255) / 255.0 + 1.0 - opacity;
        sum += parts[i] * (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(view_color text, view_color ground)
{
    const double a = luminance(text);
    const double b = luminance(ground);
    return (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
}

// Text contrasts with its background, even if a panel is over white.
TEST (colors_have_enough_contrast) {
    static const view_color texts[] = {VIEW_BRIGHT, VIEW_PLAIN, VIEW_DIM, VIEW_ACCENT,
                                       VIEW_AMBER,  VIEW_WRONG, VIEW_FINE};
    static const view_color grounds[] = {VIEW_DOCK, VIEW_POPOVER, VIEW_FIELD};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        for (size_t k = 0; k < sizeof grounds / sizeof grounds[0]; k++)
            CHECK_THAT(contrast(texts[i], grounds[k]) >= 5.6, "%08x on %08x: %.2f", texts[i],
                       grounds[k], contrast(texts[i], grounds[k]));
    }
    CHECK(contrast(VIEW_BRIGHT, VIEW_SELECTED) >= 4.5
          && contrast(VIEW_PLAIN, VIEW_SELECTED) >= 4.5);
    CHECK(contrast(VIEW_BRIGHT, VIEW_HOVERED) >= 4.5 && contrast(VIEW_DIM, VIEW_CONTROL) >= 4.5);
    CHECK(contrast(0x0E1116FFu, VIEW_ACCENT) >= 4.5); // colors of the play button
    CHECK(contrast(0xFFFFFFFFu, VIEW_RECORDING) >= 4.5);
}

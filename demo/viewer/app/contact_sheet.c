#include "demo/viewer/app/contact_sheet.h"

#include "demo/common/file.h"
#include "demo/common/walk.h"
#include "demo/viewer/app/open.h"
#include "demo/viewer/jobs/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MODELS = 4096, MOST_FOLDERS = 4096, LEAST_SIDE = 80 };

static common_list list_models(const char *folder)
{
    common_list folders = common_folders_below(folder, "", MOST_FOLDERS, false), models = {0};
    for (size_t i = 0; i < folders.count; i++) {
        common_list more = common_list_folder(folders.names[i], ".md5mesh");
        for (size_t m = 0; m < more.count && models.count < MOST_MODELS; m++)
            common_add(&models, common_copy(more.names[m]));
        common_free_list(&more);
    }
    common_free_list(&folders);
    return models;
}

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

bool view_run_contact_sheet(view_state *viewer)
{
    const view_options *const options = viewer->options;
    view_options sheet = *options;
    viewer->cells = list_models(options->folders[0]);
    viewer->open_cell = open_cell;
    const size_t count = viewer->cells.count;
    if (count == 0) {
        view_error(&viewer->log, "%s: there is no .md5mesh in it", options->folders[0]);
        return false;
    }
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
    common_free_list(&viewer->cells);
    return is_saved;
}

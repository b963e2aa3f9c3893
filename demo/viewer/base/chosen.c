#include "demo/viewer/base/chosen.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"

#include <stdlib.h>
#include <string.h>

static void free_row(view_chosen *row)
{
    free(row->model);
    free(row->file);
}

// The index of a choice, or list->count.
static size_t find(const view_chosen_list *list, const char *model, uint32_t mesh)
{
    size_t i = 0;
    while (i < list->count
           && (list->rows[i].mesh != mesh || strcmp(list->rows[i].model, model) != 0))
        i++;
    return i;
}

static void remove_row(view_chosen_list *list, size_t i)
{
    free_row(&list->rows[i]);
    list->count--;
    memmove(&list->rows[i], &list->rows[i + 1], (list->count - i) * sizeof list->rows[0]);
}

void view_choose_texture(view_chosen_list *list, const char *model, uint32_t mesh, const char *file)
{
    char *const path = common_absolute(model);
    const size_t old = find(list, path, mesh);
    if (file == NULL && old == list->count) {
        free(path);
        return;
    }
    if (old < list->count)
        remove_row(list, old);
    if (list->count == VIEW_MAX_CHOSEN)
        remove_row(list, VIEW_MAX_CHOSEN - 1);
    for (size_t i = list->count; i > 0; i--)
        list->rows[i] = list->rows[i - 1];
    list->rows[0] = (view_chosen){.model = path,
                                  .file = file != NULL ? common_absolute(file) : NULL,
                                  .mesh = mesh,
                                  .is_new = true};
    list->count++;
}

bool view_has_new_choices(const view_chosen_list *list)
{
    bool has_new = false;
    for (size_t i = 0; i < list->count; i++)
        has_new |= list->rows[i].is_new;
    return has_new;
}

void view_merge_chosen(view_chosen_list *list, view_chosen_list *stored)
{
    for (size_t i = list->count; i-- > 0;)
        if (list->rows[i].is_new)
            view_choose_texture(stored, list->rows[i].model, list->rows[i].mesh,
                                list->rows[i].file);
    view_free_chosen(list);
    *list = *stored;
    *stored = (view_chosen_list){.count = 0};
}

void view_settle_chosen(view_chosen_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        list->rows[i].is_new = false;
        if (list->rows[i].file != NULL)
            list->rows[kept++] = list->rows[i];
        else
            free(list->rows[i].model);
    }
    list->count = kept;
}

const char *view_chosen_texture(const view_chosen_list *list, const char *model, uint32_t mesh)
{
    if (list == NULL || list->count == 0)
        return NULL;
    char *const path = common_absolute(model);
    const size_t i = find(list, path, mesh);
    free(path);
    return i < list->count ? list->rows[i].file : NULL;
}

bool view_read_chosen(view_chosen_list *list, const char *text)
{
    char *end = NULL;
    const unsigned long mesh = strtoul(text, &end, 10);
    const char *const tab = strchr(text, '\t');
    if (*text < '0' || *text > '9' || mesh > UINT32_MAX || *end != ' ' || tab == NULL
        || tab == end + 1 || tab[1] == '\0' || list->count == VIEW_MAX_CHOSEN)
        return false;
    char *const file = common_copy(end + 1);
    file[tab - (end + 1)] = '\0';
    list->rows[list->count++] =
        (view_chosen){.model = common_copy(tab + 1), .file = file, .mesh = (uint32_t)mesh};
    return true;
}

char *view_write_chosen(const view_chosen *chosen)
{
    return common_format("%u %s\t%s", (unsigned)chosen->mesh, chosen->file, chosen->model);
}

void view_free_chosen(view_chosen_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free_row(&list->rows[i]);
    *list = (view_chosen_list){.count = 0};
}

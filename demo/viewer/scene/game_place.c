#include "demo/viewer/scene/game_place.h"

#include "demo/common/memory.h"

#include <stdlib.h>
#include <string.h>

// A file name cannot contain it on Windows; elsewhere hardly any does.
static const char separator = '|';

bool view_is_game(const char *path)
{
    static const char *const folders[] = {"def", "materials"};
    static const char *const endings[] = {".pk4", ".pak"};
    bool has_any = !common_is_folder(path);
    for (size_t i = 0; i < 2 && !has_any; i++) {
        char *const folder = common_join(path, folders[i]);
        common_list archives = common_list_folder(path, endings[i]);
        has_any = common_is_folder(folder) || archives.count > 0;
        common_free_list(&archives);
        free(folder);
    }
    return has_any;
}

static void trim(char *path)
{
    for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--)
        path[end - 1] = '\0';
}

common_list view_split_place(const char *place)
{
    common_list list = {NULL, 0};
    const bool is_one = common_is_folder(place) || common_is_file(place);
    const char *at = place;
    do {
        const char *const end = is_one ? NULL : strchr(at, separator);
        char *const path = common_copy(at);
        if (end != NULL)
            path[end - at] = '\0';
        trim(path);
        list.names = common_realloc(list.names, list.count + 1, sizeof *list.names);
        list.names[list.count++] = path;
        at = end != NULL ? end + 1 : NULL;
    } while (at != NULL);
    return list;
}

char *view_put_behind(const char *place, const char *behind)
{
    return common_format("%s%c%s", place, separator, behind);
}

// The folder around a path, also of "." and "..".
static char *folder_around(const char *path)
{
    const char *const name = common_base(path);
    const bool is_up = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
    return is_up ? common_join(path, "..") : common_folder(path);
}

char *view_with_base(const char *place)
{
    static const char *const names[] = {"base", "q4base"};
    common_list parts = view_split_place(place);
    char *const folder = folder_around(parts.names[0]);
    char *found = NULL;
    for (size_t i = 0; i < 2 && found == NULL && parts.count == 1 && common_is_folder(place); i++) {
        char *const base = common_join(folder, names[i]);
        if (common_is_folder(base) && view_is_game(base) && !common_same_file(base, place))
            found = view_put_behind(parts.names[0], base);
        free(base);
    }
    free(folder);
    common_free_list(&parts);
    return found != NULL ? found : common_copy(place);
}

char *view_title_of_place(const char *place)
{
    common_list parts = view_split_place(place);
    char *title = common_copy(parts.names[0]);
    for (size_t i = 1; i < parts.count; i++) {
        char *const longer = common_format("%s + %s", title, common_base(parts.names[i]));
        free(title);
        title = longer;
    }
    common_free_list(&parts);
    return title;
}

#include "demo/viewer/ui/groups.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"

#include <stdlib.h>
#include <string.h>

// Names of the browser in the order of their bytes: those that begin alike are neighbours.
typedef struct ordered {
    const char *name;
    size_t entry; // of the browser
} ordered;

typedef struct order {
    ordered *names; // [count]
    size_t count;
} order;

// Neighbours that begin with the same `length` bytes.
typedef struct name_span {
    size_t first, count, length;
} name_span;

// -- Order ----------------------------------------------------------------------------------

static int by_name(const void *a, const void *b)
{
    const ordered *const first = a, *const second = b;
    const int names = strcmp(first->name, second->name);
    return names != 0 ? names : (first->entry > second->entry) - (first->entry < second->entry);
}

static order make_order(const view_browser *browser)
{
    order made = {common_alloc(browser->num_names + 1, sizeof *made.names), 0};
    for (size_t i = 0; i < browser->num_names; i++)
        if (browser->entries[i].is_own || !browser->is_own_alone)
            made.names[made.count++] = (ordered){browser->entries[i].path, i};
    if (made.count > 0)
        qsort(made.names, made.count, sizeof *made.names, by_name);
    return made;
}

// -- Groups ---------------------------------------------------------------------------------

// Folders divide names; only where there are none, words do.
static char divider_of(const order *of, name_span in)
{
    for (size_t i = 0; i < in.count; i++)
        if (strchr(of->names[in.first + i].name + in.length, '/') != NULL)
            return '/';
    return '_';
}

// The group that begins with name `at` of a span; a name that belongs to none is one by itself.
static name_span group_at(const order *of, name_span in, char divider, size_t at)
{
    const char *const name = of->names[at].name;
    const char *const end = strchr(name + in.length, divider);
    name_span found = {at, 1, end != NULL ? (size_t)(end - name) + 1 : in.length};
    while (end != NULL && at + found.count < in.first + in.count
           && strncmp(of->names[at + found.count].name, name, found.length) == 0)
        found.count++;
    return found;
}

// Goes down as long as there is one group and nothing else.
static name_span without_levels(const order *of, name_span in)
{
    while (in.count > 1) {
        const name_span only = group_at(of, in, divider_of(of, in), in.first);
        if (only.count < in.count)
            break;
        in = only;
    }
    return in;
}

// The group within a span whose names begin as `name` does; count 0: none.
static name_span group_with(const order *of, name_span in, const char *name)
{
    const char divider = divider_of(of, in);
    for (size_t at = in.first; at < in.first + in.count;) {
        const name_span group = group_at(of, in, divider, at);
        if (group.count > 1 && strncmp(of->names[at].name, name, group.length) == 0)
            return group;
        at += group.count;
    }
    return (name_span){0, 0, 0};
}

// The span of a group, or of the group that lists a name; `*above` is the one that it is in, or has
// count 0.
static name_span find_span(const order *of, const char *name, name_span *above)
{
    name_span here = without_levels(of, (name_span){0, of->count, 0});
    *above = (name_span){0, 0, 0};
    while (here.count > VIEW_MOST_UNGROUPED && here.length < strlen(name)) {
        const name_span within = group_with(of, here, name);
        if (within.count == 0)
            break;
        *above = here;
        here = without_levels(of, within);
    }
    return here;
}

static char *start_of(const order *of, name_span group)
{
    char *const start = common_copy(group.count > 0 ? of->names[group.first].name : "");
    start[group.length] = '\0';
    return start;
}

// -- Rows -----------------------------------------------------------------------------------

static void add_row(view_browser *browser, view_entry entry)
{
    browser->entries =
        common_realloc(browser->entries, browser->num_entries + 1, sizeof *browser->entries);
    browser->found[browser->num_found++] = browser->num_entries;
    browser->entries[browser->num_entries++] = entry;
}

static void add_group(view_browser *browser, const order *of, name_span group)
{
    char *const start = start_of(of, group);
    const char *const dots = start[group.length - 1] == '/' ? "" : "\xE2\x80\xA6";
    char *const label =
        common_format("%s%s  \xE2\x80\xA2  %zu", start + browser->num_left_out, dots, group.count);
    add_row(browser, (view_entry){.kind = VIEW_ENTRY_GROUP, .label = label, .path = start});
}

// Up to where names of a group are left out: its folder.
static size_t folder_length(const char *start)
{
    const char *const slash = strrchr(start, '/');
    return slash != NULL ? (size_t)(slash - start) + 1 : 0;
}

static void add_special_rows(view_browser *browser, const order *of, name_span here,
                             name_span above)
{
    size_t num_own = 0;
    for (size_t i = 0; i < browser->num_names; i++)
        num_own += browser->entries[i].is_own;
    view_entry up = {.kind = VIEW_ENTRY_ABOVE};
    view_entry own = {.kind = VIEW_ENTRY_OWN};
    if (above.count > 0 || browser->is_own_alone) {
        up.label = common_copy("../");
        up.path = above.count > 0 ? start_of(of, above) : NULL;
        add_row(browser, up);
    } else if (here.count == browser->num_names && num_own > 0 && num_own < browser->num_names) {
        own.label = common_format("only of the mod  \xE2\x80\xA2  %zu", num_own);
        add_row(browser, own);
    }
}

static void add_rows(view_browser *browser, const order *of, name_span here)
{
    const bool has_groups = here.count > VIEW_MOST_UNGROUPED;
    const char divider = divider_of(of, here);
    for (size_t at = here.first; at < here.first + here.count;) {
        const name_span group =
            has_groups ? group_at(of, here, divider, at) : (name_span){at, 1, 0};
        if (group.count > 1)
            add_group(browser, of, group);
        else
            browser->found[browser->num_found++] = of->names[at].entry;
        at += group.count;
    }
}

static void drop_groups(view_browser *browser)
{
    while (browser->num_entries > browser->num_names) {
        view_entry *const entry = &browser->entries[--browser->num_entries];
        free(entry->label);
        free(entry->path);
    }
    browser->num_left_out = 0;
}

static void list_groups(view_browser *browser)
{
    name_span above;
    const order of = make_order(browser);
    const name_span here = find_span(&of, browser->group != NULL ? browser->group : "", &above);
    char *const start = start_of(&of, here);
    drop_groups(browser);
    // Groups and special rows are at most as many as names, and two.
    browser->found =
        common_realloc(browser->found, 2 * browser->num_names + 2, sizeof *browser->found);
    browser->num_found = 0;
    browser->num_left_out = folder_length(start);
    add_special_rows(browser, &of, here, above);
    add_rows(browser, &of, here);
    free(of.names);
    free(browser->group);
    browser->group = start;
}

void view_find_entries(view_browser *browser)
{
    browser->found =
        common_realloc(browser->found, browser->num_entries + 1, sizeof *browser->found);
    browser->num_found = browser->chosen = browser->first = 0;
    if (browser->kind == VIEW_BROWSE_GAME) {
        drop_groups(browser);
        if (browser->filter[0] == '\0')
            list_groups(browser);
    }
    const bool has_rows = browser->num_found > 0;
    for (size_t i = 0; i < browser->num_entries && !has_rows; i++)
        if (common_contains(browser->entries[i].label, browser->filter)
            && (browser->entries[i].is_own || !browser->is_own_alone))
            browser->found[browser->num_found++] = i;
    // Enter chooses an entry other than the parent folder, if there is one.
    const view_entry_kind first =
        browser->num_found > 1 ? browser->entries[browser->found[0]].kind : VIEW_ENTRY_FILE;
    browser->chosen = first == VIEW_ENTRY_ABOVE || first == VIEW_ENTRY_OWN;
}

void view_go_to_group(view_browser *browser, const char *name)
{
    free(browser->group);
    browser->group = name != NULL ? common_copy(name) : NULL;
}

bool view_enter_group(view_browser *browser, const view_entry *entry)
{
    char *const left = browser->group;
    const bool is_above = entry->kind == VIEW_ENTRY_ABOVE;
    if (entry->kind != VIEW_ENTRY_GROUP && entry->kind != VIEW_ENTRY_OWN && !is_above)
        return false;
    if (entry->kind == VIEW_ENTRY_OWN || entry->path == NULL)
        browser->is_own_alone = entry->kind == VIEW_ENTRY_OWN;
    browser->group = entry->path != NULL ? common_copy(entry->path) : NULL;
    view_find_entries(browser); // frees the entry
    // The group that was left is chosen.
    for (size_t i = 0; i < browser->num_found && is_above && left != NULL; i++) {
        const view_entry *const listed = &browser->entries[browser->found[i]];
        if (listed->kind == VIEW_ENTRY_GROUP
            && strncmp(listed->path, left, strlen(listed->path)) == 0)
            browser->chosen = i;
    }
    free(left);
    return true;
}

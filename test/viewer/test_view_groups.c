// Long lists of a game in groups. The names are made up as those of games are.
#include "demo/common/memory.h"
#include "demo/viewer/ui/browser.h"
#include "test/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <SDL.h>

enum { PER_KIND = 20, NUM_KINDS = 3, NUM_FILES = PER_KIND * NUM_KINDS };

typedef struct made {
    view_library library;
    view_browser browser;
    const char *files[NUM_FILES];
    bool are_own[NUM_FILES];
    char texts[NUM_FILES][48];
} made;

// Clips of three monsters in folders, 20 each, of which six of the first are of the mod.
static void make_files(made *of)
{
    static const char *const kinds[NUM_KINDS] = {"imp", "maggot", "zsec"};
    static char place[] = "games/mod|games/base";
    *of = (made){0};
    of->library.place = place;
    for (int i = 0; i < NUM_FILES; i++) {
        (void)snprintf(of->texts[i], sizeof of->texts[i], "models/md5/%s/%s%02d.md5anim",
                       kinds[i / PER_KIND], i % 2 == 0 ? "walk_" : "pain_", i % PER_KIND);
        of->files[i] = of->texts[i];
        of->are_own[i] = i < 6;
    }
    of->library.names[VIEW_ANIMS] = of->files;
    of->library.num_names[VIEW_ANIMS] = NUM_FILES;
}

static const char *label_at(const made *of, size_t row)
{
    const view_browser *const browser = &of->browser;
    return row < browser->num_found ? browser->entries[browser->found[row]].label : "-";
}

static view_entry_kind kind_at(const made *of, size_t row)
{
    return of->browser.entries[of->browser.found[row]].kind;
}

static view_command choose(made *of, size_t row)
{
    of->browser.chosen = row;
    return view_key_browser(&of->browser, SDLK_RETURN, false);
}

TEST (long_list_is_grouped_by_folders) {
    made of;
    make_files(&of);
    view_list_section(&of.browser, &of.library, VIEW_ANIMS, NULL);
    CHECK_UINT(of.browser.num_found, NUM_KINDS); // models/md5/ is that of all
    CHECK_STRING(of.browser.group, "models/md5/");
    CHECK_STRING(label_at(&of, 0), "imp/  \xE2\x80\xA2  20");
    CHECK_STRING(label_at(&of, 2), "zsec/  \xE2\x80\xA2  20");
    CHECK(view_listed_name(&of.browser, 0) == NULL); // a group has no picture
    CHECK(choose(&of, 1).action == VIEW_LISTED);
    CHECK_UINT(of.browser.num_found, PER_KIND + 1); // fit on a screen: not by words
    CHECK(kind_at(&of, 0) == VIEW_ENTRY_ABOVE && of.browser.chosen == 1);
    CHECK_STRING(label_at(&of, 1) + of.browser.num_left_out, "pain_01.md5anim");
    CHECK(choose(&of, 0).action == VIEW_LISTED && of.browser.num_found == NUM_KINDS);
    CHECK(of.browser.chosen == 1); // the group that was left
    CHECK(choose(&of, 0).action == VIEW_LISTED);
    view_command request = choose(&of, 1);
    CHECK(request.action == VIEW_OPEN_NAMED && request.number == VIEW_ANIMS);
    CHECK_STRING(request.path, "models/md5/imp/pain_01.md5anim");
    free(request.path);
    view_clear_browser(&of.browser);
}

TEST (long_list_without_folders_is_grouped_by_words) {
    made of;
    static const char *const words[2] = {"monster_", "weapon_"};
    make_files(&of);
    for (int i = 0; i < NUM_FILES; i++)
        (void)snprintf(of.texts[i], sizeof of.texts[i], "%s%c%d", words[i % 2], 'a' + i / 20, i);
    (void)snprintf(of.texts[5], sizeof of.texts[5], "player");
    view_list_section(&of.browser, &of.library, VIEW_ANIMS, NULL);
    CHECK_UINT(of.browser.num_found, 3);
    CHECK_STRING(label_at(&of, 0), "monster_\xE2\x80\xA6  \xE2\x80\xA2  30");
    CHECK(kind_at(&of, 1) == VIEW_ENTRY_NAMED);
    CHECK_STRING(label_at(&of, 1), "player");
    CHECK(choose(&of, 0).action == VIEW_LISTED);
    CHECK_UINT(of.browser.num_found, 31);
    CHECK_STRING(label_at(&of, 1) + of.browser.num_left_out, "monster_a0"); // words stay
    view_clear_browser(&of.browser);
}

TEST (group_of_what_is_shown_is_listed_first) {
    made of;
    make_files(&of);
    view_list_section(&of.browser, &of.library, VIEW_ANIMS, of.texts[45]);
    CHECK_STRING(of.browser.group, "models/md5/zsec/");
    CHECK_STRING(view_listed_name(&of.browser, 0), of.texts[45]);
    view_list_section(&of.browser, &of.library, VIEW_ANIMS, "nothing");
    CHECK_STRING(of.browser.group, "models/md5/");
    view_clear_browser(&of.browser);
}

TEST (typing_finds_in_all_groups) {
    made of;
    make_files(&of);
    view_list_section(&of.browser, &of.library, VIEW_ANIMS, of.texts[0]);
    (void)view_type_browser(&of.browser, "pain_1");
    CHECK_UINT(of.browser.num_found, 5 * NUM_KINDS); // 11, 13, 15, 17, 19
    CHECK_UINT(of.browser.num_entries, NUM_FILES);
    for (int i = 0; i < 6; i++)
        (void)view_key_browser(&of.browser, SDLK_BACKSPACE, false);
    CHECK_STRING(of.browser.group, "models/md5/imp/");
    CHECK_UINT(of.browser.num_found, PER_KIND + 1);
    view_clear_browser(&of.browser);
}

TEST (names_of_a_mod_are_listed_alone) {
    made of;
    make_files(&of);
    of.library.are_own[VIEW_ANIMS] = of.are_own;
    view_list_section(&of.browser, &of.library, VIEW_ANIMS, NULL);
    CHECK(kind_at(&of, 0) == VIEW_ENTRY_OWN && of.browser.chosen == 1);
    CHECK(strstr(label_at(&of, 0), " 6") != NULL);
    CHECK(choose(&of, 0).action == VIEW_LISTED);
    CHECK_UINT(of.browser.num_found, 7);
    CHECK_STRING(of.browser.group, "models/md5/imp/");
    (void)view_type_browser(&of.browser, "walk");
    CHECK_UINT(of.browser.num_found, 3); // without the base's
    view_list_section(&of.browser, &of.library, VIEW_ANIMS, NULL);
    CHECK_UINT(of.browser.num_found, 3); // as in another section
    for (int i = 0; i < 4; i++)
        (void)view_key_browser(&of.browser, SDLK_BACKSPACE, false);
    CHECK(choose(&of, 0).action == VIEW_LISTED); // ../
    CHECK_UINT(of.browser.num_found, NUM_KINDS + 1);
    view_clear_browser(&of.browser);
}

TEST (empty_section_has_no_rows) {
    made of;
    make_files(&of);
    view_list_section(&of.browser, &of.library, VIEW_SKINS, "nothing");
    CHECK_UINT(of.browser.num_found, 0);
    CHECK(view_key_browser(&of.browser, SDLK_RETURN, false).action == VIEW_TAKEN);
    view_clear_browser(&of.browser);
}

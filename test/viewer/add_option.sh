#!/bin/sh
# Adding an option to the viewer: a field, one row of the table, and the function of its effect. A copy of the sources gets an
# option --halo in this way. Then the command line, help, manual page, completions, configuration, menu, shortcut, search
# and the table of effects contain it, and no other file was changed.
. test/build/report.sh

cc=${CC:-cc}
copy=$scratch/copy
mkdir -p "$copy/demo/viewer" && cp -R demo/viewer/base demo/viewer/jobs "$copy/demo/viewer/"

# insert FILE LINE: inserts standard input before the first line of the file that contains the text LINE.
insert() {
    awk -v line="$2" -v added="$scratch/added" 'BEGIN { while ((getline text < added) > 0) all = all text "\n" }
        !done && index($0, line) { printf "%s", all; done = 1 }
        { print }
        END { exit !done }' "$copy/demo/viewer/$1" >"$scratch/new" && mv "$scratch/new" "$copy/demo/viewer/$1"
}
add() {
    cat >"$scratch/added" && insert "$1" "$2"
}
check "the field is added" add base/options.h '    bool dual; //' <<'EOF'
    bool halo;
EOF
check "the row is added" add base/option_table.c '        .name = "watch",' <<'EOF'
        .name = "halo",
        .help = "glowing ring around the head",
        .tooltip = "Show a glowing ring around the head",
        .kind = COMMON_SWITCH,
        .offset = FIELD(halo),
        .scope = VIEW_SCOPE_LOOK,
        .effect = VIEW_EFFECT_HALO,
        .entry = {
            .menu = VIEW_MENU_MODEL,
            .after = VIEW_ROTATE_Z,
            .label = "Halo",
            .synonyms = "saint nimbus",
            .keys = {VIEW_WITH_CTRL | 'j'},
            .action = VIEW_TOGGLE,
        },
    },
    {
EOF
check "the name of the effect is added" add base/options.h '    VIEW_NUM_EFFECTS,' <<'EOF'
    VIEW_EFFECT_HALO,
EOF

# A program that uses the copied table.
cat >"$scratch/use.c" <<'EOF'
#include "demo/viewer/base/config.h"
#include "demo/viewer/base/options.h"
#include "demo/viewer/base/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int num_wrong;
static void expect(bool is_right, const char *what)
{
    num_wrong += !is_right;
    printf("%s: %s\n", is_right ? "right" : "wrong", what);
}

static const view_menu_entry *best_match(const view_menu_entries *list, const char *words)
{
    const view_menu_entry *best = NULL;
    int score = VIEW_NO_MATCH;
    for (size_t i = 0; i < list->count; i++) {
        const int rated = view_rate_entry(list->entries[i], words, words + strlen(words));
        best = rated > score ? list->entries[i] : best;
        score = rated > score ? rated : score;
    }
    return best;
}

int main(int count, char **arguments)
{
    view_options options, stored;
    char problem[256];
    if (!view_read_options(count - 1, arguments + 1, &options, problem, sizeof problem))
        return 2;
    if (view_print_requested_text(&options, stdout))
        return 0;
    const view_option *const option = VIEW_OPTION(halo);
    const view_menu_entry *const entry = view_get_entry(option);
    view_menu_entries list;
    view_list_menu_entries(&list);
    expect(options.halo, "--halo sets the field");
    char *const lines = view_write_settings(&options, NULL, VIEW_SCOPE_LOOK, VIEW_SCOPE_FILE);
    expect(strstr(lines, "--halo=yes\n") != NULL, "the settings contain it");
    view_read_options(0, NULL, &stored, problem, sizeof problem);
    expect(!stored.halo, "it is off by default");
    const char *unread = lines;
    char *value = NULL;
    expect(view_next_setting(&unread, &value) == option && view_read_option(option, value, &stored) && stored.halo,
           "stored settings set the field");
    free(value);
    expect(view_is_undone(option) && view_is_of_user(option), "it is undone and stored");
    expect(view_find_shortcut('j' | VIEW_WITH_CTRL) == entry, "its key finds it");
    size_t at = 0;
    while (at + 1 < list.count && list.entries[at] != entry)
        at++;
    expect(list.entries[at] == entry && entry->menu == VIEW_MENU_MODEL, "the menu contains it");
    expect(best_match(&list, "halo") == entry, "the search finds its label");
    expect(best_match(&list, "saints nimbus") == entry, "the search finds its synonyms");
    expect(best_match(&list, "glowing ring") == entry, "the search finds its tooltip");
    expect(view_get_action(entry) == view_get_toggle(option), "its action toggles it");
    free(lines);
    view_free_options(&options);
    view_free_options(&stored);
    return num_wrong > 0;
}
EOF
# Compiles the copied files of base/ that use the table, and links the program.
builds() {
    # shellcheck disable=SC2086 # archives
    $cc -std=c11 -D_GNU_SOURCE -O0 -I"$copy" -I. "$scratch/use.c" "$copy"/demo/viewer/base/option*.c \
        "$copy/demo/viewer/base/commands.c" "$copy/demo/viewer/base/manual.c" "$copy/demo/viewer/base/search.c" \
        "$copy/demo/viewer/base/removed.c" demo/viewer/platform/keys.c demo/common/*.c $archives -lm -lz -lpthread \
        -o "$scratch/use"
}
check "the row compiles" builds || finish

recognizes_option() {
    "$scratch/use" --halo >"$scratch/uses"
    code=$?
    grep wrong "$scratch/uses"
    [ "$code" = 0 ] && [ "$(grep -c right "$scratch/uses")" = 11 ]
}
check "settings, menu, shortcut and search contain it" recognizes_option
output_contains() {
    "$scratch/use" "$1" | grep -F -e "$2"
}
check "--help contains it" output_contains --help '--halo'
check "--man contains it" output_contains --man 'Model, Halo; key: Ctrl+J'
check "--list-bindings contains it" output_contains --list-bindings 'Halo'
check "--completions=bash contains it" output_contains --completions=bash '--halo'

# jobs/ask.c does not compile until the table of effects contains a function of the new effect.
compiles_effects() {
    $cc -std=c11 -D_GNU_SOURCE -fsyntax-only -I"$copy" -I. "$copy/demo/viewer/jobs/ask.c" 2>"$scratch/errors"
}
refuses_missing_effect() {
    ! compiles_effects && grep 'one function per effect' "$scratch/errors"
}
check "an effect without a function is an error" refuses_missing_effect
check "the function is added" add jobs/ask.c '// The function of each effect' <<'EOF'
static bool show_halo(view_state *viewer)
{
    return viewer->options->halo;
}

EOF
sed -i 's|.*// VIEW_EFFECT_LESSON$|&\n    show_halo, // VIEW_EFFECT_HALO|' "$copy/demo/viewer/jobs/ask.c"
check "the effect with a function compiles" compiles_effects
finish

// Names of the parts of a scene that the converter builds.
#include "test/scoped.h"

#include "demo/convert/plain_scene.h"

TEST (plain_file_names_contain_letters_digits_and_underscores) {
    static const struct {
        const char *text, *expected; // NULL: nothing remains
    } rows[] = {
        {"azAZ09", "azAZ09"},
        {"`a{@A[/0:", "a_A_0"},
        {"walk / run", "walk_run"},
        {"_idle_", "idle"},
        {"l\xC3\xA9mb", "l_mb"},
        {"...", NULL},
        {"", NULL},
        {NULL, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        SCOPED_STRING name = plain_file_name(rows[i].text);
        if (rows[i].expected)
            CHECK_STRING(name, rows[i].expected);
        else
            CHECK(!name);
    }
}

// How the viewer finds the texture of a mesh, in folders laid out like those of mods and games.
#define _XOPEN_SOURCE 700 // mkdtemp(), nftw()

#include "demo/viewer/scene/find_texture.h"

#include "demo/viewer/scene/maps.h"
#include "test/test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILES = 6, TINY = 4, USUAL = 32 };

// Files of a package (a name that ends in ! is a tiny picture), the model, the names in its mesh,
// and the expected result.
typedef struct find_case {
    const char *files[MAX_FILES];
    const char *model, *shader, *mesh;
    const char *found; // NULL: nothing
    bool is_guess;
} find_case;

static const find_case cases[] = {
    // The shader's path as it is, and with other endings and cases.
    {{"models/imp/imp.tga"},
     "models/imp/imp.md5mesh",
     "models/imp/imp",
     "a",
     "models/imp/imp.tga",
     false},
    {{"models/imp/Imp.PNG"},
     "models/imp/imp.md5mesh",
     "models/imp/imp.tga",
     "a",
     "models/imp/Imp.PNG",
     false},
    {{"m/imp.jpg"}, "m/imp.md5mesh", "C:\\art\\imp.tga", "a", "m/imp.jpg", false},
    {{"textures/imp.png"}, "models/imp.md5mesh", "textures/imp", "a", "textures/imp.png", false},
    // Two folders that differ in case: the picture is in the one that the shader does not name.
    {{"textures/other.tga", "Textures/imp.png"},
     "models/imp.md5mesh",
     "textures/imp",
     "a",
     "Textures/imp.png",
     false},
    // Suffixes of colour maps. A tiny picture does not hide them, but is used if there is no other.
    {{"m/imp_d.tga", "m/imp_local.tga"}, "m/imp.md5mesh", "m/imp", "a", "m/imp_d.tga", false},
    {{"m/imp_color.png"}, "m/imp.md5mesh", "m/imp", "a", "m/imp_color.png", false},
    {{"m/imp.tga!", "m/imp_d.tga"}, "m/imp.md5mesh", "m/imp", "a", "m/imp_d.tga", false},
    {{"m/imp.tga!"}, "m/imp.md5mesh", "m/imp", "a", "m/imp.tga", false},
    {{"m/imp.tga", "m/imp_d.tga"}, "m/imp.md5mesh", "m/imp", "a", "m/imp.tga", false},
    // A material names the picture.
    {{"materials/imp.mtr", "art/red.tga", "models/imp/imp.tga"},
     "models/imp/imp.md5mesh",
     "models/imp/imp",
     "a",
     "art/red.tga",
     false},
    // An md5.cfg names a picture for each mesh.
    {{"imp/md5.cfg", "imp/imp.md5mesh", "imp/skin.png", "imp/imp.png"},
     "imp/imp.md5mesh",
     "imp",
     "body",
     "imp/skin.png",
     false},
    // A material of Unvanquished.
    {{"scripts/imp.shader", "art/green.png", "models/imp/imp.png"},
     "models/imp/imp.md5mesh",
     "models/imp/imp",
     "a",
     "art/green.png",
     false},
    // The first skin of a model of the Quake re-releases.
    {{"id1/progs/ogre_00_00.png", "id1/progs/ogre.png"},
     "id1/progs/ogre.md5mesh",
     "progs/ogre",
     "a",
     "id1/progs/ogre_00_00.png",
     false},
    {{"id1/textures/ogre_00_00.tga", "id1/progs/any.png"},
     "id1/progs/ogre.md5mesh",
     "ogre",
     "a",
     "id1/textures/ogre_00_00.tga",
     false},
    {{"m/imp/tris.md2", "m/imp/md5/skin.png", "m/imp/md5/pain.png"},
     "m/imp/md5/tris.md5mesh",
     "whatever",
     "a",
     "m/imp/md5/skin.png",
     false},
    // Guesses.
    {{"textures/x/y/skin.png"}, "models/imp.md5mesh", "skin", "a", "textures/x/y/skin.png", true},
    {{"m/body.png", "m/other.png"}, "m/imp.md5mesh", "unknown", "body", "m/body.png", true},
    {{"m/imp.png", "m/other.png"}, "m/imp.md5mesh", "unknown", "a", "m/imp.png", true},
    {{"m/any.png", "m/any_local.png", "m/normals.png"},
     "m/imp.md5mesh",
     "unknown",
     "a",
     "m/any.png",
     true},
    {{"m/frank_skin_col.jpg", "m/frank_tail2.png"},
     "m/imp.md5mesh",
     "",
     "Tail",
     "m/frank_tail2.png",
     true},
    {{"m/frank_skin_col.jpg", "m/frank_tail2.png"},
     "m/imp.md5mesh",
     "",
     "Body",
     "m/frank_skin_col.jpg",
     true},
    {{"m/upper_a.jpg", "m/lower_a.jpg", "m/lower_norm.jpg"},
     "m/imp.md5mesh",
     "/elsewhere/lower_defender.png",
     "Cube",
     "m/lower_a.jpg",
     true},
    // For a mesh without a shader, its own name is not a guess.
    {{"m/body.png"}, "m/imp.md5mesh", "", "body", "m/body.png", false},
    // Two pictures with other names are ambiguous; a text file is no picture.
    {{"m/one.png", "m/two.png"}, "m/imp.md5mesh", "unknown", "a", NULL, false},
    {{"m/readme.txt"}, "m/imp.md5mesh", "unknown", "a", NULL, false},
};

// Creates the folders above a file.
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

// Returns the text of a file that is no picture, or NULL.
static const char *text_of(const char *path)
{
    if (common_has_ending(path, ".mtr"))
        return "models/imp/imp { diffusemap scale( art/red.tga, 1, 1, 1, 1 ) }";
    if (common_has_ending(path, ".shader"))
        return "models/imp/imp\n{\n\tdiffuseMap art/green\n}\n";
    if (common_has_ending(path, ".cfg"))
        return "md5load imp.md5mesh\nmd5skin body \"<dds>skin.png\"\n";
    return common_has_ending(path, ".md5mesh") ? "MD5Version 10" : NULL;
}

// Writes the head of an .md2 that has one skin, and the skin's name after it.
static void put_md2(FILE *file)
{
    static const uint8_t head[68] = {'I', 'D', 'P', '2', 8, [20] = 1, [44] = 68};
    static const char name[64] = "models/monsters/imp/skin.pcx";
    CHECK(fwrite(head, 1, sizeof head, file) == sizeof head);
    CHECK(fwrite(name, 1, sizeof name, file) == sizeof name);
}

// Writes a grey picture as TGA, whatever its name says; or text if the file's ending has some.
static void put_file(const char *folder, const char *name)
{
    const bool is_tiny = common_has_ending(name, "!");
    const uint8_t side = is_tiny ? TINY : USUAL;
    const uint8_t header[18] = {[2] = 3, [12] = side, [14] = side, [16] = 8};
    static const uint8_t pixels[USUAL * USUAL];
    char *const path = common_join(folder, name);
    if (is_tiny)
        path[strlen(path) - 1] = '\0';
    make_folders(path);
    FILE *const file = fopen(path, "wb");
    if (CHECK(file != NULL)) {
        const char *const text = text_of(path);
        if (common_has_ending(path, ".md2"))
            put_md2(file);
        else if (text != NULL)
            CHECK(fwrite(text, 1, strlen(text), file) == strlen(text));
        else
            CHECK(fwrite(header, 1, sizeof header, file) == sizeof header
                  && fwrite(pixels, 1, (size_t)side * side, file) == (size_t)side * side);
        fclose(file);
    }
    free(path);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

static void check_case(const find_case *of, size_t index)
{
    const char *const above = getenv("TMPDIR");
    char *const folder = common_format("%s/md5view_find_XXXXXX", above != NULL ? above : "/tmp");
    if (!CHECK(mkdtemp(folder) != NULL)) {
        free(folder);
        return;
    }
    for (int i = 0; i < MAX_FILES && of->files[i] != NULL; i++)
        put_file(folder, of->files[i]);
    view_log log = {.level = VIEW_QUIET};
    char *const model = common_join(folder, of->model);
    view_texture_search search = {model, of->shader, of->mesh, view_open_package(model), 0};
    view_texture_found found = view_find_texture(&search, &log);
    const char *const name = found.path != NULL ? strstr(found.path, folder) : NULL;
    const char *const rest = name != NULL ? name + strlen(folder) + 1 : "nothing";
    test_check(strcmp(rest, of->found != NULL ? of->found : "nothing") == 0, __FILE__, __LINE__,
               "case %zu, shader \"%s\": found %s", index, of->shader, rest);
    test_check((found.guess != NULL) == of->is_guess, __FILE__, __LINE__, "case %zu: guess: %s",
               index, found.guess != NULL ? found.guess : "none");
    CHECK((found.path == NULL) == (of->found == NULL)
          && (found.path != NULL || found.tried.count > 0));
    view_free_texture_found(&found);
    view_close_package(search.package);
    free(model);
    CHECK(nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0);
    free(folder);
}

TEST (view_textures_are_found_by_what_names_say) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_case(&cases[i], i);
}

TEST (view_textures_tell_what_other_maps_are) {
    CHECK(view_is_other_map("x/imp_local.tga") && view_is_other_map("x/Normals.PNG"));
    CHECK(view_is_other_map("x/imp_luma.png") && !view_is_other_map("x/imp_d.tga"));
    CHECK(!view_is_other_map("x/imp.tga") && !view_is_other_map("x/abnormal.png"));
}

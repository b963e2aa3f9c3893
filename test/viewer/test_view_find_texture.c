// Search for the texture of a mesh, in folders that are laid out like the folders of mods and
// games.
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILES = 16, MAX_MESHES = 4, TINY = 4, USUAL = 32 };

// A mesh with the name of its shader, and the image that the search must find for it.
typedef struct find_mesh {
    const char *shader, *name;
    const char *image; // NULL: no image
    bool is_guess;
} find_mesh;

// Files of a package: images (a name with ! at its end is a tiny image), or a path, a line break
// and the file's text. The first file is the model.
typedef struct find_case {
    const char *description;
    const char *files[MAX_FILES];
    find_mesh meshes[MAX_MESHES];
} find_case;

static const find_case cases[] = {
    {"the shader's path",
     {"models/imp/imp.md5mesh", "models/imp/imp.tga"},
     {{"models/imp/imp", "a", "models/imp/imp.tga", false}}},
    {"another file extension and case",
     {"models/imp/imp.md5mesh", "models/imp/Imp.PNG"},
     {{"models/imp/imp.tga", "a", "models/imp/Imp.PNG", false}}},
    {"a path from another machine",
     {"m/imp.md5mesh", "m/imp.jpg"},
     {{"C:\\art\\imp.tga", "a", "m/imp.jpg", false}}},
    {"a path in the package",
     {"models/imp.md5mesh", "textures/imp.png"},
     {{"textures/imp", "a", "textures/imp.png", false}}},
    {"two folders that differ in case",
     {"models/imp.md5mesh", "textures/other.tga", "Textures/imp.png"},
     {{"textures/imp", "a", "Textures/imp.png", false}}},
    {"suffixes of color maps",
     {"m/imp.md5mesh", "m/imp_d.tga", "m/imp_local.tga"},
     {{"m/imp", "a", "m/imp_d.tga", false}}},
    {"a color map",
     {"m/imp.md5mesh", "m/imp_color.png"},
     {{"m/imp", "a", "m/imp_color.png", false}}},
    {"a tiny image",
     {"m/imp.md5mesh", "m/imp.tga!", "m/imp_d.tga"},
     {{"m/imp", "a", "m/imp_d.tga", false}}},
    {"nothing but a tiny image",
     {"m/imp.md5mesh", "m/imp.tga!"},
     {{"m/imp", "a", "m/imp.tga", false}}},
    {"with and without suffix",
     {"m/imp.md5mesh", "m/imp.tga", "m/imp_d.tga"},
     {{"m/imp", "a", "m/imp.tga", false}}},
    {"names from other machines",
     {"m/imp.md5mesh", "m/readme.txt\nnothing"},
     {{"/etc/passwd", "a", NULL, false},
      {"\\\\host\\share\\x.tga", "b", NULL, false},
      {"//host/share/x", "c", NULL, false},
      {"../../../../../../etc/x", "d", NULL, false}}},
    {"a material",
     {"models/imp/imp.md5mesh",
      "materials/imp.mtr\nmodels/imp/imp { diffusemap scale( art/red.tga, 1, 1, 1, 1 ) }",
      "art/red.tga", "models/imp/imp.tga"},
     {{"models/imp/imp", "a", "art/red.tga", false}}},
    {"a material whose image is missing",
     {"models/imp/imp.md5mesh",
      "materials/imp.mtr\nmodels/imp/eye { diffusemap models/imp/eye_d.tga }",
      "models/imp/skin.tga", "models/ogre/eye.tga"},
     {{"models/imp/eye", "a", NULL, false}}},
    {"images of The Dark Mod",
     {"models/guard/guard.md5mesh", "materials/g.mtr\nguard_head { diffusemap models/guard/head }",
      "dds/models/guard/head.dds"},
     {{"guard_head", "a", "dds/models/guard/head.dds", false}}},
    {"a material of Unvanquished",
     {"models/imp/imp.md5mesh",
      "scripts/imp.shader\nmodels/imp/imp\n{\n\tdiffuseMap art/green\n}\n", "art/green.png",
      "models/imp/imp.png"},
     {{"models/imp/imp", "a", "art/green.png", false}}},
    {"an md5.cfg in the model's folder",
     {"imp/imp.md5mesh", "imp/md5.cfg\nmd5load imp.md5mesh\nmd5skin body \"<dds>skin.png\"\n",
      "imp/skin.png", "imp/imp.png"},
     {{"imp", "body", "imp/skin.png", false}, {"", "tail", NULL, false}}},
    {"an md5.cfg in a parent folder of the model",
     {"imp/m/imp.md5mesh", "imp/md5.cfg\nmd5load m/imp.md5mesh\nmd5skin * red.png\n", "imp/red.png",
      "imp/m/imp.png"},
     {{"imp", "body", "imp/red.png", false}}},
    {"an md5.cfg that loads another model",
     {"imp/imp.md5mesh", "imp/md5.cfg\nmd5load ogre.md5mesh\nmd5skin * red.png\n",
      "imp/ogre.md5mesh\nMD5Version 10", "imp/red.png", "imp/imp.png"},
     {{"imp", "body", "imp/imp.png", false}}},
    {"an md5.cfg with a path out of its package",
     {"p/data/imp/imp.md5mesh",
      "p/data/imp/md5.cfg\nmd5load imp.md5mesh\nmd5skin * ../../../secret.png\n",
      "p/data/textures/x.png", "secret.png"},
     {{"", "body", NULL, false}}},
    {"a weapon of Red Eclipse",
     {"data/weapons/pistol/pistol.md5mesh",
      "data/weapons/pistol/hwep/md5.cfg\nmd5load ../pistol.md5mesh\nmd5skin * <dds>../skin.png "
      "<dds>../glow.png 0.125 0.0\n",
      "data/weapons/pistol/skin.png", "data/weapons/pistol/skin.dds",
      "data/weapons/pistol/glow.png", "data/weapons/pistol/norm.png",
      "data/weapons/pistol/proj/skin.png", "data/textures/weapons/pistol.png"},
     {{"", "Cube", "data/weapons/pistol/skin.png", false}}},
    {"a weapon of Red Eclipse without an md5.cfg",
     {"data/weapons/plasma/plasma.md5mesh", "data/textures/default.png",
      "data/weapons/plasma/skin.png", "data/weapons/plasma/mask.png",
      "data/weapons/plasma/norm.png", "data/textures/weapons/plasma.png"},
     {{"default", "Mesh", "data/weapons/plasma/skin.png", true}}},
    {"an icon with the model's name",
     {"data/weapons/grenade/grenade.md5mesh", "data/textures/weapons/grenade.png",
      "data/weapons/grenade/diffuse.png", "data/weapons/grenade/normals.png"},
     {{"grenade", "", "data/weapons/grenade/diffuse.png", true}}},
    {"hands of the player with an md5.cfg in a subfolder",
     {"data/actors/player/hud_hands.md5mesh",
      "data/actors/player/male/hwep/md5.cfg\nexec \"actors/player/hwep.cfg\"\n",
      "data/actors/player/hwep.cfg\nmd5load ../../hud_hands.md5mesh\nmd5skin * "
      "<dds>../../diffuse.png\n",
      "data/actors/player/diffuse.png", "data/actors/player/headless.png",
      "data/actors/player/RE_Player_diffuse.tga"},
     {{"/home/moop/RE_Player_cavity.tga", "skin.pn", "data/actors/player/diffuse.png", false}}},
    {"parts of a turret",
     {"turret/turret.md5mesh", "turret/skin1.png", "turret/skin2.png"},
     {{"", "turret-top", NULL, false}, {"", "turret-stand", NULL, false}}},
    {"flag and pole",
     {"flag/mesh.md5mesh", "flag/flag_skin.png", "flag/pole_skin.png"},
     {{"", "Cylinder", NULL, false}, {"", "Cube", NULL, false}}},
    {"flags of four colors",
     {"models/flag/blue/gk_syn_flag_01.md5mesh",
      "models/flag/red/gk_syn_flag_02.md5mesh\nMD5Version 10", "models/flag/gk_syn_flag_cc.jpg",
      "models/flag/gk_syn_flag_nm.jpg", "models/flag/gk_syn_flag_sc.jpg"},
     {{"", "Mesh1", "models/flag/gk_syn_flag_cc.jpg", true}}},
    {"hands of Sauerbraten",
     {"hudguns/snout_hands.md5mesh", "hudguns/snout_hands.jpg", "hudguns/snout_hands_mask.jpg",
      "hudguns/snout_hands_normals.jpg"},
     {{"", "hands", "hudguns/snout_hands.jpg", true}}},
    {"upper and lower body with four skins",
     {"stromar/stromar.md5mesh", "stromar/lower_attacker_01_a.jpg",
      "stromar/lower_attacker_02_a.jpg", "stromar/lower_attacker_04_a.jpg",
      "stromar/upper_attacker_01_a.jpg", "stromar/upper_attacker_02_a.jpg",
      "stromar/upper_attacker_04_a.jpg", "stromar/lower_attacker_01_sc_A.jpg",
      "stromar/lower_norm.jpg", "stromar/upper_norm.jpg"},
     {{"/home/john/lower_defender.png", "Cube", "stromar/lower_attacker_01_a.jpg", true},
      {"/home/john/upper_defender.png", "Cube.037", "stromar/upper_attacker_01_a.jpg", true},
      {"/home/john/upper_norm7.png", "Health", NULL, false}}},
    {"a squirrel's tail",
     {"frankie/Frankie.md5mesh", "frankie/flyingsquirrel_skin_col.jpg",
      "frankie/flyingsquirrel_skin_nor.jpg", "frankie/frankie_tail2.png"},
     {{"", "Tail", "frankie/frankie_tail2.png", true},
      {"", "Body", "frankie/flyingsquirrel_skin_col.jpg", true}}},
    {"a rifle without its image",
     {"models/weapons/rifle/rifle_view.md5mesh", "models/weapons/rifle/flash.jpg",
      "models/weapons/rifle/rifle_s.png", "models/weapons/rifle/smg_n.png",
      "scripts/other.shader\nx\n{\n}\n"},
     {{"models/weapons/rifle/smg", "rifle", NULL, false},
      {"models/weapons/arms/arm2", "arms", NULL, false}}},
    {"a shotgun without its image",
     {"models/weapons/shotgun/shotgun_view.md5mesh", "models/weapons/shotgun/muzzley.png",
      "models/weapons/shotgun/shotgun_flash.png", "models/weapons/shotgun/shotgun_flashside.png",
      "models/weapons/shotgun/shotgun_laser.png", "models/weapons/shotgun/shotgun_local.png",
      "models/weapons/shotgun/shotgun_s.png"},
     {{"models/weapons/shotgun/shotgun", "shotgun", NULL, false}}},
    {"a railgun and arms",
     {"models/weapons/railgun/railgun_view.md5mesh", "models/weapons/railgun/body_diffuse.png",
      "models/weapons/railgun/body_NRM.png", "models/weapons/railgun/bgf_diffuse.png",
      "models/weapons/railgun/body_glo.png", "models/weapons/arms/arm2_d.png",
      "models/weapons/arms/arm2_local.png"},
     {{"models/weapons/railgun/body", "a", "models/weapons/railgun/body_diffuse.png", false},
      {"models/weapons/railgun/bgf", "b", "models/weapons/railgun/bgf_diffuse.png", false},
      {"models/weapons/arms/arm2", "c", "models/weapons/arms/arm2_d.png", false}}},
    {"an alien whose shader script names other files",
     {"models/players/level2/body.md5mesh",
      "scripts/level2.shader\nmodels/players/level2/legs\n{\n\tdiffuseMap "
      "models/players/level2/Mara_Legs_Diff\n\tnormalMap "
      "models/players/level2/Mara_Legs_Nrmls\n}\n",
      "models/players/level2/Mara_Legs_Diff.png", "models/players/level2/Mara_Legs_Nrmls.png",
      "models/players/level2/level2_body.png", "models/players/level2/level2_adv_legs.png"},
     {{"models/players/level2/legs", "a", "models/players/level2/Mara_Legs_Diff.png", false}}},
    {"an animal of Terasology",
     {"assets/skeletalMesh/deer.md5mesh", "assets/textures/animals/deer.png",
      "assets/textures/animals/redDeer.png", "assets/textures/deer/deerIcon.png",
      "assets/textures/items/deerHide.png"},
     {{"Material", "", "assets/textures/animals/deer.png", true}}},
    {"an animal whose image has another word in its name",
     {"assets/skeletalMesh/cow.md5mesh", "assets/textures/animals/cowTexture.png",
      "assets/textures/animals/sheepTexture.png"},
     {{"Material", "", "assets/textures/animals/cowTexture.png", true}}},
    {"an animal without an image",
     {"assets/skeletalMesh/wolf.md5mesh", "assets/textures/animals/sheepTexture.png",
      "assets/textures/icons/wolfIcon.png"},
     {{"Material", "", NULL, false}}},
    {"chess of two colors",
     {"assets/skeletalMesh/redFool.md5mesh", "assets/skeletalMesh/fool.md5mesh\nMD5Version 10",
      "assets/textures/pieces/redFool.png", "assets/textures/pieces/blackFool.png",
      "assets/textures/fool-mini-image.png"},
     {{"Material", "", "assets/textures/pieces/redFool.png", true}}},
    {"a chess piece without a color in its name",
     {"assets/skeletalMesh/fool.md5mesh", "assets/textures/pieces/redFool.png",
      "assets/textures/pieces/blackFool.png", "assets/textures/fool-mini-image.png"},
     {{"Material", "", NULL, false}}},
    {"robots and citizens",
     {"assets/skeletalMesh/robot_Bad_Animated.md5mesh", "assets/textures/characters/badCitizen.png",
      "assets/textures/characters/goodCitizen.png", "assets/textures/icons/badRobotIcon.png"},
     {{"Material", "", NULL, false}}},
    {"resources of a program",
     {"res/raw/bob_mesh.md5mesh", "res/drawable/guard1_body_color.jpg",
      "res/drawable/guard1_face_color.jpg", "res/drawable/guard2_body.jpg",
      "res/drawable/earth_normal.jpg", "res/drawable/ground.png"},
     {{"/textures/bob/guard1_body.png", "a", "res/drawable/guard1_body_color.jpg", true},
      {"guard1_face", "b", "res/drawable/guard1_face_color.jpg", true},
      {"guard1_lamp", "c", NULL, false}}},
    {"one image with the model's name and one of another model",
     {"res/raw/ingrid_mesh.md5mesh", "res/drawable/ingrid.png", "res/drawable/f22.jpg"},
     {{"", "", "res/drawable/ingrid.png", true}}},
    {"the knight of a demo",
     {"resources/hellknight/hellknight.md5mesh", "resources/hellknight/hellknight_diffuse.jpg",
      "resources/hellknight/hellknight_normals.png",
      "resources/hellknight/hellknight_specular.png"},
     {{"models/monsters/hellknight/hellknight", "a", "resources/hellknight/hellknight_diffuse.jpg",
       false}}},
    {"a Blender export",
     {"robot/robot.md5mesh", "robot/textures/robot_base_color.png",
      "robot/textures/robot_normal.png", "robot/textures/robot_roughness.png", "robot/preview.png"},
     {{"Material.001", "Robot.001", "robot/textures/robot_base_color.png", true}}},
    {"an image in the parent folder",
     {"ogro/md5/mesh.md5mesh", "ogro/skin.jpg", "ogro/icon.png"},
     {{"", "", "ogro/skin.jpg", true}}},
    {"several models in one folder",
     {"data/legs.md5mesh", "data/head.md5mesh\nMD5Version 10", "data/body.md5mesh\nMD5Version 10",
      "data/head.jpg", "data/body.jpg"},
     {{"", "", NULL, false}}},
    {"eyes of another model",
     {"models/imp/imp.md5mesh", "models/imp/imp.tga", "models/ogre/eyes.tga",
      "models/ogre/ogre.md5mesh\nMD5Version 10", "textures/x.tga"},
     {{"models/imp/imp", "body", "models/imp/imp.tga", false},
      {"models/imp/eyes", "eyes", NULL, false},
      {"", "arms", NULL, false}}},
    {"a preview, a lightmap and a normal map",
     {"props/crate.md5mesh", "props/crate_preview.png", "props/lightmap_0.tga", "props/crate_n.tga",
      "props/thumbnail.jpg"},
     {{"", "", NULL, false}}},
    {"the only image in the folder of a single model",
     {"m/imp.md5mesh", "m/any.png", "m/any_local.png", "m/normals.png"},
     {{"Material", "a", "m/any.png", true}}},
    {"a single image that nothing supports",
     {"m/imp.md5mesh", "m/any.png"},
     {{"unknown", "a", NULL, false}}},
    {"two images", {"m/imp.md5mesh", "m/one.png", "m/two.png"}, {{"unknown", "a", NULL, false}}},
    {"the mesh's name",
     {"m/imp.md5mesh", "m/body.png", "m/other.png"},
     {{"unknown", "body", "m/body.png", true}}},
    {"the model's name",
     {"m/imp.md5mesh", "m/imp.png", "m/other.png"},
     {{"unknown", "a", "m/imp.png", true}}},
    {"a specific name in another folder",
     {"models/imp.md5mesh", "textures/x/y/hellspawn.png"},
     {{"hellspawn", "a", "textures/x/y/hellspawn.png", true}}},
    {"a common name in another folder",
     {"models/imp.md5mesh", "textures/x/y/skin.png"},
     {{"skin", "a", NULL, false}}},
    {"the same name in two other folders",
     {"models/imp.md5mesh", "textures/x/hellspawn.png", "textures/y/hellspawn.png"},
     {{"hellspawn", "a", NULL, false}}},
    {"a skin of Quake",
     {"id1/progs/ogre.md5mesh", "id1/progs/ogre_00_00.png", "id1/progs/ogre.png"},
     {{"progs/ogre", "a", "id1/progs/ogre_00_00.png", false}}},
    {"a skin of Quake in its textures",
     {"id1/progs/ogre.md5mesh", "id1/textures/ogre_00_00.tga", "id1/progs/any.png"},
     {{"ogre", "a", "id1/textures/ogre_00_00.tga", false}}},
    {"files in the parent folder of a package",
     {"up/base/models/x/imp.md5mesh", "up/base/models/x/imp.png",
      "up/base/materials/a.mtr\nb { { map c } }", "up/materials/b.mtr\nimp { diffusemap up }",
      "up/up.png", "up/a.pk4\nPK"},
     {{"imp", "a", "up/base/models/x/imp.png", false}}},
    {"files in a parent folder of models without declarations",
     {"up/base/models/x/imp.md5mesh", "up/base/models/x/imp.png",
      "up/materials/b.mtr\nimp { diffusemap up }", "up/up.png",
      "up/scripts/a.shader\nimp { { map up } }"},
     {{"imp", "a", "up/base/models/x/imp.png", false}}},
    {"files in the parent folder of a model",
     {"up/x/imp.md5mesh", "up/x/imp.png", "up/materials/b.mtr\nimp { diffusemap up }", "up/up.png"},
     {{"imp", "a", "up/x/imp.png", false}}},
    {"a path out of a package",
     {"up/base/models/x/imp.md5mesh", "up/hides/one.png", "up/textures/a.png"},
     {{"hides/one", "a", NULL, false}}},
    {"a path out of a model's folder",
     {"up/y/x/imp.md5mesh", "up/hides/one.png"},
     {{"hides/one", "a", NULL, false}}},
    {"a skin of Quake II",
     {"m/imp/md5/tris.md5mesh", "m/imp/tris.md2", "m/imp/md5/skin.png", "m/imp/md5/pain.png"},
     {{"whatever", "a", "m/imp/md5/skin.png", false}}},
};

// Writes the text after the path or, if there is none, a gray image. The format is TGA, independent
// of the file extension.
static void write_file(const char *folder, const char *entry, const find_case *fixture)
{
    const bool is_tiny = common_has_suffix(entry, "!");
    const uint8_t side = is_tiny ? TINY : USUAL;
    const uint8_t header[18] = {[2] = 3, [12] = side, [14] = side, [16] = 8};
    static const uint8_t pixels[USUAL * USUAL];
    SCOPED_STRING path = common_join(folder, entry);
    const char *const text = strchr(entry, '\n');
    path[strcspn(path, "\n!")] = '\0';

    // Create the parent folders of the file.
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }

    FILE *const file = fopen(path, "wb");
    REQUIRE(file);
    if (common_has_suffix(path, ".md2")) {
        // Write the header of an .md2 that has one skin, followed by the skin's name.
        static const uint8_t head[68] = {'I', 'D', 'P', '2', 8, [20] = 1, [44] = 68};
        static const char name[64] = "models/monsters/imp/skin.pcx";
        CHECK(fwrite(head, 1, sizeof head, file) == sizeof head);
        CHECK(fwrite(name, 1, sizeof name, file) == sizeof name);
    } else if (text != NULL)
        fputs(text + 1, file);
    else if (entry == fixture->files[0]) {
        uint32_t count = 0;
        while (count < MAX_MESHES && fixture->meshes[count].shader != NULL)
            count++;
        fprintf(file, "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes %u\n",
                (unsigned)count);
        fputs("joints {\n\"origin\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n", file);
        for (uint32_t i = 0; i < count; i++) {
            fprintf(file, "mesh {\n// meshes: %s\nshader \"", fixture->meshes[i].name);
            fputs(fixture->meshes[i].shader, file);
            fputs("\"\nnumverts 0\nnumtris 0\nnumweights 0\n}\n", file);
        }
    } else
        CHECK(fwrite(header, 1, sizeof header, file) == sizeof header
              && fwrite(pixels, 1, (size_t)side * side, file) == (size_t)side * side);
    fclose(file);
}

// Checks the images that are found for a mesh. If `is_inside` is true, only the model's folder is
// searched, and every result is there.
static void check_mesh(const find_case *fixture, const char *folder, const view_look_search *search,
                       bool is_inside)
{
    view_log log = quiet_log;
    const find_mesh *const expected = &fixture->meshes[search->mesh];
    view_look look = view_find_look(search, view_log_listener(&log));
    const char *const path = look.diffuse != NULL ? strstr(look.diffuse, folder) : NULL;
    const char *const rest = path != NULL ? path + strlen(folder) + 1 : "nothing";
    if (is_inside) {
        const size_t inside = (size_t)(common_base(fixture->files[0]) - fixture->files[0]);
        CHECK_THAT(path == NULL || strncmp(rest, fixture->files[0], inside) == 0,
                   "%s, \"%s\" in its folder: found %s", fixture->description, expected->shader,
                   rest);
    } else {
        const char *const image = expected->image != NULL ? expected->image : "nothing";
        const char *const tried = look.tried.count > 0 ? look.tried.names[0] : "";
        CHECK_THAT(strcmp(rest, image) == 0, "%s, \"%s\": found %s, %s", fixture->description,
                   expected->shader, rest, look.why != NULL ? look.why : tried);
        CHECK_THAT(look.is_guess == expected->is_guess, "%s, \"%s\": %s", fixture->description,
                   expected->shader, look.why != NULL ? look.why : "none");
    }
    CHECK((look.diffuse == NULL) == (look.why == NULL));
    view_free_look(&look);
}

static void check_case(const find_case *fixture, bool is_inside)
{
    char *const folder = folder_make();
    char *const path = common_join(folder, fixture->files[0]);
    for (int i = 0; i < MAX_FILES && fixture->files[i] != NULL; i++)
        write_file(folder, fixture->files[i], fixture);
    SCOPED_MODEL model = md5_load_model(path, NULL, NULL);
    const md5_files files = {0};
    view_look_search search = {.model = model,
                               .package = view_open_package(path, is_inside ? &files : NULL)};
    if (CHECK(model))
        for (; search.mesh < model->num_meshes; search.mesh++)
            check_mesh(fixture, folder, &search, is_inside);
    view_close_package(search.package);
    free(path);
    folder_remove(folder);
}

TEST (view_textures_are_found_by_evidence) {
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const find_case *const row = &cases[i];
        check_case(row, false);
    }
}

TEST (view_textures_of_thumbnails_come_from_the_models_folder) {
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const find_case *const row = &cases[i];
        check_case(row, true);
    }
}

static bool is_other_map(const char *path)
{
    SCOPED_STRING stem = common_stem(path);
    const view_name name = view_split_name(stem);
    return view_is_non_color_map(&name);
}

TEST (view_names_of_other_maps_are_recognized) {
    CHECK(is_other_map("x/imp_local.tga") && is_other_map("x/Normals.PNG"));
    CHECK(is_other_map("x/imp_luma.png") && !is_other_map("x/imp_d.tga"));
    CHECK(!is_other_map("x/imp.tga") && !is_other_map("x/abnormal.png"));
    CHECK(is_other_map("x/Wall01_NRM.png") && is_other_map("x/concrete_n2.png"));
}

// File names are split at capital letters, digits and separators, and compared word by word. Two
// names with different numbers are not similar. Very long names are cut between words.
TEST (view_names_are_split_into_words) {
    CHECK_STRING(view_split_name("adultChicken_01dFF").words, " adult chicken 1 d ff ");
    const view_name imp = view_split_name("imp");
    const view_name skin = view_split_name("ImpSkin");
    CHECK_UINT(view_name_similarity(&imp, &skin), 100);
    CHECK_UINT(view_name_similarity(&skin, &imp), 42); // 3 of 7 letters are equal
    const view_name first = view_split_name("imp_01");
    const view_name second = view_split_name("imp_02");
    CHECK_UINT(view_name_similarity(&first, &second), 0);
    CHECK_UINT(view_name_similarity(&first, &imp), 75);
    char longest[1000];
    for (size_t i = 0; i < sizeof longest; i++)
        longest[i] = i % 2 == 0 ? 'x' : '_';
    longest[sizeof longest - 1] = '\0';
    const view_name cut = view_split_name(longest);
    CHECK(strlen(cut.words) < sizeof cut.words && cut.words[strlen(cut.words) - 1] == ' ');
    CHECK_UINT(view_name_similarity(&cut, &cut), 100);
    const view_name empty = view_split_name("");
    CHECK_UINT(view_name_similarity(&empty, &imp), 0);
}

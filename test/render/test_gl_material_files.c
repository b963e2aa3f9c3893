// Materials from image files: the kinds of their texels, and the file that is used for each map.
#include "render/md5gl_stb.h"
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

enum { SIDE = 64, NUM_TEXELS = SIDE * SIDE };

// -- Texels ---------------------------------------------------------------------------------------

// Returns the height of an oblique hill and valley that wrap around, 0..255.
static double height(double x, double y)
{
    const double frequency = 6.283185307179586 / (double)SIDE;
    return 127.5 + 60 * sin(frequency * (x + y)) + 60 * cos(frequency * (2 * x - y));
}

// Writes the expected bytes of a normal at a pixel, from differences of exact heights.
static void exact_normal(double x, double y, double scale, double bytes[3])
{
    const double small = 1e-4;
    const double u = -(height(x + small, y) - height(x - small, y)) / (2 * small) * scale / 256.0;
    const double v = -(height(x, y + small) - height(x, y - small)) / (2 * small) * scale / 256.0;
    const double length = sqrt(u * u + v * v + 1);
    bytes[0] = 127.5 + 127.5 * u / length;
    bytes[1] = 127.5 + 127.5 * v / length;
    bytes[2] = 127.5 + 127.5 / length;
}

typedef uint8_t texel_rows[NUM_TEXELS][4];

// Normals as id stores them, or in another encoding, a sum of md5gl_normals flags; or heights.
static void fill(texel_rows texels, uint32_t normals)
{
    for (int i = 0; i < NUM_TEXELS; i++) {
        double bytes[3];
        exact_normal(i % SIDE, i / SIDE, 8, bytes);
        for (int k = 0; k < 3; k++)
            texels[i][k] = (uint8_t)lround(bytes[k]);
        texels[i][3] = 255;
        if (normals & MD5GL_NORMALS_GREEN_UP)
            texels[i][1] = (uint8_t)(255 - texels[i][1]);
        if (normals & MD5GL_NORMALS_RXGB) {
            texels[i][3] = texels[i][0];
            texels[i][0] = 0;
        }
        if (normals & MD5GL_NORMALS_HEIGHTS)
            memset(texels[i], (int)lround(height(i % SIDE, i / SIDE)), 3);
    }
}

static md5gl_texture_desc describe(const texel_rows texels)
{
    return (md5gl_texture_desc){
        .kind = MD5GL_TEXTURE_NORMALS, .width = SIDE, .height = SIDE, .texels = texels[0]};
}

TEST (gl_normals_show_how_they_are_encoded) {
    texel_rows texels;
    for (uint32_t normals = 0; normals < MD5GL_NORMALS_HEIGHTS; normals++) {
        fill(texels, normals);
        const md5gl_texture_desc desc = describe(texels);
        CHECK_UINT(md5gl_guess_normals(&desc), normals);
    }
    // Flat normals do not show whether green points up or down, so id's convention is assumed.
    for (int i = 0; i < NUM_TEXELS; i++)
        memcpy(texels[i], (uint8_t[4]){128, 128, 255, 255}, 4);
    md5gl_texture_desc desc = describe(texels);
    CHECK_UINT(md5gl_guess_normals(&desc), 0);
    // If the slopes along v change along u, the texels cannot be the normals of a surface.
    for (int i = 0; i < NUM_TEXELS; i++)
        texels[i][1] = (uint8_t)(i % SIDE * 2);
    CHECK_UINT(md5gl_guess_normals(&desc), 0);
    desc.width = desc.height = 1;
    CHECK_UINT(md5gl_guess_normals(&desc), 0);
}

// An image counts as transparent only if more than one percent of its texels have an alpha below
// one half, so that a few defective texels do not make a model transparent.
TEST (gl_pictures_have_holes_where_alpha_is_low) {
    texel_rows texels;
    memset(texels, 255, sizeof texels);
    const md5gl_texture_desc desc = describe(texels);
    for (int i = 0; i < NUM_TEXELS / 100; i++)
        texels[i][3] = 127;
    CHECK(!md5gl_has_transparent_texels(&desc));
    texels[NUM_TEXELS / 2][3] = 128;
    CHECK(!md5gl_has_transparent_texels(&desc));
    texels[NUM_TEXELS / 2][3] = 127;
    CHECK(md5gl_has_transparent_texels(&desc));
}

// Returns the largest error of a texture's normals, in steps of its bytes, against exact normals
// half a pixel further, which is where four heights meet.
static double max_normal_error(gl_scene *scene, const md5gl_texture_desc *desc, double scale)
{
    static texel_rows back;
    const GladGLContext *const gl = scene_gl(scene->renderer);
    double max_error = 0;
    const md5gl_texture texture = md5gl_create_texture(scene->renderer, desc, NULL);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    gl->GetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, back);
    gl->BindTexture(GL_TEXTURE_2D, 0);
    for (int i = 0; i < NUM_TEXELS; i++) {
        double bytes[3];
        exact_normal(i % SIDE + 0.5, i / SIDE + 0.5, scale, bytes);
        for (int k = 0; k < 3; k++)
            max_error = fmax(max_error, fabs(bytes[k] - back[i][k]));
    }
    md5gl_destroy_texture(scene->renderer, texture);
    return max_error;
}

TEST_SCENE (gl_heights_become_normals) {
    static texel_rows texels;
    static texel_rows flat;
    static uint8_t half[NUM_TEXELS / 4][4];
    if (scene_is_es(scene->renderer)) // reads no textures back
        return;
    fill(texels, MD5GL_NORMALS_HEIGHTS);
    md5gl_texture_desc heights = describe(texels);
    md5gl_texture_desc normals = describe(flat);
    heights.normals = MD5GL_NORMALS_HEIGHTS;
    // Heights are whole numbers, so a slope is off by a unit of height at most.
    CHECK(max_normal_error(scene, &heights, 4) < 1 + 127.5 * 4.0 / 256.0);
    // Added to the slopes of flat normals, the slopes are unchanged, except for the rounding of
    // 127.5. A map of half the size has twice the slopes, up to the curvature within two texels.
    for (int i = 0; i < NUM_TEXELS; i++)
        memcpy(flat[i], (uint8_t[4]){128, 128, 255, 255}, 4);
    normals.heights = &heights;
    CHECK(max_normal_error(scene, &normals, 4) < 2 + 127.5 * 4.0 / 256.0);
    for (int i = 0; i < NUM_TEXELS / 4; i++)
        memcpy(half[i], texels[i / (SIDE / 2) * 2 * SIDE + i % (SIDE / 2) * 2], 4);
    heights.width = heights.height = SIDE / 2;
    heights.texels = half[0];
    CHECK(max_normal_error(scene, &normals, 8) < 16);
    CHECK(max_normal_error(scene, &normals, 4) > 20);
    heights.width = 0;
    md5_error error = {0};
    CHECK(md5gl_create_texture(scene->renderer, &normals, &error) == 0);
    CHECK(
        strstr(error.message, "height map is empty: expected at least 1 x 1 texels, found 0 x 32"));
}

// -- Files ----------------------------------------------------------------------------------------

// A file of the folder "f/": what its decoder returns.
typedef struct fake_file {
    const char *name; // NULL: the end
    uint32_t width;
    uint32_t height;
    const uint8_t *texels;
    const char *reason;
} fake_file;

typedef struct fake_folder {
    const fake_file *files;
    int live; // images that are not released
    int num_loads;
    int num_warnings;
    bool is_left; // a path leads elsewhere
    char warnings[1024];
} fake_folder;

static const uint8_t white[4] = {255, 255, 255, 255};
#define PICTURE(name)           \
    {                           \
        name, 1, 1, white, NULL \
    }

static const void *load_fake(void *user, const char *path, uint32_t *width, uint32_t *height,
                             md5_error *error)
{
    fake_folder *const folder = user;
    folder->num_loads++;
    if (strncmp(path, "f/", 2) != 0 || strpbrk(path + 2, "/\\:\n") != NULL || strlen(path) > 255) {
        folder->is_left = true;
        return NULL;
    }
    const fake_file *file = folder->files;
    while (file->name && strcmp(file->name, path + 2) != 0)
        file++;
    *width = file->width;
    *height = file->height;
    if (file->reason)
        snprintf(error->message, sizeof error->message, "%s", file->reason);
    folder->live += file->texels != NULL;
    return file->texels;
}

static void release_fake(void *user, const void *rgba)
{
    CHECK(rgba);
    ((fake_folder *)user)->live--;
}

static void warn_fake(void *user, const md5_error *warning)
{
    fake_folder *const folder = user; // is warn_user
    const size_t used = strlen(folder->warnings);
    folder->num_warnings++;
    CHECK(warning->status == MD5_WARNING);
    snprintf(folder->warnings + used, sizeof folder->warnings - used, "%s: %s|", warning->file,
             warning->message);
}

// Loads the materials of meshes with these shaders.
static md5gl_material_set *load(gl_scene *scene, fake_folder *folder, const fake_file *files,
                                const char *const *shaders, uint32_t num_shaders)
{
    md5_mesh meshes[8] = {{0}};
    const md5_model model = {.meshes = meshes, .num_meshes = num_shaders};
    for (uint32_t i = 0; i < num_shaders; i++) {
        const md5_mesh mesh = {.name = "body", .shader = shaders[i], .num_triangles = 1};
        memcpy(&meshes[i], &mesh, sizeof mesh);
    }
    *folder = (fake_folder){.files = files};
    const md5gl_material_set_desc desc = {.model = &model,
                                          .path = "f/imp.md5mesh",
                                          .load = load_fake,
                                          .release = release_fake,
                                          .user = folder,
                                          .warn = warn_fake,
                                          .warn_user = folder};
    md5gl_material_set *const material_set = md5gl_load_materials(scene->renderer, &desc, NULL);
    CHECK_UINT((uint64_t)folder->live, 0);
    CHECK(!material_set || material_set->num_warnings == (uint32_t)folder->num_warnings);
    return material_set;
}

// Returns the maps that a material has, as letters: d diffuse, n normals, s specular, g glow.
static const char *used_maps(const md5gl_material *material, md5gl_texture checker)
{
    static char text[8];
    size_t length = 0;
    if (material->diffuse != checker)
        text[length++] = 'd';
    if (material->normals != 0)
        text[length++] = 'n';
    if (material->specular != 0)
        text[length++] = 's';
    if (material->glow != 0)
        text[length++] = 'g';
    text[length] = '\0';
    return text;
}

TEST_SCENE (gl_material_files_find_images_by_their_names) {
    static const struct {
        const char *shader;
        const char *file;
        const char *maps;
    } rows[] = {
        {"models/imp/imp", "imp_local.tga", "dn"},
        {"imp", "imp_n.png", "dn"},
        {"imp", "imp_normal.jpg", "dn"},
        {"imp", "imp_h.png", "dn"},
        {"imp", "imp_height.dds", "dn"},
        {"imp", "imp_s.jpeg", "ds"},
        {"imp", "imp_specular.png", "ds"},
        {"imp", "imp_add.png", "dg"},
        {"imp", "imp_glow.png", "dg"},
        {"imp", "imp_emit.png", "dg"},
        {"imp", "imp_x.png", "d"},
        {"imp", "wimp_s.png", "d"},
        {"imp_d", "imp_s.png", "ds"},
        {"x\\imp_diffuse.TGA", "imp_s.png", "ds"},
        {"imp_s", "imp_s_s.png", ""},
    };
    const md5gl_texture checker = md5gl_checker_texture(scene->renderer);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const fake_file files[] = {PICTURE("imp.png"), PICTURE(rows[i].file), {0}};
        fake_folder folder;
        md5gl_material_set *const material_set =
            load(scene, &folder, files, (const char *[]){rows[i].shader, "x"}, 2);
        CHECK_STRING(used_maps(&material_set->materials[0], checker), rows[i].maps);
        CHECK_UINT(material_set->num_textures, strlen(rows[i].maps));
        // Thin parts are marked in the alpha of a specular map. Of the specular maps of this test,
        // only PNG files have alpha.
        CHECK(material_set->materials[0].has_thin_parts
              == (strchr(rows[i].maps, 's') && strstr(rows[i].file, ".png")));
        CHECK(material_set->materials[1].diffuse == checker && material_set->num_meshes == 2);
        md5gl_free_materials(scene->renderer, material_set);
    }
}

// If several textures match, the texture with the shader's own file name is used before other
// names. If a mesh has no shader, its own name is used. Meshes share textures.
TEST_SCENE (gl_material_files_use_the_best_name) {
    static const uint8_t holes[4] = {255, 255, 255, 0};
    STRINGS(names) = {"arm_d.tga", "arm_d.png",       "arm.png", "arm_diffuse.jpg",
                      "body.png",  "body_albedo.png", "imp.png"};
    STRINGS(shaders) = {"x/arm_d.tga", "x/arm_d.tga", ""};
    for (size_t first = 0; first <= COUNT_OF(names); first++) {
        fake_file files[COUNT_OF(names) + 1] = {{0}};
        fake_folder folder;
        // The file that must be used for each mesh has holes, so a mesh that uses it is drawn from
        // two sides.
        for (size_t i = first; i < COUNT_OF(names); i++)
            files[i - first] =
                (fake_file){names[i], 1, 1, i == first || i == 4 ? holes : white, NULL};
        md5gl_material_set *const material_set = load(scene, &folder, files, shaders, 3);
        CHECK_THAT(material_set->materials[0].two_sided == (first < 4), "from %zu", first);
        CHECK_THAT(material_set->materials[2].two_sided == (first < 6), "from %zu", first);
        uint32_t num_textures = 0;
        if (first < 4)
            num_textures = 2;
        else if (first < 6)
            num_textures = 1;
        CHECK_UINT(material_set->num_textures, num_textures);
        CHECK(material_set->materials[0].diffuse == material_set->materials[1].diffuse);
        md5gl_free_materials(scene->renderer, material_set);
    }
}

TEST_SCENE (gl_material_files_report_missing_and_damaged_images) {
    static const fake_file files[] = {{"imp.tga", 0, 0, NULL, "row 3 is missing"},
                                      {"imp.png", 0, 7, white, NULL},
                                      {"imp.jpg", 7, 0, white, NULL},
                                      {"imp.jpeg", 1u << 31, 1u << 31, white, NULL},
                                      {"imp.dds", 1, 1, white, NULL},
                                      {"imp_s.png", 1, UINT32_MAX, white, NULL},
                                      {"imp_local.png", 0, 0, NULL, "no"},
                                      {"imp_n.png", 0, 0, white, NULL},
                                      {"imp_h.png", 0, 0, white, NULL},
                                      {0}};
    STRINGS(expected) = {"f/imp.tga: row 3 is missing|",
                         "f/imp.png: image size is out of range: expected 1 to ",
                         " texels per side, found 7 x 0",
                         " texels per side, found 2147483648 x 2147483648",
                         " texels per side, found 1 x 4294967295",
                         "f/imp.md5mesh: mesh 1: image \"two\" not found next to the model"};
    fake_folder folder;
    md5gl_material_set *const material_set =
        load(scene, &folder, files, (const char *[]){"imp", "one/two.tga", "one/two.tga"}, 3);
    CHECK_STRING(used_maps(&material_set->materials[0], 0), "d");
    CHECK_UINT(material_set->num_textures, 1);
    CHECK_UINT(material_set->materials[2].diffuse, md5gl_checker_texture(scene->renderer));
    CHECK_UINT(material_set->num_warnings, 9);
    for (size_t i = 0; i < COUNT_OF(expected); i++)
        CHECK_THAT(strstr(folder.warnings, expected[i]) != NULL, "%s in %s", expected[i],
                   folder.warnings);
    md5gl_free_materials(scene->renderer, material_set);
    md5_error error = {0};
    CHECK(md5gl_load_materials(
              NULL,
              &(md5gl_material_set_desc){.path = "", .load = load_fake, .release = release_fake},
              &error)
          == NULL);
    CHECK(error.status == MD5_ERROR_MISSING);
    md5gl_free_materials(scene->renderer, NULL);
}

static const char *name_fake(void *user, const char *shader, md5gl_image_kind kind)
{
    (void)user;
    if (strcmp(shader, "models/one") != 0)
        return NULL;
    switch (kind) {
    case MD5GL_IMAGE_DIFFUSE:
        return "f/Skin of my own.jpg";
    case MD5GL_IMAGE_NORMALS:
        return "";
    case MD5GL_IMAGE_GLOW:
        return "f/none.png";
    default:
        return NULL;
    }
}

// The image that the host names is used instead of an image with the shader's name; the remaining
// maps are found by names.
TEST_SCENE (gl_material_files_use_names_of_the_program) {
    static const fake_file files[] = {PICTURE("Skin of my own.jpg"),
                                      PICTURE("one_local.png"),
                                      PICTURE("one_s.png"),
                                      PICTURE("one_glow.png"),
                                      PICTURE("two.png"),
                                      PICTURE("two_local.png"),
                                      {0}};
    static md5_mesh meshes[2] = {{.shader = "models/one", .num_triangles = 1},
                                 {.shader = "models/two", .num_triangles = 1}};
    const md5_model model = {.meshes = meshes, .num_meshes = 2};
    fake_folder folder = {.files = files};
    const md5gl_material_set_desc desc = {.model = &model,
                                          .path = "f/imp.md5mesh",
                                          .load = load_fake,
                                          .release = release_fake,
                                          .name = name_fake,
                                          .user = &folder};
    md5gl_material_set *const material_set = md5gl_load_materials(scene->renderer, &desc, NULL);
    const md5gl_texture checker = md5gl_checker_texture(scene->renderer);
    CHECK_STRING(used_maps(&material_set->materials[0], checker), "ds");
    CHECK_STRING(used_maps(&material_set->materials[1], checker), "dn");
    CHECK_UINT(material_set->num_warnings, 0);
    md5gl_free_materials(scene->renderer, material_set);
}

// Names come from hostile files.
TEST_SCENE (gl_material_files_open_files_of_the_folder_alone) {
    static char endless[5000];
    memset(endless, 'a', sizeof endless - 1);
    const char *const names[] = {"../../etc/passwd", "/etc/passwd", "..",   ".", "c:imp",
                                 "a\\..\\b",         "f\nx",        endless};
    static const fake_file files[] = {{0}};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        fake_folder folder;
        md5gl_material_set *const material_set = load(scene, &folder, files, &names[i], 1);
        CHECK_THAT(!folder.is_left, "name %u", (unsigned)i);
        CHECK(folder.num_loads <= 100);
        CHECK_UINT(material_set->num_warnings, 1);
        md5gl_free_materials(scene->renderer, material_set);
    }
}

// The encoding of a file does not change the image that is drawn.
TEST_SQUARE (gl_material_files_find_the_direction_of_green) {
    static gl_picture pictures[5];
    static texel_rows texels;
    stage->frame.light_direction = (md5_vec3){1, 2, 3};
    stage->frame.light[0] = stage->frame.light[1] = stage->frame.light[2] = 2;
    for (uint32_t i = 0; i < 5; i++) {
        fill(texels, i);
        const fake_file files[] = {
            PICTURE("imp.png"),
            {i == 4 ? "imp_h.png" : "imp_local.png", SIDE, SIDE, texels[0], NULL},
            {0}};
        fake_folder folder;
        md5gl_material_set *const material_set =
            load(&stage->scene, &folder, files, (const char *[]){"imp"}, 1);
        md5gl_set_material(stage->renderer, stage->copy, 0, 0, &material_set->materials[0]);
        stage_draw(stage, MD5GL_LIT, &pictures[i]);
        md5gl_free_materials(stage->renderer, material_set);
    }
    for (int i = 1; i < 4; i++)
        CHECK_BYTES(&pictures[i], &pictures[0], sizeof pictures[0]);
    CHECK(memcmp(&pictures[4], &pictures[0], sizeof pictures[0]) != 0); // other slopes
}

// If the memory for the set of materials is missing, there is no set; if the memory for a texture
// is missing, only the texture is missing.
TEST (gl_material_files_survive_failure_of_every_allocation) {
    static texel_rows texels;
    fill(texels, MD5GL_NORMALS_GREEN_UP);
    const fake_file files[] = {{"imp.png", SIDE, SIDE, texels[0], NULL},
                               {"imp_local.png", SIDE, SIDE, texels[0], NULL},
                               {0}};
    test_heap heap = {0};
    const md5_allocator allocator = {test_heap_alloc, test_heap_free, &heap, 0};
    gl_scene scene;
    if (!scene_open(&scene, &allocator))
        return;
    const size_t live = heap.live;
    size_t before = 0;
    for (size_t n = 1; heap.num_allocs >= before; n++) {
        fake_folder folder;
        before = heap.num_allocs + n;
        heap.fail_at = before;
        md5gl_material_set *const material_set =
            load(&scene, &folder, files, (const char *[]){"imp"}, 1);
        CHECK((material_set == NULL) == (n == 1));
        CHECK(!material_set || (material_set->num_warnings > 0) == (heap.num_allocs >= before));
        CHECK(!material_set || material_set->materials[0].diffuse != 0);
        md5gl_free_materials(scene.renderer, material_set);
        CHECK_UINT(heap.live, live);
    }
    scene_close(&scene);
}

// -- Real files -----------------------------------------------------------------------------------

// Our own models have the same maps as in the viewer, read by stb_image.
TEST_SCENE (gl_material_files_equal_those_of_the_viewer) {
    STRINGS(names) = {"bobbin", "spindle", "thimble", "lantern", "tendril"};
    for (size_t j = 0; j < COUNT_OF(names); j++) {
        const char *const path = test_pathf("models/%s/%s.md5mesh", names[j], names[j]);
        SCOPED_MODEL model = md5_load_model(path, NULL, NULL);
        const md5gl_material_set_desc desc = {
            .model = model, .path = path, .load = md5gl_stb_load, .release = md5gl_stb_release};
        view_textures textures;
        view_log log = quiet_log;
        md5gl_material_set *const material_set = md5gl_load_materials(scene->renderer, &desc, NULL);
        CHECK(view_load_textures(&textures,
                                 &(view_loader){.renderer = scene->renderer, .log = &log},
                                 &(view_texture_sources){.model = model, .path = path}));
        CHECK_UINT(material_set->num_warnings, 0);
        for (uint32_t i = 0; i < model->num_meshes; i++) {
            const md5gl_material shown =
                view_mesh_material(&textures, scene->renderer, i, true, false, 0);
            char expected[8];
            snprintf(expected, sizeof expected, "%s", used_maps(&shown, 0));
            CHECK_STRING(used_maps(&material_set->materials[i], 0), expected);
            CHECK(material_set->materials[i].two_sided == shown.two_sided);
            CHECK(material_set->materials[i].has_thin_parts == shown.has_thin_parts);
        }
        md5gl_free_materials(scene->renderer, material_set);
        view_free_textures(&textures, scene->renderer);
    }
}

TEST (gl_stb_rejects_damaged_and_too_large_images) {
    // The head of a PNG of 16384 x 16384 pixels: IHDR of 8 bits in red, green and blue.
    static const uint8_t large[] =
        "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x40\0\0\0\x40\0\x08\2\0\0\0\0\0\0\0";
    uint32_t width;
    uint32_t height;
    md5_error error = {0};
    CHECK(md5gl_stb_decode(NULL, large, sizeof large, &width, &height, &error) == NULL);
    CHECK_STRING(error.message, "16384x16384: image is too large");
    CHECK(md5gl_stb_decode(NULL, "PNG", 3, &width, &height, &error) == NULL);
    CHECK(error.status == MD5_ERROR_SYNTAX && strncmp(error.message, "0x0: ", 5) == 0);
    error = (md5_error){0};
    CHECK(md5gl_stb_load(NULL, test_path("models/none.png"), &width, &height, &error) == NULL);
    CHECK(error.status == MD5_OK && error.message[0] == '\0');
    CHECK(md5gl_stb_load(NULL, test_path("models"), &width, &height, &error) == NULL);
    CHECK(strncmp(error.message, "cannot read an image file of ", 29) == 0);
}

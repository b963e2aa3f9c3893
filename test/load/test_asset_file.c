// Asset files: what is mapped, or loaded as a file, is what was written, bit for bit; damaged
// ones are errors.
#include "test/fuzz/target.h"
#include "test/load/test_asset.h"
#include "test/own.h"

#include "md5/skin/plan.h"

#include <dirent.h>

typedef struct baked {
    uint8_t *bytes;
    size_t size;
} baked;

// Emscripten's malloc() aligns to 8 bytes, a file needs 16.
static uint8_t *file_room(size_t size)
{
#ifdef __EMSCRIPTEN__
    return aligned_alloc(16, (size + 15) / 16 * 16);
#else
    return test_alloc(size);
#endif
}

// The block has the size of the file, so that a read beyond its end is detected.
static baked bake(const md5_model *model, const md5_anim *anim)
{
    const md5_assets assets = {
        .num_models = model != NULL, .models = model, .num_anims = anim != NULL, .anims = anim};
    const size_t size = md5_write_assets(&assets, NULL, 0);
    const baked made = {file_room(size), size};
    CHECK_UINT(md5_write_assets(&assets, made.bytes, size - 1), size);
    CHECK_UINT(md5_write_assets(&assets, made.bytes, size), size);
    return made;
}

static md5_assets *map(const baked *file, bool is_trusted)
{
    md5_error error = {0};
    md5_assets *const assets = md5_map_assets(file->bytes, file->size, is_trusted, NULL, &error);
    CHECK_DONE(assets, error);
    return assets;
}

static baked small_file(void)
{
    OWN_MODEL model = our_model("test/reference/data/seam.md5mesh");
    OWN_ANIM anim = our_anim("test/reference/data/seam.md5anim");
    return bake(model, anim);
}

// -- The same assets ------------------------------------------------------------------------------

static void check_same_vertices(const md5_model *a, const md5_model *b)
{
    const uint32_t num_joints = a->skeleton.num_joints;
    OWN_ARRAY(md5_mat34, palette, num_joints);
    FOR (i, num_joints)
        palette[i] = md5_mat34_from_xform((md5_xform){{0, 0, 0.6f, 0.8f}, {(float)i, 2, -3}, 0});
    FOR (m, a->num_meshes) {
        const size_t count = a->meshes[m].num_vertices;
        CHECK(!a->meshes[m].skin_plan == !b->meshes[m].skin_plan);
        OWN float *const first = test_calloc(count, 10 * sizeof *first);
        OWN float *const second = test_calloc(count, 10 * sizeof *second);
        const md5_model *const models[] = {a, b};
        FOR (i, 2) {
            float *const to = i == 0 ? first : second;
            md5_skin(&models[i]->meshes[m], palette, (md5_vec3 *)(void *)to,
                     (md5_vec3 *)(void *)(to + 3 * count), (md5_vec4 *)(void *)(to + 6 * count));
        }
        CHECK_BYTES(first, second, count * 10 * sizeof *first);
    }
}

static void check_same_poses(const md5_anim *a, const md5_anim *b)
{
    const uint32_t num_joints = a->skeleton.num_joints;
    const md5_anim *const anims[] = {a, b};
    OWN_ARRAY(md5_xform, pose, num_joints);
    OWN_ARRAY(md5_mat34, palettes, 2 * (size_t)num_joints);
    FOR (k, 7) {
        FOR (i, 2) {
            const md5_anim *const anim = anims[i];
            const md5_moment moment = md5_moment_at(anim, 0.31 * k, (md5_wrap)(k % 3));
            OWN_BINDING own =
                md5_bind_skeleton(&anim->skeleton, anim->base_frame, anim, NULL, NULL);
            md5_pose_palette(own, moment, (md5_root)(k % 3), pose, NULL,
                             palettes + (size_t)i * num_joints);
        }
        CHECK_BYTES(palettes, palettes + num_joints, num_joints * sizeof *palettes);
    }
}

// -- Files ----------------------------------------------------------------------------------------

// The host's file, whose bytes lie at an odd address.
static const void *open_file(void *user, const char *path, size_t *size, md5_error *error)
{
    const baked *const file = user;
    (void)path, (void)error;
    uint8_t *const room = test_alloc(file->size + 1);
    *size = file->size;
    return memcpy(room + 1, file->bytes, file->size);
}

static void close_file(void *user, const void *bytes, size_t size)
{
    (void)user, (void)size;
    free((uint8_t *)(uintptr_t)bytes - 1);
}

// With other axes than those that were written, which stay.
static md5_load_opts from_file(baked *file, asset_heap *heap, asset_warnings *warnings)
{
    md5_load_opts opts = asset_opts(heap, warnings);
    opts.axes = MD5_AXES_Y_UP_LEFT;
    opts.flip_v = true;
    opts.files = (md5_files){open_file, close_file, file};
    return opts;
}

// What is loaded is what was written, in one block.
static void check_loaded(baked *file, const md5_model *model, const md5_anim *anim)
{
    asset_heap heap = {0};
    asset_warnings warnings = {0};
    const md5_load_opts opts = from_file(file, &heap, &warnings);
    md5_error error = {0};
    md5_model *const loaded = model ? md5_load_model("baked.md5mesh", &opts, &error) : NULL;
    md5_anim *const clip = anim ? md5_load_anim("baked.md5anim", &opts, &error) : NULL;
    CHECK_DONE(loaded || clip, error);
    CHECK_UINT(heap.live, 1);
    CHECK_UINT(warnings.num_reported, 0);
    if (loaded) {
        CHECK(asset_models_equal(model, loaded));
        CHECK_UINT(loaded->max_vertices, model->max_vertices);
        CHECK(loaded->normals == model->normals && loaded->flip_v == model->flip_v);
        CHECK(loaded->stores_normals == model->stores_normals);
        CHECK_UINT(loaded->num_warnings, 0);
        CHECK_UINT(loaded->size, heap.live_bytes);
        check_same_vertices(model, loaded);
        md5_release_geometry(loaded);
        CHECK(loaded->num_meshes == 0 || loaded->meshes->positions);
        CHECK(loaded->num_meshes == 0 || !md5_complete_model(loaded, MD5_PART_TANGENTS, NULL));
    }
    if (clip) {
        CHECK(anim->packed_size ? md5_write_anim(clip, NULL, 0) > 0
                                : asset_anims_equal(anim, clip));
        CHECK(clip->duration == anim->duration);
        CHECK_UINT(clip->num_warnings, 0);
        CHECK_UINT(clip->size, heap.live_bytes);
        check_same_poses(anim, clip);
    }
    md5_free_model(loaded);
    md5_free_anim(clip);
    CHECK(asset_heap_fault(&heap) == NULL);
}

static void check_file(const char *path)
{
    const bool is_anim = strstr(path, ".md5anim") != NULL;
    OWN_MODEL model = is_anim ? NULL : md5_load_model(path, NULL, NULL);
    OWN_ANIM anim = is_anim ? md5_load_anim(path, NULL, NULL) : NULL;
    if (!model && !anim)
        return; // broken on purpose
    baked file = bake(model, anim);
    check_loaded(&file, model, anim);
    FOR (is_trusted, 2) {
        md5_assets *const assets = map(&file, is_trusted > 0);
        if (assets && model) {
            CHECK_UINT(assets->num_models, 1);
            CHECK_THAT(asset_models_equal(model, assets->models), "%s", path);
            CHECK_UINT(assets->models->max_vertices, model->max_vertices);
            check_same_vertices(model, assets->models);
        } else if (assets) {
            CHECK_UINT(assets->num_anims, 1);
            CHECK_THAT(asset_anims_equal(anim, assets->anims), "%s", path);
            CHECK(assets->anims->duration == anim->duration);
            check_same_poses(anim, assets->anims);
        }
        md5_free_assets(assets);
    }
    free(file.bytes);
}

// Also those in folders below, whose names have no point.
static size_t check_files(const char *folder)
{
    DIR *const open = folder ? opendir(folder) : NULL;
    size_t count = 0;
    for (struct dirent *entry; open && (entry = readdir(open)) != NULL;) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const char *const ending = strrchr(entry->d_name, '.');
        if (!ending) {
            count += check_files(path);
        } else if (strcmp(ending, ".md5mesh") == 0 || strcmp(ending, ".md5anim") == 0) {
            check_file(path);
            count++;
        }
    }
    if (open)
        closedir(open);
    return count;
}

TEST (asset_files_hold_each_asset_bit_for_bit) {
    CHECK(check_files(test_path("test/reference/data")) > 10);
    CHECK(check_files(test_path("models")) > 80);
    check_files(test_corpus());
}

// What the load left out is not in the file.
TEST (asset_files_hold_what_models_have) {
    const char *const path = test_path("models/thimble/thimble.md5mesh");
    const md5_load_opts opts = {.axes = MD5_AXES_Y_UP_LEFT,
                                .scale = 0.5f,
                                .without =
                                    MD5_PART_TANGENTS | MD5_PART_SKIN_PLANS | MD5_PART_LOSSES};
    OWN_MODEL model = md5_load_model(path, &opts, NULL);
    const baked file = bake(model, NULL);
    md5_assets *const assets = map(&file, false);
    if (assets) {
        const md5_model *const mapped = assets->models;
        CHECK(asset_models_equal(model, mapped));
        CHECK(!mapped->meshes->tangents && !mapped->meshes->skin_plan);
        CHECK(mapped->skeleton.axes == MD5_AXES_Y_UP_LEFT && mapped->skeleton.scale == 0.5f);
        CHECK(mapped->meshes->is_mirrored);
    }
    md5_free_assets(assets);
    free(file.bytes);
    md5_release_geometry(model);
    CHECK_UINT(md5_write_assets(&(md5_assets){.num_models = 1, .models = model}, NULL, 0), 0);
    md5_free_assets(NULL);
}

TEST (asset_files_hold_compressed_clips) {
    STRINGS(paths) = {
        "models/thimble/walk.md5anim",         // travels
        "models/bobbin/look_left.md5anim",     // is still
        "test/reference/data/weights.md5anim", // joint 0 of the base frame is elsewhere
    };
    EACH (path, paths) {
        OWN_ANIM anim = our_anim(*path);
        OWN_ANIM clip = md5_compress_anim(anim, NULL, NULL, NULL);
        if (!CHECK(clip))
            continue;
        const size_t size = md5_write_anim(clip, NULL, 0);
        OWN uint8_t *const written = test_alloc(2 * size);
        md5_write_anim(clip, written, size);
        baked file = bake(NULL, clip);
        FOR (is_trusted, 2) {
            md5_assets *const assets = map(&file, is_trusted > 0);
            if (assets) {
                const md5_anim *const mapped = assets->anims;
                CHECK(!mapped->tracks && !mapped->rotations && !mapped->translations);
                CHECK_UINT(mapped->packed_size, clip->packed_size);
                CHECK_UINT(mapped->num_rotations, clip->num_rotations);
                CHECK_UINT(md5_write_anim(mapped, written + size, size), size);
                CHECK_BYTES(written, written + size, size);
                check_same_poses(clip, mapped);
            }
            md5_free_assets(assets);
        }
        check_loaded(&file, NULL, clip);
        free(file.bytes);
    }
}

// A file holds one model, or one clip, as its name promises.
TEST (asset_files_with_other_assets_are_no_files) {
    baked file = small_file();
    OWN_MODEL model = our_model("test/reference/data/seam.md5mesh");
    baked alone = bake(model, NULL);
    const md5_load_opts opts = {.files = {open_file, close_file, &file}};
    const md5_load_opts named = {.file_name = "alone"};
    md5_error error = {0};
    CHECK_FAILS(md5_load_model("both.md5mesh", &opts, &error), error, MD5_ERROR_RANGE);
    CHECK_STRING(error.file, "both.md5mesh");
    CHECK_STRING(error.message, "asset file of 1 models and 1 clips: expected one model alone");
    error = (md5_error){0};
    CHECK(md5_parse_anim(alone.bytes, alone.size, &named, &error) == NULL);
    CHECK_STRING(error.file, "alone");
    CHECK_STRING(error.message, "asset file of 1 models and 0 clips: expected one clip alone");
    free(file.bytes);
    free(alone.bytes);
}

// -- Characters -----------------------------------------------------------------------------------

// A folder of which each model and clip is an asset file, and the machine file text.
static const void *open_baked(void *user, const char *path, size_t *size, md5_error *error)
{
    (void)error;
    OWN_MODEL model = strstr(path, ".md5mesh") ? md5_load_model(path, NULL, NULL) : NULL;
    OWN_ANIM anim = strstr(path, ".md5anim") ? md5_load_anim(path, NULL, NULL) : NULL;
    ++*(uint32_t *)user;
    if (!model && !anim)
        return test_read_file(path, size);
    const baked file = bake(model, anim);
    *size = file.size;
    return file.bytes;
}

static void close_baked(void *user, const void *bytes, size_t size)
{
    (void)user, (void)size;
    free((void *)(uintptr_t)bytes);
}

TEST (asset_files_are_loaded_as_a_character) {
    const char *const path = test_path("models/bobbin/bobbin.md5machine");
    uint32_t num_opened = 0;
    const md5_load_opts opts = {.files = {open_baked, close_baked, &num_opened}};
    md5_error error = {0};
    OWN_CHARACTER text = md5_load_character(path, NULL, &error);
    OWN_CHARACTER baked_character = md5_load_character(path, &opts, &error);
    if (!CHECK_DONE(text && baked_character, error))
        return;
    CHECK(num_opened > 40);
    CHECK(asset_models_equal(text->model, baked_character->model));
    FOR (i, text->num_clips)
        CHECK_THAT(asset_anims_equal(text->anims[i], baked_character->anims[i]), "%s",
                   text->anim_paths[i]);
    const uint32_t num_joints = text->model->skeleton.num_joints;
    OWN_ARRAY(md5_xform, pose, num_joints);
    OWN_ARRAY(md5_mat34, palettes, 2 * (size_t)num_joints);
    OWN_PLAYER first = md5_create_player(text->machine, NULL, NULL);
    OWN_PLAYER second = md5_create_player(baked_character->machine, NULL, NULL);
    md5_player *const players[] = {first, second};
    for (int k = 0; k < 40 && CHECK(first && second); k++) {
        FOR (i, 2) {
            OWN void *const scratch = test_alloc(
                md5_player_pose_scratch(i == 0 ? text->machine : baked_character->machine));
            md5_player_set(players[i], md5_find_parameter(text->machine, "speed"), 2 * (float)k);
            md5_player_advance(players[i], 0.1, NULL, 0);
            md5_player_pose(players[i], pose, NULL, palettes + (size_t)i * num_joints, scratch);
        }
        CHECK_BYTES(palettes, palettes + num_joints, num_joints * sizeof *palettes);
    }
}

// The same bytes on every little-endian platform. Other bytes are another version of the format:
// see VERSION in md5/assets.c.
TEST (asset_files_are_the_same_bytes_everywhere) {
    const baked file = small_file();
    const uint32_t one = 1;
    uint64_t sum;
    memcpy(&sum, file.bytes + 16, sizeof sum);
    if (*(const uint8_t *)&one == 1) {
        CHECK_UINT(file.bytes[4], 3);
        CHECK_UINT(file.size, 2456);
        CHECK_UINT(sum, 18265093809624925054u);
    }
    free(file.bytes);
}

// -- Damage ---------------------------------------------------------------------------------------

static md5_status refuse(const void *bytes, size_t size, const char *says)
{
    md5_error error = {0};
    md5_assets *const assets = md5_map_assets(bytes, size, false, NULL, &error);
    CHECK(!assets);
    CHECK_THAT(strstr(error.message, says) != NULL, "'%s' lacks '%s'", error.message, says);
    md5_free_assets(assets);
    return error.status;
}

TEST (asset_files_of_others_are_refused) {
    const baked file = small_file();
    OWN uint8_t *const bytes = file.bytes;
    bytes[4]++;
    CHECK_UINT(refuse(bytes, file.size, "asset file of version 4: expected 3"), MD5_ERROR_VERSION);
    bytes[4]--;
    const uint8_t magic[4] = {bytes[0], bytes[1], bytes[2], bytes[3]};
    FOR (i, 4)
        bytes[i] = magic[3 - i];
    CHECK_UINT(refuse(bytes, file.size, "order of bytes"), MD5_ERROR_VERSION);
    CHECK_UINT(refuse("MD5Version 10\ncommandline", 25, "no asset file"), MD5_ERROR_SYNTAX);
    CHECK_UINT(refuse(NULL, 0, "no asset file"), MD5_ERROR_SYNTAX);
    memcpy(bytes, magic, sizeof magic);
    OWN uint8_t *const room = file_room(file.size + 8);
    memcpy(room + 8, bytes, file.size);
    CHECK_UINT(refuse(room + 8, file.size, "multiple of 16"), MD5_ERROR_RANGE);
}

TEST (asset_files_that_are_cut_off_are_refused) {
    const baked file = small_file();
    for (size_t size = 0; size < file.size; size++) {
        OWN uint8_t *const part = test_copy(file.bytes, size);
        CHECK_UINT(refuse(part, size, "asset file"), MD5_ERROR_SYNTAX);
    }
    free(file.bytes);
}

// Each byte is changed: the checksum finds it. With another checksum, assets are refused or safe.
TEST (asset_files_with_a_changed_byte_are_refused_or_safe) {
    static const uint8_t changes[] = {0xff, 0x80, 0x01};
    const baked file = small_file();
    FOR (i, file.size)
        EACH (change, changes) {
            file.bytes[i] ^= *change;
            if (i >= 24)
                CHECK_UINT(refuse(file.bytes, file.size, "checksum"), MD5_ERROR_SYNTAX);
            const char *const fault = fuzz_assets(file.bytes, file.size);
            CHECK_THAT(fault == NULL, "byte %zu ^ %x: %s", i, *change, fault);
            file.bytes[i] ^= *change;
        }
    free(file.bytes);
}

// The members that are set to what no text gives: checks that a checksum does not make.
TEST (asset_files_of_what_no_text_has_are_refused) {
    OWN_MODEL model = our_model("test/reference/data/seam.md5mesh");
    md5_mesh mesh = model->meshes[0];
    mesh.num_vertices = mesh.num_file_vertices - 1;
    mesh.num_triangles = 0;
    mesh.num_influences = mesh.first_influence[mesh.num_vertices];
    mesh.skin_plan = NULL;
    md5_model other = *model;
    other.meshes = &mesh;
    other.num_meshes = 1;
    baked file = bake(&other, NULL);
    refuse(file.bytes, file.size, "fewer vertices");
    free(file.bytes);
    OWN_ANIM anim = our_anim("test/reference/data/seam.md5anim");
    md5_xform constant[64];
    md5_anim longer = *anim;
    memcpy(constant, anim->constant, anim->skeleton.num_joints * sizeof *constant);
    constant[0].rotation.w *= 1.0001f;
    longer.constant = constant;
    file = bake(NULL, &longer);
    refuse(file.bytes, file.size, "constant");
    free(file.bytes);
    longer = *anim;
    longer.skeleton.num_joints = 0;
    file = bake(NULL, &longer);
    refuse(file.bytes, file.size, "order");
    free(file.bytes);
}

// Runs of a plan that skin each vertex once, in the order of the runs, are all that is taken.
TEST (asset_files_of_plans_that_skin_a_vertex_twice_or_not_are_refused) {
    OWN_MODEL model = our_model("models/thimble/thimble.md5mesh");
    md5_mesh mesh = model->meshes[0];
    const md5_skin_plan *const whole = mesh.skin_plan;
    md5_model other = *model;
    other.meshes = &mesh;
    other.num_meshes = 1;
    enum { MAX_RUNS = 64 };
    md5_skin_run runs[MAX_RUNS];
    int num_gathered = 0;
    REQUIRE(whole && whole->num_runs > 1 && whole->num_runs < MAX_RUNS);
    FOR (i, whole->num_runs) {
        md5_skin_plan plan = *whole;
        mesh.skin_plan = &plan;
        plan.runs = runs;
        memcpy(runs, whole->runs, whole->num_runs * sizeof *runs);
        runs[plan.num_runs++] = runs[i]; // once more
        baked file = bake(&other, NULL);
        refuse(file.bytes, file.size, "not a plan");
        free(file.bytes);
        plan.num_runs = whole->num_runs - 1; // without it
        runs[i] = runs[plan.num_runs];
        file = bake(&other, NULL);
        refuse(file.bytes, file.size, "not a plan");
        free(file.bytes);
        runs[i] = whole->runs[i]; // without its last vertices
        plan.num_runs = whole->num_runs;
        memcpy(runs, whole->runs, whole->num_runs * sizeof *runs);
        runs[i].count--;
        file = bake(&other, NULL);
        refuse(file.bytes, file.size, "not a plan");
        free(file.bytes);
        if (runs[i].order != MD5_SKIN_GATHERED)
            continue;
        runs[i].count++; // vertices of a group must ascend
        OWN uint32_t *const vertices = test_copy(whole->vertices, 4 * (size_t)whole->num_vertices);
        uint32_t *const group = vertices + runs[i].vertices;
        const uint32_t end = group[MD5_SKIN_GROUP - 1];
        group[MD5_SKIN_GROUP - 1] = group[MD5_SKIN_GROUP - 2];
        group[MD5_SKIN_GROUP - 2] = end;
        plan.vertices = vertices;
        file = bake(&other, NULL);
        refuse(file.bytes, file.size, "not a plan");
        free(file.bytes);
        num_gathered++;
    }
    CHECK(num_gathered > 0);
    mesh.skin_plan = whole;
    const baked file = bake(&other, NULL);
    md5_free_assets(map(&file, false));
    free(file.bytes);
}

// Joints of moving tracks ascend, and none is there twice, nor in the order of a skeleton.
TEST (asset_files_of_joints_that_repeat_are_refused) {
    OWN_ANIM anim = our_anim("models/thimble/walk.md5anim");
    const uint32_t last = anim->num_rotations - 1;
    OWN_ARRAY(uint32_t, joints, anim->skeleton.num_joints);
    const uint32_t *const own[] = {anim->rotation_joints, anim->translation_joints};
    const uint32_t counts[] = {anim->num_rotations, anim->num_translations};
    CHECK(last > 2 && counts[1] > 0);
    FOR (i, 2u) {
        for (uint32_t k = 0; k + 1 < counts[i]; k++) {
            FOR (swapped, 2u) {
                md5_anim other = *anim;
                memcpy(joints, own[i], counts[i] * sizeof *joints);
                *(i == 0 ? &other.rotation_joints : &other.translation_joints) = joints;
                joints[k + 1] = own[i][k];
                joints[k] = own[i][k + swapped];
                const baked file = bake(NULL, &other);
                refuse(file.bytes, file.size, i == 0 ? "rotation_joints" : "translation_joints");
                free(file.bytes);
            }
        }
    }
    md5_anim other = *anim;
    memcpy(joints, anim->skeleton.order, anim->skeleton.num_joints * sizeof *joints);
    joints[anim->skeleton.num_joints - 1] = joints[0];
    other.skeleton.order = joints;
    const baked file = bake(NULL, &other);
    refuse(file.bytes, file.size, "order");
    free(file.bytes);
}

TEST (asset_files_survive_failure_of_every_allocation) {
    const baked file = small_file();
    EACH_FAILURE (it) {
        md5_assets *const assets =
            md5_map_assets(file.bytes, file.size, false, &it.opts, &it.error);
        CHECK_FAILURE(it, assets);
        md5_free_assets(assets);
    }
    free(file.bytes);
    OWN_MODEL model = our_model("test/reference/data/seam.md5mesh");
    OWN_ANIM anim = our_anim("test/reference/data/seam.md5anim");
    OWN_ANIM clip = md5_compress_anim(anim, NULL, NULL, NULL);
    baked alone[] = {bake(model, NULL), bake(NULL, anim), bake(NULL, clip)};
    FOR (i, 3) {
        EACH_FAILURE (it) {
            md5_load_opts opts = it.opts;
            opts.files = (md5_files){open_file, close_file, &alone[i]};
            OWN_MODEL loaded = i == 0 ? md5_load_model("m", &opts, &it.error) : NULL;
            OWN_ANIM other = i > 0 ? md5_load_anim("a", &opts, &it.error) : NULL;
            CHECK_FAILURE(it, loaded || other);
        }
        free(alone[i].bytes);
    }
}

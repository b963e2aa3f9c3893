// Tests that every platform computes the same bits. One hash of poses and vertices for each clip
// and machine of the project's models is compared with test/data/same_bits.txt. The hashes were
// computed on x86-64, and every other platform that runs this test agrees. Other tests check that
// the numbers are correct.
//
// MD5_TEST_BITS=list in the environment prints the lines of that file, for an intended change of
// the bits.
#include "test/scoped.h"
#include "test/skin/skin_jobs.h"

enum { MAX_PATH_LENGTH = 256, NUM_TIMES = 3, NUM_STEPS = 40, MAX_CLIPS = 64 };

// -- Hashing ----------------------------------------------------------------------------------

// FNV-1a, 64 bits: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm". The lowest byte is
// first, so that the byte order of the machine does not matter.
static uint64_t hash_bits(uint64_t hash, uint64_t bits, unsigned num_bytes)
{
    for (uint32_t i = 0; i < num_bytes; i++)
        hash = (hash ^ (bits >> (8 * i) & 0xFF)) * 0x100000001B3u;
    return hash;
}

static const uint64_t empty_hash = 0xCBF29CE484222325u;

static uint64_t hash_floats(uint64_t hash, const void *floats, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, (const char *)floats + i * sizeof bits, sizeof bits);
        hash = hash_bits(hash, bits, 4);
    }
    return hash;
}

static uint64_t hash_pose(uint64_t hash, const md5_xform *pose, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hash = hash_floats(hash, &pose[i].rotation, 4);
        hash = hash_floats(hash, &pose[i].translation, 3);
    }
    return hash;
}

// -- Hashed data ------------------------------------------------------------------------------

typedef struct buffers {
    md5_xform *pose;
    md5_mat34 *joints, *palette;
    md5_dual_quat *dual;
    md5_vec3 *positions, *normals; // size: the largest mesh
    md5_vec4 *tangents;
} buffers;

static void *allocate(size_t count, size_t size)
{
    void *const memory = test_calloc(count + 1, size);
    return memory;
}

static buffers buffers_for(const md5_model *model)
{
    const size_t num_joints = model->skeleton.num_joints;
    size_t num_vertices = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        if (mesh->num_vertices > num_vertices)
            num_vertices = mesh->num_vertices;
    }
    return (buffers){
        .pose = allocate(num_joints, sizeof(md5_xform)),
        .joints = allocate(num_joints, sizeof(md5_mat34)),
        .palette = allocate(num_joints, sizeof(md5_mat34)),
        .dual = allocate(num_joints, sizeof(md5_dual_quat)),
        .positions = allocate(num_vertices, sizeof(md5_vec3)),
        .normals = allocate(num_vertices, sizeof(md5_vec3)),
        .tangents = allocate(num_vertices, sizeof(md5_vec4)),
    };
}

static void free_buffers(buffers *fixture)
{
    free(fixture->pose);
    free(fixture->joints);
    free(fixture->palette);
    free(fixture->dual);
    free(fixture->positions);
    free(fixture->normals);
    free(fixture->tangents);
}

static uint64_t hash_vertices(uint64_t hash, const buffers *fixture, size_t count)
{
    hash = hash_floats(hash, fixture->positions, 3 * count);
    hash = hash_floats(hash, fixture->normals, 3 * count);
    return hash_floats(hash, fixture->tangents, 4 * count);
}

// Hashes a pose: its joints, palette and vertices, skinned in both ways.
static uint64_t hash_posed(uint64_t hash, const md5_model *model, const buffers *fixture)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    hash = hash_pose(hash, fixture->pose, num_joints);
    hash = hash_floats(hash, fixture->joints, 12 * (size_t)num_joints);
    hash = hash_floats(hash, fixture->palette, 12 * (size_t)num_joints);
    md5_build_dual_palette(fixture->palette, num_joints, fixture->dual);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        md5_skin(mesh, fixture->palette, fixture->positions, fixture->normals, fixture->tangents);
        hash = hash_vertices(hash, fixture, mesh->num_vertices);
        skin_by_duals(mesh, fixture->dual, fixture->positions, fixture->normals, fixture->tangents);
        hash = hash_vertices(hash, fixture, mesh->num_vertices);
    }
    return hash;
}

// Hashes the data that is derived when a model is loaded.
static uint64_t hash_model(const md5_model *model)
{
    uint64_t hash =
        hash_floats(empty_hash, model->inverse_bind, 12 * (size_t)model->skeleton.num_joints);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        hash = hash_floats(hash, mesh->positions, 3 * (size_t)mesh->num_vertices);
        hash = hash_floats(hash, mesh->normals, 3 * (size_t)mesh->num_vertices);
        hash = hash_floats(hash, mesh->tangents, 4 * (size_t)mesh->num_vertices);
        hash = hash_floats(hash, mesh->influences, 4 * (size_t)mesh->num_influences);
    }
    return hash;
}

static uint64_t hash_clip(const md5_model *model, const char *path)
{
    md5_error error = {0};
    SCOPED_ANIM anim = md5_load_anim(test_path(path), NULL, &error);
    SCOPED_BINDING binding = anim ? md5_bind(model, anim, NULL, &error) : NULL;
    uint64_t hash = empty_hash;
    if (CHECK_THAT(binding != NULL, "%s: %s", path, error.message)) {
        buffers fixture = buffers_for(model);
        for (int i = 0; i < NUM_TIMES; i++) {
            const md5_sample_position sample =
                md5_sample_position_at(anim, 0.377 * (1 + i), MD5_WRAP_LOOP);
            md5_sample(binding, sample, MD5_ROOT_FILE, fixture.pose);
            md5_local_to_model(&model->skeleton, fixture.pose, fixture.joints);
            md5_build_palette(model, fixture.joints, fixture.palette);
            hash = hash_posed(hash, model, &fixture);
        }
        free_buffers(&fixture);
    }
    return hash;
}

// -- Machines ---------------------------------------------------------------------------------

typedef struct machine_case {
    md5_machine_file *file;
    md5_model *model;
    md5_anim *anims[MAX_CLIPS];
    md5_binding *bindings[MAX_CLIPS];
    md5_machine *machine;
    md5_player *player;
} machine_case;

// Returns "folder/name" for a file in the folder of `path`.
static const char *path_in_folder(const char *path, const char *name)
{
    static char joined[MAX_PATH_LENGTH];
    const char *const slash = strrchr(path, '/');
    snprintf(joined, sizeof joined, "%.*s/%s", (int)(slash - path), path, name);
    return test_path(joined);
}

static bool load_machine(const char *path, machine_case *loaded, md5_error *error)
{
    loaded->file = md5_load_machine_file(test_path(path), NULL, error);
    if (!loaded->file)
        return false;
    loaded->model = md5_load_model(path_in_folder(path, loaded->file->model_file), NULL, error);
    loaded->file->desc.model = loaded->model;
    if (loaded->model) {
        for (uint32_t i = 0; i < loaded->file->desc.num_clips && i < MAX_CLIPS; i++) {
            md5_clip_desc *const clip = &loaded->file->clips[i];
            loaded->anims[i] = md5_load_anim(path_in_folder(path, clip->file), NULL, error);
            if (!loaded->anims[i])
                return false;
            loaded->bindings[i] = md5_bind(loaded->model, loaded->anims[i], NULL, error);
            clip->binding = loaded->bindings[i];
        }
    }
    loaded->machine = loaded->model ? md5_create_machine(&loaded->file->desc, NULL, error) : NULL;
    loaded->player = loaded->machine ? md5_create_player(loaded->machine, NULL, error) : NULL;
    return loaded->player != NULL;
}

// Plays a machine in uneven steps with random changes of its parameters.
static uint64_t hash_player(const machine_case *loaded)
{
    uint64_t hash = empty_hash;
    uint64_t random = 7;
    buffers fixture = buffers_for(loaded->model);
    SCOPED void *const scratch = allocate(md5_player_pose_scratch(loaded->machine), 1);
    for (int step = 0; step < NUM_STEPS; step++) {
        const uint32_t parameter =
            test_random_u32(&random) % (loaded->file->desc.num_parameters + 1);
        md5_player_set(loaded->player, parameter, (float)(test_random(&random) * 40));

        // Every modifier has a target whose side and height change, so that each modifier has an
        // effect.
        const float position_y = (float)(step - 20);
        for (uint32_t i = 0; i < loaded->file->desc.num_modifiers; i++) {
            md5_target *const target = md5_player_target(loaded->player, i);
            target->position = (md5_vec3){40, position_y, 30 - 0.5f * position_y};
            target->weight = 0.75f;
        }

        md5_player_advance(loaded->player, 0.005 + 0.05 * test_random(&random), NULL, NULL);
        const md5_xform motion = md5_player_root_motion(loaded->player);
        hash = hash_pose(hash, &motion, 1);
        md5_player_pose(loaded->player, fixture.pose, fixture.joints, fixture.palette, scratch);
        if (step % 8 == 0)
            hash = hash_posed(hash, loaded->model, &fixture);
    }
    free_buffers(&fixture);
    return hash;
}

static uint64_t hash_machine(const char *path)
{
    machine_case loaded = {0};
    md5_error error = {0};
    uint64_t hash = empty_hash;
    if (CHECK_THAT(load_machine(path, &loaded, &error), "%s: %s", path, error.message))
        hash = hash_player(&loaded);
    md5_destroy_player(loaded.player);
    md5_destroy_machine(loaded.machine);
    for (int i = 0; i < MAX_CLIPS; i++) {
        md5_free_binding(loaded.bindings[i]);
        md5_free_anim(loaded.anims[i]);
    }
    md5_free_model(loaded.model);
    md5_free_machine_file(loaded.file);
    return hash;
}

// -- The list ---------------------------------------------------------------------------------

static uint64_t hash_mesh_and_clip(const char *mesh, const char *clip)
{
    md5_error error = {0};
    SCOPED_MODEL model = md5_load_model(test_path(mesh), NULL, &error);
    uint64_t hash = empty_hash;
    if (CHECK_THAT(model != NULL, "%s: %s", mesh, error.message))
        hash = clip[0] ? hash_clip(model, clip) : hash_model(model);
    return hash;
}

// Checks a line of the file of hashes. It consists of a hash and either a model, a model and a
// clip, or a machine.
static uint64_t check_line(const char *line)
{
    unsigned long long expected = 0;
    char first[MAX_PATH_LENGTH] = "";
    char clip[MAX_PATH_LENGTH] = "";
    if (!CHECK(sscanf(line, "%16llx %255s %255s", &expected, first, clip) >= 2))
        return 0;
    const size_t length = strlen(first);
    const bool is_machine = length > 11 && strcmp(first + length - 11, ".md5machine") == 0;
    const uint64_t hash = is_machine ? hash_machine(first) : hash_mesh_and_clip(first, clip);
    if (getenv("MD5_TEST_BITS"))
        printf("%016llx %s%s%s\n", (unsigned long long)hash, first, clip[0] ? " " : "", clip);
    else
        CHECK_THAT(hash == expected, "%s %s: %016llx, expected %016llx", first, clip,
                   (unsigned long long)hash, expected);
    return hash;
}

TEST (poses_and_vertices_have_the_same_bits_everywhere) {
    SCOPED_STRING list = test_read_file(test_path("test/data/same_bits.txt"), NULL);
    uint64_t combined_hash = empty_hash;
    unsigned count = 0;
    REQUIRE(list);
    for (char *line = list; *line != '\0'; count++) {
        char *const end = line + strcspn(line, "\n");
        const bool is_last = *end == '\0';
        *end = '\0';
        combined_hash = hash_bits(combined_hash, check_line(line), 8);
        line = is_last ? end : end + 1;
    }
    CHECK(count > 0);
    printf("note: hash of the poses and vertices of %u models, clips and machines: %016llx\n",
           count, (unsigned long long)combined_hash);
}

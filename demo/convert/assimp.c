// Reads FBX, Collada and other formats with libassimp. The scene of libassimp is written as a .glb
// file in memory, which gltf_read.c reads and checks like any other file.
//
// libassimp runs in a separate process with limits of memory and time, because files can crash it
// or make it hang. All nodes of its scene become nodes of glTF with their transforms in each frame;
// rig.c selects the joints. Importers insert helper nodes between joints, called pivots; only these
// are merged into the nodes below them. The main structure is assimp_importer.
//
// FBX defines the transform of a node as a product of translations, rotations and scale:
//
//     T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1
//
// Three geometric factors follow, which apply only to the meshes of the node. libassimp 5.2 creates
// a helper node for each factor. Clips animate the helper nodes of T, R and S. There is one
// exception: a node whose only factors except T, R and S are Rpre and Rpost. Clips then animate the
// node itself by the product of all factors. This product contains Rpost instead of its inverse.
//
// libassimp discards the curves between the keys of FBX files. fbx_curves.c reads them from the
// file, and replaces the keys of libassimp for each node whose rest pose is the same in both.
// libassimp also applies rotations that FBX ignores; see compare_rest(). It ignores the type of
// inheritance of scale, which the .glb file therefore contains as extras of nodes.
#include "demo/convert/assimp_import.h"

#if defined(HAS_ASSIMP) && defined(HAS_JANSSON)

#include "demo/convert/collada.h"
#include "demo/convert/fbx_file.h"
#include "demo/convert/tokens.h"

#include <assimp/config.h>

enum {
    MAX_MEMORY = 4000, // MiB for libassimp
    MAX_SECONDS = 300, // processor time, seconds
};

// Writes one of the collected lines to the reading process. `user` is the importer.
static void write_line(void *user, const char *text)
{
    fprintf(((assimp_importer *)user)->out, "%s\n", text);
}

// Reads the animation curves and properties of an FBX file. Returns the bytes of the file for
// libassimp, in which the names of nodes are unique if possible. Other formats are unchanged.
static const char *read_curves(assimp_importer *importer, const convert_input *input)
{
    if (!common_has_suffix(input->path, ".fbx"))
        return input->bytes;
    importer->curves = fbx_read_curves(&importer->job, input->bytes, input->size);
    if (!importer->curves)
        return input->bytes;
    if (fbx_has_old_shapes(importer->curves))
        assimp_add_line(importer, ASSIMP_LOSS "morph targets in the form of FBX 6 were skipped");
    const char *const bytes = fbx_rename_models(importer->curves);
    const char *const ambiguous = fbx_ambiguous_name(importer->curves);
    if (ambiguous)
        assimp_add_line(importer,
                        ASSIMP_NOTE
                        "several nodes have the name '%s': their motion, size and vertices can be "
                        "wrong; give all nodes different names before you export the file",
                        ambiguous);
    return bytes;
}

// Reports content of a Collada file that libassimp reads incorrectly, each kind at its location. A
// message consists of a text, the name of the element and the rest of the text.
static void report_collada_problems(assimp_importer *importer, const collada_file *file)
{
    const struct {
        const collada_problem *problem;
        const char *before;
        const char *after;
    } reports[] = {
        {&file->unsupported_sampler, "the curves of animation sampler",
         "cannot be evaluated: expected LINEAR, STEP, BEZIER or HERMITE keys with ascending times "
         "and a value and tangents for each key; bake the animation when you export it"},
        {&file->unsupported_target, "the animation of",
         "is not supported: expected a target such as NODE/SID, NODE/SID.X or NODE/SID.ANGLE, no "
         "lookat, and a sampler for each channel; bake the animation when you export it"},
        {&file->misassigned_joint, "expected joint",
         "in the skeleton of this skin, found it in another skeleton; give all joints different "
         "names, or export each skeleton to its own file"},
        {&file->unchecked_skin, "the joints of skin",
         "cannot be checked: the skins and skeletons require too much processing for the size of "
         "the file; export each skeleton to its own file"},
        {&file->invalid_view, "lookat",
         "is not a rotation: expected nine numbers, and an up vector that is not parallel to the "
         "direction from the eye to the target; replace the lookat by a matrix"},
    };
    for (size_t i = 0; i < COMMON_LENGTH(reports); i++) {
        const collada_problem *const problem = reports[i].problem;
        if (problem->name)
            assimp_add_line(importer, ASSIMP_LOSS ASSIMP_LOCATION "%s '%.60s' %s", problem->line,
                            problem->column, reports[i].before, problem->name, reports[i].after);
    }
}

// Repairs a Collada file. Returns the bytes of the repaired file, or no bytes if the file needs no
// repair. Reports content that libassimp reads incorrectly.
static convert_bytes repair_collada(assimp_importer *importer, const convert_input *input,
                                    double rate)
{
    if (!common_has_suffix(input->path, ".dae"))
        return (convert_bytes){0};
    importer->job.rate = rate;
    const collada_file file = collada_repair(&importer->job, input->bytes, input->size);
    report_collada_problems(importer, &file);
    return file.text;
}

// -- Both processes -------------------------------------------------------------------------------

// Returns the length of the part of an error of libassimp that is shown. It ends at the first
// control character, such as a line break. Some of the errors quote a large part of the file.
static size_t visible_length(const char *text)
{
    enum { MAX_LENGTH = 120 };
    size_t length = 0;
    while (length < MAX_LENGTH && (unsigned char)text[length] >= ' ')
        length++;
    return length;
}

// Finds the text that an error of libassimp quotes in the file, because libassimp does not report
// the location. Returns NULL if the file does not contain it, or contains it several times.
static const char *find_quoted(const convert_input *input, const char *reason)
{
    const char *const start = strchr(reason, '"');
    const char *const stop = start ? strrchr(start + 1, '"') : NULL;
    if (!stop || stop == start + 1 || !common_has_suffix(input->path, ".dae"))
        return NULL;
    const char *const end = input->bytes + input->size;
    char *const quoted = common_format("%.*s", (int)(stop - start - 1), start + 1);
    const char *const found = convert_find_after(input->bytes, end, quoted);
    const bool is_unique = found && !convert_find_after(found, end, quoted);
    const char *const position = is_unique ? found - strlen(quoted) : NULL;
    free(quoted);
    return position;
}

// Returns true if a file begins with the byte order mark of UTF-16.
static bool is_utf16(const convert_input *input)
{
    const char *const bytes = input->bytes;
    return input->size >= 2
           && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);
}

// Adds a line with the error of libassimp, and its location if it can be found.
static void report_error(assimp_importer *importer, const convert_input *input)
{
    if (is_utf16(input)) {
        assimp_add_line(importer,
                        ASSIMP_PROBLEM "unsupported encoding: expected UTF-8, found UTF-16; save "
                                       "the file as UTF-8 in a text editor");
        return;
    }
    const char *const reason = aiGetErrorString();
    const char *const position = find_quoted(input, reason);
    char location[32] = "";
    if (position) {
        uint32_t line;
        uint32_t column;
        convert_locate(input->bytes, position, &line, &column);
        COMMON_TEXT(location, ASSIMP_LOCATION, line, column);
    }
    assimp_add_line(importer,
                    ASSIMP_PROBLEM "%slibassimp cannot read the file: %.*s; " ASSIMP_EXPORT_ADVICE,
                    location, (int)visible_length(reason), reason);
}

// Imports the file with libassimp into importer->scene, from `bytes` [size]. Returns false after an
// error, which is sent to the reading process. `input` is the original file.
static bool open_scene(assimp_importer *importer, const convert_input *input, const char *bytes,
                       size_t size)
{
    struct aiPropertyStore *const properties = aiCreatePropertyStore();
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    importer->scene = aiImportFileFromMemoryWithProperties(
        bytes, (unsigned)size, 0, strrchr(importer->path, '.') + 1, properties);
    if (importer->scene && importer->scene->mRootNode)
        return true;
    report_error(importer, input);
    return false;
}

// Adds the meshes of all nodes.
static bool add_meshes(assimp_importer *importer)
{
    for (size_t i = 0; i < (size_t)importer->num_nodes; i++) {
        const struct aiNode *const source = importer->nodes[i].source;
        for (unsigned m = 0; m < source->mNumMeshes; m++) {
            if (!assimp_add_mesh(importer, source->mMeshes[m], i))
                return false;
        }
    }
    return true;
}

// If the input is a text file of FBX with long numbers, replaces its bytes by a copy with rounded
// numbers. Adds a line and returns false if the copy exceeds the budget.
static bool shorten_numbers(assimp_importer *importer, convert_input *input)
{
    fbx_file file;
    md5_error error = {0};
    if (!common_has_suffix(input->path, ".fbx") || !fbx_open(input->bytes, input->size, &file))
        return true;
    if (!convert_charge(&importer->job, input->size, &error)
        || !convert_charge_bytes(&importer->job, input->size + 1, 1, &error)) {
        assimp_add_line(importer, ASSIMP_PROBLEM "%s", error.message);
        return false;
    }
    char *const copy = fbx_shorten_numbers(&file);
    if (copy)
        input->bytes = copy;
    return true;
}

// Reports meshes and clips of a Collada file that libassimp has lost.
static void note_lost_content(assimp_importer *importer, const convert_input *input)
{
    const char *const end = input->bytes + input->size;
    if (importer->scene->mNumMeshes == 0 && convert_find_after(input->bytes, end, "<mesh"))
        assimp_add_line(importer, ASSIMP_NOTE "the file contains meshes, but libassimp found none "
                                              "in the scene; " ASSIMP_EXPORT_ADVICE);
    unsigned num_clips = 0;
    const char *clip = convert_find_after(input->bytes, end, "<animation_clip");
    for (; clip; clip = convert_find_after(clip, end, "<animation_clip"))
        num_clips++;
    if (num_clips > importer->scene->mNumAnimations)
        assimp_add_line(importer,
                        ASSIMP_NOTE "the file contains %u clips (animation_clip), but libassimp "
                                    "found %u; export each clip to a separate file",
                        num_clips, importer->scene->mNumAnimations);
}

// Imports the file with libassimp and creates the bytes of the .glb file, `file_bytes`. Adds a line
// and returns false after an error.
static bool create_file(assimp_importer *importer, const assimp_order *job,
                        convert_bytes *file_bytes)
{
    convert_input shortened = *job->input;
    if (!shorten_numbers(importer, &shortened))
        return false;
    const convert_input *const input = &shortened;
    const assimp_fbx_info info = assimp_find_fbx_info(input);
    if (!assimp_check_fbx(importer, &info))
        return false;
    const convert_bytes repaired = repair_collada(importer, input, job->rate);
    const char *const bytes = repaired.size > 0 ? repaired.bytes : read_curves(importer, input);
    if (!open_scene(importer, input, bytes, repaired.size > 0 ? repaired.size : input->size))
        return false;
    if (!assimp_divide_polygons(importer))
        return false;

    if (common_has_suffix(importer->path, ".dae"))
        note_lost_content(importer, input);
    gltf_begin(&importer->file);
    assimp_list_nodes(importer);
    assimp_find_rest_poses(importer);
    if (!assimp_check_rest_poses(importer))
        return false;
    assimp_add_nodes(importer);
    assimp_add_materials(importer);
    if (!add_meshes(importer))
        return false;
    for (unsigned a = 0; a < importer->scene->mNumAnimations; a++) {
        if (!assimp_add_clip(importer, importer->scene->mAnimations[a], job, &info))
            return false;
    }

    if (gltf_make(&importer->file, NULL, input->path, file_bytes, &importer->error))
        return true;
    assimp_add_line(importer, ASSIMP_PROBLEM "%s", importer->error.message);
    return false;
}

// Runs in the separate process, whose end frees all memory. Writes lines of notes and errors to
// `out`, and the .glb file after ASSIMP_FILE_MARK.
static bool import_file(void *user, FILE *out)
{
    const assimp_order *const job = user;
    const convert_input *const input = job->input;
    assimp_importer importer = {.path = input->path};
    importer.out = out;
    importer.job.note = write_line;
    convert_begin_budget(&importer.budget, input->size);
    importer.job.budget = &importer.budget;
    importer.job.user = &importer;
    convert_bytes file = {0};
    const bool is_created = create_file(&importer, job, &file);
    convert_end_budget(&importer.budget, &importer.job);
    if (is_created && fputc(ASSIMP_FILE_MARK, out) != EOF)
        fwrite(file.bytes, 1, file.size, out);
    return true;
}

// A location in a file at the beginning of a message, in the form of ASSIMP_LOCATION.
typedef struct message_location {
    uint32_t line; // or 0
    uint32_t column;
    const char *text; // the message after the location
} message_location;

// Reads a colon and an unsigned number. Returns the first byte after them, or NULL.
static const char *read_colon_and_number(const char *at, uint32_t *number)
{
    const bool has_digit = at[0] == ':' && at[1] >= '0' && at[1] <= '9';
    if (!has_digit)
        return NULL;
    char *end;
    *number = (uint32_t)strtoul(at + 1, &end, 10);
    return end;
}

static message_location read_location(const char *message)
{
    const message_location without_location = {.text = message};
    message_location location = {0};
    const char *const after_line = read_colon_and_number(message, &location.line);
    if (!after_line)
        return without_location;
    const char *const after_column = read_colon_and_number(after_line, &location.column);
    if (!after_column || strncmp(after_column, ": ", 2) != 0)
        return without_location;
    location.text = after_column + 2;
    return location;
}

// Fills the error with a message that can begin with a location. `format` contains the message.
// Returns false.
static bool fail_with_location(md5_error *error, md5_status status, const char *path,
                               const char *format, const char *message)
{
    const message_location location = read_location(message);
    convert_fail(error, status, path, format, location.text);
    error->line = location.line;
    error->column = location.column;
    return false;
}

// Reports the lines of the separate process: notes, losses and errors. Returns the first byte after
// the lines. *loss receives the first loss, unless --force is given; further losses are reported as
// notes.
static char *pass_lines_on(const convert_job *job, const char *path, char *lines, const char *end,
                           const char **loss, md5_error *error)
{
    char *at = lines;
    while (at < end && *at != ASSIMP_FILE_MARK) {
        char *const stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            break;
        *stop = '\0';
        const char *const text = at + 1;
        const bool is_loss = *at == ASSIMP_LOSS[0];
        const bool is_tolerated_loss = is_loss && (job->is_forced || *loss);
        if (*at == ASSIMP_NOTE[0] || is_tolerated_loss)
            convert_note(job, *text == ':' ? "%s%s" : "%s: %s", path, text);
        else if (is_loss)
            *loss = text;
        else
            fail_with_location(error, MD5_ERROR_SYNTAX, path, "%s", text);
        at = stop + 1;
    }
    return at;
}

// Reads a file of a format that libassimp supports. Runs libassimp in a separate process
// (import_file), which returns lines of messages followed by a .glb file. Reports the messages, and
// reads the .glb file like any glTF file. A loss is content that libassimp cannot import correctly.
// It is an error unless --force is given.
bool convert_read_assimp(const convert_job *job, convert_input *input, convert_scene *scene,
                         md5_error *error)
{
    if (input->size == 0) // libassimp asserts that files are not empty
        return convert_fail(error, MD5_ERROR_SYNTAX, input->path,
                            "the file is empty: expected a model or an animation");
    assimp_order job_order = {input, job->rate, scene->num_parts > 0};
    size_t size = 0;
    common_child_failure failure;
    char *const records = common_run_in_child(import_file, &job_order, (size_t)MAX_MEMORY << 20,
                                              MAX_SECONDS, &size, &failure);
    if (!records && !failure.is_started)
        return convert_fail(error, MD5_ERROR_IO, input->path, "libassimp: %s", failure.reason);
    if (!records)
        return convert_fail(error, MD5_ERROR_IO, input->path,
                            "libassimp: %s; " ASSIMP_EXPORT_ADVICE, failure.reason);

    // This error remains if the process ended without a file and without a line that contains an
    // error.
    convert_fail(error, MD5_ERROR_IO, input->path,
                 "libassimp stopped without a result; " ASSIMP_EXPORT_ADVICE);
    const char *loss = NULL;
    const char *const end = records + size;
    char *const at = pass_lines_on(job, input->path, records, end, &loss, error);
    convert_input gltf = {input->path, at + 1, (size_t)(end - at) - 1};
    bool is_read =
        at < end && *at == ASSIMP_FILE_MARK && convert_read_gltf(job, &gltf, scene, error);
    if (is_read && loss)
        is_read = fail_with_location(error, MD5_ERROR_VERSION, input->path,
                                     "libassimp: %s; use --force to convert the file anyway", loss);

    free(records);
    return is_read;
}

#elif defined(__EMSCRIPTEN__)

// Reports that the format is not supported. In a browser, a program cannot start the separate
// process in which libassimp must run.
bool convert_read_assimp(const convert_job *job, convert_input *input, convert_scene *scene,
                         md5_error *error)
{
    (void)job;
    (void)scene;
    return convert_fail(
        error, MD5_ERROR_VERSION, input->path,
        "this format is not supported in the browser: use md5view or md5tool built with libassimp");
}

#else

// Reports that the format is not supported, because libassimp or jansson was missing when the
// program was built.
bool convert_read_assimp(const convert_job *job, convert_input *input, convert_scene *scene,
                         md5_error *error)
{
    (void)job;
    (void)scene;
    return convert_fail(
        error, MD5_ERROR_VERSION, input->path,
        "this format is not supported: built without libassimp; install libassimp and jansson "
        "(Debian: libassimp-dev, libjansson-dev) and build again; not available on Windows");
}

#endif

// Scenes, and what readers and writers share: errors, notes, files.
#include "demo/convert/budget.h"

#include "demo/common/write.h"

#include <errno.h>

// -- Errors and notes -----------------------------------------------------------------------------

void convert_name_file(md5_error *error, const char *path)
{
    // Of a name that is too long the end, as everywhere.
    const size_t size = strlen(path) + 1;
    const size_t room = sizeof error->file;
    memcpy(error->file, path + (size > room ? size - room : 0), size < room ? size : room);
}

bool convert_fail(md5_error *error, md5_status status, const char *path, const char *format, ...)
{
    *error = (md5_error){.status = status};
    if (path)
        convert_name_file(error, path);
    va_list values;
    va_start(values, format);
    common_write_text(error->message, sizeof error->message, format, values);
    va_end(values);
    return false;
}

void convert_note(const convert_job *job, const char *format, ...)
{
    if (!job->note)
        return;
    char text[1024];
    va_list values;
    va_start(values, format);
    if (job->budget)
        vsnprintf(text, sizeof text, format, values); // written as below when it is passed on
    else
        common_write_text(text, sizeof text, format, values);
    va_end(values);
    if (job->budget)
        convert_count_note(job->budget, format, text);
    else
        job->note(job->user, text);
}

void convert_note_others(const convert_job *job, const convert_scene *scene, const char *to,
                         bool with_targets)
{
    size_t count = 0;
    for (size_t i = 0; i < scene->num_parts; i++) {
        convert_part *const part = &scene->parts[i];
        count += part->kind == CONVERT_CAMERA || (with_targets && part->kind == CONVERT_TARGET);
    }
    if (count > 0)
        convert_note(job, "skipped %zu camera paths and morph targets: %s does not support them",
                     count, to);
}

// Of versions the newest counts.
static const convert_engine engines[] = {
    {" doom3 dhewm3 darkmod tdm quake4 openq4 ", CONVERT_DOOM3, 0},
    {" rbdoom bfg ", CONVERT_DOOM3, 4},
    {" ironwail qss quakespasm-spiked fte fteqw ", CONVERT_QUAKE, 4},
    {" vkquake ", CONVERT_QUAKE, 8},
    {" q2pro yquake2 yquake2remaster ", CONVERT_QUAKE2, 0},
    {" cube2 redeclipse ", CONVERT_CUBE2, 4},
    {" daemon unvanquished ", CONVERT_OTHER, 4},
};
enum { NUM_ENGINES = COMMON_LENGTH(engines) };

bool convert_is_among(const char *names, const char *engine)
{
    char *const word = common_format(" %.*s ", (int)strcspn(engine, ":"), engine);
    const bool is_among = strstr(names, word) != NULL;
    free(word);
    return is_among;
}

const convert_engine *convert_find_engine(const char *name)
{
    const convert_engine *engine = engines;
    while (name && engine < engines + NUM_ENGINES && !convert_is_among(engine->names, name))
        engine++;
    return engine < engines + NUM_ENGINES ? engine : &engines[0];
}

char *convert_clean(const char *text, size_t most, const char *refused)
{
    char *const clean = common_format("%.*s", (int)most, text);
    for (char *c = clean; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == '\x7f' || strchr(refused, *c))
            *c = '_';
    return clean;
}

char *convert_file_name(const char *name)
{
    enum { MAX_BYTES = 100 };
    char *const text = convert_clean(name[0] != '\0' ? name : "unnamed", MAX_BYTES, "/\\:*?\"<>|");
    text[0] = text[0] == '.' ? '_' : text[0];
    return text;
}

char *convert_read_file(const char *path, size_t *size, md5_error *error)
{
    const char *reason = NULL;
    char *const bytes = common_read_stream(path, size, &reason);
    if (!bytes)
        convert_fail(error, MD5_ERROR_IO, path, "cannot read the file: %s", reason);
    return bytes;
}

bool convert_goes_on(const convert_job *job, md5_error *error)
{
    return !job->goes_on || job->goes_on(job->user)
           || convert_fail(error, MD5_ERROR_IO, job->output, "the conversion was cancelled");
}

bool convert_write_file(const convert_job *job, const char *path, const void *bytes, size_t size,
                        md5_error *error)
{
    if (!convert_goes_on(job, error))
        return false;
    if (common_is_file(path) && !job->is_forced)
        return convert_fail(error, MD5_ERROR_IO, path,
                            "the file exists; use --force to overwrite it");
    common_writer writer;
    if (!common_begin_file(&writer, path, false)
        || !common_end_file(&writer, fwrite(bytes, 1, size, writer.file) == size))
        return convert_fail(error, MD5_ERROR_IO, path, "cannot write the file: %s",
                            strerror(errno));
    if (job->wrote)
        job->wrote(job->user, path);
    return true;
}

bool convert_write_beside(const convert_job *job, const char *name, const void *bytes, size_t size,
                          md5_error *error)
{
    char *const folder = common_folder(job->output);
    char *const path = common_join(folder, name);
    size_t old_size = 0;
    md5_error none;
    char *const old = view_is_image(name) ? convert_read_file(path, &old_size, &none) : NULL;
    const bool is_written = (old && old_size == size && memcmp(old, bytes, size) == 0)
                            || convert_write_file(job, path, bytes, size, error);
    free(old);
    free(path);
    free(folder);
    return is_written;
}

void convert_put(convert_bytes *out, const void *bytes, size_t size)
{
    if (out->room - out->size < size) {
        out->room = 2 * (out->size + size);
        out->bytes = common_realloc(out->bytes, out->room, 1);
    }
    if (size > 0)
        memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
}

void convert_put_free(convert_bytes *out, char *text)
{
    convert_put(out, text, strlen(text));
    free(text);
}

void convert_put_number(convert_bytes *out, uint32_t number, size_t size)
{
    for (; size > 0; size--, number >>= 8)
        convert_put(out, &(unsigned char){(unsigned char)number}, 1);
}

void convert_put_words(convert_bytes *out, const void *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, (const char *)words + i * sizeof word, sizeof word);
        convert_put_u32(out, word);
    }
}

void convert_put_u32(convert_bytes *out, uint32_t number)
{
    convert_put_number(out, number, 4);
}

// -- Scenes ---------------------------------------------------------------------------------------

// Returns the key of a name in the index. Some file systems do not distinguish upper and lower
// case.
static char *make_key(convert_part_kind kind, const char *name)
{
    char *const key = common_format("%d/%s", (int)kind, name);
    for (char *c = key; *c != '\0'; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    return key;
}

// Adds a name to the index. Returns its number, which is the former count if the name is new.
static size_t index_name(convert_names *names, convert_part_kind kind, const char *name)
{
    char *const key = make_key(kind, name);
    const size_t count = names->index.count;
    const size_t number = common_index_text(&names->index, key, strlen(key));
    if (number == count) {
        names->num_copies = common_grow(names->num_copies, count, sizeof *names->num_copies);
        names->num_copies[count] = 0;
    }
    free(key);
    return number;
}

static void free_names(convert_names *names)
{
    common_free_text_index(&names->index);
    free(names->num_copies);
    *names = (convert_names){.num_parts = 0};
}

// Builds the index again if parts were added or removed by other means.
static void update_names(convert_scene *scene)
{
    convert_names *const names = &scene->names;
    if (names->num_parts == scene->num_parts)
        return;
    free_names(names);
    for (size_t i = 0; i < scene->num_parts; i++)
        index_name(names, scene->parts[i].kind, scene->parts[i].name);
}

// Returns a copy of a name, with a number if the name is taken.
static char *make_unique(convert_scene *scene, convert_part_kind kind, const char *name)
{
    convert_names *const names = &scene->names;
    update_names(scene);
    char *unique = common_copy(name);
    size_t count = names->index.count;
    const size_t first = index_name(names, kind, unique);
    for (size_t number = first; number < count;) {
        count = names->index.count;
        free(unique);
        unique = common_format("%s_%u", name, 2 + names->num_copies[first]++);
        number = index_name(names, kind, unique);
    }
    return unique;
}

// NOLINTBEGIN(readability-non-const-parameter): the part keeps the bytes
void convert_add_part(convert_scene *scene, convert_part_kind kind, const char *name,
                      const char *path, char *bytes, size_t size)
// NOLINTEND(readability-non-const-parameter)
{
    const bool is_second = kind == CONVERT_MODEL && convert_find_model(scene);
    kind = is_second ? CONVERT_TARGET : kind;
    char *const unique = make_unique(scene, kind, name);
    *COMMON_MORE(scene->parts, scene->num_parts) = (convert_part){.kind = kind,
                                                                  .is_model = is_second,
                                                                  .name = unique,
                                                                  .path = common_copy(path),
                                                                  .bytes = bytes,
                                                                  .size = size};
    scene->names.num_parts = scene->num_parts;
}

// An estimate of a document's size as text, which is seldom exceeded.
static size_t estimate_text(const md5_doc *doc)
{
    size_t size = 256 + 128 * (size_t)doc->num_joints
                  + doc->num_frames * (96 + 12 * (size_t)doc->num_components);
    for (uint32_t i = 0; i < doc->num_meshes; i++) {
        const md5_doc_mesh *const mesh = &doc->meshes[i];
        size += 512 + 56 * (size_t)mesh->num_vertices + 40 * (size_t)mesh->num_triangles
                + 80 * (size_t)mesh->num_weights;
    }
    return size;
}

bool convert_print_doc(const md5_doc *doc, char **text, size_t *size, md5_error *error)
{
    size_t room = estimate_text(doc); // a longer text is printed once more
    char *made = NULL;
    for (*size = room; *size >= room;) {
        room = *size + 1;
        made = common_realloc(made, room, 1);
        *size = md5_write_doc(doc, made, room, error);
    }
    if (*size == 0) {
        free(made);
        return false;
    }
    free(*text);
    *text = common_realloc(made, *size + 1, 1);
    return true;
}

// Numbers that scales and offsets of another format make can be beyond those that MD5 may hold.
bool convert_add_doc(const convert_job *job, convert_scene *scene, convert_part_kind kind,
                     const char *name, const md5_doc *doc, md5_error *error)
{
    char *text = NULL;
    size_t size = 0;
    const size_t room = estimate_text(doc);
    if (!convert_charge(job, room, error) || !convert_charge_bytes(job, room, 1, error)
        || !convert_print_doc(doc, &text, &size, error))
        return false;
    convert_add_part(scene, kind, name, NULL, text, size);
    md5_doc *const read = convert_parse_doc(&scene->parts[scene->num_parts - 1], error);
    md5_free_doc(read);
    return read;
}

// Numbers that are 1e-12 of others come from products of those that should be 0.
static convert_vec clean(convert_vec v, double length)
{
    const double least = 1e-12 * length;
    return (convert_vec){fabs(v.x) > least ? v.x : 0, fabs(v.y) > least ? v.y : 0,
                         fabs(v.z) > least ? v.z : 0};
}

md5_vec3 convert_stored_point(convert_vec v)
{
    return convert_to_vec3(clean(v, sqrt(convert_dot(v, v))));
}

// The next float up or down, but of 0.
static float beside(float value, int by)
{
    return by == 0 || value == 0 ? value : nextafterf(value, by < 0 ? -HUGE_VALF : HUGE_VALF);
}

md5_vec3 convert_stored(convert_quat q)
{
    const double sign = q.w > 0 ? -1 : 1;
    const double w = q.w * sign;
    const md5_vec3 near_by =
        convert_to_vec3(clean((convert_vec){q.x * sign, q.y * sign, q.z * sign}, 1));
    md5_vec3 best = near_by;
    double least = HUGE_VAL;
    // Near half a turn, what x y z are rounded by decides about w, the root of their difference to
    // 1: of all floats beside them those are taken from which readers get the w that is meant.
    for (int i = 0; i < 27 && fabs(w) < 0.02; i++) {
        const md5_vec3 tried = {beside(near_by.x, i % 3 - 1), beside(near_by.y, i / 3 % 3 - 1),
                                beside(near_by.z, i / 9 - 1)};
        const double off = fabs(md5_quat_from_xyz(tried.x, tried.y, tried.z).w - w);
        if (off < least || (off == least && i == 13)) {
            least = off;
            best = tried;
        }
    }
    return best;
}

md5_doc_joint convert_doc_joint(const char *name, uint32_t parent, convert_xform placed)
{
    return (md5_doc_joint){.name = name,
                           .parent = parent,
                           .position = convert_stored_point(placed.translation),
                           .rotation = convert_stored(placed.rotation)};
}

// Charges a clip's numbers, and the vertices that are posed for its bounds.
static bool charge_clip(const convert_job *job, const convert_motion *motion,
                        const md5_model *model, md5_error *error)
{
    const uint64_t num_numbers = 2 * (uint64_t)motion->num_joints * motion->num_frames;
    uint64_t num_vertices = 0;
    for (uint32_t i = 0; model && i < model->num_meshes; i++)
        num_vertices += model->meshes[i].num_vertices;
    return convert_charge(job, num_numbers + num_vertices * motion->num_frames, error)
           && convert_charge_bytes(job, num_numbers, sizeof(md5_vec3), error);
}

bool convert_add_clip(const convert_job *job, convert_scene *scene, const char *name,
                      const convert_motion *motion, const md5_model *model, md5_error *error)
{
    if (!charge_clip(job, motion, model, error))
        return false;
    md5_doc doc = {.kind = MD5_DOC_ANIM,
                   .command_line = "md5tool convert",
                   .num_joints = motion->num_joints,
                   .num_frames = motion->num_frames,
                   .frame_rate = motion->rate,
                   .bounds = motion->bounds};
    const size_t row = 2 * (size_t)doc.num_joints; // a position and a rotation each
    md5_vec3 *const parts = common_alloc(doc.num_frames * row, sizeof *parts);
    bool *const is_moved = common_alloc(row, sizeof *is_moved);
    convert_xform *const local = common_alloc(doc.num_joints, sizeof *local);
    doc.joints = common_alloc(doc.num_joints, sizeof *doc.joints);
    const float rounding = motion->rounding > 0 ? motion->rounding : 1e-7f;
    float longest = 0; // of what stands still up to rounding of products
    bool is_right = true;
    for (uint32_t frame = 0; frame < doc.num_frames; frame++) {
        md5_vec3 *const now = parts + frame * row;
        motion->pose(motion->user, frame, local);
        for (uint32_t i = 0; i < doc.num_joints; i++) {
            const convert_joint *const joint = &motion->joints[i];
            const md5_doc_joint posed = convert_doc_joint(joint->name, joint->parent, local[i]);
            if (frame == 0) {
                doc.joints[i] = posed;
                longest = fmaxf(longest, md5_vec3_length(posed.position));
            }
            now[2 * i] = posed.position;
            now[2 * i + 1] = posed.rotation;
            if (!(md5_vec3_length(posed.position) <= 1e9f) && is_right)
                is_right = convert_fail(
                    error, MD5_ERROR_RANGE, motion->path,
                    "clip %s: frame %u has a joint more than 1e9 units from the origin", name,
                    frame);
        }
        for (size_t i = 0; i < row; i++)
            is_moved[i] |= !(md5_vec3_length(md5_vec3_sub(now[i], parts[i]))
                             <= rounding * (i % 2 == 0 ? longest : 1));
    }
    for (size_t i = 0; i < row; i++)
        if (is_moved[i]) { // engines refuse a first component behind the last one
            md5_track *const track = &doc.joints[i / 2].track;
            track->first = track->flags != 0 ? track->first : doc.num_components;
            track->flags |= i % 2 == 0 ? 7u : 56u;
            doc.num_components += 3;
        }
    size_t num_kept = 0;
    for (size_t i = 0; i < doc.num_frames * row; i++)
        if (is_moved[i % row])
            parts[num_kept++] = parts[i];
    doc.numbers = &parts->x;
    is_right =
        is_right
        && (!model || model->max_vertices == 0 || md5_fix_bounds(&doc, model, error) != MD5_NONE)
        && convert_add_doc(job, scene, CONVERT_CLIP, name, &doc, error);
    md5_free_doc(&doc); // the bounds of the model
    free(is_moved);
    free(local);
    free(parts);
    free(doc.joints);
    return is_right;
}

const convert_part *convert_find_model(const convert_scene *scene)
{
    for (size_t i = 0; i < scene->num_parts; i++) {
        convert_part *const part = &scene->parts[i];
        if (part->kind == CONVERT_MODEL)
            return part;
    }
    return NULL;
}

md5_doc *convert_parse_doc(const convert_part *part, md5_error *error)
{
    static const md5_doc_kind kinds[] = {MD5_DOC_MODEL, MD5_DOC_ANIM, MD5_DOC_CAMERA,
                                         MD5_DOC_MODEL};
    const md5_load_opts opts = {.file_name = part->path ? part->path : part->name};
    return md5_parse_doc(kinds[part->kind], part->bytes, part->size, &opts, error);
}

md5_model *convert_parse_model(const convert_part *part, md5_error *error)
{
    const md5_load_opts opts = {.file_name = part->path ? part->path : part->name};
    return md5_parse_model(part->bytes, part->size, &opts, error);
}

void convert_free_part(const convert_part *part)
{
    free(part->name);
    free(part->path);
    free(part->bytes);
    free(part->rest);
}

void convert_free_scene(convert_scene *scene)
{
    for (size_t i = 0; i < scene->num_parts; i++)
        convert_free_part(&scene->parts[i]);
    for (size_t j = 0; j < scene->num_materials; j++) {
        convert_material *const material = &scene->materials[j];
        for (int i = 0; i < CONVERT_NUM_MAPS; i++) {
            convert_picture *const map = &material->maps[i];
            free(map->name);
            free(map->declared);
            free(map->bytes);
        }
        free(material->shader);
        free(material->text);
    }
    for (size_t i = 0; i < scene->num_weights; i++) {
        convert_weights *const row = &scene->weights[i];
        free(row->clip);
        free(row->target);
        free(row->keys);
    }
    free(scene->parts);
    free(scene->materials);
    for (size_t i = 0; i < scene->num_worn; i++)
        free(scene->worn[i].path);
    free(scene->worn);
    free(scene->looks);
    free(scene->weights);
    free_names(&scene->names);
    free(scene->name);
}

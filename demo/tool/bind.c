// md5tool bind: attaches a mesh without joints to a skeleton with automatic weights.
//
// The mesh is an OBJ file. Its triangles form one surface, for which md5_create_weights() computes
// the weights. The written model has a mesh for each material. Its vertices are pairs of a position
// and a texture coordinate (bind_vertices).
#include "demo/convert/obj.h"
#include "demo/tool/tool.h"

// == Binding ======================================================================================

// Sets excluded[joint] for each joint that an option --exclude names. Returns an exit status.
// Prints an error if a joint does not exist.
static int mark_excluded_joints(const tool_arguments *arguments, const md5_model *model,
                                bool *excluded)
{
    for (size_t i = 0; i < arguments->excluded.count; i++) {
        const char *const name = arguments->excluded.names[i];
        const uint32_t joint = md5_find_joint(&model->skeleton, name);
        if (joint == MD5_NONE)
            return tool_usage(
                "bind", "--exclude %s: joint not found: expected the name of a joint of the model",
                name);
        excluded[joint] = true;
    }
    return TOOL_OK;
}

// Returns the triangles of all parts of an OBJ file in one array, as indices of positions. Weights
// depend on the whole volume of the body, and its surface can consist of several parts. The caller
// frees the array.
static uint32_t *combine_triangles(const convert_obj *obj, size_t *num_triangles)
{
    size_t count = 0;
    for (uint32_t i = 0; i < obj->num_parts; i++)
        count += obj->parts[i].num_triangles;

    uint32_t *const indices = common_alloc(3 * count + 1, sizeof *indices);
    size_t used = 0;
    for (uint32_t i = 0; i < obj->num_parts; i++) {
        const convert_obj_part *const part = &obj->parts[i];
        for (size_t k = 0; k < 3 * (size_t)part->num_triangles; k++)
            indices[used++] = part->corners[k].position;
    }
    *num_triangles = count;
    return indices;
}

// Computes the weights of all positions of the OBJ file for the joints of a model. Joints in
// excluded[] get no weights. Returns NULL and sets `error` on failure. The caller frees the
// weights.
static md5_weights *create_weights(const tool_arguments *arguments, const convert_obj *obj,
                                   const md5_model *model, const md5_mat34 *bind,
                                   const bool *excluded, md5_error *error)
{
    size_t num_triangles = 0;
    uint32_t *const indices = combine_triangles(obj, &num_triangles);
    const md5_weights_desc desc = {
        .positions = obj->positions,
        .num_positions = obj->num_positions,
        .indices = indices,
        .num_triangles = (uint32_t)num_triangles,
        .skeleton = &model->skeleton,
        .bind = bind,
        .excluded = excluded,
        .resolution = arguments->resolution,
        .max_influences = arguments->influences,
    };
    const md5_load_opts opts = {.file_name = arguments->operands[0]};
    md5_weights *const weights = md5_create_weights(&desc, &opts, error);
    free(indices);
    if (!weights && error->file[0] == '\0')
        convert_name_file(error, arguments->operands[0]);
    return weights;
}

// -- Writing --------------------------------------------------------------------------------------

// The vertices of one mesh. A vertex is a pair of a position and a texture coordinate. Each pair is
// stored once, in the order in which triangles use the pairs.
//
// The vertices of one position form a linked list. A link is 1 + the index of a vertex, and 0 ends
// the list. The arrays are allocated once and used for one mesh after the other, because a file may
// have as many materials as positions.
typedef struct bind_vertices {
    convert_obj_corner *corners; // [count]
    uint32_t *next;              // [count] link to the next vertex of the same position
    uint32_t *first;             // [positions] link to the first vertex of the list
    uint32_t *weight;            // [positions] index in the mesh of the position's first weight
    uint32_t count;
} bind_vertices;

// Allocates the arrays for the part with the most triangle corners. A part has at most one vertex
// per corner.
static bind_vertices create_vertices(const convert_obj *obj)
{
    size_t num_corners = 0;
    for (uint32_t i = 0; i < obj->num_parts; i++) {
        const size_t count = 3 * (size_t)obj->parts[i].num_triangles;
        if (count > num_corners)
            num_corners = count;
    }
    const size_t num_positions = obj->num_positions;
    return (bind_vertices){
        .corners = common_alloc(num_corners, sizeof(convert_obj_corner)),
        .next = common_alloc(num_corners, sizeof(uint32_t)),
        .first = common_alloc(num_positions, sizeof(uint32_t)),
        .weight = common_alloc(num_positions, sizeof(uint32_t)),
    };
}

// Empties the arrays for the next mesh. Only the positions that the mesh uses are cleared, so that
// the time for all meshes is linear in the size of the file.
static void clear_vertices(bind_vertices *vertices)
{
    for (uint32_t i = 0; i < vertices->count; i++)
        vertices->first[vertices->corners[i].position] = 0;
    vertices->count = 0;
}

static void free_vertices(bind_vertices *vertices)
{
    free(vertices->corners);
    free(vertices->next);
    free(vertices->first);
    free(vertices->weight);
}

// Returns the index of the vertex of a triangle corner. Adds the vertex if the mesh does not have
// it yet. At most MAX_TRIES vertices of the position are compared, so that the time is linear for
// hostile files, too. If the equal vertex is later in the list, the mesh gets a duplicate, which
// does not change its appearance.
static uint32_t get_vertex(bind_vertices *vertices, convert_obj_corner corner)
{
    enum { MAX_TRIES = 64 };
    int num_tries = 0;
    for (uint32_t i = vertices->first[corner.position]; i > 0 && num_tries < MAX_TRIES;
         i = vertices->next[i - 1]) {
        if (vertices->corners[i - 1].texcoord == corner.texcoord)
            return i - 1;
        num_tries++;
    }

    // Insert the vertex at the front of the list.
    const uint32_t added = vertices->count++;
    vertices->corners[added] = corner;
    vertices->next[added] = vertices->first[corner.position];
    vertices->first[corner.position] = added + 1;
    return added;
}

// Returns the position in the mesh's array of corners for a corner of the OBJ file. The second and
// the third corner of each triangle are swapped: front faces are clockwise in MD5 and
// counterclockwise in OBJ.
static size_t swap_winding(size_t corner)
{
    switch (corner % 3) {
    case 1:
        return corner + 1;
    case 2:
        return corner - 1;
    default:
        return corner;
    }
}

// Allocates the vertices and the weights of a mesh. The capacity for weights is an upper limit,
// because it counts the weights of a position once for each vertex of the position.
static void alloc_vertices(md5_doc_mesh *mesh, const md5_weights *weights,
                           const bind_vertices *vertices)
{
    size_t max_weights = 0;
    for (uint32_t i = 0; i < vertices->count; i++)
        max_weights += weights->vertices[vertices->corners[i].position].num_weights;
    mesh->num_vertices = vertices->count;
    mesh->vertices = common_alloc(mesh->num_vertices, sizeof *mesh->vertices);
    mesh->texcoords = common_alloc(mesh->num_vertices, sizeof *mesh->texcoords);
    mesh->weights = common_alloc(max_weights, sizeof *mesh->weights);
}

// Appends the weights of a position to a mesh, and stores the index of the first weight. Vertices
// of one position share their weights, so further calls for the position have no effect.
static void append_weights(md5_doc_mesh *mesh, const md5_weights *weights, bind_vertices *vertices,
                           uint32_t position)
{
    // The mark replaces the link to the first vertex. No vertices are added any more, so the link
    // is not needed.
    static const uint32_t is_written = UINT32_MAX;
    if (vertices->first[position] == is_written)
        return;
    const md5_vertex source = weights->vertices[position];
    vertices->first[position] = is_written;
    vertices->weight[position] = mesh->num_weights;
    memcpy(mesh->weights + mesh->num_weights, weights->weights + source.first_weight,
           source.num_weights * sizeof *mesh->weights);
    mesh->num_weights += source.num_weights;
}

// Creates the mesh of a material: its triangles, then its vertices with weights and texture
// coordinates. The caller owns its arrays.
static md5_doc_mesh create_mesh(const convert_obj *obj, const convert_obj_part *part,
                                const md5_weights *weights, bind_vertices *vertices)
{
    const size_t num_corners = 3 * (size_t)part->num_triangles;
    md5_doc_mesh mesh = {.shader = part->material,
                         .num_triangles = part->num_triangles,
                         .indices = common_alloc(num_corners, sizeof *mesh.indices)};
    for (size_t i = 0; i < num_corners; i++)
        mesh.indices[swap_winding(i)] = get_vertex(vertices, part->corners[i]);
    alloc_vertices(&mesh, weights, vertices);

    for (uint32_t i = 0; i < mesh.num_vertices; i++) {
        const convert_obj_corner corner = vertices->corners[i];
        append_weights(&mesh, weights, vertices, corner.position);
        mesh.vertices[i] = (md5_vertex){vertices->weight[corner.position],
                                        weights->vertices[corner.position].num_weights};

        // v is measured from the bottom in OBJ files, and from the top in .md5mesh files. A corner
        // without texture coordinates (index 0) becomes 0,0.
        const md5_vec2 texcoord =
            corner.texcoord > 0 ? obj->texcoords[corner.texcoord - 1] : (md5_vec2){0, 1};
        mesh.texcoords[i] = (md5_vec2){texcoord.x, 1 - texcoord.y};
    }
    clear_vertices(vertices);
    return mesh;
}

// Copies the joints of a skeleton to a document. joints[] are their transforms in the bind pose.
static void fill_doc_joints(md5_doc *doc, const md5_skeleton *skeleton, const md5_xform *joints)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const md5_quat q = joints[i].rotation;
        doc->joints[i] = (md5_doc_joint){.name = skeleton->joints[i].name,
                                         .parent = skeleton->joints[i].parent,
                                         .position = joints[i].translation,
                                         .rotation = {q.x, q.y, q.z}};
    }
}

// Frees the arrays of a document and of its meshes.
static void free_doc_arrays(const md5_doc *doc)
{
    for (uint32_t m = 0; m < doc->num_meshes; m++) {
        free(doc->meshes[m].indices);
        free(doc->meshes[m].vertices);
        free(doc->meshes[m].texcoords);
        free(doc->meshes[m].weights);
    }
    free(doc->meshes);
    free(doc->joints);
}

// Writes the bound surface as an .md5mesh file. The file contains the joints of the skeleton, and a
// mesh for each material that has triangles.
static bool write_bound(const char *path, const md5_model *model, const md5_xform *joints,
                        const convert_obj *obj, const md5_weights *weights, md5_error *error)
{
    const md5_skeleton *const skeleton = &model->skeleton;
    md5_doc doc = {
        .kind = MD5_DOC_MODEL,
        .command_line = "md5tool bind",
        .num_joints = skeleton->num_joints,
        .joints = common_alloc(skeleton->num_joints, sizeof *doc.joints),
        .meshes = common_alloc(obj->num_parts, sizeof *doc.meshes),
    };
    fill_doc_joints(&doc, skeleton, joints);

    bind_vertices vertices = create_vertices(obj);
    for (uint32_t i = 0; i < obj->num_parts; i++) {
        if (obj->parts[i].num_triangles > 0)
            doc.meshes[doc.num_meshes++] = create_mesh(obj, &obj->parts[i], weights, &vertices);
    }
    free_vertices(&vertices);
    const bool is_written = tool_write_doc(path, &doc, error);
    free_doc_arrays(&doc);
    return is_written;
}

// Computes the bind pose that readers of the written file will see. Files store x, y and z of a
// rotation with a limited number of digits, and readers compute w. The pose therefore differs
// slightly from the model's pose, and weights must be computed for the pose in the file.
static void round_bind_pose(const md5_model *model, md5_xform *joints, md5_mat34 *bind)
{
    for (uint32_t i = 0; i < model->skeleton.num_joints; i++) {
        md5_quat q = convert_file_rotation(md5_quat_from_mat34(model->bind[i]));
        const double x = q.x;
        const double y = q.y;
        const double z = q.z;
        q.w = -(float)sqrt(fabs(1 - x * x - y * y - z * z));
        joints[i] = md5_xform_from_mat34(model->bind[i]);
        joints[i].rotation = q;
        bind[i] = md5_mat34_from_xform(joints[i]);
    }
}

// Rotates a surface from y up and z forward to the axes of id's games: x forward and z up.
static void rotate_y_up(convert_obj *obj)
{
    for (uint32_t i = 0; i < obj->num_positions; i++) {
        const md5_vec3 position = obj->positions[i];
        obj->positions[i] = (md5_vec3){position.z, position.x, position.y};
    }
}

// Computes the weights of a surface for the skeleton of a model, and writes the bound model. Prints
// a warning if no path inside of the surface connects some vertices with a bone, because their
// weights are less reliable. Returns an exit status.
static int bind_surface(const tool_arguments *arguments, convert_obj *obj, const md5_model *model)
{
    md5_error error = {0};
    const uint32_t num_joints = model->skeleton.num_joints;
    md5_xform *const joints = common_alloc(num_joints, sizeof *joints);
    md5_mat34 *const bind = common_alloc(num_joints, sizeof *bind);
    bool *const excluded = common_alloc(num_joints, sizeof *excluded);
    md5_weights *weights = NULL;

    int status = mark_excluded_joints(arguments, model, excluded);
    if (status == TOOL_OK) {
        round_bind_pose(model, joints, bind);
        if (arguments->is_y_up)
            rotate_y_up(obj);
        weights = create_weights(arguments, obj, model, bind, excluded, &error);
        const bool is_done =
            weights && write_bound(arguments->output, model, joints, obj, weights, &error);
        status = tool_end(is_done, &error);
    }
    if (status == TOOL_OK && weights->num_distant > 0)
        fprintf(
            stderr,
            "md5tool: bind: warning: no bone inside the mesh reaches %u of %u %s: their weights "
            "depend on the direct distance\n",
            weights->num_distant, weights->num_vertices,
            common_noun(weights->num_vertices, "vertex", "vertices"));

    md5_destroy_weights(weights);
    free(excluded);
    free(bind);
    free(joints);
    return status;
}

// md5tool bind: reads the OBJ file and the model, and binds the surface. Returns an exit status.
static int bind_files(tool_arguments *arguments)
{
    md5_error error = {0};
    convert_obj obj;
    md5_model *model = NULL;
    if (convert_read_obj(arguments->operands[0], &obj, &error))
        model = md5_load_model(arguments->operands[1], NULL, &error);
    const int status = model ? bind_surface(arguments, &obj, model) : tool_end(false, &error);
    md5_free_model(model);
    convert_free_obj(&obj);
    return status;
}

const tool_command tool_bind = {
    "bind",
    bind_files,
    2,
    2,
    "an OBJ file and a model",
    "usage: md5tool bind [OPTION...] MESH.obj SKELETON.md5mesh\n"
    "\n"
    "Attaches a Wavefront OBJ mesh to the joints of a model with automatic weights and prints\n"
    "the result as .md5mesh. Weights are computed from distances through the inside of the mesh.\n"
    "Each material of the OBJ file becomes a mesh. The OBJ mesh must be in the bind pose and the\n"
    "coordinate system of the model: x forward, y left, z up.\n"
    "\n"
    "  --output FILE       write to FILE instead of standard output\n"
    "  --influences N      maximum number of weights per vertex, 1 to 16 (default 4)\n"
    "  --resolution N      number of voxels along the longest side, 4 to 256 (default 64)\n"
    "  --exclude JOINT     assign no weights to this joint; may be repeated\n"
    "  --y-up              the OBJ file uses y up, z forward and x left\n"};

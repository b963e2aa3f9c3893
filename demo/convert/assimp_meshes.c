// Converts meshes and materials of libassimp's scene to glTF.
#include "demo/convert/assimp_import.h"

#if defined(HAS_ASSIMP) && defined(HAS_JANSSON)

#include "demo/looks/image.h"

#include <assimp/material.h>

// -- Meshes ---------------------------------------------------------------------------------------

// In libassimp, each bone of a mesh lists its vertices and weights. In glTF, each vertex has the
// same number of slots. A slot contains a joint of the skin and its weight.

static bool is_valid_weight(const struct aiMesh *mesh, const struct aiVertexWeight *weight)
{
    return weight->mVertexId < mesh->mNumVertices && weight->mWeight > 0;
}

// Returns the number of slots per vertex: the largest number of weights of a vertex, rounded up to
// a multiple of four. Adds the number of weights of each vertex to num_used[vertices].
static size_t count_slots(const struct aiMesh *mesh, unsigned *num_used)
{
    unsigned max_used = 1;
    for (uint32_t b = 0; b < mesh->mNumBones; b++) {
        for (uint32_t w = 0; w < mesh->mBones[b]->mNumWeights; w++) {
            const struct aiVertexWeight *const weight = &mesh->mBones[b]->mWeights[w];
            if (!is_valid_weight(mesh, weight))
                continue;
            num_used[weight->mVertexId]++;
            const unsigned used = num_used[weight->mVertexId];
            max_used = used > max_used ? used : max_used;
        }
    }
    return ((size_t)max_used + 3) / 4 * 4;
}

// Adds the joints and weights of all vertices to the attributes of a primitive. If there are
// vertices without weights, attaches them to an additional joint after the bones, and returns true.
static bool add_weights(assimp_importer *importer, const struct aiMesh *mesh, json_t *attributes)
{
    const size_t num_vertices = mesh->mNumVertices;
    const uint32_t additional_joint = mesh->mNumBones;
    unsigned *const num_used = common_alloc(num_vertices, sizeof *num_used); // slots of a vertex
    const size_t num_slots = count_slots(mesh, num_used);
    memset(num_used, 0, num_vertices * sizeof *num_used);

    uint32_t *const joints = common_alloc(num_slots * num_vertices, sizeof *joints);
    float *const weights = common_alloc(num_slots * num_vertices, sizeof *weights);
    for (uint32_t b = 0; b < mesh->mNumBones; b++) {
        for (uint32_t w = 0; w < mesh->mBones[b]->mNumWeights; w++) {
            const struct aiVertexWeight *const weight = &mesh->mBones[b]->mWeights[w];
            if (!is_valid_weight(mesh, weight))
                continue;
            const size_t slot = weight->mVertexId * num_slots + num_used[weight->mVertexId];
            num_used[weight->mVertexId]++;
            joints[slot] = b;
            weights[slot] = weight->mWeight;
        }
    }

    bool has_free_vertices = false;
    for (size_t v = 0; v < num_vertices; v++) {
        if (num_used[v] > 0)
            continue;
        joints[v * num_slots] = additional_joint;
        weights[v * num_slots] = 1;
        has_free_vertices = true;
    }
    gltf_put_influences(&importer->file, attributes, additional_joint + 1, joints, weights,
                        num_vertices, num_slots);
    free(weights);
    free(joints);
    free(num_used);
    return has_free_vertices;
}

// Returns the product of the geometric factors of a node, which apply to its meshes. libassimp
// stores them as the last pivots before the node. They are used only if the FBX file has no unique
// model of the node, because libassimp applies the rotation order of the model to them.
static struct aiMatrix4x4 geometric_factor(const assimp_importer *importer, size_t node_index)
{
    const size_t model = importer->nodes[node_index].model;
    if (model != SIZE_MAX) {
        const convert_affine factor = fbx_geometric_factor(importer->curves, model);
        return assimp_matrix_from_affine(&factor);
    }
    struct aiMatrix4x4 product;
    aiIdentityMatrix4(&product);
    const int first_pivot = importer->nodes[node_index].pivots;
    if (first_pivot == ASSIMP_NONE)
        return product;
    // A pivot before the first one belongs to the parent: the inverse of its geometric factor.
    int pivot = importer->nodes[node_index].parent;
    while (pivot >= first_pivot && importer->nodes[pivot].is_geometric) {
        struct aiMatrix4x4 factor = importer->nodes[pivot].source->mTransformation;
        aiMultiplyMatrix4(&factor, &product);
        product = factor;
        pivot = importer->nodes[pivot].parent;
    }
    return product;
}

// Adds the skin of a mesh and returns its index. libassimp's offset matrices do not contain the
// geometric transform of the mesh, so each offset matrix is multiplied by it. If `has_unweighted`
// is true, the node of the mesh becomes an additional joint for vertices without weights.
static size_t add_skin(assimp_importer *importer, const struct aiMesh *mesh, size_t node_index,
                       bool has_unweighted)
{
    json_t *const joints = json_array();
    const struct aiMatrix4x4 geometric = geometric_factor(importer, node_index);
    const size_t count = mesh->mNumBones + (size_t)has_unweighted;
    float *const binds = common_alloc(count, 16 * sizeof *binds);

    for (uint32_t b = 0; b < mesh->mNumBones; b++) {
        const struct aiBone *const bone = mesh->mBones[b];
        const int found = assimp_find_node(importer, &bone->mName);
        if (found == ASSIMP_NONE)
            assimp_add_line(
                importer,
                ASSIMP_NOTE
                "bone '%s' of mesh '%s' has no node: its vertices were attached to the root",
                bone->mName.data, mesh->mName.data);
        gltf_append(&importer->file, joints,
                    gltf_integer(found != ASSIMP_NONE ? (size_t)found : 0));
        struct aiMatrix4x4 offset = bone->mOffsetMatrix;
        aiMultiplyMatrix4(&offset, &geometric);
        assimp_put_matrix(offset, binds + 16 * b);
    }

    if (has_unweighted) {
        gltf_append(&importer->file, joints, gltf_integer(node_index));
        assimp_put_matrix(geometric, binds + 16 * (size_t)mesh->mNumBones);
    }

    const size_t accessor =
        gltf_add_accessor(&importer->file, GLTF_BINDS, GLTF_FLOAT, binds, count, 16, GLTF_PLAIN);
    free(binds);
    return gltf_add(
        &importer->file, "skins",
        json_pack("{s:I, s:o}", "inverseBindMatrices", (json_int_t)accessor, "joints", joints));
}

// Charges the cost of a mesh to the budget. It is charged for each node that uses the mesh, because
// each node gets a copy. Returns false after an error.
static bool charge_mesh(assimp_importer *importer, const struct aiMesh *mesh)
{
    enum { ELEMENTS_PER_MESH = 1000, ELEMENTS_PER_ITEM = 8, BYTES_PER_ITEM = 44 };
    uint64_t num_weights = 0;
    for (unsigned i = 0; i < mesh->mNumBones; i++)
        num_weights += 1 + (uint64_t)mesh->mBones[i]->mNumWeights;
    const uint64_t num_items = mesh->mNumVertices + (uint64_t)mesh->mNumFaces + num_weights;
    return assimp_charge(importer, ELEMENTS_PER_MESH + ELEMENTS_PER_ITEM * num_items)
           && assimp_charge_bytes(importer, num_items, BYTES_PER_ITEM);
}

// Returns the triangles of libassimp's faces. Faces that are not triangles are skipped. The caller
// frees the indices.
static assimp_triangles list_triangles(const struct aiMesh *mesh)
{
    assimp_triangles list = {.indices = common_alloc(mesh->mNumFaces, 3 * sizeof *list.indices)};
    if (mesh->mNumVertices == 0)
        return list;
    for (uint32_t f = 0; f < mesh->mNumFaces; f++) {
        const struct aiFace *const face = &mesh->mFaces[f];
        if (face->mNumIndices != 3)
            continue;
        for (unsigned k = 0; k < 3; k++)
            list.indices[list.num_indices++] = face->mIndices[k];
    }
    return list;
}

// Adds the first set of texture coordinates of a mesh as an attribute of a glTF primitive.
static void add_texcoords(assimp_importer *importer, const struct aiMesh *mesh, json_t *attributes)
{
    const size_t count = mesh->mNumVertices;
    size_t num_invalid = 0;
    float *const texcoords = common_alloc(count, 2 * sizeof *texcoords);
    for (size_t i = 0; i < count; i++) {
        struct aiVector3D uv = mesh->mTextureCoords[0][i];
        if (!isfinite(uv.x) || !isfinite(uv.y)) {
            uv = (struct aiVector3D){0};
            num_invalid++;
        }
        texcoords[2 * i] = uv.x;
        texcoords[2 * i + 1] = 1 - uv.y; // in libassimp, v = 0 is the bottom row
    }
    if (num_invalid > 0)
        assimp_add_line(
            importer,
            ASSIMP_NOTE "mesh '%s': replaced %zu texture %s by 0: expected finite numbers",
            mesh->mName.data, num_invalid, common_noun(num_invalid, "coordinate", "coordinates"));
    gltf_put_attribute(&importer->file, attributes, "TEXCOORD_0", GLTF_FLOAT, texcoords, count, 2,
                       GLTF_PLAIN);
    free(texcoords);
}

// Adds the node of a mesh. A mesh with bones becomes a root of the scene, because only its bones
// place it. Any other mesh becomes a child of its node. `has_unweighted` means that some vertices
// of a mesh with bones have no weights.
static void add_mesh_node(assimp_importer *importer, const struct aiMesh *mesh, size_t mesh_index,
                          size_t node_index, bool has_unweighted)
{
    const char *const name = assimp_node_name(importer, &importer->nodes[node_index]);
    json_t *const item =
        json_pack("{s:o, s:I}", "name", gltf_string(name), "mesh", (json_int_t)mesh_index);
    const size_t added = gltf_add(&importer->file, "nodes", item);
    if (mesh->mNumBones == 0) {
        float columns[16];
        assimp_put_matrix(geometric_factor(importer, node_index), columns);
        gltf_put(&importer->file, item, "matrix", gltf_floats(columns, 16));
        gltf_set_parent(&importer->file, added, node_index);
        return;
    }
    gltf_put(&importer->file, item, "skin",
             gltf_integer(add_skin(importer, mesh, node_index, has_unweighted)));
    gltf_append(&importer->file, importer->file.root_nodes, gltf_integer(added));
}

// Adds a mesh that has at least one triangle, and its node. All vertices are added, even if no
// triangle uses them, so that the indices do not change.
static void add_triangles(assimp_importer *importer, const struct aiMesh *mesh, size_t node_index,
                          const uint32_t *indices, size_t num_indices)
{
    json_t *const attributes = json_object();
    gltf_put_attribute(&importer->file, attributes, "POSITION", GLTF_FLOAT, mesh->mVertices,
                       mesh->mNumVertices, 3, GLTF_PLAIN);
    if (mesh->mNormals) // otherwise the mesh is flat-shaded
        gltf_put_attribute(&importer->file, attributes, "NORMAL", GLTF_FLOAT, mesh->mNormals,
                           mesh->mNumVertices, 3, GLTF_PLAIN);
    if (mesh->mTextureCoords[0])
        add_texcoords(importer, mesh, attributes);
    const bool has_unweighted = mesh->mNumBones > 0 && add_weights(importer, mesh, attributes);
    const size_t accessor = gltf_add_accessor(&importer->file, GLTF_INDICES, GLTF_UINT, indices,
                                              num_indices, 1, GLTF_PLAIN);
    if (mesh->mNumAnimMeshes > 0)
        assimp_add_line(importer,
                        ASSIMP_NOTE
                        "mesh '%s': skipped %u morph %s; export the model as glTF to keep them",
                        mesh->mName.data, mesh->mNumAnimMeshes,
                        common_noun(mesh->mNumAnimMeshes, "target", "targets"));
    // {"name": ..., "primitives": [{"attributes": {...}, "indices": ..., "material": ...}]}
    const size_t mesh_index =
        gltf_add(&importer->file, "meshes",
                 json_pack("{s:o, s:[{s:o, s:I, s:I}]}", "name", gltf_string(mesh->mName.data),
                           "primitives", "attributes", attributes, "indices", (json_int_t)accessor,
                           "material", (json_int_t)mesh->mMaterialIndex));
    add_mesh_node(importer, mesh, mesh_index, node_index, has_unweighted);
}

// Reports the points and lines of a mesh, which are skipped.
static void note_skipped_faces(assimp_importer *importer, const struct aiMesh *mesh)
{
    size_t num_points = 0;
    size_t num_lines = 0;
    for (uint32_t f = 0; f < mesh->mNumFaces; f++) {
        if (mesh->mFaces[f].mNumIndices == 1)
            num_points++;
        if (mesh->mFaces[f].mNumIndices == 2)
            num_lines++;
    }
    if (num_points + num_lines > 0)
        assimp_add_line(importer,
                        ASSIMP_NOTE
                        "mesh '%s': skipped %zu %s and %zu %s: only polygons are supported",
                        mesh->mName.data, num_points, common_noun(num_points, "point", "points"),
                        num_lines, common_noun(num_lines, "line", "lines"));
}

// Returns false and adds a line if a position contains an invalid number, which can result from an
// overflow when libassimp reads the file.
static bool check_positions(assimp_importer *importer, const struct aiMesh *mesh)
{
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        const struct aiVector3D v = mesh->mVertices[i];
        if (assimp_find_invalid(&v.x, 3) == 3)
            continue;
        assimp_add_line(importer,
                        ASSIMP_PROBLEM
                        "mesh '%s': a vertex is out of range: " ASSIMP_EXPECTED_NUMBERS
                        ", found (%g %g %g); " ASSIMP_REPAIR_ADVICE,
                        mesh->mName.data, (double)v.x, (double)v.y, (double)v.z);
        return false;
    }
    return true;
}

bool assimp_add_mesh(assimp_importer *importer, unsigned index, size_t node_index)
{
    const struct aiMesh *const mesh = importer->scene->mMeshes[index];
    if (!charge_mesh(importer, mesh))
        return false;
    if (!check_positions(importer, mesh))
        return false;
    const assimp_triangles divided = importer->triangles[index];
    const assimp_triangles triangles = divided.indices ? divided : list_triangles(mesh);
    note_skipped_faces(importer, mesh);
    if (triangles.num_indices > 0)
        add_triangles(importer, mesh, node_index, triangles.indices, triangles.num_indices);
    if (!divided.indices) // other nodes can use the mesh, too
        free(triangles.indices);
    return true;
}

// -- Materials ------------------------------------------------------------------------------------

// Adds an image to the glTF file and returns its JSON object. An image in a format that glTF does
// not support, such as TGA, is converted to PNG.
static json_t *add_picture(assimp_importer *importer, const void *bytes, size_t size,
                           const char *name)
{
    md5_error error;
    view_image image;
    uint8_t *png = NULL;
    const bool is_png = size > 4 && memcmp(bytes, "\x89PNG", 4) == 0;
    const bool is_jpeg = size > 4 && memcmp(bytes, "\xff\xd8\xff", 3) == 0;
    const bool is_supported = is_png || is_jpeg;
    if (!is_supported && view_decode_image(bytes, size, MD5_MAX_IMAGE_PIXELS, &image, &error)) {
        png = view_encode_png(&image, true, &size);
        free(image.rgba);
    }
    const size_t view = gltf_add_image(&importer->file, png ? png : bytes, size);
    free(png);
    return json_pack("{s:I, s:o}", "bufferView", (json_int_t)view, "name",
                     gltf_string(common_base(name)));
}

// Returns the path of an image file below a folder, or NULL. `name` is often a path on the author's
// machine. Its leading folders are therefore removed, one after the other, until a file is found.
// The caller frees the result.
static char *find_image_file(const char *folder, const char *name)
{
    for (const char *part = strchr(name, '/'); part; part = strchr(part + 1, '/')) {
        char *const found = common_find(folder, part);
        if (found)
            return found;
    }
    return NULL;
}

// Adds the image of a texture and returns its JSON object. The image is embedded in the file of the
// model, or it is a file below the folder of the model. If it is missing, the object contains only
// its name.
static json_t *add_image(assimp_importer *importer, const char *path)
{
    for (uint32_t i = 0; i < importer->scene->mNumTextures; i++) {
        const struct aiTexture *const embedded = importer->scene->mTextures[i];
        if (embedded->mHeight == 0 && strcmp(embedded->mFilename.data, path) == 0)
            return add_picture(importer, embedded->pcData, embedded->mWidth, path);
    }

    char *const folder = common_folder(importer->path);
    char *const name = common_normalize_path(path);
    char *const found = find_image_file(folder, name);
    const char *reason = NULL;
    char *bytes = NULL;
    size_t size = 0;
    if (found)
        bytes = common_read_stream(found, &size, &reason);
    json_t *const image = bytes ? add_picture(importer, bytes, size, found)
                                : json_pack("{s:o}", "uri", gltf_uri(common_base(name)));

    free(bytes);
    free(found);
    free(name);
    free(folder);
    return image;
}

// Adds a texture of a material, with its image, to a glTF material. Returns false if the material
// has no texture of this type.
static bool add_map(assimp_importer *importer, const struct aiMaterial *material, json_t *item,
                    int map, enum aiTextureType type)
{
    struct aiString path = {0};
    const enum aiReturn result =
        aiGetMaterialTexture(material, type, 0, &path, NULL, NULL, NULL, NULL, NULL, NULL);
    if (result != AI_SUCCESS)
        return false;
    size_t image = gltf_num_added(&importer->file, "images");
    if (!gltf_find_or_add(&importer->file, GLTF_IMAGE_NAME, path.data,
                          &image)) // each file is read once
        gltf_add(&importer->file, "images", add_image(importer, path.data));
    json_t *const texture = json_pack("{s:I}", "source", (json_int_t)image);
    gltf_put_map(&importer->file, item, map, gltf_add(&importer->file, "textures", texture));
    return true;
}

// Sets the color of a glTF material to the diffuse color of a material, if it has one.
static void add_color(assimp_importer *importer, const struct aiMaterial *material, json_t *item)
{
    struct aiColor4D color;
    if (aiGetMaterialColor(material, AI_MATKEY_COLOR_DIFFUSE, &color) != AI_SUCCESS)
        return;
    gltf_put(&importer->file, item, "pbrMetallicRoughness",
             json_pack("{s:[f,f,f,f]}", "baseColorFactor", color.r, color.g, color.b, 1.0));
}

void assimp_add_materials(assimp_importer *importer)
{
    static const enum aiTextureType types[CONVERT_NUM_MAPS][2] = {
        [CONVERT_MAP_COLOR] = {aiTextureType_DIFFUSE, aiTextureType_BASE_COLOR},
        [CONVERT_MAP_NORMAL] = {aiTextureType_NORMALS, aiTextureType_NORMAL_CAMERA},
        [CONVERT_MAP_SPECULAR] = {aiTextureType_SPECULAR},
        [CONVERT_MAP_GLOW] = {aiTextureType_EMISSIVE, aiTextureType_EMISSION_COLOR}};

    for (uint32_t m = 0; m < importer->scene->mNumMaterials; m++) {
        const struct aiMaterial *const material = importer->scene->mMaterials[m];
        struct aiString name = {0};
        aiGetMaterialString(material, AI_MATKEY_NAME, &name);
        json_t *const item = json_pack("{s:o}", "name", gltf_string(name.data));
        for (int map = 0; map < CONVERT_NUM_MAPS; map++) {
            const bool has_map = add_map(importer, material, item, map, types[map][0])
                                 || add_map(importer, material, item, map, types[map][1]);
            if (!has_map && map == CONVERT_MAP_COLOR)
                add_color(importer, material, item);
        }
        gltf_add(&importer->file, "materials", item);
    }
}

#endif

// Converts the nodes of libassimp's scene to nodes of glTF, and evaluates their transforms at a
// time.
#include "demo/convert/assimp_import.h"

#if defined(HAS_ASSIMP) && defined(HAS_JANSSON)

int assimp_find_node(assimp_importer *importer, const struct aiString *name)
{
    size_t found = SIZE_MAX;
    gltf_find_or_add(&importer->file, GLTF_NODE_NAME, name->data, &found);
    return found < (size_t)importer->num_nodes ? (int)found : ASSIMP_NONE;
}

// Returns the kind of a pivot, such as "PreRotation", or NULL if the node is not a pivot. *length
// receives the length of the name of the FBX node, with which the name of a pivot begins.
static const char *pivot_kind(const struct aiNode *of, size_t *length)
{
    static const char mark[] = "_$AssimpFbx$_";
    const char *const found = of->mNumMeshes == 0 ? strstr(of->mName.data, mark) : NULL;
    *length = found ? (size_t)(found - of->mName.data) : of->mName.length;
    return found ? found + strlen(mark) : NULL;
}

// Returns true if a node belongs to the same chain of pivots as its parent, which is a pivot. The
// names of both then begin with the name of the same FBX node.
static bool continues_chain(const assimp_node *parent, const struct aiNode *source)
{
    size_t length = 0;
    size_t parent_length = 0;
    pivot_kind(source, &length);
    const bool is_parent_named = pivot_kind(parent->source, &parent_length) != NULL;
    return is_parent_named && length == parent_length
           && memcmp(source->mName.data, parent->source->mName.data, length) == 0;
}

// Adds a node of libassimp's scene. libassimp splits an FBX node with pivots into a chain of nodes.
// Their names are "Arm_$AssimpFbx$_PreRotation" and similar. The node itself is at the end of the
// chain.
//
// This function marks the pivots. It stores the first pivot of the chain and the pivot with the
// post-rotation in each later node of the chain.
static void add_node(assimp_importer *importer, const struct aiNode *source, int parent_index)
{
    const int index = importer->num_nodes++;
    size_t length = 0;
    const char *const kind = pivot_kind(source, &length);
    gltf_find_or_add(&importer->file, GLTF_NODE_NAME, source->mName.data, &(size_t){(size_t)index});
    importer->nodes = common_grow(importer->nodes, (size_t)index, sizeof *importer->nodes);
    assimp_node *const added = &importer->nodes[index];
    const bool has_parent = parent_index != ASSIMP_NONE;
    const assimp_node *const parent = &importer->nodes[has_parent ? parent_index : index];
    const bool is_below_pivot = has_parent && parent->is_pivot;
    *added = (assimp_node){.source = source,
                           .parent = parent_index,
                           .above = is_below_pivot ? parent->above : parent_index,
                           .pivots = ASSIMP_NONE,
                           .post = ASSIMP_NONE,
                           .model = SIZE_MAX,
                           .is_pivot = has_parent && kind};

    if (is_below_pivot && continues_chain(parent, source)) {
        added->pivots = parent->pivots;
        added->post = parent->post;
    } else if (added->is_pivot) {
        added->pivots = index;
    }
    if (added->is_pivot && strcmp(kind, "PostRotation") == 0)
        added->post = index;
    added->is_geometric = added->is_pivot && strncmp(kind, "Geometric", strlen("Geometric")) == 0;
}

// Marks the nodes that meshes use as bones, and the nodes of meshes with bones.
static void mark_bones(assimp_importer *importer)
{
    for (uint32_t m = 0; m < importer->scene->mNumMeshes; m++) {
        const struct aiMesh *const mesh = importer->scene->mMeshes[m];
        for (uint32_t b = 0; b < mesh->mNumBones; b++) {
            const int found = assimp_find_node(importer, &mesh->mBones[b]->mName);
            if (found != ASSIMP_NONE) {
                importer->nodes[found].is_bone = true;
                importer->has_bones = true;
            }
        }
    }

    for (int i = 0; i < importer->num_nodes; i++) {
        assimp_node *const node = &importer->nodes[i];
        for (uint32_t m = 0; m < node->source->mNumMeshes; m++)
            node->is_skin |= importer->scene->mMeshes[node->source->mMeshes[m]]->mNumBones > 0;
    }
}

// Marks the nodes that clips animate.
static void mark_moved(assimp_importer *importer)
{
    for (uint32_t a = 0; a < importer->scene->mNumAnimations; a++) {
        const struct aiAnimation *const clip = importer->scene->mAnimations[a];
        for (uint32_t c = 0; c < clip->mNumChannels; c++) {
            const int found = assimp_find_node(importer, &clip->mChannels[c]->mNodeName);
            if (found != ASSIMP_NONE)
                importer->nodes[found].is_moved = true;
        }
    }
}

void assimp_list_nodes(assimp_importer *importer)
{
    add_node(importer, importer->scene->mRootNode, ASSIMP_NONE);
    for (int i = 0; i < importer->num_nodes; i++) {
        const struct aiNode *const parent = importer->nodes[i].source;
        for (uint32_t k = 0; k < parent->mNumChildren; k++)
            add_node(importer, parent->mChildren[k], i);
    }

    mark_bones(importer);
    mark_moved(importer);
    for (int i = 1; i < importer->num_nodes; i++) { // parents precede their children
        assimp_node *const node = &importer->nodes[i];
        const assimp_node *const parent = &importer->nodes[node->parent];
        node->is_moved |= parent->is_pivot && parent->is_moved;
        node->is_joint = node->is_bone || parent->is_joint;
    }
    for (int i = importer->num_nodes - 1; i > 0; i--) {
        const assimp_node *const node = &importer->nodes[i];
        if (node->is_bone || node->is_above_bone)
            importer->nodes[node->parent].is_above_bone = true;
    }
}

// -- Times ----------------------------------------------------------------------------------------

double assimp_get_key_time(const void *keys, size_t stride, unsigned index)
{
    double time;
    memcpy(&time, (const char *)keys + index * stride, sizeof time);
    return time;
}

// Returns the index of the last key at or before a time. *fraction receives the position of the
// time between this key and the next key, from 0 to 1.
static unsigned find_key(const void *keys, size_t stride, unsigned count, double time,
                         float *fraction)
{
    unsigned first = 0;
    unsigned high = count;
    while (high - first > 1) { // binary search
        const unsigned middle = first + (high - first) / 2;
        if (assimp_get_key_time(keys, stride, middle) <= time)
            first = middle;
        else
            high = middle;
    }

    const unsigned next = first + 1 < count ? first + 1 : first;
    const double first_time = assimp_get_key_time(keys, stride, first);
    const double next_time = assimp_get_key_time(keys, stride, next);
    *fraction = 0;
    if (next_time > first_time)
        *fraction = (float)fmin(fmax((time - first_time) / (next_time - first_time), 0.0), 1.0);
    return first;
}

// Interpolates translations or scales linearly at a time in libassimp's ticks. Returns
// `fallback` if the track is empty.
static struct aiVector3D vector_at(const struct aiVectorKey *keys, unsigned count, double time,
                                   struct aiVector3D fallback)
{
    if (count == 0)
        return fallback;
    float t = 0;
    const unsigned first = find_key(keys, sizeof *keys, count, time, &t);
    const struct aiVector3D a = keys[first].mValue;
    const unsigned second = first + 1 < count ? first + 1 : first;
    const struct aiVector3D b = keys[second].mValue;
    return (struct aiVector3D){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

// Interpolates rotations spherically at a time in libassimp's ticks. Returns the identity if the
// track is empty.
static struct aiQuaternion rotation_at(const struct aiQuatKey *keys, unsigned count, double time)
{
    if (count == 0)
        return (struct aiQuaternion){.w = 1};
    float fraction = 0;
    const unsigned first = find_key(keys, sizeof *keys, count, time, &fraction);
    const unsigned second = first + 1 < count ? first + 1 : first;
    struct aiQuaternion mixed;
    aiQuaternionInterpolate(&mixed, &keys[first].mValue, &keys[second].mValue, fraction);
    return mixed;
}

// Returns the row-major matrix that scales a point by `s`, then rotates it by `q`, then moves it by
// `t`.
static struct aiMatrix4x4 compose(struct aiVector3D t, struct aiQuaternion q, struct aiVector3D s)
{
    struct aiMatrix3x3 r;
    aiMatrix3FromQuaternion(&r, &q);
    return (struct aiMatrix4x4){r.a1 * s.x, r.a2 * s.y, r.a3 * s.z, t.x, //
                                r.b1 * s.x, r.b2 * s.y, r.b3 * s.z, t.y, //
                                r.c1 * s.x, r.c2 * s.y, r.c3 * s.z, t.z, //
                                0,          0,          0,          1};
}

struct aiMatrix4x4 assimp_matrix_from_affine(const convert_affine *a)
{
    struct aiMatrix4x4 matrix;
    float rows[4][4] = {[3] = {0, 0, 0, 1}};
    for (int column = 0; column < 4; column++) {
        rows[0][column] = (float)a->c[column].x;
        rows[1][column] = (float)a->c[column].y;
        rows[2][column] = (float)a->c[column].z;
    }
    memcpy(&matrix, rows, sizeof matrix);
    return matrix;
}

// Returns true if a node has pivots and its channel contains their transforms, too.
static bool replaces_pivots(const assimp_node *node)
{
    return node->channel && !node->is_pivot && node->pivots != ASSIMP_NONE;
}

// Evaluates the channel of a node at a time in ticks. `local` is the transform without animation.
//
// A channel of a node with pivots replaces all transforms of the pivots. It contains Rpost where
// FBX defines Rpost^-1. The rotation is therefore multiplied by Rpost^-1 twice.
static struct aiMatrix4x4 evaluate_channel(const assimp_importer *importer, const assimp_node *node,
                                           double time, struct aiMatrix4x4 local)
{
    const struct aiNodeAnim *const channel = node->channel;
    struct aiQuaternion rotation =
        rotation_at(channel->mRotationKeys, channel->mNumRotationKeys, time);
    if (replaces_pivots(node) && node->post != ASSIMP_NONE) {
        struct aiMatrix3x3 matrix;
        struct aiQuaternion post_inverse;
        aiMatrix3FromMatrix4(&matrix, &importer->nodes[node->post].source->mTransformation);
        aiCreateQuaternionFromMatrix(&post_inverse, &matrix);
        aiQuaternionMultiply(&rotation, &post_inverse);
        aiQuaternionMultiply(&rotation, &post_inverse);
    }

    const struct aiVector3D rest_position = {local.a4, local.b4, local.c4};
    const struct aiVector3D no_scale = {1, 1, 1};
    const struct aiVector3D position =
        vector_at(channel->mPositionKeys, channel->mNumPositionKeys, time, rest_position);
    const struct aiVector3D scale =
        vector_at(channel->mScalingKeys, channel->mNumScalingKeys, time, no_scale);
    return compose(position, rotation, scale);
}

// Computes the transform of a node at a time in ticks, relative to the ancestor node->above. All
// nodes between both are pivots, whose transforms were computed before. Geometric factors apply to
// the meshes of a node only; see geometric_factor().
static struct aiMatrix4x4 evaluate_node(const assimp_importer *importer, const assimp_node *node,
                                        double time)
{
    const int parent = replaces_pivots(node) ? importer->nodes[node->pivots].parent : node->parent;
    struct aiMatrix4x4 local = node->source->mTransformation;
    if (node->is_geometric)
        aiIdentityMatrix4(&local);
    if (node->channel)
        local = evaluate_channel(importer, node, time, local);
    if (parent == node->above)
        return local;
    struct aiMatrix4x4 product = importer->nodes[parent].local; // product of all pivots
    aiMultiplyMatrix4(&product, &local);
    return product;
}

// Computes the transforms of all nodes at a time.
void assimp_evaluate(assimp_importer *importer, double seconds, double ticks_per_second)
{
    for (int i = 0; i < importer->num_nodes; i++) {
        assimp_node *const node = &importer->nodes[i];
        if (node->has_curves) { // the product of all factors, relative to `above`
            const convert_affine transform = fbx_evaluate(importer->curves, node->model, seconds);
            node->local = assimp_matrix_from_affine(&transform);
        } else {
            node->local = evaluate_node(importer, node, seconds * ticks_per_second);
        }
    }
}

void assimp_split(const struct aiMatrix4x4 *m, float *t, float *r, float *s)
{
    struct aiVector3D at;
    struct aiVector3D scale;
    struct aiQuaternion q;
    aiDecomposeMatrix(m, &scale, &q, &at);
    t[0] = at.x;
    t[1] = at.y;
    t[2] = at.z;
    r[0] = q.x;
    r[1] = q.y;
    r[2] = q.z;
    r[3] = q.w;
    s[0] = scale.x;
    s[1] = scale.y;
    s[2] = scale.z;
}

// -- Nodes ----------------------------------------------------------------------------------------

void assimp_put_matrix(struct aiMatrix4x4 m, float *columns)
{
    aiTransposeMatrix4(&m);
    memcpy(columns, &m, 16 * sizeof *columns);
}

// Returns a number from the metadata of a file as a double. Files store it in different types.
// Returns `fallback` if the number is missing.
static double get_number(const struct aiMetadata *data, const char *name, double fallback)
{
    if (!data)
        return fallback;
    for (unsigned i = 0; i < data->mNumProperties; i++) {
        const struct aiMetadataEntry *const entry = &data->mValues[i];
        if (strcmp(data->mKeys[i].data, name) != 0)
            continue;
        if (entry->mType == AI_INT32)
            return (double)*(const int32_t *)entry->mData;
        if (entry->mType == AI_FLOAT)
            return (double)*(const float *)entry->mData;
        if (entry->mType == AI_DOUBLE)
            return *(const double *)entry->mData;
    }
    return fallback;
}

// Returns the transform from the file's axes and units to glTF's (x left, y up, z forward, meters).
// Of all formats, only FBX stores the axes and the unit of a file. The unit is in centimeters.
static struct aiMatrix4x4 to_gltf(const assimp_importer *importer)
{
    const struct aiMetadata *const data = importer->scene->mMetaData;
    const double unit = get_number(data, "UnitScaleFactor", 100) / 100.0;
    static const char *const names[3][2] = {
        {"CoordAxis", "CoordAxisSign"}, {"UpAxis", "UpAxisSign"}, {"FrontAxis", "FrontAxisSign"}};
    float rows[3][3] = {{0}};
    for (int i = 0; i < 3; i++) {
        const double axis = get_number(data, names[i][0], i);
        const int column = axis >= 0 && axis < 3 ? (int)axis : i;
        rows[i][column] = (float)(unit * get_number(data, names[i][1], 1));
    }
    return (struct aiMatrix4x4){rows[0][0], rows[0][1], rows[0][2], 0, //
                                rows[1][0], rows[1][1], rows[1][2], 0, //
                                rows[2][0], rows[2][1], rows[2][2], 0, //
                                0,          0,          0,          1};
}

// Returns true if all elements of two matrices are equal within a tolerance, which is relative for
// elements above 1.
static bool is_near(const struct aiMatrix4x4 *a, const struct aiMatrix4x4 *b, float tolerance)
{
    float x[16];
    float y[16];
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    for (int i = 0; i < 16; i++) {
        if (!(fabsf(x[i] - y[i]) <= tolerance * fmaxf(fabsf(x[i]), 1)))
            return false;
    }
    return true;
}

const char *assimp_node_name(const assimp_importer *importer, const assimp_node *node)
{
    if (node->model != SIZE_MAX)
        return fbx_model_name(importer->curves, node->model);
    return node->source->mName.data;
}

// Compares the rest pose of a node with the rest pose of the node's model in the FBX file.
//
// libassimp applies the rotation order, the pre-rotation and the post-rotation even if the file
// disables them. A node with this error gets the correct rest pose from the model. If the poses
// differ for another reason, such as an unknown property, the node keeps the rest pose and the keys
// of libassimp.
static void compare_rest(assimp_importer *importer, assimp_node *node, size_t model)
{
    const float tolerance = 1e-3f;
    const convert_affine in_space = fbx_rest_transform(importer->curves, model, true);
    struct aiMatrix4x4 matrix = assimp_matrix_from_affine(&in_space);
    node->model = model;
    node->has_same_rest = is_near(&matrix, &node->rest, tolerance);
    if (fbx_has_rotation_space(importer->curves, model))
        return;
    const convert_affine rest = fbx_rest_transform(importer->curves, model, false);
    matrix = assimp_matrix_from_affine(&rest);
    if (node->has_same_rest)
        node->rest = matrix;
    else if (!is_near(&matrix, &node->rest, tolerance))
        assimp_add_line(
            importer,
            ASSIMP_NOTE
            "node '%s': the rotation order, pre-rotation and post-rotation were applied, "
            "although the file disables them",
            assimp_node_name(importer, node));
}

void assimp_find_rest_poses(assimp_importer *importer)
{
    assimp_evaluate(importer, 0, 1);
    for (int i = 0; i < importer->num_nodes; i++)
        importer->nodes[i].rest = importer->nodes[i].local;
    if (!importer->curves)
        return;
    for (int i = 0; i < importer->num_nodes; i++) {
        assimp_node *const node = &importer->nodes[i];
        const size_t model =
            node->is_pivot ? SIZE_MAX : fbx_find_model(importer->curves, node->source->mName.data);
        if (model != SIZE_MAX)
            compare_rest(importer, node, model);
    }
}

bool assimp_check_rest_poses(assimp_importer *importer)
{
    for (int i = 0; i < importer->num_nodes; i++) {
        const assimp_node *const node = &importer->nodes[i];
        float columns[16];
        assimp_put_matrix(node->rest, columns);
        const size_t invalid = assimp_find_invalid(columns, 16);
        if (invalid == 16)
            continue;
        assimp_add_line(importer,
                        ASSIMP_PROBLEM
                        "node '%s': the transform is out of range: " ASSIMP_EXPECTED_NUMBERS
                        ", found %g; " ASSIMP_REPAIR_ADVICE,
                        assimp_node_name(importer, node), (double)columns[invalid]);
        return false;
    }
    return true;
}

// Returns the way in which a node inherits the scale of its parent. Reports a scale that cannot be
// inherited in this way.
static plain_inheritance find_inheritance(assimp_importer *importer, const assimp_node *node)
{
    if (node->model == SIZE_MAX)
        return PLAIN_INHERIT_SCALE;
    const plain_inheritance inheritance = fbx_scale_inheritance(importer->curves, node->model);
    if (inheritance == PLAIN_INHERIT_SCALE || node->above == ASSIMP_NONE)
        return inheritance;
    const assimp_node *const parent = &importer->nodes[node->above];
    if (parent->model != SIZE_MAX && fbx_has_mixed_scale(importer->curves, parent->model))
        assimp_add_line(
            importer,
            ASSIMP_LOSS
            "node '%s' does not inherit the scale of '%s' in the usual way (InheritType "
            "is not 1), which is supported only if all factors of the scale are positive "
            "or all are negative; apply the scale before you export the file",
            assimp_node_name(importer, node), assimp_node_name(importer, parent));
    return inheritance;
}

// Adds the rest pose of a node to its JSON object: translation, rotation and scale, or a matrix if
// these parts cannot express it. Clips cannot move a node with a matrix.
static void add_rest(assimp_importer *importer, json_t *item, const assimp_node *node)
{
    float t[3];
    float r[4];
    float scale[3];
    assimp_split(&node->rest, t, r, scale);
    const struct aiMatrix4x4 product =
        compose((struct aiVector3D){t[0], t[1], t[2]},
                (struct aiQuaternion){.w = r[3], .x = r[0], .y = r[1], .z = r[2]},
                (struct aiVector3D){scale[0], scale[1], scale[2]});
    const bool can_move = node->is_moved || importer->curves;
    if (!can_move && !is_near(&product, &node->rest, 1e-5f)) {
        float columns[16];
        assimp_put_matrix(node->rest, columns);
        gltf_put(&importer->file, item, "matrix", gltf_floats(columns, 16));
        return;
    }
    gltf_put(&importer->file, item, "translation", gltf_floats(t, 3));
    gltf_put(&importer->file, item, "rotation", gltf_floats(r, 4));
    gltf_put(&importer->file, item, "scale", gltf_floats(scale, 3));
}

// Adds all nodes in their rest pose, with the same indices as in importer->nodes. Pivots have no
// parent and are not part of the scene. An additional node at the end is the root, and converts the
// axes of the file to glTF's axes.
void assimp_add_nodes(assimp_importer *importer)
{
    const size_t top = (size_t)importer->num_nodes;
    float columns[16];
    for (size_t i = 0; i < top; i++) {
        const assimp_node *const node = &importer->nodes[i];
        json_t *const item =
            json_pack("{s:o}", "name", gltf_string(assimp_node_name(importer, node)));
        gltf_add(&importer->file, "nodes", item);
        add_rest(importer, item, node);
        const plain_inheritance inheritance = find_inheritance(importer, node);
        if (inheritance != PLAIN_INHERIT_SCALE)
            gltf_put_extra(&importer->file, item, "inheritance", gltf_integer(inheritance));
    }

    assimp_put_matrix(to_gltf(importer), columns);
    gltf_add(&importer->file, "nodes", json_pack("{s:o}", "matrix", gltf_floats(columns, 16)));
    gltf_append(&importer->file, importer->file.root_nodes, gltf_integer(top));
    for (size_t i = 0; i < top; i++) {
        if (!importer->nodes[i].is_pivot)
            gltf_set_parent(&importer->file, i, i == 0 ? top : (size_t)importer->nodes[i].above);
    }
}

#endif

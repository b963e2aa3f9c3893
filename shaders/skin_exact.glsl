// Skins by any number of weights of any sum: walks the vertex's influences in a buffer. Each is a
// weight's (bias * point, bias), whose point need not be that of its neighbours, so the exact
// vertex is the sum of palette * influence. See md5_mesh.influences.
layout(location = 1) in vec3 bind_normal; // model space
layout(location = 4) in uint first_influence;
layout(location = 5) in uint end_influence; // one past the last

uniform samplerBuffer influences;        // bias * point, bias
uniform usamplerBuffer influence_joints; // joint of each

void skin(out vec3 position, out vec3 normal)
{
    vec3 posed = vec3(0.0), turned = vec3(0.0);
    for (uint i = first_influence; i < end_influence; i++) {
        vec4 influence = texelFetch(influences, int(i));
        mat3x4 matrix = joint_matrix(texelFetch(influence_joints, int(i)).x);
        posed += influence * matrix;
        turned += influence.w * (vec4(bind_normal, 0.0) * matrix);
    }
    position = posed;
    normal = unit_normal(turned, bind_normal);
}

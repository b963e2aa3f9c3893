// Global variables for the data of a vertex. Compute shaders have no attributes, so preskin.comp
// loads the data. skin_exact.glsl and palette.glsl read it.
#define NO_ATTRIBUTES
#define INSTANCE instance
#define VERTEX vertex_index

// Mesa checks that variables are initialized before it processes preskin.comp, which sets them. They
// therefore have initial values.
int instance = 0, vertex_index = 0;
vec3 bind_position = vec3(0.0), bind_normal = vec3(0.0);
vec4 bind_tangent = vec4(0.0);
uint first_influence = 0u, end_influence = 0u;

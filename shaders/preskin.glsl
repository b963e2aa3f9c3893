// Global variables for the vertex data that skin_exact.glsl and palette.glsl read. Compute shaders do
// not have attributes, so preskin.comp loads the data.
#define NO_ATTRIBUTES
#define INSTANCE instance
#define VERTEX vertex_index

// The variables are initialized, because Mesa checks this before it processes preskin.comp.
int instance = 0, vertex_index = 0;
vec3 bind_position = vec3(0.0), bind_normal = vec3(0.0);
vec4 bind_tangent = vec4(0.0);
uint first_influence = 0u, end_influence = 0u;

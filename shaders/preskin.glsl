// The vertex data that skin_exact.glsl and palette.glsl read, as globals: a compute shader has no
// attributes, so preskin.comp fetches it.
#define NO_ATTRIBUTES
#define INSTANCE instance
#define VERTEX vertex_index

// Initialized, because Mesa checks for values before it reaches preskin.comp.
int instance = 0, vertex_index = 0;
vec3 bind_position = vec3(0.0), bind_normal = vec3(0.0);
vec4 bind_tangent = vec4(0.0);
uint first_influence = 0u, end_influence = 0u;

// Evaluates a material at a pixel: textures, coverage and normal.
uniform sampler2D diffuse;  // decoded from sRGB by the sampler, as are specular and glow
uniform sampler2D normals;  // tangent space, 0..1 for -1..1, green along increasing v
uniform sampler2D specular;
uniform sampler2D glow;
uniform ivec3 maps;   // x: 1 if the material has a normal map; y: 1 if it has a specular map, 2 if
                      // the alpha of this map is thinness; z: 1 if it has a glow map
uniform vec2 surface; // gloss; alpha limit: see coverage()
uniform vec3 paints[2]; // multiply diffuse and specular; linear colors, in classic lighting sRGB

in vec3 world_position;
in vec3 world_normal;
in vec4 world_tangent; // w = +-1: bitangent = cross(normal, tangent) * w
in vec2 texcoord;
in vec4 tint; // vertex color times the instance's, linear

// Mipmaps average alpha. Hair and leaves that cover less than half of an area would therefore
// disappear at a distance. To prevent this, alpha is increased by a quarter for each mipmap level.
const float ALPHA_PER_LEVEL = 0.25;

// Returns the level of the diffuse texture that GL selects at the pixel.
float mipmap_level()
{
    vec2 texel = texcoord * vec2(textureSize(diffuse, 0));
    vec2 right = dFdx(texel), up = dFdy(texel);
    return max(0.5 * log2(max(dot(right, right), dot(up, up))), 0.0);
}

// Returns the coverage of the pixel for an alpha. At the edge of a cut-out it increases from 0 to 1
// over the width of one pixel, with 0.5 at the alpha limit.
float coverage(float alpha)
{
    float scaled = alpha * (1.0 + ALPHA_PER_LEVEL * mipmap_level());
    return clamp((scaled - surface.y) / max(fwidth(scaled), 1e-4) + 0.5, 0.0, 1.0);
}

// Returns the unit normal with the normal map applied, on the side of the eye. `flat_side` is the
// normal without the map. A back face has the reversed normal of its front face.
vec3 mapped_normal(out vec3 flat_side)
{
    vec3 normal = normalize(world_normal);
    float side = gl_FrontFacing ? 1.0 : -1.0;
    flat_side = side * normal;
    if (maps.x == 0)
        return flat_side;
    vec3 along_u = world_tangent.xyz - dot(world_tangent.xyz, normal) * normal;
    vec3 along_v = cross(normal, along_u) * world_tangent.w;
    vec3 texel = texture(normals, texcoord).xyz * (255.0 / 127.5) - 1.0;
    vec3 mapped = texel.x * along_u + texel.y * along_v + texel.z * normal;
    return side * (dot(mapped, mapped) > 1e-12 ? normalize(mapped) : normal);
}

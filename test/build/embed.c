// Turns files into C: `embed text PREFIX FILE...` gives one string for each, named PREFIX_file with
// underscores for what no name may hold; `embed bytes NAME FILE` gives NAME[] and NAME_size.
// Strings of octal escapes, because compilers read those many times faster than lists of numbers.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static int write_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "embed: cannot read '%s'\n", path);
        return 1;
    }
    *size = 0;
    for (int byte; (byte = getc(file)) != EOF; (*size)++) {
        if (*size % 32 == 0)
            printf("%s\n    \"", *size ? "\"" : "");
        // Three digits always, so that a digit after it is not taken in. `?` could begin a
        // trigraph.
        if (isalnum(byte) || (byte && strchr(" _+-*/=<>(){}[].,;:#&|!", byte)))
            putchar(byte);
        else
            printf("\\%03o", (unsigned)byte);
    }
    printf("%s;\n", *size ? "\"" : " \"\"");
    fclose(file);
    return 0;
}

static void write_name(const char *prefix, const char *path)
{
    const char *slash = strrchr(path, '/');
    printf("%s_", prefix);
    for (const char *c = slash ? slash + 1 : path; *c; c++)
        putchar(isalnum((unsigned char)*c) ? *c : '_');
}

static int embed_texts(const char *prefix, int count, char **paths)
{
    puts("#include \"render/shaders.h\"");
    for (int i = 0; i < count; i++) {
        size_t size;
        printf("\nconst char ");
        write_name(prefix, paths[i]);
        printf("[] =");
        if (write_bytes(paths[i], &size))
            return 1;
    }
    return 0;
}

static int embed_bytes(const char *name, const char *path)
{
    size_t size;
    printf(
        "#include <stddef.h>\n\nextern const unsigned char %s[];\nextern const size_t %s_size;\n",
        name, name);
    printf("\nconst unsigned char %s[] =", name);
    if (write_bytes(path, &size))
        return 1;
    printf("const size_t %s_size = %zu;\n", name, size);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 3 && !strcmp(argv[1], "text"))
        return embed_texts(argv[2], argc - 3, argv + 3);
    if (argc == 4 && !strcmp(argv[1], "bytes"))
        return embed_bytes(argv[2], argv[3]);
    fprintf(stderr, "usage: embed text PREFIX FILE... | embed bytes NAME FILE\n");
    return 2;
}

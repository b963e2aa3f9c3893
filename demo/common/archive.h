// Reads zip files, as .pk4 archives are.
#ifndef DEMO_COMMON_ARCHIVE_H
#define DEMO_COMMON_ARCHIVE_H

#include <stddef.h>

typedef struct common_archive common_archive;

// Opens an archive and reads its list of files. Returns NULL and sets *reason if it is none. The
// file stays open. Free with common_close_archive().
common_archive *common_open_archive(const char *path, const char **reason);
void common_close_archive(common_archive *archive);

// The files, in the order of the archive's list; names as they are stored.
size_t common_archive_count(const common_archive *archive);
const char *common_archive_name(const common_archive *archive, size_t file);

// Reads a file; free() the result, which is not NULL for 0 bytes. Returns NULL and sets *reason if
// the archive is broken or compressed by an unknown method.
char *common_archive_read(common_archive *archive, size_t file, size_t *size, const char **reason);

#endif

#include "hip5_program.h"

#include "base/text.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file's bytes; nothing in them is believed. */
struct bytes {
    const unsigned char *at;
    size_t size;
};

/* The part of it, or an empty one where it does not lie within. */
static struct bytes part_of(struct bytes whole, uint64_t offset, uint64_t size) {
    if (offset > whole.size || size > whole.size - offset)
        return (struct bytes){0};
    return (struct bytes){whole.at + offset, (size_t)size};
}

static bool read_at(struct bytes from, uint64_t offset, void *into, size_t size) {
    struct bytes part = part_of(from, offset, size);
    if (part.size != size)
        return false;
    memcpy(into, part.at, size);
    return true;
}

/* The text at an offset, or "" where no text ends within. */
static const char *text_at(struct bytes from, uint64_t offset) {
    if (offset >= from.size || !memchr(from.at + offset, 0, from.size - offset))
        return "";
    return (const char *)from.at + offset;
}

/* Whether `version` is `name` and numbers as in "GLIBC_2.37", which are those or later ones. */
static bool is_since(const char *version, const char *name, const unsigned long numbers[3]) {
    if (!wl_starts_with(version, name))
        return false;
    const char *rest = version + strlen(name);
    for (unsigned i = 0; i < 3; i++) {
        char *end = NULL;
        unsigned long number = strtoul(rest, &end, 10);
        if (end == rest)
            number = 0;
        if (number != numbers[i])
            return number > numbers[i];
        rest = *end == '.' ? end + 1 : end;
    }
    return true;
}

static bool version_is_later(const char *version) {
    return is_since(version, "hip_", (const unsigned long[]){5, 3, 0}) || is_since(version, "GLIBC_", (const unsigned long[]){2, 37, 0}) ||
           is_since(version, "GLIBCXX_", (const unsigned long[]){3, 4, 31});
}

/* The versions of functions that the file needs of libraries. */
static bool needs_later(struct bytes needs, struct bytes texts, uint32_t count) {
    Elf64_Verneed need;
    uint64_t at = 0;
    for (uint32_t i = 0; i < count && read_at(needs, at, &need, sizeof need); i++) {
        Elf64_Vernaux version;
        uint64_t inner = at + need.vn_aux;
        for (uint32_t j = 0; j < need.vn_cnt && read_at(needs, inner, &version, sizeof version); j++) {
            if (version_is_later(text_at(texts, version.vna_name)))
                return true;
            if (!version.vna_next)
                break;
            inner += version.vna_next;
        }
        if (!need.vn_next)
            break;
        at += need.vn_next;
    }
    return false;
}

/* The first whole number behind `mark`, or 0. */
static unsigned long number_behind(const char *text, const char *mark) {
    const char *found = strstr(text, mark);
    return found ? strtoul(found + strlen(mark), NULL, 10) : 0;
}

/* One compiler's line. HIP 5.2 is of June 2022, with AMD's clang 14; Debian compiled it with clang 15 and gcc 12. HIP 5.3 came with AMD's
 * clang 15, HIP 5.7 with clang 17. A clang that is younger than HIP 5 compiles for any, and tells nothing. */
static bool compiler_is_later(const char *line) {
    if (wl_starts_with(line, "GCC: (")) {
        const char *end = strchr(line, ')'); /* "GCC: (Debian 12.2.0-14) 12.2.0" */
        return end && strtoul(end + 1, NULL, 10) >= 13;
    }
    unsigned long clang = number_behind(line, "clang version ");
    unsigned long first = wl_starts_with(line, "AMD clang") ? 15 : 16;
    return clang >= first && clang <= 17;
}

static bool compilers_are_later(struct bytes comment) {
    for (size_t at = 0; at < comment.size;) {
        const char *line = text_at(comment, at);
        if (compiler_is_later(line))
            return true;
        at += strlen(line) + 1;
    }
    return false;
}

static bool bytes_are_later(struct bytes file) {
    Elf64_Ehdr header;
    Elf64_Shdr section, names = {0};
    if (!read_at(file, 0, &header, sizeof header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof section ||
        !read_at(file, header.e_shoff + header.e_shstrndx * sizeof section, &names, sizeof names))
        return false;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        if (!read_at(file, header.e_shoff + i * sizeof section, &section, sizeof section))
            return false;
        struct bytes content = part_of(file, section.sh_offset, section.sh_size);
        if (section.sh_type == SHT_GNU_verneed) {
            Elf64_Shdr texts;
            if (read_at(file, header.e_shoff + section.sh_link * sizeof texts, &texts, sizeof texts) &&
                needs_later(content, part_of(file, texts.sh_offset, texts.sh_size), section.sh_info))
                return true;
        } else if (section.sh_type == SHT_PROGBITS &&
                   strcmp(text_at(part_of(file, names.sh_offset, names.sh_size), section.sh_name), ".comment") == 0 &&
                   compilers_are_later(content)) {
            return true;
        }
    }
    return false;
}

bool wl_hip5_file_is_later(const char *path) {
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool later = false;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        size_t size = (size_t)status.st_size;
        void *at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (at != MAP_FAILED) {
            later = bytes_are_later((struct bytes){at, size});
            munmap(at, size);
        }
    }
    close(file);
    return later;
}

bool wl_hip5_is_later(const void *code) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const void *known_place; /* the object that was asked for last, and the answer */
    static char known_path[4096];
    static bool known;
    Dl_info info;
    void *found = NULL;
    if (!dladdr1(code, &info, &found, RTLD_DL_LINKMAP) || !found)
        return false;
    const struct link_map *object = found;
    const char *path = object->l_name[0] ? object->l_name : "/proc/self/exe"; /* the program itself has no name there */
    if (strlen(path) >= sizeof known_path)
        return wl_hip5_file_is_later(path);
    pthread_mutex_lock(&lock);
    if (known_place != (const void *)object->l_ld || strcmp(known_path, path) != 0) {
        known = wl_hip5_file_is_later(path);
        known_place = object->l_ld;
        strcpy(known_path, path);
    }
    bool later = known;
    pthread_mutex_unlock(&lock);
    return later;
}

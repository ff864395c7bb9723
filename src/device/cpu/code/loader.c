#include "device/cpu/code/loader.h"

#include <elf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define HOST_MACHINE EM_X86_64
#define STUB_SIZE    16
#elif defined(__aarch64__)
#define HOST_MACHINE EM_AARCH64
#define STUB_SIZE    16
#else
#error "no loader for this host"
#endif

/* ---- what objects may refer to -------------------------------------------------------------- */

struct external {
    const char *name;
    void (*function)(void);
};

#define EXTERNAL(name) {#name, (void (*)(void))(name)}

/* What LLVM's code generator calls for vector and scalar intrinsics that the host has no instruction for. Sorted. */
static const struct external externals[] = {
    EXTERNAL(ceil),   EXTERNAL(ceilf),   EXTERNAL(copysign), EXTERNAL(copysignf), EXTERNAL(cos),        EXTERNAL(cosf),   EXTERNAL(exp),
    EXTERNAL(exp2),   EXTERNAL(exp2f),   EXTERNAL(expf),     EXTERNAL(floor),     EXTERNAL(floorf),     EXTERNAL(fma),    EXTERNAL(fmaf),
    EXTERNAL(fmax),   EXTERNAL(fmaxf),   EXTERNAL(fmin),     EXTERNAL(fminf),     EXTERNAL(fmod),       EXTERNAL(fmodf),  EXTERNAL(frexp),
    EXTERNAL(frexpf), EXTERNAL(ldexp),   EXTERNAL(ldexpf),   EXTERNAL(log),       EXTERNAL(log2),       EXTERNAL(log2f),  EXTERNAL(logf),
    EXTERNAL(memcpy), EXTERNAL(memmove), EXTERNAL(memset),   EXTERNAL(nearbyint), EXTERNAL(nearbyintf), EXTERNAL(pow),    EXTERNAL(powf),
    EXTERNAL(rint),   EXTERNAL(rintf),   EXTERNAL(round),    EXTERNAL(roundeven), EXTERNAL(roundevenf), EXTERNAL(roundf), EXTERNAL(sin),
    EXTERNAL(sinf),   EXTERNAL(sqrt),    EXTERNAL(sqrtf),    EXTERNAL(trunc),     EXTERNAL(truncf),
};

/* The code generator's conversions for hosts without half-precision instructions: compiler-rt's names. */
#if defined(__x86_64__)
extern float __extendhfsf2(_Float16 value);
extern _Float16 __truncsfhf2(float value);
extern _Float16 __truncdfhf2(double value);
static const struct external runtime_externals[] = {EXTERNAL(__extendhfsf2), EXTERNAL(__truncdfhf2), EXTERNAL(__truncsfhf2)};
#else
static const struct external runtime_externals[] = {{"", NULL}};
#endif

static uint64_t find_external(const char *name) {
    size_t low = 0, high = sizeof externals / sizeof *externals;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, externals[middle].name);
        if (order == 0)
            return (uint64_t)(uintptr_t)externals[middle].function;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    for (size_t i = 0; i < sizeof runtime_externals / sizeof *runtime_externals; i++)
        if (strcmp(name, runtime_externals[i].name) == 0)
            return (uint64_t)(uintptr_t)runtime_externals[i].function;
    return 0;
}

/* ---- reading the object --------------------------------------------------------------------- */

struct loading {
    const uint8_t *object;
    size_t size;
    const Elf64_Ehdr *header;
    const Elf64_Shdr *sections;
    size_t section_count;
    uint8_t **places; /* per section: where its bytes live now; NULL: not loaded */
    const Elf64_Sym *symbols;
    size_t symbol_count;
    const char *strings;
    size_t string_size;
    uint8_t *memory; /* sections, then one stub and one GOT slot a symbol that needs it */
    size_t memory_size, stub_offset;
    size_t stub_count, stub_limit;
    uint32_t *stubs; /* per symbol: stub number + 1 */
    struct wl_native *native;
};

static enum wl_status damaged(const char *what) { return wl_fail(WL_INVALID_IMAGE, "the native object is damaged: %s", what); }

static bool inside(const struct loading *l, uint64_t offset, uint64_t size) { return offset <= l->size && size <= l->size - offset; }

static enum wl_status read_tables(struct loading *l) {
    if (l->size < sizeof(Elf64_Ehdr) || (uintptr_t)l->object % _Alignof(Elf64_Ehdr))
        return damaged("no ELF header");
    l->header = (const Elf64_Ehdr *)l->object;
    if (memcmp(l->header->e_ident, ELFMAG, SELFMAG) != 0 || l->header->e_ident[EI_CLASS] != ELFCLASS64 ||
        l->header->e_ident[EI_DATA] != ELFDATA2LSB || l->header->e_type != ET_REL || l->header->e_machine != HOST_MACHINE)
        return damaged("not a relocatable object of this host");
    l->section_count = l->header->e_shnum;
    if (l->header->e_shentsize != sizeof(Elf64_Shdr) || l->header->e_shoff % _Alignof(Elf64_Shdr) || l->section_count == 0 ||
        !inside(l, l->header->e_shoff, l->section_count * sizeof(Elf64_Shdr)))
        return damaged("section table");
    l->sections = (const Elf64_Shdr *)(l->object + l->header->e_shoff);
    for (size_t i = 1; i < l->section_count; i++) {
        const Elf64_Shdr *s = &l->sections[i];
        if (s->sh_type != SHT_NOBITS && !inside(l, s->sh_offset, s->sh_size))
            return damaged("section outside the file");
        if (s->sh_type != SHT_SYMTAB)
            continue;
        if (l->symbols || s->sh_entsize != sizeof(Elf64_Sym) || s->sh_offset % _Alignof(Elf64_Sym) || s->sh_link >= l->section_count)
            return damaged("symbol table");
        const Elf64_Shdr *strings = &l->sections[s->sh_link];
        if (strings->sh_type != SHT_STRTAB || strings->sh_size == 0 || !inside(l, strings->sh_offset, strings->sh_size) ||
            l->object[strings->sh_offset + strings->sh_size - 1] != 0)
            return damaged("string table");
        l->symbols = (const Elf64_Sym *)(l->object + s->sh_offset);
        l->symbol_count = s->sh_size / sizeof(Elf64_Sym);
        l->strings = (const char *)l->object + strings->sh_offset;
        l->string_size = strings->sh_size;
    }
    return l->symbols ? WL_OK : damaged("no symbol table");
}

static const char *symbol_name(const struct loading *l, const Elf64_Sym *symbol) {
    return symbol->st_name < l->string_size ? l->strings + symbol->st_name : "";
}

/* Copies the allocated sections, one behind the other. They start a little behind the begin of the mapping: sanitizers look at the bytes
 * before a function that is called through a pointer. */
#define FIRST_SECTION 64

static enum wl_status place_sections(struct loading *l) {
    size_t end = FIRST_SECTION, relocations = 0;
    for (size_t i = 1; i < l->section_count; i++) {
        const Elf64_Shdr *s = &l->sections[i];
        if (s->sh_type == SHT_RELA)
            relocations += s->sh_size / sizeof(Elf64_Rela);
        if (!(s->sh_flags & SHF_ALLOC))
            continue;
        if (s->sh_addralign > 4096 || (s->sh_addralign & (s->sh_addralign - 1)) || s->sh_size > (size_t)1 << 30 || end > (size_t)1 << 30)
            return damaged("section size");
        size_t align = s->sh_addralign ? s->sh_addralign : 1;
        end = (end + align - 1) / align * align + s->sh_size;
    }
    l->stub_offset = (end + 15) / 16 * 16;
    l->stub_limit = relocations < l->symbol_count ? relocations : l->symbol_count;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    l->memory_size = (l->stub_offset + l->stub_limit * (STUB_SIZE + 8) + page - 1) / page * page;
    l->memory = mmap(NULL, l->memory_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (l->memory == MAP_FAILED) {
        l->memory = NULL;
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %zu bytes of native code", l->memory_size);
    }
    end = FIRST_SECTION;
    for (size_t i = 1; i < l->section_count; i++) {
        const Elf64_Shdr *s = &l->sections[i];
        if (!(s->sh_flags & SHF_ALLOC))
            continue;
        size_t align = s->sh_addralign ? s->sh_addralign : 1;
        end = (end + align - 1) / align * align;
        l->places[i] = l->memory + end;
        if (s->sh_type != SHT_NOBITS)
            memcpy(l->places[i], l->object + s->sh_offset, s->sh_size);
        end += s->sh_size;
    }
    return WL_OK;
}

/* Copies a section that is not loaded. */
static enum wl_status keep_section(struct loading *l, size_t number, uint8_t **copy, size_t *size) {
    const Elf64_Shdr *s = &l->sections[number];
    *copy = malloc(s->sh_size + 1);
    if (!*copy)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a line table");
    memcpy(*copy, l->object + s->sh_offset, s->sh_size);
    *size = s->sh_size;
    l->places[number] = *copy;
    return WL_OK;
}

/* .debug_line is kept beside, for fault reports, and .debug_frame for debuggers. */
static enum wl_status place_tables(struct loading *l) {
    if (l->header->e_shstrndx >= l->section_count)
        return damaged("section names");
    const Elf64_Shdr *names = &l->sections[l->header->e_shstrndx];
    if (names->sh_type != SHT_STRTAB || names->sh_size == 0 || l->object[names->sh_offset + names->sh_size - 1] != 0)
        return damaged("section names");
    enum wl_status status = WL_OK;
    for (size_t i = 1; i < l->section_count && status == WL_OK; i++) {
        const Elf64_Shdr *s = &l->sections[i];
        if (s->sh_flags & (SHF_ALLOC | SHF_COMPRESSED) || s->sh_type != SHT_PROGBITS || s->sh_name >= names->sh_size)
            continue;
        const char *name = (const char *)l->object + names->sh_offset + s->sh_name;
        if (!l->native->lines && strcmp(name, ".debug_line") == 0)
            status = keep_section(l, i, &l->native->lines, &l->native->line_size);
        else if (!l->native->frames && strcmp(name, ".debug_frame") == 0)
            status = keep_section(l, i, &l->native->frames, &l->native->frame_size);
    }
    return status;
}

/* ---- relocation ----------------------------------------------------------------------------- */

/* The address of a symbol; sections that are not loaded count from 0: tables refer to themselves so. */
static enum wl_status symbol_address(const struct loading *l, size_t index, uint64_t *address) {
    *address = 0;
    if (index == 0)
        return WL_OK;
    if (index >= l->symbol_count)
        return damaged("symbol number");
    const Elf64_Sym *symbol = &l->symbols[index];
    if (symbol->st_shndx == SHN_UNDEF) {
        *address = find_external(symbol_name(l, symbol));
        if (!*address)
            return wl_fail(WL_INVALID_IMAGE, "the native object refers to an unknown function '%.64s'", symbol_name(l, symbol));
        return WL_OK;
    }
    if (symbol->st_shndx == SHN_ABS) {
        *address = symbol->st_value;
        return WL_OK;
    }
    if (symbol->st_shndx >= l->section_count || symbol->st_value > l->sections[symbol->st_shndx].sh_size)
        return damaged("symbol value");
    const bool loaded = l->sections[symbol->st_shndx].sh_flags & SHF_ALLOC;
    *address = (loaded ? (uint64_t)(uintptr_t)l->places[symbol->st_shndx] : 0) + symbol->st_value;
    return WL_OK;
}

/* A stub that jumps to `target`, with the address itself in a slot behind all stubs. Returns the stub; *slot the slot. */
static uint8_t *make_stub(struct loading *l, size_t symbol, uint64_t target, uint8_t **slot) {
    if (!l->stubs[symbol]) {
        if (l->stub_count == l->stub_limit)
            return NULL;
        l->stubs[symbol] = (uint32_t)++l->stub_count;
    }
    size_t number = l->stubs[symbol] - 1;
    uint8_t *stub = l->memory + l->stub_offset + number * STUB_SIZE;
    *slot = l->memory + l->stub_offset + l->stub_limit * STUB_SIZE + number * 8;
    memcpy(*slot, &target, 8);
    int64_t distance = *slot - stub;
#if defined(__x86_64__)
    int32_t displacement = (int32_t)(distance - 6);
    stub[0] = 0xff; /* jmp *displacement(%rip) */
    stub[1] = 0x25;
    memcpy(stub + 2, &displacement, 4);
#else
    uint32_t code[2] = {0x58000010u | ((uint32_t)(distance / 4) & 0x7ffff) << 5, 0xd61f0200u}; /* ldr x16, slot; br x16 */
    if (distance / 4 >= 1 << 18)
        return NULL;
    memcpy(stub, code, 8);
#endif
    return stub;
}

static bool put(uint8_t *place, size_t available, uint64_t value, unsigned bytes) {
    if (bytes > available)
        return false;
    memcpy(place, &value, bytes);
    return true;
}

static bool fits32(int64_t value) { return value == (int32_t)value; }

#if defined(__x86_64__)
static enum wl_status relocate_one(struct loading *l, uint8_t *place, size_t available, const Elf64_Rela *r, uint64_t symbol) {
    uint64_t here = (uint64_t)(uintptr_t)place;
    uint64_t value = symbol + (uint64_t)r->r_addend;
    bool external = ELF64_R_SYM(r->r_info) && l->symbols[ELF64_R_SYM(r->r_info)].st_shndx == SHN_UNDEF;
    uint8_t *slot, *stub;
    bool done;
    switch (ELF64_R_TYPE(r->r_info)) {
    case R_X86_64_NONE:
        return WL_OK;
    case R_X86_64_64:
        done = put(place, available, value, 8);
        break;
    case R_X86_64_PC64:
        done = put(place, available, value - here, 8);
        break;
    case R_X86_64_32:
        done = value <= UINT32_MAX && put(place, available, value, 4);
        break;
    case R_X86_64_32S:
        done = fits32((int64_t)value) && put(place, available, value, 4);
        break;
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        if (external) {
            stub = make_stub(l, ELF64_R_SYM(r->r_info), symbol, &slot);
            if (!stub)
                return damaged("too many stubs");
            value = (uint64_t)(uintptr_t)stub + (uint64_t)r->r_addend;
        }
        done = fits32((int64_t)(value - here)) && put(place, available, value - here, 4);
        break;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        if (!make_stub(l, ELF64_R_SYM(r->r_info), symbol, &slot))
            return damaged("too many stubs");
        value = (uint64_t)(uintptr_t)slot + (uint64_t)r->r_addend - here;
        done = fits32((int64_t)value) && put(place, available, value, 4);
        break;
    default:
        return wl_fail(WL_INVALID_IMAGE, "the native object has a relocation of unknown type %u", (unsigned)ELF64_R_TYPE(r->r_info));
    }
    return done ? WL_OK : damaged("relocation out of range");
}
#else
/* Puts `value` into `bits` bits from bit `shift` of the instruction at `place`. */
static bool put_field(uint8_t *place, size_t available, uint64_t value, unsigned shift, unsigned bits) {
    uint32_t word, mask = ((1u << bits) - 1) << shift;
    if (available < 4)
        return false;
    memcpy(&word, place, 4);
    word = (word & ~mask) | ((uint32_t)value << shift & mask);
    memcpy(place, &word, 4);
    return true;
}

static enum wl_status relocate_one(struct loading *l, uint8_t *place, size_t available, const Elf64_Rela *r, uint64_t symbol) {
    uint64_t here = (uint64_t)(uintptr_t)place, value = symbol + (uint64_t)r->r_addend;
    size_t index = ELF64_R_SYM(r->r_info);
    int64_t distance;
    uint8_t *slot = NULL, *stub;
    bool done, external = index && l->symbols[index].st_shndx == SHN_UNDEF;
    unsigned type = ELF64_R_TYPE(r->r_info);
    if (type == R_AARCH64_ADR_GOT_PAGE || type == R_AARCH64_LD64_GOT_LO12_NC) {
        if (!make_stub(l, index, symbol, &slot))
            return damaged("too many stubs");
        value = (uint64_t)(uintptr_t)slot;
    }
    switch (type) {
    case R_AARCH64_NONE:
        return WL_OK;
    case R_AARCH64_ABS64:
        done = put(place, available, value, 8);
        break;
    case R_AARCH64_ABS32:
        done = value <= UINT32_MAX && put(place, available, value, 4);
        break;
    case R_AARCH64_PREL64:
        done = put(place, available, value - here, 8);
        break;
    case R_AARCH64_PREL32:
        done = fits32((int64_t)(value - here)) && put(place, available, value - here, 4);
        break;
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
        if (external) {
            stub = make_stub(l, index, symbol, &slot);
            if (!stub)
                return damaged("too many stubs");
            value = (uint64_t)(uintptr_t)stub;
        }
        distance = (int64_t)(value - here) >> 2;
        done = distance < 1 << 25 && distance >= -(1 << 25) && put_field(place, available, (uint64_t)distance, 0, 26);
        break;
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADR_GOT_PAGE:
        distance = (int64_t)((value & ~UINT64_C(4095)) - (here & ~UINT64_C(4095))) >> 12;
        done = distance < 1 << 20 && distance >= -(1 << 20) && put_field(place, available, (uint64_t)distance & 3, 29, 2) &&
               put_field(place, available, (uint64_t)distance >> 2, 5, 19);
        break;
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
        done = put_field(place, available, value & 4095, 10, 12);
        break;
    case R_AARCH64_LDST16_ABS_LO12_NC:
        done = put_field(place, available, (value & 4095) >> 1, 10, 12);
        break;
    case R_AARCH64_LDST32_ABS_LO12_NC:
        done = put_field(place, available, (value & 4095) >> 2, 10, 12);
        break;
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LD64_GOT_LO12_NC:
        done = put_field(place, available, (value & 4095) >> 3, 10, 12);
        break;
    case R_AARCH64_LDST128_ABS_LO12_NC:
        done = put_field(place, available, (value & 4095) >> 4, 10, 12);
        break;
    default:
        return wl_fail(WL_INVALID_IMAGE, "the native object has a relocation of unknown type %u", type);
    }
    return done ? WL_OK : damaged("relocation out of range");
}
#endif

static enum wl_status relocate(struct loading *l) {
    for (size_t i = 1; i < l->section_count; i++) {
        const Elf64_Shdr *s = &l->sections[i];
        if (s->sh_type == SHT_REL && s->sh_info < l->section_count && l->places[s->sh_info])
            return damaged("relocations without addends");
        if (s->sh_type != SHT_RELA || s->sh_info >= l->section_count || !l->places[s->sh_info])
            continue;
        if (s->sh_entsize != sizeof(Elf64_Rela) || s->sh_offset % _Alignof(Elf64_Rela))
            return damaged("relocation table");
        const Elf64_Rela *relocations = (const Elf64_Rela *)(l->object + s->sh_offset);
        uint64_t target_size = l->sections[s->sh_info].sh_size;
        for (size_t k = 0; k < s->sh_size / sizeof(Elf64_Rela); k++) {
            const Elf64_Rela *r = &relocations[k];
            uint64_t symbol;
            if (r->r_offset >= target_size)
                return damaged("relocation outside its section");
            enum wl_status status = symbol_address(l, ELF64_R_SYM(r->r_info), &symbol);
            if (status == WL_OK)
                status = relocate_one(l, l->places[s->sh_info] + r->r_offset, target_size - r->r_offset, r, symbol);
            if (status != WL_OK)
                return status;
        }
    }
    return WL_OK;
}

/* ---- the result ----------------------------------------------------------------------------- */

/* A defined symbol's loaded bytes; *available: how many there are to the end of its section. */
static const uint8_t *find_symbol(const struct loading *l, const char *name, bool code, size_t *available) {
    for (size_t i = 1; i < l->symbol_count; i++) {
        const Elf64_Sym *symbol = &l->symbols[i];
        if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= l->section_count || strcmp(symbol_name(l, symbol), name) != 0)
            continue;
        const Elf64_Shdr *s = &l->sections[symbol->st_shndx];
        if (!(s->sh_flags & SHF_ALLOC) || symbol->st_value >= s->sh_size || (code && !(s->sh_flags & SHF_EXECINSTR)))
            return NULL;
        *available = s->sh_size - symbol->st_value;
        return l->places[symbol->st_shndx] + symbol->st_value;
    }
    return NULL;
}

static enum wl_status find_unit(struct loading *l) {
    size_t code_size = 0, info_size = 0;
    const uint8_t *code = find_symbol(l, "wl_unit", true, &code_size);
    const struct wl_unit_info *info = (const struct wl_unit_info *)(const void *)find_symbol(l, "wl_unit_info", false, &info_size);
    if (!code || !info || (uintptr_t)info % _Alignof(struct wl_unit_info) || info_size < sizeof *info)
        return damaged("no unit");
    if (info->abi != WL_WAVE_ABI)
        return wl_fail(WL_INVALID_IMAGE, "the native object has ABI version %u, not %u", info->abi, WL_WAVE_ABI);
    if (info->resume_count == 0 || info->resume_count > (info_size - sizeof *info) / sizeof *info->resume || info->rows > WL_VGPR_COUNT)
        return damaged("unit info");
    l->native->code = (wl_unit_code *)(uintptr_t)code;
    l->native->info = info;
    return WL_OK;
}

enum wl_status wl_native_load(struct wl_native **native, const void *object, size_t size) {
    struct loading l = {.object = object, .size = size};
    enum wl_status status = read_tables(&l);
    *native = NULL;
    if (status != WL_OK)
        return status;
    l.places = (uint8_t **)calloc(l.section_count, sizeof *l.places);
    l.stubs = calloc(l.symbol_count + 1, sizeof *l.stubs);
    l.native = calloc(1, sizeof *l.native);
    if (!l.places || !l.stubs || !l.native)
        status = wl_fail(WL_OUT_OF_MEMORY, "no memory to load native code");
    if (status == WL_OK)
        status = place_sections(&l);
    if (status == WL_OK)
        status = place_tables(&l);
    if (status == WL_OK)
        status = relocate(&l);
    if (status == WL_OK)
        status = find_unit(&l);
    if (status == WL_OK && mprotect(l.memory, l.memory_size, PROT_READ | PROT_EXEC) != 0)
        status = wl_fail(WL_OUT_OF_MEMORY, "cannot make native code executable");
    if (status == WL_OK) {
        __builtin___clear_cache((char *)l.memory, (char *)l.memory + l.memory_size);
        l.native->memory = l.memory;
        l.native->size = l.memory_size;
        *native = l.native;
    } else {
        if (l.memory)
            munmap(l.memory, l.memory_size);
        if (l.native) {
            free(l.native->lines);
            free(l.native->frames);
        }
        free(l.native);
    }
    free((void *)l.places);
    free(l.stubs);
    return status;
}

void wl_native_unload(struct wl_native *native) {
    if (!native)
        return;
    munmap(native->memory, native->size);
    free(native->lines);
    free(native->frames);
    free(native);
}

/* ---- thunks --------------------------------------------------------------------------------- */

struct wl_thunk {
    uint8_t *page;
};

enum { THUNK_PAGE = 4096 };

struct wl_thunk *wl_thunk_create(wl_translate_steps_run_fn *run, const struct wl_steps *steps) {
    const uint64_t target = (uint64_t)(uintptr_t)run, data = (uint64_t)(uintptr_t)steps;
    struct wl_thunk *thunk = calloc(1, sizeof *thunk);
    uint8_t *page = mmap(NULL, THUNK_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!thunk || page == MAP_FAILED) {
        if (page != MAP_FAILED)
            munmap(page, THUNK_PAGE);
        free(thunk);
        return NULL;
    }
#if defined(__x86_64__)
    memcpy(page, (const uint8_t[]){0x48, 0xbe}, 2); /* mov rsi, steps */
    memcpy(page + 2, &data, 8);
    memcpy(page + 10, (const uint8_t[]){0x48, 0xb8}, 2); /* mov rax, run */
    memcpy(page + 12, &target, 8);
    memcpy(page + 20, (const uint8_t[]){0xff, 0xe0}, 2); /* jmp rax */
#else
    memcpy(page, (const uint32_t[]){0x58000081, 0x580000b0, 0xd61f0200, 0xd503201f}, 16); /* ldr x1, +16; ldr x16, +20; br x16; nop */
    memcpy(page + 16, &data, 8);
    memcpy(page + 24, &target, 8);
#endif
    __builtin___clear_cache((char *)page, (char *)page + 32);
    if (mprotect(page, THUNK_PAGE, PROT_READ | PROT_EXEC) != 0) {
        munmap(page, THUNK_PAGE);
        free(thunk);
        return NULL;
    }
    thunk->page = page;
    return thunk;
}

wl_unit_code *wl_thunk_code(const struct wl_thunk *thunk) { return (wl_unit_code *)(uintptr_t)thunk->page; }

void wl_thunk_destroy(struct wl_thunk *thunk) {
    if (thunk)
        munmap(thunk->page, THUNK_PAGE);
    free(thunk);
}

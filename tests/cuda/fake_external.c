/* Memory of another interface: the contents are a file's, the descriptor that stands for them is a pipe's, which cannot be mapped. */
#include "fake_cuda.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct CUextMemory_st {
    struct CUextMemory_st *next;
    ino_t pipe;
    int file;
    size_t size;
};

static struct {
    pthread_mutex_t lock;
    struct CUextMemory_st *exported;
} external = {.lock = PTHREAD_MUTEX_INITIALIZER};

int fake_external(size_t size, int *file) {
    int ends[2];
    struct stat info;
    struct CUextMemory_st *made = malloc(sizeof *made);
    *file = memfd_create("fake-external", MFD_CLOEXEC);
    if (*file < 0 || ftruncate(*file, (off_t)size) != 0 || pipe(ends) != 0 || fstat(ends[0], &info) != 0)
        abort();
    close(ends[1]);
    pthread_mutex_lock(&external.lock);
    *made = (struct CUextMemory_st){external.exported, info.st_ino, *file, size};
    external.exported = made;
    pthread_mutex_unlock(&external.lock);
    return ends[0];
}

CUresult cuImportExternalMemory(CUexternalMemory *memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc) {
    FAKE_ENTER();
    struct stat info;
    FAKE_REQUIRE(desc->type == CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD && fstat(desc->handle.fd, &info) == 0, CUDA_ERROR_INVALID_VALUE);
    pthread_mutex_lock(&external.lock);
    const struct CUextMemory_st *found = external.exported;
    while (found && (found->pipe != info.st_ino || found->size < desc->size))
        found = found->next;
    pthread_mutex_unlock(&external.lock);
    FAKE_REQUIRE(found, CUDA_ERROR_INVALID_VALUE);
    *memory = malloc(sizeof **memory);
    **memory = (struct CUextMemory_st){.file = dup(found->file), .size = found->size};
    close(desc->handle.fd); /* the driver's from now on */
    return CUDA_SUCCESS;
}

CUresult cuExternalMemoryGetMappedBuffer(CUdeviceptr *address, CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *desc) {
    FAKE_ENTER();
    FAKE_REQUIRE(desc->offset <= memory->size && desc->size <= memory->size - desc->offset && !desc->flags, CUDA_ERROR_INVALID_VALUE);
    uint64_t begin = fake_addresses(memory->size);
    FAKE_REQUIRE(begin && fake_back(begin, memory->size, memory->file), CUDA_ERROR_OUT_OF_MEMORY);
    *address = begin + desc->offset;
    fake_allow(*address, desc->size, true);
    return CUDA_SUCCESS;
}

CUresult cuDestroyExternalMemory(CUexternalMemory memory) {
    FAKE_ENTER();
    close(memory->file); /* mappings stay */
    free(memory);
    return CUDA_SUCCESS;
}

/* topology/: what AMD's kernel driver would show of the devices in the file system, for programs that look there.
 *
 *   in    a program's calls of libc for files of AMD's driver, under `wavelift run`
 *   out   the same calls, for files of a tree that describes Wavelift's devices
 *
 *   tree.h      the tree: sys/class/kfd, sys/class/drm, sys/class/pci_bus, sys/module/amdgpu, dev/kfd as files and links in a folder
 *   preload.c   the functions of libc that are taken over, in libwavelift-topology.so, which `wavelift run` preloads
 *
 * The tree is made when a program first asks for such a file, in the cache's folder, under a name that its content decides: processes share it,
 * and it is never changed. A file that the system itself has stays the system's; every other file is none of our business.
 *
 * A preloaded library, and no mount namespace: /sys/class has no folder to mount on where AMD's driver is missing, so that all of it would
 * have to be replaced; and making a namespace needs rights that containers and many systems deny. Programs that are linked statically, or make
 * system calls themselves, do not find the tree. */
#ifndef WL_TOPOLOGY_TREE_H
#define WL_TOPOLOGY_TREE_H

#include <stdbool.h>
#include <stddef.h>

/* The folder of the tree, made at the first call. NULL: there are no devices, or nowhere to make it. Thread-safe. */
const char *wl_tree(void);

#endif

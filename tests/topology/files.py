"""What a program finds of AMD's driver under `wavelift run` with two devices for gfx90a, and that other files are as they are."""
import ctypes
import os
import subprocess
import sys

failures = []


def check(what, right):
    if not right:
        failures.append(what)


nodes = "/sys/class/kfd/kfd/topology/nodes"
check("nodes", sorted(os.listdir(nodes)) == ["0", "1", "2"])
properties = dict(line.split() for line in open(nodes + "/2/properties"))
check("gfx_target_version", properties["gfx_target_version"] == "90010")
check("simd_count of the host", "simd_count 0\n" in open(nodes + "/0/properties").read())
check("gpu_id", open(nodes + "/1/gpu_id").read().strip() not in ("0", ""))
check("links", sorted(os.listdir(nodes + "/1/io_links")) == ["0", "1"])
check("initstate", open("/sys/module/amdgpu/initstate").read() == "live\n")
check("stat", os.stat("/dev/kfd").st_size >= 0 and os.access("/dev/kfd", os.R_OK | os.W_OK))
check("descriptor", os.read(os.open("/sys/class/kfd/kfd/topology/generation_id", os.O_RDONLY), 10) == b"1\n")
# The way by which RCCL finds a device's place in the PCI tree.
libc = ctypes.CDLL(None)
libc.realpath.restype = ctypes.c_char_p
found = libc.realpath(b"/sys/class/pci_bus/0000:01/../../0000:01:00.0", None)
check("realpath of libc", found == b"/sys/devices/wavelift/0000:01:00.0")
check("class", open("/sys/devices/wavelift/0000:01:00.0/class").read() == "0x038000\n")
check("drm", open("/sys/class/drm/renderD129/device/vendor").read() == "0x1002\n")
check("a program that is started", "amdgpu" in subprocess.run(["cat", "/proc/modules"], stdout=subprocess.PIPE, text=True).stdout)
# Everything else is the system's.
check("a file that is not there", not os.path.exists("/sys/class/kfd/nothing") and not os.path.exists("/sys/class/kfx"))
plain = dict(os.environ)
plain.pop("LD_PRELOAD")
for folder in "/sys/class", "/dev", "/proc/self/fd/..", "/sys/module":
    outside = subprocess.run(["ls", "-a", folder], stdout=subprocess.PIPE, text=True, env=plain).stdout.split()
    check("entries of " + folder, sorted(os.listdir(folder) + [".", ".."]) == sorted(outside))
check("/proc/modules without", "amdgpu 0 0" not in subprocess.run(["cat", "/proc/modules"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                                                   text=True, env=plain).stdout)
for failure in failures:
    print("wrong:", failure)
sys.exit(bool(failures))

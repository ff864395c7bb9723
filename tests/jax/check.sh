#!/bin/sh
# check.sh BUILD [TARGET ...]: JAX's wheels for ROCm from PyPI, as they are, on the libraries of that build: started by `wavelift run` alone in a
# system of Debian sid with ROCm's libraries of experimental, in BUILD/jax (some 14 GB). Computations against JAX's own CPU backend, and a
# profile. Needs what tests/rocm/root.sh needs, and PyPI.
set -eu
build=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- gfx90a
here=$(realpath "$(dirname "$0")")
root=$build/jax
version=0.12.0
# shellcheck source=../rocm/root.sh
. "$here/../rocm/root.sh"

root_tools
root_make "$root" experimental
# The last four are for kernels that MIOpen compiles.
root_install "$root" experimental python3 python3-venv ca-certificates libmiopen1 libhipblas3 libhipblaslt1 libhipfft0 libhipsolver1 libhipsparse4 \
    librccl1 librocblas5 librocsolver0 libnuma1 libdrm2 clang-22 lld-22 rocm-device-libs-22 libamdhip64-dev
root_wavelift "$root" "$build"
mkdir -p "$root/wavelift/bin"
cp -a --remove-destination "$build/lib/compat" "$root/wavelift/lib/"
cp "$build/bin/wavelift" "$root/wavelift/bin/"
cp "$here/compute.py" "$root/compute.py"
if [ ! -e "$root/opt/jax/$version" ]; then
    # The machine's own certificates: PyPI may be behind a mirror.
    cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/machine.crt"
    root_inside "$root" python3 -m venv /opt/jax
    root_inside "$root" env PIP_CERT=/etc/ssl/certs/machine.crt SSL_CERT_FILE=/etc/ssl/certs/machine.crt /opt/jax/bin/pip install -q \
        "jax==$version" "jax-rocm7-plugin==$version"
    touch "$root/opt/jax/$version"
fi

status=0
for target; do
    echo "== $target"
    # Debian's MIOpen lacks its assembly sources, which the last three settings leave out.
    root_inside "$root" env HOME=/root WAVELIFT_CACHE_DIR=/wavelift/cache WAVELIFT_DEVICES=cpu WAVELIFT_ARCH="$target" \
        WAVELIFT_CLANG=/usr/bin/clang++-22 XLA_PYTHON_CLIENT_PREALLOCATE=false TF_CPP_MIN_LOG_LEVEL=3 MIOPEN_DEBUG_GCN_ASM_KERNELS=0 \
        MIOPEN_DEBUG_CONV_WINOGRAD=0 MIOPEN_DEBUG_CONV_IMPLICIT_GEMM=0 /wavelift/bin/wavelift run /opt/jax/bin/python /compute.py || status=1
done
exit $status

#!/bin/sh
# layers.sh CC VIEWS SRC: an include of a layer above does not compile, one of a layer below does. VIEWS has the search path of each layer
# (cmake/Layer.cmake). And no file of SRC goes round its search path, by a name that begins at the file's own folder, or includes a .c file.
set -u
cc=$1 views=$2 src=$3 failed=0

grep -rHoE --include='*.[ch]' --include='*.inc' '^ *# *include "[^"]+"' "$src" | tr -d '"' | sed 's/: *# *include /:/' >"$views/includes"
while IFS=: read -r file name; do
    case $name in
    ../* | *.c) echo "$file includes $name"; failed=1 ;;
    */*) [ ! -e "${file%/*}/$name" ] || { echo "$file includes $name of its own folder"; failed=1; } ;;
    esac
done <"$views/includes"

# compiles TARGET HEADER: whether a file of the target may include it.
compiles() {
    echo "#include \"$2\"" | $cc -std=gnu17 -D_GNU_SOURCE -I"$views/$1" -fsyntax-only -x c - 2>/dev/null
}
allowed() {
    compiles "$1" "$2" || { echo "$1 cannot include $2"; failed=1; }
}
forbidden() {
    ! compiles "$1" "$2" || { echo "$1 can include $2, which is not below it"; failed=1; }
}

allowed wl_machine base/status.h
forbidden wl_base machine/wave.h
forbidden wl_machine lane/channel_values.h
allowed wl_lane machine/channels.h
allowed wl_debug codeobject/codeobject.h
forbidden wl_debug device/device.h
allowed wl_codeobject machine/processor.h
forbidden wl_codeobject lane/image.h
forbidden wl_isa translate/decode/decoder.h
allowed wl_unit translate/decode/decoder.h
forbidden wl_unit translate/rewrite/rewrite.h
forbidden wl_unit translate/analysis/affine.h
forbidden wl_rewrite translate/analysis/affine.h
forbidden wl_analysis translate/rewrite/rewrite.h
forbidden wl_steps translate/analysis/affine.h
forbidden wl_steps translate/lift/state.h
forbidden wl_lift translate/native/emit.h
forbidden wl_lift translate/nvptx/ptx.h
forbidden wl_native translate/nvptx/ptx.h
forbidden wl_nvptx translate/native/emit.h
forbidden wl_nvptx device/device.h
allowed wl_device translate/interface/translate.h
forbidden wl_device translate/unit/unit.h
forbidden wl_device runtime/memory.h
allowed wl_runtime device/device.h
forbidden wl_runtime device/cpu/cpu.h
forbidden wl_runtime translate/interface/translate.h
allowed wl_api runtime/memory.h
forbidden wl_api device/cpu/cpu.h
forbidden wl_runtime hsa/loader.h
allowed hsa-runtime64 runtime/core.h
forbidden hsa-runtime64 api/api.h
forbidden hsa-runtime64 device/cpu/cpu.h
allowed rocm_smi64 topology/facts.h
allowed amd_smi27 smi/devices.h
allowed rocprofiler-sdk runtime/core.h
forbidden rocprofiler-sdk device/cpu/cpu.h
forbidden wl_helpers device/device.h
forbidden wl_ptx_device translate/nvptx/ptx.h
forbidden wl_words translate/unit/unit.h
forbidden wl_rtc runtime/memory.h
exit $failed

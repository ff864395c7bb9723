#!/bin/sh
# layers.sh CC VIEWS: an include of a layer above does not compile, one of a layer below does. VIEWS has the search path of each layer
# (cmake/Layer.cmake).
set -u
cc=$1 views=$2 failed=0

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
forbidden wl_rtc runtime/memory.h
exit $failed

/* The table itself: see row.h. */
#include "translate/decode/words/row.h"

#define GFX9      WL_GFX9
#define GFX90     WL_GFX90
#define GFX9_VEGA WL_GFX9_VEGA
#define GFX9_DOT  WL_GFX9_DOT
#define GFX9_MFMA WL_GFX9_MFMA
#define GFX9_ACC  WL_GFX9_ACC
#define GFX10     WL_GFX10
#define GFX10_1   WL_GFX10_1
#define GFX11     WL_GFX11
#define GFX12     WL_GFX12
#define GFX12_ONE WL_GFX12_ONE
#define T900      WL_T900
#define T904      WL_T904
#define T9G       WL_T9G
#define T906      WL_T906
#define T908      WL_T908
#define T90A      WL_T90A
#define T94       WL_GFX9_4 /* what gfx950 has, too */
#define T942      WL_T94
#define T950      WL_T950
#define T1010     WL_T1010
#define T1012     WL_T1012
#define T1013     WL_T1013
#define T1030     WL_T1030
#define T1100     WL_T1100
#define T1150     WL_T1150
#define T1200     WL_T1200
#define GFX1250   WL_GFX1250
#define T1250     WL_T1250
#define T1251     WL_T1251
#define ALONE     WL_ALONE
#define SDWA      WL_SDWA
#define DPP       WL_DPP
#define DPP8      WL_DPP8
#define LDS       WL_LDS
#define TFE       WL_TFE
#define RETURNS   WL_RETURNS
#define W32       WL_W32
#define W64       WL_W64
#define DPALU     WL_DPALU
#define ROW(ENCODING, OPCODE, TARGETS, FORMS, NAME, OPERANDS)                                                                              \
    {.name = (NAME), .operands = (OPERANDS), .opcode = (OPCODE), .targets = (TARGETS), .forms = (FORMS), .encoding = WL_ENC_##ENCODING},

const struct wl_row wl_rows[] = {
#include "translate/decode/words/rows_buffer.inc"
#include "translate/decode/words/rows_flat.inc"
#include "translate/decode/words/rows_graphics.inc"
#include "translate/decode/words/rows_image.inc"
#include "translate/decode/words/rows_lds.inc"
#include "translate/decode/words/rows_salu.inc"
#include "translate/decode/words/rows_smem.inc"
#include "translate/decode/words/rows_vop1.inc"
#include "translate/decode/words/rows_vop2.inc"
#include "translate/decode/words/rows_vop3.inc"
#include "translate/decode/words/rows_vop3_compare.inc"
#include "translate/decode/words/rows_vop3p.inc"
#include "translate/decode/words/rows_vopc.inc"
#include "translate/decode/words/rows_vopd.inc"
};
const size_t wl_row_count = sizeof wl_rows / sizeof *wl_rows;

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernels of matrix products with every tile that a device may take: see
 * kernel_list.h. */
#include <stdio.h>

#include "backends/gpu/host/gemm/gemm_spec.h"
#include "base/alloc.h"
#include "gemm/gemm_desc.h"
#include "gemm/gemm_tiles.h"
#include "tests/gate/kernel_list.h"

/* Which product has a tile: bits of a number from 0 to 7. */
enum { TRANS_A = 1, TRANS_B = 2, CHECKED = 4, PRODUCTS = 8 };

static stfi_gemm product_of(const stfi_gemm_tile *tile, int which)
{
    stf_gemm_desc d = stf_gemm_desc_default(), full = d;

    d.precision = d.precision_c = tile->wide ? STF_F64 : STF_F32;
    d.m = d.n = d.k = 4096;
    d.transa = which & TRANS_A ? STF_TRANS : STF_NOTRANS;
    d.transb = which & TRANS_B ? STF_TRANS : STF_NOTRANS;
    d.ft.mode = which & CHECKED ? STF_FT_CORRECT : STF_FT_OFF;
    stfi_gemm_desc_complete(&d, &full);
    return stfi_gemm_lower(&full);
}

/* Passes the kernels of a product to `take`: what computes tiles and, if it is
 * checked, what makes the sums for that. */
static stf_status list_product(const stfi_gemm *g, const stfi_gemm_tiling *t,
                               const stfi_caps *caps, stfi_listed *listed,
                               stfi_list_take *take, void *arg)
{
    const int checked = g->ft.mode != STF_FT_OFF;
    stfi_gpu_spec *spec;
    void *mem;
    stf_status status = stfi_alloc(sizeof *spec, "a kernel's text", &mem);

    if (status != STF_OK)
        return status;
    spec = mem;
    snprintf(listed->mode, sizeof listed->mode, "%s",
             checked ? "block" : "off");
    listed->spec = spec;
    status = stfi_gpu_gemm_spec(STFI_GEMM_MULTIPLY, g, t, caps, spec);
    if (status == STF_OK)
        take(arg, listed);
    if (status == STF_OK && checked)
        status = stfi_gpu_gemm_spec(STFI_GEMM_ENCODE, g, t, caps, spec);
    if (status == STF_OK && checked)
        take(arg, listed);
    stfi_dealloc(spec);
    return status;
}

stf_status stfi_list_products(int i, const char *preset, const char *arch,
                              stfi_list_take *take, void *arg)
{
    const stfi_gemm_tile *tile = stfi_gemm_tile_at(i / PRODUCTS);
    const stfi_caps *caps = stfi_preset_find(preset);
    stfi_listed listed = {.preset = preset, .arch = arch, .problem = "product"};
    stfi_gemm_tiling t = {.async = stfi_gpu_gemm_async(arch)};
    stfi_gemm g;

    if (tile->unit != STFI_GEMM_NO_UNIT)
        return STF_OK;
    g = product_of(tile, i % PRODUCTS);
    return stfi_gemm_tiling_make(&g, caps, tile, 1, &t)
               ? list_product(&g, &t, caps, &listed, take, arg)
               : STF_OK;
}

int stfi_list_product_count(void)
{
    int tiles = 0;

    while (stfi_gemm_tile_at(tiles) != NULL)
        tiles++;
    return tiles * PRODUCTS;
}

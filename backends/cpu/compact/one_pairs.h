/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Single short arrays (cpu_one.h) of one precision and instruction set, by one
 * butterfly over complex numbers that stay pairs (simd/pairs.h). */
#ifndef STFI_CPU_ONE_PAIRS_H
#define STFI_CPU_ONE_PAIRS_H

#include "backends/cpu/compact/cpu_one.h"
#include "backends/cpu/fft/butterfly.h"
#include "backends/cpu/fft/scale.h"

/* cos and sin of 2 pi j/17, j = 0 .. 8 */
static const real cos_17[] = {
    1.0L,
    0.9324722294043558045731159L,
    0.7390089172206591159245343L,
    0.4457383557765382673964575L,
    0.0922683594633019952396511L,
    -0.2736629900720828635390779L,
    -0.6026346363792563891785882L,
    -0.8502171357296141521341439L,
    -0.9829730996839017782819488L,
};
static const real sin_17[] = {
    0.0L,
    0.3612416661871529487447146L,
    0.6736956436465572117126919L,
    0.8951632913550623220670165L,
    0.9957341762950345218711912L,
    0.9618256431728190704087963L,
    0.7980172272802395033328051L,
    0.5264321628773558002446078L,
    0.1837495178165703315744088L,
};
/* cos and sin of 2 pi j/19, j = 0 .. 9 */
static const real cos_19[] = {
    1.0L,
    0.9458172417006346790196657L,
    0.7891405093963935992189811L,
    0.5469481581224268747117627L,
    0.2454854871407991489222909L,
    -0.0825793454723323246003439L,
    -0.4016954246529694575168417L,
    -0.677281571625741074762151L,
    -0.8794737512064890713908548L,
    -0.9863613034027223736025092L,
};
static const real sin_19[] = {
    0.0L,
    0.3246994692046834874075727L,
    0.6142127126896678174443358L,
    0.8371664782625285748060612L,
    0.9694002659393304167361073L,
    0.996584493006669849819352L,
    0.9157733266550574399193492L,
    0.7357239106731316247742076L,
    0.4759473930370735444313529L,
    0.1645945902807338941436521L,
};
/* cos and sin of 2 pi j/23, j = 0 .. 11 */
static const real cos_23[] = {
    1.0L,
    0.9629172873477992950152236L,
    0.8544194045464885525482156L,
    0.6825531432186540828745375L,
    0.4600650377311521260415758L,
    0.2034560130526337898780287L,
    -0.0682424133646709759211885L,
    -0.3348796121709861519581151L,
    -0.5766803221148671412510483L,
    -0.775711290704419807041101L,
    -0.9172113015054530178438054L,
    -0.990685946036330752342323L,
};
static const real sin_23[] = {
    0.0L,
    0.2697967711570242712453285L,
    0.519583950035433578133001L,
    0.7308359642781241016508331L,
    0.8878852184023752349842693L,
    0.9790840876823228756328149L,
    0.9976687691905391984535783L,
    0.9422609221188204956176842L,
    0.816969893010442016973414L,
    0.6310879443260527893674001L,
    0.3984010898462414579978804L,
    0.1361666490962465907607258L,
};
/* cos and sin of 2 pi j/29, j = 0 .. 14 */
static const real cos_29[] = {
    1.0L,
    0.976620555710086683208228L,
    0.9075754196709570536201613L,
    0.7960930657056437459980762L,
    0.6473862847818276391816601L,
    0.4684084406997901392162397L,
    0.2675283385292208211946262L,
    0.0541389085854175261499083L,
    -0.1617819965527647265442601L,
    -0.3701381553399143568639807L,
    -0.5611870653623823692699409L,
    -0.7259954919231308581383349L,
    -0.8568571761675892445230766L,
    -0.947653171182802444274004L,
    -0.9941379571543596089553027L,
};
static const real sin_29[] = {
    0.0L,
    0.2149704402110240671819535L,
    0.4198891015602645769737109L,
    0.6051742151937651659242801L,
    0.7621620551276364632557304L,
    0.8835120444460229228273169L,
    0.9635499925192229600433362L,
    0.9985334138511238645717905L,
    0.9868265225415261517686244L,
    0.9289767198167914417896296L,
    0.8276889981568905561357816L,
    0.6876994588534232930838769L,
    0.5155538571770217397098665L,
    0.3193015301359799731972335L,
    0.1081190184239417630308083L,
};
/* (re, im) of exp(-2 pi i j/25), exp(-2 pi i j/27) */
static const real root_25[] = {
    1.0L,
    0.0L,
    0.9685831611286311194901684L,
    -0.2486898871648547882422837L,
    0.8763066800438635873081159L,
    -0.4817536741017152749871915L,
    0.7289686274214115231467303L,
    -0.6845471059286886737322834L,
    0.5358267949789966182713088L,
    -0.8443279255020150785485581L,
    0.3090169943749474241022934L,
    -0.9510565162951535721164393L,
    0.0627905195293133760761782L,
    -0.9980267284282715619523368L,
    -0.1873813145857246305425507L,
    -0.9822872507286886810856417L,
    -0.4257792915650726488625024L,
    -0.9048270524660195277136686L,
    -0.6374239897486897101767128L,
    -0.7705132427757892308030096L,
    -0.8090169943749474241022934L,
    -0.587785252292473129168706L,
    -0.9297764858882514036609426L,
    -0.3681245526846779591569471L,
    -0.992114701314477831049793L,
    -0.1253332335643042453731188L,
    -0.992114701314477831049793L,
    0.1253332335643042453731188L,
    -0.9297764858882514036609426L,
    0.3681245526846779591569471L,
    -0.8090169943749474241022934L,
    0.587785252292473129168706L,
    -0.6374239897486897101767128L,
    0.7705132427757892308030096L,
};
static const real root_27[] = {
    1.0L,
    0.0L,
    0.9730448705798238388328852L,
    -0.2306158707424401784501983L,
    0.8936326403234122481925742L,
    -0.4487991802004621727850403L,
    0.7660444431189780352023927L,
    -0.6427876096865393263226434L,
    0.5971585917027861648518522L,
    -0.8021231927550437850832949L,
    0.3960797660391568236960434L,
    -0.9182161068802740147589614L,
    0.1736481776669303488517166L,
    -0.984807753012208059366743L,
    -0.058144828910475828538748L,
    -0.9983081582712682080478207L,
    -0.2868032327110902531032802L,
    -0.9579895123154888744373748L,
    -0.5L,
    -0.8660254037844386467637232L,
    -0.686241637868733585729605L,
    -0.7273736415730486959871764L,
    -0.8354878114129364196538262L,
    -0.5495089780708060352627804L,
    -0.9396926207859083840541093L,
    -0.3420201433256687330440996L,
    -0.9932383577419429885478956L,
    -0.1160929141252302296756665L,
    -0.9932383577419429885478956L,
    0.1160929141252302296756665L,
    -0.9396926207859083840541093L,
    0.3420201433256687330440996L,
    -0.8354878114129364196538262L,
    0.5495089780708060352627804L,
};

INLINE void bf_17(C *x)
{
    bf_odd(x, 8, cos_17, sin_17);
}
INLINE void bf_19(C *x)
{
    bf_odd(x, 9, cos_19, sin_19);
}
INLINE void bf_23(C *x)
{
    bf_odd(x, 11, cos_23, sin_23);
}
INLINE void bf_29(C *x)
{
    bf_odd(x, 14, cos_29, sin_29);
}

INLINE void bf_14(C *x)
{
    BF_COPRIME(2, 7);
}
INLINE void bf_18(C *x)
{
    BF_COPRIME(2, 9);
}
INLINE void bf_20(C *x)
{
    BF_COPRIME(4, 5);
}
INLINE void bf_21(C *x)
{
    BF_COPRIME(3, 7);
}
INLINE void bf_22(C *x)
{
    BF_COPRIME(2, 11);
}
INLINE void bf_24(C *x)
{
    BF_COPRIME(8, 3);
}
INLINE void bf_26(C *x)
{
    BF_COPRIME(2, 13);
}
INLINE void bf_28(C *x)
{
    BF_COPRIME(4, 7);
}
INLINE void bf_30(C *x)
{
    BF_COPRIME(2, 15);
}

/* n = A * B as a table [A][B]: butterflies over columns, twiddles, butterflies over
 * rows. */
#define BF_TABLE(A, B)                                                  \
    C t[A][B];                                                          \
    UNROLL                                                              \
    for (int j = 0; j < B; j++) {                                       \
        C c[A];                                                         \
        UNROLL                                                          \
        for (int p = 0; p < A; p++)                                     \
            c[p] = x[B * p + j];                                        \
        STFI_CAT(bf_, A)(c);                                            \
        UNROLL                                                          \
        for (int k = 0; k < A; k++)                                     \
            t[k][j] = j * k == 0 ? c[k] : root_mul(c[k], roots, j * k); \
    }                                                                   \
    UNROLL                                                              \
    for (int k = 0; k < A; k++) {                                       \
        STFI_CAT(bf_, B)(t[k]);                                         \
        UNROLL                                                          \
        for (int j = 0; j < B; j++)                                     \
            x[k + A * j] = t[k][j];                                     \
    }

INLINE C root_mul(C a, const real *roots, int q)
{
    return c_mul1(a, roots[2 * q], roots[2 * q + 1]);
}

INLINE void bf_25(C *x)
{
    const real *roots = root_25;
    BF_TABLE(5, 5)
}
INLINE void bf_27(C *x)
{
    const real *roots = root_27;
    BF_TABLE(3, 9)
}

#if STFI_LANES == 2
INLINE C load_pair(const stored *at)
{
    return load_stored(at, STFI_REAL_ID);
}

INLINE void store_pair(stored *at, C v)
{
    store_stored(at, STFI_REAL_ID, v);
}
#else
/* Two reals that are moved as one. */
typedef double two __attribute__((vector_size(16)));
typedef double two_in_memory
    __attribute__((aligned(STFI_STORED_BYTES), may_alias));

INLINE C load_pair(const stored *at)
{
    return (C)(two){*(const two_in_memory *)(const void *)at};
}

INLINE void store_pair(stored *at, C v)
{
    *(two_in_memory *)(void *)at = ((two)v)[0];
}
#endif

/* Multiplies n elements by what one real cannot hold. */
static __attribute__((noinline)) void scale_array(stored *x, int n, factor f)
{
    for (int i = 0; i < n; i++)
        store_pair(x + 2 * i, v_times(load_pair(x + 2 * i), f));
}

/* An inverse transform has its results in the order of the negative indices. */
#define BODY(R)                                                         \
    static void pairs_##R(const void *src, void *dst, const void *none, \
                          double scale, int inverse)                    \
    {                                                                   \
        const factor f = factor_from(scale);                            \
        const real high = f.low != 0 ? 1 : f.high;                      \
        const stored *in = src;                                         \
        stored *out = dst;                                              \
        stored *at = out + (inverse ? 2 * (R - 1) : 2);                 \
        const int step = inverse ? -2 : 2;                              \
        C v[R];                                                         \
        (void)none;                                                     \
        UNROLL                                                          \
        for (int j = 0; j < R; j++)                                     \
            v[j] = load_pair(in + 2 * j);                               \
        bf_##R(v);                                                      \
        store_pair(out, c_scale(v[0], high));                           \
        UNROLL                                                          \
        for (int j = 1; j < R; j++, at += step)                         \
            store_pair(at, c_scale(v[j], high));                        \
        if (f.low != 0)                                                 \
            scale_array(out, R, f);                                     \
    }

/* All lengths that have a function. */
#define TENS_0(X) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)
#define TENS_1(X) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19)
#define TENS_2(X) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29)
#define EACH_LENGTH(X) TENS_0(X) TENS_1(X) TENS_2(X) X(30)

EACH_LENGTH(BODY)

#define ONES STFI_ISA_NAME(stfi_cpu_pairs_)
#define ROW(r) [r] = pairs_##r,

extern const stfi_cpu_ones ONES;
const stfi_cpu_ones ONES = {
    .isa = STFI_ISA_TEXT,
    .precision = STFI_REAL_ID,
    .lanes = STFI_LANES,
    .whole = {EACH_LENGTH(ROW)},
};

#endif

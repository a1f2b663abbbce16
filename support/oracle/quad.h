/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The functions of libquadmath that the oracle uses. They are declared here
 * because clang comes without quadmath.h, and only where HAVE_FLOAT128 is
 * defined. */
#ifndef STFI_ORACLE_QUAD_H
#define STFI_ORACLE_QUAD_H

extern __float128 cosq(__float128);
extern __float128 sinq(__float128);
extern __float128 acosq(__float128);
extern __float128 fabsq(__float128);
extern __float128 frexpq(__float128, int *);
extern __float128 ldexpq(__float128, int);

#endif

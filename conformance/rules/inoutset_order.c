/* SPDX-License-Identifier: BSD-3-Clause
 * An inoutset is ordered against all other kinds of items. */
#define CLAUSE inoutset
#define KIND ITEM_INOUTSET
#include "conformance/rules/set_order.h"

const struct rule rule = {.name = "inoutset-order",
                          .statement = "Tasks of an inoutset come after the earlier siblings, and "
                                       "before the later ones, that name the address otherwise.",
                          .source = "OpenMP 5.2, 15.9.5",
                          .attempt = attempt};

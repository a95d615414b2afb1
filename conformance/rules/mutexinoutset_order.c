/* SPDX-License-Identifier: BSD-3-Clause
 * A mutexinoutset is ordered against all other kinds of items. */
#define CLAUSE mutexinoutset
#define KIND ITEM_MUTEXINOUTSET
#include "conformance/rules/set_order.h"

const struct rule rule = {.name = "mutexinoutset-order",
                          .statement = "Tasks of a mutexinoutset come after the earlier siblings, "
                                       "and before the later ones, that name the address "
                                       "otherwise.",
                          .source = "OpenMP 5.2, 15.9.5",
                          .attempt = attempt};

/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/run/parameters.h"

#include <stdio.h>
#include <string.h>

const char *parameter_text(const struct parameter *parameter, size_t value, char *text)
{
    if (parameter->words)
        snprintf(text, PARAMETER_TEXT_SIZE, "%s", parameter->words[value]);
    else
        snprintf(text, PARAMETER_TEXT_SIZE, "%zu", value);
    return text;
}

json_t *parameter_json(const struct parameter *parameter, size_t value)
{
    return parameter->words ? json_string(parameter->words[value])
                            : json_integer((json_int_t)value);
}

bool parameter_concerns(const struct parameter *parameter, const struct variant *variant)
{
    if (!variant)
        return true;
    if (parameter->variant && strcmp(parameter->variant, variant->name) != 0)
        return false;
    return !parameter->inner_team || variant->nested;
}

bool configuration_has_parameter(const struct configuration *c, size_t index)
{
    const struct parameter *parameter = &c->benchmark->parameters[index];
    return parameter_concerns(parameter, c->variant) && !(parameter->of_random_input && c->file);
}

json_t *parameters_json(const struct configuration *c)
{
    json_t *object = json_object();
    for (size_t i = 0; i < c->benchmark->parameter_count; i++) {
        const struct parameter *parameter = &c->benchmark->parameters[i];
        if (configuration_has_parameter(c, i))
            json_object_set_new(object, parameter->name,
                                parameter_json(parameter, c->parameters[i]));
    }
    return object;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * A number is checked character by character and copied in C's form; strtod alone would stop at the first
 * character that it does not know, and take hexadecimal digits. */
#include "common/matrix/file_number.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/matrix/text_file.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_sign(char c)
{
    return c == '+' || c == '-';
}

static bool is_exponent_letter(char c)
{
    return c != '\0' && strchr("eEdDqQ", c);
}

enum number_fault file_number_count(const char *text, size_t length, size_t most, size_t *value)
{
    enum number_fault fault = length > 0 ? NUMBER_READ : NUMBER_INVALID;
    *value = 0;
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(text[i]))
            return NUMBER_INVALID;
        size_t digit = (size_t)(text[i] - '0');
        if (digit > most || *value > (most - digit) / 10)
            fault = NUMBER_OUT_OF_RANGE;
        if (fault == NUMBER_READ)
            *value = *value * 10 + digit;
    }
    return fault;
}

/* A number while it is copied. */
struct copy {
    const char *text, *end;
    char *to;
};

static size_t copy_digits(struct copy *c)
{
    size_t digits = 0;
    for (; c->text < c->end && is_digit(*c->text); digits++)
        *c->to++ = *c->text++;
    return digits;
}

static void copy_sign(struct copy *c)
{
    if (c->text < c->end && is_sign(*c->text))
        *c->to++ = *c->text++;
}

static bool copy_fraction(struct copy *c)
{
    size_t digits = copy_digits(c);
    if (c->text < c->end && *c->text == '.') {
        *c->to++ = *c->text++;
        digits += copy_digits(c);
    }
    return digits > 0;
}

static bool copy_exponent(struct copy *c)
{
    if (c->text == c->end)
        return true;
    if (!is_sign(*c->text) && !is_exponent_letter(*c->text))
        return false;
    *c->to++ = 'e';
    c->text += !is_sign(*c->text);
    copy_sign(c);
    return copy_digits(c) > 0 && c->text == c->end;
}

/* Room for an `e` that the text lacks, and the end. */
enum { COPY_BYTES = TEXT_LINE_MAX + 2 };

enum number_fault file_number_integer(const char *text, size_t length, double *value)
{
    char copied[COPY_BYTES], exact[COPY_BYTES];
    struct copy c = {text, text + length, copied};
    copy_sign(&c);
    const char *digits = c.to;
    if (length > TEXT_LINE_MAX || copy_digits(&c) == 0 || c.text != c.end)
        return NUMBER_INVALID;
    *c.to = '\0';
    *value = strtod(copied, NULL);
    if (isinf(*value))
        return NUMBER_OUT_OF_RANGE;
    digits += strspn(digits, "0");
    snprintf(exact, sizeof exact, "%.0f", fabs(*value));
    return *value == 0.0 || strcmp(exact, digits) == 0 ? NUMBER_READ : NUMBER_NOT_EXACT;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

enum number_fault file_number_real(const char *text, size_t length, double *value)
{
    char copied[COPY_BYTES];
    struct copy c = {text, text + length, copied};
    if (length > TEXT_LINE_MAX)
        return NUMBER_INVALID;
    copy_sign(&c);
    size_t left = (size_t)(c.end - c.text);
    bool negative = c.to > copied && copied[0] == '-';
    bool is_nan = is_word(c.text, left, "nan");
    if (is_nan || is_word(c.text, left, "inf") || is_word(c.text, left, "infinity")) {
        *value = is_nan ? NAN : negative ? -INFINITY : INFINITY;
        return NUMBER_READ;
    }
    if (!copy_fraction(&c) || !copy_exponent(&c))
        return NUMBER_INVALID;
    *c.to = '\0';
    errno = 0;
    *value = strtod(copied, NULL);
    bool underflows = *value == 0.0 && errno == ERANGE;
    return isinf(*value) || underflows ? NUMBER_OUT_OF_RANGE : NUMBER_READ;
}

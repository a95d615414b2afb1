/* SPDX-License-Identifier: BSD-3-Clause
 * Line by line: the banner, the size line, then one entry on each line; comments and blank lines may be
 * anywhere between them. */
#include "common/matrix/matrix_market.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/number_list.h"
#include "common/base/sizes.h"
#include "common/machine/host.h"
#include "common/matrix/file_number.h"
#include "common/matrix/text_file.h"

enum { SKIPPED_MAX = 1000000 }; /* comments and blank lines, so that no pipe sends them for ever */

/* What the banner says. */
struct form {
    bool coordinate; /* else array */
    bool integer, pattern;
    bool symmetric; /* skew-symmetric matrices too */
    bool skew;
};

struct reader {
    const char *path;
    struct text_file file;
    size_t next;    /* the first character of the line that is not read yet */
    size_t skipped; /* comments and blank lines */
    struct form form;
    size_t size_line; /* its number */
    size_t entries;
    bool below, above; /* entries of a symmetric matrix, off the diagonal */
    struct refusal *refusal;
};

/* A word of the current line. */
struct word {
    const char *text;
    size_t length, column;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word; its length is 0 at the end of the line. */
static struct word next_word(struct reader *r)
{
    const struct text_file *file = &r->file;
    while (r->next < file->length && is_blank(file->text[r->next]))
        r->next++;
    struct word word = {file->text + r->next, 0, r->next + 1};
    while (r->next < file->length && !is_blank(file->text[r->next]))
        r->next++;
    word.length = (size_t)(file->text + r->next - word.text);
    return word;
}

static bool refuse_here(struct reader *r, struct word word, const char *what)
{
    return refuse(r->refusal, POLLUX_USAGE, "%s, line %zu, column %zu: %s", r->path, r->file.line,
                  word.column, what);
}

/* "PATH, line L, column C: WORD is WHAT". */
static bool refuse_word(struct reader *r, struct word word, const char *what)
{
    enum { SHOWN = 40 };
    char shown[SHOWN + 1] = "";
    if (word.length == 0)
        return refuse_here(r, word, "a word is missing here");
    for (size_t i = 0; i < word.length && i < SHOWN; i++)
        shown[i] = isprint((unsigned char)word.text[i]) ? word.text[i] : '?';
    return refuse(r->refusal, POLLUX_USAGE, "%s, line %zu, column %zu: '%s%s' %s", r->path,
                  r->file.line, word.column, shown, word.length > SHOWN ? "..." : "", what);
}

/* The next line that is neither blank nor a comment. */
static bool next_line(struct reader *r, bool *found)
{
    while (r->skipped <= SKIPPED_MAX) {
        if (!text_file_line(&r->file, found, r->refusal))
            return false;
        r->next = 0;
        if (!*found)
            return true;
        struct word first = next_word(r);
        r->next = 0;
        if (first.length > 0 && first.text[0] != '%')
            return true;
        r->skipped++;
    }
    return refuse(r->refusal, POLLUX_USAGE, "%s: more than %d comments and blank lines", r->path,
                  SKIPPED_MAX);
}

static bool end_of_line(struct reader *r)
{
    struct word word = next_word(r);
    return word.length == 0 || refuse_word(r, word, "is one word too many for this line");
}

static bool is_word(struct word word, const char *text)
{
    return word.length == strlen(text) && strncasecmp(word.text, text, word.length) == 0;
}

static bool read_field(struct reader *r)
{
    struct word field = next_word(r);
    r->form.integer = is_word(field, "integer");
    r->form.pattern = is_word(field, "pattern");
    if (is_word(field, "complex"))
        return refuse_word(r, field, "numbers are not supported: a real matrix is needed");
    if (r->form.pattern && !r->form.coordinate)
        return refuse_word(r, field, "needs the form coordinate");
    return is_word(field, "real") || r->form.integer || r->form.pattern ||
           refuse_word(r, field, "is unknown: real, integer and pattern are possible");
}

static bool read_symmetry(struct reader *r)
{
    struct word symmetry = next_word(r);
    r->form.skew = is_word(symmetry, "skew-symmetric");
    r->form.symmetric =
        r->form.skew || is_word(symmetry, "symmetric") || is_word(symmetry, "hermitian");
    if (r->form.skew && r->form.pattern)
        return refuse_word(r, symmetry, "does not go with pattern");
    return r->form.symmetric || is_word(symmetry, "general") ||
           refuse_word(r, symmetry,
                       "is unknown: general, symmetric and skew-symmetric are possible");
}

static bool read_banner(struct reader *r)
{
    bool found = false;
    if (!text_file_line(&r->file, &found, r->refusal))
        return false;
    r->next = 0;
    if (!found || !is_word(next_word(r), "%%MatrixMarket"))
        return refuse(r->refusal, POLLUX_USAGE,
                      "%s is not a Matrix Market file: its first line must begin with "
                      "%%%%MatrixMarket",
                      r->path);
    struct word object = next_word(r), format;
    if (!is_word(object, "matrix"))
        return refuse_word(r, object, "is unknown: a matrix is needed");
    format = next_word(r);
    r->form.coordinate = is_word(format, "coordinate");
    if (!r->form.coordinate && !is_word(format, "array"))
        return refuse_word(r, format, "is unknown: coordinate and array are possible");
    return read_field(r) && read_symmetry(r) && end_of_line(r);
}

/* A count in [0, most]; `of` names it. */
static bool read_count(struct reader *r, size_t most, const char *of, size_t *value)
{
    struct word word = next_word(r);
    char what[128];
    if (word.length == 0) {
        snprintf(what, sizeof what, "the number of %s is missing", of);
        return refuse_here(r, word, what);
    }
    enum number_fault fault = file_number_count(word.text, word.length, most, value);
    if (fault == NUMBER_READ)
        return true;
    if (fault == NUMBER_OUT_OF_RANGE)
        snprintf(what, sizeof what, "%s are too many: at most %zu are allowed here", of, most);
    else
        snprintf(what, sizeof what, "is not a number of %s", of);
    return refuse_word(r, word, what);
}

/* The entries that the size implies. */
static size_t array_entries(const struct form *form, size_t m, size_t n)
{
    if (!form->symmetric)
        return m * n;
    return form->skew ? n * (n - 1) / 2 : n * (n + 1) / 2;
}

static bool read_size(struct reader *r, struct dense_matrix *matrix)
{
    bool found = false;
    if (!next_line(r, &found))
        return false;
    if (!found)
        return refuse(r->refusal, POLLUX_USAGE, "%s ends before the line with its size", r->path);
    r->size_line = r->file.line;
    if (!read_count(r, NUMBER_MAX, "rows", &matrix->m) ||
        !read_count(r, NUMBER_MAX, "columns", &matrix->n))
        return false;
    if (matrix->m == 0 || matrix->n == 0)
        return refuse(r->refusal, POLLUX_USAGE,
                      "%s is empty: at least one row and column are needed", r->path);
    if (r->form.symmetric && matrix->m != matrix->n)
        return refuse(r->refusal, POLLUX_USAGE,
                      "%s, line %zu: a symmetric matrix is square, and this one is %zu x %zu",
                      r->path, r->size_line, matrix->m, matrix->n);
    if (!r->form.coordinate)
        r->entries = array_entries(&r->form, matrix->m, matrix->n);
    else if (!read_count(r, larger(matrix->m * matrix->n, NUMBER_MAX), "entries", &r->entries))
        return false;
    return end_of_line(r);
}

/* Zeros. */
static bool allocate(struct reader *r, struct dense_matrix *matrix)
{
    double bytes = (double)matrix->m * (double)matrix->n * (double)sizeof(double);
    double available = (double)host_available_bytes();
    if (bytes > available) {
        refuse(r->refusal, POLLUX_MACHINE,
               "%s: %zu x %zu makes %.1f GiB when dense, and %.1f GiB are free", r->path, matrix->m,
               matrix->n, bytes / 0x1p30, available / 0x1p30);
        return false;
    }
    matrix->elements = calloc(larger(matrix->m * matrix->n, 1), sizeof *matrix->elements);
    if (!matrix->elements) {
        refuse(r->refusal, POLLUX_MACHINE, "%s: no memory for %zu x %zu", r->path, matrix->m,
               matrix->n);
        return false;
    }
    return true;
}

/* An index from 1 to `most`, returned from 0. */
static bool read_index(struct reader *r, size_t most, const char *of, size_t *index)
{
    struct word word = next_word(r);
    char what[128];
    if (word.length > 0 && file_number_count(word.text, word.length, most, index) == NUMBER_READ &&
        (*index)-- > 0)
        return true;
    snprintf(what, sizeof what, "is not a %s from 1 to %zu", of, most);
    return refuse_word(r, word, what);
}

static bool read_value(struct reader *r, double *value)
{
    *value = 1.0;
    if (r->form.pattern)
        return true;
    struct word word = next_word(r);
    if (word.length == 0)
        return refuse_here(r, word, "a value is missing");
    switch (r->form.integer ? file_number_integer(word.text, word.length, value)
                            : file_number_real(word.text, word.length, value)) {
    case NUMBER_READ:
        return true;
    case NUMBER_OUT_OF_RANGE:
        return refuse_word(r, word, "is beyond the range of double precision");
    case NUMBER_NOT_EXACT:
        return refuse_word(r, word, "cannot be represented exactly in double precision");
    case NUMBER_INVALID:
    default:
        return refuse_word(r, word, r->form.integer ? "is not an integer" : "is not a number");
    }
}

/* The place of the next entry of an array: down the columns, from the diagonal on where the matrix
 * is symmetric. */
static void advance(const struct reader *r, size_t m, size_t *i, size_t *j)
{
    if (++*i < m)
        return;
    ++*j;
    *i = r->form.skew ? *j + 1 : r->form.symmetric ? *j : 0;
}

static bool check_triangle(struct reader *r, struct word start, size_t i, size_t j, double value)
{
    if (r->form.skew && i == j && value != 0.0)
        return refuse_here(r, start, "the diagonal of a skew-symmetric matrix is zero");
    r->below = r->below || i > j;
    r->above = r->above || i < j;
    if (r->below && r->above)
        return refuse_here(r, start,
                           "an entry of the other triangle than those before: a symmetric matrix "
                           "lists one");
    return true;
}

static bool read_coordinates(struct reader *r, const struct dense_matrix *matrix, size_t *i,
                             size_t *j)
{
    return read_index(r, matrix->m, "row", i) && read_index(r, matrix->n, "column", j);
}

static void store(const struct form *form, struct dense_matrix *matrix, size_t i, size_t j,
                  double value)
{
    matrix->elements[i + j * matrix->m] += value;
    if (form->symmetric && i != j)
        matrix->elements[j + i * matrix->m] += form->skew ? -value : value;
}

static bool read_entries(struct reader *r, struct dense_matrix *matrix)
{
    size_t i = r->form.skew ? 1 : 0, j = 0;
    for (size_t entry = 0; entry < r->entries; entry++) {
        bool found = false;
        double value = 0.0;
        if (!next_line(r, &found))
            return false;
        if (!found)
            return refuse(r->refusal, POLLUX_USAGE, "%s ends after %zu of %zu entries", r->path,
                          entry, r->entries);
        struct word start = next_word(r);
        r->next = 0;
        if ((r->form.coordinate && !read_coordinates(r, matrix, &i, &j)) ||
            !read_value(r, &value) || !end_of_line(r))
            return false;
        if (r->form.coordinate && r->form.symmetric && !check_triangle(r, start, i, j, value))
            return false;
        store(&r->form, matrix, i, j, value);
        if (!r->form.coordinate)
            advance(r, matrix->m, &i, &j);
    }
    return true;
}

static bool read_end(struct reader *r)
{
    bool found = false;
    if (!next_line(r, &found))
        return false;
    return !found || refuse(r->refusal, POLLUX_USAGE,
                            "%s, line %zu: more than the %zu entries that line %zu announces",
                            r->path, r->file.line, r->entries, r->size_line);
}

bool matrix_market_parse(const char *path, struct dense_matrix *matrix, struct refusal *refusal)
{
    struct reader *r = calloc(1, sizeof *r);
    *matrix = (struct dense_matrix){0};
    if (!r)
        return refuse(refusal, POLLUX_MACHINE, "no memory");
    r->path = path;
    r->refusal = refusal;
    bool read = false;
    if (text_file_open(&r->file, path, TEXT_PATIENCE_MS, refusal)) {
        read = read_banner(r) && read_size(r, matrix) && allocate(r, matrix) &&
               read_entries(r, matrix) && read_end(r);
        text_file_close(&r->file);
    }
    free(r);
    if (!read)
        matrix_market_free(matrix);
    return read;
}

struct dense_matrix matrix_market_read(const char *path)
{
    struct dense_matrix matrix;
    struct refusal refusal;
    if (!matrix_market_parse(path, &matrix, &refusal))
        message_fatal(refusal.status, "%s", refusal.text);
    return matrix;
}

bool dense_matrix_is_symmetric(const struct dense_matrix *matrix)
{
    if (matrix->m != matrix->n)
        return false;
    for (size_t j = 0; j < matrix->n; j++)
        for (size_t i = j + 1; i < matrix->m; i++) {
            double below = matrix->elements[i + j * matrix->m];
            double above = matrix->elements[j + i * matrix->m];
            if (below != above && !(isnan(below) && isnan(above)))
                return false;
        }
    return true;
}

double dense_matrix_largest(const struct dense_matrix *matrix)
{
    double largest = 0.0;
    for (size_t k = 0; k < matrix->m * matrix->n && !isnan(largest); k++)
        if (!(fabs(matrix->elements[k]) <= largest))
            largest = fabs(matrix->elements[k]);
    return largest;
}

void matrix_market_free(struct dense_matrix *matrix)
{
    free(matrix->elements);
    matrix->elements = NULL;
}

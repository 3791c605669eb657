/** Patterns of texts in requests, and what they are in words: an expression says nothing to a person. */

export const timestampPattern =
  '^(\\d{1,15}|\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])([T ]([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?(Z|[+-]([01]\\d|2[0-3]):?[0-5]\\d)?)?)$'

export const localePattern = '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,4}$'
export const timeOfDayPattern = '^([01][0-9]|2[0-3]):[0-5][0-9]$'
export const visibleAsciiPattern = '^[!-~]+$'
export const httpUrlPattern = '^https?://'
export const snippetNamePattern = '^[A-Za-z_][\\w-]{0,63}$'
/** Neither `.` nor `..`, without look-ahead, which generators of values do not read. */
export const newIdPattern = '^(\\.{0,2}[^.\\u0000-\\u001f\\u007f]|\\.{3})[^\\u0000-\\u001f\\u007f]*$'
export const pageNamePattern = '^[a-z][a-z0-9-]{0,63}$'

/** Each pattern of text in the API, after "must". */
export const patternDescriptions: Readonly<Record<string, string>> = {
  [timestampPattern]: 'be a timestamp: ISO 8601, or milliseconds since the Unix epoch',
  [localePattern]: 'be a locale such as `de`, `pt-BR` or `sr-Latn`',
  [timeOfDayPattern]: 'be a time of day such as `08:30`',
  [visibleAsciiPattern]: 'have ASCII characters without spaces',
  [httpUrlPattern]: 'begin with http:// or https://',
  [snippetNamePattern]: 'begin with a letter or `_`, and have letters, digits, `_` and `-`, at most 64',
  [newIdPattern]: 'have no control characters, and be neither `.` nor `..`',
  [pageNamePattern]: 'begin with a small letter, and have small letters, digits and `-`, at most 64',
}

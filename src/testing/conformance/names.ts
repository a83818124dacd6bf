/**
 * Names that a storage may get wrong, and how many there are at most.
 */

/** More than any test here writes: a storage that gives a page again and again is found out. */
export const MOST_NAMES = 5000

/** In byte order. Beyond the BMP and below its end, the order of bytes and that of UTF-16 units part ways. */
export const ODD_KEYS: readonly string[] = [
  '\0',
  '\0\0',
  '\u0001',
  ' leading space',
  '!',
  '%',
  '%_',
  '..',
  './a',
  '0',
  'A',
  'Z',
  '\\',
  '_',
  'a',
  'a\0',
  'a\0b',
  'a b',
  'a"b',
  "a'b",
  'a/',
  'a//b',
  'e\u0301',
  'z',
  '~',
  '\u007f',
  '\u00e4',
  '\u00e9',
  '\u0416',
  '\u2028',
  '\ud7ff',
  '\ue000',
  '\ufb01',
  '\uffee',
  '\uffee\u{1f511}',
  '\u{10000}',
  '\u{1f511}',
  '\u{1f511}\uffee',
  '\u{1f511}\u{1f511}',
  '\u{10fffd}',
]

/** More names than any test writes. A longer result means that the storage repeats pages. */
export const MAX_NAMES = 5000

/**
 * Keys with special characters, in byte order. The order of UTF-8 bytes differs from that of UTF-16 code units for characters outside the BMP compared
 * with those from U+E000 to U+FFFF.
 */
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

/**
 * A limit for listed names, higher than the number of names that any test writes. It ends the test if the storage returns the same pages
 * again and again.
 */
export const MAX_NAMES = 5000

/**
 * Keys with special characters, in the order of their UTF-8 bytes. The order by UTF-16 code units would be different: it places characters
 * outside the BMP before the characters from U+E000 to U+FFFF.
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

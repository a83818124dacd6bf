/**
 * Byte order of UTF-8 for JavaScript strings. The byte order of UTF-8 is the order of code points, whereas JavaScript compares strings by
 * UTF-16 code units. The two orders differ only when a code point above U+FFFF, which UTF-16 writes as two surrogates, is compared with one
 * from U+E000 to U+FFFF.
 */

const HIGH = /[\ud800-\uffff]/
const ALL_HIGH = /[\ud800-\uffff]/g

const lift = (unit: string): string => {
  const code = unit.charCodeAt(0)
  return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800)
}

const lower = (unit: string): string => {
  const code = unit.charCodeAt(0)
  return String.fromCharCode(code < 0xf800 ? code + 0x800 : code - 0x2000)
}

/**
 * Converts a string to a sortable form of the same length. For sortable forms, `<` is the byte order of the original strings' UTF-8. Code
 * units are mapped one by one, so prefixes, slices and searches work on sortable forms, too. Nearly every key equals its sortable form.
 */
export const toSortable = (text: string): string => (HIGH.test(text) ? text.replace(ALL_HIGH, lift) : text)

/** The inverse of {@link toSortable}. */
export const fromSortable = (sortable: string): string => (HIGH.test(sortable) ? sortable.replace(ALL_HIGH, lower) : sortable)

/** A comparator for `sort`, in the order in which a storage lists its keys. */
export function compareKeys(a: string, b: string): number {
  const left = toSortable(a)
  const right = toSortable(b)
  return left < right ? -1 : left > right ? 1 : 0
}

/**
 * Byte order of UTF-8 for JavaScript strings. UTF-8 compares like code points, and strings compare like UTF-16 code units. The two differ
 * only in comparisons of surrogates (code points above U+FFFF) with U+E000 to U+FFFF.
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
 * A string of the same length for which `<` is the byte order of the original's UTF-8. It maps code units one by one, so prefixes, slices
 * and searches work on both forms alike. Nearly every key equals its sortable form.
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

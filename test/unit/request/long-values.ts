/** Long JSON texts and large values: worst cases for a parser that works in slices. */

/** A text of about `length` bytes: `head`, then `unit(0)`, `unit(1)`, ..., then `tail`. */
function text(length: number, head: string, unit: (i: number) => string, tail: string): Uint8Array {
  const out = Buffer.alloc(length)
  let at = out.write(head)
  for (let i = 0; ; i++) {
    const next = unit(i)
    if (at + next.length > length - 32) break
    at += out.write(next, at, 'latin1')
  }
  at += out.write(tail, at, 'latin1')
  return out.subarray(0, at)
}

export type LongText = readonly [name: string, make: (length: number) => Uint8Array]

/** Texts with one long value or a few long values. */
export const FEW_VALUES: readonly LongText[] = [
  ['one string', (length) => text(length, '"', () => 'x'.repeat(1000), '"')],
  ['one string of escapes', (length) => text(length, '"', () => '\\n\\ud83d', '"')],
  ['one string without an end', (length) => text(length, '"', () => 'x'.repeat(1000), '')],
  ['one member name', (length) => text(length, '{"', () => 'abcd', '":1}')],
  ['white space', (length) => text(length, '', () => ' \n', '')],
  ['white space after the value', (length) => text(length, '0', () => ' \n', 'x')],
  ['opening brackets', (length) => text(length, '', () => '[', '')],
  ['one number', (length) => text(length, '', () => '9', '')],
  ['one fraction', (length) => text(length, '0.', () => '0', '1')],
  ['long integers', (length) => text(length, '[', () => `${'9'.repeat(300)},`, '0]')],
  ['long names of one length', (length) => text(length, '{', (i) => `"${'n'.repeat(16_390)}${1000 + i}":0,`, '"":0}')],
]

/** Texts with very many values or members. */
export const MANY_VALUES: readonly LongText[] = [
  ['zeros', (length) => text(length, '[', () => '0,', '0]')],
  ['empty objects', (length) => text(length, '[', () => '{},', '0]')],
  ['empty arrays', (length) => text(length, '[', () => '[],', '0]')],
  ['objects with a name each', (length) => text(length, '[', (i) => `{"k${i}":0},`, '0]')],
  ['one name again and again', (length) => text(length, '{', () => '"k":0,', '"":0}')],
  ['distinct names', (length) => text(length, '{', (i) => `"k${i}":0,`, '"":0}')],
  ['numeric names, descending', (length) => text(length, '{', (i) => `"${21_000_000 - i * 7}":0,`, '"":0}')],
  ['doubles', (length) => text(length, '[', (i) => `${i}.123456789,`, '0]')],
  ['strings', (length) => text(length, '[', () => '"ab",', '0]')],
]

export type LargeValue = readonly [name: string, make: (length: number) => unknown]

/** Values whose JSON text has about `length` bytes or more. */
export const LARGE_VALUES: readonly LargeValue[] = [
  ['numbers', (length) => new Array(length / 2 - 10).fill(0)],
  ['objects', (length) => Array.from({ length: length / 16 }, (_, i) => ({ i }))],
  ['one array again and again', () => Array.from({ length: 40 }).reduce((inner: unknown) => [inner, inner], [])],
  ['an array without elements', () => new Array(4_000_000_000)],
]

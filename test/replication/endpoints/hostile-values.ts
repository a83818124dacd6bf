/** Hostile values by the type of a field. */

const nested = (depth: number): unknown => {
  let value: unknown = 'x'
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value }
  return value
}

export type Value = readonly [what: string, value: unknown]

/** Values whose type no field accepts. */
export const WRONG: readonly Value[] = [
  ['an object', { a: 1 }],
  ['nesting', nested(90)],
  ['deep nesting', nested(5000)],
  ['lists in lists', [[['a']]]],
  ['prototype members', JSON.parse('{"__proto__":{"a":1},"constructor":"a","toString":"b"}')],
]

const TEXTS: readonly Value[] = [
  ['an empty text', ''],
  ['NUL', 'a\0b'],
  ['a line', 'a\r\nX-Service-Token: b'],
  ['a lone surrogate', 'a\ud800'],
  ['a path', '../../etc/passwd'],
  ['a million characters', 'x'.repeat(1_000_000)],
  ['a million brackets', '['.repeat(1_000_000)],
  ['dots', '.'.repeat(65_000)],
  ['an empty JWT', 'e30.e30.e30'],
  ['a JWT with null claims', 'e30.bnVsbA.e30'],
  ['a JWT with list claims', `e30.${Buffer.from('[[[]]]').toString('base64url')}.e30`],
  ['a JWT with nested claims', `e30.${Buffer.from('['.repeat(30_000)).toString('base64url')}.e30`],
  ['a JWT with a zero key', jwt({ addr: 'a', key: '00'.repeat(32) })],
  ['a JWT with a key of small order', jwt({ addr: 'a', key: `01${'00'.repeat(31)}` })],
  ['a JWT with a long address', jwt({ addr: 'a'.repeat(40_000), key: '09'.repeat(32) })],
  ['a JWT with no address', jwt({ addr: '', key: '09'.repeat(32) })],
  ['an empty envelope', 'strongroom-replication.'],
  ['a large envelope', `strongroom-replication.${'A'.repeat(65_000)}`],
  ['a word', 'perhaps'],
]

const LARGE = 'A'.repeat(1_000_000)

export const HUGE_TOKENS = [LARGE, `strongroom-replication.${LARGE}`, `e30.${LARGE}.e30`]

const NUMBERS: readonly Value[] = [
  ['a negative number', -1],
  ['a large negative number', -1e300],
  ['a number of 400 digits', '1'.repeat(400)],
  ['NaN as text', 'NaN'],
  ['a fraction', 0.5],
  ['a huge text', '9h'.repeat(100_000)],
]

const LISTS: readonly Value[] = [
  ['many items', new Array<string>(10_000).fill('a')],
  ['very many items', new Array<string>(200_000).fill('a')],
  ['a long item', ['x'.repeat(1_000_000)]],
  ['empty items', ['', '']],
  ['a list of objects', [{ a: 1 }]],
  ['commas', ','.repeat(100_000)],
]

export function jwt(claims: object): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.e30`
}

export const hostileFor = (type: unknown): readonly Value[] => {
  if (type === 'array') return [...WRONG.filter(([what]) => what !== 'lists in lists'), ...LISTS]
  if (type === 'integer') return [...WRONG, ...NUMBERS]
  if (type === 'boolean') return [...WRONG, ['a word', 'perhaps'], ['a number', 7]]
  return [...WRONG, ...TEXTS]
}

/** Values that nobody should send, by the type of a field. */

const nested = (depth: number): unknown => {
  let value: unknown = 'x'
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value }
  return value
}

export type Value = readonly [what: string, value: unknown]

/** Of a type that no field here has. */
export const WRONG: readonly Value[] = [
  ['an object', { a: 1 }],
  ['nesting', nested(90)],
  ['deep nesting', nested(5000)],
  ['lists in lists', [[['a']]]],
  ['members of a prototype', JSON.parse('{"__proto__":{"a":1},"constructor":"a","toString":"b"}')],
]

const TEXTS: readonly Value[] = [
  ['nothing', ''],
  ['NUL', 'a\0b'],
  ['a line', 'a\r\nX-Service-Token: b'],
  ['half of a pair', 'a\ud800'],
  ['a path', '../../etc/passwd'],
  ['a million characters', 'x'.repeat(1_000_000)],
  ['a million brackets', '['.repeat(1_000_000)],
  ['dots', '.'.repeat(65_000)],
  ['a JWT of nothing', 'e30.e30.e30'],
  ['a JWT of null', 'e30.bnVsbA.e30'],
  ['a JWT of a list', `e30.${Buffer.from('[[[]]]').toString('base64url')}.e30`],
  ['a JWT that is nested', `e30.${Buffer.from('['.repeat(30_000)).toString('base64url')}.e30`],
  ['a JWT with a key that agrees with nobody', jwt({ addr: 'a', key: '00'.repeat(32) })],
  ['a JWT with a key of small order', jwt({ addr: 'a', key: `01${'00'.repeat(31)}` })],
  ['a JWT with a long address', jwt({ addr: 'a'.repeat(40_000), key: '09'.repeat(32) })],
  ['a JWT with no address', jwt({ addr: '', key: '09'.repeat(32) })],
  ['an envelope of nothing', 'strongroom-replication.'],
  ['a large envelope', `strongroom-replication.${'A'.repeat(65_000)}`],
  ['a word', 'perhaps'],
]

const LARGE = 'A'.repeat(1_000_000)

export const HUGE_TOKENS = [LARGE, `strongroom-replication.${LARGE}`, `e30.${LARGE}.e30`]

const NUMBERS: readonly Value[] = [
  ['below zero', -1],
  ['far below zero', -1e300],
  ['more than a number', '1'.repeat(400)],
  ['no number', 'NaN'],
  ['a part', 0.5],
  ['a huge text', '9h'.repeat(100_000)],
]

const LISTS: readonly Value[] = [
  ['many', new Array<string>(10_000).fill('a')],
  ['very many', new Array<string>(200_000).fill('a')],
  ['a long one', ['x'.repeat(1_000_000)]],
  ['empty ones', ['', '']],
  ['of objects', [{ a: 1 }]],
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

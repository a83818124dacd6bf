/**
 * Requests of every operation with unusual values in every field, header and part of the path. They are generated from the operation
 * definitions, so new operations are included automatically.
 */

import { PathSpelling } from '../../src/core/contract/path-spelling.ts'
import { jsonText } from '../../src/core/json/json-text.ts'
import { anyCharacter } from '../fixtures/any-character.ts'
import { capturesOf, EVERY_OPERATION, type Known } from '../fixtures/every-operation.ts'
import fc from '../fixtures/fast-check.ts'

export interface Hostile {
  readonly title: string
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
  readonly body: unknown
  /** Index of the token that sends the request. */
  readonly token: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
}

/** Operations that would end the run for all other requests, or that create keys that take seconds. */
const LEFT_OUT = /wrapping_key|import|^\/seal$|^\/step-down$/

/** Mostly names of existing objects. */
const word = fc.constantFrom(
  ...[
    'a',
    'b',
    'ns1',
    'root',
    'default',
    'some',
    'secret',
    'secret/',
    'auth/token',
    'sys',
    'kv',
    'transit',
    'service',
    'batch',
    'system',
  ],
  ...[
    '__proto__',
    'constructor',
    'x.',
    '-x',
    '..',
    '.',
    '',
    '/',
    '//',
    'a//b',
    '../a',
    './a',
    'a/..',
    '+',
    '*',
    '+*',
    '%',
    '%00',
    '%2e%2e',
    '?',
    '#',
  ],
  ...[
    '{{identity.entity.id}}',
    '1h',
    '-1',
    '0',
    '2',
    '1e400',
    '10.0.0.0/8',
    '::1/129',
    'true',
    'unauth',
    'latest',
    'sha2-256',
    'ed25519',
  ],
  ...[
    'path "a" { capabilities = ["read"] }',
    '{"path":{"a":{"capabilities":["deny"]}}}',
    'path "',
    'length = 8',
    'a=b',
    'a,b,,',
    'YQ==',
  ],
  ...[
    '\ud800',
    'a\udc00',
    '\udfff\ud800',
    'a\0b',
    '\n',
    '\u007f',
    '\u202e',
    'é',
    '\u{1f511}',
    '-----BEGIN PUBLIC KEY-----\nAA\n-----END PUBLIC KEY-----',
  ],
  ...['strongroom:v1:AAAA', 'strongroom:v99999999999:', 's.', 'b.AAAA', 'a.b.c', 'e30.e30.e30'],
)
/** Near the maximum length of a record key. */
const long = fc
  .tuple(fc.integer({ min: 1700, max: 2000 }), fc.constantFrom('x', 'a/', 'é', '/', '.', '\0', ' ', '0', ','))
  .map(([bytes, unit]) => unit.repeat(bytes / unit.length))
const large = fc
  .tuple(fc.constantFrom(3000, 40_000, 200_000), fc.constantFrom('x', '/', ' ', ',', '=', '.', '{{', '"', '\\'))
  .map(([length, unit]) => unit.repeat(length))

const text = fc.oneof(
  { weight: 20, arbitrary: word },
  { weight: 6, arbitrary: fc.string({ unit: anyCharacter }) },
  { weight: 5, arbitrary: long },
  { weight: 1, arbitrary: large },
)
const scalar = fc.oneof(
  { weight: 8, arbitrary: text },
  { weight: 1, arbitrary: fc.integer() },
  { weight: 1, arbitrary: fc.double() },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.bigInt() },
)
const nested = (depth: number, inside: unknown): unknown => {
  let value = inside
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value }
  return value
}
const deep = fc.tuple(fc.constantFrom(20, 500, 9_000, 11_000), scalar).map(([depth, inside]) => nested(depth, inside))
const wide = fc
  .tuple(fc.constantFrom(300, 5_000, 20_000), fc.boolean(), fc.oneof(word, fc.constantFrom(null, 0, true)))
  .map(([count, list, one]) =>
    list ? Array(count).fill(one) : Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, one])),
  )
const value = fc.oneof(
  { weight: 20, arbitrary: scalar },
  { weight: 6, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  { weight: 6, arbitrary: fc.dictionary(text, scalar, { maxKeys: 4 }) },
  { weight: 3, arbitrary: fc.jsonValue() },
  { weight: 1, arbitrary: deep },
  { weight: 1, arbitrary: wide },
)

/** Encoded as clients do, with literal slashes, or not encoded at all. */
const inPath = fc.tuple(text, fc.constantFrom('encoded', 'encoded', 'encoded', 'slashes', 'raw')).map(([part, how]) => {
  if (how === 'raw' || /\p{Surrogate}/u.test(part)) return part
  return how === 'slashes' ? part.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(part)
})

const headers = fc.record(
  {
    'X-Service-Namespace': fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('ns1', 'ns1/', 'ns1/deep', 'root', 'none', '/') },
      { weight: 1, arbitrary: text },
    ),
    'X-Service-Wrap-TTL': fc.oneof({ weight: 3, arbitrary: fc.constantFrom('60', '1h', '0') }, { weight: 1, arbitrary: text }),
    'X-Service-Wrap-Format': fc.oneof(fc.constant('jwt'), text),
    'X-Service-Index': fc.oneof(fc.constantFrom('1', '0', 'x', '-1'), text),
    'X-Service-Request': text,
    Authorization: text.map((token) => `Bearer ${token}`),
    'Content-Type': fc.oneof(fc.constant('application/x-www-form-urlencoded'), text),
    'X-Forwarded-For': fc.array(text, { maxLength: 3 }),
  },
  { requiredKeys: [] },
)

const membersOf = (known: Known) =>
  fc.dictionary(
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...Object.keys(known.fields), 'batch_input', 'other') },
      { weight: 1, arbitrary: text },
    ),
    value,
    { maxKeys: 6 },
  )

/** As a value, as its JSON text, or as a text that is not JSON. */
const bodyOf = (members: fc.Arbitrary<object>) =>
  fc.oneof(
    { weight: 6, arbitrary: members },
    { weight: 3, arbitrary: members.map(written) },
    { weight: 1, arbitrary: members.map((body) => new TextEncoder().encode(written(body).slice(1))) },
    { weight: 1, arbitrary: value },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }) },
  )

/** JSON text, also for values that are nested too deeply for `jsonText`. */
function written(body: object): string {
  try {
    return jsonText(body)
  } catch {
    return `{"a":${'['.repeat(11_000)}${']'.repeat(11_000)}}`
  }
}

const onlyTexts = (members: object): Record<string, string> =>
  Object.fromEntries(Object.entries(members).flatMap(([name, part]) => (typeof part === 'string' ? [[name, part] as const] : [])))

/** The name of the records that the last token is denied. */
export const GUARDED = 'kept'

/** The name as part of a path, in spellings that an operation or proxy could take for it. */
const guardedName = fc
  .tuple(
    fc.array(fc.constantFrom('plain', 'upper', 'kelvin', 'encoded'), { minLength: GUARDED.length, maxLength: GUARDED.length }),
    fc.constantFrom('', '', '', '', '%20', '%E2%80%8B', '/', '%2F', './'),
    fc.constantFrom('', '', '', '', '/', '%2F', '//', '%20', '.', '/.', '%00', '*', '?list=true'),
  )
  .map(([how, before, after]) => {
    const letters = how.map((kind, i) => {
      const letter = GUARDED.charAt(i)
      if (kind === 'upper') return letter.toUpperCase()
      if (kind === 'kelvin') return letter.replace('k', '%E2%84%AA')
      return kind === 'encoded' ? `%${letter.charCodeAt(0).toString(16)}` : letter
    })
    return before + letters.join('') + after
  })

/** A request for a guarded record by an operation that accepts several spellings of its path. */
function guardedRequest(token: number): fc.Arbitrary<Hostile> {
  const operations = EVERY_OPERATION.filter(({ operation }) => PathSpelling.of(operation) && /[:*+]/.test(operation.path))
  return fc.constantFrom(...operations).chain((known) =>
    fc.record({
      title: fc.constant(known.title),
      method: fc.oneof(
        { weight: 4, arbitrary: fc.constant<string>(known.operation.verb) },
        { weight: 1, arbitrary: fc.constantFrom('GET', 'PUT', 'DELETE', 'LIST', 'PATCH', 'HEAD') },
      ),
      path: fc.tuple(fc.constantFrom(known.operation.path, ...(known.operation.aliasPaths ?? [])), guardedName).map(
        ([path, name]) =>
          `/v1/${known.mount}${path
            .replaceAll(/[()]/g, '')
            .replaceAll(/[:*+]\w+/g, name)
            .slice(1)}`,
      ),
      query: fc.constant({}),
      body: fc.constantFrom(
        { policy: 'path "a" { capabilities = ["read"] }' },
        { type: 'kv' },
        { description: 'changed' },
        { bound_service_account_names: ['other'] },
      ),
      token: fc.constant(token),
      headers: fc.constantFrom({}, {}, { 'X-Service-Wrap-TTL': '60' }, { 'X-Service-Namespace': 'root' }),
    }),
  )
}

/**
 * @param tokens The number of tokens. The first has all permissions and is used most often; the last is denied the guarded records.
 */
export function hostileRequest(tokens: number): fc.Arbitrary<Hostile> {
  const operations = EVERY_OPERATION.filter(({ operation }) => !LEFT_OUT.test(operation.path))
  const any = fc.constantFrom(...operations).chain((known) => {
    const { operation, mount, title } = known
    const captures = capturesOf(known).length
    return fc.record({
      title: fc.constant(title),
      method: fc.oneof(
        { weight: 8, arbitrary: fc.constant<string>(operation.verb) },
        {
          weight: 1,
          arbitrary: fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'LIST', 'PATCH', 'HEAD', 'OPTIONS', 'HELP', 'BREW'),
        },
      ),
      path: fc
        .tuple(
          fc.constantFrom('', '', '', 'ns1/', 'ns1/deep/'),
          fc.array(inPath, { minLength: captures, maxLength: captures }),
          fc.constantFrom('', '', '', '/', '?a=b'),
        )
        .map(([inside, parts, end]) => {
          const left = [...parts]
          const below = operation.path.replaceAll(/[()]/g, '').replaceAll(/[:*+]\w+/g, () => left.pop() ?? '')
          return `/v1/${inside}${mount}${below.slice(1)}${end}`
        }),
      query: membersOf(known).map(onlyTexts),
      body: bodyOf(membersOf(known)),
      token: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 5, arbitrary: fc.nat(tokens - 1) }),
      headers: fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, { weight: 3, arbitrary: headers }),
    })
  })
  return fc.oneof({ weight: 9, arbitrary: any }, { weight: 1, arbitrary: guardedRequest(tokens - 1) })
}

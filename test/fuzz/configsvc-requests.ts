/**
 * Random requests to the configuration service with any token. One token has all permissions for services except one, whose entries it must
 * not reach under any spelling.
 */
import { expect } from 'vitest'
import { type ConfigEntryInput, createConfigService, type OwnConfigService } from '../../src/config-service.ts'
import type { AnyConfigOperation } from '../../src/configsvc/operation.ts'
import { ROUTED_OPERATIONS } from '../../src/configsvc/operations.ts'
import { jsonText } from '../../src/core/json/json-text.ts'
import type { KernelResponse, Storage } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { ROOT } from '../fixtures/configsvc.ts'
import { BEFORE, DERIVED, ENTRY_OF_EACH_KIND } from '../fixtures/entry-of-each-kind.ts'
import fc from '../fixtures/fast-check.ts'
import { P256, spkiPem, token } from '../unit/core/jwt/tokens.ts'

const OPERATIONS: readonly AnyConfigOperation[] = Object.values(ROUTED_OPERATIONS)
const NAMES = ['a', 'b', 'A', 'web', 'builtin/service', 'builtin/node', 'global-management', 'default', 'ns1']

/** The service that the token GUARDED must not reach. */
const DENIED = 'kiosk'

/** The SecretID of the restricted token. */
const GUARDED = '6a1d0000-1111-4222-8333-444455556666'

/** Part of each entry of the denied service, and of nothing else. */
const MARKER = 'only-for-those-who-may-read-the-kiosk'

/** Kinds whose entries belong to the service of the same name. */
const OF_SERVICES = ['service-defaults', 'service-router', 'service-splitter', 'service-resolver', 'service-intentions'] as const

/** Spellings of the denied service, and similar names that decoding, trimming or case mapping could confuse with it. */
const SPELLINGS = [
  DENIED,
  'KIOSK',
  'Kiosk',
  '\u212Aiosk',
  'KIO\u017FK',
  'k\u0130osk',
  'k\u0131osk',
  'kiosk ',
  ' kiosk',
  'kiosk.',
  'kiosk/',
  'kiosk/.',
  'kiosk%20',
  '%6Biosk',
  'kiosk\0',
  'kiosk*',
]
const PEM = spkiPem(P256)

export const clock = fakeClock()

const KNOWN_IDS = ['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002', ROOT]

/** IDs, AccessorIDs and SecretIDs of existing and deleted objects of the service. */
let ids: string[] = []

/** Opens a service with some objects of each kind. Generated requests use the ids of the service that was opened last. */
export async function openFuzzedService(storage: Storage): Promise<OwnConfigService> {
  const service = await createConfigService({ storage, plaintext: true, clock, acl: { bootstrapToken: ROOT } })
  ids = [...KNOWN_IDS]
  await service.policies.create({ Name: 'all', Rules: 'acl = "write"' })
  for (const Name of ['a', 'b']) {
    ids.push((await service.policies.create({ Name, Rules: 'acl = "write"' })).ID)
    ids.push((await service.roles.create({ Name, Policies: [{ Name }] })).ID)
    const made = await service.tokens.create({ Roles: [{ Name }] })
    ids.push(made.AccessorID, made.SecretID)
    const Config = { JWTValidationPubKeys: [PEM], JWTSupportedAlgs: ['ES256'], ClaimMappings: { a: 'a' } }
    await service.authMethods.create({ Name, Type: 'jwt', Config })
    ids.push((await service.bindingRules.create({ AuthMethod: Name, BindType: 'service', BindName: 'a' })).ID)
  }
  await service.entries.apply([...BEFORE, { ...BEFORE[0], Name: DENIED, Meta: { note: MARKER } }] as ConfigEntryInput[])
  for (const { kind, entry } of ENTRY_OF_EACH_KIND)
    if ((OF_SERVICES as readonly string[]).includes(kind) && kind !== 'service-defaults')
      await service.entries.apply({ ...entry, Kind: kind, Name: DENIED, Meta: { note: MARKER } } as ConfigEntryInput)
  // Generated requests do not know this policy and token, so they stay unchanged.
  const Rules = `service_prefix "" { policy = "write" intentions = "write" } service "Kiosk" { policy = "deny" intentions = "deny" } mesh = "read"`
  const { ID } = await service.policies.create({ Name: 'all-but-the-kiosk', Rules })
  await service.tokens.create({ SecretID: GUARDED, Policies: [{ ID }] })
  return service
}

const id = fc.nat().map((at) => ids[at % ids.length] as string)

const piecesOf = (...pieces: string[]) => fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((all) => all.join(''))

const rules = fc.oneof(
  piecesOf(
    'key',
    '_prefix',
    ' "a" ',
    '{',
    '}',
    ' policy = "read" ',
    'intentions = "write"',
    'acl = "read"',
    '\n',
    '[',
    '"',
    '=',
    '#',
    '//',
    '/*',
  ),
  fc.constantFrom('acl = "write"', '{"key":{"a":{"policy":"read"}}}', 'service "a" { policy = "write" }', 'acl = "maybe"'),
)
const selector = piecesOf(
  'value.a',
  'list.b',
  'value',
  ' == ',
  ' != ',
  ' in ',
  ' and ',
  ' or ',
  'not ',
  '(',
  ')',
  '"a"',
  '`',
  'is empty',
  ' matches ',
  '"(a|b)*"',
  '.',
  '[',
  ']',
)
// biome-ignore lint/suspicious/noTemplateCurlyInString: these are templates of the configuration service.
const template = piecesOf('${', '}', 'value.a', 'a', '-', '$$', '"', ' + ', '(', ')', ' ? ', ' : ', '1', '${value.a}', '!', '==')
const duration = fc.constantFrom(
  '',
  '0s',
  '1h',
  '60s',
  '-1h',
  '24h',
  '25h',
  '1h1h',
  '1e9h',
  3_600_000_000_000,
  0,
  -1,
  1e300,
  '9223372036854775807ns',
)
const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 3, arbitrary: id },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '__proto__',
      'constructor',
      '*',
      '\ud800',
      'x'.repeat(300),
      '/',
      'a/b',
      'kubernetes',
      'jwt',
      'local',
    ),
  },
  { weight: 1, arbitrary: fc.string() },
)
const junk = fc.oneof(fc.jsonValue(), fc.constant(null), word)

const link = fc.record({ ID: id, Name: word }, { requiredKeys: [] })
/** Values for the member with this name. */
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  Rules: rules,
  Selector: selector,
  BindName: fc.oneof(template, word),
  BindType: fc.constantFrom('service', 'node', 'role', 'policy', 'templated-policy', 'x'),
  BindVars: fc.oneof(fc.record({ name: template }), fc.constant(null)),
  Type: fc.constantFrom('jwt', 'kubernetes', 'oidc', ''),
  Config: fc.oneof(
    fc.record({
      JWTValidationPubKeys: fc.constant([PEM]),
      JWTSupportedAlgs: fc.constant(['ES256']),
      ClaimMappings: fc.dictionary(word, word),
    }),
    fc.dictionary(fc.constantFrom('JWTValidationPubKeys', 'BoundIssuer', 'ClockSkewLeeway', 'Host', 'CACert', 'x'), junk),
  ),
  Policies: fc.array(link, { maxLength: 4 }),
  Roles: fc.array(link, { maxLength: 4 }),
  ServiceIdentities: fc.array(
    fc.record({ ServiceName: word, Datacenters: fc.array(word, { maxLength: 2 }) }, { requiredKeys: [] }),
    { maxLength: 3 },
  ),
  NodeIdentities: fc.array(fc.record({ NodeName: word, Datacenter: word }, { requiredKeys: [] }), { maxLength: 3 }),
  TemplatedPolicies: fc.array(
    fc.record({ TemplateName: word, TemplateVariables: fc.record({ name: word }) }, { requiredKeys: ['TemplateName'] }),
    { maxLength: 3 },
  ),
  Datacenters: fc.array(fc.constantFrom('dc1', 'dc2', '', '*'), { maxLength: 3 }),
  Local: fc.boolean(),
  ExpirationTTL: duration,
  MaxTokenTTL: duration,
  BearerToken: fc.oneof(
    fc
      .dictionary(fc.constantFrom('a', 'iss', 'exp', 'b'), junk)
      .map((claims) => token('ES256', { iat: Math.floor(clock.now() / 1000), ...claims })),
    piecesOf('e30', '.', 'eyJhbGciOiJub25lIn0', '='),
  ),
  Meta: fc.dictionary(word, word),
  Namespace: fc.constantFrom('', 'default', 'ns1', '*', '-'),
  Partition: fc.constantFrom('', 'default', 'p1', '/'),
}

const name = fc.constantFrom('a', 'b', 'c', 'D', 'e', 'f', 'web')
const bearer = (claims: object) => token('ES256', { iat: Math.floor(clock.now() / 1000), ...claims })
const CONFIG = { JWTValidationPubKeys: [PEM], JWTSupportedAlgs: ['ES256'], ClaimMappings: { a: 'a' } }

/** Valid request bodies by path, used for about half of the requests. */
const RIGHT: Readonly<Record<string, fc.Arbitrary<object>>> = {
  '/acl/policy': fc.record({ Name: name, Rules: fc.constant('acl = "write"') }),
  '/acl/role': fc.record({ Name: name, Policies: fc.array(fc.record({ Name: name }), { maxLength: 2 }) }),
  '/acl/token': fc.record({ Roles: fc.array(fc.record({ Name: name }), { maxLength: 1 }) }),
  '/acl/auth-method': fc.record({ Name: name, Type: fc.constant('jwt'), Config: fc.constant(CONFIG) }),
  '/acl/binding-rule': fc.record({ AuthMethod: name, BindType: fc.constant('service'), BindName: fc.constant('web') }),
  '/acl/login': fc.record({ AuthMethod: name, BearerToken: fc.record({ a: name }).map(bearer) }),
}

const rightFor = ({ path }: AnyConfigOperation): fc.Arbitrary<object> =>
  Object.entries(RIGHT).find(([start]) => path === start || path.startsWith(`${start}/:`))?.[1] ?? fc.constant({})

export interface Fuzzed {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

const spelling = fc.constantFrom(...SPELLINGS)
const entryName = fc.oneof(spelling, word)
const entryKind = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...OF_SERVICES) },
  { weight: 2, arbitrary: fc.constantFrom(DERIVED, ...ENTRY_OF_EACH_KIND.map(({ kind }) => kind)) },
  { weight: 1, arbitrary: word },
)

/** Replaces the service `api`, to which the entries of the fixture refer. */
const referringTo = (value: unknown, service: string): unknown => {
  if (value === 'api') return service
  if (Array.isArray(value)) return value.map((item) => referringTo(item, service))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, referringTo(item, service)]))
}

/** An entry of any kind and name that refers to any service. The kind may not fit its members. */
const configEntry = fc
  .record({
    base: fc.constantFrom(...ENTRY_OF_EACH_KIND),
    kind: fc.oneof({ weight: 1, arbitrary: entryKind }, { weight: 9, arbitrary: fc.constant(undefined) }),
    name: fc.option(entryName, { nil: undefined, freq: 8 }),
    service: entryName,
    more: fc.oneof(
      { weight: 4, arbitrary: fc.constant({}) },
      {
        weight: 1,
        arbitrary: fc.record(
          {
            Namespace: fc.constantFrom('ns1', 'default', '*', ''),
            Meta: fc.dictionary(word, word, { maxKeys: 3 }),
            Config: fc.constant({ protocol: 'http', number: 12345678901234567890n }),
            x: junk,
          },
          { requiredKeys: [] },
        ),
      },
    ),
  })
  .map(({ base, kind, name, service, more }) => ({
    ...(referringTo(base.entry, service) as object),
    ...(kind !== undefined && { Kind: kind }),
    ...(name !== undefined && { Name: name }),
    ...more,
  }))

const query = fc.dictionary(
  fc.constantFrom(
    'cas',
    'dry_run',
    'filter',
    'ns',
    'partition',
    'dc',
    'stale',
    'consistent',
    'pretty',
    'index',
    'wait',
    'policy',
    'role',
    'authmethod',
    'servicename',
    'token',
  ),
  fc.oneof(word, fc.constantFrom('', '0', '1', '1ms', '-1', '18446744073709551616', 'Name == "kiosk"', 'Meta.note matches "."')),
  { maxKeys: 3 },
)

/** Up to two of the members. */
const fewOf = (values: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<object> => {
  const names = Object.keys(values)
  if (names.length === 0) return fc.constant({})
  const one = fc
    .constantFrom(...names)
    .chain((each) => (values[each] as fc.Arbitrary<unknown>).map((value) => ({ [each]: value })))
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 3, arbitrary: one },
    { weight: 1, arbitrary: fc.tuple(one, one).map(([first, second]) => ({ ...first, ...second })) },
  )
}

const members = (operation: AnyConfigOperation): fc.Arbitrary<unknown> => {
  const values = Object.fromEntries(Object.keys(operation.body).map((name) => [name, VALUES[name] ?? word]))
  const whole = operation.whole
  const right =
    whole === undefined
      ? fc.tuple(rightFor(operation), fewOf(values)).map(([base, more]) => ({ ...base, ...more }))
      : whole === 'entries'
        ? fc.oneof(configEntry, fc.array(configEntry, { maxLength: 3 }))
        : fc.oneof(
            fc.array(
              fc.record({
                Resource: fc.constantFrom('acl', 'key', 'service', 'x'),
                Segment: word,
                Access: fc.constantFrom('read', 'write', 'list', 'WRITE-PREFIX'),
              }),
            ),
            fc.record({ name: word }),
          )
  return fc.oneof(
    { weight: 12, arbitrary: right },
    {
      weight: 2,
      arbitrary: fc.record(Object.fromEntries(Object.keys(operation.body).map((name) => [name, junk])), { requiredKeys: [] }),
    },
    { weight: 1, arbitrary: junk },
    { weight: 1, arbitrary: fc.string().map((text) => new TextEncoder().encode(text)) },
  )
}

const percentEncoded = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

/** A lone surrogate has no encoding. */
function wellEncoded(encode: (text: string) => string, text: string): string {
  try {
    return encode(text)
  } catch {
    return text
  }
}

export const request: fc.Arbitrary<Fuzzed> = fc.constantFrom(...OPERATIONS).chain((operation) =>
  fc
    .record({
      verb: fc.oneof(
        { weight: 20, arbitrary: fc.constant(operation.verb as string) },
        { weight: 1, arbitrary: fc.constantFrom('POST', 'HEAD', 'x') },
      ),
      capture: fc.oneof({ weight: 2, arbitrary: id }, { weight: 1, arbitrary: word }),
      name: fc.oneof({ weight: 1, arbitrary: spelling }, { weight: 2, arbitrary: word }),
      kind: entryKind,
      encode: fc.constantFrom(encodeURIComponent, encodeURI, (text: string) => text, percentEncoded),
      query: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: query }),
      body: members(operation),
      secret: fc.oneof(
        { weight: 8, arbitrary: fc.constant(ROOT) },
        { weight: operation.path.startsWith('/config') ? 12 : 2, arbitrary: fc.constant(GUARDED) },
        { weight: 2, arbitrary: word },
      ),
      namespace: fc.constantFrom(undefined, undefined, undefined, undefined, 'ns1', 'default', '*'),
    })
    .map(({ verb, capture, name, kind, encode, query: parameters, body, secret, namespace }) => ({
      method: verb,
      path: `/v1${operation.path.replaceAll(/[:+]\w+/g, (param) => (param === ':Kind' ? kind : param === '+Name' ? wellEncoded(encode, name) : capture))}`,
      query: parameters,
      headers: { 'X-Config-Token': secret, ...(namespace === undefined ? {} : { 'X-Config-Namespace': namespace }) },
      body,
    })),
)

/** A request may delete the management token, without which all later requests would be refused. */
async function restore(service: OwnConfigService): Promise<void> {
  const own = await service
    .as(ROOT)
    .tokens.readSelf()
    .catch(() => undefined)
  if (own) await service.tokens.delete({ AccessorID: own.AccessorID, ns: own.Namespace ?? 'default' })
  await service.tokens.create({ SecretID: ROOT, Policies: [{ Name: 'all' }] })
}

/** Aborts a blocking read, because the clock does not advance. */
async function answerTo(service: OwnConfigService, fuzzed: Fuzzed): Promise<KernelResponse> {
  if (!fuzzed.query['index']) return service.handle(fuzzed)
  const gone = new AbortController()
  const answer = service.handle({ ...fuzzed, signal: gone.signal })
  await new Promise((resolve) => setImmediate(resolve))
  gone.abort()
  return answer
}

/** The entries of the denied service, as the application reads them. */
async function deniedEntries(service: OwnConfigService): Promise<readonly unknown[]> {
  const reads = OF_SERVICES.map((Kind) => service.entries.get({ Kind, Name: DENIED }).catch(() => undefined))
  return Promise.all(reads)
}

/** Sends a request and checks its answer. Later requests may use the ids in the answer. */
export async function checkAnswer(service: OwnConfigService, fuzzed: Fuzzed): Promise<void> {
  const isGuarded = fuzzed.headers['X-Config-Token'] === GUARDED && !('token' in fuzzed.query)
  const before = isGuarded ? await deniedEntries(service) : undefined
  const { status, body } = await answerTo(service, fuzzed)
  if (isGuarded) {
    expect(await deniedEntries(service)).toEqual(before)
    expect(typeof body === 'string' ? body : jsonText(body as object)).not.toContain(MARKER)
  }
  expect([status, body]).toEqual([expect.toSatisfy((code: number) => code >= 200 && code < 500), body])
  if (status === 403 && fuzzed.headers['X-Config-Token'] === ROOT && !fuzzed.path.endsWith('/login')) await restore(service)
  if (status >= 400) expect(typeof body).toBe('string')
  else if (body !== undefined && typeof body !== 'string') expect(typeof jsonText(body as object)).toBe('string')
  if (status === 200 && typeof body === 'object')
    for (const name of ['ID', 'AccessorID', 'SecretID'])
      if (!isGuarded && typeof (body as Record<string, unknown>)[name] === 'string')
        ids.push((body as Record<string, string>)[name] as string)
}

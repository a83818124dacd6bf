/**
 * Names of entries match in any case, so every spelling that reaches an entry must be authorized as the name of that entry.
 */
import { describe, expect, it } from 'vitest'
import type { ConfigEntryInput } from '../../../src/config-service.ts'
import { FACADES } from '../../../src/configsvc/operations.ts'
import { type Answer, type ConfigWorld, configWorld, ROOT } from '../../fixtures/configsvc.ts'
import { ENTRY_OF_EACH_KIND, type Json } from '../../fixtures/entry-of-each-kind.ts'

const NAME = 'kiosks'

/** Spellings that some case mapping, decoder or trimming treats as NAME. The management token finds out which of them reach the entry. */
const SPELLINGS: readonly string[] = [
  'KIOSKS',
  'Kiosks',
  'kiosKs',
  '\u212Aiosks',
  '\u212AIOS\u212AS',
  'kio\u017F\u212A\u017F',
  'kiosk\u017F',
  'k\u0130osks',
  'k\u0131osks',
  'ki\u0307osks',
  '\uFF2Biosks',
  'kiosks ',
  ' kiosks',
  'kiosks.',
  'kiosks%20',
  '%6Biosks',
  'kiosks%2F',
]

type Secret = string
type Status = number | 'found' | 'left out'

interface Target {
  readonly kind: string
  readonly entry: Json
  readonly spelling: string
}

type Way = (world: ConfigWorld, secret: Secret, target: Target) => Promise<Status>

const named = ({ entry, spelling }: Target): ConfigEntryInput => ({ ...entry, Name: spelling }) as ConfigEntryInput
const pathOf = ({ kind, spelling }: Target): string => `config/${kind}/${encodeURIComponent(spelling)}`
const byPath =
  (method: string, query: string, path: (target: Target) => string, body?: (target: Target) => unknown): Way =>
  async ({ ask }, secret, target) =>
    (await ask(method, `${path(target)}${query}`, body?.(target), secret)).status

const typed =
  (call: (world: ConfigWorld, secret: Secret, target: Target) => Promise<unknown>): Way =>
  async (world, secret, target) => {
    try {
      await call(world, secret, target)
      return 200
    } catch (error) {
      const { status } = error as { readonly status?: number }
      if (status === undefined) throw error
      return status
    }
  }

const entriesOf = ({ service }: ConfigWorld, secret: Secret) => service.as(secret).entries
// biome-ignore lint/suspicious/noExplicitAny: the kind comes from a table.
const keyOf = ({ kind, spelling }: Target): any => ({ Kind: kind, Name: spelling })
const OTHER = { Kind: 'service-defaults', Name: 'unrelated' } as const
const config = (): string => 'config'

const listing =
  (list: (world: ConfigWorld, secret: Secret, target: Target) => Promise<unknown>): Way =>
  async (world, secret, target) =>
    JSON.stringify(await list(world, secret, target)).includes(`"Name":"${NAME}"`) ? 'found' : 'left out'

/** Every way to call each operation on entries. Callers with permission change nothing by it. */
const WAYS: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  get: {
    'GET an entry': byPath('GET', '', pathOf),
    'HEAD an entry': byPath('HEAD', '', pathOf),
    'a typed get': typed((world, secret, target) => entriesOf(world, secret).get(keyOf(target))),
    'a watch': typed((world, secret, target) =>
      entriesOf(world, secret).watch('get', keyOf(target))[Symbol.asyncIterator]().next(),
    ),
  },
  apply: {
    'PUT an entry': byPath('PUT', '?dry_run', config, named),
    'PUT with cas': byPath('PUT', '?cas=1&dry_run', config, named),
    'PUT a list': byPath('PUT', '?dry_run', config, (target) => [OTHER, named(target)]),
    'a typed apply': typed((world, secret, target) => entriesOf(world, secret).apply(named(target), { dry_run: true })),
    'a typed deletion beside another entry': typed((world, secret, target) =>
      entriesOf(world, secret).apply(OTHER, { delete: [keyOf(target)], dry_run: true }),
    ),
  },
  delete: {
    'DELETE an entry': byPath('DELETE', '?dry_run', pathOf),
    'DELETE with cas': byPath('DELETE', '?cas=1&dry_run', pathOf),
    'a typed delete': typed((world, secret, target) => entriesOf(world, secret).delete({ ...keyOf(target), dry_run: true })),
  },
  list: {
    'GET a list': listing(async ({ ask }, secret, { kind }) => (await ask('GET', `config/${kind}`, undefined, secret)).body),
    'a typed list': listing((world, secret, { kind }) => entriesOf(world, secret).list({ Kind: kind as never })),
    'a watched list': listing((world, secret, { kind }) =>
      entriesOf(world, secret)
        .watch('list', { Kind: kind as never })
        [Symbol.asyncIterator]()
        .next(),
    ),
  },
}

const HTTP_SERVICES: readonly Json[] = [NAME, 'api'].map((Name) => ({ Kind: 'service-defaults', Name, Protocol: 'http' }))

/** The kinds whose names callers choose. */
const KINDS = ENTRY_OF_EACH_KIND.filter(({ kind }) => !['mesh', 'proxy-defaults', 'exported-services'].includes(kind))

const GUARDED_BY_SERVICE = ['service-defaults', 'service-router', 'service-splitter', 'service-resolver', 'service-intentions']

async function open(): Promise<ConfigWorld & { secretOf(rules: string): Promise<Secret> }> {
  const world = await configWorld()
  let made = 0
  const secretOf = async (Rules: string): Promise<Secret> => {
    const { ID } = await world.service.policies.create({ Name: `policy-${++made}`, Rules })
    return (await world.service.tokens.create({ Policies: [{ ID }] })).SecretID
  }
  for (const entry of HTTP_SERVICES) await world.ask('PUT', 'config', entry)
  return { ...world, secretOf, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

const ALL_BUT = (name: string): string =>
  `service_prefix "" { policy = "write" intentions = "write" } service ${JSON.stringify(name)} { policy = "deny" intentions = "deny" } mesh = "write"`
const PREFIX_BUT = (prefix: string): string =>
  `service_prefix "" { policy = "write" intentions = "write" } service_prefix ${JSON.stringify(prefix)} { policy = "deny" intentions = "deny" } mesh = "write"`
const ONLY = (name: string): string =>
  `service ${JSON.stringify(name)} { policy = "write" intentions = "write" } service "api" { policy = "read" } service "unrelated" { policy = "write" }`

const bodyOf = ({ body }: Answer): unknown => body

it('this test covers every operation on entries', () => {
  expect(Object.keys(WAYS).sort()).toEqual(Object.keys(FACADES.entries).sort())
})

describe.each(KINDS)('a request for an entry of kind $kind with another spelling of its name', ({ kind, entry }) => {
  it('is authorized like a request with the stored name, in every spelling of the policy rules', async () => {
    await using world = await open()
    const { ask, secretOf } = world
    await ask('PUT', 'config', { ...entry, Name: NAME })
    const exact: Target = { kind, entry, spelling: NAME }
    const stored = bodyOf(await ask('GET', pathOf(exact)))
    expect(stored).toMatchObject({ Name: NAME })
    const reaching = []
    for (const spelling of SPELLINGS)
      if (JSON.stringify((await ask('GET', pathOf({ ...exact, spelling }))).body) === JSON.stringify(stored))
        reaching.push(spelling)
    expect(reaching).toEqual(['KIOSKS', 'Kiosks', 'kiosKs', '\u212Aiosks', '\u212AIOS\u212AS', 'k\u0130osks'])

    for (const rules of [ALL_BUT, PREFIX_BUT, ONLY]) {
      const exactSecret = await secretOf(rules(NAME))
      for (const written of [NAME, '\u212AIOS\u212AS']) {
        const secret = written === NAME ? exactSecret : await secretOf(rules(written))
        for (const ways of Object.values(WAYS))
          for (const [what, way] of Object.entries(ways)) {
            const expected = await way(world, exactSecret, exact)
            if (rules !== ONLY && GUARDED_BY_SERVICE.includes(kind))
              expect([what, [403, 'left out'].includes(expected as number)]).toEqual([what, true])
            for (const spelling of ['KIOSKS', '\u212Aiosks', 'k\u0130osks'])
              expect([what, rules.name, written, spelling, await way(world, secret, { ...exact, spelling })]).toEqual([
                what,
                rules.name,
                written,
                spelling,
                expected,
              ])
          }
      }
    }
  })

  it('cannot change the entry if a policy denies the stored name', async () => {
    if (!GUARDED_BY_SERVICE.includes(kind)) return
    await using world = await open()
    const { ask, secretOf } = world
    await ask('PUT', 'config', { ...entry, Name: NAME })
    const path = `config/${kind}/${NAME}`
    const stored = bodyOf(await ask('GET', path))
    const secret = await secretOf(ALL_BUT(NAME))
    for (const spelling of SPELLINGS) {
      const target = { kind, entry: { ...entry, Meta: { changed: 'yes' } }, spelling }
      expect((await ask('GET', pathOf(target), undefined, secret)).body).not.toEqual(stored)
      await ask('PUT', 'config', named(target), secret)
      await ask('PUT', 'config', [named(target)], secret)
      await ask('DELETE', pathOf(target), undefined, secret)
      expect(bodyOf(await ask('GET', path)), spelling).toEqual(stored)
    }
  })
})

const CHAINS: Readonly<Record<string, (service: string, namespace?: string) => Json>> = {
  'a route': (Service, Namespace) => ({
    Kind: 'service-router',
    Name: 'api',
    Routes: [{ Destination: { Service, ...(Namespace && { Namespace }) } }],
  }),
  'a split': (Service, Namespace) => ({
    Kind: 'service-splitter',
    Name: 'api',
    Splits: [{ Weight: 100, Service, ...(Namespace && { Namespace }) }],
  }),
  'a redirect': (Service, Namespace) => ({
    Kind: 'service-resolver',
    Name: 'api',
    Redirect: { Service, ...(Namespace && { Namespace }) },
  }),
  failover: (Service, Namespace) => ({
    Kind: 'service-resolver',
    Name: 'api',
    Failover: { '*': { Service, ...(Namespace && { Namespace }) } },
  }),
  'a failover target': (Service, Namespace) => ({
    Kind: 'service-resolver',
    Name: 'api',
    Failover: { '*': { Targets: [{ Service, ...(Namespace && { Namespace }) }] } },
  }),
}

describe.each(Object.entries(CHAINS))('%s to another service', (_, make) => {
  it('requires service:read for the referenced service, in every spelling of its name', async () => {
    await using world = await open()
    const { ask, secretOf } = world
    const dry = (service: string, secret: Secret) => ask('PUT', 'config?dry_run', make(service), secret)
    for (const written of [NAME, 'KIOSKS', '\u212Aiosks']) {
      const secret = await secretOf(ALL_BUT(written))
      for (const spelling of [NAME, 'KIOSKS', 'kiosKs', '\u212AIOSKS'])
        expect([written, spelling, (await dry(spelling, secret)).status]).toEqual([written, spelling, 403])
      const enough = await secretOf(`service "API" { policy = "write" } service ${JSON.stringify(written)} { policy = "read" }`)
      for (const spelling of [NAME, 'KIOSKS', '\u212AIOSKS'])
        expect([written, spelling, (await dry(spelling, enough)).status]).toEqual([written, spelling, 200])
    }
  })

  it('requires service:read in the namespace that the reference names', async () => {
    await using world = await open()
    const { ask, service } = world
    const Rules = 'service_prefix "" { policy = "write" }'
    for (const Protocol of ['http'])
      await ask('PUT', 'config?ns=team', { Kind: 'proxy-defaults', Config: { protocol: Protocol } })
    const secretIn = async (ns: string): Promise<Secret> => {
      const { ID } = await service.policies.create({ Name: 'all', Rules, Namespace: ns })
      return (await service.tokens.create({ Policies: [{ ID }], Namespace: ns })).SecretID
    }
    const [own, everywhere] = [await secretIn('team'), await secretIn('default')]
    const dry = async (namespace: string | undefined, secret: Secret) =>
      (await ask('PUT', 'config?ns=team&dry_run', make(NAME, namespace), secret)).status
    expect([await dry(undefined, own), await dry('team', own)]).toEqual([200, 200])
    expect([await dry('other', own), await dry('default', own)]).toEqual([403, 403])
    expect([await dry('other', everywhere), await dry('default', everywhere)]).toEqual([200, 200])
  })
})

describe('permission decisions about services and intentions', () => {
  it('are the same for every spelling of the name, in the rule and in the request', async () => {
    await using world = await open()
    const { ask, service, secretOf } = world
    for (const rules of [ALL_BUT, PREFIX_BUT, ONLY])
      for (const written of [NAME, 'KIOSKS', '\u212Aiosks']) {
        const secret = await secretOf(rules(written))
        for (const Resource of ['service', 'intention'] as const)
          for (const Access of ['read', 'write'] as const) {
            const Segments = [NAME, 'KIOSKS', 'kiosKs', '\u212AIOSKS']
            const { body } = await ask(
              'POST',
              'internal/acl/authorize',
              Segments.map((Segment) => ({ Resource, Segment, Access })),
              secret,
            )
            const allowed = rules === ONLY
            expect(body.map(({ Allow }: { Allow: boolean }) => Allow)).toEqual(Segments.map(() => allowed))
            for (const resource of Segments) {
              const about = { permission: `${Resource}:${Access}`, resource, token: secret } as const
              expect(await service.acl.authorize(about)).toBe(allowed)
              expect(await service.acl.explain(about)).toMatchObject({ allow: allowed, by: { rule: { name: written } } })
            }
          }
      }
  })

  it('are negative if one spelling is denied and another one is allowed', async () => {
    await using world = await open()
    const { ask, secretOf } = world
    const rules = [
      'service "KIOSKS" { policy = "write" intentions = "write" }',
      'service "kiosks" { policy = "deny" intentions = "deny" }',
    ]
    for (const text of [rules.join('\n'), rules.toReversed().join('\n')]) {
      const secret = await secretOf(text)
      for (const Segment of [NAME, 'KIOSKS'])
        for (const Resource of ['service', 'intention']) {
          const { body } = await ask('POST', 'internal/acl/authorize', [{ Resource, Segment, Access: 'read' }], secret)
          expect([text, Segment, body[0].Allow]).toEqual([text, Segment, false])
        }
    }
  })

  it('distinguish spellings for all other resources, as Consul does', async () => {
    await using world = await open()
    const { ask, secretOf } = world
    for (const Resource of ['agent', 'event', 'key', 'node', 'query', 'session']) {
      const secret = await secretOf(`${Resource}_prefix "" { policy = "write" } ${Resource} "kiosks" { policy = "deny" }`)
      const { body } = await ask(
        'POST',
        'internal/acl/authorize',
        [NAME, 'KIOSKS'].map((Segment) => ({ Resource, Segment, Access: 'write' })),
        secret,
      )
      expect([Resource, body.map(({ Allow }: { Allow: boolean }) => Allow)]).toEqual([Resource, [false, true]])
    }
  })
})

it('writing service-intentions with two spellings of the same source is refused', async () => {
  await using world = await open()
  const both = (...names: string[]) => ({
    Kind: 'service-intentions',
    Name: 'api',
    Sources: names.map((Name, i) => ({ Name, Action: i === 0 ? 'deny' : 'allow' })),
  })
  for (const other of ['KIOSKS', '\u212Aiosks'])
    expect(await world.ask('PUT', 'config', both(NAME, other))).toMatchObject({
      status: 400,
      body: expect.stringContaining('Sources[1]'),
    })
  expect(await world.ask('PUT', 'config', both(NAME, 'other'), ROOT)).toMatchObject({ status: 200 })
})

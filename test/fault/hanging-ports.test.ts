/**
 * Every method of every port misbehaves in every way. Requests end with their documented status, other requests are served, `close()` ends,
 * and no rejection stays unhandled. A new port, method or option does not compile here until it is added to the tables.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPortMap, isPortObject, type PortRules } from '../../src/core/contract/ports.ts'
import { portsOf } from '../../src/core/kernel/port-methods.ts'
import {
  type AuditSink,
  type DatabasePlugin,
  type KernelOptions,
  type Ports,
  type Seal,
  type Storage,
  type SyncDestination,
  verifyAudit,
} from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { ENGINES } from '../fixtures/all-engines.ts'
import {
  DEADLINE,
  driven,
  furnish,
  type HangingWorld,
  JWT,
  type MethodsOf,
  MISBEHAVIOURS,
  type Misbehaviour,
  openHangingWorld,
  SLOW,
  sharedStorage,
} from './hanging-world.ts'

type Statuses = { readonly slow: number; readonly fails: number; readonly nonsense: number }

interface Walk extends Statuses {
  /** Sends a request that calls the method, and resolves with the status. */
  readonly act: (world: HangingWorld) => Promise<number>
}

/** A method that is not tested, and the reason why it cannot delay a caller. */
interface Exempt {
  readonly because: string
}

/** The status is the same for every misbehavior. */
const always = (status: number): Statuses => ({ slow: status, fails: status, nonsense: status })

/** The status of a typed call. */
const statusOf = (work: Promise<unknown>): Promise<number> =>
  work.then(
    () => 200,
    (error: { readonly status?: number }) => error.status ?? 0,
  )

const login = ({ send }: HangingWorld): Promise<number> =>
  send('POST', 'auth/orchestrator/login', { role: 'web', jwt: JWT }, null)

/** A login with an auth method of the configuration service that fetches its keys. */
async function loginByKeySet({ kernel }: HangingWorld): Promise<number> {
  const Config = { JWKSURL: 'https://idp.example/keys' }
  await kernel.configsvc.authMethods.create({ Name: 'published', Type: 'jwt', Config })
  const [header, claims] = [{ alg: 'RS256' }, { iat: 1, exp: 4_000_000_000 }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  const body = { AuthMethod: 'published', BearerToken: `${header}.${claims}.YQ` }
  return (await kernel.configsvc.handle({ method: 'POST', path: '/v1/acl/login', body })).status
}

const beginToken = ({ send }: HangingWorld): Promise<number> =>
  send('POST', 'sys/generate-root/attempt', { pgp_key: 'YW5uYQ==' }, null)

const enable = ({ send }: HangingWorld): Promise<number> => send('POST', 'sys/audit/dev', { type: 'factory' })

/** The parts of an activation token that a secondary reads before it calls the primary: address and key. */
const ACTIVATION = `e30.${Buffer.from(JSON.stringify({ addr: 'somewhere', key: `09${'00'.repeat(31)}` })).toString('base64url')}.e30`

const unseal = async ({ kernel }: HangingWorld): Promise<number> => {
  await kernel.seal.seal()
  return statusOf(kernel.seal.unseal())
}

type SimplePort = Exclude<keyof Ports, 'audit' | 'databases' | 'sync'>

type EveryMethod =
  | { [P in SimplePort]: `${P}.${MethodsOf<Required<Ports>[P]>}` }[SimplePort]
  | `seal.${MethodsOf<Seal>}`
  | `audit.${MethodsOf<AuditSink>}`
  | `databases.${MethodsOf<DatabasePlugin>}`
  | `sync.${MethodsOf<SyncDestination>}`
  | `device.${MethodsOf<AuditSink>}`
  | 'audit.factory'

const WALKS: Readonly<Record<EveryMethod, Walk | Exempt>> = {
  'managedKeys.encrypt': { ...always(502), act: ({ send }) => send('POST', 'transit/encrypt/m', { plaintext: 'eA==' }) },
  'managedKeys.decrypt': {
    ...always(502),
    act: ({ send }) => send('POST', 'transit/decrypt/m', { ciphertext: `strongroom:v1:${Buffer.alloc(50).toString('base64')}` }),
  },
  'managedKeys.sign': { ...always(502), act: ({ send }) => send('POST', 'transit/sign/m', { input: 'eA==' }) },
  'managedKeys.verify': {
    ...always(502),
    act: ({ send }) => send('POST', 'transit/verify/m', { input: 'eA==', signature: 'strongroom:v1:eA==' }),
  },
  'managedKeys.publicKey': {
    ...always(502),
    act: ({ send }) => send('POST', 'transit/keys/other', { type: 'managed_key', managed_key_name: 'billing' }),
  },
  'pgp.encrypt': { ...always(502), act: beginToken },
  'pgp.fingerprint': { ...always(502), act: beginToken },
  'tokenReviewer.review': { ...always(403), act: login },
  'keySets.fetch': { ...always(403), act: loginByKeySet },
  'localEnvironment.caCert': { ...always(403), act: login },
  // Without the local token the kernel authenticates with the caller's token.
  'localEnvironment.serviceAccountToken': { ...always(200), act: login },
  'cloud.connect': { because: 'it returns at once; what its clients are asked is in the failure matrix of the engine' },
  'cloud.ready': { because: 'it is in the failure matrix of the engine' },
  'databases.configure': { because: 'it returns at once' },
  'databases.shown': { because: 'it returns at once' },
  'databases.warnings': { because: 'it returns at once' },
  'sync.validate': { because: 'it returns at once' },
  'sync.open': { because: 'it returns at once; what its sessions are asked is in the failure matrix of secret sync' },
  // The failure matrix of the database engine tests the methods of a connection.
  'databases.connect': {
    ...always(400),
    act: ({ send }) =>
      send('POST', 'database/config/other', {
        plugin_name: 'fake',
        connection_url: 'fake://host',
        username: 'root',
        password: 'root-password',
      }),
  },
  // The call succeeds although the listener fails, which only the status reports (tested below).
  'replication.listen': { ...always(200), act: ({ send }) => send('POST', 'sys/replication/performance/primary/enable', {}) },
  'replication.request': {
    ...always(502),
    act: ({ send }) => send('POST', 'sys/replication/performance/secondary/enable', { token: ACTIVATION }),
  },
  'seal.wrap': { slow: 503, fails: 502, nonsense: 502, act: ({ kernel }) => statusOf(kernel.seal.rotateRootKey()) },
  'seal.unwrap': { slow: 503, fails: 502, nonsense: 502, act: unseal },
  'seal.outdated': { because: 'it returns at once' },
  // The other sink has the entry.
  'audit.write': { ...always(200), act: ({ send }) => send('GET', 'secret/kept') },
  'audit.writeSync': { ...always(200), act: ({ send }) => send('GET', 'secret/kept') },
  'audit.open': { because: 'a kernel opens its sinks before it takes requests: below' },
  'audit.close': { because: 'the application closes the sinks that it gave' },
  'audit.factory': { ...always(400), act: enable },
  'device.open': { slow: 400, fails: 400, nonsense: 204, act: enable },
  'device.close': {
    ...always(204),
    act: async (world) => ((await enable(world)) === 204 ? world.send('DELETE', 'sys/audit/dev') : 0),
  },
  'device.write': {
    ...always(200),
    act: async (world) => ((await enable(world)) === 204 ? world.send('GET', 'secret/kept') : 0),
  },
  'device.writeSync': { because: 'as audit.writeSync' },
}

/** Whether an option can call outside code, so that a new option has to be classified here. */
const OPTIONS: Readonly<Record<keyof KernelOptions, 'walked' | 'computes in the process' | 'no port'>> = {
  storage: 'walked',
  seal: 'walked',
  previousSeal: 'walked',
  ports: 'walked',
  clock: 'computes in the process',
  entropy: 'computes in the process',
  crypto: 'computes in the process',
  rsa: 'computes in the process',
  workers: 'computes in the process',
  effectTimeoutMs: 'no port',
  storageTimeoutMs: 'no port',
  unauthenticated: 'no port',
  initialize: 'no port',
  naming: 'no port',
  requireRequestHeader: 'no port',
  fips: 'no port',
  cache: 'no port',
  bodies: 'no port',
  replication: 'no port',
  configsvc: 'no port',
}

const unhandled: unknown[] = []

const note = (reason: unknown) => void unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

const isWalk = (walk: Walk | Exempt): walk is Walk => 'act' in walk

const walked = Object.entries(WALKS).flatMap(([method, walk]) => (isWalk(walk) ? [[method, walk] as const] : []))

const WAYS = Object.keys(MISBEHAVIOURS) as Misbehaviour[]

function expected({ slow, fails, nonsense }: Statuses, way: Misbehaviour): number {
  if (SLOW.has(way)) return slow
  return way === 'answers nonsense' ? nonsense : fails
}

async function spoiledHouse(method: string, way: Misbehaviour): Promise<HangingWorld> {
  // Whether a sink has `writeSync` is decided when the kernel is created.
  const isSync = method === 'audit.writeSync'
  const world = await openHangingWorld(isSync ? { spoiled: [method, way] } : {})
  if (isSync) await driven(world.clock, furnish(world))
  else await furnish(world)
  world.spoil(method, way)
  return world
}

describe.each(walked)('the port method %s', (method, walk) => {
  it.each(WAYS)('delays its request at most until the deadline, and other requests not at all, if it %s', async (way) => {
    const world = await spoiledHouse(method, way)
    const { clock, kernel, send } = world
    try {
      const begun = driven(clock, walk.act(world), 3 * DEADLINE)
      // Unsealing and a misbehaving sink affect every request.
      if (!/^(seal\.unwrap|audit\.|device\.)/.test(method)) expect(await send('POST', 'secret/other', { b: 2 })).toBe(204)
      const { value, took } = await begun
      expect(value).toBe(expected(walk, way))
      expect(took).toBeLessThanOrEqual(DEADLINE + 1000)
    } finally {
      await driven(clock, kernel.close(), 3 * DEADLINE)
      await clock.advance(10 * DEADLINE)
    }
  })

  it.each(WAYS)('does not prevent close() and the pending request from ending if it %s', async (way) => {
    const world = await spoiledHouse(method, way)
    const acting = walk.act(world).catch(() => 0)
    await world.clock.advance(0)
    await driven(world.clock, world.kernel.close(), 3 * DEADLINE)
    await driven(world.clock, acting, 0)
    await world.clock.advance(10 * DEADLINE)
  })
})

const methodNames = (rules: PortRules): readonly string[] => {
  if (isPortMap(rules)) return rules.each
  return isPortObject(rules) ? rules.own : Object.keys(rules)
}

describe('the table of tested port methods', () => {
  it('contains every port method that the kernel calls', () => {
    for (const [port, methods] of Object.entries(portsOf(ENGINES)))
      for (const method of methodNames(methods)) expect(Object.keys(WALKS)).toContain(`${port}.${method}`)
    expect(Object.values(OPTIONS).filter((kind) => kind === 'walked')).toHaveLength(4)
  })
})

describe('a hanging audit sink next to a working one', () => {
  it('delays the first requests up to the deadline, and no later ones', async () => {
    const world = await spoiledHouse('audit.write', 'never answers')
    const read = () => world.send('GET', 'secret/kept')
    const { value, took } = await driven(world.clock, Promise.all([read(), read(), read()]))
    expect(value).toEqual([200, 200, 200])
    expect(took).toBeLessThanOrEqual(DEADLINE + 1000)
    for (let i = 0; i < 20; i++) expect((await driven(world.clock, read(), 0)).value).toBe(200)
    // The other sink has all entries, with their answers.
    expect(world.entries.filter(({ line }) => line.includes('"type":"response"') && line.includes('secret/kept'))).toHaveLength(
      24,
    )
    await driven(world.clock, world.kernel.close())
  })

  it('receives entries again after its delayed answer', async () => {
    const world = await spoiledHouse('audit.write', 'answers late')
    await driven(world.clock, world.send('GET', 'secret/kept'))
    await world.clock.advance(10 * DEADLINE)
    world.spoil('none', 'throws')
    const failures: string[] = []
    world.kernel.events.on('audit.failed', ({ sink }) => failures.push(sink))
    expect((await driven(world.clock, world.send('GET', 'secret/kept'), 0)).value).toBe(200)
    await world.clock.advance(0)
    expect(failures).toEqual([])
    await driven(world.clock, world.kernel.close())
  })

  it('is skipped for one deadline after a write has failed, and then tried again by a single request', async () => {
    const world = await spoiledHouse('audit.write', 'rejects late')
    const read = () => world.send('GET', 'secret/kept')
    await driven(world.clock, read())
    // The call rejects 60 seconds after it began, and the sink is not used for one more deadline.
    await world.clock.advance(3 * DEADLINE)
    for (let i = 0; i < 5; i++) expect((await driven(world.clock, read(), 0)).value).toBe(200)
    await world.clock.advance(DEADLINE + 1000)
    const trial = driven(world.clock, read())
    for (let i = 0; i < 5; i++) expect(await read()).toBe(200)
    expect((await trial).took).toBeGreaterThanOrEqual(DEADLINE - 1000)
    await driven(world.clock, world.kernel.close())
  })
})

describe('the log of a late audit sink', () => {
  it.each(['kept', 'lost'])('has an intact chain if an entry that the sink acknowledged too late was %s', async (what) => {
    const clock = fakeClock()
    const lines: string[] = []
    let slow = false
    const sink: AuditSink = {
      async write({ line }) {
        if (slow) {
          slow = false
          await clock.sleep(4 * DEADLINE)
          if (what === 'lost') throw new Error('lost')
        }
        lines.push(line)
      },
    }
    const ports: Ports = { audit: { sinks: { main: () => {}, odd: sink } } }
    const { kernel, send } = await openHangingWorld({ clock, options: { ports } })
    const read = () => driven(clock, send('GET', 'secret/kept'))
    await read()
    slow = true
    for (let i = 0; i < 3; i++) await read()
    await clock.advance(10 * DEADLINE)
    for (let i = 0; i < 3; i++) await read()
    expect(lines).toHaveLength(what === 'kept' ? 9 : 8)
    const { ok, entries } = await verifyAudit(kernel, { sink: 'odd', lines })
    expect([ok, entries]).toEqual([true, lines.length])
    await driven(clock, kernel.close())
  })
})

describe('the only audit sink', () => {
  it.each(WAYS)('delays the first request at most until the deadline, and the next request not at all, if it %s', async (way) => {
    const world = await openHangingWorld({ alone: true })
    await furnish(world)
    world.spoil('audit.write', way)
    const first = await driven(world.clock, world.send('GET', 'secret/kept'))
    expect(first.value).toBe(way === 'answers nonsense' ? 200 : 500)
    expect(first.took).toBeLessThanOrEqual(DEADLINE + 1000)
    expect((await driven(world.clock, world.send('GET', 'secret/kept'), 0)).value).toBe(first.value)
    await driven(world.clock, world.kernel.close())
    await world.clock.advance(10 * DEADLINE)
  })

  it.each(WAYS)('lets createKernel succeed or fail within the deadline if, when it is opened, it %s', async (way) => {
    const clock = fakeClock()
    const opening = openHangingWorld({ spoiled: ['audit.open', way], clock })
    if (way === 'answers nonsense') {
      const { kernel } = (await driven(clock, opening)).value
      await kernel.close()
    } else {
      opening.catch(() => {})
      await expect(driven(clock, opening, DEADLINE + 2000)).rejects.toMatchObject({ code: 'ERR_AUDIT' })
    }
    await clock.advance(10 * DEADLINE)
  })
})

describe('createKernel with a hanging seal', () => {
  it.each(['seal.wrap', 'seal.unwrap'])('rejects with status 503 within the deadline if %s never answers', async (method) => {
    const clock = fakeClock()
    const opening = openHangingWorld({ spoiled: [method, 'never answers'], clock })
    opening.catch(() => {})
    await expect(driven(clock, opening, DEADLINE + 2000)).rejects.toMatchObject({ status: 503 })
  })
})

/** The storage limits its calls itself. Only `close()` does not wait for them longer than for other ports. */
const STORAGE: Readonly<Record<MethodsOf<Storage>, ((world: HangingWorld) => Promise<unknown>) | Exempt>> = {
  get: { because: 'the kernel asks for many at once' },
  getSync: { because: 'it returns at once' },
  describeFailure: { because: 'it returns at once' },
  join: { because: "the application's own transaction waits for it, and nobody else" },
  close: { because: 'the application closes the storage that it gave' },
  getMany: ({ send }) => send('GET', 'secret/never-read'),
  scan: ({ kernel }) => kernel.tick(),
  list: ({ send }) => send('LIST', 'secret'),
  commit: ({ send }) => send('POST', 'secret/other', { b: 2 }),
  revision: async ({ clock, send }) => {
    await clock.advance(5000)
    return send('GET', 'secret/kept')
  },
  watch: async () => {},
}

describe('a storage that does not answer in time', () => {
  const methods = Object.entries(STORAGE).flatMap(([method, act]) => (typeof act === 'function' ? [[method, act] as const] : []))

  it.each(methods)(
    'does not prevent close() and the pending requests from ending if it never answers %s',
    async (method, act) => {
      const world = await openHangingWorld()
      await furnish(world)
      world.spoil(`storage.${method}`, 'never answers')
      const acting = act(world).catch(() => {})
      await world.clock.advance(0)
      await driven(world.clock, world.kernel.close(), 5 * DEADLINE)
      await driven(world.clock, acting, 0)
    },
  )

  it('does not delay close() if it never answers when a watch is ended', async () => {
    const storage = sharedStorage()
    const watch: Storage['watch'] = async (prefix, from, onChange) => {
      await storage.watch(prefix, from, onChange)
      return () => new Promise<void>(() => {})
    }
    const { kernel, clock } = await openHangingWorld({ storage: { ...storage, watch } })
    await driven(clock, kernel.close(), 3 * DEADLINE)
  })

  it('is still waited for after the deadline while the kernel is open', async () => {
    const world = await openHangingWorld()
    await furnish(world)
    world.spoil('storage.getMany', 'answers late')
    const { value, took } = await driven(world.clock, world.send('GET', 'secret/kept-not'), 20 * DEADLINE)
    expect(value).toBe(404)
    expect(took).toBeGreaterThan(3 * DEADLINE)
    world.spoil('none', 'throws')
    await driven(world.clock, world.kernel.close())
  })
})

describe('the option effectTimeoutMs', () => {
  it('limits the time that the kernel waits for a call of a port', async () => {
    const world = await openHangingWorld({ options: { effectTimeoutMs: 2000 } })
    await furnish(world)
    world.spoil('managedKeys.encrypt', 'never answers')
    const { value, took } = await driven(world.clock, world.send('POST', 'transit/encrypt/m', { plaintext: 'eA==' }))
    expect([value, took]).toEqual([502, 2000])
    await world.kernel.close()
  })

  it.each([0, -1, 1.5, 3_600_001, Number.NaN, '1000', null])('is refused as %s', async (effectTimeoutMs) => {
    await expect(openHangingWorld({ options: { effectTimeoutMs } as object })).rejects.toThrow(TypeError)
  })
})

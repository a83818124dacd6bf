/** A kernel with every port, of which one method at a time can misbehave. */
import {
  type AuditEntry,
  type AuditSink,
  createKernel,
  inProcessNetwork,
  type Kernel,
  type KernelOptions,
  keySeal,
  memoryStorage,
  nobleCrypto,
  type Ports,
  type ReplicationTransport,
  type Seal,
  type Storage,
} from '../../src/index.ts'
import {
  type FakeClock,
  fakeClock,
  fakeDatabasePlugin,
  fakeLocalEnvironment,
  fakeManagedKeys,
  fakePgp,
  fakeTokenReviewer,
} from '../../src/testing/index.ts'
import { BOUND, HOST, jwtOf, KEYS, NOW } from '../engines/orchestrator/world.ts'
import { bytesOf } from '../property/support.ts'

export const DEADLINE = 15_000
/** Longer than any deadline. */
const LATE = 4 * DEADLINE
/** A text in errors of ports, which must not appear in any answer. */
export const MARK = 'hunter2'

type Good = () => unknown

/** How a method can misbehave. */
export const MISBEHAVIOURS = {
  'never answers': (): unknown => new Promise(() => {}),
  'answers late': async (good: Good, clock: FakeClock) => {
    await clock.sleep(LATE)
    return good()
  },
  'rejects late': async (_: Good, clock: FakeClock) => {
    await clock.sleep(LATE)
    throw new Error(MARK)
  },
  rejects: async () => {
    throw new Error(MARK)
  },
  throws: () => {
    throw new Error(MARK)
  },
  'answers nonsense': async () => 7,
} satisfies Readonly<Record<string, (good: Good, clock: FakeClock) => unknown>>

export type Misbehaviour = keyof typeof MISBEHAVIOURS
export const SLOW: ReadonlySet<string> = new Set<Misbehaviour>(['never answers', 'answers late', 'rejects late'])

/** The names of all methods of an interface, including optional ones. */
export type MethodsOf<T> = {
  [K in keyof T]-?: NonNullable<T[K]> extends (...args: never[]) => unknown ? K & string : never
}[keyof T]

export interface HangingWorld {
  readonly kernel: Kernel
  readonly clock: FakeClock
  /** The entries of the sink that never misbehaves. */
  readonly entries: AuditEntry[]
  /** Makes a method misbehave from now on. */
  spoil(method: string, misbehaviour: Misbehaviour): void
  send(method: string, path: string, body?: object, token?: string | null): Promise<number>
}

export interface HangingWorldOptions {
  /** Leaves out the second sink, which never misbehaves. */
  readonly alone?: boolean
  readonly storage?: Storage
  /** A method that misbehaves from the beginning. */
  readonly spoiled?: readonly [method: string, misbehaviour: Misbehaviour]
  readonly options?: Partial<KernelOptions>
  readonly clock?: FakeClock
  /** A network with other listeners. */
  readonly network?: ReplicationTransport
}

export async function openHangingWorld({
  alone = false,
  storage = sharedStorage(),
  spoiled,
  options,
  clock = fakeClock(NOW * 1000),
  network = inProcessNetwork(),
}: HangingWorldOptions = {}): Promise<HangingWorld> {
  let target = spoiled
  /** Wraps an object so that each of its methods can be made to misbehave. */
  const switched = <T extends object>(room: string, port: T): T =>
    Object.fromEntries(
      Object.entries(port).map(([name, value]) => [
        name,
        typeof value === 'function'
          ? (...args: unknown[]) => {
              const good = () => (value as (...all: unknown[]) => unknown).apply(port, args)
              return target?.[0] === `${room}.${name}` ? MISBEHAVIOURS[target[1]](good, clock) : good()
            }
          : value,
      ]),
    ) as T
  const entries: AuditEntry[] = []
  const sink = (room: string): AuditSink => switched(room, { write: async () => {}, open: async () => {}, close: async () => {} })
  const { writeSync } = switched('audit', { writeSync: () => {} })
  const ports: Ports = {
    managedKeys: switched('managedKeys', fakeManagedKeys({ keys: [{ name: 'billing' }] })),
    pgp: switched('pgp', fakePgp()),
    tokenReviewer: switched('tokenReviewer', fakeTokenReviewer()),
    keySets: switched('keySets', { fetch: async () => '{"keys":[]}' }),
    localEnvironment: switched('localEnvironment', fakeLocalEnvironment({ caCert: null, token: 'local' })),
    databases: { fake: switched('databases', fakeDatabasePlugin()) },
    replication: switched('replication', network),
    audit: {
      sinks: {
        ...(!alone && { main: (entry: AuditEntry) => void entries.push(entry) }),
        odd: spoiled?.[0] === 'audit.writeSync' ? { write: () => {}, writeSync } : sink('audit'),
      },
      factories: switched('audit', { factory: () => sink('device') }),
    },
  }
  const seal: Seal = switched('seal', keySeal(bytesOf(32, 5)) as Seal)
  // The platform's cryptography takes real time, which the fake clock does not measure.
  const crypto = nobleCrypto({ accelerate: false })
  const kernel = await createKernel({
    storage: switched('storage', storage),
    seal,
    crypto,
    initialize: true,
    clock,
    ports,
    ...options,
  })
  return {
    kernel,
    clock,
    entries,
    spoil(method, misbehaviour) {
      target = [method, misbehaviour]
    },
    async send(method, path, body, token = kernel.rootToken ?? null) {
      const headers = token === null ? {} : { 'X-Service-Token': token }
      const { status, body: answer } = await kernel.handle({ method, path: `/v1/${path}`, headers, ...(body && { body }) })
      if (JSON.stringify(answer ?? null).includes(MARK)) throw new Error('the words of a port left the kernel')
      return status
    },
  }
}

/** A shared store without synchronous reads, so that the kernel uses all of its methods. */
export function sharedStorage(): Storage {
  const { getSync: _, ...storage } = memoryStorage()
  return { ...storage, caps: { ...storage.caps, shared: true } }
}

/** Creates everything that the tested requests need. */
export async function furnish({ kernel, send }: HangingWorld): Promise<void> {
  await kernel.transit.createKey({ name: 'm', type: 'managed_key', managed_key_name: 'billing' })
  await kernel.orchestrator.configure({ orchestrator_host: HOST, pem_keys: KEYS })
  await kernel.orchestrator.writeRole({ name: 'web', ...BOUND })
  if ((await send('POST', 'secret/kept', { a: 1 })) !== 204) throw new Error('no secret')
}

export const JWT = jwtOf()

export interface Driven<T> {
  readonly value: T
  /** Milliseconds of the fake clock. */
  readonly took: number
}

/** Advances the clock second by second until `work` has ended. */
export async function driven<T>(clock: FakeClock, work: Promise<T>, most = 10 * DEADLINE): Promise<Driven<T>> {
  let ended = false
  const over = () => {
    ended = true
  }
  work.then(over, over)
  const begun = clock.now()
  await clock.advance(0)
  for (let passed = 0; !ended; passed += 1000) {
    if (passed >= most) throw new Error(`still waiting after ${most} milliseconds`)
    await clock.advance(1000)
  }
  return { value: await work, took: clock.now() - begun }
}

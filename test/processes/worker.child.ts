/**
 * Reads and writes registers, and reports when each call began and ended. Started by histories.slow.test.ts.
 *
 * The process has two kernels: one reads the store for every request, and one uses its cache. With `deaf`, the second gets no notifications
 * about the commits of other processes.
 */
import { createKernel, type Kernel, KernelError, type Storage } from '../../src/index.ts'
import { childArguments, received, send } from '../fixtures/child-side.ts'
import type { StoreAt } from '../fixtures/store-at.ts'
import type { Timed } from './linearizable.ts'
import type { RegisterOp } from './registers.ts'
import { openStorage, SEAL } from './where.ts'

export interface WorkerArguments {
  readonly where: StoreAt
  readonly worker: number
  /** The number of calls, and of concurrent calls. */
  readonly calls: number
  readonly lanes: number
  readonly registers: number
  /** The staleness bound in milliseconds. */
  readonly bound: number
  readonly deaf: boolean
  /** The store may be unreachable for a while: reads then fail, and the outcome of writes is unknown. */
  readonly troubled?: boolean
}

/** The kernel of the call: `exact` reads the store, `held` uses its cache. */
export interface Event extends Timed<RegisterOp> {
  readonly register: number
  readonly by: 'exact' | 'held'
}

/** `open`: ready, and begins its calls at the first message. `midway`: half of its calls have begun. */
export type ChildMessage = { readonly type: 'open' | 'midway' } | { readonly type: 'history'; readonly events: readonly Event[] }

const { where, worker, calls, lanes, registers, bound, deaf, troubled = false } = childArguments<WorkerArguments>()
const report = (message: ChildMessage): void => send(message)

/** Milliseconds of the machine's monotonic clock, which all its processes share. */
const now = (): number => Number(process.hrtime.bigint()) / 1e6

const { storage, close } = openStorage(where)
const silent: Storage = deaf ? { ...storage, watch: async () => async () => {} } : storage
const isAway = (error: unknown): boolean => troubled && error instanceof KernelError && error.status === 503

async function open(on: Storage, stalenessMs: number): Promise<Kernel> {
  for (;;) {
    try {
      return await createKernel({ storage: on, seal: SEAL, cache: { stalenessMs } })
    } catch (error) {
      if (!isAway(error)) throw error
    }
  }
}

const exact = await open(storage, 0)
const held = await open(silent, bound)
report({ type: 'open' })
for await (const _ of received()) break
process.stdin.destroy()
const register = (kernel: Kernel) => kernel.kv2.at('registers/')
const views = { exact: register(exact), held: register(held) } as const

/** The newest version this process has seen, by register. */
const seen: number[] = new Array(registers).fill(0)
let random = worker * 7919 + 17
const draw = (below: number): number => {
  random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0
  return Math.floor((random / 2 ** 32) * below)
}

const versionOf = (reply: unknown): number => (reply as { version: number }).version

async function read(by: Event['by'], at: number): Promise<RegisterOp> {
  try {
    const { data, metadata } = await views[by].readSecret({ path: `r${at}` })
    return { kind: 'read', version: versionOf(metadata), value: (data as { value: number }).value }
  } catch (error) {
    if (error instanceof KernelError && error.status === 404) return { kind: 'read', version: 0, value: 0 }
    throw error
  }
}

async function write(by: Event['by'], at: number, value: number): Promise<RegisterOp> {
  return { kind: 'write', value, version: versionOf(await views[by].writeSecret({ path: `r${at}`, data: { value } })) }
}

async function compareAndSet(by: Event['by'], at: number, value: number): Promise<RegisterOp> {
  const expected = seen[at] as number
  try {
    const reply = await views[by].writeSecret({ path: `r${at}`, data: { value }, options: { cas: expected } })
    return { kind: 'cas', expected, value, version: versionOf(reply) }
  } catch (error) {
    if (error instanceof KernelError && error.status === 400) return { kind: 'cas', expected, value, version: 0 }
    throw error
  }
}

/** The latest end that JSON can transport. */
const NEVER = Number.MAX_VALUE

const text = new TextEncoder().encode('between processes')

/** Ciphertexts of one kernel can be decrypted by the others, also while they rotate the key. */
async function encryptAndDecrypt(): Promise<void> {
  const { ciphertext } = await held.transit.encrypt({ name: 'shared', plaintext: text })
  const { plaintext } = await exact.transit.decrypt({ name: 'shared', ciphertext })
  if (Buffer.compare(plaintext, text) !== 0) throw new Error('what was encrypted came back as something else')
  if (draw(20) === 0) await held.transit.rotateKey({ name: 'shared' })
}

let left = calls
let events: Event[] = []

async function lane(): Promise<void> {
  while (left-- > 0) {
    if (left === calls >> 1) report({ type: 'midway' })
    const value = worker * 1_000_000 + left + 1
    const at = draw(registers)
    const what = draw(10)
    // Writes are exact in both kernels.
    const by = draw(2) === 0 ? 'exact' : 'held'
    if (what === 9) {
      await encryptAndDecrypt().catch((error: unknown) => {
        if (!isAway(error)) throw error
      })
      continue
    }
    const start = now()
    const expected = seen[at] as number
    try {
      const op = await (what < 3
        ? read('exact', at)
        : what < 6
          ? read('held', at)
          : what < 7
            ? write(by, at, value)
            : compareAndSet(by, at, value))
      events.push({ register: at, by: what < 3 ? 'exact' : what < 6 ? 'held' : by, op, start, end: now() })
      seen[at] = Math.max(seen[at] as number, op.version ?? 0)
    } catch (error) {
      if (!isAway(error)) throw error
      const op: RegisterOp = { ...(what < 7 ? { kind: 'write' } : { kind: 'cas', expected }), value, version: undefined }
      if (what >= 6) events.push({ register: at, by, op, start, end: NEVER })
    }
    if (events.length === 500) flush()
  }
}

function flush(): void {
  report({ type: 'history', events })
  events = []
}

await Promise.all(Array.from({ length: lanes }, lane))
flush()
await Promise.all([exact.close(), held.close()])
await close()

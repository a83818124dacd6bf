/**
 * The continuous load of a primary: independent lanes that report every step before and after it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kernel } from '../../../src/index.ts'

export const PAIRS = 'pairs/'

/** Lanes by the kind of data: records that one commit writes together, single records, and local records. */
export const LANES = ['pair-a', 'pair-b', 'key-a', 'secret-a', 'secret-b', 'place-a', 'token-a'] as const

export type Lane = (typeof LANES)[number]

/** The place that a step writes, and the new value; null if the step deletes it. */
export interface Step {
  readonly place: string
  readonly value: string | null
}

export interface Acts {
  readonly begins: (lane: Lane, step: Step) => void
  readonly done: (lane: Lane) => void
}

/** The number of secrets that a lane writes in turn. */
const SECRETS = 40

const DELETED_EVERY = 7

const ROTATIONS = 30

export async function setUp(kernel: Kernel, secrets: number): Promise<void> {
  await kernel.mounts.createMount({ path: PAIRS, type: 'kv', options: { version: '2' } })
  for (let n = 0; n < secrets; n++) await kernel.kv.writeSecret({ path: `before/${n}`, data: { n } })
}

export interface Pace {
  /** The number of starts of this cluster, which makes every value unique. */
  readonly turn: number
  /** Milliseconds between the acts of a lane. */
  readonly pauseMs: number
}

export function load(kernel: Kernel, pace: Pace, acts: Acts, stop: AbortSignal): Promise<unknown> {
  return Promise.all(LANES.map((lane) => run(lane, kernel, pace, acts, stop)))
}

async function run(
  lane: Lane,
  kernel: Kernel,
  { turn, pauseMs }: Pace,
  { begins, done }: Acts,
  stop: AbortSignal,
): Promise<void> {
  const [kind = ''] = lane.split('-')
  for (let n = 0; !stop.aborted; n++) {
    const act = await ACTS[kind]?.(kernel, lane, n, `${turn}.${n}`)
    await sleep(pauseMs)
    if (!act) continue
    const [step, perform] = act
    begins(lane, step)
    await perform()
    done(lane)
  }
}

type Act = readonly [Step, () => Promise<unknown>]

const ACTS: Readonly<Record<string, (kernel: Kernel, lane: Lane, n: number, value: string) => Promise<Act>>> = {
  /** A version and its metadata. The secret contains the number of its version. */
  async pair({ kv2 }, lane, n) {
    const pairs = kv2.at(PAIRS)
    const version = (await versionOf(pairs, lane)) + 1
    if (version > 12 && n % DELETED_EVERY === 0)
      return [{ place: `pair ${lane}`, value: null }, () => pairs.deleteMetadata({ path: lane })]
    return [
      { place: `pair ${lane}`, value: String(version) },
      () =>
        pairs.writeSecret({ path: lane, data: { version, filler: 'x'.repeat((n % 20) * 50) }, options: { cas: version - 1 } }),
    ]
  },
  /** A key and the material of its versions. */
  async key({ transit }, lane, n) {
    const name = `${lane}-${Math.floor(n / ROTATIONS) % 3}`
    const { keys } = await transit.listKeys()
    if (!keys.includes(name)) return [{ place: `key ${name}`, value: '1' }, () => transit.createKey({ name })]
    const { latest_version: latest } = await transit.readKey({ name })
    return [{ place: `key ${name}`, value: String(latest + 1) }, () => transit.rotateKey({ name })]
  },
  async secret({ kv }, lane, n, value) {
    const path = `${lane}/${(n * 7) % SECRETS}`
    const place = `secret ${path}`
    if (n % DELETED_EVERY === 3) return [{ place, value: null }, () => kv.deleteSecret({ path })]
    return [{ place, value }, () => kv.writeSecret({ path, data: { n: value } })]
  },
  async place({ mounts, kv, policies }, lane, n, value) {
    const path = `${lane}-${Math.floor(n / 4) % 2}`
    const isThere = `${path}/` in (await mounts.listMounts()).mounts
    if (n % 4 === 0 && isThere) return [{ place: `mount ${path}`, value: null }, () => mounts.deleteMount({ path })]
    if (!isThere) return [{ place: `mount ${path}`, value: '' }, () => mounts.createMount({ path, type: 'kv' })]
    if (n % 4 === 3) {
      const policy = `path "${path}/*" { capabilities = ["read"] } # ${value}`
      return [{ place: `policy ${lane}`, value: policy }, () => policies.writePolicy({ name: lane, policy })]
    }
    return [{ place: `mount ${path}`, value }, () => kv.at(path).writeSecret({ path: 'only', data: { n: value } })]
  },
  async token({ tokens }, lane, _, value) {
    return [{ place: lane, value }, () => tokens.createToken({ policies: ['default'], meta: { value } })]
  },
}

export async function versionOf(pairs: ReturnType<Kernel['kv2']['at']>, path: string): Promise<number> {
  return (await missing(pairs.readMetadata({ path })))?.current_version ?? 0
}

/** Undefined for status 404. */
export async function missing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if ((error as { readonly status?: number }).status === 404) return undefined
    throw error
  }
}

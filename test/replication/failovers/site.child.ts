/**
 * One cluster: a kernel on LMDB that other clusters reach over TCP. killed.slow.test.ts starts it, sends it commands and kills it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { tcpTransport } from '../../../src/adapters/replication-tcp/index.ts'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import { createKernel, type KernelOptions, keySeal } from '../../../src/index.ts'
import { childArguments, received, send } from '../../fixtures/child-side.ts'
import { fastClock } from '../../fixtures/fast-clock.ts'

export interface SiteArguments {
  readonly path: string
  /** `host:port` */
  readonly address: string
  readonly kind: 'performance' | 'dr'
  readonly seal: number
  /** The machine's time in milliseconds at which the clocks of all clusters began. */
  readonly began: number
  /** The replication options of the kernel, such as `ack`. */
  readonly options: NonNullable<KernelOptions['replication']>
}

export interface LostText {
  readonly key: string
  /** The bytes of the record as characters. */
  readonly text: string
}

type Plain = 'enable' | 'demote' | 'rest' | 'status' | 'held' | 'lost' | 'forget' | 'end'

export type ParentMessage =
  | { readonly [K in Plain]: { readonly ask: K } }[Plain]
  | { readonly [K in 'join' | 'follow']: { readonly ask: K; readonly token: string } }['join' | 'follow']
  | { readonly ask: 'token'; readonly id: string }
  | { readonly ask: 'promote'; readonly force: boolean }
  | { readonly ask: 'write'; readonly name: string }

export interface Status {
  readonly mode: string
  readonly state?: string
  readonly merkle_root?: string
  readonly lag?: number
  readonly lost_writes?: number
  readonly last_error?: string
}

/** The answer to each command. */
export interface Answers {
  readonly token: string
  readonly promote: readonly string[]
  readonly status: Status
  /** The written values that exist. */
  readonly held: readonly string[]
  readonly lost: readonly LostText[]
}

export type ChildMessage =
  | { readonly type: 'open' }
  /** A write was acknowledged. */
  | { readonly type: 'wrote'; readonly what: string }
  | { readonly type: 'answer'; readonly value: unknown }
  | { readonly type: 'refused'; readonly status: number; readonly message: string }

/** How much faster the clock runs, so that claims of a killed process expire after three seconds. */
const SPEED = 10
const LANES = 4
/** Milliseconds between the writes of a lane, so that the load leaves processor time for replication. */
const PAUSE_MS = 5
const TOKENS_EVERY = 5

const { path, address, kind, seal, began, options } = childArguments<SiteArguments>()
const report = (message: ChildMessage): void => send(message)
const clock = fastClock(began, SPEED)
const storage = lmdbStorage({ path })
const kernel = await createKernel({
  storage,
  seal: keySeal(new Uint8Array(32).fill(seal)),
  clock,
  crypto: nodeCrypto(),
  initialize: true,
  // A minute of the machine's clock.
  effectTimeoutMs: 60_000 * SPEED,
  ports: { replication: tcpTransport() },
  replication: { clusterAddress: address, ...options },
})
const role = kind === 'dr' ? kernel.replication.dr : kernel.replication
let working = new AbortController()
let work: Promise<unknown> = Promise.resolve()

async function lane(name: string, nth: number, stop: AbortSignal): Promise<void> {
  for (let n = 0; !stop.aborted; n++, await sleep(PAUSE_MS)) {
    const secret = `load/${name}/${nth}-${n}`
    await kernel.kv.writeSecret({ path: secret, data: { v: `value of ${secret}.` } })
    report({ type: 'wrote', what: secret })
    // Only DR replicates tokens.
    if (kind !== 'dr' || n % TOKENS_EVERY > 0) continue
    const { accessor } = await kernel.tokens.createToken({ policies: ['default'], ttl: '3000h' })
    report({ type: 'wrote', what: `token ${accessor}` })
  }
}

async function held(): Promise<readonly string[]> {
  const found: string[] = []
  const namesIn = async (folder: string): Promise<readonly string[]> =>
    (
      await kernel.kv.listSecrets({ path: folder }).catch((error: { readonly status?: number }) => {
        if (error.status === 404) return { keys: [] }
        throw error
      })
    ).keys
  for (const name of await namesIn('load')) for (const path of await namesIn(`load/${name}`)) found.push(`load/${name}${path}`)
  for (const accessor of (await kernel.tokens.listAccessors()).keys) found.push(`token ${accessor}`)
  return found
}

async function lost(): Promise<readonly LostText[]> {
  const found: LostText[] = []
  for await (const { key, value = [] } of role.exportLost()) found.push({ key, text: Buffer.from(value).toString('latin1') })
  return found
}

async function answer(message: ParentMessage): Promise<unknown> {
  if (message.ask === 'enable') return role.enablePrimary()
  if (message.ask === 'demote') return role.demotePrimary()
  if (message.ask === 'token') return (await role.createSecondaryToken({ id: message.id, ttl: '3000h' })).wrap_info?.token
  if (message.ask === 'join') return role.enableSecondary({ token: message.token })
  if (message.ask === 'follow') return role.updatePrimary({ token: message.token })
  if (message.ask === 'promote') return (await role.promote({ force: message.force })).warnings
  if (message.ask === 'status') return role.readStatus()
  if (message.ask === 'held') return held()
  if (message.ask === 'lost') return lost()
  if (message.ask === 'forget') return role.forgetLostWrites()
  if (message.ask === 'write') {
    working = new AbortController()
    const { signal } = working
    work = Promise.all(Array.from({ length: LANES }, (_, nth) => lane(message.name, nth, signal)))
    work.catch(() => {})
    return undefined
  }
  working.abort()
  return work.then(() => undefined)
}

const stop = kernel.start()
report({ type: 'open' })
for await (const message of received() as AsyncIterable<ParentMessage>) {
  if (message.ask === 'end') break
  await answer(message).then(
    (value) => report({ type: 'answer', value }),
    ({ status = 0, message: text }: { readonly status?: number; readonly message: string }) =>
      report({ type: 'refused', status, message: text }),
  )
}
stop()
await kernel.close()
await storage.close()
process.stdin.destroy()

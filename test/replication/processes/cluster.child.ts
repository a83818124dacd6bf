/**
 * One cluster: a kernel that others connect to over TCP. Started and killed by kill.slow.test.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { tcpTransport } from '../../../src/adapters/replication-tcp/index.ts'
import { createKernel, keySeal } from '../../../src/index.ts'
import { childArguments, received, send } from '../../fixtures/child-side.ts'
import { fastClock } from '../../fixtures/fast-clock.ts'
import { openStoreAt, type StoreAt } from '../../fixtures/store-at.ts'
import { type Contents, contentsOf } from './contents.ts'
import { type Lane, load, type Step, setUp } from './load.ts'
import { Watch } from './watch.ts'

export interface ClusterArguments {
  readonly where: StoreAt
  readonly name: 'primary' | 'secondary'
  /** `host:port` */
  readonly address: string
  /** The number of starts of this cluster. */
  readonly turn: number
  /** The machine's time in milliseconds at which the clocks of all clusters began. */
  readonly began: number
}

export type ChildMessage =
  | { readonly type: 'open'; readonly mode: string }
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'joined' }
  | { readonly type: 'streams' }
  | { readonly type: 'begins'; readonly lane: Lane; readonly step: Step }
  | { readonly type: 'done'; readonly lane: Lane }
  | { readonly type: 'looked'; readonly torn: string | undefined }
  | { readonly type: 'status'; readonly root: string; readonly state: string; readonly error: string | undefined }
  | { readonly type: 'contents'; readonly contents: Contents; readonly tokens: number }

export type ParentMessage =
  | { readonly ask: 'token'; readonly id: string }
  | { readonly ask: 'join'; readonly token: string }
  | { readonly ask: 'rest' | 'status' | 'contents' | 'end' }

/** How much faster the clock runs, so that claims of a killed process expire after three seconds. */
const SPEED = 10
const SECRETS_BEFORE = 400
/** Milliseconds between the writes of a lane, so that the load leaves processor time for replication. */
const PAUSE_MS = 5
/** Milliseconds between two checks of a secondary's data. */
const LOOK_MS = 20

const { where, name, address, turn, began } = childArguments<ClusterArguments>()
const report = (message: ChildMessage): void => send(message)
const clock = fastClock(began, SPEED)
const seal = keySeal(new Uint8Array(32).fill(name === 'primary' ? 1 : 2))
const { storage, close } = openStoreAt(where)
const kernel = await createKernel({
  storage,
  seal,
  clock,
  crypto: nodeCrypto(),
  initialize: true,
  // A minute of the machine's clock.
  effectTimeoutMs: 60_000 * SPEED,
  ports: { replication: tcpTransport() },
  replication: { clusterAddress: address },
})
const working = new AbortController()

async function readMode(): Promise<string> {
  return (await kernel.replication.readStatus()).mode
}

if (name === 'primary' && (await readMode()) === 'disabled') {
  await setUp(kernel, SECRETS_BEFORE)
  await kernel.replication.enablePrimary({})
}
report({ type: 'open', mode: await readMode() })
const stop = kernel.start()

async function write(): Promise<void> {
  const acts = {
    begins: (lane: Lane, step: Step) => report({ type: 'begins', lane, step }),
    done: (lane: Lane) => report({ type: 'done', lane }),
  }
  await load(kernel, { turn, pauseMs: PAUSE_MS }, acts, working.signal)
}

async function watch(): Promise<void> {
  const looks = new Watch(kernel)
  for (let streams = false; !working.signal.aborted; ) {
    const verdict = await looks.look()
    if (verdict && !streams) report({ type: 'streams' })
    if (verdict) report({ type: 'looked', torn: verdict.torn })
    streams = verdict !== undefined
    await sleep(LOOK_MS)
  }
}

let work: Promise<void> = name === 'primary' ? write() : (await readMode()) === 'disabled' ? Promise.resolve() : watch()

async function answer(message: ParentMessage): Promise<void> {
  const { replication } = kernel
  if (message.ask === 'token') {
    const { wrap_info } = await replication.createSecondaryToken({ id: message.id, ttl: '300h' })
    report({ type: 'token', token: wrap_info?.token ?? '' })
  } else if (message.ask === 'join') {
    await replication.enableSecondary({ token: message.token })
    report({ type: 'joined' })
    work = watch()
  } else if (message.ask === 'rest') {
    working.abort()
    await work
  } else if (message.ask === 'status') {
    const { merkle_root: root = '', state = '', last_error: error } = await replication.readStatus()
    report({ type: 'status', root, state, error })
  } else if (message.ask === 'contents') {
    const tokens = (await kernel.tokens.listAccessors()).keys.length
    report({ type: 'contents', contents: await contentsOf(kernel), tokens })
  }
}

for await (const message of received() as AsyncIterable<ParentMessage>) {
  if (message.ask === 'end') break
  await answer(message)
}
stop()
await kernel.close()
await close()
process.stdin.destroy()

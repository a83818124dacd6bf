/**
 * A kernel's insides: put together, opened, sealed, closed. Room: core. Imported by the composition root, which brings the engines.
 */
import { hashToken, newToken, ROOT_TOKEN, ROOT_TOKEN_ID, Tokens } from './auth/root-token.ts'
import { Barrier } from './barrier/barrier.ts'
import { type BootParts, initialize, isInitialized, unseal } from './boot.ts'
import { systemClock } from './clock.ts'
import type { Wipeable } from './crypto/backend.ts'
import { nobleCrypto } from './crypto/noble/index.ts'
import { KeyCache } from './crypto/pins.ts'
import { Claims } from './due/claims.ts'
import { systemEntropy } from './entropy.ts'
import { KernelError } from './errors.ts'
import { base62, uuid } from './identifiers.ts'
import type { Engine } from './mount/engine.ts'
import { CORE, MountTable, newMount } from './mount/mount-table.ts'
import type { KernelOptions } from './options.ts'
import { Gate } from './request/gate.ts'
import { PathView } from './request/path-view.ts'
import { Targets } from './request/targets.ts'
import type { Change, Op } from './storage/port.ts'
import { RecordCache } from './transaction/cache.ts'
import { Counters } from './transaction/counters.ts'
import type { Host } from './transaction/host.ts'
import { splitFormat, withFormat } from './transaction/record-kind.ts'
import { Store } from './transaction/store.ts'

const DEFAULT_PREFIX = 'strongroom'
const DEFAULT_HEADERS = 'X-Service'
const DEFAULT_RECORDS = 10_000
const DEFAULT_KEYS = 512
const ROOT_TOKEN_KEY = `${ROOT_TOKEN.class}/${CORE}/${ROOT_TOKEN.folder}/${ROOT_TOKEN_ID}`

/** What a fresh store has mounted. */
export interface InitialMount {
  readonly path: string
  readonly engine: Engine
}

export interface Insides {
  readonly host: Host
  readonly gate: Gate
  readonly mounts: MountTable
  readonly claims: Claims
  readonly pathView: PathView
  readonly boot: BootParts
  readonly tokens: Tokens
  /** Aborted when the kernel closes. */
  readonly closed: AbortController
  /** Ends the watch on a storage that others write to as well. */
  unwatch: () => Promise<void>
  /** An unseal under way. */
  opening: Promise<void> | undefined
  /** Counts seals and the close, so that an unseal under way learns of them. */
  turn: number
}

const NOT_WATCHING = async (): Promise<void> => {}

export function assemble(options: KernelOptions, engines: readonly Engine[]): Insides {
  const clock = options.clock ?? systemClock
  const entropy = options.entropy ?? systemEntropy()
  const crypto = options.crypto ?? nobleCrypto()
  const barrier = new Barrier(entropy)
  const store = new Store(options.storage, barrier, clock, entropy)
  const closed = new AbortController()
  const cache = new RecordCache(options.cache?.records ?? DEFAULT_RECORDS)
  const host: Host = {
    env: {
      crypto,
      entropy,
      ciphertextPrefix: options.naming?.ciphertext_prefix ?? DEFAULT_PREFIX,
      fips: options.fips ?? false,
      ports: options.ports ?? {},
      closing: closed.signal,
    },
    clock,
    store,
    cache,
    keys: new KeyCache<Wipeable>(options.cache?.keys ?? DEFAULT_KEYS),
    counters: new Counters({ store, cache }),
  }
  const gate = new Gate()
  const tokens = new Tokens()
  const mounts = new MountTable(host, engines)
  const headerPrefix = options.naming?.header_prefix ?? DEFAULT_HEADERS
  return {
    host,
    gate,
    mounts,
    tokens,
    claims: new Claims(store, clock, base62(entropy, 16)),
    pathView: new PathView({ gate, clock, entropy, tokens, headerPrefix, targets: new Targets(mounts) }),
    boot: { store, barrier, seal: options.seal, crypto, entropy, now: () => clock.now() },
    closed,
    unwatch: NOT_WATCHING,
    opening: undefined,
    turn: 0,
  }
}

/**
 * Opens the store, after initialising it where that is wanted and due.
 * @returns The root token where this call made one.
 */
export async function start(insides: Insides, wanted: boolean, initial: readonly InitialMount[]): Promise<string | undefined> {
  const { store, env } = insides.host
  let rootToken: string | undefined
  if (!(await isInitialized(store))) {
    if (!wanted) return undefined
    const token = newToken(env.entropy)
    if (await initialize(insides.boot, () => firstRecords(insides.host, token, initial))) rootToken = token
  }
  await open(insides)
  return rootToken
}

function firstRecords({ store, env }: Host, token: string, initial: readonly InitialMount[]): readonly Op[] {
  const mounts = initial.map(({ path, engine: { type } }) => {
    const [id, name] = [uuid(env.entropy.bytes(16)), uuid(env.entropy.bytes(16))]
    return newMount(store, { uuid: id, type, path, accessor: `${type}_${name.slice(0, 8)}` })
  })
  const root = withFormat(ROOT_TOKEN.format, ROOT_TOKEN.encode({ hash: hashToken(token) }))
  return [...mounts, store.sealed(ROOT_TOKEN_KEY, root, 0)]
}

/** Unseals, follows what others write to the same store, and reads what every request needs. A call during another one joins it. */
export function open(insides: Insides): Promise<void> {
  insides.opening ??= openOnce(insides, insides.turn).finally(() => {
    insides.opening = undefined
  })
  return insides.opening
}

/** @param turn What `insides.turn` was when this was asked for: a seal or a close meanwhile wins. */
async function openOnce(insides: Insides, turn: number): Promise<void> {
  const { store } = insides.host
  try {
    if (!insides.boot.barrier.open) await unseal(insides.boot)
    if (store.storage.caps.shared) {
      await insides.unwatch()
      insides.unwatch = await store.storage.watch('', await store.storage.revision(true), (change) => follow(insides, change))
    }
    await insides.mounts.load()
    const [token] = await store.getMany([ROOT_TOKEN_KEY])
    if (token) {
      const [format, bytes] = splitFormat(ROOT_TOKEN, token.value)
      insides.tokens.load(ROOT_TOKEN.decode(bytes, format))
    }
    if (insides.turn !== turn) throw new KernelError('ERR_SEALED', 'the kernel was sealed or closed while it was being unsealed')
    insides.gate.state = 'open'
  } catch (error) {
    await insides.unwatch()
    insides.unwatch = NOT_WATCHING
    forgetSecrets(insides)
    throw error
  }
}

/** What others committed: their records are not ours any more. A key record is written once, so one that changes is gone. */
function follow({ host }: Insides, change: Change): void {
  host.cache.apply(change)
  if (!change.keys) host.keys.clear()
  for (const key of change.keys ?? []) {
    const [, , , owner, version] = key.split('/')
    if (owner !== undefined && version !== undefined) host.keys.dropVersion(owner, Number(version))
  }
}

/** Later requests are refused; a running one ends with the keys it holds, which are wiped then. */
export function seal(insides: Insides): void {
  insides.turn++
  if (insides.gate.state !== 'open') return
  insides.gate.state = 'sealed'
  forgetSecrets(insides)
}

function forgetSecrets({ host, boot, tokens }: Insides): void {
  host.keys.clear()
  host.cache.clear()
  boot.barrier.seal()
  tokens.forget()
}

export async function shutDown(insides: Insides): Promise<void> {
  const wasOpen = insides.gate.state === 'open'
  insides.turn++
  insides.gate.state = 'closed'
  insides.closed.abort(new TypeError('the kernel is closed'))
  await insides.opening?.catch(() => {})
  await insides.gate.idle()
  if (wasOpen) {
    // What is left of reservations and cannot be given back counts as used; a claim that cannot expires.
    await insides.host.counters.release().catch(() => {})
    await insides.claims.release().catch(() => {})
  }
  await insides.unwatch()
  insides.unwatch = NOT_WATCHING
  forgetSecrets(insides)
}

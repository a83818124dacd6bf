/**
 * Initializes a store in two commits. The first commit writes the keys and the first records; the second commit removes the mark `untold`
 * from the seal record, and then the shares are returned. A request that is refused stores nothing.
 *
 * If the process stops between the two commits, the shares are lost. Such a store counts as not initialized, and the next initialization
 * replaces all its records.
 */
import { encodeFirstRing } from '../barrier/key-ring.ts'
import { encodeBase64 } from '../base/base64.ts'
import { invalid, KernelError } from '../base/errors.ts'
import { checkCounts, type ShareCounts, splitKey } from '../crypto/shamir/shares.ts'
import type { Op, Revision } from '../storage/port.ts'
import type { Store } from '../transaction/store.ts'
import { freshStamp } from '../transaction/store-format.ts'
import type { KeeperParts } from './keeper.ts'
import { expandRing, putRing, putSeal, putShareKey } from './key-records.ts'
import type { EncodedShares, PgpRecipients } from './pgp-recipients.ts'
import { ROOT_KEY_BYTES } from './root-key.ts'
import { isAutomatic } from './seal.ts'
import { decodeSealRecord, SEAL_KEY, type SealRecord } from './seal-record.ts'
import { wrapByShares } from './wrapping.ts'

/** The share counts and PGP keys of an initialization request. A missing member means 0, no keys or no key. */
export interface InitializeInput {
  readonly secret_shares?: number | undefined
  readonly secret_threshold?: number | undefined
  readonly pgp_keys?: readonly string[] | undefined
  readonly recovery_shares?: number | undefined
  readonly recovery_threshold?: number | undefined
  readonly recovery_pgp_keys?: readonly string[] | undefined
  readonly root_token_pgp_key?: string | undefined
}

export interface Initialized {
  /**
   * The shares that unseal the store, in hexadecimal, or as hexadecimal PGP messages. Empty if the seal unseals the store without shares.
   */
  readonly keys: readonly string[]
  /** `keys` in base64. */
  readonly keys_base64: readonly string[]
  /** The shares of the recovery key. Absent if none were requested. */
  readonly recovery_keys?: readonly string[]
  /** `recovery_keys` in base64. */
  readonly recovery_keys_base64?: readonly string[]
  /** The root token, or a PGP message in base64 that contains it. */
  readonly root_token: string
}

/**
 * A checked initialization request: the number of shares to create, and the PGP keys to which the shares and the root token are encrypted.
 * Whether the store is already initialized was not checked.
 */
interface InitializePlan {
  /** Undefined if no shares are created: the seal is automatic, and no recovery shares were requested. */
  readonly counts: ShareCounts | undefined
  readonly pgpKeys: readonly string[]
  /** The PGP key for the root token. Empty if the token is returned in clear text. */
  readonly tokenKey: string
}

const MANUAL = ['secret_shares', 'secret_threshold', 'pgp_keys'] as const
const RECOVERY = ['recovery_shares', 'recovery_threshold', 'recovery_pgp_keys'] as const

/** @throws KernelError 400 */
export async function planInitialization(
  { seal }: KeeperParts,
  recipients: PgpRecipients,
  input: InitializeInput,
  isUnauthenticated: boolean,
): Promise<InitializePlan> {
  const automatic = isAutomatic(seal)
  const foreign = (automatic ? MANUAL : RECOVERY).filter((name) => isGiven(input[name]))
  if (foreign.length > 0) throw invalid(`parameters ${foreign.join(',')} not applicable to seal type ${seal.type}`)
  const [shares, threshold, keys] = automatic ? RECOVERY : MANUAL
  const counts = { secret_shares: input[shares] ?? 0, secret_threshold: input[threshold] ?? 0 }
  const hasShares = !automatic || counts.secret_shares !== 0 || counts.secret_threshold !== 0
  if (hasShares) checkCounts(counts)
  const pgpKeys = input[keys] ?? []
  if (pgpKeys.length > 0 && pgpKeys.length !== counts.secret_shares)
    throw invalid(`${keys}: must have one key for each of the ${counts.secret_shares} shares, but has ${pgpKeys.length}`)
  const tokenKey = input.root_token_pgp_key ?? ''
  await recipients.fingerprints(pgpKeys, keys, isUnauthenticated)
  if (tokenKey !== '') await recipients.fingerprints([tokenKey], 'root_token_pgp_key', isUnauthenticated)
  return { counts: hasShares ? counts : undefined, pgpKeys, tokenKey }
}

const isGiven = (value: number | readonly string[] | undefined): boolean =>
  typeof value === 'number' ? value !== 0 : (value?.length ?? 0) > 0

export interface InitializedStore {
  readonly record: SealRecord
  readonly shown: Initialized
  readonly rootToken: string
}

/**
 * Writes all records of the new store. During the call, the barrier is open with the store's first barrier key.
 * @param records Returns the first records, encrypted by the barrier, and the root token.
 * @returns Undefined if another process has initialized the store meanwhile. In that case, no record that this call wrote remains in the
 * store.
 */
export async function initializeStore(
  parts: KeeperParts,
  recipients: PgpRecipients,
  plan: InitializePlan,
  records: () => { readonly ops: readonly Op[]; readonly rootToken: string },
): Promise<InitializedStore | undefined> {
  const { store, barrier, crypto, entropy, now } = parts
  const rootKey = entropy.bytes(ROOT_KEY_BYTES)
  const barrierKey = entropy.bytes(ROOT_KEY_BYTES)
  const shareKey = plan.counts ? entropy.bytes(ROOT_KEY_BYTES) : undefined
  const opened = expandRing(encodeFirstRing(barrierKey, now()), crypto)
  try {
    const record = await firstRecord(parts, plan, rootKey, shareKey)
    const shares = plan.counts && shareKey ? splitKey(shareKey, plan.counts, entropy) : []
    const given = await recipients.encodeShares(shares, plan.pgpKeys)
    for (const share of shares) share.fill(0)
    barrier.unseal(opened.ring)
    const { ops, rootToken } = records()
    const root_token = plan.tokenKey === '' ? rootToken : encodeBase64(await recipients.encrypt(rootToken, plan.tokenKey))
    const made = [
      freshStamp(),
      putSeal({ ...record, untold: true }, 0),
      ...putRing(parts, opened, rootKey, { ring: 0, rootKey: 0 }),
      ...(record.type === 'shamir' && shareKey ? [putShareKey(parts, opened.ring, shareKey)] : []),
      ...ops,
    ]
    const verdict = await store.commit(replaceAll(await unfinishedRecords(store), made))
    if (!verdict.ok || !(await markReturned(store, record, verdict.revision))) return undefined
    return { record, shown: { ...shown(record, given), root_token }, rootToken }
  } finally {
    // Seal the barrier again: the kernel unseals the store afterwards in the usual way and then reads the keys from the store.
    barrier.seal()
    opened.end()
    for (const secret of [rootKey, barrierKey, shareKey]) secret?.fill(0)
  }
}

async function firstRecord(
  { seal, crypto, entropy }: KeeperParts,
  { counts }: InitializePlan,
  rootKey: Uint8Array,
  shareKey: Uint8Array | undefined,
): Promise<SealRecord> {
  const beginning = { type: seal.type, epoch: 0, attempts: 0 }
  if (!isAutomatic(seal)) {
    const { secret_shares: shares, secret_threshold: threshold } = counts as ShareCounts
    const wrapped = wrapByShares(crypto, shareKey as Uint8Array, rootKey, entropy)
    return { ...beginning, wrapped, shares, threshold, recovery: undefined }
  }
  const wrapped = await seal.wrap(rootKey)
  const recovery = counts &&
    shareKey && {
      shares: counts.secret_shares,
      threshold: counts.secret_threshold,
      wrapped: await seal.wrap(shareKey),
    }
  return { ...beginning, wrapped, shares: 1, threshold: 1, recovery }
}

function shown({ type, recovery }: SealRecord, { keys, keys_base64 }: EncodedShares): Omit<Initialized, 'root_token'> {
  if (type === 'shamir') return { keys, keys_base64 }
  const none = { keys: [], keys_base64: [] }
  return recovery ? { ...none, recovery_keys: keys, recovery_keys_base64: keys_base64 } : none
}

/**
 * Completes the initialization: removes the mark `untold`, which means that the shares were not returned yet. Returns false if another
 * process has initialized the store meanwhile.
 */
async function markReturned(store: Store, record: SealRecord, version: Revision): Promise<boolean> {
  try {
    return (await store.commit([putSeal(record, version)])).ok
  } catch {
    // The shares are valid even if this commit failed, so return them. If the mark remains, the first process that unseals the store
    // removes it.
    return true
  }
}

/** Whether the store is initialized. */
export async function isInitialized({ store }: Pick<KeeperParts, 'store'>): Promise<boolean> {
  const [seal] = await store.storedValues([SEAL_KEY])
  return seal !== undefined && !decodeSealRecord(seal).untold
}

/**
 * The error for a store that cannot be initialized: the storage does not return what was written to it, or other processes keep
 * initializing the store.
 */
export const cannotInitializeError = (): KernelError =>
  new KernelError(
    'ERR_UNAVAILABLE',
    'the store cannot be initialized: the storage does not return what was written to it, or other processes keep initializing the store',
  )

/** The maximum number of attempts to read the records of an unfinished initialization while other processes initialize the store. */
const MAX_TRIES = 20

/** The records of an unfinished initialization, with their versions. Empty if no process stopped during an initialization. */
async function unfinishedRecords(store: Store): Promise<ReadonlyMap<string, Revision>> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const [seal] = await store.entries([SEAL_KEY])
    if (!seal || !decodeSealRecord(seal.value).untold) return new Map()
    const keys = await store.list('')
    const versions = await store.versions(keys)
    const left = new Map(keys.map((key, index) => [key, versions[index] as Revision]))
    // Every initialization writes the seal record. If the seal record is still unchanged, all listed keys are from the same initialization.
    if (left.get(SEAL_KEY) === seal.version) return left
    await store.backOff(Math.min(tries, 6))
  }
  throw cannotInitializeError()
}

/** The storage operations that write the new records and delete the remaining records of the unfinished initialization. */
function replaceAll(left: ReadonlyMap<string, Revision>, made: readonly Op[]): Op[] {
  const keys = new Set<string>()
  const writes = made.map((op) => {
    if (op.op !== 'put') throw new TypeError('an initialization must consist of put operations')
    keys.add(op.key)
    return { ...op, expect: left.get(op.key) ?? 0 }
  })
  const gone = [...left].filter(([key]) => !keys.has(key))
  return [...writes, ...gone.map(([key, expect]) => ({ op: 'del', key, expect }) as const)]
}

/**
 * A new store: its keys, its shares, its first records, in one commit. Nothing is stored by what is refused. Room: core/seal. Imported by the
 * lifecycle.
 */
import { firstRing } from '../barrier/key-ring.ts'
import { encodeBase64 } from '../base64.ts'
import { invalid } from '../errors.ts'
import type { Op } from '../storage/port.ts'
import { freshStamp } from '../store-format.ts'
import type { KeeperParts } from './keeper.ts'
import { expand, putRing, putSeal, putShareKey } from './key-records.ts'
import type { GivenOut, PgpRecipients } from './pgp-recipients.ts'
import { ROOT_KEY_BYTES } from './root-key.ts'
import { isAutomatic } from './seal.ts'
import { SEAL_KEY, type SealRecord } from './seal-record.ts'
import { checkCounts, type ShareCounts, splitKey } from './shares.ts'
import { wrapByShares } from './wrapping.ts'

/** Absent, 0 and empty are the same. */
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
  /** Shares that open the store, hexadecimal, or PGP messages of them; none where the seal opens it. */
  readonly keys: readonly string[]
  readonly keys_base64: readonly string[]
  /** Shares of the recovery key, where one was asked for. */
  readonly recovery_keys?: readonly string[]
  readonly recovery_keys_base64?: readonly string[]
  /** The token, or base64 of a PGP message of it. */
  readonly root_token: string
}

/** What is to be given out, and to whom. Made of it is everything about a request that can be refused, but that the store is there already. */
export interface InitializePlan {
  /** Undefined: an automatic seal without recovery shares. */
  readonly counts: ShareCounts | undefined
  readonly pgpKeys: readonly string[]
  /** Empty: the root token is shown as it is. */
  readonly tokenKey: string
}

const MANUAL = ['secret_shares', 'secret_threshold', 'pgp_keys'] as const
const RECOVERY = ['recovery_shares', 'recovery_threshold', 'recovery_pgp_keys'] as const

/** @throws KernelError 400 */
export async function planInitialization(
  { seal }: KeeperParts,
  recipients: PgpRecipients,
  input: InitializeInput,
): Promise<InitializePlan> {
  const automatic = isAutomatic(seal)
  const foreign = (automatic ? MANUAL : RECOVERY).filter((name) => isGiven(input[name]))
  if (foreign.length > 0) throw invalid(`parameters ${foreign.join(',')} not applicable to seal type ${seal.type}`)
  const [shares, threshold, keys] = automatic ? RECOVERY : MANUAL
  const counts = { secret_shares: input[shares] ?? 0, secret_threshold: input[threshold] ?? 0 }
  const wanted = !automatic || counts.secret_shares !== 0 || counts.secret_threshold !== 0
  if (wanted) checkCounts(counts)
  const pgpKeys = input[keys] ?? []
  if (pgpKeys.length > 0 && pgpKeys.length !== counts.secret_shares)
    throw invalid(`${keys}: there must be one key for each share, ${counts.secret_shares} and not ${pgpKeys.length}`)
  const tokenKey = input.root_token_pgp_key ?? ''
  await recipients.fingerprints(pgpKeys, keys)
  if (tokenKey !== '') await recipients.fingerprints([tokenKey], 'root_token_pgp_key')
  return { counts: wanted ? counts : undefined, pgpKeys, tokenKey }
}

const isGiven = (value: number | readonly string[] | undefined): boolean =>
  typeof value === 'number' ? value !== 0 : (value?.length ?? 0) > 0

/**
 * Writes the store, with the barrier open under its first key for as long as that takes.
 * @param records The records behind the barrier, and the root token.
 * @returns Undefined when somebody else initialised the store meanwhile; then nothing was written.
 */
export async function initializeStore(
  parts: KeeperParts,
  recipients: PgpRecipients,
  plan: InitializePlan,
  records: () => { readonly ops: readonly Op[]; readonly rootToken: string },
): Promise<{ readonly shown: Initialized; readonly rootToken: string } | undefined> {
  const { store, barrier, crypto, entropy, now } = parts
  const rootKey = entropy.bytes(ROOT_KEY_BYTES)
  const barrierKey = entropy.bytes(ROOT_KEY_BYTES)
  const shareKey = plan.counts ? entropy.bytes(ROOT_KEY_BYTES) : undefined
  const opened = expand(firstRing(barrierKey, now()), crypto)
  try {
    const record = await firstRecord(parts, plan, rootKey, shareKey)
    const shares = plan.counts && shareKey ? splitKey(shareKey, plan.counts, entropy) : []
    const given = await recipients.giveOut(shares, plan.pgpKeys)
    for (const share of shares) share.fill(0)
    barrier.unseal(opened.ring)
    const { ops, rootToken } = records()
    const root_token = plan.tokenKey === '' ? rootToken : encodeBase64(await recipients.encrypt(rootToken, plan.tokenKey))
    const verdict = await store.commit([
      freshStamp(),
      putSeal(record, 0),
      ...putRing(parts, opened, rootKey, { ring: 0, rootKey: 0 }),
      ...(record.type === 'shamir' && shareKey ? [putShareKey(parts, opened.ring, shareKey)] : []),
      ...ops,
    ])
    return verdict.ok ? { shown: { ...shown(record, given), root_token }, rootToken } : undefined
  } finally {
    // What is needed of it later is read from the store like by everybody else.
    barrier.seal()
    opened.end()
    for (const secret of [rootKey, barrierKey, shareKey]) secret?.fill(0)
  }
}

async function firstRecord(
  { seal, crypto, entropy, closing }: KeeperParts,
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
  const wrapped = await seal.wrap(rootKey, closing)
  const recovery = counts &&
    shareKey && {
      shares: counts.secret_shares,
      threshold: counts.secret_threshold,
      wrapped: await seal.wrap(shareKey, closing),
    }
  return { ...beginning, wrapped, shares: 1, threshold: 1, recovery }
}

function shown({ type, recovery }: SealRecord, { keys, keys_base64 }: GivenOut): Omit<Initialized, 'root_token'> {
  if (type === 'shamir') return { keys, keys_base64 }
  const none = { keys: [], keys_base64: [] }
  return recovery ? { ...none, recovery_keys: keys, recovery_keys_base64: keys_base64 } : none
}

/** Whether the store has been initialised, by anybody. */
export async function isInitialized({ store }: Pick<KeeperParts, 'store'>): Promise<boolean> {
  const [version] = await store.versions([SEAL_KEY])
  return version !== 0
}

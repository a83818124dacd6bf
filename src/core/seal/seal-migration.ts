/**
 * Moves a store to another seal. A move between two automatic seals needs no shares; any other move needs them.
 *
 * Anyone who can configure a kernel with both automatic seals can already unseal the store. So a move between automatic seals is made
 * without further consent when the store is unsealed. For a move between shares and an automatic seal, the share holders must agree: they
 * enter their shares in unseal requests with `migrate`.
 */
import { KernelError } from '../base/errors.ts'
import type { Op } from '../storage/port.ts'
import type { KeeperParts, SealKeeper } from './keeper.ts'
import { type KeyRecords, openKeys, putRing, putSeal, putShareKey, readKeyRecords, SHARE_KEY } from './key-records.ts'
import { ROOT_KEY_BYTES } from './root-key.ts'
import { isAutomatic } from './seal.ts'
import type { SealRecord } from './seal-record.ts'
import { unwrapByShares, wrapByShares } from './wrapping.ts'

/**
 * Whether moving the store to the current seal requires shares of the former seal.
 * @throws KernelError 503 if neither the current seal nor the former seal can unseal the store.
 */
export function awaitsMigration(record: SealRecord, { seal, former }: Pick<KeeperParts, 'seal' | 'former'>): boolean {
  if (record.type === seal.type) return false
  if (record.type === 'shamir') return true
  if (former?.type !== record.type)
    throw new KernelError(
      'ERR_SEALED',
      `the store is sealed with a seal of type ${record.type}, not ${seal.type}: pass the former seal as previousSeal`,
    )
  if (isAutomatic(seal)) return false
  if (!record.recovery)
    throw new KernelError(
      'ERR_SEALED',
      'the store has no recovery shares, which would become the shares of the new seal: create recovery shares first',
    )
  return true
}

/**
 * Unseals the store with its automatic seal. If the keys were wrapped by the former seal, or with a former key of the current seal, wraps
 * them again with the current key of the current seal.
 */
export async function unlockAutomatically(keeper: SealKeeper): Promise<void> {
  const { store, seal } = keeper.parts
  for (let tries = 1; ; tries++) {
    const records = await readKeyRecords(store)
    if (!records) throw new KernelError('ERR_NOT_INITIALIZED', 'the store is not initialized')
    const rootKey = await keeper.unwrap(records.seal.type, records.seal.wrapped)
    if (!isOutdated(records.seal, keeper) || (await rewrap(keeper, records, rootKey))) return keeper.unlock(records, rootKey)
    rootKey.fill(0)
    if (tries > 20)
      throw new KernelError('ERR_UNAVAILABLE', `other processes keep changing the seal of type ${seal.type}; try again`)
    await store.backOff(Math.min(tries, 6))
  }
}

function isOutdated({ type, wrapped, recovery }: SealRecord, { parts: { seal } }: SealKeeper): boolean {
  if (!isAutomatic(seal)) return false
  if (type !== seal.type) return true
  return (seal.outdated?.(wrapped) ?? false) || (recovery !== undefined && (seal.outdated?.(recovery.wrapped) ?? false))
}

async function rewrap(keeper: SealKeeper, { seal: record, versions }: KeyRecords, rootKey: Uint8Array): Promise<boolean> {
  const { store, seal } = keeper.parts
  const wrapped = await keeper.wrap(rootKey)
  let { recovery } = record
  if (recovery) {
    const recoveryKey = await keeper.unwrap(record.type, recovery.wrapped)
    recovery = { ...recovery, wrapped: await keeper.wrap(recoveryKey) }
    recoveryKey.fill(0)
  }
  const verdict = await store.commit([putSeal({ ...record, type: seal.type, wrapped, recovery }, versions.seal)])
  return verdict.ok
}

/**
 * Unseals the store with the key that was reconstructed from shares. If necessary, moves the store to the current seal first.
 * @returns False if the key is wrong. Then nothing has changed.
 */
export async function unlockByKey(keeper: SealKeeper, key: Uint8Array): Promise<boolean> {
  const { store, crypto } = keeper.parts
  let records = await readKeyRecords(store)
  if (records && awaitsMigration(records.seal, keeper.parts)) {
    if (!(await migrate(keeper, records, key))) return false
    records = await readKeyRecords(store)
  }
  if (!records) throw new KernelError('ERR_NOT_INITIALIZED', 'the store is not initialized')
  const { seal } = records
  const rootKey =
    seal.type === 'shamir'
      ? unwrapByShares(crypto, key, seal.wrapped)
      : (await keeper.authorizes(seal, key)) && (await keeper.unwrap(seal.type, seal.wrapped))
  if (!rootKey) return false
  await keeper.unlock(records, rootKey)
  return true
}

/**
 * Moves the store from shares to an automatic seal or back, and replaces the root key. The shares stay the same, but their role changes:
 * unseal shares become recovery shares, and recovery shares become unseal shares.
 * @returns False if the key is wrong.
 */
async function migrate(keeper: SealKeeper, records: KeyRecords, key: Uint8Array): Promise<boolean> {
  const { parts } = keeper
  const old = await formerRootKey(keeper, records, key)
  if (!old) return false
  const opened = openKeys(parts, records, old)
  old.fill(0)
  const rootKey = parts.entropy.bytes(ROOT_KEY_BYTES)
  try {
    const record = await migratedRecord(keeper, records.seal, key, rootKey)
    const shareKey: Op = isAutomatic(parts.seal) ? { op: 'del', key: SHARE_KEY } : putShareKey(parts, opened.ring, key)
    const ops = [putSeal(record, records.versions.seal), ...putRing(parts, opened, rootKey, records.versions), shareKey]
    const verdict = await parts.store.commit(ops)
    if (!verdict.ok) throw new KernelError('ERR_UNAVAILABLE', 'another process has just changed the seal of the store; try again')
  } finally {
    rootKey.fill(0)
    opened.end()
  }
  return true
}

async function formerRootKey(keeper: SealKeeper, { seal }: KeyRecords, key: Uint8Array): Promise<Uint8Array | undefined> {
  if (seal.type === 'shamir') return unwrapByShares(keeper.parts.crypto, key, seal.wrapped)
  return (await keeper.authorizes(seal, key)) ? keeper.unwrap(seal.type, seal.wrapped) : undefined
}

async function migratedRecord(keeper: SealKeeper, record: SealRecord, key: Uint8Array, rootKey: Uint8Array): Promise<SealRecord> {
  const { seal, crypto, entropy } = keeper.parts
  const { epoch, recovery } = record
  const attempts = record.attempts + 1
  if (isAutomatic(seal)) {
    const { shares, threshold } = record
    const wrapped = await keeper.wrap(rootKey)
    return {
      type: seal.type,
      wrapped,
      shares: 1,
      threshold: 1,
      recovery: { shares, threshold, wrapped: await keeper.wrap(key) },
      epoch,
      attempts,
    }
  }
  const { shares, threshold } = recovery as NonNullable<typeof recovery>
  return {
    type: 'shamir',
    wrapped: wrapByShares(crypto, key, rootKey, entropy),
    shares,
    threshold,
    recovery: undefined,
    epoch,
    attempts,
  }
}

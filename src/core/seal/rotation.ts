/**
 * Rotates the barrier key automatically, after a number of encryptions or after an interval.
 */
import { coreRecord } from '../contract/core-record.ts'
import type { Tx } from '../contract/tx.ts'

interface RotationConfig {
  /** Whether automatic rotation is on. */
  readonly enabled: boolean
  readonly max_operations: number
  /** The interval in seconds; 0 means that the key is not rotated after an interval. */
  readonly interval: number
}

interface StoredRotation extends RotationConfig {
  /** When the next rotation is due, in milliseconds since the epoch. The rotation is scheduled as background work for the same time. */
  readonly due: number | null
}

/** Stored at `i/core/rotation/config`. */
export const ROTATION = /* @__PURE__ */ coreRecord<StoredRotation>({ class: 'i', folder: 'rotation' })
export const ROTATION_CONFIG_ID = 'config'

/** The default of `max_operations`: nine tenths of the 2^32 encryptions that are safe with random nonces. */
export const MAX_OPERATIONS = 3_865_470_566
const DEFAULT: StoredRotation = { enabled: true, max_operations: MAX_OPERATIONS, interval: 0, due: null }

export interface EncryptionCount {
  readonly term: number
  /** The number of encryptions that all processes together have reported. */
  readonly count: number
}

/** The use count of the active barrier key, stored at `i/core/encryptions/in-use`. */
export const BARRIER_ENCRYPTIONS = /* @__PURE__ */ coreRecord<EncryptionCount>({ class: 'i', folder: 'encryptions' })
export const IN_USE = 'in-use'

export const isSpent = (count: number, { enabled, max_operations }: RotationConfig = DEFAULT): boolean =>
  enabled && count > max_operations

/** The prefix of the id of the background work that rotates the key. The work is in the lane (queue) `housekeeping`. */
export const KEYRING_JOB = 'keyring'
const JOB = `${KEYRING_JOB}/rotate`

export function rotationConfig(tx: Pick<Tx, 'get'>): RotationConfig {
  const { due: _, ...config } = tx.get(ROTATION, ROTATION_CONFIG_ID) ?? DEFAULT
  return config
}

/** @param installed When the active key was created, in milliseconds since the epoch. */
export function storeRotationConfig(tx: Tx, config: RotationConfig, installed: number): void {
  const known = tx.get(ROTATION, ROTATION_CONFIG_ID) ?? DEFAULT
  const due = config.enabled && config.interval > 0 ? Math.max(tx.now, installed + config.interval * 1000) : null
  tx.due('housekeeping', JOB, { from: known.due ?? undefined, to: due ?? undefined })
  tx.put(ROTATION, ROTATION_CONFIG_ID, { ...config, due })
}

/** Called when the scheduled rotation is due: rotates the key if its interval has passed, and schedules the next rotation. */
export function rotateIfDue(
  tx: Tx,
  active: { readonly term: number; readonly installed: number },
  rotate: (from: number) => Promise<void>,
): void {
  const known = tx.get(ROTATION, ROTATION_CONFIG_ID)
  if (!known?.enabled || known.interval === 0) return
  if (active.installed + known.interval * 1000 <= tx.now) tx.once('rotate', () => rotate(active.term))
  // The due item that led to this call has already been removed, so there is no item to move: `from` is undefined.
  const due = Math.max(active.installed, tx.now - known.interval * 1000 + 1) + known.interval * 1000
  tx.due('housekeeping', JOB, { from: undefined, to: due })
  tx.put(ROTATION, ROTATION_CONFIG_ID, { ...known, due })
}

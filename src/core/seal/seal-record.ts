/**
 * The seal record, stored in clear text at `i/core/seal`: the wrapped root key and the share counts.
 */
import { decodeBase64, encodeBase64 } from '../base/base64.ts'
import { fromUtf8, toUtf8 } from '../base/bytes.ts'
import { KernelError } from '../base/errors.ts'

export const SEAL_KEY = 'i/core/seal'

export interface SealRecord {
  /** `shamir`, or the type of the automatic seal that wrapped the root key. */
  readonly type: string
  /** The root key. It is wrapped with the share key or by the automatic seal. */
  readonly wrapped: Uint8Array
  /** The number of shares of the key that wraps the root key. For an automatic seal, `shares` and `threshold` are both 1. */
  readonly shares: number
  readonly threshold: number
  /** The recovery key of an automatic seal. Absent if the store has no recovery key. */
  readonly recovery: RecoveryRecord | undefined
  /** The seal epoch. Sealing all processes increments it: a process that was opened under a lower epoch seals itself. */
  readonly epoch: number
  /**
   * The attempt number, for attempts such as rekey or generate-root, which require key shares. Every attempt stores the attempt number with
   * which it began, and is valid only while this number is unchanged. So incrementing this number ends all attempts.
   */
  readonly attempts: number
  /**
   * Set by the commit that creates a store, and removed before the shares are returned. If it is still set, the process that created the
   * store stopped before it returned the shares. The shares are then lost, and no process has unsealed the store, so the store may be
   * initialized again.
   */
  readonly untold?: true
}

interface RecoveryRecord {
  readonly shares: number
  readonly threshold: number
  /** The recovery key, wrapped by the automatic seal. */
  readonly wrapped: Uint8Array
}

export function encodeSealRecord(record: SealRecord): Uint8Array {
  const { wrapped, recovery, ...plain } = record
  const shown = { ...plain, wrapped: encodeBase64(wrapped) }
  return toUtf8(
    JSON.stringify(recovery ? { ...shown, recovery: { ...recovery, wrapped: encodeBase64(recovery.wrapped) } } : shown),
  )
}

/** @throws KernelError ERR_INTERNAL if the bytes are not a valid seal record of this release. */
export function decodeSealRecord(stored: Uint8Array): SealRecord {
  try {
    const { type, wrapped, recovery, epoch, attempts, untold, ...counts } = JSON.parse(fromUtf8(stored)) as Stored
    if (typeof type !== 'string' || ![epoch, attempts].every(isCount)) throw damaged()
    return {
      type,
      wrapped: decodeBase64(wrapped, 'wrapped'),
      ...readCounts(counts),
      recovery: recovery && { ...readCounts(recovery), wrapped: decodeBase64(recovery.wrapped, 'wrapped') },
      epoch,
      attempts,
      ...(untold ? { untold } : {}),
    }
  } catch {
    // The error for an invalid record. The message does not contain the record.
    throw damaged()
  }
}

interface Counts {
  readonly shares: number
  readonly threshold: number
}

type Stored = Omit<SealRecord, 'wrapped' | 'recovery'> & {
  readonly wrapped: string
  readonly recovery?: Counts & { readonly wrapped: string }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

function readCounts({ shares, threshold }: Counts): Counts {
  if (!isCount(shares) || !isCount(threshold) || threshold < 1 || threshold > shares || shares > 255) throw damaged()
  return { shares, threshold }
}

const damaged = (): KernelError =>
  new KernelError('ERR_INTERNAL', 'the stored seal record is damaged or was written by another program')

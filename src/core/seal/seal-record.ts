/**
 * The record in clear text at `i/core/seal`: the wrapped root key, and the number of shares.
 */
import { decodeBase64, encodeBase64 } from '../base/base64.ts'
import { fromUtf8, toUtf8 } from '../base/bytes.ts'
import { KernelError } from '../base/errors.ts'

export const SEAL_KEY = 'i/core/seal'

export interface SealRecord {
  /** `shamir`, or the type of the automatic seal that wrapped the root key. */
  readonly type: string
  /** The root key, wrapped with the key of the shares or by the automatic seal. */
  readonly wrapped: Uint8Array
  /** The shares of the key that wraps the root key; both are 1 for an automatic seal. */
  readonly shares: number
  readonly threshold: number
  /** The recovery key of an automatic seal; absent if none was created. */
  readonly recovery: RecoveryRecord | undefined
  /** Incremented when all processes are sealed: a process that was opened under a lower number seals itself. */
  readonly epoch: number
  /** Incremented to end all attempts that shares authorize; an attempt has the number under which it began. */
  readonly attempts: number
  /**
   * Set in the commit that creates a store, and removed before its shares are returned. If it remains, the process stopped in between: the
   * shares are lost, the store was never opened, and it may be initialized again.
   */
  readonly untold?: true
}

export interface RecoveryRecord {
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

/** @throws KernelError ERR_INTERNAL for anything that this release did not write. */
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
    // The message does not quote the record.
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

/**
 * The record in the clear at `i/core/seal`: how the root key is wrapped, and how many shares there are.
 */
import { decodeBase64, encodeBase64 } from '../base/base64.ts'
import { fromUtf8, toUtf8 } from '../base/bytes.ts'
import { KernelError } from '../base/errors.ts'

export const SEAL_KEY = 'i/core/seal'

export interface SealRecord {
  /** `shamir`, or the type of the automatic seal that wrapped the root key. */
  readonly type: string
  /** The root key, wrapped by the key of the shares, or by the automatic seal. */
  readonly wrapped: Uint8Array
  /** The shares of the key that wraps the root key; both 1 for an automatic seal. */
  readonly shares: number
  readonly threshold: number
  /** The recovery key of an automatic seal; absent where none was made. */
  readonly recovery: RecoveryRecord | undefined
  /** Counts sealings of all processes: a process opened under a lower number seals itself. */
  readonly epoch: number
  /** Attempts authorised by shares carry the number they began under; they have ended when it has changed. */
  readonly attempts: number
  /**
   * Set in the commit that makes a store, and removed before its shares are returned. Where it remains, the process died: nobody has
   * shares of this store, nobody has ever opened it, and it may be initialised again.
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
  new KernelError('ERR_INTERNAL', 'the stored seal record is damaged or was put there by somebody else')

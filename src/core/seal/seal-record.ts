/**
 * What lies in the clear at `i/core/seal`: how the root key is wrapped, and how many shares there are.
 */
import { decodeBase64, encodeBase64 } from '../base/base64.ts'
import { fromUtf8, toUtf8 } from '../base/bytes.ts'
import { KernelError } from '../base/errors.ts'

export const SEAL_KEY = 'i/core/seal'

export interface SealRecord {
  /** `shamir`, or the type of the automatic seal that wrapped. */
  readonly type: string
  /** The root key, wrapped by the key of the shares, or by the automatic seal. */
  readonly wrapped: Uint8Array
  /** Of the key that wraps the root key; both 1 where that is an automatic seal's. */
  readonly shares: number
  readonly threshold: number
  /** Of an automatic seal; absent where none were made. */
  readonly recovery: RecoveryRecord | undefined
  /** Counts sealings of all processes: one that was opened under a lower number seals itself. */
  readonly epoch: number
  /** Attempts that shares authorise belong to the number they were begun under: when it has changed, they have ended. */
  readonly attempts: number
  /**
   * Set in the commit that makes a store, and taken away before anybody is told its shares. Where it stayed, that process died: nobody has
   * shares of this store, nobody has ever opened it, and it may be made anew.
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
    // Without a word of what was read.
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

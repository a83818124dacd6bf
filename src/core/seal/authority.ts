import type { ShareCounts } from '../crypto/shamir/shares.ts'
import type { SealRecord } from './seal-record.ts'

/**
 * The shares that authorize changes of keys. With an automatic seal, they are the shares of the recovery key; with a manual seal, the
 * shares that unseal the store.
 */
interface Authority {
  readonly of: 'recovery' | 'barrier'
  /** The number of shares, and how many of them are required. Both are 0 if the store has no recovery shares. */
  readonly counts: ShareCounts
}

const NONE: ShareCounts = { secret_shares: 0, secret_threshold: 0 }

export const rekeyAuthorityOf = (record: SealRecord): Authority =>
  record.type === 'shamir'
    ? { of: 'barrier', counts: { secret_shares: record.shares, secret_threshold: record.threshold } }
    : {
        of: 'recovery',
        counts: record.recovery ? { secret_shares: record.recovery.shares, secret_threshold: record.recovery.threshold } : NONE,
      }

/**
 * Which shares of a store authorise its changes.
 */
import type { ShareCounts } from '../crypto/shamir/shares.ts'
import type { SealRecord } from './seal-record.ts'

/** Which shares authorise: those of the recovery key where the seal is automatic, else those that open the store. */
export interface Authority {
  readonly of: 'recovery' | 'barrier'
  /** Shares made and shares needed; 0 where no recovery shares were made. */
  readonly counts: ShareCounts
}

const NONE: ShareCounts = { secret_shares: 0, secret_threshold: 0 }

export const authorityOf = (record: SealRecord): Authority =>
  record.type === 'shamir'
    ? { of: 'barrier', counts: { secret_shares: record.shares, secret_threshold: record.threshold } }
    : {
        of: 'recovery',
        counts: record.recovery ? { secret_shares: record.recovery.shares, secret_threshold: record.recovery.threshold } : NONE,
      }

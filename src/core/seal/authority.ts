import type { ShareCounts } from '../crypto/shamir/shares.ts'
import type { SealRecord } from './seal-record.ts'

/** The shares that authorize changes: those of the recovery key if the seal is automatic, or else those that open the store. */
export interface Authority {
  readonly of: 'recovery' | 'barrier'
  /** Number of shares created and needed; 0 if no recovery shares were created. */
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

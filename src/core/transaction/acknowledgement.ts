/**
 * Waits until other clusters have stored a commit of this cluster.
 */
import type { Role } from '../log/role.ts'
import type { Commit, Op } from '../storage/port.ts'

/** A commit that other clusters may have to acknowledge. */
export interface CommittedEntry {
  /** The position of the commit's last entry in this store's log. */
  readonly entry: number
  /**
   * Whether the commit changed records of class `r`, which are replicated to all secondaries. Other records are at most replicated to DR
   * secondaries.
   */
  readonly replicated: boolean
  /** The cluster's role when the commit was made. */
  readonly role: Role
}

/** The member `acknowledgement` of `Host`. Its `wait` is undefined unless other clusters must acknowledge writes. */
export class Acknowledgement {
  /**
   * Resolves when enough secondaries have stored the commit. @throws KernelError 503 if too few secondaries store it within the time limit.
   * The commit then remains stored on this cluster.
   */
  wait: ((commit: CommittedEntry) => Promise<void>) | undefined
}

/** Returns the log entry of a commit; undefined if the commit failed or added no entry to the log. */
export function committedEntry(verdict: Commit, ops: readonly Op[], role: Role): CommittedEntry | undefined {
  const entry = verdict.ok ? verdict.appended.at(-1) : undefined
  if (entry === undefined) return undefined
  const replicated = ops.some((op) => op.op !== 'append' && op.op !== 'check' && op.key.startsWith('r/'))
  return { entry, replicated, role }
}

/**
 * Waiting until other clusters hold what was committed here.
 */
import type { Role } from '../log/role.ts'
import type { Commit, Op } from '../storage/port.ts'

/** A commit that others are to hold. */
export interface Landed {
  /** Its entry of the log. */
  readonly entry: number
  /** Whether it has records that go to clusters that serve. */
  readonly replicated: boolean
  /** As it was for this commit. */
  readonly role: Role
}

/** Held by what all transactions share; empty where nobody has to hold a commit but the store. */
export class Acknowledgement {
  /** Resolves when as many as were asked for hold the commit. @throws KernelError 503 where they do not in time: it stays stored. */
  awaits: ((landed: Landed) => Promise<void>) | undefined
}

/** Undefined for a commit that nobody else is told of. */
export function landed(verdict: Commit, ops: readonly Op[], role: Role): Landed | undefined {
  const entry = verdict.ok ? verdict.appended.at(-1) : undefined
  if (entry === undefined) return undefined
  const replicated = ops.some((op) => op.op !== 'append' && op.op !== 'check' && op.key.startsWith('r/'))
  return { entry, replicated, role }
}

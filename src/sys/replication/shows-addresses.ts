/** Decides whether a status answer contains the addresses of secondaries. The status itself needs no token. */
import type { Call } from '../../core/contract/tx.ts'

/** Returns true for the application, and for tokens whose policies allow reading the status path. */
export function showsAddresses({ caller }: Pick<Call, 'caller'>, path: string): boolean {
  if (caller.kind === 'app') return true
  return caller.kind === 'token' && caller.acl.decide({ operation: 'read', path: `sys${path}`, wrapTtl: 0 }).allowed
}

/**
 * Who sees, in a status that needs no token, what secondaries say of their addresses.
 */
import type { Call } from '../../core/contract/tx.ts'

/** The application, and tokens whose policies allow to read the path of the status. */
export function showsAddresses({ caller }: Pick<Call, 'caller'>, path: string): boolean {
  if (caller.kind === 'app') return true
  return caller.kind === 'token' && caller.acl.decide({ operation: 'read', path: `sys${path}`, wrapTtl: 0 }).allowed
}

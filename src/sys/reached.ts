/** The mounts and namespaces that a caller may see: those in which the caller has any capability. */
import { deniedError } from '../core/access/token-authenticator.ts'
import { Pace, type Steps } from '../core/base/steps.ts'
import { isWithin, type NamespaceRecord } from '../core/contract/namespace.ts'
import type { Tx } from '../core/contract/tx.ts'
import type { Acl } from '../core/policy/index.ts'

/**
 * Returns the given full paths at which, or below which, the caller has any capability. Call this function only once per operation, because a
 * second call would return the memoized result of the first.
 * @param namespace The namespace to which the paths belong.
 * @throws KernelError 403 for a token of another namespace, because a token is valid only in its own namespace and below.
 */
export function reached(tx: Tx, paths: readonly string[], namespace: NamespaceRecord = tx.call.namespace): ReadonlySet<string> {
  const { caller } = tx.call
  if (caller.kind === 'anonymous') return new Set()
  if (caller.kind === 'app') return new Set(paths)
  if (!isWithin(namespace, caller.namespace)) throw deniedError()
  return tx.steps('reached', () => reachedBy(caller.acl, paths), 'attempt')
}

function* reachedBy(acl: Acl, paths: readonly string[]): Steps<ReadonlySet<string>> {
  const found = new Set<string>()
  const pace = new Pace()
  for (const path of paths) {
    if (yield* acl.reaches(path)) found.add(path)
    if (pace.spend(acl.lookupMicroseconds)) yield
  }
  return found
}

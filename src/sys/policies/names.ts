/** Lists policy names, and refuses changes of the built-in policies that Vault protects. */
import { DEFAULT_POLICY, POLICY, ROOT_POLICY, WRAPPING_POLICY } from '../../core/access/policies.ts'
import { invalid } from '../../core/base/errors.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { compareKeys } from '../../core/storage/order.ts'

export const POLICY_NAME = f.freeName('The name of the policy. It is converted to lower case.').ignoring('case')

/**
 * The names of policies in byte order. The root policy exists in the root namespace only. The policy of wrapping tokens is omitted, because
 * it cannot be assigned.
 */
export function policyNames(tx: Tx): readonly string[] {
  const { namespace } = tx.call
  const stored = tx.list(POLICY, { prefix: `${namespace.uuid}/` })
  const names = stored.includes(WRAPPING_POLICY) ? stored.filter((name) => name !== WRAPPING_POLICY) : stored
  const added = namespace.path === '' ? [DEFAULT_POLICY, ROOT_POLICY] : [DEFAULT_POLICY]
  return added.reduce(withName, names)
}

/** Adds a name to a sorted list, unless the list already contains it. */
function withName(names: readonly string[], name: string): readonly string[] {
  if (names.includes(name)) return names
  const at = names.findIndex((other) => compareKeys(other, name) > 0)
  return at < 0 ? [...names, name] : [...names.slice(0, at), name, ...names.slice(at)]
}

/** @throws KernelError 400 for the root policy and the policy of wrapping tokens; also for the default policy if it is to be deleted. */
export function checkOwn(name: string, what: 'update' | 'delete'): void {
  if (name === ROOT_POLICY || name === WRAPPING_POLICY) throw invalid(`name: cannot ${what} "${name}" policy`)
  if (name === DEFAULT_POLICY && what === 'delete') throw invalid('name: cannot delete default policy')
}

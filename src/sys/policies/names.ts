/** The names of all policies, and which policies are the kernel's own (source: behaviour of the originals). */
import { DEFAULT_POLICY, POLICY, ROOT_POLICY, WRAPPING_POLICY } from '../../core/access/policies.ts'
import { invalid } from '../../core/base/errors.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'

export const NAME = f.freeName('The name of the policy; in lower case.').ignoring('case')

/** Names in byte order. The root policy exists in the root namespace only; nobody can assign that of wrapping tokens. */
export function policyNames(tx: Tx): readonly string[] {
  const { namespace } = tx.call
  const names = new Set([...tx.list(POLICY, { prefix: `${namespace.uuid}/` }), DEFAULT_POLICY])
  names.delete(WRAPPING_POLICY)
  if (namespace.path === '') names.add(ROOT_POLICY)
  return [...names].sort()
}

/** @throws KernelError 400 for policies that cannot be changed. */
export function checkOwn(name: string, what: 'update' | 'delete'): void {
  if (name === ROOT_POLICY || name === WRAPPING_POLICY) throw invalid(`name: cannot ${what} "${name}" policy`)
  if (name === DEFAULT_POLICY && what === 'delete') throw invalid('name: cannot delete default policy')
}

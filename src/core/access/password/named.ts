/** Generates passwords for engines by the name of a password policy. */
import { notFound } from '../../base/errors.ts'
import { runToEnd } from '../../base/steps.ts'
import type { Tx } from '../../contract/tx.ts'
import { TOPOLOGY } from '../../mount/topology.ts'
import { transactionOf } from '../../transaction/transaction-of.ts'
import { DEFAULT_PASSWORD_POLICY } from './default-policy.ts'
import { drawPassword } from './generate.ts'
import { PASSWORD_POLICY, parsePasswordPolicy } from './policy.ts'

/**
 * Generates a password. Every rerun of the operation gets the same password.
 * @param name A policy in the mount's namespace. Empty means the default policy: 20 characters, letters of both cases, digits and `-`.
 * @throws KernelError 400 if the policy does not exist, or if random candidates almost never satisfy it.
 */
export function passwordOf(tx: Tx, name: string): string {
  const { entropy } = tx.env
  if (name === '') return runToEnd(drawPassword(DEFAULT_PASSWORD_POLICY, entropy))
  const { namespace } = tx.call
  const record = transactionOf(tx).within(TOPOLOGY.of(tx).coreKeyspace(namespace), tx.call, (core) =>
    core.get(PASSWORD_POLICY, `${namespace.uuid}/${name}`),
  )
  if (!record) throw notFound(`password_policy: there is no policy named ${name.slice(0, 200)}`, 400)
  const policy = tx.steps(`password policy ${name}`, () => parsePasswordPolicy(record.text), 'attempt')
  return tx.steps(`password of ${name}`, () => drawPassword(policy, entropy), 'attempt')
}

/**
 * Generates passwords by the name of a policy, for engines.
 */
import { notFound } from '../../base/errors.ts'
import { finish } from '../../base/steps.ts'
import type { Tx } from '../../contract/tx.ts'
import { TOPOLOGY } from '../../mount/topology.ts'
import { transactionOf } from '../../transaction/crossing.ts'
import { DEFAULT_PASSWORD_POLICY } from './default-policy.ts'
import { drawPassword } from './generate.ts'
import { PASSWORD_POLICY, parsePasswordPolicy } from './policy.ts'

/**
 * A password, the same in every run of an attempt.
 * @param name A policy in the namespace of the mount; empty: 20 characters, letters of both cases, digits and `-`.
 * @throws KernelError 400 for a policy that does not exist, and for one that hardly any password meets.
 */
export function passwordOf(tx: Tx, name: string): string {
  const { entropy } = tx.env
  if (name === '') return finish(drawPassword(DEFAULT_PASSWORD_POLICY, entropy))
  const { namespace } = tx.call
  const record = transactionOf(tx).within(TOPOLOGY.of(tx).coreKeyspace(namespace), tx.call, (core) =>
    core.get(PASSWORD_POLICY, `${namespace.uuid}/${name}`),
  )
  if (!record) throw notFound(`password_policy: there is no policy named ${name.slice(0, 200)}`, 400)
  const policy = tx.steps(`password policy ${name}`, () => parsePasswordPolicy(record.text), 'attempt')
  return tx.steps(`password of ${name}`, () => drawPassword(policy, entropy), 'attempt')
}

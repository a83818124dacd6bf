import { invalid } from '../../../core/base/errors.ts'
import type { ConfigTx } from '../../call.ts'
import { isPolicyName, readRules } from '../../rules/index.ts'

export interface PolicyContent {
  readonly Name: string
  readonly Description: string
  readonly Rules: string
  readonly Datacenters: readonly string[]
}

const DATACENTER = /^[A-Za-z0-9_-]{1,128}$/

/** @param named Whether the policy keeps the name of a built-in policy. Such a name is not validated. @throws KernelError 400 */
export function validatePolicy(tx: ConfigTx, { Name, Rules, Datacenters }: PolicyContent, named = false): void {
  if (Name === '') throw invalid('Invalid Policy: no Name is set')
  if (!named && !isPolicyName(Name))
    throw invalid(
      'Invalid Policy: invalid Name: must be 1 to 128 letters, digits, "-" and "_", with at most one "/", which is not the first character',
    )
  for (const name of Datacenters)
    if (!DATACENTER.test(name)) throw invalid('Invalid Policy: Datacenters: names must consist of letters, digits, "-" and "_"')
  tx.steps('rules', () => readRules(Rules))
}

/**
 * The namespace that an operation is about (spec document 3, "Namespace selection").
 */
import { invalid } from '../core/base/errors.ts'
import type { AclCaller } from './acl/acl-caller.ts'
import { DEFAULT_NAMESPACE } from './acl/records.ts'
import type { ConfigTx } from './call.ts'
import { CONFIG_SETTINGS } from './settings.ts'

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9\-_]{0,62}[A-Za-z0-9])?$/

/** All namespaces, in lists. */
export const ALL_NAMESPACES = '*'

export interface ScopeParameters {
  /** From the body of a request. */
  readonly Namespace?: string | undefined
  readonly Partition?: string | undefined
  /** From its query. */
  readonly ns?: string | undefined
  readonly partition?: string | undefined
  readonly dc?: string | undefined
}

/**
 * The body's namespace, else the query's, else the header's, else the token's, else `default`. An empty one counts as none.
 * @throws KernelError 400 for what is no name of a namespace, and for the datacenter of another service.
 */
export function resolveNamespace(tx: ConfigTx, asker: AclCaller, input: ScopeParameters, all = false): string {
  const { datacenter } = CONFIG_SETTINGS.of(tx)
  if (input.dc && input.dc !== datacenter) throw invalid(`dc: this service keeps the datacenter ${datacenter}, and no other`)
  const named = input.Namespace || input.ns || tx.call.ns || asker.token?.Namespace || DEFAULT_NAMESPACE
  if (!NAME.test(named) && !(all && named === ALL_NAMESPACES))
    throw invalid('ns: a namespace has 1 to 64 letters, digits, "-" and "_", and begins and ends with a letter or digit')
  return named
}

/** The label of what is made. @throws KernelError 400 */
export function resolvePartition(tx: ConfigTx, input: ScopeParameters): string | undefined {
  const label = input.Partition || input.partition || tx.call.partition
  if (!label || label === DEFAULT_NAMESPACE) return undefined
  if (!NAME.test(label)) throw invalid('partition: a label has 1 to 64 letters, digits, "-" and "_"')
  return label
}

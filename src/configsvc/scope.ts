/** The namespace and the partition of an operation. */
import { invalid } from '../core/base/errors.ts'
import type { AclCaller } from './acl/acl-caller.ts'
import { DEFAULT_NAMESPACE } from './acl/records.ts'
import type { ConfigTx } from './call.ts'
import { CONFIG_SETTINGS } from './settings.ts'

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9\-_]{0,62}[A-Za-z0-9])?$/

/** The value of `ns` that means all namespaces. Only lists accept it. */
export const ALL_NAMESPACES = '*'

export interface ScopeParameters {
  /** The value in the body. */
  readonly Namespace?: string | undefined
  readonly Partition?: string | undefined
  /** The value in the query. */
  readonly ns?: string | undefined
  readonly partition?: string | undefined
  readonly dc?: string | undefined
}

/**
 * The namespace of an operation: the first that is given in the body, the query, the header or the token, or else `default`. An empty string
 * counts as absent.
 * @param all Whether `*`, all namespaces, is allowed.
 * @throws KernelError 400 for an invalid namespace, or for a datacenter that is not the one of this service.
 */
export function resolveNamespace(tx: ConfigTx, aclCaller: AclCaller, input: ScopeParameters, all = false): string {
  const { datacenter } = CONFIG_SETTINGS.of(tx)
  if (input.dc && input.dc !== datacenter) throw invalid(`dc: must be ${datacenter}, the datacenter of this service`)
  const named = input.Namespace || input.ns || tx.call.ns || aclCaller.token?.Namespace || DEFAULT_NAMESPACE
  if (!NAME.test(named) && !(all && named === ALL_NAMESPACES))
    throw invalid('ns: must be 1 to 64 letters, digits, "-" and "_", beginning and ending with a letter or digit')
  return named
}

/** The partition label of a new record; undefined for the default partition. @throws KernelError 400 */
export function resolvePartition(tx: ConfigTx, input: ScopeParameters): string | undefined {
  const label = input.Partition || input.partition || tx.call.partition
  if (!label || label === DEFAULT_NAMESPACE) return undefined
  if (!NAME.test(label)) throw invalid('partition: must be 1 to 64 letters, digits, "-" and "_"')
  return label
}

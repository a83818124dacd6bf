import { invalid } from '../../../core/base/errors.ts'
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { isIdentityName, MAX_IDENTITY_NAME_CHARACTERS } from '../../rules/index.ts'
import type { NodeIdentity, ServiceIdentity } from '../records.ts'

/** Estimated costs of sorting one datacenter of a merged identity, and of validating one identity. */
const DATACENTER_MICROSECONDS = 1

const IDENTITY_MICROSECONDS = 2

const NAME_RULE = `1 to ${MAX_IDENTITY_NAME_CHARACTERS} lower-case letters, digits, "-" and "_", beginning and ending with a letter or digit`

/**
 * Merges identities of the same service. The merged identity has the position of the first of them and the datacenters of all of them. As in
 * Consul, merging with an identity without datacenters, which is valid everywhere, does not make the merged identity valid everywhere.
 * @throws KernelError 400
 */
export function* readServiceIdentities(
  given: readonly { readonly ServiceName?: string; readonly Datacenters?: readonly string[] }[],
): Steps<readonly ServiceIdentity[]> {
  const pace = new Pace()
  const byService = new Map<string, Set<string>>()
  for (const { ServiceName = '', Datacenters = [] } of given) {
    if (ServiceName === '') throw invalid('ServiceIdentities: a service identity has no ServiceName')
    if (!isIdentityName(ServiceName)) throw invalid(`ServiceIdentities: ServiceName: the name of a service must be ${NAME_RULE}`)
    const known = byService.get(ServiceName) ?? new Set()
    byService.set(ServiceName, known)
    for (const datacenter of Datacenters) known.add(datacenter)
    if (pace.spend(IDENTITY_MICROSECONDS + Datacenters.length * DATACENTER_MICROSECONDS)) yield
  }
  const identities: ServiceIdentity[] = []
  for (const [ServiceName, datacenters] of byService) {
    identities.push({ ServiceName, ...(datacenters.size === 0 ? {} : { Datacenters: [...datacenters].sort() }) })
    if (pace.spend(datacenters.size * DATACENTER_MICROSECONDS)) yield
  }
  return identities
}

/** Removes duplicates: each pair of node and datacenter keeps its first position. @throws KernelError 400 */
export function* readNodeIdentities(
  given: readonly { readonly NodeName?: string; readonly Datacenter?: string }[],
): Steps<readonly NodeIdentity[]> {
  const pace = new Pace()
  const identities = new Map<string, NodeIdentity>()
  for (const { NodeName = '', Datacenter = '' } of given) {
    if (NodeName === '') throw invalid('NodeIdentities: a node identity has no NodeName')
    if (Datacenter === '') throw invalid('NodeIdentities: a node identity has no datacenter: Datacenter is required')
    if (!isIdentityName(NodeName)) throw invalid(`NodeIdentities: NodeName: the name of a node must be ${NAME_RULE}`)
    // The name of a node contains no slash, so the joined key is unambiguous.
    const key = `${NodeName}/${Datacenter}`
    if (!identities.has(key)) identities.set(key, { NodeName, Datacenter })
    if (pace.spend(IDENTITY_MICROSECONDS)) yield
  }
  return [...identities.values()]
}

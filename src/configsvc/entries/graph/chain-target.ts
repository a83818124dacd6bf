/** A target of a discovery chain: a service or a subset of it, and its location. */
import { quoteText } from '../../../core/hcl/index.ts'
import { type EntryReader, foldEntryName, isSameName, type RemoteDestination } from './graph-entries.ts'

export interface ChainTarget {
  readonly service: string
  /** Empty means all instances. */
  readonly subset: string
  /** For `datacenter`, `peer`, `namespace` and `partition`, empty means the local one. */
  readonly datacenter: string
  readonly peer: string
  readonly namespace: string
  readonly partition: string
}

/** The names of the local cluster, to which destinations are relative. */
type Here = Pick<EntryReader<object>, 'namespace' | 'partition'>

export const targetOfService = (service: string): ChainTarget => ({
  service,
  subset: '',
  datacenter: '',
  peer: '',
  namespace: '',
  partition: '',
})

/** Whether the target is in a peer cluster, another namespace or another partition, whose entries are not read here. */
export const isRemoteTarget = ({ peer, namespace, partition }: ChainTarget): boolean =>
  peer !== '' || namespace !== '' || partition !== ''

const unlessLocal = (name: string | undefined, here: string): string => (name === undefined || name === here ? '' : name)

/** Returns the target to which a destination leads. A subset belongs to one service, so a destination with another service resets it. */
export function resolveDestination(from: ChainTarget, to: RemoteDestination, here: Here): ChainTarget {
  const service = to.Service || from.service
  const peer = to.Peer || ''
  return {
    service,
    subset: to.ServiceSubset || (peer === '' && isSameName(service, from.service) ? from.subset : ''),
    datacenter: peer === '' ? to.Datacenter || from.datacenter : '',
    peer,
    namespace: unlessLocal(to.Namespace || undefined, here.namespace),
    partition: unlessLocal(to.Partition || undefined, here.partition),
  }
}

/** A string that identifies the target: equal targets have equal keys. */
export const targetKey = ({ service, subset, datacenter, peer, namespace, partition }: ChainTarget): string =>
  JSON.stringify([foldEntryName(service), subset, datacenter, peer, namespace, partition])

const PARTS = ['subset', 'datacenter', 'peer', 'namespace', 'partition'] as const

/** Describes the target in error messages. */
export const describeTarget = (target: ChainTarget): string =>
  [
    quoteText(target.service),
    ...PARTS.flatMap((part) => (target[part] === '' ? [] : [`${part} ${quoteText(target[part])}`])),
  ].join(' ')

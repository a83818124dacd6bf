/**
 * Where a chain may lead: a service, one of its subsets, and the place where they are.
 */
import { quoteText } from '../../../core/hcl/index.ts'
import { type EntryReader, foldEntryName, isSameName, type RemoteDestination } from './graph-entries.ts'

export interface ChainTarget {
  readonly service: string
  /** Empty: all instances. */
  readonly subset: string
  /** Empty, like the three that follow: the one asked. */
  readonly datacenter: string
  readonly peer: string
  readonly namespace: string
  readonly partition: string
}

/** What names of a destination are relative to. */
type Here = Pick<EntryReader<object>, 'namespace' | 'partition'>

export const targetOfService = (service: string): ChainTarget => ({
  service,
  subset: '',
  datacenter: '',
  peer: '',
  namespace: '',
  partition: '',
})

/** Whether another cluster or namespace decides what happens there: its entries are not known here. */
export const isRemoteTarget = ({ peer, namespace, partition }: ChainTarget): boolean =>
  peer !== '' || namespace !== '' || partition !== ''

const unlessLocal = (name: string | undefined, here: string): string => (name === undefined || name === here ? '' : name)

/** The target that a destination comes to for what was on its way to `from`. A subset belongs to its service. */
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

/** Tells targets apart. */
export const targetKey = ({ service, subset, datacenter, peer, namespace, partition }: ChainTarget): string =>
  JSON.stringify([foldEntryName(service), subset, datacenter, peer, namespace, partition])

const PARTS = ['subset', 'datacenter', 'peer', 'namespace', 'partition'] as const

/** For messages. */
export const describeTarget = (target: ChainTarget): string =>
  [
    quoteText(target.service),
    ...PARTS.flatMap((part) => (target[part] === '' ? [] : [`${part} ${quoteText(target[part])}`])),
  ].join(' ')

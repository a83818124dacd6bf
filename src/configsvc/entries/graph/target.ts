/**
 * Where a chain may lead: a service, one of its subsets, and the place where they are.
 */
import { quoted } from '../../../core/hcl/index.ts'
import { type EntriesOf, type FarDestination, fold, sameName } from './entries-read.ts'

export interface Target {
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
type Here = Pick<EntriesOf<object>, 'namespace' | 'partition'>

export const targetOf = (service: string): Target => ({
  service,
  subset: '',
  datacenter: '',
  peer: '',
  namespace: '',
  partition: '',
})

/** Whether another cluster or namespace decides what happens there: its entries are not known here. */
export const isAway = ({ peer, namespace, partition }: Target): boolean => peer !== '' || namespace !== '' || partition !== ''

const elsewhere = (name: string | undefined, here: string): string => (name === undefined || name === here ? '' : name)

/** The target that a destination comes to for what was on its way to `from`. A subset belongs to its service. */
export function moved(from: Target, to: FarDestination, here: Here): Target {
  const service = to.Service || from.service
  const peer = to.Peer || ''
  return {
    service,
    subset: to.ServiceSubset || (peer === '' && sameName(service, from.service) ? from.subset : ''),
    datacenter: peer === '' ? to.Datacenter || from.datacenter : '',
    peer,
    namespace: elsewhere(to.Namespace || undefined, here.namespace),
    partition: elsewhere(to.Partition || undefined, here.partition),
  }
}

/** Tells targets apart. */
export const targetKey = ({ service, subset, datacenter, peer, namespace, partition }: Target): string =>
  JSON.stringify([fold(service), subset, datacenter, peer, namespace, partition])

const PARTS = ['subset', 'datacenter', 'peer', 'namespace', 'partition'] as const

/** For messages. */
export const describe = (target: Target): string =>
  [quoted(target.service), ...PARTS.flatMap((part) => (target[part] === '' ? [] : [`${part} ${quoted(target[part])}`]))].join(' ')

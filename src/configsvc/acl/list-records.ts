/**
 * Lists of records, however many there are: they are shown in pieces that give way to the event loop.
 */
import type { Steps } from '../../core/base/steps.ts'
import type { RecordKind } from '../../core/contract/record-kind.ts'
import { gather, gatherSteps } from '../../core/transaction/gather.ts'
import type { ConfigTx } from '../call.ts'
import { ALL_NAMESPACES } from '../scope.ts'

/** Estimated cost of showing a record. */
const SHOW_MICROSECONDS = 5

/** Estimated cost of judging whether one is wanted. */
const FILTER_MICROSECONDS = 1

interface Listing<T, S> {
  readonly kind: RecordKind<T>
  /** `*`: all of them. */
  readonly namespace: string
  /** May read other records, as `show` may. */
  readonly wanted?: ((record: T) => boolean) | undefined
  /** What the list is in order of; default: the id. */
  readonly orderOf?: (record: T) => string
  readonly show: (record: T) => S
}

/** For reads only: the list is no basis of a write. */
export function listRecords<T, S>(tx: ConfigTx, { kind, namespace, wanted, orderOf, show }: Listing<T, S>): readonly S[] {
  const ids = tx.list(kind, namespace === ALL_NAMESPACES ? {} : { prefix: `${namespace}/` })
  const at = namespace === ALL_NAMESPACES ? '' : `${namespace}/`
  const all = gather(ids, (id) => tx.get(kind, at + id)).filter((record) => record !== undefined)
  const found = wanted ? tx.steps(`wanted ${kind.folder}`, () => filterSteps(all, wanted), 'attempt') : all
  const sorted = orderOf ? inOrder(found, orderOf) : found
  // What is shown changes with the records that a conflict has them read again for.
  return tx.steps(`list ${kind.folder}`, () => gatherSteps(sorted, show, SHOW_MICROSECONDS), 'attempt')
}

function* filterSteps<T>(records: readonly T[], wanted: (record: T) => boolean): Steps<readonly T[]> {
  const verdicts = yield* gatherSteps(records, wanted, FILTER_MICROSECONDS)
  return records.filter((_, i) => verdicts[i])
}

function inOrder<T>(records: readonly T[], orderOf: (record: T) => string): readonly T[] {
  const keyed = records.map((record) => ({ record, key: orderOf(record) }))
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  return keyed.map(({ record }) => record)
}

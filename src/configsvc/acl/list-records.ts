/**
 * Lists of records, however many there are: they are shown in pieces that give way to the event loop.
 */
import { sortSteps } from '../../core/base/sort-steps.ts'
import type { Steps } from '../../core/base/steps.ts'
import type { RecordKind } from '../../core/contract/record-kind.ts'
import { gatherSteps } from '../../core/transaction/gather.ts'
import type { ConfigTx } from '../call.ts'
import { ALL_NAMESPACES } from '../scope.ts'

/** Estimated cost of looking up a record that is loaded. */
const READ_MICROSECONDS = 2

/** Estimated cost of showing a record. */
const SHOW_MICROSECONDS = 5

/** Estimated cost of judging whether one is wanted. */
const FILTER_MICROSECONDS = 1

interface Listing<T, S> {
  readonly kind: RecordKind<T>
  /** `*`: all of them. */
  readonly namespace: string
  /** May read other records, as `show` may. */
  readonly filter?: ((record: T) => boolean) | undefined
  /** What the list is in order of; default: the id. */
  readonly sortKey?: (record: T) => string
  /** May read other records. */
  readonly show: (record: T) => S
}

/** For reads only: the list is no basis of a write. */
export function listRecords<T, S>(tx: ConfigTx, listing: Listing<T, S>): readonly S[] {
  const { kind, namespace } = listing
  const at = namespace === ALL_NAMESPACES ? '' : `${namespace}/`
  const ids = tx.list(kind, { prefix: at })
  // A conflict has the records read again, and what is shown of them with it.
  return tx.steps(`list ${kind.folder}`, () => listSteps(tx, listing, ids, at), 'attempt')
}

function* listSteps<T, S>(
  tx: ConfigTx,
  { kind, filter: wanted, sortKey: orderOf, show }: Listing<T, S>,
  ids: readonly string[],
  at: string,
): Steps<readonly S[]> {
  const all = yield* gatherSteps(ids, (id) => tx.get(kind, at + id), READ_MICROSECONDS)
  const found = all.filter((record) => record !== undefined)
  const verdicts = wanted && (yield* gatherSteps(found, wanted, FILTER_MICROSECONDS))
  const matching = verdicts ? found.filter((_, i) => verdicts[i]) : found
  if (!orderOf) return yield* gatherSteps(matching, show, SHOW_MICROSECONDS)
  const keyed = matching.map((record) => ({ record, key: orderOf(record) }))
  const sorted = yield* sortSteps(keyed, ({ key }) => key)
  return yield* gatherSteps(sorted, ({ record }) => show(record), SHOW_MICROSECONDS)
}

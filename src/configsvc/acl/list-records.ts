/** Lists any number of records. Long lists are read in portions, and other work runs in between. */
import { sortSteps } from '../../core/base/sort-steps.ts'
import type { Steps } from '../../core/base/steps.ts'
import type { RecordKind } from '../../core/contract/record-kind.ts'
import { loadAllSteps, readSteps } from '../../core/transaction/load-all.ts'
import type { ConfigTx } from '../call.ts'
import { ALL_NAMESPACES } from '../scope.ts'

/** The estimated cost of reading a record that is already loaded. */
const READ_MICROSECONDS = 2

/** The estimated cost of converting a record to the form in responses. */
const SHOW_MICROSECONDS = 5

/** The estimated cost of one call of the filter. */
const FILTER_MICROSECONDS = 1

interface Listing<T, S> {
  readonly kind: RecordKind<T>
  /** `*` means all namespaces. */
  readonly namespace: string
  /** Whether to list the record. May read other records. */
  readonly filter?: ((record: T) => boolean) | undefined
  /** The list is sorted by this key. Default: by id. */
  readonly sortKey?: (record: T) => string
  /** Converts a record to the form in responses. May read other records. */
  readonly show: (record: T) => S
}

/** Only for read operations: the list is not part of the commit's preconditions, so a write must not depend on it. */
export function listRecords<T, S>(tx: ConfigTx, listing: Listing<T, S>): readonly S[] {
  // The result is kept for one attempt only: after a conflict, the listed records are read again, and so are those that `show` reads.
  return tx.steps(`list ${listing.kind.folder}`, () => listSteps(tx, listing), 'attempt')
}

function* listSteps<T, S>(
  tx: ConfigTx,
  { kind, namespace, filter: wanted, sortKey: orderOf, show }: Listing<T, S>,
): Steps<readonly S[]> {
  const at = namespace === ALL_NAMESPACES ? '' : `${namespace}/`
  const ids = yield* readSteps(() => tx.list(kind, { prefix: at }))
  const all = yield* loadAllSteps(ids, (id) => tx.get(kind, at + id), READ_MICROSECONDS)
  const found = all.filter((record) => record !== undefined)
  const verdicts = wanted && (yield* loadAllSteps(found, wanted, FILTER_MICROSECONDS))
  const matching = verdicts ? found.filter((_, i) => verdicts[i]) : found
  if (!orderOf) return yield* loadAllSteps(matching, show, SHOW_MICROSECONDS)
  const keyed = matching.map((record) => ({ record, key: orderOf(record) }))
  const sorted = yield* sortSteps(keyed, ({ key }) => key)
  return yield* loadAllSteps(sorted, ({ record }) => show(record), SHOW_MICROSECONDS)
}

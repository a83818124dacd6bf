/**
 * The index of references: which entries name a service or another entry. An entry with few references has one record per reference, which
 * is found by the referenced name. An entry with many references has a single record with all of them, so that they fit into one commit;
 * such entries are rare.
 */
import { sortSteps } from '../../../core/base/sort-steps.ts'
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { loadAll } from '../../../core/transaction/load-all.ts'
import type { ConfigTx } from '../../call.ts'
import type { EntryKey, ReferenceLookup } from '../graph/graph-entries.ts'
import type { EntryKindName, EntryReference, NormalizedEntry } from '../kind.ts'
import { kindNamed } from '../read-entry.ts'
import { ENTRY, ENTRY_REFERENCE, ENTRY_REFERENCE_LIST, nameOfSegment, segmentOf } from './entry-records.ts'
import type { EntryReads } from './recorded-reads.ts'

/** An entry with more references has a single record for all of them. */
const MAX_REFERENCE_RECORDS = 8

const targetId = ({ to, name }: EntryReference): string => `${to}/${segmentOf(name)}`

const REFERENCE_MICROSECONDS = 5

/** The ids of the references of an entry, sorted and without duplicates. */
export function* targetsOf(entry: NormalizedEntry | undefined): Steps<readonly string[]> {
  if (entry === undefined) return []
  const pace = new Pace()
  const targets = new Set<string>()
  for (const reference of kindNamed(entry.Kind).refersTo(entry)) {
    targets.add(targetId(reference))
    if (pace.spend(REFERENCE_MICROSECONDS)) yield
  }
  return yield* sortSteps([...targets], (target) => target)
}

export class ReferenceIndex implements ReferenceLookup {
  readonly #tx: EntryReads
  readonly #namespace: string

  constructor(tx: EntryReads, namespace: string) {
    this.#tx = tx
    this.#namespace = namespace
  }

  referring(to: 'service' | EntryKindName, name: string): readonly EntryKey[] {
    const target = targetId({ to, name })
    const found = loadAll([() => this.#byRecord(target), () => this.#byList(target)], (look) => look())
    return found.flat().map(keyOf)
  }

  /** The names of all entries of the kind, in lower case. */
  namesOfKind(kind: EntryKindName): readonly string[] {
    return this.#tx.list(ENTRY, { prefix: `${this.#namespace}/${kind}/` }).map(nameOfSegment)
  }

  #byRecord(target: string): readonly string[] {
    return this.#tx.list(ENTRY_REFERENCE, { prefix: `${this.#namespace}/${target}/` })
  }

  #byList(target: string): readonly string[] {
    const ids = this.#tx.list(ENTRY_REFERENCE_LIST, { prefix: `${this.#namespace}/` })
    const lists = loadAll(ids, (id) => this.#tx.get(ENTRY_REFERENCE_LIST, `${this.#namespace}/${id}`))
    return ids.filter((_, i) => includesSorted(lists[i] ?? [], target))
  }
}

function keyOf(id: string): EntryKey {
  const [kind = '', segment = ''] = id.split('/')
  return { kind, name: nameOfSegment(segment) }
}

/** Uses binary search. */
function includesSorted(sorted: readonly string[], wanted: string): boolean {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >> 1
    const one = sorted[middle] as string
    if (one === wanted) return true
    if (one < wanted) from = middle + 1
    else to = middle
  }
  return false
}

/** The index records that must be written when the references of an entry change. */
export interface IndexChange {
  readonly put: readonly string[]
  readonly delete: readonly string[]
  /** The new content of the single record with all references. `none`: the record is deleted. Undefined: it does not change. */
  readonly list: readonly string[] | 'none' | undefined
}

export function indexChange(before: readonly string[], after: readonly string[]): IndexChange {
  const [had, has] = [recordsOf(before), recordsOf(after)]
  const [listed, lists] = [listOf(before), listOf(after)]
  const same = listed?.length === lists?.length && (listed ?? []).every((target, i) => target === lists?.[i])
  return {
    put: has.filter((target) => !had.includes(target)),
    delete: had.filter((target) => !has.includes(target)),
    list: same ? undefined : (lists ?? 'none'),
  }
}

const recordsOf = (targets: readonly string[]): readonly string[] => (targets.length > MAX_REFERENCE_RECORDS ? [] : targets)
const listOf = (targets: readonly string[]): readonly string[] | undefined =>
  targets.length > MAX_REFERENCE_RECORDS ? targets : undefined

export const writesOf = ({ put, delete: deleted, list }: IndexChange): number =>
  put.length + deleted.length + (list === undefined ? 0 : 1)

/** @param place The namespace of the entry. @param own The kind and name of the entry, as in its id. */
export function writeIndex(tx: ConfigTx, place: string, own: string, change: IndexChange): void {
  for (const target of change.put) tx.put(ENTRY_REFERENCE, `${place}/${target}/${own}`, true)
  for (const target of change.delete) tx.delete(ENTRY_REFERENCE, `${place}/${target}/${own}`)
  if (change.list === 'none') tx.delete(ENTRY_REFERENCE_LIST, `${place}/${own}`)
  else if (change.list) tx.put(ENTRY_REFERENCE_LIST, `${place}/${own}`, change.list)
}

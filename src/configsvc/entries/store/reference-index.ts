/**
 * The index of references: which entries name a service or another entry. An entry that names few has a record for each, found by the name;
 * one that names many has a single record with all of them, so that it can be written in one commit. Of these there are few.
 */
import { sortSteps } from '../../../core/base/sort-steps.ts'
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { gather } from '../../../core/transaction/gather.ts'
import type { ConfigTx } from '../../call.ts'
import type { EntryKey, References } from '../graph/entries-read.ts'
import type { Entry, KindName, Reference } from '../kind.ts'
import { kindNamed } from '../read-entry.ts'
import { ENTRY, nameIn, REFERENCE, REFERENCES, segmentOf } from './entry-records.ts'
import type { Reads } from './noted-reads.ts'

/** Entries that name more have one record with all names. */
const MOST_RECORDS = 8

const targetOf = ({ to, name }: Reference): string => `${to}/${segmentOf(name)}`

const REFERENCE_MICROSECONDS = 5

/** What an entry refers to, sorted, each once. */
export function* targetsOf(entry: Entry | undefined): Steps<readonly string[]> {
  if (entry === undefined) return []
  const pace = new Pace()
  const targets = new Set<string>()
  for (const reference of kindNamed(entry.Kind).refersTo(entry)) {
    targets.add(targetOf(reference))
    if (pace.spend(REFERENCE_MICROSECONDS)) yield
  }
  return yield* sortSteps([...targets], (target) => target)
}

export class ReferenceIndex implements References {
  readonly #tx: Reads
  readonly #namespace: string

  constructor(tx: Reads, namespace: string) {
    this.#tx = tx
    this.#namespace = namespace
  }

  referring(to: 'service' | KindName, name: string): readonly EntryKey[] {
    const target = targetOf({ to, name })
    const found = gather([() => this.#byRecord(target), () => this.#byList(target)], (look) => look())
    return found.flat().map(keyOf)
  }

  /** In lower case. */
  allOf(kind: KindName): readonly string[] {
    return this.#tx.list(ENTRY, { prefix: `${this.#namespace}/${kind}/` }).map(nameIn)
  }

  #byRecord(target: string): readonly string[] {
    return this.#tx.list(REFERENCE, { prefix: `${this.#namespace}/${target}/` })
  }

  #byList(target: string): readonly string[] {
    const ids = this.#tx.list(REFERENCES, { prefix: `${this.#namespace}/` })
    const lists = gather(ids, (id) => this.#tx.get(REFERENCES, `${this.#namespace}/${id}`))
    return ids.filter((_, i) => holds(lists[i] ?? [], target))
  }
}

function keyOf(id: string): EntryKey {
  const [kind = '', segment = ''] = id.split('/')
  return { kind, name: nameIn(segment) }
}

/** @param sorted Searched by halves. */
function holds(sorted: readonly string[], wanted: string): boolean {
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

/** What has to be written of the index where the targets of an entry change. */
export interface IndexChange {
  readonly put: readonly string[]
  readonly delete: readonly string[]
  /** Undefined: the record with all names stays as it is, or absent. */
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

const recordsOf = (targets: readonly string[]): readonly string[] => (targets.length > MOST_RECORDS ? [] : targets)
const listOf = (targets: readonly string[]): readonly string[] | undefined =>
  targets.length > MOST_RECORDS ? targets : undefined

export const writesOf = ({ put, delete: gone, list }: IndexChange): number =>
  put.length + gone.length + (list === undefined ? 0 : 1)

/** @param place The namespace of the entry. @param own Its kind and name, as in its id. */
export function writeIndex(tx: ConfigTx, place: string, own: string, change: IndexChange): void {
  for (const target of change.put) tx.put(REFERENCE, `${place}/${target}/${own}`, true)
  for (const target of change.delete) tx.delete(REFERENCE, `${place}/${target}/${own}`)
  if (change.list === 'none') tx.delete(REFERENCES, `${place}/${own}`)
  else if (change.list) tx.put(REFERENCES, `${place}/${own}`, change.list)
}

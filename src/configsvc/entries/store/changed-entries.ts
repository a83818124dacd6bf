/** Reads the entries of a namespace as they would be after a change. */
import type { Steps } from '../../../core/base/steps.ts'
import { loadAll, readSteps } from '../../../core/transaction/load-all.ts'
import type { GatewayEntryOf } from '../gateways/gateway-entries.ts'
import type { EntryKey, EntryReader } from '../graph/graph-entries.ts'
import type { EntryKindName, NormalizedEntry } from '../kind.ts'
import { ENTRY, entryId } from './entry-records.ts'
import type { EntryReads } from './recorded-reads.ts'

export class ChangedEntries implements EntryReader<GatewayEntryOf> {
  readonly namespace: string
  readonly partition = 'default'
  readonly #tx: EntryReads
  readonly #changed: ReadonlyMap<string, NormalizedEntry | undefined>

  /** @param changed The changed entries, keyed by id; undefined for a deleted entry. */
  constructor(tx: EntryReads, namespace: string, changed: ReadonlyMap<string, NormalizedEntry | undefined>) {
    this.#tx = tx
    this.namespace = namespace
    this.#changed = changed
  }

  get<K extends keyof GatewayEntryOf>(kind: K, name: string): GatewayEntryOf[K] | undefined {
    const id = entryId(this.namespace, kind, name)
    const entry = this.#changed.has(id) ? this.#changed.get(id) : this.#tx.get(ENTRY, id)
    // The cast is safe: `GatewayEntryOf` declares a subset of the members that a stored entry of the kind has.
    return entry as GatewayEntryOf[K] | undefined
  }

  prefetch(keys: readonly EntryKey<EntryKindName & keyof GatewayEntryOf>[]): void {
    loadAll(keys, ({ kind, name }) => this.get(kind, name))
  }

  load<T>(look: () => T): Steps<T> {
    return readSteps(look)
  }
}

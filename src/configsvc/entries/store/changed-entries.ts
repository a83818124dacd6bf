/**
 * The entries of a namespace as they would be after a change.
 */
import type { Steps } from '../../../core/base/steps.ts'
import { gather, readSteps } from '../../../core/transaction/gather.ts'
import type { GatewayEntryOf } from '../gateways/gateway-entries.ts'
import type { EntriesOf, EntryKey } from '../graph/entries-read.ts'
import type { Entry, KindName } from '../kind.ts'
import { ENTRY, entryId } from './entry-records.ts'
import type { Reads } from './noted-reads.ts'

export class ChangedEntries implements EntriesOf<GatewayEntryOf> {
  readonly namespace: string
  readonly partition = 'default'
  readonly #tx: Reads
  readonly #changed: ReadonlyMap<string, Entry | undefined>

  /** @param changed By id; undefined is deleted. */
  constructor(tx: Reads, namespace: string, changed: ReadonlyMap<string, Entry | undefined>) {
    this.#tx = tx
    this.namespace = namespace
    this.#changed = changed
  }

  get<K extends keyof GatewayEntryOf>(kind: K, name: string): GatewayEntryOf[K] | undefined {
    const id = entryId(this.namespace, kind, name)
    const entry = this.#changed.has(id) ? this.#changed.get(id) : this.#tx.get(ENTRY, id)
    // The checks know entries by the members that matter to them.
    return entry as GatewayEntryOf[K] | undefined
  }

  expect(keys: readonly EntryKey<KindName & keyof GatewayEntryOf>[]): void {
    gather(keys, ({ kind, name }) => this.get(kind, name))
  }

  loaded<T>(look: () => T): Steps<T> {
    return readSteps(look)
  }
}

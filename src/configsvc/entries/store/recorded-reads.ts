/**
 * Records what a generator of steps reads. The commit that uses the result then requires that the read records are unchanged, as it does
 * for the reads of the transaction itself.
 */
import { KernelError } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import type { RecordKind } from '../../../core/contract/record-kind.ts'
import type { ListOptions, RecordRead } from '../../../core/contract/tx.ts'
import { loadAll } from '../../../core/transaction/load-all.ts'
import type { ConfigTx } from '../../call.ts'

export type EntryReads = Pick<ConfigTx, 'get' | 'list'>

class RecordedReads implements EntryReads {
  readonly #tx: ConfigTx
  readonly #records: RecordRead[] = []
  readonly #seen = new Set<string>()
  /** Keyed by folder. */
  readonly #lists = new Map<string, () => unknown>()

  constructor(tx: ConfigTx) {
    this.#tx = tx
  }

  get<T>(kind: RecordKind<T>, id: string): T | undefined {
    const value = this.#tx.get(kind, id)
    const place = `${kind.folder}/${id}`
    if (!this.#seen.has(place)) {
      this.#records.push(this.#tx.recordRead(kind, id))
      this.#seen.add(place)
    }
    return value
  }

  list<T>(kind: RecordKind<T>, options: ListOptions = {}): readonly string[] {
    // If any part of a folder was listed, the commit requires an unchanged guard of the folder.
    this.#lists.set(kind.folder, () => this.#tx.list(kind, options))
    return this.#tx.list(kind, options)
  }

  /** Adds all recorded reads to the current transaction. The records are not read again, because there may be tens of thousands. */
  addToTransaction(): void {
    this.#tx.dependOn(this.#records)
    loadAll([...this.#lists.values()], (list) => list())
  }
}

interface StepsOutcome<T> {
  readonly reads: RecordedReads
  readonly outcome: () => T
}

/**
 * Runs steps whose result, or error, depends on records. When the steps finish, the transaction run that started them has ended, and a new
 * run uses the result. So add the reads of the steps to the new run: its commit fails if one of the records has changed.
 */
export function stepsWithReads<T>(tx: ConfigTx, name: string, make: (reads: EntryReads) => Steps<T>): T {
  const { reads, outcome } = tx.steps(name, () => recordReads(tx, make), 'attempt')
  reads.addToTransaction()
  return outcome()
}

function* recordReads<T>(tx: ConfigTx, make: (reads: EntryReads) => Steps<T>): Steps<StepsOutcome<T>> {
  const reads = new RecordedReads(tx)
  try {
    const value = yield* make(reads)
    return { reads, outcome: () => value }
  } catch (thrown) {
    if (!(thrown instanceof KernelError)) throw thrown
    const outcome = (): never => {
      throw thrown
    }
    return { reads, outcome }
  }
}

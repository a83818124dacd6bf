/**
 * A transaction of the application whose writes are buffered in this process until it commits. It is used by storages that execute the
 * whole transaction as one commit.
 */
import { copyOps } from './ops.ts'
import type { Commit, Conflict, Op, Revision } from './port.ts'

/**
 * A transaction of the application: either all its writes take effect, or none. Nothing is written to the store before `commit`, so an open
 * transaction does not delay other writers. Exported as `MemoryTransaction` and `EtcdTransaction`.
 */
export interface JoinableTransaction {
  /** Writes a record of the application. The key must begin with `app/`; the kernel ignores such keys. */
  put(key: string, value: Uint8Array): void
  /** Deletes a record of the application. */
  del(key: string): void
  /**
   * Commits the transaction. `ok: false` means that nothing was written, because another writer has changed a record whose earlier version
   * the kernel's writes require. In that case, run the whole transaction again.
   */
  commit(): Promise<Commit>
  /** Ends the transaction without writing anything. */
  rollback(): void
}

type TransactionWrite = Extract<Op, { readonly op: 'put' | 'del' }>
type Append = Extract<Op, { readonly op: 'append' }>

const APPLICATION_PREFIX = 'app/'

export class BufferedTransaction implements JoinableTransaction {
  readonly #writes = new Map<string, TransactionWrite>()
  readonly #checks = new Map<string, Revision>()
  readonly #appends: Append[] = []
  readonly #finish: (ops: readonly Op[]) => Commit | Promise<Commit>
  /** A conflict that was found before the commit was sent to the store. */
  #conflict: Conflict | undefined
  #over = false

  /** @param finish Commits all ops; each key occurs at most once. */
  constructor(finish: (ops: readonly Op[]) => Commit | Promise<Commit>) {
    this.#finish = finish
  }

  put(key: string, value: Uint8Array): void {
    this.#assertOpen()
    this.#writes.set(assertApplicationKey(key), { op: 'put', key, value: new Uint8Array(value) })
  }

  del(key: string): void {
    this.#assertOpen()
    this.#writes.set(assertApplicationKey(key), { op: 'del', key })
  }

  async commit(): Promise<Commit> {
    this.#end()
    return this.#conflict ?? this.#finish(this.#ops())
  }

  rollback(): void {
    this.#end()
  }

  /**
   * Adds the kernel's writes. Appended records get their indexes when the transaction commits. @throws TypeError if the transaction has
   * ended, or already writes one of the keys.
   */
  join(ops: readonly Op[]): void {
    this.#assertOpen()
    for (const op of ops) {
      if (op.op === 'append') continue
      if (this.#writes.has(op.key) || (op.op !== 'check' && this.#checks.has(op.key)))
        throw new TypeError('the transaction already writes this record')
    }
    for (const op of copyOps(ops)) {
      if (op.op === 'append') this.#appends.push(op)
      else if (op.op === 'check') this.#check(op.key, op.expect)
      else this.#writes.set(op.key, op)
    }
  }

  /**
   * Records which version of a key the transaction requires. If an earlier call required another version, the transaction conflicts,
   * because the record was changed between the two calls.
   */
  #check(key: string, expect: Revision): void {
    const before = this.#checks.get(key) ?? expect
    if (before !== expect) this.#conflict ??= { ok: false, conflict: key, version: expect }
    this.#checks.set(key, expect)
  }

  #ops(): readonly Op[] {
    const ops: Op[] = []
    for (const write of this.#writes.values()) {
      const expect = this.#checks.get(write.key)
      ops.push(expect === undefined ? write : { ...write, expect })
    }
    for (const [key, expect] of this.#checks) if (!this.#writes.has(key)) ops.push({ op: 'check', key, expect })
    return [...ops, ...this.#appends]
  }

  #end(): void {
    this.#assertOpen()
    this.#over = true
  }

  #assertOpen(): void {
    if (this.#over) throw new TypeError('the transaction has ended')
  }
}

function assertApplicationKey(key: string): string {
  if (typeof key !== 'string' || !key.startsWith(APPLICATION_PREFIX))
    throw new TypeError(`key: must begin with ${APPLICATION_PREFIX}`)
  return key
}

/**
 * A transaction of the application that is kept in its process until it commits, for storages that carry it out as one commit then.
 */
import { copyOps } from './ops.ts'
import type { Commit, Conflict, Op, Revision } from './port.ts'

/**
 * All its writes take effect at once, or none does. Nothing of it is in the store before `commit`, so nobody waits for it. Kernels and
 * applications see it as `MemoryTransaction` and `EtcdTransaction`.
 */
export interface OwnTransaction {
  /** Keys of the application begin with `app/`; the kernel ignores them. */
  put(key: string, value: Uint8Array): void
  /** Deletes a key of the application. */
  del(key: string): void
  /** `ok: false` when a record that the kernel's part expects has changed meanwhile: nothing was written, start over. */
  commit(): Promise<Commit>
  /** Ends the transaction without writing anything. */
  rollback(): void
}

type Write = Extract<Op, { readonly op: 'put' | 'del' }>
type Append = Extract<Op, { readonly op: 'append' }>

const OWN = 'app/'

export class OpenTransaction implements OwnTransaction {
  readonly #writes = new Map<string, Write>()
  readonly #checks = new Map<string, Revision>()
  readonly #appends: Append[] = []
  readonly #finish: (ops: readonly Op[]) => Commit | Promise<Commit>
  /** Known before the store is asked. */
  #conflict: Conflict | undefined
  #over = false

  /** @param finish Carries the whole out; no key is in it twice. */
  constructor(finish: (ops: readonly Op[]) => Commit | Promise<Commit>) {
    this.#finish = finish
  }

  put(key: string, value: Uint8Array): void {
    this.#assertOpen()
    this.#writes.set(own(key), { op: 'put', key, value: new Uint8Array(value) })
  }

  del(key: string): void {
    this.#assertOpen()
    this.#writes.set(own(key), { op: 'del', key })
  }

  async commit(): Promise<Commit> {
    this.#end()
    return this.#conflict ?? this.#finish(this.#ops())
  }

  rollback(): void {
    this.#end()
  }

  /**
   * Adds the kernel's part. Appended records get their indexes when the transaction commits. @throws TypeError when the transaction is
   * over, or already writes one of the keys.
   */
  join(ops: readonly Op[]): void {
    this.#assertOpen()
    for (const op of ops) {
      if (op.op === 'append') continue
      if (this.#writes.has(op.key) || (op.op !== 'check' && this.#checks.has(op.key)))
        throw new TypeError('the transaction has this record already')
    }
    for (const op of copyOps(ops)) {
      if (op.op === 'append') this.#appends.push(op)
      else if (op.op === 'check') this.#check(op.key, op.expect)
      else this.#writes.set(op.key, op)
    }
  }

  /** Parts that rest on different versions of a record cannot both be right: it was written between them. */
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
    if (this.#over) throw new TypeError('the transaction is over')
  }
}

function own(key: string): string {
  if (typeof key !== 'string' || !key.startsWith(OWN)) throw new TypeError(`key: keys of the application begin with ${OWN}`)
  return key
}

/**
 * A transaction of the application on a memory storage.
 */
import { copyOps } from './ops.ts'
import type { Commit, Op } from './port.ts'

/** All its writes take effect at once, or none does. */
export interface MemoryTransaction {
  /** Keys of the application begin with `app/`; the kernel ignores them. */
  put(key: string, value: Uint8Array): void
  del(key: string): void
  /** `ok: false` when a record that the kernel's part expects has changed meanwhile: nothing was written, start over. */
  commit(): Promise<Commit>
  rollback(): void
}

const OWN = 'app/'

export class OpenTransaction implements MemoryTransaction {
  /** Puts and dels by key. */
  readonly #writes = new Map<string, Op>()
  /** Checks and appends, of which there may be several of one key or log. */
  readonly #others: Op[] = []
  readonly #checked = new Set<string>()
  readonly #finish: (ops: readonly Op[]) => Commit
  #over = false

  constructor(finish: (ops: readonly Op[]) => Commit) {
    this.#finish = finish
  }

  put(key: string, value: Uint8Array): void {
    this.#add({ op: 'put', key: own(key), value: new Uint8Array(value) })
  }

  del(key: string): void {
    this.#add({ op: 'del', key: own(key) })
  }

  async commit(): Promise<Commit> {
    this.#end()
    return this.#finish([...this.#writes.values(), ...this.#others])
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
      if (this.#writes.has(op.key) || (op.op !== 'check' && this.#checked.has(op.key)))
        throw new TypeError('the transaction has this record already')
    }
    for (const op of copyOps(ops)) {
      if (op.op === 'put' || op.op === 'del') this.#writes.set(op.key, op)
      else this.#others.push(op)
      if (op.op === 'check') this.#checked.add(op.key)
    }
  }

  #add(op: Op & { readonly key: string }): void {
    this.#assertOpen()
    this.#writes.set(op.key, op)
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

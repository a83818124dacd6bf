/**
 * A transaction of the application on the store's cluster, which writes of the kernel may join.
 */
import { copyOps } from '../../core/storage/ops.ts'
import type { Commit, Op } from '../../core/storage/port.ts'

/** All its writes take effect at once, or none does. Nothing is sent before `commit`, so nobody waits for it. */
export interface EtcdTransaction {
  /** Keys of the application begin with `app/`; the kernel ignores them. In the cluster the store's prefix and `r/` stand before them. */
  put(key: string, value: Uint8Array): void
  del(key: string): void
  /** `ok: false` when a record that the kernel's part expects has changed meanwhile: nothing was written, start over. */
  commit(): Promise<Commit>
  rollback(): void
}

const OWN = 'app/'

export class OpenEtcdTransaction implements EtcdTransaction {
  /** By key. */
  readonly #ops = new Map<string, Op>()
  readonly #appends: Op[] = []
  readonly #finish: (ops: readonly Op[]) => Promise<Commit>
  #over = false

  constructor(finish: (ops: readonly Op[]) => Promise<Commit>) {
    this.#finish = finish
  }

  put(key: string, value: Uint8Array): void {
    this.#assertOpen()
    this.#ops.set(own(key), { op: 'put', key, value: new Uint8Array(value) })
  }

  del(key: string): void {
    this.#assertOpen()
    this.#ops.set(own(key), { op: 'del', key })
  }

  async commit(): Promise<Commit> {
    this.#end()
    return this.#finish([...this.#ops.values(), ...this.#appends])
  }

  rollback(): void {
    this.#end()
  }

  /** Adds the kernel's part. @throws TypeError when the transaction is over, or already has one of the records. */
  join(ops: readonly Op[]): void {
    this.#assertOpen()
    for (const op of ops) {
      const there = op.op === 'append' ? undefined : this.#ops.get(op.key)
      // Two joined writes that rest on different versions of a record cannot both be right.
      const same = op.op === 'check' && there?.op === 'check' && op.expect === there.expect
      if (there && !same) throw new TypeError('the transaction has this record already')
    }
    for (const op of copyOps(ops)) {
      if (op.op === 'append') this.#appends.push(op)
      else this.#ops.set(op.key, op)
    }
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

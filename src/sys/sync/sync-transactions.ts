/** Transactions of secret sync outside of requests and ticks. */

import type { Environment } from '../../core/contract/environment.ts'
import { KernelService } from '../../core/contract/kernel-service.ts'
import { ROOT_NAMESPACE } from '../../core/contract/namespace.ts'
import type { Tx } from '../../core/contract/tx.ts'
import type { KernelInternals } from '../../core/kernel/assemble.ts'
import { transactAndEnd } from '../../core/transaction/transact.ts'

export class SyncTransactions {
  readonly #internals: KernelInternals

  constructor(internals: KernelInternals) {
    this.#internals = internals
  }

  get env(): Environment {
    return this.#internals.host.env
  }

  /** Reads current records. Commits of other transactions do not wait for the read. */
  read<T>(body: (tx: Tx) => T): Promise<T> {
    return this.#run('read', body)
  }

  write<T>(body: (tx: Tx) => T): Promise<T> {
    return this.#run('write', body)
  }

  async #run<T>(access: 'read' | 'write', body: (tx: Tx) => T): Promise<T> {
    const { host, topology, call } = this.#internals
    return (await transactAndEnd(host, topology.coreKeyspace(ROOT_NAMESPACE), call, access, body)).value
  }
}

export const SYNC_TRANSACTIONS = /* @__PURE__ */ new KernelService<SyncTransactions>()

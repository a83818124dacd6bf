/** Combines the reservations that are requested in the same turn, such as those of concurrent calls with many keys, into shared commits. */
import { KernelError } from '../base/errors.ts'
import { MAX_COMMIT_OPS } from '../storage/max-commit-ops.ts'
import type { Keyspace } from './keyspace.ts'
import { type BlockRequest, type BlockResult, OPS_PER_RESERVATION, type ReservedBlock, reserveBlocks } from './reserve-blocks.ts'
import type { Store } from './store.ts'

interface WaitingRequest {
  readonly request: BlockRequest
  readonly resolve: (result: BlockResult) => void
  readonly reject: (error: unknown) => void
}

export class Reservations {
  readonly #store: Store
  readonly #waiting = new Map<Keyspace, WaitingRequest[]>()

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * Returns undefined after a conflict. A caller that repeats the request passes `alone`, so that a conflict of one counter does not delay
   * others again.
   * @throws KernelError 400 if the key version no longer exists
   */
  async reserve(keyspace: Keyspace, request: BlockRequest, alone: boolean): Promise<ReservedBlock | undefined> {
    const result = alone ? (await reserveBlocks(this.#store, [request], keyspace.fences))[0] : await this.#join(keyspace, request)
    if (result instanceof KernelError) throw result
    return result
  }

  #join(keyspace: Keyspace, request: BlockRequest): Promise<BlockResult> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(keyspace)
      if (waiting) waiting.push({ request, resolve, reject })
      else {
        this.#waiting.set(keyspace, [{ request, resolve, reject }])
        queueMicrotask(() => void this.#flush(keyspace))
      }
    })
  }

  async #flush(keyspace: Keyspace): Promise<void> {
    const waiting = this.#waiting.get(keyspace) ?? []
    this.#waiting.delete(keyspace)
    const { fences } = keyspace
    const most = Math.min(MAX_COMMIT_OPS, this.#store.storage.caps.maxOps) - fences.length
    const step = Math.max(1, Math.floor(most / OPS_PER_RESERVATION))
    for (let at = 0; at < waiting.length; at += step) await this.#reserveTogether(waiting.slice(at, at + step), keyspace)
  }

  async #reserveTogether(waiting: readonly WaitingRequest[], keyspace: Keyspace): Promise<void> {
    try {
      const requests = waiting.map(({ request }) => request)
      const results = await reserveBlocks(this.#store, requests, keyspace.fences)
      for (const [index, { resolve }] of waiting.entries()) resolve(results[index])
    } catch (error) {
      for (const { reject } of waiting) reject(error)
    }
  }
}

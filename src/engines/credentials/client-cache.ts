import { base62 } from '../../core/base/identifiers.ts'
import type { Environment } from '../../core/contract/environment.ts'
import type { Tx } from '../../core/contract/tx.ts'

interface CachedClient<C> {
  readonly client: C
  readonly generation: string
  /** The number of calls in progress. */
  users: number
  /** Whether to close the client when its last call ends. */
  retired: boolean
}

/** The open clients of a kernel for outside systems. Each stored configuration has one client, created at first use. */
export class ClientCache<C> {
  readonly #entries = new Map<string, CachedClient<C>>()
  readonly #close: (client: C) => Promise<unknown>

  constructor({ closing }: Environment, close: (client: C) => Promise<unknown>) {
    this.#close = close
    closing.addEventListener('abort', () => this.dropAll(() => true))
  }

  /**
   * Calls `ask` with the client of a configuration. The client stays open until `ask` ends, even if the configuration changes meanwhile.
   * @param key Identifies the configuration.
   * @param generation The member `generation` of the stored configuration. If it has changed, `open` creates another client.
   * @throws Every error of `open` and `ask`.
   */
  async use<T>(
    key: string,
    generation: string,
    open: () => C,
    ask: (client: C, calls: { readonly isOnlyCall: boolean }) => Promise<T>,
  ): Promise<T> {
    const entry = this.#entryFor(key, generation, open)
    entry.users++
    try {
      return await ask(entry.client, { isOnlyCall: entry.users === 1 })
    } finally {
      entry.users--
      if (entry.retired) this.#retire(entry)
    }
  }

  /** Removes a client, and closes it as soon as its calls in progress have ended. If `client` is given, keeps every other client. */
  drop(key: string, client?: C): void {
    const entry = this.#entries.get(key)
    if (!entry || (client !== undefined && entry.client !== client)) return
    this.#entries.delete(key)
    this.#retire(entry)
  }

  /** Removes all clients that match, and closes each as soon as its calls in progress have ended. */
  dropAll(matches: (client: C) => boolean): void {
    for (const [key, { client }] of this.#entries) if (matches(client)) this.drop(key)
  }

  #entryFor(key: string, generation: string, open: () => C): CachedClient<C> {
    const known = this.#entries.get(key)
    if (known?.generation === generation) return known
    this.drop(key)
    const entry = { client: open(), generation, users: 0, retired: false }
    this.#entries.set(key, entry)
    return entry
  }

  #retire(entry: CachedClient<C>): void {
    entry.retired = true
    if (entry.users > 0) return
    // A failure to close affects no caller, so it is ignored.
    const close = async (): Promise<unknown> => this.#close(entry.client)
    close().catch(() => {})
  }
}

/**
 * Returns a value for the member `generation` of a stored configuration: a random id that changes with each write. A process compares it with
 * the id for which its client was created, to detect that the client is outdated.
 */
export const randomGeneration = ({ entropy }: Environment): string => base62(entropy, 16)

/** Like {@link randomGeneration}, but all runs of the transaction use the same value. */
export const newGeneration = (tx: Tx): string => tx.once('generation', async () => randomGeneration(tx.env))

import type { MemoScope } from '../contract/tx.ts'

export interface MemoizedValue {
  readonly value?: unknown
  readonly error?: unknown
}

/** @throws The memoized error. */
export function resultOf<T>(memoized: MemoizedValue): T {
  if ('error' in memoized) throw memoized.error
  return memoized.value as T
}

/** The results of computations of one request, by name. A run of the transaction uses the results of earlier runs. */
export class MemoizedValues {
  readonly #values = new Map<string, MemoizedValue>()
  /** The names of the results that are computed again after a conflict. */
  readonly #attemptScoped = new Set<string>()

  find(name: string, scope: MemoScope): MemoizedValue | undefined {
    if (scope === 'attempt') this.#attemptScoped.add(name)
    return this.#values.get(name)
  }

  set(name: string, memoized: MemoizedValue): void {
    this.#values.set(name, memoized)
  }

  /** Called after a conflict. */
  refresh(): void {
    for (const name of this.#attemptScoped) this.#values.delete(name)
  }
}

/**
 * Yields the items of `source` until it ends or `signal` is aborted. An abort rejects with the signal's reason at once, even while the
 * source is producing the next item. If the consumer stops early or the signal is aborted, the source is closed. After an abort, this
 * generator does not wait until the source is closed.
 */
export async function* takeUntil<T>(
  source: Iterable<T> | AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  let ended = false
  const next = async (): Promise<IteratorResult<T>> => {
    try {
      const taken = await iterator.next()
      ended = taken.done === true
      return taken
    } catch (error) {
      // A source that throws has ended, so it must not be closed.
      ended = true
      throw error
    }
  }
  try {
    for (;;) {
      const taken = await unlessAborted(next, signal)
      if (taken.done) return
      yield taken.value
    }
  } finally {
    if (!ended) {
      const end = Promise.resolve(iterator.return?.())
      if (signal?.aborted) end.catch(() => {})
      else await end
    }
  }
}

function unlessAborted<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work()
  if (signal.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort))
  })
}

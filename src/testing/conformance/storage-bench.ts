import assert from 'node:assert/strict'
import { copyOps } from '../../core/storage/ops.ts'
import { type Commit, type Entry, type Op, OutcomeUnknown, type Revision, type Storage } from '../../core/storage/port.ts'

/** The storage under test, and helper methods for the tests. */
export interface StorageBench {
  readonly storage: Storage
  /** Commits the ops. If the outcome is unknown, repeats the commit with the same id, as the kernel does. */
  commit(ops: readonly Op[], id?: string): Promise<Commit>
  /** Commits the ops and asserts that there is no conflict. */
  write(...ops: readonly Op[]): Promise<Commit & { readonly ok: true }>
  /** Writes each key with its own name as the value, in as many commits as `maxOps` requires. */
  fill(keys: readonly string[]): Promise<void>
  /** Returns the value at `key`, decoded as text. */
  text(key: string): Promise<string | undefined>
}

export interface StorageCase {
  readonly name: string
  run(bench: StorageBench): Promise<void>
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const bytes = (text: string): Uint8Array => encoder.encode(text)
export const textOf = (entry: Entry | undefined): string | undefined => entry && decoder.decode(entry.value)

export const put = (key: string, text: string, expect?: Revision): Op =>
  expect === undefined ? { op: 'put', key, value: bytes(text) } : { op: 'put', key, value: bytes(text), expect }

export const del = (key: string, expect?: Revision): Op =>
  expect === undefined ? { op: 'del', key } : { op: 'del', key, expect }

export const check = (key: string, expect: Revision): Op => ({ op: 'check', key, expect })

export const append = (log: string, text: string): Op => ({ op: 'append', log, value: bytes(text) })

export const keysOf = (entries: readonly Entry[]): string[] => entries.map((entry) => entry.key)

let ids = 0

/** Returns a commit id that is unique in this process, which is enough because a test's store is used only by this process. */
export const freshId = (): string => `conformance-${++ids}`

const MAX_ATTEMPTS = 100

async function commitWithRetries(storage: Storage, ops: readonly Op[], id: string): Promise<Commit> {
  // Copy the ops: a repeated commit must be identical, even if the test changes the ops or their bytes in the meantime.
  const kept = copyOps(ops)
  for (let attempt = 1; ; attempt++) {
    try {
      return await storage.commit(attempt === 1 ? ops : kept, id)
    } catch (error) {
      if (!(error instanceof OutcomeUnknown) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

export function openStorageBench(storage: Storage): StorageBench {
  const commit = (ops: readonly Op[], id = freshId()): Promise<Commit> => commitWithRetries(storage, ops, id)

  const write = async (...ops: readonly Op[]): Promise<Commit & { readonly ok: true }> => {
    const verdict = await commit(ops)
    assert.ok(verdict.ok, `unexpected conflict: ${JSON.stringify(verdict)}`)
    return verdict
  }

  return {
    storage,
    commit,
    write,
    async fill(keys) {
      for (let at = 0; at < keys.length; at += storage.caps.maxOps) {
        await write(...keys.slice(at, at + storage.caps.maxOps).map((key) => put(key, key)))
      }
    },
    text: async (key) => textOf(await storage.get(key)),
  }
}

/** Waits until a condition is true, up to 10 seconds of real time. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  for (const deadline = Date.now() + 10_000; !condition(); ) {
    assert.ok(Date.now() < deadline, `timeout while waiting for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

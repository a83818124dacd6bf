/**
 * A minimal storage as a user would write it: three methods, completed by `completeStorage`.
 */
import { completeStorage } from '../../../src/core/storage/complete-storage.ts'
import { compareKeys } from '../../../src/core/storage/order.ts'
import { type Entry, logIndex, logKey, type Storage } from '../../../src/core/storage/port.ts'

export function fakeStorage(records = new Map<string, Entry>()): Storage {
  const logEnds = new Map<string, number>()
  let revision = 0
  const write = (key: string, value: Uint8Array) => records.set(key, { key, value, version: revision })
  const copy = (entry: Entry): Entry => ({ ...entry, value: entry.value.slice() })
  const keys = () => [...records.keys()].sort(compareKeys)
  const lastIndex = (log: string) => keys().reduce((last, key) => Math.max(last, logIndex(log, key)), logEnds.get(log) ?? 0)

  return completeStorage({
    async get(key) {
      const entry = records.get(key)
      return entry && copy(entry)
    },

    async scan(prefix, { after, limit } = {}) {
      const found = keys().filter((key) => key.startsWith(prefix) && (after === undefined || compareKeys(key, after) > 0))
      return found.slice(0, limit).map((key) => copy(records.get(key)!))
    },

    async commit(ops) {
      for (const op of ops) {
        if (op.op === 'append' || op.expect === undefined) continue
        const version = records.get(op.key)?.version ?? 0
        if (version !== op.expect) return { ok: false, conflict: op.key, version }
      }
      revision++
      const appended: number[] = []
      for (const op of ops) {
        if (op.op === 'put') write(op.key, op.value)
        else if (op.op === 'del') records.delete(op.key)
        else if (op.op === 'append') {
          const index = lastIndex(op.log) + 1
          logEnds.set(op.log, index)
          appended.push(index)
          write(logKey(op.log, index), op.value)
        }
      }
      return { ok: true, revision, appended }
    },
  })
}

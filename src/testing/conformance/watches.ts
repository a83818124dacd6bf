import assert from 'node:assert/strict'
import { type Change, logKey, type Storage } from '../../core/storage/port.ts'
import { append, check, del, put, type StorageCase, until } from './storage-bench.ts'

interface Watch {
  readonly changes: readonly Change[]
  /** Returns whether the watch has reported a change at or after this revision, and so all changes before it. */
  heardOf(revision: number): boolean
  stop(): Promise<void>
}

/** Starts a watch that collects changes. */
async function startWatch(storage: Storage, prefix: string, from?: number): Promise<Watch> {
  const changes: Change[] = []
  const stop = await storage.watch(prefix, from ?? (await storage.revision()), (change) => changes.push(change))
  return { changes, heardOf: (revision) => changes.some((change) => change.revision >= revision), stop }
}

/** A change may be reported more than once, but only in order. */
function assertInOrder(changes: readonly Change[]): void {
  const revisions = changes.map((change) => change.revision)
  assert.deepEqual(
    revisions,
    revisions.toSorted((a, b) => a - b),
  )
}

const keysAt = (changes: readonly Change[], revision: number): readonly string[] | null | undefined =>
  changes.find((change) => change.revision === revision)?.keys?.toSorted()

export const watchCases: readonly StorageCase[] = [
  {
    name: 'a watch reports the changed keys that begin with its prefix',
    async run({ write, storage }) {
      const watch = await startWatch(storage, 'p/')
      const first = await write(put('p/a', 'x'), put('q/a', 'x'), put('p/b', 'x'))
      await write(put('q/b', 'x'))
      const second = await write(del('p/a'))
      const third = await write(append('p/log', 'x'), append('q/log', 'x'))
      await until(() => watch.heardOf(third.revision), 'the last change')
      assertInOrder(watch.changes)
      assert.deepEqual(keysAt(watch.changes, first.revision), ['p/a', 'p/b'])
      assert.deepEqual(keysAt(watch.changes, second.revision), ['p/a'])
      assert.deepEqual(keysAt(watch.changes, third.revision), [logKey('p/log', 1)])
      assert.equal(new Set(watch.changes.map((change) => change.revision)).size, 3)
      await watch.stop()
    },
  },
  {
    name: 'a watch reports 200 concurrent commits in the order of their revisions',
    async run({ write, storage }) {
      const watch = await startWatch(storage, '')
      const verdicts = await Promise.all(Array.from({ length: 200 }, (_, i) => write(put(`k/${i}`, 'x'))))
      await until(() => watch.heardOf(Math.max(...verdicts.map((verdict) => verdict.revision))), 'the last change')
      assertInOrder(watch.changes)
      for (const [i, { revision }] of verdicts.entries()) assert.deepEqual(keysAt(watch.changes, revision), [`k/${i}`])
      await watch.stop()
    },
  },
  {
    name: 'a watch reports the commits between its start revision and the call',
    async run({ write, storage }) {
      const before = await write(put('a', 'x'))
      const missed = await write(put('b', 'x'))
      const watch = await startWatch(storage, '', before.revision)
      await until(() => watch.heardOf(missed.revision), 'the missed change')
      const later = await write(put('c', 'x'))
      await until(() => watch.heardOf(later.revision), 'the later change')
      assertInOrder(watch.changes)
      // If the store no longer knows which keys the missed commit changed, it reports `keys: null`.
      const exact = keysAt(watch.changes, missed.revision)
      assert.ok(exact?.[0] === 'b' || watch.changes.some((change) => change.keys === null))
      assert.ok(watch.changes.every((change) => change.revision > before.revision))
      await watch.stop()
    },
  },
  {
    name: 'a watch with an empty prefix reports every revision, even if the commit changed no key',
    async run({ storage, commit, write }) {
      const watch = await startWatch(storage, '')
      await write(put('a', 'x'))
      for (const ops of [[del('absent')], [append('log', 'x')], [check('absent', 0)], [del('a')]]) {
        await commit(ops)
        const newest = await storage.revision(true)
        await until(() => watch.heardOf(newest), `revision ${newest}`)
      }
      await watch.stop()
    },
  },
  {
    name: 'each of several watchers receives the changes with its prefix',
    async run({ write, storage }) {
      const [left, right, all] = [await startWatch(storage, 'l/'), await startWatch(storage, 'r/'), await startWatch(storage, '')]
      const first = await write(put('l/a', 'x'))
      const second = await write(put('r/a', 'x'))
      await until(
        () => left.heardOf(first.revision) && right.heardOf(second.revision) && all.heardOf(second.revision),
        'all changes',
      )
      assert.equal(left.heardOf(second.revision), false)
      assert.equal(
        right.changes.some((change) => change.revision === first.revision),
        false,
      )
      await Promise.all([left.stop(), right.stop(), all.stop()])
    },
  },
  {
    name: 'a watch reports nothing after it was stopped',
    async run({ commit, write, storage }) {
      const watch = await startWatch(storage, '')
      await commit([put('a', 'x', 7)])
      const { revision } = await write(put('b', 'x'))
      await until(() => watch.heardOf(revision), 'the change')
      assert.ok(watch.changes.every((change) => change.revision === revision))
      await watch.stop()
      await watch.stop()
      const told = watch.changes.length
      const other = await startWatch(storage, '')
      const last = await write(put('c', 'x'))
      await until(() => other.heardOf(last.revision), 'the change')
      assert.equal(watch.changes.length, told)
      await other.stop()
    },
  },
]

import assert from 'node:assert/strict'
import { type Change, logKey, type Revision } from '../../core/storage/port.ts'
import { append, del, freshId, put, type StorageBench, type StorageCase, textOf, until } from './storage-bench.ts'

export const lifetimeCases: readonly StorageCase[] = [
  {
    name: 'all calls after close reject with a TypeError, except another close',
    async run({ write, storage }) {
      await write(put('a', 'x'))
      await Promise.all([storage.close(), storage.close()])
      await storage.close()
      await assert.rejects(storage.get('a'), TypeError)
      await assert.rejects(storage.getMany(['a']), TypeError)
      await assert.rejects(storage.scan(''), TypeError)
      await assert.rejects(storage.list(''), TypeError)
      await assert.rejects(storage.commit([put('a', 'y')], freshId()), TypeError)
      await assert.rejects(storage.revision(), TypeError)
      await assert.rejects(
        storage.watch('', 0, () => undefined),
        TypeError,
      )
      if (storage.getSync) assert.throws(() => storage.getSync!('a'), TypeError)
    },
  },
  {
    name: 'close waits for commits in progress',
    async run({ storage }) {
      let settled = 0
      const commits = Array.from({ length: 20 }, (_, i) =>
        storage
          .commit([put(`k/${i}`, 'x')], freshId())
          .catch(() => undefined)
          .then(() => settled++),
      )
      await storage.close()
      // `close` may resolve up to one turn of the event loop before the callers receive the results of their commits, so wait for one turn.
      await new Promise((resolve) => setImmediate(resolve))
      assert.equal(settled, commits.length)
    },
  },
]

export interface ReopenCase {
  readonly name: string
  readonly needs?: 'ids' | 'logs' | 'watch'
  /** Runs before the store is closed. The returned revision is passed to `after`. */
  before(bench: StorageBench): Promise<Revision>
  after(bench: StorageBench, found: Revision): Promise<void>
}

export const reopenCases: readonly ReopenCase[] = [
  {
    name: 'keeps values and versions after it is reopened',
    async before({ write }) {
      await write(put('deleted', 'x'))
      const { revision } = await write(put('a', 'kept'), put('\u{1f511}', 'odd'), del('deleted'))
      return revision
    },
    async after({ storage }, revision) {
      assert.equal(await storage.revision(), revision)
      assert.deepEqual((await storage.scan('')).map(textOf), ['kept', 'odd'])
      assert.equal((await storage.get('a'))?.version, revision)
    },
  },
  {
    name: 'gives greater revisions after it is reopened, even if the last commit was a delete',
    async before({ write }) {
      await write(put('a', 'x'))
      return (await write(del('a'))).revision
    },
    async after({ commit, write }, revision) {
      assert.ok((await write(put('a', 'again', 0))).revision > revision)
      assert.equal((await commit([put('a', 'stale', revision)])).ok, false)
    },
  },
  {
    name: 'keeps the commits that resolved during close',
    async before({ storage, text }) {
      const commits = Array.from({ length: 50 }, (_, i) => storage.commit([put(`k/${i}`, 'x')], freshId()))
      await Promise.all([text('k/0'), storage.close()])
      return (await Promise.allSettled(commits)).filter((outcome) => outcome.status === 'fulfilled').length
    },
    async after({ storage }, resolved) {
      assert.ok((await storage.list('k/')).length >= resolved)
    },
  },
  {
    name: 'recognizes commit ids from before it was reopened',
    needs: 'ids',
    async before({ commit }) {
      const verdict = await commit([put('a', 'x')], 'before')
      return verdict.ok ? verdict.revision : 0
    },
    async after({ commit, write, text }, revision) {
      await write(put('a', 'y'))
      assert.deepEqual(await commit([put('a', 'x')], 'before'), { ok: true, revision, appended: [] })
      assert.equal(await text('a'), 'y')
    },
  },
  {
    name: 'continues the indexes of its logs after it is reopened',
    needs: 'logs',
    async before({ write }) {
      await write(append('log', 'a'), append('log', 'b'))
      return (await write(del(logKey('log', 2)))).revision
    },
    async after({ write }) {
      assert.deepEqual((await write(append('log', 'c'))).appended, [3])
    },
  },
  {
    name: 'a watch reports the keys changed before the storage was reopened, or that the keys are unknown',
    needs: 'watch',
    async before({ write }) {
      const { revision } = await write(put('a', 'x'))
      await write(put('p/b', 'x'))
      return revision
    },
    async after({ storage, write }, revision) {
      const changes: Change[] = []
      const stop = await storage.watch('p/', revision, (change) => changes.push(change))
      const last = await write(put('p/c', 'x'))
      await until(() => changes.some((change) => change.revision >= last.revision), 'the last change')
      const told = changes.find((change) => change.revision < last.revision)
      assert.ok(told && (told.keys === null || told.keys[0] === 'p/b'))
      await stop()
    },
  },
]

import assert from 'node:assert/strict'
import { type Op, OutcomeUnknown } from '../../core/storage/port.ts'
import { bytes, check, del, put, type StorageBench, type StorageCase, textOf } from './storage-bench.ts'

/** Adds 1 to the number at `key`. Retries after conflicts. */
async function increment({ storage, commit }: StorageBench, key: string): Promise<void> {
  for (;;) {
    const entry = await storage.get(key)
    const verdict = await commit([put(key, String(Number(textOf(entry) ?? 0) + 1), entry?.version ?? 0)])
    if (verdict.ok) return
    assert.equal(verdict.conflict, key)
  }
}

export const commitCases: readonly StorageCase[] = [
  {
    name: 'a put is read back under the revision of its commit',
    async run({ storage, write }) {
      const { revision, appended } = await write(put('a', 'one'))
      assert.deepEqual(appended, [])
      assert.ok(Number.isSafeInteger(revision) && revision > 0)
      const entry = await storage.get('a')
      assert.deepEqual(
        { key: entry?.key, text: textOf(entry), version: entry?.version },
        { key: 'a', text: 'one', version: revision },
      )
      assert.equal(await storage.revision(), revision)
      assert.equal(await storage.revision(true), revision)
    },
  },
  {
    name: 'an expectation of 0 creates a key only once',
    async run({ commit, write, text }) {
      const { revision } = await write(put('a', 'first', 0))
      assert.deepEqual(await commit([put('a', 'second', 0)]), { ok: false, conflict: 'a', version: revision })
      assert.equal(await text('a'), 'first')
    },
  },
  {
    name: 'a put that expects an older version conflicts and returns the current version',
    async run({ commit, write, text }) {
      const first = await write(put('a', 'first'))
      const second = await write(put('a', 'second', first.revision))
      assert.deepEqual(await commit([put('a', 'third', first.revision)]), { ok: false, conflict: 'a', version: second.revision })
      assert.equal(await text('a'), 'second')
    },
  },
  {
    name: 'a put that expects a version of a missing key conflicts and returns version 0',
    async run({ commit, storage }) {
      assert.deepEqual(await commit([put('a', 'x', 7)]), { ok: false, conflict: 'a', version: 0 })
      assert.equal(await storage.get('a'), undefined)
    },
  },
  {
    name: 'a put without an expectation overwrites any version',
    async run({ write, text }) {
      await write(put('a', 'first'))
      await write(put('a', 'second'))
      assert.equal(await text('a'), 'second')
    },
  },
  {
    name: 'a del checks its expectation, if it has one',
    async run({ commit, write, storage }) {
      const { revision } = await write(put('a', 'x'), put('b', 'x'))
      assert.deepEqual(await commit([del('a', revision + 1)]), { ok: false, conflict: 'a', version: revision })
      assert.notEqual(await storage.get('a'), undefined)
      await write(del('a', revision), del('b'), del('never there'), del('nor this', 0))
      assert.equal(await storage.get('a'), undefined)
      assert.equal(await storage.get('b'), undefined)
    },
  },
  {
    name: 'a check writes nothing and makes the commit depend on a key',
    async run({ commit, write, storage, text }) {
      const { revision } = await write(put('guard', 'x'))
      await write(check('guard', revision), check('absent', 0), put('a', 'one'))
      assert.equal((await storage.get('guard'))?.version, revision)
      assert.equal(await storage.get('absent'), undefined)
      assert.deepEqual(await commit([put('a', 'two'), check('guard', 0)]), { ok: false, conflict: 'guard', version: revision })
      assert.deepEqual(await commit([check('absent', revision)]), { ok: false, conflict: 'absent', version: 0 })
      assert.equal(await text('a'), 'one')
    },
  },
  {
    name: 'a conflict of the last op undoes the ops before it',
    async run({ commit, write, storage, text }) {
      await write(put('kept', 'x'), put('deleted', 'x'))
      const revision = await storage.revision()
      const verdict = await commit([put('new', 'x'), put('kept', 'y'), del('deleted'), check('absent', revision)])
      assert.equal(verdict.ok, false)
      assert.deepEqual([await text('new'), await text('kept'), await text('deleted')], [undefined, 'x', 'x'])
      assert.equal(await storage.revision(), revision)
    },
  },
  {
    name: 'all writes of a commit have its revision as version',
    async run({ write, storage }) {
      const { revision } = await write(put('a', 'x'), put('b', 'x'), put('c', 'x'))
      const versions = (await storage.getMany(['a', 'b', 'c'])).map((entry) => entry?.version)
      assert.deepEqual(versions, [revision, revision, revision])
    },
  },
  {
    name: 'versions increase with every commit and are not reused after a delete',
    async run({ commit, write, storage }) {
      const first = await write(put('a', 'first life'))
      const removed = await write(del('a', first.revision))
      const second = await write(put('a', 'second life', 0))
      assert.ok(first.revision < removed.revision && removed.revision < second.revision)
      assert.equal((await storage.get('a'))?.version, second.revision)
      const stale = await commit([put('a', 'from the first life', first.revision)])
      assert.deepEqual(stale, { ok: false, conflict: 'a', version: second.revision })
    },
  },
  {
    name: 'a commit without writes succeeds and does not decrease the revision',
    async run({ write, storage }) {
      const { revision } = await write(put('a', 'x'))
      for (const verdict of [await write(), await write(check('a', revision))]) {
        assert.deepEqual(verdict.appended, [])
        assert.ok(verdict.revision >= revision)
        assert.ok((await storage.revision()) >= verdict.revision)
      }
    },
  },
  {
    name: 'the bytes of a put are copied before commit returns',
    async run({ commit, text }) {
      const [first, second] = [Buffer.from('before'), bytes('before')]
      const running = commit([
        { op: 'put', key: 'a', value: first },
        { op: 'put', key: 'b', value: second },
      ])
      first.fill(0)
      second.fill(0)
      await running
      assert.deepEqual([await text('a'), await text('b')], ['before', 'before'])
    },
  },
  {
    name: 'changing the ops after the call does not change the commit',
    async run({ storage, text, write }) {
      await write(put('kept', 'x'))
      const ops: Op[] = [put('a', 'asked'), del('kept', 1)]
      const changed = ops as { key?: string; expect?: number }[]
      const running = storage.commit(ops, 'changed under way')
      changed[0]!.key = 'b'
      changed[1]!.expect = 7
      ops.length = 1
      // The commit may be lost, but the changed ops must not make it fail.
      await running.catch((error: unknown) => assert.ok(error instanceof OutcomeUnknown))
      assert.equal(await text('b'), undefined)
      if ((await text('a')) !== undefined) assert.deepEqual([await text('a'), await text('kept')], ['asked', undefined])
    },
  },
  {
    name: '200 concurrent compare-and-set increments of one key lose none',
    async run(bench) {
      await Promise.all(Array.from({ length: 200 }, () => increment(bench, 'counter')))
      assert.equal(await bench.text('counter'), '200')
    },
  },
  {
    name: 'of 50 concurrent creations of one key exactly one wins',
    async run({ commit, text }) {
      const verdicts = await Promise.all(Array.from({ length: 50 }, (_, i) => commit([put('a', `${i}`, 0), put(`by/${i}`, 'x')])))
      const winners = verdicts.flatMap((verdict, i) => (verdict.ok ? [`${i}`] : []))
      assert.equal(winners.length, 1)
      assert.equal(await text('a'), winners[0])
    },
  },
  {
    name: 'concurrent commits over two keys leave them equal',
    async run({ commit, storage, text }) {
      const write = (i: number) => commit([put('left', `${i}`), put('right', `${i}`)])
      const verdicts = await Promise.all(Array.from({ length: 50 }, (_, i) => write(i)))
      assert.equal(await text('left'), await text('right'))
      const revisions = verdicts.map((verdict) => (verdict.ok ? verdict.revision : 0))
      assert.equal(new Set(revisions).size, 50)
      assert.equal(await storage.revision(), Math.max(...revisions))
    },
  },
]

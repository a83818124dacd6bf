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
    name: 'a read after a put returns the value with the revision of the commit as its version',
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
    name: 'a put with an expectation of 0 conflicts if the key exists',
    async run({ commit, write, text }) {
      const { revision } = await write(put('a', 'first', 0))
      assert.deepEqual(await commit([put('a', 'second', 0)]), { ok: false, conflict: 'a', version: revision })
      assert.equal(await text('a'), 'first')
    },
  },
  {
    name: 'a put that expects an older version conflicts with the current version',
    async run({ commit, write, text }) {
      const first = await write(put('a', 'first'))
      const second = await write(put('a', 'second', first.revision))
      assert.deepEqual(await commit([put('a', 'third', first.revision)]), { ok: false, conflict: 'a', version: second.revision })
      assert.equal(await text('a'), 'second')
    },
  },
  {
    name: 'a put that expects a version of a missing key conflicts with version 0',
    async run({ commit, storage }) {
      assert.deepEqual(await commit([put('a', 'x', 7)]), { ok: false, conflict: 'a', version: 0 })
      assert.equal(await storage.get('a'), undefined)
    },
  },
  {
    name: 'a put without an expectation overwrites the value, whatever its version is',
    async run({ write, text }) {
      await write(put('a', 'first'))
      await write(put('a', 'second'))
      assert.equal(await text('a'), 'second')
    },
  },
  {
    name: 'a del with an expectation conflicts if the version differs',
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
    name: 'a check makes the commit conflict if the version of a key differs',
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
    name: 'a commit writes nothing if its last op conflicts',
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
    name: 'all keys written by a commit have its revision as their version',
    async run({ write, storage }) {
      const { revision } = await write(put('a', 'x'), put('b', 'x'), put('c', 'x'))
      const versions = (await storage.getMany(['a', 'b', 'c'])).map((entry) => entry?.version)
      assert.deepEqual(versions, [revision, revision, revision])
    },
  },
  {
    name: 'a key that is deleted and created again has a greater version than before',
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
    name: 'a commit without writes does not decrease the revision',
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
    name: 'commit copies the bytes of its puts before it returns its promise',
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
    name: 'a change to the array of ops after the call does not change the commit',
    async run({ storage, text, write }) {
      await write(put('kept', 'x'))
      const ops: Op[] = [put('a', 'asked'), del('kept', 1)]
      const changed = ops as { key?: string; expect?: number }[]
      const running = storage.commit(ops, 'changed after the call')
      changed[0]!.key = 'b'
      changed[1]!.expect = 7
      ops.length = 1
      // The outcome of the commit may be unknown, but the changes to the ops must not make it fail.
      await running.catch((error: unknown) => assert.ok(error instanceof OutcomeUnknown))
      assert.equal(await text('b'), undefined)
      if ((await text('a')) !== undefined) assert.deepEqual([await text('a'), await text('kept')], ['asked', undefined])
    },
  },
  {
    name: 'a key counts 200 concurrent compare-and-set increments without a loss',
    async run(bench) {
      await Promise.all(Array.from({ length: 200 }, () => increment(bench, 'counter')))
      assert.equal(await bench.text('counter'), '200')
    },
  },
  {
    name: 'exactly one of 50 concurrent creations of a key succeeds',
    async run({ commit, text }) {
      const verdicts = await Promise.all(Array.from({ length: 50 }, (_, i) => commit([put('a', `${i}`, 0), put(`by/${i}`, 'x')])))
      const winners = verdicts.flatMap((verdict, i) => (verdict.ok ? [`${i}`] : []))
      assert.equal(winners.length, 1)
      assert.equal(await text('a'), winners[0])
    },
  },
  {
    name: 'concurrent commits that write the same value to two keys leave both keys with equal values',
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

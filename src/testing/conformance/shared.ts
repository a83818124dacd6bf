import assert from 'node:assert/strict'
import type { Change } from '../../core/storage/port.ts'
import { append, check, del, put, type StorageBench, textOf, until } from './storage-bench.ts'

/** A test with two storages on the same store. They behave like the storages of two processes. */
export interface SharedCase {
  readonly name: string
  readonly needs?: 'ids' | 'logs' | 'watch'
  run(one: StorageBench, other: StorageBench): Promise<void>
}

async function increment({ storage, commit }: StorageBench): Promise<void> {
  for (;;) {
    const entry = await storage.get('counter')
    const verdict = await commit([put('counter', String(Number(textOf(entry) ?? 0) + 1), entry?.version ?? 0)])
    if (verdict.ok) return
  }
}

export const sharedCases: readonly SharedCase[] = [
  {
    name: 'each process reads the commits of the other',
    async run(one, other) {
      for (let i = 0; i < 10; i++) {
        const { revision } = await one.write(put('a', `${i}`), put(`k/${i}`, 'x'))
        assert.equal(await other.text('a'), `${i}`)
        assert.equal((await other.storage.scan('k/')).length, i + 1)
        assert.equal((await other.storage.list('k/')).length, i + 1)
        assert.equal(await other.storage.revision(true), revision)
      }
      await other.write(del('a'))
      assert.equal(await one.storage.get('a'), undefined)
    },
  },
  {
    name: 'an expectation holds for the version that the other process has written',
    async run(one, other) {
      const first = await one.write(put('a', 'first', 0))
      assert.deepEqual(await other.commit([put('a', 'lost', 0)]), { ok: false, conflict: 'a', version: first.revision })
      const second = await other.write(put('a', 'second', first.revision))
      assert.deepEqual(await one.commit([put('b', 'lost'), check('a', first.revision)]), {
        ok: false,
        conflict: 'a',
        version: second.revision,
      })
      assert.equal(await one.storage.get('b'), undefined)
      assert.ok(second.revision > first.revision)
    },
  },
  {
    name: 'one key counts 100 concurrent increments from each process without a loss',
    async run(one, other) {
      await Promise.all(Array.from({ length: 200 }, (_, i) => increment(i % 2 === 0 ? one : other)))
      assert.equal(await one.text('counter'), '200')
      assert.equal(await one.storage.revision(true), await other.storage.revision(true))
    },
  },
  {
    name: 'a commit with an id that the other process has used returns the first result',
    needs: 'ids',
    async run(one, other) {
      const first = await one.commit([put('a', 'first', 0)], 'once')
      const refused = await one.commit([put('a', 'second', 0)], 'refused')
      await one.write(del('a'))
      assert.deepEqual(await other.commit([put('a', 'first', 0)], 'once'), first)
      assert.deepEqual(await other.commit([put('a', 'second', 0)], 'refused'), refused)
      assert.equal(await other.storage.get('a'), undefined)
    },
  },
  {
    name: 'concurrent appends of both processes to one log get consecutive indexes',
    needs: 'logs',
    async run(one, other) {
      const verdicts = await Promise.all(
        Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? one : other).write(append('log', `${i}`))),
      )
      const indexes = verdicts.flatMap(({ appended }) => appended).toSorted((a, b) => a - b)
      assert.deepEqual(
        indexes,
        Array.from({ length: 40 }, (_, i) => i + 1),
      )
      assert.equal((await one.storage.scan('log/')).length, 40)
    },
  },
  {
    name: 'a watch reports the commits of both processes in order',
    needs: 'watch',
    async run(one, other) {
      const changes: Change[] = []
      const stop = await one.storage.watch('p/', await one.storage.revision(true), (change) => changes.push(change))
      const verdicts = await Promise.all(
        Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? one : other).write(put(`p/${i}`, 'x'), put(`q/${i}`, 'x'))),
      )
      const newest = Math.max(...verdicts.map(({ revision }) => revision))
      await until(() => changes.some(({ revision }) => revision >= newest), 'the last change')
      const revisions = changes.map(({ revision }) => revision)
      assert.deepEqual(
        revisions,
        revisions.toSorted((a, b) => a - b),
      )
      for (const [i, { revision }] of verdicts.entries()) {
        const told = changes.find((change) => change.revision === revision)
        // If no change has the revision of this commit, the storage must have reported the commit together with later ones, as one change
        // with `keys: null`.
        if (told) assert.deepEqual(told.keys, [`p/${i}`])
        else assert.ok(changes.some((change) => change.revision > revision && change.keys === null))
      }
      await stop()
    },
  },
  {
    name: 'revision(true) is at least the revision of the last commit of the other process',
    needs: 'watch',
    async run(one, other) {
      const changes: Change[] = []
      const stop = await one.storage.watch('', await one.storage.revision(true), (change) => changes.push(change))
      const { revision } = await other.write(put('a', 'x'))
      assert.ok((await one.storage.revision(true)) >= revision)
      await until(() => changes.some((change) => change.revision >= revision), 'the change')
      await stop()
    },
  },
]

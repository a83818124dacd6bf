import assert from 'node:assert/strict'
import { del, put, type StorageCase } from './storage-bench.ts'

export const idCases: readonly StorageCase[] = [
  {
    name: 'a commit with an id that already succeeded returns the first result and writes nothing',
    async run({ commit, write, storage, text }) {
      const first = await commit([put('a', 'first')], 'once')
      assert.ok(first.ok)
      await write(put('a', 'second'))
      const revision = await storage.revision()
      assert.deepEqual(await commit([put('a', 'first')], 'once'), first)
      assert.equal(await text('a'), 'second')
      assert.equal(await storage.revision(), revision)
    },
  },
  {
    name: 'a commit with an id that already conflicted returns the first conflict, even if it would succeed now',
    async run({ commit, write, storage }) {
      const { revision } = await write(put('a', 'x'))
      const first = await commit([put('b', 'x'), put('a', 'y', 0)], 'once')
      assert.deepEqual(first, { ok: false, conflict: 'a', version: revision })
      await write(del('a'))
      assert.deepEqual(await commit([put('b', 'x'), put('a', 'y', 0)], 'once'), first)
      assert.deepEqual(await storage.getMany(['a', 'b']), [undefined, undefined])
    },
  },
  {
    name: 'a commit with a repeated id writes nothing, even if its ops are new',
    async run({ commit, storage }) {
      const first = await commit([put('a', 'x')], 'once')
      assert.deepEqual(await commit([put('b', 'x')], 'once'), first)
      assert.equal(await storage.get('b'), undefined)
    },
  },
  {
    name: 'only one of several concurrent commits with the same id takes effect',
    async run({ commit, text }) {
      const verdicts = await Promise.all(
        Array.from({ length: 10 }, (_, i) => commit([put('a', `${i}`), put('b', `${i}`)], 'once')),
      )
      for (const verdict of verdicts) assert.deepEqual(verdict, verdicts[0])
      assert.equal(await text('a'), await text('b'))
    },
  },
  {
    name: 'a commit that repeats an id returns the first result of that id, even after 999 other commits',
    async run({ commit, write, text }) {
      const first = await commit([put('a', 'x')], 'once')
      for (let batch = 0; batch < 10; batch++) {
        await Promise.all(
          Array.from({ length: 100 }, (_, i) => (batch === 9 && i === 99 ? undefined : write(put('a', `${batch} ${i}`)))),
        )
      }
      const before = await text('a')
      assert.deepEqual(await commit([put('a', 'x')], 'once'), first)
      assert.equal(await text('a'), before)
    },
  },
]

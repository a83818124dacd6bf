import assert from 'node:assert/strict'
import { logKey } from '../../core/storage/port.ts'
import { append, check, del, keysOf, put, type StorageCase, textOf } from './storage-bench.ts'

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i)

export const logCases: readonly StorageCase[] = [
  {
    name: 'the appends to each log get consecutive indexes from 1',
    async run({ write }) {
      assert.deepEqual((await write(append('log', 'a'))).appended, [1])
      assert.deepEqual(
        (await write(append('log', 'b'), put('k', 'x'), append('other', 'c'), append('log', 'd'))).appended,
        [2, 1, 3],
      )
      assert.deepEqual((await write(append('other', 'e'))).appended, [2])
    },
  },
  {
    name: 'scan returns the records of a log in the order of their indexes',
    async run({ write, storage }) {
      const first = await write(append('log', '1'), append('log', '2'))
      for (let i = 3; i <= 12; i++) await write(append('log', String(i)))
      const entries = await storage.scan('log/')
      assert.deepEqual(
        keysOf(entries),
        range(1, 12).map((i) => logKey('log', i)),
      )
      assert.deepEqual(entries.map(textOf), range(1, 12).map(String))
      assert.equal(entries[1]?.version, first.revision)
      assert.equal(textOf(await storage.get(logKey('log', 7))), '7')
      const tail = await storage.scan('log/', { after: logKey('log', 9), limit: 2 })
      assert.deepEqual(tail.map(textOf), ['10', '11'])
    },
  },
  {
    name: 'an append in a commit that conflicts does not use up an index',
    async run({ commit, write, storage }) {
      assert.equal((await commit([append('log', 'lost'), check('a', 7)])).ok, false)
      assert.deepEqual((await write(append('log', 'kept'))).appended, [1])
      assert.equal((await storage.scan('log/')).length, 1)
    },
  },
  {
    name: '100 concurrent appends get the indexes 1 to 100',
    async run({ write }) {
      const verdicts = await Promise.all(
        Array.from({ length: 50 }, (_, i) => write(append('log', `${i}`), append('log', `${i}`))),
      )
      const indexes = verdicts.flatMap((verdict) => verdict.appended)
      assert.deepEqual(
        indexes.toSorted((a, b) => a - b),
        range(1, 100),
      )
    },
  },
  {
    name: 'an index is not reused after its record was deleted',
    async run({ write }) {
      await write(append('log', 'a'), append('log', 'b'))
      await write(del(logKey('log', 1)), del(logKey('log', 2)))
      assert.deepEqual((await write(append('log', 'c'))).appended, [3])
    },
  },
  {
    name: 'an append gets the index after the last record that a put has written to the log',
    async run({ write }) {
      await write(put(logKey('log', 4), 'x'), put(logKey('log', 5), 'x'), put('log/5', 'x'), put('log/not a record', 'x'))
      assert.deepEqual((await write(append('log', 'y'), append('log', 'z'))).appended, [6, 7])
    },
  },
  {
    name: 'logs are independent even if the name of one is a prefix of the name of another',
    async run({ write, storage }) {
      await write(append('a', 'x'), append('a/b', 'x'), append('a/b', 'y'), append('ab', 'x'))
      const { appended } = await write(append('a', 'z'), append('a/b', 'z'), append('ab', 'z'))
      assert.deepEqual(appended, [2, 3, 2])
      assert.equal((await storage.scan('a/b/')).length, 3)
    },
  },
  {
    name: 'a repeated commit id adds no second record to the log',
    async run({ commit, write }) {
      const first = await commit([append('log', 'x')], 'once')
      assert.deepEqual(await commit([append('log', 'x')], 'once'), first)
      assert.deepEqual((await write(append('log', 'y'))).appended, [2])
    },
  },
]

import assert from 'node:assert/strict'
import { del, put, type StorageCase, textOf } from './storage-bench.ts'

const MAX_TESTED_BYTES = 8 * 1024 * 1024

export const readCases: readonly StorageCase[] = [
  {
    name: 'a read of an absent key returns undefined',
    async run({ storage }) {
      assert.equal(await storage.get('absent'), undefined)
      assert.equal(storage.getSync?.('absent'), undefined)
      assert.deepEqual(await storage.getMany(['absent']), [undefined])
      assert.deepEqual(await storage.getMany([]), [])
    },
  },
  {
    name: 'getMany returns entries in the order of the keys',
    async run({ fill, storage }) {
      await fill(['a', 'b', 'c'])
      const entries = await storage.getMany(['c', 'absent', 'a', 'c', 'b'])
      assert.deepEqual(entries.map(textOf), ['c', undefined, 'a', 'c', 'b'])
    },
  },
  {
    name: 'getSync returns the same entry as get, if the storage has getSync',
    async run({ write, storage }) {
      const { getSync } = storage
      if (!getSync) return
      for (let i = 0; i < 20; i++) {
        await write(put('a', `${i}`))
        assert.equal(textOf(storage.getSync?.('a')), `${i}`)
        assert.deepEqual(storage.getSync?.('a'), await storage.get('a'))
      }
      await write(del('a'))
      assert.equal(storage.getSync?.('a'), undefined)
    },
  },
  {
    name: 'every read sees every commit that resolved before the read began',
    async run({ write, storage, text }) {
      for (let i = 0; i < 20; i++) {
        // Start a read before the commit. Later reads must nevertheless see the commit.
        const before = storage.get(`k/${i}`)
        await write(put('a', `${i}`), put(`k/${i}`, 'x'))
        assert.equal(await text('a'), `${i}`)
        assert.equal((await storage.scan('k/')).length, i + 1)
        assert.equal((await storage.list('k/')).length, i + 1)
        await before
      }
    },
  },
  {
    name: 'a read returns the written bytes, even if the value is empty',
    async run({ commit, storage }) {
      const all = Uint8Array.from({ length: 256 }, (_, i) => i)
      await commit([
        { op: 'put', key: 'all', value: all },
        { op: 'put', key: 'none', value: new Uint8Array(0) },
        { op: 'put', key: 'part', value: all.subarray(128, 130) },
      ])
      const values = (await storage.getMany(['all', 'none', 'part'])).map((entry) => [...entry!.value])
      assert.deepEqual(values, [[...all], [], [128, 129]])
    },
  },
  {
    name: 'a read returns large values, up to maxValueBytes',
    async run({ commit, storage }) {
      for (const size of [1, 4095, 4096, 65_536, 1_000_003, MAX_TESTED_BYTES]) {
        if (size > storage.caps.maxValueBytes) continue
        const value = new Uint8Array(size)
        for (let i = 0; i < size; i++) value[i] = i * 31 + (i >> 8)
        await commit([{ op: 'put', key: `size/${size}`, value }])
        for (const entry of [await storage.get(`size/${size}`), (await storage.scan(`size/${size}`))[0]]) {
          assert.equal(Buffer.compare(entry?.value ?? new Uint8Array(0), value), 0)
        }
      }
    },
  },
  {
    name: 'a scan returns 12 large values',
    async run({ commit, storage }) {
      const size = Math.min(500_000, storage.caps.maxValueBytes)
      const value = (i: number) => new Uint8Array(size).fill(i + 1)
      const puts = Array.from({ length: 12 }, (_, i) => ({ op: 'put', key: `large/${i + 10}`, value: value(i) }) as const)
      await commit(puts.slice(0, 6))
      await commit(puts.slice(6))
      const entries = await storage.scan('large/')
      assert.equal(entries.length, puts.length)
      for (const [i, entry] of entries.entries()) assert.equal(Buffer.compare(entry.value, value(i)), 0)
    },
  },
  {
    name: 'a change to the bytes that a read returned does not change the store',
    async run({ write, storage, text }) {
      await write(put('a', 'value'), put('b', 'other'))
      const kept = await storage.get('b')
      for (const entry of [
        await storage.get('a'),
        storage.getSync?.('a'),
        (await storage.getMany(['a']))[0],
        (await storage.scan('a'))[0],
      ]) {
        entry?.value.fill(0)
      }
      assert.equal(await text('a'), 'value')
      await write(put('b', 'new'))
      await storage.getMany(['a', 'b'])
      assert.equal(textOf(kept), 'other')
    },
  },
]

/**
 * Reads of values. Room: testing/conformance.
 */
import assert from 'node:assert/strict'
import { logKey } from '../../core/storage/port.ts'
import { type Case, del, keysOf, put, textOf } from './bench.ts'

const LARGEST_TRIED = 8 * 1024 * 1024

/** More than any test here writes: a storage that gives a page again and again is found out. */
export const MOST_NAMES = 5000

/** In byte order. Beyond the BMP and below its end, the order of bytes and that of UTF-16 units part ways. */
export const ODD_KEYS: readonly string[] = [
  '\0',
  '\0\0',
  '\u0001',
  ' leading space',
  '!',
  '%',
  '%_',
  '..',
  './a',
  '0',
  'A',
  'Z',
  '\\',
  '_',
  'a',
  'a\0',
  'a\0b',
  'a b',
  'a"b',
  "a'b",
  'a/',
  'a//b',
  'e\u0301',
  'z',
  '~',
  '\u007f',
  '\u00e4',
  '\u00e9',
  '\u0416',
  '\u2028',
  '\ud7ff',
  '\ue000',
  '\ufb01',
  '\uffee',
  '\uffee\u{1f511}',
  '\u{10000}',
  '\u{1f511}',
  '\u{1f511}\uffee',
  '\u{1f511}\u{1f511}',
  '\u{10fffd}',
]

export const readCases: readonly Case[] = [
  {
    name: 'an absent key is undefined',
    async run({ storage }) {
      assert.equal(await storage.get('absent'), undefined)
      assert.equal(storage.getSync?.('absent'), undefined)
      assert.deepEqual(await storage.getMany(['absent']), [undefined])
      assert.deepEqual(await storage.getMany([]), [])
    },
  },
  {
    name: 'getMany answers in the order of the question',
    async run({ fill, storage }) {
      await fill(['a', 'b', 'c'])
      const entries = await storage.getMany(['c', 'absent', 'a', 'c', 'b'])
      assert.deepEqual(entries.map(textOf), ['c', undefined, 'a', 'c', 'b'])
    },
  },
  {
    name: 'getSync, where there is one, means the same as get',
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
    name: 'every read sees every commit that resolved before it',
    async run({ write, storage, text }) {
      for (let i = 0; i < 20; i++) {
        // A read of the same turn before the commit must not freeze what is seen after it.
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
    name: 'values are any bytes, also none',
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
    name: 'values may be as large as maxValueBytes says',
    async run({ commit, storage }) {
      for (const size of [1, 4095, 4096, 65_536, 1_000_003, LARGEST_TRIED]) {
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
    name: 'a scan brings many large values',
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
    name: 'what a read returns belongs to the reader',
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
  {
    name: 'odd keys are told apart and listed in byte order',
    async run({ fill, storage, text }) {
      await fill(ODD_KEYS.toReversed())
      for (const key of ODD_KEYS) assert.equal(await text(key), key)
      assert.deepEqual(keysOf(await storage.scan('')), ODD_KEYS)
      assert.deepEqual(await storage.list(''), ODD_KEYS)
    },
  },
  {
    name: 'a prefix is bytes: no pattern, no letter case, no normal form',
    async run({ fill, storage }) {
      await fill(ODD_KEYS)
      for (const prefix of [
        '%',
        '_',
        '\\',
        'a',
        'A',
        '.',
        "a'",
        'e',
        '\u00e9',
        '\uffee',
        '\u{1f511}',
        'absent',
        'k'.repeat(5000),
      ]) {
        const expected = ODD_KEYS.filter((key) => key.startsWith(prefix))
        assert.deepEqual(keysOf(await storage.scan(prefix)), expected, `scan of ${prefix}`)
      }
    },
  },
  {
    name: 'scan returns entries in pages',
    async run({ fill, storage }) {
      await fill([...ODD_KEYS.map((key) => `p/${key}`), 'o', 'p', 'p0', 'q'])
      const pages: string[] = []
      for (let after: string | undefined; ; ) {
        assert.ok(pages.length < MOST_NAMES, 'pages have no end')
        const page = await storage.scan('p/', { limit: 5, ...(after !== undefined && { after }) })
        assert.ok(page.length <= 5)
        if (page.length === 0) break
        for (const entry of page) assert.equal(textOf(entry), entry.key)
        pages.push(...keysOf(page))
        after = pages.at(-1)
      }
      assert.deepEqual(
        pages,
        ODD_KEYS.map((key) => `p/${key}`),
      )
    },
  },
  {
    name: 'the lower bound of a scan is exclusive and need not exist',
    async run({ fill, storage }) {
      await fill(['p/a', 'p/b', 'p/c', 'q'])
      const scan = async (after: string) => keysOf(await storage.scan('p/', { after }))
      assert.deepEqual(await scan('p/a'), ['p/b', 'p/c'])
      assert.deepEqual(await scan('p/aa'), ['p/b', 'p/c'])
      assert.deepEqual(await scan('a'), ['p/a', 'p/b', 'p/c'])
      assert.deepEqual(await scan('p/c'), [])
      assert.deepEqual(await scan('z'), [])
      assert.deepEqual(await storage.scan('p/', { limit: 0 }), [])
    },
  },
  {
    name: 'pages show once, in order, what was there all the time while others write',
    async run({ fill, write, storage }) {
      const stable = Array.from({ length: 100 }, (_, i) => logKey('p', i * 10))
      await fill(stable)
      const seen: string[] = []
      for (let round = 0, after = ''; ; round++) {
        const [page] = await Promise.all([
          storage.scan('p/', { limit: 7, ...(after && { after }) }),
          write(
            put(logKey('p', round * 70 + 5), 'passing'),
            put(logKey('p', 3), 'passing'),
            del(logKey('p', (round - 1) * 70 + 5)),
          ),
        ])
        assert.ok(seen.length < MOST_NAMES, 'pages have no end')
        if (page.length === 0) break
        seen.push(...keysOf(page))
        after = seen.at(-1)!
      }
      assert.deepEqual(seen, seen.toSorted())
      assert.deepEqual(
        seen.filter((key) => stable.includes(key)),
        stable,
      )
      assert.equal(new Set(seen).size, seen.length)
    },
  },
]

import assert from 'node:assert/strict'
import { logKey } from '../../core/storage/port.ts'
import { MAX_NAMES, ODD_KEYS } from './names.ts'
import { del, keysOf, put, type StorageCase, textOf } from './storage-bench.ts'

export const scanCases: readonly StorageCase[] = [
  {
    name: 'scan and list return keys with special characters in byte order',
    async run({ fill, storage, text }) {
      await fill(ODD_KEYS.toReversed())
      for (const key of ODD_KEYS) assert.equal(await text(key), key)
      assert.deepEqual(keysOf(await storage.scan('')), ODD_KEYS)
      assert.deepEqual(await storage.list(''), ODD_KEYS)
    },
  },
  {
    name: 'scan compares the prefix by bytes, without patterns, case folding or normalization',
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
    name: 'scan returns at most as many entries as the limit',
    async run({ fill, storage }) {
      await fill([...ODD_KEYS.map((key) => `p/${key}`), 'o', 'p', 'p0', 'q'])
      const pages: string[] = []
      for (let after: string | undefined; ; ) {
        assert.ok(pages.length < MAX_NAMES, 'scan returned more entries than the test wrote')
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
    name: 'scan returns the entries after the lower bound, even if the lower bound does not exist',
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
    name: 'scan in pages returns every unchanged entry once and in order during concurrent writes',
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
        assert.ok(seen.length < MAX_NAMES, 'scan returned more entries than the test wrote')
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

import assert from 'node:assert/strict'
import type { Storage } from '../../core/storage/port.ts'
import { MAX_NAMES, ODD_KEYS } from './names.ts'
import { del, put, type StorageCase } from './storage-bench.ts'

async function allPages(storage: Storage, prefix: string, delimiter: string | undefined, limit: number): Promise<string[]> {
  const names: string[] = []
  for (;;) {
    const after = names.at(-1)
    const page = await storage.list(prefix, { limit, ...(after !== undefined && { after }), ...(delimiter && { delimiter }) })
    assert.ok(page.length <= limit)
    assert.ok(names.length < MAX_NAMES, 'list returned more names than the test wrote')
    if (page.length === 0) return names
    names.push(...page)
  }
}

const TREE = ['a', 'a-b', 'a/1', 'a/2', 'a/b/1', 'a0', 'b', 'c/', 'c/1', 'd//', 'd//1', '\u{1f511}/1', '\u{1f511}/2']
const FOLDED = ['a', 'a-b', 'a/', 'a0', 'b', 'c/', 'd/', '\u{1f511}/']

export const listCases: readonly StorageCase[] = [
  {
    name: 'list returns the keys that begin with a prefix, without the prefix',
    async run({ fill, storage }) {
      await fill([...ODD_KEYS.map((key) => `p/${key}`), 'p', 'p/', 'p0', 'q/a'])
      assert.deepEqual(await storage.list('p/'), ODD_KEYS)
      assert.deepEqual(await storage.list('absent/'), [])
      for (const limit of [1, 5, 100]) assert.deepEqual(await allPages(storage, 'p/', undefined, limit), ODD_KEYS)
    },
  },
  {
    name: 'list with a delimiter returns all names in a folder as one name',
    async run({ fill, storage }) {
      await fill(TREE.map((key) => `p/${key}`))
      assert.deepEqual(await storage.list('p/', { delimiter: '/' }), FOLDED)
      assert.deepEqual(await storage.list('p/a/', { delimiter: '/' }), ['1', '2', 'b/'])
      assert.deepEqual(await storage.list('p/a', { delimiter: '/' }), ['-b', '/', '0'])
      assert.deepEqual(await storage.list('', { delimiter: '/' }), ['p/'])
    },
  },
  {
    name: 'list in pages with a delimiter returns each folder once',
    async run({ fill, storage }) {
      await fill(TREE.map((key) => `p/${key}`))
      for (const limit of [1, 2, 3, 100]) assert.deepEqual(await allPages(storage, 'p/', '/', limit), FOLDED)
    },
  },
  {
    name: 'list in pages returns every unchanged name once and in order during concurrent writes',
    async run({ fill, write, storage }) {
      const stable = Array.from({ length: 60 }, (_, i) => `${100 + i * 10}${i % 3 === 0 ? '/' : ''}`)
      await fill(stable.map((name) => `p/${name}${name.endsWith('/') ? 'x' : ''}`))
      const seen: string[] = []
      for (let round = 0; ; round++) {
        const after = seen.at(-1)
        const [page] = await Promise.all([
          storage.list('p/', { limit: 7, delimiter: '/', ...(after !== undefined && { after }) }),
          write(
            put(`p/${105 + round * 70}`, 'x'),
            put(`p/${107 + round * 70}/x`, 'x'),
            put('p/1', 'x'),
            del(`p/${35 + round * 70}`),
          ),
        ])
        assert.ok(seen.length < MAX_NAMES, 'list returned more names than the test wrote')
        if (page.length === 0) break
        seen.push(...page)
      }
      assert.deepEqual(seen, [...new Set(seen)].sort())
      assert.deepEqual(
        seen.filter((name) => stable.includes(name)),
        stable,
      )
    },
  },
  {
    name: 'list returns the names after the lower bound, even if the lower bound does not exist',
    async run({ fill, storage }) {
      await fill(TREE)
      const list = (after: string) => storage.list('', { after, delimiter: '/' })
      assert.deepEqual(await list('a/'), FOLDED.slice(3))
      assert.deepEqual(await list('a/1'), FOLDED.slice(3))
      assert.deepEqual(await list('a'), FOLDED.slice(1))
      assert.deepEqual(await list('aa'), FOLDED.slice(4))
      assert.deepEqual(await list('\u{1f511}/'), [])
      assert.deepEqual(await storage.list('', { limit: 0 }), [])
    },
  },
  {
    name: 'list accepts a delimiter of several characters',
    async run({ fill, storage }) {
      await fill(['a', 'a:1', 'a::1', 'a::2', 'b:::c', 'c::'])
      assert.deepEqual(await storage.list('', { delimiter: '::' }), ['a', 'a:1', 'a::', 'b::', 'c::'])
    },
  },
  {
    name: 'list with a delimiter returns a folder with 1,500 keys as one name',
    async run({ fill, storage }) {
      const inside = Array.from({ length: 1500 }, (_, i) => `p/big/${String(i).padStart(5, '0')}`)
      await fill([...inside, 'p/a', 'p/z'])
      assert.deepEqual(await storage.list('p/', { delimiter: '/' }), ['a', 'big/', 'z'])
      assert.equal((await storage.list('p/big/')).length, 1500)
      assert.equal((await storage.list('p/')).length, 1502)
      assert.equal((await storage.scan('p/')).length, 1502)
    },
  },
]

import { describe, expect, it } from 'vitest'
import { fold } from '../../../src/sys/replication/tree/fold.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { naiveTree } from './naive-tree.ts'
import { built, foldAll, keys, type MemoryTree, memoryTree, rootOf } from './support.ts'

const RUNS = runs({ quick: 15, soak: 500 })

const key = fc
  .tuple(fc.constantFrom('core', 'd1', 'd2', '9f1b'), fc.oneof(fc.nat({ max: 30 }).map(String), fc.string({ unit: 'grapheme' })))
  .map(([domain, name]) => `${domain}/${name}`)

const plaintext = fc.oneof(fc.constantFrom(new Uint8Array(), new Uint8Array([1])), fc.uint8Array({ maxLength: 80 }))

const history = fc.array(fc.tuple(key, fc.option(plaintext, { nil: undefined, freq: 2 })), { maxLength: 120 })

/** The store after a history of changes. */
function storeAfter(changes: Iterable<readonly [string, Uint8Array | undefined]>): Map<string, Uint8Array> {
  const store = new Map<string, Uint8Array>()
  for (const [name, value] of changes) {
    if (value) store.set(name, value)
    else store.delete(name)
  }
  return store
}

describe('a fold of changes into a Merkle tree', () => {
  it('creates the same records as a naive tree after each part of a history, whatever the limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(history, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 3, max: 200 }),
        async (parts, most) => {
          const tree = memoryTree()
          const done: (readonly [string, Uint8Array | undefined])[] = []
          for (const part of parts) {
            await foldAll(tree, part, most)
            done.push(...part)
            expect(tree.shown()).toEqual(naiveTree(storeAfter(done)).records)
          }
          expect(await rootOf(tree)).toBe(naiveTree(storeAfter(done)).root)
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('has the same result whatever the order of the changes', async () => {
    const shuffled = history
      .map((changes) => [...new Map(changes)])
      .chain((changes) => fc.tuple(fc.constant(changes), fc.shuffledSubarray(changes, { minLength: changes.length })))
    await fc.assert(
      fc.asyncProperty(shuffled, fc.integer({ min: 3, max: 200 }), async ([changes, other], most) => {
        const [firstTree, two] = [memoryTree(), memoryTree()]
        await foldAll(firstTree, changes, most)
        await foldAll(two, other, 100)
        expect(two.shown()).toEqual(firstTree.shown())
      }),
      { numRuns: RUNS },
    )
  })

  it('writes no record for changes without an effect', async () => {
    await fc.assert(
      fc.asyncProperty(history, key, async (changes, absent) => {
        const store = storeAfter(changes)
        store.delete(absent)
        const tree = await built(store)
        expect(await foldAll(tree, [...store, [absent, undefined], ...store], 3)).toBe(0)
      }),
      { numRuns: RUNS },
    )
  })

  it('writes no record for changes that cancel each other', async () => {
    const tree = await built(new Map([['core/a', new Uint8Array([1])]]))
    const leafOf = (value: number) => keys.leafOf('core/a', new Uint8Array([value]))
    const there = { key: 'core/a', leaf: leafOf(1) }
    const gone = { key: 'core/a', leaf: undefined }
    expect(await fold(tree, [gone, { key: 'core/a', leaf: leafOf(2) }, there], 3)).toEqual({ records: [], took: 3 })
    const other = { key: 'core/b', leaf: leafOf(3) }
    expect(await fold(tree, [gone, there, other], 3)).toMatchObject({ records: { length: 3 }, took: 3 })
    const { records, took } = await fold(tree, [there, gone], 3)
    expect(took).toBe(2)
    expect(records.map(({ bytes }) => bytes)).toEqual([undefined, undefined, undefined])
  })

  it('applies as many changes as the limit of written records allows', async () => {
    await fc.assert(
      fc.asyncProperty(history, history, fc.integer({ min: 3, max: 40 }), async (before, changes, most) => {
        const tree = await built(storeAfter(before))
        const listed = changes.map(([name, value]) => ({ key: name, leaf: value && keys.leafOf(name, value) }))
        const { records, took } = await fold(tree, listed, most)
        const differing = (length: number): number => {
          const [old, now] = [tree.shown(), naiveTree(storeAfter([...storeAfter(before), ...changes.slice(0, length)])).records]
          return [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((name) => old[name] !== now[name]).length
        }
        expect(records.length).toBe(differing(took))
        if (took < changes.length) expect(differing(took + 1)).toBeGreaterThan(most)
      }),
      { numRuns: RUNS },
    )
  })

  it('leaves no record of a domain that has become empty', async () => {
    const tree = await built(new Map([['core/a', new Uint8Array([1])]]))
    const before = tree.shown()
    const added = Array.from({ length: 50 }, (_, at) => [`other/${at}`, new Uint8Array([at])] as const)
    await foldAll(tree, added, 20)
    expect(Object.keys(tree.shown())).toContain('other/root')
    await foldAll(
      tree,
      added.map(([name]) => [name, undefined]),
      7,
    )
    expect(tree.shown()).toEqual(before)
  })

  it('reads only a limited number of records for changes without an effect', async () => {
    const tree = memoryTree()
    let names = 0
    const counting: MemoryTree = {
      ...tree,
      read(keys) {
        names += keys.length
        return tree.read(keys)
      },
    }
    const absent = Array.from({ length: 5_000 }, (_, at) => ({ key: `core/${at}`, leaf: undefined }))
    const { records, took } = await fold(counting, absent, 100)
    expect(records).toEqual([])
    expect(took).toBeGreaterThan(500)
    expect(names).toBeLessThan(1_200)
  })

  it('refuses an invalid domain, a leaf of wrong length or a limit that is too small', async () => {
    const tree = memoryTree()
    const leaf = new Uint8Array(20)
    await expect(fold(tree, [{ key: 'a b/c', leaf }], 100)).rejects.toThrow(TypeError)
    await expect(fold(tree, [{ key: '/c', leaf }], 100)).rejects.toThrow(TypeError)
    await expect(fold(tree, [{ key: 'a/c', leaf: leaf.subarray(1) }], 100)).rejects.toThrow(TypeError)
    await expect(fold(tree, [{ key: 'a/c', leaf }], 2)).rejects.toThrow(TypeError)
  })
})

import { describe, expect, it } from 'vitest'
import { runToEnd } from '../../../src/core/base/steps.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { TreeKeys } from '../../../src/sys/replication/tree/tree-keys.ts'
import fc from '../../fixtures/fast-check.ts'
import { naiveKeyHash, naiveLeaf, naiveTree, SET_KEY } from './naive-tree.ts'
import { buildInto, built, foldAll, hex, keys, memoryTree, rootOf } from './support.ts'

const store = (size: number, salt = 0): Map<string, Uint8Array> =>
  new Map(Array.from({ length: size }, (_, at) => [`d${at % 3}/${at}`, new Uint8Array([at, at >> 8, salt])]))

describe('a Merkle tree that is built in bulk', () => {
  it('equals the tree built by folding single changes, whatever the memory limit', async () => {
    const entries = store(700)
    const folded = memoryTree()
    await foldAll(folded, entries, 100)
    expect(folded.shown()).toEqual(naiveTree(entries).records)
    for (const mostBytes of [1, 20_000, 150_000, 100_000_000])
      expect((await built(entries, { mostBytes, most: 37 })).shown()).toEqual(folded.shown())
    expect(await rootOf(folded)).toBe(naiveTree(entries).root)
  })

  it('reads the store several times if its entries do not fit into memory', async () => {
    const entries = store(700)
    const walks = async (mostBytes: number): Promise<number> => {
      let count = 0
      await buildInto(
        memoryTree(),
        function* (hashOf) {
          count++
          for (const [key, plaintext] of entries) {
            const hash = hashOf(key)
            if (hash) yield { hash, leaf: keys.leafOf(key, plaintext), key }
          }
        },
        { mostBytes },
      )
      return count
    }
    expect(await walks(10_000_000)).toBe(1)
    expect(await walks(120_000)).toBeGreaterThan(2)
    expect(await walks(120_000)).toBeLessThan(10)
    expect(await walks(1)).toBeGreaterThan(200)
  })

  it('contains only the last entry of a repeated key', async () => {
    const tree = memoryTree()
    const before = [...store(50)]
    const after = [...store(50, 1)]
    await buildInto(
      tree,
      function* (hashOf) {
        for (const [key, plaintext] of [...before, ...after.slice(0, 20)])
          yield { hash: hashOf(key)!, leaf: keys.leafOf(key, plaintext), key }
      },
      {},
    )
    expect(tree.shown()).toEqual(naiveTree(new Map([...before, ...after.slice(0, 20)])).records)
  })

  it('is empty for an empty store', async () => {
    const tree = await built(new Map())
    expect(tree.shown()).toEqual({})
    expect(await rootOf(tree)).toBe(naiveTree(new Map()).root)
  })
})

describe('the keyed hash function of a Merkle tree', () => {
  it('returns the same hashes as node:crypto, also when it runs in steps', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 300 }), (key, plaintext) => {
        expect(hex(keys.hashOf(key))).toBe(naiveKeyHash(key))
        expect(hex(keys.leafOf(key, plaintext))).toBe(naiveLeaf(key, plaintext))
        expect(hex(runToEnd(keys.leafSteps(key, plaintext)))).toBe(naiveLeaf(key, plaintext))
      }),
    )
    const long = new Uint8Array(2_200_000).fill(3)
    const steps = keys.leafSteps('core/long', long)
    expect(steps.next().done).toBe(false)
    long.fill(4)
    expect(hex(runToEnd(steps))).toBe(naiveLeaf('core/long', new Uint8Array(2_200_000).fill(3)))
  })

  it('throws after its key was wiped', () => {
    const own = new TreeKeys(SET_KEY, nobleCrypto())
    own.wipe()
    own.wipe()
    expect(() => own.hashOf('a')).toThrow(TypeError)
    expect(() => own.leafOf('a', new Uint8Array())).toThrow(TypeError)
    expect(() => runToEnd(own.leafSteps('a', new Uint8Array()))).toThrow(TypeError)
  })
})

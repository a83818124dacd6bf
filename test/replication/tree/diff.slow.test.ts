/** Comparisons of large Merkle trees. */
import { describe, expect, it } from 'vitest'
import { findKeys } from '../../../src/sys/replication/tree/diff/find-keys.ts'
import { both, compare } from './compared.ts'
import { bucketTree, copyOf, foldAll, large, largeKey, memoryTree } from './support.ts'

describe('the comparison of two large Merkle trees', () => {
  it('compares buckets that are too large for one message', async () => {
    const entries = Array.from({ length: 20_000 }, (_, at) => [at, 0] as const)
    const own = await bucketTree(entries.filter(([at]) => at % 100 !== 7 && at < 15_000))
    const otherTree = await bucketTree(
      entries.map(([at]) => [at, at % 1_000 === 5 ? 1 : 0] as const).filter(([at]) => at % 1_000 !== 3),
    )
    const found = await compare(own, otherTree)
    const keysOf = (numbers: readonly number[]) => numbers.map((at) => `core/${at}`).sort()
    const expected = entries
      .map(([at]) => at)
      .filter((at) => at % 1_000 !== 3 && (at % 100 === 7 || at % 1_000 === 5 || at >= 15_000))
    expect(found.delete).toEqual(keysOf(entries.map(([at]) => at).filter((at) => at % 1_000 === 3 && at < 15_000)))
    const hashes = found.fetch.map((text) => ({ domain: 'core', hash: Buffer.from(text.slice(5), 'hex') }))
    expect([...(await findKeys(otherTree, hashes))].sort()).toEqual(keysOf(expected))
    expect(found.largest).toBeLessThan(12_000)
    const few = await compare(
      await bucketTree(entries.map(([at]) => [at, 0] as const).filter(([at]) => at % 50 === 3)),
      otherTree,
    )
    expect(few.delete).toEqual(found.delete.concat(keysOf([15_003, 16_003, 17_003, 18_003, 19_003])).sort())
    expect(few.fetch.length).toBe(19_980 - 380)
    const empty = await compare(memoryTree(), otherTree)
    expect(empty.fetch.length).toBe(19_980)
    expect((await compare(otherTree, memoryTree())).delete.length).toBe(19_980)
  })

  it('needs few round trips and bytes in a large tree with ten domains', async () => {
    const otherTree = await large(100_000, 10)
    expect(await compare(copyOf(otherTree), otherTree)).toMatchObject({ roundTrips: 1, bytes: 22 })
    for (const [key, leaf] of [
      [largeKey(12_345, 0), new Uint8Array([1])],
      [largeKey(40, 2), undefined],
      [largeKey(1_000_001, 3), new Uint8Array([2])],
    ] as const) {
      const tree = copyOf(otherTree)
      await foldAll(tree, [[key, leaf]], 3)
      for (const [mine, peerTree] of [
        [tree, otherTree],
        [otherTree, tree],
      ] as const) {
        const found = await compare(mine, peerTree)
        expect(found.fetch.length + found.delete.length).toBe(1)
        expect(found.roundTrips).toBeLessThanOrEqual(4)
        expect(found.bytes).toBeLessThan(2_500)
      }
    }
  })

  it('compares more domains than one answer can list', async () => {
    const own = new Map(Array.from({ length: 6_000 }, (_, at) => [`${'x'.repeat(40)}-${at}/a`, new Uint8Array([1])]))
    const other = new Map([...own].filter(([key]) => !/7.*7/.test(key)))
    other.set('zzz/a', new Uint8Array())
    other.set(`${'x'.repeat(40)}-0/a`, new Uint8Array([2]))
    other.set('a/a', new Uint8Array())
    await both(own, other)
  })
})

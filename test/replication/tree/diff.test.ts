import { describe, expect, it } from 'vitest'
import { findKeys } from '../../../src/sys/replication/tree/diff/find-keys.ts'
import fc from '../../fixtures/fast-check.ts'
import { compare, naiveDifference } from './compared.ts'
import { bucketTree, built, copyOf, foldAll, keys, large, largeKey, type MemoryTree, memoryTree, type Store } from './support.ts'

const SLOW = process.env['SLOW'] ? 300 : 40

const value = fc.constantFrom(...[0, 1, 2].map((byte) => new Uint8Array([byte])))

const change = fc.tuple(
  fc.tuple(fc.constantFrom('core', 'd1', 'd2', '9f1b'), fc.nat({ max: 400 })).map(([domain, name]) => `${domain}/${name}`),
  value,
)

const some = (size: number, domains: number, salt = 0): Map<string, Uint8Array> =>
  new Map(Array.from({ length: size }, (_, at) => [`d${at % domains}/${at}`, new Uint8Array([at, at >> 8, salt])]))

/** What a comparison finds between two stores, and what the naive one does. */
async function both(own: Store, other: Store) {
  const { fetch, delete: gone, ...counted } = await compare(await built(own), await built(other))
  expect({ fetch, delete: gone }).toEqual(naiveDifference(own, other))
  return counted
}

describe('the comparison of two hash trees', () => {
  it('finds what the naive one finds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 300 }),
        fc.array(change, { maxLength: 60 }),
        fc.array(change, { maxLength: 60 }),
        async (common, own, other) => {
          await both(new Map([...common, ...own]), new Map([...common, ...other]))
        },
      ),
      { numRuns: SLOW },
    )
  })

  it.each([
    ['both empty', some(0, 1), some(0, 1)],
    ['this one empty', some(0, 1), some(3_000, 3)],
    ['the other one empty', some(3_000, 3), some(0, 1)],
    ['all different', some(3_000, 3), some(3_000, 3, 1)],
    ['no key in common', some(3_000, 3), new Map([...some(6_000, 3)].slice(3_000))],
    ['a domain missing there', some(2_000, 4), new Map([...some(2_000, 4)].filter(([key]) => !key.startsWith('d2')))],
    ['a domain missing here', new Map([...some(2_000, 4)].filter(([key]) => !key.startsWith('d2'))), some(2_000, 4)],
    ['many domains', some(2_000, 700), some(2_300, 700, 0)],
  ])('finds what the naive one finds: %s', async (_, own, other) => {
    await both(own, other)
  })

  it('takes one round trip for equal trees', async () => {
    expect(await both(some(500, 5), some(500, 5))).toEqual({ roundTrips: 1, bytes: 22, largest: 0 })
  })

  it('does not count domains that are named and hold nothing', async () => {
    const naming = async (store: Store, name: string): Promise<MemoryTree> => {
      const tree = await built(store)
      return { ...tree, domains: async () => [...(await tree.domains()), name] }
    }
    const [own, other] = [some(50, 2), some(50, 2, 1)]
    expect(await compare(await naming(own, 'here'), await naming(own, 'there'))).toMatchObject({ roundTrips: 1 })
    const found = await compare(await naming(own, 'here'), await naming(other, 'there'))
    expect({ fetch: found.fetch, delete: found.delete }).toEqual(naiveDifference(own, other))
  })

  it('compares more domains than one answer lists', async () => {
    const own = new Map(Array.from({ length: 6_000 }, (_, at) => [`${'x'.repeat(40)}-${at}/a`, new Uint8Array([1])]))
    const other = new Map([...own].filter(([key]) => !/7.*7/.test(key)))
    other.set('zzz/a', new Uint8Array())
    other.set(`${'x'.repeat(40)}-0/a`, new Uint8Array([2]))
    other.set('a/a', new Uint8Array())
    await both(own, other)
  })

  it('compares buckets that no message holds', async () => {
    const entries = Array.from({ length: 20_000 }, (_, at) => [at, 0] as const)
    const own = await bucketTree(entries.filter(([at]) => at % 100 !== 7 && at < 15_000))
    const other = await bucketTree(
      entries.map(([at]) => [at, at % 1_000 === 5 ? 1 : 0] as const).filter(([at]) => at % 1_000 !== 3),
    )
    const found = await compare(own, other)
    const keysOf = (numbers: readonly number[]) => numbers.map((at) => `core/${at}`).sort()
    const wanted = entries
      .map(([at]) => at)
      .filter((at) => at % 1_000 !== 3 && (at % 100 === 7 || at % 1_000 === 5 || at >= 15_000))
    expect(found.delete).toEqual(keysOf(entries.map(([at]) => at).filter((at) => at % 1_000 === 3 && at < 15_000)))
    const hashes = found.fetch.map((text) => ({ domain: 'core', hash: Buffer.from(text.slice(5), 'hex') }))
    expect([...(await findKeys(other, hashes))].sort()).toEqual(keysOf(wanted))
    expect(found.largest).toBeLessThan(12_000)
    const few = await compare(await bucketTree(entries.map(([at]) => [at, 0] as const).filter(([at]) => at % 50 === 3)), other)
    expect(few.delete).toEqual(found.delete.concat(keysOf([15_003, 16_003, 17_003, 18_003, 19_003])).sort())
    expect(few.fetch.length).toBe(19_980 - 380)
    const empty = await compare(memoryTree(), other)
    expect(empty.fetch.length).toBe(19_980)
    expect((await compare(other, memoryTree())).delete.length).toBe(19_980)
  })

  it('finds every lasting difference and none that never was while the other tree changes', async () => {
    const rounds = fc.array(fc.array(fc.tuple(change, fc.boolean()), { maxLength: 30 }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 150 }),
        fc.array(change, { maxLength: 150 }),
        rounds,
        async (mine, first, parts) => {
          const own = new Map(mine)
          const other = new Map(first)
          const tree = await built(other)
          const moments = [naiveDifference(own, other)]
          const left = [...parts]
          const found = await compare(await built(own), tree, async () => {
            const changes = (left.shift() ?? []).map(([[key, byte], isGone]) => [key, isGone ? undefined : byte] as const)
            await foldAll(tree, changes, 100)
            for (const [key, byte] of changes) {
              if (byte) other.set(key, byte)
              else other.delete(key)
            }
            moments.push(naiveDifference(own, other))
          })
          for (const what of ['fetch', 'delete'] as const) {
            expect(new Set(found[what]).size).toBe(found[what].length)
            for (const one of found[what]) expect(moments.some((moment) => moment[what].includes(one))).toBe(true)
            const lasting = moments[0]![what].filter((one) => moments.every((moment) => moment[what].includes(one)))
            expect(found[what]).toEqual(expect.arrayContaining(lasting))
          }
        },
      ),
      { numRuns: SLOW },
    )
  })

  it('keeps its budget of round trips and bytes in a large tree with ten domains', async () => {
    const other = await large(100_000, 10)
    expect(await compare(copyOf(other), other)).toMatchObject({ roundTrips: 1, bytes: 22 })
    for (const [key, leaf] of [
      [largeKey(12_345, 0), new Uint8Array([1])],
      [largeKey(40, 2), undefined],
      [largeKey(1_000_001, 3), new Uint8Array([2])],
    ] as const) {
      const tree = copyOf(other)
      await foldAll(tree, [[key, leaf]], 3)
      for (const [mine, theirs] of [
        [tree, other],
        [other, tree],
      ] as const) {
        const found = await compare(mine, theirs)
        expect(found.fetch.length + found.delete.length).toBe(1)
        expect(found.roundTrips).toBeLessThanOrEqual(4)
        expect(found.bytes).toBeLessThan(2_500)
      }
    }
  })

  it('finds the keys behind hashes again, and nothing behind made-up ones', async () => {
    const tree = await built(some(50, 2))
    const wanted = ['d0/0', 'd1/1', 'd0/1', 'd1/49'].map((key) => ({ domain: key.slice(0, 2), hash: keys.hashOf(key) }))
    expect(await findKeys(tree, wanted)).toEqual(['d0/0', 'd1/1', undefined, 'd1/49'])
    expect(await findKeys(tree, [{ domain: '../x', hash: wanted[0]!.hash }])).toEqual([undefined])
    expect(await findKeys(tree, [{ domain: 'd0', hash: wanted[0]!.hash.subarray(1) }])).toEqual([undefined])
  })
})

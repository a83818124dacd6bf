import { describe, expect, it } from 'vitest'
import { findKeys } from '../../../src/sys/replication/tree/diff/find-keys.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { both, compare, naiveDifference } from './compared.ts'
import { built, foldAll, keys, type MemoryTree, type Store } from './support.ts'

const RUNS = runs({ quick: 15, soak: 300 })

const value = fc.constantFrom(...[0, 1, 2].map((byte) => new Uint8Array([byte])))

const change = fc.tuple(
  fc.tuple(fc.constantFrom('core', 'd1', 'd2', '9f1b'), fc.nat({ max: 400 })).map(([domain, name]) => `${domain}/${name}`),
  value,
)

const some = (size: number, domains: number, salt = 0): Map<string, Uint8Array> =>
  new Map(Array.from({ length: size }, (_, at) => [`d${at % domains}/${at}`, new Uint8Array([at, at >> 8, salt])]))

describe('the comparison of two Merkle trees', () => {
  it('finds the same differences as a naive comparison', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 300 }),
        fc.array(change, { maxLength: 60 }),
        fc.array(change, { maxLength: 60 }),
        async (common, own, other) => {
          await both(new Map([...common, ...own]), new Map([...common, ...other]))
        },
      ),
      { numRuns: RUNS },
    )
  })

  it.each([
    ['both trees are empty', some(0, 1), some(0, 1)],
    ['the local tree is empty', some(0, 1), some(3_000, 3)],
    ['the remote tree is empty', some(3_000, 3), some(0, 1)],
    ['all different', some(3_000, 3), some(3_000, 3, 1)],
    ['no common key', some(3_000, 3), new Map([...some(6_000, 3)].slice(3_000))],
    [
      'a domain is missing in the remote tree',
      some(2_000, 4),
      new Map([...some(2_000, 4)].filter(([key]) => !key.startsWith('d2'))),
    ],
    [
      'a domain is missing in the local tree',
      new Map([...some(2_000, 4)].filter(([key]) => !key.startsWith('d2'))),
      some(2_000, 4),
    ],
    ['many domains', some(2_000, 700), some(2_300, 700, 0)],
  ])('finds the same differences as a naive comparison: %s', async (_, own, other) => {
    await both(own, other)
  })

  it('needs one round trip if the trees are equal', async () => {
    expect(await both(some(500, 5), some(500, 5))).toEqual({ roundTrips: 1, bytes: 22, largest: 0 })
  })

  it('ignores a domain that is listed but empty', async () => {
    const naming = async (store: Store, name: string): Promise<MemoryTree> => {
      const tree = await built(store)
      return { ...tree, domains: async () => [...(await tree.domains()), name] }
    }
    const [own, other] = [some(50, 2), some(50, 2, 1)]
    expect(await compare(await naming(own, 'here'), await naming(own, 'there'))).toMatchObject({ roundTrips: 1 })
    const found = await compare(await naming(own, 'here'), await naming(other, 'there'))
    expect({ fetch: found.fetch, delete: found.delete }).toEqual(naiveDifference(own, other))
  })

  it('finds every difference that persists while the other tree changes, and reports none that never existed', async () => {
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
            for (const key of found[what]) expect(moments.some((moment) => moment[what].includes(key))).toBe(true)
            const lasting = moments[0]![what].filter((candidate) => moments.every((moment) => moment[what].includes(candidate)))
            expect(found[what]).toEqual(expect.arrayContaining(lasting))
          }
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('finds the key of a known hash, and nothing for an unknown hash', async () => {
    const tree = await built(some(50, 2))
    const hashes = ['d0/0', 'd1/1', 'd0/1', 'd1/49'].map((key) => ({ domain: key.slice(0, 2), hash: keys.hashOf(key) }))
    expect(await findKeys(tree, hashes)).toEqual(['d0/0', 'd1/1', undefined, 'd1/49'])
    expect(await findKeys(tree, [{ domain: '../x', hash: hashes[0]!.hash }])).toEqual([undefined])
    expect(await findKeys(tree, [{ domain: 'd0', hash: hashes[0]!.hash.subarray(1) }])).toEqual([undefined])
  })
})

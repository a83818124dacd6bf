import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../src/core/base/errors.ts'
import { DomainRoots } from '../../../src/sys/replication/log/domain-roots.ts'
import { checkPart, type EntryCounts, type Finding } from '../../../src/sys/replication/tree/check.ts'
import { answerRequest } from '../../../src/sys/replication/tree/diff/answer-request.ts'
import { compareTrees } from '../../../src/sys/replication/tree/diff/compare-trees.ts'
import { fold } from '../../../src/sys/replication/tree/fold.ts'
import { readRoots } from '../../../src/sys/replication/tree/stored-tree.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { compare } from './compared.ts'
import { naiveKeyHash } from './naive-tree.ts'
import { built, copyOf, foldAll, keys, type MemoryTree, memoryTree, rootOf } from './support.ts'

const store = new Map(Array.from({ length: 40 }, (_, at) => [`core/${at}`, new Uint8Array([at])]))

/** Checks a tree in parts of `most` records. */
async function findings(tree: MemoryTree, most = 7): Promise<readonly Finding[]> {
  const found: Finding[] = []
  const counts: EntryCounts = new Map()
  for (let after: string | undefined; ; ) {
    const part = await checkPart(tree, after, most, counts)
    found.push(...part.findings)
    after = part.next
    if (after === undefined) return found
  }
}

/** The location of a key: the numbers of its page and subpage, and the names of their records. */
function placeOf(key: string) {
  const bucket = naiveKeyHash(key).slice(0, 4)
  const [page, subpage] = [bucket.slice(0, 2), bucket.slice(2)].map((digits) => Number.parseInt(digits, 16)) as [number, number]
  return { page, subpage, bucketName: `core/bucket/${bucket}`, pageName: `core/page/${bucket.slice(0, 2)}` }
}

const DOMAIN = 'core'

const ROOT = { domain: DOMAIN }

describe('a damaged record of a Merkle tree', () => {
  it('fails a fold or comparison with an error that contains its name, or does not affect the result', async () => {
    const whole = await built(store)
    const otherTree = await built(new Map([...store].map(([key]) => [key, new Uint8Array([200])])))
    const changes = [...store.keys()].map((key) => ({ key, leaf: keys.leafOf(key, new Uint8Array([7])) }))
    const names = [...whole.records.keys()]
    let refusals = 0
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.oneof(
          fc.uint8Array({ maxLength: 80 }).map((bytes) => () => bytes),
          fc.nat().map((at) => (bytes: Uint8Array) => bytes.subarray(0, at % bytes.length)),
          fc.tuple(fc.nat(), fc.nat({ max: 7 })).map(([at, bit]) => (bytes: Uint8Array) => {
            const out = bytes.slice()
            out[at % out.length]! ^= 1 << bit
            return out
          }),
          fc.uint8Array({ minLength: 1, maxLength: 9 }).map((more) => (bytes: Uint8Array) => new Uint8Array([...bytes, ...more])),
        ),
        async (name, damage) => {
          const tree = copyOf(whole)
          tree.records.set(name, damage(tree.records.get(name)!))
          const uses = [() => fold(tree, changes, 1_000), () => compare(tree, otherTree), () => compare(otherTree, tree)]
          for (const use of uses)
            await use().catch((error: unknown) => {
              expect(error).toBeInstanceOf(KernelError)
              expect(error).toMatchObject({ code: 'ERR_INTERNAL' })
              expect((error as KernelError).message).toContain(name)
              refusals++
            })
        },
      ),
      { numRuns: runs({ quick: 150, soak: 3_000 }) },
    )
    expect(refusals).toBeGreaterThan(100)
  })
})

describe('an outdated or missing record of a Merkle tree', () => {
  const key = 'core/7'
  const { bucketName, pageName } = placeOf(key)
  const now = new Map([...store].map(([name, value], at) => [name, at === 7 ? new Uint8Array([99]) : value]))
  const extended = new Map([...now, ['core/new', new Uint8Array([1])]])
  const levels = [bucketName, pageName, 'core/root']
  // Every non-empty choice of levels. The chosen records are consistent with each other.
  const choices = Array.from({ length: 7 }, (_, at) => levels.filter((__, level) => ((at + 1) >> level) & 1))

  it.each(choices.flatMap((names) => ['outdated', 'gone'].map((how) => [names, how] as const)))(
    'is named by an error, and no fold or comparison uses the records below it (%j %s)',
    async (names, how) => {
      const [whole, before, otherTree] = [await built(now), await built(store), await built(extended)]
      const tree = copyOf(whole)
      for (const name of names)
        if (how === 'gone') tree.records.delete(name)
        else tree.records.set(name, before.records.get(name) as Uint8Array)
      const refused = { code: 'ERR_INTERNAL', message: expect.stringMatching(names.join('|')) }
      const roots = await readRoots(whole)
      const ask = async (request: Uint8Array) => (await answerRequest({ ...tree, roots }, request)) as Uint8Array
      const checkTree = async (): Promise<void> => {
        for await (const piece of compareTrees(before, ask)) expect(piece).toEqual({ fetch: [], delete: [] })
      }
      await expect(checkTree()).rejects.toMatchObject(refused)
      expect(await compare(otherTree, whole)).toMatchObject({ fetch: [], delete: ['core/new'] })
      // If all levels are outdated, the tree is consistent, but has another root than the expected one.
      const isWhole = names.length === levels.length
      const used = isWhole
        ? new DomainRoots(tree).asOf({ root: await rootOf(whole) }, 1)
        : fold(tree, [{ key, leaf: keys.leafOf(key, new Uint8Array([55])) }], 1_000)
      await expect(used).rejects.toMatchObject({
        code: 'ERR_INTERNAL',
        message: expect.stringMatching([...levels, 'record root'].join('|')),
      })
    },
  )
})

describe('a check of a stored Merkle tree', () => {
  it('finds no fault in a folded, a built or an empty tree', async () => {
    const tree = await built(store)
    await foldAll(
      tree,
      [...store.keys()].slice(0, 20).map((key, at) => [key, at % 2 ? undefined : new Uint8Array([99])]),
      9,
    )
    expect(await findings(tree)).toEqual([])
    expect(await findings(memoryTree())).toEqual([])
  })

  it('finds a changed hash and reports its page, subpage or root', async () => {
    const whole = await built(store)
    const changed = await built(new Map([...store, ['core/7', new Uint8Array([99])]]))
    const { page, subpage, bucketName, pageName } = placeOf('core/7')
    const bucket = copyOf(whole)
    bucket.records.set(bucketName, changed.records.get(bucketName)!)
    expect(await findings(bucket)).toEqual([{ domain: DOMAIN, page, subpage }])
    const above = copyOf(whole)
    above.records.set(pageName, changed.records.get(pageName)!)
    expect(await findings(above)).toEqual([
      { domain: DOMAIN, page, subpage },
      { domain: DOMAIN, page },
    ])
    const root = copyOf(whole)
    root.records.set('core/root', changed.records.get('core/root')!)
    expect(await findings(root)).toEqual([{ domain: DOMAIN, page }])
    const bytes = whole.records.get('core/root')!.slice()
    bytes[1]! ^= 1
    root.records.set('core/root', bytes)
    expect(await findings(root)).toEqual([ROOT])
  })

  it('finds missing and unexpected records', async () => {
    const whole = await built(store)
    const { page, subpage, bucketName, pageName } = placeOf('core/7')
    const gone = copyOf(whole)
    gone.records.delete(bucketName)
    expect(await findings(gone)).toContainEqual({ domain: DOMAIN, page, subpage })
    const pageless = copyOf(whole)
    pageless.records.delete(pageName)
    expect(await findings(pageless)).toContainEqual({ domain: DOMAIN, page })
    const rootless = copyOf(whole)
    rootless.records.delete('core/root')
    const pages = [...new Set([...store.keys()].map((key) => placeOf(key).page))].sort((a, b) => a - b)
    expect(await findings(rootless)).toEqual(pages.map((own) => ({ domain: DOMAIN, page: own })))
    const more = copyOf(await built(new Map([...store].filter(([key]) => placeOf(key).page !== page))))
    more.records.set(bucketName, whole.records.get(bucketName)!)
    expect(await findings(more)).toContainEqual({ domain: DOMAIN, page, subpage })
  })

  it('continues after damaged records, and reports each of them', async () => {
    const tree = copyOf(await built(store))
    const { page, subpage, bucketName } = placeOf('core/7')
    const [other] = [...store.keys()].map(placeOf).filter((place) => place.page !== page)
    tree.records.set(bucketName, new Uint8Array([1, 2, 3]))
    tree.records.set(other!.pageName, new Uint8Array())
    const expected = [
      { domain: DOMAIN, page, subpage },
      { domain: DOMAIN, page: other!.page },
    ]
    expect(await findings(tree)).toEqual(expected)
    tree.records.set('core/root', new Uint8Array([1]))
    expect(await findings(tree)).toEqual([...expected, ROOT])
  })

  it('finds a wrong number of keys in the root record', async () => {
    const tree = copyOf(await built(store))
    const bytes = tree.records.get('core/root')!.slice()
    bytes[26]!++
    tree.records.set('core/root', bytes)
    expect(await findings(tree)).toEqual([ROOT])
  })
})

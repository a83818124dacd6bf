import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../src/core/base/errors.ts'
import { compareTrees } from '../../../src/sys/replication/tree/diff/compare-trees.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { answerOf, bucketTree, built, type MemoryTree, memoryTree } from './support.ts'

const RUNS = runs({ quick: 150, soak: 5_000 })

const store = new Map(Array.from({ length: 600 }, (_, at) => [`d${at % 5}/${at}`, new Uint8Array([at, at >> 8])]))
const changed = new Map([...store, ['d0/0', new Uint8Array()], ['d9/x', new Uint8Array()]])
changed.delete('d3/3')

/** The requests of a comparison and their answers. */
async function messages() {
  const [own, otherTree] = [await built(store), await built(changed)]
  const sent: { request: Uint8Array; reply: Uint8Array }[] = []
  for await (const _ of compareTrees(own, async (request) => {
    const reply = (await answerOf(otherTree, request)) as Uint8Array
    sent.push({ request, reply })
    return reply
  }));
  return { own, other: otherTree, sent }
}

/** A random change of a message: other bytes, fewer bytes, or more. */
const mangling = fc.record({
  at: fc.nat(),
  byte: fc.nat({ max: 255 }),
  cut: fc.option(fc.nat(), { nil: undefined }),
  more: fc.option(fc.uint8Array({ maxLength: 50 }), { nil: undefined }),
})

type Mangling = typeof mangling extends fc.Arbitrary<infer T> ? T : never

function mangled(bytes: Uint8Array, { at, byte, cut, more }: Mangling): Uint8Array {
  const out = bytes.slice()
  out[at % out.length] = byte
  return new Uint8Array([...(cut === undefined ? out : out.subarray(0, cut % out.length)), ...(more ?? [])])
}

describe('the server of a tree comparison', () => {
  it('answers or refuses any request, with an answer below the size limit', async () => {
    const { other, sent } = await messages()
    const request = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc
        .tuple(fc.constantFrom(1, 2, 3), fc.uint8Array({ maxLength: 400 }))
        .map(([kind, rest]) => new Uint8Array([kind, ...rest])),
      fc.tuple(fc.nat({ max: sent.length - 1 }), mangling).map(([at, how]) => mangled(sent[at]!.request, how)),
    )
    let answered = 0
    await fc.assert(
      fc.asyncProperty(request, async (bytes) => {
        const reply = await answerOf(other, bytes)
        if (reply) answered++
        expect(reply === undefined || reply.length <= 262_144).toBe(true)
      }),
      { numRuns: RUNS, examples: sent.map(({ request: unchanged }) => [unchanged]) },
    )
    expect(answered).toBeGreaterThanOrEqual(sent.length)
  })

  it('refuses every request that is truncated or too long', async () => {
    const { other, sent } = await messages()
    for (const { request } of sent) {
      expect(await answerOf(other, request)).toBeDefined()
      expect(await answerOf(other, new Uint8Array([...request, 77]))).toBeUndefined()
    }
    const last = sent.at(-1)!.request
    expect(await answerOf(other, last.subarray(0, last.length - 1))).toBeUndefined()
    expect(await answerOf(other, new Uint8Array())).toBeUndefined()
  })

  it('refuses a request with an invalid domain name, too many questions or too many bytes', async () => {
    const tree = memoryTree()
    const readNames: string[] = []
    const watched: MemoryTree = {
      ...tree,
      read(names) {
        readNames.push(...names)
        return tree.read(names)
      },
    }
    const about = (domain: string) => new Uint8Array([3, 4, domain.length, ...Buffer.from(domain), 0, 0])
    expect(await answerOf(watched, about('core'))).toEqual(new Uint8Array([3, 0, 0]))
    for (const domain of ['', 'a/b', 'a b', 'é', 'x'.repeat(65)]) expect(await answerOf(watched, about(domain))).toBeUndefined()
    const questions = (count: number) =>
      new Uint8Array([...about('core'), ...Array.from({ length: count - 1 }, () => [0, 0, 0]).flat()])
    expect(await answerOf(tree, questions(1_024))).toHaveLength(1 + 2 * 1_024)
    expect(await answerOf(tree, questions(1_025))).toBeUndefined()
    expect(readNames).toEqual([])
    expect(await answerOf(tree, new Uint8Array([3, 6, 1, 97, 0, 0, 255, 255, ...new Uint8Array(8 * 65_535)]))).toBeUndefined()
    expect(await answerOf(tree, new Uint8Array([3, 6, 1, 97, 0, 0, 255, 255, 1]))).toBeUndefined()
  })

  it('answers only as many questions as fit into the size limit', async () => {
    const tree = await bucketTree(Array.from({ length: 3_000 }, (_, at) => [at, 0] as const))
    const question = [2, 3, 4, 0, 0]
    const reply = (await answerOf(tree, new Uint8Array([3, 6, 4, ...Buffer.from('core'), 3, 4, 0, 0, ...question, ...question])))!
    expect(reply.length).toBe(1 + 2 * (1 + 2 + 3_000 * 40))
  })
})

describe('the client of a tree comparison', () => {
  let own: MemoryTree | undefined
  const ask = async (replies: (request: Uint8Array, round: number) => Promise<Uint8Array> | Uint8Array, most = 2_000) => {
    own ??= await built(store)
    let rounds = 0
    const found = { fetch: 0, delete: 0 }
    for await (const piece of compareTrees(own, async (request) => {
      if (++rounds > most) throw new Error('the comparison does not end')
      return replies(request, rounds)
    })) {
      found.fetch += piece.fetch.length
      found.delete += piece.delete.length
    }
    return found
  }

  const refused = { code: 'ERR_UPSTREAM' }

  it('ends with an error or with differences, whatever an answer contains', async () => {
    const { other } = await messages()
    let refusals = 0
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 5 }), mangling, async (which, how) => {
        try {
          await ask(async (request, round) => {
            const reply = (await answerOf(other, request))!
            return round === which + 1 ? mangled(reply, how) : reply
          })
        } catch (error) {
          expect(error).toBeInstanceOf(KernelError)
          expect(error).toMatchObject(refused)
          refusals++
        }
      }),
      { numRuns: RUNS / 3 },
    )
    expect(refusals).toBeGreaterThan(0)
  })

  it.each([
    ['an empty message', []],
    ['an unknown kind', [9]],
    ['an empty list of domains that announces more', [2, 1]],
    ['an unknown mark', [2, 2]],
    ['a domain without a root', [2, 0, 1, 97]],
    ['a domain with a root of zeros', [2, 0, 1, 97, ...new Uint8Array(20)]],
    ['unordered domains', [2, 0, ...[98, 97].flatMap((name) => [1, name, ...new Uint8Array(20).fill(1)])]],
    ['a repeated domain', [2, 0, ...[97, 97].flatMap((name) => [1, name, ...new Uint8Array(20).fill(1)])]],
    ['an invalid domain', [2, 0, 1, 47, ...new Uint8Array(20).fill(1)]],
    ['an oversized message', [1, ...new Uint8Array(262_144)]],
  ])('refuses a first answer that contains %s', async (_, reply) => {
    await expect(ask(() => new Uint8Array(reply))).rejects.toMatchObject(refused)
  })

  const roots = new Uint8Array([2, 0, 2, ...Buffer.from('d0'), ...new Uint8Array(20).fill(1)])
  /** A node with one child, the first. */
  const children = [128, 0, 128, 0, ...new Uint8Array(20).fill(1)]
  const down = [roots, new Uint8Array([3, ...children]), new Uint8Array([3, ...children])]
  const hash = (last: number) => [...new Uint8Array(18), last >> 8, last & 255]
  const entry = (last: number) => [...hash(last), ...new Uint8Array(20)]

  it.each([
    ['answers to unasked questions', [3, 0, 0, 0, 0, 0, 0]],
    ['no answer', [3]],
    ['entries of another bucket', [3, 0, 0, 1, 9, ...entry(3).slice(1)]],
    ['repeated entries', [3, 0, 0, 2, ...entry(3), ...entry(3)]],
    ['unordered entries', [3, 0, 0, 2, ...entry(4), ...entry(3)]],
    ['fewer entries than it says', [3, 0, 255, 255, ...entry(3)]],
    ['entries after the cut', [3, 1, ...hash(3), 0, 1, ...entry(4)]],
    ['a cut in another bucket', [3, 1, 9, ...hash(3).slice(1), 0, 1, ...entry(3)]],
  ])('refuses an answer about a bucket that contains %s', async (_, reply) => {
    await expect(ask((_request, round) => down[round - 1] ?? new Uint8Array(reply))).rejects.toMatchObject(refused)
  })

  it('accepts an answer about a bucket whose entries are in order', async () => {
    const reply = new Uint8Array([3, 0, 0, 2, ...entry(3), ...entry(4)])
    const others = [...store.keys()].filter((key) => !key.startsWith('d0')).length
    const found = await ask((_request, round) => down[round - 1] ?? reply)
    expect(found.fetch).toBe(2)
    expect(found.delete).toBeGreaterThanOrEqual(others)
  })

  it('ends with an error if the answers are continued endlessly', async () => {
    const forever = ask((_request, round) => {
      const cut = round - down.length
      return down[round - 1] ?? new Uint8Array([3, 1, ...hash(cut), 0, 1, ...entry(cut)])
    })
    await expect(forever).rejects.toMatchObject(refused)
  })

  it('ends with an error if a list of domains is not in order', async () => {
    const further = (name: number) => new Uint8Array([2, 1, 1, name, ...new Uint8Array(20).fill(1)])
    const empty = new Uint8Array([3, 0, 0])
    const replies = [further(98), empty, further(97)]
    await expect(ask((_request, round) => replies[round - 1]!)).rejects.toMatchObject(refused)
    await expect(ask((_request, round) => [further(98), empty, new Uint8Array([1])][round - 1]!)).rejects.toMatchObject(refused)
  })

  it('rejects with the error of the transport', async () => {
    await expect(ask(() => Promise.reject(new RangeError('lost')))).rejects.toThrow(RangeError)
  })
})

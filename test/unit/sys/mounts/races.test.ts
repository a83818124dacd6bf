/** Exactly one of two conflicting calls succeeds, in one kernel and in two kernels on one store. */
import { describe, expect, it } from 'vitest'
import { type Kernel, memoryStorage, type Storage } from '../../../../src/index.ts'
import { chaoticStorage, seededEntropy } from '../../../../src/testing/index.ts'
import { runs } from '../../../fixtures/runs.ts'
import { keysOf, openOn, turns } from './support.ts'

const ROUNDS = runs({ quick: 7, soak: 200 })

let seed = 0
/** `unknown: 0` loses no answers: a kernel that repeatedly gets no answer fails, and these tests are about conflicts only. */
const late = (inner: Storage): Storage => chaoticStorage(inner, { entropy: seededEntropy(`mounts ${seed++}`), unknown: 0 })

/** The kernel of the first call and the kernel of the second call. */
const PAIRS: Readonly<Record<string, () => Promise<readonly [Kernel, Kernel]>>> = {
  'one kernel': async () => {
    const kernel = await openOn(memoryStorage({ maxOps: 128 }))
    return [kernel, kernel]
  },
  'one kernel on a slow store': async () => {
    const kernel = await openOn(late(memoryStorage({ maxOps: 128 })))
    return [kernel, kernel]
  },
  'two kernels': async () => {
    const storage = memoryStorage({ maxOps: 128 })
    return [await openOn(storage), await openOn(storage)]
  },
  'two kernels with a delayed watch': async () => {
    const storage = memoryStorage({ maxOps: 128 })
    return [await openOn(late(storage)), await openOn(late(storage))]
  },
}

type Act = (kernel: Kernel, round: number) => Promise<unknown>

const create =
  (path: (round: number) => string): Act =>
  (kernel, round) =>
    kernel.mounts.createMount({ path: path(round), type: 'kv' })
const move =
  (to: (round: number) => string): Act =>
  (kernel, round) =>
    kernel.mounts.moveMount({ from: `from${round}`, to: to(round) })
const namespace: Act = (kernel, round) => kernel.namespaces.createNamespace({ name: `r${round}` })

const RIVALS: readonly (readonly [string, Act, Act])[] = [
  ['mounts at the same path', create((round) => `r${round}`), create((round) => `r${round}`)],
  ['a mount and a mount below its path', create((round) => `r${round}`), create((round) => `r${round}/a/b`)],
  ['a new mount and a moved mount above its path', create((round) => `r${round}/x`), move((round) => `r${round}`)],
  ['a mount and a namespace', create((round) => `r${round}/x`), namespace],
  ['a moved mount and a namespace', move((round) => `r${round}/x`), namespace],
  ['two moves of one mount', move((round) => `r${round}`), move((round) => `s${round}`)],
]

describe.each(Object.entries(PAIRS))('concurrent changes of mounts in %s', (_, open) => {
  it.each(RIVALS)('let exactly one of two conflicting calls succeed: %s', async (_, firstAct, secondAct) => {
    const [a, b] = await open()
    for (let round = 0; round < ROUNDS; round++) {
      await a.mounts.createMount({ path: `from${round}`, type: 'kv' })
      await turns(20)
      const begun = firstAct(a, round)
      await turns(round % 7)
      const outcomes = await Promise.allSettled([begun, secondAct(b, round)])
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      const [lost] = outcomes.filter((outcome) => outcome.status === 'rejected')
      expect(lost?.reason).toMatchObject({ name: 'KernelError', status: 400 })
    }
    await Promise.all([a.close(), b.close()])
  })

  it('leave one empty mount if two removals of a mount are followed by its creation', async () => {
    const [a, b] = await open()
    await a.mounts.createMount({ path: 'again', type: 'kv' })
    await a.kv.at('again').writeSecret({ path: 'x', data: { v: 1 } })
    await turns(20)
    await Promise.all([a.mounts.deleteMount({ path: 'again' }), b.mounts.deleteMount({ path: 'again' })])
    await b.mounts.createMount({ path: 'again', type: 'kv' })
    await turns(20)
    await expect(b.kv.at('again').readSecret({ path: 'x' })).rejects.toMatchObject({ status: 404 })
    await Promise.all([a.close(), b.close()])
  })
})

describe('writes concurrent with the removal of their mount', () => {
  it.each(Object.keys(PAIRS).slice(0, 2))(
    'succeed or fail with 404, and leave no records after the purge, in %s',
    async (which) => {
      const inner = memoryStorage({ maxOps: 128 })
      const kernel = await openOn(which === 'one kernel' ? inner : late(inner))
      for (let round = 0; round < ROUNDS; round++) await race(kernel, kernel, inner, round)
      await kernel.close()
    },
  )

  it('succeed or fail with 404, and leave no records after the purge, in two kernels with a delayed watch', async () => {
    const inner = memoryStorage({ maxOps: 128 })
    const [a, b] = [await openOn(late(inner)), await openOn(late(inner))]
    for (let round = 0; round < ROUNDS; round++) await race(a, b, inner, round)
    await Promise.all([a.close(), b.close()])
  })

  async function race(writer: Kernel, remover: Kernel, storage: Storage, round: number): Promise<void> {
    const path = `w${round}`
    await writer.mounts.createMount({ path, type: 'kv' })
    const { uuid } = await writer.mounts.readMount({ path })
    const kv = writer.kv.at(path)
    const write = async (index: number) => {
      await turns(index)
      return kv.writeSecret({ path: `s${index}`, data: { index } })
    }
    const writes = Promise.allSettled(Array.from({ length: 30 }, (_, index) => write(index)))
    await turns(round % 20)
    await remover.mounts.deleteMount({ path })
    for (const outcome of await writes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ name: 'KernelError', status: 404 })
    await expect(kv.writeSecret({ path: 'late', data: { v: 1 } })).rejects.toMatchObject({ status: 404 })
    for (let ticks = 0; (await keysOf(storage, uuid)).length > 0; ticks++) {
      expect(ticks).toBeLessThan(5)
      expect((await remover.tick()).failed).toEqual([])
    }
  }
})

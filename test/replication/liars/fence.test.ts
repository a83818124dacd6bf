/** A value in the fence register that no cluster of the set can have put there stops writes, and ends no epoch. */
import { afterEach, describe, expect, it } from 'vitest'
import { KINDS } from '../failovers/kinds.ts'
import { LiarSet } from './set.ts'

let set: LiarSet | undefined

afterEach(() => set?.close())

const TERM = { holder: 'f'.repeat(32), nonce: 'f'.repeat(16), index: 1 }

const BOGUS: readonly string[] = [
  ...[1002, 2 ** 32, 2 ** 53 - 1, 2 ** 53, -1, 1.5, 1e300].map((epoch) => JSON.stringify({ ...TERM, epoch })),
  ...[-1, 2 ** 53, 0.5].map((index) => JSON.stringify({ ...TERM, epoch: 2, index })),
  JSON.stringify({ ...TERM, epoch: '2' }),
  'null',
  '',
  'x'.repeat(5000),
]

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('%s replication', (_name, kind) => {
  it('stops the writes of a primary while the fence register has an invalid value', async () => {
    const values = new Map<string, string>()
    const fence = {
      read: async (name: string) => values.get(name),
      swap: async (name: string, from: string | undefined, to: string) => values.get(name) === from && !!values.set(name, to),
    }
    set = await LiarSet.make(kind, { replication: { fence } })
    const { primary } = set
    const { writeLease } = set.center(primary)
    const [name, own] = [...values].find(([one]) => one.startsWith(kind.name)) ?? ['', '']
    expect(own).not.toBe('')
    for (const text of BOGUS) {
      values.set(name, text)
      writeLease?.forget()
      await expect(primary.kernel.kv.writeSecret({ path: 'refused', data: { a: 1 } }), text.slice(0, 100)).rejects.toMatchObject({
        status: 503,
      })
      expect(await set.epochOf(primary)).toBe(1)
    }
    values.set(name, own)
    writeLease?.forget()
    await set.expectUnmoved(1)
  })
})

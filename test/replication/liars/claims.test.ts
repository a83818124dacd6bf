/** A lying secondary does not prevent the promotion of an honest one after the primary was demoted. */
import { afterEach, describe, expect, it } from 'vitest'
import { lastOf } from '../../../src/sys/replication/state/history.ts'
import { plainHistory } from '../../../src/sys/replication/wire/read-messages.ts'
import { KINDS, PERFORMANCE, ticked } from '../failovers/kinds.ts'
import { LiarSet, modeOf } from './set.ts'

let set: LiarSet | undefined

afterEach(() => set?.close())

const WRONG: readonly unknown[] = [0, 1, -1, 2 ** 53 - 1, 2 ** 53, Number.NaN, '1', null, undefined]

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('%s replication', (_name, kind) => {
  it('ignores epochs and claims with a wrong index that a lying secondary sends to a demoted primary', async () => {
    set = await LiarSet.make(kind)
    const { primary, honest } = set
    await kind.of(primary.kernel).demotePrimary()
    await ticked(primary.kernel)
    const history = plainHistory(await set.history(primary))
    const begun = { epoch: 2, origin: 'f'.repeat(32), start: 3, proof: { by: 'honest', mac: 'f'.repeat(64) } }
    await set.exchangeMessage(await set.greeting({ history: [...history, begun], max_epoch: 2 ** 53 - 1 }))
    const { relation } = await set.center(primary).membership.member()
    expect(relation.max_epoch).toBe(1)
    for (const epoch of WRONG)
      for (const index of WRONG) expect(await set.exchangeMessage({ kind: 'claim', epoch, index })).toHaveProperty('refused')
    await kind.of(honest.kernel).promote()
    expect(await modeOf(kind, honest.kernel)).toBe('primary')
    expect(lastOf(await set.history(honest)).epoch).toBe(2)
  })
})

describe('performance replication with a path filter', () => {
  it('gives no promotion certificate to a secondary with a path filter', async () => {
    set = await LiarSet.make(PERFORMANCE)
    const { primary, liar, honest } = set
    await primary.kernel.replication.writePathsFilter({ id: 'liar', mode: 'deny', paths: ['secret/'] })
    await ticked(liar.kernel)
    await primary.kernel.replication.demotePrimary()
    await ticked(primary.kernel)
    const { certificate } = (await set.center(primary).membership.member()).relation
    const claim = { kind: 'claim', epoch: certificate?.epoch, index: certificate?.index }
    expect(await set.exchangeMessage(claim)).toMatchObject({ refused: 'ERR_INVALID_REQUEST' })
    await honest.kernel.replication.promote()
    expect(await modeOf(PERFORMANCE, honest.kernel)).toBe('primary')
  })
})

/** Assertions of a single secondary about epochs do not end its primary's epoch. A promotion that another member proves does. */
import { afterEach, describe, expect, it } from 'vitest'
import { publicKeyFromHex } from '../../../src/sys/replication/link.ts'
import { epochMac, sharedEpochKey } from '../../../src/sys/replication/state/epoch-proof.ts'
import type { Epoch } from '../../../src/sys/replication/state/history.ts'
import { plainHistory } from '../../../src/sys/replication/wire/read-messages.ts'
import { KINDS, ticked, tokenOf } from '../failovers/kinds.ts'
import type { Site } from '../failovers/sites.ts'
import { LiarSet, type Message, modeOf } from './set.ts'

const open = new Set<LiarSet>()

afterEach(async () => {
  for (const set of open) await set.close()
  open.clear()
})

const made = async (...args: Parameters<typeof LiarSet.make>): Promise<LiarSet> => {
  const set = await LiarSet.make(...args)
  open.add(set)
  return set
}

const origin = 'f'.repeat(32)

const EPOCHS: readonly number[] = [2, 3, 1001, 1002, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 2, 2 ** 53 - 1, 2 ** 53, 1e300]

const NO_EPOCHS: readonly unknown[] = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '2', null, undefined, [], {}]

const PROOFS: readonly object[] = [
  {},
  { proof: null },
  { proof: 'a' },
  { proof: { by: '', mac: 'f'.repeat(64) } },
  { proof: { by: 'liar', mac: 'f'.repeat(64) } },
  { proof: { by: 'honest', mac: '0'.repeat(64) } },
  { proof: { by: 'honest', mac: '' } },
  { proof: { by: '__proto__', mac: 'f'.repeat(64) } },
]

/** Greetings with false members about epochs, for the given history of the primary. */
function* assertions(history: readonly object[]): Generator<Message> {
  for (const epoch of [...EPOCHS, ...NO_EPOCHS]) {
    const begun = { epoch, origin, start: 3 }
    yield { max_epoch: epoch }
    yield { history: [begun] }
    yield { history: [...history, { ...begun, rebase: true, start: 2 ** 53 - 1 }] }
  }
  for (const epoch of EPOCHS)
    for (const proof of PROOFS) yield { history: [...history, { epoch, origin, start: 3, ...proof }], max_epoch: epoch }
  for (const bad of [[], [null], 'history', {}, null, undefined]) yield { history: bad, max_epoch: 2 ** 53 - 1 }
}

/** An epoch after those of the primary, with the proof that a cluster can create with its own keys. */
async function provenBy(set: LiarSet, site: Site, by: string, replaced: Partial<Epoch> = {}): Promise<Epoch> {
  const { host, membership } = set.center(site)
  const { relation, keys } = await membership.member()
  const epoch = { epoch: 2, origin, start: 3, ...replaced }
  const key = sharedEpochKey(host.env.crypto, keys.identity, publicKeyFromHex(relation.upstream?.key ?? ''))
  if (!key) throw new Error('no key')
  const mac = epochMac(host.env.crypto, key, { kind: host.kind.name, set: relation.set }, epoch)
  return { ...epoch, proof: { by, mac } }
}

/** Proofs in its own name and in another one. */
async function expectOwnKeysProveNothing(set: LiarSet, history: readonly object[]): Promise<void> {
  for (const by of ['liar', 'honest', '', 'nobody']) {
    const begun = await provenBy(set, set.liar, by)
    expect(await set.exchangeMessage(await set.greeting({ history: [...history, begun] }))).toMatchObject({ mode: 'primary' })
  }
}

async function expectProofIsOfOneEpoch(set: LiarSet, history: readonly object[]): Promise<void> {
  const genuine = await provenBy(set, set.honest, 'honest')
  const others: readonly Partial<Epoch>[] = [{ epoch: 3 }, { origin: 'e'.repeat(32) }, { start: 4 }, { rebase: true }]
  for (const partial of others)
    expect(await set.exchangeMessage(await set.greeting({ history: [...history, { ...genuine, ...partial }] }))).toMatchObject({
      mode: 'primary',
    })
  const far = await provenBy(set, set.honest, 'honest', { epoch: 1002 })
  expect(await set.exchangeMessage(await set.greeting({ history: [...history, far] }))).toHaveProperty('refused')
  expect(await set.exchangeMessage(await set.greeting({ history: [far] }))).toMatchObject({ mode: 'primary' })
}

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('%s replication', (_name, kind) => {
  it('keeps the epoch of a primary whatever a lying secondary asserts', async () => {
    const set = await made(kind)
    const history = await set.history(set.primary)
    for (const assertion of assertions(history)) {
      const answer = await set.exchangeMessage(await set.greeting(assertion))
      expect(answer, JSON.stringify(assertion)).not.toMatchObject({ why: 'it failed' })
    }
    await set.expectUnmoved(1)
    await expectOwnKeysProveNothing(set, plainHistory(history))
    await expectProofIsOfOneEpoch(set, plainHistory(history))
    await set.expectUnmoved(1)
    await set.expectFailover(1)
  })

  it('demotes a former primary when a member that follows the new primary connects to it', async () => {
    const set = await made(kind)
    const { primary, liar, honest } = set
    await kind.of(honest.kernel).promote({ force: true })
    await kind.of(liar.kernel).updatePrimary({ token: await tokenOf(kind, honest.kernel, 'follower') })
    await ticked(liar.kernel)
    expect(await modeOf(kind, primary.kernel)).toBe('primary')
    await kind.of(liar.kernel).updatePrimary({ token: await tokenOf(kind, primary.kernel, 'by-mistake') })
    expect(await modeOf(kind, primary.kernel)).toBe('secondary')
  })

  it('demotes a former primary even if the promoted secondary had followed another primary in between', async () => {
    const set = await made(kind)
    const { primary, liar, honest } = set
    const second = await set.sites.open()
    await set.enable(second, primary, 'second')
    await kind.of(second.kernel).promote({ force: true })
    // It has received nothing from its new primary when it is promoted.
    await kind.of(honest.kernel).updatePrimary({ token: await tokenOf(kind, second.kernel, 'honest-there') })
    await kind.of(honest.kernel).promote({ force: true })
    const shown = plainHistory(await set.history(honest))
    expect(await set.exchangeMessage(await set.greeting({ history: shown }))).toMatchObject({ mode: 'secondary' })
    expect(await modeOf(kind, primary.kernel)).toBe('secondary')
    expect(await modeOf(kind, liar.kernel)).toBe('secondary')
  })

  it('counts as lost the writes that a cluster made after a forced promotion, once it follows the former primary again', async () => {
    const set = await made(kind)
    const { primary, honest } = set
    await kind.of(honest.kernel).promote({ force: true })
    await kind.of(primary.kernel).revokeSecondary({ id: 'honest' })
    await honest.kernel.kv.writeSecret({ path: 'given-up', data: { a: 1 } })
    await kind.of(honest.kernel).demotePrimary()
    await kind.of(honest.kernel).updatePrimary({ token: await tokenOf(kind, primary.kernel, 'back') })
    // A revoked secondary proves nothing.
    await set.expectUnmoved(1)
    expect((await kind.of(honest.kernel).readStatus()).lost_writes).toBeGreaterThan(0)
    await kind.of(honest.kernel).promote({ force: true })
    expect(await set.epochOf(honest)).toBe(3)
  })
})

/** Any message of a secondary is answered or refused, and neither shows nor changes hidden data. */
import { beforeAll, expect, it } from 'vitest'
import { PrimaryRefusedError } from '../../../src/sys/replication/link.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { hostileMessages } from './hostile-messages.ts'
import { type Cluster, contentOf, exchangeMessage, HIDDEN, hidingPair, mountOf, refusalIn, type Sent } from './world.ts'

let primary: Cluster
let secondary: Cluster

beforeAll(async () => {
  ;({ primary, secondary } = await hidingPair())
}, 60_000)

const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

/** Records that the secondary must not change. */
async function hiddenContent(): Promise<string> {
  const { topology } = primary.internals
  const uuids = [topology.namespaces.byPath(`${HIDDEN}-space/`)?.uuid, mountOf(primary, 'here/').record.uuid]
  for (const { record } of topology.mounts.of(topology.namespaces.byPath('') as never))
    if (record.path.includes(HIDDEN)) uuids.push(record.uuid)
  const content = await contentOf(primary)
  return content
    .split('\n')
    .filter((line) => /core\/(?:token|accessor|cubbyhole)\//.test(line) || uuids.some((uuid) => uuid && line.includes(uuid)))
    .join('\n')
}

async function answerTo(message: Sent): Promise<unknown> {
  try {
    return await exchangeMessage(secondary, message)
  } catch (error) {
    if (!(error instanceof PrimaryRefusedError)) throw error
    expect([error.code, error.message, message]).not.toEqual(['ERR_UNAVAILABLE', 'it failed', message])
    return { refused: { code: error.code, message: error.message } }
  }
}

it('a primary answers or refuses any hostile message of a secondary, and neither returns nor changes hidden data', async () => {
  const before = await hiddenContent()
  let written = 0
  await fc.assert(
    fc.asyncProperty(hostileMessages(primary), async (message) => {
      const answer = await answerTo(message)
      const refusal = refusalIn(answer as Sent)
      if (refusal) expect(refusal.code, refusal.message).not.toMatch(/ERR_(?:INTERNAL|UNAVAILABLE|UPSTREAM)/)
      else written++
      const sent = JSON.stringify(message, plain)
      if (!sent?.includes(HIDDEN)) expect(JSON.stringify(answer, plain)).not.toContain(HIDDEN)
    }),
    { numRuns: runs({ quick: 250, slow: 2000, soak: 100_000 }), endOnFailure: true },
  )
  expect(written).toBeGreaterThan(5)
  expect(await hiddenContent()).toBe(before)
}, 3_600_000)

/**
 * Writes, deletions, associations, failures and ticks of two kernels in any order: external store, associations and live versions must
 * agree at the end.
 */
import { afterEach, expect, it, vi } from 'vitest'
import type { Tx } from '../../src/core/contract/tx.ts'
import { readAssociationId, SYNC_ASSOCIATION, SYNC_OUTBOX, secretId } from '../../src/sys/sync/records.ts'
import { SYNC_EFFECT } from '../../src/sys/sync/work/effect.ts'
import type { TurnOutcome } from '../../src/sys/sync/work/outcome.ts'
import { type Act, agreeAfterWalks, walk } from './sync-model.ts'

it('the external store, the associations and the live versions of secrets agree after random sequences of operations', () =>
  agreeAfterWalks(20))

/** The outcome as if its turn had read the newest change, so that no turn is superseded. */
function asNewest(tx: Tx, id: string, outcome: TurnOutcome | undefined): TurnOutcome | undefined {
  const { destination: _, ...secret } = readAssociationId(id)
  const seq = tx.get(SYNC_ASSOCIATION, id)?.seq
  return outcome && { ...outcome, seq: seq ?? outcome.seq, changes: tx.get(SYNC_OUTBOX, secretId(secret))?.seq ?? 0 }
}

/** Removes the check of the sequence number. */
function withoutCheck(): void {
  const { finish } = SYNC_EFFECT
  vi.spyOn(SYNC_EFFECT, 'finish').mockImplementation((tx, turn, outcome) => finish(tx, turn, asNewest(tx, turn.id, outcome)))
}

afterEach(() => {
  vi.restoreAllMocks()
})

const one = { path: 'x', by: 0 } as const

/** A removal or a change during a push. */
const MEANWHILE: Readonly<Record<string, readonly Act[]>> = {
  'a removal': [
    { do: 'write', ...one },
    { do: 'hold' },
    { do: 'set', ...one },
    { do: 'remove', path: 'x', by: 1 },
    { do: 'release' },
  ],
  'a reported change': [
    { do: 'write', ...one },
    { do: 'hold' },
    { do: 'set', ...one },
    { do: 'write', path: 'x', by: 1 },
    { do: 'tick', by: 1 },
    { do: 'release' },
  ],
}

it.each(Object.entries(MEANWHILE))(
  'secret sync without the check of the sequence number loses %s that happens during a push',
  async (_, acts) => {
    await walk(acts)
    withoutCheck()
    await expect(walk(acts)).rejects.toThrow()
  },
)

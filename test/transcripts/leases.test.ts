/**
 * Leases beside a live original. The two files that need a database belong to the engine for databases.
 */
import { describe, expect, it } from 'vitest'
import { createDevKernel } from '../../src/index.ts'
import { movingClock } from '../fixtures/moving-clock.ts'
import { ALL_STORES } from '../fixtures/stores.ts'
import { loadTranscripts, replayOn, transcriptsPresent } from './harness.ts'

const NEEDS_DATABASE = ['last-use.json', 'owner.json']

describe.skipIf(!transcriptsPresent)('leases of a live original (skipped: the folder shared/transcripts is absent)', async () => {
  const all = transcriptsPresent ? await loadTranscripts('leases') : []
  const wanted = all.filter(({ file }) => !NEEDS_DATABASE.includes(file))

  it('are all there', () => {
    expect(wanted.length).toBeGreaterThan(3)
  })

  describe.each(ALL_STORES)('on $name', (store) => {
    it.each(wanted.map((transcript) => [transcript.file, transcript] as const))('%s', async (_, transcript) => {
      const { storage, drop } = await store.open()
      const clock = movingClock()
      const kernel = await createDevKernel({
        naming: { ciphertext_prefix: 'vault', header_prefix: 'X-Vault' },
        storage,
        clock,
      })
      const wait = async (seconds: number) => {
        clock.advance(seconds * 1000)
        await kernel.tick()
      }
      try {
        const results = await replayOn(kernel, transcript, { wait })
        expect(results.filter(({ ok }) => !ok).map(({ step, request, problems }) => ({ step, request, problems }))).toEqual([])
      } finally {
        await kernel.close()
        await drop()
      }
    })
  })
})

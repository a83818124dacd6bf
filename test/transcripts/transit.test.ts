/**
 * The encryption engine beside a live original.
 */
import { describe, expect, it } from 'vitest'
import { createDevKernel } from '../../src/index.ts'
import { ALL_STORES } from '../fixtures/stores.ts'
import { loadTranscripts, replayOn, transcriptsPresent } from './harness.ts'
import { replayedOn } from './replayed-on.ts'

const NAMING = { ciphertext_prefix: 'vault', header_prefix: 'X-Vault' }

describe.skipIf(!transcriptsPresent)(
  'transcripts of a live original (skipped: the folder shared/transcripts is absent)',
  async () => {
    const all = transcriptsPresent ? await loadTranscripts('transit') : []

    it('are all there', () => {
      expect(all.length).toBeGreaterThan(60)
    })

    describe.each(ALL_STORES)('on $name', (store) => {
      it.each(replayedOn(store, all).map((transcript) => [transcript.file, transcript] as const))('%s', async (_, transcript) => {
        const { storage, drop } = await store.open()
        const kernel = await createDevKernel({ naming: NAMING, storage })
        try {
          const results = await replayOn(kernel, transcript, {})
          expect(results.filter(({ ok }) => !ok).map(({ step, request, problems }) => ({ step, request, problems }))).toEqual([])
          for (const { passes, problems } of results.filter(({ skipped }) => skipped)) {
            expect(passes).toBe(false)
            // The ciphertext alone differs.
            expect(problems).toEqual([expect.stringContaining('/data/ciphertext is ')])
          }
        } finally {
          await kernel.close()
          await drop()
        }
      })
    })
  },
)

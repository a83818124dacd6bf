/** Password policies beside a live original. */
import { describe, expect, it } from 'vitest'
import { createDevKernel } from '../../src/index.ts'
import { MEMORY, SMALL_COMMITS } from '../fixtures/stores.ts'
import { loadTranscripts, replayOn, transcriptsPresent } from './harness.ts'

const NAMING = { ciphertext_prefix: 'vault', header_prefix: 'X-Vault' }

describe.skipIf(!transcriptsPresent)(
  'transcripts of a live original (skipped: the folder shared/transcripts is absent)',
  async () => {
    const all = transcriptsPresent ? await loadTranscripts('passwords') : []

    it('has them', () => {
      expect(all.length).toBe(2)
    })

    describe.each([MEMORY, SMALL_COMMITS])('on $name', (store) => {
      it.each(all.map((transcript) => [transcript.file, transcript] as const))('%s', async (_file, transcript) => {
        const { storage, drop } = await store.open()
        const kernel = await createDevKernel({ naming: NAMING, storage })
        try {
          const results = await replayOn(kernel, transcript, {})
          expect(results.filter(({ ok }) => !ok).map(({ step, request, problems }) => ({ step, request, problems }))).toEqual([])
        } finally {
          await kernel.close()
          await drop()
        }
      })
    })
  },
)

/**
 * The encryption engine beside a live original. What is left out is named with the part of the engine that brings it; a step that is left
 * out and passes fails the test, so the list can only shrink.
 */
import { describe, expect, it } from 'vitest'
import { createDevKernel } from '../../src/index.ts'
import { ALL_STORES } from '../fixtures/stores.ts'
import { loadTranscripts, replayOn, transcriptsPresent } from './harness.ts'
import { LATER_FILES, LATER_STEPS } from './transit-later.ts'

const NAMING = { ciphertext_prefix: 'vault', header_prefix: 'X-Vault' }

describe.skipIf(!transcriptsPresent)(
  'transcripts of a live original (skipped: the folder shared/transcripts is absent)',
  async () => {
    const all = transcriptsPresent ? await loadTranscripts('transit') : []
    const wanted = all.filter(({ file }) => !(file.replace('.json', '') in LATER_FILES))

    it('covers every file of the part that is built', () => {
      expect(wanted.length).toBeGreaterThan(60)
    })

    describe.each(ALL_STORES)('on $name', (store) => {
      it.each(wanted.map((transcript) => [transcript.file, transcript] as const))('%s', async (file, transcript) => {
        const skip = LATER_STEPS[file.replace('.json', '')] ?? {}
        const { storage, drop } = await store.open()
        const kernel = await createDevKernel({ naming: NAMING, storage })
        try {
          const results = await replayOn(kernel, transcript, { mounts: { crypt: 'transit' }, skip })
          expect(results.filter(({ ok }) => !ok).map(({ step, request, problems }) => ({ step, request, problems }))).toEqual([])
          expect(results.filter(({ skipped, passes }) => skipped !== undefined && passes).map(({ step }) => step)).toEqual([])
        } finally {
          await kernel.close()
          await drop()
        }
      })
    })
  },
)

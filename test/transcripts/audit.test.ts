/** Audit beside a live original: what its requests answer where the application gave no sink factory. */
import { describe, expect, it } from 'vitest'
import { createDevKernel } from '../../src/index.ts'
import { loadTranscripts, replayOn, transcriptsPresent } from './harness.ts'

const NAMING = { ciphertext_prefix: 'vault', header_prefix: 'X-Vault' }

describe.skipIf(!transcriptsPresent)('audit (skipped: the folder shared/transcripts is absent)', async () => {
  const all = transcriptsPresent ? await loadTranscripts('audit') : []

  it('is there to be replayed', () => {
    expect(all.length).toBeGreaterThanOrEqual(2)
  })

  it.each(all.map((transcript) => [transcript.title, transcript] as const))('%s', async (_, transcript) => {
    const kernel = await createDevKernel({ naming: NAMING })
    try {
      const results = await replayOn(kernel, transcript, {})
      expect(results.filter(({ ok }) => !ok).map(({ step, request, problems }) => ({ step, request, problems }))).toEqual([])
    } finally {
      await kernel.close()
    }
  })
})

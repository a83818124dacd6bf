/**
 * Mounts beside a live original. Steps that wait are named with what brings them; one that waits and passes fails the test.
 */
import { describe, expect, it } from 'vitest'
import { createDevKernel } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { loadTranscripts, replayOn, transcriptsPresent } from './harness.ts'

const METHOD = 'kubernetes: the orchestrator method'
const KV2 = 'version 2 of the key/value engine'

const steps = (reason: string, ...numbers: readonly number[]) => Object.fromEntries(numbers.map((number) => [number, reason]))

const LATER: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'mounts-refusals': {},
  'mounts-tune': {},
  remount: steps(METHOD, 3, 25, 27, 28),
  'ui-mounts': steps(METHOD, 3, 6, 8),
  'auth-mounts': steps(METHOD, 0, 1, 2, 3, 4, 5, 6, 7, 26, 27),
  envelope: {},
  mounts: steps(KV2, 2, 3, 4, 5, 12),
}

describe.skipIf(!transcriptsPresent)('mounts of a live original (skipped: the folder shared/transcripts is absent)', async () => {
  const all = transcriptsPresent ? await loadTranscripts('core') : []
  const wanted = all.filter(({ file }) => file.replace('.json', '') in LATER)

  it.each(wanted.map((transcript) => [transcript.file, transcript] as const))('%s', async (file, transcript) => {
    const clock = fakeClock()
    const kernel = await createDevKernel({ naming: { ciphertext_prefix: 'vault', header_prefix: 'X-Vault' }, clock })
    try {
      const wait = async (seconds: number) => {
        await clock.advance(seconds * 1000)
        await kernel.tick()
      }
      const results = await replayOn(kernel, transcript, { wait, skip: LATER[file.replace('.json', '')] })
      expect(results.filter(({ ok }) => !ok).map(({ step, request, problems }) => ({ step, request, problems }))).toEqual([])
      expect(results.filter(({ skipped, passes }) => skipped !== undefined && passes).map(({ step }) => step)).toEqual([])
    } finally {
      await kernel.close()
    }
  })
})

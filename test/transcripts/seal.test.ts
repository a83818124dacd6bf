/**
 * Initialising, unsealing, sealing, rekeying and rotating beside a live original. Each file is replayed on a store of its own; what is left out is named
 * with the part that brings it, and a step that is left out and passes fails the test, so the list can only shrink.
 */
import { describe, expect, it } from 'vitest'
import { openpgp } from '../../src/adapters/pgp-openpgp/index.ts'
import { createKernel, keySeal, memoryStorage, shamirSeal } from '../../src/index.ts'
import { movingClock } from '../fixtures/moving-clock.ts'
import { loadTranscripts, replayOn, type Transcript, transcriptsPresent } from './harness.ts'

const ROTATION = 'rotation of the barrier key'

const LATER: Readonly<Record<string, string>> = {
  'rotate-config': ROTATION,
  rotate: ROTATION,
  'through-sealing': ROTATION,
}
const LATER_STEPS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  namespaces: { 12: ROTATION, 13: ROTATION, 14: ROTATION, 21: ROTATION },
  'rotate-root-refusals': { 21: ROTATION, 54: ROTATION },
  'rotate-root': { 35: ROTATION },
}

interface SealTranscript extends Transcript {
  readonly server: 'dev' | 'shamir' | 'auto'
  readonly options?: { readonly listener?: string }
}

const nameOf = ({ file }: Transcript) => file.replace('.json', '')

async function wanted(): Promise<readonly (readonly [string, SealTranscript])[]> {
  if (!transcriptsPresent) return []
  const all = (await loadTranscripts('seal')) as readonly SealTranscript[]
  return all.map((transcript) => [nameOf(transcript), transcript] as const).filter(([name]) => !(name in LATER))
}

const isOn = ({ options }: SealTranscript, endpoints: string): boolean =>
  options?.listener?.includes(`disable_unauthed_${endpoints}_endpoints = false`) ?? false

describe.skipIf(!transcriptsPresent)(
  'transcripts of a live original (skipped: the folder shared/transcripts is absent)',
  async () => {
    const all = await wanted()

    it.each(all)('%s', async (name, transcript) => {
      const clock = movingClock()
      const kernel = await createKernel({
        storage: memoryStorage(),
        seal: transcript.server === 'shamir' ? shamirSeal() : keySeal(new Uint8Array(32).fill(7)),
        initialize: transcript.server === 'dev',
        naming: { ciphertext_prefix: 'vault', header_prefix: 'X-Vault' },
        ports: { pgp: openpgp() },
        clock,
        unauthenticated: { rekey: isOn(transcript, 'rekey'), generate_root: isOn(transcript, 'generate_root') },
      })
      const wait = async (seconds: number) => {
        clock.advance(seconds * 1000)
        if (kernel.seal.state === 'open') await kernel.tick()
      }
      try {
        const results = await replayOn(kernel, transcript, { skip: LATER_STEPS[name] ?? {}, wait })
        expect(results.filter(({ ok }) => !ok).map(({ step, request, problems }) => ({ step, request, problems }))).toEqual([])
        expect(results.filter(({ skipped, passes }) => skipped !== undefined && passes).map(({ step }) => step)).toEqual([])
      } finally {
        await kernel.close()
      }
    })
  },
)

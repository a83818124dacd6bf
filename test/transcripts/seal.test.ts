/**
 * Initialising, unsealing, sealing, rekeying and rotating beside a live original. Each file is replayed on a store of its own.
 */
import { describe, expect, it } from 'vitest'
import { openpgp } from '../../src/adapters/pgp-openpgp/index.ts'
import { createKernel, keySeal, memoryStorage, shamirSeal } from '../../src/index.ts'
import { movingClock } from '../fixtures/moving-clock.ts'
import { loadTranscripts, replayOn, type Transcript, transcriptsPresent } from './harness.ts'

interface SealTranscript extends Transcript {
  readonly options?: { readonly listener?: string }
}

const nameOf = ({ file }: Transcript) => file.replace('.json', '')

async function wanted(): Promise<readonly (readonly [string, SealTranscript])[]> {
  if (!transcriptsPresent) return []
  const areas = await Promise.all([loadTranscripts('seal'), loadTranscripts('core')])
  const all = areas.flat() as readonly SealTranscript[]
  const sealed = all.filter((transcript) => areas[0].includes(transcript) || transcript.server !== 'dev')
  return sealed.map((transcript) => [nameOf(transcript), transcript] as const)
}

const isOn = ({ options }: SealTranscript, endpoints: string): boolean =>
  options?.listener?.includes(`disable_unauthed_${endpoints}_endpoints = false`) ?? false

describe.skipIf(!transcriptsPresent)(
  'transcripts of a live original (skipped: the folder shared/transcripts is absent)',
  async () => {
    const all = await wanted()

    it.each(all)('%s', async (_, transcript) => {
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
        const results = await replayOn(kernel, transcript, { wait })
        expect(results.filter(({ ok }) => !ok).map(({ step, request, problems }) => ({ step, request, problems }))).toEqual([])
      } finally {
        await kernel.close()
      }
    })
  },
)

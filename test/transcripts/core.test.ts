/**
 * Tokens, policies, mounts, namespaces, secrets, leases, wrapping and passwords beside a live original. Files that ask for a PostgreSQL are replayed with the
 * engine for databases.
 */
import { describe, expect, it } from 'vitest'
import { createDevKernel } from '../../src/index.ts'
import { movingClock } from '../fixtures/moving-clock.ts'
import { ALL_STORES } from '../fixtures/stores.ts'
import { loadTranscripts, needsDatabase, replayOn, type Transcript, transcriptsPresent } from './harness.ts'
import { replayedOn } from './replayed-on.ts'

const NAMING = { ciphertext_prefix: 'vault', header_prefix: 'X-Vault' }

const nameOf = (area: string, { file }: Transcript) => `${area}/${file.replace('.json', '')}`

const AREAS = ['core', 'kv', 'leases', 'wrapping', 'passwords']

async function wanted(): Promise<readonly (readonly [string, Transcript])[]> {
  if (!transcriptsPresent) return []
  const all = await Promise.all(
    AREAS.map(async (area) => (await loadTranscripts(area)).map((transcript) => [nameOf(area, transcript), transcript] as const)),
  )
  return all.flat().filter(([, transcript]) => transcript.server === 'dev' && !needsDatabase(transcript))
}

describe.skipIf(!transcriptsPresent)(
  'transcripts of a live original (skipped: the folder shared/transcripts is absent)',
  async () => {
    const all = await wanted()

    it('covers every file of the part that is built', () => {
      expect(all.length).toBeGreaterThan(75)
    })

    describe.each(ALL_STORES)('on $name', (store) => {
      it.each(replayedOn(store, all))('%s', async (_, transcript) => {
        const { storage, drop } = await store.open()
        const clock = movingClock()
        const kernel = await createDevKernel({ naming: NAMING, storage, clock })
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
  },
)

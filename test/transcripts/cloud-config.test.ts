/** Configuration and roles of the cloud engine beside a live original, as far as AWS is asked nothing. */
import { describe, expect, it } from 'vitest'
import { type CloudProvider, createDevKernel } from '../../src/index.ts'
import { movingClock } from '../fixtures/moving-clock.ts'
import { ALL_STORES } from '../fixtures/stores.ts'
import { loadTranscripts, replayOn, type Transcript, transcriptsPresent } from './harness.ts'

const NAMING = { ciphertext_prefix: 'vault', header_prefix: 'X-Vault' }

const FILES = [
  'access',
  'config-lease',
  'config-root',
  'config-root-input',
  'roles',
  'roles-input',
  'roles-legacy',
  'roles-refusals',
  'roles-values',
]

const wanted = async (): Promise<readonly (readonly [string, Transcript])[]> =>
  transcriptsPresent
    ? (await loadTranscripts('cloud'))
        .map((transcript) => [transcript.file.replace('.json', ''), transcript] as const)
        .filter(([name]) => FILES.includes(name))
    : []

/** Has no credentials of its own, and is asked nothing. */
const DEAF: CloudProvider = {
  connect: () => {
    throw new Error('nobody is to be asked anything')
  },
}

describe.skipIf(!transcriptsPresent)(
  'transcripts of a live original (skipped: the folder shared/transcripts is absent)',
  async () => {
    const all = await wanted()

    it('are all there', () => {
      expect(all.map(([name]) => name).sort()).toEqual(FILES)
    })

    describe.each(ALL_STORES)('on $name', (store) => {
      it.each(all)('%s', async (_, transcript) => {
        const { storage, drop } = await store.open()
        const kernel = await createDevKernel({ naming: NAMING, storage, clock: movingClock(), ports: { cloud: DEAF } })
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

/** The orchestrator auth method beside a live original: with the adapter and an API server behind it, and with a port in its place. */
import { describe, expect, it } from 'vitest'
import { kubernetesTokenReviewer } from '../../src/adapters/orchestrator-kubernetes/index.ts'
import { createDevKernel, type TokenReviewer } from '../../src/index.ts'
import { movingClock } from '../fixtures/moving-clock.ts'
import { ALL_STORES } from '../fixtures/stores.ts'
import { reviewerAsApi, startTokenReviewApi } from '../fixtures/token-review-api.ts'
import { loadTranscripts, replayOn, transcriptsPresent } from './harness.ts'

const NAMING = { ciphertext_prefix: 'vault', header_prefix: 'X-Vault' }
/** Nothing listens at port 1. */
const DEAD = 'https://127.0.0.1:1'

interface Side {
  readonly url: string
  readonly tokenReviewer: TokenReviewer
  close(): Promise<void>
}

const SIDES: readonly { readonly title: string; readonly stores: typeof ALL_STORES; start(): Promise<Side> }[] = [
  {
    title: 'with an API server behind the adapter',
    // What is asked does not depend on the store.
    stores: ALL_STORES.slice(0, 1),
    start: async () => {
      const api = await startTokenReviewApi()
      return { url: api.url, tokenReviewer: kubernetesTokenReviewer(), close: () => api.close() }
    },
  },
  {
    title: 'with a port in its place',
    stores: ALL_STORES,
    start: async () => ({
      url: 'https://api.example',
      tokenReviewer: reviewerAsApi('https://api.example'),
      close: async () => {},
    }),
  },
]

describe.skipIf(!transcriptsPresent)(
  'transcripts of a live original (skipped: the folder shared/transcripts is absent)',
  async () => {
    const transcripts = transcriptsPresent ? await loadTranscripts('orchestrator') : []

    it('are all there', () => {
      expect(transcripts.length).toBeGreaterThanOrEqual(17)
    })

    describe.each(SIDES)('$title', ({ stores, start }) => {
      describe.each(stores)('on $name', (store) => {
        it.each(transcripts.map((transcript) => [transcript.file, transcript] as const))('%s', async (_, transcript) => {
          const { storage, drop } = await store.open()
          const side = await start()
          const clock = movingClock()
          const { tokenReviewer } = side
          const kernel = await createDevKernel({ naming: NAMING, storage, clock, ports: { tokenReviewer } })
          const wait = async (seconds: number) => {
            clock.advance(seconds * 1000)
            await kernel.tick()
          }
          try {
            const vars = { root: kernel.rootToken, review_url: side.url, dead_url: DEAD }
            const results = await replayOn(kernel, transcript, { wait, vars })
            expect(results.filter(({ ok }) => !ok).map(({ step, request, problems }) => ({ step, request, problems }))).toEqual(
              [],
            )
          } finally {
            await kernel.close()
            await side.close()
            await drop()
          }
        })
      })
    })
  },
)

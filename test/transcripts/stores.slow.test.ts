/**
 * Replays transcripts without an audit log. Each store gets a part of the transcripts; in the soak tier, every transcript runs on every
 * store.
 */
import { describe, expect, it } from 'vitest'
import { kubernetesTokenReviewer } from '../../src/adapters/orchestrator-kubernetes/index.ts'
import { createDevKernel, type TokenReviewer } from '../../src/index.ts'
import { movingClock } from '../fixtures/moving-clock.ts'
import { ALL_STORES, MEMORY, type Store } from '../fixtures/stores.ts'
import { reviewerAsApi, startTokenReviewApi } from '../fixtures/token-review-api.ts'
import { TIER } from '../tiers.ts'
import { DEAD_URL, REVIEW_URL } from './audited.ts'
import { type CloudTranscripts, CONFIG, CREDENTIALS, loadCloud, replayCloud, replayCloudOverHttp, STATIC_ROLES } from './cloud.ts'
import {
  describeTranscripts,
  expectOtherNonces,
  loadTranscripts,
  NAMING,
  needsDatabase,
  replayOn,
  type Transcript,
} from './harness.ts'

const OTHER_STORES = ALL_STORES.filter((store) => store !== MEMORY)

const inTurn = <T>(store: Store, all: readonly T[]): readonly T[] =>
  TIER === 'soak' ? all : all.filter((_, at) => OTHER_STORES[at % OTHER_STORES.length] === store)

async function replay(transcript: Transcript, store: Store, tokenReviewer: TokenReviewer, review_url: string): Promise<void> {
  const { storage, drop } = await store.open()
  const clock = movingClock()
  const kernel = await createDevKernel({ naming: NAMING, storage, clock, ports: { tokenReviewer } })
  const wait = async (seconds: number) => {
    clock.advance(seconds * 1000)
    await kernel.tick()
  }
  try {
    const results = await replayOn(kernel, transcript, { wait, vars: { root: kernel.rootToken, review_url, dead_url: DEAD_URL } })
    if (transcript.name.startsWith('transit/')) expectOtherNonces(results)
  } finally {
    await kernel.close()
    await drop()
  }
}

describeTranscripts('recorded requests to a kernel on a store other than memory', async () => {
  const all = (await loadTranscripts('core', 'kv', 'leases', 'wrapping', 'passwords', 'transit', 'orchestrator')).filter(
    ([, transcript]) => transcript.server === 'dev' && !needsDatabase(transcript),
  )

  it('are loaded from more than 150 recorded files', () => {
    expect(all.length).toBeGreaterThan(150)
  })

  describe.each(OTHER_STORES)('on the store $name', (store) => {
    it.each(inTurn(store, all))('return the recorded answers: %s', (_, transcript) =>
      replay(transcript, store, reviewerAsApi(REVIEW_URL), REVIEW_URL),
    )
  })
})

describeTranscripts('recorded orchestrator logins with the Kubernetes adapter and an API server', async () => {
  it.each(await loadTranscripts('orchestrator'))('return the recorded answers: %s', async (_, transcript) => {
    await using api = await startTokenReviewApi()
    await replay(transcript, MEMORY, kubernetesTokenReviewer(), api.url)
  })
})

const CLOUD: readonly CloudTranscripts[] = [CONFIG, STATIC_ROLES, CREDENTIALS]

describeTranscripts('recorded cloud requests', async () => {
  const all = await Promise.all(CLOUD.map(loadCloud))
  const named = all.flatMap((files, at) =>
    files.map(([name, transcript]) => [name, transcript, CLOUD[at] as CloudTranscripts] as const),
  )

  describe('with AWS calls over HTTP', () => {
    const withCalls = named.filter(([, , group]) => group !== CONFIG)
    it.each(withCalls)('return the recorded answers: %s', (_, transcript, group) => replayCloudOverHttp(transcript, group))
  })

  describe.each(OTHER_STORES)('on the store $name', (store) => {
    it.each(inTurn(store, named))('return the recorded answers: %s', (_, transcript, group) =>
      replayCloud(transcript, group, { store }),
    )
  })
})

/** Static roles and the rotation of the root configuration's key beside a live original, on a cloud in memory and over HTTP. */
import * as iam from '@aws-sdk/client-iam'
import * as sts from '@aws-sdk/client-sts'
import { describe, expect, it } from 'vitest'
import { awsCloud } from '../../src/adapters/cloud-aws/index.ts'
import { type CloudProvider, createDevKernel } from '../../src/index.ts'
import { fakeCloudProvider } from '../../src/testing/index.ts'
import { startAws } from '../fixtures/aws/server.ts'
import { ROOT, recordedWorld } from '../fixtures/aws/world.ts'
import { type MovingClock, movingClock } from '../fixtures/moving-clock.ts'
import { ALL_STORES, MEMORY, type Store } from '../fixtures/stores.ts'
import { loadTranscripts, replayOn, type Transcript, transcriptsPresent } from './harness.ts'

const NAMING = { ciphertext_prefix: 'vault', header_prefix: 'X-Vault' }

/** As long as the recorded one; the fake reads the path alone. */
const AWS_URL = 'http://127.0.0.1:43147'

const FILES = ['rotate-root', 'rotate-root-failures', 'static-roles', 'static-roles-refusals', 'static-rotation']

const wanted = async (): Promise<readonly (readonly [string, Transcript])[]> =>
  transcriptsPresent
    ? (await loadTranscripts('cloud'))
        .map((transcript) => [transcript.file.replace('.json', ''), transcript] as const)
        .filter(([name]) => FILES.includes(name))
    : []

async function replay(
  transcript: Transcript,
  store: Store,
  clock: MovingClock,
  cloud: CloudProvider,
  aws_url: string,
): Promise<void> {
  const { storage, drop } = await store.open()
  const kernel = await createDevKernel({ naming: NAMING, storage, clock, ports: { cloud } })
  const wait = async (seconds: number) => {
    clock.advance(seconds * 1000)
    await kernel.tick()
  }
  // The recorded one was made by a token, and is called so.
  const root = (await kernel.tokens.createToken({ policies: ['root'] })).client_token
  try {
    const results = await replayOn(kernel, transcript, { wait, vars: { root, aws_url, ...ROOT } })
    expect(results.filter(({ ok }) => !ok).map(({ step, request, problems }) => ({ step, request, problems }))).toEqual([])
  } finally {
    await kernel.close()
    await drop()
  }
}

describe.skipIf(!transcriptsPresent)(
  'transcripts of a live original (skipped: the folder shared/transcripts is absent)',
  async () => {
    const all = await wanted()

    it('are all there', () => {
      expect(all.map(([name]) => name).sort()).toEqual(FILES)
    })

    describe('over HTTP', () => {
      it.each(all)('%s', async (_, transcript) => {
        const clock = movingClock()
        await using server = await startAws(recordedWorld(clock.now))
        await replay(transcript, MEMORY, clock, awsCloud({ iam, sts }), server.url)
      })
    })

    describe.each(ALL_STORES)('on $name', (store) => {
      it.each(all)('%s', async (_, transcript) => {
        const clock = movingClock()
        await replay(transcript, store, clock, fakeCloudProvider(recordedWorld(clock.now)), AWS_URL)
      })
    })
  },
)

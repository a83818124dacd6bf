/** Credentials of the cloud engine beside a live original, on an AWS as the transcripts need it. */
import { describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel, type KernelRequest } from '../../src/index.ts'
import { type FakeCloudProvider, fakeCloudProvider } from '../../src/testing/index.ts'
import { type MovingClock, movingClock } from '../fixtures/moving-clock.ts'
import { MEMORY } from '../fixtures/stores.ts'
import { loadTranscripts, replayOn, type Transcript, transcriptsPresent } from './harness.ts'

const NAMING = { ciphertext_prefix: 'vault', header_prefix: 'X-Vault' }

const FILES = /^(creds-.+|sts-failures|leases)\.json$/

const ROOT = { access_key: 'AKIAROOTROOTROOTROOT', secret_key: 'root/root/root/root/root/root/root/root/' }

const MANAGED = ['ReadOnlyAccess', 'AmazonEC2FullAccess', 'Boundary'].map((name) => `arn:aws:iam::aws:policy/${name}`)

/** Seconds. */
const ROLES = { app: 43_200, two: 43_200, 'team/deep': 43_200, short: 3600 }

/** What `needs.aws` says. */
const asNeeded = (clock: MovingClock): FakeCloudProvider =>
  fakeCloudProvider({ root: ROOT, policies: MANAGED, roles: ROLES, now: clock.now })

/** What a mount leaves behind is cleared away by a tick. */
const caller = (kernel: Kernel) => async (request: KernelRequest) => {
  const answer = await kernel.handle({ ...request, path: `/v1/${request.path}` })
  if (request.method === 'DELETE') await kernel.tick()
  return answer
}

async function wanted(): Promise<readonly (readonly [string, Transcript])[]> {
  if (!transcriptsPresent) return []
  return (await loadTranscripts('cloud'))
    .filter(({ file }) => FILES.test(file))
    .map((each) => [each.file.replace('.json', ''), each])
}

describe.skipIf(!transcriptsPresent)('transcripts of a live original', async () => {
  const all = await wanted()

  it('are all there', () => {
    expect(all.length).toBe(10)
  })

  it.each(all)('%s', async (_, transcript) => {
    const { storage, drop } = await MEMORY.open()
    const clock = movingClock()
    const cloud = asNeeded(clock)
    const kernel = await createDevKernel({ naming: NAMING, storage, clock, ports: { cloud } })
    const wait = async (seconds: number) => {
      clock.advance(seconds * 1000)
      await kernel.tick()
    }
    // The recorded one was made by a token, and is called so.
    const root = (await kernel.tokens.createToken({ policies: ['root'] })).client_token
    const vars = { root, aws_url: cloud.url, ...ROOT }
    try {
      const results = await replayOn(kernel, transcript, { call: caller(kernel), wait, vars })
      expect(results.filter(({ ok }) => !ok).map(({ step, request, problems }) => ({ step, request, problems }))).toEqual([])
    } finally {
      await kernel.close()
      await drop()
    }
  })
})

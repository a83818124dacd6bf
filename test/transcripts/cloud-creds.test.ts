/** Credentials of the cloud engine and their leases beside a live original, on a cloud in memory and over HTTP. */
import * as iam from '@aws-sdk/client-iam'
import * as sts from '@aws-sdk/client-sts'
import { describe, expect, it } from 'vitest'
import { awsCloud } from '../../src/adapters/cloud-aws/index.ts'
import { type CloudProvider, createDevKernel, type Kernel, type KernelRequest } from '../../src/index.ts'
import { type CloudCallRecord, type FakeCloudProvider, fakeCloudProvider } from '../../src/testing/index.ts'
import { startAws } from '../fixtures/aws/server.ts'
import { ROOT, recordedWorld } from '../fixtures/aws/world.ts'
import { type MovingClock, movingClock } from '../fixtures/moving-clock.ts'
import { ALL_STORES, MEMORY, type Store } from '../fixtures/stores.ts'
import { loadTranscripts, replayOn, type Transcript, transcriptsPresent } from './harness.ts'

const NAMING = { ciphertext_prefix: 'vault', header_prefix: 'X-Vault' }

const FILES = /^(creds-.+|sts-failures|leases)\.json$/

async function wanted(): Promise<readonly (readonly [string, Transcript])[]> {
  if (!transcriptsPresent) return []
  return (await loadTranscripts('cloud'))
    .filter(({ file }) => FILES.test(file))
    .map((each) => [each.file.replace('.json', ''), each])
}

type Tell = (calls: readonly CloudCallRecord[]) => void

/** What a mount leaves behind is cleared away by a tick. */
const caller = (kernel: Kernel, cloud: CloudProvider, tell: Tell) => async (request: KernelRequest) => {
  const { calls = [] } = cloud as Partial<FakeCloudProvider>
  const before = calls.length
  const answer = await kernel.handle({ ...request, path: `/v1/${request.path}` })
  if (request.method === 'DELETE') await kernel.tick()
  tell(calls.slice(before))
  return answer
}

async function replay(
  transcript: Transcript,
  store: Store,
  clock: MovingClock,
  cloud: CloudProvider,
  aws_url: string,
  tell: Tell = () => {},
): Promise<void> {
  const { storage, drop } = await store.open()
  const kernel = await createDevKernel({ naming: NAMING, storage, clock, ports: { cloud } })
  // The recorded one was made by a token, and is called so.
  const root = (await kernel.tokens.createToken({ policies: ['root'] })).client_token
  try {
    const results = await replayOn(kernel, transcript, { call: caller(kernel, cloud, tell), vars: { root, aws_url, ...ROOT } })
    expect(results.filter(({ ok }) => !ok).map(({ step, request, problems }) => ({ step, request, problems }))).toEqual([])
  } finally {
    await kernel.close()
    await drop()
  }
}

interface Step {
  readonly request?: { readonly path: string }
  readonly response?: { readonly status: number }
  readonly differs?: object
  /** The calls of the original. */
  readonly asked?: readonly (readonly [action: string, params: Readonly<Record<string, string>>])[]
}

/** What the recordings name by the parameters of AWS, and do not leave out as random. */
const PARAMETERS = [
  'Path',
  'PolicyArn',
  'PolicyName',
  'PolicyDocument',
  'GroupName',
  'RoleArn',
  'DurationSeconds',
  'Policy',
] as const

type Shown = readonly string[]

const shownCall = ({ call, request }: CloudCallRecord): Shown => {
  const given = request as Readonly<Record<string, unknown>>
  const action = call.charAt(0).toUpperCase() + call.slice(1)
  const params = PARAMETERS.map((name) => given[name.charAt(0).toLowerCase() + name.slice(1)])
  return [action, ...params.filter((value) => value !== undefined).map(String)]
}

const shownAsked = (asked: NonNullable<Step['asked']>): readonly Shown[] =>
  asked.map(([action, params]) => [action, ...PARAMETERS.flatMap((name) => params[name] ?? [])])

/** Steps at which the original reads the first page alone, or has something left from such a step. */
const PAGED: Readonly<Record<string, readonly number[]>> = { 'creds-groups': [38], leases: [75] }

/** Where the original does one thing after the other and nothing else is decided here. */
const isAlike = ({ request, response, differs, asked }: Step): boolean =>
  asked !== undefined && !differs && (response?.status ?? 500) < 300 && !/prefix|force|sys\/mounts/.test(request?.path ?? '')

describe.skipIf(!transcriptsPresent)(
  'transcripts of a live original (skipped: the folder shared/transcripts is absent)',
  async () => {
    const all = await wanted()

    it('are all there', () => {
      expect(all.length).toBe(10)
    })

    describe('over HTTP', () => {
      it.each(all)('%s', async (_, transcript) => {
        const clock = movingClock()
        await using server = await startAws(recordedWorld(clock.now))
        await replay(transcript, MEMORY, clock, awsCloud({ iam, sts }), server.url)
      })
    })

    it.each(all)('%s: the same calls in the same order', async (name, transcript) => {
      const clock = movingClock()
      const cloud = fakeCloudProvider(recordedWorld(clock.now))
      const steps = (transcript.steps as readonly Step[]).filter(({ request }) => request)
      const seen: (readonly Shown[])[] = []
      await replay(transcript, MEMORY, clock, cloud, cloud.url, (calls) => {
        // A name that the template makes again and again is looked for first.
        seen.push(calls.filter(({ call }) => call !== 'getUser').map(shownCall))
      })
      for (const [at, step] of steps.entries()) {
        if (!isAlike(step) || PAGED[name]?.includes(at)) continue
        expect([at, step.request?.path, seen[at]]).toEqual([at, step.request?.path, shownAsked(step.asked ?? [])])
      }
    })

    // What is asked does not depend on the store.
    describe.each(ALL_STORES.slice(0, 2))('on $name', (store) => {
      it.each(all)('%s', async (_, transcript) => {
        const clock = movingClock()
        const cloud = fakeCloudProvider(recordedWorld(clock.now))
        await replay(transcript, store, clock, cloud, cloud.url)
      })
    })
  },
)

/** Replays transcripts of the cloud engine on a cloud in memory or on a server with the AWS protocol. */
import * as iam from '@aws-sdk/client-iam'
import * as sts from '@aws-sdk/client-sts'
import { awsCloud } from '../../src/adapters/cloud-aws/index.ts'
import { type CloudProvider, createDevKernel, type KernelRequest } from '../../src/index.ts'
import { type CloudCallRecord, fakeCloudProvider } from '../../src/testing/index.ts'
import { startAws } from '../fixtures/aws/server.ts'
import { ROOT, recordedWorld } from '../fixtures/aws/world.ts'
import { type MovingClock, movingClock } from '../fixtures/moving-clock.ts'
import { MEMORY, type Store } from '../fixtures/stores.ts'
import { loadTranscripts, NAMING, type NamedTranscript, replayOn, type Transcript } from './harness.ts'

export interface CloudTranscripts {
  readonly files: RegExp
  /** The expected number of files. */
  readonly count: number
  /** Whether a tick runs after each DELETE, because deleted mounts leave leases that a tick revokes. */
  readonly tickAfterDelete?: boolean
  /** Whether AWS must not be called. */
  readonly offline?: boolean
}

export const CONFIG: CloudTranscripts = { files: /\/(access|config-.+|roles|roles-.+)$/, count: 9, offline: true }
export const STATIC_ROLES: CloudTranscripts = { files: /\/(rotate-root.*|static-.+)$/, count: 5 }
export const CREDENTIALS: CloudTranscripts = { files: /\/(creds-.+|sts-failures|leases)$/, count: 10, tickAfterDelete: true }

export const loadCloud = async ({ files }: CloudTranscripts): Promise<readonly NamedTranscript[]> =>
  (await loadTranscripts('cloud')).filter(([name]) => files.test(name))

/** Has the same length as the recorded address. The in-memory cloud reads only the path. */
const AWS_URL = 'http://127.0.0.1:43147'

/** A provider without ambient credentials that must not be called. */
const OFFLINE: CloudProvider = {
  connect: () => {
    throw new Error('these transcripts must not call AWS')
  },
}

export interface CloudReplay {
  readonly store?: Store
  /** Receives the calls of the in-memory cloud for each step. */
  readonly onCalls?: (calls: readonly CloudCallRecord[]) => void
}

export async function replayCloud(
  transcript: Transcript,
  group: CloudTranscripts,
  { store = MEMORY, onCalls = () => {} }: CloudReplay = {},
): Promise<void> {
  const clock = movingClock()
  const cloud = fakeCloudProvider(recordedWorld(clock.now))
  let seen = 0
  await replay(transcript, group, store, clock, group.offline ? OFFLINE : cloud, AWS_URL, () => {
    onCalls(cloud.calls.slice(seen))
    seen = cloud.calls.length
  })
}

export async function replayCloudOverHttp(transcript: Transcript, group: CloudTranscripts): Promise<void> {
  const clock = movingClock()
  await using server = await startAws(recordedWorld(clock.now))
  await replay(transcript, group, MEMORY, clock, awsCloud({ iam, sts }), server.url, () => {})
}

async function replay(
  transcript: Transcript,
  group: CloudTranscripts,
  store: Store,
  clock: MovingClock,
  cloud: CloudProvider,
  aws_url: string,
  answered: () => void,
): Promise<void> {
  const { storage, drop } = await store.open()
  const kernel = await createDevKernel({ naming: NAMING, storage, clock, ports: { cloud } })
  const wait = async (seconds: number) => {
    clock.advance(seconds * 1000)
    await kernel.tick()
  }
  const call = async (request: KernelRequest) => {
    const answer = await kernel.handle({ ...request, path: `/v1/${request.path}`, remoteAddress: '127.0.0.1' })
    if (group.tickAfterDelete && request.method === 'DELETE') await kernel.tick()
    answered()
    return answer
  }
  // The recorded root token was created by a token, which is visible in its display name.
  const root = group.offline ? kernel.rootToken : (await kernel.tokens.createToken({ policies: ['root'] })).client_token
  try {
    await replayOn(kernel, transcript, { call, wait, vars: { root, aws_url, ...ROOT } })
  } finally {
    await kernel.close()
    await drop()
  }
}

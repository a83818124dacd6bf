import type { SyncDescribe, SyncDescription, SyncPut, SyncPutResult, SyncSession } from '../../sys/sync/port.ts'
import { MAX_HTTP_ANSWER_BYTES, meteredHttpAgent, meteredHttpsAgent } from '../network/metered-agent.ts'
import { SessionClient } from '../sync/client.ts'
import { errorNameOf, isBeingDeleted, toAwsSyncError } from './failures.ts'
import { type DescribeResult, loadSecretsSdk, type SecretsClient, type SecretsSdk, type Tag } from './sdk.ts'
import type { AwsSettings } from './settings.ts'
import { type Send, tagList, writeAwsSecret } from './write.ts'

/** The SDK's defaults. They must be repeated here, because the SDK applies them only to agents that it creates itself. */
const CONNECTIONS = { keepAlive: true, maxSockets: 50 }

export function openAwsSession(settings: () => AwsSettings, endpoint: URL | undefined): SyncSession {
  const held = new SessionClient({
    async make() {
      const sdk = await loadSecretsSdk()
      return { sdk, client: clientOf(sdk, settings(), endpoint) }
    },
    destroy: ({ client }) => client.destroy(),
    failureOf: toAwsSyncError,
    secrets() {
      const { accessKeyId, secretAccessKey, sessionToken } = settings().credentials ?? {}
      return [accessKeyId, secretAccessKey, sessionToken].filter((one) => one !== undefined)
    },
  })

  /** Runs several calls under one signal. */
  const under = <T>(signal: AbortSignal, work: (send: Send) => Promise<T>, value?: string): Promise<T> =>
    held.use(
      signal,
      ({ sdk, client }, abortSignal) => work((name, input) => client.send(new sdk[name](input), { abortSignal })),
      value,
    )

  return {
    put: (request, signal) => under(signal, (send) => put(request, send), request.value),
    remove: ({ name }, signal) => under(signal, async (send) => ({ existed: await remove(name, send) })),
    describe: (request, signal) => under(signal, (send) => describe(request, send)),
    close: () => held.close(),
  }
}

function clientOf(sdk: SecretsSdk, settings: AwsSettings, endpoint: URL | undefined): SecretsClient {
  return new sdk.SecretsManagerClient({
    ...settings,
    ...(endpoint && { endpoint: endpoint.href }),
    // The kernel retries at times of its own clock, so the SDK must not retry.
    maxAttempts: 1,
    retryMode: 'standard',
    requestHandler: {
      httpAgent: meteredHttpAgent(MAX_HTTP_ANSWER_BYTES, CONNECTIONS),
      httpsAgent: meteredHttpsAgent(MAX_HTTP_ANSWER_BYTES, CONNECTIONS),
    },
  })
}

async function put(request: SyncPut, send: Send): Promise<SyncPutResult> {
  const { name, tags, removeTags } = request
  const { versionId, created } = await writeAwsSecret(request, send)
  // A new secret already has its tags.
  if (!created && Object.keys(tags).length > 0) await send('TagResourceCommand', { SecretId: name, Tags: tagList(tags) })
  if (!created && removeTags.length > 0) await send('UntagResourceCommand', { SecretId: name, TagKeys: removeTags })
  return { created, externalVersion: versionId }
}

async function remove(name: string, send: Send): Promise<boolean> {
  try {
    await send('DeleteSecretCommand', { SecretId: name })
    return true
  } catch (error) {
    if (errorNameOf(error) === 'ResourceNotFoundException' || isBeingDeleted(error)) return false
    throw error
  }
}

async function describe({ name, mark, owner }: SyncDescribe, send: Send): Promise<SyncDescription> {
  try {
    const found = (await send('DescribeSecretCommand', { SecretId: name })) as DescribeResult
    const isMark = ({ Key, Value }: Tag): boolean => Key === mark && (owner === undefined || Value === owner)
    const managed = mark !== undefined && { managed: (found.Tags ?? []).some(isMark) }
    if (found.DeletedDate) return { exists: false, ...managed }
    const stages = Object.entries(found.VersionIdsToStages ?? {})
    const current = stages.find(([, labels]) => labels.includes('AWSCURRENT'))?.[0]
    return {
      exists: true,
      ...(current !== undefined && { externalVersion: current }),
      ...managed,
    }
  } catch (error) {
    if (errorNameOf(error) === 'ResourceNotFoundException') return { exists: false }
    throw error
  }
}

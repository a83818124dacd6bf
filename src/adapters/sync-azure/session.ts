import type { SyncDescribe, SyncDescription, SyncPut, SyncPutResult, SyncSession } from '../../sys/sync/port.ts'
import { MAX_HTTP_ANSWER_BYTES, meteredHttpsAgent } from '../network/metered-agent.ts'
import { SessionClient } from '../sync/client.ts'
import { syncError } from '../sync/sync-error.ts'
import { httpStatusOf, toAzureSyncError, vaultErrorCode } from './failures.ts'
import { loadVaultSdk, type PipelinePolicy, type VaultClient, type VaultSecret } from './sdk.ts'
import type { AzureSettings } from './settings.ts'
import { VaultTokens } from './vault-tokens.ts'

/** Error codes of a secret that is being deleted or recovered. Both states end without a further call. */
const TRANSITION_CODES = ['ObjectIsBeingDeleted', 'ObjectIsBeingRecovered']

/** Gives error responses without a body an empty JSON object. Without a body, the SDK would throw an error without a status. */
const NON_EMPTY_ERROR_POLICY: PipelinePolicy = {
  name: 'strongroomSpeaking',
  async sendRequest(request, next) {
    const response = await next(request)
    if (response.status >= 300 && !response.bodyAsText) response.bodyAsText = '{}'
    return response
  },
}

export function openAzureSession(settings: AzureSettings): SyncSession {
  const held = new SessionClient({
    async make() {
      const sdk = await loadVaultSdk()
      const tokens = new VaultTokens(sdk, settings)
      const agent = meteredHttpsAgent(MAX_HTTP_ANSWER_BYTES, { keepAlive: true })
      const client = new sdk.SecretClient(settings.vault, tokens, {
        agent,
        // The kernel retries at times of its own clock, so the SDK must not retry. Redirects are not followed, because a vault never
        // redirects to another host.
        retryOptions: { maxRetries: 0 },
        redirectOptions: { maxRetries: 0 },
        additionalPolicies: [{ policy: NON_EMPTY_ERROR_POLICY, position: 'perCall' }],
        // The SDK checks that the challenge names a resource of the vault's host. If the vault is not in one of Azure's own domains, as with
        // an emulator or a proxy, that is never the case, so switch the check off.
        disableChallengeResourceVerification: !settings.isCloudVault,
      })
      return { client, tokens, agent }
    },
    destroy({ tokens, agent }) {
      tokens.close()
      agent.destroy()
    },
    failureOf: toAzureSyncError,
    secrets: () => [settings.secret],
  })
  return {
    put: (request, signal) => held.use(signal, ({ client }, own) => put(client, request, own), request.value),
    remove: ({ name }, signal) => held.use(signal, async ({ client }, own) => ({ existed: await remove(client, name, own) })),
    describe: (request, signal) => held.use(signal, ({ client }, own) => describe(client, request, own)),
    close: () => held.close(),
  }
}

async function put(
  client: VaultClient,
  { name, value, tags, previous, mode }: SyncPut,
  abortSignal: AbortSignal,
): Promise<SyncPutResult> {
  // The response to a write does not report whether the secret existed before, so check first.
  const isNew = mode === 'create' || previous === undefined
  const created = isNew && !(await isThere(client, name, abortSignal, mode))
  if (mode === 'create' && !created) throw syncError('conflict', 'exists')
  // Tags belong to a version. The new version has only the tags in this call, so former tags need not be removed.
  const set = (): Promise<VaultSecret> => client.setSecret(name, value, { tags, abortSignal })
  const { properties } = await set().catch(async (error: unknown) => {
    if (httpStatusOf(error) !== 409 || mode === 'create' || TRANSITION_CODES.includes(vaultErrorCode(error) ?? '')) throw error
    await recover(client, name, abortSignal)
    return set()
  })
  if (!properties.version) throw syncError('external', 'no_version')
  return { created, externalVersion: properties.version }
}

async function isThere(client: VaultClient, name: string, abortSignal: AbortSignal, mode: SyncPut['mode']): Promise<boolean> {
  try {
    await client.getSecret(name, { abortSignal })
    return true
  } catch (error) {
    if (httpStatusOf(error) === 404) return false
    // Without permission to read, it is unknown whether the secret exists. Only the mode `create` depends on that.
    if (httpStatusOf(error) === 403 && mode !== 'create') return false
    throw error
  }
}

async function recover(client: VaultClient, name: string, abortSignal: AbortSignal): Promise<void> {
  try {
    await client.beginRecoverDeletedSecret(name, { abortSignal })
  } catch (error) {
    // Either the deletion is not complete yet, or the secret was recovered in the meantime.
    if (httpStatusOf(error) === 404) throw syncError('conflict', vaultErrorCode(error))
    throw error
  }
}

async function remove(client: VaultClient, name: string, abortSignal: AbortSignal): Promise<boolean> {
  try {
    await client.beginDeleteSecret(name, { abortSignal })
    return true
  } catch (error) {
    if (httpStatusOf(error) === 404 || vaultErrorCode(error) === 'ObjectIsBeingDeleted') return false
    throw error
  }
}

async function describe(client: VaultClient, request: SyncDescribe, abortSignal: AbortSignal): Promise<SyncDescription> {
  const { name, mark, owner } = request
  const managed = ({ properties }: VaultSecret) => {
    const tags = properties.tags ?? {}
    return mark !== undefined && { managed: Object.hasOwn(tags, mark) && (owner === undefined || tags[mark] === owner) }
  }
  const live = await orUndefined(client.getSecret(name, { abortSignal }))
  if (live) {
    const { version } = live.properties
    return { exists: true, ...(version !== undefined && { externalVersion: version }), ...managed(live) }
  }
  const deleted = mark === undefined ? undefined : await orUndefined(client.getDeletedSecret(name, { abortSignal }))
  return { exists: false, ...(deleted && managed(deleted)) }
}

/** Undefined if the secret does not exist. */
async function orUndefined(asked: Promise<VaultSecret>): Promise<VaultSecret | undefined> {
  try {
    return await asked
  } catch (error) {
    if (httpStatusOf(error) === 404) return undefined
    throw error
  }
}

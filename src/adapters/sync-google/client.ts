/** A client of the SDK with its own connections. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Agent } from 'node:http'
import { meteredHttpAgent, meteredHttpsAgent } from '../network/metered-agent.ts'
import type { GoogleServiceAccount } from './credentials.ts'
import { readGoogleError } from './failures.ts'
import { loadManagerSdk, type ManagerClient } from './sdk.ts'

const MAX_ANSWER_BYTES = 1_048_576

/** The signal of the current call. The SDK's methods accept no signal, so it is passed through the async context. */
export const currentSignal = new AsyncLocalStorage<AbortSignal>()

export interface GoogleConnection {
  readonly client: ManagerClient
  readonly agents: readonly Agent[]
}

export async function openClient(account: GoogleServiceAccount, endpoint: URL | undefined): Promise<GoogleConnection> {
  const { SecretManagerServiceClient } = await loadManagerSdk()
  const { email, privateKey, keyId, project } = account
  const client = new SecretManagerServiceClient({
    // Use REST: gRPC keeps channels open.
    fallback: true,
    // Pass no other members of the service account's JSON: they could name addresses that the SDK would connect to.
    credentials: { client_email: email, private_key: privateKey, ...(keyId && { private_key_id: keyId }) },
    projectId: project,
    universeDomain: 'googleapis.com',
    ...(endpoint && {
      apiEndpoint: endpoint.hostname,
      protocol: endpoint.protocol.slice(0, -1),
      port: Number(endpoint.port) || (endpoint.protocol === 'https:' ? 443 : 80),
    }),
    // The kernel retries at times of its own clock, so the SDK must not retry.
    clientConfig: { interfaces: { 'google.cloud.secretmanager.v1.SecretManagerService': WITHOUT_RETRIES } },
  })
  const http = meteredHttpAgent(MAX_ANSWER_BYTES, { keepAlive: true })
  const https = meteredHttpsAgent(MAX_ANSWER_BYTES, { keepAlive: true })
  const { auth } = client
  const plain = auth.fetch.bind(auth)
  // By default, all clients of the SDK share connections. Give this client agents of its own.
  auth.fetch = async (url, options) => {
    const signal = currentSignal.getStore()
    const answer = await plain(url, {
      ...options,
      agent({ protocol }: URL) {
        // The SDK chooses the agent right before the request. If the signal is already aborted then, throw here: the SDK's `fetch` would
        // throw where no caller can catch the error.
        signal?.throwIfAborted()
        return protocol === 'http:' ? http : https
      },
      signal,
      // Do not follow redirects: another host must not receive the token or the value.
      redirect: 'manual',
      maxContentLength: MAX_ANSWER_BYTES,
      validateStatus: () => true,
    })
    if (!answer.ok) throw await readGoogleError(answer)
    return answer
  }
  // Initialize now, because a failure during a later call would be an unhandled rejection.
  await client.initialize()
  return { client, agents: [http, https] }
}

const METHODS = [
  'CreateSecret',
  'UpdateSecret',
  'GetSecret',
  'DeleteSecret',
  'AddSecretVersion',
  'GetSecretVersion',
  'ListSecretVersions',
  'DestroySecretVersion',
]
const WITHOUT_RETRIES = {
  retry_codes: { none: [] },
  methods: Object.fromEntries(METHODS.map((method) => [method, { retry_codes_name: 'none' }])),
}

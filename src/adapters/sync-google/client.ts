/**
 * A client of the SDK with connections of its own.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Agent } from 'node:http'
import { meteredHttpAgent, meteredHttpsAgent } from '../network/metered-agent.ts'
import type { GoogleServiceAccount } from './credentials.ts'
import { readGoogleError } from './failures.ts'
import { loadManagerSdk, type ManagerClient } from './sdk.ts'

const MAX_ANSWER_BYTES = 1_048_576

/** The signal of the call that is under way: the SDK's methods take none. */
export const currentSignal = new AsyncLocalStorage<AbortSignal>()

export interface GoogleConnection {
  readonly client: ManagerClient
  readonly agents: readonly Agent[]
}

export async function openClient(account: GoogleServiceAccount, endpoint: URL | undefined): Promise<GoogleConnection> {
  const { SecretManagerServiceClient } = await loadManagerSdk()
  const { email, privateKey, keyId, project } = account
  const client = new SecretManagerServiceClient({
    // gRPC keeps channels open.
    fallback: true,
    // No more of the key is handed on: it could name addresses to ask.
    credentials: { client_email: email, private_key: privateKey, ...(keyId && { private_key_id: keyId }) },
    projectId: project,
    universeDomain: 'googleapis.com',
    ...(endpoint && {
      apiEndpoint: endpoint.hostname,
      protocol: endpoint.protocol.slice(0, -1),
      port: Number(endpoint.port) || (endpoint.protocol === 'https:' ? 443 : 80),
    }),
    // The kernel tries again, by its own clock.
    clientConfig: { interfaces: { 'google.cloud.secretmanager.v1.SecretManagerService': WITHOUT_RETRIES } },
  })
  const http = meteredHttpAgent(MAX_ANSWER_BYTES, { keepAlive: true })
  const https = meteredHttpsAgent(MAX_ANSWER_BYTES, { keepAlive: true })
  const { auth } = client
  const plain = auth.fetch.bind(auth)
  // The SDK's own connections are those of all its clients.
  auth.fetch = async (url, options) => {
    const signal = currentSignal.getStore()
    const answer = await plain(url, {
      ...options,
      agent({ protocol }: URL) {
        // Asked right before the request: for a signal that is aborted by then the SDK's fetch throws where nobody catches it.
        signal?.throwIfAborted()
        return protocol === 'http:' ? http : https
      },
      signal,
      // Neither token nor value goes where an answer says.
      redirect: 'manual',
      maxContentLength: MAX_ANSWER_BYTES,
      validateStatus: () => true,
    })
    if (!answer.ok) throw await readGoogleError(answer)
    return answer
  }
  // A call would leave its failure unhandled.
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

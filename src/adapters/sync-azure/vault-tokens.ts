/**
 * Tokens for one vault, by client id and secret.
 */
import type { Agent } from 'node:https'
import { MAX_HTTP_ANSWER_BYTES, meteredHttpsAgent } from '../network/metered-agent.ts'
import { retryAfterMs } from '../sync/retry-after.ts'
import { kindOfStatus, type SyncError, syncError } from '../sync/sync-error.ts'
import { untilAborted } from '../sync/until-aborted.ts'
import type { AccessToken, IdentitySdk, PipelinePolicy, PipelineResponse, TokenCredential, TokenOptions } from './sdk.ts'
import type { AzureSettings } from './settings.ts'

/** A credential of the SDK with connections of its own and the last answer it got. */
interface TokenSource {
  readonly credential: TokenCredential
  readonly agent: Agent
  seen: PipelineResponse | undefined
}

/** An answer that is good and brings no token is as none. */
const refusalIn = (seen: PipelineResponse | undefined): SyncError =>
  syncError(kindOfStatus(seen?.status), 'token', retryAfterMs(seen?.headers.get('retry-after')))

/**
 * The SDK remembers failures by the wall clock and answers from memory for a minute, and a request of its own does not end with a signal. So
 * a source that failed is thrown away with its connections, and the next token comes from a new one.
 */
export class VaultTokens implements TokenCredential {
  readonly #sdk: IdentitySdk
  readonly #settings: AzureSettings
  #source: TokenSource | undefined

  constructor(sdk: IdentitySdk, settings: AzureSettings) {
    this.#sdk = sdk
    this.#settings = settings
  }

  /** @param _scopes What the vault asks for. The token is for the cloud's vaults, whatever a host that is not known says. */
  async getToken(_scopes: string | string[], { abortSignal }: TokenOptions = {}): Promise<AccessToken | null> {
    this.#source ??= this.#open()
    const source = this.#source
    source.seen = undefined
    try {
      return await untilAborted(abortSignal ?? new AbortController().signal, () =>
        source.credential.getToken(this.#settings.scope),
      )
    } catch {
      if (this.#source === source) this.close()
      throw refusalIn(source.seen)
    }
  }

  close(): void {
    this.#source?.agent.destroy()
    this.#source = undefined
  }

  #open(): TokenSource {
    const { authority, tenant, client, secret } = this.#settings
    const agent = meteredHttpsAgent(MAX_HTTP_ANSWER_BYTES, { keepAlive: true })
    const watching: PipelinePolicy = {
      name: 'strongroomWatching',
      async sendRequest(request, next) {
        const response = await next(request)
        source.seen = response
        return response
      },
    }
    const options = {
      authorityHost: authority,
      // The authority is known or given; nobody else is asked whether it is one.
      disableInstanceDiscovery: true,
      agent,
      retryOptions: { maxRetries: 0 },
      redirectOptions: { maxRetries: 0 },
      additionalPolicies: [{ policy: watching, position: 'perCall' }],
    }
    const source: TokenSource = {
      credential: new this.#sdk.ClientSecretCredential(tenant, client, secret, options),
      agent,
      seen: undefined,
    }
    return source
  }
}

/** Gets tokens for one vault, by client ID and client secret. */
import type { Agent } from 'node:https'
import { MAX_HTTP_ANSWER_BYTES, meteredHttpsAgent } from '../network/metered-agent.ts'
import { retryAfterMs } from '../sync/retry-after.ts'
import { kindOfStatus, type SyncError, syncError } from '../sync/sync-error.ts'
import { untilAborted } from '../sync/until-aborted.ts'
import type { AccessToken, IdentitySdk, PipelinePolicy, PipelineResponse, TokenCredential, TokenOptions } from './sdk.ts'
import type { AzureSettings } from './settings.ts'

/** A credential of the SDK with its own connections, and the last response that it received. */
interface TokenSource {
  readonly credential: TokenCredential
  readonly agent: Agent
  seen: PipelineResponse | undefined
}

/** The error for a failed token request. A successful response without a token counts as a missing response. */
const refusalIn = (seen: PipelineResponse | undefined): SyncError =>
  syncError(kindOfStatus(seen?.status), 'token', retryAfterMs(seen?.headers.get('retry-after')))

/**
 * Gets tokens with a credential of the SDK. The SDK caches failures for a minute by the wall clock, and its token request ignores signals.
 * So after a failure the credential and its connections are discarded, and the next token comes from a new credential.
 */
export class VaultTokens implements TokenCredential {
  readonly #sdk: IdentitySdk
  readonly #settings: AzureSettings
  #source: TokenSource | undefined

  constructor(sdk: IdentitySdk, settings: AzureSettings) {
    this.#sdk = sdk
    this.#settings = settings
  }

  /**
   * @param _scopes The scopes that the vault requests. They are ignored: the token is always for vaults of the cloud, even if a host
   * outside the cloud requests another scope.
   */
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
      // The authority is configured or built in, so the SDK need not call another host to validate it.
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

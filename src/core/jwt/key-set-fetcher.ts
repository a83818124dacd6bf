/** The port that fetches documents of identity providers: key sets (RFC 7517) and OpenID Connect discovery documents. */
import { portMethods } from '../contract/ports.ts'

export interface KeySetRequest {
  /** An `http` or `https` URL, from the configuration of an auth method or from a discovery document. */
  readonly url: string
  /**
   * PEM certificates. The server's certificate must be one of them or signed by one of them; null trusts the authorities of the platform.
   */
  readonly caCert: string | null
}

/**
 * Fetches a document of an identity provider. Without this port, auth methods with `JWKSURL` or `OIDCDiscoveryURL` refuse every login.
 *
 * A call that takes longer than `effectTimeoutMs` (default 15 seconds) fails the logins that wait for it. `signal` is aborted then, and
 * when the kernel closes. Concurrent logins share one fetch per document, and its keys are cached for five minutes.
 */
export interface KeySetFetcher {
  /**
   * Resolves to the body of the answer to `GET url`. An adapter must limit how much it reads; the kernel refuses more than 262,144
   * characters. Redirects are not followed. Any error fails the logins that need the document.
   */
  fetch(request: KeySetRequest, signal: AbortSignal): Promise<string>
}

declare module '../contract/ports.ts' {
  interface Ports {
    /** Called at logins by auth methods of the type `jwt` whose keys an identity provider publishes. */
    readonly keySets?: KeySetFetcher
  }
}

export const KEY_SETS = /* @__PURE__ */ portMethods<KeySetFetcher>({
  fetch: { signalAt: 1, answers: (answer) => typeof answer === 'string' },
})

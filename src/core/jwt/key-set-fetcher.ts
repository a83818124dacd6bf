/** The port that fetches documents from identity providers: key sets (RFC 7517) and OpenID Connect discovery documents. */
import { portMethods } from '../contract/ports.ts'

export interface KeySetRequest {
  /** An `http` or `https` URL from the configuration of an auth method or from a discovery document. */
  readonly url: string
  /**
   * Certificates in PEM format. The server's certificate must be one of them or be signed by one of them. If null, the platform's
   * certificate authorities are trusted.
   */
  readonly caCert: string | null
}

/**
 * Fetches documents from identity providers. Without this port, auth methods with `JWKSURL` or `OIDCDiscoveryURL` refuse every login.
 *
 * A call has a time limit of `effectTimeoutMs` (default 15 seconds). If it exceeds the limit, the logins that wait for it fail. `signal` is
 * aborted at the limit and when the kernel closes. Concurrent logins share a fetch of the same document, and the keys are cached for five
 * minutes.
 */
export interface KeySetFetcher {
  /**
   * Resolves to the body of the response to `GET url`. An adapter must limit how much it reads; the kernel refuses more than 262,144
   * characters. It must not follow redirects. If the promise rejects, the logins that need the document are refused.
   */
  fetch(request: KeySetRequest, signal: AbortSignal): Promise<string>
}

declare module '../contract/ports.ts' {
  interface Ports {
    /** Fetches the keys for auth methods of the type `jwt` with `JWKSURL` or `OIDCDiscoveryURL`. Called during logins. */
    readonly keySets?: KeySetFetcher
  }
}

export const KEY_SETS = /* @__PURE__ */ portMethods<KeySetFetcher>({
  fetch: { signalAt: 1, answers: (answer) => typeof answer === 'string' },
})

/** The port that fetches what identity providers publish: key sets (RFC 7517) and OpenID Connect discovery documents. */
import { portMethods } from '../contract/ports.ts'

export interface KeySetRequest {
  /** An `http` or `https` URL, from the configuration of an auth method or from a discovery document. */
  readonly url: string
  /** PEM certificates, one of which must have signed the server's or be it; null trusts those of the platform. */
  readonly caCert: string | null
}

/**
 * Fetches a document of an identity provider. Without this port, auth methods with `JWKSURL` or `OIDCDiscoveryURL` refuse every login.
 *
 * A call has `effectTimeoutMs` (15 seconds by default); a longer one refuses the logins that wait for it. `signal` is aborted then, and
 * when the kernel closes. One document is fetched once at a time, and its keys are kept for five minutes.
 */
export interface KeySetFetcher {
  /**
   * Resolves to the body of the answer to `GET url`. An adapter bounds the length of what it reads; the kernel refuses more than 262,144
   * characters. Redirects are not followed. Any error refuses the logins that need the document.
   */
  fetch(request: KeySetRequest, signal: AbortSignal): Promise<string>
}

declare module '../contract/ports.ts' {
  interface Ports {
    /** Called at logins by auth methods of the type `jwt` whose keys are published by an identity provider. */
    readonly keySets?: KeySetFetcher
  }
}

export const KEY_SETS = /* @__PURE__ */ portMethods<KeySetFetcher>({
  fetch: { signalAt: 1, answers: (answer) => typeof answer === 'string' },
})

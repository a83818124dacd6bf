/**
 * Caches the keys that identity providers publish, by URL. Requests without a valid token cannot cause many fetches: each document is
 * fetched by one request at a time, results are cached, and a failure is followed by a pause.
 */
import type { Clock } from '../../core/base/clock.ts'
import { NoAnswer } from '../../core/base/deadline.ts'
import { KernelError } from '../../core/base/errors.ts'
import type { CryptoBackend } from '../../core/crypto/backend.ts'
import { withCurves } from '../../core/crypto/curves/curve-code.ts'
import { readDocument, readKeySet } from '../../core/jwt/key-set.ts'
import type { KeySetFetcher } from '../../core/jwt/key-set-fetcher.ts'
import type { VerificationKeys } from '../../core/jwt/verification-keys.ts'

/** How long keys are used before they are fetched again. */
const FRESH_MS = 300_000

/** How long keys are used at most, if fetching them again fails. */
const MAX_AGE_MS = 3_600_000

/** The minimum time between fetches that tokens with unknown key ids cause. */
const MIN_REFETCH_MS = 10_000

/** The pause after a failed fetch doubles with each further failure, from one second to a minute. */
const MIN_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 60_000

/** The maximum number of providers in memory. */
const MAX_SOURCES = 64

export interface KeySource {
  /** The URL of a key set, or of an issuer whose discovery document contains the URL of its key set. */
  readonly url: string
  readonly isIssuer: boolean
  readonly caCert: string | null
}

export interface PublishedKeys {
  readonly keys: VerificationKeys
  /** The issuer that tokens must name; undefined for a plain key set. */
  readonly issuer: string | undefined
}

export type KeysFailure = 'nothing-to-verify-with' | 'timeout' | 'transport' | 'protocol'

export type KeysOutcome = PublishedKeys | { readonly failure: KeysFailure }

interface Provider {
  found: PublishedKeys | undefined
  /** When `found` was fetched, in milliseconds. */
  fetchedAt: number
  failures: number
  failure: KeysFailure
  /** The earliest time of the next fetch. */
  pausedUntil: number
  fetching: Promise<void> | undefined
}

export class PublishedKeySets {
  readonly #clock: Clock
  readonly #crypto: CryptoBackend
  readonly #fetcher: KeySetFetcher | undefined
  /** Ordered by use; the most recently used provider is last. */
  readonly #providers = new Map<string, Provider>()

  constructor(clock: Clock, crypto: CryptoBackend, fetcher: KeySetFetcher | undefined) {
    this.#clock = clock
    this.#crypto = crypto
    this.#fetcher = fetcher
  }

  /**
   * Returns the keys of the source, and fetches them if necessary. Never rejects: if no usable keys are available, returns the reason, for
   * which the login is then refused.
   * @param keyId The key id in the header of the token.
   */
  async keysOf(source: KeySource, keyId: unknown, signal: AbortSignal): Promise<KeysOutcome> {
    if (!this.#fetcher) return { failure: 'nothing-to-verify-with' }
    const provider = this.#provider(source)
    if (this.#isWanted(provider, keyId)) {
      provider.fetching ??= this.#fetch(this.#fetcher, source, provider, signal).finally(() => {
        provider.fetching = undefined
      })
      await provider.fetching
    }
    const { found, fetchedAt, failure } = provider
    return found && this.#clock.now() - fetchedAt < MAX_AGE_MS ? found : { failure }
  }

  #provider({ url, isIssuer, caCert }: KeySource): Provider {
    const id = JSON.stringify([url, isIssuer, caCert])
    const never = { found: undefined, fetchedAt: Number.NEGATIVE_INFINITY, failures: 0, pausedUntil: Number.NEGATIVE_INFINITY }
    const provider = this.#providers.get(id) ?? { ...never, failure: 'transport', fetching: undefined }
    this.#providers.delete(id)
    this.#providers.set(id, provider)
    const [oldest] = this.#providers.keys()
    if (this.#providers.size > MAX_SOURCES && oldest !== undefined) this.#providers.delete(oldest)
    return provider
  }

  #isWanted({ found, fetchedAt, pausedUntil }: Provider, keyId: unknown): boolean {
    const now = this.#clock.now()
    if (now < pausedUntil) return false
    const age = now - fetchedAt
    // If the age is negative, the clock was set back. Then the real age is unknown, so fetch the keys again.
    if (!found || age >= FRESH_MS || age < 0) return true
    return age >= MIN_REFETCH_MS && keyId !== undefined && !found.keys.has(keyId)
  }

  async #fetch(fetcher: KeySetFetcher, source: KeySource, provider: Provider, signal: AbortSignal): Promise<void> {
    try {
      provider.found = await this.#read(fetcher, source, signal)
      provider.fetchedAt = this.#clock.now()
      provider.failures = 0
    } catch (thrown) {
      provider.failure = thrown instanceof NoAnswer ? 'timeout' : thrown instanceof KernelError ? 'protocol' : 'transport'
      const pause = Math.min(MIN_PAUSE_MS * 2 ** provider.failures++, MAX_PAUSE_MS)
      provider.pausedUntil = this.#clock.now() + pause
    }
  }

  /** @throws KernelError for an invalid document, or any error that the fetcher throws */
  async #read(fetcher: KeySetFetcher, { url, isIssuer, caCert }: KeySource, signal: AbortSignal): Promise<PublishedKeys> {
    if (!isIssuer) return { keys: await this.#keySet(await fetcher.fetch({ url, caCert }, signal)), issuer: undefined }
    const at = `${url.replace(/\/$/, '')}/.well-known/openid-configuration`
    const { issuer, jwks_uri } = readDocument(await fetcher.fetch({ url: at, caCert }, signal), 'discovery document')
    // OpenID Connect Discovery 1.0, section 4.3.
    if (issuer !== url) throw new KernelError('ERR_UPSTREAM', 'discovery document: the issuer must be the configured URL')
    if (!isFetchable(jwks_uri) || (url.startsWith('https:') && !jwks_uri.startsWith('https:')))
      throw new KernelError(
        'ERR_UPSTREAM',
        'discovery document: jwks_uri must be an http or https URL, and https if the issuer is',
      )
    return { keys: await this.#keySet(await fetcher.fetch({ url: jwks_uri, caCert }, signal)), issuer: url }
  }

  #keySet(text: string): Promise<VerificationKeys> {
    return withCurves(() => readKeySet(text, this.#crypto))
  }
}

const MAX_URL_CHARACTERS = 2048

/** Whether a value is an HTTP URL without credentials, fragment and white space. */
export const isFetchable = (url: unknown): url is string =>
  typeof url === 'string' && url.length <= MAX_URL_CHARACTERS && /^https?:\/\/[^\s/?#@\\]+(?:[/?][^\s#\\]*)?$/.test(url)

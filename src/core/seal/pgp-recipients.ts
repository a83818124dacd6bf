/**
 * Encrypts shares and tokens to PGP keys.
 */
import { Allowance } from '../base/allowance.ts'
import { encodeBase64 } from '../base/base64.ts'
import { toUtf8 } from '../base/bytes.ts'
import type { Clock } from '../base/clock.ts'
import { invalid, KernelError, notConfigured } from '../base/errors.ts'
import { toHex } from '../base/identifiers.ts'
import type { Pgp, Ports } from '../contract/ports.ts'

/** The maximum length of a key. Binary PGP keys have a few thousand bytes, or some ten thousand if they have many signatures. */
const MAX_KEY_CHARACTERS = 262_144
/** The maximum total length of the different keys in a request. Enough for 255 keys of 4,000 characters. */
const MAX_TOTAL_CHARACTERS = 1_048_576
/**
 * The maximum number of PGP keys in a burst of tests for callers without a token: one for each of 255 shares, and one for the root token.
 */
const KEY_TEST_BURST = 256
const KEYS_PER_SECOND = 8
/** The plaintext of the test encryption. It is as long as a share, the longest text that is encrypted later. */
const PROBE = /* @__PURE__ */ toUtf8('0'.repeat(66))

export class PgpRecipients {
  readonly #port: Pgp | undefined
  readonly #clock: Clock
  readonly #untrusted: Allowance

  constructor(ports: Ports, clock: Clock) {
    this.#port = ports.pgp
    this.#clock = clock
    this.#untrusted = new Allowance(clock, KEYS_PER_SECOND, KEY_TEST_BURST)
  }

  /**
   * Returns the fingerprints of the keys, in the order of the keys. First encrypts a test message to each key, so that an unusable key is
   * refused before anything is created.
   * @param field The field of the request that contains the keys, for error messages.
   * @param isUnauthenticated Whether the caller has no token.
   * @throws KernelError 400 if a key cannot be read or cannot encrypt, or if the kernel has no PGP port. 429 if too many keys were tested
   * recently for callers without a token. 502 if the port fails.
   */
  async fingerprints(publicKeys: readonly string[], field: string, isUnauthenticated: boolean): Promise<readonly string[]> {
    const different = new Set(publicKeys)
    let characters = 0
    for (const { length } of different) {
      if (length > MAX_KEY_CHARACTERS) throw invalid(`${field}: a PGP key must have at most ${MAX_KEY_CHARACTERS} characters`)
      characters += length
    }
    if (characters > MAX_TOTAL_CHARACTERS)
      throw invalid(`${field}: all PGP keys of a request must have at most ${MAX_TOTAL_CHARACTERS} characters`)
    if (isUnauthenticated) this.#untrusted.take(different.size)
    const known = new Map<string, string>()
    for (const publicKey of different) known.set(publicKey, await this.#try(publicKey, field))
    return publicKeys.map((publicKey) => known.get(publicKey) as string)
  }

  /** Encrypts `text`, which must be ASCII. Returns a PGP message without ASCII armor that the holder of the key can decrypt. */
  async encrypt(text: string, publicKey: string): Promise<Uint8Array> {
    const bytes = toUtf8(text)
    try {
      return await callPort(() => portOf(this.#port, 'pgp_keys').encrypt(bytes, publicKey, this.#clock.now()))
    } finally {
      bytes.fill(0)
    }
  }

  /**
   * Encodes shares as they are returned, in hexadecimal and in base64. If there are PGP keys, the encoded bytes are PGP messages that
   * contain the hexadecimal share.
   */
  async encodeShares(shares: readonly Uint8Array[], publicKeys: readonly string[]): Promise<EncodedShares> {
    const given: Uint8Array[] = []
    for (const [index, share] of shares.entries()) {
      const publicKey = publicKeys[index]
      given.push(publicKey === undefined ? share : await this.encrypt(toHex(share), publicKey))
      if (publicKey !== undefined) await this.#clock.sleep(0)
    }
    return { keys: given.map(toHex), keys_base64: given.map(encodeBase64) }
  }

  async #try(publicKey: string, field: string): Promise<string> {
    const port = portOf(this.#port, field)
    const fingerprint = await callPort(() => port.fingerprint(publicKey))
    // Pause between the calls, because each call may block the event loop.
    await this.#clock.sleep(0)
    await callPort(() => port.encrypt(PROBE.slice(), publicKey, this.#clock.now()))
    await this.#clock.sleep(0)
    return fingerprint
  }
}

export interface EncodedShares {
  readonly keys: readonly string[]
  readonly keys_base64: readonly string[]
}

function portOf(port: Pgp | undefined, field: string): Pgp {
  if (port) return port
  throw notConfigured(`${field}: PGP keys need the option ports.pgp of createKernel`)
}

/** A `KernelError` of the port is thrown unchanged. All other errors are reported as upstream failures. */
async function callPort<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    if (cause instanceof KernelError) throw cause
    throw new KernelError('ERR_UPSTREAM', 'PGP failed; see the cause', { cause })
  }
}

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

/** Binary PGP keys have a few thousand bytes; with many signatures, some ten thousand. */
const MAX_KEY_CHARACTERS = 262_144
/** All different keys of one request together: 255 keys of 4,000 characters. */
const MAX_TOTAL_CHARACTERS = 1_048_576
/**
 * Keys that callers without a token may have tested: one request with a key for each of 255 shares and one for the token, and some reserve.
 */
const KEY_TEST_BURST = 256
const KEYS_PER_SECOND = 8
/** As long as the longest text that is encrypted later, that of a share. */
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
   * The fingerprints of the keys, in order, after a test encryption to each, so that unusable keys are refused now.
   * @param field The field that contained the keys, for the message.
   * @param isUnauthenticated Whether the caller has no token.
   * @throws KernelError 400 if a key cannot be read or cannot encrypt, or if the kernel has no PGP port; 429 if callers without a token had
   * too many keys tested; 502 if the port fails.
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

  /** A PGP message, without ASCII armor, that the key's holder can read. `text` is ASCII. */
  async encrypt(text: string, publicKey: string): Promise<Uint8Array> {
    const bytes = toUtf8(text)
    try {
      return await callPort(() => portOf(this.#port, 'pgp_keys').encrypt(bytes, publicKey, this.#clock.now()))
    } finally {
      bytes.fill(0)
    }
  }

  /**
   * Shares as they are returned: hexadecimal and base64 of each share, or of the PGP message that contains its hexadecimal text.
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
    // Each call may block the event loop for a while.
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

/** A `KernelError` of the port is passed on; other errors are upstream failures. */
async function callPort<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    if (cause instanceof KernelError) throw cause
    throw new KernelError('ERR_UPSTREAM', 'PGP failed; see the cause', { cause })
  }
}

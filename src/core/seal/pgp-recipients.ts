/**
 * Encrypts shares and tokens to people's PGP keys.
 */
import { Allowance } from '../base/allowance.ts'
import { encodeBase64 } from '../base/base64.ts'
import { toUtf8 } from '../base/bytes.ts'
import type { Clock } from '../base/clock.ts'
import { invalid, KernelError, notConfigured } from '../base/errors.ts'
import { toHex } from '../base/identifiers.ts'
import type { Pgp, Ports } from '../contract/ports.ts'

/** Binary PGP keys have a few thousand bytes; those with many signatures some ten thousand. */
const LONGEST_KEY = 262_144
/** All keys of one request together: 255 keys of 4,000 characters. */
const MOST_CHARACTERS = 1_048_576
/**
 * Keys that callers without a token may have tried: one request with a key for each of 255 shares and one for the token, and some reserve.
 */
const KEYS_AT_ONCE = 256
const KEYS_PER_SECOND = 8
/** As long as the longest text encrypted later, which is that of a share. */
const PROBE = /* @__PURE__ */ toUtf8('0'.repeat(66))

export class PgpRecipients {
  readonly #port: Pgp | undefined
  readonly #clock: Clock
  readonly #strangers: Allowance

  constructor(ports: Ports, clock: Clock) {
    this.#port = ports.pgp
    this.#clock = clock
    this.#strangers = new Allowance(clock, KEYS_PER_SECOND, KEYS_AT_ONCE)
  }

  /**
   * Their fingerprints, in order, after a trial encryption to each: unusable keys are refused now.
   * @param field The field they were given in, for the message.
   * @param stranger Whether their sender has shown no token.
   * @throws KernelError 400 for a key that cannot be read or cannot encrypt, and where the kernel has no PGP; 429 where strangers have had
   * too many tried; 502 where the port fails.
   */
  async fingerprints(publicKeys: readonly string[], field: string, stranger: boolean): Promise<readonly string[]> {
    const different = new Set(publicKeys)
    let characters = 0
    for (const { length } of different) {
      if (length > LONGEST_KEY) throw invalid(`${field}: a PGP key is at most ${LONGEST_KEY} characters long`)
      characters += length
    }
    if (characters > MOST_CHARACTERS)
      throw invalid(`${field}: the PGP keys of a request have at most ${MOST_CHARACTERS} characters`)
    if (stranger) this.#strangers.take(different.size)
    const known = new Map<string, string>()
    for (const publicKey of different) known.set(publicKey, await this.#try(publicKey, field))
    return publicKeys.map((publicKey) => known.get(publicKey) as string)
  }

  /** A message that the holder of the key can read, without armour. `text` is ASCII. */
  async encrypt(text: string, publicKey: string): Promise<Uint8Array> {
    const bytes = toUtf8(text)
    try {
      return await asked(() => portOf(this.#port, 'pgp_keys').encrypt(bytes, publicKey, this.#clock.now()))
    } finally {
      bytes.fill(0)
    }
  }

  /**
   * Shares in the form that is returned: hexadecimal and base64 of each share, or of the message that holds its hexadecimal
   * text.
   */
  async giveOut(shares: readonly Uint8Array[], publicKeys: readonly string[]): Promise<GivenOut> {
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
    const fingerprint = await asked(() => port.fingerprint(publicKey))
    // Each call may block the event loop for a while.
    await this.#clock.sleep(0)
    await asked(() => port.encrypt(PROBE.slice(), publicKey, this.#clock.now()))
    await this.#clock.sleep(0)
    return fingerprint
  }
}

export interface GivenOut {
  readonly keys: readonly string[]
  readonly keys_base64: readonly string[]
}

function portOf(port: Pgp | undefined, field: string): Pgp {
  if (port) return port
  throw notConfigured(`${field}: PGP keys need the option ports.pgp of createKernel`)
}

/** Refusals of the port are passed on; other errors count as failures of a third party. */
async function asked<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    if (cause instanceof KernelError) throw cause
    throw new KernelError('ERR_UPSTREAM', 'PGP failed: the error is the cause', { cause })
  }
}

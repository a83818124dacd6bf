/**
 * Shares and tokens for people who have given their PGP keys. Room: core/seal. Imported by initialisation and by what shares authorise.
 */
import { encodeBase64 } from '../base64.ts'
import { toUtf8 } from '../bytes.ts'
import { invalid, KernelError } from '../errors.ts'
import { toHex } from '../identifiers.ts'
import type { Pgp, Ports } from '../ports.ts'

/** Binary keys of people are a few thousand bytes; those with many signatures some ten thousand. */
const LONGEST_KEY = 262_144
/** As long as the longest that is encrypted later: the text of a share. */
const PROBE = /* @__PURE__ */ toUtf8('0'.repeat(66))

export class PgpRecipients {
  readonly #port: Pgp | undefined
  readonly #now: () => number

  constructor(ports: Ports, now: () => number) {
    this.#port = ports.pgp
    this.#now = now
  }

  /**
   * Their fingerprints, in order, after something was encrypted to each: what cannot be done later is refused now.
   * @param field That they were given in, for the message.
   * @throws KernelError 400 for a key that cannot be read or cannot encrypt, and where the kernel has no PGP; 502 where it fails.
   */
  async fingerprints(publicKeys: readonly string[], field: string): Promise<readonly string[]> {
    const known = new Map<string, string>()
    for (const publicKey of publicKeys) if (!known.has(publicKey)) known.set(publicKey, await this.#try(publicKey, field))
    return publicKeys.map((publicKey) => known.get(publicKey) as string)
  }

  /** A message that the holder of the key reads, without armour. `text` is ASCII. */
  async encrypt(text: string, publicKey: string): Promise<Uint8Array> {
    const bytes = toUtf8(text)
    try {
      return await asked(() => portOf(this.#port, 'pgp_keys').encrypt(bytes, publicKey, this.#now()))
    } finally {
      bytes.fill(0)
    }
  }

  /** Shares as they are given out: hexadecimal and base64 of each, or of the message that holds its hexadecimal text. */
  async giveOut(shares: readonly Uint8Array[], publicKeys: readonly string[]): Promise<GivenOut> {
    const given: Uint8Array[] = []
    for (const [index, share] of shares.entries()) {
      const publicKey = publicKeys[index]
      given.push(publicKey === undefined ? share : await this.encrypt(toHex(share), publicKey))
    }
    return { keys: given.map(toHex), keys_base64: given.map(encodeBase64) }
  }

  async #try(publicKey: string, field: string): Promise<string> {
    if (publicKey.length > LONGEST_KEY) throw invalid(`${field}: a PGP key is at most ${LONGEST_KEY} characters long`)
    const port = portOf(this.#port, field)
    const fingerprint = await asked(() => port.fingerprint(publicKey))
    await asked(() => port.encrypt(PROBE.slice(), publicKey, this.#now()))
    return fingerprint
  }
}

export interface GivenOut {
  readonly keys: readonly string[]
  readonly keys_base64: readonly string[]
}

function portOf(port: Pgp | undefined, field: string): Pgp {
  if (port) return port
  throw invalid(`${field}: PGP keys need the option ports.pgp of createKernel`)
}

/** What the port refuses stands; what goes wrong there is not ours to explain. */
async function asked<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    if (cause instanceof KernelError) throw cause
    throw new KernelError('ERR_UPSTREAM', 'PGP failed: the error is the cause', { cause })
  }
}

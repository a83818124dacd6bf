/** Parses signatures in packets (RFC 9580, section 5.2): their kind, issuer and time. The library verifies them. */
import { KeyRefused, Octets, toHex } from './octets.ts'
import { ECDSA, ED448, ED25519_ALGORITHM, EDDSA_LEGACY, type PublicKey, RSA } from './public-key.ts'

export interface PgpSignature {
  readonly type: number
  /** The creation time in seconds since 1970. */
  readonly created: number
  /**
   * The id of the issuing key, if the signature contains it: the last 8 octets of its fingerprint, or the first 8 octets for keys of
   * version 6.
   */
  readonly issuer: string | undefined
  /** Whether the signature marks its user id as the primary user id. */
  readonly primary: boolean
  /** Flags for the permitted uses of the signed key; undefined if the signature contains no flags. */
  readonly flags: number | undefined
}

/** The maximum size of a signature, which is more than a signature by a large key with all usual subpackets needs. */
const MAX_SIGNATURE_BYTES = 8192

const CREATED = 2
const ISSUER = 16
const PRIMARY = 25
const FLAGS = 27
const EMBEDDED = 32
const ISSUER_FINGERPRINT = 33
const EXAMINED_SUBPACKETS: ReadonlySet<number> = new Set([CREATED, ISSUER, PRIMARY, FLAGS, EMBEDDED, ISSUER_FINGERPRINT])

/** A parsed signature, and the check for signatures that the key itself made. */
export interface ParsedSignature {
  readonly signature: PgpSignature
  /** @throws KeyRefused if `key` cannot have made the signature, because the algorithm, version or size of its numbers differs. */
  validateFor(key: PublicKey): void
}

/**
 * Returns undefined if the signature cannot be a self-signature, because it has another version or is too long.
 * @throws KeyRefused if the signature is truncated, or has more octets than it should.
 */
export function readSignature(body: Uint8Array): ParsedSignature | undefined {
  const octets = new Octets(body)
  const version = octets.number(1)
  if ((version !== 4 && version !== 6) || body.length > MAX_SIGNATURE_BYTES) return undefined
  const type = octets.number(1)
  const algorithm = octets.number(1)
  octets.take(1)
  const lengthOctets = version === 4 ? 2 : 4
  const hashed = readArea(octets.take(octets.number(lengthOctets)))
  const unhashed = readArea(octets.take(octets.number(lengthOctets)))
  octets.take(2)
  const [flags] = hashed.get(FLAGS) ?? []
  const issuer = issuerOf(hashed) ?? issuerOf(unhashed)
  const created = hashed.get(CREATED)
  return {
    signature: {
      type,
      created: created ? new Octets(created).number(4) : 0,
      issuer,
      primary: (hashed.get(PRIMARY)?.[0] ?? 0) !== 0,
      flags,
    },
    validateFor(key) {
      if (algorithm !== key.algorithm || (version === 6) !== (key.version === 6))
        throw new KeyRefused('it has a self-signature whose algorithm or version differs from that of the key')
      if (version === 6) octets.take(octets.number(1))
      validateNumbers(octets, key)
      for (const embedded of [hashed.get(EMBEDDED), unhashed.get(EMBEDDED)]) if (embedded) validateEmbedded(embedded)
    },
  }
}

/** Returns the subpackets of an area by type. If several have the same type, the last one is used. */
function readArea(area: Uint8Array): ReadonlyMap<number, Uint8Array> {
  const found = new Map<number, Uint8Array>()
  for (const octets = new Octets(area); octets.left > 0; ) {
    const first = octets.number(1)
    const length = first < 192 ? first : first < 255 ? (first - 192) * 256 + octets.number(1) + 192 : octets.number(4)
    const subpacket = octets.take(length)
    if (length === 0) throw new KeyRefused('it has a signature subpacket without a type')
    const type = (subpacket[0] as number) & 0x7f
    if (type === EMBEDDED && found.has(type)) throw new KeyRefused('it has a signature with two embedded signatures')
    if (EXAMINED_SUBPACKETS.has(type)) found.set(type, subpacket.subarray(1))
  }
  return found
}

function issuerOf(area: ReadonlyMap<number, Uint8Array>): string | undefined {
  const id = area.get(ISSUER)
  if (id) return toHex(id)
  const named = area.get(ISSUER_FINGERPRINT)
  if (!named) return undefined
  const fingerprint = named.subarray(1)
  return toHex(named[0] === 4 ? fingerprint.subarray(-8) : fingerprint.subarray(0, 8))
}

function validateNumbers(octets: Octets, { algorithm, bits }: PublicKey): void {
  if (algorithm === ED25519_ALGORITHM) octets.take(64)
  else if (algorithm === ED448) octets.take(114)
  else {
    octets.integer(bits)
    if (algorithm === ECDSA || algorithm === EDDSA_LEGACY) octets.integer(bits)
    else if (!RSA.has(algorithm)) throw new KeyRefused('it has a signature by a key that is not allowed to sign')
  }
  octets.end()
}

/**
 * Validates an embedded signature. A signing subkey makes it over the primary key, and it is stored inside the signature of the primary key
 * over the subkey. It must not itself contain an embedded signature.
 */
function validateEmbedded(body: Uint8Array): void {
  const octets = new Octets(body)
  const version = octets.number(1)
  if (version !== 4 && version !== 6) throw new KeyRefused('it has a signature of an unknown version')
  octets.take(3)
  for (let areas = 0; areas < 2; areas++)
    if (readArea(octets.take(octets.number(version === 4 ? 2 : 4))).has(EMBEDDED))
      throw new KeyRefused('it has a signature that is nested twice')
}

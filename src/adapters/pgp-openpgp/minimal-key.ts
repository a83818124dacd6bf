/**
 * Reduces a public key of another party to the parts that encryption needs: the primary key with its newest self-signatures, and a few user
 * ids and subkeys, each with its newest self-signatures. The number of user ids and subkeys is limited, so that processing a key takes
 * bounded time. Signatures by other keys, images and all other packets are skipped.
 */
import { KeyRefused, Octets } from './octets.ts'
import { nextPacket, type Packet, PUBLIC_KEY, SIGNATURE, USER_ID, written } from './packets.ts'
import { type PublicKey, parsePublicKey } from './public-key.ts'
import { type PgpSignature, readSignature } from './signature.ts'

export interface MinimalKey {
  /** The fingerprint of the primary key. */
  readonly fingerprint: string
  /** The packets that remain, in the binary format of OpenPGP. */
  readonly bytes: Uint8Array
}

const MAX_KEY_BYTES = 196_608
/** The maximum number of packets. Keys that many people have signed have some hundreds. */
const MAX_PACKETS = 2048
/** The maximum size of a user id, which is a name and an address. */
const MAX_USER_ID_BYTES = 1024
/** User ids and subkeys are limited, because the library verifies all their signatures without a pause for the event loop. */
const MAX_USER_IDS = 3
const MAX_SUBKEYS = 3

const CERTIFICATIONS: ReadonlySet<number> = new Set([0x10, 0x11, 0x12, 0x13])
const CERTIFICATION_REVOKED = 0x30
const BINDING = 0x18
const BINDING_REVOKED = 0x28
const DIRECT = 0x1f
const REVOKED = 0x20
/** Key flags of a subkey that encrypts communications or storage. */
const TO_ENCRYPT = 0x0c

type SignatureRole = 'holds' | 'revoked'

/** A self-signature, and its packet. */
interface SelfSignature {
  readonly packet: Packet
  readonly says: PgpSignature
}

/** The primary key, a user id or a subkey, with its newest self-signature of each kind. */
interface KeyPart {
  readonly packet: Packet
  readonly signatures: Map<SignatureRole, SelfSignature>
  /** Present for subkeys. */
  readonly key?: PublicKey | undefined
}

/** @throws KeyRefused if the bytes are not a public key, or if a part of the key is too costly to use. */
export function minimalKey(bytes: Uint8Array): MinimalKey {
  if (bytes.length > MAX_KEY_BYTES) throw new KeyRefused(`it has ${bytes.length} bytes; the limit is ${MAX_KEY_BYTES}`)
  const octets = new Octets(bytes)
  const first = nextPacket(octets)
  if (first?.tag !== PUBLIC_KEY) throw new KeyRefused('it does not begin with a public key')
  const key = parsePublicKey(first.body)
  const primary: KeyPart = { packet: first, signatures: new Map() }
  const others = readParts(octets, key, primary)
  const kept = [primary, ...bestUserIds(others), ...newestSubkeys(others)]
  return { fingerprint: key.fingerprint, bytes: written(kept.flatMap(packetsOf)) }
}

/**
 * Reads user ids and subkeys, up to the end or the next key: only the first key is used. Adds signatures of the primary key to `primary`.
 */
function readParts(octets: Octets, key: PublicKey, primary: KeyPart): readonly KeyPart[] {
  const parts: KeyPart[] = []
  let last: KeyPart | undefined = primary
  for (let count = 1; octets.left > 0; count++) {
    if (count > MAX_PACKETS) throw new KeyRefused(`it has more than ${MAX_PACKETS} packets`)
    const packet = nextPacket(octets)
    if (packet?.tag === PUBLIC_KEY) break
    if (packet?.tag === SIGNATURE) {
      if (last) addSignature(last, packet, key)
      continue
    }
    last = packet && partOf(packet, key)
    if (last) parts.push(last)
  }
  return parts
}

/** Undefined for a part that is skipped together with its signatures. */
function partOf(packet: Packet, primary: PublicKey): KeyPart | undefined {
  const part = { packet, signatures: new Map() }
  if (packet.tag === USER_ID) return packet.body.length > MAX_USER_ID_BYTES ? undefined : part
  const key = usableSubkey(packet)
  return key?.version === primary.version ? { ...part, key } : undefined
}

/** Undefined for an unusable subkey, because another subkey may be usable. */
function usableSubkey({ body }: Packet): PublicKey | undefined {
  try {
    return parsePublicKey(body)
  } catch (error) {
    if (error instanceof KeyRefused) return undefined
    throw error
  }
}

function addSignature({ packet: { tag }, signatures }: KeyPart, packet: Packet, key: PublicKey): void {
  const read = readSignature(packet.body)
  if (!read || read.signature.issuer !== key.id) return
  const says = read.signature
  const kind = kindOf(tag, says.type)
  if (kind === undefined) return
  read.validateFor(key)
  const known = signatures.get(kind)
  if (!known || known.says.created <= says.created) signatures.set(kind, { packet, says })
}

/** Returns what a signature of this type means for a part with this tag; undefined if such a part cannot have the signature. */
function kindOf(tag: number, type: number): SignatureRole | undefined {
  if (tag === PUBLIC_KEY) return type === DIRECT ? 'holds' : type === REVOKED ? 'revoked' : undefined
  if (tag === USER_ID) return CERTIFICATIONS.has(type) ? 'holds' : type === CERTIFICATION_REVOKED ? 'revoked' : undefined
  return type === BINDING ? 'holds' : type === BINDING_REVOKED ? 'revoked' : undefined
}

/** The valid self-signature. Undefined if there is no self-signature, or if it was revoked. */
const word = ({ signatures }: KeyPart): PgpSignature | undefined =>
  signatures.has('revoked') ? undefined : signatures.get('holds')?.says

/** Returns the user ids in the order of preference: primary user ids first, then the newest. */
function bestUserIds(parts: readonly KeyPart[]): readonly KeyPart[] {
  return parts
    .flatMap((part) => {
      const says = part.packet.tag === USER_ID ? word(part) : undefined
      return says ? [{ part, says }] : []
    })
    .sort(({ says: a }, { says: b }) => Number(b.primary) - Number(a.primary) || b.created - a.created)
    .slice(0, MAX_USER_IDS)
    .map(({ part }) => part)
}

/** Returns the newest subkeys that encrypt. */
function newestSubkeys(parts: readonly KeyPart[]): readonly KeyPart[] {
  return parts
    .filter((part) => {
      const says = word(part)
      return part.key?.encrypts === true && says && (says.flags === undefined || (says.flags & TO_ENCRYPT) !== 0)
    })
    .sort((a, b) => (b.key?.created ?? 0) - (a.key?.created ?? 0))
    .slice(0, MAX_SUBKEYS)
}

const packetsOf = ({ packet, signatures }: KeyPart): readonly Packet[] => [
  packet,
  ...[...signatures.values()].map((own) => own.packet),
]

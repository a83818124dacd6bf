/**
 * What of somebody's public key is needed to encrypt to it, and no more of it than can be computed with at once: the primary key, its
 * newest words about itself, a few user ids and a few subkeys, each with the newest signature of the key's own. Signatures of others,
 * pictures and all the rest are passed over.
 */
import { KeyRefused, Octets } from './octets.ts'
import { nextPacket, type Packet, PUBLIC_KEY, SIGNATURE, USER_ID, written } from './packets.ts'
import { type PublicKey, readPublicKey } from './public-key.ts'
import { readSignature, type Signature } from './signature.ts'

export interface MinimalKey {
  /** Of the primary key. */
  readonly fingerprint: string
  /** The packets that are left. */
  readonly bytes: Uint8Array
}

const MOST_BYTES = 196_608
/** Of keys that many have signed: some hundreds. */
const MOST_PACKETS = 2048
/** A user id is a name and an address. */
const MOST_USER_ID_BYTES = 1024
/** Each signature that is left is verified, in one piece. */
const USER_IDS_KEPT = 3
const SUBKEYS_KEPT = 3

const CERTIFICATIONS: ReadonlySet<number> = new Set([0x10, 0x11, 0x12, 0x13])
const CERTIFICATION_REVOKED = 0x30
const BINDING = 0x18
const BINDING_REVOKED = 0x28
const DIRECT = 0x1f
const REVOKED = 0x20
/** Of what a subkey is for: to encrypt messages, or what is stored. */
const TO_ENCRYPT = 0x0c

type Kind = 'holds' | 'revoked'

/** A signature of the key's own, and the packet it lies in. */
interface Own {
  readonly packet: Packet
  readonly says: Signature
}

/** The primary key, a user id or a subkey, with the newest signature behind it of each kind. */
interface Part {
  readonly packet: Packet
  readonly signatures: Map<Kind, Own>
  /** Of subkeys. */
  readonly key?: PublicKey | undefined
}

/** @throws KeyRefused for what is no public key, and for one with parts that nobody is to compute with. */
export function minimalKey(bytes: Uint8Array): MinimalKey {
  if (bytes.length > MOST_BYTES) throw new KeyRefused(`it has ${bytes.length} bytes: ${MOST_BYTES} are the most`)
  const octets = new Octets(bytes)
  const first = nextPacket(octets)
  if (first?.tag !== PUBLIC_KEY) throw new KeyRefused('it does not begin with a public key')
  const key = readPublicKey(first.body)
  const primary: Part = { packet: first, signatures: new Map() }
  const others = readParts(octets, key, primary)
  const kept = [primary, ...bestUserIds(others), ...newestSubkeys(others)]
  return { fingerprint: key.fingerprint, bytes: written(kept.flatMap(packetsOf)) }
}

/** User ids and subkeys, up to the end or to another key: of several the first counts. Signatures of the primary key are put to it. */
function readParts(octets: Octets, key: PublicKey, primary: Part): readonly Part[] {
  const parts: Part[] = []
  let last: Part | undefined = primary
  for (let count = 1; octets.left > 0; count++) {
    if (count > MOST_PACKETS) throw new KeyRefused(`it has more than ${MOST_PACKETS} packets`)
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

/** Undefined for what is passed over, with the signatures behind it. */
function partOf(packet: Packet, primary: PublicKey): Part | undefined {
  const part = { packet, signatures: new Map() }
  if (packet.tag === USER_ID) return packet.body.length > MOST_USER_ID_BYTES ? undefined : part
  const key = usableSubkey(packet)
  return key?.version === primary.version ? { ...part, key } : undefined
}

/** Beside one that nobody is to compute with there may be another. */
function usableSubkey({ body }: Packet): PublicKey | undefined {
  try {
    return readPublicKey(body)
  } catch (error) {
    if (error instanceof KeyRefused) return undefined
    throw error
  }
}

function addSignature({ packet: { tag }, signatures }: Part, packet: Packet, key: PublicKey): void {
  const read = readSignature(packet.body)
  if (!read || read.signature.issuer !== key.id) return
  const says = read.signature
  const kind = kindOf(tag, says.type)
  if (kind === undefined) return
  read.judge(key)
  const known = signatures.get(kind)
  if (!known || known.says.created <= says.created) signatures.set(kind, { packet, says })
}

/** Undefined for what says nothing about such a part. */
function kindOf(tag: number, type: number): Kind | undefined {
  if (tag === PUBLIC_KEY) return type === DIRECT ? 'holds' : type === REVOKED ? 'revoked' : undefined
  if (tag === USER_ID) return CERTIFICATIONS.has(type) ? 'holds' : type === CERTIFICATION_REVOKED ? 'revoked' : undefined
  return type === BINDING ? 'holds' : type === BINDING_REVOKED ? 'revoked' : undefined
}

/** What the key itself says of it; undefined where it says nothing, or that it does not hold any more. */
const word = ({ signatures }: Part): Signature | undefined =>
  signatures.has('revoked') ? undefined : signatures.get('holds')?.says

/** In the order in which one of them is the first: those that are to be, then the newest. */
function bestUserIds(parts: readonly Part[]): readonly Part[] {
  return parts
    .flatMap((part) => {
      const says = part.packet.tag === USER_ID ? word(part) : undefined
      return says ? [{ part, says }] : []
    })
    .sort(({ says: a }, { says: b }) => Number(b.primary) - Number(a.primary) || b.created - a.created)
    .slice(0, USER_IDS_KEPT)
    .map(({ part }) => part)
}

/** The newest that encrypt. */
function newestSubkeys(parts: readonly Part[]): readonly Part[] {
  return parts
    .filter((part) => {
      const says = word(part)
      return part.key?.encrypts === true && says && (says.flags === undefined || (says.flags & TO_ENCRYPT) !== 0)
    })
    .sort((a, b) => (b.key?.created ?? 0) - (a.key?.created ?? 0))
    .slice(0, SUBKEYS_KEPT)
}

const packetsOf = ({ packet, signatures }: Part): readonly Packet[] => [
  packet,
  ...[...signatures.values()].map((own) => own.packet),
]

/** The packet framing of OpenPGP (RFC 9580, section 4). */
import { KeyRefused, type Octets } from './octets.ts'

export const PUBLIC_KEY = 6
export const PUBLIC_SUBKEY = 14
export const SIGNATURE = 2
export const USER_ID = 13
const SECRET_KEY = 5
const SECRET_SUBKEY = 7
/** The tags of marker, trust, user attribute and padding packets, which are not a part of the key itself. */
const SKIPPED_TAGS: ReadonlySet<number> = new Set([10, 12, 17, 21])
/** Packets of unknown types with this number or a higher one may be skipped. */
const FIRST_NOT_CRITICAL = 40

export interface Packet {
  readonly tag: number
  readonly body: Uint8Array
}

/**
 * Returns the next packet of a public key; undefined for a packet that may be skipped.
 * @throws KeyRefused for malformed packets, and for packets that do not belong in a public key.
 */
export function nextPacket(octets: Octets): Packet | undefined {
  const head = octets.number(1)
  if (head < 0x80) throw new KeyRefused('it is not OpenPGP data')
  const isNew = (head & 0x40) !== 0
  const tag = isNew ? head & 0x3f : (head >> 2) & 0x0f
  const body = octets.take(isNew ? newLength(octets) : oldLength(octets, head & 3))
  if (tag === SECRET_KEY || tag === SECRET_SUBKEY) throw new KeyRefused('it is a private key')
  if (tag === PUBLIC_KEY || tag === PUBLIC_SUBKEY || tag === SIGNATURE || tag === USER_ID) return { tag, body }
  if (SKIPPED_TAGS.has(tag) || tag >= FIRST_NOT_CRITICAL) return undefined
  throw new KeyRefused(`it has a packet of type ${tag}, which public keys do not have`)
}

function newLength(octets: Octets): number {
  const first = octets.number(1)
  if (first < 192) return first
  if (first < 224) return (first - 192) * 256 + octets.number(1) + 192
  if (first === 255) return octets.number(4)
  throw new KeyRefused('it has a partial packet, which public keys do not have')
}

function oldLength(octets: Octets, type: number): number {
  if (type === 3) throw new KeyRefused('it has a packet without a length')
  return octets.number(1 << type)
}

/** Returns the packets in the newer packet format, concatenated. */
export function written(packets: readonly Packet[]): Uint8Array {
  const bytes = new Uint8Array(packets.reduce((length, { body }) => length + 6 + body.length, 0))
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const { tag, body } of packets) {
    bytes[at] = 0xc0 | tag
    bytes[at + 1] = 0xff
    view.setUint32(at + 2, body.length)
    bytes.set(body, at + 6)
    at += 6 + body.length
  }
  return bytes
}

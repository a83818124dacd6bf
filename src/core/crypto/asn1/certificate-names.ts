/** Reads the host names of a certificate (RFC 5280 sections 4.1.2.6 and 4.2.1.6). */
import { fromUtf8 } from '../../base/bytes.ts'
import { toHex } from '../../base/identifiers.ts'
import type { Certificate } from './certificates.ts'
import { DerReader, OBJECT_IDENTIFIER, SEQUENCE } from './der-reader.ts'
import { SET } from './names.ts'

/** The object identifier 2.5.4.3 (common name) in hex. */
const COMMON_NAME = '550403'
const BMP_STRING = 0x1e
/** The tags `[2]` (DNS name) and `[7]` (IP address) of a GeneralName. */
const DNS_NAME = 0x82
const IP_ADDRESS = 0x87
/** The lengths of an IPv4 address and an IPv6 address in bytes. */
const ADDRESS_BYTES: readonly number[] = [4, 16]

/** The last common name in the subject. Empty if the subject has no common name. @throws KernelError 400 if the subject is not valid DER */
export function commonNameOf({ subject }: Certificate, what: string): string {
  let found = ''
  const parts = new DerReader(subject, what).next(SEQUENCE)
  while (!parts.atEnd) {
    const part = parts.next(SET)
    while (!part.atEnd) {
      const pair = part.next(SEQUENCE)
      const type = toHex(pair.next(OBJECT_IDENTIFIER).bytes)
      const tag = pair.nextTag as number
      if (type === COMMON_NAME) found = textOf(tag, pair.next(tag).bytes)
    }
  }
  return found
}

/**
 * The DNS names among the subject alternative names. Names of other kinds are not returned. @throws KernelError 400 if the extension is not
 * valid DER, or contains an IP address of invalid length
 */
export function dnsNamesOf({ altNames }: Certificate, what: string): readonly string[] {
  if (!altNames) return []
  const outer = new DerReader(altNames, what)
  const names = outer.next(SEQUENCE)
  outer.end()
  const found: string[] = []
  while (!names.atEnd) {
    const tag = names.nextTag as number
    const { bytes } = names.next(tag)
    if (tag === DNS_NAME) found.push(fromUtf8(bytes))
    if (tag === IP_ADDRESS && !ADDRESS_BYTES.includes(bytes.length)) throw names.malformed()
  }
  return found
}

/** A BMPString has two bytes per character. All other string types are decoded as UTF-8. */
function textOf(tag: number, bytes: Uint8Array): string {
  if (tag !== BMP_STRING) return fromUtf8(bytes)
  const units = Array.from({ length: bytes.length >> 1 }, (_, i) => (bytes[2 * i] as number) * 256 + (bytes[2 * i + 1] as number))
  return String.fromCharCode(...units)
}

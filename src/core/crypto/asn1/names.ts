/**
 * Reads distinguished names and extensions in certificates and certificate requests. Validates their structure and returns their bytes
 * unchanged. Sources: RFC 5280 sections 4.1.2.4 and 4.1.2.9.
 */
import { toHex } from '../../base/identifiers.ts'
import { type DerReader, OBJECT_IDENTIFIER, OCTET_STRING, SEQUENCE } from './der-reader.ts'

export const SET = 0x31
const BOOLEAN = 0x01
const TRUE = 0xff

/** Returns a DER-encoded Name. @throws KernelError 400 */
export function readName(from: DerReader): Uint8Array {
  const { bytes } = from
  const start = from.at
  const parts = from.next(SEQUENCE)
  while (!parts.atEnd) readRelativeName(parts.next(SET))
  return bytes.subarray(start, from.at)
}

/** A relative distinguished name has at least one pair of type and value. */
function readRelativeName(set: DerReader): void {
  do {
    const pair = set.next(SEQUENCE)
    pair.next(OBJECT_IDENTIFIER)
    if (pair.rest().length === 0) throw pair.malformed()
    pair.end()
  } while (!set.atEnd)
}

/**
 * Returns the contents of each extension, keyed by its object identifier in hex. @throws KernelError 400 if an extension is malformed or
 * repeated
 */
export function readExtensions(from: DerReader): ReadonlyMap<string, DerReader> {
  const found = new Map<string, DerReader>()
  const all = from.next(SEQUENCE)
  while (!all.atEnd) {
    const extension = all.next(SEQUENCE)
    const id = toHex(extension.next(OBJECT_IDENTIFIER).bytes)
    readBoolean(extension)
    const contents = extension.next(OCTET_STRING)
    extension.end()
    if (found.has(id)) throw all.malformed()
    found.set(id, contents)
  }
  return found
}

/** Reads an optional boolean. False if it is absent. @throws KernelError 400 */
export function readBoolean(from: DerReader): boolean {
  const value = from.optional(BOOLEAN)
  if (!value) return false
  const [byte] = value.bytes
  if (value.bytes.length !== 1 || (byte !== 0 && byte !== TRUE)) throw value.malformed()
  return byte === TRUE
}

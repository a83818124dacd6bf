/**
 * `<prefix>:v<version>:<body>`: ciphertexts, signatures and HMACs (source: behaviour of the originals).
 * Room: engines/transit. Imported by the operations.
 */
import { invalid } from '../../core/errors.ts'

export interface Versioned {
  readonly version: number
  readonly body: string
}

export const versioned = (prefix: string, version: number, body: string): string => `${prefix}:v${version}:${body}`

/** Longer than any signature or HMAC, short enough to decode at once. */
const MAX_MARK_CHARACTERS = 131_072

/** {@link parseVersioned} for signatures and HMACs, which have an end. @throws KernelError 400 */
export function parseMark(prefix: string, text: string, what: string): Versioned {
  if (text.length > MAX_MARK_CHARACTERS) throw invalid(`${what}: is longer than any can be`)
  return parseVersioned(prefix, text, what)
}

/** Signs and leading zeros are accepted, as the originals do. @throws KernelError 400 naming `what` */
export function parseVersioned(prefix: string, text: string, what: string): Versioned {
  const start = prefix.length + 2
  if (!text.startsWith(prefix) || !text.startsWith(':v', prefix.length)) throw invalid(`${what}: no prefix ${prefix}:v`)
  const colon = text.indexOf(':', start)
  if (colon < 0) throw invalid(`${what}: wrong number of fields`)
  const digits = text.slice(start, colon)
  if (!/^[+-]?\d{1,19}$/.test(digits)) throw invalid(`${what}: version is not a number`)
  return { version: Number(digits), body: text.slice(colon + 1) }
}

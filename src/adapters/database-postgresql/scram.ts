/** SCRAM-SHA-256 verifiers as PostgreSQL stores them (RFC 5802, RFC 7677). */
import { createHash, createHmac, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'

const ITERATIONS = 4096
export const SALT_BYTES = 16

/**
 * SASLprep (RFC 4013, section 2.1): non-ASCII spaces are mapped to a space, and the characters "commonly mapped to nothing" (RFC 3454, table
 * B.1) are removed.
 */
const MAPPED_TO_SPACE = /[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/g
const MAPPED_TO_NOTHING = /\u00ad|\u034f|\u1806|[\u180b-\u180d]|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/gu
/** If the mapped password still contains a prohibited character, PostgreSQL uses the original password. */
const PROHIBITED =
  /[\p{Cc}\p{Co}\p{Cs}\u06dd\u070f\u180e\u200e\u200f\u2028\u2029\u202a-\u202e\u2061-\u2063\u206a-\u206f\u2ff0-\u2ffb\u{1d173}-\u{1d17a}\u{e0001}\u{e0020}-\u{e007f}\ufdd0-\ufdef\ufff9-\uffff]|\u0340|\u0341/u
const ASCII = /^[\x20-\x7e]*$/

function saslPrep(password: string): string {
  if (ASCII.test(password)) return password
  const mapped = password.replace(MAPPED_TO_SPACE, ' ').replace(MAPPED_TO_NOTHING, '').normalize('NFKC')
  return mapped === '' || PROHIBITED.test(mapped) ? password : mapped
}

const derive = promisify(pbkdf2)

const mac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** @param salt 16 bytes. */
export async function scramVerifier(password: string, salt: Uint8Array): Promise<string> {
  const salted = await derive(saslPrep(password), salt, ITERATIONS, 32, 'sha256')
  const storedKey = createHash('sha256').update(mac(salted, 'Client Key')).digest('base64')
  const serverKey = mac(salted, 'Server Key').toString('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${Buffer.from(salt).toString('base64')}$${storedKey}:${serverKey}`
}

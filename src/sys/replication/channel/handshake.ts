/**
 * What both sides of a handshake do alike. Pattern KK: each side knows the other's static key, and each brings a fresh one.
 *
 * hello: e_c, sealed under DH(e_c, s_s) { name of the peer }, sealed under that and DH(s_c, s_s) { }
 * welcome: e_s, sealed under all of these, DH(e_c, e_s) and DH(s_c, e_s) { session id }
 *
 * All that was said before is bound into every key, so the seals need no additional data beyond the heads.
 */
import type { CryptoBackend } from '../../../core/crypto/backend.ts'
import { KeySchedule } from './key-schedule.ts'
import { KEY_HEAD_BYTES, SESSION_ID_BYTES } from './message.ts'
import { TAG_BYTES } from './sealed-text.ts'

/** The hello of a peer whose name is empty: both seals hold nothing. */
export const MIN_HELLO_BYTES = KEY_HEAD_BYTES + 2 * TAG_BYTES

export const WELCOME_BYTES = KEY_HEAD_BYTES + SESSION_ID_BYTES + TAG_BYTES

export function helloSchedule(crypto: CryptoBackend, serverPublicKey: Uint8Array, head: Uint8Array): KeySchedule {
  const schedule = new KeySchedule(crypto)
  schedule.bind(serverPublicKey, head)
  return schedule
}

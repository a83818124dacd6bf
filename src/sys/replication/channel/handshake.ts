/**
 * The handshake, after Noise pattern KK: each side knows the other's static public key, and both use ephemeral keys.
 *
 * hello: e_c, the peer's name sealed under DH(e_c, s_s), an empty text sealed under DH(e_c, s_s) and DH(s_c, s_s)
 * welcome: e_s, the session id sealed under DH(e_c, s_s), DH(s_c, s_s), DH(e_c, e_s) and DH(s_c, e_s)
 *
 * `e` is an ephemeral key and `s` a static key, of the client (`_c`) or the server (`_s`). Every encryption key is bound to all preceding
 * bytes of the handshake, so each ciphertext authenticates only the message head as additional data.
 */
import type { CryptoBackend } from '../../../core/crypto/backend.ts'
import { KeySchedule } from './key-schedule.ts'
import { KEY_HEAD_BYTES, SESSION_ID_BYTES } from './message.ts'
import { TAG_BYTES } from './sealed-text.ts'

/** The length of a hello with an empty peer name: its two ciphertexts are empty and consist only of their tags. */
export const MIN_HELLO_BYTES = KEY_HEAD_BYTES + 2 * TAG_BYTES

export const WELCOME_BYTES = KEY_HEAD_BYTES + SESSION_ID_BYTES + TAG_BYTES

export function helloSchedule(crypto: CryptoBackend, serverPublicKey: Uint8Array, head: Uint8Array): KeySchedule {
  const schedule = new KeySchedule(crypto)
  schedule.bind(serverPublicKey, head)
  return schedule
}

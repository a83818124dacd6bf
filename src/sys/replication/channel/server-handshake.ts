/** The server's side of the handshake of a session (Noise pattern IK). */
import { fromUtf8 } from '../../../core/base/bytes.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { equalBytes } from '../../../core/crypto/equal.ts'
import { newHandshake } from './handshakes.ts'
import { type KeyPair, PUBLIC_KEY_BYTES } from './key-pair.ts'
import { MAX_PEER_ID_BYTES } from './limits.ts'
import { isMessage, PLAIN_HEAD_BYTES, SESSION_ID_BYTES, withHead } from './message.ts'
import { TAG_BYTES } from './noise/cipher-state.ts'
import type { ChannelParts } from './parts.ts'
import { SessionKeys } from './session-keys.ts'

/**
 * Returns the public key of a peer; undefined if the peer is unknown or was revoked. Must be pure and fast, because it is called
 * repeatedly.
 */
export type PeerKeyLookup = (peerId: string) => Uint8Array | undefined

/** The authenticated sender of a hello. */
export interface AuthenticatedPeer {
  readonly peerId: string
  readonly publicKey: Uint8Array
}

export interface AdmittedPeer extends AuthenticatedPeer {
  readonly sessionId: Uint8Array
  readonly keys: SessionKeys
  readonly welcome: Uint8Array
}

/** The length of a hello with an empty peer name: ephemeral key, encrypted static key, and the tag of the empty payload. */
const MIN_HELLO_BYTES = PLAIN_HEAD_BYTES + 2 * PUBLIC_KEY_BYTES + 2 * TAG_BYTES

export const isHello = (message: Uint8Array): boolean =>
  isMessage(message, 'hello', MIN_HELLO_BYTES) && message.length <= MIN_HELLO_BYTES + MAX_PEER_ID_BYTES

/**
 * @param hello A message for which {@link isHello} is true. Not copied: must not change until the generator has ended.
 * @returns Undefined if the hello is invalid, if the sender does not have the key that `keyOf` returns, or if the key pair was wiped
 * meanwhile.
 */
export function* admitPeer(
  parts: ChannelParts,
  keyPair: KeyPair,
  hello: Uint8Array,
  keyOf: PeerKeyLookup,
): Steps<AdmittedPeer | undefined> {
  const handshake = newHandshake(parts, 'session', '', { identity: keyPair })
  try {
    const peerId = textOf(yield* handshake.readMessage(hello.subarray(PLAIN_HEAD_BYTES)))
    const publicKey = handshake.remoteStatic
    if (peerId === undefined || publicKey === undefined || !hasKey({ peerId, publicKey }, keyOf)) return undefined
    const sessionId = parts.entropy.bytes(SESSION_ID_BYTES)
    const message = yield* handshake.writeMessage(sessionId)
    if (message === undefined) return undefined
    return { peerId, publicKey, sessionId, keys: new SessionKeys(handshake), welcome: withHead('welcome', message) }
  } finally {
    handshake.wipe()
  }
}

/** Whether the peer is known and has this key. */
export function hasKey({ peerId, publicKey }: AuthenticatedPeer, keyOf: PeerKeyLookup): boolean {
  const key = keyOf(peerId)
  return key !== undefined && equalBytes(key, publicKey)
}

/** Returns undefined for invalid UTF-8. Anyone who knows the server's public key can send arbitrary bytes as a name, so this must not throw. */
function textOf(bytes: Uint8Array | undefined): string | undefined {
  try {
    return bytes && fromUtf8(bytes)
  } catch {
    return undefined
  }
}

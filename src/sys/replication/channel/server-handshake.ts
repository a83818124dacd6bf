/** The server's side of the handshake. */
import { fromUtf8 } from '../../../core/base/bytes.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { helloSchedule, MIN_HELLO_BYTES } from './handshake.ts'
import { type KeyPair, newKeyPair } from './key-pair.ts'
import type { KeySchedule } from './key-schedule.ts'
import { MAX_PEER_ID_BYTES } from './limits.ts'
import { isMessage, KEY_HEAD_BYTES, keyHead, keyIn, SESSION_ID_BYTES } from './message.ts'
import type { ChannelParts } from './parts.ts'
import { openOnce, sealOnce, TAG_BYTES } from './sealed-text.ts'
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

export const isHello = (message: Uint8Array): boolean =>
  isMessage(message, 'hello', MIN_HELLO_BYTES) && message.length <= MIN_HELLO_BYTES + MAX_PEER_ID_BYTES

/**
 * @param hello A message for which {@link isHello} is true; the function takes ownership.
 * @returns Undefined if `keyOf` returns no key for the sender.
 */
export function* admitPeer(
  parts: ChannelParts,
  keyPair: KeyPair,
  hello: Uint8Array,
  keyOf: PeerKeyLookup,
): Steps<AdmittedPeer | undefined> {
  const schedule = helloSchedule(parts.crypto, keyPair.publicKey, hello.subarray(0, KEY_HEAD_BYTES))
  const ephemeral = newKeyPair(parts)
  try {
    const guest = yield* readHello(schedule, keyPair, hello, keyOf)
    if (guest === undefined) return undefined
    // The server's key pair is not used after this yield, so its owner may wipe it.
    yield
    const head = keyHead('welcome', ephemeral.publicKey)
    schedule.bind(head)
    if (!schedule.mix(ephemeral.agree(keyIn(hello))) || !schedule.mix(ephemeral.agree(guest.publicKey))) return undefined
    const [welcomeKey, requests, answers] = schedule.keys('session', 3)
    const sessionId = parts.entropy.bytes(SESSION_ID_BYTES)
    const welcome = yield* sealOnce(welcomeKey!, head, sessionId)
    return { ...guest, sessionId, keys: new SessionKeys(answers!, requests!), welcome }
  } finally {
    ephemeral.wipe()
    schedule.wipe()
  }
}

function* readHello(
  schedule: KeySchedule,
  keyPair: KeyPair,
  hello: Uint8Array,
  keyOf: PeerKeyLookup,
): Steps<AuthenticatedPeer | undefined> {
  const proofAt = hello.length - TAG_BYTES
  const named = hello.subarray(KEY_HEAD_BYTES, proofAt)
  const head = hello.subarray(0, KEY_HEAD_BYTES)
  if (!schedule.mix(keyPair.agree(keyIn(hello)))) return undefined
  const peerId = textOf(yield* openOnce(schedule.key('hello name'), head, named))
  const known = peerId === undefined ? undefined : keyOf(peerId)
  if (peerId === undefined || known === undefined) return undefined
  const publicKey = Uint8Array.from(known)
  schedule.bind(named, publicKey)
  if (!schedule.mix(keyPair.agree(publicKey))) return undefined
  const proof = yield* openOnce(schedule.key('hello'), hello.subarray(0, proofAt), hello.subarray(proofAt))
  schedule.bind(hello.subarray(proofAt))
  return proof && { peerId, publicKey }
}

/** Returns undefined for invalid UTF-8. Anyone who knows the server's public key can send arbitrary bytes as a name, so this must not throw. */
function textOf(bytes: Uint8Array | undefined): string | undefined {
  try {
    return bytes && fromUtf8(bytes)
  } catch {
    return undefined
  }
}

/** The client's side of the handshake. */
import { EMPTY, toUtf8 } from '../../../core/base/bytes.ts'
import { invalid } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { helloSchedule, WELCOME_BYTES } from './handshake.ts'
import { type KeyPair, newKeyPair } from './key-pair.ts'
import type { KeySchedule } from './key-schedule.ts'
import { MAX_PEER_ID_BYTES } from './limits.ts'
import { isMessage, KEY_HEAD_BYTES, keyHead, keyIn } from './message.ts'
import type { ChannelParts } from './parts.ts'
import { openOnce, sealOnce } from './sealed-text.ts'
import { SessionKeys } from './session-keys.ts'

/** The identity of a client that opens a session. */
export interface ClientIdentity {
  /** The name under which the server knows the public key, at most 256 bytes of UTF-8. */
  readonly peerId: string
  /** Not copied: must not be wiped until the session is established or has ended. */
  readonly keyPair: KeyPair
}

/** A hello message, with the keys that decrypt the server's answer, the welcome. */
export interface SentHello {
  readonly hello: Uint8Array
  readonly ephemeral: KeyPair
  readonly schedule: KeySchedule
}

/**
 * @returns The first message of a session; undefined if the server's public key is invalid.
 * @throws KernelError 400 if the name is too long.
 */
export function* makeHello(
  parts: ChannelParts,
  { peerId, keyPair }: ClientIdentity,
  serverPublicKey: Uint8Array,
): Steps<SentHello | undefined> {
  const name = toUtf8(peerId)
  if (name.length > MAX_PEER_ID_BYTES) throw invalid(`the name of a peer must have at most ${MAX_PEER_ID_BYTES} bytes`)
  const ephemeral = newKeyPair(parts)
  const head = keyHead('hello', ephemeral.publicKey)
  const schedule = helloSchedule(parts.crypto, serverPublicKey, head)
  let sentHello: SentHello | undefined
  try {
    if (!schedule.mix(ephemeral.agree(serverPublicKey))) return undefined
    yield
    const named = yield* sealOnce(schedule.key('hello name'), head, name)
    schedule.bind(named.subarray(KEY_HEAD_BYTES), keyPair.publicKey)
    if (!schedule.mix(keyPair.agree(serverPublicKey))) return undefined
    const hello = yield* sealOnce(schedule.key('hello'), named, EMPTY)
    schedule.bind(hello.subarray(named.length))
    sentHello = { hello, ephemeral, schedule }
    return sentHello
  } finally {
    if (sentHello === undefined) wipeHello({ ephemeral, schedule })
  }
}

/** Wipes the keys of a finished handshake. Idempotent. */
export function wipeHello({ ephemeral, schedule }: Pick<SentHello, 'ephemeral' | 'schedule'>): void {
  ephemeral.wipe()
  schedule.wipe()
}

export interface EstablishedSession {
  readonly sessionId: Uint8Array
  readonly keys: SessionKeys
}

/**
 * Derives the session keys from the server's welcome. Returns undefined if the message is not a welcome to this hello. Another message can
 * then be tried.
 */
export function* readWelcome(
  { ephemeral, schedule }: SentHello,
  keyPair: KeyPair,
  message: Uint8Array,
): Steps<EstablishedSession | undefined> {
  if (message.length !== WELCOME_BYTES || !isMessage(message, 'welcome', WELCOME_BYTES)) return undefined
  const head = message.slice(0, KEY_HEAD_BYTES)
  const sealed = message.slice(KEY_HEAD_BYTES)
  const full = schedule.fork()
  try {
    full.bind(head)
    // Derive all keys without a yield in between: while the generator is suspended, the ephemeral key may be wiped.
    if (!full.mix(ephemeral.agree(keyIn(head))) || !full.mix(keyPair.agree(keyIn(head)))) return undefined
    const [welcome, requests, answers] = full.keys('session', 3)
    const keys = new SessionKeys(requests!, answers!)
    const sessionId = yield* openOnce(welcome!, head, sealed)
    if (sessionId) return { sessionId, keys }
    keys.end()
    return undefined
  } finally {
    full.wipe()
  }
}

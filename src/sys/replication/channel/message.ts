/**
 * The formats of messages. Each message begins with a head that is not encrypted: version, kind, and further fields that depend on the kind.
 * Numbers are big-endian. The numbers in the table are lengths in bytes.
 *
 * | Kind             | Head after version and kind           | After the head                                     |
 * | ---------------- | ------------------------------------- | -------------------------------------------------- |
 * | exchange         | ephemeral key (32)                    | sealed request                                     |
 * | exchange answer  | ephemeral key (32)                    | sealed answer                                      |
 * | hello            | ephemeral key (32)                    | sealed name of the peer, sealed empty text         |
 * | welcome          | ephemeral key (32)                    | sealed session id                                  |
 * | request          | session id (8), counter (8)           | sealed request                                     |
 * | answer           |                                       | sealed answer                                      |
 * | unknown session  |                                       |                                                    |
 */
import { MAX_REPLICATION_MESSAGE_BYTES } from '../../../core/contract/replication-transport.ts'
import { PUBLIC_KEY_BYTES } from './key-pair.ts'
import { MAX_SESSION_REQUESTS } from './limits.ts'

const VERSION = 1

const KIND = {
  exchange: 1,
  exchangeAnswer: 2,
  hello: 3,
  welcome: 4,
  request: 5,
  answer: 6,
  unknownSession: 7,
} as const

export type MessageKind = keyof typeof KIND

const PLAIN_HEAD_BYTES = 2
export const KEY_HEAD_BYTES = PLAIN_HEAD_BYTES + PUBLIC_KEY_BYTES
export const SESSION_ID_BYTES = 8
export const REQUEST_HEAD_BYTES = PLAIN_HEAD_BYTES + SESSION_ID_BYTES + 8

/** A head without further fields. */
export const plainHead = (kind: MessageKind): Uint8Array => Uint8Array.of(VERSION, KIND[kind])

/** A head with an ephemeral public key. */
export function keyHead(kind: MessageKind, publicKey: Uint8Array): Uint8Array {
  const head = new Uint8Array(KEY_HEAD_BYTES)
  head.set(plainHead(kind))
  head.set(publicKey, PLAIN_HEAD_BYTES)
  return head
}

/** Returns the key in a {@link keyHead}. */
export const keyIn = (head: Uint8Array): Uint8Array => head.subarray(PLAIN_HEAD_BYTES, KEY_HEAD_BYTES)

export function requestHead(sessionId: Uint8Array, counter: number): Uint8Array {
  const head = new Uint8Array(REQUEST_HEAD_BYTES)
  head.set(plainHead('request'))
  head.set(sessionId, PLAIN_HEAD_BYTES)
  // The upper four bytes of the counter stay zero, because no counter reaches 2^32.
  new DataView(head.buffer).setUint32(REQUEST_HEAD_BYTES - 4, counter)
  return head
}

/** Reads the head of a request. Returns undefined if the counter exceeds the maximum number of requests in a session. */
export function readRequestHead(message: Uint8Array): { readonly sessionId: Uint8Array; readonly counter: number } | undefined {
  const view = new DataView(message.buffer, message.byteOffset, REQUEST_HEAD_BYTES)
  const counter = view.getUint32(REQUEST_HEAD_BYTES - 4)
  if (view.getUint32(REQUEST_HEAD_BYTES - 8) !== 0 || counter >= MAX_SESSION_REQUESTS) return undefined
  return { sessionId: Uint8Array.from(message.subarray(PLAIN_HEAD_BYTES, PLAIN_HEAD_BYTES + SESSION_ID_BYTES)), counter }
}

const KINDS = new Map<number | undefined, MessageKind>(
  Object.entries(KIND).map(([kind, byte]) => [byte, kind as MessageKind] as const),
)

/** The kind that a message claims to have; undefined if its version or kind is unknown. */
export const kindOf = (message: Uint8Array): MessageKind | undefined =>
  message[0] === VERSION ? KINDS.get(message[1]) : undefined

/** Whether a message claims to be of this kind and has a possible length. */
export const isMessage = (message: Uint8Array, kind: MessageKind, head: number): boolean =>
  kindOf(message) === kind && message.length >= head && message.length <= MAX_REPLICATION_MESSAGE_BYTES

/** The answer to a request in an unknown session, for instance after the server was restarted. It is not authenticated. */
export const unknownSession = (): Uint8Array => plainHead('unknownSession')

export const isUnknownSession = (answer: Uint8Array): boolean =>
  answer.length === PLAIN_HEAD_BYTES && kindOf(answer) === 'unknownSession'

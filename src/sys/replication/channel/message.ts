/**
 * The formats of messages. Each message begins with a head that is not encrypted: version, kind, and further fields that depend on the kind.
 * Numbers are big-endian. The numbers in the table are lengths in bytes.
 *
 * | Kind             | Head after version and kind  | After the head                                                     |
 * | ---------------- | ---------------------------- | ------------------------------------------------------------------ |
 * | exchange         |                              | message 1 of pattern NK with the request as payload                |
 * | exchange answer  |                              | message 2 of pattern NK without payload (48), fragments of the answer |
 * | hello            |                              | message 1 of pattern IK with the name of the peer as payload       |
 * | welcome          |                              | message 2 of pattern IK with the session id as payload             |
 * | request          | session id (8), nonce (8)    | fragments of the request                                           |
 * | answer           | nonce (8)                    | fragments of the nonce of the request (8) and the answer           |
 * | unknown session  |                              |                                                                    |
 */
import { MAX_REPLICATION_MESSAGE_BYTES } from '../../../core/contract/replication-transport.ts'

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

export const PLAIN_HEAD_BYTES = 2
export const SESSION_ID_BYTES = 8
export const REQUEST_NONCE_BYTES = 8
export const REQUEST_HEAD_BYTES = PLAIN_HEAD_BYTES + SESSION_ID_BYTES + REQUEST_NONCE_BYTES
export const ANSWER_HEAD_BYTES = PLAIN_HEAD_BYTES + REQUEST_NONCE_BYTES

/** A head, followed by these fields. */
export function withHead(kind: MessageKind, ...fields: readonly Uint8Array[]): Uint8Array {
  const message = new Uint8Array(fields.reduce((sum, { length }) => sum + length, PLAIN_HEAD_BYTES))
  message.set([VERSION, KIND[kind]])
  let at = PLAIN_HEAD_BYTES
  for (const field of fields) {
    message.set(field, at)
    at += field.length
  }
  return message
}

export const requestHead = (sessionId: Uint8Array, nonce: number): Uint8Array => withHead('request', sessionId, nonceField(nonce))

export const answerHead = (nonce: number): Uint8Array => withHead('answer', nonceField(nonce))

export const sessionIdIn = (request: Uint8Array): Uint8Array =>
  request.slice(PLAIN_HEAD_BYTES, PLAIN_HEAD_BYTES + SESSION_ID_BYTES)

export function nonceField(nonce: number): Uint8Array {
  const field = new Uint8Array(REQUEST_NONCE_BYTES)
  for (let at = REQUEST_NONCE_BYTES - 1, rest = nonce; rest > 0; at--) {
    field[at] = rest % 256
    rest = Math.floor(rest / 256)
  }
  return field
}

/** Reads the nonce that begins at this offset. Returns undefined if it is `limit` or more. */
export function readNonce(message: Uint8Array, at: number, limit = Number.MAX_SAFE_INTEGER): number | undefined {
  let nonce = 0
  // Above 2^53 the sum is not exact, but still above every limit.
  for (let i = at; i < at + REQUEST_NONCE_BYTES; i++) nonce = nonce * 256 + message[i]!
  return nonce < limit ? nonce : undefined
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
export const unknownSession = (): Uint8Array => withHead('unknownSession')

export const isUnknownSession = (answer: Uint8Array): boolean =>
  answer.length === PLAIN_HEAD_BYTES && kindOf(answer) === 'unknownSession'

/** The messages that the two sides of a port exchange. Other messages on the same port are ignored. */
import type { MAX_REPLICATION_MESSAGE_BYTES } from '../../core/contract/replication-transport.ts'

/** The maximum size of a message. Its type makes the compiler compare it with the limit of the transport port. */
export const MAX_CONTENT_BYTES: typeof MAX_REPLICATION_MESSAGE_BYTES = 8_388_608

const MARK = 'replication-1'

export type EnvelopeKind = 'message' | 'answer' | 'no-answer'

export interface Envelope {
  readonly kind: EnvelopeKind
  readonly id: number
  /** Empty for the kind `no-answer`. The receiver owns these bytes. */
  readonly bytes: Uint8Array
}

export interface PostedEnvelope extends Envelope {
  readonly strongroom: typeof MARK
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Copies the bytes, so that they can be transferred. */
export const envelopeOf = (kind: EnvelopeKind, id: number, bytes: Uint8Array): PostedEnvelope => ({
  strongroom: MARK,
  kind,
  id,
  bytes: new Uint8Array(bytes),
})

/** Returns undefined if the message was not made by {@link envelopeOf}. */
export function openEnvelope(posted: unknown): Envelope | undefined {
  if (typeof posted !== 'object' || posted === null) return undefined
  const { strongroom, kind, id, bytes } = posted as Partial<Record<keyof PostedEnvelope, unknown>>
  if (strongroom !== MARK || !isKind(kind) || !isId(id)) return undefined
  if (!(bytes instanceof Uint8Array) || bytes.length > MAX_CONTENT_BYTES) return undefined
  return { kind, id, bytes: ownsBuffer(bytes) ? bytes : new Uint8Array(bytes) }
}

const isKind = (kind: unknown): kind is EnvelopeKind => kind === 'message' || kind === 'answer' || kind === 'no-answer'

const isId = (id: unknown): id is number => typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < 2 ** 32

/**
 * Whether received bytes need no copy. Shared memory is copied, because the other side may still write to it, and so are views of a part of
 * a buffer, because they would keep the whole buffer alive.
 */
const ownsBuffer = ({ buffer, length }: Uint8Array): boolean => buffer instanceof ArrayBuffer && buffer.byteLength === length

/**
 * What is posted between two sides. Other messages on the same port are none of theirs.
 */
import type { MOST_MESSAGE_BYTES } from '../../core/contract/replication-transport.ts'

/** The type keeps it equal to the port's. */
export const MAX_CONTENT_BYTES: typeof MOST_MESSAGE_BYTES = 8_388_608

const MARK = 'replication-1'

export type EnvelopeKind = 'message' | 'answer' | 'no-answer'

export interface Envelope {
  readonly kind: EnvelopeKind
  readonly id: number
  /** Empty where there is no answer. Belongs to whoever opened the envelope. */
  readonly bytes: Uint8Array
}

export interface PostedEnvelope extends Envelope {
  readonly strongroom: typeof MARK
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** With a copy of the bytes, which may be transferred. */
export const envelopeOf = (kind: EnvelopeKind, id: number, bytes: Uint8Array): PostedEnvelope => ({
  strongroom: MARK,
  kind,
  id,
  bytes: new Uint8Array(bytes),
})

/** Undefined for everything else that may be posted. */
export function openEnvelope(posted: unknown): Envelope | undefined {
  if (typeof posted !== 'object' || posted === null) return undefined
  const { strongroom, kind, id, bytes } = posted as Partial<Record<keyof PostedEnvelope, unknown>>
  if (strongroom !== MARK || !isKind(kind) || !isId(id)) return undefined
  if (!(bytes instanceof Uint8Array) || bytes.length > MAX_CONTENT_BYTES) return undefined
  return { kind, id, bytes: ownsBuffer(bytes) ? bytes : new Uint8Array(bytes) }
}

const isKind = (kind: unknown): kind is EnvelopeKind => kind === 'message' || kind === 'answer' || kind === 'no-answer'

const isId = (id: unknown): id is number => typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < 2 ** 32

/** The other side may still write to shared memory, and a small part may keep much memory alive. */
const ownsBuffer = ({ buffer, length }: Uint8Array): boolean => buffer instanceof ArrayBuffer && buffer.byteLength === length

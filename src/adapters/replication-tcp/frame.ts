/**
 * What goes over a connection: eight bytes of greeting from each side, then frames. A frame is the length of its content (4 bytes),
 * the number of its request (4 bytes), both big-endian, its kind (1 byte), and the content.
 */
import type { MOST_MESSAGE_BYTES } from '../../core/contract/replication-transport.ts'

/** The type keeps it equal to the port's. */
export const MAX_CONTENT_BYTES: typeof MOST_MESSAGE_BYTES = 8_388_608

/** Seven bytes that no other protocol begins with, and the version. */
export const GREETING: Uint8Array = Uint8Array.of(0x9f, 0x73, 0x72, 0x65, 0x70, 0x6c, 0x0a, 1)

export const HEAD_BYTES = 9

export const MESSAGE = 0
export const ANSWER = 1
/** In place of an answer: there will be none. Its content is empty. */
export const NO_ANSWER = 2

export interface FrameHead {
  readonly kind: number
  readonly id: number
  /** Bytes of content. */
  readonly length: number
}

export interface Frame {
  readonly kind: number
  readonly id: number
  readonly content: Uint8Array
}

/** A copy: the content is only lent, and a socket may keep what it writes for long. */
export function encodeFrame(kind: number, id: number, content: Uint8Array): Uint8Array {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + content.length)
  frame.writeUInt32BE(content.length, 0)
  frame.writeUInt32BE(id, 4)
  frame.writeUInt8(kind, 8)
  frame.set(content, HEAD_BYTES)
  return frame
}

/** @throws Error for a frame that no version knows or that is too long. */
export function readHead(bytes: Uint8Array): FrameHead {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEAD_BYTES)
  const head = { length: view.getUint32(0), id: view.getUint32(4), kind: view.getUint8(8) }
  if (head.kind > NO_ANSWER) throw new Error('the peer sent a frame of no known kind')
  if (head.length > MAX_CONTENT_BYTES) throw new Error(`the peer sent a message of more than ${MAX_CONTENT_BYTES} bytes`)
  return head
}

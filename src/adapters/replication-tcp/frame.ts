/**
 * The wire format: each side first sends an eight-byte greeting, then frames. A frame consists of the content length (4 bytes), the request
 * number (4 bytes), the kind (1 byte) and the content. Numbers are big-endian.
 */
import type { MAX_REPLICATION_MESSAGE_BYTES } from '../../core/contract/replication-transport.ts'

/** The maximum size of a frame's content. Its type makes the compiler compare it with the limit of the transport port. */
export const MAX_CONTENT_BYTES: typeof MAX_REPLICATION_MESSAGE_BYTES = 8_388_608

/** Seven bytes that no other protocol begins with, then the version. */
export const GREETING: Uint8Array = Uint8Array.of(0x9f, 0x73, 0x72, 0x65, 0x70, 0x6c, 0x0a, 1)

export const HEAD_BYTES = 9

export const MESSAGE = 0
export const ANSWER = 1
/** Sent if a message will not be answered. The content is empty. */
export const NO_ANSWER = 2

export interface FrameHead {
  readonly kind: number
  readonly id: number
  /** Content length in bytes. */
  readonly length: number
}

export interface Frame {
  readonly kind: number
  readonly id: number
  readonly content: Uint8Array
}

/** Copies the content, because the caller may change it after the call, and the socket may keep its data for a long time. */
export function encodeFrame(kind: number, id: number, content: Uint8Array): Uint8Array {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + content.length)
  frame.writeUInt32BE(content.length, 0)
  frame.writeUInt32BE(id, 4)
  frame.writeUInt8(kind, 8)
  frame.set(content, HEAD_BYTES)
  return frame
}

/** @throws Error if the kind is unknown or the frame is too long. */
export function readFrameHead(bytes: Uint8Array): FrameHead {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEAD_BYTES)
  const head = { length: view.getUint32(0), id: view.getUint32(4), kind: view.getUint8(8) }
  if (head.kind > NO_ANSWER) throw new Error('the peer sent a frame of an unknown kind')
  if (head.length > MAX_CONTENT_BYTES) throw new Error(`the peer sent a message of more than ${MAX_CONTENT_BYTES} bytes`)
  return head
}

/** A pool that keeps no buffers. On these platforms, keeping buffers was not measured to be faster than allocating them. */
import type { BufferPool } from '../../core/base/buffer-pool.ts'

export const bufferPool: BufferPool = {
  take: (length) => new Uint8Array(length),
  isTaken: () => false,
  hasSeveralUsers: false,
  release() {},
}

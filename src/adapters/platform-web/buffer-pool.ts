/** A pool that keeps no buffers, because the cost of new memory differs between platforms. */
import type { BufferPool } from '../../core/base/buffer-pool.ts'

export const bufferPool: BufferPool = {
  take: (length) => new Uint8Array(length),
  isTaken: () => false,
  hasSeveralUsers: false,
  release() {},
}

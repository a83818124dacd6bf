/**
 * A pool of buffers for long values, implemented by the platform.
 */
export { bufferPool } from '#platform/buffer-pool'

export interface BufferPool {
  /** Returns a buffer of `length` bytes, which may contain earlier data that is not secret. The caller must overwrite the whole buffer. */
  take(length: number): Uint8Array
  /** Whether the bytes were taken from this pool and not returned yet. Always false for short arrays, and on a platform without a pool. */
  isTaken(bytes: Uint8Array): boolean
  /** Whether more buffers of the pool are in use than a single call needs, so several calls are handling long values at the same time. */
  readonly hasSeveralUsers: boolean
  /** Returns a buffer to the pool after its last use. Wipe secrets first. Bytes that are not from the pool are ignored. */
  release(bytes: Uint8Array): void
}

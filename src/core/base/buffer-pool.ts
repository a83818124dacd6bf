/**
 * A pool of buffers for long values, implemented by the platform.
 */
export { bufferPool } from '#platform/buffer-pool'

export interface BufferPool {
  /** Returns a buffer of `length` bytes, which the caller must overwrite completely. It may contain earlier data that is not secret. */
  take(length: number): Uint8Array
  /** Whether the bytes were taken from this pool and not returned yet. Always false for short arrays, and if the platform has no pool. */
  isTaken(bytes: Uint8Array): boolean
  /** Whether several calls currently use buffers of the pool, so that their values exist at the same time. */
  readonly hasSeveralUsers: boolean
  /** Returns a buffer to the pool after its last use. Wipe secrets first. Bytes that are not from the pool are ignored. */
  release(bytes: Uint8Array): void
}

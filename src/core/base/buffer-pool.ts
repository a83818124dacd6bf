/**
 * A pool of buffers for long values, implemented by the platform.
 */
export { bufferPool } from '#platform/buffer-pool'

export interface BufferPool {
  /** A buffer of `length` bytes to be overwritten completely. It may contain earlier data that is not secret. */
  take(length: number): Uint8Array
  /** Whether the bytes were taken from this pool and not returned yet. False for short ones, and if the platform has no pool. */
  isTaken(bytes: Uint8Array): boolean
  /** Whether several calls have buffers of the pool now, so that their values exist at the same time. */
  readonly hasSeveralUsers: boolean
  /** Returns a buffer that nothing reads any more. Wipe secrets first. Bytes that are not from the pool are ignored. */
  release(bytes: Uint8Array): void
}

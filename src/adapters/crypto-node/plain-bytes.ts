/**
 * What node:crypto answers, as the kernel hands it on.
 */

/**
 * The bytes of a buffer as a plain array: `slice` of a Buffer is a view, and callers wipe what they think is a copy. Copied only where
 * the runtime made it a part of shared memory.
 */
export const plainBytes = ({ buffer, byteOffset, byteLength }: Buffer): Uint8Array =>
  buffer.byteLength === byteLength ? new Uint8Array(buffer) : new Uint8Array(buffer, byteOffset, byteLength).slice()

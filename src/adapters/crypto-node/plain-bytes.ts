/**
 * Converts a result of node:crypto to a plain Uint8Array: `slice` of a Buffer returns a view, and callers wipe the array that they take for
 * a copy. Bytes are copied only if the Buffer is a part of node's shared pool.
 */
export const bytesOfBuffer = ({ buffer, byteOffset, byteLength }: Buffer): Uint8Array =>
  buffer.byteLength === byteLength ? new Uint8Array(buffer) : new Uint8Array(buffer, byteOffset, byteLength).slice()

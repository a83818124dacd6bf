/**
 * Converts a result of node:crypto to a plain Uint8Array. `slice` of a Buffer returns a view, so a caller that wipes a slice would also
 * wipe the original. The bytes are copied only if the Buffer is a part of Node's shared pool.
 */
export const bytesOfBuffer = ({ buffer, byteOffset, byteLength }: Buffer): Uint8Array =>
  buffer.byteLength === byteLength ? new Uint8Array(buffer) : new Uint8Array(buffer, byteOffset, byteLength).slice()

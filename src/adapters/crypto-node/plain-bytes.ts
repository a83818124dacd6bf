/**
 * Converts a result of node:crypto to a plain Uint8Array. Without the conversion, `slice` would return a view, and callers would wipe the
 * original instead of a copy. Bytes are copied only if the Buffer is a part of Node's shared pool.
 */
export const bytesOfBuffer = ({ buffer, byteOffset, byteLength }: Buffer): Uint8Array =>
  buffer.byteLength === byteLength ? new Uint8Array(buffer) : new Uint8Array(buffer, byteOffset, byteLength).slice()

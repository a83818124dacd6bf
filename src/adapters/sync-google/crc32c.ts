/** CRC-32C (Castagnoli; RFC 3720, appendix B.4). With it, Google checks that a value arrived intact. */

const POLYNOMIAL = 0x82f63b78

const TABLE = /* @__PURE__ */ (() =>
  Uint32Array.from({ length: 256 }, (_, index) => {
    let rest = index
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1
    return rest
  }))()

export function crc32c(bytes: Uint8Array): number {
  let rest = 0xffffffff
  for (const byte of bytes) rest = (rest >>> 8) ^ TABLE[(rest ^ byte) & 0xff]!
  return (rest ^ 0xffffffff) >>> 0
}

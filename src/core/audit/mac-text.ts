/**
 * HMACs of 32 bytes as text, by way of bytes that are there already.
 */

const bytes = /* @__PURE__ */ Buffer.alloc(32)

export function hexOf(mac: Uint8Array): string {
  bytes.set(mac)
  return bytes.toString('hex')
}

export function base64urlOf(mac: Uint8Array): string {
  bytes.set(mac)
  return bytes.toString('base64url')
}

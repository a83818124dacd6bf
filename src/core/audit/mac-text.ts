/** Encodes 32-byte MACs as text. All calls use the same buffer. */
import { texts } from '../base/texts.ts'

const bytes = /* @__PURE__ */ texts.view(new Uint8Array(32))

export function hexOf(mac: Uint8Array): string {
  bytes.set(mac)
  return texts.hex(bytes)
}

export function base64urlOf(mac: Uint8Array): string {
  bytes.set(mac)
  return texts.base64url(bytes)
}

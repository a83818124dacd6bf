/**
 * Which backends are this package's own: a thread has them too. It cannot have somebody else's, or one that somebody has changed.
 */
import type { CryptoBackend } from './backend.ts'

/** The noble libraries alone, with the platform's WebCrypto, or node:crypto. */
export type OwnBackend = 'noble' | 'accelerated' | 'node'

const OWN = /* @__PURE__ */ new WeakMap<CryptoBackend, OwnBackend>()

export function asOwn(backend: CryptoBackend, name: OwnBackend): CryptoBackend {
  OWN.set(backend, name)
  return backend
}

export const ownBackend = (backend: CryptoBackend): OwnBackend | undefined => OWN.get(backend)

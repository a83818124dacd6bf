/**
 * Which backends are this package's own: a thread has them too. It cannot have somebody else's, or one that somebody has changed.
 */
import type { CryptoBackend } from './backend.ts'

/** The noble libraries alone, with the platform's WebCrypto, or node:crypto. */
export type BuiltInBackend = 'noble' | 'accelerated' | 'node'

const BUILT_IN = /* @__PURE__ */ new WeakMap<CryptoBackend, BuiltInBackend>()

export function registerBuiltIn(backend: CryptoBackend, name: BuiltInBackend): CryptoBackend {
  BUILT_IN.set(backend, name)
  return backend
}

export const builtInBackend = (backend: CryptoBackend): BuiltInBackend | undefined => BUILT_IN.get(backend)

/**
 * Remembers which backend objects this package created. Worker threads can create the same backends, but cannot use a custom or modified
 * backend.
 */
import type { CryptoBackend } from './backend.ts'

/** `noble`: only the noble libraries. `accelerated`: noble with the platform's cryptography. `node`: node:crypto. */
export type BuiltInBackend = 'noble' | 'accelerated' | 'node'

const BUILT_IN = /* @__PURE__ */ new WeakMap<CryptoBackend, BuiltInBackend>()

export function registerBuiltIn(backend: CryptoBackend, name: BuiltInBackend): CryptoBackend {
  BUILT_IN.set(backend, name)
  return backend
}

export const builtInBackend = (backend: CryptoBackend): BuiltInBackend | undefined => BUILT_IN.get(backend)

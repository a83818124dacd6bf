/** The functions of the key types that are not symmetric: key pairs, and keys that an external system keeps. */
import { ecdsaFunctions } from './ecdsa.ts'
import { ED25519_FUNCTIONS } from './ed25519.ts'
import type { DeferredTypeName, KeyFunctions } from './key-type.ts'
import { MANAGED_FUNCTIONS } from './managed.ts'
import { rsaFunctions } from './rsa.ts'

export const FUNCTIONS: Readonly<Record<DeferredTypeName, KeyFunctions>> = {
  ed25519: ED25519_FUNCTIONS,
  'ecdsa-p256': ecdsaFunctions('P-256', 32),
  'ecdsa-p384': ecdsaFunctions('P-384', 48),
  'ecdsa-p521': ecdsaFunctions('P-521', 66),
  'rsa-2048': rsaFunctions(2048),
  'rsa-3072': rsaFunctions(3072),
  'rsa-4096': rsaFunctions(4096),
  managed_key: MANAGED_FUNCTIONS,
}

import { equalBytes as nobleEqualBytes } from '@noble/ciphers/utils.js'

/**
 * Compares two secrets. If they have the same length, the time does not depend on their contents. If the lengths differ, returns false
 * immediately, so the length must not be secret.
 */
export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => nobleEqualBytes(a, b)

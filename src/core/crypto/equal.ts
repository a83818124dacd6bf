import { equalBytes as nobleEqualBytes } from '@noble/ciphers/utils.js'

/**
 * Compares secrets: for equal lengths the time does not depend on the contents. Different lengths return false immediately, so the length
 * must not be secret.
 */
export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => nobleEqualBytes(a, b)

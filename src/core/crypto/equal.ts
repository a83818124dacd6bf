/**
 * Comparison of secrets.
 */
import { equalBytes as nobleEqualBytes } from '@noble/ciphers/utils.js'

/**
 * Whether two byte strings are equal, in a time that depends on their lengths only: every byte is looked at whatever the earlier ones
 * said. Different lengths are false at once, so the length must not be the secret.
 */
export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => nobleEqualBytes(a, b)

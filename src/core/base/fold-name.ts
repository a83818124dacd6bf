/**
 * Case-insensitive names: the form in which they are stored, compared and authorized.
 */

/**
 * The two characters for which `toLowerCase` differs from Go's result: for U+0130 it returns two characters, and for U+03A3 the result
 * depends on the neighboring characters.
 */
const SPECIAL = /[\u0130\u03a3]/

/**
 * Converts to lower case character by character, as Go's `strings.ToLower` does in Vault and Consul. So the folded form of a prefix is a
 * prefix of the folded name, as rules about prefixes require.
 */
export function foldName(name: string): string {
  const plain = SPECIAL.test(name) ? name.replaceAll('\u0130', 'i').replaceAll('\u03a3', '\u03c3') : name
  return plain.toLowerCase()
}

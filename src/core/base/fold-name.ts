/**
 * Case-insensitive names: the form in which they are stored, compared and authorized.
 */

/** The two characters for which JavaScript's lower case depends on neighboring characters or consists of two characters. */
const SPECIAL = /[\u0130\u03a3]/

/**
 * Lower case, character by character, as Go's `strings.ToLower` computes it in Vault and Consul. The folded form of a prefix is therefore a
 * prefix of the folded name, which rules about prefixes require.
 */
export function foldName(name: string): string {
  const plain = SPECIAL.test(name) ? name.replaceAll('\u0130', 'i').replaceAll('\u03a3', '\u03c3') : name
  return plain.toLowerCase()
}

/**
 * Validates cluster addresses. The rules apply to every transport.
 */

/** Matches only characters that a URL may contain, so that an address can be shown in consoles and logs without escaping. */
const ADDRESS = /^[A-Za-z0-9._~:/?#[\]@!$&()*+,;=%-]*$/

export const isAddressText = (text: string): boolean => ADDRESS.test(text)

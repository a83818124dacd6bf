/**
 * Validates cluster addresses. The rules apply to every transport.
 */

/** Matches only characters that a URL may contain, because consoles and logs show addresses. */
const ADDRESS = /^[A-Za-z0-9._~:/?#[\]@!$&()*+,;=%-]*$/

export const isAddressText = (text: string): boolean => ADDRESS.test(text)

/**
 * Validates cluster addresses. The rules apply to every transport.
 */

/** Only characters that URLs may contain, because addresses are shown in consoles and logs. */
const ADDRESS = /^[A-Za-z0-9._~:/?#[\]@!$&()*+,;=%-]*$/

export const isAddressText = (text: string): boolean => ADDRESS.test(text)

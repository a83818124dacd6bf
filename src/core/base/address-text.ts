/**
 * Validates cluster addresses, whatever the transport.
 */

/** Only characters of URLs, because addresses are shown in consoles and logs. */
const ADDRESS = /^[A-Za-z0-9._~:/?#[\]@!$&()*+,;=%-]*$/

export const isAddressText = (text: string): boolean => ADDRESS.test(text)

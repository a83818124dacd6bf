/**
 * Addresses of clusters as texts, whatever the transport makes of them.
 */

/** The characters of URLs: an address is shown in consoles and logs. */
const ADDRESS = /^[A-Za-z0-9._~:/?#[\]@!$&()*+,;=%-]*$/

export const isAddressText = (text: string): boolean => ADDRESS.test(text)

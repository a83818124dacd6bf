/**
 * Creates the texts that the checks search for in everything stored and sent. No text is a part of another one, or likely in random bytes.
 */
export const freshText = (name: string): string => `written-${name}x`

export const FRESH = /written-v\d+x/

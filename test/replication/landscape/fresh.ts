/** What is written is looked for in all that is stored and sent: a text that is no part of another one, nor likely in what is random. */
export const freshText = (name: string): string => `written-${name}x`

export const FRESH = /written-v\d+x/

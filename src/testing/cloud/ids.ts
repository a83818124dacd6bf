import { randomInt } from 'node:crypto'

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

const draw = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

/** Returns a random id, such as `AKIA…`. @param length The number of characters, including the prefix. */
export const newId = (prefix: string, length: number): string => prefix + draw(BASE32, length - prefix.length)

export const newSecret = (length = 40): string => draw(BASE62, length)

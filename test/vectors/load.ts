import { readFileSync } from 'node:fs'

/** Parses a file of this folder. `T` is the type of one entry and is not checked. */
export const vectors = <T>(file: string): readonly T[] => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'))

export const unhex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'))

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

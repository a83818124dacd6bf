/**
 * Reading of vector files. Room: test/vectors. Imported by tests.
 */
import { readFileSync } from 'node:fs'

/** The parsed file of this folder. `T` is the caller's claim about one entry. */
export const vectors = <T>(file: string): readonly T[] => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'))

export const unhex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'))

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

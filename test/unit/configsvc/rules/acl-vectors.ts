/**
 * Reads the vectors of the ACL, which lie beside the project. Where they are absent the tests skip and say so.
 */
import { existsSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../../../../../shared/vectors/acl/', import.meta.url)

export const vectorsPresent = existsSync(FOLDER)

export const ABSENT = '(skipped where the folder shared/vectors/acl is absent)'

/** The cases of a file. `T` is the caller's claim about one of them. */
export const aclVectors = <T>(file: string): readonly T[] =>
  vectorsPresent ? (JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as { readonly cases: readonly T[] }).cases : []

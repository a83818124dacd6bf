/** Vectors from beside the repository: what the tables of the original's own tests state. */
import { existsSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../../../../../shared/vectors/acl/', import.meta.url)

export const aclVectorsPresent = existsSync(FOLDER)
export const ABSENT = '(skipped: the folder shared/vectors is absent)'

export interface Case {
  readonly id: string
  readonly about: string
}

/** Nothing where the folder is absent. */
export function aclCases<C extends Case>(name: string): readonly (readonly [title: string, C])[] {
  if (!aclVectorsPresent) return []
  const { cases } = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as { readonly cases: readonly C[] }
  return cases.map((one) => [`${one.id} ${one.about}`, one])
}

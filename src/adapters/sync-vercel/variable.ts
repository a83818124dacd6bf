/** Environment variables in responses of the API. */
import { type JsonMembers, membersOf } from '../sync/rest-response.ts'
import { syncError } from '../sync/sync-error.ts'
import type { VercelEnvironment } from './settings.ts'

/** The comment that marks pushed variables, because Vercel has no tags. */
export const OWNERSHIP_COMMENT = 'Synced by strongroom; changes that are made here are overwritten.'

export const commentOf = (owner: string | undefined): string =>
  owner === undefined ? OWNERSHIP_COMMENT : `${OWNERSHIP_COMMENT} [${owner}]`

/** Whether the owner has pushed the variable. Without an owner: whether any association has pushed it. */
export const isOwnVariable = ({ comment }: EnvironmentVariable, owner: string | undefined): boolean =>
  owner === undefined ? comment.startsWith(OWNERSHIP_COMMENT) : comment === commentOf(owner)

export interface EnvironmentVariable {
  readonly id: string
  readonly key: string
  readonly targets: readonly unknown[]
  /** The ID and, if known, the time of the last change, by which changes of other clients are detected. */
  readonly version: string
  readonly isNew: boolean
  readonly comment: string
}

const ID = /^[A-Za-z0-9_-]{1,100}$/

/** @returns Undefined for an invalid variable, and for a variable of a single Git branch. */
export function readVariable(value: unknown): EnvironmentVariable | undefined {
  const { id, key, target, gitBranch, comment, createdAt, updatedAt } = membersOf(value)
  if (typeof id !== 'string' || !ID.test(id) || typeof key !== 'string' || gitBranch) return undefined
  return {
    id,
    key,
    targets: Array.isArray(target) ? target : [target],
    version: Number.isSafeInteger(updatedAt) ? `${id}.${updatedAt}` : id,
    isNew: createdAt === updatedAt,
    comment: typeof comment === 'string' ? comment : '',
  }
}

export const variableIdOf = (version: string | undefined): string | undefined => {
  const id = version?.split('.', 1)[0]
  return id !== undefined && ID.test(id) ? id : undefined
}

export const overlaps = ({ targets }: EnvironmentVariable, wanted: readonly VercelEnvironment[]): boolean =>
  wanted.some((target) => targets.includes(target))

export interface VariablePage {
  readonly variables: readonly EnvironmentVariable[]
  /** The cursor for the next page; undefined on the last page. */
  readonly next: string | undefined
}

/** The maximum number of variables in a response. A project can have 1000 variables per environment. */
const MAX_VARIABLES_PER_PAGE = 20_000

/** @throws SyncError if the body is not a list. */
export function readVariablePage(body: unknown): VariablePage {
  const { envs, pagination } = membersOf(body)
  if (!Array.isArray(envs) || envs.length > MAX_VARIABLES_PER_PAGE) throw syncError('external', 'no_list')
  const { next } = membersOf(pagination)
  return {
    variables: envs.flatMap((one) => readVariable(one) ?? []),
    next: (typeof next === 'number' || typeof next === 'string') && next !== 0 && next !== '' ? `${next}` : undefined,
  }
}

/** The result of a creation: the variable, or the error. */
export function readCreation(body: unknown): { readonly created?: EnvironmentVariable; readonly failure?: JsonMembers } {
  const { created, failed: refused } = membersOf(body)
  const variable = readVariable(Array.isArray(created) ? created[0] : created)
  const failure = Array.isArray(refused) && refused.length > 0 ? membersOf(membersOf(refused[0])['error']) : undefined
  return { ...(variable && { created: variable }), ...(failure && { failure }) }
}

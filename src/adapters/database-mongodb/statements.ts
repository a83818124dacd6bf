import { invalidFailure } from '../database/failure.ts'
import { decodeStatement } from '../database/split-statements.ts'

export type MongoRole = string | { readonly role: string; readonly db?: string }

export interface MongoStatement {
  readonly db?: string
  readonly roles?: readonly MongoRole[]
}

const MEMBERS = ['db', 'roles']

const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''

function roleOf(value: unknown): MongoRole {
  if (isName(value)) return value
  const { role, db } = (value ?? {}) as { readonly role?: unknown; readonly db?: unknown }
  if (!isName(role) || !(db === undefined || isName(db)))
    throw invalidFailure('statements: each element of roles must be a role name, or an object with role and, optionally, db')
  return db === undefined ? role : { role, db }
}

/**
 * Parses the only statement that is not empty. Returns undefined if all statements are empty.
 * @throws DatabaseError `invalid` if several statements are not empty, or if the statement is not a JSON object with valid members.
 */
export function parseStatement(statements: readonly string[]): MongoStatement | undefined {
  const texts = statements.map(decodeStatement).filter((text) => text !== '')
  if (texts.length === 0) return undefined
  if (texts.length > 1) throw invalidFailure('statements: MongoDB supports only one statement')
  let value: unknown
  try {
    value = JSON.parse(texts[0]!)
  } catch {
    throw invalidFailure('statements: must be a JSON object for MongoDB')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidFailure('statements: must be a JSON object for MongoDB')
  for (const name of Object.keys(value))
    if (!MEMBERS.includes(name)) throw invalidFailure('statements: may only have the members db and roles for MongoDB')
  const { db, roles } = value as { readonly db?: unknown; readonly roles?: unknown }
  if (db !== undefined && typeof db !== 'string') throw invalidFailure('statements: db must be the name of a database')
  if (roles !== undefined && !Array.isArray(roles)) throw invalidFailure('statements: roles must be a list')
  return { ...(db && { db }), ...(roles && { roles: roles.map(roleOf) }) }
}

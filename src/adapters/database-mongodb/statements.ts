/**
 * Statements of MongoDB: at most one, a JSON object.
 */
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
  if (!isName(role) || !(db === undefined || isName(db))) throw invalidFailure('a role is a name, or an object with role and db')
  return db === undefined ? role : { role, db }
}

/** @throws DatabaseError `invalid` */
export function parseStatement(statements: readonly string[]): MongoStatement | undefined {
  const texts = statements.map(decodeStatement).filter((text) => text !== '')
  if (texts.length === 0) return undefined
  if (texts.length > 1) throw invalidFailure('MongoDB takes one statement')
  let value: unknown
  try {
    value = JSON.parse(texts[0]!)
  } catch {
    throw invalidFailure('a statement of MongoDB is a JSON object')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidFailure('a statement of MongoDB is a JSON object')
  for (const name of Object.keys(value))
    if (!MEMBERS.includes(name)) throw invalidFailure('a statement of MongoDB has db and roles only')
  const { db, roles } = value as { readonly db?: unknown; readonly roles?: unknown }
  if (db !== undefined && typeof db !== 'string') throw invalidFailure('db is the name of a database')
  if (roles !== undefined && !Array.isArray(roles)) throw invalidFailure('roles is a list')
  return { ...(db && { db }), ...(roles && { roles: roles.map(roleOf) }) }
}

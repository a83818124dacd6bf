/**
 * Statements of MongoDB: at most one, a JSON object.
 */
import { invalid } from '../database/failure.ts'
import { statementText } from '../database/split.ts'

export type Role = string | { readonly role: string; readonly db?: string }

export interface Statement {
  readonly db?: string
  readonly roles?: readonly Role[]
}

const MEMBERS = ['db', 'roles']

const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''

function roleOf(value: unknown): Role {
  if (isName(value)) return value
  const { role, db } = (value ?? {}) as { readonly role?: unknown; readonly db?: unknown }
  if (!isName(role) || !(db === undefined || isName(db))) throw invalid('a role is a name, or an object with role and db')
  return db === undefined ? role : { role, db }
}

/** @throws DatabaseError `invalid` */
export function statementOf(statements: readonly string[]): Statement | undefined {
  const texts = statements.map(statementText).filter((text) => text !== '')
  if (texts.length === 0) return undefined
  if (texts.length > 1) throw invalid('MongoDB takes one statement')
  let value: unknown
  try {
    value = JSON.parse(texts[0]!)
  } catch {
    throw invalid('a statement of MongoDB is a JSON object')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('a statement of MongoDB is a JSON object')
  for (const name of Object.keys(value))
    if (!MEMBERS.includes(name)) throw invalid('a statement of MongoDB has db and roles only')
  const { db, roles } = value as { readonly db?: unknown; readonly roles?: unknown }
  if (db !== undefined && typeof db !== 'string') throw invalid('db is the name of a database')
  if (roles !== undefined && !Array.isArray(roles)) throw invalid('roles is a list')
  return { ...(db && { db }), ...(roles && { roles: roles.map(roleOf) }) }
}

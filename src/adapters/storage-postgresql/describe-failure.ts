/** Describes failures of the server for the message of the kernel's error. */
import type { StorageFailure } from '../../core/storage/port.ts'
import { connectionFailure } from '../network/connection-failure.ts'
import { NoAnswerInTime, sqlStateOf, UnusableTable } from './failures.ts'

/** The names of conditions, by SQLSTATE; "PostgreSQL Error Codes", appendix A of its documentation. */
const CONDITIONS: Readonly<Record<string, string>> = {
  '25006': 'read-only transaction',
  '28000': 'invalid authorization',
  '28P01': 'invalid password',
  '3D000': 'database does not exist',
  '3F000': 'schema does not exist',
  '40001': 'serialization failure',
  '40P01': 'deadlock',
  '42501': 'insufficient privilege',
  '42P01': 'table does not exist',
  '53100': 'disk full',
  '53200': 'out of memory',
  '53300': 'too many connections',
  '55P03': 'lock not available',
  '57014': 'query canceled',
  '57P01': 'server is shutting down',
  '57P02': 'server is restarting after a crash',
  '57P03': 'server is starting up',
}

const LOGIN = 'correct the user and the password of the pool'

/** The change that the operator must make, by SQLSTATE, if a retry does not help. */
const REMEDIES: Readonly<Record<string, string>> = {
  '28000': LOGIN,
  '28P01': LOGIN,
  '3D000': 'create the database, or correct its name in the pool',
  '3F000': 'create the schema, or pass the option schema',
  '42501': 'grant the database role the missing privileges on the table or its schema',
  '42P01': 'the table was dropped; restore it from a backup',
}

/** Describes an error by its SQLSTATE or code. The server's own text is left out: it may quote values. */
export function describeFailure(error: unknown): StorageFailure | undefined {
  if (error instanceof UnusableTable)
    return { reported: error.message, remedy: 'correct the table, use another one, or update strongroom' }
  if (error instanceof NoAnswerInTime) return { reported: error.message }
  const state = sqlStateOf(error)
  const reported =
    state === undefined
      ? connectionFailure(error)
      : Object.hasOwn(CONDITIONS, state)
        ? `${CONDITIONS[state]} (${state})`
        : `SQLSTATE ${state}`
  if (reported === undefined) return undefined
  const remedy = state !== undefined && Object.hasOwn(REMEDIES, state) ? REMEDIES[state] : undefined
  return { reported, ...(remedy !== undefined && { remedy }) }
}

/**
 * What a connection is told, and what its plugin says of that: JSON that is small enough to be stored and shown in one go.
 */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import { entriesOf } from '../../../core/json/wide-object.ts'
import { classifyDatabaseFailure, databaseKernelError } from '../failures.ts'
import type { ConnectionDetails, DatabasePlugin } from '../port.ts'

const PARAMETER = 'connection_details'

const MAX_VALUES = 10_000

/** In all texts and names together: a cloud's bundle of certificates has 170,000. */
const MAX_CHARACTERS = 524_288

const MAX_LEVELS = 32

/** @throws KernelError 400 */
export function validateDetails(details: ConnectionDetails): void {
  const left = { values: MAX_VALUES, characters: MAX_CHARACTERS }
  const spend = (characters: number): void => {
    left.characters -= characters
    if (left.characters < 0) throw invalid(`${PARAMETER}: at most ${MAX_CHARACTERS} characters are taken`)
  }
  const check = (value: unknown, levels: number): void => {
    left.values--
    const members = Array.isArray(value) ? value.length : 0
    if (left.values < members) throw invalid(`${PARAMETER}: at most ${MAX_VALUES} values are taken`)
    if (typeof value === 'string') spend(value.length)
    else if (typeof value === 'object' && value !== null) {
      if (levels === MAX_LEVELS) throw invalid(`${PARAMETER}: at most ${MAX_LEVELS} levels are taken`)
      for (const [name, member] of entriesOf(value)) {
        spend(name.length)
        check(member, levels + 1)
      }
    } else if (!isScalar(value)) throw invalid(`${PARAMETER}: must hold texts, booleans, and numbers that a double holds`)
  }
  check(details, 0)
}

const isScalar = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === 'boolean' || Number.isFinite(value)

/** What is stored of what was configured. @throws KernelError 400 */
export function configureDetails(plugin: DatabasePlugin, details: ConnectionDetails): ConnectionDetails {
  validateDetails(details)
  try {
    return parseDetails(plugin.configure(details))
  } catch (thrown) {
    throw databaseKernelError(classifyDatabaseFailure(thrown), 'ERR_INVALID_REQUEST')
  }
}

/** @throws KernelError 502 for a plugin that does not say it. */
export const redactDetails = (plugin: DatabasePlugin, details: ConnectionDetails): ConnectionDetails =>
  callPlugin('shown', () => ({ ...parseDetails(plugin.shown(details)) }))

/** @throws KernelError 502 for a plugin that does not say it. */
export const warningsAbout = (plugin: DatabasePlugin, details: ConnectionDetails): readonly string[] =>
  callPlugin('warnings', () => parseWarnings(plugin.warnings(details)))

function callPlugin<T>(what: string, ask: () => T): T {
  try {
    return ask()
  } catch {
    throw new KernelError('ERR_UPSTREAM', `plugin_name: the database plugin fails to tell its ${what}`)
  }
}

function parseDetails(answer: unknown): ConnectionDetails {
  assertNotPromise(answer)
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) throw new TypeError('no object was returned')
  validateDetails(answer as ConnectionDetails)
  return answer as ConnectionDetails
}

function parseWarnings(answer: unknown): readonly string[] {
  assertNotPromise(answer)
  if (!Array.isArray(answer)) throw new TypeError('no list was returned')
  return answer.filter((text) => typeof text === 'string')
}

/** The port has no async method here. Nobody waits for the end of one, and its failure, unhandled, would end the process. */
function assertNotPromise(answer: unknown): void {
  if (!(answer instanceof Promise)) return
  answer.catch(() => undefined)
  throw new TypeError('a promise was returned')
}

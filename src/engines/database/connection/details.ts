/**
 * Validation of connection details. Their size is limited, so that storing or returning them does not block the event loop for long.
 */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import { entriesOf } from '../../../core/json/wide-object.ts'
import { classifyDatabaseFailure, databaseKernelError } from '../failures.ts'
import type { ConnectionDetails, DatabasePlugin } from '../port.ts'

const PARAMETER = 'connection_details'

const MAX_VALUES = 10_000

/**
 * The maximum length of all strings and member names together. For comparison, the CA bundle of a cloud provider has about 170,000
 * characters.
 */
const MAX_CHARACTERS = 524_288

const MAX_LEVELS = 32

/** @throws KernelError 400 if the details are too large or too deeply nested, or contain a number that does not fit a double */
export function validateDetails(details: ConnectionDetails): void {
  const left = { values: MAX_VALUES, characters: MAX_CHARACTERS }
  const spend = (characters: number): void => {
    left.characters -= characters
    if (left.characters < 0) throw invalid(`${PARAMETER}: must have at most ${MAX_CHARACTERS} characters in total`)
  }
  const check = (value: unknown, levels: number): void => {
    left.values--
    const members = Array.isArray(value) ? value.length : 0
    if (left.values < members) throw invalid(`${PARAMETER}: must have at most ${MAX_VALUES} values in total`)
    if (typeof value === 'string') spend(value.length)
    else if (typeof value === 'object' && value !== null) {
      if (levels === MAX_LEVELS) throw invalid(`${PARAMETER}: must be nested at most ${MAX_LEVELS} levels deep`)
      for (const [name, member] of entriesOf(value)) {
        spend(name.length)
        check(member, levels + 1)
      }
    } else if (!isScalar(value)) throw invalid(`${PARAMETER}: must contain only strings, booleans, and numbers that fit a double`)
  }
  check(details, 0)
}

const isScalar = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === 'boolean' || Number.isFinite(value)

/**
 * Validates the details and returns the details to store, which the plugin's `configure` returns. @throws KernelError 400 if the details
 * break a limit or the plugin refuses them.
 */
export function configureDetails(plugin: DatabasePlugin, details: ConnectionDetails): ConnectionDetails {
  validateDetails(details)
  try {
    return parseDetails(plugin.configure(details))
  } catch (thrown) {
    throw databaseKernelError(classifyDatabaseFailure(thrown), 'ERR_INVALID_REQUEST')
  }
}

/** @throws KernelError 502 if the plugin's `shown` fails or returns something other than an object. */
export const redactDetails = (plugin: DatabasePlugin, details: ConnectionDetails): ConnectionDetails =>
  callPlugin('shown', () => ({ ...parseDetails(plugin.shown(details)) }))

/** @throws KernelError 502 if the plugin's `warnings` fails or returns something other than a list. */
export const warningsAbout = (plugin: DatabasePlugin, details: ConnectionDetails): readonly string[] =>
  callPlugin('warnings', () => parseWarnings(plugin.warnings(details)))

function callPlugin<T>(method: string, call: () => T): T {
  try {
    return call()
  } catch {
    throw new KernelError('ERR_UPSTREAM', `plugin_name: the method ${method} of the database plugin failed`)
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

/**
 * Refuses a promise, because the methods `configure`, `shown` and `warnings` of a plugin must be synchronous. Adds a rejection handler to
 * the promise, because an unhandled rejection would end the process.
 */
function assertNotPromise(answer: unknown): void {
  if (!(answer instanceof Promise)) return
  answer.catch(() => undefined)
  throw new TypeError('a promise was returned')
}

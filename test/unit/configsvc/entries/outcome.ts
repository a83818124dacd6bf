/**
 * The outcome of reading a body: the entry that would be stored if other entries permit it.
 */
import type { NormalizedEntry } from '../../../../src/configsvc/entries/kind.ts'
import { readConfigEntry, validateEntry } from '../../../../src/configsvc/entries/read-entry.ts'
import { KernelError } from '../../../../src/core/base/errors.ts'
import { runToEnd } from '../../../../src/core/base/steps.ts'

/** @throws KernelError 400 */
export function accepted(body: unknown): NormalizedEntry {
  const entry = runToEnd(readConfigEntry(body))
  runToEnd(validateEntry(entry))
  return entry
}

/** Returns the entry, or the message of the refusal. */
export function outcome(body: unknown): NormalizedEntry | string {
  try {
    return accepted(body)
  } catch (error) {
    if (error instanceof KernelError && error.status === 400) return error.message
    throw error
  }
}

/**
 * Bodies to entries, and the rules that an entry holds by itself.
 */
import { invalid } from '../../core/base/errors.ts'
import { isSteps, Pace, type Steps } from '../../core/base/steps.ts'
import { coerceWhole } from '../../core/field/coercion.ts'
import { memberOf } from '../../core/json/wide-object.ts'
import type { EntryKind, NormalizedEntry } from './kind.ts'
import { ENTRY_KINDS } from './kinds.ts'
import { EntryReading, quotedValue } from './members/index.ts'

/** @throws KernelError 400 */
export function kindNamed(name: string): EntryKind {
  const kind = ENTRY_KINDS.get(name)
  if (!kind) throw invalid(`invalid config entry kind: ${quotedValue(name)}`)
  return kind
}

/**
 * The entry of a body, normalised: what is stored of it, if {@link validateEntry} agrees. Nothing of the body is shared with it; while this is
 * read the body must not change.
 * @throws KernelError 400
 */
export function* readEntry(body: unknown): Steps<NormalizedEntry> {
  const reading = new EntryReading()
  const result = kindOf(coerceWhole(body, 'body')).body.read(body, '', reading)
  const entry = isSteps(result) ? yield* result : result
  reading.refuseUnknown()
  return entry
}

/** The one name that counts in two cases only: the kind decides how all the others are read. */
function kindOf(body: object): EntryKind {
  const name = memberOf(body, 'Kind') ?? memberOf(body, 'kind')
  if (name === undefined || name === null) throw invalid('Kind: is required, as "Kind" or "kind"')
  if (typeof name !== 'string') throw invalid('Kind: must be a string')
  return kindNamed(name)
}

/** What an entry must hold whatever other entries there are. @throws KernelError 400 that names the member by its path. */
export function* validateEntry(entry: NormalizedEntry): Steps<void> {
  const steps = kindNamed(entry.Kind).body.check?.(entry, '', new Pace())
  if (steps) yield* steps
}

/** Reads entries from bodies, and validates each entry by itself. */
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
 * Normalizes the entry in a body. The result is stored in this form if {@link validateEntry} accepts it. The result shares no memory with
 * the body, which must not change while this runs.
 * @throws KernelError 400
 */
export function* readConfigEntry(body: unknown): Steps<NormalizedEntry> {
  const reading = new EntryReading()
  const result = kindOf(coerceWhole(body, 'body')).body.read(body, '', reading)
  const entry = isSteps(result) ? yield* result : result
  reading.refuseUnknown()
  return entry
}

/** `Kind` is accepted in only two spellings, because the names of members can be matched only after the kind is known. */
function kindOf(body: object): EntryKind {
  const name = memberOf(body, 'Kind') ?? memberOf(body, 'kind')
  if (name === undefined || name === null) throw invalid('Kind: is required, as "Kind" or "kind"')
  if (typeof name !== 'string') throw invalid('Kind: must be a string')
  return kindNamed(name)
}

/** Validates an entry without regard to other entries. @throws KernelError 400 that names the member by its path. */
export function* validateEntry(entry: NormalizedEntry): Steps<void> {
  const steps = kindNamed(entry.Kind).body.check?.(entry, '', new Pace())
  if (steps) yield* steps
}

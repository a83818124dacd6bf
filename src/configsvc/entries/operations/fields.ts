import { invalid } from '../../../core/base/errors.ts'
import { typedObject } from '../../../core/field/coercion.ts'
import { buildField } from '../../../core/field/field.ts'
import { f } from '../../../core/field/fields.ts'
import type { EntryKindName } from '../kind.ts'

/**
 * A config entry in a request: `Kind`, `Name` and the members of its kind. Names of members match regardless of case and in snake case; durations
 * are strings such as `1m30s`, or nanoseconds.
 */
export interface ConfigEntryInput {
  /** The kind, such as `service-defaults`. */
  readonly Kind: EntryKindName
  /**
   * For most kinds, the name of a service. May be absent for kinds with a single entry: `proxy-defaults` is always named `global`, and
   * `mesh` is always named `mesh`.
   */
  readonly Name?: string
  /** Notes: at most 64 pairs, with names of at most 128 bytes and values of at most 512 bytes. */
  readonly Meta?: Readonly<Record<string, string>>
  /** The members that this kind of entry has. */
  readonly [member: string]: unknown
}

/** A stored config entry: normalized, with defaults, and without empty members. */
export interface ConfigEntry extends ConfigEntryInput {
  readonly Name: string
  /** The index of the commit that created the entry. */
  readonly CreateIndex: number
  /** The index of the commit that last changed the entry. */
  readonly ModifyIndex: number
}

/** Identifies an entry. */
export interface ConfigEntryName {
  readonly Kind: EntryKindName
  readonly Name: string
}

/** The entries that `configsvc.entries.apply` writes. */
export type AppliedEntries = ConfigEntryInput | readonly ConfigEntryInput[]

const ANY_OBJECT = { type: 'object', properties: { Kind: { type: 'string' }, Name: { type: 'string' } }, required: ['Kind'] }

/** One entry, or several that are written together. The members depend on the kind. */
export const ENTRIES = buildField<unknown, AppliedEntries>({
  fromTyped: (value, name) => (Array.isArray(value) ? value : typedObject(value, name)),
  coerce: (raw) => raw,
  decode: (value) => value,
  description: 'An entry, or a list of entries that are validated and written together. Each entry has at most 512 KiB as JSON.',
  schema: { oneOf: [ANY_OBJECT, { type: 'array', items: ANY_OBJECT }] },
})

/** Entries to delete in the same commit. */
export const DELETED_ENTRIES = f
  .records(
    { Kind: f.strictText('The kind.'), Name: f.strictText('The name, regardless of case.') },
    'Entries to delete in the same commit.',
    { name: 'EntryToDelete' },
  )
  .default([])

export const SHOWN_ENTRY = f.json<ConfigEntry>('The entry.', ANY_OBJECT)

export const LISTED_ENTRIES = f.json<readonly ConfigEntry[]>('The entries, sorted by name.', {
  type: 'array',
  items: ANY_OBJECT,
})

/** A query flag without a value counts as true. */
const flag = (description: string) => {
  const bool = f.bool(description)
  return buildField<boolean>({ ...bool, coerce: (raw, name) => raw === '' || bool.coerce(raw, name) })
}

export const DRY_RUN = flag('Validates and responds as usual, but writes nothing.').default(false)

export const cas = (what: string) => {
  const index = f.int(what)
  return buildField<number>({
    ...index,
    fromTyped: (value, name) => notNegative(index.fromTyped(value, name), name),
    decode: (value, name) => notNegative(index.decode(value, name), name),
  }).optional()
}

/** @throws KernelError 400 */
function notNegative(index: number, name: string): number {
  if (index < 0) throw invalid(`${name}: must be an index, which cannot be negative`)
  return index
}

export const KIND_FIELD = f.word<EntryKindName>('The kind, such as `service-defaults`.')

export const NAME_FIELD = f.text('The name, regardless of case.')

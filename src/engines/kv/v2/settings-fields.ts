/** Settings of a key in requests: each in its own parameter, or as a merge patch in which null resets. */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import { type AnyField, type Builder, buildField, type Parsed } from '../../../core/field/field.ts'
import { f } from '../../../core/field/fields.ts'
import { memberOf, namesOf } from '../../../core/json/wide-object.ts'
import { customTexts } from './custom-metadata.ts'
import { count, maxVersions } from './fields.ts'

type CustomTexts = ReadonlyMap<string, string | null>

const object = f.object('')

const custom = (description: string): Builder<CustomTexts, Readonly<Record<string, string | number | boolean | null>>> =>
  buildField({
    fromTyped: (value, name) => customTexts(object.fromTyped(value, name)),
    coerce: object.coerce,
    decode: (value) => customTexts(value as object),
    sent: Object.fromEntries,
    description,
    schema: { type: 'object', additionalProperties: { type: 'string' } },
  })

export const SETTING_FIELDS = {
  max_versions: maxVersions('How many versions are kept at least; 0: as the mount says, or 10.').optional(),
  cas_required: f.bool('Whether writes need `options.cas`.').optional(),
  metadata_cas_required: f.bool('Whether writes of settings need `metadata_cas`.').optional(),
  delete_version_after: f.duration('After what time versions delete themselves; 0 is never.').optional(),
  custom_metadata: custom(
    'Up to 64 names (1 to 128 bytes) with texts (1 to 512 bytes); takes the place of what was there.',
  ).optional(),
}

export const METADATA_CAS = count(
  'How often settings were written before; the write happens only while that is so. 0: never.',
).optional()

export type SentSettings = Parsed<typeof SETTING_FIELDS>

type Nullable<T> = { readonly [K in keyof T]?: T[K] | null }
export type SettingsPatch = Nullable<SentSettings> & {
  readonly metadata_cas?: number | undefined
  /** The fault of a value; reported only where there is something to patch (source: behaviour of the originals). */
  readonly refused?: KernelError | undefined
}

/** A merge patch of settings. */
export interface PatchArguments {
  /** The least number of kept versions; 0: as the mount says, or 10. Null: unset. */
  readonly max_versions?: number | null | undefined
  /** Whether writes need `options.cas`. Null: unset. */
  readonly cas_required?: boolean | null | undefined
  /** Whether writes of settings need `metadata_cas`. Null: unset. */
  readonly metadata_cas_required?: boolean | null | undefined
  /** The age at which versions delete themselves: seconds, or text such as `1h30m`; 0 is never. Null: unset. */
  readonly delete_version_after?: number | string | null | undefined
  /** Texts by name: null removes an entry, other values set it; entries not named stay. Null instead of the object removes all. */
  readonly custom_metadata?: Readonly<Record<string, string | number | boolean | null>> | null | undefined
  /** The expected number of earlier settings writes, for optimistic concurrency. 0: never written. */
  readonly metadata_cas?: number
}

const PATCHED: Readonly<Record<string, AnyField>> = { ...SETTING_FIELDS, metadata_cas: METADATA_CAS }

type ReadMember = (field: AnyField, value: unknown, name: string) => unknown

/** Members by name, read by `read`; null stays null, unknown members are ignored. */
function membersOf(given: object, read: ReadMember): Record<string, unknown> {
  const members: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(PATCHED)) {
    const value = memberOf(given, name)
    if (value !== undefined) members[name] = value === null ? null : read(field, value, name)
  }
  return members
}

/** Settings whose types are checked at once, and whose values only when there is something to patch. */
const VALIDATED_LATE = ['max_versions', 'custom_metadata']

function patchOf(given: object, read: ReadMember): SettingsPatch {
  let refused: KernelError | undefined
  const patch = membersOf(given, (field, value, name) => {
    try {
      return read(field, value, name)
    } catch (thrown) {
      if (!(thrown instanceof KernelError && VALIDATED_LATE.includes(name))) throw thrown
      refused ??= thrown
      return undefined
    }
  })
  if (patch['metadata_cas'] === null) delete patch['metadata_cas']
  return { ...patch, refused }
}

/** A merge patch, sent as a whole. */
export const SETTINGS_PATCH: Builder<SettingsPatch, PatchArguments> = buildField<SettingsPatch, PatchArguments>({
  fromTyped: (value, name) => {
    const given = object.fromTyped(value, name)
    for (const member of namesOf(given))
      if (!Object.hasOwn(PATCHED, member)) throw new TypeError(`${name}.${member}: unknown argument`)
    return patchOf(given, (field, one, member) => field.fromTyped(one, member))
  },
  coerce: object.coerce,
  decode: (value) => {
    if (typeof value !== 'object' || value === null) throw invalid('body: must be an object')
    const coerced = membersOf(value, (field, one, member) => field.coerce(one, member))
    return patchOf(coerced, (field, one, member) => field.decode(one, member))
  },
  sent: ({ refused: _, ...patch }) => membersOf(patch, ({ sent }, value) => (sent ? sent(value) : value)),
  description: 'Settings that change; null sets one back. In `custom_metadata` null removes an entry, and others stay.',
  schema: { type: 'object' },
})

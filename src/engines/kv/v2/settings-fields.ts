/** The settings of a key in requests: as separate parameters, or as a merge patch, in which null resets a setting. */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import { type AnyField, type Builder, buildField, type Parsed } from '../../../core/field/field.ts'
import { f } from '../../../core/field/fields.ts'
import { memberNames, memberOf } from '../../../core/json/wide-object.ts'
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
  max_versions: maxVersions(
    "How many of the latest versions are kept; 0 means the mount's setting, or 10. A higher setting of the mount takes precedence.",
  ).optional(),
  cas_required: f.bool('Whether writes require `options.cas`.').optional(),
  metadata_cas_required: f.bool('Whether writes of settings require `metadata_cas`.').optional(),
  delete_version_after: f.duration('The age at which versions are deleted automatically; 0 means never.').optional(),
  custom_metadata: custom(
    'Up to 64 entries with names of 1 to 128 bytes and strings of 1 to 512 bytes. Replaces the existing custom metadata.',
  ).optional(),
}

export const METADATA_CAS = count(
  'If given, the write succeeds only if the settings were written exactly this many times before; 0 requires that they were never written.',
).optional()

export type SentSettings = Parsed<typeof SETTING_FIELDS>

type Nullable<T> = { readonly [K in keyof T]?: T[K] | null }
export type SettingsPatch = Nullable<SentSettings> & {
  readonly metadata_cas?: number | undefined
  /** The error for an invalid value. As in Vault, it is thrown only if the secret to patch exists. */
  readonly refused?: KernelError | undefined
}

/** A merge patch of settings. */
export interface PatchArguments {
  /** How many of the latest versions are kept; 0 means the mount's setting, or 10. A higher setting of the mount takes precedence. Null resets it. */
  readonly max_versions?: number | null | undefined
  /** Whether writes require `options.cas`. Null resets it. */
  readonly cas_required?: boolean | null | undefined
  /** Whether writes of settings require `metadata_cas`. Null resets it. */
  readonly metadata_cas_required?: boolean | null | undefined
  /** The age at which versions are deleted automatically: seconds, or a string such as `1h30m`; 0 means never. Null resets the setting. */
  readonly delete_version_after?: number | string | null | undefined
  /** The entries to change, by name: null removes an entry, and any other value sets it. Null in place of the object removes all entries. */
  readonly custom_metadata?: Readonly<Record<string, string | number | boolean | null>> | null | undefined
  /** The patch succeeds only if the settings were written exactly this many times before; 0 requires that they were never written. */
  readonly metadata_cas?: number
}

const PATCHED: Readonly<Record<string, AnyField>> = { ...SETTING_FIELDS, metadata_cas: METADATA_CAS }

type ReadMember = (field: AnyField, value: unknown, name: string) => unknown

/** Reads the known members with `read`. Keeps null, and ignores unknown members. */
function membersOf(given: object, read: ReadMember): Record<string, unknown> {
  const members: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(PATCHED)) {
    const value = memberOf(given, name)
    if (value !== undefined) members[name] = value === null ? null : read(field, value, name)
  }
  return members
}

/** The types of these settings are checked immediately. Their values are checked only if the secret to patch exists. */
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

/** The whole request body is one merge patch (RFC 7396). */
export const SETTINGS_PATCH: Builder<SettingsPatch, PatchArguments> = buildField<SettingsPatch, PatchArguments>({
  fromTyped: (value, name) => {
    const given = object.fromTyped(value, name)
    for (const member of memberNames(given))
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
  description:
    'The settings to change; null resets a setting. In `custom_metadata` null removes an entry, and other entries are kept.',
  schema: { type: 'object' },
})

/** The settings of a mount, when it is created and when it is tuned. */
import { parseDuration } from '../../core/base/duration.ts'
import { invalid } from '../../core/base/errors.ts'
import { type MountConfig, SYSTEM_TTL_SECONDS } from '../../core/contract/mount-record.ts'
import { coerceMap } from '../../core/field/coercion.ts'
import { type Builder, buildField, type Parsed } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import { coerceAll, decodeAll, parseTyped, typedTable, type Values } from '../../core/field/parse.ts'
import type { DurationInput } from '../../core/field/scalar-fields.ts'

const TOKEN_TYPES = ['default-service', 'default-batch', 'service', 'batch'] as const

const duration = f.duration('')

/** A lifetime in seconds. `system` becomes 0; an empty string changes nothing. */
const leaseTtl = (description: string): Builder<number | undefined, DurationInput> => {
  const read = (value: unknown, name: string): number | undefined => {
    if (value === '') return undefined
    return value === 'system' ? 0 : parseDuration(value as number | string, name)
  }
  return buildField({
    fromTyped: (value, name) => (value === '' || value === 'system' ? read(value, name) : duration.fromTyped(value, name)),
    coerce: duration.coerce,
    decode: read,
    description,
    schema: duration.schema,
  })
}

/** Settings of secrets engines and auth methods, under their names in the mount's record. */
export const TUNING = {
  default_lease_ttl: leaseTtl(
    "The default lifetime of the mount's secrets and tokens; `system` or 0 means 768 hours.",
  ).optional(),
  max_lease_ttl: leaseTtl('The maximum lifetime, which may be longer than 768 hours; `system` or 0 means 768 hours.').optional(),
  audit_non_hmac_request_keys: f
    .list('Request parameters that the audit log shows in plaintext; an empty list means none.')
    .optional(),
  audit_non_hmac_response_keys: f
    .list('Members of responses that the audit log shows in plaintext; an empty list means none.')
    .optional(),
  listing_visibility: f
    .oneOf(
      ['', 'hidden', 'unauth'],
      '`unauth`: user interfaces list the mount even without a token. `hidden` or empty: they do not.',
    )
    .optional(),
  passthrough_request_headers: f.list('Stored for clients only: no engine reads headers.').optional(),
  allowed_response_headers: f.list('Stored for clients only: no engine sends headers.').optional(),
  token_type: f
    .oneOf(
      ['', ...TOKEN_TYPES],
      'The type of the tokens that an auth method creates. `default-...` applies if the auth method does not choose a type.',
    )
    .optional(),
}

const SETTINGS = {
  ...TUNING,
  force_no_cache: f.bool('Stored for clients, but without effect: caches contain only what the store contains.').optional(),
}

export type Settings = Partial<Parsed<typeof SETTINGS>>

const typed = typedTable(SETTINGS)

/** The settings of a new mount. They can be tuned later. */
export interface MountSettings {
  /** The default lifetime of the mount's secrets and tokens: seconds, or a string such as `1h30m`. `system` or 0 means 768 hours. */
  readonly default_lease_ttl?: number | string | undefined
  /** The maximum lifetime, which may be longer than 768 hours: seconds, or a string such as `1h30m`. `system` or 0 means 768 hours. */
  readonly max_lease_ttl?: number | string | undefined
  /** Request parameters that the audit log shows in plaintext; an empty list means none. */
  readonly audit_non_hmac_request_keys?: readonly string[] | undefined
  /** Members of responses that the audit log shows in plaintext; an empty list means none. */
  readonly audit_non_hmac_response_keys?: readonly string[] | undefined
  /** `unauth`: user interfaces list the mount even without a token. `hidden` or empty: they do not. */
  readonly listing_visibility?: '' | 'hidden' | 'unauth' | undefined
  /** Stored for clients only: no engine reads headers. */
  readonly passthrough_request_headers?: readonly string[] | undefined
  /** Stored for clients only: no engine sends headers. */
  readonly allowed_response_headers?: readonly string[] | undefined
  /** The type of the tokens that an auth method creates. `default-...` applies if the auth method does not choose a type. */
  readonly token_type?: '' | 'default-service' | 'default-batch' | 'service' | 'batch' | undefined
  /** Stored for clients, but without effect: caches contain only what the store contains. */
  readonly force_no_cache?: boolean | undefined
}

/** The settings of a new mount as one object. Calls by path ignore unknown members. */
export const MOUNT_CONFIG_FIELD: Builder<Settings, MountSettings> = buildField({
  fromTyped: (value, name) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError(`${name}: must be an object`)
    return parseTyped(typed, value as Values) as Settings
  },
  coerce: (raw, name) => {
    return coerceAll(SETTINGS, coerceMap(raw, name) as Values)
  },
  decode: (value) => decodeAll(SETTINGS, value as Values) as Settings,
  description: 'Settings; they can be changed later by tuning.',
  schema: { type: 'object' },
})

const LISTS = [
  'audit_non_hmac_request_keys',
  'audit_non_hmac_response_keys',
  'passthrough_request_headers',
  'allowed_response_headers',
] as const

type Changing = { -readonly [K in keyof MountConfig]: MountConfig[K] }

/** Settings that the request omits are kept; empty ones are removed. @throws KernelError 400 if the default exceeds the maximum. */
export function withMountSettings(config: MountConfig, settings: Settings): MountConfig {
  const changed: Changing = { ...config }
  changed.default_lease_ttl = settings.default_lease_ttl ?? config.default_lease_ttl
  changed.max_lease_ttl = settings.max_lease_ttl ?? config.max_lease_ttl
  changed.force_no_cache = settings.force_no_cache ?? config.force_no_cache
  for (const name of LISTS) {
    const list = settings[name]
    if (list && list.length > 0) changed[name] = list
    else if (list) delete changed[name]
  }
  const { listing_visibility, token_type } = settings
  if (listing_visibility) changed.listing_visibility = listing_visibility
  else if (listing_visibility === '') delete changed.listing_visibility
  if (token_type !== undefined) changed.token_type = token_type === '' ? 'default-service' : token_type
  const { default_lease_ttl: fallback, max_lease_ttl: max } = changed
  if (max > 0 && fallback > max)
    throw invalid(`default_lease_ttl: must not exceed max_lease_ttl; it is ${fallback} seconds, and max_lease_ttl is ${max}`)
  return changed
}

/**
 * Called only for new mounts, because a later request may still set the maximum of an existing mount.
 * @throws KernelError 400 if the default lifetime exceeds the system's maximum and the mount has no maximum
 */
export function checkAgainstSystem({ default_lease_ttl, max_lease_ttl }: MountConfig): void {
  if (max_lease_ttl === 0 && default_lease_ttl > SYSTEM_TTL_SECONDS)
    throw invalid(
      `default_lease_ttl: must not exceed the system's maximum of ${SYSTEM_TTL_SECONDS} seconds if max_lease_ttl is not set`,
    )
}

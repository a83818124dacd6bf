/**
 * POST and PATCH metadata/:path (source: behaviour of the originals).
 */
import { conflict, invalid, notFound } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { checkWritable } from '../../../core/field/free-path.ts'
import { patchedMember } from '../../../core/json/merge-patch.ts'
import { checkCustom } from './custom-metadata.ts'
import { PATH } from './fields.ts'
import { configOf, converted, type Found, findKey, freshKey } from './key.ts'
import { KEY } from './key-record.ts'
import type { Settings } from './records.ts'
import { METADATA_CAS, SETTING_FIELDS, SETTINGS_PATCH, type SentSettings, type SettingsPatch } from './settings-fields.ts'
import { DEFAULT_SETTINGS, withSettings } from './versions.ts'

type Changes = { -readonly [K in keyof Settings]?: Settings[K] }

const REQUIRED = ['cas_required', 'metadata_cas_required'] as const

function store(tx: Tx, path: string, found: Found | undefined, changes: Changes, cas: number | undefined): undefined {
  const config = configOf(tx)
  const written = found?.key.settings_version ?? 0
  if (cas !== undefined && cas !== written)
    throw conflict('metadata_cas: metadata check-and-set parameter did not match the current version', written)
  if (Object.keys(changes).length === 0) return undefined
  if (cas === undefined && (config.metadata_cas_required || found?.key.metadata_cas_required))
    throw invalid('metadata_cas: metadata check-and-set parameter required for this call')
  const key = found ? converted(tx, path, found) : freshKey(tx)
  tx.put(KEY, path, withSettings(key, changes, tx.now))
  tx.event('secret.metadata_written', { path })
  for (const name of REQUIRED)
    if (changes[name] === false && config[name])
      tx.warn(`"${name}" set to false, but is mandated by backend config. This value will be ignored.`)
  return undefined
}

/** Drops members that were not sent. */
function sent({ custom_metadata, ...plain }: SentSettings): Changes {
  const changes: Changes = {}
  for (const [name, value] of Object.entries(plain)) if (value !== undefined) Object.assign(changes, { [name]: value })
  if (custom_metadata) changes.custom_metadata = checkCustom(custom_metadata)
  return changes
}

function patched(before: Settings, { custom_metadata, metadata_cas: _, refused: __, ...plain }: SettingsPatch): Changes {
  const changes: Changes = {}
  for (const [name, value] of Object.entries(plain)) {
    const setting = name as keyof Settings
    Object.assign(changes, { [name]: patchedMember<unknown>(before[setting], value) ?? DEFAULT_SETTINGS[setting] })
  }
  if (custom_metadata === undefined) return changes
  const patch = custom_metadata && Object.fromEntries(custom_metadata)
  const merged = patchedMember(before.custom_metadata ?? undefined, patch)
  // The limits apply to the merged result.
  return { ...changes, custom_metadata: merged ? checkCustom(new Map(Object.entries(merged))) : null }
}

export const writeMetadata = operation({
  kind: 'write',
  verb: 'POST',
  path: '/metadata/+path',
  forwardable: true,
  summary: 'Sets what is kept of a secret and how it may be written; what is not given stays.',
  fields: { path: PATH, ...SETTING_FIELDS, metadata_cas: METADATA_CAS },
  returns: {},
  exists: (tx, { path = '' }) => findKey(tx, path) !== undefined,
  run: (tx, { path, metadata_cas, ...settings }) => {
    checkWritable(path, 'path')
    return store(tx, path, findKey(tx, path), sent(settings), metadata_cas)
  },
})

export const patchMetadata = operation({
  kind: 'write',
  verb: 'PATCH',
  path: '/metadata/+path',
  forwardable: true,
  summary: 'Changes settings of a secret by a merge patch (RFC 7396).',
  fields: { path: PATH, patch: SETTINGS_PATCH },
  body: 'patch',
  returns: {},
  run: (tx, { path, patch }) => {
    checkWritable(path, 'path')
    const found = findKey(tx, path)
    if (!found) throw notFound('path: there is no such secret')
    if (patch.refused) throw patch.refused
    return store(tx, path, found, patched(found.key, patch), patch.metadata_cas)
  },
})

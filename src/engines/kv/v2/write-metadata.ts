import { conflict, invalid, notFound } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { checkWritable } from '../../../core/field/free-path.ts'
import { patchedMember } from '../../../core/json/merge-patch.ts'
import { checkCustom } from './custom-metadata.ts'
import { KV_SECRET_PATH } from './fields.ts'
import { configOf, ensureConverted, type FoundKey, findKey, freshKey } from './key.ts'
import { KEY } from './key-record.ts'
import type { KeySettings } from './records.ts'
import { METADATA_CAS, SETTING_FIELDS, SETTINGS_PATCH, type SentSettings, type SettingsPatch } from './settings-fields.ts'
import { DEFAULT_SETTINGS, withKeySettings } from './versions.ts'

type SettingsChanges = { -readonly [K in keyof KeySettings]?: KeySettings[K] }

const REQUIRED = ['cas_required', 'metadata_cas_required'] as const

function storeSettings(
  tx: Tx,
  path: string,
  found: FoundKey | undefined,
  changes: SettingsChanges,
  cas: number | undefined,
): undefined {
  const config = configOf(tx)
  const written = found?.key.settings_version ?? 0
  if (cas !== undefined && cas !== written)
    throw conflict('metadata_cas: metadata check-and-set parameter did not match the current version', written)
  if (Object.keys(changes).length === 0) return undefined
  if (cas === undefined && (config.metadata_cas_required || found?.key.metadata_cas_required))
    throw invalid('metadata_cas: metadata check-and-set parameter required for this call')
  const key = found ? ensureConverted(tx, path, found) : freshKey(tx)
  tx.put(KEY, path, withKeySettings(key, changes, tx.now))
  tx.event('secret.metadata_written', { path })
  for (const name of REQUIRED)
    if (changes[name] === false && config[name])
      tx.warn(`"${name}" set to false, but is mandated by backend config. This value will be ignored.`)
  return undefined
}

/** Omits settings that the request does not contain. */
function sentSettings({ custom_metadata, ...plain }: SentSettings): SettingsChanges {
  const changes: SettingsChanges = {}
  for (const [name, value] of Object.entries(plain)) if (value !== undefined) Object.assign(changes, { [name]: value })
  if (custom_metadata) changes.custom_metadata = checkCustom(custom_metadata)
  return changes
}

function patchedSettings(
  before: KeySettings,
  { custom_metadata, metadata_cas: _, refused: __, ...plain }: SettingsPatch,
): SettingsChanges {
  const changes: SettingsChanges = {}
  for (const [name, value] of Object.entries(plain)) {
    const setting = name as keyof KeySettings
    Object.assign(changes, { [name]: patchedMember<unknown>(before[setting], value) ?? DEFAULT_SETTINGS[setting] })
  }
  if (custom_metadata === undefined) return changes
  const patch = custom_metadata && Object.fromEntries(custom_metadata)
  const merged = patchedMember(before.custom_metadata ?? undefined, patch)
  // Check the limits for the merged result and not for the patch.
  return { ...changes, custom_metadata: merged ? checkCustom(new Map(Object.entries(merged))) : null }
}

/**
 * @throws KernelError 400 if the path is empty, is invalid, or ends with a slash, if a setting is out of range, if `custom_metadata` has
 *   more than 64 entries, if an entry of `custom_metadata` is too long, if `metadata_cas` is not the number of earlier writes of the
 *   settings, or if `metadata_cas` is missing and the secret or the mount requires it.
 */
export const writeMetadata = operation({
  kind: 'write',
  verb: 'POST',
  path: '/metadata/+path',
  forwardable: true,
  summary: 'Sets the settings of a secret. Omitted settings are unchanged.',
  fields: { path: KV_SECRET_PATH, ...SETTING_FIELDS, metadata_cas: METADATA_CAS },
  returns: {},
  exists: (tx, { path = '' }) => findKey(tx, path) !== undefined,
  run: (tx, { path, metadata_cas, ...settings }) => {
    checkWritable(path, 'path')
    return storeSettings(tx, path, findKey(tx, path), sentSettings(settings), metadata_cas)
  },
})

/**
 * @throws KernelError 400 if the path is empty, is invalid, or ends with a slash, if a setting is out of range, if `custom_metadata` has
 *   more than 64 entries, if an entry of `custom_metadata` is too long, if `metadata_cas` is not the number of earlier writes of the
 *   settings, or if `metadata_cas` is missing and the secret or the mount requires it.
 * @throws KernelError 404 if the secret does not exist.
 */
export const patchMetadata = operation({
  kind: 'write',
  verb: 'PATCH',
  path: '/metadata/+path',
  forwardable: true,
  summary: 'Changes settings of a secret by a merge patch (RFC 7396).',
  fields: { path: KV_SECRET_PATH, patch: SETTINGS_PATCH },
  body: 'patch',
  returns: {},
  run: (tx, { path, patch }) => {
    checkWritable(path, 'path')
    const found = findKey(tx, path)
    if (!found) throw notFound('path: there is no secret at this path')
    if (patch.refused) throw patch.refused
    return storeSettings(tx, path, found, patchedSettings(found.key, patch), patch.metadata_cas)
  },
})

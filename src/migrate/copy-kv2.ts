/**
 * Copies secrets of KV version 2 with all versions and their numbers.
 *
 * The API numbers versions one after the other. So every version up to the current one is written at the target: those that the source
 * deleted, destroyed or removed get a placeholder, and are then deleted, destroyed or removed as well. Each write names the version before
 * it (`cas`), so a write that is repeated after an interruption cannot create a second version.
 */
import { ItemChanged, type ItemCopier, type MigrationItem, note, refused, type Sides } from './item.ts'
import { readMetadata, type SecretMetadata, type SecretSettings, type VersionState } from './kv2-metadata.ts'
import { type Caller, pathOf } from './party.ts'
import { sameValue } from './same-value.ts'

/** The value of a version whose data the source no longer returns. */
const PLACEHOLDER = { strongroom_migrate: 'the source had deleted this version, so its data was not copied' }

const DEFAULT_SETTINGS: SecretSettings = {
  max_versions: 0,
  cas_required: false,
  delete_version_after: '0s',
  custom_metadata: null,
}

/** The versions that a new secret keeps, if neither its mount nor the secret has another limit. */
const DEFAULT_MAX_VERSIONS = 10

async function readVersion(caller: Caller, { mount, name }: MigrationItem, version: number): Promise<unknown> {
  const path = `${pathOf(mount)}data/${pathOf(name)}`
  const { data } = await caller.call('GET', path, undefined, { version: `${version}` })
  return data?.['data'] ?? undefined
}

const writeSettings = ({ to }: Sides, { mount, name }: MigrationItem, settings: SecretSettings) =>
  to.call('POST', `${pathOf(mount)}metadata/${pathOf(name)}`, {
    ...settings,
    custom_metadata: settings.custom_metadata ?? {},
  })

/** Whether the versions that the target has are the first versions of the source. */
async function isPrefix(sides: Sides, item: MigrationItem, source: SecretMetadata, target: SecretMetadata): Promise<boolean> {
  if (target.current > source.current) return false
  for (const [version, state] of target.versions) {
    if (state !== 'live') {
      if (version >= source.oldest && source.versions.get(version) === 'live') return false
      continue
    }
    const copied = await readVersion(sides.to, item, version)
    const wanted = source.versions.get(version) === 'live' ? await readVersion(sides.from, item, version) : PLACEHOLDER
    if (!sameValue(copied, wanted)) return false
  }
  return true
}

/** Writes the versions after `last`. */
async function writeVersions(sides: Sides, item: MigrationItem, source: SecretMetadata, last: number): Promise<void> {
  const path = `${pathOf(item.mount)}data/${pathOf(item.name)}`
  for (let version = last + 1; version <= source.current; version++) {
    const isLive = source.versions.get(version) === 'live'
    const data = isLive ? await readVersion(sides.from, item, version) : PLACEHOLDER
    if (data === undefined) throw new ItemChanged()
    await sides.to.call('POST', path, { data, options: { cas: version - 1 } })
  }
}

/** Deletes and destroys the versions that are deleted and destroyed at the source. */
async function writeStates(
  { to }: Sides,
  { mount, name }: MigrationItem,
  source: SecretMetadata,
  target: SecretMetadata | undefined,
) {
  for (const [state, verb] of [
    ['deleted', 'delete'],
    ['destroyed', 'destroy'],
  ] as const) {
    const versions = [...source.versions].flatMap(([version, is]) =>
      is === state && target?.versions.get(version) !== state ? [version] : [],
    )
    if (versions.length > 0) await to.call('POST', `${pathOf(mount)}${verb}/${pathOf(name)}`, { versions })
  }
}

/**
 * The limit of versions with which exactly the versions of the source remain; undefined if the settings of a new secret do that.
 * @param limit The limit of a new secret.
 */
function limitWhileWriting({ current, oldest, hasReachedLimit, settings }: SecretMetadata, limit: number): number | undefined {
  const kept = current - oldest + 1
  if (!hasReachedLimit && kept < limit && settings.delete_version_after === '0s') return undefined
  return Math.max(1, hasReachedLimit ? kept : kept + 1)
}

const statesOf = ({ versions, oldest }: SecretMetadata): Record<string, VersionState> =>
  Object.fromEntries([...versions].filter(([version]) => version >= oldest))

const isSameMetadata = (a: SecretMetadata, b: SecretMetadata): boolean =>
  a.current === b.current && a.oldest === b.oldest && sameValue(statesOf(a), statesOf(b)) && sameValue(a.settings, b.settings)

/** @param limit The `max_versions` of the mount at the target, 0 for the default. */
export function kv2Copier(limit: number): ItemCopier {
  return {
    async copy(sides, item) {
      const source = await readMetadata(sides.from, item.mount, item.name)
      if (!source) return undefined
      const before = await readMetadata(sides.to, item.mount, item.name)
      if (before && !(await isPrefix(sides, item, source, before))) return refused('the target has another secret at this path')
      const { settings } = source
      const last = before?.current ?? 0
      const keep = limitWhileWriting(source, limit > 0 ? limit : DEFAULT_MAX_VERSIONS)
      const needsLimit = keep !== undefined && last < source.current
      if (needsLimit) {
        const { delete_version_after } = settings
        await writeSettings(sides, item, { ...DEFAULT_SETTINGS, delete_version_after, max_versions: keep })
      }
      await writeVersions(sides, item, source, last)
      await writeStates(sides, item, source, before)
      const current = needsLimit ? undefined : (before?.settings ?? DEFAULT_SETTINGS)
      if ((source.current === 0 && !before) || !sameValue(current, settings)) await writeSettings(sides, item, settings)
      const deleted = [...source.versions.values()].filter((state) => state === 'deleted').length
      return deleted === 0
        ? undefined
        : note(`only the numbers and states of ${deleted} deleted versions were copied, not their data`)
    },
    async verify(sides, item) {
      const [source, target] = [
        await readMetadata(sides.from, item.mount, item.name),
        await readMetadata(sides.to, item.mount, item.name),
      ]
      if (!source || !target) return source ? 'the target lacks the secret' : 'the source lacks the secret'
      if (!isSameMetadata(source, target)) return 'the versions or the metadata differ'
      for (const [version, state] of source.versions) {
        if (state !== 'live') continue
        const [data, copied] = [await readVersion(sides.from, item, version), await readVersion(sides.to, item, version)]
        if (!sameValue(data, copied)) return `version ${version} differs`
      }
      return undefined
    },
  }
}

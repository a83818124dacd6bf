/**
 * A minimal model of a kv version 2 mount: keys with numbered versions, in plain maps. The rules are those of Vault.
 */

export interface ModelVersion {
  readonly created: number
  readonly data: unknown
  /** The time of its deletion, past or future. */
  deletion: number | undefined
  destroyed: boolean
}

export interface ModelSettings {
  readonly max_versions?: number
  readonly cas_required?: boolean
  readonly metadata_cas_required?: boolean
  readonly delete_version_after?: number
  readonly custom_metadata?: Readonly<Record<string, string>>
}

export interface ModelKey {
  created: number
  updated: number
  current: number
  oldest: number
  written: number
  settings: Required<ModelSettings>
  versions: Map<number, ModelVersion>
}

export type ModelConfig = Omit<ModelSettings, 'custom_metadata'>

const NO_SETTINGS = {
  max_versions: 0,
  cas_required: false,
  metadata_cas_required: false,
  delete_version_after: 0,
  custom_metadata: {},
}

/** Every operation returns 0 for success or the status of the refusal. A refused operation changes nothing. */
export class Kv2Model {
  readonly keys = new Map<string, ModelKey>()
  config: Required<ModelConfig> = { ...NO_SETTINGS }

  fork(): Kv2Model {
    const copy = new Kv2Model()
    copy.config = { ...this.config }
    for (const [path, key] of this.keys) {
      const versions = new Map([...key.versions].map(([version, firstVersion]) => [version, { ...firstVersion }]))
      copy.keys.set(path, { ...key, settings: { ...key.settings }, versions })
    }
    return copy
  }

  #casFails(key: ModelKey | undefined, cas: number | undefined): boolean {
    if (cas === undefined) return this.config.cas_required || key?.settings.cas_required === true
    return cas !== (key?.current ?? 0)
  }

  #make(path: string, now: number): ModelKey {
    const made = {
      created: now,
      updated: now,
      current: 0,
      oldest: 0,
      written: 0,
      settings: { ...NO_SETTINGS },
      versions: new Map(),
    }
    const key = this.keys.get(path) ?? made
    this.keys.set(path, key)
    return key
  }

  deletionFor(key: ModelKey, now: number): number | undefined {
    const { delete_version_after: mount } = this.config
    const { delete_version_after: own } = key.settings
    if (mount < 0 || (mount === 0 && own === 0)) return undefined
    return now + 1000 * (mount === 0 ? own : own === 0 ? mount : Math.min(own, mount))
  }

  gone = (version: ModelVersion, now: number): boolean =>
    version.destroyed || (version.deletion !== undefined && version.deletion <= now)

  write(path: string, data: unknown, cas: number | undefined, now: number): number {
    if (this.#casFails(this.keys.get(path), cas)) return 400
    const key = this.#make(path, now)
    key.current++
    key.updated = now
    key.versions.set(key.current, { created: now, data, deletion: this.deletionFor(key, now), destroyed: false })
    const limit = Math.max(key.settings.max_versions, this.config.max_versions) || 10
    if (key.current >= limit) key.oldest = Math.max(key.oldest, key.current - limit + 1)
    for (const version of [...key.versions.keys()]) if (version < key.oldest) key.versions.delete(version)
    return 0
  }

  /** The data is an object whose members the patch replaces or, with null, removes. */
  patch(path: string, changes: Readonly<Record<string, unknown>>, cas: number | undefined, now: number): number {
    const key = this.keys.get(path)
    if (!key) return 404
    if (this.#casFails(key, cas)) return 400
    const version = key.versions.get(key.current)
    if (!version || this.gone(version, now)) return 404
    const merged = Object.entries({ ...(version.data as object), ...changes }).filter(([, value]) => value !== null)
    return this.write(path, Object.fromEntries(merged), key.current, now)
  }

  #each(path: string, versions: readonly number[], change: (version: ModelVersion, key: ModelKey) => void): number {
    const key = this.keys.get(path)
    for (const number of versions) {
      const version = key?.versions.get(number)
      if (key && version) change(version, key)
    }
    return 0
  }

  deleteVersions(path: string, versions: readonly number[], now: number): number {
    return this.#each(path, versions, (version) => {
      if (!this.gone(version, now)) version.deletion = now
    })
  }

  undelete(path: string, versions: readonly number[], now: number): number {
    return this.#each(path, versions, (version, key) => {
      if (!version.destroyed) version.deletion = this.deletionFor(key, now)
    })
  }

  destroy(path: string, versions: readonly number[]): number {
    return this.#each(path, versions, (version) => {
      version.destroyed = true
    })
  }

  settings(path: string, settings: ModelSettings, cas: number | undefined, now: number): number {
    const known = this.keys.get(path)
    if (cas !== undefined && cas !== (known?.written ?? 0)) return 400
    if (Object.keys(settings).length === 0) return 0
    if (cas === undefined && (this.config.metadata_cas_required || known?.settings.metadata_cas_required)) return 400
    const key = this.#make(path, now)
    key.settings = { ...key.settings, ...settings }
    key.written++
    key.updated = now
    return 0
  }

  patchSettings(path: string, patch: Readonly<Record<string, unknown>>, cas: number | undefined, now: number): number {
    const key = this.keys.get(path)
    if (!key) return 404
    const changes = Object.entries(patch).map(([name, value]) => {
      const old = NO_SETTINGS[name as keyof typeof NO_SETTINGS]
      if (name !== 'custom_metadata' || value === null) return [name, value ?? old]
      const merged = Object.entries({ ...key.settings.custom_metadata, ...(value as object) }).filter(([, one]) => one !== null)
      return [name, Object.fromEntries(merged)]
    })
    return this.settings(path, Object.fromEntries(changes) as ModelSettings, cas, now)
  }

  remove(path: string): number {
    this.keys.delete(path)
    return 0
  }

  configure(config: ModelConfig): number {
    this.config = { ...this.config, ...config }
    return 0
  }

  /** The names below a folder. */
  list(folder: string): readonly string[] {
    const below = [...this.keys.keys()].filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length))
    return [...new Set(below.map((path) => (path.includes('/') ? path.slice(0, path.indexOf('/') + 1) : path)))].sort()
  }
}

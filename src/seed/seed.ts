/** Initial mounts, policies, keys and secrets of a store, as JSON. */

/** A mount of a seed. */
export interface SeedMount {
  /** The type of the engine, such as `transit` or `kv`. */
  readonly type: string
  readonly description?: string
  /** Settings of the engine. For version 2 of the key/value engine: `{ version: '2' }`. */
  readonly options?: Readonly<Record<string, string>>
  /** Settings of the mount, as in `kernel.mounts.createMount`. */
  readonly config?: Readonly<Record<string, unknown>>
}

/**
 * Initial mounts, policies, keys and secrets of a store. Each member is an object whose member names are paths or names, so a seed can be a
 * JSON file. Existing mounts, policies, keys and secrets are not changed.
 * @example
 * const seed = {
 *   mounts: { 'kv2/': { type: 'kv', options: { version: '2' } } },
 *   policies: { app: 'path "kv2/data/app/*" { capabilities = ["read"] }' },
 *   keys: { 'transit/orders': { type: 'aes256-gcm96', auto_rotate_period: '720h' } },
 *   secrets: { 'kv2/app/database': { password: 'correct horse' } },
 * }
 */
export interface Seed {
  /** Mounts by path. A mount with this path and another type is an error. */
  readonly mounts?: Readonly<Record<string, SeedMount>>
  /** The texts of policies by name. */
  readonly policies?: Readonly<Record<string, string>>
  /**
   * Keys by the path of their mount and their name, such as `transit/orders`. The value has the parameters of `transit.createKey`. A key
   * with this name and another type is an error.
   */
  readonly keys?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The data of secrets by the path of their mount and their own path, such as `secret/app/database`. */
  readonly secrets?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

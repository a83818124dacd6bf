/** Stored entities and their aliases. */
import { toHex, uuid } from '../../base/identifiers.ts'
import { coreRecord } from '../../contract/core-record.ts'
import type { MountRecord } from '../../contract/mount-record.ts'
import type { NamespaceRecord } from '../../contract/namespace.ts'
import type { Tx } from '../../contract/tx.ts'
import type { TemplateEntity } from '../../policy/index.ts'

export interface Alias {
  readonly id: string
  /** The name that the auth method gives the caller. */
  readonly name: string
  readonly mount_accessor: string
  readonly metadata: Readonly<Record<string, string>>
  readonly custom_metadata: Readonly<Record<string, string>>
  readonly times: Times
}

/** When the entity or alias was created and last changed, in milliseconds since the epoch. */
export interface Times {
  readonly created: number
  readonly updated: number
}

export interface EntityRecord {
  readonly id: string
  /** The name of the entity. By default `entity_`, 8 hexadecimal digits and the namespace's suffix. */
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
  readonly policies: readonly string[]
  /** Whether all tokens and logins of the entity are refused. */
  readonly disabled: boolean
  readonly aliases: readonly Alias[]
  readonly times: Times
}

/** Stored at `r/core/entity/<namespace uuid>/<id>`. */
export const ENTITY = /* @__PURE__ */ coreRecord<EntityRecord>({ folder: 'entity' })

/** Stored at `r/core/alias/<namespace uuid>/<mount accessor>/<name>`: the id of the alias's entity. */
export const ALIAS = /* @__PURE__ */ coreRecord<{ readonly entity: string }>({ folder: 'alias' })

/** Returns the entity of an alias and updates the alias's metadata. At the first use of the alias, creates both the alias and an entity. */
export function entityOfAlias(
  tx: Tx,
  namespace: NamespaceRecord,
  mount: MountRecord,
  name: string,
  metadata: Readonly<Record<string, string>> = {},
): EntityRecord {
  const place = `${namespace.uuid}/${mount.accessor}/${name}`
  const known = tx.get(ALIAS, place)
  const entity = known && tx.get(ENTITY, `${namespace.uuid}/${known.entity}`)
  if (entity) return withMetadata(tx, namespace, entity, mount.accessor, metadata)
  const { entropy } = tx.env
  const times = { created: tx.now, updated: tx.now }
  const made: EntityRecord = {
    id: uuid(entropy.bytes(16)),
    name: `entity_${toHex(entropy.bytes(4))}.${namespace.id || 'root'}`,
    metadata: {},
    policies: [],
    disabled: false,
    aliases: [{ id: uuid(entropy.bytes(16)), name, mount_accessor: mount.accessor, metadata, custom_metadata: {}, times }],
    times,
  }
  tx.put(ENTITY, `${namespace.uuid}/${made.id}`, made)
  tx.put(ALIAS, place, { entity: made.id })
  return made
}

function withMetadata(
  tx: Tx,
  namespace: NamespaceRecord,
  entity: EntityRecord,
  accessor: string,
  metadata: Readonly<Record<string, string>>,
): EntityRecord {
  const same = (alias: Alias): boolean =>
    alias.mount_accessor !== accessor || JSON.stringify(alias.metadata) === JSON.stringify(metadata)
  if (entity.aliases.every(same)) return entity
  const aliases = entity.aliases.map((alias) =>
    same(alias) ? alias : { ...alias, metadata, times: { ...alias.times, updated: tx.now } },
  )
  const changed = { ...entity, aliases }
  tx.put(ENTITY, `${namespace.uuid}/${entity.id}`, changed)
  return changed
}

/** The values of an entity that policy templates can use. */
export const templateEntity = ({ id, name, metadata, aliases }: EntityRecord): TemplateEntity => ({
  id,
  name,
  metadata,
  aliases: Object.fromEntries(aliases.map((alias) => [alias.mount_accessor, alias])),
})

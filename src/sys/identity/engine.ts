/**
 * The identity store: the persons and programs to which tokens belong. Logins and tokens with an alias create entities; groups and merging
 * are not supported.
 */
import { type Alias, ENTITY, type EntityRecord } from '../../core/access/identity/entity.ts'
import { rfc3339 } from '../../core/base/clock.ts'
import type { Engine } from '../../core/contract/engine.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import { IDENTITY_MANIFEST } from './manifest.ts'

type Texts = Readonly<Record<string, string>>

/** An alias: the name of an entity in an auth method. */
export interface ShownAlias {
  /** The id of the alias. */
  readonly id: string
  /** The id of the entity. */
  readonly canonical_id: string
  /** The name that the auth method uses for the entity. */
  readonly name: string
  /** Metadata from the last login; null if it has none. */
  readonly metadata: Texts | null
  /** Metadata that was written by a request; null if it has none. */
  readonly custom_metadata: Texts | null
  /** The accessor of the auth method. */
  readonly mount_accessor: string
  /** The path of the auth method; empty if its mount was removed. */
  readonly mount_path: string
  /** The type of the auth method; empty if its mount was removed. */
  readonly mount_type: string
  /** When the alias was created, in RFC 3339. */
  readonly creation_time: string
  /** When the alias was last changed, in RFC 3339. */
  readonly last_update_time: string
}

/** @throws KernelError 404 if the entity does not exist in the namespace. */
const readEntity = operation({
  kind: 'read',
  verb: 'GET',
  path: '/entity/id/:id',
  summary: 'Shows an entity: its policies, and its aliases in auth methods.',
  fields: { id: f.name('The id of the entity, as logins and token lookups return it.') },
  returns: {
    id: f.text('The id of the entity.'),
    name: f.text('The name of the entity.'),
    metadata: f.json<Texts | null>('The metadata of the entity; null if it has none.'),
    policies: f.json<readonly string[]>('Policies that tokens of the entity have in addition to their own.', { type: 'array' }),
    disabled: f.bool('Whether tokens and logins of the entity are refused.'),
    namespace_id: f.text("The id of the entity's namespace; `root` for the root namespace."),
    creation_time: f.text('When the entity was created, in RFC 3339.'),
    last_update_time: f.text('When the entity was last changed, in RFC 3339.'),
    aliases: f.json<readonly ShownAlias[]>('The aliases of the entity in auth methods.', { type: 'array' }),
  },
  run: (tx, { id }) => {
    const { namespace } = tx.call
    const entity = tx.get(ENTITY, `${namespace.uuid}/${id}`)
    if (!entity) return undefined
    const { name, policies, disabled, times } = entity
    return {
      id,
      name,
      metadata: textsOf(entity.metadata),
      policies: [...policies],
      disabled,
      namespace_id: namespace.id || 'root',
      creation_time: rfc3339(times.created),
      last_update_time: rfc3339(times.updated),
      aliases: entity.aliases.map((alias) => shownAlias(tx, entity, alias)),
    }
  },
})

const textsOf = (texts: Texts): Texts | null => (Object.keys(texts).length > 0 ? { ...texts } : null)

function shownAlias(tx: Tx, entity: EntityRecord, { id, name, mount_accessor, times, ...alias }: Alias): ShownAlias {
  const mount = TOPOLOGY.of(tx).mounts.byAccessor(mount_accessor)?.record
  return {
    id,
    canonical_id: entity.id,
    name,
    metadata: textsOf(alias.metadata),
    custom_metadata: textsOf(alias.custom_metadata),
    mount_accessor,
    mount_path: mount?.path ?? '',
    mount_type: mount?.type ?? '',
    creation_time: rfc3339(times.created),
    last_update_time: rfc3339(times.updated),
  }
}

export const identity = {
  ...IDENTITY_MANIFEST,
  facades: {},
  operations: { readEntity },
  due: {},
} satisfies Engine

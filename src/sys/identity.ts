/**
 * The identity store: who stands behind tokens. Logins and tokens with an alias create entities; groups and merging are not
 * supported.
 */
import { type Alias, ENTITY, type EntityRecord } from '../core/access/identity/entity.ts'
import { rfc3339 } from '../core/base/clock.ts'
import type { Engine } from '../core/contract/engine.ts'
import { operation } from '../core/contract/operation.ts'
import type { Tx } from '../core/contract/tx.ts'
import { f } from '../core/field/fields.ts'
import { TOPOLOGY } from '../core/mount/topology.ts'

type Texts = Readonly<Record<string, string>>

/** What a method calls an entity, as it is shown. */
export interface ShownAlias {
  /** Names the alias. */
  readonly id: string
  /** Of the entity. */
  readonly canonical_id: string
  /** What the auth method calls the entity. */
  readonly name: string
  /** As the last login told; null for none. */
  readonly metadata: Texts | null
  /** As somebody wrote it; null for none. */
  readonly custom_metadata: Texts | null
  /** Of the auth method. */
  readonly mount_accessor: string
  /** Empty where that mount is gone. */
  readonly mount_path: string
  /** The type of the auth method; empty where its mount is gone. */
  readonly mount_type: string
  /** RFC 3339. */
  readonly creation_time: string
  /** RFC 3339. */
  readonly last_update_time: string
}

const readEntity = operation({
  kind: 'read',
  verb: 'GET',
  path: '/entity/id/:id',
  summary: 'Shows an entity: its policies, and what auth methods call it.',
  fields: { id: f.name('Its id, as a login or a lookup of a token tells it.') },
  returns: {
    id: f.text('Its id.'),
    name: f.text('Its name.'),
    metadata: f.json<Texts | null>('Its metadata; null for none.'),
    policies: f.json<readonly string[]>('Policies that its tokens have beside their own.', { type: 'array' }),
    disabled: f.bool('Whether its tokens and logins are refused.'),
    namespace_id: f.text('The id of its namespace; `root` for the root.'),
    creation_time: f.text('When it was made, in RFC 3339.'),
    last_update_time: f.text('When it was changed last, in RFC 3339.'),
    aliases: f.json<readonly ShownAlias[]>('What auth methods call it.', { type: 'array' }),
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
  type: 'identity',
  mounts: 'system',
  keeps: 'core',
  operations: { readEntity },
  due: {},
} satisfies Engine

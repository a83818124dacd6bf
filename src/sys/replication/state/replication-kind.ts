/**
 * The two kinds of replication: what each sends, and where a store keeps what belongs to it.
 */
import type { KeyClass, RecordKind, SecretKind } from '../../../core/contract/record-kind.ts'
import { jsonRecord } from '../../../core/contract/record-kind.ts'
import type { Frame, Place } from '../../../core/log/frame.ts'
import { NO_PART, type PartInSet, type Role } from '../../../core/log/role.ts'
import { keyOf } from '../../../core/transaction/core-key.ts'
import { domainOf } from './domain.ts'
import {
  type HeardHead,
  type LostBefore,
  type Peer,
  RecordSlot,
  type Relation,
  type ReplicaProgress,
  type TreeProgress,
} from './records.ts'

export type ReplicationKindName = 'performance' | 'dr'

export interface ReplicationKind {
  readonly name: ReplicationKindName
  /** In front of the keys of what goes to secondaries. */
  readonly sends: readonly string[]
  /** The cluster's part in a set of this kind. */
  partOf(role: Role): PartInSet
  /** The role with another part in a set of this kind. */
  withPart(role: Role, part: PartInSet): Role
  /** Where a record of the log lies in the history of the set. */
  placeOf(frame: Pick<Frame, 'place' | 'dr'>): Place | undefined
  /** The part of the tree that a key belongs to. */
  domainOf(key: string): string
  readonly relation: RecordKind<Relation>
  readonly relationKey: string
  readonly peer: RecordKind<Peer>
  /** Key bytes, by the names of {@link SECRETS}. */
  readonly secret: SecretKind
  readonly treeProgress: RecordSlot<TreeProgress>
  readonly replicaProgress: RecordSlot<ReplicaProgress>
  readonly heard: RecordSlot<HeardHead>
  readonly lostBefore: RecordSlot<LostBefore>
  /** Here from the commit that hides what a cluster held, until it is a secondary. */
  readonly joining: RecordSlot<Relation>
  readonly tree: string
  /** Roots at positions that all clusters note. */
  readonly checkpoints: string
  readonly heartbeats: string
  /** How far secondaries have stored what this cluster wrote. */
  readonly acknowledgements: string
  readonly quarantine: string
  /** What is kept of checks and of reindexes. */
  readonly inspection: string
  /** The purpose that the record of an activation token names. */
  readonly purpose: string
  /** What the exchange of an activation is for. */
  readonly activation: string
}

type Rules = Pick<ReplicationKind, 'name' | 'sends' | 'partOf' | 'withPart' | 'placeOf' | 'domainOf' | 'activation'>

/**
 * @param own The class of what a cluster keeps of its part: of that among the clusters that serve whoever takes it over for disaster recovery
 * has all, and the other part is the store's own.
 */
function defineKind(rules: Rules, own: KeyClass, at: string): ReplicationKind {
  const relation = jsonRecord<Relation>({ class: own, folder: 'replication' })
  return {
    ...rules,
    relation,
    relationKey: keyOf(relation, rules.name),
    peer: jsonRecord<Peer>({ class: own, folder: 'replication-peer', guarded: true }),
    secret: { class: own, folder: 'replication-secret', format: 1 },
    treeProgress: new RecordSlot(`${at}folded`),
    replicaProgress: new RecordSlot(`${at}following`),
    heard: new RecordSlot(`${at}heard`),
    lostBefore: new RecordSlot(`${at}lost`),
    joining: new RecordSlot(`${at}joining`),
    tree: `${at}tree/r/`,
    checkpoints: `${at}checkpoint/`,
    heartbeats: `${at}seen/`,
    acknowledgements: `${at}held/`,
    quarantine: `${at}quarantine/`,
    inspection: `${at}inspection/`,
    purpose: `replication/${rules.name}`,
  }
}

/** In front of domains of records that stay in their cluster. */
const LOCAL = 'l-'

/** Whether a part of a tree is of records that stay in their cluster. */
export const isLocalDomain = ({ sends }: ReplicationKind, domain: string): boolean =>
  sends.includes('l/') && domain.startsWith(LOCAL)

/** Clusters that serve: what is replicated goes to all of them. */
export const PERFORMANCE: ReplicationKind = /* @__PURE__ */ defineKind(
  {
    name: 'performance',
    sends: ['r/'],
    partOf: (role) => role,
    withPart: (role, part) => ({ ...role, ...part }),
    placeOf: ({ place }) => place,
    domainOf,
    activation: 'strongroom replication: activation of a performance secondary',
  },
  'l',
  'i/replication/',
)

/** Disaster recovery: a secondary holds all that its primary does, and serves nothing. */
export const DR: ReplicationKind = /* @__PURE__ */ defineKind(
  {
    name: 'dr',
    sends: ['r/', 'l/'],
    partOf: ({ dr }) => dr ?? NO_PART,
    withPart: ({ dr: _, ...role }, part) => {
      if (part.mode === 'disabled') return role
      return part.mode === 'primary' ? { ...role, dr: part } : { ...role, ...NO_PART, dr: part }
    },
    placeOf: ({ dr }) => dr,
    domainOf: (key) => (key.startsWith('l/') ? LOCAL : '') + domainOf(key),
    activation: 'strongroom replication: activation of a secondary for disaster recovery',
  },
  'i',
  'i/replication/dr/',
)

/** Whether a key is of what goes to secondaries. */
export const isReplicatedKey = ({ sends }: Pick<ReplicationKind, 'sends'>, key: string): boolean =>
  sends.some((prefix) => key.startsWith(prefix))

/** `succession`: proves epochs to the primary that was followed before the present one. */
export const SECRETS = ['set', 'identity', 'candidate', 'succession'] as const

export const secretKey = ({ secret }: ReplicationKind, name: (typeof SECRETS)[number]): string => keyOf(secret, name)

/** The two kinds of replication: the records that each kind replicates, and the keys of its state in the store. */
import { type CoreRecordKind, type CoreSecretKind, coreRecord } from '../../../core/contract/core-record.ts'
import type { KeyClass } from '../../../core/contract/record-kind.ts'
import type { FramePosition, LogFrame } from '../../../core/log/frame.ts'
import { NOT_A_MEMBER, type Role, type SetMembership } from '../../../core/log/role.ts'
import { coreRecordKey } from '../../../core/transaction/core-key.ts'
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
  /** The prefixes of all keys that this kind replicates. */
  readonly sends: readonly string[]
  /** Returns the membership for this kind of replication, which the role record contains. */
  partOf(role: Role): SetMembership
  /** Returns the role record with the membership for this kind replaced by `part`. */
  withPart(role: Role, part: SetMembership): Role
  /** Returns the position of a log frame in the history of this kind's set; undefined if the frame has none. */
  placeOf(frame: Pick<LogFrame, 'position' | 'dr'>): FramePosition | undefined
  /** Returns the domain of the Merkle tree to which a key belongs. */
  domainOf(key: string): string
  readonly relation: CoreRecordKind<Relation>
  readonly relationKey: string
  readonly peer: CoreRecordKind<Peer>
  /** The records that contain secret keys. Their ids are the names in {@link SECRETS}. */
  readonly secret: CoreSecretKind
  readonly treeProgress: RecordSlot<TreeProgress>
  readonly replicaProgress: RecordSlot<ReplicaProgress>
  readonly heard: RecordSlot<HeardHead>
  readonly lostBefore: RecordSlot<LostBefore>
  /**
   * The membership of a cluster that is joining a set. The record exists from the commit that makes the former data of the cluster
   * inaccessible until the cluster is a secondary.
   */
  readonly joining: RecordSlot<Relation>
  readonly tree: string
  /** The key prefix of the checkpoints: Merkle roots at log positions at which all clusters of the set record them. */
  readonly checkpoints: string
  readonly heartbeats: string
  /** The key prefix of the positions that secondaries have acknowledged. */
  readonly acknowledgements: string
  readonly quarantine: string
  /** The key prefix of the progress and the results of checks and reindexes. */
  readonly inspection: string
  /** The value of `purpose` in the metadata of an activation token. */
  readonly purpose: string
  /** A label for the key derivation in the activation exchange. It makes the encryption keys differ from those of other exchanges. */
  readonly activation: string
}

type Rules = Pick<ReplicationKind, 'name' | 'sends' | 'partOf' | 'withPart' | 'placeOf' | 'domainOf' | 'activation'>

/**
 * @param own The class of the membership records, which is the first letter of their keys. For performance replication it is `l`: the
 * records are replicated to DR secondaries, which can then take over the membership. For disaster recovery it is `i`: the records are not
 * replicated.
 */
function defineKind(rules: Rules, own: KeyClass, at: string): ReplicationKind {
  const relation = coreRecord<Relation>({ class: own, folder: 'replication' })
  return {
    ...rules,
    relation,
    relationKey: coreRecordKey(relation, rules.name),
    peer: coreRecord<Peer>({ class: own, folder: 'replication-peer', guarded: true }),
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

/** The prefix of the domains that contain cluster-local records. */
const LOCAL = 'l-'

/** Whether a domain contains cluster-local records. */
export const isLocalDomain = ({ sends }: ReplicationKind, domain: string): boolean =>
  sends.includes('l/') && domain.startsWith(LOCAL)

/** Performance replication: secondaries receive the replicated records (class `r`) and serve requests. */
export const PERFORMANCE: ReplicationKind = /* @__PURE__ */ defineKind(
  {
    name: 'performance',
    sends: ['r/'],
    partOf: (role) => role,
    withPart: (role, part) => ({ ...role, ...part }),
    placeOf: ({ position: place }) => place,
    domainOf,
    activation: 'strongroom replication: activation of a performance secondary',
  },
  'l',
  'i/replication/',
)

/** Disaster recovery: a secondary also receives the cluster-local records of its primary (class `l`), and serves no requests. */
export const DR: ReplicationKind = /* @__PURE__ */ defineKind(
  {
    name: 'dr',
    sends: ['r/', 'l/'],
    partOf: ({ dr }) => dr ?? NOT_A_MEMBER,
    withPart: ({ dr: _, ...role }, part) => {
      if (part.mode === 'disabled') return role
      return part.mode === 'primary' ? { ...role, dr: part } : { ...role, ...NOT_A_MEMBER, dr: part }
    },
    placeOf: ({ dr }) => dr,
    domainOf: (key) => (key.startsWith('l/') ? LOCAL : '') + domainOf(key),
    activation: 'strongroom replication: activation of a secondary for disaster recovery',
  },
  'i',
  'i/replication/dr/',
)

/** Whether this kind replicates a key. */
export const isReplicatedKey = ({ sends }: Pick<ReplicationKind, 'sends'>, key: string): boolean =>
  sends.some((prefix) => key.startsWith(prefix))

/**
 * The names of the stored cryptographic keys. `set`: the key that all clusters of the set share. `identity`: the key pair of this cluster.
 * `candidate`: a key pair for the next activation. `succession`: proves epochs to the primary that was followed before the current one.
 */
export const SECRETS = ['set', 'identity', 'candidate', 'succession'] as const

export const secretKey = ({ secret }: ReplicationKind, name: (typeof SECRETS)[number]): string => coreRecordKey(secret, name)

/**
 * The keys of a cluster in its set: what the tree is hashed with, and what its messages are sealed with.
 */
import { splitFormat, withFormat } from '../../../core/contract/record-kind.ts'
import type { Op } from '../../../core/storage/port.ts'
import type { Host } from '../../../core/transaction/host.ts'
import { KeyPair } from '../channel/key-pair.ts'
import { TreeKeys } from '../tree/tree-keys.ts'
import { SECRET, secretKey } from './records.ts'

export class SetKeys {
  readonly tree: TreeKeys
  readonly identity: KeyPair
  /** The set's key itself, for whoever joins. */
  readonly set: Uint8Array

  constructor(host: Host, set: Uint8Array, identity: Uint8Array) {
    this.set = set
    this.tree = new TreeKeys(set, host.env.crypto)
    this.identity = new KeyPair(identity)
    identity.fill(0)
  }

  /** Undefined where the cluster has none. */
  static async load(host: Host): Promise<SetKeys | undefined> {
    const [set, identity] = await host.store.getMany([secretKey('set'), secretKey('identity')])
    return set && identity && new SetKeys(host, bytesOf(set.value), bytesOf(identity.value))
  }

  wipe(): void {
    this.tree.wipe()
    this.set.fill(0)
    this.identity.wipe()
  }
}

/** The key pair that an activation was asked for with; undefined where none was made, or it was used. */
export async function loadCandidate({ store }: Host): Promise<KeyPair | undefined> {
  const [found] = await store.getMany([secretKey('candidate')])
  return found && new KeyPair(bytesOf(found.value))
}

const bytesOf = (stored: Uint8Array): Uint8Array => splitFormat(SECRET, stored)[1].slice()

/** The caller wipes the bytes. */
export function putSecret({ store }: Host, name: Parameters<typeof secretKey>[0], bytes: Uint8Array): Op {
  const stored = withFormat(SECRET.format, bytes)
  const op = store.sealed(secretKey(name), stored, undefined)
  stored.fill(0)
  return op
}

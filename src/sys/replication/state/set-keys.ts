/** The keys that a cluster has as a member of a set: for the Merkle tree and for encrypted messages. */
import { splitFormat, withFormat } from '../../../core/contract/record-kind.ts'
import type { Op } from '../../../core/storage/port.ts'
import { KeyPair } from '../channel/key-pair.ts'
import { TreeKeys } from '../tree/tree-keys.ts'
import { secretKey } from './replication-kind.ts'
import type { SetHost } from './set-host.ts'

export class SetKeys {
  readonly tree: TreeKeys
  readonly identity: KeyPair
  /** The key of the set, which joining secondaries receive. */
  readonly set: Uint8Array

  constructor(host: SetHost, set: Uint8Array, identity: Uint8Array) {
    this.set = set
    this.tree = new TreeKeys(set, host.env.crypto)
    this.identity = new KeyPair(host.env.crypto, identity)
    identity.fill(0)
  }

  /** Returns undefined if the cluster has no keys. */
  static async load(host: SetHost): Promise<SetKeys | undefined> {
    const [set, identity] = await host.store.getMany([secretKey(host.kind, 'set'), secretKey(host.kind, 'identity')])
    return set && identity && new SetKeys(host, bytesOf(host, set.value), bytesOf(host, identity.value))
  }

  wipe(): void {
    this.tree.wipe()
    this.set.fill(0)
    this.identity.wipe()
  }
}

/** Returns the key pair for a requested activation; undefined if no key pair was generated, or if it was already used. */
export async function loadCandidate(host: SetHost): Promise<KeyPair | undefined> {
  const [found] = await host.store.getMany([secretKey(host.kind, 'candidate')])
  return found && new KeyPair(host.env.crypto, bytesOf(host, found.value))
}

const bytesOf = ({ kind }: SetHost, stored: Uint8Array): Uint8Array => splitFormat(kind.secret, stored)[1].slice()

/** The caller wipes the bytes. */
export async function loadSecret(host: SetHost, name: Parameters<typeof secretKey>[1]): Promise<Uint8Array | undefined> {
  const [found] = await host.store.getMany([secretKey(host.kind, name)])
  return found && bytesOf(host, found.value)
}

/** The caller wipes the bytes. */
export function putSecret({ store, kind }: SetHost, name: Parameters<typeof secretKey>[1], bytes: Uint8Array): Op {
  const stored = withFormat(kind.secret.format, bytes)
  const op = store.encryptedPut(secretKey(kind, name), stored, undefined)
  stored.fill(0)
  return op
}
